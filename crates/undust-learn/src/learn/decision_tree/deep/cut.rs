//! Patterns of values, values cut by patterns as the rule engine does it, and values grouped by their patterns.

use std::collections::HashMap;
use std::ops::Range;

use memchr::memmem;
use undust::rules::template::Class;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::lex::is_delimiters;
use super::{Part, Pattern};

/// The pattern of a value with these holes.
pub(super) fn pattern(value: &[u8], holes: &[Range<u32>], class: impl Fn(usize) -> Class) -> Pattern {
    let mut parts = Vec::with_capacity(holes.len() * 2 + 1);
    for (i, text) in fixed_texts(value, holes).enumerate() {
        if i > 0 {
            parts.push(Part::Hole(class(i - 1)));
        }
        if !text.is_empty() {
            parts.push(Part::Fixed(text.to_vec()));
        }
    }
    Pattern { parts }
}

/// What stands before the first hole, between holes, and behind the last.
fn fixed_texts<'v>(value: &'v [u8], holes: &'v [Range<u32>]) -> impl Iterator<Item = &'v [u8]> {
    let starts = std::iter::once(0).chain(holes.iter().map(|hole| hole.end as usize));
    let ends = holes.iter().map(|hole| hole.start as usize).chain([value.len()]);
    starts.zip(ends).map(|(start, end)| &value[start..end])
}

/// Cut `value` from left to right without backtracking, as rules do: its holes, or `None` if the pattern does not match.
pub(super) fn cut(pattern: &Pattern, value: &[u8], holes: &mut Vec<Range<u32>>) -> Option<()> {
    holes.clear();
    let mut at = 0;
    for (i, part) in pattern.parts.iter().enumerate() {
        let rest = &value[at..];
        let start = at;
        match part {
            Part::Fixed(text) => {
                rest.starts_with(text).then_some(())?;
                at += text.len();
            }
            Part::Hole(Class::Any) => {
                at += hole_len(&pattern.parts[i + 1..], rest)?;
                holes.push(start as u32..at as u32);
            }
            Part::Hole(class) => {
                at += rest.iter().take_while(|byte| class.holds(**byte)).count();
                (at > start).then_some(())?;
                holes.push(start as u32..at as u32);
            }
        }
    }
    (at == value.len()).then_some(())
}

/// How far a hole that may hold anything reaches: to the end, or to the first place where the text behind it stands, which
/// stands at the end if nothing comes after it.
fn hole_len(after: &[Part], rest: &[u8]) -> Option<usize> {
    let len = match after {
        [] => rest.len(),
        [Part::Fixed(text)] => rest.strip_suffix(text.as_slice())?.len(),
        [Part::Fixed(text), ..] => 1 + memmem::find(rest.get(1..)?, text)?,
        [Part::Hole(_), ..] => return None,
    };
    (len > 0).then_some(len)
}

/// Values of a node with the same new pattern.
pub(super) struct Group {
    pattern: Pattern,
    /// Numbers of values in the node.
    pub(super) members: Vec<usize>,
    /// How many holes each of them has.
    pub(super) width: usize,
    /// The holes of the first, of the second ...
    pub(super) holes: Vec<Range<u32>>,
}

/// The values of a node by their new patterns.
#[derive(Default)]
pub(super) struct Grouping {
    numbers: HashMap<(u64, usize), usize>,
    groups: Vec<Group>,
    /// Values that keep the pattern they have.
    left: Vec<usize>,
    new_holes: Vec<Range<u32>>,
    found_holes: Vec<Range<u32>>,
}

impl Grouping {
    /// Add a value in whose holes some texts shall be fixed.
    pub(super) fn add(
        &mut self,
        value: &[u8],
        member: usize,
        holes: &[Range<u32>],
        fixed: &mut [Range<u32>],
    ) {
        if fixed.is_empty() {
            self.left.push(member);
            return;
        }
        fixed.sort_unstable_by_key(|text| (text.start, text.end));
        self.new_holes.clear();
        subtract(value, holes, fixed, &mut self.new_holes);
        let new = &self.new_holes;
        let hash = fixed_texts(value, new).fold(0, |hash, text| xxh3_64_with_seed(text, hash));
        let number = *self.numbers.entry((hash, new.len())).or_insert_with(|| {
            let pattern = pattern(value, new, |_| Class::Any);
            self.groups.push(Group { pattern, members: Vec::new(), width: new.len(), holes: Vec::new() });
            self.groups.len() - 1
        });
        let group = &mut self.groups[number];
        // Also tells values apart whose hashes are equal by accident.
        if cut(&group.pattern, value, &mut self.found_holes).is_some() && self.found_holes == *new {
            group.members.push(member);
            group.holes.extend_from_slice(new);
        } else {
            self.left.push(member);
        }
    }

    /// The groups of at least `least` values, and the values that are in none.
    pub(super) fn finish(mut self, least: usize) -> (Vec<Group>, Vec<usize>) {
        let (large, small): (Vec<Group>, Vec<Group>) =
            self.groups.into_iter().partition(|group| group.members.len() >= least);
        self.left.extend(small.into_iter().flat_map(|group| group.members));
        self.left.sort_unstable();
        (large, self.left)
    }
}

/// What is left of `holes` without the `fixed` texts in them, both in order. What is left between fixed texts is fixed as well, if
/// there are only delimiters.
fn subtract(value: &[u8], holes: &[Range<u32>], fixed: &[Range<u32>], out: &mut Vec<Range<u32>>) {
    let mut fixed = fixed;
    for hole in holes {
        let inside = fixed.partition_point(|text| text.start < hole.end);
        let (here, later) = fixed.split_at(inside);
        fixed = later;
        if here.is_empty() {
            out.push(hole.clone());
            continue;
        }
        let mut at = hole.start;
        for text in here.iter().chain([&(hole.end..hole.end)]) {
            if at < text.start && !is_delimiters(&value[at as usize..text.start as usize]) {
                out.push(at..text.start);
            }
            at = at.max(text.end);
        }
    }
}
