//! Where pages come from: files, rows in memory, tables of Arrow arrays.

use std::io::Cursor;
use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3_arrow::input::AnyRecordBatch;
use undust_io::{Input, ReadError, open};

/// One input.
#[derive(FromPyObject)]
pub(crate) enum Source {
    /// Rows as JSON lines.
    Rows(PyBackedBytes),
    /// A file or a folder.
    File(PathBuf),
    /// Anything with the Arrow `PyCapsule` interface: a data frame, a table, a stream of batches.
    Table(AnyRecordBatch),
}

/// What errors call an input that has no file name.
const ROWS: &str = "rows";

impl Source {
    /// To be read; errors come with the reading.
    pub(crate) fn open(self) -> PyResult<Result<Input, ReadError>> {
        Ok(match self {
            Source::Rows(lines) => Input::new(ROWS, Cursor::new(lines)),
            Source::File(path) => open(&path),
            Source::Table(table) => {
                let reader = table.into_reader()?;
                Input::from_batches("table", &reader.schema(), reader)
            }
        })
    }
}
