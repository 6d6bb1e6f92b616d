//! How many pairs does a network learn from in a second, and how many sequences does it translate? One thread; best of a few, in seconds
//! of CPU time where the system tells it (Linux), else of the clock.
//!
//! `uniform`: random tokens, as bad as it can be. `site`: sequences begin alike and tokens come again, as the URLs of a site do.

#![expect(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a bench prints, looks at the clock and at /proc"
)]

use std::hint::black_box;
use std::time::Instant;

use undust_neural::network::{
    Allowed, Decoder, END, Network, Optimizer, Pair, Shape, Token, Training, train,
};

const ROUNDS: usize = 3;
const VOCABULARY: usize = 335;
const LENGTH: usize = 12;

fn main() {
    let kinds = [("uniform", uniform(6000)), ("site", site(6000))];
    println!("{ROUNDS} rounds, the best; vocabulary {VOCABULARY}, sources of {LENGTH} tokens");
    for hidden in [64, 256] {
        let (_, pairs) = &kinds[1];
        let copying = Shape { vocabulary: VOCABULARY, hidden, copies: true };
        let rate = training(&pairs[..600], copying, 20);
        println!("hidden {hidden:3}  site     train copying, batch 20 {rate:8.0} pairs/s");
        let rate = translating(&pairs[..BATCHES * 256], copying, BATCHES * 256);
        println!("hidden {hidden:3}  site     translate copying      {rate:8.0} sequences/s");
    }
    for hidden in [128, 256, 512] {
        let shape = Shape { vocabulary: VOCABULARY, hidden, copies: false };
        let count = 600 * 512 / hidden;
        for (kind, pairs) in &kinds {
            for batch in [20, 64] {
                let rate = training(&pairs[..count], shape, batch);
                println!("hidden {hidden:3}  {kind:8} train, batch {batch:3}      {rate:8.0} pairs/s");
            }
            for (many, count) in [(BATCHES * 256, BATCHES * 256), (1, 100)] {
                let rate = translating(&pairs[..count], shape, many);
                println!("hidden {hidden:3}  {kind:8} translate, {many:4} at once {rate:8.0} sequences/s");
            }
        }
    }
}

/// As many of 256 as are translated in a round.
const BATCHES: usize = 8;

fn training(pairs: &[Pair], shape: Shape, batch: usize) -> f64 {
    let mut network = Network::new(shape, 1);
    let optimizer = Optimizer::Adam { rate: 1e-3, decay_per_epoch: 1.0 };
    let training = Training { optimizer, batch, epochs: 1, clip: 1.0, seed: 1 };
    best(pairs.len(), || {
        train(&mut network, pairs, &training, &mut |_, _, loss| black_box(loss));
    })
}

/// The network has learned nothing: it is kept from ending, and every translation is stopped at the same length. (One that copies
/// gives back what it read, and ends there.)
fn translating(pairs: &[Pair], shape: Shape, at_once: usize) -> f64 {
    let mut network = Network::new(shape, 1);
    let end = network.layout().output_bias.range.start + usize::from(END);
    network.parameters_mut()[end] = -1e3;
    let allowed = Allowed { tokens: vec![true; VOCABULARY], copied: 0..0 };
    let decoder = Decoder::new(&network, allowed).at_most(LENGTH - 1);
    let sources: Vec<&[Token]> = pairs.iter().map(|pair| &pair.source[..]).collect();
    best(sources.len(), || {
        for sources in sources.chunks(at_once) {
            black_box(decoder.translate(sources));
        }
    })
}

/// How many of `count` things a second.
fn best(count: usize, mut work: impl FnMut()) -> f64 {
    let mut run = || {
        let (clock, cpu) = (Instant::now(), cpu_time());
        work();
        let clock = clock.elapsed().as_secs_f64();
        cpu.zip(cpu_time()).map_or(clock, |(before, after)| after - before)
    };
    let time = (0..ROUNDS).map(|_| run()).fold(f64::INFINITY, f64::min);
    count as f64 / time
}

/// The seconds that this thread has worked.
fn cpu_time() -> Option<f64> {
    let times = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds: f64 = times.split_whitespace().next()?.parse().ok()?;
    Some(nanoseconds / 1e9)
}

/// Random tokens, a fifth of which the target drops.
fn uniform(count: usize) -> Vec<Pair> {
    let mut random = Random(1);
    let mut pair = |_| pair_of((0..LENGTH).map(|_| 1 + random.below(VOCABULARY - 1) as Token).collect());
    (0..count).map(&mut pair).collect()
}

/// One of 24 paths, then parameters of which there are 14, each with one of two placeholders.
fn site(count: usize) -> Vec<Pair> {
    let mut random = Random(1);
    let mut pair = |_| {
        let path = random.below(24);
        let mut source: Vec<Token> = [1, 2, 3 + path / 8, 6 + path].map(|token| token as Token).to_vec();
        while source.len() < LENGTH {
            source.push(40 + random.below(14) as Token);
            source.push(60 + random.below(2) as Token);
        }
        pair_of(source)
    };
    (0..count).map(&mut pair).collect()
}

fn pair_of(source: Vec<Token>) -> Pair {
    let target = source.iter().copied().filter(|token| token % 5 != 0).collect();
    Pair { source, target, weight: 1.0 }
}

/// splitmix64, from a seed.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ mixed >> 31) as usize % limit
    }
}
