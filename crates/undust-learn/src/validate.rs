//! Validation, phase 4 of dustbuster: tries rules on URLs that they change, until each is valid or refuted (Figs. 3 and 4).
//!
//! The caller compares the two URLs of a trial: by fetching both, or, without a network, by their labels
//! ([`labels`]). What was tried is kept in the rule, so that a run can stop anywhere and another one go on.
//!
//! Rules need not come from dustbuster. One that was believed for other reasons (held-out evidence, or a person's word) is applied until it is
//! refuted; only what was merely likely is dropped as redundant or turned round.

mod judged;
pub mod labels;
mod plan;
mod queue;
mod sequential;
mod trials;

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use undust::rules::{Review, Rule, TriedBy, TriedUrl, Validation, Verdict};
use undust::url::SiteBy;

use crate::select::refused;
pub use judged::Judged;
pub use plan::Plan;
pub(crate) use queue::makes_redundant;
pub use queue::{RuleQueue, Validated, validate_rules};
pub use trials::{Trial, trials};

/// Thresholds of a verdict.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trying {
    /// `N`: the number of URLs that a rule is tried on, at most.
    pub samples: u64,
    /// `ε`: the share of URLs with another page that refutes a rule.
    pub refute: f64,
    /// Number of trials that a verdict needs.
    pub min_trials: u64,
    /// The stopping rule.
    pub test: Test,
}

impl Default for Trying {
    fn default() -> Trying {
        Trying { samples: 100, refute: 0.05, min_trials: 3, test: Test::default() }
    }
}

/// Stopping rule: when the trials of a rule are enough.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Test {
    /// Stops when the rest of the `samples` cannot change the verdict, as in the paper.
    #[default]
    Fixed,
    /// Sequential test, which stops as soon as the trials leave no doubt (see `sequential.rs`): for trials that cost requests.
    Sequential,
}

/// Result of comparing two URLs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// One page.
    Same,
    /// Not one page, and why.
    Other(String),
    /// The second leads to no page, and why.
    Missing(String),
    /// They cannot be compared.
    Unknown,
    /// Nothing can be compared any more: stop here.
    Stop,
}

impl Trying {
    /// Figure 3: continues `so_far` until there is a verdict, until there is nothing left to try, or until the judge
    /// says stop; whether it did is the second result.
    pub fn try_out(
        &self,
        so_far: Validation,
        by: TriedBy,
        trials: impl Iterator<Item = Trial>,
        mut judge: impl FnMut(&Trial) -> Judgement,
    ) -> (Validation, bool) {
        let mut now = so_far;
        for trial in trials {
            if self.decide(&mut now, false) {
                return (now, false);
            }
            if was_tried(&now, &trial) {
                continue;
            }
            let (same, why) = match judge(&trial) {
                Judgement::Same => (true, None),
                Judgement::Other(why) => (false, Some(why)),
                Judgement::Missing(why) if trial.made => (false, Some(why)),
                Judgement::Missing(_) | Judgement::Unknown => continue,
                Judgement::Stop => return (now, true),
            };
            add(&mut now, &trial, same, why);
            now.by = Some(by);
        }
        self.decide(&mut now, true);
        (now, false)
    }

    /// Sets the verdict, if there is one; with `nothing_left` to try, on what there was.
    fn decide(&self, now: &mut Validation, nothing_left: bool) -> bool {
        let Some(verdict) = self.by_share(now, nothing_left).or_else(|| self.by_ratio(now)) else {
            return false;
        };
        now.verdict = verdict;
        keep_some(&mut now.samples);
        true
    }

    /// The verdict that the share of failures gives, once the rest of the sample cannot change it.
    fn by_share(&self, now: &Validation, nothing_left: bool) -> Option<Verdict> {
        let tried = now.positive + now.negative;
        let planned = if nothing_left { tried.min(self.samples) } else { self.samples } as f64;
        // Of 100, 7 are the share 0.07, whatever the last digit of the product says.
        let reaches = |count: u64, share: f64| count as f64 + 1e-9 >= share * planned;
        let refuted = now.negative > 0 && reaches(now.negative, self.refute);
        let enough = tried >= self.min_trials;
        if refuted && (enough || !nothing_left) {
            Some(Verdict::Invalid)
        } else if !refuted && enough && reaches(now.positive, 1.0 - self.refute) {
            Some(Verdict::Valid)
        } else {
            None
        }
    }

    /// The verdict of a sequential test.
    fn by_ratio(&self, now: &Validation) -> Option<Verdict> {
        let may_end = self.test == Test::Sequential && now.positive + now.negative >= self.min_trials;
        may_end.then(|| sequential::verdict(now.positive, now.negative, self.refute)).flatten()
    }
}

fn was_tried(now: &Validation, trial: &Trial) -> bool {
    now.samples.iter().any(|tried| *tried.url == *String::from_utf8_lossy(&trial.url))
}

fn add(now: &mut Validation, trial: &Trial, same: bool, why: Option<String>) {
    now.positive += u64::from(same);
    now.negative += u64::from(!same);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    now.samples.push(TriedUrl { url: text(&trial.url), with: text(&trial.with), same, why });
}

/// Number of samples kept of each kind, once there is a verdict.
const MAX_KEPT_SAMPLES: usize = 3;

fn keep_some(samples: &mut Vec<TriedUrl>) {
    let mut left = [MAX_KEPT_SAMPLES; 2];
    samples.retain(|sample| {
        let left = &mut left[usize::from(sample.same)];
        let keep = *left > 0;
        *left = left.saturating_sub(1);
        keep
    });
}

/// Whether a rule is still to be validated. A skip is not: it names no URL to compare with.
pub fn is_open(rule: &Rule) -> bool {
    !rule.action.is_skip()
        && rule.review != Review::Rejected
        && rule.validation.as_ref().is_none_or(|v| v.verdict.is_open())
}

/// State of validation that a run continues from.
pub fn so_far(rule: &Rule) -> Validation {
    let untried = || Validation { verdict: Verdict::Open, ..Validation::default() };
    rule.validation.clone().unwrap_or_else(untried)
}

/// Removes active rules with a finding of `undust::apply::check`, the last of each finding, and returns their number. Each rule holds by
/// itself, but of `a` -> `b`, `b` -> `c` and `c` -> `a` all may. What a person wrote or accepted stays.
pub fn leave_out_unfit(rules: &mut Vec<Rule>, site: &str, site_by: SiteBy) -> u64 {
    let mut left_out = 0;
    loop {
        let active: Vec<usize> = (0..rules.len()).filter(|&at| rules[at].is_active()).collect();
        let alone: Vec<Rule> = active.iter().map(|&at| rules[at].clone()).collect();
        let mut unfit: BTreeSet<usize> =
            refused(site, &alone, site_by).into_iter().map(|at| active[at]).collect();
        unfit.retain(|&at| rules[at].learner.is_some() && rules[at].review == Review::Proposed);
        if unfit.is_empty() {
            return left_out;
        }
        left_out += unfit.len() as u64;
        for &at in unfit.iter().rev() {
            rules.remove(at);
        }
    }
}
