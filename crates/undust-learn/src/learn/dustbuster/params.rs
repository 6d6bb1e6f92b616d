//! Phase 3, parameter substitutions: a parameter whose value does not matter gets one value, or is left out.
//!
//! The paper keeps the details for its technical report. Here: URLs that are equal when a parameter is left out are a group,
//! and a URL without it belongs to the group too. Pairs of a group must be likely similar, nearly all of them, or else the
//! parameter is looked at again for each path by itself. The small-buckets heuristic holds here as well: values that come in
//! large groups (`?t=1`, `?t=2`, …) are items, not DUST, unless the pages are known to be alike.

use std::collections::{BTreeMap, HashMap};

use undust::rules::template::{Class, Convert, Item, Piece, QueryItem, QueryKind, Template, Text, literal};
use undust::rules::{Action, Rewrite};
use undust::url::SplitUrl;
use xxhash_rust::xxh3::xxh3_64;

use super::Settings;
use crate::intern::Interner;
use crate::learn::LikelyRule;
use crate::learn::MAX_KEYS;
use crate::listing::Listing;

/// The likely parameter substitutions of a list.
pub(super) fn likely_params(list: &Listing, settings: &Settings) -> Vec<LikelyRule> {
    let mut words = Interner::new();
    let uses = uses(list, &mut words);
    let rows: HashMap<u64, u32> = (0..list.len() as u32).map(|row| (xxh3_64(list.url(row)), row)).collect();
    // By parameter, then by path.
    let mut tallies: BTreeMap<u32, BTreeMap<u32, Tally>> = BTreeMap::new();
    for group in uses.chunk_by(|a, b| (a.name, a.rest) == (b.name, b.rest)) {
        let absent = rows.get(&group[0].rest).copied();
        let paths = tallies.entry(group[0].name).or_default();
        paths.entry(group[0].path).or_default().add(group, absent, list, settings);
    }
    let place = Place::of(list);
    let mut rules = Vec::new();
    for (name, paths) in tallies {
        let everywhere = paths.values().fold(Tally::default(), Tally::plus);
        let found: Vec<(Option<u32>, Tally)> = if everywhere.is_likely(settings) {
            vec![(None, everywhere)]
        } else {
            let likely = paths.into_iter().filter(|(_, tally)| tally.is_likely(settings));
            likely.map(|(path, tally)| (Some(path), tally)).collect()
        };
        for (path, tally) in found {
            let path = path.map(|path| words.get(path));
            let action = place.action(words.get(name), path, tally.default_value(&words), &words);
            rules.extend(action.map(|action| LikelyRule {
                action,
                support: tally.similar,
                example: tally.example.unwrap_or_default(),
            }));
        }
    }
    rules
}

/// A parameter in a URL.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Use {
    name: u32,
    /// A hash of the URL without it.
    rest: u64,
    path: u32,
    row: u32,
    value: u32,
}

/// All parameters of all URLs, in order. One that stands twice in a URL, or without `=`, has no value to substitute.
fn uses(list: &Listing, words: &mut Interner) -> Vec<Use> {
    let mut uses = Vec::new();
    let mut rest = Vec::new();
    for row in 0..list.len() as u32 {
        let Some(url) = SplitUrl::new(list.url(row)) else { continue };
        // Each parameter is left out of the whole URL once: that is not for URLs of thousands.
        if url.params().count() > MAX_KEYS {
            continue;
        }
        let path = words.intern(url.path());
        for (i, param) in url.params().enumerate() {
            let twice = url.params().filter(|other| other.name == param.name).count() > 1;
            let Some(value) = param.value.filter(|_| !twice && !param.name.is_empty()) else { continue };
            leave_out(&url, i, &mut rest);
            let (name, value) = (words.intern(param.name), words.intern(value));
            uses.push(Use { name, rest: xxh3_64(&rest), path, row, value });
        }
    }
    uses.sort_unstable();
    uses
}

/// `url` without its parameter number `left_out`, into `out`.
fn leave_out(url: &SplitUrl, left_out: usize, out: &mut Vec<u8>) {
    out.clear();
    let query = url.query().map_or(0, |query| query.len() + 1);
    let base = url.without_fragment();
    out.extend_from_slice(&base[..base.len() - query]);
    let mut first = true;
    for (_, param) in url.params().enumerate().filter(|(i, _)| *i != left_out) {
        out.push(if first { b'?' } else { param.separator });
        first = false;
        out.extend_from_slice(param.name);
        if let Some(value) = param.value {
            out.push(b'=');
            out.extend_from_slice(value);
        }
    }
}

/// What groups say of a parameter.
#[derive(Clone, Default)]
struct Tally {
    /// Pairs of URLs compared, and those of them that are likely similar.
    pairs: u64,
    similar: u64,
    /// Groups of which all pairs are, and those of them with a URL without the parameter.
    groups: u64,
    with_absent: u64,
    /// In how many such groups each value is.
    values: BTreeMap<u32, u64>,
    example: Option<(u32, u32)>,
}

