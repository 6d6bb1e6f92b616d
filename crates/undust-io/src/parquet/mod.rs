//! Parquet files: their row groups side by side, and of them only the columns that say something about a page.

mod write;

use std::error::Error;
use std::fs::File;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use bytes::Bytes;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder,
};
use parquet::basic::{ConvertedType, Type as Physical};
use parquet::errors::ParquetError;
use parquet::schema::types::{SchemaDescriptor, Type, TypePtr};

use crate::error::{ReadError, ReadErrorKind};
pub use write::{AddedColumn, write_with_column};

/// Rows that are decoded at once.
const BATCH_ROWS: usize = 8192;

/// A Parquet file, of which the footer was read.
pub(crate) struct ParquetFile {
    name: PathBuf,
    place: Source,
    metadata: ArrowReaderMetadata,
    declared: SchemaRef,
}

/// Where its bytes are.
enum Source {
    /// Opened anew for each row group: a file that is cloned has one position for all.
    File(PathBuf),
    Memory(Bytes),
}

impl ParquetFile {
    pub(crate) fn open(path: &Path) -> Result<ParquetFile, ReadError> {
        ParquetFile::new(path.into(), Source::File(path.into()))
    }

    pub(crate) fn in_memory(name: PathBuf, bytes: Vec<u8>) -> Result<ParquetFile, ReadError> {
        ParquetFile::new(name, Source::Memory(bytes.into()))
    }

    fn new(name: PathBuf, place: Source) -> Result<ParquetFile, ReadError> {
        match unless_panicking(|| place.metadata()) {
            Ok((metadata, declared)) => Ok(ParquetFile { name, place, metadata, declared }),
            Err(error) => Err(ReadError { file: name, line: None, kind: fault(error) }),
        }
    }

    /// Its columns. Text is bytes here: what a file declares to be UTF-8 need not be, and one bad value must not cost all others.
    pub(crate) fn schema(&self) -> &SchemaRef {
        self.metadata.schema()
    }

    /// Its columns as the file declares them.
    fn declared(&self) -> &SchemaRef {
        &self.declared
    }

    fn name(&self) -> &Path {
        &self.name
    }

    /// Its row groups, each with the number of its first row.
    pub(crate) fn row_groups(&self) -> impl Iterator<Item = RowGroup> + use<> {
        let rows: Vec<u64> = self
            .metadata
            .metadata()
            .row_groups()
            .iter()
            .map(|group| group.num_rows().cast_unsigned())
            .collect();
        let mut next = 1;
        rows.into_iter().enumerate().map(move |(number, rows)| {
            let first_row = next;
            next += rows;
            RowGroup { number, first_row }
        })
    }

    /// The rows of a row group, but only these columns.
    pub(crate) fn rows(&self, group: &RowGroup, columns: &[usize]) -> Result<Rows, ReadError> {
        let mask = ProjectionMask::roots(self.metadata.parquet_schema(), columns.iter().copied());
        let rows = unless_panicking(|| self.place.rows(self.metadata.clone(), group.number, mask));
        rows.map(Rows).map_err(|error| self.error(Some(group.first_row), fault(error)))
    }

    /// What is wrong in a row or behind it.
    pub(crate) fn error(&self, row: Option<u64>, kind: ReadErrorKind) -> ReadError {
        ReadError { file: self.name.clone(), line: row, kind }
    }
}

/// Some rows of a file, which are stored together.
pub(crate) struct RowGroup {
    number: usize,
    pub(crate) first_row: u64,
}

/// The rows of a row group, batch by batch.
pub(crate) struct Rows(ParquetRecordBatchReader);

impl Iterator for Rows {
    type Item = Result<RecordBatch, ReadErrorKind>;

    fn next(&mut self) -> Option<Self::Item> {
        unless_panicking(|| Ok(self.0.next().transpose()?)).transpose().map(|batch| batch.map_err(fault))
    }
}

/// The decoder takes some damage for a mistake of ours, and panics. It is not looked at again then.
fn unless_panicking<T>(decode: impl FnOnce() -> Result<T, ParquetError>) -> Result<T, ParquetError> {
    catch_unwind(AssertUnwindSafe(decode))
        .unwrap_or_else(|_| Err(ParquetError::General("what it says of itself cannot be".to_owned())))
}

impl Source {
    #[expect(clippy::disallowed_methods, reason = "each row group needs a file of its own")]
    fn open(path: &Path) -> Result<File, ParquetError> {
        Ok(File::open(path)?)
    }

    /// How to read the file, and what it says it holds.
    fn metadata(&self) -> Result<(ArrowReaderMetadata, SchemaRef), ParquetError> {
        let load = |options| match self {
            Source::File(path) => ArrowReaderMetadata::load(&Source::open(path)?, options),
            Source::Memory(bytes) => ArrowReaderMetadata::load(bytes, options),
        };
        let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
        let declared = load(options.clone())?;
        let plain = Arc::new(without_text(declared.parquet_schema())?);
        Ok((load(options.with_parquet_schema(plain))?, Arc::clone(declared.schema())))
    }

