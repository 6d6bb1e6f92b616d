//! Opening files: the only place that does, so that every input is decompressed and every error names its file.

use std::fmt;
use std::fs::File;
use std::io::{self, Cursor, Read};
use std::mem;
use std::path::{Path, PathBuf};

use crate::Format;
use crate::blocks::count_newlines;
use crate::decompress::decompress;
use crate::detect::{detect, is_warc};
use crate::error::{LineError, ReadError, ReadErrorKind};
#[cfg(feature = "parquet")]
use crate::parquet::ParquetFile;
#[cfg(feature = "arrow")]
use crate::table::Table;
use crate::utf16::{self, Utf16, byte_order};

/// Bytes to read, decompressed, under the name by which errors call them.
pub struct Input {
    name: PathBuf,
    /// What has no bytes of its own.
    other: Option<Other>,
    compressed: bool,
    /// Whether its bytes are those of a file of this name, which can be read again from anywhere.
    #[cfg_attr(not(feature = "parquet"), expect(dead_code, reason = "nothing else is read again"))]
    is_file: bool,
    reader: Box<dyn Read + Send>,
}

/// An input that is not a stream of bytes.
enum Other {
    /// Files below this name.
    Folder,
    #[cfg(feature = "arrow")]
    Table(Table),
}

/// Open a file, or standard input for `-`, decompressing gzip, zstd and bzip2 (also many members in a row), with UTF-16 as UTF-8; or
/// a folder of saved pages.
#[expect(clippy::disallowed_methods, reason = "this is the one place that opens files")]
pub fn open(path: &Path) -> Result<Input, ReadError> {
    if path == Path::new("-") {
        return Input::new(path, io::stdin());
    }
    if path.is_dir() {
        return Ok(Input {
            name: path.into(),
            other: Some(Other::Folder),
            compressed: false,
            is_file: false,
            reader: Box::new(no_bytes("a folder")),
        });
    }
    match File::open(path) {
        Ok(file) => {
            let is_file = file.metadata().is_ok_and(|metadata| metadata.is_file());
            let input = Input::new(path, file)?;
            Ok(Input { is_file: is_file && !input.compressed, ..input })
        }
        Err(error) => Err(ReadError { file: path.into(), line: None, kind: ReadErrorKind::Io(error) }),
    }
}

impl fmt::Debug for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Input").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Input {
    /// Decompress and decode `source` where its first bytes ask for it; `name` is what errors call it.
    pub fn new(name: impl Into<PathBuf>, source: impl Read + Send + 'static) -> Result<Input, ReadError> {
        let name = name.into();
        match decompress(source) {
            Ok((compressed, reader)) => {
                let reader = in_utf8(reader);
                Ok(Input { name, other: None, compressed, is_file: false, reader })
            }
            Err(error) => Err(ReadError { file: name, line: None, kind: ReadErrorKind::Io(error) }),
        }
    }

    /// A table in memory, of which each batch has these columns; `name` is what errors call it.
    #[cfg(feature = "arrow")]
    pub fn from_batches(
        name: impl Into<PathBuf>,
        schema: &arrow_schema::Schema,
        batches: impl Iterator<Item = Result<arrow_array::RecordBatch, arrow_schema::ArrowError>> + Send + 'static,
    ) -> Result<Input, ReadError> {
        let name = name.into();
        let table = Table::new(name.clone(), schema, batches)?;
        Ok(Input {
            name,
            other: Some(Other::Table(table)),
            compressed: false,
            is_file: false,
            reader: Box::new(no_bytes("a table")),
        })
    }

    /// The Parquet file that this is: read from where it is, or held in memory where it is no file.
    #[cfg(feature = "parquet")]
    pub(crate) fn into_parquet(self) -> Result<ParquetFile, ReadError> {
        if self.is_file {
            return ParquetFile::open(&self.name);
        }
        let name = self.name.clone();
        ParquetFile::in_memory(name, self.into_bytes()?)
    }

    /// The table that this is, if it is one.
    #[cfg(feature = "arrow")]
    pub(crate) fn take_table(&mut self) -> Option<Table> {
        match self.other.take() {
            Some(Other::Table(table)) => Some(table),
            other => {
                self.other = other;
                None
            }
        }
    }

    /// The name by which errors call this input.
    pub fn name(&self) -> &Path {
        &self.name
    }

    /// All of it.
    pub fn into_bytes(mut self) -> Result<Vec<u8>, ReadError> {
        let mut bytes = Vec::new();
        match self.reader.read_to_end(&mut bytes) {
            Ok(_) => Ok(bytes),
            Err(error) => Err(self.error(1 + count_newlines(&bytes), error)),
        }
    }

    /// All of it as text, without a byte order mark.
    pub fn into_text(self) -> Result<String, ReadError> {
        let file = self.name.clone();
        let mut bytes = self.into_bytes()?;
        drop_mark(&mut bytes);
        String::from_utf8(bytes).map_err(|error| {
            let line = 1 + count_newlines(&error.as_bytes()[..error.utf8_error().valid_up_to()]);
            let kind = ReadErrorKind::BadLine(LineError::NotUtf8);
            ReadError { file, line: Some(line), kind }
        })
    }

    /// The format that the content looks like.
    pub fn format(&mut self) -> Result<Format, ReadError> {
        match self.other {
            Some(Other::Folder) => return Ok(Format::Folder),
            #[cfg(feature = "arrow")]
            Some(Other::Table(_)) => return Ok(Format::Arrow),
            None => {}
        }
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
        let (mut head, error) = look_ahead(&mut self.reader, HEAD_BYTES);
        let error = match error {
            // The records before the damage are whole: their reader will come to it.
            Some(error) if is_warc(&head) => Some(error),
            Some(error) => return Err(self.error(1 + count_newlines(&head), error)),
            None => None,
        };
        drop_mark(&mut head);
        let rest = mem::replace(&mut self.reader, Box::new(io::empty()));
        self.reader = put_back(head.clone(), error, rest);
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
        let line = self.other.is_none().then_some(line);
        ReadError { file: self.name.clone(), line, kind }
    }
}

