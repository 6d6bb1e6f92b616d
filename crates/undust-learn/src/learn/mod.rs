//! The learners: one folder per paper, one trait for all, open to learners from outside this crate.

pub mod decision_tree;
pub mod dustbuster;
pub mod heuristics;
pub mod pattern_tree;
pub mod pool;
pub mod rewrite;
pub mod seq2seq;
pub mod statements;
pub mod template_helpers;

use undust::rules::Action;

use crate::listing::Listing;
use crate::site::Sample;

/// Number of keys of a URL; those with more are not learned from: comparing their keys would take time.
const MAX_KEYS: usize = 256;

/// Proposes rules for a site. Configuration lives in the value; the same sample gives the same candidates.
pub trait Learner: Send + Sync {
    /// The name on the command line and in rule files.
    fn name(&self) -> &'static str;

    /// Rules that the sample suggests. Whether they hold is judged elsewhere, on URLs the learner did not see.
    fn learn(&self, sample: &Sample) -> Vec<Candidate>;

    /// Rules that URLs without labels suggest, the likeliest first; `None` from a learner that needs labels. Nothing can
    /// judge them but trying them out.
    fn learn_unlabelled(&self, _list: &Listing) -> Option<Vec<LikelyRule>> {
        None
    }

    /// Whether the rules of a site are learned as statements, which are judged as they are taken; `learn` is not asked then.
    fn says_statements(&self) -> bool {
        false
    }

    /// The learners behind this one, if it only gathers what others propose.
    fn members(&self) -> &[Box<dyn Learner>] {
        &[]
    }
}

/// A proposed rule.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// What it says.
    pub action: Action,
    /// How many pairs of duplicate URLs suggested it.
    pub support: u64,
}

/// A rule that is likely, no more.
#[derive(Clone, Debug, PartialEq)]
pub struct LikelyRule {
    /// What it says.
    pub action: Action,
    /// Pairs of URLs that suggested it.
    pub support: u64,
    /// One of them, as rows of the list.
    pub example: (u32, u32),
}

/// Every learner of this crate, with its paper's settings.
pub fn all() -> Vec<Box<dyn Learner>> {
    vec![
        Box::new(dustbuster::Dustbuster::default()),
        Box::new(rewrite::Rewrite::default()),
        Box::new(decision_tree::DecisionTree::default()),
        Box::new(pattern_tree::PatternTree::default()),
    ]
}

/// The learner called `name`.
pub fn by_name(name: &str) -> Option<Box<dyn Learner>> {
    all().into_iter().find(|learner| learner.name() == name)
}
