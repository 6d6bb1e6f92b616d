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
//!   well, with no more than two passes over the fingerprints whatever the width of the key, and the key may be any bits.
//! - The paper reports a pair from every table that holds it. Here only the first one does ([`Table::must`]); this is
//!   seen from the bits that differ, without remembering pairs.
//! - Fingerprints that share many bits make long groups. Such a group is a smaller problem of the same kind, on the
//!   bits in which its members still differ, and is solved as such. So bits that are the same everywhere cost nothing.
//!
//! Memory: 16 bytes for each fingerprint, the same again for the table in work, and 8 for each pair: 320 MB for ten
//! million, whatever the number of threads.

use rayon::prelude::*;

/// Groups up to this length are compared pair by pair; longer ones are first split by their whole key.
const SHORT: usize = 64;

/// A table of more fingerprints is made in two steps, so that each stays within the processor's cache.
const LARGE: usize = 1 << 14;

/// What is scattered at once in the first step: a megabyte.
const CHUNK: usize = 1 << 16;

/// About how many fingerprints come together in the first step, and into how many parts they are scattered at most.
const PART: usize = 1 << 12;
const MOST_PARTS: usize = 1 << 12;

/// What it costs to put a fingerprint into a table, in comparisons. Measured.
const PLACING: f64 = 8.0;

/// More blocks are not considered: there would be too many tables.
const MOST_BLOCKS: u32 = 40;

/// All pairs `(i, j)`, `i < j`, of places in `fingerprints` that differ in at most `distance` bits and that `accept`
/// likes, in order. `accept` is asked once for each pair. Equal fingerprints are a pair, too: if there may be many of
/// one kind, leave them out before.
///
/// On random fingerprints the time grows a little faster than their number. What cannot be avoided is the time to
/// report the pairs there are. It runs on the threads of its caller; the result does not depend on how many.
///
/// # Panics
///
/// If there are more than 2^32 fingerprints.
pub fn pairs_within(
    fingerprints: &[u64],
    distance: u32,
    accept: impl Fn(u32, u32) -> bool + Sync,
) -> Vec<(u32, u32)> {
    assert!(u32::try_from(fingerprints.len()).is_ok(), "places are numbered in 32 bits");
    let entries: Vec<Entry> =
        fingerprints.iter().zip(0..).map(|(&bits, place)| Entry { bits, place }).collect();
    let mut pairs = Search { distance, accept: &accept }.pairs(&entries, &[]);
    pairs.par_sort_unstable();
    pairs
}

type Pair = (u32, u32);

/// A fingerprint and where it stands in the input.
#[derive(Clone, Copy, Default)]
struct Entry {
    bits: u64,
    place: u32,
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
    /// No key: everything is compared with everything.
    fn of_all(must: &[u64]) -> Table {
        Table { key: 0, must: must.to_vec() }
    }

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

    /// A number that depends on nothing but the key of a fingerprint.
    fn hash(&self, entry: &Entry) -> usize {
        let mixed = (entry.bits & self.key).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        ((mixed ^ mixed >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93) >> 32) as usize
    }
}

/// Two numbers out of one hash: which part, and which group within it.
fn part(hash: usize, parts: usize) -> usize {
    hash & (parts - 1)
}

fn group(hash: usize, groups: usize) -> usize {
    (hash >> MOST_PARTS.trailing_zeros()) & (groups - 1)
}

/// The blocks of the cheapest cut of `varying` bits; none if it is best to compare everything with everything.
fn cut(fingerprints: usize, varying: u64, distance: u32) -> Option<Vec<u64>> {
    let (count, bits) = (fingerprints as f64, varying.count_ones());
    let by_tables = |blocks: u32| {
        let width = f64::from(bits * (blocks - distance)) / f64::from(blocks);
        let tables = choices(blocks, distance);
        tables * count * (PLACING + count / width.exp2() / 2.0)
    };
    let costs =
        (distance.saturating_add(1)..=bits.min(MOST_BLOCKS)).map(|blocks| (by_tables(blocks), blocks));
    let (cost, blocks) = costs.min_by(|a, b| a.0.total_cmp(&b.0))?;
    (cost < count * count / 2.0).then(|| blocks_of(varying, blocks))
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
        (lowest != 0).then(|| raised | ((way ^ raised) >> 2) / lowest)
    };
    std::iter::successors(Some((1 << some) - 1), next).take_while(move |way| way >> blocks == 0)
}

struct Search<'a, A> {
    distance: u32,
    accept: &'a A,
}

