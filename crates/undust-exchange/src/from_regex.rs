//! Regular expressions of other tools, as far as rules can say them: fixed words, fixed pieces of text, and whole URLs with simple holes.

use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Class as HirClass, Hir, HirKind, Look};
use undust::rules::template::{Class, Convert, Item, Piece, QueryItem, QueryKind, Template, Text};
use undust::rules::{Action, EVERY_SITE, Substitute};

use crate::param_rule::Hosts;

/// Alternatives of an expression that become a rule each, at most.
const MAX_ALTERNATIVES: usize = 64;

fn parse(pattern: &str) -> Result<Hir, String> {
    let parsed = ParserBuilder::new().unicode(false).utf8(false).nest_limit(50).build().parse(pattern);
    parsed.map_err(|error| match error {
        regex_syntax::Error::Parse(error) => error.kind().to_string(),
        regex_syntax::Error::Translate(error) => error.kind().to_string(),
        _ => "the expression cannot be read".to_owned(),
    })
}

/// The words that a pattern stands for, if they can be counted up.
pub(crate) fn words(pattern: &str) -> Result<Vec<String>, String> {
    let all = words_of(&parse(pattern)?).ok_or("it stands for more names than can be counted up")?;
    let texts: Result<Vec<String>, _> = all.into_iter().map(String::from_utf8).collect();
    texts.map_err(|_| "it stands for bytes that are no text".to_owned())
}

fn words_of(hir: &Hir) -> Option<Vec<Vec<u8>>> {
    let words = match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => vec![Vec::new()],
        HirKind::Literal(literal) => vec![literal.0.to_vec()],
        HirKind::Class(class) => bytes_of(class)?.into_iter().map(|byte| vec![byte]).collect(),
        HirKind::Capture(capture) => words_of(&capture.sub)?,
        HirKind::Repetition(repetition) if repetition.min == 0 && repetition.max == Some(1) => {
            let mut words = words_of(&repetition.sub)?;
            words.insert(0, Vec::new());
            words
        }
        HirKind::Repetition(_) => return None,
        HirKind::Alternation(ways) => {
            let all: Option<Vec<_>> = ways.iter().map(words_of).collect();
            all?.concat()
        }
        HirKind::Concat(parts) => parts.iter().try_fold(vec![Vec::new()], |so_far, part| {
            let next = words_of(part)?;
            let longer =
                so_far.iter().flat_map(|start| next.iter().map(move |end| [start.as_slice(), end].concat()));
            (so_far.len() * next.len() <= MAX_ALTERNATIVES).then(|| longer.collect())
        })?,
    };
    (words.len() <= MAX_ALTERNATIVES).then_some(words)
}

fn bytes_of(class: &HirClass) -> Option<Vec<u8>> {
    let bytes: Vec<u8> = match class {
        HirClass::Bytes(class) => class.iter().flat_map(|range| range.start()..=range.end()).collect(),
        HirClass::Unicode(class) => {
            let chars = class.iter().flat_map(|range| range.start()..=range.end());
            chars.take(257).map(|c| u8::try_from(c).ok().filter(u8::is_ascii)).collect::<Option<_>>()?
        }
    };
    (bytes.len() <= 256).then_some(bytes)
}

/// The rule that replaces `pattern` by `substitution`, and the hosts it is for.
pub(crate) fn rule_of(pattern: &str, substitution: &str) -> Result<(Hosts, Action), String> {
    let hir = parse(pattern)?;
    let parts = match hir.into_kind() {
        HirKind::Concat(parts) => parts,
        HirKind::Empty => return Err("the pattern is empty".into()),
        one => vec![whole(one)],
    };
    let at_start = matches!(parts.first().map(Hir::kind), Some(HirKind::Look(Look::Start)));
    let at_end = matches!(parts.last().map(Hir::kind), Some(HirKind::Look(Look::End)));
    let inside = &parts[usize::from(at_start)..parts.len() - usize::from(at_end)];
    if let [one] = inside
        && let HirKind::Literal(literal) = one.kind()
    {
        return piece(&literal.0, substitution, at_start, at_end);
    }
    if at_start && at_end {
        return url(inside, substitution);
    }
    Err("only fixed text, and whole URLs between ^ and $, can be rules".into())
}

/// A tree of one node.
fn whole(kind: HirKind) -> Hir {
    match kind {
        HirKind::Literal(literal) => Hir::literal(literal.0),
        HirKind::Class(class) => Hir::class(class),
        HirKind::Look(look) => Hir::look(look),
        HirKind::Repetition(repetition) => Hir::repetition(repetition),
        HirKind::Capture(capture) => Hir::capture(capture),
        HirKind::Concat(parts) => Hir::concat(parts),
        HirKind::Alternation(ways) => Hir::alternation(ways),
        HirKind::Empty => Hir::empty(),
    }
}

