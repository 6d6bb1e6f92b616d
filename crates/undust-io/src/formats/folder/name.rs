//! From the names that mirroring tools give to files back to URLs.
//!
//! wget names a file as its URL, but for a few things that can be told:
//! - `index.html` stands for the folder itself. So does `index.html?x=1` with its query.
//! - `.html` behind a query was put there (`--adjust-extension`), and is dropped.
//! - `@` stands for `?` where file names must suit Windows. An `@` may also be one of the URL's own, so it is taken
//!   for a query only if it is followed by a `=` and no file of the whole folder has a `?`, which Windows forbids.
//! - Hosts may have a port behind `:`, `+` (Windows) or `%3A`.
//!
//! What a tool has percent-encoded stays so, and what no URL may hold is encoded: spaces, control characters, bytes that
//! are not ASCII, and `#`, which in a file name is never the beginning of a fragment.

use std::net::{Ipv4Addr, Ipv6Addr};

use memchr::{memchr, memmem};
use undust::url::is_public_host;

/// The path and query of a URL, from the names of a file and of the folders that it is in.
pub(super) fn url_path(names: &[&[u8]], at_is_question_mark: bool) -> Vec<u8> {
    let mut path = Vec::new();
    let (file, folders) = names.split_last().map_or((&b""[..], names), |(file, folders)| (*file, folders));
    for folder in folders {
        path.push(b'/');
        append_encoded(&mut path, folder);
    }
    path.push(b'/');
    let (file, query) = split_query(file, at_is_question_mark);
    if file != b"index.html" {
        append_encoded(&mut path, file);
    }
    if let Some(query) = query {
        path.push(b'?');
        append_encoded(&mut path, query.strip_suffix(b".html").unwrap_or(query));
    }
    path
}

/// A file's name and the query in it.
fn split_query(name: &[u8], at_is_question_mark: bool) -> (&[u8], Option<&[u8]>) {
    let question_mark = memchr(b'?', name);
    let at = || memchr(b'@', name).filter(|&at| at_is_question_mark && name[at..].contains(&b'='));
    match question_mark.or_else(at) {
        Some(at) => (&name[..at], Some(&name[at + 1..])),
        None => (name, None),
    }
}

fn append_encoded(url: &mut Vec<u8>, name: &[u8]) {
    const HEX: &[u8; 16] = b"0123456789ABCDEF";
    for &byte in name {
        if byte.is_ascii_graphic() && byte != b'#' {
            url.push(byte);
        } else {
            url.extend([b'%', HEX[usize::from(byte >> 4)], HEX[usize::from(byte & 15)]]);
        }
    }
}

/// The host and port that a folder is named after, if it looks like one.
pub(super) fn host_of(name: &[u8]) -> Option<String> {
    let name = str::from_utf8(name).ok()?;
    let (host, port) = split_port(name);
    let lower = host.to_ascii_lowercase();
    // No folder is called `wiki:8080` for another reason; `notes+2024` may be.
    let is_label = port.is_some() && !name.contains('+') && is_label(&lower);
    let is_host = is_label
        || is_private_host(&lower)
        || lower.parse::<Ipv4Addr>().is_ok()
        || in_brackets(&lower).is_some_and(|address| address.parse::<Ipv6Addr>().is_ok())
        || is_public_host(lower.as_bytes());
    is_host.then(|| match port {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    })
}

/// Domains that no public host is in: those for networks of one's own, and for tests (RFC 2606, 6761 and 6762).
const PRIVATE_DOMAINS: [&str; 10] =
    ["localhost", "local", "internal", "intranet", "private", "corp", "home", "lan", "test", "example"];

/// Whether a lower-case host is in such a domain, or is `localhost` itself.
fn is_private_host(host: &str) -> bool {
    let Some((name, domain)) = host.rsplit_once('.') else { return host == "localhost" };
    PRIVATE_DOMAINS.contains(&domain) && name.split('.').all(is_label)
}

fn is_label(label: &str) -> bool {
    !label.is_empty() && label.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b))
}

/// A name that ends in a port, in its two parts.
fn split_port(name: &str) -> (&str, Option<&str>) {
    let is_port = |port: &str| port.parse::<u16>().is_ok() && port.bytes().all(|b| b.is_ascii_digit());
    for separator in [":", "+", "%3A", "%3a"] {
        match name.rsplit_once(separator) {
            Some((host, port)) if is_port(port) => return (host, Some(port)),
            _ => {}
        }
    }
    (name, None)
}

