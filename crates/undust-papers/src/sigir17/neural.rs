//! The learner in the experiment of SIGIR 2017, rules and model together.

use undust::apply::Form;
use undust::page::Page;
use undust::rules::RuleSet;
use undust_learn::learn::Learner;
use undust_learn::pipeline::Config;

use undust_neural::apply::{Interpreter, Scratch};
use undust_neural::auto::Auto;
use undust_neural::file::Models;
use undust_neural::learner::{Lesson, Seq2seq};
use undust_neural::model::Report;

use super::{Canonical, Figure, Method};

/// The learner, with the settings of a pipeline.
pub struct Seq2seqMethod {
    /// The learner.
    pub learner: Seq2seq,
    /// How rules are learned.
    pub config: Config,
}

/// All learners together, with the settings of a pipeline.
pub struct AutoMethod {
    /// The learners.
    pub auto: Auto,
    /// How rules are learned.
    pub config: Config,
}

impl Method for AutoMethod {
    fn name(&self) -> &str {
        self.auto.pool().name()
    }

    fn learn(&self, site: &str, pages: &[Page]) -> Box<dyn Canonical> {
        deployed(site, self.auto.learn_site(site, pages.to_vec(), &self.config, true), &self.config)
    }
}

impl Method for Seq2seqMethod {
    fn name(&self) -> &str {
        self.learner.name()
    }

    fn learn(&self, site: &str, pages: &[Page]) -> Box<dyn Canonical> {
        deployed(site, self.learner.learn_site(site, pages, &self.config), &self.config)
    }
}

/// What was learned, as it is used.
fn deployed(site: &str, lesson: Lesson, config: &Config) -> Box<dyn Canonical> {
    let Lesson { learned, model, .. } = lesson;
    let report = model.as_ref().map(|model| model.report.clone());
    let rules = RuleSet::of_site(site, config.site_by, learned.rules.rules);
    let models: Models = model.into_iter().map(|model| (site.to_owned(), model)).collect();
    Box::new(Deployed {
        rules: rules.rules().count() as u64,
        interpreter: Interpreter::new(&rules, models, Form::Key),
        scratch: Scratch::new(),
        report,
    })
}

struct Deployed {
    interpreter: Interpreter,
    scratch: Scratch,
    rules: u64,
    report: Option<Report>,
}

impl Canonical for Deployed {
    fn append_key(&mut self, url: &[u8], out: &mut Vec<u8>) {
        self.interpreter.append(url, &mut self.scratch, out);
    }

    fn is_skipped(&mut self, key: &[u8]) -> bool {
        self.interpreter.skips(key, &mut self.scratch).is_some()
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
