//! Fixed points known at compile time: for most rules, the result is normal and no rule of the site can match it. Then the engine
//! does not look at the result again.
//!
//! All of this holds for the results of rules on URLs that are normal and have no strange byte ([`has_strange_byte`]), which may
//! have kept a URL from being normalised.

use crate::rules::template::{
    Class, Convert, Item, List, Piece, QueryItem, QueryKind, Template, Text, as_literal,
};
use crate::rules::{Action, Rewrite};
use crate::url::{has_only_reserved_escapes, has_strange_byte};

/// Whether neither normalising nor any rule among `rules` can change what `rule`, one of them, prints of a normal URL. `false`
/// where that is not certain.
///
/// That holds for URLs in which [`has_strange_byte`](crate::url::has_strange_byte) finds none.
#[doc(hidden)]
pub fn is_last(rule: &Action, rules: &[impl std::ops::Deref<Target = Action>]) -> bool {
    let Action::Rewrite(rewrite) = rule else { return false };
    stays_on_host(rewrite)
        && Trust::of(rule, true) == Trust::All
        && prints_path(rewrite)
        && rules.iter().all(|other| !may_follow(rule, Trust::All, other))
}

/// Whether what `rule` prints of a normal URL is normal. `false` where that is not certain.
pub(super) fn stays_normal(rule: &Action) -> bool {
    let Action::Rewrite(rewrite) = rule else { return false };
    Trust::of(rule, true) != Trust::Nothing && prints_path(rewrite)
}

/// On another host, another site's rules may hold.
fn stays_on_host(rewrite: &Rewrite) -> bool {
    let (from, to) = (rewrite.matches(), rewrite.becomes());
    from.host == to.host && to.host.iter().all(|item| item.fixed().is_some())
}

/// Which components of the result of a rule, normalised where that is done, are those of its rewrite template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trust {
    /// In every component.
    All,
    /// In all but the query: a component of the path that is printed as a value may be several parameters.
    AllButQuery,
    /// Nothing is certain.
    Nothing,
}

impl Trust {
    pub(super) fn of(action: &Action, normalize: bool) -> Trust {
        let Action::Rewrite(rewrite) = action else { return Trust::Nothing };
        if !keeps_path(rewrite) || (normalize && !prints_normal(rewrite)) {
            return Trust::Nothing;
        }
        if keeps_values_in_place(rewrite) { Trust::All } else { Trust::AllButQuery }
    }
}

/// Whether `then` may change what `first` printed. `true` where it is not certain.
pub(super) fn may_follow(first: &Action, trust: Trust, then: &Action) -> bool {
    let (first, then) = match (first, then) {
        (Action::Rewrite(first), Action::Rewrite(then)) => (first, then),
        (Action::Skip(_), _) | (_, Action::Skip(_)) => return false,
        _ => return true,
    };
    let (printed, pattern) = (first.becomes(), then.matches());
    let stays_fixed = || (first == then && gives_back(first)) || (only_sorts(then) && is_sorted(first));
    match trust {
        Trust::All => may_match(pattern, printed) && !stays_fixed(),
        Trust::AllButQuery => pattern.query.is_some() && all_but_query_may_agree(pattern, printed),
        Trust::Nothing => true,
    }
}

/// Whether a rule does nothing but put all parameters in order.
fn only_sorts(rewrite: &Rewrite) -> bool {
    let (from, to) = (rewrite.matches(), rewrite.becomes());
    let others = |t: &Template, wanted: bool| match t.query.as_deref() {
        Some([item]) => matches!(item.kind, QueryKind::Others { sorted } if sorted == wanted),
        _ => false,
    };
    others(from, false)
        && others(to, true)
        && (&from.scheme, &from.host, &from.path) == (&to.scheme, &to.host, &to.path)
        && !from.texts().flatten().any(|piece| *piece == Piece::Star)
}

/// Whether the parameters that a rule prints are all known, in order and separated in one way.
fn is_sorted(rewrite: &Rewrite) -> bool {
    let items = rewrite.becomes().query.as_deref().unwrap_or_default();
    items.get(1).is_none_or(|second| parameters_in_order(items, second.separator)) && !has_others(items)
}

