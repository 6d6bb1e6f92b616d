//! What `undust learn --method seq2seq` shows of the models beside the rules.

use std::io::Write;

use anyhow::Result;
use undust_neural::file::Models;
use undust_neural::model::{Model, Report};

use crate::messages::{counted, thousands};
use crate::output;

/// Models shown; `--json` has them all.
const MAX_MODELS_SHOWN: usize = 20;

/// What the models know beyond the rules.
pub(super) fn show(models: &Models) -> Result<()> {
    let mut out = output::stdout();
    for (site, model) in models.iter().take(MAX_MODELS_SHOWN) {
        write_model(&mut out, site, model)?;
    }
    if models.len() > MAX_MODELS_SHOWN {
        writeln!(out, "… and {} more models (--json has them all)", models.len() - MAX_MODELS_SHOWN)?;
    }
    Ok(())
}

fn write_model(out: &mut impl Write, site: &str, model: &Model) -> Result<()> {
    let Report {
        templates,
        changed,
        beyond_rules,
        held_out,
        unchanged,
        exact,
        answered,
        answered_exact,
        silent,
        ..
    } = &model.report;
    let (changed, templates) = (thousands(*changed), counted(*templates, "template"));
    writeln!(
        out,
        "
model of {site}: {changed} of {templates} become others, {} of them not by rules",
        thousands(*beyond_rules)
    )?;
    let untaught = counted(*held_out, "template");
    let (exact, unchanged) = (thousands(*exact), thousands(*unchanged));
    writeln!(
        out,
        "  of {untaught} that it was not taught, a network translates {exact} exactly ({unchanged} stay as they are)"
    )?;
    if let Some(why) = &model.report.on_cpu {
        writeln!(out, "  it was trained on the CPU: {why}")?;
    }
    match (silent, &model.speaker) {
        (None, Some(speaker)) => writeln!(
            out,
            "  it is believed where it is sure by {:.2}: {} of these, {} exactly",
            speaker.threshold,
            thousands(*answered),
            thousands(*answered_exact)
        )?,
        (why, _) => writeln!(out, "  it is not used: {}", why.as_deref().unwrap_or("it was not kept"))?,
    }
    Ok(())
}
