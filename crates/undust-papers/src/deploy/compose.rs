//! Two rewrites one after the other, said as one.
//!
//! What the first prints must match the second *whatever its holes hold*: then the match of the first and what the second
//! makes of it are the rule. Where that depends on the URL, there is no such rule, and none is made. Holes are taken to hold what may
//! stand in the place they are copied to: a value with a `/` in it, copied into the path, is two components there, and the
//! second rewrite would not find what was matched here.

use std::collections::HashMap;

use undust::rules::Rewrite;
use undust::rules::template::{
    Class, Convert, Filter, Fragment, Item, List, Piece, QueryItem, QueryKind, Template, Text, as_literal,
    literal,
};

/// `first` and then `next`, as one rewrite; nothing where that cannot be said.
pub fn then(first: &Rewrite, next: &Rewrite) -> Option<Rewrite> {
    let (printed, template) = (first.becomes(), next.matches());
    let mut found = Found { first: first.matches(), texts: HashMap::new() };
    found.text(&printed.scheme, &template.scheme)?;
    found.option(printed.userinfo.as_ref(), template.userinfo.as_ref())?;
    found.option(printed.port.as_ref(), template.port.as_ref())?;
    let host = found.list(&printed.host, &template.host)?;
    let path = found.list(&printed.path, &template.path)?;
    let others = found.query(printed.query.as_deref(), template.query.as_deref())?;
    let fragment = found.fragment(printed.fragment.as_ref(), template.fragment.as_ref()).ok()?;
    let after = next.becomes();
    let becomes = Template {
        scheme: found.filled(&after.scheme)?,
        userinfo: found.filled_option(after.userinfo.as_ref()).ok()?,
        host: found.filled_list(&after.host, host)?,
        port: found.filled_option(after.port.as_ref()).ok()?,
        path: found.filled_list(&after.path, path)?,
        query: match &after.query {
            None => None,
            Some(items) => {
                found.filled_query(items, &others, printed.query.as_deref().unwrap_or_default()).ok()?
            }
        },
        fragment: match &after.fragment {
            None => None,
            Some(Fragment::Any) => fragment.cloned(),
            Some(Fragment::Text(text)) => Some(Fragment::Text(found.filled(text)?)),
        },
    };
    Rewrite::new(first.matches().clone(), becomes).ok()
}
/// What is to be said depends on the URL.
struct Depends;

/// What the holes of the second match hold, in the words of the first rewrite.
struct Found<'t> {
    first: &'t Template,
    texts: HashMap<&'t str, Text>,
}

impl<'t> Found<'t> {
    fn option(&mut self, printed: Option<&'t Text>, template: Option<&'t Text>) -> Option<()> {
        match (printed, template) {
            (None, None) => Some(()),
            (Some(printed), Some(template)) => self.text(printed, template),
            _ => None,
        }
    }

    /// Match text that may hold holes. Three cases are sure: fixed text; one hole between fixed text; and what the first match read
    /// in the same way.
    fn text(&mut self, printed: &'t Text, template: &'t Text) -> Option<()> {
        if as_literal(template).is_some() {
            return (as_literal(printed) == as_literal(template)).then_some(());
        }
        if let Some((before, hole, after)) = one_hole(template) {
            let held = between(printed, before, after)?;
            return self.hole(hole, held);
        }
        let read = self.first.texts().find(|read| is_copy(read, printed) && are_alike(read, template))?;
        for (piece, held) in template.iter().zip(read) {
            if let (Piece::Hole { name, .. }, Piece::Hole { name: copied, .. }) = (piece, held) {
                self.bind(name, vec![Piece::hole(copied.clone())])?;
            }
        }
        Some(())
    }

    fn hole(&mut self, hole: &'t Piece, held: Text) -> Option<()> {
        let Piece::Hole { name, class, optional, .. } = hole else {
            return self.is_something(&held).then_some(());
        };
        let fits = (*optional || self.is_something(&held)) && self.is_of(&held, class);
        if fits { self.bind(name, held) } else { None }
    }

