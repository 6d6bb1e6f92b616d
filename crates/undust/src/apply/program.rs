//! One compiled rule: a match over offsets into the URL, and a flat list of operations that print the result.

use super::convert::push_converted;
use super::scratch::{Scratch, Span};
use crate::rules::template::{Class, Fragment, Item, List, Piece, QueryItem, QueryKind, Template, Text, as_literal};
use crate::rules::{Action, Convert, Rewrite, Substitute, hole_names};
use crate::url::SplitUrl;

/// A compiled rule.
pub(super) enum Program {
    Rewrite(Box<Compiled>),
    Substitute(Substitute),
}

impl Program {
    pub(super) fn new(action: &Action) -> Program {
        match action {
            Action::Rewrite(rewrite) => Program::Rewrite(Box::new(Compiled::new(rewrite))),
            Action::Substitute(substitute) => Program::Substitute(substitute.clone()),
        }
    }

    /// Write what the rule makes of the URL that `scratch` is laid out for into `scratch.out`; whether that is a change.
    pub(super) fn run(&self, url: &SplitUrl, scratch: &mut Scratch) -> bool {
        match self {
            Program::Rewrite(compiled) => {
                if !compiled.matches(url, scratch) {
                    return false;
                }
                compiled.print(url.raw(), scratch);
            }
            Program::Substitute(substitute) => {
                let raw = url.raw();
                let Some(at) = substitute.find(raw) else { return false };
                scratch.out.clear();
                scratch.out.extend_from_slice(&raw[..at]);
                scratch.out.extend_from_slice(substitute.to());
                scratch.out.extend_from_slice(&raw[at + substitute.from().len()..]);
            }
        }
        scratch.out != url.raw()
    }
}

/// A compiled template rule.
pub(super) struct Compiled {
    scheme: TextTest,
    userinfo: Option<TextTest>,
    host: ListTest,
    port: Option<TextTest>,
    path: ListTest,
    query: Option<QueryTest>,
    fragment: FragmentTest,
    slots: usize,
    ops: Vec<Op>,
}

struct ListTest {
    head: Vec<TextTest>,
    /// With `{...}`: what follows it.
    tail: Option<Vec<TextTest>>,
}

struct QueryTest {
    params: Vec<ParamTest>,
    absent: Vec<Vec<u8>>,
    others: bool,
}

struct ParamTest {
    name: Vec<u8>,
    value: Option<TextTest>,
}

enum FragmentTest {
    Absent,
    Any,
    Text(TextTest),
}

enum TextTest {
    Exact(Vec<u8>),
    Open(Bind),
    Pieces(Vec<PieceTest>),
}

enum PieceTest {
    Exact(Vec<u8>),
    Hole { class: Class, least: usize, bind: Bind },
}

/// What happens to the text a hole holds.
#[derive(Clone, Copy)]
enum Bind {
    Ignore,
    Set(usize),
    /// The hole's name stood before: both must hold the same.
    Same(usize),
}

/// One operation of printing.
enum Op {
    Literal(Vec<u8>),
    Slot(usize, Convert),
    HostRest { convert: Convert, dot_before: bool },
    /// A dot, unless the `{...}` that the host begins with is nothing.
    DotBehindRest,
    PathRest(Convert),
    /// `?` before the first parameter printed, else this separator.
    ParamSeparator(u8),
    /// The separator between the others is the given one, or the URL's own.
    Others { sorted: bool, separator: Option<u8> },
    Fragment,
}

/// Gives the holes of a rule their numbers.
struct Slots<'t> {
    names: Vec<&'t str>,
    seen: Vec<bool>,
}

