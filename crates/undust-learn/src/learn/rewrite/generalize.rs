//! `GeneralizeRules` (rewrite, algorithm 3): rules that differ in one key only become one rule with `*` at that key.
//!
//! Rules of one skeleton are rows of a table. For every key, rows are grouped by a hash of everything but that key; a group
//! that passes the filter becomes a row with a star. Tables are kept by the set of keys that are stars, and worked off
//! from few stars to many, so that each set is visited once.
//!
//! The paper takes one key at a time, and so needs samples that are "exhaustive": a page must have been seen with several
//! session ids, *and* a session id on several pages. Real crawls give every URL a session id of its own. So the first step
//! may also take two keys at once, or all that vary; every key must pass the filter.

use std::collections::{BTreeMap, HashMap};

use xxhash_rust::xxh3::xxh3_64;

use super::filter::{Filter, Group};
use super::maps::Maps;
use super::specific::{From, Rows, Skeleton};

/// A value that does not matter.
pub(super) const STAR: u32 = u32::MAX;

/// Number of varying keys generalized in one rule: the number of sets of stars is exponential in it.
const MAX_VARYING_KEYS: usize = 10;
/// Number of sets of stars visited.
const MAX_STAR_SETS: usize = 256;

/// What is generalized in one step: a key of the source, a literal of the target at the same key, or both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Position {
    pub(super) context: Option<usize>,
    pub(super) literal: Option<usize>,
}

impl Position {
    fn holds(self, column: usize) -> bool {
        self.context == Some(column) || self.literal == Some(column)
    }

    /// The column whose values are counted.
    fn main(self) -> usize {
        self.context.or(self.literal).unwrap_or_default()
    }
}

/// All generalizations of the rules of a skeleton that have at least one star.
pub(super) fn generalize(
    skeleton: &Skeleton,
    rows: Rows,
    maps: &Maps,
    empty: Option<u32>,
    filter: &Filter,
) -> Vec<Rows> {
    let positions = varying(&positions(skeleton, maps), &rows);
    let mut tables: BTreeMap<(u32, u32), Rows> = BTreeMap::from([((0, 0), rows)]);
    let mut done = Vec::new();
    let mut sets = 0;
    while let Some(((stars, set), table)) = tables.pop_first() {
        sets += 1;
        for more in next_sets(positions.len(), set) {
            if sets > MAX_STAR_SETS {
                break;
            }
            let at: Vec<Position> = chosen(&positions, more).collect();
            let general = generalize_at(&table, &at, empty, skeleton, filter);
            if general.len() > 0 {
                merge(tables.entry((stars + more.count_ones(), set | more)).or_default(), &general);
            }
        }
        if stars > 0 {
            done.push(table);
        }
    }
    done
}

/// Number of varying keys up to which pairs of them are tried.
const MAX_PAIRED_KEYS: usize = 6;

/// The sets of positions that may get stars next, besides those in `set`.
fn next_sets(positions: usize, set: u32) -> Vec<u32> {
    let one = |i: usize| 1 << i;
    let mut sets: Vec<u32> = (0..positions).map(one).filter(|more| set & more == 0).collect();
    if set == 0 && positions <= MAX_PAIRED_KEYS {
        sets.extend((0..positions).flat_map(|i| (0..i).map(move |j| one(i) | one(j))));
    }
    if set == 0 && positions > 2 {
        sets.push(one(positions) - 1);
    }
    sets
}

fn chosen(positions: &[Position], set: u32) -> impl Iterator<Item = Position> {
    positions.iter().enumerate().filter(move |(i, _)| set & (1 << i) != 0).map(|(_, position)| *position)
}