/// Whether a query is a list of parameters sorted by name, with this separator between them.
pub(super) fn parameters_in_order(items: &[QueryItem], separator: u8) -> bool {
    let name = |item: &'_ QueryItem| match &item.kind {
        QueryKind::Param(name, _) => Some(name.clone()),
        _ => None,
    };
    let names: Option<Vec<Vec<u8>>> = items.iter().map(name).collect();
    names.is_some_and(|names| names.is_sorted())
        && items.iter().skip(1).all(|item| item.separator == separator)
}

/// `{...}` alone may be nothing, and a path that is nothing is not normal.
fn prints_path(rewrite: &Rewrite) -> bool {
    let (from, to) = (&rewrite.matches().path, &rewrite.becomes().path);
    to.iter().any(|item| matches!(item, Item::One(_))) || to.len() == from.len()
}

/// Whether a rule leaves its own result unchanged: every value is printed where it was read, or something fixed instead.
pub(super) fn gives_back(rewrite: &Rewrite) -> bool {
    paired_texts(rewrite)
        .is_some_and(|pairs| pairs.iter().all(|(read, printed)| text_gives_back(read, printed)))
}

/// The matched text of each component with the printed one; `None` if the components are not the same. Parameters are read in any order.
pub(super) fn paired_texts(rewrite: &Rewrite) -> Option<Vec<(&Text, &Text)>> {
    let (from, to) = (rewrite.matches(), rewrite.becomes());
    let mut pairs = vec![(&from.scheme, &to.scheme)];
    for (read, printed) in [(&from.host, &to.host), (&from.path, &to.path)] {
        for (read, printed) in (read.len() == printed.len()).then(|| read.iter().zip(printed))? {
            match (read, printed) {
                (Item::One(read), Item::One(printed)) => pairs.push((read, printed)),
                (Item::Rest(_), Item::Rest(_)) => {}
                _ => return None,
            }
        }
    }
    let (read, printed) = (params_by_name(from), params_by_name(to));
    let others = |t: &Template| t.query.as_deref().map(has_others);
    if read.len() != printed.len() || others(from) != others(to) {
        return None;
    }
    for ((name, read), (same, printed)) in read.into_iter().zip(printed) {
        match (read, printed) {
            _ if name != same => return None,
            (Some(read), Some(printed)) => pairs.push((read, printed)),
            (None, None) => {}
            _ => return None,
        }
    }
    Some(pairs)
}

/// The parameters of a template; those of one name stay in their order.
fn params_by_name(template: &Template) -> Vec<(&[u8], Option<&Text>)> {
    let mut params: Vec<(&[u8], Option<&Text>)> = Vec::new();
    for item in template.query.iter().flatten() {
        if let QueryKind::Param(name, value) = &item.kind {
            params.push((name, value.as_ref()));
        }
    }
    params.sort_by_key(|(name, _)| *name);
    params
}

fn text_gives_back(read: &Text, printed: &Text) -> bool {
    // Whatever stands there is replaced by the same again.
    if as_literal(printed).is_some() || printed == &[Piece::Star] {
        return true;
    }
    if let ([Piece::Hole { name, .. }], [Piece::Hole { name: same, .. }]) =
        (read.as_slice(), printed.as_slice())
    {
        return name == same;
    }
    // A `*` is found again where it was printed, unless a word of a class could hold it.
    let piece = |(read, printed): (&Piece, &Piece)| match (read, printed) {
        (Piece::Hole { class: Class::OneOf(_), .. }, _) => false,
        (Piece::Hole { name, .. }, Piece::Hole { name: same, convert, .. }) => {
            name == same && *convert == Convert::Copy
        }
        (Piece::Hole { .. }, Piece::Star) => true,
        (read, printed) => read == printed,
    };
    read.len() == printed.len() && read.iter().zip(printed).all(piece)
}

/// A value of a parameter may hold `/` or `?`: printed into a path, it would be more than one component. So every hole must be
/// printed where a value of its kind was read, and fixed text must not hold what ends its component.
pub(super) fn keeps_values_in_place(rewrite: &Rewrite) -> bool {
    let (from, to) = (kinds(rewrite.matches()), kinds(rewrite.becomes()));
    keeps_path(rewrite) && is_in_place(&from[1], &to[1], rewrite.matches())
}

