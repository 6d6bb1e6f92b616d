//! From a record to a page.

use undust::page::{Body, Page};

use super::Held;
use super::body::{codings, decode};
use super::fields::{Fields, header_length};
use super::link;
use crate::formats::{Parsed, is_http};
use crate::problems::shown;

/// What the header of a record says of its page.
pub(super) struct Head {
    kind: Kind,
    url: Vec<u8>,
    time: Option<String>,
    digest: Option<String>,
    content_type: Option<String>,
}

/// The types of records that are pages.
enum Kind {
    /// An HTTP answer.
    Response,
    /// A file that came by other ways.
    Resource,
    /// What was fetched before and had not changed.
    Revisit {
        /// The server said so, and its answer is not that of the page.
        by_server: bool,
    },
}

impl Head {
    /// `None` for a record that holds no page.
    pub(super) fn new(fields: Fields<'_>) -> Result<Option<Head>, String> {
        let kind = fields.get("WARC-Type").ok_or("no WARC-Type")?;
        let kind = match kind.to_ascii_lowercase().as_slice() {
            b"response" => Kind::Response,
            b"resource" => Kind::Resource,
            b"revisit" => {
                let profile = fields.text("WARC-Profile").unwrap_or_default();
                Kind::Revisit { by_server: profile.contains("server-not-modified") }
            }
            _ => return Ok(None),
        };
        let url = fields.get("WARC-Target-URI").ok_or("no WARC-Target-URI")?;
        let url = without_brackets(&url);
        if !is_http(url) {
            return Ok(None);
        }
        let payload = fields.text("WARC-Payload-Digest");
        Ok(Some(Head {
            url: url.to_vec(),
            time: fields.text("WARC-Date"),
            digest: match kind {
                // All of it is payload.
                Kind::Resource => payload.or_else(|| fields.text("WARC-Block-Digest")),
                Kind::Response | Kind::Revisit { .. } => payload,
            },
            content_type: fields.text("Content-Type"),
            kind,
        }))
    }

    /// A page with what this header says of it.
    fn complete(self, page: Page) -> Page {
        Page { url: self.url, time: self.time, digest: self.digest, ..page }
    }
}

/// WARC 1.0 had `<` and `>` around URLs in its grammar, and wget took it at its word.
fn without_brackets(url: &[u8]) -> &[u8] {
    url.strip_prefix(b"<").and_then(|url| url.strip_suffix(b">")).unwrap_or(url)
}

/// The page in a record, and whether only a part of its body was taken.
pub(super) fn read(held: Held, max_body: usize) -> (Parsed, bool) {
    match held.head.kind {
        Kind::Response => response(held, max_body),
        Kind::Resource => resource(held, max_body),
        Kind::Revisit { by_server } => (Ok(Some(revisit(held, by_server))), false),
    }
}

fn resource(held: Held, max_body: usize) -> (Parsed, bool) {
    let Held { mut head, block: mut bytes, length } = held;
    bytes.truncate(max_body);
    let body = Some(Body { bytes, content_type: head.content_type.take(), ..Body::default() });
    let page = Page { status: Some(200), size: Some(length), body, ..Page::default() };
    (Ok(Some(head.complete(page))), length > max_body as u64)
}

/// The server's header may be there, but never a body.
fn revisit(held: Held, by_server: bool) -> Page {
    let mut page = Answer::new(&held.block).map_or_else(Page::default, |answer| answer.page());
    if by_server && held.head.digest.is_some() {
        page.status = Some(200);
    }
    held.head.complete(page)
}

fn response(held: Held, max_body: usize) -> (Parsed, bool) {
    let Held { head, mut block, length } = held;
    let Some(answer) = Answer::new(&block) else {
        let what =
            format!("not an HTTP answer: {}", shown(block.split(|&b| b == b'\n').next().unwrap_or_default()));
        return (Err(what.into()), false);
    };
    let mut page = answer.page();
    let (header_length, codings) = (answer.length, codings(answer.fields));
    let content_type = answer.fields.text("Content-Type");
    let is_held = length == block.len() as u64;
    block.drain(..header_length);
    let Some(decoded) = decode(block, &codings, max_body) else {
        return (Ok(Some(head.complete(page))), false);
    };
    let cut = decoded.cut || !is_held;
    page.size = if decoded.as_stored {
        Some(length - header_length as u64)
    } else {
        // How much more there is would only be known by decoding it all.
        (!cut).then_some(decoded.bytes.len() as u64)
    };
    page.body = Some(Body { bytes: decoded.bytes, content_type, ..Body::default() });
    (Ok(Some(head.complete(page))), cut)
}

/// The header of an HTTP answer.
struct Answer<'b> {
    status: u16,
    fields: Fields<'b>,
    length: usize,
}

impl<'b> Answer<'b> {
    fn new(block: &'b [u8]) -> Option<Answer<'b>> {
        let length = header_length(block);
        let header = &block[..length];
        let first_line = header.split_inclusive(|&b| b == b'\n').next()?;
        let status = status(first_line)?;
        Some(Answer { status, fields: Fields::new(&header[first_line.len()..]), length })
    }

    /// What the header says of the page.
    fn page(&self) -> Page {
        let redirects = (300..400).contains(&self.status);
        let mut links = self.fields.all("Link");
        Page {
            status: Some(self.status),
            redirect: self.fields.text("Location").filter(|_| redirects),
            no_vary_search: self.fields.text("No-Vary-Search"),
            canonical: links.find_map(|link| link::canonical(&String::from_utf8_lossy(&link))),
            ..Page::default()
        }
    }
}

/// The status in `HTTP/1.1 200 OK`.
fn status(line: &[u8]) -> Option<u16> {
    let behind_version = line.strip_prefix(b"HTTP/")?.split(|&b| b == b' ').skip(1);
    let word = behind_version.map(<[u8]>::trim_ascii).find(|word| !word.is_empty())?;
    let digits = str::from_utf8(word.get(..3)?).ok()?;
    digits.parse().ok().filter(|status| (100..1000).contains(status))
}
