//! What is kept for the report while sites are learned side by side: numbers of every site, and more of those that save most.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use undust::page::Page;
use undust_learn::LearnedSite;
use undust_learn::pipeline::{Config, Contribution};
use undust_learn::survey::{Fetches, Survey, Surveyor};

/// Sites shown in full, at most; a crawl may have ten thousand.
pub(super) const MAX_SITES_SHOWN: usize = 50;

/// Watches sites being learned.
pub(crate) struct Collector {
    is_wanted: bool,
    config: Config,
    state: Mutex<Collected>,
}

/// What was collected.
#[derive(Default)]
pub(super) struct Collected {
    /// Every site, those that save most first.
    pub(super) lines: Vec<SiteLine>,
    /// The first of them.
    pub(super) details: Vec<(SiteLine, Survey)>,
    /// By name.
    pub(super) learners: BTreeMap<String, Contribution>,
}

/// A site in numbers.
#[derive(Clone, Debug, Default)]
pub(super) struct SiteLine {
    pub(super) site: String,
    pub(super) urls: u64,
    pub(super) pages: u64,
    pub(super) rules: u64,
    /// What becomes of its URLs, where it has labels.
    pub(super) fetches: Fetches,
    /// Its URLs where it has none: all are fetched.
    pub(super) unlabelled: u64,
    pub(super) wrong: u64,
    pub(super) lost: u64,
}

impl SiteLine {
    fn new(learned: &LearnedSite, survey: &Survey) -> SiteLine {
        SiteLine {
            site: learned.rules.site.clone(),
            urls: learned.urls,
            pages: learned.clusters,
            rules: learned.rules.rules.iter().filter(|rule| !rule.is_refused()).count() as u64,
            fetches: survey.fetches,
            unlabelled: if survey.labelled { 0 } else { learned.urls },
            wrong: survey.conflicts.wrong,
            lost: survey.conflicts.lost,
        }
    }

    /// URLs that need no fetch.
    pub(super) fn saved(&self) -> u64 {
        self.fetches.spared()
    }

    /// The other ones.
    pub(super) fn fetched(&self) -> u64 {
        self.fetches.fetched() + self.unlabelled
    }

    /// Where a site stands in the report.
    fn rank(&self) -> (Reverse<u64>, Reverse<u64>, &str) {
        (Reverse(self.saved()), Reverse(self.urls), &self.site)
    }
}

impl Collector {
    /// A collector for sites that are learned like this; one that is not wanted does nothing.
    pub(crate) fn new(is_wanted: bool, config: &Config) -> Collector {
        Collector { is_wanted, config: config.clone(), state: Mutex::default() }
    }

    /// Look at a site before it is learned.
    pub(crate) fn look(&self, site: &str, pages: &[Page]) -> Option<Surveyor> {
        self.is_wanted.then(|| Surveyor::new(site, pages, !self.config.likely))
    }

    /// Look at it again, now that it has rules.
    pub(crate) fn keep(&self, surveyor: Option<Surveyor>, learned: &LearnedSite) {
        let Some(surveyor) = surveyor else { return };
        let survey = surveyor.survey(&learned.rules, self.config.site_by);
        let line = SiteLine::new(learned, &survey);
        // A site that failed takes the run with it; what the others left here is whole.
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.lines.push(line.clone());
        state.details.push((line, survey));
        if state.details.len() >= 2 * MAX_SITES_SHOWN {
            state.forget_small_sites();
        }
        for theirs in &learned.learners {
            state.learners.entry(theirs.learner.clone()).or_default().add(theirs);
        }
    }

    /// All that was collected, in an order that does not depend on which site was ready first.
    pub(super) fn into_collected(self) -> Collected {
        let mut state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        state.lines.sort_by(|a, b| a.rank().cmp(&b.rank()));
        state.forget_small_sites();
        state
    }
}

impl Collected {
    fn forget_small_sites(&mut self) {
        self.details.sort_by(|(a, _), (b, _)| a.rank().cmp(&b.rank()));
        self.details.truncate(MAX_SITES_SHOWN);
    }

    /// The sum over all sites.
    pub(super) fn sum(&self, of: fn(&SiteLine) -> u64) -> u64 {
        self.lines.iter().map(of).sum()
    }
}
