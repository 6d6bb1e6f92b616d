//! The borrowed view of one URL: where its parts begin and end. Nothing is copied, decoded or allocated.
//!
//! The splitter follows RFC 3986 for anything of the form `scheme://authority…` and refuses the rest. Every byte of the
//! input belongs to exactly one part, so that [`SplitUrl::keys`] and [`join`] give back the same bytes.

use memchr::{memchr, memchr2, memrchr};

/// One URL of the form `scheme://authority/path?query#fragment`, split without copying.
///
/// ```
/// use undust::SplitUrl;
///
/// let url = SplitUrl::new(b"http://me@example.com:8080/a/b?c=1#d").expect("a URL");
/// assert_eq!((url.scheme(), url.host(), url.path()), (&b"http"[..], &b"example.com"[..], &b"/a/b"[..]));
/// assert_eq!((url.userinfo(), url.port()), (Some(&b"me"[..]), Some(&b"8080"[..])));
/// assert_eq!((url.query(), url.fragment()), (Some(&b"c=1"[..]), Some(&b"d"[..])));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SplitUrl<'u> {
    raw: &'u [u8],
    scheme_end: u32,
    host_start: u32,
    host_end: u32,
    path_start: u32,
    query_start: u32,
    fragment_start: u32,
}

/// Where a path component or host label stands, counted from both ends.
///
/// Counting from both ends is what lets `index.html` as the *last* component align across depths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// 0 for the first.
    pub from_start: u32,
    /// 0 for the last.
    pub from_end: u32,
}

/// One query parameter, with the separator that stands before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Param<'u> {
    /// `?`, `&` or `;`.
    pub separator: u8,
    /// The text before the first `=`.
    pub name: &'u [u8],
    /// The text after the first `=`; `None` when there is no `=` at all.
    pub value: Option<&'u [u8]>,
}

/// The component of a URL that a value of the key-value view belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Key<'u> {
    /// `http`
    Scheme,
    /// `user:secret`
    Userinfo,
    /// One dot-separated piece of the host; an address in brackets is one label.
    Label(Place),
    /// The digits after `host:`; may be empty.
    Port,
    /// One `/`-separated piece of the path; empty for `//` and for a trailing `/`.
    Segment(Place),
    /// A query that is there but holds nothing: the bare `?`.
    EmptyQuery,
    /// One parameter; a value of `None` means that it has no `=`.
    Param {
        /// `?`, `&` or `;`.
        separator: u8,
        /// The parameter's name.
        name: &'u [u8],
    },
    /// The text after `#`.
    Fragment,
}

impl<'u> SplitUrl<'u> {
    /// Splits `raw`; `None` when it is not of the form `scheme://authority…` (or is over 4 GiB long).
    ///
    /// ```
    /// # use undust::SplitUrl;
    /// assert_eq!(SplitUrl::new(b"mailto:me@example.com"), None);
    /// ```
    pub fn new(raw: &'u [u8]) -> Option<SplitUrl<'u>> {
        u32::try_from(raw.len()).ok()?;
        let scheme_end = scheme_end(raw)?;
        let fragment_start = memchr(b'#', raw).unwrap_or(raw.len());
        let body = &raw[..fragment_start];
        let (host_start, host_end, path_start) = authority(body, (scheme_end + 3).min(fragment_start));
        let query = body[path_start..].iter().position(|b| *b == b'?');
        let query_start = query.map_or(fragment_start, |i| path_start + i);
        Some(SplitUrl {
            raw,
            scheme_end: scheme_end as u32,
            host_start: host_start as u32,
            host_end: host_end as u32,
            path_start: path_start as u32,
            query_start: query_start as u32,
            fragment_start: fragment_start as u32,
        })
    }

    fn slice(&self, start: u32, end: u32) -> &'u [u8] {
        &self.raw[start as usize..end as usize]
    }

