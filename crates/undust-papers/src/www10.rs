//! The experiment of WWW 2010 (section 6) on one site, for any learners. Rules are learned from a fifth of the URLs, proofed on these,
//! deployed, and tested on all URLs of the site.
//!
//! Of the *raw* rules that a learner proposes those are *qualified* that have at most so many false positives (Table 3, Fig. 10); a
//! strategy chooses among them what is *deployed* (Table 4). What this does to all URLs is counted by [`Evaluation`] (Figs. 11 and
//! 12). Nnorm are the canonical forms. A form is of the page of its first URL, in the site's order, and Cnorm are the pages that
//! have a form: a page lost to another's form is not taken for a duplicate that is left. The paper does not give
//! the false-positive rate on all URLs, nor the pages lost; we do, since the pairs of one large page hide much in the former.
//!
//! A URL is a map from keys to values in this paper and in the one it compares with. So parameters are sorted before anything else: URLs
//! that differ in their order alone are one from the start.
//!
//! Labels may be made wrong, in what is learned from alone: the paper leaves fake duplicates to future work.

mod train;

use std::collections::BTreeMap;

use serde::Serialize;
use undust::apply::{Canonicalizer, Form, Scratch};
use undust::page::Page;
use undust::rules::{Action, Rule, RuleSet};
use undust::url::SiteBy;

use super::{MIN_URLS, part_of};
use crate::deploy::{Proofed, Strategy};
pub use train::SampleBy;
use undust_learn::changes::engine;
use undust_learn::evaluate::{Evaluation, Metrics, Score, share};
use undust_learn::learn::pattern_tree::PatternTree;
use undust_learn::learn::rewrite::{FilterKind, Rewrite};
use undust_learn::learn::{Learner, template_helpers};
use undust_learn::site::{Sample, Site};

/// The false-positive rates that rules may have to be deployed.
pub const MAX_FPRS: [f64; 11] = [0.0, 0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.07, 0.08, 0.09, 0.1];
/// More of them, for which qualified rules are counted and not deployed: nobody would.
pub const LOOSE_MAX_FPRS: [f64; 8] = [0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9];
/// The one of Tables 3 and 4.
pub const TABLE_MAX_FPR: f64 = 0.05;

/// The default of [`Experiment::train`].
pub const TRAIN: f64 = 0.2;
/// The default of [`Experiment::max_train_urls`].
pub const MAX_TRAIN_URLS: usize = 100_000;

/// How the experiment is done.
#[derive(Clone, Copy, Debug)]
pub struct Experiment {
    /// The share of a site's URLs that rules are learned from.
    pub train: f64,
    /// But at most this number of URLs.
    pub max_train_urls: usize,
    /// What is drawn for that.
    pub sample_by: SampleBy,
    /// The share of these URLs that get the label of another page.
    pub noise: f64,
    /// Seed of what is drawn.
    pub seed: u64,
    /// How hosts are grouped into sites.
    pub site_by: SiteBy,
}

impl Default for Experiment {
    fn default() -> Experiment {
        Experiment {
            train: TRAIN,
            max_train_urls: MAX_TRAIN_URLS,
            sample_by: SampleBy::default(),
            noise: 0.0,
            seed: 0,
            site_by: SiteBy::default(),
        }
    }
}

/// A learner and how its rules are deployed: it learns once for all strategies.
pub struct Method {
    /// What it is called in the report.
    pub name: String,
    /// Proposes rules.
    pub learner: Box<dyn Learner>,
    /// Choose among them.
    pub strategies: Vec<Strategy>,
}

impl Method {
    /// A learner under its own name, with both strategies.
    pub fn new(learner: Box<dyn Learner>) -> Method {
        let strategies = vec![Strategy::Naive, Strategy::Graph];
        Method { name: learner.name().to_owned(), learner, strategies }
    }
}

/// What the paper compares: `rewrite` of two fan-outs, which comes without a strategy of its own, and `pattern-tree`.
pub fn methods_of_the_paper() -> Vec<Method> {
    let fan_out = |n| Method {
        name: format!("fan-out {n}"),
        learner: Box::new(Rewrite { filter: FilterKind::FanOut(n), ..Rewrite::default() }),
        strategies: vec![Strategy::Naive],
    };
    vec![fan_out(5), fan_out(10), Method::new(Box::new(PatternTree::default()))]
}

/// What came of it on one site.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SiteReport {
    /// The site.
    pub site: String,
    /// Distinct labelled URLs, which rules are tested on.
    pub urls: u64,
    /// URLs that they are learned from.
    pub train: u64,
    /// Of these, URLs under a wrong label.
    pub mislabelled: u64,
    /// By learner.
    pub methods: Vec<MethodReport>,
}

