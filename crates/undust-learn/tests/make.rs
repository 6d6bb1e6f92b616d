//! Sites, candidates and rule sets for the tests.

use std::collections::BTreeSet;

use undust::apply::{Canonicalizer, Form, Scratch};
use undust::page::Page;
use undust::rules::RuleSet;
use undust::url::{SiteBy, site_of};
use undust_learn::learn::rewrite::{FilterKind, Rewrite};
use undust_learn::learn::{Candidate, Learner};
use undust_learn::pipeline::{Config, LearnedSite, learn_site};
use undust_learn::site::Site;

/// A URL and the label of its cluster.
pub(crate) type Row = (String, String);

pub(crate) fn row(url: impl Into<String>, label: impl std::fmt::Display) -> Row {
    (url.into(), format!("{label}"))
}

/// The site with 400 pages more: of fewer than 300, no evidence shows that less than 1 % are lost.
pub(crate) fn with_singles(mut rows: Vec<Row>) -> Vec<Row> {
    rows.extend((0..400).map(|i| row(format!("http://a.com/alone-{i}.html"), format!("alone {i}"))));
    rows
}

pub(crate) fn pages(rows: &[Row]) -> Vec<Page> {
    rows.iter()
        .map(|(url, label)| Page { cluster: Some(label.clone()), ..Page::new(url.as_bytes()) })
        .collect()
}

/// The name of the site that the URLs are of.
fn name_of(rows: &[Row]) -> String {
    rows.first().map(|(url, _)| site_of(url.as_bytes(), SiteBy::Domain)).unwrap_or_default()
}

pub(crate) fn site(rows: &[Row]) -> Site {
    Site::new(&name_of(rows), &pages(rows), 0)
}

/// What the learner proposes when nothing is held out.
pub(crate) fn candidates_by(rows: &[Row], learner: &dyn Learner) -> Vec<Candidate> {
    learner.learn(&site(rows).sample(0))
}

/// The same as text, with the learner's defaults.
pub(crate) fn candidates(rows: &[Row]) -> BTreeSet<String> {
    candidates_with(rows, FilterKind::default())
}

pub(crate) fn candidates_with(rows: &[Row], filter: FilterKind) -> BTreeSet<String> {
    let learner = Rewrite { filter, ..Rewrite::default() };
    candidates_by(rows, &learner).iter().map(|c| c.action.to_string()).collect()
}

pub(crate) fn learn(rows: &[Row]) -> LearnedSite {
    learn_with(rows, &Config::default())
}

pub(crate) fn learn_with(rows: &[Row], config: &Config) -> LearnedSite {
    learn_by(rows, config, &Rewrite { seed: config.seed, ..Rewrite::default() })
}

pub(crate) fn learn_by(rows: &[Row], config: &Config, learner: &dyn Learner) -> LearnedSite {
    learn_site(&name_of(rows), pages(rows), learner, config)
}

/// The learned rules as text, in order.
pub(crate) fn texts(learned: &LearnedSite) -> Vec<String> {
    learned.rules.rules.iter().map(|rule| rule.action.to_string()).collect()
}

pub(crate) fn set_of(learned: &LearnedSite) -> RuleSet {
    RuleSet { sites: vec![learned.rules.clone()], ..RuleSet::default() }
}

/// The canonical key of each URL, by the real engine.
pub(crate) fn keys(set: &RuleSet, rows: &[Row]) -> Vec<Vec<u8>> {
    let engine = Canonicalizer::of_rules(set, Form::Key);
    let mut scratch = Scratch::new();
    rows.iter().map(|(url, _)| engine.canonicalize(url.as_bytes(), &mut scratch).into_owned()).collect()
}

/// A small generator of numbers: the tests must not depend on a library's choice of one.
pub(crate) struct Numbers(pub(crate) u64);

impl Numbers {
    /// A number below `n` (splitmix64).
    pub(crate) fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) % n
    }

    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i as u64 + 1) as usize);
        }
    }
}
