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
mod split;
mod template;
mod tree;
mod view;

use std::collections::BTreeMap;

use undust::rules::Action;

use super::{Candidate, Learner, say};
use crate::site::Sample;
use duplicates::{Clusters, Pair};
use form::Form;
use operations::{Evidence, Finder};
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

impl Learner for PatternTree {
    fn name(&self) -> &'static str {
        "pattern-tree"
    }

    fn learn(&self, sample: &Sample) -> Vec<Candidate> {
        let view = View::new(sample);
        let tree = Tree::new(&view);
        let clusters = Clusters::new(&view);
        let pairs =
            duplicates::pairs(&tree, &clusters, self.min_overlap, self.min_overlap, self.min_support);
        let forms: Vec<Option<Form>> = tree.nodes.iter().map(|node| Form::new(&view, node)).collect();
        let leaves = tree.leaves();
        let mut rules = Rules::default();
        for pair in &pairs {
            let (s, t) = pair.nodes;
            let (Some(of_s), Some(of_t)) = (&forms[s as usize], &forms[t as usize]) else { continue };
            let evidence = Evidence::new(&view, &tree, &leaves, &clusters, pair);
            self.add_rules(&view, &evidence, of_s, of_t, pair, &mut rules);
            if s != t {
                self.add_rules(&view, &evidence.turned(), of_t, of_s, pair, &mut rules);
            }
        }
        rules.candidates()
    }
}

impl PatternTree {
    fn add_rules(
        &self,
        view: &View,
        evidence: &Evidence,
        source: &Form,
        target: &Form,
        pair: &Pair,
        rules: &mut Rules,
    ) {
        let Some(example) = evidence.target() else { return };
        let mut last = None;
        for max_differing in DIFFERING {
            let is_self = pair.nodes.0 == pair.nodes.1;
            let min_common = self.min_common;
            let finder = Finder { evidence, source, target, is_self, min_common, max_differing };
            let operations = finder.operations();
            let Some(operations) = operations.filter(|found| last.as_ref() != Some(found)) else { continue };
            let saying = Saying { view, source, operations: &operations, order: Order::Of(example) };
            if saying.says_nothing() {
                continue;
            }
            rules.add(saying.specific(), pair.support);
            rules.add(saying.general(), pair.support);
            rules.lift(saying.lifted(), pair);
            last = Some(operations);
        }
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

    fn lift(&mut self, action: Option<Action>, pair: &Pair) {
        let Some(action) = action else { return };
        let (known, pairs) = self.lifted.entry(action.sides()).or_insert((Candidate { action, support: 0 }, 0));
        known.support += pair.support;
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
