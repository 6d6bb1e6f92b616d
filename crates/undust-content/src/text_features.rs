//! Features of the texts of one site, by which its pages are compared, weighed by how rare each feature is there.
//!
//! Two things make URLs of one page show different texts, and are taken out:
//!
//! - **Volatile numbers**: clocks and counters that change from URL to URL ([`volatile`](crate::volatile)).
//! - **Echoes** of the page's own URL ([`echoes`](crate::echoes)). Slugs repeat the title of an article, too, so a text is compared both
//!   with its echoes and without, and the better likeness counts.

use rayon::prelude::*;
use undust::page::Page;
use xxhash_rust::xxh3::xxh3_64;

use crate::echoes::{Echoes, words_of_url};
use crate::sample::Sample;
use crate::simhash::{SHINGLE_WORDS, weighted};
use crate::volatile::VolatileNumbers;
use crate::weights::{Frequencies, Weights};
use crate::words::{ROW_END, Word, as_recorded, hash_all, hashed_with_numbers, nth, row_set, shingles};

/// Features sampled from a text: exact up to about 500 words, and seldom off by more than one percent beyond.
const SAMPLE_FEATURES: usize = 1024;

/// Most of the rarest features that are kept: of this many, one is shared by almost all texts that resemble each other at all.
const MAX_RAREST_FEATURES: usize = 32;

/// Features of one page's text.
#[derive(Debug)]
pub(crate) struct TextFeatures {
    /// The text as it stands.
    whole: View,
    /// Without echoes, where the site has some and more than a template is left.
    without: Option<View>,
}

/// One view of a text: with or without its echoes.
#[derive(Debug)]
pub(crate) struct View {
    pub(crate) simhash: u64,
    sample: Sample,
    /// The rarest features, so many that a text that resembles this one enough must have one of them, and among its own rarest (prefix
    /// filtering: Chaudhuri, Ganti, Kaushik, "A primitive operator for similarity joins in data cleaning", 2006).
    pub(crate) rarest: Vec<u64>,
    /// The same for texts of the same rows, in whatever order.
    pub(crate) rows: Option<u64>,
}

impl View {
    fn new(Rows { words, set: rows }: &Rows, weights: &Weights, resemblance: f64) -> View {
        let mut features: Vec<(u64, u32)> =
            features(words).into_iter().map(|feature| (feature, weights.of(feature))).collect();
        let sample = Sample::new(features.iter().copied(), SAMPLE_FEATURES);
        features.sort_unstable_by_key(|&(feature, weight)| (std::cmp::Reverse(weight), feature));
        let simhash = weighted(words, |feature| weights.of(feature));
        View { simhash, sample, rarest: rarest(&features, resemblance), rows: *rows }
    }
}

/// Whether words are more than what many pages of the site have. Without its echoes, a page of few words may be no more than a template
/// to be filled in, and is not the same as others of that kind.
fn is_more_than_template(words: &[Word], weights: &Weights) -> bool {
    shingles(words, SHINGLE_WORDS).any(|feature| weights.is_rare(feature))
}

/// The first of these features, rarest first, up to the one from which on the others are less than `resemblance` of the weight.
fn rarest(features: &[(u64, u32)], resemblance: f64) -> Vec<u64> {
    let all: f64 = features.iter().map(|&(_, weight)| f64::from(weight)).sum();
    let mut behind = all;
    let needed = features.iter().take_while(|&&(_, weight)| {
        let needed = behind >= resemblance * all;
        behind -= f64::from(weight);
        needed
    });
    needed.take(MAX_RAREST_FEATURES).map(|&(feature, _)| feature).collect()
}

impl TextFeatures {
    pub(crate) fn views(&self) -> impl Iterator<Item = &View> {
        [&self.whole].into_iter().chain(&self.without)
    }

    /// The resemblance of two texts, from 0 to 1, in the view in which it is greatest. Views of one kind alone can be compared: features
    /// weigh differently in the other.
    pub(crate) fn resemblance(&self, other: &TextFeatures) -> f64 {
        let whole = self.whole.sample.resemblance(&other.whole.sample);
        let without = self.without.as_ref().zip(other.without.as_ref());
        without.map_or(whole, |(one, other)| whole.max(one.sample.resemblance(&other.sample)))
    }

    pub(crate) fn simhash(&self) -> u64 {
        self.whole.simhash
    }
}

