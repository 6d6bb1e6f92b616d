//! Figures 3 and 4 on judges made up.

use std::cell::Cell;

use undust::page::Page;
use undust::rules::{Action, Evidence};
use undust::url::SiteBy;

use super::labels::LabelledPages;
use super::*;
use crate::listing::Listing;

fn substitution(from: &str, to: &str) -> Rule {
    let action = Action::substitute(from, to).expect("a substitution");
    Rule { learner: Some("test".into()), validation: Some(Validation::default()), ..Rule::new(action) }
}

fn rewrite(from: &str, to: &str) -> Rule {
    Rule::new(Action::rewrite(from, to).expect("a rewrite"))
}

/// Trials of made-up URLs, numbered.
fn numbered(count: u64) -> impl Iterator<Item = Trial> {
    (0..count).map(|i| Trial {
        url: format!("http://a/{i}").into(),
        with: format!("http://b/{i}").into(),
        made: true,
    })
}

/// The number of a trial.
fn number(trial: &Trial) -> u64 {
    let text = String::from_utf8_lossy(&trial.url).into_owned();
    text.rsplit('/').next().and_then(|last| last.parse().ok()).expect("a number")
}

fn judge_by(other: impl Fn(u64) -> bool) -> impl Fn(&Trial) -> Judgement {
    move |trial| if other(number(trial)) { Judgement::Other("x".into()) } else { Judgement::Same }
}

fn tried(trying: Trying, count: u64, other: impl Fn(u64) -> bool) -> (Verdict, u64, u64) {
    let (now, stopped) =
        trying.try_out(Validation::default(), TriedBy::Fetching, numbered(count), judge_by(other));
    assert!(!stopped);
    (now.verdict, now.positive, now.negative)
}

#[test]
fn trials_end_with_the_verdict() {
    let usual = Trying::default();
    assert_eq!(tried(usual, 1000, |_| false), (Verdict::Valid, 95, 0));
    assert_eq!(tried(usual, 1000, |_| true), (Verdict::Invalid, 0, 5));
    assert_eq!(tried(usual, 1000, |i| i % 25 == 0), (Verdict::Valid, 95, 4));
    assert_eq!(tried(usual, 1000, |i| i % 20 == 0), (Verdict::Invalid, 76, 5));
}

#[test]
fn a_sequential_test_ends_as_soon_as_it_is_sure() {
    let sequential = Trying { test: Test::Sequential, ..Trying::default() };
    assert_eq!(tried(sequential, 1000, |_| false), (Verdict::Valid, 43, 0));
    assert_eq!(tried(sequential, 1000, |_| true), (Verdict::Invalid, 0, 3));
    assert_eq!(tried(sequential, 1000, |i| i == 7), (Verdict::Valid, 62, 1));
    assert_eq!(tried(sequential, 1000, |i| i % 2 == 0), (Verdict::Invalid, 1, 2));
    assert_eq!(tried(sequential, 10, |_| false), (Verdict::Valid, 10, 0), "all there are");
    assert_eq!(tried(sequential, 2, |_| true), (Verdict::Likely, 0, 2), "too few to tell");
    let few = Trying { samples: 20, ..sequential };
    assert_eq!(tried(few, 1000, |_| false), (Verdict::Valid, 19, 0), "no more than the sample");
    let none = Trying { refute: 0.0, ..sequential };
    assert_eq!(tried(none, 1000, |_| false), (Verdict::Valid, 100, 0));
}

#[test]
fn few_urls_decide_by_the_same_shares() {
    let usual = Trying::default();
    assert_eq!(tried(usual, 0, |_| false), (Verdict::Likely, 0, 0));
    assert_eq!(tried(usual, 2, |_| false), (Verdict::Likely, 2, 0));
    assert_eq!(tried(usual, 2, |_| true), (Verdict::Likely, 0, 2));
    assert_eq!(tried(usual, 3, |_| false), (Verdict::Valid, 3, 0));
    assert_eq!(tried(usual, 3, |i| i == 1), (Verdict::Invalid, 2, 1));
    assert_eq!(tried(usual, 40, |i| i == 1), (Verdict::Valid, 39, 1));
    assert_eq!(tried(usual, 20, |i| i == 1), (Verdict::Invalid, 19, 1));
}

