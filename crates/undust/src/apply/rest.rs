//! Is a URL at rest once a rule has fired? For most rules that can be told when they are compiled: what they print is normal,
//! and no rule of the site can match it. Then the engine need not look at the result again.

use crate::rules::template::{Convert, Item, List, Piece, QueryItem, QueryKind, Template, Text, as_literal};
use crate::rules::{Action, Rewrite};
use crate::url::has_strange_byte;

/// Whether neither normalising nor any rule among `rules` can change what `rule`, one of them, prints of a normal URL. `false`
/// where that is not certain.
pub(super) fn is_last(rule: &Action, rules: &[impl std::ops::Deref<Target = Action>]) -> bool {
    let Action::Rewrite(rewrite) = rule else { return false };
    stays_on_host(rewrite)
        && keeps_values_in_place(rewrite)
        && prints_normal(rewrite)
        && rules.iter().all(|other| match &**other {
            Action::Substitute(_) => false,
            // What it takes and what it prints look the same: it gives back what it printed.
            Action::Rewrite(same) if same == rewrite && same.matches() == same.becomes() => true,
            Action::Rewrite(other) => !may_match(other.matches(), rewrite.becomes()),
        })
}

/// On another host, another site's rules may hold.
fn stays_on_host(rewrite: &Rewrite) -> bool {
    let (from, to) = (rewrite.matches(), rewrite.becomes());
    from.host == to.host && to.host.iter().all(|item| item.fixed().is_some())
}

/// A value of a parameter may hold `/` or `?`: printed into a path, it would be more than one component. So every hole must be
/// printed where a value of its kind was read.
fn keeps_values_in_place(rewrite: &Rewrite) -> bool {
    let (from, to) = (rewrite.matches(), rewrite.becomes());
    let kinds = |t: &Template| {
        let path = t
            .path
            .iter()
            .filter_map(|item| if let Item::One(text) = item { Some(text.clone()) } else { None });
        let query = t.query.iter().flatten().filter_map(|item| match &item.kind {
            QueryKind::Param(_, value) => value.clone(),
            _ => None,
        });
        [path.flatten().collect::<Text>(), query.flatten().collect(), t.scheme.clone()]
    };
    let names = |text: &Text| -> Vec<String> {
        text.iter()
            .filter_map(|p| if let Piece::Hole { name, .. } = p { Some(name.clone()) } else { None })
            .collect()
    };
    let plain = |t: &Template| t.userinfo.is_none() && t.port.is_none() && t.fragment.is_none();
    let in_place = |(read, printed): (&Text, &Text)| {
        let known = names(read);
        names(printed).iter().all(|name| known.contains(name))
    };
    plain(from) && plain(to) && kinds(from).iter().zip(&kinds(to)).all(in_place)
}

/// Whether what is printed of a normal URL is normal: fixed text that is, and values taken as they are.
fn prints_normal(rewrite: &Rewrite) -> bool {
    let (from, to) = (rewrite.matches(), rewrite.becomes());
    let plain = |bytes: &[u8]| !has_strange_byte(bytes);
    let piece_is_plain = |piece: &Piece| match piece {
        Piece::Literal(bytes) => plain(bytes),
        Piece::Star => true,
        Piece::Hole { convert, .. } => *convert == Convert::Copy,
    };
    // A piece of a component could be a dot: only whole components are taken over.
    let component = |item: &Item| match item {
        Item::Rest(convert) => *convert == Convert::Copy,
        Item::One(text) => match as_literal(text) {
            Some(bytes) => plain(bytes) && !bytes.starts_with(b"."),
            None => from.path.contains(item) || text.as_slice() == [Piece::Star],
        },
    };
    let param = |item: &QueryItem| match &item.kind {
        QueryKind::Param(name, value) => plain(name) && value.iter().flatten().all(piece_is_plain),
        _ => true,
    };
    let lower = |item: &Item| item.fixed().is_some_and(|b| plain(b) && !b.iter().any(u8::is_ascii_uppercase));
    let web = |scheme: &Text| matches!(as_literal(scheme), Some(b"http" | b"https"));
    (web(&to.scheme) || to.scheme == from.scheme)
        && to.host.iter().all(lower)
        // {...} alone may be nothing, and a path that is nothing is not normal.
        && to.path.iter().any(|item| matches!(item, Item::One(_)))
        && to.path.iter().all(component)
        && to.query.iter().flatten().all(param)
}

/// Whether some URL printed by `printed` could be matched by `pattern`.
fn may_match(pattern: &Template, printed: &Template) -> bool {
    texts_may_agree(&pattern.scheme, &printed.scheme)
        && lists_may_agree(&pattern.path, &printed.path)
        && queries_may_agree(pattern.query.as_deref(), printed.query.as_deref())
        && lists_may_agree(&pattern.host, &printed.host)
}

fn texts_may_agree(pattern: &Text, printed: &Text) -> bool {
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
        check(&[("http://a/{...}/i", "http://a/{...}/")], &[false]);
        check(
            &[("http://a/x?a=1", "http://a/x?a=2"), ("http://a/x?a=2&!b&{...}", "http://a/x")],
            &[false, true],
        );
    }
}
