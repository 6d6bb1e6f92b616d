//! Web-archive indexes: CDX (fields by letters, space-separated) and CDXJ (a JSON object a line).

use std::borrow::Cow;

use serde::Deserialize;
use undust::page::Page;

use super::json::{self, Scalar};
use super::table::Column;
use super::{Fault, LineFormat, Parsed, is_crawlers_own};
use crate::error::ReadErrorKind;
use crate::problems::shown;

/// What stands before the letters in a header.
const HEADER: &[u8] = b" CDX ";
const CDX_11: &[u8] = b"NbamskrMSVg";
const CDX_9: &[u8] = b"NbamskrVg";

/// CDX with the letters of its header; without a header they follow from the number of fields.
pub(super) struct Cdx {
    letters: Option<Vec<u8>>,
}

impl Cdx {
    pub(super) fn new(first_line: &[u8]) -> Result<Cdx, ReadErrorKind> {
        let Some(fields) = first_line.strip_prefix(HEADER) else { return Ok(Cdx { letters: None }) };
        let letters: Vec<u8> = fields.iter().copied().filter(|b| !b.is_ascii_whitespace()).collect();
        if letters.contains(&b'a') {
            Ok(Cdx { letters: Some(letters) })
        } else {
            Err(ReadErrorKind::MissingColumn { column: "a", header: shown(first_line) })
        }
    }

    fn letters(&self, fields: usize) -> &[u8] {
        match &self.letters {
            Some(letters) => letters,
            None if fields >= CDX_11.len() => CDX_11,
            None => CDX_9,
        }
    }
}

impl LineFormat for Cdx {
    fn parse(&self, line: &[u8]) -> Parsed {
        if is_header(line) {
            return Ok(None);
        }
        let fields: Vec<&[u8]> = line.trim_ascii().split(|&b| b == b' ').collect();
        let letters = self.letters(fields.len());
        if fields.len() < letters.len() {
            return Err(Fault::from(format!(
                "{} fields of {} in {}",
                fields.len(),
                letters.len(),
                shown(line)
            )));
        }
        let field = |letter| letters.iter().position(|&l| l == letter).map_or(&b""[..], |at| fields[at]);
        capture(
            field(b'a').to_vec(),
            &String::from_utf8_lossy(field(b'm')),
            [
                (Column::Time, String::from_utf8_lossy(field(b'b'))),
                (Column::Status, String::from_utf8_lossy(field(b's'))),
                (Column::Digest, String::from_utf8_lossy(field(b'k'))),
                (Column::Redirect, String::from_utf8_lossy(field(b'r'))),
                (Column::Size, String::from_utf8_lossy(field(b'S'))),
            ],
        )
    }
}

/// `key timestamp {"url": …}`
pub(super) struct Cdxj;

/// What we take from the object of a CDXJ line; some writers give numbers as numbers, most as texts.
#[derive(Deserialize)]
struct CdxjFields<'t> {
    #[serde(borrow)]
    url: Cow<'t, str>,
    #[serde(borrow, default)]
    mime: Scalar<'t>,
    #[serde(borrow, default)]
    status: Scalar<'t>,
    #[serde(borrow, default)]
    digest: Scalar<'t>,
    #[serde(borrow, default)]
    redirect: Scalar<'t>,
    #[serde(borrow, default)]
    length: Scalar<'t>,
}

impl LineFormat for Cdxj {
    fn parse(&self, line: &[u8]) -> Parsed {
        // Lines about the file itself, as in `!meta 0 ---` of sharded indexes.
        if line.starts_with(b"!") {
            return Ok(None);
        }
        let Some((time, object)) = cdxj_parts(line) else {
            return Err(Fault::from(format!("not 'key timestamp {{…}}': {}", shown(line))));
        };
        let text = String::from_utf8_lossy(object);
        let fields: CdxjFields = json::parse(&text)?;
        let url = match text {
            Cow::Borrowed(_) => fields.url.as_bytes().to_vec(),
            Cow::Owned(_) => json::url_bytes(object)?,
        };
        capture(
            url,
            &fields.mime.into_text(),
            [
                (Column::Time, String::from_utf8_lossy(time)),
                (Column::Status, fields.status.into_text()),
                (Column::Digest, fields.digest.into_text()),
                (Column::Redirect, fields.redirect.into_text()),
                (Column::Size, fields.length.into_text()),
            ],
        )
    }
}

