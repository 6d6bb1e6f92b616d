//! Translations of templates as rules of the common language: they can be reviewed, judged like any other rule, and run on the engine.
//!
//! An argument becomes a hole. A hole also matches words, and with them URLs of other templates: `/questions/{arg1}/{arg2}` is `/questions/tagged/google`, too. Where that is known to
//! be wrong, the hole says which words it is not (`{arg1:!tagged}`); where nothing speaks against it, the rule is as wide as it can be.

use std::collections::{BTreeMap, BTreeSet};

use crate::learn::Candidate;
use crate::learn::template_helpers::{forget_unused, host};
use crate::site::ALL_FOLDS;
use undust::rules::template::{Class, Convert, Item, Piece, QueryItem, QueryKind, Text, literal};
use undust::rules::{Action, Rewrite, template};

use super::Id;
use super::corpus::Corpus;
use super::targets::MAX_WRONG_SHARE;
use super::vocabulary::{ARGUMENTS, Meaning, Template, Vocabulary};

/// The rules that say what each template of a corpus becomes, as far as the language has words for it.
pub fn distill(corpus: &Corpus, becomes: &[Template]) -> Vec<Candidate> {
    let shapes = Shapes::new(corpus);
    let changed = (0_u32..).zip(&corpus.templates).zip(becomes).filter(|((_, from), to)| from != to);
    let rule = |((number, from), to): ((u32, &Template), &Template)| {
        let excluded = shapes.excluded_words(corpus, from, to, becomes);
        let action = rule(&corpus.vocabulary, from, to, &excluded)?;
        let support = corpus.try_out(number, to, ALL_FOLDS, ALL_FOLDS).right;
        Some(Candidate { action, support })
    };
    changed.filter_map(rule).collect()
}

/// Words that the holes of arguments must not hold, by the argument's number.
type Excluded = BTreeMap<Id, BTreeSet<Id>>;

/// The rule that URLs of the template `from` become `to`.
fn rule(vocabulary: &Vocabulary, from: &[Id], to: &[Id], excluded: &Excluded) -> Option<Action> {
    // A host that is an argument is kept as it is, whatever it is.
    if ARGUMENTS.contains(&from[1]) && from[1] != to[1] {
        return None;
    }
    let word = |number: &Id| match vocabulary.meaning(*number) {
        Meaning::Word(word) => Some(word.text.clone().into_bytes()),
        _ => None,
    };
    let class = |number: Id| match excluded.get(&number) {
        Some(words) => Class::NoneOf(words.iter().filter_map(word).collect()),
        None => Class::Any,
    };
    let hole = |number: Id, class| Piece::Hole {
        name: format!("arg{number}"),
        class,
        optional: false,
        convert: Convert::Copy,
    };
    let mut matches = say(vocabulary, from, &|number| hole(number, class(number)))?;
    let becomes = say(vocabulary, to, &|number| hole(number, Class::Any))?;
    forget_unused(&mut matches, &becomes);
    Some(Action::Rewrite(Rewrite::new(matches, becomes).ok()?))
}

/// A template of a site in the common language.
fn say(vocabulary: &Vocabulary, tokens: &[Id], hole: &dyn Fn(Id) -> Piece) -> Option<template::Template> {
    let Meaning::Word(scheme) = vocabulary.meaning(tokens[0]) else { return None };
    let (host, port) = match vocabulary.meaning(tokens[1]) {
        Meaning::Word(word) => split_port(word.text.as_bytes())?,
        _ => (vec![Item::Rest(Convert::Copy)], None),
    };
    let behind = &tokens[2..];
    let is_question = |number: &Id| vocabulary.meaning(*number) == Meaning::Delimiter(b'?');
    let question = behind.iter().position(is_question);
    let (path, query) = behind.split_at(question.unwrap_or(behind.len()));
    Some(template::Template {
        scheme: literal(scheme.text.strip_suffix(':')?.as_bytes()),
        host,
        port,
        path: say_path(vocabulary, path, hole)?,
        query: match query {
            [] => None,
            [_, entries @ ..] => Some(say_query(vocabulary, entries, hole)?),
        },
        ..template::Template::default()
    })
}

