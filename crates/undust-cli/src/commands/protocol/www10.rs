//! The experiment of WWW 2010: how many rules are good enough, and what those deployed do to all URLs of a site.

use anyhow::Result;
use undust_learn::evaluate::Score;
use undust_papers::www10::{
    Deployment, Experiment, MAX_FPRS, Method, MethodReport, Qualified, SampleBy, SetScore, SiteReport,
    TABLE_MAX_FPR, TRAIN, methods_of_the_paper, total,
};

use super::plot::{Chart, Series};
use super::{each_site, named, save_plot};
use crate::Outcome;
use crate::args::Eval;
use crate::commands::eval;
use crate::messages::{counted, percent, thousands};
use crate::scale::Axis;
use crate::sheet::Sheet;
use crate::table::{Table, align_right, plain};
use undust_papers::learners;

/// What `--json` prints.
#[derive(serde::Serialize)]
struct Www10<'r> {
    protocol: &'static str,
    train: f64,
    sample_by: SampleBy,
    noise: f64,
    total: &'r [MethodReport],
    sites: &'r [SiteReport],
    small_sites: u64,
}

pub(super) fn run(args: &Eval) -> Result<Outcome> {
    let experiment = experiment(args);
    let methods = methods(&args.experiment.methods)?;
    let reports = each_site(args, experiment.site_by, |site, pages| experiment.run(site, &pages, &methods))?;
    let total = total(&reports.sites);
    if let Some(path) = &args.experiment.plot {
        save_plot(path, TITLE, &charts(&total, reports.sites.len() > 1))?;
    }
    let json = Www10 {
        protocol: "www10",
        train: experiment.train,
        sample_by: experiment.sample_by,
        noise: experiment.noise,
        total: &total,
        sites: &reports.sites,
        small_sites: reports.small_sites,
    };
    eval::show(args, &json, || report(&total, &reports.sites))
}

/// Above the figures.
const TITLE: &str = "Rules learned from a part of the URLs, on all of them (WWW 2010)";

fn experiment(args: &Eval) -> Experiment {
    Experiment {
        train: args.experiment.train.unwrap_or(TRAIN),
        sample_by: args.experiment.sample_by.map_or(SampleBy::default(), SampleBy::from),
        noise: args.experiment.noise.unwrap_or_default(),
        ..Experiment::default()
    }
}

/// The learners of these names, or those of the paper.
fn methods(names: &[String]) -> Result<Vec<Method>> {
    if names.is_empty() {
        return Ok(methods_of_the_paper());
    }
    named(names, known_methods, |method| &method.name)
}

/// Every learner with both strategies, and `rewrite` as the paper has it.
fn known_methods() -> Vec<Method> {
    let mut known: Vec<Method> = learners::all().into_iter().map(Method::new).collect();
    let is_new = |method: &Method, known: &[Method]| known.iter().all(|other| other.name != method.name);
    let more: Vec<Method> = methods_of_the_paper().into_iter().filter(|m| is_new(m, &known)).collect();
    known.extend(more);
    known
}

fn report(total: &[MethodReport], sites: &[SiteReport]) -> Sheet {
    let several = sites.len() > 1;
    let limit = percent(TABLE_MAX_FPR);
    let mut report = Sheet::new();
    report.text(tested(sites));
    report.table(format!("Rules of at most {limit} false positives"), proofing(total));
    let qualified =
        format!("those that make URLs equal, at most {limit} of the pairs wrongly, where they were learned");
    report.legend([("raw", "rules that a learner proposed".to_owned()), ("qualified", qualified)]);
    report.table("What is deployed of them", deployed(total, several));
    report.legend(legend(several));
    if several {
        report.table("Site by site", by_site(sites));
    }
    report
}

/// What rules were learned from and tested on.
fn tested(sites: &[SiteReport]) -> String {
    let sum = |of: fn(&SiteReport) -> u64| sites.iter().map(of).sum::<u64>();
    let (train, urls, mislabelled) = (sum(|s| s.train), sum(|s| s.urls), sum(|s| s.mislabelled));
    let noise = match mislabelled {
        0 => String::new(),
        _ => format!(" ({} under a wrong label)", thousands(mislabelled)),
    };
    let on = counted(sites.len() as u64, "site");
    let (train, urls) = (thousands(train), thousands(urls));
    format!("Rules learned from {train} URLs{noise}, tested on all {urls}, on {on}")
}

fn legend(several: bool) -> impl Iterator<Item = (&'static str, &'static str)> {
    let words = [
        ("compression", "URLs less than before, when those of one canonical form count as one"),
        ("dup-reduction", "how much of the share of duplicates is gone, URLs beyond the first of their page"),
        ("mean", "the mean of the sites' rates, each site counting the same"),
        ("fpr", "of the pairs of URLs made equal, those of different pages"),
        ("lost", "pages all of whose URLs were taken for another page"),
    ];
    let is_shown = move |word: &(&str, &str)| several || word.0 != "mean";
    words.into_iter().filter(is_shown)
}

/// Table 3 of the paper.
fn proofing(total: &[MethodReport]) -> Table {
    let columns = ["method", "raw", "qualified", "rate"];
    let mut table = plain(&columns);
    for report in total {
        let qualified = qualified(report);
        table.add_row([
            report.method.clone(),
            thousands(report.raw),
            thousands(qualified.rules),
            percent(qualified.rate),
        ]);
    }
    align_right(&mut table, 1..columns.len());
    table
}

