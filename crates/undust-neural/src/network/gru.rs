//! The gated recurrent unit: one step of it, a run over a batch, and the way back.

use super::Token;
use super::curves::{add, sigmoid, tanh};
use super::layout::{Cell, Network};
use super::matrix::{Matrix, Old, multiply, transpose};
use super::steps::Steps;

/// The parameters of one unit.
#[derive(Clone, Copy)]
pub(super) struct Unit<'n> {
    hidden: usize,
    embedding: &'n [f32],
    input: &'n [f32],
    bias: &'n [f32],
    recurrent: &'n [f32],
    recurrent_bias: &'n [f32],
}

impl<'n> Unit<'n> {
    pub(super) fn new(network: &'n Network, cell: &Cell) -> Unit<'n> {
        Unit {
            hidden: network.shape().hidden,
            embedding: network.values(&network.layout().embedding),
            input: network.values(&cell.input),
            bias: network.values(&cell.bias),
            recurrent: network.values(&cell.recurrent),
            recurrent_bias: network.values(&cell.recurrent_bias),
        }
    }

    /// What embeddings, one after another, add to the gates: a row of three gates for each.
    pub(super) fn inputs(&self, embedded: &[f32], into: &mut Vec<f32>) {
        into.clear();
        for _ in 0..embedded.len() / self.hidden {
            into.extend_from_slice(self.bias);
        }
        let input = Matrix::new(self.input, 3 * self.hidden);
        multiply(Matrix::new(embedded, self.hidden), input, Old::Add, into);
    }

    /// One step for as many rows as `slots` has: each row's state becomes the next. `inputs` holds the rows that the slots name.
    ///
    /// `gates` is left with the gates reset and update and the state's part of the candidate, `candidates` with the candidates:
    /// what the way back needs.
    pub(super) fn step(
        &self,
        inputs: &[f32],
        slots: &[u32],
        gates: &mut [f32],
        candidates: &mut [f32],
        state: &mut [f32],
    ) {
        let hidden = self.hidden;
        let recurrent = Matrix::new(self.recurrent, 3 * hidden);
        multiply(Matrix::new(state, hidden), recurrent, Old::Forget, gates);
        let rows = gates.chunks_exact_mut(3 * hidden).zip(candidates.chunks_exact_mut(hidden));
        for (((gates, candidate), state), &slot) in rows.zip(state.chunks_exact_mut(hidden)).zip(slots) {
            let input = &inputs[slot as usize * 3 * hidden..][..3 * hidden];
            self.next_state(input, gates, candidate, state);
        }
    }

    /// The loops are kept apart and simple, so that the compiler works on several numbers at once.
    fn next_state(&self, input: &[f32], gates: &mut [f32], candidate: &mut [f32], state: &mut [f32]) {
        let hidden = self.hidden;
        let (input_gates, input_candidate) = input.split_at(2 * hidden);
        let (gates, part) = gates.split_at_mut(2 * hidden);
        for (gate, input) in gates.iter_mut().zip(input_gates) {
            *gate = sigmoid(*gate + input);
        }
        let (reset, update) = gates.split_at(hidden);
        add(part, self.recurrent_bias);
        for (((candidate, input), reset), part) in
            candidate.iter_mut().zip(input_candidate).zip(reset).zip(&*part)
        {
            *candidate = tanh(input + reset * part);
        }
        for ((state, update), candidate) in state.iter_mut().zip(update).zip(&*candidate) {
            *state = candidate + update * (*state - candidate);
        }
    }
}

/// A unit on a batch, with what it needs to find its way back. Its room is used again for the next batch.
#[derive(Default)]
pub(super) struct Run {
    /// The embeddings of the distinct tokens.
    embedded: Vec<f32>,
    /// What they add to the gates; on the way back, the gradient of it.
    inputs: Vec<f32>,
    /// For each position, the state before the step.
    before: Vec<f32>,
    /// For each position, the state after it.
    pub(super) after: Vec<f32>,
    /// For each position, what [`Unit::step`] leaves; on the way back, the gradients of what the state adds to the gates.
    gates: Vec<f32>,
    candidates: Vec<f32>,
    /// The recurrent weights, with rows and columns exchanged.
    exchanged: Vec<f32>,
}

impl Run {
    /// From the state that each row begins with to the one that it ends with.
    pub(super) fn forward(&mut self, unit: &Unit<'_>, steps: &Steps, state: &mut [f32]) {
        let hidden = unit.hidden;
        self.embed(unit, &steps.distinct);
        for (room, columns) in
            [(&mut self.before, 1), (&mut self.after, 1), (&mut self.gates, 3), (&mut self.candidates, 1)]
        {
            room.resize(steps.positions() * columns * hidden, 0.0);
        }
        for positions in steps.each() {
            let state = &mut state[..positions.len() * hidden];
            let place = positions.start * hidden..positions.end * hidden;
            self.before[place.clone()].copy_from_slice(state);
            let gates = &mut self.gates[3 * place.start..3 * place.end];
            let candidates = &mut self.candidates[place.clone()];
            unit.step(&self.inputs, &steps.slots[positions], gates, candidates, state);
            self.after[place].copy_from_slice(state);
        }
    }

