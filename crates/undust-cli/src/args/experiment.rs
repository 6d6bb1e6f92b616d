//! Flags of `undust eval --protocol`: which experiment, and how it is done.

use std::path::PathBuf;

use clap::{Parser, ValueEnum};
use undust_papers::Half;
use undust_papers::www10::SampleBy;

use undust_learn::parse_share;

/// Which experiment is done, and how.
#[derive(Parser)]
pub(crate) struct Experiment {
    /// Instead of scoring rules, do this experiment, which learns them itself
    #[arg(long, value_enum, value_name = "NAME", conflicts_with_all = ["form", "no_normalize"])]
    pub(crate) protocol: Option<Protocol>,
    /// With www07: likely rules to try out, the likeliest first [default: 1000]
    #[arg(long, requires = "protocol", value_name = "N")]
    pub(crate) top: Option<usize>,
    /// The share of a site to learn from: with www07 and sigir17 its first rows [default: 0.75], with pages some of its pages [default: 0.75], with www10 some at random, at most
    /// 100,000 URLs [default: 0.2]
    #[arg(long, value_parser = parse_share, allow_negative_numbers = true, requires = "protocol", value_name = "SHARE")]
    pub(crate) train: Option<f64>,
    /// With www10: what is drawn at random to learn from [default: cluster]
    #[arg(long, value_enum, requires = "protocol", value_name = "WHAT")]
    pub(crate) sample_by: Option<SampleByArg>,
    /// With www10: give this share of the URLs to learn from the label of another page [default: 0]
    #[arg(long, value_parser = parse_share, allow_negative_numbers = true, requires = "protocol", value_name = "SHARE")]
    pub(crate) noise: Option<f64>,
    /// With www07 and www10: draw the figures of the paper to this file
    #[arg(long, requires = "protocol", value_name = "FILE.svg")]
    pub(crate) plot: Option<PathBuf>,
    /// Compare these learners, separated by commas; sigir17 also knows keep-all, kdd08 and www10 the fan-outs of their papers [default:
    /// with wsdm10 and sigir17 all, with pages auto, with others those of the paper]
    #[arg(long, value_delimiter = ',', requires = "protocol", value_name = "NAMES")]
    pub(crate) methods: Vec<String>,
    /// With sigir17 and pages: upper bound of the share of false positives of a site's rules, as in `undust learn` [default: 0.01]
    #[arg(long, value_parser = parse_share, allow_negative_numbers = true, requires = "protocol", value_name = "SHARE")]
    pub(crate) max_fpr: Option<f64>,
    /// With kdd08 and wsdm10: where the false positives of rules are counted [default: test with kdd08, train with wsdm10]
    #[arg(long, value_enum, requires = "protocol", value_name = "HALF")]
    pub(crate) judged_on: Option<HalfArg>,
    /// With kdd08 and wsdm10: apply rules to pages with a single URL too, which the papers leave out
    #[arg(long, requires = "protocol")]
    pub(crate) singletons: bool,
    /// With pages: which pages are learned from [default: 0]
    #[arg(long, requires = "protocol", value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// With pages: repeat with so many seeds [default: 1]
    #[arg(long, requires = "protocol", value_parser = clap::value_parser!(u64).range(1..=1000), value_name = "N")]
    pub(crate) splits: Option<u64>,
    /// With pages: give this share of the pages to learn from the label of another page [default: 0]
    #[arg(long, value_parser = parse_share, allow_negative_numbers = true, requires = "protocol", value_name = "SHARE")]
    pub(crate) label_noise: Option<f64>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Protocol {
    /// De-duping URLs via Rewrite Rules, KDD 2008: what rules spare, by the size of clusters, by class and by false positives
    Kdd08,
    /// No paper's: what learned and given rules do to pages that were not learned from, each file a site
    Pages,
    /// De-duping URLs with Sequence-to-Sequence Neural Networks, SIGIR 2017: a crawl that knows what several methods learned from its
    /// first pages
    Sigir17,
    /// Learning URL Patterns for Webpage De-duplication, WSDM 2010: what rules of several learners spare
    Wsdm10,
    /// Do Not Crawl in the DUST, WWW 2007: how many likely rules are valid
    Www07,
    /// A Pattern Tree-based Approach to Learning URL Normalization Rules, WWW 2010: how many rules are good enough, and what those
    /// deployed do to a whole site
    Www10,
}

#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum SampleByArg {
    /// Single URLs
    Url,
    /// Pages with all their URLs
    Cluster,
}

impl From<SampleByArg> for SampleBy {
    fn from(by: SampleByArg) -> SampleBy {
        match by {
            SampleByArg::Url => SampleBy::Url,
            SampleByArg::Cluster => SampleBy::Cluster,
        }
    }
}

#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum HalfArg {
    /// What rules are learned from
    Train,
    /// What they are applied to
    Test,
}

impl From<HalfArg> for Half {
    fn from(half: HalfArg) -> Half {
        match half {
            HalfArg::Train => Half::Train,
            HalfArg::Test => Half::Test,
        }
    }
}
