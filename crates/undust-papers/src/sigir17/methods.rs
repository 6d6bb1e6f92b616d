//! What the experiment of SIGIR 2017 compares, as far as it is rules or less.

use undust::apply::{Canonicalizer, Form, Scratch};
use undust::page::Page;
use undust::rules::{Rule, RuleSet};

use super::{Canonical, Method};
use undust_learn::learn::Learner;
use undust_learn::pipeline::{Config, learn_site};

/// The baseline: every URL is a page of its own, and is crawled.
pub struct KeepAll;

impl Method for KeepAll {
    fn name(&self) -> &'static str {
        "keep-all"
    }

    fn learn(&self, _site: &str, _pages: &[Page]) -> Box<dyn Canonical> {
        Box::new(KeepAll)
    }
}

impl Canonical for KeepAll {
    fn append_key(&mut self, url: &[u8], out: &mut Vec<u8>) {
        out.extend_from_slice(url);
    }

    fn rules(&self) -> u64 {
        0
    }
}

/// A learner's rules, selected on held-out URLs of what is learned from, as `undust learn` does.
pub struct RuleMethod {
    /// Proposes rules.
    pub learner: Box<dyn Learner>,
    /// How they are selected.
    pub config: Config,
}

impl Method for RuleMethod {
    fn name(&self) -> &str {
        self.learner.name()
    }

    fn learn(&self, site: &str, pages: &[Page]) -> Box<dyn Canonical> {
        let learned = learn_site(site, pages.to_vec(), self.learner.as_ref(), &self.config);
        let mut rules = learned.rules.rules;
        // What is merely likely is not applied either.
        rules.retain(Rule::is_active);
        let count = rules.len() as u64;
        let engine = Canonicalizer::of_rules(&RuleSet::of_site(site, self.config.site_by, rules), Form::Key);
        Box::new(RuleKeys { engine, scratch: Scratch::new(), rules: count })
    }
}

/// Keys by rules.
struct RuleKeys {
    engine: Canonicalizer,
    scratch: Scratch,
    rules: u64,
}

impl Canonical for RuleKeys {
    fn append_key(&mut self, url: &[u8], out: &mut Vec<u8>) {
        self.engine.canonicalize_into(url, &mut self.scratch, out);
    }

    fn is_skipped(&mut self, key: &[u8]) -> bool {
        self.engine.skips(key, &mut self.scratch).is_some()
    }

    fn rules(&self) -> u64 {
        self.rules
    }
}
