//! All pairs of fingerprints that differ in few bits, without comparing all pairs.
//!
//! Manku, Jain, Das Sarma, "Detecting near-duplicates for web crawling" (WWW 2007): cut the bits into `b` blocks; two
//! fingerprints that differ in at most `k` bits differ in at most `k` blocks, so they agree in some choice of `b - k` of
//! them. For each choice a table brings together the fingerprints that agree in these blocks (its key), and only those are
//! compared. Few blocks make few tables and short keys, so many are compared; many blocks make many tables: [`cut`] takes
//! what costs least.
//!
//! Where this differs from the paper:
//!
//! - The paper permutes the bits and sorts. Here, tables are groups by a hash of the key: what agrees comes together as
//!   well, in two passes whatever the width of the key, and the key may be any bits. Tables whose keys begin with the same
//!   blocks share the first pass.
//! - The paper reports a pair from every table that holds it. Here only the first one does ([`Table::must`]); this is
//!   seen from the bits that differ, without remembering pairs.
//! - Fingerprints that share many bits make long groups. Such a group is a smaller problem of the same kind, on the
//!   bits in which its members still differ, and is solved as such. So bits that are the same everywhere cost nothing.
//!
//! Memory: 8 bytes for each fingerprint beside the input, and 8 for each pair: 80 MB for ten million, whatever the
//! number of threads. Long groups are copied, once for each time that they are cut again.

use rayon::prelude::*;

/// Longest group that is compared pair by pair; longer ones are first split by their whole key.
const MAX_PAIRWISE_GROUP: usize = 64;

/// Most fingerprints that are grouped in one pass; more take two, so that each stays within the processor's cache.
const MAX_ONE_PASS: usize = 1 << 14;

/// Fingerprints scattered at once in the first pass: a megabyte, cut into pieces that are not too small to be fetched.
const CHUNK_FINGERPRINTS: usize = 1 << 17;

/// Fingerprints per part in the first pass, about; and most parts.
const PART_FINGERPRINTS: usize = 1 << 12;
const MAX_PARTS: usize = 1 << 12;

/// Cost of putting a fingerprint into a table, in comparisons. Measured.
const PLACING_COMPARISONS: f64 = 5.0;

/// Most blocks that are considered: with more there would be too many tables.
const MAX_BLOCKS: u32 = 40;

/// Fingerprints sampled to estimate the entropy of their bits.
const SAMPLE_FINGERPRINTS: usize = 128;

type Pair = (u32, u32);

/// All pairs `(i, j)`, `i < j`, of indexes into `fingerprints` (sorted, no duplicates) within a Hamming distance of `distance` bits
/// for which `accept` returns true, in order. `accept` is called once for each pair.
///
/// On random fingerprints the time grows a little faster than their number; to it comes the time to report the
/// pairs there are. The work is done on the threads of the caller; the result does not depend on how many there are.
///
/// # Panics
///
/// If the fingerprints are not in order, if one is there twice, or if there are more than 2^32 of them.
pub fn pairs_within(
    fingerprints: &[u64],
    distance: u32,
    accept: impl Fn(u32, u32) -> bool + Sync,
) -> Vec<(u32, u32)> {
    assert!(fingerprints.is_sorted_by(|a, b| a < b), "fingerprints in order, none twice");
    assert!(u32::try_from(fingerprints.len()).is_ok(), "places are numbered in 32 bits");
    let mut pairs = Search { fingerprints, distance, accept: &accept }.pairs(fingerprints, &[]);
    pairs.par_sort_unstable();
    pairs
}

/// One choice of blocks in which pairs agree.
struct Table {
    /// The bits of these blocks.
    key: u64,
    /// A pair is reported by this table only if it differs in each of these. Pairs that differ in fewer blocks than they
    /// may agree in the blocks of several tables. The first of these is the one whose other blocks are those in
    /// which the pair differs, filled up with the first ones: each of its other blocks that is no part of an unbroken row
    /// from the first block on must have been needed.
    must: Vec<u64>,
}

impl Table {
    /// The table whose pairs may differ in the blocks of `open` (one bit a block) only.
    fn new(blocks: &[u64], open: u64, must: &[u64]) -> Table {
        let first = open.trailing_ones() as usize;
        let is_open = |number: &usize| open >> number & 1 == 1;
        let closed = (0..blocks.len()).filter(|number| !is_open(number));
        let needed = (first..blocks.len()).filter(is_open).map(|number| blocks[number]);
        Table {
            key: closed.fold(0, |key, number| key | blocks[number]),
            must: must.iter().copied().chain(needed).collect(),
        }
    }

    /// Keys of several tables begin with the same blocks: those of the highest bits, until they tell `parts` apart.
    fn lead(&self, parts: usize) -> u64 {
        let mut lead = self.key;
        while lead.count_ones() > parts.trailing_zeros() {
            lead &= lead - 1;
        }
        lead
    }
}

/// A number whose every bit depends on all bits of a key.
fn hash(key: u64) -> u64 {
    let mixed = key.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed ^ mixed >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93)
}

/// One of `classes` (a power of two) for each key.
fn class_of(key: u64, classes: usize) -> usize {
    (hash(key) >> 32) as usize & (classes - 1)
}

