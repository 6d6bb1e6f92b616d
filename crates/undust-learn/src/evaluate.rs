//! Evaluation: every metric of the five papers, over any canonicalizer. A rule file written by hand is scored by the same code.
//!
//! The walk is the one of seq2seq 3: URLs come in order, a URL is crawled if its canonical form is new. Pages that have no
//! duplicate count like all others. Pairs are counted, never enumerated.

mod scorer;

use std::collections::{BTreeMap, HashMap, HashSet};

use serde::Serialize;
use xxhash_rust::xxh3::xxh3_64;

use crate::intern::Interner;
pub use scorer::{CrawlScorer, Scores};

/// URLs with their canonical forms and clusters, in the order of the walk.
#[derive(Default)]
pub struct Evaluation {
    sites: Interner,
    labels: Interner,
    seen: HashSet<u64>,
    entries: Vec<Entry>,
}

#[derive(Clone, Copy)]
struct Entry {
    site: u32,
    key: u64,
    cluster: u32,
    is_skipped: bool,
}

impl Evaluation {
    /// An empty evaluation.
    pub fn new() -> Evaluation {
        Evaluation::default()
    }

    /// Adds the next URL of the walk. A URL that came before is ignored: no crawler fetches it twice.
    pub fn add(&mut self, site: &str, url: &[u8], canonical: &[u8], label: &str) {
        self.add_entry((site, label), url, canonical, false);
    }

    /// Adds the next URL of the walk as skipped, whatever its canonical form: it covers no page, and is merged with no URL.
    pub fn add_skipped(&mut self, site: &str, url: &[u8], canonical: &[u8], label: &str) {
        self.add_entry((site, label), url, canonical, true);
    }

    fn add_entry(&mut self, (site, label): (&str, &str), url: &[u8], canonical: &[u8], is_skipped: bool) {
        if self.seen.insert(xxh3_64(url)) {
            let (site, cluster) = (self.sites.intern(site.as_bytes()), self.labels.intern(label.as_bytes()));
            self.entries.push(Entry { site, key: xxh3_64(canonical), cluster, is_skipped });
        }
    }

    /// The scores, given the number of rules of each site.
    pub fn report(&self, rules: &BTreeMap<String, u64>) -> Report {
        self.report_of(rules, true)
    }

    /// The scores without skips: those of the canonical forms alone.
    pub fn report_without_skips(&self, rules: &BTreeMap<String, u64>) -> Report {
        self.report_of(rules, false)
    }

    fn report_of(&self, rules: &BTreeMap<String, u64>, with_skips: bool) -> Report {
        let total = Score::of(&self.entries, rules.values().sum(), with_skips);
        let mut by_site: BTreeMap<u32, Vec<Entry>> = BTreeMap::new();
        for entry in &self.entries {
            by_site.entry(entry.site).or_default().push(*entry);
        }
        let mut sites: Vec<SiteScore> = Vec::new();
        for (site, entries) in by_site {
            let site = String::from_utf8_lossy(self.sites.get(site)).into_owned();
            let score = Score::of(&entries, rules.get(&site).copied().unwrap_or_default(), with_skips);
            sites.push(SiteScore { site, score });
        }
        sites.sort_by(|a, b| a.site.cmp(&b.site));
        let macro_average = Metrics::mean(&sites.iter().map(|s| &s.score.metrics));
        Report { total, macro_average, sites }
    }
}

/// The scores of a rule set.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// The micro average: all URLs together.
    pub total: Score,
    /// The macro average: the mean over sites.
    pub macro_average: Metrics,
    /// The score of each site.
    pub sites: Vec<SiteScore>,
}

/// The score of one site.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SiteScore {
    /// The site.
    pub site: String,
    /// Its score.
    #[serde(flatten)]
    pub score: Score,
}

/// Counts, and the metrics derived from them.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Score {
    /// Number of distinct URLs.
    pub urls: u64,
    /// Number of clusters, pages without duplicates included.
    pub clusters: u64,
    /// Number of URLs crawled: distinct canonical forms of URLs that are not skipped.
    pub crawled: u64,
    /// Number of clusters of which some URL is crawled.
    pub covered: u64,
    /// Number of pairs of URLs with one canonical form.
    pub merged_pairs: u64,
    /// Number of these pairs whose contents differ.
    pub wrong_pairs: u64,
    /// Number of rules of the set.
    pub rules: u64,
    /// Derived metrics.
    pub metrics: Metrics,
}

/// The metrics of the papers, all shares of 1.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Metrics {
    /// Covered clusters per crawled URL (seq2seq).
    pub precision: f64,
    /// Covered clusters per cluster (seq2seq).
    pub recall: f64,
    /// Harmonic mean of precision and recall (seq2seq).
    pub f1: f64,
    /// Precision of crawling every URL (seq2seq); its recall is 1.
    pub keep_all_precision: f64,
    /// F1 of crawling every URL.
    pub keep_all_f1: f64,
    /// Share of URLs not crawled: compression rate (pattern-tree), reduction ratio (rewrite, decision-tree), discovered
    /// redundancy (dustbuster).
    pub compression: f64,
    /// How much of the duplicate rate is gone (pattern-tree).
    pub dup_reduction: f64,
    /// Share of the duplicates found (dustbuster).
    pub coverage: f64,
    /// Wrong pairs per merged pair.
    pub fpr: f64,
    /// URLs saved per rule (decision-tree).
    pub reduction_per_rule: f64,
}

