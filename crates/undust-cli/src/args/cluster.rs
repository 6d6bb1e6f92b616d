//! The arguments of `undust cluster`.

use std::path::PathBuf;

use clap::Parser;
use undust_content::cluster::{Kinds, Options, RowOrder};

use undust_learn::parse_share;

use super::{Grouping, Reading};

/// Find out which pages of a crawl are the same, site by site, and write each with its cluster, as `learn` reads it
#[derive(Parser)]
pub(crate) struct Cluster {
    /// Pages with their content: WARC, JSON lines with html or text, a folder of saved pages; or with fingerprints
    #[arg(required = true, value_name = "INPUT")]
    pub(crate) inputs: Vec<PathBuf>,
    /// Where to write pages and clusters, site by site: as JSON lines if the name ends in .jsonl, else as TSV; - for standard output
    #[arg(short, long, default_value = "-", value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// Compare with the clusters in this labelled file, pair by pair
    #[arg(long, value_name = "LABELLED")]
    pub(crate) reference: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) grouping: Grouping,
    #[command(flatten)]
    pub(crate) reading: Reading,
    /// Print what was found as JSON; needs -o FILE
    #[arg(long)]
    pub(crate) json: bool,
    // Last: what follows would stand under its heading.
    #[command(flatten)]
    pub(crate) clustering: Clustering,
}

/// How pages are found to be the same.
#[derive(Parser)]
#[command(next_help_heading = "Options for pages with content")]
pub(crate) struct Clustering {
    /// What counts as evidence: auto, or some of digest, simhash, shingles, rows, canonical, redirect, declared (Clean-param, No-Vary-Search).
    /// auto uses all there is, and believes no canonical URL, declaration or simhash that the texts contradict; others are taken at their word
    #[arg(long, default_value_t = Kinds::default(), value_name = "KINDS")]
    pub(crate) by: Kinds,
    /// In how many of 64 bits simhashes may differ
    #[arg(long, default_value_t = Options::default().distance, value_parser = clap::value_parser!(u32).range(0..=16), value_name = "BITS")]
    pub(crate) distance: u32,
    /// The share of two texts that must be common, rare words counting more
    #[arg(long, default_value_t = Options::default().resemblance, value_parser = parse_share, allow_negative_numbers = true, value_name = "SHARE")]
    pub(crate) resemblance: f64,
    /// Pages with different titles may be the same
    #[arg(long)]
    pub(crate) ignore_titles: bool,
    /// When the order of rows of tables and lists counts: auto (not between URLs that differ in their queries alone: one list, sorted in several
    /// ways), keep (always) or ignore (never)
    #[arg(long, default_value_t = RowOrder::default(), value_name = "WHEN")]
    pub(crate) row_order: RowOrder,
}

impl Clustering {
    pub(crate) fn options(&self) -> Options {
        let Clustering { by, distance, resemblance, ignore_titles, row_order } = self;
        let (by, titles) = (by.clone(), !ignore_titles);
        Options { by, distance: *distance, resemblance: *resemblance, titles, row_order: *row_order }
    }
}
