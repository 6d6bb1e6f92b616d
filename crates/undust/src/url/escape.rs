//! Percent escapes: what they stand for, and their normal form.
//!
//! RFC 3986, sections 6.2.2.1 and 6.2.2.2: the hex digits of an escape are upper case, and characters that need no escape (the
//! "unreserved" ones) have none. All other escapes stay: `%2F` is no slash.

use memchr::{memchr, memchr_iter};

/// The byte that `%XX` at the start of `at` stands for.
pub(crate) fn escaped(at: &[u8]) -> Option<u8> {
    let digit = |b: u8| char::from(b).to_digit(16).map(|d| d as u8);
    match at {
        [b'%', high, low, ..] => Some(digit(*high)? << 4 | digit(*low)?),
        _ => None,
    }
}

/// Whether the next character, decoded, could complete a `%` that is no escape and so make one of it.
pub(crate) fn in_broken_escape(before: &[u8]) -> bool {
    match before {
        [.., b'%'] => true,
        [.., b'%', digit] => digit.is_ascii_hexdigit(),
        _ => false,
    }
}

/// Whether `byte` is of RFC 3986's unreserved set: it means the same with an escape and without.
pub(crate) fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~".contains(&byte)
}

/// Whether nothing in `part` is decoded, whatever stands before and behind it: every `%` in it begins an escape that stays.
pub(crate) fn has_only_reserved_escapes(part: &[u8]) -> bool {
    memchr_iter(b'%', part).all(|at| escaped(&part[at..]).is_some_and(|byte| !is_unreserved(byte)))
}

/// Whether [`append_normal`] would change `part`.
pub(super) fn has_odd_escape(part: &[u8]) -> bool {
    memchr_iter(b'%', part).any(|at| {
        let is_lower = || part[at + 1..at + 3].iter().any(u8::is_ascii_lowercase);
        escaped(&part[at..])
            .is_some_and(|byte| is_lower() || (is_unreserved(byte) && !in_broken_escape(&part[..at])))
    })
}

/// Append `part` to `out`, with its escapes in normal form.
pub(crate) fn append_normal(part: &[u8], out: &mut Vec<u8>) {
    let mut rest = part;
    while let Some(at) = memchr(b'%', rest) {
        out.extend_from_slice(&rest[..at]);
        rest = &rest[at..];
        let used = match escaped(rest) {
            Some(byte) if is_unreserved(byte) && !in_broken_escape(out) => {
                out.push(byte);
                3
            }
            Some(_) => {
                out.extend(rest[..3].iter().map(u8::to_ascii_uppercase));
                3
            }
            None => {
                out.push(b'%');
                1
            }
        };
        rest = &rest[used..];
    }
    out.extend_from_slice(rest);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(part: &str, expected: &str) {
        let mut normal = Vec::new();
        append_normal(part.as_bytes(), &mut normal);
        assert_eq!(String::from_utf8_lossy(&normal), expected, "{part}");
        assert_eq!(has_odd_escape(part.as_bytes()), part != expected, "{part}");
        assert!(!has_odd_escape(&normal), "{part} is not normal after normalisation");
    }

    #[test]
    fn unreserved_characters_need_no_escape() {
        check("/%7Euser/%2D%2e%5f%41%7a%30", "/~user/-._Az0");
        check("?q=%61+b%2B%20", "?q=a+b%2B%20");
        for byte in 0..=255_u8 {
            let escape = format!("%{byte:02X}");
            let plain = byte.is_ascii_alphanumeric() || "-._~".as_bytes().contains(&byte);
            check(&escape, &if plain { char::from(byte).to_string() } else { escape.clone() });
        }
    }

    #[test]
    fn other_escapes_stay_in_upper_case() {
        check("/a%2fb%3f%23%26%3d%25%c3%a9", "/a%2Fb%3F%23%26%3D%25%C3%A9");
        check("/%2541/%252f", "/%2541/%252f");
    }

    /// `%4%31` decoded would be `%41`, which is another text.
    #[test]
    fn no_escape_comes_about() {
        check("%4%31%31", "%4%311");
        check("%%34%31", "%%341");
        check("%%2d%zz%2d%", "%%2D%zz-%");
        check("%2%65%", "%2%65%");
    }
}