/// What becomes of a parameter.
#[derive(Clone, Copy)]
enum Standard {
    /// It is left out.
    Absent,
    /// It gets this value.
    Value(u32),
    /// Its value is irrelevant, and no value stands out.
    Any,
}

impl Tally {
    fn add(&mut self, group: &[Use], absent: Option<u32>, list: &Listing, settings: &Settings) {
        let kept = absent.unwrap_or(group[0].row);
        let others = group.iter().filter(|other| other.row != kept);
        let small = group.len() + usize::from(absent.is_some()) <= settings.t_low;
        let similar = |other: &&Use| {
            let (a, b) = (list.seen(kept), list.seen(other.row));
            settings.similar.likely(a, b) && (small || settings.similar.is_known(a, b))
        };
        let (pairs, alike) = (others.clone().count() as u64, others.filter(similar).count() as u64);
        self.pairs += pairs;
        self.similar += alike;
        if pairs == 0 || alike < pairs {
            return;
        }
        self.groups += 1;
        self.with_absent += u64::from(absent.is_some());
        for values in group.chunk_by(|a, b| a.value == b.value) {
            *self.values.entry(values[0].value).or_default() += 1;
        }
        let last = group[group.len() - 1].row;
        self.example = self.example.or((last != kept).then_some((last, kept)));
    }

    fn plus(mut self, other: &Tally) -> Tally {
        self.pairs += other.pairs;
        self.similar += other.similar;
        self.groups += other.groups;
        self.with_absent += other.with_absent;
        for (value, groups) in &other.values {
            *self.values.entry(*value).or_default() += groups;
        }
        self.example = self.example.or(other.example);
        self
    }

    fn is_likely(&self, settings: &Settings) -> bool {
        self.groups >= settings.min_support
            && self.similar as f64 >= (1.0 - settings.max_unlike) * self.pairs as f64
    }

    /// Left out, if some URL does without; else the value that most groups have, if there is one.
    fn default_value(&self, words: &Interner) -> Standard {
        if self.with_absent > 0 {
            return Standard::Absent;
        }
        let rank = |value: u32, groups: u64| (groups, std::cmp::Reverse(words.get(value)));
        match self.values.iter().max_by_key(|(value, groups)| rank(**value, **groups)) {
            Some((value, groups)) if groups * 2 > self.groups => Standard::Value(*value),
            _ => Standard::Any,
        }
    }
}

/// Where rules hold: the one scheme and host of the list, or any of the site's. A port that not all URLs have is not spoken of.
struct Place {
    scheme: Text,
    host: Vec<Item>,
    port: Option<Text>,
}

impl Place {
    fn of(list: &Listing) -> Place {
        let mut splits = list.urls().filter_map(SplitUrl::new);
        let first = splits.next();
        let one = |same: fn(&SplitUrl, &SplitUrl) -> bool| {
            first.filter(|first| list.urls().filter_map(SplitUrl::new).all(|url| same(first, &url)))
        };
        let scheme = one(|a, b| a.scheme() == b.scheme());
        let host = one(|a, b| a.host() == b.host());
        let port = one(|a, b| a.port() == b.port());
        Place {
            scheme: scheme.map_or_else(|| vec![Piece::hole("scheme")], |url| literal(url.scheme())),
            host: host.map_or_else(
                || vec![Item::Rest(Convert::Copy)],
                |url| url.labels().map(|label| Item::One(literal(label))).collect(),
            ),
            port: port.and_then(|url| url.port()).map(literal),
        }
    }

    /// The substitution of `name` on `path`, or on every path.
    fn action(
        &self,
        name: &[u8],
        path: Option<&[u8]>,
        default: Standard,
        words: &Interner,
    ) -> Option<Action> {
        let items = |path: &[u8]| -> Vec<Item> {
            let components = path.strip_prefix(b"/").unwrap_or(path).split(|b| *b == b'/');
            components.map(|component| Item::One(literal(component))).collect()
        };
        let path = path.map_or_else(|| vec![Item::Rest(Convert::Copy)], items);
        let item = |kind| QueryItem { separator: b'&', kind };
        let param = |value| item(QueryKind::Param(name.to_vec(), Some(value)));
        let template = |param: Option<QueryItem>| Template {
            scheme: self.scheme.clone(),
            host: self.host.clone(),
            port: self.port.clone(),
            path: path.clone(),
            query: Some(param.into_iter().chain([item(QueryKind::OTHERS)]).collect()),
            ..Template::default()
        };
        let any =
            Piece::Hole { name: String::new(), class: Class::Any, optional: true, convert: Convert::Copy };
        let becomes = match default {
            Standard::Absent => None,
            Standard::Value(value) => Some(param(literal(words.get(value)))),
            Standard::Any => Some(param(vec![Piece::Star])),
        };
        Rewrite::new(template(Some(param(vec![any]))), template(becomes)).ok().map(Action::Rewrite)
    }
}
