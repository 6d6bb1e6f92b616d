//! Rules that only drop, keep or order parameters: all that most formats can say, as a thing of its own, read from rules and made into rules.

use undust::rules::template::{
    Class, Convert, Fragment, Item, List, Piece, QueryItem, QueryKind, Template, Text,
};
use undust::rules::template::{as_literal, literal};
use undust::rules::{Action, Rewrite};
use undust::url::SiteBy;

use crate::active::ActiveRule;

/// What a rule does to the parameters of which URLs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ParamRule {
    /// The only scheme it matches.
    pub(crate) scheme: Option<String>,
    pub(crate) hosts: Hosts,
    /// The port of all of them; none is the usual one.
    pub(crate) port: Option<String>,
    pub(crate) path: Path,
    pub(crate) change: Change,
}

/// Which hosts.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Hosts {
    Every,
    /// This domain and all hosts below it.
    Below(String),
    Only(String),
}

/// Which paths.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Path {
    Any,
    /// `/a/b`
    Exact(String),
    /// `/a/`, for `/a` and all that stands below it.
    Under(String),
    /// Any path that begins so, also in the middle of a component. (Of other tools alone: our rules have no such thing.)
    Starts(String),
}

/// What happens to the parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// One is dropped.
    Drop(String),
    /// All are dropped.
    DropAll,
    /// Where this one is there, all others are dropped.
    KeepOnly(String),
    /// They are put in order.
    Sort,
}

/// What `rule` says, if it is about parameters alone.
pub(crate) fn param_rule(rule: &ActiveRule) -> Result<ParamRule, String> {
    let Action::Rewrite(rewrite) = &rule.action else {
        return Err("it replaces text, and the format only knows parameters".into());
    };
    let (from, to) = (rewrite.matches(), rewrite.becomes());
    let apart = |template: &Template| Template { query: None, ..template.clone() };
    if !stays(&apart(from), &apart(to)) {
        return Err("it changes more than parameters".into());
    }
    if from.userinfo.is_some() || matches!(from.fragment, Some(Fragment::Text(_))) {
        return Err("it asks for a user or a fragment".into());
    }
    Ok(ParamRule {
        scheme: scheme(&from.scheme)?,
        hosts: hosts(rule, &from.host)?,
        port: from.port.as_ref().map(port).transpose()?,
        path: path(&from.path)?,
        change: change(from, to)?,
    })
}

/// Whether `to` prints what `from` matches.
pub(crate) fn stays(from: &Template, to: &Template) -> bool {
    let mut copied = from.clone();
    for piece in copied.texts_mut().flatten() {
        if let Piece::Hole { class, optional, .. } = piece {
            (*class, *optional) = (Class::Any, false);
        }
    }
    copied == *to
}

fn scheme(text: &Text) -> Result<Option<String>, String> {
    match as_literal(text) {
        Some(fixed) => as_text(fixed).map(Some),
        None if is_any(text) => Ok(None),
        None => Err("it asks for some schemes".into()),
    }
}

fn port(text: &Text) -> Result<String, String> {
    as_literal(text).ok_or("it asks for some ports".to_owned()).and_then(as_text)
}

/// Whether it is a single hole that takes anything, if only something.
fn is_any(text: &Text) -> bool {
    matches!(text.as_slice(), [Piece::Star | Piece::Hole { class: Class::Any, .. }])
}

/// Rules may speak of bytes that are no text; other tools do not.
pub(crate) fn as_text(bytes: &[u8]) -> Result<String, String> {
    String::from_utf8(bytes.to_vec()).map_err(|_| "it matches bytes that are no text".to_owned())
}

fn hosts(rule: &ActiveRule, list: &List) -> Result<Hosts, String> {
    let named = match list.as_slice() {
        [Item::Rest(_)] => None,
        [Item::Rest(_), end @ ..] => Some(Hosts::Below(fixed(end, ".")?)),
        all => Some(Hosts::Only(fixed(all, ".")?)),
    };
    let site = match (rule.holds_everywhere(), rule.site_by) {
        (true, _) => None,
        (false, SiteBy::Domain) => Some(Hosts::Below(rule.site.to_owned())),
        (false, SiteBy::Host) => Some(Hosts::Only(rule.site.to_owned())),
    };
    let both = match (named, site) {
        (Some(one), Some(other)) => one.and(other).ok_or("it matches a host outside its site")?,
        (one, other) => one.or(other).unwrap_or(Hosts::Every),
    };
    match rule.but.iter().find(|but| both.reaches(but)) {
        Some(but) => Err(format!("{but} has rules of its own, so that this one does not hold there")),
        None => Ok(both),
    }
}

impl Hosts {
    /// The hosts that are among both.
    fn and(self, other: Hosts) -> Option<Hosts> {
        let narrow = |one: Hosts, wide: &Hosts| wide.holds(&one).then_some(one);
        narrow(self.clone(), &other).or_else(|| narrow(other, &self))
    }

    /// Whether all of `other` are among these.
    pub(crate) fn holds(&self, other: &Hosts) -> bool {
        match (self, other) {
            (Hosts::Every, _) => true,
            (Hosts::Below(domain), Hosts::Below(host) | Hosts::Only(host)) => is_below(host, domain),
            _ => self == other,
        }
    }

    /// Whether some host of the site `name` is among these.
    fn reaches(&self, name: &str) -> bool {
        match self {
            Hosts::Every => true,
            Hosts::Below(domain) => is_below(name, domain) || is_below(domain, name),
            Hosts::Only(host) => is_below(host, name),
        }
    }
}

