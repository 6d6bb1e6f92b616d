//! The experiment of WWW 2007: how many likely rules are valid, and what they do to URLs that nobody learned from.

use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result};
use undust_learn::protocol::www07::{Experiment, Ranking, SiteReport, TOP, TRAIN};

use super::{Reports, each_site, refuse};
use crate::args::Eval;
use crate::commands::print_json;
use crate::plot::{Axis, Chart, Series, svg};
use crate::table::{align_right, plain};
use crate::talk::{percent, thousands};
use crate::{Outcome, output};

/// What `--json` prints.
#[derive(serde::Serialize)]
struct Www07<'r> {
    protocol: &'static str,
    sites: &'r [SiteReport],
    small_sites: u64,
}

pub(super) fn run(args: &Eval) -> Result<Outcome> {
    let flags = [
        ("--methods", !args.methods.is_empty()),
        ("--judged-on", args.judged_on.is_some()),
        ("--singletons", args.singletons),
        ("--sample-by", args.sample_by.is_some()),
        ("--noise", args.noise.is_some()),
        ("--max-fpr", args.max_fpr.is_some()),
    ];
    refuse(&flags, "www07")?;
    if let Some(path) = &args.plot {
        output::check_writable(path)?;
    }
    let (top, train) = (args.top.unwrap_or(TOP), args.train.unwrap_or(TRAIN));
    let experiment = Experiment { top, train, ..Experiment::default() };
    let reports = each_site(args, experiment.site_by, |site, pages| experiment.run(site, &pages))?;
    if let Some(path) = &args.plot {
        save_plot(path, &reports.sites)?;
    }
    if args.json {
        let Reports { sites, small_sites } = &reports;
        print_json(&Www07 { protocol: "www07", sites, small_sites: *small_sites })?;
    } else {
        print(&reports.sites, &experiment)?;
    }
    Ok(Outcome::Fine)
}

fn print(reports: &[SiteReport], experiment: &Experiment) -> Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "Likely rules, learned without labels\n\n{}\n", likely_rules(reports).trim_fmt())?;
    writeln!(out, "remaining:  rules detected that phase 2 did not find redundant")?;
    writeln!(out, "likely:     those of them that are still likely, and parameter substitutions")?;
    writeln!(out, "p@10, 100:  valid rules by the labels, of the first 10 or 100 (or all, if fewer)\n")?;
    let share = percent(experiment.train);
    writeln!(
        out,
        "Canonization: learned and validated on the first {share} of the rows, applied to the rest\n"
    )?;
    writeln!(out, "{}", canonization(reports).trim_fmt())?;
    Ok(())
}

fn likely_rules(reports: &[SiteReport]) -> comfy_table::Table {
    let mut table =
        plain(&["site", "URLs", "filter", "detected", "remaining", "", "likely", "p@10", "p@100"]);
    for report in reports {
        for (name, ranking, first) in
            [(WITH, &report.with_filter, true), (WITHOUT, &report.without_filter, false)]
        {
            let site = if first { [report.site.clone(), thousands(report.urls)] } else { Default::default() };
            table.add_row(
                site.into_iter().chain([name.to_owned()]).chain(numbers(ranking)).collect::<Vec<_>>(),
            );
        }
    }
    align_right(&mut table, 1..2);
    align_right(&mut table, 3..9);
    table
}

/// How the two rankings are called.
const WITH: &str = "size, simhash";
const WITHOUT: &str = "none";

fn numbers(ranking: &Ranking) -> [String; 6] {
    let remaining = ranking.remaining as f64 / ranking.detected.max(1) as f64;
    let precision = |at: Option<f64>| at.map_or("-".to_owned(), |at| format!("{at:.2}"));
    [
        thousands(ranking.detected),
        thousands(ranking.remaining),
        percent(remaining),
        thousands(ranking.likely),
        precision(ranking.precision_at_10),
        precision(ranking.precision_at_100),
    ]
}

fn canonization(reports: &[SiteReport]) -> comfy_table::Table {
    let columns = ["site", "URLs", "tried", "valid", "redundancy", "coverage", "precision", "recall", "F1"];
    let mut table = plain(&columns);
    for SiteReport { site, canonization, .. } in reports {
        let m = &canonization.score.metrics;
        let counts = [canonization.score.urls, canonization.tried, canonization.valid].map(thousands);
        let shares =
            [m.compression, m.coverage, m.precision, m.recall, m.f1].map(|share| format!("{share:.4}"));
        table.add_row([site.clone()].into_iter().chain(counts).chain(shares).collect::<Vec<_>>());
    }
    align_right(&mut table, 1..columns.len());
    table
}

fn save_plot(path: &Path, reports: &[SiteReport]) -> Result<()> {
    let series = |name: &str, ranking: &Ranking| Series {
        name: format!("filter: {name}"),
        points: (1..).zip(ranking.precisions()).map(|(k, precision)| (f64::from(k), precision)).collect(),
    };
    let chart = |report: &SiteReport| Chart {
        title: report.site.clone(),
        x: Axis { label: "top k rules".to_owned(), from: 0.0, to: None },
        y: Axis { label: "precision@k".to_owned(), from: 0.0, to: Some(1.0) },
        series: vec![series(WITH, &report.with_filter), series(WITHOUT, &report.without_filter)],
    };
    let charts: Vec<Chart> = reports.iter().map(chart).collect();
    let text = svg("Valid rules among the likeliest (WWW 2007)", &charts);
    undust_io::write_atomically(path, |out| out.write_all(text.as_bytes()))
        .with_context(|| format!("cannot write {}", path.display()))
}
