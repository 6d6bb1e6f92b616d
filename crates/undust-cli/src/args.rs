//! The command line, as clap sees it. Defaults come from the libraries.

mod cluster;
mod exchange;
#[cfg(feature = "papers")]
mod experiment;
mod old_options;
mod validate;

use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Parser, Subcommand, ValueEnum};
use undust::apply::Form;
use undust::url::SiteBy;
use undust_io::Format;
use undust_learn::pipeline::MAX_FPR;
use undust_learn::registry::{self, AUTO};
use undust_learn::{MAX_URLS, parse_share};

pub(crate) use cluster::Cluster;
pub(crate) use exchange::{Export, Import, authority};
#[cfg(feature = "papers")]
pub(crate) use experiment::{Experiment, Protocol};
pub(crate) use old_options::OldOptions;
pub(crate) use validate::{Fetching, Validate};

/// Learn which of a site's URLs lead to the same page, and use it before anything is fetched.
#[derive(Parser)]
#[command(name = "undust", version, max_term_width = 100)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    Demo(Demo),
    Cluster(Cluster),
    Learn(Learn),
    Validate(Validate),
    Apply(Apply),
    Dedup(Dedup),
    Explain(Explain),
    Eval(Eval),
    Check(Check),
    Diff(Diff),
    Tree(Tree),
    Export(Export),
    Import(Import),
    /// Print the JSON schema of the rule file
    Schema,
    /// Print the completions of a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Write the manual pages
    Man {
        /// The folder, which is made if it is not there
        #[arg(value_name = "FOLDER")]
        folder: PathBuf,
    },
}

/// The main job on bundled real data: learn, show the rules and what they save, write rules.json and report.html
#[derive(Parser)]
pub(crate) struct Demo {
    /// Where to write the rules; the report goes beside them
    #[arg(short, long, default_value = "rules.json", value_name = "FILE")]
    pub(crate) output: PathBuf,
}

/// Learn rules from a crawl, an index or a log
#[derive(Parser)]
#[expect(clippy::struct_excessive_bools, reason = "flags are independent of each other")]
pub(crate) struct Learn {
    /// Files to learn from, - for standard input; formats and compression are recognised by content
    #[arg(required_unless_present = "help_settings", value_name = "INPUT")]
    pub(crate) inputs: Vec<PathBuf>,
    /// Where to write the rules, - for standard output. What was decided on the rules of a file that is there stays: rejected rules are not proposed again,
    /// rules that were accepted, annotated, written by hand or found valid are kept
    #[arg(short, long, default_value = "rules.json", value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// Start over: do not keep what was decided on the rules of the output file. They stay in a backup next to it
    #[arg(long)]
    pub(crate) fresh: bool,
    /// Write a page to look at: the rules and their evidence, what they save, what they leave, and the site's design
    #[arg(long, value_name = "FILE.html")]
    pub(crate) report: Option<PathBuf>,
    /// Which learner
    #[arg(long, default_value = AUTO, value_parser = methods(), value_name = "METHOD")]
    pub(crate) method: String,
    /// Upper bound (95 % confidence, on held-out URLs) of the share of false positives of a site's rules together: 0.01 or 1%
    #[arg(long, default_value_t = MAX_FPR, value_parser = parse_share, allow_negative_numbers = true, value_name = "SHARE")]
    pub(crate) max_fpr: f64,
    /// Do not learn skips: shapes of URLs that never lead to anything new
    #[arg(long)]
    pub(crate) no_skips: bool,
    /// Do not judge rules by labels, only list which are likely, to be tried out by `undust validate`
    #[arg(long)]
    pub(crate) likely: bool,
    /// A setting of a learner or of clustering, such as rewrite.filter=entropy:80%; may be given again
    #[arg(long, value_parser = setting, value_name = "LEARNER.KEY=VALUE")]
    pub(crate) set: Vec<(String, String)>,
    /// List all settings, with their defaults
    #[arg(long)]
    pub(crate) help_settings: bool,
    /// Of a site with more URLs, learn from a sample of them
    #[arg(long, default_value_t = MAX_URLS, value_name = "N")]
    pub(crate) max_urls: usize,
    /// Seed of every sample taken
    #[arg(long, default_value_t = 0, value_name = "N")]
    pub(crate) seed: u64,
    #[command(flatten)]
    pub(crate) grouping: Grouping,
    #[command(flatten)]
    pub(crate) reading: Reading,
    /// Print the summary as JSON instead of tables
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) old: OldOptions,
}