/// Whether `host` is `domain` or stands below it.
pub(crate) fn is_below(host: &str, domain: &str) -> bool {
    host.strip_suffix(domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

fn fixed(items: &[Item], separator: &str) -> Result<String, String> {
    let texts: Option<Vec<&[u8]>> = items.iter().map(Item::fixed).collect();
    let texts = texts.ok_or("it asks for a pattern of hosts or paths that the format cannot say")?;
    as_text(&texts.join(separator.as_bytes()))
}

fn path(list: &List) -> Result<Path, String> {
    match list.as_slice() {
        [] => Err("it matches URLs without a path".into()),
        [Item::Rest(_)] => Ok(Path::Any),
        [start @ .., Item::Rest(_)] => Ok(Path::Under(format!("/{}/", fixed(start, "/")?))),
        all => Ok(Path::Exact(format!("/{}", fixed(all, "/")?))),
    }
}

fn change(from: &Template, to: &Template) -> Result<Change, String> {
    let (Some(before), after) = (&from.query, &to.query) else {
        return Err("it matches URLs without parameters".into());
    };
    let before: Vec<&QueryKind> = before.iter().map(|item| &item.kind).collect();
    let after: Vec<&QueryKind> = after.iter().flatten().map(|item| &item.kind).collect();
    match (before.as_slice(), after.as_slice()) {
        ([QueryKind::Others { .. }], []) if to.query.is_none() => Ok(Change::DropAll),
        ([QueryKind::Others { .. }], [kind]) if **kind == QueryKind::SORTED => Ok(Change::Sort),
        (
            [QueryKind::Others { .. }, QueryKind::Param(name, value)]
            | [QueryKind::Param(name, value), QueryKind::Others { .. }],
            after,
        ) if value.as_ref().is_some_and(is_any) => match after {
            [kind] if **kind == QueryKind::OTHERS => Ok(Change::Drop(as_text(name)?)),
            [QueryKind::Param(kept, copy)] if kept == name && *copy == value.as_ref().map(copy_of) => {
                Ok(Change::KeepOnly(as_text(name)?))
            }
            _ => Err(OTHER_CHANGE.into()),
        },
        _ => Err(OTHER_CHANGE.into()),
    }
}

const OTHER_CHANGE: &str = "it does more than drop one parameter, whatever its value";

fn copy_of(text: &Text) -> Text {
    let copy = |piece: &Piece| match piece {
        Piece::Hole { name, .. } => Piece::hole(name.clone()),
        other => other.clone(),
    };
    text.iter().map(copy).collect()
}

impl ParamRule {
    /// The port as it stands behind a host.
    pub(crate) fn colon_port(&self) -> String {
        self.port.as_ref().map_or(String::new(), |port| format!(":{port}"))
    }

    /// A rule that says it, to stand under a site that holds its hosts.
    pub(crate) fn action(&self) -> Result<Action, String> {
        let (before, after) = self.change.queries();
        let from = Template {
            scheme: self
                .scheme
                .as_ref()
                .map_or_else(|| vec![Piece::hole("scheme")], |s| literal(s.as_bytes())),
            host: match &self.hosts {
                Hosts::Only(host) => {
                    host.split('.').map(|label| Item::One(literal(label.as_bytes()))).collect()
                }
                Hosts::Every | Hosts::Below(_) => vec![Item::Rest(Convert::Copy)],
            },
            port: self.port.as_ref().map(|port| literal(port.as_bytes())),
            path: self.path.list(),
            query: before,
            ..Template::default()
        };
        let mut to = Template { query: after, ..from.clone() };
        for text in to.texts_mut() {
            *text = copy_of(text);
        }
        Rewrite::new(from, to).map(Action::Rewrite).map_err(|error| error.to_string())
    }
}

impl Path {
    fn list(&self) -> List {
        let components = |path: &str| -> List {
            let inside = path.strip_prefix('/').unwrap_or(path);
            inside.split('/').map(|component| Item::One(literal(component.as_bytes()))).collect()
        };
        let rest = Item::Rest(Convert::Copy);
        match self {
            Path::Any => vec![rest],
            Path::Exact(path) => components(path),
            Path::Under(path) => {
                let mut list = components(path.strip_suffix('/').unwrap_or(path));
                list.push(rest);
                list
            }
            Path::Starts(path) => {
                let mut list = components(path);
                if let Some(Item::One(last)) = list.last_mut() {
                    last.push(hole_for("more", true));
                }
                list.push(rest);
                list
            }
        }
    }
}

fn hole_for(name: &str, optional: bool) -> Piece {
    Piece::Hole { name: name.to_owned(), class: Class::Any, optional, convert: Convert::Copy }
}

impl Change {
    /// The query before and after it.
    fn queries(&self) -> (Option<Vec<QueryItem>>, Option<Vec<QueryItem>>) {
        let item = |kind: QueryKind| QueryItem { separator: b'&', kind };
        let others = |sorted: bool| item(if sorted { QueryKind::SORTED } else { QueryKind::OTHERS });
        let param =
            |name: &str, value: Piece| item(QueryKind::Param(name.as_bytes().to_vec(), Some(vec![value])));
        match self {
            Change::Drop(name) => {
                (Some(vec![param(name, hole_for("", true)), others(false)]), Some(vec![others(false)]))
            }
            Change::DropAll => (Some(vec![others(false)]), None),
            Change::KeepOnly(name) => {
                let kept = param(name, hole_for("value", true));
                (Some(vec![kept, others(false)]), Some(vec![param(name, Piece::hole("value"))]))
            }
            Change::Sort => (Some(vec![others(false)]), Some(vec![others(true)])),
        }
    }
}
