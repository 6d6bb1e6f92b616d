//! The experiment on a site small enough to be worked out by hand.

use super::*;
use crate::fixed::Fixed;

/// `/print/7` is the page of `/item/7`: two URLs.
const PRINT: (&str, &str) = ("http://a.com/print/{x}", "http://a.com/item/{x}");
/// `/list?skin=3` is a page of twenty URLs.
const SKIN: (&str, &str) = ("http://a.com/{page}?skin={_}", "http://a.com/{page}?skin=*");
/// Wrong on items: all become one.
const WRONG: (&str, &str) = ("http://a.com/item/{_}", "http://a.com/item/*");

fn page(url: String, label: String) -> Page {
    Page { cluster: Some(label), ..Page::new(url) }
}

/// 60 items with two URLs each, 6 lists with twenty, and 40 pages with a single URL.
fn pages() -> Vec<Page> {
    let items = (0..60).flat_map(|i| {
        ["item", "print"].map(|folder| page(format!("http://a.com/{folder}/{i}"), format!("i{i}")))
    });
    let lists = (0..6).flat_map(|list| {
        (0..20).map(move |skin| page(format!("http://a.com/list{list}?skin={skin}"), format!("l{list}")))
    });
    let single = (0..40).map(|i| page(format!("http://a.com/only/{i}"), format!("o{i}")));
    items.chain(lists).chain(single).collect()
}

fn run(experiment: Experiment, rules: &[(&'static str, &'static str)]) -> SiteReport {
    let method = Method::new(Box::new(Fixed(rules.to_vec())));
    experiment.run("a.com", &pages(), &[method]).expect("enough URLs")
}

fn set(report: &SiteReport, which: Which) -> &SetReport {
    report.methods[0].sets.iter().find(|set| set.which == which).expect("a set")
}

/// URLs, removed, and wrong ones of them.
fn counts(set: &SetReport, on: On, sizes: Sizes) -> (u64, u64, u64) {
    let reduction = set.reduction(on, sizes).expect("counted");
    (reduction.urls, reduction.removed, reduction.wrong)
}

#[test]
fn reductions_by_hand() {
    let report = run(Experiment::default(), &[PRINT, SKIN]);
    assert_eq!(report.urls, 280);
    assert_eq!(report.train.urls + report.test.urls, 240);
    assert_eq!(report.train.clusters + report.test.clusters, 66);
    let all = set(&report, Which::LearnedFrom(Sizes::All));
    assert_eq!(all.rules, 2);
    // Of 120 URLs of items 60 are left, of 120 of lists 6.
    assert_eq!(counts(all, On::Both, Sizes::Small), (120, 60, 0));
    assert_eq!(counts(all, On::Both, Sizes::Large), (120, 114, 0));
    assert_eq!(counts(all, On::Both, Sizes::All), (240, 174, 0));
    let both = all.reduction(On::Both, Sizes::All).expect("counted");
    assert!((both.ratio - 0.725).abs() < 1e-12 && (both.mean_ratio - 0.725).abs() < 1e-12);
    for part in [(On::Train, report.train), (On::Test, report.test)] {
        let (on, Part { urls, clusters }) = part;
        assert_eq!(counts(all, on, Sizes::All), (urls, urls - clusters, 0));
    }
}

#[test]
fn classes_by_themselves() {
    let report = run(Experiment::default(), &[PRINT, SKIN]);
    let classes = set(&report, Which::LearnedFrom(Sizes::All)).classes;
    assert_eq!(classes, Classes { dust: 1, irp: 1, regx: 0 });
    assert_eq!(counts(set(&report, Which::Class(RuleClass::Dust)), On::Both, Sizes::All), (240, 60, 0));
    assert_eq!(counts(set(&report, Which::Class(RuleClass::Irp)), On::Both, Sizes::All), (240, 114, 0));
    let none = set(&report, Which::Class(RuleClass::Regx));
    assert_eq!((none.rules, counts(none, On::Both, Sizes::All)), (0, (240, 0, 0)));
}

