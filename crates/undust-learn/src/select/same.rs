//! Whether rules do the same on a site, however they are worded.
//!
//! A rule by itself makes sets of URLs equal, and *spares* all but one of each set. Two rules do the same if nine tenths of the URLs that either of them spares are spared by
//! both: the URLs that both make equal, over those that at least one does. Rules that spare nothing do the same if they change the same URLs into the same.

use std::collections::{BTreeMap, BTreeSet};

use undust::rules::{Action, Rule};

use super::changes::{Changes, Step};
use super::{Proposal, plausible};
use crate::learn::Candidate;
use crate::site::{ALL_FOLDS, Site};

/// The share of URLs that two rules must spare in common, of those that either spares, to do the same.
pub(crate) const SAME_SHARE: f64 = 0.9;

/// For each of `actions`, whether it does the same as one of `rules` on the URLs of the site, each rule by itself.
pub(crate) fn do_the_same(site: &Site, rules: &[Rule], actions: &[&Action]) -> Vec<bool> {
    if rules.is_empty() {
        return vec![false; actions.len()];
    }
    let rows = site.sample(0).part(plausible::ENOUGH).rows;
    let all = rules.iter().map(|rule| &rule.action).chain(actions.iter().copied());
    let proposals: Vec<Proposal> = all.map(Proposal::of_action).collect();
    let changes = Changes::new(site, &rows, &proposals);
    let effect = |number: usize| Effect::new(changes.steps(number), rows.len());
    let known: Vec<(&Action, Effect)> =
        rules.iter().enumerate().map(|(number, rule)| (&rule.action, effect(number))).collect();
    let is_known = |(number, action): (usize, &&Action)| {
        let effect = effect(rules.len() + number);
        known.iter().any(|(other, theirs)| other == action || effect.is_like(theirs))
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

    /// Whether the second rule does what the first one does, on pages with session ids and print views.
    fn is_same(first: (&str, &str), second: (&str, &str)) -> bool {
        let page = |url: String| Page { cluster: Some("c".to_owned()), ..Page::new(url) };
        let forms = |i: u32| {
            [format!("t?id={i}"), format!("t?id={i}&sid=s{i}"), format!("t?id={i}&print=1")]
                .map(|path| page(format!("http://www.a.com/{path}")))
        };
        let pages: Vec<Page> = (0..100).flat_map(forms).collect();
        let site = Site::new("a.com", &pages, 0);
        let action = |(from, to): (&str, &str)| Action::rewrite(from, to).unwrap();
        do_the_same(&site, &[Rule::new(action(first))], &[&action(second)])[0]
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
        assert!(!is_same(NO_SESSION, back));
    }

    #[test]
    fn more_or_less_is_something_else() {
        let all = ("http://www.a.com/t?id={i}&{...}", "http://www.a.com/t?id={i}");
        assert!(!is_same(NO_SESSION, all) && !is_same(all, NO_SESSION));
        assert!(!is_same(NO_SESSION, ("http://www.a.com/t?id={i}&print=1", "http://www.a.com/t?id={i}")));
        let half = ("http://www.a.com/t?id={i}&sid={s:s1|s2|s3|s4|s5}", "http://www.a.com/t?id={i}");
        assert!(!is_same(NO_SESSION, half));
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
