//! Statements that pairs of forms of one page suggest: hosts, components, parameters that come together, shapes that stand for others.

use std::collections::{BTreeMap, BTreeSet};

use super::census::is_script;
use super::judge::MIN_SAVED_FORMS;
use super::propose::Proposer;
use super::record::Record;
use super::statement::{Effect, Scope, Statement, escape};
use super::tokens::{is_id, is_number};

/// Pairs of a page that are compared with its simplest form.
const MAX_PAIRS: usize = 12;
/// Proposals of each kind, those that most pages suggest.
const MAX_PROPOSALS: usize = 120;
/// Parameters that go together.
const MAX_TOGETHER: usize = 5;
/// Parameters of a form that aliases are made of.
const MAX_ALIAS_PARAMS: usize = 8;

pub(super) fn propose(proposer: &mut Proposer<'_>, paths: bool) {
    let mut by_page: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for form in &proposer.forms.alive {
        if proposer.record(*form).is_some() {
            by_page.entry(proposer.forms.major[*form as usize]).or_default().push(*form);
        }
    }
    let mut votes: BTreeMap<Effect, u64> = BTreeMap::new();
    for forms in by_page.values_mut().filter(|forms| forms.len() > 1) {
        forms.sort_by_key(|form| {
            let text = &proposer.forms.text[*form as usize];
            (text.len(), text.clone())
        });
        let mut said: BTreeSet<Effect> = BTreeSet::new();
        let step = (forms.len() / MAX_PAIRS).max(1);
        for other in forms[1..].iter().step_by(step).take(MAX_PAIRS) {
            said.extend(compare(proposer, forms[0], *other, paths));
        }
        for pair in forms.windows(2).step_by(step).take(MAX_PAIRS / 2).skip(1) {
            said.extend(compare(proposer, pair[0], pair[1], paths));
        }
        for effect in said {
            *votes.entry(effect).or_default() += 1;
        }
    }
    let mut order: Vec<(Effect, u64)> = votes.into_iter().filter(|(_, n)| *n >= MIN_SAVED_FORMS).collect();
    order.sort_by(|(a, n), (b, m)| m.cmp(n).then(a.cmp(b)));
    for (effect, _) in order.into_iter().take(MAX_PROPOSALS) {
        proposer.push(Statement::new(Scope::SITE, effect), None, None);
    }
}

fn compare(proposer: &Proposer<'_>, simple: u32, other: u32, paths: bool) -> Vec<Effect> {
    let (Some(a), Some(b)) = (proposer.record(simple), proposer.record(other)) else { return Vec::new() };
    let mut out = Vec::new();
    out.extend(together(proposer, a, b));
    if a.host != b.host
        && a.path == b.path
        && a.params == b.params
        && !proposer.census.any_host.ends_with(|c: char| c.is_ascii_digit())
    {
        for (from, to) in [(b, a), (a, b)] {
            let text = |host: u32| escape(proposer.texts.get(host));
            let from = format!("{{scheme}}://{}/{{...}}?{{...}}", text(from.host));
            out.push(Effect::Templates(from, format!("{{scheme}}://{}/{{...}}?{{...}}", text(to.host))));
        }
    }
    if paths
        && (a.path != b.path || a.params != b.params)
        && a.params.len().max(b.params.len()) <= MAX_ALIAS_PARAMS
    {
        if a.params == b.params {
            out.extend(components(proposer, a, b));
        }
        for wide in [false, true] {
            out.extend(alias(proposer, b, a, wide));
            out.extend(alias(proposer, a, b, wide));
        }
    }
    out
}

/// Parameters that one form has beside those of the other.
fn together(proposer: &Proposer<'_>, a: &Record, b: &Record) -> Vec<Effect> {
    let (few, many) = if a.params.len() < b.params.len() { (a, b) } else { (b, a) };
    if a.path != b.path || few.params.iter().any(|p| !many.holds(p)) {
        return Vec::new();
    }
    let mut more: Vec<(u32, Option<u32>)> =
        many.params.iter().filter(|p| !few.has(p.name)).map(|p| (p.name, p.value)).collect();
    more.sort_unstable();
    more.dedup();
    if more.len() < 2 || more.len() > MAX_TOGETHER {
        return Vec::new();
    }
    let names = more.iter().map(|(name, _)| (*name, None)).collect();
    let is_literal = |name: u32, value: u32| proposer.census.is_scope(name, value);
    let values = more.iter().map(|(name, value)| (*name, value.filter(|v| is_literal(*name, *v)))).collect();
    vec![Effect::Together(names), Effect::Together(values)]
}

