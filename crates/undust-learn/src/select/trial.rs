//! Trials: the effect of a candidate on the partition, counted.

use std::cmp::Reverse;

use super::groups::{Count, Groups};
use crate::bound::upper_bound;
use crate::proof::Noise;
use crate::site::ALL_FOLDS;

/// Number of example pairs kept per rule.
const MAX_EXAMPLES: usize = 3;

/// Effect of a candidate on the current partition.
#[derive(Clone, Debug, Default)]
pub(super) struct Trial {
    /// Keys, and the keys they become.
    pub(super) moves: Vec<(u32, u32)>,
    pub(super) outcome: Outcome,
    /// Keys made equal, of one page.
    pub(super) examples: Vec<(u32, u32)>,
}

/// Counts of a trial.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Outcome {
    /// Number of keys that change.
    pub(super) moved: u64,
    /// Number of keys that disappear.
    pub(super) saved: u64,
    /// By the evidence that the choice may use.
    pub(super) seen: Tally,
    /// By the evidence that it may not.
    pub(super) unused: Tally,
}

/// Counts over the URLs of some folds.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tally {
    /// URLs that need not be crawled.
    pub(super) spared: u64,
    /// Of these, URLs that the learner did not see.
    pub(super) trials: u64,
    /// Of these, URLs whose page is not the page kept.
    pub(super) wrong: u64,
    /// The trials and the URLs that stand for them: any of these may have a wrong label.
    pub(super) asked: u64,
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
            asked: sum.asked + t.asked,
            pairs: sum.pairs + t.pairs,
            wrong_pairs: sum.wrong_pairs + t.wrong_pairs,
        })
    }

    /// This tally without the errors that wrong labels explain, and twice the deviation that their number may have.
    pub(super) fn excused(&self, noise: Noise) -> Tally {
        let stray = noise.share() * self.asked as f64;
        if stray <= 0.0 {
            return *self;
        }
        let with_chance = 1.0 + 2.0 / stray.sqrt();
        let spoiled = noise.spoiled_pairs() * self.pairs as f64;
        #[expect(clippy::cast_sign_loss, reason = "it is not negative")]
        let less = |errors: u64, excused: f64| errors.saturating_sub((with_chance * excused) as u64);
        let (wrong, wrong_pairs) = (less(self.wrong, stray), less(self.wrong_pairs, spoiled));
        Tally { wrong, wrong_pairs, ..*self }
    }

    /// Upper bound of the pages lost: what happened to held-out URLs happens to all.
    pub(super) fn lost(&self) -> f64 {
        upper_bound(self.wrong, self.trials) * self.spared as f64
    }

    /// Whether nothing went wrong, or so little that both bounds hold.
    pub(super) fn is_borne_out(&self, max_fpr: f64, pages: f64) -> bool {
        // One URL proves nothing.
        self.wrong <= 1 || self.is_safe(max_fpr, pages)
    }

    /// Whether both bounds hold on a site of this number of pages.
    pub(super) fn is_safe(&self, max_fpr: f64, pages: f64) -> bool {
        self.lost() <= (max_fpr * pages).ceil()
            && (self.spared == 0 || upper_bound(self.wrong_pairs, self.pairs) <= max_fpr)
    }
}

/// Counts what merging keys means. One judge serves many merges, for its allocations.
#[derive(Default)]
pub(super) struct Judge {
    /// What the keys hold together, one count for each cluster.
    merged: Vec<Count>,
}

/// The folds that count as evidence.
#[derive(Clone, Copy)]
pub(super) struct Evidence {
    /// The folds that the choice may use, a set of bits.
    pub(super) usable: u32,
    /// The folds that the learner did not see.
    pub(super) unseen: u32,
    /// Keys below this are URLs of the site.
    pub(super) urls: u32,
}

