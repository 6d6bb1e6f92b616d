//! Rule files on disk.

use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result};
use undust::rules::RuleSet;

/// Read a rule file (also a compressed one); errors name it.
pub(crate) fn load(path: &Path) -> Result<RuleSet> {
    let mut text = String::new();
    undust_io::open(path)?.read_to_string(&mut text).with_context(|| format!("cannot read {}", path.display()))?;
    RuleSet::from_json(&text).with_context(|| path.display().to_string())
}

/// Write a rule file, or to standard output for `-`.
pub(crate) fn save(path: &Path, rules: &RuleSet) -> Result<()> {
    let text = rules.to_json();
    if path == Path::new("-") {
        return Ok(std::io::Write::write_all(&mut std::io::stdout(), text.as_bytes())?);
    }
    undust_io::write_atomically(path, |out| out.write_all(text.as_bytes()))
        .with_context(|| format!("cannot write {}", path.display()))
}
