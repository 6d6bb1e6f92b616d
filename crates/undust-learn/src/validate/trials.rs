//! What to compare, to find out whether a rule holds.

use std::collections::HashMap;

use undust::apply::{Canonicalizer, Form, Scratch};
use undust::rules::{Rule, RuleSet};
use undust::url::SiteBy;

/// Two URLs that a rule says are one page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trial {
    /// A URL that the rule speaks of.
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

fn alone(rule: &Rule, site: &str, site_by: SiteBy, form: Form) -> Canonicalizer {
    let rules = vec![Rule::new(rule.action.clone())];
    Canonicalizer::new(&RuleSet::of_site(site, site_by, rules), form)
}

/// What the one rule of `engine` makes of `url`, if it changes it.
fn change(engine: &Canonicalizer, url: &[u8], scratch: &mut Scratch) -> Option<Vec<u8>> {
    let mut changed = None;
    engine.each_change(url, scratch, |_, after| changed = Some(after.to_vec()));
    changed
}
