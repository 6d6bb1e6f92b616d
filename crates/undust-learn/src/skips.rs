//! Skips: shapes of URLs that lead to nothing new. `?p=482` is the page of some slug, and nobody can tell which from the URL, but every page behind such
//! a URL is also reached by another one. Such URLs are not rewritten; a crawler may leave them out.
//!
//! Skips are judged as [`crate::select`] judges rules, on pages that had no part in proposing them:
//!
//! 1. *Folds* are of pages: all URLs of a page are in one fold, also those of a large cluster, which [`Site::fold`] deals out URL by URL. A trial asks whether a page that nobody has
//!    seen is lost, and a page of which some URLs were seen is no such page.
//! 2. *Proposals* (`propose`): four times, each time without one fold, the shapes of the canonical forms that look redundant.
//! 3. *Trials*: what is tried is the rule, with all that it skips, which may be more than the URLs of the shape that it was made of. Each held-out page of which it
//!    skips a URL is one trial. The page is *lost* if all its URLs are skipped, by this rule or by one accepted before.
//! 4. *Choice*: greedy, those that lose the fewest pages first. A skip is accepted if the share of lost pages is at most `max_fpr`, with 95 % confidence (exact binomial).
//! 5. *Cross-check*: of many shapes, some lose no page by luck. So the choice is made with each fold kept from it and that fold asked; where it loses too much, skips that failed are
//!    given up, and where many failed, more evidence is asked of all.

mod choice;
mod propose;
mod shapes;

use std::collections::{BTreeMap, BTreeSet};

use undust::apply::{Canonicalizer, Form, Scratch};
use undust::rules::{EVERY_SITE, Rule, RuleSet};
use undust::url::SiteBy;

use crate::again::{Judged, is_a_persons};
use crate::select::{Given, same::SAME_SHARE};
use crate::site::{ALL_FOLDS, FOLDS, LARGE_CLUSTER_URLS, Site};
use choice::{Choice, Reached};
use propose::propose;

/// The learner that proposes skips, in rule files.
const NAME: &str = "redundant";

/// Thresholds of proposing and choosing skips.
mod thresholds {
    /// A text that at least this many canonical forms have in one place is a word there; other texts are numbers or anything.
    pub(super) const MIN_WORD_URLS: usize = 10;
    /// Skips of fewer canonical forms, or with fewer trials, are not worth reading.
    pub(super) const MIN_SKIPPED_URLS: usize = 10;
    /// Shapes looked at, the most frequent ones.
    pub(super) const MAX_SHAPES: usize = 256;
    /// Path components and parameters of a URL; shapes with more are nobody's design.
    pub(super) const MAX_TEXTS: usize = 64;
    /// Proposals may lose this many times `max_fpr` of the pages that they are proposed from: more than may be chosen, since what is left of
    /// them once others are accepted may be better.
    pub(super) const MAX_PROPOSED_LOSS: f64 = 10.0;
    /// Example pairs kept per rule.
    pub(super) const MAX_EXAMPLES: usize = 3;
    /// Shares of `max_fpr` that the bound of a skip may reach, from lax to strict: the next one is taken where the cross-check finds that skips were chosen by luck.
    pub(super) const LIMIT_SHARES: [f64; 4] = [1.0, 0.5, 0.2, 0.1];
    /// Rounds in which skips that failed the cross-check are replaced by others, before more is asked of all.
    pub(super) const MAX_ROUNDS: usize = 8;
    /// If more than one in this many skips fail the cross-check, the others were lucky, and giving up those that failed would hide it.
    pub(super) const MIN_SKIPS_PER_FAILURE: usize = 3;
}

/// The skips of a site.
#[derive(Debug, Default)]
pub struct Skips {
    /// The rules, without those that were given.
    pub rules: Vec<Rule>,
    /// Evidence of the site for or against each standing skip.
    pub standing: Vec<Option<Judged>>,
    /// Number of proposals left out because a refused rule skips the same.
    pub left_out: u64,
}

