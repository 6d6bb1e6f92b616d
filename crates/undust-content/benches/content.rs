//! How fast does a page become a fingerprint? How fast are near fingerprints found, and does the time grow with their number?
//! Best of a few.
//!
//! Beside the index of another library: `benches/peers`.

#![expect(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a bench prints, looks at the clock and at /proc"
)]

mod made;

use std::hint::black_box;
use std::time::{Duration, Instant};

use undust::page::{Body, Page};
use undust_content::{Document, pairs_within, read_body, simhash};

const ROUNDS: usize = 3;

fn main() {
    pages();
    near();
}

/// From HTML to text, and to a fingerprint, in one thread.
fn pages() {
    let pages = made::pages(1000, 20_000, 40_000);
    let bytes = pages.iter().map(String::len).sum::<usize>() as f64;
    println!("{} pages of HTML, {:.1} MB; best of {ROUNDS}", pages.len(), bytes / 1e6);
    let rate = |what: &str, work: &dyn Fn(&str) -> u64| {
        let run = || {
            let start = Instant::now();
            black_box(pages.iter().fold(0, |all, html| all ^ work(html)));
            start.elapsed()
        };
        let time = (0..ROUNDS).map(|_| run()).min().unwrap_or_default();
        println!("{what:28} {:7.1} MB/s", bytes / 1e6 / time.as_secs_f64());
    };
    rate("read", &|html| Document::read(html.as_bytes(), None).text.len() as u64);
    rate("read and fingerprinted", &fingerprint);
}

fn fingerprint(html: &str) -> u64 {
    let body = Some(Body { bytes: html.into(), content_type: None, ..Body::default() });
    let mut page = Page { body, ..Page::new("https://www.example.org/") };
    read_body(&mut page);
    page.text.as_deref().map_or(0, simhash)
}

fn near() {
    println!("pairs of random and planted fingerprints within 3 bits; best of {ROUNDS}");
    for threads in [1, 0] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        println!("{} threads:", pool.current_num_threads());
        let mut before = None;
        for count in [1_000_000, 2_000_000, 4_000_000, 8_000_000] {
            let fingerprints = made::fingerprints(count);
            let what = format!("{} M random", count / 1_000_000);
            before = Some(report(&what, &pool, &fingerprints, 3, before));
        }
        let random = made::fingerprints(1_000_000);
        for distance in [0, 1, 2, 4, 6, 8] {
            report(&format!("1 M random, {distance} bits"), &pool, &random, distance, None);
        }
        let mut shared: Vec<u64> = random.iter().step_by(5).map(|bits| bits >> 32).collect();
        shared.dedup();
        report("200,000 that share 32 bits", &pool, &shared, 3, None);
        report("all of up to 3 bits set", &pool, &sparse(3), 3, None);
    }
    println!("peak resident memory: {}", peak_memory().as_deref().unwrap_or("unknown here"));
}

/// Prints a line, and gives the time for the next one to compare with.
fn report(
    what: &str,
    pool: &rayon::ThreadPool,
    fingerprints: &[u64],
    distance: u32,
    before: Option<Duration>,
) -> Duration {
    let mut pairs = 0;
    let mut run = || {
        let start = Instant::now();
        pairs = pool.install(|| pairs_within(fingerprints, distance, |_, _| true)).len();
        start.elapsed()
    };
    let time = (0..ROUNDS).map(|_| run()).min().unwrap_or_default();
    let each = time.as_secs_f64() * 1e9 / fingerprints.len() as f64;
    let growth = before.map_or(String::new(), |less| {
        format!("{:6.2} x the time of half", time.as_secs_f64() / less.as_secs_f64())
    });
    println!("{what:28} {:7.3} s {each:9.1} ns each {pairs:9} pairs {growth}", time.as_secs_f64());
    time
}

/// All fingerprints with at most `most` bits set.
fn sparse(most: u32) -> Vec<u64> {
    let mut found = vec![0_u64];
    let mut from = 0;
    for _ in 0..most {
        let until = found.len();
        for place in from..until {
            let bits = found[place];
            found.extend((0..bits.trailing_zeros()).map(|position| bits | 1 << position));
        }
        from = until;
    }
    found.sort_unstable();
    found
}

/// `VmHWM` of this process, where the system tells.
fn peak_memory() -> Option<String> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().to_owned())
}
