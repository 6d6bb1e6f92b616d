//! URLs as sequences of tokens (SIGIR 2017, section 2.1), and back, byte for byte.
//!
//! `http://en.wikipedia.org/wiki?title=LinearModel` is read as `http:` `en.wikipedia.org` `wiki` `?` `title` `=` `LinearModel`. The paper
//! drops every `/`. That loses `/a/` and `//`, so a `/` is only dropped where it stands between two texts of the path, which
//! is nearly everywhere, and is a token elsewhere. No text behind the host holds a delimiter: one that moves to another place of
//! the URL is still one token there.

/// Bytes that are tokens of their own wherever they stand behind the host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delimiters {
    bytes: Vec<u8>,
    is_one: [bool; 256],
}

/// What takes a URL apart in any case.
const ALWAYS: &[u8] = b"/?&;=#";

impl Delimiters {
    /// The delimiters of every URL, and `others`.
    pub fn new(others: &[u8]) -> Delimiters {
        let mut is_one = [false; 256];
        let mut bytes = Vec::new();
        for &byte in ALWAYS.iter().chain(others) {
            if !is_one[usize::from(byte)] {
                is_one[usize::from(byte)] = true;
                bytes.push(byte);
            }
        }
        Delimiters { bytes, is_one }
    }

    /// All of them; those of every URL come first.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Those that not every URL is taken apart by.
    pub fn others(&self) -> &[u8] {
        &self.bytes[ALWAYS.len()..]
    }

    /// Whether these bytes can be a text between delimiters.
    pub fn is_text(&self, bytes: &[u8]) -> bool {
        !bytes.is_empty() && self.find(bytes) == bytes.len()
    }

    fn contains(&self, byte: u8) -> bool {
        self.is_one[usize::from(byte)]
    }

    /// Where the first one is.
    fn find(&self, text: &[u8]) -> usize {
        text.iter().position(|b| self.contains(*b)).unwrap_or(text.len())
    }

    /// The tokens of a URL; none of one without a scheme and a host.
    pub fn tokens<'u>(&self, url: &'u [u8]) -> Tokens<'_, 'u> {
        let state = match self.split_origin(url) {
            Some((scheme, host, rest)) => State::Scheme { scheme, host, rest },
            None => State::Done,
        };
        Tokens { delimiters: self, state }
    }

    /// `http:`, `host` and what follows.
    fn split_origin<'u>(&self, url: &'u [u8]) -> Option<(&'u [u8], &'u [u8], &'u [u8])> {
        let colon = url.iter().position(|b| *b == b':')?;
        let rest = url[colon + 1..].strip_prefix(b"//")?;
        let end = rest.iter().position(|b| matches!(b, b'/' | b'?' | b'#')).unwrap_or(rest.len());
        // A scheme with delimiters in it is none, and a host that is not there would be lost.
        let is_name = colon > 0 && end > 0 && self.find(&url[..colon]) == colon;
        is_name.then(|| (&url[..=colon], &rest[..end], &rest[end..]))
    }
}

/// One token of a URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Token<'u> {
    /// One of the delimiters.
    Delimiter(u8),
    /// What stands between them; the scheme with its colon, the host with its port.
    Text(&'u [u8]),
}

/// See [`Delimiters::tokens`].
#[derive(Clone)]
pub struct Tokens<'d, 'u> {
    delimiters: &'d Delimiters,
    state: State<'u>,
}

#[derive(Clone, Copy)]
enum State<'u> {
    Scheme { scheme: &'u [u8], host: &'u [u8], rest: &'u [u8] },
    Host { host: &'u [u8], rest: &'u [u8] },
    Rest { rest: &'u [u8], place: Place },
    Done,
}

impl<'u> Iterator for Tokens<'_, 'u> {
    type Item = Token<'u>;

    fn next(&mut self) -> Option<Token<'u>> {
        match self.state {
            State::Scheme { scheme, host, rest } => {
                self.state = State::Host { host, rest };
                Some(Token::Text(scheme))
            }
            State::Host { host, rest } => {
                self.state = State::Rest { rest, place: Place::BEHIND_HOST };
                Some(Token::Text(host))
            }
            State::Rest { rest, place } => self.next_behind_host(rest, place),
            State::Done => None,
        }
    }
}

impl<'u> Tokens<'_, 'u> {
    /// How many bytes of the URL are left.
    pub fn bytes_left(&self) -> usize {
        match self.state {
            State::Scheme { scheme, host, rest } => scheme.len() + 2 + host.len() + rest.len(),
            State::Host { host, rest } => 2 + host.len() + rest.len(),
            State::Rest { rest, .. } => rest.len(),
            State::Done => 0,
        }
    }

    fn next_behind_host(&mut self, mut rest: &'u [u8], mut place: Place) -> Option<Token<'u>> {
        let first = *rest.first()?;
        if self.delimiters.contains(first) {
            let before_text = rest.get(1).is_some_and(|next| !self.delimiters.contains(*next));
            if first == b'/' && place.parts_texts() && before_text {
                rest = &rest[1..];
            } else {
                place.pass_delimiter(first);
                self.state = State::Rest { rest: &rest[1..], place };
                return Some(Token::Delimiter(first));
            }
        }
        let (text, rest) = rest.split_at(self.delimiters.find(rest));
        place.after_text = true;
        self.state = State::Rest { rest, place };
        Some(Token::Text(text))
    }
}

