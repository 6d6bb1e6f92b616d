//! The experiment on made-up sites, whose numbers can be worked out by hand.

use undust::rules::RuleSet;
use undust_learn::LearnOptions;

use super::*;

/// 400 pages with two URLs each, the second one with a session.
fn pages() -> Vec<Page> {
    let page = |i: u32, end: &str| Page {
        cluster: Some(format!("p{i}")),
        ..Page::new(format!("http://a.com/item?id={i}{end}"))
    };
    (0..400).flat_map(|i| ["", "&sid=7"].map(|end| page(i, end))).collect()
}

fn given(rules: &str) -> Given {
    let text = format!(r#"{{"undust": 1, "sites": [{{"site": "a.com", "rules": [{rules}]}}]}}"#);
    let rules = RuleSet::from_json(&text).unwrap_or_else(|error| panic!("{error}"));
    Given { name: "given".to_owned(), file: RuleFile::of_rules(rules) }
}

fn run(experiment: Experiment, methods: &[&dyn Method]) -> SiteReport {
    experiment.run("a.com", &pages(), methods, &|| 0.0).expect("enough URLs")
}

fn counts(report: &MethodReport) -> (u64, u64, u64, u64) {
    let Score { urls, clusters, crawled, covered, .. } = report.score;
    (urls, clusters, crawled, covered)
}

#[test]
fn a_crawl_of_pages_that_nobody_learned_from() {
    let learner = Learner(LearnOptions::new().method("rewrite").build().expect("a method"));
    let by_hand = given(r#"{"match": "http://a.com/item?id={}", "rewrite": "http://a.com/item"}"#);
    let report = run(Experiment::default(), &[&learner, &by_hand]);
    let [split] = &report.splits[..] else { panic!("one split") };
    assert_eq!((split.train_urls, split.train_pages, split.mislabelled), (600, 300, 0));
    let [keep_all, learned, given] = &split.methods[..] else { panic!("three methods") };
    assert_eq!(counts(keep_all), (200, 100, 200, 100));
    assert_eq!((keep_all.gap_closed, keep_all.score.rules), (Some(0.0), 0));
    assert_eq!(counts(learned), (200, 100, 100, 100));
    assert_eq!((learned.gap_closed, learned.score.rules), (Some(1.0), 1));
    // All pages without a session become one, and the others stay.
    assert_eq!(counts(given), (200, 100, 101, 100));
    assert!((given.score.metrics.precision - 100.0 / 101.0).abs() < 1e-12);
}

#[test]
fn skips_are_not_fetched() {
    let skip = given(r#"{"match": "http://a.com/item?id={}&sid={}", "skip": true}"#);
    let report = run(Experiment::default(), &[&skip]);
    assert_eq!(counts(&report.splits[0].methods[1]), (200, 100, 100, 100));
}

#[test]
fn several_splits_and_sites() {
    let all = given(r#"{"match": "http://a.com/item?{...}", "rewrite": "http://a.com/"}"#);
    let one = run(Experiment { splits: 3, seed: 5, ..Experiment::default() }, &[&all]);
    assert_eq!(one.splits.iter().map(|split| split.seed).collect::<Vec<_>>(), [5, 6, 7]);
    let stable = one.stability("keep-all");
    assert_eq!((stable.splits, stable.bad, stable.min_recall), (3, 0, 1.0));
    assert_eq!(one.stability("given").bad, 3);
    let other = run(Experiment::default(), &[]);
    let [keep_all, given] = &total(&[one, other])[..] else { panic!("two methods") };
    assert_eq!((keep_all.sites, given.sites, keep_all.stability.splits), (2, 1, 4));
    assert_eq!(keep_all.precision, Interval { mean: 0.5, low: 0.5, high: 0.5 });
    assert_eq!(total(&[]), []);
}

#[test]
fn a_small_site_says_nothing() {
    assert_eq!(Experiment::default().run("a.com", &pages()[..99], &[], &|| 0.0), None);
}
