//! What operations make of the URLs of a node, counted: which become equal, and which of these are of different pages.
//!
//! A URL is a sum of hashes of its tokens here, so that what becomes of it is known by a few additions, and whether such a URL exists by
//! one lookup. The order of parameters is not in it.

use hashbrown::HashMap;

use super::form::{Row, Slot};
use super::operations::{Operation, Step, TargetRow};
use super::tree::{KeyUse, Node};
use super::view::{Key, Token, View};
use crate::evaluate::{pairs, share};

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
/// Number of URLs checked first. Proofing stops there if [`MIN_HOPELESS_PAIRS`] pairs or more are at least [`HOPELESS_FPR`] wrong.
const FIRST_URLS: usize = 1 << 9;
const MIN_HOPELESS_PAIRS: u64 = 32;
const HOPELESS_FPR: f64 = 0.5;
/// Number of URLs, about, whose result is counted; of more, only those whose hash falls into a part.
const MAX_URLS: usize = 1 << 14;

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

    /// The URL as a hash; the order of its parameters is not in it.
    pub(super) fn hash(&self, url: u32) -> u64 {
        self.hashes[url as usize]
    }

    /// What becomes of URLs that differ in the order of parameters alone, if they are made equal.
    pub(super) fn of_order(&self) -> Counts {
        let results = (0..).zip(&self.hashes).map(|(url, &hash)| (hash, self.view.cluster(url)));
        Counts::of(results.collect(), |_| None)
    }

    /// What becomes of the URLs of these nodes. Of many, only those are counted that become what falls into a part, so that those that
    /// become equal stay together.
    pub(super) fn counts(&self, nodes: &[&Node], run: &Run) -> Counts {
        let total: usize = nodes.iter().map(|node| node.urls.len()).sum();
        let urls = || nodes.iter().flat_map(|node| node.urls.clone());
        // Most rules are of no use; a look at some URLs tells.
        let some = self.counts_of(urls().step_by(total.div_ceil(FIRST_URLS).max(1)), 1, run);
        if total <= FIRST_URLS || some.pairs >= MIN_HOPELESS_PAIRS && some.fpr() > HOPELESS_FPR {
            return some;
        }
        let parts = (total / MAX_URLS + 1) as u64;
        let counts = self.counts_of(urls(), parts, run);
        Counts { pairs: counts.pairs * parts, wrong: counts.wrong * parts }
    }

    fn counts_of(&self, urls: impl Iterator<Item = u32>, parts: u64, run: &Run) -> Counts {
        let become_of = |url: u32| {
            let result = run.result(self.view, url)?;
            let is_part = result != self.hash(url) && (result >> 32) % parts == 0;
            is_part.then(|| (result, self.view.cluster(url)))
        };
        Counts::of(urls.filter_map(become_of).collect(), |hash| self.pages.get(&hash).copied())
    }
}

/// A rule, ready to be run.
pub(super) struct Run {
    /// The parts that a URL must have. Those of one value stand first.
    required: Vec<Slot>,
    /// The number of the empty value.
    empty: Option<u32>,
    /// The sum of what is the same for all URLs.
    fixed: u64,
    /// Which value goes to which key.
    replaced: Vec<(u32, Key)>,
    host: Option<Moved>,
    path: Option<Moved>,
    others: Option<bool>,
    /// Parameters that must not be there.
    absent: Vec<u32>,
}

/// What becomes of parts that are not named.
#[derive(Clone, Copy)]
enum Moved {
    Dropped,
    /// They stand behind so many others, and then behind so many.
    Behind(u16, u16),
}

