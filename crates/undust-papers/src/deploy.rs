//! Which candidates are fit to be deployed together, by the URLs they were learned from (WWW 2010, sections 5.2.3 and 5.3).
//!
//! [`undust_learn::select`] asks URLs that the learner did not see; this one does what the paper does: each rule is run on the whole
//! of what was learned from (*proofing*), rules with too many false positives are dropped, and of those that are left a set
//! without conflicts is chosen. It works on the candidates of any learner.

mod compose;
mod energy;
mod graph;
mod naive;
mod partition;
mod pattern;
mod rules;
#[cfg(test)]
mod tests;
mod vertices;

use serde::Serialize;
use undust::rules::Action;
use undust::url::SiteBy;

pub use compose::then;
use rules::{Rules, checked};
use undust_learn::learn::Candidate;
use undust_learn::proof::{Noise, Proof, proofs};
use undust_learn::site::Sample;
use vertices::Vertices;

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

/// Candidates, and what each does.
pub struct Proofed<'c> {
    sample: &'c Sample<'c>,
    candidates: &'c [Candidate],
    proofs: Vec<Proof>,
    noise: Noise,
}

impl<'c> Proofed<'c> {
    /// Run each of `candidates` on all of `sample`.
    pub fn new(sample: &'c Sample<'c>, candidates: &'c [Candidate]) -> Proofed<'c> {
        let (proofs, changes) = proofs(sample, candidates);
        let noise = Noise::of(sample, candidates, &proofs, &changes);
        Proofed { sample, candidates, proofs, noise }
    }

    /// What each candidate does, by its place.
    pub fn proofs(&self) -> &[Proof] {
        &self.proofs
    }

    /// How many labels are taken to be wrong.
    pub fn noise(&self) -> Noise {
        self.noise
    }

    /// The false-positive rate of a candidate, less what noise explains.
    pub fn fpr(&self, at: usize) -> f64 {
        self.noise.fpr(self.proofs[at].pairs, self.proofs[at].wrong_pairs)
    }

    /// The candidates that make some URLs equal and whose false-positive rate is at most `max_fpr`, by their places.
    pub fn qualified(&self, max_fpr: f64) -> Vec<usize> {
        let is_fit = |&at: &usize| self.proofs[at].pairs > 0 && self.fpr(at) <= max_fpr;
        (0..self.proofs.len()).filter(is_fit).collect()
    }

    /// Rules that change URLs and make none equal, each once, ordered by what they say.
    fn silent(&self) -> Vec<&'c Action> {
        let is_silent = |proof: &Proof| proof.changed > 0 && proof.pairs == 0;
        let proofed = self.candidates.iter().zip(&self.proofs);
        let mut silent: Vec<&Action> =
            proofed.filter(|(_, proof)| is_silent(proof)).map(|(candidate, _)| &candidate.action).collect();
        silent.sort_by_cached_key(|action| action.sides());
        silent.dedup();
        silent
    }

    /// The rules to deploy on the site `name`, in the order in which they are to be applied. They pass `undust::apply::check`.
    pub fn deploy(&self, max_fpr: f64, strategy: Strategy, name: &str, site_by: SiteBy) -> Vec<Action> {
        let rules = Rules::new(self, max_fpr);
        let vertices = Vertices::new(self.sample, rules.actions());
        match strategy {
            Strategy::Naive => {
                let chosen = naive::choose(&rules, &vertices);
                checked(chosen.into_iter().map(|rule| rules.action(rule).clone()).collect(), name, site_by)
            }
            Strategy::Graph => graph::choose(self, &rules, &vertices, max_fpr, (name, site_by)),
        }
    }
}
