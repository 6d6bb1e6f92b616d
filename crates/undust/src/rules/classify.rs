//! The classes in which rewrite 5.2 counts rules: DUST, IRP and REGX.

use serde::{Deserialize, Serialize};

use super::template::{Filter, Item, Piece, QueryItem, QueryKind, Template, Text};
use super::{Action, Rewrite};

/// The class of a rule in the rewrite paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
// The name and the description in the published schema.
#[cfg_attr(
    feature = "schema",
    schemars(rename = "Class3", description = "What kind of change a rule makes.")
)]
#[serde(rename_all = "UPPERCASE")]
pub enum RuleClass {
    /// One substring becomes another, whatever stands around it.
    Dust,
    /// Some path components, host labels or parameters do not matter.
    Irp,
    /// Everything else: values that move, conversions, several changes at once.
    Regx,
}

impl RuleClass {
    /// The name the paper uses.
    pub fn name(self) -> &'static str {
        match self {
            RuleClass::Dust => "DUST",
            RuleClass::Irp => "IRP",
            RuleClass::Regx => "REGX",
        }
    }
}

/// The class of a rule; none if it changes nothing.
pub fn classify(action: &Action) -> Option<RuleClass> {
    match action {
        Action::Substitute(_) => Some(RuleClass::Dust),
        Action::Rewrite(rewrite) if is_irrelevance(rewrite) => Some(RuleClass::Irp),
        Action::Rewrite(rewrite) if is_substitution(rewrite) => Some(RuleClass::Dust),
        Action::Rewrite(_) => Some(RuleClass::Regx),
        Action::Skip(_) => None,
    }
}

/// Some component keeps its place and loses its value (a hole in the match, `*` or nothing in the rewrite), and nothing
/// else changes but for parameters left out.
fn is_irrelevance(rewrite: &Rewrite) -> bool {
    let (from, to) = (rewrite.matches(), rewrite.becomes());
    let fixed = [(&from.scheme, &to.scheme)];
    let lists = zip_lists(from, to);
    let Some(lists) = lists else { return false };
    let mut lost = 0;
    for (a, b) in fixed.into_iter().chain(lists) {
        match change(a, b) {
            Change::None => {}
            Change::Lost => lost += 1,
            Change::Other => return false,
        }
    }
    match query_losses(from.query.as_deref(), to.query.as_deref()) {
        Some(more) => from.port == to.port && from.userinfo == to.userinfo && lost + more > 0,
        None => false,
    }
}

enum Change {
    None,
    Lost,
    Other,
}

fn change(from: &Text, to: &Text) -> Change {
    let open = |text: &Text| matches!(text.as_slice(), [Piece::Star | Piece::Hole { .. }]);
    if to.as_slice() == [Piece::Star] && open(from) {
        Change::Lost
    } else if same(from, to) {
        Change::None
    } else {
        Change::Other
    }
}

/// The same value, though a match may say more of it (a class) than a rewrite.
fn same(from: &Text, to: &Text) -> bool {
    from.len() == to.len()
        && from.iter().zip(to).all(|pair| match pair {
            (Piece::Hole { name: a, .. }, Piece::Hole { name: b, convert, .. }) => {
                a == b && *convert == super::Convert::Copy
            }
            (a, b) => a == b,
        })
}

/// Host labels and path components side by side, where both templates have the same number of them.
fn zip_lists<'t>(from: &'t Template, to: &'t Template) -> Option<Vec<(&'t Text, &'t Text)>> {
    if from.host.len() != to.host.len() || from.path.len() != to.path.len() {
        return None;
    }
    let mut pairs = Vec::new();
    for items in from.host.iter().zip(&to.host).chain(from.path.iter().zip(&to.path)) {
        match items {
            (Item::One(a), Item::One(b)) => pairs.push((a, b)),
            (Item::Rest(a), Item::Rest(b)) if a == b => {}
            _ => return None,
        }
    }
    Some(pairs)
}

/// How many parameters lose an open value or are left out with it; `None` when the query changes otherwise.
fn query_losses(from: Option<&[QueryItem]>, to: Option<&[QueryItem]>) -> Option<usize> {
    let (from, to) = (from.unwrap_or_default(), to.unwrap_or_default());
    let value = |name: &[u8], items: &'_ [QueryItem]| -> Option<Option<Text>> {
        items.iter().find_map(|item| match &item.kind {
            QueryKind::Param(n, v) if n == name => Some(v.clone()),
            _ => None,
        })
    };
    let mut lost = 0;
    for item in from {
        let QueryKind::Param(name, before) = &item.kind else { continue };
        let open = before.as_ref().is_some_and(|t| t.iter().any(|p| !matches!(p, Piece::Literal(_))));
        match value(name, to) {
            None if open => lost += 1,
            None => return None,
            Some(after) => match (before, &after) {
                (Some(a), Some(b)) => match change(a, b) {
                    Change::None => {}
                    Change::Lost => lost += 1,
                    Change::Other => return None,
                },
                (None, None) => {}
                _ => return None,
            },
        }
    }
    let filters = |item: &&QueryItem| {
        matches!(&item.kind, QueryKind::Others { filter: Filter::Only(_) | Filter::Without(_), .. })
    };
    lost += to.iter().filter(filters).count();
    let known = |item: &QueryItem| match &item.kind {
        QueryKind::Param(name, _) => value(name, from).is_some(),
        QueryKind::Others { sorted, filter } => !sorted && !matches!(filter, Filter::With(_)),
        QueryKind::AnyName(..) | QueryKind::Absent(_) | QueryKind::If(..) | QueryKind::Unless(..) => true,
    };
    to.iter().all(known).then_some(lost)
}