    /// A name that stands twice asks whether two texts are equal, which depends on the URL.
    fn bind(&mut self, name: &'t str, held: Text) -> Option<()> {
        (name.is_empty() || self.texts.insert(name, held).is_none()).then_some(())
    }

    /// Whether a text is never empty.
    fn is_something(&self, text: &Text) -> bool {
        text.iter().any(|piece| match piece {
            Piece::Literal(_) | Piece::Star => true,
            Piece::Hole { name, .. } => self.read(name).is_some_and(|(_, optional)| !optional),
        })
    }

    /// Whether a text is always of a class.
    fn is_of(&self, text: &Text, class: &Class) -> bool {
        if let Class::OneOf(words) = class {
            let is_word = |text: &[u8]| words.iter().any(|word| word == text);
            return match text.as_slice() {
                [Piece::Literal(bytes)] => is_word(bytes),
                [Piece::Hole { name, convert: Convert::Copy, .. }] => {
                    matches!(self.read(name), Some((Class::OneOf(held), _)) if held.iter().all(|w| is_word(w)))
                }
                _ => false,
            };
        }
        if let Class::NoneOf(words) = class {
            return words.iter().all(|word| self.is_never(text, word));
        }
        if matches!(class, Class::AnyCase(_) | Class::ExactDigits(_) | Class::Range { .. }) {
            return false;
        }
        *class == Class::Any || text.iter().all(|piece| self.holds_only(piece, class))
    }

    /// Whether a text is surely not this word.
    fn is_never(&self, text: &Text, word: &[u8]) -> bool {
        match text.as_slice() {
            [] => true,
            [Piece::Literal(bytes)] => bytes != word,
            [Piece::Star] => word != b"*",
            [Piece::Hole { name, convert: Convert::Copy, .. }] => match self.read(name) {
                Some((Class::OneOf(held), _)) => !held.iter().any(|held| held == word),
                Some((Class::AnyCase(held), _)) => !held.iter().any(|held| held.eq_ignore_ascii_case(word)),
                Some((held, _)) => held.excludes(word) || !word.iter().all(|byte| held.holds(*byte)),
                None => false,
            },
            _ => false,
        }
    }

    /// Whether a piece holds nothing but bytes of a class.
    fn holds_only(&self, piece: &Piece, class: &Class) -> bool {
        let all = |bytes: &[u8]| bytes.iter().all(|byte| class.holds(*byte));
        match piece {
            Piece::Literal(bytes) => all(bytes),
            Piece::Star => class.holds(b'*'),
            Piece::Hole { name, convert, .. } => match self.read(name) {
                _ if *convert != Convert::Copy => false,
                Some((Class::Any | Class::NoneOf(_) | Class::AnyCase(_), _)) | None => false,
                Some((Class::OneOf(words), _)) => words.iter().all(|word| all(word)),
                Some((held, _)) => (0..=u8::MAX).all(|byte| !held.holds(byte) || class.holds(byte)),
            },
        }
    }

    /// What a hole of the first match may hold.
    fn read(&self, hole: &str) -> Option<(&'t Class, bool)> {
        self.first.texts().flatten().find_map(|piece| match piece {
            Piece::Hole { name, class, optional, .. } if name == hole => Some((class, *optional)),
            _ => None,
        })
    }

