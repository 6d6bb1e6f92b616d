//! Actions: what is refused, and what substitutions replace.

use super::*;

/// What a substitution makes of a URL; the URL as it is where it does not fire.
fn replaced(from: &str, to: &str, url: &str) -> String {
    let substitute = Substitute::parse(from, to).expect("well formed");
    let split = SplitUrl::new(url.as_bytes()).expect("a URL");
    let mut out = b"so far ".to_vec();
    let changed = substitute.apply(&split, &mut out);
    let out = String::from_utf8(out).expect("text");
    let out = out.strip_prefix("so far ").expect("appended");
    assert_eq!(changed, !out.is_empty());
    if changed { out.to_owned() } else { url.to_owned() }
}

/// Places in a path are replaced by `_`.
#[track_caller]
fn found(from: &str, path: &str, expected: &str) {
    let replaced = replaced(from, "_", &format!("http://h/{path}"));
    assert_eq!(replaced, format!("http://h/{expected}"), "{from} in {path}");
}

#[test]
fn places_on_token_borders() {
    found("cat", "cat", "_");
    found("cat", "cats", "cats");
    found("cat", "bobcat", "bobcat");
    found("cat", "bobcat-cat", "bobcat-_");
    found("cat", "/cat/", "/_/");
    found("-cat-", "a-cat-b", "a_b");
    found("cat", "é cat", "é _");
    found("/", "a/b", "a_b");
    found("a", "", "");
}

#[test]
fn every_place_is_replaced() {
    found("cat", "cat/cats/cat-cat", "_/cats/_-_");
    found("//", "a//b///c////d", "a_b_/c__d");
    found("/", "/", "_");
    found("-cat-", "-cat-cat-cat-", "_cat_");
}

#[test]
fn the_way_back() {
    let back =
        |from, to| Action::substitute(from, to).expect("well formed").reversed().map(|r| r.to_string());
    assert_eq!(back("story?id=", "story_").as_deref(), Some("story_ -> story?id="));
    assert_eq!(back("/index.html$", "$"), None);
    assert_eq!(back("/a/b", "/a"), None, "it would find /a again");
    assert_eq!(back("a-b$", "a$").as_deref(), Some("a$ -> a-b$"));
    assert_eq!(back("b-a$", "a$"), None);
}

#[test]
fn refinements() {
    let refines = |one: (&str, &str), other: (&str, &str)| {
        let parse = |(from, to)| Substitute::parse(from, to).expect("well formed");
        parse(one).refines(&parse(other))
    };
    assert!(refines((".co.il/story?id=", ".co.il/story_"), ("story?id=", "story_")));
    assert!(!refines(("story?id=", "story_"), (".co.il/story?id=", ".co.il/story_")));
    assert!(refines(("a-y", "a-x"), ("x", "y")), "either way round");
    assert!(refines(("/index.html$", "/$"), ("index.html", "")) && !refines(("ab", "b"), ("a", "")));
    assert!(refines(("x/$", "x$"), ("/$", "$")) && !refines(("x/", "x"), ("/$", "$")));
    assert!(!refines(("x/$", "x$"), ("^x", "^")) && refines(("^x/", "^x"), ("/", "")));
    assert!(refines(("a.a", "a"), ("a.", "")), "in one of two places");
}

#[test]
fn overlapping_places() {
    found("a-a", "ba-a-a", "ba-_");
    found("a-a", "a-a-a-a-a", "_-_-a");
    found("1.1.1", "21.1.1.1", "21._");
    found("aa", "aaaa", "aaaa");
}

/// What is printed takes no part: borders are judged in the URL as it was.
#[test]
fn borders_are_those_of_the_url() {
    assert_eq!(replaced("-a-", "", "http://h/x-a--a-y"), "http://h/xy");
}

#[test]
fn anchored_places() {
    found("^a", "b/a", "b/a");
    found("html$", "html.html", "html._");
    found("html$", "ahtml", "ahtml");
    found("html$", "html?", "html?");
    found("html$", "tml", "tml");
    assert_eq!(replaced("^http", "^ftp", "http://http"), "ftp://http");
    assert_eq!(replaced("^http", "^ftp", "https://a"), "https://a");
    assert_eq!(replaced("^a-", "^b-", "a-a-://a-"), "b-a-://a-");
    assert_eq!(replaced("^http://a$", "^http://b$", "http://a"), "http://b");
    assert_eq!(replaced("^http://a$", "^http://b$", "http://a/"), "http://a/");
    assert_eq!(replaced("^a-a$", "^b$", "a-a://a-a"), "a-a://a-a");
}

