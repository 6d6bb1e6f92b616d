//! JSON lines: one object a line, with the names of a table. A Scrapy feed in either of its JSON formats.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, MapAccess, Visitor};
use undust::page::Page;

use super::json::{self, Name, Scalar};
use super::table::Column;
use super::{LineFormat, Parsed};
use crate::error::LineError;

/// One object a line.
pub(super) struct Jsonl;

impl LineFormat for Jsonl {
    fn parse(&self, line: &[u8]) -> Parsed {
        let line = line.trim_ascii();
        // Scrapy's other JSON feed is a list with one object a line.
        if matches!(line, b"[" | b"]") {
            return Ok(None);
        }
        let line = line.strip_suffix(b",").unwrap_or(line);
        let text = String::from_utf8_lossy(line);
        let Object(mut page) = json::parse(&text)?;
        if let Cow::Owned(_) = text {
            page.url = json::url_bytes(line)?;
        }
        Ok(Some(page))
    }
}

/// An object, or the bracket of a list of objects.
pub(super) fn is_first_line(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    line.starts_with(b"{") || line == b"["
}

/// The page in an object; other fields are passed over.
struct Object(Page);

impl<'de> Deserialize<'de> for Object {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Object, D::Error> {
        deserializer.deserialize_map(ObjectVisitor)
    }
}

struct ObjectVisitor;

impl<'de> Visitor<'de> for ObjectVisitor {
    type Value = Object;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Object, A::Error> {
        let mut page = Page::default();
        while let Some(Name(column)) = map.next_key()? {
            match column {
                None => {
                    map.next_value::<IgnoredAny>()?;
                }
                Some(column) => fill(column, &mut page, map.next_value()?).map_err(A::Error::custom)?,
            }
        }
        Ok(Object(page))
    }
}

fn fill(column: Column, page: &mut Page, value: Scalar<'_>) -> Result<(), LineError> {
    match (column, value) {
        // As a text it could be taken for hexadecimal digits.
        (Column::Simhash, Scalar::Integer(number)) => page.simhash = Some(number),
        (_, value) => column.fill(page, value.into_text())?,
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use undust::page::Body;

    use super::super::tests::{assert_left_out, fault, page};
    use super::*;

    #[test]
    fn fields_of_any_type() {
        let expected = Page {
            cluster: Some("7".into()),
            status: Some(200),
            size: Some(12),
            importance: Some(0.5),
            body: Some(Body {
                bytes: "<p>\n".into(),
                content_type: Some("; charset=utf-8".into()),
                ..Body::default()
            }),
            ..Page::new("http://notes.localhost/wiki/welcome")
        };
        let line = r#"{"url": "http://notes.localhost/wiki/welcome", "status": "200", "size": 12, "cluster": 7,
            "importance": 0.5, "title": null, "html": "<p>\n", "meta": {"depth": [1, 2]}}"#;
        assert_eq!(page(&Jsonl, line), expected);
    }

    #[test]
    fn simhash_as_number_and_as_text() {
        let simhash = |value: &str| page(&Jsonl, &format!(r#"{{"url": "u", "simhash": {value}}}"#)).simhash;
        assert_eq!(simhash("1234567890123456"), Some(1_234_567_890_123_456));
        assert_eq!(simhash(r#""1234567890123456""#), Some(0x1234_5678_9012_3456));
        assert_eq!(simhash("18446744073709551615"), Some(u64::MAX));
    }

    #[test]
    fn a_list_with_one_object_a_line() {
        assert_left_out(&Jsonl, &["[", "]"]);
        assert_eq!(page(&Jsonl, r#"{"url": "http://a/"},"#), Page::new("http://a/"));
    }

    #[test]
    fn bad_lines_say_where() {
        assert_eq!(
            fault(&Jsonl, r#"{"url": "http://a/", "size": "big"}"#),
            r#"'big' is no valid size (column 35) in '{"url": "http://a/", "size": "big"}'"#
        );
        assert_eq!(fault(&Jsonl, "{"), "EOF while parsing an object (column 1) in '{'");
        assert!(fault(&Jsonl, "7").starts_with("invalid type: integer `7`, expected an object"));
        assert!(fault(&Jsonl, r#"{"url": "u", "title": ["a"]}"#).starts_with("invalid type: sequence"));
    }

    #[test]
    fn bytes_that_are_not_utf8() {
        let page = Jsonl.parse(b"{\"url\": \"http://a/\xe9\", \"title\": \"\xe9\"}").unwrap().unwrap();
        assert_eq!(page.url, b"http://a/\xe9");
        assert_eq!(page.title.as_deref(), Some("\u{fffd}"));
    }
}
