//! One site in memory: interned ids instead of strings.
//!
//! A URL is its *shape* (everything but the values: which components there are, parameter names, order, separators) and one
//! number per value. That costs 20 bytes per URL plus 4 per value (about 50 bytes on real sites), 64 bytes of what was seen of
//! its content, and one copy of every distinct value; the URL's bytes can be put together again at any time. Rows are sorted by a hash of the URL, so
//! that nothing learned depends on the order of the input.

use std::borrow::Cow;
use std::collections::HashMap;

use undust::page::Page;
use undust::url::{SplitUrl, normalize};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use crate::intern::Interner;
use crate::seen::Seen;

/// The URLs of one site with their duplicate clusters.
pub struct Site {
    /// The site's name.
    pub name: String,
    shapes: Vec<Shape>,
    values: Interner,
    rows: Vec<SiteRow>,
    seen: Vec<Seen>,
    tokens: Vec<u32>,
    /// A hash of each cluster's label.
    labels: Vec<u64>,
    /// Number of URLs seen with two different labels.
    pub contradictions: u64,
    /// Number of pages without a label, or with a URL that no rule can match.
    pub unlabelled: u64,
}

#[derive(Clone, Copy)]
struct SiteRow {
    shape: u32,
    cluster: u32,
    first_token: u32,
    /// The fold of the URL, for held-out evidence.
    fold: u32,
    importance: u32,
}

/// The structure of a URL: everything but its values, in URL order.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Shape {
    /// The key of each value.
    pub keys: Vec<Key>,
    /// Whether the query is empty: `?` with nothing behind it.
    pub empty_query: bool,
}

/// The part of a URL that a value belongs to.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Key {
    /// The scheme.
    Scheme,
    /// User and password.
    Userinfo,
    /// The whole host.
    Host,
    /// The port.
    Port,
    /// The n-th path component.
    Segment(u32),
    /// A parameter with a value.
    Param {
        /// Its name.
        name: Vec<u8>,
        /// Index among the parameters of this name, from 0.
        nth: u32,
        /// The separator before it.
        separator: u8,
    },
    /// A parameter without `=`; its value is empty.
    Flag {
        /// Its name.
        name: Vec<u8>,
        /// Index among the parameters of this name, from 0.
        nth: u32,
        /// The separator before it.
        separator: u8,
    },
    /// The fragment, without `#`.
    Fragment,
}

impl Shape {
    fn of(url: &SplitUrl) -> Shape {
        let mut keys = vec![Key::Scheme];
        keys.extend(url.userinfo().map(|_| Key::Userinfo));
        keys.push(Key::Host);
        keys.extend(url.port().map(|_| Key::Port));
        keys.extend((0..).zip(url.segments()).map(|(i, _)| Key::Segment(i)));
        let mut seen: HashMap<&[u8], u32> = HashMap::new();
        for param in url.params() {
            let count = seen.entry(param.name).or_default();
            let (name, nth, separator) = (param.name.to_vec(), *count, param.separator);
            *count += 1;
            keys.push(match param.value {
                Some(_) => Key::Param { name, nth, separator },
                None => Key::Flag { name, nth, separator },
            });
        }
        keys.extend(url.fragment().map(|_| Key::Fragment));
        Shape { keys, empty_query: url.query() == Some(b"") }
    }
}

/// Number of folds that URLs are dealt into for held-out evidence.
pub const FOLDS: u32 = 4;

/// All folds, as a set of bits.
pub const ALL_FOLDS: u32 = (1 << FOLDS) - 1;

/// Number of URLs from which on a cluster is large. Large clusters (login walls, error pages) are spread over the folds URL by URL: kept whole, no
/// fold could ever confirm what another one learned of them.
pub const LARGE_CLUSTER_URLS: usize = 24;

impl Site {
    /// Builds the site `name` from its pages. Pages without a label are counted and left out.
    pub fn new(name: &str, pages: &[Page], seed: u64) -> Site {
        Site::labelled_by(name, pages, Page::label, seed)
    }

    /// Builds the site `name` from URLs alone, each a page of its own.
    pub fn of_urls(name: &str, pages: &[Page]) -> Site {
        let site = Site::labelled_by(name, pages, |page| std::str::from_utf8(&page.url).ok(), 0);
        // Two spellings of a URL are no contradiction.
        Site { contradictions: 0, ..site }
    }