/// Whether all but the query is as it was printed: components of the path may also be values of parameters.
pub(super) fn keeps_path(rewrite: &Rewrite) -> bool {
    let (from, to) = (rewrite.matches(), rewrite.becomes());
    let fixed = |text: &Option<Text>| text.as_ref().is_none_or(|text| as_literal(text).is_some());
    let ends = [b"/?#".as_slice(), b"&;#", b":/?#", b"/?#@"];
    let ([path, query, scheme, host], printed) = (kinds(from), kinds(to));
    let values = [query, path.clone()].concat();
    from.fragment.is_none()
        && to.fragment.is_none()
        && (&from.userinfo, &from.port) == (&to.userinfo, &to.port)
        && fixed(&to.userinfo)
        && fixed(&to.port)
        && [path, values, scheme, host]
            .iter()
            .zip(&printed)
            .all(|(read, printed)| is_in_place(read, printed, from))
        && printed.iter().zip(ends).all(|(text, ends)| is_free_of(text, ends))
        && names_stand(to)
}

/// Whether every hole of what is printed was read in this place, or cannot hold what ends any.
fn is_in_place(read: &Text, printed: &Text, from: &Template) -> bool {
    let name = |piece: &Piece| if let Piece::Hole { name, .. } = piece { Some(name.clone()) } else { None };
    let known: Vec<String> = read.iter().filter_map(name).collect();
    printed.iter().filter_map(name).all(|name| known.contains(&name) || is_word(from, &name))
}

/// Whether no fixed piece of `text` holds one of these bytes.
fn is_free_of(text: &Text, bytes: &[u8]) -> bool {
    let holds = |piece: &Piece| matches!(piece, Piece::Literal(b) if b.iter().any(|b| bytes.contains(b)));
    !text.iter().any(holds)
}

/// The texts of the path, the values of parameters, the scheme and the host, each as one.
fn kinds(t: &Template) -> [Text; 4] {
    let ones = |list: &List| -> Text {
        let one = |item: &Item| if let Item::One(text) = item { Some(text.clone()) } else { None };
        list.iter().filter_map(one).flatten().collect()
    };
    let query = t.query.iter().flatten().filter_map(|item| match &item.kind {
        QueryKind::Param(_, value) => value.clone(),
        _ => None,
    });
    [ones(&t.path), query.flatten().collect(), t.scheme.clone(), ones(&t.host)]
}

/// Whether every parameter that is printed would be read as one of that name.
fn names_stand(template: &Template) -> bool {
    template.query.iter().flatten().all(|item| match &item.kind {
        QueryKind::Param(name, value) => {
            !name.iter().any(|b| b"&;#=".contains(b)) && (!name.is_empty() || value.is_some())
        }
        _ => true,
    })
}

/// Whether the hole of this name holds letters and digits only, and not nothing.
fn is_word(template: &Template, name: &str) -> bool {
    let plain =
        |word: &Vec<u8>| !word.is_empty() && word.iter().all(|b| b.is_ascii_alphanumeric() || *b == b'-');
    let holds_word = |class: &Class| match class {
        Class::Any | Class::NoneOf(_) => false,
        Class::OneOf(words) => words.iter().all(plain),
        _ => true,
    };
    template.texts().flatten().any(|piece| {
        matches!(piece, Piece::Hole { name: n, class, optional: false, .. } if n == name && holds_word(class))
    })
}

/// Whether what is printed of a normal URL is normal: fixed text that is, and values that are. A path that may be nothing is left
/// to [`prints_path`].
fn prints_normal(rewrite: &Rewrite) -> bool {
    let (from, to) = (rewrite.matches(), rewrite.becomes());
    let param = |item: &QueryItem| match &item.kind {
        QueryKind::Param(name, value) => !has_strange_byte(name) && value.iter().all(is_plain_text),
        _ => true,
    };
    let lower = |item: &Item| match item {
        Item::One(text) if text == &[Piece::Star] => true,
        item => item.fixed().is_some_and(|b| !has_strange_byte(b) && !b.iter().any(u8::is_ascii_uppercase)),
    };
    let web = |scheme: &Text| matches!(as_literal(scheme), Some(b"http" | b"https"));
    (web(&to.scheme) || (to.scheme == from.scheme && !to.scheme.contains(&Piece::Star)))
        && (to.host.iter().all(lower) || keeps_host(rewrite))
        // With another scheme, a port may be the default one.
        && (to.port.is_none() || to.scheme == from.scheme)
        && !to.path.is_empty()
        && to.path.iter().all(|item| is_plain_component(item, from))
        && to.query.iter().flatten().all(param)
}

/// Text without strange bytes, in which no escape can come about where two pieces meet.
fn is_plain_text(text: &Text) -> bool {
    let plain = |piece: &Piece| !matches!(piece, Piece::Literal(bytes) if has_strange_byte(bytes));
    text.iter().all(plain) && joins_no_escape(text)
}

