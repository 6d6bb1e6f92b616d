//! Pair-wise rules (Algorithm 3): the transformation that makes one URL of another. A text of the target is a value of the
//! source, else a conversion of one, else put together from deep tokens, else given.
//!
//! Only what the target does not keep in its place is copied from: that a parameter which stays happens to have the value of
//! another one says nothing.

use std::ops::Range;

use undust::rules::template::Convert;

use super::deep::Part;
use super::edit::{
    CONVERSIONS, Edit, Expr, HostEdit, ParamEdit, PathEdit, Piece, Place, Source, TextId, makes,
};
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

/// Number of path components that differ; paths with more have nothing in common.
const MAX_DIFFERING_COMPONENTS: usize = 12;
/// Number of parameters that differ, likewise.
const MAX_DIFFERING_PARAMS: usize = 24;
/// Length of a copied text in bytes; shorter ones are the same in two places by accident.
const MIN_COPIED_BYTES: usize = 2;

/// Finds differences; its texts are those of all edits.
pub(super) struct Differ<'v, 's> {
    view: &'v View<'s>,
    pub(super) texts: Interner,
}

impl<'v, 's> Differ<'v, 's> {
    pub(super) fn new(view: &'v View<'s>) -> Differ<'v, 's> {
        Differ { view, texts: Interner::new() }
    }

    /// What makes the URL `target` of the URL `source`, in as many ways as it can be said: a value of which some deep tokens
    /// change is irrelevant as a whole, perhaps, and so is the whole path.
    pub(super) fn differences(&mut self, source: u32, target: u32) -> impl Iterator<Item = Difference> {
        let deep = self.difference(source, target, Depth::Deep);
        let is_deep = deep.as_ref().is_some_and(|d| d.edits.iter().any(|edit| !edit.patterns.is_empty()));
        let whole = is_deep.then(|| self.difference(source, target, Depth::Whole)).flatten();
        let path = deep.as_ref().and_then(without_path);
        deep.into_iter().chain(whole).chain(path)
    }

    /// Nothing if it cannot be said, or if the URLs have little in common.
    fn difference(&mut self, source: u32, target: u32, depth: Depth) -> Option<Difference> {
        if changed_params(self.view, source, target) > MAX_DIFFERING_PARAMS {
            return None;
        }
        Comparison::new(self, source, target, depth).difference()
    }
}

/// A part of the source that may be copied from.
struct Origin<'v> {
    source: Source,
    text: &'v [u8],
    cut: Cut<'v>,
}

/// Two URLs that are compared.
struct Comparison<'d, 'v, 's> {
    view: &'v View<'s>,
    texts: &'d mut Interner,
    source: u32,
    target: u32,
    depth: Depth,
    /// How many components the paths have in common at their start, and at their end.
    common: (usize, usize),
    origins: Vec<Origin<'v>>,
    /// Texts that are no part of the source.
    given: Vec<TextId>,
    /// The patterns of parts whose deep tokens are spoken of.
    patterns: Vec<(Source, u32)>,
}