/// What the rules of one learner do.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MethodReport {
    /// The learner.
    pub method: String,
    /// Rules it proposed.
    pub raw: u64,
    /// How many of them are qualified, for each of [`MAX_FPRS`] and [`LOOSE_MAX_FPRS`].
    pub proofing: Vec<Qualified>,
    /// By strategy.
    pub deployments: Vec<Deployment>,
}

/// Rules that are good enough to be deployed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Qualified {
    /// The false-positive rate that they may have, on what they were learned from.
    pub max_fpr: f64,
    /// How many they are.
    pub rules: u64,
    /// Of all raw rules.
    pub rate: f64,
}

/// What the rules do that a strategy chose.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Deployment {
    /// The strategy.
    pub strategy: Strategy,
    /// Its sets for each of [`MAX_FPRS`].
    pub sets: Vec<SetScore>,
}

/// What a set of rules does to all URLs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SetScore {
    /// The false-positive rate that each of its rules may have, on what it was learned from.
    pub max_fpr: f64,
    /// All URLs together: the micro average.
    #[serde(flatten)]
    pub score: Score,
    /// The mean of the sites' metrics, each site counting the same.
    pub macro_average: Metrics,
}

impl Experiment {
    /// Do the experiment on the pages of one site. Nothing if there are too few.
    pub fn run(&self, name: &str, pages: &[Page], methods: &[Method]) -> Option<SiteReport> {
        let mut site = Site::new(name, &in_order(pages), self.seed);
        if site.len() < MIN_URLS {
            return None;
        }
        let truth: Vec<u32> = (0..site.len() as u32).map(|row| site.cluster(row)).collect();
        let count = part_of(site.len(), self.train).min(self.max_train_urls);
        let rows = train::draw(&site, count, self.sample_by, self.seed);
        let mislabelled = train::mislabel(&mut site, &rows, self.noise, self.seed);
        let test = Test { site: &site, truth, site_by: self.site_by };
        let sample = Sample { site: &site, rows };
        Some(SiteReport {
            site: name.to_owned(),
            urls: site.len() as u64,
            train: sample.rows.len() as u64,
            mislabelled,
            methods: methods.iter().map(|method| method.run(&sample, &test)).collect(),
        })
    }
}

/// The pages with their parameters sorted by name.
fn in_order(pages: &[Page]) -> Vec<Page> {
    let engine = engine(template_helpers::sorting().iter());
    let mut scratch = Scratch::new();
    let mut sorted = |page: &Page| {
        let url = engine.canonicalize(&page.url, &mut scratch).into_owned();
        Page { url, ..page.clone() }
    };
    pages.iter().map(&mut sorted).collect()
}

impl Method {
    fn run(&self, sample: &Sample, test: &Test) -> MethodReport {
        let candidates = self.learner.learn(sample);
        let proofed = Proofed::new(sample, &candidates);
        let raw = candidates.len() as u64;
        let qualified =
            |&max_fpr: &f64| Qualified::new(max_fpr, proofed.qualified(max_fpr).len() as u64, raw);
        let deployment = |&strategy: &Strategy| Deployment { strategy, sets: test.sets(&proofed, strategy) };
        MethodReport {
            method: self.name.clone(),
            raw,
            proofing: MAX_FPRS.iter().chain(&LOOSE_MAX_FPRS).map(qualified).collect(),
            deployments: self.strategies.iter().map(deployment).collect(),
        }
    }
}

/// All URLs of a site, and the pages that they are truly of.
struct Test<'s> {
    site: &'s Site,
    truth: Vec<u32>,
    site_by: SiteBy,
}

impl Test<'_> {
    /// What is deployed for each of [`MAX_FPRS`], and what that does.
    fn sets(&self, proofed: &Proofed, strategy: Strategy) -> Vec<SetScore> {
        let mut last: Option<(Vec<Action>, Score)> = None;
        let set = |max_fpr| {
            let rules = proofed.deploy(max_fpr, strategy, &self.site.name, self.site_by);
            // Many sites have no rule between two rates: what is the same need not be tested again.
            let known = last.take().filter(|(before, _)| *before == rules);
            let (rules, score) = known.unwrap_or_else(|| {
                let score = self.score(&rules);
                (rules, score)
            });
            last = Some((rules, score.clone()));
            SetScore { max_fpr, macro_average: score.metrics.clone(), score }
        };
        MAX_FPRS.into_iter().map(set).collect()
    }

    fn score(&self, rules: &[Action]) -> Score {
        let name = &self.site.name;
        let count = BTreeMap::from([(name.clone(), rules.len() as u64)]);
        let rules = rules.iter().cloned().map(Rule::new).collect();
        let engine = Canonicalizer::of_rules(&RuleSet::of_site(name, self.site_by, rules), Form::Key);
        let (mut scratch, mut url, mut key) = (Scratch::new(), Vec::new(), Vec::new());
        let mut walk = Evaluation::new();
        for (row, cluster) in (0..).zip(&self.truth) {
            url.clear();
            self.site.write_url(row, &mut url);
            key.clear();
            engine.canonicalize_into(&url, &mut scratch, &mut key);
            walk.add(name, &url, &key, &cluster.to_string());
        }
        walk.report(&count).total
    }
}

