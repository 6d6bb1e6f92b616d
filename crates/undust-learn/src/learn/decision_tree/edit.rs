//! Transformations (Definition 2): what has to be done to a source URL to get a target. Only what changes is said; places in
//! the path are counted from one end, so that the same change at another depth is the same transformation.

use std::ops::Range;

use undust::rules::template::Convert;

/// Fixed text, by its number among the learner's texts.
pub(super) type TextId = u32;

/// A transformation. Texts that are no part of the source are holes ([`Piece::Given`]) until it is known whether they
/// are always the same.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Edit {
    /// The scheme becomes this.
    pub(super) scheme: Option<Expr>,
    pub(super) host: Option<HostEdit>,
    /// The port of the source and of the target. A rule names one port, or none.
    pub(super) port: (Option<TextId>, Option<TextId>),
    pub(super) path: Option<PathEdit>,
    /// What happens to parameters, sorted by parameter.
    pub(super) params: Vec<(u32, ParamEdit)>,
    /// The patterns that parts of the source must have, since deep tokens of them are copied.
    pub(super) patterns: Vec<(Source, u32)>,
}

/// The first labels of a host become others.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct HostEdit {
    pub(super) removed: Vec<TextId>,
    pub(super) added: Vec<Expr>,
}

/// Some components of a path become others, or all are converted.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum PathEdit {
    Components { place: Place, removed: u16, added: Vec<Expr> },
    ConvertAll(Convert),
}

/// What happens to a parameter.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum ParamEdit {
    Delete,
    Change(Expr),
    Add(Expr),
}

impl ParamEdit {
    pub(super) fn expr(&self) -> Option<&Expr> {
        match self {
            ParamEdit::Delete => None,
            ParamEdit::Change(expr) | ParamEdit::Add(expr) => Some(expr),
        }
    }

    fn expr_mut(&mut self) -> Option<&mut Expr> {
        match self {
            ParamEdit::Delete => None,
            ParamEdit::Change(expr) | ParamEdit::Add(expr) => Some(expr),
        }
    }
}

/// Where components are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Place {
    /// Behind this number of components.
    Start(u16),
    /// Before this number of components.
    End(u16),
    /// They are the whole path.
    Whole,
    /// They are the whole path, whatever its length.
    All,
}

impl Place {
    /// Where the components are in a path of `count`, of which `removed` are meant.
    pub(super) fn range(self, removed: usize, count: usize) -> Option<Range<usize>> {
        let begin = match self {
            Place::Start(skip) => usize::from(skip),
            Place::End(skip) => count.checked_sub(usize::from(skip) + removed)?,
            Place::Whole if removed == count => 0,
            Place::Whole => return None,
            Place::All => return Some(0..count),
        };
        (begin + removed <= count).then_some(begin..begin + removed)
    }
}

/// Text put together from pieces.
pub(super) type Expr = Vec<Piece>;

#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Piece {
    Fixed(TextId),
    /// The n-th text that the source does not have.
    Given(u16),
    /// Any such text: it is irrelevant.
    Star,
    /// A part of the source, or one of its deep tokens, converted.
    Copy {
        source: Source,
        hole: Option<u16>,
        convert: Convert,
    },
}

/// A part of the source that is not in the target as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Source {
    /// The n-th of the removed components.
    Removed(u16),
    Param(u32),
}

/// The conversions that change a value, in the order in which they are tried.
pub(super) const CONVERSIONS: [Convert; 4] =
    [Convert::Lower, Convert::Upper, Convert::Encode, Convert::Decode];

/// Whether a conversion makes `to` of `from`.
pub(super) fn makes(convert: Convert, from: &[u8], to: &[u8]) -> bool {
    let is_possible = match convert {
        Convert::Copy => from == to,
        Convert::Lower | Convert::Upper => from.eq_ignore_ascii_case(to),
        Convert::Encode => to.contains(&b'%'),
        Convert::Decode => from.contains(&b'%'),
    };
    if !is_possible {
        return false;
    }
    let mut out = Vec::with_capacity(to.len());
    convert.append(from, &mut out);
    out == to
}

impl Edit {
    /// Whether it does nothing.
    pub(super) fn is_empty(&self) -> bool {
        let Edit { scheme, host, port, path, params, .. } = self;
        scheme.is_none() && host.is_none() && port.0 == port.1 && path.is_none() && params.is_empty()
    }

    fn exprs_mut(&mut self) -> impl Iterator<Item = &mut Expr> {
        let path = match &mut self.path {
            Some(PathEdit::Components { added, .. }) => added.as_mut_slice(),
            _ => &mut [],
        };
        let host = self.host.as_mut().map_or(&mut [][..], |host| host.added.as_mut_slice());
        let params = self.params.iter_mut().filter_map(|(_, edit)| edit.expr_mut());
        self.scheme.iter_mut().chain(host).chain(path).chain(params)
    }

    /// The texts that it finds irrelevant.
    pub(super) fn stars(&self) -> usize {
        self.exprs().flatten().filter(|piece| **piece == Piece::Star).count()
    }

    /// Every text that it writes.
    pub(super) fn exprs(&self) -> impl Iterator<Item = &Expr> {
        let path = match &self.path {
            Some(PathEdit::Components { added, .. }) => added.as_slice(),
            _ => &[],
        };
        let host = self.host.as_ref().map_or(&[][..], |host| host.added.as_slice());
        let params = self.params.iter().filter_map(|(_, edit)| edit.expr());
        self.scheme.iter().chain(host).chain(path).chain(params)
    }

    /// The same with every text that is given replaced.
    pub(super) fn with_given(&self, given: impl Fn(u16) -> Piece) -> Edit {
        let mut edit = self.clone();
        for piece in edit.exprs_mut().flatten() {
            if let Piece::Given(n) = piece {
                *piece = given(*n);
            }
        }
        edit
    }

    /// Whether everything that `other` does is a part of what this one does.
    pub(super) fn contains(&self, other: &Edit) -> bool {
        let same = |a: bool, b: bool| !b || a;
        same(self.scheme == other.scheme, other.scheme.is_some())
            && same(self.host == other.host, other.host.is_some())
            && self.port.0 == other.port.0
            && same(self.port == other.port, other.port.0 != other.port.1)
            && same(self.path == other.path, other.path.is_some())
            && other.params.iter().all(|param| self.params.contains(param))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_from_either_end() {
        assert_eq!(Place::Start(1).range(2, 4), Some(1..3));
        assert_eq!(Place::Start(3).range(2, 4), None);
        assert_eq!(Place::End(1).range(2, 4), Some(1..3));
        assert_eq!(Place::End(3).range(2, 4), None);
        assert_eq!(Place::Whole.range(2, 2), Some(0..2));
        assert_eq!(Place::Whole.range(2, 3), None);
        assert_eq!(Place::All.range(0, 3), Some(0..3));
    }

    #[test]
    fn conversions_of_whole_values() {
        assert!(makes(Convert::Lower, b"Recipe", b"recipe") && makes(Convert::Upper, b"Recipe", b"RECIPE"));
        assert!(!makes(Convert::Lower, b"RECIPE", b"Recipe") && !makes(Convert::Upper, b"a", b"b"));
        assert!(makes(Convert::Decode, b"a%2Db", b"a-b") && makes(Convert::Encode, b"a b", b"a%20b"));
        assert!(!makes(Convert::Encode, b"a", b"a") && !makes(Convert::Decode, b"a", b"a"));
    }
}
