//! `undust learn`: pages in, rules out, and a table to look at.

pub(super) mod seq2seq;

use std::collections::BTreeMap;
use std::io::Write;

use anyhow::{Context, Result, bail};
use rayon::prelude::*;
use serde_json::json;
use undust::page::Page;
use undust::rules::{self, Rule, RuleSet, classify};
use undust_content::cluster::{Options, cluster};
use undust_content::read_body;
use undust_io::group::BySite;
use undust_learn::learn::Learner;
use undust_learn::learn::decision_tree::{DecisionTree, MIN_SUPPORT};
use undust_learn::learn::dustbuster::{Dustbuster, Settings, Similar};
use undust_learn::learn::pattern_tree::PatternTree;
use undust_learn::learn::rewrite::Rewrite;
use undust_learn::pipeline::{Config, Learned, learn_site};
use undust_neural::learner::Lesson;

use super::{drop_content, print_json, read_into};
use crate::args::{self, Learn, Method};
use crate::rules_file::Deployed;
use crate::table::{align_right, ruled};
use crate::talk::{counted, percent, say, thousands};
use crate::{Outcome, output, progress};

pub(super) fn run(args: &Learn) -> Result<Outcome> {
    output::check_place(&args.output, &args.inputs, args.json, "rules")?;
    if matches!(args.method, Method::Seq2seq) {
        seq2seq::check_place(args)?;
    }
    let mut pages = BySite::new(args.grouping.memory, args.grouping.site_by);
    let read = read_into(&mut pages, &args.inputs, &args.reading, &prepare)?;
    let config = config(args);
    let (rules_alone, neural) = (learner(args), seq2seq::learner(&args.seq2seq, args.seed));
    let name = rules_alone.as_ref().map_or(neural.name(), |learner| learner.name());
    let learn = |site: &str, pages: Vec<Page>| match &rules_alone {
        Some(learner) => Lesson::of_rules(learn_site(site, pages, learner.as_ref(), &config)),
        None => neural.learn_site(site, &pages, &config),
    };
    let clustering = args.clustering.options();
    let lessons = args.reading.thread_pool()?.install(|| learn_sites(pages, &learn, &config, &clustering))?;
    let (learned, models) = seq2seq::take_apart(lessons);
    let total = Total::of(&learned);
    if total.urls == 0 {
        let (labels, hint) = match args.method {
            Method::Dustbuster => ("", ""),
            _ => (" with a cluster or a digest", "; --method dustbuster needs neither"),
        };
        bail!(
            "nothing to learn from: '{}' needs full URLs{labels} ({}, none like that){hint}",
            name,
            counted(read, "page")
        );
    }
    let mut deployed = Deployed { rules: rule_set(learned, name, &config, &total), models };
    deployed.save(&args.output)?;
    let Deployed { rules, models } = deployed;
    if args.json {
        let mut summary = json!({ "rules": rules.rules().count(), "totals": total });
        if !models.is_empty() {
            let reports: BTreeMap<_, _> = models.iter().map(|(site, model)| (site, &model.report)).collect();
            summary["models"] = json!(reports);
        }
        print_json(&summary)?;
    } else if !output::is_stdout(&args.output) {
        show(&rules, &total)?;
        seq2seq::show(&models)?;
        say(&format!("rules written to {}", args.output.display()));
    }
    if rules.sites.is_empty() && total.clusters == 0 {
        say("no rule is likely: more URLs of the same sites help, or a smaller --min-support");
    } else if rules.sites.is_empty() && models.is_empty() {
        say("no rule was sure enough: more labelled URLs of the same sites help, or a larger --max-fpr");
    } else if rules.rules().all(|(_, rule)| !rule.is_active()) {
        say("likely rules are not applied before they are tried out: see undust validate --help");
    }
    Ok(Outcome::Fine)
}

/// Content is read where pages have no labels yet.
fn prepare(page: &mut Page) {
    if page.cluster.is_some() {
        drop_content(page);
    } else {
        read_body(page);
    }
}

