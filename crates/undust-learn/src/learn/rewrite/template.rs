//! From a generalized rule to the common rule language.

use undust::rules::template::{
    Convert, Fragment, Item, Piece, QueryItem, QueryKind, Template, Text, literal,
};
use undust::rules::{Action, Rewrite};

use super::generalize::STAR;
use super::maps::{MapKey, Maps};
use super::specific::{From, Skeleton};
use crate::learn::template_helpers;
use crate::site::Site;

/// The rule in the common language; `None` when it cannot be said in it, or says nothing. The identity of maps with several
/// parameters does say something: print them in this order.
pub(super) fn action(site: &Site, maps: &Maps, skeleton: &Skeleton, cells: &[u32]) -> Option<Action> {
    let source = maps.keys(skeleton.source);
    let target = maps.keys(skeleton.target);
    let of_host = target.iter().position(|key| *key == MapKey::Host).map(|at| skeleton.from[at]);
    // A host is several labels, which one hole cannot print.
    let moved_host = matches!(of_host, Some(From::Copy(i)) if source[i as usize] != MapKey::Host);
    (!moved_host).then_some(())?;
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
    let mut becomes = template(target, skeleton.from.iter().map(given), maps.separator(skeleton.target));
    let any_host = [Item::One(vec![Piece::Star])];
    if matches.host == any_host {
        matches.host = vec![Item::Rest(Convert::Copy)];
    }
    if becomes.host == any_host {
        // The key must name the site still: the same path on another site's mirrors is another page.
        becomes.host.extend(host(literal(site.name.as_bytes())));
    }
    let reorders = becomes.query.as_ref().is_some_and(|items| items.len() > 1);
    (matches != becomes || has_star(&becomes) || reorders).then_some(())?;
    Rewrite::new(matches, becomes).ok().map(Action::Rewrite)
}

fn has_star(template: &Template) -> bool {
    template.texts().flatten().any(|piece| *piece == Piece::Star)
}

fn hole_name(key: &MapKey, number: usize) -> String {
    let own = match key {
        MapKey::Param(name, 0) => template_helpers::param_name(name),
        MapKey::Segment(i) => Some(format!("path-{}", i + 1)),
        _ => None,
    };
    own.unwrap_or_else(|| format!("value-{number}"))
}

/// The template of URLs with these keys, whose values are these texts.
pub(super) fn template(keys: &[MapKey], texts: impl Iterator<Item = Text>, separator: u8) -> Template {
    let mut template = Template::default();
    let mut query = Vec::new();
    for (key, text) in keys.iter().zip(texts) {
        match key {
            MapKey::Scheme => template.scheme = text,
            MapKey::Userinfo => template.userinfo = Some(text),
            MapKey::Host => template.host = host(text),
            MapKey::Port => template.port = Some(text),
            MapKey::Segment(_) => template.path.push(Item::One(text)),
            MapKey::Param(name, nth) => query.push((name, nth, Some(text))),
            MapKey::Flag(name, nth) => query.push((name, nth, None)),
            MapKey::Fragment => template.fragment = Some(Fragment::Text(text)),
        }
    }
    // By name, as `{sorted(...)}` has it: all rules of a site print parameters in one order.
    query.sort_by_key(|(name, nth, _)| (*name, *nth));
    if !query.is_empty() {
        let item = |(i, (name, _, text)): (usize, (&Vec<u8>, _, _))| QueryItem {
            separator: if i == 0 { b'&' } else { separator },
            kind: QueryKind::Param(name.clone(), text),
        };
        template.query = Some(query.into_iter().enumerate().map(item).collect());
    }
    template
}

/// A fixed host label by label; an open one as any labels.
fn host(text: Text) -> Vec<Item> {
    match text.as_slice() {
        [Piece::Literal(bytes)] => template_helpers::host(bytes),
        [Piece::Hole { .. }] => vec![Item::Rest(Convert::Copy)],
        _ => vec![Item::One(text)],
    }
}
