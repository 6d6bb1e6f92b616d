//! From a rule set to a [`Canonicalizer`]: rules found by site first, then by the rarest thing they ask of a URL.

use std::borrow::Cow;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use super::form::{Form, in_form};
use super::program::{Code, Program};
use super::scratch::Scratch;
use super::{MAX_STEPS, too_long};
use crate::rules::template::{Item, QueryKind, Template, as_literal};
use crate::rules::{Action, EVERY_SITE, Review, Rule, RuleSet};
use crate::url::{SiteBy, SplitUrl, normalize, split_if_normal};

/// A compiled rule set: immutable, shared between threads, its cost per URL independent of the number of rules.
pub struct Canonicalizer {
    normalize: bool,
    site_by: SiteBy,
    /// By the hash of their names.
    sites: HashMap<u64, SiteIndex, Ready>,
    every: SiteIndex,
    /// The kinds of facts that the rules of each site are filed under, site by site.
    asks: Vec<Ask>,
    /// Facts and the rules filed under them, site by site, sorted. A hash may lie: rules are tested in full.
    filed: Vec<Filed>,
    programs: Vec<Program>,
    code: Code,
    needs_labels: bool,
}

/// How the rules of one site are found: ranges of what all sites keep together, to fetch little from memory.
#[derive(Clone, Copy, Default)]
struct SiteIndex {
    asks: (u32, u32),
    filed: (u32, u32),
}

/// One rule under one fact, with what can be told of the rule without fetching it from memory.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Filed {
    fact: u32,
    id: u32,
    outline: Outline,
}

/// What a rule asks, or a URL has, in outline: if a rule matches a URL, the rule's outline fits the URL's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Outline {
    /// One bit for each parameter's name, and one for each with its value.
    params: u32,
    /// The fewest and the most path components and parameters; 255 is any number.
    segments: (u8, u8),
    count: (u8, u8),
}

impl Outline {
    fn of_rule(action: &Action) -> Outline {
        let mut outline = Outline { params: 0, segments: (0, u8::MAX), count: (0, u8::MAX) };
        let Action::Rewrite(rewrite) = action else { return outline };
        let from = rewrite.matches();
        let open = from.path.iter().any(|item| matches!(item, Item::Rest(_)));
        let least = capped(from.path.len() - usize::from(open));
        outline.segments = (least, if open { u8::MAX } else { least });
        let (mut named, mut others) = (0, false);
        for item in from.query.iter().flatten() {
            named += usize::from(matches!(item.kind, QueryKind::Param(..)));
            others |= matches!(item.kind, QueryKind::Others { .. });
        }
        outline.count = (capped(named), if others { u8::MAX } else { capped(named) });
        for (ask, bytes) in template_facts(from) {
            if matches!(ask, Ask::ParamName | Ask::ParamValue) {
                outline.params |= outline_bit(&bytes);
            }
        }
        outline
    }

    fn of_url(raw: &[u8], scratch: &Scratch) -> Outline {
        let (segments, count) = (capped(scratch.segments.len()), capped(scratch.params.len()));
        let bits = scratch.params.iter().fold(0, |bits, param| {
            bits | outline_bit(param.name.of_raw(raw)) | outline_bit(param.whole().of_raw(raw))
        });
        Outline { params: bits, segments: (segments, segments), count: (count, count) }
    }

    fn fits(self, url: Outline) -> bool {
        let within = |(least, most): (u8, u8), (n, _): (u8, u8)| least <= n && n <= most;
        self.params & !url.params == 0 && within(self.segments, url.segments) && within(self.count, url.count)
    }
}

fn capped(n: usize) -> u8 {
    n.min(usize::from(u8::MAX)) as u8
}

/// A cheap hash to 32 bits: a rule that passes by accident is only tested in vain.
fn outline_bit(bytes: &[u8]) -> u32 {
    let end = |b: Option<&u8>| u32::from(b.copied().unwrap_or_default());
    1 << ((bytes.len() as u32 * 7 + end(bytes.first()) * 3 + end(bytes.last()) * 5) & 31)
}

/// What a rule can ask of a URL in one lookup, the most telling first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
enum Ask {
    /// The n-th path component.
    FromStart(u32),
    /// The n-th path component from the end.
    FromEnd(u32),
    /// A parameter's name.
    ParamName,
    /// A parameter's name and value.
    ParamValue,
    /// Nothing: the rule is tried on every URL of the site.
    Nothing,
}

/// Keys are hashes already.
type Ready = BuildHasherDefault<Passed>;

#[derive(Default)]
struct Passed(u64);