    fn labelled_by(name: &str, pages: &[Page], label: fn(&Page) -> Option<&str>, seed: u64) -> Site {
        let known = |page| Labelled::new(page, label(page)?);
        let mut labelled: Vec<Labelled> = pages.iter().filter_map(known).collect();
        labelled.sort_unstable_by(|a, b| (a.hash, &a.url, a.label).cmp(&(b.hash, &b.url, b.label)));
        let mut site = Site {
            name: name.to_owned(),
            shapes: Vec::new(),
            values: Interner::new(),
            rows: Vec::with_capacity(labelled.len()),
            seen: Vec::with_capacity(labelled.len()),
            tokens: Vec::new(),
            labels: Vec::new(),
            contradictions: 0,
            unlabelled: (pages.len() - labelled.len()) as u64,
        };
        site.add_rows(&labelled, seed);
        site
    }

    /// Adds a row for each URL; of several labels, the first counts.
    fn add_rows(&mut self, labelled: &[Labelled], seed: u64) {
        let by_url = || labelled.chunk_by(|a, b| a.hash == b.hash && a.url == b.url);
        let mut labels = Interner::new();
        let clusters: Vec<u32> = by_url().map(|times| labels.intern(times[0].label.as_bytes())).collect();
        let mut sizes = vec![0; labels.len()];
        for &cluster in &clusters {
            sizes[cluster as usize] += 1;
        }
        let mut shapes = KnownShapes::default();
        for (times, cluster) in by_url().zip(clusters) {
            let (first, again) = (&times[0], &times[1..]);
            let Some(split) = SplitUrl::new(&first.url) else { continue };
            let first_token = self.tokens.len() as u32;
            let shape = self.read(&split, &mut shapes);
            let large = sizes[cluster as usize] >= LARGE_CLUSTER_URLS;
            let by = if large { &first.url } else { first.label.as_bytes() };
            let fold = (xxh3_64_with_seed(by, seed) % u64::from(FOLDS)) as u32;
            let importance = times.iter().map(Labelled::importance).max().unwrap_or_default();
            self.rows.push(SiteRow { shape, cluster, first_token, fold, importance });
            let mut seen = Seen::of(first.page);
            for again in again {
                seen.again(&Seen::of(again.page));
            }
            self.seen.push(seen);
            self.contradictions += again.iter().filter(|again| again.label != first.label).count() as u64;
        }
        self.labels = (0..labels.len() as u32).map(|cluster| xxh3_64(labels.get(cluster))).collect();
    }

    /// Interns the values of a URL and returns the number of its shape.
    fn read(&mut self, url: &SplitUrl, known: &mut KnownShapes) -> u32 {
        let Site { values, tokens, .. } = self;
        let shape = &mut known.bytes;
        shape.clear();
        let mut note = |value: &[u8]| tokens.push(values.intern(value));
        note(url.scheme());
        if let Some(userinfo) = url.userinfo() {
            note(userinfo);
            shape.push(b'@');
        }
        note(url.host());
        if let Some(port) = url.port() {
            note(port);
            shape.push(b':');
        }
        for segment in url.segments() {
            note(segment);
            shape.push(b'/');
        }
        for param in url.params() {
            shape.push(param.separator);
            shape.extend_from_slice(param.name);
            shape.extend(param.value.map(|_| b'='));
            note(param.value.unwrap_or_default());
        }
        if url.query() == Some(b"") {
            shape.push(b'?');
        }
        if let Some(fragment) = url.fragment() {
            note(fragment);
            shape.push(b'#');
        }
        let number = known.numbers.intern(shape);
        if number as usize == self.shapes.len() {
            self.shapes.push(Shape::of(url));
        }
        number
    }

    /// Number of distinct labelled URLs.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are no labelled URLs.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Number of clusters.
    pub fn clusters(&self) -> usize {
        self.labels.len()
    }

    /// The cluster of a URL.
    pub fn cluster(&self, row: u32) -> u32 {
        self.rows[row as usize].cluster
    }

    /// Hash of a cluster's label: unlike the cluster's number, it does not depend on the site's other pages.
    pub fn label(&self, cluster: u32) -> u64 {
        self.labels[cluster as usize]
    }

    /// Moves a URL to another cluster of the site.
    #[doc(hidden)]
    pub fn relabel(&mut self, row: u32, cluster: u32) {
        let label = Some(self.label(cluster));
        self.rows[row as usize].cluster = cluster;
        let seen = &mut self.seen[row as usize];
        // A page without a given cluster has its digest for a label.
        *(if seen.cluster.is_some() { &mut seen.cluster } else { &mut seen.digest }) = label;
    }

