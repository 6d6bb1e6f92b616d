//! From a rule of the tree to the common rule language.

use std::collections::BTreeMap;

use undust::rules::template::{
    Class, Convert, Item, Piece as Out, QueryItem, QueryKind, Template, Text, literal,
};
use undust::rules::{Action, Rewrite};

use super::deep::Part;
use super::edit::{Expr, HostEdit, ParamEdit, PathEdit, Piece, Place, Source};
use super::rules::Rule;
use super::tree::Test;
use super::view::{Cut, Key, View};
use crate::intern::Interner;
use crate::learn::template_helpers;

/// How the parameters that a rule names are ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// As in a URL that the rule leads to: so it becomes that URL.
    OfTarget,
    /// By name, as they are where another rule sorts them.
    ByName,
}

/// The rule in the common language; nothing if it cannot be said in it.
pub(super) fn action(view: &View, texts: &Interner, rule: &Rule, order: Order) -> Option<Action> {
    let tests = rule.context.iter().copied().collect();
    let mut saying = Saying { view, texts, rule, order, tests, sources: BTreeMap::new() };
    let (scheme, new_scheme) = saying.scheme();
    let (host, new_host) = saying.host();
    saying.hear_params();
    let (path, new_path) = saying.path();
    let (query, new_query) = saying.query();
    let port = |id: Option<u32>| id.map(|id| literal(texts.get(id)));
    let (from, to) = rule.edit.port;
    let mut matches = Template { scheme, host, port: port(from), path, query, ..Template::default() };
    let becomes = Template {
        scheme: new_scheme,
        host: new_host,
        port: port(to),
        path: new_path,
        query: new_query,
        ..Template::default()
    };
    template_helpers::forget_unused(&mut matches, &becomes);
    Rewrite::new(matches, becomes).ok().map(Action::Rewrite)
}

/// One rule while it is said.
struct Saying<'r, 's> {
    view: &'r View<'s>,
    texts: &'r Interner,
    rule: &'r Rule,
    order: Order,
    tests: BTreeMap<Key, Test>,
    /// What the match says of parts that are copied from.
    sources: BTreeMap<Source, Spoken>,
}

/// What a match says of a value.
#[derive(Clone)]
struct Spoken {
    text: Text,
    /// How all of it is printed again.
    whole: Text,
    /// How each of its deep tokens is.
    holes: Vec<Text>,
}

impl Spoken {
    fn fixed(text: &[u8], cut: Cut) -> Spoken {
        let holes = cut.holes.iter().map(|r| literal(&text[r.start as usize..r.end as usize])).collect();
        Spoken { text: literal(text), whole: literal(text), holes }
    }

    fn open(name: &str, optional: bool) -> Spoken {
        let hole = |optional| Out::Hole {
            name: name.to_owned(),
            class: Class::Any,
            optional,
            convert: Convert::Copy,
        };
        Spoken { text: vec![hole(optional)], whole: vec![hole(false)], holes: Vec::new() }
    }

    fn pattern(parts: &[Part], name: &str) -> Spoken {
        let (mut text, mut whole, mut holes) = (Vec::new(), Vec::new(), Vec::new());
        for part in parts {
            match part {
                Part::Fixed(bytes) => {
                    text.extend(literal(bytes));
                    whole.extend(literal(bytes));
                }
                Part::Hole(class) => {
                    let name = format!("{name}-{}", holes.len() + 1);
                    let printed = Out::hole(name.clone());
                    text.push(Out::Hole {
                        name,
                        class: class.clone(),
                        optional: false,
                        convert: Convert::Copy,
                    });
                    whole.push(printed.clone());
                    holes.push(vec![printed]);
                }
            }
        }
        Spoken { text, whole, holes }
    }

    /// As it is printed where it is converted.
    fn converted(&self, hole: Option<u16>, to: Convert) -> Text {
        let text = hole.and_then(|hole| self.holes.get(usize::from(hole))).unwrap_or(&self.whole);
        text.iter().map(|piece| converted(piece, to)).collect()
    }
}

