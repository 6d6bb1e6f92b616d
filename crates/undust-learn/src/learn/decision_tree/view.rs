//! A site as this learner sees it: keys counted from both ends (Definition 1), deep tokens inside values, and a hash of
//! every URL that can be brought up to date while parts of the URL change.
//!
//! The order of parameters and the characters between them are not content, so that they are not in the hash.

use hashbrown::{HashMap, HashTable};
use undust::rules::template::Class;
use xxhash_rust::xxh3::xxh3_64;

use super::deep::{Deep, Part, Pattern};
use crate::learn::MAX_KEYS;
use crate::site::{Key as SiteKey, Sample, Shape, Site};

/// What a value belongs to. A path component has two keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Key {
    Scheme,
    Host,
    /// The n-th path component from the start.
    Start(u16),
    /// The n-th path component from the end.
    End(u16),
    /// A parameter, by its number.
    Param(u32),
}

/// A parameter: the n-th of a name, with or without a value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct ParamKey {
    pub(super) name: Vec<u8>,
    pub(super) nth: u32,
    pub(super) is_flag: bool,
}

/// Where the values of a URL of some shape are, among all its values.
struct Layout {
    host: usize,
    port: Option<usize>,
    path: std::ops::Range<usize>,
    /// Sorted by parameter.
    params: Vec<(u32, usize)>,
    separator: u8,
}

/// A value cut into deep tokens.
#[derive(Clone, Copy)]
pub(super) struct Cut<'v> {
    pub(super) pattern: u32,
    pub(super) holes: &'v [std::ops::Range<u32>],
}

/// The values of one key and their deep tokens.
#[derive(Default)]
struct Tokens {
    /// Distinct values, each with its place among them.
    values: HashMap<u32, u32>,
    deep: Option<Deep>,
    /// The numbers of its patterns among those of the site.
    patterns: Vec<u32>,
}

pub(super) struct View<'s> {
    pub(super) site: &'s Site,
    layouts: Vec<Option<Layout>>,
    params: Vec<ParamKey>,
    patterns: Vec<Pattern>,
    tokens: Vec<Tokens>,
    value_hashes: Vec<u64>,
    url_hashes: Vec<u64>,
    known: HashTable<u32>,
    /// Rows that can be spoken of, by shape.
    rows: Vec<Vec<u32>>,
}

/// Path components further from the start than this share their deep tokens.
const MAX_POSITIONS: usize = 6;
/// The group of last components; those of other positions and of parameters follow.
const LAST: usize = MAX_POSITIONS;
/// Number of distinct values that can show structure.
const MIN_VALUES: usize = 8;
/// The pattern of a value without structure: one hole.
pub(super) const WHOLE: u32 = 0;

