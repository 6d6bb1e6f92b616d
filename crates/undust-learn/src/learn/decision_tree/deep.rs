//! Deep tokenization (section 3.1.2): the delimiters and fixed words that a site uses inside the values of one key, learned
//! from its distinct values alone.
//!
//! The values of a key begin as one node, of which nothing is known: one hole. A node is refined by the words (candidate
//! anchors) that stand in its holes at the same place in many values: those that stand in nearly all of them come first, since they
//! do not split the node (`_Austria_`, `.html`), then one set of few words that does (`ctattractions`, `profile`), then
//! numbers in front of a delimiter (`42-some-slug`). Values with the same fixed text make a child, which is refined again; a node
//! that nothing refines is a leaf, and its pattern cuts its values into deep tokens.
//!
//! Where we deviate from the paper: candidates are also told apart by the hole that they stand in and by being its first,
//! second ... of their kind from either end, without which the paper's own example (`_Austria_Vienna_`) cannot be told apart; whole words
//! count beside runs of one case; numbers never split a node; numeric fields are found; and a pattern is only given to values
//! that the rule engine, which does not backtrack, cuts at the very same places.
//!
//! Every level reads each byte of the values a bounded number of times, statistics are taken from a bounded number of values, and
//! there are at most [`MAX_LEVELS`] levels, so that the time is linear in the bytes of the values. Values are taken in the order of their
//! hashes: what is found does not depend on the order in which they come.

mod cut;
mod lex;
mod select;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::ops::Range;

use undust::rules::template::Class;
use xxhash_rust::xxh3::xxh3_64;

use cut::Grouping;
use select::{Choice, MIN_PATTERN_VALUES};

/// Number of times a value may be refined: each level reads it once more. Real sites need 6, and 10 where a crawler went round in
/// circles.
const MAX_LEVELS: u32 = 16;

/// A leaf pattern: fixed text and holes in turn. Two values with the same pattern have the same structure.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Pattern {
    pub(super) parts: Vec<Part>,
}

/// A part of a pattern.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Part {
    /// These bytes.
    Fixed(Vec<u8>),
    /// Text that is not empty: anything, or digits.
    Hole(Class),
}

/// The deep tokens of the values of one key.
pub(super) struct Deep {
    patterns: Vec<Pattern>,
    of_value: Vec<u32>,
    /// The holes of all values, each value's in one piece.
    holes: Vec<Range<u32>>,
    /// Where in `holes` those of a value are.
    holes_of: Vec<Range<usize>>,
}

impl Deep {
    /// `values`: the distinct values of one key, in any order.
    pub(super) fn new(values: &[&[u8]]) -> Deep {
        let mut building = Building::new(values);
        let mut nodes = vec![Node::root(values)];
        while let Some(node) = nodes.pop() {
            match refine(values, &node) {
                Some(children) => nodes.extend(children),
                None => building.leaf(&node),
            }
        }
        building.deep
    }

    /// The patterns that values have.
    pub(super) fn patterns(&self) -> &[Pattern] {
        &self.patterns
    }

    /// The pattern of the n-th value given to `new`.
    pub(super) fn pattern_of(&self, value: usize) -> u32 {
        self.of_value[value]
    }

    /// The texts of its holes, in order: byte ranges of the value.
    pub(super) fn holes(&self, value: usize) -> &[Range<u32>] {
        &self.holes[self.holes_of[value].clone()]
    }
}

/// Values that have the same fixed text so far.
struct Node {
    values: Vec<u32>,
    /// How many holes each of them has.
    width: usize,
    /// The holes of the first value, of the second ...
    holes: Vec<Range<u32>>,
    /// How many values had this fixed text before some of them got more.
    base: usize,
    level: u32,
}

impl Node {
    /// All values but the empty one, in an order that is their own; one hole each.
    fn root(values: &[&[u8]]) -> Node {
        let mut order: Vec<(u64, u32)> = (0..values.len() as u32)
            .filter(|&v| !values[v as usize].is_empty())
            .map(|v| (xxh3_64(values[v as usize]), v))
            .collect();
        order.sort_unstable_by_key(|&(hash, v)| (hash, values[v as usize]));
        let values_in_order: Vec<u32> = order.into_iter().map(|(_, v)| v).collect();
        let holes = values_in_order.iter().map(|&v| 0..values[v as usize].len() as u32).collect();
        let base = values_in_order.len();
        Node { values: values_in_order, width: 1, holes, base, level: 0 }
    }

    fn holes_of(&self, member: usize) -> &[Range<u32>] {
        &self.holes[member * self.width..][..self.width]
    }
}