impl<A: Fn(u32, u32) -> bool + Sync> Search<'_, A> {
    /// The pairs that differ in each of `must`.
    fn pairs(&self, entries: &[Entry], must: &[u64]) -> Vec<Pair> {
        let varying = varying(entries);
        let Some(blocks) = cut(entries.len(), varying, self.distance) else {
            return self.all_pairs(entries, &Table::of_all(must));
        };
        let tables = ways(blocks.len(), self.distance).map(|open| Table::new(&blocks, open, must));
        let possible = tables.filter(|table| table.must.iter().all(|must| must & varying & !table.key != 0));
        if entries.len() <= LARGE {
            possible.flat_map(|table| self.pairs_in_groups(entries, &table)).collect()
        } else {
            let mut buffer = vec![Entry::default(); entries.len()];
            possible.flat_map(|table| self.pairs_in_parts(entries, &table, &mut buffer)).collect()
        }
    }

    /// Everything with everything.
    fn all_pairs(&self, entries: &[Entry], table: &Table) -> Vec<Pair> {
        let row = |place: usize| {
            let mut found = Vec::new();
            self.compare_first(&entries[place..], table, &mut found);
            found
        };
        if entries.len() <= PART {
            (0..entries.len()).flat_map(row).collect()
        } else {
            (0..entries.len()).into_par_iter().flat_map_iter(row).collect()
        }
    }

    /// Scatters chunks into parts by the key, and looks at each part by itself.
    fn pairs_in_parts(&self, entries: &[Entry], table: &Table, buffer: &mut [Entry]) -> Vec<Pair> {
        let parts = (entries.len() / PART).next_power_of_two().min(MOST_PARTS);
        let chunks = entries.par_chunks(CHUNK).zip(buffer.par_chunks_mut(CHUNK));
        let starts: Vec<Vec<u32>> = chunks
            .map(|(from, to)| scatter(from, to, parts, |entry| part(table.hash(entry), parts)))
            .collect();
        let gather = |number: usize| {
            let mut gathered = Vec::with_capacity(2 * PART);
            for (chunk, starts) in buffer.chunks(CHUNK).zip(&starts) {
                gathered.extend_from_slice(&chunk[range(starts, number)]);
            }
            gathered
        };
        (0..parts)
            .into_par_iter()
            .flat_map_iter(|number| self.pairs_in_groups(&gather(number), table))
            .collect()
    }

    /// Brings together what has the same key, and compares that.
    fn pairs_in_groups(&self, entries: &[Entry], table: &Table) -> Vec<Pair> {
        let groups = 2 * entries.len().next_power_of_two();
        let mut grouped = vec![Entry::default(); entries.len()];
        let starts = scatter(entries, &mut grouped, groups, |entry| group(table.hash(entry), groups));
        let mut found = Vec::new();
        for number in 0..groups {
            match &mut grouped[range(&starts, number)] {
                [] | [_] => {}
                short if short.len() <= SHORT => self.compare(short, table, &mut found),
                long => self.pairs_in_long_group(long, table, &mut found),
            }
        }
        found
    }

    /// Keys with one hash are told apart; what has one key is searched on the bits that are left.
    fn pairs_in_long_group(&self, group: &mut [Entry], table: &Table, found: &mut Vec<Pair>) {
        group.sort_unstable_by_key(|entry| entry.bits & table.key);
        for run in group.chunk_by(|a, b| (a.bits ^ b.bits) & table.key == 0) {
            if run.len() <= SHORT {
                self.compare(run, table, found);
            } else {
                found.append(&mut self.pairs(run, &table.must));
            }
        }
    }

    fn compare(&self, entries: &[Entry], table: &Table, found: &mut Vec<Pair>) {
        for place in 0..entries.len() {
            self.compare_first(&entries[place..], table, found);
        }
    }

    /// Compares the first entry with all others.
    fn compare_first(&self, entries: &[Entry], table: &Table, found: &mut Vec<Pair>) {
        let Some((one, others)) = entries.split_first() else { return };
        for other in others {
            let differ = one.bits ^ other.bits;
            if differ & table.key == 0
                && differ.count_ones() <= self.distance
                && table.must.iter().all(|must| differ & must != 0)
            {
                let pair = (one.place.min(other.place), one.place.max(other.place));
                if (self.accept)(pair.0, pair.1) {
                    found.push(pair);
                }
            }
        }
    }
}

/// The bits that are not the same in all entries.
fn varying(entries: &[Entry]) -> u64 {
    let first = entries.first().map_or(0, |entry| entry.bits);
    entries.iter().fold(0, |varying, entry| varying | (entry.bits ^ first))
}

/// Copies entries so that those of one class lie together, in order of the classes. Tells where each class begins,
/// and after the last one, where it ends.
fn scatter(from: &[Entry], to: &mut [Entry], classes: usize, class: impl Fn(&Entry) -> usize) -> Vec<u32> {
    // What is counted for a class stands two places on; its place moves on as it fills, and ends where the next begins.
    let mut starts = vec![0; classes + 2];
    for entry in from {
        starts[class(entry) + 2] += 1;
    }
    for number in 2..starts.len() {
        starts[number] += starts[number - 1];
    }
    for entry in from {
        let next = &mut starts[class(entry) + 1];
        to[*next as usize] = *entry;
        *next += 1;
    }
    starts.pop();
    starts
}

/// Where the entries of a class lie.
fn range(starts: &[u32], class: usize) -> std::ops::Range<usize> {
    starts[class] as usize..starts[class + 1] as usize
}

#[cfg(test)]
mod tests;