impl<'s> View<'s> {
    pub(super) fn new(sample: &Sample<'s>) -> View<'s> {
        let site = sample.site;
        let mut params = Params::default();
        let layouts: Vec<Option<Layout>> = site.shapes().iter().map(|shape| params.lay_out(shape)).collect();
        let mut rows = vec![Vec::new(); layouts.len()];
        for &row in &sample.rows {
            let shape = site.shape_of(row) as usize;
            if layouts[shape].is_some() {
                rows[shape].push(row);
            }
        }
        let mut view = View {
            site,
            layouts,
            tokens: Vec::new(),
            patterns: vec![Pattern { parts: vec![Part::Hole(Class::Any)] }],
            params: params.keys,
            value_hashes: (0..site.value_count()).map(|id| xxh3_64(site.value(id))).collect(),
            url_hashes: vec![0; site.len()],
            known: HashTable::with_capacity(sample.rows.len()),
            rows,
        };
        view.hash_urls();
        view.cut_values();
        view
    }

    fn hash_urls(&mut self) {
        for rows in &self.rows {
            for &row in rows {
                self.url_hashes[row as usize] = self.hash_url(row);
            }
        }
        let View { known, url_hashes, rows, .. } = self;
        for &row in rows.iter().flatten() {
            let hash = url_hashes[row as usize];
            // Rows that differ in nothing but the order of parameters: one stands for all.
            if known.find(hash, |&other| url_hashes[other as usize] == hash).is_none() {
                known.insert_unique(hash, row, |&other| url_hashes[other as usize]);
            }
        }
    }

    fn hash_url(&self, row: u32) -> u64 {
        let layout = self.layout(row);
        let values = self.site.values_of(row);
        let hash = |at: usize| self.value_hashes[values[at] as usize];
        let params = layout.params.iter().map(|&(key, at)| param_hash(key, hash(at)));
        params.fold(
            scheme_hash(hash(0))
                .wrapping_add(host_hash(hash(layout.host)))
                .wrapping_add(layout.port.map_or(0, |at| port_hash(hash(at))))
                .wrapping_add(path_hash(layout.path.clone().map(hash))),
            u64::wrapping_add,
        )
    }

    /// Find the deep tokens of every key's values.
    fn cut_values(&mut self) {
        let mut values: Vec<Vec<u32>> = vec![Vec::new(); LAST + 1 + self.params.len()];
        for (layout, rows) in self.layouts.iter().zip(&self.rows) {
            let Some(layout) = layout else { continue };
            let segments = layout.path.clone().enumerate();
            let count = layout.path.len();
            let mut groups: Vec<(usize, usize)> =
                segments.map(|(i, at)| (segment_group(i, count), at)).collect();
            groups.extend(layout.params.iter().map(|&(key, at)| (param_group(key), at)));
            for (group, at) in groups {
                values[group].extend(rows.iter().map(|&row| self.site.values_of(row)[at]));
            }
        }
        let mut numbers: HashMap<Pattern, u32> = HashMap::from([(self.patterns[0].clone(), WHOLE)]);
        for mut values in values {
            values.sort_unstable();
            values.dedup();
            let tokens = self.cut_all(values, &mut numbers);
            self.tokens.push(tokens);
        }
    }

    fn cut_all(&mut self, values: Vec<u32>, numbers: &mut HashMap<Pattern, u32>) -> Tokens {
        if values.len() < MIN_VALUES {
            return Tokens::default();
        }
        let texts: Vec<&[u8]> = values.iter().map(|&id| self.site.value(id)).collect();
        let deep = Deep::new(&texts);
        let number = |pattern: &Pattern| {
            let next = numbers.len() as u32;
            *numbers.entry(pattern.clone()).or_insert_with(|| {
                self.patterns.push(pattern.clone());
                next
            })
        };
        let patterns: Vec<u32> = deep.patterns().iter().map(number).collect();
        if patterns == [WHOLE] {
            return Tokens::default();
        }
        Tokens { values: values.into_iter().zip(0..).collect(), patterns, deep: Some(deep) }
    }

    fn layout(&self, row: u32) -> &Layout {
        match &self.layouts[self.site.shape_of(row) as usize] {
            Some(layout) => layout,
            None => unreachable!("rows without a layout are left out"),
        }
    }

    /// The rows of each shape that can be spoken of.
    pub(super) fn rows_by_shape(&self) -> impl Iterator<Item = &[u32]> {
        self.rows.iter().map(Vec::as_slice).filter(|rows| !rows.is_empty())
    }

    /// Whether a row can be spoken of.
    pub(super) fn knows(&self, row: u32) -> bool {
        self.layouts[self.site.shape_of(row) as usize].is_some()
    }

    pub(super) fn url_hash(&self, row: u32) -> u64 {
        self.url_hashes[row as usize]
    }

    /// The row whose URL has this hash.
    pub(super) fn find(&self, hash: u64) -> Option<u32> {
        self.known.find(hash, |&row| self.url_hash(row) == hash).copied()
    }

    pub(super) fn hash_of(&self, value: u32) -> u64 {
        self.value_hashes[value as usize]
    }

    pub(super) fn text(&self, value: u32) -> &'s [u8] {
        self.site.value(value)
    }

    pub(super) fn scheme(&self, row: u32) -> u32 {
        self.site.values_of(row)[0]
    }

    pub(super) fn host(&self, row: u32) -> u32 {
        self.site.values_of(row)[self.layout(row).host]
    }

    pub(super) fn port(&self, row: u32) -> Option<u32> {
        self.layout(row).port.map(|at| self.site.values_of(row)[at])
    }

