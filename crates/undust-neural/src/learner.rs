//! The learner of SIGIR 2017: what its model is sure of becomes rules, like those of any other learner; the model itself stays for the rest.

use undust::apply::{Canonicalizer, Form, Scratch};
use undust::page::Page;
use undust::rules::{Evidence, Review, Rule, RuleSet, SiteRules};
use undust::url::SiteBy;
use undust_learn::learn::{Candidate, Learner};
use undust_learn::pipeline::{Config, Learned, learn_labelled};
use undust_learn::progress::{Stage, Watch, unwatched};
use undust_learn::site::{ALL_FOLDS, Sample, Site};

use crate::model::{Known, Model, Report};
use crate::teach::{Settings, teach, veto};
use undust_learn::learn::seq2seq::Templates;
use undust_learn::learn::seq2seq::corpus::{Corpus, Tally};
use undust_learn::learn::seq2seq::table::{self, Entry, Spent};
use undust_learn::learn::seq2seq::targets::Targets;
use undust_learn::learn::seq2seq::vocabulary::Template;

/// Sites with fewer URLs than this are left alone: what a network learns from so few is noise.
pub const LEAST_PAIRS: usize = 800;

/// The learner of SIGIR 2017.
#[derive(Clone, Debug, Default)]
pub struct Seq2seq {
    /// How networks are made.
    pub settings: Settings,
    /// Read URLs as the paper does, whatever suits the site.
    pub paper: bool,
}

impl Learner for Seq2seq {
    fn name(&self) -> &'static str {
        self.templates().name()
    }

    /// The sentences that a network would be taught, as rules. They are known before it is.
    fn learn(&self, sample: &Sample) -> Vec<Candidate> {
        self.templates().learn(sample)
    }
}

/// What was learned of a site.
pub struct Lesson {
    /// The rules.
    pub learned: Learned,
    /// The model, if there is anything that rules do not say.
    pub model: Option<Model>,
    /// Why there is nothing, if there is nothing.
    pub nothing: Option<String>,
}

impl Lesson {
    /// What a learner of rules alone learned.
    pub fn of_rules(learned: Learned) -> Lesson {
        Lesson { learned, model: None, nothing: None }
    }
}

impl Seq2seq {
    /// Learn the rules and the model of one site. Without labels there is nothing to learn.
    pub fn learn_site(&self, name: &str, pages: &[Page], config: &Config) -> Lesson {
        self.learn_site_watched(name, pages, config, &unwatched)
    }

    /// The same, telling `watch` of every stage.
    pub fn learn_site_watched(&self, name: &str, pages: &[Page], config: &Config, watch: &Watch) -> Lesson {
        let site = Site::new(name, pages, config.seed);
        if site.len() < LEAST_PAIRS {
            let nothing = format!("a model needs at least {LEAST_PAIRS} labelled URLs");
            return Lesson { nothing: Some(nothing), ..Lesson::of_rules(Learned::untouched(&site, config)) };
        }
        let learned = learn_labelled(&site, self, config, watch);
        watch(Stage::Model);
        let model = self.model(&site, &learned.rules, config);
        Lesson { learned, model, nothing: None }
    }

    fn templates(&self) -> Templates {
        Templates { paper: self.paper }
    }

    /// What there is to say of a site beyond these rules, within what they leave of the limit.
    fn model(&self, site: &Site, rules: &SiteRules, config: &Config) -> Option<Model> {
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

/// So many URLs of a template tell what rules do to it.
const ASKED: usize = 8;

/// What rules do is not for the model to do again: whoever rejects a rule must not find its work done all the same. So rules that were refused count like those in force.
fn left_to_rules(corpus: &Corpus, entries: &[Entry], rules: &SiteRules, site_by: SiteBy) -> Vec<bool> {
    let in_force = |rule: &Rule| Rule { review: Review::Accepted, ..rule.clone() };
    let rules = RuleSet::of_site(&rules.site, site_by, rules.rules.iter().map(in_force).collect());
    let (engine, mut scratch) = (Canonicalizer::new(&rules, Form::Key), Scratch::new());
    let mut is_left = |((template, rows), entry): ((&Template, &Vec<u32>), &Entry)| {
        let mut is_changed = |row: &u32| {
            let url = corpus.url(template, *row);
            engine.canonicalize(&url, &mut scratch) != url
        };
        matches!(entry, Entry::Becomes { .. }) && rows.iter().take(ASKED).all(&mut is_changed)
    };
    corpus.templates.iter().zip(&corpus.by_template).zip(entries).map(&mut is_left).collect()
}

/// What rules were seen to do.
fn spent(rules: &SiteRules) -> Spent {
    let rewrites = rules.rules.iter().filter(|rule| rule.is_active() && !rule.action.is_skip());
    let evidence: Vec<&Evidence> = rewrites.filter_map(|rule| rule.evidence.as_ref()).collect();
    let sum = |of: fn(&Evidence) -> u64| evidence.iter().map(|evidence| of(evidence)).sum();
    let wrong = sum(|e| e.false_positives);
    Spent { seen: Tally { right: sum(|e| e.trials) - wrong, wrong }, saved: sum(|e| e.saved) }
}
