//! A rule that says two others one after the other does what they do.

use proptest::collection::vec;
use proptest::prelude::*;
use undust::apply::{Canonicalizer, Form, Scratch};
use undust::rules::template::{Class, Item, List, Piece, QueryItem, QueryKind, Text};
use undust::rules::{Action, EVERY_SITE, Rewrite, Rule, RuleSet, Template};
use undust::url::{SiteBy, SplitUrl};
use undust_papers::deploy::then;

use crate::generate::{self, Dice};

/// Bytes for a message.
fn show(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A rule, one that often goes on from what it prints, and URLs.
#[derive(Debug)]
struct Chain {
    first: Rewrite,
    next: Rewrite,
    urls: Vec<String>,
}

fn chains() -> impl Strategy<Value = Option<Chain>> {
    (vec(any::<u8>(), 120), vec(any::<u8>(), 60), vec(vec(any::<u8>(), 40), 12)).prop_map(
        |(rolls, second, urls)| {
            let first = rewrite(&mut Dice(&rolls))?;
            let next = follower(&first, &mut Dice(&second))?;
            let from = first.matches().to_string();
            let urls = urls.iter().map(|rolls| generate::instance(&mut Dice(rolls), &from, "a.com"));
            Some(Chain { urls: urls.collect(), first, next })
        },
    )
}

fn rewrite(dice: &mut Dice) -> Option<Rewrite> {
    match generate::action(dice, EVERY_SITE)? {
        Action::Rewrite(rewrite) => Some(rewrite),
        _ => None,
    }
}

/// What the first prints, with holes of its own in some places; often printed in another order.
fn follower(first: &Rewrite, dice: &mut Dice) -> Option<Rewrite> {
    let mut matches = first.becomes().clone();
    for list in [&mut matches.host, &mut matches.path] {
        let rests = list.iter_mut().filter(|item| matches!(item, Item::Rest(_)));
        rests.for_each(|item| *item = Item::Rest(undust::rules::Convert::Copy));
    }
    for item in matches.query.iter_mut().flatten() {
        if let QueryKind::Others { .. } = &item.kind {
            item.kind = QueryKind::OTHERS;
        }
    }
    let mut names: Vec<String> = Vec::new();
    for text in matches.texts_mut() {
        opened(text, dice, &mut names);
    }
    if dice.seldom(3) && matches.query.as_ref().is_none_or(|items| !items.iter().any(is_others)) {
        let others = QueryItem { separator: b'&', kind: QueryKind::OTHERS };
        matches.query.get_or_insert_default().push(others);
    }
    let becomes = printed(&matches, &names, dice);
    Rewrite::new(matches, becomes).ok()
}

fn is_others(item: &QueryItem) -> bool {
    matches!(item.kind, QueryKind::Others { .. })
}

/// A text of a rewrite as one of a match: holes get names of their own.
fn opened(text: &mut Text, dice: &mut Dice, names: &mut Vec<String>) {
    let is_fixed = text.iter().all(|piece| matches!(piece, Piece::Literal(_)));
    if is_fixed && !dice.seldom(4) {
        return;
    }
    names.push(format!("h{}", names.len()));
    let mut hole = Piece::hole(names.last().expect("just pushed").clone());
    if let Piece::Hole { class, .. } = &mut hole
        && dice.seldom(3)
    {
        *class = Class::NoneOf(vec![b"a".to_vec()]);
    }
    match text.as_slice() {
        [Piece::Literal(before), _] => *text = vec![Piece::Literal(before.clone()), hole],
        [_, Piece::Literal(after)] => *text = vec![hole, Piece::Literal(after.clone())],
        _ => *text = vec![hole],
    }
}

fn printed(matches: &Template, names: &[String], dice: &mut Dice) -> Template {
    let mut becomes = matches.clone();
    for piece in becomes.texts_mut().flatten() {
        if let Piece::Hole { class, .. } = piece {
            *class = Class::Any;
        }
    }
    for text in becomes.texts_mut().filter(|_| dice.seldom(4)) {
        *text = vec![Piece::Star];
    }
    let more: List = names
        .iter()
        .filter(|_| dice.seldom(3))
        .map(|name| Item::One(vec![Piece::Literal(b"h-".to_vec()), Piece::hole(name.clone())]))
        .collect();
    becomes.path.extend(more);
    if dice.seldom(3) {
        becomes.query.iter_mut().for_each(|items| items.reverse());
    }
    becomes
}

/// What one rule makes of a URL; the URL itself where that is nothing else.
fn applied(rule: &Rewrite, url: &[u8]) -> Vec<u8> {
    let rules = vec![Rule::new(Action::Rewrite(rule.clone()))];
    let set = RuleSet { normalize: false, ..RuleSet::of_site(EVERY_SITE, SiteBy::Host, rules) };
    let mut after = url.to_vec();
    let engine = Canonicalizer::of_rules(&set, Form::Key);
    engine.each_change(url, &mut Scratch::new(), |_, changed| after = changed.to_vec());
    after
}

proptest! {
    #[test]
    fn one_rule_for_two(chain in chains()) {
        let Some(Chain { first, next, urls }) = chain else { return Ok(()) };
        let Some(both) = then(&first, &next) else { return Ok(()) };
        for url in urls {
            let middle = applied(&first, url.as_bytes());
            if middle != url.as_bytes() && SplitUrl::new(&middle).is_some() {
                let expected = show(&applied(&next, &middle));
                prop_assert_eq!(show(&applied(&both, url.as_bytes())), expected, "{} through {}", url, show(&middle));
            }
        }
    }
}

/// A law about chains that are never said as one would be worth nothing.
#[test]
fn many_chains_are_one_rule() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;
    // The same dice in every run: this is a measurement, and no law.
    let mut runner = TestRunner::deterministic();
    let (mut chained, mut said) = (0, 0);
    for _ in 0..1000 {
        if let Some(chain) = chains().new_tree(&mut runner).expect("nothing is rejected").current() {
            chained += 1;
            said += usize::from(then(&chain.first, &chain.next).is_some());
        }
    }
    assert!(chained > 100 && 3 * said > chained, "{said} of {chained}");
}
