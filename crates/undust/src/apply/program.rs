//! One compiled rule: a match over offsets into the URL, and a flat list of operations that print the result.

use std::collections::HashMap;

use super::convert::push_converted;
use super::scratch::{ParamSpan, Scratch, Span};
use crate::rules::template::{
    Class, Fragment, Item, List, Piece, QueryItem, QueryKind, Template, Text, as_literal,
};
use crate::rules::{Action, Convert, Rewrite, Substitute, hole_names};
use crate::url::SplitUrl;

/// A compiled rule.
pub(super) enum Program {
    Rewrite(Compiled),
    Substitute(Box<Substitute>),
}

impl Program {
    pub(super) fn new(action: &Action, code: &mut Code) -> Program {
        match action {
            Action::Rewrite(rewrite) => Program::Rewrite(Compiled::new(rewrite, code)),
            Action::Substitute(substitute) => Program::Substitute(Box::new(substitute.clone())),
        }
    }

    /// Whether the rule needs the host cut into labels.
    pub(super) fn needs_labels(&self) -> bool {
        matches!(self, Program::Rewrite(Compiled { host: HostTest::Labels(_), .. }))
    }

    /// Write what the rule makes of the URL that `scratch` is laid out for into `scratch.out`; whether that is a change.
    pub(super) fn run(&self, code: &Code, url: &SplitUrl, scratch: &mut Scratch) -> bool {
        match self {
            Program::Rewrite(compiled) => {
                let run = Run { rule: compiled, code };
                if !run.matches(url, scratch) {
                    return false;
                }
                run.print(url.raw(), scratch);
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

/// What compiled rules are made of. All rules share these arrays, and those of one site lie together: with 100,000 rules
/// loaded, the time goes into fetching them from memory.
#[derive(Default)]
pub(super) struct Code {
    texts: Vec<TextTest>,
    pieces: Vec<PieceTest>,
    ops: Vec<Op>,
    /// Every fixed text.
    bytes: Vec<u8>,
    /// Where the fixed texts of the site at hand are: its rules have many in common.
    known: HashMap<Vec<u8>, Literal>,
}

impl Code {
    /// The rules that follow belong to another site.
    pub(super) fn next_site(&mut self) {
        self.known = HashMap::new();
    }

    fn literal(&mut self, text: &[u8]) -> Literal {
        let bytes = &mut self.bytes;
        *self.known.entry(text.to_vec()).or_insert_with(|| {
            let start = bytes.len();
            bytes.extend_from_slice(text);
            Literal(Range::new(start, bytes.len()))
        })
    }
}

/// A compiled template rule.
pub(super) struct Compiled {
    path: ListTest,
    query: Option<QueryTest>,
    host: HostTest,
    scheme: TextTest,
    userinfo: Option<TextTest>,
    port: Option<TextTest>,
    fragment: FragmentTest,
    slots: u16,
    ops: Range,
}

/// Fixed text: a range of [`Code::bytes`].
#[derive(Clone, Copy)]
struct Literal(Range);

/// Entries of one of the arrays of [`Code`]. Templates are short (`MAX_SIZE`), so that two bytes hold the length; packed, a
/// test or an operation takes eight bytes.
#[derive(Clone, Copy)]
#[repr(packed(2))]
struct Range {
    start: u32,
    len: u16,
}

impl Range {
    fn new(start: usize, end: usize) -> Range {
        Range { start: start as u32, len: (end - start) as u16 }
    }

    fn of<T>(self, all: &[T]) -> &[T] {
        &all[self.start as usize..][..self.len()]
    }

    fn len(self) -> usize {
        self.len as usize
    }
}

/// Texts in a row: before `{...}`, and behind it where there is one.
struct ListTest {
    head: Range,
    tail: Option<Range>,
}

enum HostTest {
    /// Most rules speak of one host: no need to cut it into labels.
    Exact(Literal),
    Labels(ListTest),
}

struct QueryTest {
    /// For each parameter, two texts: its name and its value.
    params: Range,
    /// Names.
    absent: Range,
    others: bool,
}

enum FragmentTest {
    Absent,
    Any,
    Text(TextTest),
}

#[derive(Clone, Copy)]
enum TextTest {
    Exact(Literal),
    Open(Bind),
    Pieces(Range),
    /// The value of a parameter that has no `=`.
    NoValue,
}

enum PieceTest {
    Exact(Literal),
    Hole { class: Class, least: usize, bind: Bind },
}

/// What happens to the text a hole holds.
#[derive(Clone, Copy)]
enum Bind {
    Ignore,
    Set(u16),
    /// The hole's name stood before: both must hold the same.
    Same(u16),
}

/// One operation of printing.
enum Op {
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
    /// The separator between the others is the given one, or the URL's own.
    Others {
        sorted: bool,
        separator: Option<u8>,
    },
    Fragment,
}

/// Adds a rule to the code, and gives its holes their numbers.
struct Builder<'t, 'c> {
    names: Vec<&'t str>,
    seen: Vec<bool>,
    code: &'c mut Code,
}

impl<'t, 'c> Builder<'t, 'c> {
    fn new(template: &'t Template, code: &'c mut Code) -> Builder<'t, 'c> {
        let mut names = hole_names(template);
        names.sort_unstable();
        names.dedup();
        Builder { seen: vec![false; names.len()], names, code }
    }

    fn number(&self, name: &str) -> u16 {
        self.names.binary_search(&name).unwrap_or_default() as u16
    }

    fn bind(&mut self, name: &str) -> Bind {
        if name.is_empty() {
            return Bind::Ignore;
        }
        let slot = self.number(name);
        if std::mem::replace(&mut self.seen[slot as usize], true) {
            Bind::Same(slot)
        } else {
            Bind::Set(slot)
        }
    }

    fn text(&mut self, text: &Text) -> TextTest {
        if let Some(bytes) = as_literal(text) {
            return TextTest::Exact(self.code.literal(bytes));
        }
        match text.as_slice() {
            [Piece::Star] => TextTest::Open(Bind::Ignore),
            [Piece::Hole { name, class: Class::Any, optional: false, .. }] => TextTest::Open(self.bind(name)),
            pieces => {
                let start = self.code.pieces.len();
                for piece in pieces {
                    let piece = self.piece(piece);
                    self.code.pieces.push(piece);
                }
                TextTest::Pieces(Range::new(start, self.code.pieces.len()))
            }
        }
    }

    fn piece(&mut self, piece: &Piece) -> PieceTest {
        match piece {
            Piece::Literal(bytes) => PieceTest::Exact(self.code.literal(bytes)),
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

    /// Texts in a row.
    fn row(&mut self, row: impl IntoIterator<Item = TextTest>) -> Range {
        let start = self.code.texts.len();
        self.code.texts.extend(row);
        Range::new(start, self.code.texts.len())
    }

    fn list(&mut self, list: &List) -> ListTest {
        let rest = list.iter().position(|item| matches!(item, Item::Rest(_)));
        let (head, tail) = list.split_at(rest.unwrap_or(list.len()));
        ListTest { head: self.items(head), tail: tail.split_first().map(|(_, tail)| self.items(tail)) }
    }

    fn items(&mut self, items: &[Item]) -> Range {
        let mut row = Vec::new();
        for item in items {
            if let Item::One(text) = item {
                row.push(self.text(text));
            }
        }
        self.row(row)
    }

    fn host(&mut self, host: &List) -> HostTest {
        let fixed = |item| if let &Item::One(ref text) = item { as_literal(text) } else { None };
        match host.iter().map(fixed).collect::<Option<Vec<&[u8]>>>() {
            Some(labels) => HostTest::Exact(self.code.literal(&labels.join(&b'.'))),
            None => HostTest::Labels(self.list(host)),
        }
    }

    fn query(&mut self, items: &[QueryItem]) -> QueryTest {
        let (mut params, mut absent, mut others) = (Vec::new(), Vec::new(), false);
        for item in items {
            match &item.kind {
                QueryKind::Param(name, value) => {
                    params.push(TextTest::Exact(self.code.literal(name)));
                    params.push(value.as_ref().map_or(TextTest::NoValue, |value| self.text(value)));
                }
                QueryKind::Absent(name) => absent.push(TextTest::Exact(self.code.literal(name))),
                QueryKind::Others { .. } => others = true,
            }
        }
        QueryTest { params: self.row(params), absent: self.row(absent), others }
    }
}

impl Compiled {
    fn new(rewrite: &Rewrite, code: &mut Code) -> Compiled {
        let from = rewrite.matches();
        let mut build = Builder::new(from, code);
        let path = build.list(&from.path);
        let query = from.query.as_ref().map(|items| build.query(items));
        let host = build.host(&from.host);
        let scheme = build.text(&from.scheme);
        let userinfo = from.userinfo.as_ref().map(|text| build.text(text));
        let port = from.port.as_ref().map(|text| build.text(text));
        let fragment = match &from.fragment {
            None => FragmentTest::Absent,
            Some(Fragment::Any) => FragmentTest::Any,
            Some(Fragment::Text(text)) => FragmentTest::Text(build.text(text)),
        };
        let slots = build.names.len() as u16;
        let ops =
            Printer { fixed: Vec::new(), ops: Vec::new(), build: &mut build }.template(rewrite.becomes());
        Compiled { path, query, host, scheme, userinfo, port, fragment, slots, ops }
    }
}

/// A rule at work.
#[derive(Clone, Copy)]
struct Run<'r> {
    rule: &'r Compiled,
    code: &'r Code,
}

impl Run<'_> {
    /// Test the URL that `scratch` is laid out for: what differs most between the rules of a site first.
    fn matches(&self, url: &SplitUrl, scratch: &mut Scratch) -> bool {
        let Scratch { labels, segments, params, slots, host_rest, path_rest, named, .. } = scratch;
        if !self.rule.path.fits(segments.len()) || !self.query_fits(params.len(), url.query().is_some()) {
            return false;
        }
        slots.clear();
        slots.resize(self.rule.slots as usize, Span::default());
        let raw = url.raw();
        self.list_matches(&self.rule.path, raw, segments, slots, path_rest)
            && self
                .rule
                .query
                .as_ref()
                .is_none_or(|query| self.query_matches(query, raw, params, slots, named))
            && match &self.rule.host {
                HostTest::Exact(host) => self.literal(*host) == url.host(),
                HostTest::Labels(list) => {
                    list.fits(labels.len()) && self.list_matches(list, raw, labels, slots, host_rest)
                }
            }
            && self.text_matches(self.rule.scheme, raw, Span::of(raw, url.scheme()), slots)
            && self.option_matches(self.rule.userinfo, raw, url.userinfo(), slots)
            && self.option_matches(self.rule.port, raw, url.port(), slots)
            && match self.rule.fragment {
                FragmentTest::Absent => url.fragment().is_none(),
                FragmentTest::Any => true,
                FragmentTest::Text(text) => self.option_matches(Some(text), raw, url.fragment(), slots),
            }
    }

    fn literal(&self, literal: Literal) -> &[u8] {
        literal.0.of(&self.code.bytes)
    }

    fn query_fits(&self, params: usize, is_there: bool) -> bool {
        match &self.rule.query {
            None => !is_there,
            Some(query) if query.others => params >= query.params.len() / 2,
            Some(query) => is_there && params == query.params.len() / 2,
        }
    }

    /// Assumes that the number of values fits.
    fn list_matches(
        &self,
        list: &ListTest,
        raw: &[u8],
        values: &[Span],
        slots: &mut [Span],
        rest: &mut Option<Span>,
    ) -> bool {
        let head = list.head.of(&self.code.texts);
        let tail = list.tail.map_or(&[][..], |tail| tail.of(&self.code.texts));
        let (before, after) = values.split_at(head.len());
        let (middle, end) = after.split_at(after.len() - tail.len());
        *rest = match middle {
            [] => None,
            [first, ..] => Some(Span { start: first.start, end: middle[middle.len() - 1].end }),
        };
        let texts = head.iter().chain(tail);
        texts.zip(before.iter().chain(end)).all(|(text, value)| self.text_matches(*text, raw, *value, slots))
    }

    /// Assumes that the number of parameters fits.
    fn query_matches(
        &self,
        query: &QueryTest,
        raw: &[u8],
        params: &[ParamSpan],
        slots: &mut [Span],
        named: &mut Vec<u32>,
    ) -> bool {
        named.clear();
        for test in query.params.of(&self.code.texts).chunks_exact(2) {
            let is_called = |p: &ParamSpan| self.is_exactly(test[0], p.name.of_raw(raw));
            let found = (0u32..).zip(params).find(|(i, p)| is_called(p) && !named.contains(i));
            let Some((i, param)) = found else { return false };
            named.push(i);
            let fits = match (test[1], param.value) {
                (TextTest::NoValue, value) => value.is_none(),
                (text, Some(value)) => self.text_matches(text, raw, value, slots),
                (_, None) => false,
            };
            if !fits {
                return false;
            }
        }
        // Without others, as many parameters as tests were found, so that none is left over.
        !query.others
            || (0u32..)
                .zip(params)
                .all(|(i, p)| named.contains(&i) || !self.speaks_of(query, p.name.of_raw(raw)))
    }

    fn speaks_of(&self, query: &QueryTest, name: &[u8]) -> bool {
        let mut names =
            query.params.of(&self.code.texts).iter().step_by(2).chain(query.absent.of(&self.code.texts));
        names.any(|text| self.is_exactly(*text, name))
    }

    fn is_exactly(&self, text: TextTest, value: &[u8]) -> bool {
        matches!(text, TextTest::Exact(literal) if self.literal(literal) == value)
    }

    fn option_matches(
        &self,
        test: Option<TextTest>,
        raw: &[u8],
        value: Option<&[u8]>,
        slots: &mut [Span],
    ) -> bool {
        match (test, value) {
            (None, None) => true,
            (Some(test), Some(value)) => self.text_matches(test, raw, Span::of(raw, value), slots),
            _ => false,
        }
    }

    fn text_matches(&self, text: TextTest, raw: &[u8], value: Span, slots: &mut [Span]) -> bool {
        match text {
            TextTest::Exact(literal) => self.literal(literal) == value.of_raw(raw),
            TextTest::Open(bind) => !value.is_empty() && bind.take(raw, value, slots),
            TextTest::Pieces(pieces) => self.pieces_match(pieces.of(&self.code.pieces), raw, value, slots),
            TextTest::NoValue => false,
        }
    }

    fn pieces_match(&self, pieces: &[PieceTest], raw: &[u8], value: Span, slots: &mut [Span]) -> bool {
        let mut at = value.start as usize;
        let end = value.end as usize;
        for (i, piece) in pieces.iter().enumerate() {
            let rest = &raw[at..end];
            let taken = match piece {
                PieceTest::Exact(literal) => {
                    let bytes = self.literal(*literal);
                    rest.starts_with(bytes).then_some(bytes.len())
                }
                PieceTest::Hole { class, least, .. } => self.hole_len(class, *least, &pieces[i + 1..], rest),
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

    fn hole_len(&self, class: &Class, least: usize, after: &[PieceTest], rest: &[u8]) -> Option<usize> {
        let len = match class {
            Class::OneOf(words) => words.iter().find(|w| rest.starts_with(w)).map_or(0, Vec::len),
            Class::Any => match after {
                [] => rest.len(),
                [PieceTest::Exact(literal)] => rest.strip_suffix(self.literal(*literal))?.len(),
                [PieceTest::Exact(literal), ..] => {
                    least + memchr::memmem::find(rest.get(least..)?, self.literal(*literal))?
                }
                _ => return None,
            },
            run => rest.iter().position(|b| !run.holds(*b)).unwrap_or(rest.len()),
        };
        (len >= least).then_some(len)
    }

    fn print(&self, raw: &[u8], scratch: &mut Scratch) {
        let Scratch {
            out, params, slots, host_rest, path_rest, named, order, own_separator, fragment, ..
        } = scratch;
        out.clear();
        let mut first_param = true;
        let mut separate = |out: &mut Vec<u8>, separator| {
            out.push(if std::mem::take(&mut first_param) { b'?' } else { separator });
        };
        for op in self.rule.ops.of(&self.code.ops) {
            match *op {
                Op::Literal(literal) => out.extend_from_slice(self.literal(literal)),
                Op::Slot(slot, convert) => push_converted(slots[slot as usize].of_raw(raw), convert, out),
                Op::HostRest { convert, dot_before } => {
                    if let Some(rest) = host_rest {
                        out.extend_from_slice(if dot_before { b"." } else { b"" });
                        push_converted(rest.of_raw(raw), convert, out);
                    }
                }
                Op::DotBehindRest => out.extend_from_slice(if host_rest.is_some() { b"." } else { b"" }),
                Op::PathRest(convert) => {
                    if let Some(rest) = path_rest {
                        out.push(b'/');
                        push_converted(rest.of_raw(raw), convert, out);
                    }
                }
                Op::ParamSeparator(separator) => separate(out, separator),
                Op::Others { sorted, separator } => {
                    order.clear();
                    order.extend((0..params.len() as u32).filter(|i| !named.contains(i)));
                    if sorted {
                        // Stable: the order of repeated parameters may matter.
                        order.sort_by_key(|&i| params[i as usize].name.of_raw(raw));
                    }
                    for &i in order.iter() {
                        separate(out, separator.unwrap_or(*own_separator));
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

impl ListTest {
    fn fits(&self, count: usize) -> bool {
        match self.tail {
            None => count == self.head.len(),
            Some(tail) => count >= self.head.len() + tail.len(),
        }
    }
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

/// Compiles a rewrite template into operations, joining neighbouring literals.
struct Printer<'b, 't, 'c> {
    /// Fixed text that is not yet in `ops`.
    fixed: Vec<u8>,
    ops: Vec<Op>,
    build: &'b mut Builder<'t, 'c>,
}

impl Printer<'_, '_, '_> {
    fn template(mut self, to: &Template) -> Range {
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
                Item::Rest(convert) => self.push(Op::PathRest(*convert)),
            }
        }
        if let Some(items) = &to.query {
            self.query(items);
        }
        match &to.fragment {
            None => {}
            Some(Fragment::Any) => self.push(Op::Fragment),
            Some(Fragment::Text(text)) => {
                self.literal(b"#");
                self.text(text);
            }
        }
        if !self.fixed.is_empty() {
            self.ops.push(Op::Literal(self.build.code.literal(&self.fixed)));
        }
        let ops = &mut self.build.code.ops;
        let start = ops.len();
        ops.append(&mut self.ops);
        Range::new(start, ops.len())
    }

    fn literal(&mut self, bytes: &[u8]) {
        self.fixed.extend_from_slice(bytes);
    }

    fn push(&mut self, op: Op) {
        if !self.fixed.is_empty() {
            self.ops.push(Op::Literal(self.build.code.literal(&self.fixed)));
            self.fixed.clear();
        }
        self.ops.push(op);
    }

    fn text(&mut self, text: &Text) {
        for piece in text {
            match piece {
                Piece::Literal(bytes) => self.literal(bytes),
                Piece::Star => self.literal(b"*"),
                Piece::Hole { name, convert, .. } => self.push(Op::Slot(self.build.number(name), *convert)),
            }
        }
    }

    /// Dots stand between labels; whether one is due beside `{...}`, which may be nothing, is known at run time alone.
    fn host(&mut self, host: &List) {
        for (i, item) in host.iter().enumerate() {
            match item {
                Item::Rest(convert) => self.push(Op::HostRest { convert: *convert, dot_before: i > 0 }),
                Item::One(text) => {
                    if i == 1 && matches!(host[0], Item::Rest(_)) {
                        self.push(Op::DotBehindRest);
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
                    self.push(Op::ParamSeparator(item.separator));
                    self.literal(name);
                    if let Some(value) = value {
                        self.literal(b"=");
                        self.text(value);
                    }
                }
                QueryKind::Absent(_) => {}
                QueryKind::Others { sorted } => {
                    let separator =
                        if i > 0 { Some(item.separator) } else { items.get(1).map(|s| s.separator) };
                    self.push(Op::Others { sorted: *sorted, separator });
                }
            }
        }
    }
}
