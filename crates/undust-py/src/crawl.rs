//! A crawl simulated with the engine of a rule file.

use undust::apply::Form;
use undust::page::Page;
use undust_learn::evaluate::CrawlScorer;
use undust_neural::{Engine, RuleFile, Scratch};

/// Scores rules on pages, one after the other.
pub(crate) struct Crawl {
    pub(crate) scorer: CrawlScorer,
    engine: Engine,
    scratch: Scratch,
}

impl Crawl {
    pub(crate) fn new(file: &RuleFile, form: Form) -> Crawl {
        let (scorer, engine) = (CrawlScorer::new(&file.rules), Engine::new(file, form));
        Crawl { scorer, engine, scratch: Scratch::new() }
    }

    /// Adds a page; it counts if it has a label.
    pub(crate) fn add(&mut self, page: &Page) {
        self.scorer.add(page, |url, key| self.engine.key_into(url, &mut self.scratch, key));
    }
}
