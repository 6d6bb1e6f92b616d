//! Text in UTF-16, as tools of Windows write it, read as UTF-8.

use std::io::{self, Read};
use std::mem;

/// Which byte of a unit comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ByteOrder {
    Little,
    Big,
}

/// How many bytes [`byte_order`] looks at.
pub(crate) const HEAD_BYTES: u64 = 4;

/// The byte order of an input that begins like text in UTF-16: with its byte order mark, or with two ASCII characters.
pub(crate) fn byte_order(head: &[u8]) -> Option<ByteOrder> {
    let is_text = |byte: u8| byte.is_ascii_graphic() || byte.is_ascii_whitespace();
    match *head {
        [0xff, 0xfe, ..] => Some(ByteOrder::Little),
        [0xfe, 0xff, ..] => Some(ByteOrder::Big),
        [a, 0, b, 0, ..] if is_text(a) && is_text(b) => Some(ByteOrder::Little),
        [0, a, 0, b, ..] if is_text(a) && is_text(b) => Some(ByteOrder::Big),
        _ => None,
    }
}

/// Reads UTF-16 as UTF-8; U+FFFD stands for what is no character.
pub(crate) struct Utf16<R> {
    source: R,
    order: ByteOrder,
    /// Read, and not yet decoded: a part of a character.
    raw: Vec<u8>,
    text: Vec<u8>,
    given: usize,
}

const CHUNK_BYTES: usize = 1 << 16;

impl<R: Read> Utf16<R> {
    pub(crate) fn new(source: R, order: ByteOrder) -> Utf16<R> {
        Utf16 { source, order, raw: Vec::new(), text: Vec::new(), given: 0 }
    }

    /// The next piece of text; empty at the end.
    fn fill(&mut self) -> io::Result<()> {
        self.text.clear();
        self.given = 0;
        let mut is_end = false;
        while self.text.is_empty() && !is_end {
            let held = self.raw.len();
            self.raw.resize(held + CHUNK_BYTES, 0);
            let read = self.source.read(&mut self.raw[held..]);
            self.raw.truncate(held + *read.as_ref().unwrap_or(&0));
            is_end = read? == 0;
            self.decode(is_end);
        }
        Ok(())
    }

    /// Decode what was read but for the beginning of a character at its end.
    fn decode(&mut self, is_end: bool) {
        let unit = |pair: &[u8; 2]| match self.order {
            ByteOrder::Little => u16::from_le_bytes(*pair),
            ByteOrder::Big => u16::from_be_bytes(*pair),
        };
        let raw = mem::take(&mut self.raw);
        let (pairs, half) = raw.as_chunks::<2>();
        let is_cut = pairs.last().is_some_and(|pair| (0xd800..0xdc00).contains(&unit(pair)));
        let whole = pairs.len() - usize::from(is_cut && !is_end);
        let mut text = String::new();
        let units = pairs[..whole].iter().map(unit);
        text.extend(char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)));
        if is_end && !half.is_empty() {
            text.push(char::REPLACEMENT_CHARACTER);
        } else {
            self.raw = raw[2 * whole..].to_vec();
        }
        self.text = text.into_bytes();
    }
}

impl<R: Read> Read for Utf16<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.given == self.text.len() {
            self.fill()?;
        }
        let read = (&self.text[self.given..]).read(buffer)?;
        self.given += read;
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encoded(text: &str, order: ByteOrder) -> Vec<u8> {
        let bytes = |unit: u16| match order {
            ByteOrder::Little => unit.to_le_bytes(),
            ByteOrder::Big => unit.to_be_bytes(),
        };
        text.encode_utf16().flat_map(bytes).collect()
    }

    /// A source that gives one byte at a time.
    struct Slow<'s>(&'s [u8]);

    impl Read for Slow<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.0.read(&mut buffer[..1])
        }
    }

    #[track_caller]
    fn check(bytes: &[u8], order: ByteOrder, expected: &str) {
        let (mut at_once, mut slowly) = (String::new(), String::new());
        Utf16::new(bytes, order).read_to_string(&mut at_once).unwrap();
        Utf16::new(Slow(bytes), order).read_to_string(&mut slowly).unwrap();
        assert_eq!((at_once.as_str(), slowly.as_str()), (expected, expected));
    }

    #[test]
    fn both_orders_and_characters_of_two_units() {
        let text = format!("\u{feff}http://a/\u{e9}\u{1f600}\r\n{}", "\u{1f600}".repeat(CHUNK_BYTES / 4 + 1));
        for order in [ByteOrder::Little, ByteOrder::Big] {
            let bytes = encoded(&text, order);
            assert_eq!(byte_order(&bytes), Some(order));
            assert_eq!(byte_order(&bytes[2..]), Some(order), "without its mark");
            check(&bytes, order, &text);
            check(&[], order, "");
        }
    }

    #[test]
    fn what_is_no_character() {
        let mut bytes = encoded("a", ByteOrder::Big);
        bytes.extend([0xd8, 0x00]);
        check(&bytes, ByteOrder::Big, "a\u{fffd}");
        bytes.extend([0x00, b'b', 0x00]);
        check(&bytes, ByteOrder::Big, "a\u{fffd}b\u{fffd}");
    }

    #[test]
    fn other_inputs() {
        for other in [&b""[..], b"http", b"\0\0\x01\0", b"PK\x03\x04", b"a\0", b"\x7fELF\0", b"\x02\0\x01\0"]
        {
            assert_eq!(byte_order(other), None, "{other:?}");
        }
    }
}
