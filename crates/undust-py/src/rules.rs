//! Rule sets and their rules.

use std::ffi::CString;
use std::path::PathBuf;
use std::sync::Arc;

use pyo3::exceptions::{PyDeprecationWarning, PyUserWarning};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple, PyType};
use serde_json::{Value, json};
use undust::apply::{Form, check};
use undust::rules;
use undust_neural::file::{Models, from_bytes, to_bytes};
use undust_neural::rule_file::warnings;
use undust_neural::{Engine, Explanation, RuleFile};

use crate::canonicalizer::{UrlArgument, form_named};
use crate::error::{failed, raised};
use crate::{to_python, to_result};

/// Rules, and the models that belong to them. A rule set does not change: what changes rules returns another one.
#[pyclass(module = "undust", frozen)]
pub(crate) struct RuleSet {
    file: Arc<RuleFile>,
    summary: Option<Value>,
}

impl RuleSet {
    pub(crate) fn new(file: RuleFile, summary: Option<Value>) -> RuleSet {
        RuleSet { file: Arc::new(file), summary }
    }

    /// Rules that somebody else holds, too.
    pub(crate) fn shared(file: Arc<RuleFile>) -> RuleSet {
        RuleSet { file, summary: None }
    }

    pub(crate) fn file(&self) -> &Arc<RuleFile> {
        &self.file
    }

    fn with_models(rules: rules::RuleSet, models: Models) -> RuleSet {
        RuleSet::new(RuleFile { rules, models }, None)
    }
}

/// Raises a `UserWarning` for each finding of the check of these rules.
fn warn(py: Python<'_>, name: &str, rules: &rules::RuleSet) -> PyResult<()> {
    for line in py.detach(|| warnings(rules)) {
        let text = CString::new(format!("{name}: {line}"))?;
        PyErr::warn(py, &py.get_type::<PyUserWarning>(), &text, 2)?;
    }
    Ok(())
}

#[pymethods]
impl RuleSet {
    /// Read a rule file, and the models that it names.
    #[staticmethod]
    pub(crate) fn load(py: Python<'_>, path: PathBuf) -> PyResult<RuleSet> {
        let file = py.detach(|| RuleFile::load(&path)).map_err(|error| raised(&error.into()))?;
        warn(py, &path.display().to_string(), &file.rules)?;
        Ok(RuleSet::new(file, None))
    }

    /// The rules in the text of a rule file; one that names a model has to be loaded from its file.
    #[staticmethod]
    fn from_json(py: Python<'_>, text: &str) -> PyResult<RuleSet> {
        let rules = rules::RuleSet::from_json(text).map_err(failed)?;
        warn(py, "rules", &rules)?;
        if let Some(model) = &rules.model {
            let file = &model.file;
            return Err(failed(format!("the rules refer to a model in {file}: load them from their file")));
        }
        Ok(RuleSet::with_models(rules, Models::new()))
    }

