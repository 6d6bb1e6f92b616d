//! Pair-wise rules (Algorithm 3): the transformation that makes one URL of another. A text of the target is a value of the
//! source, else a conversion of one, else put together from deep tokens, else given.
//!
//! Only what the target does not keep in its place is copied from: that a parameter which stays happens to have the value of
//! another one says nothing.

use std::ops::Range;

use super::deep::Part;
use super::edit::{Conversion, Edit, Expr, HostEdit, ParamEdit, PathEdit, Piece, Place, Source, TextId};
use super::view::{Cut, View, WHOLE};
use crate::intern::Interner;

/// A pair-wise rule: its transformations, which differ only in the end that the path is counted from, and the texts given.
pub(super) struct Difference {
    pub(super) edits: Vec<Edit>,
    pub(super) given: Vec<TextId>,
}

/// Whether values that change are looked at as a whole or by their deep tokens.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Depth {
    Whole,
    Deep,
}

/// Paths that differ in more components than this have nothing in common.
const MOST_COMPONENTS: usize = 12;

/// The same of URLs with so many parameters that differ.
const MOST_PARAMS: usize = 24;

/// Finds differences; its texts are those of all edits.
pub(super) struct Differ<'v, 's> {
    pub(super) view: &'v View<'s>,
    pub(super) texts: Interner,
}

/// A part of the source that may be copied from.
struct Origin<'v> {
    source: Source,
    text: &'v [u8],
    cut: Cut<'v>,
}

/// A difference in the making.
struct Draft {
    depth: Depth,
    given: Vec<TextId>,
    patterns: Vec<(Source, u32)>,
}

impl<'v, 's> Differ<'v, 's> {
    pub(super) fn new(view: &'v View<'s>) -> Differ<'v, 's> {
        Differ { view, texts: Interner::new() }
    }

    fn fixed(&mut self, text: &[u8]) -> TextId {
        self.texts.intern(text)
    }

    /// What makes the URL `target` of the URL `source`, in as many ways as it can be said: a value of which some deep tokens
    /// change is irrelevant as a whole, perhaps.
    pub(super) fn differences(&mut self, source: u32, target: u32) -> impl Iterator<Item = Difference> {
        let deep = self.difference(source, target, Depth::Deep);
        let is_deep = deep.as_ref().is_some_and(|d| d.edits.iter().any(|edit| !edit.patterns.is_empty()));
        let whole = is_deep.then(|| self.difference(source, target, Depth::Whole)).flatten();
        let path = deep.as_ref().and_then(without_path);
        deep.into_iter().chain(whole).chain(path)
    }

    fn difference(&mut self, source: u32, target: u32, depth: Depth) -> Option<Difference> {
        let view = self.view;
        let mut draft = Draft { depth, given: Vec::new(), patterns: Vec::new() };
        let scheme = (view.scheme(source) != view.scheme(target))
            .then(|| vec![self.given(view.text(view.scheme(target)), &mut draft)]);
        let host = self.host(source, target, &mut draft);
        let port = [source, target].map(|row| view.port(row).map(|value| self.fixed(view.text(value))));
        if changed_params(view, source, target) > MOST_PARAMS {
            return None;
        }
        let (before, after) = common_ends(view.path(source), view.path(target));
        let origins = origins(view, source, target, before, after);
        let path = self.path(source, target, (before, after), &origins, &mut draft)?;
        let params = self.params(source, target, &origins, &mut draft)?;
        draft.patterns.sort_unstable();
        draft.patterns.dedup();
        let edit =
            Edit { scheme, host, port: (port[0], port[1]), path: None, params, patterns: draft.patterns };
        let edits = match path {
            PathDraft::Same => vec![edit],
            PathDraft::ConvertAll(conversion) => {
                vec![Edit { path: Some(PathEdit::ConvertAll(conversion)), ..edit }]
            }
            PathDraft::Components { removed, added } => places(before, after)
                .map(|place| PathEdit::Components { place, removed, added: added.clone() })
                .map(|path| Edit { path: Some(path), ..edit.clone() })
                .collect(),
        };
        Some(Difference { edits, given: draft.given })
    }

    fn given(&mut self, text: &[u8], draft: &mut Draft) -> Piece {
        draft.given.push(self.fixed(text));
        Piece::Given(draft.given.len() as u16 - 1)
    }

    fn host(&mut self, source: u32, target: u32, draft: &mut Draft) -> Option<HostEdit> {
        let view = self.view;
        let [from, to] = [source, target].map(|row| view.host(row));
        if from == to {
            return None;
        }
        let labels = |value: u32| view.text(value).split(|b| *b == b'.').collect::<Vec<&[u8]>>();
        let (from, to) = (labels(from), labels(to));
        let same = from.iter().rev().zip(to.iter().rev()).take_while(|(a, b)| a == b).count();
        let removed = from[..from.len() - same].iter().map(|label| self.fixed(label)).collect();
        let added = to[..to.len() - same].iter().map(|label| vec![self.given(label, draft)]).collect();
        Some(HostEdit { removed, added })
    }

