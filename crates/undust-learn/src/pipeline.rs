//! The one way to learn: pages in, a [`RuleSet`] with its report out.
//!
//! For each site: sample, cluster pages with content, let learners propose, choose on held-out pages, add skips, train a model if the method does. [`Pipeline::learn`] does
//! it for pages in memory; callers that bring the pages of a site together themselves (the command line from disk, Spark) call [`Pipeline::learn_site`] side by side and
//! [`Pipeline::gather`] the results.

mod report;
mod site;

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;
use undust::page::Page;
use undust::rules::{self, RuleSet, SiteRules};
use undust::url::{SiteBy, site_of};
use undust_content::cluster::{self, cluster};
use undust_content::read_body;

use crate::again::with_unseen;
use crate::learn::Learner;
use crate::page_sample::{PageSample, sample_pages};
use crate::progress::Stage;
use crate::registry::LearnerInfo;
use crate::site::Site;
pub use report::LearnReport;
pub use site::{
    Config, Contribution, LearnedSite, MAX_FPR, MAX_LIKELY_RULES, MIN_TRIALS, learn_labelled, learn_site,
    learn_site_watched,
};

/// Learns rules; made by [`LearnOptions`](crate::LearnOptions).
pub struct Pipeline {
    pub(crate) method: &'static LearnerInfo,
    pub(crate) learner: Box<dyn Learner>,
    pub(crate) trainer: Option<Box<dyn ModelTrainer>>,
    pub(crate) config: Config,
    pub(crate) clustering: cluster::Options,
    pub(crate) max_urls: usize,
}

impl std::fmt::Debug for Pipeline {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pipeline")
            .field("method", &self.method.name)
            .field("config", &self.config)
            .finish_non_exhaustive()
    }
}

/// Trains a model of what the rules of a site do not say. Implemented outside of this crate, by `undust-neural`.
pub trait ModelTrainer: Send + Sync {
    /// The least number of labelled URLs of a site; of smaller ones nothing is learned.
    fn min_urls(&self) -> usize;

    /// The file of the site's model, if there is anything beyond these rules.
    fn train(&self, site: &Site, rules: &SiteRules, config: &Config) -> Option<Vec<u8>>;

    /// Where it trains, if a person should know.
    fn note(&self) -> Option<String> {
        None
    }
}

/// Is told how far the learning of a site has come. What is learned does not depend on it.
pub trait Observer: Sync {
    /// A stage begins.
    fn stage(&self, _stage: Stage) {}

    /// The pages that rules are learned from: sampled, and clustered where they had no labels.
    fn pages(&self, _site: &str, _pages: &[Page]) {}

    /// The site is done.
    fn learned(&self, _site: &LearnedSite) {}
}

/// An observer that does nothing.
impl Observer for () {}

/// Rules, and the report on them.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Learned {
    /// The rules of all sites that have some.
    pub rules: RuleSet,
    /// The file of each site's model, where one was trained.
    pub models: BTreeMap<String, Vec<u8>>,
    /// Counts and warnings.
    pub report: LearnReport,
}

impl Learned {
    /// The rules of the sites learned from, without those that were refused.
    pub fn seen_rules(&self) -> RuleSet {
        let names: BTreeSet<&String> = self.report.site_names.iter().collect();
        let mut seen = self.rules.clone();
        seen.sites.retain(|site| names.contains(&site.site));
        seen.sites.iter_mut().for_each(|site| site.rules.retain(|rule| !rule.is_refused()));
        seen.sites.retain(|site| !site.rules.is_empty());
        seen
    }
}

