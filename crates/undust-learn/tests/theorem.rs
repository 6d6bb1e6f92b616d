//! Theorem 9 of rewrite (KDD 2008): on an exhaustive sample, with the ideal filter, the learner finds all and only the rules
//! with more than `minS` supporting pairs and a false-positive rate of at most `maxP`.
//!
//! Where the theorem's premises hold in our implementation: the full cross product of all values (12 URLs, since pairs
//! are complete in clusters of at most 12), one key set, values that no two keys share, and `maxP` = 0: with a greater
//! one the paper's filter looks ahead to more general rules, ours does not. "All" leaves out rules that turn any
//! value of a key into one fixed value of it: where every value may become every other, only `*` is proposed.

use std::collections::BTreeMap;

use proptest::prelude::*;
use undust_learn::learn::rewrite::{FilterKind, Rewrite};

use crate::make::{Row, candidates_by, row};

const NAMES: [&str; 3] = ["a", "b", "c"];
const VALUES: [&[&str]; 3] = [&["1", "2", "3"], &["x", "y"], &["p", "q"]];

/// What a rule does with one key.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Part {
    /// This value becomes that one, or stays.
    Fixed(usize, usize),
    /// `{a}`
    Copied,
    /// `*`
    Irrelevant,
}

impl Part {
    fn sides(self, key: usize) -> [String; 2] {
        match self {
            Part::Fixed(from, to) => [from, to].map(|value| VALUES[key][value].to_owned()),
            Part::Copied => [NAMES[key], NAMES[key]].map(|name| format!("{{{name}}}")),
            Part::Irrelevant => ["*", "*"].map(str::to_owned),
        }
    }

    /// Whether this key of v is what the rule makes of this key of u.
    fn takes(self, u: usize, v: usize) -> bool {
        match self {
            Part::Fixed(from, to) => (from, to) == (u, v),
            Part::Copied => u == v,
            Part::Irrelevant => true,
        }
    }
}

type Url = [usize; 3];

fn universe() -> Vec<Url> {
    let (a, b, c) = (VALUES[0].len(), VALUES[1].len(), VALUES[2].len());
    (0..a * b * c).map(|i| [i / (b * c), i / c % b, i % c]).collect()
}

fn text(values: &[String]) -> String {
    let params: Vec<String> =
        NAMES.iter().zip(values).map(|(name, value)| format!("{name}={value}")).collect();
    format!("http://a.com/p?{}", params.join("&"))
}

fn parts(key: usize) -> Vec<Part> {
    let n = VALUES[key].len();
    let fixed = (0..n * n).map(|i| Part::Fixed(i / n, i % n));
    fixed.chain([Part::Copied, Part::Irrelevant]).collect()
}

/// Every rule of this form.
fn all_rules() -> Vec<[Part; 3]> {
    let mut rules = Vec::new();
    for a in parts(0) {
        for b in parts(1) {
            rules.extend(parts(2).into_iter().map(|c| [a, b, c]));
        }
    }
    rules
}

/// Supporting pairs, all pairs and wrong pairs of a rule. The pairs that gave the rule its `*` differ in that key.
fn count(rule: &[Part; 3], urls: &[Url], labels: &[u32]) -> (u64, u64, u64) {
    let (mut support, mut pairs, mut wrong) = (0, 0, 0);
    for (u, from) in urls.iter().enumerate() {
        for (v, to) in urls.iter().enumerate().filter(|(v, _)| *v != u) {
            if !(0..3).all(|key| rule[key].takes(from[key], to[key])) {
                continue;
            }
            pairs += 1;
            wrong += u64::from(labels[u] != labels[v]);
            let differs = (0..3).all(|key| rule[key] != Part::Irrelevant || from[key] != to[key]);
            support += u64::from(differs && labels[u] == labels[v]);
        }
    }
    (support, pairs, wrong)
}

fn has_star(rule: &[Part; 3]) -> bool {
    rule.iter().any(|part| !matches!(part, Part::Fixed(..)))
}

fn print(rule: &[Part; 3]) -> String {
    let side = |which: usize| {
        let values: Vec<String> = (0..3).map(|key| rule[key].sides(key)[which].clone()).collect();
        text(&values)
    };
    format!("{} -> {}", side(0), side(1))
}

fn rows(urls: &[Url], labels: &[u32]) -> Vec<Row> {
    let url = |url: &Url| text(&[0, 1, 2].map(|key| VALUES[key][url[key]].to_owned()));
    urls.iter().zip(labels).map(|(u, label)| row(url(u), label)).collect()
}

fn learned(urls: &[Url], labels: &[u32], most: f64, min_support: u64) -> BTreeMap<String, u64> {
    let learner = Rewrite { filter: FilterKind::Ideal(most), min_support, seed: 0 };
    let found = candidates_by(&rows(urls, labels), &learner);
    found.into_iter().map(|c| (c.action.to_string(), c.support)).collect()
}

/// Labels by hidden rules: which keys matter depends on the value of the first.
fn hidden(matters: &[[bool; 3]], urls: &[Url]) -> Vec<u32> {
    let value = |url: &Url, key: usize| if matters[url[0]][key] { url[key] as u32 + 1 } else { 0 };
    urls.iter().map(|url| (0..3).fold(0, |label, key| label * 10 + value(url, key))).collect()
}

fn labels() -> impl Strategy<Value = Vec<u32>> {
    let by_rule =
        prop::collection::vec(any::<[bool; 3]>(), 3).prop_map(|matters| hidden(&matters, &universe()));
    prop_oneof![by_rule, prop::collection::vec(0..4u32, 12)]
}

proptest! {
    #[test]
    fn all_and_only(labels in labels(), min_support in 0..6u64) {
        let urls = universe();
        let mut found = learned(&urls, &labels, 0.0, min_support);
        for rule in all_rules().iter().filter(|rule| has_star(rule)) {
            let (support, _, wrong) = count(rule, &urls, &labels);
            let expected = (support > min_support && wrong == 0).then_some(support);
            prop_assert_eq!(found.remove(&print(rule)), expected, "{}", print(rule));
        }
        // What is left turns any value into a fixed one.
        let fixes = |rule: &String| rule.split_once(" -> ").is_some_and(|(from, to)| from.matches('*').count() > to.matches('*').count());
        prop_assert!(found.keys().all(fixes), "{:?}", found);
    }

    /// With a greater `maxP`, still only rules that keep to it.
    #[test]
    fn only(labels in labels(), min_support in 0..6u64, most in 0..5u8) {
        let (urls, most) = (universe(), f64::from(most) / 10.0);
        let found = learned(&urls, &labels, most, min_support);
        for rule in all_rules() {
            let (support, pairs, wrong) = count(&rule, &urls, &labels);
            if let Some(&claimed) = found.get(&print(&rule)) {
                prop_assert!(min_support < claimed && claimed <= support);
                prop_assert!(wrong as f64 <= most * pairs as f64, "{}", print(&rule));
            }
        }
    }
}
