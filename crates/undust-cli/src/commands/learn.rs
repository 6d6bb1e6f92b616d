//! `undust learn`: pages in, rules out, and a table to look at.

mod again;
pub(super) mod auto;
mod sample;
pub(super) mod seq2seq;

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::{Context, Result, bail};
use rayon::prelude::*;
use serde_json::{Value, json};
use undust::page::Page;
use undust::rules::{self, Class3, Rule, RuleSet, SiteRules, classify};
use undust_content::cluster::{Options, cluster};
use undust_content::read_body;
use undust_io::group::BySite;
use undust_io::{Input, ReadError, Summary};
use undust_learn::again::with_unseen;
use undust_learn::learn::Learner;
use undust_learn::learn::decision_tree::{DecisionTree, MIN_SUPPORT};
use undust_learn::learn::dustbuster::{Dustbuster, Settings, Similar};
use undust_learn::learn::pattern_tree::PatternTree;
use undust_learn::learn::rewrite::Rewrite;
use undust_learn::pipeline::{Config, Contribution, Learned, learn_site_watched};
use undust_learn::progress::Watch;
use undust_neural::learner::{Lesson, Seq2seq};

use super::{Read, drop_content, opened, print_json, read_into};
use crate::args::{self, Learn, Method};
use crate::progress::{SiteProgress, Sites};
use crate::report::Facts;
use crate::rules_file::{self, Deployed};
use crate::table::{align_right, ruled};
use crate::talk::{counted, percent, percent_at_most, report_problems, say, thousands};
use crate::{Outcome, output, report};
use again::Changes;
pub use sample::Sample;
use sample::at_most;

pub(super) fn run(args: &Learn) -> Result<Outcome> {
    output::check_place(&args.output, &args.inputs, args.json, "rules")?;
    if matches!(args.method, Method::Seq2seq) || writes_model(args) {
        seq2seq::check_place(args)?;
    }
    if let Some(path) = &args.report {
        report::check_place(path, &args.output, &args.inputs)?;
    }
    let earlier = again::earlier(args)?;
    let config = config(args);
    let collector = report::Collector::new(args.report.is_some(), &config);
    let mut course = attend(opened(&args.inputs), args, earlier.as_ref(), &collector, &report_problems)?;
    course.talk.iter().for_each(|line| say(line));
    let backup = if args.fresh { rules_file::back_up(&args.output)? } else { None };
    let model_path = course.deployed.save(&args.output)?;
    let Course { read, total, seconds, method, seen: rules, .. } = &course;
    let models = &course.deployed.models;
    if args.json {
        print_json(&course.summary())?;
    } else if !output::is_stdout(&args.output) {
        show(rules, total)?;
        if !seconds.is_empty() {
            auto::show(&course.parts, seconds)?;
        }
        seq2seq::show(models)?;
        say(&format!("rules written to {}", args.output.display()));
        again::say_where(args, model_path.as_deref(), backup.as_deref(), earlier.as_ref());
    }
    course.changes.iter().flat_map(Changes::told).for_each(|line| say(&line));
    if let Some(path) = &args.report {
        let facts = Facts {
            inputs: &args.inputs,
            read: *read,
            method,
            config: &config,
            total,
            rules,
            models: models.len() as u64,
            // The same input gives the same page.
            seconds: BTreeMap::new(),
        };
        report::save(path, &facts, collector)?;
        say(&format!("report written to {}", path.display()));
    }
    if let Some(hint) = course.hint() {
        say(hint);
    }
    Ok(Outcome::Fine)
}

/// What was read and learned.
pub(crate) struct Course {
    read: Read,
    pub(crate) deployed: Deployed,
    /// The rules of the sites learned from, without those that were refused.
    seen: RuleSet,
    /// What is different from the rules that were there before.
    changes: Option<Changes>,
    total: Total,
    /// What each learner had a part in.
    parts: Vec<Contribution>,
    /// How long each of several learners took.
    seconds: BTreeMap<String, f64>,
    method: &'static str,
    /// What else is to be said.
    pub(crate) talk: Vec<String>,
}

impl Course {
    /// What `--json` prints.
    pub(crate) fn summary(&self) -> Value {
        let Deployed { rules, models } = &self.deployed;
        let mut summary = json!({ "rules": rules.rules().count(), "totals": self.total });
        if !models.is_empty() {
            let reports: BTreeMap<_, _> = models.iter().map(|(site, model)| (site, &model.report)).collect();
            summary["models"] = json!(reports);
        }
        if !self.seconds.is_empty() {
            summary["learners"] = json!(self.parts);
        }
        if let Some(changes) = &self.changes {
            summary["changes"] = json!(changes);
        }
        summary
    }

