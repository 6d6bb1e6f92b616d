//! Access logs, Common and Combined: `client ident user [time] "GET /path HTTP/1.1" status size …`.
//!
//! The log names a path; the host comes from the user, or stands in front of the client where a server has several: Apache's
//! `%v:%p %h %l %u …` (Debian calls it `vhost_combined`) and `%v %h %l %u …`.

use std::net::IpAddr;

use memchr::memmem;
use undust::page::Page;
use undust::url::SplitUrl;

use super::table::Column;
use super::{Fault, LineFormat, Parsed};
use crate::problems::shown;

/// An access log.
pub(super) struct Log {
    /// The host that the user says, as `http://www.example.org`, without a final slash. It counts before those of the log.
    base: Option<String>,
}

impl Log {
    /// `host` may have a scheme and a port; without a scheme it is taken for `http`. An empty one is none.
    pub(super) fn new(host: Option<&str>) -> Log {
        let base = host.filter(|host| !host.is_empty()).map(|host| {
            let host = host.trim_end_matches('/');
            if host.contains("://") { host.to_owned() } else { format!("http://{host}") }
        });
        Log { base }
    }

    /// The URL that was asked for; `None` when the client asked for something that is none.
    fn url(&self, target: Vec<u8>, entry: &Entry) -> Result<Option<Vec<u8>>, Fault> {
        if SplitUrl::new(&target).is_some() {
            return Ok(Some(target));
        }
        if !target.starts_with(b"/") {
            return Ok(None);
        }
        match self.base.clone().or_else(|| entry.base()) {
            Some(base) => Ok(Some([base.as_bytes(), &target].concat())),
            None => Err(Fault::NeedsHost(shown(&target))),
        }
    }
}

impl LineFormat for Log {
    fn parse(&self, line: &[u8]) -> Parsed {
        let Some(entry) = Entry::new(line) else {
            return Err(Fault::from(format!("not a line of an access log: {}", shown(line))));
        };
        let Some((method @ (b"GET" | b"HEAD"), target)) = entry.method_and_target() else { return Ok(None) };
        let Some(url) = self.url(unescaped(target), &entry)? else { return Ok(None) };
        let mut page = Page::new(url);
        Column::Time.fill(&mut page, String::from_utf8_lossy(entry.time))?;
        Column::Status.fill(&mut page, String::from_utf8_lossy(entry.status))?;
        // No body, no change, a part: none of these sizes is the page's.
        let is_whole = method == b"GET" && !matches!(page.status, Some(206 | 304));
        if is_whole {
            Column::Size.fill(&mut page, String::from_utf8_lossy(entry.size))?;
        }
        Ok(Some(page))
    }
}

/// What we take of a line of a log.
struct Entry<'l> {
    /// All that stands before the time.
    client: &'l [u8],
    time: &'l [u8],
    /// As it stands between the quotes, with escapes.
    request: &'l [u8],
    status: &'l [u8],
    size: &'l [u8],
}

