//! Clusters: which pages of a site have the same content, by evidence of several kinds.
//!
//! Each kind of evidence gives *links*: this page is the same as that one. Links by digest and redirect are taken as they
//! are, and so is an equal URL, unless it shows another page each time. The others are sorted by how alike the texts are, and joined one after the other (union-find); by default (`auto`) only if the texts of
//! both clusters' first pages agree, too, so that a row of small changes does not join what is no longer the same.
//!
//! | kind | link | `auto` asks further |
//! |---|---|---|
//! | `digest` | equal digests | |
//! | `simhash` | simhashes that differ in at most [`Options::distance`] bits, and equal titles (SIGIR 2017) | resemblance of at least [`Options::resemblance`] |
//! | `shingles` | a resemblance of at least [`Options::resemblance`], and equal titles | |
//! | `rows` | the same rows in any order, and equal titles | URLs that differ in their queries alone ([`Options::row_order`]) |
//! | `canonical` | a page and its canonical URL; pages with the same | texts that do not contradict (a resemblance of at least 0.8) |
//! | `declared` | URLs that differ in parameters which the site declares not to matter | the same |
//! | `redirect` | a URL and where it leads, by an answer or by `<meta>` | |
//!
//! Error pages (status 400 and above) are in no cluster: they say nothing about the page that was asked for.

mod claimed_links;
mod kind;
mod report;
mod text_links;
mod union;

use std::cmp::Ordering;
use std::collections::BTreeSet;

use undust::page::Page;
use undust::url::normalize;
use xxhash_rust::xxh3::xxh3_64;

pub use kind::{Kind, Kinds, RowOrder, UnknownKind, UnknownRowOrder};
pub use report::{Contradiction, Contribution, Report};

use crate::declared::listed;
use crate::text_features::{TextFeatures, site_features};
use claimed_links::ClaimedLinks;
use text_links::TextLinks;
use union::{Sets, Union};

/// How pages are clustered.
#[derive(Clone, Debug)]
pub struct Options {
    /// Kinds of evidence that are used.
    pub by: Kinds,
    /// Largest Hamming distance of simhashes, in bits. The papers' is 3.
    pub distance: u32,
    /// Least resemblance: the share of two texts' weight that must be common. One changed word in a few hundred is allowed; menus and
    /// other boilerplate are left out already.
    pub resemblance: f64,
    /// Pages with different titles are different, whatever they say.
    pub titles: bool,
    /// Whether the order of rows of tables and lists counts.
    pub row_order: RowOrder,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            by: Kinds::default(),
            distance: 3,
            resemblance: 0.99,
            titles: true,
            row_order: RowOrder::default(),
        }
    }
}

/// Least resemblance of two texts for a claim of the site (a canonical URL, a declared parameter) to be believed: views of one page differ
/// in clocks, counters and advertisements.
const MIN_CLAIM_RESEMBLANCE: f64 = 0.8;

/// Most different texts with one simhash or feature that all further ones are compared with: where more share it, it tells little.
const MAX_LEADERS: usize = 32;

/// Evidence that two pages are the same.
#[derive(Clone, Copy, Debug)]
struct Link {
    kind: Kind,
    pages: (u32, u32),
    /// The resemblance of their texts, where it was computed.
    resemblance: Option<f64>,
}

impl Link {
    /// What was not asked counts as sure; then the more alike come first.
    fn surer_first(&self, other: &Link) -> Ordering {
        let order = |link: &Link| (link.resemblance.unwrap_or(2.0), link.pages, link.kind);
        order(other).partial_cmp(&order(self)).unwrap_or(Ordering::Equal)
    }
}

/// Set the cluster of each page of the site `name` (`name#1` and so on), and report by which evidence. Texts are dropped.
///
/// [`read_body`](crate::read_body) comes first. Runs on the threads of its caller; the result does not depend on how many.
pub fn cluster(name: &str, pages: &mut [Page], options: &Options) -> Report {
    let site = Site::new(pages, options);
    let mut links = ClaimedLinks::new(&site).links();
    links.extend(TextLinks::new(&site).links());
    let contradictions = claimed_links::contradictions(&site, &links);
    links.retain(|link| site.is_believed(link));
    links.sort_by(Link::surer_first);
    let equal_urls = site.equal_urls();
    let sets = site.join(&equal_urls, &links, |_| true);
    let mut report = report::report(&site, &equal_urls, &links, &sets);
    report.contradictions = contradictions;
    report.contradictions.extend(report::disagreements(&site, &sets));
    let labels = site.labels(name, &sets);
    let simhashes: Vec<Option<u64>> =
        site.features.iter().map(|text_features| Some(text_features.as_ref()?.simhash())).collect();
    let listed: Vec<Option<bool>> = (0..site.pages.len() as u32).map(|page| site.is_listed(page)).collect();
    for (((page, label), simhash), listed) in pages.iter_mut().zip(labels).zip(simhashes).zip(listed) {
        page.cluster = label;
        page.simhash = page.simhash.or(simhash);
        page.sitemap = listed;
        (page.text, page.words) = (None, None);
    }
    report
}

/// The pages of one site, and what was read from their texts.
struct Site<'s> {
    pages: &'s [Page],
    options: &'s Options,
    features: Vec<Option<TextFeatures>>,
    /// Hashes of the pages' own URLs, normalised.
    urls: Vec<u64>,
    /// The pages of each URL that was seen more than once, failed requests left out.
    seen_again: Vec<Vec<u32>>,
    /// Hashes of the URLs in sitemaps.
    listed: BTreeSet<u64>,
}

