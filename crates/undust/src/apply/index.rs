//! The index of the rules of a site: by the most selective fact that they require of a URL, and by their outlines.
//!
//! The index of a site lies behind the code of its rules, two words a rule, so that finding and running a rule touch one
//! stretch of memory.

use std::borrow::Cow;
use std::collections::HashMap;

use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::assemble::assemble;
use super::code::Code;
use super::fixpoint::is_last;
use super::scratch::Scratch;
use crate::rules::template::{Item, QueryKind, Template, as_literal};
use crate::rules::{Action, Substitute, tokens};

/// Where the index of one site is.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SiteIndex {
    /// The kinds of facts that the rules require: one bit for each [`FactKind`].
    asks: u32,
    /// How long the names of parameters are that rules ask for: one bit for each length.
    name_lengths: u32,
    /// The first word of the index, and how many rules are filed there.
    at: u32,
    filed: u32,
}

/// A kind of fact about a URL that one lookup can answer, the most selective first.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum FactKind {
    /// The n-th path component.
    FromStart(u32),
    /// The n-th path component from the end.
    FromEnd(u32),
    /// A parameter's name.
    ParamName,
    /// A parameter's name and value.
    ParamValue,
    /// A token: a maximal run of letters and digits, anywhere.
    Token,
    /// The first label of the host, of rules that match more than one host.
    FirstLabel,
    /// Nothing: the rule is tried on every URL of the site.
    Nothing,
}

/// Path components further from both ends are not indexed.
const MAX_SEGMENTS: u32 = 12;

impl FactKind {
    fn bit(self) -> u32 {
        match self {
            FactKind::FromStart(n) => n,
            FactKind::FromEnd(n) => MAX_SEGMENTS + n,
            FactKind::ParamName => 2 * MAX_SEGMENTS,
            FactKind::ParamValue => 2 * MAX_SEGMENTS + 1,
            FactKind::Token => 2 * MAX_SEGMENTS + 2,
            FactKind::FirstLabel => 2 * MAX_SEGMENTS + 3,
            FactKind::Nothing => 2 * MAX_SEGMENTS + 4,
        }
    }

    fn of_bit(bit: u32) -> FactKind {
        match bit {
            n if n < MAX_SEGMENTS => FactKind::FromStart(n),
            n if n < 2 * MAX_SEGMENTS => FactKind::FromEnd(n - MAX_SEGMENTS),
            n if n == 2 * MAX_SEGMENTS => FactKind::ParamName,
            n if n == 2 * MAX_SEGMENTS + 1 => FactKind::ParamValue,
            n if n == 2 * MAX_SEGMENTS + 2 => FactKind::Token,
            n if n == 2 * MAX_SEGMENTS + 3 => FactKind::FirstLabel,
            _ => FactKind::Nothing,
        }
    }

    /// The hash of a fact. Collisions are harmless: rules are tested in full.
    fn fact(self, answer: &[u8]) -> u32 {
        xxh3_64_with_seed(answer, u64::from(self.bit())) as u32
    }

    /// The values of this kind in the URL.
    fn each_value(self, raw: &[u8], scratch: &Scratch, mut report: impl FnMut(&[u8])) {
        let segments = &scratch.segments;
        match self {
            FactKind::FromStart(n) => {
                segments.get(n as usize).into_iter().for_each(|s| report(s.of_raw(raw)));
            }
            FactKind::FromEnd(n) => {
                segments.iter().nth_back(n as usize).into_iter().for_each(|s| report(s.of_raw(raw)));
            }
            FactKind::ParamName => scratch.params.iter().for_each(|p| report(p.name.of_raw(raw))),
            FactKind::ParamValue => scratch.params.iter().for_each(|p| report(p.whole().of_raw(raw))),
            FactKind::Token => tokens(raw).for_each(report),
            FactKind::FirstLabel => {
                scratch.labels.first().into_iter().for_each(|label| report(label.of_raw(raw)));
            }
            FactKind::Nothing => report(b""),
        }
    }
}

/// Sites with more rules do not compare all pairs for fixed points ([`is_last`]).
const MAX_RULES_COMPARED: usize = 64;