impl Score {
    fn of(entries: &[Entry], rules: u64, with_skips: bool) -> Score {
        let crawlable = entries.iter().filter(|entry| !(with_skips && entry.is_skipped));
        let mut by_key: Vec<(u64, u32)> = crawlable.map(|entry| (entry.key, entry.cluster)).collect();
        // URLs of one key stay in the order of the walk: the first one is crawled.
        by_key.sort_by_key(|(key, _)| *key);
        let (mut crawled, mut merged_pairs, mut same_pairs) = (Vec::new(), 0, 0);
        for merged in by_key.chunk_by_mut(|a, b| a.0 == b.0) {
            crawled.push(merged[0].1);
            merged_pairs += pairs(merged.len() as u64);
            merged.sort_unstable();
            same_pairs += merged.chunk_by(|a, b| a == b).map(|run| pairs(run.len() as u64)).sum::<u64>();
        }
        let mut score = Score {
            urls: entries.len() as u64,
            clusters: distinct(entries.iter().map(|entry| entry.cluster).collect()),
            crawled: crawled.len() as u64,
            covered: distinct(crawled),
            merged_pairs,
            wrong_pairs: merged_pairs - same_pairs,
            rules,
            metrics: Metrics::default(),
        };
        score.metrics = score.derive();
        score
    }

    /// Sum over sites, whose clusters are distinct.
    #[doc(hidden)]
    pub fn sum(scores: &[&Score]) -> Score {
        let sum = |of: fn(&Score) -> u64| scores.iter().map(|score| of(score)).sum();
        let mut total = Score {
            urls: sum(|s| s.urls),
            clusters: sum(|s| s.clusters),
            crawled: sum(|s| s.crawled),
            covered: sum(|s| s.covered),
            merged_pairs: sum(|s| s.merged_pairs),
            wrong_pairs: sum(|s| s.wrong_pairs),
            rules: sum(|s| s.rules),
            metrics: Metrics::default(),
        };
        total.metrics = total.derive();
        total
    }

    fn derive(&self) -> Metrics {
        let precision = share(self.covered, self.crawled, 1.0);
        let recall = share(self.covered, self.clusters, 1.0);
        let keep_all_precision = share(self.clusters, self.urls, 1.0);
        let duplicates_before = self.urls - self.clusters;
        let duplicates_after = self.crawled - self.covered;
        let found = duplicates_before.saturating_sub(duplicates_after);
        Metrics {
            precision,
            recall,
            f1: harmonic(precision, recall),
            keep_all_precision,
            keep_all_f1: harmonic(keep_all_precision, 1.0),
            compression: share(self.urls - self.crawled, self.urls, 0.0),
            dup_reduction: if keep_all_precision < 1.0 {
                1.0 - (1.0 - precision) / (1.0 - keep_all_precision)
            } else {
                0.0
            },
            coverage: share(found, duplicates_before, 0.0),
            fpr: share(self.wrong_pairs, self.merged_pairs, 0.0),
            reduction_per_rule: share(self.urls - self.crawled, self.rules, 0.0),
        }
    }
}

fn distinct(mut clusters: Vec<u32>) -> u64 {
    clusters.sort_unstable();
    clusters.dedup();
    clusters.len() as u64
}

/// Agreement of two clusterings of the same pages, in pairs of pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Agreement {
    /// Pairs that are one page by our labels.
    pub found: u64,
    /// Pairs that are one page by the reference.
    pub expected: u64,
    /// Pairs that are so by both.
    pub right: u64,
    /// Of the pairs found, the share that is right.
    pub precision: f64,
    /// Of the pairs expected, the share that was found.
    pub recall: f64,
}

impl Agreement {
    /// Compares labels with those of a reference, page by page.
    pub fn of<'l>(labels: impl Iterator<Item = (&'l str, &'l str)>) -> Agreement {
        let (mut ours, mut theirs, mut both) = (HashMap::new(), HashMap::new(), HashMap::new());
        for (our, their) in labels {
            *ours.entry(our).or_default() += 1;
            *theirs.entry(their).or_default() += 1;
            *both.entry((our, their)).or_default() += 1;
        }
        let (found, expected, right) = (pairs_in(&ours), pairs_in(&theirs), pairs_in(&both));
        let (precision, recall) = (share(right, found, 1.0), share(right, expected, 1.0));
        Agreement { found, expected, right, precision, recall }
    }
}

fn pairs_in<K>(counts: &HashMap<K, u64>) -> u64 {
    // Sums do not depend on the order of the map.
    counts.values().map(|&count| pairs(count)).sum()
}

/// Number of pairs of `n` things.
pub fn pairs(n: u64) -> u64 {
    n * n.saturating_sub(1) / 2
}

