//! Rule files on disk.

use std::path::Path;

use anyhow::{Context, Result};
use undust::rules::RuleSet;

use crate::output;

/// Read a rule file (also a compressed one); errors name it.
pub(crate) fn load(path: &Path) -> Result<RuleSet> {
    let text = undust_io::open(path)?.into_text()?;
    RuleSet::from_json(&text).with_context(|| path.display().to_string())
}

/// Write a rule file, or to standard output for `-`.
pub(crate) fn save(path: &Path, rules: &RuleSet) -> Result<()> {
    output::save(path, |out| out.write_all(rules.to_json().as_bytes()))
}
