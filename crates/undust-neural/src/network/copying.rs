//! Copying what was read (See et al. 2017): at each step the decoder looks at the places of its source, and a gate decides how
//! likely the next token is one that it looks at, or one that is written from memory.
//!
//! Where it looks depends on what stands there and, other than in the paper, on how many tokens before the place are those
//! written last. So copying on needs not be learned, which a few hundred templates are too few for.

use super::Token;
use super::curves::{add, add_scaled, dot, exp_all, greatest, sigmoid, tanh};
use super::layout::{Copying, MOST_MATCHED, Network};
use super::matrix::{Matrix, Old, multiply};
use super::memory::{Memory, positions};
use super::steps::Steps;

/// The parameters that looking takes, and those of the gate.
pub(super) struct Copier<'n> {
    network: &'n Network,
    pub(super) copying: &'n Copying,
    hidden: usize,
}

/// What the decoder looks at, for some of its states.
#[derive(Default)]
pub(super) struct Look {
    /// Where the shares of each state begin, and where the last one's end.
    starts: Vec<usize>,
    /// For each state, how much it looks at each spot of its source.
    pub(super) shares: Vec<f32>,
    /// For each state, the states of the spots in these shares.
    contexts: Vec<f32>,
    /// For each state, what it is mixed to with its context.
    pub(super) mixed: Vec<f32>,
}

impl Look {
    /// How much a state looks at each spot.
    pub(super) fn shares_of(&self, state: usize) -> &[f32] {
        &self.shares[self.starts[state]..self.starts[state + 1]]
    }
}

impl<'n> Copier<'n> {
    pub(super) fn new(network: &'n Network, copying: &'n Copying) -> Copier<'n> {
        Copier { network, copying, hidden: network.shape().hidden }
    }

    /// Looks: `rows` says for each state which source it is about, and what was written of its translation.
    pub(super) fn look<'t>(
        &self,
        memory: &Memory,
        states: &[f32],
        rows: impl Iterator<Item = (usize, &'t [Token])>,
        look: &mut Look,
    ) {
        let Look { starts, shares, contexts, mixed } = look;
        let hidden = self.hidden;
        starts.clear();
        starts.push(0);
        shares.clear();
        contexts.clear();
        contexts.resize(states.len(), 0.0);
        let (bias, by_match) = (self.values(&self.copying.query_bias), self.values(&self.copying.matched));
        let each = states.chunks_exact(hidden).zip(contexts.chunks_exact_mut(hidden));
        let mut query = Vec::new();
        for ((state, context), (which, written)) in each.zip(rows) {
            query.clear();
            query.extend(state.iter().zip(bias).map(|(state, bias)| state + bias));
            let spots = memory.spots(which);
            let source = &memory.tokens[spots.clone()];
            let start = shares.len();
            shares.extend(spots.clone().enumerate().map(|(place, spot)| {
                let by_match = by_match[matched(&source[..place], written)];
                by_match + dot(&query, &memory.keys[spot * hidden..][..hidden])
            }));
            let shares = &mut shares[start..];
            softmax(shares);
            for (share, spot) in shares.iter().zip(spots) {
                add_scaled(context, *share, &memory.states[spot * hidden..][..hidden]);
            }
            starts.push(start + shares.len());
        }
        self.mix(states, contexts, mixed);
    }

    fn mix(&self, states: &[f32], contexts: &[f32], mixed: &mut Vec<f32>) {
        let hidden = self.hidden;
        let copying = self.copying;
        mixed.clear();
        if super::off(4) {
            mixed.extend_from_slice(states);
            return;
        }
        for _ in 0..states.len() / hidden {
            mixed.extend_from_slice(self.values(&copying.mix_bias));
        }
        for (tensor, part) in [(&copying.mix_state, states), (&copying.mix_context, contexts)] {
            let weights = Matrix::new(self.values(tensor), hidden);
            multiply(Matrix::new(part, hidden), weights, Old::Add, mixed);
        }
        mixed.iter_mut().for_each(|value| *value = tanh(*value));
    }

    /// How likely the next token is written from memory.
    pub(super) fn gate(&self, mixed: &[f32]) -> f32 {
        let bias = self.values(&self.copying.gate_bias)[0];
        sigmoid(bias + dot(mixed, self.values(&self.copying.gate)))
    }

    fn values(&self, tensor: &super::Tensor) -> &'n [f32] {
        self.network.values(tensor)
    }

    /// The way back. `mixed` holds the gradient of what was mixed, `scores` that of the scores as far as tokens were copied by them;
    /// both are used up. `states` is left with the gradient of the decoder's states, `of_spots` with that of the memory's.
    pub(super) fn backward(
        &self,
        memory: &Memory,
        steps: &Steps,
        written: &[&[Token]],
        states: &[f32],
        look: &Look,
        slopes: &mut Slopes,
        gradient: &mut [f32],
    ) {
        let (hidden, copying) = (self.hidden, self.copying);
        let Slopes { mixed, scores, contexts, states: of_states, spots, keys } = slopes;
        of_states.resize(states.len(), 0.0);
        contexts.resize(states.len(), 0.0);
        if super::off(4) {
            of_states.copy_from_slice(mixed);
            contexts.fill(0.0);
            for t in [&copying.mix_state, &copying.mix_context, &copying.mix_bias] {
                gradient[t.range.clone()].fill(0.0);
            }
        } else {
            for (slope, mixed) in mixed.iter_mut().zip(&look.mixed) {
                *slope *= 1.0 - mixed * mixed;
            }
            let slope = Matrix::new(mixed, hidden);
            let parts = [
                (&copying.mix_state, states, &mut *of_states),
                (&copying.mix_context, &look.contexts[..], &mut *contexts),
            ];
            for (tensor, part, of_part) in parts {
                let part = Matrix::new(part, hidden).transposed();
                multiply(part, slope, Old::Forget, &mut gradient[tensor.range.clone()]);
                let weights = Matrix::new(self.values(tensor), hidden).transposed();
                multiply(slope, weights, Old::Forget, of_part);
            }
            let bias = &mut gradient[copying.mix_bias.range.clone()];
            bias.fill(0.0);
            mixed.chunks_exact(hidden).for_each(|row| add(bias, row));
        }

        for room in [&mut *spots, &mut *keys] {
            room.clear();
            room.resize(memory.states.len(), 0.0);
        }
        let mut by_match = [0.0; MOST_MATCHED + 1];
        let mut of_bias = vec![0.0; hidden];
        let mut query = vec![0.0; hidden];
        let mut of_query = vec![0.0; hidden];
        for at in positions(steps) {
            let row = at.position * hidden..(at.position + 1) * hidden;
            let shares = look.shares_of(at.position);
            let scores = &mut scores[look.starts[at.position]..look.starts[at.position + 1]];
            let source = memory.spots(at.which);
            let context = &contexts[row.clone()];
            let through: Vec<f32> =
                source.clone().map(|spot| dot(context, &memory.states[spot * hidden..][..hidden])).collect();
            let mean: f32 = dot(&through, shares);
            query.copy_from_slice(&states[row.clone()]);
            add(&mut query, self.values(&copying.query_bias));
            of_query.fill(0.0);
            for (place, spot) in source.clone().enumerate() {
                let slope = scores[place] + shares[place] * (through[place] - mean);
                let place_of = spot * hidden..(spot + 1) * hidden;
                add_scaled(&mut spots[place_of.clone()], shares[place], context);
                add_scaled(&mut keys[place_of.clone()], slope, &query);
                add_scaled(&mut of_query, slope, &memory.keys[place_of]);
                let before = &memory.tokens[source.start..spot];
                by_match[matched(before, &written[at.which][..at.step])] += slope;
            }
            add(&mut of_states[row], &of_query);
            add(&mut of_bias, &of_query);
        }
        gradient[copying.query_bias.range.clone()].copy_from_slice(&of_bias);
        gradient[copying.matched.range.clone()].copy_from_slice(&by_match);
    }
}

