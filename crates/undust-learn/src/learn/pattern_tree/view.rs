//! A site as this learner sees it: a URL is a map from keys to values (Figure 2 of the paper), all of them numbers.
//!
//! The order of parameters and the characters between them are not content, so that they are not in the map.

use hashbrown::HashMap;

use crate::intern::Interner;
use crate::learn::{MAX_KEYS, template_helpers};
use crate::site::{Key as SiteKey, Sample, Shape, Site};

/// What a value belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Key {
    Scheme,
    /// The n-th label of the host, from the left.
    Label(u16),
    Port,
    /// The n-th path component.
    Component(u16),
    /// A parameter, by its number.
    Param(u32),
}

/// A parameter; one without `=` is another one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct ParamKey {
    pub(super) name: Vec<u8>,
    pub(super) is_flag: bool,
}

/// A key of a URL and its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Token {
    /// The number of the key.
    pub(super) key: u32,
    pub(super) value: u32,
}

/// The URLs of a sample that can be spoken of, as tokens. A URL is known by its place here, not by its row in the site.
pub(super) struct View<'s> {
    pub(super) site: &'s Site,
    /// By number.
    pub(super) keys: Vec<Key>,
    params: Vec<ParamKey>,
    rows: Vec<u32>,
    tokens: Vec<Token>,
    /// Where the tokens of each URL end.
    ends: Vec<usize>,
    /// Host labels that are no values of the site; numbered after those.
    labels: Interner,
}

impl<'s> View<'s> {
    pub(super) fn new(sample: &Sample<'s>) -> View<'s> {
        let site = sample.site;
        let mut numbers = Numbers::default();
        let layouts: Vec<Option<Vec<Slot>>> =
            site.shapes().iter().map(|shape| numbers.lay_out(shape)).collect();
        let mut hosts = Hosts { known: HashMap::new(), labels: Interner::new() };
        let (mut rows, mut tokens, mut ends) = (Vec::new(), Vec::new(), Vec::new());
        for &row in &sample.rows {
            let Some(layout) = &layouts[site.shape_of(row) as usize] else { continue };
            for (slot, &value) in layout.iter().zip(site.values_of(row)) {
                match slot {
                    Slot::Key(key) => tokens.push(Token { key: *key, value }),
                    Slot::Host => tokens.extend_from_slice(hosts.tokens(site, value, &mut numbers)),
                }
            }
            rows.push(row);
            ends.push(tokens.len());
        }
        let Numbers { keys, params, .. } = numbers;
        View { site, keys, params, rows, tokens, ends, labels: hosts.labels }
    }

    /// Put the URLs into this order.
    pub(super) fn sort(&mut self, order: &[u32]) {
        let mut tokens = Vec::with_capacity(self.tokens.len());
        let mut ends = Vec::with_capacity(order.len());
        for &url in order {
            tokens.extend_from_slice(self.tokens(url));
            ends.push(tokens.len());
        }
        self.rows = order.iter().map(|&url| self.row(url)).collect();
        (self.tokens, self.ends) = (tokens, ends);
    }

    /// How many URLs there are.
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// How many values there may be.
    pub(super) fn value_count(&self) -> usize {
        self.site.value_count() as usize + self.labels.len()
    }

    /// The row of a URL in the site.
    pub(super) fn row(&self, url: u32) -> u32 {
        self.rows[url as usize]
    }

    /// The page of a URL.
    pub(super) fn cluster(&self, url: u32) -> u32 {
        self.site.cluster(self.row(url))
    }

    pub(super) fn tokens(&self, url: u32) -> &[Token] {
        let url = url as usize;
        let start = if url == 0 { 0 } else { self.ends[url - 1] };
        &self.tokens[start..self.ends[url]]
    }

    /// The value of a key; nothing if the URL does not have it.
    pub(super) fn value(&self, url: u32, key: u32) -> Option<u32> {
        // There are few: looking at each is faster than halving.
        self.tokens(url).iter().find(|token| token.key == key).map(|token| token.value)
    }

    pub(super) fn text(&self, value: u32) -> &[u8] {
        let own = self.site.value_count();
        if value < own { self.site.value(value) } else { self.labels.get(value - own) }
    }

    pub(super) fn param(&self, number: u32) -> &ParamKey {
        &self.params[number as usize]
    }

    /// What a key is called in rules.
    pub(super) fn name(&self, key: u32) -> String {
        match self.keys[key as usize] {
            Key::Scheme => "scheme".to_owned(),
            Key::Label(n) => format!("host-{}", n + 1),
            Key::Port => "port-1".to_owned(),
            Key::Component(n) => format!("path-{}", n + 1),
            Key::Param(n) => {
                template_helpers::param_name(&self.param(n).name).unwrap_or_else(|| format!("value-{n}"))
            }
        }
    }

    /// The URL's parameters in its order, and what stands between them.
    pub(super) fn order(&self, url: u32) -> (Vec<ParamKey>, u8) {
        let shape = &self.site.shapes()[self.site.shape_of(self.row(url)) as usize];
        let mut between = b'&';
        let mut named = |name: &[u8], separator: u8, is_flag: bool| {
            if separator != b'?' {
                between = separator;
            }
            Some(ParamKey { name: name.to_vec(), is_flag })
        };
        let params = shape.keys.iter().filter_map(|key| match key {
            SiteKey::Param { name, separator, .. } => named(name, *separator, false),
            SiteKey::Flag { name, separator, .. } => named(name, *separator, true),
            _ => None,
        });
        (params.collect(), between)
    }
}

impl View<'_> {
    /// Whether the parameters that two URLs have in common stand in the same order.
    pub(super) fn is_in_order_of(&self, one: u32, other: u32) -> bool {
        let (one, other) = (self.order(one).0, self.order(other).0);
        let common = |of: &[ParamKey], in_both: &[ParamKey]| -> Vec<ParamKey> {
            of.iter().filter(|param| in_both.contains(param)).cloned().collect()
        };
        common(&one, &other) == common(&other, &one)
    }
}

