//! Conflicts resolved one by one (section 5.3). Every step drops rules, so that it ends.

use super::rules::Rules;
use super::vertices::Vertices;

/// The rules to keep, those with the fewest false positives first.
pub(super) fn choose(rules: &Rules, vertices: &Vertices) -> Vec<usize> {
    let mut kept = one_per_source(rules, vertices);
    kept = without_covered(&kept, vertices);
    kept = without_circles(kept, rules, vertices);
    kept.sort_by(|&a, &b| rules.by_quality(a, b));
    kept
}

/// Case (a): of rules from one source, the best.
fn one_per_source(rules: &Rules, vertices: &Vertices) -> Vec<usize> {
    let mut best: Vec<Option<usize>> = vec![None; vertices.len()];
    for rule in 0..rules.len() {
        let of_source = &mut best[vertices.source(rule)];
        if of_source.is_none_or(|known| rules.by_quality(rule, known).is_lt()) {
            *of_source = Some(rule);
        }
    }
    best.into_iter().flatten().collect()
}

/// Case (b): a rule on an ancestor wins. An ancestor's ancestor is one too, so that nothing is dropped for a rule that is
/// dropped itself, without one that stays.
fn without_covered(kept: &[usize], vertices: &Vertices) -> Vec<usize> {
    let mut has_rule = vec![false; vertices.len()];
    for &rule in kept {
        has_rule[vertices.source(rule)] = true;
    }
    let is_covered =
        |rule: usize| vertices.ancestors(vertices.source(rule)).iter().any(|&above| has_rule[above]);
    kept.iter().copied().filter(|&rule| !is_covered(rule)).collect()
}

/// Case (c): of every circle, the rule with the least support goes. One rule starts at a vertex at most, so that circles have no rule
/// in common. A rule that stays within its pattern is no circle.
fn without_circles(mut kept: Vec<usize>, rules: &Rules, vertices: &Vertices) -> Vec<usize> {
    let mut way: Vec<Option<usize>> = vec![None; vertices.len()];
    for &rule in kept.iter().filter(|&&rule| vertices.source(rule) != vertices.target(rule)) {
        way[vertices.source(rule)] = Some(rule);
    }
    let mut is_seen = vec![false; vertices.len()];
    for start in 0..vertices.len() {
        let (mut vertex, mut path) = (start, Vec::new());
        while !is_seen[vertex] {
            is_seen[vertex] = true;
            let Some(rule) = way[vertex] else { break };
            path.push(rule);
            vertex = vertices.target(rule);
        }
        // The path is a circle from the vertex on that it came back to, if it did.
        let back = path.iter().position(|&rule| vertices.source(rule) == vertex);
        if let Some(back) = back.filter(|_| way[vertex].is_some()) {
            let weakest = path[back..].iter().min_by(|&&a, &&b| rules.by_support(a, b));
            kept.retain(|rule| Some(rule) != weakest);
        }
    }
    kept
}
