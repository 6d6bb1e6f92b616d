//! From a rule set to a [`Canonicalizer`]: rules found by site first, then by the rarest thing they ask of a URL.

use std::borrow::Cow;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use super::form::{Form, in_form};
use super::program::Program;
use super::scratch::Scratch;
use super::{MAX_STEPS, too_long};
use crate::rules::template::{Item, QueryKind, Template, as_literal};
use crate::rules::{Action, EVERY_SITE, Review, Rule, RuleSet};
use crate::url::{SiteBy, SplitUrl, normalize};

/// A compiled rule set: immutable, shared between threads, its cost per URL independent of the number of rules.
pub struct Canonicalizer {
    normalize: bool,
    site_by: SiteBy,
    /// Hash of a site's name to its number.
    sites: HashMap<u64, u32, Ready>,
    indexes: Vec<SiteIndex>,
    /// Hash of a site's number and a fact to the rules filed under it.
    filed: HashMap<u64, Vec<u32>, Ready>,
    every: SiteIndex,
    programs: Vec<Program>,
}

/// How the rules of one site are found.
#[derive(Default)]
struct SiteIndex {
    name: Vec<u8>,
    number: u32,
    /// Rules that must be tried on every URL of the site.
    always: Vec<u32>,
    /// The kinds of facts that rules are filed under.
    asks: Vec<Ask>,
}

/// What a rule can ask of a URL in one hash lookup.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
enum Ask {
    /// The n-th path component.
    FromStart(u32),
    /// The n-th path component from the end.
    FromEnd(u32),
    /// A parameter's name and value.
    ParamValue,
    /// A parameter's name.
    ParamName,
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

/// Sites with no more rules than this try them one by one: that is cheaper than hashing what they ask.
const FEW: usize = 3;

impl Canonicalizer {
    /// Compile `set`. Rejected rules are left out.
    pub fn new(set: &RuleSet, form: Form) -> Canonicalizer {
        let mut compiled = Canonicalizer {
            normalize: set.normalize,
            site_by: set.site_by,
            sites: HashMap::default(),
            indexes: Vec::new(),
            filed: HashMap::default(),
            every: SiteIndex::default(),
            programs: Vec::new(),
        };
        for (number, site) in (0..).zip(&set.sites) {
            let index = compiled.file_site(number, &site.site, &site.rules, form);
            if site.site == EVERY_SITE {
                compiled.every = index;
            } else {
                compiled.sites.insert(xxh3_64(site.site.as_bytes()), compiled.indexes.len() as u32);
                compiled.indexes.push(index);
            }
        }
        compiled
    }

    fn file_site(&mut self, number: u32, name: &str, rules: &[Rule], form: Form) -> SiteIndex {
        let active = rules.iter().filter(|rule| rule.review != Review::Rejected);
        let actions: Vec<Cow<Action>> = active.filter_map(|rule| in_form(&rule.action, form)).collect();
        let facts: Vec<Vec<(Ask, Vec<u8>)>> = actions.iter().map(|action| facts(action)).collect();
        let mut popularity: HashMap<&(Ask, Vec<u8>), usize> = HashMap::new();
        for fact in facts.iter().flatten() {
            *popularity.entry(fact).or_default() += 1;
        }
        let mut index = SiteIndex { name: name.as_bytes().to_vec(), number, ..SiteIndex::default() };
        for (action, facts) in actions.iter().zip(&facts) {
            let id = self.programs.len() as u32;
            self.programs.push(Program::new(action));
            let rarest = facts.iter().min_by_key(|fact| (popularity[fact], &fact.0));
            match rarest {
                Some((ask, bytes)) if actions.len() > FEW => {
                    self.filed.entry(fact_hash(number, *ask, bytes)).or_default().push(id);
                    if !index.asks.contains(ask) {
                        index.asks.push(*ask);
                    }
                }
                _ => index.always.push(id),
            }
        }
        index.asks.sort_unstable();
        index
    }

