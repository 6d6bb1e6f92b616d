//! Phase 1 (Fig. 1), likely rules: substrings that share an envelope are a bucket; every likely similar pair in a small bucket
//! supports a rule.
//!
//! The paper's tables are strings in sorted files; here they are hashes of token strings, sorted in memory. Substrings are
//! taken by the place where they start, some places at a time, so that only a part of the tuples is held, and only of URLs
//! whose prefix and suffix some other URL has: a bucket of one supports nothing.

use rayon::prelude::*;

use super::Settings;
use super::tokens::{Tokens, mixed};
use crate::listing::Listing;

/// A pair of substrings, seen in URLs that are equal but for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Pair {
    /// A hash of both substrings.
    key: u64,
    /// A URL with the one, and one with the other.
    pub(super) urls: (u32, u32),
    /// Where the substrings start in both URLs, in tokens, and how long each is.
    pub(super) at: u16,
    pub(super) lengths: (u8, u8),
    /// How many pairs of URLs support the rule, in buckets of at most `t_low` and of at most `t_high`.
    pub(super) low: u32,
    pub(super) high: u32,
    /// How many pairs in buckets of at most `t_low` are unlike, and so do not support it.
    pub(super) unlike: u32,
}

/// A substring of a URL, by its envelope. What comparing two of them takes is all here: looking it up in both URLs would
/// fetch far memory for every pair.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Tuple {
    envelope: u64,
    url: u32,
    /// Where it starts and ends.
    at: u16,
    end: u16,
    /// Of the substring itself.
    hash: u64,
}

/// Number of tuples held in a pass (24 bytes each); more that start at one place are taken in parts.
const MAX_TUPLES_PER_PASS: usize = 1 << 22;
/// Number of tuples from which on there is work to share.
const MIN_PARALLEL_TUPLES: usize = 1 << 16;

/// Tuples are dealt by their envelopes into piles that are small enough to be sorted in a cache.
const PILES: usize = 256;

/// Number of tokens of a URL; those with more are no pages anybody links to, and would cost more than all others together.
const MAX_TOKENS: usize = 2000;

/// All pairs with enough support in buckets of at most `t_low`, in an order that depends on the list alone.
pub(super) fn likely_pairs(list: &Listing, settings: &Settings) -> Vec<Pair> {
    let phase = Phase::new(list, settings);
    let found: Vec<Vec<Pair>> = phase.passes().into_par_iter().map(|pass| phase.pairs(&pass)).collect();
    let mut pairs = Vec::with_capacity(found.iter().map(Vec::len).sum());
    for some in found {
        // One after the other, since most memory is here: each is let go of before the next is copied.
        pairs.extend_from_slice(&some);
    }
    add_up(&mut pairs);
    pairs.retain(|pair| u64::from(pair.low) >= settings.min_support);
    pairs
}

/// A part of the work: substrings that start at these places, and of those the part whose envelopes are in a part of all hashes.
struct Pass {
    places: std::ops::Range<usize>,
    part: u64,
    parts: u64,
}

struct Phase<'l> {
    list: &'l Listing,
    settings: &'l Settings,
    tokens: Tokens,
    /// For each URL, how many tokens of it are a prefix (a suffix) of some other URL too.
    shared_prefix: Vec<u32>,
    shared_suffix: Vec<u32>,
}