/// Fixed text is a substitution, if it does not begin or end in the middle of a word: ours never do.
fn piece(from: &[u8], to: &str, at_start: bool, at_end: bool) -> Result<(Hosts, Action), String> {
    let is_token = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
    if (is_token(from.first()) && !at_start) || (is_token(from.last()) && !at_end) {
        return Err("the text may begin or end within a word, where substitutions do not".into());
    }
    let parts = replacement(to)?;
    let fixed: Result<Vec<String>, String> = parts
        .into_iter()
        .map(|part| match part {
            Replaced::Text(text) => Ok(text),
            Replaced::Group(number) => Err(format!("there is no group {number}")),
        })
        .collect();
    let substitute = Substitute::new(from.to_vec(), fixed?.concat().into_bytes(), at_start, at_end);
    Ok((Hosts::Every, Action::Substitute(substitute.map_err(|error| error.to_string())?)))
}

/// A whole URL, with holes for classes of characters, is a rewrite.
fn url(parts: &[Hir], substitution: &str) -> Result<(Hosts, Action), String> {
    let mut pieces: Text = Vec::new();
    for part in parts {
        pieces.push(piece_of(part)?);
    }
    let from = written(&pieces)?;
    let to: Vec<Piece> = replacement(substitution)?
        .into_iter()
        .map(|part| match part {
            Replaced::Text(text) => Piece::Literal(text.into_bytes()),
            Replaced::Group(number) => Piece::hole(format!("g{number}")),
        })
        .collect();
    let action = Action::rewrite(&from, &written(&to)?).map_err(|error| error.to_string())?;
    let host = action.matches().map_or(Err("it is no template".to_owned()), fixed_host)?;
    Ok((Hosts::Only(host), action))
}

/// The host, of a template that says no more than the expression did: a class of characters does not end at dots or between
/// parameters as a hole does, and parameters have an order there.
fn fixed_host(template: &Template) -> Result<String, String> {
    let labels: Option<Vec<&[u8]>> = template.host.iter().map(Item::fixed).collect();
    let host =
        labels.and_then(|labels| String::from_utf8(labels.join(&b'.')).ok()).filter(|host| is_host(host));
    let values: Vec<&Text> = template.query.iter().flatten().filter_map(value).collect();
    let is_open = |piece: &Piece| matches!(piece, Piece::Hole { class: Class::Any, .. });
    if values.iter().any(|value| value.iter().any(is_open))
        || template.query.as_ref().is_some_and(|q| q.len() > 1)
    {
        return Err("it asks for parameters in an order, or for more than a value".into());
    }
    host.ok_or_else(|| "its host is not fixed".to_owned())
}

fn value(item: &QueryItem) -> Option<&Text> {
    match &item.kind {
        QueryKind::Param(_, value) => value.as_ref(),
        _ => None,
    }
}

const OTHER: &str = "a part of it is neither fixed text nor a run of characters";

fn piece_of(part: &Hir) -> Result<Piece, String> {
    let (name, inside) = match part.kind() {
        HirKind::Literal(literal) => return Ok(Piece::Literal(literal.0.to_vec())),
        HirKind::Capture(capture) => (format!("g{}", capture.index), capture.sub.as_ref()),
        _ => (String::new(), part),
    };
    if let Some(words) = words_of(inside) {
        let optional = words.iter().any(Vec::is_empty);
        let class = Class::OneOf(words.into_iter().filter(|word| !word.is_empty()).collect());
        return Ok(Piece::Hole { name, class, optional, convert: Convert::Copy });
    }
    let HirKind::Repetition(repetition) = inside.kind() else { return Err(OTHER.into()) };
    let (HirKind::Class(class), min @ 0..=1, None) = (repetition.sub.kind(), repetition.min, repetition.max)
    else {
        return Err(OTHER.into());
    };
    let class =
        class_of(class).ok_or("a class of characters is none that rules know, or goes beyond a component")?;
    Ok(Piece::Hole { name, class, optional: min == 0, convert: Convert::Copy })
}

/// The class of ours that holds the same characters; one that ends at a slash, a question mark and a number sign is any.
fn class_of(class: &HirClass) -> Option<Class> {
    let bytes = match class {
        HirClass::Bytes(class) => class.iter().flat_map(|range| range.start()..=range.end()).collect(),
        HirClass::Unicode(_) => bytes_of(class)?,
    };
    let named = [Class::Digits, Class::Lower, Class::Upper, Class::Alpha, Class::Alnum, Class::Hex];
    let same = |class: &Class| (0..=u8::MAX).filter(|byte| class.holds(*byte)).eq(bytes.iter().copied());
    named.into_iter().find(same).or_else(|| {
        let missing: Vec<u8> = (0..=u8::MAX).filter(|byte| !bytes.contains(byte)).collect();
        (missing == b"#/?").then_some(Class::Any)
    })
}

