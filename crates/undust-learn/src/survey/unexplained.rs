//! Duplicates that the rules do not make equal, by what their URLs look like.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use serde::Serialize;

use super::difference::{Habit, habits};
use super::keys::{Entry, Merged};
use super::{bytes_of, shown, url_of};
use crate::site::Site;

/// Duplicates that no rule explains.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Unexplained {
    /// URLs that are fetched though their page is fetched under another URL.
    pub urls: u64,
    /// Their pages.
    pub pages: u64,
    /// What they look like, the most frequent first.
    pub pairs: Vec<FormPair>,
    /// Pairs of forms that are left out here.
    pub more_pairs: u64,
}

/// Duplicates whose URLs look alike: of this form is one URL, of that form the other.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FormPair {
    /// The form of the URL that would not be missed.
    pub form: String,
    /// The form of the URL that would do; `*` is any value that few URLs have.
    pub of: String,
    /// What both differ in, if that is no other value: a slash at the end, upper and lower case.
    pub differ_in: Vec<&'static str>,
    /// URLs that would not be missed.
    pub urls: u64,
    /// Some of these URLs, each with one that would do.
    pub examples: Vec<[String; 2]>,
}

/// Number of pairs of forms kept.
const MAX_FORM_PAIRS: usize = 12;
/// Number of examples kept of each pair of forms.
const MAX_EXAMPLES: usize = 3;

/// Two forms, of a URL that would not be missed and of one that would do, and what both differ in.
type FormsOfPair = (Vec<u8>, Vec<u8>, Vec<Habit>);

pub(super) fn find(site: &Site, merged: &Merged) -> Unexplained {
    let forms = Forms::new(site);
    let mut found = Unexplained::default();
    let mut pairs: BTreeMap<FormsOfPair, Pair> = BTreeMap::new();
    for page in merged.fetched_by_cluster().chunk_by(|a, b| a.cluster == b.cluster) {
        let keys = page.chunk_by(|a, b| a.key == b.key);
        let fetched: Vec<u32> = keys.map(|of_key| simplest(site, of_key)).collect();
        let Some(&best) = fetched.iter().min_by_key(|&&row| size(site, row)) else { continue };
        found.pages += u64::from(fetched.len() > 1);
        for row in fetched.into_iter().filter(|&row| row != best) {
            found.urls += 1;
            let differ_in = habits(&bytes_of(site, row), &bytes_of(site, best));
            pairs.entry((forms.of(row), forms.of(best), differ_in)).or_default().add(row, best);
        }
    }
    found.more_pairs = pairs.len().saturating_sub(MAX_FORM_PAIRS) as u64;
    found.pairs = most_frequent(site, pairs);
    found
}

fn most_frequent(site: &Site, pairs: BTreeMap<FormsOfPair, Pair>) -> Vec<FormPair> {
    let mut pairs: Vec<(FormsOfPair, Pair)> = pairs.into_iter().collect();
    pairs.sort_by_key(|(_, pair)| Reverse(pair.urls));
    let form_pair = |((form, of, habits), pair): (FormsOfPair, Pair)| FormPair {
        form: shown(&form),
        of: shown(&of),
        differ_in: habits.into_iter().map(Habit::name).collect(),
        urls: pair.urls,
        examples: pair.examples.iter().map(|rows| rows.map(|row| url_of(site, row))).collect(),
    };
    pairs.into_iter().take(MAX_FORM_PAIRS).map(form_pair).collect()
}

#[derive(Default)]
struct Pair {
    urls: u64,
    examples: Vec<[u32; 2]>,
}

impl Pair {
    fn add(&mut self, row: u32, best: u32) {
        self.urls += 1;
        if self.examples.len() < MAX_EXAMPLES {
            self.examples.push([row, best]);
        }
    }
}

/// The URL that speaks for its key.
fn simplest(site: &Site, of_key: &[Entry]) -> u32 {
    of_key.iter().map(|entry| entry.row).min_by_key(|&row| size(site, row)).unwrap_or_default()
}

/// How simple a URL is: few parts, short ones. Of two orders of parameters, the same one is the simpler for every page.
fn size(site: &Site, row: u32) -> (usize, usize, u32, u32) {
    let values = site.values_of(row);
    let length = values.iter().map(|&value| site.value(value).len()).sum();
    (values.len(), length, site.shape_of(row), row)
}

/// What URLs look like: the values that many URLs have, and `*` for others.
struct Forms<'s> {
    site: &'s Site,
    is_frequent: Vec<bool>,
}

impl Forms<'_> {
    fn new(site: &Site) -> Forms<'_> {
        let mut urls: Vec<usize> = vec![0; site.value_count() as usize];
        for row in 0..site.len() as u32 {
            for &value in site.values_of(row) {
                urls[value as usize] += 1;
            }
        }
        // One in a hundred, and on small sites no accident either.
        let least = (site.len() / 100).max(4);
        Forms { site, is_frequent: urls.into_iter().map(|urls| urls >= least).collect() }
    }

    fn of(&self, row: u32) -> Vec<u8> {
        let mut form = Vec::new();
        let text = |value: u32| {
            let text = self.site.value(value);
            if self.is_frequent[value as usize] || text.is_empty() { text } else { b"*" }
        };
        self.site.write_url_with(row, text, &mut form);
        form
    }
}
