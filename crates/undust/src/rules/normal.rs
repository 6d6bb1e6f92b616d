//! Fixed text of rules with its percent escapes in normal form. Rules see normalised URLs: `/%7Euser` in a rule file means the
//! `/~user` that they find there.

use super::template::{Class, Filter, Item, Piece, QueryKind, Template, Text};
use super::{Action, Rewrite, Skip, Substitute};
use crate::url::append_normal;

impl Action {
    /// The same rule for normalised URLs. Where nothing would be left to do (`%7E` becomes `~`), it stays as it is.
    pub(super) fn with_normal_escapes(self) -> Action {
        match &self {
            Action::Rewrite(rewrite) => {
                let (from, to) = (template(rewrite.matches()), template(rewrite.becomes()));
                Rewrite::new(from, to).map_or(self, Action::Rewrite)
            }
            Action::Skip(skip) => Skip::new(template(skip.matches())).map_or(self, Action::Skip),
            Action::Substitute(s) => {
                let (from, to) = (bytes(s.from()), bytes(s.to()));
                Substitute::new(from, to, s.is_at_start(), s.is_at_end()).map_or(self, Action::Substitute)
            }
        }
    }
}

/// Path and query in normal form; nothing else of a URL is decoded.
fn template(template: &Template) -> Template {
    let mut normal = template.clone();
    for item in &mut normal.path {
        if let Item::One(component) = item {
            text(component);
        }
    }
    for item in normal.query.iter_mut().flatten() {
        match &mut item.kind {
            QueryKind::Param(name, value) | QueryKind::If(name, value) => {
                *name = bytes(name);
                value.iter_mut().for_each(text);
            }
            QueryKind::AnyName(names, value) => {
                for name in names.iter_mut() {
                    *name = bytes(name);
                }
                names.sort_unstable();
                names.dedup();
                value.iter_mut().for_each(text);
            }
            QueryKind::Unless(name, value) => {
                *name = bytes(name);
                text(value);
            }
            QueryKind::Absent(name) => *name = bytes(name),
            QueryKind::Others { filter, .. } => *filter = normal_filter(filter),
        }
    }
    normal
}

fn normal_filter(filter: &Filter) -> Filter {
    match filter {
        Filter::All => Filter::All,
        Filter::Only(names) => Filter::only(names.iter().map(|name| bytes(name)).collect()),
        Filter::Without(params) => {
            let normal = params.iter().map(|(name, value)| (bytes(name), value.as_deref().map(bytes)));
            Filter::without(normal.collect())
        }
        Filter::With(values) => {
            let normal = values.iter().map(|(name, value)| {
                let mut value = value.clone();
                text(&mut value);
                (bytes(name), value)
            });
            Filter::with(normal.collect())
        }
    }
}

fn text(text: &mut Text) {
    for piece in text {
        match piece {
            Piece::Literal(literal) => *literal = bytes(literal),
            Piece::Hole { class: Class::OneOf(words) | Class::NoneOf(words), .. } => {
                for word in words.iter_mut() {
                    *word = bytes(word);
                }
                words.sort_unstable();
                words.dedup();
            }
            Piece::Hole { class: Class::AnyCase(words), .. } => {
                for word in words.iter_mut() {
                    *word = bytes(word).to_ascii_lowercase();
                }
                words.sort_unstable();
                words.dedup();
            }
            Piece::Hole { .. } | Piece::Star => {}
        }
    }
}

fn bytes(part: &[u8]) -> Vec<u8> {
    let mut normal = Vec::with_capacity(part.len());
    append_normal(part, &mut normal);
    normal
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(action: Action, expected: &str) {
        let normal = action.with_normal_escapes();
        assert_eq!(normal.to_string(), expected);
        assert_eq!(normal.clone().with_normal_escapes(), normal);
    }

    #[test]
    fn fixed_text_is_decoded_where_urls_are() {
        let action = Action::rewrite(
            "http://h%41.com/%7Eme/{x:b%2Dc|a%2fd}?%61={a}&!%62&c=%2D{y}",
            "http://h%41.com/%7eme/{x}?z={a}%20{y}",
        );
        check(
            action.unwrap(),
            "http://h%41.com/~me/{x:a%2Fd|b-c}?a={a}&!b&c=-{y} -> http://h%41.com/~me/{x}?z={a}%20{y}",
        );
        check(Action::skip("http://a.com/%5Fx").unwrap(), "http://a.com/_x -> skip");
        check(Action::substitute("/%7Eme/%c3", "/").unwrap(), "/~me/%C3 -> /");
    }

    #[test]
    fn what_would_do_nothing_stays() {
        check(Action::substitute("%7E", "~").unwrap(), "%7E -> ~");
    }
}
