//! Links by text: digests, simhashes, samples, sets of rows.

use rayon::prelude::*;
use undust::page::Page;
use undust::url::normalize;
use xxhash_rust::xxh3::xxh3_64;

use super::kind::{Kind, RowOrder};
use super::{Link, MAX_LEADERS, Site, has_content};
use crate::hamming::pairs_within;
use crate::text_features::TextFeatures;

/// Finds pages with the same text.
pub(super) struct TextLinks<'s> {
    site: &'s Site<'s>,
    /// Hashes of titles; equal for all where titles do not matter.
    titles: Vec<u64>,
}

impl<'s> TextLinks<'s> {
    pub(super) fn new(site: &'s Site<'s>) -> TextLinks<'s> {
        let title = |page: &Page| match &page.title {
            Some(title) if site.options.titles => xxh3_64(title.as_bytes()),
            _ => 0,
        };
        TextLinks { site, titles: site.pages.iter().map(title).collect() }
    }

    pub(super) fn links(&self) -> Vec<Link> {
        let by = &self.site.options.by;
        let mut links = Vec::new();
        if by.has(Kind::Digest) {
            links.extend(self.by_digest());
        }
        if by.has(Kind::Simhash) {
            links.extend(self.by_simhash());
        }
        if by.has(Kind::Shingles) {
            links.extend(self.by_shingles());
        }
        if by.has(Kind::Rows) && self.site.options.row_order != RowOrder::Keep {
            links.extend(self.by_rows());
        }
        links
    }

    fn by_digest(&self) -> Vec<Link> {
        let digest = |(known, page): (&Page, u32)| {
            let digest = known.digest.as_ref().filter(|_| has_content(known))?;
            Some(Print { bits: xxh3_64(digest.as_bytes()), title: 0, page })
        };
        linked_to_first(Kind::Digest, self.site.pages.iter().zip(0..).filter_map(digest).collect())
    }

    fn by_rows(&self) -> Vec<Link> {
        let sets = |(page, text_features): (u32, &Option<TextFeatures>)| {
            let list = match self.site.options.row_order {
                RowOrder::Ignore => 0,
                RowOrder::Auto | RowOrder::Keep => list_of(&self.site.pages[page as usize].url),
            };
            let rows = text_features
                .iter()
                .flat_map(|text_features| text_features.views().filter_map(|view| view.rows));
            let title = self.titles[page as usize];
            rows.map(|rows| Print { bits: rows ^ list, title, page }).collect::<Vec<_>>()
        };
        linked_to_first(Kind::Rows, (0..).zip(&self.site.features).flat_map(sets).collect())
    }

    fn by_simhash(&self) -> Vec<Link> {
        let mut prints: Vec<Print> =
            (0..self.site.pages.len() as u32).flat_map(|page| self.prints(page)).collect();
        prints.sort_unstable();
        prints.dedup();
        let equal: Vec<&[Print]> = prints.chunk_by(|a, b| (a.bits, a.title) == (b.bits, b.title)).collect();
        let (mut links, mut leaders) = (Vec::new(), Vec::new());
        for (found, leading) in equal.par_iter().map(|run| self.lead(Kind::Simhash, run)).collect::<Vec<_>>()
        {
            links.extend(found);
            leaders.extend(leading);
        }
        links.extend(self.near(&leaders));
        links
    }

    /// The simhashes of a page, in all views; else the one that the input gave.
    fn prints(&self, page: u32) -> Vec<Print> {
        let print = |bits| Print { bits, title: self.titles[page as usize], page };
        let known = &self.site.pages[page as usize];
        match &self.site.features[page as usize] {
            Some(text_features) => text_features.views().map(|view| print(view.simhash)).collect(),
            None => known.simhash.filter(|_| has_content(known)).map(print).into_iter().collect(),
        }
    }

    /// Links between leaders whose simhashes are near but not equal.
    fn near(&self, leaders: &[Print]) -> Vec<Link> {
        let groups: Vec<&[Print]> = leaders.chunk_by(|a, b| a.bits == b.bits).collect();
        let bits: Vec<u64> = groups.iter().map(|group| group[0].bits).collect();
        let between = |i: u32, j: u32| {
            let (one, other) = (groups[i as usize], groups[j as usize]);
            let pairs = one.iter().flat_map(move |a| titled(other, a.title).iter().map(move |b| (a, b)));
            pairs.filter(|(a, b)| a.page != b.page).filter_map(|(a, b)| {
                let pair = (a.page.min(b.page), a.page.max(b.page));
                self.link(Kind::Simhash, pair)
            })
        };
        let found = pairs_within(&bits, self.site.options.distance, |i, j| between(i, j).next().is_some());
        found.par_iter().flat_map_iter(|&(i, j)| between(i, j)).collect()
    }

    fn by_shingles(&self) -> Vec<Link> {
        let mut rarest: Vec<Print> = (0..self.site.pages.len() as u32)
            .filter_map(|page| Some((page, self.site.features[page as usize].as_ref()?)))
            .flat_map(|(page, text_features)| {
                let title = self.titles[page as usize];
                let keys = text_features.views().flat_map(|view| &view.rarest);
                keys.map(move |&bits| Print { bits, title, page })
            })
            .collect();
        rarest.sort_unstable();
        rarest.dedup();
        let shared: Vec<&[Print]> = rarest.chunk_by(|a, b| (a.bits, a.title) == (b.bits, b.title)).collect();
        let mut links: Vec<Link> =
            shared.par_iter().flat_map_iter(|run| self.lead(Kind::Shingles, run).0).collect();
        links.sort_unstable_by_key(|link| link.pages);
        links.dedup_by_key(|link| link.pages);
        links
    }

    /// Each page of a run is linked with the first one before it that it is like, of those that are like none before them.
    fn lead(&self, kind: Kind, run: &[Print]) -> (Vec<Link>, Vec<Print>) {
        let (mut links, mut leaders): (Vec<Link>, Vec<Print>) = (Vec::new(), Vec::new());
        for print in run {
            match leaders.iter().find_map(|leader| self.link(kind, (leader.page, print.page))) {
                Some(link) => links.push(link),
                None if leaders.len() < MAX_LEADERS => leaders.push(*print),
                None => {}
            }
        }
        (links, leaders)
    }

    /// A link between pages that have something in common, if their texts are the same as far as that is asked.
    fn link(&self, kind: Kind, pages: (u32, u32)) -> Option<Link> {
        let resemblance = self.site.resemblance(pages);
        let asked = kind == Kind::Shingles || self.site.options.by.confirmed;
        let like = !asked || resemblance.is_none_or(|found| found >= self.site.options.resemblance);
        like.then_some(Link { kind, pages, resemblance })
    }
}

/// What is the same for URLs that differ in their queries alone.
fn list_of(url: &[u8]) -> u64 {
    let url = normalize(url);
    xxh3_64(url.split(|&byte| byte == b'?').next().unwrap_or_default())
}

/// Links each page with the first one that has the same, whatever else their texts say.
fn linked_to_first(kind: Kind, mut prints: Vec<Print>) -> Vec<Link> {
    prints.sort_unstable();
    prints.dedup();
    let equal = prints.chunk_by(|a, b| (a.bits, a.title) == (b.bits, b.title));
    let link = |pages| Link { kind, pages, resemblance: None };
    equal.flat_map(|run| run[1..].iter().map(move |other| link((run[0].page, other.page)))).collect()
}

/// Those of one title, of some that are in the order of their titles.
fn titled(prints: &[Print], title: u64) -> &[Print] {
    let from = prints.partition_point(|print| print.title < title);
    let to = prints.partition_point(|print| print.title <= title);
    &prints[from..to]
}

/// Something that a page has in common with pages like it: a digest, a simhash, a feature, a set of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Print {
    bits: u64,
    title: u64,
    page: u32,
}
