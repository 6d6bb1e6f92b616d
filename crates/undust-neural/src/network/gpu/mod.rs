//! Training on an NVIDIA GPU.
//!
//! The same network, the same batches and the same arithmetic as on a CPU, in another order of additions: what is learned differs as
//! much as between two kinds of CPU. Parameters stay on the GPU while it trains; a batch's tokens are sent in one piece, and nobody
//! waits before the end of an epoch. The same seed gives the same bits on the same GPU.
//!
//! A batch of a few pairs is too little to fill a GPU, and starting a kernel takes longer than a step: so one kernel runs over all steps
//! of a unit, whose blocks wait for each other after each.
//!
//! The driver, its compiler (NVRTC) and its products of matrices (cuBLAS) are looked for at run time.

#[expect(unsafe_code, reason = "the vendor's libraries are loaded and take pointers")]
mod device;
#[expect(unsafe_code, reason = "kernels take pointers; nothing else here may start one")]
mod launch;
mod plan;
#[cfg(test)]
mod tests;
mod trainer;
mod unit;

use self::device::Device;
use self::trainer::Trainer;
use super::gradient::Worker;
use super::layout::{Layout, Network, Tensor};
use super::train::{Training, epochs};
use super::{Optimizer, Pair};

type Done = Result<(), String>;

/// An NVIDIA GPU.
pub struct Gpu(Device);

impl Gpu {
    /// The first one. The error says what is missing.
    pub fn open() -> Result<Gpu, String> {
        Device::open().map(Gpu)
    }

    /// What it is called.
    pub fn name(&self) -> String {
        self.0.name()
    }

    /// As [`train`](super::train) does on a CPU. On an error, `network` is left as it was after some epoch.
    ///
    /// # Panics
    ///
    /// When a batch holds no pairs.
    pub fn train(
        &self,
        network: &mut Network,
        pairs: &[Pair],
        training: &Training,
        judge: &mut dyn FnMut(&Network, usize, f32) -> f32,
    ) -> Result<(), String> {
        let mut trainer = Trainer::new(&self.0, network, training.optimizer, training.clip)?;
        epochs(&mut trainer, network, pairs, training, judge)
    }

    /// The mean loss on the pairs as one batch, and which way each parameter would raise it.
    pub fn gradient(&self, network: &Network, pairs: &[Pair]) -> Result<(f32, Vec<f32>), String> {
        let optimizer = Optimizer::Sgd { rate: 0.0, decay_per_epoch: 1.0 };
        Trainer::new(&self.0, network, optimizer, 1.0)?.gradient_of(&pairs.iter().collect::<Vec<_>>())
    }

    /// How far the GPU's gradient is from the CPU's: the length of the difference as a share of the gradient's, in the tensor where it is
    /// greatest.
    pub fn difference(&self, network: &Network, pairs: &[Pair]) -> Result<f32, String> {
        let (_, found) = self.gradient(network, pairs)?;
        let mut wanted = vec![0.0; found.len()];
        Worker::default().gradient(network, &pairs.iter().collect::<Vec<_>>(), &mut wanted);
        let share = |tensor: &Tensor| {
            let (found, wanted) = (&found[tensor.range.clone()], &wanted[tensor.range.clone()]);
            let apart = length(found.iter().zip(wanted).map(|(found, wanted)| found - wanted));
            if apart == 0.0 { 0.0 } else { apart / length(wanted.iter().copied()) }
        };
        // What is no number at all is as far away as can be.
        let shares = network.layout().tensors().into_iter().map(share);
        let shares = shares.map(|share| if share.is_nan() { f64::INFINITY } else { share });
        Ok(shares.fold(0.0, f64::max) as f32)
    }
}

fn length(values: impl Iterator<Item = f32>) -> f64 {
    values.map(|value| f64::from(value) * f64::from(value)).sum::<f64>().sqrt()
}

/// Whether the network is one that the kernels know.
fn supported(layout: &Layout) -> Done {
    if layout.shape.copies {
        return Err(plan::PLAIN_ONLY.to_owned());
    }
    // The kernels count in 32 bits with a sign.
    let parameters = layout.parameters();
    if parameters > 1 << 30 {
        return Err(format!("a network of {parameters} parameters is too large for a GPU"));
    }
    Ok(())
}