impl Qualified {
    fn new(max_fpr: f64, rules: u64, raw: u64) -> Qualified {
        Qualified { max_fpr, rules, rate: share(rules, raw, 0.0) }
    }
}

/// All sites together, by learner. Every site must have been done in the same way.
pub fn total(sites: &[SiteReport]) -> Vec<MethodReport> {
    let methods = sites.first().map_or(0, |site| site.methods.len());
    let of_sites = |at: usize| sites.iter().filter_map(move |site| site.methods.get(at)).collect::<Vec<_>>();
    (0..methods).filter_map(|at| MethodReport::sum(&of_sites(at))).collect()
}

impl MethodReport {
    /// The same learner on several sites.
    fn sum(reports: &[&MethodReport]) -> Option<MethodReport> {
        let first = reports.first()?;
        let raw = reports.iter().map(|report| report.raw).sum();
        let qualified = |(at, known): (usize, &Qualified)| {
            let rules = reports.iter().map(|report| report.proofing[at].rules).sum();
            Qualified::new(known.max_fpr, rules, raw)
        };
        let deployment = |(at, known): (usize, &Deployment)| {
            let of_sites: Vec<&Deployment> = reports.iter().map(|report| &report.deployments[at]).collect();
            Deployment { strategy: known.strategy, sets: sum_sets(&of_sites) }
        };
        Some(MethodReport {
            method: first.method.clone(),
            raw,
            proofing: first.proofing.iter().enumerate().map(qualified).collect(),
            deployments: first.deployments.iter().enumerate().map(deployment).collect(),
        })
    }
}

