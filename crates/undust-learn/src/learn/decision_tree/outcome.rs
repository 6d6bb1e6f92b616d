//! What a transformation makes of the site's URLs, and whether that is right: the hash of the result is enough to know.

use std::cell::Cell;
use std::ops::Range;

use xxhash_rust::xxh3::xxh3_64;

use super::edit::{Edit, HostEdit, ParamEdit, PathEdit, Piece, Source};
use super::view::{Cut, View, host_hash, param_hash, path_hash, port_hash, scheme_hash};
use crate::intern::Interner;

/// What became of a URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It leads to a URL of the same page, or becomes equal to another one of it.
    Right,
    /// The same with another page.
    Wrong,
    /// No other URL is the same, and none becomes the same as far as that was looked at.
    Alone,
}

/// A URL that a transformation changes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Outcome {
    pub(super) row: u32,
    pub(super) shape: u32,
    pub(super) verdict: Verdict,
    /// A row that it is made equal to, itself if there is none.
    pub(super) joins: u32,
}

/// Runs transformations on rows.
pub(super) struct Applier<'v, 's> {
    pub(super) view: &'v View<'s>,
    pub(super) texts: &'v Interner,
    /// Transformations with a star that were run on many URLs.
    large_stars: Cell<usize>,
}

/// Outcomes of some of the URLs that a transformation changes, ordered by shape.
pub(super) struct Outcomes {
    pub(super) list: Vec<Outcome>,
    /// One URL in this number was looked at.
    pub(super) step: u64,
}

/// Number of URLs looked at where each tells by itself.
const MAX_URLS: usize = 2048;

/// Number of transformations with a star that are run on more than [`MAX_URLS`].
const MAX_LARGE_STARS: usize = 16;

impl<'v, 's> Applier<'v, 's> {
    pub(super) fn new(view: &'v View<'s>, texts: &'v Interner) -> Applier<'v, 's> {
        Applier { view, texts, large_stars: Cell::new(0) }
    }

    /// What becomes of the URLs that `edit` changes. URLs with a star are right or wrong only together, so that all are needed.
    pub(super) fn outcomes(&self, edit: &Edit) -> Outcomes {
        let shapes: Vec<&[u32]> =
            self.view.rows_by_shape().filter(|rows| self.may_apply(edit, rows[0])).collect();
        let urls: usize = shapes.iter().map(|rows| rows.len()).sum();
        if edit.stars() > 0 && urls > MAX_URLS {
            // Each looks at all URLs: without a limit, the time would grow with the square of the site.
            self.large_stars.set(self.large_stars.get() + 1);
            if self.large_stars.get() > MAX_LARGE_STARS {
                return Outcomes { list: Vec::new(), step: 1 };
            }
        }
        let step = if edit.stars() > 0 { 1 } else { urls.div_ceil(MAX_URLS).max(1) };
        let mut list = Vec::new();
        let mut made: Vec<(u64, u32)> = Vec::new();
        let mut buffer = Vec::new();
        for &row in shapes.into_iter().flatten().step_by(step) {
            let Some(hash) = self.result(edit, row, &mut buffer) else { continue };
            match self.view.find(hash) {
                Some(joins) => list.push(self.outcome(row, self.verdict(row, joins), joins)),
                None if step > 1 => list.push(self.outcome(row, Verdict::Alone, row)),
                None => made.push((hash, row)),
            }
        }
        made.sort_unstable();
        for equal in made.chunk_by(|a, b| a.0 == b.0) {
            self.judge_equal(equal, &mut list);
        }
        list.sort_unstable_by_key(|outcome| (outcome.shape, outcome.row));
        Outcomes { list, step: step as u64 }
    }

    fn outcome(&self, row: u32, verdict: Verdict, joins: u32) -> Outcome {
        Outcome { row, shape: self.view.site.shape_of(row), verdict, joins }
    }

    fn verdict(&self, row: u32, other: u32) -> Verdict {
        let site = self.view.site;
        if site.cluster(row) == site.cluster(other) { Verdict::Right } else { Verdict::Wrong }
    }

