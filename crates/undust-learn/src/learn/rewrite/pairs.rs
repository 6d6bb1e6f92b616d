//! Which pairs of duplicate URLs are looked at. The paper takes all ordered pairs of a cluster; that is kept for small
//! clusters. In large ones most pairs differ in everything and teach nothing, so each URL meets its neighbours (URLs
//! that differ from it in one key), a few short URLs (likely targets) and a few at random: linear in the cluster.

use std::collections::{HashMap, HashSet};

use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::maps::Member;

/// Number of URLs of a cluster up to which it is taken pair by pair.
const MAX_ALL_PAIRS_URLS: usize = 12;
/// Number of URLs of a cluster above which it is sampled first.
const MAX_CLUSTER_URLS: usize = 4096;
/// Number of short URLs that every URL of a large cluster is paired with.
const SHORT_PARTNERS: usize = 3;
/// Number of random URLs that every URL of a large cluster is paired with.
const RANDOM_PARTNERS: u64 = 4;

/// At most [`MAX_CLUSTER_URLS`] members, chosen by a seeded hash of their values.
pub(super) fn cap(mut members: Vec<Member>, seed: u64) -> Vec<Member> {
    if members.len() > MAX_CLUSTER_URLS {
        members.sort_by_cached_key(|m| (xxh3_64_with_seed(&m.row.to_le_bytes(), seed), m.row));
        members.truncate(MAX_CLUSTER_URLS);
        members.sort_by_key(|m| m.row);
    }
    members
}

/// Ordered pairs (source, target) of indices into `members`.
pub(super) fn pairs(members: &[Member], length: impl Fn(&Member) -> usize, seed: u64) -> Vec<(usize, usize)> {
    let n = members.len();
    if n <= MAX_ALL_PAIRS_URLS {
        return (0..n).flat_map(|u| (0..n).filter(move |&v| v != u).map(move |v| (u, v))).collect();
    }
    let mut pairs = neighbours(members);
    let mut hubs: Vec<usize> = (0..n).collect();
    hubs.sort_by_key(|&i| (members[i].values.len(), length(&members[i]), i));
    hubs.truncate(SHORT_PARTNERS);
    for u in 0..n {
        pairs.extend(hubs.iter().map(|&hub| (u, hub)));
        let random = |k: u64| xxh3_64_with_seed(&[(u as u64).to_le_bytes(), k.to_le_bytes()].concat(), seed);
        pairs.extend((0..RANDOM_PARTNERS).map(|k| (u, (random(k) % n as u64) as usize)));
    }
    let mut seen = HashSet::new();
    pairs.retain(|&(u, v)| u != v && seen.insert((u, v)));
    pairs
}

/// Members that differ in exactly one key, found by hashing each with that key masked; each meets the next of its group.
fn neighbours(members: &[Member]) -> Vec<(usize, usize)> {
    let mut last: HashMap<u64, usize> = HashMap::new();
    let mut pairs = Vec::new();
    let mut masked = Vec::new();
    for (i, member) in members.iter().enumerate() {
        for key in 0..member.values.len() {
            masked.clear();
            masked.extend_from_slice(&member.map.to_le_bytes());
            for (k, value) in member.values.iter().enumerate() {
                masked.extend_from_slice(&if k == key { u32::MAX } else { *value }.to_le_bytes());
            }
            if let Some(before) = last.insert(xxh3_64_with_seed(&masked, key as u64), i) {
                pairs.extend([(before, i), (i, before)]);
            }
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Members whose first value is shared by sevens and whose second is their own.
    fn members(n: u32) -> Vec<Member> {
        (0..n).map(|row| Member { row, map: 0, values: vec![row % 7, 1000 + row, 3] }).collect()
    }

    #[test]
    fn small_clusters_are_taken_pair_by_pair() {
        for n in 0..=MAX_ALL_PAIRS_URLS {
            let members = members(n as u32);
            assert_eq!(pairs(&members, |_| 0, 0).len(), n * n.saturating_sub(1));
        }
    }

    /// A cluster of 100,000 URLs costs a bounded number of pairs per URL, and no URL is its own duplicate.
    #[test]
    fn large_clusters_grow_linearly() {
        let per_url = 2 * 3 + SHORT_PARTNERS + RANDOM_PARTNERS as usize;
        for n in [MAX_ALL_PAIRS_URLS + 1, 1000, MAX_CLUSTER_URLS, 100_000] {
            let pairs = pairs(&members(n as u32), |_| 0, 0);
            assert!(pairs.len() >= n && pairs.len() <= n * per_url, "{} pairs of {n}", pairs.len());
            assert!(pairs.iter().all(|(u, v)| u != v));
        }
        let capped = cap(members(100_000), 5);
        assert_eq!(capped.len(), MAX_CLUSTER_URLS);
        assert!(capped.is_sorted_by_key(|m| m.row) && capped != cap(members(100_000), 6));
    }

    #[test]
    fn neighbours_differ_in_one_key() {
        let member = |row, values: [u32; 3]| Member { row, map: 0, values: values.to_vec() };
        let members =
            [member(0, [1, 2, 3]), member(1, [1, 2, 4]), member(2, [9, 9, 9]), member(3, [5, 2, 4])];
        assert_eq!(neighbours(&members), [(0, 1), (1, 0), (1, 3), (3, 1)]);
    }

    #[test]
    fn short_urls_are_targets() {
        let mut members = members(50);
        members[20].values.truncate(1);
        let pairs = pairs(&members, |_| 0, 0);
        assert!((0..50).filter(|u| *u != 20).all(|u| pairs.contains(&(u, 20))));
    }
}
