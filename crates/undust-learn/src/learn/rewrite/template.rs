//! From a generalized rule to the common rule language.

use undust::rules::template::{Convert, Fragment, Item, Piece, QueryItem, QueryKind, Template, Text, literal};
use undust::rules::{Action, Rewrite};

use super::generalize::STAR;
use super::maps::{MapKey, Maps};
use super::specific::{From, Skeleton};
use crate::site::Site;

/// The rule in the common language; `None` when it cannot be said in it, or says nothing. The identity of maps with several
/// parameters does say something: print them in this order.
pub(super) fn action(site: &Site, maps: &Maps, skeleton: &Skeleton, cells: &[u32]) -> Option<Action> {
    let source = maps.keys(skeleton.source);
    let target = maps.keys(skeleton.target);
    let copied = |i: usize| skeleton.from.contains(&From::Copy(i as u16));
    let name = |i: usize| hole_name(&source[i], i);
    let taken = |i: usize| match cells[i] {
        STAR if copied(i) => vec![Piece::hole(name(i))],
        STAR => vec![Piece::Star],
        value => literal(site.value(value)),
    };
    let given = |from: &From| match *from {
        From::Copy(i) if cells[i as usize] == STAR => vec![Piece::hole(name(i as usize))],
        From::Copy(i) => literal(site.value(cells[i as usize])),
        From::Literal(n) => match cells[source.len() + n as usize] {
            STAR => vec![Piece::Star],
            value => literal(site.value(value)),
        },
    };
    let mut matches = template(source, (0..source.len()).map(taken), maps.separator(skeleton.source));
    let becomes = template(target, skeleton.from.iter().map(given), maps.separator(skeleton.target));
    if matches.host == [Item::One(vec![Piece::Star])] {
        matches.host = vec![Item::Rest(Convert::Copy)];
    }
    let reorders = becomes.query.as_ref().is_some_and(|items| items.len() > 1);
    (matches != becomes || has_star(&becomes) || reorders).then_some(())?;
    Rewrite::new(matches, becomes).ok().map(Action::Rewrite)
}

fn has_star(template: &Template) -> bool {
    template.texts().flatten().any(|piece| *piece == Piece::Star)
}

/// A readable name: the parameter's own where it is a word.
fn hole_name(key: &MapKey, number: usize) -> String {
    match key {
        MapKey::Param(name, 0) if name.iter().all(|b| b.is_ascii_alphanumeric() || *b == b'_') && !name.is_empty() => {
            String::from_utf8_lossy(name).into_owned()
        }
        // A dash, which the names of such parameters have not, keeps these apart from them.
        MapKey::Segment(i) => format!("path-{}", i + 1),
        _ => format!("value-{number}"),
    }
}

fn template(keys: &[MapKey], texts: impl Iterator<Item = Text>, separator: u8) -> Template {
    let mut template = Template {
        scheme: Vec::new(),
        userinfo: None,
        host: Vec::new(),
        port: None,
        path: Vec::new(),
        query: None,
        fragment: None,
    };
    let mut query = Vec::new();
    for (key, text) in keys.iter().zip(texts) {
        match key {
            MapKey::Scheme => template.scheme = text,
            MapKey::Userinfo => template.userinfo = Some(text),
            MapKey::Host => template.host = host(text),
            MapKey::Port => template.port = Some(text),
            MapKey::Segment(_) => template.path.push(Item::One(text)),
            MapKey::Param(name, _) => query.push(QueryKind::Param(name.clone(), Some(text))),
            MapKey::Flag(name, _) => query.push(QueryKind::Param(name.clone(), None)),
            MapKey::Fragment => template.fragment = Some(Fragment::Text(text)),
        }
    }
    // By name, as `{sorted(...)}` has it: all rules of a site print parameters in one order.
    query.sort_by(|a, b| param_name(a).cmp(param_name(b)));
    if !query.is_empty() {
        let item = |(i, kind)| QueryItem { separator: if i == 0 { b'&' } else { separator }, kind };
        template.query = Some(query.into_iter().enumerate().map(item).collect());
    }
    template
}

fn param_name(kind: &QueryKind) -> &[u8] {
    match kind {
        QueryKind::Param(name, _) | QueryKind::Absent(name) => name,
        QueryKind::Others { .. } => b"",
    }
}

/// A fixed host label by label; an open one as any labels.
fn host(text: Text) -> Vec<Item> {
    match text.as_slice() {
        [Piece::Literal(bytes)] if !bytes.starts_with(b"[") => {
            bytes.split(|b| *b == b'.').map(|label| Item::One(literal(label))).collect()
        }
        [Piece::Hole { .. }] => vec![Item::Rest(Convert::Copy)],
        _ => vec![Item::One(text)],
    }
}
