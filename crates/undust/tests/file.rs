//! The rule file: a frozen file of every version still reads, the schema is the one we publish, errors say what to do.

use undust::apply::{Form, Scratch};
use undust::rules::{Action, Review, RuleSet};
use undust::url::SiteBy;

use crate::{compile, in_repository, read};

#[test]
fn version_1_still_reads() {
    let text = read(&in_repository("testdata/compat/v1.rules.json"));
    let set = RuleSet::from_json(&text).expect("a file of version 1");
    assert!(!set.normalize);
    assert_eq!(set.site_by, SiteBy::Host);
    let learned = set.learned.as_ref().expect("how it was learned");
    assert_eq!(
        (learned.method.as_str(), learned.seed, learned.urls, learned.clusters),
        ("auto", 7, 13424, 6579)
    );
    let ids: Vec<(&str, &str, Review)> =
        set.rules().map(|(site, rule)| (site, rule.id.as_str(), rule.review)).collect();
    let expected = [
        ("*", "no-utm", Review::Accepted),
        ("www.example.com", "0badcafe", Review::Proposed),
        ("www.example.com", "deadbeef", Review::Rejected),
    ];
    assert_eq!(ids, expected);
    let (_, learned_rule) = set.rules().nth(1).expect("three rules");
    let evidence = learned_rule.evidence.as_ref().expect("evidence");
    assert_eq!((evidence.support, evidence.trials, evidence.examples.len()), (120, 40, 1));
    assert_eq!(set.to_json(), text, "what is read is written as it was");
}

#[test]
fn version_1_still_means_the_same() {
    let set = RuleSet::from_json(&read(&in_repository("testdata/compat/v1.rules.json"))).expect("version 1");
    let engine = compile(&set, Form::Key);
    let cases = [
        ("http://a.b/x?utm_source=&q=1#f", "http://a.b/x?q=1#f"),
        ("http://www.example.com/news/7-a?sid=1&b=2&a=1", "http://www.example.com/news/7?a=1&b=2"),
        ("http://www.example.com/news/7-a?sid=1&print", "http://www.example.com/news/7-a?sid=1&print"),
        ("http://www.example.com/index.html", "http://www.example.com/index.html"),
    ];
    for (url, expected) in cases {
        assert_eq!(engine.canonicalize_str(url, &mut Scratch::new()), expected, "{url}");
    }
}

/// Rules written by hand leave out what can be told or has a default.
#[test]
fn little_need_be_written() {
    let text = r#"{"undust": 1, "sites": [{"site": "a.com", "rules": [{"replace": "/x", "with": "/y"}]}]}"#;
    let set = RuleSet::from_json(text).expect("short, but complete");
    assert!(set.normalize && set.site_by == SiteBy::Domain && set.learned.is_none());
    let rule = &set.sites[0].rules[0];
    assert_eq!(rule.action, Action::substitute("/x", "/y").expect("well formed"));
    assert_eq!(rule.id, rule.action.id());
    assert_eq!(rule.review, Review::Proposed);
}

