//! Comma-separated values with a header, or separated by `;` or `|`, as the header is. Quoted cells may hold newlines, so this format is read from the start to the
//! end by one thread.

mod quotes;

use std::io;

use csv::{ByteRecord, Reader, ReaderBuilder};

use self::quotes::Doubled;
use super::table::{self, Header};
use super::{Outcome, Parsed, first_line};
use crate::error::ReadError;
use crate::input::Input;

/// The records of a CSV input, each with the line it begins on.
pub(crate) struct Csv {
    reader: Reader<Doubled<Input>>,
    header: Header,
    header_record: ByteRecord,
    record: ByteRecord,
}

impl Csv {
    /// Read the header, which `head` begins with.
    pub(crate) fn new(input: Input, head: &[u8]) -> Result<Csv, ReadError> {
        let delimiter = delimiter(first_line(head)).unwrap_or(b',');
        let mut reader = ReaderBuilder::new()
            .delimiter(delimiter)
            .has_headers(false)
            .flexible(true)
            .buffer_capacity(1 << 16)
            .from_reader(Doubled::new(input, delimiter));
        let mut header_record = ByteRecord::new();
        reader.read_byte_record(&mut header_record).map_err(|error| read_error(&reader, error))?;
        let header = Header::new(header_record.iter()).map_err(|kind| ReadError {
            file: reader.get_ref().source().name().into(),
            line: None,
            kind,
        })?;
        Ok(Csv { reader, header, header_record, record: ByteRecord::new() })
    }
}

impl Iterator for Csv {
    type Item = Result<Outcome, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        match self.reader.read_byte_record(&mut self.record) {
            Ok(false) => None,
            Ok(true) => Some(Ok(Outcome { number: self.line(), parsed: self.parse(), cut: false })),
            Err(error) => Some(Err(read_error(&self.reader, error))),
        }
    }
}

impl Csv {
    fn line(&self) -> u64 {
        self.record.position().map_or(0, csv::Position::line)
    }

    fn parse(&self) -> Parsed {
        // Also where files were put one behind the other.
        if self.record == self.header_record {
            return Ok(None);
        }
        Ok(Some(self.header.page(self.record.iter())?))
    }
}

pub(super) fn is_header(line: &[u8]) -> bool {
    delimiter(line).is_some()
}

/// What separates the columns that `line` names.
fn delimiter(line: &[u8]) -> Option<u8> {
    // Both stand in URLs, too: a line with one of these is a header only if it holds nothing but names.
    let names_only = || !line.iter().any(|b| b"/:?=&.@".contains(b));
    let is = |delimiter: &u8| table::is_header(line, *delimiter) && (*delimiter == b',' || names_only());
    [b',', b';', b'|'].into_iter().find(is)
}

/// With records of bytes and of any length, reading is all that can fail.
fn read_error(reader: &Reader<Doubled<Input>>, error: csv::Error) -> ReadError {
    let line = reader.position().line();
    let error = match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    };
    reader.get_ref().source().error(line, error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delimiters_by_the_header() {
        for (line, expected) in [
            ("url,cluster", Some(b',')),
            ("url;cluster", Some(b';')),
            ("\"Status code\";\"URL\";title\r", Some(b';')),
            ("id | url | size", Some(b'|')),
            ("url|a,b", Some(b'|')),
            ("http://a/;url", None),
            ("www.a.com;url", None),
            ("a?b|url", None),
            ("urls;clusters", None),
        ] {
            assert_eq!(delimiter(line.as_bytes()), expected, "{line}");
        }
    }
}
