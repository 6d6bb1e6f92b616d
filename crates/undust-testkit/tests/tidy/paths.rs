//! The paths that a source file names, written out: `use a::{b, c as d}` names `a::b` and `a::c`, and `d::e` behind it `a::c::e`.

use std::collections::BTreeMap;

use crate::tokens::{Token, tokens};

/// The names of a path, from the crate on: `["crate", "rules", "Rule"]`, `["std", "fs"]`. The last one may be `*`.
pub(crate) type Path = Vec<String>;

/// Names and what they stand for.
pub(crate) type Aliases = BTreeMap<String, Path>;

/// Every path that the source of `module` names.
pub(crate) fn paths(text: &str, module: &[String]) -> Vec<Path> {
    let tokens = tokens(text);
    let found = Reader { tokens: &tokens, at: 0, module: module.to_vec(), braces: Vec::new() }.read();
    let mut aliases = Aliases::new();
    // A second time: a `use` may stand before the one that it builds on.
    for _ in 0..2 {
        for Found { path, alias, .. } in &found {
            if let Some(name) = alias {
                aliases.insert(name.clone(), written_out(path, &aliases));
            }
        }
    }
    found.iter().map(|found| written_out(&found.path, &aliases)).filter(|path| path.len() > 1).collect()
}

/// What `pub use` makes known under the root of a crate, by its name there.
pub(crate) fn reexports(lib: &str) -> Aliases {
    let tokens = tokens(lib);
    let found =
        Reader { tokens: &tokens, at: 0, module: vec!["crate".to_owned()], braces: Vec::new() }.read();
    let public = found.into_iter().filter(|found| found.is_public);
    public.filter_map(|found| Some((found.alias?, found.path))).collect()
}

/// The path with its first name replaced by what that stands for.
pub(crate) fn written_out(path: &[String], aliases: &Aliases) -> Path {
    match path.first().and_then(|first| aliases.get(first)) {
        Some(meant) if *meant != path[..1] => meant.iter().chain(&path[1..]).cloned().collect(),
        _ => path.to_vec(),
    }
}

struct Found {
    path: Path,
    /// The name that a `use` gives to it.
    alias: Option<String>,
    is_public: bool,
}

struct Reader<'t> {
    tokens: &'t [Token],
    at: usize,
    /// The module that is read, from `crate` on.
    module: Vec<String>,
    /// For each open brace, whether it is that of a module.
    braces: Vec<bool>,
}

