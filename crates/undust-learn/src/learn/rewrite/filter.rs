//! The four filters of rewrite 4.1: may these rules become one with a star?

use std::collections::HashMap;
use std::fmt;
use std::str::FromStr;

use super::generalize::STAR;
use super::maps::Member;
use super::specific::{From, Rows, Skeleton};
use crate::site::Sample;

/// Which generalizations are made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FilterKind {
    /// The key takes at least so many values.
    FanOut(usize),
    /// The values are spread evenly: entropy, as a share of the greatest possible, is at least this.
    Entropy(f64),
    /// The share of URLs matching the new context that no rule below it covers is less than this.
    EstimatedFpr(f64),
    /// The exact false-positive rate on the sample is at most this.
    Ideal(f64),
}

impl FilterKind {
    /// Whether the filter must know all URLs of the sample.
    pub(super) fn looks_at_urls(self) -> bool {
        matches!(self, FilterKind::EstimatedFpr(_) | FilterKind::Ideal(_))
    }
}

impl Default for FilterKind {
    fn default() -> FilterKind {
        FilterKind::FanOut(super::FAN_OUT)
    }
}

impl fmt::Display for FilterKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FilterKind::FanOut(n) => write!(f, "fan-out:{n}"),
            FilterKind::Entropy(share) => write!(f, "entropy:{share}"),
            FilterKind::EstimatedFpr(rate) => write!(f, "efpr:{rate}"),
            FilterKind::Ideal(rate) => write!(f, "ideal:{rate}"),
        }
    }
}

impl FromStr for FilterKind {
    type Err = String;

    fn from_str(text: &str) -> Result<FilterKind, String> {
        let fail = || format!("'{text}' is none of fan-out:N, entropy:SHARE, efpr:RATE, ideal:RATE");
        let (kind, value) = text.split_once(':').ok_or_else(fail)?;
        let share = || value.parse::<f64>().ok().filter(|v| (0.0..=1.0).contains(v)).ok_or_else(fail);
        match kind {
            "fan-out" => Ok(FilterKind::FanOut(value.parse().map_err(|_| fail())?)),
            "entropy" => Ok(FilterKind::Entropy(share()?)),
            "efpr" => Ok(FilterKind::EstimatedFpr(share()?)),
            "ideal" => Ok(FilterKind::Ideal(share()?)),
            _ => Err(fail()),
        }
    }
}

/// Rules that differ in one key only, about to become one.
pub(super) struct Group<'g> {
    /// How much support each value has.
    values: Vec<u64>,
    pub(super) support: u64,
    /// URLs that the rules of the group apply to.
    pub(super) sources: u64,
    /// The rule they would become.
    cells: &'g [u32],
    skeleton: &'g Skeleton,
}

impl<'g> Group<'g> {
    pub(super) fn new(
        rows: &Rows,
        members: &[u32],
        column: usize,
        cells: &'g [u32],
        skeleton: &'g Skeleton,
    ) -> Group<'g> {
        let mut by_value: HashMap<u32, (u64, u64)> = HashMap::new();
        for &i in members {
            let i = i as usize;
            let (support, sources) = by_value.entry(rows.row(i)[column]).or_default();
            *support += rows.support[i];
            // Rules with one context and several targets speak of the same URLs.
            *sources = rows.sources[i].max(*sources);
        }
        let mut values: Vec<u64> = by_value.values().map(|(support, _)| *support).collect();
        values.sort_unstable();
        let sources = by_value.values().map(|(_, sources)| sources).sum();
        Group { support: values.iter().sum(), values, sources, cells, skeleton }
    }

    /// Entropy of the values, as a share of that of a uniform distribution.
    fn evenness(&self) -> f64 {
        let total = self.support as f64;
        let entropy: f64 = self.values.iter().map(|&n| n as f64 / total).map(|p| -p * p.ln()).sum();
        if self.values.len() < 2 { 0.0 } else { entropy / (self.values.len() as f64).ln() }
    }
}

/// A filter with what it must know of the sample.
pub(super) struct Filter<'s> {
    kind: FilterKind,
    sample: &'s Sample<'s>,
    by_map: &'s [Vec<Member>],
}

impl<'s> Filter<'s> {
    pub(super) fn new(kind: FilterKind, sample: &'s Sample<'s>, by_map: &'s [Vec<Member>]) -> Filter<'s> {
        Filter { kind, sample, by_map }
    }

    pub(super) fn passes(&self, group: &Group) -> bool {
        match self.kind {
            FilterKind::FanOut(least) => group.values.len() >= least.max(2),
            FilterKind::Entropy(least) => group.evenness() >= least,
            FilterKind::EstimatedFpr(most) => {
                let matching = self.matching(group).count() as f64;
                1.0 - group.sources as f64 / matching.max(1.0) < most
            }
            FilterKind::Ideal(most) => self.exact_fpr(group) <= most,
        }
    }

    /// The URLs that match the context of the rule to be.
    fn matching<'g>(&'g self, group: &'g Group<'g>) -> impl Iterator<Item = &'g Member> {
        self.by_map[group.skeleton.source as usize].iter().filter(|member| fits(&member.values, group.cells))
    }

    /// Definition 5: of the pairs (u, v) with v = rule(u), the share whose contents differ.
    fn exact_fpr(&self, group: &Group) -> f64 {
        let targets = self.targets(group);
        let (mut pairs, mut wrong) = (0u64, 0u64);
        for source in self.matching(group) {
            let cluster = self.sample.site.cluster(source.row);
            let Some(members) = targets.get(&output(group, &source.values)) else { continue };
            for &(row, c) in members {
                pairs += u64::from(row != source.row);
                wrong += u64::from(row != source.row && c != cluster);
            }
        }
        if pairs == 0 { 0.0 } else { wrong as f64 / pairs as f64 }
    }

    /// The URLs that could be targets, by what the rule would have to print for them.
    fn targets(&self, group: &Group) -> HashMap<Vec<u32>, Vec<(u32, u32)>> {
        let mut targets: HashMap<Vec<u32>, Vec<(u32, u32)>> = HashMap::new();
        let star = output(group, &vec![0; group.cells.len()]);
        for member in &self.by_map[group.skeleton.target as usize] {
            let masked = member.values.iter().zip(&star).map(|(v, s)| if *s == STAR { STAR } else { *v });
            let cluster = self.sample.site.cluster(member.row);
            targets.entry(masked.collect()).or_default().push((member.row, cluster));
        }
        targets
    }
}

/// Whether a URL's values fit the context in `cells`.
fn fits(values: &[u32], cells: &[u32]) -> bool {
    values.iter().zip(cells).all(|(value, cell)| *cell == STAR || cell == value)
}

/// What the rule makes of a URL with these values.
fn output(group: &Group, values: &[u32]) -> Vec<u32> {
    let literals = &group.cells[group.cells.len() - literal_count(group.skeleton)..];
    let print = |from: &From| match from {
        From::Copy(key) => values[*key as usize],
        From::Literal(n) => literals[*n as usize],
    };
    group.skeleton.from.iter().map(print).collect()
}

fn literal_count(skeleton: &Skeleton) -> usize {
    skeleton.from.iter().filter(|from| matches!(from, From::Literal(_))).count()
}
