//! Rules and models together: the canonical form of a URL.
//!
//! Rules run first; what comes of them is read in the words of the site, and its template is looked up. A template that is not known is translated by the
//! network, once. That goes on until neither rules nor model have anything to say; a URL for which it does not end stays as the
//! rules left it. So what comes out is a fixed point, as with rules alone.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use undust::apply::{self, Canonicalizer, Form};
use undust::rules::Rule;
use undust::url::{SiteBy, SplitUrl, find_by_host_suffix};
use undust_learn::intern::Interner;

use crate::model::{Known, Model, TrustedDecoder};
use crate::network::{Decoder, Network, Token as Id};
use crate::rule_file::RuleFile;
use undust_learn::learn::seq2seq::vocabulary::{Reading, Template, bytes};

/// The compiled engine of a rule file with its models; see [`undust::apply::Canonicalizer`] for rules alone.
pub struct Engine {
    rules: Canonicalizer,
    site_by: SiteBy,
    sites: HashMap<Vec<u8>, Translator>,
}

/// Buffers of an [`Engine`], to be used again for the next URL.
pub struct Scratch {
    engine: apply::Scratch,
    reading: Reading,
    now: Vec<u8>,
    next: Vec<u8>,
    defers: bool,
    /// Templates that were not known, with their sites.
    deferred: HashMap<Vec<u8>, Vec<Template>>,
}

impl Default for Scratch {
    fn default() -> Scratch {
        Scratch::new()
    }
}

impl Scratch {
    /// Room for one URL after the other.
    pub fn new() -> Scratch {
        Scratch {
            engine: apply::Scratch::new(),
            reading: Reading::default(),
            now: Vec::new(),
            next: Vec::new(),
            defers: false,
            deferred: HashMap::new(),
        }
    }

    /// The same, but templates that are not known are deferred until [`Engine::flush_deferred`], which translates many at once: URLs of such templates
    /// come out as if there were no model, and have to come again.
    pub fn deferring() -> Scratch {
        Scratch { defers: true, ..Scratch::new() }
    }
}

/// Turns of rules and model that a URL may take.
pub const MAX_TURNS: usize = 8;

impl Engine {
    /// Compiles rules with their models.
    pub fn new(file: &RuleFile, form: Form) -> Engine {
        let translator =
            |(site, model): (&String, &Model)| (site.clone().into_bytes(), Translator::new(model.clone()));
        Engine {
            rules: Canonicalizer::of_rules(&file.rules, form),
            site_by: file.rules.site_by,
            sites: file.models.iter().map(translator).collect(),
        }
    }

    /// Appends the canonical form of `url` to `out`.
    pub fn canonicalize_into(&self, url: &[u8], scratch: &mut Scratch, out: &mut Vec<u8>) {
        let start = out.len();
        self.rules.canonicalize_into(url, &mut scratch.engine, out);
        if self.sites.is_empty() || !self.translate(&out[start..], scratch) {
            return;
        }
        for _ in 1..MAX_TURNS {
            let mut now = std::mem::take(&mut scratch.now);
            now.clear();
            self.rules.canonicalize_into(&scratch.next, &mut scratch.engine, &mut now);
            let goes_on = self.translate(&now, scratch);
            scratch.now = now;
            if !goes_on {
                out.truncate(start);
                out.extend_from_slice(&scratch.now);
                return;
            }
        }
    }

    /// Appends the canonical form of `url` to `out`; whether a rule skips it.
    pub fn key_into(&self, url: &[u8], scratch: &mut Scratch, out: &mut Vec<u8>) -> bool {
        let start = out.len();
        self.canonicalize_into(url, scratch, out);
        self.skips(&out[start..], scratch).is_some()
    }

    /// Whether there is a rule that skips URLs.
    pub fn has_skips(&self) -> bool {
        self.rules.has_skips()
    }

    /// The first rule by which `canonical`, a canonical form, need not be fetched.
    pub fn skips(&self, canonical: &[u8], scratch: &mut Scratch) -> Option<&Rule> {
        self.rules.skips(canonical, &mut scratch.engine)
    }

    /// Whether the model of the URL's site makes something else of it; that is then in `scratch.next`.
    fn translate(&self, url: &[u8], scratch: &mut Scratch) -> bool {
        let Some((site, translator)) = self.translator(url) else { return false };
        let Scratch { reading, next, .. } = scratch;
        if !translator.model.vocabulary.read(url, reading) {
            return false;
        }
        let mut print = |output: &[Id]| {
            next.clear();
            translator.model.vocabulary.print(output, url, &reading.arguments, next);
            next != url
        };
        match translator.look_up(&reading.template, &mut print) {
            Some(says_something) => says_something,
            None if scratch.defers => {
                scratch.deferred.entry(site.to_vec()).or_default().push(reading.template.clone());
                false
            }
            None => {
                translator.ask_network(vec![reading.template.clone()]);
                translator.look_up(&reading.template, &mut print).unwrap_or_default()
            }
        }
    }

    /// The model of the site that a URL is of: by domain, the longest suffix of its host that has one.
    fn translator(&self, url: &[u8]) -> Option<(&[u8], &Translator)> {
        let named = |name: &[u8]| self.sites.get_key_value(name);
        let (site, translator) = find_by_host_suffix(SplitUrl::new(url)?.host(), self.site_by, named)?;
        Some((site, translator))
    }

