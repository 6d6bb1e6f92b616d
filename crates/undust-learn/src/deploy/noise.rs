//! How many labels are wrong. A right rule makes URLs of one page equal, some of which carry the label of another: it must not
//! be blamed for these.

use super::Proof;
use crate::changes::{Changes, Merged, engine};
use crate::evaluate::share;
use crate::learn::Candidate;
use crate::site::Sample;
use undust::apply::Scratch;
use xxhash_rust::xxh3::xxh3_64;

/// The share of labels that are of another page than the URL is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Noise(f64);

/// URLs made equal tell of noise if there are so many of them ...
const MIN_URLS: u64 = 5;
/// ... and fewer than so many in all of them tell nothing.
const MIN_TOLD: u64 = 100;
/// More noise than this is not believed: it would excuse any rule.
const MOST: f64 = 0.1;
/// A rule with more wrong pairs than this, noise and all, is wrong itself.
const WORST_FPR: f64 = 0.25;

impl Noise {
    /// The share of wrong labels.
    pub fn share(self) -> f64 {
        self.0
    }

    /// The false-positive rate that noise leaves. Of a rule that is wrong on a share `f` of its pairs, and of the right
    /// ones where both labels are right, the wrong ones seen are `f + (1 - f) * q`, `q = 1 - (1 - noise)^2`: solved for `f`.
    pub fn fpr(self, pairs: u64, wrong_pairs: u64) -> f64 {
        let seen = share(wrong_pairs, pairs, 1.0);
        let both_right = (1.0 - self.0) * (1.0 - self.0);
        (1.0 - (1.0 - seen) / both_right).max(0.0)
    }

    /// Estimate it from what candidates make equal. Where more than three quarters of some URLs are of one page, a page that
    /// only one of them is of is taken for a wrong label, if no candidate brings that URL together with its page.
    pub(super) fn of(
        sample: &Sample,
        candidates: &[Candidate],
        proofs: &[Proof],
        changes: &Changes,
    ) -> Noise {
        let told = Told::new(proofs, changes);
        if !told.has_strays {
            return Noise(0.0);
        }
        let engine = engine(candidates.iter().map(|candidate| &candidate.action));
        let (mut scratch, mut url) = (Scratch::new(), Vec::new());
        let (mut urls, mut strays) = (0, 0);
        for &row in &sample.rows {
            url.clear();
            sample.site.write_url(row, &mut url);
            let (mut is_in_many, mut is_at_home) = (false, false);
            engine.each_change(&url, &mut scratch, |rule, after| {
                if let Some(told) = told.find(rule, xxh3_64(after)) {
                    is_in_many |= told.is_many;
                    is_at_home |= told.page == sample.site.cluster(row);
                }
            });
            urls += u64::from(is_in_many);
            strays += u64::from(is_in_many && !is_at_home);
        }
        Noise(if urls < MIN_TOLD { 0.0 } else { share(strays, urls, 0.0).min(MOST) })
    }
}

/// What sets of URLs made equal tell of their labels.
struct Told {
    /// Ordered by rule, then by what the URLs become.
    sets: Vec<ToldBy>,
    has_strays: bool,
}

struct ToldBy {
    rule: u32,
    to: u64,
    /// The page that nearly all are of.
    page: u32,
    is_many: bool,
}

impl Told {
    fn new(proofs: &[Proof], changes: &Changes) -> Told {
        let mut told = Told { sets: Vec::new(), has_strays: false };
        for (rule, merged) in changes.by_rule().filter(|(rule, _)| proofs[*rule as usize].fpr() <= WORST_FPR)
        {
            for merged in merged {
                if let Some(page) = page_of_most(&merged) {
                    let is_many = merged.urls() >= MIN_URLS && others_are_alone(&merged, page);
                    told.has_strays |= is_many && merged.pairs() > merged.right_pairs();
                    told.sets.push(ToldBy { rule, to: merged.changes[0].to, page, is_many });
                }
            }
        }
        told
    }

    fn find(&self, rule: u32, to: u64) -> Option<&ToldBy> {
        let found = self.sets.binary_search_by_key(&(rule, to), |set| (set.rule, set.to));
        found.ok().map(|at| &self.sets[at])
    }
}

/// The page that more than three quarters are of.
fn page_of_most(merged: &Merged) -> Option<u32> {
    if merged.urls() < 2 || 4 * merged.of_one_page() <= 3 * merged.urls() {
        return None;
    }
    // The middle one of them, ordered by page, is of it.
    Some(merged.changes[merged.changes.len() / 2].cluster)
}

/// Two URLs of another page are no accident.
fn others_are_alone(merged: &Merged, page: u32) -> bool {
    let mut others = merged.changes.chunk_by(|a, b| a.cluster == b.cluster);
    others.all(|of_page| of_page.len() == 1 || of_page[0].cluster == page)
}
