//! The pattern of the URLs that a rule starts from, and of those that it leads to: vertices of the graph of rules.

use std::cmp::Reverse;

use undust::rules::template::{Class, Item, Piece, QueryItem, QueryKind, Text};
use undust::rules::{Action, Convert, Rewrite, Substitute, Template};

/// A set of URLs, said without what rules remember of them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Pattern {
    /// URLs of this shape.
    Shape(Template),
    /// URLs that hold this text on token borders; at their start, at their end.
    Text(Vec<u8>, bool, bool),
}

/// Where a rule starts and where it leads to.
pub(super) fn patterns(action: &Action) -> (Pattern, Pattern) {
    match action {
        Action::Rewrite(rewrite) => (Pattern::matched(rewrite.matches()), Pattern::printed(rewrite)),
        Action::Substitute(s) => {
            let text = |bytes: &[u8]| Pattern::Text(bytes.to_vec(), s.is_at_start(), s.is_at_end());
            (text(s.from()), text(s.to()))
        }
        // Nothing is changed, so that one stays where one is.
        Action::Skip(skip) => (Pattern::matched(skip.matches()), Pattern::matched(skip.matches())),
    }
}

/// What a hole may hold.
type Held = (Class, bool);

impl Pattern {
    fn matched(template: &Template) -> Pattern {
        Pattern::shape(template, |_, piece| match piece {
            Piece::Hole { class, optional, .. } => (class.clone(), *optional),
            _ => (Class::Any, false),
        })
    }

    /// What is printed holds what was matched; a star stands for anything. Beside other text, a hole may be read again as ending
    /// elsewhere: words that it did not hold may then be found there.
    fn printed(rewrite: &Rewrite) -> Pattern {
        Pattern::shape(rewrite.becomes(), |text, piece| match piece {
            Piece::Hole { name, convert: Convert::Copy, .. } => match held(rewrite.matches(), name) {
                (Class::NoneOf(_), optional) if text.len() > 1 => (Class::Any, optional),
                held => held,
            },
            _ => (Class::Any, false),
        })
    }

    fn shape(template: &Template, held: impl Fn(&Text, &Piece) -> Held) -> Pattern {
        let mut shape = template.clone();
        for text in shape.texts_mut() {
            *text = anonymous(text, &held);
        }
        for item in shape.host.iter_mut().chain(&mut shape.path) {
            if let Item::Rest(convert) = item {
                *convert = Convert::Copy;
            }
        }
        if let Some(items) = &mut shape.query {
            // Parameters match in any order.
            for item in items.iter_mut() {
                item.separator = b'&';
                if let QueryKind::Others { .. } = &item.kind {
                    item.kind = QueryKind::OTHERS;
                }
            }
            items.sort_by(|a, b| place(a).cmp(&place(b)));
        }
        Pattern::Shape(shape)
    }

    /// A rule that changes exactly the URLs of this pattern. There is none for what cannot be asked: the empty text.
    pub(super) fn question(&self) -> Option<Action> {
        match self {
            Pattern::Shape(shape) => {
                let Ok(Action::Rewrite(nowhere)) = Action::rewrite(NOWHERE, NOWHERE) else { return None };
                Rewrite::new(shape.clone(), nowhere.becomes().clone()).ok().map(Action::Rewrite)
            }
            Pattern::Text(text, at_start, at_end) => {
                let other = [text, b"--".as_slice()].concat();
                Substitute::new(text.clone(), other, *at_start, *at_end).ok().map(Action::Substitute)
            }
        }
    }

    /// The greater, the more general it is: what is left open, then how little is said.
    pub(super) fn openness(&self) -> (usize, Reverse<usize>, usize) {
        match self {
            Pattern::Shape(shape) => {
                let is_rest = |item: &&Item| matches!(item, Item::Rest(_));
                let is_others = |item: &&QueryItem| matches!(item.kind, QueryKind::Others { .. });
                let query = || shape.query.iter().flatten();
                let open = shape.host.iter().chain(&shape.path).filter(is_rest).count();
                let said = shape.host.len() + shape.path.len() + query().count();
                let stars = shape.texts().flatten().filter(|piece| !matches!(piece, Piece::Literal(_)));
                (open + query().filter(is_others).count(), Reverse(said), stars.count())
            }
            Pattern::Text(text, at_start, at_end) => {
                (0, Reverse(text.len() + usize::from(*at_start) + usize::from(*at_end)), 0)
            }
        }
    }
}