    /// What to do about it where there is no rule to use.
    pub(crate) fn hint(&self) -> Option<&'static str> {
        let (rules, models) = (&self.seen, &self.deployed.models);
        if rules.sites.is_empty() && self.changes.is_some() {
            // What there was is gone or refused, and that was said.
            None
        } else if rules.sites.is_empty() && self.total.clusters == 0 {
            Some("no rule is likely: more URLs of the same sites help, or a smaller --min-support")
        } else if rules.sites.is_empty() && models.is_empty() {
            Some("no rule was sure enough: more labelled URLs of the same sites help, or a larger --max-fpr")
        } else if !rules.sites.is_empty() && rules.rules().all(|(_, rule)| !rule.is_active()) {
            Some("likely rules are not applied before they are tried out: see undust validate --help")
        } else {
            None
        }
    }
}

/// Read the inputs and learn from them, keeping what was decided on `earlier` rules; what is wrong with an input is told to `tell`.
pub(crate) fn attend(
    inputs: impl IntoIterator<Item = Result<Input, ReadError>>,
    args: &Learn,
    earlier: Option<&Deployed>,
    collector: &report::Collector,
    tell: &dyn Fn(&Summary),
) -> Result<Course> {
    again::check_sites(args, earlier)?;
    let mut pages = BySite::new(args.grouping.memory, args.grouping.site_by);
    let read = read_into(&mut pages, inputs, &args.reading, &prepare, tell)?;
    let teacher = Teacher::new(args, earlier);
    let sampled = AtomicU64::new(0);
    let learn = |site: &str, pages: Vec<Page>, progress: &SiteProgress| {
        let (pages, is_sample) = at_most(args.max_urls, pages);
        sampled.fetch_add(u64::from(is_sample), Ordering::Relaxed);
        progress.stage("clustering");
        let pages = teacher.labelled(site, pages);
        let surveyor = collector.look(site, &pages);
        let lesson = teacher.lesson(site, pages, &|stage| progress.stage(stage));
        progress.stage("looking at the rules");
        collector.keep(surveyor, &lesson.learned);
        lesson
    };
    let lessons = args.reading.thread_pool()?.install(|| learn_sites(pages, &learn))?;
    let (learned, mut models, mut talk) = seq2seq::take_apart(lessons);
    talk.extend(said_of_samples(sampled.into_inner(), args.max_urls));
    let (total, name) = (Total::of(&learned), teacher.name());
    if total.urls == 0 {
        let (labels, hint) = match args.method {
            Method::Dustbuster | Method::Auto => ("", ""),
            _ => (" with a cluster or a digest", "; --method dustbuster needs neither"),
        };
        bail!(
            "nothing to learn from: '{name}' needs full URLs{labels} ({}, none like that){hint}",
            counted(read.pages, "page")
        );
    }
    talk.extend(again::warnings(&learned, args.max_fpr));
    again::keep_models(&mut models, &learned, earlier);
    let parts = auto::contributions(&learned);
    let sites: BTreeSet<String> = learned.iter().map(|site| site.rules.site.clone()).collect();
    let rules = rule_set(learned.into_iter().map(|site| site.rules), name, &teacher.config, &total);
    let seen = seen(&rules, &sites);
    let changes = earlier.map(|earlier| Changes::new(&earlier.rules, &rules)).filter(Changes::were_any);
    let deployed = Deployed { rules, models };
    Ok(Course { read, deployed, seen, changes, total, parts, seconds: teacher.seconds(), method: name, talk })
}

/// The rules of these sites that are in force or to be tried out.
fn seen(rules: &RuleSet, sites: &BTreeSet<String>) -> RuleSet {
    let mut seen = rules.clone();
    seen.sites.retain(|site| sites.contains(&site.site));
    seen.sites.iter_mut().for_each(|site| site.rules.retain(|rule| !rule.is_refused()));
    seen.sites.retain(|site| !site.rules.is_empty());
    seen
}

fn said_of_samples(sites: u64, max_urls: usize) -> Option<String> {
    let (sites_said, most) = (counted(sites, "site"), thousands(max_urls as u64));
    (sites > 0).then(|| {
        format!("of {sites_said} with more than {most} URLs, a sample was learned from (--max-urls)")
    })
}

