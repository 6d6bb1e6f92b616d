//! The greedy choice: which candidates to accept, in which order, each judged given those already accepted.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

use undust::apply::{is_last, too_long};
use undust::rules::{self, Action, Rule};

use super::changes::{Changes, Step};
use super::groups::Groups;
use super::trial::{Evidence, Judge, Outcome, Tally, Trial};
use super::{Level, MIN_SAVED_URLS, Proposal};
use crate::again::{Judged, bound};
use crate::bound::upper_bound;
use crate::proof::Noise;
use crate::site::{ALL_FOLDS, Site};

pub(super) struct Accepted {
    pub(super) candidate: usize,
    pub(super) trial: Trial,
}

/// Orders candidates: those that make URLs shorter first (nobody wants a session id in a canonical form), then
/// those that surely save most, then as they were proposed.
type Rank = (Reverse<bool>, u64, Reverse<usize>);

/// Whether a candidate must not stand behind the rules accepted so far.
pub(super) type Refused<'f, 's> = dyn FnMut(&Choice<'s>, &[Accepted], usize) -> bool + 'f;

/// The state of the choice.
pub(super) struct Choice<'s> {
    site: &'s Site,
    proposals: &'s [Proposal],
    /// Which candidates are rules for every site. These and those before them, which stand, are given: they are accepted before any is chosen.
    everywhere: Range<usize>,
    max_fpr: f64,
    /// Number of pages of the site.
    pages: f64,
    /// Share of wrong labels.
    noise: Noise,
    /// Evidence that a rule needs.
    pub(super) level: Level,
    /// The folds whose evidence may be used, a set of bits.
    pub(super) usable: u32,
    /// The learner whose rules are chosen before those of others.
    pub(super) first: Option<&'static str>,
    /// Whether rules may change many URLs for each that they save.
    pub(super) moves_many: bool,
    changes: Changes,
    groups: Groups,
    judge: Judge,
    /// Candidates accepted so far, by their place in the order of rules.
    place: Vec<Option<u32>>,
    /// Candidates that are not to be tried.
    pub(super) banned: Vec<bool>,
    /// Whether each candidate makes URLs longer.
    grows: Vec<bool>,
    /// Outcome of each candidate before any was accepted, by the folds used: the same in every round.
    at_first: Vec<Vec<Option<Outcome>>>,
    /// Fixed points of keys in the current trial.
    resting: Vec<RestingKey>,
    trials: u32,
    /// Whether no rule changes what the current candidate prints.
    is_last: bool,
}

/// Fixed point of a key.
#[derive(Clone, Copy, Default)]
struct RestingKey {
    /// Number of the trial; 0 is none.
    trial: u32,
    key: u32,
    /// The length of the longest key on the way.
    longest: u32,
}

/// URLs changed per URL saved, at most: what most of the others become was never seen.
const MAX_MOVED_PER_SAVED: u64 = 50;

/// The place of the current candidate: behind the site's rules, before those for every site.
const CANDIDATE_PLACE: u32 = 1 << 31;

/// Number of steps after which accepted rules are taken to run in a circle with the candidate.
const MAX_STEPS: usize = 64;

