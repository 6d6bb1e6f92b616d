//! The experiment on made-up sites, whose numbers can be worked out by hand.

use super::*;
use crate::fixed::Fixed;
use undust::apply::{Canonicalizer, Form, Scratch};
use undust::rules::{Rule, RuleSet};
use undust_learn::learn::Learner;
use undust_learn::pipeline::{Config, learn_site};

fn page(url: &str, label: &str) -> Page {
    Page { cluster: Some(label.to_owned()), ..Page::new(format!("http://a.com{url}")) }
}

/// Takes every URL for the page of its path.
struct ByPath;

/// What [`ByPath`] makes of so many pages.
struct Paths(usize);

impl Method for ByPath {
    fn name(&self) -> &'static str {
        "by-path"
    }

    fn learn(&self, _site: &str, pages: &[Page]) -> Box<dyn Canonical> {
        Box::new(Paths(pages.len()))
    }
}

impl Canonical for Paths {
    fn append_key(&mut self, url: &[u8], out: &mut Vec<u8>) {
        out.extend(url.iter().take_while(|&&byte| byte != b'?'));
    }

    fn is_skipped(&mut self, key: &[u8]) -> bool {
        key.starts_with(b"http://a.com/skipped/")
    }

    fn rules(&self) -> u64 {
        1
    }

    fn figures(&self) -> Vec<Figure> {
        vec![Figure { name: "rows seen".to_owned(), value: self.0 as f64 }]
    }
}

/// 75 rows to learn from: 20 pages with two URLs each, 35 with one.
fn first_rows() -> Vec<Page> {
    let two = (0..20).flat_map(|i| ["", "?x=1"].map(|x| page(&format!("/a/{i}{x}"), &format!("a{i}"))));
    two.chain((0..35).map(|i| page(&format!("/b/{i}"), &format!("b{i}")))).collect()
}

/// 25 rows to test on, of 14 pages.
fn last_rows() -> Vec<Page> {
    // Nine pages whose URLs have one path, and one whose URLs have two: 11 paths, 10 pages covered.
    let nine = (1..10).flat_map(|i| ["", "?x=1"].map(|x| page(&format!("/c/{i}{x}"), &format!("c{i}"))));
    let two_paths = [page("/c/0", "c0"), page("/d/0", "c0")];
    // Two pages on one path: the second is lost.
    let lost = [page("/e?1", "e1"), page("/e?2", "e2")];
    // Again two on one path, but the second has a URL of its own later: 2 paths, both pages covered. Were the last row
    // crawled first, one of them would be lost.
    let later = [page("/f?1", "f1"), page("/f?2", "f2"), page("/g", "f2")];
    nine.chain(two_paths).chain(lost).chain(later).collect()
}

fn methods() -> [Box<dyn Method>; 2] {
    [Box::new(KeepAll), Box::new(ByPath)]
}

fn run(pages: Vec<Page>) -> SiteReport {
    Experiment::default().run("a.com", pages, &methods()).expect("enough URLs")
}

fn close(a: f64, b: f64) {
    assert!((a - b).abs() < 1e-12, "{a} is not {b}");
}

#[test]
fn a_crawl_in_order() {
    let report = run([first_rows(), last_rows()].concat());
    assert_eq!(report.train, Train { urls: 75, clusters: 55, pairs: 40 });
    assert_eq!((report.test_urls, report.test_clusters), (25, 14));
    let [keep_all, by_path] = &report.methods[..] else { panic!("two methods") };
    assert_eq!((keep_all.method.as_str(), by_path.method.as_str()), ("keep-all", "by-path"));
    let counts = |of: &MethodReport| (of.score.rules, of.score.crawled, of.score.covered);
    assert_eq!(counts(keep_all), (0, 25, 14));
    assert_eq!(counts(by_path), (1, 14, 13));
    let (all, path) = (&keep_all.score.metrics, &by_path.score.metrics);
    close(all.precision, 14.0 / 25.0);
    close(all.recall, 1.0);
    close(all.f1, 28.0 / 39.0);
    close(path.precision, 13.0 / 14.0);
    close(path.recall, 13.0 / 14.0);
    close(path.f1, 13.0 / 14.0);
    assert!(keep_all.figures.is_empty());
    assert_eq!(by_path.figures, [Figure { name: "rows seen".to_owned(), value: 75.0 }]);
}