/// The learners that the arguments ask for, with their settings.
pub(crate) struct Teacher {
    method: Method,
    pub(crate) config: Config,
    clustering: Options,
    neural: Seq2seq,
    /// None for `seq2seq` and `auto`, which learn more than rules.
    one: Option<Box<dyn Learner>>,
    all: auto::Timed,
}

impl Teacher {
    /// The learners, which keep what was decided on `earlier` rules.
    pub(crate) fn new(args: &Learn, earlier: Option<&Deployed>) -> Teacher {
        let neural = seq2seq::learner(&args.seq2seq, args.seed);
        let (one, all) = (learner(args, args.method), auto::Timed::of(args, &neural));
        let earlier = earlier.map(|earlier| Arc::new(earlier.rules.clone()));
        let (config, clustering) = (Config { earlier, ..config(args) }, args.clustering.options());
        Teacher { method: args.method, config, clustering, neural, one, all }
    }

    /// What the method is called.
    pub(crate) fn name(&self) -> &'static str {
        match (&self.one, self.method) {
            (Some(learner), _) => learner.name(),
            (None, Method::Auto) => self.all.name(),
            (None, _) => self.neural.name(),
        }
    }

    /// What is learned from the pages of a site.
    pub(crate) fn lesson(&self, site: &str, pages: Vec<Page>, watch: &Watch) -> Lesson {
        let config = &self.config;
        match (&self.one, self.method) {
            (Some(learner), _) => {
                Lesson::of_rules(learn_site_watched(site, pages, learner.as_ref(), config, watch))
            }
            (None, Method::Auto) => self.all.learn_site(site, pages, config, watch),
            (None, _) => self.neural.learn_site_watched(site, &pages, config, watch),
        }
    }

    /// The pages of a site, clustered where they come with content and without labels.
    pub(crate) fn labelled(&self, site: &str, mut pages: Vec<Page>) -> Vec<Page> {
        if needs_clusters(&pages, &self.config) {
            cluster(site, &mut pages, &self.clustering);
        }
        pages
    }

    /// How long each of several learners took.
    fn seconds(&self) -> BTreeMap<String, f64> {
        if matches!(self.method, Method::Auto) { self.all.seconds() } else { BTreeMap::new() }
    }
}

/// Whether a model may be written next to the rules of all learners.
fn writes_model(args: &Learn) -> bool {
    matches!(args.method, Method::Auto) && !args.auto.no_model && !output::is_stdout(&args.output)
}

/// Content is read where pages have no labels yet.
pub fn prepare(page: &mut Page) {
    if page.cluster.is_some() {
        drop_content(page);
    } else {
        read_body(page);
    }
}

/// Whether the pages of a site must be clustered before rules can be learned.
fn needs_clusters(pages: &[Page], config: &Config) -> bool {
    let has_content = |page: &Page| page.text.is_some() || page.words.is_some() || page.simhash.is_some();
    !config.likely && pages.iter().all(|page| page.cluster.is_none()) && pages.iter().any(has_content)
}

pub(crate) fn config(args: &Learn) -> Config {
    Config {
        max_fpr: args.max_fpr,
        min_trials: args.min_trials,
        seed: args.seed,
        site_by: args.grouping.site_by,
        skips: matches!(args.method, Method::Auto) && !args.auto.no_skips,
        likely: args.dustbuster.likely,
        most_likely: args.dustbuster.most_likely,
        with_assets: args.dustbuster.with_assets,
        earlier: None,
    }
}

