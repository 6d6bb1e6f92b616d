//! Keywords of the Python functions, as the libraries take them.

use std::num::NonZero;

use anyhow::{Context, Result};
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use undust::rules::RuleSet;
use undust::url::SiteBy;
use undust_io::ReadOptions;
use undust_learn::{LearnOptions, Pipeline, parse_share};
use undust_neural::trainer;

/// The options of learning, as the Python half passes them on.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct LearnKeywords {
    method: String,
    max_fpr: String,
    settings: Vec<(String, String)>,
    skips: bool,
    likely: bool,
    max_urls: usize,
    seed: u64,
    site_by: String,
}

impl LearnKeywords {
    /// The pipeline with these options, which keeps decisions on `earlier` rules.
    pub(crate) fn pipeline(&self, earlier: Option<RuleSet>) -> Result<Pipeline> {
        let max_fpr = parse_share(&self.max_fpr).context("bad value for 'max_fpr'")?;
        let mut options = LearnOptions::new()
            .method(&self.method)
            .max_fpr(max_fpr)
            .max_urls(self.max_urls)
            .seed(self.seed)
            .site_by(site_by(&self.site_by)?)
            .skips(self.skips)
            .likely(self.likely)
            .earlier(earlier)
            .trainer(trainer);
        for (name, value) in &self.settings {
            options = options.set(name, value);
        }
        Ok(options.build()?)
    }
}

/// How hosts are grouped into sites, by its name.
pub(crate) fn site_by(name: &str) -> Result<SiteBy> {
    name.parse::<SiteBy>().map_err(|error| anyhow::anyhow!("bad value for 'site_by': {error}"))
}

/// How inputs are read, as the Python half passes it on.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct ReadKeywords {
    format: Option<String>,
    host: Option<String>,
    strict: bool,
    max_body: u64,
    threads: usize,
}

impl ReadKeywords {
    pub(crate) fn options(&self) -> Result<ReadOptions> {
        let format = self.format.as_deref().map(str::parse).transpose();
        Ok(ReadOptions {
            format: format.map_err(|error| anyhow::anyhow!("bad value for 'format': {error}"))?,
            host: self.host.clone(),
            strict: self.strict,
            threads: self.threads(),
            max_body: self.max_body,
        })
    }

    fn threads(&self) -> usize {
        match self.threads {
            0 => std::thread::available_parallelism().map_or(1, NonZero::get),
            threads => threads,
        }
    }

    pub(crate) fn thread_pool(&self) -> Result<ThreadPool> {
        ThreadPoolBuilder::new().num_threads(self.threads()).build().context("cannot start threads")
    }
}