/// Where in a URL we are: enough to know whether a `/` goes without saying.
#[derive(Clone, Copy)]
struct Place {
    in_path: bool,
    after_text: bool,
}

impl Place {
    const BEHIND_HOST: Place = Place { in_path: true, after_text: true };

    /// Whether a text that came next would have a `/` before it.
    fn parts_texts(self) -> bool {
        self.in_path && self.after_text
    }

    fn pass_delimiter(&mut self, byte: u8) {
        self.in_path &= !matches!(byte, b'?' | b'#');
        self.after_text = false;
    }
}

/// Append the URL that has these tokens.
pub fn print<'t>(tokens: impl IntoIterator<Item = Token<'t>>, out: &mut Vec<u8>) {
    let mut place = Place { in_path: true, after_text: false };
    for (count, token) in tokens.into_iter().enumerate() {
        match token {
            Token::Delimiter(byte) => {
                place.pass_delimiter(byte);
                out.push(byte);
            }
            Token::Text(text) => {
                let before: &[u8] = match count {
                    0 => b"",
                    1 => b"//",
                    _ if place.parts_texts() => b"/",
                    _ => b"",
                };
                place.after_text = true;
                out.extend_from_slice(before);
                out.extend_from_slice(text);
            }
        }
    }
}

/// Whether some URL has these tokens, given as delimiters and texts: a scheme, a host, what ends a host, no two texts side by side where
/// nothing would part them, and no `/` that goes without saying.
pub fn is_well_formed(tokens: impl IntoIterator<Item = Option<u8>>) -> bool {
    let mut tokens = tokens.into_iter();
    if tokens.next() != Some(None) || tokens.next() != Some(None) {
        return false;
    }
    let (mut place, mut is_first, mut slash_after_text) = (Place::BEHIND_HOST, true, false);
    for token in tokens {
        let parts_texts = place.parts_texts();
        match token {
            Some(byte) if is_first && !matches!(byte, b'/' | b'?' | b'#') => return false,
            Some(byte) => place.pass_delimiter(byte),
            None if slash_after_text || (place.after_text && !place.in_path) => return false,
            None => place.after_text = true,
        }
        slash_after_text = parts_texts && token == Some(b'/');
        is_first = false;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(url: &str, others: &str) -> String {
        let delimiters = Delimiters::new(others.as_bytes());
        let text = |token| match token {
            Token::Delimiter(byte) => char::from(byte).to_string(),
            Token::Text(text) => String::from_utf8_lossy(text).into_owned(),
        };
        delimiters.tokens(url.as_bytes()).map(text).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn tokens_of_the_paper() {
        let url = "http://en.wikipedia.org/wiki?title=LinearModel";
        assert_eq!(texts(url, ""), "http: en.wikipedia.org wiki ? title = LinearModel");
        assert_eq!(
            texts("http://stackexchange.com/user/123/mike", ""),
            "http: stackexchange.com user 123 mike"
        );
    }

    #[test]
    fn slashes_are_dropped_only_where_they_go_without_saying() {
        assert_eq!(texts("http://a/x/y/", ""), "http: a x y /");
        assert_eq!(texts("http://a//x;s=1/y", ""), "http: a / / x ; s = 1 y");
        assert_eq!(texts("http://a/?u=b/c", ""), "http: a / ? u = b / c");
        assert_eq!(texts("http://a/.x/y.", "."), "http: a / . x y .");
    }

    #[test]
    fn what_is_no_url_has_no_tokens() {
        for url in ["", "a/b", "http:///x", "://a/", "a/b://c/", "mailto:me@here"] {
            assert_eq!(texts(url, ""), "", "{url}");
        }
    }

    proptest::proptest! {
        #[test]
        fn urls_come_back_byte_for_byte(rest in "[/?&;=#:.a-b-]{0,24}", host in "[ab.:@]{1,4}") {
            let url = format!("http://{host}/{rest}");
            for others in ["", ".-:"] {
                let delimiters = Delimiters::new(others.as_bytes());
                let mut out = Vec::new();
                print(delimiters.tokens(url.as_bytes()), &mut out);
                proptest::prop_assert_eq!(String::from_utf8(out).unwrap(), url.clone());
                let kinds = delimiters.tokens(url.as_bytes()).map(|token| match token {
                    Token::Delimiter(byte) => Some(byte),
                    Token::Text(_) => None,
                });
                proptest::prop_assert!(is_well_formed(kinds));
            }
        }

        #[test]
        fn well_formed_tokens_are_read_as_they_were_printed(picks in proptest::collection::vec(0..9_usize, 0..12)) {
            let delimiters = Delimiters::new(b".");
            let tokens: Vec<Token> = [Token::Text(b"http:"), Token::Text(b"a")].into_iter().chain(picks.iter().map(|&pick| {
                delimiters.bytes().get(pick).map_or(Token::Text(b"x"), |byte| Token::Delimiter(*byte))
            })).collect();
            let kinds = tokens.iter().map(|token| match token {
                Token::Delimiter(byte) => Some(*byte),
                Token::Text(_) => None,
            });
            let mut out = Vec::new();
            print(tokens.iter().copied(), &mut out);
            let read: Vec<Token> = delimiters.tokens(&out).collect();
            proptest::prop_assert_eq!(is_well_formed(kinds), read == tokens);
        }
    }
}
