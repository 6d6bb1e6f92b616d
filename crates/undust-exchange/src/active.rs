//! The rules of an export: active ones, in the order in which they are tried, in URL form.

use std::collections::BTreeSet;

use undust::apply::{Finding, Form, in_form, rules_without_url};
use undust::rules::{Action, EVERY_SITE, Rule, RuleSet, SiteRules};
use undust::url::SiteBy;

use crate::LeftOut;

/// An active rule, and the site it is for.
pub(crate) struct ActiveRule<'r> {
    /// The site, or [`EVERY_SITE`].
    pub(crate) site: &'r str,
    pub(crate) site_by: SiteBy,
    /// Sites below this one with rules of their own and without this one: it does not apply there.
    pub(crate) but: Vec<&'r str>,
    rule: &'r Rule,
    /// Its action in URL form.
    pub(crate) action: Action,
}

impl ActiveRule<'_> {
    pub(crate) fn id(&self) -> &str {
        &self.rule.id
    }

    /// Its name in the list of left-out rules.
    pub(crate) fn name(&self) -> String {
        name(self.site, self.rule)
    }

    /// URLs among its evidence and its validation.
    pub(crate) fn examples(&self) -> impl Iterator<Item = &str> {
        let seen = self.rule.evidence.iter().flat_map(|evidence| evidence.examples.iter().flatten());
        let tried = self.rule.validation.iter().flat_map(|validation| &validation.samples);
        seen.chain(tried.map(|sample| &sample.url)).map(String::as_str)
    }

    pub(crate) fn holds_everywhere(&self) -> bool {
        self.site == EVERY_SITE
    }
}

fn name(site: &str, rule: &Rule) -> String {
    format!("{site}: rule {}: {}", rule.id, rule.action)
}

/// The active rules, those of every site last; and what no other format can express.
pub(crate) fn active(set: &RuleSet) -> (Vec<ActiveRule<'_>>, Vec<LeftOut>) {
    let (mut rules, mut left_out) = (Vec::new(), Vec::new());
    if let Some(model) = &set.model {
        left_out.push(LeftOut::new(format!("the model {}", model.file), "other tools have no models"));
    }
    let unfit: BTreeSet<String> = rules_without_url(set).iter().flat_map(Finding::blamed).cloned().collect();
    let (every, sites): (Vec<_>, Vec<_>) = set.sites.iter().partition(|site| site.site == EVERY_SITE);
    for site in sites.into_iter().chain(every) {
        for rule in site.rules.iter().filter(|rule| rule.is_active()) {
            let (site_by, but) = (set.site_by, sites_without(rule, site, set));
            let site = site.site.as_str();
            let action = if unfit.contains(&rule.id) {
                Err("what it prints is no URL of its site")
            } else {
                fetchable(rule)
            };
            match action {
                Ok(action) => rules.push(ActiveRule { site, site_by, but, rule, action }),
                Err(reason) => left_out.push(LeftOut::new(name(site, rule), reason)),
            }
        }
    }
    (rules, left_out)
}

fn fetchable(rule: &Rule) -> Result<Action, &'static str> {
    if rule.action.is_skip() {
        return Err("a rule that skips URLs changes none, and other tools only change them");
    }
    let action = in_form(&rule.action, Form::Url)
        .ok_or("its * makes a key: there is no value of the URL to put in its place")?
        .into_owned();
    match &action {
        Action::Rewrite(rewrite) if rewrite.matches() == rewrite.becomes() => {
            Err("its * only makes keys: URLs stay as they are")
        }
        _ => Ok(action),
    }
}

/// The sites below that of `rule` that have rules of their own, and not this one among them.
fn sites_without<'r>(rule: &Rule, site: &SiteRules, set: &'r RuleSet) -> Vec<&'r str> {
    if set.site_by == SiteBy::Host || site.site == EVERY_SITE {
        return Vec::new();
    }
    let end = format!(".{}", site.site);
    let has_it =
        |other: &SiteRules| other.rules.iter().any(|own| own.is_active() && own.action == rule.action);
    let below = set.sites.iter().filter(|other| other.site.ends_with(&end) && !has_it(other));
    below.map(|other| other.site.as_str()).collect()
}

/// Express each rule in a format; the rules that cannot be are left out.
pub(crate) fn partition<'i, 'r, T>(
    rules: &'i [ActiveRule<'r>],
    express: impl Fn(&ActiveRule) -> Result<T, String>,
) -> (Vec<(&'i ActiveRule<'r>, T)>, Vec<LeftOut>) {
    let (mut said, mut left_out) = (Vec::new(), Vec::new());
    for rule in rules {
        match express(rule) {
            Ok(one) => said.push((rule, one)),
            Err(reason) => left_out.push(LeftOut::new(rule.name(), reason)),
        }
    }
    (said, left_out)
}

/// Sorted, each once.
pub(crate) fn distinct<T: Ord>(items: impl IntoIterator<Item = T>) -> Vec<T> {
    items.into_iter().collect::<BTreeSet<T>>().into_iter().collect()
}
