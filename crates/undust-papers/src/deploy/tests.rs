//! The conflicts of Figure 7, the selection of Figure 8, and labels that are wrong.

use undust::page::Page;
use undust::rules::{Action, Rule, RuleSet};
use undust::url::SiteBy;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::*;
use undust_learn::site::Site;

fn page(path: &str, label: &str) -> Page {
    Page { cluster: Some(label.to_owned()), ..Page::new(format!("http://a.com/{path}")) }
}

/// `/folder/0`, `/folder/1` and so on: the URLs of one number are of one page.
fn folder(name: &str, count: usize) -> impl Iterator<Item = Page> {
    (0..count).map(move |i| page(&format!("{name}/{i}"), &format!("p{i}")))
}

fn rewrite(from: &str, to: &str) -> Candidate {
    let url = |path: &str| format!("http://a.com/{path}");
    Candidate { action: Action::rewrite(&url(from), &url(to)).expect("well formed"), support: 1 }
}

/// What is deployed, without what all rules have in common.
fn deployed(pages: &[Page], candidates: &[Candidate], strategy: Strategy) -> Vec<String> {
    let site = Site::new("a.com", pages, 0);
    let sample = site.sample(0);
    let actions = Proofed::new(&sample, candidates).deploy(0.1, strategy, "a.com", SiteBy::Domain);
    let rules: Vec<Rule> = actions.iter().cloned().map(Rule::new).collect();
    let findings = undust::apply::check(&RuleSet::of_site("a.com", SiteBy::Domain, rules));
    assert!(findings.is_empty(), "{findings:?}");
    actions.iter().map(|action| action.to_string().replace("http://a.com/", "")).collect()
}

fn sorted(mut rules: Vec<String>) -> Vec<String> {
    rules.sort();
    rules
}

const BOTH: [Strategy; 2] = [Strategy::Naive, Strategy::Graph];

#[test]
fn figure_7_a_of_two_rules_from_one_source_the_better_stays() {
    let mut pages: Vec<Page> = ["s", "t1"].iter().flat_map(|name| folder(name, 20)).collect();
    // One of twenty is another page.
    pages.extend((0..20).map(|i| page(&format!("t2/{i}"), &format!("p{}", if i == 7 { 99 } else { i }))));
    let candidates = [rewrite("s/{x}", "t2/{x}"), rewrite("s/{x}", "t1/{x}")];
    for strategy in BOTH {
        assert_eq!(deployed(&pages, &candidates, strategy), ["s/{x} -> t1/{x}"], "{strategy:?}");
    }
}

#[test]
fn figure_7_b_a_rule_covers_another() {
    let pages: Vec<Page> = ["s", "t"]
        .iter()
        .flat_map(|name| (0..10).map(move |i| format!("{name}/{i}")))
        .flat_map(|path| ["", "?sid=1", "?sid=2"].map(|query| page(&format!("{path}{query}"), &path)))
        .collect();
    let candidates = [rewrite("s/{x}?sid=*", "s/{x}"), rewrite("{f}/{x}?sid=*", "{f}/{x}")];
    for strategy in BOTH {
        let rules = deployed(&pages, &candidates, strategy);
        assert_eq!(rules, ["{f}/{x}?sid=* -> {f}/{x}"], "{strategy:?}");
    }
}

/// A rule on a descendant stays if it does what the one on the ancestor does not.
#[test]
fn a_covered_rule_may_have_work_of_its_own() {
    let mut pages: Vec<Page> = ["s", "t"].iter().flat_map(|name| folder(name, 10)).collect();
    pages.extend((0..8).map(|i| page(&format!("s/{i}?b=1&a=2"), &format!("q{i}"))));
    pages.extend((0..8).map(|i| page(&format!("s/{i}?a=2&b=1"), &format!("q{i}"))));
    let candidates = [rewrite("{...}?{...}", "{...}?{sorted(...)}"), rewrite("s/{x}", "t/{x}")];
    assert_eq!(deployed(&pages, &candidates, Strategy::Naive).len(), 1);
    let both = ["s/{x} -> t/{x}", "{...}?{...} -> {...}?{sorted(...)}"];
    assert_eq!(sorted(deployed(&pages, &candidates, Strategy::Graph)), both);
}

/// Rules from each folder to the next, with 30, 20 and 10 URLs.
fn circle() -> (Vec<Page>, Vec<Candidate>) {
    let folders = [("a", 30), ("b", 20), ("c", 10)];
    let pages = folders.iter().flat_map(|(name, count)| folder(name, *count)).collect();
    let rule = |(from, to)| rewrite(&format!("{from}/{{x}}"), &format!("{to}/{{x}}"));
    (pages, [("a", "b"), ("b", "c"), ("c", "a")].map(rule).to_vec())
}

