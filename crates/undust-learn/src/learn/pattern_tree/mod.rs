//! `pattern-tree`: T. Lei, R. Cai, J.-M. Yang, Y. Ke, X. Fan, L. Zhang, "A Pattern Tree-based Approach to Learning URL
//! Normalization Rules", WWW 2010.
//!
//! The URLs of a site are split into a tree of patterns (`view`, `split`, `tree`, `form`), without a look at what is a duplicate of what. Nodes
//! whose URLs are duplicates of each other (`duplicates`) give rules: for each key of the target an operation (`operations`), said
//! in the common language (`template`). Which of them hold, and which can be deployed together, is for `undust_papers::deploy` or
//! [`crate::select`] to say.
//!
//! Where we deviate: see the head of each file.

mod duplicates;
mod form;
mod operations;
pub mod outline;
mod proof;
mod split;
mod template;
mod tree;
mod view;

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::template_helpers::Reordered;
use super::{Candidate, Learner};
use crate::site::Sample;
use duplicates::{Clusters, Pair};
use form::Form;
use operations::{Evidence, Finder, Step};
use proof::{Proof, Run};
use template::{Order, Saying};
use tree::Tree;
use view::View;

/// Two nodes are duplicates of each other if such a share of their URLs have a duplicate in the other one (`o_min`). The paper's is 0.5; but of a
/// page with many URLs a crawl, or a sample, knows few, each in another node, and proofing tells what is wrong.
pub const MIN_OVERLAP: f64 = 0.2;
/// Keys are mapped to each other if they have common values on a greater share of pages (`σ_min`).
pub const MIN_COMMON: f64 = 0.5;
/// Pages that two nodes must have in common, at least.
pub const MIN_SUPPORT: u64 = 3;

/// The learner of WWW 2010.
#[derive(Clone, Debug)]
pub struct PatternTree {
    /// The overlap of two nodes, and the duplicate rate of one, from which on rules are made.
    pub min_overlap: f64,
    /// The share of common values from which on a key is replaced by another.
    pub min_common: f64,
    /// How many pages two nodes must have in common.
    pub min_support: u64,
    /// Whether both ways between two nodes are proposed, as in the paper, also where the one to the shorter URLs is right, or where another right
    /// rule makes their URLs equal: `deploy` chooses among ways; to `select` that is only work.
    pub both_ways: bool,
}

impl Default for PatternTree {
    fn default() -> PatternTree {
        PatternTree {
            min_overlap: MIN_OVERLAP,
            min_common: MIN_COMMON,
            min_support: MIN_SUPPORT,
            both_ways: true,
        }
    }
}

/// A key is ignored where its values differ on more than one of these shares of pages: irrelevant keys that vary often, and also those
/// that vary now and then. Each gives a rule.
const DIFFERING: [f64; 2] = [0.5, 0.1];

/// Greatest share of wrong pairs of a proposed rule. Labels may be noisy: that is for others to
/// judge.
const MAX_FPR: f64 = 0.2;

/// [`MAX_FPR`] of the rule that sorts the parameters of all URLs, before others rely on it.
const MAX_SORTING_FPR: f64 = 0.001;

/// Share of wrong pairs up to which a rule is right.
const MAX_RIGHT_FPR: f64 = 0.001;

/// Number of rules proposed, those of most duplicates: a site with many mirrors has a rule for every two of them.
const MAX_RULES: usize = 256;

/// Share of wrong pairs by which a rule may exceed the narrower ones whose place it takes.
const MAX_FPR_LOSS: f64 = 0.001;

impl Learner for PatternTree {
    fn name(&self) -> &'static str {
        "pattern-tree"
    }

    fn learn(&self, sample: &Sample) -> Vec<Candidate> {
        let mut view = View::new(sample);
        let tree = Tree::new(&mut view);
        let clusters = Clusters::new(&view);
        let pairs = duplicates::pairs(&tree, &clusters, self.min_overlap, self.min_support);
        let forms = tree.nodes.iter().map(|node| Form::new(&view, node)).collect();
        let proof = Proof::new(&view);
        let reordered = reordered(&clusters, &proof);
        let mut making = Making {
            settings: self,
            view: &view,
            tree: &tree,
            // Where sorting is often wrong, it will not be done.
            sorts: reordered.is_often() && proof.of_order().fpr() <= MAX_SORTING_FPR,
            proof,
            forms,
            known: Vec::new(),
            lifted: Vec::new(),
        };
        for pair in &pairs {
            making.add_pair(Evidence::new(&view, &tree, &clusters, pair), pair);
        }
        making.candidates().into_iter().chain(reordered.sorting()).collect()
    }
}

