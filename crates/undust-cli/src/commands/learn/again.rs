//! What `undust learn` does about a rule file that is there already: what was decided on its rules stays, and what changes is said.

use std::path::Path;

use anyhow::{Result, anyhow, bail};
use serde::Serialize;
use undust::rules::{Rule, RuleSet};
use undust_learn::LearnReport;
use undust_learn::again::{is_a_persons, is_decided};
use undust_learn::diff::SetDiff;
use undust_neural::RuleFile;
use undust_neural::rule_file::model_path;

use crate::args::Learn;
use crate::messages::{counted, percent_asked, say, thousands};
use crate::rules_file;

/// The rules of the output file, if it is there and they are to be heeded. What is there and holds no rules must not be replaced.
pub(super) fn earlier(args: &Learn) -> Result<Option<RuleFile>> {
    if args.fresh || !rules_file::holds_something(&args.output) {
        return Ok(None);
    }
    let refuse = |error: anyhow::Error| {
        anyhow!(
            "{error:#}; learned rules would replace this file: name another one with -o, or start over with --fresh, which leaves a backup"
        )
    };
    RuleFile::load(&args.output).map(Some).map_err(|error| refuse(error.into()))
}

/// Fail where earlier rules mean something else by a site.
pub(super) fn check_sites(args: &Learn, earlier: Option<&RuleFile>) -> Result<()> {
    let (by, known) = (args.grouping.site_by, earlier.map(|earlier| earlier.rules.site_by));
    if let Some(known) = known.filter(|known| *known != by) {
        bail!(
            "the rules that are there are grouped by {}, not by {}: learn with --site-by {}, or start over with --fresh",
            known.name(),
            by.name(),
            known.name()
        );
    }
    Ok(())
}

/// Say which files there are beside the rules now, and which are of no use any more.
pub(super) fn say_where(
    args: &Learn,
    models: Option<&Path>,
    backup: Option<&Path>,
    earlier: Option<&RuleFile>,
) {
    let rules = args.output.display();
    match models {
        Some(models) => say(&format!("model written to {} (keep it next to {rules})", models.display())),
        None if earlier.is_some_and(|earlier| !earlier.models.is_empty()) => {
            say(&format!("{} is not needed any more", model_path(&args.output).display()));
        }
        None => {}
    }
    if let Some(backup) = backup {
        say(&format!("the rules that were there are in {}", backup.display()));
    }
}

/// What a person should know of the rules that were there before: those that this crawl refutes, and what was not proposed because of them.
pub(super) fn warnings(report: &LearnReport, max_fpr: f64) -> Vec<String> {
    let mut lines: Vec<String> = report.refuted.iter().map(|rule| refuted_line(rule, max_fpr)).collect();
    if report.left_out > 0 {
        let left_out = counted(report.left_out, "proposal");
        lines.push(format!("left out, since a rejected or refuted rule does the same: {left_out}"));
    }
    lines
}

fn refuted_line(rule: &Rule, max_fpr: f64) -> String {
    let evidence = rule.evidence.clone().unwrap_or_default();
    let (id, limit) = (&rule.id, percent_asked(max_fpr));
    let (wrong, trials) = (thousands(evidence.false_positives), counted(evidence.trials, "URL"));
    let fate = if is_a_persons(rule) {
        "it stays, since a person decided on it; \"review\": \"rejected\" takes it out of use"
    } else {
        "it is gone, though it was found valid before"
    };
    format!("warning: rule {id} is wrong on {wrong} of {trials} here, and the limit is {limit}: {fate}")
}

/// What is different from the rules that were there before.
#[derive(Serialize)]
pub(crate) struct Changes {
    /// Rules that stay because of what was decided on them.
    decided: u64,
    new: u64,
    gone: u64,
    as_before: u64,
    /// What some of those that are gone said.
    #[serde(skip)]
    gone_rules: Vec<String>,
}

/// Rules that are gone and named.
const MAX_GONE_RULES_NAMED: usize = 5;

impl Changes {
    pub(super) fn new(earlier: &RuleSet, now: &RuleSet) -> Changes {
        let diff = SetDiff::new(earlier, now);
        let [new, gone, changed] = diff.counts();
        let lost = diff.sites.iter().flat_map(|site| &site.lost);
        let name = |rule: &&Rule| format!("  gone: {}", rule.action);
        Changes {
            decided: now.rules().filter(|(_, rule)| is_decided(rule)).count() as u64,
            new,
            gone,
            as_before: diff.same + changed,
            gone_rules: lost.take(MAX_GONE_RULES_NAMED).map(name).collect(),
        }
    }

    /// Whether there were any rules before.
    pub(super) fn were_any(&self) -> bool {
        self.gone + self.as_before > 0
    }

    pub(super) fn told(&self) -> Vec<String> {
        let Changes { decided, new, gone, as_before, gone_rules } = self;
        let [new, gone_said, as_before] = [new, gone, as_before].map(|count| thousands(*count));
        let kept = format!("{} kept", counted(*decided, "decision"));
        let mut lines = vec![format!(
            "compared with the rules that were there: {new} new, {gone_said} gone, {as_before} as before; {kept}"
        )];
        lines.extend(gone_rules.iter().cloned());
        let more = gone - gone_rules.len() as u64;
        if more > 0 {
            lines.push(format!("  … and {} more", thousands(more)));
        }
        lines
    }
}
