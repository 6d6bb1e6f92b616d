//! A page: what a crawl or a log saw under one URL. Data only.

mod words;

use serde::{Deserialize, Serialize};

#[doc(hidden)]
pub use words::Words;

/// One crawled or logged URL with whatever is known of its content: the input of learning.
///
/// The URL is bytes, not text: real crawls hold URLs that are not UTF-8, and they must survive.
///
/// ```
/// use undust::Page;
///
/// let page = Page { cluster: Some("news-7".to_owned()), ..Page::new("http://example.com/7?sid=1") };
/// assert_eq!(page.label(), Some("news-7"));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Page {
    /// The URL as it was seen.
    pub url: Vec<u8>,
    /// A given duplicate-cluster label: equal labels, (near-)duplicate content.
    pub cluster: Option<String>,
    /// Content digest: equal digests, equal content.
    pub digest: Option<String>,
    /// 64-bit simhash of the text.
    pub simhash: Option<u64>,
    /// Response size in bytes.
    pub size: Option<u64>,
    /// HTTP status.
    pub status: Option<u16>,
    /// Page title.
    pub title: Option<String>,
    /// When it was seen, as the input wrote it.
    pub time: Option<String>,
    /// How much the URL matters (traffic, in-links, rank): greater is more.
    pub importance: Option<f64>,
    /// The page's own `rel=canonical`.
    pub canonical: Option<String>,
    /// Where the URL redirects to.
    pub redirect: Option<String>,
    /// The `No-Vary-Search` header of the response: parameters that the server ignores.
    pub no_vary_search: Option<String>,
    /// Whether the site's sitemap lists the URL, where there is one.
    pub sitemap: Option<bool>,
    /// The body of the response. Large: dropped once `text`, `title` and the like are read from it.
    pub body: Option<Body>,
    /// The text of the page.
    pub text: Option<String>,
    /// The words of the text, where the text itself was not kept.
    pub words: Option<Words>,
}

/// The content of a response, without its transfer and content encodings.
///
/// ```
/// let body = undust::Body { bytes: b"<p>Hello".to_vec(), content_type: Some("text/html".to_owned()), cut: false };
/// let page = undust::Page { body: Some(body), ..undust::Page::new("http://example.com/") };
/// assert!(page.body.is_some());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Body {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// The `Content-Type`.
    pub content_type: Option<String>,
    /// Whether more was sent than the bytes here.
    pub cut: bool,
}

impl Page {
    /// A page of which nothing but the URL is known.
    ///
    /// ```
    /// let page = undust::Page::new("http://example.com/");
    /// assert_eq!((page.url.as_slice(), page.label()), (&b"http://example.com/"[..], None));
    /// ```
    pub fn new(url: impl Into<Vec<u8>>) -> Page {
        Page { url: url.into(), ..Page::default() }
    }

    /// Approximate memory that the page takes, in bytes.
    pub fn memory_bytes(&self) -> u64 {
        let texts = [
            &self.cluster,
            &self.digest,
            &self.title,
            &self.time,
            &self.canonical,
            &self.redirect,
            &self.no_vary_search,
            &self.text,
        ];
        let body = self.body.as_ref().map_or(0, |body| body.bytes.capacity());
        let words = self.words.as_ref().map_or(0, |words| words.as_str().len());
        let heap = body + words + texts.into_iter().flatten().map(String::capacity).sum::<usize>();
        (size_of::<Page>() + self.url.capacity() + heap) as u64
    }

    /// The duplicate label: the given cluster, else the digest of a successful fetch.
    ///
    /// Digests of error pages and redirects say nothing about the page behind the URL, so they do not count.
    ///
    /// ```
    /// # use undust::Page;
    /// let mut page = Page { digest: Some("sha1:2c7d".to_owned()), ..Page::new("http://example.com/") };
    /// assert_eq!(page.label(), Some("sha1:2c7d"));
    /// page.status = Some(404);
    /// assert_eq!(page.label(), None);
    /// ```
    pub fn label(&self) -> Option<&str> {
        let fetched = self.status.is_none_or(|s| (200..300).contains(&s));
        self.cluster.as_deref().or(if fetched { self.digest.as_deref() } else { None })
    }
}
