//! How fast is a model beside the rule engine? A real forum is learned; its URLs are then applied to rules alone, and to rules with the
//! model, whose templates are all known. Best of a few, one thread.

#![expect(clippy::print_stdout, clippy::disallowed_methods, reason = "a bench prints and looks at the clock")]

use std::hint::black_box;
use std::io::Read;
use std::time::Instant;

use undust::apply::{Canonicalizer, Form};
use undust::page::Page;
use undust_learn::LearnOptions;
use undust_neural::{Engine, RuleFile, Scratch, trainer};

const FORUM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/demo/phpbb2-computerforum.tsv.gz");
const ROUNDS: usize = 5;

fn main() {
    let pages = pages();
    for hidden in [64, 256] {
        let start = Instant::now();
        let file = learn(&pages, hidden);
        let report = file.models.values().next().map(|model| model.report.clone()).unwrap_or_default();
        let seconds = start.elapsed().as_secs_f64();
        println!(
            "learn, hidden {hidden:3}: {} URLs, {} templates: {seconds:.1} s",
            report.urls, report.templates
        );
    }
    let file = learn(&pages, 64);
    let engine = Canonicalizer::of_rules(&file.rules, Form::Key);
    let mut scratch = undust::apply::Scratch::new();
    let alone = rate(&pages, |url, out| engine.canonicalize_into(url, &mut scratch, out));
    let both_engines = Engine::new(&file, Form::Key);
    let mut scratch = Scratch::new();
    let both = rate(&pages, |url, out| both_engines.canonicalize_into(url, &mut scratch, out));
    println!("rules alone          {alone:10.0} URLs/s");
    println!("rules and the model  {both:10.0} URLs/s, {:.2} times as long", alone / both);
}

fn learn(pages: &[Page], hidden: usize) -> RuleFile {
    let options = LearnOptions::new().method("seq2seq").set("seq2seq.hidden", &hidden.to_string());
    let learned = options.trainer(trainer).build().expect("valid options").learn(pages.to_vec());
    let mut file = RuleFile::of_rules(learned.rules);
    file.add_models(learned.models.into_values()).expect("a model file");
    file
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
