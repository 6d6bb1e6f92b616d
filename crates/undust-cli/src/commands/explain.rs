//! `undust explain`: the way of a URL to its canonical form, and whether that is skipped.

use std::collections::HashSet;
use std::io::{self, Write};

use anyhow::Result;
use serde_json::{Value, json};
use undust::apply::{Form, Naive, Step, Trace};
use undust::rules::{Evidence, Rule, RuleSet, TriedBy, Validation, Verdict, classify};

use undust_neural::apply::{Because, Engine, MAX_TURNS, Said, Scratch};
use undust_neural::model::Known;

use crate::args::Explain;
use crate::rules_file::Deployed;
use crate::talk::{counted, percent_at_most, thousands};
use crate::{Outcome, output};

pub(super) fn run(args: &Explain) -> Result<Outcome> {
    let Deployed { rules, models } = args.applying.manner.load(&args.applying.rules)?;
    let form = args.applying.manner.form.into();
    let both = Engine::new(&rules, models, form);
    let mut out = output::stdout();
    for url in &args.urls {
        let way = Way::of(url.as_bytes(), &Naive::new(&rules, form), &both);
        if args.json {
            writeln!(out, "{}", to_json(url, &way))?;
        } else {
            write_text(&mut out, url, &way)?;
        }
    }
    Ok(Outcome::Fine)
}

/// The way of a URL, as `--json` prints it.
pub(crate) fn explained(url: &[u8], rules: &RuleSet, form: Form, both: &Engine) -> Value {
    to_json(&text(url), &Way::of(url, &Naive::new(rules, form), both))
}

/// The way of a URL: what rules do, what the model then says, what rules do with that, and so on.
struct Way<'r> {
    turns: Vec<(Trace<'r>, Option<Said>)>,
    canonical: Vec<u8>,
    /// The rule that says that it need not be fetched.
    skip: Option<&'r Rule>,
}