/// A fact shared by more rules is not selective enough; up to 8 rules are quickly tried one by one.
const MAX_RULES_PER_FACT: usize = 8;

impl SiteIndex {
    /// Compile rules of one site, in the order in which they are to be tried, with their numbers.
    pub(super) fn new(actions: &[Cow<Action>], numbers: &[u32], code: &mut Code) -> SiteIndex {
        code.next_site();
        let facts: Vec<Vec<(FactKind, Vec<u8>)>> = actions.iter().map(|action| facts(action)).collect();
        let mut popularity: HashMap<&(FactKind, Vec<u8>), usize> = HashMap::new();
        for fact in facts.iter().flatten() {
            *popularity.entry(fact).or_default() += 1;
        }
        let mut index = SiteIndex { filed: actions.len() as u32, ..SiteIndex::default() };
        let mut filed: Vec<Filed> = Vec::with_capacity(actions.len());
        for ((action, facts), &number) in actions.iter().zip(&facts).zip(numbers) {
            let telling = facts.iter().find(|fact| popularity[fact] <= MAX_RULES_PER_FACT);
            let (ask, answer) = telling
                .or_else(|| facts.iter().min_by_key(|fact| popularity[fact]))
                .map_or((FactKind::Nothing, &b""[..]), |(ask, answer)| (*ask, answer));
            index.asks |= 1 << ask.bit();
            if ask == FactKind::ParamName {
                index.name_lengths |= length_bit(answer);
            }
            let last = actions.len() <= MAX_RULES_COMPARED && is_last(action, actions);
            let rule = assemble(action, number, last, code);
            filed.push(Filed { fact: ask.fact(answer), rule, outline: Outline::of_rule(action) });
        }
        filed.sort_by_key(|filed| (filed.fact, filed.rule));
        index.at = code.words.len() as u32;
        code.words.extend(filed.into_iter().flat_map(Filed::pack));
        index
    }

    pub(super) fn is_empty(&self) -> bool {
        self.filed == 0
    }

    /// The rules that may fire on the URL that `scratch` is laid out for, in order, into `candidates`.
    pub(super) fn find(&self, code: &Code, raw: &[u8], scratch: &Scratch, candidates: &mut Vec<u32>) {
        candidates.clear();
        let outline = Outline::of_url(raw, scratch);
        let filed = &code.words[self.at as usize..][..2 * self.filed as usize];
        let mut asks = self.asks;
        while asks != 0 {
            let ask = FactKind::of_bit(asks.trailing_zeros());
            asks &= asks - 1;
            ask.each_value(raw, scratch, |answer| {
                // Most names are not even as long as one that is asked for: no need to hash them.
                if ask != FactKind::ParamName || self.name_lengths & length_bit(answer) != 0 {
                    add_filed(filed, ask.fact(answer), outline, candidates);
                }
            });
        }
        if candidates.len() > 1 {
            // Code lies in the order in which rules are to be tried.
            candidates.sort_unstable();
            candidates.dedup();
        }
    }
}

/// The bit of a text's length; all long texts share one.
fn length_bit(text: &[u8]) -> u32 {
    1 << text.len().min(31)
}

/// Add the rules filed under a fact that may match a URL of this outline; `filed` is sorted.
fn add_filed(filed: &[u64], fact: u32, outline: Outline, candidates: &mut Vec<u32>) {
    // A few entries lie in a few cache lines: walking them beats searching.
    let start = if filed.len() <= 32 { 0 } else { first_under(filed, fact) };
    for pair in filed[start..].chunks_exact(2) {
        let found = pair[0] as u32;
        if found > fact {
            break;
        }
        if found == fact && Outline::unpack(pair[1]).fits(outline) {
            candidates.push((pair[0] >> 32) as u32);
        }
    }
}

