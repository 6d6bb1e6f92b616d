//! Rule files with mistakes in them: fields that are missing, misspelt or of another type, templates of random pieces. Such a file is
//! refused with a message, or it is as good as any other: it reads back as it is written, and both engines agree on it.

use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Value, json};
use undust::apply::{Form, Naive, Scratch, check};
use undust::rules::RuleSet;

use crate::generate::{self, Dice};
use crate::properties::{Drawn, dice, drawn_few};
use crate::{compile, show};

/// Pieces of templates, whole and broken.
const PIECES: [&str; 52] = [
    "a",
    "b",
    "1",
    "é",
    "%41",
    "%",
    "/",
    "//",
    "?",
    "&",
    ";",
    "=",
    "#",
    ":",
    "@",
    ".",
    "http://",
    "http://a.com",
    "*",
    "{x}",
    "{y}",
    "{...}",
    "{x:digits}",
    "{x:a|b}",
    "{x:!a|b}",
    "{x?}",
    "{x:digits?}",
    "{}",
    "{:hex}",
    "{lower(x)}",
    "{decode(...)}",
    "{sorted(...)}",
    "{'*'}",
    "{'{'}",
    "{",
    "}",
    "{x",
    "x}",
    "{'",
    "'}",
    "{x:",
    "|",
    "!",
    "!a",
    "^",
    "$",
    "[::1]",
    ":80",
    " ",
    "\0",
    "\u{ff0f}",
    "{...}{...}",
];

/// Values of every type, and those at the ends of their ranges.
fn odd_value(dice: &mut Dice) -> Value {
    match dice.up_to(11) {
        0 => Value::Null,
        1 => json!(true),
        2 => json!(false),
        3 => json!(0),
        4 => json!(-1),
        5 => json!(u64::MAX),
        6 => json!(1e300),
        7 => json!(""),
        8 => json!([]),
        9 => json!({}),
        10 => json!([["a", "b"], ["c"]]),
        _ => json!(pieces(dice)),
    }
}

fn pieces(dice: &mut Dice) -> String {
    (0..=dice.up_to(7)).map(|_| dice.pick(&PIECES)).collect()
}

/// Makes one change somewhere below `value`.
fn mutate(value: &mut Value, dice: &mut Dice) {
    // Deeper as long as the dice say so: most mistakes are in rules.
    match value {
        Value::Object(fields) if !fields.is_empty() => {
            let names: Vec<String> = fields.keys().cloned().collect();
            let name = &names[dice.roll() % names.len()];
            match dice.up_to(23) {
                0 => drop(fields.remove(name)),
                1 => {
                    let moved = fields.remove(name).unwrap_or_default();
                    let other = dice
                        .pick(&["match", "rewrite", "replace", "with", "skip", "site", "sites", "Match", ""]);
                    fields.insert(other.to_owned(), moved);
                }
                2 => drop(fields.insert(name.clone(), odd_value(dice))),
                3 => drop(fields.insert(
                    dice.pick(&["skip", "class", "review", "note", "x"]).to_owned(),
                    odd_value(dice),
                )),
                _ => mutate(&mut fields[name.as_str()], dice),
            }
        }
        Value::Array(items) if !items.is_empty() => {
            let at = dice.roll() % items.len();
            match dice.up_to(23) {
                0 => drop(items.remove(at)),
                1 => items.push(items[at].clone()),
                2 => items.swap(0, at),
                3 => items[at] = odd_value(dice),
                _ => mutate(&mut items[at], dice),
            }
        }
        Value::String(text) => *value = Value::String(mutated_text(text, dice)),
        other => *other = odd_value(dice),
    }
}

