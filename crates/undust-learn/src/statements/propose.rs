//! Statements that the forms as they are now suggest, each with a first score by hash arithmetic: dropping a field is one subtraction.

use std::collections::{BTreeMap, HashMap};

use super::census::Census;
use super::forms::{Forms, Move, Score};
use super::judge::{MIN_SAVED_FORMS, PRICE_OF_A_PAGE};
use super::record::{Record, STAR, component, length};
use super::statement::{Condition, Effect, Paths, Scope, Statement, escape};
use super::tokens::{Part, is_number, tokens};
use crate::intern::Interner;

/// A statement to try, with the forms it may be about.
pub(super) struct Proposal {
    pub statement: Statement,
    /// Its score by hashes; none if it was not counted.
    pub score: Option<Score>,
    /// The forms in its scope; none for all.
    pub forms: Option<Vec<u32>>,
}

/// Gathers proposals of one round.
pub(super) struct Proposer<'s> {
    pub forms: &'s Forms,
    pub records: &'s [Option<Record>],
    pub census: &'s mut Census,
    pub texts: &'s mut Interner,
    by_hash: HashMap<u64, u32>,
    out: Vec<Proposal>,
}

/// What is tried by hashes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Field {
    Drop(u32),
    Default(u32, u32),
    Only(Option<u32>),
    Component(usize),
    Path,
    Cut { name: u32, shape: u32, variant: usize },
    Split { name: u32, at: u8, before: bool },
}

/// Numbers with their forms, by paths, parameter, shape of the value and token.
type Numbers = BTreeMap<(Paths, u32, u32, usize), Vec<(u64, u32)>>;

type Moves = HashMap<(Scope, Field), Vec<Move>>;

/// Conditions of one form beyond this number are not tried.
const MAX_CONDITIONS: usize = 12;
/// Characters that values are split at.
const SEPARATORS: &[u8] = b":/.-_,|T";
/// Share of the forms in a scope that must be of one page for all to be one page.
const MIN_ONE_PAGE_SHARE: f64 = 0.9;
/// Forms for each page of a scope, from which on a few pages are noise.
const MIN_FORMS_PER_PAGE: usize = 15;
/// Forms that a range of numbers must have.
const MIN_RANGE_FORMS: usize = 20;
/// Forms that the one page of a range must have.
const MIN_RANGE_PAGE_FORMS: usize = 15;