    /// Facts seen of a URL's content, label included.
    pub fn seen(&self, row: u32) -> &Seen {
        &self.seen[row as usize]
    }

    /// The fold of a URL.
    pub fn fold(&self, row: u32) -> u32 {
        self.rows[row as usize].fold
    }

    /// The number of a URL's shape.
    pub fn shape_of(&self, row: u32) -> u32 {
        self.rows[row as usize].shape
    }

    /// The shapes, by number.
    pub fn shapes(&self) -> &[Shape] {
        &self.shapes
    }

    /// The values of a URL, as its shape orders them.
    pub fn values_of(&self, row: u32) -> &[u32] {
        let row = self.rows[row as usize];
        let count = self.shapes[row.shape as usize].keys.len();
        &self.tokens[row.first_token as usize..][..count]
    }

    /// Importance of a URL, as the bits of a non-negative float (their order is that of the floats); 0 where it is not
    /// known.
    pub fn importance(&self, row: u32) -> u32 {
        self.rows[row as usize].importance
    }

    /// Number of distinct values.
    pub fn value_count(&self) -> u32 {
        self.values.len() as u32
    }

    /// The bytes of a value.
    pub fn value(&self, id: u32) -> &[u8] {
        self.values.get(id)
    }

    /// The number of a value, if the site has it.
    pub fn find_value(&self, bytes: &[u8]) -> Option<u32> {
        self.values.find(bytes)
    }

    /// Appends the URL of `row` to `out`.
    pub fn write_url(&self, row: u32, out: &mut Vec<u8>) {
        self.write_url_with(row, |value| self.value(value), out);
    }

    /// Appends the URL of `row` to `out`, with `text` in place of its values.
    pub fn write_url_with<'t>(&self, row: u32, text: impl Fn(u32) -> &'t [u8], out: &mut Vec<u8>) {
        let shape = &self.shapes[self.shape_of(row) as usize];
        for (key, &value) in shape.keys.iter().zip(self.values_of(row)) {
            let value = text(value);
            match key {
                Key::Scheme => {
                    out.extend_from_slice(value);
                    out.extend_from_slice(b"://");
                    continue;
                }
                Key::Userinfo => {
                    out.extend_from_slice(value);
                    out.push(b'@');
                    continue;
                }
                Key::Host => {}
                Key::Port => out.push(b':'),
                Key::Segment(_) => out.push(b'/'),
                Key::Param { name, separator, .. } | Key::Flag { name, separator, .. } => {
                    out.push(*separator);
                    out.extend_from_slice(name);
                    if matches!(key, Key::Param { .. }) {
                        out.push(b'=');
                    }
                }
                Key::Fragment => {
                    out.extend_from_slice(if shape.empty_query { b"?#" } else { b"#" });
                }
            }
            out.extend_from_slice(value);
        }
        if shape.empty_query && shape.keys.last() != Some(&Key::Fragment) {
            out.push(b'?');
        }
    }

    /// The sample of URLs outside the folds in `held_out`, a set of bits.
    pub fn sample(&self, held_out: u32) -> Sample<'_> {
        let rows = (0..self.len() as u32).filter(|&row| held_out & (1 << self.fold(row)) == 0).collect();
        Sample { site: self, rows }
    }
}

/// The part of a site that a learner learns from; the rest is held out.
pub struct Sample<'s> {
    /// The site.
    pub site: &'s Site,
    /// Its URLs, in the site's order.
    pub rows: Vec<u32>,
}

impl<'s> Sample<'s> {
    /// A part of the pages, with all their URLs, if the sample has more than `enough` URLs.
    #[must_use]
    pub fn part(&self, enough: usize) -> Sample<'s> {
        let site: &'s Site = self.site;
        let one_in = (self.rows.len() / enough).max(1) as u64;
        let is_in = |row: &&u32| site.label(site.cluster(**row)).is_multiple_of(one_in);
        Sample { site, rows: self.rows.iter().filter(is_in).copied().collect() }
    }

    /// The clusters with at least two rows in the sample, in the site's order.
    pub fn duplicates(&self) -> Duplicates {
        let cluster = |row: u32| self.site.cluster(row) as usize;
        let mut sizes: Vec<u32> = vec![0; self.site.clusters()];
        for &row in &self.rows {
            sizes[cluster(row)] += 1;
        }
        // Where each cluster's next row goes; most are of one row, and go nowhere.
        let (mut next, mut ends, mut total) = (vec![None; sizes.len()], Vec::new(), 0);
        for (next, size) in next.iter_mut().zip(sizes).filter(|(_, size)| *size > 1) {
            *next = Some(total);
            total += size as usize;
            ends.push(total);
        }
        let mut rows = vec![0; total];
        for &row in &self.rows {
            if let Some(at) = &mut next[cluster(row)] {
                rows[*at] = row;
                *at += 1;
            }
        }
        Duplicates { rows, ends }
    }
}

