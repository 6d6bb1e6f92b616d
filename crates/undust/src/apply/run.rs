//! Running the code of one rule on one URL: all tests, then all operations.

use super::code::{Bind, Code, FilterCode, Header, Op, PieceTest, Test, ValuePiece, flag};
use super::scratch::{ParamSpan, Scratch, Span};
use crate::rules::template::Class;
use crate::url::SplitUrl;

/// One compiled rule, ready to run.
pub(super) struct Run<'c> {
    code: &'c Code,
    header: Header,
    /// Tests, then operations.
    body: &'c [u64],
}

impl<'c> Run<'c> {
    /// The rule whose code starts at `at`.
    pub(super) fn new(code: &'c Code, at: u32) -> Run<'c> {
        let words = &code.words[at as usize..];
        let (header, body) = words.split_at(Header::WORDS);
        Run { code, header: Header::unpack(header), body }
    }

    /// Which of all compiled rules it is.
    pub(super) fn number(&self) -> u32 {
        self.header.number
    }

    /// Whether no rule of the site can change what this one prints.
    pub(super) fn is_last(&self) -> bool {
        self.header.has(flag::LAST)
    }

    /// Whether the result of this rule on a normal URL is normal.
    pub(super) fn stays_normal(&self) -> bool {
        self.header.has(flag::NORMAL)
    }

    /// Writes the result of the rule on the URL that `scratch` is laid out for into `scratch.out`; returns whether that is a change.
    pub(super) fn rewrite(&self, url: &SplitUrl, scratch: &mut Scratch) -> bool {
        if self.header.has(flag::SUBSTITUTE) {
            return self.substitute(url, scratch);
        }
        let mut tests = self.tests(url);
        if !self.matches(&mut tests, url, scratch) {
            return false;
        }
        let ops = &tests.left[..self.header.ops as usize];
        self.print(ops, url.raw(), scratch) && scratch.out != url.raw()
    }

    /// Whether the rule, which has a template, matches the URL that `scratch` is laid out for.
    pub(super) fn matches_url(&self, url: &SplitUrl, scratch: &mut Scratch) -> bool {
        self.matches(&mut self.tests(url), url, scratch)
    }

    fn tests<'t>(&'t self, url: &SplitUrl<'t>) -> Tests<'t> {
        Tests { code: self.code, left: self.body, raw: url.raw() }
    }

    fn substitute(&self, url: &SplitUrl, scratch: &mut Scratch) -> bool {
        let substitute = &self.code.substitutes[self.body[0] as usize];
        scratch.out.clear();
        substitute.apply(url, &mut scratch.out)
    }

    fn matches(&self, tests: &mut Tests, url: &SplitUrl, scratch: &mut Scratch) -> bool {
        let Scratch { labels, segments, params, slots, host_rest, path_rest, named, .. } = scratch;
        let header = &self.header;
        slots.clear();
        slots.resize(header.slots as usize, Span::default());
        tests.list(header.path, header.has(flag::PATH_REST), segments, slots, path_rest)
            && self.query_matches(tests, url, params, slots, named)
            && if header.has(flag::WHOLE_HOST) {
                tests.value(url.host(), slots)
            } else {
                tests.list(header.host, header.has(flag::HOST_REST), labels, slots, host_rest)
            }
            && tests.value(url.scheme(), slots)
            && tests.option(header.has(flag::USERINFO), url.userinfo(), slots)
            && tests.option(header.has(flag::PORT), url.port(), slots)
            && (header.has(flag::ANY_FRAGMENT)
                || tests.option(header.has(flag::FRAGMENT), url.fragment(), slots))
            && (header.conditions == 0 || tests.conditions(header.conditions as usize, params, slots))
    }

    fn query_matches(
        &self,
        tests: &mut Tests,
        url: &SplitUrl,
        params: &[ParamSpan],
        slots: &mut [Span],
        named: &mut Vec<u32>,
    ) -> bool {
        let (count, others) = (self.header.params as usize, self.header.has(flag::OTHERS));
        let there = url.query().is_some();
        let fits = match (self.header.has(flag::QUERY), others) {
            (false, _) => !there,
            (true, true) => params.len() >= count,
            (true, false) => there && params.len() == count,
        };
        named.clear();
        let pairs = tests.take(2 * count);
        let absent = tests.take(self.header.absent as usize);
        if !fits || !pairs.chunks_exact(2).all(|pair| tests.param(pair, params, slots, named)) {
            return false;
        }
        // Without others, as many parameters as tests were found, so that none is left over.
        let is_named = |name: &[u8]| {
            let mut names = pairs.iter().step_by(2).chain(absent);
            names.any(|name_test| tests.is_exactly(*name_test, name))
        };
        !others
            || (0u32..).zip(params).all(|(i, p)| named.contains(&i) || !is_named(p.name.of_raw(url.raw())))
    }

    /// Prints the result; `false` where a value would be put into a parameter that is repeated.
    fn print(&self, ops: &[u64], raw: &[u8], scratch: &mut Scratch) -> bool {
        let Scratch {
            out, params, slots, host_rest, path_rest, named, order, own_separator, fragment, ..
        } = scratch;
        out.clear();
        let mut first_param = true;
        let mut separate = |out: &mut Vec<u8>, separator| {
            out.push(if std::mem::take(&mut first_param) { b'?' } else { separator });
        };
        for op in ops {
            match Op::unpack(*op) {
                Op::Literal(literal) => self.code.push_literal(literal, out),
                Op::Slot(slot, convert) => convert.append(slots[slot as usize].of_raw(raw), out),
                Op::HostRest { convert, dot_before } => {
                    if let Some(rest) = host_rest {
                        out.extend_from_slice(if dot_before { b"." } else { b"" });
                        convert.append(rest.of_raw(raw), out);
                    }
                }
                Op::DotBehindRest => out.extend_from_slice(if host_rest.is_some() { b"." } else { b"" }),
                Op::PathRest(convert) => {
                    if let Some(rest) = path_rest {
                        out.push(b'/');
                        convert.append(rest.of_raw(raw), out);
                    }
                }
                Op::ParamSeparator(separator) => separate(out, separator),
                Op::Others { sorted, separator, filter } => {
                    order.clear();
                    order.extend((0..params.len() as u32).filter(|i| !named.contains(i)));
                    let filter = (filter > 0).then(|| &self.code.filters[filter as usize - 1]);
                    if filter.is_some_and(|filter| !filter.apply(raw, params, order)) {
                        return false;
                    }
                    if sorted {
                        // Stable: the order of repeated parameters may matter.
                        order.sort_by_key(|&i| params[i as usize].name.of_raw(raw));
                    }
                    for &i in order.iter() {
                        separate(out, separator.unwrap_or(*own_separator));
                        let param = params[i as usize];
                        match filter.and_then(|filter| filter.value(param.name.of_raw(raw))) {
                            None => out.extend_from_slice(param.whole().of_raw(raw)),
                            Some(pieces) => {
                                out.extend_from_slice(param.name.of_raw(raw));
                                print_value(pieces, raw, slots, out);
                            }
                        }
                    }
                }
                Op::Fragment => {
                    if let Some(fragment) = fragment {
                        out.push(b'#');
                        out.extend_from_slice(fragment.of_raw(raw));
                    }
                }
            }
        }
        true
    }
}

/// `=` and a value that stands in the place of another.
fn print_value(pieces: &[ValuePiece], raw: &[u8], slots: &[Span], out: &mut Vec<u8>) {
    out.push(b'=');
    for piece in pieces {
        match piece {
            ValuePiece::Fixed(bytes) => out.extend_from_slice(bytes),
            ValuePiece::Slot(slot, convert) => convert.append(slots[*slot as usize].of_raw(raw), out),
        }
    }
}

impl FilterCode {
    /// Leaves in `order` the parameters that are printed; `false` where one that gets a value is repeated.
    fn apply(&self, raw: &[u8], params: &[ParamSpan], order: &mut Vec<u32>) -> bool {
        let name_of = |i: &u32| params[*i as usize].name.of_raw(raw);
        match self {
            FilterCode::Choice(filter) => {
                order.retain(|i| {
                    filter.keeps(name_of(i), params[*i as usize].value.map(|value| value.of_raw(raw)))
                });
                true
            }
            FilterCode::Values(values) => values
                .iter()
                .all(|(name, _)| order.iter().filter(|i| name_of(i) == name.as_slice()).count() <= 1),
        }
    }

