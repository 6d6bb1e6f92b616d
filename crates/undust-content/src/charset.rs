//! From bytes to text: which encoding was meant.
//!
//! In the order of the HTML standard: byte order mark, the header's charset, `<meta>`; then UTF-8 where the bytes are
//! that, and windows-1252, which can read anything, where they are not.

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

use crate::html::meta_charset;

/// How far into a page the standard looks for `<meta charset>`.
const PRESCAN_BYTES: usize = 1024;

/// The text of `bytes`. What does not decode becomes U+FFFD.
pub(crate) fn decode(bytes: &[u8], content_type: Option<&str>, html: bool) -> String {
    // `decode` itself looks for a byte order mark first.
    encoding(bytes, content_type, html).decode(bytes).0.into_owned()
}

fn encoding(bytes: &[u8], content_type: Option<&str>, html: bool) -> &'static Encoding {
    let header = || content_type.and_then(charset_of).and_then(|label| Encoding::for_label(label.as_bytes()));
    let meta = || if html { declared_in_page(bytes) } else { None };
    header().or_else(meta).unwrap_or_else(|| if is_utf8(bytes) { UTF_8 } else { WINDOWS_1252 })
}

fn declared_in_page(bytes: &[u8]) -> Option<&'static Encoding> {
    // Every encoding that can be declared in ASCII reads ASCII as this one does.
    let (head, _) = WINDOWS_1252.decode_without_bom_handling(&bytes[..bytes.len().min(PRESCAN_BYTES)]);
    let encoding = Encoding::for_label(meta_charset(&head)?.as_bytes())?;
    // A page whose ASCII could be read is no UTF-16, whatever it says.
    Some(if encoding == UTF_16LE || encoding == UTF_16BE { UTF_8 } else { encoding })
}

/// UTF-8, but for a last character cut by a size limit.
fn is_utf8(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).map_or_else(|error| error.error_len().is_none(), |_| true)
}

/// The value of `charset=` in a `Content-Type`.
pub(crate) fn charset_of(content_type: &str) -> Option<&str> {
    let named =
        |part: &str| part.trim_start().get(..8).is_some_and(|name| name.eq_ignore_ascii_case("charset="));
    let part = content_type.split(';').find(|part| named(part))?;
    Some(part.trim_start()[8..].trim().trim_matches(['"', '\'']))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// "Käse" in each encoding.
    const LATIN1: &[u8] = b"K\xe4se";
    const UTF8: &[u8] = b"K\xc3\xa4se";

    #[test]
    fn byte_order_marks_come_first() {
        assert_eq!(decode(b"\xff\xfeK\0\xe4\0s\0e\0", Some("text/html; charset=utf-8"), true), "Käse");
        assert_eq!(decode(b"\xef\xbb\xbfK\xc3\xa4se", Some("text/html; charset=iso-8859-1"), true), "Käse");
    }

    #[test]
    fn then_the_header() {
        let page = [b"<meta charset=utf-8>", LATIN1].concat();
        assert!(decode(&page, Some("text/html;Charset=\"ISO-8859-1\""), true).ends_with("Käse"));
        assert!(decode(b"\x8b\xe6", Some("text/html; charset=Shift_JIS"), true).ends_with('区'));
    }

    #[test]
    fn then_the_page() {
        let metas = [
            "<meta charset='windows-1252'>",
            "<META HTTP-EQUIV=Content-Type CONTENT=\"text/html; charset=latin1\">",
            "<!-- <meta charset=utf-8> --><meta charset=iso-8859-1>",
            "<meta charset=no-such-thing>",
        ];
        for meta in metas {
            let page = [meta.as_bytes(), LATIN1].concat();
            assert!(decode(&page, Some("text/html"), true).ends_with("Käse"), "{meta}");
        }
        let page = [b"<meta charset=utf-16>", UTF8].concat();
        assert!(decode(&page, None, true).ends_with("Käse"));
    }

    #[test]
    fn then_the_bytes() {
        assert_eq!(decode(UTF8, None, true), "Käse");
        assert_eq!(decode(LATIN1, None, true), "Käse");
        assert_eq!(
            decode(&UTF8[..2], None, false),
            "K\u{fffd}",
            "a cut character does not make it windows-1252"
        );
    }
}