/// As much as [`Input::head`] looks at.
const HEAD_BYTES: u64 = 64 * 1024;

/// The first bytes of `reader`, up to an error.
fn look_ahead(reader: &mut dyn Read, most: u64) -> (Vec<u8>, Option<io::Error>) {
    let mut head = Vec::new();
    let error = reader.take(most).read_to_end(&mut head).err();
    (head, error)
}

/// What was read ahead, to be read again before the rest.
fn put_back(head: Vec<u8>, error: Option<io::Error>, rest: Box<dyn Read + Send>) -> Box<dyn Read + Send> {
    Box::new(Cursor::new(head).chain(Failure(error)).chain(rest))
}

/// The text of `reader` in UTF-8, if it is in UTF-16; else its bytes as they are.
fn in_utf8(mut reader: Box<dyn Read + Send>) -> Box<dyn Read + Send> {
    let (head, error) = look_ahead(&mut reader, utf16::HEAD_BYTES);
    let order = byte_order(&head);
    let whole = put_back(head, error, reader);
    match order {
        Some(order) => Box::new(Utf16::new(whole, order)),
        None => whole,
    }
}

/// Drop the byte order mark of UTF-8.
fn drop_mark(text: &mut Vec<u8>) {
    if text.starts_with(b"\xef\xbb\xbf") {
        text.drain(..3);
    }
}

/// What is read of something that is taken for a file.
fn no_bytes(what: &str) -> impl Read + use<> {
    Failure(Some(io::Error::new(io::ErrorKind::IsADirectory, format!("this is {what}, not a file"))))
}

/// The first `most` bytes of a file, and how many there are.
#[expect(clippy::disallowed_methods, reason = "this is the one place that opens files")]
pub(crate) fn read_beginning(path: &Path, most: u64) -> io::Result<(Vec<u8>, u64)> {
    let file = File::open(path)?;
    let mut bytes = Vec::new();
    let size = file.metadata()?.len();
    let read = file.take(most).read_to_end(&mut bytes)? as u64;
    Ok((bytes, size.max(read)))
}

/// An error that was met while looking ahead, kept for whoever reads up to it.
struct Failure(Option<io::Error>);

impl Read for Failure {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        self.0.take().map_or(Ok(0), Err)
    }
}

impl Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.reader.read(buffer)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;
    use crate::decompress::tests::gzip;

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
        assert_eq!(input(b"\xef\xbb\xbf{}".to_vec()).into_text().unwrap(), "{}");
        for utf16 in [&b"\xff\xfe{\0}\0"[..], b"\xfe\xff\0{\0}", b"{\0}\0", b"\0{\0}"] {
            assert_eq!(input(gzip(utf16)).into_text().unwrap(), "{}");
        }
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
