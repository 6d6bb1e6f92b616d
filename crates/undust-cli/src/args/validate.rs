//! The command line of `undust validate`.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Result, bail};
use clap::{ArgGroup, Parser, ValueEnum};
use undust_content::SketchOptions;
use undust_fetch::{Fetcher, Options};
use undust_learn::validate::{Test, Trying};

use undust_learn::parse_share;

use super::{Reading, bytes};

/// Try rules out on pages fetched now, or on labelled ones, and write the verdicts into the rule file
#[derive(Parser)]
#[command(group = ArgGroup::new("inputs").args(["urls", "labelled"]).required(true))]
pub(crate) struct Validate {
    /// The rule file
    #[arg(short, long, value_name = "FILE")]
    pub(crate) rules: PathBuf,
    /// Fetch URLs of these lists, crawls or logs, - for standard input
    #[arg(long, num_args = 1.., value_name = "LIST")]
    pub(crate) urls: Vec<PathBuf>,
    /// Fetch nothing: compare the clusters or digests of these files
    #[arg(long, num_args = 1.., value_name = "FILE")]
    pub(crate) labelled: Vec<PathBuf>,
    /// Where to write the rules (default: back into the rule file)
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) trying: TryingArgs,
    #[command(flatten)]
    pub(crate) reading: Reading,
    /// Print the summary as JSON instead of a table
    #[arg(long)]
    pub(crate) json: bool,
    // Last: what follows would stand under their headings.
    #[command(flatten)]
    pub(crate) fetching: Fetching,
    #[command(flatten)]
    pub(crate) comparing: Comparing,
}

/// How much it takes to believe or to refute a rule.
#[derive(Parser)]
pub(crate) struct TryingArgs {
    /// URLs that each rule is tried on, at most
    #[arg(long, default_value_t = Trying::default().samples, value_parser = clap::value_parser!(u64).range(1..), value_name = "N")]
    samples: u64,
    /// A rule is refuted by this share of URLs that do not keep their page
    #[arg(long, default_value_t = Trying::default().refute, value_parser = less_than_half, allow_negative_numbers = true, value_name = "SHARE")]
    refute: f64,
    /// A rule with fewer URLs to try it on stays undecided
    #[arg(long, hide_short_help = true, default_value_t = Trying::default().min_trials, value_name = "N")]
    min_trials: u64,
    /// When the trials of a rule are enough (default: sequential with --urls, fixed with --labelled)
    #[arg(long, hide_short_help = true, value_name = "TEST")]
    test: Option<TestArg>,
}

#[derive(Clone, Copy, ValueEnum)]
enum TestArg {
    /// As soon as they leave no doubt: after some 43 without a failure
    Sequential,
    /// As in the WWW 2007 paper: when the rest of the --samples cannot change the verdict, after 95 without a failure
    Fixed,
}

impl TryingArgs {
    /// With the `usual` test, unless the command line names one.
    pub(crate) fn trying(&self, usual: Test) -> Trying {
        let test = self.test.map_or(usual, |test| match test {
            TestArg::Sequential => Test::Sequential,
            TestArg::Fixed => Test::Fixed,
        });
        Trying { samples: self.samples, refute: self.refute, min_trials: self.min_trials, test }
    }
}

/// How pages are fetched.
#[derive(Parser)]
#[command(next_help_heading = "Fetching")]
pub(crate) struct Fetching {
    /// Where you are found, for those whose servers are asked: sent with every request
    #[arg(long, value_name = "ADDRESS")]
    contact: Option<String>,
    /// Pause after each answer of a host; longer where its robots.txt asks for it
    #[arg(long, default_value_t = Options::default().delay.as_secs_f64(), value_parser = seconds, value_name = "SECONDS")]
    delay: f64,
    /// Fetch nothing from a host whose robots.txt asks for longer pauses than this
    #[arg(long, hide_short_help = true, default_value_t = Options::default().max_crawl_delay.as_secs_f64(), value_parser = seconds, value_name = "SECONDS")]
    max_crawl_delay: f64,
    /// Time limit of a page
    #[arg(long, hide_short_help = true, default_value_t = Options::default().total_timeout.as_secs_f64(), value_parser = seconds, value_name = "SECONDS")]
    timeout: f64,
    /// Bytes of a page that are read, at most
    #[arg(long, hide_short_help = true, default_value = "2M", value_parser = bytes, value_name = "BYTES")]
    max_size: u64,
    /// Redirects that are followed, at most
    #[arg(long, hide_short_help = true, default_value_t = Options::default().max_redirects, value_name = "N")]
    max_redirects: u32,
    /// Retries of a request without an answer, with growing pauses
    #[arg(long, hide_short_help = true, default_value_t = Options::default().retries, value_name = "N")]
    retries: u32,
    /// Requests in all, at most
    #[arg(long, default_value_t = Options::default().budget, value_name = "REQUESTS")]
    budget: u64,
    /// Fetch from loopback and private networks, too: for servers of your own
    #[arg(long)]
    allow_private: bool,
}

