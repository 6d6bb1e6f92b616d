//! `undust demo`: the main job on a real site that comes with the program.

use std::collections::BTreeMap;
use std::io::{Cursor, Write};
use std::path::PathBuf;

use anyhow::{Context, Result};
use undust::apply::{Form, Naive};
use undust::page::Page;
use undust_io::group::BySite;
use undust_io::{Input, ReadOptions, read_input};
use undust_learn::pipeline::Config;
use undust_neural::Engine;
use undust_neural::auto;
use undust_neural::file::Models;
use undust_neural::learner::Seq2seq;

use super::Read;
use super::eval::Walk;
use super::learn::auto::{Timed, contributions};
use super::learn::{self, Total, learn_sites, rule_set, show};
use crate::args::Demo;
use crate::progress::SiteProgress;
use crate::report::Facts;
use crate::talk::{percent, say, thousands};
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
    let config = Config { skips: true, ..Config::default() };
    let read = Read { pages: pages.len() as u64, ..Read::default() };
    let mut grouped = BySite::new(u64::MAX, config.site_by);
    for page in pages {
        grouped.push(page).context("cannot group pages")?;
    }
    let learner = Timed::new(auto::members(), Seq2seq::default(), false);
    let collector = report::Collector::new(true, &config);
    let learn = |site: &str, pages: Vec<Page>, progress: &SiteProgress| {
        let surveyor = collector.look(site, &pages);
        let learned = learner.learn_site(site, pages, &config, &|stage| progress.stage(stage)).learned;
        collector.keep(surveyor, &learned);
        learned
    };
    let learned = learn_sites(grouped, &learn)?;
    let total = Total::of(&learned);
    let (parts, seconds) = (contributions(&learned), learner.seconds());
    let rules = rule_set(learned.into_iter().map(|site| site.rules), learner.name(), &config, &total);
    show(&rules, &total)?;
    learn::auto::show(&parts, &seconds)?;
    rules_file::replace(&args.output, &rules)?;
    judge(&rules, &test)?;
    let facts = Facts {
        inputs: &[PathBuf::from(NAME)],
        read,
        method: learner.name(),
        config: &config,
        total: &total,
        rules: &rules,
        models: 0,
        seconds: BTreeMap::new(),
    };
    report::save(&report_path, &facts, collector)?;
    say(&format!("\nreport written to {}: open it in a browser", report_path.display()));
    say(&format!("rules written to {}; try:", args.output.display()));
    if let Some(url) = example(&rules, &test) {
        say(&format!("  undust explain --rules {} '{url}'", args.output.display()));
    }
    Ok(Outcome::Fine)
}

/// How the rules do on URLs that nobody learned from.
fn judge(rules: &undust::rules::RuleSet, test: &[Page]) -> Result<()> {
    let engine = Engine::new(rules, Models::new(), Form::Key);
    let mut walk = Walk::new(rules, &engine);
    for page in test {
        walk.add(page);
    }
    let score = walk.report().total;
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