fn split_port(authority: &[u8]) -> Option<(Vec<Item>, Option<Text>)> {
    if authority.contains(&b'@') {
        return None;
    }
    let colon = authority.iter().rposition(|b| *b == b':').filter(|_| !authority.ends_with(b"]"));
    Some(match colon {
        Some(colon) => (host(&authority[..colon]), Some(literal(&authority[colon + 1..]))),
        None => (host(authority), None),
    })
}

fn say_path(vocabulary: &Vocabulary, tokens: &[Id], hole: &dyn Fn(Id) -> Piece) -> Option<Vec<Item>> {
    let mut components: Vec<Text> = Vec::new();
    let mut after_text = true;
    for &number in tokens {
        let meaning = vocabulary.meaning(number);
        if meaning == Meaning::Delimiter(b'#') {
            return None;
        }
        let is_slash = meaning == Meaning::Delimiter(b'/');
        let is_text = !matches!(meaning, Meaning::Delimiter(_));
        if is_slash || (is_text && after_text) {
            components.push(Text::new());
        }
        if !is_slash {
            add(components.last_mut()?, meaning, number, hole);
        }
        after_text = is_text;
    }
    Some(components.into_iter().map(Item::One).collect())
}

fn say_query(vocabulary: &Vocabulary, tokens: &[Id], hole: &dyn Fn(Id) -> Piece) -> Option<Vec<QueryItem>> {
    let mut entries: Vec<QueryItem> = Vec::new();
    let (mut separator, mut rest) = (b'&', tokens);
    let is_end = |number: &Id| matches!(vocabulary.meaning(*number), Meaning::Delimiter(b'&' | b';'));
    while !tokens.is_empty() {
        let end = rest.iter().position(is_end).unwrap_or(rest.len());
        let (name, value) = say_entry(vocabulary, &rest[..end], hole)?;
        let is_same = |entry: &QueryItem| matches!(&entry.kind, QueryKind::Param(other, _) if *other == name);
        if entries.iter().any(is_same) {
            return None;
        }
        entries.push(QueryItem { separator, kind: QueryKind::Param(name, value) });
        let Some(Meaning::Delimiter(next)) = rest.get(end).map(|number| vocabulary.meaning(*number)) else {
            break;
        };
        separator = next;
        rest = &rest[end + 1..];
    }
    Some(entries)
}

/// `name=value`; a name must be a word, else the language cannot tell which parameter it is.
fn say_entry(
    vocabulary: &Vocabulary,
    tokens: &[Id],
    hole: &dyn Fn(Id) -> Piece,
) -> Option<(Vec<u8>, Option<Text>)> {
    let is_equals = |number: &Id| vocabulary.meaning(*number) == Meaning::Delimiter(b'=');
    let equals = tokens.iter().position(is_equals);
    let mut name = Text::new();
    for &number in &tokens[..equals.unwrap_or(tokens.len())] {
        add(&mut name, vocabulary.meaning(number), number, hole);
    }
    let [Piece::Literal(name)] = name.as_slice() else { return None };
    let value = equals.map(|equals| {
        let mut value = Text::new();
        for &number in &tokens[equals + 1..] {
            let meaning = vocabulary.meaning(number);
            add(&mut value, meaning, number, hole);
        }
        value
    });
    Some((name.clone(), value))
}

/// Append a token to a text; literals side by side are one.
fn add(text: &mut Text, meaning: Meaning, number: Id, hole: &dyn Fn(Id) -> Piece) {
    let bytes: &[u8] = match meaning {
        Meaning::Argument(_) => return text.push(hole(number)),
        Meaning::Delimiter(byte) => &[byte],
        Meaning::Word(word) => word.text.as_bytes(),
    };
    match text.last_mut() {
        Some(Piece::Literal(literal)) => literal.extend_from_slice(bytes),
        _ => text.push(Piece::Literal(bytes.to_vec())),
    }
}

