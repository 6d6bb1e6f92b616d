//! Safe normalisation: only what RFC 3986 section 6.2 and the WHATWG URL standard call the same URL.
//!
//! Scheme and host to lower case, default port dropped, empty path to `/`, dot segments removed, escapes of path and query in
//! their normal form (see [`escape`](super::escape)), fragment dropped, white space around the URL dropped. Nothing is encoded or
//! sorted, and only what means the same without its escape is decoded.
//! URLs that the standard parses in a way we would rather not imitate (backslashes, control characters, escapes in the host,
//! schemes other than the web's) are left exactly as they are.

use std::borrow::Cow;

use super::escape::{append_normal, has_odd_escape};
use super::{SplitUrl, split_segments};

/// The normal form of `url`: the same URL by RFC 3986 and the WHATWG URL standard. Borrowed where nothing changes, or where `url` is not
/// of the web.
///
/// ```
/// use undust::normalize;
///
/// assert_eq!(*normalize(b"HTTP://Example.com:80/a/../%7Eme#top"), *b"http://example.com/~me");
/// assert_eq!(*normalize(b"mailto:me@example.com"), *b"mailto:me@example.com");
/// ```
pub fn normalize(url: &[u8]) -> Cow<'_, [u8]> {
    if split_if_normal(url).is_some() {
        return Cow::Borrowed(url);
    }
    let trimmed = trim(url);
    match SplitUrl::new(trimmed) {
        Some(split) if is_web(&split) && !is_odd(&split) => {
            if needs_nothing(&split) {
                Cow::Borrowed(trimmed)
            } else {
                Cow::Owned(rebuild(&split))
            }
        }
        _ => Cow::Borrowed(url),
    }
}

/// The parts of `url` if a quick look shows that it is normal; `None` may also mean that the quick look does not suffice.
pub(crate) fn split_if_normal(url: &[u8]) -> Option<SplitUrl<'_>> {
    let split = SplitUrl::new(url)?;
    let usual =
        matches!(split.scheme(), b"http" | b"https") && split.port().is_none() && split.fragment().is_none();
    let host = split.host();
    let path = split.path();
    let upper = has_upper(host);
    let dot_segment = path.windows(2).any(|w| w == b"/.");
    let normal =
        usual && !host.is_empty() && !path.is_empty() && !upper && !dot_segment && !has_strange_byte(url);
    normal.then_some(split)
}

/// Whether `url` holds white space, a control character, `\\` or `%`.
pub fn has_strange_byte(url: &[u8]) -> bool {
    any_word(url, |eight| below(eight, b' ' + 1) | equal(eight, b'\\') | equal(eight, b'%'))
}

fn has_upper(host: &[u8]) -> bool {
    any_word(host, |eight| {
        let low = eight & !HIGH;
        let (from_a, beyond_z) = (low + ONES * u64::from(0x80 - b'A'), low + ONES * u64::from(0x7F - b'Z'));
        from_a & !beyond_z & !eight & HIGH
    })
}

const ONES: u64 = u64::from_le_bytes([1; 8]);
const HIGH: u64 = ONES << 7;

/// Not zero if some byte is below `limit`: the classic trick, which may err on bytes above one that is.
fn below(eight: u64, limit: u8) -> u64 {
    eight.wrapping_sub(ONES * u64::from(limit)) & !eight & HIGH
}

fn equal(eight: u64, byte: u8) -> u64 {
    below(eight ^ (ONES * u64::from(byte)), 1)
}

/// Whether `found` is not zero for some eight bytes. Eight at a time: this is on the way of every URL.
fn any_word(bytes: &[u8], found: impl Fn(u64) -> u64) -> bool {
    let (words, rest) = bytes.as_chunks::<8>();
    let mut last = [b'a'; 8];
    last[..rest.len()].copy_from_slice(rest);
    let all = words.iter().fold(0, |all, eight| all | found(u64::from_le_bytes(*eight)));
    all | found(u64::from_le_bytes(last)) != 0
}

/// Whether [`normalize`] would give `url` back unchanged.
pub fn is_normal(url: &[u8]) -> bool {
    matches!(normalize(url), Cow::Borrowed(same) if same.len() == url.len())
}

/// Schemes whose default port and path rules the WHATWG standard fixes ("special" schemes, without `file`).
const WEB_SCHEMES: [(&[u8], &[u8]); 5] =
    [(b"http", b"80"), (b"https", b"443"), (b"ftp", b"21"), (b"ws", b"80"), (b"wss", b"443")];

fn default_port(scheme: &[u8]) -> Option<&'static [u8]> {
    WEB_SCHEMES.iter().find(|(name, _)| name.eq_ignore_ascii_case(scheme)).map(|(_, port)| *port)
}

fn is_web(split: &SplitUrl) -> bool {
    default_port(split.scheme()).is_some() && !split.host().is_empty()
}

/// Control characters vanish and backslashes become slashes in browsers: such a URL means something else than it says.
/// White space before the fragment would become white space at the end.
fn is_odd(split: &SplitUrl) -> bool {
    let body = split.without_fragment();
    body.iter().any(|&b| b < b' ' || b == b'\\') || body.last() == Some(&b' ')
}

fn trim(url: &[u8]) -> &[u8] {
    let blank = |b: &u8| *b <= b' ';
    let start = url.iter().position(|b| !blank(b)).unwrap_or(url.len());
    let end = url.iter().rposition(|b| !blank(b)).map_or(start, |i| i + 1);
    &url[start..end]
}