impl Hasher for Passed {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        self.0 = xxh3_64(bytes);
    }
    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

/// So many rules under one fact are quickly tried one by one; a fact that more rules share tells too little.
const CROWD: usize = 8;

impl Canonicalizer {
    /// Compile `set`. Rejected rules are left out.
    pub fn new(set: &RuleSet, form: Form) -> Canonicalizer {
        let mut compiled = Canonicalizer {
            normalize: set.normalize,
            site_by: set.site_by,
            sites: HashMap::default(),
            every: SiteIndex::default(),
            asks: Vec::new(),
            filed: Vec::new(),
            programs: Vec::new(),
            code: Code::default(),
            needs_labels: false,
        };
        for site in &set.sites {
            let index = compiled.file_site(&site.rules, form);
            if site.site == EVERY_SITE {
                compiled.every = index;
            } else {
                compiled.sites.insert(xxh3_64(site.site.as_bytes()), index);
            }
        }
        compiled.needs_labels = compiled.programs.iter().any(Program::needs_labels);
        compiled
    }

    fn file_site(&mut self, rules: &[Rule], form: Form) -> SiteIndex {
        let active = rules.iter().filter(|rule| rule.review != Review::Rejected);
        let actions: Vec<Cow<Action>> = active.filter_map(|rule| in_form(&rule.action, form)).collect();
        let facts: Vec<Vec<(Ask, Vec<u8>)>> = actions.iter().map(|action| facts(action)).collect();
        let mut popularity: HashMap<&(Ask, Vec<u8>), usize> = HashMap::new();
        for fact in facts.iter().flatten() {
            *popularity.entry(fact).or_default() += 1;
        }
        self.code.next_site();
        let mut asks = Vec::new();
        let filed_start = self.filed.len();
        for (action, facts) in actions.iter().zip(&facts) {
            let id = self.programs.len() as u32;
            self.programs.push(Program::new(action, &mut self.code));
            let telling = facts.iter().find(|fact| popularity[fact] <= CROWD);
            let (ask, bytes) = telling
                .or_else(|| facts.iter().min_by_key(|fact| popularity[fact]))
                .map_or((Ask::Nothing, &b""[..]), |(ask, bytes)| (*ask, bytes));
            asks.push(ask);
            self.filed.push(Filed { fact: fact_hash(ask, bytes), id, outline: Outline::of_rule(action) });
        }
        asks.sort_unstable();
        asks.dedup();
        self.filed[filed_start..].sort_unstable();
        let asks_start = self.asks.len() as u32;
        self.asks.append(&mut asks);
        SiteIndex {
            asks: (asks_start, self.asks.len() as u32),
            filed: (filed_start as u32, self.filed.len() as u32),
        }
    }

