//! What rules make of URLs, one step after the other. Rules of a learner, as they are proposed, may run in circles.

use std::collections::HashMap;

use undust::apply::{Canonicalizer, MAX_STEPS, Scratch, too_long};
use undust::rules::Action;

use undust_learn::changes::{Change, Changes, engine, first_change};
use undust_learn::intern::Interner;
use undust_learn::site::Sample;

/// Rules in an order, and the URLs that they were asked about.
pub(super) struct Walk {
    engine: Canonicalizer,
    scratch: Scratch,
    keys: Interner,
    /// The first rule of all that changes each URL, and what it makes of it; computed when first asked for.
    steps: Vec<Option<Step>>,
}

/// A rule and the key that it leads to; nothing where no rule changes the URL.
type Step = Option<(u32, u32)>;

impl Walk {
    pub(super) fn new<'a>(rules: impl Iterator<Item = &'a Action>) -> Walk {
        Walk { engine: engine(rules), scratch: Scratch::new(), keys: Interner::new(), steps: Vec::new() }
    }

    /// What the first `rules` rules make of each URL of `sample`. The walk must not have been asked about other samples: the key of
    /// a URL is its place.
    pub(super) fn forms(&mut self, rules: u32, sample: &Sample) -> Vec<u32> {
        let mut url = Vec::new();
        for &row in &sample.rows {
            url.clear();
            sample.site.write_url(row, &mut url);
            self.key(&url);
        }
        (0..sample.rows.len() as u32).map(|key| self.form(key, rules)).collect()
    }

    /// The number of a URL.
    fn key(&mut self, url: &[u8]) -> u32 {
        let key = self.keys.intern(url);
        if key as usize == self.steps.len() {
            self.steps.push(None);
        }
        key
    }

    /// What the first `rules` rules make of `start`: where the walk ends, or the least URL of the circle that it runs in. A
    /// walk that is too long, or grows too much, leads nowhere, as in the engine.
    fn form(&mut self, start: u32, rules: u32) -> u32 {
        let mut path = vec![start];
        let mut key = start;
        while let Some((_, after)) = self.step(key).filter(|&(rule, _)| rule < rules) {
            if let Some(at) = path.iter().position(|&known| known == after) {
                return path[at..].iter().copied().min_by_key(|&key| self.keys.get(key)).unwrap_or(start);
            }
            if path.len() > MAX_STEPS || too_long(self.keys.get(after).len(), self.keys.get(start).len()) {
                return start;
            }
            path.push(after);
            key = after;
        }
        key
    }

    /// The first rule that changes `key`. If it is not among the first so many rules, none of these changes it: one table
    /// serves every beginning of the order.
    fn step(&mut self, key: u32) -> Step {
        if let Some(step) = self.steps[key as usize] {
            return step;
        }
        let mut result = Vec::new();
        let first = first_change(&self.engine, self.keys.get(key), &mut self.scratch, Some, &mut result);
        let step = first.map(|rule| (rule, self.key(&result)));
        self.steps[key as usize] = Some(step);
        step
    }
}

/// URLs less than before, when those of one form count as one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Removed {
    /// How many they are.
    pub(super) urls: u64,
    /// Of these, URLs of another page than the one kept.
    pub(super) wrong: u64,
}

/// Count what is gone of some URLs, given the key, the form and the page of each.
pub(super) fn reduce(urls: impl Iterator<Item = (u32, u32, u32)>) -> Removed {
    let (mut changes, mut pages) = (Vec::new(), HashMap::new());
    for (key, form, cluster) in urls {
        if form == key {
            pages.insert(u64::from(key), cluster);
        } else {
            changes.push(Change { rule: 0, to: u64::from(form), cluster });
        }
    }
    let changes = Changes::new(changes, pages);
    let mut removed = Removed::default();
    for merged in changes.by_rule().flat_map(|(_, merged)| merged) {
        removed.urls += merged.urls() - 1;
        removed.wrong += merged.wrong();
    }
    removed
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The fixed point of `url` under the first `count` of the rules, each as what it matches and what that becomes.
    fn form(rules: &[(&str, &str)], count: u32, url: &str) -> String {
        let rule = |(from, to): &(&str, &str)| Action::rewrite(from, to).expect("well formed");
        let actions: Vec<Action> = rules.iter().map(rule).collect();
        let mut walk = Walk::new(actions.iter());
        let key = walk.key(url.as_bytes());
        let form = walk.form(key, count);
        String::from_utf8(walk.keys.get(form).to_vec()).expect("text")
    }

    #[test]
    fn the_first_rule_that_changes_it_comes_first() {
        let rules = [
            ("http://a.com/b/{x}", "http://a.com/c/{x}"),
            ("http://a.com/a/{x}", "http://a.com/b/{x}"),
            ("http://a.com/a/{x}", "http://a.com/d/{x}"),
        ];
        assert_eq!(form(&rules, 3, "http://a.com/a/1"), "http://a.com/c/1");
        assert_eq!(form(&rules, 1, "http://a.com/a/1"), "http://a.com/a/1");
        assert_eq!(form(&rules, 1, "http://a.com/b/1"), "http://a.com/c/1");
    }

    #[test]
    fn the_least_url_stands_for_a_circle() {
        let rules = [
            ("http://a.com/b/{x}", "http://a.com/c/{x}"),
            ("http://a.com/c/{x}", "http://a.com/b/{x}"),
            ("http://a.com/a/{x}", "http://a.com/c/{x}"),
        ];
        for start in ["a", "b", "c"] {
            assert_eq!(form(&rules, 3, &format!("http://a.com/{start}/1")), "http://a.com/b/1");
        }
    }

    #[test]
    fn one_walk_does_for_every_beginning_of_the_rules() {
        let rules = [
            ("http://a.com/b/{x}", "http://a.com/c/{x}"),
            ("http://a.com/*/{x}", "http://a.com/a/{x}"),
            ("http://a.com/{_}/1", "http://a.com/b/2"),
            ("http://a.com/c/{x}", "http://a.com/b/{x}"),
        ];
        for url in ["a/1", "b/1", "c/1", "d/2"].map(|path| format!("http://a.com/{path}")) {
            for count in 0..=rules.len() {
                let only = form(&rules[..count], u32::MAX, &url);
                assert_eq!(form(&rules, count as u32, &url), only, "{url} under {count} rules");
            }
        }
    }

    #[test]
    fn what_grows_without_end_stays() {
        let rules = [("http://a.com/{x}", "http://a.com/{x}{x}")];
        assert_eq!(form(&rules, 1, "http://a.com/1"), "http://a.com/1");
    }
}
