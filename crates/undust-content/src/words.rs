//! Text to words, and words to the features that pages are compared by.
//!
//! A word is kept as 32 bits, the lowest of which tells whether it has a digit. Features have 64: each word by itself, and each
//! *shingle*, some words in a row.
//!
//! A line of a text is a row of a table, of a list or of what is preformatted ([`html`](crate::html)); where it ends stands [`ROW_END`].

use undust::page::Words;
use xxhash_rust::xxh3::xxh3_64;

/// The hash of a word.
pub(crate) type Word = u32;

/// The words of a text in its order.
pub(crate) fn hashed(text: &str) -> Vec<Word> {
    words(text).map(hash).collect()
}

/// Stands between two rows. It is the hash of a word no more often than any other number.
pub(crate) const ROW_END: Word = 0;

/// The words of a text in its order, with numbers in one piece, and with [`ROW_END`] between lines that have words.
pub(crate) fn hashed_with_numbers(text: &str) -> Vec<Word> {
    let mut hashed = Vec::new();
    for line in text.split('\n') {
        if hashed.last().is_some_and(|&last| last != ROW_END) {
            hashed.push(ROW_END);
        }
        hashed.extend(words_and_numbers(line).map(hash));
    }
    if hashed.last() == Some(&ROW_END) {
        hashed.pop();
    }
    hashed
}

/// The `n`th word before a place, from 1, whatever row it is in; 0 for none.
pub(crate) fn before(words: &[Word], place: usize, n: usize) -> Word {
    words[..place].iter().rev().copied().filter(|&word| word != ROW_END).nth(n - 1).unwrap_or_default()
}

/// The `n`th word from a place on, from 1, whatever row it is in; 0 for none.
pub(crate) fn behind(words: &[Word], place: usize, n: usize) -> Word {
    words[place..].iter().copied().filter(|&word| word != ROW_END).nth(n - 1).unwrap_or_default()
}

/// The same for texts that have the same rows, in whatever order; none for a text of less than two rows.
pub(crate) fn row_set(words: &[Word]) -> Option<u64> {
    let rows = words.split(|&word| word == ROW_END).filter(|row| !row.is_empty());
    let hashes = rows.map(|row| hash_all(row.iter().copied()));
    let (count, sum) = hashes.fold((0, 0_u64), |(count, sum), hash| (count + 1, sum.wrapping_add(hash)));
    (count > 1).then_some(sum)
}

/// The words of a text, with numbers in one piece: `0.047`, `22:10:01`, `2026-11-15T22:10:01Z`, `2026-11-15 22:10`.
fn words_and_numbers(text: &str) -> impl Iterator<Item = &str> {
    let place = |word: &str| (word.as_ptr() as usize - text.as_ptr() as usize, word.len());
    let mut words = words(text).peekable();
    std::iter::from_fn(move || {
        let (start, length) = place(words.next()?);
        let mut end = start + length;
        while let Some(next) = words.next_if(|next| goes_on(text, start, end, place(next).0)) {
            let (next, length) = place(next);
            end = next + length;
        }
        Some(&text[start..end])
    })
}

/// Whether the number from `start` on goes on behind the sign at `end`, with the word at `next`.
fn goes_on(text: &str, start: usize, end: usize, next: usize) -> bool {
    let bytes = text.as_bytes();
    let joins = || match bytes[end] {
        b'.' | b',' | b':' | b'/' | b'-' => true,
        b' ' => is_date(&bytes[start..end]) && is_time(&bytes[next..]),
        _ => false,
    };
    next == end + 1 && bytes[end - 1].is_ascii_digit() && bytes[next].is_ascii_digit() && joins()
}

/// `2026-11-15`, `15.11.2026`, `11/15/26`.
fn is_date(number: &[u8]) -> bool {
    let is_sign = |byte: &u8| matches!(byte, b'-' | b'/' | b'.');
    number.iter().filter(|byte| is_sign(byte)).count() == 2
        && number.iter().all(|byte| byte.is_ascii_digit() || is_sign(byte))
}