/// The children of a node; `None` for a leaf.
fn refine(values: &[&[u8]], node: &Node) -> Option<Vec<Node>> {
    if node.values.len() < MIN_PATTERN_VALUES || node.level == MAX_LEVELS {
        return None;
    }
    let choice = Choice::new(values, node)?;
    let mut grouping = Grouping::default();
    let mut lexer = lex::Lexer::default();
    let mut fixed = Vec::new();
    for (member, &v) in node.values.iter().enumerate() {
        let value = values[v as usize];
        fixed.clear();
        for (place, hole) in node.holes_of(member).iter().enumerate() {
            choice.fix(&mut lexer, value, place, hole, &mut fixed);
        }
        grouping.add(value, member, node.holes_of(member), &mut fixed);
    }
    children(node, grouping)
}

/// The groups that are large enough, and one child of all other values, which stays as it was.
fn children(node: &Node, grouping: Grouping) -> Option<Vec<Node>> {
    let level = node.level + 1;
    let (groups, left) = grouping.finish(MIN_PATTERN_VALUES);
    if groups.is_empty() {
        return None;
    }
    let child = |group: cut::Group| Node {
        values: group.members.iter().map(|&member| node.values[member]).collect(),
        width: group.width,
        base: group.members.len(),
        holes: group.holes,
        level,
    };
    let mut children: Vec<Node> = groups.into_iter().map(child).collect();
    if !left.is_empty() {
        let holes = left.iter().flat_map(|&member| node.holes_of(member)).cloned().collect();
        let values = left.iter().map(|&member| node.values[member]).collect();
        children.push(Node { values, width: node.width, holes, base: node.base, level });
    }
    Some(children)
}

/// Leaves on their way to patterns.
struct Building<'v> {
    values: &'v [&'v [u8]],
    numbers: HashMap<Pattern, u32>,
    deep: Deep,
}

impl<'v> Building<'v> {
    /// Every value has the pattern without parts, until it is in a leaf.
    fn new(values: &'v [&'v [u8]]) -> Building<'v> {
        let deep = Deep {
            patterns: Vec::new(),
            of_value: vec![0; values.len()],
            holes: Vec::new(),
            holes_of: vec![0..0; values.len()],
        };
        let mut building = Building { values, numbers: HashMap::new(), deep };
        if values.iter().any(|value| value.is_empty()) {
            building.number(Pattern { parts: Vec::new() });
        }
        building
    }

    fn number(&mut self, pattern: Pattern) -> u32 {
        let next = self.deep.patterns.len() as u32;
        *self.numbers.entry(pattern).or_insert_with_key(|pattern| {
            self.deep.patterns.push(pattern.clone());
            next
        })
    }

    /// Note the values of a leaf. A handful of values with digits in the same holes have a pattern that says so; other
    /// values have one that says so of holes with digits in all values of the leaf.
    fn leaf(&mut self, node: &Node) {
        let kinds: Vec<u64> = (0..node.values.len()).map(|member| self.digits(node, member)).collect();
        let mut counts: HashMap<u64, usize> = HashMap::new();
        for &kind in &kinds {
            *counts.entry(kind).or_default() += 1;
        }
        let common =
            if kinds.len() < MIN_PATTERN_VALUES { 0 } else { kinds.iter().fold(u64::MAX, |a, b| a & b) };
        let mut patterns: HashMap<u64, u32> = HashMap::new();
        for (member, kind) in kinds.into_iter().enumerate() {
            let (v, holes) = (node.values[member] as usize, node.holes_of(member));
            let digits = if counts[&kind] >= MIN_PATTERN_VALUES { kind } else { common };
            let class = |hole| if has_bit(digits, hole) { Class::Digits } else { Class::Any };
            let pattern = *patterns
                .entry(digits)
                .or_insert_with(|| self.number(cut::pattern(self.values[v], holes, class)));
            self.note(v, pattern, holes);
        }
    }

    /// Which of the first 64 holes of a value hold only digits.
    fn digits(&self, node: &Node, member: usize) -> u64 {
        let value = self.values[node.values[member] as usize];
        let is_number =
            |hole: &Range<u32>| value[hole.start as usize..hole.end as usize].iter().all(u8::is_ascii_digit);
        let numbers = node.holes_of(member).iter().take(64).enumerate().filter(|(_, hole)| is_number(hole));
        numbers.fold(0, |bits, (i, _)| bits | 1 << i)
    }

    fn note(&mut self, value: usize, pattern: u32, holes: &[Range<u32>]) {
        self.deep.of_value[value] = pattern;
        let start = self.deep.holes.len();
        self.deep.holes.extend_from_slice(holes);
        self.deep.holes_of[value] = start..self.deep.holes.len();
    }
}

fn has_bit(bits: u64, number: usize) -> bool {
    number < 64 && bits >> number & 1 == 1
}
