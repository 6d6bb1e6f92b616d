//! The effect of a rule on measures that cannot fall for ever. Where it is not certain, a rule is said to raise them.

use std::collections::{BTreeMap, BTreeSet};

use super::super::fixpoint::{
    Trust, gives_back, keeps_path, makes_no_escape, paired_texts, parameters_in_order,
};
use super::shape::{MARK, Shape, counts, dots_gained};
use crate::rules::template::{Convert, Filter, Item, Piece, QueryKind, Template, Text};
use crate::rules::{Action, Rewrite, Substitute, tokens};
use crate::url::{SplitUrl, escaped, is_unreserved};

/// A number of a URL, never below zero.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Measure {
    /// Its bytes.
    Length,
    /// Its place among all URLs, shorter ones first and then by their bytes.
    Place,
    /// Its bytes, those that are not `*` once more, and how far the parameters are from being in order and separated by
    /// this byte alone.
    Disorder(u8),
    /// `?`, `&` and `;` together.
    Separators,
    /// How often it holds this byte, which is no letter: normalising changes the case of some.
    Byte(u8),
    /// How often it holds this token, whatever the case.
    Token(Vec<u8>),
    /// All numbers of bytes.
    EveryByte,
    /// All numbers of tokens.
    EveryToken,
}

/// The measures that a firing surely lowers, and those that it may raise.
#[derive(Clone, Debug, Default)]
pub(super) struct Effect {
    pub(super) lowers: BTreeSet<Measure>,
    pub(super) raises: BTreeSet<Measure>,
}

/// Assumptions that hold for all URLs of a run, from some step on.
#[derive(Clone, Copy, Debug)]
pub(super) struct World {
    /// Whether URLs are normalised between rules.
    pub(super) normalize: bool,
    /// Whether no rule turns a URL that is normalised into one that is left alone: then all of them are from some step on, or
    /// none is.
    pub(super) calm: bool,
}

impl Effect {
    pub(super) fn of(action: &Action, world: World) -> Effect {
        match action {
            Action::Substitute(substitute) => of_substitute(substitute, world),
            Action::Rewrite(rewrite) => of_rewrite(action, rewrite, world),
            Action::Skip(_) => Effect::default(),
        }
    }

    fn raises_everything() -> Effect {
        use Measure::{Disorder, EveryByte, EveryToken, Length, Place, Separators};
        let raises = [Length, Place, Disorder(b'&'), Disorder(b';'), Separators, EveryByte, EveryToken];
        Effect { lowers: BTreeSet::new(), raises: raises.into() }
    }

    /// Note that a firing may make percent escapes, each of which normalising may decode into any byte and any token.
    ///
    /// Of all other rules that need not be said: where no escapes are made, few are there to be decoded, and none is left from some
    /// step on.
    fn note_escapes(&mut self) {
        self.raises.extend([Measure::EveryByte, Measure::EveryToken]);
    }

    /// Notes a measure with the most that it changes by.
    fn note(&mut self, measure: Measure, by: isize) {
        if by < 0 {
            self.lowers.insert(measure);
        } else if by > 0 {
            self.raises.insert(measure);
        }
    }

    fn note_bytes(&mut self, before: &[u8], after: &[u8], extra: impl Fn(u8) -> isize) {
        let mut change = [0; 256];
        for (bytes, by) in [(before, -1), (after, 1)] {
            for byte in bytes {
                change[usize::from(*byte)] += by;
            }
        }
        for byte in (MARK + 1..=u8::MAX).filter(|b| !b.is_ascii_alphabetic()) {
            self.note(Measure::Byte(byte), change[usize::from(byte)] + extra(byte));
        }
    }

    fn note_tokens(&mut self, before: &[u8], after: &[u8]) {
        let mut change: BTreeMap<Vec<u8>, isize> = BTreeMap::new();
        for (bytes, by) in [(before, -1), (after, 1)] {
            for token in tokens(bytes) {
                *change.entry(token.to_ascii_lowercase()).or_default() += by;
            }
        }
        for (token, by) in change {
            self.note(Measure::Token(token), by);
        }
    }
}

fn separators(bytes: &[u8]) -> isize {
    bytes.iter().filter(|b| b"?&;".contains(b)).count().cast_signed()
}

fn of_substitute(s: &Substitute, world: World) -> Effect {
    let (from, to) = (s.from(), s.to());
    let mut effect = Effect::default();
    effect.raises.extend([Measure::Disorder(b'&'), Measure::Disorder(b';')]);
    // Every place changes by as much, and a path left empty becomes `/` once.
    let slash = isize::from(may_empty_path(s, world));
    let longer = to.len().cast_signed() - from.len().cast_signed();
    effect.note(Measure::Length, longer + slash);
    if effect.lowers.contains(&Measure::Length) || (longer == 0 && comes_earlier(s, world)) {
        effect.lowers.insert(Measure::Place);
    } else {
        effect.raises.insert(Measure::Place);
    }
    effect.note(Measure::Separators, separators(to) - separators(from));
    effect.note_bytes(from, to, |byte| if byte == b'/' { slash } else { 0 });
    if may_join_tokens(s) {
        effect.raises.insert(Measure::EveryToken);
    } else {
        effect.note_tokens(from, to);
    }
    if world.normalize && may_make_escape(s) {
        effect.note_escapes();
    }
    effect
}