/// The features of the pages of a site; none for a page without words. Pages are looked for that resemble each other by at least
/// `resemblance`.
pub(crate) fn site_features(
    pages: &[Page],
    usable: impl Fn(&Page) -> bool + Sync,
    resemblance: f64,
) -> Vec<Option<TextFeatures>> {
    // Words of recordings have fewer bits; beside them, those of texts and URLs must have no more.
    let fit = if pages.iter().any(|page| page.words.is_some()) { as_recorded } else { |word| word };
    let words = |page: &Page| if usable(page) { words_of(page, fit) } else { Vec::new() };
    let whole: Vec<Vec<Word>> = pages.par_iter().map(words).collect();
    let size = whole.iter().map(Vec::len).sum();
    let url_of = |(page, words): (&Page, &Vec<Word>)| {
        if words.is_empty() { Vec::new() } else { fitted(words_of_url(&page.url), fit) }
    };
    let urls: Vec<Vec<Word>> = pages.par_iter().zip(&whole).map(url_of).collect();
    let echoes = Echoes::new(&whole, &urls);
    let without: Vec<Vec<Word>> =
        whole.par_iter().zip(&urls).map(|(words, url)| echoes.leave_out(words, url)).collect();
    let title = |page: usize| pages[page].title.as_deref().map_or(0, |title| xxh3_64(title.as_bytes()));
    let volatile = VolatileNumbers::new(&without, &urls, title);
    let pairs = whole.into_par_iter().zip(without);
    let texts: Vec<Text> = pairs
        .map(|(whole, without)| Text { views: [whole, without].map(|words| Rows::new(words, &volatile)) })
        .collect();
    let weights = [0, 1].map(|view| count_features(&texts, view, size).weights());
    let echoes = texts.iter().any(|text| text.views[0].words != text.views[1].words);
    texts.par_iter().map(|text| text.text_features(&weights, echoes, resemblance)).collect()
}

/// The words of a URL, in order, each as `fit` makes them; none of them is the end of a row.
fn fitted(mut words: Vec<Word>, fit: fn(Word) -> Word) -> Vec<Word> {
    for word in &mut words {
        *word = fit(*word);
    }
    words.retain(|&word| word != ROW_END);
    words.sort_unstable();
    words.dedup();
    words
}

/// All that is known of what a page says.
fn words_of(page: &Page, fit: fn(Word) -> Word) -> Vec<Word> {
    match (&page.text, &page.words) {
        (Some(text), _) => hashed_with_numbers(text).into_iter().map(fit).collect(),
        (None, Some(words)) => words.numbers().collect(),
        (None, None) => Vec::new(),
    }
}

/// The words of a page.
struct Text {
    /// With and without echoes; equal where there are none.
    views: [Rows; 2],
}

/// Words without what passes, and what they are as a set of rows.
struct Rows {
    words: Vec<Word>,
    set: Option<u64>,
}

impl Rows {
    fn new(mut words: Vec<Word>, volatile: &VolatileNumbers) -> Rows {
        volatile.leave_out(&mut words);
        let set = row_set(&words);
        words.retain(|&word| word != ROW_END);
        Rows { words, set }
    }
}

impl Text {
    fn text_features(&self, weights: &[Weights; 2], echoes: bool, resemblance: f64) -> Option<TextFeatures> {
        let [whole, without] = &self.views;
        if whole.words.is_empty() {
            return None;
        }
        let second = echoes && is_more_than_template(&without.words, &weights[0]);
        Some(TextFeatures {
            whole: View::new(whole, &weights[0], resemblance),
            without: second.then(|| View::new(without, &weights[1], resemblance)),
        })
    }
}

/// Words, the first and the second time as different features, and shingles; none twice.
fn features(words: &[Word]) -> Vec<u64> {
    let mut sorted = words.to_vec();
    sorted.sort_unstable();
    let mut features: Vec<u64> = sorted
        .chunk_by(|a, b| a == b)
        .flat_map(|run| run.iter().zip(0..).map(|(&word, n)| nth(word, n)))
        .collect();
    features.extend(shingles(words, SHINGLE_WORDS));
    features.sort_unstable();
    features.dedup();
    features
}

/// In how many different texts each feature of a view is.
fn count_features(texts: &[Text], view: usize, size: usize) -> Frequencies {
    let mut distinct: Vec<(u64, usize)> = texts
        .par_iter()
        .enumerate()
        .filter(|(_, text)| !text.views[view].words.is_empty())
        .map(|(i, text)| (hash_all(text.views[view].words.iter().copied()), i))
        .collect();
    distinct.sort_unstable();
    distinct.dedup_by_key(|(hash, _)| *hash);
    let frequencies = Frequencies::new(size);
    distinct.par_iter().for_each(|&(_, i)| frequencies.add(features(&texts[i].views[view].words)));
    frequencies
}
