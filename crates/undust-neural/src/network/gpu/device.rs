//! The GPU itself: its libraries, its memory, and everything that is started on it. Safe to call from the outside: what is started
//! reaches no further than the buffers that are given.

use std::sync::Arc;

use cudarc::cublas::{CudaBlas, Gemm, GemmConfig, sys::cublasOperation_t as Operation};
use cudarc::driver::sys::CUdevice_attribute as Attribute;
use cudarc::driver::{
    CudaContext, CudaModule, CudaSlice, CudaStream, CudaView, CudaViewMut, DeviceRepr, ValidAsZeroBits,
};
use cudarc::nvrtc::{CompileError, CompileOptions, compile_ptx_with_opts};

use super::Done;
use super::launch::{Kernels, Meeting, at_hand};

const SOURCE: &str = include_str!("kernels.cu");

/// An open GPU.
pub(super) struct Device {
    context: Arc<CudaContext>,
    pub(super) stream: Arc<CudaStream>,
    blas: CudaBlas,
    pub(super) kernels: Kernels,
    /// How many blocks certainly run at the same time.
    pub(super) together: usize,
    /// How many bytes a block can keep at hand.
    at_hand: usize,
}

/// A matrix in a buffer, which may be read with its rows and columns exchanged.
pub(super) struct Matrix<'a> {
    values: CudaView<'a, f32>,
    rows: usize,
    columns: usize,
    transposed: bool,
}

impl<'a> Matrix<'a> {
    /// The rows, of `columns` numbers each, stand one after another in `values`.
    pub(super) fn new(values: CudaView<'a, f32>, columns: usize) -> Matrix<'a> {
        assert!(columns > 0 && values.len().is_multiple_of(columns), "rows are of {columns} numbers each");
        Matrix { rows: values.len() / columns, values, columns, transposed: false }
    }

    pub(super) fn transposed(self) -> Matrix<'a> {
        Matrix { transposed: !self.transposed, ..self }
    }

    /// Rows and columns as they are read.
    fn size(&self) -> (usize, usize) {
        if self.transposed { (self.columns, self.rows) } else { (self.rows, self.columns) }
    }

    fn operation(&self) -> Operation {
        if self.transposed { Operation::CUBLAS_OP_T } else { Operation::CUBLAS_OP_N }
    }
}

pub(super) fn failed(what: &str, error: impl std::fmt::Display) -> String {
    format!("{what} failed on the GPU: {error}")
}

pub(super) fn int(number: usize) -> i32 {
    i32::try_from(number).expect("buffers hold fewer than 2^31 numbers")
}

/// Whether the libraries are there: asked first, because using one that is not would be a panic.
fn libraries() -> Done {
    // SAFETY: loads the vendor's libraries, whose initialisers do nothing that others could notice.
    let present = unsafe {
        [
            (cudarc::driver::sys::is_culib_present(), "the driver (libcuda)"),
            (cudarc::nvrtc::sys::is_culib_present(), "the run-time compiler (libnvrtc)"),
            (cudarc::cublas::sys::is_culib_present(), "cuBLAS (libcublas)"),
        ]
    };
    let missing: Vec<&str> = present.iter().filter(|library| !library.0).map(|library| library.1).collect();
    if missing.is_empty() {
        return Ok(());
    }
    Err(format!("no NVIDIA GPU can be used: {} not found", missing.join(", ")))
}

fn compile(context: &Arc<CudaContext>) -> Result<Arc<CudaModule>, String> {
    let (major, minor) = context.compute_capability().map_err(|error| failed("its description", error))?;
    let options = vec![format!("--gpu-architecture=compute_{major}{minor}")];
    let compiled = compile_ptx_with_opts(SOURCE, CompileOptions { options, ..CompileOptions::default() });
    let ptx = compiled.map_err(|error| match error {
        CompileError::CompileError { log, .. } => {
            format!("the GPU's kernels do not compile: {}", log.to_string_lossy())
        }
        other => format!("the GPU's kernels do not compile: {other}"),
    })?;
    context.load_module(ptx).map_err(|error| failed("loading the kernels", error))
}

