//! Where URLs come to if they go on from pattern to pattern at random: by a rule, or to a pattern that holds this one.

use super::rules::Rules;
use super::vertices::Vertices;

/// The share that goes on in each step; the rest is put back to where it came from. With all of it, what runs in a circle would
/// never come to rest.
const GOING_ON: f64 = 0.85;

/// Number of steps. A step is linear, and two energies that differ by `d` (sum of absolute differences) differ by at
/// most `GOING_ON * d` after it, since no row of the matrix sums up to more than one. So there is one stable state, and after so
/// many steps the energies are within `GOING_ON^STEPS`, less than a ten-millionth, of all energy from it.
const STEPS: usize = 100;

/// The energy of each vertex in the stable state.
pub(super) fn energies(rules: &Rules, vertices: &Vertices) -> Vec<f64> {
    let ways = ways(rules, vertices);
    let start: Vec<f64> = (0..vertices.len()).map(|vertex| vertices.volume(vertex) as f64).collect();
    let mut energy = start.clone();
    for _ in 0..STEPS {
        let mut next: Vec<f64> = start.iter().map(|volume| (1.0 - GOING_ON) * volume).collect();
        for (ways, energy) in ways.iter().zip(&energy) {
            for &(to, share) in ways {
                next[to] += GOING_ON * share * energy;
            }
        }
        energy = next;
    }
    energy
}

/// Where each vertex leads to, and the share of its energy that goes there. One that leads nowhere keeps what it has.
fn ways(rules: &Rules, vertices: &Vertices) -> Vec<Vec<(usize, f64)>> {
    let links = |vertex: usize| vertices.ancestors(vertex).iter().map(|&above| (above, 1.0)).collect();
    let mut ways: Vec<Vec<(usize, f64)>> = (0..vertices.len()).map(links).collect();
    for rule in 0..rules.len() {
        ways[vertices.source(rule)].push((vertices.target(rule), 1.0 - rules.fpr(rule)));
    }
    for (vertex, ways) in ways.iter_mut().enumerate() {
        // Of several rules between two patterns, the best is the edge.
        ways.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
        ways.dedup_by_key(|way| way.0);
        let sum: f64 = ways.iter().map(|way| way.1).sum();
        if sum <= 0.0 {
            *ways = vec![(vertex, 1.0)];
            continue;
        }
        // The paper divides by the number of edges, too, which cancels out.
        for way in ways.iter_mut() {
            way.1 /= sum;
        }
    }
    ways
}
