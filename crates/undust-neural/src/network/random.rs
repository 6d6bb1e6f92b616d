//! Random numbers from a seed.

/// splitmix64: small, quick, and the same everywhere.
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Random {
        Random(seed)
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// The remainder favours small numbers by less than one in 2^40, for the limits there are.
    pub(super) fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    /// Between -`most` and `most`.
    pub(super) fn within(&mut self, most: f32) -> f32 {
        let unit = (self.next() >> 40) as f32 / (1 << 24) as f32;
        (2.0 * unit - 1.0) * most
    }

    pub(super) fn shuffle<T>(&mut self, items: &mut [T]) {
        for place in (1..items.len()).rev() {
            items.swap(place, self.below(place + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Random;

    #[test]
    fn a_shuffle_keeps_all_and_moves_some() {
        let mut items: Vec<u32> = (0..100).collect();
        Random::new(3).shuffle(&mut items);
        assert_ne!(items, (0..100).collect::<Vec<_>>());
        items.sort_unstable();
        assert_eq!(items, (0..100).collect::<Vec<_>>());
    }

    #[test]
    fn numbers_fill_their_range() {
        let mut random = Random::new(0);
        let numbers: Vec<f32> = (0..1000).map(|_| random.within(2.0)).collect();
        assert!(numbers.iter().all(|number| number.abs() <= 2.0));
        assert!(numbers.iter().any(|&number| number > 1.9) && numbers.iter().any(|&number| number < -1.9));
    }
}
