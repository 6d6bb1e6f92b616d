//! The gated recurrent unit on a GPU: over a batch, and the way back.

use cudarc::driver::{CudaSlice, CudaView};

use super::Done;
use super::device::{Device, Matrix};
use super::launch::{Backward, Forward, Meeting};
use super::plan::Walk;
use crate::network::layout::{Cell, Layout, Tensor};

/// What all work on a batch reads.
#[derive(Clone, Copy)]
pub(super) struct Setting<'a> {
    pub(super) device: &'a Device,
    pub(super) layout: &'a Layout,
    pub(super) parameters: &'a CudaSlice<f32>,
    /// Of the batch.
    pub(super) numbers: &'a CudaSlice<u32>,
}

impl<'a> Setting<'a> {
    pub(super) fn values(self, tensor: &Tensor) -> CudaView<'a, f32> {
        self.parameters.slice(tensor.range.clone())
    }

    pub(super) fn hidden(self) -> usize {
        self.layout.shape.hidden
    }
}

/// A unit on a batch, with what it needs to find its way back. Its room is used again for the next batch.
pub(super) struct Run {
    /// The embeddings of the distinct tokens; on the way back, the gradient of them.
    embedded: CudaSlice<f32>,
    of_embedded: CudaSlice<f32>,
    /// What they add to the gates, without the bias; on the way back, the gradient of it.
    inputs: CudaSlice<f32>,
    /// For each position, the state before the step. Those of the first step are the caller's to set.
    pub(super) before: CudaSlice<f32>,
    /// For each position, the state after it.
    pub(super) after: CudaSlice<f32>,
    /// For each position, the gates reset and update and the state's part of the candidate; on the way back, their gradients.
    gates: CudaSlice<f32>,
    candidates: CudaSlice<f32>,
    /// For each row, the last state; on the way back, the gradient of it, and in the end that of the first.
    pub(super) state: CudaSlice<f32>,
}

impl Run {
    pub(super) fn new(device: &Device) -> Result<Run, String> {
        Ok(Run {
            embedded: device.zeros(0)?,
            of_embedded: device.zeros(0)?,
            inputs: device.zeros(0)?,
            before: device.zeros(0)?,
            after: device.zeros(0)?,
            gates: device.zeros(0)?,
            candidates: device.zeros(0)?,
            state: device.zeros(0)?,
        })
    }

    /// Makes room for a batch.
    pub(super) fn grow(&mut self, device: &Device, hidden: usize, walk: &Walk) -> Done {
        let (distinct, positions) = (walk.distinct.len() * hidden, walk.positions * hidden);
        device.grow(&mut self.embedded, distinct)?;
        device.grow(&mut self.of_embedded, distinct)?;
        device.grow(&mut self.inputs, 3 * distinct)?;
        device.grow(&mut self.before, positions)?;
        device.grow(&mut self.after, positions)?;
        device.grow(&mut self.gates, 3 * positions)?;
        device.grow(&mut self.candidates, positions)?;
        device.grow(&mut self.state, walk.rows * hidden)
    }

    /// From the states before the first step to each row's last.
    pub(super) fn forward(
        &mut self,
        setting: Setting<'_>,
        cell: &Cell,
        walk: &Walk,
        meeting: &mut Meeting,
    ) -> Done {
        let Setting { device, layout, numbers, .. } = setting;
        let hidden = setting.hidden();
        let distinct = walk.distinct.len() * hidden;
        let tokens = numbers.slice(walk.distinct.clone());
        device.gather_rows(&setting.values(&layout.embedding), &tokens, hidden, &mut self.embedded)?;
        let embedded = Matrix::new(self.embedded.slice(..distinct), hidden);
        let input = Matrix::new(setting.values(&cell.input), 3 * hidden);
        device.multiply(&embedded, &input, self.inputs.slice_mut(..3 * distinct))?;
        let unit = Forward {
            hidden,
            positions: walk.positions,
            rows: walk.rows,
            inputs: self.inputs.as_view(),
            bias: setting.values(&cell.bias),
            recurrent: setting.values(&cell.recurrent),
            recurrent_bias: setting.values(&cell.recurrent_bias),
            slots: numbers.slice(walk.slots.clone()),
            starts: numbers.slice(walk.starts.clone()),
            before: self.before.as_view_mut(),
            after: self.after.as_view_mut(),
            gates: self.gates.as_view_mut(),
            candidates: self.candidates.as_view_mut(),
            last: self.state.as_view_mut(),
        };
        device.forward(unit, meeting)
    }

