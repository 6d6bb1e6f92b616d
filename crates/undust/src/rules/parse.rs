//! From template notation to [`Template`]: first atoms (characters, stars, braces), then the structure of a URL over them.

use super::template::{
    Class, Convert, Filter, Fragment, Item, List, MAX_DIGITS, Piece, QueryItem, QueryKind, Template, Text,
    as_literal,
};

/// An error in the notation of a template or substitution: the message and the text.
///
/// ```
/// let error = undust::Action::rewrite("http://example.com/{id", "http://example.com/").unwrap_err();
/// assert_eq!(error.to_string(), "'{' without '}' (write {'{'} for the character) in 'http://example.com/{id'");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what} in '{text}'")]
pub struct SyntaxError {
    what: String,
    text: String,
}

impl SyntaxError {
    pub(crate) fn new(what: impl Into<String>, text: impl Into<String>) -> SyntaxError {
        SyntaxError { what: what.into(), text: text.into() }
    }
}

/// The smallest units of the notation.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Atom {
    /// A byte that stands for itself and may be a delimiter.
    Byte(u8),
    /// `{'x'}` or `{0xFF}`: a byte that stands for itself and is never a delimiter.
    Quoted(u8),
    Star,
    /// The text between other braces.
    Brace(String),
}

impl Atom {
    /// Whether it stands for `byte`, quoted or not.
    fn is(&self, byte: u8) -> bool {
        matches!(self, Atom::Byte(b) | Atom::Quoted(b) if *b == byte)
    }
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
    let end =
        if NESTED.iter().any(|word| rest[1..].starts_with(word)) { nested_end(rest) } else { rest.find('}') };
    let end = end.ok_or("'{' without '}' (write {'{'} for the character)")?;
    let inside = &rest[1..end];
    let atom = match inside.strip_prefix("0x") {
        Some(hex) => {
            let byte = u8::from_str_radix(hex, 16)
                .map_err(|_| format!("'{{{inside}}}' is not a byte such as {{0xFF}}"))?;
            Atom::Quoted(byte)
        }
        None => Atom::Brace(inside.to_owned()),
    };
    Ok((end + 1, vec![atom]))
}

/// The beginnings of braces that may hold others.
const NESTED: [&str; 6] = ["if ", "unless ", "only(", "without(", "with(", "sorted("];

