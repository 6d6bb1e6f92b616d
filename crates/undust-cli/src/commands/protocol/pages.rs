//! The experiment on pages that rules were not learned from: each file a site, learned and given rules beside each other.

mod given;

use std::path::Path;
use std::time::Instant;

use anyhow::{Result, bail};
use rayon::prelude::*;
use undust::page::Page;
use undust_io::read_input;
use undust_learn::LearnOptions;
use undust_learn::evaluate::Score;
use undust_learn::pipeline::MAX_FPR;
use undust_learn::registry::{AUTO, LearnerInfo};
use undust_neural::trainer;
use undust_papers::pages::{
    Experiment, Interval, Learner, MAX_LOST_SHARE, MethodReport, SiteReport, Stability, TRAIN, Total, total,
};
use undust_papers::sigir17::Method;
use undust_papers::{MIN_URLS, learners};

use super::{named, only};
use crate::Outcome;
use crate::args::Eval;
use crate::commands::eval::{self, NO_LABELS};
use crate::commands::{drop_content, opened};
use crate::messages::{counted, percent, percent_asked, report_problems, say, thousands};
use crate::progress::Sites;
use crate::sheet::Sheet;
use crate::table::{Table, align_right, plain};
use given::{GivenRules, base_name};

/// What `--json` prints.
#[derive(serde::Serialize)]
struct Pages<'r> {
    protocol: &'static str,
    train: f64,
    max_fpr: f64,
    seed: u64,
    label_noise: f64,
    total: &'r [Total],
    sites: &'r [SiteReport],
    small_sites: u64,
}

/// A labelled file.
struct Labelled {
    name: String,
    pages: Vec<Page>,
}

pub(super) fn run(args: &Eval) -> Result<Outcome> {
    let experiment = experiment(args);
    let max_fpr = args.experiment.max_fpr.unwrap_or(MAX_FPR);
    let names =
        if args.experiment.methods.is_empty() { &[AUTO.to_owned()][..] } else { &args.experiment.methods };
    let learners = named(names, || known_learners(max_fpr), |learner| learner.name())?;
    let given = GivenRules::load(&args.rules)?;
    let files = args.inputs.iter().map(|path| read(args, path)).collect::<Result<Vec<_>>>()?;
    if files.iter().flat_map(|file| &file.pages).all(|page| page.label().is_none()) {
        bail!(NO_LABELS);
    }
    given.check_all_used(&files)?;
    let (sites, small_sites) = each_file(args, &files, |file| {
        let given = given.of(file, &files);
        let learned = learners.iter().map(|learner| learner as &dyn Method);
        let methods: Vec<&dyn Method> =
            learned.chain(given.iter().map(|given| given as &dyn Method)).collect();
        experiment.run(&file.name, &file.pages, &methods, &stopwatch())
    })?;
    let total = total(&sites);
    let Experiment { train, seed, label_noise, .. } = experiment;
    let json = Pages {
        protocol: "pages",
        train,
        max_fpr,
        seed,
        label_noise,
        total: &total,
        sites: &sites,
        small_sites,
    };
    eval::show(args, &json, || report(args, &experiment, &total, &sites))
}

fn experiment(args: &Eval) -> Experiment {
    let asked = &args.experiment;
    Experiment {
        train: asked.train.unwrap_or(TRAIN),
        seed: asked.seed.unwrap_or_default(),
        splits: asked.splits.unwrap_or(1),
        label_noise: asked.label_noise.unwrap_or_default(),
    }
}

/// Every method of `undust learn`, with its defaults.
fn known_learners(max_fpr: f64) -> Vec<Learner> {
    let learner = |info: &LearnerInfo| {
        let options = LearnOptions::new().method(info.name).max_fpr(max_fpr).trainer(trainer);
        Learner(options.build().expect("registered methods have valid defaults"))
    };
    learners::infos().map(learner).collect()
}

/// The pages of a file, in order.
fn read(args: &Eval, path: &Path) -> Result<Labelled> {
    let mut pages = Vec::new();
    for input in opened(&[path.to_owned()]) {
        report_problems(&read_input(input?, &args.reading.options(), &mut |mut page| {
            drop_content(&mut page);
            pages.push(page);
        })?);
    }
    Ok(Labelled { name: base_name(path), pages })
}

/// Do the experiment on every file, side by side; also how many are too small.
fn each_file(
    args: &Eval,
    files: &[Labelled],
    one: impl Fn(&Labelled) -> Option<SiteReport> + Sync,
) -> Result<(Vec<SiteReport>, u64)> {
    let progress = Sites::new("sites", files.len() as u64);
    let one = |file: &Labelled| {
        let _running = progress.begin(&file.name);
        one(file)
    };
    let reports: Vec<Option<SiteReport>> =
        args.reading.thread_pool()?.install(|| files.par_iter().map(one).collect());
    progress.finish();
    let small = reports.iter().filter(|report| report.is_none()).count() as u64;
    if small > 0 {
        say(&format!("passed over, with fewer than {MIN_URLS} labelled URLs: {}", counted(small, "site")));
    }
    let sites: Vec<SiteReport> = reports.into_iter().flatten().collect();
    if sites.is_empty() {
        bail!("no site is large enough for the experiment");
    }
    Ok((sites, small))
}

