//! What runs inside of the tasks of a cluster: rows sorted by site in, a row for each site out.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, mpsc};
use std::time::Duration;

use arrow_array::builder::{BinaryBuilder, Float64Builder, Int64Builder, StringBuilder};
use arrow_array::{ArrayRef, RecordBatch, StringArray};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3_arrow::input::{AnyArray, AnyRecordBatch};
use pyo3_arrow::{PyArray, PyRecordBatch};
use undust_cli::embed::{Pages, Scorer, SiteLearner, SiteLesson};
use undust_io::{Texts, pages_of};

use crate::error::{UndustError, raised};
use crate::rules::RuleSet;
use crate::to_python;

/// The column that rows are brought together by.
const SITE: &str = "site";

/// Learns site by site from batches of rows that are sorted by the column `site`.
#[pyclass(module = "undust")]
pub(crate) struct SiteStream {
    learner: Arc<SiteLearner>,
    most_urls: usize,
    most_bytes: u64,
    patience: Duration,
    current: Option<Site>,
    done: Lessons,
}

/// A site whose rows are coming in.
struct Site {
    name: Vec<u8>,
    rows: i64,
    bad: i64,
    first_problem: Option<String>,
    pages: Pages,
}

#[pymethods]
impl SiteStream {
    /// `options` are those of `undust learn`. Of a site with more than `most_urls` URLs or `most_bytes` of pages, a sample is learned from; a site that takes
    /// longer than `seconds` is given up.
    #[new]
    fn new(options: Vec<String>, most_urls: usize, most_bytes: u64, seconds: f64) -> PyResult<SiteStream> {
        let learner = SiteLearner::new(&options).map_err(|error| raised(&error))?;
        let patience = Duration::try_from_secs_f64(seconds)
            .map_err(|error| UndustError::new_err(format!("seconds = {seconds}: {error}")))?;
        let done = Lessons::default();
        Ok(SiteStream { learner: Arc::new(learner), most_urls, most_bytes, patience, current: None, done })
    }

    /// Take in some rows; returns a row for each site that is complete.
    fn push(&mut self, py: Python<'_>, batch: AnyRecordBatch) -> PyResult<PyRecordBatch> {
        for batch in batch.into_reader()? {
            let batch = batch.map_err(|error| UndustError::new_err(error.to_string()))?;
            py.detach(|| self.take(&batch))?;
        }
        Ok(self.done.take().into())
    }

    /// The rows of the last sites.
    fn finish(&mut self, py: Python<'_>) -> PyRecordBatch {
        py.detach(|| self.complete());
        self.done.take().into()
    }

    /// For tests: what a task does with a site that makes the learner panic, or takes forever.
    #[staticmethod]
    #[pyo3(signature = (panics, seconds))]
    fn _try_guard(py: Python<'_>, panics: bool, seconds: f64) -> Option<String> {
        let work = move || {
            assert!(!panics, "this site is poison");
            std::thread::sleep(Duration::from_secs(30));
            SiteLesson::default()
        };
        py.detach(|| guarded(work, Some(Duration::from_secs_f64(seconds)))).err()
    }
}

impl SiteStream {
    fn take(&mut self, batch: &RecordBatch) -> PyResult<()> {
        let sites = batch.column_by_name(SITE).and_then(|sites| Texts::of(sites));
        let Some(sites) = sites else {
            return Err(UndustError::new_err(format!("the rows have no column '{SITE}' of text")));
        };
        let pages = pages_of(batch).map_err(|error| UndustError::new_err(error.to_string()))?;
        for (row, page) in pages.into_iter().enumerate() {
            let name = sites.get(row).unwrap_or_default();
            self.turn_to(name)?;
            let Some(site) = &mut self.current else { continue };
            site.rows += 1;
            match page {
                Ok(page) => site.pages.push(page),
                Err(what) => {
                    site.bad += 1;
                    site.first_problem.get_or_insert(what);
                }
            }
        }
        Ok(())
    }

    /// Go on with this site. Sites must come in order: if an engine dropped the sort, rules would be learned from pieces of sites.
    fn turn_to(&mut self, name: &[u8]) -> PyResult<()> {
        match &self.current {
            Some(site) if site.name == name => return Ok(()),
            Some(site) if site.name.as_slice() > name => {
                let [one, other] = [name, &site.name].map(String::from_utf8_lossy);
                return Err(PyRuntimeError::new_err(format!(
                    "rows are not sorted by site: '{one}' comes behind '{other}'. This engine does not keep the order of sortWithinPartitions"
                )));
            }
            _ => self.complete(),
        }
        self.current = Some(Site {
            name: name.to_vec(),
            rows: 0,
            bad: 0,
            first_problem: None,
            pages: Pages::new(self.most_urls, self.most_bytes),
        });
        Ok(())
    }

    /// Learn from the site whose rows are complete.
    fn complete(&mut self) {
        let Some(Site { name, rows, bad, first_problem, pages }) = self.current.take() else { return };
        let (name, share) = (String::from_utf8_lossy(&name).into_owned(), pages.share());
        // URLs without a host have no site to learn rules for.
        let lesson = if name.is_empty() {
            Ok(SiteLesson::default())
        } else {
            // Small sites are quick, and there are millions of them: they need no clock.
            let patience = (pages.len() > SMALL).then_some(self.patience);
            let (learner, site, pages) = (Arc::clone(&self.learner), name.clone(), pages.take());
            guarded(move || learner.learn(&site, pages), patience)
        };
        self.done.add(&name, rows, bad, first_problem.as_deref(), share, lesson);
    }
}

