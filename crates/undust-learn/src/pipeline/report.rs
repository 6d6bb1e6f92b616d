//! The report on what was learned, all sites together.

use std::collections::BTreeMap;

use serde::Serialize;
use undust::rules::Rule;

use super::{Contribution, LearnedSite};

/// Counts over all sites that were learned from.
#[derive(Clone, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct LearnReport {
    /// Sites.
    pub sites: u64,
    /// Distinct URLs.
    pub urls: u64,
    /// Duplicate clusters: pages, as far as labels tell.
    pub clusters: u64,
    /// Distinct rules proposed.
    pub candidates: u64,
    /// URLs with two different labels.
    pub contradictions: u64,
    /// Estimated number of URLs with the label of another page.
    pub mislabelled: u64,
    /// Pages without a label, where labels were needed.
    pub unlabelled: u64,
    /// Rows of failed requests that were left out.
    pub failed: u64,
    /// Rows of images, styles and scripts that were left out.
    pub assets: u64,
    /// URLs that rules make equal to others.
    pub saved: u64,
    /// URLs that rules skip.
    pub skipped: u64,
    /// Sites of which a sample was learned from.
    #[serde(skip)]
    pub sampled_sites: u64,
    /// What each learner proposed, and what of that was kept.
    #[serde(skip)]
    pub learners: Vec<Contribution>,
    /// The names of the sites.
    #[serde(skip)]
    pub site_names: Vec<String>,
    /// The names of sites whose earlier rules were left as they were.
    #[serde(skip)]
    pub untouched: Vec<String>,
    /// Why nothing was learned, with the number of sites.
    #[serde(skip)]
    pub nothing: BTreeMap<String, u64>,
    /// Earlier rules that were refuted.
    #[serde(skip)]
    pub refuted: Vec<Rule>,
    /// Candidates left out, since a rejected or refuted rule does the same.
    #[serde(skip)]
    pub left_out: u64,
}

impl LearnReport {
    pub(super) fn new(sites: &[LearnedSite]) -> LearnReport {
        let mut report = LearnReport { sites: sites.len() as u64, ..LearnReport::default() };
        for site in sites {
            report.add(site);
        }
        report
    }

    fn add(&mut self, site: &LearnedSite) {
        self.urls += site.urls;
        self.clusters += site.clusters;
        self.candidates += site.candidates;
        self.contradictions += site.contradictions;
        self.mislabelled += site.mislabelled();
        self.unlabelled += site.unlabelled;
        self.failed += site.failed;
        self.assets += site.assets;
        self.saved += site.saved();
        self.skipped += site.skipped();
        self.sampled_sites += u64::from(site.is_sample);
        self.site_names.push(site.rules.site.clone());
        if site.revision.is_untouched {
            self.untouched.push(site.rules.site.clone());
        }
        if let Some(why) = &site.nothing {
            *self.nothing.entry(why.clone()).or_default() += 1;
        }
        self.refuted.extend(site.revision.refuted.iter().cloned());
        self.left_out += site.revision.left_out;
        for part in &site.learners {
            match self.learners.iter_mut().find(|known| known.learner == part.learner) {
                Some(known) => known.add(part),
                None => self.learners.push(part.clone()),
            }
        }
    }
}
