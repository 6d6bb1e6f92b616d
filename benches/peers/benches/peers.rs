//! undust beside other libraries, on the same data and one thread, ratios in one run.
//!
//! Fingerprints of texts: gaoya's `SimHash` of 64 bits over its `whitespace_split`, with the hasher that its own tests use, against
//! `simhash`, which takes words and shingles of three words: about twice the features. The texts are those of made-up pages, or of a
//! crawl with page sources that `UNDUST_HTML` names.
//!
//! Near fingerprints: gaoya's `SimHashIndex` is built from all fingerprints and asked for each of them. It finds
//! what differs in *less* than its distance, so it is given 4 where 3 bits may differ; with six
//! blocks, the fewest that leave it keys of more than 13 bits, that makes 15 tables with keys of 21 bits. (Seven blocks make 35
//! tables, and took three to four times as long, in another run.) What it finds is checked against what undust finds.

#[path = "../../../crates/undust-content/benches/made/mod.rs"]
mod made;

use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

use gaoya::simhash::{SimHash, SimHashIndex, SimSipHasher64};
use gaoya::text::whitespace_split;
use undust::page::Page;
use undust_content::{Document, pairs_within, simhash};
use undust_io::ReadOptions;

const DISTANCE: u32 = 3;
const BLOCKS: usize = 6;

/// Of more fingerprints, gaoya is asked for so many only, and the time for all is reckoned from that.
const MOST_QUERIES: usize = 1_000_000;

/// Fingerprinting is quick enough to take the best of so many.
const ROUNDS: usize = 7;

fn main() {
    texts();
    let one_thread = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    one_thread.install(near);
}

/// Texts to fingerprints.
fn texts() {
    let texts: Vec<String> = match std::env::var_os("UNDUST_HTML") {
        Some(path) => texts_of(path.as_ref()),
        None => made::pages(2000, 1000, 20_000).iter().map(|html| text(html.as_bytes(), None)).collect(),
    };
    let bytes = texts.iter().map(String::len).sum::<usize>();
    let their = SimHash::<SimSipHasher64, u64, 64>::new(SimSipHasher64::new(5, 6));
    let (mut ours, mut theirs) = (Duration::MAX, Duration::MAX);
    // By turns, so that both meet the same disturbances.
    for _ in 0..ROUNDS {
        ours = ours.min(all(&texts, simhash));
        theirs = theirs.min(all(&texts, |text| their.create_signature(whitespace_split(text))));
    }
    println!(
        "simhashes of {} texts, {:.1} MB; one thread, best of {ROUNDS}",
        texts.len(),
        bytes as f64 / 1e6
    );
    for (name, time) in [("undust", ours), ("gaoya", theirs)] {
        let per_second = |count: f64| count / time.as_secs_f64();
        println!(
            "{name:8} {:8.0} texts/s {:8.1} MB/s",
            per_second(texts.len() as f64),
            per_second(bytes as f64 / 1e6)
        );
    }
    println!("undust is {:.2} x as fast", ratio(theirs, ours));
}

fn all(texts: &[String], fingerprint: impl Fn(&str) -> u64) -> Duration {
    timed(|| black_box(texts.iter().fold(0, |all, text| all ^ fingerprint(text)))).1
}

/// The visible texts of a crawl.
fn texts_of(path: &Path) -> Vec<String> {
    let mut texts = Vec::new();
    let mut keep = |page: Page| {
        texts.extend(page.body.map(|body| text(&body.bytes, body.content_type.as_deref())));
    };
    undust_io::read(path, &ReadOptions::default(), &mut keep).expect("UNDUST_HTML names a file of pages");
    texts
}

fn text(html: &[u8], content_type: Option<&str>) -> String {
    Document::read(html, content_type).text
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