    /// URLs that become one that nobody has seen: the page that most of them are of is right.
    fn judge_equal(&self, equal: &[(u64, u32)], found: &mut Vec<Outcome>) {
        if let [(_, row)] = *equal {
            return found.push(self.outcome(row, Verdict::Alone, row));
        }
        let cluster = |row: u32| self.view.site.cluster(row);
        let mut pages: Vec<u32> = equal.iter().map(|&(_, row)| cluster(row)).collect();
        pages.sort_unstable();
        let largest = pages.chunk_by(|a, b| a == b).max_by_key(|page| page.len()).map(|page| page[0]);
        let Some(kept) = equal.iter().map(|&(_, row)| row).find(|&row| Some(cluster(row)) == largest) else {
            return;
        };
        found.push(self.outcome(kept, Verdict::Alone, kept));
        let others = equal.iter().map(|&(_, row)| row).filter(|&row| row != kept);
        found.extend(others.map(|row| self.outcome(row, self.verdict(row, kept), kept)));
    }

    /// Whether URLs of this row's shape have what the transformation changes.
    fn may_apply(&self, edit: &Edit, row: u32) -> bool {
        let view = self.view;
        let path = match &edit.path {
            Some(PathEdit::Components { place, removed, .. }) => {
                place.range(usize::from(*removed), view.path(row).len()).is_some()
            }
            _ => true,
        };
        let is_there = |edit: &ParamEdit| !matches!(edit, ParamEdit::Add(_));
        path && edit.port.0.is_some() == view.port(row).is_some()
            && edit.params.iter().all(|(key, edit)| is_there(edit) == view.param(row, *key).is_some())
    }

    /// The hash of what becomes of a row; nothing if it stays as it is. Every part adds what it changes.
    fn result(&self, edit: &Edit, row: u32, buffer: &mut Vec<u8>) -> Option<u64> {
        let source = SourceUrl::new(self.view, edit, row)?;
        let changed = self
            .scheme(edit, &source, buffer)
            .wrapping_add(self.host(edit, row, buffer)?)
            .wrapping_add(self.port(edit, row)?)
            .wrapping_add(self.path(edit, &source, buffer))
            .wrapping_add(self.params(edit, &source, buffer));
        (changed != 0).then(|| self.view.url_hash(row).wrapping_add(changed))
    }

    fn scheme(&self, edit: &Edit, source: &SourceUrl, buffer: &mut Vec<u8>) -> u64 {
        let Some(scheme) = &edit.scheme else { return 0 };
        let before = self.view.hash_of(self.view.scheme(source.row));
        scheme_hash(self.hash(scheme, source, buffer)).wrapping_sub(scheme_hash(before))
    }

    /// Nothing if the host has not the labels that are removed.
    fn host(&self, edit: &Edit, row: u32, buffer: &mut Vec<u8>) -> Option<u64> {
        let Some(HostEdit { removed, added }) = &edit.host else { return Some(0) };
        let host = self.view.host(row);
        let mut rest = self.view.text(host);
        for &label in removed {
            rest = rest.strip_prefix(self.texts.get(label))?.strip_prefix(b".")?;
        }
        buffer.clear();
        for label in added {
            for piece in label {
                buffer.extend_from_slice(self.fixed(piece));
            }
            buffer.push(b'.');
        }
        buffer.extend_from_slice(rest);
        Some(host_hash(xxh3_64(buffer)).wrapping_sub(host_hash(self.view.hash_of(host))))
    }

    /// Nothing if the port is another one.
    fn port(&self, edit: &Edit, row: u32) -> Option<u64> {
        if edit.port == (None, None) {
            return Some(0);
        }
        let [from, to] = [edit.port.0, edit.port.1].map(|port| port.map(|id| self.texts.get(id)));
        let hash = |port: Option<&[u8]>| port.map_or(0, |port| port_hash(xxh3_64(port)));
        let is_this = self.view.port(row).map(|value| self.view.text(value)) == from;
        is_this.then(|| hash(to).wrapping_sub(hash(from)))
    }