    fn embed(&mut self, unit: &Unit<'_>, distinct: &[Token]) {
        self.embedded.clear();
        for &token in distinct {
            let row = &unit.embedding[usize::from(token) * unit.hidden..][..unit.hidden];
            self.embedded.extend_from_slice(row);
        }
        unit.inputs(&self.embedded, &mut self.inputs);
    }

    /// The way back, after [`forward`](Run::forward) on the same batch. `flow` holds the gradient of each row's last state and is left
    /// with that of its first; `later`, if any, is added to it after each step. The gradients of the unit's parameters are
    /// written to their places in `gradient`; those of the embeddings are added to what is there.
    pub(super) fn backward(
        &mut self,
        network: &Network,
        cell: &Cell,
        steps: &Steps,
        later: Option<&[f32]>,
        flow: &mut [f32],
        gradient: &mut [f32],
    ) {
        let unit = Unit::new(network, cell);
        let hidden = unit.hidden;
        transpose(unit.recurrent, 3 * hidden, &mut self.exchanged);
        self.inputs.fill(0.0);
        for positions in steps.each().rev() {
            let flow = &mut flow[..positions.len() * hidden];
            let place = positions.start * hidden..positions.end * hidden;
            if let Some(later) = later {
                add(flow, &later[place.clone()]);
            }
            let gates = &mut self.gates[3 * place.start..3 * place.end];
            let candidates = &mut self.candidates[place.clone()];
            let rows = gates.chunks_exact_mut(3 * hidden).zip(candidates.chunks_exact_mut(hidden));
            let states = flow.chunks_exact_mut(hidden).zip(self.before[place].chunks_exact(hidden));
            for (((gates, candidate), (flow, before)), &slot) in rows.zip(states).zip(&steps.slots[positions])
            {
                back_through(gates, candidate, flow, before);
                let input = &mut self.inputs[slot as usize * 3 * hidden..][..3 * hidden];
                add(&mut input[..2 * hidden], gates);
                add(&mut input[2 * hidden..], candidate);
            }
            multiply(Matrix::new(gates, 3 * hidden), Matrix::new(&self.exchanged, hidden), Old::Add, flow);
        }
        self.parameters(network, cell, &steps.distinct, gradient);
    }

    /// One product for all steps, where one for each step would read and write the whole gradient as often.
    fn parameters(&self, network: &Network, cell: &Cell, distinct: &[Token], gradient: &mut [f32]) {
        let Run { embedded, inputs, before, gates, .. } = self;
        let hidden = network.shape().hidden;
        let (inputs, gates_of) = (Matrix::new(inputs, 3 * hidden), Matrix::new(gates, 3 * hidden));
        let before = Matrix::new(before, hidden).transposed();
        multiply(before, gates_of, Old::Forget, &mut gradient[cell.recurrent.range.clone()]);
        let bias = &mut gradient[cell.recurrent_bias.range.clone()];
        bias.fill(0.0);
        gates.chunks_exact(3 * hidden).for_each(|gates| add(bias, &gates[2 * hidden..]));

        let embedded = Matrix::new(embedded, hidden).transposed();
        multiply(embedded, inputs, Old::Forget, &mut gradient[cell.input.range.clone()]);
        let bias = &mut gradient[cell.bias.range.clone()];
        bias.fill(0.0);
        self.inputs.chunks_exact(3 * hidden).for_each(|input| add(bias, input));

        let mut of_embedded = vec![0.0; distinct.len() * hidden];
        let input = Matrix::new(network.values(&cell.input), 3 * hidden).transposed();
        multiply(inputs, input, Old::Forget, &mut of_embedded);
        let embedding = &mut gradient[network.layout().embedding.range.clone()];
        for (values, &token) in of_embedded.chunks_exact(hidden).zip(distinct) {
            add(&mut embedding[usize::from(token) * hidden..][..hidden], values);
        }
    }
}

/// From the gradient of a row's state after a step to that before it, as far as it does not go through the gates. What
/// [`Unit::step`] left becomes its gradient: in `gates` that of what the state added, in `candidate` that of what the input added to
/// the candidate (to the other gates, both added the same).
fn back_through(gates: &mut [f32], candidate: &mut [f32], flow: &mut [f32], before: &[f32]) {
    let (reset, rest) = gates.split_at_mut(before.len());
    let (update, part) = rest.split_at_mut(before.len());
    for (((update, candidate), flow), before) in
        update.iter_mut().zip(&mut *candidate).zip(flow.iter_mut()).zip(before)
    {
        let kept = *flow * *update;
        let fresh = *flow - kept;
        *update = kept * (before - *candidate) * (1.0 - *update);
        *candidate = fresh * (1.0 - *candidate * *candidate);
        *flow = kept;
    }
    for ((reset, part), candidate) in reset.iter_mut().zip(part).zip(&*candidate) {
        let through = candidate * *reset;
        *reset = through * *part * (1.0 - *reset);
        *part = through;
    }
}
