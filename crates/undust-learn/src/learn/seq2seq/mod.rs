//! The learner of SIGIR 2017 as far as rules go: a URL is a sentence, a page's canonical URL its translation.
//!
//! A URL is read as [`tokens`]; those that many URLs have are words of a [`vocabulary`], others are arguments, and a URL whose arguments are replaced by their
//! numbers is a template. [`targets`] says what each template of a [`corpus`] should become, [`table`] which of that holds on held-out URLs, and [`distill`]
//! writes it as rules. The network that translates templates which were never seen is in the crate `undust-neural`.

pub mod corpus;
pub mod distill;
pub mod style;
pub mod table;
pub mod targets;
pub mod tokens;
pub mod vocabulary;

use super::{Candidate, Learner};
use crate::site::{ALL_FOLDS, Sample};
use corpus::Corpus;
use style::Style;
use targets::Targets;

/// The number of a token: words and delimiters have their own, arguments are counted from the left.
pub type Id = u16;

/// The number that ends a sequence of tokens.
pub const END: Id = 0;

/// Proposes what each template of a site becomes, as rules. Trains no network.
#[derive(Clone, Copy, Debug, Default)]
pub struct Templates {
    /// Read URLs as the paper does, whatever suits the site.
    pub paper: bool,
}

impl Templates {
    /// The URLs of a sample, as tokens.
    pub fn read(self, sample: &Sample) -> Corpus {
        let style = if self.paper { Style::PAPER } else { Style::choose(sample) };
        style.read(sample)
    }
}

impl Learner for Templates {
    fn name(&self) -> &'static str {
        "seq2seq"
    }

    /// The sentences that a network would be taught, as rules. They are known before it is.
    fn learn(&self, sample: &Sample) -> Vec<Candidate> {
        let corpus = self.read(sample);
        let targets = Targets::find(&corpus, ALL_FOLDS);
        distill::distill(&corpus, &targets.of)
    }
}