/// The positions of a skeleton: one per key of the source, one per literal at a key that the source has not.
fn positions(skeleton: &Skeleton, maps: &Maps) -> Vec<Position> {
    let source = maps.keys(skeleton.source);
    let target = maps.keys(skeleton.target);
    let literal_at = |key| {
        let at = target.binary_search(key).ok()?;
        match skeleton.from[at] {
            From::Literal(n) => Some(source.len() + n as usize),
            From::Copy(_) => None,
        }
    };
    let both =
        source.iter().enumerate().map(|(i, key)| Position { context: Some(i), literal: literal_at(key) });
    let alone = target.iter().filter(|key| source.binary_search(key).is_err());
    both.chain(alone.filter_map(|key| Some(Position { context: None, literal: Some(literal_at(key)?) })))
        .collect()
}

/// The positions that take more than one value, those with the most values first if there are too many.
fn varying(positions: &[Position], rows: &Rows) -> Vec<Position> {
    let mut counted: Vec<(usize, Position)> = Vec::new();
    for &position in positions {
        let mut values: Vec<u32> = (0..rows.len()).map(|i| rows.row(i)[position.main()]).collect();
        values.sort_unstable();
        values.dedup();
        if values.len() > 1 {
            counted.push((values.len(), position));
        }
    }
    counted.sort_by_key(|(count, position)| (std::cmp::Reverse(*count), position.main()));
    counted.truncate(MAX_VARYING_KEYS);
    counted.into_iter().map(|(_, position)| position).collect()
}

/// One step: the rows that get stars at the positions `at`.
fn generalize_at(
    rows: &Rows,
    at: &[Position],
    empty: Option<u32>,
    skeleton: &Skeleton,
    filter: &Filter,
) -> Rows {
    let mut groups: HashMap<u64, usize> = HashMap::new();
    let mut members: Vec<Vec<u32>> = Vec::new();
    let mut masked = Vec::new();
    for i in 0..rows.len() {
        let row = rows.row(i);
        // A star matches any value but the empty one.
        if at.iter().any(|position| Some(row[position.main()]) == empty) {
            continue;
        }
        masked.clear();
        let kept =
            row.iter().enumerate().filter(|(column, _)| !at.iter().any(|position| position.holds(*column)));
        masked.extend(kept.flat_map(|(_, value)| value.to_le_bytes()));
        let group = *groups.entry(xxh3_64(&masked)).or_insert_with(|| {
            members.push(Vec::new());
            members.len() - 1
        });
        members[group].push(i as u32);
    }
    let mut general = Rows::default();
    for members in members.iter().filter(|members| members.len() > 1) {
        let cells = starred(rows, members, at);
        let of = |position: &Position| Group::new(rows, members, position.main(), &cells, skeleton);
        let groups: Vec<Group> = at.iter().map(of).collect();
        if groups.iter().all(|group| filter.passes(group)) {
            let sources = groups.iter().map(|group| group.sources).max().unwrap_or_default();
            general.push(&cells, groups[0].support, sources);
        }
    }
    general
}

/// The row that stands for all `members`: stars at the positions; a literal on which all agree stays.
fn starred(rows: &Rows, members: &[u32], at: &[Position]) -> Vec<u32> {
    let mut cells = rows.row(members[0] as usize).to_vec();
    for position in at {
        if let Some(context) = position.context {
            cells[context] = STAR;
        }
        if let Some(literal) = position.literal {
            let agreed = members.iter().all(|&i| rows.row(i as usize)[literal] == cells[literal]);
            if !agreed || position.context.is_none() {
                cells[literal] = STAR;
            }
        }
    }
    cells
}

/// Add the rows of `more`; one that is there already keeps the greater support (both count the same pairs).
fn merge(rows: &mut Rows, more: &Rows) {
    let mut known: HashMap<Vec<u32>, usize> = (0..rows.len()).map(|i| (rows.row(i).to_vec(), i)).collect();
    for i in 0..more.len() {
        if let Some(&at) = known.get(more.row(i)) {
            rows.support[at] = rows.support[at].max(more.support[i]);
            rows.sources[at] = rows.sources[at].max(more.sources[i]);
        } else {
            known.insert(more.row(i).to_vec(), rows.len());
            rows.push(more.row(i), more.support[i], more.sources[i]);
        }
    }
}
