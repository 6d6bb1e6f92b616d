//! What each kind of evidence contributed, and where they contradict each other.

use serde::Serialize;
use undust::page::Page;

use super::kind::Kind;
use super::union::{Sets, Union};
use super::{Link, Site, has_content, hash_of};

/// Counts of pages, clusters and evidence.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Report {
    /// All pages.
    pub pages: u64,
    /// Those with a text.
    pub texts: u64,
    /// Those in no cluster, since nothing is known of them: error pages, or no content.
    pub unknown: u64,
    /// Different pages.
    pub clusters: u64,
    /// By kind of evidence, in the order of [`Kind::ALL`].
    pub contributions: Vec<Contribution>,
    /// Contradictions among the evidence.
    pub contradictions: Vec<Contradiction>,
}

/// What one kind of evidence contributed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Contribution {
    /// Which kind.
    pub kind: Kind,
    /// Pages that it alone shows to be the same as an earlier one.
    pub alone: u64,
    /// Pages of which nothing else shows that.
    pub only: u64,
}

/// Contradicting evidence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Contradiction {
    /// Its description.
    pub what: &'static str,
    /// Number of pairs of pages.
    pub count: u64,
    /// Some pairs of URLs.
    pub samples: Vec<[String; 2]>,
}

/// Most samples kept of each contradiction.
const MAX_SAMPLES: usize = 3;

impl Contradiction {
    pub(super) fn new(
        what: &'static str,
        pairs: impl Iterator<Item = (u32, u32)>,
        pages: &[Page],
    ) -> Contradiction {
        let url = |page: u32| String::from_utf8_lossy(&pages[page as usize].url).into_owned();
        let mut found = Contradiction { what, count: 0, samples: Vec::new() };
        for (a, b) in pairs {
            found.count += 1;
            if found.samples.len() < MAX_SAMPLES {
                found.samples.push([url(a), url(b)]);
            }
        }
        found
    }
}

impl Report {
    /// The reports of two sites as one.
    pub fn merge(&mut self, other: Report) {
        self.pages += other.pages;
        self.texts += other.texts;
        self.unknown += other.unknown;
        self.clusters += other.clusters;
        for theirs in other.contributions {
            match self.contributions.iter_mut().find(|ours| ours.kind == theirs.kind) {
                Some(ours) => {
                    ours.alone += theirs.alone;
                    ours.only += theirs.only;
                }
                None => self.contributions.push(theirs),
            }
        }
        for theirs in other.contradictions {
            match self.contradictions.iter_mut().find(|ours| ours.what == theirs.what) {
                Some(ours) => {
                    ours.count += theirs.count;
                    let room = MAX_SAMPLES.saturating_sub(ours.samples.len());
                    ours.samples.extend(theirs.samples.into_iter().take(room));
                }
                None => self.contradictions.push(theirs),
            }
        }
    }
}

/// What a page says, as a hash.
type Word<'w> = &'w dyn Fn(u32) -> Option<u64>;

/// What the links, all of them believed, came to.
pub(super) fn report(site: &Site<'_>, equal_urls: &Union, links: &[Link], sets: &Sets) -> Report {
    let sizes = sets.sizes();
    let is_known = |page: u32| sizes[sets.first(page) as usize] > 1 || site.has_evidence(page);
    let pages = site.pages.len() as u64;
    let unknown = (0..pages as u32).filter(|&page| !is_known(page)).count() as u64;
    let nothing = equal_urls.clone().sets().joined();
    let contribution = |kind| Contribution {
        kind,
        alone: site.join(equal_urls, links, |used| used == kind).joined() - nothing,
        only: sets.joined().saturating_sub(site.join(equal_urls, links, |used| used != kind).joined()),
    };
    Report {
        pages,
        texts: site.features.iter().flatten().count() as u64,
        unknown,
        clusters: pages - unknown - sets.joined(),
        contributions: site.options.by.kinds.iter().copied().map(contribution).collect(),
        contradictions: Vec::new(),
    }
}

/// Where pages that were found to be the same are said to be different.
pub(super) fn disagreements(site: &Site<'_>, sets: &Sets) -> Vec<Contradiction> {
    let groups = sets.groups();
    let canonical = |page: u32| {
        let page = &site.pages[page as usize];
        page.canonical.as_ref().filter(|_| has_content(page)).map(|url| hash_of(url.as_bytes()))
    };
    let in_sitemap =
        |page: u32| Some(site.urls[page as usize]).filter(|_| site.is_listed(page) == Some(true));
    let whats: [(&'static str, Word); 2] = [
        ("one page, different canonical URLs", &canonical),
        ("one page, listed twice in the sitemap", &in_sitemap),
    ];
    let of = |(what, word): (&'static str, Word)| {
        Contradiction::new(what, groups.iter().filter_map(|set| two_words(set, word)), site.pages)
    };
    whats.into_iter().map(of).collect()
}

/// The first two pages of a set that say different things.
fn two_words(set: &[u32], word: Word) -> Option<(u32, u32)> {
    let mut said = set.iter().filter_map(|&page| Some((page, word(page)?)));
    let (first, says) = said.next()?;
    said.find(|&(_, other)| other != says).map(|(second, _)| (first, second))
}
