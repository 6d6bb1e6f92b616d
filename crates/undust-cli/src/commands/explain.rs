//! `undust explain`: the way of a URL to its canonical form, and whether that is skipped.

use std::io::{self, Write};

use anyhow::Result;
use undust::rules::{Evidence, Rule, TriedBy, Validation, Verdict, classify};
use undust_neural::apply::{Because, Said};
use undust_neural::model::Known;
use undust_neural::{Engine, Explanation};

use crate::args::Explain;
use crate::messages::{counted, percent_at_most, thousands};
use crate::{Outcome, output};

pub(super) fn run(args: &Explain) -> Result<Outcome> {
    let file = args.applying.canonicalize.load(&args.applying.rules)?;
    let form = args.applying.canonicalize.form.into();
    let engine = Engine::new(&file, form);
    let mut out = output::stdout();
    for url in &args.urls {
        let explanation = Explanation::new(url.as_bytes(), &file.rules, form, &engine);
        if args.json {
            writeln!(out, "{}", explanation.to_json())?;
        } else {
            write_text(&mut out, url, &explanation)?;
        }
    }
    Ok(Outcome::Fine)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn write_text(out: &mut impl Write, url: &str, explanation: &Explanation) -> io::Result<()> {
    writeln!(out, "{url}")?;
    let mut is_silent = true;
    for (trace, said) in &explanation.turns {
        for step in explanation.steps(trace) {
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
    if let Some(rule) = explanation.skip {
        write_rule(out, rule)?;
    } else if is_silent {
        writeln!(out, "  no rule matches this URL")?;
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
