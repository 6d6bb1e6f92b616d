//! Errors as Python knows them.

use std::io;

use pyo3::create_exception;
use pyo3::exceptions::{
    PyFileNotFoundError, PyIsADirectoryError, PyOSError, PyPermissionError, PyValueError,
};
use pyo3::prelude::*;
use undust_io::{ReadError, ReadErrorKind};
use undust_neural::RuleFileError;

create_exception!(
    undust,
    UndustError,
    PyValueError,
    "Wrong options or input; files that cannot be read or written are an OSError."
);

/// An error that is not one of files.
pub(crate) fn failed(error: impl std::fmt::Display) -> PyErr {
    UndustError::new_err(error.to_string())
}

/// The exception for an error: of files or of input.
pub(crate) fn raised(error: &anyhow::Error) -> PyErr {
    let message = format!("{error:#}");
    match error.chain().find_map(io_kind) {
        Some(io::ErrorKind::NotFound) => PyFileNotFoundError::new_err(message),
        Some(io::ErrorKind::PermissionDenied) => PyPermissionError::new_err(message),
        Some(io::ErrorKind::IsADirectory) => PyIsADirectoryError::new_err(message),
        Some(_) => PyOSError::new_err(message),
        None => UndustError::new_err(message),
    }
}

/// The kind of an error of the system.
fn io_kind(cause: &(dyn std::error::Error + 'static)) -> Option<io::ErrorKind> {
    if let Some(RuleFileError::Read(error)) = cause.downcast_ref() {
        return io_kind(error);
    }
    if let Some(RuleFileError::Write { reason, .. }) = cause.downcast_ref() {
        return Some(reason.kind());
    }
    if let Some(ReadError { kind: ReadErrorKind::Io(error), .. }) = cause.downcast_ref() {
        return Some(error.kind());
    }
    cause.downcast_ref::<io::Error>().map(io::Error::kind)
}
