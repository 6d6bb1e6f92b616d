//! Header fields, of WARC and of HTTP alike: `Name: value` lines up to a blank one, taken as leniently as browsers do.

use std::borrow::Cow;

use memchr::memchr_iter;

use crate::blocks::lines;

/// The fields of a header. They are looked up where they stand: a header of nothing but colons costs no memory.
#[derive(Clone, Copy)]
pub(super) struct Fields<'h>(&'h [u8]);

impl<'h> Fields<'h> {
    /// `header` is what stands behind the first line.
    pub(super) fn new(header: &'h [u8]) -> Fields<'h> {
        Fields(header)
    }

    /// The first value under `name`, whatever its case; a value that is empty is none.
    pub(super) fn get(self, name: &str) -> Option<Cow<'h, [u8]>> {
        self.all(name).find(|value| !value.is_empty())
    }

    /// As [`Fields::get`], as text.
    pub(super) fn text(self, name: &str) -> Option<String> {
        self.get(name).map(|value| String::from_utf8_lossy(&value).into_owned())
    }

    /// Every value under `name`.
    pub(super) fn all(self, name: &str) -> impl Iterator<Item = Cow<'h, [u8]>> {
        let mut rest = lines(self.0).peekable();
        std::iter::from_fn(move || {
            let mut value = rest.by_ref().find_map(|line| value_of(line, name))?;
            // What is indented goes on with the line before.
            while let Some(more) = rest.next_if(|line| line.starts_with(b" ") || line.starts_with(b"\t")) {
                value.to_mut().push(b' ');
                value.to_mut().extend_from_slice(more.trim_ascii());
            }
            Some(value)
        })
    }
}

/// The value in `line`, if it is the field with this name.
fn value_of<'h>(line: &'h [u8], name: &str) -> Option<Cow<'h, [u8]>> {
    let (found, value) = line.split_at_checked(name.len())?;
    if !found.eq_ignore_ascii_case(name.as_bytes()) {
        return None;
    }
    let value = value.trim_ascii_start().strip_prefix(b":")?;
    Some(Cow::Borrowed(value.trim_ascii()))
}

/// How long the header at the beginning of `block` is, with the blank line behind it. Without one, all of it is header.
pub(super) fn header_length(block: &[u8]) -> usize {
    let blank = |newline: &usize| matches!(block[newline + 1..], [b'\n', ..] | [b'\r', b'\n', ..]);
    match memchr_iter(b'\n', block).find(blank) {
        Some(newline) => newline + if block[newline + 1] == b'\n' { 2 } else { 3 },
        None => block.len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_any_case_and_values_over_lines() {
        let fields =
            Fields::new(b"location:\r\nLOCATION : /a\r\n\t b \r\nLocations: /c\r\nno field\n\nlocation: /d");
        assert_eq!(fields.get("Location").unwrap(), &b"/a b"[..]);
        assert_eq!(fields.all("location").count(), 3);
        assert_eq!(fields.text("locations").as_deref(), Some("/c"));
        assert_eq!(fields.get("no"), None);
    }

    #[test]
    fn headers_end_at_a_blank_line() {
        for (block, length) in [
            (&b"a\r\nb\r\n\r\nc\n\n"[..], 8),
            (b"a\nb\n\nc", 5),
            (b"a\r\n\nc", 4),
            (b"a\r\nb", 4),
            (b"", 0),
            (b"\n", 1),
        ] {
            assert_eq!(header_length(block), length, "{block:?}");
        }
    }
}
