//! Rules of another tool on their way into a rule set: each under its site, none twice, and nothing that `check` objects to.

use std::collections::{BTreeMap, BTreeSet};

use undust::apply::{Finding, check};
use undust::rules::{Action, EVERY_SITE, Rule, RuleSet, SiteRules};

use crate::param_rule::{Hosts, ParamRule, is_below};
use crate::{Imported, LeftOut};

/// What was read so far.
#[derive(Default)]
pub(crate) struct ImportedRules {
    rules: Vec<(Hosts, Rule)>,
    left_out: Vec<LeftOut>,
}

impl ImportedRules {
    pub(crate) fn add(&mut self, hosts: Hosts, action: Action, note: &str) {
        let rule = Rule { note: Some(note.to_owned()), ..Rule::new(action) };
        self.rules.push((hosts, rule));
    }

    /// Add what `param_rule` says; `what` is how the other tool says it.
    pub(crate) fn add_param_rule(&mut self, param_rule: &ParamRule, what: &str) {
        match param_rule.action() {
            Ok(action) => self.add(param_rule.hosts.clone(), action, what),
            Err(reason) => self.leave_out(what, reason),
        }
    }

    pub(crate) fn leave_out(&mut self, what: impl Into<String>, reason: impl Into<String>) {
        self.left_out.push(LeftOut::new(what, reason));
    }

    /// The rule set.
    pub(crate) fn finish(mut self) -> Imported {
        let sites = self.sites();
        let mut rules = RuleSet { sites, ..RuleSet::default() };
        self.leave_out_unfit(&mut rules);
        rules.sites.retain(|site| !site.rules.is_empty());
        Imported { rules, left_out: self.left_out }
    }

    /// With us, a host has the rules of the longest site name that it ends in, and no others: a site below another one
    /// gets the rules of that one as well.
    fn sites(&self) -> Vec<SiteRules> {
        let mut names: BTreeSet<&str> = self.domains().collect();
        let covered = |host: &str| self.domains().any(|domain| is_below(host, domain));
        let single = self.rules.iter().filter_map(|(hosts, _)| match hosts {
            Hosts::Only(host) if !covered(host) => Some(host.as_str()),
            _ => None,
        });
        names.extend(single);
        let mut sites: BTreeMap<&str, Vec<Rule>> = names.iter().map(|name| (*name, Vec::new())).collect();
        for (hosts, rule) in &self.rules {
            for name in sites_for(hosts, &names) {
                let rules = sites.entry(name).or_default();
                if !rules.iter().any(|known| known.id == rule.id) {
                    rules.push(rule.clone());
                }
            }
        }
        sites.into_iter().map(|(site, rules)| SiteRules { site: site.to_owned(), rules }).collect()
    }

    fn domains(&self) -> impl Iterator<Item = &str> {
        self.rules.iter().filter_map(|(hosts, _)| match hosts {
            Hosts::Below(domain) => Some(domain.as_str()),
            _ => None,
        })
    }

    /// Leave out rules until `check` finds nothing: first those that are unfit by themselves, which would take others with them.
    fn leave_out_unfit(&mut self, set: &mut RuleSet) {
        for site in &mut set.sites {
            let alone = |rule: &Rule| RuleSet::of_site(&site.site, set.site_by, vec![rule.clone()]);
            let objection_to = |rule: &Rule| check(&alone(rule)).first().map(objection_to_one);
            for rule in std::mem::take(&mut site.rules) {
                match objection_to(&rule) {
                    Some(reason) => self.left_out.push(left_out(rule, reason)),
                    None => site.rules.push(rule),
                }
            }
        }
        // Each round leaves out at least one.
        loop {
            let before = self.left_out.len();
            for finding in check(set) {
                let Some(unfit) = self.read_last(&finding) else { continue };
                for site in &mut set.sites {
                    let unfit = site.rules.extract_if(.., |rule| rule.id == unfit);
                    self.left_out.extend(unfit.map(|gone| left_out(gone, objection(&finding))));
                }
            }
            if self.left_out.len() == before {
                return;
            }
        }
    }

    /// Of the rules that do not go together, the one that was read last.
    fn read_last(&self, finding: &Finding) -> Option<String> {
        let last = self.rules.iter().rfind(|(_, rule)| finding.blamed().contains(&rule.id));
        last.map(|(_, rule)| rule.id.clone())
    }
}

/// The sites under which a rule for `hosts` must stand to hold on all of them.
fn sites_for<'n>(hosts: &'n Hosts, names: &BTreeSet<&'n str>) -> Vec<&'n str> {
    match hosts {
        Hosts::Every => vec![EVERY_SITE],
        Hosts::Below(domain) => names.iter().copied().filter(|name| is_below(name, domain)).collect(),
        Hosts::Only(host) => {
            let holding = names.iter().copied().filter(|name| is_below(host, name));
            holding.max_by_key(|name| name.len()).into_iter().collect()
        }
    }
}

fn left_out(rule: Rule, reason: &str) -> LeftOut {
    LeftOut::new(rule.note.unwrap_or_else(|| rule.action.to_string()), reason)
}

/// What is wrong with a rule by itself.
fn objection_to_one(finding: &Finding) -> &'static str {
    match finding {
        Finding::Circle { .. } | Finding::Unproven { .. } => {
            "it cannot be shown to come to rest on every URL"
        }
        other => objection(other),
    }
}

/// What is wrong with a rule, whatever the others are called.
pub(crate) fn objection(finding: &Finding) -> &'static str {
    match finding {
        Finding::Circle { .. } => "it runs in a circle with others",
        Finding::Unproven { .. } => "together with others it cannot be shown to come to rest on every URL",
        Finding::Conflict { .. } => "another one says something else of the same URLs",
        Finding::Twice { .. } => "it stands there twice",
        Finding::Outside { .. } => "it matches a host outside its site",
        Finding::NotUrl { .. } => "what it prints is no URL of its site",
        _ => "the check of rules refuses it",
    }
}