/// Whether a text begins with the time of a day.
fn is_time(text: &[u8]) -> bool {
    let hour = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    hour <= 2 && text.get(hour) == Some(&b':') && text.get(hour + 1).is_some_and(u8::is_ascii_digit)
}

/// Longer texts are not recorded: 30 kilobytes are enough for a line, and a part of a text may be the same where the whole is not.
const MAX_RECORDED_WORDS: usize = 10_000;

/// The bits of a word that are recorded; the one that tells digits is among them.
const RECORDED_BITS: Word = (1 << Words::BITS) - 1;

/// The words of a text for a recording, which [`cluster`](crate::cluster) compares as it does the text; none where there are too many or none.
pub fn recorded(text: &str) -> Option<Words> {
    let words = hashed_with_numbers(text);
    (1..=MAX_RECORDED_WORDS).contains(&words.len()).then(|| Words::new(words))
}

/// A word as it would come back from a recording.
pub(crate) fn as_recorded(word: Word) -> Word {
    word & RECORDED_BITS
}

pub(crate) fn hash(word: &str) -> Word {
    // All of it, found or not: most words have none, and a word is too short for a branch at each letter to pay.
    let digit = word.bytes().fold(false, |digit, byte| digit | byte.is_ascii_digit());
    xxh3_64(word.as_bytes()) as Word & !1 | Word::from(digit)
}

pub(crate) fn has_digit(word: Word) -> bool {
    word & 1 == 1
}

/// Runs of letters and digits; of scripts that write no spaces between words, each letter.
pub(crate) fn words(text: &str) -> impl Iterator<Item = &str> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = end_of_run(text, at, false);
        at = end_of_run(text, start, true);
        (at > start).then(|| &text[start..at])
    })
}

/// What a byte of a text says of the letter that it is of.
#[derive(Clone, Copy, PartialEq)]
enum Byte {
    Word,
    Other,
    /// Not ASCII.
    Part,
}

/// Looked up, as it is asked for every byte.
static BYTES: [Byte; 256] = {
    let mut bytes = [Byte::Part; 256];
    let mut byte = 0_u8;
    while byte.is_ascii() {
        bytes[byte as usize] = if byte.is_ascii_alphanumeric() { Byte::Word } else { Byte::Other };
        byte += 1;
    }
    bytes
};

/// Where the word, or what stands between two words, ends that begins at `start`.
#[inline]
fn end_of_run(text: &str, start: usize, is_word: bool) -> usize {
    let wanted = if is_word { Byte::Word } else { Byte::Other };
    let mut at = start;
    while let Some(&byte) = text.as_bytes().get(at) {
        let kind = BYTES[usize::from(byte)];
        if kind == wanted {
            at += 1;
            continue;
        }
        let letter = if kind == Byte::Part { text[at..].chars().next() } else { None };
        let Some(letter) = letter.filter(|c| c.is_alphanumeric() == is_word) else {
            break;
        };
        at += letter.len_utf8();
        if is_word && writes_no_spaces(letter) {
            break;
        }
    }
    at
}

/// Thai and its neighbours, Chinese and Japanese.
fn writes_no_spaces(c: char) -> bool {
    matches!(c, '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}'
        | '\u{2e80}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{ff66}'..='\u{ff9f}' | '\u{20000}'..='\u{3ffff}')
}

/// The hashes of all runs of `size` words; of the whole text where it has fewer words.
pub(crate) fn shingles(words: &[Word], size: usize) -> impl Iterator<Item = u64> {
    // No words, no run of them.
    words.windows(size.min(words.len()).max(1)).map(|run| hash_all(run.iter().copied()))
}

/// The hash of some words in a row.
pub(crate) fn hash_all(words: impl Iterator<Item = Word>) -> u64 {
    words.fold(0, |hash, word| mixed(hash ^ u64::from(word)))
}