/// `part` of `whole`, or `of_nothing` where there is no whole.
pub fn share(part: u64, whole: u64, of_nothing: f64) -> f64 {
    if whole == 0 { of_nothing } else { part as f64 / whole as f64 }
}

fn harmonic(a: f64, b: f64) -> f64 {
    if a + b > 0.0 { 2.0 * a * b / (a + b) } else { 0.0 }
}

impl Metrics {
    /// The metrics by name, in the order in which they are shown.
    pub fn named(&self) -> [(&'static str, f64); 10] {
        [
            ("precision", self.precision),
            ("recall", self.recall),
            ("f1", self.f1),
            ("keep-all precision", self.keep_all_precision),
            ("keep-all f1", self.keep_all_f1),
            ("compression", self.compression),
            ("dup-reduction", self.dup_reduction),
            ("coverage", self.coverage),
            ("fpr", self.fpr),
            ("reduction per rule", self.reduction_per_rule),
        ]
    }

    /// The mean of each metric.
    #[doc(hidden)]
    pub fn mean<'m>(all: &(impl Iterator<Item = &'m Metrics> + Clone)) -> Metrics {
        let count = all.clone().count().max(1) as f64;
        let mean = |of: fn(&Metrics) -> f64| all.clone().map(of).sum::<f64>() / count;
        Metrics {
            precision: mean(|m| m.precision),
            recall: mean(|m| m.recall),
            f1: mean(|m| m.f1),
            keep_all_precision: mean(|m| m.keep_all_precision),
            keep_all_f1: mean(|m| m.keep_all_f1),
            compression: mean(|m| m.compression),
            dup_reduction: mean(|m| m.dup_reduction),
            coverage: mean(|m| m.coverage),
            fpr: mean(|m| m.fpr),
            reduction_per_rule: mean(|m| m.reduction_per_rule),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clusterings_agree_in_pairs() {
        let labels = [("a", "1"), ("a", "1"), ("a", "2"), ("b", "2"), ("b", "2"), ("c", "3")];
        let agreement = Agreement::of(labels.into_iter());
        assert_eq!((agreement.found, agreement.expected, agreement.right), (4, 4, 2));
        assert!((agreement.precision - 0.5).abs() < 1e-9 && (agreement.recall - 0.5).abs() < 1e-9);
        assert!((Agreement::of([].into_iter()).precision - 1.0).abs() < 1e-9);
    }

    fn score(rows: &[(&str, &str, &str)]) -> Score {
        let mut evaluation = Evaluation::new();
        for (url, key, label) in rows {
            evaluation.add("site", url.as_bytes(), key.as_bytes(), label);
        }
        evaluation.report(&BTreeMap::from([("site".to_owned(), 2)])).total
    }

    #[test]
    fn a_walk_with_one_right_and_one_wrong_merge() {
        // 1 and 2 are one page and merged; 3 and 4 differ and are merged: 4 is lost; 5 is alone.
        let rows = [
            ("1", "a", "x"),
            ("2", "a", "x"),
            ("3", "b", "y"),
            ("4", "b", "z"),
            ("5", "c", "w"),
            ("1", "a", "x"),
        ];
        let score = score(&rows);
        assert_eq!((score.urls, score.clusters, score.crawled, score.covered), (5, 4, 3, 3));
        assert_eq!((score.merged_pairs, score.wrong_pairs), (2, 1));
        let m = score.metrics;
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-12, "{a} is not {b}");
        close(m.precision, 1.0);
        close(m.recall, 0.75);
        close(m.keep_all_precision, 0.8);
        close(m.compression, 0.4);
        close(m.dup_reduction, 1.0);
        close(m.coverage, 1.0);
        close(m.fpr, 0.5);
        close(m.reduction_per_rule, 1.0);
    }

    #[test]
    fn a_skipped_url_is_there_and_not_crawled() {
        let mut evaluation = Evaluation::new();
        // 1 is skipped and its page reached by 2; 3 is skipped and its page lost; what is skipped does not stand for 4.
        for (url, key, label, is_skipped) in
            [("1", "a", "x", true), ("2", "b", "x", false), ("3", "c", "y", true), ("4", "c", "z", false)]
        {
            let add = if is_skipped { Evaluation::add_skipped } else { Evaluation::add };
            add(&mut evaluation, "site", url.as_bytes(), key.as_bytes(), label);
        }
        evaluation.add("site", b"1", b"a", "x");
        let counts = |score: Score| {
            (score.urls, score.clusters, score.crawled, score.covered, score.merged_pairs, score.wrong_pairs)
        };
        let rules = BTreeMap::new();
        assert_eq!(counts(evaluation.report(&rules).total), (4, 3, 2, 2, 0, 0));
        assert_eq!(counts(evaluation.report_without_skips(&rules).total), (4, 3, 3, 2, 1, 1));
    }

    #[test]
    fn nothing_to_score() {
        let score = score(&[]);
        assert_eq!(score.urls, 0);
        assert!(score.metrics.named().iter().all(|(_, value)| value.is_finite()));
    }
}
