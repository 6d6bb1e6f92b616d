//! What `auto` makes of sites with one habit each, and of sites that there is nothing to learn of.

use undust::apply::{Canonicalizer, Form, Scratch};
use undust::page::Page;
use undust::rules::RuleSet;
use undust::url::SiteBy;
use undust_learn::evaluate::Evaluation;
use undust_learn::{LearnOptions, LearnedSite};

const SITE: &str = "example.com";

fn page(path: &str, cluster: &impl ToString) -> Page {
    let url = format!("http://www.{SITE}{path}").into_bytes();
    Page { url, cluster: Some(cluster.to_string()), ..Page::default() }
}

fn learn(pages: &[Page]) -> LearnedSite {
    LearnOptions::new().build().expect("defaults").learn_site(SITE, pages.to_vec())
}

fn engine(learned: LearnedSite) -> Canonicalizer {
    Canonicalizer::of_rules(&RuleSet::of_site(SITE, SiteBy::default(), learned.rules.rules), Form::Key)
}

fn key(engine: &Canonicalizer, path: &str) -> String {
    let mut key = Vec::new();
    engine.canonicalize_into(format!("http://www.{SITE}{path}").as_bytes(), &mut Scratch::new(), &mut key);
    String::from_utf8(key).expect("these URLs are text")
}

/// Pages that nobody has another URL for.
fn single() -> impl Iterator<Item = Page> {
    (0..300).map(|i| page(&format!("/about/{i}"), &format!("about {i}")))
}

#[test]
fn the_first_page_is_the_one_without_a_number() {
    let pages_of = |topic: u32| {
        let page_of = move |n: u32| page(&format!("/t/{topic}?page={n}"), &format!("{topic}-{n}"));
        [page(&format!("/t/{topic}"), &format!("{topic}-1"))].into_iter().chain((1..4).map(page_of))
    };
    let known = engine(learn(&(0..400).flat_map(pages_of).chain(single()).collect::<Vec<_>>()));
    assert_eq!(key(&known, "/t/999?page=1"), key(&known, "/t/999"));
    assert_ne!(key(&known, "/t/999?page=2"), key(&known, "/t/999"));
    assert_ne!(key(&known, "/t/999?page=2"), key(&known, "/t/999?page=3"));
}

#[test]
fn a_wall_is_one_page() {
    let wall = (0..400).map(|i| page(&format!("/login?back={}", i * 7919), &"wall"));
    let known = engine(learn(&wall.chain(single()).collect::<Vec<_>>()));
    assert_eq!(key(&known, "/login?back=5"), key(&known, "/login?back=elsewhere"));
    assert_ne!(key(&known, "/about/1"), key(&known, "/about/2"));
}

#[test]
fn urls_that_always_lead_to_a_page_with_another_one_are_skipped() {
    let post = |i: u32| {
        let id = i * 37 % 1009;
        [page(&format!("/story-about-{i}/"), &i), page(&format!("/?p={id}"), &i)]
    };
    let known = engine(learn(&(0..500).flat_map(post).chain(single()).collect::<Vec<_>>()));
    let skips = |path: &str| known.skips(key(&known, path).as_bytes(), &mut Scratch::new()).is_some();
    assert!(skips("/?p=4711"));
    assert!(!skips("/story-about-4711/") && !skips("/about/4711"));
}

/// Sessions by which one URL in `one_in` has the label of another page.
fn sessions(one_in: u32) -> Vec<Page> {
    let urls = (0..300).flat_map(|item| (0..4).map(move |s| (item, s)));
    let label = |item: u32, n: u32| {
        let is_wrong = (n.wrapping_mul(2_654_435_761) >> 7).is_multiple_of(one_in);
        if is_wrong { n * 7 % 300 } else { item }
    };
    urls.map(|(item, s)| page(&format!("/i/{item}?sid={}", item * 4 + s), &label(item, item * 4 + s)))
        .collect()
}

#[test]
fn one_label_in_twenty_is_wrong() {
    let learned = learn(&sessions(20));
    assert!((learned.noise - 0.05).abs() < 0.03, "{}", learned.noise);
    let known = engine(learned);
    assert_eq!(key(&known, "/i/999?sid=1"), key(&known, "/i/999?sid=2"));
    assert_ne!(key(&known, "/i/998?sid=1"), key(&known, "/i/999?sid=1"));
}

#[test]
fn a_site_without_duplicates_has_no_rules() {
    let pages: Vec<Page> =
        (0..1500).map(|i| page(&format!("/{}/{}?v={}", i % 7, i, i % 3), &i)).chain(single()).collect();
    let learned = learn(&pages);
    assert!(learned.rules.rules.is_empty() && learned.model.is_none());
}

/// Whatever is learned of labels that mean nothing loses next to no pages.
#[test]
fn labels_that_mean_nothing() {
    let pages: Vec<Page> = (0..1200_u32)
        .map(|i| {
            page(&format!("/{}?a={}&b={}", i % 40, i, i % 9), &((i.wrapping_mul(2_654_435_761) >> 9) % 400))
        })
        .collect();
    let known = engine(learn(&pages));
    let (mut scratch, mut evaluation) = (Scratch::new(), Evaluation::new());
    for page in &pages {
        let mut key = Vec::new();
        known.canonicalize_into(&page.url, &mut scratch, &mut key);
        evaluation.add(SITE, &page.url, &key, page.label().expect("all have one"));
    }
    assert!(evaluation.report(&std::collections::BTreeMap::new()).total.metrics.recall >= 0.99);
}
