//! How fast is a model beside the rule engine? A real forum is learned; its URLs are then applied to rules alone, and to rules with the
//! model, whose templates are all known. Best of a few, one thread.

#![expect(clippy::print_stdout, clippy::disallowed_methods, reason = "a bench prints and looks at the clock")]

use std::hint::black_box;
use std::io::Read;
use std::time::Instant;

use undust::apply::{Canonicalizer, Form};
use undust::page::Page;
use undust::rules::RuleSet;
use undust_learn::pipeline::Config;
use undust_neural::apply::{Engine, Scratch};
use undust_neural::file::Models;
use undust_neural::learner::{Lesson, Seq2seq};
use undust_neural::teach::Settings;

const FORUM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/demo/phpbb2-computerforum.tsv.gz");
const SITE: &str = "computer-forum.net";
const ROUNDS: usize = 5;

fn main() {
    let pages = pages();
    for hidden in [64, 256] {
        let start = Instant::now();
        let lesson = learn(&pages, hidden);
        let report = lesson.model.as_ref().map(|model| model.report.clone()).unwrap_or_default();
        let seconds = start.elapsed().as_secs_f64();
        println!(
            "learn, hidden {hidden:3}: {} URLs, {} templates: {seconds:.1} s",
            report.urls, report.templates
        );
    }
    let Lesson { learned, model, .. } = learn(&pages, 64);
    let rules = RuleSet::of_site(SITE, Config::default().site_by, learned.rules.rules);
    let models: Models = model.into_iter().map(|model| (SITE.to_owned(), model)).collect();
    let engine = Canonicalizer::new(&rules, Form::Key);
    let mut scratch = undust::apply::Scratch::new();
    let alone = rate(&pages, |url, out| engine.append(url, &mut scratch, out));
    let interpreter = Engine::new(&rules, models, Form::Key);
    let mut scratch = Scratch::new();
    let both = rate(&pages, |url, out| interpreter.append(url, &mut scratch, out));
    println!("rules alone          {alone:10.0} URLs/s");
    println!("rules and the model  {both:10.0} URLs/s, {:.2} times as long", alone / both);
}

fn learn(pages: &[Page], hidden: usize) -> Lesson {
    let settings = Settings::default().with_hidden(hidden);
    Seq2seq { settings, ..Seq2seq::default() }.learn_site(SITE, pages, &Config::default())
}

fn rate(pages: &[Page], mut append: impl FnMut(&[u8], &mut Vec<u8>)) -> f64 {
    let mut out = Vec::new();
    let mut run = || {
        let start = Instant::now();
        for page in pages {
            out.clear();
            append(&page.url, &mut out);
            black_box(&out);
        }
        start.elapsed().as_secs_f64()
    };
    let best = (0..ROUNDS).map(|_| run()).fold(f64::INFINITY, f64::min);
    pages.len() as f64 / best
}

fn pages() -> Vec<Page> {
    let file = std::fs::File::open(FORUM).expect("the forum comes with the project");
    let mut text = String::new();
    flate2::read::GzDecoder::new(file).read_to_string(&mut text).expect("text");
    let page = |line: &str| {
        let (url, rest) = line.split_once('\t').expect("two columns");
        Page { cluster: rest.split('\t').next().map(str::to_owned), ..Page::new(url) }
    };
    text.lines().skip(1).map(page).collect()
}
