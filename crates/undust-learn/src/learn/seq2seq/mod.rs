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
use crate::settings::{Setting, ValueError, boolean, number};
use crate::site::{ALL_FOLDS, Sample};
use corpus::Corpus;
use style::Style;
use targets::Targets;

/// The number of a token: words and delimiters have their own, arguments are counted from the left.
pub type Id = u16;

/// The number that ends a sequence of tokens.
pub const END: Id = 0;

/// Settings of `seq2seq`: how URLs are read, and the network that the crate `undust-neural` trains.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NetworkSettings {
    /// The paper's settings: a network of 512 units that cannot copy, plain gradient descent, URLs read in its way.
    pub paper: bool,
    /// Units of the network, where they are not the default.
    pub hidden: Option<u16>,
    /// Train on an NVIDIA GPU where there is one.
    pub gpu: bool,
}

/// The largest network that can be asked for, in units.
const MAX_HIDDEN_UNITS: u16 = 4096;

impl NetworkSettings {
    pub(crate) const TABLE: &[Setting<NetworkSettings>] = &[
        Setting {
            key: "hidden",
            value: "N",
            help: "Units of the network, 1 to 4096; by default 64, with the paper's settings 512",
            get: |s| s.hidden.map_or_else(|| "default".to_owned(), |units| units.to_string()),
            set: |s, text| {
                let mut units: u16 = 0;
                if text != "default" {
                    number(&mut units, text)?;
                    if !(1..=MAX_HIDDEN_UNITS).contains(&units) {
                        return Err(ValueError::Number(text.to_owned()));
                    }
                }
                s.hidden = (units > 0).then_some(units);
                Ok(())
            },
        },
        Setting {
            key: "paper",
            value: "BOOL",
            help: "The paper's settings: a network of 512 units that cannot copy, plain gradient descent, URLs read in its way",
            get: |s| s.paper.to_string(),
            set: |s, text| boolean(&mut s.paper, text),
        },
        Setting {
            key: "gpu",
            value: "BOOL",
            help: "Train on an NVIDIA GPU where there is one (a build with the feature gpu; the paper's networks only)",
            get: |s| s.gpu.to_string(),
            set: |s, text| boolean(&mut s.gpu, text),
        },
    ];
}

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
