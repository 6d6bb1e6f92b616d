//! A first look at each proposal by itself, which most do not survive: choosing among the others is much less work.

use std::cmp::Reverse;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use undust::apply::is_fit;
use undust::rules::{Action, Rule, RuleSet};
use undust::url::{SiteBy, SplitUrl};
use xxhash_rust::xxh3::Xxh3;

use super::changes::{Changes, Step};
use super::{MIN_SAVED_URLS, Proposal};
use crate::changes::{Change, Merged};
use crate::site::Site;

/// The proposals that something is to be said for, in their order. Of those that make the same URLs equal, the best one stands for all.
pub(super) fn plausible(
    site: &Site,
    proposals: &[Proposal],
    max_wrong_share: f64,
    site_by: SiteBy,
) -> Vec<Proposal> {
    let is_refused = |proposal: &Proposal| {
        let rules = vec![Rule::new(proposal.candidate.action.clone())];
        !is_fit(&RuleSet::of_site(&site.name, site_by, rules))
    };
    let rows = site.sample(0).part(MAX_SAMPLE_URLS).rows;
    let changes = Changes::new(site, &rows, proposals);
    let mut kept: Vec<Proposal> = Vec::new();
    let mut by_effect: BTreeMap<u64, (usize, Rank)> = BTreeMap::new();
    for (candidate, proposal) in proposals.iter().enumerate() {
        let steps = changes.steps(candidate);
        // No other rule could speak of what is no URL any more.
        if !steps.iter().all(|step| SplitUrl::new(changes.key(step.after)).is_some()) {
            continue;
        }
        let Some(effect) = effect(site, &rows, steps, max_wrong_share) else { continue };
        let rank = rank(proposal, steps.len());
        match by_effect.entry(effect) {
            Entry::Vacant(_) if is_refused(proposal) => {}
            Entry::Vacant(new) => {
                new.insert((kept.len(), rank));
                kept.push(proposal.clone());
            }
            Entry::Occupied(mut known) => {
                let (at, best) = known.get_mut();
                let is_better = rank < *best && !is_refused(proposal);
                join(&mut kept[*at], proposal, is_better);
                if is_better {
                    *best = rank;
                }
            }
        }
    }
    kept
}

/// Number of URLs of the sample for the first look.
pub(super) const MAX_SAMPLE_URLS: usize = 25_000;

/// Number of false positives that, as a larger share than was allowed, are beyond what any choice of evidence or of other
/// rules could mend.
const MIN_HOPELESS_ERRORS: u64 = 10;

/// Number of URLs that a rule must match if by itself it makes none equal.
const MIN_IDLE_URLS: usize = 10;

/// A number for all sets of URLs that these steps make equal; none where that is not worth a rule. Steps that make next to nothing equal, but are never wrong,
/// are told apart by what they do: they may have more to do once other rules are there.
fn effect(site: &Site, rows: &[u32], steps: &[Step], max_wrong_share: f64) -> Option<u64> {
    let page = |key: u32| site.cluster(rows[key as usize]);
    let mut order: Vec<&Step> = steps.iter().collect();
    order.sort_unstable_by_key(|step| (step.after, page(step.key), step.key));
    let change = |step: &&Step| Change { rule: 0, to: u64::from(step.after), cluster: page(step.key) };
    let changes: Vec<Change> = order.iter().map(change).collect();
    let (mut spared, mut wrong, mut sets) = (0, 0, Vec::new());
    let mut at = 0;
    for changes in changes.chunk_by(|a, b| a.to == b.to) {
        let to = changes[0].to as usize;
        let there = (to < rows.len()).then(|| page(to as u32));
        let merged = Merged { changes, there };
        if merged.urls() > 1 {
            spared += merged.urls() - 1;
            wrong += merged.urls() - merged.of_one_page();
            let keys = order[at..at + changes.len()].iter().map(|step| step.key);
            let mut set: Vec<u32> = keys.chain(there.map(|_| to as u32)).collect();
            set.sort_unstable();
            sets.push(set);
        }
        at += changes.len();
    }
    let mut hasher = Xxh3::new();
    if spared < MIN_SAVED_URLS {
        if wrong > 0 || steps.len() < MIN_IDLE_URLS {
            return None;
        }
        for step in steps {
            hasher.update(&step.key.to_le_bytes());
            hasher.update(&step.after.to_le_bytes());
        }
        return Some(hasher.digest());
    }
    if wrong >= MIN_HOPELESS_ERRORS && wrong as f64 > max_wrong_share * spared as f64 {
        return None;
    }
    sets.sort_unstable();
    for set in sets {
        for row in &set {
            hasher.update(&row.to_le_bytes());
        }
        hasher.update(&u32::MAX.to_le_bytes());
    }
    Some(hasher.digest())
}

/// Of proposals that make the same URLs equal, the least is the best: it makes URLs shorter, is no
/// substitution, prints no star, was proposed from fewer URLs, speaks of more, is shorter.
type Rank = (bool, bool, bool, Reverse<u32>, Reverse<usize>, usize);

fn rank(proposal: &Proposal, changed: usize) -> Rank {
    let action = &proposal.candidate.action;
    let (from, to) = action.sides();
    let is_substitution = matches!(action, Action::Substitute(_));
    let unseen = Reverse(proposal.unseen.count_ones());
    (action.grows(), is_substitution, to.contains('*'), unseen, Reverse(changed), from.len() + to.len())
}

/// Let one proposal stand for another that makes the same URLs equal, or take its place.
fn join(known: &mut Proposal, other: &Proposal, is_better: bool) {
    let before = if is_better { std::mem::replace(known, other.clone()) } else { other.clone() };
    known.unseen |= before.unseen;
    known.learners.extend(before.learners);
    let mut seen = BTreeSet::new();
    known.learners.retain(|learner| seen.insert(*learner));
}
