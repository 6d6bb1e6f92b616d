//! Text with holes, as a regular expression. Our holes do not backtrack and expressions do: what they would find beyond that is
//! written away, or the rule is refused.

use std::collections::BTreeMap;

use undust::rules::template::{Class, Piece, Text};

use super::Pattern;
use crate::param_rule::as_text;

impl<'t> Pattern<'t> {
    /// Add `text`, in which `ends` (the delimiters of the place it stands in) cannot occur.
    pub(super) fn add_text(&mut self, text: &'t Text, ends: &str) -> Result<(), String> {
        for (i, piece) in text.iter().enumerate() {
            match piece {
                Piece::Literal(bytes) => self.text.push_str(&escape(&as_text(bytes)?)),
                Piece::Star => {
                    let inside = hole(&Class::Any, false, &text[i + 1..], ends)?;
                    self.text.push_str(&inside);
                }
                Piece::Hole { name, class, optional, .. } => {
                    let inside = hole(class, *optional, &text[i + 1..], ends)?;
                    if self.used.contains(name.as_str()) && !name.is_empty() {
                        let number = self.group(&inside);
                        self.holes.insert(name, number);
                    } else {
                        self.text.push_str(&inside);
                    }
                }
            }
        }
        Ok(())
    }
}

/// What a hole takes, before `behind`.
fn hole(class: &Class, optional: bool, behind: &[Piece], ends: &str) -> Result<String, String> {
    let next = behind.first();
    let before_end = behind.is_empty() || matches!(behind, [Piece::Literal(_)]);
    match class {
        Class::Any => open(optional, behind, before_end, ends),
        Class::NoneOf(words) if before_end => Ok(none_of(words, ends, optional)?),
        Class::NoneOf(_) => Err("an expression cannot say which words are excluded before other text".into()),
        Class::OneOf(words) => one_of(words, optional, behind),
        Class::AnyCase(_) | Class::ExactDigits(_) | Class::Range { .. } => {
            Err("an expression cannot say which numbers or words in any case it asks for".into())
        }
        set => {
            let is_clear = match next {
                None => true,
                Some(Piece::Literal(bytes)) => bytes.first().is_some_and(|byte| !set.holds(*byte)),
                Some(Piece::Hole { class: other, optional: false, .. }) => are_apart(set, other),
                Some(_) => false,
            };
            let repeat = if optional { '*' } else { '+' };
            if is_clear { Ok(format!("{}{repeat}", members(set))) } else { Err(AMBIGUOUS.into()) }
        }
    }
}

const AMBIGUOUS: &str = "an expression would try several ends of a hole, and the rule only the first";

/// A hole that takes anything up to the first place where the text behind it stands.
fn open(optional: bool, behind: &[Piece], before_end: bool, ends: &str) -> Result<String, String> {
    let (any, repeat) = (none_in(ends, ""), if optional { '*' } else { '+' });
    // If there is only open text behind it, the first place is never worse than a later one, and that is what a lazy
    // repetition finds.
    let is_open = |piece: &Piece| {
        matches!(piece, Piece::Literal(_) | Piece::Star | Piece::Hole { class: Class::Any, .. })
    };
    match behind.first() {
        _ if before_end => Ok(format!("{any}{repeat}")),
        _ if behind.iter().all(is_open) => Ok(format!("{any}{repeat}?")),
        Some(Piece::Literal(bytes)) if bytes.len() == 1 && bytes.is_ascii() => {
            let inner = none_in(ends, &as_text(bytes)?);
            // The first character may be the one that ends it: a hole that takes nothing is no match.
            Ok(if optional { format!("{inner}*") } else { format!("{any}{inner}*") })
        }
        _ => Err(AMBIGUOUS.into()),
    }
}

fn members(class: &Class) -> &'static str {
    match class {
        Class::Digits => "[0-9]",
        Class::Lower => "[a-z]",
        Class::Upper => "[A-Z]",
        Class::Alpha => "[A-Za-z]",
        Class::Alnum => "[0-9A-Za-z]",
        Class::Hex => "[0-9A-Fa-f]",
        Class::Any
        | Class::OneOf(_)
        | Class::NoneOf(_)
        | Class::AnyCase(_)
        | Class::ExactDigits(_)
        | Class::Range { .. } => ".",
    }
}

/// Whether no byte is in both.
fn are_apart(one: &Class, other: &Class) -> bool {
    let is_set = |class: &Class| !class.is_open() && !matches!(class, Class::OneOf(_) | Class::AnyCase(_));
    is_set(other) && !(0..=u8::MAX).any(|byte| one.holds(byte) && other.holds(byte))
}

