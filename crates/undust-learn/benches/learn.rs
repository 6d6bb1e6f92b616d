//! How fast are rules learned, and does the time grow with the input? One thread, best of a few, sites one after the other.
//!
//! The pages are a real forum's, on many hosts; the rows of one host are made when their turn comes, so that memory is the
//! learner's. `-- full` goes on to two million rows.

#![expect(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a bench prints, looks at the clock and at /proc"
)]

use std::time::{Duration, Instant};

use undust::page::Page;
use undust_io::{ReadOptions, read};
use undust_learn::learn::Learner;
use undust_learn::learn::decision_tree::DecisionTree;
use undust_learn::learn::dustbuster::{Dustbuster, Settings, Similar};
use undust_learn::learn::pattern_tree::PatternTree;
use undust_learn::learn::rewrite::Rewrite;
use undust_learn::listing::Listing;
use undust_learn::pipeline::{Config, learn_site};

const FORUM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/demo/phpbb2-computerforum.tsv.gz");
const HOST: &str = "www.computer-forum.net";

fn main() {
    let full = std::env::args().any(|argument| argument == "full");
    let forum = forum();
    println!("{} rows of a forum on many hosts; one thread", forum.len());
    let sizes: &[usize] = if full { &[250_000, 500_000, 1_000_000, 2_000_000] } else { &[250_000, 500_000] };
    let learners: [&dyn Learner; 3] = [
        &DecisionTree::default(),
        &PatternTree { both_ways: false, ..PatternTree::default() },
        &Rewrite::default(),
    ];
    for learner in learners {
        println!("{}:", learner.name());
        let mut before = None;
        for &rows in sizes {
            before = Some(report("many sites", rows, many_sites(&forum, rows, learner), before));
        }
        let mut before = None;
        for urls in [100_000, 300_000] {
            before = Some(report("one cluster", urls, one_cluster(urls, learner), before));
        }
        let mut before = None;
        for urls in [125_000, 250_000, 500_000] {
            before = Some(report("distinct values", urls, distinct_values(urls, learner), before));
        }
    }
    println!("dustbuster:");
    for (what, similar) in [("URLs alone", Similar::NONE), ("with sizes", Similar::ALL)] {
        let mut before = None;
        for urls in if full { &[200_000, 800_000, 1_600_000][..] } else { &[200_000, 800_000] } {
            before = Some(report(what, *urls, one_forum(&forum, *urls, similar), before));
        }
    }
    println!("peak resident memory: {}", peak_memory().as_deref().unwrap_or("unknown here"));
}

fn forum() -> Vec<Page> {
    let mut pages = Vec::new();
    read(FORUM.as_ref(), &ReadOptions::default(), &mut |page| pages.push(page)).expect("bundled");
    pages
}

/// Time to learn from `rows` rows, host by host; making the rows does not count.
fn many_sites(forum: &[Page], rows: usize, learner: &dyn Learner) -> Duration {
    let mut time = Duration::ZERO;
    let mut left = rows;
    for host in 0.. {
        if left == 0 {
            break;
        }
        let name = format!("site{host}.com");
        let pages: Vec<Page> = forum.iter().take(left).map(|page| on_host(page, &name)).collect();
        left -= pages.len();
        time += learn(&name, pages, learner);
    }
    time
}

fn on_host(page: &Page, name: &str) -> Page {
    let url = String::from_utf8_lossy(&page.url).replacen(HOST, &format!("www.{name}"), 1);
    Page { url: url.into_bytes(), ..page.clone() }
}

/// One page behind all URLs but a few hundred, such as a login wall.
fn one_cluster(urls: usize, learner: &dyn Learner) -> Duration {
    let wall = |i: usize| page(format!("http://site.com/login?to=t{}&sid={i}", i % 977), "login".to_owned());
    let other = |i: usize| page(format!("http://site.com/page/{i}"), i.to_string());
    let pages = || (0..urls).map(wall).chain((0..500).map(other)).collect();
    (0..2).map(|_| learn("site.com", pages(), learner)).min().unwrap_or_default()
}

/// A key that has another value in every URL.
fn distinct_values(urls: usize, learner: &dyn Learner) -> Duration {
    let url = |i: usize| page(format!("http://site.com/item?id={}&sid={i}", i / 2), (i / 2).to_string());
    (0..2).map(|_| learn("site.com", (0..urls).map(url).collect(), learner)).min().unwrap_or_default()
}

/// One forum that has grown: every copy of its rows has numbers of its own. Time of dustbuster at the paper's settings, on one
/// thread, from pages to likely rules.
fn one_forum(forum: &[Page], urls: usize, similar: Similar) -> Duration {
    let grown = |copy: usize, page: &Page| {
        let mut url = Vec::new();
        for run in page.url.chunk_by(|a, b| a.is_ascii_digit() == b.is_ascii_digit()) {
            url.extend_from_slice(run);
            if run.len() > 2 && run[0].is_ascii_digit() {
                url.extend_from_slice(copy.to_string().as_bytes());
            }
        }
        Page { url, cluster: None, digest: None, ..page.clone() }
    };
    let copies = (0..).flat_map(|copy| forum.iter().map(move |page| grown(copy, page)));
    let mut pages = Vec::new();
    let mut seen = std::collections::HashSet::new();
    for page in copies {
        if seen.insert(page.url.clone()) {
            pages.push(page);
        }
        if pages.len() == urls {
            break;
        }
    }
    drop(seen);
    let settings =
        Settings { similar: Similar { size_slack: 0.0, ..similar }, min_similar: 0.0, ..Settings::default() };
    let one_thread = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    let start = Instant::now();
    let likely = one_thread.install(|| Dustbuster { settings }.likely(&Listing::new(&pages, true)));
    let time = start.elapsed();
    std::hint::black_box(likely);
    time
}

fn page(url: String, label: String) -> Page {
    Page { cluster: Some(label), ..Page::new(url) }
}

fn learn(name: &str, pages: Vec<Page>, learner: &dyn Learner) -> Duration {
    let start = Instant::now();
    let learned = learn_site(name, pages, learner, &Config::default());
    let time = start.elapsed();
    std::hint::black_box(learned);
    time
}

/// Print a line, and give the time for the next one to compare with.
fn report(what: &str, urls: usize, time: Duration, before: Option<(usize, Duration)>) -> (usize, Duration) {
    let rate = urls as f64 / time.as_secs_f64() / 1e3;
    let growth = before.map_or(String::new(), |(fewer, less)| {
        let times = time.as_secs_f64() / less.as_secs_f64();
        format!("{times:6.2} x the time of {:.2} x fewer", urls as f64 / fewer as f64)
    });
    println!("{what:12} {urls:8} URLs {:7.2} s {rate:8.1} k URLs/s {growth}", time.as_secs_f64());
    (urls, time)
}

/// `VmHWM` of this process, where the system tells.
fn peak_memory() -> Option<String> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().to_owned())
}
