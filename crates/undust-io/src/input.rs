//! Opening files: the only place that does, so that every input is decompressed and every error names its file.

use std::fs::File;
use std::io::{self, Cursor, Read};
use std::mem;
use std::path::{Path, PathBuf};

use bzip2::read::MultiBzDecoder;
use flate2::read::MultiGzDecoder;
use zstd::stream::read::Decoder as ZstdDecoder;

use crate::Format;
use crate::blocks::count_newlines;
use crate::detect::detect;
use crate::error::{ReadError, ReadErrorKind};

/// Bytes to read, decompressed, under the name by which errors call them.
pub struct Input {
    name: PathBuf,
    compressed: bool,
    reader: Box<dyn Read + Send>,
}

/// Open a file, or standard input for `-`, decompressing gzip, zstd and bzip2 (also many members in a row).
#[expect(clippy::disallowed_methods, reason = "this is the one place that opens files")]
pub fn open(path: &Path) -> Result<Input, ReadError> {
    if path == Path::new("-") {
        return Input::new(path, io::stdin());
    }
    match File::open(path) {
        Ok(file) => Input::new(path, file),
        Err(error) => Err(ReadError { file: path.into(), line: None, kind: ReadErrorKind::Io(error) }),
    }
}

impl Input {
    /// Decompress `source` where its first bytes ask for it; `name` is what errors call it.
    pub fn new(name: impl Into<PathBuf>, source: impl Read + Send + 'static) -> Result<Input, ReadError> {
        let name = name.into();
        match decompress(source) {
            Ok((compressed, reader)) => Ok(Input { name, compressed, reader }),
            Err(error) => Err(ReadError { file: name, line: None, kind: ReadErrorKind::Io(error) }),
        }
    }

    /// The name by which errors call this input.
    pub fn name(&self) -> &Path {
        &self.name
    }

    /// All of it as text.
    pub fn into_text(mut self) -> Result<String, ReadError> {
        let mut bytes = Vec::new();
        if let Err(error) = self.reader.read_to_end(&mut bytes) {
            return Err(self.error(1 + count_newlines(&bytes), error));
        }
        String::from_utf8(bytes).map_err(|error| {
            let line = 1 + count_newlines(&error.as_bytes()[..error.utf8_error().valid_up_to()]);
            let kind = ReadErrorKind::BadLine("not a text in UTF-8".to_owned());
            ReadError { file: self.name, line: Some(line), kind }
        })
    }

    /// The format that the content looks like.
    pub fn format(&mut self) -> Result<Format, ReadError> {
        let head = self.head()?;
        let seems = |seems| ReadError {
            file: self.name().into(),
            line: None,
            kind: ReadErrorKind::NotRecognised(seems),
        };
        detect(&head).map_err(seems)
    }

    /// The first 64 KiB, which stay to be read; a UTF-8 byte order mark is dropped for good.
    pub(crate) fn head(&mut self) -> Result<Vec<u8>, ReadError> {
        const HEAD: u64 = 64 * 1024;
        let mut head = Vec::new();
        if let Err(error) = self.reader.by_ref().take(HEAD).read_to_end(&mut head) {
            return Err(self.error(1 + count_newlines(&head), error));
        }
        if head.starts_with(b"\xef\xbb\xbf") {
            head.drain(..3);
        }
        let rest = mem::replace(&mut self.reader, Box::new(io::empty()));
        self.reader = Box::new(Cursor::new(head.clone()).chain(rest));
        Ok(head)
    }

    /// What a failed read at `line` means for this input.
    pub(crate) fn error(&self, line: u64, error: io::Error) -> ReadError {
        // What the system reports is no fault of the data; what a decoder reports is.
        let kind = if !self.compressed || error.raw_os_error().is_some() {
            ReadErrorKind::Io(error)
        } else if error.kind() == io::ErrorKind::UnexpectedEof {
            ReadErrorKind::Truncated
        } else {
            ReadErrorKind::Corrupt(error)
        };
        ReadError { file: self.name.clone(), line: Some(line), kind }
    }
}

impl Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.reader.read(buffer)
    }
}

