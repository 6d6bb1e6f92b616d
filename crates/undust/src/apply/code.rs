//! The instruction format of compiled rules: words of eight bytes.
//!
//! With 100,000 rules loaded, the time goes into fetching them from memory, not into running them. So everything that a
//! rule needs, and everything that a site needs, lies together in one array of words: a header, tests, operations, fixed
//! text (eight bytes a word), and the site's index behind them.

use std::collections::HashMap;

use crate::rules::template::{Class, Filter};
use crate::rules::{Convert, Substitute};

/// The memory of the compiled engine.
#[derive(Default)]
pub(super) struct Code {
    pub(super) words: Vec<u64>,
    /// Values with several holes or classes are rare, and kept as they are.
    pub(super) pieces: Vec<PieceTest>,
    pub(super) substitutes: Vec<Substitute>,
    /// Functions of the remaining parameters, as rare.
    pub(super) filters: Vec<FilterCode>,
    /// Where the fixed texts of the site at hand are: its rules have many in common.
    known: HashMap<Vec<u8>, Literal>,
}

/// Fixed text in the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Literal {
    at: u32,
    len: u16,
}

impl Code {
    /// The rules that follow belong to another site.
    pub(super) fn next_site(&mut self) {
        self.known = HashMap::new();
    }

    /// Put fixed text into the code. Templates are short (`MAX_TEMPLATE_BYTES`), so that two bytes hold a length.
    pub(super) fn literal(&mut self, text: &[u8]) -> Literal {
        let words = &mut self.words;
        *self.known.entry(text.to_vec()).or_insert_with(|| {
            let at = words.len() as u32;
            words.extend(text.chunks(8).map(word_of));
            Literal { at, len: text.len() as u16 }
        })
    }

    pub(super) fn equals(&self, literal: Literal, value: &[u8]) -> bool {
        let words = &self.words[literal.at as usize..];
        value.len() == literal.len as usize
            && value.chunks(8).zip(words).all(|(chunk, word)| word_of(chunk) == *word)
    }

    /// Put a list of words into the code: how many there are, then where each is.
    pub(super) fn word_list(&mut self, words: &[Vec<u8>]) -> u32 {
        let list: Vec<u64> = words.iter().map(|word| Test::Exact(self.literal(word)).pack()).collect();
        let at = self.words.len() as u32;
        self.words.push(list.len() as u64);
        self.words.extend(list);
        at
    }

    /// Whether a text is in the list of words at `at`. Most words are of another length, so that they need not be fetched.
    pub(super) fn has_word(&self, at: u32, text: &[u8]) -> bool {
        let (count, list) = self.words[at as usize..].split_first().unwrap_or((&0, &[]));
        let is_text =
            |word: u64| matches!(Test::unpack(word), Test::Exact(literal) if self.equals(literal, text));
        list[..*count as usize].iter().any(|word| is_text(*word))
    }

    pub(super) fn push_literal(&self, literal: Literal, out: &mut Vec<u8>) {
        let len = literal.len as usize;
        let end = out.len() + len;
        for word in &self.words[literal.at as usize..][..len.div_ceil(8)] {
            out.extend_from_slice(&word.to_le_bytes());
        }
        out.truncate(end);
    }
}

/// Up to eight bytes as a word. Two reads that overlap beat a loop over the bytes.
fn word_of(chunk: &[u8]) -> u64 {
    if let Some(eight) = chunk.first_chunk() {
        return u64::from_le_bytes(*eight);
    }
    match (chunk.first_chunk(), chunk.last_chunk()) {
        (Some(first), Some(last)) => {
            let (first, last) = (u32::from_le_bytes(*first), u32::from_le_bytes(*last));
            u64::from(first) | u64::from(last) << (8 * (chunk.len() - 4))
        }
        _ => chunk.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte)),
    }
}

/// The first words of a rule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Header {
    /// Which of all compiled rules it is.
    pub(super) number: u32,
    pub(super) flags: u16,
    pub(super) slots: u16,
    /// How many tests there are of each kind, in the order in which they lie behind the header: path components before
    /// and behind `{...}`, parameters (a name and a value each), absent names, the host or its labels before and
    /// behind `{...}`. The scheme follows, then user, port and fragment, where the flags name them.
    pub(super) path: [u16; 2],
    pub(super) params: u16,
    pub(super) absent: u16,
    pub(super) host: [u16; 2],
    /// How many operations lie behind the tests.
    pub(super) ops: u16,
    /// How many conditions there are (three words each: whether it must hold, a name, a value): the last of the tests.
    pub(super) conditions: u16,
}

