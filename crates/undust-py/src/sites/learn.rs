//! Rules of one site after the other.

use std::sync::Arc;
use std::time::Duration;

use arrow_array::RecordBatch;
use arrow_array::builder::{BinaryBuilder, Float64Builder, Int64Builder, StringBuilder};
use pyo3::prelude::*;
use pyo3_arrow::PyRecordBatch;
use pyo3_arrow::input::AnyRecordBatch;
use undust::page::Page;
use undust::rules::{self, SiteRules};
use undust_io::guard::{GuardError, guarded};
use undust_learn::{LearnedSite, PageSample, Pipeline};
use undust_neural::RuleFile;

use super::{BySite, SITE, Stream, one_thread, table};
use crate::error::{failed, raised};
use crate::keywords::LearnKeywords;
use crate::rules::RuleSet;

/// Learns site by site from batches of rows that are sorted by the column `site`.
#[pyclass(module = "undust")]
pub(crate) struct SiteStream {
    stream: Stream<SiteLearner>,
}

/// Learns one site after the other.
struct SiteLearner {
    pipeline: Arc<Pipeline>,
    max_bytes: u64,
    /// The longest that a site may take.
    limit: Duration,
    site: Option<Site>,
    done: LearnedRows,
}

/// A site whose rows are coming in.
struct Site {
    name: String,
    rows: i64,
    bad: i64,
    first_problem: Option<String>,
    sample: PageSample,
}

#[pymethods]
impl SiteStream {
    /// `options` are those of `learn`. Of a site with more than `max_bytes` of pages, a sample is learned from; a site that takes longer than `max_seconds` is given
    /// up.
    #[new]
    fn new(options: LearnKeywords, max_bytes: u64, max_seconds: f64) -> PyResult<SiteStream> {
        let pipeline = Arc::new(options.pipeline(None).map_err(|error| raised(&error))?);
        let limit = Duration::try_from_secs_f64(max_seconds)
            .map_err(|error| failed(format!("max_seconds = {max_seconds}: {error}")))?;
        let learner = SiteLearner { pipeline, max_bytes, limit, site: None, done: LearnedRows::default() };
        Ok(SiteStream { stream: Stream::new(learner)? })
    }

    /// Take in some rows; returns a row for each site that is complete.
    fn push(&mut self, py: Python<'_>, batch: AnyRecordBatch) -> PyResult<PyRecordBatch> {
        Ok(self.stream.push(py, batch)?.into())
    }

    /// The rows of the last sites.
    fn finish(&mut self, py: Python<'_>) -> PyRecordBatch {
        self.stream.finish(py).into()
    }
}

impl BySite for SiteLearner {
    fn begin(&mut self, site: &str) {
        let (name, sample) = (site.to_owned(), self.pipeline.page_sample(self.max_bytes));
        self.site = Some(Site { name, rows: 0, bad: 0, first_problem: None, sample });
    }

    fn add(&mut self, row: Result<Page, String>) {
        let Some(site) = &mut self.site else { return };
        site.rows += 1;
        match row {
            Ok(mut page) if site.sample.takes(&page.url) => {
                Pipeline::prepare(&mut page);
                site.sample.push(&page);
            }
            Ok(_) => {}
            Err(what) => {
                site.bad += 1;
                site.first_problem.get_or_insert(what);
            }
        }
    }

    /// Learn from the site whose rows are complete.
    fn end(&mut self) {
        let Some(Site { name, rows, bad, first_problem, sample }) = self.site.take() else { return };
        let share = sample.share();
        // URLs without a host have no site to learn rules for.
        let result = if name.is_empty() { Ok(SiteResult::default()) } else { self.learn(&name, sample) };
        self.done.add(&name, rows, bad, first_problem.as_deref(), share, result);
    }

    fn take(&mut self) -> RecordBatch {
        self.done.take()
    }
}

impl SiteLearner {
    /// Learns from a site; a failure must not be the end of the job.
    fn learn(&self, site: &str, sample: PageSample) -> Result<SiteResult, String> {
        let is_small = sample.len() <= MAX_PAGES_WITHOUT_LIMIT;
        let (pipeline, site) = (Arc::clone(&self.pipeline), site.to_owned());
        let work = move || SiteResult::learn(&pipeline, &site, sample.take());
        let result = if is_small {
            guarded(work, None)
        } else {
            // The pool of the task is not that of the other thread.
            let pool = one_thread().map_err(|error| format!("cannot start a thread: {error}"))?;
            guarded(move || pool.install(work), Some(self.limit))
        };
        result.map_err(|error| match error {
            GuardError::Panicked(message) => format!("the learner failed: {message}"),
            error => error.to_string(),
        })
    }
}

