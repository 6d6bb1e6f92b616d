//! Candidates that match the same URLs and print fixed text. Behind a login wall or an error page, each of its URLs is proposed
//! as what all the others become; one such candidate is run, and the others follow it.

use std::cell::Cell;
use std::collections::HashMap;

use undust::rules::{Action, Template};

use super::Proposal;

/// Which candidates follow which.
#[derive(Default)]
pub(super) struct Alike {
    /// Of candidates that match the same URLs, the first; `None` for itself and for all that print no fixed text.
    leaders: Vec<Option<u32>>,
    followers: Vec<Vec<u32>>,
    /// What each candidate prints, once that is known.
    prints: Vec<Cell<Option<u32>>>,
}

impl Alike {
    pub(super) fn new(proposals: &[Proposal]) -> Alike {
        let mut alike = Alike {
            leaders: vec![None; proposals.len()],
            followers: vec![Vec::new(); proposals.len()],
            prints: vec![Cell::new(None); proposals.len()],
        };
        let mut first: HashMap<&Template, u32> = HashMap::new();
        for (candidate, proposal) in (0..).zip(proposals) {
            if let Action::Rewrite(rewrite) = &proposal.candidate.action
                && rewrite.becomes().is_fixed()
            {
                let leader = *first.entry(rewrite.matches()).or_insert(candidate);
                if leader != candidate {
                    alike.leaders[candidate as usize] = Some(leader);
                    alike.followers[leader as usize].push(candidate);
                }
            }
        }
        alike
    }

    /// Whether what `candidate` does to `key` will be told by [`Alike::note`]. Its leader says nothing of what it prints itself.
    pub(super) fn follows(&self, candidate: u32, key: u32) -> bool {
        let leader = self.leaders.get(candidate as usize).copied().flatten();
        let leads = |leader: u32| self.prints[leader as usize].get().is_some_and(|printed| printed != key);
        leader.is_some_and(leads) && self.prints[candidate as usize].get().is_some()
    }

    /// Note that `candidate` made `after` of a URL, and tell what its followers make of it.
    pub(super) fn note(&self, candidate: u32, after: u32, mut tell: impl FnMut(u32, u32)) {
        let Some(prints) = self.prints.get(candidate as usize) else { return };
        prints.set(Some(after));
        for &follower in &self.followers[candidate as usize] {
            if let Some(after) = self.prints[follower as usize].get() {
                tell(follower, after);
            }
        }
    }
}