impl<'s> Choice<'s> {
    /// A choice among `proposals`. Those in `everywhere` are rules for every site that are given, those before them rules of the site that stand.
    pub(super) fn new(
        site: &'s Site,
        proposals: &'s [Proposal],
        everywhere: Range<usize>,
        max_fpr: f64,
        noise: Noise,
    ) -> Choice<'s> {
        Choice {
            site,
            proposals,
            everywhere,
            max_fpr,
            pages: site.clusters() as f64,
            noise,
            level: Level { min_trials: 0, max_wrong_share: max_fpr },
            usable: ALL_FOLDS,
            first: None,
            moves_many: true,
            // The key of a URL is its row.
            changes: Changes::new(site, &site.sample(0).rows, proposals),
            groups: Groups::default(),
            judge: Judge::default(),
            place: vec![None; proposals.len()],
            banned: vec![false; proposals.len()],
            grows: proposals.iter().map(|p| p.candidate.action.grows()).collect(),
            at_first: vec![Vec::new(); ALL_FOLDS as usize + 1],
            resting: Vec::new(),
            trials: 0,
            is_last: false,
        }
    }

    /// Chooses greedily, from the start: rules that are right first, then those that what is left of the limits allows.
    pub(super) fn run(&mut self, is_refused: &mut Refused<'_, 's>) -> Vec<Accepted> {
        self.accept_given();
        for candidate in self.open() {
            self.look_at_first(candidate);
        }
        let mut accepted: Vec<Accepted> = Vec::new();
        let right = self.max_fpr.min(self.level.max_wrong_share);
        if let Some(first) = self.first {
            self.fill(right, Some(first), &mut accepted, is_refused);
        }
        self.fill(right, None, &mut accepted, is_refused);
        self.wake(&mut accepted, is_refused);
        if self.level.max_wrong_share > self.max_fpr {
            self.fill(self.level.max_wrong_share, None, &mut accepted, is_refused);
        }
        accepted
    }

    /// Starts over with the given rules; the trial of each, given those before it. None for one that runs in a circle: it is left out.
    fn accept_given(&mut self) -> Vec<Option<Trial>> {
        self.changes.begin();
        self.groups.reset(self.site);
        self.place.fill(None);
        let Range { start, end } = self.everywhere;
        let mut accept = |candidate: usize| {
            let trial = self.try_out(candidate)?;
            let behind = candidate >= start;
            self.accept(candidate, &trial, candidate as u32 + if behind { CANDIDATE_PLACE + 1 } else { 0 });
            Some(trial)
        };
        (0..end).map(&mut accept).collect()
    }

    /// Evidence for or against the standing rules, which are all there are.
    pub(super) fn judge_standing(&mut self, rules: &[Rule]) -> Vec<Option<Judged>> {
        let trials = self.accept_given();
        let judged = |(candidate, trial): (usize, Option<Trial>)| {
            let trial = trial?;
            let support = rules[candidate].evidence.as_ref().map_or(0, |evidence| evidence.support);
            let unexcused = trial.outcome.seen.excused(self.noise).wrong;
            Some(Judged::new(self.evidence(&trial, support), unexcused, self.max_fpr))
        };
        trials.into_iter().enumerate().map(judged).collect()
    }

    /// The candidates that are not given.
    fn open(&self) -> Range<usize> {
        self.everywhere.end..self.proposals.len()
    }

    /// The proposals that are not given.
    pub(super) fn proposals(&self) -> &'s [Proposal] {
        &self.proposals[self.open()]
    }

    pub(super) fn site_name(&self) -> &'s str {
        &self.site.name
    }

    /// Accepts more rules, all or those of one learner, each wrong on at most this share of its trials.
    fn fill(
        &mut self,
        max_wrong_share: f64,
        learner: Option<&str>,
        accepted: &mut Vec<Accepted>,
        is_refused: &mut Refused<'_, 's>,
    ) {
        let mut heap: BinaryHeap<Rank> = BinaryHeap::new();
        for candidate in self.open() {
            let is_asked =
                learner.is_none_or(|learner| self.proposals[candidate].learners.contains(&learner));
            if !is_asked || self.banned[candidate] || self.place[candidate].is_some() {
                continue;
            }
            let outcome = self.at_first(candidate);
            if self.believes(&outcome, max_wrong_share) {
                heap.push(self.rank(candidate, &outcome));
            }
        }
        self.accept_from(heap, max_wrong_share, accepted, is_refused);
    }

    /// Accepts rules that had no effect before others were accepted, and have one now.
    fn wake(&mut self, accepted: &mut Vec<Accepted>, is_refused: &mut Refused<'_, 's>) {
        let mut heap: BinaryHeap<Rank> = BinaryHeap::new();
        for candidate in self.open() {
            if self.banned[candidate]
                || self.grows[candidate]
                || self.at_first(candidate).saved >= MIN_SAVED_URLS
            {
                continue;
            }
            let now = self.try_out(candidate).map(|trial| trial.outcome);
            if let Some(outcome) = now.filter(|outcome| self.believes(outcome, self.max_fpr)) {
                heap.push(self.rank(candidate, &outcome));
            }
        }
        self.accept_from(heap, self.max_fpr, accepted, is_refused);
    }

    /// Accepts those that still have the evidence when it is their turn.
    fn accept_from(
        &mut self,
        mut heap: BinaryHeap<Rank>,
        max_wrong_share: f64,
        accepted: &mut Vec<Accepted>,
        is_refused: &mut Refused<'_, 's>,
    ) {
        let mut total = Tally::sum(accepted.iter().map(|a| a.trial.outcome.seen));
        while let Some((.., Reverse(candidate))) = heap.pop() {
            let trial =
                self.try_out(candidate).filter(|trial| self.believes(&trial.outcome, max_wrong_share));
            let Some(trial) = trial else { continue };
            let now = self.rank(candidate, &trial.outcome);
            if heap.peek().is_some_and(|next| *next > now) {
                heap.push(now);
                continue;
            }
            let seen = trial.outcome.seen;
            let after = Tally::sum([total, seen].into_iter());
            // Rules that were never wrong may be too few yet for the bounds to hold.
            if seen.wrong + seen.wrong_pairs > 0 && !self.is_safe(&after) {
                continue;
            }
            if is_refused(self, accepted, candidate) {
                continue;
            }
            total = after;
            self.accept(candidate, &trial, (self.everywhere.start + accepted.len()) as u32);
            accepted.push(Accepted { candidate, trial });
        }
    }

    /// Notes the outcome of `candidate` before any is accepted; the default where it would run in a circle.
    fn look_at_first(&mut self, candidate: usize) {
        let usable = self.usable as usize;
        self.at_first[usable].resize(self.proposals.len(), None);
        if !self.banned[candidate] && self.at_first[usable][candidate].is_none() {
            self.at_first[usable][candidate] = Some(self.try_out(candidate).unwrap_or_default().outcome);
        }
    }

    /// Outcome of `candidate` before any was accepted.
    fn at_first(&self, candidate: usize) -> Outcome {
        self.at_first[self.usable as usize][candidate].unwrap_or_default()
    }

    /// Whether both bounds hold, wrong labels aside.
    pub(super) fn is_safe(&self, tally: &Tally) -> bool {
        tally.excused(self.noise).is_safe(self.max_fpr, self.pages)
    }

    /// The same of evidence that did not choose, where one error proves nothing.
    pub(super) fn is_borne_out(&self, tally: &Tally) -> bool {
        tally.excused(self.noise).is_borne_out(self.max_fpr, self.pages)
    }

    /// Whether a candidate has the evidence that its level asks for.
    fn believes(&self, outcome: &Outcome, max_wrong_share: f64) -> bool {
        let seen = outcome.seen.excused(self.noise);
        outcome.saved >= MIN_SAVED_URLS
            && (self.moves_many || outcome.saved * MAX_MOVED_PER_SAVED >= outcome.moved)
            && seen.trials >= self.level.min_trials
            && seen.wrong as f64 <= max_wrong_share * seen.trials as f64
            && seen.wrong_pairs as f64 <= max_wrong_share * seen.pairs as f64
    }

    /// Trial of `candidate` behind the rules accepted so far; `None` when they would run in a circle.
    fn try_out(&mut self, candidate: usize) -> Option<Trial> {
        let mut trial = Trial { moves: self.moves(candidate)?, ..Trial::default() };
        trial.outcome.moved = trial.moves.len() as u64;
        // Stable: keys that become one stay in their order.
        let mut by_end = trial.moves.clone();
        by_end.sort_by_key(|(_, to)| *to);
        let unseen = self.proposals[candidate].unseen;
        let evidence = Evidence { usable: self.usable, unseen, urls: self.site.len() as u32 };
        let mut parts = Vec::new();
        for merged in by_end.chunk_by(|a, b| a.1 == b.1) {
            let to = merged[0].1;
            parts.clear();
            parts.extend(merged.iter().map(|(from, _)| *from));
            if !self.groups.is_empty(to) {
                parts.push(to);
            }
            self.judge.judge(&self.groups, &parts, evidence, &mut trial);
        }
        Some(trial)
    }

    /// The keys that `candidate` changes, each with its fixed point; `None` for a circle.
    fn moves(&mut self, candidate: usize) -> Option<Vec<(u32, u32)>> {
        self.trials += 1;
        self.is_last = self.is_last(candidate);
        let mut moves = Vec::new();
        for n in 0.. {
            let Some(step) = self.changes.step(candidate, n) else { break };
            if !self.groups.is_empty(step.key) {
                moves.push((step.key, self.settle(step, candidate as u32)?));
            }
        }
        Some(moves)
    }

    /// Whether it is certain that neither `candidate` nor an accepted rule changes what it prints.
    fn is_last(&self, candidate: usize) -> bool {
        let active = |c: usize| c == candidate || self.place[c].is_some();
        let actions: Vec<&Action> =
            (0..self.place.len()).filter(|&c| active(c)).map(|c| self.action(c)).collect();
        is_last(self.action(candidate), &actions)
    }

    pub(super) fn action(&self, candidate: usize) -> &'s Action {
        &self.proposals[candidate].candidate.action
    }

    /// Fixed point of a key under the accepted rules and `candidate`, tried last; `None` for a circle. The first step is the
    /// candidate's: accepted rules have nothing to change where URLs are.
    fn settle(&mut self, step: Step, candidate: u32) -> Option<u32> {
        let start = self.changes.key(step.key).len();
        if self.is_last && !self.changes.is_strange(step.key) {
            return (!too_long(self.changes.key(step.after).len(), start)).then_some(step.after);
        }
        if let Some(rest) = self.resting.get(step.after as usize).filter(|rest| rest.trial == self.trials) {
            return (!too_long(rest.longest as usize, start)).then_some(rest.key);
        }
        let (mut key, mut longest) = (step.after, 0);
        for _ in 1..MAX_STEPS {
            longest = longest.max(self.changes.key(key).len());
            if too_long(longest, start) {
                return None;
            }
            let place = |c: u32| if c == candidate { Some(CANDIDATE_PLACE) } else { self.place[c as usize] };
            let Some(after) = self.changes.first_of(key, place) else {
                self.note_rest(step.after, RestingKey { trial: self.trials, key, longest: longest as u32 });
                return Some(key);
            };
            key = after;
        }
        None
    }

    fn note_rest(&mut self, key: u32, rest: RestingKey) {
        if self.resting.len() <= key as usize {
            self.resting.resize(self.changes.len(), RestingKey::default());
        }
        self.resting[key as usize] = rest;
    }

    fn accept(&mut self, candidate: usize, trial: &Trial, place: u32) {
        self.place[candidate] = Some(place);
        for &(from, to) in &trial.moves {
            self.changes.look_at(to);
            self.groups.merge(from, to);
        }
    }

    fn rank(&self, candidate: usize, outcome: &Outcome) -> Rank {
        let is_substitution = matches!(self.action(candidate), Action::Substitute(_));
        let trust = if is_substitution { SUBSTITUTION_TRUST } else { 1.0 };
        let surely =
            trust * (1.0 - upper_bound(outcome.seen.wrong, outcome.seen.trials)) * outcome.saved as f64;
        // Rounded, to be the same on every machine. Floats that are not negative are ordered as their bits are.
        (Reverse(self.grows[candidate]), (surely * 1e6).round().to_bits(), Reverse(candidate))
    }

    pub(super) fn rule(&self, accepted: &Accepted) -> Rule {
        let Proposal { candidate, learners, .. } = &self.proposals[accepted.candidate];
        Rule {
            learner: learners.first().map(|&learner| learner.to_owned()),
            evidence: Some(self.evidence(&accepted.trial, candidate.support)),
            ..Rule::new(candidate.action.clone())
        }
    }

    /// Evidence of a trial for a rule with this support.
    fn evidence(&self, trial: &Trial, support: u64) -> rules::Evidence {
        let Outcome { saved, seen, .. } = &trial.outcome;
        let text = |key: u32| String::from_utf8_lossy(self.changes.key(key)).into_owned();
        rules::Evidence {
            support,
            saved: *saved,
            trials: seen.trials,
            false_positives: seen.wrong,
            bound: bound(seen.wrong, seen.trials),
            examples: trial.examples.iter().map(|&(a, b)| [text(a), text(b)]).collect(),
        }
    }
}

/// Weight of what a substitution saves: it matches in any place of a URL, and is harder to believe of URLs that were not seen.
const SUBSTITUTION_TRUST: f64 = 0.8;