/// Pages that are learned from without a clock.
const SMALL: usize = 2_000;

/// Do some work that may fail in any way, which must not be the end of the job: what went wrong, if anything did. Work that takes too long is left alone, and ends
/// when it ends.
fn guarded(
    work: impl FnOnce() -> SiteLesson + Send + 'static,
    patience: Option<Duration>,
) -> Result<SiteLesson, String> {
    let work = move || catch_unwind(AssertUnwindSafe(work)).map_err(|panic| said_by(panic.as_ref()));
    let Some(patience) = patience else { return work() };
    let (result, awaited) = mpsc::channel();
    let worker = std::thread::Builder::new().name("site".to_owned()).spawn(move || result.send(work()));
    if let Err(error) = worker {
        return Err(format!("cannot start a thread: {error}"));
    }
    awaited
        .recv_timeout(patience)
        .unwrap_or_else(|_| Err(format!("took longer than {} s", patience.as_secs_f64())))
}

fn said_by(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    format!("the learner failed: {}", text.unwrap_or_default())
}

/// Lessons as rows of a table.
#[derive(Default)]
struct Lessons {
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

impl Lessons {
    fn add(
        &mut self,
        site: &str,
        rows: i64,
        bad: i64,
        problem: Option<&str>,
        share: f64,
        lesson: Result<SiteLesson, String>,
    ) {
        let (lesson, error) = match lesson {
            Ok(lesson) => (lesson, problem.map(|problem| format!("bad rows, the first: {problem}"))),
            Err(error) => (SiteLesson::default(), Some(error)),
        };
        self.site.append_value(site);
        self.rules.append_option(lesson.rules);
        self.model.append_option(lesson.model);
        for (column, value) in [
            (&mut self.count, lesson.count.cast_signed()),
            (&mut self.urls, lesson.urls.cast_signed()),
            (&mut self.clusters, lesson.clusters.cast_signed()),
            (&mut self.saved, lesson.saved.cast_signed()),
            (&mut self.rows, rows),
            (&mut self.bad, bad),
        ] {
            column.append_value(value);
        }
        self.share.append_value(share);
        self.error.append_option(error);
    }

    fn take(&mut self) -> RecordBatch {
        let columns: [(&str, ArrayRef); 11] = [
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
        ];
        let nullable = columns.map(|(name, column)| (name, column, true));
        RecordBatch::try_from_iter_with_nullable(nullable).expect("columns grow together")
    }
}

/// Scores rules on batches of labelled rows.
#[pyclass(module = "undust")]
pub(crate) struct ScoreStream {
    scorer: Scorer,
}

#[pymethods]
impl ScoreStream {
    #[new]
    fn new(rules: &RuleSet) -> ScoreStream {
        ScoreStream { scorer: Scorer::new(rules.deployed()) }
    }

    /// Take in some rows; those that cannot be read, or have no label, are passed over.
    fn push(&mut self, py: Python<'_>, batch: AnyRecordBatch) -> PyResult<()> {
        for batch in batch.into_reader()? {
            let pages = batch.map_err(|error| UndustError::new_err(error.to_string()))?;
            let pages = pages_of(&pages).map_err(|error| UndustError::new_err(error.to_string()))?;
            py.detach(|| pages.iter().flatten().for_each(|page| self.scorer.add(page)));
        }
        Ok(())
    }

    /// The scores of all sites, as `undust eval --json` has them.
    fn finish<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &serde_json::json!(self.scorer.scores()))
    }
}

/// The sites of URLs, as an array; those without one, and what is no URL, are of the site ''.
#[pyfunction]
pub(crate) fn sites_of(py: Python<'_>, urls: AnyArray, options: Vec<String>) -> PyResult<Bound<'_, PyAny>> {
    let learner = SiteLearner::new(&options).map_err(|error| raised(&error))?;
    let (chunks, _) = urls.into_chunked_array()?.into_inner();
    let sites = py.detach(|| {
        let mut sites = StringBuilder::new();
        for chunk in &chunks {
            let texts = Texts::of(chunk).ok_or("URLs are text or bytes")?;
            for row in 0..chunk.len() {
                sites.append_value(learner.site_of(texts.get(row).unwrap_or_default()));
            }
        }
        Ok::<StringArray, &str>(sites.finish())
    });
    let sites = sites.map_err(UndustError::new_err)?;
    py.import("pyarrow")?
        .call_method1("array", (PyArray::from_array_ref(Arc::new(sites)).into_pyobject(py)?,))
}

/// One row of what was learned: rules, model, URLs, clusters.
type Row = (Option<String>, Option<Vec<u8>>, u64, u64);

/// The rule set of many sites.
#[pyfunction]
pub(crate) fn gather(rows: Vec<Row>, options: Vec<String>) -> PyResult<RuleSet> {
    let learner = SiteLearner::new(&options).map_err(|error| raised(&error))?;
    let lesson = |(rules, model, urls, clusters): Row| SiteLesson {
        rules,
        model,
        urls,
        clusters,
        ..SiteLesson::default()
    };
    let deployed = learner.gather(rows.into_iter().map(lesson)).map_err(|error| raised(&error))?;
    Ok(RuleSet::new(deployed, None))
}

/// Which of these columns say something about a page.
#[pyfunction]
pub(crate) fn page_columns(names: Vec<String>) -> Vec<String> {
    names.into_iter().filter(|name| undust_io::is_page_column(name)).collect()
}
