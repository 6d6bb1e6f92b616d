//! Proposals of skips, from the pages of some folds.

use std::collections::{BTreeMap, HashMap};

use undust::rules::{Action, Rule};

use super::Keys;
use super::choice::Reached;
use super::shapes::{Shapes, structure};
use super::thresholds::{MAX_PROPOSED_LOSS, MIN_SKIPPED_URLS};
use crate::site::{ALL_FOLDS, FOLDS};

/// A proposed skip.
pub(super) struct SkipProposal {
    pub(super) action: Action,
    /// The keys that it skips, in order.
    pub(super) members: Vec<usize>,
    /// The folds whose pages had no part in proposing it, a set of bits.
    pub(super) unseen: u32,
}

/// Shapes that look redundant, each proposed from the pages of three folds.
pub(super) fn propose(keys: &Keys, reached: &Reached, max_fpr: f64) -> Vec<SkipProposal> {
    let shapes = Shapes::new(keys);
    let mut unseen: BTreeMap<_, u32> = BTreeMap::new();
    for fold in 0..FOLDS {
        let sample = ALL_FOLDS & !(1 << fold);
        for (shape, members) in shapes.without(keys, fold) {
            let seen = reached.try_out(keys, &members, sample, ALL_FOLDS).seen;
            if seen.lost as f64 <= MAX_PROPOSED_LOSS * max_fpr * seen.trials as f64 {
                *unseen.entry(shape).or_default() |= 1 << fold;
            }
        }
    }
    let mut of_structure: HashMap<u64, Vec<usize>> = HashMap::new();
    for (at, key) in keys.all.iter().enumerate() {
        of_structure.entry(structure(&key.url)).or_default().push(at);
    }
    let mut proposals = Vec::new();
    for (shape, unseen) in unseen {
        let Some(action) = shape.skip() else { continue };
        // A skip says which components and parameters there are: it need not be tried on other URLs.
        let alike = of_structure.get(&shape.structure()).into_iter().flatten().copied();
        let members = keys.skipped_among(&Rule::new(action.clone()), alike);
        if members.len() >= MIN_SKIPPED_URLS && members.len() * 2 < keys.all.len() {
            proposals.push(SkipProposal { action, members, unseen });
        }
    }
    proposals
}