/// Pages of a site that is learned without a time limit: small sites are quick, and there are millions of them.
const MAX_PAGES_WITHOUT_LIMIT: usize = 2_000;

/// What a site gave, in a form that can travel.
#[derive(Default)]
struct SiteResult {
    /// A rule file of this site alone, if it has rules.
    rules: Option<String>,
    /// The file of its model, if it has one.
    model: Option<Vec<u8>>,
    /// Number of rules.
    count: u64,
    /// Distinct URLs that were learned from.
    urls: u64,
    /// Their clusters.
    clusters: u64,
    /// URLs that rules make equal to others, or skip.
    saved: u64,
}

impl SiteResult {
    /// Learns from the pages of a site.
    fn learn(pipeline: &Pipeline, site: &str, pages: Vec<Page>) -> SiteResult {
        let learned = pipeline.learn_site(site, pages);
        let saved = learned.saved() + learned.skipped();
        let LearnedSite { rules: SiteRules { site, rules }, urls, clusters, model, .. } = learned;
        let count = rules.len() as u64;
        let file = || rules::RuleSet::of_site(&site, pipeline.site_by(), rules).to_json();
        SiteResult { rules: (count > 0).then(file), model, count, urls, clusters, saved }
    }
}

/// Results as rows of a table.
#[derive(Default)]
struct LearnedRows {
    site: StringBuilder,
    rules: StringBuilder,
    model: BinaryBuilder,
    count: Int64Builder,
    urls: Int64Builder,
    clusters: Int64Builder,
    saved: Int64Builder,
    rows: Int64Builder,
    bad: Int64Builder,
    share: Float64Builder,
    error: StringBuilder,
}

impl LearnedRows {
    fn add(
        &mut self,
        site: &str,
        rows: i64,
        bad: i64,
        problem: Option<&str>,
        share: f64,
        result: Result<SiteResult, String>,
    ) {
        let (result, error) = match result {
            Ok(result) => (result, problem.map(|problem| format!("bad rows, the first: {problem}"))),
            Err(error) => (SiteResult::default(), Some(error)),
        };
        self.site.append_value(site);
        self.rules.append_option(result.rules);
        self.model.append_option(result.model);
        for (column, value) in [
            (&mut self.count, result.count.cast_signed()),
            (&mut self.urls, result.urls.cast_signed()),
            (&mut self.clusters, result.clusters.cast_signed()),
            (&mut self.saved, result.saved.cast_signed()),
            (&mut self.rows, rows),
            (&mut self.bad, bad),
        ] {
            column.append_value(value);
        }
        self.share.append_value(share);
        self.error.append_option(error);
    }

    fn take(&mut self) -> RecordBatch {
        table([
            (SITE, Arc::new(self.site.finish())),
            ("rules", Arc::new(self.rules.finish())),
            ("model", Arc::new(self.model.finish())),
            ("count", Arc::new(self.count.finish())),
            ("urls", Arc::new(self.urls.finish())),
            ("clusters", Arc::new(self.clusters.finish())),
            ("saved", Arc::new(self.saved.finish())),
            ("rows", Arc::new(self.rows.finish())),
            ("bad", Arc::new(self.bad.finish())),
            ("share", Arc::new(self.share.finish())),
            ("error", Arc::new(self.error.finish())),
        ])
    }
}

/// Rules and model of a site.
type RulesAndModel = (Option<String>, Option<Vec<u8>>);

/// The rule set of many sites, in any order; those without rules and models may be left out. `urls` and `clusters` are those of all sites. The same, byte for byte, as if
/// all sites had been learned together.
#[pyfunction]
pub(crate) fn gather(
    rows: Vec<RulesAndModel>,
    urls: u64,
    clusters: u64,
    options: LearnKeywords,
) -> PyResult<RuleSet> {
    let pipeline = options.pipeline(None).map_err(|error| raised(&error))?;
    let (mut sites, mut models) = (Vec::new(), Vec::new());
    for (rules, model) in rows {
        if let Some(text) = rules {
            let rules = rules::RuleSet::from_json(&text);
            sites.extend(rules.map_err(|error| failed(format!("the rules of a site: {error}")))?.sites);
        }
        models.extend(model);
    }
    sites.sort_by(|a, b| a.site.cmp(&b.site));
    let mut file = RuleFile::of_rules(pipeline.rule_set(sites.into_iter(), urls, clusters));
    file.add_models(models).map_err(|error| failed(format!("the model of a site: {error}")))?;
    Ok(RuleSet::new(file, None))
}
