//! A sample of the pages of a site that has more URLs than one learns from.

use std::collections::HashSet;
use std::mem;

use undust::page::Page;
use xxhash_rust::xxh3::xxh3_64;

/// The pages of one site, up to a number of URLs and of bytes. Beyond these, a sample by the hashes of their URLs, which does not depend on the order of pages.
///
/// Not by their labels, though that would keep duplicates together: of the pairs that a rule makes equal, right ones would then be kept more often than wrong ones.
#[derive(Debug)]
pub struct PageSample {
    pages: PackedPages,
    /// The hash of each page's URL, and how much memory the page takes.
    held: Vec<(u64, u64)>,
    /// The hashes alone: a log has many rows of few URLs.
    urls: HashSet<u64>,
    max_urls: usize,
    max_bytes: u64,
    bytes: u64,
    /// URLs whose hashes begin with at least this many zero bits are held.
    zeros: u32,
}

impl PageSample {
    /// An empty sample with these limits.
    pub fn new(max_urls: usize, max_bytes: u64) -> PageSample {
        let (pages, held, urls) = (PackedPages::default(), Vec::new(), HashSet::new());
        PageSample { pages, held, urls, max_urls: max_urls.max(1), max_bytes, bytes: 0, zeros: 0 }
    }

    /// Whether pages of this URL are held, so that their content is worth reading.
    pub fn takes(&self, url: &[u8]) -> bool {
        self.is_in(xxh3_64(url))
    }

    fn is_in(&self, hash: u64) -> bool {
        hash.leading_zeros() >= self.zeros
    }

    /// Adds one page.
    pub fn push(&mut self, page: &Page) {
        let hash = xxh3_64(&page.url);
        if !self.is_in(hash) {
            return;
        }
        let memory = page.memory_bytes();
        self.pages.push(page);
        self.held.push((hash, memory));
        self.urls.insert(hash);
        self.bytes += memory;
        while self.urls.len() > self.max_urls || (self.bytes > self.max_bytes && self.urls.len() > 1) {
            self.zeros += 1;
            self.drop_some();
        }
    }

    fn drop_some(&mut self) {
        let is_in = |hash: &u64| hash.leading_zeros() >= self.zeros;
        self.pages.retain(|at| is_in(&self.held[at].0));
        self.held.retain(|(hash, _)| is_in(hash));
        self.urls.retain(is_in);
        self.bytes = self.held.iter().map(|(_, memory)| memory).sum();
    }

    /// The share of all URLs that is held.
    pub fn share(&self) -> f64 {
        0.5_f64.powi(self.zeros.cast_signed())
    }

    /// The number of pages held.
    pub fn len(&self) -> usize {
        self.held.len()
    }

    /// Whether no page is held.
    pub fn is_empty(&self) -> bool {
        self.held.is_empty()
    }

    /// The pages held.
    pub fn take(self) -> Vec<Page> {
        self.pages.unpack()
    }
}

/// The pages of at most `max_urls` URLs, and whether pages were left out.
pub(crate) fn sample_pages(max_urls: usize, pages: Vec<Page>) -> (Vec<Page>, bool) {
    if pages.len() <= max_urls {
        return (pages, false);
    }
    let mut sample = PageSample::new(max_urls, u64::MAX);
    for page in pages {
        sample.push(&page);
    }
    let is_part = sample.share() < 1.0;
    (sample.take(), is_part)
}

/// Pages in one piece of memory, in a compact encoding: a third of their size, and one allocation.
#[derive(Debug, Default)]
struct PackedPages {
    bytes: Vec<u8>,
    /// The end of each page in `bytes`.
    ends: Vec<usize>,
}

impl PackedPages {
    fn push(&mut self, page: &Page) {
        self.bytes = postcard::to_extend(page, mem::take(&mut self.bytes))
            .expect("encoding into memory does not fail");
        self.ends.push(self.bytes.len());
    }

    /// Keeps the pages at these positions.
    fn retain(&mut self, is_kept: impl Fn(usize) -> bool) {
        let (mut start, mut kept, mut left) = (0, 0, 0);
        for at in 0..self.ends.len() {
            let end = self.ends[at];
            if is_kept(at) {
                self.bytes.copy_within(start..end, kept);
                kept += end - start;
                self.ends[left] = kept;
                left += 1;
            }
            start = end;
        }
        self.ends.truncate(left);
        self.bytes.truncate(kept);
    }

    fn unpack(&self) -> Vec<Page> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        let page = |(start, end): (usize, &usize)| {
            postcard::from_bytes(&self.bytes[start..*end]).expect("it was encoded here")
        };
        starts.zip(&self.ends).map(page).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pages() -> impl DoubleEndedIterator<Item = Page> {
        (0..2000).map(|i| Page::new(format!("http://a.org/t?id={i}")))
    }

    #[test]
    fn packed_pages_come_back() {
        let odd = [Page::new(b"http://a.org/\xff".to_vec()), Page::new("mailto:x")];
        let titled = |page: Page| Page { title: Some("t".repeat(page.url.len())), ..page };
        let all: Vec<Page> = pages().map(titled).chain(odd).collect();
        let mut packed = PackedPages::default();
        for page in &all {
            packed.push(page);
        }
        assert_eq!(packed.unpack(), all);
        packed.retain(|at| at % 3 == 1);
        let kept: Vec<Page> = all.into_iter().skip(1).step_by(3).collect();
        assert_eq!(packed.unpack(), kept);
        packed.push(&kept[0]);
        assert_eq!(packed.unpack().last(), Some(&kept[0]));
    }

    #[test]
    fn a_sample_does_not_depend_on_the_order() {
        let held = |pages: &mut dyn Iterator<Item = Page>| {
            let mut all = PageSample::new(300, u64::MAX);
            pages.for_each(|page| all.push(&page));
            let share = all.share();
            let mut urls: Vec<Vec<u8>> = all.take().into_iter().map(|page| page.url).collect();
            urls.sort();
            (share, urls)
        };
        let (share, urls) = held(&mut pages());
        assert_eq!((share, held(&mut pages().rev())), (0.125, (share, urls.clone())));
        let (part, is_part) = sample_pages(300, pages().collect());
        assert!(is_part && part.len() == urls.len());
        assert!((200..=300).contains(&urls.len()), "{}", urls.len());
        let twice: Vec<Page> = pages().take(300).chain(pages().take(300)).collect();
        assert_eq!(sample_pages(300, twice.clone()), (twice, false));
        let mut few = PageSample::new(usize::MAX, 10_000);
        pages().for_each(|page| few.push(&page));
        assert!(few.len() < 200 && !few.is_empty());
    }
}