/// The text with something put in, taken out or in the place of all of it.
fn mutated_text(text: &str, dice: &mut Dice) -> String {
    let chars: Vec<char> = text.chars().collect();
    let at = dice.up_to(chars.len());
    let end = (at + dice.up_to(4)).min(chars.len());
    let (before, part, after): (String, String, String) =
        (chars[..at].iter().collect(), chars[at..end].iter().collect(), chars[end..].iter().collect());
    match dice.up_to(4) {
        0 => before + &after,
        1 => before + &part + dice.pick(&PIECES) + &after,
        2 => before + dice.pick(&PIECES) + &after,
        3 => pieces(dice),
        _ => format!("http://{}a.com/{}", dice.pick(&["", "{h}.", "www."]), pieces(dice)),
    }
}

/// A rule file with some mistakes, and URLs that its rules were about before.
#[derive(Debug)]
struct Mutated {
    text: String,
    urls: Vec<Vec<u8>>,
}

fn mutated() -> impl Strategy<Value = Mutated> {
    (drawn_few(), vec(dice(40), 1..3)).prop_map(|(Drawn { set, urls }, changes)| {
        let mut file: Value = serde_json::from_str(&set.to_json()).expect("rule files are JSON");
        for rolls in &changes {
            mutate(&mut file, &mut Dice(rolls));
        }
        Mutated { text: file.to_string(), urls }
    })
}

proptest! {
    #[test]
    fn mistakes_are_refused_or_harmless(Mutated { text, urls } in mutated()) {
        let set = match RuleSet::from_json(&text) {
            Ok(set) => set,
            Err(error) => {
                prop_assert!(!error.to_string().is_empty());
                return Ok(());
            }
        };
        let again = RuleSet::from_json(&set.to_json()).map_err(|error| TestCaseError::fail(error.to_string()))?;
        prop_assert_eq!(again.to_json(), set.to_json());
        prop_assert_eq!(&again, &set);
        let mut scratch = Scratch::new();
        for form in [Form::Key, Form::Url] {
            let (naive, engine) = (Naive::new(&set, form), compile(&set, form));
            for url in &urls {
                let (slow, fast) = (naive.canonicalize(url), engine.canonicalize(url, &mut scratch).into_owned());
                prop_assert_eq!(show(&slow), show(&fast), "{:?} of {}", form, show(url));
                prop_assert_eq!(show(&engine.canonicalize(&fast, &mut scratch)), show(&fast), "not idempotent on {}", show(url));
            }
        }
    }

    /// What the engine does with templates that nobody would write.
    #[test]
    fn rules_of_random_pieces(from in dice(12), to in dice(12), tail in dice(8), urls in vec(dice(60), 8), normalize: bool) {
        let (from, to) = (format!("http://a.com/{}", pieces(&mut Dice(&from))), format!("http://a.com/{}", pieces(&mut Dice(&to))));
        let rule = match tail[0] % 3 {
            0 => json!({"match": from, "rewrite": to}),
            1 => json!({"replace": pieces(&mut Dice(&tail[1..])), "with": to.trim_start_matches("http://a.com/")}),
            _ => json!({"match": from, "skip": true}),
        };
        let file = json!({"undust": 1, "normalize": normalize, "sites": [{"site": "a.com", "rules": [rule]}]});
        let Ok(set) = RuleSet::from_json(&file.to_string()) else { return Ok(()) };
        check(&set);
        let mut scratch = Scratch::new();
        let (naive, engine) = (Naive::new(&set, Form::Key), compile(&set, Form::Key));
        for rolls in &urls {
            let url = generate::url(&mut Dice(rolls), &set);
            let fast = engine.canonicalize(&url, &mut scratch).into_owned();
            prop_assert_eq!(show(&naive.canonicalize(&url)), show(&fast), "{} by {}", show(&url), file);
        }
    }
}

/// Mistakes that are all refused, or none of them, would show nothing.
#[test]
fn some_mistakes_are_refused_and_some_are_not() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;
    // The same dice in every run: this is a measurement, and no law.
    let mut runner = TestRunner::deterministic();
    let mut text = || mutated().new_tree(&mut runner).expect("nothing is rejected").current().text;
    let read = (0..500).filter(|_| RuleSet::from_json(&text()).is_ok()).count();
    assert!((50..400).contains(&read), "{read} of 500 are read");
}
