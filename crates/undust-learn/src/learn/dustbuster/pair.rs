//! A pair of substrings in the open: the rule it stands for, and how much support it has.

use undust::rules::Substitute;
use undust::url::SplitUrl;
use xxhash_rust::xxh3::xxh3_64;

use super::buckets::Pair;
use super::tokens::tokens;
use crate::listing::Listing;

/// A likely rule.
#[derive(Clone, Debug)]
pub(super) struct LikelyPair {
    /// In the direction that shrinks URLs; the other one is as likely.
    pub(super) rule: Substitute,
    /// Support in small buckets, which ranks rules.
    pub(super) low: u32,
    /// Support in larger buckets too, which tells redundant rules.
    pub(super) high: u32,
    /// Of all its pairs of URLs in small buckets, the share that is likely similar.
    pub(super) similar: f64,
    /// Two URLs that are equal but for it.
    pub(super) example: (u32, u32),
}

impl LikelyPair {
    /// Read `pair` from the list.
    pub(super) fn new(pair: &Pair, list: &Listing) -> Option<LikelyPair> {
        let ((one, other), (one_length, other_length)) = (pair.urls, pair.lengths);
        let (from, ends) = substring(list.url(one), pair.at as usize, one_length as usize);
        let (to, _) = substring(list.url(other), pair.at as usize, other_length as usize);
        let rule = Substitute::new(from.to_vec(), to.to_vec(), pair.at == 0, ends);
        let rule = match rule {
            Ok(rule) if !rule.grows() => rule,
            _ => Substitute::new(to.to_vec(), from.to_vec(), pair.at == 0, ends).ok()?,
        };
        if !fires_at(&rule, list.url(one), from) && !fires_at(&rule, list.url(other), to) {
            return None;
        }
        let similar = f64::from(pair.low) / f64::from(pair.low + pair.unlike);
        Some(LikelyPair { rule, low: pair.low, high: pair.high, similar, example: pair.urls })
    }

    /// A number that is equal for pairs of which one refines the other: surroundings count on both sides and cancel out.
    pub(super) fn signature(&self) -> u64 {
        let sum = |side: &[u8]| tokens(side).map(xxh3_64).fold(0, u64::wrapping_add);
        let difference = sum(self.rule.from()).wrapping_sub(sum(self.rule.to()));
        difference.min(difference.wrapping_neg())
    }
}

/// Whether the rule may replace `place`, a part of `url`. What stands in the authority belongs to a longer rule, one that names it.
fn fires_at(rule: &Substitute, url: &[u8], place: &[u8]) -> bool {
    let Some(split) = SplitUrl::new(url) else { return true };
    let at = place.as_ptr().addr() - url.as_ptr().addr();
    rule.from() == place && (rule.names_authority() || rule.keeps_authority(&split, at))
}

/// The text of `length` tokens of `url` from token `at` on, where `^` is the first; and whether `$` is among them.
fn substring(url: &[u8], at: usize, length: usize) -> (&[u8], bool) {
    let mut ends = vec![0];
    for token in tokens(url) {
        ends.push(ends[ends.len() - 1] + token.len());
    }
    // Token n stands between ends n - 1 and n; `^` and `$` take no room.
    let place = |token: usize| ends[token.saturating_sub(1).min(ends.len() - 1)];
    (&url[place(at)..place(at + length)], at + length > ends.len())
}