    /// The canonical form of `url`, borrowed when it is `url` itself.
    pub fn canonicalize<'u>(&self, url: &'u [u8], scratch: &mut Scratch) -> Cow<'u, [u8]> {
        if let Some(split) = self.split_if_normal(url) {
            return self
                .settle(&split, scratch)
                .map_or(Cow::Borrowed(url), |settled| Cow::Owned(settled.to_vec()));
        }
        let start = self.normal(url);
        match SplitUrl::new(&start).and_then(|split| self.settle(&split, scratch)) {
            None => start,
            Some(settled) => Cow::Owned(settled.to_vec()),
        }
    }

    /// Append the canonical form of `url` to `out`: nothing is allocated once the buffers have grown.
    pub fn append(&self, url: &[u8], scratch: &mut Scratch, out: &mut Vec<u8>) {
        if let Some(split) = self.split_if_normal(url) {
            out.extend_from_slice(self.settle(&split, scratch).unwrap_or(url));
            return;
        }
        let start = self.normal(url);
        let settled = SplitUrl::new(&start).and_then(|split| self.settle(&split, scratch));
        out.extend_from_slice(settled.unwrap_or(&start));
    }

    /// The parts of a URL that needs no normalising: the usual case, which is split once.
    fn split_if_normal<'u>(&self, url: &'u [u8]) -> Option<SplitUrl<'u>> {
        if self.normalize { split_if_normal(url) } else { SplitUrl::new(url) }
    }

    /// [`Canonicalizer::canonicalize`] for text.
    pub fn canonicalize_str<'u>(&self, url: &'u str, scratch: &mut Scratch) -> Cow<'u, str> {
        match self.canonicalize(url.as_bytes(), scratch) {
            Cow::Borrowed(same) => match std::str::from_utf8(same) {
                Ok(text) => Cow::Borrowed(text),
                Err(_) => Cow::Owned(String::from_utf8_lossy(same).into_owned()),
            },
            Cow::Owned(bytes) => match String::from_utf8(bytes) {
                Ok(text) => Cow::Owned(text),
                Err(error) => Cow::Owned(String::from_utf8_lossy(error.as_bytes()).into_owned()),
            },
        }
    }

    /// Whether the rules come to rest on `url`, rather than run in a circle.
    pub fn settles(&self, url: &[u8], scratch: &mut Scratch) -> bool {
        let start = self.normal(url);
        let Some(split) = SplitUrl::new(&start) else { return true };
        self.settle(&split, scratch).is_some() || !self.fire(&split, self.site_of(split.host()), scratch)
    }

    /// What each rule by itself would make of `url`, for the rules that change it: the number of the rule among those
    /// compiled, in the order of the set, and the result.
    pub fn each_change(&self, url: &[u8], scratch: &mut Scratch, mut report: impl FnMut(u32, Cow<[u8]>)) {
        let Some(split) = SplitUrl::new(url) else { return };
        scratch.lay_out(&split, self.needs_labels);
        for index in self.site_of(split.host()).into_iter().chain([&self.every]) {
            let candidates = self.candidates(index, &split, scratch);
            for &id in &candidates {
                if self.run(id, &split, scratch) {
                    report(id, Cow::Borrowed(&scratch.out));
                }
            }
            scratch.candidates = candidates;
        }
    }

    fn normal<'u>(&self, url: &'u [u8]) -> Cow<'u, [u8]> {
        if self.normalize { normalize(url) } else { Cow::Borrowed(url) }
    }

    /// Apply rules until none changes anything. `None` when nothing fires, or when the rules run in a circle: then the
    /// URL stays what it was, which keeps canonicalization idempotent whatever the rules are.
    fn settle<'s>(&self, start: &SplitUrl, scratch: &'s mut Scratch) -> Option<&'s [u8]> {
        let site = self.site_of(start.host());
        if !self.fire(start, site, scratch) {
            return None;
        }
        let mut current = std::mem::take(&mut scratch.current);
        let mut settled = false;
        for _ in 1..=MAX_STEPS {
            if too_long(scratch.out.len(), start.raw().len()) {
                break;
            }
            std::mem::swap(&mut current, &mut scratch.out);
            let fired = SplitUrl::new(&current).is_some_and(|split| {
                let stays = split.host() == start.host();
                self.fire(&split, if stays { site } else { self.site_of(split.host()) }, scratch)
            });
            if !fired {
                settled = true;
                break;
            }
        }
        scratch.current = current;
        settled.then_some(&scratch.current)
    }

    /// Run the first rule that changes the URL, into `scratch.out` (normalised); whether there is one.
    fn fire(&self, split: &SplitUrl, site: Option<&SiteIndex>, scratch: &mut Scratch) -> bool {
        if site.is_none() && self.every.is_empty() {
            return false;
        }
        scratch.lay_out(split, self.needs_labels);
        site.is_some_and(|index| self.fire_one_of(index, split, scratch))
            || (!self.every.is_empty() && self.fire_one_of(&self.every, split, scratch))
    }

    fn fire_one_of(&self, index: &SiteIndex, split: &SplitUrl, scratch: &mut Scratch) -> bool {
        let candidates = self.candidates(index, split, scratch);
        let fired = candidates.iter().any(|&id| self.run(id, split, scratch));
        scratch.candidates = candidates;
        fired
    }

    /// Run one rule and normalise what it printed, in `scratch.out`; whether that is a change.
    fn run(&self, id: u32, split: &SplitUrl, scratch: &mut Scratch) -> bool {
        if !self.programs[id as usize].run(&self.code, split, scratch) {
            return false;
        }
        if self.split_if_normal(&scratch.out).is_some() {
            return true;
        }
        let normal = match self.normal(&scratch.out) {
            Cow::Borrowed(same) if same.len() == scratch.out.len() => return true,
            normal => normal.into_owned(),
        };
        scratch.out = normal;
        scratch.out != split.raw()
    }

    /// The rules that may fire, in order, in a buffer borrowed from `scratch`.
    fn candidates(&self, index: &SiteIndex, split: &SplitUrl, scratch: &mut Scratch) -> Vec<u32> {
        let mut candidates = std::mem::take(&mut scratch.candidates);
        candidates.clear();
        let asks = &self.asks[index.asks.0 as usize..index.asks.1 as usize];
        let filed = &self.filed[index.filed.0 as usize..index.filed.1 as usize];
        let outline = Outline::of_url(split.raw(), scratch);
        for &ask in asks {
            each_answer(ask, split.raw(), scratch, |bytes| {
                add_filed(filed, fact_hash(ask, bytes), outline, &mut candidates);
            });
        }
        if candidates.len() > 1 {
            // Rules are numbered in the order in which they are to be tried.
            candidates.sort_unstable();
            candidates.dedup();
        }
        candidates
    }

    /// The site a host belongs to: by domain, the longest suffix of the host that is a site.
    fn site_of(&self, host: &[u8]) -> Option<&SiteIndex> {
        if self.sites.is_empty() {
            return None;
        }
        if host.iter().any(u8::is_ascii_uppercase) {
            return self.site_of_lower(&host.to_ascii_lowercase());
        }
        self.site_of_lower(host)
    }

    /// Sites are known by 64-bit hashes alone: comparing names would cost a fetch from memory for every URL.
    fn site_of_lower(&self, host: &[u8]) -> Option<&SiteIndex> {
        let named = |name: &[u8]| self.sites.get(&xxh3_64(name));
        match self.site_by {
            SiteBy::Host => named(host),
            SiteBy::Domain => {
                let dots =
                    host.iter().enumerate().filter(|(_, b)| **b == b'.').map(|(dot, _)| &host[dot + 1..]);
                std::iter::once(host).chain(dots).find_map(named)
            }
        }
    }
}

