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
    /// `{:sid|s}=value`: one parameter of these names (sorted; match only).
    AnyName(Vec<Vec<u8>>, Option<Text>),
    /// `!name`: there is no such parameter.
    Absent(Vec<u8>),
    /// `{if name}`, `{if name=text}`: there is such a parameter, which stays where it is (match only).
    If(Vec<u8>, Option<Text>),
    /// `{unless name=text}`: there is no such parameter (match only); without a value it is [`QueryKind::Absent`].
    Unless(Vec<u8>, Text),
    /// `{...}`: the parameters not named, in their order or sorted by name.
    Others {
        /// `{sorted(...)}`
        sorted: bool,
        /// Which of them are printed, and how (rewrite only).
        filter: Filter,
    },
}

impl QueryKind {
    /// `{...}`
    pub const OTHERS: QueryKind = QueryKind::Others { sorted: false, filter: Filter::All };
    /// `{sorted(...)}`
    pub const SORTED: QueryKind = QueryKind::Others { sorted: true, filter: Filter::All };

    /// The texts of an entry.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &Text> {
        let (one, more): (Option<&Text>, &[(Vec<u8>, Text)]) = match self {
            QueryKind::Param(_, value) | QueryKind::If(_, value) | QueryKind::AnyName(_, value) => {
                (value.as_ref(), &[])
            }
            QueryKind::Unless(_, value) => (Some(value), &[]),
            QueryKind::Others { filter: Filter::With(values), .. } => (None, values),
            QueryKind::Absent(_) | QueryKind::Others { .. } => (None, &[]),
        };
        one.into_iter().chain(more.iter().map(|(_, text)| text))
    }

    /// Mutable variant of [`QueryKind::texts`].
    fn texts_mut(&mut self) -> impl Iterator<Item = &mut Text> {
        let (one, more): (Option<&mut Text>, &mut [(Vec<u8>, Text)]) = match self {
            QueryKind::Param(_, value) | QueryKind::If(_, value) | QueryKind::AnyName(_, value) => {
                (value.as_mut(), &mut [])
            }
            QueryKind::Unless(_, value) => (Some(value), &mut []),
            QueryKind::Others { filter: Filter::With(values), .. } => (None, values),
            QueryKind::Absent(_) | QueryKind::Others { .. } => (None, &mut []),
        };
        one.into_iter().chain(more.iter_mut().map(|(_, text)| text))
    }

    /// The names of the parameter that it takes from a URL.
    pub fn taken_names(&self) -> &[Vec<u8>] {
        match self {
            QueryKind::Param(name, _) => std::slice::from_ref(name),
            QueryKind::AnyName(names, _) => names,
            _ => &[],
        }
    }

    /// Whether it asks something of a URL and takes nothing from it.
    pub fn is_condition(&self) -> bool {
        matches!(self, QueryKind::If(..) | QueryKind::Unless(..))
    }
}

/// A function of the remaining parameters.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum Filter {
    /// All of them, as they are.
    #[default]
    All,
    /// `{only(a|b)}`: those of these names (sorted).
    Only(Vec<Vec<u8>>),
    /// `{without(a|b=1)}`: those but these, by name or by name and value (sorted).
    Without(Vec<(Vec<u8>, Option<Vec<u8>>)>),
    /// `{with(a={x}|b=1)}`: all of them, these with other values (sorted). A URL that repeats one of these is not matched.
    With(Vec<(Vec<u8>, Text)>),
}

impl Filter {
    /// Only the parameters of these names.
    pub fn only(mut names: Vec<Vec<u8>>) -> Filter {
        names.sort();
        names.dedup();
        Filter::Only(names)
    }

    /// All but these parameters.
    pub fn without(mut params: Vec<(Vec<u8>, Option<Vec<u8>>)>) -> Filter {
        params.sort();
        params.dedup();
        Filter::Without(params)
    }

    /// These parameters with other values.
    pub fn with(mut values: Vec<(Vec<u8>, Text)>) -> Filter {
        values.sort_by(|(a, _), (b, _)| a.cmp(b));
        Filter::With(values)
    }

