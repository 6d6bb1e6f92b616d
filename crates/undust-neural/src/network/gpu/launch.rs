//! What is started on the GPU between products of matrices: the kernels, each with what it needs.

use std::sync::Arc;

use cudarc::driver::sys::CUfunction_attribute as Attribute;
use cudarc::driver::{
    CudaFunction, CudaModule, CudaSlice, CudaView, CudaViewMut, LaunchConfig, PushKernelArg,
};

use super::Done;
use super::device::{Device, failed, int};

/// As many threads as the kernels expect in a block.
const THREADS: u32 = 256;
/// How many places of the state a block works on at once; as in the kernels.
const UNITS: usize = 4;
/// In how many parts a gradient is squared: as many as one block can add up.
pub(super) const PARTS: u32 = 256;

/// Where the blocks of a kernel wait for each other: how many have arrived there, ever.
pub(super) struct Meeting {
    pub(super) arrivals: CudaSlice<u32>,
    pub(super) arrived: u32,
}

/// A unit's way over a batch, forward: see the kernel.
pub(super) struct Forward<'a> {
    pub(super) hidden: usize,
    pub(super) positions: usize,
    pub(super) rows: usize,
    /// As many rows as the slots name.
    pub(super) inputs: CudaView<'a, f32>,
    pub(super) bias: CudaView<'a, f32>,
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
        pub(super) struct Kernels { $($name: CudaFunction),+ }

        impl Kernels {
            fn find(module: &Arc<CudaModule>) -> Result<Kernels, String> {
                let find = |name| module.load_function(name).map_err(|error| failed(name, error));
                Ok(Kernels { $($name: find(stringify!($name))?),+ })
            }
        }
    };
}

