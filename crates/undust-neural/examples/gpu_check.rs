//! Is there a GPU, does it work out what a CPU does, and how much faster? Prints what it finds.
//!
//! `uniform` as in the bench of the network: random tokens, a fifth of which the target drops.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "an example prints and looks at the clock"
)]

use std::hint::black_box;
use std::process::ExitCode;
use std::time::Instant;

use undust_neural::network::gpu::Gpu;
use undust_neural::network::{Network, Optimizer, Pair, Shape, Token, Training, train};

const VOCABULARY: usize = 335;
const LENGTH: usize = 12;
const ADAM: Optimizer = Optimizer::Adam { rate: 1e-3, decay_per_epoch: 1.0 };
const SGD: Optimizer = Optimizer::Sgd { rate: 0.5, decay_per_epoch: 1.0 };

fn main() -> ExitCode {
    match check() {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("{reason}");
            ExitCode::FAILURE
        }
    }
}

fn check() -> Result<(), String> {
    let clock = Instant::now();
    let gpu = Gpu::open()?;
    println!("{}, opened in {:.2} s", gpu.name(), clock.elapsed().as_secs_f64());
    for (hidden, count) in [(512, 20), (128, 256), (76, 9)] {
        let network = Network::new(Shape { vocabulary: VOCABULARY, hidden, copies: false }, 1);
        let apart = gpu.difference(&network, &ragged(count))?;
        println!("gradient, hidden {hidden:3}, {count:3} pairs: {apart:.1e} from the CPU's");
    }
    let pairs = uniform(51_200);
    for hidden in [128, 256, 512] {
        for batch in [20, 64, 256] {
            let rate = on_gpu(&gpu, &pairs[..(400 * batch).min(pairs.len())], hidden, batch, ADAM)?;
            println!("GPU, hidden {hidden}, batch {batch:3}, Adam: {rate:8.0} pairs/s");
        }
    }
    let rate = on_gpu(&gpu, &pairs[..8000], 512, 20, SGD)?;
    println!("GPU, hidden 512, batch  20, SGD:  {rate:8.0} pairs/s");
    site(&gpu, &pairs[..5000])?;
    for (hidden, batch) in [(128, 20), (256, 20), (512, 20), (512, 64)] {
        let rate = on_cpu(&pairs[..1000 * 128 / hidden], hidden, batch);
        println!("CPU, hidden {hidden}, batch {batch:3}, Adam: {rate:8.0} pairs/s");
    }
    Ok(())
}

/// A whole training in the paper's setting.
fn site(gpu: &Gpu, pairs: &[Pair]) -> Result<(), String> {
    let mut network = Network::new(Shape { vocabulary: VOCABULARY, hidden: 512, copies: false }, 1);
    let mut losses = Vec::new();
    let clock = Instant::now();
    gpu.train(&mut network, pairs, &training(20, 10, ADAM), &mut |_, epoch, loss| {
        losses.push(loss);
        epoch as f32
    })?;
    let time = clock.elapsed().as_secs_f64();
    println!(
        "GPU, {} pairs x 10 epochs, hidden 512, batch 20: {time:.2} s, losses {losses:.3?}",
        pairs.len()
    );
    Ok(())
}

/// The best of three epochs, after one to warm up.
fn on_gpu(
    gpu: &Gpu,
    pairs: &[Pair],
    hidden: usize,
    batch: usize,
    optimizer: Optimizer,
) -> Result<f64, String> {
    let mut network = Network::new(Shape { vocabulary: VOCABULARY, hidden, copies: false }, 1);
    let (mut best, mut clock) = (f64::INFINITY, Instant::now());
    gpu.train(&mut network, pairs, &training(batch, 4, optimizer), &mut |_, epoch, loss| {
        if epoch > 0 {
            best = best.min(clock.elapsed().as_secs_f64());
        }
        clock = Instant::now();
        black_box(loss)
    })?;
    Ok(pairs.len() as f64 / best)
}

fn on_cpu(pairs: &[Pair], hidden: usize, batch: usize) -> f64 {
    let mut network = Network::new(Shape { vocabulary: VOCABULARY, hidden, copies: false }, 1);
    let clock = Instant::now();
    train(&mut network, pairs, &training(batch, 2, ADAM), &mut |_, _, loss| black_box(loss));
    2.0 * pairs.len() as f64 / clock.elapsed().as_secs_f64()
}

fn training(batch: usize, epochs: usize, optimizer: Optimizer) -> Training {
    Training { optimizer, batch, epochs, clip: 1.0, seed: 1 }
}

fn uniform(count: usize) -> Vec<Pair> {
    let mut random = Random(1);
    (0..count).map(|_| pair_of(&mut random, LENGTH)).collect()
}

/// Of all lengths from 0 on.
fn ragged(count: usize) -> Vec<Pair> {
    let mut random = Random(2);
    (0..count).map(|place| pair_of(&mut random, place % 15)).collect()
}

fn pair_of(random: &mut Random, length: usize) -> Pair {
    let source: Vec<Token> = (0..length).map(|_| 1 + random.below(VOCABULARY - 1) as Token).collect();
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
