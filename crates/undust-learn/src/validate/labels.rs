//! Trying rules out without a network: against pages whose duplicates are known.

use std::collections::HashMap;

use undust::apply::Form;
use undust::page::Page;
use undust::rules::{Action, Rule, TriedBy, Validation, Verdict};
use undust::url::{SiteBy, SplitUrl, normalize};
use xxhash_rust::xxh3::xxh3_64;

use super::trials::each_change;
use super::{Judgement, Trial, Trying, Validated, is_open, so_far, validate_rules};
use crate::intern::Interner;

/// The labelled pages of one site.
pub struct LabelledPages {
    site: String,
    site_by: SiteBy,
    /// Sorted by hash.
    rows: Vec<Labelled>,
    by_hash: HashMap<u64, u32>,
}

struct Labelled {
    hash: u64,
    url: Vec<u8>,
    label: u32,
}

/// Number of rules tried in one pass over the pages: what they change is held in memory.
const MAX_RULES_PER_PASS: usize = 64;

/// A URL that a rule changes, as a row, and what it becomes.
type Change = (u32, u64);

impl LabelledPages {
    /// Pages without a label are passed over.
    pub fn new(site: &str, site_by: SiteBy, pages: &[Page]) -> LabelledPages {
        let mut labels = Interner::new();
        let mut rows = Vec::new();
        for page in pages {
            let url = normalize(&page.url).into_owned();
            if let (Some(label), Some(_)) = (page.label(), SplitUrl::new(&url)) {
                rows.push(Labelled { hash: xxh3_64(&url), url, label: labels.intern(label.as_bytes()) });
            }
        }
        rows.sort_by(|a, b| (a.hash, &a.url, a.label).cmp(&(b.hash, &b.url, b.label)));
        rows.dedup_by(|again, first| again.url == first.url);
        let by_hash = (0..).zip(&rows).map(|(row, labelled)| (labelled.hash, row)).collect();
        LabelledPages { site: site.to_owned(), site_by, rows, by_hash }
    }

    /// How many pages there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Decide the open rules of the site.
    pub fn validate(&self, rules: &mut Vec<Rule>, trying: &Trying) -> Validated {
        let open: Vec<Rule> = rules.iter().filter(|rule| is_open(rule)).cloned().collect();
        let tried = self.try_either_way(&open, trying);
        let known = |rule: &Rule| tried.get(&rule.action.id()).cloned().unwrap_or_else(|| so_far(rule));
        validate_rules(rules, |rule| (known(rule), false), |_| {})
    }

    /// Whether each rule, or else the same the other way round, is valid.
    pub fn valid_either_way(&self, rules: &[Rule], trying: &Trying) -> Vec<bool> {
        let tried = self.try_either_way(rules, trying);
        let is_valid = |action: &Action| tried.get(&action.id()).is_some_and(|v| v.verdict == Verdict::Valid);
        let either = |action: &Action| is_valid(action) || action.reversed().as_ref().is_some_and(is_valid);
        rules.iter().map(|rule| either(&rule.action)).collect()
    }

    /// What trying showed, by what is tried: each rule, and the way back of those that are refuted.
    fn try_either_way(&self, rules: &[Rule], trying: &Trying) -> HashMap<String, Validation> {
        let forth = self.try_all(rules, trying);
        let refuted = rules.iter().zip(&forth).filter(|(_, tried)| tried.verdict == Verdict::Invalid);
        let likely = |action| Rule { validation: Some(Validation::default()), ..Rule::new(action) };
        let back: Vec<Rule> = refuted.filter_map(|(rule, _)| rule.action.reversed().map(likely)).collect();
        let tried_back = self.try_all(&back, trying);
        // A rule proposed in both directions keeps what is known of it.
        let all = back.iter().zip(tried_back).chain(rules.iter().zip(forth));
        all.map(|(rule, tried)| (rule.action.id(), tried)).collect()
    }

    /// Go on trying out each rule by itself.
    pub fn try_all(&self, rules: &[Rule], trying: &Trying) -> Vec<Validation> {
        let some = |rules: &[Rule]| -> Vec<Validation> {
            let changes = self.changes(rules);
            rules.iter().zip(changes).map(|(rule, changes)| self.try_out(rule, &changes, trying)).collect()
        };
        rules.chunks(MAX_RULES_PER_PASS).flat_map(some).collect()
    }

    fn changes(&self, rules: &[Rule]) -> Vec<Vec<Change>> {
        let mut changes = vec![Vec::new(); rules.len()];
        let urls = self.rows.iter().map(|labelled| &*labelled.url);
        each_change(rules, (&self.site, self.site_by, Form::Key), urls, |rule, row, after| {
            changes[rule].push((row, xxh3_64(after)));
        });
        changes
    }

    /// A rule is tried on the URLs that it makes equal to another one of the list: what they become, where that is a page of
    /// the list, else the first of them.
    fn try_out(&self, rule: &Rule, changes: &[Change], trying: &Trying) -> Validation {
        let mut kept: HashMap<u64, u32> = HashMap::new();
        for &(row, to) in changes {
            let first = self.by_hash.get(&to).copied().unwrap_or(row);
            kept.entry(to).or_insert(first);
        }
        let url = |row: u32| self.rows[row as usize].url.clone();
        let pairs = changes.iter().filter(|(row, to)| kept[to] != *row);
        let trials = pairs.map(|&(row, to)| Trial { url: url(row), with: url(kept[&to]), made: false });
        let judge = |trial: &Trial| match (self.label(&trial.url), self.label(&trial.with)) {
            (Some(a), Some(b)) if a == b => Judgement::Same,
            (Some(_), Some(_)) => Judgement::Other("another label".into()),
            _ => Judgement::Unknown,
        };
        trying.try_out(so_far(rule), TriedBy::Labels, trials, judge).0
    }

    fn label(&self, url: &[u8]) -> Option<u32> {
        self.by_hash.get(&xxh3_64(url)).map(|&row| self.rows[row as usize].label)
    }
}