impl<'t> Slots<'t> {
    fn new(template: &'t Template) -> Slots<'t> {
        let mut names = hole_names(template);
        names.sort_unstable();
        names.dedup();
        Slots { seen: vec![false; names.len()], names }
    }

    fn number(&self, name: &str) -> usize {
        self.names.binary_search(&name).unwrap_or_default()
    }

    fn bind(&mut self, name: &str) -> Bind {
        if name.is_empty() {
            return Bind::Ignore;
        }
        let slot = self.number(name);
        if std::mem::replace(&mut self.seen[slot], true) { Bind::Same(slot) } else { Bind::Set(slot) }
    }

    fn text(&mut self, text: &Text) -> TextTest {
        if let Some(bytes) = as_literal(text) {
            return TextTest::Exact(bytes.to_vec());
        }
        match text.as_slice() {
            [Piece::Star] => TextTest::Open(Bind::Ignore),
            [Piece::Hole { name, class: Class::Any, optional: false, .. }] => TextTest::Open(self.bind(name)),
            pieces => TextTest::Pieces(pieces.iter().map(|piece| self.piece(piece)).collect()),
        }
    }

    fn piece(&mut self, piece: &Piece) -> PieceTest {
        match piece {
            Piece::Literal(bytes) => PieceTest::Exact(bytes.clone()),
            Piece::Star => PieceTest::Hole { class: Class::Any, least: 1, bind: Bind::Ignore },
            Piece::Hole { name, class, optional, .. } => {
                let mut class = class.clone();
                if let Class::OneOf(words) = &mut class {
                    words.sort_by_key(|word| std::cmp::Reverse(word.len()));
                }
                PieceTest::Hole { class, least: usize::from(!optional), bind: self.bind(name) }
            }
        }
    }

    fn list(&mut self, list: &List) -> ListTest {
        let mut test = ListTest { head: Vec::new(), tail: None };
        for item in list {
            match item {
                Item::Rest(_) => test.tail = Some(Vec::new()),
                Item::One(text) => {
                    let one = self.text(text);
                    test.tail.as_mut().unwrap_or(&mut test.head).push(one);
                }
            }
        }
        test
    }

    fn query(&mut self, items: &[QueryItem]) -> QueryTest {
        let mut test = QueryTest { params: Vec::new(), absent: Vec::new(), others: false };
        for item in items {
            match &item.kind {
                QueryKind::Param(name, value) => test
                    .params
                    .push(ParamTest { name: name.clone(), value: value.as_ref().map(|v| self.text(v)) }),
                QueryKind::Absent(name) => test.absent.push(name.clone()),
                QueryKind::Others { .. } => test.others = true,
            }
        }
        test
    }
}

impl Compiled {
    fn new(rewrite: &Rewrite) -> Compiled {
        let from = rewrite.matches();
        let mut slots = Slots::new(from);
        Compiled {
            scheme: slots.text(&from.scheme),
            userinfo: from.userinfo.as_ref().map(|t| slots.text(t)),
            host: slots.list(&from.host),
            port: from.port.as_ref().map(|t| slots.text(t)),
            path: slots.list(&from.path),
            query: from.query.as_ref().map(|items| slots.query(items)),
            fragment: match &from.fragment {
                None => FragmentTest::Absent,
                Some(Fragment::Any) => FragmentTest::Any,
                Some(Fragment::Text(text)) => FragmentTest::Text(slots.text(text)),
            },
            slots: slots.names.len(),
            ops: Printer { ops: Vec::new(), slots: &slots }.template(rewrite.becomes()),
        }
    }

    fn matches(&self, url: &SplitUrl, scratch: &mut Scratch) -> bool {
        let Scratch { labels, segments, params, slots, host_rest, path_rest, named, .. } = scratch;
        // The cheapest refusals first: how many components and parameters there are.
        if !self.host.fits(labels.len()) || !self.path.fits(segments.len()) {
            return false;
        }
        if let Some(query) = &self.query {
            let fits = if query.others { params.len() >= query.params.len() } else { params.len() == query.params.len() };
            if !fits || (!query.others && url.query().is_none()) {
                return false;
            }
        } else if url.query().is_some() {
            return false;
        }
        slots.clear();
        slots.resize(self.slots, Span::default());
        let raw = url.raw();
        self.scheme.matches(raw, Span::of(raw, url.scheme()), slots)
            && matches_option(self.userinfo.as_ref(), raw, url.userinfo(), slots)
            && self.host.matches(raw, labels, slots, host_rest)
            && matches_option(self.port.as_ref(), raw, url.port(), slots)
            && self.path.matches(raw, segments, slots, path_rest)
            && self.query.as_ref().is_none_or(|query| query.matches(raw, params, slots, named))
            && match &self.fragment {
                FragmentTest::Absent => url.fragment().is_none(),
                FragmentTest::Any => true,
                FragmentTest::Text(text) => {
                    url.fragment().is_some_and(|f| text.matches(raw, Span::of(raw, f), slots))
                }
            }
    }

