//! Selection, from candidates to a rule set: judges each on held-out URLs, which its learner did not see, *given the rules already chosen*, and keeps those
//! that together stay under the bound on false positives.
//!
//! The state is a partition of the site's URLs by canonical key. A candidate moves keys to other keys; merging keys saves
//! URLs and may lose pages. Candidates are taken greedily, by what they surely save. A candidate that would make rules run
//! in a circle is refused. What is counted: a *trial* is a held-out URL that the rule spares (its key is merged into another one), a
//! *false positive* a trial whose page is not the page kept.
//!
//! Two bounds hold for the rules of a site together, each with 95 % confidence (exact binomial) on held-out URLs: of the
//! pairs of URLs made equal, at most `max_fpr` differ in content (the papers' false-positive rate), and of the site's
//! pages, at most `max_fpr` are lost (one minus recall). One rule by itself may be somewhat worse, if the others leave room for it. Rules that pass because they were
//! picked from many are found out by choosing again without a fold and asking that fold.

mod alike;
mod changes;
mod choice;
mod groups;
mod plausible;
pub(crate) mod same;
mod trial;
mod widen;

use std::collections::{BTreeMap, BTreeSet};

use undust::apply::{Finding, check, is_fit};
use undust::rules::{Action, EVERY_SITE, Rule, RuleSet, SiteRules};
use undust::url::SiteBy;

use crate::again::{Judged, is_a_persons};
use crate::evaluate::share;
use crate::learn::Candidate;
use crate::proof::{Noise, proofs};
use crate::site::{ALL_FOLDS, FOLDS, Site};
use choice::{Accepted, Choice, Refused};
use plausible::plausible;
use same::do_the_same;
use trial::Tally;
use widen::widen;

/// Number of proposals, those of most support, that the share of wrong labels is estimated from.
const MAX_NOISE_PROPOSALS: usize = 300;

/// If more than one in this many rules fail the cross-check, more is asked of all rules; else those that failed are given up.
const MIN_RULES_PER_FAILURE: usize = 3;

/// Number of rounds in which rules that failed the cross-check are replaced by others, before more is asked of all.
const MAX_CROSS_CHECK_ROUNDS: usize = 8;

/// Number of URLs that a rule must save; one that saves less is not worth reading.
const MIN_SAVED_URLS: u64 = 3;

/// Multiple of `max_fpr` that a rule by itself may reach, if the others leave room for it.
pub const MAX_RULE_FPR_FACTOR: f64 = 5.0;

/// Limits of the selection.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The share of false positives that the chosen rules together may have, as an upper confidence bound.
    pub max_fpr: f64,
    /// Number of held-out trials that a rule needs.
    pub min_trials: u64,
    /// Whether wider variants of the proposed rules are tried, too.
    pub widen: bool,
}

/// A candidate with the folds held out from its learner.
#[derive(Clone, Debug)]
pub struct Proposal {
    /// The candidate.
    pub candidate: Candidate,
    /// The folds that its learner did not see when it proposed it, a set of bits.
    pub unseen: u32,
    /// The learners that proposed it; the first is named in the rule.
    pub learners: Vec<&'static str>,
}

/// Rules that are given before the choice.
#[derive(Clone, Copy, Debug, Default)]
pub struct Given<'r> {
    /// Rules that stand, in order: they are applied before those that are chosen.
    pub standing: &'r [Rule],
    /// Rules for every site: they are applied behind all others.
    pub everywhere: &'r [Rule],
    /// Rules that were refused: none that does the same is chosen.
    pub refused: &'r [Rule],
}

impl Given<'_> {
    /// The given rules that are applied, and `rules` of the site behind those that stand.
    pub(crate) fn rule_set(&self, site: &str, site_by: SiteBy, rules: Vec<Rule>) -> RuleSet {
        let mut set = RuleSet::of_site(site, site_by, [self.standing.to_vec(), rules].concat());
        if !self.everywhere.is_empty() {
            let everywhere = SiteRules { site: EVERY_SITE.to_owned(), rules: self.everywhere.to_vec() };
            set.sites.insert(0, everywhere);
        }
        set
    }

    /// The rules that are applied, the standing ones first.
    fn applied(&self) -> impl Iterator<Item = &Rule> {
        self.standing.iter().chain(self.everywhere)
    }
}