    /// The canonical form of `url`, borrowed when it is `url` itself.
    pub fn canonicalize<'u>(&self, url: &'u [u8], scratch: &mut Scratch) -> Cow<'u, [u8]> {
        let start = self.normal(url);
        match self.settle(&start, scratch) {
            None => start,
            Some(settled) => Cow::Owned(settled.to_vec()),
        }
    }

    /// Append the canonical form of `url` to `out`: nothing is allocated once the buffers have grown.
    pub fn append(&self, url: &[u8], scratch: &mut Scratch, out: &mut Vec<u8>) {
        let start = self.normal(url);
        out.extend_from_slice(self.settle(&start, scratch).unwrap_or(&start));
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
        self.settle(&start, scratch).is_some() || !self.fire(&start, scratch)
    }

    /// What each rule by itself would make of `url`, for the rules that change it: the number of the rule among those
    /// compiled, in the order of the set, and the result.
    pub fn each_change(&self, url: &[u8], scratch: &mut Scratch, mut report: impl FnMut(u32, Cow<[u8]>)) {
        let Some(split) = SplitUrl::new(url) else { return };
        scratch.lay_out(&split);
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
    fn settle<'s>(&self, start: &[u8], scratch: &'s mut Scratch) -> Option<&'s [u8]> {
        if !self.fire(start, scratch) {
            return None;
        }
        let mut current = std::mem::take(&mut scratch.current);
        let mut settled = false;
        for _ in 1..=MAX_STEPS {
            if too_long(scratch.out.len(), start.len()) {
                break;
            }
            std::mem::swap(&mut current, &mut scratch.out);
            if !self.fire(&current, scratch) {
                settled = true;
                break;
            }
        }
        scratch.current = current;
        settled.then_some(&scratch.current)
    }

    /// Run the first rule that changes `url`, into `scratch.out` (normalised); whether there is one.
    fn fire(&self, url: &[u8], scratch: &mut Scratch) -> bool {
        let Some(split) = SplitUrl::new(url) else { return false };
        let site = self.site_of(split.host());
        if site.is_none() && self.every.is_empty() {
            return false;
        }
        scratch.lay_out(&split);
        site.is_some_and(|index| self.fire_one_of(index, &split, scratch)) || self.fire_one_of(&self.every, &split, scratch)
    }

    fn fire_one_of(&self, index: &SiteIndex, split: &SplitUrl, scratch: &mut Scratch) -> bool {
        let candidates = self.candidates(index, split, scratch);
        let fired = candidates.iter().any(|&id| self.run(id, split, scratch));
        scratch.candidates = candidates;
        fired
    }

    /// Run one rule and normalise what it printed, in `scratch.out`; whether that is a change.
    fn run(&self, id: u32, split: &SplitUrl, scratch: &mut Scratch) -> bool {
        if !self.programs[id as usize].run(split, scratch) {
            return false;
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
        candidates.extend_from_slice(&index.always);
        for ask in &index.asks {
            self.collect(index.number, *ask, split.raw(), scratch, &mut candidates);
        }
        // Rules are numbered in the order in which they are to be tried.
        if !index.asks.is_empty() {
            candidates.sort_unstable();
            candidates.dedup();
        }
        candidates
    }

    /// Add the rules of a site that are filed under what the URL has to say to `ask`.
    fn collect(&self, site: u32, ask: Ask, raw: &[u8], scratch: &Scratch, candidates: &mut Vec<u32>) {
        let mut add = |bytes: &[u8]| {
            if let Some(ids) = self.filed.get(&fact_hash(site, ask, bytes)) {
                candidates.extend_from_slice(ids);
            }
        };
        let segments = &scratch.segments;
        match ask {
            Ask::FromStart(n) => {
                if let Some(segment) = segments.get(n as usize) {
                    add(segment.of_raw(raw));
                }
            }
            Ask::FromEnd(n) => {
                if let Some(segment) = segments.len().checked_sub(n as usize + 1).and_then(|i| segments.get(i)) {
                    add(segment.of_raw(raw));
                }
            }
            Ask::ParamValue => scratch.params.iter().for_each(|p| add(p.whole().of_raw(raw))),
            Ask::ParamName => scratch.params.iter().for_each(|p| add(p.name.of_raw(raw))),
        }
    }

    /// The site a host belongs to: by domain, the longest suffix of the host that has rules.
    fn site_of(&self, host: &[u8]) -> Option<&SiteIndex> {
        if self.indexes.is_empty() {
            return None;
        }
        if host.iter().any(u8::is_ascii_uppercase) {
            return self.site_of_lower(&host.to_ascii_lowercase());
        }
        self.site_of_lower(host)
    }

    fn site_of_lower(&self, host: &[u8]) -> Option<&SiteIndex> {
        let named = |name: &[u8]| {
            let index = &self.indexes[*self.sites.get(&xxh3_64(name))? as usize];
            (index.name == name).then_some(index)
        };
        match self.site_by {
            SiteBy::Host => named(host),
            SiteBy::Domain => {
                let suffixes = memchr::memchr_iter(b'.', host).map(|dot| &host[dot + 1..]);
                std::iter::once(host).chain(suffixes).find_map(named)
            }
        }
    }
}

impl SiteIndex {
    fn is_empty(&self) -> bool {
        self.always.is_empty() && self.asks.is_empty()
    }
}

fn fact_hash(site: u32, ask: Ask, bytes: &[u8]) -> u64 {
    let kind = match ask {
        Ask::FromStart(n) => u64::from(n) << 2,
        Ask::FromEnd(n) => u64::from(n) << 2 | 1,
        Ask::ParamValue => 2,
        Ask::ParamName => 3,
    };
    xxh3_64_with_seed(bytes, u64::from(site) << 32 | kind)
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