/// One learner of rules, if the method is one.
fn learner(args: &Learn, method: Method) -> Option<Box<dyn Learner>> {
    Some(match method {
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
        Method::Seq2seq | Method::Auto => return None,
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

/// Learn every site, those of one partition side by side. Sorted by site.
pub(super) fn learn_sites<L: Send>(
    pages: BySite,
    learn: &(impl Fn(&str, Vec<Page>, &SiteProgress) -> L + Sync),
) -> Result<Vec<L>> {
    let mut learned = Vec::new();
    for partition in pages.finish().context("cannot write temporary files")? {
        let mut sites = partition.context("cannot read temporary files")?;
        // URLs without a host have no site to learn rules for.
        sites.retain(|(site, _)| !site.is_empty());
        let progress = Sites::new("sites learned", sites.len() as u64);
        let one = |(site, pages): (String, Vec<Page>)| {
            let learned = learn(&site, pages, &progress.begin(&site));
            (site, learned)
        };
        learned.extend(sites.into_par_iter().map(one).collect::<Vec<_>>());
        progress.finish();
    }
    learned.sort_by(|(a, _), (b, _)| a.cmp(b));
    Ok(learned.into_iter().map(|(_, learned)| learned).collect())
}

/// What was learned from, all sites together.
#[derive(Default, serde::Serialize)]
pub(crate) struct Total {
    pub(crate) sites: u64,
    pub(crate) urls: u64,
    pub(crate) clusters: u64,
    pub(crate) candidates: u64,
    pub(crate) contradictions: u64,
    /// About so many URLs have the label of another page.
    pub(crate) mislabelled: u64,
    pub(crate) unlabelled: u64,
    pub(crate) failed: u64,
    pub(crate) assets: u64,
    /// URLs made equal to others.
    pub(crate) saved: u64,
    /// URLs that rules skip.
    pub(crate) skipped: u64,
}

impl Total {
    pub(crate) fn of(learned: &[Learned]) -> Total {
        let mut total = Total { sites: learned.len() as u64, ..Total::default() };
        for site in learned {
            total.urls += site.urls;
            total.clusters += site.clusters;
            total.candidates += site.candidates;
            total.contradictions += site.contradictions;
            #[expect(clippy::cast_sign_loss, reason = "it is not negative")]
            let mislabelled = (site.noise * site.urls as f64).round() as u64;
            total.mislabelled += mislabelled;
            total.unlabelled += site.unlabelled;
            total.failed += site.failed;
            total.assets += site.assets;
            let active = site.rules.rules.iter().filter(|rule| rule.is_active());
            // What was seen of the rules of a site left as it was, was seen before.
            for rule in active.filter(|_| !site.revision.is_untouched) {
                *(if rule.action.is_skip() { &mut total.skipped } else { &mut total.saved }) += saved(rule);
            }
        }
        total
    }

    /// Rows that something is wrong with, and what.
    pub(crate) fn left_out(&self) -> [(u64, &'static str); 5] {
        [
            (self.mislabelled, "or so with a wrong label, for which rules are not blamed"),
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

/// The rule file of what was learned, with earlier sites that were not; sites without rules are left out.
pub(crate) fn rule_set(
    sites: impl Iterator<Item = SiteRules>,
    method: &str,
    config: &Config,
    total: &Total,
) -> RuleSet {
    let earlier = config.earlier.as_deref();
    let sites = with_unseen(sites, earlier);
    let learned = rules::Learned {
        method: method.to_owned(),
        max_fpr: config.max_fpr,
        seed: config.seed,
        urls: total.urls,
        clusters: total.clusters,
    };
    let normalize = earlier.is_none_or(|earlier| earlier.normalize);
    RuleSet { normalize, site_by: config.site_by, learned: Some(learned), sites, model: None }
}

/// Rules shown of each kind; the file has them all.
const MOST_RULES: usize = 25;

/// The tables a person looks at before using the rules.
pub(super) fn show(rules: &RuleSet, total: &Total) -> Result<()> {
    let mut out = output::stdout();
    let (mut skips, changes): (Vec<&Rule>, Vec<&Rule>) =
        rules.rules().map(|(_, rule)| rule).partition(|rule| rule.action.is_skip());
    let (likely, mut judged): (Vec<&Rule>, Vec<&Rule>) =
        changes.into_iter().partition(|rule| rule.is_likely());
    for judged in [&mut judged, &mut skips] {
        judged.sort_by_key(|rule| std::cmp::Reverse(saved(rule)));
    }
    for (kind, rules) in [(JUDGED, judged), (LIKELY, likely), (SKIPS, skips)] {
        kind.write(&mut out, &rules)?;
    }
    write_total(&mut out, rules.rules().count() as u64, total)
}

/// How rules of one kind are shown.
struct Kind {
    columns: &'static [&'static str],
    /// How many of the columns are text; the others are numbers.
    texts: usize,
    row: fn(&Rule) -> Vec<String>,
    legend: &'static str,
}

impl Kind {
    fn write(&self, out: &mut impl Write, rules: &[&Rule]) -> Result<()> {
        if rules.is_empty() {
            return Ok(());
        }
        let mut table = ruled(self.columns);
        for rule in rules.iter().take(MOST_RULES) {
            table.add_row((self.row)(rule));
        }
        align_right(&mut table, self.texts..self.columns.len());
        writeln!(out, "{}\n", table.text())?;
        if rules.len() > MOST_RULES {
            writeln!(out, "… and {} more rules in the file", rules.len() - MOST_RULES)?;
        }
        Ok(writeln!(out, "{}", self.legend)?)
    }
}

fn write_total(out: &mut impl Write, rules: u64, total: &Total) -> Result<()> {
    let (urls, sites) = (counted(total.urls, "URL"), counted(total.sites, "site"));
    let pages =
        if total.clusters > 0 { format!(" of {}", counted(total.clusters, "page")) } else { String::new() };
    let (rules, proposed) = (counted(rules, "rule"), thousands(total.candidates));
    writeln!(out, "{urls}{pages} on {sites}: {rules} ({proposed} proposed)")?;
    for (what, spared) in [("saved", total.saved), ("skipped", total.skipped)] {
        if spared > 0 {
            let share = spared as f64 / total.urls as f64;
            writeln!(out, "URLs {what}: {} ({})", thousands(spared), percent(share))?;
        }
    }
    for (rows, why) in total.left_out() {
        if rows > 0 {
            writeln!(out, "{} {why}", counted(rows, "row"))?;
        }
    }
    Ok(())
}

const JUDGED: Kind = Kind {
    columns: &["rule", "class", "saved", "wrong", "at most"],
    texts: 2,
    row: |rule| [said_by(rule), evidence_of(rule)].concat(),
    legend: "\
saved:    URLs that need no fetch
wrong:    those with another page, of the held-out URLs so saved
at most:  the share of wrong ones that this leaves possible (95 % confidence);
          --max-fpr limits it for the rules of a site together, not for each
",
};

const LIKELY: Kind = Kind {
    columns: &["likely rule", "class", "pairs"],
    texts: 2,
    row: likely_row,
    legend: "\
pairs:    URLs seen in both forms, alike in all that is known of them
",
};

const SKIPS: Kind = Kind {
    columns: &["skip", "skipped", "lost", "at most"],
    texts: 1,
    row: |rule| [vec![rule.action.sides().0], evidence_of(rule)].concat(),
    legend: "\
skipped:  URLs that need no fetch, since their pages have other URLs
lost:     those without another URL, of the held-out pages so skipped
at most:  the share of lost ones that this leaves possible (95 % confidence)
",
};

/// What a rule saves, what of that is wrong, and how much of it may be.
fn evidence_of(rule: &Rule) -> Vec<String> {
    let evidence = rule.evidence.clone().unwrap_or_default();
    let wrong = format!("{}/{}", evidence.false_positives, thousands(evidence.trials));
    vec![thousands(evidence.saved), wrong, percent_at_most(evidence.bound)]
}

fn likely_row(rule: &Rule) -> Vec<String> {
    let support = rule.evidence.as_ref().map_or(0, |evidence| evidence.support);
    [said_by(rule), vec![thousands(support)]].concat()
}

/// What a rule says, and its class.
fn said_by(rule: &Rule) -> Vec<String> {
    let (from, to) = rule.action.sides();
    vec![format!("{from}\n→ {to}"), classify(&rule.action).map_or("", Class3::name).to_owned()]
}

#[cfg(test)]
mod tests {
    use undust::rules::{Action, Evidence};

    use super::*;

    fn rule(action: Result<Action, rules::SyntaxError>, saved: u64) -> Rule {
        let evidence =
            Evidence { saved, trials: 40, false_positives: 1, bound: 0.113, ..Evidence::default() };
        Rule { evidence: Some(evidence), ..Rule::new(action.expect("well formed")) }
    }

    #[test]
    fn skips_have_figures_of_their_own() {
        let skip = rule(Action::skip("http://a.com/?p={p}"), 1200);
        let change = rule(Action::rewrite("http://a.com/?s=*", "http://a.com/"), 34);
        let mut out = Vec::new();
        SKIPS.write(&mut out, &[&skip]).expect("memory holds it");
        let site = SiteRules { site: "a.com".to_owned(), rules: vec![skip, change] };
        let total = Total::of(&[Learned { rules: site, urls: 5000, ..Learned::default() }]);
        write_total(&mut out, 2, &total).expect("memory holds it");
        let shown = String::from_utf8(out).expect("text");
        let expected = "\
skip                 skipped  lost  at most
────────────────────────────────────────────
http://a.com/?p={p}    1,200  1/40   11.3 %

skipped:  URLs that need no fetch, since their pages have other URLs
lost:     those without another URL, of the held-out pages so skipped
at most:  the share of lost ones that this leaves possible (95 % confidence)

5,000 URLs on 1 site: 2 rules (0 proposed)
URLs saved: 34 (0.7 %)
URLs skipped: 1,200 (24.0 %)
";
        assert_eq!(shown, expected);
    }
}
