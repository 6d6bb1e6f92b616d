//! The syntax tree of a URL template, and how it is written. The notation is documented in [`rules`](super).

use std::fmt;

/// A URL template.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Template {
    /// `http`
    pub scheme: Text,
    /// The text before `@`.
    pub userinfo: Option<Text>,
    /// The host, label by label.
    pub host: List,
    /// The text after `host:`.
    pub port: Option<Text>,
    /// The path, component by component; without items there is no path at all, not even `/`.
    pub path: List,
    /// The query; `Some` without items is the bare `?`.
    pub query: Option<Vec<QueryItem>>,
    /// The text after `#`.
    pub fragment: Option<Fragment>,
}

/// Host labels or path components.
pub type List = Vec<Item>;

/// One host label or path component, or any number of further ones.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Item {
    /// Exactly one.
    One(Text),
    /// `{...}`: none or more; at most once in a list.
    Rest(Convert),
}

impl Item {
    /// The bytes of an item that is exactly one, without holes.
    pub fn fixed(&self) -> Option<&[u8]> {
        match self {
            Item::One(text) => as_literal(text),
            Item::Rest(_) => None,
        }
    }
}

/// One entry of a query.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct QueryItem {
    /// The separator before the entry, `&` or `;` (ignored for the first entry).
    pub separator: u8,
    /// The entry itself.
    pub kind: QueryKind,
}

/// The kind of an entry of a query.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum QueryKind {
    /// `name=value`, or `name` alone.
    Param(Vec<u8>, Option<Text>),
    /// `!name`: there is no such parameter.
    Absent(Vec<u8>),
    /// `{...}`: the parameters not named, in their order or sorted by name.
    Others {
        /// `{sorted(...)}`
        sorted: bool,
    },
}

/// The fragment of a template.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Fragment {
    /// A fragment that must be there.
    Text(Text),
    /// `#{...}`: a fragment or none.
    Any,
}

/// Text with holes in it.
pub type Text = Vec<Piece>;

/// A piece of text.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Piece {
    /// Fixed bytes.
    Literal(Vec<u8>),
    /// `*`
    Star,
    /// `{name}`, `{name:class}`, `{name?}`, `{lower(name)}`; without a name, it is matched and not captured.
    Hole {
        /// Its name.
        name: String,
        /// The text it matches (match only).
        class: Class,
        /// Whether it may hold nothing (match only).
        optional: bool,
        /// Its conversion (rewrite only).
        convert: Convert,
    },
}

/// The class of text that a hole matches.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum Class {
    /// Anything.
    #[default]
    Any,
    /// `0-9`
    Digits,
    /// `a-z`
    Lower,
    /// `A-Z`
    Upper,
    /// `a-zA-Z`
    Alpha,
    /// `a-zA-Z0-9`
    Alnum,
    /// `0-9a-fA-F`
    Hex,
    /// One of these words (sorted, the longest that fits is taken).
    OneOf(Vec<Vec<u8>>),
    /// Anything but exactly one of these words (sorted).
    NoneOf(Vec<Vec<u8>>),
}

impl Class {
    /// The classes that are sets of bytes, with the names they go by.
    pub(crate) const NAMED: [(&'static str, Class); 6] = [
        ("digits", Class::Digits),
        ("lower", Class::Lower),
        ("upper", Class::Upper),
        ("alpha", Class::Alpha),
        ("alnum", Class::Alnum),
        ("hex", Class::Hex),
    ];

    /// Whether it matches any text, up to the next piece.
    pub fn is_open(&self) -> bool {
        matches!(self, Class::Any | Class::NoneOf(_))
    }

    /// Whether `text` is a word that it excludes.
    pub fn excludes(&self, text: &[u8]) -> bool {
        matches!(self, Class::NoneOf(words) if words.iter().any(|word| word == text))
    }

    /// The words it names.
    pub(crate) fn words(&self) -> &[Vec<u8>] {
        match self {
            Class::OneOf(words) | Class::NoneOf(words) => words,
            _ => &[],
        }
    }

    /// Whether a run of this class may hold `byte`.
    pub fn holds(&self, byte: u8) -> bool {
        match self {
            Class::Any | Class::NoneOf(_) => true,
            Class::Digits => byte.is_ascii_digit(),
            Class::Lower => byte.is_ascii_lowercase(),
            Class::Upper => byte.is_ascii_uppercase(),
            Class::Alpha => byte.is_ascii_alphabetic(),
            Class::Alnum => byte.is_ascii_alphanumeric(),
            Class::Hex => byte.is_ascii_hexdigit(),
            Class::OneOf(_) => false,
        }
    }
}

/// The conversion of a copied value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Convert {
    /// Not at all.
    #[default]
    Copy,
    /// ASCII letters to lower case; the hex digits of percent escapes stay.
    Lower,
    /// ASCII letters to upper case.
    Upper,
    /// Bytes outside RFC 3986's unreserved set become percent escapes; escapes already there stay.
    Encode,
    /// Percent escapes become the bytes they stand for, where that is printable text and no delimiter.
    Decode,
}

