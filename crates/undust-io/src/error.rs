//! What ends a run of the reader, with the file and, where one was reached, the line.

use std::error::Error;
use std::fmt;
use std::io;
use std::path::PathBuf;

use crate::problems::write_place;

/// Why reading a file ended early.
#[derive(Debug)]
pub struct ReadError {
    /// The file as the user named it; `-` is standard input.
    pub file: PathBuf,
    /// The line reached, 1-based.
    pub line: Option<u64>,
    /// What happened there.
    pub kind: ReadErrorKind,
}

/// What can end a run of the reader.
#[derive(Debug)]
#[non_exhaustive]
pub enum ReadErrorKind {
    /// The file cannot be opened or read.
    Io(io::Error),
    /// Compressed data that ends in the middle.
    Truncated,
    /// Compressed data that cannot be decompressed.
    Corrupt(io::Error),
    /// A Parquet file that cannot be read; says why.
    DamagedParquet(String),
    /// Not a format that is read here; says what it looks like instead.
    NotRecognised(&'static str),
    /// A header without a column that must be there.
    MissingColumn {
        /// The column looked for.
        column: &'static str,
        /// The header line, cut and quoted.
        header: String,
    },
    /// A line that is wrong, in strict reading.
    BadLine(String),
    /// A log line without a host, and none was given; holds the request's target, cut and quoted.
    NeedsHost(String),
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_place(f, &self.file, self.line)?;
        self.kind.fmt(f)
    }
}

impl fmt::Display for ReadErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReadErrorKind::Io(error) => error.fmt(f),
            ReadErrorKind::Truncated => {
                f.write_str("the compressed data ends in the middle: is the file cut short?")
            }
            ReadErrorKind::Corrupt(error) => write!(f, "the compressed data is damaged: {error}"),
            ReadErrorKind::DamagedParquet(why) => write!(f, "the Parquet file is damaged: {why}"),
            ReadErrorKind::NotRecognised(seems) => {
                write!(f, "format not recognised: this looks like {seems}")
            }
            ReadErrorKind::MissingColumn { column, header } => {
                write!(f, "the header {header} has no column '{column}'")
            }
            ReadErrorKind::BadLine(what) => f.write_str(what),
            ReadErrorKind::NeedsHost(target) => {
                write!(
                    f,
                    "the log does not say which host {target} belongs to: give it with --host www.example.org"
                )
            }
        }
    }
}

impl Error for ReadError {
    // The kind's own text already holds the text of the error below it.
    fn source(&self) -> Option<&(dyn Error + 'static)> {
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
        let cases = [
            (
                None,
                ReadErrorKind::NotRecognised("binary data"),
                "a: format not recognised: this looks like binary data",
            ),
            (Some(7), ReadErrorKind::BadLine("'x' is no valid size".into()), "a:7: 'x' is no valid size"),
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
