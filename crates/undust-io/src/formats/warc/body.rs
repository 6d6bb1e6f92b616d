//! Bodies as their server meant them: transfer and content encodings undone, whatever an archive has left of them.
//!
//! Archives do not agree on whether they keep an encoded body or its decoded form under the same header. So an
//! encoding is undone only where the bytes look like it, and of what is damaged or cut as much is kept as can be read.

use std::borrow::Cow;
use std::io::Read;

use brotli_decompressor::Decompressor as BrotliDecoder;
use flate2::read::{DeflateDecoder, MultiGzDecoder, ZlibDecoder};
use memchr::memchr;

use super::fields::Fields;
use crate::detect::is_binary;
use crate::unzstd::{self, ZSTD};

/// A body without its encodings.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Decoded {
    pub(super) bytes: Vec<u8>,
    /// Whether there was more than was asked for.
    pub(super) cut: bool,
    /// Whether there was nothing to undo.
    pub(super) as_stored: bool,
}

/// Undo the encodings of a body, the last one first, to at most `most` bytes; `None` if one of them is unknown here, or
/// if nothing can be read.
pub(super) fn decode(body: Vec<u8>, codings: &[String], most: usize) -> Option<Decoded> {
    let mut decoded = Decoded { bytes: body, cut: false, as_stored: true };
    for coding in codings.iter().rev() {
        match undo(coding, &decoded.bytes, most) {
            Undone::Bytes(attempt) => {
                decoded.bytes = attempt.bytes;
                decoded.cut |= attempt.end == End::Cut;
                decoded.as_stored = false;
            }
            Undone::WasNotApplied => {}
            Undone::Unreadable => return None,
        }
    }
    decoded.cut |= decoded.bytes.len() > most;
    decoded.bytes.truncate(most);
    Some(decoded)
}

/// Every encoding that an HTTP header names, in the order in which they were applied. More of them than anybody uses
/// are a trick.
pub(super) fn codings(header: Fields<'_>) -> Vec<String> {
    const MAX_CODINGS: usize = 4;
    let values = header.all("Content-Encoding").chain(header.all("Transfer-Encoding"));
    let words = |value: Cow<'_, [u8]>| -> Vec<String> {
        let text = String::from_utf8_lossy(&value).to_ascii_lowercase();
        text.split(',').map(|word| word.trim().to_owned()).take(MAX_CODINGS).collect()
    };
    values.take(MAX_CODINGS).flat_map(words).take(MAX_CODINGS).collect()
}

/// What undoing an encoding comes to.
enum Undone {
    Bytes(Attempt),
    /// The header says that it was applied, but the bytes do not look so.
    WasNotApplied,
    Unreadable,
}

fn undo(coding: &str, data: &[u8], most: usize) -> Undone {
    let attempt = match coding {
        "" | "identity" | "none" => None,
        "chunked" => unchunked(data).map(|bytes| Attempt { bytes, end: End::Whole }),
        "gzip" | "x-gzip" => {
            data.starts_with(b"\x1f\x8b").then(|| Attempt::new(MultiGzDecoder::new(data), most))
        }
        "zstd" => data.starts_with(&ZSTD).then(|| unzstd(data, most)),
        "deflate" => {
            let zlib = Some(Attempt::new(ZlibDecoder::new(data), most)).filter(|zlib| !zlib.bytes.is_empty());
            zlib.or_else(|| unless_text(Attempt::new(DeflateDecoder::new(data), most), data))
        }
        "br" => unless_text(Attempt::new(BrotliDecoder::new(data, 4096), most), data),
        _ => return Undone::Unreadable,
    };
    match attempt {
        None => Undone::WasNotApplied,
        // What looks encoded but gives nothing is no body.
        Some(attempt) if attempt.bytes.is_empty() && attempt.end == End::Broken => Undone::Unreadable,
        Some(attempt) => Undone::Bytes(attempt),
    }
}

fn unzstd(data: &[u8], most: usize) -> Attempt {
    unzstd::body(data)
        .map_or(Attempt { bytes: Vec::new(), end: End::Broken }, |decoder| Attempt::new(decoder, most))
}

/// These encodings do not say that they are there. A failure on what reads as text is no wonder: it is text.
fn unless_text(attempt: Attempt, data: &[u8]) -> Option<Attempt> {
    let is_text = attempt.end == End::Broken && !is_binary(data);
    (!is_text).then_some(attempt)
}

/// What could be decoded.
struct Attempt {
    bytes: Vec<u8>,
    end: End,
}

#[derive(PartialEq, Eq)]
enum End {
    Whole,
    Cut,
    Broken,
}

