//! `decision-tree`: H. S. Koppula, K. P. Leela, A. Agarwal, K. P. Chitrapura, S. Garg, A. Sasturkar, "Learning URL Patterns
//! for Webpage De-duplication", WSDM 2010.
//!
//! Values are cut into deep tokens (`deep`), path components counted from both ends (`view`). The best URLs of a cluster are
//! targets (`pairs`); what makes a target of a source is a transformation (`diff`, `edit`); transformations are the classes (`classes`)
//! of a tree over the keys of their sources, whose paths are contexts (`tree`). Contexts are pruned on the sample, rules
//! filtered by coverage and precision (`rules`, `outcome`) and said in the common language (`template`).
//!
//! Where we deviate: transformations say only what changes; URLs also meet duplicates that have one part less; contexts
//! are pruned; a rule that does what other rules do together is dropped; the order of parameters is a rule.

mod classes;
mod deep;
mod diff;
mod edit;
mod outcome;
mod pairs;
mod rules;
mod template;
mod tree;
mod view;

use super::template_helpers::Reordered;
use super::{Candidate, Learner};
use crate::site::Sample;
use classes::Collector;
use diff::Differ;
use outcome::Applier;
use pairs::Pairs;
use template::Order;
use view::View;

/// Targets of a cluster.
pub const TARGETS: usize = 1;
/// Pairs that a transformation needs, at least.
pub const MIN_SUPPORT: u64 = 3;
/// URLs of the sample that a rule must change, at least (the paper's filter).
pub const MIN_COVERAGE: u64 = 10;
/// Share of the URLs that a rule makes equal to others that must be right.
pub const MIN_PRECISION: f64 = 0.8;
/// URLs per transformation looked at, those with the most pairs, but [`MIN_CLASSES`] at least: each costs time that
/// does not depend on the size of the site.
const URLS_PER_CLASS: usize = 128;
const MIN_CLASSES: usize = 64;

/// The learner of WSDM 2010.
#[derive(Clone, Debug)]
pub struct DecisionTree {
    /// How many of a cluster's URLs are targets.
    pub targets: usize,
    /// How many pairs a transformation needs.
    pub min_support: u64,
    /// How many URLs a rule must change.
    pub min_coverage: u64,
    /// How many of those that it makes equal to others must be right.
    pub min_precision: f64,
    /// Seed of the sources sampled from large clusters.
    pub seed: u64,
}

impl Default for DecisionTree {
    fn default() -> DecisionTree {
        DecisionTree {
            targets: TARGETS,
            min_support: MIN_SUPPORT,
            min_coverage: MIN_COVERAGE,
            min_precision: MIN_PRECISION,
            seed: 0,
        }
    }
}

impl Learner for DecisionTree {
    fn name(&self) -> &'static str {
        "decision-tree"
    }

    fn learn(&self, sample: &Sample) -> Vec<Candidate> {
        let view = View::new(sample);
        let mut differ = Differ::new(&view);
        let (collector, reordered) = self.compare(sample, &view, &mut differ);
        let mut classes = collector.classes(&view, self.min_support as usize);
        classes.truncate((sample.rows.len() / URLS_PER_CLASS).max(MIN_CLASSES));
        let contexts = tree::contexts(&view, &classes);
        let applier = Applier::new(&view, &differ.texts);
        let rules = rules::rules(&applier, &classes, contexts, self.min_coverage, self.min_precision);
        let order = if reordered.is_often() { Order::ByName } else { Order::OfTarget };
        let said = rules.iter().filter_map(|rule| {
            let action = template::action(&view, &differ.texts, rule, order)?;
            Some(Candidate { action, support: rule.counts.right })
        });
        said.chain(reordered.sorting()).collect()
    }
}

impl DecisionTree {
    /// Compare the URLs of every page.
    fn compare(&self, sample: &Sample, view: &View, differ: &mut Differ) -> (Collector, Reordered) {
        let pairs = Pairs { view, targets: self.targets, seed: self.seed };
        let (mut collector, mut reordered) = (Collector::default(), Reordered::default());
        for rows in sample.duplicates().clusters() {
            for (source, target) in pairs.of_cluster(rows) {
                if view.url_hash(source) == view.url_hash(target) {
                    reordered.pairs += u64::from(view.differ_in_order(source, target));
                } else {
                    reordered.others += 1;
                    differ.differences(source, target).for_each(|found| collector.add(source, found));
                }
            }
        }
        (collector, reordered)
    }
}