fn joins_no_escape(text: &Text) -> bool {
    let whole = |pair: &[Piece]| match pair {
        [Piece::Hole { .. }, Piece::Literal(next)] => !next.first().is_some_and(u8::is_ascii_hexdigit),
        [Piece::Hole { .. }, Piece::Hole { .. }] => false,
        _ => true,
    };
    let converted = |piece: &Piece| matches!(piece, Piece::Hole { convert, .. } if *convert != Convert::Copy);
    text.windows(2).all(whole) && (text.len() == 1 || !text.iter().any(converted))
}

/// Whether what is printed holds no escape to be decoded beyond those that were matched.
pub(super) fn makes_no_escape(rewrite: &Rewrite) -> bool {
    let (from, to) = (rewrite.matches(), rewrite.becomes());
    let is_copied = |text: &Text| from.texts().any(|matched| matched == text);
    let stays = |piece: &Piece| !matches!(piece, Piece::Literal(b) if !has_only_reserved_escapes(b));
    let name_stays = |item: &QueryItem| match &item.kind {
        QueryKind::Param(name, _) => has_only_reserved_escapes(name),
        _ => true,
    };
    to.texts().all(|text| is_copied(text) || (text.iter().all(stays) && joins_no_escape(text)))
        && to.query.iter().flatten().all(name_stays)
}

/// Whether a component that is printed cannot be a dot, or another spelling of one: a piece of a component could be.
fn is_plain_component(item: &Item, from: &Template) -> bool {
    let Item::One(text) = item else { return true };
    let is_component = |name: &str| {
        let whole = |text: &Text| matches!(text.as_slice(), [Piece::Hole { name: n, .. }] if n == name);
        from.path.iter().any(|item| matches!(item, Item::One(text) if whole(text)))
    };
    is_plain_text(text)
        && match text.as_slice() {
            [] | [Piece::Star, ..] => true,
            [Piece::Literal(bytes), ..] => !bytes.starts_with(b"."),
            [Piece::Hole { name, .. }] => is_component(name) || is_word(from, name),
            [Piece::Hole { name, .. }, ..] => is_word(from, name) || from.path.contains(item),
        }
}

/// Whether the host that is printed is the host that was read.
pub(super) fn keeps_host(rewrite: &Rewrite) -> bool {
    let (from, to) = (&rewrite.matches().host, &rewrite.becomes().host);
    let same = |(a, b): (&Item, &Item)| match (a, b) {
        (Item::One(a), Item::One(b)) => a == b && !b.contains(&Piece::Star),
        (Item::Rest(_), Item::Rest(convert)) => *convert == Convert::Copy,
        _ => false,
    };
    from.len() == to.len() && from.iter().zip(to).all(same)
}

/// Whether some URL printed by `printed` could be matched by `pattern`.
fn may_match(pattern: &Template, printed: &Template) -> bool {
    all_but_query_may_agree(pattern, printed)
        && queries_may_agree(pattern.query.as_deref(), printed.query.as_deref())
}

fn all_but_query_may_agree(pattern: &Template, printed: &Template) -> bool {
    texts_may_agree(&pattern.scheme, &printed.scheme)
        && lists_may_agree(&pattern.path, &printed.path)
        && lists_may_agree(&pattern.host, &printed.host)
}

fn texts_may_agree(pattern: &Text, printed: &Text) -> bool {
    if let [Piece::Hole { class: class @ Class::NoneOf(_), .. }] = pattern.as_slice() {
        let fixed = if printed.as_slice() == [Piece::Star] { Some(&b"*"[..]) } else { as_literal(printed) };
        return fixed.is_none_or(|fixed| !class.excludes(fixed));
    }
    if let [Piece::Hole { class, .. }] = pattern.as_slice()
        && !matches!(class, Class::Any | Class::OneOf(_))
    {
        return printed.iter().all(|piece| match piece {
            Piece::Literal(bytes) => bytes.iter().all(|b| class.holds(*b)),
            Piece::Star => false,
            Piece::Hole { .. } => true,
        });
    }
    match (as_literal(pattern), as_literal(printed)) {
        (Some(a), Some(b)) => a == b,
        (Some(a), None) if printed.as_slice() == [Piece::Star] => a == b"*",
        _ => true,
    }
}

