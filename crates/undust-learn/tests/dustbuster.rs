//! dustbuster: the paper's worked examples, its counts against tables of strings as the paper has them, and what must not matter.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use undust::page::Page;
use undust::rules::{Action, Substitute, Verdict};
use undust_learn::learn::dustbuster::{Dustbuster, Settings, Similar};
use undust_learn::listing::Listing;
use undust_learn::pipeline::{Config, learn_site};

fn likely(pages: &[Page], settings: Settings) -> Vec<(String, u64)> {
    let found = Dustbuster { settings }.likely(&Listing::new(pages, false));
    found.rules.iter().map(|rule| (rule.action.to_string(), rule.support)).collect()
}

fn names(pages: &[Page]) -> Vec<String> {
    likely(pages, Settings::default()).into_iter().map(|(rule, _)| rule).collect()
}

fn urls(urls: impl IntoIterator<Item = String>) -> Vec<Page> {
    urls.into_iter().map(Page::new).collect()
}

/// Each of `items` in every one of `forms`, where `#` stands for it.
fn forms(forms: &[&str], items: &[&str]) -> Vec<Page> {
    urls(items.iter().flat_map(|item| forms.iter().map(move |form| form.replace('#', item))))
}

const ITEMS: [&str; 5] = ["17", "202", "3x", "40", "5555"];

#[track_caller]
fn assert_first(pages: &[Page], expected: &str) {
    let found = names(pages);
    assert_eq!(found.first().map(String::as_str), Some(expected), "{found:#?}");
}

#[test]
fn index_html_at_any_depth() {
    let folders = ["", "a/", "a/b/", "c/d/e/", "f/"];
    assert_first(
        &forms(&["http://www.site.com/#index.html", "http://www.site.com/#"], &folders),
        "/index.html$ -> /$",
    );
}

#[test]
fn a_story_by_number() {
    let pages = forms(&["http://domain/story?id=#", "http://domain/story_#"], &ITEMS);
    assert_first(&pages, "^http://domain/story?id= -> ^http://domain/story_");
}

/// The refined rule goes where the URLs show it in one context only, and stays where they show it in two.
#[test]
fn redundant_rules() {
    let one = forms(&["http://a.co.il/story?id=#", "http://a.co.il/story_#"], &ITEMS);
    let two = forms(&["http://b.com/x/story?id=#", "http://b.com/x/story_#"], &ITEMS);
    let general = "story?id= -> story_".to_owned();
    assert!(!names(&one).iter().any(|rule| rule.starts_with("/story") || *rule == general));
    let both = names(&[one, two].concat());
    assert!(both.contains(&"/story?id= -> /story_".to_owned()), "{both:#?}");
    assert!(!both.contains(&general), "{both:#?}");
}

#[test]
fn the_other_examples() {
    let sections = ["us", "world/asia", "tech/a.html", "x/y/z", "q"];
    let money = forms(&["http://cnn.com/money/#", "http://money.cnn.com/#"], &sections);
    assert_first(&money, "^http://money.cnn.com/ -> ^http://cnn.com/money/");
    let people =
        forms(&["http://ee.ac.il/people#/", "http://ee.ac.il~#/"], &["/joe", "/sue/x", "/ann", "/bob/cv"]);
    assert_first(&people, "^http://ee.ac.il/people/ -> ^http://ee.ac.il~/");
    let php = forms(&["http://f.il/story.php3?id=#", "http://f.il/story?id=#"], &ITEMS);
    assert!(names(&php)[0].contains(".php3?"), "{:#?}", names(&php));
    let views = forms(&["http://f.il/forum_#&LastView=&Close=", "http://f.il/forum_#"], &ITEMS);
    assert_first(&views, "&LastView=&Close=$ -> $");
    let new = forms(&["http://f.il/forum_#&NewOnly=1&tvqz=2", "http://f.il/forum_#&NewOnly=1"], &ITEMS);
    assert_first(&new, "&NewOnly=1&tvqz=2$ -> &NewOnly=1$");
}

/// Albums and pictures are numbered: what one can stand for, a dozen can, and so none is believed.
#[test]
fn large_buckets_support_nothing() {
    let many =
        (0..12).flat_map(|album| (1..=12).map(move |n| format!("http://s.com/album{album}/pic-{n}.html")));
    assert!(names(&urls(many)).is_empty());
    let few =
        (0..5).flat_map(|album| (1..=2).map(move |n| format!("http://s.com/album{album}/pic-{n}.html")));
    assert_eq!(names(&urls(few))[0], "/pic-2.html$ -> /pic-1.html$");
}