    /// Match a list; the items that the second `{...}` takes.
    fn list(&mut self, printed: &'t List, template: &'t List) -> Option<&'t [Item]> {
        let before = template.iter().position(|item| matches!(item, Item::Rest(_)));
        let after = before.map_or(0, |before| template.len() - before - 1);
        let before = before.unwrap_or(template.len());
        let rest = printed.get(before..printed.len().checked_sub(after)?)?;
        if before + after == template.len() && !rest.is_empty() {
            return None;
        }
        let ends = printed[..before].iter().chain(&printed[printed.len() - after..]);
        for (printed, item) in ends.zip(template.iter().filter(|item| matches!(item, Item::One(_)))) {
            let (Item::One(printed), Item::One(text)) = (printed, item) else { return None };
            self.text(printed, text)?;
        }
        Some(rest)
    }

    /// Match a query; the entries that the second `{...}` takes. Parameters that the first match does not name may be anything but
    /// those that it names.
    fn query(
        &mut self,
        printed: Option<&'t [QueryItem]>,
        template: Option<&'t [QueryItem]>,
    ) -> Option<Vec<QueryItem>> {
        let Some(template) = template else { return printed.is_none().then(Vec::new) };
        let takes_others = template.iter().any(is_others);
        if printed.is_some_and(<[_]>::is_empty) || (printed.is_none() && !takes_others) {
            return None;
        }
        let mut left: Vec<&QueryItem> = printed.unwrap_or_default().iter().collect();
        let is_known = !left.iter().any(|item| is_others(item));
        for item in template {
            let name = match &item.kind {
                QueryKind::Others { .. } => continue,
                QueryKind::AnyName(..) | QueryKind::If(..) | QueryKind::Unless(..) => return None,
                QueryKind::Param(name, _) | QueryKind::Absent(name) => name,
            };
            let of_name = |item: &&QueryItem| matches!(&item.kind, QueryKind::Param(n, _) if n == name);
            let at = left.iter().position(of_name);
            let found = at.map(|at| left.remove(at));
            if left.iter().any(of_name) || !(is_known || self.names_parameter(name)) {
                return None;
            }
            match (found.map(|found| &found.kind), &item.kind) {
                (Some(QueryKind::Param(_, printed)), QueryKind::Param(_, value)) => {
                    self.option(printed.as_ref(), value.as_ref())?;
                }
                (None, QueryKind::Absent(_)) => {}
                _ => return None,
            }
        }
        (takes_others || left.is_empty()).then(|| left.into_iter().cloned().collect())
    }

    fn names_parameter(&self, name: &[u8]) -> bool {
        self.first.query.iter().flatten().any(|item| match &item.kind {
            QueryKind::Param(known, _) | QueryKind::Absent(known) => known == name,
            QueryKind::AnyName(known, _) => known.iter().any(|known| known == name),
            QueryKind::If(..) | QueryKind::Unless(..) | QueryKind::Others { .. } => false,
        })
    }

    /// Match a fragment; what the second `{...}` takes.
    fn fragment(
        &mut self,
        printed: Option<&'t Fragment>,
        template: Option<&'t Fragment>,
    ) -> Result<Option<&'t Fragment>, Depends> {
        match (printed, template) {
            (None, None) => Ok(None),
            (_, Some(Fragment::Any)) => Ok(printed),
            (Some(Fragment::Text(printed)), Some(Fragment::Text(text))) => {
                self.text(printed, text).map(|()| None).ok_or(Depends)
            }
            _ => Err(Depends),
        }
    }

    fn filled_option(&self, text: Option<&Text>) -> Result<Option<Text>, Depends> {
        text.map(|text| self.filled(text).ok_or(Depends)).transpose()
    }

    /// A text of the second rewrite, in the words of the first.
    fn filled(&self, text: &Text) -> Option<Text> {
        let mut filled: Text = Vec::new();
        for piece in text {
            match piece {
                Piece::Hole { name, convert, .. } => {
                    filled.extend(converted(self.texts.get(name.as_str())?, *convert)?);
                }
                piece => filled.push(piece.clone()),
            }
        }
        Some(joined(filled))
    }

    fn filled_list(&self, list: &List, rest: &[Item]) -> Option<List> {
        let mut filled = Vec::new();
        for item in list {
            match item {
                Item::One(text) => filled.push(Item::One(self.filled(text)?)),
                Item::Rest(convert) => {
                    for item in rest {
                        filled.push(match item {
                            Item::One(text) => Item::One(joined(converted(text, *convert)?)),
                            Item::Rest(before) => Item::Rest(chained(*before, *convert)?),
                        });
                    }
                }
            }
        }
        Some(filled)
    }

    /// A query of the second rewrite, where `others` stand for `{...}`; `printed` is the query that they come from.
    fn filled_query(
        &self,
        items: &[QueryItem],
        others: &[QueryItem],
        printed: &[QueryItem],
    ) -> Result<Option<Vec<QueryItem>>, Depends> {
        let mut filled = Vec::new();
        for (at, item) in items.iter().enumerate() {
            match &item.kind {
                QueryKind::Param(name, value) => {
                    let kind = QueryKind::Param(name.clone(), self.filled_option(value.as_ref())?);
                    filled.push(QueryItem { separator: item.separator, kind });
                }
                QueryKind::Others { filter, .. } if *filter != Filter::All => return Err(Depends),
                QueryKind::Others { sorted, .. } => {
                    let separator = match (at, items.get(1)) {
                        (0, None) => separator_of(printed).ok_or(Depends)?,
                        (0, Some(second)) => second.separator,
                        _ => item.separator,
                    };
                    // Printed alone, further parameters are separated as in the URL, not as said here.
                    if *sorted && others.len() > 1
                        || items.len() == 1 && others.len() == 1 && printed.len() > 1
                    {
                        return Err(Depends);
                    }
                    filled.extend(others.iter().map(|other| taken(other, separator, *sorted)));
                }
                QueryKind::AnyName(..) | QueryKind::Absent(_) | QueryKind::If(..) | QueryKind::Unless(..) => {
                    return Err(Depends);
                }
            }
        }
        // Of `?{...}` nothing is printed where there are no parameters.
        Ok((items.is_empty() || !filled.is_empty()).then_some(filled))
    }
}