impl Fetching {
    /// A fetcher, if those whose servers are asked can find out by whom.
    pub(crate) fn fetcher(&self) -> Result<Fetcher> {
        if self.contact.is_none() && !self.allow_private {
            bail!(
                "say where those whose servers are asked find you: --contact keeper@example.com \
                 (not needed with --allow-private, for servers of your own)"
            );
        }
        Ok(Fetcher::new(self.options())?)
    }

    pub(crate) fn options(&self) -> Options {
        let defaults = Options::default();
        let timeout = Duration::from_secs_f64(self.timeout);
        Options {
            contact: self.contact.clone(),
            delay: Duration::from_secs_f64(self.delay),
            max_crawl_delay: Duration::from_secs_f64(self.max_crawl_delay),
            connect_timeout: defaults.connect_timeout.min(timeout),
            read_timeout: defaults.read_timeout.min(timeout),
            total_timeout: timeout,
            max_body: usize::try_from(self.max_size).unwrap_or(usize::MAX),
            max_redirects: self.max_redirects,
            retries: self.retries,
            budget: self.budget,
            allow_private: self.allow_private,
            ..defaults
        }
    }
}

/// How pages are compared.
#[derive(Parser)]
#[command(next_help_heading = "Comparing")]
pub(crate) struct Comparing {
    /// Shingles of a page that are kept to compare it
    #[arg(long, hide_short_help = true, default_value_t = SketchOptions::default().shingles, value_name = "N")]
    shingles: usize,
    /// Words in a shingle
    #[arg(long, hide_short_help = true, default_value_t = SketchOptions::default().words, value_name = "N")]
    shingle_words: usize,
    /// Share of their shingles, beside the title, that makes two pages the same
    #[arg(long, hide_short_help = true, default_value_t = SketchOptions::default().agree, value_parser = parse_share, allow_negative_numbers = true, value_name = "SHARE")]
    agree: f64,
    /// As in the WWW 2007 paper: four shingles of ten words must all agree, whatever the titles
    #[arg(long, hide_short_help = true, conflicts_with_all = ["shingles", "shingle_words", "agree"])]
    paper_sketch: bool,
}

impl Comparing {
    pub(crate) fn options(&self) -> SketchOptions {
        if self.paper_sketch {
            return SketchOptions::dustbuster();
        }
        let (shingles, words, agree) = (self.shingles.max(1), self.shingle_words.max(1), self.agree);
        SketchOptions { shingles, words, agree, ..SketchOptions::default() }
    }
}

/// A rule that is refuted only by most of its URLs would be believed on the word of few.
fn less_than_half(text: &str) -> Result<f64, String> {
    parse_share(text)
        .map_err(|error| error.to_string())
        .and_then(|value| if value < 0.5 { Ok(value) } else { Err(format!("{text} is not below 0.5")) })
}

/// A day is longer than any pause that makes sense.
const MAX_PAUSE_SECONDS: f64 = 86_400.0;

fn seconds(text: &str) -> Result<f64, String> {
    let value: f64 = text.parse().map_err(|_| format!("'{text}' is not a number"))?;
    let fits = (0.0..=MAX_PAUSE_SECONDS).contains(&value);
    if fits { Ok(value) } else { Err(format!("{text} is not between 0 and {MAX_PAUSE_SECONDS} seconds")) }
}
