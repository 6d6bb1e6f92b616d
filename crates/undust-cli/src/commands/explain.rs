//! `undust explain`: the way of a URL to its canonical form.

use std::collections::HashSet;
use std::io::{self, Write};

use anyhow::Result;
use serde_json::{Value, json};
use undust::apply::{Naive, Step, Trace};
use undust::rules::{Rule, Validation, classify};

use crate::Outcome;
use crate::args::Explain;
use crate::rules_file::Deployed;
use crate::talk::{counted, percent, thousands};

pub(super) fn run(args: &Explain) -> Result<Outcome> {
    let Deployed { rules, models: _ } = args.applying.manner.load(&args.applying.rules)?;
    let engine = Naive::new(&rules, args.applying.manner.form.into());
    let mut out = std::io::stdout().lock();
    for url in &args.urls {
        let trace = engine.trace(url.as_bytes());
        if args.json {
            writeln!(out, "{}", to_json(url, &trace))?;
        } else {
            write_text(&mut out, url, &trace)?;
        }
    }
    Ok(Outcome::Fine)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Steps shown of a URL that grows without end.
const MOST_STEPS: usize = 10;

/// The steps worth showing: all of them, but of a circle only once round.
fn shown<'t, 'r>(url: &str, trace: &'t Trace<'r>) -> &'t [Step<'r>] {
    if trace.settled {
        return &trace.steps;
    }
    let mut seen = HashSet::from([url.as_bytes()]);
    let round = trace.steps.iter().position(|step| !seen.insert(&step.after));
    let most = round.map_or(MOST_STEPS, |last| last + 1);
    &trace.steps[..most.min(trace.steps.len())]
}

fn write_text(out: &mut impl Write, url: &str, trace: &Trace) -> io::Result<()> {
    writeln!(out, "{url}")?;
    for step in shown(url, trace) {
        match step.rule {
            None => writeln!(out, "  normalised")?,
            Some(rule) => write_rule(out, rule)?,
        }
        writeln!(out, "    = {}", text(&step.after))?;
    }
    match (trace.settled, trace.steps.is_empty()) {
        (false, _) => {
            writeln!(out, "  the rules run in a circle here: the URL stays as it was (see `undust check`)")
        }
        (true, true) => writeln!(out, "  no rule speaks of this URL"),
        (true, false) => Ok(()),
    }
}

fn write_rule(out: &mut impl Write, rule: &Rule) -> io::Result<()> {
    let (from, to) = rule.action.sides();
    let learner = rule.learner.as_deref().unwrap_or("written by hand");
    writeln!(out, "  rule {} ({}, {learner})", rule.id, classify(&rule.action).name())?;
    writeln!(out, "      {from}\n   -> {to}")?;
    if let Some(validation) = &rule.validation {
        let Validation { verdict, positive, negative, .. } = validation;
        let tried = counted(positive + negative, "URL");
        writeln!(out, "      {}: tried on {tried}, {negative} led elsewhere", verdict.name())?;
    }
    let Some(evidence) = &rule.evidence else { return Ok(()) };
    writeln!(
        out,
        "      saved {}; of {}, {} wrong: at most {} (95 % confidence)",
        counted(evidence.saved, "URL"),
        counted(evidence.trials, "held-out URL"),
        thousands(evidence.false_positives),
        percent(evidence.bound)
    )?;
    for [a, b] in &evidence.examples {
        writeln!(out, "      seen: {a}\n          = {b}")?;
    }
    Ok(())
}

fn to_json(url: &str, trace: &Trace) -> Value {
    let step = |step: &Step| {
        let rule = step.rule.map(|rule| {
            let (from, to) = rule.action.sides();
            json!({ "id": rule.id, "from": from, "to": to, "learner": rule.learner, "evidence": rule.evidence })
        });
        json!({ "rule": rule, "after": text(&step.after) })
    };
    json!({
        "url": url,
        "canonical": text(&trace.result),
        "settled": trace.settled,
        "steps": shown(url, trace).iter().map(step).collect::<Vec<_>>(),
    })
}