/// A component that the other form has not, or has another of.
fn components(proposer: &Proposer<'_>, a: &Record, b: &Record) -> Vec<Effect> {
    let mut out = Vec::new();
    let any_host = &proposer.census.any_host;
    for (from, to) in [(b, a), (a, b)] {
        let (x, y) = (&from.path, &to.path);
        let at = x.iter().zip(y).take_while(|(p, q)| p == q).count();
        if at >= x.len() || at > 3 || !proposer.census.is_component(at, x[at], proposer.texts) {
            continue;
        }
        let text = |id: u32| escape(proposer.texts.get(id));
        let holes: String = (0..at)
            .map(|i| {
                if proposer.census.is_component(i, x[i], proposer.texts) {
                    format!("/{}", text(x[i]))
                } else {
                    format!("/{{p{i}}}")
                }
            })
            .collect();
        let left = format!("{any_host}{holes}/{}/{{...}}?{{...}}", text(x[at]));
        if x.len() == y.len() + 1 && x[at + 1..] == y[at..] {
            out.push(Effect::Templates(left, format!("{any_host}{holes}/{{...}}?{{...}}")));
        } else if x.len() == y.len()
            && x[at + 1..] == y[at + 1..]
            && proposer.census.is_component(at, y[at], proposer.texts)
        {
            out.push(Effect::Templates(left, format!("{any_host}{holes}/{}/{{...}}?{{...}}", text(y[at]))));
        }
    }
    out
}

/// A piece of the left side that the right side may print.
struct Source {
    /// Its text.
    text: Vec<u8>,
    hole: String,
    field: FieldOf,
    /// Pattern of the whole field, where the piece is only a part of it.
    pattern: Option<String>,
}

#[derive(Clone, Copy, PartialEq)]
enum FieldOf {
    Component(usize),
    Tail(usize),
    Param(usize),
}

/// The templates that turn `a` into `b`: frequent texts are written out, others are holes that must come from `a`. With `wide`, texts that both share are holes, too.
fn alias(proposer: &Proposer<'_>, a: &Record, b: &Record, wide: bool) -> Option<Effect> {
    if a.host != b.host {
        return None;
    }
    let texts = |id: u32| proposer.texts.get(id);
    let of = |r: &Record| -> BTreeSet<u32> {
        r.path.iter().copied().chain(r.params.iter().filter_map(|p| p.value)).collect()
    };
    let both: BTreeSet<u32> =
        if wide { of(a).intersection(&of(b)).copied().collect() } else { BTreeSet::new() };
    let fixed = |at: usize, id: u32| {
        proposer.census.is_component(at, id, proposer.texts)
            && !(both.contains(&id) && !is_script(texts(id)) && !texts(id).is_empty())
    };
    let fixed_value = |name: u32, id: u32| {
        proposer.census.is_value(name, id) && !both.contains(&id) && !is_number(texts(id))
    };
    let sources = sources(proposer, a, &fixed, &fixed_value);
    let mut used: Vec<usize> = Vec::new();
    let find = |text: &[u8], used: &mut Vec<usize>| -> Option<String> {
        let at = sources.iter().position(|source| source.text == text)?;
        used.push(at);
        Some(sources[at].hole.clone())
    };
    let mut to = proposer.census.any_host.clone();
    let mut at = 0;
    while at < b.path.len() {
        to.push('/');
        let id = b.path[at];
        if fixed(at, id) {
            to.push_str(&escape(texts(id)));
        } else {
            let tail: Vec<u8> = b.path[at..].iter().map(|id| texts(*id)).collect::<Vec<_>>().join(&b'/');
            let is_tail = |s: &Source| matches!(s.field, FieldOf::Tail(_)) && s.text == tail;
            if at + 1 < b.path.len() && sources.iter().any(is_tail) {
                used.extend(sources.iter().position(is_tail));
                to.push_str("{...}");
                break;
            }
            to.push_str(&find(texts(id), &mut used)?);
        }
        at += 1;
    }
    let mut query = Vec::new();
    for param in &b.params {
        let name = escape(texts(param.name));
        query.push(match param.value {
            None => name,
            Some(value) if fixed_value(param.name, value) => format!("{name}={}", escape(texts(value))),
            Some(value) => format!("{name}={}", find(texts(value), &mut used)?),
        });
    }
    if used.is_empty() {
        return None;
    }
    if !query.is_empty() {
        to = format!("{to}?{}", query.join("&"));
    }
    let used: Vec<&Source> = used.iter().map(|at| &sources[*at]).collect();
    let from = from_side(proposer, a, &used, &fixed, &fixed_value);
    Some(Effect::Templates(from, to))
}

