//! Many URLs at once: lists and Arrow arrays.

use std::num::NonZero;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, BinaryViewArray, GenericBinaryArray, OffsetSizeTrait, StringViewArray};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::{ArrowError, DataType};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyList;
use pyo3_arrow::input::AnyArray;
use pyo3_arrow::{PyArray, PyChunkedArray};
use undust_io::{Texts, text_of};
use undust_neural::{Engine, Scratch};

use crate::canonicalizer::UrlArgument;
use crate::error::failed;

/// Canonical forms, one behind the other.
#[derive(Default)]
struct Forms {
    bytes: Vec<u8>,
    /// Where each ends.
    ends: Vec<usize>,
}

impl Forms {
    /// The canonical forms of `count` URLs, on `threads` threads (0: one for each core).
    fn of<'u>(
        engine: &Engine,
        count: usize,
        threads: usize,
        url: impl Fn(usize) -> &'u [u8] + Sync,
    ) -> Forms {
        let threads =
            if threads == 0 { std::thread::available_parallelism().map_or(1, NonZero::get) } else { threads };
        let share = count.div_ceil(threads).max(MIN_URLS_PER_THREAD);
        if share >= count {
            return Forms::of_some(engine, (0..count).map(&url));
        }
        let parts: Vec<Forms> = std::thread::scope(|scope| {
            let url = &url;
            let starts = (0..count).step_by(share);
            let start_one = |start| {
                scope.spawn(move || Forms::of_some(engine, (start..count.min(start + share)).map(url)))
            };
            let workers: Vec<_> = starts.map(start_one).collect();
            workers
                .into_iter()
                .map(|worker| worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
                .collect()
        });
        let mut all = Forms::default();
        for part in parts {
            let start = all.bytes.len();
            all.bytes.extend_from_slice(&part.bytes);
            all.ends.extend(part.ends.iter().map(|end| start + end));
        }
        all
    }

    fn of_some<'u>(engine: &Engine, urls: impl Iterator<Item = &'u [u8]> + Clone) -> Forms {
        let mut scratch = Scratch::deferring();
        let mut forms = Forms::default();
        loop {
            for url in urls.clone() {
                engine.canonicalize_into(url, &mut scratch, &mut forms.bytes);
                forms.ends.push(forms.bytes.len());
            }
            if !engine.flush_deferred(&mut scratch) {
                return forms;
            }
            forms = Forms::default();
        }
    }

    fn iter(&self) -> impl Iterator<Item = &[u8]> {
        let mut start = 0;
        self.ends.iter().map(move |&end| &self.bytes[std::mem::replace(&mut start, end)..end])
    }
}

/// Fewer URLs than this are not worth a thread.
const MIN_URLS_PER_THREAD: usize = 4096;

pub(crate) fn list<'py>(
    py: Python<'py>,
    engine: &Engine,
    urls: &Bound<'py, PyAny>,
    threads: usize,
) -> PyResult<Bound<'py, PyAny>> {
    let urls: Vec<UrlArgument> = urls.try_iter()?.map(|url| url?.extract()).collect::<PyResult<_>>()?;
    let forms = py.detach(|| Forms::of(engine, urls.len(), threads, |i| urls[i].bytes()));
    let forms = urls.iter().zip(forms.iter()).map(|(url, form)| url.of_same_type(py, form));
    Ok(PyList::new(py, forms.collect::<PyResult<Vec<_>>>()?)?.into_any())
}

pub(crate) fn arrow<'py>(
    py: Python<'py>,
    engine: &Engine,
    urls: &Bound<'py, PyAny>,
    threads: usize,
) -> PyResult<Bound<'py, PyAny>> {
    let is_pyarrow = urls.get_type().module()?.to_str()?.starts_with("pyarrow");
    let array = urls.extract::<AnyArray>().map_err(|_| {
        let kind = urls.get_type();
        PyTypeError::new_err(format!("{kind} is no Arrow array; canonicalize_all takes other lists of URLs"))
    })?;
    match array {
        AnyArray::Array(array) => {
            let forms = py.detach(|| canonical(engine, array.array(), threads))?;
            let forms = PyArray::from_array_ref(forms).into_pyobject(py)?.into_any();
            if is_pyarrow { py.import("pyarrow")?.call_method1("array", (forms,)) } else { Ok(forms) }
        }
        AnyArray::Stream(stream) => {
            let (chunks, field) = stream.into_chunked_array()?.into_inner();
            let forms = py.detach(|| {
                chunks.iter().map(|chunk| canonical(engine, chunk, threads)).collect::<PyResult<Vec<_>>>()
            })?;
            let forms = PyChunkedArray::try_new(forms, field)?;
            if is_pyarrow { forms.into_pyarrow(py) } else { Ok(forms.into_pyobject(py)?.into_any()) }
        }
    }
}

/// The canonical forms of an array, as an array of the same type.
fn canonical(engine: &Engine, urls: &ArrayRef, threads: usize) -> PyResult<ArrayRef> {
    let Some(texts) = Texts::of(urls) else {
        return Err(PyTypeError::new_err(format!("URLs are text or bytes, not {}", urls.data_type())));
    };
    let forms = Forms::of(engine, urls.len(), threads, |i| texts.get(i).unwrap_or_default());
    forms.into_array(urls.data_type(), urls.nulls().cloned()).map_err(failed)
}

impl Forms {
    /// An array of this type. Rules may print bytes that are no text.
    fn into_array(self, kind: &DataType, nulls: Option<NullBuffer>) -> Result<ArrayRef, ArrowError> {
        Ok(match kind {
            DataType::Utf8 => Arc::new(text_of(&self.into_bytes::<i32>(nulls)?)),
            DataType::LargeUtf8 => Arc::new(text_of(&self.into_bytes::<i64>(nulls)?)),
            DataType::Utf8View => Arc::new(StringViewArray::from(&text_of(&self.into_bytes::<i64>(nulls)?))),
            DataType::Binary => Arc::new(self.into_bytes::<i32>(nulls)?),
            DataType::BinaryView => Arc::new(BinaryViewArray::from(&self.into_bytes::<i64>(nulls)?)),
            _ => Arc::new(self.into_bytes::<i64>(nulls)?),
        })
    }

    fn into_bytes<O: OffsetSizeTrait>(
        self,
        nulls: Option<NullBuffer>,
    ) -> Result<GenericBinaryArray<O>, ArrowError> {
        let too_large = || ArrowError::OffsetOverflowError(self.bytes.len());
        let ends = std::iter::once(0).chain(self.ends.iter().copied());
        let offsets =
            ends.map(|end| O::from_usize(end).ok_or_else(too_large)).collect::<Result<Vec<O>, _>>()?;
        GenericBinaryArray::try_new(OffsetBuffer::new(offsets.into()), self.bytes.into(), nulls)
    }
}
