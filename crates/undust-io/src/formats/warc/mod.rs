//! WARC files, 1.0 and 1.1: a version line, header lines, a blank line, `Content-Length` bytes, two line ends; again
//! and again.
//!
//! The thread that reads finds where records begin and end ([`Records`]); what is in them is for the threads that
//! parse ([`Record::read`]). A record is never believed to be as long as it says: nothing is allocated by what is
//! declared, of a long one only the beginning is held, and where a record does not end as it should, the next line that
//! begins with `WARC/` is sought. Such a stretch is one problem, and counts as a record.
//!
//! Why by hand: the crate `fastwarc` (2.0) reads only sources that can seek, so no standard input; ends at the first
//! garbage between records; takes a cut record for a whole one; panics on a huge `Content-Length` when a record is to
//! be held; and brings 48 crates. HTTP headers are read by the same few lines as WARC headers, and not by
//! `httparse`, which refuses what archives have: `HTTP/2 200`, odd names.

mod body;
mod fields;
mod link;
mod page;
mod source;
#[cfg(test)]
mod tests;

use std::io;
use std::mem;

use memchr::memmem;

use self::fields::Fields;
use self::page::Head;
use self::source::Source;
use super::Outcome;
use crate::error::{ReadError, ReadErrorKind};
use crate::in_order::JOB_BYTES;
use crate::input::Input;
use crate::problems::shown;

/// The longest header of a record, and the room for an HTTP header in front of a body.
const MAX_HEADER_BYTES: usize = 1024 * 1024;

/// How every record begins.
const VERSION: &[u8] = b"WARC/";

/// The records of an input.
pub(crate) struct Records {
    source: Source,
    /// Bytes of a record's content that are held, at most.
    most: usize,
    number: u64,
    /// Whether the version line of the next record has been read.
    begun: bool,
    /// Whether what comes before the next record belongs to a problem that has been told.
    lost: bool,
    /// Up to here everything is being read for the second time. There is no third: reading stays linear.
    read_before: u64,
    done: bool,
}

/// A record, or something in its place that is none.
pub(crate) struct Record {
    number: u64,
    found: Found,
}

enum Found {
    Page(Box<Held>),
    /// A record that is fine but holds no page.
    LeftOut,
    Bad(String),
}

/// A record that may be a page.
struct Held {
    head: Head,
    /// Its content, or the beginning of it.
    block: Vec<u8>,
    /// How long its content is.
    length: u64,
}

impl Record {
    /// How much of a job this record is. Where bodies are compressed, the work and the memory that they take do not show
    /// in their size: so a few records are always enough.
    pub(crate) fn weight(&self) -> usize {
        const MAX_RECORDS_TOGETHER: usize = 4;
        match &self.found {
            Found::Page(held) => held.block.len().max(JOB_BYTES / MAX_RECORDS_TOGETHER),
            Found::LeftOut | Found::Bad(_) => 64,
        }
    }

    /// The page in this record, with at most `max_body` bytes of its body.
    pub(crate) fn read(self, max_body: usize) -> Outcome {
        let (parsed, cut) = match self.found {
            Found::Page(held) => page::read(*held, max_body),
            Found::LeftOut => (Ok(None), false),
            Found::Bad(what) => (Err(what.into()), false),
        };
        Outcome { number: self.number, parsed, cut }
    }
}

impl Iterator for Records {
    type Item = Result<Record, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.done {
            return None;
        }
        let found = loop {
            match self.find() {
                Ok(found) => break found?,
                Err(error) => match self.after(error) {
                    Ok(Some(found)) => break found,
                    Ok(None) => {}
                    Err(error) => return Some(Err(error)),
                },
            }
        };
        self.number += 1;
        Some(Ok(Record { number: self.number, found }))
    }
}

impl Records {
    /// Of each record at most `max_body` bytes and a header are held.
    pub(crate) fn new(input: Input, max_body: usize) -> Records {
        Records {
            source: Source::new(input),
            most: max_body.saturating_add(MAX_HEADER_BYTES),
            number: 0,
            begun: false,
            lost: false,
            read_before: 0,
            done: false,
        }
    }

    /// Compressed data that is cut or damaged costs one record, and is told once; a disk that cannot be read ends the run.
    fn after(&mut self, error: io::Error) -> Result<Option<Found>, ReadError> {
        let error = self.source.input.error(self.number + 1, error);
        if !matches!(error.kind, ReadErrorKind::Truncated | ReadErrorKind::Corrupt(_)) {
            self.done = true;
            return Err(error);
        }
        self.begun = false;
        let told = mem::replace(&mut self.lost, true);
        Ok((!told).then(|| Found::Bad(error.kind.to_string())))
    }