fn converted(piece: &Out, to: Convert) -> Out {
    match piece {
        Out::Literal(bytes) => {
            let mut out = Vec::new();
            to.append(bytes, &mut out);
            Out::Literal(out)
        }
        Out::Hole { name, class, optional, .. } => {
            Out::Hole { name: name.clone(), class: class.clone(), optional: *optional, convert: to }
        }
        Out::Star => Out::Star,
    }
}

impl Saying<'_, '_> {
    fn scheme(&self) -> (Text, Text) {
        let matched = match self.tests.get(&Key::Scheme) {
            Some(Test::Is(value)) => literal(self.view.text(*value)),
            _ => vec![Out::hole("scheme")],
        };
        let becomes = self.rule.edit.scheme.as_ref().map_or_else(|| matched.clone(), |expr| self.print(expr));
        (matched, becomes)
    }

    fn host(&self) -> (Vec<Item>, Vec<Item>) {
        let rest = || vec![Item::Rest(Convert::Copy)];
        let known = match self.tests.get(&Key::Host) {
            Some(Test::Is(value)) => Some(template_helpers::host(self.view.text(*value))),
            _ => None,
        };
        let Some(HostEdit { removed, added }) = &self.rule.edit.host else {
            let host = known.unwrap_or_else(rest);
            return (host.clone(), host);
        };
        let added = added.iter().map(|expr| Item::One(self.print(expr)));
        if let Some(labels) = known {
            let kept = labels[removed.len().min(labels.len())..].to_vec();
            return (labels, added.chain(kept).collect());
        }
        let removed = removed.iter().map(|&label| Item::One(literal(self.texts.get(label))));
        (removed.chain(rest()).collect(), added.chain(rest()).collect())
    }

    fn path(&mut self) -> (Vec<Item>, Vec<Item>) {
        let none = Vec::new();
        let (place, removed, added, convert) = match &self.rule.edit.path {
            Some(PathEdit::Components { place, removed, added }) => {
                (*place, usize::from(*removed), added, Convert::Copy)
            }
            Some(PathEdit::ConvertAll(convert)) => (Place::Start(0), 0, &none, *convert),
            None => (Place::Start(0), 0, &none, Convert::Copy),
        };
        let (front, back, open) = self.ends(place, removed);
        let count = front + usize::from(open) + back;
        let removed = removed_items(place, removed, count);
        let depth = (!open).then_some(count);
        let (mut matched, mut printed) = (Vec::new(), Vec::new());
        for at in 0..count {
            if open && at == front {
                matched.push(Item::Rest(Convert::Copy));
                printed.push(Item::Rest(convert));
                continue;
            }
            let key = if at < front { Key::Start(at as u16) } else { Key::End((count - 1 - at) as u16) };
            let source = removed.contains(&at).then(|| Source::Removed((at - removed.start) as u16));
            let spoken = self.component(key, depth, source);
            matched.push(Item::One(spoken.text.clone()));
            printed.push(Item::One(spoken.converted(None, convert)));
            self.sources.extend(source.map(|source| (source, spoken)));
        }
        printed.splice(removed, added.iter().map(|expr| Item::One(self.print(expr))));
        (matched, printed)
    }

