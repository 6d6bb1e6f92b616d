//! Trying rules out on pages fetched now: sites side by side, the rule that may save most first.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use anyhow::Result;
use indicatif::ProgressBar;
use undust::rules::{EVERY_SITE, Rule, TriedBy, Validation};
use undust_fetch::{Comparer, Comparison, Stop};
use undust_learn::listing::Listing;
use undust_learn::validate::{
    Judged, Judgement, Plan, RuleQueue, Trial, Trying, leave_out_unfit, so_far, trials,
};

use super::hosts::{Hosts, Met, host_of};
use super::report::Tried;
use super::{RuleFile, SitePages};
use crate::messages::{counted, say};
use crate::progress;

/// Try out the open rules of these sites, with at most `budget` requests.
pub(super) fn by_fetching(
    file: &RuleFile,
    pages: Vec<SitePages>,
    trying: &Trying,
    (comparer, budget): (&Comparer, u64),
) -> Result<Vec<Tried>> {
    let mut sites: Vec<Site> = pages.into_iter().map(|pages| Site::new(file, pages, budget)).collect();
    let mut hosts = Hosts::default();
    sites.iter().flat_map(Site::changed_urls).for_each(|url| hosts.add(url));
    let met = hosts.meet(comparer, budget)?;
    for site in &mut sites {
        site.leave_out(&met, file, budget);
    }
    if hosts.len() > 0 {
        say(&estimate(&sites, hosts.len() - met.unreachable.len(), met.pause, budget));
    }
    let bar = progress::counted("rules", sites.iter().map(|site| site.plan.rules).sum());
    let work = Work { file, trying, comparer, bar: &bar };
    let tried = work.side_by_side(sites);
    bar.finish_and_clear();
    Ok(tried)
}

/// A site whose rules are tried out.
struct Site {
    number: usize,
    urls: Listing,
    plan: Plan,
    queue: RuleQueue,
    judged: Judged,
    tried: Tried,
}

impl Site {
    fn new(file: &RuleFile, (number, pages): SitePages, budget: u64) -> Site {
        let (site, rules) = file.rules_of(number);
        let urls = Listing::new(&pages, false);
        let plan = Plan::new(&rules, &site, file.site_by, &urls, budget);
        let (judged, tried) = (Judged::of(&rules, TriedBy::Fetching), Tried::new(&site, &rules));
        let queue = RuleQueue::by_savings(rules, &plan.changed);
        Site { number, urls, plan, queue, judged, tried }
    }

    fn changed_urls(&self) -> impl Iterator<Item = &[u8]> {
        self.plan.rows.iter().map(|&row| self.urls.url(row))
    }

    /// Leave out the URLs of hosts that cannot be reached; nothing is tried where none is left.
    fn leave_out(&mut self, met: &Met, file: &RuleFile, budget: u64) {
        let why = self.changed_urls().find_map(|url| met.unreachable.get(&host_of(url))).cloned();
        let Some(why) = why else { return };
        self.urls.retain(|url| !met.unreachable.contains_key(&host_of(url)));
        self.plan = Plan::new(&self.queue.rules, &self.tried.site, file.site_by, &self.urls, budget);
        if self.plan.rows.is_empty() {
            self.tried.stopped = Some(why);
            self.queue.validated.stopped = true;
        }
    }
}

/// What is said before it starts: how many rules, at most how many requests, about how long.
fn estimate(sites: &[Site], hosts: usize, pause: Duration, budget: u64) -> String {
    let waiting = || sites.iter().filter(|site| site.queue.priority().is_some());
    let rules: u64 = waiting().map(|site| site.plan.rules).sum();
    let pages: u64 = waiting().map(|site| site.plan.pages).sum();
    let side_by_side = waiting().count().min(rayon::current_num_threads()).max(1) as f64;
    let time = about(pages.min(budget) as f64 * pause.as_secs_f64() / side_by_side);
    let most = if pages < budget {
        format!("at most {} of the budget of {}", counted(pages, "page"), counted(budget, "request"))
    } else {
        format!("at most {} (--budget)", counted(budget, "request"))
    };
    format!("{} to try out on {}: {most}, {time}", counted(rules, "rule"), counted(hosts as u64, "host"))
}

