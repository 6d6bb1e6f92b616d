//! From template notation to [`Template`]: first atoms (characters, stars, braces), then the structure of a URL over them.

use std::fmt;

use super::template::{Class, Convert, Fragment, Item, List, Piece, QueryItem, QueryKind, Template, Text};

/// Why a template or substitution is not one: what was expected, and the text it was expected in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    what: String,
    text: String,
}

impl SyntaxError {
    pub(crate) fn new(what: impl Into<String>, text: impl Into<String>) -> SyntaxError {
        SyntaxError { what: what.into(), text: text.into() }
    }
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} in '{}'", self.what, self.text)
    }
}

impl std::error::Error for SyntaxError {}

/// The smallest units of the notation.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Atom {
    /// A byte that stands for itself and may be a delimiter.
    Byte(u8),
    /// `{'x'}` or `{0xFF}`: a byte that stands for itself and is never a delimiter.
    Quoted(u8),
    Star,
    /// What stands between other braces.
    Brace(String),
}

/// Parse a template.
pub(crate) fn template(text: &str) -> Result<Template, SyntaxError> {
    let fail = |what: String| SyntaxError::new(what, text);
    let atoms = atoms(text).map_err(fail)?;
    structure(&atoms).map_err(fail)
}

/// Cut notation into atoms.
pub(crate) fn atoms(text: &str) -> Result<Vec<Atom>, String> {
    let mut atoms = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let (used, mut new) = match c {
            '{' => brace(rest)?,
            '}' => return Err("'}' without '{' (write {'}'} for the character)".into()),
            '*' => (1, vec![Atom::Star]),
            c => (c.len_utf8(), rest.as_bytes()[..c.len_utf8()].iter().map(|&b| Atom::Byte(b)).collect()),
        };
        atoms.append(&mut new);
        rest = &rest[used..];
    }
    Ok(atoms)
}

/// The atoms of a `{…}` at the start of `rest`, and its length.
fn brace(rest: &str) -> Result<(usize, Vec<Atom>), String> {
    if let Some(quoted) = rest.strip_prefix("{'") {
        // At least one character stands between the quotes: {'}'} quotes a brace.
        let end = quoted.char_indices().skip(1).find(|(i, _)| quoted[*i..].starts_with("'}"));
        let (end, _) = end.ok_or("{'…'} is not closed")?;
        return Ok((end + 4, quoted.as_bytes()[..end].iter().map(|&b| Atom::Quoted(b)).collect()));
    }
    let end = rest.find('}').ok_or("'{' without '}' (write {'{'} for the character)")?;
    let inside = &rest[1..end];
    let atom = match inside.strip_prefix("0x") {
        Some(hex) => {
            let byte = u8::from_str_radix(hex, 16).map_err(|_| format!("'{{{inside}}}' is not a byte such as {{0xFF}}"))?;
            Atom::Quoted(byte)
        }
        None => Atom::Brace(inside.to_owned()),
    };
    Ok((end + 1, vec![atom]))
}

fn structure(atoms: &[Atom]) -> Result<Template, String> {
    let colon = atoms.windows(3).position(|w| w == [Atom::Byte(b':'), Atom::Byte(b'/'), Atom::Byte(b'/')]);
    let colon = colon.ok_or("'://' is missing")?;
    let (authority, rest) = cut(&atoms[colon + 3..], b"/?#");
    let (path, rest) = cut(rest, b"?#");
    let (query, fragment) = cut(rest, b"#");
    let (userinfo, host_port) = match authority.iter().rposition(|a| *a == Atom::Byte(b'@')) {
        Some(at) => (Some(&authority[..at]), &authority[at + 1..]),
        None => (None, authority),
    };
    let address_end = host_port.iter().rposition(|a| *a == Atom::Byte(b']')).unwrap_or(0);
    let port = host_port[address_end..].iter().position(|a| *a == Atom::Byte(b':')).map(|i| address_end + i);
    let host = &host_port[..port.unwrap_or(host_port.len())];
    Ok(Template {
        scheme: text(&atoms[..colon], b":/?#")?,
        userinfo: userinfo.map(|u| text(u, b"/?#")).transpose()?,
        host: host_list(host)?,
        port: port.map(|i| text(&host_port[i + 1..], b"/?#@:")).transpose()?,
        path: path.split_first().map_or(Ok(Vec::new()), |(_, inside)| list(inside, b'/', b"/?#"))?,
        query: query.split_first().map(|(_, inside)| query_items(inside)).transpose()?,
        fragment: fragment.split_first().map(|(_, inside)| fragment_of(inside)).transpose()?,
    })
}

/// Cut before the first of `delimiters`.
fn cut<'a>(atoms: &'a [Atom], delimiters: &[u8]) -> (&'a [Atom], &'a [Atom]) {
    let end = atoms.iter().position(|a| matches!(a, Atom::Byte(b) if delimiters.contains(b)));
    atoms.split_at(end.unwrap_or(atoms.len()))
}

fn host_list(host: &[Atom]) -> Result<List, String> {
    match host.first() {
        None => Err("the host is missing".into()),
        Some(Atom::Byte(b'[') | Atom::Quoted(b'[')) => Ok(vec![Item::One(text(host, b"/?#@")?)]),
        Some(_) => list(host, b'.', b"./?#@:"),
    }
}

