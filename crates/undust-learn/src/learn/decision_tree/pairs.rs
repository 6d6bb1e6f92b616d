//! Which pairs of duplicate URLs become rules (Algorithm 4): never all. The best URLs of a cluster are targets, the others, or a
//! sample of them, are sources; a source also meets the duplicates that it becomes when one parameter or component is left out,
//! which are found by their hash.

use std::cmp::Reverse;

use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::view::{View, param_hash, path_hash};

/// What makes a URL a good target: static, few components, important, by https, short, in one case.
type Rank = (usize, usize, Reverse<u32>, bool, usize, usize);

/// Number of sources of a cluster: a wall of 100,000 URLs says no more than these.
const MAX_SOURCES: usize = 512;
/// Parts of equal size that a large cluster is sampled from, by importance.
const STRATA: usize = 8;

/// Makes pairs.
pub(super) struct Pairs<'v, 's> {
    pub(super) view: &'v View<'s>,
    /// How many targets a cluster has.
    pub(super) targets: usize,
    pub(super) seed: u64,
}

impl Pairs<'_, '_> {
    /// Pairs (source, target) of a cluster's rows.
    pub(super) fn of_cluster(&self, rows: &[u32]) -> Vec<(u32, u32)> {
        let mut ranked: Vec<(Rank, u32)> =
            rows.iter().filter(|&&row| self.view.knows(row)).map(|&row| (self.rank(row), row)).collect();
        // At last by text: where nothing else tells, clusters must agree on what is a target.
        ranked.sort_by(|a, b| a.0.cmp(&b.0).then_with(|| self.texts(a.1).cmp(self.texts(b.1))));
        let ranked: Vec<u32> = ranked.into_iter().map(|(_, row)| row).collect();
        let best = &ranked[..self.targets.min(ranked.len())];
        let mut pairs = Vec::new();
        for (i, &target) in best.iter().enumerate() {
            pairs.extend(best[..i].iter().map(|&better| (target, better)));
        }
        for source in self.sources(&ranked[best.len()..]) {
            pairs.extend(best.iter().map(|&target| (source, target)));
            pairs.extend(self.shorter(source).map(|target| (source, target)));
        }
        pairs
    }

    fn rank(&self, row: u32) -> Rank {
        let view = self.view;
        let values = view.site.values_of(row);
        // What a conversion makes of others is better than what none makes.
        let case = |text: &[u8]| match (
            text.iter().any(u8::is_ascii_uppercase),
            text.iter().any(u8::is_ascii_lowercase),
        ) {
            (false, _) => 0,
            (true, false) => 1,
            (true, true) => 2,
        };
        (
            view.params(row).count(),
            view.path(row).len(),
            Reverse(view.site.importance(row)),
            view.text(view.scheme(row)) != b"https",
            values.iter().map(|&value| view.text(value).len()).sum(),
            values.iter().map(|&value| case(view.text(value))).sum(),
        )
    }

    fn texts(&self, row: u32) -> impl Iterator<Item = &[u8]> {
        self.view.site.values_of(row).iter().map(|&value| self.view.text(value))
    }

    /// All of a few, or a stratified sample of many: strata of equal size by importance, from each in proportion to its share
    /// of it. Where importance is not known, the number of a URL's tokens stands for it: URLs of many patterns are then met.
    fn sources(&self, rows: &[u32]) -> Vec<u32> {
        if rows.len() <= MAX_SOURCES {
            return rows.to_vec();
        }
        let view = self.view;
        let known = rows.iter().any(|&row| view.site.importance(row) > 0);
        let weight = |row: u32| {
            if known {
                f64::from(f32::from_bits(view.site.importance(row)))
            } else {
                view.site.values_of(row).len() as f64
            }
        };
        let order = |row: u32| xxh3_64_with_seed(&view.url_hash(row).to_le_bytes(), self.seed);
        let mut ranked: Vec<u32> = rows.to_vec();
        ranked.sort_by(|a, b| weight(*b).total_cmp(&weight(*a)).then(order(*a).cmp(&order(*b))));
        let total: f64 = ranked.iter().map(|&row| weight(row)).sum();
        let mut sources = Vec::with_capacity(MAX_SOURCES + STRATA);
        for stratum in ranked.chunks(ranked.len().div_ceil(STRATA)) {
            let share = stratum.iter().map(|&row| weight(row)).sum::<f64>() / total.max(f64::MIN_POSITIVE);
            let wanted = share * MAX_SOURCES as f64;
            let quota = (0..stratum.len()).take_while(|&n| (n as f64) < wanted).count().max(1);
            let mut stratum = stratum.to_vec();
            stratum.sort_unstable_by_key(|&row| (order(row), row));
            sources.extend_from_slice(&stratum[..quota]);
        }
        sources
    }

    /// Duplicates that have one parameter or component less, and nothing else.
    fn shorter(&self, row: u32) -> impl Iterator<Item = u32> {
        let view = self.view;
        let hash = view.url_hash(row);
        let params =
            view.params(row).map(move |(key, value)| hash.wrapping_sub(param_hash(key, view.hash_of(value))));
        let path = view.path(row);
        let of_path = |skip: Option<usize>| {
            let kept = path.iter().enumerate().filter(move |(i, _)| Some(*i) != skip);
            path_hash(kept.map(|(_, &value)| view.hash_of(value)))
        };
        let rest = hash.wrapping_sub(of_path(None));
        let paths = (0..path.len()).map(move |i| rest.wrapping_add(of_path(Some(i))));
        let cluster = view.site.cluster(row);
        params
            .chain(paths)
            .filter_map(|hash| view.find(hash))
            .filter(move |&other| other != row && view.site.cluster(other) == cluster)
    }
}

#[cfg(test)]
mod tests {
    use undust::page::Page;

    use super::*;
    use crate::site::Site;

    fn site(urls: usize, importance: impl Fn(usize) -> f64) -> Site {
        let page = |i: usize| Page {
            cluster: Some("wall".to_owned()),
            importance: Some(importance(i)),
            ..Page::new(format!("http://a.com/x?id={i:05}"))
        };
        Site::new("a.com", &(0..urls).map(page).collect::<Vec<_>>(), 0)
    }

    #[test]
    fn sources_by_their_share_of_importance() {
        let site = site(8000, |i| if i % 2 == 0 { 9.0 } else { 1.0 });
        let view = View::new(&site.sample(0));
        let pairs = Pairs { view: &view, targets: 1, seed: 0 };
        let rows: Vec<u32> = (0..8000).collect();
        let sources = pairs.sources(&rows);
        let important = sources.iter().filter(|&&row| site.importance(row) == 9f32.to_bits()).count();
        assert!((MAX_SOURCES..=MAX_SOURCES + STRATA).contains(&sources.len()), "{}", sources.len());
        assert!((440..=470).contains(&important), "{important}");
        assert_eq!(sources, Pairs { view: &view, targets: 1, seed: 0 }.sources(&rows));
    }

    #[test]
    fn the_most_important_is_the_target_and_pairs_are_few() {
        let site = site(2000, |i| if i == 77 { 5.0 } else { 0.0 });
        let view = View::new(&site.sample(0));
        let rows: Vec<u32> = (0..2000).collect();
        let pairs = Pairs { view: &view, targets: 1, seed: 0 }.of_cluster(&rows);
        assert!(pairs.len() <= MAX_SOURCES + STRATA, "{}", pairs.len());
        assert!(pairs.iter().all(|&(source, target)| site.importance(target) > 0 && source != target));
    }
}
