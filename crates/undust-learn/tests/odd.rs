//! Sites as they come: whatever stands in URLs, rules print and parse, the engine does what selection counted, and nothing panics.

use std::collections::BTreeSet;
use std::fmt::Write;

use proptest::prelude::*;
use undust::apply::{Canonicalizer, Form, Scratch, check};
use undust::page::Page;
use undust::rules::{Action, RuleSet};
use undust_learn::learn::Learner;
use undust_learn::learn::decision_tree::DecisionTree;
use undust_learn::learn::pattern_tree::PatternTree;
use undust_learn::learn::rewrite::{FilterKind, Rewrite};
use undust_learn::pipeline::{Config, LearnedSite, learn_site};

use crate::make::{
    Numbers, Row, candidates_by, keys, learn, learn_by, learn_with, pages, row, set_of, site, texts,
    with_singles,
};

/// Everything that must hold for any site.
#[track_caller]
fn holds(rows: &[Row]) -> LearnedSite {
    prints_and_parses(rows, &Rewrite { filter: FilterKind::FanOut(2), min_support: 1, seed: 0 });
    let eager =
        DecisionTree { min_support: 1, min_coverage: 1, min_precision: 0.0, ..DecisionTree::default() };
    prints_and_parses(rows, &eager);
    holds_for(&learn_by(rows, &Config::default(), &eager), rows);
    prints_and_parses(rows, &EAGER_TREE);
    holds_for(&learn_by(rows, &Config::default(), &EAGER_TREE), rows);
    let learned = learn(rows);
    holds_for(&learned, rows);
    learned
}

/// Proposes on little evidence.
const EAGER_TREE: PatternTree =
    PatternTree { min_overlap: 0.2, min_common: 0.5, min_support: 1, both_ways: false };

#[track_caller]
fn prints_and_parses(rows: &[Row], learner: &dyn Learner) {
    for candidate in candidates_by(rows, learner) {
        let (from, to) = candidate.action.sides();
        assert_eq!(Action::rewrite(&from, &to).as_ref(), Ok(&candidate.action), "{from} -> {to}");
    }
}

/// What must hold for the rules of a site: they pass the checks, survive the file, and the engine does with them what
/// selection counted.
#[track_caller]
pub(crate) fn holds_for(learned: &LearnedSite, rows: &[Row]) {
    let set = set_of(learned);
    assert_eq!(check(&set), []);
    assert_eq!(RuleSet::from_json(&set.to_json()).expect("a file of our own"), set);
    let none = RuleSet::default();
    let distinct = |set: &RuleSet| keys(set, rows).into_iter().collect::<BTreeSet<_>>().len() as u64;
    let saved: u64 = set.rules().filter_map(|(_, rule)| Some(rule.evidence.as_ref()?.saved)).sum();
    assert_eq!(distinct(&none) - distinct(&set), saved, "{:?}", texts(learned));
    let engine = Canonicalizer::of_rules(&set, Form::Key);
    let mut scratch = Scratch::new();
    for key in keys(&set, rows) {
        assert_eq!(engine.canonicalize(&key, &mut scratch), key.as_slice());
    }
}

#[test]
fn next_to_nothing() {
    assert!(texts(&holds(&[])).is_empty());
    assert!(texts(&holds(&[row("http://a.com/", 1)])).is_empty());
    let same: Vec<Row> = (0..300).map(|i| row("http://a.com/x?y=1", i % 2)).collect();
    let learned = holds(&same);
    assert_eq!((learned.urls, learned.clusters, learned.contradictions), (1, 1, 150));
    assert!(texts(&learned).is_empty());
    assert!(texts(&holds(&[row("no url", 1), row("mailto:x@a.com", 1), row("", 1)])).is_empty());
}

#[test]
fn a_hundred_thousand_parameters() {
    let long = |from: u32| {
        (from..from + 100_000).map(|i| format!("&p{i}={i}")).fold(String::new(), |url, param| url + &param)
    };
    let mut rows: Vec<Row> = (0..3).map(|i| row(format!("http://a.com/x?{}", long(i)), "long")).collect();
    rows.extend((0..400).map(|i| row(format!("http://a.com/y?id={}&sid=s{i}", i % 40), i % 40)));
    assert_eq!(
        texts(&learn(&with_singles(rows))),
        ["http://a.com/y?id={id}&sid=* -> http://a.com/y?id={id}&sid=*"]
    );
    // As many as a learner looks at.
    let wide =
        |i: u32| (0..240).map(|k| format!("&p{k}={}", k + i)).fold(String::new(), |url, param| url + &param);
    holds(&(0..20).map(|i| row(format!("http://a.com/x?{}", wide(i)), i % 2)).collect::<Vec<_>>());
}

