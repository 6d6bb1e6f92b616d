//! The loss on a batch, and which way each parameter would lower it.

use super::copying::{self, Copier, Look, Slopes, Writing};
use super::curves::{add, exp_all, greatest};
use super::gru::{Run, Unit};
use super::layout::{Copying, Network};
use super::matrix::{Matrix, Old, multiply};
use super::memory::{Directions, Memory, positions};
use super::steps::Steps;
use super::{END, Pair, Token};

/// Losses of tokens, weighted, and the weights' sum.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Loss {
    pub(super) sum: f64,
    pub(super) weight: f64,
}

impl Loss {
    pub(super) fn add(&mut self, other: Loss) {
        self.sum += other.sum;
        self.weight += other.weight;
    }

    /// 0 where nothing has weight.
    pub(super) fn mean(self) -> f32 {
        if self.weight > 0.0 { (self.sum / self.weight) as f32 } else { 0.0 }
    }
}

/// Works out batch after batch, in the same room.
#[derive(Default)]
pub(super) struct Worker {
    encoder: Run,
    decoder: Run,
    /// The states of the encoder's rows, and of the decoder's; on the way back, their gradients.
    read: Vec<f32>,
    written: Vec<f32>,
    /// For each position of the decoder, a number for each token; later their gradients.
    logits: Vec<f32>,
    /// For each position of the decoder, the gradient of its state.
    states: Vec<f32>,
    /// Of a network that copies: what it read, what it looks at, and the gradients.
    memory: Memory,
    look: Look,
    slopes: Slopes,
    /// For each position of the decoder, the gradient of its gate's number.
    gates: Vec<f32>,
}

/// A batch as its units read it.
pub(super) struct Batch<'p> {
    pairs: &'p [&'p Pair],
    pub(super) sources: Sources,
    pub(super) targets: Steps,
    /// For each position of the targets, the token that should be written, and how much it counts. The weights add up to one.
    pub(super) wanted: Vec<(Token, f32)>,
    pub(super) weight: f64,
}

/// The sources of a batch, in the directions in which they are read.
pub(super) enum Sources {
    Forward(Steps),
    Both(Directions),
}

impl Sources {
    fn order(&self) -> &[usize] {
        match self {
            Sources::Forward(steps) => &steps.order,
            Sources::Both(directions) => &directions.forward.order,
        }
    }
}

impl Worker {
    /// The loss on a batch.
    pub(super) fn loss(&mut self, network: &Network, pairs: &[&Pair]) -> Loss {
        let batch = Batch::new(pairs, network.shape().copies);
        self.forward(network, &batch)
    }

    /// The loss on a batch; the gradient of its mean is written to `gradient`, which has a place for each parameter.
    pub(super) fn gradient(&mut self, network: &Network, pairs: &[&Pair], gradient: &mut [f32]) -> Loss {
        let batch = Batch::new(pairs, network.shape().copies);
        let loss = self.forward(network, &batch);
        self.backward(network, &batch, gradient);
        loss
    }

    fn forward(&mut self, network: &Network, batch: &Batch) -> Loss {
        let layout = network.layout();
        self.read(network, batch);
        move_rows(batch.sources.order(), &self.read, &batch.targets.order, &mut self.written);
        self.decoder.forward(&Unit::new(network, &layout.decoder), &batch.targets, &mut self.written);
        let sum = match &layout.copying {
            None => self.losses(network, batch),
            Some(copying) => self.losses_of_copies(network, copying, batch),
        };
        Loss { sum: sum * batch.weight, weight: batch.weight }
    }

