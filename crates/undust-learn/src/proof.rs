//! Proofing (WWW 2010, section 5.2.3): what each candidate by itself does to the labelled URLs it was learned from, and how many of their
//! labels are wrong.

mod noise;

use crate::changes::{Changes, engine};
use crate::evaluate::share;
use crate::learn::Candidate;
use crate::site::Sample;
pub use noise::Noise;

/// What a rule by itself does to the URLs learned from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Proof {
    /// URLs that it changes: the paper's support.
    pub changed: u64,
    /// Pairs of URLs that it makes equal.
    pub pairs: u64,
    /// Of these, pairs of different pages.
    pub wrong_pairs: u64,
    /// URLs less, when those made equal count as one.
    pub saved: u64,
}

impl Proof {
    /// The false-positive rate, noise of labels included.
    pub fn fpr(&self) -> f64 {
        share(self.wrong_pairs, self.pairs, 1.0)
    }
}

/// What each candidate by itself does to the URLs of `sample`.
pub fn proofs(sample: &Sample, candidates: &[Candidate]) -> (Vec<Proof>, Changes) {
    let mut proofs = vec![Proof::default(); candidates.len()];
    let engine = engine(candidates.iter().map(|candidate| &candidate.action));
    let changes = Changes::of_each_rule(sample, &engine);
    for (rule, merged) in changes.by_rule() {
        let proof = &mut proofs[rule as usize];
        for merged in merged {
            proof.changed += merged.changed();
            proof.pairs += merged.pairs();
            proof.wrong_pairs += merged.pairs() - merged.right_pairs();
            proof.saved += merged.urls() - 1;
        }
    }
    (proofs, changes)
}