/// With the longest common start and end taken away, nothing but fixed text is left on either side.
fn is_substitution(rewrite: &Rewrite) -> bool {
    let flat = |t: &Template| {
        let mut atoms = super::parse::atoms(&t.to_string()).unwrap_or_default();
        for atom in &mut atoms {
            // A class is only said once, in the match.
            if let super::parse::Atom::Brace(inside) = atom {
                inside.truncate(inside.find([':', '?']).unwrap_or(inside.len()));
            }
        }
        atoms
    };
    let (a, b) = (flat(rewrite.matches()), flat(rewrite.becomes()));
    let start = a.iter().zip(&b).take_while(|(x, y)| x == y).count();
    let (a, b) = (&a[start..], &b[start..]);
    let end = a.iter().rev().zip(b.iter().rev()).take_while(|(x, y)| x == y).count();
    let fixed = |atoms: &[super::parse::Atom]| {
        atoms.iter().all(|x| matches!(x, super::parse::Atom::Byte(_) | super::parse::Atom::Quoted(_)))
    };
    fixed(&a[..a.len() - end]) && fixed(&b[..b.len() - end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn is(class: RuleClass, from: &str, to: &str) {
        let action = Action::rewrite(from, to).expect("well formed");
        assert_eq!(classify(&action), Some(class), "{action}");
    }

    /// rewrite 5.2, with the examples of its sections 1 and 3.2.
    #[test]
    fn classes_of_the_paper() {
        use RuleClass::{Dust, Irp, Regx};
        is(Irp, "http://www.xyz.com/show.php?sid={sid}", "http://www.xyz.com/show.php?sid=*");
        is(Irp, "http://www.xyz.com/show.php?sid={sid}&{...}", "http://www.xyz.com/show.php?{...}");
        is(Irp, "http://www.amazon.com/{title}/dp/{asin}", "http://www.amazon.com/*/dp/{asin}");
        is(Irp, "http://{mirror}.php.net/{...}", "http://*.php.net/{...}");
        is(Irp, "http://a.com/{id:digits}/{x}", "http://a.com/{id}/*");
        is(Dust, "http://ag.arizona.edu/{...}/index.html", "http://ag.arizona.edu/{...}");
        is(Dust, "http://domain/story?id={n}", "http://domain/story_{n}");
        is(Dust, "http://en.wikipedia.org/?title={t}", "http://en.wikipedia.org/wiki/{t}");
        is(Dust, "http://a.com/title/tt{id:digits}/photogallery", "http://a.com/title/tt{id}/mediaindex");
        is(Dust, "https://{...}/{...}", "http://{...}/{...}");
        is(Dust, "http://a.com/?x=1&{...}", "http://a.com/?{...}");
        is(Regx, "http://www.xyz.com/show?page={p}", "http://www.xyz.com/{p}/index.html");
        is(Regx, "http://domain/show.php?a={a}&b={b}", "http://domain/show.php?b={b}&a={a}");
        is(Regx, "http://allrecipes.com/{k}/{...}", "http://allrecipes.com/{upper(k)}/{...}");
        is(Regx, "http://a.com/{m}/display?pageid={p}", "http://a.com/*/{p}/display?sid=*");
        is(Regx, "http://a.com/?{...}", "http://a.com/?{sorted(...)}");
        is(Irp, "http://a.com/?{if b}&{...}", "http://a.com/?{only(a)}");
        is(Irp, "http://a.com/?{...}", "http://a.com/?{without(a|b=1)}");
        is(Regx, "http://a.com/?{...}", "http://a.com/?{sorted(without(a|b=1))}");
        is(Regx, "http://a.com/?{...}", "http://a.com/?{with(a=1)}");
        is(Regx, "http://www.a.com/{t}/dp/{x}", "http://www.a.com/dp/{x}");
        let substitution = Action::substitute("/index.html$", "$").expect("well formed");
        assert_eq!(classify(&substitution), Some(Dust));
        assert_eq!(classify(&Action::skip("http://a.com/?p=*").expect("well formed")), None);
    }
}
