//! What rules make of labelled URLs, counted: which URLs become one, and which of them are of another page than the one kept.

use std::cell::Cell;
use std::collections::HashMap;

use undust::apply::{Canonicalizer, Form, Scratch};
use undust::rules::{Action, EVERY_SITE, Rule, RuleSet};
use undust::url::SiteBy;
use xxhash_rust::xxh3::xxh3_64;

use crate::evaluate::pairs;
use crate::site::Sample;

/// The engine that tells what each of these rules makes of a URL; rules are numbered in this order.
pub fn engine<'a>(actions: impl Iterator<Item = &'a Action>) -> Canonicalizer {
    let rules = actions.map(|action| Rule::new(action.clone())).collect();
    Canonicalizer::of_rules(&RuleSet::of_site(EVERY_SITE, SiteBy::Host, rules), Form::Key)
}

/// What the first of some rules that changes `url` makes of it, into `out`, and the place of that rule; `place` gives their order, and no
/// place to rules that are not asked. Rules behind one that was found are not run.
pub fn first_change(
    engine: &Canonicalizer,
    url: &[u8],
    scratch: &mut Scratch,
    place: impl Fn(u32) -> Option<u32>,
    out: &mut Vec<u8>,
) -> Option<u32> {
    let first: Cell<Option<u32>> = Cell::new(None);
    let is_before = |rule: u32| place(rule).filter(|&place| first.get().is_none_or(|known| place < known));
    engine.each_change_of(
        url,
        scratch,
        |rule| is_before(rule).is_some(),
        |rule, after| {
            first.set(place(rule));
            out.clear();
            out.extend_from_slice(after);
        },
    );
    first.get()
}

/// One URL that a rule changes.
#[derive(Clone, Copy, Debug)]
pub struct Change {
    /// The number of the rule.
    pub rule: u32,
    /// What becomes of the URL: a hash or a number of it.
    pub to: u64,
    /// The URL's page.
    pub cluster: u32,
}

/// What rules change, each by itself, or all of them together as one.
pub struct Changes {
    changes: Vec<Change>,
    /// The pages of URLs, by what `to` would be of them.
    pages: HashMap<u64, u32>,
}

impl Changes {
    /// What each rule of `engine` by itself makes of the URLs of `sample`.
    pub fn of_each_rule(sample: &Sample, engine: &Canonicalizer) -> Changes {
        let mut scratch = Scratch::new();
        let (mut changes, mut pages, mut url) = (Vec::new(), HashMap::new(), Vec::new());
        for &row in &sample.rows {
            url.clear();
            sample.site.write_url(row, &mut url);
            let cluster = sample.site.cluster(row);
            pages.insert(xxh3_64(&url), cluster);
            engine.each_change(&url, &mut scratch, |rule, after| {
                changes.push(Change { rule, to: xxh3_64(after), cluster });
            });
        }
        Changes::new(changes, pages)
    }

    /// These changes, where `pages` are the pages of URLs that others may become.
    pub fn new(mut changes: Vec<Change>, pages: HashMap<u64, u32>) -> Changes {
        changes.sort_unstable_by_key(|change| (change.rule, change.to, change.cluster));
        Changes { changes, pages }
    }

    /// The rules that change something, each with the sets of URLs that it makes equal.
    pub fn by_rule(&self) -> impl Iterator<Item = (u32, impl Iterator<Item = Merged<'_>>)> {
        self.changes.chunk_by(|a, b| a.rule == b.rule).map(|of_rule| {
            let merged = of_rule.chunk_by(|a, b| a.to == b.to);
            let there = |changes: &[Change]| self.pages.get(&changes[0].to).copied();
            (of_rule[0].rule, merged.map(move |changes| Merged { changes, there: there(changes) }))
        })
    }
}

/// URLs that become the same; at least one.
pub struct Merged<'c> {
    /// Ordered by page.
    pub changes: &'c [Change],
    /// The page of the URL that already is what the others become.
    pub there: Option<u32>,
}

impl Merged<'_> {
    /// How many URLs are changed.
    pub fn changed(&self) -> u64 {
        self.changes.len() as u64
    }

    /// How many URLs are the same then.
    pub fn urls(&self) -> u64 {
        self.changed() + u64::from(self.there.is_some())
    }

    /// How many of them are of the page that most are of.
    pub fn of_one_page(&self) -> u64 {
        let there = |cluster| u64::from(self.there == Some(cluster));
        let most = self.pages().map(|(cluster, changed)| changed + there(cluster)).max();
        most.unwrap_or_default().max(u64::from(self.there.is_some()))
    }

    /// How many of the changed URLs are not of the page kept: that of the URL which is already there, or else the one that
    /// most are of.
    pub fn wrong(&self) -> u64 {
        let right = match self.there {
            Some(kept) => {
                self.pages().find(|(cluster, _)| *cluster == kept).map_or(0, |(_, changed)| changed)
            }
            None => self.of_one_page(),
        };
        self.changed() - right
    }

    /// How many pairs of URLs are the same then.
    pub fn pairs(&self) -> u64 {
        pairs(self.urls())
    }

    /// How many of these pairs are of one page.
    pub fn right_pairs(&self) -> u64 {
        let there = |cluster| u64::from(self.there == Some(cluster));
        self.pages().map(|(cluster, changed)| pairs(changed + there(cluster))).sum()
    }

    /// The pages of the changed URLs, and how many there are of each.
    fn pages(&self) -> impl Iterator<Item = (u32, u64)> {
        let pages = self.changes.chunk_by(|a, b| a.cluster == b.cluster);
        pages.map(|page| (page[0].cluster, page.len() as u64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Changed, made equal, of the page that most are of, and wrong, for each rule.
    fn counts(changes: &[(u32, u64, u32)], pages: &[(u64, u32)]) -> Vec<[u64; 4]> {
        let changes = changes.iter().map(|&(rule, to, cluster)| Change { rule, to, cluster }).collect();
        let changes = Changes::new(changes, pages.iter().copied().collect());
        let count = |m: Merged<'_>| [m.changed(), m.urls(), m.of_one_page(), m.wrong()];
        let sum = |a: [u64; 4], b: [u64; 4]| std::array::from_fn(|i| a[i] + b[i]);
        changes.by_rule().map(|(_, merged)| merged.map(count).fold([0; 4], sum)).collect()
    }

    #[test]
    fn nobody_there_the_majority_stays() {
        assert_eq!(counts(&[(0, 9, 1), (0, 9, 2), (0, 9, 1)], &[]), [[3, 3, 2, 1]]);
        assert_eq!(counts(&[(0, 9, 1)], &[]), [[1, 1, 1, 0]]);
    }

    #[test]
    fn who_is_there_stays() {
        assert_eq!(counts(&[(0, 9, 1), (0, 9, 1), (0, 9, 2)], &[(9, 2), (8, 1)]), [[3, 4, 2, 2]]);
        assert_eq!(counts(&[(0, 9, 1)], &[(9, 2)]), [[1, 2, 1, 1]]);
    }

    #[test]
    fn rules_and_results_are_told_apart() {
        let changes = [(1, 9, 1), (0, 9, 1), (1, 8, 2), (1, 9, 2)];
        assert_eq!(counts(&changes, &[(9, 1)]), [[1, 2, 2, 0], [3, 4, 3, 1]]);
    }
}
