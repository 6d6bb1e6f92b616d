//! undust inside of another program: learn from rows, save, load, canonicalize, explain.

#![expect(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a program of its own prints and writes files"
)]

use std::error::Error;

use undust::{Canonicalizer, Form, Page, RuleSet, Scratch, explain};
use undust_learn::LearnOptions;

fn main() -> Result<(), Box<dyn Error>> {
    let row = |n: u32| (format!("http://shop.example/item?id={}&sid=s{n}", n / 2), format!("item {}", n / 2));
    let pages = (0..1000).map(row).map(|(url, item)| Page { cluster: Some(item), ..Page::new(url) });
    let learned = LearnOptions::new().max_fpr(0.01).build()?.learn(pages);
    let file = std::env::temp_dir().join(format!("undust-embed-{}.json", std::process::id()));
    std::fs::write(&file, learned.rules.to_json())?;
    let rules = RuleSet::from_json(&std::fs::read_to_string(&file)?)?;
    let url = "http://shop.example/item?id=4711&sid=new";
    println!("{}", Canonicalizer::new(&rules, Form::Url)?.canonicalize_str(url, &mut Scratch::new()));
    for step in explain(&rules, Form::Url, url.as_bytes())?.steps {
        println!("{}", step.rule.map_or("normalised".to_owned(), |rule| rule.action.to_string()));
    }
    Ok(std::fs::remove_file(file)?)
}
