//! One file per format. Most are read line by line, each line by itself, so that blocks parse side by side; CSV and WARC
//! by records, folders by files.

mod cdx;
mod csv;
mod folder;
mod heritrix;
mod json;
mod jsonl;
mod log;
mod table;
mod tsv;
mod urls;
mod warc;

use undust::page::Page;

use crate::Format;
use crate::blocks::lines;
use crate::error::{LineError, ReadErrorKind};
use crate::read::ReadOptions;

pub(crate) use csv::Csv;
pub(crate) use folder::{Folder, SavedFile};
pub(crate) use table::Column;
#[cfg(feature = "arrow")]
pub(crate) use table::Header;
pub(crate) use warc::{Record, Records};

/// A format in which each line can be understood by itself.
pub(crate) trait LineFormat: Sync {
    /// The page that a line holds; `None` when the line is fine but holds none. Blank lines never come here.
    fn parse(&self, line: &[u8]) -> Parsed;
}

/// What was found in a line.
pub(crate) type Parsed = Result<Option<Page>, Fault>;

/// What became of one line, record or file.
pub(crate) struct Outcome {
    /// 1-based.
    pub(crate) number: u64,
    pub(crate) parsed: Parsed,
    /// Whether the page has only a part of its body.
    pub(crate) cut: bool,
}

/// Why a line holds no page although it should.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The line is wrong; the run goes on without it.
    Bad(LineError),
    /// The line is fine, but the user did not say which host it belongs to: no use in going on.
    NeedsHost(String),
}

impl From<LineError> for Fault {
    fn from(error: LineError) -> Fault {
        Fault::Bad(error)
    }
}

impl From<String> for Fault {
    fn from(message: String) -> Fault {
        Fault::Bad(LineError::Malformed(message))
    }
}

/// The reader of `format`, told what it needs to know by the head of the input; `None` for what is not by lines.
pub(crate) fn line_format(
    format: Format,
    head: &[u8],
    options: &ReadOptions,
) -> Result<Option<Box<dyn LineFormat>>, ReadErrorKind> {
    let first_line = first_line(head);
    Ok(Some(match format {
        Format::Csv | Format::Warc | Format::Parquet | Format::Folder | Format::Arrow => return Ok(None),
        Format::Tsv => Box::new(tsv::Tsv::new(first_line)?),
        Format::Jsonl => Box::new(jsonl::Jsonl),
        Format::Urls => Box::new(urls::Urls),
        Format::Cdx => Box::new(cdx::Cdx::new(first_line)?),
        Format::Cdxj => Box::new(cdx::Cdxj),
        Format::Log => Box::new(log::Log::new(options.host.as_deref())),
        Format::Heritrix => Box::new(heritrix::Heritrix),
    }))
}

/// Whether a line has the shape of a format.
type IsLine = fn(&[u8]) -> bool;

/// The format whose header stands in `line`, the first one of an input.
pub(crate) fn by_first_line(line: &[u8]) -> Option<Format> {
    let tests: [(Format, IsLine); 4] = [
        (Format::Cdx, cdx::is_header),
        (Format::Jsonl, jsonl::is_first_line),
        (Format::Tsv, tsv::is_header),
        (Format::Csv, csv::is_header),
    ];
    tests.into_iter().find(|(_, is)| is(line)).map(|(format, _)| format)
}

/// The format that most of the lines have the shape of.
pub(crate) fn by_most_lines(lines: &[&[u8]]) -> Option<Format> {
    let tests: [(Format, IsLine); 4] = [
        (Format::Heritrix, heritrix::is_line),
        (Format::Cdxj, cdx::is_cdxj_line),
        (Format::Cdx, cdx::is_cdx_line),
        (Format::Log, log::is_line),
    ];
    let most = |is: IsLine| 2 * lines.iter().filter(|line| is(line)).count() > lines.len();
    tests.into_iter().find(|(_, is)| most(*is)).map(|(format, _)| format)
}

/// The first line that is not blank; empty when there is none.
fn first_line(head: &[u8]) -> &[u8] {
    lines(head).find(|line| !is_blank(line)).unwrap_or_default()
}

/// Whether nothing stands there. Tabs are something: the row of a table with nothing in its cells.
pub(crate) fn is_blank(text: &[u8]) -> bool {
    text.iter().all(|b| b" \r\n".contains(b))
}

/// Crawlers log and archive more than pages, under schemes of their own.
fn is_crawlers_own(url: &[u8]) -> bool {
    const SCHEMES: [&str; 6] = ["dns:", "whois:", "filedesc:", "warcinfo:", "metadata:", "urn:"];
    SCHEMES.iter().any(|scheme| url.starts_with(scheme.as_bytes()))
}

/// Whether a URL is one of the web.
pub(crate) fn is_http(url: &[u8]) -> bool {
    ["http://", "https://"].iter().any(|scheme| {
        url.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme.as_bytes()))
    })
}

/// Test helpers shared by the formats.
#[cfg(test)]
mod tests {
    use super::*;

    /// The page in `line`, which must hold one.
    pub(super) fn page(format: &dyn LineFormat, line: &str) -> Page {
        format.parse(line.as_bytes()).unwrap().unwrap()
    }

    /// What is wrong with `line`.
    pub(super) fn fault(format: &dyn LineFormat, line: &str) -> String {
        match format.parse(line.as_bytes()) {
            Err(Fault::Bad(error)) => error.to_string(),
            other => panic!("not a bad line: {other:?}"),
        }
    }

    /// Assert that each line is fine but holds no page.
    pub(super) fn assert_left_out(format: &dyn LineFormat, lines: &[&str]) {
        for line in lines {
            assert_eq!(format.parse(line.as_bytes()), Ok(None), "{line}");
        }
    }
}