impl Run {
    pub(super) fn new(view: &View, step: &Step) -> Run {
        let Step { source, operations } = step;
        let mut required: Vec<Slot> = source.slots().copied().collect();
        required.sort_by_key(|slot| (slot.value.is_none(), std::cmp::Reverse(view.keys[slot.key as usize])));
        let (mut fixed, mut replaced) = (0u64, Vec::new());
        for target in operations.targets() {
            let key = view.keys[target.key as usize];
            match target.operation {
                Operation::Keep(value) => fixed = fixed.wrapping_add(hash(key, value)),
                Operation::Ignore => fixed = fixed.wrapping_add(hash(key, STAR)),
                Operation::Replace(from) => replaced.push((from, key)),
            }
        }
        Run {
            required,
            empty: view.site.find_value(b""),
            fixed,
            replaced,
            host: Moved::new(&source.host, &operations.host),
            path: Moved::new(&source.path, &operations.path),
            others: source.others.then_some(operations.others),
            absent: step.absent().collect(),
        }
    }

    /// Whether some URL of the node may be of the form: most can be told by what they have in common.
    pub(super) fn may_speak_of(&self, view: &View, node: &Node) -> bool {
        let all = node.urls.end - node.urls.start;
        let may_have = |slot: &Slot| {
            let found = node.uses.iter().find(|of| of.key == slot.key);
            found.is_some_and(|of| of.of_main < of.urls || self.allows(slot, of.main))
        };
        let is_allowed = |of: &KeyUse| {
            of.urls < all
                || self.required.iter().any(|slot| slot.key == of.key)
                || self.rest(view, of.key, of.main).is_some()
        };
        self.required.iter().all(may_have) && node.uses.iter().all(is_allowed)
    }

    /// The hash of what becomes of a URL; nothing if it is not of the form.
    pub(super) fn result(&self, view: &View, url: u32) -> Option<u64> {
        for slot in &self.required {
            if !self.allows(slot, view.value(url, slot.key)?) {
                return None;
            }
        }
        let mut sum = self.fixed;
        for &(from, to) in &self.replaced {
            sum = sum.wrapping_add(hash(to, view.value(url, from)?));
        }
        let tokens = view.tokens(url);
        if tokens.len() > self.required.len() {
            let is_named = |token: &Token| self.required.iter().any(|slot| slot.key == token.key);
            for token in tokens.iter().filter(|token| !is_named(token)) {
                sum = sum.wrapping_add(self.rest(view, token.key, token.value)?);
            }
        }
        Some(sum)
    }

    /// Whether a part may have this value.
    fn allows(&self, slot: &Slot, value: u32) -> bool {
        match slot.value {
            Some(only) => only == value,
            None => slot.may_be_empty || Some(value) != self.empty,
        }
    }

    /// What a part that is not named adds; nothing if there may be none.
    fn rest(&self, view: &View, key: u32, value: u32) -> Option<u64> {
        let moved = |n: u16, moved: Moved, to: fn(u16) -> Key| match moved {
            Moved::Dropped => 0,
            Moved::Behind(before, now) => hash(to(n.saturating_sub(before) + now), value),
        };
        if self.absent.contains(&key) {
            return None;
        }
        let key = view.keys[key as usize];
        match key {
            Key::Label(n) => Some(moved(n, self.host?, Key::Label)),
            Key::Component(n) => Some(moved(n, self.path?, Key::Component)),
            Key::Param(_) => Some(if self.others? { hash(key, value) } else { 0 }),
            Key::Scheme | Key::Port => None,
        }
    }
}

impl Moved {
    fn new(row: &Row, target: &TargetRow) -> Option<Moved> {
        let behind = Moved::Behind(row.slots.len() as u16, target.targets.len() as u16);
        row.is_open.then_some(if target.rest { behind } else { Moved::Dropped })
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
    /// Of URLs that become these, each with its page; `there` tells the page of what exists.
    fn of(mut results: Vec<(u64, u32)>, there: impl Fn(u64) -> Option<u32>) -> Counts {
        results.sort_unstable();
        let mut counts = Counts::default();
        for same in results.chunk_by(|a, b| a.0 == b.0) {
            counts.add(same, there(same[0].0));
        }
        counts
    }

    /// Add URLs that become equal, ordered by page, and the page of the URL that already is what they become.
    fn add(&mut self, same: &[(u64, u32)], there: Option<u32>) {
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