fn taken(other: &QueryItem, separator: u8, sort: bool) -> QueryItem {
    let kind = match &other.kind {
        QueryKind::Others { sorted, filter } => {
            QueryKind::Others { sorted: *sorted || sort, filter: filter.clone() }
        }
        kind => kind.clone(),
    };
    QueryItem { separator, kind }
}

/// The separator of a query's entries, if it is one.
fn separator_of(items: &[QueryItem]) -> Option<u8> {
    let Some((first, more)) = items.get(1..).and_then(<[_]>::split_first) else { return Some(b'&') };
    more.iter().all(|item| item.separator == first.separator).then_some(first.separator)
}

fn is_others(item: &QueryItem) -> bool {
    matches!(item.kind, QueryKind::Others { .. })
}

/// A text with one hole or star: the fixed text around it.
fn one_hole(text: &Text) -> Option<(&[u8], &Piece, &[u8])> {
    let is_hole = |piece: &Piece| !matches!(piece, Piece::Literal(_));
    let at = text.iter().position(is_hole)?;
    let (before, after) = (&text[..at], &text[at + 1..]);
    let fixed = |pieces: &'_ [Piece]| pieces.len() < 2 && !pieces.iter().any(is_hole);
    if !fixed(before) || !fixed(after) {
        return None;
    }
    // A class ends where its run does, which need not be where the text behind it stands.
    let is_open = !matches!(&text[at], Piece::Hole { class, .. } if !class.is_open());
    (is_open || after.is_empty()).then(|| (bytes_of(before), &text[at], bytes_of(after)))
}

fn bytes_of(pieces: &[Piece]) -> &[u8] {
    match pieces {
        [Piece::Literal(bytes)] => bytes,
        _ => b"",
    }
}

/// What stands between two fixed texts, if both surely are there.
fn between(text: &Text, before: &[u8], after: &[u8]) -> Option<Text> {
    let mut text = text.clone();
    if !before.is_empty() {
        let Some(Piece::Literal(first)) = text.first_mut() else { return None };
        *first = first.strip_prefix(before)?.to_vec();
    }
    if !after.is_empty() {
        let Some(Piece::Literal(last)) = text.last_mut() else { return None };
        *last = last.strip_suffix(after)?.to_vec();
    }
    Some(joined(text))
}

/// Neighbouring fixed texts made one, empty ones left out.
fn joined(text: Text) -> Text {
    let mut joined: Text = Vec::new();
    for piece in text {
        match (joined.last_mut(), piece) {
            (Some(Piece::Literal(last)), Piece::Literal(more)) => last.extend(more),
            (_, Piece::Literal(bytes)) if bytes.is_empty() => {}
            (_, piece) => joined.push(piece),
        }
    }
    joined
}

