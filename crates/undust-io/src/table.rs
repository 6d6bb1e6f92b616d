//! Tables of Arrow arrays: the same columns as in a file, many rows at once.

use std::io;
use std::path::PathBuf;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
    TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType,
    UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{
    Array, ArrayRef, BinaryArray, BinaryViewArray, GenericBinaryArray, GenericStringArray, LargeBinaryArray,
    OffsetSizeTrait, RecordBatch, UInt64Array,
};
use arrow_schema::{ArrowError, DataType, Schema};
use undust::page::{Body, Page};

use crate::error::{LineError, ReadError, ReadErrorKind};
use crate::formats::{Column, Fault, Header, Outcome, Parsed};
use crate::read::checked_url;

/// A table in memory, in batches of rows.
pub(crate) struct Table {
    name: PathBuf,
    header: Header,
    batches: Box<dyn Iterator<Item = Result<RecordBatch, ArrowError>> + Send>,
}

impl Table {
    /// A table of these columns; `name` is what errors call it.
    pub(crate) fn new(
        name: PathBuf,
        schema: &Schema,
        batches: impl Iterator<Item = Result<RecordBatch, ArrowError>> + Send + 'static,
    ) -> Result<Table, ReadError> {
        let names = schema.fields().iter().map(|field| field.name().as_bytes());
        match Header::new(names) {
            Ok(header) => Ok(Table { name, header, batches: Box::new(batches) }),
            Err(kind) => Err(ReadError { file: name, line: None, kind }),
        }
    }

    /// The batches, each with the number of its first row, and the columns they have.
    pub(crate) fn into_parts(
        self,
    ) -> (Header, impl Iterator<Item = Result<(u64, RecordBatch), ReadError>> + Send) {
        let Table { name, header, batches } = self;
        let mut next = 1;
        let numbered = batches.map(move |batch| {
            let first = next;
            let kind = |error| ReadErrorKind::Io(io::Error::other(error));
            let batch = batch.map_err(|error| ReadError {
                file: name.clone(),
                line: Some(first),
                kind: kind(error),
            })?;
            next += batch.num_rows() as u64;
            Ok((first, batch))
        });
        (header, numbered)
    }
}

/// The pages in the rows of a batch, or what is wrong with a row.
///
/// # Errors
///
/// If there is no column of URLs, or one holds what cannot be read.
pub fn pages_of(batch: &RecordBatch) -> Result<Vec<Result<Page, LineError>>, ReadErrorKind> {
    let header = Header::new(batch.schema_ref().fields().iter().map(|field| field.name().as_bytes()))?;
    let page = |outcome: Outcome| match outcome.parsed {
        Ok(page) => {
            let page = page.unwrap_or_default();
            checked_url(&page.url).map(|()| page)
        }
        Err(Fault::Bad(error)) => Err(error),
        Err(Fault::NeedsHost(target)) => Err(LineError::Malformed(target)),
    };
    Ok(outcomes(&header, 1, batch)?.into_iter().map(page).collect())
}

/// Whether a column of this name says something about a page.
pub fn is_page_column(name: &str) -> bool {
    Column::named(name).is_some()
}

/// What became of each row of a batch.
pub(crate) fn outcomes(
    header: &Header,
    first_row: u64,
    batch: &RecordBatch,
) -> Result<Vec<Outcome>, ReadErrorKind> {
    let columns = header.columns().zip(batch.columns());
    let cells = columns.filter_map(|(column, array)| Some((column?, array)));
    let cells: Vec<(Column, Cells)> = cells
        .map(|(column, array)| Ok((column, Cells::new(column, array)?)))
        .collect::<Result<_, ReadErrorKind>>()?;
    let outcome =
        |row: usize| Outcome { number: first_row + row as u64, parsed: page(&cells, row), cut: false };
    Ok((0..batch.num_rows()).map(outcome).collect())
}

fn page(cells: &[(Column, Cells)], row: usize) -> Parsed {
    let mut page = Page::default();
    for (column, cells) in cells {
        cells.fill(*column, row, &mut page)?;
    }
    Ok(Some(page))
}