/// Result of the selection.
#[derive(Debug, Default)]
pub struct Chosen {
    /// The rules, in order, without those that were given.
    pub rules: Vec<Rule>,
    /// Evidence of the site for or against each standing rule; none for one that runs in a circle.
    pub standing: Vec<Option<Judged>>,
    /// Number of proposals left out because a refused rule does the same.
    pub left_out: u64,
    /// Estimated share of mislabelled URLs (excused).
    pub noise: f64,
}

/// Chooses among `proposals`. What is chosen passes `undust::apply::check`, together with the given rules if they do.
pub fn select(
    site: &Site,
    proposals: &[Proposal],
    limits: Limits,
    site_by: SiteBy,
    given: Given<'_>,
) -> Chosen {
    let (worth_trying, left_out) = worth_trying(site, proposals, limits, site_by, given.refused);
    let noise = noise(site, &worth_trying);
    let standing = judge(site, given, limits.max_fpr, noise);
    let left = stays(given.standing, &standing);
    let given = Given { standing: &left, ..given };
    let candidates = [given_candidates(given), worth_trying].concat();
    let choice =
        Choice::new(site, &candidates, given.standing.len()..given.applied().count(), limits.max_fpr, noise);
    let rules = choose_borne_out(choice, limits, site_by, given);
    Chosen { rules, standing, left_out, noise: noise.share() }
}

/// The standing rules that are not refuted by what was judged of them, and those of a person.
pub(crate) fn stays(standing: &[Rule], judged: &[Option<Judged>]) -> Vec<Rule> {
    let stays = |(rule, judged): (&Rule, &Option<Judged>)| {
        let is_refuted = judged.as_ref().is_some_and(|judged| judged.is_refuted);
        (!is_refuted || is_a_persons(rule)).then(|| rule.clone())
    };
    standing.iter().zip(judged).filter_map(stays).collect()
}

/// The share of wrong labels that these rules show.
pub(crate) fn noise_of(site: &Site, rules: &[Rule]) -> f64 {
    let proposals: Vec<Proposal> = rules.iter().map(|rule| Proposal::of_action(&rule.action)).collect();
    noise(site, &proposals).share()
}

/// The given rules that are applied, as candidates that need not be chosen.
fn given_candidates(given: Given<'_>) -> Vec<Proposal> {
    given.applied().map(|rule| Proposal::of_action(&rule.action)).collect()
}

/// Evidence of the site for or against each standing rule, given those before it.
fn judge(site: &Site, given: Given<'_>, max_fpr: f64, noise: Noise) -> Vec<Option<Judged>> {
    if given.standing.is_empty() {
        return Vec::new();
    }
    let candidates = given_candidates(Given { everywhere: &[], ..given });
    let mut choice = Choice::new(site, &candidates, candidates.len()..candidates.len(), max_fpr, noise);
    choice.judge_standing(given.standing)
}

/// The proposals that are worth trying, wider variants included, and the number of those left out because a refused rule does the same.
fn worth_trying(
    site: &Site,
    proposals: &[Proposal],
    limits: Limits,
    site_by: SiteBy,
    refused: &[Rule],
) -> (Vec<Proposal>, u64) {
    let max_wrong_share = 2.0 * levels(limits)[0].max_wrong_share;
    let mut worth_trying = plausible(site, proposals, max_wrong_share, site_by);
    if limits.widen {
        worth_trying.extend(widen(&worth_trying));
        worth_trying = plausible(site, &worth_trying, max_wrong_share, site_by);
    }
    let actions: Vec<&Action> = worth_trying.iter().map(|p| &p.candidate.action).collect();
    let is_refused = do_the_same(site, refused, &actions, MAX_RULE_FPR_FACTOR * limits.max_fpr);
    let left_out = is_refused.iter().filter(|refused| **refused).count() as u64;
    let mut is_refused = is_refused.into_iter();
    worth_trying.retain(|_| !is_refused.next().unwrap_or_default());
    (worth_trying, left_out)
}