impl Judge {
    /// Adds to `trial` the effect of merging the keys `parts` into one.
    pub(super) fn judge(&mut self, groups: &Groups, parts: &[u32], evidence: Evidence, trial: &mut Trial) {
        self.merge(groups, parts);
        let Some(page) = majority(self.merged.iter()).map(|count| count.cluster) else { return };
        let of_page = |part: u32| groups.of(part).find(|c| c.cluster == page).map_or(0, Count::total);
        let Some(&kept) = parts.iter().max_by_key(|&&part| (of_page(part), Reverse(part))) else { return };
        let Evidence { usable, unseen, urls } = evidence;
        let Outcome { saved, seen, unused, .. } = &mut trial.outcome;
        *saved += parts.len() as u64 - 1;
        for &part in parts.iter().filter(|&&part| part != kept) {
            let lost = majority(groups.of(part)).filter(|lost| lost.cluster != page);
            if lost.is_none() && trial.examples.len() < MAX_EXAMPLES && part.max(kept) < urls {
                trial.examples.push((part, kept));
            }
            for (folds, tally) in sides(usable, seen, unused) {
                let count = |folds| groups.of(part).map(|count| count.within(folds)).sum::<u64>();
                tally.spared += count(folds);
                tally.trials += count(folds & unseen);
                tally.wrong += lost.map_or(0, |lost| lost.within(folds & unseen));
            }
        }
        for (folds, tally) in sides(usable, seen, unused) {
            // Pairs with a held-out URL are all pairs but those among other URLs. What was not used meets all there is.
            let known = if folds == usable { usable } else { ALL_FOLDS };
            let (all, same) = self.new_pairs(groups, parts, known);
            let (all_seen, same_seen) = self.new_pairs(groups, parts, known & !(folds & unseen));
            tally.pairs += all - all_seen;
            tally.asked += self.merged.iter().map(|count| count.within(folds & unseen)).sum::<u64>();
            tally.wrong_pairs += (all - same) - (all_seen - same_seen);
        }
    }

    fn merge(&mut self, groups: &Groups, parts: &[u32]) {
        let merged = &mut self.merged;
        merged.clear();
        for count in parts.iter().flat_map(|&part| groups.of(part)) {
            match merged.last_mut() {
                Some(last) if last.cluster == count.cluster => last.add(count),
                _ => merged.push(*count),
            }
        }
        if merged.len() > 1 {
            merged.sort_unstable_by_key(|count| count.cluster);
            merged.dedup_by(|count, first| {
                let same = count.cluster == first.cluster;
                if same {
                    first.add(count);
                }
                same
            });
        }
    }

    /// Pairs of URLs in `folds` that become equal when `parts` are merged, and those of them with one content.
    fn new_pairs(&self, groups: &Groups, parts: &[u32], folds: u32) -> (u64, u64) {
        let (mut equal, mut same) = pairs(self.merged.iter(), folds);
        for &part in parts {
            let (equal_before, same_before) = pairs(groups.of(part), folds);
            equal -= equal_before;
            same -= same_before;
        }
        (equal, same)
    }
}

/// The tallies with their folds; without folds, there is nothing to count.
fn sides<'t>(
    usable: u32,
    seen: &'t mut Tally,
    unused: &'t mut Tally,
) -> impl Iterator<Item = (u32, &'t mut Tally)> {
    [(usable, seen), (ALL_FOLDS & !usable, unused)].into_iter().filter(|(folds, _)| *folds != 0)
}

/// Pairs among the URLs in `folds`, and those of them with one content.
fn pairs<'c>(counts: impl Iterator<Item = &'c Count>, folds: u32) -> (u64, u64) {
    let (mut urls, mut same) = (0, 0);
    for count in counts {
        let n = count.within(folds);
        urls += n;
        same += choose_two(n);
    }
    (choose_two(urls), same)
}

fn majority<'c>(counts: impl Iterator<Item = &'c Count>) -> Option<&'c Count> {
    counts.max_by_key(|count| (count.total(), Reverse(count.cluster)))
}

fn choose_two(n: u64) -> u64 {
    n * n.saturating_sub(1) / 2
}
