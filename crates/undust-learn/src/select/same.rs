//! Whether rules do the same on a site, however they are worded.
//!
//! A rule by itself makes sets of URLs equal, and *spares* all but one of each set. Two rules do the same if nine tenths of the URLs that either of them spares are spared by
//! both. Rules that spare nothing do the same if they change the same URLs into the same.
//!
//! A rule also does nothing new if nine tenths of what it spares are a *part* of what another one spares, and that one is right by the labels: whoever rejects a rule that drops
//! `sid` does not want twelve rules that each drop one `sid`. Where it is wrong, it may have been rejected for that, and a part of it that is right is something else.

use std::collections::{BTreeMap, BTreeSet};

use undust::rules::{Action, Rule};

use super::changes::{Changes, Step};
use super::{Proposal, plausible};
use crate::learn::Candidate;
use crate::site::{ALL_FOLDS, Site};

/// The share of URLs that rules must spare in common to do the same.
pub(crate) const SAME_SHARE: f64 = 0.9;

/// For each of `actions`, whether it does the same as one of `rules` on the URLs of the site, or a part of that, each rule by itself. A rule is right if at most `max_wrong_share` of the URLs that
/// it spares are of another page.
pub(crate) fn do_the_same(
    site: &Site,
    rules: &[Rule],
    actions: &[&Action],
    max_wrong_share: f64,
) -> Vec<bool> {
    if rules.is_empty() {
        return vec![false; actions.len()];
    }
    let rows = site.sample(0).part(plausible::MAX_SAMPLE_URLS).rows;
    let all = rules.iter().map(|rule| &rule.action).chain(actions.iter().copied());
    let proposals: Vec<Proposal> = all.map(Proposal::of_action).collect();
    let changes = Changes::new(site, &rows, &proposals);
    let effect = |number: usize| Effect::new(changes.steps(number), rows.len());
    let page = |url: u32| site.cluster(rows[url as usize]);
    let known = rules.iter().enumerate().map(|(number, rule)| {
        let effect = effect(number);
        let is_right = effect.wrong(page) as f64 <= max_wrong_share * effect.spared() as f64;
        (&rule.action, effect, is_right)
    });
    let known: Vec<(&Action, Effect, bool)> = known.collect();
    let is_known = |(number, action): (usize, &&Action)| {
        let effect = effect(rules.len() + number);
        let is_this = |(other, theirs, is_right): &(&Action, Effect, bool)| {
            other == action || effect.is_like(theirs) || (*is_right && effect.is_part_of(theirs))
        };
        known.iter().any(is_this)
    };
    actions.iter().enumerate().map(is_known).collect()
}

impl Proposal {
    /// A rule that is given: nobody proposed it from the URLs at hand, so that it can be judged on all of them.
    pub(super) fn of_action(action: &Action) -> Proposal {
        let candidate = Candidate { action: action.clone(), support: 0 };
        Proposal { candidate, unseen: ALL_FOLDS, learners: Vec::new() }
    }
}

/// What a rule by itself does to the URLs of a site.
struct Effect<'c> {
    steps: &'c [Step],
    /// What becomes of each URL that changes.
    after: BTreeMap<u32, u32>,
    /// The sets of URLs made equal, each of at least two.
    sets: Vec<BTreeSet<u32>>,
}

