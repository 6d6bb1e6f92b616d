//! The commands as functions. What they have to say besides is returned, and becomes a warning on the Python side.

use std::ffi::OsString;

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use undust::page::{Body, Page};
use undust_cli::embed::{self, Inputs, Told};
use undust_content::{Imprint, read_body, recorded_words};

use crate::canonicalizer::UrlArgument;
use crate::error::raised;
use crate::rules::RuleSet;
use crate::source::Source;
use crate::to_python;

fn opened(sources: Vec<Source>) -> PyResult<Inputs> {
    sources.into_iter().map(Source::open).collect()
}

/// Run a command without holding up other threads.
fn detached<T: Send>(
    py: Python<'_>,
    command: impl Send + FnOnce() -> anyhow::Result<Told<T>>,
) -> PyResult<Told<T>> {
    py.detach(command).map_err(|error| raised(&error))
}

#[pyfunction]
pub(crate) fn learn(
    py: Python<'_>,
    sources: Vec<Source>,
    options: Vec<String>,
    keep: Option<&RuleSet>,
) -> PyResult<(RuleSet, Vec<String>)> {
    let (inputs, keep) = (opened(sources)?, keep.map(|rules| &**rules.deployed()));
    let Told { result: (deployed, summary), talk } = detached(py, || embed::learn(inputs, &options, keep))?;
    Ok((RuleSet::new(deployed, Some(summary)), talk))
}

#[pyfunction]
pub(crate) fn evaluate<'py>(
    py: Python<'py>,
    rules: &RuleSet,
    sources: Vec<Source>,
    options: Vec<String>,
) -> PyResult<(Bound<'py, PyAny>, Vec<String>)> {
    let inputs = opened(sources)?;
    let Told { result, talk } = detached(py, || embed::evaluate(rules.deployed(), inputs, &options))?;
    Ok((to_python(py, &result)?, talk))
}

/// Pages as JSON lines, what was found, and what is to be said.
type Clusters<'py> = (Bound<'py, PyBytes>, Bound<'py, PyAny>, Vec<String>);

#[pyfunction]
pub(crate) fn cluster(py: Python<'_>, sources: Vec<Source>, options: Vec<String>) -> PyResult<Clusters<'_>> {
    let inputs = opened(sources)?;
    let Told { result: (lines, report), talk } = detached(py, || embed::cluster(inputs, &options))?;
    Ok((PyBytes::new(py, &lines), to_python(py, &report)?, talk))
}

/// The 64-bit simhash of a text: texts that are nearly the same differ in few bits.
#[pyfunction]
pub(crate) fn simhash(py: Python<'_>, text: &str) -> u64 {
    py.detach(|| undust_content::simhash(text))
}

/// What the body of an answer says: size, digest, simhash, title, canonical, redirect, text and words, each if there is any.
///
/// The text is the main one, without menus and other furniture; the simhash is of it, and so are the words, which can be compared and not read.
/// `undust.learn` reads such rows.
#[pyfunction]
#[pyo3(signature = (url, body, *, content_type=None))]
pub(crate) fn read_page<'py>(
    py: Python<'py>,
    url: UrlArgument,
    body: &[u8],
    content_type: Option<String>,
) -> PyResult<Bound<'py, PyDict>> {
    let page = py.detach(|| {
        let body = Body { bytes: body.to_vec(), content_type, ..Body::default() };
        let mut page = Page { body: Some(body), ..Page::new(url.bytes()) };
        read_body(&mut page);
        // A text without words has no fingerprint: 0 would make such pages alike.
        page.simhash = page.text.as_deref().map(undust_content::simhash).filter(|bits| *bits != 0);
        page.words = page.text.as_deref().and_then(recorded_words);
        page
    });
    let row = PyDict::new(py);
    row.set_item("url", url.object(py)?)?;
    row.set_item("size", page.size)?;
    let simhash = page.simhash.map(|bits| format!("{bits:016x}"));
    let texts = [
        ("digest", page.digest),
        ("simhash", simhash),
        ("title", page.title),
        ("canonical", page.canonical),
        ("redirect", page.redirect),
        ("text", page.text),
        ("undust_words", page.words.map(|words| words.as_str().to_owned())),
    ];
    for (name, text) in texts {
        if let Some(text) = text {
            row.set_item(name, text)?;
        }
    }
    Ok(row)
}

/// What a crawl keeps of a page that `read_page` read, to tell later whether another URL shows the same one.
#[pyfunction]
pub(crate) fn imprint(
    py: Python<'_>,
    url: UrlArgument,
    digest: Option<String>,
    title: Option<String>,
    text: Option<String>,
) -> Bound<'_, PyBytes> {
    let page = Page { digest, title, text, ..Page::new(url.bytes()) };
    PyBytes::new(py, &py.detach(|| Imprint::new(&page).to_bytes()))
}

/// Whether both are imprints, and of the same page.
#[pyfunction]
pub(crate) fn is_same_page(one: &[u8], other: &[u8]) -> bool {
    let imprints = Imprint::from_bytes(one).zip(Imprint::from_bytes(other));
    imprints.is_some_and(|(one, other)| one.is_same(&other))
}

/// The `undust` command: its exit code.
#[pyfunction]
pub(crate) fn main(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| undust_cli::run(arguments))
}
