//! The experiment of WSDM 2010 (section 5) on one site, for any learners. Half of the pages are to learn from, the other half
//! shows how many URLs the rules spare.
//!
//! Each rule has a *coverage*, the URLs that it changes, and a *precision*, the share of these that stay on their page. Sets of
//! rules, of a least coverage and a least precision, have a *reduction ratio*: the share of URLs that are gone once URLs of one
//! canonical form count as one (Tables 3 and 4). The paper does not say what becomes of rules that contradict each other; here
//! the more precise come first, and rules may run in circles. It does not say either how many of the URLs that are gone were of
//! another page than the one kept; we do.

use serde::Serialize;
use undust::page::Page;
use undust::rules::Action;

use super::MIN_URLS;
use super::halves::{Half, split};
use super::walk::{Removed, Walk, reduce};
use undust_learn::changes::{Changes, engine};
use undust_learn::evaluate::share;
use undust_learn::learn::{Candidate, Learner};
use undust_learn::site::{Sample, Site};

/// The least coverages that are tried; the first of them is the one of Table 3.
pub const MIN_COVERAGES: [u64; 3] = [10, 100, 1000];
/// The least precisions that are tried; the last takes every rule.
pub const MIN_PRECISIONS: [f64; 5] = [1.0, 0.95, 0.9, 0.8, 0.0];

/// How the experiment is done.
#[derive(Clone, Copy, Debug, Default)]
pub struct Experiment {
    /// Deals clusters into the two halves.
    pub seed: u64,
    /// Where coverage and precision of a rule are measured.
    pub judged_on: Half,
    /// Keep pages with a single URL in the half that rules are applied to. The paper has none.
    pub singletons: bool,
}

/// What came of it on one site.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SiteReport {
    /// The site.
    pub site: String,
    /// Distinct labelled URLs, before those of a page by themselves are left out.
    pub urls: u64,
    /// URLs that rules are learned from.
    pub train: u64,
    /// URLs that they are applied to.
    pub test: u64,
    /// By learner.
    pub methods: Vec<MethodReport>,
}

/// What the rules of one learner do.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MethodReport {
    /// The learner.
    pub method: String,
    /// Rules it proposed.
    pub candidates: u64,
    /// Its rules of every least coverage and every least precision.
    pub sets: Vec<SetScore>,
}

/// What a set of rules does.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SetScore {
    /// Rules that cover fewer URLs are not in the set.
    pub min_coverage: u64,
    /// Nor are those that are less precise.
    pub min_precision: f64,
    /// What was counted.
    #[serde(flatten)]
    pub counts: Counts,
    /// What follows.
    pub metrics: Metrics,
}

/// What is counted of a set of rules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Rules of the set.
    pub rules: u64,
    /// Rules of this coverage, whatever their precision.
    pub of_any_precision: u64,
    /// URLs that the set is applied to.
    pub urls: u64,
    /// URLs less than before, when those of one canonical form count as one.
    pub removed: u64,
    /// Of these, URLs of another page than the one kept.
    pub wrong: u64,
}

/// The metrics of the paper, and the last one ours.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Metrics {
    /// Rules of the set, of those of any precision.
    pub share_of_rules: f64,
    /// URLs removed, of all.
    pub reduction_ratio: f64,
    /// The mean of the sites' reduction ratios, each site counting the same.
    pub mean_reduction_ratio: f64,
    /// URLs removed by a rule.
    pub reduction_per_rule: f64,
    /// Wrong URLs, of those removed.
    pub wrong_share: f64,
}

/// A rule and what is known of it.
struct Judged<'c> {
    action: &'c Action,
    coverage: u64,
    wrong: u64,
}

impl Experiment {
    /// Do the experiment on the pages of one site. Nothing if there are too few.
    pub fn run(&self, name: &str, pages: &[Page], learners: &[Box<dyn Learner>]) -> Option<SiteReport> {
        let site = Site::new(name, pages, self.seed);
        if site.len() < MIN_URLS {
            return None;
        }
        let (train, test) = split(&site, self.seed, self.singletons);
        Some(SiteReport {
            site: name.to_owned(),
            urls: site.len() as u64,
            train: train.rows.len() as u64,
            test: test.rows.len() as u64,
            methods: learners.iter().map(|learner| self.method(learner.as_ref(), &train, &test)).collect(),
        })
    }

