//! The classes of the tree: distinct transformations with the URLs that they were seen on.
//!
//! Here transformations are generalized as well: a text in place of a value of the source may be irrelevant, and is tried as
//! a star; the most frequent ones are tried as they are.

use hashbrown::{HashMap, HashSet};

use super::diff::Difference;
use super::edit::{Edit, ParamEdit, PathEdit, Piece, TextId};
use super::view::View;

/// A transformation without texts that are merely given.
#[derive(Clone, Debug)]
pub(super) struct Class {
    pub(super) edit: Edit,
    /// The sources, each as often as it was seen.
    pub(super) rows: Vec<u32>,
}

/// Percentage of the pairs that have a given text from which on it is fixed.
const MIN_FIXED_PERCENT: usize = 90;
/// Number of values that a value of the source must take to be irrelevant.
const MIN_IRRELEVANT_VALUES: usize = 4;
/// Number of given texts that vary and are tried as they are, the most frequent ones.
const MAX_FIXED_TEXTS: usize = 16;

/// The pairs of one transformation.
#[derive(Default)]
struct Instances {
    rows: Vec<u32>,
    /// What was given, as many texts for each row as the transformation has.
    given: Vec<TextId>,
}

/// Collects pair-wise rules by their transformation.
#[derive(Default)]
pub(super) struct Collector {
    found: HashMap<Edit, Instances>,
}

impl Collector {
    pub(super) fn add(&mut self, row: u32, difference: Difference) {
        let Difference { edits, given } = difference;
        for edit in edits.into_iter().filter(|edit| !edit.is_empty()) {
            let instances = self.found.entry(edit).or_default();
            instances.rows.push(row);
            instances.given.extend_from_slice(&given);
        }
    }

    /// The classes with at least `min_support` pairs, those with the most first.
    pub(super) fn classes(self, view: &View, min_support: usize) -> Vec<Class> {
        let mut classes: HashMap<Edit, Vec<u32>> = HashMap::new();
        for (edit, instances) in self.found {
            if instances.rows.len() >= min_support {
                for class in generalize(view, &edit, &instances, min_support) {
                    classes.entry(class.edit).or_default().extend(class.rows);
                }
            }
        }
        let mut classes: Vec<Class> = classes
            .into_iter()
            .map(|(edit, mut rows)| {
                rows.sort_unstable();
                Class { edit, rows }
            })
            .collect();
        classes.sort_by(|a, b| b.rows.len().cmp(&a.rows.len()).then_with(|| a.edit.cmp(&b.edit)));
        classes
    }
}

fn generalize(view: &View, edit: &Edit, instances: &Instances, min_support: usize) -> Vec<Class> {
    let width = instances.given.len() / instances.rows.len();
    if width == 0 {
        return vec![Class { edit: edit.clone(), rows: instances.rows.clone() }];
    }
    let mut by_texts: HashMap<&[TextId], Vec<u32>> = HashMap::new();
    for (texts, &row) in instances.given.chunks(width).zip(&instances.rows) {
        by_texts.entry(texts).or_default().push(row);
    }
    let mut frequent: Vec<(&[TextId], Vec<u32>)> =
        by_texts.into_iter().filter(|(_, rows)| rows.len() >= min_support).collect();
    frequent.sort_by(|a, b| b.1.len().cmp(&a.1.len()).then(a.0.cmp(b.0)));
    frequent.truncate(MAX_FIXED_TEXTS);
    let fixed = |texts: &[TextId]| edit.with_given(|n| Piece::Fixed(texts[usize::from(n)]));
    let mut classes: Vec<Class> =
        frequent.into_iter().map(|(texts, rows)| Class { edit: fixed(texts), rows }).collect();
    classes.extend(with_stars(view, edit, instances, width));
    classes
}

/// The transformation with a star for each text in place of a value of the source, if that takes many values. Other texts must be
/// always the same.
fn with_stars(view: &View, edit: &Edit, instances: &Instances, width: usize) -> Option<Class> {
    let starred = given_in_place(edit);
    let values: HashSet<Vec<u32>> =
        instances.rows.iter().map(|&row| replaced_values(view, edit, row)).collect();
    if values.len() < MIN_IRRELEVANT_VALUES {
        return None;
    }
    let fixed = |n: u16| usual_text(instances, width, usize::from(n)).map(Piece::Fixed);
    let piece = |n: u16| if starred.contains(&n) { Some(Piece::Star) } else { fixed(n) };
    let pieces: Vec<Piece> = (0..width as u16).map(piece).collect::<Option<_>>()?;
    let edit = edit.with_given(|n| pieces[usize::from(n)].clone());
    (!starred.is_empty()).then(|| Class { edit, rows: instances.rows.clone() })
}

/// The values of a URL that a transformation replaces.
fn replaced_values(view: &View, edit: &Edit, row: u32) -> Vec<u32> {
    let path = match &edit.path {
        Some(PathEdit::Components { place, removed, .. }) => {
            let path = view.path(row);
            place.range(usize::from(*removed), path.len()).map_or(&[][..], |range| &path[range])
        }
        _ => &[],
    };
    let params = edit.params.iter().filter(|(_, edit)| matches!(edit, ParamEdit::Change(_)));
    let params = params.filter_map(|(key, _)| view.param(row, *key));
    let host = edit.host.as_ref().map(|_| view.host(row));
    path.iter().copied().chain(params).chain(host).collect()
}

/// The text that is given nearly always in the n-th place.
fn usual_text(instances: &Instances, width: usize, n: usize) -> Option<TextId> {
    let mut counts: HashMap<TextId, usize> = HashMap::new();
    for texts in instances.given.chunks(width) {
        *counts.entry(texts[n]).or_default() += 1;
    }
    let (text, count) = counts.into_iter().max_by_key(|&(text, count)| (count, std::cmp::Reverse(text)))?;
    (count * 100 >= instances.rows.len() * MIN_FIXED_PERCENT).then_some(text)
}

/// The given texts that stand where the source has a value of its own.
fn given_in_place(edit: &Edit) -> Vec<u16> {
    let path = match &edit.path {
        Some(PathEdit::Components { removed, added, .. }) if usize::from(*removed) == added.len() => added,
        _ => &Vec::new(),
    };
    let host = match &edit.host {
        Some(host) if host.removed.len() == host.added.len() => &host.added,
        _ => &Vec::new(),
    };
    let params = edit.params.iter().filter_map(|(_, edit)| match edit {
        ParamEdit::Change(expr) => Some(expr),
        _ => None,
    });
    let given = |piece: &Piece| match piece {
        Piece::Given(n) => Some(*n),
        _ => None,
    };
    host.iter().chain(path).chain(params).flatten().filter_map(given).collect()
}
