//! Rust source as tokens: just enough to find names in it, and none in comments and texts.

/// A token. Literals are left out.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Token {
    /// A name or keyword.
    Word(String),
    /// `::`
    Colons,
    /// Any other character.
    Sign(char),
}

impl Token {
    pub(crate) fn is(&self, sign: char) -> bool {
        *self == Token::Sign(sign)
    }

    pub(crate) fn word(&self) -> Option<&str> {
        match self {
            Token::Word(word) => Some(word),
            _ => None,
        }
    }
}

/// The tokens of a source file.
pub(crate) fn tokens(text: &str) -> Vec<Token> {
    let (mut tokens, mut rest) = (Vec::new(), text);
    while let Some(first) = rest.chars().next() {
        let (token, len) = match first {
            _ if first.is_whitespace() => (None, first.len_utf8()),
            '/' if rest.starts_with("//") => (None, rest.find('\n').unwrap_or(rest.len())),
            '/' if rest.starts_with("/*") => (None, comment_len(rest)),
            '"' => (None, text_len(rest)),
            '\'' => (None, quote_len(rest)),
            ':' if rest.starts_with("::") => (Some(Token::Colons), 2),
            _ if first.is_alphanumeric() || first == '_' => word(rest),
            _ => (Some(Token::Sign(first)), first.len_utf8()),
        };
        tokens.extend(token);
        rest = &rest[len..];
    }
    tokens
}

/// A name, a number, or a text with a prefix (`r"…"`, `b'…'`, `r#"…"#`).
fn word(rest: &str) -> (Option<Token>, usize) {
    let len = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
    let (word, behind) = rest.split_at(len);
    let is_raw = matches!(word, "r" | "br" | "cr");
    let hashes = behind.bytes().take_while(|&byte| byte == b'#').count();
    if is_raw && behind[hashes..].starts_with('"') {
        let end = format!("\"{}", "#".repeat(hashes));
        let inside = &behind[hashes + 1..];
        let closed = inside.find(&end).map_or(inside.len(), |at| at + end.len());
        return (None, len + hashes + 1 + closed);
    }
    if word == "r" && hashes == 1 {
        // A raw name: `r#type`.
        let (token, name_len) = self::word(&behind[1..]);
        return (token, len + 1 + name_len);
    }
    match behind.chars().next() {
        Some('"') if matches!(word, "b" | "c") => (None, len + text_len(behind)),
        Some('\'') if word == "b" => (None, len + quote_len(behind)),
        _ if word.starts_with(|c: char| c.is_ascii_digit()) => (None, len),
        _ => (Some(Token::Word(word.to_owned())), len),
    }
}

/// The length of a comment, which may hold others.
fn comment_len(rest: &str) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < rest.len() {
        let here = &rest.as_bytes()[at..];
        match here {
            [b'/', b'*', ..] => (depth, at) = (depth + 1, at + 2),
            [b'*', b'/', ..] => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            return at;
        }
    }
    rest.len()
}

/// The length of a text in quotes.
fn text_len(rest: &str) -> usize {
    let bytes = rest.as_bytes();
    let mut at = 1;
    while at < bytes.len() && bytes[at] != b'"' {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    (at + 1).min(rest.len())
}

/// The length of a character in quotes; of the quote alone where it begins a lifetime.
fn quote_len(rest: &str) -> usize {
    let inside = &rest[1..];
    if let Some(escaped) = inside.strip_prefix('\\') {
        let first = escaped.chars().next().map_or(0, char::len_utf8);
        return escaped[first..].find('\'').map_or(rest.len(), |at| 2 + first + at + 1);
    }
    let first = inside.chars().next().map_or(0, char::len_utf8);
    if inside[first..].starts_with('\'') { 1 + first + 1 } else { 1 }
}

#[test]
fn names_outside_of_texts_and_comments() {
    let source = r##"
        // std::fs
        /* a /* std::fs */ b */
        fn f<'a>(x: &'a str) -> char { let _ = "std::fs \" x"; let _ = r#"std::"fs"#; let _ = b"y\\"; 'z' }
        let (_, quote, r#type) = ('"', '\'', b'"');
        a::b ('\u{41}')
    "##;
    let words: Vec<String> =
        tokens(source).iter().filter_map(|token| token.word().map(str::to_owned)).collect();
    let expected =
        "fn f a x a str char let _ let _ let _ let _ quote type a b".split(' ').collect::<Vec<_>>();
    assert_eq!(words, expected);
}
