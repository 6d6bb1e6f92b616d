//! JSON as crawlers write it: numbers that may be strings, and now and then bytes that are not UTF-8.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, MapAccess, Visitor};

use super::table::Column;
use crate::problems::shown;

/// Parse one line; the error shows the line and where in it the parser stopped.
pub(super) fn parse<'t, T: Deserialize<'t>>(text: &'t str) -> Result<T, String> {
    serde_json::from_str(text).map_err(|error| explained(&error, text.as_bytes()))
}

fn explained(error: &serde_json::Error, line: &[u8]) -> String {
    let text = error.to_string();
    // It speaks of line 1 of a text of one line; ours is another number.
    let what = text.split(" at line ").next().unwrap_or(&text);
    format!("{what} (column {}) in {}", error.column(), shown(line))
}

/// A value that is not a list and not an object.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) enum Scalar<'t> {
    #[default]
    Null,
    Integer(u64),
    Text(Cow<'t, str>),
}

impl<'t> Scalar<'t> {
    /// The value as a cell of a table would hold it; empty for null.
    pub(super) fn into_text(self) -> Cow<'t, str> {
        match self {
            Scalar::Null => Cow::Borrowed(""),
            Scalar::Integer(number) => Cow::Owned(number.to_string()),
            Scalar::Text(text) => text,
        }
    }
}

impl<'de: 't, 't> Deserialize<'de> for Scalar<'t> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Scalar<'t>, D::Error> {
        deserializer.deserialize_any(ScalarVisitor)
    }
}

struct ScalarVisitor;

impl<'de> Visitor<'de> for ScalarVisitor {
    type Value = Scalar<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text or a number")
    }
    fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
        Ok(Scalar::Null)
    }
    fn visit_bool<E: Error>(self, value: bool) -> Result<Self::Value, E> {
        Ok(Scalar::Text(if value { "true" } else { "false" }.into()))
    }
    fn visit_u64<E: Error>(self, number: u64) -> Result<Self::Value, E> {
        Ok(Scalar::Integer(number))
    }
    fn visit_i64<E: Error>(self, number: i64) -> Result<Self::Value, E> {
        Ok(Scalar::Text(number.to_string().into()))
    }
    fn visit_f64<E: Error>(self, number: f64) -> Result<Self::Value, E> {
        Ok(Scalar::Text(number.to_string().into()))
    }
    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Scalar::Text(text.into()))
    }
    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Scalar::Text(text.to_owned().into()))
    }
}

/// What a key of an object means to us.
pub(super) struct Name(pub(super) Option<Column>);

impl<'de> Deserialize<'de> for Name {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Name, D::Error> {
        struct NameVisitor;
        impl Visitor<'_> for NameVisitor {
            type Value = Name;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a name")
            }
            fn visit_str<E: Error>(self, name: &str) -> Result<Name, E> {
                Ok(Name(Column::named(name)))
            }
        }
        deserializer.deserialize_str(NameVisitor)
    }
}

/// The `url` of an object in a line that is not UTF-8: bytes, as they stand there.
pub(super) fn url_bytes(line: &[u8]) -> Result<Vec<u8>, String> {
    let RawUrl(url) = serde_json::from_slice(line).map_err(|error| explained(&error, line))?;
    Ok(url)
}

struct RawUrl(Vec<u8>);

impl<'de> Deserialize<'de> for RawUrl {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<RawUrl, D::Error> {
        deserializer.deserialize_map(RawUrlVisitor)
    }
}

/// Reads an object for its URL, and the URL for its bytes.
struct RawUrlVisitor;

impl<'de> Visitor<'de> for RawUrlVisitor {
    type Value = RawUrl;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<RawUrl, A::Error> {
        let mut url = RawUrl(Vec::new());
        while let Some(Name(column)) = map.next_key()? {
            if column == Some(Column::Url) {
                url = RawUrl(map.next_value::<Bytes>()?.0);
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(url)
    }
}

struct Bytes(Vec<u8>);

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Bytes, D::Error> {
        struct BytesVisitor;
        impl Visitor<'_> for BytesVisitor {
            type Value = Bytes;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a URL")
            }
            fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Bytes, E> {
                Ok(Bytes(bytes.to_vec()))
            }
        }
        deserializer.deserialize_bytes(BytesVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scalars() {
        let cases = [
            ("null", Scalar::Null),
            ("7", Scalar::Integer(7)),
            ("-7", Scalar::Text("-7".into())),
            ("0.5", Scalar::Text("0.5".into())),
            (r#""a""#, Scalar::Text("a".into())),
            (r#""a\n""#, Scalar::Text("a\n".into())),
        ];
        for (text, scalar) in cases {
            assert_eq!(parse::<Scalar>(text), Ok(scalar), "{text}");
        }
        let what = "invalid type: sequence, expected a text or a number (column 1) in '[1]'";
        assert_eq!(parse::<Scalar>("[1]").unwrap_err(), what);
    }

    #[test]
    fn urls_of_lines_that_are_not_utf8() {
        let line = b"{\"title\": \"\xe9\", \"url\": \"http:\\/\\/a/\xe9\", \"size\": 3}";
        assert_eq!(url_bytes(line).unwrap(), b"http://a/\xe9");
    }
}