/// Only what is anchored at the start or holds `://` changes scheme and authority.
#[test]
fn scheme_and_authority_stay() {
    let stays = |from: &str, to: &str, url: &str| assert_eq!(replaced(from, to, url), url, "{from} -> {to}");
    stays("//", "/", "http://doc.test:8080/a/b");
    stays("http", "https", "http://a.com/");
    stays("www.", "", "http://www.a.com/");
    stays("8080", "80", "http://a.com:8080/");
    stays("com", "org", "http://a.com");
    stays("a.com/", "a.com", "http://a.com/x");
    stays("/x", "", "http://a.com/x-y");
    stays("/x", "y", "http://a.com/x/z");
    stays("/x", "", "http://a.com/x/x-y");
    assert_eq!(replaced("//", "/", "http://a.com//x//y"), "http://a.com/x/y");
    assert_eq!(replaced("/x", "", "http://a.com/x/z"), "http://a.com/z");
    assert_eq!(replaced("/x", "", "http://a.com/x"), "http://a.com");
    assert_eq!(replaced("http", "https", "http://a.com/?u=http:"), "http://a.com/?u=https:");
    // As its context, a substitution may hold the end of a host.
    assert_eq!(replaced(".com/s?i=", ".com/s_", "http://a.com/s?i=1"), "http://a.com/s_1");
    assert_eq!(replaced("a.com", "a.com/en", "http://a.com/x"), "http://a.com/en/x");
    // What says so changes them.
    assert_eq!(replaced("://www.", "://", "http://www.a.com/"), "http://a.com/");
    assert_eq!(replaced("^http://", "^https://", "http://a.com/"), "https://a.com/");
}

#[test]
fn substitutions_print_in_one_way() {
    for (from, to) in
        [("a", ""), ("^a", "^b"), ("a$", "$"), ("^a$", "^$"), ("{'^'}a{'$'}", "{'^'}"), ("{'*'}", "{0xFF}")]
    {
        assert_eq!(
            Action::substitute(from, to).expect("well formed").sides(),
            (from.to_owned(), to.to_owned())
        );
    }
    // Anchors of the first side hold for both.
    assert_eq!(Action::substitute("^a$", "b").expect("well formed").sides().1, "^b$");
    for (from, to) in [("", "a"), ("^$", "a"), ("a", "a"), ("a*", "b"), ("a", "{x}"), ("a", "}")] {
        assert!(Action::substitute(from, to).is_err(), "{from} -> {to}");
    }
}

#[track_caller]
fn fails(from: &str, to: &str, expected: &str) {
    let error = Action::rewrite(from, to).expect_err("they do not fit").to_string();
    assert_eq!(error.rsplit_once(" in '").map(|(what, _)| what), Some(expected));
}

#[test]
fn sides_that_do_not_fit() {
    let open = "where the first of two neighbouring holes ends is open: put text or a class between";
    fails("http://a/{x}{y}", "http://a/", open);
    fails("http://a/{x}*", "http://a/", open);
    fails("http://a/*{y:alpha}", "http://a/", open);
    fails("http://a/{x:!a}{y:digits?}", "http://a/", open);
    fails("http://a/{lower(x)}", "http://a/", "a match does not convert");
    fails("http://a/{lower(...)}", "http://a/", "a match does not convert");
    fails("http://a/?{sorted(...)}", "http://a/", "a match does not sort");
    fails("http://a/{...}/x/{...}", "http://a/", "{...} can stand once in a host and once in a path");
    fails("http://a/?{...}&{...}", "http://a/", "{...} can stand once in a query");
    fails("http://a/{x}", "http://a/{y}", "the match has no {y}");
    fails("http://a/{}", "http://a/{}", "the match has no {}");
    fails("http://a/{x}", "http://a/{x?}", "a rewrite copies: write {x}");
    fails("http://a/{x:digits}", "http://a/{x:digits}", "a rewrite copies: write {x}");
    fails("http://a/{x:!a}", "http://a/{x:!a}", "a rewrite copies: write {x}");
    fails(
        &format!("http://a/{{x:!{}}}", "a".repeat(MAX_TEMPLATE_BYTES)),
        "http://a/",
        "more than 32000 bytes",
    );
    fails("http://a/", "http://{...}/", "the match has no {...} in its host");
    fails("http://a/", "http://a/{...}", "the match has no {...} in its path");
    fails("http://a/{...}", "http://a/{...}?{...}", "the match has no {...} in its query");
    fails("http://a/", "http://a/#{...}", "the match has no {...} in its fragment");
    fails("http://a/{...}", "http://a/{...}/{...}", "{...} can stand once in a path");
    fails("http://a/?a", "http://a/?!a", "a rewrite leaves out what is to be absent");
    fails("http://a/?a", "http://a/?{:a|b}=1", "a parameter is printed under one name");
    fails("http://a/?a", "http://a/?{if a}", "a condition belongs into the match");
    fails("http://a/?{only(a)}", "http://a/", "a match does not choose parameters: that is for the rewrite");
    fails("http://a/?a", "http://a/?{only(a)}", "the match has no {...} in its query");
    fails("http://a/?{...}", "http://a/?{with(a=*)}", "with() does not print *: leave the parameter out");
    fails("http://a/?{...}", "http://a/?{with(a=1|a=2)}", "with() gives a parameter one value");
    fails("http://a/?{...}", "http://a/?{with(a={x})}", "the match has no {x}");
    fails("http://a/?{unless a={x}}", "http://a/", "{unless …} remembers nothing: write {x} without a name");
    fails("http://a/?{if a={lower(x)}}", "http://a/", "a match does not convert");
}
