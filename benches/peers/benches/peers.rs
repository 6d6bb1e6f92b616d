//! undust beside other libraries, on the same data and one thread, ratios in one run.
//!
//! Near fingerprints: gaoya's `SimHashIndex` is built from all fingerprints and asked for each of them. It finds
//! what differs in *less* than its distance, so it is given 4 where 3 bits may differ; with six
//! blocks, the fewest that leave it keys of more than 13 bits, that makes 15 tables with keys of 21 bits. (Seven blocks make 35
//! tables, and took three to four times as long, in another run.) What it finds is checked against what undust finds.

#[path = "../../../crates/undust-content/benches/made/mod.rs"]
mod made;

use std::hint::black_box;
use std::time::{Duration, Instant};

use gaoya::simhash::SimHashIndex;
use undust_content::pairs_within;

const DISTANCE: u32 = 3;
const BLOCKS: usize = 6;

/// Of more fingerprints, gaoya is asked for so many only, and the time for all is reckoned from that.
const MOST_QUERIES: usize = 1_000_000;

fn main() {
    let one_thread = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    one_thread.install(near);
}

/// Pairs of fingerprints within three bits.
fn near() {
    println!("pairs of fingerprints within {DISTANCE} bits; one thread");
    let mut before = None;
    for count in [1_000_000, 2_000_000, 4_000_000] {
        let fingerprints = made::fingerprints(count);
        let (pairs, ours) = timed(|| pairs_within(&fingerprints, DISTANCE, |_, _| true));
        let theirs = gaoya(&fingerprints, &pairs);
        let growth = |times: &(Duration, Duration)| {
            format!(
                "; {:.2} x and {:.2} x the time of half",
                ratio(ours, times.0),
                ratio(theirs.all, times.1)
            )
        };
        println!(
            "{count:8} fingerprints: undust {:6.2} s, gaoya {:6.2} s (building {:.2} s; asked {}, reckoned for all): {:.1} x{}",
            ours.as_secs_f64(),
            theirs.all.as_secs_f64(),
            theirs.building.as_secs_f64(),
            theirs.asked,
            ratio(theirs.all, ours),
            before.as_ref().map_or(String::new(), growth),
        );
        before = Some((ours, theirs.all));
    }
}

/// What gaoya took.
struct Took {
    building: Duration,
    asked: usize,
    /// Building, and asking for every fingerprint.
    all: Duration,
}

fn gaoya(fingerprints: &[u64], expected: &[(u32, u32)]) -> Took {
    let (index, building) = timed(|| {
        let mut index = SimHashIndex::<u64, u32>::new(BLOCKS, DISTANCE as usize + 1);
        let ids = (0..fingerprints.len() as u32).collect();
        index.par_bulk_insert(ids, fingerprints.to_vec());
        index
    });
    let asked = &fingerprints[..fingerprints.len().min(MOST_QUERIES)];
    let (found, asking) = timed(|| {
        let found =
            |(place, bits): (u32, &u64)| index.query(bits).into_iter().filter(|&&id| id > place).count();
        (0..).zip(asked).map(found).sum::<usize>()
    });
    let expected = expected.iter().filter(|pair| (pair.0 as usize) < asked.len()).count();
    assert_eq!(black_box(found), expected, "both find the same");
    let all = building + asking.mul_f64(fingerprints.len() as f64 / asked.len() as f64);
    Took { building, asked: asked.len(), all }
}

fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let start = Instant::now();
    let result = work();
    (result, start.elapsed())
}

fn ratio(a: Duration, b: Duration) -> f64 {
    a.as_secs_f64() / b.as_secs_f64()
}
