//! `undust eval`: every metric of the papers on labelled URLs.

use std::collections::BTreeMap;
use std::ops::Deref;
use std::path::Path;

use anyhow::{Result, bail};
use serde::Serialize;
use undust::page::Page;
use undust::rules::{Rule, RuleSet};
use undust::url::site_of;
use undust_io::{Input, ReadError, Summary, read_input};
use undust_learn::evaluate::{Evaluation, Metrics, Report, Score};
use undust_neural::apply::{Engine, Scratch};

#[cfg(feature = "papers")]
use super::protocol;
use super::{opened, print_json};
use crate::Outcome;
use crate::args::Eval;
use crate::rules_file::Deployed;
use crate::sheet::{Sheet, Style};
use crate::table::{Table, align_right, plain};
use crate::talk::{counted, report_problems, say, thousands};

pub(super) fn run(args: &Eval) -> Result<Outcome> {
    #[cfg(feature = "papers")]
    if let Some(protocol) = args.experiment.protocol {
        return protocol::run(args, protocol);
    }
    match &args.rules {
        Some(rules) => score(args, rules),
        None => bail!("name a rule file with --rules, or an experiment with --protocol"),
    }
}

fn score(args: &Eval, rules: &Path) -> Result<Outcome> {
    let deployed = args.manner.load(rules)?;
    let scores = scores_of(&deployed, opened(&args.inputs), args, &report_problems, &say)?;
    show(args, &scores, || sheet(&scores))
}

/// What a rule set is worth on the labelled pages of the inputs; what is wrong with an input is told to `tell`.
pub(crate) fn scores_of(
    deployed: &Deployed,
    inputs: impl IntoIterator<Item = Result<Input, ReadError>>,
    args: &Eval,
    tell: &dyn Fn(&Summary),
    say: &dyn Fn(&str),
) -> Result<Scores> {
    let engine = Engine::new(&deployed.rules, deployed.models.clone(), args.manner.form.into());
    let mut walk = Walk::new(&deployed.rules, &engine);
    for input in inputs {
        tell(&read_input(input?, &args.reading.options(), &mut |page| walk.add(&page))?);
    }
    if walk.unlabelled > 0 {
        say(&format!("passed over, with neither cluster nor digest: {}", counted(walk.unlabelled, "page")));
    }
    if walk.labelled == 0 {
        bail!(NO_LABELS);
    }
    Ok(Scores { report: walk.report(), with_skips: walk.report_with_skips() })
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

/// What is told of a rule set. What canonical forms are worth is one question, what it is worth to skip some of them another.
#[derive(Serialize)]
pub(crate) struct Scores {
    #[serde(flatten)]
    report: Report,
    /// Only where there are rules that skip URLs.
    #[serde(skip_serializing_if = "Option::is_none")]
    with_skips: Option<Report>,
}

/// What is said where nothing can be scored.
pub(super) const NO_LABELS: &str =
    "no labelled page to score: the input needs a column 'cluster' or 'digest'";

/// A crawl simulated over labelled pages.
pub(crate) struct Walk<R, E> {
    rules: R,
    engine: E,
    scratch: Scratch,
    key: Vec<u8>,
    evaluation: Evaluation,
    /// How many rules that change URLs each site has.
    changes: BTreeMap<String, u64>,
    labelled: u64,
    unlabelled: u64,
}

impl<R: Deref<Target = RuleSet>, E: Deref<Target = Engine>> Walk<R, E> {
    pub(crate) fn new(rules: R, engine: E) -> Walk<R, E> {
        let (scratch, evaluation) = (Scratch::new(), Evaluation::new());
        let changes = count_rules(&rules, |rule| !rule.action.is_skip());
        Walk { rules, engine, scratch, key: Vec::new(), evaluation, changes, labelled: 0, unlabelled: 0 }
    }

    pub(crate) fn add(&mut self, page: &Page) {
        let Some(label) = page.label() else {
            self.unlabelled += 1;
            return;
        };
        self.labelled += 1;
        self.key.clear();
        self.engine.append(&page.url, &mut self.scratch, &mut self.key);
        let is_skipped = self.engine.skips(&self.key, &mut self.scratch).is_some();
        let add = if is_skipped { Evaluation::add_skipped } else { Evaluation::add };
        add(&mut self.evaluation, &site_of(&page.url, self.rules.site_by), &page.url, &self.key, label);
    }

    /// What the canonical forms are worth, if no URL is skipped.
    pub(crate) fn report(&self) -> Report {
        self.evaluation.report_without_skips(&self.changes)
    }

    /// The same, and begin anew.
    pub(crate) fn finish(&mut self) -> Report {
        let report = self.report();
        self.evaluation = Evaluation::new();
        report
    }

    /// The same with skips, where there are any.
    fn report_with_skips(&self) -> Option<Report> {
        self.engine.has_skips().then(|| self.evaluation.report(&count_rules(&self.rules, |_| true)))
    }
}

/// How many active rules of a kind each site has.
fn count_rules(rules: &RuleSet, counts: impl Fn(&Rule) -> bool) -> BTreeMap<String, u64> {
    let mut by_site: BTreeMap<String, u64> = BTreeMap::new();
    for (site, _) in rules.rules().filter(|(_, rule)| rule.is_active() && counts(rule)) {
        *by_site.entry(site.to_owned()).or_default() += 1;
    }
    by_site
}

fn sheet(Scores { report: scores, with_skips }: &Scores) -> Sheet {
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
    if scores.sites.len() > MOST_SITES {
        sheet.text(format!("… and {} more sites (--json has them all)", scores.sites.len() - MOST_SITES));
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
const MOST_SITES: usize = 20;

fn by_site(scores: &Report) -> Table {
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
