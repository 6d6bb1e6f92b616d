//! `auto`: the rules of all learners, chosen together, and what is known of templates beyond them where that pays.

use std::collections::BTreeMap;

use undust::apply::{self, Canonicalizer, Form};
use undust::page::Page;
use undust::rules::{RuleSet, SiteRules};
use undust_learn::evaluate::share;
use undust_learn::learn::pool::Pool;
use undust_learn::learn::usual::Usual;
use undust_learn::learn::{self, Learner};
use undust_learn::pipeline::{Config, is_judged, learn_labelled, learn_site};
use undust_learn::select::SLACK;
use undust_learn::site::Site;

use crate::apply::{Interpreter, Scratch};
use crate::file::Models;
use crate::learner::{LEAST_PAIRS, Lesson, Seq2seq};
use crate::model::Model;
use crate::vocabulary::{Reading, Template};

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

    /// What is known beyond the rules, within what they leave of the limits.
    fn model(&self, site: &Site, rules: &SiteRules, config: &Config) -> Option<Model> {
        let mut model = self.model.model(site, rules, config)?;
        let rules = RuleSet::of_site(&site.name, config.site_by, rules.rules.clone());
        for _ in 0..ROUNDS {
            if keep_to_pairs(&mut model, site, &rules, config.max_fpr) {
                return pays(&model, site.len() as u64).then_some(model);
            }
        }
        None
    }
}

/// Pairs are told by few large pages, so that a little more than the limit is no reason to do without a template: all were tried on URLs that did not
/// suggest what they become.
const NEARLY: f64 = 1.2;

/// What is left without the worst templates is looked at again, so often.
const ROUNDS: usize = 5;

/// Let go of templates that by what was learned from make too many pairs of different pages equal: by themselves, or, the worst first, together with
/// all else. Whether there was nothing to let go of.
fn keep_to_pairs(model: &mut Model, site: &Site, rules: &RuleSet, max_fpr: f64) -> bool {
    let rows = keys(model, site, rules);
    let (mut pairs, mut wrong) = (0, 0);
    let mut by_template: BTreeMap<Template, (u64, u64)> = BTreeMap::new();
    for group in rows.chunk_by(|a, b| a.key == b.key) {
        let others = |row: &Row| group.iter().filter(|other| other.cluster != row.cluster).count() as u64;
        pairs += (group.len() * (group.len() - 1) / 2) as u64;
        for pages in group.chunk_by(|a, b| a.cluster == b.cluster) {
            let others = others(&pages[0]);
            wrong += others * pages.len() as u64;
            for template in pages.iter().filter_map(|row| row.template.as_ref()) {
                let known = by_template.entry(template.clone()).or_default();
                known.0 += others;
                known.1 += group.len() as u64 - 1;
            }
        }
    }
    // Each was counted from both of its ends.
    wrong /= 2;
    let mut worst: Vec<(Template, (u64, u64))> =
        by_template.into_iter().filter(|(_, (wrong, _))| *wrong > 0).collect();
    let share_of = |(_, (wrong, equal)): &(Template, (u64, u64))| share(*wrong, *equal, 0.0);
    worst.sort_by(|a, b| share_of(b).total_cmp(&share_of(a)));
    let mut is_kept = true;
    for (template, (wrongly, equal)) in worst {
        let leaves_room = wrongly as f64 <= SLACK * max_fpr * equal as f64;
        if leaves_room && wrong as f64 <= NEARLY * max_fpr * pairs as f64 {
            continue;
        }
        if let Some(known) = model.known.get_mut(&template) {
            known.output = None;
        }
        wrong = wrong.saturating_sub(wrongly);
        pairs = pairs.saturating_sub(equal);
        is_kept = false;
    }
    is_kept
}

/// What becomes of a URL, and by which template, if it was one that did it.
struct Row {
    key: Vec<u8>,
    cluster: u32,
    template: Option<Template>,
}

/// All URLs of a site, by what becomes of them.
fn keys(model: &Model, site: &Site, rules: &RuleSet) -> Vec<Row> {
    let models = Models::from([(site.name.clone(), model.clone())]);
    let interpreter = Interpreter::new(rules, models, Form::Key);
    let by_rules = Canonicalizer::new(rules, Form::Key);
    let (mut scratch, mut by_rules_scratch) = (Scratch::new(), apply::Scratch::new());
    let (mut reading, mut url) = (Reading::default(), Vec::new());
    let mut row = |row: u32| {
        url.clear();
        site.write_url(row, &mut url);
        let mut key = Vec::new();
        interpreter.append(&url, &mut scratch, &mut key);
        let before = by_rules.canonicalize(&url, &mut by_rules_scratch);
        let is_known = before != key
            && model.vocabulary.read(&before, &mut reading)
            && model.known.get(&reading.template).is_some_and(|known| known.output.is_some());
        Row { key, cluster: site.cluster(row), template: is_known.then(|| reading.template.clone()) }
    };
    let mut rows: Vec<Row> = (0..site.len() as u32).map(&mut row).collect();
    rows.sort_by(|a, b| (&a.key, a.cluster).cmp(&(&b.key, b.cluster)));
    rows
}

/// A model that spares less than this share of the URLs is not worth a second file.
const LEAST_SPARED: f64 = 0.005;

/// Whether a model spares enough, by what was held out.
fn pays(model: &Model, urls: u64) -> bool {
    let used = model.known.values().filter(|known| known.output.is_some());
    let spared: u64 = used.map(|known| known.trials - known.wrong).sum();
    model.speaker.is_some() || spared as f64 >= LEAST_SPARED * urls as f64
}