/// A number of seconds in words.
fn about(seconds: f64) -> String {
    let (count, unit) = match seconds {
        s if s < 1.0 => return "less than a second".to_owned(),
        s if s < 100.0 => (s, "second"),
        s if s < 6000.0 => (s / 60.0, "minute"),
        s => (s / 3600.0, "hour"),
    };
    #[expect(clippy::cast_sign_loss, reason = "at least a second")]
    let count = count.round() as u64;
    format!("about {}", counted(count, unit))
}

struct Work<'a> {
    file: &'a RuleFile<'a>,
    trying: &'a Trying,
    comparer: &'a Comparer,
    bar: &'a ProgressBar,
}

impl Work<'_> {
    /// Every thread takes the site whose next rule may save most, tries that rule, and puts the site back.
    fn side_by_side(&self, sites: Vec<Site>) -> Vec<Tried> {
        let (waiting, done) = (Mutex::new(sites), Mutex::new(Vec::new()));
        rayon::broadcast(|_| {
            while let Some(mut site) = take_first(&waiting) {
                if self.try_next(&mut site) {
                    lock(&waiting).push(site);
                } else {
                    lock(&done).push((site.number, self.finish(site)));
                }
            }
        });
        let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
        done.sort_by_key(|(number, _)| *number);
        done.into_iter().map(|(_, tried)| tried).collect()
    }

    /// Whether there was a rule to try.
    fn try_next(&self, site: &mut Site) -> bool {
        let Site { number, urls, queue, judged, tried, .. } = site;
        let before = queue.len();
        let was_tried = queue.step(|rule| self.rule(rule, urls, judged, tried));
        if was_tried {
            self.file.replace(*number, &queue.rules);
            self.file.save();
        }
        self.bar.inc(before.saturating_sub(queue.len()) as u64);
        was_tried
    }

    fn finish(&self, site: Site) -> Tried {
        let Site { number, mut tried, queue: RuleQueue { mut rules, validated, .. }, .. } = site;
        tried.left_out = validated.redundant;
        if !validated.stopped {
            tried.left_out += leave_out_unfit(&mut rules, &tried.site, self.file.site_by);
        }
        // Also when nothing but redundant rules was met.
        self.file.replace(number, &rules);
        tried.rules = rules;
        tried
    }

    fn rule(
        &self,
        rule: &Rule,
        urls: &Listing,
        judged: &mut Judged,
        tried: &mut Tried,
    ) -> (Validation, bool) {
        let site = tried.site.clone();
        let trials = trials(rule, &site, self.file.site_by, urls.urls());
        let judge = |trial: &Trial| judged.get(trial, |trial| self.judge(trial, rule, tried));
        self.trying.try_out(so_far(rule), TriedBy::Fetching, trials, judge)
    }

    fn judge(&self, trial: &Trial, rule: &Rule, tried: &mut Tried) -> Judgement {
        if self.file.has_failed() {
            return Judgement::Stop;
        }
        let comparison = self.comparer.compare(&trial.url, &trial.with);
        self.bar.set_message(counted(self.comparer.requests(), "request"));
        match comparison {
            Comparison::Same => Judgement::Same,
            Comparison::Other => Judgement::Other("another page".to_owned()),
            Comparison::Missing(why) => Judgement::Missing(why),
            Comparison::Unknown(why) => tried.unknown(rule, why),
            // One host that is down says nothing of the others.
            Comparison::Stopped(Stop::Host(why)) if tried.site == EVERY_SITE => tried.unknown(rule, why),
            Comparison::Stopped(stop) => {
                tried.spent |= matches!(stop, Stop::Budget(_));
                tried.stopped = Some(stop.to_string());
                Judgement::Stop
            }
        }
    }
}

/// The site whose next rule has the highest priority, the first of them; those without one come last.
fn take_first(sites: &Mutex<Vec<Site>>) -> Option<Site> {
    let mut sites = lock(sites);
    let key = |site: &Site| (site.queue.priority(), std::cmp::Reverse(site.number));
    let (at, _) = sites.iter().enumerate().max_by_key(|(_, site)| key(site))?;
    Some(sites.swap_remove(at))
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::about;

    #[test]
    fn times_as_people_say_them() {
        let said = [0.0, 1.0, 99.4, 1000.0, 7200.0].map(about);
        let expected =
            ["less than a second", "about 1 second", "about 99 seconds", "about 17 minutes", "about 2 hours"];
        assert_eq!(said, expected);
    }
}
