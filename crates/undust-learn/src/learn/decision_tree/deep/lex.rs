//! Candidate anchors: the words and numbers that stand between delimiters in a hole.

use std::ops::Range;

use xxhash_rust::xxh3::xxh3_64;

/// Number of candidates of one kind told apart from either end of a hole. What is further inside is reached on a later
/// level, once that which stands before it is fixed.
const MAX_ORDINALS: u32 = 4;
/// Number of kinds of candidates of a hole; further ones are ignored. Keeps the list of them short on garbage.
const MAX_KINDS: usize = 32;

/// What a candidate anchor is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// All letters up to a byte that is no letter, at least two of them.
    Word,
    /// Such a letter alone.
    Letter,
    /// Letters of one case inside a word of both.
    Case,
    /// Digits.
    Number,
    /// What the hole begins or ends with, if that is a delimiter.
    Delimiter,
}

/// What stands at the side of a candidate: delimiters that are bytes, the same behind a percent sign, and these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Side(u16);

impl Side {
    /// The hole ends here.
    const EDGE: Side = Side(512);
    const LOWER: Side = Side(513);
    const UPPER: Side = Side(514);
    const DIGIT: Side = Side(515);
    /// Bytes that are no ASCII, escaped or not.
    const OTHER: Side = Side(516);

    /// How many bytes of the value a delimiter is.
    fn len(self) -> u32 {
        match self.0 {
            0..256 => 1,
            256..512 => 3,
            _ => 0,
        }
    }
}

/// A candidate anchor of a hole.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub(super) text: Range<u32>,
    pub(super) kind: Kind,
    pub(super) hash: u64,
    before: Side,
    after: Side,
    /// Its number among its kind, from the front and from the back.
    ordinals: [u32; 2],
}

impl Candidate {
    /// It and the delimiters at its sides, which are fixed if it is.
    pub(super) fn with_delimiters(&self) -> Range<u32> {
        self.text.start - self.before.len()..self.text.end + self.after.len()
    }

    /// The clusters that it belongs to, in the hole number `place`.
    pub(super) fn clusters(&self, place: usize) -> impl Iterator<Item = Cluster> {
        let kind = self.kind_and_sides() << 16 | (place as u64) << 40;
        let ordinals = self.ordinals.into_iter().zip([0, 1]).filter(|(ordinal, _)| *ordinal < MAX_ORDINALS);
        ordinals.map(move |(ordinal, end)| Cluster(kind | u64::from(ordinal << 1 | end)))
    }

    fn kind_and_sides(&self) -> u64 {
        (self.kind as u64) << 20 | u64::from(self.before.0) << 10 | u64::from(self.after.0)
    }
}

/// Candidates that stand in the same hole between the same delimiters, are of the same kind, and the n-th such from one end:
/// at most one in a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Cluster(pub(super) u64);

impl Cluster {
    /// The number of the hole.
    pub(super) fn place(self) -> usize {
        (self.0 >> 40) as usize
    }

    /// Whether its anchors may split a node: words with a delimiter at one side at least. Letters between digits are
    /// found in ids and in base64.
    pub(super) fn may_split(self) -> bool {
        let is_words = (self.0 >> 36) & 7 == Kind::Word as u64;
        let is_unit = |side: u64| side & 1023 > u64::from(Side::EDGE.0);
        is_words && !(is_unit(self.0 >> 16) && is_unit(self.0 >> 26))
    }
}

/// A run of bytes of one unit, or a delimiter.
#[derive(Clone, Debug)]
struct Run {
    text: Range<u32>,
    unit: Side,
}

impl Run {
    fn is_letters(&self) -> bool {
        matches!(self.unit, Side::LOWER | Side::UPPER)
    }
}

/// Finds candidates; what it holds is only kept to be used again.
#[derive(Default)]
pub(super) struct Lexer {
    runs: Vec<Run>,
    candidates: Vec<Candidate>,
    counts: Vec<(u64, u32)>,
}

impl Lexer {
    /// The candidates of a hole, in order.
    pub(super) fn candidates(&mut self, value: &[u8], hole: &Range<u32>) -> &[Candidate] {
        self.runs.clear();
        self.candidates.clear();
        let mut at = hole.start;
        while at < hole.end {
            let (unit, len) = unit(&value[at as usize..hole.end as usize]);
            let text = at..at + len;
            at = text.end;
            match self.runs.last_mut() {
                Some(last) if last.unit == unit && unit.len() == 0 => last.text.end = text.end,
                _ => self.runs.push(Run { text, unit }),
            }
        }
        self.find(value);
        self.count();
        &self.candidates
    }

