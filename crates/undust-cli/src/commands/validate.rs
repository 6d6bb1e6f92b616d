//! `undust validate`: try rules out, and write the verdicts into the rule file as they come.

mod fetching;
mod hosts;
mod report;

use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use anyhow::{Error, Result, bail};
use undust::page::Page;
use undust::rules::{EVERY_SITE, Rule, RuleSet};
use undust::url::{SiteBy, normalize};
use undust_fetch::Comparer;
use undust_io::read;
use undust_learn::validate::labels::LabelledPages;
use undust_learn::validate::{Test, Trying, is_open, leave_out_unfit};

use crate::args::Validate;
use crate::messages::{report_problems, say};
use crate::{Outcome, output, progress, rules_file};
use fetching::by_fetching;
use report::{Report, Tried};

pub(super) fn run(args: &Validate) -> Result<Outcome> {
    let output = output(args)?;
    let rules = rules_file::load(&args.rules)?;
    rules_file::warn(&args.rules, &rules);
    if rules.model.is_some() && output.parent() != args.rules.parent() {
        bail!("{} refers to a model in its folder: write the verdicts there, too", args.rules.display());
    }
    let comparer = if args.labelled.is_empty() { Some(comparer(args)?) } else { None };
    let open = open_sites(&rules);
    if open.is_empty() {
        say("every rule is decided: there is nothing to try out");
    }
    let pages = pages_by_site(args, &rules, &open)?;
    let file = RuleFile::new(output, rules);
    // Labels cost nothing: the whole sample is looked at.
    let usual = if comparer.is_some() { Test::Sequential } else { Test::Fixed };
    let trying = args.trying.trying(usual);
    let tried = match &comparer {
        Some(comparer) => {
            let fetching = (comparer, args.fetching.options().budget);
            args.reading.thread_pool()?.install(|| by_fetching(&file, pages, &trying, fetching))?
        }
        None => by_labels(&file, pages, &trying),
    };
    let rules = file.finish()?;
    let requests = comparer.as_ref().map(Comparer::requests);
    let skips = rules.rules().filter(|(_, rule)| rule.action.is_skip()).count() as u64;
    let report = Report::new(&tried, requests, skips);
    report.print(args.json)?;
    if tried.iter().any(|site| site.spent) {
        say(&format!("{}: the budget is spent, another run goes on", report.share_tried()));
    }
    if !args.json {
        say(&format!("rules written to {}", output.display()));
    }
    Ok(if rules.rules().all(|(_, rule)| report::is_fine(rule)) { Outcome::Fine } else { Outcome::Findings })
}

/// Where the rules go, if all is well with it.
fn output(args: &Validate) -> Result<&Path> {
    let output = args.output.as_deref().unwrap_or(&args.rules);
    if output::is_stdout(output) {
        bail!("the rules are saved whenever one is decided: name a file with -o");
    }
    if args.urls.iter().chain(&args.labelled).any(|input| input == output) {
        bail!("{} is an input: the rules would replace it", output.display());
    }
    output::check_writable(output)?;
    Ok(output)
}

fn comparer(args: &Validate) -> Result<Comparer> {
    Ok(Comparer::new(args.fetching.fetcher()?, args.comparing.options()))
}

/// The sites that have something to try out, by number.
fn open_sites(rules: &RuleSet) -> Vec<usize> {
    let is_open_site = |&site: &usize| rules.sites[site].rules.iter().any(is_open);
    (0..rules.sites.len()).filter(is_open_site).collect()
}

/// A site by its number, and its pages.
type SitePages = (usize, Vec<Page>);

/// The pages that open rules may speak of. Rules of every site see them all.
fn pages_by_site(args: &Validate, rules: &RuleSet, open: &[usize]) -> Result<Vec<SitePages>> {
    let mut pages: Vec<Option<Vec<Page>>> = vec![None; rules.sites.len()];
    for &site in open {
        pages[site] = Some(Vec::new());
    }
    let every = open.iter().copied().find(|&site| rules.sites[site].site == EVERY_SITE);
    let mut labelled = 0;
    let bar = progress::spinner("pages read");
    for input in args.urls.iter().chain(&args.labelled) {
        let summary = read(input, &args.reading.options(), &mut |page| {
            bar.inc(1);
            let page = needed_of(page);
            labelled += u64::from(page.label().is_some());
            for site in rules.site_of(&page.url).into_iter().chain(every) {
                pages[site].iter_mut().for_each(|pages| pages.push(page.clone()));
            }
        })?;
        report_problems(&summary);
    }
    bar.finish_and_clear();
    if !args.labelled.is_empty() && labelled == 0 {
        bail!("no labelled page to try rules on: the input needs a column 'cluster' or 'digest'");
    }
    Ok((0..).zip(pages).filter_map(|(site, pages)| Some((site, pages?))).collect())
}

/// A page without what is not needed here, which may be all of its text.
fn needed_of(page: Page) -> Page {
    let url = normalize(&page.url).into_owned();
    Page { url, cluster: page.cluster, digest: page.digest, status: page.status, ..Page::default() }
}

/// The rule file, written anew whenever a rule was tried, so that a run can be killed at any time.
struct RuleFile<'a> {
    path: &'a Path,
    site_by: SiteBy,
    state: Mutex<State>,
}

struct State {
    rules: RuleSet,
    /// What went wrong with writing.
    failed: Option<Error>,
}

impl RuleFile<'_> {
    fn new(path: &Path, rules: RuleSet) -> RuleFile<'_> {
        RuleFile { path, site_by: rules.site_by, state: Mutex::new(State { rules, failed: None }) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn rules_of(&self, site: usize) -> (String, Vec<Rule>) {
        let site = &self.state().rules.sites[site];
        (site.site.clone(), site.rules.clone())
    }

    fn replace(&self, site: usize, rules: &[Rule]) {
        rules.clone_into(&mut self.state().rules.sites[site].rules);
    }

    fn save(&self) {
        let mut state = self.state();
        if let Err(error) = rules_file::save(self.path, &state.rules) {
            state.failed = Some(error);
        }
    }

    /// Whether it could not be written: then there is no sense in going on.
    fn has_failed(&self) -> bool {
        self.state().failed.is_some()
    }

    fn finish(self) -> Result<RuleSet> {
        self.save();
        let State { rules, failed } = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        failed.map_or(Ok(rules), Err)
    }
}

/// Without a network.
fn by_labels(file: &RuleFile, pages: Vec<SitePages>, trying: &Trying) -> Vec<Tried> {
    let one = |(number, pages): SitePages| {
        let (site, mut rules) = file.rules_of(number);
        let mut tried = Tried::new(&site, &rules);
        let labelled = LabelledPages::new(&site, file.site_by, &pages);
        tried.left_out = labelled.validate(&mut rules, trying).redundant;
        tried.left_out += leave_out_unfit(&mut rules, &site, file.site_by);
        tried.rules = rules;
        file.replace(number, &tried.rules);
        tried
    };
    pages.into_iter().map(one).collect()
}
