//! Skips of small sites.

use undust::page::Page;
use undust::rules::Action;
use xxhash_rust::xxh3::xxh3_64;

use super::*;
use crate::bound::upper_bound;

fn none() -> RuleSet {
    RuleSet::of_site("a.com", SiteBy::Domain, Vec::new())
}

fn page(url: String, label: u32) -> Page {
    Page { cluster: Some(label.to_string()), ..Page::new(url) }
}

fn found(pages: &[Page]) -> Vec<String> {
    let site = Site::new("a.com", pages, 0);
    let found = skips(&site, &none(), Given::default(), 0.01).rules;
    found.iter().map(|rule| rule.action.to_string()).collect()
}

fn blog(slugs: u32) -> Vec<Page> {
    let slug = |i: u32| page(format!("http://a.com/words-of-{i}-wisdom/"), i);
    let number = |i: u32| page(format!("http://a.com/?p={}", 7 * i + 3), i);
    (0..slugs).map(slug).chain((0..400).map(number)).collect()
}

#[test]
fn numbers_of_pages_that_have_a_name() {
    assert_eq!(found(&blog(800)), ["{scheme}://{...}/?p={:digits} -> skip"]);
}

#[test]
fn what_was_decided_before_stays() {
    let site = Site::new("a.com", &blog(800), 0);
    // Other words for it.
    let skip = [Rule::new(Action::skip("http://a.com/?p={number}").unwrap())];
    let refused = skips(&site, &none(), Given { refused: &skip, ..Given::default() }, 0.01);
    assert_eq!((refused.rules.len(), refused.left_out), (0, 1));
    let standing = skips(&site, &none(), Given { standing: &skip, ..Given::default() }, 0.01);
    let judged = standing.standing[0].as_ref().unwrap();
    assert!(standing.rules.is_empty() && !judged.is_refuted);
    assert_eq!((judged.evidence.saved, judged.evidence.false_positives), (400, 0));
    let few = Site::new("a.com", &blog(200), 0);
    let wrong = skips(&few, &none(), Given { standing: &skip, ..Given::default() }, 0.01);
    assert!(wrong.standing[0].as_ref().unwrap().is_refuted);
}

#[test]
fn some_are_all_there_is() {
    assert_eq!(found(&blog(390)), [] as [&str; 0]);
}

/// Each shape covers for the other, until one is gone.
#[test]
fn two_shapes_of_the_same_pages() {
    let forms = |i: u32| [page(format!("http://a.com/?p={i}"), i), page(format!("http://a.com/?q={i}"), i)];
    let single = |i: u32| page(format!("http://a.com/about-{i}-us"), 1000 + i);
    let pages: Vec<Page> = (0..400).flat_map(forms).chain((0..100).map(single)).collect();
    assert_eq!(found(&pages).len(), 1);
}

/// The words of a place have shapes of their own, but a rule that leaves the place open skips them as well: the rule is tried, not the shape.
#[test]
fn a_rule_may_skip_more_than_the_shape_that_it_was_made_of() {
    let twice = |i: u32| {
        [page(format!("http://a.com/x{i}x?id={i}"), i), page(format!("http://a.com/about-{i}-us/"), i)]
    };
    let alone = |i: u32| page(format!("http://a.com/about-{i}-us/"), i);
    let news = |i: u32| page(format!("http://a.com/news?id={i}"), 1000 + i);
    let with_news = |count: u32| -> Vec<Page> {
        (0..400).flat_map(twice).chain((400..600).map(alone)).chain((0..count).map(news)).collect()
    };
    assert_eq!(found(&with_news(0)), ["{scheme}://{...}/{path-1}?id={:digits} -> skip"]);
    // `news` is a word, and its pages have no other URL: of the shape's own 400 pages none is lost.
    assert_eq!(found(&with_news(100)), [] as [&str; 0]);
}

/// Whether `i` is one of the one in `n` numbers that a hash picks.
fn is_one_of(n: u64, i: u64) -> bool {
    xxh3_64(&i.to_le_bytes()).is_multiple_of(n)
}