impl Device {
    /// The first GPU.
    pub(super) fn open() -> Result<Device, String> {
        libraries()?;
        let context = CudaContext::new(0).map_err(|error| format!("no NVIDIA GPU can be used: {error}"))?;
        let ask = |attribute| context.attribute(attribute).map_err(|error| failed("its description", error));
        if ask(Attribute::CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH)? == 0 {
            return Err("this GPU is too old: its blocks cannot wait for each other".to_owned());
        }
        let together = ask(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?;
        let at_hand = ask(Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)?;
        let kernels = Kernels::load(&compile(&context)?, at_hand)?;
        let stream = context.default_stream();
        let blas = CudaBlas::new(stream.clone()).map_err(|error| failed("cuBLAS", error))?;
        let (together, at_hand) =
            (usize::try_from(together).unwrap_or(1), usize::try_from(at_hand).unwrap_or(0));
        Ok(Device { context, stream, blas, kernels, together, at_hand })
    }

    /// Whether it can train a network with as large a state.
    pub(super) fn fits(&self, hidden: usize) -> Done {
        if !hidden.is_multiple_of(4) {
            return Err(format!("a GPU trains states of a multiple of 4 numbers, not of {hidden}"));
        }
        if at_hand(hidden, self.together) > self.at_hand {
            let name = self.name();
            return Err(format!("a state of {hidden} numbers is too large for this GPU ({name})"));
        }
        Ok(())
    }

    pub(super) fn name(&self) -> String {
        self.context.name().unwrap_or_else(|_| "a GPU without a name".to_owned())
    }

    /// A buffer of zeros, at least one.
    pub(super) fn zeros<T: DeviceRepr + ValidAsZeroBits>(
        &self,
        count: usize,
    ) -> Result<CudaSlice<T>, String> {
        self.stream.alloc_zeros(count.max(1)).map_err(|error| failed("taking memory", error))
    }

    pub(super) fn meeting(&self) -> Result<Meeting, String> {
        Ok(Meeting { arrivals: self.zeros(1)?, arrived: 0 })
    }

    /// Makes room for as many numbers. What was there may be gone.
    pub(super) fn grow<T: DeviceRepr + ValidAsZeroBits>(
        &self,
        buffer: &mut CudaSlice<T>,
        count: usize,
    ) -> Done {
        if buffer.len() < count {
            *buffer = self.zeros(count.next_power_of_two())?;
        }
        Ok(())
    }

    pub(super) fn write<T: DeviceRepr>(&self, from: &[T], into: &mut CudaSlice<T>) -> Done {
        assert!(from.len() <= into.len(), "what is written has its place");
        self.stream.memcpy_htod(from, into).map_err(|error| failed("writing", error))
    }

    /// Waits for all that was started.
    pub(super) fn read<T: DeviceRepr>(&self, from: &CudaSlice<T>, into: &mut [T]) -> Done {
        assert!(into.len() <= from.len(), "what is read is there");
        let copied = self.stream.memcpy_dtoh(&from.slice(..into.len()), into);
        copied.and_then(|()| self.stream.synchronize()).map_err(|error| failed("reading", error))
    }

    pub(super) fn zero<T: DeviceRepr + ValidAsZeroBits>(&self, mut values: CudaViewMut<'_, T>) -> Done {
        if values.is_empty() {
            return Ok(());
        }
        self.stream.memset_zeros(&mut values).map_err(|error| failed("zeroing", error))
    }

    /// `left` times `right` into `product`, whose rows stand one after another.
    pub(super) fn multiply(
        &self,
        left: &Matrix<'_>,
        right: &Matrix<'_>,
        mut product: CudaViewMut<'_, f32>,
    ) -> Done {
        let ((rows, inner), (right_rows, columns)) = (left.size(), right.size());
        assert_eq!(inner, right_rows, "a row on the left is as long as a column on the right");
        assert_eq!(product.len(), rows * columns, "the product has its place");
        if inner == 0 || product.is_empty() {
            return self.zero(product);
        }
        // The library's matrices stand column by column: for it, all are exchanged, and so are left and right.
        let configuration = GemmConfig {
            transa: right.operation(),
            transb: left.operation(),
            m: int(columns),
            n: int(rows),
            k: int(inner),
            alpha: 1.0,
            lda: int(right.columns),
            ldb: int(left.columns),
            beta: 0.0,
            ldc: int(columns),
        };
        // SAFETY: `Matrix::new` holds that a matrix's values are as many as its rows times its columns, and a row is as long as is said
        // here. The product's length is checked above.
        let done = unsafe { self.blas.gemm(configuration, &right.values, &left.values, &mut product) };
        done.map_err(|error| failed("a product", error))
    }
}
