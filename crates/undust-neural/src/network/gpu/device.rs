//! The GPU itself: its libraries, its memory, and everything that is started on it. Safe to call from the outside: what is started
//! reaches no further than the buffers that are given.

use std::sync::Arc;

use cudarc::cublas::{CudaBlas, Gemm, GemmConfig, sys::cublasOperation_t as Operation};
use cudarc::driver::sys::CUdevice_attribute as Attribute;
use cudarc::driver::{
    CudaContext, CudaFunction, CudaModule, CudaSlice, CudaStream, CudaView, CudaViewMut, DeviceRepr,
    LaunchConfig, PushKernelArg, ValidAsZeroBits,
};
use cudarc::nvrtc::{CompileError, CompileOptions, compile_ptx_with_opts};

use super::Done;

const SOURCE: &str = include_str!("kernels.cu");

/// As many threads as the kernels expect in a block.
const THREADS: u32 = 256;
/// How many places of the state a block works on; as in the kernels.
const UNITS: usize = 4;
/// In how many parts a gradient is squared: as many as one block can add up.
pub(super) const PARTS: u32 = 256;

/// An open GPU.
pub(super) struct Device {
    context: Arc<CudaContext>,
    stream: Arc<CudaStream>,
    blas: CudaBlas,
    kernels: Kernels,
    /// How many blocks certainly run at the same time.
    together: usize,
}

/// Where the blocks of a kernel wait for each other: how many have arrived there, ever.
pub(super) struct Meeting {
    arrivals: CudaSlice<u32>,
    arrived: u32,
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

/// A unit's way over a batch, forward: see the kernel.
pub(super) struct Forward<'a> {
    pub(super) hidden: usize,
    pub(super) positions: usize,
    pub(super) rows: usize,
    /// As many rows as the slots name.
    pub(super) inputs: CudaView<'a, f32>,
    pub(super) bias: CudaView<'a, f32>,
    /// With rows and columns exchanged.
    pub(super) recurrent: CudaView<'a, f32>,
    pub(super) recurrent_bias: CudaView<'a, f32>,
    pub(super) slots: CudaView<'a, u32>,
    pub(super) starts: CudaView<'a, u32>,
    pub(super) before: CudaViewMut<'a, f32>,
    pub(super) after: CudaViewMut<'a, f32>,
    pub(super) gates: CudaViewMut<'a, f32>,
    pub(super) candidates: CudaViewMut<'a, f32>,
    pub(super) last: CudaViewMut<'a, f32>,
}

/// A unit's way back.
pub(super) struct Backward<'a> {
    pub(super) hidden: usize,
    pub(super) positions: usize,
    pub(super) rows: usize,
    pub(super) recurrent: CudaView<'a, f32>,
    pub(super) starts: CudaView<'a, u32>,
    pub(super) before: CudaView<'a, f32>,
    pub(super) later: Option<CudaView<'a, f32>>,
    pub(super) gates: CudaViewMut<'a, f32>,
    pub(super) candidates: CudaViewMut<'a, f32>,
    pub(super) flow: CudaViewMut<'a, f32>,
}

/// What an optimizer reads: the gradient, and its square in [`PARTS`].
pub(super) struct Slope<'a> {
    pub(super) gradient: &'a CudaSlice<f32>,
    pub(super) parts: &'a CudaSlice<f32>,
    pub(super) clip: f32,
    pub(super) rate: f32,
}

/// What Adam knows beside: how much the squares have to grow, how much is kept of what is remembered, and the least divisor.
pub(super) struct Adam<'a> {
    pub(super) grown: f32,
    pub(super) kept: (f32, f32),
    pub(super) tiny: f32,
    pub(super) means: &'a mut CudaSlice<f32>,
    pub(super) squares: &'a mut CudaSlice<f32>,
}