    fn read(&mut self, network: &Network, batch: &Batch) {
        let layout = network.layout();
        match (&batch.sources, &layout.copying) {
            (Sources::Both(directions), Some(copying)) => {
                let sources: Vec<&[Token]> = batch.pairs.iter().map(|pair| &pair.source[..]).collect();
                self.memory.read(network, copying, &sources, directions, &mut self.read);
            }
            (Sources::Forward(steps), _) => {
                self.read.clear();
                self.read.resize(steps.rows() * network.shape().hidden, 0.0);
                self.encoder.forward(&Unit::new(network, &layout.encoder), steps, &mut self.read);
            }
            _ => {}
        }
    }

    fn losses(&mut self, network: &Network, batch: &Batch) -> f64 {
        logits(network, &self.decoder.after, &mut self.logits);
        let rows = self.logits.chunks_exact_mut(network.shape().vocabulary);
        rows.zip(&batch.wanted).map(|(row, &(token, weight))| cross_entropy(row, token, weight)).sum()
    }

    fn losses_of_copies(&mut self, network: &Network, copying: &Copying, batch: &Batch) -> f64 {
        let hidden = network.shape().hidden;
        let copier = Copier::new(network, copying);
        let rows = positions(&batch.targets).map(|at| (at.which, &batch.pairs[at.which].target[..at.step]));
        copier.look(&self.memory, &self.decoder.after, rows, &mut self.look);
        logits(network, &self.look.mixed, &mut self.logits);
        self.slopes.scores.clear();
        self.gates.clear();
        let mut sum = 0.0;
        let rows = self.logits.chunks_exact_mut(network.shape().vocabulary);
        for ((at, row), &wanted) in positions(&batch.targets).zip(rows).zip(&batch.wanted) {
            let gate = copier.gate(&self.look.mixed[at.position * hidden..][..hidden]);
            let source = &self.memory.tokens[self.memory.spots(at.which)];
            let shares = self.look.shares_of(at.position);
            let scores = &mut self.slopes.scores;
            let (loss, slope) = copying::cross_entropy(row, shares, source, gate, wanted, scores);
            self.gates.push(slope);
            sum += loss;
        }
        sum
    }

    fn backward(&mut self, network: &Network, batch: &Batch, gradient: &mut [f32]) {
        let layout = network.layout();
        let (hidden, vocabulary) = (network.shape().hidden, network.shape().vocabulary);
        gradient[layout.embedding.range.clone()].fill(0.0);
        let logits = Matrix::new(&self.logits, vocabulary);
        let shown = if layout.copying.is_some() { &self.look.mixed } else { &self.decoder.after };
        let shown = Matrix::new(shown, hidden).transposed();
        multiply(shown, logits, Old::Forget, &mut gradient[layout.output.range.clone()]);
        let bias = &mut gradient[layout.output_bias.range.clone()];
        bias.fill(0.0);
        self.logits.chunks_exact(vocabulary).for_each(|row| add(bias, row));

        self.states.resize(self.decoder.after.len(), 0.0);
        let output = Matrix::new(network.values(&layout.output), vocabulary).transposed();
        multiply(logits, output, Old::Forget, &mut self.states);
        if let Some(copying) = &layout.copying {
            self.back_through_copies(network, copying, batch, gradient);
        }
        let flow = &mut self.written;
        flow.fill(0.0);
        self.decoder.backward(network, &layout.decoder, &batch.targets, Some(&self.states), flow, gradient);
        move_rows(&batch.targets.order, flow, batch.sources.order(), &mut self.read);
        match (&batch.sources, &layout.copying) {
            (Sources::Both(directions), Some(copying)) => {
                let spots = &mut self.slopes.spots;
                self.memory.backward(network, copying, directions, &mut self.read, spots, gradient);
            }
            (Sources::Forward(steps), _) => {
                self.encoder.backward(network, &layout.encoder, steps, None, &mut self.read, gradient);
            }
            _ => {}
        }
    }

