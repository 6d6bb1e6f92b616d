//! `auto`: all that several learners propose, for one selection to choose from.

use super::{Candidate, Learner, LikelyRule};
use crate::listing::Listing;
use crate::site::Sample;

/// Several learners as one.
pub struct Pool {
    members: Vec<Box<dyn Learner>>,
}

impl Pool {
    /// The pool of these learners. Where several propose the same rule, it is the first one's.
    pub fn new(members: Vec<Box<dyn Learner>>) -> Pool {
        Pool { members }
    }
}

impl Learner for Pool {
    fn name(&self) -> &'static str {
        "auto"
    }

    fn learn(&self, sample: &Sample) -> Vec<Candidate> {
        self.members.iter().flat_map(|member| member.learn(sample)).collect()
    }

    /// Without labels nothing can judge between learners: the first that needs none speaks for all.
    fn learn_unlabelled(&self, list: &Listing) -> Option<Vec<LikelyRule>> {
        self.members.iter().find_map(|member| member.learn_unlabelled(list))
    }

    fn members(&self) -> &[Box<dyn Learner>] {
        &self.members
    }
}
