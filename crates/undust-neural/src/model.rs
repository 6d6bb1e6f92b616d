//! The model of a site: its words, what is known of its templates, and a network for templates that are not known.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::network::{Allowed, Decoder, END, Network, Token as Id, Translation};
use undust_learn::learn::seq2seq::vocabulary::{ARGUMENTS, MAX_TOKENS, Template, Vocabulary};

/// The model of a site.
#[derive(Clone)]
pub struct Model {
    /// The words.
    pub vocabulary: Vocabulary,
    /// Templates that are known.
    pub known: BTreeMap<Template, Known>,
    /// What translates the others, if that was shown to pay.
    pub speaker: Option<TrustedDecoder>,
    /// What it was made from, and how good it is.
    pub report: Report,
}

/// What is known of a template.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Known {
    /// What it becomes, in terms of its own arguments; none if it stays as it is.
    pub output: Option<Template>,
    /// How many URLs it had.
    pub urls: u64,
    /// How many held-out URLs this made equal to another one, and how many of these wrongly.
    pub trials: u64,
    /// See `trials`.
    pub wrong: u64,
}

/// A network that may speak.
#[derive(Clone)]
pub struct TrustedDecoder {
    /// The network.
    pub network: Arc<Network>,
    /// What it is less sure of than this is not believed.
    pub threshold: f32,
    /// What it may print, besides arguments of the source.
    pub printable: BTreeSet<Id>,
}

impl TrustedDecoder {
    /// A decoder that prints nothing else than it may.
    pub fn decoder(&self) -> Decoder<Arc<Network>> {
        let size = self.network.shape().vocabulary;
        let is_printable =
            |number: Id| number == END || ARGUMENTS.contains(&number) || self.printable.contains(&number);
        let tokens = (0..size as Id).map(is_printable).collect();
        Decoder::new(Arc::clone(&self.network), Allowed { tokens, copied: ARGUMENTS }).at_most(MAX_TOKENS)
    }
}

impl TrustedDecoder {
    /// What a network answers to a template, if it is sure enough and the answer makes a URL.
    pub fn believed(
        &self,
        vocabulary: &Vocabulary,
        template: &[Id],
        answer: Translation,
    ) -> Option<Template> {
        (answer.is_sure(self.threshold) && vocabulary.fits(template, &answer.tokens)).then_some(answer.tokens)
    }
}

/// What a model was made from, and how good its network is on templates that it was not taught.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Distinct URLs, each with the URL it should become: the training pairs of the paper, pages of one URL included.
    pub urls: u64,
    /// Distinct templates of these URLs.
    pub templates: u64,
    /// Those that become another one.
    pub changed: u64,
    /// Of those, how many do so by the model, and not by rules.
    pub beyond_rules: u64,
    /// Templates that the network was not taught.
    pub held_out: u64,
    /// Of those, how many stay as they are: so many are right without any network.
    pub unchanged: u64,
    /// Of those held out, how many it translates exactly.
    pub exact: u64,
    /// Of those held out, how many it translates with a confidence of at least 0.9.
    pub sure: u64,
    /// Of these, how many exactly.
    pub sure_exact: u64,
    /// Of those held out, how many it is sure enough of to be believed.
    pub answered: u64,
    /// Of those answered, how many exactly.
    pub answered_exact: u64,
    /// Why networks were trained on the CPU although a GPU was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_cpu: Option<String>,
    /// Why there is no network, if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub silent: Option<String>,
}