#[test]
fn shares_that_floats_do_not_hold() {
    // 0.07 · 100 is a little more than 7 here, and 0.93 · 100 a little less than 93.
    let trying = Trying { refute: 0.07, ..Trying::default() };
    assert_eq!(tried(trying, 100, |i| i % 14 == 0 && i < 98), (Verdict::Invalid, 78, 7));
    let none = Trying { refute: 0.0, ..Trying::default() };
    assert_eq!(tried(none, 200, |_| false), (Verdict::Valid, 100, 0));
    assert_eq!(tried(none, 200, |i| i == 99), (Verdict::Invalid, 99, 1));
}

#[test]
fn a_stopped_run_goes_on_where_it_was() {
    let trying = Trying::default();
    let other = |i: u64| i.is_multiple_of(30);
    let asked = Cell::new(0);
    let until = |last: u64| {
        let asked = &asked;
        move |trial: &Trial| {
            asked.set(asked.get() + 1);
            if number(trial) >= last { Judgement::Stop } else { judge_by(other)(trial) }
        }
    };
    let (half, stopped) = trying.try_out(Validation::default(), TriedBy::Fetching, numbered(90), until(40));
    assert_eq!((half.verdict, half.samples.len(), stopped, asked.take()), (Verdict::Likely, 40, true, 41));
    let (again, _) = trying.try_out(half, TriedBy::Fetching, numbered(90), until(1000));
    assert_eq!(asked.get(), 50, "no URL is tried twice");
    let (whole, _) = trying.try_out(Validation::default(), TriedBy::Fetching, numbered(90), until(1000));
    assert_eq!(again, whole);
    assert_eq!((whole.verdict, whole.positive, whole.negative), (Verdict::Valid, 87, 3));
    assert_eq!(whole.samples.len(), 2 * MAX_KEPT_SAMPLES);
}

#[test]
fn what_is_gone_speaks_only_against_the_rule_that_made_it() {
    let missing = |made: bool| {
        let trials = numbered(9).map(move |trial| Trial { made, ..trial });
        let gone = |_: &Trial| Judgement::Missing("404".into());
        Trying::default().try_out(Validation::default(), TriedBy::Fetching, trials, gone).0
    };
    assert_eq!((missing(true).verdict, missing(true).negative), (Verdict::Invalid, 5));
    assert_eq!(missing(true).samples[0].why.as_deref(), Some("404"));
    assert_eq!(missing(false), Validation::default());
}

/// Validate `rules` by what a judge says of each, by its sides.
fn validate(mut rules: Vec<Rule>, verdict: impl Fn(&str) -> Verdict) -> (Vec<(String, Verdict)>, Validated) {
    let validation = |verdict| Validation { verdict, positive: 1, ..Validation::default() };
    let validated =
        validate_rules(&mut rules, |rule| (validation(verdict(&rule.action.to_string())), false), |_| {});
    let shown = |rule: &Rule| (rule.action.to_string(), so_far(rule).verdict);
    (rules.iter().map(shown).collect(), validated)
}

fn pairs(expected: &[(&str, Verdict)]) -> Vec<(String, Verdict)> {
    expected.iter().map(|&(rule, verdict)| (rule.to_owned(), verdict)).collect()
}

#[test]
fn a_refuted_likely_rule_is_turned_round() {
    let only_growing = |rule: &str| if rule == "/b/ -> /aa/" { Verdict::Valid } else { Verdict::Invalid };
    let (rules, _) = validate(vec![substitution("/aa/", "/b/")], only_growing);
    assert_eq!(rules, pairs(&[("/aa/ -> /b/", Verdict::Invalid), ("/b/ -> /aa/", Verdict::Valid)]));
    let (rules, _) = validate(vec![substitution("/aa/", "/b/")], |_| Verdict::Invalid);
    assert_eq!(rules, pairs(&[("/aa/ -> /b/", Verdict::Invalid), ("/b/ -> /aa/", Verdict::Invalid)]));
    let (rules, _) = validate(vec![substitution("/a/", "/")], |_| Verdict::Invalid);
    assert_eq!(rules.len(), 1, "the way back would never end");
    let (rules, _) = validate(vec![substitution("/a/", "")], |_| Verdict::Invalid);
    assert_eq!(rules.len(), 1, "nothing has no way back");
}

