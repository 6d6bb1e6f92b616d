//! A canonical form as a record of fields: scheme, host, path components, parameters; and its hash, the sum of the hashes of its fields.

use undust::url::SplitUrl;

use crate::intern::Interner;

/// A parameter. Texts are numbers of the [`Interner`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Param {
    pub name: u32,
    /// None for a name without `=`.
    pub value: Option<u32>,
    /// Whether `;` stands before it.
    semicolon: bool,
}

/// A canonical form, field by field.
#[derive(Clone, Debug)]
pub(super) struct Record {
    pub scheme: u32,
    pub host: u32,
    pub path: Vec<u32>,
    pub params: Vec<Param>,
    /// Sum of the hashes of its fields.
    pub hash: u64,
}

/// Parameters of a record beyond this number are nobody's design: such records are left alone.
const MAX_PARAMS: usize = 24;
const MAX_COMPONENTS: usize = 24;

impl Record {
    /// The record of a URL; none of those with another port than `port`, a user, a fragment or too many fields.
    pub(super) fn new(url: &[u8], port: Option<&[u8]>, texts: &mut Interner) -> Option<Record> {
        let split = SplitUrl::new(url)?;
        if split.userinfo().is_some() || split.port() != port || split.fragment().is_some() {
            return None;
        }
        let path: Vec<u32> = split.segments().map(|text| texts.intern(text)).collect();
        let mut params = Vec::new();
        let mut at = 0;
        let query = split.query().unwrap_or_default();
        for param in split.params() {
            let length = param.name.len() + param.value.map_or(0, |value| value.len() + 1);
            let semicolon = at > 0 && query.get(at - 1) == Some(&b';');
            at += length + 1;
            params.push(Param {
                name: texts.intern(param.name),
                value: param.value.map(|value| texts.intern(value)),
                semicolon,
            });
        }
        if path.len() > MAX_COMPONENTS || params.len() > MAX_PARAMS {
            return None;
        }
        let mut record = Record {
            scheme: texts.intern(split.scheme()),
            host: texts.intern(split.host()),
            path,
            params,
            hash: 0,
        };
        record.hash = record.sum();
        Some(record)
    }

    fn sum(&self) -> u64 {
        let path = (0..).zip(&self.path).map(|(at, text)| component(at, *text));
        field(SCHEME, self.scheme, 0)
            .wrapping_add(field(HOST, self.host, 0))
            .wrapping_add(length(self.path.len()))
            .wrapping_add(path.fold(0, u64::wrapping_add))
            .wrapping_add(self.query(|_| true))
    }

    /// The share of the hash that the parameters have for which `keep` is true.
    pub(super) fn query(&self, keep: impl Fn(&Param) -> bool) -> u64 {
        let mut hash = 0_u64;
        let mut order = 0_u64;
        let mut last: Option<&Param> = None;
        let mut is_plain = true;
        for param in self.params.iter().filter(|param| keep(param)) {
            hash = hash.wrapping_add(param.hash());
            order = mix(order ^ u64::from(param.name) ^ (u64::from(param.semicolon && last.is_some()) << 40));
            is_plain &= last.is_none_or(|last| last.name < param.name && !param.semicolon);
            last = Some(param);
        }
        if is_plain { hash } else { hash.wrapping_add(order) }
    }

    /// The hash with other parameters.
    pub(super) fn with_query(&self, query: u64) -> u64 {
        self.hash.wrapping_sub(self.query(|_| true)).wrapping_add(query)
    }

    /// Whether there is such a parameter with this value, or without one.
    pub(super) fn holds(&self, param: &Param) -> bool {
        self.params.iter().any(|own| (own.name, own.value) == (param.name, param.value))
    }

    pub(super) fn has(&self, name: u32) -> bool {
        self.params.iter().any(|param| param.name == name)
    }
}

impl Param {
    pub(super) fn hash(&self) -> u64 {
        field(PARAM, self.name, self.value.map_or(u32::MAX, |value| value))
    }
}

const SCHEME: u64 = 1;
const HOST: u64 = 2;
const LENGTH: u64 = 3;
const COMPONENT: u64 = 4;
const PARAM: u64 = 5;
/// The place of a component that does not matter.
pub(super) const STAR: u32 = u32::MAX - 1;

pub(super) fn component(at: usize, text: u32) -> u64 {
    field(COMPONENT ^ (at as u64) << 8, text, 0)
}

pub(super) fn length(components: usize) -> u64 {
    field(LENGTH, components as u32, 0)
}

fn field(kind: u64, a: u32, b: u32) -> u64 {
    mix(mix(kind.wrapping_mul(0x9e37_79b9_7f4a_7c15)) ^ (u64::from(a) << 32 | u64::from(b)))
}

/// The finalizer of splitmix64.
pub(super) fn mix(mut x: u64) -> u64 {
    x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}
