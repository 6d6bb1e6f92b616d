//! Learning from pairs.

use std::convert::Infallible;

use super::Pair;
use super::gradient::{Loss, Worker};
use super::layout::Network;
use super::optimize::{Optimizer, Progress};
use super::random::Random;

/// How to learn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Training {
    /// How parameters follow the gradient.
    pub optimizer: Optimizer,
    /// How many pairs a step looks at.
    pub batch: usize,
    /// How often all pairs are looked at.
    pub epochs: usize,
    /// A gradient longer than this is shortened to it.
    pub clip: f32,
    /// Decides on the order of the pairs.
    pub seed: u64,
}

/// Learns from the pairs, each of which is looked at once an epoch.
///
/// After each epoch `judge` is asked how good the network is, given the epoch (the first is 0) and the mean loss in it. The network is
/// left as it was after the best one, the earliest where several are as good.
///
/// # Panics
///
/// When a batch holds no pairs, or a pair a token that the network does not know.
pub fn train(
    network: &mut Network,
    pairs: &[Pair],
    training: &Training,
    judge: &mut dyn FnMut(&Network, usize, f32) -> f32,
) {
    let mut student = OnCpu::new(network, training);
    let Ok(()) = epochs(&mut student, network, pairs, training, judge);
}

/// What learns from one batch after another. The network it is shown is always the same.
pub(super) trait Student {
    /// Why it could not go on.
    type Error;

    /// One step.
    fn step(&mut self, network: &mut Network, epoch: usize, batch: &[&Pair]) -> Result<(), Self::Error>;

    /// The loss in all steps since it was asked last. Now, if not before, `network` must be what it has learned.
    fn report(&mut self, network: &mut Network) -> Result<Loss, Self::Error>;
}

/// What [`train`] says, whoever learns.
pub(super) fn epochs<S: Student>(
    student: &mut S,
    network: &mut Network,
    pairs: &[Pair],
    training: &Training,
    judge: &mut dyn FnMut(&Network, usize, f32) -> f32,
) -> Result<(), S::Error> {
    let mut order: Vec<&Pair> = pairs.iter().collect();
    let mut random = Random::new(training.seed);
    let mut best = f32::NEG_INFINITY;
    let mut kept = network.parameters().to_vec();
    for epoch in 0..training.epochs {
        random.shuffle(&mut order);
        for batch in order.chunks(training.batch) {
            student.step(network, epoch, batch)?;
        }
        let loss = student.report(network)?;
        let score = judge(network, epoch, loss.mean());
        if score > best {
            best = score;
            kept.copy_from_slice(network.parameters());
        }
    }
    network.parameters_mut().copy_from_slice(&kept);
    Ok(())
}

/// Learns where the network is.
struct OnCpu {
    worker: Worker,
    progress: Progress,
    clip: f32,
    gradient: Vec<f32>,
    loss: Loss,
}

impl OnCpu {
    fn new(network: &Network, training: &Training) -> OnCpu {
        let parameters = network.parameters().len();
        OnCpu {
            worker: Worker::default(),
            progress: Progress::new(training.optimizer, parameters),
            clip: training.clip,
            gradient: vec![0.0; parameters],
            loss: Loss::default(),
        }
    }
}

impl Student for OnCpu {
    type Error = Infallible;

    fn step(&mut self, network: &mut Network, epoch: usize, batch: &[&Pair]) -> Result<(), Infallible> {
        self.loss.add(self.worker.gradient(network, batch, &mut self.gradient));
        self.progress.step(epoch, self.clip, &self.gradient, network.parameters_mut());
        Ok(())
    }

    fn report(&mut self, _: &mut Network) -> Result<Loss, Infallible> {
        Ok(std::mem::take(&mut self.loss))
    }
}

/// The mean loss of a token (cross entropy), weighted as the pairs are; 0 where there is nothing to lose.
pub fn loss(network: &Network, pairs: &[Pair]) -> f32 {
    /// Larger products are no faster.
    const BATCH: usize = 128;
    let mut worker = Worker::default();
    let mut sum = Loss::default();
    let pairs: Vec<&Pair> = pairs.iter().collect();
    pairs.chunks(BATCH).for_each(|batch| sum.add(worker.loss(network, batch)));
    sum.mean()
}

#[cfg(test)]
mod tests {
    use super::super::{Allowed, Decoder, Shape, Token};
    use super::*;

