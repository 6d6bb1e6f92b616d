//! The names under which files give what is known of a page, and how their values are read: for TSV, CSV and JSON alike.

use std::borrow::Cow;
use std::str::FromStr;

use undust::page::{Body, Page, Words};

use crate::error::{LineError, ReadErrorKind};
use crate::problems::shown;

/// A field of [`Page`] as a named column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Column {
    Url,
    Cluster,
    Digest,
    Simhash,
    Size,
    Status,
    Title,
    Time,
    Importance,
    Canonical,
    Redirect,
    NoVarySearch,
    Sitemap,
    Html,
    Text,
    Words,
}

/// Our names, then those of the Common Crawl index, of Nutch and of web-archive tools.
const NAMES: [(&str, Column); 23] = [
    ("url", Column::Url),
    ("cluster", Column::Cluster),
    ("digest", Column::Digest),
    ("simhash", Column::Simhash),
    ("size", Column::Size),
    ("status", Column::Status),
    ("title", Column::Title),
    ("time", Column::Time),
    ("importance", Column::Importance),
    ("canonical", Column::Canonical),
    ("redirect", Column::Redirect),
    ("no_vary_search", Column::NoVarySearch),
    ("sitemap", Column::Sitemap),
    ("html", Column::Html),
    ("text", Column::Text),
    ("undust_words", Column::Words),
    ("content_digest", Column::Digest),
    ("fetch_status", Column::Status),
    ("fetch_redirect", Column::Redirect),
    ("fetch_time", Column::Time),
    ("signature", Column::Digest),
    ("timestamp", Column::Time),
    ("ts", Column::Time),
];

impl Column {
    /// The column of that name, in any case.
    pub(crate) fn named(name: &str) -> Option<Column> {
        NAMES.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|&(_, column)| column)
    }

    /// Put `value` into its place in `page`. Empty and `-` mean that it is not known, but for the URL.
    pub(crate) fn fill(self, page: &mut Page, value: Cow<'_, str>) -> Result<(), LineError> {
        let is_unknown = matches!(value.as_ref(), "" | "-");
        match self {
            Column::Url => page.url = value.into_owned().into_bytes(),
            _ if is_unknown => {}
            Column::Cluster => page.cluster = Some(value.into_owned()),
            Column::Digest => page.digest = Some(value.into_owned()),
            Column::Simhash => page.simhash = Some(simhash(&value)?),
            Column::Size => page.size = Some(whole_number("size", &value)?),
            Column::Status => page.status = Some(whole_number("status", &value)?),
            Column::Title => page.title = Some(value.into_owned()),
            Column::Time => page.time = Some(value.into_owned()),
            Column::Importance => page.importance = Some(importance(&value)?),
            Column::Canonical => page.canonical = Some(value.into_owned()),
            Column::Redirect => page.redirect = Some(value.into_owned()),
            Column::NoVarySearch => page.no_vary_search = Some(value.into_owned()),
            Column::Sitemap => page.sitemap = Some(yes_or_no("sitemap", &value)?),
            Column::Html => page.body = Some(html(value.into_owned())),
            Column::Text => page.text = Some(value.into_owned()),
            Column::Words => {
                page.words = Some(Words::parse(&value).ok_or_else(|| invalid("list of words", &value))?);
            }
        }
        Ok(())
    }
}

impl Column {
    /// The columns of the tables that we write, under our own names.
    pub(crate) const WRITTEN: [Column; 13] = [
        Column::Url,
        Column::Cluster,
        Column::Digest,
        Column::Simhash,
        Column::Size,
        Column::Status,
        Column::Title,
        Column::Time,
        Column::Importance,
        Column::Canonical,
        Column::Redirect,
        Column::NoVarySearch,
        Column::Sitemap,
    ];

    pub(crate) fn name(self) -> &'static str {
        NAMES.iter().find(|(_, column)| *column == self).map_or("", |(name, _)| name)
    }

    /// The value of `page` as [`Column::fill`] reads it; none for the URL, which is no text.
    pub(crate) fn value(self, page: &Page) -> Option<String> {
        match self {
            Column::Url | Column::Html => None,
            Column::Cluster => page.cluster.clone(),
            Column::Digest => page.digest.clone(),
            Column::Simhash => page.simhash.map(|bits| format!("{bits:016x}")),
            Column::Size => page.size.map(|size| size.to_string()),
            Column::Status => page.status.map(|status| status.to_string()),
            Column::Title => page.title.clone(),
            Column::Time => page.time.clone(),
            Column::Importance => page.importance.map(|value| value.to_string()),
            Column::Canonical => page.canonical.clone(),
            Column::Redirect => page.redirect.clone(),
            Column::NoVarySearch => page.no_vary_search.clone(),
            Column::Sitemap => page.sitemap.map(|listed| listed.to_string()),
            Column::Text => page.text.clone(),
            Column::Words => page.words.as_ref().map(|words| words.as_str().to_owned()),
        }
    }
}

/// The columns of a table, in its order; `None` for those that say nothing about a page.
pub(crate) struct Header(Vec<Option<Column>>);

