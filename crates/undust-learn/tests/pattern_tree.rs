//! `pattern-tree` on the paper's worked examples, on odd sites, and on sites with noise.

use std::collections::BTreeSet;

use proptest::prelude::*;
use undust::page::Page;
use undust_learn::learn::Learner;
use undust_learn::learn::pattern_tree::PatternTree;
use undust_learn::learn::pattern_tree::outline::{OutlineNode, ToldBy, outline};
use undust_learn::proof::proofs;
use undust_learn::site::Site;

use crate::honesty::forum;
use crate::make::{Numbers, Row, row, site};

/// What is proposed when nothing is held out. The paper's examples are of a few URLs.
fn proposals(rows: &[Row]) -> BTreeSet<String> {
    let learner = PatternTree { min_support: 2, ..PatternTree::default() };
    learner.learn(&site(rows).sample(0)).iter().map(|c| c.action.to_string()).collect()
}

#[track_caller]
fn proposes(rows: &[Row], from: &str, to: &str) {
    let (found, rule) = (proposals(rows), format!("{from} -> {to}"));
    assert!(found.contains(&rule), "{rule} is not among\n{found:#?}");
}

/// The eight duplicates of Figure 3.
fn figure_3() -> Vec<Row> {
    let values =
        [("g", "k"), ("l", "m"), ("n", "o"), ("p", "q"), ("r", "s"), ("r", "t"), ("w", "x"), ("w", "z")];
    values.map(|(k3, k5)| row(format!("http://a.com/a?K2=b&K3={k3}&K4=c&K5={k5}"), "same")).to_vec()
}

const IDEAL: (&str, &str) = ("http://a.com/a?K2=b&K3=*&K4=c&K5=*", "http://a.com/a?K2=b&K3=*&K4=c&K5=*");

#[test]
fn figure_3_yields_the_ideal_rule() {
    proposes(&figure_3(), IDEAL.0, IDEAL.1);
}

#[test]
fn figure_3_yields_the_ideal_rule_whatever_url_is_missing() {
    for missing in 0..8 {
        let mut rows = figure_3();
        rows.remove(missing);
        proposes(&rows, IDEAL.0, IDEAL.1);
    }
}

/// Node A is `/archiveN/display?pageid=P`, node B `/archiveM/P/display?sid=S`.
fn figure_4() -> Vec<Row> {
    let a = [(1, 21), (2, 21), (0, 10), (3, 10)]
        .map(|(mirror, page)| row(format!("http://a.com/archive{mirror}/display?pageid={page}"), page));
    let b =
        [(0, 21, "kent"), (3, 21, "side5"), (1, 10, "stern"), (2, 10, "st105")].map(|(mirror, page, sid)| {
            row(format!("http://a.com/archive{mirror}/{page}/display?sid={sid}"), page)
        });
    a.into_iter().chain(b).collect()
}

#[test]
fn figure_4_is_keep_replace_and_ignore() {
    let rows = figure_4();
    proposes(&rows, "http://a.com/*/display?pageid={pageid}", "http://a.com/*/{pageid}/display?sid=*");
    proposes(&rows, "http://a.com/*/{path-2}/display?sid=*", "http://a.com/*/{path-2}/display?sid=*");
}

#[test]
fn a_mirror_is_a_host_label_that_does_not_matter() {
    let page = |n: usize| {
        ["us", "de", "fr", "jp"].map(|mirror| row(format!("http://{mirror}.php.net/manual/{n}.php"), n))
    };
    let rows: Vec<Row> = (0..40).flat_map(page).collect();
    let found = proposals(&rows);
    let is_mirror =
        |rule: &String| rule.contains("http://*.php.net/manual/{path-2} -> http://*.php.net/manual/{path-2}");
    let to_one = |rule: &String| rule.contains("-> http://de.php.net/manual/{path-2}");
    assert!(found.iter().any(is_mirror) || found.iter().any(to_one), "{found:#?}");
}

#[test]
fn a_parameter_that_is_dropped_everywhere_is_one_rule() {
    let mut rows = Vec::new();
    for script in ["view.php", "list.php", "user.php"] {
        for id in 0..30 {
            let page = format!("{script} {id}");
            rows.push(row(format!("http://a.com/{script}?id={id}"), &page));
            rows.extend((0..2).map(|s| row(format!("http://a.com/{script}?id={id}&sid={id}x{s}"), &page)));
        }
    }
    proposes(&rows, "{scheme}://{...}/{...}?{...}&sid=*", "{scheme}://{...}/{...}?{...}");
}

#[test]
fn values_that_matter_are_not_ignored() {
    // Each page has one URL in either folder; the folder does not matter, but the number does.
    let page = |n: usize| [row(format!("http://a.com/old/{n}"), n), row(format!("http://a.com/new/{n}"), n)];
    let found = proposals(&(0..50).flat_map(page).collect::<Vec<_>>());
    assert!(found.iter().all(|rule| rule.ends_with("/{path-2}")), "{found:#?}");
    assert!(found.contains("http://a.com/old/{path-2} -> http://a.com/new/{path-2}"), "{found:#?}");
    assert!(found.contains("http://a.com/new/{path-2} -> http://a.com/old/{path-2}"), "{found:#?}");
}

/// For `select`, what a right rule does is not proposed again, nor the way back.
#[test]
fn mirrors_do_not_need_a_rule_each() {
    let page = |n: usize| {
        ["us", "de", "fr", "jp"].map(|mirror| row(format!("http://{mirror}.php.net/manual/{n}.php"), n))
    };
    let rows: Vec<Row> = (0..40).flat_map(page).collect();
    let learn =
        |both_ways| PatternTree { both_ways, ..PatternTree::default() }.learn(&site(&rows).sample(0)).len();
    assert_eq!((learn(true), learn(false)), (13, 1), "one for all, and twelve from each to each");
}