impl<'l> Entry<'l> {
    fn new(line: &'l [u8]) -> Option<Entry<'l>> {
        let (client, rest) = split_at(line, b" [")?;
        let (time, rest) = split_at(rest, b"] \"")?;
        let (request, rest) = rest.split_at(closing_quote(rest)?);
        let mut fields = rest.strip_prefix(b"\" ")?.split(|&b| b == b' ');
        Some(Entry { client, time, request, status: fields.next()?, size: fields.next()? })
    }

    /// The virtual host that stands before the client, as `http://www.example.org`.
    fn base(&self) -> Option<String> {
        let fields: Vec<&str> = str::from_utf8(self.client).ok()?.split(' ').collect();
        let [host, client, _, _, ..] = fields[..] else { return None };
        let with_port = host.rsplit_once(':').filter(|(_, port)| port.parse::<u16>().is_ok());
        let (name, port) = match with_port {
            Some((name, port)) => (name, Some(port)),
            // Without a port, it could be a client before a user's name of several words.
            None if client.parse::<IpAddr>().is_ok() => (host, None),
            None => return None,
        };
        is_host_name(name).then(|| match port {
            None | Some("80") => format!("http://{name}"),
            Some("443") => format!("https://{name}"),
            Some(port) => format!("http://{name}:{port}"),
        })
    }

    /// The words of `GET /path HTTP/1.1`. The target may hold spaces; the oldest requests have no version.
    fn method_and_target(&self) -> Option<(&'l [u8], &'l [u8])> {
        let (method, rest) = split_at(self.request, b" ")?;
        let target = match memmem::rfind(rest, b" HTTP/") {
            Some(end) => &rest[..end],
            None => rest,
        };
        Some((method, target.trim_ascii()))
    }
}

pub(super) fn is_line(line: &[u8]) -> bool {
    let status = Entry::new(line).map(|entry| entry.status);
    status
        .is_some_and(|status| status == b"-" || (status.len() == 3 && status.iter().all(u8::is_ascii_digit)))
}

/// Whether a name can be that of a host: no dash alone, and no IPv6 address of a client.
fn is_host_name(name: &str) -> bool {
    let address = name.strip_prefix('[').and_then(|name| name.strip_suffix(']'));
    let is_name = |b: u8| b.is_ascii_alphanumeric() || b"-._".contains(&b) || !b.is_ascii();
    address.is_some() || (name.bytes().any(|b| b.is_ascii_alphanumeric()) && name.bytes().all(is_name))
}

/// What stands before and behind the first `separator`.
fn split_at<'t>(text: &'t [u8], separator: &[u8]) -> Option<(&'t [u8], &'t [u8])> {
    let at = memmem::find(text, separator)?;
    Some((&text[..at], &text[at + separator.len()..]))
}

/// Where the first quote without a backslash stands.
fn closing_quote(text: &[u8]) -> Option<usize> {
    let mut escaped = false;
    text.iter().position(|&b| {
        let closes = b == b'"' && !escaped;
        escaped = b == b'\\' && !escaped;
        closes
    })
}

/// The target as the client sent it: servers write `\"`, `\\` and `\xhh` for what would break the line.
fn unescaped(target: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(target.len());
    let mut rest = target;
    while let [first, behind @ ..] = rest {
        let (byte, behind) = match rest {
            [b'\\', quoted @ (b'"' | b'\\'), behind @ ..] => (*quoted, behind),
            [b'\\', b'x', high, low, behind @ ..] => match hex_byte(*high, *low) {
                Some(byte) => (byte, behind),
                None => (b'\\', &rest[1..]),
            },
            _ => (*first, behind),
        };
        plain.push(byte);
        rest = behind;
    }
    plain
}

