//! The experiment of nobody's paper: what rules do to *pages* that they were not learned from, as a crawler meets them tomorrow.
//!
//! Three quarters of a site's pages are learned from, and a crawl of the URLs of the others is simulated, in their order, which fetches a URL if its key is new
//! and not skipped: the decision of `undust dedup`. A page of very many URLs (a login wall) would be a lottery: its URLs are dealt out one by one. Rules
//! that somebody wrote are scored on the same URLs.
//!
//! Which page goes where depends on labels, URLs and the seed, not on the order of rows.

mod split;
mod summary;

use serde::Serialize;
use undust::page::Page;
use undust_learn::Pipeline;
use undust_learn::evaluate::Score;
use undust_neural::RuleFile;

use crate::sigir17::{Canonical, KeepAll, Method, deployed};
use crate::{MIN_URLS, crawl};
use split::Split;
pub use split::WALL_URLS;
pub use summary::{Interval, MAX_LOST_SHARE, Stability, Total, total};

/// The default of [`Experiment::train`].
pub const TRAIN: f64 = 0.75;

/// How the experiment is done.
#[derive(Clone, Copy, Debug)]
pub struct Experiment {
    /// The share of a site's pages that methods learn from.
    pub train: f64,
    /// The seed of the first split; others have those that follow.
    pub seed: u64,
    /// How many splits are tried.
    pub splits: u64,
    /// The share of the pages learned from that have the label of another.
    pub label_noise: f64,
}

impl Default for Experiment {
    fn default() -> Experiment {
        Experiment { train: TRAIN, seed: 0, splits: 1, label_noise: 0.0 }
    }
}

/// What came of it on one set of labelled URLs: a site, or what else a file holds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SiteReport {
    /// The name of the set.
    pub site: String,
    /// By split.
    pub splits: Vec<SplitReport>,
}

/// What came of one split.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SplitReport {
    /// Its seed.
    pub seed: u64,
    /// Rows to learn from.
    pub train_urls: u64,
    /// Their pages.
    pub train_pages: u64,
    /// Pages to learn from under the label of another.
    pub mislabelled: u64,
    /// By method, *keep-all* first.
    pub methods: Vec<MethodReport>,
}

/// What a method does to the pages it did not learn from.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MethodReport {
    /// The method.
    pub method: String,
    /// The crawl.
    #[serde(flatten)]
    pub score: Score,
    /// How much of what *keep-all* lacks to a precision of 1 is gained; nothing where it lacks nothing.
    pub gap_closed: Option<f64>,
    /// What learning took, by the clock of the caller.
    pub seconds: f64,
}

/// The rules that a method of the product learns, on all sites of the pages.
pub struct Learner(pub Pipeline);

impl Method for Learner {
    fn name(&self) -> &str {
        self.0.method()
    }

    fn learn(&self, _site: &str, pages: &[Page]) -> Box<dyn Canonical> {
        deployed(self.0.learn(pages.to_vec()))
    }
}

/// Rules that are there already, whoever made them.
pub struct Given {
    /// What they are called in the report.
    pub name: String,
    /// The rules.
    pub file: RuleFile,
}

impl Method for Given {
    fn name(&self) -> &str {
        &self.name
    }

    fn learn(&self, _site: &str, _pages: &[Page]) -> Box<dyn Canonical> {
        crate::sigir17::of_file(&self.file)
    }
}

impl Experiment {
    /// Do the experiment on the pages of one site, in the order in which they were read; `seconds` is a clock. Nothing if there are too few pages.
    pub fn run(
        &self,
        site: &str,
        pages: &[Page],
        methods: &[&dyn Method],
        seconds: &dyn Fn() -> f64,
    ) -> Option<SiteReport> {
        let rows = split::labelled(pages);
        if rows.len() < MIN_URLS {
            return None;
        }
        let one = |seed| {
            let mut split = Split::new(&rows, self.train, seed);
            let mislabelled = split.mislabel(self.label_noise, seed);
            let (train_urls, train_pages) = (split.train.len() as u64, split.train_pages());
            let all = std::iter::once(&KeepAll as &dyn Method).chain(methods.iter().copied());
            let methods = all.map(|method| split.test_with(method, site, seconds)).collect();
            SplitReport { seed, train_urls, train_pages, mislabelled, methods }
        };
        let seeds = (0..self.splits.max(1)).map(|at| self.seed.wrapping_add(at));
        Some(SiteReport { site: site.to_owned(), splits: seeds.map(one).collect() })
    }
}

impl Split {
    fn test_with(&self, method: &dyn Method, site: &str, seconds: &dyn Fn() -> f64) -> MethodReport {
        let start = seconds();
        let mut learned = method.learn(site, &self.train);
        let took = seconds() - start;
        let score = crawl(site, &self.test, learned.rules(), |url, key| {
            learned.append_key(url, key);
            learned.is_skipped(key)
        });
        let has_gap = score.metrics.keep_all_precision < 1.0;
        let gap_closed = has_gap.then_some(score.metrics.dup_reduction);
        MethodReport { method: method.name().to_owned(), score, gap_closed, seconds: took }
    }
}

#[cfg(test)]
mod tests;
