//! `GenerateRule` and `GenerateSpecificRules` (rewrite, algorithms 2 and 4): one rule per pair, sorted by what it looks like.

use std::collections::HashMap;

use super::maps::{Maps, Member};

/// Everything of a specific rule but its values: which keys the source and the target have, and where each value of the
/// target comes from.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Skeleton {
    pub(super) source: u32,
    pub(super) target: u32,
    /// One per key of the target.
    pub(super) from: Vec<From>,
}

/// Where a value of the target comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum From {
    /// The n-th key of the source.
    Copy(u16),
    /// The rule itself: its n-th literal.
    Literal(u16),
}

/// Specific rules of one skeleton: each row holds the values of the source's keys, then the literals.
#[derive(Clone, Debug, Default)]
pub(super) struct Rows {
    pub(super) width: usize,
    pub(super) cells: Vec<u32>,
    /// Pairs behind each row.
    pub(super) support: Vec<u64>,
    /// Source URLs behind each row.
    pub(super) sources: Vec<u64>,
}

impl Rows {
    pub(super) fn len(&self) -> usize {
        self.support.len()
    }

    pub(super) fn row(&self, i: usize) -> &[u32] {
        &self.cells[i * self.width..][..self.width]
    }

    pub(super) fn push(&mut self, cells: &[u32], support: u64, sources: u64) {
        self.width = cells.len();
        self.cells.extend_from_slice(cells);
        self.support.push(support);
        self.sources.push(sources);
    }
}

/// Collects specific rules.
pub(super) struct Collector<'m> {
    maps: &'m Maps,
    /// For a source and a target map: which key of the source each key of the target is.
    aligned: HashMap<(u32, u32), Vec<Option<u16>>>,
    numbers: HashMap<Skeleton, usize>,
    pub(super) rules: Vec<(Skeleton, Rows)>,
    empty: Option<u32>,
}

impl<'m> Collector<'m> {
    /// `empty` is the number of the empty value: copying it from another key would say nothing.
    pub(super) fn new(maps: &'m Maps, empty: Option<u32>) -> Collector<'m> {
        Collector { maps, aligned: HashMap::new(), numbers: HashMap::new(), rules: Vec::new(), empty }
    }

    /// Note the rule that takes `source` to `target`. Where a value could come from another key by accident (`start=0` from
    /// `postdays=0`), the rule with the literal is noted as well.
    pub(super) fn add(&mut self, source: &Member, target: &Member) {
        let maps = self.maps;
        let aligned = self
            .aligned
            .entry((source.map, target.map))
            .or_insert_with(|| align(maps, source.map, target.map))
            .clone();
        let crossed = self.rule(source, target, &aligned, true);
        let plain = self.rule(source, target, &aligned, false);
        self.note(source, target, &plain);
        if crossed != plain {
            self.note(source, target, &crossed);
        }
    }

    fn rule(&self, source: &Member, target: &Member, aligned: &[Option<u16>], cross: bool) -> Skeleton {
        let mut literals = 0;
        let from = target.values.iter().zip(aligned).map(|(value, same)| {
            let same = same.filter(|&s| source.values[s as usize] == *value);
            let other = || source.values.iter().position(|v| v == value).map(|s| s as u16);
            let copied = same.or_else(|| if cross && Some(*value) != self.empty { other() } else { None });
            let literal = || {
                literals += 1;
                From::Literal(literals - 1)
            };
            copied.map_or_else(literal, From::Copy)
        });
        Skeleton { source: source.map, target: target.map, from: from.collect() }
    }

    fn note(&mut self, source: &Member, target: &Member, skeleton: &Skeleton) {
        let number = *self.numbers.entry(skeleton.clone()).or_insert_with(|| {
            self.rules.push((skeleton.clone(), Rows::default()));
            self.rules.len() - 1
        });
        let mut cells = source.values.clone();
        let literals =
            skeleton.from.iter().zip(&target.values).filter(|(from, _)| matches!(from, From::Literal(_)));
        cells.extend(literals.map(|(_, value)| *value));
        self.rules[number].1.push(&cells, 1, 1);
    }
}

fn align(maps: &Maps, source: u32, target: u32) -> Vec<Option<u16>> {
    let keys = maps.keys(source);
    maps.keys(target).iter().map(|key| keys.binary_search(key).ok().map(|i| i as u16)).collect()
}
