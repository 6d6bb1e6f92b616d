//! Functions on single pages.

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use undust::page::{Body, Page};
use undust_content::{Imprint, read_body, recorded_words};
use undust_learn::bound;
use xxhash_rust::xxh3::xxh3_64;

use crate::canonicalizer::UrlArgument;

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

/// A number for the content of a page: pages with nearly the same text have numbers that differ in few bits. That of a digest differs from all others, unless it
/// is the same. None where nothing is known, or the page is empty.
pub(crate) fn fingerprint(mut page: Page) -> Option<u64> {
    read_body(&mut page);
    let of_text = || page.text.as_deref().map(undust_content::simhash);
    let of_digest = || page.digest.as_deref().map(|digest| xxh3_64(digest.as_bytes()));
    page.simhash.or_else(of_text).or_else(of_digest).filter(|print| *print != 0)
}

/// The chance of `failed` failures or more in `tried` trials, if this share of all trials fails. Below 5 % exactly if the lower 95 % confidence bound of the share
/// (Clopper and Pearson) is above the given one.
#[pyfunction]
pub(crate) fn chance_of_failures(failed: u64, tried: u64, share: f64) -> f64 {
    bound::chance_of_failures(failed, tried, share)
}

/// Upper 95 % confidence bound (Clopper and Pearson) of the share of failures.
#[pyfunction]
pub(crate) fn upper_bound(failed: u64, tried: u64) -> f64 {
    bound::upper_bound(failed, tried)
}