/// Text in template notation.
fn written(pieces: &[Piece]) -> Result<String, String> {
    let mut text = String::new();
    for piece in pieces {
        match piece {
            Piece::Literal(bytes) => {
                for c in String::from_utf8_lossy(bytes).chars() {
                    let is_special = matches!(c, '*' | '{' | '}');
                    text.extend(if is_special { vec!['{', '\'', c, '\'', '}'] } else { vec![c] });
                }
            }
            Piece::Star => text.push('*'),
            Piece::Hole { name, class, optional, .. } => {
                let end = if *optional { "?" } else { "" };
                text.extend(["{", name, &class_name(class)?, end, "}"]);
            }
        }
    }
    Ok(text)
}

fn class_name(class: &Class) -> Result<String, String> {
    let name = match class {
        Class::Any => return Ok(String::new()),
        Class::Digits => "digits",
        Class::Lower => "lower",
        Class::Upper => "upper",
        Class::Alpha => "alpha",
        Class::Alnum => "alnum",
        Class::Hex => "hex",
        Class::AnyCase(_) | Class::ExactDigits(_) | Class::Range { .. } => {
            return Err("it asks for numbers or for words in any case".into());
        }
        Class::OneOf(words) | Class::NoneOf(words) => {
            let is_plain = |b: &u8| b.is_ascii_alphanumeric() || b"-_.".contains(b);
            if !words.iter().flatten().all(is_plain) {
                return Err("it lists words with other characters than letters and digits".into());
            }
            // The bar at the end tells a word from the name of a class.
            return Ok(format!(
                ":{}|",
                words.iter().map(|w| String::from_utf8_lossy(w)).collect::<Vec<_>>().join("|")
            ));
        }
    };
    Ok(format!(":{name}"))
}

/// A part of a replacement as Java writes it.
enum Replaced {
    Text(String),
    Group(usize),
}

fn replacement(text: &str) -> Result<Vec<Replaced>, String> {
    let (mut parts, mut fixed, mut rest) = (Vec::new(), String::new(), text.chars().peekable());
    while let Some(c) = rest.next() {
        match c {
            '\\' => fixed.extend(rest.next()),
            '$' => {
                let digit =
                    rest.next().and_then(|c| c.to_digit(10)).ok_or("$ without the number of a group")?;
                if rest.peek().is_some_and(char::is_ascii_digit) {
                    return Err("a group of two digits".into());
                }
                parts.push(Replaced::Text(std::mem::take(&mut fixed)));
                parts.push(Replaced::Group(digit as usize));
            }
            c => fixed.push(c),
        }
    }
    parts.push(Replaced::Text(fixed));
    Ok(parts)
}

/// Patterns for all URLs.
const ANY_URL: [&str; 4] = [".*", "^.*", "^https?://", "^https?:\\/\\/"];

/// How patterns for a domain and all hosts below it begin.
const ANY_HOST_BELOW: [&str; 3] =
    ["^https?:\\/\\/(?:[a-z0-9-]+\\.)*?", "^https?://(?:[a-z0-9-]+\\.)*?", "^https?://(?:[^./?#@:]+\\.)*"];

/// The hosts that a pattern of URLs is for, where it asks for nothing but the host.
pub(crate) fn hosts_of(pattern: &str) -> Result<Hosts, String> {
    if ANY_URL.contains(&pattern) {
        return Ok(Hosts::Every);
    }
    let name = ANY_HOST_BELOW.iter().find_map(|start| pattern.strip_prefix(start));
    let name = name.ok_or("the pattern asks for more than a host")?;
    let whole = ["\\/", "/"].iter().find_map(|end| name.strip_suffix(end));
    match words(whole.unwrap_or(name))?.as_slice() {
        // A single label that nothing ends is the beginning of many a host.
        [host] if is_host(host) && (whole.is_some() || host.contains('.')) => Ok(Hosts::Below(host.clone())),
        [host] => Err(format!("'{host}' is no host")),
        _ => Err("the pattern is for several hosts".into()),
    }
}

/// Whether it is the name of a host in lower case, such as `www.example.org` or `wiki`, and not the name for all sites.
pub(crate) fn is_host(name: &str) -> bool {
    let is_label = |label: &str| {
        !label.is_empty()
            && label.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-' || b == b'_')
    };
    name != EVERY_SITE && name.split('.').all(is_label)
}
