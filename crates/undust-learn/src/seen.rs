//! What was seen of a page's content, in numbers: enough to say whether two pages may be one.

use undust::page::Page;
use xxhash_rust::xxh3::xxh3_64;

/// What is known of the content behind a URL, over all the times it was seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// The least and the greatest size.
    pub sizes: Option<(u32, u32)>,
    /// The simhash of the text.
    pub simhash: Option<u64>,
    /// A hash of the content's digest.
    pub digest: Option<u64>,
    /// A hash of the given cluster label.
    pub cluster: Option<u64>,
}

impl Seen {
    /// What `page` tells. The body of a redirect or of an error is not the page's.
    pub fn of(page: &Page) -> Seen {
        let hash = |text: &Option<String>| text.as_ref().map(|text| xxh3_64(text.as_bytes()));
        let cluster = hash(&page.cluster);
        if page.status.is_some_and(|status| !(200..300).contains(&status)) {
            return Seen { cluster, ..Seen::default() };
        }
        let size = page.size.map(|size| u32::try_from(size).unwrap_or(u32::MAX));
        Seen {
            sizes: size.map(|size| (size, size)),
            simhash: page.simhash,
            digest: hash(&page.digest),
            cluster,
        }
    }

    /// The same URL, seen again: sizes become a range; of what must be one value, the least counts, so that the order in
    /// which it was seen does not.
    pub fn again(&mut self, other: &Seen) {
        self.sizes = match (self.sizes, other.sizes) {
            (Some(a), Some(b)) => Some((a.0.min(b.0), a.1.max(b.1))),
            (a, b) => a.or(b),
        };
        let least = |a: Option<u64>, b: Option<u64>| a.into_iter().chain(b).min();
        self.simhash = least(self.simhash, other.simhash);
        self.digest = least(self.digest, other.digest);
        self.cluster = least(self.cluster, other.cluster);
    }
}
