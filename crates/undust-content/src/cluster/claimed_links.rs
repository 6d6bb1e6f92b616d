//! Links by what servers and pages claim: redirects, canonical URLs, parameters that do not matter.

use std::collections::BTreeMap;

use undust::page::Page;
use undust::url::SplitUrl;
use xxhash_rust::xxh3::xxh3_64;

use super::kind::Kind;
use super::report::Contradiction;
use super::{Link, MIN_CLAIM_RESEMBLANCE, Site, has_failed, hash_of};
use crate::body::resolve;
use crate::declared::{CleanParam, clean_params, without_clean_params, without_unvarying};

/// What a page claims to be, as a hash.
type Claim<'c> = &'c dyn Fn(&Page) -> Option<u64>;

/// Finds pages that are claimed to be the same.
pub(super) struct ClaimedLinks<'s> {
    site: &'s Site<'s>,
    /// The `Clean-param` lines of each host's `robots.txt`.
    clean: BTreeMap<&'s [u8], Vec<CleanParam>>,
    /// The first page of each URL that is there, by the URL's hash.
    by_url: Vec<(u64, u32)>,
    /// Hashes of URLs that lead to another page each time.
    unsteady: Vec<u64>,
}

impl<'s> ClaimedLinks<'s> {
    pub(super) fn new(site: &'s Site<'s>) -> ClaimedLinks<'s> {
        let urls = site.urls.iter().copied().zip(0..);
        let mut by_url: Vec<(u64, u32)> =
            urls.filter(|&(_, page)| !has_failed(&site.pages[page as usize])).collect();
        by_url.sort_unstable();
        by_url.dedup_by_key(|(url, _)| *url);
        let again = site.seen_again.iter();
        let unsteady = again.filter(|seen| !site.is_steady(seen)).map(|seen| site.urls[seen[0] as usize]);
        let clean = site.pages.iter().filter_map(robots).collect();
        ClaimedLinks { site, clean, by_url, unsteady: unsteady.collect() }
    }

    pub(super) fn links(&self) -> Vec<Link> {
        let claims: [(Kind, Claim); 3] = [
            (Kind::Redirect, &|page| target(page, page.redirect.as_deref()?)),
            (Kind::Canonical, &|page| target(page, page.canonical.as_deref()?)),
            (Kind::Declared, &|page| self.declared(page)),
        ];
        let asked = claims.into_iter().filter(|(kind, _)| self.site.options.by.has(*kind));
        asked.flat_map(|(kind, claim)| self.links_by(kind, claim)).collect()
    }

    /// Links pages with one claim: each with the page at the URL claimed, else with the first of them.
    fn links_by(&self, kind: Kind, claim: Claim) -> Vec<Link> {
        let is_steady = |page: u32| self.unsteady.binary_search(&self.site.urls[page as usize]).is_err();
        let pages = self.site.pages.iter().zip(0..).filter(|&(page, i)| !has_failed(page) && is_steady(i));
        let mut claims: Vec<(u64, u32)> = pages.filter_map(|(page, i)| Some((claim(page)?, i))).collect();
        claims.sort_unstable();
        let linked = claims.chunk_by(|a, b| a.0 == b.0).flat_map(|run| {
            let (url, first) = run[0];
            let centre = self.at(url).unwrap_or(first);
            let others = run.iter().map(|&(_, page)| page).filter(move |&page| page != centre);
            others.map(move |page| (centre.min(page), centre.max(page)))
        });
        let link = |pages| Link { kind, pages, resemblance: self.asked(kind, pages) };
        linked.map(link).collect()
    }

    /// Redirects are facts, no claims: what stands on the way is not asked.
    fn asked(&self, kind: Kind, pages: (u32, u32)) -> Option<f64> {
        if kind == Kind::Redirect { None } else { self.site.resemblance(pages) }
    }

    fn at(&self, url: u64) -> Option<u32> {
        let place = self.by_url.binary_search_by_key(&url, |&(url, _)| url).ok()?;
        Some(self.by_url[place].1)
    }

    /// The URL without what is declared not to matter.
    fn declared(&self, page: &Page) -> Option<u64> {
        let by_header = || without_unvarying(&page.url, page.no_vary_search.as_deref()?);
        let by_robots = || without_clean_params(&page.url, self.clean.get(SplitUrl::new(&page.url)?.host())?);
        by_header().or_else(by_robots).map(|key| xxh3_64(&key))
    }
}

fn target(page: &Page, reference: &str) -> Option<u64> {
    resolve(&page.url, None, reference).map(|target| hash_of(target.as_bytes()))
}

/// The host of a `robots.txt`, and what it declares.
fn robots(page: &Page) -> Option<(&[u8], Vec<CleanParam>)> {
    let split = SplitUrl::new(&page.url).filter(|split| split.path() == b"/robots.txt")?;
    let lines = clean_params(page.text.as_deref().filter(|_| !has_failed(page))?);
    (!lines.is_empty()).then_some((split.host(), lines))
}

/// Where a claim is not borne out by the texts.
pub(super) fn contradictions(site: &Site<'_>, links: &[Link]) -> Vec<Contradiction> {
    let whats = [
        (Kind::Canonical, "one canonical URL, different texts"),
        (Kind::Declared, "declared not to matter, different texts"),
    ];
    let of = |(kind, what): (Kind, &'static str)| {
        let denied = links.iter().filter(|link| link.kind == kind);
        let denied =
            denied.filter(|link| link.resemblance.is_some_and(|found| found < MIN_CLAIM_RESEMBLANCE));
        Contradiction::new(what, denied.map(|link| link.pages), site.pages)
    };
    whats.into_iter().map(of).collect()
}