#[test]
fn figure_7_c_a_circle_loses_its_weakest_rule() {
    let (pages, candidates) = circle();
    let rules = deployed(&pages, &candidates, Strategy::Naive);
    assert_eq!(rules, ["a/{x} -> b/{x}", "b/{x} -> c/{x}"]);
    let rules = deployed(&pages, &candidates, Strategy::Graph);
    assert_eq!(rules.len(), 2);
    let end = |rule: &String| rule.split_once(" -> ").map(|(_, to)| to.to_owned());
    assert_eq!(end(&rules[0]), end(&rules[1]), "one destination, and rules that lead there: {rules:?}");
}

#[test]
fn figure_8_a_chain_becomes_direct_rules() {
    let folders = [("a", 30), ("b", 20), ("c", 10), ("d", 40)];
    let pages: Vec<Page> = folders.iter().flat_map(|(name, count)| folder(name, *count)).collect();
    let chain = [rewrite("a/{x}", "b/{x}"), rewrite("b/{x}", "c/{x}"), rewrite("c/{x}", "d/{x}")];
    let direct = ["a/{x} -> d/{x}", "b/{x} -> d/{x}", "c/{x} -> d/{x}"];
    assert_eq!(deployed(&pages, &chain, Strategy::Graph), direct);
    // With a way back, there is one destination all the same.
    let mut circle = chain.to_vec();
    circle.push(rewrite("d/{x}", "b/{x}"));
    let rules = deployed(&pages, &circle, Strategy::Graph);
    let end = |rule: &String| rule.split_once(" -> ").map(|(_, to)| to.to_owned());
    assert!(rules.len() == 3 && rules.iter().all(|rule| end(rule) == end(&rules[0])), "{rules:?}");
}

/// What cannot be said as one rule stays a chain: the engine walks it.
#[test]
fn a_chain_that_is_no_rule() {
    let pages: Vec<Page> = ["a", "b", "c"].iter().flat_map(|name| folder(name, 20)).collect();
    let chain = [rewrite("a/{x}", "b/{x}"), rewrite("b/{x:digits}", "c/{x}")];
    let rules = sorted(deployed(&pages, &chain, Strategy::Graph));
    assert_eq!(rules, ["a/{x} -> b/{x}", "b/{x:digits} -> c/{x}"]);
}

#[test]
fn a_destination_keeps_the_rule_within_it() {
    let with_sid = |i: usize| [1, 2, 3].map(|sid| page(&format!("t/{i}?sid={sid}{i}"), &format!("p{i}")));
    let pages: Vec<Page> = folder("s", 10).chain((0..10).flat_map(with_sid)).collect();
    let candidates = [rewrite("t/{x}?sid=*", "t/{x}?sid=*"), rewrite("s/{x}", "t/{x}?sid=*")];
    let rules = sorted(deployed(&pages, &candidates, Strategy::Graph));
    assert_eq!(rules, ["s/{x} -> t/{x}?sid=*", "t/{x}?sid=* -> t/{x}?sid=*"]);
}

#[test]
fn substitutions_are_rules_like_others() {
    let pages: Vec<Page> = (0..8)
        .map(|n| format!("folder-{n}"))
        .flat_map(|name| ["index.html", "", "home.html"].map(|file| page(&format!("{name}/{file}"), &name)))
        .collect();
    let rule =
        |from, to| Candidate { action: Action::substitute(from, to).expect("well formed"), support: 1 };
    let there_and_back = [rule("/index.html", "/home.html"), rule("/home.html", "/index.html")];
    for strategy in BOTH {
        assert_eq!(deployed(&pages, &there_and_back, strategy).len(), 1, "{strategy:?}");
    }
    let chain = [rule("/home.html", "/index.html"), rule("/index.html$", "/$")];
    assert_eq!(deployed(&pages, &chain, Strategy::Graph).len(), 2);
}

#[test]
fn together_rules_stay_under_the_limit() {
    // 10 pairs are right; each rule by itself makes one wrong pair, which is a tenth of its own.
    let mut pages: Vec<Page> = ["s", "t"].iter().flat_map(|name| folder(name, 9)).collect();
    pages.extend(["s/9", "t/9", "u/9"].map(|path| page(path, path)));
    pages.extend(folder("u", 9));
    let candidates = [rewrite("s/{x}", "t/{x}"), rewrite("u/{x}", "t/{x}")];
    let site = Site::new("a.com", &pages, 0);
    let sample = site.sample(0);
    let proofed = Proofed::new(&sample, &candidates);
    assert_eq!(proofed.qualified(0.1).len(), 2);
    assert!(proofed.qualified(0.09).is_empty());
    assert!(proofed.deploy(0.09, Strategy::Graph, "a.com", SiteBy::Domain).is_empty());
    assert_eq!(proofed.deploy(0.1, Strategy::Graph, "a.com", SiteBy::Domain).len(), 2);
}

