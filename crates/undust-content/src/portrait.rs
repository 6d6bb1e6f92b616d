//! What is kept of the texts of one site to compare its pages, weighed by how common each feature is there.
//!
//! Two things make URLs of one page show different texts, and are taken out:
//!
//! - **Numbers that stand on one page only**: clocks, counters, tokens. Where they are what differs, pages are the same; and what tells pages
//!   apart stands on several URLs of each.
//! - **Echoes**: words of the page's own URL in its text. "You are here: wiki » extensions" differs from URL to URL by nature. Slugs
//!   repeat the title of an article, too, so a text is compared both with its echoes and without, and the better likeness counts.

use rayon::prelude::*;
use undust::page::Page;
use xxhash_rust::xxh3::xxh3_64;

use crate::sample::Sample;
use crate::simhash::{SHINGLE, weighted};
use crate::weights::Frequencies;
use crate::words::{Word, has_digit, hash, hashed, nth, shingles, words};

/// What stands where an echo stood. Neither is the hash of a word more often than any other number.
const ECHO: Word = 0;
/// What stands where a number stood that is on this page only.
const NUMBER: Word = 1;

/// With fewer pages than this, many numbers that mean something stand on one page only.
const LEAST_PAGES: usize = 20;

/// Features drawn from a text: exact up to about 500 words, and seldom off by more than one percent beyond.
const SAMPLE: usize = 1024;

/// What is kept of one page's text.
#[derive(Debug)]
pub(crate) struct Portrait {
    /// The text as it stands, and without echoes where it has some.
    views: Vec<View>,
}

/// One way to look at a text.
#[derive(Debug)]
pub(crate) struct View {
    pub(crate) simhash: u64,
    pub(crate) sample: Sample,
}

impl Portrait {
    pub(crate) fn views(&self) -> &[View] {
        &self.views
    }

    /// How alike two texts are, from 0 to 1, in the view in which they are most alike.
    pub(crate) fn resemblance(&self, other: &Portrait) -> f64 {
        let of = |view: fn(&Portrait) -> &View| view(self).sample.resemblance(&view(other).sample);
        of(Portrait::whole).max(of(Portrait::without_echoes))
    }

    pub(crate) fn whole(&self) -> &View {
        &self.views[0]
    }

    fn without_echoes(&self) -> &View {
        &self.views[self.views.len() - 1]
    }
}

/// The portraits of the pages of a site; none of a page without words.
pub(crate) fn portraits(pages: &[Page], usable: impl Fn(&Page) -> bool + Sync) -> Vec<Option<Portrait>> {
    let mut texts: Vec<Text> = pages
        .par_iter()
        .map(|page| {
            page.text
                .as_deref()
                .filter(|_| usable(page))
                .map_or_else(Text::default, |text| Text::new(text, &page.url))
        })
        .collect();
    if pages.len() >= LEAST_PAGES {
        leave_out_numbers(&mut texts);
    }
    let size = texts.iter().map(|text| text.views[0].len()).sum::<usize>();
    let frequencies: Vec<Frequencies> = (0..2).map(|view| count_features(&texts, view, size)).collect();
    texts.par_iter().map(|text| text.portrait(&frequencies)).collect()
}

/// The words of a page.
#[derive(Default)]
struct Text {
    /// With and without echoes; equal where there are none.
    views: [Vec<Word>; 2],
}

impl Text {
    fn new(text: &str, url: &[u8]) -> Text {
        let whole = hashed(text);
        let decoded = percent_encoding::percent_decode(url).decode_utf8_lossy();
        let mut echoes: Vec<Word> = words(&decoded).map(hash).collect();
        echoes.sort_unstable();
        let without =
            whole.iter().map(|word| if echoes.binary_search(word).is_ok() { ECHO } else { *word }).collect();
        Text { views: [whole, without] }
    }

    fn portrait(&self, frequencies: &[Frequencies]) -> Option<Portrait> {
        let [whole, without] = &self.views;
        if whole.is_empty() {
            return None;
        }
        let view = |words: &[Word], frequencies: &Frequencies| {
            let weight = |feature| frequencies.weight(feature);
            let features = features(words).into_iter().map(|feature| (feature, weight(feature)));
            View { simhash: weighted(words, weight), sample: Sample::new(features, SAMPLE) }
        };
        let mut views = vec![view(whole, &frequencies[0])];
        if without != whole {
            views.push(view(without, &frequencies[1]));
        }
        Some(Portrait { views })
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
    features.extend(shingles(words, SHINGLE));
    features.sort_unstable();
    features.dedup();
    features
}

fn leave_out_numbers(texts: &mut [Text]) {
    let size = texts.iter().map(|text| text.views[0].len()).sum();
    let frequencies = Frequencies::new(size);
    texts.par_iter().for_each(|text| {
        let mut numbers: Vec<Word> = text.views[0].iter().copied().filter(|&word| has_digit(word)).collect();
        numbers.sort_unstable();
        numbers.dedup();
        frequencies.add(numbers.into_iter().map(|word| nth(word, 0)));
    });
    texts.par_iter_mut().flat_map(|text| &mut text.views).for_each(|words| {
        for word in words.iter_mut().filter(|word| has_digit(**word)) {
            if frequencies.of(nth(*word, 0)) == 1 {
                *word = NUMBER;
            }
        }
    });
}

/// In how many different texts each feature of a view is.
fn count_features(texts: &[Text], view: usize, size: usize) -> Frequencies {
    let mut distinct: Vec<(u64, usize)> = texts
        .par_iter()
        .enumerate()
        .filter(|(_, text)| !text.views[view].is_empty())
        .map(|(i, text)| (hash_all(&text.views[view]), i))
        .collect();
    distinct.sort_unstable();
    distinct.dedup_by_key(|(hash, _)| *hash);
    let frequencies = Frequencies::new(size);
    distinct.par_iter().for_each(|&(_, i)| frequencies.add(features(&texts[i].views[view])));
    frequencies
}

fn hash_all(words: &[Word]) -> u64 {
    words.iter().fold(0, |hash, &word| xxh3_64(&nth(word, hash as u32).to_le_bytes()) ^ hash.rotate_left(5))
}
