//! Trying rules out without a network: against pages whose duplicates are known.

use std::collections::HashMap;

use undust::apply::{Canonicalizer, Form, Scratch};
use undust::page::Page;
use undust::rules::{Action, Rule, RuleSet, SiteRules, TriedBy, Validation, Verdict};
use undust::url::{SiteBy, SplitUrl, normalize};
use xxhash_rust::xxh3::xxh3_64;

use super::{Judgement, Trying, Validated, is_open, leave_out_unfit, validate_rules};
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

/// So many actions are tried in one walk over the pages: what they change is held in memory.
const AT_ONCE: usize = 64;

fn is_valid(validation: &Validation) -> bool {
    validation.verdict == Verdict::Valid
}

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

    /// Try each action out by itself.
    pub fn try_all(&self, actions: &[Action], trying: &Trying) -> Vec<Validation> {
        let some = actions.chunks(AT_ONCE).flat_map(|actions| self.changes(actions));
        some.map(|changes| self.try_out(&changes, trying)).collect()
    }

    /// Whether each action is valid, or if not, the other way round.
    pub fn valid_either_way(&self, actions: &[Action], trying: &Trying) -> Vec<bool> {
        let tried = self.try_either_way(actions, trying);
        let is_valid = |action: &Action| tried.get(&action.id()).is_some_and(is_valid);
        let either = |action: &Action| is_valid(action) || action.reversed().as_ref().is_some_and(is_valid);
        actions.iter().map(either).collect()
    }

    /// What trying showed, by id: of each action, and of the way back of those that are refuted.
    fn try_either_way(&self, actions: &[Action], trying: &Trying) -> HashMap<String, Validation> {
        let forth = self.try_all(actions, trying);
        let refuted = actions.iter().zip(&forth).filter(|(_, v)| v.verdict == Verdict::Invalid);
        let back: Vec<Action> = refuted.filter_map(|(action, _)| action.reversed()).collect();
        let tried_back = self.try_all(&back, trying);
        let all = actions.iter().zip(forth).chain(back.iter().zip(tried_back));
        all.map(|(action, validation)| (action.id(), validation)).collect()
    }

    /// Figure 4 for the rules of the site; those valid are fit to be used together.
    pub fn validate(&self, rules: &mut Vec<Rule>, trying: &Trying) -> Validated {
        let open: Vec<Action> =
            rules.iter().filter(|rule| is_open(rule)).map(|rule| rule.action.clone()).collect();
        let mut tried = self.try_either_way(&open, trying);
        // Every rule that is asked for was tried.
        let known = |rule: &Rule| (tried.remove(&rule.action.id()).unwrap_or_default(), false);
        let validated = validate_rules(rules, known, |_| ());
        Validated { unfit: leave_out_unfit(rules, &self.site, self.site_by), ..validated }
    }

    fn changes(&self, actions: &[Action]) -> Vec<Vec<Change>> {
        let rules = actions.iter().cloned().map(Rule::new).collect();
        let sites = vec![SiteRules { site: self.site.clone(), rules }];
        let set = RuleSet { site_by: self.site_by, sites, ..RuleSet::default() };
        let engine = Canonicalizer::new(&set, Form::Key);
        let mut scratch = Scratch::new();
        let mut changes = vec![Vec::new(); actions.len()];
        for (row, labelled) in (0..).zip(&self.rows) {
            engine.each_change(&labelled.url, &mut scratch, |rule, after| {
                changes[rule as usize].push((row, xxh3_64(after)));
            });
        }
        changes
    }

    /// A rule is tried on the URLs that it makes equal to another one of the list: what they become, where that is a page of
    /// the list, else the first of them.
    fn try_out(&self, changes: &[Change], trying: &Trying) -> Validation {
        let mut kept: HashMap<u64, u32> = HashMap::new();
        for &(row, to) in changes {
            let first = self.by_hash.get(&to).copied().unwrap_or(row);
            kept.entry(to).or_insert(first);
        }
        let url = |row: u32| self.rows[row as usize].url.clone();
        let pairs = changes.iter().filter(|(row, to)| kept[to] != *row);
        let trials = pairs.map(|&(row, to)| (url(row), url(kept[&to])));
        let judge = |one: &[u8], other: &[u8]| match (self.label(one), self.label(other)) {
            (Some(a), Some(b)) if a == b => Judgement::Same,
            (Some(_), Some(_)) => Judgement::Other("another label".into()),
            _ => Judgement::Unknown,
        };
        trying.try_out(Validation::default(), TriedBy::Labels, trials, judge).0
    }

    fn label(&self, url: &[u8]) -> Option<u32> {
        self.by_hash.get(&xxh3_64(url)).map(|&row| self.rows[row as usize].label)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ten pages, each under three folders, and ten others that a folder has besides.
    fn pages() -> LabelledPages {
        let mut pages = Vec::new();
        for n in 0..10 {
            for (folder, label) in [("a", ""), ("b", ""), ("c", ""), ("d", "d")] {
                let cluster = Some(format!("{label}{n}"));
                pages.push(Page { cluster, ..Page::new(format!("http://x.com/{folder}/{n}")) });
            }
        }
        LabelledPages::new("x.com", SiteBy::Domain, &pages)
    }

    fn rules(sides: &[(&str, &str)]) -> Vec<Rule> {
        let open = |action| Rule { validation: Some(Validation::default()), ..Rule::new(action) };
        sides.iter().map(|(from, to)| open(Action::substitute(from, to).expect("a rule"))).collect()
    }

    #[test]
    fn labels_refute_and_confirm() {
        let mut rules = rules(&[("/b/", "/a/"), ("/d/", "/a/"), (".com/b/", ".com/a/")]);
        let validated = pages().validate(&mut rules, &Trying::default());
        assert_eq!((validated.redundant, validated.unfit), (1, 0));
        let shown: Vec<(String, Verdict)> = rules
            .iter()
            .map(|rule| (rule.action.to_string(), rule.validation.as_ref().expect("tried").verdict))
            .collect();
        let expected = [
            ("/b/ -> /a/", Verdict::Valid),
            ("/d/ -> /a/", Verdict::Invalid),
            ("/a/ -> /d/", Verdict::Invalid),
        ];
        assert_eq!(shown, expected.map(|(rule, verdict)| (rule.to_owned(), verdict)));
    }

    #[test]
    fn a_circle_loses_its_last_rule() {
        let mut rules = rules(&[("/a/", "/b/"), ("/b/", "/c/"), ("/c/", "/a/")]);
        let validated = pages().validate(&mut rules, &Trying::default());
        assert_eq!(validated.unfit, 1);
        assert_eq!(rules.iter().filter(|rule| rule.is_active()).count(), 2);
    }

    #[test]
    fn valid_in_one_direction() {
        let actions: Vec<Action> =
            rules(&[("/b/", "/a/"), ("/d/", "/a/")]).into_iter().map(|rule| rule.action).collect();
        assert_eq!(pages().valid_either_way(&actions, &Trying::default()), [true, false]);
    }
}