fn one_of(words: &[Vec<u8>], optional: bool, behind: &[Piece]) -> Result<String, String> {
    let is_prefix = |a: &Vec<u8>| words.iter().any(|b| a != b && b.starts_with(a));
    if !behind.is_empty() && (optional || words.iter().any(is_prefix)) {
        return Err(AMBIGUOUS.into());
    }
    let texts: Result<Vec<String>, String> = words.iter().map(|word| Ok(escape(&as_text(word)?))).collect();
    Ok(format!("(?:{}){}", texts?.join("|"), if optional { "?" } else { "" }))
}

fn none_of(words: &[Vec<u8>], ends: &str, optional: bool) -> Result<String, String> {
    let texts: Result<Vec<String>, String> = words.iter().map(|word| as_text(word)).collect();
    Ok(other_than(&texts?, ends, optional))
}

/// Any text without `ends` that is none of `words`, without looking ahead: it leaves each word at some character.
pub(super) fn other_than(words: &[String], ends: &str, may_be_empty: bool) -> String {
    if words.is_empty() {
        return format!("{}{}", none_in(ends, ""), if may_be_empty { '*' } else { '+' });
    }
    let rests: Vec<&str> = words.iter().map(String::as_str).collect();
    leaves(&rests, ends, !may_be_empty)
}

/// Any text that is none of `words`, nor empty if that `must_go_on`.
fn leaves(words: &[&str], ends: &str, must_go_on: bool) -> String {
    let must_go_on = must_go_on || words.contains(&"");
    let mut next: BTreeMap<char, Vec<&str>> = BTreeMap::new();
    for word in words {
        if let Some(first) = word.chars().next() {
            next.entry(first).or_default().push(&word[first.len_utf8()..]);
        }
    }
    let any = none_in(ends, "");
    if next.is_empty() {
        return format!("{any}+");
    }
    let firsts: String = next.keys().collect();
    let mut ways = vec![format!("{}{any}*", none_in(ends, &firsts))];
    ways.extend(
        next.iter()
            .map(|(first, rests)| format!("{}{}", escape(&first.to_string()), leaves(rests, ends, false))),
    );
    format!("(?:{}){}", ways.join("|"), if must_go_on { "" } else { "?" })
}

/// The class of all characters but those in `ends` and `more`.
pub(super) fn none_in(ends: &str, more: &str) -> String {
    let mut class = String::from("[^");
    for c in ends.chars().chain(more.chars().filter(|c| !ends.contains(*c))) {
        if matches!(c, '\\' | '[' | ']' | '^' | '-') {
            class.push('\\');
        }
        class.push_str(&in_quotes(c));
    }
    class.push(']');
    class
}

/// Fixed text as an expression that every engine and every configuration file reads in the same way.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '.' | '+' | '*' | '?' | '(' | ')' | '|' | '[' | ']' | '{' | '}' | '^' | '$') {
            out.push('\\');
        }
        out.push_str(&if c == '\\' { "\\x5C".to_owned() } else { in_quotes(c) });
    }
    out
}

/// A character as it may stand between double quotes: what would end them, or could be lost, is written as a number.
fn in_quotes(c: char) -> String {
    if c == '"' || c == ' ' || c.is_ascii_control() { format!("\\x{:02X}", c as u32) } else { c.to_string() }
}

#[cfg(test)]
mod tests {
    use regex::Regex;

    use super::*;

    fn is_other(words: &[&str], text: &str, may_be_empty: bool) -> bool {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        let pattern = format!("^(?:{})$", other_than(&words, "&=", may_be_empty));
        Regex::new(&pattern).expect("an expression").is_match(text)
    }

    /// Every text over a small alphabet, against what the words say.
    #[test]
    fn other_than_words() {
        let mut texts = vec![String::new()];
        for length in 0..4 {
            let longer: Vec<String> = texts.iter().filter(|t| t.len() == length).cloned().collect();
            texts.extend(longer.iter().flat_map(|text| ["a", "b", "-"].map(|c| format!("{text}{c}"))));
        }
        for words in [&["a"][..], &["ab", "aba"], &["a", "ab", "b-"], &["", "b"], &["-"]] {
            for text in &texts {
                let is_word = words.contains(&text.as_str());
                assert_eq!(is_other(words, text, true), !is_word, "{text} {words:?}");
                assert_eq!(is_other(words, text, false), !is_word && !text.is_empty(), "{text} {words:?}");
            }
        }
        assert!(!is_other(&["a"], "b&c", true) && !is_other(&[], "b=", true));
    }

    #[test]
    fn fixed_text_means_itself() {
        let odd = "a.b*c[d]{e}(f)^$|+?\\\"' é<>#&;=%-~/:,@!\t";
        let pattern = format!("^{}$", escape(odd));
        assert!(Regex::new(&pattern).expect("an expression").is_match(odd), "{pattern}");
        assert!(!pattern.contains(['"', ' ', '\t']), "{pattern}");
        let class = Regex::new(&format!("^{}$", none_in("]^-\\[&", "&~"))).expect("an expression");
        assert!(class.is_match("a") && !"]^-\\[&~".chars().any(|c| class.is_match(&c.to_string())));
    }
}
