//! Tokens inside components and values, shapes of texts, and what looks like an id.

use std::collections::HashSet;

/// A token of a text: a run of digits, a run of letters and escapes, or one other character.
pub(super) fn tokens(text: &[u8]) -> Vec<&[u8]> {
    let mut out = Vec::new();
    let mut rest = text;
    while let Some(&first) = rest.first() {
        let len = if first.is_ascii_digit() {
            rest.iter().take_while(|b| b.is_ascii_digit()).count()
        } else if letter_len(rest) > 0 {
            let mut len = 0;
            while letter_len(&rest[len..]) > 0 {
                len += letter_len(&rest[len..]);
            }
            len
        } else {
            1
        };
        let (token, behind) = rest.split_at(len);
        out.push(token);
        rest = behind;
    }
    out
}

/// Bytes of the letter or escape that a text begins with.
fn letter_len(text: &[u8]) -> usize {
    match text {
        [b'%', a, b, ..] if a.is_ascii_hexdigit() && b.is_ascii_hexdigit() => 3,
        [b, ..] if b.is_ascii_alphabetic() || *b >= 0x80 => 1,
        _ => 0,
    }
}

pub(super) fn is_number(text: &[u8]) -> bool {
    !text.is_empty() && text.iter().all(u8::is_ascii_digit)
}

/// One part of a [`Shape`].
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Part {
    /// Some number.
    Number,
    /// Some word.
    Word,
    /// These bytes: a frequent word or a separator.
    Fixed(Vec<u8>),
}

/// What texts of one kind have in common.
pub(super) type Shape = Vec<Part>;

/// Texts of more tokens than this have no shape.
const MAX_TOKENS: usize = 14;
/// Texts of more bytes than this have no shape.
const MAX_SHAPE_BYTES: usize = 120;

/// The shape of a text; none if it is long or has two rare words.
pub(super) fn shape(text: &[u8], frequent: &HashSet<Vec<u8>>) -> Option<Shape> {
    if text.len() > MAX_SHAPE_BYTES {
        return None;
    }
    let tokens = tokens(text);
    if tokens.len() > MAX_TOKENS {
        return None;
    }
    let part = |token: &&[u8]| {
        if is_number(token) {
            Part::Number
        } else if letter_len(token) == 0 || frequent.contains(*token) {
            Part::Fixed(token.to_vec())
        } else {
            Part::Word
        }
    };
    let parts: Shape = tokens.iter().map(part).collect();
    (parts.iter().filter(|part| **part == Part::Word).count() <= 1).then_some(parts)
}

/// Digits of a number from which on it is an id.
const MIN_ID_DIGITS: usize = 5;
/// Characters of a hexadecimal number from which on it is an id.
const MIN_ID_HEX_CHARS: usize = 8;
/// Characters of a mix of digits and capitals from which on it is an id.
const MIN_ID_MIXED_CHARS: usize = 16;
/// Characters from which on any text is one of a kind.
const MIN_UNIQUE_CHARS: usize = 40;

/// Whether a text looks like the name of one thing: a long number, a hash, a session, a title. Ids are no literals and no scopes of rules.
pub(crate) fn is_id(text: &[u8]) -> bool {
    let digit = text.iter().any(u8::is_ascii_digit);
    let capital = text.iter().any(u8::is_ascii_uppercase);
    let hex = |b: &u8| b.is_ascii_digit() || (b'a'..=b'f').contains(b);
    let mixed = |b: &u8| b.is_ascii_alphanumeric() || b"+/=_-".contains(b);
    text.len() >= MIN_UNIQUE_CHARS
        || is_number(text) && text.len() >= MIN_ID_DIGITS
        || digit && text.len() >= MIN_ID_HEX_CHARS && text.iter().all(hex)
        || digit && capital && text.len() >= MIN_ID_MIXED_CHARS && text.iter().all(mixed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_id_is() {
        for id in ["74cf9c3be1", "12345", "0a1b2c3d4e5f", "AbCdEf0123456789xyz", &"x".repeat(40)] {
            assert!(is_id(id.as_bytes()), "{id}");
        }
        for word in ["0", "2005", "1234", "asc", "viewtopic.php", "component", "Special:UserLogin"] {
            assert!(!is_id(word.as_bytes()), "{word}");
        }
    }

    #[test]
    fn shapes_of_values() {
        let frequent = HashSet::from([b"msg".to_vec()]);
        let fixed = |text: &str| Part::Fixed(text.as_bytes().to_vec());
        assert_eq!(
            shape(b"12.msg345", &frequent),
            Some(vec![Part::Number, fixed("."), fixed("msg"), Part::Number])
        );
        assert_eq!(shape(b"a-b", &frequent), None);
        assert_eq!(tokens(b"2010-01-02T10"), [&b"2010"[..], b"-", b"01", b"-", b"02", b"T", b"10"]);
    }
}
