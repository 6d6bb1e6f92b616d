//! Echoes: words of a page's own URL in its text. "You are here: wiki » extensions" differs from URL to URL by nature, though all of
//! them may show the same.
//!
//! A word of the URL may stand in the text for its own sake, too. So only those rows of such words are echoes that stand in a *slot* in
//! which other pages have other rows of words of their own URLs. A slot is told by the two words before, by the two behind, or by one on either
//! side.

use rayon::prelude::*;
use xxhash_rust::xxh3::xxh3_64;

use crate::words::{Word, before, behind, hash, hash_all, hashed_with_numbers, words};

/// Different rows of words of their own URLs that pages must have in a slot of echoes: fewer may be words of the text.
const MIN_DIFFERENT_ROWS: usize = 5;

/// The slots of a site in which pages repeat words of their own URLs.
#[derive(Debug, Default)]
pub(crate) struct Echoes(Vec<u64>);

impl Echoes {
    /// Watches the texts of a site, with the words of their URLs.
    pub(crate) fn new(texts: &[Vec<Word>], urls: &[Vec<Word>]) -> Echoes {
        let mut rows: Vec<(u64, u64)> =
            texts.par_iter().zip(urls).flat_map_iter(|(text, url)| slots_of_page(text, url)).collect();
        rows.par_sort_unstable();
        rows.dedup();
        let slots = rows.chunk_by(|a, b| a.0 == b.0).filter(|rows| rows.len() >= MIN_DIFFERENT_ROWS);
        Echoes(slots.map(|rows| rows[0].0).collect())
    }

    /// The words of a text that are no echoes.
    pub(crate) fn leave_out(&self, text: &[Word], url: &[Word]) -> Vec<Word> {
        let mut kept = Vec::with_capacity(text.len());
        let mut from = 0;
        for row in rows_of_url(text, url).filter(|row| self.has(row)) {
            kept.extend(&text[from..row.from]);
            from = row.to;
        }
        kept.extend(&text[from..]);
        kept
    }

    fn has(&self, row: &Row) -> bool {
        row.slots.iter().any(|slot| self.0.binary_search(slot).is_ok())
    }
}

/// The slots in which a page has words of its URL, none twice, each with the words.
fn slots_of_page(text: &[Word], url: &[Word]) -> Vec<(u64, u64)> {
    let rows = rows_of_url(text, url);
    let mut slots: Vec<(u64, u64)> = rows.flat_map(|row| row.slots.map(|slot| (slot, row.words))).collect();
    slots.sort_unstable();
    slots.dedup_by_key(|(slot, _)| *slot);
    slots
}

/// The words of a URL, in order of their hashes: as they are, as pages print them (a heading begins with a capital), with numbers whole and in
/// parts; and its parameters, each as one word.
pub(crate) fn words_of_url(url: &[u8]) -> Vec<Word> {
    let decoded = percent_encoding::percent_decode(url).decode_utf8_lossy();
    let mut hashes = hashed_with_numbers(&decoded);
    hashes.extend(words(&decoded).flat_map(spellings).map(|word| hash(&word)));
    hashes.extend(parameters(url).map(|parameter| xxh3_64(parameter) as Word));
    hashes.sort_unstable();
    hashes.dedup();
    hashes
}

fn spellings(word: &str) -> [String; 4] {
    let lower = word.to_lowercase();
    let mut letters = lower.chars();
    let capital: String = letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect();
    [word.to_owned(), word.to_uppercase(), capital, lower]
}

fn parameters(url: &[u8]) -> impl Iterator<Item = &[u8]> {
    let query = url.iter().position(|&byte| byte == b'?').map_or(&[][..], |at| &url[at + 1..]);
    query.split(|byte| matches!(byte, b'&' | b';')).filter(|parameter| parameter.contains(&b'='))
}

/// Some words in a row, all of which stand in the URL; a row of a table or list ends it.
struct Row {
    from: usize,
    to: usize,
    /// Hashes of the words before and behind.
    slots: [u64; 3],
    /// Hash of the words.
    words: u64,
}

fn rows_of_url<'t>(text: &'t [Word], url: &'t [Word]) -> impl Iterator<Item = Row> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let is_in_url = |word: &Word| url.binary_search(word).is_ok();
        let from = at + text[at..].iter().position(is_in_url)?;
        let to = from + text[from..].iter().take_while(|word| is_in_url(word)).count();
        at = to;
        let slots = slots(text, from, to);
        Some(Row { from, to, slots, words: hash_all(text[from..to].iter().copied()) })
    })
}

fn slots(text: &[Word], from: usize, to: usize) -> [u64; 3] {
    let before = |n: usize| before(text, from, n);
    let behind = |n: usize| behind(text, to, n);
    [[0, before(2), before(1)], [1, behind(1), behind(2)], [2, before(1), behind(1)]]
        .map(|words| hash_all(words.into_iter()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::hashed;

    #[test]
    fn words_of_a_url_as_pages_print_them() {
        let url = words_of_url(b"http://a.org/x?id=ns%3Abig_bees-2.5&do=show");
        let has = |text: &str| hashed_with_numbers(text).iter().all(|word| url.binary_search(word).is_ok());
        for printed in ["ns:big_bees", "Big Bees", "BIG bees", "Ns / bees 2.5", "2 5"] {
            assert!(has(printed), "{printed}");
        }
        assert!(!has("wasps") && !has("bIg"));
        assert!(url.binary_search(&(xxh3_64(b"do=show") as Word)).is_ok());
    }

    #[test]
    fn an_echo_ends_with_its_row() {
        let names = ["bees", "wasps", "ants", "moths", "flies", "bugs"];
        let text = |name: &str| hashed_with_numbers(&format!("all of them\nbees\n{name} is here"));
        let texts: Vec<Vec<Word>> = names.iter().map(|name| text(name)).collect();
        let urls: Vec<Vec<Word>> = names.iter().map(|name| words_of_url(name.as_bytes())).collect();
        let left = hashed_with_numbers("all of them\nbees\nis here");
        let echoes = Echoes::new(&texts, &urls);
        for (text, url) in texts.iter().zip(&urls) {
            assert_eq!(echoes.leave_out(text, url), left);
        }
    }

    #[test]
    fn echoes_are_told_by_their_slots() {
        let names = ["bees", "wasps", "ants", "moths", "flies", "bugs"];
        let page = |name: &str| {
            format!("You are here: insects {name} All insects: bees wasps ants moths flies bugs and more")
        };
        let texts: Vec<Vec<Word>> = names.iter().map(|name| hashed(&page(name))).collect();
        let urls: Vec<Vec<Word>> = names
            .iter()
            .map(|name| words_of_url(format!("http://a.org/insects/{name}").as_bytes()))
            .collect();
        let echoes = Echoes::new(&texts, &urls);
        let expected = hashed("You are here All insects bees wasps ants moths flies bugs and more");
        for (text, url) in texts.iter().zip(&urls) {
            assert_eq!(echoes.leave_out(text, url), expected);
        }
        let one = "tag bees end tag wasps end tag ants end tag moths end tag flies end";
        let (text, url) = (hashed(one), words_of_url(b"http://a.org/bees/wasps/ants/moths/flies"));
        let alone = Echoes::new(std::slice::from_ref(&text), std::slice::from_ref(&url));
        assert_eq!(alone.leave_out(&text, &url), text, "one page makes no slot");
        let few = Echoes::new(&texts[..4], &urls[..4]);
        assert_eq!(few.leave_out(&texts[0], &urls[0]), texts[0]);
        assert_eq!(echoes.leave_out(&[], &[]).len(), 0);
    }
}