fn list(atoms: &[Atom], separator: u8, delimiters: &[u8]) -> Result<List, String> {
    atoms
        .split(|a| *a == Atom::Byte(separator))
        .map(|item| match item {
            [Atom::Brace(inside)] if is_rest(inside) => Ok(Item::Rest(rest_convert(inside)?)),
            _ => Ok(Item::One(text(item, delimiters)?)),
        })
        .collect()
}

fn is_rest(inside: &str) -> bool {
    inside.contains("...")
}

/// `...` or `lower(...)`.
fn rest_convert(inside: &str) -> Result<Convert, String> {
    match call(inside) {
        None if inside == "..." => Ok(Convert::Copy),
        Some((function, "...")) => convert(function),
        _ => Err(format!("'{{{inside}}}' is neither {{...}} nor a conversion of it")),
    }
}

fn query_items(atoms: &[Atom]) -> Result<Vec<QueryItem>, String> {
    let mut items = Vec::new();
    let mut separator = b'&';
    let mut rest = atoms;
    if rest.is_empty() {
        return Ok(items);
    }
    loop {
        let (entry, more) = cut(rest, b"&;");
        items.push(QueryItem { separator, kind: query_kind(entry)? });
        match more.split_first() {
            None => return Ok(items),
            Some((Atom::Byte(next), after)) => (separator, rest) = (*next, after),
            Some(_) => return Err("an entry of the query ends oddly".into()),
        }
    }
}

fn query_kind(entry: &[Atom]) -> Result<QueryKind, String> {
    match entry {
        [Atom::Brace(inside)] if is_rest(inside) => match inside.as_str() {
            "..." => Ok(QueryKind::Others { sorted: false }),
            "sorted(...)" => Ok(QueryKind::Others { sorted: true }),
            _ => Err(format!("'{{{inside}}}' is neither {{...}} nor {{sorted(...)}}")),
        },
        [Atom::Byte(b'!'), name @ ..] => Ok(QueryKind::Absent(param_name(name)?)),
        _ => {
            let (name, value) = cut(entry, b"=");
            let value = value.split_first().map(|(_, inside)| text(inside, b"&;#")).transpose()?;
            Ok(QueryKind::Param(param_name(name)?, value))
        }
    }
}

fn param_name(atoms: &[Atom]) -> Result<Vec<u8>, String> {
    let name = text(atoms, b"=&;#")?;
    match super::template::as_literal(&name) {
        Some(bytes) => Ok(bytes.to_vec()),
        None => Err("a parameter's name must be fixed text".into()),
    }
}

fn fragment_of(atoms: &[Atom]) -> Result<Fragment, String> {
    match atoms {
        [Atom::Brace(inside)] if inside == "..." => Ok(Fragment::Any),
        _ => Ok(Fragment::Text(text(atoms, b"")?)),
    }
}

/// One component; `delimiters` are what its fixed text can never hold.
fn text(atoms: &[Atom], delimiters: &[u8]) -> Result<Text, String> {
    let mut pieces: Text = Vec::new();
    for atom in atoms {
        match atom {
            Atom::Byte(b) | Atom::Quoted(b) => {
                if delimiters.contains(b) {
                    return Err(format!("'{}' cannot be part of a value here", char::from(*b)));
                }
                match pieces.last_mut() {
                    Some(Piece::Literal(bytes)) => bytes.push(*b),
                    _ => pieces.push(Piece::Literal(vec![*b])),
                }
            }
            Atom::Star => pieces.push(Piece::Star),
            Atom::Brace(inside) => pieces.push(hole(inside)?),
        }
    }
    Ok(pieces)
}

/// `name`, `name?`, `name:class`, `name:class?` or `function(name)`.
fn hole(inside: &str) -> Result<Piece, String> {
    if let Some((function, name)) = call(inside) {
        let name = hole_name(name)?;
        return Ok(Piece::Hole { name, class: Class::Any, optional: false, convert: convert(function)? });
    }
    let (inside, optional) = inside.strip_suffix('?').map_or((inside, false), |i| (i, true));
    let (name, class) = match inside.split_once(':') {
        Some((name, word)) => (name, class(word)?),
        None => (inside, Class::Any),
    };
    Ok(Piece::Hole { name: hole_name(name)?, class, optional, convert: Convert::Copy })
}

fn call(inside: &str) -> Option<(&str, &str)> {
    inside.strip_suffix(')')?.split_once('(')
}

fn hole_name(name: &str) -> Result<String, String> {
    if name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-') {
        Ok(name.to_owned())
    } else {
        Err(format!("'{name}' is not a name (letters, digits, '_', '-')"))
    }
}

fn convert(function: &str) -> Result<Convert, String> {
    let found = Convert::NAMED.iter().find(|(name, _)| *name == function);
    found.map(|(_, c)| *c).ok_or_else(|| format!("'{function}' is none of lower, upper, encode, decode"))
}

fn class(word: &str) -> Result<Class, String> {
    if let Some((_, class)) = Class::NAMED.iter().find(|(name, _)| *name == word) {
        return Ok(class.clone());
    }
    if !word.contains('|') {
        return Err(format!("'{word}' is no class (digits, lower, upper, alpha, alnum, hex, or words: a|b)"));
    }
    let mut words: Vec<Vec<u8>> =
        word.split('|').filter(|w| !w.is_empty()).map(|w| w.as_bytes().to_vec()).collect();
    if words.is_empty() {
        return Err(format!("'{word}' names no word (write a|b)"));
    }
    words.sort();
    words.dedup();
    Ok(Class::OneOf(words))
}