fn in_brackets(host: &str) -> Option<&str> {
    host.strip_prefix('[')?.strip_suffix(']')
}

/// The URL in `<!-- Mirrored from www.example.org/a.php?b=1 by HTTrack Website Copier/3.x …`, mostly without a scheme.
pub(super) fn mirrored_from(head: &[u8]) -> Option<Vec<u8>> {
    const BEFORE: &[u8] = b"<!-- Mirrored from ";
    let start = memmem::find(head, BEFORE)? + BEFORE.len();
    let length = memmem::find(&head[start..], b" by HTTrack")?;
    let noted = &head[start..start + length];
    let mut url = Vec::new();
    append_encoded(&mut url, noted.trim_ascii());
    // Another comment, which happens to begin like this, is no URL.
    let is_url = !noted.contains(&b'\n') && !url.is_empty() && !url.starts_with(b"/");
    is_url.then_some(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(names: &[&str]) -> String {
        let names: Vec<&[u8]> = names.iter().map(|name| name.as_bytes()).collect();
        String::from_utf8(url_path(&names, false)).unwrap()
    }

    #[test]
    fn names_as_wget_writes_them() {
        let cases: [(&[&str], &str); 9] = [
            (&["index.html"], "/"),
            (&["a", "b", "index.html"], "/a/b/"),
            (&["a", "page.html"], "/a/page.html"),
            (&["foo.php?x=1.html"], "/foo.php?x=1"),
            (&["foo.php?x=1&y=%2Fb"], "/foo.php?x=1&y=%2Fb"),
            (&["index.html?x=1.html"], "/?x=1"),
            (&["index.html?x=1"], "/?x=1"),
            (&["a b", "caf\u{e9}#1.txt"], "/a%20b/caf%C3%A9%231.txt"),
            (&["user@x=1"], "/user@x=1"),
        ];
        for (names, url) in cases {
            assert_eq!(path(names), url);
        }
        assert_eq!(url_path(&[b"\xff\n"], false), b"/%FF%0A");
    }

    #[test]
    fn at_for_question_mark() {
        let path = |name: &str| String::from_utf8(url_path(&[name.as_bytes()], true)).unwrap();
        assert_eq!(path("view.php@t=5&s=a@b.html"), "/view.php?t=5&s=a@b");
        assert_eq!(path("index.html@t=5.html"), "/?t=5");
        assert_eq!(path("me@example.org"), "/me@example.org");
        assert_eq!(path("a?b@c=d"), "/a?b@c=d");
    }

    #[test]
    fn folders_that_look_like_hosts() {
        let hosts = [
            ("www.example.org", Some("www.example.org")),
            ("Example.co.uk", Some("Example.co.uk")),
            ("example.org:8080", Some("example.org:8080")),
            ("example.org+8080", Some("example.org:8080")),
            ("localhost%3A80", Some("localhost:80")),
            ("notes.localhost", Some("notes.localhost")),
            ("127.0.0.1", Some("127.0.0.1")),
            ("[::1]:80", Some("[::1]:80")),
            ("doc.test", Some("doc.test")),
            ("doc.test:8080", Some("doc.test:8080")),
            ("wiki.local+8080", Some("wiki.local:8080")),
            ("ci.build.internal", Some("ci.build.internal")),
            ("Wiki:8080", Some("Wiki:8080")),
            ("wiki%3A8080", Some("wiki:8080")),
            ("10.0.0.5:8080", Some("10.0.0.5:8080")),
            ("wiki", None),
            ("notes+2024", None),
            ("test", None),
            (".test", None),
            ("my site.test", None),
            (":8080", None),
            ("mirror", None),
            ("co.uk", None),
            ("my site.org", None),
            ("v1.2", None),
            ("example.backup", None),
            ("images", None),
            ("", None),
            (".org", None),
        ];
        for (name, host) in hosts {
            assert_eq!(host_of(name.as_bytes()).as_deref(), host, "{name}");
        }
    }

    #[test]
    fn what_httrack_notes() {
        let noted = |text: &str| mirrored_from(text.as_bytes()).map(|url| String::from_utf8(url).unwrap());
        let comment = "<html>\n<!-- Mirrored from www.x.org/y.php?z=1 by HTTrack Website Copier/3.x [XR&CO'2014], Sat -->";
        assert_eq!(noted(comment).as_deref(), Some("www.x.org/y.php?z=1"));
        assert_eq!(noted("<!-- Mirrored from www.x.org/y.php"), None);
        assert_eq!(noted("<!-- Mirrored from \n by HTTrack"), None);
    }
}
