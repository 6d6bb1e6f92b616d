//! `undust eval`: every metric of the papers on labelled URLs.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Result, bail};
use undust::page::Page;
use undust::rules::RuleSet;
use undust::url::site_of;
use undust_io::read;
use undust_learn::evaluate::{self, Evaluation};
use undust_neural::apply::{Interpreter, Scratch};

use super::{print_json, protocol};
use crate::Outcome;
use crate::args::Eval;
use crate::report::{Report, Style};
use crate::rules_file::Deployed;
use crate::table::{Table, align_right, plain};
use crate::talk::{counted, report_problems, say, thousands};

pub(super) fn run(args: &Eval) -> Result<Outcome> {
    match (args.protocol, &args.rules) {
        (Some(protocol), _) => protocol::run(args, protocol),
        (None, Some(rules)) => score(args, rules),
        (None, None) => bail!("name a rule file with --rules, or an experiment with --protocol"),
    }
}

fn score(args: &Eval, rules: &Path) -> Result<Outcome> {
    let Deployed { rules, models } = args.manner.load(rules)?;
    let engine = Interpreter::new(&rules, models, args.manner.form.into());
    let mut walk = Walk::new(&rules, &engine);
    for input in &args.inputs {
        report_problems(&read(input, &args.reading.options(), &mut |page| walk.add(&page))?);
    }
    if walk.unlabelled > 0 {
        say(&format!("passed over, with neither cluster nor digest: {}", counted(walk.unlabelled, "page")));
    }
    if walk.labelled == 0 {
        bail!(NO_LABELS);
    }
    let scores = walk.report();
    show(args, &scores, || report(&scores))
}

/// Print what came of it in the way that was asked for.
pub(super) fn show(
    args: &Eval,
    json: &impl serde::Serialize,
    report: impl FnOnce() -> Report,
) -> Result<Outcome> {
    let style = if args.markdown { Style::Markdown } else { Style::Text };
    if args.json {
        print_json(json)?;
    } else {
        report().print(style)?;
    }
    Ok(Outcome::Fine)
}

/// What is said where nothing can be scored.
pub(super) const NO_LABELS: &str =
    "no labelled page to score: the input needs a column 'cluster' or 'digest'";

/// A crawl simulated over labelled pages.
pub(super) struct Walk<'r> {
    rules: &'r RuleSet,
    engine: &'r Interpreter,
    scratch: Scratch,
    key: Vec<u8>,
    evaluation: Evaluation,
    labelled: u64,
    unlabelled: u64,
}

impl<'r> Walk<'r> {
    pub(super) fn new(rules: &'r RuleSet, engine: &'r Interpreter) -> Walk<'r> {
        let (scratch, evaluation) = (Scratch::new(), Evaluation::new());
        Walk { rules, engine, scratch, key: Vec::new(), evaluation, labelled: 0, unlabelled: 0 }
    }

    pub(super) fn add(&mut self, page: &Page) {
        let Some(label) = page.label() else {
            self.unlabelled += 1;
            return;
        };
        self.labelled += 1;
        self.key.clear();
        self.engine.append(&page.url, &mut self.scratch, &mut self.key);
        self.evaluation.add(&site_of(&page.url, self.rules.site_by), &page.url, &self.key, label);
    }

    pub(super) fn report(&self) -> evaluate::Report {
        let mut counts: BTreeMap<String, u64> = BTreeMap::new();
        for (site, _) in self.rules.rules().filter(|(_, rule)| rule.is_active()) {
            *counts.entry(site.to_owned()).or_default() += 1;
        }
        self.evaluation.report(&counts)
    }
}

fn report(scores: &evaluate::Report) -> Report {
    let total = &scores.total;
    let mut report = Report::new();
    report.text(format!(
        "{} of {}: {} crawled, {} covered, {}",
        counted(total.urls, "URL"),
        counted(total.clusters, "page"),
        counted(total.crawled, "URL"),
        counted(total.covered, "page"),
        counted(total.rules, "rule")
    ));
    report.more(metrics(scores));
    if scores.sites.len() > 1 {
        report.more(by_site(scores));
    }
    if scores.sites.len() > MOST_SITES {
        report.text(format!("… and {} more sites (--json has them all)", scores.sites.len() - MOST_SITES));
    }
    report
}

fn metrics(scores: &evaluate::Report) -> Table {
    let several = scores.sites.len() > 1;
    let mut table =
        plain(if several { &["metric", "all URLs", "mean of sites"] } else { &["metric", "all URLs"] });
    let means = scores.macro_average.named();
    for ((name, value), (_, mean)) in scores.total.metrics.named().into_iter().zip(means) {
        let mut row = vec![name.to_owned(), format!("{value:.4}")];
        row.extend(several.then(|| format!("{mean:.4}")));
        table.add_row(row);
    }
    align_right(&mut table, 1..3);
    table
}

/// Sites shown one by one, the largest first.
const MOST_SITES: usize = 20;

fn by_site(scores: &evaluate::Report) -> Table {
    let mut sites: Vec<_> = scores.sites.iter().collect();
    sites.sort_by_key(|s| std::cmp::Reverse(s.score.urls));
    let mut table = plain(&["site", "URLs", "pages", "crawled", "rules", "precision", "recall", "F1"]);
    for site in sites.iter().take(MOST_SITES) {
        let (score, m) = (&site.score, &site.score.metrics);
        let counts = [score.urls, score.clusters, score.crawled, score.rules].map(thousands);
        let shares = [m.precision, m.recall, m.f1].map(|share| format!("{share:.4}"));
        table.add_row([site.site.clone()].into_iter().chain(counts).chain(shares));
    }
    align_right(&mut table, 1..8);
    table
}
