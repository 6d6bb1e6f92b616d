//! `report.html`: what was learned, for people to look at. One file that needs nothing else, shows the same without scripts, and does not
//! grow with the crawl.
//!
//! One file per section. What is shown was found by `undust_learn::survey`; here it is put into words and pictures.

mod charts;
mod collect;
mod conflicts;
mod diff;
mod html;
mod page;
mod rules;
mod sites;
mod summary;
mod tree;
mod unexplained;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use undust::rules::RuleSet;
use undust_learn::LearnReport;
use undust_learn::pipeline::Config;

use crate::commands::Read;
use crate::output;
pub(crate) use collect::Collector;

/// What is known of a run when it is over.
pub(crate) struct Facts<'f> {
    /// What was read, as the user named it.
    pub(crate) inputs: &'f [PathBuf],
    pub(crate) read: Read,
    pub(crate) method: &'f str,
    pub(crate) config: &'f Config,
    pub(crate) total: &'f LearnReport,
    pub(crate) rules: &'f RuleSet,
    /// Sites that have a model beside their rules.
    pub(crate) models: u64,
    /// How long each learner took, where that is known.
    pub(crate) seconds: BTreeMap<String, f64>,
}

/// Where the report goes if nobody says where: beside the rules.
pub(crate) fn beside(rules: &Path) -> PathBuf {
    rules.with_file_name("report.html")
}

/// Fail now if the report could not be written, or would take the place of the rules or of an input.
pub(crate) fn check_place(path: &Path, rules: &Path, inputs: &[PathBuf]) -> Result<()> {
    if output::is_stdout(path) {
        bail!("the report cannot go to standard output: name a file");
    }
    if path == rules {
        bail!("{} cannot hold both the rules and the report", path.display());
    }
    output::check_place(path, inputs, false, "report")
}

/// Write the report.
pub(crate) fn save(path: &Path, facts: &Facts, collector: Collector) -> Result<()> {
    let text = page::page(facts, &collector.into_collected());
    output::save(path, |out| out.write_all(text.as_bytes()))
}

#[cfg(test)]
mod tests;