impl Header {
    /// The columns named in `cells`, one of which must be the URL.
    pub(crate) fn new<'c>(cells: impl Iterator<Item = &'c [u8]>) -> Result<Header, ReadErrorKind> {
        let names: Vec<_> = cells.map(|cell| String::from_utf8_lossy(unquoted(cell))).collect();
        let columns: Vec<_> = names.iter().map(|name| Column::named(name)).collect();
        if columns.contains(&Some(Column::Url)) {
            Ok(Header(columns))
        } else {
            Err(ReadErrorKind::MissingColumn { column: "url", header: shown(names.join(", ").as_bytes()) })
        }
    }

    /// The columns, in the order of the table.
    #[cfg(feature = "arrow")]
    pub(crate) fn columns(&self) -> impl Iterator<Item = Option<Column>> {
        self.0.iter().copied()
    }

    /// The columns that say something about a page, and where they stand.
    #[cfg(feature = "parquet")]
    pub(crate) fn known(self) -> (Header, Vec<usize>) {
        let known = self.0.into_iter().enumerate().filter(|(_, column)| column.is_some());
        let (places, columns) = known.unzip();
        (Header(columns), places)
    }

    /// The page in a row. Cells may be missing at the end, but not the URL.
    pub(super) fn page<'c>(&self, cells: impl Iterator<Item = &'c [u8]>) -> Result<Page, LineError> {
        let mut page = Page::default();
        for (column, cell) in self.0.iter().zip(cells) {
            match column {
                None => {}
                // URLs are bytes; everything else is text.
                Some(Column::Url) => page.url = cell.to_vec(),
                Some(column) => column.fill(&mut page, String::from_utf8_lossy(cell))?,
            }
        }
        Ok(page)
    }
}

/// Whether `line` can be the header of a table with this separator.
pub(super) fn is_header(line: &[u8], separator: u8) -> bool {
    let has_url = line.split(|&b| b == separator).any(|cell| unquoted(cell).eq_ignore_ascii_case(b"url"));
    // A column is called `url`; it is not one.
    has_url && !line.windows(3).any(|w| w == b"://")
}

/// A cell without the space and the pair of quotes around it.
pub(super) fn unquoted(cell: &[u8]) -> &[u8] {
    let cell = cell.trim_ascii();
    cell.strip_prefix(b"\"").and_then(|cell| cell.strip_suffix(b"\"")).unwrap_or(cell)
}

/// A count. Data frames write whole numbers as `200.0` where some are missing.
fn whole_number<N: FromStr>(column: &'static str, value: &str) -> Result<N, LineError> {
    let digits = value.strip_suffix(".0").unwrap_or(value);
    digits.parse().map_err(|_| invalid(column, value))
}

/// What crawlers put under this name may be anything that a server sent, so its type is left open; but the text has been decoded
/// already, whatever it says of its charset.
fn html(text: String) -> Body {
    Body { bytes: text.into_bytes(), content_type: Some("; charset=utf-8".to_owned()), ..Body::default() }
}

fn yes_or_no(column: &'static str, value: &str) -> Result<bool, LineError> {
    match value {
        "true" | "1" => Ok(true),
        "false" | "0" => Ok(false),
        _ => Err(invalid(column, value)),
    }
}

fn importance(value: &str) -> Result<f64, LineError> {
    let finite = value.parse().ok().filter(|number: &f64| number.is_finite());
    finite.ok_or_else(|| invalid("importance", value))
}

/// 16 hexadecimal digits, any number of them behind `0x`, or a decimal number.
fn simhash(value: &str) -> Result<u64, LineError> {
    let (digits, radix) = match value.strip_prefix("0x") {
        Some(digits) => (digits, 16),
        None if value.len() == 16 => (value, 16),
        None => (value, 10),
    };
    u64::from_str_radix(digits, radix).map_err(|_| invalid("simhash", value))
}

fn invalid(column: &'static str, value: &str) -> LineError {
    LineError::InvalidValue { column, value: shown(value.as_bytes()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(column: Column, value: &str) -> Result<Page, LineError> {
        let mut page = Page::default();
        column.fill(&mut page, value.into()).map(|()| page)
    }

    #[test]
    fn names_of_others_are_understood() {
        assert_eq!(Column::named("URL"), Some(Column::Url));
        assert_eq!(Column::named("content_digest"), Some(Column::Digest));
        assert_eq!(Column::named("content_mime_type"), None);
    }

    #[test]
    fn numbers_and_what_is_none() {
        assert_eq!(filled(Column::Size, "18811").unwrap().size, Some(18_811));
        assert_eq!(filled(Column::Status, "200.0").unwrap().status, Some(200));
        assert_eq!(filled(Column::Importance, "0.25").unwrap().importance, Some(0.25));
        for unknown in ["", "-"] {
            assert_eq!(filled(Column::Size, unknown), Ok(Page::default()));
        }
        assert_eq!(filled(Column::Status, "99999").unwrap_err().to_string(), "'99999' is no valid status");
        assert_eq!(filled(Column::Size, "-5").unwrap_err().to_string(), "'-5' is no valid size");
        assert_eq!(
            filled(Column::Importance, "NaN").unwrap_err().to_string(),
            "'NaN' is no valid importance"
        );
    }

    #[test]
    fn words_of_a_recording() {
        let words = Words::new([5, 0, 7]);
        assert_eq!(filled(Column::Words, words.as_str()).unwrap().words, Some(words));
        assert_eq!(
            filled(Column::Words, "2AAA").unwrap_err().to_string(),
            "'2AAA' is no valid list of words"
        );
    }

    #[test]
    fn simhash_in_hexadecimal_or_decimal() {
        let cases =
            [("00000000000000ff", 255), ("0xff", 255), ("255", 255), ("18446744073709551615", u64::MAX)];
        for (text, value) in cases {
            assert_eq!(simhash(text), Ok(value), "{text}");
        }
        for wrong in ["ff", "0x", "1234567890abcdeg", "-1"] {
            assert!(simhash(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn headers_are_told_from_rows() {
        for header in ["url", "cluster\turl", "\"URL\"\t\"Size\"", " Url \tx"] {
            assert!(is_header(header.as_bytes(), b'\t'), "{header}");
        }
        for row in ["", "http://a/\turl", "urls\tsize", "url,size"] {
            assert!(!is_header(row.as_bytes(), b'\t'), "{row}");
        }
    }
}
