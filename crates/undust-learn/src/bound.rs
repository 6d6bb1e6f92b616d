//! Exact binomial confidence bounds of failure rates (Clopper and Pearson 1934).

/// Confidence level of every bound.
pub const CONFIDENCE: f64 = 0.95;

/// Upper confidence bound: the greatest rate that `wrong` failures in `trials` leave plausible: upper, one-sided, exact. 1 without trials.
pub fn upper_bound(wrong: u64, trials: u64) -> f64 {
    if trials == 0 || wrong >= trials {
        return 1.0;
    }
    let (mut low, mut high) = (wrong as f64 / trials as f64, 1.0);
    // 50 halvings bring the interval below what a double can tell from 0.
    for _ in 0..50 {
        let middle = f64::midpoint(low, high);
        if at_most(wrong, trials, middle) > 1.0 - CONFIDENCE {
            low = middle;
        } else {
            high = middle;
        }
    }
    high
}

/// Number of trials without a failure from which on [`upper_bound`] is `rate` or less.
pub fn least_trials(rate: f64) -> u64 {
    let trials = (1.0 - CONFIDENCE).ln() / (-rate.clamp(0.0, 1.0)).ln_1p();
    #[expect(clippy::cast_sign_loss, reason = "both logarithms are negative")]
    let trials = trials.ceil() as u64;
    trials
}

/// Lower confidence bound: the smallest rate that `wrong` failures in `trials` leave plausible: lower, one-sided, exact. 0 without trials.
pub fn lower_bound(wrong: u64, trials: u64) -> f64 {
    1.0 - upper_bound(trials - wrong, trials)
}

/// The chance of `wrong` failures or more in `trials` when each fails with probability `rate`. Below 5 % exactly if [`lower_bound`] is above `rate`.
pub fn chance_of_failures(wrong: u64, trials: u64, rate: f64) -> f64 {
    if wrong == 0 || rate >= 1.0 {
        return 1.0;
    }
    if wrong > trials || rate.is_nan() || rate <= 0.0 {
        return 0.0;
    }
    // Each sum begins with its largest term: that of the failures seen lies on the far side of what is expected.
    let chance = if wrong as f64 > rate * trials as f64 {
        at_most(trials - wrong, trials, 1.0 - rate)
    } else {
        1.0 - at_most(wrong - 1, trials, rate)
    };
    chance.clamp(0.0, 1.0)
}

/// The chance of at most `wrong` failures in `trials` when each fails with probability `rate`, which is at least the rate
/// seen. The terms then shrink from the last to the first: pairs of URLs are counted in billions, and few terms matter.
fn at_most(wrong: u64, trials: u64, rate: f64) -> f64 {
    let odds = rate / (1.0 - rate);
    let mut term = log_exactly(wrong, trials, rate).exp();
    let mut sum = term;
    for k in (1..=wrong).rev() {
        term *= k as f64 / ((trials - k + 1) as f64 * odds);
        sum += term;
        if term <= sum * f64::EPSILON {
            break;
        }
    }
    sum
}

/// The logarithm of the chance of exactly `wrong` failures, as a distance between the two rates: factorials of billions
/// would leave no digits (Loader 2000).
fn log_exactly(wrong: u64, trials: u64, rate: f64) -> f64 {
    let (k, n, right) = (wrong as f64, trials as f64, (trials - wrong) as f64);
    if wrong == 0 {
        return n * (-rate).ln_1p();
    }
    let distance = k * (k / (n * rate)).ln() + right * (right / (n * (1.0 - rate))).ln();
    let spread = (std::f64::consts::TAU * k * right / n).ln() / 2.0;
    stirling_error(n) - stirling_error(k) - stirling_error(right) - distance - spread
}

