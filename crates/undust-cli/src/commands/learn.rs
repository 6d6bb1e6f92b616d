//! `undust learn`: pages in, rules out, and tables to look at.

mod again;
mod models;
mod observer;
mod show;

use std::collections::BTreeMap;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use undust::rules::RuleSet;
use undust_io::group::BySite;
use undust_learn::registry::AUTO;
use undust_learn::{LearnOptions, LearnReport, Learned, Pipeline, settings};
use undust_neural::rule_file::model_path;
use undust_neural::{RuleFile, trainer};

use super::{Read, opened, print_json, read_into};
use crate::args::Learn;
use crate::messages::{counted, report_problems, say, thousands};
use crate::progress::Sites;
use crate::report::{Collector, Facts};
use crate::rules_file;
use crate::{Outcome, output, report};
use again::Changes;
use observer::{Clock, SiteObserver};
pub(crate) use show::left_out;
pub(super) use show::{show, show_learners};

pub(super) fn run(args: &Learn) -> Result<Outcome> {
    if args.help_settings {
        return show_settings();
    }
    output::check_place(&args.output, &args.inputs, args.json, "rules")?;
    if let Some(path) = &args.report {
        report::check_place(path, &args.output, &args.inputs)?;
    }
    let earlier = again::earlier(args)?;
    let pipeline = pipeline(args, earlier.as_ref())?;
    if pipeline.info().trains_model || earlier.as_ref().is_some_and(|earlier| !earlier.models.is_empty()) {
        check_model_place(args)?;
    }
    pipeline.note().iter().for_each(|note| say(note));
    let mut pages = BySite::new(args.grouping.memory, args.grouping.site_by);
    let read =
        read_into(&mut pages, opened(&args.inputs), &args.reading, &Pipeline::prepare, &report_problems)?;
    let collector = Collector::new(args.report.is_some(), pipeline.config());
    let Run { mut file, report, seen, seconds } =
        args.reading.thread_pool()?.install(|| learn_all(&pipeline, pages, &collector))?;
    if report.urls == 0 {
        bail!(nothing_to_learn_from(&pipeline, read));
    }
    let report = &report;
    for line in warnings(report, &pipeline) {
        say(&line);
    }
    if let Some(earlier) = &earlier {
        file.keep_models(report, earlier);
    }
    let changes =
        earlier.as_ref().map(|earlier| Changes::new(&earlier.rules, &file.rules)).filter(Changes::were_any);
    let backup = if args.fresh { rules_file::back_up(&args.output)? } else { None };
    let model_path = rules_file::save_with_models(&args.output, &mut file)?;
    let is_auto = pipeline.method() == AUTO;
    if args.json {
        print_json(&summary(&file, report, changes.as_ref(), is_auto))?;
    } else if !output::is_stdout(&args.output) {
        show(&seen, report)?;
        if is_auto {
            show_learners(&report.learners, &seconds)?;
        }
        models::show(&file.models)?;
        say(&format!("rules written to {}", args.output.display()));
        again::say_where(args, model_path.as_deref(), backup.as_deref(), earlier.as_ref());
    }
    changes.iter().flat_map(Changes::told).for_each(|line| say(&line));
    if let Some(path) = &args.report {
        let facts = Facts {
            inputs: &args.inputs,
            read,
            method: pipeline.method(),
            config: pipeline.config(),
            total: report,
            rules: &seen,
            models: file.models.len() as u64,
            // The same input gives the same page.
            seconds: BTreeMap::new(),
        };
        report::save(path, &facts, collector)?;
        say(&format!("report written to {}", path.display()));
    }
    if let Some(hint) = hint(&seen, &file, report, changes.is_some()) {
        say(hint);
    }
    Ok(Outcome::Fine)
}

/// The pipeline that the arguments ask for, which keeps decisions on `earlier` rules.
fn pipeline(args: &Learn, earlier: Option<&RuleFile>) -> Result<Pipeline> {
    again::check_sites(args, earlier)?;
    let mut options = LearnOptions::new()
        .method(&args.method)
        .max_fpr(args.max_fpr)
        .max_urls(args.max_urls)
        .seed(args.seed)
        .site_by(args.grouping.site_by)
        .skips(!args.no_skips)
        .likely(args.likely)
        .earlier(earlier.map(|earlier| earlier.rules.clone()))
        .trainer(trainer);
    args.old.warnings(&args.method).iter().for_each(|line| say(line));
    for (name, value) in args.old.settings(&args.method).chain(args.set.iter().cloned()) {
        options = options.set(&name, &value);
    }
    Ok(options.build()?)
}