/// Where the brace at the start of `rest` is closed; braces and quotes may stand inside.
fn nested_end(rest: &str) -> Option<usize> {
    let (mut at, mut depth) = (0, 0);
    loop {
        let here = &rest[at..];
        if here.starts_with("{'") {
            at += brace(here).ok()?.0;
            continue;
        }
        let c = here.chars().next()?;
        depth += i32::from(c == '{') - i32::from(c == '}');
        if depth == 0 {
            return Some(at);
        }
        at += c.len_utf8();
    }
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
    // As in a URL, a colon between brackets belongs to an address.
    let address = if host_port.first().is_some_and(|a| a.is(b'[')) { host_port } else { &[] };
    let address_end = address.iter().rposition(|a| a.is(b']')).unwrap_or(0);
    let port = host_port[address_end..].iter().position(|a| *a == Atom::Byte(b':')).map(|i| address_end + i);
    let host = &host_port[..port.unwrap_or(host_port.len())];
    Ok(Template {
        scheme: text(&atoms[..colon], b":/?#")?,
        userinfo: userinfo.map(|u| text(u, b"/?#")).transpose()?,
        host: host_list(host)?,
        port: port.map(|i| text(&host_port[i + 1..], b"/?#@")).transpose()?,
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
        Some(first) if first.is(b'[') => Ok(vec![Item::One(text(host, b"/?#@")?)]),
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
        [Atom::Brace(inside)] if inside.starts_with("if ") => condition(&inside[3..], true),
        [Atom::Brace(inside)] if inside.starts_with("unless ") => condition(&inside[7..], false),
        [Atom::Brace(inside)] if is_rest(inside) || is_function(inside) => others(inside),
        [Atom::Byte(b'!'), name @ ..] => Ok(QueryKind::Absent(param_name(name)?)),
        _ => {
            let (name, value) = cut(entry, b"=");
            let value = value.split_first().map(|(_, inside)| text(inside, b"&;#")).transpose()?;
            match any_name(name)? {
                Some(names) => Ok(QueryKind::AnyName(names, value)),
                None => Ok(QueryKind::Param(param_name(name)?, value)),
            }
        }
    }
}

/// `{:a|b}` in the place of a name, if it is that.
fn any_name(name: &[Atom]) -> Result<Option<Vec<Vec<u8>>>, String> {
    let [Atom::Brace(inside)] = name else { return Ok(None) };
    let Ok(Piece::Hole { name, class: Class::OneOf(names), optional: false, .. }) = hole(inside) else {
        return Ok(None);
    };
    if !name.is_empty() {
        return Err("which of several names it is is not remembered: write {:a|b}=".into());
    }
    if names.iter().flatten().any(|b| b"=&;#".contains(b)) {
        return Err("a parameter's name holds none of =&;#".into());
    }
    Ok(Some(names))
}

/// `name` or `name=text`, behind `if` or `unless`.
fn condition(inside: &str, holds: bool) -> Result<QueryKind, String> {
    let atoms = atoms(inside)?;
    let (name, value) = cut(&atoms, b"=");
    let name = param_name(name)?;
    let value = value.split_first().map(|(_, inside)| text(inside, b"&;#")).transpose()?;
    Ok(match (holds, value) {
        (true, value) => QueryKind::If(name, value),
        (false, Some(value)) => QueryKind::Unless(name, value),
        (false, None) => QueryKind::Absent(name),
    })
}

fn is_function(inside: &str) -> bool {
    call(inside).is_some_and(|(function, _)| ["sorted", "only", "without", "with"].contains(&function))
}

/// `...`, `only(a|b)`, `without(a|b=1)`, `with(a={x})`, and `sorted()` around each.
fn others(inside: &str) -> Result<QueryKind, String> {
    let (sorted, argument) = match call(inside) {
        Some(("sorted", argument)) => (true, argument),
        _ => (false, inside),
    };
    let filter = match call(argument) {
        None if argument == "..." => Filter::All,
        Some(("only", names)) => Filter::only(entries(names, param_name)?),
        Some(("without", params)) => Filter::without(entries(params, named_value)?),
        Some(("with", values)) => Filter::with(entries(values, assignment)?),
        _ => {
            return Err(format!("'{{{inside}}}' is none of {{...}}, only(), without(), with() and sorted()"));
        }
    };
    Ok(QueryKind::Others { sorted, filter })
}

/// The entries of a list, with bars between them.
fn entries<T>(list: &str, entry: fn(&[Atom]) -> Result<T, String>) -> Result<Vec<T>, String> {
    if list.is_empty() {
        return Err("a list of parameters is empty".into());
    }
    atoms(list)?.split(|atom| *atom == Atom::Byte(b'|')).map(entry).collect()
}

/// `name` or `name=value`, both fixed.
fn named_value(atoms: &[Atom]) -> Result<(Vec<u8>, Option<Vec<u8>>), String> {
    let (name, value) = cut(atoms, b"=");
    let Some((_, value)) = value.split_first() else { return Ok((param_name(name)?, None)) };
    let value = text(value, b"&;#")?;
    let value = as_literal(&value).ok_or("a value in without() must be fixed text")?;
    Ok((param_name(name)?, Some(value.to_vec())))
}

/// `name=text`
fn assignment(atoms: &[Atom]) -> Result<(Vec<u8>, Text), String> {
    let (name, value) = cut(atoms, b"=");
    let (_, value) = value.split_first().ok_or("with() needs values: with(name=value)")?;
    Ok((param_name(name)?, text(value, b"&;#")?))
}

fn param_name(atoms: &[Atom]) -> Result<Vec<u8>, String> {
    let name = text(atoms, b"=&;#")?;
    match as_literal(&name) {
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
        Some((name, word)) => (name, class(word, optional)?),
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

/// A class; one word alone is one only if it may be left out.
fn class(word: &str, optional: bool) -> Result<Class, String> {
    if let Some((_, class)) = Class::NAMED.iter().find(|(name, _)| *name == word) {
        return Ok(class.clone());
    }
    if let Some(any_case) = word.strip_prefix("i'").and_then(|rest| rest.strip_suffix('\'')) {
        let lower = any_case.to_ascii_lowercase();
        return words(&lower).map(Class::AnyCase).ok_or(format!("'{word}' names no word (write i'a|b')"));
    }
    if let Some(numbers) = numbers(word) {
        return numbers;
    }
    if let Some(none_of) = word.strip_prefix('!') {
        return words(none_of).map(Class::NoneOf).ok_or(format!("'{word}' names no word (write !a|b)"));
    }
    if !word.contains('|') && !optional {
        return Err(format!(
            "'{word}' is no class (digits, digits4, 1..12, lower, upper, alpha, alnum, hex, or words: a|b, not these: !a|b, in any case: i'a|b')"
        ));
    }
    words(word).map(Class::OneOf).ok_or(format!("'{word}' names no word (write a|b)"))
}

/// `digits4`, `1..12`, `..2005` or `2014..`, if it is one of these.
fn numbers(word: &str) -> Option<Result<Class, String>> {
    let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    if let Some(count) = word.strip_prefix("digits").filter(|count| digits(count)) {
        let count = count.parse().ok().filter(|count| *count > 0).map(Class::ExactDigits);
        return Some(count.ok_or(format!("'{word}' is no number of digits from 1 to 255")));
    }
    let (least, most) = word.split_once("..").filter(|(a, b)| digits(a) && digits(b) && word != "..")?;
    if least.len().max(most.len()) > MAX_DIGITS {
        return Some(Err(format!("a number of '{word}' has more than {MAX_DIGITS} digits")));
    }
    let (least, most) = (least.parse().unwrap_or_default(), most.parse().ok());
    let is_empty = most.is_some_and(|most: u64| most < least);
    Some(if is_empty { Err(format!("no number is in '{word}'")) } else { Ok(Class::Range { least, most }) })
}

/// `a|b`: the words, in order, if there are any.
fn words(text: &str) -> Option<Vec<Vec<u8>>> {
    let mut words: Vec<Vec<u8>> =
        text.split('|').filter(|w| !w.is_empty()).map(|w| w.as_bytes().to_vec()).collect();
    words.sort();
    words.dedup();
    (!words.is_empty()).then_some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn prints(text: &str, expected: &str) {
        let parsed = template(text).expect(text);
        assert_eq!(parsed.to_string(), expected);
        assert_eq!(template(expected).as_ref(), Ok(&parsed));
    }

    #[track_caller]
    fn fails(text: &str, expected: &str) {
        let error = template(text).expect_err(text);
        assert_eq!(error.what, expected);
        assert_eq!(error.to_string(), format!("{expected} in '{text}'"));
    }

    #[test]
    fn printed_in_one_way() {
        for text in [
            "http://a.com",
            "http://a.com/",
            "{s}://{u}@{...}:{p}/{...}?#{...}",
            "*://*.a.com/a-*-{x:digits?}/{}/{:hex}?a&b=&c={x?}&!d&{...}#{f}",
            "http://{h:a|}{i:a|b-c}/?&;=",
            "http://a.com/{x:!tagged}-{:!a|b}/{y:!a|b?}/{:|!a|b}/{:!!a}/{:!a|b?|}/{:a|b)|}/{:a?|?}",
            "http://{lower(...)}/{upper(x)}{encode(y)}/{decode(...)}?{sorted(...)}",
            "http://[::1]:80/é{0xFF}{0x0A}{'*'}{'{'}{'}'}'",
            "http://a.com/?{'!'}x=!y",
            "http://a.com/?{if a}&{if b=}&{if c={day}T{:digits}-{'}'}|{'*'}};{unless d={:a|b}}&{if !x}&{if }&{if =}",
            "http://a.com/?{only(a)}",
            "http://a.com/?{:s|sid}={x}&{:a|}&{:|!b|c}=&{...}",
            "http://a.com/{x:..2005}/{y:1..12?}/{:2014..}/{z:digits4}/{:i'a|b-c'?}/{:|i'a|j'}/{:1..2|}",
            "http://a.com/?x&{sorted(only(a b|c{'|'}d|{'{'}))}",
            "http://a.com/?{without(a|b=|c=1=)|d=))}",
            "http://a.com/?{sorted(with(a={x}-{lower(y)}{'|'}|b=|c=é{0xFF}))}",
        ] {
            prints(text, text);
        }
        prints("http://a/{'a*b'}{'}'}{0x41}{0xc3}{0xa9}", "http://a/a{'*'}b{'}'}Aé");
        prints("http://a/{x:c|a|b|a}", "http://a/{x:a|b|c}");
        prints("http://a/{x:!c|a||b|a|}", "http://a/{x:!a|b|c}");
        prints("http://a/{x:b|!a}", "http://a/{x:|!a|b}");
        prints("http://{'['}a.b]/", "http://[a.b]/");
        prints("http://a/{x:i'B|a'}", "http://a/{x:i'a|b'}");
        prints("http://a/{x:0..5}-{y:007..}", "http://a/{x:..5}-{y:7..}");
        prints("http://a/?do={do:show?}", "http://a/?do={do:show|?}");
        prints("http://a/?{unless a}", "http://a/?!a");
        prints("http://a/?{only(b|a|b)}", "http://a/?{only(a|b)}");
        prints("http://a/?{without(b|a=1|a)}", "http://a/?{without(a|a=1|b)}");
    }

    #[test]
    fn what_is_wrong() {
        fails("a.com/x", "'://' is missing");
        fails("http:///x", "the host is missing");
        fails("http://a/{x", "'{' without '}' (write {'{'} for the character)");
        fails("http://a/x}", "'}' without '{' (write {'}'} for the character)");
        fails("http://a/{'x", "{'…'} is not closed");
        fails("http://a/{''}", "{'…'} is not closed");
        fails("http://a/{0xFFF}", "'{0xFFF}' is not a byte such as {0xFF}");
        fails("http://a/{'/'}", "'/' cannot be part of a value here");
        fails("http://a/?a={'&'}", "'&' cannot be part of a value here");
        fails("http://a/?{x}=1", "a parameter's name must be fixed text");
        fails("http://a/{a b}", "'a b' is not a name (letters, digits, '_', '-')");
        fails("http://a/x{...}", "'...' is not a name (letters, digits, '_', '-')");
        fails("http://a/{sorted(...)}", "'sorted' is none of lower, upper, encode, decode");
        fails(
            "http://a/?{lower(...)}",
            "'{lower(...)}' is none of {...}, only(), without(), with() and sorted()",
        );
        fails(
            "http://a/{x:int}",
            "'int' is no class (digits, digits4, 1..12, lower, upper, alpha, alnum, hex, or words: a|b, not these: !a|b, in any case: i'a|b')",
        );
        fails("http://a/{x:3..1}", "no number is in '3..1'");
        fails(
            "http://a/{x:..1234567890123456789}",
            "a number of '..1234567890123456789' has more than 18 digits",
        );
        fails("http://a/{x:digits0}", "'digits0' is no number of digits from 1 to 255");
        fails("http://a/{x:i'|'}", "'i'|'' names no word (write i'a|b')");
        fails("http://a/?{n:a|b}=1", "which of several names it is is not remembered: write {:a|b}=");
        fails("http://a/?{:a&|b}=1", "a parameter's name holds none of =&;#");
        fails("http://a/?{only()}", "a list of parameters is empty");
        fails("http://a/?{sorted(without())}", "a list of parameters is empty");
        fails("http://a/?{with(a)}", "with() needs values: with(name=value)");
        fails("http://a/?{without(a={x})}", "a value in without() must be fixed text");
        fails("http://a/?{only({x})}", "a parameter's name must be fixed text");
        fails("http://a/?{if {x}=1}", "a parameter's name must be fixed text");
        fails("http://a/?{if a={x}", "'{' without '}' (write {'{'} for the character)");
        fails("http://a/{if x}", "'if x' is not a name (letters, digits, '_', '-')");
        fails("http://a/{x:|}", "'|' names no word (write a|b)");
        fails("http://a/{x:!}", "'!' names no word (write !a|b)");
        fails("http://a/{x:!|?}", "'!|' names no word (write !a|b)");
    }

    /// The template's parts are those of the URL that it looks like.
    #[test]
    fn parts_as_in_a_url() {
        let parsed = template("http://a@b@c.d:e:f/g//?h;i=j=k&?#l#m?").expect("well formed");
        let texts: Vec<String> = parsed
            .texts()
            .map(|text| {
                String::from_utf8_lossy(super::super::template::as_literal(text).expect("fixed")).into_owned()
            })
            .collect();
        assert_eq!(texts, ["http", "a@b", "c", "d", "e:f", "g", "", "", "j=k", "l#m?"]);
        assert_eq!(parsed.query.map(|items| items.len()), Some(3));
    }
}
