//! Copying what was read (See et al. 2017): at each step the decoder looks at the places of its source, and a gate decides how
//! likely the next token is one that it looks at, or one that is written from memory.
//!
//! Where it looks depends on what stands there and, other than in the paper, on how many tokens before the place are those
//! written last. So copying on needs not be learned, which a few hundred templates are too few for.

use std::ops::Range;

use super::Token;
use super::curves::{add, add_scaled, dot, exp_all, greatest, sigmoid, tanh};
use super::layout::{Copying, MAX_TOKENS_MATCHED, Network};
use super::matrix::{Matrix, Old, multiply};
use super::memory::{Memory, SpotSlopes, positions};
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
        &self.shares[self.range(state)]
    }

    fn range(&self, state: usize) -> Range<usize> {
        self.starts[state]..self.starts[state + 1]
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
        let each = states.chunks_exact(hidden).zip(contexts.chunks_exact_mut(hidden));
        for ((state, context), (which, written)) in each.zip(rows) {
            let (start, spots) = (shares.len(), memory.spots(which));
            self.score(memory, state, spots.clone(), written, shares);
            softmax(&mut shares[start..]);
            for (share, spot) in shares[start..].iter().zip(spots) {
                add_scaled(context, *share, &memory.states[spot * hidden..][..hidden]);
            }
            starts.push(shares.len());
        }
        self.mix(states, contexts, mixed);
    }

    /// How much there is to look at in each spot.
    fn score(
        &self,
        memory: &Memory,
        state: &[f32],
        spots: Range<usize>,
        written: &[Token],
        into: &mut Vec<f32>,
    ) {
        let hidden = self.hidden;
        let (bias, by_match) = (self.values(&self.copying.query_bias), self.values(&self.copying.matched));
        let query: Vec<f32> = state.iter().zip(bias).map(|(state, bias)| state + bias).collect();
        let source = &memory.tokens[spots.clone()];
        into.extend(spots.enumerate().map(|(place, spot)| {
            let key = &memory.keys[spot * hidden..][..hidden];
            by_match[matched(&source[..place], written)] + dot(&query, key)
        }));
    }

    fn mix(&self, states: &[f32], contexts: &[f32], mixed: &mut Vec<f32>) {
        let hidden = self.hidden;
        let copying = self.copying;
        mixed.clear();
        for _ in 0..states.len() / hidden {
            mixed.extend_from_slice(self.values(&copying.mix_bias));
        }
        for (tensor, part) in [(&copying.mix_state, states), (&copying.mix_context, contexts)] {
            let weights = Matrix::new(self.values(tensor), hidden);
            multiply(Matrix::new(part, hidden), weights, Old::Add, mixed);
        }
        for value in mixed.iter_mut() {
            *value = tanh(*value);
        }
    }

    /// How likely the next token is written from memory.
    pub(super) fn gate(&self, mixed: &[f32]) -> f32 {
        let bias = self.values(&self.copying.gate_bias)[0];
        sigmoid(bias + dot(mixed, self.values(&self.copying.gate)))
    }

    fn values(&self, tensor: &super::Tensor) -> &'n [f32] {
        self.network.values(tensor)
    }

    /// The way back through the gate: its gradients are written, and added to those of what was mixed.
    pub(super) fn back_through_gates(
        &self,
        gates: &[f32],
        look: &Look,
        slopes: &mut Slopes,
        gradient: &mut [f32],
    ) {
        let weights = self.values(&self.copying.gate);
        let of_weights = &mut gradient[self.copying.gate.range.clone()];
        of_weights.fill(0.0);
        let rows = slopes.mixed.chunks_exact_mut(self.hidden).zip(look.mixed.chunks_exact(self.hidden));
        for ((slopes, mixed), &gate) in rows.zip(gates) {
            add_scaled(slopes, gate, weights);
            add_scaled(of_weights, gate, mixed);
        }
        gradient[self.copying.gate_bias.range.start] = gates.iter().sum();
    }

    /// The way back through mixing: from the gradient of what was mixed to those of states and contexts.
    pub(super) fn back_through_mixing(
        &self,
        states: &[f32],
        look: &Look,
        slopes: &mut Slopes,
        gradient: &mut [f32],
    ) {
        let (hidden, copying) = (self.hidden, self.copying);
        for (slope, mixed) in slopes.mixed.iter_mut().zip(&look.mixed) {
            *slope *= 1.0 - mixed * mixed;
        }
        let bias = &mut gradient[copying.mix_bias.range.clone()];
        bias.fill(0.0);
        slopes.mixed.chunks_exact(hidden).for_each(|row| add(bias, row));
        let slope = Matrix::new(&slopes.mixed, hidden);
        for (tensor, part, of_part) in [
            (&copying.mix_state, states, &mut slopes.states),
            (&copying.mix_context, &look.contexts, &mut slopes.contexts),
        ] {
            let part = Matrix::new(part, hidden).transposed();
            multiply(part, slope, Old::Forget, &mut gradient[tensor.range.clone()]);
            let weights = Matrix::new(self.values(tensor), hidden).transposed();
            of_part.resize(slopes.mixed.len(), 0.0);
            multiply(slope, weights, Old::Forget, of_part);
        }
    }

    /// The way back through looking: what comes through contexts and through scores is added to the gradients of the decoder's states,
    /// and becomes those of the spots.
    pub(super) fn back_through_looking(
        &self,
        memory: &Memory,
        writing: &Writing<'_>,
        look: &Look,
        slopes: &mut Slopes,
        gradient: &mut [f32],
    ) {
        let Writing { steps, translations, states } = *writing;
        let hidden = self.hidden;
        for room in [&mut slopes.spots.states, &mut slopes.spots.keys] {
            room.clear();
            room.resize(memory.states.len(), 0.0);
        }
        let (bias, of_bias) = (self.values(&self.copying.query_bias), &mut vec![0.0; hidden]);
        let by_match = &mut [0.0; MAX_TOKENS_MATCHED + 1];
        let of_query = &mut vec![0.0; hidden];
        for at in positions(steps) {
            let row = at.position * hidden..(at.position + 1) * hidden;
            let spots = memory.spots(at.which);
            slopes.through_context(at.position, &row, look, memory, spots.clone());
            let query: Vec<f32> =
                states[row.clone()].iter().zip(bias).map(|(state, bias)| state + bias).collect();
            of_query.fill(0.0);
            let (source, written) = (&memory.tokens[spots.clone()], &translations[at.which][..at.step]);
            let scores = &slopes.scores[look.range(at.position)];
            for (place, (spot, &slope)) in spots.zip(scores).enumerate() {
                let key = spot * hidden..(spot + 1) * hidden;
                add_scaled(&mut slopes.spots.keys[key.clone()], slope, &query);
                add_scaled(of_query, slope, &memory.keys[key]);
                by_match[matched(&source[..place], written)] += slope;
            }
            add(&mut slopes.states[row], of_query);
            add(of_bias, of_query);
        }
        gradient[self.copying.query_bias.range.clone()].copy_from_slice(of_bias);
        gradient[self.copying.matched.range.clone()].copy_from_slice(by_match);
    }
}

