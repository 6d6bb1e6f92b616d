//! Key form and URL form. A canonical key may hold `*` and serves for equality; a canonical URL must be fetchable.

use std::borrow::Cow;

use crate::rules::template::{Class, Convert, Fragment, Item, List, Piece, QueryKind, Template, Text};
use crate::rules::{Action, Rewrite};

/// The kind of canonical form: a key for equality, or a URL to fetch.
///
/// ```
/// use undust::{Action, Canonicalizer, Form, Rule, RuleSet, Scratch, SiteBy};
///
/// let rule = Rule::new(Action::rewrite("http://example.com/{title}/{id:digits}", "http://example.com/*/{id}")?);
/// let set = RuleSet::of_site("example.com", SiteBy::Domain, vec![rule]);
/// let canonical = |form| {
///     let canonicalizer = Canonicalizer::new(&set, form)?;
///     let canonical = canonicalizer.canonicalize_str("http://example.com/news/7", &mut Scratch::new());
///     Ok::<_, undust::CompileError>(canonical.into_owned())
/// };
/// assert_eq!(canonical(Form::Key)?, "http://example.com/*/7");
/// assert_eq!(canonical(Form::Url)?, "http://example.com/news/7");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// A key for equality: irrelevant values are `*`.
    #[default]
    Key,
    /// A URL to fetch: irrelevant values stay as they were.
    Url,
}

/// `action` in this form; `None` where it has none: a skip changes nothing, and in URL form every `*` needs a value of the URL in its place.
#[doc(hidden)]
pub fn in_form(action: &Action, form: Form) -> Option<Cow<'_, Action>> {
    match (form, action) {
        (Form::Url, Action::Rewrite(rewrite)) => fetchable(rewrite).map(|r| Cow::Owned(Action::Rewrite(r))),
        (_, Action::Skip(_)) => None,
        _ => Some(Cow::Borrowed(action)),
    }
}

/// The rule with every `*` of its rewrite filled from the same place of the URL; `None` when some `*` has no such place.
fn fetchable(rewrite: &Rewrite) -> Option<Rewrite> {
    let (mut from, mut to) = (rewrite.matches().clone(), rewrite.becomes().clone());
    let mut fill = Fill { next: 0 };
    fill.text(&mut from.scheme, &mut to.scheme)?;
    fill.option(from.userinfo.as_mut(), to.userinfo.as_mut())?;
    fill.list(&mut from.host, &mut to.host)?;
    fill.option(from.port.as_mut(), to.port.as_mut())?;
    fill.list(&mut from.path, &mut to.path)?;
    fill.query(&mut from, &mut to)?;
    if let Some(Fragment::Text(after)) = &mut to.fragment {
        let before = if let Some(Fragment::Text(before)) = &mut from.fragment { Some(before) } else { None };
        fill.option(before, Some(after))?;
    }
    Rewrite::new(from, to).ok()
}

/// Names the holes that fill stars; `*0` can be no name a person wrote.
struct Fill {
    next: u32,
}

impl Fill {
    fn text(&mut self, from: &mut Text, to: &mut Text) -> Option<()> {
        for i in 0..to.len() {
            if to[i] == Piece::Star {
                let source = if from.len() == to.len() { from.get_mut(i) } else { None };
                to[i] = self.name(source?)?;
            }
        }
        Some(())
    }

    /// A copy of what `source` matches, which gets a name if it has none.
    fn name(&mut self, source: &mut Piece) -> Option<Piece> {
        let (class, optional) = match source {
            Piece::Literal(_) => return None,
            Piece::Hole { name, .. } if !name.is_empty() => return Some(Piece::hole(name.clone())),
            Piece::Hole { class, optional, .. } => (class.clone(), *optional),
            Piece::Star => (Class::Any, false),
        };
        let name = format!("*{}", self.next);
        self.next += 1;
        *source = Piece::Hole { name: name.clone(), class, optional, convert: Convert::Copy };
        Some(Piece::hole(name))
    }

    fn option(&mut self, from: Option<&mut Text>, to: Option<&mut Text>) -> Option<()> {
        match (from, to) {
            (Some(from), Some(to)) => self.text(from, to),
            (None, Some(to)) => self.text(&mut Vec::new(), to),
            (_, None) => Some(()),
        }
    }

    fn list(&mut self, from: &mut List, to: &mut List) -> Option<()> {
        let aligned = from.len() == to.len();
        for (i, item) in to.iter_mut().enumerate() {
            let Item::One(after) = item else { continue };
            match from.get_mut(i) {
                Some(Item::One(before)) if aligned => self.text(before, after)?,
                _ => self.text(&mut Vec::new(), after)?,
            }
        }
        Some(())
    }

    fn query(&mut self, from: &mut Template, to: &mut Template) -> Option<()> {
        let mut seen: Vec<Vec<u8>> = Vec::new();
        for item in to.query.iter_mut().flatten() {
            let QueryKind::Param(name, after) = &mut item.kind else { continue };
            // Of a repeated parameter, the n-th fills the n-th.
            let nth = seen.iter().filter(|n| *n == name).count();
            let mut named = from.query.iter_mut().flatten().filter_map(|item| match &mut item.kind {
                QueryKind::Param(n, before) if n == name => Some(before.as_mut()),
                _ => None,
            });
            self.option(named.nth(nth).flatten(), after.as_mut())?;
            seen.push(name.clone());
        }
        Some(())
    }
}