    /// Translate what was put off, many templates at once, and put off no more. Whether there was anything.
    pub fn flush_deferred(&self, scratch: &mut Scratch) -> bool {
        scratch.defers = false;
        let deferred = std::mem::take(&mut scratch.deferred);
        let is_any = !deferred.is_empty();
        // Each site has its own network: their order changes nothing.
        #[expect(clippy::iter_over_hash_type, reason = "sites do not know of each other")]
        for (site, mut templates) in deferred {
            templates.sort_unstable();
            templates.dedup();
            if let Some(translator) = self.sites.get(site.as_slice()) {
                translator.ask_network(templates);
            }
        }
        is_any
    }
}

/// What a model says of a URL.
#[derive(Clone, Debug, PartialEq)]
pub struct Said {
    /// What the URL becomes.
    pub url: Vec<u8>,
    /// The template of the URL, its arguments written `{1}`.
    pub from: String,
    /// What becomes of it.
    pub to: String,
    /// Why this is believed.
    pub because: Because,
}

/// Why a translation is believed.
#[derive(Clone, Debug, PartialEq)]
pub enum Because {
    /// The template was seen, and what becomes of it was tried.
    Known(Known),
    /// The network is sure of it.
    Sure {
        /// How likely it holds the least likely token to be.
        confidence: f32,
        /// How sure it must be.
        threshold: f32,
    },
}

impl Engine {
    /// What the model of its site says of a URL that rules have nothing to say about, if anything.
    pub fn explain(&self, url: &[u8]) -> Option<Said> {
        let (_, translator) = self.translator(url)?;
        let model = &translator.model;
        let mut reading = Reading::default();
        if !model.vocabulary.read(url, &mut reading) {
            return None;
        }
        let template = &reading.template;
        let (output, because) = if let Some(known) = model.known.get(template) {
            (known.output.clone()?, Because::Known(known.clone()))
        } else {
            let (speaker, decoder) = translator.network()?;
            let answer = decoder.translate(&[template]).pop()?;
            let because = Because::Sure { confidence: answer.confidence, threshold: speaker.threshold };
            (speaker.believed(&model.vocabulary, template, answer)?, because)
        };
        let mut becomes = Vec::new();
        model.vocabulary.print(&output, url, &reading.arguments, &mut becomes);
        let show = |template: &[Id]| model.vocabulary.show(template);
        (becomes != url).then(|| Said { url: becomes, from: show(template), to: show(&output), because })
    }
}

/// A model at work.
struct Translator {
    model: Model,
    /// The known templates, as bytes.
    known: Interner,
    /// What becomes of each of them.
    outputs: Vec<Option<Template>>,
    decoder: Option<Decoder<Arc<Network>>>,
    /// What the network said before.
    memo: RwLock<HashMap<Template, Option<Template>>>,
}

/// Translations that are kept; then all are dropped.
const MAX_MEMO_ENTRIES: usize = 1 << 16;

impl Translator {
    fn new(model: Model) -> Translator {
        let (mut known, mut outputs) = (Interner::new(), Vec::new());
        for (template, Known { output, .. }) in &model.known {
            known.intern(&bytes(template));
            outputs.push(output.clone());
        }
        let decoder = model.speaker.as_ref().map(TrustedDecoder::decoder);
        Translator { model, known, outputs, decoder, memo: RwLock::default() }
    }

    /// Print what becomes of a template, and tell what `print` says of it; none if it is not known yet.
    fn look_up(&self, template: &Template, print: &mut impl FnMut(&[Id]) -> bool) -> Option<bool> {
        if let Some(known) = self.known.find(&bytes(template)) {
            return Some(self.outputs[known as usize].as_deref().is_some_and(print));
        }
        if self.decoder.is_none() {
            return Some(false);
        }
        let memo = self.memo.read().unwrap_or_else(PoisonError::into_inner);
        memo.get(template).map(|output| output.as_deref().is_some_and(print))
    }

    fn network(&self) -> Option<(&TrustedDecoder, &Decoder<Arc<Network>>)> {
        self.model.speaker.as_ref().zip(self.decoder.as_ref())
    }

    /// Have the network translate templates, and keep what it says.
    fn ask_network(&self, templates: Vec<Template>) {
        let Some((speaker, decoder)) = self.network() else { return };
        let sources: Vec<&[Id]> = templates.iter().map(Vec::as_slice).collect();
        let answers = decoder.translate(&sources);
        let mut memo = self.memo.write().unwrap_or_else(PoisonError::into_inner);
        if memo.len() + templates.len() > MAX_MEMO_ENTRIES {
            memo.clear();
        }
        for (template, answer) in templates.into_iter().zip(answers) {
            let output = speaker.believed(&self.model.vocabulary, &template, answer);
            memo.insert(template, output);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use undust::rules::RuleSet;
    use undust_learn::learn::seq2seq::tokens::Delimiters;
    use undust_learn::learn::seq2seq::vocabulary::Vocabulary;

    use super::*;
    use crate::model::Report;

    #[test]
    fn a_host_in_capitals_finds_the_model_of_its_site() {
        let vocabulary = Vocabulary::new(Delimiters::new(b":"), Vec::new());
        let model = Model { vocabulary, known: BTreeMap::new(), speaker: None, report: Report::default() };
        let models = BTreeMap::from([("a.com".to_owned(), model)]);
        let rules = RuleSet { normalize: false, ..RuleSet::default() };
        let mut file = RuleFile { rules, models };
        let by_domain = Engine::new(&file, Form::Key);
        file.rules.site_by = SiteBy::Host;
        let by_host = Engine::new(&file, Form::Key);
        for (url, domain, host) in [
            ("http://A.COM/", true, true),
            ("http://WWW.a.Com:80/x", true, false),
            ("http://ba.com/", false, false),
        ] {
            assert_eq!(by_domain.translator(url.as_bytes()).is_some(), domain, "{url}");
            assert_eq!(by_host.translator(url.as_bytes()).is_some(), host, "{url}");
        }
    }
}