/// The blocks of the cheapest cut of `varying` bits; none if it is best to compare everything with everything.
fn cut(some: &[u64], varying: u64, distance: u32) -> Option<Vec<u64>> {
    let (count, bits) = (some.len() as f64, varying.count_ones());
    let telling = telling_bits(some, varying);
    let by_tables = |blocks: u32| {
        let telling_in_key = telling * f64::from(blocks - distance) / f64::from(blocks);
        choices(blocks, distance) * count * (PLACING_COMPARISONS + count / telling_in_key.exp2() / 2.0)
    };
    let costs = (distance.saturating_add(1)..=bits.min(MAX_BLOCKS)).map(|blocks| (by_tables(blocks), blocks));
    let (cost, blocks) = costs.min_by(|a, b| a.0.total_cmp(&b.0))?;
    (cost < count * count / 2.0).then(|| blocks_of(varying, blocks))
}

/// How many random bits would tell fingerprints apart as well as `varying` do. A bit that is mostly the same tells little:
/// two agree in it more often than every other time. Seen from a sample.
fn telling_bits(some: &[u64], varying: u64) -> f64 {
    // Anywhere: at regular steps, ordered fingerprints may have the same lower bits.
    let anywhere = |i: usize| some[hash(i as u64) as usize % some.len()];
    let sample: Vec<u64> = (0..some.len().min(SAMPLE_FINGERPRINTS)).map(anywhere).collect();
    let telling = |position: u32| {
        let ones = sample.iter().filter(|&bits| bits >> position & 1 == 1).count();
        let share = ones as f64 / sample.len() as f64;
        -(share * share + (1.0 - share) * (1.0 - share)).log2()
    };
    (0..u64::BITS).filter(|position| varying >> position & 1 == 1).map(telling).sum()
}

/// How many choices of `some` out of `all` there are.
fn choices(all: u32, some: u32) -> f64 {
    (0..some).map(|i| f64::from(all - i) / f64::from(i + 1)).product()
}

/// `varying` bits in `blocks` blocks of the same number of bits, or one more.
fn blocks_of(varying: u64, blocks: u32) -> Vec<u64> {
    let bits = varying.count_ones();
    let mut masks = vec![0; blocks as usize];
    let positions = (0..u64::BITS).filter(|position| varying >> position & 1 == 1);
    for (number, position) in (0..bits).zip(positions) {
        masks[(number * blocks / bits) as usize] |= 1 << position;
    }
    masks
}

/// All ways to take `some` of `blocks` blocks, one bit a block, in the order of these numbers.
fn ways(blocks: usize, some: u32) -> impl Iterator<Item = u64> {
    let next = |&way: &u64| {
        // The next larger number with as many ones (Gosper).
        let lowest = way & way.wrapping_neg();
        let raised = way + lowest;
        (lowest != 0).then(|| raised | (((way ^ raised) >> 2) / lowest))
    };
    std::iter::successors(Some((1 << some) - 1), next).take_while(move |way| way >> blocks == 0)
}

struct Search<'a, A> {
    fingerprints: &'a [u64],
    distance: u32,
    accept: &'a A,
}

