//! Trying rules out on pages fetched now: sites side by side, the rules of a site one after the other.

use indicatif::ProgressBar;
use rayon::prelude::*;
use undust::rules::{EVERY_SITE, Rule, TriedBy, Validation};
use undust_fetch::{Comparer, Comparison, Stop};
use undust_learn::listing::Listing;
use undust_learn::validate::{
    Judgement, Trial, Trying, is_open, leave_out_unfit, so_far, trials, validate_rules,
};

use super::report::Tried;
use super::{RuleFile, SitePages};
use crate::progress;
use crate::talk::counted;

/// Try out the open rules of these sites.
pub(super) fn by_fetching(
    file: &RuleFile,
    pages: Vec<SitePages>,
    trying: &Trying,
    comparer: &Comparer,
) -> Vec<Tried> {
    let open = |(site, _): &SitePages| file.rules_of(*site).1.iter().filter(|rule| is_open(rule)).count();
    let bar = progress::rules(pages.iter().map(open).sum::<usize>() as u64);
    let work = Work { file, trying, comparer, bar: &bar };
    let tried = pages.into_par_iter().map(|(number, pages)| {
        let urls = Listing::new(&pages, false);
        drop(pages);
        work.site(number, &urls)
    });
    let tried = tried.collect();
    bar.finish_and_clear();
    tried
}

struct Work<'a> {
    file: &'a RuleFile<'a>,
    trying: &'a Trying,
    comparer: &'a Comparer,
    bar: &'a ProgressBar,
}

impl Work<'_> {
    fn site(&self, number: usize, urls: &Listing) -> Tried {
        let (site, mut rules) = self.file.rules_of(number);
        let mut tried = Tried::new(&site, &rules);
        let try_out = |rule: &Rule| self.rule(rule, urls, &mut tried);
        let after_each = |rules: &[Rule]| {
            self.file.replace(number, rules);
            self.file.save();
            self.bar.inc(1);
        };
        let validated = validate_rules(&mut rules, try_out, after_each);
        tried.left_out = validated.redundant;
        if !validated.stopped {
            tried.left_out += leave_out_unfit(&mut rules, &site, self.file.site_by);
        }
        // Also when nothing but redundant rules was met.
        self.file.replace(number, &rules);
        tried.rules = rules;
        tried
    }

    fn rule(&self, rule: &Rule, urls: &Listing, tried: &mut Tried) -> (Validation, bool) {
        let site = tried.site.clone();
        let trials = trials(rule, &site, self.file.site_by, urls.urls());
        let judge = |trial: &Trial| self.judge(trial, rule, tried);
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
                tried.stopped = Some(stop.to_string());
                Judgement::Stop
            }
        }
    }
}