    /// The whole URL.
    #[doc(hidden)]
    pub fn raw(&self) -> &'u [u8] {
        self.raw
    }

    /// `http`
    ///
    /// ```
    /// # use undust::SplitUrl;
    /// assert_eq!(SplitUrl::new(b"http://a.com/").map(|url| url.scheme()), Some(&b"http"[..]));
    /// ```
    pub fn scheme(&self) -> &'u [u8] {
        self.slice(0, self.scheme_end)
    }

    /// `user:secret`, where there is an `@`.
    ///
    /// ```
    /// # use undust::SplitUrl;
    /// assert_eq!(SplitUrl::new(b"http://me@a.com/").and_then(|url| url.userinfo()), Some(&b"me"[..]));
    /// ```
    pub fn userinfo(&self) -> Option<&'u [u8]> {
        let start = self.scheme_end + 3;
        (self.host_start > start).then(|| self.slice(start, self.host_start - 1))
    }

    /// The host, brackets of an IPv6 address included.
    ///
    /// ```
    /// # use undust::SplitUrl;
    /// assert_eq!(SplitUrl::new(b"http://[::1]:80/").map(|url| url.host()), Some(&b"[::1]"[..]));
    /// ```
    pub fn host(&self) -> &'u [u8] {
        self.slice(self.host_start, self.host_end)
    }

    /// The text after `host:`, where there is a colon.
    ///
    /// ```
    /// # use undust::SplitUrl;
    /// assert_eq!(SplitUrl::new(b"http://a.com:80/").and_then(|url| url.port()), Some(&b"80"[..]));
    /// ```
    pub fn port(&self) -> Option<&'u [u8]> {
        (self.host_end < self.path_start).then(|| self.slice(self.host_end + 1, self.path_start))
    }

    /// Where the path starts: behind scheme and authority.
    #[doc(hidden)]
    pub fn path_start(&self) -> usize {
        self.path_start as usize
    }

    /// The path with its leading slash; empty when there is none.
    ///
    /// ```
    /// # use undust::SplitUrl;
    /// assert_eq!(SplitUrl::new(b"http://a.com/b/c?d").map(|url| url.path()), Some(&b"/b/c"[..]));
    /// ```
    pub fn path(&self) -> &'u [u8] {
        self.slice(self.path_start, self.query_start)
    }

    /// The query without its `?`.
    ///
    /// ```
    /// # use undust::SplitUrl;
    /// assert_eq!(SplitUrl::new(b"http://a.com/?b=1#c").and_then(|url| url.query()), Some(&b"b=1"[..]));
    /// ```
    pub fn query(&self) -> Option<&'u [u8]> {
        (self.query_start < self.fragment_start)
            .then(|| self.slice(self.query_start + 1, self.fragment_start))
    }

    /// The fragment without its `#`.
    ///
    /// ```
    /// # use undust::SplitUrl;
    /// assert_eq!(SplitUrl::new(b"http://a.com/#b").and_then(|url| url.fragment()), Some(&b"b"[..]));
    /// ```
    pub fn fragment(&self) -> Option<&'u [u8]> {
        let end = self.raw.len() as u32;
        (self.fragment_start < end).then(|| self.slice(self.fragment_start + 1, end))
    }

    /// The URL up to (not including) its fragment.
    #[doc(hidden)]
    pub fn without_fragment(&self) -> &'u [u8] {
        self.slice(0, self.fragment_start)
    }

    /// The host's labels, left to right.
    #[doc(hidden)]
    pub fn labels(&self) -> impl Iterator<Item = &'u [u8]> + Clone + use<'u> {
        split_labels(self.host())
    }

    /// The path's components, left to right: `/a//b/` has `a`, ``, `b` and ``; an empty path has none.
    #[doc(hidden)]
    pub fn segments(&self) -> impl Iterator<Item = &'u [u8]> + Clone + use<'u> {
        split_segments(self.path())
    }

    /// The query's parameters, left to right; an empty query has none.
    #[doc(hidden)]
    pub fn params(&self) -> Params<'u> {
        Params { rest: self.query().filter(|q| !q.is_empty()), separator: b'?' }
    }

    /// The key-value view, in URL order. [`join`] is its inverse.
    #[doc(hidden)]
    pub fn keys(&self) -> impl Iterator<Item = (Key<'u>, Option<&'u [u8]>)> + use<'u> {
        let some = |key| move |value| (key, Some(value));
        let param = |p: Param<'u>| (Key::Param { separator: p.separator, name: p.name }, p.value);
        let empty_query = (self.query() == Some(b"")).then_some((Key::EmptyQuery, None));
        std::iter::once((Key::Scheme, Some(self.scheme())))
            .chain(self.userinfo().map(some(Key::Userinfo)))
            .chain(placed(self.labels()).map(|(place, label)| (Key::Label(place), Some(label))))
            .chain(self.port().map(some(Key::Port)))
            .chain(placed(self.segments()).map(|(place, segment)| (Key::Segment(place), Some(segment))))
            .chain(empty_query)
            .chain(self.params().map(param))
            .chain(self.fragment().map(some(Key::Fragment)))
    }
}

/// Longer "schemes" are garbage; the bound keeps refusing a long line cheap.
const MAX_SCHEME_BYTES: usize = 32;

/// Where the scheme of `scheme://…` ends. RFC 3986 3.1: a letter, then letters, digits, `+`, `-`, `.`.
fn scheme_end(raw: &[u8]) -> Option<usize> {
    // Nearly all URLs are one of these.
    match raw {
        [b'h', b't', b't', b'p', b':', b'/', b'/', ..] => return Some(4),
        [b'h', b't', b't', b'p', b's', b':', b'/', b'/', ..] => return Some(5),
        _ => {}
    }
    let end = raw.iter().take(MAX_SCHEME_BYTES).position(|b| *b == b':')?;
    let is_scheme = raw[..end].first().is_some_and(u8::is_ascii_alphabetic)
        && raw[..end].iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.'));
    (is_scheme && raw[end..].starts_with(b"://")).then_some(end)
}

