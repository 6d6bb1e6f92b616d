//! Tab-separated values with a header line, one page a line.

use memchr::memchr;

use super::table::{self, Header, unquoted};
use super::{LineFormat, Parsed};
use crate::error::ReadErrorKind;

/// A table by its header.
pub(super) struct Tsv {
    header: Header,
    header_line: Vec<u8>,
    /// There is no quoting in TSV, but some tools put every text in quotes; their header shows it.
    quoted: bool,
}

impl Tsv {
    pub(super) fn new(header_line: &[u8]) -> Result<Tsv, ReadErrorKind> {
        let header = Header::new(cells(header_line))?;
        Ok(Tsv { header, header_line: header_line.to_vec(), quoted: header_line.starts_with(b"\"") })
    }
}

impl LineFormat for Tsv {
    fn parse(&self, line: &[u8]) -> Parsed {
        // Also where files were put one behind the other.
        if line == self.header_line {
            return Ok(None);
        }
        let page = if self.quoted {
            self.header.page(cells(line).map(unquoted))
        } else {
            self.header.page(cells(line))
        };
        Ok(Some(page?))
    }
}

pub(super) fn is_header(line: &[u8]) -> bool {
    table::is_header(line, b'\t')
}

fn cells(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = Some(line);
    std::iter::from_fn(move || {
        let line = rest?;
        let tab = memchr(b'\t', line);
        rest = tab.map(|tab| &line[tab + 1..]);
        Some(&line[..tab.unwrap_or(line.len())])
    })
}

#[cfg(test)]
mod tests {
    use undust::page::Page;

    use super::super::tests::{assert_left_out, fault, page};
    use super::*;

    #[test]
    fn columns_by_name_in_any_order() {
        let tsv = Tsv::new(b"size\tnote\turl\tcluster\tsimhash").unwrap();
        let expected = Page {
            cluster: Some("c0".into()),
            size: Some(18_811),
            simhash: Some(0xff),
            ..Page::new("http://www.computer-forum.net/viewtopic.php?t=4898")
        };
        let line = "18811\tx\thttp://www.computer-forum.net/viewtopic.php?t=4898\tc0\t00000000000000ff";
        assert_eq!(page(&tsv, line), expected);
        assert_eq!(page(&tsv, "-\t\thttp://a/"), Page::new("http://a/"));
        assert_left_out(&tsv, &["size\tnote\turl\tcluster\tsimhash"]);
    }

    #[test]
    fn bad_rows() {
        let tsv = Tsv::new(b"size\turl").unwrap();
        assert_eq!(fault(&tsv, "many\thttp://a/"), "'many' is no valid size");
        assert_eq!(page(&tsv, "12").url, b"", "the reader refuses pages without a URL");
        assert!(Tsv::new(b"link\tsize").is_err());
    }

    #[test]
    fn bytes_that_are_not_utf8() {
        let tsv = Tsv::new(b"url\ttitle").unwrap();
        let page = tsv.parse(b"http://a/caf\xe9\tCaf\xe9").unwrap().unwrap();
        assert_eq!(page.url, b"http://a/caf\xe9");
        assert_eq!(page.title.as_deref(), Some("Caf\u{fffd}"));
    }

    #[test]
    fn quotes_go_only_where_the_header_has_them() {
        let quoted = Tsv::new(b"\"url\"\t\"size\"").unwrap();
        assert_eq!(page(&quoted, "\"http://a/\"\t12").url, b"http://a/");
        let plain = Tsv::new(b"url\tsize").unwrap();
        assert_eq!(page(&plain, "\"http://a/\"\t12").url, b"\"http://a/\"");
    }
}
