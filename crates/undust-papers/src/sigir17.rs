//! The experiment of SIGIR 2017 (section 3) on one site, for any methods. Each learns from the first rows, as much as a crawler would
//! have seen; then a crawl of the other rows is simulated, in their order, which fetches a URL if its key is new and not skipped.
//!
//! Precision are the pages that the crawl covers for each URL it fetches, recall those for each page there is (Table 2). Pages with a single
//! URL count like all others. A method need not learn rules: whatever can tell the key of a URL is tested in the same way.
//!
//! The paper learns from the first 15,000 of 20,000 pages; here it is the same share of the labelled rows.

mod keep_all;
mod learned;

use serde::Serialize;
use undust::page::Page;

use super::{MIN_URLS, crawl, split_in_order};
pub use keep_all::KeepAll;
pub(crate) use learned::{deployed, of_file};
use undust_learn::evaluate::{Metrics, Score};
use undust_learn::site::Site;

/// The default of [`Experiment::train`].
pub const TRAIN: f64 = 0.75;

/// How the experiment is done.
#[derive(Clone, Copy, Debug)]
pub struct Experiment {
    /// The share of a site's labelled rows, its first ones, that methods learn from.
    pub train: f64,
}

impl Default for Experiment {
    fn default() -> Experiment {
        Experiment { train: TRAIN }
    }
}

/// Learns from pages what the canonical form of a URL is. Configuration lives in the value.
pub trait Method: Sync {
    /// What it is called on the command line and in the report.
    fn name(&self) -> &str;

    /// Learn from labelled pages of one site, in the order in which they were seen.
    fn learn(&self, site: &str, pages: &[Page]) -> Box<dyn Canonical>;
}

/// What a method has learned: the canonical form of every URL of a site.
pub trait Canonical {
    /// Append the key of a URL to `out`. Equal keys, equal pages. It may remember what helps with URLs to come, but the key of a URL
    /// does not depend on those before.
    fn append_key(&mut self, url: &[u8], out: &mut Vec<u8>);

    /// Whether URLs of this key are not fetched at all, since their pages have other URLs.
    fn is_skipped(&mut self, _key: &[u8]) -> bool {
        false
    }

    /// How many rules it has.
    fn rules(&self) -> u64;

    /// What else is to be told of it.
    fn figures(&self) -> Vec<Figure> {
        Vec::new()
    }
}

/// A number that only some methods have, such as the size of a vocabulary.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Figure {
    /// What it is.
    pub name: String,
    /// The number.
    pub value: f64,
}

/// What came of it on one site.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SiteReport {
    /// The site.
    pub site: String,
    /// What methods learned from (Table 1).
    pub train: Train,
    /// Distinct URLs of the crawl.
    pub test_urls: u64,
    /// Their duplicate clusters, pages without duplicates included.
    pub test_clusters: u64,
    /// By method.
    pub methods: Vec<MethodReport>,
}

/// What there is to learn from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Train {
    /// Distinct URLs.
    pub urls: u64,
    /// Their duplicate clusters, pages without duplicates included.
    pub clusters: u64,
    /// URLs of clusters of at least two, each of which is led to its cluster's canonical URL: the paper's training pairs.
    pub pairs: u64,
}

/// What a method does to the URLs it did not learn from.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MethodReport {
    /// The method.
    pub method: String,
    /// The crawl.
    #[serde(flatten)]
    pub score: Score,
    /// What else it tells of itself.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub figures: Vec<Figure>,
}

/// What a method does on several sites.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Total {
    /// The method.
    pub method: String,
    /// All URLs together: the micro average.
    #[serde(flatten)]
    pub score: Score,
    /// The mean of the sites' metrics, each site counting the same: the averages of Table 2.
    pub macro_average: Metrics,
}

impl Experiment {
    /// Do the experiment on the pages of one site, in the order in which they were read. Nothing if there are too few.
    pub fn run(&self, site: &str, mut pages: Vec<Page>, methods: &[Box<dyn Method>]) -> Option<SiteReport> {
        pages.retain(|page| page.label().is_some());
        if Site::new(site, &pages, 0).len() < MIN_URLS {
            return None;
        }
        let (train, test) = split_in_order(&pages, self.train);
        let keep_all = test_with(&KeepAll, site, train, test).score;
        Some(SiteReport {
            site: site.to_owned(),
            train: Train::of(site, train),
            test_urls: keep_all.urls,
            test_clusters: keep_all.clusters,
            methods: methods.iter().map(|method| test_with(method.as_ref(), site, train, test)).collect(),
        })
    }
}

fn test_with(method: &dyn Method, site: &str, train: &[Page], test: &[Page]) -> MethodReport {
    let mut learned = method.learn(site, train);
    let rules = learned.rules();
    MethodReport {
        method: method.name().to_owned(),
        score: crawl(site, test, rules, |url, key| {
            learned.append_key(url, key);
            learned.is_skipped(key)
        }),
        figures: learned.figures(),
    }
}

impl Train {
    fn of(site: &str, pages: &[Page]) -> Train {
        let site = Site::new(site, pages, 0);
        let duplicates = site.sample(0).duplicates();
        Train {
            urls: site.len() as u64,
            clusters: site.clusters() as u64,
            pairs: duplicates.clusters().map(|cluster| cluster.len() as u64).sum(),
        }
    }
}

/// All sites together, by method. Every site must have been done with the same methods.
pub fn total(sites: &[SiteReport]) -> Vec<Total> {
    let of_method = |(at, first): (usize, &MethodReport)| {
        let scores: Vec<&Score> = sites.iter().map(|site| &site.methods[at].score).collect();
        Total {
            method: first.method.clone(),
            score: Score::sum(&scores),
            macro_average: Metrics::mean(&scores.iter().map(|score| &score.metrics)),
        }
    };
    let first = sites.first().map_or(&[][..], |site| &site.methods);
    first.iter().enumerate().map(of_method).collect()
}

#[cfg(test)]
mod tests;