/// The skips of a site whose URLs have the rules of `applied`, given earlier skips.
pub fn skips(site: &Site, applied: &RuleSet, given: Given<'_>, max_fpr: f64) -> Skips {
    let keys = Keys::new(site, applied);
    let mut reached = Reached::by(&keys);
    for rule in given.everywhere {
        reached.skip(&keys, &keys.skipped_by(rule));
    }
    let mut judge = |rule: &Rule| {
        let members = keys.skipped_by(rule);
        // Whoever made the rule did not see this crawl: every page is held out.
        let trial = reached.try_out(&keys, &members, ALL_FOLDS, ALL_FOLDS);
        let judged = Judged::new(reached.evidence(&keys, &trial), trial.seen.lost, max_fpr);
        if !judged.is_refuted || is_a_persons(rule) {
            reached.skip(&keys, &members);
        }
        Some(judged)
    };
    let standing = given.standing.iter().map(&mut judge).collect();
    let refused: Vec<Vec<usize>> = given.refused.iter().map(|rule| keys.skipped_by(rule)).collect();
    let mut proposals = propose(&keys, &reached, max_fpr);
    let proposed = proposals.len();
    proposals.retain(|proposal| !refused.iter().any(|theirs| skip_the_same(theirs, &proposal.members)));
    let left_out = (proposed - proposals.len()) as u64;
    let rules = Choice::new(&keys, &reached, &proposals, max_fpr).choose_borne_out();
    Skips { rules, standing, left_out }
}

/// Whether two rules skip the same, but for a tenth of what either skips.
fn skip_the_same(a: &[usize], b: &[usize]) -> bool {
    let both = a.iter().filter(|at| b.binary_search(at).is_ok()).count();
    both > 0 && both as f64 >= SAME_SHARE * (a.len() + b.len() - both) as f64
}

/// A canonical form, and the pages of its URLs.
struct KeyOfPages {
    url: Vec<u8>,
    pages: BTreeSet<u32>,
    /// The folds of these pages, a set of bits.
    folds: u32,
}

impl KeyOfPages {
    /// Whether some page of it is in another fold than this.
    fn is_outside(&self, fold: u32) -> bool {
        self.folds & !(1 << fold) != 0
    }
}

/// The canonical forms of a site.
struct Keys {
    all: Vec<KeyOfPages>,
    /// By page, its keys in order.
    of_page: Vec<Vec<usize>>,
    /// The fold of each page.
    folds: Vec<u32>,
}

impl Keys {
    fn new(site: &Site, applied: &RuleSet) -> Keys {
        let engine = Canonicalizer::of_rules(applied, Form::Key);
        let mut scratch = Scratch::new();
        let mut pages_of: BTreeMap<Vec<u8>, BTreeSet<u32>> = BTreeMap::new();
        let mut url = Vec::new();
        for row in 0..site.len() as u32 {
            url.clear();
            site.write_url(row, &mut url);
            let key = engine.canonicalize(&url, &mut scratch).into_owned();
            pages_of.entry(key).or_default().insert(site.cluster(row));
        }
        let folds = page_folds(site);
        let key = |(url, pages): (Vec<u8>, BTreeSet<u32>)| {
            let folds = pages.iter().fold(0, |set, page| set | 1 << folds[*page as usize]);
            KeyOfPages { url, pages, folds }
        };
        let all: Vec<KeyOfPages> = pages_of.into_iter().map(key).collect();
        let mut of_page = vec![Vec::new(); site.clusters()];
        for (at, key) in all.iter().enumerate() {
            for page in &key.pages {
                of_page[*page as usize].push(at);
            }
        }
        Keys { all, of_page, folds }
    }

    /// Whether the fold of a page is in `folds`, a set of bits.
    fn is_in(&self, page: u32, folds: u32) -> bool {
        folds >> self.folds[page as usize] & 1 == 1
    }

    /// The keys that a rule skips, in order.
    fn skipped_by(&self, rule: &Rule) -> Vec<usize> {
        self.skipped_among(rule, 0..self.all.len())
    }

    /// The keys among `some` that a rule skips, in order.
    fn skipped_among(&self, rule: &Rule, some: impl Iterator<Item = usize>) -> Vec<usize> {
        let alone = vec![Rule::new(rule.action.clone())];
        let engine = Canonicalizer::of_rules(&RuleSet::of_site(EVERY_SITE, SiteBy::Host, alone), Form::Key);
        let mut scratch = Scratch::new();
        some.filter(|at| engine.skips(&self.all[*at].url, &mut scratch).is_some()).collect()
    }
}

/// The fold of each page. A page whose URLs are dealt out over the folds goes whole into one.
fn page_folds(site: &Site) -> Vec<u32> {
    let mut sizes = vec![0; site.clusters()];
    let mut folds = vec![0; site.clusters()];
    for row in 0..site.len() as u32 {
        let page = site.cluster(row) as usize;
        sizes[page] += 1;
        folds[page] = site.fold(row);
    }
    for (page, fold) in (0..).zip(&mut folds) {
        if sizes[page as usize] >= LARGE_CLUSTER_URLS {
            *fold = (site.label(page) % u64::from(FOLDS)) as u32;
        }
    }
    folds
}

#[cfg(test)]
mod tests;
