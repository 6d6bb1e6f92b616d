//! `pattern-tree`: T. Lei, R. Cai, J.-M. Yang, Y. Ke, X. Fan, L. Zhang, "A Pattern Tree-based Approach to Learning URL
//! Normalization Rules", WWW 2010.
//!
//! The URLs of a site are split into a tree of patterns (`view`, `split`, `tree`, `form`), without a look at what is a duplicate of what. Nodes
//! whose URLs are duplicates of each other (`duplicates`) give rules: for each key of the target an operation (`operations`), said
//! in the common language (`template`). Which of them hold, and which can be deployed together, is for [`crate::deploy`] or
//! [`crate::select`] to say.
//!
//! Where we deviate: see the head of each file.

mod duplicates;
mod form;
mod operations;
mod proof;
mod split;
mod template;
mod tree;
mod view;

use std::collections::BTreeMap;

use undust::rules::Action;

use super::{Candidate, Learner, say};
use crate::site::Sample;
use duplicates::Clusters;
use form::Form;
use operations::{Evidence, Finder};
use proof::{Proof, Step};
use template::{Order, Saying};
use tree::Tree;
use view::View;

/// Two nodes are duplicates of each other if such a share of their URLs have a duplicate in the other one (`o_min`).
pub const MIN_OVERLAP: f64 = 0.5;
/// Keys are mapped to each other if they have common values on a greater share of pages (`σ_min`).
pub const MIN_COMMON: f64 = 0.5;
/// Two nodes need so many pages in common.
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
}

impl Default for PatternTree {
    fn default() -> PatternTree {
        PatternTree { min_overlap: MIN_OVERLAP, min_common: MIN_COMMON, min_support: MIN_SUPPORT }
    }
}

/// A key is ignored where its values differ on more than one of these shares of pages: irrelevant keys that vary often, and also those
/// that vary now and then. Each gives a rule.
const DIFFERING: [f64; 2] = [0.5, 0.1];

/// A rule with a greater share of wrong pairs on the URLs of its own node is not proposed. Labels may be noisy: that is for others to
/// judge.
const MAX_FPR: f64 = 0.2;

impl Learner for PatternTree {
    fn name(&self) -> &'static str {
        "pattern-tree"
    }

    fn learn(&self, sample: &Sample) -> Vec<Candidate> {
        let view = View::new(sample);
        let tree = Tree::new(&view);
        let clusters = Clusters::new(&view);
        let pairs = duplicates::pairs(&tree, &clusters, self.min_overlap, self.min_support);
        let forms = tree.nodes.iter().map(|node| Form::new(&view, node)).collect();
        let leaves = tree.leaves();
        let mut making = Making {
            settings: self,
            view: &view,
            tree: &tree,
            proof: Proof::new(&view),
            forms,
            known: BTreeMap::new(),
            rules: Rules::default(),
        };
        for pair in &pairs {
            let evidence = Evidence::new(&view, &tree, &leaves, &clusters, pair);
            making.add(&evidence, pair.nodes, pair.support);
            if pair.nodes.0 != pair.nodes.1 {
                making.add(&evidence.turned(), (pair.nodes.1, pair.nodes.0), pair.support);
            }
        }
        making.rules.candidates()
    }
}

/// Makes rules of pairs of nodes.
struct Making<'v, 's> {
    settings: &'v PatternTree,
    view: &'v View<'s>,
    tree: &'v Tree,
    proof: Proof<'v, 's>,
    forms: Vec<Option<Form>>,
    /// The steps that URLs of each node may take, and how many of the pairs made equal are wrong.
    known: BTreeMap<u32, Vec<(Step, f64)>>,
    rules: Rules,
}

impl Making<'_, '_> {
    /// The rules from one node to another.
    fn add(&mut self, evidence: &Evidence, (s, t): (u32, u32), support: u64) {
        let (Some(source), Some(target)) = (&self.forms[s as usize], &self.forms[t as usize]) else { return };
        let Some(example) = evidence.target() else { return };
        for max_differing in DIFFERING {
            let min_common = self.settings.min_common;
            let finder = Finder { evidence, source, target, is_self: s == t, min_common, max_differing };
            let Some(operations) = finder.operations() else { continue };
            let step = Step { source: source.clone(), operations };
            let saying = Saying { view: self.view, step: &step, order: Order::Of(example) };
            if saying.says_nothing() {
                continue;
            }
            let fpr = self.fpr(s, &step);
            if fpr > MAX_FPR || self.is_known(evidence, s, &step, fpr) {
                continue;
            }
            self.rules.add(saying.specific(), support);
            self.rules.add(saying.general(), support);
            self.rules.lift(saying.lifted(), support);
            self.known.entry(s).or_default().push((step, fpr));
        }
    }

    /// Whether a rule on the node or an ancestor does the same, and is not worse.
    fn is_known(&self, evidence: &Evidence, node: u32, step: &Step, fpr: f64) -> bool {
        let known = self.tree.upwards(node).filter_map(|above| self.known.get(&above)).flatten();
        let result = |url: u32, step: &Step| self.proof.result(url, step);
        let mut as_good = known.filter(|(_, of_other)| *of_other <= fpr);
        as_good.any(|(other, _)| evidence.sources().all(|url| result(url, step) == result(url, other)))
    }

    /// Of the pairs of URLs of the node that the rule makes equal, the share that is wrong.
    fn fpr(&self, node: u32, step: &Step) -> f64 {
        let urls = self.tree.urls_of(&self.tree.nodes[node as usize]);
        self.proof.counts(urls, step).fpr()
    }
}

/// Rules, each once.
#[derive(Default)]
struct Rules {
    rules: BTreeMap<(String, String), Candidate>,
    /// Rules that may hold everywhere, with the nodes that say so.
    lifted: BTreeMap<(String, String), (Candidate, u64)>,
}

impl Rules {
    fn add(&mut self, action: Option<Action>, support: u64) {
        let Some(action) = action else { return };
        let known = self.rules.entry(action.sides()).or_insert(Candidate { action, support: 0 });
        known.support = known.support.max(support);
    }

    fn lift(&mut self, action: Option<Action>, support: u64) {
        let Some(action) = action else { return };
        let (known, pairs) =
            self.lifted.entry(action.sides()).or_insert((Candidate { action, support: 0 }, 0));
        known.support += support;
        *pairs += 1;
    }

    fn candidates(self) -> Vec<Candidate> {
        let mut all = self.rules;
        let often = self.lifted.into_iter().filter(|(_, (_, pairs))| *pairs > 1);
        all.extend(often.map(|(sides, (candidate, _))| (sides, candidate)));
        let mut candidates: Vec<Candidate> = all.into_values().collect();
        candidates.sort_by_key(|candidate| std::cmp::Reverse(candidate.support));
        candidates
    }
}
