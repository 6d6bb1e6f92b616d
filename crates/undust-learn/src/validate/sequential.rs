//! When few trials are enough: Wald's sequential probability ratio test.
//!
//! A rule fails at some unknown rate, and is to be refuted from the rate `ε` on ([`Trying::refute`](super::Trying::refute)). Two rates
//! that leave no doubt what to do with it are compared: a good rule fails at [`GOOD_RATE`]` · ε`, a bad one at [`BAD_RATE`]` · ε`. After every
//! trial, the test asks how much likelier the trials so far are if the rule is bad, and ends when that is overwhelming in either
//! direction. Trials come in the order of the URLs' hashes, so that they are a random sample of what the rule changes.
//!
//! At the usual `ε` of 5 %, a rule that never fails is valid after 43 trials (the fixed sample takes 95), one that always fails is
//! refuted after 3 (5). What has not been decided by the end of the sample is decided by its share of failures, as by the fixed sample.
//! Both together call 5.4 % of the good rules (2 % failures) invalid and 3.5 % of the bad ones (10 %) valid; the fixed sample 4.9 % and
//! 2.5 %. At no rate of failure do the chances of both tests differ by more than 2 percentage points (tested below, exactly).

use undust::rules::Verdict;

/// A good rule fails at this multiple of the rate that refutes it.
const GOOD_RATE: f64 = 0.4;

/// A bad rule fails at this multiple of it.
const BAD_RATE: f64 = 2.0;

/// The nominal share of good rules that are refuted (Wald's α).
const MAX_GOOD_REFUTED: f64 = 0.05;

/// The nominal share of bad rules that are believed (Wald's β): less, since a bad rule loses pages and a good one only saves some.
const MAX_BAD_BELIEVED: f64 = 0.025;

/// The verdict on a rule, if trials that were the `same` page and `other` ones leave no doubt. `refute` is `ε`; with an `ε` of 0, nothing
/// but the whole sample will do.
pub(super) fn verdict(same: u64, other: u64, refute: f64) -> Option<Verdict> {
    if refute <= 0.0 {
        return None;
    }
    let (good, bad) = (GOOD_RATE * refute, BAD_RATE * refute);
    let log_ratio = same as f64 * ((1.0 - bad) / (1.0 - good)).ln() + other as f64 * (bad / good).ln();
    if log_ratio >= ((1.0 - MAX_BAD_BELIEVED) / MAX_GOOD_REFUTED).ln() {
        Some(Verdict::Invalid)
    } else if log_ratio <= (MAX_BAD_BELIEVED / (1.0 - MAX_GOOD_REFUTED)).ln() {
        Some(Verdict::Valid)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use undust::rules::Validation;

    use super::super::{Test, Trying};
    use super::*;

    /// The exact chance that a rule that fails at `rate` is called valid, and how many trials that takes on average.
    fn chance_of_valid(test: Test, rate: f64) -> (f64, f64) {
        let trying = Trying { test, ..Trying::default() };
        let mut running = BTreeMap::from([((0, 0), 1.0)]);
        let (mut valid, mut trials) = (0.0, 0.0);
        while let Some(((positive, negative), chance)) = running.pop_first() {
            let mut now = Validation { positive, negative, ..Validation::default() };
            if trying.decide(&mut now, false) {
                valid += if now.verdict == Verdict::Valid { chance } else { 0.0 };
                trials += chance * (positive + negative) as f64;
                continue;
            }
            *running.entry((positive, negative + 1)).or_default() += chance * rate;
            *running.entry((positive + 1, negative)).or_default() += chance * (1.0 - rate);
        }
        (valid, trials)
    }

    #[test]
    fn errors_are_those_stated() {
        let (good, bad) = (0.02, 0.1);
        let refuted = 1.0 - chance_of_valid(Test::Sequential, good).0;
        let believed = chance_of_valid(Test::Sequential, bad).0;
        assert!(
            (0.054..0.055).contains(&refuted) && (0.035..0.036).contains(&believed),
            "{refuted} {believed}"
        );
        for percent in 0..=100 {
            let rate = f64::from(percent) / 100.0;
            let (fixed, all) = chance_of_valid(Test::Fixed, rate);
            let (sequential, few) = chance_of_valid(Test::Sequential, rate);
            assert!((fixed - sequential).abs() < 0.02, "{rate}: {fixed}, {sequential}");
            assert!(few < 0.85 * all, "{rate}: {few} trials instead of {all}");
        }
    }

    #[test]
    fn clear_cases_end_early() {
        assert_eq!(chance_of_valid(Test::Sequential, 0.0), (1.0, 43.0));
        assert_eq!(chance_of_valid(Test::Sequential, 1.0), (0.0, 3.0));
    }

    #[test]
    fn what_no_failure_may_refute_is_never_sure() {
        assert_eq!((verdict(1000, 0, 0.0), verdict(0, 1000, 0.0)), (None, None));
    }
}
