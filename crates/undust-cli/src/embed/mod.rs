//! The commands as functions, for programs in other languages: options in, values out, and nothing printed.
//!
//! Options are those of the command line (`["--method", "rewrite"]`), read by the same parser: names, defaults and messages are the same.

mod sites;

use anyhow::{Error, Result};
use clap::Parser;
use clap::error::ErrorKind;
use serde_json::{Value, json};
use undust::apply::Form;
use undust_io::{Format, Input, ReadError, Summary, write_pages};
use undust_neural::Engine;

use crate::args::{Cluster, Eval, Learn};
use crate::commands::cluster::clusters_of;
use crate::commands::eval::scores_of;
use crate::commands::explain;
use crate::commands::learn::{attend, config};
use crate::report::Collector;
pub use crate::rules_file::{Deployed, warnings};
use crate::talk::problems_of;
pub use sites::{Sample, Scorer, SiteLearner, SiteLesson, SiteScore, fingerprint, prepare};

/// What a command gives, and what it has to say about its input.
#[derive(Debug)]
pub struct Told<T> {
    /// What was asked for.
    pub result: T,
    /// What a person should know: rows that could not be read, why there is no rule.
    pub talk: Vec<String>,
}

impl<T> Told<T> {
    fn by(command: impl FnOnce(&Talk) -> Result<T>) -> Result<Told<T>> {
        let talk = Talk::default();
        let result = command(&talk)?;
        Ok(Told { result, talk: talk.0.into_inner() })
    }
}

/// Lines of talk, collected.
#[derive(Default)]
struct Talk(std::cell::RefCell<Vec<String>>);

impl Talk {
    fn say(&self, line: &str) {
        self.0.borrow_mut().push(line.to_owned());
    }

    fn tell(&self, summary: &Summary) {
        self.0.borrow_mut().extend(problems_of(summary));
    }
}

/// Options that are wrong: another one was meant, or another value.
#[derive(Debug)]
pub struct BadOption(String);

impl std::fmt::Display for BadOption {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for BadOption {}

/// Inputs to read, one after the other.
pub type Inputs = Vec<Result<Input, ReadError>>;

/// `undust learn`: rules, and what `--json` prints of them. What was decided on `earlier` rules is kept.
///
/// # Errors
///
/// [`BadOption`]; those of reading; if there is nothing to learn from.
pub fn learn(
    inputs: Inputs,
    options: &[String],
    earlier: Option<&Deployed>,
) -> Result<Told<(Deployed, Value)>> {
    let args: Learn = parse(options)?;
    Told::by(|talk| {
        let collector = Collector::new(false, &config(&args));
        let course = attend(inputs, &args, earlier, &collector, &|summary| talk.tell(summary))?;
        course.talk.iter().map(String::as_str).chain(course.hint()).for_each(|line| talk.say(line));
        let summary = course.summary();
        Ok((course.deployed, summary))
    })
}

/// `undust eval --rules`: what `--json` prints.
///
/// # Errors
///
/// As [`learn`].
pub fn evaluate(deployed: &Deployed, inputs: Inputs, options: &[String]) -> Result<Told<Value>> {
    let args: Eval = parse(&[&["--rules".to_owned(), "-".to_owned()], options].concat())?;
    let mut deployed = deployed.clone();
    deployed.rules.normalize &= !args.manner.no_normalize;
    Told::by(|talk| {
        let scores =
            scores_of(&deployed, inputs, &args, &|summary| talk.tell(summary), &|line| talk.say(line))?;
        Ok(json!(scores))
    })
}

/// `undust cluster`: pages with their clusters, site by site, as JSON lines; and what `--json` prints.
///
/// # Errors
///
/// As [`learn`].
pub fn cluster(inputs: Inputs, options: &[String]) -> Result<Told<(Vec<u8>, Value)>> {
    let args: Cluster = parse(options)?;
    Told::by(|talk| {
        let (sites, report) = clusters_of(inputs, &args, &|summary| talk.tell(summary))?;
        let mut lines = Vec::new();
        write_pages(&mut lines, sites.iter().flat_map(|(_, pages)| pages), Format::Jsonl)?;
        Ok((lines, json!(report)))
    })
}

/// `undust explain`: what `--json` prints of a URL.
pub fn explain(deployed: &Deployed, url: &[u8], form: Form) -> Value {
    let both = Engine::new(&deployed.rules, deployed.models.clone(), form);
    explain::explained(url, &deployed.rules, form, &both)
}

/// The arguments of a command. Its inputs come otherwise: one that is never opened stands for them.
fn parse<A: Parser>(options: &[String]) -> Result<A> {
    let words = std::iter::once("undust").chain(options.iter().map(String::as_str)).chain(["--", "-"]);
    A::try_parse_from(words).map_err(|error| {
        let text = error.render().to_string();
        let is_help = matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion);
        // Behind it stand the usage and a hint at --help, which is not there.
        let first = text.split("\n\n").next().unwrap_or_default();
        let message = if is_help { "this is no option" } else { first.trim_start_matches("error: ") };
        Error::new(BadOption(message.to_owned()))
    })
}