fn forum(sizes: [u64; 2]) -> Vec<Page> {
    let page = |host: &str, n: u64, size: u64| Page {
        size: Some(1000 * n + size),
        ..Page::new(format!("http://{host}-forum.com/story_{n}"))
    };
    (1..=6).flat_map(|n| [page("movie", n, sizes[0]), page("politics", n, sizes[1])]).collect()
}

#[test]
fn unlike_sizes_support_nothing() {
    assert_eq!(
        names(&forum([0, 0])),
        ["^http://politics-forum.com/story_ -> ^http://movie-forum.com/story_"]
    );
    assert!(names(&forum([0, 500])).is_empty());
    let blind = Settings { similar: Similar::NONE, ..Settings::default() };
    assert_eq!(likely(&forum([0, 500]), blind).len(), 1);
}

/// A page that is seen twice, with two sizes, has a range; ranges that meet are alike.
#[test]
fn ranges_of_sizes() {
    let mut pages = forum([0, 500]);
    let again: Vec<Page> =
        pages.iter().map(|p| Page { size: p.size.map(|s| s + 600), ..p.clone() }).collect();
    pages.extend(again);
    assert_eq!(names(&pages).len(), 1);
}

#[test]
fn one_instance_counts_once() {
    let pages = urls(
        ["a", "b", "c"]
            .map(|name| format!("http://h/{name}.a.a.a/"))
            .into_iter()
            .chain(["a", "b", "c"].map(|name| format!("http://h/{name}.a.a/"))),
    );
    let all = Settings { window: 0, min_support: 1, ..Settings::default() };
    let found: BTreeMap<String, u64> = likely(&pages, all).into_iter().collect();
    assert_eq!(found.get("a. -> "), Some(&3), "{found:#?}");
    assert_eq!(found.get("a.a.a -> a.a"), Some(&3));
}

fn with_params(params: &[&str]) -> Vec<Page> {
    let pages = ["a", "b", "c", "d", "e", "f", "g", "h"];
    forms(params, &pages)
}

#[test]
fn parameters_that_do_not_matter() {
    let absent =
        with_params(&["http://s.com/#?q=1&sid=7", "http://s.com/#?q=1&sid=88", "http://s.com/#?q=1"]);
    assert_first(&absent, "http://s.com/{...}?sid={?}&{...} -> http://s.com/{...}?{...}");
    let usual = with_params(&["http://s.com/#?q=1&view=flat", "http://s.com/#?q=1&view=tree"]);
    assert!(names(&usual).iter().any(|rule| rule.ends_with("?view=flat&{...}")), "{:#?}", names(&usual));
    let sessions = ["a", "b", "c", "d"];
    let never_absent = urls((0..3).flat_map(|i| {
        let url = move |page: &&str| format!("http://s.com/{page}?sid={page}{i}");
        sessions.iter().map(url).collect::<Vec<_>>()
    }));
    assert_first(&never_absent, "http://s.com/{...}?sid={?}&{...} -> http://s.com/{...}?sid=*&{...}");
}

#[test]
fn numbered_parameters_are_items() {
    let topics =
        (0..40).flat_map(|t| [format!("http://s.com/v?t={t}"), format!("http://s.com/v?t={t}&print=1")]);
    let found = names(&urls(topics));
    assert!(!found.iter().any(|rule| rule.contains("?t=")), "{found:#?}");
    assert_eq!(found[0], "http://s.com/{...}?print={?}&{...} -> http://s.com/{...}?{...}");
}

/// A parameter that matters on one path may be irrelevant on another.
#[test]
fn parameters_by_path() {
    let page = |path: &str, n: u64, x: &str, size| Page {
        size: Some(size),
        ..Page::new(format!("http://s.com/{path}?n={n}{x}"))
    };
    let pages: Vec<Page> = (0..6)
        .flat_map(|n| {
            let (a, b) = (10_000 + 500 * n, 90_000 + 500 * n);
            [
                page("list", n, "&x=1", a),
                page("list", n, "&x=2", b),
                page("read", n, "&x=1", a),
                page("read", n, "", a),
            ]
        })
        .collect();
    assert!(names(&pages).contains(&"http://s.com/read?x={?}&{...} -> http://s.com/read?{...}".to_owned()));
    assert!(
        !names(&pages).iter().any(|rule| rule.starts_with("http://s.com/list?x=")),
        "{:#?}",
        names(&pages)
    );
}

