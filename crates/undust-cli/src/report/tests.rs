//! Many sites, large ones.

use std::collections::BTreeMap;
use std::path::PathBuf;

use undust::page::Page;
use undust::rules::{Action, Evidence, Rule, SiteRules, Validation, Verdict};
use undust_learn::pipeline::{Config, Contribution};
use undust_learn::{LearnOptions, Learned, LearnedSite};

use super::page::page;
use super::{Collector, Facts};
use crate::commands::Read;

/// Rules of the sites that save most.
const MANY_RULES: usize = 60;

/// Rules and pages of a site, with texts that are too long for anybody; the ten last ones have many rules.
fn site(n: usize) -> (Vec<Page>, LearnedSite) {
    let (name, long) = (format!("site{n}.example"), "x<'\"&".repeat(400));
    let rules = if n < 1090 { 1 } else { MANY_RULES };
    let url = |i: usize| Page {
        cluster: Some(format!("{}{long}", i / 2)),
        ..Page::new(format!("http://{name}/{i}?a={i}&long={long}"))
    };
    let rule = |i: usize| Rule {
        evidence: Some(Evidence {
            saved: (n + i) as u64,
            trials: 50,
            examples: vec![[format!("http://{name}/{i}{long}"), format!("http://{name}/{i}")]; 3],
            ..Evidence::default()
        }),
        ..Rule::new(Action::substitute(&format!("a{i}{}", "y".repeat(2000)), "b").expect("a rule"))
    };
    let rules = SiteRules { site: name.clone(), rules: (0..rules).map(rule).collect() };
    let learners = vec![Contribution { learner: "by-hand".into(), candidates: 70, rules: 60, saved: 5 }];
    let learned = LearnedSite {
        rules,
        urls: 4000 + n as u64,
        clusters: 2000,
        candidates: 70,
        learners,
        ..LearnedSite::default()
    };
    ((0..4).map(url).collect(), learned)
}

fn report(sites: impl Iterator<Item = usize>) -> String {
    of_sites(sites.map(site))
}

fn of_sites(sites: impl Iterator<Item = (Vec<Page>, LearnedSite)>) -> String {
    let config = Config::default();
    let collector = Collector::new(true, &config);
    let mut learned: Vec<LearnedSite> = Vec::new();
    for (pages, of_site) in sites {
        collector.keep(collector.look(&of_site.rules.site, &pages), &of_site);
        learned.push(of_site);
    }
    let Learned { rules, report: total, .. } = LearnOptions::new().build().expect("defaults").gather(learned);
    let facts = Facts {
        inputs: &[PathBuf::from("a/crawl.tsv")],
        read: Read { pages: 100, bad: 1, cut: 0 },
        method: "by-hand",
        config: &config,
        total: &total,
        rules: &rules,
        models: 1,
        seconds: BTreeMap::from([("by-hand".to_owned(), 1.25)]),
    };
    page(&facts, &collector.into_collected())
}

#[test]
fn a_large_crawl_gives_no_large_page() {
    let text = report(0..1100);
    assert!(text.len() < 4_000_000, "{} bytes", text.len());
    for part in [
        "and 100 more sites",
        "1,050 more are left out here",
        "and 10 more rules in the rule file",
        "1.2</td>",
    ] {
        assert!(text.contains(part), "no '{part}'");
    }
    assert!(text.contains("site1099.example") && !text.contains("<b>site7.example</b>"));
}

#[test]
fn skips_have_a_list_of_their_own() {
    let (mut pages, mut learned) = site(7);
    let print = |i: u32| Page {
        cluster: Some(i.to_string()),
        ..Page::new(format!("http://site7.example/print/{i}"))
    };
    pages.extend((0..3).map(print));
    let skip = Rule::new(Action::skip("http://site7.example/print/{id}").expect("a rule"));
    let evidence = Evidence { saved: 3, trials: 500, ..Evidence::default() };
    learned.rules.rules.push(Rule { evidence: Some(evidence), ..skip });
    let text = of_sites([(pages, learned)].into_iter());
    for part in [
        "3 of 4,007 URLs need no fetch",
        "URLs skipped",
        "<b>3</b> not fetched: skipped by rules",
        "never fetched",
    ] {
        assert!(text.contains(part), "no '{part}'");
    }
}

#[test]
fn what_trying_out_has_shown() {
    let shown = |verdict, positive| {
        let (pages, mut learned) = site(1);
        let rule = &mut learned.rules.rules[0];
        rule.evidence = Some(Evidence { support: 1159, bound: 1.0, ..Evidence::default() });
        rule.validation = Some(Validation { verdict, positive, ..Validation::default() });
        of_sites([(pages, learned)].into_iter())
    };
    let text = shown(Verdict::Valid, 43);
    assert!(text.contains("valid: 43 pairs compared, 0 other"), "{text}");
    assert!(!text.contains("wrong, held out") && !text.contains("Likely, to be tried out"), "{text}");
    let text = shown(Verdict::Likely, 0);
    assert!(text.contains("Likely, to be tried out") && text.contains("1,159"), "{text}");
}

#[test]
fn whichever_site_was_ready_first() {
    assert!(report(0..120) == report((0..120).rev()));
}
