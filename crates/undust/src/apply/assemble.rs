//! From a rule to code: tests in the order in which they are made, operations in the order in which they print.

use super::code::{Bind, Code, FilterCode, Header, Op, PieceTest, Test, ValuePiece, flag};
use super::fixpoint::stays_normal;
use crate::rules::template::{
    Class, Filter, Fragment, Item, List, Piece, QueryItem, QueryKind, Template, Text, as_literal,
};
use crate::rules::{Action, hole_names};

/// Append the code of a rule; where it starts. `last`: no rule of the site can change what it prints.
pub(super) fn assemble(action: &Action, number: u32, last: bool, code: &mut Code) -> u32 {
    let (mut header, body) = match action {
        Action::Rewrite(rewrite) => {
            assemble_template(rewrite.matches(), Some(rewrite.becomes()), number, code)
        }
        Action::Skip(skip) => assemble_template(skip.matches(), None, number, code),
        Action::Substitute(substitute) => {
            code.substitutes.push(substitute.clone());
            // The number does not fit into sixteen bits: it is the first word of the body.
            let body = vec![code.substitutes.len() as u64 - 1];
            (Header { number, flags: flag::SUBSTITUTE, ..Header::default() }, body)
        }
    };
    header.flags |= if last { flag::LAST } else { 0 };
    header.flags |= if stays_normal(action) { flag::NORMAL } else { 0 };
    let start = code.words.len() as u32;
    code.words.extend(header.pack());
    code.words.extend(body);
    start
}

/// Tests for `from`, and operations that print `to`; without it there are none.
fn assemble_template(
    from: &Template,
    to: Option<&Template>,
    number: u32,
    code: &mut Code,
) -> (Header, Vec<u64>) {
    let mut build = Builder::new(from, code);
    build.list(&from.path, flag::PATH_REST, |header| &mut header.path);
    if let Some(items) = &from.query {
        build.query(items);
    }
    build.host(&from.host);
    build.test(&from.scheme);
    build.option(from.userinfo.as_ref(), flag::USERINFO);
    build.option(from.port.as_ref(), flag::PORT);
    match &from.fragment {
        None => {}
        Some(Fragment::Any) => build.header.flags |= flag::ANY_FRAGMENT,
        Some(Fragment::Text(text)) => build.option(Some(text), flag::FRAGMENT),
    }
    for item in from.query.iter().flatten() {
        build.condition(&item.kind);
    }
    let printer = Printer { fixed: Vec::new(), ops: Vec::new(), build: &mut build };
    let ops = to.map_or(Vec::new(), |to| printer.template(to));
    let Builder { mut header, mut tests, names, .. } = build;
    header.number = number;
    header.slots = names.len() as u16;
    header.ops = ops.len() as u16;
    tests.extend(ops.into_iter().map(Op::pack));
    (header, tests)
}

/// Builds the tests of a rule, and gives its holes their numbers.
struct Builder<'t, 'c> {
    names: Vec<&'t str>,
    seen: Vec<bool>,
    header: Header,
    tests: Vec<u64>,
    code: &'c mut Code,
}

