//! The experiment of WWW 2007: how many likely rules are valid, and what they do to URLs that nobody learned from.

use anyhow::Result;
use undust_papers::www07::{Experiment, Known, Method, MethodReport, Ranking, SiteReport, TOP, TRAIN};

use super::plot::{Chart, Series};
use super::{Reports, each_site, named, only, save_plot};
use crate::Outcome;
use crate::args::Eval;
use crate::commands::eval;
use crate::messages::{percent, thousands};
use crate::scale::Axis;
use crate::sheet::Sheet;
use crate::table::{Table, align_right, plain};
use undust_papers::learners;

/// What `--json` prints.
#[derive(serde::Serialize)]
struct Www07<'r> {
    protocol: &'static str,
    sites: &'r [SiteReport],
    small_sites: u64,
}

pub(super) fn run(args: &Eval) -> Result<Outcome> {
    let (top, train) = (args.experiment.top.unwrap_or(TOP), args.experiment.train.unwrap_or(TRAIN));
    let experiment = Experiment { top, train, ..Experiment::default() };
    let methods = methods(&args.experiment.methods)?;
    let Reports { sites, small_sites } =
        each_site(args, experiment.site_by, |site, pages| experiment.run(site, &pages, &methods))?;
    if let Some(path) = &args.experiment.plot {
        let charts: Vec<Chart> = sites.iter().map(chart).collect();
        save_plot(path, "Valid rules among the likeliest (WWW 2007)", &charts)?;
    }
    let json = Www07 { protocol: "www07", sites: &sites, small_sites };
    eval::show(args, &json, || report(&sites, &experiment, &methods))
}

/// The learners of these names, or that of the paper.
fn methods(names: &[String]) -> Result<Vec<Method>> {
    if names.is_empty() {
        return Ok(vec![Method::Dustbuster]);
    }
    named(names, || learners::all().into_iter().map(Method::new).collect(), |method| method.name())
}

fn report(sites: &[SiteReport], experiment: &Experiment, methods: &[Method]) -> Sheet {
    // The paper has one method: its tables name none.
    let is_papers = matches!(methods, [Method::Dustbuster]);
    let heading = if is_papers { "Likely rules, learned without labels" } else { "Likely rules" };
    let mut report = Sheet::new();
    report.table(heading, likely_rules(sites, is_papers));
    report.legend(legend(is_papers));
    let share = percent(experiment.train);
    let heading =
        format!("Canonization: learned and validated on the first {share} of the rows, applied to the rest");
    report.table(heading, canonization(sites, is_papers));
    report
}

fn legend(is_papers: bool) -> impl Iterator<Item = (&'static str, &'static str)> {
    let words = [
        ("filter", "what tells pages apart; by labels, the learner has seen those that judge its rules"),
        ("remaining", "rules detected that phase 2 did not find redundant"),
        ("likely", "those of them that are still likely, and parameter substitutions"),
        ("p@10, 100", "valid rules by the labels, of the first 10 or 100 (or all, if fewer)"),
    ];
    let is_shown = move |word: &(&str, &str)| !is_papers || word.0 != "filter";
    words.into_iter().filter(is_shown)
}

fn likely_rules(sites: &[SiteReport], is_papers: bool) -> Table {
    let mut columns = vec!["site", "URLs"];
    columns.extend((!is_papers).then_some("method"));
    columns.push("filter");
    let numbers_from = columns.len();
    columns.extend(["detected", "remaining", "", "likely", "p@10", "p@100"]);
    let mut table = plain(&columns);
    for (site, is_first_method, report) in by_method(sites) {
        for (at, ranking) in report.rankings.iter().enumerate() {
            let is_first = is_first_method && at == 0;
            let mut row = vec![only(is_first, site.site.clone()), only(is_first, thousands(site.urls))];
            row.extend((!is_papers).then(|| only(at == 0, report.method.clone())));
            row.push(filter(ranking.known).to_owned());
            row.extend(numbers(ranking));
            table.add_row(row);
        }
    }
    align_right(&mut table, 1..2);
    align_right(&mut table, numbers_from..columns.len());
    table
}

/// Every method on every site, and whether it is the site's first.
fn by_method(sites: &[SiteReport]) -> impl Iterator<Item = (&SiteReport, bool, &MethodReport)> {
    sites
        .iter()
        .flat_map(|site| site.methods.iter().enumerate().map(move |(at, report)| (site, at == 0, report)))
}

/// How the rankings are called.
fn filter(known: Known) -> &'static str {
    match known {
        Known::Content => "size, simhash",
        Known::Urls => "none",
        Known::Labels => "labels",
    }
}

fn numbers(ranking: &Ranking) -> [String; 6] {
    let count = |count: Option<u64>| count.map_or("-".to_owned(), thousands);
    let of_detected = |remaining| remaining as f64 / ranking.detected.unwrap_or_default().max(1) as f64;
    let precision = |at: Option<f64>| at.map_or("-".to_owned(), |at| format!("{at:.2}"));
    [
        count(ranking.detected),
        count(ranking.remaining),
        ranking.remaining.map_or("-".to_owned(), |remaining| percent(of_detected(remaining))),
        thousands(ranking.likely),
        precision(ranking.precision_at_10),
        precision(ranking.precision_at_100),
    ]
}

fn canonization(sites: &[SiteReport], is_papers: bool) -> Table {
    let mut columns = vec!["site", "URLs"];
    columns.extend((!is_papers).then_some("method"));
    let numbers_from = columns.len();
    columns.extend(["tried", "valid", "redundancy", "coverage", "precision", "recall", "F1"]);
    let mut table = plain(&columns);
    for (site, is_first, MethodReport { method, canonization, .. }) in by_method(sites) {
        let score = &canonization.score;
        let m = &score.metrics;
        let mut row = vec![only(is_first, site.site.clone()), only(is_first, thousands(score.urls))];
        row.extend((!is_papers).then(|| method.clone()));
        row.extend([canonization.tried, canonization.valid].map(thousands));
        row.extend(
            [m.compression, m.coverage, m.precision, m.recall, m.f1].map(|share| format!("{share:.4}")),
        );
        table.add_row(row);
    }
    align_right(&mut table, 1..2);
    align_right(&mut table, numbers_from..columns.len());
    table
}

/// Fig. 5 of the paper.
fn chart(report: &SiteReport) -> Chart {
    let rankings = report.methods.iter().flat_map(|of| of.rankings.iter().map(move |ranking| (of, ranking)));
    let series = |(of, ranking): (&MethodReport, &Ranking)| Series {
        name: format!("{}, filter: {}", of.method, filter(ranking.known)),
        points: (1..).zip(ranking.precisions()).map(|(k, precision)| (f64::from(k), precision)).collect(),
    };
    Chart {
        title: report.site.clone(),
        x: Axis { label: "top k rules".to_owned(), from: 0.0, to: None },
        y: Axis { label: "precision@k".to_owned(), from: 0.0, to: Some(1.0) },
        series: rankings.map(series).collect(),
    }
}
