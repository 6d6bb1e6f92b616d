//! Rule files on disk, with the models that belong to them.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use undust::rules::RuleSet;
use undust_neural::RuleFile;
use undust_neural::rule_file::{load_rules, warnings};

use crate::messages::say;
use crate::output;

/// Print the warnings about the rules of a file.
pub(crate) fn warn(path: &Path, rules: &RuleSet) {
    for line in warnings(rules) {
        say(&format!("{}: {line}", path.display()));
    }
}

/// The rules of a file alone, for commands that have no use for a model.
pub(crate) fn load(path: &Path) -> Result<RuleSet> {
    Ok(load_rules(path)?)
}

/// Write a rule file, or to standard output, and its models next to it; where these are.
pub(crate) fn save_with_models(path: &Path, file: &mut RuleFile) -> Result<Option<PathBuf>> {
    let models = file.save_models(path)?;
    save(path, &file.rules)?;
    Ok(models)
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
    match RuleFile::load(path) {
        // Its models are about to be replaced as well: the copy has its own.
        Ok(mut file) if !file.models.is_empty() => {
            file.save(&backup)?;
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