/// Gradients, on the way back through looking.
#[derive(Default)]
pub(super) struct Slopes {
    /// Of what states were mixed to.
    pub(super) mixed: Vec<f32>,
    /// Of the scores of spots, laid out as [`Look::shares`].
    pub(super) scores: Vec<f32>,
    contexts: Vec<f32>,
    /// Of the decoder's states.
    pub(super) states: Vec<f32>,
    /// Of the states of spots, and of their keys.
    pub(super) spots: Vec<f32>,
    pub(super) keys: Vec<f32>,
}

/// How many of the tokens that end `before` are those that end `written`; where both begin, all that could be compared are.
fn matched(before: &[Token], written: &[Token]) -> usize {
    if super::off(1) {
        return 0;
    }
    let both = before.iter().rev().zip(written.iter().rev());
    let count = both.take(MOST_MATCHED).take_while(|(read, written)| read == written).count();
    if count == before.len() && count == written.len() { MOST_MATCHED } else { count }
}

fn softmax(scores: &mut [f32]) {
    let greatest = greatest(scores);
    let share = 1.0 / exp_all(scores, greatest);
    scores.iter_mut().for_each(|score| *score *= share);
}

/// The weighted loss where `token` is wanted, and the gradient of the gate's number. The logits and the scores become their gradients: those
/// of the scores as far as they make tokens likely to be copied.
pub(super) fn cross_entropy(
    logits: &mut [f32],
    shares: &[f32],
    source: &[Token],
    gate: f32,
    (token, weight): (Token, f32),
    scores: &mut Vec<f32>,
) -> (f64, f32) {
    /// Keeps the logarithm finite.
    const LEAST: f32 = 1e-30;
    softmax(logits);
    let remembered = gate * logits[usize::from(token)];
    let read = source.iter().zip(shares).filter(|(read, _)| **read == token);
    let copied: f32 = read.map(|(_, share)| share).sum();
    let likely = (remembered + (1.0 - gate) * copied).max(LEAST);
    let part = weight * remembered / likely;
    logits.iter_mut().for_each(|value| *value *= part);
    logits[usize::from(token)] -= part;
    let scale = weight * (1.0 - gate) / likely;
    scores.extend(
        source
            .iter()
            .zip(shares)
            .map(|(read, share)| scale * share * (copied - if *read == token { 1.0 } else { 0.0 })),
    );
    (-f64::from(weight) * f64::from(likely).ln(), weight * gate - part)
}