    const SHAPE: Shape = Shape { vocabulary: 12, hidden: 32, copies: false };
    const TRAINING: Training = Training {
        optimizer: Optimizer::Adam { rate: 5e-3, decay_per_epoch: 0.9 },
        batch: 20,
        epochs: 30,
        clip: 1.0,
        seed: 7,
    };

    /// What is below 6 is kept, the rest is dropped.
    fn pairs(count: usize) -> Vec<Pair> {
        let mut random = Random::new(9);
        let mut pair = |place: usize| {
            let length = 1 + place % 4;
            let source: Vec<Token> = (0..length).map(|_| 1 + random.below(11) as Token).collect();
            let target = source.iter().copied().filter(|&token| token < 6).collect();
            Pair { source, target, weight: 1.0 }
        };
        (0..count).map(&mut pair).collect()
    }

    fn right(network: &Network, pairs: &[Pair]) -> f32 {
        let allowed = Allowed { tokens: vec![true; SHAPE.vocabulary], copied: 0..0 };
        let decoder = Decoder::new(network, allowed);
        let sources: Vec<&[Token]> = pairs.iter().map(|pair| &pair.source[..]).collect();
        let translations = decoder.translate(&sources);
        let right = translations.iter().zip(pairs).filter(|(found, pair)| found.tokens == pair.target);
        right.count() as f32 / pairs.len() as f32
    }

    #[test]
    fn a_small_task_is_learned() {
        let pairs = pairs(2000);
        let (unseen, seen) = pairs.split_at(100);
        let mut network = Network::new(SHAPE, 1);
        let before = loss(&network, unseen);
        train(&mut network, seen, &TRAINING, &mut |network, _, _| -loss(network, unseen));
        assert!(loss(&network, unseen) < 0.1 * before);
        assert!(right(&network, unseen) >= 0.98, "{}", right(&network, unseen));
        assert!(right(&network, seen) >= 1.0, "{}", right(&network, seen));
    }

    /// One token is dropped, all others are kept, also those that no pair to learn from holds.
    #[test]
    fn copying_is_learned_from_few() {
        let drop_one = |pair: Pair| Pair {
            target: pair.source.iter().copied().filter(|&token| token != 6).collect(),
            ..pair
        };
        let is_foreign = |token: &Token| (4..6).contains(token);
        let (unseen, mut seen): (Vec<Pair>, Vec<Pair>) =
            pairs(400).into_iter().map(drop_one).partition(|pair| pair.source.iter().any(is_foreign));
        seen.truncate(60);
        let learned = |copies| {
            let mut network = Network::new(Shape { copies, ..SHAPE }, 1);
            train(&mut network, &seen, &TRAINING, &mut |_, epoch, _| epoch as f32);
            right(&network, &unseen)
        };
        let (plain, copies) = (learned(false), learned(true));
        assert!(plain < 0.3 && copies > 0.7, "{plain} {copies}");
    }

    #[test]
    fn the_seed_decides_on_every_bit() {
        let pairs = pairs(100);
        let trained = |seed| {
            let mut network = Network::new(SHAPE, 1);
            train(&mut network, &pairs, &Training { epochs: 2, seed, ..TRAINING }, &mut |_, epoch, _| {
                epoch as f32
            });
            network.parameters().iter().map(|value| value.to_bits()).collect::<Vec<_>>()
        };
        assert_eq!(trained(1), trained(1));
        assert_ne!(trained(1), trained(2));
    }

    #[test]
    fn the_best_epoch_is_kept() {
        let pairs = pairs(60);
        let mut network = Network::new(SHAPE, 1);
        let mut second = None;
        let training = Training { epochs: 4, ..TRAINING };
        train(&mut network, &pairs, &training, &mut |network, epoch, _| {
            if epoch == 1 {
                second = Some(network.clone());
            }
            [0.1, 0.9, f32::NAN, 0.9][epoch]
        });
        assert_eq!(second, Some(network));
    }

    #[test]
    fn nothing_to_learn_changes_nothing() {
        let mut network = Network::new(SHAPE, 1);
        train(&mut network, &[], &TRAINING, &mut |_, _, _| 0.0);
        assert_eq!(network, Network::new(SHAPE, 1));
        assert!(loss(&network, &[]).abs() < 1e-9);
    }
}
