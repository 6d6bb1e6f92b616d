//! The greedy choice: a partition of the site's URLs by canonical key, and what each candidate would do to it.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use undust::apply::{Canonicalizer, Scratch, too_long};
use undust::rules::{Evidence, Rule};

use super::Proposal;
use crate::bound::upper_bound;
use crate::changes;
use crate::intern::Interner;
use crate::site::{FOLDS, Site};

/// Every fold, as a set of bits.
pub(super) const ALL_FOLDS: u32 = (1 << FOLDS) - 1;

/// The engine that tells what each candidate makes of a URL.
pub(super) fn engine(proposals: &[Proposal]) -> Canonicalizer {
    changes::engine(proposals.iter().map(|p| &p.candidate.action))
}

/// How many URLs of a cluster a key holds.
#[derive(Clone, Copy, Debug)]
struct Count {
    cluster: u32,
    by_fold: [u32; FOLDS as usize],
}

impl Count {
    fn total(&self) -> u64 {
        self.by_fold.iter().map(|&n| u64::from(n)).sum()
    }

    fn within(&self, folds: u32) -> u64 {
        (0..FOLDS)
            .filter(|fold| folds & (1 << fold) != 0)
            .map(|fold| u64::from(self.by_fold[fold as usize]))
            .sum()
    }
}

/// The URLs behind one canonical key, by cluster. Empty when no URL has this key now.
type Group = Vec<Count>;

/// What a candidate would do now.
#[derive(Clone, Debug, Default)]
pub(super) struct Trial {
    moves: Vec<(u32, u32)>,
    /// Keys that disappear.
    saved: u64,
    /// By the evidence that the choice may use.
    pub(super) seen: Tally,
    /// By the evidence that it may not.
    pub(super) unused: Tally,
    examples: Vec<(u32, u32)>,
}

/// What happens to the URLs of some folds.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tally {
    /// URLs that need not be crawled.
    pub(super) spared: u64,
    /// Of these, URLs that the learner did not see.
    pub(super) trials: u64,
    /// Of these, URLs whose page is not the page kept.
    pub(super) wrong: u64,
    /// Pairs made equal of which the learner did not see at least one URL.
    pub(super) pairs: u64,
    /// Of these, pairs with two contents.
    pub(super) wrong_pairs: u64,
}

impl Tally {
    pub(super) fn sum(tallies: impl Iterator<Item = Tally>) -> Tally {
        tallies.fold(Tally::default(), |sum, t| Tally {
            spared: sum.spared + t.spared,
            trials: sum.trials + t.trials,
            wrong: sum.wrong + t.wrong,
            pairs: sum.pairs + t.pairs,
            wrong_pairs: sum.wrong_pairs + t.wrong_pairs,
        })
    }

    /// How many pages may be lost: what happened to held-out URLs happens to all.
    pub(super) fn lost(&self) -> f64 {
        upper_bound(self.wrong, self.trials) * self.spared as f64
    }

    /// Whether both bounds hold on a site of so many pages.
    pub(super) fn is_safe(&self, max_fpr: f64, pages: f64) -> bool {
        self.lost() <= max_fpr * pages
            && (self.spared == 0 || upper_bound(self.wrong_pairs, self.pairs) <= max_fpr)
    }
}

pub(super) struct Accepted {
    pub(super) candidate: usize,
    pub(super) trial: Trial,
}

/// Orders candidates: those that make URLs shorter first (nobody wants a session id in a canonical form), then
/// those that surely save most, then as they were proposed.
type Rank = (Reverse<bool>, u64, Reverse<usize>);

