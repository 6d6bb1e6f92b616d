//! What to compare, to find out whether a rule holds.

use std::collections::HashMap;

use undust::apply::{Canonicalizer, Form, Scratch};
use undust::rules::{Rule, RuleSet};
use undust::url::SiteBy;

/// Two URLs that a rule says are one page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trial {
    /// A URL that the rule matches.
    pub url: Vec<u8>,
    /// What to compare it with.
    pub with: Vec<u8>,
    /// Whether the rule made `with`. Then it must lead to a page. A URL that was only seen may be gone by now, which says nothing of the rule.
    pub made: bool,
}

/// The trials of `rule`, by itself, on `urls`, in their order. Each URL is compared with what it becomes. Where the key holds `*`, it
/// claims more than that (other values, same page), so the URL is compared with what the one before it with the same key becomes.
pub fn trials<'u>(
    rule: &Rule,
    site: &str,
    site_by: SiteBy,
    urls: impl Iterator<Item = &'u [u8]>,
) -> impl Iterator<Item = Trial> {
    let (keys, forms) = (alone(rule, site, site_by, Form::Key), alone(rule, site, site_by, Form::Url));
    let mut scratch = Scratch::new();
    let mut before: HashMap<Vec<u8>, (Vec<u8>, bool)> = HashMap::new();
    urls.filter_map(move |url| {
        let key = change(&keys, url, &mut scratch)?;
        let becomes = change(&forms, url, &mut scratch);
        if becomes.as_ref() == Some(&key) {
            return Some(Trial { url: url.to_vec(), with: key, made: true });
        }
        let made = becomes.is_some();
        let own = (becomes.unwrap_or_else(|| url.to_vec()), made);
        let (with, made) = before.insert(key, own.clone()).unwrap_or(own);
        (with != url).then(|| Trial { url: url.to_vec(), with, made })
    })
}

/// What each of `rules`, by itself, makes of `urls`: the position of the rule, the row of the URL, and what it becomes.
pub(super) fn each_change<'u>(
    rules: &[Rule],
    (site, site_by, form): (&str, SiteBy, Form),
    urls: impl Iterator<Item = &'u [u8]>,
    mut report: impl FnMut(usize, u32, &[u8]),
) {
    let engine = engine(rules, site, site_by, form);
    let mut scratch = Scratch::new();
    for (row, url) in (0..).zip(urls) {
        engine.each_change(url, &mut scratch, |rule, after| report(rule as usize, row, after));
    }
}

/// Runs `rules` whatever was said of them.
fn engine(rules: &[Rule], site: &str, site_by: SiteBy, form: Form) -> Canonicalizer {
    let rules = rules.iter().map(|rule| Rule::new(rule.action.clone())).collect();
    Canonicalizer::of_rules(&RuleSet::of_site(site, site_by, rules), form)
}

fn alone(rule: &Rule, site: &str, site_by: SiteBy, form: Form) -> Canonicalizer {
    engine(std::slice::from_ref(rule), site, site_by, form)
}

/// What the one rule of `engine` makes of `url`, if it changes it.
fn change(engine: &Canonicalizer, url: &[u8], scratch: &mut Scratch) -> Option<Vec<u8>> {
    let mut changed = None;
    engine.each_change(url, scratch, |_, after| changed = Some(after.to_vec()));
    changed
}
