//! `undust explain`: the way of a URL to its canonical form.

use std::io::Write;

use anyhow::Result;
use serde_json::{Value, json};
use undust::apply::{Naive, Step, Trace};
use undust::rules::{Rule, classify};

use crate::Outcome;
use crate::args::Explain;
use crate::talk::percent;

pub(super) fn run(args: &Explain) -> Result<Outcome> {
    let rules = args.applying.load()?;
    let engine = Naive::new(&rules, args.applying.form.into());
    let mut out = std::io::stdout().lock();
    for url in &args.urls {
        let trace = engine.trace(url.as_bytes());
        if args.json {
            writeln!(out, "{}", to_json(url, &trace))?;
        } else {
            out.write_all(to_text(url, &trace).as_bytes())?;
        }
    }
    Ok(Outcome::Fine)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn to_text(url: &str, trace: &Trace) -> String {
    let mut out = format!("{url}\n");
    for step in &trace.steps {
        out += &match step.rule {
            None => "  normalised\n".to_owned(),
            Some(rule) => describe(rule),
        };
        out += &format!("    = {}\n", text(&step.after));
    }
    out += match (trace.settled, trace.steps.is_empty()) {
        (false, _) => "  the rules run in a circle here: the URL stays as it was (see `undust check`)\n",
        (true, true) => "  no rule speaks of this URL\n",
        (true, false) => "",
    };
    out
}

fn describe(rule: &Rule) -> String {
    let (from, to) = rule.action.sides();
    let learner = rule.learner.as_deref().unwrap_or("written by hand");
    let mut out = format!("  rule {} ({}, {learner})\n", rule.id, classify(&rule.action).name());
    out += &format!("      {from}\n   -> {to}\n");
    if let Some(evidence) = &rule.evidence {
        out += &format!(
            "      saved {} URLs; {} of {} held-out URLs wrong, at most {} (95 % confidence)\n",
            evidence.saved,
            evidence.false_positives,
            evidence.trials,
            percent(evidence.bound)
        );
        for [a, b] in &evidence.examples {
            out += &format!("      seen: {a}\n          = {b}\n");
        }
    }
    out
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
        "steps": trace.steps.iter().map(step).collect::<Vec<_>>(),
    })
}
