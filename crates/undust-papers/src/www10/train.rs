//! What the experiment of WWW 2010 learns from: some of a site's URLs, and some of these under a wrong label.

use serde::Serialize;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::part_of;
use undust_learn::site::{LARGE_CLUSTER_URLS, Site};

/// What is drawn at random.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SampleBy {
    /// Single URLs. Of a page with two, both are seldom drawn, and nothing can be learned from one.
    Url,
    /// Pages with all their URLs: the paper calls a training set a collection of duplicate clusters. Pages of very many URLs, such as
    /// a login wall, could be more than the whole sample: of these URLs are drawn.
    #[default]
    Cluster,
}

/// Draw `count` of the site's URLs; they come in the site's order. Which, depends on the URLs and labels, not on their order. The last page
/// drawn may be cut short.
pub(super) fn draw(site: &Site, count: usize, by: SampleBy, seed: u64) -> Vec<u32> {
    let mut sizes = vec![0; site.clusters()];
    for row in 0..site.len() as u32 {
        sizes[site.cluster(row) as usize] += 1;
    }
    let whole = |row: u32| by == SampleBy::Cluster && sizes[site.cluster(row) as usize] < LARGE_CLUSTER_URLS;
    let rank = |row: u32| {
        let of_url = url_hash(site, row, seed);
        let of_page = || xxh3_64_with_seed(&site.label(site.cluster(row)).to_le_bytes(), seed);
        (if whole(row) { of_page() } else { of_url }, of_url)
    };
    first_by(0..site.len() as u32, count, rank)
}

/// Give a share of the `rows` the label that another of them, of another page, has by right.
pub(super) fn mislabel(site: &mut Site, rows: &[u32], share: f64, seed: u64) -> u64 {
    let seed = seed.wrapping_add(NOISE);
    let count = part_of(rows.len(), share);
    let wrong = first_by(rows.iter().copied(), count, |row| url_hash(site, row, seed));
    // All labels are looked up before any is changed.
    let labels: Vec<(u32, u32)> =
        wrong.iter().filter_map(|&row| Some((row, other(site, rows, row, seed)?))).collect();
    for &(row, cluster) in &labels {
        site.relabel(row, cluster);
    }
    labels.len() as u64
}

/// Noise is another draw than the sample: else the URLs drawn first would be the wrong ones.
const NOISE: u64 = 0x6e6f_6973_6500;

/// The cluster of some other of `rows` that is not that of `row`, if there is any.
fn other(site: &Site, rows: &[u32], row: u32, seed: u64) -> Option<u32> {
    let start = url_hash(site, row, seed.wrapping_add(1)) as usize % rows.len();
    let (before, after) = rows.split_at(start);
    let mut clusters = after.iter().chain(before).map(|&row| site.cluster(row));
    clusters.find(|&cluster| cluster != site.cluster(row))
}

/// The `count` of `rows` with the least ranks, in the order of their numbers.
fn first_by<R: Ord>(rows: impl Iterator<Item = u32>, count: usize, rank: impl Fn(u32) -> R) -> Vec<u32> {
    let mut ranked: Vec<(R, u32)> = rows.map(|row| (rank(row), row)).collect();
    ranked.sort_unstable();
    let mut first: Vec<u32> = ranked.into_iter().take(count).map(|(_, row)| row).collect();
    first.sort_unstable();
    first
}

fn url_hash(site: &Site, row: u32, seed: u64) -> u64 {
    let mut url = Vec::new();
    site.write_url(row, &mut url);
    xxh3_64_with_seed(&url, seed)
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use undust::page::Page;

    use super::*;

    /// 300 pages with two URLs each, and a wall of 400.
    fn pages() -> Vec<Page> {
        let page = |url: String, label: String| Page { cluster: Some(label), ..Page::new(url) };
        let two =
            (0..300).flat_map(|i| ["a", "b"].map(|f| page(format!("http://a.com/{f}/{i}"), format!("p{i}"))));
        two.chain((0..400).map(|i| page(format!("http://a.com/wall/{i}"), "wall".to_owned()))).collect()
    }

    /// How many rows there are of each cluster, the greatest number first.
    fn sizes(site: &Site, rows: &[u32]) -> Vec<usize> {
        let mut sizes: HashMap<u32, usize> = HashMap::new();
        for &row in rows {
            *sizes.entry(site.cluster(row)).or_default() += 1;
        }
        let mut sizes: Vec<usize> = sizes.into_values().collect();
        sizes.sort_unstable_by(|a, b| b.cmp(a));
        sizes
    }

    #[test]
    fn small_pages_are_drawn_whole() {
        let site = Site::new("a.com", &pages(), 0);
        let rows = draw(&site, 200, SampleBy::Cluster, 0);
        assert_eq!(rows.len(), 200);
        let sizes = sizes(&site, &rows);
        assert!((50..=110).contains(&sizes[0]), "about 80 of the wall's 400: {}", sizes[0]);
        let cut_short = sizes[1..].iter().filter(|&&size| size == 1).count();
        assert!(cut_short <= 1 && sizes[1] == 2, "{sizes:?}");
    }

    #[test]
    fn urls_are_drawn_one_by_one() {
        let site = Site::new("a.com", &pages(), 0);
        let rows = draw(&site, 200, SampleBy::Url, 0);
        assert_eq!(rows.len(), 200);
        let single = sizes(&site, &rows).iter().filter(|&&size| size == 1).count();
        assert!(single > 50, "most have lost their partner: {single}");
        assert_ne!(rows, draw(&site, 200, SampleBy::Url, 1), "another seed");
    }

    #[test]
    fn more_than_there_are() {
        let site = Site::new("a.com", &pages(), 0);
        let all: Vec<u32> = (0..site.len() as u32).collect();
        assert_eq!(draw(&site, 5000, SampleBy::Cluster, 0), all);
        assert!(draw(&site, 0, SampleBy::Url, 0).is_empty());
    }

    #[test]
    fn noise_is_the_right_share_of_what_is_learned_from() {
        let truth = Site::new("a.com", &pages(), 0);
        let mut site = Site::new("a.com", &pages(), 0);
        let rows = draw(&site, 200, SampleBy::Cluster, 0);
        assert_eq!(mislabel(&mut site, &rows, 0.1, 0), 20);
        let wrong: Vec<u32> =
            (0..site.len() as u32).filter(|&row| site.cluster(row) != truth.cluster(row)).collect();
        assert_eq!(wrong.len(), 20);
        for row in wrong {
            assert!(rows.contains(&row), "{row} is not learned from");
            assert!(rows.iter().any(|&other| truth.cluster(other) == site.cluster(row)), "{row}");
            assert_eq!(site.seen(row).cluster, Some(site.label(site.cluster(row))));
        }
    }

    #[test]
    fn a_single_page_has_no_wrong_label() {
        let mut site = Site::new("a.com", &pages()[600..], 0);
        let rows: Vec<u32> = (0..400).collect();
        assert_eq!(mislabel(&mut site, &rows, 1.0, 0), 0);
        assert_eq!(mislabel(&mut site, &[], 1.0, 0), 0);
    }
}
