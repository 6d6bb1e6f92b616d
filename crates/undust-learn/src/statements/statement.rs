//! Statements about the fields of a site's URLs, and the rules that say them.

use std::fmt::Write;

use undust::rules::Action;

use super::census::{Census, Slot};
use super::tokens::{Part, Shape};
use crate::intern::Interner;

/// The paths that a statement is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Paths {
    /// Every path.
    Site,
    /// Paths that begin with this component.
    Below(u32),
    /// Paths that begin with these two.
    BelowTwo(u32, u32),
    /// Paths of this script, a number of the [`Census`].
    Script(u32),
}

/// A condition on the parameters of a URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Condition {
    /// There is such a parameter.
    Has(u32),
    /// It has this value.
    Is(u32, u32),
    /// The number at this token of its value, which has this shape, is at most (or at least) this.
    Range { name: u32, shape: u32, token: usize, at_most: bool, limit: u64 },
}

/// The URLs that a statement is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Scope {
    pub paths: Paths,
    pub condition: Option<Condition>,
}

impl Scope {
    pub(super) const SITE: Scope = Scope { paths: Paths::Site, condition: None };

    /// How much there is to say, as a factor of the cost: wide scopes are cheap.
    pub(super) fn width(&self) -> f64 {
        let paths = match self.paths {
            Paths::Site => 1.0,
            Paths::Below(_) | Paths::BelowTwo(..) => 1.3,
            Paths::Script(_) => 1.4,
        };
        let condition = match self.condition {
            None => 0.0,
            Some(Condition::Has(_)) => 0.3,
            Some(Condition::Is(..)) => 0.4,
            Some(Condition::Range { .. }) => 0.6,
        };
        paths + condition
    }
}

/// What does not matter in a scope.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Effect {
    /// A parameter does not matter.
    Drop(u32),
    /// A value is the default.
    Default(u32, u32),
    /// These parameters, some with their value, do not matter where all of them are there.
    Together(Vec<(u32, Option<u32>)>),
    /// Only this parameter matters, or none.
    Only(Option<u32>),
    /// Of a value of this shape only these tokens matter.
    Cut { name: u32, shape: u32, keep: Vec<usize> },
    /// Of a value only what is before (or behind) a character matters.
    Split { name: u32, at: u8, before: bool },
    /// All of this is one page, with this address behind the host.
    One(String),
    /// A path component does not matter; the number of components.
    Component(usize),
    /// The whole path does not matter.
    Path,
    /// Said in templates: match, rewrite.
    Templates(String, String),
    /// A substitution.
    Substitute(String, String),
}

/// A statement.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Statement {
    pub scope: Scope,
    pub effect: Effect,
    /// Where it does not hold.
    pub except: Vec<Condition>,
}

/// Cost of an exception, in statements.
const EXCEPTION_COST: f64 = 0.7;

impl Statement {
    pub(super) fn new(scope: Scope, effect: Effect) -> Statement {
        Statement { scope, effect, except: Vec::new() }
    }

    /// How much there is to read.
    pub(super) fn cost(&self) -> f64 {
        let effect = match &self.effect {
            Effect::Drop(_) => 1.0,
            Effect::Default(..) => 1.2,
            Effect::Together(_) | Effect::Only(_) | Effect::Path => 1.3,
            Effect::One(_) => 1.5,
            Effect::Cut { .. } | Effect::Split { .. } | Effect::Component(_) => 1.6,
            Effect::Templates(..) => 1.8,
            Effect::Substitute(..) => 0.7,
        };
        effect * self.scope.width() + EXCEPTION_COST * self.except.len() as f64
    }

    /// The rule that says it, if the notation can.
    pub(super) fn action(&self, census: &Census, texts: &Interner) -> Option<Action> {
        let writer = Writer { census, texts };
        match &self.effect {
            Effect::Templates(from, to) => {
                Action::rewrite(&writer.with_exceptions(from, &self.except)?, to).ok()
            }
            Effect::Substitute(from, to) => Action::substitute(from, to).ok(),
            _ => writer.rewrite(self),
        }
    }
}

/// Writes templates.
pub(super) struct Writer<'c> {
    pub census: &'c Census,
    pub texts: &'c Interner,
}