    /// Write a rule file, and its models, if there are any, next to it.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| RuleFile::clone(&self.file).save(&path)).map_err(|error| raised(&error.into()))?;
        Ok(())
    }

    /// The text of the rule file.
    fn to_json(&self) -> String {
        self.file.rules.to_json()
    }

    /// The findings of `undust check`: none, if all is well.
    fn check(&self, py: Python<'_>) -> Vec<String> {
        py.detach(|| check(&self.file.rules).iter().map(ToString::to_string).collect())
    }

    /// The steps of a URL to its canonical form, with the rule behind each and its evidence.
    #[pyo3(signature = (url, *, form="key"))]
    fn explain<'py>(&self, py: Python<'py>, url: UrlArgument, form: &str) -> PyResult<Bound<'py, PyAny>> {
        let form: Form = form_named(form)?;
        let engine = Engine::new(&self.file, form);
        let explanation = Explanation::new(url.bytes(), &self.file.rules, form, &engine);
        to_result(py, "Explanation", &explanation.to_json())
    }

    /// The same rules but for those with these ids; models stay.
    fn without(&self, ids: Vec<String>) -> PyResult<RuleSet> {
        let mut file = RuleFile::clone(&self.file);
        if let Some(unknown) = ids.iter().find(|id| !file.rules.rules().any(|(_, rule)| rule.id == **id)) {
            return Err(failed(format!("there is no rule '{unknown}'")));
        }
        for site in &mut file.rules.sites {
            site.rules.retain(|rule| !ids.contains(&rule.id));
        }
        file.rules.sites.retain(|site| !site.rules.is_empty());
        Ok(RuleSet::new(file, None))
    }

    /// All rules, site by site, in the order in which they are tried.
    #[getter]
    fn rules(&self) -> Vec<Rule> {
        let rules = self.file.rules.rules();
        rules.map(|(site, rule)| Rule { site: site.to_owned(), rule: rule.clone() }).collect()
    }

    /// The sites that have rules.
    #[getter]
    fn sites(&self) -> Vec<String> {
        self.file.rules.sites.iter().map(|site| site.site.clone()).collect()
    }

    /// What a site is: `domain` or `host`.
    #[getter]
    fn site_by(&self) -> &'static str {
        self.file.rules.site_by.name()
    }

    /// The report on learning; `None` for rules that were not just learned.
    #[getter]
    fn report<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.summary.as_ref().map(|summary| to_result(py, "LearnReport", summary)).transpose()
    }

    /// Deprecated: `report.to_dict()`.
    #[getter]
    fn summary<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        PyErr::warn(
            py,
            &py.get_type::<PyDeprecationWarning>(),
            c"RuleSet.summary is deprecated: use RuleSet.report",
            1,
        )?;
        self.summary.as_ref().map(|summary| to_python(py, summary)).transpose()
    }

    fn __len__(&self) -> usize {
        self.file.rules.rules().count()
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.rules().into_pyobject(py)?.call_method0("__iter__")
    }

    fn __eq__(&self, other: &RuleSet) -> bool {
        self.file.rules == other.file.rules && to_bytes(&self.file.models) == to_bytes(&other.file.models)
    }

    fn __repr__(&self) -> String {
        format!("<RuleSet: {} rules on {} sites>", self.__len__(), self.file.rules.sites.len())
    }

    /// Rules travel between processes with their models.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let revive = PyType::new::<RuleSet>(py).getattr("_revive")?;
        let models = PyBytes::new(py, &to_bytes(&self.file.models));
        (revive, (self.to_json(), models)).into_pyobject(py)
    }

    #[staticmethod]
    fn _revive(text: &str, models: &[u8]) -> PyResult<RuleSet> {
        let rules = rules::RuleSet::from_json(text).map_err(failed)?;
        Ok(RuleSet::with_models(rules, from_bytes(models).map_err(failed)?))
    }
}

/// One rule of a rule set.
#[pyclass(module = "undust", frozen)]
pub(crate) struct Rule {
    site: String,
    rule: rules::Rule,
}

#[pymethods]
impl Rule {
    /// The stable name of the rule.
    #[getter]
    fn id(&self) -> &str {
        &self.rule.id
    }

    /// The site on which it holds; `*` for every site.
    #[getter]
    fn site(&self) -> &str {
        &self.site
    }

    /// The URLs it matches: a template, or the text that is replaced.
    #[getter]
    fn matches(&self) -> String {
        self.rule.action.sides().0
    }

    /// What they become; `None` for rules that skip URLs.
    #[getter]
    fn becomes(&self) -> Option<String> {
        (!self.rule.action.is_skip()).then(|| self.rule.action.sides().1)
    }

    /// Whether it says that such URLs need not be fetched at all.
    #[getter]
    fn is_skip(&self) -> bool {
        self.rule.action.is_skip()
    }

    /// Whether it is applied: neither rejected by a person nor still to be tried out.
    #[getter]
    fn is_active(&self) -> bool {
        self.rule.is_active()
    }

    /// The learner that proposed it; `None` for rules written by hand.
    #[getter]
    fn learner(&self) -> Option<&str> {
        self.rule.learner.as_deref()
    }

    /// What a person said of it: `proposed` (nothing yet), `accepted` or `rejected`.
    #[getter]
    fn review(&self) -> &'static str {
        self.rule.review.name()
    }

    /// Counts of the trials in the data it was learned from; `None` for rules written by hand.
    #[getter]
    fn evidence<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.rule.evidence.as_ref().map(|evidence| to_result(py, "Evidence", &json!(evidence))).transpose()
    }

    fn __repr__(&self) -> String {
        format!("<Rule {}: {}>", self.rule.id, self.rule.action)
    }
}
