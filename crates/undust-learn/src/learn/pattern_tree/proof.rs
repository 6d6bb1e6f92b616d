//! What operations make of the URLs of a node, counted: which become equal, and which of these are of different pages.
//!
//! A URL is a sum of hashes of its tokens here, so that what becomes of it is known by a few additions, and whether such a URL exists by
//! one lookup. The order of parameters is not in it.

use hashbrown::HashMap;

use super::form::{Form, Row};
use super::operations::{Operation, Operations, TargetRow};
use super::view::{Key, Token, View};
use crate::evaluate::share;

/// A rule as operations on the URLs of one form.
pub(super) struct Step {
    pub(super) source: Form,
    pub(super) operations: Operations,
}

/// Pairs of URLs that are made equal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) pairs: u64,
    pub(super) wrong: u64,
}

/// All URLs by their hashes.
pub(super) struct Proof<'v, 's> {
    view: &'v View<'s>,
    hashes: Vec<u64>,
    /// The page of the first URL of each hash.
    pages: HashMap<u64, u32>,
}

/// The value that stands for any.
const STAR: u32 = u32::MAX;
/// Of so many URLs about, what becomes of them is counted; of more, only those whose hash falls into a part.
const MOST_URLS: usize = 1 << 14;

impl<'v, 's> Proof<'v, 's> {
    pub(super) fn new(view: &'v View<'s>) -> Proof<'v, 's> {
        let urls = 0..view.len() as u32;
        let hash = |url: u32| {
            view.tokens(url).iter().fold(0, |sum: u64, token| sum.wrapping_add(hash_of(view, *token)))
        };
        let hashes: Vec<u64> = urls.clone().map(hash).collect();
        let mut pages = HashMap::with_capacity(hashes.len());
        for url in urls {
            pages.entry(hashes[url as usize]).or_insert_with(|| view.cluster(url));
        }
        Proof { view, hashes, pages }
    }

    /// What becomes of these URLs. URLs are sampled by what becomes of them, so that those that become equal stay together.
    pub(super) fn counts(&self, urls: &[u32], step: &Step) -> Counts {
        let parts = (urls.len() / MOST_URLS + 1) as u64;
        let become_of = |&url: &u32| {
            let result = self.result(url, step)?;
            let is_part = result != self.hashes[url as usize] && (result >> 32) % parts == 0;
            is_part.then(|| (result, self.view.cluster(url)))
        };
        let mut results: Vec<(u64, u32)> = urls.iter().filter_map(become_of).collect();
        results.sort_unstable();
        let mut counts = Counts::default();
        for same in results.chunk_by(|a, b| a.0 == b.0) {
            counts.add(same, self.pages.get(&same[0].0).copied());
        }
        counts
    }

    /// The hash of what becomes of a URL; nothing if it is not of the form.
    pub(super) fn result(&self, url: u32, step: &Step) -> Option<u64> {
        let Step { source, operations } = step;
        let view = self.view;
        let mut sum: u64 = 0;
        let mut add = |key: Key, value: u32| sum = sum.wrapping_add(hash(key, value));
        let mut named = 0;
        for slot in source.slots() {
            let value = view.value(url, slot.key)?;
            if slot.value.is_some_and(|only| only != value) {
                return None;
            }
            named += 1;
        }
        for target in operations.targets() {
            let value = match target.operation {
                Operation::Keep(value) => value,
                Operation::Replace(key) => view.value(url, key)?,
                Operation::Ignore => STAR,
            };
            add(view.keys[target.key as usize], value);
        }
        let tokens = view.tokens(url);
        if tokens.len() > named {
            let is_named = |token: &Token| source.slots().any(|slot| slot.key == token.key);
            for token in tokens.iter().filter(|token| !is_named(token)) {
                let to = rest(view.keys[token.key as usize], source, operations)?;
                if let Some(key) = to {
                    add(key, token.value);
                }
            }
        }
        Some(sum)
    }
}

/// Where a part goes that the form does not name: nowhere, or, if the form does not allow it, nothing.
#[expect(clippy::option_option, reason = "a part that is left out is not one that is not allowed")]
fn rest(key: Key, source: &Form, operations: &Operations) -> Option<Option<Key>> {
    let moved = |n: u16, row: &Row, target: &TargetRow| {
        let place = usize::from(n) + target.targets.len() - row.slots.len().min(usize::from(n));
        target.rest.then_some(place as u16)
    };
    match key {
        Key::Label(n) if source.host.is_open => {
            Some(moved(n, &source.host, &operations.host).map(Key::Label))
        }
        Key::Component(n) if source.path.is_open => {
            Some(moved(n, &source.path, &operations.path).map(Key::Component))
        }
        Key::Param(_) if source.others => Some(operations.others.then_some(key)),
        _ => None,
    }
}

fn hash_of(view: &View, token: Token) -> u64 {
    hash(view.keys[token.key as usize], token.value)
}

fn hash(key: Key, value: u32) -> u64 {
    let key = match key {
        Key::Scheme => 0,
        Key::Port => 1,
        Key::Label(n) => 2 + (u64::from(n) << 2),
        Key::Component(n) => 3 + (u64::from(n) << 2),
        Key::Param(n) => u64::from(n) << 2 | 1 << 34,
    };
    // The finalizer of splitmix64.
    let mut z = (key << 32 ^ u64::from(value)).wrapping_add(key.wrapping_mul(0x9E37_79B9_7F4A_7C15));
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

impl Counts {
    /// Add URLs that become equal, ordered by page, and the page of the URL that already is what they become.
    fn add(&mut self, same: &[(u64, u32)], there: Option<u32>) {
        let pairs = |n: u64| n * n.saturating_sub(1) / 2;
        let all = pairs(same.len() as u64 + u64::from(there.is_some()));
        let of_page = |page: &[(u64, u32)]| pairs(page.len() as u64 + u64::from(there == Some(page[0].1)));
        let right: u64 = same.chunk_by(|a, b| a.1 == b.1).map(of_page).sum();
        self.pairs += all;
        self.wrong += all - right;
    }

    /// The share of wrong pairs; of none, all are.
    pub(super) fn fpr(&self) -> f64 {
        share(self.wrong, self.pairs, 1.0)
    }
}
