//! A network that learns on a GPU: its parameters live there, and what the optimizer remembers.

use cudarc::driver::CudaSlice;

use super::device::{Device, Matrix};
use super::launch::{Adam, Meeting, PARTS, Slope};
use super::plan::Plan;
use super::unit::{Run, Setting};
use super::{Done, supported};
use crate::network::Pair;
use crate::network::gradient::{Batch, Loss};
use crate::network::layout::{Layout, Network};
use crate::network::optimize::{KEPT, Optimizer, Pace, Stride, TINY};
use crate::network::train::Student;

/// What learns on a GPU.
pub(super) struct Trainer<'d> {
    device: &'d Device,
    layout: Layout,
    pace: Pace,
    clip: f32,
    parameters: CudaSlice<f32>,
    gradient: CudaSlice<f32>,
    /// Of past gradients, and of their squares.
    means: CudaSlice<f32>,
    squares: CudaSlice<f32>,
    /// The gradient's square, in parts.
    parts: CudaSlice<f32>,
    /// Of the losses since they were last asked for: their sum, which is on the GPU, and their weight.
    sum: CudaSlice<f64>,
    weight: f64,
    room: Room,
}

/// What a batch needs; used again for the next.
struct Room {
    numbers: CudaSlice<u32>,
    encoder: Run,
    decoder: Run,
    /// For each position of the decoder, a number for each token; later their gradients.
    logits: CudaSlice<f32>,
    losses: CudaSlice<f32>,
    /// For each position of the decoder, the gradient of its state.
    states: CudaSlice<f32>,
    meeting: Meeting,
}

impl<'d> Trainer<'d> {
    pub(super) fn new(
        device: &'d Device,
        network: &Network,
        optimizer: Optimizer,
        clip: f32,
    ) -> Result<Trainer<'d>, String> {
        let layout = network.layout().clone();
        supported(&layout)?;
        device.fits(layout.shape.hidden)?;
        let count = layout.parameters();
        let pace = Pace::new(optimizer);
        let mut parameters = device.zeros(count)?;
        device.write(network.parameters(), &mut parameters)?;
        Ok(Trainer {
            gradient: device.zeros(count)?,
            means: device.zeros(pace.remembered(count))?,
            squares: device.zeros(pace.remembered(count))?,
            parts: device.zeros(PARTS as usize)?,
            sum: device.zeros(1)?,
            weight: 0.0,
            room: Room::new(device)?,
            device,
            layout,
            pace,
            clip,
            parameters,
        })
    }

    /// The mean loss on a batch, and the gradient of it.
    pub(super) fn gradient_of(mut self, pairs: &[&Pair]) -> Result<(f32, Vec<f32>), String> {
        self.work_out(pairs)?;
        let mut gradient = vec![0.0; self.gradient.len()];
        self.device.read(&self.gradient, &mut gradient)?;
        Ok((self.loss()?.mean(), gradient))
    }

    /// Leaves the gradient of a batch on the GPU.
    fn work_out(&mut self, pairs: &[&Pair]) -> Done {
        let plan = Plan::new(&Batch::new(pairs, self.layout.shape.copies), self.layout.shape.vocabulary)?;
        self.weight += plan.weight;
        let work =
            Work { device: self.device, layout: &self.layout, parameters: &self.parameters, plan: &plan };
        self.room.grow(&work)?;
        self.device.write(&plan.numbers, &mut self.room.numbers)?;
        self.room.forward(&work, &mut self.sum)?;
        self.room.backward(&work, &mut self.gradient)
    }

    fn follow(&mut self, epoch: usize) -> Done {
        let Trainer { device, gradient, parts, parameters, means, squares, .. } = self;
        device.sum_squares(gradient, parts)?;
        let slope = |rate| Slope { gradient, parts, clip: self.clip, rate };
        match self.pace.stride(epoch) {
            Stride::Adam { rate, grown } => {
                let adam = Adam { grown, kept: KEPT, tiny: TINY, means, squares };
                device.follow_adam(&slope(rate), adam, parameters)
            }
            Stride::Sgd { rate } => device.follow_sgd(&slope(rate), parameters),
        }
    }

    /// Since it was asked last.
    fn loss(&mut self) -> Result<Loss, String> {
        let mut sum = [0.0];
        self.device.read(&self.sum, &mut sum)?;
        self.device.zero(self.sum.as_view_mut())?;
        Ok(Loss { sum: sum[0], weight: std::mem::take(&mut self.weight) })
    }
}

impl Student for Trainer<'_> {
    type Error = String;

    fn step(&mut self, _: &mut Network, epoch: usize, batch: &[&Pair]) -> Done {
        self.work_out(batch)?;
        self.follow(epoch)
    }

    fn report(&mut self, network: &mut Network) -> Result<Loss, String> {
        self.device.read(&self.parameters, network.parameters_mut())?;
        self.loss()
    }
}

