//! How the URLs of a node are split: by the key of least entropy, its salient values apart from its trivial ones.
//!
//! Values are counted by key, then by value, as in a counting sort: the work is linear in the tokens of the node, however many
//! distinct values a key has.
//!
//! Where we deviate: to have no value, or an empty one (`/a/`, `id=`), is never trivial. A key that few URLs have is of small entropy; such keys,
//! whose splits leave nearly all URLs together, come after all others, or the tree would begin with a long chain of them.

use super::tree::KeyUse;
use super::view::View;

/// Number of salient values of a key; one with more has none: names of folders and functions are few.
const MAX_SALIENT_VALUES: usize = 64;
/// Factor by which frequencies fall at a decline.
const MIN_DECLINE_FACTOR: f64 = 2.0;
/// URLs of a node per URL of a group that is split off, at most...
const MAX_NODE_PER_GROUP: u32 = 256;
/// ... and URLs of such a group, at least.
const MIN_GROUP_URLS: u32 = 3;

/// URLs of a node per URL that a split takes off, at most: a smaller split tells little of the site.
const MAX_NODE_PER_SPLIT: u32 = 8;

/// By what the URLs of a node are split.
#[derive(Debug, PartialEq)]
pub(super) struct Split {
    pub(super) key: u32,
    /// The values that get a node of their own; the others share one.
    pub(super) salient: Vec<u32>,
    /// Whether URLs without the key get a node of their own.
    pub(super) absent: bool,
}

/// Counts the values of URLs; kept for its allocations.
pub(super) struct Counter {
    /// How many URLs have each key; zero between calls.
    by_key: Vec<u32>,
    /// How many have each value of the key at hand; zero between calls.
    by_value: Vec<u32>,
    values: Vec<u32>,
    /// URLs of this site that a group must have to be split off, at least.
    min_group: u32,
    empty: Option<u32>,
}

/// The key that a node is best split by, so far.
struct Best {
    /// Whether the split leaves nearly all URLs together, and the entropy, or else how many it leaves together.
    rank: (bool, f64),
    split: Split,
}

impl Counter {
    pub(super) fn new(view: &View, min_group: u32) -> Counter {
        Counter {
            by_key: vec![0; view.keys.len()],
            by_value: vec![0; view.value_count()],
            values: Vec::new(),
            min_group: min_group.max(MIN_GROUP_URLS),
            empty: view.site.find_value(b""),
        }
    }

    /// The keys of these URLs, in the order of keys, and how to split them.
    pub(super) fn look(&mut self, view: &View, urls: &[u32]) -> (Vec<KeyUse>, Option<Split>) {
        let keys = self.sort_by_key(view, urls);
        let total = urls.len() as u32;
        let (mut uses, mut best) = (Vec::with_capacity(keys.len()), None);
        let mut start = 0;
        for key in keys {
            let end = self.by_key[key as usize] as usize;
            self.by_key[key as usize] = 0;
            let found = self.count_values(start..end);
            uses.push(self.use_of(key, (end - start) as u32, &found));
            self.consider(key, total, (end - start) as u32, &found, &mut best);
            for value in found {
                self.by_value[value as usize] = 0;
            }
            start = end;
        }
        (uses, best.map(|best: Best| best.split))
    }

    /// Lay out the values of the URLs key by key; `by_key` tells where those of each key end.
    fn sort_by_key(&mut self, view: &View, urls: &[u32]) -> Vec<u32> {
        let mut keys = Vec::new();
        for token in urls.iter().flat_map(|&url| view.tokens(url)) {
            let count = &mut self.by_key[token.key as usize];
            if *count == 0 {
                keys.push(token.key);
            }
            *count += 1;
        }
        keys.sort_unstable_by_key(|&key| view.keys[key as usize]);
        let mut total = 0;
        for &key in &keys {
            let count = std::mem::replace(&mut self.by_key[key as usize], total);
            total += count;
        }
        self.values.resize(total as usize, 0);
        for token in urls.iter().flat_map(|&url| view.tokens(url)) {
            let at = &mut self.by_key[token.key as usize];
            self.values[*at as usize] = token.value;
            *at += 1;
        }
        keys
    }

    /// Count the values laid out here; gives the distinct ones.
    fn count_values(&mut self, range: std::ops::Range<usize>) -> Vec<u32> {
        let mut found = Vec::new();
        for &value in &self.values[range] {
            let count = &mut self.by_value[value as usize];
            if *count == 0 {
                found.push(value);
            }
            *count += 1;
        }
        found
    }

    fn count(&self, value: u32) -> u32 {
        self.by_value[value as usize]
    }