kernels!(
    run_forward,
    run_backward,
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

impl Kernels {
    /// Those that run over a batch may keep as many bytes at hand.
    pub(super) fn load(module: &Arc<CudaModule>, at_hand: i32) -> Result<Kernels, String> {
        let kernels = Kernels::find(module)?;
        for kernel in [&kernels.run_forward, &kernels.run_backward] {
            let attribute = Attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
            kernel
                .set_attribute(attribute, at_hand)
                .map_err(|error| failed("taking shared memory", error))?;
        }
        Ok(kernels)
    }
}

/// Starts a kernel: with `launch`, or with `launch_cooperative` if its blocks wait for each other.
macro_rules! start {
    ($device:ident.$kernel:ident.$launch:ident($shape:expr), $($argument:expr),+) => {{
        let mut builder = $device.stream.launch_builder(&$device.kernels.$kernel);
        $(builder.arg($argument);)+
        // SAFETY: the arguments are those of the kernel of that name, in its order. Each caller below asserts that the buffers are as
        // large as the kernel reaches; indexes in them were checked where they were made (`plan.rs`). One stream runs all in
        // order, so that nothing is read before it is written or freed before it is read.
        unsafe { builder.$launch($shape) }.map(drop).map_err(|error| failed(stringify!($kernel), error))
    }};
}

fn blocks(count: usize) -> u32 {
    u32::try_from(count).expect("buffers hold fewer than 2^31 numbers")
}

fn shape(blocks: u32, threads: u32) -> LaunchConfig {
    LaunchConfig { grid_dim: (blocks, 1, 1), block_dim: (threads, 1, 1), shared_mem_bytes: 0 }
}

/// How many blocks run over a batch, of those that can run together.
fn grid(hidden: usize, together: usize) -> u32 {
    blocks((hidden / UNITS).min(together))
}

/// How many bytes each of them keeps at hand: the recurrent weights of its units.
pub(super) fn at_hand(hidden: usize, together: usize) -> usize {
    let tiles = (hidden / UNITS).div_ceil(together);
    tiles * 3 * UNITS * hidden * size_of::<f32>()
}

impl Device {
    /// How the kernels that run over a batch are started: a block for each unit tile, or fewer with several.
    fn run(&self, hidden: usize) -> LaunchConfig {
        let bytes = blocks(at_hand(hidden, self.together));
        LaunchConfig { shared_mem_bytes: bytes, ..shape(grid(hidden, self.together), THREADS) }
    }

    pub(super) fn forward(&self, unit: Forward<'_>, meeting: &mut Meeting) -> Done {
        let Forward { hidden, positions, rows, .. } = unit;
        let Forward { mut before, mut after, mut gates, mut candidates, mut last, .. } = unit;
        let (steps, state) = (unit.starts.len() - 1, positions * hidden);
        assert!(before.len() >= state && after.len() >= state && candidates.len() >= state);
        assert!(gates.len() >= 3 * state && last.len() >= rows * hidden && unit.slots.len() == positions);
        assert!(unit.recurrent.len() == 3 * hidden * hidden && unit.bias.len() == 3 * hidden);
        assert!(unit.recurrent_bias.len() == hidden);
        if steps == 0 {
            return Ok(());
        }
        let (run, arrived) = (self.run(hidden), meeting.arrived);
        meeting.arrived = arrived.wrapping_add(blocks(steps - 1).wrapping_mul(run.grid_dim.0));
        let (steps, hidden) = (int(steps), int(hidden));
        start! { self.run_forward.launch_cooperative(run),
        &unit.inputs, &unit.bias, &unit.recurrent, &unit.recurrent_bias, &unit.slots, &unit.starts, &steps,
        &hidden, &mut before, &mut after, &mut gates, &mut candidates, &mut last, &mut meeting.arrivals,
        &arrived }
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
        let (run, arrived) = (self.run(hidden), meeting.arrived);
        meeting.arrived = arrived.wrapping_add(blocks(steps).wrapping_mul(run.grid_dim.0));
        let (steps, hidden, has_later) = (int(steps), int(hidden), i32::from(unit.later.is_some()));
        // Where nothing comes later, something must be named that is not read.
        let later = unit.later.as_ref().unwrap_or(&unit.before);
        start! { self.run_backward.launch_cooperative(run),
        &unit.recurrent, &unit.starts, &steps, &hidden, &unit.before, later, &has_later, &mut gates,
        &mut candidates, &mut flow, &mut meeting.arrivals, &arrived }
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
        let (grid, columns) = (blocks(index.len()), int(columns));
        start! { self.gather_rows.launch(shape(grid, THREADS)),
        from, index, &columns, into }
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
        let (grid, columns) = (blocks(index.len()), int(columns));
        start! { self.scatter_rows.launch(shape(grid, THREADS)),
        from, index, &columns, into }
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
        let across = blocks((3 * hidden).div_ceil(THREADS as usize));
        let tokens = LaunchConfig { grid_dim: (blocks(tokens), across, 1), ..shape(1, THREADS) };
        let hidden = int(hidden);
        start! { self.sum_positions.launch(tokens),
        gates, candidates, starts, members, &hidden, into }
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
        let squares = LaunchConfig { block_dim: (32, 32, 1), ..shape(blocks(last.div_ceil(32)), 1) };
        let (rows, all, first, last) = (int(rows), int(columns), int(columns - last), int(last));
        start! { self.sum_columns.launch(squares),
        from, &rows, &all, &first, &last, &mut into }
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
        let (grid, vocabulary) = (blocks(wanted.len()), int(bias.len()));
        start! { self.cross_entropy.launch(shape(grid, THREADS)),
        bias, wanted, weights, &vocabulary, logits, losses }
    }

    pub(super) fn add_losses(
        &self,
        losses: &CudaView<'_, f32>,
        weight: f64,
        total: &mut CudaSlice<f64>,
    ) -> Done {
        assert!(!total.is_empty());
        let count = int(losses.len());
        start! { self.add_losses.launch(shape(1, THREADS)),
        losses, &count, &weight, total }
    }

    pub(super) fn sum_squares(&self, values: &CudaSlice<f32>, parts: &mut CudaSlice<f32>) -> Done {
        assert!(parts.len() >= PARTS as usize);
        let count = int(values.len());
        start! { self.sum_squares.launch(shape(PARTS, THREADS)),
        values, &count, parts }
    }

    /// Enough blocks to fill the GPU some times over, each of which goes on until all is done.
    fn wide(&self, count: usize) -> LaunchConfig {
        shape(blocks(count.div_ceil(THREADS as usize).clamp(1, 8 * self.together)), THREADS)
    }

    pub(super) fn follow_sgd(&self, slope: &Slope<'_>, parameters: &mut CudaSlice<f32>) -> Done {
        let Slope { gradient, parts, clip, rate } = slope;
        assert!(gradient.len() == parameters.len() && parts.len() >= PARTS as usize);
        let (count, part_count) = (int(gradient.len()), int(PARTS as usize));
        start! { self.follow_sgd.launch(self.wide(gradient.len())),
        *gradient, &count, *parts, &part_count, clip, rate, parameters }
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
        start! { self.follow_adam.launch(self.wide(gradient.len())),
        *gradient, &count, *parts, &part_count, clip, rate, &grown, &kept.0, &kept.1,
        &tiny, means, squares, parameters }
    }
}
