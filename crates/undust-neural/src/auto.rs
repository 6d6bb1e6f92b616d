//! `auto`: the rules of all learners, chosen together, and what is known of templates beyond them where that pays.

use std::collections::BTreeMap;

use undust::apply::{self, Canonicalizer, Form};
use undust::page::Page;
use undust::rules::{RuleSet, SiteRules};
use undust_learn::evaluate::share;
use undust_learn::learn::pool::Pool;
use undust_learn::learn::usual::Usual;
use undust_learn::learn::{self, Learner};
use undust_learn::pipeline::{Config, is_judged, learn_labelled, learn_site_watched};
use undust_learn::progress::{Stage, Watch, unwatched};
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
        self.learn_site_watched(name, pages, config, with_model, &unwatched)
    }

    /// The same, telling `watch` of every stage.
    pub fn learn_site_watched(
        &self,
        name: &str,
        pages: Vec<Page>,
        config: &Config,
        with_model: bool,
        watch: &Watch,
    ) -> Lesson {
        if !is_judged(&pages, config) {
            return Lesson::of_rules(learn_site_watched(name, pages, &self.pool, config, watch));
        }
        let site = Site::new(name, &pages, config.seed);
        drop(pages);
        let learned = learn_labelled(&site, &self.pool, config, watch);
        let is_wanted = with_model && site.len() >= LEAST_PAIRS && !learned.revision.is_untouched;
        let model = if is_wanted {
            watch(Stage::Model);
            self.model(&site, &learned.rules, config)
        } else {
            None
        };
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
    let (mut all, by_template) = pairs(&keys(model, site, rules));
    let mut worst: Vec<(Template, Pairs)> =
        by_template.into_iter().filter(|(_, pairs)| pairs.wrong > 0).collect();
    worst.sort_by(|(_, a), (_, b)| b.share().total_cmp(&a.share()));
    let mut is_kept = true;
    for (template, its) in worst {
        if its.share() <= SLACK * max_fpr && all.share() <= NEARLY * max_fpr {
            continue;
        }
        if let Some(known) = model.known.get_mut(&template) {
            known.output = None;
            model.report.beyond_rules -= 1;
        }
        all = all.without(its);
        is_kept = false;
    }
    is_kept
}

/// Pairs of URLs made equal.
#[derive(Clone, Copy, Default)]
struct Pairs {
    equal: u64,
    /// Of these, those of different pages.
    wrong: u64,
}

impl Pairs {
    fn share(self) -> f64 {
        share(self.wrong, self.equal, 0.0)
    }

    fn without(self, part: Pairs) -> Pairs {
        Pairs { equal: self.equal.saturating_sub(part.equal), wrong: self.wrong.saturating_sub(part.wrong) }
    }
}

/// All pairs, and those that URLs of each template are in.
fn pairs(rows: &[Row]) -> (Pairs, BTreeMap<Template, Pairs>) {
    let (mut all, mut by_template) = (Pairs::default(), BTreeMap::<Template, Pairs>::new());
    for group in rows.chunk_by(|a, b| a.key == b.key) {
        for page in group.chunk_by(|a, b| a.cluster == b.cluster) {
            let (equal, wrong) = (group.len() as u64 - 1, (group.len() - page.len()) as u64);
            all.equal += equal * page.len() as u64;
            all.wrong += wrong * page.len() as u64;
            for template in page.iter().filter_map(|row| row.template.clone()) {
                let its = by_template.entry(template).or_default();
                its.equal += equal;
                its.wrong += wrong;
            }
        }
    }
    // Each was counted from both of its ends.
    (Pairs { equal: all.equal / 2, wrong: all.wrong / 2 }, by_template)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_of_different_pages_are_laid_to_templates() {
        let row = |key: &str, cluster, template: Option<&[u16]>| Row {
            key: key.into(),
            cluster,
            template: template.map(<[u16]>::to_vec),
        };
        let rows =
            [row("a", 1, None), row("a", 1, Some(&[7])), row("a", 2, Some(&[8])), row("b", 3, Some(&[8]))];
        let (all, by_template) = pairs(&rows);
        assert_eq!((all.equal, all.wrong), (3, 2));
        let of = |token: u16| {
            let its = by_template[&vec![token]];
            (its.equal, its.wrong)
        };
        assert_eq!((of(7), of(8)), ((2, 1), (2, 2)));
    }
}