/// Sections of 64 pages, each with a number and most with a name as well.
fn sections(count: u64, pages_per_unnamed: u64) -> Vec<Page> {
    let urls = |i: u64| {
        let number = page(format!("http://a.com/section-{}/{i}", i / 64), i as u32);
        let name = page(format!("http://a.com/about-{i}-us/"), i as u32);
        [Some(number), (!is_one_of(pages_per_unnamed, i)).then_some(name)].into_iter().flatten()
    };
    (0..64 * count).flat_map(urls).collect()
}

/// Every section loses one page in sixteen, more than the limit of one in twenty. Of 240 sections some lose no page of the 64 that were seen; 64 pages are
/// enough to believe that, and the next 64 pages would show that it was luck.
#[test]
fn of_many_shapes_some_lose_nothing_by_luck() {
    let site = Site::new("a.com", &sections(240, 16), 0);
    let keys = Keys::new(&site, &none());
    let reached = Reached::by(&keys);
    let proposals = propose(&keys, &reached, 0.05);
    let is_lucky = |proposal: &&propose::SkipProposal| {
        let seen = reached.try_out(&keys, &proposal.members, ALL_FOLDS, ALL_FOLDS).seen;
        seen.trials == 64 && upper_bound(seen.lost, seen.trials) <= 0.05
    };
    assert!(proposals.iter().filter(is_lucky).count() > 0);
    assert_eq!(skips(&site, &none(), Given::default(), 0.05).rules, []);
    // Where sections lose nothing at all, all of them are skipped.
    let safe = Site::new("a.com", &sections(20, u64::MAX), 0);
    assert_eq!(skips(&safe, &none(), Given::default(), 0.05).rules.len(), 20);
}

/// A text that is a word without some folds only is proposed from the others, and tried on these folds alone.
#[test]
fn trials_are_pages_without_a_part_in_the_proposal() {
    let pages: Vec<Page> = (0..600)
        .flat_map(|i| {
            let section = if i < 12 { "rare".to_owned() } else { format!("x{i}x") };
            [
                page(format!("http://a.com/{section}?id={i}"), i),
                page(format!("http://a.com/about-{i}-us/"), i),
            ]
        })
        .collect();
    let site = Site::new("a.com", &pages, 0);
    let keys = Keys::new(&site, &none());
    let reached = Reached::by(&keys);
    let rare: Vec<propose::SkipProposal> = propose(&keys, &reached, 0.01)
        .into_iter()
        .filter(|proposal| proposal.action.to_string().contains("rare"))
        .collect();
    assert!(!rare.is_empty() && rare.iter().all(|proposal| proposal.unseen != ALL_FOLDS));
    for proposal in &rare {
        let pages = |folds: u32| reached.try_out(&keys, &proposal.members, folds, ALL_FOLDS).seen.trials;
        assert_eq!(pages(ALL_FOLDS), 12);
        for fold in (0..FOLDS).filter(|fold| proposal.unseen >> fold & 1 == 1) {
            assert!(pages(ALL_FOLDS & !(1 << fold)) >= 10, "a word of the other folds");
        }
        let tried = reached.try_out(&keys, &proposal.members, proposal.unseen, ALL_FOLDS).seen.trials;
        assert_eq!(tried, pages(proposal.unseen));
    }
}

#[test]
fn a_page_of_many_urls_is_in_one_fold() {
    let wall = (0..100).map(|i| page(format!("http://a.com/login?next={i}"), 0));
    let site = Site::new("a.com", &wall.chain([page("http://a.com/".to_owned(), 1)]).collect::<Vec<_>>(), 0);
    let folds: BTreeSet<u32> = (0..site.len() as u32).map(|row| site.fold(row)).collect();
    assert_eq!(folds.len(), FOLDS as usize);
    let keys = Keys::new(&site, &none());
    assert!(keys.all.iter().all(|key| key.folds.is_power_of_two()));
}