impl Attempt {
    /// Decode `most` bytes and one more.
    fn new(decoder: impl Read, most: usize) -> Attempt {
        let mut bytes = Vec::new();
        let read = decoder.take((most as u64).saturating_add(1)).read_to_end(&mut bytes);
        let end = match read {
            Err(_) => End::Broken,
            Ok(_) if bytes.len() > most => End::Cut,
            Ok(_) => End::Whole,
        };
        Attempt { bytes, end }
    }
}

/// The bytes in chunks, as far as chunks follow each other; `None` if there are none.
fn unchunked(data: &[u8]) -> Option<Vec<u8>> {
    // Text may begin with a line of digits; with one that ends in CR LF hardly ever.
    let first_line = &data[..=memchr(b'\n', data)?];
    if !first_line.ends_with(b"\r\n") {
        return None;
    }
    let mut bytes = Vec::new();
    let (mut size, mut rest) = chunk(data)?;
    while size > 0 {
        let length = usize::try_from(size).unwrap_or(usize::MAX).min(rest.len());
        bytes.extend_from_slice(&rest[..length]);
        rest = &rest[length..];
        let behind = rest.strip_prefix(b"\r\n").or_else(|| rest.strip_prefix(b"\n"));
        let Some(next) = behind.and_then(chunk) else { break };
        (size, rest) = next;
    }
    Some(bytes)
}

/// The size of a chunk, and what stands behind the line that says so.
fn chunk(data: &[u8]) -> Option<(u64, &[u8])> {
    const MAX_LINE_BYTES: usize = 1024;
    let newline = memchr(b'\n', &data[..data.len().min(MAX_LINE_BYTES)])?;
    let line = str::from_utf8(&data[..newline]).ok()?;
    let size = line.split(';').next().unwrap_or_default().trim();
    let digits = size.bytes().all(|digit| digit.is_ascii_hexdigit());
    let size = u64::from_str_radix(size, 16).ok().filter(|_| digits)?;
    Some((size, &data[newline + 1..]))
}

#[cfg(test)]
mod tests {
    use std::io::{self, Write};

    use flate2::Compression;
    use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
    use proptest::prelude::*;

    use super::*;

    const HTML: &[u8] =
        b"<!doctype html><title>A page</title><p>Some text that is compressed, text, text, text.\n";

    /// [`HTML`] in brotli, made by another program.
    const BROTLI: &[u8] = b"\x1bV\x00p\x9c\x076nt\xf1g\xcdU\xd2\xc1\x8d\xb5\x02\x88O\x90j\xc3\xab\xb27\xc78`\xbf\x96q\x1f\x17\xbf\x1d\xe3p\xd0y]\xe1|\x9b\x7f\xa4z\xfd\xd4\x01_Z\x94\x02%\xb5\xaf\x96\x80g\x1c\x01";

    fn gzip(data: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(data).unwrap();
        encoder.finish().unwrap()
    }

    fn zlib(data: &[u8]) -> Vec<u8> {
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(data).unwrap();
        encoder.finish().unwrap()
    }

    fn deflate(data: &[u8]) -> Vec<u8> {
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(data).unwrap();
        encoder.finish().unwrap()
    }

    fn zstd(data: &[u8]) -> Vec<u8> {
        zstd::encode_all(data, 3).unwrap()
    }

    fn decode_under(header: &str, body: &[u8], most: usize) -> Option<Decoded> {
        decode(body.to_vec(), &codings(Fields::new(header.as_bytes())), most)
    }

    fn decoded(header: &str, body: &[u8]) -> Option<Vec<u8>> {
        let decoded = decode_under(header, body, 1_000_000)?;
        assert!(!decoded.cut, "{header}");
        Some(decoded.bytes)
    }

    fn encoded(coding: &str, body: &[u8]) -> Option<Vec<u8>> {
        decoded(&format!("Content-Encoding: {coding}\r\n"), body)
    }

    fn from_chunks(body: &str) -> String {
        String::from_utf8(decoded("transfer-encoding: chunked\n", body.as_bytes()).unwrap()).unwrap()
    }

    #[test]
    fn every_content_encoding() {
        let cases = [
            ("gzip", gzip(HTML)),
            ("X-GZIP", gzip(HTML)),
            ("deflate", zlib(HTML)),
            ("deflate", deflate(HTML)),
            ("br", BROTLI.to_vec()),
            ("zstd", zstd(HTML)),
            ("deflate, gzip", gzip(&zlib(HTML))),
            ("identity", HTML.to_vec()),
        ];
        for (coding, body) in cases {
            assert_eq!(encoded(coding, &body).as_deref(), Some(HTML), "{coding}");
            // Some archives store the body decoded, and its header as it was.
            assert_eq!(encoded(coding, HTML).as_deref(), Some(HTML), "{coding} stored decoded");
        }
        assert_eq!(encoded("compress", HTML), None);
        assert_eq!(encoded("gzip", b"").as_deref(), Some(&b""[..]));
    }

