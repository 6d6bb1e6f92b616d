//! The sequences of a batch, step by step.

use std::cmp::Reverse;
use std::ops::Range;

use super::Token;

/// The sequences of a batch in order of falling length: those that have a step are the first rows, and nothing is padded. A position
/// is a row at a step; positions stand step by step.
pub(super) struct Steps {
    /// Which sequence each row is.
    pub(super) order: Vec<usize>,
    /// The batch's tokens, each once: what depends on the token alone is worked out once for each.
    pub(super) distinct: Vec<Token>,
    /// For each position, where its token is in `distinct`.
    pub(super) slots: Vec<u32>,
    /// Where each step's positions begin, and where the last one's end.
    pub(super) starts: Vec<usize>,
}

impl Steps {
    /// `first` comes before each sequence.
    pub(super) fn new(sequences: &[&[Token]], first: Option<Token>) -> Steps {
        let mut order: Vec<usize> = (0..sequences.len()).collect();
        order.sort_by_key(|&row| Reverse(sequences[row].len()));
        let shift = usize::from(first.is_some());
        let length = |row: usize| sequences[row].len() + shift;
        let token = |row: usize, step: usize| match first {
            Some(first) if step == 0 => first,
            _ => sequences[row][step - shift],
        };
        let longest = order.first().map_or(0, |&row| length(row));
        let mut tokens = Vec::with_capacity(order.iter().map(|&row| length(row)).sum());
        let mut starts = vec![0];
        for step in 0..longest {
            tokens.extend(order.iter().take_while(|&&row| length(row) > step).map(|&row| token(row, step)));
            starts.push(tokens.len());
        }
        let (distinct, slots) = distinct(&tokens);
        Steps { order, distinct, slots, starts }
    }

    pub(super) fn rows(&self) -> usize {
        self.order.len()
    }

    pub(super) fn positions(&self) -> usize {
        self.slots.len()
    }

    /// The positions of each step.
    pub(super) fn each(&self) -> impl DoubleEndedIterator<Item = Range<usize>> {
        self.starts.windows(2).map(|ends| ends[0]..ends[1])
    }
}

/// Each token once, and for each token where it is among them.
fn distinct(tokens: &[Token]) -> (Vec<Token>, Vec<u32>) {
    const UNSEEN: u32 = u32::MAX;
    let mut slot_of = vec![UNSEEN; tokens.iter().max().map_or(0, |&most| usize::from(most) + 1)];
    let mut distinct = Vec::new();
    let mut slot = |&token: &Token| {
        let slot = &mut slot_of[usize::from(token)];
        if *slot == UNSEEN {
            *slot = distinct.len() as u32;
            distinct.push(token);
        }
        *slot
    };
    let slots = tokens.iter().map(&mut slot).collect();
    (distinct, slots)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens_of(steps: &Steps) -> Vec<Vec<Token>> {
        let token = |position: usize| steps.distinct[steps.slots[position] as usize];
        steps.each().map(|positions| positions.map(token).collect()).collect()
    }

    #[test]
    fn rows_fall_in_length_and_leave_when_they_end() {
        let steps = Steps::new(&[&[7], &[], &[5, 7, 5], &[6]], None);
        assert_eq!(steps.order, [2, 0, 3, 1]);
        assert_eq!(tokens_of(&steps), [vec![5, 7, 6], vec![7], vec![5]]);
        assert_eq!((steps.rows(), steps.positions()), (4, 5));
        let mut distinct = steps.distinct.clone();
        distinct.sort_unstable();
        assert_eq!(distinct, [5, 6, 7]);
    }

    #[test]
    fn the_first_token_comes_before_every_row() {
        let steps = Steps::new(&[&[], &[3, 4]], Some(0));
        assert_eq!(tokens_of(&steps), [vec![0, 0], vec![3], vec![4]]);
    }

    #[test]
    fn nothing_has_no_steps() {
        assert_eq!(Steps::new(&[], Some(0)).each().count(), 0);
        assert_eq!(Steps::new(&[&[], &[]], None).each().count(), 0);
    }
}
