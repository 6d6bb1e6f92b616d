//! Learning, scoring and clustering. Each function returns its warnings beside the result.

use anyhow::{Context, Result, bail};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use rayon::prelude::*;
use serde_json::{Value, json};
use undust::page::Page;
use undust::rules;
use undust_content::{cluster, read_body};
use undust_io::group::{BySite, Sites};
use undust_io::{Format, Input, ReadError, read_input, try_read_prepared, write_pages};
use undust_learn::again::is_decided;
use undust_learn::diff::SetDiff;
use undust_learn::registry::AUTO;
use undust_learn::registry::{self, LearnerInfo};
use undust_learn::{LearnOptions, LearnReport, Pipeline, SettingInfo};
use undust_neural::RuleFile;

use crate::canonicalizer::form_named;
use crate::crawl::Crawl;
use crate::error::raised;
use crate::keywords::{LearnKeywords, ReadKeywords, site_by};
use crate::messages::{self, counted};
use crate::rules::RuleSet;
use crate::source::Source;
use crate::to_python;

/// A result, and warnings for people.
type WithWarnings<T> = (T, Vec<String>);

/// Inputs to read, one after the other.
type Inputs = Vec<Result<Input, ReadError>>;

fn opened(sources: Vec<Source>) -> PyResult<Inputs> {
    sources.into_iter().map(Source::open).collect()
}

/// Runs `work` without the lock of the interpreter.
fn detached<T: Send>(py: Python<'_>, work: impl Send + FnOnce() -> Result<T>) -> PyResult<T> {
    py.detach(work).map_err(|error| raised(&error))
}

#[pyfunction]
pub(crate) fn learn(
    py: Python<'_>,
    sources: Vec<Source>,
    options: LearnKeywords,
    reading: ReadKeywords,
    memory: u64,
    keep: Option<&RuleSet>,
) -> PyResult<WithWarnings<RuleSet>> {
    let (inputs, earlier) = (opened(sources)?, keep.map(|rules| &**rules.file()));
    let ((file, summary), warnings) =
        detached(py, || learn_all(inputs, &options, &reading, memory, earlier))?;
    Ok((RuleSet::new(file, Some(summary)), warnings))
}

fn learn_all(
    inputs: Inputs,
    options: &LearnKeywords,
    reading: &ReadKeywords,
    memory: u64,
    earlier: Option<&RuleFile>,
) -> Result<WithWarnings<(RuleFile, Value)>> {
    let pipeline = options.pipeline(earlier.map(|earlier| earlier.rules.clone()))?;
    let mut pages = BySite::new(memory, pipeline.site_by());
    let mut warnings: Vec<String> = pipeline.note().into_iter().collect();
    let read = read_into(&mut pages, inputs, reading, &Pipeline::prepare, &mut warnings)?;
    let learned = reading.thread_pool()?.install(|| {
        let mut sites = Vec::new();
        for partition in pages.finish().context(NO_TEMPORARY_FILES)? {
            sites.extend(pipeline.learn_sites(partition.context(NO_TEMPORARY_FILES)?, |_| ()));
        }
        anyhow::Ok(pipeline.gather(sites))
    })?;
    if learned.report.urls == 0 {
        bail!(messages::nothing_to_learn_from(&pipeline, read));
    }
    let seen = learned.seen_rules();
    let mut file = RuleFile::of_rules(learned.rules);
    file.add_models(learned.models.into_values())?;
    if let Some(earlier) = earlier {
        file.keep_models(&learned.report, earlier);
    }
    let changes = earlier.and_then(|earlier| changes(&earlier.rules, &file.rules));
    warnings.extend(messages::of_learning(&learned.report, &pipeline));
    let hint = messages::hint(&seen, &file, &learned.report, changes.is_some());
    warnings.extend(hint.map(str::to_owned));
    let summary = summary(&file, &learned.report, changes, &pipeline);
    Ok(((file, summary), warnings))
}

const NO_TEMPORARY_FILES: &str = "cannot write or read temporary files";

/// Reads the pages of all inputs into `pages`, each shown to `prepare`; returns their number.
fn read_into(
    pages: &mut BySite,
    inputs: Inputs,
    reading: &ReadKeywords,
    prepare: &(dyn Fn(&mut Page) + Sync),
    warnings: &mut Vec<String>,
) -> Result<u64> {
    let (options, mut read) = (reading.options()?, 0);
    for input in inputs {
        let summary = try_read_prepared(input?, &options, prepare, &mut |page| {
            read += 1;
            pages.push(page).context(NO_TEMPORARY_FILES)
        })?;
        warnings.extend(messages::of_input(&summary));
    }
    Ok(read)
}

/// The difference to earlier rules, in numbers, if there were any.
fn changes(earlier: &rules::RuleSet, now: &rules::RuleSet) -> Option<Value> {
    let diff = SetDiff::new(earlier, now);
    let [new, gone, changed] = diff.counts();
    let as_before = diff.same + changed;
    let decided = now.rules().filter(|(_, rule)| is_decided(rule)).count();
    (gone + as_before > 0)
        .then(|| json!({ "decided": decided, "new": new, "gone": gone, "as_before": as_before }))
}