    fn path(&self, edit: &Edit, source: &SourceUrl, buffer: &mut Vec<u8>) -> u64 {
        let path = self.view.path(source.row);
        let hash = |value: &u32| self.view.hash_of(*value);
        let after = match &edit.path {
            None => return 0,
            Some(PathEdit::ConvertAll(convert)) => path_hash(path.iter().map(|&value| {
                buffer.clear();
                convert.append(self.view.text(value), buffer);
                xxh3_64(buffer)
            })),
            Some(PathEdit::Components { added, .. }) => {
                let new: Vec<u64> = added.iter().map(|expr| self.hash(expr, source, buffer)).collect();
                let Range { start, end } = source.removed;
                path_hash(path[..start].iter().map(hash).chain(new).chain(path[end..].iter().map(hash)))
            }
        };
        after.wrapping_sub(path_hash(path.iter().map(hash)))
    }

    fn params(&self, edit: &Edit, source: &SourceUrl, buffer: &mut Vec<u8>) -> u64 {
        let changes = edit.params.iter().map(|(key, edit)| {
            let value = self.view.param(source.row, *key);
            let before = value.map_or(0, |value| param_hash(*key, self.view.hash_of(value)));
            let after = edit.expr().map_or(0, |expr| param_hash(*key, self.hash(expr, source, buffer)));
            after.wrapping_sub(before)
        });
        changes.fold(0, u64::wrapping_add)
    }

    /// The hash of a text put together.
    fn hash(&self, expr: &[Piece], source: &SourceUrl, buffer: &mut Vec<u8>) -> u64 {
        buffer.clear();
        for piece in expr {
            match piece {
                Piece::Copy { source: part, hole, convert } => {
                    convert.append(source.text(*part, *hole), buffer);
                }
                piece => buffer.extend_from_slice(self.fixed(piece)),
            }
        }
        xxh3_64(buffer)
    }

    fn fixed(&self, piece: &Piece) -> &[u8] {
        match piece {
            Piece::Fixed(id) => self.texts.get(*id),
            _ => b"*",
        }
    }
}

/// A URL that a transformation is run on.
struct SourceUrl<'v, 's> {
    view: &'v View<'s>,
    row: u32,
    /// Where the removed components are.
    removed: Range<usize>,
}

impl<'v, 's> SourceUrl<'v, 's> {
    /// Nothing if the URL has not the parts, or not the patterns, that the transformation needs.
    fn new(view: &'v View<'s>, edit: &Edit, row: u32) -> Option<SourceUrl<'v, 's>> {
        let removed = match &edit.path {
            Some(PathEdit::Components { place, removed, .. }) => {
                place.range(usize::from(*removed), view.path(row).len())?
            }
            _ => 0..0,
        };
        let source = SourceUrl { view, row, removed };
        let fits =
            |(part, pattern): &(Source, u32)| source.cut(*part).is_some_and(|cut| cut.pattern == *pattern);
        edit.patterns.iter().all(fits).then_some(source)
    }

    fn value(&self, part: Source) -> Option<u32> {
        match part {
            Source::Removed(i) => self.view.path(self.row).get(self.removed.start + usize::from(i)).copied(),
            Source::Param(key) => self.view.param(self.row, key),
        }
    }

    fn cut(&self, part: Source) -> Option<Cut<'v>> {
        let value = self.value(part)?;
        Some(match part {
            Source::Removed(i) => self.view.cut_segment(
                value,
                self.removed.start + usize::from(i),
                self.view.path(self.row).len(),
            ),
            Source::Param(key) => self.view.cut_param(key, value),
        })
    }

    fn text(&self, part: Source, hole: Option<u16>) -> &'s [u8] {
        let text = self.value(part).map_or(&b""[..], |value| self.view.text(value));
        let range = hole.and_then(|hole| self.cut(part)?.holes.get(usize::from(hole)).cloned());
        range.map_or(text, |range| &text[range.start as usize..range.end as usize])
    }
}
