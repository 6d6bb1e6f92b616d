//! Errors of reading, with file and line.

use std::error::Error as StdError;
use std::fmt;
use std::io;
use std::path::PathBuf;

use thiserror::Error;

use crate::problems::write_place;

/// Why reading a file ended early.
#[derive(Debug)]
pub struct ReadError {
    /// The file as the user named it; `-` is standard input.
    pub file: PathBuf,
    /// The line where it happened, 1-based.
    pub line: Option<u64>,
    /// What happened there.
    pub kind: ReadErrorKind,
}

/// What can end a run of the reader.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ReadErrorKind {
    /// The file cannot be opened or read.
    #[error("{0}")]
    Io(io::Error),
    /// Compressed data that ends in the middle.
    #[error("the compressed data ends in the middle: is the file cut short?")]
    Truncated,
    /// Compressed data that cannot be decompressed.
    #[error("the compressed data is damaged: {0}")]
    Corrupt(io::Error),
    /// A Parquet file that cannot be read.
    #[error("the Parquet file is damaged: {0}")]
    DamagedParquet(Box<dyn StdError + Send + Sync>),
    /// Not a format that is read here; what it looks like instead.
    #[error("format not recognised: this looks like {0}")]
    NotRecognised(&'static str),
    /// A header without a column that must be there.
    #[error("the header {header} has no column '{column}'")]
    MissingColumn {
        /// The missing column.
        column: &'static str,
        /// The header line, cut and quoted.
        header: String,
    },
    /// A column of a type that cannot be read as text.
    #[error("the column '{column}' holds {found}, which is no text")]
    ColumnType {
        /// The column.
        column: &'static str,
        /// Its type.
        found: String,
    },
    /// A bad line, in strict reading; or a text that is not UTF-8.
    #[error("{0}")]
    BadLine(LineError),
    /// A log line without a host, and none was given; holds the request's target, cut and quoted.
    #[error("the log does not say which host {0} belongs to: give it with --host www.example.org")]
    NeedsHost(String),
}

/// What is wrong with one line; in other formats with one record, row or file. Values are cut and quoted.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum LineError {
    /// No URL.
    #[error("no URL")]
    NoUrl,
    /// A URL over the limit.
    #[error("URL longer than {max} bytes: {url}")]
    UrlTooLong {
        /// The limit.
        max: usize,
        /// The URL.
        url: String,
    },
    /// A line over the limit.
    #[error("line longer than {max} bytes: {line}")]
    LineTooLong {
        /// The limit.
        max: usize,
        /// The line.
        line: String,
    },
    /// A value that is not of its column.
    #[error("{value} is no valid {column}")]
    InvalidValue {
        /// The column.
        column: &'static str,
        /// The value.
        value: String,
    },
    /// Text that is not UTF-8.
    #[error("not a text in UTF-8")]
    NotUtf8,
    /// Not a line of its format; the message says what is wrong, with the value.
    #[error("{0}")]
    Malformed(String),
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_place(f, &self.file, self.line)?;
        self.kind.fmt(f)
    }
}

impl StdError for ReadError {
    // The kind's own text already holds the text of the error below it.
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        match &self.kind {
            ReadErrorKind::Io(error) | ReadErrorKind::Corrupt(error) => error.source(),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_name_file_line_and_value() {
        let invalid = LineError::InvalidValue { column: "size", value: "'x'".into() };
        let cases = [
            (
                None,
                ReadErrorKind::NotRecognised("binary data"),
                "a: format not recognised: this looks like binary data",
            ),
            (Some(7), ReadErrorKind::BadLine(invalid), "a:7: 'x' is no valid size"),
            (
                Some(1),
                ReadErrorKind::Truncated,
                "a:1: the compressed data ends in the middle: is the file cut short?",
            ),
            (
                Some(1),
                ReadErrorKind::MissingColumn { column: "url", header: "'x'".into() },
                "a:1: the header 'x' has no column 'url'",
            ),
        ];
        for (line, kind, text) in cases {
            assert_eq!(ReadError { file: "a".into(), line, kind }.to_string(), text);
        }
    }
}
