//! Phase 1 (Fig. 1), likely rules: substrings that share an envelope are a bucket; every likely similar pair in a small bucket
//! supports a rule.
//!
//! The paper's tables are strings in sorted files; here they are hashes of token strings, sorted in memory. Envelopes are
//! taken by the length of their prefix, one length after the other, so that only the tuples of one length are held, and
//! only of URLs whose prefix and suffix some other URL has: a bucket of one supports nothing.

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

/// A substring of a URL, by its envelope.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Tuple {
    envelope: u64,
    url: u32,
    /// Where it ends; where it starts is the length of the prefix.
    end: u32,
}

/// So many tuples are sorted at once (16 bytes each); more of one prefix length are taken in parts.
const MOST_TUPLES: usize = 1 << 24;

/// Tuples are dealt by their envelopes into piles (a power of two) that are sorted where they fit a cache.
const PILES: usize = 128;

/// URLs with more tokens than this are no pages anybody links to, and would cost more than all others together.
const MOST_TOKENS: usize = 2000;

/// All pairs with enough support, by `t_low`, most of it first.
pub(super) fn likely_pairs(list: &Listing, settings: &Settings) -> Vec<Pair> {
    let phase = Phase::new(list, settings);
    let longest = phase.shared_prefix.iter().copied().max().unwrap_or_default();
    // The whole URL is no substring that could stand for another one.
    let passes: Vec<(usize, u64, u64)> = (0..=longest as usize).flat_map(|at| phase.parts(at)).collect();
    let found: Vec<Vec<Pair>> =
        passes.into_par_iter().map(|(at, part, parts)| phase.pairs(at, part, parts)).collect();
    let mut pairs = found.concat();
    add_up(&mut pairs);
    pairs.retain(|pair| u64::from(pair.low) >= settings.min_support);
    pairs
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

    /// URLs that have something to say about prefixes of `at` tokens.
    fn urls(&self, at: usize) -> impl Iterator<Item = u32> + '_ {
        (0..self.tokens.urls()).filter(move |&url| self.shared_prefix[url as usize] as usize >= at)
    }

    /// Where substrings that start at `at` may end.
    fn ends(&self, url: u32, at: usize) -> std::ops::RangeInclusive<usize> {
        let length = self.tokens.len(url);
        let suffix_start = length - self.shared_suffix[url as usize] as usize;
        suffix_start.max(at).max(1)..=length.min(at + self.settings.max_tokens)
    }

    /// In how many parts to take the substrings that start at `at`.
    fn parts(&self, at: usize) -> impl Iterator<Item = (usize, u64, u64)> + use<> {
        let tuples: usize = self.urls(at).map(|url| self.ends(url, at).count()).sum();
        let parts = tuples.div_ceil(MOST_TUPLES) as u64;
        (0..parts).map(move |part| (at, part, parts))
    }

    /// The pairs of one part.
    fn pairs(&self, at: usize, part: u64, parts: u64) -> Vec<Pair> {
        let mut piles: Vec<Vec<Tuple>> = vec![Vec::new(); PILES];
        for url in self.urls(at) {
            let prefix = self.tokens.before(url, at);
            // The whole bucket is in one part, since its URLs share the prefix and the suffix.
            for end in self.ends(url, at) {
                let envelope = mixed(prefix, self.tokens.from(url, end));
                if envelope % parts == part {
                    let pile = (envelope >> (u64::BITS - PILES.ilog2())) as usize;
                    piles[pile].push(Tuple { envelope, url, end: end as u32 });
                }
            }
        }
        let mut pairs = Vec::new();
        for mut tuples in piles {
            tuples.sort_unstable();
            for bucket in tuples.chunk_by(|a, b| a.envelope == b.envelope) {
                if (2..=self.settings.t_high).contains(&bucket.len()) {
                    self.add_bucket(at, bucket, &mut pairs);
                }
            }
        }
        add_up(&mut pairs);
        pairs
    }

    fn add_bucket(&self, at: usize, bucket: &[Tuple], pairs: &mut Vec<Pair>) {
        let low = u32::from(bucket.len() <= self.settings.t_low);
        for (i, one) in bucket.iter().enumerate() {
            for other in &bucket[i + 1..] {
                if self.is_counted(at, one, other) {
                    continue;
                }
                let pair = self.pair(at, one, other);
                if self.settings.similar.likely(self.list.seen(one.url), self.list.seen(other.url)) {
                    pairs.push(Pair { low, high: 1, ..pair });
                } else if low > 0 {
                    pairs.push(Pair { unlike: 1, ..pair });
                }
            }
        }
    }

    fn pair(&self, at: usize, one: &Tuple, other: &Tuple) -> Pair {
        let hash = |tuple: &Tuple| self.tokens.between(tuple.url, at, tuple.end as usize);
        let length = |tuple: &Tuple| (tuple.end as usize - at) as u8;
        let (mut a, mut b) = (one, other);
        if hash(a) > hash(b) {
            (a, b) = (b, a);
        }
        Pair {
            key: mixed(hash(a), hash(b)),
            urls: (a.url, b.url),
            at: at as u16,
            lengths: (length(a), length(b)),
            low: 0,
            high: 0,
            unlike: 0,
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
                self.tokens.between(tuple.url, at - period, end - period)
                    == self.tokens.between(tuple.url, at, end)
            };
            moved(one)
                && moved(other)
                && self.tokens.from(one.url, a - period) == self.tokens.from(other.url, b - period)
        })
    }
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
    let mut left: Vec<u32> = (0..tokens.urls()).filter(|&url| tokens.len(url) <= MOST_TOKENS).collect();
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
