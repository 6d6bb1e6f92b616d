//! Bytes of a WARC file as its reader needs them: by lines of a limited length, by count, and to be read again.

use std::io::{self, Read};

use memchr::memchr;

use crate::input::Input;

const BUFFER: usize = 128 * 1024;

/// A buffered input. After an error it can be read on where the input has more.
pub(super) struct Source {
    pub(super) input: Input,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    /// How many bytes were read, less those given back.
    position: u64,
}

impl Source {
    pub(super) fn new(input: Input) -> Source {
        Source { input, buffer: vec![0; BUFFER], start: 0, end: 0, position: 0 }
    }

    pub(super) fn position(&self) -> u64 {
        self.position
    }

    /// What comes next, at least `least` bytes of it unless the input ends before.
    pub(super) fn peek(&mut self, least: usize) -> io::Result<&[u8]> {
        while self.end - self.start < least && self.fill()? > 0 {}
        Ok(&self.buffer[self.start..self.end])
    }

    pub(super) fn consume(&mut self, count: usize) {
        self.start += count;
        self.position += count as u64;
    }

    /// Append the next line, with its newline, to `line`, but no more than `most` bytes: the rest is skipped. How long
    /// it was; 0 at the end of the input.
    pub(super) fn read_line(&mut self, line: &mut Vec<u8>, most: usize) -> io::Result<u64> {
        let most = line.len() + most;
        let mut length = 0;
        loop {
            let data = self.peek(1)?;
            let newline = memchr(b'\n', data);
            let taken = newline.map_or(data.len(), |newline| newline + 1);
            line.extend_from_slice(&data[..taken.min(most - line.len())]);
            self.consume(taken);
            length += taken as u64;
            if newline.is_some() || taken == 0 {
                return Ok(length);
            }
        }
    }

    /// Read `count` bytes, and append the first `most` of them to `kept`. How many there were.
    pub(super) fn read_bytes(&mut self, count: u64, kept: &mut Vec<u8>, most: usize) -> io::Result<u64> {
        let mut left = count;
        while left > 0 {
            let data = self.peek(1)?;
            let taken = usize::try_from(left).unwrap_or(usize::MAX).min(data.len());
            if taken == 0 {
                break;
            }
            kept.extend_from_slice(&data[..taken.min(most - kept.len())]);
            self.consume(taken);
            left -= taken as u64;
        }
        Ok(count - left)
    }

    /// Give back bytes that were read last.
    pub(super) fn unread(&mut self, bytes: &[u8]) {
        self.buffer = [bytes, &self.buffer[self.start..self.end]].concat();
        (self.start, self.end) = (0, self.buffer.len());
        self.position -= bytes.len() as u64;
    }

    /// Read some more; how much.
    fn fill(&mut self) -> io::Result<usize> {
        self.buffer.copy_within(self.start..self.end, 0);
        (self.start, self.end) = (0, self.end - self.start);
        // Also where much was given back: that is over now.
        if self.end < BUFFER {
            self.buffer.resize(BUFFER, 0);
            self.buffer.shrink_to(BUFFER);
        }
        let read = loop {
            match self.input.read(&mut self.buffer[self.end..]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => break read?,
            }
        };
        self.end += read;
        Ok(read)
    }
}
