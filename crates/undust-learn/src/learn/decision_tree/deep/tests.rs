//! The paper's examples, the values of real software, and the laws.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

fn shown(pattern: &Pattern) -> String {
    let part = |part: &Part| match part {
        Part::Fixed(text) => String::from_utf8_lossy(text).into_owned(),
        Part::Hole(Class::Any) => "{any}".into(),
        Part::Hole(_) => "{digits}".into(),
    };
    pattern.parts.iter().map(part).collect()
}

/// The patterns found, with how many values they have; the laws hold on every example.
fn found(values: &[String]) -> BTreeMap<String, usize> {
    let bytes: Vec<&[u8]> = values.iter().map(String::as_bytes).collect();
    check_laws(&bytes);
    let deep = Deep::new(&bytes);
    let mut counts = BTreeMap::new();
    for value in 0..values.len() {
        *counts.entry(shown(&deep.patterns()[deep.pattern_of(value) as usize])).or_default() += 1;
    }
    counts
}

fn expect(values: &[String], expected: &[(&str, usize)]) {
    let expected = expected.iter().map(|(pattern, count)| ((*pattern).to_owned(), *count)).collect();
    assert_eq!(found(values), expected);
}

fn check_laws(values: &[&[u8]]) {
    let deep = Deep::new(values);
    for (n, value) in values.iter().enumerate() {
        let pattern = &deep.patterns()[deep.pattern_of(n) as usize];
        let holes = deep.holes(n);
        check_whole(pattern, value, holes);
        let mut again = Vec::new();
        assert_eq!(cut::cut(pattern, value, &mut again), Some(()), "{pattern:?} {value:?}");
        assert_eq!(again, holes, "{pattern:?} {value:?}");
        for hole in holes {
            assert!(!in_escape(value, hole.start as usize) && !in_escape(value, hole.end as usize));
        }
    }
    check_order(values, &deep);
}

/// Parts are not empty, holes are apart, and all of it together is the value.
fn check_whole(pattern: &Pattern, value: &[u8], holes: &[Range<u32>]) {
    let mut whole = Vec::new();
    let mut texts = holes.iter();
    for part in &pattern.parts {
        let text = match part {
            Part::Fixed(text) => text,
            Part::Hole(_) => {
                let hole = texts.next().expect("a text for each hole");
                &value[hole.start as usize..hole.end as usize]
            }
        };
        assert!(!text.is_empty());
        whole.extend_from_slice(text);
    }
    assert!(texts.next().is_none());
    assert_eq!(whole, value);
    let is_hole = |part: &Part| matches!(part, Part::Hole(_));
    assert!(pattern.parts.windows(2).all(|two| is_hole(&two[0]) != is_hole(&two[1])));
}

fn check_order(values: &[&[u8]], deep: &Deep) {
    let backwards: Vec<&[u8]> = values.iter().rev().copied().collect();
    let other = Deep::new(&backwards);
    assert_eq!(deep.patterns(), other.patterns());
    for n in 0..values.len() {
        let m = values.len() - 1 - n;
        assert_eq!((deep.pattern_of(n), deep.holes(n)), (other.pattern_of(m), other.holes(m)));
    }
}

fn in_escape(value: &[u8], place: usize) -> bool {
    let mut at = 0;
    while at < place {
        let hex = |i: usize| value.get(i).is_some_and(u8::is_ascii_hexdigit);
        let len = if value[at] == b'%' && hex(at + 1) && hex(at + 2) { 3 } else { 1 };
        if at + len > place {
            return true;
        }
        at += len;
    }
    false
}

/// Numbers and words that look like those of a site, from a number.
fn id(n: usize) -> usize {
    n.wrapping_mul(7919) % 100_003 + 100_000
}

fn word(n: usize) -> String {
    let letters = b"etaoinshrdlu";
    let mut n = id(n);
    let mut word = String::new();
    while n > 0 {
        word.push(char::from(letters[n % 12]));
        n /= 12;
    }
    word
}

fn token(n: usize) -> String {
    let letters = b"ltU7d6kIuGqnMfcaJRPSQ";
    (0..12).map(|i| char::from(letters[(id(n * 12 + i) >> 3) % letters.len()])).collect()
}

#[test]
fn figure_two_constants_come_first_and_then_the_two_words() {
    let cities = ["Vienna", "Salzburg", "Graz"];
    let mut values = Vec::new();
    for n in 0..20 {
        let (city, id) = (cities[n % 3], id(n));
        values.push(format!("ctattractions-{id}_Austria_{city}_attractions.html"));
        values.push(format!("profile-{id}_Austria_{city}_{}.html", word(n)));
    }
    expect(
        &values,
        &[
            ("ctattractions-{digits}_Austria_{any}_attractions.html", 20),
            ("profile-{digits}_Austria_{any}.html", 20),
        ],
    );
}

#[test]
fn friends_are_not_mixed_with_profiles() {
    let friends = (0..20).map(|n| format!("friends-{}", token(n)));
    let values: Vec<String> = friends.chain((20..40).map(|n| format!("profile-{}", token(n)))).collect();
    expect(&values, &[("friends-{any}", 20), ("profile-{any}", 20)]);
}