    fn find(&mut self, value: &[u8]) {
        let mut at = 0;
        while at < self.runs.len() {
            let letters = self.runs[at..].iter().take_while(|run| run.is_letters()).count();
            if letters > 0 {
                let long = self.runs[at].text.start + 1 < self.runs[at + letters - 1].text.end;
                self.push(value, at..at + letters, if long { Kind::Word } else { Kind::Letter });
                if letters > 1 {
                    (at..at + letters).for_each(|run| self.push(value, run..run + 1, Kind::Case));
                }
            } else if self.runs[at].unit == Side::DIGIT {
                self.push(value, at..at + 1, Kind::Number);
            } else if self.runs[at].unit.len() > 0 && (at == 0 || at + 1 == self.runs.len()) {
                self.push(value, at..at + 1, Kind::Delimiter);
            }
            at += letters.max(1);
        }
    }

    fn push(&mut self, value: &[u8], runs: Range<usize>, kind: Kind) {
        // The word beside a delimiter may end in whatever it likes.
        let side = |run: Option<&Run>| match run {
            Some(run) if kind != Kind::Delimiter => run.unit,
            _ => Side::EDGE,
        };
        let text = self.runs[runs.start].text.start..self.runs[runs.end - 1].text.end;
        self.candidates.push(Candidate {
            hash: xxh3_64(&value[text.start as usize..text.end as usize]),
            text,
            kind,
            before: side(runs.start.checked_sub(1).and_then(|before| self.runs.get(before))),
            after: side(self.runs.get(runs.end)),
            ordinals: [0, 0],
        });
    }

    /// Number the candidates of each kind.
    fn count(&mut self) {
        self.counts.clear();
        for candidate in &mut self.candidates {
            candidate.ordinals[0] = next(&mut self.counts, candidate.kind_and_sides());
        }
        self.counts.clear();
        for candidate in self.candidates.iter_mut().rev() {
            candidate.ordinals[1] = next(&mut self.counts, candidate.kind_and_sides());
        }
    }
}

/// Count one more of a kind: how many there were before.
fn next(counts: &mut Vec<(u64, u32)>, kind: u64) -> u32 {
    if let Some((_, count)) = counts.iter_mut().find(|(known, _)| *known == kind) {
        *count += 1;
        return *count - 1;
    }
    if counts.len() == MAX_KINDS {
        return u32::MAX;
    }
    counts.push((kind, 1));
    0
}

/// The unit of the first byte, or of the escape that stands there, and its length.
fn unit(text: &[u8]) -> (Side, u32) {
    match text {
        [b'a'..=b'z', ..] => (Side::LOWER, 1),
        [b'A'..=b'Z', ..] => (Side::UPPER, 1),
        [b'0'..=b'9', ..] => (Side::DIGIT, 1),
        [b'%', a, b, ..] if a.is_ascii_hexdigit() && b.is_ascii_hexdigit() => {
            let byte = hex(*a) << 4 | hex(*b);
            // Letters and digits need no escape: whoever writes one hides it, and it is no word of ours.
            let is_delimiter = byte.is_ascii() && !byte.is_ascii_alphanumeric();
            (if is_delimiter { Side(256 + u16::from(byte)) } else { Side::OTHER }, 3)
        }
        [byte, ..] if !byte.is_ascii() => (Side::OTHER, 1),
        [byte, ..] => (Side(u16::from(*byte)), 1),
        [] => (Side::EDGE, 0),
    }
}

fn hex(digit: u8) -> u8 {
    match digit {
        b'0'..=b'9' => digit - b'0',
        _ => (digit | 32) - b'a' + 10,
    }
}

/// The delimiter behind the digits that `text` begins with, and where it stands, if something stands behind it.
pub(super) fn behind_number(text: &[u8]) -> Option<(Side, Range<u32>)> {
    let digits = text.iter().take_while(|b| b.is_ascii_digit()).count();
    let (side, len) = unit(&text[digits..]);
    let start = digits as u32;
    let is_field = digits > 0 && side.len() > 0 && digits + (len as usize) < text.len();
    is_field.then(|| (side, start..start + len))
}

/// Whether there are only delimiters.
pub(super) fn is_delimiters(mut text: &[u8]) -> bool {
    while !text.is_empty() {
        let (side, len) = unit(text);
        if side.len() == 0 {
            return false;
        }
        text = &text[len as usize..];
    }
    true
}