/// Where the host starts and ends, and where the path starts, in an authority that begins at `start`: the host stands
/// behind `@` and before `:`. Authorities are so short that a plain loop beats a search for every delimiter.
fn authority(body: &[u8], start: usize) -> (usize, usize, usize) {
    let (mut host_start, mut colon, mut path_start) = (start, None, body.len());
    for (i, byte) in (start..).zip(&body[start..]) {
        match byte {
            b'/' | b'?' => {
                path_start = i;
                break;
            }
            b'@' => (host_start, colon) = (i + 1, None),
            b':' if colon.is_none() => colon = Some(i),
            _ => {}
        }
    }
    if body.get(host_start) == Some(&b'[') {
        // A colon inside brackets belongs to an IPv6 address.
        let address = memrchr(b']', &body[host_start..path_start]).map_or(host_start, |i| host_start + i + 1);
        colon = memchr(b':', &body[address..path_start]).map(|i| address + i);
    }
    (host_start, colon.unwrap_or(path_start), path_start)
}

/// The labels of a host; an empty host has none, an address in brackets is one.
fn split_labels(host: &[u8]) -> impl Iterator<Item = &[u8]> + Clone {
    let address = host.first() == Some(&b'[');
    host.split(move |&b| b == b'.' && !address).take(if host.is_empty() { 0 } else { usize::MAX })
}

/// The components of a path that is empty or begins with `/`.
pub(crate) fn split_segments(path: &[u8]) -> impl Iterator<Item = &[u8]> + Clone {
    let inside = path.get(1..).unwrap_or_default();
    inside.split(|&b| b == b'/').take(if path.is_empty() { 0 } else { usize::MAX })
}

/// Number an iterator from both ends.
fn placed<'u, I>(items: I) -> impl Iterator<Item = (Place, &'u [u8])> + use<'u, I>
where
    I: Iterator<Item = &'u [u8]> + Clone,
{
    let count = items.clone().count() as u32;
    items.zip(0..).map(move |(item, i)| (Place { from_start: i, from_end: count - 1 - i }, item))
}

/// Iterator over a query's parameters.
#[derive(Clone, Debug)]
pub struct Params<'u> {
    rest: Option<&'u [u8]>,
    separator: u8,
}

impl<'u> Iterator for Params<'u> {
    type Item = Param<'u>;

    fn next(&mut self) -> Option<Param<'u>> {
        let rest = self.rest?;
        let end = memchr2(b'&', b';', rest);
        let piece = &rest[..end.unwrap_or(rest.len())];
        let separator = self.separator;
        self.rest = end.map(|i| {
            self.separator = rest[i];
            &rest[i + 1..]
        });
        let equals = memchr(b'=', piece);
        Some(Param {
            separator,
            name: &piece[..equals.unwrap_or(piece.len())],
            value: equals.map(|i| &piece[i + 1..]),
        })
    }
}

