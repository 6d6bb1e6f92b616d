//! Comma-separated values with a header. Quoted cells may hold newlines, so this format is read from the start to the
//! end by one thread.

mod quotes;

use std::io;

use csv::{ByteRecord, Reader, ReaderBuilder};

use self::quotes::Doubled;
use super::table::{self, Header};
use super::{Outcome, Parsed};
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
    /// Read the header.
    pub(crate) fn new(input: Input) -> Result<Csv, ReadError> {
        let mut reader = ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .buffer_capacity(1 << 16)
            .from_reader(Doubled::new(input));
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
    table::is_header(line, b',')
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