/// The text of an array, as bytes: it came through memory, unchecked, and need not be UTF-8 whatever its type says.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Texts {
    /// Offsets of 32 bits.
    Small(BinaryArray),
    /// Offsets of 64 bits.
    Large(LargeBinaryArray),
    /// Views.
    View(BinaryViewArray),
}

impl Texts {
    /// The text or the bytes of an array; none where it holds something else.
    pub fn of(array: &dyn Array) -> Option<Texts> {
        Some(match array.data_type() {
            DataType::Utf8 => Texts::Small(bytes_of(array.as_string())),
            DataType::LargeUtf8 => Texts::Large(bytes_of(array.as_string())),
            DataType::Utf8View => Texts::View(array.as_string_view().clone().to_binary_view()),
            DataType::Binary => Texts::Small(array.as_binary::<i32>().clone()),
            DataType::LargeBinary => Texts::Large(array.as_binary::<i64>().clone()),
            DataType::BinaryView => Texts::View(array.as_binary_view().clone()),
            _ => return None,
        })
    }

    /// The text in a row; none where it is null.
    pub fn get(&self, row: usize) -> Option<&[u8]> {
        match self {
            Texts::Small(texts) => texts.is_valid(row).then(|| texts.value(row)),
            Texts::Large(texts) => texts.is_valid(row).then(|| texts.value(row)),
            Texts::View(texts) => texts.is_valid(row).then(|| texts.value(row)),
        }
    }
}

/// The bytes of text, where they are.
fn bytes_of<O: OffsetSizeTrait>(texts: &GenericStringArray<O>) -> GenericBinaryArray<O> {
    let (offsets, values, nulls) = texts.clone().into_parts();
    GenericBinaryArray::new(offsets, values, nulls)
}

/// Numbers, yes and no, and dictionaries of text or of these: as they are written.
fn written(array: &dyn Array) -> Option<BinaryArray> {
    macro_rules! written_as {
        ($($kind:ident)*) => {
            match array.data_type() {
                $(kind if *kind == $kind::DATA_TYPE => Some(plain(array.as_primitive::<$kind>().iter())),)*
                DataType::Boolean => Some(plain(array.as_boolean().iter())),
                DataType::Dictionary(_, _) => {
                    let dictionary = array.as_any_dictionary();
                    let values = dictionary.values();
                    let texts = Texts::of(values).or_else(|| written(values).map(Texts::Small))?;
                    let keys = dictionary.normalized_keys();
                    let text = |row: usize| if array.is_valid(row) { texts.get(keys[row]) } else { None };
                    Some((0..array.len()).map(text).collect())
                }
                _ => None,
            }
        };
    }
    written_as!(Int8Type Int16Type Int32Type Int64Type UInt8Type UInt16Type UInt32Type UInt64Type Float32Type Float64Type
        Date32Type TimestampSecondType TimestampMillisecondType TimestampMicrosecondType TimestampNanosecondType)
}

fn plain<V: ToString>(values: impl Iterator<Item = Option<V>>) -> BinaryArray {
    values.map(|value| value.map(|value| value.to_string())).collect()
}

/// Bytes as text; where they are none, the replacement character stands for what is not.
pub fn text_of<O: OffsetSizeTrait>(bytes: &GenericBinaryArray<O>) -> GenericStringArray<O> {
    GenericStringArray::try_from_binary(bytes.clone())
        .unwrap_or_else(|_| bytes.iter().map(|value| value.map(String::from_utf8_lossy)).collect())
}

/// The cells of a column.
enum Cells {
    Texts(Texts),
    /// Simhashes as numbers, signed or not.
    Bits(UInt64Array),
}

impl Cells {
    fn new(column: Column, array: &ArrayRef) -> Result<Cells, ReadErrorKind> {
        if let Some(texts) = Texts::of(array) {
            return Ok(Cells::Texts(texts));
        }
        match array.data_type() {
            DataType::UInt64 if column == Column::Simhash => {
                return Ok(Cells::Bits(array.as_primitive::<UInt64Type>().clone()));
            }
            DataType::Int64 if column == Column::Simhash => {
                return Ok(Cells::Bits(array.as_primitive::<Int64Type>().unary(i64::cast_unsigned)));
            }
            _ => {}
        }
        let texts = written(array).map(Texts::Small).ok_or_else(|| ReadErrorKind::ColumnType {
            column: column.name(),
            found: array.data_type().to_string(),
        })?;
        Ok(Cells::Texts(texts))
    }

