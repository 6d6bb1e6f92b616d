//! `rewrite`: A. Dasgupta, R. Kumar, A. Sasturkar, "De-duping URLs via Rewrite Rules", KDD 2008.
//!
//! Every pair of duplicate URLs is a rule; rules that differ in one key become one rule with a star, again and again.
//!
//! Where we deviate: large clusters are not paired with themselves but linearly (`pairs`); parameter order is a rule (`order`),
//! since a rule set must print *some* order; a value that may come from another key by accident gives two rules; a rule
//! with a star is proposed when it has the support, and whether it holds is judged on held-out URLs by the selection.

mod filter;
mod generalize;
mod maps;
mod order;
mod pairs;
mod specific;
mod template;

use std::collections::HashMap;

use filter::Filter;
pub use filter::FilterKind;
use generalize::generalize;
use maps::Maps;
use order::Reordered;
use specific::Collector;

use super::{Candidate, Learner, MAX_KEYS};
use crate::site::Sample;

/// The fan-out that a key must have to become a star. The paper uses 10 and 30 on hosts of 22,000 URLs; candidates are
/// judged on held-out URLs here, so that a smaller one finds more on small sites without harm.
pub const FAN_OUT: usize = 5;
/// A rule needs more pairs than this.
pub const MIN_SUPPORT: u64 = 3;
/// Number of candidates passed on, those with the greatest support.
const MAX_CANDIDATES: usize = 5000;

/// The learner of KDD 2008.
#[derive(Clone, Debug)]
pub struct Rewrite {
    /// When rules become one rule with a star.
    pub filter: FilterKind,
    /// `minS`: a rule needs more supporting pairs than this.
    pub min_support: u64,
    /// Seed of the pairs sampled from large clusters.
    pub seed: u64,
}

impl Default for Rewrite {
    fn default() -> Rewrite {
        Rewrite { filter: FilterKind::default(), min_support: MIN_SUPPORT, seed: 0 }
    }
}

impl Learner for Rewrite {
    fn name(&self) -> &'static str {
        "rewrite"
    }

    fn learn(&self, sample: &Sample) -> Vec<Candidate> {
        let site = sample.site;
        let maps = Maps::new(site);
        let empty = site.find_value(b"");
        let mut reordered = Reordered::default();
        let mut collector = Collector::new(&maps, empty);
        for rows in sample.duplicates().clusters() {
            let short = rows.iter().filter(|&&row| site.values_of(row).len() <= MAX_KEYS);
            let members = short.map(|&row| maps.member(site, row)).collect();
            let mut members = pairs::cap(members, self.seed);
            for several in reordered.count(&maps, &mut members) {
                collector.add(&several, &several);
            }
            let length = |m: &maps::Member| m.values.iter().map(|&v| site.value(v).len()).sum();
            for (u, v) in pairs::pairs(&members, length, self.seed) {
                collector.add(&members[u], &members[v]);
            }
        }
        let by_map = if self.filter.looks_at_urls() { maps.by_map(sample) } else { Vec::new() };
        let filter = Filter::new(self.filter, sample, &by_map);
        let mut best: HashMap<_, u64> = HashMap::new();
        for (skeleton, rows) in collector.rules {
            for table in generalize(&skeleton, rows, &maps, empty, &filter) {
                for i in (0..table.len()).filter(|&i| table.support[i] > self.min_support) {
                    if let Some(action) = template::action(site, &maps, &skeleton, table.row(i)) {
                        let support = best.entry(action).or_default();
                        *support = table.support[i].max(*support);
                    }
                }
            }
        }
        let found = best.into_iter().map(|(action, support)| Candidate { action, support });
        let mut candidates: Vec<Candidate> = found.chain(reordered.candidates(site, &maps)).collect();
        candidates.sort_by_cached_key(|c| (std::cmp::Reverse(c.support), c.action.sides()));
        candidates.truncate(MAX_CANDIDATES);
        candidates
    }
}