fn lists_may_agree(pattern: &List, printed: &List) -> bool {
    let rest = |list: &List| list.iter().position(|item| matches!(item, Item::Rest(_)));
    let agree = |(a, b): (&Item, &Item)| match (a, b) {
        (Item::One(a), Item::One(b)) => texts_may_agree(a, b),
        _ => true,
    };
    match (rest(pattern), rest(printed)) {
        (_, Some(_)) => true,
        (None, None) => pattern.len() == printed.len() && pattern.iter().zip(printed).all(agree),
        (Some(at), None) => {
            let behind = pattern.len() - at - 1;
            printed.len() >= at + behind
                && pattern[..at].iter().zip(printed).all(agree)
                && pattern[at + 1..].iter().zip(&printed[printed.len() - behind..]).all(agree)
        }
    }
}

fn queries_may_agree(pattern: Option<&[QueryItem]>, printed: Option<&[QueryItem]>) -> bool {
    let printed_items = printed.unwrap_or_default();
    if has_others(printed_items) {
        return true;
    }
    let Some(pattern) = pattern else { return printed.is_none() };
    let count = |items: &[QueryItem]| items.iter().filter(|i| matches!(i.kind, QueryKind::Param(..))).count();
    let counts_agree = has_others(pattern) || count(pattern) == count(printed_items);
    counts_agree && pattern.iter().all(|item| item_may_agree(item, printed_items))
}

fn has_others(items: &[QueryItem]) -> bool {
    items.iter().any(|item| matches!(item.kind, QueryKind::Others { .. }))
}

fn item_may_agree(item: &QueryItem, printed: &[QueryItem]) -> bool {
    let mut values = printed.iter().filter_map(|other| match (&item.kind, &other.kind) {
        (QueryKind::Param(a, _) | QueryKind::Absent(a), QueryKind::Param(b, value)) if a == b => Some(value),
        _ => None,
    });
    match &item.kind {
        QueryKind::Param(_, wanted) => values.any(|value| match (wanted, value) {
            (Some(wanted), Some(value)) => texts_may_agree(wanted, value),
            (wanted, value) => wanted.is_none() == value.is_none(),
        }),
        QueryKind::Absent(_) => values.next().is_none(),
        QueryKind::Others { .. } => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(rules: &[(&str, &str)], last: &[bool]) {
        let actions: Vec<Box<Action>> =
            rules.iter().map(|(from, to)| Box::new(Action::rewrite(from, to).unwrap())).collect();
        let found: Vec<bool> = actions.iter().map(|action| is_last(action, &actions)).collect();
        assert_eq!(found, last);
    }

    #[test]
    fn what_no_rule_can_match_is_at_rest() {
        check(
            &[("http://a/x?t={t}&s=*", "http://a/x?t={t}"), ("http://a/p?u=*", "http://a/p?u=*")],
            &[true, true],
        );
        check(&[("http://a/x?s=*&{...}", "http://a/x?{...}")], &[false]);
        check(&[("http://a/x?a=*", "http://a/y"), ("http://a/{z}", "http://a/{z}/")], &[false, true]);
        check(&[("http://a/x", "http://b/x")], &[false]);
        check(&[("http://a/{...}/i", "http://a/{...}/")], &[true]);
        check(&[("http://a/{...}/i", "http://a/{...}")], &[false]);
        check(
            &[("http://a/x?a=1", "http://a/x?a=2"), ("http://a/x?a=2&!b&{...}", "http://a/x")],
            &[false, true],
        );
    }

    #[test]
    fn words_that_a_hole_does_not_hold() {
        let star = |holds: &'static str| {
            [("http://a/x?a=*", "http://a/q/*"), (holds, "http://a/q"), ("http://a/y", "http://a/q/new")]
        };
        check(&star("http://a/q/{x:!new|old}"), &[false, true, true]);
        check(&star("http://a/q/{x:!*|new}"), &[true, true, true]);
        check(&star("http://a/q/{x:!old}"), &[false, true, false]);
        check(&star("http://a/q/{x:!new}z"), &[false, true, false]);
        // It may hold anything else: `..` where it is printed as a component, `/` where it was a value.
        check(&[("http://a/x-{x:!a}", "http://a/b/{x}")], &[false]);
        check(&[("http://a/x?a={x:!a}", "http://a/b/{x}")], &[false]);
        check(&[("http://a/x?a={x:a|b}", "http://a/b/{x}")], &[true]);
    }
}