/// Seconds since now.
#[expect(clippy::disallowed_methods, reason = "what is learned does not depend on it: it is only shown")]
fn stopwatch() -> impl Fn() -> f64 {
    let start = Instant::now();
    move || start.elapsed().as_secs_f64()
}

fn report(args: &Eval, experiment: &Experiment, total: &[Total], sites: &[SiteReport]) -> Sheet {
    let mut report = Sheet::new();
    report.text(heading(experiment));
    if experiment.splits > 1 {
        report.table("What depends on the split", by_split(sites));
        report.legend([(
            "bad",
            format!("splits that lost more than {} of the pages", percent_asked(MAX_LOST_SHARE)),
        )]);
    } else {
        report.table("The crawl fetches a URL if its canonical form is new and not skipped", by_site(sites));
    }
    if sites.len() > 1 {
        report.table("Mean of the sites", means(total));
    }
    report.legend(LEGEND);
    // What is written down does not depend on a clock.
    if !args.markdown {
        report.table("Seconds of learning", seconds(total, sites));
    }
    report
}

fn heading(experiment: &Experiment) -> String {
    let Experiment { train, seed, splits, label_noise } = *experiment;
    let learned = percent(train);
    let mut text =
        format!("Learned from {learned} of the pages, tested on a crawl of the others; seed {seed}");
    if splits > 1 {
        text = format!("{text} and the {} after it", splits - 1);
    }
    if label_noise > 0.0 {
        text = format!("{text}; {} of the pages learned from have a wrong label", percent_asked(label_noise));
    }
    text
}

const LEGEND: [(&str, &str); 6] = [
    ("fetched", "URLs of the test part that the crawl fetches"),
    ("covered", "pages of which a URL is fetched"),
    ("precision", "pages covered, of URLs fetched"),
    ("recall", "pages covered, of all"),
    ("gap closed", "what is gained of the precision that keep-all lacks"),
    ("95 %", "where the mean of other such sites would be (bootstrap over sites)"),
];

fn by_site(sites: &[SiteReport]) -> Table {
    let columns =
        ["site", "method", "rules", "fetched", "covered", "precision", "recall", "F1", "gap closed"];
    let mut table = plain(&columns);
    for site in sites {
        for (at, report) in site.splits.iter().flat_map(|split| &split.methods).enumerate() {
            let MethodReport { method, score, gap_closed, .. } = report;
            let Score { rules, crawled, covered, metrics, .. } = score;
            let mut row = vec![only(at == 0, site.site.clone()), method.clone()];
            row.extend([*rules, *crawled, *covered].map(thousands));
            row.extend([metrics.precision, metrics.recall, metrics.f1].map(four_digits));
            row.push(gap_closed.map_or("-".to_owned(), percent));
            table.add_row(row);
        }
    }
    align_right(&mut table, 2..columns.len());
    table
}

fn by_split(sites: &[SiteReport]) -> Table {
    let columns = ["site", "method", "splits", "mean F1", "least F1", "least recall", "bad"];
    let mut table = plain(&columns);
    for site in sites {
        for (at, method) in site.methods().enumerate() {
            let Stability { splits, mean_f1, min_f1, min_recall, bad } = site.stability(method);
            let mut row = vec![only(at == 0, site.site.clone()), method.to_owned(), thousands(splits)];
            row.extend([mean_f1, min_f1, min_recall].map(four_digits));
            row.push(thousands(bad));
            table.add_row(row);
        }
    }
    align_right(&mut table, 2..columns.len());
    table
}

fn means(total: &[Total]) -> Table {
    let columns = ["method", "sites", "precision", "recall", "F1", "95 %", "gap closed", "95 %"];
    let mut table = plain(&columns);
    for Total { method, sites, precision, recall, f1, gap_closed, .. } in total {
        let mut row = vec![method.clone(), thousands(*sites)];
        row.extend([precision, recall, f1].map(|interval| four_digits(interval.mean)));
        row.push(ends(f1, four_digits));
        row.push(gap_closed.map_or("-".to_owned(), |gap| percent(gap.mean)));
        row.push(gap_closed.map_or("-".to_owned(), |gap| ends(&gap, percent)));
        table.add_row(row);
    }
    align_right(&mut table, 1..columns.len());
    table
}

fn seconds(total: &[Total], sites: &[SiteReport]) -> Table {
    let learned = || total.iter().map(|total| total.method.as_str()).filter(|name| is_learner(name));
    let columns: Vec<&str> = std::iter::once("site").chain(learned()).collect();
    let mut table = plain(&columns);
    for site in sites {
        let took = |name| site.of_method(name).map(|report| report.seconds).sum::<f64>();
        let row = learned().map(|name| format!("{:.2}", took(name)));
        table.add_row(std::iter::once(site.site.clone()).chain(row));
    }
    align_right(&mut table, 1..columns.len());
    table
}

fn is_learner(name: &str) -> bool {
    learners::infos().any(|info| info.name == name)
}

fn four_digits(share: f64) -> String {
    format!("{share:.4}")
}

fn ends(interval: &Interval, shown: fn(f64) -> String) -> String {
    format!("{} to {}", shown(interval.low), shown(interval.high))
}
