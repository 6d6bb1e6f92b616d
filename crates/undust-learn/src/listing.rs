//! The URLs of one site as a list: what a log or a plain crawl has, with or without labels.

use undust::page::Page;
use undust::url::{SplitUrl, normalize};
use xxhash_rust::xxh3::xxh3_64;

use crate::seen::Seen;
use crate::site::Sample;

/// Distinct URLs, in an order of their own, with what was seen of each.
#[derive(Clone, Debug, Default)]
pub struct Listing {
    bytes: Vec<u8>,
    /// Where each URL ends; it starts where the one before ends.
    ends: Vec<usize>,
    seen: Vec<Seen>,
    /// Rows of failed requests (4xx and 5xx), which name no page.
    pub failed: u64,
    /// Rows of images, styles and scripts without a query: no pages, and they outnumber them in a log.
    pub assets: u64,
    /// Rows whose URL no rule can speak of.
    pub odd: u64,
}

/// What the files that make up a page, rather than are one, end in.
const ASSETS: [&[u8]; 27] = [
    b"avif", b"bmp", b"css", b"eot", b"flv", b"gif", b"ico", b"jpeg", b"jpg", b"js", b"map", b"mjs", b"mp3",
    b"mp4", b"mpeg", b"mpg", b"ogg", b"otf", b"png", b"svg", b"swf", b"tif", b"ttf", b"wav", b"webp",
    b"woff", b"woff2",
];

/// Whether `url` is a file that pages are made of, asked for without a query. With a query it may well have DUST
/// (`style.css?v=7`), and so it stays.
fn is_asset(url: &SplitUrl) -> bool {
    let extension = url.path().rsplit(|b| *b == b'.').next().unwrap_or_default().to_ascii_lowercase();
    url.query().is_none() && ASSETS.contains(&extension.as_slice())
}

impl Listing {
    /// The list of `pages`; `with_assets` keeps images, styles and scripts.
    pub fn new(pages: &[Page], with_assets: bool) -> Listing {
        let mut list = Listing::default();
        let mut rows = Vec::with_capacity(pages.len());
        for page in pages {
            if page.status.is_some_and(|status| status >= 400) {
                list.failed += 1;
                continue;
            }
            let url = normalize(&page.url);
            let text = std::str::from_utf8(&url).is_ok();
            match SplitUrl::new(&url).filter(|_| text) {
                None => list.odd += 1,
                Some(split) if !with_assets && is_asset(&split) => list.assets += 1,
                Some(_) => rows.push((xxh3_64(&url), url, Seen::of(page))),
            }
        }
        rows.sort_by(|a, b| (a.0, &a.1).cmp(&(b.0, &b.1)));
        for (_, url, seen) in rows {
            list.push(&url, seen);
        }
        list
    }

    /// The URLs of a sample of a site.
    pub fn of_sample(sample: &Sample) -> Listing {
        let mut list = Listing::default();
        let mut url = Vec::new();
        for &row in &sample.rows {
            url.clear();
            sample.site.write_url(row, &mut url);
            list.push(&url, *sample.site.seen(row));
        }
        list
    }

    /// Add a URL behind those of a lesser hash; the same one again only widens what was seen.
    fn push(&mut self, url: &[u8], seen: Seen) {
        let again = self.urls().next_back() == Some(url);
        if let Some(last) = self.seen.last_mut().filter(|_| again) {
            last.again(&seen);
            return;
        }
        self.bytes.extend_from_slice(url);
        self.ends.push(self.bytes.len());
        self.seen.push(seen);
    }

    /// Keep only some URLs.
    pub fn retain(&mut self, keep: impl Fn(&[u8]) -> bool) {
        let none = Listing { failed: self.failed, assets: self.assets, odd: self.odd, ..Listing::default() };
        let all = std::mem::replace(self, none);
        for row in (0..all.len() as u32).filter(|&row| keep(all.url(row))) {
            self.push(all.url(row), *all.seen(row));
        }
    }

    /// How many distinct URLs there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The URL of a row.
    pub fn url(&self, row: u32) -> &[u8] {
        let row = row as usize;
        let start = if row == 0 { 0 } else { self.ends[row - 1] };
        &self.bytes[start..self.ends[row]]
    }

    /// What was seen of a row.
    pub fn seen(&self, row: u32) -> &Seen {
        &self.seen[row as usize]
    }

    /// All URLs.
    pub fn urls(&self) -> impl DoubleEndedIterator<Item = &[u8]> {
        (0..self.len() as u32).map(|row| self.url(row))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(url: &str, status: u16, size: u64) -> Page {
        Page { status: Some(status), size: Some(size), ..Page::new(url) }
    }

    #[test]
    fn a_log_becomes_a_list() {
        let pages = [
            page("http://a/x", 200, 10),
            page("http://a/x", 200, 30),
            page("http://a/x", 301, 5),
            page("http://a/gone", 404, 7),
            page("http://a/y", 302, 5),
            page("http://a/i.PNG", 200, 9),
            page("http://a/i.png?x=1", 200, 9),
            Page::new(b"http://a/\xff".to_vec()),
        ];
        let list = Listing::new(&pages, false);
        assert_eq!((list.len(), list.failed, list.assets, list.odd), (3, 1, 1, 1));
        let mut rows: Vec<(&[u8], _)> = (0..3).map(|row| (list.url(row), list.seen(row).sizes)).collect();
        rows.sort();
        let expected: [(&[u8], _); 3] =
            [(b"http://a/i.png?x=1", Some((9, 9))), (b"http://a/x", Some((10, 30))), (b"http://a/y", None)];
        assert_eq!(rows, expected);
        assert_eq!(Listing::new(&pages, true).len(), 4);
    }
}
