//! From candidates to a rule set: judge each on URLs that its learner did not see, *given the rules already chosen*, and keep those
//! that together stay under the bound on false positives.
//!
//! The state is a partition of the site's URLs by canonical key. A candidate moves keys to other keys; merging keys saves
//! URLs and may lose pages. Candidates are taken greedily, by what they surely save. A candidate that would make rules run
//! in a circle is refused. What is counted: a *trial* is a held-out URL that the rule spares (its key is merged into another one), a
//! *false positive* a trial whose page is not the page kept.
//!
//! Two bounds hold for the rules of a site together, each with 95 % confidence (exact binomial) on held-out URLs: of the
//! pairs of URLs made equal, at most `max_fpr` differ in content (the papers' false-positive rate), and of the site's
//! pages, at most `max_fpr` are lost (one minus recall). One rule by itself must not exceed `max_fpr` in what was seen. Rules that pass because they were
//! picked from many are found out by choosing again without a fold and asking that fold.

mod alike;
mod changes;
mod choice;
mod groups;
mod plausible;
mod trial;

use undust::apply::{Finding, check};
use undust::rules::{Rule, RuleSet};
use undust::url::SiteBy;

use crate::bound::{lower_bound, upper_bound};
use crate::learn::Candidate;
use crate::site::{ALL_FOLDS, FOLDS, Site};
use choice::{Accepted, Choice};
use trial::Tally;

/// What selection is bound by.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The share of false positives that the chosen rules together may have, as an upper confidence bound.
    pub max_fpr: f64,
    /// A rule with fewer trials than this is not believed.
    pub min_trials: u64,
}

/// A candidate and the folds that its learner did not see when it proposed it, a set of bits.
#[derive(Clone, Debug)]
pub struct Proposal {
    /// The candidate.
    pub candidate: Candidate,
    /// The folds.
    pub unseen: u32,
}

/// Choose among `proposals`, which `learner` made. What is chosen passes `undust::apply::check`.
pub fn select(
    site: &Site,
    learner: &str,
    proposals: &[Proposal],
    limits: Limits,
    site_by: SiteBy,
) -> Vec<Rule> {
    let mut choice = Choice::new(site, proposals, limits.max_fpr);
    let pages = site.clusters() as f64;
    let levels = STRICTNESS.into_iter().chain([limits.max_fpr]);
    for strictness in levels {
        choice.strictness = strictness;
        let (accepted, rules) = choose_checked(&mut choice, site, learner, limits, site_by);
        let is_last = strictness <= limits.max_fpr;
        if is_last || are_few(&accepted, limits.max_fpr, pages) || !is_refuted(&mut choice, limits, pages) {
            return rules;
        }
        choice.allow_all();
    }
    Vec::new()
}

/// How little a rule may be believed by itself, from lax to strict: what its own bound must not exceed.
const STRICTNESS: [f64; 2] = [1.0, 0.1];

/// Whether the rules' own bounds add up to less than may be lost: then they need no help from each other.
fn are_few(accepted: &[Accepted], max_fpr: f64, pages: f64) -> bool {
    accepted.iter().map(|a| a.trial.outcome.seen.lost()).sum::<f64>() <= max_fpr * pages
}

/// Whether rules chosen in this way surely break the limit on evidence that did not choose them. Of many bad rules, some
/// look good on the few URLs they are tried on; chosen for that, they look good together, and nothing but other URLs
/// can tell. Each fold in turn is kept from the choice and then asked.
fn is_refuted(choice: &mut Choice, limits: Limits, pages: f64) -> bool {
    let start = choice.banned.clone();
    let min_trials = limits.min_trials * u64::from(FOLDS - 1) / u64::from(FOLDS);
    let mut unused = Vec::new();
    for fold in 0..FOLDS {
        choice.usable = ALL_FOLDS & !(1 << fold);
        let accepted = choose(choice, Limits { min_trials, ..limits }, pages, 0);
        unused.extend(accepted.iter().map(|a| a.trial.outcome.unused));
        choice.banned.clone_from(&start);
    }
    choice.usable = ALL_FOLDS;
    let unused = Tally::sum(unused.into_iter());
    lower_bound(unused.wrong, unused.trials) > limits.max_fpr
}

/// Choose rules that `check` has nothing to say against.
fn choose_checked(
    choice: &mut Choice,
    site: &Site,
    learner: &str,
    limits: Limits,
    site_by: SiteBy,
) -> (Vec<Accepted>, Vec<Rule>) {
    loop {
        let accepted = choose(choice, limits, site.clusters() as f64, OPEN_ROUNDS);
        let rules: Vec<Rule> = accepted.iter().map(|a| choice.rule(a, learner)).collect();
        let refused = refused(&site.name, &rules, site_by);
        if refused.is_empty() {
            return (accepted, rules);
        }
        for at in refused {
            choice.banned[accepted[at].candidate] = true;
        }
    }
}

/// After so many rounds, no candidate takes the place of one given up: there may be thousands that are as bad.
const OPEN_ROUNDS: usize = 4;

/// Choose until the chosen rules keep to both bounds together.
fn choose(choice: &mut Choice, limits: Limits, pages: f64, open_rounds: usize) -> Vec<Accepted> {
    let Limits { max_fpr, min_trials } = limits;
    choice.min_trials = min_trials;
    if upper_bound(0, min_trials) * min_trials as f64 > max_fpr * pages {
        // Not even the smallest rule without a false positive could be shown to lose so few pages.
        return Vec::new();
    }
    let mut round = 0;
    loop {
        let accepted = choice.run();
        let given_up = worst_rules(&accepted, max_fpr, pages);
        if given_up.is_empty() {
            return accepted;
        }
        if round >= open_rounds {
            choice.banned.fill(true);
            for a in &accepted {
                choice.banned[a.candidate] = false;
            }
        }
        // Without them, others may have more to do: choose again.
        for candidate in given_up {
            choice.banned[candidate] = true;
        }
        round += 1;
    }
}

/// The places of rules that `check` complains of, the last of each complaint: selection saw no circle on the URLs it
/// knows, `check` invents others.
pub(crate) fn refused(name: &str, rules: &[Rule], site_by: SiteBy) -> Vec<usize> {
    let findings = check(&RuleSet::of_site(name, site_by, rules.to_vec()));
    let last = |bad: &[String]| rules.iter().rposition(|rule| bad.contains(&rule.id));
    let bad = findings.into_iter().filter_map(|finding| match finding {
        Finding::Circle { rules, .. } | Finding::Unproven { rules, .. } => last(&rules),
        Finding::Conflict { second: rule, .. }
        | Finding::Twice { rule, .. }
        | Finding::Outside { rule, .. } => last(&[rule]),
    });
    bad.collect()
}

/// The rules to give up, worst first, so that the others stay under both bounds together.
fn worst_rules(accepted: &[Accepted], max_fpr: f64, pages: f64) -> Vec<usize> {
    let mut order: Vec<(Tally, usize)> =
        accepted.iter().map(|a| (a.trial.outcome.seen, a.candidate)).collect();
    // By the share of false positives, without dividing; then those with the least evidence.
    order.sort_by(|(a, _), (b, _)| {
        (b.wrong * a.trials).cmp(&(a.wrong * b.trials)).then(a.trials.cmp(&b.trials))
    });
    let is_safe = |n: &usize| Tally::sum(order[*n..].iter().map(|(tally, _)| *tally)).is_safe(max_fpr, pages);
    let given_up = (0..order.len()).find(is_safe).unwrap_or(order.len());
    order[..given_up].iter().map(|(_, candidate)| *candidate).collect()
}