#[test]
fn letters_may_be_delimiters() {
    let title = |n: usize| format!("The-{}_UPC_{}_W0QQ_fclsZ{}", word(n), id(n), n % 7);
    let value = |n| format!("{}QQ_pcatidZ{}QQ_pidZ{}QQ_tabZ{}", title(n), n % 5, id(n + 9), n % 3);
    let values: Vec<String> = (0..40).map(value).collect();
    let expected =
        "The-{any}_UPC_{digits}_W0QQ_fclsZ{digits}QQ_pcatidZ{digits}QQ_pidZ{digits}QQ_tabZ{digits}";
    expect(&values, &[(expected, 40)]);
}

#[test]
fn brackets_and_names_between_them() {
    let value = |n| format!("accelerate.php[id]{}[SiteID]{}", id(n), word(n % 13));
    expect(&(0..40).map(value).collect::<Vec<_>>(), &[("accelerate.php[id]{digits}[SiteID]{any}", 40)]);
}

#[test]
fn a_prefix_of_letters() {
    let mut values: Vec<String> = (0..30).map(|n| format!("tt0{}", id(n))).collect();
    expect(&values, &[("tt{digits}", 30)]);
    values.extend((30..60).map(|n| format!("nm{}", id(n))));
    expect(&values, &[("tt{digits}", 30), ("nm{digits}", 30)]);
}

#[test]
fn numeric_fields() {
    let mut values: Vec<String> =
        (0..40).map(|n| format!("{}-{}-{}", 40 + n, word(n), word(n + 1))).collect();
    expect(&values, &[("{digits}-{any}", 40)]);
    values.extend((0..20).map(|n| format!("{}", 40 + n)));
    values.extend((0..20).map(|n| format!("{}-{}", word(n), word(n + 2))));
    expect(&values, &[("{digits}", 20), ("{digits}-{any}", 40), ("{any}", 20)]);
}

#[test]
fn topics_of_a_forum() {
    let mut values: Vec<String> = (0..60).map(|n| format!("{}.msg{}", id(n / 2), id(n))).collect();
    values.extend((0..20).map(|n| format!("{}.0", id(n))));
    values.extend((0..20).map(|n| format!("{}.{}", id(n), 15 * (n % 4 + 1))));
    expect(&values, &[("{digits}.msg{digits}", 60), ("{digits}.{digits}", 40)]);
}

#[test]
fn titles_and_ids_stay_whole() {
    let slug = |n: usize| format!("{}-{}-{}", word(n), word(n * 3), word(n * 7 + 1));
    expect(&(0..60).map(slug).collect::<Vec<_>>(), &[("{any}", 60)]);
    expect(&(0..60).map(token).collect::<Vec<_>>(), &[("{any}", 60)]);
    expect(&(0..60).map(|n| id(n).to_string()).collect::<Vec<_>>(), &[("{digits}", 60)]);
}

#[test]
fn few_values_are_no_evidence() {
    let values = ["friends-1", "friends-2", "7", ""].map(String::from);
    expect(&values, &[("{any}", 3), ("", 1)]);
    assert!(Deep::new(&[]).patterns().is_empty());
}

#[test]
fn escapes_are_delimiters_and_never_cut() {
    let value = |n: usize| format!("http:%2F%2Fa.com%2F{}%E9{}%2F", word(n), word(n + 1));
    expect(&(0..20).map(value).collect::<Vec<_>>(), &[("http:%2F%2Fa.com%2F{any}%2F", 20)]);
}

#[test]
fn values_that_would_be_cut_elsewhere_keep_a_simpler_pattern() {
    // From the back the second `_id_` is the same as that of other values, but rules would find the first.
    let mut values: Vec<String> = (0..30).map(|n| format!("{}_id_{}.html", token(n), id(n))).collect();
    expect(&values, &[("{any}_id_{digits}.html", 30)]);
    values.push("x_id_y_id_7.html".into());
    expect(&values, &[("{any}_id_{digits}.html", 30), ("{any}", 1)]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Values of a few templates with few words, so that there is structure to find and to mistake.
    #[test]
    fn laws_hold_on_structured_values(
        templates in prop::collection::vec("([ab]{1,2}|[A-C]|[_.-]|%2F|%E9|%|[0-9]|\u{e9}|#){1,9}", 1..4),
        fills in prop::collection::vec((0usize..4, "([ab]{1,2}|[AB]|[0-9]{1,2}|[_.-]|%2F|%4|\u{e9}){0,4}"), 0..80),
    ) {
        let fill = |(n, text): &(usize, String)| templates[n % templates.len()].replace(['#', 'b'], text);
        let mut values: Vec<String> = fills.iter().map(fill).collect();
        values.sort();
        values.dedup();
        check_laws(&values.iter().map(String::as_bytes).collect::<Vec<_>>());
    }

    #[test]
    fn laws_hold_on_any_bytes(values in prop::collection::btree_set(prop::collection::vec(any::<u8>(), 0..12), 0..60)) {
        check_laws(&values.iter().map(Vec::as_slice).collect::<Vec<_>>());
    }
}