impl Writer<'_> {
    fn rewrite(&self, statement: &Statement) -> Option<Action> {
        let Statement { scope, effect, except } = statement;
        let mut conditions: Vec<String> =
            scope.condition.iter().map(|c| format!("{{if {}}}", self.condition(c))).collect();
        conditions.extend(except.iter().map(|c| format!("{{unless {}}}", self.condition(c))));
        let (mut from, mut to) = self.paths(scope.paths);
        let text = |id: u32| escape(self.texts.get(id));
        let named = |(name, value): &(u32, Option<u32>)| match value {
            Some(value) => format!("{}={}", text(*name), text(*value)),
            None => text(*name),
        };
        let query = match effect {
            Effect::Drop(name) => format!("?{{without({})}}", text(*name)),
            Effect::Default(name, value) => format!("?{{without({}={})}}", text(*name), text(*value)),
            Effect::Together(params) => {
                let list: Vec<String> = params.iter().map(named).collect();
                conditions.extend(list.iter().map(|param| format!("{{if {param}}}")));
                format!("?{{without({})}}", list.join("|"))
            }
            Effect::Only(Some(name)) => format!("?{{only({})}}", text(*name)),
            Effect::Only(None) => String::new(),
            Effect::Cut { name, shape, keep } => {
                let (from, to) = cut_patterns(&self.census.shapes[*shape as usize], keep);
                conditions.push(format!("{{if {}={from}}}", text(*name)));
                format!("?{{with({}={to})}}", text(*name))
            }
            Effect::Split { name, at, before } => {
                let sign = escape(&[*at]);
                let pattern = if *before { format!("{{a}}{sign}{{?}}") } else { format!("{{?}}{sign}{{a}}") };
                conditions.push(format!("{{if {}={pattern}}}", text(*name)));
                format!("?{{with({}={{a}})}}", text(*name))
            }
            Effect::One(target) => {
                to.clear();
                target.clone()
            }
            Effect::Component(at) => {
                (from, to) = self.starred(scope.paths, *at)?;
                "?{...}".to_owned()
            }
            Effect::Path => {
                "/*".clone_into(&mut to);
                "?{...}".to_owned()
            }
            Effect::Templates(..) | Effect::Substitute(..) => return None,
        };
        conditions.push("{...}".to_owned());
        from.push('?');
        from.push_str(&conditions.join("&"));
        let any_host = &self.census.any_host;
        Action::rewrite(&format!("{any_host}{from}"), &format!("{any_host}{to}{query}")).ok()
    }

    /// A match with exceptions before its remainder.
    fn with_exceptions(&self, from: &str, except: &[Condition]) -> Option<String> {
        if except.is_empty() {
            return Some(from.to_owned());
        }
        let unless: Vec<String> =
            except.iter().map(|c| format!("{{unless {}}}&", self.condition(c))).collect();
        let unless = unless.concat();
        Some(format!("{}{unless}{{...}}", from.strip_suffix("{...}")?))
    }

    /// The paths of a scope, in a match and in a rewrite.
    pub(super) fn paths(&self, paths: Paths) -> (String, String) {
        let text = |id: u32| escape(self.texts.get(id));
        match paths {
            Paths::Site => ("/{...}".to_owned(), "/{...}".to_owned()),
            Paths::Below(a) => (format!("/{}/{{...}}", text(a)), format!("/{}/{{...}}", text(a))),
            Paths::BelowTwo(a, b) => {
                let path = format!("/{}/{}/{{...}}", text(a), text(b));
                (path.clone(), path)
            }
            Paths::Script(script) => self.script(script, None),
        }
    }

    fn starred(&self, paths: Paths, at: usize) -> Option<(String, String)> {
        match paths {
            Paths::Script(script) => Some(self.script(script, Some(at))),
            Paths::Below(a) if at == 1 => {
                let before = escape(self.texts.get(a));
                Some((format!("/{before}/{{p}}/{{...}}"), format!("/{before}/*/{{...}}")))
            }
            _ => None,
        }
    }

    fn script(&self, script: u32, star: Option<usize>) -> (String, String) {
        let (mut from, mut to) = (String::new(), String::new());
        for (at, slot) in self.census.scripts[script as usize].iter().enumerate() {
            from.push('/');
            to.push('/');
            match slot {
                Slot::Fixed(text) if star != Some(at) => {
                    from.push_str(&escape(self.texts.get(*text)));
                    to.push_str(&escape(self.texts.get(*text)));
                }
                _ => {
                    let class = if *slot == Slot::Number { ":digits" } else { "" };
                    let _ = write!(from, "{{p{at}{class}}}");
                    if star == Some(at) {
                        to.push('*');
                    } else {
                        let _ = write!(to, "{{p{at}}}");
                    }
                }
            }
        }
        (from, to)
    }

    /// A condition without its braces.
    fn condition(&self, condition: &Condition) -> String {
        let text = |id: u32| escape(self.texts.get(id));
        match condition {
            Condition::Has(name) => text(*name),
            Condition::Is(name, value) => format!("{}={}", text(*name), text(*value)),
            Condition::Range { name, shape, token, at_most, limit } => {
                let class = if *at_most { format!("..{limit}") } else { format!("{limit}..") };
                let part = |(at, part): (usize, &Part)| match part {
                    Part::Number if at == *token => format!("{{:{class}}}"),
                    Part::Number => "{:digits}".to_owned(),
                    Part::Word => "{?}".to_owned(),
                    Part::Fixed(bytes) => escape(bytes),
                };
                let value: String =
                    self.census.shapes[*shape as usize].iter().enumerate().map(part).collect();
                format!("{}={value}", text(*name))
            }
        }
    }
}

/// The pattern of a shape, and what is left of it.
pub(super) fn cut_patterns(shape: &Shape, keep: &[usize]) -> (String, String) {
    let (mut from, mut to) = (String::new(), String::new());
    for (at, part) in shape.iter().enumerate() {
        let is_kept = keep.contains(&at);
        let name = if is_kept { format!("t{at}") } else { String::new() };
        match part {
            Part::Number => {
                let _ = write!(from, "{{{name}:digits}}");
            }
            Part::Word if is_kept => {
                let _ = write!(from, "{{{name}}}");
            }
            Part::Word => from.push('*'),
            Part::Fixed(bytes) => from.push_str(&escape(bytes)),
        }
        match part {
            Part::Fixed(bytes) if is_kept => to.push_str(&escape(bytes)),
            _ if is_kept => {
                let _ = write!(to, "{{{name}}}");
            }
            _ => {}
        }
    }
    (from, to)
}

/// Text as a template writes it.
pub(super) fn escape(text: &[u8]) -> String {
    let mut out = String::new();
    for &byte in text {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => out.push(byte as char),
            b'.' | b'_' | b'~' | b'-' | b'%' | b':' | b'@' | b'$' | b',' | b'+' | b'/' => {
                out.push(byte as char);
            }
            b'!'..=b'~' if byte != b'\'' => {
                let _ = write!(out, "{{'{}'}}", byte as char);
            }
            _ => {
                let _ = write!(out, "{{0x{byte:02X}}}");
            }
        }
    }
    out
}
