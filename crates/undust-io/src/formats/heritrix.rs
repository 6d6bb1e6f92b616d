//! The `crawl.log` of Heritrix: timestamp, status, size, URI, discovery path, referrer, type, thread, fetch time, digest,
//! source, annotations, separated by runs of spaces.

use undust::page::Page;

use super::table::Column;
use super::{Fault, LineFormat, Parsed, is_crawlers_own};
use crate::problems::shown;

/// One fetch a line.
pub(super) struct Heritrix;

impl LineFormat for Heritrix {
    fn parse(&self, line: &[u8]) -> Parsed {
        let fields: Vec<&[u8]> = fields(line).take(10).collect();
        let &[time, status, size, url, _path, _referrer, _mime, _thread, _fetched, digest] =
            fields.as_slice()
        else {
            return not_a_fetch(line);
        };
        if !is_time(time) {
            return not_a_fetch(line);
        }
        // Below 100 stand Heritrix's own codes: a DNS lookup, or why nothing was fetched.
        if is_crawlers_own(url) || fetch_status(status)? < 100 {
            return Ok(None);
        }
        let mut page = Page::new(url);
        let known =
            [(Column::Time, time), (Column::Status, status), (Column::Size, size), (Column::Digest, digest)];
        for (column, value) in known {
            column.fill(&mut page, String::from_utf8_lossy(value))?;
        }
        Ok(Some(page))
    }
}

/// A log that was cut out of an archive begins with the header of the record it was kept in.
fn not_a_fetch(line: &[u8]) -> Parsed {
    if is_crawlers_own(line) {
        return Ok(None);
    }
    Err(Fault::from(format!("not a line of a crawl.log: {}", shown(line))))
}

fn fetch_status(field: &[u8]) -> Result<i32, String> {
    let number = str::from_utf8(field).ok().and_then(|text| text.parse().ok());
    number.ok_or_else(|| format!("{} is no valid status", shown(field)))
}

pub(super) fn is_line(line: &[u8]) -> bool {
    fields(line).next().is_some_and(is_time) && fields(line).count() >= 12
}

fn fields(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(u8::is_ascii_whitespace).filter(|field| !field.is_empty())
}

/// `2006-02-23T10:52:43.207Z`, however exact.
fn is_time(field: &[u8]) -> bool {
    const SHAPE: &[u8] = b"0000-00-00T00:00";
    field.len() >= SHAPE.len()
        && SHAPE
            .iter()
            .zip(field)
            .all(|(&shape, b)| if shape == b'0' { b.is_ascii_digit() } else { *b == shape })
}

#[cfg(test)]
mod tests {
    use super::super::tests::{assert_left_out, fault, page};
    use super::*;

    const FETCH: &str = "2012-05-23T15:06:30.128Z   200        913 http://www.xn--lejr-fra.dk/robots.txt LLP \
                         http://www.xn--lejr-fra.dk/ text/plain #017 20120523150629851+128 \
                         sha1:FNXOHI5LCGLX5BO2AG2RWEH4RLIO47ML http://www.xn--lejr-fra.dk/ content-size:913";

    #[test]
    fn a_fetch() {
        let expected = Page {
            digest: Some("sha1:FNXOHI5LCGLX5BO2AG2RWEH4RLIO47ML".into()),
            size: Some(913),
            status: Some(200),
            time: Some("2012-05-23T15:06:30.128Z".into()),
            ..Page::new("http://www.xn--lejr-fra.dk/robots.txt")
        };
        assert_eq!(page(&Heritrix, FETCH), expected);
        let unknown = FETCH.replace("sha1:FNXOHI5LCGLX5BO2AG2RWEH4RLIO47ML", "-").replace("  913", "  -");
        assert_eq!(page(&Heritrix, &unknown), Page { digest: None, size: None, ..expected });
        assert!(is_line(FETCH.as_bytes()));
    }

    #[test]
    fn what_is_no_fetch_of_a_page() {
        assert_left_out(
            &Heritrix,
            &[
                "2006-02-23T10:52:43.207Z 1 55 dns:www.kb.dk P http://www.kb.dk/ text/dns #049 20060223095242629+10 - - -",
                "2006-02-23T10:52:43.207Z -5003 - http://www.kb.dk/a L http://www.kb.dk/ no-type #049 - - - -",
                "metadata://netarkivet.dk/crawl/logs/crawl.log?jobid=6 130.226.228.8 20120523150916 text/plain 412905",
            ],
        );
    }

    #[test]
    fn bad_lines() {
        assert_eq!(
            fault(&Heritrix, "2006-02-23T10:52:43.207Z 200"),
            "not a line of a crawl.log: '2006-02-23T10:52:43.207Z 200'"
        );
        assert!(fault(&Heritrix, &FETCH.replace("2012-05-23T", "23 May ")).starts_with("not a line"));
        assert_eq!(fault(&Heritrix, &FETCH.replace("   200", "   ok")), "'ok' is no valid status");
        assert_eq!(fault(&Heritrix, &FETCH.replace("   200", "   99999")), "'99999' is no valid status");
    }
}
