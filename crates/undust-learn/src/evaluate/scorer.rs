//! Scores a rule set by simulating a crawl over labelled pages, with any engine.

use std::collections::BTreeMap;

use serde::Serialize;
use undust::page::Page;
use undust::rules::{Rule, RuleSet};
use undust::url::{SiteBy, site_of};

use super::{Evaluation, Report};

/// The scores of a rule set: of its canonical forms, and of these together with its skips.
#[derive(Serialize)]
#[non_exhaustive]
pub struct Scores {
    /// The scores if no URL is skipped.
    #[serde(flatten)]
    pub report: Report,
    /// The scores with skips, where the rules have any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub with_skips: Option<Report>,
}

/// A crawl simulated over labelled pages, one after the other.
pub struct CrawlScorer {
    site_by: SiteBy,
    key: Vec<u8>,
    evaluation: Evaluation,
    /// Active rules that change URLs, by site.
    rewrites: BTreeMap<String, u64>,
    /// All active rules, by site; only where some skip URLs.
    with_skips: Option<BTreeMap<String, u64>>,
    /// Labelled pages so far.
    pub labelled: u64,
    /// Pages without a label so far, which do not count.
    pub unlabelled: u64,
}

impl CrawlScorer {
    /// A scorer of these rules.
    pub fn new(rules: &RuleSet) -> CrawlScorer {
        let has_skips = rules.rules().any(|(_, rule)| rule.is_active() && rule.action.is_skip());
        CrawlScorer {
            site_by: rules.site_by,
            key: Vec::new(),
            evaluation: Evaluation::new(),
            rewrites: count_rules(rules, |rule| !rule.action.is_skip()),
            with_skips: has_skips.then(|| count_rules(rules, |_| true)),
            labelled: 0,
            unlabelled: 0,
        }
    }

    /// Adds a page; `canonicalize` appends the key of a URL, and tells whether it is skipped.
    pub fn add(&mut self, page: &Page, canonicalize: impl FnOnce(&[u8], &mut Vec<u8>) -> bool) {
        let Some(label) = page.label() else {
            self.unlabelled += 1;
            return;
        };
        self.labelled += 1;
        self.key.clear();
        let is_skipped = canonicalize(&page.url, &mut self.key);
        let add = if is_skipped { Evaluation::add_skipped } else { Evaluation::add };
        add(&mut self.evaluation, &site_of(&page.url, self.site_by), &page.url, &self.key, label);
    }

    /// The scores so far.
    pub fn scores(&self) -> Scores {
        let with_skips = self.with_skips.as_ref().map(|rules| self.evaluation.report(rules));
        Scores { report: self.evaluation.report_without_skips(&self.rewrites), with_skips }
    }

    /// The scores so far without skips; the next page begins a new crawl.
    pub fn finish(&mut self) -> Report {
        let report = self.evaluation.report_without_skips(&self.rewrites);
        self.evaluation = Evaluation::new();
        report
    }
}

/// The number of active rules of a kind, by site.
fn count_rules(rules: &RuleSet, counts: impl Fn(&Rule) -> bool) -> BTreeMap<String, u64> {
    let mut by_site: BTreeMap<String, u64> = BTreeMap::new();
    for (site, _) in rules.rules().filter(|(_, rule)| rule.is_active() && counts(rule)) {
        *by_site.entry(site.to_owned()).or_default() += 1;
    }
    by_site
}