#[test]
fn likely_rules_are_not_applied() {
    let pages = forms(&["http://d.com/story?id=#", "http://d.com/story_#"], &ITEMS);
    let learned = learn_site("d.com", pages, &Dustbuster::default(), &Config::default());
    assert!(!learned.rules.rules.is_empty());
    for rule in &learned.rules.rules {
        assert_eq!(rule.validation.as_ref().map(|v| v.verdict), Some(Verdict::Likely));
        assert!(!rule.is_active());
    }
}

/// Nothing depends on the order of the input, or on how many threads there are.
#[test]
fn the_same_list_gives_the_same_rules() {
    let mut pages =
        forms(&["http://d.com/story?id=#&s=1", "http://d.com/story_#", "http://e.d.com/x/#"], &ITEMS);
    let usual = likely(&pages, Settings::default());
    pages.reverse();
    assert_eq!(likely(&pages, Settings::default()), usual);
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    assert_eq!(one.install(|| likely(&pages, Settings::default())), usual);
}

type Tokens = Vec<String>;

/// Figure 1 as it is printed: tables of strings.
fn string_tables(urls: &BTreeSet<String>, longest: usize, most: usize) -> BTreeMap<String, u64> {
    let mut buckets: BTreeMap<(Tokens, Tokens), Vec<(Tokens, &str)>> = BTreeMap::new();
    for url in urls {
        let tokens = anchored(url);
        for from in 0..=tokens.len() {
            for to in from..=tokens.len().min(from + longest) {
                let envelope = (tokens[..from].to_vec(), tokens[to..].to_vec());
                buckets.entry(envelope).or_default().push((tokens[from..to].to_vec(), url));
            }
        }
    }
    let mut instances: BTreeMap<String, BTreeSet<(&str, &str)>> = BTreeMap::new();
    for bucket in buckets.values().filter(|bucket| bucket.len() <= most) {
        for (i, (one, url)) in bucket.iter().enumerate() {
            for (other, with) in &bucket[i + 1..] {
                let (a, b) = if url < with { (*url, *with) } else { (*with, *url) };
                if let Some(rule) = shrinking(&one.concat(), &other.concat()) {
                    instances.entry(rule).or_default().insert((a, b));
                }
            }
        }
    }
    instances.into_iter().map(|(rule, urls)| (rule, urls.len() as u64)).collect()
}

fn anchored(url: &str) -> Vec<String> {
    let runs = url.as_bytes().chunk_by(|a, b| a.is_ascii_alphanumeric() && b.is_ascii_alphanumeric());
    let tokens = runs.map(|run| String::from_utf8_lossy(run).into_owned());
    ["^".to_owned()].into_iter().chain(tokens).chain(["$".to_owned()]).collect()
}

fn shrinking(one: &str, other: &str) -> Option<String> {
    let plain = |side: &str| side.trim_start_matches('^').trim_end_matches('$').as_bytes().to_vec();
    let (start, end) = (one.starts_with('^'), one.ends_with('$'));
    let (mut from, mut to) = (plain(one), plain(other));
    if (from.len(), &from) < (to.len(), &to) {
        (from, to) = (to, from);
    }
    let substitute = Substitute::new(from, to, start, end).ok()?;
    Some(Action::Substitute(substitute).to_string())
}

proptest! {
    #[test]
    fn counted_as_in_the_paper(list in prop::collection::btree_set("http://c/([ab]/|[ab]\\.|-){0,6}", 2..14)) {
        let pages: Vec<Page> = list.iter().cloned().map(Page::new).collect();
        let (longest, most) = (6, 100);
        let settings = Settings {
            max_tokens: longest, t_low: most, t_high: most, window: 0, min_support: 1, ..Settings::default()
        };
        // Normalising may make URLs equal.
        let normal: BTreeSet<String> = Listing::new(&pages, false).urls()
            .map(|url| String::from_utf8_lossy(url).into_owned()).collect();
        let found: BTreeMap<String, u64> = likely(&pages, settings).into_iter().collect();
        prop_assert_eq!(found, string_tables(&normal, longest, most));
    }
}