/// Whether the pages of a site must be clustered before rules can be learned.
fn needs_clusters(pages: &[Page], config: &Config) -> bool {
    let has_content = |page: &Page| page.text.is_some() || page.simhash.is_some();
    !config.likely && pages.iter().all(|page| page.cluster.is_none()) && pages.iter().any(has_content)
}

fn config(args: &Learn) -> Config {
    Config {
        max_fpr: args.max_fpr,
        min_trials: args.min_trials,
        seed: args.seed,
        site_by: args.grouping.site_by,
        likely: args.dustbuster.likely,
        most_likely: args.dustbuster.most_likely,
        with_assets: args.dustbuster.with_assets,
    }
}

/// The learner that was asked for; none for `seq2seq`, which learns more than rules.
fn learner(args: &Learn) -> Option<Box<dyn Learner>> {
    Some(match args.method {
        Method::Dustbuster => Box::new(dustbuster(&args.dustbuster, args.min_support)),
        Method::Rewrite => {
            let usual = Rewrite::default();
            let min_support = args.min_support.unwrap_or(usual.min_support);
            Box::new(Rewrite { filter: args.filter, min_support, seed: args.seed })
        }
        Method::DecisionTree => {
            let args::DecisionTree { targets, min_coverage, min_precision } = args.decision_tree;
            let min_support = args.min_support.unwrap_or(MIN_SUPPORT);
            Box::new(DecisionTree { targets, min_support, min_coverage, min_precision, seed: args.seed })
        }
        Method::PatternTree => {
            let args::PatternTree { min_overlap, min_common } = args.pattern_tree;
            let min_support = args.min_support.unwrap_or(PatternTree::default().min_support);
            Box::new(PatternTree { min_overlap, min_common, min_support, both_ways: false })
        }
        Method::Seq2seq => return None,
    })
}

fn dustbuster(args: &args::Dustbuster, min_support: Option<u64>) -> Dustbuster {
    let settings = Settings {
        max_tokens: usize::from(args.max_tokens),
        t_low: args.t_low,
        t_high: args.t_high.max(args.t_low),
        max_relative: args.max_relative_deficiency,
        max_absolute: args.max_absolute_deficiency,
        window: args.max_window,
        min_support: min_support.unwrap_or(Settings::default().min_support),
        min_similar: args.min_similar,
        max_unlike: args.max_unlike,
        similar: Similar { size_slack: args.size_slack, ..args.similar_by },
    };
    Dustbuster { settings }
}