/// The state of the choice.
pub(super) struct Choice<'s> {
    proposals: &'s [Proposal],
    max_fpr: f64,
    /// A rule with fewer trials is not believed.
    pub(super) min_trials: u64,
    /// The folds whose evidence may be used, a set of bits.
    pub(super) usable: u32,
    /// What the bound of a single rule must not exceed.
    pub(super) strictness: f64,
    engine: Canonicalizer,
    scratch: Scratch,
    keys: Interner,
    /// What each candidate makes of each key; computed when a key is first met.
    changes: Vec<Option<Vec<(u32, u32)>>>,
    /// The partition now, and before any rule.
    groups: Vec<Group>,
    start: Vec<Group>,
    /// The keys that each candidate changes, of those met so far.
    touched: Vec<Vec<u32>>,
    /// Candidates accepted so far, by their place in the order of rules.
    place: Vec<Option<u32>>,
    /// Candidates that had to be given up.
    pub(super) banned: Vec<bool>,
    /// Whether each candidate makes URLs longer.
    grows: Vec<bool>,
    real_keys: u32,
}

/// More steps than this, and accepted rules are taken to run in a circle with the candidate.
const MOST_STEPS: usize = 64;

impl<'s> Choice<'s> {
    pub(super) fn new(site: &Site, proposals: &'s [Proposal], max_fpr: f64) -> Choice<'s> {
        let mut choice = Choice {
            proposals,
            max_fpr,
            min_trials: 0,
            usable: ALL_FOLDS,
            strictness: 1.0,
            engine: engine(proposals),
            scratch: Scratch::new(),
            keys: Interner::new(),
            changes: Vec::new(),
            groups: Vec::new(),
            start: Vec::new(),
            touched: vec![Vec::new(); proposals.len()],
            place: vec![None; proposals.len()],
            banned: vec![false; proposals.len()],
            grows: proposals.iter().map(|p| p.candidate.action.grows()).collect(),
            real_keys: 0,
        };
        let mut url = Vec::new();
        for row in 0..site.len() as u32 {
            url.clear();
            site.write_url(row, &mut url);
            let key = choice.key(&url);
            let mut by_fold = [0; FOLDS as usize];
            by_fold[site.fold(row) as usize] = 1;
            choice.groups[key as usize].push(Count { cluster: site.cluster(row), by_fold });
        }
        choice.real_keys = choice.keys.len() as u32;
        choice.start.clone_from(&choice.groups);
        for key in 0..choice.real_keys {
            choice.find_changes(key);
        }
        choice
    }

    fn key(&mut self, bytes: &[u8]) -> u32 {
        let key = self.keys.intern(bytes);
        if key as usize == self.groups.len() {
            self.groups.push(Group::new());
            self.changes.push(None);
        }
        key
    }

    /// Note what every candidate by itself makes of `key`.
    fn find_changes(&mut self, key: u32) {
        if self.changes[key as usize].is_some() {
            return;
        }
        let mut found: Vec<(u32, Vec<u8>)> = Vec::new();
        let report = |candidate, after: &[u8]| found.push((candidate, after.to_vec()));
        self.engine.each_change(self.keys.get(key), &mut self.scratch, report);
        let mut changes = Vec::with_capacity(found.len());
        for (candidate, after) in found {
            let after = self.key(&after);
            if after != key {
                changes.push((candidate, after));
                self.touched[candidate as usize].push(key);
            }
        }
        self.changes[key as usize] = Some(changes);
    }

    /// Choose greedily, from the start.
    pub(super) fn run(&mut self) -> Vec<Accepted> {
        self.groups.fill(Group::new());
        self.groups[..self.start.len()].clone_from_slice(&self.start);
        self.place.fill(None);
        let mut heap: BinaryHeap<Rank> = BinaryHeap::new();
        for candidate in (0..self.proposals.len()).filter(|&c| !self.banned[c]).collect::<Vec<_>>() {
            if let Some(trial) = self.try_out(candidate) {
                heap.push(self.rank(candidate, &trial));
            }
        }
        let mut accepted: Vec<Accepted> = Vec::new();
        while let Some((.., Reverse(candidate))) = heap.pop() {
            let Some(trial) = self.try_out(candidate) else { continue };
            let now = self.rank(candidate, &trial);
            if heap.peek().is_some_and(|next| *next > now) {
                heap.push(now);
                continue;
            }
            self.accept(candidate, &trial, accepted.len() as u32);
            accepted.push(Accepted { candidate, trial });
        }
        accepted
    }

    /// What `candidate` would do after the rules accepted so far; `None` when it must not or need not be accepted.
    fn try_out(&mut self, candidate: usize) -> Option<Trial> {
        let mut merged: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        let mut trial = Trial::default();
        for i in 0..self.touched[candidate].len() {
            let key = self.touched[candidate][i];
            if !self.groups[key as usize].is_empty() {
                let to = self.settle(key, candidate as u32)?;
                trial.moves.push((key, to));
                merged.entry(to).or_default().push(key);
            }
        }
        for (to, mut from) in merged {
            if !self.groups[to as usize].is_empty() && !from.contains(&to) {
                from.push(to);
            }
            self.judge(&from, self.proposals[candidate].unseen, &mut trial);
        }
        let (seen, max_fpr) = (&trial.seen, self.max_fpr);
        let believed = trial.saved >= MIN_SAVED
            && seen.trials >= self.min_trials
            && seen.wrong as f64 <= max_fpr * seen.trials as f64
            && seen.wrong_pairs as f64 <= max_fpr * seen.pairs as f64
            && upper_bound(seen.wrong, seen.trials) <= self.strictness;
        believed.then_some(trial)
    }

    /// Where `key` comes to rest under the accepted rules and `candidate`, tried last; `None` for a circle.
    fn settle(&mut self, key: u32, candidate: u32) -> Option<u32> {
        let start = self.keys.get(key).len();
        let mut key = key;
        for _ in 0..MOST_STEPS {
            match self.first_change(key, candidate) {
                None => return Some(key),
                Some(after) if too_long(self.keys.get(after).len(), start) => return None,
                Some(after) => key = after,
            }
        }
        None
    }

    /// What the first of the accepted rules and `candidate` that changes `key` makes of it. On a key that is only passed
    /// through, no other candidate is run: there are many such keys, and nobody asks again.
    fn first_change(&mut self, key: u32, candidate: u32) -> Option<u32> {
        let place = |c: u32| if c == candidate { Some(u32::MAX) } else { self.place[c as usize] };
        if let Some(changes) = &self.changes[key as usize] {
            let active = changes.iter().filter_map(|&(c, after)| Some((place(c)?, after)));
            return active.min().map(|(_, after)| after);
        }
        let mut first: Option<(u32, Vec<u8>)> = None;
        let report = |c: u32, after: &[u8]| {
            if let Some(place) =
                place(c).filter(|place| first.as_ref().is_none_or(|(least, _)| place < least))
            {
                first = Some((place, after.to_vec()));
            }
        };
        let url = self.keys.get(key);
        self.engine.each_change_of(url, &mut self.scratch, |c| place(c).is_some(), report);
        first.map(|(_, after)| self.key(&after))
    }

    /// Count what merging the keys `parts` into one means.
    fn judge(&self, parts: &[u32], unseen: u32, trial: &mut Trial) {
        let mut totals: BTreeMap<u32, u64> = BTreeMap::new();
        for count in parts.iter().flat_map(|&part| &self.groups[part as usize]) {
            *totals.entry(count.cluster).or_default() += count.total();
        }
        let Some((&page, _)) = totals.iter().max_by_key(|(cluster, n)| (**n, Reverse(**cluster))) else {
            return;
        };
        let of_page =
            |part: u32| self.groups[part as usize].iter().find(|c| c.cluster == page).map_or(0, Count::total);
        let Some(&kept) = parts.iter().max_by_key(|&&part| (of_page(part), Reverse(part))) else { return };
        for &part in parts.iter().filter(|&&part| part != kept) {
            let lost = majority(&self.groups[part as usize]).filter(|lost| lost.cluster != page);
            if lost.is_none() && trial.examples.len() < MOST_EXAMPLES && part.max(kept) < self.real_keys {
                trial.examples.push((part, kept));
            }
            for (folds, tally) in [(self.usable, &mut trial.seen), (!self.usable, &mut trial.unused)] {
                let count =
                    |folds| self.groups[part as usize].iter().map(|count| count.within(folds)).sum::<u64>();
                tally.spared += count(folds);
                tally.trials += count(folds & unseen);
                tally.wrong += lost.map_or(0, |lost| lost.within(folds & unseen));
            }
        }
        trial.saved += parts.len() as u64 - 1;
        for (folds, tally) in [(self.usable, &mut trial.seen), (!self.usable, &mut trial.unused)] {
            // Pairs with a held-out URL are all pairs but those among URLs that the learner saw.
            let (all, same) = self.new_pairs(parts, |count| count.within(folds));
            let (all_seen, same_seen) = self.new_pairs(parts, |count| count.within(folds & !unseen));
            tally.pairs += all - all_seen;
            tally.wrong_pairs += (all - same) - (all_seen - same_seen);
        }
    }

    /// Pairs of URLs that become equal when `parts` are merged, and those of them with one content. `size` says how many
    /// URLs of a count to look at.
    fn new_pairs(&self, parts: &[u32], size: impl Fn(&Count) -> u64) -> (u64, u64) {
        let mut by_cluster: BTreeMap<u32, u64> = BTreeMap::new();
        let (mut equal_before, mut same_before) = (0, 0);
        for &part in parts {
            let mut urls = 0;
            for count in &self.groups[part as usize] {
                let n = size(count);
                *by_cluster.entry(count.cluster).or_default() += n;
                same_before += choose_two(n);
                urls += n;
            }
            equal_before += choose_two(urls);
        }
        let equal = choose_two(by_cluster.values().sum());
        let same: u64 = by_cluster.values().map(|&n| choose_two(n)).sum();
        (equal - equal_before, same - same_before)
    }

    fn accept(&mut self, candidate: usize, trial: &Trial, place: u32) {
        self.place[candidate] = Some(place);
        for &(from, to) in &trial.moves {
            self.find_changes(to);
            let moved = std::mem::take(&mut self.groups[from as usize]);
            let group = &mut self.groups[to as usize];
            for count in moved {
                match group.iter_mut().find(|c| c.cluster == count.cluster) {
                    Some(known) => known.by_fold.iter_mut().zip(count.by_fold).for_each(|(a, b)| *a += b),
                    None => group.push(count),
                }
            }
        }
    }

    fn rank(&self, candidate: usize, trial: &Trial) -> Rank {
        let surely = (1.0 - upper_bound(trial.seen.wrong, trial.seen.trials)) * trial.saved as f64;
        // Rounded, to be the same on every machine. Floats that are not negative are ordered as their bits are.
        (Reverse(self.grows[candidate]), (surely * 1e6).round().to_bits(), Reverse(candidate))
    }

    pub(super) fn rule(&self, accepted: &Accepted, learner: &str) -> Rule {
        let Accepted { candidate, trial } = accepted;
        let proposed = &self.proposals[*candidate].candidate;
        let text = |key: u32| String::from_utf8_lossy(self.keys.get(key)).into_owned();
        let evidence = Evidence {
            support: proposed.support,
            saved: trial.saved,
            trials: trial.seen.trials,
            false_positives: trial.seen.wrong,
            // Six digits are plenty for a reader, and the same on every machine.
            bound: (upper_bound(trial.seen.wrong, trial.seen.trials) * 1e6).ceil() / 1e6,
            examples: trial.examples.iter().map(|&(a, b)| [text(a), text(b)]).collect(),
        };
        Rule {
            learner: Some(learner.to_owned()),
            evidence: Some(evidence),
            ..Rule::new(proposed.action.clone())
        }
    }
}

/// A rule that saves less than this is not worth reading.
const MIN_SAVED: u64 = 3;

/// Example pairs kept per rule.
const MOST_EXAMPLES: usize = 3;

fn majority(group: &Group) -> Option<&Count> {
    group.iter().max_by_key(|count| (count.total(), Reverse(count.cluster)))
}

fn choose_two(n: u64) -> u64 {
    n * n.saturating_sub(1) / 2
}