/// Bits of [`Header::flags`].
pub(super) mod flag {
    /// The rule is a substitution: `slots` is its number.
    pub(crate) const SUBSTITUTE: u16 = 1;
    /// `{...}` in the path.
    pub(crate) const PATH_REST: u16 = 2;
    /// There is a query.
    pub(crate) const QUERY: u16 = 4;
    /// `{...}` in the query.
    pub(crate) const OTHERS: u16 = 8;
    /// The host is one fixed text, not cut into labels.
    pub(crate) const WHOLE_HOST: u16 = 16;
    /// `{...}` in the host.
    pub(crate) const HOST_REST: u16 = 32;
    /// There is a user.
    pub(crate) const USERINFO: u16 = 64;
    /// There is a port.
    pub(crate) const PORT: u16 = 128;
    /// There is a fragment.
    pub(crate) const FRAGMENT: u16 = 256;
    /// There may be a fragment.
    pub(crate) const ANY_FRAGMENT: u16 = 512;
    /// No rule of the site can change the result.
    pub(crate) const LAST: u16 = 1024;
    /// The result on a normal URL is normal.
    pub(crate) const NORMAL: u16 = 2048;
}

impl Header {
    pub(super) const WORDS: usize = 3;

    pub(super) fn pack(self) -> [u64; Header::WORDS] {
        let four = |a: u16, b: u16, c: u16, d: u16| {
            u64::from(a) | u64::from(b) << 16 | u64::from(c) << 32 | u64::from(d) << 48
        };
        [
            u64::from(self.number) | u64::from(self.flags) << 32 | u64::from(self.slots) << 48,
            four(self.path[0], self.path[1], self.params, self.absent),
            four(self.host[0], self.host[1], self.ops, self.conditions),
        ]
    }

    pub(super) fn unpack(words: &[u64]) -> Header {
        let quarter = |word: usize, n: u32| (words[word] >> (16 * n)) as u16;
        Header {
            number: words[0] as u32,
            flags: quarter(0, 2),
            slots: quarter(0, 3),
            path: [quarter(1, 0), quarter(1, 1)],
            params: quarter(1, 2),
            absent: quarter(1, 3),
            host: [quarter(2, 0), quarter(2, 1)],
            ops: quarter(2, 2),
            conditions: quarter(2, 3),
        }
    }

    pub(super) fn has(self, flag: u16) -> bool {
        self.flags & flag != 0
    }
}

/// The test of one value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Test {
    Exact(Literal),
    /// Anything but nothing.
    Open(Bind),
    /// Anything but nothing and the words of the list at this place.
    NoneOf {
        words: u32,
        bind: Bind,
    },
    /// `count` of [`Code::pieces`], from `first` on.
    Pieces {
        first: u32,
        count: u16,
    },
    /// The value of a parameter that has no `=`.
    NoValue,
    /// Any value or none, of a condition.
    Anything,
    /// One of the words of the list at this place, as the name of a parameter.
    OneOf(u32),
}

/// The use of the text of a hole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bind {
    Ignore,
    Set(u16),
    /// The hole's name stood before: both must hold the same.
    Same(u16),
}

/// A piece of a value.
pub(super) enum PieceTest {
    Exact(Vec<u8>),
    Hole { class: Class, least: usize, bind: Bind },
}

/// A function of the remaining parameters.
pub(super) enum FilterCode {
    /// Those that it keeps, as they are.
    Choice(Filter),
    /// All, these with other values.
    Values(Vec<(Vec<u8>, Vec<ValuePiece>)>),
}

/// A piece of a value that is printed in the place of another.
pub(super) enum ValuePiece {
    Fixed(Vec<u8>),
    Slot(u16, Convert),
}

/// One operation of printing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Op {
    Literal(Literal),
    Slot(u16, Convert),
    HostRest {
        convert: Convert,
        dot_before: bool,
    },
    /// A dot, unless the `{...}` that the host begins with is nothing.
    DotBehindRest,
    PathRest(Convert),
    /// `?` before the first parameter printed, else this separator.
    ParamSeparator(u8),
    /// The separator between the others is the given one, or the URL's own; `filter` is a number of [`Code::filters`], counted from
    /// one.
    Others {
        sorted: bool,
        separator: Option<u8>,
        filter: u32,
    },
    Fragment,
}

/// A word of four parts.
fn word(tag: u8, small: u8, medium: u16, large: u32) -> u64 {
    u64::from(tag) | u64::from(small) << 8 | u64::from(medium) << 16 | u64::from(large) << 32
}

fn parts(word: u64) -> (u8, u8, u16, u32) {
    (word as u8, (word >> 8) as u8, (word >> 16) as u16, (word >> 32) as u32)
}

impl Test {
    pub(super) fn pack(self) -> u64 {
        match self {
            Test::Exact(literal) => word(0, 0, literal.len, literal.at),
            Test::Open(Bind::Ignore) => word(1, 0, 0, 0),
            Test::Open(Bind::Set(slot)) => word(2, 0, slot, 0),
            Test::Open(Bind::Same(slot)) => word(3, 0, slot, 0),
            Test::Pieces { first, count } => word(4, 0, count, first),
            Test::NoValue => word(5, 0, 0, 0),
            Test::Anything => word(9, 0, 0, 0),
            Test::OneOf(words) => word(10, 0, 0, words),
            Test::NoneOf { words, bind: Bind::Ignore } => word(6, 0, 0, words),
            Test::NoneOf { words, bind: Bind::Set(slot) } => word(7, 0, slot, words),
            Test::NoneOf { words, bind: Bind::Same(slot) } => word(8, 0, slot, words),
        }
    }