impl<A: Fn(u32, u32) -> bool + Sync> Search<'_, A> {
    /// The pairs among `some` fingerprints that differ in each of `must`.
    fn pairs(&self, some: &[u64], must: &[u64]) -> Vec<Pair> {
        let varying = varying(some);
        let Some(blocks) = cut(some, varying, self.distance) else {
            return self.all_pairs(some, must);
        };
        let tables = ways(blocks.len(), self.distance).map(|open| Table::new(&blocks, open, must));
        let possible = tables.filter(|table| table.must.iter().all(|must| must & varying & !table.key != 0));
        if some.len() <= MAX_ONE_PASS {
            possible.flat_map(|table| self.pairs_in_groups(some, &table)).collect()
        } else {
            self.pairs_in_parts(some, &possible.collect::<Vec<_>>())
        }
    }

    /// Compares everything with everything.
    fn all_pairs(&self, some: &[u64], must: &[u64]) -> Vec<Pair> {
        let table = Table { key: 0, must: must.to_vec() };
        let places: Vec<u32> = some.iter().map(|&bits| self.place(bits)).collect();
        let row = |one: usize| {
            let near = self.near(some, one, &table).map(|other| in_order(places[one], places[other]));
            near.filter(|pair| (self.accept)(pair.0, pair.1)).collect::<Vec<_>>()
        };
        if some.len() <= PART_FINGERPRINTS {
            (0..some.len()).flat_map(row).collect()
        } else {
            (0..some.len()).into_par_iter().flat_map_iter(row).collect()
        }
    }

    /// For tables whose keys begin alike, scatters chunks into parts by that, and looks at each part by itself.
    fn pairs_in_parts(&self, some: &[u64], tables: &[Table]) -> Vec<Pair> {
        let parts = (some.len() / PART_FINGERPRINTS).next_power_of_two().min(MAX_PARTS);
        let mut buffer = vec![0; some.len()];
        let mut found = Vec::new();
        for alike in tables.chunk_by(|a, b| a.lead(parts) == b.lead(parts)) {
            let lead = alike[0].lead(parts);
            let chunks = some.par_chunks(CHUNK_FINGERPRINTS).zip(buffer.par_chunks_mut(CHUNK_FINGERPRINTS));
            let starts: Vec<Vec<u32>> = chunks
                .map(|(from, to)| scatter(from, to, parts, |bits| class_of(bits & lead, parts)))
                .collect();
            let in_part = |number: usize| {
                let part = gather(&buffer, &starts, number);
                alike.iter().flat_map(|table| self.pairs_in_groups(&part, table)).collect::<Vec<_>>()
            };
            found.par_extend((0..parts).into_par_iter().flat_map_iter(in_part));
        }
        found
    }

    /// Brings together what has the same key, and compares that.
    fn pairs_in_groups(&self, some: &[u64], table: &Table) -> Vec<Pair> {
        let groups = (some.len() + some.len() / 4).next_power_of_two();
        let mut grouped = vec![0; some.len()];
        let starts = scatter(some, &mut grouped, groups, |bits| class_of(bits & table.key, groups));
        let mut found = Vec::new();
        for number in 0..groups {
            match &mut grouped[range(&starts, number)] {
                [] | [_] => {}
                short if short.len() <= MAX_PAIRWISE_GROUP => self.compare(short, table, &mut found),
                long => self.pairs_in_long_group(long, table, &mut found),
            }
        }
        found
    }

    /// Keys with one hash are told apart; what has one key is searched on the bits that are left.
    fn pairs_in_long_group(&self, group: &mut [u64], table: &Table, found: &mut Vec<Pair>) {
        group.sort_unstable_by_key(|bits| bits & table.key);
        for run in group.chunk_by(|a, b| (a ^ b) & table.key == 0) {
            if run.len() <= MAX_PAIRWISE_GROUP {
                self.compare(run, table, found);
            } else {
                found.append(&mut self.pairs(run, &table.must));
            }
        }
    }

    /// Compares the members of a group with each other. Fingerprints travel without their places: these are looked up
    /// where there is a pair, which is seldom, and once for each member of a crowded group.
    fn compare(&self, group: &[u64], table: &Table, found: &mut Vec<Pair>) {
        let mut places = Vec::new();
        for one in 0..group.len() {
            for other in self.near(group, one, table) {
                places.resize(group.len(), None);
                let mut place =
                    |member: usize| *places[member].get_or_insert_with(|| self.place(group[member]));
                let pair = in_order(place(one), place(other));
                if (self.accept)(pair.0, pair.1) {
                    found.push(pair);
                }
            }
        }
    }

    /// The members of a group behind `one` that make a pair with it, as far as it is for this table to say so.
    fn near(&self, group: &[u64], one: usize, table: &Table) -> impl Iterator<Item = usize> {
        let (bits, distance) = (group[one], self.distance);
        let is_near = move |other: u64| {
            let differ = bits ^ other;
            differ & table.key == 0
                && differ.count_ones() <= distance
                && table.must.iter().all(|must| differ & must != 0)
        };
        let others = (one + 1..).zip(&group[one + 1..]);
        others.filter(move |(_, other)| is_near(**other)).map(|(number, _)| number)
    }

    fn place(&self, bits: u64) -> u32 {
        self.fingerprints.partition_point(|&other| other < bits) as u32
    }
}

fn in_order(one: u32, other: u32) -> Pair {
    (one.min(other), one.max(other))
}

/// The bits that are not the same in all fingerprints.
fn varying(some: &[u64]) -> u64 {
    let first = some.first().copied().unwrap_or_default();
    some.iter().fold(0, |varying, bits| varying | (bits ^ first))
}

/// Copies what is in `from` so that what is of one class lies together, in the order of classes. Tells where each class
/// begins, and last, where the last one ends.
fn scatter(from: &[u64], to: &mut [u64], classes: usize, class: impl Fn(u64) -> usize) -> Vec<u32> {
    // Counted two places on, so that in the end each class begins where the one before it has been filled up.
    let mut starts = vec![0; classes + 2];
    for &bits in from {
        starts[class(bits) + 2] += 1;
    }
    for number in 2..starts.len() {
        starts[number] += starts[number - 1];
    }
    for &bits in from {
        let next = &mut starts[class(bits) + 1];
        to[*next as usize] = bits;
        *next += 1;
    }
    starts.pop();
    starts
}

/// What lies in one part, out of all chunks.
fn gather(buffer: &[u64], starts: &[Vec<u32>], part: usize) -> Vec<u64> {
    let slices =
        || buffer.chunks(CHUNK_FINGERPRINTS).zip(starts).map(|(chunk, starts)| &chunk[range(starts, part)]);
    let mut gathered = Vec::with_capacity(slices().map(<[u64]>::len).sum());
    slices().for_each(|slice| gathered.extend_from_slice(slice));
    gathered
}

/// Where the members of a class lie.
fn range(starts: &[u32], class: usize) -> std::ops::Range<usize> {
    starts[class] as usize..starts[class + 1] as usize
}

#[cfg(test)]
mod tests;