/// The report as `undust learn --json` prints it.
fn summary(file: &RuleFile, report: &LearnReport, changes: Option<Value>, pipeline: &Pipeline) -> Value {
    let mut summary = json!({ "rules": file.rules.rules().count(), "totals": report });
    if !file.models.is_empty() {
        let models = file.models.iter().map(|(site, model)| (site.clone(), json!(model.report)));
        summary["models"] = Value::Object(models.collect());
    }
    if pipeline.method() == AUTO {
        summary["learners"] = json!(report.learners);
    }
    if let Some(changes) = changes {
        summary["changes"] = changes;
    }
    summary
}

#[pyfunction]
pub(crate) fn evaluate<'py>(
    py: Python<'py>,
    rules: &RuleSet,
    sources: Vec<Source>,
    form: &str,
    normalize: bool,
    reading: ReadKeywords,
) -> PyResult<WithWarnings<Bound<'py, PyAny>>> {
    let (inputs, form) = (opened(sources)?, form_named(form)?);
    let (scores, warnings) = detached(py, || {
        let mut file = RuleFile::clone(rules.file());
        file.rules.normalize &= normalize;
        let (mut crawl, options, mut warnings) = (Crawl::new(&file, form), reading.options()?, Vec::new());
        for input in inputs {
            let summary = read_input(input?, &options, &mut |page| crawl.add(&page))?;
            warnings.extend(messages::of_input(&summary));
        }
        if crawl.scorer.unlabelled > 0 {
            let pages = counted(crawl.scorer.unlabelled, "page");
            warnings.push(format!("skipped {pages} with neither cluster nor digest"));
        }
        if crawl.scorer.labelled == 0 {
            bail!("no labelled page to score: the input needs a column 'cluster' or 'digest'");
        }
        Ok((json!(crawl.scorer.scores()), warnings))
    })?;
    Ok((to_python(py, &scores)?, warnings))
}

/// Pages as JSON lines, and the report.
type Clusters<'py> = (Bound<'py, PyBytes>, Bound<'py, PyAny>);

#[pyfunction]
pub(crate) fn cluster_pages<'py>(
    py: Python<'py>,
    sources: Vec<Source>,
    settings: Vec<(String, String)>,
    site_by: &str,
    reading: ReadKeywords,
    memory: u64,
) -> PyResult<WithWarnings<Clusters<'py>>> {
    let inputs = opened(sources)?;
    let (lines, report, warnings) =
        detached(py, || cluster_all(inputs, &settings, site_by, &reading, memory))?;
    Ok(((PyBytes::new(py, &lines), to_python(py, &json!(report))?), warnings))
}

fn cluster_all(
    inputs: Inputs,
    settings: &[(String, String)],
    by: &str,
    reading: &ReadKeywords,
    memory: u64,
) -> Result<(Vec<u8>, cluster::Report, Vec<String>)> {
    let set = |options: LearnOptions, (name, value): &(String, String)| options.set(name, value);
    let pipeline = settings.iter().fold(LearnOptions::new(), set).build()?;
    let (mut pages, mut warnings) = (BySite::new(memory, site_by(by)?), Vec::new());
    read_into(&mut pages, inputs, reading, &read_body, &mut warnings)?;
    let (mut sites, mut report) = (Sites::new(), cluster::Report::default());
    reading.thread_pool()?.install(|| {
        for partition in pages.finish().context(NO_TEMPORARY_FILES)? {
            let one = |(site, mut pages): (String, Vec<Page>)| {
                let report = cluster::cluster(&site, &mut pages, pipeline.clustering());
                ((site, pages), report)
            };
            let partition = partition.context(NO_TEMPORARY_FILES)?;
            for (site, found) in partition.into_par_iter().map(one).collect::<Vec<_>>() {
                sites.push(site);
                report.merge(found);
            }
        }
        anyhow::Ok(())
    })?;
    if report.pages == 0 {
        bail!("nothing to cluster: the input has no pages");
    }
    if report.pages == report.unknown {
        let pages = counted(report.pages, "page");
        bail!(
            "nothing to compare pages by: they need html, text, a digest, a simhash or the like ({pages}, none like that)"
        );
    }
    sites.sort_by(|a, b| a.0.cmp(&b.0));
    let mut lines = Vec::new();
    write_pages(&mut lines, sites.iter().flat_map(|(_, pages)| pages), Format::Jsonl)?;
    Ok((lines, report, warnings))
}

/// The learners that can be asked for by name, as the registry has them.
#[pyfunction]
pub(crate) fn learners(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    let learner = |info: &LearnerInfo| {
        json!({
            "name": info.name,
            "about": info.about,
            "paper": info.paper,
            "needs_labels": info.needs_labels,
            "trains_model": info.trains_model,
            "settings": info.settings().iter().map(setting).collect::<Vec<_>>(),
        })
    };
    to_python(py, &Value::Array(registry::methods().map(learner).collect()))
}

/// All settings: those of learning, of clustering and of each learner.
#[pyfunction]
pub(crate) fn settings(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    to_python(py, &Value::Array(undust_learn::settings().iter().map(setting).collect()))
}

fn setting(info: &SettingInfo) -> Value {
    json!({
        "name": format!("{}.{}", info.group, info.key),
        "value": info.value,
        "default": info.default,
        "help": info.help,
    })
}