    /// Whether a parameter is printed.
    pub fn keeps(&self, name: &[u8], value: Option<&[u8]>) -> bool {
        match self {
            Filter::All | Filter::With(_) => true,
            Filter::Only(names) => names.iter().any(|n| n == name),
            Filter::Without(params) => {
                !params.iter().any(|(n, v)| n == name && (v.is_none() || v.as_deref() == value))
            }
        }
    }

    /// The text that becomes the value of the parameter of this name.
    pub fn value(&self, name: &[u8]) -> Option<&Text> {
        match self {
            Filter::With(values) => values.iter().find(|(n, _)| n == name).map(|(_, text)| text),
            _ => None,
        }
    }
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
    /// `i'a|b'`: one of these words in any case (sorted, in lower case).
    AnyCase(Vec<Vec<u8>>),
    /// `digits4`: exactly so many digits.
    ExactDigits(u8),
    /// `1..12`, `..2005`, `2014..`: a run of digits whose number is in the range.
    Range {
        /// The least number.
        least: u64,
        /// The greatest number; without one, any number of digits is in the range.
        most: Option<u64>,
    },
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

    /// Whether `text` is a word or a number that it excludes.
    pub fn excludes(&self, text: &[u8]) -> bool {
        match self {
            Class::NoneOf(words) => words.iter().any(|word| word == text),
            Class::Range { least, most } => !text.is_empty() && !is_in_range(text, *least, *most),
            _ => false,
        }
    }

    /// Whether the end of an open hole before it is known: it reaches to the first place where this class stands.
    pub fn ends_hole(&self) -> bool {
        matches!(
            self,
            Class::OneOf(_) | Class::AnyCase(_) | Class::Digits | Class::ExactDigits(_) | Class::Range { .. }
        )
    }

    /// Whether text of this class begins where a run of digits does, not inside.
    pub(crate) fn is_number(&self) -> bool {
        matches!(self, Class::Digits | Class::Range { .. })
    }

    /// The words it names.
    pub(crate) fn words(&self) -> &[Vec<u8>] {
        match self {
            Class::OneOf(words) | Class::NoneOf(words) | Class::AnyCase(words) => words,
            _ => &[],
        }
    }

    /// Whether a run of this class may hold `byte`.
    pub fn holds(&self, byte: u8) -> bool {
        match self {
            Class::Any | Class::NoneOf(_) => true,
            Class::Digits | Class::ExactDigits(_) | Class::Range { .. } => byte.is_ascii_digit(),
            Class::Lower => byte.is_ascii_lowercase(),
            Class::Upper => byte.is_ascii_uppercase(),
            Class::Alpha => byte.is_ascii_alphabetic(),
            Class::Alnum => byte.is_ascii_alphanumeric(),
            Class::Hex => byte.is_ascii_hexdigit(),
            Class::OneOf(_) | Class::AnyCase(_) => false,
        }
    }
}

/// The digits of a number that a range compares; longer ones are greater than any.
pub(crate) const MAX_DIGITS: usize = 18;

fn is_in_range(digits: &[u8], least: u64, most: Option<u64>) -> bool {
    if digits.len() > MAX_DIGITS {
        return most.is_none();
    }
    let number = std::str::from_utf8(digits).ok().and_then(|text| text.parse::<u64>().ok());
    number.is_some_and(|number| number >= least && most.is_none_or(|most| number <= most))
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
        let params = self.query.iter().flatten().flat_map(|item| item.kind.texts());
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
        let params = self.query.iter_mut().flatten().flat_map(|item| item.kind.texts_mut());
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
            QueryKind::AnyName(names, value) => {
                f.write_str("{")?;
                write_class(f, &Class::OneOf(names.clone()))?;
                f.write_str("}")?;
                if let Some(value) = value {
                    f.write_str("=")?;
                    write_text(f, value)?;
                }
            }
            QueryKind::Absent(name) => {
                f.write_str("!")?;
                write_name(f, name)?;
            }
            QueryKind::If(name, value) => write_condition(f, "if", name, value.as_ref())?,
            QueryKind::Unless(name, value) => write_condition(f, "unless", name, Some(value))?,
            QueryKind::Others { sorted, filter } => write_others(f, *sorted, filter)?,
        }
    }
    Ok(())
}