#[test]
fn an_order_of_parameters_is_a_rule() {
    let page =
        |n: usize| [row(format!("http://a.com/x?a={n}&b=1"), n), row(format!("http://a.com/x?b=1&a={n}"), n)];
    let rows: Vec<Row> = (0..20).flat_map(page).collect();
    proposes(&rows, "{scheme}://{...}/{...}?{...}", "{scheme}://{...}/{...}?{sorted(...)}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases / 8))]

    #[test]
    fn the_same_rows_in_another_order_give_the_same_rules(shuffle: u64) {
        let mut rows = figure_4();
        rows.extend(figure_3());
        let learn = |rows: &[Row]| PatternTree::default().learn(&site(rows).sample(0));
        let first = learn(&rows);
        Numbers(shuffle).shuffle(&mut rows);
        prop_assert_eq!(learn(&rows), first);
    }
}

#[test]
fn odd_urls_do_no_harm() {
    let deep = format!("http://a.com/{}", "x/".repeat(3000));
    let wide =
        format!("http://a.com/?{}", (0..3000).map(|n| format!("p{n}=1")).collect::<Vec<_>>().join("&"));
    let odd = [
        deep.as_str(),
        wide.as_str(),
        "http://u:p@a.com:81/",
        "http://[::1]/",
        "http://a.com/?",
        "http://a.com/?a=1&a=2",
        "http://a.com",
    ];
    let rows: Vec<Row> = odd.iter().chain(&odd).map(|url| row(*url, "same")).collect();
    assert!(proposals(&rows).len() < 10);
}

/// The learner tells what a rule does without the engine; the engine must do it.
#[test]
fn the_engine_does_what_the_learner_believes() {
    let site = Site::new("computer-forum.net", &forum(), 0);
    let sample = site.sample(0);
    let candidates = PatternTree::default().learn(&sample);
    assert!(candidates.len() > 10);
    for (candidate, proof) in candidates.iter().zip(proofs(&sample, &candidates).0) {
        assert!(proof.pairs > 0 && proof.fpr() <= 0.2, "{}: {proof:?}", candidate.action);
    }
}

fn outline_of(rows: &[Row]) -> Vec<OutlineNode> {
    outline(&site(rows).sample(0)).nodes
}

#[test]
fn the_tree_of_figure_4() {
    let nodes = outline_of(&figure_4());
    let shown: Vec<_> =
        nodes.iter().map(|node| (node.depth, node.pattern.as_str(), node.urls, node.pages)).collect();
    assert_eq!(
        shown,
        [
            (0, "http://a.com/*/*/{...}?{...}", 8, 2),
            (1, "http://a.com/*/display?pageid=*", 4, 2),
            (1, "http://a.com/*/*/display?sid=*", 4, 2),
        ]
    );
    assert_eq!(nodes[1].parent, Some(0));
    assert_eq!(nodes[1].told_by, Some(ToldBy { key: "path-3".to_owned(), value: None }));
    assert!((nodes[0].duplicate_rate - 0.75).abs() < 1e-9);
    assert!(nodes[2].example.contains("/display?sid="));
}

#[test]
fn urls_without_a_pattern_are_counted() {
    let rows = ["x?a=1&a=2", "x?a=1", "y?"].map(|path| row(format!("http://a.com/{path}"), path));
    let outline = outline(&site(&rows).sample(0));
    assert_eq!((outline.left_out, outline.nodes[0].urls), (2, 1));
}

/// A rule prints parameters as the target has them, whatever else there is.
#[test]
fn parameters_stand_where_the_target_has_them() {
    let page = |n: usize| {
        let x = if n < 40 { String::new() } else { format!("&x={n}") };
        [
            row(format!("http://a.com/v?t={n}&start={n}0{x}&highlight="), n),
            row(format!("http://a.com/v?start={n}0&t={n}{x}"), n),
        ]
    };
    let rows: Vec<Row> = (0..80).flat_map(page).collect();
    proposes(
        &rows,
        "http://a.com/v?{...}&start={start}&t={t}&highlight=",
        "http://a.com/v?start={start}&t={t}&{...}",
    );
}

#[test]
fn children_have_all_urls_of_their_parent() {
    let mut rows = figure_4();
    rows.extend(figure_3());
    rows.extend((0..200).map(|n| row(format!("http://a.com/{}/{n}?x={}", n % 3, n % 7), n)));
    let nodes = outline_of(&rows);
    for (at, node) in nodes.iter().enumerate() {
        let children: Vec<_> = nodes.iter().filter(|child| child.parent == Some(at as u32)).collect();
        let urls: u64 = children.iter().map(|child| child.urls).sum();
        assert!(children.is_empty() || urls == node.urls, "{node:?}");
        assert!(node.parent.is_none_or(|parent| (parent as usize) < at));
    }
    assert_eq!(nodes[0].urls, rows.len() as u64);
}

#[test]
fn an_empty_site_has_a_tree_without_urls() {
    let empty: [Page; 0] = [];
    let site = Site::new("a.com", &empty, 0);
    assert_eq!(outline(&site.sample(0)).nodes.iter().map(|node| node.urls).sum::<u64>(), 0);
    assert_eq!(PatternTree::default().learn(&site.sample(0)), []);
}
