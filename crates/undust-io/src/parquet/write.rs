//! Parquet files with one more column.

use std::fmt;
use std::io::{self, Write};
use std::sync::Arc;

use arrow_array::builder::BinaryBuilder;
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use undust::page::Page;

use super::{BATCH_ROWS, ParquetFile, RowGroup};
use crate::error::ReadErrorKind;
use crate::formats::Column;
use crate::in_order::flat_map_in_order;
use crate::read::checked_url;
use crate::table::{Texts, text_of};
use crate::{Format, Input, Problem, Problems, ReadError, ReadOptions, Summary, try_read_input};

/// A column to be added: its name, and what it holds for a URL.
pub struct AddedColumn<'a> {
    /// Takes the place of a column of the same name.
    pub name: &'a str,
    /// Appends the value for a URL to a buffer.
    pub value: &'a (dyn Fn(&[u8], &mut Vec<u8>) + Sync),
}

/// Writes the rows of an input as Parquet with one more column: those of a Parquet file with all their columns, of any other input the URLs. Rows of a
/// Parquet file without a URL stay, with nothing in that column, and are counted.
///
/// # Errors
///
/// Those of `out`, and [`ReadError`]s, wrapped.
pub fn write_with_column(
    out: &mut (dyn Write + Send),
    mut input: Input,
    options: &ReadOptions,
    added: &AddedColumn,
) -> io::Result<Summary> {
    let format = options.format.map_or_else(|| input.format(), Ok).map_err(io::Error::other)?;
    if format == Format::Parquet {
        let file = input.into_parquet().map_err(io::Error::other)?;
        return CopyWithColumn::new(&file, added)?.write(out, options);
    }
    let schema =
        Arc::new(Schema::new(vec![text_field(Column::Url.name(), false), text_field(added.name, false)]));
    let mut table = Writer::new(out, Arc::clone(&schema))?;
    let mut urls = Vec::with_capacity(BATCH_ROWS);
    let mut flush = |urls: &mut Vec<Vec<u8>>| {
        let (one, other) = (
            column(urls.iter().map(|url| Some(url.as_slice()))),
            added.of(urls.iter().map(|url| Some(url.as_slice()))),
        );
        urls.clear();
        table.write(vec![one, other])
    };
    let summary = try_read_input(input, options, &mut |page: Page| {
        urls.push(page.url);
        if urls.len() == BATCH_ROWS { flush(&mut urls) } else { Ok(()) }
    })
    .map_err(|Wrapped(error)| error)?;
    flush(&mut urls).map_err(|Wrapped(error)| error)?;
    table.close()?;
    Ok(summary)
}

/// An error of reading or of writing.
struct Wrapped(io::Error);

impl From<ReadError> for Wrapped {
    fn from(error: ReadError) -> Wrapped {
        Wrapped(io::Error::other(error))
    }
}

impl From<ParquetError> for Wrapped {
    fn from(error: ParquetError) -> Wrapped {
        Wrapped(match error {
            ParquetError::External(error) => match error.downcast::<io::Error>() {
                Ok(error) => *error,
                Err(error) => io::Error::other(error),
            },
            error => io::Error::other(error),
        })
    }
}

impl fmt::Debug for AddedColumn<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AddedColumn").field("name", &self.name).finish_non_exhaustive()
    }
}

impl AddedColumn<'_> {
    /// The values for these URLs; none for none.
    fn of<'u>(&self, urls: impl Iterator<Item = Option<&'u [u8]>>) -> ArrayRef {
        let (mut values, mut value) = (BinaryBuilder::new(), Vec::new());
        for url in urls {
            value.clear();
            if let Some(url) = url {
                (self.value)(url, &mut value);
            }
            values.append_option(url.map(|_| &value));
        }
        Arc::new(text_of(&values.finish()))
    }
}

fn column<'v>(values: impl Iterator<Item = Option<&'v [u8]>>) -> ArrayRef {
    let mut bytes = BinaryBuilder::new();
    values.for_each(|value| bytes.append_option(value));
    Arc::new(text_of(&bytes.finish()))
}

fn text_field(name: &str, nullable: bool) -> Field {
    Field::new(name, DataType::Utf8, nullable)
}

/// A file that is being written.
struct Writer<'o> {
    schema: SchemaRef,
    writer: ArrowWriter<&'o mut (dyn Write + Send)>,
}