fn write_condition(f: &mut fmt::Formatter<'_>, word: &str, name: &[u8], value: Option<&Text>) -> fmt::Result {
    write!(f, "{{{word} ")?;
    write_bytes(f, name)?;
    if let Some(value) = value {
        f.write_str("=")?;
        write_text(f, value)?;
    }
    f.write_str("}")
}

fn write_others(f: &mut fmt::Formatter<'_>, sorted: bool, filter: &Filter) -> fmt::Result {
    f.write_str(if sorted { "{sorted(" } else { "{" })?;
    let function = match filter {
        Filter::All => "...",
        Filter::Only(_) => "only(",
        Filter::Without(_) => "without(",
        Filter::With(_) => "with(",
    };
    f.write_str(function)?;
    write_filter(f, filter)?;
    f.write_str(if *filter == Filter::All { "" } else { ")" })?;
    f.write_str(if sorted { ")}" } else { "}" })
}

/// The arguments of a function of the remaining parameters.
fn write_filter(f: &mut fmt::Formatter<'_>, filter: &Filter) -> fmt::Result {
    let bar = |i: usize| if i == 0 { "" } else { "|" };
    match filter {
        Filter::All => {}
        Filter::Only(names) => {
            for (i, name) in names.iter().enumerate() {
                f.write_str(bar(i))?;
                write_escaped(f, name, LISTED)?;
            }
        }
        Filter::Without(params) => {
            for (i, (name, value)) in params.iter().enumerate() {
                f.write_str(bar(i))?;
                write_escaped(f, name, LISTED)?;
                if let Some(value) = value {
                    f.write_str("=")?;
                    write_escaped(f, value, LISTED)?;
                }
            }
        }
        Filter::With(values) => {
            for (i, (name, value)) in values.iter().enumerate() {
                f.write_str(bar(i))?;
                write_escaped(f, name, LISTED)?;
                f.write_str("=")?;
                write_pieces(f, value, LISTED)?;
            }
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
    write_pieces(f, text, SPECIAL)
}

fn write_pieces(f: &mut fmt::Formatter<'_>, text: &Text, special: &[char]) -> fmt::Result {
    for piece in text {
        match piece {
            Piece::Literal(bytes) => write_escaped(f, bytes, special)?,
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
    match class {
        Class::ExactDigits(count) => return write!(f, ":digits{count}"),
        Class::Range { least: 0, most: Some(most) } => return write!(f, ":..{most}"),
        Class::Range { least, most: Some(most) } => return write!(f, ":{least}..{most}"),
        Class::Range { least, most: None } => return write!(f, ":{least}.."),
        Class::AnyCase(words) => {
            return write!(f, ":i'{}'", String::from_utf8_lossy(&words.join(&b'|')));
        }
        _ => {}
    }
    let ([first, ..], [.., last]) = (class.words(), class.words()) else { return Ok(()) };
    let none_of = matches!(class, Class::NoneOf(_));
    // A bar before the first word and one behind the last are no words, but keep apart what would mean something else.
    f.write_str(match (none_of, first.starts_with(b"!") || first.starts_with(b"i'")) {
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

/// The characters that stand in quotes.
const SPECIAL: &[char] = &['*', '{', '}'];

/// The characters that stand in quotes in a list.
const LISTED: &[char] = &['*', '{', '}', '|'];

/// Fixed bytes, with special characters in quotes.
pub(crate) fn write_bytes(f: &mut fmt::Formatter<'_>, bytes: &[u8]) -> fmt::Result {
    write_escaped(f, bytes, SPECIAL)
}

fn write_escaped(f: &mut fmt::Formatter<'_>, bytes: &[u8], special: &[char]) -> fmt::Result {
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                c if special.contains(&c) => write!(f, "{{'{c}'}}")?,
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