/// A batch to work on.
struct Work<'a> {
    device: &'a Device,
    layout: &'a Layout,
    parameters: &'a CudaSlice<f32>,
    plan: &'a Plan,
}

impl<'a> Work<'a> {
    fn setting(&self, numbers: &'a CudaSlice<u32>) -> Setting<'a> {
        Setting { device: self.device, layout: self.layout, parameters: self.parameters, numbers }
    }
}

impl Room {
    fn new(device: &Device) -> Result<Room, String> {
        Ok(Room {
            numbers: device.zeros(0)?,
            encoder: Run::new(device)?,
            decoder: Run::new(device)?,
            logits: device.zeros(0)?,
            losses: device.zeros(0)?,
            states: device.zeros(0)?,
            meeting: device.meeting()?,
        })
    }

    fn grow(&mut self, work: &Work<'_>) -> Done {
        let Work { device, layout, plan, .. } = work;
        let (hidden, positions) = (layout.shape.hidden, plan.targets.positions);
        self.encoder.grow(device, hidden, &plan.sources)?;
        self.decoder.grow(device, hidden, &plan.targets)?;
        device.grow(&mut self.numbers, plan.numbers.len())?;
        device.grow(&mut self.logits, positions * layout.shape.vocabulary)?;
        device.grow(&mut self.losses, positions)?;
        device.grow(&mut self.states, positions * hidden)
    }

    /// The loss is added to `sum`; logits are left as their gradients.
    fn forward(&mut self, work: &Work<'_>, sum: &mut CudaSlice<f64>) -> Done {
        let Work { device, layout, plan, .. } = work;
        let Room { numbers, encoder, decoder, logits, losses, meeting, .. } = self;
        let (hidden, vocabulary) = (layout.shape.hidden, layout.shape.vocabulary);
        let setting = work.setting(numbers);
        device.zero(encoder.before.slice_mut(..plan.sources.first * hidden))?;
        device.zero(encoder.state.slice_mut(..plan.sources.rows * hidden))?;
        encoder.forward(setting, &layout.encoder, &plan.sources, meeting)?;
        // Every target has a first step.
        let rows = numbers.slice(plan.targets.other_rows.clone());
        device.gather_rows(&encoder.state.as_view(), &rows, hidden, &mut decoder.before)?;
        decoder.forward(setting, &layout.decoder, &plan.targets, meeting)?;

        let positions = plan.targets.positions;
        let after = Matrix::new(decoder.after.slice(..positions * hidden), hidden);
        let output = Matrix::new(setting.values(&layout.output), vocabulary);
        device.multiply(&after, &output, logits.slice_mut(..positions * vocabulary))?;
        let wanted = (&numbers.slice(plan.wanted.clone()), &numbers.slice(plan.weights.clone()));
        device.cross_entropy(&setting.values(&layout.output_bias), wanted, logits, losses)?;
        device.add_losses(&losses.slice(..positions), plan.weight, sum)
    }

    fn backward(&mut self, work: &Work<'_>, gradient: &mut CudaSlice<f32>) -> Done {
        let Work { device, layout, plan, .. } = work;
        let hidden = layout.shape.hidden;
        device.zero(gradient.slice_mut(layout.embedding.range.clone()))?;
        self.of_output(work, gradient)?;
        let Room { numbers, encoder, decoder, states, meeting, .. } = self;
        let setting = work.setting(numbers);
        device.zero(decoder.state.slice_mut(..plan.targets.rows * hidden))?;
        decoder.backward(setting, &layout.decoder, &plan.targets, Some(states), meeting, gradient)?;
        let rows = numbers.slice(plan.sources.other_rows.clone());
        device.gather_rows(&decoder.state.as_view(), &rows, hidden, &mut encoder.state)?;
        encoder.backward(setting, &layout.encoder, &plan.sources, None, meeting, gradient)
    }

    /// From the logits back to the states.
    fn of_output(&mut self, work: &Work<'_>, gradient: &mut CudaSlice<f32>) -> Done {
        let Work { device, layout, plan, .. } = work;
        let (hidden, vocabulary) = (layout.shape.hidden, layout.shape.vocabulary);
        let positions = plan.targets.positions;
        let logits = self.logits.slice(..positions * vocabulary);
        device.sum_columns(&logits, vocabulary, gradient.slice_mut(layout.output_bias.range.clone()))?;
        let logits = Matrix::new(logits, vocabulary);
        let after = Matrix::new(self.decoder.after.slice(..positions * hidden), hidden).transposed();
        device.multiply(&after, &logits, gradient.slice_mut(layout.output.range.clone()))?;
        let output = work.parameters.slice(layout.output.range.clone());
        let output = Matrix::new(output, vocabulary).transposed();
        device.multiply(&logits, &output, self.states.slice_mut(..positions * hidden))
    }
}
