//! The words of a text as small numbers: enough to compare texts by, in half the space, and not to be read.

use serde::{Deserialize, Serialize};

/// The first byte of the written form.
const VERSION: &str = "1";

/// Three digits of six bits each.
const DIGITS_PER_WORD: usize = 3;

/// The digits of base64 for URLs (RFC 4648).
const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// The words of a text in its order, each as a number of [`Words::BITS`] bits: what a recording holds instead of the text.
///
/// Written as the version `1`, then three digits of base64 for each word. What the numbers mean is up to those who compare texts.
///
/// ```
/// use undust::page::Words;
///
/// let words = Words::new([0, 1, 262_143]);
/// assert_eq!(words.as_str(), "1AAAAAB___");
/// assert_eq!(words.numbers().collect::<Vec<_>>(), [0, 1, 262_143]);
/// assert_eq!(Words::parse("1AAAAAB___"), Some(words));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Words(String);

impl Words {
    /// How many bits of each number are kept.
    pub const BITS: u32 = 18;

    /// Keeps the lowest bits of these numbers.
    pub fn new(numbers: impl IntoIterator<Item = u32>) -> Words {
        let mut text = VERSION.to_owned();
        let digit = |number: u32, shift: u32| char::from(DIGITS[(number >> shift) as usize % DIGITS.len()]);
        for number in numbers {
            text.extend([12, 6, 0].map(|shift| digit(number, shift)));
        }
        Words(text)
    }

    /// Reads the written form; none where it is no such thing, or of a version that is not known.
    pub fn parse(text: &str) -> Option<Words> {
        let digits = text.strip_prefix(VERSION)?;
        let is_whole =
            digits.len() % DIGITS_PER_WORD == 0 && digits.bytes().all(|digit| value(digit).is_some());
        is_whole.then(|| Words(text.to_owned()))
    }

    /// The numbers, in the order of the text.
    pub fn numbers(&self) -> impl Iterator<Item = u32> {
        let digits = &self.0.as_bytes()[VERSION.len()..];
        let number =
            |digits: &[u8]| digits.iter().fold(0, |number, &digit| number << 6 | value(digit).unwrap_or(0));
        digits.chunks_exact(DIGITS_PER_WORD).map(number)
    }

    /// The written form.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fn value(digit: u8) -> Option<u32> {
    let value = match digit {
        b'A'..=b'Z' => digit - b'A',
        b'a'..=b'z' => digit - b'a' + 26,
        b'0'..=b'9' => digit - b'0' + 52,
        b'-' => 62,
        b'_' => 63,
        _ => return None,
    };
    Some(u32::from(value))
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::{any, prop_assert_eq, proptest};

    use super::*;

    proptest! {
        #[test]
        fn what_is_written_is_read(numbers in vec(any::<u32>(), 0..40)) {
            let words = Words::new(numbers.iter().copied());
            let kept: Vec<u32> = numbers.iter().map(|number| number % (1 << Words::BITS)).collect();
            prop_assert_eq!(words.numbers().collect::<Vec<_>>(), kept);
            prop_assert_eq!(Words::parse(words.as_str()), Some(words));
        }
    }

    #[test]
    fn nothing_else_is_read() {
        for other in ["", "2AAA", "1AA", "1AAAA", "1AA=", "1A A", "1AAé", "AAA"] {
            assert_eq!(Words::parse(other), None, "{other}");
        }
        assert_eq!(Words::parse("1").map(|words| words.numbers().count()), Some(0));
    }
}