impl Convert {
    /// The conversions with the names they go by.
    pub(crate) const NAMED: [(&'static str, Convert); 4] = [
        ("lower", Convert::Lower),
        ("upper", Convert::Upper),
        ("encode", Convert::Encode),
        ("decode", Convert::Decode),
    ];

    fn name(self) -> Option<&'static str> {
        Convert::NAMED.iter().find(|(_, c)| *c == self).map(|(name, _)| *name)
    }
}

impl Piece {
    /// A hole that captures any non-empty text.
    pub fn hole(name: impl Into<String>) -> Piece {
        Piece::Hole { name: name.into(), class: Class::Any, optional: false, convert: Convert::Copy }
    }
}

/// Text without holes.
pub fn literal(bytes: &[u8]) -> Text {
    if bytes.is_empty() { Vec::new() } else { vec![Piece::Literal(bytes.to_vec())] }
}

/// The fixed bytes of a text without holes.
pub fn as_literal(text: &Text) -> Option<&[u8]> {
    match text.as_slice() {
        [] => Some(b""),
        [Piece::Literal(bytes)] => Some(bytes),
        _ => None,
    }
}

impl Template {
    /// Whether it prints the same whatever was matched.
    pub fn is_fixed(&self) -> bool {
        let rest = |item: &Item| matches!(item, Item::Rest(_));
        let others = |item: &QueryItem| matches!(item.kind, QueryKind::Others { .. });
        !self.texts().flatten().any(|piece| matches!(piece, Piece::Hole { .. }))
            && !self.host.iter().chain(&self.path).any(rest)
            && !self.query.iter().flatten().any(others)
            && self.fragment != Some(Fragment::Any)
    }

    /// Every text of the template, in URL order.
    pub fn texts(&self) -> impl Iterator<Item = &Text> {
        fn one(item: &Item) -> Option<&Text> {
            match item {
                Item::One(text) => Some(text),
                Item::Rest(_) => None,
            }
        }
        let params = self.query.iter().flatten().filter_map(|item| match &item.kind {
            QueryKind::Param(_, value) => value.as_ref(),
            _ => None,
        });
        let fragment = self.fragment.iter().filter_map(|f| match f {
            Fragment::Text(text) => Some(text),
            Fragment::Any => None,
        });
        std::iter::once(&self.scheme)
            .chain(&self.userinfo)
            .chain(self.host.iter().filter_map(one))
            .chain(&self.port)
            .chain(self.path.iter().filter_map(one))
            .chain(params)
            .chain(fragment)
    }

    /// Mutable variant of [`Template::texts`].
    pub fn texts_mut(&mut self) -> impl Iterator<Item = &mut Text> {
        fn one(item: &mut Item) -> Option<&mut Text> {
            match item {
                Item::One(text) => Some(text),
                Item::Rest(_) => None,
            }
        }
        let params = self.query.iter_mut().flatten().filter_map(|item| match &mut item.kind {
            QueryKind::Param(_, value) => value.as_mut(),
            _ => None,
        });
        let fragment = self.fragment.iter_mut().filter_map(|f| match f {
            Fragment::Text(text) => Some(text),
            Fragment::Any => None,
        });
        std::iter::once(&mut self.scheme)
            .chain(&mut self.userinfo)
            .chain(self.host.iter_mut().filter_map(one))
            .chain(&mut self.port)
            .chain(self.path.iter_mut().filter_map(one))
            .chain(params)
            .chain(fragment)
    }
}