/// Table 4 of the paper, and rates of the figures.
fn deployed(total: &[MethodReport], several: bool) -> Table {
    let mut columns = vec!["method", "qualified", "deployed", "compression"];
    columns.extend(several.then_some("mean"));
    columns.push("dup-reduction");
    columns.extend(several.then_some("mean"));
    columns.extend(["fpr", "lost"]);
    let mut table = plain(&columns);
    for (report, deployment) in deployments(total) {
        let SetScore { score, macro_average, .. } = shown(deployment);
        let mut row = vec![system(report, deployment)];
        row.extend([qualified(report).rules, score.rules].map(thousands));
        row.push(percent(score.metrics.compression));
        row.extend(several.then(|| percent(macro_average.compression)));
        row.push(percent(score.metrics.dup_reduction));
        row.extend(several.then(|| percent(macro_average.dup_reduction)));
        row.extend([percent(score.metrics.fpr), lost(score)]);
        table.add_row(row);
    }
    align_right(&mut table, 1..columns.len());
    table
}

fn by_site(sites: &[SiteReport]) -> Table {
    let columns = ["site", "URLs", "method", "rules", "compression", "dup-red.", "fpr", "lost"];
    let mut table = plain(&columns);
    for site in sites {
        let mut about = [site.site.clone(), thousands(site.urls)];
        for (report, deployment) in deployments(&site.methods) {
            let score = &shown(deployment).score;
            let metrics = &score.metrics;
            let mut row = Vec::from(std::mem::take(&mut about));
            row.extend([system(report, deployment), thousands(score.rules)]);
            row.extend([metrics.compression, metrics.dup_reduction, metrics.fpr].map(percent));
            row.push(lost(score));
            table.add_row(row);
        }
    }
    align_right(&mut table, 1..2);
    align_right(&mut table, 3..columns.len());
    table
}

/// Pages that no form is of any more.
fn lost(score: &Score) -> String {
    thousands(score.clusters - score.covered)
}

/// Each way to choose rules with the learner that proposed them.
fn deployments(methods: &[MethodReport]) -> impl Iterator<Item = (&MethodReport, &Deployment)> {
    methods.iter().flat_map(|report| report.deployments.iter().map(move |deployment| (report, deployment)))
}

/// As the paper names them: rules and strategy.
fn system(report: &MethodReport, deployment: &Deployment) -> String {
    format!("{} + {}", report.method, deployment.strategy.name())
}

/// Where [`TABLE_MAX_FPR`] stands among all rates.
fn table_place() -> usize {
    MAX_FPRS.iter().position(|&max_fpr| max_fpr >= TABLE_MAX_FPR).unwrap_or_default()
}

fn qualified(report: &MethodReport) -> &Qualified {
    &report.proofing[table_place()]
}

fn shown(deployment: &Deployment) -> &SetScore {
    &deployment.sets[table_place()]
}

/// Figures 10 to 12. A column for each, (a) above (b); where micro and macro averages are the same, once.
fn charts(total: &[MethodReport], several: bool) -> Vec<Chart> {
    let compression = "compression";
    let dup_reduction = "dup-reduction";
    let all = |name: &str| if several { format!("{name}, all URLs") } else { name.to_owned() };
    let mean = |name: &str| format!("{name}, mean of sites");
    let last = MAX_FPRS.len() - 1;
    let mut charts = vec![
        qualified_chart(total, 0..=last),
        chart(total, all(compression), |set| set.score.metrics.compression),
        chart(total, all(dup_reduction), |set| set.score.metrics.dup_reduction),
        qualified_chart(total, last..=usize::MAX),
    ];
    if several {
        charts.push(chart(total, mean(compression), |set| set.macro_average.compression));
        charts.push(chart(total, mean(dup_reduction), |set| set.macro_average.dup_reduction));
    }
    charts
}

/// The rate of qualified rules, for these of the false-positive rates.
fn qualified_chart(total: &[MethodReport], places: std::ops::RangeInclusive<usize>) -> Chart {
    let series = |report: &MethodReport| {
        let shown = (0..).zip(&report.proofing).filter(|(place, _)| places.contains(place));
        Series {
            name: report.method.clone(),
            points: shown.map(|(_, qualified)| (qualified.max_fpr, qualified.rate)).collect(),
        }
    };
    over_max_fpr("qualified, of raw rules".to_owned(), total.iter().map(series).collect())
}

/// A metric of what is deployed.
fn chart(total: &[MethodReport], title: String, metric: fn(&SetScore) -> f64) -> Chart {
    let series = |(report, deployment): (&MethodReport, &Deployment)| Series {
        name: system(report, deployment),
        points: deployment.sets.iter().map(|set| (set.max_fpr, metric(set))).collect(),
    };
    over_max_fpr(title, deployments(total).map(series).collect())
}

fn over_max_fpr(title: String, series: Vec<Series>) -> Chart {
    let points = || series.iter().flat_map(|series| &series.points);
    let from = points().map(|point| point.0).fold(f64::INFINITY, f64::min);
    // More pages may be lost than duplicates found: then the share of duplicates grows.
    let least = points().map(|point| point.1).fold(0.0, f64::min);
    Chart {
        title,
        x: Axis { label: "false positives that a rule may have".to_owned(), from: from.min(1.0), to: None },
        y: Axis { label: "rate".to_owned(), from: least, to: None },
        series,
    }
}
