//! How finely URLs of a site are read: by which delimiters, and how frequent a word must be.
//!
//! The paper has one answer for all sites. Wikis name pages `Talk:Bees`, documentation has `module.function.html`, and others put slugs of many
//! dashes everywhere, which fall apart into nothing but arguments. So each site is asked which reading spares most, on URLs that were not learned from.

use std::collections::HashMap;

use crate::evaluate::Evaluation;
use crate::site::{ALL_FOLDS, Sample, Site};

use super::corpus::Corpus;
use super::targets::Targets;
use super::tokens::Delimiters;
use super::vocabulary::{Reading, Template};

/// A way to read URLs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Style {
    /// What takes texts apart, besides the delimiters of every URL.
    pub delimiters: &'static [u8],
    /// The share of URLs that a word must be in.
    pub least_share: f64,
}

impl Style {
    /// That of SIGIR 2017.
    pub const PAPER: Style = Style { delimiters: b"", least_share: 0.01 };

    /// Those that a site is asked about; where they are equally good, the first is taken.
    const ALL: [Style; 5] = [
        Style::PAPER,
        Style { delimiters: b":", least_share: 0.01 },
        Style { delimiters: b".-:,", least_share: 0.01 },
        Style { delimiters: b"", least_share: 0.003 },
        Style { delimiters: b".-:,", least_share: 0.003 },
    ];

    /// Read the URLs of a sample.
    pub fn read(self, sample: &Sample) -> Corpus {
        Corpus::read(sample, self.least_share, Delimiters::new(self.delimiters))
    }

    /// The best way to read this site.
    pub fn choose(sample: &Sample) -> Style {
        let (one, other) = halves(&sample.part(MAX_SAMPLE_URLS));
        let score = |style: Style| style.score(&one, &other) + style.score(&other, &one);
        let mut best = (f64::MIN, Style::PAPER);
        for style in Style::ALL {
            let score = score(style);
            if score > best.0 {
                best = (score, style);
            }
        }
        best.1
    }

    /// F1 of a crawl of `unseen`, with what is known from `sample`.
    fn score(self, sample: &Sample, unseen: &Sample) -> f64 {
        let corpus = self.read(sample);
        let targets = Targets::find(&corpus, ALL_FOLDS);
        let becomes: HashMap<&Template, &Template> = corpus.templates.iter().zip(&targets.of).collect();
        let mut evaluation = Evaluation::new();
        let (mut url, mut key, mut reading) = (Vec::new(), Vec::new(), Reading::default());
        for &row in &unseen.rows {
            url.clear();
            key.clear();
            unseen.site.write_url(row, &mut url);
            let known = corpus.vocabulary.read(&url, &mut reading).then(|| becomes.get(&reading.template));
            match known.flatten() {
                Some(output) => corpus.vocabulary.print(output, &url, &reading.arguments, &mut key),
                None => key.extend_from_slice(&url),
            }
            evaluation.add("", &url, &key, &unseen.site.cluster(row).to_string());
        }
        evaluation.report(&std::collections::BTreeMap::new()).total.metrics.f1
    }
}

/// Number of URLs of the sample to choose by.
const MAX_SAMPLE_URLS: usize = 20_000;

/// The sample in two, clusters whole where folds have them whole.
fn halves<'s>(sample: &Sample<'s>) -> (Sample<'s>, Sample<'s>) {
    let site: &'s Site = sample.site;
    let mut folds: Vec<u32> = sample.rows.iter().map(|row| site.fold(*row)).collect();
    folds.sort_unstable();
    folds.dedup();
    let first = &folds[..folds.len() / 2];
    let (one, other) = sample.rows.iter().partition(|row| first.contains(&site.fold(**row)));
    (Sample { site, rows: one }, Sample { site, rows: other })
}
