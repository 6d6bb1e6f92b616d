//! A finer proof for few rules: states of a URL after several of them have fired, not only after the last one.
//!
//! `/{x}` -> `/a/{x}` and `/{x}/{y}` -> `/{y}` feed each other by the look of them. But what the first prints begins with `a`, and so on:
//! such states are walked one after another, and if none is met again, no run is endless.

use std::collections::BTreeMap;

use super::super::fixpoint::{Trust, has_others};
use super::super::naive::fits;
use super::cycles;
use crate::rules::template::{Convert, Item, Piece, QueryKind, Template, Text, as_literal};
use crate::rules::{Action, Rewrite};

/// More rules are not analysed.
const MAX_RULES: usize = 100;

/// With more states, the proof is given up.
const MAX_STATES: usize = 2000;

/// One part of a URL, as far as it is known.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Fixed(Vec<u8>),
    /// Anything; the same number is the same text.
    Open(usize),
}

/// A URL, as far as it is known: its scheme, its host, the components of its path, and whether it has no query.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct State {
    parts: Vec<Part>,
    may_have_query: bool,
}

/// Whether the states that `rules` can print are finitely many and on no cycle.
pub(super) fn terminates(rules: &[&Action], normalize: bool) -> bool {
    let simple = |action: &&Action| match action {
        Action::Rewrite(rewrite) if Trust::of(action, normalize) == Trust::All && is_simple(rewrite) => {
            Some(rewrite.clone())
        }
        _ => None,
    };
    let rewrites: Option<Vec<Rewrite>> = rules.iter().take(MAX_RULES + 1).map(simple).collect();
    let Some(rewrites) = rewrites.filter(|rewrites| rewrites.len() <= MAX_RULES) else { return false };
    let mut walk = StateGraph::default();
    for rewrite in &rewrites {
        walk.number(renumbered(print(rewrite.becomes(), &BTreeMap::new(), true)));
    }
    let mut next: Vec<Vec<usize>> = Vec::new();
    while next.len() < walk.states.len() {
        if walk.states.len() > MAX_STATES {
            return false;
        }
        let state = walk.states[next.len()].clone();
        let after = rewrites.iter().filter_map(|rewrite| fire(&state, rewrite));
        next.push(after.map(|state| walk.number(state)).collect());
    }
    let all: Vec<usize> = (0..next.len()).collect();
    cycles(&all, |a, b| next[a].contains(&b)).is_empty()
}

/// The states met so far.
#[derive(Default)]
struct StateGraph {
    known: BTreeMap<State, usize>,
    states: Vec<State>,
}

impl StateGraph {
    fn number(&mut self, state: State) -> usize {
        *self.known.entry(state).or_insert_with_key(|state| {
            self.states.push(state.clone());
            self.states.len() - 1
        })
    }
}

/// Only fixed hosts and paths without `{...}` are walked.
fn is_simple(rewrite: &Rewrite) -> bool {
    let (from, to) = (rewrite.matches(), rewrite.becomes());
    let one = |item: &Item| matches!(item, Item::One(_));
    [from, to].iter().all(|t| t.host.iter().all(|i| i.fixed().is_some()) && t.path.iter().all(one))
}

/// The texts of the parts of a template.
fn texts(template: &Template) -> Vec<Text> {
    let one = |item: &Item| if let Item::One(text) = item { text.clone() } else { Text::new() };
    let mut parts = vec![template.scheme.clone()];
    let labels: Vec<&[u8]> = template.host.iter().filter_map(Item::fixed).collect();
    parts.push(vec![Piece::Literal(labels.join(&b'.'))]);
    parts.extend(template.path.iter().map(one));
    parts
}

/// Whether a match asks for a query: `{...}` alone may be nothing.
fn needs_query(from: &Template) -> bool {
    let asks = |kind: &QueryKind| !kind.taken_names().is_empty() || matches!(kind, QueryKind::If(..));
    from.query.as_ref().is_some_and(|items| !has_others(items) || items.iter().any(|item| asks(&item.kind)))
}

/// Whether what is printed may have a query, if what was matched may or may not have had one.
fn may_print_query(to: &Template, had_query: bool) -> bool {
    let others = |items: &Vec<_>| has_others(items) && items.len() == 1;
    to.query.as_ref().is_some_and(|items| had_query || !others(items))
}

/// The state of a URL that was printed; holes that nothing is known of get the highest numbers.
fn print(to: &Template, holes: &BTreeMap<String, Part>, had_query: bool) -> State {
    let mut holes = holes.clone();
    let mut fresh = usize::MAX;
    let mut open = || {
        fresh -= 1;
        Part::Open(fresh)
    };
    let part = |text: Text| match (as_literal(&text), text.as_slice()) {
        (Some(bytes), _) => Part::Fixed(bytes.to_vec()),
        (None, [Piece::Star]) => Part::Fixed(b"*".to_vec()),
        (None, [Piece::Hole { name, convert: Convert::Copy, .. }]) => {
            holes.entry(name.clone()).or_insert_with(&mut open).clone()
        }
        _ => open(),
    };
    let parts = texts(to).into_iter().map(part).collect();
    State { parts, may_have_query: may_print_query(to, had_query) }
}

/// The same state, with its open parts numbered in their order.
fn renumbered(mut state: State) -> State {
    let mut numbers: BTreeMap<usize, usize> = BTreeMap::new();
    for part in &mut state.parts {
        if let Part::Open(number) = part {
            let next = numbers.len();
            *number = *numbers.entry(*number).or_insert(next);
        }
    }
    state
}

/// The state after a rule has fired; `None` if it cannot match, or changes nothing.
fn fire(state: &State, rewrite: &Rewrite) -> Option<State> {
    let (from, to) = (rewrite.matches(), rewrite.becomes());
    let patterns = texts(from);
    if patterns.len() != state.parts.len() || (needs_query(from) && !state.may_have_query) {
        return None;
    }
    let parts = fitted(state.parts.clone(), &patterns)?;
    let mut holes: BTreeMap<String, Part> = BTreeMap::new();
    for (part, pattern) in parts.iter().zip(&patterns) {
        if let [Piece::Hole { name, .. }] = pattern.as_slice() {
            holes.entry(name.clone()).or_insert_with(|| part.clone());
        }
    }
    let had_query = state.may_have_query && from.query.is_some();
    let after = print(to, &holes, had_query);
    let same = !had_query && after == State { parts, may_have_query: false };
    (!same).then(|| renumbered(after))
}

/// The parts of a URL that a match fits: an open part that must be some fixed text is that text from now on.
fn fitted(mut parts: Vec<Part>, patterns: &[Text]) -> Option<Vec<Part>> {
    for (i, pattern) in patterns.iter().enumerate() {
        let Some(bytes) = as_literal(pattern) else { continue };
        let fixed = Part::Fixed(bytes.to_vec());
        match parts[i].clone() {
            Part::Fixed(_) if parts[i] != fixed => return None,
            Part::Fixed(_) => {}
            open @ Part::Open(_) => {
                parts.iter_mut().filter(|part| **part == open).for_each(|part| part.clone_from(&fixed));
            }
        }
    }
    let agrees = |(part, pattern): (&Part, &Text)| match part {
        Part::Fixed(bytes) => fits(pattern, bytes),
        Part::Open(_) => true,
    };
    parts.iter().zip(patterns).all(agrees).then_some(parts)
}