    /// How many components are spoken of at either end, and whether there may be others between.
    fn ends(&self, place: Place, removed: usize) -> (usize, usize, bool) {
        let (mut front, mut back) = (0, 0);
        for key in self.tests.keys() {
            match key {
                Key::Start(i) => front = front.max(usize::from(*i) + 1),
                Key::End(i) => back = back.max(usize::from(*i) + 1),
                _ => {}
            }
        }
        match place {
            Place::Whole => return (removed, 0, false),
            Place::All => return (front, back, true),
            Place::Start(skip) => {
                front = front.max(usize::from(skip) + removed + self.beside_slash(Key::Start(0), removed));
            }
            Place::End(skip) => {
                back = back.max(usize::from(skip) + removed + self.beside_slash(Key::End(0), removed));
            }
        }
        match self.rule.depth() {
            Some(depth) if front + back >= depth || self.rule.form.depth.is_some() => match place {
                Place::End(_) => (depth - back.min(depth), back.min(depth), false),
                _ => (front.min(depth), depth - front.min(depth), false),
            },
            _ => (front, back, true),
        }
    }

    /// One component more is spoken of where only a slash at an end is left out: the path `/` has one that stays.
    fn beside_slash(&self, end: Key, removed: usize) -> usize {
        let is_empty = |value: u32| self.view.text(value).is_empty();
        let test = self.tests.get(&end);
        let is_slash = removed == 1 && matches!(test, Some(Test::Is(value)) if is_empty(*value));
        usize::from(is_slash && *self.rule.depths.start() > 1)
    }

    /// What the match says of a component. In a path of known depth, what is asked from its other end is asked here.
    fn component(&self, key: Key, depth: Option<usize>, source: Option<Source>) -> Spoken {
        let other = |i: u16, depth: usize| (depth - 1 - usize::from(i)) as u16;
        let (name, twin) = match key {
            Key::End(i) => (format!("last-{}", i + 1), depth.map(|depth| Key::Start(other(i, depth)))),
            Key::Start(i) => (format!("path-{}", i + 1), depth.map(|depth| Key::End(other(i, depth)))),
            _ => (String::new(), None),
        };
        let test = self.tests.get(&key).or_else(|| self.tests.get(&twin?)).copied();
        self.spoken(key, test, &name, source)
    }

    /// What the match says of the value of `key`, which may be copied from as `source`.
    fn spoken(&self, key: Key, test: Option<Test>, name: &str, source: Option<Source>) -> Spoken {
        let needed = self.rule.edit.patterns.iter().find(|(of, _)| Some(*of) == source).map(|(_, p)| *p);
        match (test, needed) {
            (Some(Test::Is(value)), _) => {
                let shape = self.view.site.shape_of(self.rule.example());
                Spoken::fixed(self.view.text(value), self.view.cut(shape, key, value))
            }
            (_, Some(pattern)) | (Some(Test::Like(pattern)), None) => {
                Spoken::pattern(&self.view.pattern(pattern).parts, name)
            }
            _ => Spoken::open(name, source.is_some() || self.may_be_empty(key)),
        }
    }

    /// Whether some URL of the rule has the key with an empty value.
    fn may_be_empty(&self, key: Key) -> bool {
        let is_empty =
            |row: &u32| self.view.value(*row, key).is_some_and(|value| self.view.text(value).is_empty());
        self.rule.examples.iter().any(is_empty)
    }

    /// Note what the match says of the parameters that change.
    fn hear_params(&mut self) {
        for (key, edit) in &self.rule.edit.params {
            if !matches!(edit, ParamEdit::Add(_)) {
                let source = Source::Param(*key);
                let spoken = self.param(*key, Some(source));
                self.sources.insert(source, spoken);
            }
        }
    }

    fn param(&self, key: u32, source: Option<Source>) -> Spoken {
        let test = self.tests.get(&Key::Param(key)).copied();
        self.spoken(Key::Param(key), test, &self.param_name(key), source)
    }

    fn param_name(&self, key: u32) -> String {
        let param = self.view.param_key(key);
        let own = if param.nth == 0 { template_helpers::param_name(&param.name) } else { None };
        own.unwrap_or_else(|| format!("value-{key}"))
    }

    fn query(&self) -> (Option<Vec<QueryItem>>, Option<Vec<QueryItem>>) {
        match &self.rule.form.params {
            Some(params) => self.whole_query(params),
            None if self.view.has_params() => self.open_query(),
            None => (None, None),
        }
    }