#[test]
fn what_is_skipped_is_not_crawled() {
    // One page that is also reached otherwise, and one that is lost.
    let skipped = [page("/skipped/1", "c1"), page("/skipped/2", "nowhere else")];
    let report = Experiment { train: 75.0 / 102.0 }.run(
        "a.com",
        [first_rows(), last_rows(), skipped.to_vec()].concat(),
        &methods(),
    );
    let score = &report.expect("enough URLs").methods[1].score;
    assert_eq!((score.urls, score.clusters, score.crawled, score.covered), (27, 15, 14, 13));
}

#[test]
fn rows_without_a_label_are_not_there() {
    let unlabelled = vec![Page::new("http://a.com/nobody/knows"); 50];
    let with = run([unlabelled.clone(), first_rows(), unlabelled, last_rows()].concat());
    assert_eq!(with, run([first_rows(), last_rows()].concat()));
}

#[test]
fn rules_are_learned_from_the_first_rows_alone() {
    let rule = ("http://a.com/b/{x}", "http://a.com/a/{x}");
    let method = RuleMethod { learner: Box::new(Fixed(vec![rule])), config: Config::default() };
    let methods: [Box<dyn Method>; 1] = [Box::new(method)];
    // 600 rows of 300 pages with two URLs, and 200 rows of 200 pages with one.
    let same = (0..300).flat_map(|i| ["a", "b"].map(|x| page(&format!("/{x}/{i}"), &format!("{i}"))));
    let other = (300..400).flat_map(|i| ["a", "b"].map(|x| page(&format!("/{x}/{i}"), &format!("{x}{i}"))));
    let score = |pages: Vec<Page>| {
        let report = Experiment::default().run("a.com", pages, &methods).expect("enough URLs");
        let score = &report.methods[0].score;
        (score.rules, score.urls, score.clusters, score.crawled, score.covered)
    };
    // What was true of all pages seen is believed, and then wrong.
    assert_eq!(score(same.clone().chain(other.clone()).collect()), (1, 200, 200, 100, 100));
    // What was wrong of some is not, though it is right later.
    assert_eq!(score(other.chain(same).collect()), (0, 200, 100, 200, 100));
}

#[test]
fn a_small_site_says_nothing() {
    let pages = [first_rows(), last_rows()].concat();
    // A URL that comes again is no other URL.
    let again = [&pages[..99], &pages[..99]].concat();
    assert_eq!(Experiment::default().run("a.com", again, &methods()), None);
}

#[test]
fn sites_count_the_same_on_average() {
    let one = run([first_rows(), last_rows()].concat());
    let other = run((0..400).map(|i| page(&format!("/{i}"), &i.to_string())).collect());
    let [keep_all, by_path] = &total(&[one, other])[..] else { panic!("two methods") };
    assert_eq!((keep_all.score.crawled, keep_all.score.covered, keep_all.score.rules), (125, 114, 0));
    assert_eq!((by_path.score.crawled, by_path.score.covered, by_path.score.rules), (114, 113, 2));
    close(keep_all.macro_average.precision, f64::midpoint(14.0 / 25.0, 1.0));
    close(keep_all.score.metrics.precision, 114.0 / 125.0);
    close(by_path.macro_average.f1, f64::midpoint(13.0 / 14.0, 1.0));
    assert_eq!(total(&[]), []);
}

/// A learner's rules, selected on held-out URLs of what is learned from, as `undust learn` does.
struct RuleMethod {
    /// Proposes rules.
    learner: Box<dyn Learner>,
    /// How they are selected.
    config: Config,
}

impl Method for RuleMethod {
    fn name(&self) -> &str {
        self.learner.name()
    }

    fn learn(&self, site: &str, pages: &[Page]) -> Box<dyn Canonical> {
        let learned = learn_site(site, pages.to_vec(), self.learner.as_ref(), &self.config);
        let mut rules = learned.rules.rules;
        // What is merely likely is not applied either.
        rules.retain(Rule::is_active);
        let count = rules.len() as u64;
        let engine = Canonicalizer::of_rules(&RuleSet::of_site(site, self.config.site_by, rules), Form::Key);
        Box::new(RuleKeys { engine, scratch: Scratch::new(), rules: count })
    }
}

/// Keys by rules.
struct RuleKeys {
    engine: Canonicalizer,
    scratch: Scratch,
    rules: u64,
}

impl Canonical for RuleKeys {
    fn append_key(&mut self, url: &[u8], out: &mut Vec<u8>) {
        self.engine.canonicalize_into(url, &mut self.scratch, out);
    }

    fn is_skipped(&mut self, key: &[u8]) -> bool {
        self.engine.skips(key, &mut self.scratch).is_some()
    }

    fn rules(&self) -> u64 {
        self.rules
    }
}