    fn print(&self, raw: &[u8], scratch: &mut Scratch) {
        let Scratch { out, params, slots, host_rest, path_rest, named, order, own_separator, fragment, .. } = scratch;
        out.clear();
        let mut first_param = true;
        for op in &self.ops {
            match op {
                Op::Literal(bytes) => out.extend_from_slice(bytes),
                Op::Slot(slot, convert) => push_converted(slots[*slot].of_raw(raw), *convert, out),
                Op::HostRest { convert, dot_before } => {
                    if let Some(rest) = host_rest {
                        out.extend_from_slice(if *dot_before { b"." } else { b"" });
                        push_converted(rest.of_raw(raw), *convert, out);
                    }
                }
                Op::DotBehindRest => out.extend_from_slice(if host_rest.is_some() { b"." } else { b"" }),
                Op::PathRest(convert) => {
                    if let Some(rest) = path_rest {
                        out.push(b'/');
                        push_converted(rest.of_raw(raw), *convert, out);
                    }
                }
                Op::ParamSeparator(separator) => {
                    out.push(if std::mem::take(&mut first_param) { b'?' } else { *separator });
                }
                Op::Others { sorted, separator } => {
                    order.clear();
                    order.extend((0..params.len() as u32).filter(|i| !named.contains(i)));
                    if *sorted {
                        // Stable: the order of repeated parameters may matter.
                        order.sort_by_key(|&i| params[i as usize].name.of_raw(raw));
                    }
                    for &i in order.iter() {
                        let separator = separator.unwrap_or(*own_separator);
                        out.push(if std::mem::take(&mut first_param) { b'?' } else { separator });
                        out.extend_from_slice(params[i as usize].whole().of_raw(raw));
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
    }
}

/// Compiles a rewrite template into operations, joining neighbouring literals.
struct Printer<'s, 't> {
    ops: Vec<Op>,
    slots: &'s Slots<'t>,
}

impl Printer<'_, '_> {
    fn template(mut self, to: &Template) -> Vec<Op> {
        self.text(&to.scheme);
        self.literal(b"://");
        if let Some(userinfo) = &to.userinfo {
            self.text(userinfo);
            self.literal(b"@");
        }
        self.host(&to.host);
        if let Some(port) = &to.port {
            self.literal(b":");
            self.text(port);
        }
        for item in &to.path {
            match item {
                Item::One(text) => {
                    self.literal(b"/");
                    self.text(text);
                }
                Item::Rest(convert) => self.ops.push(Op::PathRest(*convert)),
            }
        }
        if let Some(items) = &to.query {
            self.query(items);
        }
        match &to.fragment {
            None => {}
            Some(Fragment::Any) => self.ops.push(Op::Fragment),
            Some(Fragment::Text(text)) => {
                self.literal(b"#");
                self.text(text);
            }
        }
        self.ops
    }

    fn literal(&mut self, bytes: &[u8]) {
        match self.ops.last_mut() {
            Some(Op::Literal(before)) => before.extend_from_slice(bytes),
            _ => self.ops.push(Op::Literal(bytes.to_vec())),
        }
    }

    fn text(&mut self, text: &Text) {
        for piece in text {
            match piece {
                Piece::Literal(bytes) => self.literal(bytes),
                Piece::Star => self.literal(b"*"),
                Piece::Hole { name, convert, .. } => self.ops.push(Op::Slot(self.slots.number(name), *convert)),
            }
        }
    }

    /// Dots stand between labels; whether one is due beside `{...}`, which may be nothing, is known at run time alone.
    fn host(&mut self, host: &List) {
        for (i, item) in host.iter().enumerate() {
            match item {
                Item::Rest(convert) => self.ops.push(Op::HostRest { convert: *convert, dot_before: i > 0 }),
                Item::One(text) => {
                    if i == 1 && matches!(host[0], Item::Rest(_)) {
                        self.ops.push(Op::DotBehindRest);
                    } else if i > 0 {
                        self.literal(b".");
                    }
                    self.text(text);
                }
            }
        }
    }

    fn query(&mut self, items: &[QueryItem]) {
        if items.is_empty() {
            self.literal(b"?");
        }
        for (i, item) in items.iter().enumerate() {
            match &item.kind {
                QueryKind::Param(name, value) => {
                    self.ops.push(Op::ParamSeparator(item.separator));
                    self.literal(name);
                    if let Some(value) = value {
                        self.literal(b"=");
                        self.text(value);
                    }
                }
                QueryKind::Absent(_) => {}
                QueryKind::Others { sorted } => {
                    let separator = if i > 0 { Some(item.separator) } else { items.get(1).map(|s| s.separator) };
                    self.ops.push(Op::Others { sorted: *sorted, separator });
                }
            }
        }
    }
}

fn matches_option(test: Option<&TextTest>, raw: &[u8], value: Option<&[u8]>, slots: &mut [Span]) -> bool {
    match (test, value) {
        (None, None) => true,
        (Some(test), Some(value)) => test.matches(raw, Span::of(raw, value), slots),
        _ => false,
    }
}

impl ListTest {
    fn fits(&self, count: usize) -> bool {
        match &self.tail {
            None => count == self.head.len(),
            Some(tail) => count >= self.head.len() + tail.len(),
        }
    }

    /// Assumes that the number of values fits.
    fn matches(&self, raw: &[u8], values: &[Span], slots: &mut [Span], rest: &mut Option<Span>) -> bool {
        let (head, after) = values.split_at(self.head.len());
        let tail = self.tail.as_deref().unwrap_or_default();
        let (middle, end) = after.split_at(after.len() - tail.len());
        *rest = match middle {
            [] => None,
            [first, ..] => Some(Span { start: first.start, end: middle[middle.len() - 1].end }),
        };
        let texts = self.head.iter().chain(tail);
        texts.zip(head.iter().chain(end)).all(|(text, value)| text.matches(raw, *value, slots))
    }
}

impl QueryTest {
    /// Assumes that the number of parameters fits.
    fn matches(
        &self,
        raw: &[u8],
        params: &[super::scratch::ParamSpan],
        slots: &mut [Span],
        named: &mut Vec<u32>,
    ) -> bool {
        named.clear();
        for test in &self.params {
            let found = params.iter().enumerate().find(|(i, p)| {
                p.name.of_raw(raw) == test.name.as_slice() && !named.contains(&(*i as u32))
            });
            let Some((i, param)) = found else { return false };
            named.push(i as u32);
            let fits = match (&test.value, param.value) {
                (None, None) => true,
                (Some(text), Some(value)) => text.matches(raw, value, slots),
                _ => false,
            };
            if !fits {
                return false;
            }
        }
        // Without others, as many parameters as tests were found, so that none is left over.
        let spoken_of = |name: &[u8]| self.params.iter().any(|p| p.name == name) || self.absent.iter().any(|a| a == name);
        !self.others
            || (0u32..).zip(params).all(|(i, p)| named.contains(&i) || !spoken_of(p.name.of_raw(raw)))
    }
}

impl TextTest {
    fn matches(&self, raw: &[u8], value: Span, slots: &mut [Span]) -> bool {
        match self {
            TextTest::Exact(bytes) => value.of_raw(raw) == bytes.as_slice(),
            TextTest::Open(bind) => !value.is_empty() && bind.take(raw, value, slots),
            TextTest::Pieces(pieces) => matches_pieces(pieces, raw, value, slots),
        }
    }
}

fn matches_pieces(pieces: &[PieceTest], raw: &[u8], value: Span, slots: &mut [Span]) -> bool {
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
        Class::Any => match after {
            [] => rest.len(),
            [PieceTest::Exact(bytes)] => rest.strip_suffix(bytes.as_slice())?.len(),
            [PieceTest::Exact(bytes), ..] => least + memchr::memmem::find(rest.get(least..)?, bytes)?,
            _ => return None,
        },
        run => rest.iter().position(|b| !run.holds(*b)).unwrap_or(rest.len()),
    };
    (len >= least).then_some(len)
}

impl Bind {
    fn take(self, raw: &[u8], value: Span, slots: &mut [Span]) -> bool {
        match self {
            Bind::Ignore => true,
            Bind::Set(slot) => {
                slots[slot] = value;
                true
            }
            Bind::Same(slot) => slots[slot].of_raw(raw) == value.of_raw(raw),
        }
    }
}
