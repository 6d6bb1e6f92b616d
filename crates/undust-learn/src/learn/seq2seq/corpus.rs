//! The URLs of a site as templates and arguments, with the pages they lead to.

use std::collections::{BTreeMap, HashMap};

use crate::intern::Interner;
use crate::site::Sample;
use xxhash_rust::xxh3::xxh3_64;

use super::Id;
use super::tokens::Delimiters;
use super::vocabulary::{ARGUMENTS, Reading, Template, Vocabulary};

/// The URLs that a sample has, in the words of the site.
pub struct Corpus {
    /// The words.
    pub vocabulary: Vocabulary,
    /// The distinct templates, sorted.
    pub templates: Vec<Template>,
    /// The URLs of each template, as places in `rows`.
    pub by_template: Vec<Vec<u32>>,
    rows: Vec<Row>,
    /// The arguments of one row after the other.
    arguments: Vec<u32>,
    values: Interner,
    by_key: HashMap<u64, u32>,
}

struct Row {
    template: u32,
    first_argument: u32,
    cluster: u32,
    /// A bit: the fold of the URL.
    fold: u32,
}

impl Corpus {
    /// Read the URLs of a sample. Those that are too long are left out.
    pub fn read(sample: &Sample, least_share: f64, delimiters: Delimiters) -> Corpus {
        let (mut text, mut ends) = (Vec::new(), vec![0]);
        for &row in &sample.rows {
            sample.site.write_url(row, &mut text);
            ends.push(text.len());
        }
        let urls = || ends.windows(2).map(|ends| &text[ends[0]..ends[1]]);
        let least = (least_share * sample.rows.len() as f64).max(MIN_CONSTANT_URLS);
        let pages = urls().zip(sample.rows.iter().map(|row| sample.site.cluster(*row)));
        let constant = constant_pages(pages, least, &delimiters);
        let vocabulary = Vocabulary::learn(urls(), &constant, least_share, delimiters);
        let mut corpus = Corpus {
            vocabulary,
            templates: Vec::new(),
            by_template: Vec::new(),
            rows: Vec::new(),
            arguments: Vec::new(),
            values: Interner::new(),
            by_key: HashMap::new(),
        };
        let mut known: BTreeMap<Template, Vec<u32>> = BTreeMap::new();
        let mut reading = Reading::default();
        for (url, &row) in urls().zip(&sample.rows) {
            if corpus.vocabulary.read(url, &mut reading) {
                let at = corpus.add(url, &reading, sample.site.cluster(row), 1 << sample.site.fold(row));
                known.entry(reading.template.clone()).or_default().push(at);
            }
        }
        for (template, rows) in known {
            let number = corpus.templates.len() as u32;
            for row in &rows {
                corpus.rows[*row as usize].template = number;
            }
            corpus.templates.push(template);
            corpus.by_template.push(rows);
        }
        corpus
    }

    fn add(&mut self, url: &[u8], reading: &Reading, cluster: u32, fold: u32) -> u32 {
        let (at, first_argument) = (self.rows.len() as u32, self.arguments.len() as u32);
        let values = &mut self.values;
        self.arguments.extend(reading.arguments.iter().map(|place| values.intern(&url[place.clone()])));
        self.rows.push(Row { template: 0, first_argument, cluster, fold });
        self.by_key.insert(self.key(&reading.template, at), at);
        at
    }

    /// How many URLs there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The page of a URL.
    pub fn cluster(&self, row: u32) -> u32 {
        self.rows[row as usize].cluster
    }

    /// The number of a URL's template.
    pub fn template_of(&self, row: u32) -> u32 {
        self.rows[row as usize].template
    }

    /// The arguments of a URL, as numbers.
    pub fn arguments(&self, row: u32) -> &[u32] {
        let start = self.rows[row as usize].first_argument as usize;
        let end =
            self.rows.get(row as usize + 1).map_or(self.arguments.len(), |next| next.first_argument as usize);
        &self.arguments[start..end]
    }

    /// The URL that `output` is with the arguments of a row.
    pub fn url(&self, output: &[Id], row: u32) -> Vec<u8> {
        let (mut values, mut places) = (Vec::new(), Vec::new());
        for &argument in self.arguments(row) {
            let start = values.len();
            values.extend_from_slice(self.values.get(argument));
            places.push(start..values.len());
        }
        let mut url = Vec::new();
        self.vocabulary.print(output, &values, &places, &mut url);
        url
    }

