//! Do two documents say the same? Sketches by shingles.
//!
//! Broder, "On the resemblance and containment of documents" (1997): a shingle is `w` words in a row; two documents
//! resemble each other as much as their sets of shingles overlap (those in both, of those in either), and that is
//! estimated from the `s` smallest hashes of each. A text of at most `s` shingles is not estimated but compared in
//! full. `DustBuster` (Bar-Yossef, Keidar, Schonfeld, WWW 2007) keeps four and calls documents different when their
//! sketches are; [`SketchOptions::dustbuster`] does so.
//!
//! Defaults, and why they are not the papers':
//!
//! - Clocks, counters and advertisements change between two views of one page. Each changed word spoils `w` shingles,
//!   so few words (4, where Broder's web clustering has 10) tell scattered changes from another text more
//!   clearly; and of four smallest hashes one is often spoilt, of 256 a known share.
//! - Pages of one site share their template, and a short post in a long template is lost among it. No threshold
//!   can tell it from a page with a new advertisement. The title can: other posts have other titles, and views of one page
//!   have one. So pages with different titles differ. What is still taken for the same: pages of one title whose texts
//!   differ in less than about a ninth of the words. What is still taken for different: short pages (under about 40
//!   words) that change at all, and pages that show the time in their title.

use xxhash_rust::xxh3::xxh3_64;

use crate::document::Document;
use crate::sample::Sample;
use crate::words::{hashed, shingles};

/// How sketches are made and compared.
#[derive(Clone, Debug, PartialEq)]
pub struct SketchOptions {
    /// How many shingles are kept, of those with the smallest hashes. The estimate of the resemblance is seldom
    /// off by more than 1 / sqrt(shingles), and two times in three by less than half of that. Default: 256, two kilobytes per document.
    pub shingles: usize,
    /// Words in a shingle. Default: 4.
    pub words: usize,
    /// The resemblance, between 0 and 1, from which on documents are the same. Default: 0.8.
    pub agree: f64,
    /// Pages with different titles are different, whatever they say. Default: true.
    pub titles: bool,
    /// Shingles end where a row of a table, a list or a preformatted text does, so that the order of rows does not count. Default: true.
    pub rows: bool,
}

impl Default for SketchOptions {
    fn default() -> SketchOptions {
        SketchOptions { shingles: 256, words: 4, agree: 0.8, titles: true, rows: true }
    }
}

impl SketchOptions {
    /// Four shingles of ten words, all of which must agree.
    pub fn dustbuster() -> SketchOptions {
        SketchOptions { shingles: 4, words: 10, agree: 1.0, titles: false, rows: false }
    }
}

/// The part of a document that is kept to compare it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sketch {
    digest: u128,
    title: Option<u64>,
    shingles: Sample,
}

impl Sketch {
    /// The sketch of a document. Only sketches of the same options can be compared.
    pub fn new(document: &Document, options: &SketchOptions) -> Sketch {
        let mut all: Vec<u64> = Vec::new();
        let end_of_row = |c: char| options.rows && c == '\n';
        for row in document.text.split(end_of_row) {
            all.extend(shingles(&hashed(row), options.words.max(1)));
        }
        all.sort_unstable();
        all.dedup();
        let shingles = Sample::new(all.into_iter().map(|shingle| (shingle, 1)), options.shingles.max(1));
        let title =
            document.title.as_deref().filter(|_| options.titles).map(|title| xxh3_64(title.as_bytes()));
        Sketch { digest: document.digest, title, shingles }
    }

    /// Whether the documents are the same: byte by byte; or by title, with a resemblance of at least `agree`
    /// ([`SketchOptions::agree`]). Documents without words are the same only byte by byte.
    pub fn matches(&self, other: &Sketch, agree: f64) -> bool {
        self.digest == other.digest
            || (self.title == other.title && self.resemblance(other) >= agree && self.has_words())
    }

    fn has_words(&self) -> bool {
        !self.shingles.is_empty()
    }

    /// The share of shingles that are in both documents, of those in either: 0 for strangers, 1 for equal texts.
    pub fn resemblance(&self, other: &Sketch) -> f64 {
        if self.has_words() || other.has_words() {
            self.shingles.resemblance(&other.shingles)
        } else {
            f64::from(u8::from(self.digest == other.digest))
        }
    }
}

#[cfg(test)]
mod tests;
