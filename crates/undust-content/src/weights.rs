//! How much a feature counts on a site: the more texts have it, the less.
//!
//! Menus and templates are what most pages of a site have in common. Where nine words of ten are menu, two pages without a word
//! in common beyond it look nearly the same; weighed by rarity (inverse document frequency), they do not. The weight of a feature that
//! `with` of `all` texts have is `2 log2(1 + all / with)`, rounded: 2 for what stands everywhere, 24 for what one text in 4,000 has.
//!
//! A text counts once, however many URLs lead to it: else a page with 500 URLs would pass for a template.

use std::sync::atomic::{AtomicU32, Ordering};

/// Most counts that are kept: 64 megabytes. Each feature has two, which it may share with others, and the smaller one is its own or
/// nearly so (a count-min sketch).
const MAX_SLOTS: usize = 1 << 24;

/// Counts for each feature: with 64, both are shared for one in a thousand.
const SLOTS_PER_FEATURE: usize = 64;

/// Counts the texts that have a feature. May be used from many threads: sums do not depend on their order.
pub(crate) struct Frequencies {
    slots: Vec<AtomicU32>,
    texts: AtomicU32,
}

impl Frequencies {
    /// For about this number of different features.
    pub(crate) fn new(features: usize) -> Frequencies {
        let slots = (SLOTS_PER_FEATURE * features).next_power_of_two().clamp(1 << 10, MAX_SLOTS);
        Frequencies { slots: (0..slots).map(|_| AtomicU32::new(0)).collect(), texts: AtomicU32::new(0) }
    }

    /// Count a text by its features, none of them twice.
    pub(crate) fn add(&self, features: impl IntoIterator<Item = u64>) {
        self.texts.fetch_add(1, Ordering::Relaxed);
        for feature in features {
            let (one, other) = self.slots(feature);
            one.fetch_add(1, Ordering::Relaxed);
            other.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// How many texts have the feature, or slightly more.
    fn of(&self, feature: u64) -> u32 {
        let (one, other) = self.slots(feature);
        one.load(Ordering::Relaxed).min(other.load(Ordering::Relaxed))
    }

    fn texts(&self) -> u32 {
        self.texts.load(Ordering::Relaxed)
    }

    /// What features weigh, now that all texts are counted.
    pub(crate) fn weights(self) -> Weights {
        let all = f64::from(self.texts());
        // The weight's definition the other way round.
        let most_with = |weight: u32| (all / (((f64::from(weight) - 0.5) / 2.0).exp2() - 1.0)).floor();
        let limits = (2..=MAX_WEIGHT).map(most_with).take_while(|limit| *limit >= 1.0).collect();
        Weights { limits, frequencies: self }
    }

    /// Never the same one twice.
    fn slots(&self, feature: u64) -> (&AtomicU32, &AtomicU32) {
        let half = self.slots.len() / 2;
        let place = |bits: u64| bits as usize & (half - 1);
        (&self.slots[place(feature >> 32)], &self.slots[half + place(feature >> 8)])
    }
}

/// Largest weight: more than that of a feature in one of 2^32 texts.
const MAX_WEIGHT: u32 = 66;

/// A feature is rare if at most one text in this many has it: what more have is a template.
const MIN_TEXTS_PER_RARE: u64 = 10;

/// The weights of features on a site.
pub(crate) struct Weights {
    frequencies: Frequencies,
    /// From the weight of 2 on: at most how many texts have a feature of that weight. A logarithm for each would take longer.
    limits: Vec<f64>,
}

impl Weights {
    /// Whether at most one text in [`MIN_TEXTS_PER_RARE`] has the feature, and some text has it.
    pub(crate) fn is_rare(&self, feature: u64) -> bool {
        let with = self.frequencies.of(feature);
        with > 0 && u64::from(with) * MIN_TEXTS_PER_RARE <= u64::from(self.frequencies.texts())
    }

    pub(crate) fn of(&self, feature: u64) -> u32 {
        let with = f64::from(self.frequencies.of(feature).max(1));
        1 + self.limits.partition_point(|&limit| limit >= with) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::nth;

    #[test]
    fn rare_features_weigh_more() {
        let (menu, word) = (nth(2, 0), |n: u32| nth(1000 + 2 * n, 0));
        let frequencies = Frequencies::new(5000);
        for text in 0..4000 {
            frequencies.add([menu, word(text), word(text / 100 + 100_000)]);
        }
        assert_eq!(frequencies.of(menu), 4000);
        let weights = frequencies.weights();
        assert_eq!(weights.of(menu), 2);
        assert!(weights.of(word(7)) >= 22, "{}", weights.of(word(7)));
        assert!((8..14).contains(&weights.of(word(100_000))));
        assert!(weights.of(12345) >= 22, "what no text has is rare");
    }

    #[test]
    fn weights_are_as_defined() {
        for all in [0_u32, 1, 7, 1000, 4_000_000] {
            for with in [1, 2, 3, 10, all / 7, all].into_iter().filter(|with| (1..=all).contains(with)) {
                let frequencies = Frequencies::new(1);
                frequencies.texts.store(all, Ordering::Relaxed);
                let (one, other) = frequencies.slots(0);
                one.store(with, Ordering::Relaxed);
                other.store(with, Ordering::Relaxed);
                let defined = (2.0 * (1.0 + f64::from(all) / f64::from(with)).log2()).round();
                assert!((f64::from(frequencies.weights().of(0)) - defined).abs() < 1e-9, "{with} of {all}");
            }
        }
    }
}