    /// The way back, after [`forward`](Run::forward) on the same batch. `state` holds the gradient of each row's last state; `later`, if
    /// any, is added to it after each step. Writes the gradients of the unit's parameters, and adds those of the embeddings to what
    /// is there.
    pub(super) fn backward(
        &mut self,
        setting: Setting<'_>,
        cell: &Cell,
        walk: &Walk,
        later: Option<&CudaSlice<f32>>,
        meeting: &mut Meeting,
        gradient: &mut CudaSlice<f32>,
    ) -> Done {
        let unit = Backward {
            hidden: setting.hidden(),
            positions: walk.positions,
            rows: walk.rows,
            recurrent: setting.values(&cell.recurrent),
            starts: setting.numbers.slice(walk.starts.clone()),
            before: self.before.as_view(),
            later: later.map(CudaSlice::as_view),
            gates: self.gates.as_view_mut(),
            candidates: self.candidates.as_view_mut(),
            flow: self.state.as_view_mut(),
        };
        setting.device.backward(unit, meeting)?;
        self.of_recurrent(setting, cell, walk, gradient)?;
        self.of_inputs(setting, cell, walk, gradient)
    }

    /// One product for all steps.
    fn of_recurrent(
        &self,
        setting: Setting<'_>,
        cell: &Cell,
        walk: &Walk,
        gradient: &mut CudaSlice<f32>,
    ) -> Done {
        let (device, hidden) = (setting.device, setting.hidden());
        let before = Matrix::new(self.before.slice(..walk.positions * hidden), hidden).transposed();
        let gates = self.gates.slice(..3 * walk.positions * hidden);
        device.sum_columns(&gates, 3 * hidden, gradient.slice_mut(cell.recurrent_bias.range.clone()))?;
        let gates = Matrix::new(gates, 3 * hidden);
        device.multiply(&before, &gates, gradient.slice_mut(cell.recurrent.range.clone()))
    }

    fn of_inputs(
        &mut self,
        setting: Setting<'_>,
        cell: &Cell,
        walk: &Walk,
        gradient: &mut CudaSlice<f32>,
    ) -> Done {
        let Setting { device, layout, numbers, .. } = setting;
        let hidden = setting.hidden();
        let distinct = walk.distinct.len() * hidden;
        let starts = numbers.slice(walk.member_starts.clone());
        let members = numbers.slice(walk.members.clone());
        device.sum_positions(
            (&self.gates, &self.candidates),
            (&starts, &members),
            hidden,
            &mut self.inputs,
        )?;
        let inputs = self.inputs.slice(..3 * distinct);
        device.sum_columns(&inputs, 3 * hidden, gradient.slice_mut(cell.bias.range.clone()))?;
        let inputs = Matrix::new(inputs, 3 * hidden);
        let embedded = Matrix::new(self.embedded.slice(..distinct), hidden).transposed();
        device.multiply(&embedded, &inputs, gradient.slice_mut(cell.input.range.clone()))?;
        let input = Matrix::new(setting.values(&cell.input), 3 * hidden).transposed();
        device.multiply(&inputs, &input, self.of_embedded.slice_mut(..distinct))?;
        let tokens = numbers.slice(walk.distinct.clone());
        let mut embedding = gradient.slice_mut(layout.embedding.range.clone());
        device.scatter_rows(&self.of_embedded, &tokens, hidden, &mut embedding)
    }
}
