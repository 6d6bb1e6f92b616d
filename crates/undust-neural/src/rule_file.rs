//! A rule file with the model that it names: loaded and saved together, as one thing.

use std::io;
use std::path::{Path, PathBuf};

use undust::apply::check;
use undust::rules::{ModelFile, RuleSet};
use undust_io::{ReadError, open, write_atomically};
use undust_learn::LearnReport;

use crate::file::{ModelError, Models, from_bytes, to_bytes};

/// Rules, with the models of some of their sites.
#[derive(Clone, Default)]
pub struct RuleFile {
    /// The rules.
    pub rules: RuleSet,
    /// Models by site.
    pub models: Models,
}

/// Why a rule file cannot be loaded or saved. Messages are whole: what lies behind an error is part of its text, not a source.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RuleFileError {
    /// A file cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The file holds no rules.
    #[error("{path}: {reason}")]
    Rules {
        /// The rule file.
        path: String,
        /// What is wrong with it.
        reason: undust::rules::FileError,
    },
    /// The name of the model is not one of a file in the folder of the rules.
    #[error("{rules} refers to a model: '{model}' is no name of a file in its folder")]
    ModelName {
        /// The rule file.
        rules: String,
        /// The name.
        model: String,
    },
    /// The model is missing.
    #[error("{rules} needs its model {model}, which is not there: {HOW_TO_GO_ON}")]
    NoModel {
        /// The rule file.
        rules: String,
        /// Where the model should be.
        model: String,
    },
    /// The model belongs to other rules.
    #[error("{rules} needs its model: {model} was not learned with these rules ({HOW_TO_GO_ON})")]
    OtherModel {
        /// The rule file.
        rules: String,
        /// The model.
        model: String,
    },
    /// The file of the model holds none.
    #[error("{path}: {reason}")]
    Model {
        /// The model.
        path: String,
        /// What is wrong with it.
        reason: ModelError,
    },
    /// A file cannot be written.
    #[error("cannot write {path}: {reason}")]
    Write {
        /// The file.
        path: String,
        /// Why.
        reason: io::Error,
    },
}

/// What to do about a rule file whose model is missing or another one.
const HOW_TO_GO_ON: &str = "copy the right one there, or learn the rules again with --fresh";

impl RuleFile {
    /// Rules without models.
    pub fn of_rules(rules: RuleSet) -> RuleFile {
        RuleFile { rules, models: Models::new() }
    }

    /// Loads a rule file (also a compressed one) and the model that it names.
    ///
    /// # Errors
    ///
    /// If one of the files cannot be read, or the model is not that of the rules.
    pub fn load(path: &Path) -> Result<RuleFile, RuleFileError> {
        let rules = load_rules(path)?;
        let models = match &rules.model {
            Some(model) => load_models(path, model)?,
            None => Models::new(),
        };
        Ok(RuleFile { rules, models })
    }

    /// Saves the rules, and the models, if there are any, next to them: returns where these are.
    ///
    /// # Errors
    ///
    /// If a file cannot be written.
    pub fn save(&mut self, path: &Path) -> Result<Option<PathBuf>, RuleFileError> {
        let model_path = self.save_models(path)?;
        write(path, self.rules.to_json().as_bytes())?;
        Ok(model_path)
    }

    /// Saves the models, if there are any, next to the rule file `path`, and notes their name in the rules.
    ///
    /// # Errors
    ///
    /// If the file cannot be written.
    pub fn save_models(&mut self, path: &Path) -> Result<Option<PathBuf>, RuleFileError> {
        self.rules.model = None;
        if self.models.is_empty() {
            return Ok(None);
        }
        let (bytes, model_path) = (to_bytes(&self.models), model_path(path));
        let name = model_path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        write(&model_path, &bytes)?;
        self.rules.model = Some(ModelFile::new(name, &bytes));
        Ok(Some(model_path))
    }

    /// Keeps the models of `earlier` rules for sites of which nothing was learned, as their rules are kept.
    pub fn keep_models(&mut self, report: &LearnReport, earlier: &RuleFile) {
        let is_learned = |site: &String| report.site_names.contains(site) && !report.untouched.contains(site);
        for (site, model) in earlier.models.iter().filter(|(site, _)| !is_learned(site)) {
            self.models.insert(site.clone(), model.clone());
        }
    }

    /// Adds models as files of single sites.
    ///
    /// # Errors
    ///
    /// If one is not a model file.
    pub fn add_models(&mut self, files: impl IntoIterator<Item = Vec<u8>>) -> Result<(), ModelError> {
        for bytes in files {
            self.models.extend(from_bytes(&bytes)?);
        }
        Ok(())
    }
}

impl std::fmt::Debug for RuleFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let sites: Vec<&String> = self.models.keys().collect();
        f.debug_struct("RuleFile").field("rules", &self.rules).field("models", &sites).finish()
    }
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), RuleFileError> {
    write_atomically(path, |out| out.write_all(bytes))
        .map_err(|reason| RuleFileError::Write { path: path.display().to_string(), reason })
}

/// Loads the rules of a file alone, whatever model it names.
///
/// # Errors
///
/// If it cannot be read, or holds no rules.
pub fn load_rules(path: &Path) -> Result<RuleSet, RuleFileError> {
    let text = open(path)?.into_text()?;
    RuleSet::from_json(&text)
        .map_err(|reason| RuleFileError::Rules { path: path.display().to_string(), reason })
}

/// Where the models of a rule file are: `rules.safetensors` beside `rules.json`.
pub fn model_path(rules: &Path) -> PathBuf {
    let is_json = rules.extension().is_some_and(|extension| extension == "json");
    let stem = if is_json { rules.file_stem() } else { rules.file_name() };
    let mut name = stem.unwrap_or_default().to_os_string();
    name.push(".safetensors");
    rules.with_file_name(name)
}

/// The models that the rule file `rules` names.
fn load_models(rules: &Path, expected: &ModelFile) -> Result<Models, RuleFileError> {
    let path = rules.with_file_name(&expected.file);
    let (rules, model) = (rules.display().to_string(), path.display().to_string());
    if Path::new(&expected.file).file_name().is_none_or(|file| file != expected.file.as_str())
        || expected.file == "-"
    {
        return Err(RuleFileError::ModelName { rules, model: expected.file.clone() });
    }
    if !path.exists() {
        return Err(RuleFileError::NoModel { rules, model });
    }
    let bytes = open(&path)?.into_bytes()?;
    if ModelFile::new(expected.file.clone(), &bytes) != *expected {
        return Err(RuleFileError::OtherModel { rules, model });
    }
    from_bytes(&bytes).map_err(|reason| RuleFileError::Model { path: model, reason })
}

/// Rules that are checked whenever their file is loaded: 10,000 take about a second.
const MAX_RULES_CHECKED_ON_LOAD: usize = 10_000;

/// Findings shown when a rule file is loaded; `undust check` shows all.
const MAX_FINDINGS_SHOWN: usize = 3;

/// Warnings about using these rules, in a few lines; none where they pass `undust check`.
pub fn warnings(rules: &RuleSet) -> Vec<String> {
    let count = rules.rules().count();
    if count > MAX_RULES_CHECKED_ON_LOAD {
        return vec![format!("{count} rules are not checked on loading: see undust check")];
    }
    let findings = check(rules);
    let mut lines: Vec<String> =
        findings.iter().take(MAX_FINDINGS_SHOWN).map(|finding| format!("warning: {finding}")).collect();
    if findings.len() > MAX_FINDINGS_SHOWN {
        lines.push(format!("… and {} more: see undust check", findings.len() - MAX_FINDINGS_SHOWN));
    }
    lines
}