impl SiteIndex {
    fn is_empty(&self) -> bool {
        self.asks.0 == self.asks.1
    }
}

/// What the URL has to say to `ask`.
fn each_answer(ask: Ask, raw: &[u8], scratch: &Scratch, mut tell: impl FnMut(&[u8])) {
    let segments = &scratch.segments;
    match ask {
        Ask::FromStart(n) => segments.get(n as usize).into_iter().for_each(|s| tell(s.of_raw(raw))),
        Ask::FromEnd(n) => segments.iter().nth_back(n as usize).into_iter().for_each(|s| tell(s.of_raw(raw))),
        Ask::ParamValue => scratch.params.iter().for_each(|p| tell(p.whole().of_raw(raw))),
        Ask::ParamName => scratch.params.iter().for_each(|p| tell(p.name.of_raw(raw))),
        Ask::Nothing => tell(b""),
    }
}

/// Add the rules filed under a fact that may match a URL of this outline; `filed` is sorted.
fn add_filed(filed: &[Filed], fact: u32, outline: Outline, candidates: &mut Vec<u32>) {
    // A few entries lie in a few cache lines: walking them beats searching.
    let start = if filed.len() <= 16 { 0 } else { filed.partition_point(|filed| filed.fact < fact) };
    for filed in &filed[start..] {
        if filed.fact > fact {
            break;
        }
        if filed.fact == fact && filed.outline.fits(outline) {
            candidates.push(filed.id);
        }
    }
}

fn fact_hash(ask: Ask, bytes: &[u8]) -> u32 {
    let kind = match ask {
        Ask::FromStart(n) => u64::from(n) << 3,
        Ask::FromEnd(n) => u64::from(n) << 3 | 1,
        Ask::ParamName => 2,
        Ask::ParamValue => 3,
        Ask::Nothing => 4,
    };
    xxh3_64_with_seed(bytes, kind) as u32
}

/// Everything a rule asks that one lookup can answer. A URL that a rule matches has all of these.
fn facts(action: &Action) -> Vec<(Ask, Vec<u8>)> {
    match action {
        Action::Substitute(_) => Vec::new(),
        Action::Rewrite(rewrite) => template_facts(rewrite.matches()),
    }
}

fn template_facts(template: &Template) -> Vec<(Ask, Vec<u8>)> {
    let mut facts = Vec::new();
    let rest = template.path.iter().position(|item| matches!(item, Item::Rest(_)));
    for (i, item) in template.path.iter().enumerate() {
        let Item::One(text) = item else { continue };
        let Some(bytes) = as_literal(text) else { continue };
        if rest.is_none_or(|rest| i < rest) {
            facts.push((Ask::FromStart(i as u32), bytes.to_vec()));
        } else {
            facts.push((Ask::FromEnd((template.path.len() - 1 - i) as u32), bytes.to_vec()));
        }
    }
    for item in template.query.iter().flatten() {
        let QueryKind::Param(name, value) = &item.kind else { continue };
        facts.push((Ask::ParamName, name.clone()));
        match value {
            None => facts.push((Ask::ParamValue, name.clone())),
            Some(text) => {
                if let Some(bytes) = as_literal(text) {
                    facts.push((Ask::ParamValue, [name, b"=".as_slice(), bytes].concat()));
                }
            }
        }
    }
    facts
}