/// Whether `printed` is what `read` matched, each hole in its place.
fn is_copy(read: &Text, printed: &Text) -> bool {
    let same = |read: &Piece, printed: &Piece| match (read, printed) {
        (Piece::Hole { name: a, .. }, Piece::Hole { name: b, convert: Convert::Copy, .. }) => a == b,
        (Piece::Literal(a), Piece::Literal(b)) => a == b,
        _ => false,
    };
    read.len() == printed.len() && read.iter().zip(printed).all(|(a, b)| same(a, b))
}

/// Whether two matches read a text in the same way.
fn are_alike(one: &Text, other: &Text) -> bool {
    let alike = |one: &Piece, other: &Piece| match (one, other) {
        (Piece::Hole { class: a, optional: x, name, .. }, Piece::Hole { class: b, optional: y, .. }) => {
            a == b && x == y && !name.is_empty()
        }
        (Piece::Hole { class: Class::Any, optional: false, .. }, Piece::Star) => true,
        (Piece::Literal(a), Piece::Literal(b)) => a == b,
        _ => false,
    };
    one.len() == other.len() && one.iter().zip(other).all(|(a, b)| alike(a, b))
}

/// A text, converted.
fn converted(text: &Text, convert: Convert) -> Option<Text> {
    if convert == Convert::Copy {
        return Some(text.clone());
    }
    match text.as_slice() {
        [] => Some(Vec::new()),
        [Piece::Literal(bytes)] => {
            let mut out = Vec::new();
            convert.append(bytes, &mut out);
            Some(literal(&out))
        }
        [Piece::Hole { name, convert: before, .. }] => {
            let convert = chained(*before, convert)?;
            Some(vec![Piece::Hole { name: name.clone(), class: Class::Any, optional: false, convert }])
        }
        _ => None,
    }
}