#[test]
fn false_positives_are_pairs_of_the_other_half() {
    let report = run(Experiment::default(), &[WRONG, PRINT]);
    let rules: Vec<u64> =
        MAX_FPRS.iter().map(|&max_fpr| set(&report, Which::MaxFpr(max_fpr)).rules).collect();
    assert_eq!(rules, [1, 1, 1, 1, 2], "every pair of items is wrong");
    assert_eq!(counts(set(&report, Which::MaxFpr(0.05)), On::Both, Sizes::All), (240, 60, 0));
    // All items and all print views become one URL; the page of two of them is kept.
    assert_eq!(counts(set(&report, Which::MaxFpr(1.0)), On::Both, Sizes::Small), (120, 119, 118));
    let share =
        set(&report, Which::MaxFpr(1.0)).reduction(On::Both, Sizes::Small).expect("counted").wrong_share;
    assert!((share - 118.0 / 119.0).abs() < 1e-12);
}

/// Proposes the one rule where it sees a small cluster, the other where it sees a large one.
struct BySize;

impl Learner for BySize {
    fn name(&self) -> &'static str {
        "by size"
    }

    fn learn(&self, sample: &Sample) -> Vec<Candidate> {
        let duplicates = sample.duplicates();
        let has_small = duplicates.clusters().any(|cluster| cluster.len() < LARGE_CLUSTER_URLS as usize);
        let has_large = duplicates.clusters().any(|cluster| cluster.len() >= LARGE_CLUSTER_URLS as usize);
        let rules = [PRINT].into_iter().filter(|_| has_small).chain([SKIN].into_iter().filter(|_| has_large));
        Fixed(rules.collect()).learn(sample)
    }
}

#[test]
fn small_and_large_clusters_teach_by_themselves() {
    let method = Method::new(Box::new(BySize));
    let report = Experiment::default().run("a.com", &pages(), &[method]).expect("enough URLs");
    let of = |sizes| set(&report, Which::LearnedFrom(sizes));
    assert_eq!(Sizes::ALL.map(|sizes| of(sizes).rules), [1, 1, 2]);
    assert_eq!(counts(of(Sizes::Small), On::Both, Sizes::All), (240, 60, 0));
    assert_eq!(counts(of(Sizes::Large), On::Both, Sizes::All), (240, 114, 0));
    assert_eq!(counts(of(Sizes::All), On::Both, Sizes::All), (240, 174, 0));
}

#[test]
fn single_urls_if_asked_for() {
    // Right on what has duplicates, wrong on pages by themselves.
    let rules = [PRINT, SKIN, ("http://a.com/only/{_}", "http://a.com/only/*")];
    let without = run(Experiment::default(), &rules);
    assert_eq!(set(&without, Which::MaxFpr(0.05)).rules, 3, "nothing speaks against it");
    let with = run(Experiment { singletons: true, ..Experiment::default() }, &rules);
    assert_eq!(with.train, without.train);
    assert!(with.test.clusters > without.test.clusters);
    assert_eq!(set(&with, Which::MaxFpr(0.05)).rules, 2);
    let on_train = Experiment { singletons: true, judged_on: Half::Train, ..Experiment::default() };
    assert_eq!(set(&run(on_train, &rules), Which::MaxFpr(0.05)).rules, 3);
}

#[test]
fn sites_are_added_up() {
    let one = run(Experiment::default(), &[PRINT, SKIN]);
    let none = run(Experiment::default(), &[]);
    let total = total(&[one, none]);
    let all = &total[0].sets[2];
    assert_eq!((all.which, all.rules), (Which::LearnedFrom(Sizes::All), 2));
    assert_eq!(all.classes, Classes { dust: 1, irp: 1, regx: 0 });
    assert_eq!(counts(all, On::Both, Sizes::All), (480, 174, 0));
    let mean = all.reduction(On::Both, Sizes::All).expect("counted").mean_ratio;
    assert!((mean - 0.3625).abs() < 1e-12);
    assert!(super::total(&[]).is_empty());
}

#[test]
fn a_small_site_says_nothing() {
    assert_eq!(Experiment::default().run("a.com", &pages()[..99], &[]), None);
}

#[test]
fn the_order_of_rows_does_not_matter() {
    let reversed: Vec<Page> = pages().into_iter().rev().collect();
    let run = |pages: &[Page]| Experiment::default().run("a.com", pages, &methods_of_the_paper());
    assert_eq!(run(&pages()), run(&reversed));
}