/// Put the key-value view of a URL together again.
pub fn join<'u>(keys: impl IntoIterator<Item = (Key<'u>, Option<&'u [u8]>)>) -> Vec<u8> {
    let mut out = Vec::new();
    for (key, value) in keys {
        match key {
            Key::Scheme | Key::Userinfo | Key::EmptyQuery => {}
            Key::Label(place) if place.from_start == 0 => {}
            Key::Label(_) => out.push(b'.'),
            Key::Port => out.push(b':'),
            Key::Segment(_) => out.push(b'/'),
            Key::Param { separator, name } => {
                out.push(separator);
                out.extend_from_slice(name);
                if value.is_some() {
                    out.push(b'=');
                }
            }
            Key::Fragment => out.push(b'#'),
        }
        out.extend_from_slice(value.unwrap_or_default());
        match key {
            Key::Scheme => out.extend_from_slice(b"://"),
            Key::Userinfo => out.push(b'@'),
            Key::EmptyQuery => out.push(b'?'),
            _ => {}
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The parts of a URL, `-` for what is not there: scheme userinfo host port path query fragment.
    fn parts(url: &str) -> String {
        let Some(split) = SplitUrl::new(url.as_bytes()) else { return "no".to_owned() };
        assert_eq!(String::from_utf8_lossy(&join(split.keys())), url);
        let text = |part: &[u8]| String::from_utf8_lossy(part).into_owned();
        let option = |part: Option<&[u8]>| part.map_or("-".to_owned(), |p| format!("'{}'", text(p)));
        let (user, port) = (option(split.userinfo()), option(split.port()));
        let (query, fragment) = (option(split.query()), option(split.fragment()));
        format!(
            "{} {user} {} {port} {} {query} {fragment}",
            text(split.scheme()),
            text(split.host()),
            text(split.path())
        )
    }

    #[test]
    fn every_part() {
        assert_eq!(parts("http://u:p@a.com:80/x/y?q=1#f"), "http 'u:p' a.com '80' /x/y 'q=1' 'f'");
        assert_eq!(parts("http://a.com"), "http - a.com -  - -");
        assert_eq!(parts("http://a.com?#"), "http - a.com -  '' ''");
        assert_eq!(parts("http://a.com#a?b#c"), "http - a.com -  - 'a?b#c'");
        assert_eq!(parts("http://a.com/?a?b"), "http - a.com - / 'a?b' -");
        assert_eq!(parts("http://a@b@c:d:e/"), "http 'a@b' c 'd:e' / - -");
        assert_eq!(parts("http://@:/"), "http ''  '' / - -");
        assert_eq!(parts("http://[::1]:8/"), "http - [::1] '8' / - -");
        assert_eq!(parts("http://[::1]"), "http - [::1] -  - -");
        assert_eq!(parts("http://[a:b/"), "http - [a 'b' / - -");
        assert_eq!(parts("file:///x"), "file -  - /x - -");
        assert_eq!(parts("a+b-c.1://"), "a+b-c.1 -  -  - -");
    }

    #[test]
    fn refused() {
        let long = format!("{}://a", "s".repeat(32));
        for url in
            ["", "a", "://a", "http:/a", "http:a", "1a://b", "a b://c", " http://a", "é://a", long.as_str()]
        {
            assert_eq!(parts(url), "no", "{url}");
        }
        assert_ne!(parts(&long[1..]), "no");
    }

    fn listed<'u>(items: impl Iterator<Item = &'u [u8]>) -> String {
        items.map(|item| format!("[{}]", String::from_utf8_lossy(item))).collect::<Vec<_>>().concat()
    }

    #[test]
    fn labels_and_segments() {
        let labels = |url: &'static str| listed(SplitUrl::new(url.as_bytes()).expect("a URL").labels());
        assert_eq!(labels("http://www.a.com/"), "[www][a][com]");
        assert_eq!(labels("http://a..com./"), "[a][][com][]");
        assert_eq!(labels("http://[::1.2]/"), "[[::1.2]]");
        assert_eq!(labels("http:///"), "");
        let segments = |url: &'static str| listed(SplitUrl::new(url.as_bytes()).expect("a URL").segments());
        assert_eq!(segments("http://a/b//c/"), "[b][][c][]");
        assert_eq!(segments("http://a/"), "[]");
        assert_eq!(segments("http://a"), "");
    }

    #[test]
    fn parameters_with_their_separators() {
        let told = |url: &'static str| -> String {
            let params = SplitUrl::new(url.as_bytes()).expect("a URL").params();
            let text = |part: &[u8]| String::from_utf8_lossy(part).into_owned();
            let tell =
                |p: Param| format!("{}{}|{:?} ", char::from(p.separator), text(p.name), p.value.map(text));
            params.map(tell).collect::<Vec<_>>().concat()
        };
        assert_eq!(told("http://a/?x=1;y&x="), "?x|Some(\"1\") ;y|None &x|Some(\"\") ");
        assert_eq!(told("http://a/?=a=b&&"), "?|Some(\"a=b\") &|None &|None ");
        assert_eq!(told("http://a/?"), "");
        assert_eq!(told("http://a/"), "");
    }

    /// rewrite 3.1: the keys of a long URL; decision-tree 2: components are counted from both ends.
    #[test]
    fn keys_are_placed_from_both_ends() {
        let url = b"http://shopping.yahoo.com/electronics/cameras/product.php?prodid=1000&sort=price";
        let split = SplitUrl::new(url).expect("a URL");
        let place = |from_start, from_end| Place { from_start, from_end };
        let keys: Vec<_> = split.keys().map(|(key, value)| (key, value.unwrap_or(b"-"))).collect();
        let param = |separator, name| Key::Param { separator, name };
        let expected: [(Key, &[u8]); 9] = [
            (Key::Scheme, b"http"),
            (Key::Label(place(0, 2)), b"shopping"),
            (Key::Label(place(1, 1)), b"yahoo"),
            (Key::Label(place(2, 0)), b"com"),
            (Key::Segment(place(0, 2)), b"electronics"),
            (Key::Segment(place(1, 1)), b"cameras"),
            (Key::Segment(place(2, 0)), b"product.php"),
            (param(b'?', b"prodid"), b"1000"),
            (param(b'&', b"sort"), b"price"),
        ];
        assert_eq!(keys, expected);
    }
}
