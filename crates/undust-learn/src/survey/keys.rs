//! Which URLs the rules of a site make equal.

use std::cmp::Reverse;
use std::collections::HashMap;

use undust::apply::{Canonicalizer, Form, Scratch};
use undust::rules::{RuleSet, SiteRules};
use undust::url::SiteBy;
use xxhash_rust::xxh3::xxh3_64;

use crate::site::Site;

/// A URL with what the rules make of it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Entry {
    /// A number for its key.
    pub(super) key: u32,
    pub(super) cluster: u32,
    pub(super) row: u32,
}

/// The URLs of a site by their keys.
pub(super) struct Merged {
    /// By key, then by cluster.
    entries: Vec<Entry>,
    /// The page that is kept under each key: the one that most of its URLs are of.
    kept: Vec<u32>,
    /// Whether rules say that a key is not fetched.
    skipped: Vec<bool>,
}

impl Merged {
    /// What these rules make of the site.
    pub(super) fn new(site: &Site, rules: &SiteRules, site_by: SiteBy) -> Merged {
        let set = RuleSet::of_site(&rules.site, site_by, rules.rules.clone());
        let (engine, mut scratch) = (Canonicalizer::of_rules(&set, Form::Key), Scratch::new());
        let (mut url, mut key, mut numbers, mut skipped) =
            (Vec::new(), Vec::new(), HashMap::new(), Vec::new());
        let entry = |row: u32| {
            url.clear();
            key.clear();
            site.write_url(row, &mut url);
            engine.canonicalize_into(&url, &mut scratch, &mut key);
            let number = *numbers.entry(xxh3_64(&key)).or_insert_with(|| {
                skipped.push(engine.skips(&key, &mut scratch).is_some());
                skipped.len() as u32 - 1
            });
            Entry { key: number, cluster: site.cluster(row), row }
        };
        let mut entries: Vec<Entry> = (0..site.len() as u32).map(entry).collect();
        entries.sort_unstable();
        let kept = entries.chunk_by(|a, b| a.key == b.key).map(majority).collect();
        Merged { entries, kept, skipped }
    }

    /// How many URLs are made equal to another one, and how many of the others are skipped.
    pub(super) fn spared(&self) -> (u64, u64) {
        let skipped = self.skipped.iter().filter(|is_skipped| **is_skipped).count();
        ((self.entries.len() - self.skipped.len()) as u64, skipped as u64)
    }

    /// The page kept under a key.
    pub(super) fn kept(&self, key: u32) -> u32 {
        self.kept[key as usize]
    }

    /// Whether a URL of this key is fetched.
    pub(super) fn is_fetched(&self, key: u32) -> bool {
        !self.skipped[key as usize]
    }

    /// The URLs of each key.
    pub(super) fn by_key(&self) -> impl Iterator<Item = &[Entry]> {
        self.entries.chunk_by(|a, b| a.key == b.key)
    }

    /// The URLs whose page is fetched under their key, by page and then by key.
    pub(super) fn fetched_by_cluster(&self) -> Vec<Entry> {
        let is_right = |entry: &&Entry| self.is_fetched(entry.key) && self.kept(entry.key) == entry.cluster;
        let mut right: Vec<Entry> = self.entries.iter().filter(is_right).copied().collect();
        right.sort_unstable_by_key(|entry| (entry.cluster, entry.key, entry.row));
        right
    }
}

/// The cluster that most are of, the first of several.
fn majority(entries: &[Entry]) -> u32 {
    let runs = entries.chunk_by(|a, b| a.cluster == b.cluster);
    let largest = runs.max_by_key(|run| (run.len(), Reverse(run[0].cluster)));
    largest.map_or(0, |run| run[0].cluster)
}