    /// Parameters that are left out are named, all others stay as they are, in their order.
    fn open_query(&self) -> (Option<Vec<QueryItem>>, Option<Vec<QueryItem>>) {
        let item = |kind| QueryItem { separator: b'&', kind };
        let deleted = self.rule.edit.params.iter().map(|(key, _)| {
            let spoken = self.sources.get(&Source::Param(*key)).map(|spoken| spoken.text.clone());
            item(self.entry(*key, spoken))
        });
        let absent = self.tests.iter().filter_map(|(key, test)| match (key, test) {
            (Key::Param(key), Test::Absent) => {
                Some(item(QueryKind::Absent(self.view.param_key(*key).name.clone())))
            }
            _ => None,
        });
        let others = item(QueryKind::OTHERS);
        let matched = deleted.chain(absent).chain([others.clone()]).collect();
        (Some(matched), Some(vec![others]))
    }

    /// Every parameter is named.
    fn whole_query(&self, params: &[u32]) -> (Option<Vec<QueryItem>>, Option<Vec<QueryItem>>) {
        let edit_of =
            |key: u32| self.rule.edit.params.iter().find(|(of, _)| *of == key).map(|(_, edit)| edit);
        let (mut matched, mut printed) = (Vec::new(), Vec::new());
        for &key in params {
            let spoken =
                self.sources.get(&Source::Param(key)).cloned().unwrap_or_else(|| self.param(key, None));
            matched.push((key, spoken.text));
            match edit_of(key) {
                None => printed.push((key, spoken.whole)),
                Some(edit) => printed.extend(edit.expr().map(|expr| (key, self.print(expr)))),
            }
        }
        for (key, edit) in &self.rule.edit.params {
            if let ParamEdit::Add(expr) = edit {
                printed.push((*key, self.print(expr)));
            }
        }
        (self.ordered_query(matched), self.ordered_query(printed))
    }

    fn ordered_query(&self, mut params: Vec<(u32, Text)>) -> Option<Vec<QueryItem>> {
        params.sort_by_key(|(key, _)| (&self.view.param_key(*key).name, self.view.param_key(*key).nth));
        if self.order == Order::OfTarget {
            let shape = self.view.site.shape_of(self.rule.target());
            params.sort_by_key(|(key, _)| self.view.place(shape, Key::Param(*key)));
        }
        let separator = self.view.separator(self.rule.target());
        let item = |(i, (key, text)): (usize, (u32, Text))| QueryItem {
            separator: if i == 0 { b'&' } else { separator },
            kind: self.entry(key, Some(text)),
        };
        let items: Vec<QueryItem> = params.into_iter().enumerate().map(item).collect();
        (!items.is_empty()).then_some(items)
    }

    fn entry(&self, key: u32, text: Option<Text>) -> QueryKind {
        let param = self.view.param_key(key);
        QueryKind::Param(param.name.clone(), text.filter(|_| !param.is_flag))
    }

    fn print(&self, expr: &Expr) -> Text {
        let mut text = Text::new();
        for piece in expr {
            match piece {
                Piece::Fixed(id) => text.extend(literal(self.texts.get(*id))),
                Piece::Given(_) | Piece::Star => text.push(Out::Star),
                Piece::Copy { source, hole, convert } => {
                    if let Some(spoken) = self.sources.get(source) {
                        text.extend(spoken.converted(*hole, *convert));
                    }
                }
            }
        }
        text
    }
}

/// Which of so many items, `{...}` counted as one, the removed components are.
fn removed_items(place: Place, removed: usize, count: usize) -> std::ops::Range<usize> {
    match place {
        Place::Start(skip) => usize::from(skip)..usize::from(skip) + removed,
        Place::End(skip) => count - usize::from(skip) - removed..count - usize::from(skip),
        Place::Whole | Place::All => 0..count,
    }
}
