//! Why a URL has its canonical form: the steps of rules and model, and the rule that skips it.

use std::collections::HashSet;

use serde_json::{Value, json};
use undust::apply::{Form, Naive, Step, Trace};
use undust::rules::{Rule, RuleSet};

use crate::apply::{Because, Engine, MAX_TURNS, Said, Scratch};

/// The steps of a URL to its canonical form: what rules do, what the model then says, what rules do with that, and so on.
#[derive(Debug)]
#[non_exhaustive]
pub struct Explanation<'r> {
    /// The URL.
    pub url: Vec<u8>,
    /// Turns of rules and model.
    pub turns: Vec<(Trace<'r>, Option<Said>)>,
    /// The canonical form.
    pub canonical: Vec<u8>,
    /// The rule that skips it.
    pub skip: Option<&'r Rule>,
}

/// Steps shown of a URL that grows without end.
const MAX_STEPS_SHOWN: usize = 10;

impl<'r> Explanation<'r> {
    /// Explains a URL; `engine` is that of the same rules and form.
    pub fn new(url: &[u8], rules: &'r RuleSet, form: Form, engine: &Engine) -> Explanation<'r> {
        let rules = Naive::new(rules, form);
        let mut canonical = Vec::new();
        engine.canonicalize_into(url, &mut Scratch::new(), &mut canonical);
        let skip = rules.skips(&canonical);
        let (mut turns, mut now) = (Vec::new(), url.to_vec());
        loop {
            let trace = rules.trace(&now);
            let is_end = trace.result == canonical || turns.len() == MAX_TURNS;
            let said = if is_end { None } else { engine.explain(&trace.result) };
            let next = said.as_ref().map(|said| said.url.clone());
            turns.push((trace, said));
            match next {
                Some(next) => now = next,
                None => return Explanation { url: url.to_vec(), turns, canonical, skip },
            }
        }
    }

    /// The steps of a turn that are worth showing: all of them, but of a circle only once round.
    pub fn steps<'t>(&self, trace: &'t Trace<'r>) -> &'t [Step<'r>] {
        if trace.settled {
            return &trace.steps;
        }
        let mut seen = HashSet::from([self.url.as_slice()]);
        let round = trace.steps.iter().position(|step| !seen.insert(&step.after));
        let most = round.map_or(MAX_STEPS_SHOWN, |last| last + 1);
        &trace.steps[..most.min(trace.steps.len())]
    }

    /// The explanation as `undust explain --json` prints it.
    pub fn to_json(&self) -> Value {
        let step = |step: &Step| json!({ "rule": step.rule.map(rule_json), "after": text(&step.after) });
        let turn = |(trace, model): &(Trace<'r>, Option<Said>)| {
            self.steps(trace).iter().map(step).chain(model.iter().map(said_json)).collect::<Vec<_>>()
        };
        json!({
            "url": text(&self.url),
            "canonical": text(&self.canonical),
            "settled": self.turns.iter().all(|(trace, _)| trace.settled),
            "steps": self.turns.iter().flat_map(turn).collect::<Vec<_>>(),
            "skip": self.skip.map(rule_json),
        })
    }
}

fn rule_json(rule: &Rule) -> Value {
    let (from, to) = rule.action.sides();
    json!({
        "id": rule.id, "from": from, "to": to, "learner": rule.learner,
        "evidence": rule.evidence, "validation": rule.validation,
    })
}

fn said_json(said: &Said) -> Value {
    let because = match &said.because {
        Because::Known(known) => json!({ "urls": known.urls, "trials": known.trials, "wrong": known.wrong }),
        Because::Sure { confidence, .. } => json!({ "confidence": confidence }),
    };
    let model = json!({ "from": said.from, "to": said.to, "evidence": because });
    json!({ "model": model, "after": text(&said.url) })
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