/// Where a value of a URL goes.
enum Slot {
    Key(u32),
    /// To the labels of the host.
    Host,
}

/// Numbers for keys, given in the order in which they are first seen.
#[derive(Default)]
struct Numbers {
    keys: Vec<Key>,
    by_key: HashMap<Key, u32>,
    params: Vec<ParamKey>,
    by_param: HashMap<ParamKey, u32>,
}

impl Numbers {
    fn key(&mut self, key: Key) -> u32 {
        let next = self.keys.len() as u32;
        *self.by_key.entry(key).or_insert_with(|| {
            self.keys.push(key);
            next
        })
    }

    fn param(&mut self, name: &[u8], is_flag: bool) -> u32 {
        let next = self.params.len() as u32;
        let param = ParamKey { name: name.to_vec(), is_flag };
        let number = *self.by_param.entry(param).or_insert_with_key(|param| {
            self.params.push(param.clone());
            next
        });
        self.key(Key::Param(number))
    }

    /// Where the values of URLs of this shape go; nothing if they cannot be spoken of.
    fn lay_out(&mut self, shape: &Shape) -> Option<Vec<Slot>> {
        if shape.keys.len() > MAX_KEYS || shape.empty_query {
            return None;
        }
        let slot = |key: &SiteKey| match key {
            SiteKey::Scheme => Some(Slot::Key(self.key(Key::Scheme))),
            SiteKey::Host => Some(Slot::Host),
            SiteKey::Port => Some(Slot::Key(self.key(Key::Port))),
            SiteKey::Segment(n) => Some(Slot::Key(self.key(Key::Component(*n as u16)))),
            SiteKey::Param { name, nth: 0, .. } => Some(Slot::Key(self.param(name, false))),
            SiteKey::Flag { name, nth: 0, .. } => Some(Slot::Key(self.param(name, true))),
            // A parameter that is there twice is rare, and a rule would have to name both.
            SiteKey::Userinfo | SiteKey::Fragment | SiteKey::Param { .. } | SiteKey::Flag { .. } => None,
        };
        shape.keys.iter().map(slot).collect()
    }
}

/// Hosts cut into labels.
struct Hosts {
    known: HashMap<u32, Vec<Token>>,
    labels: Interner,
}

impl Hosts {
    fn tokens(&mut self, site: &Site, host: u32, numbers: &mut Numbers) -> &[Token] {
        let Hosts { known, labels } = self;
        known.entry(host).or_insert_with(|| {
            let text = site.value(host);
            // An IPv6 address is one label.
            let cut: Vec<&[u8]> =
                if text.starts_with(b"[") { vec![text] } else { text.split(|b| *b == b'.').collect() };
            let mut token = |(n, label): (u16, &[u8])| {
                let value =
                    site.find_value(label).unwrap_or_else(|| site.value_count() + labels.intern(label));
                Token { key: numbers.key(Key::Label(n)), value }
            };
            (0..).zip(cut).take(MAX_KEYS).map(&mut token).collect()
        })
    }
}