fn needs_nothing(split: &SplitUrl) -> bool {
    let lower = |part: &[u8]| !part.iter().any(u8::is_ascii_uppercase);
    lower(split.scheme())
        && (lower(split.host()) || !is_plain_host(split.host()))
        && !port_is_default(split)
        && !split.path().is_empty()
        && split.fragment().is_none()
        && !has_dot_segment(split.path())
        && !has_odd_escape(split.path())
        && !split.query().is_some_and(has_odd_escape)
}

fn rebuild(split: &SplitUrl) -> Vec<u8> {
    let mut out = Vec::with_capacity(split.raw().len() + 1);
    out.extend(split.scheme().iter().map(u8::to_ascii_lowercase));
    out.extend_from_slice(b"://");
    if let Some(userinfo) = split.userinfo() {
        out.extend_from_slice(userinfo);
        out.push(b'@');
    }
    if is_plain_host(split.host()) {
        out.extend(split.host().iter().map(u8::to_ascii_lowercase));
    } else {
        out.extend_from_slice(split.host());
    }
    if let Some(port) = split.port().filter(|_| !port_is_default(split)) {
        out.push(b':');
        out.extend_from_slice(port);
    }
    let path_start = out.len();
    push_without_dots(split.path(), &mut out);
    let path = out.split_off(path_start);
    append_normal(&path, &mut out);
    if let Some(query) = split.query() {
        out.push(b'?');
        append_normal(query, &mut out);
    }
    out
}

fn port_is_default(split: &SplitUrl) -> bool {
    split.port().is_some_and(|port| port.is_empty() || Some(port) == default_port(split.scheme()))
}

/// A host that browsers take as it stands, but for its case.
fn is_plain_host(host: &[u8]) -> bool {
    host.iter().all(|&b| b.is_ascii_alphanumeric() || b >= 0x80 || b"-._~[]:".contains(&b))
}

/// `.` and its escaped spelling.
fn is_dot(segment: &[u8]) -> bool {
    segment == b"." || segment.eq_ignore_ascii_case(b"%2e")
}

/// `..` and its escaped spellings.
fn is_dot_dot(segment: &[u8]) -> bool {
    match segment.len() {
        2 => segment == b"..",
        4 => segment.eq_ignore_ascii_case(b".%2e") || segment.eq_ignore_ascii_case(b"%2e."),
        6 => segment.eq_ignore_ascii_case(b"%2e%2e"),
        _ => false,
    }
}

fn has_dot_segment(path: &[u8]) -> bool {
    let suspicious = path.windows(2).any(|w| w[0] == b'/' && (w[1] == b'.' || w[1] == b'%'));
    suspicious && split_segments(path).any(|s| is_dot(s) || is_dot_dot(s))
}

/// WHATWG path state: `..` takes the last component away, a dot segment at the end leaves a trailing slash.
fn push_without_dots(path: &[u8], out: &mut Vec<u8>) {
    let base = out.len();
    let mut segments = split_segments(path).peekable();
    while let Some(segment) = segments.next() {
        if is_dot_dot(segment) {
            let parent = out[base..].iter().rposition(|&b| b == b'/').unwrap_or(0);
            out.truncate(base + parent);
        } else if !is_dot(segment) {
            out.push(b'/');
            out.extend_from_slice(segment);
            continue;
        }
        if segments.peek().is_none() {
            out.push(b'/');
        }
    }
    if out.len() == base {
        out.push(b'/');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strange_bytes_are_seen_wherever_they_stand() {
        for byte in 0..=255u8 {
            let strange = byte <= b' ' || byte == b'\\' || byte == b'%';
            for len in 1..20 {
                for at in 0..len {
                    let mut url = vec![b'x'; len];
                    url[at] = byte;
                    assert_eq!(has_strange_byte(&url), strange, "{byte} at {at} of {len}");
                    assert_eq!(has_upper(&url), byte.is_ascii_uppercase(), "{byte} at {at} of {len}");
                }
            }
        }
    }

    #[track_caller]
    fn check(url: &str, expected: &str) {
        let normal = normalize(url.as_bytes());
        assert_eq!(String::from_utf8_lossy(&normal), expected, "{url}");
        assert!(is_normal(&normal), "{url} is not normal after normalisation");
    }

    #[test]
    fn each_step() {
        check("HTTP://WWW.Example.COM/A", "http://www.example.com/A");
        check("http://a.com:80/x", "http://a.com/x");
        check("https://a.com:443", "https://a.com/");
        check("http://a.com:443/", "http://a.com:443/");
        check("http://a.com:/", "http://a.com/");
        check("http://a.com?q", "http://a.com/?q");
        check("http://a.com/a/./b/../c", "http://a.com/a/c");
        check("http://a.com/../..", "http://a.com/");
        check("http://a.com/a/%2E%2e/b", "http://a.com/b");
        check("http://a.com/a//../b", "http://a.com/a/b");
        check("http://a.com/a/b/..", "http://a.com/a/");
        check("http://a.com/%c3%a9?x=%2f#top", "http://a.com/%C3%A9?x=%2F");
        check("http://a.com/%7Euser/%2Dx?%61=%62%26", "http://a.com/~user/-x?a=b%26");
        check("http://a.com/%2e%2ex/%2E%2E%2E?%2e", "http://a.com/..x/...?.");
        check("  http://a.com/ \r\n", "http://a.com/");
    }

    #[test]
    fn left_alone() {
        for url in [
            "mailto:A@B.c",
            "HTTP:/x",
            "http:///X",
            "file:///A/../b",
            "http://A\\B/../c",
            "/a/../b",
            "",
            "http://a/b #c",
        ] {
            check(url, url);
        }
    }
}
