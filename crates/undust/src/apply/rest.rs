//! Is a URL at rest once a rule has fired? For most rules that can be told when they are compiled: what they print is normal,
//! and no rule of the site can match it. Then the engine need not look at the result again.

use crate::rules::template::{
    Class, Convert, Item, List, Piece, QueryItem, QueryKind, Template, Text, as_literal,
};
use crate::rules::{Action, Rewrite};
use crate::url::has_strange_byte;

/// Whether neither normalising nor any rule among `rules` can change what `rule`, one of them, prints of a normal URL. `false`
/// where that is not certain.
pub(super) fn is_last(rule: &Action, rules: &[impl std::ops::Deref<Target = Action>]) -> bool {
    let Action::Rewrite(rewrite) = rule else { return false };
    stays_on_host(rewrite)
        && is_tame(rewrite, true)
        && prints_path(rewrite)
        && rules.iter().all(|other| !may_follow(rule, other, true))
}

/// On another host, another site's rules may hold.
fn stays_on_host(rewrite: &Rewrite) -> bool {
    let (from, to) = (rewrite.matches(), rewrite.becomes());
    from.host == to.host && to.host.iter().all(|item| item.fixed().is_some())
}

/// Whether `then` may change what `first` printed, normalised where that is done. `true` where it is not certain.
pub(super) fn may_follow(first: &Action, then: &Action, normalize: bool) -> bool {
    match (first, then) {
        (Action::Rewrite(first), Action::Rewrite(then)) => {
            let at_rest = || (first == then && gives_back(first)) || (only_sorts(then) && is_sorted(first));
            !is_tame(first, normalize) || (may_match(then.matches(), first.becomes()) && !at_rest())
        }
        _ => true,
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

/// Whether a URL that was printed is what the rewrite says, component by component, and stays so when it is normalised.
pub(super) fn is_tame(rewrite: &Rewrite, normalize: bool) -> bool {
    keeps_values_in_place(rewrite) && (!normalize || prints_normal(rewrite))
}

/// Whether a rule gives back what it printed: every value is printed where it was read, or something fixed instead.
pub(super) fn gives_back(rewrite: &Rewrite) -> bool {
    let (from, to) = (rewrite.matches(), rewrite.becomes());
    let items = |(a, b): (&Item, &Item)| match (a, b) {
        (Item::One(a), Item::One(b)) => text_gives_back(a, b),
        (Item::Rest(_), Item::Rest(_)) => true,
        _ => false,
    };
    let lists = |a: &List, b: &List| a.len() == b.len() && a.iter().zip(b).all(items);
    text_gives_back(&from.scheme, &to.scheme)
        && lists(&from.host, &to.host)
        && lists(&from.path, &to.path)
        && query_gives_back(from.query.as_deref(), to.query.as_deref())
}

fn query_gives_back(from: Option<&[QueryItem]>, to: Option<&[QueryItem]>) -> bool {
    let (Some(from), Some(to)) = (from, to) else { return from.is_none() && to.is_none() };
    let there: Vec<&QueryItem> =
        from.iter().filter(|item| !matches!(item.kind, QueryKind::Absent(_))).collect();
    let same = |(a, b): (&&QueryItem, &QueryItem)| match (&a.kind, &b.kind) {
        (QueryKind::Param(a, None), QueryKind::Param(b, None)) => a == b,
        (QueryKind::Param(a, Some(read)), QueryKind::Param(b, Some(printed))) => {
            a == b && text_gives_back(read, printed)
        }
        (QueryKind::Others { .. }, QueryKind::Others { .. }) => true,
        _ => false,
    };
    there.len() == to.len() && there.iter().zip(to).all(same)
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
    let (from, to) = (rewrite.matches(), rewrite.becomes());
    let names = |text: &Text| -> Vec<String> {
        text.iter()
            .filter_map(|p| if let Piece::Hole { name, .. } = p { Some(name.clone()) } else { None })
            .collect()
    };
    let plain = |t: &Template| t.userinfo.is_none() && t.port.is_none() && t.fragment.is_none();
    let in_place = |(read, printed): (&Text, &Text)| {
        let known = names(read);
        names(printed).iter().all(|name| known.contains(name) || is_word(from, name))
    };
    plain(from)
        && plain(to)
        && kinds(from).iter().zip(&kinds(to)).all(in_place)
        && kinds(to)
            .iter()
            .zip([b"/?#".as_slice(), b"&;#", b":/?#", b"/?#@"])
            .all(|(text, ends)| is_free_of(text, ends))
        && names_stand(to)
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
        Class::Any => false,
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
        && !to.path.is_empty()
        && to.path.iter().all(|item| is_plain_component(item, from))
        && to.query.iter().flatten().all(param)
}

/// Text without strange bytes, in which no escape can come about where two pieces meet.
fn is_plain_text(text: &Text) -> bool {
    let plain = |piece: &Piece| !matches!(piece, Piece::Literal(bytes) if has_strange_byte(bytes));
    let whole = |pair: &[Piece]| match pair {
        [Piece::Hole { .. }, Piece::Literal(next)] => !next.first().is_some_and(u8::is_ascii_hexdigit),
        [Piece::Hole { .. }, Piece::Hole { .. }] => false,
        _ => true,
    };
    let converted = |piece: &Piece| matches!(piece, Piece::Hole { convert, .. } if *convert != Convert::Copy);
    text.iter().all(plain) && text.windows(2).all(whole) && (text.len() == 1 || !text.iter().any(converted))
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
    texts_may_agree(&pattern.scheme, &printed.scheme)
        && lists_may_agree(&pattern.path, &printed.path)
        && queries_may_agree(pattern.query.as_deref(), printed.query.as_deref())
        && lists_may_agree(&pattern.host, &printed.host)
}

fn texts_may_agree(pattern: &Text, printed: &Text) -> bool {
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
}
