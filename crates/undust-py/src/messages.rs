//! Warnings for people, which the Python half raises as `InputWarning`. Options have their Python names.

use std::path::Path;

use undust::rules::{Rule, RuleSet};
use undust_io::Summary;
use undust_learn::again::is_a_persons;
use undust_learn::{LearnReport, Pipeline};
use undust_neural::RuleFile;

/// What is wrong with an input: that it has no page, bad lines and the first few of them, pages that were cut.
pub(crate) fn of_input(summary: &Summary) -> Vec<String> {
    let mut lines = bad_lines(summary);
    let unit = summary.format.unit();
    if summary.pages == 0 && summary.problems.count == 0 {
        let name = summary.file.display();
        let is_stdin = summary.file == Path::new("-");
        let name = if is_stdin { "<stdin>".to_owned() } else { name.to_string() };
        lines.push(match summary.lines {
            0 => format!("{name}: the input is empty"),
            count => format!("{name}: no page in {}", counted(count, unit)),
        });
    }
    if summary.cut > 0 {
        let (pages, most) = (counted(summary.cut, "page"), counted(summary.max_body, "byte"));
        lines.push(format!("read only the beginning of {pages} longer than {most} (max_body)"));
    }
    lines
}

fn bad_lines(summary: &Summary) -> Vec<String> {
    let problems = &summary.problems;
    if problems.count == 0 {
        return Vec::new();
    }
    let (bad, all) = (thousands(problems.count), counted(summary.lines, summary.format.unit()));
    let mut lines = vec![format!("skipped {bad} of {all}, which cannot be read:")];
    lines.extend(problems.samples.iter().map(|problem| format!("  {problem}")));
    let more = problems.count - problems.samples.len() as u64;
    if more > 0 {
        lines.push(format!("  … and {} more (strict=True stops at the first)", thousands(more)));
    }
    lines
}

/// What a person should know of a run of learning.
pub(crate) fn of_learning(report: &LearnReport, pipeline: &Pipeline) -> Vec<String> {
    let mut lines: Vec<String> = report
        .nothing
        .iter()
        .map(|(why, sites)| format!("nothing was learned on {}: {why}", counted(*sites, "site")))
        .collect();
    if report.sampled_sites > 0 {
        let (sites, most) = (counted(report.sampled_sites, "site"), thousands(pipeline.max_urls() as u64));
        lines.push(format!("of {sites} with more than {most} URLs, a sample was learned from (max_urls)"));
    }
    lines.extend(report.refuted.iter().map(|rule| refuted(rule, pipeline.config().max_fpr)));
    if report.left_out > 0 {
        let left_out = counted(report.left_out, "proposal");
        lines.push(format!("left out, since a rejected or refuted rule does the same: {left_out}"));
    }
    lines
}

fn refuted(rule: &Rule, max_fpr: f64) -> String {
    let evidence = rule.evidence.clone().unwrap_or_default();
    let (wrong, trials) = (thousands(evidence.false_positives), counted(evidence.trials, "URL"));
    let outcome = if is_a_persons(rule) {
        "it stays, since a person decided on it; \"review\": \"rejected\" takes it out of use"
    } else {
        "it is gone, though it was found valid before"
    };
    let id = &rule.id;
    format!("warning: rule {id} is wrong on {wrong} of {trials} here, and max_fpr is {max_fpr}: {outcome}")
}

/// Why there is nothing to learn from in these pages.
pub(crate) fn nothing_to_learn_from(pipeline: &Pipeline, pages: u64) -> String {
    let (labels, hint) = if pipeline.info().needs_labels {
        (" with a cluster or a digest", "; the method 'dustbuster' needs neither")
    } else {
        ("", "")
    };
    let (method, pages) = (pipeline.method(), counted(pages, "page"));
    format!("nothing to learn from: '{method}' needs full URLs{labels} ({pages}, none like that){hint}")
}

/// What to do where there is no rule to use; `seen` are the rules of the sites learned from.
pub(crate) fn hint(
    seen: &RuleSet,
    file: &RuleFile,
    report: &LearnReport,
    has_changes: bool,
) -> Option<&'static str> {
    if seen.sites.is_empty() && has_changes {
        // The earlier rules are gone or refused, and the report has their number.
        None
    } else if seen.sites.is_empty() && report.clusters == 0 {
        Some(
            "no rule is likely: more URLs of the same sites help, or a smaller setting 'dustbuster.min-support'",
        )
    } else if seen.sites.is_empty() && file.models.is_empty() {
        Some("no rule was sure enough: more labelled URLs of the same sites help, or a larger max_fpr")
    } else if !seen.sites.is_empty() && seen.rules().all(|(_, rule)| !rule.is_active()) {
        Some("likely rules are not applied before they are tried out: see undust validate --help")
    } else {
        None
    }
}

/// A number of things: `1 site`, `1,234 sites`.
pub(crate) fn counted(n: u64, thing: &str) -> String {
    format!("{} {thing}{}", thousands(n), if n == 1 { "" } else { "s" })
}

/// `1234567` as `1,234,567`.
fn thousands(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}
