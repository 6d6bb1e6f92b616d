//! Every metric against numbers computed by hand or by listing all pairs.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use undust_learn::evaluate::{Evaluation, Metrics, Report};

/// Site, URL, canonical form, label.
type Visit = (&'static str, u32, u32, u32);

fn evaluate(visits: &[Visit], rules: &[(&str, u64)]) -> Report {
    let mut evaluation = Evaluation::new();
    for (site, url, key, label) in visits {
        let text = |what: &str, n: &u32| format!("http://{site}/{what}{n}").into_bytes();
        evaluation.add(site, &text("u", url), &text("k", key), &label.to_string());
    }
    evaluation.report(&rules.iter().map(|(site, n)| ((*site).to_owned(), *n)).collect())
}

#[track_caller]
fn is(metrics: &Metrics, expected: [f64; 10]) {
    for ((name, value), expected) in metrics.named().into_iter().zip(expected) {
        assert!((value - expected).abs() < 1e-12, "{name} is {value}, not {expected}");
    }
}

/// Site a: pages 1 (three URLs), 2 (two), 3 and 4 (one each). Its rules merge two URLs of page 1, and page 3 into page 2.
const A: [Visit; 7] = [
    ("a", 1, 1, 1),
    ("a", 2, 1, 1),
    ("a", 3, 3, 1),
    ("a", 4, 4, 2),
    ("a", 5, 5, 2),
    ("a", 6, 4, 3),
    ("a", 7, 7, 4),
];
/// Site b: two URLs of one page, merged.
const B: [Visit; 2] = [("b", 1, 1, 9), ("b", 2, 1, 9)];

#[test]
fn one_site_by_hand() {
    let report = evaluate(&A, &[("a", 2)]);
    let score = &report.total;
    assert_eq!((score.urls, score.clusters, score.crawled, score.covered), (7, 4, 5, 3));
    assert_eq!((score.merged_pairs, score.wrong_pairs, score.rules), (2, 1, 2));
    let (p, r, keep) = (3.0 / 5.0, 3.0 / 4.0, 4.0 / 7.0);
    let expected = [
        p,
        r,
        2.0 * p * r / (p + r),
        keep,
        2.0 * keep / (keep + 1.0),
        2.0 / 7.0,
        1.0 - (2.0 / 5.0) / (3.0 / 7.0),
        1.0 / 3.0,
        0.5,
        1.0,
    ];
    is(&score.metrics, expected);
    is(&report.macro_average, expected);
}

#[test]
fn micro_sums_and_macro_averages_sites() {
    let visits: Vec<Visit> = A.into_iter().chain(B).collect();
    let report = evaluate(&visits, &[("a", 2), ("b", 1)]);
    let total = &report.total;
    assert_eq!((total.urls, total.clusters, total.crawled, total.covered), (9, 5, 6, 4));
    assert_eq!((total.merged_pairs, total.wrong_pairs, total.rules), (3, 1, 3));
    let (p, r, keep) = (4.0 / 6.0, 4.0 / 5.0, 5.0 / 9.0);
    let f1 = 2.0 * p * r / (p + r);
    let dup_reduction = 1.0 - (2.0 / 6.0) / (4.0 / 9.0);
    is(
        &total.metrics,
        [p, r, f1, keep, 2.0 * keep / (keep + 1.0), 3.0 / 9.0, dup_reduction, 0.5, 1.0 / 3.0, 1.0],
    );
    let mean = |of: fn(&Metrics) -> f64| report.sites.iter().map(|s| of(&s.score.metrics)).sum::<f64>() / 2.0;
    assert_eq!(report.sites.len(), 2);
    assert!((report.macro_average.precision - f64::midpoint(3.0 / 5.0, 1.0)).abs() < 1e-12);
    assert!((report.macro_average.recall - f64::midpoint(3.0 / 4.0, 1.0)).abs() < 1e-12);
    assert!((report.macro_average.f1 - mean(|m| m.f1)).abs() < 1e-12);
    assert!((report.macro_average.coverage - f64::midpoint(1.0 / 3.0, 1.0)).abs() < 1e-12);
    assert!((report.macro_average.fpr - 0.25).abs() < 1e-12);
}

/// A label is one page, whatever the site: a page that moved to another site is covered there.
#[test]
fn one_page_on_two_sites() {
    let report = evaluate(&[("a", 1, 1, 7), ("b", 1, 1, 7)], &[]);
    assert_eq!(
        (report.total.urls, report.total.clusters, report.total.crawled, report.total.covered),
        (2, 1, 2, 1)
    );
    assert_eq!(report.sites.iter().map(|site| site.score.clusters).sum::<u64>(), 2);
}

#[test]
fn no_site_at_all() {
    let report = Evaluation::new().report(&BTreeMap::new());
    assert!(
        report.sites.is_empty() && report.total.metrics.named().iter().all(|(_, value)| value.is_finite())
    );
}

proptest! {
    #[test]
    fn counts_are_those_of_a_list_of_all(walk in prop::collection::vec((0..40u32, 0..8u32, 0..8u32), 0..60)) {
        let visits: Vec<Visit> = walk.iter().map(|&(url, key, label)| ("a", url, key, label)).collect();
        let score = evaluate(&visits, &[]).total;
        let mut urls: Vec<(u32, u32, u32)> = Vec::new();
        for visit in walk {
            if urls.iter().all(|(url, ..)| *url != visit.0) {
                urls.push(visit);
            }
        }
        let pairs = || (0..urls.len()).flat_map(|i| (0..i).map(move |j| (i, j))).filter(|&(i, j)| urls[i].1 == urls[j].1);
        prop_assert_eq!(score.merged_pairs, pairs().count() as u64);
        prop_assert_eq!(score.wrong_pairs, pairs().filter(|&(i, j)| urls[i].2 != urls[j].2).count() as u64);
        let mut keys = BTreeSet::new();
        let crawled: Vec<u32> = urls.iter().filter(|(_, key, _)| keys.insert(*key)).map(|(.., label)| *label).collect();
        let distinct = |labels: Vec<u32>| labels.into_iter().collect::<BTreeSet<_>>().len() as u64;
        prop_assert_eq!(score.crawled, crawled.len() as u64);
        prop_assert_eq!(score.covered, distinct(crawled));
        prop_assert_eq!(score.clusters, distinct(urls.iter().map(|(.., label)| *label).collect()));
        prop_assert_eq!(score.urls, urls.len() as u64);
    }
}
