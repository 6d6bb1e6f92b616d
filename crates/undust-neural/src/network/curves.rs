//! Curves and sums over many numbers, written so that the compiler works on several at once.

#![expect(
    clippy::inline_always,
    reason = "only within its loop is a curve worked out for several numbers at once"
)]

/// `e` to the power of `x`, within 2e-7 of it; beyond -87 and 88, what it is there.
///
/// A power of two times a polynomial (Cephes), without branches or table.
#[inline(always)]
pub(super) fn exp(x: f32) -> f32 {
    /// Added, it pushes all digits after the point out of the number: rounds to whole ones.
    const ROUND: f32 = 12_582_912.0;
    /// ln 2 in two pieces, the first of few digits, so that multiples of it are exact.
    const LN_2: (f32, f32) = (0.693_359_4, -2.121_944_4e-4);
    let x = x.clamp(-87.0, 88.0);
    let shifted = x * std::f32::consts::LOG2_E + ROUND;
    let whole = shifted - ROUND;
    let rest = x - whole * LN_2.0 - whole * LN_2.1;
    let curve = 1.987_569_1e-4 * rest + 1.398_2e-3;
    let curve = curve * rest + 8.333_452e-3;
    let curve = curve * rest + 4.166_579_6e-2;
    let curve = curve * rest + 1.666_666_5e-1;
    let curve = curve * rest + 5e-1;
    let curve = curve * rest * rest + rest + 1.0;
    let power = shifted.to_bits().wrapping_sub(ROUND.to_bits()).wrapping_add(127) << 23;
    curve * f32::from_bits(power)
}

/// From 0 to 1.
#[inline(always)]
pub(super) fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + exp(-x))
}

/// From -1 to 1, within 3e-7 of the hyperbolic tangent: a quotient of polynomials (as in Eigen), which near 0 is exact where a formula
/// with `exp` would lose its digits.
#[inline(always)]
pub(super) fn tanh(x: f32) -> f32 {
    let x = x.clamp(-7.905_311, 7.905_311);
    let square = x * x;
    let over = -2.760_768_5e-16 * square + 2.000_188e-13;
    let over = over * square - 8.604_672e-11;
    let over = over * square + 5.122_297e-8;
    let over = over * square + 1.485_722_4e-5;
    let over = over * square + 6.372_619e-4;
    let over = over * square + 4.893_524_6e-3;
    let under = 1.198_258_4e-6 * square + 1.185_347_1e-4;
    let under = under * square + 2.268_434_6e-3;
    let under = under * square + 4.893_525e-3;
    x * over / under
}

/// Numbers that are worked on at once: each adds up its own, because the order of additions is part of a sum's bits.
const LANES: usize = 16;

/// The greatest; minus infinity of none.
pub(super) fn greatest(values: &[f32]) -> f32 {
    let (chunks, rest) = values.as_chunks::<LANES>();
    let mut lanes = [f32::NEG_INFINITY; LANES];
    for chunk in chunks {
        for (lane, &value) in lanes.iter_mut().zip(chunk) {
            *lane = if value > *lane { value } else { *lane };
        }
    }
    lanes.iter().chain(rest).fold(f32::NEG_INFINITY, |most, &value| if value > most { value } else { most })
}

/// Each number becomes `e` to the power of its distance from the greatest. The sum of them.
pub(super) fn exp_all(values: &mut [f32], greatest: f32) -> f32 {
    let (chunks, rest) = values.as_chunks_mut::<LANES>();
    let mut lanes = [0.0; LANES];
    for chunk in chunks {
        for (lane, value) in lanes.iter_mut().zip(chunk) {
            *value = exp(*value - greatest);
            *lane += *value;
        }
    }
    let mut sum: f32 = lanes.iter().sum();
    for value in rest {
        *value = exp(*value - greatest);
        sum += *value;
    }
    sum
}

/// The sum of the squares.
pub(super) fn squares(values: &[f32]) -> f32 {
    let (chunks, rest) = values.as_chunks::<LANES>();
    let mut lanes = [0.0; LANES];
    for chunk in chunks {
        for (lane, &value) in lanes.iter_mut().zip(chunk) {
            *lane += value * value;
        }
    }
    lanes.iter().sum::<f32>() + rest.iter().map(|value| value * value).sum::<f32>()
}

/// The sum of the products of numbers in the same place.
pub(super) fn dot(one: &[f32], other: &[f32]) -> f32 {
    let ((ones, one), (others, other)) = (one.as_chunks::<LANES>(), other.as_chunks::<LANES>());
    let mut lanes = [0.0; LANES];
    for (one, other) in ones.iter().zip(others) {
        for ((lane, one), other) in lanes.iter_mut().zip(one).zip(other) {
            *lane += one * other;
        }
    }
    lanes.iter().sum::<f32>() + one.iter().zip(other).map(|(one, other)| one * other).sum::<f32>()
}

/// To each number of `sum`, `factor` times the number in the same place.
pub(super) fn add_scaled(sum: &mut [f32], factor: f32, values: &[f32]) {
    for (sum, value) in sum.iter_mut().zip(values) {
        *sum += factor * value;
    }
}

/// To each number of `sum`, the number in the same place.
pub(super) fn add(sum: &mut [f32], values: &[f32]) {
    for (sum, value) in sum.iter_mut().zip(values) {
        *sum += value;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The worst distance of `fast` from `exact`, as a share of it where it is beyond `least`.
    fn worst(fast: fn(f32) -> f32, exact: fn(f64) -> f64, range: f32, least: f64) -> f64 {
        let inputs = (-40_000..=40_000).map(|place| range * (place as f32 / 40_000.0).powi(3));
        let distance = |x: f32| {
            let exact = exact(f64::from(x));
            (f64::from(fast(x)) - exact).abs() / exact.abs().max(least)
        };
        inputs.map(distance).fold(0.0, f64::max)
    }

    #[test]
    fn curves_are_near_the_exact_ones() {
        assert!(worst(exp, f64::exp, 87.0, 0.0) < 2e-7);
        assert!(worst(sigmoid, |x| 1.0 / (1.0 + (-x).exp()), 80.0, 0.0) < 4e-7);
        assert!(worst(tanh, f64::tanh, 20.0, 1e-30) < 4e-7);
    }

    #[test]
    fn curves_end_where_they_should() {
        assert!(exp(-1e30) < 1e-37 && exp(1e30).is_finite() && exp(f32::NEG_INFINITY) < 1e-37);
        assert!(sigmoid(-1e30) < 1e-37 && (sigmoid(1e30) - 1.0).abs() < 1e-6);
        assert!((tanh(-1e30) + 1.0).abs() < 1e-6 && (tanh(1e30) - 1.0).abs() < 1e-6);
        assert!(exp(f32::NAN).is_nan() && tanh(f32::NAN).is_nan());
    }

    #[test]
    fn sums_forget_no_lane() {
        for count in [0, 1, 15, 16, 17, 40] {
            let mut values: Vec<f32> = (0..count).map(|place| -((place * 7 % 13) as f32)).collect();
            let plain = values.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            assert!(greatest(&values).total_cmp(&plain).is_eq());
            let plain: f32 = values.iter().map(|value| value * value).sum();
            assert!((squares(&values) - plain).abs() < 1e-3);
            assert!((dot(&values, &values) - plain).abs() < 1e-3);
            let plain: f32 = values.iter().map(|value| value.exp()).sum();
            assert!((exp_all(&mut values, 0.0) - plain).abs() < 1e-5);
        }
    }
}
