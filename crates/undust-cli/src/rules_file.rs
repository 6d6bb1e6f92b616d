//! Rule files on disk.

use std::path::Path;

use anyhow::{Context, Result};
use undust::rules::RuleSet;

/// Read a rule file (also a compressed one); errors name it.
pub(crate) fn load(path: &Path) -> Result<RuleSet> {
    let text = undust_io::open(path)?.into_text()?;
    RuleSet::from_json(&text).with_context(|| path.display().to_string())
}

/// Fail now if [`save`] is bound to fail, before hours are spent on learning.
pub(crate) fn check_writable(path: &Path) -> Result<()> {
    if is_stdout(path) {
        return Ok(());
    }
    undust_io::check_writable(path).with_context(|| format!("cannot write {}", path.display()))
}

/// Write a rule file, or to standard output for `-`.
pub(crate) fn save(path: &Path, rules: &RuleSet) -> Result<()> {
    let text = rules.to_json();
    if is_stdout(path) {
        return Ok(std::io::Write::write_all(&mut std::io::stdout(), text.as_bytes())?);
    }
    undust_io::write_atomically(path, |out| out.write_all(text.as_bytes()))
        .with_context(|| format!("cannot write {}", path.display()))
}

/// Whether a file name means the standard output.
pub(crate) fn is_stdout(path: &Path) -> bool {
    path == Path::new("-")
}
