//! `undust eval`: every metric of the papers on labelled URLs.

use std::path::Path;

use anyhow::{Result, bail};
use undust::apply::Form;
use undust::page::Page;
use undust_io::read_input;
use undust_learn::evaluate::{CrawlScorer, Metrics, Report, Score, Scores};
use undust_neural::{Engine, RuleFile, Scratch};

#[cfg(feature = "papers")]
use super::protocol;
use super::{opened, print_json};
use crate::Outcome;
use crate::args::Eval;
use crate::messages::{counted, report_problems, say, thousands};
use crate::sheet::{Sheet, Style};
use crate::table::{Table, align_right, plain};

pub(super) fn run(args: &Eval) -> Result<Outcome> {
    #[cfg(feature = "papers")]
    if let Some(protocol) = args.experiment.protocol {
        return protocol::run(args, protocol);
    }
    match &args.rules[..] {
        [rules] => score(args, rules),
        [_, another, ..] => {
            bail!("{}: one rule file at a time, but with --protocol pages", another.display())
        }
        [] => bail!("name a rule file with --rules, or an experiment with --protocol"),
    }
}

fn score(args: &Eval, rules: &Path) -> Result<Outcome> {
    let file = args.canonicalize.load(rules)?;
    let mut crawl = Crawl::new(&file, args.canonicalize.form.into());
    for input in opened(&args.inputs) {
        report_problems(&read_input(input?, &args.reading.options(), &mut |page| crawl.add(&page))?);
    }
    let CrawlScorer { labelled, unlabelled, .. } = crawl.scorer;
    if unlabelled > 0 {
        say(&format!("passed over, with neither cluster nor digest: {}", counted(unlabelled, "page")));
    }
    if labelled == 0 {
        bail!(NO_LABELS);
    }
    let scores = crawl.scorer.scores();
    show(args, &scores, || sheet(&scores))
}

/// A crawl simulated with the engine of a rule file.
pub(super) struct Crawl {
    pub(super) scorer: CrawlScorer,
    engine: Engine,
    scratch: Scratch,
}

impl Crawl {
    pub(super) fn new(file: &RuleFile, form: Form) -> Crawl {
        let (scorer, engine) = (CrawlScorer::new(&file.rules), Engine::new(file, form));
        Crawl { scorer, engine, scratch: Scratch::new() }
    }

    pub(super) fn add(&mut self, page: &Page) {
        self.scorer.add(page, |url, key| self.engine.key_into(url, &mut self.scratch, key));
    }
}

/// Print what came of it in the way that was asked for.
pub(super) fn show(
    args: &Eval,
    json: &impl serde::Serialize,
    sheet: impl FnOnce() -> Sheet,
) -> Result<Outcome> {
    let style = if args.markdown { Style::Markdown } else { Style::Text };
    if args.json {
        print_json(json)?;
    } else {
        sheet().print(style)?;
    }
    Ok(Outcome::Fine)
}

/// What is said where nothing can be scored.
pub(super) const NO_LABELS: &str =
    "no labelled page to score: the input needs a column 'cluster' or 'digest'";

fn sheet(Scores { report: scores, with_skips, .. }: &Scores) -> Sheet {
    let total = &scores.total;
    let mut sheet = Sheet::new();
    sheet.text(format!(
        "{} of {}: {} crawled, {} covered, {}",
        counted(total.urls, "URL"),
        counted(total.clusters, "page"),
        counted(total.crawled, "URL"),
        counted(total.covered, "page"),
        counted(total.rules, "rule")
    ));
    sheet.more(metrics(scores));
    if let Some(Report { total: Score { crawled, covered, metrics, .. }, .. }) = with_skips {
        let Metrics { precision, recall, f1, .. } = metrics;
        let (urls, pages) = (counted(*crawled, "URL"), counted(*covered, "page"));
        sheet.text(format!(
            "with skips: {urls} crawled, {pages} covered, precision {precision:.4}, recall {recall:.4}, F1 {f1:.4}"
        ));
    }
    if scores.sites.len() > 1 {
        sheet.more(by_site(scores));
    }
    if scores.sites.len() > MAX_SITES_SHOWN {
        sheet
            .text(format!("… and {} more sites (--json has them all)", scores.sites.len() - MAX_SITES_SHOWN));
    }
    sheet
}

fn metrics(scores: &Report) -> Table {
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
const MAX_SITES_SHOWN: usize = 20;

fn by_site(scores: &Report) -> Table {
    let mut sites: Vec<_> = scores.sites.iter().collect();
    sites.sort_by_key(|s| std::cmp::Reverse(s.score.urls));
    let mut table = plain(&["site", "URLs", "pages", "crawled", "rules", "precision", "recall", "F1"]);
    for site in sites.iter().take(MAX_SITES_SHOWN) {
        let (score, m) = (&site.score, &site.score.metrics);
        let counts = [score.urls, score.clusters, score.crawled, score.rules].map(thousands);
        let shares = [m.precision, m.recall, m.f1].map(|share| format!("{share:.4}"));
        table.add_row([site.site.clone()].into_iter().chain(counts).chain(shares));
    }
    align_right(&mut table, 1..8);
    table
}
