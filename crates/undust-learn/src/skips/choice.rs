//! The choice among proposed skips: trials, the greedy choice, the cross-check.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use undust::rules::{Evidence, Rule};

use super::propose::SkipProposal;
use super::thresholds::{LIMIT_SHARES, MAX_EXAMPLES, MAX_ROUNDS, MIN_SKIPPED_URLS, MIN_SKIPS_PER_FAILURE};
use super::{Keys, NAME};
use crate::again::bound;
use crate::bound::upper_bound;
use crate::evaluate::share;
use crate::site::{ALL_FOLDS, FOLDS};

/// Held-out pages that a skip is tried on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct PageTally {
    /// Pages of which a URL is skipped.
    pub(super) trials: u64,
    /// Of these, pages of which every URL is skipped.
    pub(super) lost: u64,
}

impl PageTally {
    fn sum(tallies: impl Iterator<Item = PageTally>) -> PageTally {
        tallies.fold(PageTally::default(), |a, b| PageTally {
            trials: a.trials + b.trials,
            lost: a.lost + b.lost,
        })
    }

    fn bound(self) -> f64 {
        upper_bound(self.lost, self.trials)
    }

    /// Whether evidence that did not choose speaks for what was chosen. One page proves nothing.
    fn is_borne_out(self, max_fpr: f64) -> bool {
        self.lost <= 1 || self.bound() <= max_fpr
    }
}

/// What a skip would do, given those accepted.
#[derive(Clone, Debug)]
pub(super) struct SkipTrial {
    /// Keys that it skips and that were not skipped yet, in order.
    members: Vec<usize>,
    /// By the folds that the choice may use.
    pub(super) seen: PageTally,
    /// By the folds that it may not use.
    unused: PageTally,
}

/// The canonical forms that are not skipped, and the pages that they lead to.
#[derive(Clone)]
pub(super) struct Reached {
    is_skipped: Vec<bool>,
    /// By page: how many of its keys are not skipped.
    keys_left: Vec<u32>,
}

impl Reached {
    /// With nothing skipped.
    pub(super) fn by(keys: &Keys) -> Reached {
        let keys_left = keys.of_page.iter().map(|keys| keys.len() as u32).collect();
        Reached { is_skipped: vec![false; keys.all.len()], keys_left }
    }

    /// What skipping `members` would do to the pages of the folds in `unseen`: those in `usable`, and the others.
    pub(super) fn try_out(&self, keys: &Keys, members: &[usize], unseen: u32, usable: u32) -> SkipTrial {
        let members: Vec<usize> = members.iter().copied().filter(|at| !self.is_skipped[*at]).collect();
        let mut skipped: BTreeMap<u32, u32> = BTreeMap::new();
        for page in members.iter().flat_map(|at| &keys.all[*at].pages) {
            *skipped.entry(*page).or_default() += 1;
        }
        let tally = |folds: u32| {
            let pages = skipped.iter().filter(|(page, _)| keys.is_in(**page, folds));
            let one = |(page, times): (&u32, &u32)| PageTally {
                trials: 1,
                lost: u64::from(self.keys_left[*page as usize] <= *times),
            };
            PageTally::sum(pages.map(one))
        };
        let (seen, unused) = (tally(unseen & usable), tally(unseen & !usable));
        SkipTrial { members, seen, unused }
    }

    /// Skip these keys.
    pub(super) fn skip(&mut self, keys: &Keys, members: &[usize]) {
        for &at in members {
            if !std::mem::replace(&mut self.is_skipped[at], true) {
                for page in &keys.all[at].pages {
                    self.keys_left[*page as usize] -= 1;
                }
            }
        }
    }

    /// The evidence of a trial, before its members are skipped.
    pub(super) fn evidence(&self, keys: &Keys, trial: &SkipTrial) -> Evidence {
        let SkipTrial { members, seen: PageTally { trials, lost }, .. } = trial;
        Evidence {
            support: members.len() as u64,
            saved: members.len() as u64,
            trials: *trials,
            false_positives: *lost,
            bound: bound(*lost, *trials),
            examples: self.examples(keys, members),
        }
    }

    /// Pairs of a skipped key and another one of its first page.
    fn examples(&self, keys: &Keys, members: &[usize]) -> Vec<[String; 2]> {
        let is_left = |at: &&usize| !self.is_skipped[**at] && members.binary_search(at).is_err();
        let text = |at: usize| String::from_utf8_lossy(&keys.all[at].url).into_owned();
        let pair = |at: &usize| {
            let page = *keys.all[*at].pages.first()?;
            let other = keys.of_page[page as usize].iter().find(is_left)?;
            Some([text(*at), text(*other)])
        };
        members.iter().filter_map(pair).take(MAX_EXAMPLES).collect()
    }
}

struct AcceptedSkip {
    proposal: usize,
    trial: SkipTrial,
}