    fn value(&self, name: &[u8]) -> Option<&[ValuePiece]> {
        let FilterCode::Values(values) = self else { return None };
        values.iter().find(|(n, _)| n == name).map(|(_, pieces)| pieces.as_slice())
    }
}

/// The tests of a rule that are still to be made on a URL.
struct Tests<'c> {
    code: &'c Code,
    left: &'c [u64],
    raw: &'c [u8],
}

impl<'c> Tests<'c> {
    fn take(&mut self, count: usize) -> &'c [u64] {
        let (taken, left) = self.left.split_at(count);
        self.left = left;
        taken
    }

    /// The next test, on a value of the URL.
    fn value(&mut self, value: &[u8], slots: &mut [Span]) -> bool {
        let test = self.take(1);
        self.passes(test[0], Span::of(self.raw, value), slots)
    }

    /// The next test, if there is one for this part of the URL; without one, the part must be absent.
    fn option(&mut self, there: bool, value: Option<&[u8]>, slots: &mut [Span]) -> bool {
        match value {
            Some(value) => there && self.value(value, slots),
            None => !there,
        }
    }

    /// The next tests, on values from both ends; the remainder in between goes to `{...}`.
    fn list(
        &mut self,
        counts: [u16; 2],
        has_rest: bool,
        values: &[Span],
        slots: &mut [Span],
        rest: &mut Option<Span>,
    ) -> bool {
        let (head, tail) = (counts[0] as usize, counts[1] as usize);
        let tests = self.take(head + tail);
        if if has_rest { values.len() < head + tail } else { values.len() != head } {
            return false;
        }
        let (before, after) = values.split_at(head);
        let (middle, behind) = after.split_at(after.len() - tail);
        *rest = match middle {
            [] => None,
            [first, ..] => Some(Span { start: first.start, end: middle[middle.len() - 1].end }),
        };
        tests.iter().zip(before.iter().chain(behind)).all(|(test, value)| self.passes(*test, *value, slots))
    }

    /// A name and a value, on the first parameter of that name that was not yet taken.
    fn param(&self, pair: &[u64], params: &[ParamSpan], slots: &mut [Span], named: &mut Vec<u32>) -> bool {
        let is_called = |p: &ParamSpan| self.is_exactly(pair[0], p.name.of_raw(self.raw));
        let found = (0u32..).zip(params).find(|(i, p)| is_called(p) && !named.contains(i));
        let Some((i, param)) = found else { return false };
        named.push(i);
        match param.value {
            Some(value) => self.passes(pair[1], value, slots),
            None => Test::unpack(pair[1]) == Test::NoValue,
        }
    }

    /// The next conditions, on all parameters: of those that must hold, the first parameter that fits binds.
    fn conditions(&mut self, count: usize, params: &[ParamSpan], slots: &mut [Span]) -> bool {
        self.take(3 * count).chunks_exact(3).all(|condition| {
            let fits = |p: &ParamSpan| {
                self.is_exactly(condition[1], p.name.of_raw(self.raw))
                    && match (Test::unpack(condition[2]), p.value) {
                        (Test::Anything, _) => true,
                        (_, Some(value)) => self.passes(condition[2], value, slots),
                        (_, None) => false,
                    }
            };
            params.iter().any(fits) == (condition[0] != 0)
        })
    }

    fn is_exactly(&self, test: u64, value: &[u8]) -> bool {
        match Test::unpack(test) {
            Test::Exact(literal) => self.code.equals(literal, value),
            Test::OneOf(words) => self.code.has_word(words, value),
            _ => false,
        }
    }

    fn passes(&self, test: u64, value: Span, slots: &mut [Span]) -> bool {
        match Test::unpack(test) {
            Test::Exact(literal) => self.code.equals(literal, value.of_raw(self.raw)),
            Test::Open(bind) => !value.is_empty() && bind.take(self.raw, value, slots),
            Test::NoneOf { words, bind } => {
                let text = value.of_raw(self.raw);
                !text.is_empty() && !self.code.has_word(words, text) && bind.take(self.raw, value, slots)
            }
            Test::Pieces { first, count } => {
                let pieces = &self.code.pieces[first as usize..][..count as usize];
                pieces_match(pieces, self.raw, value, slots)
            }
            Test::NoValue | Test::OneOf(_) => false,
            Test::Anything => true,
        }
    }
}

