//! The learner of SIGIR 2017: what its model is sure of becomes rules, like those of any other learner; the model itself stays for the rest.

use undust::apply::{Canonicalizer, Form, Scratch};
use undust::rules::{Evidence, Review, Rule, RuleSet, SiteRules};
use undust::url::SiteBy;
use undust_learn::pipeline::{Config, ModelTrainer};
use undust_learn::site::{ALL_FOLDS, Site};

use crate::file::{Models, to_bytes};
use crate::model::{Known, Model, Report};
use crate::teach::{Settings, teach, veto};
use undust_learn::learn::seq2seq::corpus::{Corpus, Tally};
use undust_learn::learn::seq2seq::table::{self, Entry, Spent};
use undust_learn::learn::seq2seq::targets::Targets;
use undust_learn::learn::seq2seq::vocabulary::Template;
use undust_learn::learn::seq2seq::{NetworkSettings, Templates};

/// The least number of labelled URLs of a site that a model is trained on: what a network learns from fewer is noise.
pub const MIN_LABELLED_URLS: usize = 800;

/// The learner of SIGIR 2017.
#[derive(Clone, Debug, Default)]
pub struct Seq2seq {
    /// How networks are made.
    pub settings: Settings,
    /// Read URLs as the paper does, whatever suits the site.
    pub paper: bool,
    /// Where it trains, if a person should know.
    pub note: Option<String>,
}

impl Seq2seq {
    /// The learner with the settings of `seq2seq`.
    pub fn new(settings: NetworkSettings, seed: u64) -> Seq2seq {
        let NetworkSettings { paper, hidden, .. } = settings;
        let network = if paper { Settings::paper() } else { Settings::default() };
        let hidden = hidden.map_or(network.hidden, usize::from);
        let settings = Settings { seed, ..network.with_hidden(hidden) };
        Seq2seq { settings, paper, note: None }
    }

    fn templates(&self) -> Templates {
        Templates { paper: self.paper }
    }

    /// The model of what these rules of a site do not say, within what they leave of the limit; none if there is nothing.
    pub fn model(&self, site: &Site, rules: &SiteRules, config: &Config) -> Option<Model> {
        let corpus = self.templates().read(&site.sample(0));
        let targets = Targets::find(&corpus, ALL_FOLDS);
        let mut entries = table::entries(&corpus, &targets);
        let left_to_rules = left_to_rules(&corpus, &entries, rules, config.site_by);
        let (spent, most_lost) = (spent(rules), (config.max_fpr * site.clusters() as f64).ceil());
        table::give_up_worst(&mut entries, &left_to_rules, spent, most_lost);
        let mut report = Report {
            urls: corpus.len() as u64,
            templates: corpus.templates.len() as u64,
            changed: changed(&entries),
            ..Report::default()
        };
        let speaker = teach(&corpus, &entries, &self.settings, most_lost, &mut report);
        if let Some(speaker) = &speaker {
            veto(&corpus, &mut entries, speaker);
        }
        for (entry, _) in entries.iter_mut().zip(&left_to_rules).filter(|(_, left)| **left) {
            *entry = Entry::Stays;
        }
        report.beyond_rules = changed(&entries);
        if report.beyond_rules == 0 && speaker.is_none() {
            return None;
        }
        let templates = corpus.templates.iter().zip(&corpus.by_template).zip(entries);
        let known =
            templates.filter_map(|((template, rows), entry)| known(template, rows.len(), entry)).collect();
        Some(Model { vocabulary: corpus.vocabulary, known, speaker, report })
    }
}

impl ModelTrainer for Seq2seq {
    fn min_urls(&self) -> usize {
        MIN_LABELLED_URLS
    }

    fn train(&self, site: &Site, rules: &SiteRules, config: &Config) -> Option<Vec<u8>> {
        let model = self.model(site, rules, config)?;
        Some(to_bytes(&Models::from([(site.name.clone(), model)])))
    }

    fn note(&self) -> Option<String> {
        self.note.clone()
    }
}

