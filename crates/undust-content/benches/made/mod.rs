//! What benches measure on: fingerprints and pages made from a seed, so that every run has the same.

mod html;

pub(crate) use html::pages;

/// Every so many fingerprints, one more follows that differs from it in few bits.
const PLANTED_EVERY: usize = 100;

/// `count` random fingerprints (splitmix64); to one in a hundred of them belongs another that differs in up to six bits. In order,
/// none twice.
pub(crate) fn fingerprints(count: usize) -> Vec<u64> {
    let mut random = Random(count as u64);
    let mut made: Vec<u64> = Vec::with_capacity(count);
    for place in 0..count {
        let bits = random.next();
        let flips = |most: usize| (0..most).fold(0, |flips, i| flips | 1 << (bits >> (6 * i) & 63));
        let neighbour = place % PLANTED_EVERY == 1;
        made.push(if neighbour { made[place - 1] ^ flips(place / PLANTED_EVERY % 7) } else { bits });
    }
    made.sort_unstable();
    made.dedup();
    made
}

/// splitmix64, from a seed.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    fn below(&mut self, limit: usize) -> usize {
        self.next() as usize % limit
    }
}