/// What the decoder did on a batch.
pub(super) struct Writing<'b> {
    pub(super) steps: &'b Steps,
    /// What was written for each source.
    pub(super) translations: &'b [&'b [Token]],
    /// For each position, the state after it.
    pub(super) states: &'b [f32],
}

/// Gradients, on the way back.
#[derive(Default)]
pub(super) struct Slopes {
    /// Of what states were mixed to.
    pub(super) mixed: Vec<f32>,
    /// Of the scores of spots, laid out as [`Look::shares`]: at first as far as tokens were copied by them.
    pub(super) scores: Vec<f32>,
    /// Of the contexts.
    contexts: Vec<f32>,
    /// Of the decoder's states.
    pub(super) states: Vec<f32>,
    /// Of the memory.
    pub(super) spots: SpotSlopes,
}

impl Slopes {
    /// From the gradient of a position's context to those of the states in it, and of the scores that they are in it by.
    fn through_context(
        &mut self,
        position: usize,
        row: &Range<usize>,
        look: &Look,
        memory: &Memory,
        spots: Range<usize>,
    ) {
        let context = &self.contexts[row.clone()];
        let states = spots.start * row.len()..spots.end * row.len();
        let each = memory.states[states.clone()].chunks_exact(row.len());
        let through: Vec<f32> = each.map(|state| dot(context, state)).collect();
        let shares = look.shares_of(position);
        let mean = dot(&through, shares);
        let of_states = self.spots.states[states].chunks_exact_mut(row.len());
        let scores = &mut self.scores[look.range(position)];
        for (((score, share), through), of_state) in scores.iter_mut().zip(shares).zip(through).zip(of_states)
        {
            *score += share * (through - mean);
            add_scaled(of_state, *share, context);
        }
    }
}

/// How many of the tokens that end `before` are those that end `written`; where both begin, all that could be compared are.
fn matched(before: &[Token], written: &[Token]) -> usize {
    let both = before.iter().rev().zip(written.iter().rev());
    let count = both.take(MAX_TOKENS_MATCHED).take_while(|(read, written)| read == written).count();
    if count == before.len() && count == written.len() { MAX_TOKENS_MATCHED } else { count }
}

fn softmax(scores: &mut [f32]) {
    let greatest = greatest(scores);
    let share = 1.0 / exp_all(scores, greatest);
    for score in scores {
        *score *= share;
    }
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
    const MIN_PROBABILITY: f32 = 1e-30;
    softmax(logits);
    let remembered = gate * logits[usize::from(token)];
    let read = source.iter().zip(shares).filter(|(read, _)| **read == token);
    let copied: f32 = read.map(|(_, share)| share).sum();
    let likely = (remembered + (1.0 - gate) * copied).max(MIN_PROBABILITY);
    let part = weight * remembered / likely;
    for value in logits.iter_mut() {
        *value *= part;
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_what_was_written_is_compared() {
        assert_eq!(matched(&[1, 2, 3, 4, 5], &[9, 4, 5]), 2);
        assert_eq!(matched(&[1, 2, 3, 4, 5], &[2, 3, 4, 5]), MAX_TOKENS_MATCHED);
        assert_eq!(matched(&[1, 2], &[2, 1]), 0);
    }

    #[test]
    fn both_beginnings_match() {
        assert_eq!(matched(&[], &[]), MAX_TOKENS_MATCHED);
        assert_eq!(matched(&[7], &[7]), MAX_TOKENS_MATCHED);
        assert_eq!((matched(&[], &[7]), matched(&[7], &[]), matched(&[7], &[8, 7])), (0, 0, 1));
    }
}
