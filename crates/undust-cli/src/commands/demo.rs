//! `undust demo`: the main job on a real site that comes with the program.

use std::collections::BTreeMap;
use std::io::{Cursor, Write};
use std::path::PathBuf;

use anyhow::{Context, Result};
use undust::apply::{Form, Naive};
use undust::page::Page;
use undust_io::group::BySite;
use undust_io::{Input, ReadOptions, read_input};
use undust_learn::LearnOptions;
use undust_neural::RuleFile;

use super::Read;
use super::eval::Crawl;
use super::learn::{Run, learn_all, show, show_learners};
use crate::args::Demo;
use crate::messages::{percent, say, thousands};
use crate::report::Facts;
use crate::{Outcome, output, report, rules_file};

/// A whole phpBB 2 forum, mirrored with wget: URLs, content clusters, digests and sizes.
const FORUM: &[u8] = include_bytes!("../../../../testdata/demo/phpbb2-computerforum.tsv.gz");

const NAME: &str = "phpbb2-computerforum.tsv.gz";

pub(super) fn run(args: &Demo) -> Result<Outcome> {
    output::check_writable(&args.output)?;
    let report_path = report::beside(&args.output);
    report::check_place(&report_path, &args.output, &[])?;
    let mut pages = Vec::new();
    let input = Input::new(NAME, Cursor::new(FORUM))?;
    read_input(input, &ReadOptions::default(), &mut |page| pages.push(page))?;
    let test = pages.split_off(pages.len() * 3 / 4);
    say(&format!(
        "A real forum, crawled whole: learning from {} URLs, keeping {} for the test.",
        thousands(pages.len() as u64),
        thousands(test.len() as u64)
    ));
    let pipeline = LearnOptions::new().build()?;
    let read = Read { pages: pages.len() as u64, ..Read::default() };
    let mut grouped = BySite::new(u64::MAX, pipeline.site_by());
    for page in pages {
        grouped.push(page).context("cannot group pages")?;
    }
    let collector = report::Collector::new(true, pipeline.config());
    let Run { file, report: total, seconds, .. } = learn_all(&pipeline, grouped, &collector)?;
    let (rules, total) = (&file.rules, &total);
    show(rules, total)?;
    show_learners(&total.learners, &seconds)?;
    rules_file::replace(&args.output, rules)?;
    judge(&file, &test)?;
    let facts = Facts {
        inputs: &[PathBuf::from(NAME)],
        read,
        method: pipeline.method(),
        config: pipeline.config(),
        total,
        rules,
        models: 0,
        seconds: BTreeMap::new(),
    };
    report::save(&report_path, &facts, collector)?;
    say(&format!("\nreport written to {}: open it in a browser", report_path.display()));
    say(&format!("rules written to {}; try:", args.output.display()));
    if let Some(url) = example(rules, &test) {
        say(&format!("  undust explain --rules {} '{url}'", args.output.display()));
    }
    Ok(Outcome::Fine)
}

/// How the rules do on URLs that nobody learned from.
fn judge(file: &RuleFile, test: &[Page]) -> Result<()> {
    let mut crawl = Crawl::new(file, Form::Key);
    for page in test {
        crawl.add(page);
    }
    let score = crawl.scorer.scores().report.total;
    let mut out = output::stdout();
    writeln!(
        out,
        "\nOn {} URLs that were not learned from: {} fetches instead of {} ({} fewer),\n{} of {} pages still reached.",
        thousands(score.urls),
        thousands(score.crawled),
        thousands(score.urls),
        percent(score.metrics.compression),
        thousands(score.covered),
        thousands(score.clusters)
    )?;
    Ok(())
}

/// A URL of the test on which some rule fires.
fn example(rules: &undust::rules::RuleSet, test: &[Page]) -> Option<String> {
    let engine = Naive::new(rules, Form::Key);
    let changed =
        test.iter().find(|page| engine.trace(&page.url).steps.iter().any(|step| step.rule.is_some()))?;
    Some(String::from_utf8_lossy(&changed.url).into_owned())
}
