//! The qualified rules, in an order that depends on nothing but what they say.

use std::cmp::Ordering;

use undust::rules::{Action, Rule};
use undust::url::SiteBy;

use super::{Proof, Proofed};
use undust_learn::select::refused;

/// Rules with their proofs.
#[derive(Default)]
pub(super) struct Rules {
    rules: Vec<Judged>,
}

struct Judged {
    text: (String, String),
    action: Action,
    proof: Proof,
    fpr: f64,
}

impl Rules {
    /// Those of `proofed` that qualify, each once.
    pub(super) fn new(proofed: &Proofed, max_fpr: f64) -> Rules {
        let judged = |at: usize| {
            let action = proofed.candidates[at].action.clone();
            Judged { text: action.sides(), action, proof: proofed.proofs[at], fpr: proofed.fpr(at) }
        };
        let mut rules: Vec<Judged> = proofed.qualified(max_fpr).into_iter().map(judged).collect();
        rules.sort_by(|a, b| a.text.cmp(&b.text));
        rules.dedup_by(|a, b| a.action == b.action);
        Rules { rules }
    }

    pub(super) fn len(&self) -> usize {
        self.rules.len()
    }

    pub(super) fn action(&self, rule: usize) -> &Action {
        &self.rules[rule].action
    }

    pub(super) fn actions(&self) -> impl Iterator<Item = &Action> {
        self.rules.iter().map(|rule| &rule.action)
    }

    pub(super) fn fpr(&self, rule: usize) -> f64 {
        self.rules[rule].fpr
    }

    pub(super) fn proof(&self, rule: usize) -> Proof {
        self.rules[rule].proof
    }

    /// The better first: fewer false positives, then more support.
    pub(super) fn by_quality(&self, a: usize, b: usize) -> Ordering {
        self.fpr(a).total_cmp(&self.fpr(b)).then_with(|| self.by_support(b, a))
    }

    /// The one with less support first; of equals the later one.
    pub(super) fn by_support(&self, a: usize, b: usize) -> Ordering {
        self.proof(a).changed.cmp(&self.proof(b).changed).then(b.cmp(&a))
    }
}

/// Drop rules until `check` has nothing to say against those that are left. Every round drops one at least.
pub(super) fn checked(mut actions: Vec<Action>, name: &str, site_by: SiteBy) -> Vec<Action> {
    loop {
        let bad = refused_of(&actions, name, site_by);
        if bad.is_empty() {
            return actions;
        }
        let mut at = 0..;
        actions.retain(|_| at.next().is_none_or(|at| !bad.contains(&at)));
    }
}

/// The places of rules that `check` refuses.
pub(super) fn refused_of(actions: &[Action], name: &str, site_by: SiteBy) -> Vec<usize> {
    let rules: Vec<Rule> = actions.iter().cloned().map(Rule::new).collect();
    refused(name, &rules, site_by)
}