fn sources(
    proposer: &Proposer<'_>,
    a: &Record,
    fixed: &dyn Fn(usize, u32) -> bool,
    fixed_value: &dyn Fn(u32, u32) -> bool,
) -> Vec<Source> {
    let mut out = Vec::new();
    let whole = |text: &[u8], hole: String, field| Source { text: text.to_vec(), hole, field, pattern: None };
    let texts = |id: u32| proposer.texts.get(id);
    for (i, param) in a.params.iter().enumerate() {
        if let Some(value) = param
            .value
            .filter(|v| !texts(*v).is_empty() && (!fixed_value(param.name, *v) || is_id(texts(*v))))
        {
            out.push(whole(texts(value), format!("{{q{i}}}"), FieldOf::Param(i)));
        }
    }
    for (i, id) in a.path.iter().enumerate().filter(|(i, id)| !fixed(*i, **id)) {
        out.push(whole(texts(*id), format!("{{p{i}}}"), FieldOf::Component(i)));
    }
    let first_open = (0..a.path.len()).find(|i| !fixed(*i, a.path[*i]));
    if let Some(i) = first_open.filter(|i| i + 1 < a.path.len()) {
        let tail = a.path[i..].iter().map(|id| texts(*id)).collect::<Vec<_>>().join(&b'/');
        out.push(Source { text: tail, hole: "{...}".to_owned(), field: FieldOf::Tail(i), pattern: None });
    }
    let fields = (0..).zip(&a.path).map(|(i, id)| (FieldOf::Component(i), *id, format!("p{i}")));
    let params =
        a.params.iter().enumerate().filter_map(|(i, p)| Some((FieldOf::Param(i), p.value?, format!("q{i}"))));
    for (field, id, name) in fields.chain(params) {
        let text = texts(id);
        let digits = text.iter().take_while(|b| b.is_ascii_digit()).count();
        if digits == 0 || digits >= text.len() || text[digits].is_ascii_alphanumeric() {
            continue;
        }
        let pattern = format!("{{{name}:digits}}{}{{?}}", escape(&text[digits..=digits]));
        out.push(Source {
            text: text[..digits].to_vec(),
            hole: format!("{{{name}}}"),
            field,
            pattern: Some(pattern),
        });
    }
    out
}

fn from_side(
    proposer: &Proposer<'_>,
    a: &Record,
    used: &[&Source],
    fixed: &dyn Fn(usize, u32) -> bool,
    fixed_value: &dyn Fn(u32, u32) -> bool,
) -> String {
    let texts = |id: u32| proposer.texts.get(id);
    let by = |field: FieldOf| used.iter().find(|source| source.field == field);
    let mut from = proposer.census.any_host.clone();
    for (i, id) in a.path.iter().enumerate() {
        from.push('/');
        if by(FieldOf::Tail(i)).is_some() {
            from.push_str("{...}");
            break;
        }
        match by(FieldOf::Component(i)) {
            Some(Source { pattern: Some(pattern), .. }) => from.push_str(pattern),
            Some(source) => from.push_str(&source.hole),
            None if fixed(i, *id) => from.push_str(&escape(texts(*id))),
            None => from.push('*'),
        }
    }
    let param = |(i, param): (usize, &super::record::Param)| {
        let name = escape(texts(param.name));
        match (param.value, by(FieldOf::Param(i))) {
            (None, _) => name,
            (_, Some(Source { pattern: Some(pattern), .. })) => format!("{name}={pattern}"),
            (_, Some(source)) => format!("{name}={}", source.hole),
            (Some(value), None) if fixed_value(param.name, value) => {
                format!("{name}={}", escape(texts(value)))
            }
            _ => format!("{name}={{?}}"),
        }
    };
    let query: Vec<String> = a.params.iter().enumerate().map(param).collect();
    if query.is_empty() { from } else { format!("{from}?{}", query.join("&")) }
}