    fn method(&self, learner: &dyn Learner, train: &Sample, test: &Sample) -> MethodReport {
        let candidates = learner.learn(train);
        let rules = judge(
            &candidates,
            match self.judged_on {
                Half::Train => train,
                Half::Test => test,
            },
        );
        MethodReport {
            method: learner.name().to_owned(),
            candidates: candidates.len() as u64,
            sets: MIN_COVERAGES.iter().flat_map(|&least| scores(&rules, least, test)).collect(),
        }
    }
}

/// Coverage and precision of each rule by itself; the most precise first, then those that cover most, then as proposed.
fn judge<'c>(candidates: &'c [Candidate], sample: &Sample) -> Vec<Judged<'c>> {
    let judged = |candidate: &'c Candidate| Judged { action: &candidate.action, coverage: 0, wrong: 0 };
    let mut rules: Vec<Judged> = candidates.iter().map(judged).collect();
    let engine = engine(candidates.iter().map(|candidate| &candidate.action));
    for (rule, merged) in Changes::of_each_rule(sample, &engine).by_rule() {
        let rule = &mut rules[rule as usize];
        for merged in merged {
            rule.coverage += merged.changed();
            rule.wrong += merged.wrong();
        }
    }
    let by_precision = |a: &Judged, b: &Judged| b.precision().total_cmp(&a.precision());
    rules.sort_by(|a, b| by_precision(a, b).then(b.coverage.cmp(&a.coverage)));
    rules
}

impl Judged<'_> {
    fn precision(&self) -> f64 {
        share(self.coverage - self.wrong, self.coverage, 0.0)
    }
}

/// What those of `rules` do that cover enough, for every least precision.
fn scores(rules: &[Judged], min_coverage: u64, test: &Sample) -> Vec<SetScore> {
    let rules: Vec<&Judged> = rules.iter().filter(|rule| rule.coverage >= min_coverage).collect();
    let mut walk = Walk::new(rules.iter().map(|rule| rule.action));
    let score = |min_precision| {
        let count = rules.partition_point(|rule| rule.precision() >= min_precision);
        let forms = walk.forms(count as u32, test);
        let url = |(key, &row): (u32, &u32)| (key, forms[key as usize], test.site.cluster(row));
        let Removed { urls: removed, wrong } = reduce((0..).zip(&test.rows).map(url));
        let (rules, of_any_precision, urls) = (count as u64, rules.len() as u64, test.rows.len() as u64);
        SetScore::new(min_coverage, min_precision, Counts { rules, of_any_precision, urls, removed, wrong })
    };
    MIN_PRECISIONS.into_iter().map(score).collect()
}

impl SetScore {
    fn new(min_coverage: u64, min_precision: f64, counts: Counts) -> SetScore {
        let reduction_ratio = share(counts.removed, counts.urls, 0.0);
        let metrics = Metrics {
            share_of_rules: share(counts.rules, counts.of_any_precision, 0.0),
            reduction_ratio,
            mean_reduction_ratio: reduction_ratio,
            reduction_per_rule: share(counts.removed, counts.rules, 0.0),
            wrong_share: share(counts.wrong, counts.removed, 0.0),
        };
        SetScore { min_coverage, min_precision, counts, metrics }
    }

    /// The same set on several sites.
    fn sum(sets: &[&SetScore]) -> Option<SetScore> {
        let first = sets.first()?;
        let counts = sets.iter().fold(Counts::default(), |sum, set| sum.plus(&set.counts));
        let mut total = SetScore::new(first.min_coverage, first.min_precision, counts);
        // A site whose pages were all learned from has nothing to be reduced.
        let tested = || sets.iter().filter(|set| set.counts.urls > 0);
        let ratios = tested().map(|set| set.metrics.reduction_ratio).sum::<f64>();
        total.metrics.mean_reduction_ratio = ratios / tested().count().max(1) as f64;
        Some(total)
    }
}

impl Counts {
    fn plus(&self, other: &Counts) -> Counts {
        Counts {
            rules: self.rules + other.rules,
            of_any_precision: self.of_any_precision + other.of_any_precision,
            urls: self.urls + other.urls,
            removed: self.removed + other.removed,
            wrong: self.wrong + other.wrong,
        }
    }
}