#[test]
fn empty_values_and_flags() {
    let urls = |i: u32| {
        ["", "&q=", "&q", "&q&r", "&=", "&", "&q=&q", "&q&q="]
            .map(|end| row(format!("http://a.com/x?id={i}{end}"), i))
    };
    let learned = holds(&with_singles((0..60).flat_map(urls).collect()));
    let last: BTreeSet<Vec<u8>> = keys(&set_of(&learned), &urls(99)).into_iter().collect();
    assert_eq!(
        last.iter().map(|key| String::from_utf8_lossy(key)).collect::<Vec<_>>(),
        ["http://a.com/x?id=99"]
    );
}

#[test]
fn addresses_ports_and_users() {
    let hosts = [
        "[::1]",
        "[::ffff:1.2.3.4]:8080",
        "1.2.3.4",
        "u:p@a.com",
        "@a.com",
        "a.com:8080",
        "a.com.",
        "*.a.com",
        "a_b.a.com",
    ];
    for host in hosts {
        let visit = |i: u32| row(format!("http://{host}/x?b={}&a={}", i % 40, i), i % 40);
        let turned = |i: u32| row(format!("http://{host}/x?a={}&b={}", i, i % 40), i % 40);
        let learned = holds(&with_singles((0..400).flat_map(|i| [visit(i), turned(i)]).collect()));
        assert!(!texts(&learned).is_empty(), "{host}");
    }
}

#[test]
fn hosts_and_schemes_of_one_site() {
    let hosts = [
        "http://a.com",
        "https://a.com",
        "http://www.a.com",
        "https://www.a.com",
        "http://m.a.com:8080",
        "http://x.y.a.com",
    ];
    let rows: Vec<Row> = (0..400).flat_map(|i| hosts.map(|host| row(format!("{host}/p{i}"), i))).collect();
    let learned = holds(&rows);
    assert_eq!(keys(&set_of(&learned), &rows).into_iter().collect::<BTreeSet<_>>().len(), 400);
}

/// Selection tries rules on keys; the engine looks for the rules of a key's site. Both must go on behind `*`.
#[test]
fn mirrors_with_sessions() {
    let hosts = ["us", "de", "fr", "uk", "jp", "br", "pl", "it"];
    let visit = |i: u32, host: &str| {
        [
            row(format!("http://{host}.a.com/p{i}?sid={host}{}", i % 7), i),
            row(format!("http://{host}.a.com/p{i}"), i),
        ]
    };
    let rows: Vec<Row> = (0..310).flat_map(|i| hosts.map(|host| visit(i, host))).flatten().collect();
    let learned = holds(&rows);
    let set = set_of(&learned);
    assert_eq!(keys(&set, &rows).into_iter().collect::<BTreeSet<_>>().len(), 310);
    assert!(keys(&set, &rows).iter().all(|key| key.windows(5).any(|w| w == b"a.com")));
}

#[test]
fn urls_that_are_not_text() {
    let visit = |i: u32| row(format!("http://a.com/x?id={}&s={i}", i % 20), i % 20);
    let mut pages = pages(&with_singles((0..200).map(visit).collect()));
    let odd = |i: u8| Page {
        cluster: Some("odd".into()),
        ..Page::new([b"http://a.com/\xff\xfe?x=".as_slice(), &[b'0' + i, 0xC3]].concat())
    };
    pages.extend((0..10).map(odd));
    let learned = learn_site("a.com", pages, &Rewrite::default(), &Config::default());
    assert_eq!((learned.urls, learned.unlabelled, learned.rules.rules.len()), (600, 10, 1));
}

#[test]
fn what_the_notation_uses() {
    let names = [
        "0x41",
        "0xZZ",
        "!x",
        "{...}",
        "*",
        "{x}",
        "a%20b",
        "é",
        "...",
        "sorted(...)",
        "x?",
        "x:digits",
        "'",
        "path-1",
        "value-4",
    ];
    for name in names {
        let visit = |i: u32| row(format!("http://a.com/{{x}}/*/{}?{name}={}&z=*", i % 30, i / 30), i % 30);
        let learned = holds(&with_singles((0..270).map(visit).collect()));
        assert!(!texts(&learned).is_empty(), "{name}");
        // As what is copied, not only as what is dropped.
        let page = |i: u32| row(format!("http://a.com/s?{name}={}&z={}", i % 45, i % 7), i % 45);
        assert!(!texts(&holds(&with_singles((0..450).map(page).collect()))).is_empty(), "{name}");
    }
}

