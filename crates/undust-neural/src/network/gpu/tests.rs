//! On a GPU where there is one. Elsewhere a note is printed, and nothing is tested.

use super::Gpu;
use crate::network::random::Random;
use crate::network::{Allowed, Decoder, Network, Optimizer, Pair, Shape, Token, Training, loss, train};

const TRAINING: Training = Training {
    optimizer: Optimizer::Adam { rate: 5e-3, decay_per_epoch: 0.9 },
    batch: 20,
    epochs: 30,
    clip: 1.0,
    seed: 7,
};

/// The GPU of tests that are only run where there is one: `cargo test -p undust-neural --features gpu -- --include-ignored`.
fn gpu() -> Gpu {
    Gpu::open().expect("a GPU")
}

fn network(shape: Shape) -> Network {
    let mut network = Network::new(shape, 2);
    // Biases begin at 0; elsewhere their gradients say more.
    let mut random = Random::new(3);
    network.parameters_mut().iter_mut().for_each(|value| *value += random.within(0.1));
    network
}

/// Of different lengths and weights, some empty.
fn pairs(count: usize, vocabulary: usize) -> Vec<Pair> {
    let mut random = Random::new(1);
    let mut sequence = |length: usize| -> Vec<Token> {
        (0..length).map(|_| 1 + random.below(vocabulary - 1) as Token).collect()
    };
    let pair = |place: usize| Pair {
        source: sequence(place * 5 % 14),
        target: sequence(place * 3 % 11),
        weight: [1.0, 2.5, 0.5][place % 3],
    };
    (0..count).map(pair).collect()
}

/// What is below 6 is kept, the rest is dropped.
fn task(count: usize) -> Vec<Pair> {
    let mut random = Random::new(9);
    let mut pair = |place: usize| {
        let source: Vec<Token> = (0..=place % 4).map(|_| 1 + random.below(11) as Token).collect();
        let target = source.iter().copied().filter(|&token| token < 6).collect();
        Pair { source, target, weight: 1.0 }
    };
    (0..count).map(&mut pair).collect()
}

fn right(network: &Network, pairs: &[Pair]) -> f32 {
    let allowed = Allowed { tokens: vec![true; network.shape().vocabulary], copied: 0..0 };
    let sources: Vec<&[Token]> = pairs.iter().map(|pair| &pair.source[..]).collect();
    let translations = Decoder::new(network, allowed).translate(&sources);
    let right = translations.iter().zip(pairs).filter(|(found, pair)| found.tokens == pair.target);
    right.count() as f32 / pairs.len() as f32
}

#[test]
fn a_gpu_opens_or_says_what_is_missing() {
    if let Err(reason) = Gpu::open() {
        assert!(reason.contains("GPU"), "{reason}");
    }
}

