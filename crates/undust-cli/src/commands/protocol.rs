//! `undust eval --protocol`: the experiments of the papers on labelled URLs, as tables and plots.

use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result, bail};
use rayon::prelude::*;
use undust::url::SiteBy;
use undust_io::group::{BySite, Sites};
use undust_io::read;
use undust_learn::protocol::www07::{Experiment, MIN_URLS, Ranking, SiteReport};

use super::eval::NO_LABELS;
use super::print_json;
use crate::args::Eval;
use crate::plot::{Axis, Chart, Series, svg};
use crate::table::{align_right, plain};
use crate::talk::{counted, percent, report_problems, say, thousands};
use crate::{Outcome, progress, rules_file};

/// What `--json` prints.
#[derive(serde::Serialize)]
struct Www07<'r> {
    protocol: &'static str,
    sites: &'r [SiteReport],
    small_sites: u64,
}

/// The experiment of WWW 2007.
pub(super) fn www07(args: &Eval) -> Result<Outcome> {
    if let Some(path) = &args.plot {
        rules_file::check_writable(path)?;
    }
    let experiment = Experiment { top: args.top, train: args.train, ..Experiment::default() };
    let sites = read_sites(args, experiment.site_by)?;
    let bar = progress::bar("sites", sites.len() as u64);
    let one = |(site, pages): &(String, Vec<_>)| {
        let report = experiment.run(site, pages);
        bar.inc(1);
        report
    };
    let reports: Vec<Option<SiteReport>> =
        args.reading.thread_pool()?.install(|| sites.par_iter().map(one).collect());
    bar.finish_and_clear();
    let small = reports.iter().filter(|report| report.is_none()).count() as u64;
    let reports: Vec<SiteReport> = reports.into_iter().flatten().collect();
    if small > 0 {
        say(&format!("passed over, with fewer than {MIN_URLS} labelled URLs: {}", counted(small, "site")));
    }
    if reports.is_empty() {
        bail!("no site is large enough for the experiment");
    }
    if let Some(path) = &args.plot {
        save_plot(path, &reports)?;
    }
    if args.json {
        print_json(&Www07 { protocol: "www07", sites: &reports, small_sites: small })?;
    } else {
        print(&reports, &experiment)?;
    }
    Ok(Outcome::Fine)
}

/// All inputs, by site; at least one page must be labelled.
fn read_sites(args: &Eval, site_by: SiteBy) -> Result<Sites> {
    let mut pages = BySite::new(u64::MAX, site_by);
    let mut labelled = 0;
    for input in &args.inputs {
        let mut failed = None;
        let summary = read(input, &args.reading.options(), &mut |page| {
            labelled += u64::from(page.label().is_some());
            failed = pages.push(page).err().or(failed.take());
        })?;
        report_problems(&summary);
        failed.map_or(Ok(()), Err).context("cannot group pages")?;
    }
    if labelled == 0 {
        bail!(NO_LABELS);
    }
    let mut sites = Sites::new();
    for partition in pages.finish()? {
        sites.extend(partition?);
    }
    Ok(sites)
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
const WITH: &str = "sizes, simhashes";
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
