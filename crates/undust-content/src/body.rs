//! From what a server sent to what is known of a page.

use undust::page::{Body, Page};
use url::Url;
use xxhash_rust::xxh3::xxh3_128;

use crate::document::Document;

/// Reads the body of a page for its main text, title, digest, canonical URL and redirect, and drops it: it is the largest part of
/// a page by far. What the input itself said of the page stays.
pub fn read_body(page: &mut Page) {
    if let Some(canonical) = &page.canonical {
        page.canonical = resolve(&page.url, None, canonical).or(page.canonical.take());
    }
    if let (None, Some(text), None) = (&page.body, &page.text, &page.digest) {
        page.digest = Some(format!("{:032x}", xxh3_128(text.as_bytes())));
    }
    if let Some(Body { bytes, content_type, cut }) = page.body.take() {
        let document = Document::read(&bytes, content_type.as_deref());
        let resolved = |reference: &str| resolve(&page.url, document.base.as_deref(), reference);
        let canonical = document.canonical.as_deref().and_then(resolved);
        let refresh = document.refresh.as_deref().and_then(resolved);
        page.canonical = page.canonical.take().or(canonical);
        // A page that loads itself again leads nowhere.
        page.redirect = page.redirect.take().or(refresh.filter(|target| target.as_bytes() != page.url));
        if !cut {
            page.digest.get_or_insert_with(|| format!("{:032x}", document.digest));
        }
        page.size.get_or_insert(bytes.len() as u64);
        page.title = page.title.take().or(document.title).filter(|title| !title.is_empty());
        page.text = page.text.take().or(Some(document.main)).filter(|text| !text.is_empty());
    }
}

/// The URL that a page's reference leads to, without its fragment; none where that cannot be told.
pub fn resolve(url: &[u8], base: Option<&str>, reference: &str) -> Option<String> {
    let mut start = Url::parse(str::from_utf8(url).ok()?).ok()?;
    if let Some(base) = base {
        start = start.join(base).ok()?;
    }
    let mut target = start.join(reference).ok()?;
    target.set_fragment(None);
    target.has_host().then(|| target.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(html: &str, page: Page) -> Page {
        let body = Some(Body { bytes: html.into(), content_type: None, ..Body::default() });
        let mut page = Page { body, ..page };
        read_body(&mut page);
        assert_eq!(page.body, None);
        page
    }

    #[test]
    fn a_body_is_read_and_dropped() {
        let html = "<title>Bees</title><base href=/b/><link rel=canonical href=hive#top>
            <meta http-equiv=refresh content='0; url=../c'><nav>Home</nav><p>Bees fly.";
        let page = read(html, Page::new("http://a.org/x?y"));
        assert_eq!(page.canonical.as_deref(), Some("http://a.org/b/hive"));
        assert_eq!(page.redirect.as_deref(), Some("http://a.org/c"));
        assert_eq!((page.title.as_deref(), page.text.as_deref()), (Some("Bees"), Some("Bees fly.")));
        assert_eq!((page.size, page.digest.map(|d| d.len())), (Some(html.len() as u64), Some(32)));
    }

    #[test]
    fn what_is_known_stays() {
        let known = Page {
            digest: Some("sha1:X".into()),
            title: Some("T".into()),
            size: Some(1),
            ..Page::new("http://a.org/")
        };
        let page = read("<title>Bees</title>", known.clone());
        assert_eq!(page, known);
    }

    #[test]
    fn the_digest_is_of_all_or_of_nothing() {
        let body = Some(Body { bytes: b"beginning".to_vec(), cut: true, ..Body::default() });
        let mut page = Page { body, ..Page::new("http://a.org/") };
        read_body(&mut page);
        assert_eq!((page.digest, page.text.as_deref()), (None, Some("beginning")));
        let mut page = Page { text: Some("text".into()), ..Page::new("http://a.org/") };
        read_body(&mut page);
        assert!(page.digest.is_some());
    }

    #[test]
    fn a_page_that_loads_itself_is_no_redirect() {
        let html = "<meta http-equiv=refresh content='0; url=/x'>";
        assert_eq!(read(html, Page::new("http://a.org/x")).redirect, None);
    }

    #[test]
    fn odd_references() {
        for (url, reference) in
            [("mailto:x", "y"), ("http://a.org/", "http://"), ("http://a.org/", "javascript:void(0)")]
        {
            assert_eq!(resolve(url.as_bytes(), None, reference), None, "{reference}");
        }
        assert_eq!(resolve(b"http://a.org/\xff", None, "/x"), None);
    }
}