/// Of odd sizes, too; at 780 some blocks have more to do than others.
#[test]
#[ignore = "needs an NVIDIA GPU"]
fn gradients_are_those_of_the_cpu() {
    let gpu = gpu();
    for (vocabulary, hidden, count) in [(335, 512, 20), (11, 12, 9), (300, 128, 70), (40, 780, 5), (9, 4, 1)]
    {
        let network = network(Shape { vocabulary, hidden, copies: false });
        let pairs = pairs(count, vocabulary);
        let apart = gpu.difference(&network, &pairs).expect("the GPU works");
        assert!(apart < 1e-5, "hidden {hidden}, {count} pairs: {apart}");
        let (found, _) = gpu.gradient(&network, &pairs).expect("the GPU works");
        let wanted = loss(&network, &pairs);
        assert!((found - wanted).abs() < 1e-5 * wanted, "hidden {hidden}: a loss of {found}, not {wanted}");
    }
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn pairs_without_weight_or_tokens_do_no_harm() {
    let gpu = gpu();
    let network = network(Shape { vocabulary: 9, hidden: 8, copies: false });
    let empty = Pair { source: vec![], target: vec![], weight: 1.0 };
    let light = Pair { source: vec![1], target: vec![2], weight: 0.0 };
    for batch in [vec![empty.clone()], vec![light.clone()], vec![empty, light], vec![]] {
        let (loss, gradient) = gpu.gradient(&network, &batch).expect("the GPU works");
        assert!(loss.is_finite() && gradient.iter().all(|value| value.is_finite()));
        assert!(gpu.difference(&network, &batch).expect("the GPU works") < 1e-5);
    }
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn a_small_task_is_learned_to_the_last_pair() {
    let gpu = gpu();
    let pairs = task(2000);
    let (unseen, seen) = pairs.split_at(100);
    let mut network = Network::new(Shape { vocabulary: 12, hidden: 32, copies: false }, 1);
    let judge = &mut |network: &Network, _, _| -loss(network, unseen);
    gpu.train(&mut network, seen, &TRAINING, judge).expect("the GPU works");
    assert!(right(&network, unseen) >= 0.98, "{}", right(&network, unseen));
    assert!(right(&network, seen) >= 1.0, "{}", right(&network, seen));
}

/// A few steps only: later, the smallest difference would have grown.
#[test]
#[ignore = "needs an NVIDIA GPU"]
fn a_step_is_as_on_the_cpu() {
    let gpu = gpu();
    let pairs = task(100);
    let sgd = Optimizer::Sgd { rate: 0.5, decay_per_epoch: 0.8 };
    for training in [TRAINING, Training { optimizer: sgd, clip: 0.1, ..TRAINING }] {
        let training = Training { epochs: 2, ..training };
        let [mut here, mut there] =
            [(); 2].map(|()| Network::new(Shape { vocabulary: 12, hidden: 32, copies: false }, 1));
        let (mut losses_here, mut losses_there) = (vec![], vec![]);
        train(&mut here, &pairs, &training, &mut |_, epoch, loss| {
            losses_here.push(loss);
            epoch as f32
        });
        let judge = &mut |_: &Network, epoch: usize, loss| {
            losses_there.push(loss);
            epoch as f32
        };
        gpu.train(&mut there, &pairs, &training, judge).expect("the GPU works");
        let close = |(one, other): (&f32, &f32)| (one - other).abs() < 1e-4;
        assert!(losses_here.iter().zip(&losses_there).all(close), "{losses_here:?} {losses_there:?}");
        assert!(here.parameters().iter().zip(there.parameters()).all(close));
    }
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn the_seed_decides_on_every_bit() {
    let gpu = gpu();
    let pairs = pairs(100, 50);
    let trained = |seed| {
        let mut network = Network::new(Shape { vocabulary: 50, hidden: 160, copies: false }, 1);
        let training = Training { epochs: 3, seed, ..TRAINING };
        gpu.train(&mut network, &pairs, &training, &mut |_, epoch, _| epoch as f32).expect("the GPU works");
        network.parameters().iter().map(|value| value.to_bits()).collect::<Vec<_>>()
    };
    assert!(trained(1) == trained(1));
    assert!(trained(1) != trained(2));
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn the_best_epoch_is_kept() {
    let gpu = gpu();
    let mut network = Network::new(Shape { vocabulary: 12, hidden: 32, copies: false }, 1);
    let mut second = None;
    let judge = &mut |network: &Network, epoch: usize, _| {
        if epoch == 1 {
            second = Some(network.clone());
        }
        [0.1, 0.9, f32::NAN, 0.9][epoch]
    };
    gpu.train(&mut network, &task(60), &Training { epochs: 4, ..TRAINING }, judge).expect("the GPU works");
    assert_eq!(second, Some(network));
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn a_state_that_does_not_fit_is_an_error() {
    let gpu = gpu();
    for (hidden, reason) in [(13, "a multiple of 4"), (3200, "too large")] {
        let network = Network::new(Shape { vocabulary: 12, hidden, copies: false }, 1);
        let error = gpu.gradient(&network, &[]).expect_err("it does not fit");
        assert!(error.contains(reason), "{error}");
    }
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn an_unknown_token_is_an_error() {
    let gpu = gpu();
    let mut network = Network::new(Shape { vocabulary: 12, hidden: 32, copies: false }, 1);
    let pairs = [Pair { source: vec![12], target: vec![], weight: 1.0 }];
    let error = gpu.train(&mut network, &pairs, &TRAINING, &mut |_, _, _| 0.0).expect_err("12 is unknown");
    assert_eq!(error, "the token 12 is not one of the network's 12");
}
