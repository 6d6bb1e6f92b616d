//! `undust learn`: pages in, rules out, and a table to look at.

use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result, bail};
use rayon::prelude::*;
use serde_json::json;
use undust::rules::{self, Rule, RuleSet, classify};
use undust_io::group::BySite;
use undust_io::{read, Summary};
use undust_learn::learn::Learner;
use undust_learn::learn::rewrite::Rewrite;
use undust_learn::pipeline::{Config, Learned, learn_site};

use super::print_json;
use crate::args::{Learn, Method};
use crate::table::{align_right, table};
use crate::talk::{percent, report_problems, say, thousands};
use crate::{Outcome, progress, rules_file};

pub(super) fn run(args: &Learn) -> Result<Outcome> {
    let mut pages = BySite::new(args.memory, args.site_by);
    for input in &args.inputs {
        report_problems(&read_into(&mut pages, input, args)?);
    }
    let config =
        Config { max_fpr: args.max_fpr, min_trials: args.min_trials, seed: args.seed, site_by: args.site_by };
    let learner = learner(args);
    let learned = args.reading.thread_pool()?.install(|| learn(pages, learner.as_ref(), &config))?;
    let total = Total::of(&learned);
    if total.urls == 0 {
        bail!(
            "no labelled page to learn from: '{}' needs a column 'cluster' or 'digest' (pages read without one: {})",
            learner.name(),
            thousands(total.unlabelled)
        );
    }
    let rules = rule_set(learned, learner.name(), &config, &total);
    rules_file::save(&args.output, &rules)?;
    if args.json {
        print_json(&json!({ "rules": rules.rules().count(), "totals": total }))?;
    } else if args.output != Path::new("-") {
        show(&rules, &total)?;
        say(&format!("rules written to {}", args.output.display()));
    }
    Ok(Outcome::Fine)
}

fn learner(args: &Learn) -> Box<dyn Learner> {
    match args.method {
        Method::Rewrite => {
            Box::new(Rewrite { filter: args.filter, min_support: args.min_support, seed: args.seed })
        }
    }
}

fn read_into(pages: &mut BySite, input: &Path, args: &Learn) -> Result<Summary> {
    let bar = progress::spinner("pages read");
    let mut stored = Ok(());
    let summary = read(input, &args.reading.options(), &mut |page| {
        bar.inc(1);
        if stored.is_ok() {
            stored = pages.push(page);
        }
    })?;
    bar.finish_and_clear();
    stored.context("cannot write temporary files")?;
    Ok(summary)
}

/// Learn every site, those of one partition side by side.
pub(super) fn learn(pages: BySite, learner: &dyn Learner, config: &Config) -> Result<Vec<Learned>> {
    let mut learned = Vec::new();
    for partition in pages.finish().context("cannot write temporary files")? {
        let mut sites = partition.context("cannot read temporary files")?;
        // URLs without a host have no site to learn rules for.
        sites.retain(|(site, _)| !site.is_empty());
        let bar = progress::bar("learning", sites.len() as u64);
        let one = |(site, pages): (String, Vec<_>)| {
            let learned = learn_site(&site, pages, learner, config);
            bar.inc(1);
            learned
        };
        learned.extend(sites.into_par_iter().map(one).collect::<Vec<_>>());
        bar.finish_and_clear();
    }
    learned.sort_by(|a, b| a.rules.site.cmp(&b.rules.site));
    Ok(learned)
}

/// What was learned from, all sites together.
#[derive(Default, serde::Serialize)]
pub(super) struct Total {
    pub(super) sites: u64,
    pub(super) urls: u64,
    pub(super) clusters: u64,
    pub(super) candidates: u64,
    pub(super) contradictions: u64,
    pub(super) unlabelled: u64,
    pub(super) saved: u64,
}

impl Total {
    pub(super) fn of(learned: &[Learned]) -> Total {
        let mut total = Total { sites: learned.len() as u64, ..Total::default() };
        for site in learned {
            total.urls += site.urls;
            total.clusters += site.clusters;
            total.candidates += site.candidates;
            total.contradictions += site.contradictions;
            total.unlabelled += site.unlabelled;
            total.saved += site.rules.rules.iter().map(saved).sum::<u64>();
        }
        total
    }
}

fn saved(rule: &Rule) -> u64 {
    rule.evidence.as_ref().map_or(0, |evidence| evidence.saved)
}

/// The rule file of what was learned; sites without rules are left out.
pub(super) fn rule_set(learned: Vec<Learned>, method: &str, config: &Config, total: &Total) -> RuleSet {
    let sites = learned.into_iter().map(|site| site.rules).filter(|site| !site.rules.is_empty()).collect();
    let learned = rules::Learned {
        method: method.to_owned(),
        max_fpr: config.max_fpr,
        seed: config.seed,
        urls: total.urls,
        clusters: total.clusters,
    };
    RuleSet { normalize: true, site_by: config.site_by, learned: Some(learned), sites }
}

/// Rules shown; the file has them all.
const MOST_RULES: usize = 25;

/// The table a person looks at before using the rules.
pub(super) fn show(rules: &RuleSet, total: &Total) -> Result<()> {
    let mut out = std::io::stdout().lock();
    let mut all: Vec<(&str, &Rule)> = rules.rules().collect();
    all.sort_by_key(|(_, rule)| std::cmp::Reverse(saved(rule)));
    let mut table = table(&["rule", "class", "saved", "wrong", "at most"]);
    for (_, rule) in all.iter().take(MOST_RULES) {
        table.add_row(row(rule));
    }
    align_right(&mut table, 2..5);
    if !all.is_empty() {
        writeln!(out, "{table}")?;
    }
    if all.len() > MOST_RULES {
        writeln!(out, "… and {} more rules in the file", all.len() - MOST_RULES)?;
    }
    let share = total.saved as f64 / total.urls.max(1) as f64;
    writeln!(
        out,
        "{} URLs of {} pages on {} sites: {} rules ({} proposed) save {} URLs ({})",
        thousands(total.urls),
        thousands(total.clusters),
        thousands(total.sites),
        all.len(),
        thousands(total.candidates),
        thousands(total.saved),
        percent(share)
    )?;
    if total.contradictions > 0 {
        writeln!(out, "{} URLs stood under two labels; the first in order counted", thousands(total.contradictions))?;
    }
    Ok(())
}

fn row(rule: &Rule) -> Vec<String> {
    let (from, to) = rule.action.sides();
    let evidence = rule.evidence.clone().unwrap_or_default();
    vec![
        format!("{from}\n→ {to}"),
        classify(&rule.action).name().to_owned(),
        thousands(evidence.saved),
        format!("{}/{}", evidence.false_positives, thousands(evidence.trials)),
        percent(evidence.bound),
    ]
}
