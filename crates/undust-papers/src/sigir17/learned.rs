//! The methods of the product in the experiment of SIGIR 2017: rules, and for `seq2seq` the model beside them.

use undust::apply::Form;
use undust::page::Page;
use undust_learn::{Learned, Pipeline};
use undust_neural::model::Report;
use undust_neural::{Engine, RuleFile, Scratch};

use super::{Canonical, Figure, Method};

impl Method for Pipeline {
    fn name(&self) -> &str {
        self.method()
    }

    fn learn(&self, site: &str, pages: &[Page]) -> Box<dyn Canonical> {
        deployed(self.gather([self.learn_site(site, pages.to_vec())]))
    }
}

/// The engine of what was learned.
pub(crate) fn deployed(learned: Learned) -> Box<dyn Canonical> {
    let mut file = RuleFile::of_rules(learned.rules);
    file.add_models(learned.models.into_values()).expect("the model was written by its trainer");
    of_file(&file)
}

/// The engine of a rule file.
pub(crate) fn of_file(file: &RuleFile) -> Box<dyn Canonical> {
    Box::new(Deployed {
        rules: file.rules.rules().filter(|(_, rule)| rule.is_active()).count() as u64,
        report: file.models.values().next().map(|model| model.report.clone()),
        engine: Engine::new(file, Form::Key),
        scratch: Scratch::new(),
    })
}

struct Deployed {
    engine: Engine,
    scratch: Scratch,
    rules: u64,
    report: Option<Report>,
}

impl Canonical for Deployed {
    fn append_key(&mut self, url: &[u8], out: &mut Vec<u8>) {
        self.engine.canonicalize_into(url, &mut self.scratch, out);
    }

    fn is_skipped(&mut self, key: &[u8]) -> bool {
        self.engine.skips(key, &mut self.scratch).is_some()
    }

    fn rules(&self) -> u64 {
        self.rules
    }

    fn figures(&self) -> Vec<Figure> {
        let Some(report) = &self.report else { return Vec::new() };
        let Report {
            templates,
            changed,
            held_out,
            unchanged,
            exact,
            sure,
            sure_exact,
            answered,
            answered_exact,
            ..
        } = report;
        let share = |part: u64, all: u64| if all == 0 { 0.0 } else { part as f64 / all as f64 };
        let figures = [
            ("templates", *templates as f64),
            ("templates that become others", *changed as f64),
            ("templates held out from the network", *held_out as f64),
            ("of these right if left alone", share(*unchanged, *held_out)),
            ("of these translated exactly", share(*exact, *held_out)),
            ("of these translated with confidence 0.9", share(*sure, *held_out)),
            ("of those exactly", share(*sure_exact, *sure)),
            ("of these believed", share(*answered, *held_out)),
            ("of those believed, exactly", share(*answered_exact, *answered)),
        ];
        figures.map(|(name, value)| Figure { name: name.to_owned(), value }).to_vec()
    }
}