/// The byte of two hexadecimal digits, unless it is a control character: those stay written out.
fn hex_byte(high: u8, low: u8) -> Option<u8> {
    let digit = |b: u8| char::from(b).to_digit(16);
    let byte = u8::try_from(digit(high)? * 16 + digit(low)?).ok()?;
    (!byte.is_ascii_control()).then_some(byte)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{assert_left_out, fault, page};
    use super::*;

    fn line(request: &str, status_and_size: &str) -> String {
        format!(r#"10.0.0.1 - - [17/May/2015:10:05:03 +0000] "{request}" {status_and_size}"#)
    }

    fn log() -> Log {
        Log::new(Some("semicomplete.com"))
    }

    #[test]
    fn common_and_combined() {
        let expected = Page {
            status: Some(200),
            size: Some(203_023),
            time: Some("17/May/2015:10:05:03 +0000".into()),
            ..Page::new("http://semicomplete.com/blog/?flav=rss20")
        };
        let common = line("GET /blog/?flav=rss20 HTTP/1.1", "200 203023");
        assert_eq!(page(&log(), &common), expected);
        let combined = format!(r#"{common} "http://semicomplete.com/" "Mozilla/5.0 [en] \"x\"""#);
        assert_eq!(page(&log(), &combined), expected);
        assert!(is_line(combined.as_bytes()));
        assert!(!is_line(b"http://a/ [x] \"y\" z"));
    }

    #[test]
    fn the_host_in_all_its_forms() {
        for (host, base) in [
            ("example.org", "http://example.org"),
            ("https://example.org:8080", "https://example.org:8080"),
            ("example.org:81/", "http://example.org:81"),
        ] {
            let url = page(&Log::new(Some(host)), &line("GET /a HTTP/1.0", "200 1")).url;
            assert_eq!(String::from_utf8(url).unwrap(), format!("{base}/a"));
        }
        let hostless = Log::new(Some(""));
        let parsed = hostless.parse(line("GET /a HTTP/1.0", "200 1").as_bytes());
        assert_eq!(parsed, Err(Fault::NeedsHost("'/a'".into())));
        assert_eq!(page(&hostless, &line("GET https://b/c HTTP/1.0", "200 1")).url, b"https://b/c");
    }

    /// As Debian's Apache writes them.
    #[test]
    fn the_virtual_host_that_the_log_names() {
        let url = |log: &Log, before: &str| {
            let line = line("GET /a?b HTTP/1.1", "200 1").replacen("10.0.0.1 - -", before, 1);
            match log.parse(format!("{line} \"-\" \"curl/7.88.1\"").as_bytes()) {
                Ok(Some(page)) => String::from_utf8(page.url).unwrap(),
                other => format!("{other:?}"),
            }
        };
        let hostless = Log::new(None);
        for (before, base) in [
            ("www.example.org:80 10.0.0.1 - -", "http://www.example.org"),
            ("www.example.org:443 2001:db8::1 - me", "https://www.example.org"),
            ("doc.test:8080 client.example.org - -", "http://doc.test:8080"),
            ("wiki:8081 127.0.0.1 - John Smith", "http://wiki:8081"),
            ("10.0.0.5:80 10.0.0.1 - -", "http://10.0.0.5"),
            ("[::1]:8080 ::1 - -", "http://[::1]:8080"),
            ("www.example.org 10.0.0.1 - -", "http://www.example.org"),
        ] {
            assert_eq!(url(&hostless, before), format!("{base}/a?b"));
            assert_eq!(url(&log(), before), "http://semicomplete.com/a?b", "what the user says counts first");
        }
        for before in ["2001:db8::1 - John Smith", "10.0.0.1 - John Smith", "- 10.0.0.1 - -", "::1 ::1 - -"] {
            assert_eq!(url(&hostless, before), "Err(NeedsHost(\"'/a?b'\"))", "{before}");
        }
    }

    #[test]
    fn targets_as_the_client_sent_them() {
        let path = |request: &str| {
            let url = page(&log(), &line(request, "200 1")).url;
            url.strip_prefix(b"http://semicomplete.com").unwrap().to_vec()
        };
        assert_eq!(path(r#"GET /a\"b\\ HTTP/1.1"#), br#"/a"b\"#);
        assert_eq!(path(r"GET /\xc3\xa9\x0a\xzz\ HTTP/1.1"), b"/\xc3\xa9\\x0a\\xzz\\");
        assert_eq!(path("GET /a b HTTP/1.1"), b"/a b");
        assert_eq!(path("GET /old"), b"/old");
    }

    #[test]
    fn sizes_that_are_not_the_pages() {
        let size = |request, rest| page(&log(), &line(request, rest)).size;
        assert_eq!(size("GET / HTTP/1.1", "200 -"), None);
        assert_eq!(size("HEAD / HTTP/1.1", "200 0"), None);
        assert_eq!(size("GET / HTTP/1.1", "304 0"), None);
        assert_eq!(size("GET / HTTP/1.1", "206 100"), None);
        assert_eq!(size("GET / HTTP/1.1", "404 208"), Some(208));
    }

    #[test]
    fn other_requests_and_bad_lines() {
        assert_left_out(
            &log(),
            &[
                &line("POST /login HTTP/1.1", "302 1"),
                &line("OPTIONS * HTTP/1.0", "200 1"),
                &line("-", "408 -"),
                &line(r"\x16\x03\x01", "400 226"),
                &line("GET index.html HTTP/1.0", "400 226"),
            ],
        );
        assert!(fault(&log(), "GET / 200").starts_with("not a line of an access log: 'GET / 200'"));
        assert!(fault(&log(), r#"h - - [t] "GET / HTTP/1.0 200 1"#).starts_with("not a line"));
        assert_eq!(fault(&log(), &line("GET / HTTP/1.0", "200 many")), "'many' is no valid size");
    }
}