    /// From the gradient of what states were mixed to, to that of the states.
    fn back_through_copies(
        &mut self,
        network: &Network,
        copying: &Copying,
        batch: &Batch,
        gradient: &mut [f32],
    ) {
        let Worker { memory, look, slopes, gates, states, decoder, .. } = self;
        let copier = Copier::new(network, copying);
        slopes.mixed.clone_from(states);
        copier.back_through_gates(gates, look, slopes, gradient);
        copier.back_through_mixing(&decoder.after, look, slopes, gradient);
        let translations: Vec<&[Token]> = batch.pairs.iter().map(|pair| &pair.target[..]).collect();
        let writing = Writing { steps: &batch.targets, translations: &translations, states: &decoder.after };
        copier.back_through_looking(memory, &writing, look, slopes, gradient);
        states.copy_from_slice(&slopes.states);
    }
}

impl<'p> Batch<'p> {
    /// Sources are read in both directions for a network that copies.
    pub(super) fn new(pairs: &'p [&'p Pair], copies: bool) -> Batch<'p> {
        let sources: Vec<&[Token]> = pairs.iter().map(|pair| &pair.source[..]).collect();
        let targets: Vec<&[Token]> = pairs.iter().map(|pair| &pair.target[..]).collect();
        let sources = if copies {
            Sources::Both(Directions::new(&sources))
        } else {
            Sources::Forward(Steps::new(&sources, None))
        };
        let targets = Steps::new(&targets, Some(END));
        let weights = pairs.iter().map(|pair| f64::from(pair.weight) * (pair.target.len() + 1) as f64);
        let weight: f64 = weights.sum();
        let share = if weight > 0.0 { 1.0 / weight } else { 0.0 };
        let mut wanted = Vec::with_capacity(targets.positions());
        for (step, positions) in targets.each().enumerate() {
            wanted.extend(targets.order[..positions.len()].iter().map(|&row| {
                let token = pairs[row].target.get(step).copied().unwrap_or(END);
                (token, (f64::from(pairs[row].weight) * share) as f32)
            }));
        }
        Batch { pairs, sources, targets, wanted, weight }
    }
}

/// A number for each token and each state.
pub(super) fn logits(network: &Network, states: &[f32], into: &mut Vec<f32>) {
    let (layout, shape) = (network.layout(), network.shape());
    let bias = network.values(&layout.output_bias);
    into.clear();
    for _ in 0..states.len() / shape.hidden {
        into.extend_from_slice(bias);
    }
    let output = Matrix::new(network.values(&layout.output), shape.vocabulary);
    multiply(Matrix::new(states, shape.hidden), output, Old::Add, into);
}

/// The weighted loss where `token` is wanted. The logits become their gradients.
fn cross_entropy(logits: &mut [f32], token: Token, weight: f32) -> f64 {
    let token = usize::from(token);
    let greatest = greatest(logits);
    let below = greatest - logits[token];
    let sum = exp_all(logits, greatest);
    let share = weight / sum;
    for value in logits.iter_mut() {
        *value *= share;
    }
    logits[token] -= weight;
    f64::from(weight) * f64::from(below + sum.ln())
}

/// Rows of a batch in one order into rows in another; an order says which of the batch each row is.
pub(super) fn move_rows(from_order: &[usize], from: &[f32], to_order: &[usize], to: &mut Vec<f32>) {
    let columns = from.len() / from_order.len().max(1);
    let mut row_of = vec![0; from_order.len()];
    for (row, &which) in from_order.iter().enumerate() {
        row_of[which] = row;
    }
    to.clear();
    for &which in to_order {
        to.extend_from_slice(&from[row_of[which] * columns..][..columns]);
    }
}

#[cfg(test)]
mod tests {
    use super::super::Shape;
    use super::super::random::Random;
    use super::*;

    fn pairs(random: &mut Random, count: usize, vocabulary: usize) -> Vec<Pair> {
        let mut sequence = |length: usize| -> Vec<Token> {
            (0..length).map(|_| 1 + random.below(vocabulary - 1) as Token).collect()
        };
        let weight = |place: usize| [1.0, 2.5, 0.5][place % 3];
        let pair = |place| Pair {
            source: sequence(place % 5),
            target: sequence(place * 3 % 7),
            weight: weight(place),
        };
        (0..count).map(pair).collect()
    }

