//! Quotes that somebody forgot to double: Nutch writes `"http://a/?q="x"&y"` into its dumps.

use std::io::{self, Read};

/// Doubles quotes inside of quoted cells that neither end the cell nor are doubled already. A quote ends its cell if a delimiter or the end of
/// the line follows.
pub(super) struct Doubled<R> {
    source: R,
    delimiter: u8,
    place: Place,
    /// Read, and not yet given on.
    input: Vec<u8>,
    at: usize,
    is_end: bool,
    output: Vec<u8>,
    given: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    CellStart,
    Plain,
    Quoted,
}

const CHUNK: usize = 1 << 16;

impl<R: Read> Doubled<R> {
    pub(super) fn new(source: R, delimiter: u8) -> Doubled<R> {
        let (input, output) = (Vec::new(), Vec::with_capacity(CHUNK));
        Doubled { source, delimiter, place: Place::CellStart, input, at: 0, is_end: false, output, given: 0 }
    }

    pub(super) fn source(&self) -> &R {
        &self.source
    }

    /// The next chunk of output; empty at the end.
    fn fill(&mut self) -> io::Result<()> {
        self.output.clear();
        self.given = 0;
        while self.output.is_empty() && !(self.is_end && self.at == self.input.len()) {
            self.input.drain(..self.at);
            self.at = 0;
            let held = self.input.len();
            self.input.resize(held + CHUNK, 0);
            let read = self.source.read(&mut self.input[held..]);
            self.input.truncate(held + *read.as_ref().unwrap_or(&0));
            self.is_end = read? == 0;
            self.double();
        }
        Ok(())
    }

    /// Give on all that was read but for a last byte whose follower is not known.
    fn double(&mut self) {
        while let Some(&byte) = self.input.get(self.at) {
            let next = self.input.get(self.at + 1).copied();
            let ends_cell = |byte: u8| byte == self.delimiter || matches!(byte, b'\r' | b'\n');
            if next.is_none() && !self.is_end {
                return;
            }
            self.at += 1;
            self.output.push(byte);
            match (self.place, byte) {
                (Place::CellStart, b'"') => self.place = Place::Quoted,
                (Place::Quoted, b'"') => match next {
                    None => self.place = Place::Plain,
                    Some(next) if ends_cell(next) => self.place = Place::Plain,
                    Some(b'"') => {
                        self.at += 1;
                        self.output.push(b'"');
                    }
                    Some(_) => self.output.push(b'"'),
                },
                (Place::Quoted, _) => {}
                (_, byte) if ends_cell(byte) => self.place = Place::CellStart,
                _ => self.place = Place::Plain,
            }
        }
    }
}

impl<R: Read> Read for Doubled<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.given == self.output.len() {
            self.fill()?;
        }
        let some = (self.output.len() - self.given).min(buffer.len());
        buffer[..some].copy_from_slice(&self.output[self.given..self.given + some]);
        self.given += some;
        Ok(some)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A source that gives one byte at a time.
    struct Slow<'s>(&'s [u8]);

    impl Read for Slow<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.0.read(&mut buffer[..1])
        }
    }

    fn doubled(text: &str) -> String {
        let (mut at_once, mut slowly) = (String::new(), String::new());
        Doubled::new(text.as_bytes(), b',').read_to_string(&mut at_once).unwrap();
        Doubled::new(Slow(text.as_bytes()), b',').read_to_string(&mut slowly).unwrap();
        assert_eq!(at_once, slowly);
        at_once
    }

    #[test]
    fn quotes_inside_of_a_cell_are_doubled() {
        assert_eq!(doubled("\"a\"b\"c\",1\n"), "\"a\"\"b\"\"c\",1\n");
        assert_eq!(doubled("\"a\"b\",\"x\"\r\n\"y\"z\""), "\"a\"\"b\",\"x\"\r\n\"y\"\"z\"");
    }

    #[test]
    fn what_is_right_stays() {
        for text in ["", "a,b\n", "\"a\"\"b\",c\n", "a\"b,\"\",\"x,\ny\"\n", "\"\"\"a\"\"\",b", "\""] {
            assert_eq!(doubled(text), text);
        }
    }
}