/// The same sets on several sites.
fn sum_sets(sites: &[&Deployment]) -> Vec<SetScore> {
    let set = |(at, max_fpr): (usize, f64)| {
        let scores: Vec<&Score> = sites.iter().map(|site| &site.sets[at].score).collect();
        let macro_average = Metrics::mean(&scores.iter().map(|score| &score.metrics));
        SetScore { max_fpr, score: Score::sum(&scores), macro_average }
    };
    MAX_FPRS.into_iter().enumerate().map(set).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixed::Fixed;

    /// Right on `/b/`, which are the pages of `/a/`.
    const RIGHT: (&str, &str) = ("http://a.com/b/{x}", "http://a.com/a/{x}");
    /// Wrong on `/c/`, which are pages of their own.
    const WRONG: (&str, &str) = ("http://a.com/c/{x}", "http://a.com/a/{x}");
    /// Changes nothing.
    const IDLE: (&str, &str) = ("http://a.com/d/{x}", "http://a.com/a/{x}");

    fn page(url: String, label: String) -> Page {
        Page { cluster: Some(label), ..Page::new(url) }
    }

    /// 200 pages with two URLs each, `/a/1` and `/b/1`, and 100 with one, `/c/1`.
    fn pages() -> Vec<Page> {
        let two = (0..200).flat_map(|i| {
            ["a", "b"].map(|folder| page(format!("http://a.com/{folder}/{i}"), format!("p{i}")))
        });
        two.chain((0..100).map(|i| page(format!("http://a.com/c/{i}"), format!("q{i}")))).collect()
    }

    fn run(experiment: Experiment, rules: &[(&'static str, &'static str)], pages: &[Page]) -> SiteReport {
        let method = Method::new(Box::new(Fixed(rules.to_vec())));
        experiment.run("a.com", pages, &[method]).expect("enough URLs")
    }

    /// Learns from everything, so that what is qualified can be told by heart.
    const ALL: Experiment = Experiment {
        train: 1.0,
        max_train_urls: 1000,
        sample_by: SampleBy::Cluster,
        noise: 0.0,
        seed: 0,
        site_by: SiteBy::Domain,
    };

    fn close(a: f64, b: f64) {
        assert!((a - b).abs() < 1e-12, "{a} is not {b}");
    }

    #[test]
    fn a_fifth_or_as_many_as_may_be() {
        let train = |experiment| run(experiment, &[], &pages()).train;
        assert_eq!(train(Experiment::default()), 100);
        assert_eq!(train(Experiment { max_train_urls: 30, ..Experiment::default() }), 30);
        assert_eq!(train(ALL), 500);
    }

    #[test]
    fn what_is_raw_qualified_and_deployed() {
        let report = run(ALL, &[RIGHT, WRONG, IDLE], &pages());
        let method = &report.methods[0];
        assert_eq!((method.raw, method.proofing.len()), (3, 19));
        assert!(method.proofing.iter().all(|qualified| qualified.rules == 1), "right in all or in none");
        close(method.proofing[0].rate, 1.0 / 3.0);
        let strategies: Vec<_> = method.deployments.iter().map(|deployment| deployment.strategy).collect();
        assert_eq!(strategies, [Strategy::Naive, Strategy::Graph]);
        for Deployment { sets, .. } in &method.deployments {
            let rates: Vec<f64> = sets.iter().map(|set| set.max_fpr).collect();
            assert_eq!(rates, MAX_FPRS);
            assert!(sets.iter().all(|set| set.score.rules == 1));
        }
    }

    #[test]
    fn metrics_of_a_site_by_hand() {
        let report = run(ALL, &[RIGHT], &pages());
        let SetScore { score, macro_average, .. } = &report.methods[0].deployments[0].sets[0];
        assert_eq!((score.urls, score.clusters, score.crawled, score.covered), (500, 300, 300, 300));
        assert_eq!((score.merged_pairs, score.wrong_pairs), (200, 0));
        close(score.metrics.compression, 0.4);
        close(score.metrics.dup_reduction, 1.0);
        close(score.metrics.fpr, 0.0);
        assert_eq!(macro_average, &score.metrics);
    }

    #[test]
    fn lost_pages_are_no_duplicates() {
        // Learned from pages 0 to 199 alone, the rule looks right; pages of `/c/` are lost to those of `/a/`.
        let any = ("http://a.com/*/{x}", "http://a.com/a/{x}");
        let site = Site::new("a.com", &pages(), 0);
        let truth = (0..500).map(|row| site.cluster(row)).collect();
        let test = Test { site: &site, truth, site_by: SiteBy::Domain };
        let score = test.score(&[Action::rewrite(any.0, any.1).expect("well formed")]);
        assert_eq!((score.urls, score.clusters, score.crawled), (500, 300, 200));
        // 100 forms hold three URLs of two pages, 100 two of one.
        assert_eq!((score.merged_pairs, score.wrong_pairs), (400, 200));
        assert_eq!(score.covered, 200);
        close(score.metrics.compression, 0.6);
        close(score.metrics.fpr, 0.5);
    }

    #[test]
    fn noise_is_in_what_is_learned_from_alone() {
        let report = run(Experiment { noise: 0.1, ..ALL }, &[RIGHT], &pages());
        assert_eq!(report.mislabelled, 50);
        let method = &report.methods[0];
        assert_eq!(method.proofing[0].rules, 0, "the right rule looks wrong somewhere");
        let loose = method.proofing.last().expect("rates");
        assert_eq!((loose.max_fpr, loose.rules), (0.9, 1));
        // Tested on the truth: with nothing deployed, nothing is merged and no page has more URLs than it had.
        let score = &method.deployments[0].sets[0].score;
        assert_eq!((score.clusters, score.crawled, score.covered), (300, 500, 300));
    }

    #[test]
    fn the_order_of_rows_does_not_matter() {
        let reversed: Vec<Page> = pages().into_iter().rev().collect();
        for sample_by in [SampleBy::Url, SampleBy::Cluster] {
            let experiment = Experiment { noise: 0.05, sample_by, ..Experiment::default() };
            assert_eq!(run(experiment, &[RIGHT], &pages()), run(experiment, &[RIGHT], &reversed));
        }
    }

    #[test]
    fn micro_and_macro() {
        let large = run(ALL, &[RIGHT], &pages());
        // 50 pages with two URLs each, and no rule.
        let small = run(ALL, &[], &pages()[..100]);
        let total = total(&[large, small]);
        assert_eq!((total[0].raw, total[0].proofing[0].rules), (1, 1));
        let set = &total[0].deployments[1].sets[10];
        assert_eq!(
            (set.max_fpr, set.score.urls, set.score.crawled, set.score.clusters),
            (0.1, 600, 400, 350)
        );
        close(set.score.metrics.compression, 1.0 / 3.0);
        close(set.macro_average.compression, 0.2);
        close(set.macro_average.dup_reduction, 0.5);
        close(set.score.metrics.dup_reduction, 1.0 - (1.0 - 350.0 / 400.0) / (1.0 - 350.0 / 600.0));
        assert!(super::total(&[]).is_empty());
    }

    #[test]
    fn the_paper_compares_four() {
        let methods = methods_of_the_paper();
        assert_eq!(methods.iter().map(|method| method.strategies.len()).sum::<usize>(), 4);
    }

    #[test]
    fn a_small_site_says_nothing() {
        assert_eq!(Experiment::default().run("a.com", &pages()[..99], &[]), None);
    }
}