#[test]
fn what_people_wrote_is_neither_turned_nor_dropped() {
    let by_hand = |from, to| Rule { validation: None, ..substitution(from, to) };
    let (rules, _) = validate(vec![by_hand("/a/", "/")], |_| Verdict::Invalid);
    assert_eq!(rules.len(), 1);
    let both = vec![by_hand("/index.html", "/"), by_hand("/x/index.html", "/x/")];
    let (rules, validated) = validate(both, |_| Verdict::Valid);
    assert_eq!((rules.len(), validated.redundant), (2, 0));
}

#[test]
fn what_refines_a_valid_rule_is_left_out() {
    let both = || vec![substitution("/index.html", "/"), substitution("/x/index.html", "/x/")];
    let (rules, validated) = validate(both(), |_| Verdict::Valid);
    assert_eq!((rules, validated.redundant), (pairs(&[("/index.html -> /", Verdict::Valid)]), 1));
    let special = substitution("/x/index.htm", "/x/");
    let (rules, validated) = validate(vec![substitution("/index.htm", "/"), special], |rule| {
        if rule.starts_with("/x/") { Verdict::Valid } else { Verdict::Invalid }
    });
    assert_eq!((rules.len(), validated.redundant), (2, 0));
}

#[test]
fn a_rule_that_was_believed_is_applied_until_it_is_refuted() {
    let mut rules = vec![rewrite("http://a/x?s=*", "http://a/x")];
    let nothing = |rule: &Rule| (so_far(rule), true);
    assert!(validate_rules(&mut rules, nothing, |_| {}).stopped);
    assert_eq!(rules[0].validation, None, "nothing was tried");
    let some = |rule: &Rule| (Validation { positive: 2, ..so_far(rule) }, true);
    validate_rules(&mut rules, some, |_| {});
    assert!(is_open(&rules[0]) && rules[0].is_active());
    let refute = |rule: &Rule| (Validation { verdict: Verdict::Invalid, ..so_far(rule) }, false);
    validate_rules(&mut rules, refute, |_| {});
    assert!(!is_open(&rules[0]) && !rules[0].is_active());
}

#[test]
fn a_likely_rule_is_not_applied_before_it_is_valid() {
    let mut rules = vec![substitution("/a/", "/")];
    assert!(!rules[0].is_active());
    let some = |rule: &Rule| (Validation { positive: 2, ..so_far(rule) }, true);
    validate_rules(&mut rules, some, |_| {});
    assert!(is_open(&rules[0]) && !rules[0].is_active());
}

fn likely(from: &str, to: &str, support: u64) -> Rule {
    let evidence = Some(Evidence { support, ..Evidence::default() });
    Rule { evidence, ..substitution(from, to) }
}

/// The rules as they are tried, where each gets this verdict.
fn order(mut queue: RuleQueue, verdict: Verdict) -> Vec<String> {
    let mut tried = Vec::new();
    let try_out = |rule: &Rule| {
        tried.push(rule.action.to_string());
        (Validation { verdict, positive: 1, ..so_far(rule) }, false)
    };
    let mut try_out = try_out;
    while queue.step(&mut try_out) {}
    tried
}

#[test]
fn most_savings_first() {
    let judged = Rule {
        evidence: Some(Evidence { saved: 9, support: 1, ..Evidence::default() }),
        ..rewrite("http://a/x?s=*", "http://a/x")
    };
    let by_hand = rewrite("http://a/y?s=*", "http://a/y");
    let rules = vec![likely("/few/", "/", 2), by_hand, likely("/many/", "/", 30), judged];
    let by_savings = RuleQueue::by_savings(rules.clone(), &[50, 12, 50, 50]);
    assert_eq!(by_savings.rules, rules, "they keep the order in which they are applied");
    assert_eq!(by_savings.priority(), Some(30));
    let expected =
        ["/many/ -> /", "http://a/y?s=* -> http://a/y", "http://a/x?s=* -> http://a/x", "/few/ -> /"];
    assert_eq!(order(by_savings, Verdict::Valid), expected);
    let in_order = order(RuleQueue::in_order(rules.clone()), Verdict::Valid);
    assert_eq!(in_order, rules.iter().map(|rule| rule.action.to_string()).collect::<Vec<_>>());
}