/// The plain bytes of `source`, and whether they were compressed.
fn decompress(mut source: impl Read + Send + 'static) -> io::Result<(bool, Box<dyn Read + Send>)> {
    const MAGIC: u64 = 5;
    let mut magic = Vec::new();
    source.by_ref().take(MAGIC).read_to_end(&mut magic)?;
    let whole = Cursor::new(magic.clone()).chain(source);
    Ok(match magic.as_slice() {
        [0x1f, 0x8b, ..] => (true, Box::new(MultiGzDecoder::new(whole))),
        [0x28, 0xb5, 0x2f, 0xfd, ..] => (true, Box::new(ZstdDecoder::new(whole)?)),
        [b'B', b'Z', b'h', b'1'..=b'9', 0x31 | 0x17] => (true, Box::new(MultiBzDecoder::new(whole))),
        _ => (false, Box::new(whole)),
    })
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn gzip(data: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(data).unwrap();
        encoder.finish().unwrap()
    }

    fn bzip2(data: &[u8]) -> Vec<u8> {
        let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::default());
        encoder.write_all(data).unwrap();
        encoder.finish().unwrap()
    }

    fn zstd(data: &[u8]) -> Vec<u8> {
        zstd::encode_all(data, 0).unwrap()
    }

    fn input(data: Vec<u8>) -> Input {
        Input::new("sample", Cursor::new(data)).unwrap()
    }

    /// Bytes that do not compress to nothing, so that cutting the middle cuts data.
    fn noise() -> Vec<u8> {
        (0..50_000_u64)
            .flat_map(|i| format!("{}\n", i.wrapping_mul(0x9e37_79b9_7f4a_7c15)).into_bytes())
            .collect()
    }

    #[test]
    fn many_members_read_as_one() {
        for compress in [gzip, bzip2, zstd, <[u8]>::to_vec] {
            let mut text = Vec::new();
            input([compress(b"http://a/\n"), compress(b"http://b/\n")].concat())
                .read_to_end(&mut text)
                .unwrap();
            assert_eq!(text, b"http://a/\nhttp://b/\n");
        }
    }

    #[test]
    fn the_head_stays_to_be_read() {
        let mut from_gzip = input(gzip(&noise()));
        let head = from_gzip.head().unwrap();
        assert_eq!(head, noise()[..64 * 1024]);
        let mut text = Vec::new();
        from_gzip.read_to_end(&mut text).unwrap();
        assert_eq!(text, noise());
        assert_eq!(input(b"\xef\xbb\xbfurl\n".to_vec()).head().unwrap(), b"url\n");
    }

    #[test]
    fn cut_and_damaged_data_are_told_apart() {
        for compress in [gzip, bzip2, zstd] {
            let mut cut = compress(b"http://a/\nhttp://b/\n");
            cut.truncate(cut.len() - 6);
            let error = input(cut).head().unwrap_err();
            assert!(matches!(error.kind, ReadErrorKind::Truncated), "{error}");

            let mut damaged = compress(&noise());
            let middle = damaged.len() / 2;
            damaged[middle..middle + 64].fill(0);
            let mut text = Vec::new();
            let mut damaged = input(damaged);
            let error = damaged.read_to_end(&mut text).unwrap_err();
            assert!(matches!(damaged.error(1, error).kind, ReadErrorKind::Corrupt(_)));
        }
    }

    #[test]
    fn text_or_the_line_where_it_ends() {
        assert_eq!(input(gzip(b"{\n}")).into_text().unwrap(), "{\n}");
        let error = input(b"{\n\xff}".to_vec()).into_text().unwrap_err();
        assert_eq!(error.to_string(), "sample:2: not a text in UTF-8");
        let error = input(gzip(&noise())[..100_000].to_vec()).into_text().unwrap_err();
        assert!(matches!(error.kind, ReadErrorKind::Truncated) && error.line > Some(1000), "{error}");
    }

    #[test]
    fn missing_files_are_named() {
        let error = open(Path::new("no/such/file.tsv")).err().unwrap();
        assert!(error.to_string().starts_with("no/such/file.tsv: "), "{error}");
    }
}
