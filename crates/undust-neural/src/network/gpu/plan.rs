//! A batch as a GPU reads it: all its numbers in one piece, which is sent once.

use std::ops::Range;

use crate::network::gradient::{Batch, Sources};
use crate::network::steps::Steps;

/// The numbers of a batch, and where each kind of them is.
pub(super) struct Plan {
    pub(super) numbers: Vec<u32>,
    pub(super) sources: Walk,
    pub(super) targets: Walk,
    /// For each position of the targets, the token that should be written, and the bits of how much it counts.
    pub(super) wanted: Range<usize>,
    pub(super) weights: Range<usize>,
    pub(super) weight: f64,
}

/// The steps of one unit.
pub(super) struct Walk {
    pub(super) rows: usize,
    pub(super) positions: usize,
    /// How many rows have a first step.
    pub(super) first: usize,
    /// Where each step's positions begin, and where the last one's end.
    pub(super) starts: Range<usize>,
    /// The distinct tokens, and for each position, where its token is among them.
    pub(super) distinct: Range<usize>,
    pub(super) slots: Range<usize>,
    /// The positions of each distinct token, token by token, and where those of each begin.
    pub(super) member_starts: Range<usize>,
    pub(super) members: Range<usize>,
    /// For each row, which row of the other unit is of the same pair.
    pub(super) other_rows: Range<usize>,
}

/// What is said of networks that copy.
pub(super) const PLAIN_ONLY: &str = "a GPU trains plain networks only, not those that copy";

impl Plan {
    /// Everything that a kernel will take for an index is looked at here.
    pub(super) fn new(batch: &Batch, vocabulary: usize) -> Result<Plan, String> {
        let (Sources::Forward(sources), targets) = (&batch.sources, &batch.targets) else {
            return Err(PLAIN_ONLY.to_owned());
        };
        let wanted = batch.wanted.iter().map(|wanted| &wanted.0);
        let unknown = |token: &&u16| usize::from(**token) >= vocabulary;
        if let Some(token) = sources.distinct.iter().chain(&targets.distinct).chain(wanted).find(unknown) {
            return Err(format!("the token {token} is not one of the network's {vocabulary}"));
        }
        let mut numbers = Numbers(Vec::new());
        Ok(Plan {
            sources: Walk::new(sources, &targets.order, &mut numbers),
            targets: Walk::new(targets, &sources.order, &mut numbers),
            wanted: numbers.add(batch.wanted.iter().map(|wanted| u32::from(wanted.0))),
            weights: numbers.add(batch.wanted.iter().map(|wanted| wanted.1.to_bits())),
            weight: batch.weight,
            numbers: numbers.0,
        })
    }
}

impl Walk {
    fn new(steps: &Steps, other_order: &[usize], numbers: &mut Numbers) -> Walk {
        let (member_starts, members) = members(&steps.slots, steps.distinct.len());
        let mut row_of = vec![0; other_order.len()];
        for (row, &which) in other_order.iter().enumerate() {
            row_of[which] = row;
        }
        Walk {
            rows: steps.rows(),
            positions: steps.positions(),
            first: steps.each().next().map_or(0, |positions| positions.len()),
            starts: numbers.add(steps.starts.iter().map(|&start| start as u32)),
            distinct: numbers.add(steps.distinct.iter().map(|&token| u32::from(token))),
            slots: numbers.add(steps.slots.iter().copied()),
            member_starts: numbers.add(member_starts),
            members: numbers.add(members),
            other_rows: numbers.add(steps.order.iter().map(|&which| row_of[which] as u32)),
        }
    }
}

struct Numbers(Vec<u32>);

impl Numbers {
    /// Where they are.
    fn add(&mut self, numbers: impl IntoIterator<Item = u32>) -> Range<usize> {
        let start = self.0.len();
        self.0.extend(numbers);
        start..self.0.len()
    }
}

/// Where the positions of each slot begin, and the positions, slot by slot.
fn members(slots: &[u32], count: usize) -> (Vec<u32>, Vec<u32>) {
    let mut starts = vec![0; count + 1];
    for &slot in slots {
        starts[slot as usize + 1] += 1;
    }
    for slot in 0..count {
        starts[slot + 1] += starts[slot];
    }
    let mut free = starts.clone();
    let mut members = vec![0; slots.len()];
    for (position, &slot) in slots.iter().enumerate() {
        members[free[slot as usize] as usize] = position as u32;
        free[slot as usize] += 1;
    }
    (starts, members)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::Pair;

    #[test]
    fn members_of_a_token_stand_together() {
        assert_eq!(members(&[1, 0, 1, 1, 0], 2), (vec![0, 2, 5], vec![1, 4, 0, 2, 3]));
        assert_eq!(members(&[], 0), (vec![0], vec![]));
    }

    #[test]
    fn rows_of_a_pair_find_each_other() {
        let pair = |source: &[u16], target: &[u16]| Pair {
            source: source.to_vec(),
            target: target.to_vec(),
            weight: 1.0,
        };
        let pairs = [pair(&[1], &[2, 3, 4]), pair(&[1, 2], &[]), pair(&[], &[5])];
        let pairs = pairs.each_ref();
        let batch = Batch::new(&pairs, false);
        let plan = Plan::new(&batch, 6).expect("all tokens are known");
        // Sources stand in the order 1, 0, 2, targets in the order 0, 2, 1.
        assert_eq!(plan.numbers[plan.sources.other_rows], [2, 0, 1]);
        assert_eq!(plan.numbers[plan.targets.other_rows], [1, 2, 0]);
        assert_eq!((plan.sources.first, plan.sources.rows, plan.sources.positions), (2, 3, 3));
    }

    #[test]
    fn an_unknown_token_is_named() {
        for (source, target) in [(vec![7], vec![]), (vec![], vec![7])] {
            let pair = Pair { source, target, weight: 1.0 };
            let error = Plan::new(&Batch::new(&[&pair], false), 7).err();
            assert_eq!(error.as_deref(), Some("the token 7 is not one of the network's 7"));
        }
    }
}