    /// The next record, or what stands in its place; `None` at the end.
    fn find(&mut self) -> io::Result<Option<Found>> {
        if !self.begun {
            let garbage = self.skip_to_version()?;
            let told = mem::take(&mut self.lost);
            if let Some(garbage) = garbage.filter(|_| !told) {
                return Ok(Some(Found::Bad(format!("no WARC record: {}", shown(&garbage)))));
            }
        }
        if !mem::take(&mut self.begun) {
            return Ok(None);
        }
        self.read_record().map(Some)
    }

    /// Read the next version line, if there is one. Returns the first line before it that is not blank.
    fn skip_to_version(&mut self) -> io::Result<Option<Vec<u8>>> {
        const SHOWN: usize = 400;
        let mut garbage = None;
        let mut line = Vec::new();
        while self.source.read_line(&mut line, SHOWN)? > 0 {
            if line.starts_with(VERSION) {
                self.begun = true;
                break;
            }
            if garbage.is_none() && !line.trim_ascii().is_empty() {
                garbage = Some(line.trim_ascii_end().to_vec());
            }
            line.clear();
        }
        Ok(garbage)
    }

    /// What stands behind a version line.
    fn read_record(&mut self) -> io::Result<Found> {
        let start = self.source.position();
        let header = match self.read_header()? {
            Ok(header) => header,
            Err(what) => return Ok(Found::Bad(what)),
        };
        let fields = Fields::new(&header);
        let length = match length(fields) {
            Ok(length) => length,
            Err(what) => {
                self.lost = true;
                return Ok(Found::Bad(what));
            }
        };
        let head = Head::new(fields);
        let holds = matches!(head, Ok(Some(_)));
        let mut block = Vec::new();
        let read = self.source.read_bytes(length, &mut block, if holds { self.most } else { 0 })?;
        if read < length || !self.is_at_end_of_record()? {
            let is_new = start >= self.read_before && read == block.len() as u64;
            return Ok(self.lied(length, read, if is_new { &block } else { &[] }));
        }
        Ok(match head {
            Ok(Some(head)) => Found::Page(Box::new(Held { head, block, length })),
            Ok(None) => Found::LeftOut,
            Err(what) => Found::Bad(what),
        })
    }

    /// The lines up to a blank one, or why there are none.
    fn read_header(&mut self) -> io::Result<Result<Vec<u8>, String>> {
        let mut header = Vec::new();
        loop {
            let before = header.len();
            if self.source.read_line(&mut header, MAX_HEADER_BYTES + 1 - before)? == 0 {
                return Ok(Err("the file ends in the middle of this record".to_owned()));
            }
            let line = &header[before..];
            if header.len() > MAX_HEADER_BYTES {
                self.lost = true;
                return Ok(Err(format!("header longer than {MAX_HEADER_BYTES} bytes")));
            }
            if line.starts_with(VERSION) {
                self.begun = true;
                return Ok(Err("another record begins in the header of this one".to_owned()));
            }
            if line.trim_ascii().is_empty() {
                return Ok(Ok(header));
            }
        }
    }

    /// Whether the record ends here. Some writers leave out the line ends behind it, or have too many of them.
    fn is_at_end_of_record(&mut self) -> io::Result<bool> {
        const END: &[u8] = b"\r\n\r\n";
        const MAX_LINE_END_BYTES: usize = 64;
        if self.source.peek(END.len())?.starts_with(END) {
            self.source.consume(END.len());
            return Ok(true);
        }
        let next = self.source.peek(MAX_LINE_END_BYTES + VERSION.len())?;
        let line_ends = next.iter().take_while(|b| b"\r\n".contains(b)).count();
        let is_end = next.len() == line_ends || next[line_ends..].starts_with(VERSION);
        if is_end {
            self.source.consume(line_ends);
        }
        Ok(is_end)
    }

    /// A record that does not end where it says. If it says too much, the next one is in what was taken for its content:
    /// the `block`, where it may be read again.
    fn lied(&mut self, length: u64, read: u64, block: &[u8]) -> Found {
        self.lost = true;
        let next = memmem::find(block, b"\nWARC/").map(|newline| &block[newline + 1..]);
        match next {
            Some(next) => {
                self.read_before = self.source.position();
                self.source.unread(next);
            }
            None if read < length => {
                return Found::Bad("the file ends in the middle of this record".to_owned());
            }
            _ => {}
        }
        Found::Bad(format!("the record does not end behind {length} bytes, as it says"))
    }
}

/// The declared length of a record.
fn length(fields: Fields<'_>) -> Result<u64, String> {
    let value = fields.get("Content-Length").ok_or("no Content-Length")?;
    let number = str::from_utf8(&value).ok().and_then(|value| value.parse().ok());
    number.ok_or_else(|| format!("{} is no valid Content-Length", shown(&value)))
}