impl<'t, 'c> Builder<'t, 'c> {
    fn new(template: &'t Template, code: &'c mut Code) -> Builder<'t, 'c> {
        let mut names = hole_names(template);
        names.sort_unstable();
        names.dedup();
        let seen = vec![false; names.len()];
        Builder { names, seen, header: Header::default(), tests: Vec::new(), code }
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

    fn exact(&mut self, bytes: &[u8]) {
        let literal = self.code.literal(bytes);
        self.tests.push(Test::Exact(literal).pack());
    }

    fn test(&mut self, text: &Text) {
        if let Some(bytes) = as_literal(text) {
            return self.exact(bytes);
        }
        let test = match text.as_slice() {
            [Piece::Star] => Test::Open(Bind::Ignore),
            [Piece::Hole { name, class: Class::Any, optional: false, .. }] => Test::Open(self.bind(name)),
            [Piece::Hole { name, class: Class::NoneOf(words), optional: false, .. }] => {
                Test::NoneOf { words: self.code.word_list(words), bind: self.bind(name) }
            }
            pieces => {
                let first = self.code.pieces.len() as u32;
                for piece in pieces {
                    let piece = self.piece(piece);
                    self.code.pieces.push(piece);
                }
                Test::Pieces { first, count: pieces.len() as u16 }
            }
        };
        self.tests.push(test.pack());
    }

    fn piece(&mut self, piece: &Piece) -> PieceTest {
        match piece {
            Piece::Literal(bytes) => PieceTest::Exact(bytes.clone()),
            Piece::Star => PieceTest::Hole { class: Class::Any, least: 1, bind: Bind::Ignore },
            Piece::Hole { name, class, optional, .. } => {
                let mut class = class.clone();
                if let Class::OneOf(words) | Class::AnyCase(words) = &mut class {
                    words.sort_by_key(|word| std::cmp::Reverse(word.len()));
                }
                PieceTest::Hole { class, least: usize::from(!optional), bind: self.bind(name) }
            }
        }
    }

    fn option(&mut self, text: Option<&Text>, flag: u16) {
        if let Some(text) = text {
            self.header.flags |= flag;
            self.test(text);
        }
    }

    /// Tests for the items before and behind `{...}`, counted in the header.
    fn list(&mut self, list: &List, rest: u16, counts: fn(&mut Header) -> &mut [u16; 2]) {
        let mut side = 0;
        for item in list {
            match item {
                Item::Rest(_) => {
                    self.header.flags |= rest;
                    side = 1;
                }
                Item::One(text) => {
                    self.test(text);
                    counts(&mut self.header)[side] += 1;
                }
            }
        }
    }

    fn host(&mut self, host: &List) {
        match host.iter().map(Item::fixed).collect::<Option<Vec<&[u8]>>>() {
            Some(labels) => {
                self.header.flags |= flag::WHOLE_HOST;
                self.header.host[0] = 1;
                self.exact(&labels.join(&b'.'));
            }
            None => self.list(host, flag::HOST_REST, |header| &mut header.host),
        }
    }

    fn query(&mut self, items: &[QueryItem]) {
        self.header.flags |= flag::QUERY;
        for item in items {
            match &item.kind {
                QueryKind::Param(name, value) => {
                    self.exact(name);
                    self.param_value(value.as_ref());
                }
                QueryKind::AnyName(names, value) => {
                    let names = Test::OneOf(self.code.word_list(names));
                    self.tests.push(names.pack());
                    self.param_value(value.as_ref());
                }
                QueryKind::Others { .. } => self.header.flags |= flag::OTHERS,
                QueryKind::Absent(_) | QueryKind::If(..) | QueryKind::Unless(..) => {}
            }
        }
        for item in items {
            if let QueryKind::Absent(name) = &item.kind {
                self.header.absent += 1;
                self.exact(name);
            }
        }
    }
}

impl Builder<'_, '_> {
    /// The value of a parameter, behind the test of its name.
    fn param_value(&mut self, value: Option<&Text>) {
        self.header.params += 1;
        match value {
            Some(value) => self.test(value),
            None => self.tests.push(Test::NoValue.pack()),
        }
    }

    fn condition(&mut self, kind: &QueryKind) {
        let (holds, name, value) = match kind {
            QueryKind::If(name, value) => (true, name, value.as_ref()),
            QueryKind::Unless(name, value) => (false, name, Some(value)),
            _ => return,
        };
        self.header.conditions += 1;
        self.tests.push(u64::from(holds));
        self.exact(name);
        match value {
            Some(value) => self.test(value),
            None => self.tests.push(Test::Anything.pack()),
        }
    }

    /// The number of a function of the remaining parameters; 0 for none.
    fn filter(&mut self, filter: &Filter) -> u32 {
        let piece = |piece: &Piece| match piece {
            Piece::Literal(bytes) => ValuePiece::Fixed(bytes.clone()),
            Piece::Star => ValuePiece::Fixed(b"*".to_vec()),
            Piece::Hole { name, convert, .. } => ValuePiece::Slot(self.number(name), *convert),
        };
        let code = match filter {
            Filter::All => return 0,
            Filter::Only(_) | Filter::Without(_) => FilterCode::Choice(filter.clone()),
            Filter::With(values) => FilterCode::Values(
                values.iter().map(|(name, text)| (name.clone(), text.iter().map(piece).collect())).collect(),
            ),
        };
        self.code.filters.push(code);
        self.code.filters.len() as u32
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
        self.ops
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
                Piece::Hole { name, convert, .. } => {
                    self.push(Op::Slot(self.build.number(name), *convert));
                }
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
                QueryKind::AnyName(..) | QueryKind::Absent(_) | QueryKind::If(..) | QueryKind::Unless(..) => {
                }
                QueryKind::Others { sorted, filter } => {
                    let separator =
                        if i > 0 { Some(item.separator) } else { items.get(1).map(|s| s.separator) };
                    let filter = self.build.filter(filter);
                    self.push(Op::Others { sorted: *sorted, separator, filter });
                }
            }
        }
    }
}
