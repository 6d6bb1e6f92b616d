//! One site at a time, for engines that bring the pages of a site together themselves.

use std::sync::Arc;

use anyhow::{Context, Result};
use undust::apply::Form;
use undust::page::Page;
use undust::rules::{RuleSet, SiteRules};
use undust::url::{SiteBy, site_of};
use undust_io::group::memory_of;
use undust_learn::evaluate::Report;
use undust_learn::pipeline::Learned;
use undust_neural::apply::Interpreter;
use undust_neural::file::{Models, from_bytes, to_bytes};
use xxhash_rust::xxh3::xxh3_64;

use super::{Deployed, parse};
use crate::args::Learn;
use crate::commands::eval::Walk;
use crate::commands::learn::{Teacher, Total, prepare, rule_set};

/// The learner that options ask for.
pub struct SiteLearner {
    teacher: Teacher,
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
        Ok(SiteLearner { teacher: Teacher::new(&parse::<Learn>(options)?) })
    }

    /// What a site is.
    pub fn site_by(&self) -> SiteBy {
        self.teacher.config.site_by
    }

    /// The site of a URL; empty where it has none.
    pub fn site_of(&self, url: &[u8]) -> String {
        site_of(url, self.site_by())
    }

    /// Learn from all pages of a site.
    pub fn learn(&self, site: &str, mut pages: Vec<Page>) -> SiteLesson {
        self.teacher.label(site, &mut pages);
        let lesson = self.teacher.lesson(site, pages);
        let model = lesson.model.map(|model| to_bytes(&Models::from([(site.to_owned(), model)])));
        let total = Total::of(std::slice::from_ref(&lesson.learned));
        let Learned { rules: SiteRules { site, rules }, urls, clusters, .. } = lesson.learned;
        let (count, saved) = (rules.len() as u64, total.saved + total.skipped);
        let file = || RuleSet::of_site(&site, self.site_by(), rules).to_json();
        SiteLesson { rules: (count > 0).then(file), model, count, urls, clusters, saved }
    }

    /// The rule file of many sites, which may come in any order: the same, byte for byte, as if they had been learned together.
    ///
    /// # Errors
    ///
    /// If a lesson is none of ours.
    pub fn gather(&self, lessons: impl IntoIterator<Item = SiteLesson>) -> Result<Deployed> {
        let (mut learned, mut models) = (Vec::new(), Models::new());
        for lesson in lessons {
            let SiteLesson { rules, model, urls, clusters, .. } = lesson;
            let sites = match rules {
                Some(file) => RuleSet::from_json(&file).context("the rules of a site")?.sites,
                None => Vec::new(),
            };
            let rules = sites.into_iter().next().unwrap_or_default();
            learned.push(Learned { rules, urls, clusters, ..Learned::default() });
            if let Some(bytes) = model {
                models.extend(from_bytes(&bytes).context("the model of a site")?);
            }
        }
        learned.sort_by(|a, b| a.rules.site.cmp(&b.rules.site));
        let total = Total::of(&learned);
        let rules = rule_set(learned, self.teacher.name(), &self.teacher.config, &total);
        Ok(Deployed { rules, models })
    }
}

/// Scores rules on labelled pages, site by site.
pub struct Scorer {
    walk: Walk<Arc<RuleSet>, Arc<Interpreter>>,
}

impl Scorer {
    /// Of these rules, in key form.
    pub fn new(deployed: &Deployed) -> Scorer {
        let engine = Interpreter::new(&deployed.rules, deployed.models.clone(), Form::Key);
        Scorer { walk: Walk::new(Arc::new(deployed.rules.clone()), Arc::new(engine)) }
    }

    /// One more page; it counts if it has a label.
    pub fn add(&mut self, page: &Page) {
        self.walk.add(page);
    }

    /// The scores of each site, as `undust eval --json` prints them.
    pub fn scores(&self) -> Report {
        self.walk.report()
    }
}

/// The pages of one site, of which no more are held than a machine can bear: of more, a sample by the hashes of their URLs, which does not depend on the order
/// in which they come.
pub struct Pages {
    held: Vec<(u64, Page)>,
    most: usize,
    most_bytes: u64,
    bytes: u64,
    /// Only URLs whose hashes begin with so many zeros are held.
    zeros: u32,
}

impl Pages {
    /// At most so many pages, and so many bytes of them.
    pub fn new(most: usize, most_bytes: u64) -> Pages {
        Pages { held: Vec::new(), most: most.max(1), most_bytes, bytes: 0, zeros: 0 }
    }

    /// One more page.
    pub fn push(&mut self, mut page: Page) {
        let hash = xxh3_64(&page.url);
        if hash.leading_zeros() < self.zeros {
            return;
        }
        prepare(&mut page);
        self.bytes += memory_of(&page);
        self.held.push((hash, page));
        while self.held.len() > self.most || (self.bytes > self.most_bytes && self.held.len() > 1) {
            self.zeros += 1;
            let zeros = self.zeros;
            self.held.retain(|(hash, _)| hash.leading_zeros() >= zeros);
            self.bytes = self.held.iter().map(|(_, page)| memory_of(page)).sum();
        }
    }

    /// The share of all URLs that is held.
    pub fn share(&self) -> f64 {
        0.5_f64.powi(self.zeros.cast_signed())
    }

    /// How many are held.
    pub fn len(&self) -> usize {
        self.held.len()
    }

    /// Whether none is held.
    pub fn is_empty(&self) -> bool {
        self.held.is_empty()
    }

    /// Those that are held.
    pub fn take(self) -> Vec<Page> {
        self.held.into_iter().map(|(_, page)| page).collect()
    }
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
        let together = learner.gather([b.clone(), c.clone(), a.clone()]).unwrap().rules;
        assert_eq!(together.to_json(), learner.gather([a, b, c]).unwrap().rules.to_json());
        assert_eq!(together.sites.len(), 2);
        assert_eq!(together.learned.unwrap().urls, 4001);
    }

    #[test]
    fn a_sample_does_not_depend_on_the_order() {
        let held = |pages: &mut dyn Iterator<Item = Page>| {
            let mut all = Pages::new(300, u64::MAX);
            pages.for_each(|page| all.push(page));
            let share = all.share();
            let mut urls: Vec<Vec<u8>> = all.take().into_iter().map(|page| page.url).collect();
            urls.sort();
            (share, urls)
        };
        let (share, urls) = held(&mut pages());
        assert_eq!((share, held(&mut pages().rev())), (0.125, (share, urls.clone())));
        assert!((200..=300).contains(&urls.len()), "{}", urls.len());
        let mut few = Pages::new(usize::MAX, 10_000);
        pages().for_each(|page| few.push(page));
        assert!(few.len() < 200 && !few.is_empty());
    }
}