impl<'d, 'v, 's> Comparison<'d, 'v, 's> {
    fn new(differ: &'d mut Differ<'v, 's>, source: u32, target: u32, depth: Depth) -> Comparison<'d, 'v, 's> {
        let view = differ.view;
        let common = common_ends(view.path(source), view.path(target));
        Comparison {
            view,
            texts: &mut differ.texts,
            source,
            target,
            depth,
            common,
            origins: origins(view, source, target, common),
            given: Vec::new(),
            patterns: Vec::new(),
        }
    }

    fn difference(mut self) -> Option<Difference> {
        let scheme = self.scheme();
        let host = self.host();
        let port = (self.port(self.source), self.port(self.target));
        let paths = self.paths()?;
        let params = self.params()?;
        self.patterns.sort_unstable();
        self.patterns.dedup();
        let edit = Edit { scheme, host, port, path: None, params, patterns: self.patterns };
        let edits = paths.into_iter().map(|path| Edit { path, ..edit.clone() }).collect();
        Some(Difference { edits, given: self.given })
    }

    fn give(&mut self, text: &[u8]) -> Piece {
        self.given.push(self.texts.intern(text));
        Piece::Given(self.given.len() as u16 - 1)
    }

    fn scheme(&mut self) -> Option<Expr> {
        let [from, to] = [self.source, self.target].map(|row| self.view.scheme(row));
        (from != to).then(|| vec![self.give(self.view.text(to))])
    }

    fn host(&mut self) -> Option<HostEdit> {
        let [from, to] = [self.source, self.target].map(|row| self.view.text(self.view.host(row)));
        if from == to {
            return None;
        }
        let [from, to] = [from, to].map(|host| host.split(|b| *b == b'.').collect::<Vec<&[u8]>>());
        let same = from.iter().rev().zip(to.iter().rev()).take_while(|(a, b)| a == b).count();
        let removed = from[..from.len() - same].iter().map(|label| self.texts.intern(label)).collect();
        let added = to[..to.len() - same].iter().map(|label| vec![self.give(label)]).collect();
        Some(HostEdit { removed, added })
    }

    fn port(&mut self, row: u32) -> Option<TextId> {
        self.view.port(row).map(|value| self.texts.intern(self.view.text(value)))
    }

    /// What becomes of the path, once for each place by which the change may be known.
    fn paths(&mut self) -> Option<Vec<Option<PathEdit>>> {
        let (from, to) = (self.view.path(self.source), self.view.path(self.target));
        let (before, after) = self.common;
        let removed = from.len() - before - after;
        let new = &to[before..to.len() - after];
        if removed == 0 && new.is_empty() {
            return Some(vec![None]);
        }
        if removed.max(new.len()) > MAX_DIFFERING_COMPONENTS {
            return None;
        }
        if let Some(conversion) = self.converted_path(from, to) {
            return Some(vec![Some(PathEdit::ConvertAll(conversion))]);
        }
        let added = self.components(new, before, to.len(), removed);
        let removed = removed as u16;
        let edit = |place| Some(PathEdit::Components { place, removed, added: added.clone() });
        Some(places(before, after).map(edit).collect())
    }

    /// How components of the target, which begin at `before` in a path of `count`, come from the source.
    fn components(&mut self, new: &[u32], before: usize, count: usize, removed: usize) -> Vec<Expr> {
        let mut added = Vec::with_capacity(new.len());
        for (i, &value) in new.iter().enumerate() {
            let counterpart = (removed == new.len()).then_some(Source::Removed(i as u16));
            let cut = self.view.cut_segment(value, before + i, count);
            added.push(self.expr(self.view.text(value), cut, counterpart));
        }
        added
    }

    /// The conversion that makes one path of another, component by component.
    fn converted_path(&self, from: &[u32], to: &[u32]) -> Option<Convert> {
        if from.len() != to.len() {
            return None;
        }
        let makes_path = |convert: &Convert| {
            from.iter().zip(to).all(|(a, b)| makes(*convert, self.view.text(*a), self.view.text(*b)))
        };
        CONVERSIONS.into_iter().find(makes_path)
    }

    fn params(&mut self) -> Option<Vec<(u32, ParamEdit)>> {
        let view = self.view;
        let mut params = Vec::new();
        for (key, value) in view.params(self.source) {
            match view.param(self.target, key) {
                None => params.push((key, ParamEdit::Delete)),
                Some(becomes) if becomes != value => {
                    params.push((key, ParamEdit::Change(self.param(key, becomes, Some(Source::Param(key))))));
                }
                Some(_) => {}
            }
        }
        for (key, value) in view.params(self.target) {
            if view.param(self.source, key).is_none() {
                params.push((key, ParamEdit::Add(self.param(key, value, None))));
            }
        }
        params.sort_unstable_by_key(|(key, _)| *key);
        // Of a repeated parameter, a rule cannot say which one it means.
        params.iter().all(|(key, _)| view.param_key(*key).nth == 0).then_some(params)
    }

    fn param(&mut self, key: u32, value: u32, counterpart: Option<Source>) -> Expr {
        self.expr(self.view.text(value), self.view.cut_param(key, value), counterpart)
    }

    /// How `text` comes from the source. `counterpart` is what it was before.
    fn expr(&mut self, text: &[u8], cut: Cut, counterpart: Option<Source>) -> Expr {
        if text.is_empty() {
            return Vec::new();
        }
        if let Some(copy) = whole_copy(text, counterpart, &self.origins) {
            return vec![copy];
        }
        if let Some(before) = self.origins.iter().find(|origin| Some(origin.source) == counterpart) {
            if self.depth == Depth::Whole || !shares_tokens(before, text, cut) {
                return vec![self.give(text)];
            }
            if before.cut.pattern != WHOLE {
                self.patterns.push((before.source, before.cut.pattern));
            }
        }
        self.tokens(text, cut, counterpart)
    }

    /// `text` put together from deep tokens.
    fn tokens(&mut self, text: &[u8], cut: Cut, counterpart: Option<Source>) -> Expr {
        let mut pieces = Vec::new();
        let mut holes = cut.holes.iter();
        for part in &self.view.pattern(cut.pattern).parts {
            match part {
                Part::Fixed(fixed) => pieces.push(Piece::Fixed(self.texts.intern(fixed))),
                Part::Hole(_) => {
                    let hole = holes.next().map_or(text, |range| token(text, range));
                    let copy = self.hole_copy(hole, counterpart);
                    pieces.push(copy.unwrap_or_else(|| self.give(hole)));
                }
            }
        }
        pieces
    }

    /// A deep token of the source that is `text`. The pattern that the source must have is noted.
    fn hole_copy(&mut self, text: &[u8], counterpart: Option<Source>) -> Option<Piece> {
        let is_counterpart = |origin: &Origin| Some(origin.source) == counterpart;
        let found = |origin: &Origin| {
            let may_copy =
                origin.cut.pattern != WHOLE && (text.len() >= MIN_COPIED_BYTES || is_counterpart(origin));
            let hole =
                origin.cut.holes.iter().position(|range| may_copy && token(origin.text, range) == text);
            hole.map(|hole| (origin.source, origin.cut.pattern, hole as u16))
        };
        let own = self.origins.iter().filter(|origin| is_counterpart(origin)).find_map(found);
        let (source, pattern, hole) = own.or_else(|| self.origins.iter().find_map(found))?;
        self.patterns.push((source, pattern));
        Some(Piece::Copy { source, hole: Some(hole), convert: Convert::Copy })
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
    changed.chain(added).take(MAX_DIFFERING_PARAMS + 1).count()
}

/// The parts of the source that are not in the target as they were.
fn origins<'v>(view: &'v View, source: u32, target: u32, (before, after): (usize, usize)) -> Vec<Origin<'v>> {
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

/// A part of the source that is `text`, or is when it is converted; first of all, what it was before.
fn whole_copy(text: &[u8], counterpart: Option<Source>, origins: &[Origin]) -> Option<Piece> {
    let is_counterpart = |origin: &&Origin| Some(origin.source) == counterpart;
    let made = |origin: &Origin, conversions: &[Convert]| {
        let convert = *conversions.iter().find(|convert| makes(**convert, origin.text, text))?;
        Some(Piece::Copy { source: origin.source, hole: None, convert })
    };
    let own = origins.iter().find(is_counterpart).and_then(|origin| made(origin, &CONVERSIONS));
    let others = || origins.iter().filter(|origin| text.len() >= MIN_COPIED_BYTES && !is_counterpart(origin));
    own.or_else(|| others().find_map(|origin| made(origin, &[Convert::Copy])))
        .or_else(|| others().find_map(|origin| made(origin, &CONVERSIONS)))
}

/// Whether two values have the same structure, or a deep token in common.
fn shares_tokens(before: &Origin, text: &[u8], cut: Cut) -> bool {
    let is_before = |hole: &[u8]| before.cut.holes.iter().any(|range| token(before.text, range) == hole);
    before.cut.pattern == cut.pattern
        || cut.holes.iter().any(|range| is_before(token(text, range)))
        || (cut.holes.is_empty() && is_before(text))
}

fn token<'t>(text: &'t [u8], range: &Range<u32>) -> &'t [u8] {
    &text[range.start as usize..range.end as usize]
}