/// The feature of the `n`th time that a word stands in a text, from 0: a text that says it twice says more.
pub(crate) fn nth(word: Word, n: u32) -> u64 {
    mixed(u64::from(word) << 32 | u64::from(n))
}

/// Each bit of the result depends on each of `x`, and different numbers give different results.
fn mixed(x: u64) -> u64 {
    // The finalizer of MurmurHash3, with the constants of David Stafford's Mix13.
    let x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests {
    use proptest::{prop_assert_eq, proptest};

    use super::*;

    #[test]
    fn words_of_many_scripts() {
        let all = |text| words(text).collect::<Vec<_>>();
        assert_eq!(all("It's 3.5 m, Käse-Brot"), ["It", "s", "3", "5", "m", "Käse", "Brot"]);
        assert_eq!(all("蜂蜜 honey"), ["蜂", "蜜", "honey"]);
        assert_eq!(all(" ... "), Vec::<&str>::new());
    }

    /// Words as they are defined, letter by letter.
    fn defined(text: &str) -> Vec<&str> {
        let runs = text.split(|c: char| !c.is_alphanumeric()).filter(|run| !run.is_empty());
        runs.flat_map(|run| run.split_inclusive(writes_no_spaces)).collect()
    }

    proptest! {
        #[test]
        fn words_are_as_defined(text in "([a-z0-9]{1,4}|[ ,.é²ẞ٣\u{85}\u{3000}]|[蜂蜜กะ็々、ｱー𠀀]|\\PC){0,40}") {
            prop_assert_eq!(words(&text).collect::<Vec<_>>(), defined(&text));
        }
    }

    #[test]
    fn numbers_are_in_one_piece() {
        let all = |text| words_and_numbers(text).collect::<Vec<_>>();
        assert_eq!(all("It took 0.047 s, 1,234 views."), ["It", "took", "0.047", "s", "1,234", "views"]);
        assert_eq!(all("2026-11-15T22:10:01Z"), ["2026-11-15T22:10:01Z"]);
        assert_eq!(all("2026-11-15 22:10 5K"), ["2026-11-15 22:10", "5K"], "a date with its time");
        assert_eq!(all("1.2.3 4 1/2 3:4 1.2.3 4:"), ["1.2.3", "4", "1/2", "3:4", "1.2.3", "4"]);
        assert_eq!(all("1. 2, x3:y é9:é 7-"), ["1", "2", "x3", "y", "é9", "é", "7"]);
    }

    #[test]
    fn rows_in_any_order() {
        let rows = |text: &str| row_set(&hashed_with_numbers(text));
        assert_eq!(hashed_with_numbers("\n\na b\n \nc\n"), [hash("a"), hash("b"), ROW_END, hash("c")]);
        assert_eq!(rows("a b\nc\nd"), rows("d\na b\nc"));
        for other in ["b a\nc\nd", "a\nb c\nd", "a b\nc", "a b\nc\nd\nd", "a b\na b\nd"] {
            assert_ne!(rows("a b\nc\nd"), rows(other), "{other}");
        }
        assert_eq!((rows("a b c"), rows("")), (None, None));
    }

    #[test]
    fn neighbours_in_other_rows() {
        let words = hashed_with_numbers("a b\nc\nd");
        assert_eq!(
            (before(&words, 3, 1), before(&words, 3, 2), before(&words, 3, 3)),
            (hash("b"), hash("a"), 0)
        );
        assert_eq!((behind(&words, 4, 1), behind(&words, 4, 2)), (hash("d"), 0));
    }

    #[test]
    fn digits_are_remembered() {
        assert!(has_digit(hash("a7")) && !has_digit(hash("seven")));
    }

    #[test]
    fn shingles_of_short_texts() {
        let count = |text, size| shingles(&hashed(text), size).count();
        assert_eq!((count("a b c d", 3), count("a b", 3), count("", 3), count("a b", 1)), (2, 1, 0, 2));
        assert_ne!(shingles(&hashed("a b"), 2).next(), shingles(&hashed("b a"), 2).next());
    }
}