    pub(super) fn unpack(word: u64) -> Test {
        let (tag, _, medium, large) = parts(word);
        match tag {
            0 => Test::Exact(Literal { at: large, len: medium }),
            1 => Test::Open(Bind::Ignore),
            2 => Test::Open(Bind::Set(medium)),
            3 => Test::Open(Bind::Same(medium)),
            4 => Test::Pieces { first: large, count: medium },
            6 => Test::NoneOf { words: large, bind: Bind::Ignore },
            7 => Test::NoneOf { words: large, bind: Bind::Set(medium) },
            8 => Test::NoneOf { words: large, bind: Bind::Same(medium) },
            9 => Test::Anything,
            10 => Test::OneOf(large),
            _ => Test::NoValue,
        }
    }
}

const CONVERSIONS: [Convert; 5] =
    [Convert::Copy, Convert::Lower, Convert::Upper, Convert::Encode, Convert::Decode];

impl Op {
    pub(super) fn pack(self) -> u64 {
        let number =
            |convert: Convert| CONVERSIONS.iter().position(|c| *c == convert).unwrap_or_default() as u8;
        match self {
            Op::Literal(literal) => word(0, 0, literal.len, literal.at),
            Op::Slot(slot, convert) => word(1, number(convert), slot, 0),
            Op::HostRest { convert, dot_before } => word(2, number(convert), u16::from(dot_before), 0),
            Op::DotBehindRest => word(3, 0, 0, 0),
            Op::PathRest(convert) => word(4, number(convert), 0, 0),
            Op::ParamSeparator(separator) => word(5, separator, 0, 0),
            Op::Others { sorted, separator, filter } => {
                word(6, separator.unwrap_or_default(), u16::from(sorted), filter)
            }
            Op::Fragment => word(7, 0, 0, 0),
        }
    }

    pub(super) fn unpack(word: u64) -> Op {
        let (tag, small, medium, large) = parts(word);
        let convert = CONVERSIONS[usize::from(small) % CONVERSIONS.len()];
        match tag {
            0 => Op::Literal(Literal { at: large, len: medium }),
            1 => Op::Slot(medium, convert),
            2 => Op::HostRest { convert, dot_before: medium != 0 },
            3 => Op::DotBehindRest,
            4 => Op::PathRest(convert),
            5 => Op::ParamSeparator(small),
            6 => Op::Others { sorted: medium != 0, separator: (small != 0).then_some(small), filter: large },
            _ => Op::Fragment,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_packs_into_words_and_back() {
        let literal = Literal { at: 0xDEAD_BEEF, len: 0xABCD };
        let binds = [Bind::Ignore, Bind::Set(7), Bind::Same(u16::MAX)];
        let mut tests = vec![Test::Exact(literal), Test::Pieces { first: u32::MAX, count: 3 }];
        tests.extend([Test::NoValue, Test::Anything, Test::OneOf(7)]);
        tests.extend(binds.map(Test::Open));
        tests.extend(binds.map(|bind| Test::NoneOf { words: u32::MAX, bind }));
        assert!(tests.iter().all(|test| Test::unpack(test.pack()) == *test));
        let mut ops = vec![Op::Literal(literal), Op::DotBehindRest, Op::ParamSeparator(b';'), Op::Fragment];
        for convert in CONVERSIONS {
            ops.extend([
                Op::Slot(65_000, convert),
                Op::PathRest(convert),
                Op::HostRest { convert, dot_before: true },
            ]);
        }
        let others =
            |separator: Option<u8>| Op::Others { sorted: separator.is_some(), separator, filter: 70_000 };
        ops.extend([None, Some(b'&')].map(others));
        assert!(ops.iter().all(|op| Op::unpack(op.pack()) == *op));
        let header = Header {
            number: 1,
            flags: 2,
            slots: 3,
            path: [4, 5],
            params: 6,
            absent: 7,
            host: [8, 9],
            ops: 10,
            conditions: 11,
        };
        assert_eq!(Header::unpack(&header.pack()), header);
    }

    #[test]
    fn literals_compare_and_print() {
        let mut code = Code::default();
        let texts = ["", "a", "seven77", "eight888", "nine99999", "http://www.example.com/viewtopic.php"];
        for text in texts {
            let literal = code.literal(text.as_bytes());
            for other in texts {
                assert_eq!(code.equals(literal, other.as_bytes()), text == other);
            }
            let mut out = b"x".to_vec();
            code.push_literal(literal, &mut out);
            assert_eq!(out, format!("x{text}").into_bytes());
        }
        assert_eq!(code.literal(b"a"), code.literal(b"a"));
        let list =
            code.word_list(&texts[..4].iter().map(|text| text.as_bytes().to_vec()).collect::<Vec<_>>());
        for (i, text) in texts.into_iter().enumerate() {
            assert_eq!(code.has_word(list, text.as_bytes()), i < 4);
        }
        let nothing = code.word_list(&[]);
        assert!(!code.has_word(nothing, b"a"));
    }
}
