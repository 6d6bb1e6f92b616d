//! Compressed input: recognised by its first bytes, and read member by member, so that damage to one costs no other.

use std::io::{self, BufRead, BufReader, Chain, Cursor, Read};
use std::mem;

use bzip2::read::MultiBzDecoder;
use flate2::bufread::GzDecoder;

use crate::unzstd;

/// The frame that a WARC file in zstd begins with, if its dictionary comes with it.
const DICTIONARY_FRAME: [u8; 4] = [0x5d, 0x2a, 0x4d, 0x18];

/// The plain bytes of `source`, and whether they were compressed.
///
/// Behind an error there is more to read only if it is whole again: the next member of a gzip file.
pub(crate) fn decompress(mut source: impl Read + Send + 'static) -> io::Result<(bool, Box<dyn Read + Send>)> {
    const MAGIC: u64 = 5;
    let mut magic = Vec::new();
    source.by_ref().take(MAGIC).read_to_end(&mut magic)?;
    let whole = Cursor::new(magic.clone()).chain(source);
    Ok(match magic.as_slice() {
        [0x1f, 0x8b, ..] => {
            (true, Box::new(GzMembers(Gz::Between(BufReader::with_capacity(1 << 16, whole)))))
        }
        [b'B', b'Z', b'h', b'1'..=b'9', 0x31 | 0x17] => {
            (true, Box::new(UntilError::new(MultiBzDecoder::new(whole))))
        }
        [a, b, c, d, ..] if [*a, *b, *c, *d] == DICTIONARY_FRAME => {
            (true, Box::new(UntilError::new(unzstd::with_dictionary(whole)?)))
        }
        [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => {
            (true, Box::new(UntilError::new(unzstd::frames(whole)?)))
        }
        _ => (false, Box::new(whole)),
    })
}

/// A gzip file of any number of members. Unlike `flate2`'s own reader, it goes on behind a damaged one.
struct GzMembers<R>(Gz<R>);

enum Gz<R> {
    /// In a member, the beginning of which was read already where one was looked for.
    Inside(Box<GzDecoder<Chain<&'static [u8], R>>>),
    Between(R),
    /// Behind an error.
    Lost(R),
    Done,
}

/// How a member begins.
const MEMBER: &[u8] = b"\x1f\x8b\x08";

impl<R: BufRead> Read for GzMembers<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let read = match mem::replace(&mut self.0, Gz::Done) {
                Gz::Done => return Ok(0),
                Gz::Between(mut source) => {
                    if has_more(&mut source)? {
                        self.0 = Gz::Inside(Box::new(GzDecoder::new((&b""[..]).chain(source))));
                    }
                    continue;
                }
                Gz::Lost(mut source) => {
                    if skip_beginning_of_member(&mut source)? {
                        self.0 = Gz::Inside(Box::new(GzDecoder::new(MEMBER.chain(source))));
                    }
                    continue;
                }
                Gz::Inside(mut member) => {
                    let read = member.read(buffer);
                    self.0 = after(&read, buffer.is_empty(), member);
                    read
                }
            };
            if !matches!((&read, &self.0), (Ok(0), Gz::Between(_))) {
                return read;
            }
        }
    }
}

/// Where a gzip file stands after `read` from a member.
fn after<R>(
    read: &io::Result<usize>,
    asked_for_nothing: bool,
    member: Box<GzDecoder<Chain<&'static [u8], R>>>,
) -> Gz<R> {
    let source = |member: Box<GzDecoder<Chain<_, R>>>| member.into_inner().into_inner().1;
    match read {
        Ok(0) if !asked_for_nothing => Gz::Between(source(member)),
        Ok(_) => Gz::Inside(member),
        Err(error) if error.kind() == io::ErrorKind::Interrupted => Gz::Inside(member),
        // Behind the end of the source, and behind a source that fails, there is nothing more.
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof || error.raw_os_error().is_some() => {
            Gz::Done
        }
        Err(_) => Gz::Lost(source(member)),
    }
}

fn has_more(source: &mut impl BufRead) -> io::Result<bool> {
    loop {
        match source.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            buffer => return Ok(!buffer?.is_empty()),
        }
    }
}

/// Read up to and with what looks like the beginning of a member; whether there was one.
fn skip_beginning_of_member(source: &mut impl BufRead) -> io::Result<bool> {
    let mut matched = 0;
    while has_more(source)? {
        let buffer = source.fill_buf()?;
        let length = buffer.len();
        for (i, &byte) in buffer.iter().enumerate() {
            matched = if byte == MEMBER[matched] { matched + 1 } else { usize::from(byte == MEMBER[0]) };
            if matched == MEMBER.len() {
                source.consume(i + 1);
                return Ok(true);
            }
        }
        source.consume(length);
    }
    Ok(false)
}

/// A decoder that cannot go on behind an error.
struct UntilError<R> {
    decoder: R,
    failed: bool,
}

impl<R> UntilError<R> {
    fn new(decoder: R) -> UntilError<R> {
        UntilError { decoder, failed: false }
    }
}