impl Reader<'_> {
    fn read(mut self) -> Vec<Found> {
        let mut found = Vec::new();
        while let Some(token) = self.tokens.get(self.at) {
            match token {
                Token::Word(word) if word == "mod" && self.opens_module() => {
                    let name = self.tokens[self.at + 1].word().unwrap_or_default().to_owned();
                    self.module.push(name);
                    self.braces.push(true);
                    self.at += 3;
                }
                Token::Word(word) if word == "use" && !self.next_is('<') => {
                    let is_public = self.at > 0 && self.tokens[self.at - 1].word() == Some("pub");
                    self.at += 1;
                    self.tree(&[], is_public, &mut found);
                }
                Token::Word(_) => {
                    let path = self.segments();
                    found.push(Found { path: self.absolute(path), alias: None, is_public: false });
                }
                Token::Sign('{') => self.step(|reader| reader.braces.push(false)),
                Token::Sign('}') => self.step(|reader| {
                    if reader.braces.pop() == Some(true) {
                        reader.module.pop();
                    }
                }),
                _ => self.at += 1,
            }
        }
        found
    }

    fn step(&mut self, change: impl FnOnce(&mut Self)) {
        change(self);
        self.at += 1;
    }

    fn next_is(&self, sign: char) -> bool {
        self.tokens.get(self.at + 1).is_some_and(|token| token.is(sign))
    }

    fn opens_module(&self) -> bool {
        self.tokens.get(self.at + 1).is_some_and(|token| token.word().is_some())
            && self.tokens.get(self.at + 2).is_some_and(|token| token.is('{'))
    }

    /// `a::b::c`, up to what is no name.
    fn segments(&mut self) -> Path {
        let mut path = Vec::new();
        while let Some(word) = self.tokens.get(self.at).and_then(Token::word) {
            path.push(word.to_owned());
            self.at += 1;
            let goes_on = self.tokens.get(self.at) == Some(&Token::Colons)
                && self.tokens.get(self.at + 1).is_some_and(|token| token.word().is_some());
            if !goes_on {
                break;
            }
            self.at += 1;
        }
        path
    }

    /// What follows `use`, or stands in its braces.
    fn tree(&mut self, before: &[String], is_public: bool, found: &mut Vec<Found>) {
        if self.tokens.get(self.at) == Some(&Token::Colons) {
            self.at += 1;
        }
        let path = [before, &self.segments()].concat();
        if self.tokens.get(self.at) == Some(&Token::Colons) {
            self.at += 1;
        }
        match self.tokens.get(self.at) {
            Some(Token::Sign('{')) => {
                self.at += 1;
                while self.tokens.get(self.at).is_some_and(|token| !token.is('}')) {
                    self.tree(&path, is_public, found);
                    if self.tokens.get(self.at).is_some_and(|token| token.is(',')) {
                        self.at += 1;
                    }
                }
                self.at += 1;
            }
            Some(Token::Sign('*')) => {
                self.at += 1;
                let path = [path, vec!["*".to_owned()]].concat();
                found.push(Found { path: self.absolute(path), alias: None, is_public });
            }
            _ => found.extend(self.leaf(path, is_public)),
        }
    }

    /// The end of a `use`: `c`, `c as d`, or `self`. What is none of them is passed by.
    fn leaf(&mut self, mut path: Path, is_public: bool) -> Option<Found> {
        let as_it_is = path.pop_if(|last| last == "self");
        if path.is_empty() {
            path.extend(as_it_is);
        }
        // `segments` stops behind a name, so that `as` is a name of its own here.
        let alias = if self.tokens.get(self.at).and_then(Token::word) == Some("as") {
            self.at += 2;
            self.tokens.get(self.at - 1).and_then(Token::word).map(str::to_owned)
        } else {
            path.last().cloned()
        };
        if path.is_empty() {
            self.at += 1;
            return None;
        }
        Some(Found { path: self.absolute(path), alias, is_public })
    }

    /// The path with `self` and `super` replaced by the module.
    fn absolute(&self, path: Path) -> Path {
        let mut module = self.module.clone();
        let mut rest = path.as_slice();
        if !matches!(rest.first().map(String::as_str), Some("self" | "super")) {
            return path;
        }
        while let Some(first) = rest.first() {
            match first.as_str() {
                "self" => {}
                "super" => drop(module.pop()),
                _ => break,
            }
            rest = &rest[1..];
        }
        module.iter().chain(rest).cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(text: &str) -> Vec<String> {
        let module = ["crate", "rules", "file"].map(str::to_owned);
        let mut named: Vec<String> = paths(text, &module).iter().map(|path| path.join("::")).collect();
        named.sort();
        named.dedup();
        named
    }

    #[test]
    fn trees_are_written_out() {
        assert_eq!(
            named("use undust::{apply, rules::{Rule, set}};"),
            ["undust::apply", "undust::rules::Rule", "undust::rules::set"]
        );
        assert_eq!(
            named("pub(crate) use ::std::{self as s, io::{self, Read as _}, fs::*,};"),
            ["std::fs::*", "std::io", "std::io::Read"]
        );
        assert_eq!(
            named("use super::super::apply; use self::x::y; use super::*;"),
            ["crate::apply", "crate::rules::*", "crate::rules::file::x::y"]
        );
    }

    #[test]
    fn other_names_are_those_of_what_they_stand_for() {
        assert_eq!(named("use undust as u; fn f(_: u::apply::Form) {}"), ["undust::apply::Form"]);
        assert_eq!(
            named("use fs::File; use std::fs; fn f() { File::open(1); }"),
            ["std::fs", "std::fs::File", "std::fs::File::open"]
        );
        assert_eq!(named("use crate::{self as root}; type A = root::apply::Form;"), ["crate::apply::Form"]);
    }

    #[test]
    fn paths_in_code_and_in_modules() {
        assert_eq!(
            named("fn f() -> impl Sized + use<> { vec![crate::apply::Form::<u8>::new()] }"),
            ["crate::apply::Form"]
        );
        assert_eq!(
            named("mod a { mod b { use super::c; } fn f() {} } use super::d;"),
            ["crate::rules::d", "crate::rules::file::a::c"]
        );
        assert_eq!(named("// crate::apply\nconst A: &str = \"crate::apply\";"), <[&str; 0]>::default());
    }

    #[test]
    fn what_a_crate_gives_from_its_root() {
        let known = reexports("mod apply; pub use apply::{Form, Naive as Slow}; use rules::Rule;");
        let known: Vec<String> =
            known.iter().map(|(name, path)| format!("{name} {}", path.join("::"))).collect();
        assert_eq!(known, ["Form apply::Form", "Slow apply::Naive"]);
    }
}
