//! The partition of a site's URLs by canonical key.

use crate::site::{FOLDS, Site};

/// How many URLs of a cluster a key holds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Count {
    pub(super) cluster: u32,
    by_fold: [u32; FOLDS as usize],
    /// The key's next count.
    next: u32,
}

/// No count follows.
const NONE: u32 = u32::MAX;

impl Count {
    fn one(site: &Site, row: u32) -> Count {
        let mut by_fold = [0; FOLDS as usize];
        by_fold[site.fold(row) as usize] = 1;
        Count { cluster: site.cluster(row), by_fold, next: NONE }
    }

    pub(super) fn total(&self) -> u64 {
        self.by_fold.iter().map(|&n| u64::from(n)).sum()
    }

    pub(super) fn add(&mut self, other: &Count) {
        self.by_fold.iter_mut().zip(other.by_fold).for_each(|(a, b)| *a += b);
    }

    /// Those in `folds`, a set of bits.
    pub(super) fn within(&self, folds: u32) -> u64 {
        (0..FOLDS).zip(self.by_fold).map(|(fold, n)| u64::from(n) * u64::from(folds >> fold & 1)).sum()
    }
}

/// The URLs behind each key, by cluster: a chain of counts for each key. There are never more counts than URLs, and moving
/// a key moves links.
#[derive(Default)]
pub(super) struct Groups {
    /// The first count of each key, where there is one.
    first: Vec<u32>,
    counts: Vec<Count>,
}

impl Groups {
    /// Every URL for itself: the key of each is its row.
    pub(super) fn reset(&mut self, site: &Site) {
        let rows = site.len() as u32;
        self.first.clear();
        self.first.extend(0..rows);
        self.counts.clear();
        self.counts.extend((0..rows).map(|row| Count::one(site, row)));
    }

    /// Whether no URL has this key.
    pub(super) fn is_empty(&self, key: u32) -> bool {
        self.first(key) == NONE
    }

    fn first(&self, key: u32) -> u32 {
        self.first.get(key as usize).copied().unwrap_or(NONE)
    }

    /// The counts of a key, each of another cluster, in no order that means anything.
    pub(super) fn of(&self, key: u32) -> impl Iterator<Item = &Count> {
        let count = |at: u32| self.counts.get(at as usize);
        std::iter::successors(count(self.first(key)), move |c| count(c.next))
    }

    /// Give the URLs of one key to another.
    pub(super) fn merge(&mut self, from: u32, to: u32) {
        if self.first.len() <= to as usize {
            self.first.resize(to as usize + 1, NONE);
        }
        let mut at = std::mem::replace(&mut self.first[from as usize], NONE);
        while at != NONE {
            let moved = self.counts[at as usize];
            match self.find(to, moved.cluster) {
                Some(known) => self.counts[known as usize].add(&moved),
                None => {
                    self.counts[at as usize].next = std::mem::replace(&mut self.first[to as usize], at);
                }
            }
            at = moved.next;
        }
    }

    fn find(&self, key: u32, cluster: u32) -> Option<u32> {
        let mut at = self.first(key);
        while at != NONE && self.counts[at as usize].cluster != cluster {
            at = self.counts[at as usize].next;
        }
        (at != NONE).then_some(at)
    }
}
