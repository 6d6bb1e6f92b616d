//! A sample of a text's features that is drawn alike from all texts, so that two samples tell how much of two texts is shared.
//!
//! Broder's sketch ("On the resemblance and containment of documents", 1997) keeps the features with the smallest hashes. Here the
//! hash is divided by the weight first, so that heavy features are drawn more often (Cohen's bottom-k samples): with all weights equal,
//! this is Broder's sketch.

/// The drawn features, and whether they are all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sample {
    /// In order, none twice. The upper half of a key is the rank, smaller for heavier features; the lower half is that of the
    /// feature's hash. The rank follows from hash and weight, so equal features have equal keys.
    keys: Vec<u64>,
    complete: bool,
}

impl Sample {
    /// Draws at most `size` of the features, which come with their weights.
    pub(crate) fn new(features: impl Iterator<Item = (u64, u32)>, size: usize) -> Sample {
        let mut keys: Vec<u64> = features.map(|(feature, weight)| key(feature, weight)).collect();
        let complete = keys.len() <= size;
        if !complete {
            keys.select_nth_unstable(size);
            keys.truncate(size);
        }
        keys.sort_unstable();
        keys.dedup();
        // The memory is kept for long.
        keys.shrink_to_fit();
        Sample { keys, complete }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// The weight that is in both texts, of that in either: 0 for strangers, 1 for equal texts, and for two without features. Exact
    /// where both samples are complete.
    pub(crate) fn resemblance(&self, other: &Sample) -> f64 {
        if self.keys == other.keys {
            return 1.0;
        }
        let shared = if self.complete && other.complete {
            overlap(&self.keys, &other.keys, usize::MAX, weight)
        } else {
            // Only what is below the largest key of a cut sample is known, and that many there are at least. Heavy features come
            // first, so that each counts the same.
            overlap(&self.keys, &other.keys, self.keys.len().max(other.keys.len()), |_| 1.0)
        };
        shared.0 / shared.1
    }
}

/// The more weight, the smaller: the time at which an exponential clock of that rate rings.
fn key(feature: u64, weight: u32) -> u64 {
    let rank = clock(feature) / weight.max(1) as f32;
    // Floats above zero are in the order of their bits.
    u64::from(rank.to_bits()) << 32 | feature & 0xffff_ffff
}

fn clock(feature: u64) -> f32 {
    -((f64::from(feature as u32) + 0.5) / f64::from(u32::MAX)).min(1.0 - 1e-12).ln() as f32
}

/// The weight that a key was made with, but for rounding.
fn weight(key: u64) -> f64 {
    f64::from(clock(key) / f32::from_bits((key >> 32) as u32))
}

/// The weight of those of the `most` smallest values of two ordered lists that are in both, and of all.
fn overlap(a: &[u64], b: &[u64], most: usize, weight: impl Fn(u64) -> f64) -> (f64, f64) {
    let (mut common, mut union) = (0.0, 0.0);
    let (mut i, mut j, mut seen) = (0, 0, 0);
    while seen < most && i < a.len() && j < b.len() {
        let smallest = a[i].min(b[j]);
        let (in_a, in_b) = (a[i] == smallest, b[j] == smallest);
        let weight = weight(smallest);
        common += if in_a && in_b { weight } else { 0.0 };
        union += weight;
        i += usize::from(in_a);
        j += usize::from(in_b);
        seen += 1;
    }
    // One of them is at its end.
    let rest = a[i..].iter().chain(&b[j..]).take(most - seen);
    (common, union + rest.map(|&key| weight(key)).sum::<f64>())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::words::nth;

    /// Features of which every tenth is heavy.
    fn sample(ids: impl Iterator<Item = u32>, size: usize) -> Sample {
        Sample::new(ids.map(|id| (nth(2 * id, 0), weight_of(id))), size)
    }

    fn weight_of(id: u32) -> u32 {
        if id.is_multiple_of(10) { 20 } else { 2 }
    }

    #[test]
    fn weights_are_read_off_keys() {
        for id in 0..2000 {
            let read = weight(key(nth(id, 0), weight_of(id)));
            assert!((read - f64::from(weight_of(id))).abs() < 1e-3, "{read}");
        }
        for extreme in [0, 0xffff_ffff, u64::MAX] {
            assert!((weight(key(extreme, 7)) - 7.0).abs() < 1e-3);
        }
    }

    proptest! {
        #[test]
        fn estimates_are_near_the_truth(shared in 0_u32..3000, left in 0_u32..3000, right in 0_u32..3000) {
            prop_assume!(shared + left + right > 0);
            let total = |ids: std::ops::Range<u32>| ids.map(|id| f64::from(weight_of(id))).sum::<f64>();
            let one = || (0..shared).chain(10_000..10_000 + left);
            let two = || (0..shared).chain(20_000..20_000 + right);
            let truth = total(0..shared)
                / (total(0..shared) + total(10_000..10_000 + left) + total(20_000..20_000 + right));
            for (size, error) in [(usize::MAX, 1e-3), (1024, 0.1)] {
                let estimate = sample(one(), size).resemblance(&sample(two(), size));
                prop_assert!((estimate - truth).abs() <= error, "{estimate} {truth}");
                prop_assert_eq!(estimate.to_bits(), sample(two(), size).resemblance(&sample(one(), size)).to_bits());
            }
        }
    }
}