    pub(super) fn path(&self, row: u32) -> &'s [u32] {
        &self.site.values_of(row)[self.layout(row).path.clone()]
    }

    /// The parameters of a URL with their values, sorted by parameter.
    pub(super) fn params(&self, row: u32) -> impl Iterator<Item = (u32, u32)> {
        let values = self.site.values_of(row);
        self.layout(row).params.iter().map(|&(key, at)| (key, values[at]))
    }

    pub(super) fn param(&self, row: u32, key: u32) -> Option<u32> {
        self.layout(row).param(key).map(|at| self.site.values_of(row)[at])
    }

    /// What stands between the parameters of a URL.
    pub(super) fn separator(&self, row: u32) -> u8 {
        self.layout(row).separator
    }

    /// Whether two URLs with the same parameters have them in another order.
    pub(super) fn differ_in_order(&self, a: u32, b: u32) -> bool {
        let places = |row: u32| self.layout(row).params.iter().map(|(_, at)| *at);
        places(a).ne(places(b))
    }

    /// Whether any URL of the site has parameters.
    pub(super) fn has_params(&self) -> bool {
        !self.params.is_empty()
    }

    /// Whether URLs of some shape have a parameter of this name, with a value or without.
    pub(super) fn has_name(&self, shape: u32, key: u32) -> bool {
        let name = &self.params[key as usize].name;
        let layout = self.layouts[shape as usize].as_ref();
        layout.is_some_and(|l| l.params.iter().any(|(of, _)| self.params[*of as usize].name == *name))
    }

    pub(super) fn param_key(&self, key: u32) -> &ParamKey {
        &self.params[key as usize]
    }

    pub(super) fn pattern(&self, number: u32) -> &Pattern {
        &self.patterns[number as usize]
    }

    /// Where a URL of some shape has the value of a key, among all its values; nothing where it has no such key.
    pub(super) fn place(&self, shape: u32, key: Key) -> Option<usize> {
        let layout = self.layouts[shape as usize].as_ref()?;
        match key {
            Key::Scheme => Some(0),
            Key::Host => Some(layout.host),
            Key::Start(i) => layout.path.clone().nth(usize::from(i)),
            Key::End(i) => layout.path.clone().nth_back(usize::from(i)),
            Key::Param(key) => layout.param(key),
        }
    }

    /// The value of a key; nothing where the URL has no such key.
    pub(super) fn value(&self, row: u32, key: Key) -> Option<u32> {
        self.place(self.site.shape_of(row), key).map(|at| self.site.values_of(row)[at])
    }

    /// How many components the path of a URL of some shape has.
    pub(super) fn depth(&self, shape: u32) -> usize {
        self.layouts[shape as usize].as_ref().map_or(0, |layout| layout.path.len())
    }

    /// The deep tokens of the i-th component of a path of `count`.
    pub(super) fn cut_segment(&self, value: u32, i: usize, count: usize) -> Cut<'_> {
        self.cut_of(segment_group(i, count), value)
    }

    /// The deep tokens of a parameter's value.
    pub(super) fn cut_param(&self, key: u32, value: u32) -> Cut<'_> {
        self.cut_of(param_group(key), value)
    }

    /// The deep tokens of the value that URLs of some shape have for a key.
    pub(super) fn cut(&self, shape: u32, key: Key, value: u32) -> Cut<'_> {
        let count = self.depth(shape);
        match key {
            Key::Start(i) => self.cut_segment(value, usize::from(i), count),
            Key::End(i) => self.cut_segment(value, count - 1 - usize::from(i), count),
            Key::Param(param) => self.cut_param(param, value),
            Key::Scheme | Key::Host => Cut { pattern: WHOLE, holes: &[] },
        }
    }

    /// The cut of a value without structure has no ranges: its one hole is all of it.
    fn cut_of(&self, group: usize, value: u32) -> Cut<'_> {
        let Tokens { values, deep, patterns } = &self.tokens[group];
        let place = deep.as_ref().and_then(|deep| Some((deep, *values.get(&value)? as usize)));
        place.map_or(Cut { pattern: WHOLE, holes: &[] }, |(deep, n)| Cut {
            pattern: patterns[deep.pattern_of(n) as usize],
            holes: deep.holes(n),
        })
    }
}

/// Last components are alike wherever they are (`index.html`), others by their place.
fn segment_group(i: usize, count: usize) -> usize {
    if i + 1 == count { LAST } else { i.min(MAX_POSITIONS - 1) }
}

fn param_group(key: u32) -> usize {
    LAST + 1 + key as usize
}

/// Numbers the parameters of a site.
#[derive(Default)]
struct Params {
    keys: Vec<ParamKey>,
    numbers: HashMap<ParamKey, u32>,
}

impl Params {
    /// Nothing for URLs that no rule of this learner matches: with a user, a fragment, a bare `?`, or too many keys.
    fn lay_out(&mut self, shape: &Shape) -> Option<Layout> {
        if shape.keys.len() > MAX_KEYS {
            return None;
        }
        let mut layout = Layout { host: 0, port: None, path: 0..0, params: Vec::new(), separator: b'&' };
        for (at, key) in shape.keys.iter().enumerate() {
            match key {
                SiteKey::Scheme => {}
                SiteKey::Userinfo | SiteKey::Fragment => return None,
                SiteKey::Host => layout.host = at,
                SiteKey::Port => layout.port = Some(at),
                SiteKey::Segment(0) => layout.path = at..at + 1,
                SiteKey::Segment(_) => layout.path.end = at + 1,
                SiteKey::Param { name, nth, separator } => {
                    layout.add(self.number(name, *nth, false), at, *separator);
                }
                SiteKey::Flag { name, nth, separator } => {
                    layout.add(self.number(name, *nth, true), at, *separator);
                }
            }
        }
        layout.params.sort_unstable();
        (!shape.empty_query && !layout.path.is_empty()).then_some(layout)
    }

