//! Rules of one site after the other.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, mpsc};
use std::time::Duration;

use arrow_array::RecordBatch;
use arrow_array::builder::{BinaryBuilder, Float64Builder, Int64Builder, StringBuilder};
use pyo3::prelude::*;
use pyo3_arrow::PyRecordBatch;
use pyo3_arrow::input::AnyRecordBatch;
use undust::page::Page;
use undust_cli::embed::{Sample, SiteLearner, SiteLesson, prepare};

use super::{BySite, SITE, Stream, one_thread, table};
use crate::error::{failed, raised};
use crate::rules::RuleSet;

/// Learns site by site from batches of rows that are sorted by the column `site`.
#[pyclass(module = "undust")]
pub(crate) struct SiteStream {
    stream: Stream<Class>,
}

/// What is learned, and from what.
struct Class {
    learner: Arc<SiteLearner>,
    max_bytes: u64,
    patience: Duration,
    site: Option<Site>,
    done: Lessons,
}

/// A site whose rows are coming in.
struct Site {
    name: String,
    rows: i64,
    bad: i64,
    first_problem: Option<String>,
    sample: Sample,
}

#[pymethods]
impl SiteStream {
    /// `options` are those of `undust learn`. Of a site with more than `max_bytes` of pages, a sample is learned from; a site that takes longer than `max_seconds` is given
    /// up.
    #[new]
    fn new(options: Vec<String>, max_bytes: u64, max_seconds: f64) -> PyResult<SiteStream> {
        let learner = Arc::new(SiteLearner::new(&options).map_err(|error| raised(&error))?);
        let patience = Duration::try_from_secs_f64(max_seconds)
            .map_err(|error| failed(format!("max_seconds = {max_seconds}: {error}")))?;
        let class = Class { learner, max_bytes, patience, site: None, done: Lessons::default() };
        Ok(SiteStream { stream: Stream::new(class)? })
    }

    /// Take in some rows; returns a row for each site that is complete.
    fn push(&mut self, py: Python<'_>, batch: AnyRecordBatch) -> PyResult<PyRecordBatch> {
        Ok(self.stream.push(py, batch)?.into())
    }

    /// The rows of the last sites.
    fn finish(&mut self, py: Python<'_>) -> PyRecordBatch {
        self.stream.finish(py).into()
    }

    /// For tests: what a task does with a site that makes the learner panic, or takes forever.
    #[staticmethod]
    fn _try_guard(py: Python<'_>, panics: bool, seconds: f64) -> Option<String> {
        let work = move || {
            assert!(!panics, "this site is poison");
            std::thread::sleep(Duration::from_secs(30));
            SiteLesson::default()
        };
        py.detach(|| guarded(work, Some(Duration::from_secs_f64(seconds)))).err()
    }
}

impl BySite for Class {
    fn begin(&mut self, site: &str) {
        let (name, sample) = (site.to_owned(), self.learner.sample(self.max_bytes));
        self.site = Some(Site { name, rows: 0, bad: 0, first_problem: None, sample });
    }

    fn add(&mut self, row: Result<Page, String>) {
        let Some(site) = &mut self.site else { return };
        site.rows += 1;
        match row {
            Ok(mut page) if site.sample.takes(&page.url) => {
                prepare(&mut page);
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
        let lesson = if name.is_empty() {
            Ok(SiteLesson::default())
        } else {
            // Small sites are quick, and there are millions of them: they need no clock.
            let patience = (sample.len() > SMALL).then_some(self.patience);
            let (learner, site) = (Arc::clone(&self.learner), name.clone());
            guarded(move || learner.learn(&site, sample.take()), patience)
        };
        self.done.add(&name, rows, bad, first_problem.as_deref(), share, lesson);
    }

    fn take(&mut self) -> RecordBatch {
        self.done.take()
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
    let thread = one_thread().map_err(|error| format!("cannot start a thread: {error}"))?;
    thread.spawn(move || drop(result.send(work())));
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

/// What was learned of a site: rules and model.
type Row = (Option<String>, Option<Vec<u8>>);

/// The rule set of many sites; those without rules and models may be left out. So many URLs and clusters were learned from, on all sites.
#[pyfunction]
pub(crate) fn gather(rows: Vec<Row>, urls: u64, clusters: u64, options: Vec<String>) -> PyResult<RuleSet> {
    let learner = SiteLearner::new(&options).map_err(|error| raised(&error))?;
    let lessons = rows.into_iter().map(|(rules, model)| SiteLesson { rules, model, ..SiteLesson::default() });
    let deployed = learner.gather(lessons, urls, clusters).map_err(|error| raised(&error))?;
    Ok(RuleSet::new(deployed, None))
}