/// One conversion and then another, where one does for both.
fn chained(first: Convert, then: Convert) -> Option<Convert> {
    match (first, then) {
        (Convert::Copy, one) | (one, Convert::Copy) => Some(one),
        (a, b) if a == b => Some(a),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use undust::rules::Action;

    fn rewrite(from: &str, to: &str) -> Rewrite {
        match Action::rewrite(from, to).expect("well formed") {
            Action::Rewrite(rewrite) => rewrite,
            _ => unreachable!("a rewrite was parsed"),
        }
    }

    /// What the second makes of what the first prints.
    #[track_caller]
    fn gives(first: (&str, &str), then: (&str, &str), expected: Option<&str>) {
        let both = super::then(&rewrite(first.0, first.1), &rewrite(then.0, then.1));
        assert_eq!(both.as_ref().map(|both| both.becomes().to_string()).as_deref(), expected);
        assert!(both.is_none_or(|both| both.matches().to_string() == first.0));
    }

    #[test]
    fn values_go_all_the_way() {
        gives(
            ("http://a/{x}/{y}", "http://a/p?id={y}&c={x}"),
            ("http://a/p?c={u}&id={v}", "http://a/{v}/c-{u}"),
            Some("http://a/{y}/c-{x}"),
        );
        gives(("http://a/{x}", "http://a/b/{x}"), ("http://a/b/*", "http://a/b"), Some("http://a/b"));
        gives(("http://a/{x}", "http://a/b/{x}"), ("http://a/b/1", "http://a/b"), None);
        gives(
            ("http://a/{x}", "http://a/b-{x}.html"),
            ("http://a/{y}.html", "http://a/{y}"),
            Some("http://a/b-{x}"),
        );
        gives(("http://a/{x}", "http://a/*"), ("http://a/{y}", "http://a/b/{y}"), Some("http://a/b/*"));
    }

    #[test]
    fn what_depends_on_the_url_is_not_said() {
        let first = ("http://a/{x?}", "http://a/b/{x}");
        gives(first, ("http://a/b/{y}", "http://a/{y}"), None);
        gives(first, ("http://a/b/{y?}", "http://a/{y}"), Some("http://a/{x}"));
        let digits = ("http://a/b/{y:digits}", "http://a/{y}");
        gives(("http://a/{x}", "http://a/b/{x}"), digits, None);
        gives(("http://a/{x:digits}", "http://a/b/{x}"), digits, Some("http://a/{x}"));
        gives(("http://a/{x:1|22}", "http://a/b/{x}"), digits, Some("http://a/{x}"));
        let other = ("http://a/b/{y:!a|b}", "http://a/{y}");
        gives(("http://a/{x}", "http://a/b/{x}"), other, None);
        gives(("http://a/{x:!a}", "http://a/b/{x}"), other, None);
        gives(("http://a/{x:!a|b|c}", "http://a/b/{x}"), other, Some("http://a/{x}"));
        gives(("http://a/{x:!a|b|c}", "http://a/b/{lower(x)}"), other, None);
        gives(("http://a/{x:!a|b|c}", "http://a/b/c{x}"), other, None);
        gives(("http://a/{x:!a|b}", "http://a/b/{x}"), digits, None);
        gives(("http://a/{x:digits}", "http://a/b/{x}"), other, Some("http://a/{x}"));
        gives(("http://a/{x:lower}", "http://a/b/{x}"), other, None);
        gives(("http://a/{x:c|d}", "http://a/b/{x}"), other, Some("http://a/{x}"));
        gives(("http://a/{x:a|c}", "http://a/b/{x}"), other, None);
        gives(("http://a/{x}", "http://a/b/a"), other, None);
        gives(("http://a/{x}", "http://a/b/*"), other, Some("http://a/*"));
        gives(("http://a/{x}", "http://a/b/{x}/{x}"), ("http://a/b/{y}/{y}", "http://a/{y}"), None);
        gives(("http://a/{x}", "http://a/{lower(x)}"), ("http://a/{y}", "http://a/{upper(y)}"), None);
        gives(("http://a/{x}", "http://a/A"), ("http://a/{y}", "http://a/{lower(y)}"), Some("http://a/a"));
    }

    #[test]
    fn several_holes_in_one_component() {
        let read = ("http://a/{x}-{n:digits}", "http://a/t/{x}-{n}");
        gives(read, ("http://a/t/{y}-{m:digits}", "http://a/{m}"), Some("http://a/{n}"));
        gives(read, ("http://a/t/{y}-{m}", "http://a/{m}"), None);
        let read = ("http://a/{x:!a}-{y}", "http://a/t/{x}-{y}");
        gives(read, ("http://a/t/{u:!a}-{v}", "http://a/{v}"), Some("http://a/{y}"));
        gives(read, ("http://a/t/{u:!b}-{v}", "http://a/{v}"), None);
    }

    #[test]
    fn further_components_and_parameters() {
        gives(
            ("http://a/{...}/x", "http://a/b/{...}/y"),
            ("http://a/{...}/y", "http://a/{...}"),
            Some("http://a/b/{...}"),
        );
        gives(("http://a/{...}/x", "http://a/{...}"), ("http://a/{y}", "http://a/b/{y}"), None);
        let first = ("http://a/?a={a}&sid=*&{...}", "http://a/?a={a}&{...}");
        gives(first, ("http://a/?a={x}&!sid&{...}", "http://a/{x}?{...}"), None);
        gives(
            first,
            ("http://a/?a={x}&!sid&{...}", "http://a/{x}?b=1&{...}"),
            Some("http://a/{a}?b=1&{...}"),
        );
        gives(first, ("http://a/?a={x}&b=*&{...}", "http://a/{x}?b=1&{...}"), None);
        gives(first, ("http://a/?{...}", "http://a/?{sorted(...)}"), None);
        gives(first, ("http://a/?{...}", "http://a/b?{...}"), Some("http://a/b?a={a}&{...}"));
        gives(
            ("http://a/?a={a}", "http://a/{a}"),
            ("http://a/{x}?{...}", "http://a/b/{x}?{...}"),
            Some("http://a/b/{a}"),
        );
    }
}
