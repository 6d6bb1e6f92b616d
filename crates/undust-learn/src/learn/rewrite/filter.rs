//! The four filters of rewrite 4.1: may these rules become one with a star?

use std::collections::HashMap;
use std::fmt;
use std::str::FromStr;

use super::generalize::STAR;
use super::maps::Member;
use super::specific::{From, Rows, Skeleton};
use crate::settings::parse_share;
use crate::site::Sample;

/// Which generalizations are made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FilterKind {
    /// The number of values that the key takes, at least.
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
        let share = || parse_share(value).map_err(|_| fail());
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
        let sources = by_value.values().map(|(_, sources)| *sources);
        // The values of a literal are no part of the context: these rules, too, speak of the same URLs.
        let of_context = column < cells.len() - literal_count(skeleton);
        let sources = if of_context { sources.sum() } else { sources.max().unwrap_or_default() };
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
    /// The number of the empty value.
    empty: Option<u32>,
}

impl<'s> Filter<'s> {
    pub(super) fn new(kind: FilterKind, sample: &'s Sample<'s>, by_map: &'s [Vec<Member>]) -> Filter<'s> {
        Filter { kind, sample, by_map, empty: sample.site.find_value(b"") }
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
        self.by_map[group.skeleton.source as usize]
            .iter()
            .filter(|member| self.fits(&member.values, group.cells))
    }

    /// Whether a URL's values fit the context in `cells`. A star matches any value but the empty one.
    fn fits(&self, values: &[u32], cells: &[u32]) -> bool {
        let fits = |value, cell| if cell == STAR { Some(value) != self.empty } else { value == cell };
        values.iter().zip(cells).all(|(value, cell)| fits(*value, *cell))
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

#[cfg(test)]
mod tests {
    use undust::page::Page;

    use super::super::maps::Maps;
    use super::*;
    use crate::site::Site;

    const SID: usize = 3;

    /// URLs `http://a.com/x?sid=N`, each with its label.
    fn site(urls: &[(&str, &str)]) -> Site {
        let page = |(sid, label): &(&str, &str)| Page {
            cluster: Some((*label).to_owned()),
            ..Page::new(format!("http://a.com/x?sid={sid}"))
        };
        Site::new("a.com", &urls.iter().map(page).collect::<Vec<_>>(), 0)
    }

    /// Whether `sid=A -> sid=B` for the pairs of `from` and `to`, each with its support, may become `sid=* -> sid=*`.
    fn passes(kind: FilterKind, urls: &[(&str, &str)], rules: &[(&str, &str, u64)]) -> bool {
        let site = site(urls);
        let sample = site.sample(0);
        let maps = Maps::new(&site);
        let by_map = maps.by_map(&sample);
        let value = |text: &str| site.find_value(text.as_bytes()).expect("a value of the site");
        let base = maps.member(&site, 0).values;
        let from = vec![From::Copy(0), From::Copy(1), From::Copy(2), From::Literal(0)];
        let skeleton = Skeleton { source: 0, target: 0, from };
        let mut rows = Rows::default();
        for (from, to, support) in rules {
            rows.push(&[base[0], base[1], base[2], value(from), value(to)], *support, 1);
        }
        let members: Vec<u32> = (0..rules.len() as u32).collect();
        let cells = [base[0], base[1], base[2], STAR, STAR];
        let group = Group::new(&rows, &members, SID, &cells, &skeleton);
        Filter::new(kind, &sample, &by_map).passes(&group)
    }

    const ONE_PAGE: [(&str, &str); 4] = [("1", "p"), ("2", "p"), ("3", "p"), ("4", "p")];

    #[test]
    fn fan_out() {
        let rules = [("1", "2", 1), ("2", "3", 1), ("3", "1", 9), ("3", "2", 1)];
        assert!(passes(FilterKind::FanOut(3), &ONE_PAGE, &rules));
        assert!(!passes(FilterKind::FanOut(4), &ONE_PAGE, &rules));
        // One value is nothing to generalize, whatever was asked for.
        assert!(!passes(FilterKind::FanOut(0), &ONE_PAGE, &rules[2..]));
    }

    #[test]
    fn entropy() {
        let even = [("1", "2", 5), ("2", "3", 5)];
        assert!(passes(FilterKind::Entropy(1.0), &ONE_PAGE, &even));
        // Shares 1/4 and 3/4: entropy 0.8113 of what two even values have.
        let uneven = [("1", "2", 5), ("2", "3", 15)];
        assert!(passes(FilterKind::Entropy(0.811), &ONE_PAGE, &uneven));
        assert!(!passes(FilterKind::Entropy(0.812), &ONE_PAGE, &uneven));
        assert!(!passes(FilterKind::Entropy(0.1), &ONE_PAGE, &even[..1]));
    }

    #[test]
    fn estimated_fpr() {
        // Three of four matching URLs are covered: 1/4 is not less than 1/4. An empty session does not match.
        let urls = [("1", "p"), ("2", "p"), ("3", "p"), ("4", "q"), ("", "q")];
        let rules = [("1", "2", 1), ("2", "3", 1), ("3", "1", 1), ("3", "2", 1)];
        assert!(!passes(FilterKind::EstimatedFpr(0.25), &urls, &rules));
        assert!(passes(FilterKind::EstimatedFpr(0.26), &urls, &rules));
    }

    #[test]
    fn exact_fpr() {
        // Of the 12 ordered pairs of four URLs, 6 hold the other page.
        let urls = [("1", "p"), ("2", "p"), ("3", "p"), ("4", "q"), ("", "q")];
        let rules = [("1", "2", 1), ("2", "3", 1)];
        assert!(passes(FilterKind::Ideal(0.625), &urls, &rules));
        assert!(!passes(FilterKind::Ideal(0.4), &urls, &rules));
        assert!(passes(FilterKind::Ideal(0.0), &ONE_PAGE, &rules));
    }

    /// Rules that differ in a literal alone speak of the same URLs.
    #[test]
    fn sources_are_counted_once() {
        let skeleton = Skeleton { source: 0, target: 1, from: vec![From::Copy(0), From::Literal(0)] };
        let mut rows = Rows::default();
        rows.push(&[1, 10], 1, 4);
        rows.push(&[1, 11], 1, 3);
        assert_eq!(Group::new(&rows, &[0, 1], 1, &[1, STAR], &skeleton).sources, 4);
        let mut rows = Rows::default();
        rows.push(&[1, 10], 1, 4);
        rows.push(&[2, 10], 1, 3);
        assert_eq!(Group::new(&rows, &[0, 1], 0, &[STAR, 10], &skeleton).sources, 7);
    }

    #[test]
    fn names() {
        for text in ["fan-out:10", "entropy:0.9", "efpr:0.2", "ideal:0"] {
            assert_eq!(text.parse::<FilterKind>().map(|kind| kind.to_string()), Ok(text.to_owned()));
        }
        for text in ["fan-out", "fan-out:-1", "entropy:2", "efpr:x", "ideal:NaN", "best:1", ""] {
            assert!(text.parse::<FilterKind>().is_err(), "{text}");
        }
    }
}
