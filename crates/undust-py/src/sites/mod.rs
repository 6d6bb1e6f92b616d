//! What runs inside of the tasks of a cluster: rows in, which are sorted by site where that matters, and rows out.

pub(crate) mod learn;
pub(crate) mod score;

use std::sync::Arc;

use arrow_array::builder::StringBuilder;
use arrow_array::{Array, ArrayRef, Int64Array, RecordBatch};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3_arrow::PyArray;
use pyo3_arrow::input::{AnyArray, AnyRecordBatch};
use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};
use undust::page::Page;
use undust::url::{SiteBy, site_of};
use undust_io::{Texts, pages_of};

use crate::error::failed;
use crate::pages::fingerprint;

/// The column that rows are brought together by.
const SITE: &str = "site";

/// Rows of a batch: the site of each, and its page, or what is wrong with it.
struct Rows {
    sites: Texts,
    pages: Vec<Result<Page, String>>,
}

impl Rows {
    fn of(batch: &RecordBatch) -> PyResult<Rows> {
        let sites = batch.column_by_name(SITE).and_then(|sites| Texts::of(sites));
        let sites = sites.ok_or_else(|| failed(format!("the rows have no column '{SITE}' of text")))?;
        let pages = pages_of(batch).map_err(failed)?.into_iter();
        Ok(Rows { sites, pages: pages.map(|page| page.map_err(|error| error.to_string())).collect() })
    }
}

/// A consumer of rows that are sorted by site.
trait BySite {
    /// A new site begins.
    fn begin(&mut self, site: &str);

    /// One more row of it.
    fn add(&mut self, row: Result<Page, String>);

    /// Its last row has come.
    fn end(&mut self);

    /// A row for each site that has ended since this was asked.
    fn take(&mut self) -> RecordBatch;
}

/// A stream of rows. A task of a cluster has one core, and others have tasks of their own: all work is done on one thread.
struct Stream<S> {
    to: S,
    current: Current,
    pool: ThreadPool,
}

fn one_thread() -> Result<ThreadPool, ThreadPoolBuildError> {
    ThreadPoolBuilder::new().num_threads(1).build()
}

impl<S: BySite + Send> Stream<S> {
    fn new(to: S) -> PyResult<Stream<S>> {
        Ok(Stream { to, current: Current::default(), pool: one_thread().map_err(failed)? })
    }

    /// Take in some rows; returns those of the sites that are complete.
    fn push(&mut self, py: Python<'_>, batch: AnyRecordBatch) -> PyResult<RecordBatch> {
        let Stream { to, current, pool } = self;
        for batch in batch.into_reader()? {
            let batch = batch.map_err(failed)?;
            py.detach(|| pool.install(|| current.take(&batch, to)))?;
        }
        Ok(to.take())
    }

    /// No more rows come.
    fn finish(&mut self, py: Python<'_>) -> RecordBatch {
        let Stream { to, current, pool } = self;
        if current.0.take().is_some() {
            py.detach(|| pool.install(|| to.end()));
        }
        to.take()
    }
}

/// The site whose rows are coming. Sites must come in order: if an engine dropped the sort, rules would be learned from pieces of sites.
#[derive(Default)]
struct Current(Option<Vec<u8>>);

impl Current {
    fn take(&mut self, batch: &RecordBatch, to: &mut impl BySite) -> PyResult<()> {
        let Rows { sites, pages } = Rows::of(batch)?;
        for (row, page) in pages.into_iter().enumerate() {
            self.turn_to(sites.get(row).unwrap_or_default(), to)?;
            to.add(page);
        }
        Ok(())
    }

    fn turn_to(&mut self, site: &[u8], to: &mut impl BySite) -> PyResult<()> {
        match &self.0 {
            Some(current) if current == site => return Ok(()),
            Some(current) if current.as_slice() > site => {
                let [one, other] = [site, current].map(String::from_utf8_lossy);
                return Err(PyRuntimeError::new_err(format!(
                    "rows are not sorted by site: '{one}' comes behind '{other}'. This engine does not keep the order of sortWithinPartitions"
                )));
            }
            Some(_) => to.end(),
            None => {}
        }
        self.0 = Some(site.to_vec());
        to.begin(&String::from_utf8_lossy(site));
        Ok(())
    }
}

/// A table of these columns.
fn table<const N: usize>(columns: [(&str, ArrayRef); N]) -> RecordBatch {
    let nullable = columns.map(|(name, column)| (name, column, true));
    RecordBatch::try_from_iter_with_nullable(nullable).expect("columns grow together")
}

/// An array for pyarrow.
fn to_pyarrow(py: Python<'_>, array: ArrayRef) -> PyResult<Bound<'_, PyAny>> {
    py.import("pyarrow")?.call_method1("array", (PyArray::from_array_ref(array).into_pyobject(py)?,))
}

/// The sites of URLs, as an array; those without one, and what is no URL, are of the site ''.
#[pyfunction]
pub(crate) fn sites_of<'py>(py: Python<'py>, urls: AnyArray, site_by: &str) -> PyResult<Bound<'py, PyAny>> {
    let by = site_by.parse::<SiteBy>().map_err(failed)?;
    let (chunks, _) = urls.into_chunked_array()?.into_inner();
    let sites = py.detach(|| {
        let mut sites = StringBuilder::new();
        for chunk in &chunks {
            let texts = Texts::of(chunk).ok_or_else(|| failed("URLs are text or bytes"))?;
            for row in 0..chunk.len() {
                sites.append_value(site_of(texts.get(row).unwrap_or_default(), by));
            }
        }
        Ok::<ArrayRef, PyErr>(Arc::new(sites.finish()))
    })?;
    to_pyarrow(py, sites)
}

/// A number for the content of each row's page, null where nothing is known of it.
#[pyfunction]
pub(crate) fn fingerprints(py: Python<'_>, batch: AnyRecordBatch) -> PyResult<Bound<'_, PyAny>> {
    let mut prints: Vec<Option<i64>> = Vec::new();
    for batch in batch.into_reader()? {
        let batch = batch.map_err(failed)?;
        let of_row = |page: Result<Page, _>| fingerprint(page.ok()?).map(u64::cast_signed);
        let more =
            py.detach(|| pages_of(&batch).map(|pages| pages.into_iter().map(of_row).collect::<Vec<_>>()));
        prints.extend(more.map_err(failed)?);
    }
    to_pyarrow(py, Arc::new(Int64Array::from(prints)))
}

/// Which of these columns say something about a page.
#[pyfunction]
pub(crate) fn page_columns(names: Vec<String>) -> Vec<String> {
    names.into_iter().filter(|name| undust_io::is_page_column(name)).collect()
}