    /// A hash of the URL that `output` is with the arguments of `row`.
    fn key(&self, output: &[Id], row: u32) -> u64 {
        let arguments = self.arguments(row);
        let mut bytes = [0; 4 * super::vocabulary::MAX_TOKENS];
        for (number, out) in output.iter().zip(bytes.chunks_exact_mut(4)) {
            // Numbers of arguments are set apart from those of words by the highest bit.
            let token = if ARGUMENTS.contains(number) {
                arguments[usize::from(*number - ARGUMENTS.start)] | 1 << 31
            } else {
                u32::from(*number)
            };
            out.copy_from_slice(&token.to_le_bytes());
        }
        xxh3_64(&bytes[..4 * output.len()])
    }

    /// What is known of writing URLs of a template as `output`: for each URL in the folds `tried`, whether it thereby becomes equal to others of
    /// its page or of another page, among the URLs in the folds `seen`.
    pub fn try_out(&self, template: u32, output: &[Id], tried: u32, seen: u32) -> Tally {
        let mut tally = Tally::default();
        let mut firsts: HashMap<u64, u32> = HashMap::new();
        for &row in &self.by_template[template as usize] {
            let key = self.key(output, row);
            let written_so = self.by_key.get(&key).filter(|other| self.is_in(**other, seen));
            let other = match written_so {
                Some(other) if *other == row => continue,
                Some(other) => Some(*other),
                None => firsts.get(&key).copied(),
            };
            if self.is_in(row, seen) {
                firsts.entry(key).or_insert(row);
            }
            if let Some(other) = other.filter(|_| self.is_in(row, tried)) {
                tally.count(self.cluster(other) == self.cluster(row));
            }
        }
        tally
    }

    /// Whether a URL is in one of these folds.
    fn is_in(&self, row: u32, folds: u32) -> bool {
        self.rows[row as usize].fold & folds != 0
    }

    /// The URLs of each page that has several in these folds.
    pub fn duplicates(&self, folds: u32) -> Vec<Vec<u32>> {
        let mut clusters: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for row in (0..self.len() as u32).filter(|row| self.is_in(*row, folds)) {
            clusters.entry(self.cluster(row)).or_default().push(row);
        }
        clusters.into_values().filter(|rows| rows.len() > 1).collect()
    }
}

/// Number of URLs from which on a page may be one that all kinds of URLs lead to, such as a login wall.
const MIN_CONSTANT_URLS: f64 = 24.0;

/// The URL of fewest tokens of every page that has at least so many URLs, and how many.
fn constant_pages<'u>(
    pages: impl Iterator<Item = (&'u [u8], u32)>,
    least: f64,
    delimiters: &Delimiters,
) -> Vec<(&'u [u8], u64)> {
    let mut by_page: BTreeMap<u32, ((usize, &[u8]), u64)> = BTreeMap::new();
    for (url, page) in pages {
        let rank = (delimiters.tokens(url).count(), url);
        let (best, count) = by_page.entry(page).or_insert((rank, 0));
        *best = rank.min(*best);
        *count += 1;
    }
    let constant = by_page.into_values().filter(|(_, count)| *count as f64 >= least);
    constant.map(|((_, url), count)| (url, count)).collect()
}

/// How often an answer was right, and how often not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// URLs made equal to another one of their page.
    pub right: u64,
    /// URLs made equal to one of another page.
    pub wrong: u64,
}

impl Tally {
    fn count(&mut self, is_right: bool) {
        *(if is_right { &mut self.right } else { &mut self.wrong }) += 1;
    }

    /// Both together.
    #[must_use]
    pub fn plus(self, other: Tally) -> Tally {
        Tally { right: self.right + other.right, wrong: self.wrong + other.wrong }
    }

    /// How often there was something to tell.
    pub fn trials(self) -> u64 {
        self.right + self.wrong
    }

    /// The share of wrong ones; none without any.
    pub fn error(self) -> f64 {
        if self.wrong == 0 { 0.0 } else { self.wrong as f64 / self.trials() as f64 }
    }
}
