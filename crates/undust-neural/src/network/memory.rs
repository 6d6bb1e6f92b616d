//! What a network that copies has read: a state for every place of every source, which knows what stands before it and behind it.

use std::ops::Range;

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
        for source in &mut sources {
            source.reverse();
        }
        Directions { forward, backward: steps(&sources) }
    }
}

/// Gradients of what is kept of a spot.
#[derive(Default)]
pub(super) struct SpotSlopes {
    pub(super) states: Vec<f32>,
    pub(super) keys: Vec<f32>,
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
        let Directions { forward, backward } = directions;
        self.place(sources);
        last.clear();
        last.resize(sources.len() * hidden, 0.0);
        let mut first = last.clone();
        self.forward.forward(&Unit::new(network, &network.layout().encoder), forward, last);
        self.backward.forward(&Unit::new(network, &copying.backward), backward, &mut first);
        add(last, &first);
        self.states.clear();
        self.states.resize(self.tokens.len() * hidden, 0.0);
        for (after, spots) in [
            (&self.forward.after, forward_spots(forward, &self.starts)),
            (&self.backward.after, backward_spots(backward, &self.starts)),
        ] {
            for (state, spot) in after.chunks_exact(hidden).zip(spots) {
                add(&mut self.states[spot * hidden..][..hidden], state);
            }
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
    pub(super) fn spots(&self, which: usize) -> Range<usize> {
        self.starts[which]..self.starts[which + 1]
    }

    /// The way back. `last` holds the gradient of what [`read`](Memory::read) left there, `slopes` those of the spots; both are used
    /// up. Gradients of parameters are written to their places, those of embeddings added.
    pub(super) fn backward(
        &mut self,
        network: &Network,
        copying: &Copying,
        directions: &Directions,
        last: &mut [f32],
        slopes: &mut SpotSlopes,
        gradient: &mut [f32],
    ) {
        let hidden = network.shape().hidden;
        let Directions { forward, backward } = directions;
        let keys = Matrix::new(&slopes.keys, hidden);
        let states = Matrix::new(&self.states, hidden).transposed();
        multiply(states, keys, Old::Forget, &mut gradient[copying.key.range.clone()]);
        let key = Matrix::new(network.values(&copying.key), hidden).transposed();
        multiply(keys, key, Old::Add, &mut slopes.states);

        let mut first = last.to_vec();
        let (room, encoder) = (&mut self.by_position, &network.layout().encoder);
        gather(&slopes.states, hidden, forward_spots(forward, &self.starts), room);
        self.forward.backward(network, encoder, forward, Some(room), last, gradient);
        gather(&slopes.states, hidden, backward_spots(backward, &self.starts), room);
        self.backward.backward(network, &copying.backward, backward, Some(room), &mut first, gradient);
    }
}

/// The spot of each position, where sources are read from the beginning.
fn forward_spots(steps: &Steps, starts: &[usize]) -> Vec<usize> {
    positions(steps).map(|at| starts[at.which] + at.step).collect()
}

/// The spot of each position, where sources are read from the end.
fn backward_spots(steps: &Steps, starts: &[usize]) -> Vec<usize> {
    positions(steps).map(|at| starts[at.which + 1] - 1 - at.step).collect()
}

/// The rows that `spots` names, one after another.
fn gather(rows: &[f32], columns: usize, spots: Vec<usize>, into: &mut Vec<f32>) {
    into.clear();
    for spot in spots {
        into.extend_from_slice(&rows[spot * columns..][..columns]);
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
