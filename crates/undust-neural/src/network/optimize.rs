//! From a gradient to better parameters.

use super::curves::squares;

/// How parameters follow the gradient.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Optimizer {
    /// Each parameter at its own pace (Kingma and Ba 2015): about half the epochs of [`Sgd`](Optimizer::Sgd).
    Adam {
        /// How far a step goes in the first epoch.
        rate: f32,
        /// From each epoch to the next, the rate is multiplied by this.
        decay_per_epoch: f32,
    },
    /// All down the gradient.
    Sgd {
        /// How far a step goes in the first epoch, as a multiple of the gradient.
        rate: f32,
        /// From each epoch to the next, the rate is multiplied by this.
        decay_per_epoch: f32,
    },
}

impl Optimizer {
    /// How far a step goes in an epoch; the first is 0.
    pub fn rate(&self, epoch: usize) -> f32 {
        let (Optimizer::Adam { rate, decay_per_epoch } | Optimizer::Sgd { rate, decay_per_epoch }) = *self;
        (f64::from(rate) * f64::from(decay_per_epoch).powf(epoch as f64)) as f32
    }
}

/// How much of the mean of past gradients stays at each step, and of the mean of their squares.
pub(super) const KEPT: (f32, f32) = (0.9, 0.999);
/// Keeps the quotient finite where gradients have always been 0.
pub(super) const TINY: f32 = 1e-8;

/// An optimizer, and how far along it is: what does not depend on gradients, wherever these are worked out.
pub(super) struct Pace {
    optimizer: Optimizer,
    /// What is left of the beginning in the means: how much they are too small.
    beginning: (f64, f64),
}

/// How far a step goes.
pub(super) enum Stride {
    Adam {
        rate: f32,
        /// The mean of the squares is too small by this much.
        grown: f32,
    },
    Sgd {
        rate: f32,
    },
}

impl Pace {
    pub(super) fn new(optimizer: Optimizer) -> Pace {
        Pace { optimizer, beginning: (1.0, 1.0) }
    }

    /// How many numbers are remembered of each kind.
    pub(super) fn remembered(&self, parameters: usize) -> usize {
        if matches!(self.optimizer, Optimizer::Adam { .. }) { parameters } else { 0 }
    }

    /// Of the next step.
    pub(super) fn stride(&mut self, epoch: usize) -> Stride {
        let rate = self.optimizer.rate(epoch);
        if matches!(self.optimizer, Optimizer::Sgd { .. }) {
            return Stride::Sgd { rate };
        }
        self.beginning.0 *= f64::from(KEPT.0);
        self.beginning.1 *= f64::from(KEPT.1);
        Stride::Adam {
            rate: (f64::from(rate) / (1.0 - self.beginning.0)) as f32,
            grown: (1.0 / (1.0 - self.beginning.1)) as f32,
        }
    }
}

/// An optimizer, and what it remembers of past gradients.
pub(super) struct Progress {
    pace: Pace,
    means: Vec<f32>,
    squares: Vec<f32>,
}

impl Progress {
    pub(super) fn new(optimizer: Optimizer, parameters: usize) -> Progress {
        let pace = Pace::new(optimizer);
        let remembered = pace.remembered(parameters);
        Progress { pace, means: vec![0.0; remembered], squares: vec![0.0; remembered] }
    }

    /// One step. A gradient longer than `clip` is shortened to it.
    pub(super) fn step(&mut self, epoch: usize, clip: f32, gradient: &[f32], parameters: &mut [f32]) {
        let length = squares(gradient).sqrt();
        let shorten = if length > clip { clip / length } else { 1.0 };
        match self.pace.stride(epoch) {
            Stride::Adam { rate, grown } => self.adam(rate, grown, shorten, gradient, parameters),
            Stride::Sgd { rate } => {
                let rate = rate * shorten;
                parameters.iter_mut().zip(gradient).for_each(|(value, slope)| *value -= rate * slope);
            }
        }
    }

    fn adam(&mut self, rate: f32, grown: f32, shorten: f32, gradient: &[f32], parameters: &mut [f32]) {
        let remembered = self.means.iter_mut().zip(&mut self.squares);
        for ((value, slope), (mean, square)) in parameters.iter_mut().zip(gradient).zip(remembered) {
            let slope = slope * shorten;
            *mean = slope + KEPT.0 * (*mean - slope);
            let squared = slope * slope;
            *square = squared + KEPT.1 * (*square - squared);
            *value -= rate * *mean / ((*square * grown).sqrt() + TINY);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_gradient_is_shortened() {
        let mut parameters = [0.0; 2];
        let sgd = Optimizer::Sgd { rate: 1.0, decay_per_epoch: 1.0 };
        Progress::new(sgd, 2).step(0, 1.0, &[30.0, 40.0], &mut parameters);
        assert!((parameters[0] + 0.6).abs() < 1e-6 && (parameters[1] + 0.8).abs() < 1e-6);
        Progress::new(sgd, 2).step(0, 1.0, &[-0.6, -0.5], &mut parameters);
        assert!(parameters[0].abs() < 1e-6 && (parameters[1] + 0.3).abs() < 1e-6);
    }

    #[test]
    fn the_first_step_of_adam_is_as_long_as_its_rate() {
        let mut parameters = [1.0; 3];
        let adam = Optimizer::Adam { rate: 0.1, decay_per_epoch: 0.5 };
        Progress::new(adam, 3).step(1, 1.0, &[0.3, -0.001, 0.0], &mut parameters);
        let want = [0.95, 1.05, 1.0];
        assert!(
            parameters.iter().zip(want).all(|(value, want)| (value - want).abs() < 1e-5),
            "{parameters:?}"
        );
    }
}
