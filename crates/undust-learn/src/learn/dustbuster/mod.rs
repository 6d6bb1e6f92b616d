//! `dustbuster`: Z. Bar-Yossef, I. Keidar, U. Schonfeld, "Do Not Crawl in the DUST: Different URLs with Similar Text", WWW 2007.
//!
//! Needs no labels: URLs that are equal but for one substring, again and again, suggest that the one substring can stand for
//! the other. What else is known of the pages (sizes, digests, simhashes, labels) tells pairs that cannot be one page.
//!
//! Where we deviate: tables are hashes, sorted in memory (`buckets`); one pass over the buckets gives both supports; an
//! instance of a rule is counted once also where the paper's count is too high (section 4, semiperiodic strings); pages
//! of which nothing can be known (redirects in a log) are similar to any. Parameter substitutions are in the
//! technical report only; `params` says what we do.

mod buckets;
mod pair;
mod params;
mod redundant;
mod similar;
mod tokens;

use undust::rules::Action;

pub use similar::Similar;

use super::{Candidate, Learner, LikelyRule};
use crate::listing::Listing;
use crate::site::Sample;
use pair::LikelyPair;

/// What the paper's algorithm is bound by. The defaults are the paper's, but for `min_similar` and the slack of sizes in `similar`, which are
/// ours: with 0 for both, it is the paper's algorithm.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// `S`: the longest substring, in tokens.
    pub max_tokens: usize,
    /// `T_low`: buckets up to this size rank rules.
    pub t_low: usize,
    /// `T_high`: buckets up to this size tell redundant rules.
    pub t_high: usize,
    /// `MRD`: a share of its support by which a redundant rule may differ.
    pub max_relative: f64,
    /// `MAD`: a number by which it may differ.
    pub max_absolute: u32,
    /// `MW`: rules further down the list that one is compared with.
    pub window: usize,
    /// `MS`: supporting pairs that a rule needs.
    pub min_support: u64,
    /// The share of its pairs of URLs that must be likely similar. The paper asks for none.
    pub min_similar: f64,
    /// The share of pairs that may be unlike in a parameter substitution.
    pub max_unlike: f64,
    /// How unlike pages are told.
    pub similar: Similar,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            max_tokens: 35,
            t_low: 6,
            t_high: 11,
            max_relative: 0.05,
            max_absolute: 1,
            window: 1100,
            min_support: 3,
            min_similar: 0.7,
            max_unlike: 0.05,
            similar: Similar::ALL,
        }
    }
}

/// The learner of WWW 2007.
#[derive(Clone, Debug, Default)]
pub struct Dustbuster {
    /// Its settings.
    pub settings: Settings,
}

/// What the first three phases find in a list of URLs.
#[derive(Clone, Debug, Default)]
pub struct Likely {
    /// Rules, the likeliest first, each in its shrinking direction.
    pub rules: Vec<LikelyRule>,
    /// Substring rules that phase 1 detected.
    pub detected: usize,
    /// Substring rules that phase 2 left.
    pub remaining: usize,
}

impl Dustbuster {
    /// Phases 1 to 3: the likely rules of a list.
    pub fn likely(&self, list: &Listing) -> Likely {
        let found = buckets::likely_pairs(list, &self.settings);
        let pairs: Vec<LikelyPair> = found.iter().filter_map(|pair| LikelyPair::new(pair, list)).collect();
        let detected = pairs.len();
        let pairs = redundant::without_redundant(pairs, &self.settings);
        let remaining = pairs.len();
        let substring = |pair: LikelyPair| LikelyRule {
            action: Action::Substitute(pair.rule),
            support: u64::from(pair.low),
            example: pair.example,
        };
        let mut rules = params::likely_params(list, &self.settings);
        let alike = pairs.into_iter().filter(|pair| pair.similar >= self.settings.min_similar);
        rules.extend(alike.map(substring));
        // Stable: of as much support, parameter substitutions come first, since they say more.
        rules.sort_by_key(|rule| std::cmp::Reverse(rule.support));
        Likely { rules, detected, remaining }
    }
}

/// Number of candidates passed on, those with the greatest support, each with its way back. Substitutions enable each other, so that choosing
/// takes more than linear time: 1,000 instead of 300 find 0.002 more F1 at best, in nine times the time.
const MAX_CANDIDATES: usize = 300;

impl Learner for Dustbuster {
    fn name(&self) -> &'static str {
        "dustbuster"
    }

    fn learn(&self, sample: &Sample) -> Vec<Candidate> {
        let likely = self.likely(&Listing::of_sample(sample));
        let mut candidates: Vec<Candidate> = Vec::new();
        for LikelyRule { action, support, .. } in likely.rules.into_iter().take(MAX_CANDIDATES) {
            let reverse = action.reversed();
            candidates.push(Candidate { action, support });
            candidates.extend(reverse.map(|action| Candidate { action, support }));
        }
        candidates
    }

    fn learn_unlabelled(&self, list: &Listing) -> Option<Vec<LikelyRule>> {
        Some(self.likely(list).rules)
    }
}