/// All sites together, by learner. Every site must have been done in the same way.
pub fn total(sites: &[SiteReport]) -> Vec<MethodReport> {
    let of_method = |at: usize, report: &MethodReport| {
        let reports: Vec<&MethodReport> = sites.iter().filter_map(|site| site.methods.get(at)).collect();
        let set = |i: usize| reports.iter().filter_map(|report| report.sets.get(i)).collect::<Vec<_>>();
        MethodReport {
            method: report.method.clone(),
            candidates: reports.iter().map(|report| report.candidates).sum(),
            sets: (0..report.sets.len()).filter_map(|i| SetScore::sum(&set(i))).collect(),
        }
    };
    let methods = sites.first().map_or(&[][..], |site| &site.methods);
    methods.iter().enumerate().map(|(at, report)| of_method(at, report)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixed::Fixed;

    fn page(url: String, label: String) -> Page {
        Page { cluster: Some(label), ..Page::new(url) }
    }

    /// 200 pages with two URLs each, `/a/1` and `/b/1`, and 200 with one, `/c/1`.
    fn pages() -> Vec<Page> {
        let two = (0..200).flat_map(|i| {
            ["a", "b"].map(|folder| page(format!("http://a.com/{folder}/{i}"), format!("p{i}")))
        });
        two.chain((0..200).map(|i| page(format!("http://a.com/c/{i}"), format!("q{i}")))).collect()
    }

    fn run(experiment: Experiment, rules: &[(&'static str, &'static str)], pages: &[Page]) -> SiteReport {
        let learner: Box<dyn Learner> = Box::new(Fixed(rules.to_vec()));
        experiment.run("a.com", pages, &[learner]).expect("enough URLs")
    }

    /// Two rules that undo each other.
    const CIRCLE: [(&str, &str); 2] =
        [("http://a.com/a/{x}", "http://a.com/b/{x}"), ("http://a.com/b/{x}", "http://a.com/a/{x}")];

    #[test]
    fn a_circle_is_one_url() {
        let report = run(Experiment::default(), &CIRCLE, &pages());
        let best = &report.methods[0].sets[0];
        assert_eq!((best.min_coverage, best.counts.rules, best.counts.wrong), (10, 2, 0));
        assert_eq!((best.counts.urls, best.counts.removed), (report.test, report.test / 2));
        assert!((best.metrics.reduction_ratio - 0.5).abs() < 1e-12);
    }

    #[test]
    fn precision_and_what_is_wrong() {
        // Every page becomes one: of the URLs changed, two stay on their page.
        let report = run(Experiment::default(), &[("http://a.com/*/*", "http://a.com/")], &pages());
        let sets = &report.methods[0].sets;
        assert!(sets[..4].iter().all(|set| set.counts.rules == 0 && set.counts.removed == 0));
        let all = &sets[4];
        assert_eq!((all.counts.rules, all.metrics.share_of_rules), (1, 1.0));
        assert_eq!((all.counts.removed, all.counts.wrong), (report.test - 1, report.test - 2));
        assert_eq!(sets.len(), 15);
        assert!(sets[10..].iter().all(|set| set.counts.rules == 0), "none covers 1,000");
    }

    #[test]
    fn where_a_rule_is_judged() {
        // Pages by themselves are seen in the test half only: there the rule is wrong.
        let rule = [("http://a.com/*/{x}", "http://a.com/a/{x}")];
        let on = |judged_on| run(Experiment { judged_on, singletons: true, seed: 0 }, &rule, &pages());
        let best = |report: &SiteReport| report.methods[0].sets[0].counts;
        let trained = best(&on(Half::Train));
        assert!(trained.rules == 1 && trained.wrong > 0, "{trained:?}");
        assert_eq!(best(&on(Half::Test)).rules, 0);
    }

    #[test]
    fn the_order_of_rows_does_not_matter() {
        let reversed: Vec<Page> = pages().into_iter().rev().collect();
        assert_eq!(
            run(Experiment::default(), &CIRCLE, &pages()),
            run(Experiment::default(), &CIRCLE, &reversed)
        );
    }

    #[test]
    fn sites_are_added_up() {
        let one = run(Experiment::default(), &CIRCLE, &pages());
        let none = run(Experiment::default(), &[], &pages());
        let total = total(&[one.clone(), none]);
        let (best, of_one) = (&total[0].sets[0], &one.methods[0].sets[0]);
        assert_eq!((best.counts.rules, best.counts.urls), (2, 2 * one.test));
        assert_eq!(best.counts.removed, of_one.counts.removed);
        assert!((best.metrics.mean_reduction_ratio - 0.25).abs() < 1e-12);
        assert!(super::total(&[]).is_empty());
    }

    #[test]
    fn a_small_site_says_nothing() {
        assert_eq!(Experiment::default().run("a.com", &pages()[..99], &[]), None);
    }
}