/// The state of the choice.
pub(super) struct Choice<'k> {
    keys: &'k Keys,
    /// Before any proposal is accepted.
    reached: &'k Reached,
    proposals: &'k [SkipProposal],
    max_fpr: f64,
    /// The greatest bound of an accepted skip, if all folds may be used.
    limit: f64,
    /// Proposals that failed the cross-check.
    banned: Vec<bool>,
}

impl<'k> Choice<'k> {
    pub(super) fn new(
        keys: &'k Keys,
        reached: &'k Reached,
        proposals: &'k [SkipProposal],
        max_fpr: f64,
    ) -> Choice<'k> {
        Choice { keys, reached, proposals, max_fpr, limit: max_fpr, banned: vec![false; proposals.len()] }
    }

    /// Choose, and ask more of all skips until what is chosen is borne out by pages that did not choose it.
    pub(super) fn choose_borne_out(mut self) -> Vec<Rule> {
        for share in LIMIT_SHARES {
            self.limit = share * self.max_fpr;
            self.banned.fill(false);
            for _ in 0..MAX_ROUNDS {
                let unused = self.cross_check();
                let failed = failed(&unused, self.max_fpr);
                if failed.is_empty() {
                    return self.rules();
                }
                if failed.len() * MIN_SKIPS_PER_FAILURE > unused.len() {
                    break;
                }
                for proposal in failed {
                    self.banned[proposal] = true;
                }
            }
        }
        Vec::new()
    }

    /// Results of skips chosen without a fold on the pages of that fold, each fold in turn.
    fn cross_check(&self) -> BTreeMap<usize, PageTally> {
        let mut unused: BTreeMap<usize, PageTally> = BTreeMap::new();
        for fold in 0..FOLDS {
            for AcceptedSkip { proposal, trial } in self.choose(ALL_FOLDS & !(1 << fold)) {
                let known = unused.entry(proposal).or_default();
                *known = PageTally::sum([*known, trial.unused].into_iter());
            }
        }
        unused
    }

    /// Choose by the evidence of the folds in `usable`.
    fn choose(&self, usable: u32) -> Vec<AcceptedSkip> {
        let mut reached = self.reached.clone();
        let trial = |reached: &Reached, at: usize| {
            let SkipProposal { members, unseen, .. } = &self.proposals[at];
            reached.try_out(self.keys, members, *unseen, usable)
        };
        // A choice from three quarters of the pages may reach four thirds of the limit. Skips with hardly more evidence than they need would
        // never be chosen from less, and never be asked.
        let limit = self.limit * f64::from(FOLDS) / f64::from(usable.count_ones());
        // Shapes that are most surely redundant go first: of two that lead to the same pages, only one can be left out.
        let open = (0..self.proposals.len()).filter(|at| !self.banned[*at]);
        let mut order: Vec<(u64, Reverse<usize>, usize)> = open
            .map(|at| (trial(&reached, at), at))
            .map(|(trial, at)| (trial.seen.lost, Reverse(trial.members.len()), at))
            .collect();
        order.sort_unstable();
        let mut accepted = Vec::new();
        for (.., proposal) in order {
            let trial = trial(&reached, proposal);
            if trial.seen.trials < MIN_SKIPPED_URLS as u64 || trial.seen.bound() > limit {
                continue;
            }
            reached.skip(self.keys, &trial.members);
            accepted.push(AcceptedSkip { proposal, trial });
        }
        accepted
    }

    /// The rules chosen by all evidence.
    fn rules(&self) -> Vec<Rule> {
        let mut reached = self.reached.clone();
        let rule = |AcceptedSkip { proposal, trial }: AcceptedSkip| {
            let evidence = Some(reached.evidence(self.keys, &trial));
            reached.skip(self.keys, &trial.members);
            let action = self.proposals[proposal].action.clone();
            Rule { learner: Some(NAME.to_owned()), evidence, ..Rule::new(action) }
        };
        self.choose(ALL_FOLDS).into_iter().map(rule).collect()
    }
}

/// The proposals to give up, worst first, so that evidence that did not choose speaks for the others together.
fn failed(unused: &BTreeMap<usize, PageTally>, max_fpr: f64) -> Vec<usize> {
    let mut order: Vec<(usize, PageTally)> = unused.iter().map(|(at, tally)| (*at, *tally)).collect();
    let lost = |tally: &PageTally| share(tally.lost, tally.trials, 0.0);
    order.sort_by(|(_, a), (_, b)| lost(b).total_cmp(&lost(a)).then(a.trials.cmp(&b.trials)));
    let is_enough =
        |n: &usize| PageTally::sum(order[*n..].iter().map(|(_, tally)| *tally)).is_borne_out(max_fpr);
    let given_up = (0..order.len()).find(is_enough).unwrap_or(order.len());
    order[..given_up].iter().map(|(proposal, _)| *proposal).collect()
}
