//! `auto`: the rules of all learners, chosen together, and what is known of templates beyond them where that pays.

use std::collections::BTreeMap;

use undust::apply::Form;
use undust::page::Page;
use undust::rules::{Evidence, RuleSet, SiteRules};
use undust_learn::bound::upper_bound;
use undust_learn::evaluate::Evaluation;
use undust_learn::learn::pool::Pool;
use undust_learn::learn::usual::Usual;
use undust_learn::learn::{self, Learner};
use undust_learn::pipeline::{Config, is_judged, learn_labelled, learn_site};
use undust_learn::site::Site;

use crate::apply::{Interpreter, Scratch};
use crate::file::Models;
use crate::learner::{LEAST_PAIRS, Lesson, Seq2seq};
use crate::model::Model;

/// The learners that `auto` asks, with their usual settings.
pub fn members() -> Vec<Box<dyn Learner>> {
    members_with(learn::all(), Seq2seq::default())
}

/// The same with other settings of those that have a paper.
pub fn members_with(mut learners: Vec<Box<dyn Learner>>, seq2seq: Seq2seq) -> Vec<Box<dyn Learner>> {
    learners.push(Box::new(seq2seq));
    learners.push(Box::new(Usual));
    learners
}

/// All learners together.
pub struct Auto {
    pool: Pool,
    model: Seq2seq,
}

impl Auto {
    /// `auto` with these learners; networks are trained if they are asked for.
    pub fn new(members: Vec<Box<dyn Learner>>, model: Seq2seq) -> Auto {
        Auto { pool: Pool::new(members), model }
    }

    /// The learners as one.
    pub fn pool(&self) -> &Pool {
        &self.pool
    }

    /// Learn the rules of one site, and a model if one is wanted and expected to pay. Without labels, rules are only likely.
    pub fn learn_site(&self, name: &str, pages: Vec<Page>, config: &Config, with_model: bool) -> Lesson {
        if !is_judged(&pages, config) {
            return Lesson::of_rules(learn_site(name, pages, &self.pool, config));
        }
        let site = Site::new(name, &pages, config.seed);
        drop(pages);
        let learned = learn_labelled(&site, &self.pool, config);
        let is_wanted = with_model && site.len() >= LEAST_PAIRS;
        let model = if is_wanted { self.model(&site, &learned.rules, config) } else { None };
        Lesson { model, ..Lesson::of_rules(learned) }
    }

    /// What is known beyond the rules, within what they leave of the limit.
    fn model(&self, site: &Site, rules: &SiteRules, config: &Config) -> Option<Model> {
        let most_lost = config.max_fpr * site.clusters() as f64 - lost(rules);
        let rules = RuleSet::of_site(&site.name, config.site_by, rules.rules.clone());
        let model =
            self.model.model(site, &rules, most_lost).filter(|model| pays(model, site.len() as u64))?;
        let models = Models::from([(site.name.clone(), model.clone())]);
        let interpreter = Interpreter::new(&rules, models, Form::Key);
        (wrong_pairs(site, &interpreter) <= NEARLY * config.max_fpr).then_some(model)
    }
}

/// Pairs are told by few large pages, so that a little more than the limit is no reason to do without a model, whose entries were all tried on URLs that did not
/// suggest them.
const NEARLY: f64 = 1.2;

/// The share of pairs that are of different pages, among those made equal of what was learned from.
fn wrong_pairs(site: &Site, interpreter: &Interpreter) -> f64 {
    let (mut scratch, mut evaluation) = (Scratch::new(), Evaluation::new());
    let (mut url, mut key) = (Vec::new(), Vec::new());
    for row in 0..site.len() as u32 {
        url.clear();
        key.clear();
        site.write_url(row, &mut url);
        interpreter.append(&url, &mut scratch, &mut key);
        evaluation.add("", &url, &key, &site.cluster(row).to_string());
    }
    evaluation.report(&BTreeMap::new()).total.metrics.fpr
}

/// So many pages may be lost by rules.
fn lost(rules: &SiteRules) -> f64 {
    let evidence = |of: fn(&Evidence) -> u64| -> u64 {
        let rewrites = rules.rules.iter().filter(|rule| !rule.action.is_skip());
        rewrites.filter_map(|rule| rule.evidence.as_ref()).map(of).sum()
    };
    if rules.rules.is_empty() {
        return 0.0;
    }
    upper_bound(evidence(|e| e.false_positives), evidence(|e| e.trials)) * evidence(|e| e.saved) as f64
}

/// A model that spares less than this share of the URLs is not worth a second file.
const LEAST_SPARED: f64 = 0.005;

/// Whether a model spares enough, by what was held out.
fn pays(model: &Model, urls: u64) -> bool {
    let spared: u64 = model.known.values().map(|known| known.trials - known.wrong).sum();
    model.speaker.is_some() || spared as f64 >= LEAST_SPARED * urls as f64
}