/// The methods of the registry, each with its paper.
fn methods() -> impl TypedValueParser<Value = String> {
    let values =
        registry::methods().map(|info| PossibleValue::new(info.name).help(info.paper.unwrap_or(info.about)));
    PossibleValuesParser::new(values)
}

/// `LEARNER.KEY=VALUE`, apart.
fn setting(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("a setting is LEARNER.KEY=VALUE")?;
    Ok((name.to_owned(), value.to_owned()))
}

/// Print the canonical form of each URL: one line out per line in, in the same order
///
/// Rules that skip URLs play no part in it: see dedup.
#[derive(Parser)]
pub(crate) struct Apply {
    #[command(flatten)]
    pub(crate) applying: Applying,
    /// URLs, - for standard input
    #[arg(default_value = "-", value_name = "INPUT")]
    pub(crate) input: PathBuf,
    /// Print the URL and its canonical form, separated by a tab
    #[arg(long)]
    pub(crate) tsv: bool,
    /// Where to write: as Parquet if the name ends in .parquet, with all columns of a Parquet input and the canonical forms in a column `undust_key` or
    /// `undust_url`; else as lines. - for standard output
    #[arg(short, long, default_value = "-", value_name = "FILE")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) reading: Reading,
}

/// Print only the first URL of each canonical key, and none of those that rules skip
#[derive(Parser)]
pub(crate) struct Dedup {
    #[command(flatten)]
    pub(crate) applying: Applying,
    /// Print URLs that rules skip like any others
    #[arg(long)]
    pub(crate) no_skips: bool,
    /// URLs, - for standard input
    #[arg(default_value = "-", value_name = "INPUT")]
    pub(crate) input: PathBuf,
    /// Where to write, - for standard output
    #[arg(short, long, default_value = "-", value_name = "FILE")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) reading: Reading,
}

/// Show which rules fire on URLs, step by step, and the evidence behind each
#[derive(Parser)]
pub(crate) struct Explain {
    #[command(flatten)]
    pub(crate) applying: Applying,
    /// The URLs
    #[arg(required = true, value_name = "URL")]
    pub(crate) urls: Vec<String>,
    /// Print as JSON, one object per URL
    #[arg(long)]
    pub(crate) json: bool,
}

/// Score rules on labelled URLs with every metric of the papers, or do a paper's experiment again
#[derive(Parser)]
pub(crate) struct Eval {
    /// The rule file; with --protocol pages any number of them, to compare with what is learned
    #[arg(short, long, value_name = "FILE")]
    #[cfg_attr(feature = "papers", arg(required_unless_present = "protocol"))]
    #[cfg_attr(not(feature = "papers"), arg(required = true))]
    pub(crate) rules: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) canonicalize: CanonicalizeArgs,
    #[cfg(feature = "papers")]
    #[command(flatten)]
    pub(crate) experiment: Experiment,
    /// Labelled files, - for standard input
    #[arg(required = true, value_name = "LABELLED")]
    pub(crate) inputs: Vec<PathBuf>,
    /// Print as JSON
    #[arg(long, conflicts_with = "markdown")]
    pub(crate) json: bool,
    /// Print as Markdown
    #[arg(long)]
    pub(crate) markdown: bool,
    #[command(flatten)]
    pub(crate) reading: Reading,
}

