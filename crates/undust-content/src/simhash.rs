//! Simhash: 64 bits of which most are equal where texts are nearly the same.
//!
//! Charikar, "Similarity estimation techniques from rounding algorithms" (2002), as Manku, Jain and Das Sarma use it on web pages
//! (2007): every feature votes on every bit with its weight, and the majority wins. Features are all words and all shingles of
//! [`SHINGLE_WORDS`] words, each as often as it occurs. A word alone would not see that two words changed places; shingles alone make a
//! text of other order look like another text.

use crate::words::{Word, hashed, nth, shingles};

/// Words in a shingle.
pub(crate) const SHINGLE_WORDS: usize = 3;

/// The simhash of a text, all features of which weigh the same. [`cluster`](crate::cluster) weighs them by how rare they are on the
/// site.
pub fn simhash(text: &str) -> u64 {
    weighted(&hashed(text), |_| 1)
}

/// The simhash of some words; `weight` is asked for each feature.
pub(crate) fn weighted(words: &[Word], weight: impl Fn(u64) -> u32) -> u64 {
    let mut votes = Votes::default();
    for feature in words.iter().map(|&word| nth(word, 0)).chain(shingles(words, SHINGLE_WORDS)) {
        votes.add(feature, weight(feature));
    }
    votes.majority()
}

/// Enough for the votes of any text: 2^40 of them.
const PLANES: usize = 40;

/// How much weight voted for each bit. Plane `i` holds bit `i` of all 64 counts, so that one addition counts 64 votes.
struct Votes {
    planes: [u64; PLANES],
    /// What is to be added to each plane. Two are added at once: that carries half as often, and needs no loop to the last carry.
    waiting: [Option<u64>; PLANES],
    total: u64,
}

impl Default for Votes {
    fn default() -> Votes {
        Votes { planes: [0; PLANES], waiting: [None; PLANES], total: 0 }
    }
}

impl Votes {
    fn add(&mut self, feature: u64, weight: u32) {
        self.total += u64::from(weight);
        let mut weight = weight;
        while weight != 0 {
            self.add_to_plane(feature, weight.trailing_zeros() as usize);
            weight &= weight - 1;
        }
    }

    /// Binary addition of 64 numbers.
    fn add_to_plane(&mut self, feature: u64, plane: usize) {
        let mut carry = feature;
        for (plane, waiting) in self.planes[plane..].iter_mut().zip(&mut self.waiting[plane..]) {
            let Some(other) = waiting.take() else {
                *waiting = Some(carry);
                break;
            };
            (*plane, carry) = added(*plane, other, carry);
        }
    }

    /// The planes, with nothing waiting any more.
    fn settled(&self) -> impl Iterator<Item = u64> {
        let mut carry = 0;
        self.planes.iter().zip(&self.waiting).map(move |(&plane, waiting)| {
            let sum;
            (sum, carry) = added(plane, waiting.unwrap_or(0), carry);
            sum
        })
    }

    /// The bits that more than half of all weight voted for.
    fn majority(&self) -> u64 {
        let half = self.total / 2;
        // Binary numbers compared from their last digit on: where digits differ, they overrule those behind them.
        self.settled().zip(0..).fold(
            0,
            |more, (plane, digit)| {
                if half >> digit & 1 == 0 { plane | more } else { plane & more }
            },
        )
    }

    #[cfg(test)]
    fn count(&self, bit: u32) -> u64 {
        self.settled().zip(0..).map(|(plane, digit)| (plane >> bit & 1) << digit).sum()
    }
}

/// The sums of three binary digits, and what is carried, for 64 of them at once.
fn added(a: u64, b: u64, c: u64) -> (u64, u64) {
    let differ = a ^ b;
    (differ ^ c, a & b | differ & c)
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::{any, prop_assert_eq, proptest};

    use super::*;

    fn distance(a: &str, b: &str) -> u32 {
        (simhash(a) ^ simhash(b)).count_ones()
    }

    fn text(from: u32, words: u32) -> String {
        (from..from + words).map(|i| format!("w{i}")).collect::<Vec<_>>().join(" ") + " "
    }

    #[test]
    fn near_for_near_texts_and_far_for_others() {
        let long = text(0, 500);
        assert_eq!(distance(&long, &long.replace(' ', "\n")), 0);
        assert!(distance(&long, &long.replace("w250", "x")) <= 3);
        assert!(distance(&long, &text(1000, 500)) > 20);
        assert!(distance(&long, &(text(250, 250) + &text(0, 250))) < 10, "words that stand elsewhere");
        assert_eq!(simhash(""), 0);
    }

    #[test]
    fn votes_are_counted_as_by_hand() {
        let features = [(0b1011, 5), (0b0011, 1), (0b0110, 7), (0b0001, 3)];
        let mut votes = Votes::default();
        for (feature, weight) in features {
            votes.add(feature, weight);
        }
        assert_eq!((0..4).map(|bit| votes.count(bit)).collect::<Vec<_>>(), [9, 13, 7, 5]);
        assert_eq!(votes.majority(), 0b0011);
    }

    proptest! {
        #[test]
        fn votes_are_as_defined(features in vec((any::<u64>(), 0_u32..100), 0..200)) {
            let mut votes = Votes::default();
            for &(feature, weight) in &features {
                votes.add(feature, weight);
            }
            let weight = |bit: u32| features.iter().map(|&(feature, weight)| (feature >> bit) as u32 % 2 * weight).sum::<u32>();
            let all: u32 = features.iter().map(|&(_, weight)| weight).sum();
            let majority = (0..64).filter(|&bit| 2 * weight(bit) > all).map(|bit| 1 << bit).sum::<u64>();
            prop_assert_eq!(votes.majority(), majority);
        }
    }

    #[test]
    fn heavy_features_decide() {
        let menu = text(0, 300);
        let (one, two) = (menu.clone() + &text(5000, 20), menu.clone() + &text(6000, 20));
        let in_menu: Vec<u64> = hashed(&menu)
            .iter()
            .map(|&word| nth(word, 0))
            .chain(shingles(&hashed(&menu), SHINGLE_WORDS))
            .collect();
        let weight = |feature: u64| if in_menu.contains(&feature) { 1 } else { 20 };
        let weighed = (weighted(&hashed(&one), weight) ^ weighted(&hashed(&two), weight)).count_ones();
        assert!(distance(&one, &two) < 10 && weighed > 10, "{} {weighed}", distance(&one, &two));
    }
}