impl<'s> Proposer<'s> {
    pub(super) fn new(
        forms: &'s Forms,
        records: &'s [Option<Record>],
        census: &'s mut Census,
        texts: &'s mut Interner,
    ) -> Proposer<'s> {
        let mut by_hash = HashMap::new();
        for at in &forms.alive {
            if let Some(record) = &records[*at as usize] {
                by_hash.insert(record.hash, *at);
            }
        }
        Proposer { forms, records, census, texts, by_hash, out: Vec::new() }
    }

    /// All proposals of a round. Rewriting of paths waits until `paths`: parameters explain most, and leave simpler forms.
    pub(super) fn propose(mut self, paths: bool) -> Vec<Proposal> {
        self.everywhere(paths);
        self.by_fields(paths);
        super::pairs::propose(&mut self, paths);
        self.out
    }

    pub(super) fn push(&mut self, statement: Statement, score: Option<Score>, forms: Option<Vec<u32>>) {
        self.out.push(Proposal { statement, score, forms });
    }

    pub(super) fn record(&self, form: u32) -> Option<&'s Record> {
        self.records[form as usize].as_ref()
    }

    /// Statements about the whole site that need no counting.
    fn everywhere(&mut self, paths: bool) {
        let any_host = self.census.any_host.clone();
        let site = format!("{any_host}/{{...}}?{{...}}");
        let mut say = |from: String, to: String| {
            let statement = Statement::new(Scope::SITE, Effect::Templates(from, to));
            self.out.push(Proposal { statement, score: None, forms: None });
        };
        say(site.clone(), format!("{any_host}/{{...}}?{{sorted(...)}}"));
        let behind = any_host.strip_prefix("{scheme}://").unwrap_or_default();
        say(format!("https://{behind}/{{...}}?{{...}}"), format!("http://{behind}/{{...}}?{{...}}"));
        say(format!("{{scheme}}://www.{behind}/{{...}}?{{...}}"), site.clone());
        say(format!("{any_host}/{{...}}/?{{...}}"), site.clone());
        for index in ["index.html", "index.htm", "index.php", "default.asp", "default.aspx", "home.html"] {
            say(format!("{any_host}/{{...}}/{index}?{{...}}"), format!("{any_host}/{{...}}/?{{...}}"));
        }
        if paths {
            say(site.clone(), format!("{any_host}/{{lower(...)}}?{{...}}"));
            say(site, format!("{any_host}/{{decode(...)}}?{{...}}"));
            for (from, to) in [("//", "/"), (":", "/")] {
                let statement =
                    Statement::new(Scope::SITE, Effect::Substitute(from.to_owned(), to.to_owned()));
                self.out.push(Proposal { statement, score: None, forms: None });
            }
        }
    }

    /// Every scope that a record lies in, from wide to narrow.
    fn scopes(&mut self, record: &Record) -> Vec<Scope> {
        let mut out = vec![Scope::SITE];
        let is_literal = |at: usize| {
            record.path.get(at).is_some_and(|text| self.census.is_component(at, *text, self.texts))
        };
        let path = &record.path;
        let plain = |paths| Scope { paths, condition: None };
        if path.len() > 1 && is_literal(0) {
            out.push(plain(Paths::Below(path[0])));
            if path.len() > 2 && is_literal(1) {
                out.push(plain(Paths::BelowTwo(path[0], path[1])));
            }
        }
        let script = Paths::Script(self.census.script(path, self.texts));
        out.push(plain(script));
        for param in record.params.iter().take(MAX_CONDITIONS) {
            for paths in [Paths::Site, script] {
                out.push(Scope { paths, condition: Some(Condition::Has(param.name)) });
                if let Some(value) = param.value.filter(|value| self.census.is_scope(param.name, *value)) {
                    out.push(Scope { paths, condition: Some(Condition::Is(param.name, value)) });
                }
            }
        }
        out
    }

    /// Statements about single fields.
    fn by_fields(&mut self, paths: bool) {
        let mut moves: Moves = HashMap::new();
        let mut scoped: BTreeMap<Scope, Vec<u32>> = BTreeMap::new();
        let mut numbers = Numbers::new();
        for form in self.forms.alive.clone() {
            let Some(record) = self.record(form) else { continue };
            let scopes = self.scopes(record);
            for scope in &scopes {
                scoped.entry(*scope).or_default().push(form);
            }
            self.params(form, record, &scopes, &mut moves);
            if paths {
                self.tokens(form, record, &scopes, &mut moves);
                self.components(form, record, &scopes, &mut moves);
            }
            self.numbers(form, record, &mut numbers);
        }
        self.count(moves);
        self.one_page(&scoped);
        self.ranges(numbers);
    }

    fn params(&mut self, form: u32, record: &Record, scopes: &[Scope], moves: &mut Moves) {
        let mut add = |scope: Scope, field: Field, to: u64| {
            moves.entry((scope, field)).or_default().push(Move { form, to });
        };
        for (at, param) in record.params.iter().enumerate() {
            let name = param.name;
            if record.params[..at].iter().any(|before| before.name == name) {
                continue;
            }
            let to = record.with_query(record.query(|other| other.name != name));
            let default = param
                .value
                .filter(|value| self.census.is_value(name, *value) && self.texts.get(*value).len() <= 12);
            for scope in scopes.iter().filter(|scope| !is_about(scope, name)) {
                add(*scope, Field::Drop(name), to);
                if let Some(value) = default.filter(|_| !matches!(scope.condition, Some(Condition::Has(_)))) {
                    let to = record.with_query(
                        record.query(|other| !(other.name == name && other.value == Some(value))),
                    );
                    add(*scope, Field::Default(name, value), to);
                }
            }
            if record.params.len() > 1 {
                let only = record.with_query(record.query(|other| other.name == name));
                let plain = |scope: &&Scope| {
                    matches!(scope.paths, Paths::Script(_))
                        && (scope.condition.is_none() || is_about(scope, name))
                };
                for scope in scopes.iter().filter(plain) {
                    add(*scope, Field::Only(Some(name)), only);
                }
            }
        }
        if !record.params.is_empty() {
            let none = record.with_query(0);
            for scope in scopes.iter().filter(|scope| scope.condition.is_none() && scope.paths != Paths::Site)
            {
                add(*scope, Field::Only(None), none);
            }
        }
    }

    /// Parts of values.
    fn tokens(&mut self, form: u32, record: &Record, scopes: &[Scope], moves: &mut Moves) {
        for param in &record.params {
            let Some(value) = param.value else { continue };
            let base = record.hash.wrapping_sub(param.hash());
            let with = |text: &[u8], texts: &mut Interner| {
                let mut changed = *param;
                changed.value = Some(texts.intern(text));
                base.wrapping_add(changed.hash())
            };
            let text = self.texts.get(value).to_vec();
            let wide = |scope: &&Scope| {
                scope.condition.is_none() && matches!(scope.paths, Paths::Script(_) | Paths::Site)
                    || matches!(scope.condition, Some(Condition::Is(name, _)) if name != param.name)
            };
            let shape = self.census.shape(value, self.texts);
            if let Some(shape) = shape {
                let parts = self.census.shapes[shape as usize].clone();
                let pieces = tokens(&text);
                for (variant, keep) in variants(&parts).into_iter().enumerate() {
                    let cut: Vec<u8> = keep.iter().flat_map(|at| pieces[*at].iter().copied()).collect();
                    let to = with(&cut, self.texts);
                    for scope in scopes.iter().filter(wide) {
                        let field = Field::Cut { name: param.name, shape, variant };
                        moves.entry((*scope, field)).or_default().push(Move { form, to });
                    }
                }
            }
            for at in SEPARATORS {
                let Some(first) = text.iter().position(|b| b == at) else { continue };
                let last = text.iter().rposition(|b| b == at).unwrap_or(first);
                for (before, cut) in [(true, &text[..first]), (false, &text[last + 1..])] {
                    if cut.is_empty() {
                        continue;
                    }
                    let to = with(cut, self.texts);
                    for scope in scopes.iter().filter(wide) {
                        let field = Field::Split { name: param.name, at: *at, before };
                        moves.entry((*scope, field)).or_default().push(Move { form, to });
                    }
                }
            }
        }
    }

    /// Components that do not matter.
    fn components(&mut self, form: u32, record: &Record, scopes: &[Scope], moves: &mut Moves) {
        if record.path.len() < 2 {
            return;
        }
        for (at, text) in
            record.path.iter().enumerate().filter(|(_, text)| !self.texts.get(**text).is_empty())
        {
            let to = record.hash.wrapping_sub(component(at, *text)).wrapping_add(component(at, STAR));
            let fits = |scope: &&Scope| match scope.paths {
                Paths::Script(_) => !matches!(scope.condition, Some(Condition::Has(_))),
                Paths::Below(_) => at == 1,
                _ => false,
            };
            for scope in scopes.iter().filter(fits) {
                moves.entry((*scope, Field::Component(at))).or_default().push(Move { form, to });
            }
        }
        let path = (0..).zip(&record.path).fold(0, |sum, (at, text)| component(at, *text).wrapping_add(sum));
        let to = record.hash.wrapping_sub(path).wrapping_sub(length(record.path.len()));
        for scope in scopes.iter().filter(|scope| scope.paths == Paths::Site && scope.condition.is_some()) {
            moves.entry((*scope, Field::Path)).or_default().push(Move { form, to });
        }
    }

    fn numbers(&mut self, form: u32, record: &Record, numbers: &mut Numbers) {
        let script = Paths::Script(self.census.script(&record.path, self.texts));
        for param in &record.params {
            let Some(value) = param.value else { continue };
            let Some(shape) = self.census.shape(value, self.texts) else { continue };
            for (at, token) in tokens(self.texts.get(value)).into_iter().enumerate() {
                if !is_number(token) || token.len() > 8 {
                    continue;
                }
                let number = token.iter().fold(0, |n: u64, digit| n * 10 + u64::from(digit - b'0'));
                numbers.entry((script, param.name, shape, at)).or_default().push((number, form));
            }
        }
    }

    /// Turns counted moves into proposals; of scopes with the same forms the widest speaks.
    fn count(&mut self, moves: Moves) {
        let mut all: Vec<((Scope, Field), Vec<Move>)> =
            moves.into_iter().filter(|(_, moves)| moves.len() >= MIN_SAVED_FORMS as usize).collect();
        all.sort_by(|((a, f), _), ((b, g), _)| a.width().total_cmp(&b.width()).then(a.cmp(b)).then(f.cmp(g)));
        let mut seen = std::collections::HashSet::new();
        for ((scope, field), moves) in all {
            let ends = moves.first().zip(moves.last()).map(|(a, b)| (a.form, b.form));
            if !seen.insert((field, moves.len(), ends)) {
                continue;
            }
            let score = self.forms.score(&moves, |hash| self.by_hash.get(&hash).copied());
            if score.saved < MIN_SAVED_FORMS {
                continue;
            }
            let effect = self.effect(field);
            let forms = moves.iter().map(|m| m.form).collect();
            self.push(Statement::new(scope, effect), Some(score), Some(forms));
        }
    }

    fn effect(&self, field: Field) -> Effect {
        match field {
            Field::Drop(name) => Effect::Drop(name),
            Field::Default(name, value) => Effect::Default(name, value),
            Field::Only(name) => Effect::Only(name),
            Field::Component(at) => Effect::Component(at),
            Field::Path => Effect::Path,
            Field::Cut { name, shape, variant } => {
                let keep = variants(&self.census.shapes[shape as usize]).swap_remove(variant);
                Effect::Cut { name, shape, keep }
            }
            Field::Split { name, at, before } => Effect::Split { name, at, before },
        }
    }

    /// Scopes of which all is one page.
    fn one_page(&mut self, scoped: &BTreeMap<Scope, Vec<u32>>) {
        for (scope, forms) in
            scoped.iter().filter(|(scope, forms)| **scope != Scope::SITE && forms.len() >= 4)
        {
            let pages = self.pages(forms);
            let (page, most) = pages[0];
            let is_one = most as f64 >= MIN_ONE_PAGE_SHARE * forms.len() as f64
                || forms.len() >= MIN_FORMS_PER_PAGE * pages.len();
            if is_one && most >= 4 {
                self.push_one(*scope, page, forms.clone());
            }
        }
    }

    fn pages(&self, forms: &[u32]) -> Vec<(u32, usize)> {
        let mut counts: BTreeMap<u32, usize> = BTreeMap::new();
        for form in forms {
            *counts.entry(self.forms.major[*form as usize]).or_default() += 1;
        }
        let mut pages: Vec<(u32, usize)> = counts.into_iter().collect();
        pages.sort_by_key(|(page, n)| (std::cmp::Reverse(*n), *page));
        pages
    }

    fn push_one(&mut self, scope: Scope, page: u32, forms: Vec<u32>) {
        let target = self.target(&scope, page);
        let moves: Vec<Move> = forms.iter().map(|form| Move { form: *form, to: u64::from(page) }).collect();
        let score = self.forms.score(&moves, |_| None);
        self.push(Statement::new(scope, Effect::One(target)), Some(score), Some(forms));
    }

    /// The address of the one page of a scope, behind the host.
    fn target(&self, scope: &Scope, page: u32) -> String {
        if let Some(known) = self.forms.walls.get(&page) {
            return known.clone();
        }
        let writer = super::statement::Writer { census: self.census, texts: self.texts };
        let (_, path) = writer.paths(scope.paths);
        let path =
            path.split('/').map(|c| if c.starts_with("{p") { "*" } else { c }).collect::<Vec<_>>().join("/");
        let path = path.strip_suffix("{...}").unwrap_or(&path);
        match scope.condition {
            Some(Condition::Is(name, value)) => {
                format!("{path}?{}={}", escape(self.texts.get(name)), escape(self.texts.get(value)))
            }
            Some(Condition::Has(name) | Condition::Range { name, .. }) => {
                format!("{path}?{}={{'*'}}", escape(self.texts.get(name)))
            }
            None => path.to_owned(),
        }
    }

    /// Ranges of numbers in values of which all is one page: calendars before the first entry and behind the last.
    fn ranges(&mut self, numbers: Numbers) {
        for ((paths, name, shape, token), seen) in numbers {
            if seen.len() < MIN_RANGE_FORMS {
                continue;
            }
            let forms: Vec<u32> = seen.iter().map(|(_, form)| *form).collect();
            let (page, most) = self.pages(&forms)[0];
            if most < MIN_RANGE_PAGE_FORMS {
                continue;
            }
            let mut by_number: BTreeMap<u64, f64> = BTreeMap::new();
            for (number, form) in &seen {
                let is_page = self.forms.major[*form as usize] == page;
                *by_number.entry(*number).or_default() += if is_page { 1.0 } else { -PRICE_OF_A_PAGE };
            }
            let up: Vec<(u64, f64)> = by_number.iter().map(|(n, v)| (*n, *v)).collect();
            let down: Vec<(u64, f64)> = up.iter().rev().copied().collect();
            for (at_most, values) in [(true, up), (false, down)] {
                let (mut best, mut sum, mut limit) = (0.0, 0.0, None);
                for (number, value) in values {
                    sum += value;
                    if sum > best {
                        (best, limit) = (sum, Some(number));
                    }
                }
                let Some(limit) = limit.filter(|_| best >= MIN_RANGE_PAGE_FORMS as f64) else { continue };
                let condition = Condition::Range { name, shape, token, at_most, limit };
                let is_in =
                    |(number, _): &&(u64, u32)| if at_most { *number <= limit } else { *number >= limit };
                let forms = seen.iter().filter(is_in).map(|(_, form)| *form).collect();
                self.push_one(Scope { paths, condition: Some(condition) }, page, forms);
            }
        }
    }
}

/// Whether the condition of a scope is about this parameter.
fn is_about(scope: &Scope, name: u32) -> bool {
    match scope.condition {
        Some(Condition::Has(other) | Condition::Is(other, _) | Condition::Range { name: other, .. }) => {
            other == name
        }
        None => false,
    }
}

/// Which tokens of a shape may be all that matters: those up to a number, all but a number, a number alone.
fn variants(shape: &[Part]) -> Vec<Vec<usize>> {
    let all: Vec<usize> = (0..shape.len()).collect();
    let numbers: Vec<usize> = all.iter().copied().filter(|at| shape[*at] == Part::Number).collect();
    let mut out: Vec<Vec<usize>> = Vec::new();
    for at in &numbers {
        out.push((0..=*at).collect());
        out.push(all.iter().copied().filter(|other| other != at).collect());
        out.push(vec![*at]);
    }
    out.retain(|keep| !keep.is_empty() && keep.len() < shape.len());
    out.sort();
    out.dedup();
    out
}
