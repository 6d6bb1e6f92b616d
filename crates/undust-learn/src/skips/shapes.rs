//! Shapes of canonical forms: a word, a number or anything in each place.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use undust::rules::template::{Class, Convert, Item, Piece, QueryItem, QueryKind, Template, Text, literal};
use undust::rules::{Action, Skip};
use undust::url::SplitUrl;
use xxhash_rust::xxh3::Xxh3;

use super::Keys;
use super::thresholds::{MAX_SHAPES, MAX_TEXTS, MIN_SKIPPED_URLS, MIN_WORD_URLS};
use crate::site::FOLDS;

/// A text in a place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Slot {
    /// This word.
    Word(Vec<u8>),
    /// Some number.
    Number,
    /// Anything.
    Any,
}

impl Slot {
    fn text(&self, name: &str) -> Text {
        let hole =
            |class| Piece::Hole { name: name.to_owned(), class, optional: false, convert: Convert::Copy };
        match self {
            Slot::Word(word) => literal(word),
            Slot::Number => vec![hole(Class::Digits)],
            Slot::Any => vec![hole(Class::Any)],
        }
    }
}

/// What the canonical forms of one kind have in common.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct SkipShape {
    path: Vec<Slot>,
    params: BTreeMap<Vec<u8>, Option<Slot>>,
}

impl SkipShape {
    /// Whether the shape names something: a word of the path or a parameter, and leaves something open.
    fn may_be_redundant(&self) -> bool {
        let is_word = |slot: &Slot| matches!(slot, Slot::Word(word) if !word.is_empty());
        let is_number = |slot: &Slot| *slot == Slot::Number;
        let open_params = self.params.values().flatten().any(|slot| !is_word(slot));
        open_params
            || self.params.is_empty() && self.path.iter().any(is_word) && self.path.iter().any(is_number)
    }

    /// [`structure`] of every URL that the rule skips.
    pub(super) fn structure(&self) -> u64 {
        structure_of(self.path.len(), self.params.keys().map(Vec::as_slice))
    }

    /// The rule that skips URLs of this shape, and those that have other texts where the shape leaves them open.
    pub(super) fn skip(&self) -> Option<Action> {
        let path = (1..).zip(&self.path).map(|(i, slot)| Item::One(slot.text(&format!("path-{i}"))));
        let param = |(name, slot): (&Vec<u8>, &Option<Slot>)| {
            let text = slot.as_ref().map(|slot| slot.text(""));
            QueryItem { separator: b'&', kind: QueryKind::Param(name.clone(), text) }
        };
        let query = (!self.params.is_empty()).then(|| self.params.iter().map(param).collect());
        let template = Template {
            scheme: vec![Piece::hole("scheme")],
            host: vec![Item::Rest(Convert::Copy)],
            path: path.collect(),
            query,
            ..Template::default()
        };
        Skip::new(template).ok().map(Action::Skip)
    }
}

/// The shapes of a site's canonical forms, as the pages outside of one fold show them.
pub(super) struct Shapes {
    /// For each fold, the number of keys with a page outside of it that have this text in this place.
    counts: HashMap<(TextPlace, Vec<u8>), [usize; FOLDS as usize]>,
}

/// Position of a text: the `nth` of `of` path components, or the value of a parameter.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum TextPlace {
    Component { of: usize, nth: usize },
    Value(Vec<u8>),
}

impl Shapes {
    pub(super) fn new(keys: &Keys) -> Shapes {
        let mut counts: HashMap<(TextPlace, Vec<u8>), [usize; FOLDS as usize]> = HashMap::new();
        for key in &keys.all {
            each_text(&key.url, |place, text| {
                let counts = counts.entry((place, text.to_vec())).or_default();
                for (fold, count) in (0..).zip(counts) {
                    *count += usize::from(key.is_outside(fold));
                }
            });
        }
        Shapes { counts }
    }

    /// Shapes of the keys with a page outside of `fold`, each with these keys, the most frequent ones first.
    pub(super) fn without(&self, keys: &Keys, fold: u32) -> Vec<(SkipShape, Vec<usize>)> {
        let mut all = 0;
        let mut shapes: BTreeMap<SkipShape, Vec<usize>> = BTreeMap::new();
        for (at, key) in keys.all.iter().enumerate().filter(|(_, key)| key.is_outside(fold)) {
            all += 1;
            if let Some(shape) = self.shape(&key.url, fold).filter(SkipShape::may_be_redundant) {
                shapes.entry(shape).or_default().push(at);
            }
        }
        let mut shapes: Vec<(SkipShape, Vec<usize>)> = shapes.into_iter().collect();
        shapes.retain(|(_, members)| members.len() >= MIN_SKIPPED_URLS && members.len() * 2 < all);
        shapes.sort_by_key(|(shape, members)| (Reverse(members.len()), Reverse(shape.params.len())));
        shapes.truncate(MAX_SHAPES);
        shapes
    }

    fn slot(&self, place: TextPlace, text: &[u8], fold: u32) -> Slot {
        let is_number = !text.is_empty() && text.iter().all(u8::is_ascii_digit);
        if is_number {
            return Slot::Number;
        }
        let word = (place, text.to_vec());
        match self.counts.get(&word) {
            Some(counts) if counts[fold as usize] >= MIN_WORD_URLS => Slot::Word(word.1),
            _ => Slot::Any,
        }
    }

    /// The shape of a URL, by the words outside of `fold`; none of those with a port, a user, a fragment, or a parameter twice.
    fn shape(&self, url: &[u8], fold: u32) -> Option<SkipShape> {
        let split = SplitUrl::new(url)?;
        if split.userinfo().is_some() || split.port().is_some() || split.fragment().is_some() {
            return None;
        }
        let segments: Vec<&[u8]> = split.segments().collect();
        let of = segments.len();
        if of + split.params().count() > MAX_TEXTS {
            return None;
        }
        let component =
            |(nth, text): (usize, &&[u8])| self.slot(TextPlace::Component { of, nth }, text, fold);
        let path = segments.iter().enumerate().map(component).collect();
        let mut params = BTreeMap::new();
        for param in split.params() {
            let value = |value| self.slot(TextPlace::Value(param.name.to_vec()), value, fold);
            if params.insert(param.name.to_vec(), param.value.map(value)).is_some() {
                return None;
            }
        }
        Some(SkipShape { path, params })
    }
}

fn each_text(url: &[u8], mut see: impl FnMut(TextPlace, &[u8])) {
    let Some(split) = SplitUrl::new(url) else { return };
    let of = split.segments().count();
    for (nth, text) in split.segments().enumerate() {
        see(TextPlace::Component { of, nth }, text);
    }
    for param in split.params() {
        if let Some(value) = param.value {
            see(TextPlace::Value(param.name.to_vec()), value);
        }
    }
}

/// A number for the path components and parameters of a URL, whatever their texts.
pub(super) fn structure(url: &[u8]) -> u64 {
    let Some(split) = SplitUrl::new(url) else { return 0 };
    let names: BTreeSet<&[u8]> = split.params().map(|param| param.name).collect();
    structure_of(split.segments().count(), names.into_iter())
}

fn structure_of<'n>(components: usize, names: impl Iterator<Item = &'n [u8]>) -> u64 {
    let mut hasher = Xxh3::new();
    hasher.update(&components.to_le_bytes());
    // No name holds a separator of parameters.
    for name in names.filter(|name| !name.is_empty()) {
        hasher.update(b"&");
        hasher.update(name);
    }
    hasher.digest()
}
