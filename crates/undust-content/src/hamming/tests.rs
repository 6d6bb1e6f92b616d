//! Against comparing all pairs, on random, planted and crowded fingerprints.

use proptest::prelude::*;

use super::*;

/// Random numbers (splitmix64) from a seed.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// `count` numbers in order; a few less if `mask` makes some equal.
    fn take(&mut self, count: usize, mask: u64) -> Vec<u64> {
        sorted((0..count).map(|_| self.next() & mask).collect())
    }

    /// A number with exactly `ones` bits set.
    fn with_ones(&mut self, ones: u32) -> u64 {
        let mut bits = 0_u64;
        while bits.count_ones() < ones {
            bits |= 1 << (self.next() % 64);
        }
        bits
    }
}

fn sorted(mut fingerprints: Vec<u64>) -> Vec<u64> {
    fingerprints.sort_unstable();
    fingerprints.dedup();
    fingerprints
}

fn all_within(fingerprints: &[u64], distance: u32) -> Vec<Pair> {
    let near = |i: usize, j: usize| (fingerprints[i] ^ fingerprints[j]).count_ones() <= distance;
    let row = |i: usize| {
        (i + 1..fingerprints.len()).filter(move |&j| near(i, j)).map(move |j| (i as u32, j as u32))
    };
    (0..fingerprints.len()).flat_map(row).collect()
}

fn within(fingerprints: &[u64], distance: u32) -> Vec<Pair> {
    pairs_within(fingerprints, distance, |_, _| true)
}

/// By tables of a given number of blocks, whatever they cost, in one pass and in two: small inputs would not get there.
fn by_tables(fingerprints: &[u64], distance: u32, blocks: u32) -> [Vec<Pair>; 2] {
    let search = Search { fingerprints, distance, accept: &|_, _| true };
    let blocks = blocks_of(varying(fingerprints), blocks);
    let tables: Vec<Table> =
        ways(blocks.len(), distance).map(|open| Table::new(&blocks, open, &[])).collect();
    let mut one_pass: Vec<Pair> =
        tables.iter().flat_map(|table| search.pairs_in_groups(fingerprints, table)).collect();
    let mut two_passes = search.pairs_in_parts(fingerprints, &tables);
    one_pass.sort_unstable();
    two_passes.sort_unstable();
    [one_pass, two_passes]
}

/// Random fingerprints, and for each a few more that differ from it in up to ten bits.
fn planted() -> impl Strategy<Value = Vec<u64>> {
    let family = (any::<u64>(), prop::collection::vec(prop::collection::vec(0_u32..64, 0..10), 0..4));
    prop::collection::vec(family, 0..80).prop_map(|families| {
        let flipped = |bits: u64, flips: &[u32]| flips.iter().fold(bits, |bits, flip| bits ^ 1 << flip);
        let members = |(bits, others): &(u64, Vec<Vec<u32>>)| {
            let bits = *bits;
            std::iter::once(bits)
                .chain(others.iter().map(move |flips| flipped(bits, flips)))
                .collect::<Vec<_>>()
        };
        families.iter().flat_map(members).collect()
    })
}

/// Fingerprints that differ in a few bits only.
fn crowded() -> impl Strategy<Value = Vec<u64>> {
    (any::<u64>(), any::<u64>(), any::<u64>(), prop::collection::vec(any::<u64>(), 0..300))
        .prop_map(|(base, one, two, bits)| bits.into_iter().map(|bits| base ^ (bits & one & two)).collect())
}

/// Fingerprints with few bits set.
fn sparse() -> impl Strategy<Value = Vec<u64>> {
    let few = prop::collection::vec(0_u32..64, 0..5);
    let bits = few.prop_map(|ones| ones.into_iter().fold(0_u64, |bits, one| bits | 1 << one));
    prop::collection::vec(bits, 0..300)
}

fn any_fingerprints() -> impl Strategy<Value = Vec<u64>> {
    prop_oneof![planted(), crowded(), sparse(), prop::collection::vec(0_u64..300, 0..300)].prop_map(sorted)
}

proptest! {
    #[test]
    fn finds_what_comparing_all_finds(fingerprints in any_fingerprints(), distance in 0_u32..=8) {
        prop_assert_eq!(within(&fingerprints, distance), all_within(&fingerprints, distance));
    }

    #[test]
    fn any_cut_finds_each_pair_once(fingerprints in any_fingerprints(), distance in 0_u32..=4, more in 1_u32..=4) {
        prop_assume!(distance + more <= varying(&fingerprints).count_ones());
        let all = all_within(&fingerprints, distance);
        prop_assert_eq!(by_tables(&fingerprints, distance, distance + more), [all.clone(), all]);
    }
}

#[test]
fn nothing_and_little() {
    for distance in [0, 3, 64, u32::MAX] {
        assert!(within(&[], distance).is_empty());
        assert!(within(&[5], distance).is_empty());
    }
    assert_eq!(within(&[0, u64::MAX], 64), [(0, 1)]);
    assert!(within(&[0, u64::MAX], 63).is_empty());
}

#[test]
#[should_panic(expected = "none twice")]
fn no_fingerprint_twice() {
    within(&[5, 5], 3);
}

