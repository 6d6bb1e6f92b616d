//! Small sites, looked at.

use undust::page::Page;
use undust::rules::{Action, Evidence, Rule, SiteRules};
use undust::url::SiteBy;

use super::*;

fn page(url: &str, label: &str) -> Page {
    Page { cluster: Some(label.into()), ..Page::new(url) }
}

fn rules(rules: &[(&str, &str)]) -> SiteRules {
    let rule = |(from, to): &(&str, &str)| Rule::new(Action::rewrite(from, to).expect("a rule"));
    SiteRules { site: "a.com".into(), rules: rules.iter().map(rule).collect() }
}

fn survey(pages: &[Page], rules: &SiteRules) -> Survey {
    Surveyor::new("a.com", pages, true).survey(rules, SiteBy::Domain)
}

/// Ten pages, each plain, with a session, and as a print view.
fn shop() -> Vec<Page> {
    let urls = |n: usize| {
        [format!("/item?id=i{n}"), format!("/item?id=i{n}&sid=s{n}"), format!("/print/i{n}")]
            .map(|tail| page(&format!("http://a.com{tail}"), &n.to_string()))
    };
    (0..10).flat_map(urls).collect()
}

#[test]
fn duplicates_without_a_rule_are_told_by_their_forms() {
    let found = survey(&shop(), &rules(&[("http://a.com/item?sid={?}&{...}", "http://a.com/item?{...}")]));
    let Unexplained { urls, pages, pairs, more_pairs } = found.unexplained;
    assert_eq!((urls, pages, more_pairs), (10, 10, 0));
    let forms: Vec<_> = pairs.iter().map(|pair| (pair.form.as_str(), pair.of.as_str(), pair.urls)).collect();
    assert_eq!(forms, [("http://a.com/print/*", "http://a.com/item?id=*", 10)]);
    assert_eq!(pairs[0].examples.len(), 3);
    assert_eq!((found.conflicts.wrong, found.conflicts.lost), (0, 0));
}

#[test]
fn rules_that_labels_do_not_bear_out() {
    let mut pages = shop();
    pages.push(page("http://a.com/item?id=i3&sid=odd", "another"));
    let found = survey(&pages, &rules(&[("http://a.com/item?sid={?}&{...}", "http://a.com/item?{...}")]));
    let Conflicts { wrong, lost, wrong_pairs, .. } = found.conflicts;
    assert_eq!((wrong, lost), (1, 1));
    assert_eq!(wrong_pairs[0].url, "http://a.com/item?id=i3&sid=odd");
    assert_eq!(wrong_pairs[0].rules.len(), 1);
}

#[test]
fn what_is_skipped_is_not_fetched() {
    let mut set = rules(&[("http://a.com/item?sid={?}&{...}", "http://a.com/item?{...}")]);
    set.rules.push(Rule::new(Action::skip("http://a.com/print/{id}").expect("a rule")));
    let mut pages = shop();
    pages.push(page("http://a.com/print/alone", "alone"));
    let found = survey(&pages, &set);
    assert_eq!((found.unexplained.urls, found.conflicts.wrong, found.conflicts.lost), (0, 0, 1));
    assert_eq!(found.fetches, Fetches { merged: 10, skipped: 11, needed: 10, again: 0 });
}

/// Wrong merges, skips that lose a page and duplicates that stay, all at once: nothing is counted twice or forgotten.
#[test]
fn what_becomes_of_urls_adds_up() {
    let sid = ("http://a.com/item?sid={?}&{...}", "http://a.com/item?{...}");
    let mut pages = shop();
    pages.push(page("http://a.com/item?id=i3&sid=odd", "another"));
    pages.push(page("http://a.com/print/alone", "alone"));
    pages.extend((0..5).map(|n| page(&format!("http://a.com/ITEM?id=i{n}"), &n.to_string())));
    let skip = Rule::new(Action::skip("http://a.com/print/alone").expect("a rule"));
    for (set, expected) in [
        (rules(&[]), Fetches { merged: 0, skipped: 0, needed: 12, again: 25 }),
        (rules(&[sid]), Fetches { merged: 11, skipped: 0, needed: 11, again: 15 }),
        (
            SiteRules { rules: vec![skip], ..rules(&[]) },
            Fetches { merged: 0, skipped: 1, needed: 11, again: 25 },
        ),
    ] {
        let Survey { fetches, unexplained, conflicts, .. } = survey(&pages, &set);
        assert_eq!(fetches, expected);
        assert_eq!(fetches.spared() + fetches.fetched(), pages.len() as u64);
        assert_eq!((fetches.needed + conflicts.lost, fetches.again), (12, unexplained.urls));
    }
}