/// The trainer of `seq2seq`, for [`LearnOptions::trainer`](undust_learn::LearnOptions::trainer).
pub fn trainer(settings: NetworkSettings, seed: u64) -> Box<dyn ModelTrainer> {
    let learner = Seq2seq::new(settings, seed);
    Box::new(if settings.gpu { on_gpu(learner, settings.paper) } else { learner })
}

#[cfg(not(feature = "gpu"))]
fn on_gpu(learner: Seq2seq, _is_paper: bool) -> Seq2seq {
    Seq2seq { note: Some("this build has no GPU support: training on the CPU".to_owned()), ..learner }
}

/// Trains on the GPU if it is there, and the network is one that it can train; else the CPU does it.
#[cfg(feature = "gpu")]
fn on_gpu(mut learner: Seq2seq, is_paper: bool) -> Seq2seq {
    use crate::network::gpu::Gpu;
    use crate::teach::Trainer;
    use std::sync::{Arc, Mutex};

    if !is_paper {
        let note = "a GPU trains the paper's networks only (seq2seq.paper): training on the CPU";
        return Seq2seq { note: Some(note.to_owned()), ..learner };
    }
    match Gpu::open() {
        Ok(gpu) => {
            learner.note = Some(format!("training on {}", gpu.name()));
            learner.settings.trainer = Trainer::Gpu(Arc::new(Mutex::new(gpu)));
        }
        Err(why) => learner.note = Some(format!("{why}: training on the CPU")),
    }
    learner
}

/// What a model keeps of a template; nothing of one that was seen too rarely.
fn known(template: &Template, urls: usize, entry: Entry) -> Option<(Template, Known)> {
    let (output, trials, wrong) = match entry {
        Entry::Becomes { output, evidence } => (Some(output), evidence.trials(), evidence.wrong),
        Entry::Stays | Entry::Refuted => (None, 0, 0),
        Entry::Open => return None,
    };
    Some((template.clone(), Known { output, urls: urls as u64, trials, wrong }))
}

fn changed(entries: &[Entry]) -> u64 {
    entries.iter().filter(|entry| matches!(entry, Entry::Becomes { .. })).count() as u64
}

/// URLs of a template that are canonicalized to see whether rules change it.
const MAX_URLS_ASKED: usize = 8;

/// What rules do is not for the model to do again: whoever rejects a rule must not find its work done all the same. So rules that were refused count like those in force.
fn left_to_rules(corpus: &Corpus, entries: &[Entry], rules: &SiteRules, site_by: SiteBy) -> Vec<bool> {
    let in_force = |rule: &Rule| Rule { review: Review::Accepted, ..rule.clone() };
    let rules = RuleSet::of_site(&rules.site, site_by, rules.rules.iter().map(in_force).collect());
    let (engine, mut scratch) = (Canonicalizer::of_rules(&rules, Form::Key), Scratch::new());
    let mut is_left = |((template, rows), entry): ((&Template, &Vec<u32>), &Entry)| {
        let mut is_changed = |row: &u32| {
            let url = corpus.url(template, *row);
            engine.canonicalize(&url, &mut scratch) != url
        };
        matches!(entry, Entry::Becomes { .. }) && rows.iter().take(MAX_URLS_ASKED).all(&mut is_changed)
    };
    corpus.templates.iter().zip(&corpus.by_template).zip(entries).map(&mut is_left).collect()
}

/// What rules were seen to do.
fn spent(rules: &SiteRules) -> Spent {
    let rewrites = rules.rules.iter().filter(|rule| rule.is_active() && !rule.action.is_skip());
    let evidence: Vec<&Evidence> = rewrites.filter_map(|rule| rule.evidence.as_ref()).collect();
    let sum = |of: fn(&Evidence) -> u64| -> u64 { evidence.iter().map(|evidence| of(evidence)).sum() };
    let wrong = sum(|e| e.false_positives);
    Spent { seen: Tally { right: sum(|e| e.trials).saturating_sub(wrong), wrong }, saved: sum(|e| e.saved) }
}