/// Chooses, and asks more of all rules until what is chosen is borne out by evidence that did not choose it.
fn choose_borne_out(mut choice: Choice, limits: Limits, site_by: SiteBy, given: Given<'_>) -> Vec<Rule> {
    let levels = levels(limits);
    choice.level = levels[0];
    choose_start(&mut choice);
    for level in levels {
        choice.level = level;
        for _ in 0..MAX_CROSS_CHECK_ROUNDS {
            let unused = cross_check(&mut choice);
            let unused = unused.into_iter();
            let (asked, failed) = (unused.len(), given_up(unused, |tally| choice.is_borne_out(tally)));
            if failed.is_empty() {
                return choose_checked(&mut choice, site_by, given);
            }
            // Where many fail, those that did not were lucky, and giving up the others would hide it.
            if failed.len() * MIN_RULES_PER_FAILURE > asked {
                break;
            }
            for candidate in failed {
                choice.banned[candidate] = true;
            }
        }
        choice.banned.fill(false);
    }
    Vec::new()
}

/// Estimates the share of wrong labels from what the proposals of most support make equal.
fn noise(site: &Site, proposals: &[Proposal]) -> Noise {
    let candidates: Vec<Candidate> =
        proposals.iter().take(MAX_NOISE_PROPOSALS).map(|p| p.candidate.clone()).collect();
    let sample = site.sample(0).part(plausible::MAX_SAMPLE_URLS);
    let (proofs, changes) = proofs(&sample, &candidates);
    Noise::of(&sample, &candidates, &proofs, &changes)
}

/// Greedy choices depend on where they begin: find the learner whose rules to choose first, if any. Rules that change many URLs for each that
/// they save are left out if they are not missed.
fn choose_start(choice: &mut Choice) {
    let learners: BTreeSet<&'static str> =
        choice.proposals().iter().flat_map(|p| p.learners.iter().copied()).collect();
    let mut best = (None, 0);
    for start in [None].into_iter().chain(learners.into_iter().map(Some)) {
        choice.first = start;
        let saved = saved(choice);
        if saved > best.1 {
            best = (start, saved);
        }
    }
    choice.first = best.0;
    choice.moves_many = false;
    choice.moves_many = saved(choice) * 100 < best.1 * 99;
}

/// Number of URLs saved by the choice in its current state.
fn saved(choice: &mut Choice) -> u64 {
    choose(choice, &mut |_, _, _| false).iter().map(|a| a.trial.outcome.saved).sum()
}

/// The candidates to give up, worst first, so that of the others `holds` is true.
fn given_up(tallies: impl Iterator<Item = (usize, Tally)>, holds: impl Fn(&Tally) -> bool) -> Vec<usize> {
    let mut order: Vec<(usize, Tally)> = tallies.collect();
    order.sort_by(|(_, a), (_, b)| worst_first(a, b));
    let is_enough = |n: &usize| holds(&Tally::sum(order[*n..].iter().map(|(_, tally)| *tally)));
    let given_up = (0..order.len()).find(is_enough).unwrap_or(order.len());
    order[..given_up].iter().map(|(candidate, _)| *candidate).collect()
}

/// By the share of wrong pairs, then of wrong URLs; then those with the least evidence.
fn worst_first(a: &Tally, b: &Tally) -> std::cmp::Ordering {
    let pairs = |tally: &Tally| share(tally.wrong_pairs, tally.pairs, 0.0);
    let urls = |tally: &Tally| share(tally.wrong, tally.trials, 0.0);
    pairs(b).total_cmp(&pairs(a)).then(urls(b).total_cmp(&urls(a))).then(a.trials.cmp(&b.trials))
}

/// Evidence that a rule needs.
#[derive(Clone, Copy, Debug)]
struct Level {
    /// Number of held-out trials.
    min_trials: u64,
    /// Greatest share of wrong trials of a rule by itself.
    max_wrong_share: f64,
}