/// Check that a rule file is valid, free of conflicts, and terminates on every URL
#[derive(Parser)]
pub(crate) struct Check {
    /// The rule file
    #[arg(value_name = "RULES")]
    pub(crate) rules: PathBuf,
    /// Print as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Show what tells two rule files apart: rules added, lost and changed, and the URLs that they treat differently
#[derive(Parser)]
pub(crate) struct Diff {
    /// The one rule file
    #[arg(value_name = "OLD")]
    pub(crate) old: PathBuf,
    /// The other one
    #[arg(value_name = "NEW")]
    pub(crate) new: PathBuf,
    /// URLs to try both on, in any format, - for standard input
    #[arg(long, value_name = "LIST")]
    pub(crate) urls: Option<PathBuf>,
    /// Compare keys, or URLs that can be fetched
    #[arg(long, value_enum, default_value_t = FormArg::Key)]
    pub(crate) form: FormArg,
    /// Print as JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) reading: Reading,
}

/// Show the patterns of a site's URLs as a tree, with the share of duplicates of each
#[derive(Parser)]
pub(crate) struct Tree {
    /// Files with URLs, labelled or not, - for standard input
    #[arg(required = true, value_name = "INPUT")]
    pub(crate) inputs: Vec<PathBuf>,
    /// Show this site alone
    #[arg(long, value_name = "NAME")]
    pub(crate) site: Option<String>,
    /// Show the tree down to this depth alone; the root is at 0
    #[arg(long, default_value_t = u32::MAX, hide_default_value = true, value_name = "N")]
    pub(crate) depth: u32,
    /// Leave out patterns of fewer URLs
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub(crate) min_urls: u64,
    /// What a site is: a registrable domain with all its hosts, or a host
    #[arg(long, default_value_t = SiteBy::default(), value_name = "domain|host")]
    pub(crate) site_by: SiteBy,
    /// Print all nodes as JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) reading: Reading,
}

/// How pages are grouped by site.
#[derive(Parser)]
pub(crate) struct Grouping {
    /// What a site is: a registrable domain with all its hosts, or a host
    #[arg(long, default_value_t = SiteBy::default(), value_name = "domain|host")]
    pub(crate) site_by: SiteBy,
    /// Input held in memory, at most; the rest goes to temporary files
    #[arg(long, default_value = "4G", value_parser = bytes, value_name = "BYTES")]
    pub(crate) memory: u64,
}

/// How inputs are read.
#[derive(Parser)]
pub(crate) struct Reading {
    /// Take the input for this format: tsv, csv, jsonl, urls, cdx, cdxj, log, heritrix, warc, parquet or folder
    #[arg(long, value_name = "FORMAT")]
    pub(crate) format: Option<Format>,
    /// The host that a log or a folder leaves out, with or without a scheme: `https://www.example.org`
    #[arg(long, value_name = "HOST")]
    pub(crate) host: Option<String>,
    /// Stop at the first bad line
    #[arg(long)]
    pub(crate) strict: bool,
    /// Bytes of a page in a web archive or a folder that are read, at most
    #[arg(long, hide_short_help = true, default_value = "8M", value_parser = bytes, value_name = "BYTES")]
    pub(crate) max_body: u64,
    /// Threads to use (0: one for each core)
    #[arg(long, default_value_t = 0, value_parser = threads, value_name = "N")]
    pub(crate) threads: usize,
}

/// How rules are applied.
#[derive(Parser)]
pub(crate) struct Applying {
    /// The rule file
    #[arg(short, long, value_name = "FILE")]
    pub(crate) rules: PathBuf,
    #[command(flatten)]
    pub(crate) canonicalize: CanonicalizeArgs,
}

/// How URLs are made canonical.
#[derive(Parser)]
pub(crate) struct CanonicalizeArgs {
    /// A key for equality, in which irrelevant values are *, or a URL that can be fetched
    #[arg(long, value_enum, default_value_t = FormArg::Key)]
    pub(crate) form: FormArg,
    /// Leave URLs as they are before rules are applied
    #[arg(long)]
    pub(crate) no_normalize: bool,
}

#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum FormArg {
    Key,
    Url,
}

impl From<FormArg> for Form {
    fn from(form: FormArg) -> Form {
        match form {
            FormArg::Key => Form::Key,
            FormArg::Url => Form::Url,
        }
    }
}

/// More threads than any machine can use only exhaust it.
const MAX_THREADS: usize = 1024;

fn threads(text: &str) -> Result<usize, String> {
    let count: usize = text.parse().map_err(|_| format!("'{text}' is not a number"))?;
    if count <= MAX_THREADS { Ok(count) } else { Err(format!("{text} is more than {MAX_THREADS}")) }
}

/// `512M`, `4G`, `1000000`.
fn bytes(text: &str) -> Result<u64, String> {
    let split = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let factor = match unit.to_ascii_uppercase().trim_end_matches('B') {
        "" => 1,
        "K" => 1 << 10,
        "M" => 1 << 20,
        "G" => 1 << 30,
        "T" => 1u64 << 40,
        _ => return Err(format!("'{text}' is not a size such as 512M or 4G")),
    };
    let number: u64 = number.parse().map_err(|_| format!("'{text}' is not a size such as 512M or 4G"))?;
    number.checked_mul(factor).ok_or_else(|| format!("'{text}' is too large"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        use clap::CommandFactory;
        Args::command().debug_assert();
    }

    #[test]
    fn sizes() {
        assert_eq!(bytes("512M"), Ok(512 << 20));
        assert_eq!(bytes("4g"), Ok(4 << 30));
        assert_eq!(bytes("17"), Ok(17));
        assert!(bytes("4X").is_err() && bytes("").is_err() && bytes("99999999999T").is_err());
    }
}