/// Whether an escape to be decoded may come about in what is printed, or where that meets what stands before and behind it.
fn may_make_escape(s: &Substitute) -> bool {
    let alnum = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
    // The most that can stand there: no token goes on over a border of a place.
    let before: &[&[u8]] = match alnum(s.from().first()) {
        _ if s.is_at_start() => &[b""],
        true => &[b"%"],
        false => &[b"%", b"%0"],
    };
    let behind: &[u8] = if alnum(s.from().last()) || s.is_at_end() { b"" } else { b"00" };
    before.iter().any(|before| {
        let text = [before, s.to(), behind].concat();
        let inside = before.len()..=(before.len() + s.to().len()).saturating_sub(3);
        let is_made =
            |at: usize| escaped(&text[at..]).is_some_and(|byte| !inside.contains(&at) || is_unreserved(byte));
        (0..text.len()).any(is_made)
    })
}

/// Whether a URL with a path may be left with none.
fn may_empty_path(s: &Substitute, world: World) -> bool {
    let (from, to) = (s.from(), s.to());
    // "/" at the end: what is left without a path was "/" alone, and normalising takes the change back.
    let slash_at_end = (from, to, s.is_at_end()) == (b"/", b"", true);
    let fewer_slashes = counts(to, b'/') < counts(from, b'/');
    let moves = to.contains(&b'?') || to.contains(&b'#') || fewer_slashes;
    let has_path = s.is_at_start() && SplitUrl::new(to).is_some_and(|split| !split.path().is_empty());
    let keeps_first_slash = !s.names_authority()
        && to.starts_with(b"/")
        && !to.iter().any(|b| b"?#".contains(b))
        // With text before another slash, it may hold the end of a host.
        && from.iter().rposition(|b| *b == b'/').is_some_and(|last| from[..last].iter().all(|b| *b == b'/'));
    world.normalize && (!world.calm || (moves && !slash_at_end && !has_path && !keeps_first_slash))
}

/// Whether what a substitution of equal lengths makes comes earlier, byte by byte. Normalising raises bytes only where it makes
/// upper-case letters of a host lower.
fn comes_earlier(s: &Substitute, world: World) -> bool {
    let (from, to) = (s.from(), s.to());
    let plain = |bytes: &[u8]| !bytes.iter().any(|b| b":/?#@[]".contains(b));
    let stable = !world.normalize
        || (world.calm && plain(from) && plain(to) && !to.iter().any(u8::is_ascii_uppercase));
    to < from && stable
}

/// Whether tokens left and right of a place may grow by it: where it begins (ends) with a token, no token stands before it
/// (behind it).
fn may_join_tokens(s: &Substitute) -> bool {
    let alnum = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
    let (from, to) = (s.from(), s.to());
    let open_left = !alnum(from.first()) && !s.is_at_start();
    let open_right = !alnum(from.last()) && !s.is_at_end();
    if to.is_empty() {
        return open_left && open_right;
    }
    (open_left && alnum(to.first())) || (open_right && alnum(to.last()))
}

fn of_rewrite(action: &Action, rewrite: &Rewrite, world: World) -> Effect {
    let (from, to) = (rewrite.matches(), rewrite.becomes());
    let (before, after) = shapes(from, to);
    if !after.copies_no_more_than(&before) {
        return Effect::raises_everything();
    }
    let mut effect = Effect::default();
    let slash = isize::from(world.normalize && may_print_no_path(rewrite, world));
    let dots = dots_gained(from, to);
    let fixed = after.len() - before.len() + slash + dots;
    let longer = fixed + after.least(&before) - before.least(&before);
    let stars = counts(&after.fixed, b'*') - counts(&before.fixed, b'*');
    effect.note(Measure::Length, longer);
    effect.note(Measure::Place, if longer < 0 { -1 } else { 1 });
    effect.note(Measure::Separators, separators(&after.fixed) - separators(&before.fixed));
    let is_sure = world.calm && Trust::of(action, world.normalize) == Trust::All;
    note_disorder(rewrite, is_sure, longer + fixed - stars, &mut effect);
    effect.note_bytes(&before.fixed, &after.fixed, |byte| match byte {
        b'/' => slash,
        b'.' => dots,
        _ => 0,
    });
    leave_separators_open(to, &mut effect);
    if [from, to].into_iter().all(|t| t.texts().all(holes_are_tokens)) {
        effect.note_tokens(&before.fixed, &after.fixed);
    } else {
        effect.raises.insert(Measure::EveryToken);
    }
    if world.normalize && !makes_no_escape(rewrite) {
        effect.note_escapes();
    }
    effect
}