    fn rows(
        &self,
        metadata: ArrowReaderMetadata,
        group: usize,
        mask: ProjectionMask,
    ) -> Result<ParquetRecordBatchReader, ParquetError> {
        macro_rules! rows {
            ($source:expr) => {
                ParquetRecordBatchReaderBuilder::new_with_metadata($source, metadata)
                    .with_row_groups(vec![group])
                    .with_projection(mask)
                    .with_batch_size(BATCH_ROWS)
                    .build()
            };
        }
        match self {
            Source::File(path) => rows!(Source::open(path)?),
            Source::Memory(bytes) => rows!(bytes.clone()),
        }
    }
}

/// The same columns, with bytes where there was text: text would be checked, batch by batch, and one bad value would be the end of it.
fn without_text(schema: &SchemaDescriptor) -> Result<SchemaDescriptor, ParquetError> {
    let root = schema.root_schema();
    let fields = root.get_fields().iter().map(plain).collect::<Result<Vec<_>, _>>()?;
    let plain_root = Type::group_type_builder(root.name()).with_fields(fields).build()?;
    Ok(SchemaDescriptor::new(Arc::new(plain_root)))
}

fn plain(field: &TypePtr) -> Result<TypePtr, ParquetError> {
    let is_text = field.is_primitive()
        && field.get_physical_type() == Physical::BYTE_ARRAY
        && matches!(
            field.get_basic_info().converted_type(),
            ConvertedType::UTF8 | ConvertedType::ENUM | ConvertedType::JSON
        );
    if !is_text {
        return Ok(Arc::clone(field));
    }
    let repetition = field.get_basic_info().repetition();
    let bytes = Type::primitive_type_builder(field.name(), Physical::BYTE_ARRAY).with_repetition(repetition);
    Ok(Arc::new(bytes.build()?))
}

/// What the system says is no fault of the file; all else is.
fn fault(error: ParquetError) -> ReadErrorKind {
    match error {
        ParquetError::External(error) => match error.downcast::<io::Error>() {
            Ok(error) => ReadErrorKind::Io(*error),
            Err(error) => damaged(error),
        },
        ParquetError::General(what) | ParquetError::EOF(what) | ParquetError::ArrowError(what) => {
            damaged(what)
        }
        ParquetError::NYI(what) => damaged(format!("{what}, which is not read here")),
        error => damaged(error),
    }
}

