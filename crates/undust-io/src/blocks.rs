//! Blocks of whole lines, worked on side by side and handed on in order.

use std::io::{self, Read};
use std::iter;
use std::mem;

use memchr::{memchr, memchr_iter, memrchr};

use crate::error::ReadError;
use crate::in_order::{JOB_BYTES, map_in_order};
use crate::input::Input;

/// The longest line that is held; of a longer one, this many bytes and one more are kept and the rest is skipped.
pub const MAX_LINE_BYTES: usize = 64 * 1024 * 1024;

/// Some whole lines of an input; only its last block may lack the final newline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// The lines with their newlines.
    pub data: Vec<u8>,
    /// The number of the first line, 1-based.
    pub first_line: u64,
}

/// Do `work` on each block of `input`, on as many threads, and give the results to `sink` in the order of the input.
///
/// One more thread reads ahead and decompresses. At most a few blocks per thread are held at a time. With one thread
/// everything runs here, one block after the other. The first error of the input or of the sink ends it all.
pub fn map_blocks<T, E>(
    input: Input,
    threads: usize,
    work: impl Fn(Block) -> T + Sync,
    sink: impl FnMut(T) -> Result<(), E>,
) -> Result<(), E>
where
    T: Send,
    E: From<ReadError>,
{
    map_in_order(Blocks::new(input, JOB_BYTES), threads, work, sink)
}

/// The lines of a block, each without `\n` and without `\r` before it.
pub fn lines(block: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = block;
    iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let end = memchr(b'\n', rest).unwrap_or(rest.len());
        let line = &rest[..end];
        rest = rest.get(end + 1..).unwrap_or_default();
        Some(line.strip_suffix(b"\r").unwrap_or(line))
    })
}

pub(crate) fn count_newlines(data: &[u8]) -> u64 {
    memchr_iter(b'\n', data).count() as u64
}

/// The blocks of one input, read one after the other.
struct Blocks {
    input: Input,
    block_bytes: usize,
    /// The beginning of the line that the last block left unfinished.
    carry: Vec<u8>,
    next_line: u64,
    done: bool,
}

impl Iterator for Blocks {
    type Item = Result<Block, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.done {
            return None;
        }
        let mut data = mem::take(&mut self.carry);
        let filled = self.fill(&mut data);
        let first_line = self.next_line;
        self.next_line += count_newlines(&data);
        match filled {
            Ok(()) if data.is_empty() => None,
            Ok(()) => Some(Ok(Block { data, first_line })),
            Err(error) => {
                self.done = true;
                Some(Err(self.input.error(self.next_line, error)))
            }
        }
    }
}

impl Blocks {
    fn new(input: Input, block_bytes: usize) -> Blocks {
        Blocks { input, block_bytes, carry: Vec::new(), next_line: 1, done: false }
    }

    /// Read on until `data` ends with a line, and carry what is behind it.
    fn fill(&mut self, data: &mut Vec<u8>) -> io::Result<()> {
        loop {
            let before = data.len();
            if self.read_more(data)? < self.block_bytes {
                self.done = true;
                return Ok(());
            }
            if let Some(newline) = memrchr(b'\n', &data[before..]) {
                self.carry = data.split_off(before + newline + 1);
                return Ok(());
            }
            if data.len() > MAX_LINE_BYTES {
                return self.cut_line(data);
            }
        }
    }

    /// Keep the beginning of an endless line, and skip what is left of it without holding it.
    fn cut_line(&mut self, line: &mut Vec<u8>) -> io::Result<()> {
        line.truncate(MAX_LINE_BYTES + 1);
        line.push(b'\n');
        let mut skipped = Vec::new();
        loop {
            skipped.clear();
            let read = self.read_more(&mut skipped)?;
            if let Some(newline) = memchr(b'\n', &skipped) {
                self.carry = skipped.split_off(newline + 1);
                return Ok(());
            }
            if read == 0 {
                return Ok(());
            }
        }
    }