fn pieces_match(pieces: &[PieceTest], raw: &[u8], value: Span, slots: &mut [Span]) -> bool {
    let mut at = value.start as usize;
    let end = value.end as usize;
    for (i, piece) in pieces.iter().enumerate() {
        let rest = &raw[at..end];
        let taken = match piece {
            PieceTest::Exact(bytes) => rest.starts_with(bytes).then_some(bytes.len()),
            PieceTest::Hole { class, least, .. } => hole_len(class, *least, &pieces[i + 1..], rest),
        };
        let Some(taken) = taken else { return false };
        if let PieceTest::Hole { bind, .. } = piece
            && !bind.take(raw, Span { start: at as u32, end: (at + taken) as u32 }, slots)
        {
            return false;
        }
        at += taken;
    }
    at == end
}

fn hole_len(class: &Class, least: usize, after: &[PieceTest], rest: &[u8]) -> Option<usize> {
    let len = match class {
        Class::OneOf(words) => words.iter().find(|w| rest.starts_with(w)).map_or(0, Vec::len),
        Class::Any | Class::NoneOf(_) => match after {
            [] => rest.len(),
            [PieceTest::Exact(bytes)] => rest.strip_suffix(bytes.as_slice())?.len(),
            [PieceTest::Exact(bytes), ..] => least + memchr::memmem::find(rest.get(least..)?, bytes)?,
            [PieceTest::Hole { class: end, .. }, more @ ..] => {
                (least..rest.len()).find(|&at| stands_at(at, least, end, more.is_empty(), rest))?
            }
        },
        Class::AnyCase(words) => {
            let starts =
                |w: &&Vec<u8>| rest.get(..w.len()).is_some_and(|start| start.eq_ignore_ascii_case(w));
            words.iter().find(starts).map_or(0, Vec::len)
        }
        Class::ExactDigits(count) => {
            let count = usize::from(*count);
            let is_run = rest.get(..count).is_some_and(|run| run.iter().all(u8::is_ascii_digit));
            if is_run { count } else { 0 }
        }
        run => rest.iter().position(|b| !run.holds(*b)).unwrap_or(rest.len()),
    };
    (len >= least && !class.excludes(&rest[..len])).then_some(len)
}

/// Whether a hole of the class `end` can begin at this place, behind an open one. At the end of a value, it must take all.
fn stands_at(at: usize, least: usize, end: &Class, is_last: bool, rest: &[u8]) -> bool {
    let is_inside = end.is_number() && at > least && rest[at - 1].is_ascii_digit();
    !is_inside && hole_len(end, 1, &[], &rest[at..]).is_some_and(|len| !is_last || at + len == rest.len())
}

impl Bind {
    fn take(self, raw: &[u8], value: Span, slots: &mut [Span]) -> bool {
        match self {
            Bind::Ignore => true,
            Bind::Set(slot) => {
                slots[slot as usize] = value;
                true
            }
            Bind::Same(slot) => slots[slot as usize].of_raw(raw) == value.of_raw(raw),
        }
    }
}