impl<'r> Way<'r> {
    fn of(url: &[u8], rules: &Naive<'r>, both: &Engine) -> Way<'r> {
        let mut canonical = Vec::new();
        both.append(url, &mut Scratch::new(), &mut canonical);
        let skip = rules.skips(&canonical);
        let (mut turns, mut now) = (Vec::new(), url.to_vec());
        loop {
            let trace = rules.trace(&now);
            let is_end = trace.result == canonical || turns.len() == MAX_TURNS;
            let said = if is_end { None } else { both.explain(&trace.result) };
            let next = said.as_ref().map(|said| said.url.clone());
            turns.push((trace, said));
            match next {
                Some(next) => now = next,
                None => return Way { turns, canonical, skip },
            }
        }
    }
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

fn write_text(out: &mut impl Write, url: &str, way: &Way) -> io::Result<()> {
    writeln!(out, "{url}")?;
    let mut is_silent = true;
    for (trace, said) in &way.turns {
        for step in shown(url, trace) {
            match step.rule {
                None => writeln!(out, "  normalised")?,
                Some(rule) => write_rule(out, rule)?,
            }
            writeln!(out, "    = {}", text(&step.after))?;
            is_silent = false;
        }
        if !trace.settled {
            writeln!(out, "  the rules run in a circle here: the URL stays as it was (see `undust check`)")?;
            is_silent = false;
        }
        if let Some(said) = said {
            write_said(out, said)?;
            is_silent = false;
        }
    }
    if let Some(rule) = way.skip {
        write_rule(out, rule)?;
    } else if is_silent {
        writeln!(out, "  no rule speaks of this URL")?;
    }
    Ok(())
}

fn write_said(out: &mut impl Write, Said { url, from, to, because }: &Said) -> io::Result<()> {
    writeln!(out, "  model\n      {from}\n   -> {to}")?;
    match because {
        Because::Known(Known { urls, trials, wrong, .. }) => {
            let (seen, tried) = (counted(*urls, "URL"), counted(*trials, "held-out URL"));
            writeln!(
                out,
                "      seen of {seen}; of {tried} made equal to another one, {} wrong",
                thousands(*wrong)
            )?;
        }
        Because::Sure { confidence, threshold } => {
            writeln!(
                out,
                "      not seen before; the network is sure by {confidence:.3}, and believed from {threshold:.2}"
            )?;
        }
    }
    writeln!(out, "    = {}", text(url))
}

fn write_rule(out: &mut impl Write, rule: &Rule) -> io::Result<()> {
    let (from, to) = rule.action.sides();
    let learner = rule.learner.as_deref().unwrap_or("written by hand");
    match classify(&rule.action) {
        Some(class) => {
            writeln!(out, "  rule {} ({}, {learner})\n      {from}\n   -> {to}", rule.id, class.name())?;
        }
        None => writeln!(out, "  skipped by rule {} ({learner})\n      {from}", rule.id)?,
    }
    if let Some(validation) = &rule.validation {
        writeln!(out, "      {}", seen_by_trying(validation))?;
    }
    if let Some(evidence) = &rule.evidence {
        write_evidence(out, rule, evidence)?;
    }
    Ok(())
}

/// What trying the rule out has shown: `validated by 95 fetched pairs: 95 same, 0 other`.
fn seen_by_trying(validation: &Validation) -> String {
    let Validation { verdict, by, positive, negative, .. } = validation;
    if positive + negative == 0 {
        return format!("{}: not tried out (see `undust validate`)", verdict.name());
    }
    let result = match verdict {
        Verdict::Valid => "validated",
        Verdict::Invalid => "refuted",
        Verdict::Likely | Verdict::Open => "not decided",
    };
    let pair = match by {
        Some(TriedBy::Fetching) => "fetched pair",
        Some(TriedBy::Labels) => "labelled pair",
        None => "pair",
    };
    let pairs = counted(positive + negative, pair);
    format!("{result} by {pairs}: {} same, {} other", thousands(*positive), thousands(*negative))
}

/// What the learner saw. Without held-out URLs nothing bounds the errors, and there is no sense in saying that they are at most 100 %.
fn write_evidence(out: &mut impl Write, rule: &Rule, evidence: &Evidence) -> io::Result<()> {
    let (saved, trial, wrong) = if rule.action.is_skip() {
        ("skipped", "held-out page", "lost")
    } else {
        ("saved", "held-out URL", "wrong")
    };
    if evidence.trials > 0 {
        writeln!(
            out,
            "      {saved} {}; of {}, {} {wrong}: at most {} (95 % confidence)",
            counted(evidence.saved, "URL"),
            counted(evidence.trials, trial),
            thousands(evidence.false_positives),
            percent_at_most(evidence.bound)
        )?;
    } else {
        let pairs = counted(evidence.support, "pair");
        writeln!(out, "      suggested by {pairs} of URLs; not judged on held-out ones")?;
    }
    for [a, b] in &evidence.examples {
        writeln!(out, "      seen: {a}\n          = {b}")?;
    }
    Ok(())
}

fn to_json(url: &str, way: &Way) -> Value {
    let rule = |rule: &Rule| {
        let (from, to) = rule.action.sides();
        json!({
            "id": rule.id, "from": from, "to": to, "learner": rule.learner,
            "evidence": rule.evidence, "validation": rule.validation,
        })
    };
    let step = |step: &Step| json!({ "rule": step.rule.map(rule), "after": text(&step.after) });
    let said = |said: &Said| {
        let because = match &said.because {
            Because::Known(known) => {
                json!({ "urls": known.urls, "trials": known.trials, "wrong": known.wrong })
            }
            Because::Sure { confidence, .. } => json!({ "confidence": confidence }),
        };
        let model = json!({ "from": said.from, "to": said.to, "evidence": because });
        json!({ "model": model, "after": text(&said.url) })
    };
    let turn = |(trace, model): &(Trace, Option<Said>)| {
        shown(url, trace).iter().map(step).chain(model.iter().map(said)).collect::<Vec<_>>()
    };
    json!({
        "url": url,
        "canonical": text(&way.canonical),
        "settled": way.turns.iter().all(|(trace, _)| trace.settled),
        "steps": way.turns.iter().flat_map(turn).collect::<Vec<_>>(),
        "skip": way.skip.map(rule),
    })
}
