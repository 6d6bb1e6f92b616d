//! What comes first: what the rules save, what they may cost, and what was read.

use std::path::PathBuf;

use super::collect::SiteLine;
use super::html::{Html, nothing, said, tag, tag_with, text};
use super::page::Report;
use crate::commands::left_out;
use crate::messages::{counted, percent, percent_asked, percent_at_most, thousands};

/// What was learned, in one line.
pub(super) fn headline(report: &Report) -> String {
    let total = report.facts.total;
    let rules = report.facts.rules.rules().count() as u64;
    match rules {
        0 => format!("no rule for {}", counted(total.urls, "URL")),
        _ if !report.is_judged() => {
            format!("{} for {}", counted(rules, "likely rule"), counted(total.urls, "URL"))
        }
        _ => format!("{} of {} URLs need no fetch", thousands(report.spared()), thousands(total.urls)),
    }
}

/// The top of the page.
pub(super) fn head(report: &Report) -> Html {
    let content = [
        tag("p.brand", [said("b", "undust"), text(" report on "), inputs(report.facts.inputs)]),
        big(report),
        parts(report),
        figures(report),
        read(report),
    ];
    tag("header", content)
}

/// Inputs named, at most.
const MAX_INPUTS_NAMED: usize = 4;

/// The names of the inputs, without the folders they are in.
fn inputs(inputs: &[PathBuf]) -> Html {
    let name =
        |input: &PathBuf| input.file_name().unwrap_or(input.as_os_str()).to_string_lossy().into_owned();
    let mut names: Vec<String> = inputs.iter().take(MAX_INPUTS_NAMED).map(name).collect();
    let more = inputs.len().saturating_sub(MAX_INPUTS_NAMED) as u64;
    names.extend((more > 0).then(|| format!("{} more", thousands(more))));
    said("span.input", names.join(", "))
}

/// The headline, with the share in large figures.
fn big(report: &Report) -> Html {
    let total = report.facts.total;
    let share = report.spared() as f64 / total.urls.max(1) as f64;
    let number = if report.is_judged() { said("strong", percent(share)) } else { nothing() };
    tag("div.big", [number, tag("div", [said("h1", capitalized(&headline(report))), cost(report)])])
}

fn capitalized(line: &str) -> String {
    let mut chars = line.chars();
    chars.next().map(char::to_uppercase).into_iter().flatten().chain(chars).collect()
}

/// What the rules may cost.
fn cost(report: &Report) -> Html {
    let max_fpr = report.facts.config.max_fpr;
    if !report.is_judged() {
        let likely = "Nothing was judged by labels: likely rules are not applied before undust validate has tried them out.";
        return said("p", likely);
    }
    let Some(all) = report.curve.last() else {
        return said(
            "p",
            format!("No rule was sure to lose no more than {} of the pages.", percent_asked(max_fpr)),
        );
    };
    let lost = percent_at_most(all.max_fpr.min(max_fpr));
    let seen = report.collected.sum(|site| site.lost);
    let pages = [
        text("At most "),
        said("b", lost),
        text(format!(
            " of the pages are lost (95 % confidence; the limit was {}). On the URLs seen, {} of {} are.",
            percent_asked(max_fpr),
            thousands(seen),
            thousands(report.facts.total.clusters)
        )),
    ];
    tag("p", pages)
}

/// All URLs as one bar: those that are spared, those that could be, those that must be fetched. Each is in one part.
fn parts(report: &Report) -> Html {
    let total = report.facts.total;
    if !report.is_judged() || total.urls == 0 {
        return nothing();
    }
    let sum = |of: fn(&SiteLine) -> u64| report.collected.sum(of);
    let parts = [
        ("span.saved", sum(|site| site.fetches.merged), "not fetched: made equal to others by rules"),
        ("span.skipped", sum(|site| site.fetches.skipped), "not fetched: skipped by rules"),
        ("span.spare", sum(|site| site.fetches.again), "fetched again: duplicates that no rule explains"),
        ("span.needed", sum(|site| site.fetches.needed), "fetched, one for each page"),
        ("span.unknown", sum(|site| site.unlabelled), "fetched, on sites without labels"),
    ];
    let part = |(class, urls, _): &(&'static str, u64, &str)| {
        tag_with(class, &[("style", format!("flex-grow:{urls}"))], [])
    };
    let name = |(class, urls, what): &(&'static str, u64, &str)| {
        tag("li", [tag(class, []), said("b", thousands(*urls)), text(format!(" {what}"))])
    };
    let is_there = |part: &&(&str, u64, &str)| part.1 > 0;
    let bar = tag("div.parts", parts.iter().filter(is_there).map(part));
    [bar, tag("ul.legend", parts.iter().filter(is_there).map(name))].into_iter().collect()
}

fn figures(report: &Report) -> Html {
    let total = report.facts.total;
    let rules = report.facts.rules.rules().count() as u64;
    let unlabelled = report.collected.sum(|site| site.unlabelled);
    let figures = [
        (thousands(report.facts.read.pages), "rows read"),
        (thousands(total.urls), if report.is_judged() && unlabelled == 0 { "labelled URLs" } else { "URLs" }),
        (thousands(total.clusters), "pages"),
        (thousands(total.sites), if total.sites == 1 { "site" } else { "sites" }),
        (thousands(rules), if rules == 1 { "rule" } else { "rules" }),
        (thousands(total.candidates), "proposed"),
    ];
    let is_known = |(number, name): &(String, &str)| *name != "pages" || number != "0";
    let figure = |(number, name): (String, &str)| tag("div", [said("dd", number), said("dt", name)]);
    tag("dl.figures", figures.into_iter().filter(is_known).map(figure))
}

/// What was read and not used, and why.
fn read(report: &Report) -> Html {
    let read = &report.facts.read;
    let lines = [
        (read.bad, "could not be read, and were skipped"),
        (read.cut, "were longer than --max-body, and only their beginning was read"),
    ];
    let lines = lines.into_iter().chain(left_out(report.facts.total)).filter(|(rows, _)| *rows > 0);
    let line = |(rows, why): (u64, &str)| said("li", format!("{} {why}", counted(rows, "row")));
    let lines: Vec<Html> = lines.map(line).collect();
    if lines.is_empty() { nothing() } else { tag("ul.left", lines) }
}

/// The bottom of the page: how to have it again, and what words mean.
pub(super) fn foot(report: &Report) -> Html {
    let config = report.facts.config;
    let how = format!(
        "Learned by {}, with --max-fpr {} --set learn.min-trials={} --seed {}. The rule file holds every rule; undust explain tells what they do to a URL.",
        report.facts.method, config.max_fpr, config.min_trials, config.seed
    );
    let words = [
        ("page", "all URLs with one label: they lead to the same content"),
        (
            "saved",
            "URLs that need no fetch, since another one with the same key is fetched, or since rules skip them",
        ),
        ("held out", "URLs (of skips: pages) that the learner did not see when it proposed the rule"),
        (
            "at most",
            "the share of wrong URLs that the evidence leaves possible, with 95 % confidence; the limit (--max-fpr) is for the rules of a site together",
        ),
    ];
    let word = |(word, what): (&str, &str)| tag("div", [said("dt", word), said("dd", what)]);
    tag("footer", [said("p", how), tag("dl", words.map(word))])
}