/// How often duplicates differ in nothing but the order of parameters.
fn reordered(clusters: &Clusters, proof: &Proof) -> Reordered {
    let mut reordered = Reordered::default();
    let mut hashes = Vec::new();
    for cluster in 0..clusters.len() as u32 {
        hashes.clear();
        hashes.extend(clusters.get(cluster).iter().map(|&url| proof.hash(url)));
        hashes.sort_unstable();
        let same = hashes.windows(2).filter(|two| two[0] == two[1]).count();
        reordered.pairs += same as u64;
        reordered.others += (hashes.len() - 1 - same) as u64;
    }
    reordered
}

/// Makes rules of pairs of nodes.
struct Making<'v, 's> {
    settings: &'v PatternTree,
    view: &'v View<'s>,
    tree: &'v Tree,
    proof: Proof<'v, 's>,
    /// Whether parameters are printed by name.
    sorts: bool,
    forms: Vec<Form>,
    known: Vec<Known>,
    /// Rules of any host and path, each with a URL that it leads to and the rules that are cases of it.
    lifted: Vec<(Step, u32, Vec<usize>)>,
}

/// A rule that was made.
struct Known {
    candidate: Candidate,
    run: Run,
    /// Pairs of URLs that it makes equal, about.
    pairs: u64,
    /// The share of them that is wrong.
    fpr: f64,
}

impl Known {
    fn is_as_good(&self, other: &Known) -> bool {
        self.fpr <= other.fpr + MAX_FPR_LOSS
    }
}

impl Making<'_, '_> {
    /// The rules of two nodes: to the one with the shorter URLs, or else the one with more of them, and back.
    fn add_pair(&mut self, evidence: Evidence, pair: &Pair) {
        if !self.settings.both_ways && self.is_done(&evidence) {
            return;
        }
        let (s, t) = pair.nodes;
        let rank = |node: u32| {
            let (form, urls) = (&self.forms[node as usize], &self.tree.nodes[node as usize].urls);
            (form.slots().count(), Reverse(urls.len()))
        };
        let (evidence, (s, t)) =
            if rank(s) < rank(t) { (evidence.turned(), (t, s)) } else { (evidence, (s, t)) };
        let is_right = self.add(&evidence, (s, t), pair.support);
        if s != t && (self.settings.both_ways || !is_right) {
            self.add(&evidence.turned(), (t, s), pair.support);
        }
    }

    /// Whether a right rule makes all of these duplicates equal: on a site with many mirrors, one that ignores the mirror does for all pairs of them.
    fn is_done(&self, evidence: &Evidence) -> bool {
        let becomes = |url: u32, known: &Known| known.run.result(self.view, url);
        let makes_equal = |known: &Known, (s, t): (u32, u32)| {
            let (s, t) = (becomes(s, known), becomes(t, known));
            s.is_some() && s == t
        };
        let mut right = self.known.iter().filter(|known| known.fpr <= MAX_RIGHT_FPR);
        right.any(|known| evidence.duplicates().all(|two| makes_equal(known, two)))
    }