impl<'l> Phase<'l> {
    fn new(list: &'l Listing, settings: &'l Settings) -> Phase<'l> {
        let tokens = Tokens::new(list);
        let shared_prefix = shared(&tokens, |url, length| tokens.before(url, length));
        let shared_suffix = shared(&tokens, |url, length| tokens.from(url, tokens.len(url) - length));
        Phase { list, settings, tokens, shared_prefix, shared_suffix }
    }

    /// Where substrings that start at `at` may end.
    fn ends(&self, url: u32, at: usize) -> std::ops::RangeInclusive<usize> {
        let length = self.tokens.len(url);
        let suffix_start = length - self.shared_suffix[url as usize] as usize;
        suffix_start.max(at).max(1)..=length.min(at + self.settings.max_tokens)
    }

    /// The work, cut into passes of so many tuples that memory holds some, and that there is one for every thread.
    fn passes(&self) -> Vec<Pass> {
        let longest = self.shared_prefix.iter().copied().max().unwrap_or_default() as usize;
        let mut tuples = vec![0; longest + 1];
        for url in 0..self.tokens.urls() {
            let places = self.shared_prefix[url as usize] as usize + 1;
            for (at, tuples) in tuples[..places].iter_mut().enumerate() {
                *tuples += self.ends(url, at).count();
            }
        }
        let fair = tuples.iter().sum::<usize>() / (4 * rayon::current_num_threads());
        let most = fair.clamp(MIN_PARALLEL_TUPLES, MAX_TUPLES_PER_PASS);
        let mut passes: Vec<Pass> = Vec::new();
        let mut held = most;
        for (at, &tuples) in tuples.iter().enumerate() {
            let parts = tuples.div_ceil(most) as u64;
            held += tuples;
            match passes.last_mut() {
                Some(pass) if held <= most => pass.places.end = at + 1,
                _ => {
                    held = tuples;
                    passes.extend((0..parts).map(|part| Pass { places: at..at + 1, part, parts }));
                }
            }
        }
        passes
    }

    /// The pairs of one pass.
    fn pairs(&self, pass: &Pass) -> Vec<Pair> {
        let mut piles: Vec<Vec<Tuple>> = vec![Vec::new(); PILES];
        for url in 0..self.tokens.urls() {
            let places =
                pass.places.start..pass.places.end.min(self.shared_prefix[url as usize] as usize + 1);
            for at in places {
                self.add_tuples(url, at, pass, &mut piles);
            }
        }
        let mut pairs = Vec::new();
        for mut tuples in piles {
            tuples.sort_unstable();
            for bucket in tuples.chunk_by(|a, b| a.envelope == b.envelope) {
                if (2..=self.settings.t_high).contains(&bucket.len()) {
                    self.add_bucket(bucket, &mut pairs);
                }
            }
        }
        add_up(&mut pairs);
        pairs.shrink_to_fit();
        pairs
    }

    /// The substrings of `url` that start at `at`. The whole bucket is in one part, and in one pile.
    fn add_tuples(&self, url: u32, at: usize, pass: &Pass, piles: &mut [Vec<Tuple>]) {
        let prefix = self.tokens.before(url, at);
        for end in self.ends(url, at) {
            let envelope = mixed(prefix, self.tokens.from(url, end));
            if part_of(envelope, pass.parts) == pass.part {
                let hash = self.tokens.between(url, at, end);
                let tuple = Tuple { envelope, url, at: at as u16, end: end as u16, hash };
                piles[part_of(envelope, PILES as u64) as usize].push(tuple);
            }
        }
    }

    fn add_bucket(&self, bucket: &[Tuple], pairs: &mut Vec<Pair>) {
        let at = usize::from(bucket[0].at);
        let low = u32::from(bucket.len() <= self.settings.t_low);
        for (i, one) in bucket.iter().enumerate() {
            for other in &bucket[i + 1..] {
                if self.is_counted(at, one, other) {
                    continue;
                }
                let pair = pair(at, one, other);
                if self.settings.similar.likely(self.list.seen(one.url), self.list.seen(other.url)) {
                    pairs.push(Pair { low, high: 1, ..pair });
                } else if low > 0 {
                    pairs.push(Pair { unlike: 1, ..pair });
                }
            }
        }
    }

    /// Whether two URLs support this rule further to the left too: then they are counted there. `a.` for nothing makes
    /// `a.a.` of `a.a.a.` in three places, but that is one instance. It takes a period that divides the difference in
    /// length; substrings of equal length cannot do it.
    fn is_counted(&self, at: usize, one: &Tuple, other: &Tuple) -> bool {
        let (a, b) = (one.end as usize, other.end as usize);
        let difference = a.abs_diff(b);
        (1..=difference.min(at)).filter(|period| difference % period == 0).any(|period| {
            let moved = |tuple: &Tuple| {
                let end = tuple.end as usize;
                self.tokens.between(tuple.url, at - period, end - period) == tuple.hash
            };
            moved(one)
                && moved(other)
                && self.tokens.from(one.url, a - period) == self.tokens.from(other.url, b - period)
        })
    }
}

/// The pair of two substrings that start at `at`, without support.
fn pair(at: usize, one: &Tuple, other: &Tuple) -> Pair {
    let length = |tuple: &Tuple| (tuple.end as usize - at) as u8;
    let (mut a, mut b) = (one, other);
    if a.hash > b.hash {
        (a, b) = (b, a);
    }
    Pair {
        key: mixed(a.hash, b.hash),
        urls: (a.url, b.url),
        at: at as u16,
        lengths: (length(a), length(b)),
        low: 0,
        high: 0,
        unlike: 0,
    }
}

/// In which of `parts` a hash is: a multiplication, where a division would cost as much as all else.
fn part_of(hash: u64, parts: u64) -> u64 {
    ((u128::from(hash) * u128::from(parts)) >> 64) as u64
}

/// Add up the support of equal pairs. The one with the least URLs stands for all: it does not depend on how the work was cut.
fn add_up(pairs: &mut Vec<Pair>) {
    pairs.par_sort_unstable();
    pairs.dedup_by(|again, first| {
        let same = again.key == first.key;
        if same {
            first.low += again.low;
            first.high += again.high;
            first.unlike += again.unlike;
        }
        same
    });
}

/// For each URL, the greatest length at which `hash_of` (of its first or last tokens) is that of some other URL too. What is shared at
/// one length is shared at all lesser ones, so that URLs drop out for good.
fn shared(tokens: &Tokens, hash_of: impl Fn(u32, usize) -> u64) -> Vec<u32> {
    let mut shared = vec![0; tokens.urls() as usize];
    let mut left: Vec<u32> = (0..tokens.urls()).filter(|&url| tokens.len(url) <= MAX_TOKENS).collect();
    for length in 1.. {
        let long = left.iter().filter(|&&url| tokens.len(url) > length);
        let mut hashes: Vec<(u64, u32)> = long.map(|&url| (hash_of(url, length), url)).collect();
        hashes.sort_unstable();
        left.clear();
        for equal in hashes.chunk_by(|a, b| a.0 == b.0).filter(|equal| equal.len() > 1) {
            left.extend(equal.iter().map(|(_, url)| url));
        }
        // Memory is read in order again.
        left.sort_unstable();
        for &url in &left {
            shared[url as usize] = length as u32;
        }
        if left.is_empty() {
            break;
        }
    }
    shared
}