impl<'s> Site<'s> {
    fn new(pages: &'s [Page], options: &'s Options) -> Site<'s> {
        let urls: Vec<u64> = pages.iter().map(|page| hash_of(&page.url)).collect();
        let sitemaps = pages.iter().filter(|page| has_content(page)).filter_map(|page| page.text.as_deref());
        let listed = sitemaps.flat_map(listed).map(|url| hash_of(url.as_bytes())).collect();
        let features = site_features(pages, has_content, options.resemblance);
        Site { pages, options, features, seen_again: seen_again(pages, &urls), urls, listed }
    }

    /// Whether the site's sitemap lists a page, where there is one.
    fn is_listed(&self, page: u32) -> Option<bool> {
        let listed = self.listed.contains(&self.urls[page as usize]);
        if self.listed.is_empty() { self.pages[page as usize].sitemap } else { Some(listed) }
    }

    /// How alike two pages' texts are, where both have one.
    fn resemblance(&self, (a, b): (u32, u32)) -> Option<f64> {
        let text_features = |page: u32| self.features[page as usize].as_ref();
        Some(text_features(a)?.resemblance(text_features(b)?))
    }

    /// How alike texts must be for a link of this kind.
    fn least(&self, kind: Kind) -> f64 {
        match kind {
            Kind::Digest | Kind::Rows | Kind::Redirect => 0.0,
            Kind::Canonical | Kind::Declared => MIN_CLAIM_RESEMBLANCE,
            Kind::Simhash | Kind::Shingles => self.options.resemblance,
        }
    }

    /// Whether a link counts: where evidence is confirmed, texts must not contradict.
    fn is_believed(&self, link: &Link) -> bool {
        !self.options.by.confirmed || link.resemblance.is_none_or(|found| found >= self.least(link.kind))
    }

    /// Joins pages further by those of the links, surer ones first, whose kind `used` likes.
    fn join(&self, joined: &Union, links: &[Link], used: impl Fn(Kind) -> bool) -> Sets {
        let mut union = joined.clone();
        for link in links.iter().filter(|link| used(link.kind)) {
            // A root is the first page of its cluster.
            let (a, b) = (union.root(link.pages.0), union.root(link.pages.1));
            let agree = || self.resemblance((a, b)).is_none_or(|found| found >= self.least(link.kind));
            if a != b && (!self.options.by.confirmed || link.resemblance.is_none() || agree()) {
                union.join(a, b);
            }
        }
        union.sets()
    }

    /// The same URL is the same page, however often it was seen, unless it shows another page each time.
    fn equal_urls(&self) -> Union {
        let mut union = Union::new(self.pages.len());
        for seen in &self.seen_again {
            let steady = self.is_steady(seen);
            for &page in &seen[1..] {
                let alike =
                    self.resemblance((seen[0], page)).is_none_or(|found| found >= MIN_CLAIM_RESEMBLANCE);
                if !self.options.by.confirmed || (alike && steady) {
                    union.join(seen[0], page);
                }
            }
        }
        union
    }

    /// Whether a URL led to one place, as often as it was seen.
    fn is_steady(&self, seen: &[u32]) -> bool {
        let mut targets = seen.iter().filter_map(|&page| self.pages[page as usize].redirect.as_deref());
        let first = targets.next();
        targets.all(|target| Some(target) == first)
    }

    /// A label for each page of which anything is known.
    fn labels(&self, name: &str, sets: &Sets) -> Vec<Option<String>> {
        let sizes = sets.sizes();
        let mut numbers = vec![None; self.pages.len()];
        let mut next = 0;
        (0..self.pages.len() as u32)
            .map(|page| {
                let first = sets.first(page) as usize;
                let known = sizes[first] > 1 || self.has_evidence(page);
                let number = *numbers[first].get_or_insert_with(|| {
                    next += u32::from(known);
                    next
                });
                known.then(|| format!("{name}#{number}"))
            })
            .collect()
    }

    /// Whether the page could have been found to be the same as another one.
    fn has_evidence(&self, page: u32) -> bool {
        let known = &self.pages[page as usize];
        let content = has_content(known) && (known.digest.is_some() || known.simhash.is_some());
        content || self.features[page as usize].is_some()
    }
}

fn seen_again(pages: &[Page], urls: &[u64]) -> Vec<Vec<u32>> {
    let answered = pages.iter().zip(urls).zip(0..).filter(|((page, _), _)| !has_failed(page));
    let mut urls: Vec<(u64, u32)> = answered.map(|((_, &url), i)| (url, i)).collect();
    urls.sort_unstable();
    let again = urls.chunk_by(|a, b| a.0 == b.0).filter(|seen| seen.len() > 1);
    again.map(|seen| seen.iter().map(|&(_, page)| page).collect()).collect()
}

/// Equal for URLs that are the same whatever the site.
fn hash_of(url: &[u8]) -> u64 {
    xxh3_64(&normalize(url))
}

fn has_failed(page: &Page) -> bool {
    page.status.is_some_and(|status| status >= 400)
}

/// Whether what was sent is the page that was asked for.
fn has_content(page: &Page) -> bool {
    page.status.is_none_or(|status| (200..300).contains(&status))
}

#[cfg(test)]
mod tests;