/// The levels of evidence, from lax to strict.
fn levels(limits: Limits) -> Vec<Level> {
    let Limits { max_fpr, min_trials, .. } = limits;
    vec![
        Level { min_trials, max_wrong_share: MAX_RULE_FPR_FACTOR * max_fpr },
        Level { min_trials, max_wrong_share: max_fpr },
        Level { min_trials: 3 * min_trials, max_wrong_share: max_fpr },
        Level { min_trials: 10 * min_trials, max_wrong_share: max_fpr },
        Level { min_trials: 30 * min_trials, max_wrong_share: max_fpr },
    ]
}

/// Cross-check: results of rules chosen in this way on evidence that did not choose them. Of many bad rules, some
/// look good on the few URLs they are tried on; chosen for that, they look good together, and nothing but other URLs
/// can tell. Each fold in turn is kept from the choice and then asked.
fn cross_check(choice: &mut Choice) -> BTreeMap<usize, Tally> {
    let mut unused: BTreeMap<usize, Tally> = BTreeMap::new();
    for fold in 0..FOLDS {
        choice.usable = ALL_FOLDS & !(1 << fold);
        for Accepted { candidate, trial } in choose(choice, &mut |_, _, _| false) {
            let known = unused.entry(candidate).or_default();
            *known = Tally::sum([*known, trial.outcome.unused].into_iter());
        }
    }
    choice.usable = ALL_FOLDS;
    unused
}

/// Chooses rules without findings of `check`, but for those of the given rules.
fn choose_checked(choice: &mut Choice, site_by: SiteBy, given: Given<'_>) -> Vec<Rule> {
    let name = choice.site_name();
    let known = check(&given.rule_set(name, site_by, Vec::new()));
    let mut is_refused = |choice: &Choice, accepted: &[Accepted], candidate: usize| {
        let so_far = accepted.iter().map(|a| a.candidate).chain([candidate]);
        let rules: Vec<Rule> = so_far.map(|c| Rule::new(choice.action(c).clone())).collect();
        let set = given.rule_set(name, site_by, rules);
        if known.is_empty() { !is_fit(&set) } else { check(&set).iter().any(|f| !known.contains(f)) }
    };
    let accepted = choose(choice, &mut is_refused);
    accepted.iter().map(|a| choice.rule(a)).collect()
}

/// Chooses until the chosen rules keep to both bounds together. What is given up on the way is given up for this choice alone.
fn choose<'s>(choice: &mut Choice<'s>, is_refused: &mut Refused<'_, 's>) -> Vec<Accepted> {
    let banned = choice.banned.clone();
    loop {
        let accepted = choice.run(is_refused);
        let seen = accepted.iter().map(|a| (a.candidate, a.trial.outcome.seen));
        let given_up = given_up(seen, |tally| choice.is_safe(tally));
        if given_up.is_empty() {
            choice.banned = banned;
            return accepted;
        }
        // Only those that are left: what takes the place of rules given up is no better.
        choice.banned.fill(true);
        for a in &accepted {
            choice.banned[a.candidate] = given_up.contains(&a.candidate);
        }
    }
}

/// Indices of rules with a finding of `check`, the last of each finding: selection saw no circle on the URLs it
/// knows, `check` invents others.
#[doc(hidden)]
pub fn refused(name: &str, rules: &[Rule], site_by: SiteBy) -> Vec<usize> {
    let findings = check(&RuleSet::of_site(name, site_by, rules.to_vec()));
    let last = |finding: Finding| rules.iter().rposition(|rule| finding.blamed().contains(&rule.id));
    findings.into_iter().filter_map(last).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rules without any trial stand somewhere, too: the order must be one.
    #[test]
    fn the_worst_come_first() {
        let tally = |wrong, trials, wrong_pairs, pairs| Tally {
            trials,
            wrong,
            pairs,
            wrong_pairs,
            ..Tally::default()
        };
        let mut order =
            [tally(0, 0, 0, 0), tally(1, 9, 0, 9), tally(0, 5, 0, 5), tally(0, 3, 2, 4), tally(2, 9, 0, 0)];
        order.sort_by(worst_first);
        assert_eq!(order.map(|t| (t.wrong, t.trials)), [(0, 3), (2, 9), (1, 9), (0, 0), (0, 5)]);
    }
}