/// What is matched and what is printed. A value that is put into the place of another counts on both sides where a condition says what
/// that was, and as an addition where none does.
fn shapes(from: &Template, to: &Template) -> (Shape, Shape) {
    let (mut before, mut after) = (Shape::matched(from), Shape::printed(to));
    for (name, text) in to.query.iter().flatten().flat_map(|item| values(&item.kind)) {
        let is_named = |kind: &QueryKind| kind.taken_names().contains(name);
        let known = from.query.iter().flatten().find_map(|item| match &item.kind {
            QueryKind::If(n, Some(read)) if n == name => Some(read),
            _ => None,
        });
        if let Some(read) = known.filter(|_| !from.query.iter().flatten().any(|item| is_named(&item.kind))) {
            before.value(read, false);
        }
        after.value(text, true);
    }
    (before, after)
}

/// The values that are put into the places of others.
fn values(kind: &QueryKind) -> &[(Vec<u8>, Text)] {
    match kind {
        QueryKind::Others { filter: Filter::With(values), .. } => values,
        _ => &[],
    }
}

/// Which of `?`, `&` and `;` stands before a parameter is the URL's affair, or the rewrite's.
fn leave_separators_open(to: &Template, effect: &mut Effect) {
    for byte in *b"?&;" {
        effect.lowers.remove(&Measure::Byte(byte));
        if to.query.is_some() {
            effect.raises.insert(Measure::Byte(byte));
        }
    }
}

/// Whether what is printed may have an empty path, which normalising makes `/`.
fn may_print_no_path(rewrite: &Rewrite, world: World) -> bool {
    let (from, to) = (rewrite.matches(), rewrite.becomes());
    let one = |item: &Item| matches!(item, Item::One(_));
    let rest_alone = |t: &Template| t.path.len() == 1 && !one(&t.path[0]);
    let has_path = to.path.iter().any(one) || (rest_alone(from) && rest_alone(to));
    !(world.calm && has_path && keeps_path(rewrite))
}

/// Whether every hole begins and ends where a token cannot go on.
fn holes_are_tokens(text: &Text) -> bool {
    text.windows(2).all(|pair| match (&pair[0], &pair[1]) {
        (Piece::Literal(_), Piece::Literal(_)) => true,
        (Piece::Literal(a), _) => !a.last().is_some_and(u8::is_ascii_alphanumeric),
        (_, Piece::Literal(b)) => !b.first().is_some_and(u8::is_ascii_alphanumeric),
        _ => false,
    })
}

/// A rule that changes nothing but values into `*` and the order of parameters has lowered the disorder if it has fired.
fn note_disorder(rewrite: &Rewrite, is_sure: bool, by: isize, effect: &mut Effect) {
    let fires_once = gives_back(rewrite) && keeps_fixed_text(rewrite) && !converts(rewrite.becomes());
    for separator in *b"&;" {
        let raised = !is_sure || !prints_in_order(rewrite.becomes(), separator) || by > 0;
        let by = if raised {
            1
        } else if by < 0 || fires_once {
            -1
        } else {
            0
        };
        effect.note(Measure::Disorder(separator), by);
    }
}

/// Of a rule that gives back what it printed: whether it keeps all fixed text.
fn keeps_fixed_text(rewrite: &Rewrite) -> bool {
    let piece = |(read, printed): (&Piece, &Piece)| match (read, printed) {
        (Piece::Literal(a), Piece::Literal(b)) => a == b,
        (Piece::Hole { .. }, Piece::Hole { .. }) | (Piece::Hole { .. } | Piece::Star, Piece::Star) => true,
        _ => false,
    };
    let same = |(a, b): &(&Text, &Text)| a.len() == b.len() && a.iter().zip(*b).all(piece);
    let has_values = rewrite.becomes().query.iter().flatten().any(|item| !values(&item.kind).is_empty());
    !has_values && paired_texts(rewrite).is_some_and(|pairs| pairs.iter().all(same))
}

fn converts(template: &Template) -> bool {
    let piece = |p: &Piece| matches!(p, Piece::Hole { convert, .. } if *convert != Convert::Copy);
    let item = |i: &Item| matches!(i, Item::Rest(convert) if *convert != Convert::Copy);
    template.texts().flatten().any(piece) || template.path.iter().chain(&template.host).any(item)
}

/// Whether what is printed is no further from order than what was matched: all other parameters alone, as they stood or
/// sorted, or a list in order.
fn prints_in_order(to: &Template, separator: u8) -> bool {
    let items = to.query.as_deref().unwrap_or_default();
    if let [one] = items {
        return matches!(one.kind, QueryKind::Others { .. } | QueryKind::Param(..));
    }
    parameters_in_order(items, separator)
}
