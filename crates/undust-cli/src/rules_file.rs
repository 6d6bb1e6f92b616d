//! Rule files on disk, with the models that belong to them.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use undust::apply::check;
use undust::rules::{ModelFile, RuleSet};
use undust_neural::file::{Models, from_bytes, to_bytes};

use crate::output;
use crate::talk::{counted, say};

/// Rules and models as they are applied.
#[derive(Clone)]
pub struct Deployed {
    /// The rules.
    pub rules: RuleSet,
    /// Models of some of their sites.
    pub models: Models,
}

impl Deployed {
    /// Read a rule file, and the models that it names.
    pub fn load(path: &Path) -> Result<Deployed> {
        let rules = load(path)?;
        let models = match &rules.model {
            Some(model) => load_models(path, model)?,
            None => Models::new(),
        };
        Ok(Deployed { rules, models })
    }

    /// Write a rule file, and its models next to it; without any, there is only the rule file. Where the models are.
    pub fn save(&mut self, path: &Path) -> Result<Option<PathBuf>> {
        let mut models = None;
        self.rules.model = None;
        if !self.models.is_empty() {
            let (bytes, model_path) = (to_bytes(&self.models), models_beside(path));
            let name = model_path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            output::save(&model_path, |out| out.write_all(&bytes))?;
            self.rules.model = Some(ModelFile::new(name, &bytes));
            models = Some(model_path);
        }
        save(path, &self.rules)?;
        Ok(models)
    }
}

/// Rules that are checked whenever their file is loaded: 10,000 take about a second.
const MAX_RULES_CHECKED_ON_LOAD: usize = 10_000;

/// Findings shown when a rule file is loaded; `undust check` shows all.
const MAX_FINDINGS_SHOWN: usize = 3;

/// What speaks against using `rules`, in a few lines: nothing, where they pass `undust check`.
pub fn warnings(rules: &RuleSet) -> Vec<String> {
    let count = rules.rules().count();
    if count > MAX_RULES_CHECKED_ON_LOAD {
        return vec![format!(
            "{} are not checked on loading: see undust check",
            counted(count as u64, "rule")
        )];
    }
    let findings = check(rules);
    let mut lines: Vec<String> =
        findings.iter().take(MAX_FINDINGS_SHOWN).map(|finding| format!("warning: {finding}")).collect();
    if findings.len() > MAX_FINDINGS_SHOWN {
        lines.push(format!("… and {} more: see undust check", findings.len() - MAX_FINDINGS_SHOWN));
    }
    lines
}

/// Where the models of a rule file are written: `rules.safetensors` beside `rules.json`.
pub(crate) fn models_beside(rules: &Path) -> PathBuf {
    let stem =
        if rules.extension().is_some_and(|e| e == "json") { rules.file_stem() } else { rules.file_name() };
    let mut name = stem.unwrap_or_default().to_os_string();
    name.push(".safetensors");
    rules.with_file_name(name)
}

/// What to do about a rule file whose model is missing or another one.
const HOW_TO_GO_ON: &str = "copy the right one there, or learn the rules again with --no-model --fresh";

/// The models that the rule file `rules` names.
fn load_models(rules: &Path, expected: &ModelFile) -> Result<Models> {
    let (rules_name, path) = (rules.display(), rules.with_file_name(&expected.file));
    let name = path.display();
    if Path::new(&expected.file).file_name().is_none_or(|file| file != expected.file.as_str())
        || expected.file == "-"
    {
        bail!("{rules_name} refers to a model: '{}' is no name of a file in its folder", expected.file);
    }
    if !path.exists() {
        bail!("{rules_name} needs its model {name}, which is not there: {HOW_TO_GO_ON}");
    }
    let bytes = undust_io::open(&path)?.into_bytes().with_context(|| name.to_string())?;
    if ModelFile::new(expected.file.clone(), &bytes) != *expected {
        bail!("{rules_name} needs its model: {name} was not learned with these rules ({HOW_TO_GO_ON})");
    }
    from_bytes(&bytes).with_context(|| name.to_string())
}

/// Say what speaks against using the rules of a file.
pub(crate) fn warn(path: &Path, rules: &RuleSet) {
    for line in warnings(rules) {
        say(&format!("{}: {line}", path.display()));
    }
}

/// Read a rule file (also a compressed one); errors name it.
pub(crate) fn load(path: &Path) -> Result<RuleSet> {
    let text = undust_io::open(path)?.into_text()?;
    RuleSet::from_json(&text).with_context(|| path.display().to_string())
}

/// Write a rule file, or to standard output for `-`.
pub(crate) fn save(path: &Path, rules: &RuleSet) -> Result<()> {
    output::save(path, |out| out.write_all(rules.to_json().as_bytes()))
}

/// Write a rule file in place of what is there, which is kept under another name unless it is the same.
pub(crate) fn replace(path: &Path, rules: &RuleSet) -> Result<()> {
    let is_same =
        || undust_io::open(path).is_ok_and(|file| file.into_text().is_ok_and(|text| text == rules.to_json()));
    let backup = if output::is_stdout(path) || is_same() { None } else { back_up(path)? };
    save(path, rules)?;
    if let Some(backup) = backup {
        say(&format!("what {} held before is in {}", path.display(), backup.display()));
    }
    Ok(())
}

/// Whether there is a file with something in it; pipes and devices are for writing alone.
pub(crate) fn holds_something(path: &Path) -> bool {
    !output::is_stdout(path) && path.metadata().is_ok_and(|file| file.is_file() && file.len() > 0)
}

/// Keep what a file holds under a name that is free.
pub(crate) fn back_up(path: &Path) -> Result<Option<PathBuf>> {
    if !holds_something(path) {
        return Ok(None);
    }
    let backup = backup_name(path);
    match Deployed::load(path) {
        // Its models are about to be replaced as well: the copy has its own.
        Ok(mut deployed) if !deployed.models.is_empty() => {
            deployed.save(&backup)?;
        }
        _ => {
            std::fs::copy(path, &backup).with_context(|| format!("cannot write {}", backup.display()))?;
        }
    }
    Ok(Some(backup))
}

/// `rules.json.bak`, or the first of `rules.json.bak2`, `rules.json.bak3` and so on that is not there yet.
fn backup_name(path: &Path) -> PathBuf {
    let numbered = |number: u32| {
        let mut name = path.as_os_str().to_os_string();
        name.push(if number == 1 { ".bak".to_owned() } else { format!(".bak{number}") });
        PathBuf::from(name)
    };
    let mut number = 1;
    while numbered(number).exists() {
        number += 1;
    }
    numbered(number)
}