    /// Append one block's worth of bytes; fewer only at the end of the input.
    fn read_more(&mut self, data: &mut Vec<u8>) -> io::Result<usize> {
        data.reserve(self.block_bytes);
        self.input.by_ref().take(self.block_bytes as u64).read_to_end(data)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use proptest::prelude::*;

    use super::*;
    use crate::error::ReadErrorKind;

    fn blocks(data: impl Into<Vec<u8>>, block_bytes: usize) -> Blocks {
        Blocks::new(Input::new("sample", Cursor::new(data.into())).unwrap(), block_bytes)
    }

    fn mapped<T: Send>(blocks: Blocks, threads: usize, work: impl Fn(Block) -> T + Sync) -> Vec<T> {
        let mut results = Vec::new();
        let done: Result<(), ReadError> = map_in_order(blocks, threads, work, |result| {
            results.push(result);
            Ok(())
        });
        done.unwrap();
        results
    }

    #[test]
    fn lines_end_at_any_newline() {
        let texts = |block: &'static [u8]| lines(block).collect::<Vec<_>>();
        assert_eq!(texts(b""), Vec::<&[u8]>::new());
        assert_eq!(texts(b"a\r\n\n\rb\r\nc"), [&b"a"[..], b"", b"\rb", b"c"]);
        assert_eq!(texts(b"a\n"), [b"a"]);
    }

    #[test]
    fn an_endless_line_is_cut_and_the_next_one_whole() {
        let endless = io::repeat(b'x').take(MAX_LINE_BYTES as u64 + 3_000_000);
        let input = Input::new("sample", endless.chain(&b"\nhttp://a/\n"[..])).unwrap();
        let blocks: Vec<Block> = Blocks::new(input, JOB_BYTES).collect::<Result<_, _>>().unwrap();
        assert_eq!(blocks[0].data.len(), MAX_LINE_BYTES + 2);
        assert_eq!(blocks[1], Block { data: b"http://a/\n".to_vec(), first_line: 2 });
        assert_eq!(blocks.len(), 2);
    }

    #[test]
    fn a_failing_sink_stops_the_reader_of_an_endless_input() {
        for threads in [1, 3] {
            let input = Input::new("endless", io::repeat(b'\n')).unwrap();
            let stop = ReadError { file: "endless".into(), line: None, kind: ReadErrorKind::Truncated };
            let mut stop = Some(stop);
            let stopped = map_blocks(input, threads, |block| block, |_| Err(stop.take().unwrap()));
            assert!(stopped.is_err());
        }
    }

    #[test]
    fn a_failing_input_names_the_line_reached() {
        struct Broken;
        impl Read for Broken {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::Error::other("no more"))
            }
        }
        for threads in [1, 3] {
            let input = Input::new("broken", (&b"12345\nb\nc"[..]).chain(Broken)).unwrap();
            let error = map_blocks(input, threads, |block| block, |_| Ok::<(), ReadError>(())).unwrap_err();
            assert_eq!(error.to_string(), "broken:3: no more");
        }
    }

    #[test]
    #[should_panic(expected = "a scoped thread panicked")]
    fn a_panic_in_the_work_is_passed_on() {
        mapped(blocks("a\nb\nc\nd\n", 2), 2, |block| assert!(block.first_line != 2, "bad block"));
    }

    proptest! {
        #[test]
        fn many_threads_give_what_one_gives(
            text in "[a-c\r\n]{0,200}",
            block_bytes in 1_usize..40,
            threads in 2_usize..5,
        ) {
            let in_order = mapped(blocks(text.as_str(), block_bytes), 1, |block| block);
            prop_assert_eq!(&mapped(blocks(text.as_str(), block_bytes), threads, |block| block), &in_order);

            let data: Vec<u8> = in_order.iter().flat_map(|block| block.data.clone()).collect();
            prop_assert_eq!(&data, text.as_bytes());
            let numbered: Vec<(u64, &[u8])> =
                in_order.iter().flat_map(|block| (block.first_line..).zip(lines(&block.data))).collect();
            let expected: Vec<(u64, &[u8])> = (1..).zip(lines(text.as_bytes())).collect();
            prop_assert_eq!(numbered, expected);
        }
    }
}
