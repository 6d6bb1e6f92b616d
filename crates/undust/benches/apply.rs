//! How fast are rules applied, beside parsing alone? One thread, best of several, ratios in one run.
//!
//! The URLs are a real forum's, spread over 10,000 sites; 100,000 rules are loaded. `cost flat in the number of rules`
//! is the last table: the same URLs with ever more rules.

#![expect(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a benchmark measures time and prints it"
)]

use std::hint::black_box;
use std::io::Read;
use std::time::{Duration, Instant};

use undust::apply::{Canonicalizer, Form, Naive, Scratch};
use undust::rules::{Action, Rule, RuleSet, SiteRules};
use undust::url::{SplitUrl, normalize};

const FORUM: &[u8] = include_bytes!("../../../testdata/demo/phpbb2-computerforum.tsv.gz");
const SITES: usize = 10_000;
const URLS: usize = 200_000;
const ROUNDS: usize = 7;

fn main() {
    let urls = urls();
    let bytes: usize = urls.iter().map(String::len).sum();
    println!(
        "{} URLs, {:.1} MB, {SITES} sites; best of {ROUNDS}, one thread",
        urls.len(),
        bytes as f64 / 1e6
    );
    let parse = best(|| urls.iter().for_each(|u| drop(black_box(url::Url::parse(u)))));
    report("url::Url::parse", parse, parse, urls.len());
    report(
        "SplitUrl::new",
        best(|| urls.iter().for_each(|u| _ = black_box(SplitUrl::new(u.as_bytes())))),
        parse,
        urls.len(),
    );
    report(
        "normalize",
        best(|| urls.iter().for_each(|u| drop(black_box(normalize(u.as_bytes()))))),
        parse,
        urls.len(),
    );

    let set = rules(10);
    let naive_part = &urls[..urls.len() / 200];
    let small = RuleSet { sites: set.sites[..100].to_vec(), ..RuleSet::default() };
    let naive = Naive::new(&small, Form::Key);
    let time = best(|| naive_part.iter().for_each(|u| drop(black_box(naive.canonicalize(u.as_bytes())))));
    report("reference interpreter, 1,000 rules", time, parse / 200, naive_part.len());
    for per_site in [1, 10, 100, 1000] {
        let set = rules(per_site);
        let engine = Canonicalizer::new(&set, Form::Key);
        let time = apply(&engine, &urls);
        report(&format!("apply, {} rules", per_site * set.sites.len()), time, parse, urls.len());
    }
    let elsewhere: Vec<String> = urls.iter().map(|u| u.replacen("site", "other", 1)).collect();
    let engine = Canonicalizer::new(&set, Form::Key);
    report("apply, sites without rules", apply(&engine, &elsewhere), parse, urls.len());
    let fired = urls
        .iter()
        .filter(|u| engine.canonicalize(u.as_bytes(), &mut Scratch::new()) != u.as_bytes())
        .count();
    println!("({:.1} % of the URLs change under 100,000 rules)", 100.0 * fired as f64 / urls.len() as f64);
}

fn apply(engine: &Canonicalizer, urls: &[String]) -> Duration {
    let mut scratch = Scratch::new();
    let mut out = Vec::new();
    best(|| {
        for url in urls {
            out.clear();
            engine.append(url.as_bytes(), &mut scratch, &mut out);
            black_box(&out);
        }
    })
}

fn best(mut run: impl FnMut()) -> Duration {
    let timed = |run: &mut dyn FnMut()| {
        let start = Instant::now();
        run();
        start.elapsed()
    };
    (0..ROUNDS).map(|_| timed(&mut run)).min().unwrap_or_default()
}

fn report(what: &str, time: Duration, parse: Duration, urls: usize) {
    let rate = urls as f64 / time.as_secs_f64() / 1e6;
    let ratio = parse.as_secs_f64() / time.as_secs_f64();
    println!("{what:38} {rate:8.2} M URLs/s {ratio:8.2} x url::Url::parse");
}

/// The forum's URLs, each on the next site.
fn urls() -> Vec<String> {
    let mut text = String::new();
    flate2::read::GzDecoder::new(FORUM).read_to_string(&mut text).expect("bundled");
    let real: Vec<&str> = text.lines().skip(1).filter_map(|line| line.split('\t').next()).collect();
    let host = |i: usize| format!("www.site{}.com", (i * 7919) % SITES);
    (0..URLS).map(|i| real[i % real.len()].replacen("www.computer-forum.net", &host(i), 1)).collect()
}

/// `per_site` rules for every site (for 1,000, a tenth of the sites, to fit into memory).
fn rules(per_site: usize) -> RuleSet {
    let sites = if per_site > 100 { SITES / 10 } else { SITES };
    let site = |i: usize| SiteRules {
        site: format!("site{i}.com"),
        rules: (0..per_site).map(|k| Rule::new(rule(i, k))).collect(),
    };
    let mut set = RuleSet { sites: (0..sites).map(site).collect(), ..RuleSet::default() };
    set.sites.sort_by(|a, b| a.site.cmp(&b.site));
    set
}

/// Rules such as the learners find: some that fire on the forum, many that do not.
fn rule(site: usize, number: usize) -> Action {
    let host = format!("http://www.site{site}.com");
    let (from, to) = match number {
        0 => (
            "/viewtopic.php?t={t}&start=0&postdays=0&postorder=asc&highlight=".into(),
            "/viewtopic.php?t={t}".into(),
        ),
        1 => ("/privmsg.php?mode=post&u=*".into(), "/privmsg.php?mode=post&u=*".into()),
        2 => ("/viewtopic.php?sid=*&{...}".into(), "/viewtopic.php?{...}".into()),
        3 => ("/{...}/index.php".into(), "/{...}/".into()),
        4 => {
            ("/profile.php?mode=viewprofile&u={u}&sid=*".into(), "/profile.php?mode=viewprofile&u={u}".into())
        }
        n => (format!("/script{n}.php?id={{id}}&sort=*"), format!("/script{n}.php?id={{id}}")),
    };
    Action::rewrite(&format!("{host}{from}"), &format!("{host}{to}")).expect("valid")
}