macro_rules! kernels {
    ($($name:ident),+ $(,)?) => {
        struct Kernels { $($name: CudaFunction),+ }

        impl Kernels {
            fn load(module: &Arc<CudaModule>) -> Result<Kernels, String> {
                let load = |name| module.load_function(name).map_err(|error| failed(name, error));
                Ok(Kernels { $($name: load(stringify!($name))?),+ })
            }
        }
    };
}

kernels!(
    run_forward,
    run_backward,
    transpose,
    gather_rows,
    scatter_rows,
    sum_positions,
    sum_columns,
    cross_entropy,
    add_losses,
    sum_squares,
    follow_sgd,
    follow_adam,
);

/// Starts a kernel; `launch` alone, or `launch_cooperative` for those whose blocks wait for each other.
macro_rules! start {
    ($device:ident.$kernel:ident.$launch:ident($grid:expr, $threads:expr), $($argument:expr),+ $(,)?) => {{
        let configuration = LaunchConfig { grid_dim: $grid, block_dim: $threads, shared_mem_bytes: 0 };
        let mut builder = $device.stream.launch_builder(&$device.kernels.$kernel);
        $(builder.arg($argument);)+
        // SAFETY: the arguments are those of the kernel of that name, in its order. Each caller below asserts that the buffers are as
        // large as the kernel reaches; indexes in them were checked where they were made (`plan.rs`). One stream runs all in
        // order, so that nothing is read before it is written or freed before it is read.
        unsafe { builder.$launch(configuration) }.map(drop).map_err(|error| failed(stringify!($kernel), error))
    }};
}

fn failed(what: &str, error: impl std::fmt::Display) -> String {
    format!("{what} failed on the GPU: {error}")
}

fn int(number: usize) -> i32 {
    i32::try_from(number).expect("buffers hold fewer than 2^31 numbers")
}

