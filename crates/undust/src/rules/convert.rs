//! The value conversions of the rule language, shared by both engines and by learners. Each is idempotent.

use super::Convert;
use crate::url::{escaped, in_broken_escape, is_unreserved};

impl Convert {
    /// Append `value`, converted, to `out`.
    pub fn append(self, value: &[u8], out: &mut Vec<u8>) {
        match self {
            Convert::Copy => out.extend_from_slice(value),
            Convert::Lower => lower(value, out),
            Convert::Upper => out.extend(value.iter().map(u8::to_ascii_uppercase)),
            Convert::Encode => encode(value, out),
            Convert::Decode => decode(value, out),
        }
    }
}

/// The hex digits of escapes are no letters: normalisation writes them in upper case.
fn lower(value: &[u8], out: &mut Vec<u8>) {
    let mut rest = value;
    while let Some(&first) = rest.first() {
        let used = if escaped(rest).is_some() { 3 } else { 1 };
        if used == 3 {
            out.extend_from_slice(&rest[..used]);
        } else {
            out.push(first.to_ascii_lowercase());
        }
        rest = &rest[used..];
    }
}

fn encode(value: &[u8], out: &mut Vec<u8>) {
    for (i, &byte) in value.iter().enumerate() {
        if is_unreserved(byte) || byte == b'/' || escaped(&value[i..]).is_some() {
            out.push(byte);
        } else {
            out.push(b'%');
            out.extend_from_slice(&[HEX[usize::from(byte >> 4)], HEX[usize::from(byte & 15)]]);
        }
    }
}

const HEX: &[u8; 16] = b"0123456789ABCDEF";

/// Decode what stays text and stays one value: plain characters, and escapes that spell UTF-8 together.
fn decode(value: &[u8], out: &mut Vec<u8>) {
    let mut rest = value;
    let start = out.len();
    while let Some(&first) = rest.first() {
        let used = if in_broken_escape(&out[start..]) { 0 } else { decode_one(rest, out) };
        if used == 0 {
            out.push(first);
        }
        rest = &rest[used.max(1)..];
    }
}

/// Decode the character escaped at the start of `rest`; how many bytes of `rest` that used, 0 when it stays as it is.
fn decode_one(rest: &[u8], out: &mut Vec<u8>) -> usize {
    let Some(first) = escaped(rest) else { return 0 };
    if first.is_ascii() {
        let plain = is_unreserved(first) || b"!$'(),:@|".contains(&first);
        if plain {
            out.push(first);
        }
        return if plain { 3 } else { 0 };
    }
    let mut bytes = [0; 4];
    for len in 1..=4 {
        let Some(byte) = rest.get(3 * (len - 1)..).and_then(escaped) else { return 0 };
        bytes[len - 1] = byte;
        if let Ok(text) = std::str::from_utf8(&bytes[..len]) {
            out.extend_from_slice(text.as_bytes());
            return 3 * len;
        }
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(convert: Convert, value: &str, expected: &str) {
        let run = |v: &[u8]| {
            let mut out = Vec::new();
            convert.append(v, &mut out);
            out
        };
        let once = run(value.as_bytes());
        assert_eq!(String::from_utf8_lossy(&once), expected);
        assert_eq!(run(&once), once, "not idempotent");
    }

    #[test]
    fn conversions() {
        check(Convert::Lower, "RECIPE-É", "recipe-É");
        check(Convert::Lower, "A%C3%89B%2f%zZ%", "a%C3%89b%2f%zz%");
        check(Convert::Upper, "Recipe", "RECIPE");
        check(Convert::Encode, "a b%20é", "a%20b%20%C3%A9");
        check(Convert::Encode, "100%", "100%25");
        check(Convert::Decode, "%41%2D%c3%a9%2F%26%25%41", "A-é%2F%26%25A");
        check(Convert::Decode, "%ff%C3%4", "%ff%C3%4");
        check(Convert::Decode, "%2541", "%2541");
        check(Convert::Decode, "%%34%31", "%%341");
        check(Convert::Decode, "%4%31%31", "%4%311");
        check(Convert::Decode, "a%b%63%2F%41%z%41", "a%b%63%2FA%zA");
    }
}