#[test]
fn the_order_of_input_does_not_matter() {
    let (mut pages, mut candidates) = circle();
    pages.extend((0..10).map(|i| page(&format!("d/{i}?s=1"), &format!("p{i}"))));
    candidates.extend([rewrite("d/{x}?s=*", "a/{x}"), rewrite("d/{x}?{...}", "a/{x}")]);
    for strategy in BOTH {
        let one = deployed(&pages, &candidates, strategy);
        let pages: Vec<Page> = pages.iter().rev().cloned().collect();
        for _ in 0..candidates.len() {
            candidates.rotate_left(1);
            assert_eq!(deployed(&pages, &candidates, strategy), one, "{strategy:?}");
        }
        let reversed: Vec<Candidate> = candidates.iter().rev().cloned().collect();
        assert_eq!(deployed(&pages, &reversed, strategy), one, "{strategy:?}");
    }
}

#[test]
fn nothing_gives_nothing() {
    for strategy in BOTH {
        assert!(deployed(&[], &[], strategy).is_empty());
        assert!(deployed(&[], &[rewrite("s/{x}", "t/{x}")], strategy).is_empty());
    }
}

/// 150 pages with four URLs each, where a rule is right, and 150 sets of four URLs, a fifth of which are of four pages.
fn right_and_wrong() -> Vec<Page> {
    let urls = |name: &'static str, i: usize| (0..4).map(move |k| (format!("{name}/{i}?s={k}"), i, k));
    let right = (0..150).flat_map(|i| urls("right", i)).map(|(url, i, _)| page(&url, &format!("r{i}")));
    let wrong = (0..150)
        .flat_map(|i| urls("wrong", i))
        .map(|(url, i, k)| page(&url, &if i % 5 == 0 { format!("w{i}-{k}") } else { format!("w{i}") }));
    right.chain(wrong).collect()
}

/// The same with a share of labels taken from another page.
fn with_noise(pages: &[Page], share: f64, seed: u64) -> Vec<Page> {
    let hash = |page: &Page| xxh3_64_with_seed(&page.url, seed);
    let noisy = |page: &Page| (hash(page) % 1000) as f64 / 1000.0 < share;
    let other = |page: &Page| pages[(hash(page) / 1000) as usize % pages.len()].cluster.clone();
    let relabel = |page: &Page| if noisy(page) { other(page) } else { page.cluster.clone() };
    pages.iter().map(|page| Page { cluster: relabel(page), ..page.clone() }).collect()
}

#[test]
fn wrong_labels_are_no_fault_of_the_rule() {
    let candidates = [rewrite("wrong/{x}?s=*", "wrong/{x}"), rewrite("right/{x}?s=*", "right/{x}")];
    for seed in 0..20 {
        let site = Site::new("a.com", &with_noise(&right_and_wrong(), 0.05, seed), 0);
        let sample = site.sample(0);
        let proofed = Proofed::new(&sample, &candidates);
        assert!(proofed.proofs()[1].fpr() > 0.05, "seed {seed}: noise spoils many pairs");
        assert_eq!(proofed.qualified(0.05), [1], "seed {seed}: {:?}", proofed.noise());
        assert!((proofed.noise().share() - 0.05).abs() < 0.03, "seed {seed}: {:?}", proofed.noise());
    }
}

#[test]
fn labels_without_noise_excuse_nothing() {
    // A wrong rule that looks like noise: one URL of four is another page.
    let set = |i: usize| (0..4).map(move |k| (format!("u/{i}?s={k}"), if k == 0 { k } else { 1 }));
    let wrong = (0..150).flat_map(|i| set(i).map(move |(url, k)| page(&url, &format!("u{i}-{k}"))));
    let pages: Vec<Page> = right_and_wrong().into_iter().chain(wrong).collect();
    let site = Site::new("a.com", &pages, 0);
    let sample = site.sample(0);
    let candidates =
        ["right", "wrong", "u"].map(|f| rewrite(&format!("{f}/{{x}}?s=*"), &format!("{f}/{{x}}")));
    let proofed = Proofed::new(&sample, &candidates);
    assert_eq!(proofed.noise(), Noise::default());
    assert_eq!(proofed.qualified(0.05), [0]);
    assert!((proofed.fpr(1) - proofed.proofs()[1].fpr()).abs() < 1e-12);
}