/// What Stirling's formula leaves out of `ln(n!)`.
fn stirling_error(n: f64) -> f64 {
    let squared = n * n;
    if n >= 16.0 {
        return (1.0 / 12.0 - (1.0 / 360.0 - 1.0 / 1260.0 / squared) / squared) / n;
    }
    let factorial: f64 = (1..16).map(f64::from).filter(|i| *i <= n).map(f64::ln).sum();
    factorial - (n + 0.5) * n.ln() + n - std::f64::consts::TAU.ln() / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_trials_are_enough_and_one_less_is_not() {
        for rate in [0.001, 0.01, 0.05, 0.3] {
            let least = least_trials(rate);
            assert!(upper_bound(0, least) <= rate && upper_bound(0, least - 1) > rate, "{rate}: {least}");
        }
        assert_eq!((least_trials(1.0), least_trials(0.0)), (0, u64::MAX));
    }

    #[test]
    fn known_values() {
        let close = |a: f64, b: f64| assert!((a - b).abs() < 5e-5, "{a} is not {b}");
        close(upper_bound(0, 299), 0.009_969);
        close(upper_bound(0, 10), 0.258_866);
        close(upper_bound(1, 100), 0.046_560);
        close(upper_bound(5, 1000), 0.010_486);
        close(upper_bound(0, 0), 1.0);
        close(upper_bound(3, 3), 1.0);
    }

    /// The sum that the fast one stands for.
    fn at_most_by_definition(wrong: u64, trials: u64, rate: f64) -> f64 {
        let mut log_term = trials as f64 * (-rate).ln_1p();
        let mut sum = log_term.exp();
        for k in 0..wrong {
            log_term += ((trials - k) as f64 / (k + 1) as f64 * rate / (1.0 - rate)).ln();
            sum += log_term.exp();
        }
        sum
    }

    #[test]
    fn the_sum_of_few_terms_is_that_of_all() {
        for trials in [1, 2, 3, 10, 17, 100, 1000] {
            for wrong in (0..trials).step_by(1 + trials as usize / 20) {
                let seen = wrong as f64 / trials as f64;
                for rate in [seen + 1e-6, f64::midpoint(seen, 1.0), 0.9 * seen + 0.1] {
                    let (fast, slow) =
                        (at_most(wrong, trials, rate), at_most_by_definition(wrong, trials, rate));
                    assert!((fast - slow).abs() < 1e-9, "{wrong} of {trials} at {rate}: {fast}, not {slow}");
                }
            }
        }
    }

    #[test]
    fn the_chance_of_failures_agrees_with_the_bound() {
        for trials in [1, 2, 7, 40, 300] {
            for wrong in 0..=trials {
                for rate in [0.001, 0.01, 0.1, 0.5, 0.9] {
                    let chance = chance_of_failures(wrong, trials, rate);
                    let direct =
                        1.0 - if wrong == 0 { 0.0 } else { at_most_by_definition(wrong - 1, trials, rate) };
                    assert!(
                        (chance - direct).abs() < 1e-9,
                        "{wrong} of {trials} at {rate}: {chance}, {direct}"
                    );
                    let is_sure = chance < 1.0 - CONFIDENCE;
                    assert_eq!(is_sure, lower_bound(wrong, trials) > rate, "{wrong} of {trials} at {rate}");
                }
            }
        }
        assert!(chance_of_failures(2_000, 100_000, 0.01) < 1e-100);
        let extremes = [(0, 0.0), (1, 0.0), (5, 1.0)].map(|(k, rate)| chance_of_failures(k, 5, rate) > 0.5);
        assert_eq!(extremes, [true, false, true]);
    }

    /// Pairs are counted in billions: time must not grow with them.
    #[test]
    fn billions_of_pairs() {
        let bound = upper_bound(500_000_000, 50_000_000_000);
        assert!((bound - 0.01).abs() < 1e-5 && bound > 0.01, "{bound}");
    }

    #[test]
    fn known_values_from_below() {
        let close = |a: f64, b: f64| assert!((a - b).abs() < 5e-5, "{a} is not {b}");
        close(lower_bound(1, 10), 0.005_116);
        close(lower_bound(33, 384), 0.063_560);
        close(lower_bound(0, 10), 0.0);
        close(lower_bound(0, 0), 0.0);
    }

    #[test]
    fn more_evidence_means_a_smaller_bound() {
        let bounds: Vec<f64> = [10, 100, 1000, 100_000].iter().map(|&n| upper_bound(n / 10, n)).collect();
        assert!(bounds.windows(2).all(|w| w[1] < w[0] && w[1] > 0.1));
    }
}
