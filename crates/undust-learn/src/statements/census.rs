//! Which texts of a site are frequent enough to be written out in a rule: path components, values, words. Others are ids, names, numbers: holes.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::record::Record;
use super::tokens::{Shape, is_id, is_number, shape, tokens};
use crate::intern::Interner;

/// Forms with a component or word at one place, from which on it may be written out.
const MIN_LITERAL_FORMS: usize = 5;
/// The same, as a share of the site's forms.
const MIN_LITERAL_SHARE: f64 = 0.002;
/// Forms with a value of a parameter, from which on it may be written out.
const MIN_VALUE_FORMS: usize = 4;
/// The same, as a share of the site's forms.
const MIN_VALUE_SHARE: f64 = 0.0005;
/// Characters of a value that may be written out.
const MAX_VALUE_CHARS: usize = 30;
/// Values of a parameter up to which each of them may be a scope.
const MAX_SCOPE_VALUES: usize = 15;
/// Share of a parameter's forms that a value needs to be a scope, where there are more values.
const MIN_SCOPE_SHARE: f64 = 0.02;

/// One component of a script: a path with the texts that are frequent at their place.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Slot {
    Fixed(u32),
    Number,
    Any,
}

/// What is frequent on a site.
pub(super) struct Census {
    /// Scheme and host of templates.
    pub any_host: String,
    components: HashSet<(usize, u32)>,
    values: HashSet<(u32, u32)>,
    scopes: HashSet<(u32, u32)>,
    words: HashSet<Vec<u8>>,
    /// Every script, by number.
    pub scripts: Vec<Vec<Slot>>,
    script_of: HashMap<Vec<Slot>, u32>,
    /// Every shape, by number.
    pub shapes: Vec<Shape>,
    shape_ids: HashMap<Shape, u32>,
    /// The shape of each text, once it was asked for.
    shape_of: HashMap<u32, Option<u32>>,
}

impl Census {
    pub(super) fn new(records: &[Option<Record>], texts: &Interner, any_host: String) -> Census {
        let all: Vec<&Record> = records.iter().flatten().collect();
        let enough = |least: usize, share: f64| (least as f64).max(share * all.len() as f64);
        let mut components: HashMap<(usize, u32), usize> = HashMap::new();
        let mut values: BTreeMap<(u32, u32), usize> = BTreeMap::new();
        let mut of_text: BTreeMap<u32, usize> = BTreeMap::new();
        for record in &all {
            for (at, text) in record.path.iter().enumerate() {
                *components.entry((at, *text)).or_default() += 1;
                *of_text.entry(*text).or_default() += 1;
            }
            for param in &record.params {
                if let Some(value) = param.value {
                    *values.entry((param.name, value)).or_default() += 1;
                    *of_text.entry(value).or_default() += 1;
                }
            }
        }
        let mut words: HashMap<&[u8], usize> = HashMap::new();
        for (text, count) in &of_text {
            let mut of: Vec<&[u8]> = tokens(texts.get(*text));
            of.retain(|token| token[0].is_ascii_alphabetic());
            of.sort_unstable();
            of.dedup();
            for word in of {
                *words.entry(word).or_default() += count;
            }
        }
        let literal = enough(MIN_LITERAL_FORMS, MIN_LITERAL_SHARE);
        let value_enough = enough(MIN_VALUE_FORMS, MIN_VALUE_SHARE);
        let is_word = |text: u32| {
            let bytes = texts.get(text);
            !(is_id(bytes) || is_number(bytes) && bytes.len() > 2)
        };
        let is_component = |((at, text), count): (&(usize, u32), &usize)| {
            let enough = if *at == 0 && is_script(texts.get(*text)) { 2.0 } else { literal };
            is_word(*text) && *count as f64 >= enough
        };
        let is_value = |((_, value), count): (&(u32, u32), &usize)| {
            let bytes = texts.get(*value);
            *count as f64 >= value_enough && bytes.len() <= MAX_VALUE_CHARS && !is_id(bytes)
        };
        let kept_components = components.iter().filter(|c| is_component(*c)).map(|(key, _)| *key).collect();
        let kept_values: HashSet<(u32, u32)> =
            values.iter().filter(|v| is_value(*v)).map(|(key, _)| *key).collect();
        let mut total: HashMap<u32, usize> = HashMap::new();
        let mut kinds: HashMap<u32, usize> = HashMap::new();
        for ((name, _), count) in &values {
            *total.entry(*name).or_default() += count;
            *kinds.entry(*name).or_default() += 1;
        }
        let is_scope = |(name, value): &(u32, u32)| {
            let bytes = texts.get(*value);
            let flag = !is_number(bytes) || bytes == b"0" || bytes == b"1";
            let share = values[&(*name, *value)] as f64 / total[name] as f64;
            flag && (kinds[name] <= MAX_SCOPE_VALUES || share >= MIN_SCOPE_SHARE)
        };
        Census {
            any_host,
            components: kept_components,
            scopes: kept_values.iter().filter(|key| is_scope(key)).copied().collect(),
            values: kept_values,
            words: words
                .iter()
                .filter(|(_, n)| **n as f64 >= literal)
                .map(|(word, _)| word.to_vec())
                .collect(),
            scripts: Vec::new(),
            script_of: HashMap::new(),
            shapes: Vec::new(),
            shape_ids: HashMap::new(),
            shape_of: HashMap::new(),
        }
    }

    /// Whether a component may be written out at this place. Empty ones always are.
    pub(super) fn is_component(&self, at: usize, text: u32, texts: &Interner) -> bool {
        texts.get(text).is_empty() || self.components.contains(&(at, text))
    }

    /// Whether a value may be written out.
    pub(super) fn is_value(&self, name: u32, value: u32) -> bool {
        self.values.contains(&(name, value))
    }

    /// Whether rules may be limited to URLs with this value.
    pub(super) fn is_scope(&self, name: u32, value: u32) -> bool {
        self.scopes.contains(&(name, value))
    }

    /// The script of a path, by number.
    pub(super) fn script(&mut self, path: &[u32], texts: &Interner) -> u32 {
        let slot = |(at, text): (usize, &u32)| {
            if self.is_component(at, *text, texts) {
                Slot::Fixed(*text)
            } else if is_number(texts.get(*text)) {
                Slot::Number
            } else {
                Slot::Any
            }
        };
        let slots: Vec<Slot> = path.iter().enumerate().map(slot).collect();
        let next = self.scripts.len() as u32;
        let id = *self.script_of.entry(slots.clone()).or_insert(next);
        if id == next {
            self.scripts.push(slots);
        }
        id
    }

    /// The shape of a text, by number.
    pub(super) fn shape(&mut self, text: u32, texts: &Interner) -> Option<u32> {
        if let Some(known) = self.shape_of.get(&text) {
            return *known;
        }
        let id = shape(texts.get(text), &self.words).map(|shape| {
            let next = self.shapes.len() as u32;
            let id = *self.shape_ids.entry(shape.clone()).or_insert(next);
            if id == next {
                self.shapes.push(shape);
            }
            id
        });
        self.shape_of.insert(text, id);
        id
    }
}

/// Whether a component is a program by its name.
pub(super) fn is_script(text: &[u8]) -> bool {
    [&b".php"[..], b".cgi", b".asp", b".aspx", b".pl", b".jsp"].iter().any(|end| text.ends_with(end))
}