    fn fill(&self, column: Column, row: usize, page: &mut Page) -> Result<(), LineError> {
        let bytes = match self {
            Cells::Bits(bits) => {
                page.simhash = bits.is_valid(row).then(|| bits.value(row));
                return Ok(());
            }
            Cells::Texts(texts) => texts.get(row),
        };
        match (column, bytes) {
            (_, None) => {}
            (Column::Url, Some(bytes)) => page.url = bytes.to_vec(),
            // As a server sent it, in a charset that its own markup may tell.
            (Column::Html, Some(bytes)) if str::from_utf8(bytes).is_err() => {
                page.body = Some(Body { bytes: bytes.to_vec(), ..Body::default() });
            }
            (_, Some(bytes)) => column.fill(page, String::from_utf8_lossy(bytes))?,
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{
        DictionaryArray, Float64Array, Int64Array, LargeStringArray, StringArray, StringViewArray,
    };

    use super::*;
    use crate::{Format, Input, ReadOptions, Summary, read_input};

    fn read(columns: Vec<(&str, ArrayRef)>) -> Result<(Summary, Vec<Page>), ReadError> {
        let batch = RecordBatch::try_from_iter(columns).unwrap();
        let mut pages = Vec::new();
        let input =
            Input::from_batches("table", &batch.schema(), [Ok(batch.clone()), Ok(batch)].into_iter())?;
        let summary = read_input(input, &ReadOptions::default(), &mut |page| pages.push(page))?;
        Ok((summary, pages))
    }

    #[test]
    fn every_kind_of_text_is_read() {
        let urls = ["http://a/", "http://b/"];
        let kinds: [ArrayRef; 3] = [
            Arc::new(StringArray::from(urls.to_vec())),
            Arc::new(LargeStringArray::from(urls.to_vec())),
            Arc::new(StringViewArray::from(urls.to_vec())),
        ];
        for kind in kinds {
            let bytes: BinaryArray = urls.iter().map(|url| Some(url.as_bytes())).collect();
            let words: DictionaryArray<Int8Type> = ["x", "y"].into_iter().collect();
            let columns: Vec<(&str, ArrayRef)> =
                vec![("url", kind), ("cluster", Arc::new(bytes)), ("title", Arc::new(words))];
            let (summary, pages) = read(columns).unwrap();
            assert_eq!(pages[3].title.as_deref(), Some("y"));
            assert_eq!((summary.format, summary.lines, pages.len()), (Format::Arrow, 4, 4));
            assert_eq!(
                (pages[3].url.as_slice(), pages[3].cluster.as_deref()),
                (&b"http://b/"[..], Some("http://b/"))
            );
        }
    }

    #[test]
    fn numbers_are_read_and_bad_rows_named() {
        let columns: Vec<(&str, ArrayRef)> = vec![
            ("URL", Arc::new(StringArray::from(vec![Some("http://a/"), None, Some("http://c/")]))),
            ("simhash", Arc::new(Int64Array::from(vec![Some(-1), Some(7), None]))),
            ("fetch_status", Arc::new(Float64Array::from(vec![Some(200.0), None, Some(-3.0)]))),
            ("other", Arc::new(Int64Array::from(vec![1, 2, 3]))),
        ];
        let (summary, pages) = read(columns).unwrap();
        assert_eq!(pages.len(), 2);
        assert_eq!((pages[0].simhash, pages[0].status), (Some(u64::MAX), Some(200)));
        let problems: Vec<String> = summary.problems.samples.iter().map(ToString::to_string).collect();
        let expected = ["table:2: no URL", "table:3: '-3' is no valid status", "table:5: no URL"];
        assert_eq!(problems[..3], expected);
    }

    #[test]
    fn a_table_needs_urls() {
        let error = read(vec![("link", Arc::new(StringArray::from(vec!["http://a/"])))]).unwrap_err();
        assert_eq!(error.to_string(), "table: the header 'link' has no column 'url'");
    }
}
