//! How bad can it be? Exact binomial confidence bounds (Clopper and Pearson 1934).

/// Confidence of every bound we state.
pub const CONFIDENCE: f64 = 0.95;

/// The greatest rate that `wrong` failures in `trials` leave plausible: upper, one-sided, exact. 1 without trials.
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

/// The chance of at most `wrong` failures in `trials` when each fails with probability `rate`.
fn at_most(wrong: u64, trials: u64, rate: f64) -> f64 {
    let odds = rate / (1.0 - rate);
    let mut log_term = trials as f64 * (1.0 - rate).ln();
    let mut sum = log_term.exp();
    for k in 0..wrong {
        log_term += ((trials - k) as f64 / (k + 1) as f64 * odds).ln();
        sum += log_term.exp();
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn more_evidence_means_a_smaller_bound() {
        let bounds: Vec<f64> = [10, 100, 1000, 100_000].iter().map(|&n| upper_bound(n / 10, n)).collect();
        assert!(bounds.windows(2).all(|w| w[1] < w[0] && w[1] > 0.1));
    }
}
