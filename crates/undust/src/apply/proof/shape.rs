//! The fixed text of a template and its holes, for comparing what a rule prints with what it matched.

use std::collections::BTreeMap;

use crate::rules::template::{Class, Convert, Fragment, Item, List, Piece, QueryKind, Template, Text};

/// Stands for a hole in fixed text; no byte of a URL's own that any measure counts on.
pub(super) const MARK: u8 = 0;

/// The fixed text of a template, and how often each of its holes stands there.
#[derive(Default)]
pub(super) struct Shape {
    /// Every hole is a [`MARK`], dots between host labels and what `{...}` stands for are left out.
    pub(super) fixed: Vec<u8>,
    marks: usize,
    holes: BTreeMap<String, usize>,
    /// The least bytes of each hole's text.
    leasts: BTreeMap<String, usize>,
    /// The least bytes of what is matched and forgotten.
    forgotten: usize,
    /// Whether values change on the way in more than their case.
    recodes: bool,
}

impl Shape {
    pub(super) fn matched(template: &Template) -> Shape {
        Shape::of(template, false)
    }

    pub(super) fn printed(template: &Template) -> Shape {
        Shape::of(template, true)
    }

    /// Whether every value is printed no more often than it was matched, and as it was but for its case.
    pub(super) fn copies_no_more_than(&self, matched: &Shape) -> bool {
        let fewer = |(name, count): (&String, &usize)| matched.holes.get(name).is_some_and(|n| n >= count);
        !self.recodes && self.holes.iter().all(fewer)
    }

    /// The bytes of the fixed text.
    pub(super) fn len(&self) -> isize {
        self.fixed.len().cast_signed() - self.marks.cast_signed()
    }

    /// The least bytes of all holes, in the words of what was matched.
    pub(super) fn least(&self, matched: &Shape) -> isize {
        let of = |(name, count): (&String, &usize)| count * matched.leasts.get(name).copied().unwrap_or(0);
        (self.holes.iter().map(of).sum::<usize>() + self.forgotten).cast_signed()
    }

    fn of(template: &Template, printed: bool) -> Shape {
        let mut shape = Shape::default();
        shape.text(&template.scheme, printed);
        shape.fixed.extend_from_slice(b"://");
        if let Some(userinfo) = &template.userinfo {
            shape.text(userinfo, printed);
            shape.fixed.push(b'@');
        }
        // Between labels, a byte that no token goes on over.
        shape.list(&template.host, MARK, printed);
        if let Some(port) = &template.port {
            shape.fixed.push(b':');
            shape.text(port, printed);
        }
        shape.list(&template.path, b'/', printed);
        shape.query(template, printed);
        if let Some(Fragment::Text(text)) = &template.fragment {
            shape.fixed.push(b'#');
            shape.text(text, printed);
        }
        shape
    }

    fn list(&mut self, list: &List, before: u8, printed: bool) {
        for item in list {
            match item {
                Item::One(text) => {
                    self.marks += usize::from(before == MARK);
                    self.fixed.push(before);
                    self.text(text, printed);
                }
                Item::Rest(convert) => self.recodes |= recodes(*convert),
            }
        }
    }

    fn query(&mut self, template: &Template, printed: bool) {
        let Some(items) = &template.query else { return };
        if items.is_empty() {
            self.fixed.push(b'?');
        }
        for item in items {
            let value = match &item.kind {
                QueryKind::Param(name, value) => {
                    self.fixed.push(b'&');
                    self.fixed.extend_from_slice(name);
                    value
                }
                QueryKind::AnyName(names, value) => {
                    self.fixed.push(b'&');
                    self.forget(names.iter().map(Vec::len).min().unwrap_or_default());
                    value
                }
                _ => continue,
            };
            if let Some(value) = value {
                self.value(value, printed);
            }
        }
    }

    /// `=` and the value of a parameter.
    pub(super) fn value(&mut self, text: &Text, printed: bool) {
        self.fixed.push(b'=');
        self.text(text, printed);
    }

    fn text(&mut self, text: &Text, printed: bool) {
        for piece in text {
            match piece {
                Piece::Literal(bytes) => self.fixed.extend_from_slice(bytes),
                Piece::Star if printed => self.fixed.push(b'*'),
                Piece::Star => self.forget(1),
                Piece::Hole { name, class, optional, convert } => {
                    let least = if *optional { 0 } else { least_of(class) };
                    self.recodes |= recodes(*convert);
                    if name.is_empty() {
                        self.forget(least);
                        continue;
                    }
                    self.mark();
                    *self.holes.entry(name.clone()).or_default() += 1;
                    self.leasts.entry(name.clone()).or_insert(least);
                }
            }
        }
    }

    fn forget(&mut self, least: usize) {
        self.mark();
        self.forgotten += least;
    }

    fn mark(&mut self) {
        self.marks += 1;
        self.fixed.push(MARK);
    }
}

fn least_of(class: &Class) -> usize {
    match class {
        Class::ExactDigits(count) => usize::from(*count),
        Class::OneOf(words) | Class::AnyCase(words) => words.iter().map(Vec::len).min().unwrap_or_default(),
        _ => 1,
    }
}

fn recodes(convert: Convert) -> bool {
    matches!(convert, Convert::Encode | Convert::Decode)
}

/// How many dots between host labels are printed beyond those matched, at most.
pub(super) fn dots_gained(from: &Template, to: &Template) -> isize {
    let ones = |t: &Template| t.host.iter().filter(|item| matches!(item, Item::One(_))).count().cast_signed();
    let (before, after) = (ones(from), ones(to));
    // Where `{...}` is nothing, there is a dot less, unless there was none.
    let alone = (after - 1).max(0) - (before - 1).max(0);
    let has_rest = to.host.iter().any(|item| matches!(item, Item::Rest(_)));
    if has_rest { alone.max(after - before) } else { alone }
}

pub(super) fn counts(bytes: &[u8], byte: u8) -> isize {
    memchr::memchr_iter(byte, bytes).count().cast_signed()
}
