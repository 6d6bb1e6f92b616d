//! Imprint: a fingerprint of a page for running crawls, to tell later whether another URL shows the same page. About 400 bytes.
//!
//! [`cluster`](crate::cluster) knows all pages of a site when it compares two; a crawl knows two. Words of either page's own URL may be echoes, and
//! rows may be in another order: so words are compared as a set, once with those of the URLs and once without, and the better likeness counts.

use undust::page::Page;
use xxhash_rust::xxh3::xxh3_64;

use crate::echoes::words_of_url;
use crate::words::{ROW_END, Word, hash_all, hashed_with_numbers};

/// Different words that are kept, those with the smallest hashes (Broder's sketch): exact for most pages, seldom off by more than 0.05 for others.
const SAMPLE_WORDS: usize = 96;

/// The share of words in both pages, of those in either, from which on pages are the same: clocks and counters change between two fetches.
const MIN_RESEMBLANCE: f64 = 0.9;

/// Fingerprint of a page: about 400 bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Imprint {
    digest: u64,
    /// Hashes of the title: as it is, and without words of the URL, 0 where no other is left.
    titles: [u32; 2],
    /// Hashes of words in their order, none twice; the lowest bit tells whether the word is in the URL.
    words: Vec<Word>,
}

impl Imprint {
    /// The imprint of a page whose body was [read](crate::read_body).
    pub fn new(page: &Page) -> Imprint {
        let own = words_of_url(&page.url);
        let is_own = |word: Word| own.binary_search(&word).is_ok();
        let title = hashed_with_numbers(page.title.as_deref().unwrap_or_default());
        let others: Vec<Word> = title.iter().copied().filter(|&word| !is_own(word)).collect();
        let mut words = hashed_with_numbers(page.text.as_deref().unwrap_or_default());
        words.retain(|&word| word != ROW_END);
        for word in &mut words {
            *word = *word & !1 | Word::from(is_own(*word));
        }
        words.sort_unstable();
        words.dedup_by_key(|word| *word & !1);
        words.truncate(SAMPLE_WORDS);
        let digest = xxh3_64(page.digest.as_deref().unwrap_or_default().as_bytes());
        Imprint { digest, titles: [title, others].map(|words| hash_all(words.into_iter()) as u32), words }
    }

    /// Whether both are of the same page: byte by byte, or by title and words.
    pub fn is_same(&self, other: &Imprint) -> bool {
        self.digest == other.digest
            || (self.agree_on_title(other) && self.resemblance(other) >= MIN_RESEMBLANCE)
    }

    fn agree_on_title(&self, other: &Imprint) -> bool {
        let [whole, rest] = [0, 1].map(|view| self.titles[view] == other.titles[view]);
        whole || (rest && self.titles[1] != 0)
    }

    /// The share of words in both, with or without those of the URLs, whichever is more; 0 where there are none.
    fn resemblance(&self, other: &Imprint) -> f64 {
        let limit = self.limit().min(other.limit());
        let (mut whole, mut others) = (Shared::default(), Shared::default());
        let (mut left, mut right) = (self.words.iter().peekable(), other.words.iter().peekable());
        while let Some(hash) = left.peek().into_iter().chain(right.peek()).map(|&&word| word & !1).min() {
            let next = |words: &mut Words| words.next_if(|&&word| word & !1 == hash).copied();
            let found = [next(&mut left), next(&mut right)];
            if hash > limit {
                break;
            }
            let in_both = found.iter().all(Option::is_some);
            whole.add(in_both);
            if !found.into_iter().flatten().any(|word| word & 1 == 1) {
                others.add(in_both);
            }
        }
        whole.share().max(others.share())
    }

    /// All words with hashes up to this are kept.
    fn limit(&self) -> Word {
        if self.words.len() < SAMPLE_WORDS {
            Word::MAX
        } else {
            self.words.last().map_or(Word::MAX, |word| word & !1)
        }
    }