#[test]
fn large_distances() {
    let fingerprints = Random(1).take(300, u64::MAX);
    for distance in [9, 16, 25, 32, 40, 63, 64, 100] {
        assert_eq!(within(&fingerprints, distance), all_within(&fingerprints, distance));
    }
    assert_eq!(within(&fingerprints, 64).len(), 300 * 299 / 2);
}

#[test]
fn asks_once_and_leaves_out_what_is_not_liked() {
    let fingerprints: Vec<u64> = (0..1000).collect();
    let asked = std::sync::Mutex::new(Vec::new());
    let odd = pairs_within(&fingerprints, 3, |i, j| {
        asked.lock().unwrap().push((i, j));
        (i + j) % 2 == 1
    });
    let mut asked = asked.into_inner().unwrap();
    asked.sort_unstable();
    let all = all_within(&fingerprints, 3);
    assert_eq!(asked, all);
    assert_eq!(odd, all.into_iter().filter(|(i, j)| (i + j) % 2 == 1).collect::<Vec<_>>());
}

#[test]
fn a_million_with_planted_pairs() {
    let mut random = Random(7);
    let mut fingerprints = random.take(1_000_000, u64::MAX);
    let planted: Vec<(u64, u64, u32)> = (0..7000)
        .map(|i| (fingerprints[i * 100], i as u32 % 7))
        .map(|(bits, distance)| (bits, bits ^ random.with_ones(distance), distance))
        .collect();
    fingerprints.extend(planted.iter().map(|(_, other, _)| other));
    let fingerprints = sorted(fingerprints);
    let place = |bits: &u64| fingerprints.binary_search(bits).unwrap() as u32;
    for most in [0, 1, 3, 4] {
        let near = planted.iter().filter(|(_, _, distance)| (1..=most).contains(distance));
        let mut expected: Vec<Pair> =
            near.map(|(one, other, _)| (place(one.min(other)), place(one.max(other)))).collect();
        expected.sort_unstable();
        // Pairs at random: within 3 bits are 43,745 of 2^64, so of 10^12 / 2 pairs 0.0012; within 4 bits 0.018.
        assert_eq!(within(&fingerprints, most), expected);
    }
}

#[test]
fn the_threads_do_not_matter() {
    let mut random = Random(3);
    let mut fingerprints = random.take(50_000, 0xf_ffff);
    fingerprints.append(&mut random.take(50_000, u64::MAX));
    let fingerprints = sorted(fingerprints);
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| within(&fingerprints, 2))
    };
    let one = run(1);
    assert!(one.len() > 10_000, "{}", one.len());
    assert_eq!(one, run(3));
}

#[test]
fn half_of_the_bits_are_shared() {
    let mut fingerprints = Random(11).take(200_000, u64::from(u32::MAX));
    for bits in &mut fingerprints {
        *bits |= 0xdead_beef << 32;
    }
    let found = within(&fingerprints, 3);
    assert!(found.iter().all(|&(i, j)| near(&fingerprints, i, j)));
    // Of 2 * 10^10 pairs, 5,489 of 2^32 are near.
    assert!((25_000..26_200).contains(&found.len()), "{}", found.len());
}

fn near(fingerprints: &[u64], i: u32, j: u32) -> bool {
    (fingerprints[i as usize] ^ fingerprints[j as usize]).count_ones() <= 3
}

#[test]
fn few_bits_set() {
    let mut fingerprints: Vec<u64> = vec![0];
    for a in 0..64 {
        fingerprints.push(1 << a);
        for b in 0..a {
            fingerprints.push(1 << a | 1 << b);
            fingerprints.extend((0..b).map(|c| 1 << a | 1 << b | 1_u64 << c));
        }
    }
    let fingerprints = sorted(fingerprints);
    assert_eq!(fingerprints.len(), 43_745);
    let found = within(&fingerprints, 3);
    assert!(found.iter().all(|&(i, j)| near(&fingerprints, i, j)));
    assert_eq!(found.len(), sparse_pairs());
}

/// Of sets of at most 3 of 64, how many pairs make each other by taking out and putting in at most 3.
fn sparse_pairs() -> usize {
    let choices = |all: usize, some: usize| (0..some).fold(1, |choices, i| choices * (all - i) / (i + 1));
    let mut ends = 0;
    for size in 0..=3 {
        for (out, into) in (0..=3).flat_map(|out| (0..=3 - out).map(move |into| (out, into))) {
            if out + into > 0 && out <= size && size - out + into <= 3 {
                ends += choices(64, size) * choices(size, out) * choices(64 - size, into);
            }
        }
    }
    ends / 2
}

#[test]
fn the_cut_follows_the_number_and_the_bits() {
    let blocks = |fingerprints: &[u64], distance| {
        cut(fingerprints, varying(fingerprints), distance).map(|blocks| blocks.len())
    };
    let random = Random(5).take(1_000_000, u64::MAX);
    assert_eq!(blocks(&random[..10], 3), None);
    assert_eq!(blocks(&random[..10_000], 3), Some(4));
    assert_eq!(blocks(&random, 3), Some(5));
    assert_eq!(blocks(&random, 0), Some(1));
    assert_eq!(blocks(&random, 64), None);
    let sparse = sorted((0..64).flat_map(|a| (0..=a).map(move |b| 1 << a | 1 << b)).collect());
    assert_eq!(blocks(&sparse, 3), None, "of 2,080, most agree in nearly all bits");
    assert_eq!(blocks(&random[..2080], 3), Some(4));
}