#[test]
fn habits_are_a_reason() {
    let of = |n: u32| {
        let file = [format!("/page{n}"), format!("/page{n}.html"), format!("/{n}/")];
        let case = [format!("/Topic{n}"), format!("/topic{n}")];
        let labelled = |urls: &[String], kind: &str| {
            urls.iter().map(|tail| page(&format!("http://a.com{tail}"), &format!("{kind}{n}"))).collect()
        };
        let urls: [Vec<Page>; 2] = [labelled(&file, "file"), labelled(&case, "case")];
        urls.concat()
    };
    let found = survey(&(0..3).flat_map(of).collect::<Vec<_>>(), &rules(&[])).unexplained;
    let told = found.pairs.iter().map(|pair| (pair.form.as_str(), pair.urls, pair.differ_in.clone()));
    let expected = [
        ("http://a.com/*", 3, vec!["upper and lower case"]),
        ("http://a.com/*", 3, vec!["a file extension"]),
        ("http://a.com/*/", 3, vec![]),
    ];
    let told: Vec<_> = told.collect();
    assert_eq!(told, expected);
}

#[test]
fn two_labels_and_claims() {
    let mut pages = shop();
    pages.push(page("http://a.com/item?id=i1", "other"));
    pages.push(Page { canonical: Some("http://a.com/item?id=i5".into()), ..page("http://a.com/x", "6") });
    pages.push(Page { canonical: Some("http://A.com/item?id=i5".into()), ..page("http://a.com/y", "5") });
    // Of itself, and of what nobody saw.
    pages.push(Page { canonical: Some("http://a.com/z".into()), ..page("http://a.com/z", "7") });
    pages.push(Page { canonical: Some("http://a.com/0".into()), ..page("http://a.com/w", "7") });
    let found = survey(&pages, &rules(&[]));
    let labels =
        TwoLabels { url: "http://a.com/item?id=i1".into(), labels: vec!["1".into(), "other".into()] };
    assert_eq!(found.conflicts.two_labels, [labels]);
    let [claims] = found.conflicts.claims.as_slice() else { panic!("one kind of claims") };
    assert_eq!((claims.kind, claims.claims, claims.refuted), ("canonical link", 2, 1));
    assert_eq!(claims.examples, [["http://a.com/x", "http://a.com/item?id=i5"].map(str::to_owned)]);
    pages.reverse();
    assert_eq!(survey(&pages, &rules(&[])), found);
}

#[test]
fn without_labels_there_is_a_tree() {
    let urls = ["http://a.com/1", "http://a.com/2?x=1"].map(Page::new);
    let found = survey(&urls, &rules(&[("http://a.com/{a}?x=*", "http://a.com/{a}")]));
    assert!(!found.labelled && found.unexplained == Unexplained::default());
    assert_eq!(found.tree.nodes.first().map(|node| (node.urls, node.pages)), Some((2, 2)));
    assert_eq!(survey(&[], &rules(&[])).tree.nodes.len(), 1);
}

#[test]
fn what_is_kept_of_a_site_does_not_grow_with_it() {
    let long = "x".repeat(5000);
    let url =
        |n: usize| page(&format!("http://a.com/{}/{n}?p{}={long}", n % 70, n % 500), &(n % 900).to_string());
    let pages: Vec<Page> = (0..3000).map(url).collect();
    let found = survey(&pages, &rules(&[]));
    assert!(found.tree.nodes.len() <= 60 && found.tree.patterns >= found.tree.nodes.len() as u64);
    assert!(found.unexplained.pairs.len() <= 12 && found.unexplained.more_pairs > 0);
    let text = format!("{found:?}");
    assert!(text.len() < 200_000, "{}", text.len());
    for (at, node) in found.tree.nodes.iter().enumerate() {
        assert!(node.parent.is_none_or(|parent| (parent as usize) < at), "{node:?}");
        assert_eq!(node.parent.is_none(), at == 0);
    }
}

#[test]
fn the_safest_rules_come_first() {
    let rule = |saved, trials, false_positives| Rule {
        evidence: Some(Evidence { saved, trials, false_positives, ..Evidence::default() }),
        ..rules(&[("http://a.com/{a}?x=*", "http://a.com/{a}")]).rules[0].clone()
    };
    let set = [rule(100, 50, 1), rule(300, 300, 0), rule(7, 0, 0), rule(10, 20, 0)];
    let points = curve(set.iter(), 1000);
    let counts: Vec<_> = points.iter().map(|point| (point.rules, point.saved)).collect();
    assert_eq!(counts, [(1, 300), (2, 310), (3, 410)]);
    assert!(points[2].max_fpr > points[0].max_fpr && points[2].lost > 0.0 && points[1].lost == 0.0);
    assert!(curve([].into_iter(), 0).is_empty());
}
