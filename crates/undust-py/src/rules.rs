//! Rule sets and their rules.

use std::ffi::CString;
use std::path::PathBuf;
use std::sync::Arc;

use pyo3::exceptions::PyUserWarning;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple, PyType};
use serde_json::{Value, json};
use undust::apply::{Form, check};
use undust::rules;
use undust_cli::embed::{self, Deployed};
use undust_neural::file::{Models, from_bytes, to_bytes};

use crate::canonicalizer::{UrlArgument, form_named};
use crate::error::{failed, raised};
use crate::to_python;

/// Rules, and the models that belong to them. A rule set does not change: what changes rules returns another one.
#[pyclass(module = "undust", frozen)]
pub(crate) struct RuleSet {
    deployed: Arc<Deployed>,
    summary: Option<Value>,
}

impl RuleSet {
    pub(crate) fn new(deployed: Deployed, summary: Option<Value>) -> RuleSet {
        RuleSet { deployed: Arc::new(deployed), summary }
    }

    /// Rules that somebody else holds, too.
    pub(crate) fn shared(deployed: Arc<Deployed>) -> RuleSet {
        RuleSet { deployed, summary: None }
    }

    pub(crate) fn deployed(&self) -> &Arc<Deployed> {
        &self.deployed
    }

    fn with_models(rules: rules::RuleSet, models: Models) -> RuleSet {
        RuleSet::new(Deployed { rules, models }, None)
    }
}

/// A `UserWarning` for what speaks against using these rules.
fn warn(py: Python<'_>, name: &str, rules: &rules::RuleSet) -> PyResult<()> {
    for line in py.detach(|| embed::warnings(rules)) {
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
        let deployed = py.detach(|| Deployed::load(&path)).map_err(|error| raised(&error))?;
        warn(py, &path.display().to_string(), &deployed.rules)?;
        Ok(RuleSet::new(deployed, None))
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
        py.detach(|| Deployed::clone(&self.deployed).save(&path)).map_err(|error| raised(&error))?;
        Ok(())
    }

    /// The text of the rule file.
    fn to_json(&self) -> String {
        self.deployed.rules.to_json()
    }

    /// What speaks against using these rules, as `undust check` says it: nothing, if all is well.
    fn check(&self, py: Python<'_>) -> Vec<String> {
        py.detach(|| check(&self.deployed.rules).iter().map(ToString::to_string).collect())
    }

    /// Which rules fire on a URL, step by step, with the evidence behind each: what `undust explain --json` prints.
    #[pyo3(signature = (url, *, form="key"))]
    fn explain<'py>(&self, py: Python<'py>, url: UrlArgument, form: &str) -> PyResult<Bound<'py, PyAny>> {
        let form: Form = form_named(form)?;
        to_python(py, &embed::explain(&self.deployed, url.bytes(), form))
    }

    /// The same rules but for those with these ids; models stay.
    fn without(&self, ids: Vec<String>) -> PyResult<RuleSet> {
        let mut deployed = Deployed::clone(&self.deployed);
        if let Some(unknown) = ids.iter().find(|id| !deployed.rules.rules().any(|(_, rule)| rule.id == **id))
        {
            return Err(failed(format!("there is no rule '{unknown}'")));
        }
        for site in &mut deployed.rules.sites {
            site.rules.retain(|rule| !ids.contains(&rule.id));
        }
        deployed.rules.sites.retain(|site| !site.rules.is_empty());
        Ok(RuleSet::new(deployed, None))
    }

    /// All rules, site by site, in the order in which they are tried.
    #[getter]
    fn rules(&self) -> Vec<Rule> {
        let rules = self.deployed.rules.rules();
        rules.map(|(site, rule)| Rule { site: site.to_owned(), rule: rule.clone() }).collect()
    }

    /// The sites that have rules.
    #[getter]
    fn sites(&self) -> Vec<String> {
        self.deployed.rules.sites.iter().map(|site| site.site.clone()).collect()
    }

    /// What a site is: `domain` or `host`.
    #[getter]
    fn site_by(&self) -> &'static str {
        self.deployed.rules.site_by.name()
    }

    /// What was learned from, and what each learner had a part in; `None` for rules that were not just learned.
    #[getter]
    fn summary<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.summary.as_ref().map(|summary| to_python(py, summary)).transpose()
    }

    fn __len__(&self) -> usize {
        self.deployed.rules.rules().count()
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.rules().into_pyobject(py)?.call_method0("__iter__")
    }

    fn __eq__(&self, other: &RuleSet) -> bool {
        self.deployed.rules == other.deployed.rules
            && to_bytes(&self.deployed.models) == to_bytes(&other.deployed.models)
    }

    fn __repr__(&self) -> String {
        format!("<RuleSet: {} rules on {} sites>", self.__len__(), self.deployed.rules.sites.len())
    }

    /// Rules travel between processes with their models.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let revive = PyType::new::<RuleSet>(py).getattr("_revive")?;
        let models = PyBytes::new(py, &to_bytes(&self.deployed.models));
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

    /// Which URLs it speaks of: a template, or the text that is replaced.
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

    /// What was seen of it in the data it was learned from.
    #[getter]
    fn evidence<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.rule.evidence.as_ref().map(|evidence| to_python(py, &json!(evidence))).transpose()
    }

    fn __repr__(&self) -> String {
        format!("<Rule {}: {}>", self.rule.id, self.rule.action)
    }
}