/// The page of a capture; `None` where the archive speaks of something else than a response.
fn capture(url: Vec<u8>, mime: &str, fields: [(Column, Cow<'_, str>); 5]) -> Parsed {
    if is_crawlers_own(&url) || matches!(mime, "warc/request" | "warc/metadata" | "warc/warcinfo") {
        return Ok(None);
    }
    let mut page = Page::new(url);
    for (column, value) in fields {
        column.fill(&mut page, value)?;
    }
    // A revisit says "same digest as before"; status and length are those of the short record that says so.
    if mime == "warc/revisit" {
        (page.status, page.size) = (None, None);
    }
    Ok(Some(page))
}

pub(super) fn is_header(line: &[u8]) -> bool {
    line.starts_with(HEADER)
}

pub(super) fn is_cdx_line(line: &[u8]) -> bool {
    let mut fields = line.trim_ascii().split(|&b| b == b' ');
    fields.nth(1).is_some_and(is_timestamp) && fields.count() >= CDX_9.len() - 2
}

pub(super) fn is_cdxj_line(line: &[u8]) -> bool {
    cdxj_parts(line).is_some_and(|(time, object)| is_timestamp(time) && object.starts_with(b"{"))
}

/// The timestamp and the object behind the key.
fn cdxj_parts(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let mut parts = line.splitn(3, |&b| b == b' ').skip(1);
    Some((parts.next()?, parts.next()?))
}

fn is_timestamp(field: &[u8]) -> bool {
    field.len() == 14 && field.iter().all(u8::is_ascii_digit)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{assert_left_out, fault, page};
    use super::*;

    fn iana() -> Page {
        Page {
            digest: Some("OSSAPWJ23L56IYVRW3GFEAR4MCJMGPTB".into()),
            size: Some(2258),
            status: Some(200),
            time: Some("20140126200624".into()),
            ..Page::new("http://www.iana.org/")
        }
    }

    #[test]
    fn eleven_nine_and_lettered_fields() {
        let plain = Cdx::new(b"").unwrap();
        let eleven = "org,iana)/ 20140126200624 http://www.iana.org/ text/html 200 \
                      OSSAPWJ23L56IYVRW3GFEAR4MCJMGPTB - - 2258 334 iana.warc.gz";
        assert_eq!(page(&plain, eleven), iana());
        let nine = "org,iana)/ 20140126200624 http://www.iana.org/ text/html 200 \
                    OSSAPWJ23L56IYVRW3GFEAR4MCJMGPTB - 334 iana.warc.gz";
        assert_eq!(page(&plain, nine), Page { size: None, ..iana() });
        let lettered = Cdx::new(b" CDX b k s S a").unwrap();
        let line = "20140126200624 OSSAPWJ23L56IYVRW3GFEAR4MCJMGPTB 200 2258 http://www.iana.org/";
        assert_eq!(page(&lettered, line), iana());
        assert_left_out(&lettered, &[" CDX b k s S a"]);
        assert!(Cdx::new(b" CDX N b").is_err());
    }

    #[test]
    fn redirects_revisits_and_other_records() {
        let cdx = Cdx::new(b"").unwrap();
        let redirect = "org,archive)/ 20120103092542 http://archive.org/ text/html 302 \
                        KON64XRCHHXV6TV36Q6JD4TG7NJ2NWBW http://www.archive.org/index.php - 488 24136753 w.gz";
        assert_eq!(page(&cdx, redirect).redirect.as_deref(), Some("http://www.archive.org/index.php"));
        let revisit =
            "org,iana)/ 20140126200912 http://www.iana.org/ warc/revisit - LNMEDYOENSOEI5VP - - 546 667 w.gz";
        let revisit = page(&cdx, revisit);
        assert_eq!(revisit.digest.as_deref(), Some("LNMEDYOENSOEI5VP"));
        assert_eq!((revisit.status, revisit.size), (None, None));
        assert_left_out(
            &cdx,
            &[
                "org,iana)/ 20140126200912 http://www.iana.org/ warc/request - LNMEDYOENSOEI5VP - - 546 667 w.gz",
                "dns:iana.org 20140126200912 dns:www.iana.org text/dns - LNMEDYOENSOEI5VP - - 546 667 w.gz",
            ],
        );
    }

    #[test]
    fn json_with_texts_or_numbers() {
        let texts = r#"org,iana)/ 20140126200624 {"url": "http://www.iana.org/", "mime": "text/html", "status": "200", "digest": "OSSAPWJ23L56IYVRW3GFEAR4MCJMGPTB", "length": "2258", "offset": "334", "filename": "iana.warc.gz"}"#;
        assert_eq!(page(&Cdxj, texts), iana());
        assert_eq!(page(&Cdxj, &texts.replace(r#""200""#, "200")), iana());
        let revisit = texts.replace("text/html", "warc/revisit");
        assert_eq!(page(&Cdxj, &revisit), Page { status: None, size: None, ..iana() });
        assert_left_out(&Cdxj, &["!meta 0 ---", r#"k 20140126200624 {"url": "dns:iana.org"}"#]);
        let raw = Cdxj.parse(b"k 20140126200624 {\"url\": \"http://a/\xe9\"}").unwrap().unwrap();
        assert_eq!(raw.url, b"http://a/\xe9");
    }

    #[test]
    fn bad_lines() {
        let cdx = Cdx::new(b"").unwrap();
        assert_eq!(fault(&cdx, "a b c"), "3 fields of 9 in 'a b c'");
        let shifted = "k 20140126200624 http://a/x y text/html 200 D - - 2258 334 w.gz";
        assert_eq!(fault(&cdx, shifted), "'text/html' is no valid status");
        assert_eq!(fault(&Cdxj, "abc"), "not 'key timestamp {…}': 'abc'");
        assert!(fault(&Cdxj, "k 20140126200624 {}").starts_with("missing field `url`"));
    }
}
