//! The formats that pages are read from, and their names.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// How a file writes its pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// Tab-separated with a header line.
    Tsv,
    /// Comma-separated with a header line and quotes.
    Csv,
    /// One JSON object a line.
    Jsonl,
    /// One URL a line.
    Urls,
    /// Web-archive index, space-separated.
    Cdx,
    /// Web-archive index with a JSON object a line.
    Cdxj,
    /// Access log, Common or Combined.
    Log,
    /// Heritrix `crawl.log`.
    Heritrix,
    /// Web archive: requests, answers and what else a crawler keeps, as records.
    Warc,
    /// Parquet: a table stored by columns, as data frames, Spark and Common Crawl have it. Read with the feature `parquet`.
    Parquet,
    /// A folder of saved pages: a mirror made by wget or `HTTrack`.
    Folder,
    /// A table of Arrow arrays in memory: no format of files, so not one of [`Format::ALL`].
    Arrow,
}

impl Format {
    /// Every format of files, in the order in which help texts list them.
    pub const ALL: [Format; 11] = [
        Format::Tsv,
        Format::Csv,
        Format::Jsonl,
        Format::Urls,
        Format::Cdx,
        Format::Cdxj,
        Format::Log,
        Format::Heritrix,
        Format::Warc,
        Format::Parquet,
        Format::Folder,
    ];

    /// Its name, as on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Format::Tsv => "tsv",
            Format::Csv => "csv",
            Format::Jsonl => "jsonl",
            Format::Urls => "urls",
            Format::Cdx => "cdx",
            Format::Cdxj => "cdxj",
            Format::Log => "log",
            Format::Heritrix => "heritrix",
            Format::Warc => "warc",
            Format::Parquet => "parquet",
            Format::Folder => "folder",
            Format::Arrow => "arrow",
        }
    }

    /// What one page is read from: `line`, `record`, `row` or `file`.
    pub fn unit(self) -> &'static str {
        match self {
            Format::Csv | Format::Warc => "record",
            Format::Folder => "file",
            Format::Arrow | Format::Parquet => "row",
            _ => "line",
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(name: &str) -> Result<Format, UnknownFormat> {
        let named = Format::ALL.into_iter().find(|format| format.name() == name);
        named.ok_or_else(|| UnknownFormat { name: name.to_owned() })
    }
}

/// A name of none of [`Format::ALL`].
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("unknown format '{name}'; known: {}", Format::ALL.map(Format::name).join(", "))]
#[non_exhaustive]
pub struct UnknownFormat {
    /// The name.
    pub name: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip() {
        for format in Format::ALL {
            assert_eq!(format.to_string().parse(), Ok(format));
        }
        assert_eq!(
            "xml".parse::<Format>().unwrap_err().to_string(),
            "unknown format 'xml'; known: tsv, csv, jsonl, urls, cdx, cdxj, log, heritrix, warc, parquet, folder"
        );
    }
}
