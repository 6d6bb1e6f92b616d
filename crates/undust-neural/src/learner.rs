//! What the model knows for sure, as a learner among the others.

use undust_learn::learn::{Candidate, Learner};
use undust_learn::site::Sample;

use crate::corpus::ALL_FOLDS;
use crate::distill::distill;
use crate::style::Style;
use crate::targets::Targets;

/// The learner of SIGIR 2017.
#[derive(Clone, Debug, Default)]
pub struct Seq2seq {
    /// How URLs are read; each site is asked if none is given.
    pub style: Option<Style>,
}

impl Learner for Seq2seq {
    fn name(&self) -> &'static str {
        "seq2seq"
    }

    fn learn(&self, sample: &Sample) -> Vec<Candidate> {
        let style = self.style.unwrap_or_else(|| Style::choose(sample));
        let corpus = style.read(sample);
        let targets = Targets::find(&corpus, ALL_FOLDS);
        distill(&corpus, &targets.of)
    }
}
