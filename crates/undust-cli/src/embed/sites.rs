//! One site at a time, for engines that bring the pages of a site together themselves.

use std::sync::Arc;

use anyhow::{Context, Result};
use undust::apply::Form;
use undust::page::Page;
use undust::rules::{RuleSet, SiteRules};
use undust::url::SiteBy;
use undust_content::{read_body, simhash};
pub use undust_learn::evaluate::SiteScore;
use undust_learn::pipeline::Learned;
use undust_learn::progress::unwatched;
use undust_neural::Engine;
use undust_neural::file::{Models, from_bytes, to_bytes};
use xxhash_rust::xxh3::xxh3_64;

use super::{Deployed, parse};
use crate::args::Learn;
use crate::commands::eval::Walk;
pub use crate::commands::learn::{Sample, prepare};
use crate::commands::learn::{Teacher, Total, rule_set};

/// The learner that options ask for.
pub struct SiteLearner {
    teacher: Teacher,
    max_urls: usize,
}

/// What was learned from a site, in a form that can travel.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SiteLesson {
    /// A rule file of this site alone, if it has rules.
    pub rules: Option<String>,
    /// The file of its model, if it has one.
    pub model: Option<Vec<u8>>,
    /// How many rules there are.
    pub count: u64,
    /// Distinct URLs that were learned from.
    pub urls: u64,
    /// Their pages.
    pub clusters: u64,
    /// URLs that rules make equal to others, or skip.
    pub saved: u64,
}

impl SiteLearner {
    /// With the options of `undust learn`.
    ///
    /// # Errors
    ///
    /// [`BadOption`](super::BadOption).
    pub fn new(options: &[String]) -> Result<SiteLearner> {
        let args: Learn = parse(options)?;
        Ok(SiteLearner { teacher: Teacher::new(&args, None), max_urls: args.max_urls })
    }

    /// What a site is.
    pub fn site_by(&self) -> SiteBy {
        self.teacher.config.site_by
    }

    /// A place for the pages of a site, of which at most so many bytes are held.
    pub fn sample(&self, max_bytes: u64) -> Sample {
        Sample::new(self.max_urls, max_bytes)
    }

    /// Learn from the pages of a site.
    pub fn learn(&self, site: &str, pages: Vec<Page>) -> SiteLesson {
        let lesson = self.teacher.lesson(site, self.teacher.labelled(site, pages), &unwatched);
        let model = lesson.model.map(|model| to_bytes(&Models::from([(site.to_owned(), model)])));
        let total = Total::of(std::slice::from_ref(&lesson.learned));
        let Learned { rules: SiteRules { site, rules }, urls, clusters, .. } = lesson.learned;
        let (count, saved) = (rules.len() as u64, total.saved + total.skipped);
        let file = || RuleSet::of_site(&site, self.site_by(), rules).to_json();
        SiteLesson { rules: (count > 0).then(file), model, count, urls, clusters, saved }
    }

    /// The rule file of sites with rules or models, which may come in any order; what was learned from, on all sites, are so many URLs and clusters. It is the same, byte for byte,
    /// as if all had been learned together.
    ///
    /// # Errors
    ///
    /// If a lesson is none of ours.
    pub fn gather(
        &self,
        lessons: impl IntoIterator<Item = SiteLesson>,
        urls: u64,
        clusters: u64,
    ) -> Result<Deployed> {
        let (mut sites, mut models) = (Vec::new(), Models::new());
        for SiteLesson { rules, model, .. } in lessons {
            if let Some(file) = rules {
                sites.extend(RuleSet::from_json(&file).context("the rules of a site")?.sites);
            }
            if let Some(bytes) = model {
                models.extend(from_bytes(&bytes).context("the model of a site")?);
            }
        }
        sites.sort_by(|a, b| a.site.cmp(&b.site));
        let total = Total { urls, clusters, ..Total::default() };
        let rules = rule_set(sites.into_iter(), self.teacher.name(), &self.teacher.config, &total);
        Ok(Deployed { rules, models })
    }
}

/// Scores rules on labelled pages, site by site.
pub struct Scorer {
    walk: Walk<Arc<RuleSet>, Arc<Engine>>,
}

impl Scorer {
    /// Of these rules, in key form.
    pub fn new(deployed: &Deployed) -> Scorer {
        let engine = Engine::new(&deployed.rules, deployed.models.clone(), Form::Key);
        Scorer { walk: Walk::new(Arc::new(deployed.rules.clone()), Arc::new(engine)) }
    }

    /// One more page; it counts if it has a label.
    pub fn add(&mut self, page: &Page) {
        self.walk.add(page);
    }

    /// The scores of each site so far, as `undust eval --json` prints them; others may follow.
    pub fn finish(&mut self) -> Vec<SiteScore> {
        self.walk.finish().sites
    }
}

/// A number for what is known of a page's content: pages with nearly the same text have numbers that differ in few bits. That of a digest differs from all others, unless it
/// is the same; none where nothing is known, or the page is empty.
pub fn fingerprint(mut page: Page) -> Option<u64> {
    read_body(&mut page);
    let of_text = || page.text.as_deref().map(simhash);
    let of_digest = || page.digest.as_deref().map(|digest| xxh3_64(digest.as_bytes()));
    page.simhash.or_else(of_text).or_else(of_digest).filter(|print| *print != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pages() -> impl DoubleEndedIterator<Item = Page> {
        let page = |i: u32| Page {
            cluster: Some(format!("c{}", i / 2)),
            ..Page::new(format!("http://a.org/t?id={}&sid={}", i / 2, i % 2))
        };
        (0..2000).map(page)
    }

    #[test]
    fn sites_are_gathered_as_if_learned_together() {
        let learner = SiteLearner::new(&[]).unwrap();
        let other = |page: Page| {
            let url = String::from_utf8(page.url).unwrap().replace("a.org", "b.org");
            Page { url: url.into_bytes(), ..page }
        };
        let a = learner.learn("a.org", pages().collect());
        let b = learner.learn("b.org", pages().map(other).collect());
        let c = learner.learn("c.org", vec![Page::new("http://c.org/")]);
        assert!(a.count > 0 && a.saved == 1000 && c.rules.is_none());
        let urls = a.urls + b.urls + c.urls;
        let together = learner.gather([b.clone(), c.clone(), a.clone()], urls, 2001).unwrap().rules;
        assert_eq!(together.to_json(), learner.gather([a, b], urls, 2001).unwrap().rules.to_json());
        assert_eq!(together.sites.len(), 2);
        assert_eq!(together.learned.unwrap().urls, 4001);
    }
}
