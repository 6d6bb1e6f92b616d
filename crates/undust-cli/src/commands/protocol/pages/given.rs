//! Rule files to compare with what is learned, and the labelled files that they are for.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use undust::page::Page;
use undust::rules::{EVERY_SITE, RuleSet};
use undust::url::{SplitUrl, find_by_host_suffix};
use undust_neural::RuleFile;
use undust_papers::pages::Given;

use super::Labelled;
use crate::rules_file;

/// Endings of labelled files and of rule files.
const ENDINGS: [&str; 9] = ["gz", "zst", "bz2", "tsv", "csv", "jsonl", "json", "txt", "parquet"];

/// All rule files that were named.
pub(super) struct GivenRules(Vec<(PathBuf, RuleFile)>);

impl GivenRules {
    pub(super) fn load(paths: &[PathBuf]) -> Result<GivenRules> {
        let load = |path: &PathBuf| {
            let file = RuleFile::load(path)?;
            rules_file::warn(path, &file.rules);
            Ok((path.clone(), file))
        };
        paths.iter().map(load).collect::<Result<_>>().map(GivenRules)
    }

    /// The rules for a file: those of its name, and those of its site that have the name of no file.
    pub(super) fn of(&self, file: &Labelled, files: &[Labelled]) -> Vec<Given> {
        let fitting = self.0.iter().filter(|(path, rules)| fits(path, &rules.rules, file, files));
        let named = |(at, (_, file)): (usize, &(PathBuf, RuleFile))| {
            let name = if at == 0 { "given".to_owned() } else { format!("given {}", at + 1) };
            Given { name, file: file.clone() }
        };
        fitting.enumerate().map(named).collect()
    }

    /// Rules that are for no file are a mistake.
    pub(super) fn check_all_used(&self, files: &[Labelled]) -> Result<()> {
        for (path, rules) in &self.0 {
            if !files.iter().any(|file| fits(path, &rules.rules, file, files)) {
                bail!("{}: no input has its name, or is of a site that it has rules for", path.display());
            }
        }
        Ok(())
    }
}

fn fits(path: &Path, rules: &RuleSet, file: &Labelled, files: &[Labelled]) -> bool {
    let name = base_name(path);
    if files.iter().any(|file| file.name == name) { file.name == name } else { has_site(rules, &file.pages) }
}

/// Whether some of the pages are of a site that there are rules for.
fn has_site(rules: &RuleSet, pages: &[Page]) -> bool {
    let names: BTreeSet<&[u8]> = rules.sites.iter().map(|site| site.site.as_bytes()).collect();
    let is_known = |page: &Page| {
        let Some(url) = SplitUrl::new(&page.url) else { return false };
        find_by_host_suffix(url.host(), rules.site_by, |name| names.contains(name).then_some(())).is_some()
    };
    names.contains(EVERY_SITE.as_bytes()) || pages.iter().any(is_known)
}

/// The name of a file without its folder and endings: `sites/wiki.tsv.gz` is `wiki`.
pub(super) fn base_name(path: &Path) -> String {
    let mut name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    while let Some((stem, ending)) = name.rsplit_once('.')
        && ENDINGS.contains(&ending)
        && !stem.is_empty()
    {
        name = stem.to_owned();
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_without_endings() {
        let names = ["sites/wiki.tsv.gz", "a/wiki.json", "www.example.com.jsonl.zst", "-", ".json"];
        let names = names.map(|name| base_name(Path::new(name)));
        assert_eq!(names, ["wiki", "wiki", "www.example.com", "-", ".json"]);
    }
}
