//! Patterns of URLs as vertices: how many URLs of the sample each has, and which hold all URLs of another.

use std::collections::HashMap;

use undust::apply::Scratch;
use undust::rules::Action;

use super::pattern::{Pattern, patterns};
use undust_learn::changes::engine;
use undust_learn::site::Sample;

/// The patterns that rules start from and lead to.
pub(super) struct Vertices {
    patterns: Vec<Pattern>,
    /// Where each rule starts and where it leads to.
    ends: Vec<(usize, usize)>,
    /// How many URLs of the sample each pattern has.
    volumes: Vec<u64>,
    /// The patterns that have all URLs that this one has, and more; or the same URLs, and say less of them.
    ancestors: Vec<Vec<usize>>,
}

impl Vertices {
    pub(super) fn new<'a>(sample: &Sample, rules: impl Iterator<Item = &'a Action>) -> Vertices {
        let (mut known, mut all) = (HashMap::new(), Vec::new());
        let mut number = |pattern: Pattern| {
            *known.entry(pattern).or_insert_with_key(|pattern| {
                all.push(pattern.clone());
                all.len() - 1
            })
        };
        let ends = rules.map(patterns).map(|(from, to)| (number(from), number(to))).collect();
        let kinds = Kinds::new(sample, &all);
        let volumes = kinds.volumes(all.len());
        let ancestors = kinds.ancestors(&all, &volumes);
        Vertices { patterns: all, ends, volumes, ancestors }
    }

    pub(super) fn len(&self) -> usize {
        self.patterns.len()
    }

    /// Where a rule starts.
    pub(super) fn source(&self, rule: usize) -> usize {
        self.ends[rule].0
    }

    /// Where a rule leads to.
    pub(super) fn target(&self, rule: usize) -> usize {
        self.ends[rule].1
    }

    pub(super) fn volume(&self, vertex: usize) -> u64 {
        self.volumes[vertex]
    }

    pub(super) fn ancestors(&self, vertex: usize) -> &[usize] {
        &self.ancestors[vertex]
    }

    pub(super) fn pattern(&self, vertex: usize) -> &Pattern {
        &self.patterns[vertex]
    }
}

/// URLs of the sample that match the same patterns are of one kind: there are far fewer kinds than URLs.
struct Kinds {
    /// The patterns of each kind, in order, and how many URLs are of it.
    kinds: Vec<(Vec<u32>, u64)>,
}

impl Kinds {
    fn new(sample: &Sample, patterns: &[Pattern]) -> Kinds {
        let asked: Vec<(u32, Action)> =
            (0..).zip(patterns).filter_map(|(at, pattern)| Some((at, pattern.question()?))).collect();
        let engine = engine(asked.iter().map(|(_, question)| question));
        let (mut scratch, mut url) = (Scratch::new(), Vec::new());
        let (mut known, mut kinds) = (HashMap::new(), Vec::new());
        let mut matching = Vec::new();
        for &row in &sample.rows {
            url.clear();
            sample.site.write_url(row, &mut url);
            matching.clear();
            engine.each_change(&url, &mut scratch, |rule, _| matching.push(asked[rule as usize].0));
            matching.sort_unstable();
            let kind = known.get(&matching).copied().unwrap_or_else(|| {
                known.insert(matching.clone(), kinds.len());
                kinds.push((matching.clone(), 0));
                kinds.len() - 1
            });
            kinds[kind].1 += 1;
        }
        Kinds { kinds }
    }

    fn volumes(&self, patterns: usize) -> Vec<u64> {
        let mut volumes = vec![0; patterns];
        for (matching, urls) in &self.kinds {
            for &pattern in matching {
                volumes[pattern as usize] += urls;
            }
        }
        volumes
    }

    /// A pattern holds all URLs of another if it is in all kinds that the other is in. A pattern without URLs has no place
    /// among the others. Equal sets hold each other, and the more general pattern is the ancestor: so there are no circles.
    fn ancestors(&self, patterns: &[Pattern], volumes: &[u64]) -> Vec<Vec<usize>> {
        let mut kinds_of: Vec<Vec<&[u32]>> = vec![Vec::new(); patterns.len()];
        for (matching, _) in &self.kinds {
            for &pattern in matching {
                kinds_of[pattern as usize].push(matching);
            }
        }
        let openness: Vec<_> = patterns.iter().map(Pattern::openness).collect();
        let is_above = |above: usize, below: usize| {
            volumes[above] > volumes[below]
                || volumes[above] == volumes[below] && openness[above] > openness[below]
        };
        let of = |(below, kinds): (usize, &Vec<&[u32]>)| {
            let above = in_all(kinds).into_iter().map(|above| above as usize);
            above.filter(|&above| is_above(above, below)).collect()
        };
        kinds_of.iter().enumerate().map(of).collect()
    }
}

/// The numbers that are in all of these lists, each of which is in order.
fn in_all(lists: &[&[u32]]) -> Vec<u32> {
    let Some(shortest) = lists.iter().min_by_key(|list| list.len()) else { return Vec::new() };
    let mut left = shortest.to_vec();
    for list in lists {
        left.retain(|number| list.binary_search(number).is_ok());
    }
    left
}