impl<'o> Writer<'o> {
    fn new(out: &'o mut (dyn Write + Send), schema: SchemaRef) -> io::Result<Writer<'o>> {
        let properties =
            WriterProperties::builder().set_compression(Compression::ZSTD(ZstdLevel::default())).build();
        let writer = ArrowWriter::try_new(out, Arc::clone(&schema), Some(properties));
        Ok(Writer { schema, writer: writer.map_err(|error| Wrapped::from(error).0)? })
    }

    fn write(&mut self, columns: Vec<ArrayRef>) -> Result<(), Wrapped> {
        let batch = RecordBatch::try_new(Arc::clone(&self.schema), columns);
        let batch = batch.map_err(|error| Wrapped(io::Error::other(error)))?;
        Ok(self.writer.write(&batch)?)
    }

    fn close(self) -> io::Result<()> {
        self.writer.close().map(drop).map_err(|error| Wrapped::from(error).0)
    }
}

/// A Parquet file that is copied with one more column.
struct CopyWithColumn<'c> {
    file: &'c ParquetFile,
    added: &'c AddedColumn<'c>,
    /// The columns that are kept, and which of these has the URLs.
    columns: Vec<usize>,
    url: usize,
    schema: SchemaRef,
}

/// Some rows, with the new column, and what was wrong with them.
struct Rows {
    columns: Vec<ArrayRef>,
    count: u64,
    problems: Problems,
}

impl<'c> CopyWithColumn<'c> {
    fn new(file: &'c ParquetFile, added: &'c AddedColumn<'c>) -> io::Result<CopyWithColumn<'c>> {
        let declared = file.declared().fields();
        let is_kept = |place: &usize| declared[*place].name() != added.name;
        let columns: Vec<usize> = (0..declared.len()).filter(is_kept).collect();
        let is_url = |place: &usize| Column::named(declared[*place].name()) == Some(Column::Url);
        let Some(url) = columns.iter().position(is_url) else {
            let names: Vec<&str> = declared.iter().map(|field| field.name().as_str()).collect();
            let kind =
                ReadErrorKind::MissingColumn { column: "url", header: format!("'{}'", names.join(", ")) };
            return Err(io::Error::other(file.error(None, kind)));
        };
        let mut fields: Vec<Arc<Field>> = columns.iter().map(|&place| Arc::clone(&declared[place])).collect();
        fields.push(Arc::new(text_field(added.name, true)));
        Ok(CopyWithColumn { file, added, columns, url, schema: Arc::new(Schema::new(fields)) })
    }

    fn write(&self, out: &mut (dyn Write + Send), options: &ReadOptions) -> io::Result<Summary> {
        let mut summary = Summary::new(self.file.name(), Format::Parquet, options);
        let mut table = Writer::new(out, Arc::clone(&self.schema))?;
        let work = |group: RowGroup, give: &mut dyn FnMut(Result<Rows, ReadError>) -> bool| {
            let mut row = group.first_row;
            match self.file.rows(&group, &self.columns) {
                Err(error) => drop(give(Err(error))),
                Ok(batches) => drop({ batches }.all(|batch| {
                    let rows = batch
                        .map_err(|kind| self.file.error(Some(row), kind))
                        .map(|batch| self.rows(row, &batch));
                    row += rows.as_ref().map_or(0, |rows| rows.count);
                    give(rows)
                })),
            }
        };
        let sink = |rows: Result<Rows, ReadError>| {
            let Rows { columns, count, problems } = rows?;
            summary.lines += count;
            summary.pages += count - problems.count;
            summary.problems.merge(problems);
            table.write(columns)
        };
        flat_map_in_order(self.file.row_groups(), options.threads, work, sink)
            .map_err(|Wrapped(error)| error)?;
        table.close()?;
        Ok(summary)
    }

    fn rows(&self, first_row: u64, batch: &RecordBatch) -> Rows {
        let mut problems = Problems::default();
        let texts = Texts::of(batch.column(self.url));
        let mut url_in = |row: usize| {
            let url = texts.as_ref().and_then(|texts| texts.get(row)).unwrap_or_default();
            match checked_url(url) {
                Ok(()) => Some(url),
                Err(error) => {
                    let file = self.file.name().into();
                    problems.add(Problem { file, line: first_row + row as u64, error });
                    None
                }
            }
        };
        let urls: Vec<Option<&[u8]>> = (0..batch.num_rows()).map(&mut url_in).collect();
        let added = self.added.of(urls.into_iter());
        let declared = self.schema.fields().iter().zip(batch.columns());
        let columns = declared.map(|(field, array)| as_declared(array, field)).chain([added]).collect();
        Rows { columns, count: batch.num_rows() as u64, problems }
    }
}

/// Bytes that the file declares to be text are written as text.
fn as_declared(array: &ArrayRef, field: &Field) -> ArrayRef {
    match (array.data_type(), field.data_type()) {
        (DataType::Binary, DataType::Utf8) => Arc::new(text_of(array.as_binary::<i32>())),
        _ => Arc::clone(array),
    }
}