/// Where the rules under `fact` begin, or would.
fn first_under(filed: &[u64], fact: u32) -> usize {
    let (mut low, mut high) = (0, filed.len() / 2);
    while low < high {
        let middle = usize::midpoint(low, high);
        if (filed[2 * middle] as u32) < fact {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    2 * low
}

/// One rule under one fact, with its outline, which rejects most URLs without fetching the rule from memory.
struct Filed {
    fact: u32,
    /// Where its code starts.
    rule: u32,
    outline: Outline,
}

impl Filed {
    fn pack(self) -> [u64; 2] {
        [u64::from(self.fact) | u64::from(self.rule) << 32, self.outline.pack()]
    }
}

/// A coarse summary of a rule's requirements or of a URL: if a rule matches a URL, the rule's outline fits the URL's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
        let Some(from) = action.matches() else { return outline };
        let open = from.path.iter().any(|item| matches!(item, Item::Rest(_)));
        let least = capped(from.path.len() - usize::from(open));
        outline.segments = (least, if open { u8::MAX } else { least });
        let (mut named, mut others) = (0, false);
        for item in from.query.iter().flatten() {
            named += usize::from(!item.kind.taken_names().is_empty());
            others |= matches!(item.kind, QueryKind::Others { .. });
        }
        outline.count = (capped(named), if others { u8::MAX } else { capped(named) });
        for (ask, bytes) in template_facts(from) {
            if matches!(ask, FactKind::ParamName | FactKind::ParamValue) {
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

    fn pack(self) -> u64 {
        let bytes = [self.segments.0, self.segments.1, self.count.0, self.count.1];
        u64::from(self.params) | u64::from(u32::from_le_bytes(bytes)) << 32
    }

    fn unpack(word: u64) -> Outline {
        let [a, b, c, d] = ((word >> 32) as u32).to_le_bytes();
        Outline { params: word as u32, segments: (a, b), count: (c, d) }
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

/// The facts that a rule requires and one lookup can answer. A URL that a rule matches has all of these.
fn facts(action: &Action) -> Vec<(FactKind, Vec<u8>)> {
    match action {
        Action::Substitute(substitute) => token_facts(substitute),
        Action::Rewrite(rewrite) => template_facts(rewrite.matches()),
        Action::Skip(skip) => template_facts(skip.matches()),
    }
}

/// A place is on token borders, so that every token of what is replaced is a whole token of the URL. Long ones come first:
/// they are more selective. Words of most URLs are the least.
fn token_facts(substitute: &Substitute) -> Vec<(FactKind, Vec<u8>)> {
    let usual = |token: &[u8]| matches!(token, b"http" | b"https" | b"www" | b"com");
    let mut found: Vec<&[u8]> = tokens(substitute.from()).collect();
    found.sort_by_key(|token| (usual(token), std::cmp::Reverse(token.len())));
    found.into_iter().map(|token| (FactKind::Token, token.to_vec())).collect()
}

fn template_facts(template: &Template) -> Vec<(FactKind, Vec<u8>)> {
    let mut facts = Vec::new();
    let rest = template.path.iter().position(|item| matches!(item, Item::Rest(_)));
    for (i, item) in template.path.iter().enumerate() {
        let Item::One(text) = item else { continue };
        let Some(bytes) = as_literal(text) else { continue };
        let from_end = template.path.len() - 1 - i;
        let (place, ask) = if rest.is_none_or(|rest| i < rest) {
            (i, FactKind::FromStart(i as u32))
        } else {
            (from_end, FactKind::FromEnd(from_end as u32))
        };
        if place < MAX_SEGMENTS as usize {
            facts.push((ask, bytes.to_vec()));
        }
    }
    for item in template.query.iter().flatten() {
        let (QueryKind::Param(name, value) | QueryKind::If(name, value)) = &item.kind else { continue };
        facts.push((FactKind::ParamName, name.clone()));
        match value {
            None if item.kind.is_condition() => {}
            None => facts.push((FactKind::ParamValue, name.clone())),
            Some(text) => {
                if let Some(bytes) = as_literal(text) {
                    facts.push((FactKind::ParamValue, [name, b"=".as_slice(), bytes].concat()));
                }
            }
        }
    }
    // Last, since it is the least selective. Labels are known where a rule does not name the whole host.
    if template.host.iter().any(|item| item.fixed().is_none())
        && let Some(label) = template.host.first().and_then(Item::fixed)
    {
        facts.push((FactKind::FirstLabel, label.to_vec()));
    }
    facts
}