    /// Encode it, in 16 bytes and 4 for each word.
    pub fn to_bytes(&self) -> Vec<u8> {
        let numbers = self.titles.iter().chain(&self.words);
        self.digest.to_le_bytes().into_iter().chain(numbers.flat_map(|number| number.to_le_bytes())).collect()
    }

    /// Inverse of [`Imprint::to_bytes`]; none for other bytes.
    pub fn from_bytes(bytes: &[u8]) -> Option<Imprint> {
        let (digest, rest) = bytes.split_first_chunk()?;
        let (numbers, odd) = rest.as_chunks();
        let numbers: Vec<u32> = numbers.iter().map(|&bytes| u32::from_le_bytes(bytes)).collect();
        let (&titles, words) = numbers.split_first_chunk()?;
        odd.is_empty().then(|| Imprint { digest: u64::from_le_bytes(*digest), titles, words: words.to_vec() })
    }
}

/// Words of an imprint that are still to be compared.
type Words<'w> = std::iter::Peekable<std::slice::Iter<'w, Word>>;

/// How many of some words are in both pages.
#[derive(Default)]
struct Shared {
    both: u32,
    all: u32,
}

impl Shared {
    fn add(&mut self, in_both: bool) {
        self.both += u32::from(in_both);
        self.all += 1;
    }

    fn share(&self) -> f64 {
        if self.all == 0 { 0.0 } else { f64::from(self.both) / f64::from(self.all) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn imprint(url: &str, title: &str, text: &str) -> Imprint {
        let [title, text, digest] = [title, text, url].map(|part| Some(part.to_owned()));
        Imprint::new(&Page { title, text, digest, ..Page::new(url) })
    }

    fn words(from: u32, count: u32) -> String {
        (from..from + count).map(|i| format!("w{i}")).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn rows_and_echoes_do_not_count() {
        let page = |url: &str, name: &str, rows: &str| {
            imprint(url, &format!("{name} [Wiki]"), &format!("You are here {name}\n{rows}"))
        };
        let one = page("http://a.org/?id=bees&C=N", "bees", "ants 1\nflies 2\nbugs 3");
        assert!(one.is_same(&page("http://a.org/?id=wasps", "wasps", "bugs 3\nants 1\nflies 2")));
        assert!(!one.is_same(&page("http://a.org/?id=wasps", "wasps", "bugs 3\nants 1\nmoths 2")));
        assert!(
            !one.is_same(&page("http://a.org/?id=7", "wasps", "ants 1\nflies 2\nbugs 3")),
            "another title"
        );
        // The same page, of which one URL names it and the other does not.
        assert!(one.is_same(&page("http://a.org/", "bees", "ants 1\nflies 2\nbugs 3")));
    }

    #[test]
    fn clocks_do_not_count_and_other_texts_do() {
        for count in [60, 2000] {
            let one = imprint("http://a.org/1", "T", &words(0, count));
            assert!(one.is_same(&imprint("http://a.org/2", "T", &words(1, count))), "one word of {count}");
            assert!(
                !one.is_same(&imprint("http://a.org/2", "T", &words(count / 3, count))),
                "a third of {count}"
            );
        }
    }

    #[test]
    fn nothing_is_the_same_as_nothing_only_byte_by_byte() {
        let (one, other) = (imprint("http://a.org/1", "T", ""), imprint("http://a.org/2", "T", ""));
        assert!(one.is_same(&one) && !one.is_same(&other));
        let only_echoes = |name: &str| imprint(&format!("http://a.org/{name}"), name, name);
        assert!(!only_echoes("bees").is_same(&only_echoes("wasps")));
    }

    #[test]
    fn bytes_come_back() {
        let one = imprint("http://a.org/w3", "T", &words(0, 500));
        assert_eq!(one.to_bytes().len(), 16 + 4 * SAMPLE_WORDS);
        assert_eq!(Imprint::from_bytes(&one.to_bytes()), Some(one));
        for odd in [&[][..], &[0; 8], &[0; 15], &[0; 17]] {
            assert_eq!(Imprint::from_bytes(odd), None);
        }
    }
}