/// What a run learned.
pub(super) struct Run {
    pub(super) file: RuleFile,
    pub(super) report: LearnReport,
    /// The rules of the sites learned from, without those that were refused.
    pub(super) seen: RuleSet,
    /// Seconds by learner.
    pub(super) seconds: BTreeMap<String, f64>,
}

/// Learns every site, those of one partition side by side.
pub(super) fn learn_all(pipeline: &Pipeline, pages: BySite, collector: &Collector) -> Result<Run> {
    let (mut sites, clock) = (Vec::new(), Clock::default());
    for partition in pages.finish().context("cannot write temporary files")? {
        let mut partition = partition.context("cannot read temporary files")?;
        // URLs without a host have no site to learn rules for.
        partition.retain(|(site, _)| !site.is_empty());
        let progress = Sites::new("sites learned", partition.len() as u64);
        let observer = |site: &str| SiteObserver::new(progress.begin(site), &clock, collector);
        sites.extend(pipeline.learn_sites(partition, observer));
        progress.finish();
    }
    let learned = pipeline.gather(sites);
    let seen = learned.seen_rules();
    let Learned { rules, models, report, .. } = learned;
    let mut file = RuleFile::of_rules(rules);
    file.add_models(models.into_values())?;
    Ok(Run { file, report, seen, seconds: clock.into_seconds() })
}

/// What a person should know of the run.
fn warnings(report: &LearnReport, pipeline: &Pipeline) -> Vec<String> {
    let nothing = report.nothing.iter();
    let mut lines: Vec<String> = nothing
        .map(|(why, sites)| format!("nothing was learned on {}: {why}", counted(*sites, "site")))
        .collect();
    if report.sampled_sites > 0 {
        let (sites, most) = (counted(report.sampled_sites, "site"), thousands(pipeline.max_urls() as u64));
        lines.push(format!("of {sites} with more than {most} URLs, a sample was learned from (--max-urls)"));
    }
    lines.extend(again::warnings(report, pipeline.config().max_fpr));
    lines
}

fn nothing_to_learn_from(pipeline: &Pipeline, read: Read) -> String {
    if read.pages == 0 {
        return "nothing to learn from: the input has no pages".to_owned();
    }
    let (labels, hint) = if pipeline.info().needs_labels {
        (" with a cluster or a digest", "; --method dustbuster needs neither")
    } else {
        ("", "")
    };
    let pages = counted(read.pages, "page");
    format!(
        "nothing to learn from: '{}' needs full URLs{labels} ({pages}, none like that){hint}",
        pipeline.method()
    )
}

/// Fails now if the models could not be written.
fn check_model_place(args: &Learn) -> Result<()> {
    if output::is_stdout(&args.output) {
        bail!("models are written next to the rules: name a file with -o");
    }
    output::check_place(&model_path(&args.output), &args.inputs, args.json, "models")
}

/// What `--json` prints.
fn summary(file: &RuleFile, report: &LearnReport, changes: Option<&Changes>, is_auto: bool) -> Value {
    let mut summary = json!({ "rules": file.rules.rules().count(), "totals": report });
    if !file.models.is_empty() {
        let reports: BTreeMap<_, _> = file.models.iter().map(|(site, model)| (site, &model.report)).collect();
        summary["models"] = json!(reports);
    }
    if is_auto {
        summary["learners"] = json!(report.learners);
    }
    if let Some(changes) = changes {
        summary["changes"] = json!(changes);
    }
    summary
}

/// What to do where there is no rule to use.
fn hint(seen: &RuleSet, file: &RuleFile, report: &LearnReport, has_changes: bool) -> Option<&'static str> {
    if seen.sites.is_empty() && has_changes {
        // What there was is gone or refused, and that was said.
        None
    } else if seen.sites.is_empty() && report.clusters == 0 {
        Some("no rule is likely: more URLs of the same sites help, or a smaller --set dustbuster.min-support")
    } else if seen.sites.is_empty() && file.models.is_empty() {
        Some("no rule was sure enough: more labelled URLs of the same sites help, or a larger --max-fpr")
    } else if !seen.sites.is_empty() && seen.rules().all(|(_, rule)| !rule.is_active()) {
        Some("likely rules are not applied before they are tried out: see undust validate --help")
    } else {
        None
    }
}

/// `--help-settings`: every setting with its default.
fn show_settings() -> Result<Outcome> {
    use std::io::Write;

    let mut out = output::stdout();
    let mut group = "";
    for setting in settings() {
        if setting.group != group {
            let gap = if group.is_empty() { "" } else { "\n" };
            group = setting.group;
            writeln!(out, "{gap}{group}")?;
        }
        let name = format!("{group}.{}={}", setting.key, setting.value);
        writeln!(out, "  {name:<42} {} [default: {}]", setting.help, setting.default)?;
    }
    Ok(Outcome::Fine)
}