impl Effect<'_> {
    /// The effect of these steps on URLs whose keys are below `urls`.
    fn new(steps: &[Step], urls: usize) -> Effect<'_> {
        let mut by_end: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
        for step in steps {
            let set = by_end.entry(step.after).or_default();
            set.insert(step.key);
            if (step.after as usize) < urls {
                set.insert(step.after);
            }
        }
        let sets = by_end.into_values().filter(|set| set.len() > 1).collect();
        Effect { steps, after: steps.iter().map(|step| (step.key, step.after)).collect(), sets }
    }

    fn spared(&self) -> usize {
        self.sets.iter().map(|set| set.len() - 1).sum()
    }

    /// URLs that both spare: of each set that one makes equal, what the other does not tell apart.
    fn shared(&self, other: &Effect) -> usize {
        let key = |url: &u32| *other.after.get(url).unwrap_or(url);
        self.sets.iter().map(|set| set.len() - set.iter().map(key).collect::<BTreeSet<u32>>().len()).sum()
    }

    /// Of the URLs spared, those of another page than most of their set.
    fn wrong(&self, page: impl Fn(u32) -> u32) -> usize {
        let most = |set: &BTreeSet<u32>| {
            let mut pages: Vec<u32> = set.iter().map(|url| page(*url)).collect();
            pages.sort_unstable();
            pages.chunk_by(|a, b| a == b).map(<[u32]>::len).max().unwrap_or_default()
        };
        self.sets.iter().map(|set| set.len() - most(set)).sum()
    }

    fn is_part_of(&self, other: &Effect) -> bool {
        let spared = self.spared();
        spared > 0 && self.shared(other) as f64 >= SAME_SHARE * spared as f64
    }

    fn is_like(&self, other: &Effect) -> bool {
        let shared = self.shared(other);
        let either = self.spared() + other.spared() - shared;
        if either == 0 {
            return !self.steps.is_empty() && self.after == other.after;
        }
        shared as f64 >= SAME_SHARE * either as f64
    }
}

#[cfg(test)]
mod tests {
    use undust::page::Page;

    use super::*;

    /// Whether the second rule does what the first one does, on pages with session ids, and print views that are pages of their own.
    fn is_same(first: (&str, &str), second: (&str, &str)) -> bool {
        let page = |path: String, cluster: String| Page {
            cluster: Some(cluster),
            ..Page::new(format!("http://www.a.com/{path}"))
        };
        let forms = |i: u32| {
            [("", "page"), ("&sid=s", "page"), ("&print=", "print")].map(|(tail, page_of)| {
                let tail = if tail.is_empty() { String::new() } else { format!("{tail}{i}") };
                page(format!("t?id={i}{tail}"), format!("{page_of}{i}"))
            })
        };
        let pages: Vec<Page> = (0..100).flat_map(forms).collect();
        let site = Site::new("a.com", &pages, 0);
        let action = |(from, to): (&str, &str)| Action::rewrite(from, to).unwrap();
        do_the_same(&site, &[Rule::new(action(first))], &[&action(second)], 0.05)[0]
    }

    const NO_SESSION: (&str, &str) = ("http://www.a.com/t?id={i}&sid=*", "http://www.a.com/t?id={i}");

    #[test]
    fn other_words_for_it() {
        assert!(is_same(NO_SESSION, NO_SESSION));
        assert!(is_same(
            NO_SESSION,
            ("{scheme}://{...}/{...}?sid={s}&{...}", "{scheme}://{...}/{...}?{...}")
        ));
        // What the URLs become does not matter, only which of them become one.
        let back = ("http://www.a.com/t?id={i}&{...}", "http://www.a.com/t?id={i}&sid=s{i}&{...}");
        assert!(is_same(NO_SESSION, back));
    }

    #[test]
    fn more_is_something_else() {
        let all = ("http://www.a.com/t?id={i}&{...}", "http://www.a.com/t?id={i}");
        assert!(!is_same(NO_SESSION, all));
        assert!(!is_same(NO_SESSION, ("http://www.a.com/t?id={i}&print=*", "http://www.a.com/t?id={i}")));
        // It is wrong about print views, so that its other half is not.
        assert!(!is_same(all, NO_SESSION));
    }

    #[test]
    fn a_part_of_what_is_right_is_nothing_new() {
        let some = ("http://www.a.com/t?id={i}&sid={s:s1|s2|s3|s4|s5}", "http://www.a.com/t?id={i}");
        assert!(is_same(NO_SESSION, some) && !is_same(some, NO_SESSION));
    }

    #[test]
    fn rules_that_spare_nothing() {
        let moved = ("http://www.a.com/t?id={i}", "http://www.a.com/u?id={i}");
        assert!(is_same(moved, ("http://{h}.a.com/t?id={i}", "http://{h}.a.com/u?id={i}")));
        assert!(!is_same(moved, ("http://www.a.com/t?id={i}", "http://www.a.com/v?id={i}")));
        let never = ("http://www.a.com/nowhere/{i}", "http://www.a.com/{i}");
        assert!(!is_same(never, ("http://www.a.com/neverland/{i}", "http://www.a.com/{i}")));
    }
}