/// Templates as rules see them: parameters in the order of their names.
struct Shapes {
    /// The templates of a skeleton, each with where its tokens stand in the skeleton's order.
    by_skeleton: BTreeMap<Vec<Id>, Vec<Shape>>,
}

struct Shape {
    template: u32,
    /// Path and values, in an order that does not depend on that of the parameters.
    slots: Vec<Id>,
}

impl Shapes {
    fn new(corpus: &Corpus) -> Shapes {
        let mut by_skeleton: BTreeMap<Vec<Id>, Vec<Shape>> = BTreeMap::new();
        for (template, tokens) in (0..).zip(&corpus.templates) {
            let (skeleton, slots) = take_apart(&corpus.vocabulary, tokens);
            by_skeleton.entry(skeleton).or_default().push(Shape { template, slots });
        }
        Shapes { by_skeleton }
    }

    /// The words that the holes of a rule must not hold: those that lead to other templates, for which the rule is wrong.
    fn excluded_words(&self, corpus: &Corpus, from: &[Id], to: &[Id], becomes: &[Template]) -> Excluded {
        let (skeleton, slots) = take_apart(&corpus.vocabulary, from);
        let mut excluded = Excluded::new();
        for other in self.by_skeleton.get(&skeleton).into_iter().flatten() {
            let Some(held) = held(&slots, &other.slots) else { continue };
            let output: Template = to.iter().map(|number| *held.get(number).unwrap_or(number)).collect();
            if output == becomes[other.template as usize]
                || corpus.try_out(other.template, &output, ALL_FOLDS, ALL_FOLDS).error() <= MAX_WRONG_SHARE
            {
                continue;
            }
            let word = held.into_iter().find(|(_, word)| !ARGUMENTS.contains(word));
            if let Some((argument, word)) = word {
                excluded.entry(argument).or_default().insert(word);
            }
        }
        excluded
    }
}

/// What stands for the arguments of `slots` in `other`, if that is the same but for them.
fn held(slots: &[Id], other: &[Id]) -> Option<BTreeMap<Id, Id>> {
    let mut held = BTreeMap::new();
    for (slot, other) in slots.iter().zip(other) {
        if ARGUMENTS.contains(slot) {
            held.insert(*slot, *other);
        } else if slot != other {
            return None;
        }
    }
    Some(held)
}

/// What all templates that a rule could match have in common, and the texts in which they may differ.
fn take_apart(vocabulary: &Vocabulary, tokens: &[Id]) -> (Vec<Id>, Vec<Id>) {
    let is = |byte: u8| move |number: &Id| vocabulary.meaning(*number) == Meaning::Delimiter(byte);
    let question = tokens.iter().position(is(b'?')).unwrap_or(tokens.len());
    let (path, query) = tokens.split_at(question);
    let is_end = |number: &Id| matches!(vocabulary.meaning(*number), Meaning::Delimiter(b'&' | b';' | b'?'));
    let mut entries: Vec<&[Id]> = query.split(is_end).collect();
    entries.sort_by_key(|entry| &entry[..entry.iter().position(is(b'=')).unwrap_or(entry.len())]);
    let mut skeleton = Vec::new();
    let mut slots = Vec::new();
    for (at, entry) in std::iter::once(path).chain(entries).enumerate() {
        let fixed = if at == 0 { 0 } else { entry.iter().position(is(b'=')).unwrap_or(entry.len()) };
        skeleton.extend_from_slice(&entry[..fixed]);
        for &number in &entry[fixed..] {
            let is_delimiter = matches!(vocabulary.meaning(number), Meaning::Delimiter(_));
            // Texts are only counted here.
            skeleton.push(if is_delimiter { number } else { ARGUMENTS.start });
            if !is_delimiter {
                slots.push(number);
            }
        }
        skeleton.push(super::END);
    }
    (skeleton, slots)
}
