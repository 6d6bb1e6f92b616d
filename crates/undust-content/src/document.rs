//! One fetched document: its visible text, its metadata and a digest of its bytes.

use xxhash_rust::xxh3::xxh3_128;

use crate::charset::decode;
use crate::html::{Visible, visible};

/// Bytes that are looked at to tell text from anything else.
const SNIFFED_BYTES: usize = 1024;

/// Text and metadata of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// The `<title>` of an HTML page, with white space collapsed.
    pub title: Option<String>,
    /// The visible text; empty for pictures, archives and the like. In HTML white space is collapsed: a line is a row of a table, of a list or
    /// of a preformatted text.
    pub text: String,
    /// The text without menus, headers, footers and what else stands around it; all of it where it cannot be told.
    pub main: String,
    /// What an HTML page names as its canonical URL, as it is written.
    pub canonical: Option<String>,
    /// What an HTML page's relative URLs are relative to, if not to its own.
    pub base: Option<String>,
    /// Where an HTML page sends its readers within seconds.
    pub refresh: Option<String>,
    /// Of the bytes as they came: equal for equal bytes, whatever they are.
    pub digest: u128,
}

/// How bytes are read.
#[derive(Clone, Copy, Debug, PartialEq)]
enum ContentKind {
    Html { xhtml: bool },
    Text,
    Binary,
}

impl Document {
    /// Reads the body of an answer, by its `Content-Type` where it has one and by its first bytes where it has none.
    pub fn read(bytes: &[u8], content_type: Option<&str>) -> Document {
        let visible = match kind(bytes, content_type) {
            ContentKind::Html { xhtml } => visible(&decode(bytes, content_type, true), xhtml),
            ContentKind::Text => plain(decode(bytes, content_type, false)),
            ContentKind::Binary => Visible::default(),
        };
        Document {
            title: visible.title.map(trimmed),
            text: trimmed(visible.text),
            main: trimmed(visible.main),
            canonical: visible.canonical,
            base: visible.base,
            refresh: visible.refresh,
            digest: xxh3_128(bytes),
        }
    }
}

/// Lines stay lines: `robots.txt` is read by them.
fn plain(text: String) -> Visible {
    Visible { main: text.clone(), text, ..Visible::default() }
}

fn trimmed(mut text: String) -> String {
    text.truncate(text.trim_end().len());
    text
}

fn kind(bytes: &[u8], content_type: Option<&str>) -> ContentKind {
    let media =
        content_type.unwrap_or_default().split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let (class, name) = media.split_once('/').unwrap_or((&media, ""));
    match (class, name) {
        ("text", "html") => ContentKind::Html { xhtml: false },
        ("application", "xhtml+xml") => ContentKind::Html { xhtml: true },
        ("image", "svg+xml") | ("application", "json" | "xml" | "javascript") => ContentKind::Text,
        ("image" | "audio" | "video" | "font", _) | ("application", "octet-stream" | "pdf" | "zip") => {
            ContentKind::Binary
        }
        // Servers call what they do not know text/plain.
        ("text", _) => {
            if looks_binary(bytes) {
                ContentKind::Binary
            } else {
                ContentKind::Text
            }
        }
        _ if name.ends_with("+json") || name.ends_with("+xml") => ContentKind::Text,
        _ => sniffed(bytes),
    }
}

fn sniffed(bytes: &[u8]) -> ContentKind {
    if looks_binary(bytes) {
        return ContentKind::Binary;
    }
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(SNIFFED_BYTES)]).to_ascii_lowercase();
    // Tags stand in sources and in JSON, too; HTML begins with one.
    let begins = head.trim_start_matches(['\u{feff}', ' ', '\t', '\r', '\n']).starts_with('<');
    let tags = ["<!doctype html", "<html", "<head", "<body", "<title", "<meta", "<p>", "<div", "<table"];
    let html = begins && tags.iter().any(|tag| head.contains(tag));
    if html { ContentKind::Html { xhtml: false } } else { ContentKind::Text }
}

/// A NUL byte, in what is not UTF-16 by its byte order mark.
fn looks_binary(bytes: &[u8]) -> bool {
    let marked = bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff");
    !marked && bytes[..bytes.len().min(SNIFFED_BYTES)].contains(&0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn html_by_type_and_by_content() {
        let page = b"  <html><title>T</title><p>one\n two";
        for content_type in
            [Some("text/html; charset=utf-8"), Some("TEXT/HTML"), Some("application/xhtml+xml"), None]
        {
            let document = Document::read(page, content_type);
            assert_eq!(
                (document.title.as_deref(), &*document.text),
                (Some("T"), "one two"),
                "{content_type:?}"
            );
        }
    }

    #[test]
    fn text_is_taken_as_it_is() {
        for content_type in
            [Some("text/plain"), Some("application/json"), Some("application/ld+json"), Some("x")]
        {
            assert_eq!(
                Document::read(b"{ \"a\":\n 1 } ", content_type).text,
                "{ \"a\":\n 1 }",
                "{content_type:?}"
            );
        }
        assert_eq!(Document::read(b"a <p> b", Some("text/plain")).text, "a <p> b");
    }

    #[test]
    fn pictures_have_a_digest_only() {
        let picture = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";
        for content_type in [Some("image/png"), Some("text/plain"), Some("application/octet-stream"), None] {
            let document = Document::read(picture, content_type);
            assert_eq!((&*document.text, document.title), ("", None), "{content_type:?}");
            assert_eq!(document.digest, Document::read(picture, Some("image/gif")).digest);
            assert_ne!(document.digest, Document::read(b"\0", None).digest);
        }
    }

    #[test]
    fn utf16_is_text() {
        assert_eq!(Document::read(b"\xff\xfeh\0i\0", None).text, "hi");
    }
}
