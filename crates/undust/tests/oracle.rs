//! The WHATWG URL parser of the `url` crate as an oracle: what normalising a URL did to its meaning.

use undust::url::normalize;
use url::Url;

/// What normalising `input` did to its meaning.
#[derive(Debug, PartialEq)]
pub(crate) enum Verdict {
    /// The oracle does not take the URL, or not as one of the web.
    NotOurs,
    /// Nothing to normalise.
    Same,
    /// Normalised, and still the same URL.
    Changed,
    /// Normalised into something else.
    Wrong(String),
}

pub(crate) fn judge(input: &[u8]) -> Verdict {
    let Some(before) = std::str::from_utf8(input).ok().and_then(|text| Url::parse(text).ok()) else {
        return Verdict::NotOurs;
    };
    let normal = normalize(input);
    let after = std::str::from_utf8(&normal).ok().and_then(|text| Url::parse(text).ok());
    match after {
        Some(after) if meaning(&after) == meaning(&before) => {
            if *normal == *input {
                Verdict::Same
            } else {
                Verdict::Changed
            }
        }
        after => Verdict::Wrong(format!(
            "{} became {}: {after:?}, not {before:?}",
            input.escape_ascii(),
            normal.escape_ascii()
        )),
    }
}

/// A URL without its fragment; in path and query, neither the case of hex digits in escapes counts nor whether a character that
/// needs no escape has one.
fn meaning(url: &Url) -> [Option<String>; 7] {
    let text = |part: &str| Some(part.to_owned());
    [
        text(url.scheme()),
        text(url.username()),
        url.password().map(str::to_owned),
        url.host_str().map(str::to_owned),
        url.port().map(|port| port.to_string()),
        Some(fold_escapes(url.path())),
        url.query().map(fold_escapes),
    ]
}

fn fold_escapes(part: &str) -> String {
    let (mut folded, mut rest) = (String::new(), part);
    while let Some(first) = rest.chars().next() {
        let escape = rest.get(..3).filter(|_| first == '%');
        let byte = escape.and_then(|escape| u8::from_str_radix(&escape[1..], 16).ok());
        let used = match byte {
            Some(byte) if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) => {
                folded.push(char::from(byte));
                3
            }
            Some(_) => {
                folded.push_str(&rest[..3].to_ascii_uppercase());
                3
            }
            None => {
                folded.push(first);
                first.len_utf8()
            }
        };
        rest = &rest[used..];
    }
    folded
}