    fn path(
        &mut self,
        source: u32,
        target: u32,
        (before, after): (usize, usize),
        origins: &[Origin<'v>],
        draft: &mut Draft,
    ) -> Option<PathDraft> {
        let view = self.view;
        let (from, to) = (view.path(source), view.path(target));
        let removed = from.len() - before - after;
        let new = &to[before..to.len() - after];
        if removed == 0 && new.is_empty() {
            return Some(PathDraft::Same);
        }
        if removed.max(new.len()) > MOST_COMPONENTS {
            return None;
        }
        if let Some(conversion) = self.converted_path(from, to) {
            return Some(PathDraft::ConvertAll(conversion));
        }
        let mut added = Vec::with_capacity(new.len());
        for (i, &value) in new.iter().enumerate() {
            let cut = view.cut_segment(value, before + i, to.len());
            let counterpart = (removed == new.len()).then_some(Source::Removed(i as u16));
            added.push(self.expr(view.text(value), cut, counterpart, origins, draft));
        }
        Some(PathDraft::Components { removed: removed as u16, added })
    }

    /// The conversion that makes one path of another, component by component.
    fn converted_path(&self, from: &[u32], to: &[u32]) -> Option<Conversion> {
        if from.len() != to.len() {
            return None;
        }
        let makes = |conversion: &&Conversion| {
            from.iter().zip(to).all(|(a, b)| conversion.makes(self.view.text(*a), self.view.text(*b)))
        };
        Conversion::REAL.iter().find(makes).copied()
    }

    fn params(
        &mut self,
        source: u32,
        target: u32,
        origins: &[Origin<'v>],
        draft: &mut Draft,
    ) -> Option<Vec<(u32, ParamEdit)>> {
        let view = self.view;
        let mut params = Vec::new();
        for (key, value) in view.params(source) {
            match view.param(target, key) {
                None => params.push((key, ParamEdit::Delete)),
                Some(becomes) if becomes != value => {
                    let expr = self.param(key, becomes, Some(Source::Param(key)), origins, draft);
                    params.push((key, ParamEdit::Change(expr)));
                }
                Some(_) => {}
            }
        }
        for (key, value) in view.params(target) {
            if view.param(source, key).is_none() {
                let expr = self.param(key, value, None, origins, draft);
                params.push((key, ParamEdit::Add(expr)));
            }
        }
        params.sort_unstable_by_key(|(key, _)| *key);
        // Of a repeated parameter, a rule cannot say which one it means.
        params.iter().all(|(key, _)| view.param_key(*key).nth == 0).then_some(params)
    }

    fn param(
        &mut self,
        key: u32,
        value: u32,
        counterpart: Option<Source>,
        origins: &[Origin<'v>],
        draft: &mut Draft,
    ) -> Expr {
        let cut = self.view.cut_param(key, value);
        self.expr(self.view.text(value), cut, counterpart, origins, draft)
    }

    /// How `text` comes from the source. `counterpart` is what it was before.
    fn expr(
        &mut self,
        text: &[u8],
        cut: Cut,
        counterpart: Option<Source>,
        origins: &[Origin<'v>],
        draft: &mut Draft,
    ) -> Expr {
        if text.is_empty() {
            return Vec::new();
        }
        if let Some(copy) = whole_copy(text, counterpart, origins) {
            return vec![copy];
        }
        let before = origins.iter().find(|origin| Some(origin.source) == counterpart);
        if before.is_some_and(|before| draft.depth == Depth::Whole || !shares_tokens(before, text, cut)) {
            return vec![self.given(text, draft)];
        }
        // The deep tokens of what it was are what is spoken of.
        draft.patterns.extend(before.map(|o| (o.source, o.cut.pattern)).filter(|(_, p)| *p != WHOLE));
        let mut pieces = Vec::new();
        let mut holes = cut.holes.iter();
        for part in &self.view.pattern(cut.pattern).parts {
            match part {
                Part::Fixed(fixed) => pieces.push(Piece::Fixed(self.fixed(fixed))),
                Part::Hole(_) => {
                    let hole = holes.next().map_or(text, |r| token(text, r));
                    let copy = hole_copy(hole, counterpart, origins, &mut draft.patterns);
                    pieces.push(copy.unwrap_or_else(|| self.given(hole, draft)));
                }
            }
        }
        pieces
    }
}

/// The same for URLs of any path: pages such as a login wall are behind them all. What copies from the path cannot be said so.
fn without_path(difference: &Difference) -> Option<Difference> {
    let edit = difference.edits.first()?;
    edit.path.as_ref()?;
    let is_open = |piece: &Piece| !matches!(piece, Piece::Fixed(_));
    let params = edit.params.iter().filter_map(|(_, edit)| edit.expr());
    let mut texts = edit.scheme.iter().chain(params).flatten();
    if edit.host.is_some() || texts.any(is_open) {
        return None;
    }
    let path = PathEdit::Components { place: Place::All, removed: 0, added: vec![vec![Piece::Star]] };
    let edit = Edit { path: Some(path), patterns: Vec::new(), ..edit.clone() };
    Some(Difference { edits: vec![edit], given: Vec::new() })
}

/// What becomes of a path, its place not yet said.
enum PathDraft {
    Same,
    ConvertAll(Conversion),
    Components { removed: u16, added: Vec<Expr> },
}

/// How many components two paths have in common at their start, and then at their end.
fn common_ends(from: &[u32], to: &[u32]) -> (usize, usize) {
    let before = from.iter().zip(to).take_while(|(a, b)| a == b).count();
    let (from, to) = (&from[before..], &to[before..]);
    let after = from.iter().rev().zip(to.iter().rev()).take_while(|(a, b)| a == b).count();
    (before, after)
}

/// The places by which a change may be known: from an end that it touches, else from either.
fn places(before: usize, after: usize) -> impl Iterator<Item = Place> {
    let (start, end) = (Place::Start(before as u16), Place::End(after as u16));
    let places = match (before, after) {
        (0, 0) => [Some(Place::Whole), None],
        (0, _) => [Some(start), None],
        (_, 0) => [Some(end), None],
        _ => [Some(start), Some(end)],
    };
    places.into_iter().flatten()
}

/// How many parameters are in one of two URLs only, or differ.
fn changed_params(view: &View, source: u32, target: u32) -> usize {
    let changed = view.params(source).filter(|(key, value)| view.param(target, *key) != Some(*value));
    let added = view.params(target).filter(|(key, _)| view.param(source, *key).is_none());
    changed.chain(added).take(MOST_PARAMS + 1).count()
}

/// The parts of the source that are not in the target as they were.
fn origins<'v>(view: &'v View, source: u32, target: u32, before: usize, after: usize) -> Vec<Origin<'v>> {
    let path = view.path(source);
    let removed = path[before..path.len() - after].iter().enumerate().map(|(i, &value)| Origin {
        source: Source::Removed(i as u16),
        text: view.text(value),
        cut: view.cut_segment(value, before + i, path.len()),
    });
    let params = view.params(source).filter(|&(key, value)| view.param(target, key) != Some(value));
    let params = params.map(|(key, value)| Origin {
        source: Source::Param(key),
        text: view.text(value),
        cut: view.cut_param(key, value),
    });
    removed.chain(params).collect()
}

/// Texts shorter than this are the same in two places by accident.
const MIN_COPIED: usize = 2;

fn whole_copy(text: &[u8], counterpart: Option<Source>, origins: &[Origin]) -> Option<Piece> {
    let copy = |origin: &Origin, convert| Piece::Copy { source: origin.source, hole: None, convert };
    let is_counterpart = |origin: &&Origin| Some(origin.source) == counterpart;
    let real = Conversion::REAL.into_iter();
    if let Some(before) = origins.iter().find(is_counterpart)
        && let Some(convert) = real.clone().find(|convert| convert.makes(before.text, text))
    {
        return Some(copy(before, convert));
    }
    let other = || origins.iter().filter(|origin| text.len() >= MIN_COPIED && !is_counterpart(origin));
    let same = other().find(|origin| origin.text == text).map(|origin| copy(origin, Conversion::None));
    same.or_else(|| {
        let made = |convert: Conversion| {
            other().find(|origin| convert.makes(origin.text, text)).map(|origin| copy(origin, convert))
        };
        real.clone().find_map(made)
    })
}

/// Whether two values have the same structure, or a deep token in common.
fn shares_tokens(before: &Origin, text: &[u8], cut: Cut) -> bool {
    let is_before = |hole: &[u8]| before.cut.holes.iter().any(|r| token(before.text, r) == hole);
    before.cut.pattern == cut.pattern
        || cut.holes.iter().any(|r| is_before(token(text, r)))
        || (cut.holes.is_empty() && is_before(text))
}

fn token<'t>(text: &'t [u8], range: &Range<u32>) -> &'t [u8] {
    &text[range.start as usize..range.end as usize]
}

/// A deep token of the source that is `text`. The pattern that the source must have is noted.
fn hole_copy(
    text: &[u8],
    counterpart: Option<Source>,
    origins: &[Origin],
    patterns: &mut Vec<(Source, u32)>,
) -> Option<Piece> {
    let is_counterpart = |origin: &Origin| Some(origin.source) == counterpart;
    let fits = |origin: &&Origin| {
        origin.cut.pattern != WHOLE && (text.len() >= MIN_COPIED || is_counterpart(origin))
    };
    let found = |origin: &Origin| origin.cut.holes.iter().position(|r| token(origin.text, r) == text);
    let mut ranked: Vec<&Origin> = origins.iter().filter(fits).collect();
    ranked.sort_by_key(|origin| !is_counterpart(origin));
    let (origin, hole) = ranked.into_iter().find_map(|origin| Some((origin, found(origin)?)))?;
    patterns.push((origin.source, origin.cut.pattern));
    let hole = Some(hole as u16);
    Some(Piece::Copy { source: origin.source, hole, convert: Conversion::None })
}
