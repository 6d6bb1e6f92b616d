//! Rules, ready to be applied.

use std::cell::RefCell;
use std::path::PathBuf;
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};
use pyo3::types::{PyBytes, PyString};
use undust::apply::{Form, Naive};
use undust_neural::{Engine, RuleFile, Scratch};

use crate::batch;
use crate::error::UndustError;
use crate::rules::RuleSet;

thread_local! {
    /// What the engine works with; any engine, one URL after the other.
    static SCRATCH: RefCell<(Scratch, Vec<u8>)> = RefCell::new((Scratch::new(), Vec::new()));
}

/// A URL as text or as bytes: what comes back is of the same type.
#[derive(FromPyObject)]
pub(crate) enum UrlArgument {
    Text(PyBackedStr),
    Bytes(PyBackedBytes),
}

impl UrlArgument {
    pub(crate) fn bytes(&self) -> &[u8] {
        match self {
            UrlArgument::Text(text) => text.as_bytes(),
            UrlArgument::Bytes(bytes) => bytes,
        }
    }

    /// The object it came from, or one like it.
    pub(crate) fn object<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(match self {
            UrlArgument::Text(text) => text.into_pyobject(py)?.into_any(),
            UrlArgument::Bytes(bytes) => bytes.into_pyobject(py)?.into_any(),
        })
    }

    /// Another URL, of the same type. Rules may print bytes that are no text; there the replacement character stands for them.
    pub(crate) fn of_same_type<'py>(&self, py: Python<'py>, url: &[u8]) -> PyResult<Bound<'py, PyAny>> {
        if url == self.bytes() {
            return self.object(py);
        }
        Ok(match self {
            UrlArgument::Text(_) => match str::from_utf8(url) {
                Ok(text) => PyString::new(py, text).into_any(),
                Err(_) => PyString::new(py, &String::from_utf8_lossy(url)).into_any(),
            },
            UrlArgument::Bytes(_) => PyBytes::new(py, url).into_any(),
        })
    }
}

/// A form by its name.
pub(crate) fn form_named(name: &str) -> PyResult<Form> {
    match name {
        "key" => Ok(Form::Key),
        "url" => Ok(Form::Url),
        _ => Err(UndustError::new_err(format!("'{name}' is none of the forms: key, url"))),
    }
}

/// Rules, or the file that they are in.
#[derive(FromPyObject)]
enum Rules<'py> {
    Set(PyRef<'py, RuleSet>),
    File(PathBuf),
}

/// Rules, ready to be applied: URLs in, canonical forms out.
///
/// `form` is `"key"`, a key for equality in which irrelevant values are `*`, or `"url"`, a URL that can be fetched.
/// `normalize=False` leaves URLs as they are before rules are applied.
#[pyclass(module = "undust", frozen)]
pub(crate) struct Canonicalizer {
    file: Arc<RuleFile>,
    engine: Engine,
    form: Form,
}

#[pymethods]
impl Canonicalizer {
    #[new]
    #[pyo3(signature = (rules, *, form="key", normalize=true))]
    fn new(py: Python<'_>, rules: Rules<'_>, form: &str, normalize: bool) -> PyResult<Canonicalizer> {
        let form = form_named(form)?;
        let mut file = match rules {
            Rules::Set(set) => Arc::clone(set.file()),
            Rules::File(path) => Arc::clone(RuleSet::load(py, path)?.file()),
        };
        if !normalize {
            Arc::make_mut(&mut file).rules.normalize = false;
        }
        let engine = py.detach(|| Engine::new(&file, form));
        Ok(Canonicalizer { file, engine, form })
    }

    /// The canonical form of a URL, of its type. URLs that no rule matches come back as they are.
    fn canonicalize<'py>(&self, py: Python<'py>, url: UrlArgument) -> PyResult<Bound<'py, PyAny>> {
        SCRATCH.with_borrow_mut(|(scratch, out)| {
            out.clear();
            self.engine.canonicalize_into(url.bytes(), scratch, out);
            url.of_same_type(py, out)
        })
    }

    fn __call__<'py>(&self, py: Python<'py>, url: UrlArgument) -> PyResult<Bound<'py, PyAny>> {
        self.canonicalize(py, url)
    }

    /// The canonical forms of many URLs, in the same order, on `threads` threads (0: one for each core), without the lock of the interpreter.
    #[pyo3(signature = (urls, *, threads=0))]
    fn canonicalize_all<'py>(
        &self,
        py: Python<'py>,
        urls: &Bound<'py, PyAny>,
        threads: usize,
    ) -> PyResult<Bound<'py, PyAny>> {
        batch::list(py, &self.engine, urls, threads)
    }

    /// The canonical forms of an Arrow array of URLs, or of a chunked one; nulls stay null. Anything with the Arrow `PyCapsule` interface will
    /// do (pyarrow, polars, arro3, nanoarrow), and so will what comes back.
    #[pyo3(signature = (urls, *, threads=0))]
    fn canonicalize_arrow<'py>(
        &self,
        py: Python<'py>,
        urls: &Bound<'py, PyAny>,
        threads: usize,
    ) -> PyResult<Bound<'py, PyAny>> {
        batch::arrow(py, &self.engine, urls, threads)
    }

    /// The id of the rule that says that a URL need not be fetched, since what it leads to has other URLs; `None` if there is none.
    fn skips(&self, url: UrlArgument) -> Option<String> {
        if !self.engine.has_skips() {
            return None;
        }
        SCRATCH.with_borrow_mut(|(scratch, out)| {
            out.clear();
            self.engine.canonicalize_into(url.bytes(), scratch, out);
            self.engine.skips(out, scratch).map(|rule| rule.id.clone())
        })
    }

    /// The ids of the rules that fire on a URL, in the order in which they do.
    fn fires(&self, url: UrlArgument) -> Vec<String> {
        let trace = Naive::new(&self.file.rules, self.form).trace(url.bytes());
        let mut ids: Vec<String> = Vec::new();
        for rule in trace.steps.iter().filter_map(|step| step.rule) {
            if !ids.contains(&rule.id) {
                ids.push(rule.id.clone());
            }
        }
        ids
    }

    /// The rules that it applies.
    #[getter]
    fn rules(&self) -> RuleSet {
        RuleSet::shared(Arc::clone(&self.file))
    }

    fn __repr__(&self) -> String {
        let form = if self.form == Form::Key { "key" } else { "url" };
        format!("<Canonicalizer: {} rules, form={form}>", self.file.rules.rules().count())
    }
}
