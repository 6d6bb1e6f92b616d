//! undust for Python: the native half of the package `undust`, whose other half is in `python/`.

#![allow(clippy::needless_pass_by_value, reason = "arguments from Python come by value")]

mod batch;
mod canonicalizer;
mod crawl;
mod error;
mod keywords;
mod learning;
mod messages;
mod pages;
mod rules;
mod sites;
mod source;

use pyo3::prelude::*;

#[pymodule]
mod _undust {
    #[pymodule_export]
    use crate::canonicalizer::Canonicalizer;
    #[pymodule_export]
    use crate::error::UndustError;
    #[pymodule_export]
    use crate::learning::{cluster_pages, evaluate, learn, learners, settings};
    #[pymodule_export]
    use crate::pages::{chance_of_failures, imprint, is_same_page, read_page, simhash, upper_bound};
    #[pymodule_export]
    use crate::rules::{Rule, RuleSet};
    #[pymodule_export]
    use crate::sites::learn::{SiteStream, gather};
    #[pymodule_export]
    use crate::sites::score::ScoreStream;
    #[pymodule_export]
    use crate::sites::{fingerprints, page_columns, sites_of};
    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}

/// A JSON value as Python has it.
fn to_python<'py>(py: Python<'py>, value: &serde_json::Value) -> PyResult<Bound<'py, PyAny>> {
    py.import("json")?.call_method1("loads", (value.to_string(),))
}

/// An object of the class of this name in `undust._results`, from a JSON value.
fn to_result<'py>(py: Python<'py>, class: &str, value: &serde_json::Value) -> PyResult<Bound<'py, PyAny>> {
    py.import("undust._results")?.getattr(class)?.call_method1("from_dict", (to_python(py, value)?,))
}
