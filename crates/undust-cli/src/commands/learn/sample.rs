//! Of too many pages, some.

use std::collections::HashSet;

use undust::page::Page;
use undust_io::group::{Packed, memory_of};
use xxhash_rust::xxh3::xxh3_64;

/// The pages of one site, of which no more are held than a machine can bear: of more, a sample by the hashes of their URLs, which does not depend on the order
/// in which they come.
///
/// Not by their labels, though that would keep duplicates together: of the pairs that a rule makes equal, right ones would then be kept more often than wrong ones.
pub struct Sample {
    pages: Packed,
    /// The hash of each page's URL, and how much memory the page takes.
    held: Vec<(u64, u64)>,
    /// The hashes alone: a log has many rows of few URLs.
    urls: HashSet<u64>,
    most_urls: usize,
    most_bytes: u64,
    bytes: u64,
    /// Only URLs whose hashes begin with so many zeros are held.
    zeros: u32,
}

impl Sample {
    /// The pages of at most so many URLs, and at most so many bytes of them.
    pub fn new(most_urls: usize, most_bytes: u64) -> Sample {
        let (pages, held, urls) = (Packed::default(), Vec::new(), HashSet::new());
        Sample { pages, held, urls, most_urls: most_urls.max(1), most_bytes, bytes: 0, zeros: 0 }
    }

    /// Whether pages of this URL would be held, so that it is worth reading them.
    pub fn takes(&self, url: &[u8]) -> bool {
        self.is_in(xxh3_64(url))
    }

    fn is_in(&self, hash: u64) -> bool {
        hash.leading_zeros() >= self.zeros
    }

    /// One more page.
    pub fn push(&mut self, page: &Page) {
        let hash = xxh3_64(&page.url);
        if !self.is_in(hash) {
            return;
        }
        let memory = memory_of(page);
        self.pages.push(page);
        self.held.push((hash, memory));
        self.urls.insert(hash);
        self.bytes += memory;
        while self.urls.len() > self.most_urls || (self.bytes > self.most_bytes && self.urls.len() > 1) {
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
        self.pages.unpack()
    }
}

/// The pages of at most so many URLs, and whether there were more.
pub(super) fn at_most(most_urls: usize, pages: Vec<Page>) -> (Vec<Page>, bool) {
    if pages.len() <= most_urls {
        return (pages, false);
    }
    let mut sample = Sample::new(most_urls, u64::MAX);
    for page in pages {
        sample.push(&page);
    }
    let is_part = sample.share() < 1.0;
    (sample.take(), is_part)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pages() -> impl DoubleEndedIterator<Item = Page> {
        (0..2000).map(|i| Page::new(format!("http://a.org/t?id={i}")))
    }

    #[test]
    fn a_sample_does_not_depend_on_the_order() {
        let held = |pages: &mut dyn Iterator<Item = Page>| {
            let mut all = Sample::new(300, u64::MAX);
            pages.for_each(|page| all.push(&page));
            let share = all.share();
            let mut urls: Vec<Vec<u8>> = all.take().into_iter().map(|page| page.url).collect();
            urls.sort();
            (share, urls)
        };
        let (share, urls) = held(&mut pages());
        assert_eq!((share, held(&mut pages().rev())), (0.125, (share, urls.clone())));
        let (part, is_part) = at_most(300, pages().collect());
        assert!(is_part && part.len() == urls.len());
        assert!((200..=300).contains(&urls.len()), "{}", urls.len());
        let twice: Vec<Page> = pages().take(300).chain(pages().take(300)).collect();
        assert_eq!(at_most(300, twice.clone()), (twice, false));
        let mut few = Sample::new(usize::MAX, 10_000);
        pages().for_each(|page| few.push(&page));
        assert!(few.len() < 200 && !few.is_empty());
    }
}