impl Pipeline {
    /// The name of the method.
    pub fn method(&self) -> &'static str {
        self.method.name
    }

    /// The learner behind the method.
    pub fn info(&self) -> &'static LearnerInfo {
        self.method
    }

    /// How rules are judged.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// How hosts are grouped into sites.
    pub fn site_by(&self) -> SiteBy {
        self.config.site_by
    }

    /// How pages with content are clustered.
    pub fn clustering(&self) -> &cluster::Options {
        &self.clustering
    }

    /// The most URLs of a site that are learned from.
    pub fn max_urls(&self) -> usize {
        self.max_urls
    }

    /// Where a model is trained, if a person should know.
    pub fn note(&self) -> Option<String> {
        self.trainer.as_ref()?.note()
    }

    /// Learns the rules of all sites that the pages are of, side by side on the threads of the caller.
    pub fn learn(&self, pages: impl IntoIterator<Item = Page>) -> Learned {
        let mut sites: BTreeMap<String, Vec<Page>> = BTreeMap::new();
        for mut page in pages {
            Pipeline::prepare(&mut page);
            sites.entry(site_of(&page.url, self.site_by())).or_default().push(page);
        }
        self.gather(self.learn_sites(sites.into_iter().collect(), |_| ()))
    }

    /// Learns the rules of some sites side by side, in any order; `observer` makes one for each site. URLs without a host have no site, and are left out.
    pub fn learn_sites<O: Observer>(
        &self,
        mut sites: Vec<(String, Vec<Page>)>,
        observer: impl Fn(&str) -> O + Sync,
    ) -> Vec<LearnedSite> {
        sites.retain(|(site, _)| !site.is_empty());
        let learn = |(site, pages): (String, Vec<Page>)| {
            let observer = observer(&site);
            let learned = self.learn_site_observed(&site, pages, &observer);
            observer.learned(&learned);
            learned
        };
        sites.into_par_iter().map(learn).collect()
    }

    /// Learns the rules of one site from its pages.
    pub fn learn_site(&self, site: &str, pages: Vec<Page>) -> LearnedSite {
        self.learn_site_observed(site, pages, &())
    }

    /// The same, observed.
    pub fn learn_site_observed(&self, name: &str, pages: Vec<Page>, observer: &dyn Observer) -> LearnedSite {
        let (mut pages, is_sample) = sample_pages(self.max_urls, pages);
        if needs_clusters(&pages, &self.config) {
            observer.stage(Stage::Clustering);
            cluster(name, &mut pages, &self.clustering);
        }
        observer.pages(name, &pages);
        let learned = if let Some(trainer) = &self.trainer {
            self.learn_with_model(name, &pages, trainer.as_ref(), observer)
        } else {
            let watch = |stage| observer.stage(stage);
            learn_site_watched(name, pages, self.learner.as_ref(), &self.config, &watch)
        };
        LearnedSite { is_sample, ..learned }
    }

    /// Learns rules by labels, and trains a model of what they do not say.
    fn learn_with_model(
        &self,
        name: &str,
        pages: &[Page],
        trainer: &dyn ModelTrainer,
        observer: &dyn Observer,
    ) -> LearnedSite {
        let site = Site::new(name, pages, self.config.seed);
        if site.len() < trainer.min_urls() {
            let nothing = Some(format!("a model needs at least {} labelled URLs", trainer.min_urls()));
            return LearnedSite { nothing, ..LearnedSite::untouched(&site, &self.config) };
        }
        let watch = |stage| observer.stage(stage);
        let learned = learn_labelled(&site, self.learner.as_ref(), &self.config, &watch);
        observer.stage(Stage::Model);
        let model = trainer.train(&site, &learned.rules, &self.config);
        LearnedSite { model, ..learned }
    }

    /// The rules of all sites, which may come in any order, with the report on them. Sites without rules are left out; those of earlier rules that were not seen stay.
    pub fn gather(&self, sites: impl IntoIterator<Item = LearnedSite>) -> Learned {
        let mut sites: Vec<LearnedSite> = sites.into_iter().collect();
        sites.sort_by(|a, b| a.rules.site.cmp(&b.rules.site));
        let report = LearnReport::new(&sites);
        let models =
            sites.iter_mut().filter_map(|site| Some((site.rules.site.clone(), site.model.take()?))).collect();
        let rules = sites.into_iter().map(|site| site.rules);
        Learned { rules: self.rule_set(rules, report.urls, report.clusters), models, report }
    }

    /// The rule set of these sites, sorted by name; `urls` and `clusters` are what was learned from on all sites, those without rules included.
    pub fn rule_set(&self, sites: impl Iterator<Item = SiteRules>, urls: u64, clusters: u64) -> RuleSet {
        let Config { max_fpr, seed, site_by, .. } = self.config;
        let earlier = self.config.earlier.as_deref();
        let learned = rules::Learned { method: self.method().to_owned(), max_fpr, seed, urls, clusters };
        let normalize = earlier.is_none_or(|earlier| earlier.normalize);
        let sites = with_unseen(sites, earlier);
        RuleSet { normalize, site_by, learned: Some(learned), sites, model: None }
    }

    /// An empty sample of a site's pages, of at most `max_bytes`.
    pub fn page_sample(&self, max_bytes: u64) -> PageSample {
        PageSample::new(self.max_urls, max_bytes)
    }

    /// Reads the content of a page that has no label yet, and drops it from one that has: of a body only what clustering needs is kept.
    pub fn prepare(page: &mut Page) {
        if page.cluster.is_some() {
            (page.body, page.text, page.words) = (None, None, None);
        } else {
            read_body(page);
        }
    }
}

/// Whether the pages of a site must be clustered before rules can be learned.
fn needs_clusters(pages: &[Page], config: &Config) -> bool {
    let has_content = |page: &Page| page.text.is_some() || page.words.is_some() || page.simhash.is_some();
    !config.likely && pages.iter().all(|page| page.cluster.is_none()) && pages.iter().any(has_content)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LearnOptions;

    fn pages(host: &'static str) -> impl Iterator<Item = Page> {
        let page = move |i: u32| Page {
            cluster: Some(format!("c{}", i / 2)),
            ..Page::new(format!("http://{host}/t?id={}&sid={}", i / 2, i % 2))
        };
        (0..2000).map(page)
    }

    #[test]
    fn sites_are_gathered_as_if_learned_together() {
        let pipeline = LearnOptions::new().build().unwrap();
        let together = pipeline.learn(pages("b.org").chain(pages("a.org")).chain([Page::new("mailto:x")]));
        let alone = ["b.org", "a.org"].map(|site| pipeline.learn_site(site, pages(site).collect()));
        let gathered = pipeline.gather(alone);
        assert_eq!(together.rules.to_json(), gathered.rules.to_json());
        assert_eq!(together.rules.sites.len(), 2);
        let LearnReport { sites, urls, saved, .. } = together.report;
        assert_eq!((sites, urls, saved), (2, 4000, 2000));
        assert_eq!(together.rules.learned.unwrap().urls, 4000);
    }

    #[test]
    fn large_sites_are_sampled_and_counted() {
        let pipeline = LearnOptions::new().max_urls(1000).build().unwrap();
        let learned = pipeline.learn(pages("a.org"));
        assert_eq!(learned.report.sampled_sites, 1);
        assert!((400..=1000).contains(&learned.report.urls), "{}", learned.report.urls);
    }

    #[test]
    fn content_is_clustered_where_there_are_no_labels() {
        let text = |i: u32| (0..60).map(|word| format!("w{}x{word}", i / 2)).collect::<Vec<_>>().join(" ");
        let unlabelled =
            pages("a.org").zip(0..).map(|(page, i)| Page { cluster: None, text: Some(text(i)), ..page });
        let learned = LearnOptions::new().build().unwrap().learn(unlabelled);
        assert_eq!(learned.report.clusters, 1000);
        assert_eq!(learned.report.saved, 1000);
    }
}