#[test]
fn separators() {
    let visit = |i: u32| row(format!("http://a.com/i?topic={};sid={i};x={}", i % 30, i % 2), i % 30);
    let rows = with_singles((0..300).map(visit).collect());
    let learned = holds(&rows);
    assert!(!texts(&learned).is_empty());
    assert!(keys(&set_of(&learned), &rows).iter().all(|key| !key.contains(&b'&')));
}

/// The rules that two learners find on a random site, on which all must hold.
fn rules_of_random_site(seed: u64) -> [usize; 2] {
    let rows = with_singles(random_site(seed));
    prints_and_parses(&rows, &Rewrite { filter: FilterKind::FanOut(3), min_support: 1, seed: 0 });
    prints_and_parses(&rows, &EAGER_TREE);
    let config = Config { max_fpr: 0.1, ..Config::default() };
    let learned = [learn_with(&rows, &config), learn_by(&rows, &config, &EAGER_TREE)];
    learned.map(|learned| {
        holds_for(&learned, &rows);
        learned.rules.rules.len()
    })
}

/// Always the same sites: whether rules are found at all is a measurement, and no law.
#[test]
fn random_sites_have_rules() {
    let found: Vec<[usize; 2]> = (0..20).map(rules_of_random_site).collect();
    let total = |learner: usize| found.iter().map(|rules| rules[learner]).sum::<usize>();
    assert!(total(0) > 20 && total(1) > 20, "{found:?} rules say little about rules");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases / 12))]

    #[test]
    fn random_sites(seed: u64) {
        rules_of_random_site(seed);
    }

    #[test]
    fn the_sample_hides_what_is_held_out(seed: u64) {
        hides_what_is_held_out(&random_site(seed));
    }
}

/// A site put together at random from odd pieces; which pieces matter is up to chance too.
pub(crate) fn random_site(seed: u64) -> Vec<Row> {
    let mut numbers = Numbers(seed);
    let hosts = ["a.com", "www.a.com", "m.a.com", "a.com:81", "*.a.com"];
    let words = ["*", "{z}", "index.html", "", "0", "a.com", "é"];
    let names = ["sid", "0x1", "!id", "", "v", "a b"];
    // How many of its values each part takes (most only one), and whether they matter.
    let mut part = || (1 + numbers.below(8).saturating_sub(4), numbers.below(4) == 0);
    let parts: Vec<(u64, bool)> = (0..6).map(|_| part()).collect();
    let mut rows = Vec::new();
    for _ in 0..500 {
        let id = numbers.below(60);
        let mut label = id.to_string();
        let mut pick = |part: usize, n: usize| {
            let (values, matters) = parts[part];
            let choice = numbers.below(values) as usize % n;
            if matters {
                write!(label, ",{part}:{choice}").expect("memory");
            }
            choice
        };
        let scheme = ["http", "https"][pick(0, 2)];
        let host = hosts[pick(1, hosts.len())];
        let other = format!("{}={}", names[pick(2, names.len())], words[pick(3, words.len())]);
        let word = words[pick(4, words.len())];
        let ends = [
            format!("{id}?{other}"),
            format!("{id}"),
            format!("p?id={id}&{other}"),
            format!("p?{other};id={id}"),
        ];
        let end = &ends[pick(5, 4)];
        rows.push(row(format!("{scheme}://{host}/{word}/{end}"), label));
    }
    rows
}

fn hides_what_is_held_out(rows: &[Row]) {
    let site = site(rows);
    for held_out in [0b0001, 0b1100] {
        let sample = site.sample(held_out);
        assert!(sample.rows.iter().all(|&row| held_out & (1 << site.fold(row)) == 0));
        let seen: Vec<Row> =
            rows.iter().filter(|(url, _)| is_in(&site, &sample.rows, url)).cloned().collect();
        let alone = crate::make::site(&seen);
        let texts = |found: Vec<undust_learn::learn::Candidate>| -> BTreeSet<String> {
            // How the site separates parameters, it may know: a rule is to be spelt the same whatever is held out.
            found.into_iter().map(|c| c.action.to_string().replace(';', "&")).collect()
        };
        assert_eq!(
            texts(Rewrite::default().learn(&sample)),
            texts(Rewrite::default().learn(&alone.sample(0)))
        );
    }
}

fn is_in(site: &undust_learn::site::Site, rows: &[u32], url: &str) -> bool {
    rows.iter().any(|&row| {
        let mut written = Vec::new();
        site.write_url(row, &mut written);
        written == url.as_bytes()
    })
}