impl fmt::Display for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_text(f, &self.scheme)?;
        f.write_str("://")?;
        if let Some(userinfo) = &self.userinfo {
            write_text(f, userinfo)?;
            f.write_str("@")?;
        }
        write_list(f, &self.host, ".", "")?;
        if let Some(port) = &self.port {
            f.write_str(":")?;
            write_text(f, port)?;
        }
        write_list(f, &self.path, "/", "/")?;
        if let Some(items) = &self.query {
            f.write_str("?")?;
            write_query(f, items)?;
        }
        match &self.fragment {
            None => Ok(()),
            Some(Fragment::Any) => f.write_str("#{...}"),
            Some(Fragment::Text(text)) => {
                f.write_str("#")?;
                write_text(f, text)
            }
        }
    }
}

fn write_list(f: &mut fmt::Formatter<'_>, list: &List, separator: &str, first: &str) -> fmt::Result {
    for (i, item) in list.iter().enumerate() {
        f.write_str(if i == 0 { first } else { separator })?;
        match item {
            Item::One(text) => write_text(f, text)?,
            Item::Rest(convert) => write_call(f, convert.name(), "...")?,
        }
    }
    Ok(())
}

fn write_query(f: &mut fmt::Formatter<'_>, items: &[QueryItem]) -> fmt::Result {
    for (i, item) in items.iter().enumerate() {
        if i > 0 {
            write!(f, "{}", char::from(item.separator))?;
        }
        match &item.kind {
            QueryKind::Param(name, value) => {
                write_name(f, name)?;
                if let Some(value) = value {
                    f.write_str("=")?;
                    write_text(f, value)?;
                }
            }
            QueryKind::Absent(name) => {
                f.write_str("!")?;
                write_name(f, name)?;
            }
            QueryKind::Others { sorted } => write_call(f, sorted.then_some("sorted"), "...")?,
        }
    }
    Ok(())
}

/// A parameter name; a leading `!` would mean "absent".
fn write_name(f: &mut fmt::Formatter<'_>, name: &[u8]) -> fmt::Result {
    match name {
        [b'!', rest @ ..] => {
            f.write_str("{'!'}")?;
            write_bytes(f, rest)
        }
        _ => write_bytes(f, name),
    }
}

fn write_call(f: &mut fmt::Formatter<'_>, function: Option<&str>, argument: &str) -> fmt::Result {
    match function {
        Some(function) => write!(f, "{{{function}({argument})}}"),
        None => write!(f, "{{{argument}}}"),
    }
}

/// Text in template notation.
pub(crate) fn write_text(f: &mut fmt::Formatter<'_>, text: &Text) -> fmt::Result {
    for piece in text {
        match piece {
            Piece::Literal(bytes) => write_bytes(f, bytes)?,
            Piece::Star => f.write_str("*")?,
            Piece::Hole { name, class, optional, convert } => {
                if let Some(function) = convert.name() {
                    write_call(f, Some(function), name)?;
                } else {
                    write!(f, "{{{name}")?;
                    write_class(f, class)?;
                    f.write_str(if *optional { "?}" } else { "}" })?;
                }
            }
        }
    }
    Ok(())
}

fn write_class(f: &mut fmt::Formatter<'_>, class: &Class) -> fmt::Result {
    if let Some((name, _)) = Class::NAMED.iter().find(|(_, named)| named == class) {
        return write!(f, ":{name}");
    }
    let ([first, ..], [.., last]) = (class.words(), class.words()) else { return Ok(()) };
    let none_of = matches!(class, Class::NoneOf(_));
    // A bar before the first word and one behind the last are no words, but keep apart what would mean something else.
    f.write_str(match (none_of, first.starts_with(b"!")) {
        (true, _) => ":!",
        (false, true) => ":|",
        (false, false) => ":",
    })?;
    for (i, word) in class.words().iter().enumerate() {
        write!(f, "{}{}", if i == 0 { "" } else { "|" }, String::from_utf8_lossy(word))?;
    }
    let is_name = !none_of && class.words().len() == 1;
    f.write_str(if is_name || last.ends_with(b"?") || last.ends_with(b")") { "|" } else { "" })
}

/// Fixed bytes, with special characters in quotes.
pub(crate) fn write_bytes(f: &mut fmt::Formatter<'_>, bytes: &[u8]) -> fmt::Result {
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '*' | '{' | '}' => write!(f, "{{'{c}'}}")?,
                c if c.is_ascii_control() => write!(f, "{{0x{:02X}}}", c as u32)?,
                c => write!(f, "{c}")?,
            }
        }
        for byte in chunk.invalid() {
            write!(f, "{{0x{byte:02X}}}")?;
        }
    }
    Ok(())
}