    fn number(&mut self, name: &[u8], nth: u32, is_flag: bool) -> u32 {
        let key = ParamKey { name: name.to_vec(), nth, is_flag };
        let next = self.keys.len() as u32;
        *self.numbers.entry(key).or_insert_with_key(|key| {
            self.keys.push(key.clone());
            next
        })
    }
}

impl Layout {
    fn param(&self, key: u32) -> Option<usize> {
        // There are few: looking at each is faster than halving.
        self.params.iter().find(|(of, _)| *of == key).map(|(_, at)| *at)
    }

    fn add(&mut self, key: u32, at: usize, separator: u8) {
        if separator != b'?' {
            self.separator = separator;
        }
        self.params.push((key, at));
    }
}

/// Two hashes as one; the order matters.
fn mix(a: u64, b: u64) -> u64 {
    let product = u128::from(a ^ 0x9E37_79B9_7F4A_7C15) * u128::from(b ^ 0xD6E8_FEB8_6659_FD93);
    (product as u64) ^ ((product >> 64) as u64)
}

pub(super) fn scheme_hash(value: u64) -> u64 {
    mix(1, value)
}

pub(super) fn host_hash(value: u64) -> u64 {
    mix(2, value)
}

pub(super) fn port_hash(value: u64) -> u64 {
    mix(3, value)
}

pub(super) fn param_hash(key: u32, value: u64) -> u64 {
    mix(16 + u64::from(key), value)
}

/// The hash of a path, of its components' hashes. Without any, it is `/`.
pub(super) fn path_hash(components: impl Iterator<Item = u64>) -> u64 {
    let mut hash = 4;
    let mut is_empty = true;
    for component in components {
        hash = mix(hash, component);
        is_empty = false;
    }
    if is_empty { mix(hash, xxh3_64(b"")) } else { hash }
}

#[cfg(test)]
mod tests {
    use undust::page::Page;

    use super::*;

    fn site(urls: &[(&str, &str, f64)]) -> Site {
        let page = |&(url, label, importance): &(&str, &str, f64)| Page {
            cluster: Some(label.to_owned()),
            importance: Some(importance),
            ..Page::new(url)
        };
        Site::new("a.com", &urls.iter().map(page).collect::<Vec<_>>(), 0)
    }

    fn row_of(site: &Site, url: &str) -> u32 {
        let is_it = |row: &u32| {
            let mut out = Vec::new();
            site.write_url(*row, &mut out);
            out == url.as_bytes()
        };
        (0..site.len() as u32).find(is_it).unwrap()
    }

    #[test]
    fn hashes_follow_parts_not_their_order() {
        let urls = [
            "http://a.com/x?a=1&b=2",
            "http://a.com/x?b=2;a=1",
            "http://a.com/x?b=2",
            "http://a.com/x/y?b=2",
        ];
        let site = site(&urls.map(|url| (url, "c", 0.0)));
        let view = View::new(&site.sample(0));
        let [ordered, other, shorter, deeper] = urls.map(|url| row_of(&site, url));
        assert_eq!(view.url_hash(ordered), view.url_hash(other));
        assert!(view.differ_in_order(ordered, other) && !view.differ_in_order(ordered, ordered));
        let (a, value) = view.params(ordered).find(|(key, _)| view.param_key(*key).name == b"a").unwrap();
        let without = view.url_hash(ordered).wrapping_sub(param_hash(a, view.hash_of(value)));
        assert_eq!(view.find(without), Some(shorter));
        assert_ne!(view.url_hash(shorter), view.url_hash(deeper));
        assert_eq!(view.value(deeper, Key::End(0)), view.value(deeper, Key::Start(1)));
        assert_eq!(view.value(shorter, Key::Start(1)), None);
    }

    #[test]
    fn urls_that_are_not_spoken_of() {
        let urls = ["http://u@a.com/x", "http://a.com/x?", "http://a.com/x"];
        let site = site(&urls.map(|url| (url, "c", 0.0)));
        let view = View::new(&site.sample(0));
        assert_eq!(urls.map(|url| view.knows(row_of(&site, url))), [false, false, true]);
    }
}
