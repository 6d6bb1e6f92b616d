//! Which pages are learned from, which are kept for the test, and which labels are made wrong.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use undust::page::Page;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::part_of;

/// A page of more URLs than this (a login wall) is in both parts, URL by URL.
pub const WALL_URLS: usize = 50;

/// Noise is another draw than the split: else the pages drawn first would be the wrong ones.
const NOISE: u64 = 0x6c61_6265_6c73_0000;

/// What is learned from, and what is crawled, both in the order of the rows.
pub(super) struct Split {
    pub(super) train: Vec<Page>,
    pub(super) test: Vec<Page>,
}

/// The distinct pairs of URL and label, in order, and nothing else of the pages.
pub(super) fn labelled(pages: &[Page]) -> Vec<Page> {
    let mut seen = HashSet::new();
    let row = |page: &Page| {
        let label = page.label()?;
        let cluster = Some(label.to_owned());
        seen.insert((page.url.clone(), label.to_owned())).then(|| Page { cluster, ..Page::new(&*page.url) })
    };
    pages.iter().filter_map(row).collect()
}

impl Split {
    /// `share` of the pages to learn from, the others to test on.
    pub(super) fn new(rows: &[Page], share: f64, seed: u64) -> Split {
        let mut sizes: BTreeMap<&str, usize> = BTreeMap::new();
        for label in rows.iter().filter_map(Page::label) {
            *sizes.entry(label).or_default() += 1;
        }
        let whole = sizes.iter().filter(|(_, size)| **size <= WALL_URLS).map(|(label, _)| *label);
        let known = draw(whole, share, seed);
        let is_known = |page: &&Page| match page.label() {
            Some(label) if sizes[label] > WALL_URLS => is_drawn(&page.url, share, seed),
            Some(label) => known.contains(label),
            None => false,
        };
        let (train, test): (Vec<&Page>, Vec<&Page>) = rows.iter().partition(is_known);
        let owned = |part: Vec<&Page>| part.into_iter().cloned().collect();
        Split { train: owned(train), test: owned(test) }
    }

    /// Give `share` of the pages to learn from, with all their URLs, the label of another; how many these are.
    pub(super) fn mislabel(&mut self, share: f64, seed: u64) -> u64 {
        let seed = seed.wrapping_add(NOISE);
        let pages: BTreeSet<String> = self.train.iter().filter_map(|page| page.cluster.clone()).collect();
        let pages: Vec<String> = pages.into_iter().collect();
        if pages.len() < 2 {
            return 0;
        }
        let wrong = draw(pages.iter().map(String::as_str), share, seed);
        for page in &mut self.train {
            let label = page.cluster.as_deref().unwrap_or_default();
            if wrong.contains(label) {
                page.cluster = Some(other(&pages, label, seed).to_owned());
            }
        }
        wrong.len() as u64
    }

    /// The number of pages to learn from.
    pub(super) fn train_pages(&self) -> u64 {
        self.train.iter().filter_map(Page::label).collect::<BTreeSet<_>>().len() as u64
    }
}

/// `share` of the labels, at random.
fn draw<'l>(labels: impl Iterator<Item = &'l str>, share: f64, seed: u64) -> BTreeSet<&'l str> {
    let mut ranked: Vec<(u64, &str)> =
        labels.map(|label| (xxh3_64_with_seed(label.as_bytes(), seed), label)).collect();
    ranked.sort_unstable();
    let count = part_of(ranked.len(), share);
    ranked.into_iter().take(count).map(|(_, label)| label).collect()
}

/// Whether a URL is among `share` of all.
fn is_drawn(url: &[u8], share: f64, seed: u64) -> bool {
    (xxh3_64_with_seed(url, seed) as f64) < share * u64::MAX as f64
}

/// Another of the sorted `labels` than `label`, at random.
fn other<'l>(labels: &'l [String], label: &str, seed: u64) -> &'l str {
    let own = labels.partition_point(|known| known.as_str() < label);
    let steps = 1 + xxh3_64_with_seed(label.as_bytes(), seed.wrapping_add(1)) % (labels.len() as u64 - 1);
    &labels[(own + steps as usize) % labels.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 400 pages with two URLs each, and a wall of 400.
    fn rows() -> Vec<Page> {
        let page = |url: String, label: String| Page { cluster: Some(label), ..Page::new(url) };
        let two =
            (0..400).flat_map(|i| ["a", "b"].map(|f| page(format!("http://a.com/{f}/{i}"), format!("p{i}"))));
        two.chain((0..400).map(|i| page(format!("http://a.com/wall/{i}"), "wall".to_owned()))).collect()
    }

    fn labels(pages: &[Page]) -> BTreeSet<&str> {
        pages.iter().filter_map(Page::label).filter(|label| *label != "wall").collect()
    }

    #[test]
    fn no_page_is_in_both_parts_but_a_wall() {
        let split = Split::new(&rows(), 0.75, 3);
        assert_eq!((labels(&split.train).len(), labels(&split.test).len()), (300, 100));
        assert!(labels(&split.train).is_disjoint(&labels(&split.test)));
        let of_wall = |pages: &[Page]| pages.iter().filter(|page| page.label() == Some("wall")).count();
        let (train, test) = (of_wall(&split.train), of_wall(&split.test));
        assert!(train + test == 400 && (270..=330).contains(&train), "{train}");
        assert_eq!(split.train_pages(), 301);
    }

    #[test]
    fn the_order_of_rows_does_not_matter_and_the_seed_does() {
        let (rows, mut reversed) = (rows(), rows());
        reversed.reverse();
        let train = |rows: &[Page], seed| {
            let mut split = Split::new(rows, 0.75, seed);
            split.mislabel(0.1, seed);
            let pair = |page: Page| (page.url, page.cluster);
            split.train.into_iter().map(pair).collect::<BTreeSet<_>>()
        };
        assert_eq!(train(&rows, 1), train(&reversed, 1));
        assert_ne!(train(&rows, 1), train(&rows, 2));
    }

    #[test]
    fn wrong_labels_are_those_of_other_pages_and_only_learned_from() {
        let (rows, mut split) = (rows(), Split::new(&rows(), 0.75, 0));
        let (right, test) = (split.train.clone(), split.test.clone());
        assert_eq!(split.mislabel(0.05, 0), 15);
        let changed = |(before, after): (&Page, &Page)| {
            (before.cluster != after.cluster).then(|| before.cluster.clone().unwrap())
        };
        let wrong: BTreeSet<String> = right.iter().zip(&split.train).filter_map(changed).collect();
        assert_eq!((wrong.len(), &split.test), (15, &test));
        // All URLs of a page that are learned from go to the same other page.
        for page in wrong {
            let of_page =
                right.iter().zip(&split.train).filter(|(before, _)| before.cluster == Some(page.clone()));
            let to: BTreeSet<&str> = of_page.filter_map(|(_, after)| after.label()).collect();
            assert!(to.len() == 1 && rows.iter().any(|row| row.label() == to.first().copied()), "{to:?}");
        }
        assert_eq!(split.mislabel(0.0, 0), 0);
    }

    #[test]
    fn a_row_counts_once() {
        let twice = [rows(), rows(), vec![Page::new("http://a.com/unlabelled")]].concat();
        assert_eq!(labelled(&twice), rows());
    }
}
