//! Phase 4 of dustbuster: try rules out on URLs that they change, until each is valid or refuted (Figs. 3 and 4).
//!
//! How two URLs are compared is somebody else's business: by fetching both, or, without a network, by their labels
//! ([`labels`]). What was tried is kept in the rule, so that a run can stop anywhere and another one go on.

pub mod labels;

use std::collections::BTreeSet;

use undust::apply::{Canonicalizer, Form, Scratch};
use undust::rules::{Action, Review, Rule, RuleSet, SiteRules, TriedBy, TriedUrl, Validation, Verdict};
use undust::url::SiteBy;
use xxhash_rust::xxh3::xxh3_64;

use crate::select::refused;

/// How much it takes to believe or to refute a rule.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trying {
    /// `N`: a rule is tried on so many URLs.
    pub samples: u64,
    /// `ε`: it is refuted by this share of URLs that do not keep their page.
    pub refute: f64,
    /// With fewer URLs than this to try it on, it stays undecided.
    pub min_trials: u64,
}

impl Default for Trying {
    fn default() -> Trying {
        Trying { samples: 100, refute: 0.05, min_trials: 3 }
    }
}

/// What comparing two URLs gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// One page.
    Same,
    /// Not one page, and why.
    Other(String),
    /// Nothing can be told of this URL.
    Unknown,
    /// Nothing can be told any more: stop here.
    Stop,
}

impl Trying {
    /// Figure 3: go on with `so_far` on `trials` (a URL and what to compare it with), until there is a verdict, until there is nothing
    /// left to try, or until the judge says stop. Whether it did is the second answer.
    pub fn try_out(
        &self,
        so_far: Validation,
        by: TriedBy,
        trials: impl Iterator<Item = (Vec<u8>, Vec<u8>)>,
        mut judge: impl FnMut(&[u8], &[u8]) -> Judgement,
    ) -> (Validation, bool) {
        let mut now = Validation { by: Some(by), ..so_far };
        for (url, with) in trials {
            if self.decide(&mut now, false) {
                return (now, false);
            }
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            let shown = text(&url);
            if now.samples.iter().any(|tried| tried.url == shown) {
                continue;
            }
            let (same, why) = match judge(&url, &with) {
                Judgement::Same => (true, None),
                Judgement::Other(why) => (false, Some(why)),
                Judgement::Unknown => continue,
                Judgement::Stop => return (now, true),
            };
            now.positive += u64::from(same);
            now.negative += u64::from(!same);
            now.samples.push(TriedUrl { url: shown, with: text(&with), same, why });
        }
        self.decide(&mut now, true);
        (now, false)
    }

    /// Give a verdict if there is one to give; with `nothing_left` to try, on what there was.
    fn decide(&self, now: &mut Validation, nothing_left: bool) -> bool {
        let tried = now.positive + now.negative;
        let planned = if nothing_left { tried.min(self.samples) } else { self.samples } as f64;
        let refuted = now.negative > 0 && now.negative as f64 >= self.refute * planned;
        let confirmed = now.positive as f64 >= (1.0 - self.refute) * planned;
        now.verdict = match (refuted, confirmed) {
            (true, _) if !nothing_left || tried >= self.min_trials => Verdict::Invalid,
            (false, true) if tried >= self.min_trials => Verdict::Valid,
            _ => Verdict::Likely,
        };
        let decided = now.verdict != Verdict::Likely;
        if decided {
            keep_some(&mut now.samples);
        }
        decided
    }
}

/// Samples kept of each kind, once there is a verdict.
const MOST_SAMPLES: usize = 3;

fn keep_some(samples: &mut Vec<TriedUrl>) {
    let mut left = [MOST_SAMPLES; 2];
    samples.retain(|sample| {
        let left = &mut left[usize::from(sample.same)];
        let keep = *left > 0;
        *left = left.saturating_sub(1);
        keep
    });
}

/// Whether a rule is still to be tried out.
pub fn is_open(rule: &Rule) -> bool {
    rule.review != Review::Rejected && rule.validation.as_ref().is_none_or(|v| v.verdict == Verdict::Likely)
}

