//! `explain`, `check` and `schema`.

use insta::assert_snapshot;

use crate::data::{CIRCLE, RULES, SKIPS, shop};
use crate::folder::Folder;

#[test]
fn explained_step_by_step() {
    let folder = Folder::with("rules.json", RULES);
    let run = folder.undust(
        "explain -r rules.json HTTP://www.example.com/print/7 http://www.example.com/a?sid=1&x=2 http://elsewhere.org/",
    );
    assert_snapshot!(run, @"
    HTTP://www.example.com/print/7
      normalised
        = http://www.example.com/print/7
      rule print (DUST, written by hand)
          http://www.example.com/print/{id:digits}
       -> http://www.example.com/item?id={id}
        = http://www.example.com/item?id=7
    http://www.example.com/a?sid=1&x=2
      rule no-session (IRP, written by hand)
          http://{...}/{...}?sid=*&{...}
       -> http://{...}/{...}?{...}
        = http://www.example.com/a?x=2
    http://elsewhere.org/
      no rule matches this URL
    = 0
    ");
}

#[test]
fn explained_with_the_evidence() {
    let folder = Folder::learned(shop());
    assert_snapshot!(folder.undust("explain -r rules.json http://www.example.com/item.php?id=7&sid=new"), @"
    http://www.example.com/item.php?id=7&sid=new
      rule 87a9785e7a94 (IRP, usual)
          {scheme}://{...}/{...}?{...}&sid={?}
       -> {scheme}://{...}/{...}?{...}
          saved 400 URLs; of 400 held-out URLs, 0 wrong: at most 0.8 % (95 % confidence)
          seen: http://www.example.com/item.php?id=211&sid=s7
              = http://www.example.com/item.php?id=211
          seen: http://www.example.com/item.php?id=290
              = http://www.example.com/item.php?id=290&sid=s2
          seen: http://www.example.com/item.php?id=210&sid=s6
              = http://www.example.com/item.php?id=210
        = http://www.example.com/item.php?id=7
    = 0
    ");
}

#[test]
fn explained_in_json() {
    let folder = Folder::with("rules.json", RULES);
    assert_snapshot!(folder.undust("explain -r rules.json --json HTTP://www.example.com/print/7 http://b/"), @r#"
    {"canonical":"http://www.example.com/item?id=7","settled":true,"skip":null,"steps":[{"after":"http://www.example.com/print/7","rule":null},{"after":"http://www.example.com/item?id=7","rule":{"evidence":null,"from":"http://www.example.com/print/{id:digits}","id":"print","learner":null,"to":"http://www.example.com/item?id={id}","validation":null}}],"url":"HTTP://www.example.com/print/7"}
    {"canonical":"http://b/","settled":true,"skip":null,"steps":[],"url":"http://b/"}
    = 0
    "#);
}

#[test]
fn a_skip_is_explained_last() {
    let folder = Folder::with("rules.json", SKIPS);
    let urls = "http://www.example.com/?p=1&sid=7 http://www.example.com/?p=2";
    assert_snapshot!(folder.undust(&format!("explain -r rules.json {urls}")), @"
    http://www.example.com/?p=1&sid=7
      rule no-session (IRP, written by hand)
          http://www.example.com/?sid=*&{...}
       -> http://www.example.com/?{...}
        = http://www.example.com/?p=1
      skipped by rule short-link (by-magic)
          http://www.example.com/?p={p:digits}
          skipped 120 URLs; of 40 held-out pages, 0 lost: at most 7.2 % (95 % confidence)
          seen: http://www.example.com/?p=2
              = http://www.example.com/two
    http://www.example.com/?p=2
      skipped by rule short-link (by-magic)
          http://www.example.com/?p={p:digits}
          skipped 120 URLs; of 40 held-out pages, 0 lost: at most 7.2 % (95 % confidence)
          seen: http://www.example.com/?p=2
              = http://www.example.com/two
    = 0
    ");
    assert_snapshot!(folder.undust("explain -r rules.json --json http://www.example.com/?p=1"), @r#"
    {"canonical":"http://www.example.com/?p=1","settled":true,"skip":{"evidence":{"bound":0.072,"examples":[["http://www.example.com/?p=2","http://www.example.com/two"]],"false_positives":0,"saved":120,"support":0,"trials":40},"from":"http://www.example.com/?p={p:digits}","id":"short-link","learner":"by-magic","to":"skip","validation":null},"steps":[],"url":"http://www.example.com/?p=1"}
    = 0
    "#);
}

#[test]
fn a_circle_is_explained() {
    let folder = Folder::with("rules.json", CIRCLE);
    assert_snapshot!(folder.undust("explain -r rules.json http://example.com/a/1"), @"
    http://example.com/a/1
      rule there (DUST, written by hand)
          http://example.com/a/{x}
       -> http://example.com/b/{x}
        = http://example.com/b/1
      rule back (DUST, written by hand)
          http://example.com/b/{x}
       -> http://example.com/a/{x}
        = http://example.com/a/1
      the rules run in a circle here: the URL stays as it was (see `undust check`)
    ! rules.json: warning: example.com: rules back, there run in a circle on http://example.com/a/Fresh0
    = 0
    ");
    assert_snapshot!(folder.undust("explain -r rules.json --json http://example.com/a/1"), @r#"
    {"canonical":"http://example.com/a/1","settled":false,"skip":null,"steps":[{"after":"http://example.com/b/1","rule":{"evidence":null,"from":"http://example.com/a/{x}","id":"there","learner":null,"to":"http://example.com/b/{x}","validation":null}},{"after":"http://example.com/a/1","rule":{"evidence":null,"from":"http://example.com/b/{x}","id":"back","learner":null,"to":"http://example.com/a/{x}","validation":null}}],"url":"http://example.com/a/1"}
    ! rules.json: warning: example.com: rules back, there run in a circle on http://example.com/a/Fresh0
    = 0
    "#);
}

#[test]
fn a_file_fit_to_be_used() {
    let folder = Folder::with("rules.json", RULES);
    assert_snapshot!(folder.undust("check rules.json"), @"
    rules.json: 3 rules on 1 site: valid; terminates on every URL
    = 0
    ");
    assert_snapshot!(folder.undust("check --json rules.json"), @r#"
    {
      "comes_to_rest": true,
      "findings": [],
      "rejected": 0,
      "rules": 3,
      "sites": 1
    }
    = 0
    "#);
}

#[test]
fn findings_are_exit_code_1() {
    let folder = Folder::with("rules.json", CIRCLE);
    assert_snapshot!(folder.undust("check rules.json"), @"
    example.com: rules back, there run in a circle on http://example.com/a/Fresh0
    rules.json: 2 rules on 1 site: not fit to be used
    = 1
    ");
    assert_snapshot!(folder.undust("check --json rules.json"), @r#"
    {
      "comes_to_rest": false,
      "findings": [
        "example.com: rules back, there run in a circle on http://example.com/a/Fresh0"
      ],
      "rejected": 0,
      "rules": 2,
      "sites": 1
    }
    = 1
    "#);
}

#[test]
fn rules_without_a_proof_are_named() {
    let split = r#"{ "undust": 1, "sites": [{ "site": "example.com", "rules": [
        { "id": "split", "match": "http://example.com/p{x?}", "rewrite": "http://example.com/q/{x}" }
    ] }] }"#;
    let folder = Folder::with("rules.json", split);
    assert_snapshot!(folder.undust("check rules.json"), @"
    example.com: rules split cannot be shown to terminate on every URL
    rules.json: 1 rule on 1 site: not fit to be used
    = 1
    ");
}

#[test]
fn rejected_rules_do_nothing() {
    let rejected = CIRCLE.replace("\"id\": \"back\"", "\"review\": \"rejected\", \"id\": \"back\"");
    let folder = Folder::with("rules.json", rejected);
    assert_snapshot!(folder.undust("check rules.json"), @"
    rules.json: 2 rules (1 rejected) on 1 site: valid; terminates on every URL
    = 0
    ");
    assert_eq!(
        folder.undust_reading("apply -r rules.json", b"http://example.com/a/1").fine(),
        "http://example.com/b/1\n"
    );
}

#[test]
fn a_broken_file_is_exit_code_2() {
    let folder = Folder::with("half.json", &RULES[..RULES.len() / 2])
        .and("version.json", RULES.replacen('1', "2", 1))
        .and("rule.json", RULES.replace("/print/{id:digits}", "/print/{id:numbers}"))
        .and("field.json", RULES.replace("\"note\"", "\"remark\""));
    assert_snapshot!(folder.undust("check half.json"), @"
    ! undust: half.json: not a rule file: EOF while parsing an object at line 15 column 5
    = 2
    ");
    assert_snapshot!(folder.undust("check version.json"), @"
    ! undust: version.json: the rule file has version 2; this release reads version 1
    = 2
    ");
    assert_snapshot!(folder.undust("check rule.json"), @"
    ! undust: rule.json: site 'example.com', rule 2: 'numbers' is no class (digits, digits4, 1..12, lower, upper, alpha, alnum, hex, or words: a|b, not these: !a|b, in any case: i'a|b') in 'http://www.example.com/print/{id:numbers}'
    = 2
    ");
    assert_snapshot!(folder.undust("check field.json"), @"
    ! undust: field.json: not a rule file: unknown field `remark`, expected one of `id`, `match`, `rewrite`, `skip`, `replace`, `with`, `class`, `learner`, `evidence`, `validation`, `review`, `note` at line 11 column 18
    = 2
    ");
    assert_snapshot!(folder.undust("check missing.json"), @"
    ! undust: missing.json: No such file or directory (os error 2)
    = 2
    ");
}

#[test]
fn the_schema_is_the_published_one() {
    let published = include_str!("../../../docs/rules.schema.json");
    assert_eq!(Folder::new().undust("schema").fine(), published);
}

/// `//` becomes `/`, but never the one behind the scheme; what prints no URL is said whenever the file is used, and does not fire.
#[test]
fn scheme_and_host_are_left_alone() {
    let rules = r#"{"undust": 1, "sites": [{"site": "doc.test", "rules": [
        {"id": "slashes", "replace": "//", "with": "/"},
        {"id": "broken", "replace": "^http://", "with": "^http:/"}
    ]}]}"#;
    let folder = Folder::with("rules.json", rules);
    folder.write("urls", "http://doc.test:8080/a//b\nhttp://doc.test:8080/c\n");
    assert_snapshot!(folder.undust("apply -r rules.json --form url urls"), @"
    http://doc.test:8080/a/b
    http://doc.test:8080/c
    ! rules.json: warning: doc.test: rule broken makes http:/doc.test/x of http://doc.test/x, which is no URL of this site
    = 0
    ");
    assert_snapshot!(folder.undust("check rules.json"), @"
    doc.test: rule broken makes http:/doc.test/x of http://doc.test/x, which is no URL of this site
    rules.json: 2 rules on 1 site: not fit to be used
    = 1
    ");
    let exported = folder.undust("export -r rules.json --to nutch").to_string();
    assert!(exported.contains("what it prints is no URL of its site:"), "{exported}");
    assert!(!exported.contains("http:/<"), "{exported}");
}