    /// The rules from one node to another; whether one of them is right.
    fn add(&mut self, evidence: &Evidence, (s, t): (u32, u32), support: u64) -> bool {
        let (source, target) = (&self.forms[s as usize], &self.forms[t as usize]);
        let Some(example) = evidence.target() else { return false };
        let min_common = self.settings.min_common;
        let find = |max_differing: f64| {
            let finder = Finder { evidence, source, target, is_self: s == t, min_common, max_differing };
            Some(Step { source: source.clone(), operations: finder.operations()? })
        };
        // Sums of hashes do not tell in which order a rule prints, and a rule without names prints as it finds.
        let keeps_order = self.sorts || evidence.keeps_order();
        let steps: Vec<Step> = DIFFERING.into_iter().filter_map(find).collect();
        let mut is_right = false;
        for step in steps.iter().filter(|step| !step.changes_nothing()) {
            if keeps_order && self.is_known(evidence, &Run::new(self.view, step), 0.0) {
                is_right = true;
                continue;
            }
            // On the URLs of its node first: most rules need not be tried on all that they speak of.
            let on_node = self.make(step, Some(s), example, support);
            let promises = |rule: &Known| {
                rule.fpr <= MAX_FPR && !(keeps_order && self.is_known(evidence, &rule.run, rule.fpr))
            };
            let specific = on_node.filter(promises).and_then(|_| self.make(step, None, example, support));
            let specific = specific.filter(|rule| rule.fpr <= MAX_FPR);
            is_right |= specific.as_ref().is_some_and(|rule| rule.fpr <= MAX_RIGHT_FPR);
            match specific {
                Some(specific) if keeps_order => self.widen(step, specific, example),
                specific => self.known.extend(specific),
            }
        }
        is_right
    }

    /// Keep the rule, for URLs with any other parameters where that is as good, and note what it would be for any host and path.
    fn widen(&mut self, step: &Step, specific: Known, example: u32) {
        let general = step.general();
        let wider = general.as_ref().and_then(|general| {
            let wider = self.make(general, None, example, specific.candidate.support)?;
            (wider.is_as_good(&specific) && wider.pairs > specific.pairs).then_some(wider)
        });
        if let Some(lifted) = general.as_ref().and_then(Step::lifted) {
            let known = self.lifted.iter_mut().find(|(known, ..)| *known == lifted);
            match known {
                Some((.., cases)) => cases.push(self.known.len()),
                None => self.lifted.push((lifted, example, vec![self.known.len()])),
            }
        }
        self.known.push(wider.unwrap_or(specific));
    }

    /// The rule in words, and what it does to the URLs of a node, or to all that it matches: often more than those of its node.
    fn make(&self, step: &Step, node: Option<u32>, example: u32, support: u64) -> Option<Known> {
        let order = if self.sorts { Order::ByName } else { Order::Of(example) };
        let action = Saying { view: self.view, step, order }.action()?;
        let run = Run::new(self.view, step);
        let leaves = self.tree.leaves_of(node.unwrap_or(0)).filter(|leaf| run.may_speak_of(self.view, leaf));
        let counts = self.proof.counts(&leaves.collect::<Vec<_>>(), &run);
        let (pairs, fpr) = (counts.pairs, counts.fpr());
        Some(Known { candidate: Candidate { action, support }, run, pairs, fpr })
    }

    /// Whether a rule that is not worse does the same.
    fn is_known(&self, evidence: &Evidence, run: &Run, fpr: f64) -> bool {
        let result = |url: u32, run: &Run| run.result(self.view, url);
        let mut as_good = self.known.iter().filter(|known| known.fpr <= fpr + MAX_FPR_LOSS);
        as_good.any(|known| evidence.sources().all(|url| result(url, run) == result(url, &known.run)))
    }

    fn candidates(mut self) -> Vec<Candidate> {
        for (step, example, cases) in std::mem::take(&mut self.lifted) {
            let worst = cases.iter().map(|&at| self.known[at].fpr).fold(0.0, f64::max);
            let support = cases.iter().map(|&at| self.known[at].candidate.support).sum();
            let lifted =
                || self.make(&step, None, example, support).filter(|l| l.fpr <= worst + MAX_FPR_LOSS);
            let lifted = if cases.len() > 1 { lifted() } else { None };
            self.known.extend(lifted);
        }
        let mut candidates: BTreeMap<(String, String), Candidate> = BTreeMap::new();
        for Known { candidate, .. } in self.known {
            let known = candidates.entry(candidate.action.sides()).or_insert_with(|| candidate.clone());
            known.support = known.support.max(candidate.support);
        }
        let mut candidates: Vec<Candidate> = candidates.into_values().collect();
        candidates.sort_by_key(|candidate| Reverse(candidate.support));
        candidates.truncate(MAX_RULES);
        candidates
    }
}