#[test]
fn skips_are_written_as_they_are_read() {
    let text = with_rule(r#""match": "http://a.com/?p={p}", "skip": true"#);
    let set = RuleSet::from_json(&text).expect("a skip");
    let rule = &set.sites[0].rules[0];
    assert_eq!(rule.action, Action::skip("http://a.com/?p={p}").expect("well formed"));
    assert_eq!(rule.action.to_string(), "http://a.com/?p={p} -> skip");
    let written = set.to_json();
    assert!(written.contains(r#""skip": true"#) && !written.contains("class"), "{written}");
    assert_eq!(RuleSet::from_json(&written).expect("as written"), set);
}

#[test]
fn ids_are_stable() {
    let rewrite = Action::rewrite("http://a.com/{x}", "http://a.com/*").expect("well formed");
    let substitute = Action::substitute("/index.html$", "$").expect("well formed");
    let skip = Action::skip("http://a.com/?p=*").expect("well formed");
    assert_eq!((rewrite.id().as_str(), substitute.id().as_str()), ("7a992fa04c90", "cbc5e3d22ae4"));
    assert_eq!(skip.id(), "0502f1582880");
}

#[track_caller]
fn refused(text: &str, expected: &str) {
    let error = RuleSet::from_json(text).expect_err("not a rule file");
    assert_eq!(error.to_string(), expected);
}

/// The file with one rule, given as the inside of its JSON object.
fn with_rule(rule: &str) -> String {
    format!(r#"{{"undust": 1, "sites": [{{"site": "a.com", "rules": [{{{rule}}}]}}]}}"#)
}

#[test]
fn errors_of_the_file() {
    refused(
        r#"{"undust": 1, "sites": [{"site": "a.com", "#,
        "not a rule file: EOF while parsing an object at line 1 column 42",
    );
    refused(
        r#"{"undust": 2, "whatever": true}"#,
        "the rule file has version 2; this release reads version 1",
    );
    refused(
        r#"{"undust": 1, "sites": [], "site": []}"#,
        "not a rule file: unknown field `site`, expected one of `undust`, `normalize`, `site_by`, `learned`, `model`, \
         `sites` at line 1 column 33",
    );
    refused(
        r#"{"undust": 1, "sites": [{"site": "a", "rules": []}, {"site": "a", "rules": []}]}"#,
        "site 'a' stands in the file twice",
    );
}

/// Whoever gives another file by mistake is told what it is.
#[test]
fn other_files() {
    let what = [
        ("", "it is empty"),
        (" \n", "it is empty"),
        ("[]", "it is a JSON list"),
        (r#"[{"undust": 1, "sites": []}]"#, "it is a JSON list"),
        ("null", "it is a single JSON value"),
        (r#""rules""#, "it is a single JSON value"),
        (r#"{"sites": []}"#, "it is a JSON object of another kind"),
        (r#"{"providers": {"x": []}}"#, "it is a JSON object of another kind"),
        ("url\tcluster\n", "it is no JSON"),
        ("[1", "it is no JSON"),
    ];
    for (text, what) in what {
        let is_rules = "A rule file is a JSON object with \"undust\": 1 and \"sites\"";
        refused(text, &format!("not a rule file: {what}. {is_rules}"));
    }
}

/// Rules see normalised URLs, so that their own text is read in normal form.
#[test]
fn escapes_in_rules_are_normalised_where_urls_are() {
    let rule = r#""match": "http://a.com/%7eme/{x}?%61=1", "rewrite": "http://a.com/%7Eme/{x}""#;
    let set = RuleSet::from_json(&with_rule(rule)).expect("well formed");
    let engine = compile(&set, Form::Key);
    for url in ["http://a.com/~me/1?a=1", "http://a.com/%7Eme/%31?%61=%31"] {
        assert_eq!(engine.canonicalize_str(url, &mut Scratch::new()), "http://a.com/~me/1", "{url}");
    }
    let as_it_is = with_rule(rule).replace(r#""undust": 1"#, r#""undust": 1, "normalize": false"#);
    let set = RuleSet::from_json(&as_it_is).expect("well formed");
    let engine = compile(&set, Form::Key);
    let url = "http://a.com/%7eme/%31?%61=1";
    assert_eq!(engine.canonicalize_str(url, &mut Scratch::new()), "http://a.com/%7Eme/%31");
}

#[test]
fn errors_of_a_rule() {
    let neither =
        "site 'a.com', rule 1: a rule has 'match' and 'rewrite', 'replace' and 'with', or 'match' and 'skip'";
    refused(&with_rule(r#""match": "http://a.com/""#), neither);
    refused(&with_rule(r#""match": "http://a.com/", "with": "x""#), neither);
    refused(&with_rule(r#""match": "http://a.com/", "skip": false"#), neither);
    refused(&with_rule(r#""match": "http://a.com/", "rewrite": "http://a.com/x", "skip": true"#), neither);
    refused(&with_rule(r#""replace": "x", "with": "", "skip": true"#), neither);
    refused(
        &with_rule(r#""match": "http://a.com/{lower(x)}", "skip": true"#),
        "site 'a.com', rule 1: a match does not convert in 'http://a.com/{lower(x)}'",
    );
    refused(
        &with_rule(r#""match": "http://a.com/{id", "rewrite": "http://a.com/""#),
        "site 'a.com', rule 1: '{' without '}' (write {'{'} for the character) in 'http://a.com/{id'",
    );
    refused(
        &with_rule(r#""match": "http://a.com/{x}", "rewrite": "http://a.com/{y}""#),
        "site 'a.com', rule 1: the match has no {y} in 'http://a.com/{y}'",
    );
    refused(
        &with_rule(r#""replace": "a*", "with": "b""#),
        "site 'a.com', rule 1: a substitution holds fixed text only (write {'*'} for the character) in 'a*'",
    );
    refused(
        &with_rule(r#""replace": "a", "with": "b", "reveiw": "accepted""#),
        "not a rule file: unknown field `reveiw`, expected one of `id`, `match`, `rewrite`, `skip`, `replace`, \
         `with`, `class`, `learner`, `evidence`, `validation`, `review`, `note` at line 1 column 90",
    );
    refused(
        &with_rule(r#""replace": "a", "with": "b", "review": "maybe""#),
        "not a rule file: unknown variant `maybe`, expected one of `proposed`, `accepted`, `rejected` \
         at line 1 column 99",
    );
}

/// `UNDUST_BLESS=1` writes the schema anew.
#[test]
#[expect(clippy::disallowed_methods, reason = "the one test that writes what it checks")]
fn the_schema_is_the_published_one() {
    let path = in_repository("docs/rules.schema.json");
    let schema = undust::rules::schema();
    if std::env::var("UNDUST_BLESS").is_ok() {
        std::fs::write(&path, &schema).expect("docs can be written");
    }
    // As values: the order of their fields depends on how serde_json was built.
    let value = |text: &str| serde_json::from_str::<serde_json::Value>(text).expect("a schema is JSON");
    assert_eq!(
        value(&read(&path)),
        value(&schema),
        "run the tests with UNDUST_BLESS=1 and look at the difference"
    );
}