/// Clusters of at least two rows each.
pub struct Duplicates {
    /// The rows of one cluster after the other.
    rows: Vec<u32>,
    ends: Vec<usize>,
}

impl Duplicates {
    /// The rows of each cluster.
    pub fn clusters(&self) -> impl Iterator<Item = &[u32]> {
        let starts = [0].into_iter().chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, &end)| &self.rows[start..end])
    }
}

/// Shapes by their bytes: the URL with all values left out.
#[derive(Default)]
struct KnownShapes {
    numbers: Interner,
    /// The shape at hand; kept for its allocation.
    bytes: Vec<u8>,
}

/// A labelled page whose URL is text.
struct Labelled<'p> {
    hash: u64,
    url: Cow<'p, [u8]>,
    label: &'p str,
    page: &'p Page,
}

impl Labelled<'_> {
    fn new<'p>(page: &'p Page, label: &'p str) -> Option<Labelled<'p>> {
        let url = normalize(&page.url);
        SplitUrl::new(&url)?;
        // Literals of learned rules are text: nothing can be learned from a URL that is not.
        std::str::from_utf8(&url).ok()?;
        Some(Labelled { hash: xxh3_64_with_seed(&url, 0), url, label, page })
    }

    fn importance(&self) -> u32 {
        (self.page.importance.unwrap_or_default() as f32).max(0.0).to_bits()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(url: &str, label: &str) -> Page {
        Page { cluster: Some(label.into()), ..Page::new(url) }
    }

    #[test]
    fn urls_come_back_byte_for_byte_in_an_order_of_their_own() {
        let urls = [
            "http://u:p@a.com:81/x//y/?a=1;b&a=2&=&",
            "http://a.com/?",
            "http://[::1]/",
            "https://a.com/é?q=%20",
        ];
        let pages = |order: &[usize]| order.iter().map(|&i| page(urls[i], "c")).collect::<Vec<_>>();
        let written = |site: &Site| -> Vec<String> {
            (0..site.len() as u32)
                .map(|row| {
                    let mut out = Vec::new();
                    site.write_url(row, &mut out);
                    String::from_utf8(out).unwrap()
                })
                .collect()
        };
        let one = written(&Site::new("a.com", &pages(&[0, 1, 2, 3]), 0));
        assert_eq!(one, written(&Site::new("a.com", &pages(&[3, 1, 2, 0]), 0)));
        let mut sorted = one.clone();
        sorted.sort();
        let mut expected = urls.map(String::from).to_vec();
        expected.sort();
        assert_eq!(sorted, expected);
    }

    #[test]
    fn another_label_whichever_it_came_from() {
        let digest = |url: &str, digest: &str| Page { digest: Some(digest.into()), ..Page::new(url) };
        let pages = [page("http://a/1", "c"), page("http://a/2", "d"), digest("http://a/3", "e")];
        let mut site = Site::new("a", &pages, 0);
        for row in 0..3 {
            site.relabel(row, 1);
            let seen = site.seen(row);
            assert_eq!((site.cluster(row), seen.cluster.or(seen.digest)), (1, Some(site.label(1))));
        }
    }

    #[test]
    fn without_labels_each_url_is_a_page() {
        let pages = ["http://a/1", "http://a/2", "HTTP://a/2", "nothing"].map(Page::new);
        let site = Site::of_urls("a", &pages);
        assert_eq!((site.len(), site.clusters(), site.contradictions, site.unlabelled), (2, 2, 0, 1));
    }

    #[test]
    fn doubled_and_unlabelled_pages_are_counted() {
        let pages = vec![
            page("http://a/", "1"),
            page("http://a/", "2"),
            page("http://a/", "1"),
            Page::new("http://b/"),
        ];
        let site = Site::new("a", &pages, 0);
        assert_eq!((site.len(), site.contradictions, site.unlabelled), (1, 1, 1));
    }
}
