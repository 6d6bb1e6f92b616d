//! How fast are rules applied, beside parsing alone? One thread, best of several, ratios in one run.
//!
//! The URLs are a real forum's, spread over 10,000 sites; 100,000 rules are loaded. That the cost is flat in the
//! number of rules shows in the rows behind: the same URLs with a tenth and ten times as many. The last rows are sites of
//! substitutions, few and many on each.

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
const SUBSTITUTION_SITES: usize = 50;
const URLS: usize = 200_000;
const ROUNDS: usize = 7;

fn main() {
    let urls = on_sites(SITES);
    let elsewhere: Vec<String> = urls.iter().map(|u| u.replacen("site", "other", 1)).collect();
    let few = &urls[..urls.len() / 200];
    let bytes: usize = urls.iter().map(String::len).sum();
    println!(
        "{} URLs, {:.1} MB, {SITES} sites; best of {ROUNDS}, one thread",
        urls.len(),
        bytes as f64 / 1e6
    );
    let set = rules(10);
    let engine = Canonicalizer::of_rules(&set, Form::Key);
    let small = RuleSet { sites: set.sites[..100].to_vec(), ..RuleSet::default() };
    let naive = Naive::new(&small, Form::Key);
    let others: Vec<(usize, Canonicalizer)> =
        [1, 100].map(|per_site| (per_site, Canonicalizer::of_rules(&rules(per_site), Form::Key))).into();
    let forum = on_sites(SUBSTITUTION_SITES);
    let substitutes: Vec<(usize, Canonicalizer)> = [20, 200]
        .map(|per_site| (per_site, Canonicalizer::of_rules(&substitutions(per_site), Form::Key)))
        .into();
    let mut parse = row("url::Url::parse", &urls, |url| drop(black_box(url::Url::parse(url))));
    let mut rows = vec![
        row("SplitUrl::new", &urls, |url| _ = black_box(SplitUrl::new(url.as_bytes()))),
        row("normalize", &urls, |url| drop(black_box(normalize(url.as_bytes())))),
        row("reference interpreter, 1,000 rules", few, |url| {
            drop(black_box(naive.canonicalize(url.as_bytes())));
        }),
        row("apply, sites without rules", &elsewhere, apply(&engine)),
        row("apply, 100000 rules", &urls, apply(&engine)),
    ];
    rows.extend(
        others.iter().map(|(n, engine)| row(&format!("apply, {} rules", n * SITES), &urls, apply(engine))),
    );
    rows.extend(substitutes.iter().map(|(n, engine)| {
        let what = format!("apply, {n} substitutions on each of {SUBSTITUTION_SITES} sites");
        row(&what, &forum, apply(engine))
    }));
    for row in &mut rows {
        // Each beside the parser, turn by turn: a busy moment of the machine falls on both.
        parse.best = Duration::MAX;
        for _ in 0..ROUNDS {
            parse.run();
            row.run();
        }
        let (rate, ratio) = (1e-6 / row.per_url(), parse.per_url() / row.per_url());
        println!("{:46} {rate:8.2} M URLs/s {ratio:8.2} x url::Url::parse", row.what);
    }
    let (rules, substitutions) = (changed(&engine, &urls), changed(&substitutes[1].1, &forum));
    println!(
        "({rules:.1} % of the URLs change under 100,000 rules, {substitutions:.1} % under substitutions)"
    );
}

/// How many URLs change, in percent.
fn changed(engine: &Canonicalizer, urls: &[String]) -> f64 {
    let mut scratch = Scratch::new();
    let changes = |url: &&String| engine.canonicalize(url.as_bytes(), &mut scratch) != url.as_bytes();
    100.0 * urls.iter().filter(changes).count() as f64 / urls.len() as f64
}

/// Something to measure.
struct Row<'b> {
    what: String,
    urls: &'b [String],
    each: Box<dyn FnMut(&str) + 'b>,
    best: Duration,
}

fn row<'b>(what: &str, urls: &'b [String], each: impl FnMut(&str) + 'b) -> Row<'b> {
    Row { what: what.to_owned(), urls, each: Box::new(each), best: Duration::MAX }
}

impl Row<'_> {
    fn run(&mut self) {
        let start = Instant::now();
        self.urls.iter().for_each(|url| (self.each)(url));
        self.best = self.best.min(start.elapsed());
    }

    fn per_url(&self) -> f64 {
        self.best.as_secs_f64() / self.urls.len() as f64
    }
}

fn apply(engine: &Canonicalizer) -> impl FnMut(&str) {
    let mut scratch = Scratch::new();
    let mut out = Vec::new();
    move |url| {
        out.clear();
        engine.canonicalize_into(url.as_bytes(), &mut scratch, &mut out);
        black_box(&out);
    }
}

/// The forum's URLs, each on the next site.
fn on_sites(sites: usize) -> Vec<String> {
    let mut text = String::new();
    flate2::read::GzDecoder::new(FORUM).read_to_string(&mut text).expect("bundled");
    let real: Vec<&str> = text.lines().skip(1).filter_map(|line| line.split('\t').next()).collect();
    let host = |i: usize| format!("www.site{}.com", (i * 7919) % sites);
    (0..URLS).map(|i| real[i % real.len()].replacen("www.computer-forum.net", &host(i), 1)).collect()
}

/// `per_site` rules for every site.
fn rules(per_site: usize) -> RuleSet {
    let site = |i: usize| SiteRules {
        site: format!("site{i}.com"),
        rules: (0..per_site).map(|k| Rule::new(rule(i, k))).collect(),
    };
    let mut set = RuleSet { sites: (0..SITES).map(site).collect(), ..RuleSet::default() };
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

/// `per_site` substitutions for each of a few sites: some that fire on the forum, many that do not.
fn substitutions(per_site: usize) -> RuleSet {
    let substitution = |number: usize| {
        let (from, to) = match number {
            0 => ("&start=0&postdays=0&postorder=asc&highlight=$".into(), "$"),
            1 => ("&postdays=0".into(), ""),
            2 => ("privmsg.php?mode=post".into(), "privmsg.php?mode=new"),
            3 => ("/index.php$".into(), "/$"),
            4 => ("&mark=topics".into(), ""),
            n if n % 2 == 0 => (format!("script{n}.php?id="), "script_"),
            n => (format!("&mode=style{n}"), ""),
        };
        Rule::new(Action::substitute(&from, to).expect("valid"))
    };
    let site = |i: usize| SiteRules {
        site: format!("site{i}.com"),
        rules: (0..per_site).map(substitution).collect(),
    };
    let mut set = RuleSet { sites: (0..SUBSTITUTION_SITES).map(site).collect(), ..RuleSet::default() };
    set.sites.sort_by(|a, b| a.site.cmp(&b.site));
    set
}