/// No URL of a crawl.
const NOWHERE: &str = "http://nowhere.invalid/";

fn held(matches: &Template, hole: &str) -> Held {
    let of_name = |piece: &Piece| match piece {
        Piece::Hole { name, class, optional, .. } if name == hole => Some((class.clone(), *optional)),
        _ => None,
    };
    matches.texts().flatten().find_map(of_name).unwrap_or((Class::Any, false))
}

/// The text with nameless holes. Of neighbouring ones that would end nowhere, the first stands for all.
fn anonymous(text: &Text, held: impl Fn(&Text, &Piece) -> Held) -> Text {
    let mut out: Text = Vec::new();
    for piece in text {
        let is_after_open = out.last().is_some_and(is_open);
        match piece {
            Piece::Literal(_) => out.push(piece.clone()),
            _ if is_after_open => {}
            piece => out.push(match held(text, piece) {
                (Class::Any, false) => Piece::Star,
                (class, optional) => {
                    Piece::Hole { name: String::new(), class, optional, convert: Convert::Copy }
                }
            }),
        }
    }
    out
}

fn is_open(piece: &Piece) -> bool {
    match piece {
        Piece::Literal(_) => false,
        Piece::Star => true,
        Piece::Hole { class, .. } => class.is_open(),
    }
}

/// Where an entry of a query stands in a pattern.
fn place(item: &QueryItem) -> (u8, &[u8]) {
    match &item.kind {
        QueryKind::Param(name, _) => (0, name),
        QueryKind::Absent(name) => (1, name),
        QueryKind::If(name, _) => (2, name),
        QueryKind::Unless(name, _) => (3, name),
        QueryKind::AnyName(names, _) => (4, names.first().map_or(b"", Vec::as_slice)),
        QueryKind::Others { .. } => (5, b""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(from: &str, to: &str) -> (Pattern, Pattern) {
        patterns(&Action::rewrite(from, to).expect("well formed"))
    }

    #[test]
    fn where_one_rule_ends_another_starts() {
        let (_, end) = of("http://a/{x}?s=*", "http://a/t?a={x}&b=*");
        let (start, _) = of("http://a/t?b={u}&a={v}", "http://a/");
        assert_eq!(end, start);
        let (_, digits) = of("http://a/{x:digits}", "http://a/t?a={x}&b=*");
        assert_ne!(digits, start, "a class goes with the hole");
        assert_eq!(digits, of("http://a/t?b=*&a={v:digits}", "http://a/").0);
        let (_, other) = of("http://a/{x:!u|v}", "http://a/t/{x}/a-{x}");
        assert_eq!(other, of("http://a/t/{:!u|v}/a-*", "http://a/").0);
    }

    #[test]
    fn what_is_printed_can_be_asked_for() {
        for first in ["{x}", "{x:!u|v}"] {
            let (_, end) = of(&format!("http://a/{first}/{{y:digits}}"), "http://a/{x}{y}{x}");
            assert_eq!(end, of("http://a/*", "http://a/").0);
            assert!(end.question().is_some());
        }
        let (from, to) = patterns(&Action::substitute("/index.html$", "$").expect("well formed"));
        assert!(from.question().is_some() && to.question().is_none());
    }

    #[test]
    fn the_more_general_pattern() {
        let open = |from| of(from, "http://a/").0.openness();
        assert!(open("http://a/x?s=*&{...}") > open("http://a/x?a=*&s=*"));
        assert!(open("http://a/x?{...}") > open("http://a/x?s=*&{...}"));
        assert!(open("http://a/*") > open("http://a/x"));
    }
}