#[test]
fn a_family_is_led_by_its_most_general_rule() {
    let rules = || {
        vec![likely("/x/index.html", "/x/", 30), likely("/many/", "/", 20), likely("/index.html", "/", 10)]
    };
    let queue = || RuleQueue::by_savings(rules(), &[1; 3]);
    assert_eq!(
        order(queue(), Verdict::Valid),
        ["/index.html -> /", "/many/ -> /"],
        "the special one is spared"
    );
    assert_eq!(order(queue(), Verdict::Likely)[..2], ["/index.html -> /", "/x/index.html -> /x/"]);
}

#[test]
fn a_pair_of_urls_is_judged_once() {
    let sample = |same| {
        let (url, with) = ("http://a/1".to_owned(), format!("http://b/{same}"));
        TriedUrl { url, with, same, why: (!same).then(|| "404".to_owned()) }
    };
    let earlier = Validation {
        by: Some(TriedBy::Fetching),
        samples: vec![sample(true), sample(false)],
        ..Validation::default()
    };
    let rule = Rule { validation: Some(earlier), ..substitution("/a/", "/") };
    let mut judged = Judged::of(&[rule], TriedBy::Fetching);
    let asked = Cell::new(0);
    let mut ask = |with: &str, made: bool| {
        let trial = Trial { url: "http://a/1".into(), with: with.into(), made };
        judged.get(&trial, |_| {
            asked.set(asked.get() + 1);
            Judgement::Same
        })
    };
    assert_eq!(ask("http://b/true", true), Judgement::Same);
    assert_eq!(ask("http://b/false", true), Judgement::Missing("404".into()));
    assert_eq!(asked.get(), 0, "an earlier run did");
    assert_eq!(ask("http://b/false", false), Judgement::Same, "a page that is gone says nothing here");
    assert_eq!([ask("http://b/new", true), ask("http://b/new", false)], [Judgement::Same, Judgement::Same]);
    assert_eq!(asked.get(), 2);
}

#[test]
fn what_trying_may_take_is_known_before() {
    let pages: Vec<Page> = (0..5)
        .flat_map(|i| {
            ["a/", "a/index.html", "b/"].map(|tail| Page::new(format!("http://example.com/{i}/{tail}")))
        })
        .collect();
    let urls = Listing::new(&pages, false);
    let decided = Rule {
        validation: Some(Validation { verdict: Verdict::Valid, ..Validation::default() }),
        ..substitution("/b/", "/a/")
    };
    let rules = [decided, substitution("index.html$", "$"), substitution("/nowhere/", "/")];
    let plan = |most| Plan::new(&rules, "example.com", SiteBy::Domain, &urls, most);
    assert_eq!((plan(100).rules, plan(100).changed, plan(100).pages), (2, vec![0, 5, 0], 10));
    assert!(plan(100).rows.iter().all(|&row| urls.url(row).ends_with(b"index.html")));
    assert_eq!(plan(7).pages, 7, "no more than the budget");
    let turned = [substitution("/bb/", "/a/")];
    let both_ways = Plan::new(&turned, "example.com", SiteBy::Domain, &urls, 100);
    assert_eq!((both_ways.changed, both_ways.pages), (vec![0], 20), "the way back may be tried, too");
}

fn trials_of(rule: &Rule, urls: &[&str]) -> Vec<(String, String, bool)> {
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    let urls = urls.iter().map(|url| url.as_bytes());
    let trials = trials(rule, "example.com", SiteBy::Domain, urls);
    trials.map(|trial| (text(trial.url), text(trial.with), trial.made)).collect()
}

fn trial(url: &str, with: &str, made: bool) -> (String, String, bool) {
    (url.to_owned(), with.to_owned(), made)
}

#[test]
fn urls_are_compared_with_what_they_become() {
    let rule = substitution("/index.html$", "/$");
    let urls =
        ["http://example.com/a/index.html", "http://example.com/a/", "http://elsewhere.org/index.html"];
    assert_eq!(trials_of(&rule, &urls), [trial(urls[0], "http://example.com/a/", true)]);
}

#[test]
fn irrelevant_values_are_compared_with_each_other() {
    let rule = rewrite("http://example.com/{p}?sid=*", "http://example.com/{p}?sid=*");
    let urls = [
        "http://example.com/a?sid=1",
        "http://example.com/b?sid=1",
        "http://example.com/a?sid=2",
        "http://example.com/a?sid=3",
    ];
    assert_eq!(trials_of(&rule, &urls), [trial(urls[2], urls[0], false), trial(urls[3], urls[2], false)]);
}