fn damaged(error: impl Into<Box<dyn Error + Send + Sync>>) -> ReadErrorKind {
    ReadErrorKind::DamagedParquet(error.into())
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Write};

    use arrow_array::{ArrayRef, Int16Array, Int64Array, StringArray, StructArray};
    use arrow_schema::{DataType, Field};
    use parquet::arrow::ArrowWriter;
    use parquet::basic::{Compression, ZstdLevel};
    use parquet::data_type::{ByteArray, ByteArrayType};
    use parquet::file::properties::WriterProperties;
    use parquet::file::writer::SerializedFileWriter;
    use parquet::schema::parser::parse_message_type;
    use undust::page::Page;

    use super::*;
    use crate::decompress::tests::gzip;
    use crate::{Format, Input, ReadOptions, Summary, open, read_input};

    fn written(columns: Vec<(&str, ArrayRef)>, group: usize, compression: Compression) -> Vec<u8> {
        let batch = RecordBatch::try_from_iter(columns).unwrap();
        let properties = WriterProperties::builder()
            .set_max_row_group_row_count(Some(group))
            .set_compression(compression)
            .build();
        let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), Some(properties)).unwrap();
        writer.write(&batch).unwrap();
        writer.into_inner().unwrap()
    }

    /// A table like the index of Common Crawl, with a column that says nothing about a page.
    fn index(rows: usize, group: usize, compression: Compression) -> Vec<u8> {
        let urls: StringArray = (0..rows).map(|i| Some(format!("http://a.org/{i}"))).collect();
        let statuses: Int16Array = (0..rows).map(|i| if i % 10 == 9 { None } else { Some(200) }).collect();
        let digests: StringArray = (0..rows).map(|i| Some(format!("D{}", i / 2))).collect();
        let words = StructArray::from(vec![(
            Arc::new(Field::new("word", DataType::Utf8, false)),
            Arc::new(StringArray::from(vec!["x"; rows])) as ArrayRef,
        )]);
        let columns: Vec<(&str, ArrayRef)> = vec![
            ("words", Arc::new(words)),
            ("fetch_status", Arc::new(statuses)),
            ("url", Arc::new(urls)),
            ("content_digest", Arc::new(digests)),
        ];
        written(columns, group, compression)
    }

    fn read(input: Input, threads: usize) -> Result<(Summary, Vec<Page>), ReadError> {
        let mut pages = Vec::new();
        let options = ReadOptions { threads, ..ReadOptions::default() };
        let summary = read_input(input, &options, &mut |page| pages.push(page))?;
        Ok((summary, pages))
    }

    fn in_memory(bytes: &[u8]) -> Input {
        Input::new("sample", Cursor::new(bytes.to_vec())).unwrap()
    }

    #[test]
    fn row_groups_are_read_side_by_side_and_in_order() {
        let kinds = [
            Compression::UNCOMPRESSED,
            Compression::SNAPPY,
            Compression::GZIP(parquet::basic::GzipLevel::default()),
            Compression::ZSTD(ZstdLevel::default()),
            Compression::LZ4_RAW,
        ];
        for compression in kinds {
            let file = index(30_000, 1_000, compression);
            for threads in [1, 3] {
                let (summary, pages) = read(in_memory(&file), threads).unwrap();
                assert_eq!((summary.format, summary.lines, pages.len()), (Format::Parquet, 30_000, 30_000));
                for (i, page) in pages.iter().enumerate() {
                    assert_eq!(page.url, format!("http://a.org/{i}").into_bytes());
                }
                assert_eq!((pages[9].status, pages[10].status), (None, Some(200)));
                assert_eq!(pages[29_999].digest.as_deref(), Some("D14999"));
            }
        }
    }

    #[test]
    fn a_file_is_read_where_it_is_and_others_in_memory() {
        let bytes = index(5_000, 700, Compression::SNAPPY);
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(&bytes).unwrap();
        let (_, from_file) = read(open(file.path()).unwrap(), 2).unwrap();
        let (_, from_gzip) = read(in_memory(&gzip(&bytes)), 2).unwrap();
        assert_eq!(from_file.len(), 5_000);
        assert_eq!(from_file, from_gzip);
    }

    /// A column of text, two rows a group; nobody looks whether it is text.
    fn text(values: &[Option<&[u8]>]) -> Vec<u8> {
        let schema = Arc::new(parse_message_type("message table { optional binary url (UTF8); }").unwrap());
        let mut file = SerializedFileWriter::new(Vec::new(), schema, Arc::default()).unwrap();
        for rows in values.chunks(2) {
            let levels: Vec<i16> = rows.iter().map(|row| i16::from(row.is_some())).collect();
            let there: Vec<ByteArray> = rows.iter().flatten().map(|row| row.to_vec().into()).collect();
            let mut group = file.next_row_group().unwrap();
            let mut column = group.next_column().unwrap().unwrap();
            column.typed::<ByteArrayType>().write_batch(&there, Some(&levels), None).unwrap();
            column.close().unwrap();
            group.close().unwrap();
        }
        file.into_inner().unwrap()
    }

    #[test]
    fn bad_rows_cost_no_others() {
        let long = format!("http://a.org/{}", "x".repeat(1_000_000));
        let good: [&[u8]; 3] = [b"http://a.org/1", b"http://a.org/\xff", b"http://a.org/5"];
        let file = text(&[Some(good[0]), None, Some(good[1]), Some(long.as_bytes()), Some(good[2])]);
        let (summary, pages) = read(in_memory(&file), 1).unwrap();
        let urls: Vec<&[u8]> = pages.iter().map(|page| page.url.as_slice()).collect();
        assert_eq!(urls, good);
        let problems: Vec<String> = summary.problems.samples.iter().map(ToString::to_string).collect();
        assert_eq!((summary.problems.count, problems[0].as_str()), (2, "sample:2: no URL"));
        assert!(problems[1].starts_with("sample:4: URL longer than 65536 bytes"));
    }

    #[test]
    fn what_cannot_be_read_is_named() {
        let file = index(3_000, 1_000, Compression::SNAPPY);
        let cut = &file[..file.len() - 10];
        let error = read(in_memory(cut), 1).unwrap_err().to_string();
        assert!(error.starts_with("sample: the Parquet file is damaged: "), "{error}");
        let error = read(in_memory(b"PAR1"), 1).unwrap_err().to_string();
        assert!(error.starts_with("sample: the Parquet file is damaged: "), "{error}");
        let columns: Vec<(&str, ArrayRef)> = vec![("link", Arc::new(Int64Array::from(vec![1])))];
        let error = read(in_memory(&written(columns, 1, Compression::SNAPPY)), 1).unwrap_err().to_string();
        assert_eq!(error, "sample: the header 'link' has no column 'url'");
        let mut damaged = file.clone();
        let middle = damaged.len() / 3;
        damaged[middle..middle + 400].fill(0xAA);
        for threads in [1, 2] {
            match read(in_memory(&damaged), threads) {
                Ok((summary, pages)) => assert_eq!(summary.lines, pages.len() as u64),
                Err(error) => assert!(error.line.is_some(), "{error}"),
            }
        }
    }

    proptest::proptest! {
        #[test]
        fn damage_is_an_error_and_no_panic(at in 4_usize..2_000, byte: u8) {
            let mut file = index(40, 10, Compression::UNCOMPRESSED);
            let place = at % (file.len() - 4);
            file[place] = byte;
            let _ = read(in_memory(&file), 1);
        }
    }
}