/// Learn every site, those of one partition side by side; pages with content and without labels are clustered first. Sorted by site.
pub(super) fn learn_sites<L: Send>(
    pages: BySite,
    learn: &(impl Fn(&str, Vec<Page>) -> L + Sync),
    config: &Config,
    clustering: &Options,
) -> Result<Vec<L>> {
    let mut learned = Vec::new();
    for partition in pages.finish().context("cannot write temporary files")? {
        let mut sites = partition.context("cannot read temporary files")?;
        // URLs without a host have no site to learn rules for.
        sites.retain(|(site, _)| !site.is_empty());
        let bar = progress::bar("learning", sites.len() as u64);
        let one = |(site, mut pages): (String, Vec<Page>)| {
            if needs_clusters(&pages, config) {
                cluster(&site, &mut pages, clustering);
            }
            let learned = learn(&site, pages);
            bar.inc(1);
            (site, learned)
        };
        learned.extend(sites.into_par_iter().map(one).collect::<Vec<_>>());
        bar.finish_and_clear();
    }
    learned.sort_by(|(a, _), (b, _)| a.cmp(b));
    Ok(learned.into_iter().map(|(_, learned)| learned).collect())
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
    pub(super) failed: u64,
    pub(super) assets: u64,
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
            total.failed += site.failed;
            total.assets += site.assets;
            total.saved += site.rules.rules.iter().map(saved).sum::<u64>();
        }
        total
    }

    /// Rows that nothing was learned from, and why.
    fn left_out(&self) -> [(u64, &'static str); 4] {
        [
            (
                self.contradictions,
                "gave a URL a second label; of its labels, the first in the alphabet counted",
            ),
            (self.unlabelled, "passed over: no cluster, and no digest of a successful fetch"),
            (self.failed, "passed over: failed requests (status 400 and above)"),
            (
                self.assets,
                "passed over: images, styles and scripts without a query (--with-assets keeps them)",
            ),
        ]
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
    RuleSet { site_by: config.site_by, learned: Some(learned), sites, ..RuleSet::default() }
}

/// Rules shown of each kind; the file has them all.
const MOST_RULES: usize = 25;

/// The tables a person looks at before using the rules.
pub(super) fn show(rules: &RuleSet, total: &Total) -> Result<()> {
    let mut out = std::io::stdout().lock();
    let (likely, mut judged): (Vec<&Rule>, Vec<&Rule>) =
        rules.rules().map(|(_, rule)| rule).partition(|rule| rule.validation.is_some());
    judged.sort_by_key(|rule| std::cmp::Reverse(saved(rule)));
    let columns = ["rule", "class", "saved", "wrong", "at most"];
    write_table(&mut out, &columns, &judged, judged_row, LEGEND)?;
    write_table(&mut out, &["likely rule", "class", "pairs"], &likely, likely_row, LIKELY_LEGEND)?;
    write_total(&mut out, rules.rules().count() as u64, total)
}

fn write_table(
    out: &mut impl Write,
    columns: &[&str],
    rules: &[&Rule],
    row: fn(&Rule) -> Vec<String>,
    legend: &str,
) -> Result<()> {
    if rules.is_empty() {
        return Ok(());
    }
    let mut table = ruled(columns);
    for rule in rules.iter().take(MOST_RULES) {
        table.add_row(row(rule));
    }
    align_right(&mut table, 2..columns.len());
    writeln!(out, "{}\n", table.text())?;
    if rules.len() > MOST_RULES {
        writeln!(out, "… and {} more rules in the file", rules.len() - MOST_RULES)?;
    }
    Ok(writeln!(out, "{legend}")?)
}

fn write_total(out: &mut impl Write, rules: u64, total: &Total) -> Result<()> {
    let (urls, sites) = (counted(total.urls, "URL"), counted(total.sites, "site"));
    let pages =
        if total.clusters > 0 { format!(" of {}", counted(total.clusters, "page")) } else { String::new() };
    let (rules, proposed) = (counted(rules, "rule"), thousands(total.candidates));
    writeln!(out, "{urls}{pages} on {sites}: {rules} ({proposed} proposed)")?;
    if total.saved > 0 {
        let share = total.saved as f64 / total.urls as f64;
        writeln!(out, "URLs saved: {} ({})", thousands(total.saved), percent(share))?;
    }
    for (rows, why) in total.left_out() {
        if rows > 0 {
            writeln!(out, "{} {why}", counted(rows, "row"))?;
        }
    }
    Ok(())
}

const LEGEND: &str = "\
saved:    URLs that need no fetch
wrong:    those with another page, of the held-out URLs so saved
at most:  the share of wrong ones that this leaves possible (95 % confidence)
";

const LIKELY_LEGEND: &str = "\
pairs:    URLs seen in both forms, alike in all that is known of them
";

fn judged_row(rule: &Rule) -> Vec<String> {
    let evidence = rule.evidence.clone().unwrap_or_default();
    let wrong = format!("{}/{}", evidence.false_positives, thousands(evidence.trials));
    [said_by(rule), [thousands(evidence.saved), wrong, percent(evidence.bound)].to_vec()].concat()
}

fn likely_row(rule: &Rule) -> Vec<String> {
    let support = rule.evidence.as_ref().map_or(0, |evidence| evidence.support);
    [said_by(rule), vec![thousands(support)]].concat()
}

/// What a rule says, and its class.
fn said_by(rule: &Rule) -> Vec<String> {
    let (from, to) = rule.action.sides();
    vec![format!("{from}\n→ {to}"), classify(&rule.action).name().to_owned()]
}