    /// The gradient against the loss itself, a little to each side.
    #[test]
    fn gradients_are_differences_of_the_loss() {
        [false, true].into_iter().for_each(differences);
    }

    fn differences(copies: bool) {
        const STEP: f32 = 3e-3;
        let mut random = Random::new(1);
        let pairs = pairs(&mut random, 9, 11);
        let batch: Vec<&Pair> = pairs.iter().collect();
        let mut network = Network::new(Shape { vocabulary: 11, hidden: 12, copies }, 2);
        // Biases begin at 0; elsewhere their gradients say more.
        network.parameters_mut().iter_mut().for_each(|value| *value += random.within(0.1));
        let (mut worker, mut steepest) = (Worker::default(), 0.0_f32);
        let mut gradient = vec![f32::NAN; network.parameters().len()];
        worker.gradient(&network, &batch, &mut gradient);
        let tensors: Vec<_> = network.layout().tensors().into_iter().cloned().collect();
        for tensor in tensors {
            for _ in 0..40 {
                let place = tensor.range.start + random.below(tensor.range.len());
                let old = network.parameters()[place];
                let mut loss = |value| {
                    network.parameters_mut()[place] = value;
                    let loss = worker.loss(&network, &batch);
                    loss.sum / loss.weight
                };
                let slope = ((loss(old + STEP) - loss(old - STEP)) / f64::from(2.0 * STEP)) as f32;
                network.parameters_mut()[place] = old;
                let (name, found) = (tensor.name, gradient[place]);
                // The loss is rounded to seven digits: a slope is known to four places.
                let apart = (slope - found).abs() / found.abs().max(0.02);
                assert!(apart < 2e-3, "{name} {place}: {found} should be {slope}");
                steepest = steepest.max(found.abs());
            }
        }
        assert!(steepest > 0.1, "{steepest}");
    }

    #[test]
    fn a_pair_twice_counts_as_one_of_twice_the_weight() {
        [false, true].into_iter().for_each(twice);
    }

    fn twice(copies: bool) {
        let random = &mut Random::new(4);
        let pairs = pairs(random, 3, 9);
        let network = Network::new(Shape { vocabulary: 9, hidden: 8, copies }, 2);
        let twice: Vec<Pair> =
            pairs.iter().map(|pair| Pair { weight: 2.0 * pair.weight, ..pair.clone() }).collect();
        let gradient = |batch: &[&Pair]| {
            let mut gradient = vec![0.0; network.parameters().len()];
            let loss = Worker::default().gradient(&network, batch, &mut gradient);
            gradient.push(loss.mean());
            gradient
        };
        let one = gradient(&[&pairs[0], &pairs[1], &pairs[1], &pairs[2]]);
        let other = gradient(&[&pairs[2], &pairs[0], &twice[1]]);
        assert!(one.iter().zip(&other).all(|(one, other)| (one - other).abs() < 1e-6));
    }

    #[test]
    fn pairs_without_weight_or_tokens_do_no_harm() {
        [false, true].into_iter().for_each(no_harm);
    }

    fn no_harm(copies: bool) {
        let network = Network::new(Shape { vocabulary: 9, hidden: 8, copies }, 2);
        let empty = Pair { source: vec![], target: vec![], weight: 1.0 };
        let light = Pair { source: vec![1], target: vec![2], weight: 0.0 };
        for batch in [&[&empty][..], &[&light], &[&empty, &light], &[]] {
            let mut gradient = vec![f32::NAN; network.parameters().len()];
            let loss = Worker::default().gradient(&network, batch, &mut gradient);
            assert!(loss.mean().is_finite() && gradient.iter().all(|value| value.is_finite()));
        }
    }
}
