//! What `undust learn --method seq2seq` adds: models beside the rules.

use std::collections::BTreeMap;
use std::io::Write;

use anyhow::{Result, bail};
use undust_learn::pipeline::Learned;
use undust_neural::file::Models;
use undust_neural::learner::{Lesson, Seq2seq};
use undust_neural::model::{Model, Report};
use undust_neural::teach::{Settings, Trainer};

use crate::args::{self, Learn};
use crate::output;
use crate::rules_file::models_beside;
#[cfg(feature = "gpu")]
use crate::talk::say;
use crate::talk::{counted, thousands};

/// Fail now if the models could not be written.
pub(super) fn check_place(args: &Learn) -> Result<()> {
    if output::is_stdout(&args.output) {
        bail!("seq2seq writes models next to the rules: name a file with -o");
    }
    output::check_place(&models_beside(&args.output), &args.inputs, args.json, "models")
}

/// The learner that the arguments ask for.
pub(super) fn learner(args: &args::Seq2seq, seed: u64) -> Seq2seq {
    let settings = if args.paper { Settings::paper() } else { Settings::default() };
    let hidden = args.hidden.map_or(settings.hidden, usize::from);
    let settings = Settings { seed, trainer: trainer(args), ..settings.with_hidden(hidden) };
    Seq2seq { settings, paper: args.paper, known_only: false }
}

#[cfg(not(feature = "gpu"))]
fn trainer(_: &args::Seq2seq) -> Trainer {
    Trainer::Cpu
}

/// The GPU if it is asked for and there; else the CPU does it.
#[cfg(feature = "gpu")]
fn trainer(args: &args::Seq2seq) -> Trainer {
    use std::sync::{Arc, Mutex};
    use undust_neural::network::gpu::Gpu;

    if !args.gpu {
        return Trainer::Cpu;
    }
    match Gpu::open() {
        Ok(gpu) => {
            say(&format!("training on {}", gpu.name()));
            Trainer::Gpu(Arc::new(Mutex::new(gpu)))
        }
        Err(why) => {
            say(&format!("{why}: training on the CPU"));
            Trainer::Cpu
        }
    }
}

/// Rules and models apart.
pub(super) fn take_apart(lessons: Vec<Lesson>) -> (Vec<Learned>, Models, Vec<String>) {
    let (mut learned, mut models) = (Vec::new(), BTreeMap::new());
    let mut nothing: BTreeMap<String, u64> = BTreeMap::new();
    for lesson in lessons {
        if let Some(model) = lesson.model {
            models.insert(lesson.learned.rules.site.clone(), model);
        }
        if let Some(why) = lesson.nothing {
            *nothing.entry(why).or_default() += 1;
        }
        learned.push(lesson.learned);
    }
    let said = |(why, sites)| format!("nothing was learned on {}: {why}", counted(sites, "site"));
    (learned, models, nothing.into_iter().map(said).collect())
}

/// Models shown; `--json` has them all.
const MOST_MODELS: usize = 20;

/// What the models know beyond the rules.
pub(super) fn show(models: &Models) -> Result<()> {
    let mut out = output::stdout();
    for (site, model) in models.iter().take(MOST_MODELS) {
        write_model(&mut out, site, model)?;
    }
    if models.len() > MOST_MODELS {
        writeln!(out, "… and {} more models (--json has them all)", models.len() - MOST_MODELS)?;
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