/// What became of the rules of a site.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Validated {
    /// Rules left out because they refine a valid one.
    pub redundant: u64,
    /// Valid rules left out because they run in a circle with, or contradict, valid ones before them.
    pub unfit: u64,
    /// Whether the judge said stop.
    pub stopped: bool,
}

/// Figure 4: try the rules of a site in order, `try_out` one by one. A refuted substitution is tried the other way round; what refines a valid
/// one is left out. `after_each` sees the rules whenever one is decided.
pub fn validate_rules(
    rules: &mut Vec<Rule>,
    mut try_out: impl FnMut(&Rule) -> (Validation, bool),
    mut after_each: impl FnMut(&[Rule]),
) -> Validated {
    let mut validated = Validated::default();
    let mut at = 0;
    while at < rules.len() && !validated.stopped {
        if !is_open(&rules[at]) {
            at += 1;
            continue;
        }
        if rules[..at].iter().any(|valid| makes_redundant(valid, &rules[at])) {
            rules.remove(at);
            validated.redundant += 1;
            continue;
        }
        let (validation, stopped) = try_out(&rules[at]);
        validated.stopped = stopped;
        let refuted = validation.verdict == Verdict::Invalid;
        rules[at].validation = Some(validation);
        if let Some(back) =
            way_back(&rules[at]).filter(|back| refuted && !rules.iter().any(|r| r.id == back.id))
        {
            rules.insert(at + 1, back);
        }
        after_each(rules);
        at += 1;
    }
    validated
}

fn makes_redundant(valid: &Rule, rule: &Rule) -> bool {
    let is_valid =
        valid.validation.as_ref().is_some_and(|v| v.verdict == Verdict::Valid) && valid.is_active();
    match (&valid.action, &rule.action) {
        (Action::Substitute(general), Action::Substitute(special)) => is_valid && special.refines(general),
        _ => false,
    }
}

/// Leave out active rules that `undust::apply::check` complains of, the last of each complaint; how many there were. Each rule holds by
/// itself, but of `a` -> `b` and `b` -> `a` both may.
pub fn leave_out_unfit(rules: &mut Vec<Rule>, site: &str, site_by: SiteBy) -> u64 {
    let mut left_out = 0;
    loop {
        let active: Vec<usize> = (0..rules.len()).filter(|&at| rules[at].is_active()).collect();
        let alone: Vec<Rule> = active.iter().map(|&at| rules[at].clone()).collect();
        let unfit: BTreeSet<usize> =
            refused(site, &alone, site_by).into_iter().map(|at| active[at]).collect();
        if unfit.is_empty() {
            return left_out;
        }
        left_out += unfit.len() as u64;
        for &at in unfit.iter().rev() {
            rules.remove(at);
        }
    }
}

/// The same rule the other way round, to be tried; one that had been proposed that way would have been refuted before.
fn way_back(rule: &Rule) -> Option<Rule> {
    let action = rule.action.reversed().filter(Action::grows)?;
    let validation = Some(Validation::default());
    Some(Rule { id: action.id(), action, validation, ..rule.clone() })
}

/// The URLs of `urls` that `rule` by itself makes another URL, with that URL, in an order that depends on the rule alone.
pub fn changed<'u>(
    rule: &Rule,
    site: &str,
    site_by: SiteBy,
    urls: impl Iterator<Item = &'u [u8]>,
) -> Vec<(Vec<u8>, Vec<u8>)> {
    let alone = Rule::new(rule.action.clone());
    let sites = vec![SiteRules { site: site.to_owned(), rules: vec![alone] }];
    let engine = Canonicalizer::new(&RuleSet { site_by, sites, ..RuleSet::default() }, Form::Url);
    let mut scratch = Scratch::new();
    let mut changed: Vec<(Vec<u8>, Vec<u8>)> = Vec::new();
    for url in urls {
        engine.each_change(url, &mut scratch, |_, after| changed.push((url.to_vec(), after.to_vec())));
    }
    changed.sort_by_cached_key(|(url, _)| (xxh3_64(url), url.clone()));
    changed
}
