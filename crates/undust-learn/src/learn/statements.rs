//! `statements`: which fields of a URL decide the page? The work is done in the module `statements` of the crate, with the judgement.

use super::{Candidate, Learner};
use crate::site::Sample;

/// Learns statements about the fields of a site's URLs.
#[derive(Clone, Copy, Debug, Default)]
pub struct Statements;

impl Learner for Statements {
    fn name(&self) -> &'static str {
        crate::statements::NAME
    }

    fn learn(&self, _: &Sample) -> Vec<Candidate> {
        Vec::new()
    }

    fn says_statements(&self) -> bool {
        true
    }
}