    fn use_of(&self, key: u32, urls: u32, found: &[u32]) -> KeyUse {
        let main = found.iter().copied().max_by_key(|&value| (self.count(value), std::cmp::Reverse(value)));
        let main = main.unwrap_or_default();
        let may_be_empty = self.empty.is_some_and(|empty| self.count(empty) > 0);
        KeyUse { key, urls, main, of_main: self.count(main), may_be_empty }
    }

    /// Whether this key is better than the best so far. (A key that all URLs share has nothing to split.)
    fn consider(&self, key: u32, total: u32, present: u32, found: &[u32], best: &mut Option<Best>) {
        if present == total && found.len() == 1 {
            return;
        }
        let absent = total - present;
        let surprise = |count: u32| f64::from(count) * f64::from(count).ln();
        let sum: f64 = found.iter().map(|&value| surprise(self.count(value))).sum();
        let entropy = f64::from(total).ln()
            - (sum + if absent > 0 { surprise(absent) } else { 0.0 }) / f64::from(total);
        let Some((split, largest)) = self.split(key, total, present, found) else { return };
        let tells_little = largest > total - total / MAX_NODE_PER_SPLIT;
        let rank = (tells_little, if tells_little { f64::from(largest) } else { entropy });
        if best.as_ref().is_none_or(|best| rank < best.rank) {
            *best = Some(Best { rank, split });
        }
    }

    /// How to split by this key, and how large the largest part is. URLs that have the key are first told from those that have not: what
    /// they have in common is a pattern of its own.
    fn split(&self, key: u32, total: u32, present: u32, found: &[u32]) -> Option<(Split, u32)> {
        let least = self.min_group.max(total / MAX_NODE_PER_GROUP);
        let absent = total - present;
        if absent >= least {
            let split = Split { key, salient: Vec::new(), absent: true };
            return (present >= least).then_some((split, present.max(absent)));
        }
        let salient = self.salient(least, found);
        let others = present - salient.iter().map(|&value| self.count(value)).sum::<u32>();
        let groups = salient.len() + usize::from(others >= least);
        let largest = salient.iter().map(|&value| self.count(value)).fold(others, u32::max);
        (groups > 1).then_some((Split { key, salient, absent: false }, largest))
    }

    /// The salient values, the most frequent first.
    fn salient(&self, least: u32, found: &[u32]) -> Vec<u32> {
        let mut frequent: Vec<u32> = found.iter().copied().filter(|&v| self.count(v) >= least).collect();
        frequent.sort_unstable_by_key(|&value| (std::cmp::Reverse(self.count(value)), value));
        let below = found.iter().map(|&value| self.count(value)).filter(|&count| count < least).max();
        let counts: Vec<u32> = frequent.iter().map(|&value| self.count(value)).collect();
        frequent.truncate(salient(&counts, below.unwrap_or_default()));
        let empty = self.empty.filter(|&empty| self.count(empty) >= least && !frequent.contains(&empty));
        frequent.extend(empty);
        frequent
    }
}

/// How many of the most frequent values are salient: those before the steepest decline. `counts` are those of the frequent
/// values, in descending order, `below` the next one. Without a decline all are, if they are few.
fn salient(counts: &[u32], below: u32) -> usize {
    let next = counts.iter().skip(1).copied().chain((below > 0).then_some(below));
    let declines = counts.iter().zip(next).map(|(&count, next)| f64::from(count) / f64::from(next));
    let steepest = declines.enumerate().reduce(|best, other| if other.1 > best.1 { other } else { best });
    let are_few = below == 0 && counts.len() <= MAX_SALIENT_VALUES;
    match steepest {
        Some((at, decline)) if decline >= MIN_DECLINE_FACTOR && at < MAX_SALIENT_VALUES => at + 1,
        _ if are_few => counts.len(),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn salient_values_stand_before_the_steepest_decline() {
        // Figure 6: names of functions, then names of users.
        assert_eq!(salient(&[60_000, 40_000, 30_000], 90), 3);
        assert_eq!(salient(&[60_000, 900, 800, 700], 600), 1);
        assert_eq!(salient(&[100, 90, 12, 11], 10), 2, "the first of the steepest");
    }

    #[test]
    fn values_as_frequent_as_each_other() {
        assert_eq!(salient(&[30, 25, 24], 0), 3, "few");
        assert_eq!(salient(&[5; 80], 0), 0, "many");
        assert_eq!(salient(&[5, 5, 4], 3), 0, "the first of many");
        assert_eq!(salient(&[], 2), 0, "all are rare");
    }

    #[test]
    fn too_many_are_none() {
        assert_eq!(salient(&[100; 100], 1), 0);
    }
}
