//! How many labels are wrong. A right rule makes URLs of one page equal, some of which carry the label of another: it must not
//! be blamed for these.

use undust::apply::Scratch;
use xxhash_rust::xxh3::xxh3_64;

use super::Proof;
use crate::bound::upper_bound;
use crate::changes::{Changes, Merged, engine};
use crate::evaluate::share;
use crate::learn::Candidate;
use crate::site::Sample;

/// The share of labels that are of another page than the URL is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Noise(f64);

/// Number of URLs needed to estimate noise.
const MIN_URLS: u64 = 100;
/// Share of wrong labels below which there is no noise: the pairs that it spoils are few, and rules must not be excused for nothing.
const MIN_NOISE_SHARE: f64 = 0.02;
/// Greatest share of wrong labels that is believed: more would excuse any rule.
const MAX_NOISE_SHARE: f64 = 0.1;
/// Share of wrong pairs, noise included, above which a rule is wrong itself and tells nothing of noise.
const MAX_RULE_FPR: f64 = 0.25;

impl Noise {
    /// The share of wrong labels.
    pub fn share(self) -> f64 {
        self.0
    }

    /// The share of pairs of which a label is wrong.
    pub fn spoiled_pairs(self) -> f64 {
        1.0 - (1.0 - self.0) * (1.0 - self.0)
    }

    /// The false-positive rate that noise leaves. Of a rule that is wrong on a share `f` of its pairs, and of the right
    /// ones where both labels are right, the wrong ones seen are `f + (1 - f) * q`, where `q` pairs are spoiled: solved for `f`.
    pub fn fpr(self, pairs: u64, wrong_pairs: u64) -> f64 {
        let seen = share(wrong_pairs, pairs, 1.0);
        (1.0 - (1.0 - seen) / (1.0 - self.spoiled_pairs())).max(0.0)
    }

    /// Estimate it from what candidates make equal. Where nearly all of some URLs are of one page, a page that only one of
    /// them is of is taken for a wrong label, if it has other URLs, and no candidate brings them together. A rule that is wrong now and
    /// then looks nearly the same, but mostly meets pages that have no other URL; and noise spares no rule, so that there is no more of it than the best rule has.
    pub fn of(sample: &Sample, candidates: &[Candidate], proofs: &[Proof], changes: &Changes) -> Noise {
        let told = Told::new(proofs, changes);
        if !told.has_strays || told.of_best_rule < MIN_NOISE_SHARE {
            return Noise(0.0);
        }
        let noise = told.share_of_strays(sample, candidates).min(told.of_best_rule);
        Noise(if noise < MIN_NOISE_SHARE { 0.0 } else { noise.min(MAX_NOISE_SHARE) })
    }
}

/// What sets of URLs made equal tell of their labels.
struct Told {
    /// Ordered by rule, then by what the URLs become.
    sets: Vec<ToldBy>,
    has_strays: bool,
    /// Of the rule that has the fewest, the share of URLs that are of another page than most they are made equal to; not what was
    /// seen, since of many rules the best was lucky, but a bound.
    of_best_rule: f64,
}

struct ToldBy {
    rule: u32,
    to: u64,
    /// The page that nearly all are of.
    page: u32,
    is_enough: bool,
}

impl Told {
    fn new(proofs: &[Proof], changes: &Changes) -> Told {
        let mut told = Told { sets: Vec::new(), has_strays: false, of_best_rule: 1.0 };
        for (rule, merged) in
            changes.by_rule().filter(|(rule, _)| proofs[*rule as usize].fpr() <= MAX_RULE_FPR)
        {
            let (mut urls, mut of_others) = (0, 0);
            for merged in merged.filter(|merged| merged.urls() > 1) {
                urls += merged.urls();
                of_others += merged.urls() - merged.of_one_page();
                told.sets.extend(ToldBy::new(rule, &merged));
            }
            told.has_strays |= of_others > 0;
            told.of_best_rule = told.of_best_rule.min(upper_bound(of_others, urls));
        }
        told
    }

    fn share_of_strays(&self, sample: &Sample, candidates: &[Candidate]) -> f64 {
        let engine = engine(candidates.iter().map(|candidate| &candidate.action));
        let (mut scratch, mut url) = (Scratch::new(), Vec::new());
        let (mut urls, mut strays) = (0, 0);
        let mut urls_of = vec![0_u32; sample.site.clusters()];
        for &row in &sample.rows {
            urls_of[sample.site.cluster(row) as usize] += 1;
        }
        for &row in &sample.rows {
            url.clear();
            sample.site.write_url(row, &mut url);
            let (mut is_among_enough, mut is_at_home) = (false, false);
            engine.each_change(&url, &mut scratch, |rule, after| {
                if let Some(told) = self.find(rule, xxh3_64(after)) {
                    is_among_enough |= told.is_enough;
                    is_at_home |= told.page == sample.site.cluster(row);
                }
            });
            let has_others = urls_of[sample.site.cluster(row) as usize] > 1;
            urls += u64::from(is_among_enough);
            strays += u64::from(is_among_enough && !is_at_home && has_others);
        }
        if urls < MIN_URLS { 0.0 } else { share(strays, urls, 0.0) }
    }

    fn find(&self, rule: u32, to: u64) -> Option<&ToldBy> {
        let found = self.sets.binary_search_by_key(&(rule, to), |set| (set.rule, set.to));
        found.ok().map(|at| &self.sets[at])
    }
}

impl ToldBy {
    /// All but one, or more than three quarters, must be of one page. With two URLs nobody knows which label is wrong.
    fn new(rule: u32, merged: &Merged) -> Option<ToldBy> {
        let (urls, most) = (merged.urls(), merged.of_one_page());
        if most < 2 || (most + 1 < urls && 4 * most <= 3 * urls) {
            return None;
        }
        // More than half of the changed ones, ordered by page, are of it: so is the middle one.
        let page = merged.changes[merged.changes.len() / 2].cluster;
        let is_enough = urls > 2 && others_are_alone(merged, page);
        Some(ToldBy { rule, to: merged.changes[0].to, page, is_enough })
    }
}

/// Two URLs of another page are no accident.
fn others_are_alone(merged: &Merged, page: u32) -> bool {
    let mut pages = merged.changes.chunk_by(|a, b| a.cluster == b.cluster);
    pages.all(|of_page| of_page.len() == 1 || of_page[0].cluster == page)
}