    #[test]
    fn of_a_damaged_body_what_can_be_read() {
        let text: Vec<u8> = (0..100_000_u64).flat_map(|i| (i * i).to_string().into_bytes()).collect();
        for (coding, body) in [("gzip", gzip(&text)), ("deflate", zlib(&text)), ("zstd", zstd(&text))] {
            let read = encoded(coding, &body[..body.len() / 2]).unwrap_or_default();
            assert!(read.len() > text.len() / 5 && text.starts_with(&read), "{coding} {}", read.len());
        }
        assert_eq!(encoded("gzip", b"\x1f\x8b\x08\x00rubbish"), None);
        assert_eq!(encoded("br", b"\xff\x00\x01\x02\x03\x04"), None);
    }

    #[test]
    fn chunks_good_and_bad() {
        let cases = [
            ("5\r\nhello\r\n7; a=b\r\n, world\r\n0\r\n\r\n", "hello, world"),
            ("5 \r\nhello\r\n0007\r\n, world\r\n0\r\nTrailer: x\r\n\r\n", "hello, world"),
            // The last chunk is missing; the size lies; no size follows; a chunk is cut.
            ("5\r\nhello\r\n", "hello"),
            ("3\r\nhello\r\n0\r\n\r\n", "hel"),
            ("5\r\nhello\r\nworld\r\n", "hello"),
            ("ffffffffffffffff\r\nhello", "hello"),
            ("5\r\nhello\r\n7\r\n, w", "hello, w"),
            ("0\r\n\r\n", ""),
            // Stored decoded.
            ("<p>hello</p>\r\n", "<p>hello</p>\r\n"),
            ("2010\nwas a year", "2010\nwas a year"),
            ("+5\r\nhello", "+5\r\nhello"),
            ("", ""),
        ];
        for (body, text) in cases {
            assert_eq!(from_chunks(body), text, "{body:?}");
        }
    }

    #[test]
    fn chunks_of_a_compressed_body() {
        let compressed = gzip(HTML);
        let body = [format!("{:x}\r\n", compressed.len()).as_bytes(), &compressed, b"\r\n0\r\n\r\n"].concat();
        let header = "Transfer-Encoding: chunked\r\nContent-Encoding: gzip\r\n";
        assert_eq!(decoded(header, &body).as_deref(), Some(HTML));
        assert_eq!(decoded("Transfer-Encoding: gzip, chunked\r\n", &body).as_deref(), Some(HTML));
    }

    #[test]
    fn bombs_end_at_the_limit() {
        const LIMIT: usize = 1 << 20;
        let mut zeros = Vec::new();
        io::repeat(0).take(64 << 20).read_to_end(&mut zeros).unwrap();
        let once = gzip(&zeros);
        for (coding, body) in [("gzip", once.clone()), ("gzip, gzip", gzip(&once)), ("zstd", zstd(&zeros))] {
            let header = format!("Content-Encoding: {coding}\r\n");
            let decoded = decode_under(&header, &body, LIMIT).unwrap();
            assert!(decoded.cut && decoded.bytes.len() == LIMIT, "{coding}");
        }
    }

    #[test]
    fn exactly_the_limit_is_not_cut() {
        for (header, body) in [("", HTML.to_vec()), ("Content-Encoding: gzip", gzip(HTML))] {
            let read = |most| decode_under(header, &body, most).map(|decoded| (decoded.bytes, decoded.cut));
            assert_eq!(read(HTML.len()), Some((HTML.to_vec(), false)));
            assert_eq!(read(HTML.len() - 1), Some((HTML[..HTML.len() - 1].to_vec(), true)));
        }
    }

    proptest! {
        #[test]
        fn no_body_panics(
            coding in prop::sample::select(vec!["gzip", "deflate", "br", "zstd", "chunked"]),
            body in prop::collection::vec(any::<u8>(), 0..300),
            damaged in 0_usize..60,
            by in any::<u8>(),
        ) {
            let header = format!("Content-Encoding: {coding}\r\n");
            for mut body in [body, BROTLI.to_vec(), gzip(HTML), zlib(HTML), deflate(HTML), zstd(HTML)] {
                if let Some(byte) = body.get_mut(damaged) {
                    *byte ^= by;
                }
                let decoded = decode_under(&header, &body, 1000);
                prop_assert!(decoded.is_none_or(|decoded| decoded.bytes.len() <= 1000));
            }
        }
    }
}