fn blocks(count: usize) -> u32 {
    u32::try_from(count).expect("buffers hold fewer than 2^31 numbers")
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
        let kernels = Kernels::load(&compile(&context)?)?;
        let stream = context.default_stream();
        let blas = CudaBlas::new(stream.clone()).map_err(|error| failed("cuBLAS", error))?;
        Ok(Device { context, stream, blas, kernels, together: usize::try_from(together).unwrap_or(1).max(1) })
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

    /// How many blocks work on a state.
    fn grid(&self, hidden: usize) -> (u32, u32, u32) {
        (blocks(hidden.div_ceil(UNITS).min(self.together)), 1, 1)
    }

    pub(super) fn forward(&self, unit: Forward<'_>, meeting: &mut Meeting) -> Done {
        let Forward {
            hidden,
            positions,
            rows,
            mut before,
            mut after,
            mut gates,
            mut candidates,
            mut last,
            ..
        } = unit;
        let (steps, state) = (unit.starts.len() - 1, positions * hidden);
        assert!(before.len() >= state && after.len() >= state && candidates.len() >= state);
        assert!(gates.len() >= 3 * state && last.len() >= rows * hidden && unit.slots.len() == positions);
        assert!(unit.recurrent.len() == 3 * hidden * hidden && unit.bias.len() == 3 * hidden);
        assert!(unit.recurrent_bias.len() == hidden);
        if steps == 0 {
            return Ok(());
        }
        let (grid, arrived) = (self.grid(hidden), meeting.arrived);
        meeting.arrived = arrived.wrapping_add(blocks(steps - 1).wrapping_mul(grid.0));
        let (steps, hidden) = (int(steps), int(hidden));
        start!(
            self.run_forward.launch_cooperative(grid, (THREADS, 1, 1)),
            &unit.inputs,
            &unit.bias,
            &unit.recurrent,
            &unit.recurrent_bias,
            &unit.slots,
            &unit.starts,
            &steps,
            &hidden,
            &mut before,
            &mut after,
            &mut gates,
            &mut candidates,
            &mut last,
            &mut meeting.arrivals,
            &arrived
        )
    }

    pub(super) fn backward(&self, unit: Backward<'_>, meeting: &mut Meeting) -> Done {
        let Backward { hidden, positions, rows, mut gates, mut candidates, mut flow, .. } = unit;
        let (steps, state) = (unit.starts.len() - 1, positions * hidden);
        assert!(unit.before.len() >= state && candidates.len() >= state && gates.len() >= 3 * state);
        assert!(flow.len() >= rows * hidden && unit.recurrent.len() == 3 * hidden * hidden);
        assert!(unit.later.as_ref().is_none_or(|later| later.len() >= state));
        if steps == 0 {
            return Ok(());
        }
        let (grid, arrived) = (self.grid(hidden), meeting.arrived);
        meeting.arrived = arrived.wrapping_add(blocks(steps).wrapping_mul(grid.0));
        let (steps, hidden, has_later) = (int(steps), int(hidden), i32::from(unit.later.is_some()));
        // Where nothing comes later, something must be named that is not read.
        let later = unit.later.as_ref().unwrap_or(&unit.before);
        start!(
            self.run_backward.launch_cooperative(grid, (THREADS, 1, 1)),
            &unit.recurrent,
            &unit.starts,
            &steps,
            &hidden,
            &unit.before,
            later,
            &has_later,
            &mut gates,
            &mut candidates,
            &mut flow,
            &mut meeting.arrivals,
            &arrived
        )
    }

    /// The same matrix with rows and columns exchanged.
    pub(super) fn transpose(
        &self,
        from: &CudaView<'_, f32>,
        columns: usize,
        into: &mut CudaSlice<f32>,
    ) -> Done {
        let rows = from.len() / columns;
        assert!(from.len() == rows * columns && into.len() >= from.len());
        let grid = (blocks(columns.div_ceil(32)), blocks(rows.div_ceil(32)), 1);
        let (rows, columns) = (int(rows), int(columns));
        start!(self.transpose.launch(grid, (32, 8, 1)), from, &rows, &columns, into)
    }

    /// Into row after row, the row that the index names; it names none that is not in `from`.
    pub(super) fn gather_rows(
        &self,
        from: &CudaView<'_, f32>,
        index: &CudaView<'_, u32>,
        columns: usize,
        into: &mut CudaSlice<f32>,
    ) -> Done {
        assert!(into.len() >= index.len() * columns);
        if index.is_empty() {
            return Ok(());
        }
        let (grid, columns) = ((blocks(index.len()), 1, 1), int(columns));
        start!(self.gather_rows.launch(grid, (THREADS, 1, 1)), from, index, &columns, into)
    }

    /// Row after row added to the row that the index names; it names none twice, and none that is not in `into`.
    pub(super) fn scatter_rows(
        &self,
        from: &CudaSlice<f32>,
        index: &CudaView<'_, u32>,
        columns: usize,
        into: &mut CudaViewMut<'_, f32>,
    ) -> Done {
        assert!(from.len() >= index.len() * columns);
        if index.is_empty() {
            return Ok(());
        }
        let (grid, columns) = ((blocks(index.len()), 1, 1), int(columns));
        start!(self.scatter_rows.launch(grid, (THREADS, 1, 1)), from, index, &columns, into)
    }

    /// For each distinct token, the sum over its members: the positions where it stands.
    pub(super) fn sum_positions(
        &self,
        (gates, candidates): (&CudaSlice<f32>, &CudaSlice<f32>),
        (starts, members): (&CudaView<'_, u32>, &CudaView<'_, u32>),
        hidden: usize,
        into: &mut CudaSlice<f32>,
    ) -> Done {
        let tokens = starts.len() - 1;
        assert!(gates.len() >= 3 * hidden * members.len() && candidates.len() >= hidden * members.len());
        assert!(into.len() >= 3 * hidden * tokens);
        if tokens == 0 {
            return Ok(());
        }
        let (grid, hidden) = ((blocks(tokens), 1, 1), int(hidden));
        start!(
            self.sum_positions.launch(grid, (THREADS, 1, 1)),
            gates,
            candidates,
            starts,
            members,
            &hidden,
            into
        )
    }

    /// The sums of the last columns of some rows, of as many as there is room for.
    pub(super) fn sum_columns(
        &self,
        from: &CudaView<'_, f32>,
        columns: usize,
        mut into: CudaViewMut<'_, f32>,
    ) -> Done {
        let (rows, last) = (from.len() / columns, into.len());
        assert!(from.len() == rows * columns && last <= columns);
        let grid = (blocks(last.div_ceil(32)), 1, 1);
        let (rows, all, first, last) = (int(rows), int(columns), int(columns - last), int(last));
        start!(self.sum_columns.launch(grid, (32, 32, 1)), from, &rows, &all, &first, &last, &mut into)
    }

    /// Logits, without their bias yet, become their gradients. The weights are the bits of `f32`.
    pub(super) fn cross_entropy(
        &self,
        bias: &CudaView<'_, f32>,
        (wanted, weights): (&CudaView<'_, u32>, &CudaView<'_, u32>),
        logits: &mut CudaSlice<f32>,
        losses: &mut CudaSlice<f32>,
    ) -> Done {
        assert!(logits.len() >= wanted.len() * bias.len() && losses.len() >= wanted.len());
        assert_eq!(wanted.len(), weights.len());
        if wanted.is_empty() {
            return Ok(());
        }
        let (grid, vocabulary) = ((blocks(wanted.len()), 1, 1), int(bias.len()));
        start!(
            self.cross_entropy.launch(grid, (THREADS, 1, 1)),
            bias,
            wanted,
            weights,
            &vocabulary,
            logits,
            losses
        )
    }

    pub(super) fn add_losses(
        &self,
        losses: &CudaView<'_, f32>,
        weight: f64,
        total: &mut CudaSlice<f64>,
    ) -> Done {
        assert!(!total.is_empty());
        let count = int(losses.len());
        start!(self.add_losses.launch((1, 1, 1), (THREADS, 1, 1)), losses, &count, &weight, total)
    }

    pub(super) fn sum_squares(&self, values: &CudaSlice<f32>, parts: &mut CudaSlice<f32>) -> Done {
        assert!(parts.len() >= PARTS as usize);
        let count = int(values.len());
        start!(self.sum_squares.launch((PARTS, 1, 1), (THREADS, 1, 1)), values, &count, parts)
    }

    /// Enough blocks to fill the GPU some times over, each of which goes on until all is done.
    fn wide(&self, count: usize) -> (u32, u32, u32) {
        (blocks(count.div_ceil(THREADS as usize).clamp(1, 8 * self.together)), 1, 1)
    }

    pub(super) fn follow_sgd(&self, slope: &Slope<'_>, parameters: &mut CudaSlice<f32>) -> Done {
        let Slope { gradient, parts, clip, rate } = slope;
        assert!(gradient.len() == parameters.len() && parts.len() >= PARTS as usize);
        let (count, part_count) = (int(gradient.len()), int(PARTS as usize));
        start!(
            self.follow_sgd.launch(self.wide(gradient.len()), (THREADS, 1, 1)),
            *gradient,
            &count,
            *parts,
            &part_count,
            clip,
            rate,
            parameters
        )
    }

    pub(super) fn follow_adam(
        &self,
        slope: &Slope<'_>,
        adam: Adam<'_>,
        parameters: &mut CudaSlice<f32>,
    ) -> Done {
        let Slope { gradient, parts, clip, rate } = slope;
        let Adam { grown, kept, tiny, means, squares } = adam;
        assert!(gradient.len() == parameters.len() && parts.len() >= PARTS as usize);
        assert!(means.len() == parameters.len() && squares.len() == parameters.len());
        let (count, part_count) = (int(gradient.len()), int(PARTS as usize));
        start!(
            self.follow_adam.launch(self.wide(gradient.len()), (THREADS, 1, 1)),
            *gradient,
            &count,
            *parts,
            &part_count,
            clip,
            rate,
            &grown,
            &kept.0,
            &kept.1,
            &tiny,
            means,
            squares,
            parameters
        )
    }
}