#[test]
fn irrelevant_values_in_urls_that_move() {
    let rule = rewrite("http://example.com/old?sid=*", "http://example.com/new?sid=*");
    let urls = ["http://example.com/old?sid=1", "http://example.com/old?sid=2"];
    let first = "http://example.com/new?sid=1";
    assert_eq!(trials_of(&rule, &urls), [trial(urls[0], first, true), trial(urls[1], first, true)]);
}

fn labelled(rows: &[(String, String)]) -> LabelledPages {
    let page =
        |(url, label): &(String, String)| Page { cluster: Some(label.clone()), ..Page::new(url.as_str()) };
    let pages: Vec<Page> = rows.iter().map(page).collect();
    LabelledPages::new("example.com", SiteBy::Domain, &pages)
}

#[test]
fn labels_decide_without_a_network() {
    let rows = (0..10).flat_map(|i| {
        let page = |path: &str, label: &str| (format!("http://example.com/{path}{i}"), format!("{label}{i}"));
        [page("story?id=", "s"), page("story_", "s"), page("movies/", "m"), page("politics/", "p")]
    });
    let pages = labelled(&rows.collect::<Vec<_>>());
    let mut rules = vec![
        substitution("/story?id=", "/story_"),
        substitution("/politics/", "/movies/"),
        substitution("/nowhere/", "/"),
    ];
    pages.validate(&mut rules, &Trying::default());
    let shown: Vec<_> = rows_of(&rules);
    assert_eq!(
        shown,
        [
            ("/story?id= -> /story_".to_owned(), Verdict::Valid, 10, 0),
            ("/politics/ -> /movies/".to_owned(), Verdict::Invalid, 0, 5),
            ("/movies/ -> /politics/".to_owned(), Verdict::Invalid, 0, 5),
            ("/nowhere/ -> /".to_owned(), Verdict::Likely, 0, 0),
        ]
    );
    let before = rules.clone();
    pages.validate(&mut rules, &Trying::default());
    assert_eq!(rules, before, "what is decided is not tried again");
}

fn rows_of(rules: &[Rule]) -> Vec<(String, Verdict, u64, u64)> {
    let row = |rule: &Rule| {
        let now = so_far(rule);
        (rule.action.to_string(), now.verdict, now.positive, now.negative)
    };
    rules.iter().map(row).collect()
}

#[test]
fn labels_of_urls_that_become_equal_though_the_key_was_not_seen() {
    let rows: Vec<_> = (0..4).map(|i| (format!("http://example.com/a?sid={i}"), "same".to_owned())).collect();
    let mut rules = vec![rewrite("http://example.com/a?sid=*", "http://example.com/a?sid=*")];
    labelled(&rows).validate(&mut rules, &Trying::default());
    assert_eq!(rows_of(&rules)[0].1, Verdict::Valid);
}

/// Ten pages, each in the folders a, b and c; in folder d, ten others.
fn folders() -> LabelledPages {
    let row =
        |folder: &str, label: &str, n: u32| (format!("http://x.com/{folder}/{n}"), format!("{label}{n}"));
    let rows = |n| [row("a", "", n), row("b", "", n), row("c", "", n), row("d", "other", n)];
    let pages = (0..10).flat_map(rows).map(|(url, label)| Page { cluster: Some(label), ..Page::new(url) });
    LabelledPages::new("x.com", SiteBy::Domain, &pages.collect::<Vec<_>>())
}

#[test]
fn a_circle_loses_its_last_rule() {
    let mut rules = vec![
        substitution("/a/", "/b/"),
        substitution("/d/", "/a/"),
        substitution("/b/", "/c/"),
        substitution("/c/", "/a/"),
    ];
    folders().validate(&mut rules, &Trying::default());
    let before = rows_of(&rules);
    assert_eq!(rules.iter().filter(|rule| rule.is_active()).count(), 3);
    assert_eq!(leave_out_unfit(&mut rules, "x.com", SiteBy::Domain), 1);
    assert_eq!(rows_of(&rules), before[..before.len() - 1], "the refuted one stays, to be known");
    assert_eq!(leave_out_unfit(&mut rules, "x.com", SiteBy::Domain), 0);
}

#[test]
fn valid_in_one_direction_or_in_none() {
    let rules = [substitution("/b/", "/a/"), substitution("/d/", "/a/")];
    assert_eq!(folders().valid_either_way(&rules, &Trying::default()), [true, false]);
}
