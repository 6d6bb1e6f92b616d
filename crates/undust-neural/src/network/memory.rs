//! What a network that copies has read: a state for every place of every source, which knows what stands before it and behind it.

use super::curves::add;
use super::gru::{Run, Unit};
use super::layout::{Copying, Network};
use super::matrix::{Matrix, Old, multiply};
use super::steps::Steps;
use super::{END, Token};

/// The sources of a batch, read in both directions. Behind each stands [`END`], so that it can be copied as well. A spot is a place of
/// a source; spots stand source by source.
#[derive(Default)]
pub(super) struct Memory {
    /// The tokens of the spots.
    pub(super) tokens: Vec<Token>,
    /// Where each source's spots begin, and where the last one's end.
    starts: Vec<usize>,
    /// For each spot, the sum of both readers' states.
    pub(super) states: Vec<f32>,
    /// For each spot, what the decoder's state is compared with.
    pub(super) keys: Vec<f32>,
    forward: Run,
    backward: Run,
    /// Room for the way back: the gradient of states by position.
    by_position: Vec<f32>,
}

/// The sources as they are read from the beginning, and from the end. Rows stand in the same order.
pub(super) struct Directions {
    pub(super) forward: Steps,
    backward: Steps,
}

impl Directions {
    pub(super) fn new(sources: &[&[Token]]) -> Directions {
        let mut sources: Vec<Vec<Token>> =
            sources.iter().map(|source| source.iter().copied().chain([END]).collect()).collect();
        let steps = |sources: &[Vec<Token>]| {
            Steps::new(&sources.iter().map(|source| &source[..]).collect::<Vec<_>>(), None)
        };
        let forward = steps(&sources);
        sources.iter_mut().for_each(|source| source.reverse());
        Directions { forward, backward: steps(&sources) }
    }
}

impl Memory {
    /// Reads. `last` is left with the sum of both readers' last states, a row for each source in the order of the directions.
    pub(super) fn read(
        &mut self,
        network: &Network,
        copying: &Copying,
        sources: &[&[Token]],
        directions: &Directions,
        last: &mut Vec<f32>,
    ) {
        let hidden = network.shape().hidden;
        self.place(sources);
        let Directions { forward, backward } = directions;
        last.clear();
        last.resize(sources.len() * hidden, 0.0);
        let mut other = last.clone();
        self.forward.forward(&Unit::new(network, &network.layout().encoder), forward, last);
        self.backward.forward(&Unit::new(network, &copying.backward), backward, &mut other);
        if super::off(2) {
            other.fill(0.0);
            self.backward.after.fill(0.0);
        }
        add(last, &other);
        self.states.clear();
        self.states.resize(self.tokens.len() * hidden, 0.0);
        for (position, spot) in positions(forward).map(|at| (at.position, self.starts[at.which] + at.step)) {
            let state = &self.forward.after[position * hidden..][..hidden];
            self.states[spot * hidden..][..hidden].copy_from_slice(state);
        }
        for (position, spot) in
            positions(backward).map(|at| (at.position, self.starts[at.which + 1] - 1 - at.step))
        {
            let state = &self.backward.after[position * hidden..][..hidden];
            add(&mut self.states[spot * hidden..][..hidden], state);
        }
        self.keys.resize(self.states.len(), 0.0);
        let key = Matrix::new(network.values(&copying.key), hidden);
        multiply(Matrix::new(&self.states, hidden), key, Old::Forget, &mut self.keys);
    }

    fn place(&mut self, sources: &[&[Token]]) {
        self.tokens.clear();
        self.starts.clear();
        self.starts.push(0);
        for source in sources {
            self.tokens.extend(source.iter().copied().chain([END]));
            self.starts.push(self.tokens.len());
        }
    }

    /// The spots of a source.
    pub(super) fn spots(&self, which: usize) -> std::ops::Range<usize> {
        self.starts[which]..self.starts[which + 1]
    }

    /// The way back. `last` holds the gradient of what [`read`](Memory::read) left there, `states` and `keys` those of each spot;
    /// gradients of parameters are written to their places, those of embeddings added.
    pub(super) fn backward(
        &mut self,
        network: &Network,
        copying: &Copying,
        directions: &Directions,
        last: &mut [f32],
        states: &mut [f32],
        keys: &[f32],
        gradient: &mut [f32],
    ) {
        let hidden = network.shape().hidden;
        let keys = Matrix::new(keys, hidden);
        let read = Matrix::new(&self.states, hidden).transposed();
        multiply(read, keys, Old::Forget, &mut gradient[copying.key.range.clone()]);
        let key = Matrix::new(network.values(&copying.key), hidden).transposed();
        multiply(keys, key, Old::Add, states);
        let Directions { forward, backward } = directions;
        let mut other = last.to_vec();
        self.by_position.resize(states.len(), 0.0);
        for at in positions(forward) {
            let spot = self.starts[at.which] + at.step;
            self.by_position[at.position * hidden..][..hidden]
                .copy_from_slice(&states[spot * hidden..][..hidden]);
        }
        let encoder = &network.layout().encoder;
        self.forward.backward(network, encoder, forward, Some(&self.by_position), last, gradient);
        for at in positions(backward) {
            let spot = self.starts[at.which + 1] - 1 - at.step;
            self.by_position[at.position * hidden..][..hidden]
                .copy_from_slice(&states[spot * hidden..][..hidden]);
        }
        if super::off(2) {
            other.fill(0.0);
            self.by_position.fill(0.0);
        }
        let cell = &copying.backward;
        self.backward.backward(network, cell, backward, Some(&self.by_position), &mut other, gradient);
    }
}

/// A row at a step.
pub(super) struct At {
    pub(super) position: usize,
    pub(super) step: usize,
    /// Which sequence of the batch it is.
    pub(super) which: usize,
}

/// All positions, step by step.
pub(super) fn positions(steps: &Steps) -> impl Iterator<Item = At> {
    steps.each().enumerate().flat_map(move |(step, positions)| {
        positions.zip(&steps.order).map(move |(position, &which)| At { position, step, which })
    })
}
