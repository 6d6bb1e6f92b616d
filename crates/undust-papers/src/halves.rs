//! The split of KDD 2008 and WSDM 2010: half of a site's pages are to learn from, the others show what rules do.

use serde::Serialize;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use undust_learn::site::{Sample, Site};

/// A half of a site.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Half {
    /// What rules are learned from: all that somebody has who wants to choose among them.
    #[default]
    Train,
    /// What they are applied to.
    Test,
}

/// How many URLs each cluster of a site has.
pub(super) fn sizes(site: &Site) -> Vec<u32> {
    let mut sizes = vec![0u32; site.clusters()];
    for row in 0..site.len() as u32 {
        sizes[site.cluster(row) as usize] += 1;
    }
    sizes
}

/// The half to learn from, and the half to apply rules to. Clusters stay whole; pages with a single URL are in neither, but for the
/// second half of who asks for `singletons`.
pub(super) fn split(site: &Site, seed: u64, singletons: bool) -> (Sample<'_>, Sample<'_>) {
    let sizes = sizes(site);
    let has_duplicate = |row: &u32| sizes[site.cluster(*row) as usize] > 1;
    let is_test = |row: &u32| {
        let label = site.label(site.cluster(*row)).to_le_bytes();
        xxh3_64_with_seed(&label, seed) % 2 == 1
    };
    let rows = 0..site.len() as u32;
    let train = rows.clone().filter(|row| !is_test(row) && has_duplicate(row)).collect();
    let test = rows.filter(|row| is_test(row) && (singletons || has_duplicate(row))).collect();
    (Sample { site, rows: train }, Sample { site, rows: test })
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use undust::page::Page;

    use super::*;

    fn page(url: String, label: String) -> Page {
        Page { cluster: Some(label), ..Page::new(url) }
    }

    #[test]
    fn clusters_stay_whole_and_single_urls_do_not_teach() {
        let two = (0..200).flat_map(|i| {
            ["a", "b"].map(|folder| page(format!("http://a.com/{folder}/{i}"), format!("p{i}")))
        });
        let one = (0..200).map(|i| page(format!("http://a.com/c/{i}"), format!("q{i}")));
        let site = Site::new("a.com", &two.chain(one).collect::<Vec<_>>(), 0);
        let pages_of = |sample: &Sample| {
            let mut sizes: HashMap<u32, usize> = HashMap::new();
            for &row in &sample.rows {
                *sizes.entry(sample.site.cluster(row)).or_default() += 1;
            }
            sizes
        };
        let (train, test) = split(&site, 0, false);
        assert!(pages_of(&train).values().chain(pages_of(&test).values()).all(|&size| size == 2));
        assert_eq!(train.rows.len() + test.rows.len(), 400);
        assert!((160..=240).contains(&test.rows.len()), "{}", test.rows.len());
        let (same, more) = split(&site, 0, true);
        assert_eq!(same.rows, train.rows);
        let single = pages_of(&more).values().filter(|&&size| size == 1).count();
        assert!((80..=120).contains(&single) && more.rows.len() == test.rows.len() + single, "{single}");
        let (other, _) = split(&site, 1, false);
        assert_ne!(other.rows, train.rows);
    }
}