impl<R: Read> Read for UntilError<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.failed {
            return Ok(0);
        }
        let read = self.decoder.read(buffer);
        self.failed = read.as_ref().is_err_and(|error| error.kind() != io::ErrorKind::Interrupted);
        read
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::io::Write;

    use super::*;
    use crate::unzstd::MAX_DICTIONARY_BYTES;

    pub(crate) fn gzip(data: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(data).unwrap();
        encoder.finish().unwrap()
    }

    /// Everything that can be read, and how often reading failed.
    fn read_on(data: Vec<u8>) -> (Vec<u8>, usize) {
        let (_, mut reader) = decompress(Cursor::new(data)).unwrap();
        let (mut text, mut errors) = (Vec::new(), 0);
        while reader.read_to_end(&mut text).is_err() {
            errors += 1;
            assert!(errors < 1000, "no end");
        }
        (text, errors)
    }

    fn noise(seed: u64) -> Vec<u8> {
        let word = |i: u64| format!("{}\n", (i + seed).wrapping_mul(0x9e37_79b9_7f4a_7c15)).into_bytes();
        (0..5_000).flat_map(word).collect()
    }

    #[test]
    fn a_damaged_member_costs_no_other() {
        let mut damaged = gzip(&noise(1));
        let middle = damaged.len() / 2;
        damaged[middle..middle + 64].fill(0);
        let (text, errors) = read_on([gzip(&noise(0)), damaged, gzip(&noise(2)), gzip(&noise(3))].concat());
        assert_eq!(errors, 1);
        assert!(text.starts_with(&noise(0)));
        assert!(text.ends_with(&[noise(2), noise(3)].concat()));
    }

    /// A source that never gives anything but errors, of which every second only asks to try again.
    struct Broken(u32);

    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            self.0 += 1;
            Err(if self.0.is_multiple_of(2) {
                io::Error::other("no more")
            } else {
                io::ErrorKind::Interrupted.into()
            })
        }
    }

    #[test]
    fn a_source_that_fails_comes_to_an_end() {
        for cut in [0, 5] {
            let member = gzip(b"a");
            let source = Cursor::new(member[..member.len() - cut].to_vec()).chain(Broken(0));
            let (_, mut reader) = decompress(source).unwrap();
            let mut text = Vec::new();
            let errors = (0..10).filter(|_| reader.read_to_end(&mut text).is_err()).count();
            assert_eq!(text, b"a");
            assert!((1..=2).contains(&errors), "{errors}");
        }
    }

    #[test]
    fn what_is_no_member_is_skipped() {
        let (text, errors) =
            read_on([gzip(b"a"), b"\x1f\x8b\x1f garbage \x1f".to_vec(), gzip(b"b")].concat());
        assert_eq!((text.as_slice(), errors), (&b"ab"[..], 1));
        let (text, errors) = read_on([gzip(b"a"), vec![0; 100_000]].concat());
        assert_eq!((text.as_slice(), errors), (&b"a"[..], 1));
        let (text, errors) = read_on([gzip(b"a"), gzip(b"b")[..8].to_vec()].concat());
        assert_eq!((text.as_slice(), errors), (&b"a"[..], 1));
    }

    /// A dictionary, and two frames that need it.
    fn dictionary_and_frames() -> (Vec<u8>, Vec<u8>) {
        let samples: Vec<Vec<u8>> =
            (0..2000).map(|i| format!("WARC/1.0 record {i} of {}", i * 7).into_bytes()).collect();
        let dictionary = zstd::dict::from_samples(&samples, 2000).unwrap();
        let mut compressor = zstd::bulk::Compressor::with_dictionary(3, &dictionary).unwrap();
        let frames =
            [&b"WARC/1.0 record 1"[..], b" of 7"].map(|text| compressor.compress(text).unwrap()).concat();
        (dictionary, frames)
    }

    fn framed(dictionary: &[u8]) -> Vec<u8> {
        let length = u32::try_from(dictionary.len()).unwrap();
        [&DICTIONARY_FRAME[..], &length.to_le_bytes(), dictionary].concat()
    }

    #[test]
    fn a_dictionary_that_comes_with_the_file() {
        let (dictionary, frames) = dictionary_and_frames();
        let compressed = zstd::encode_all(dictionary.as_slice(), 3).unwrap();
        for dictionary in [dictionary, compressed] {
            let (text, errors) = read_on([framed(&dictionary), frames.clone()].concat());
            assert_eq!((text.as_slice(), errors), (&b"WARC/1.0 record 1 of 7"[..], 0));
        }
        assert_ne!(read_on(frames).1, 0, "the dictionary is needed");
    }

    #[test]
    fn frames_that_are_no_dictionary_are_skipped() {
        let plain = zstd::encode_all(&b"text"[..], 3).unwrap();
        for first in [framed(b"something else"), [b"\x50\x2a\x4d\x18\x03\0\0\0abc".to_vec()].concat()] {
            assert_eq!(read_on([first, plain.clone()].concat()), (b"text".to_vec(), 0));
        }
    }

    #[test]
    fn a_dictionary_that_is_cut_or_endless() {
        let error = |data: Vec<u8>| decompress(Cursor::new(data)).err().unwrap().to_string();
        assert_eq!(error(framed(b"abc")[..9].to_vec()), "unexpected end of file");
        let bomb = zstd::encode_all(io::repeat(0).take(MAX_DICTIONARY_BYTES + 1), 3).unwrap();
        assert_eq!(error(framed(&bomb)), "the zstd dictionary is larger than 16 MiB");
    }
}
