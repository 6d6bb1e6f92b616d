//! The rules that an export speaks of: those in force, in the order in which they are tried, in URL form.

use std::collections::BTreeSet;

use undust::apply::{Finding, Form, in_form, rules_without_url};
use undust::rules::{Action, EVERY_SITE, Rule, RuleSet, SiteRules};
use undust::url::SiteBy;

use crate::LeftOut;

/// One rule, and where it holds.
pub(crate) struct InForce<'r> {
    /// The site, or [`EVERY_SITE`].
    pub(crate) site: &'r str,
    pub(crate) site_by: SiteBy,
    /// Sites below this one that have rules of their own and not this one, which does not hold there.
    pub(crate) but: Vec<&'r str>,
    rule: &'r Rule,
    /// What it says of URLs that may be fetched.
    pub(crate) action: Action,
}

impl InForce<'_> {
    pub(crate) fn id(&self) -> &str {
        &self.rule.id
    }

    /// How the rule is called where it is left out.
    pub(crate) fn name(&self) -> String {
        name(self.site, self.rule)
    }

    /// URLs that it was seen to change, or tried on.
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

/// The rules in force, those of every site last; and what no other format says.
pub(crate) fn in_force(set: &RuleSet) -> (Vec<InForce<'_>>, Vec<LeftOut>) {
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
                Ok(action) => rules.push(InForce { site, site_by, but, rule, action }),
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

/// What the format says of each rule, and the rules of which it says nothing.
pub(crate) fn sort_out<'i, 'r, T>(
    rules: &'i [InForce<'r>],
    express: impl Fn(&InForce) -> Result<T, String>,
) -> (Vec<(&'i InForce<'r>, T)>, Vec<LeftOut>) {
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
