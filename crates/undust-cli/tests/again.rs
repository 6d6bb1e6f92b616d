//! `learn` into a rule file that is there already, and `diff`.

use insta::assert_snapshot;

use crate::data::{RULES, SKIPS, shop, shops};
use crate::folder::Folder;

/// A folder with the crawl of a shop and a rule file with these rules of it.
fn with_rules(rules: &str) -> Folder {
    let file = format!(r#"{{"undust": 1, "sites": [{{"site": "example.com", "rules": [{rules}]}}]}}"#);
    Folder::with("crawl.tsv", shop()).and("rules.json", file)
}

/// What the rules make of a URL of the shop with a session id.
fn key(folder: &Folder) -> String {
    let url = b"http://www.example.com/item.php?id=7&sid=s7";
    folder.undust_reading("apply --rules rules.json", url).fine()
}

/// The lines of talk, without the tables.
fn talk(folder: &Folder, arguments: &str) -> String {
    let run = folder.undust(arguments);
    let talk = run.err.clone();
    run.fine();
    talk
}

fn edit(folder: &Folder, from: &str, to: &str) {
    let rules = folder.read("rules.json");
    assert!(rules.contains(from), "{rules}");
    folder.write("rules.json", rules.replace(from, to));
}

#[test]
fn without_decisions_the_same_rows_give_the_same_file() {
    let folder = Folder::learned(shop());
    let before = folder.read("rules.json");
    assert_snapshot!(talk(&folder, "learn crawl.tsv"), @"
    rules written to rules.json
    compared with the rules that were there: 0 new, 0 gone, 1 as before; 0 decisions kept
    ");
    assert_eq!(folder.read("rules.json"), before);
}

#[test]
fn a_rejected_rule_stays_rejected() {
    let folder = Folder::learned(shop());
    edit(&folder, r#""review": "proposed""#, r#""review": "rejected", "note": "it holds the basket""#);
    assert_snapshot!(talk(&folder, "learn crawl.tsv"), @"
    left out, since a rejected or refuted rule does the same: 13 proposals
    rules written to rules.json
    compared with the rules that were there: 0 new, 0 gone, 1 as before; 1 decision kept
    ");
    let rules = folder.read("rules.json");
    assert_eq!(rules.matches(r#""review": "#).count(), 1, "{rules}");
    assert!(rules.contains(r#""review": "rejected""#) && rules.contains("it holds the basket"), "{rules}");
    // Neither another rule nor a model does its work.
    assert_eq!(key(&folder), "http://www.example.com/item.php?id=7&sid=s7\n");
    folder.undust("check rules.json").fine();
}

#[test]
fn other_words_for_a_rejected_rule_are_not_proposed() {
    let folder = with_rules(
        r#"{"match": "http://www.example.com/item.php?id={id}&sid=*", "rewrite": "http://www.example.com/item.php?id={id}",
            "learner": "rewrite", "review": "rejected"}"#,
    );
    folder.undust("learn crawl.tsv").fine();
    assert_eq!(key(&folder), "http://www.example.com/item.php?id=7&sid=s7\n");
    assert_eq!(folder.read("rules.json").matches(r#""review": "#).count(), 1);
}

#[test]
fn a_rule_written_by_hand_stays_and_is_judged() {
    let folder = with_rules(
        r#"{"id": "no-session", "note": "since 2019", "match": "http://{...}/{...}?sid=*&{...}",
            "rewrite": "http://{...}/{...}?{...}"}"#,
    );
    assert_snapshot!(talk(&folder, "learn crawl.tsv"), @"
    rules written to rules.json
    compared with the rules that were there: 0 new, 0 gone, 1 as before; 1 decision kept
    ");
    assert_snapshot!(folder.undust("explain --rules rules.json http://www.example.com/item.php?id=7&sid=s7"), @"
    http://www.example.com/item.php?id=7&sid=s7
      rule no-session (IRP, written by hand)
          http://{...}/{...}?sid=*&{...}
       -> http://{...}/{...}?{...}
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
    // It says all there is to say: nothing is learned that repeats it.
    assert_eq!(folder.read("rules.json").matches(r#""review": "#).count(), 1);
    folder.undust("check rules.json").fine();
}

#[test]
fn a_persons_rule_that_the_crawl_refutes_stays_with_a_warning() {
    let folder = with_rules(
        r#"{"id": "one-item", "match": "http://www.example.com/item.php?id={id}",
            "rewrite": "http://www.example.com/item.php?id=0"}"#,
    );
    assert_snapshot!(talk(&folder, "learn crawl.tsv"), @r#"
    warning: rule one-item is wrong on 399 of 399 URLs here, and the limit is 1 %: it stays, since a person decided on it; "review": "rejected" takes it out of use
    rules written to rules.json
    compared with the rules that were there: 0 new, 0 gone, 1 as before; 1 decision kept
    "#);
    let rules = folder.read("rules.json");
    assert!(rules.contains(r#""id": "one-item""#), "{rules}");
    folder.undust("check rules.json").fine();
}

#[test]
fn new_rules_get_along_with_those_of_a_person() {
    // The learner would lead the other way.
    let folder = with_rules(
        r#"{"id": "to-session", "review": "accepted", "learner": "usual",
            "match": "http://www.example.com/item.php?id={id}",
            "rewrite": "http://www.example.com/item.php?id={id}&sid=any"}"#,
    );
    folder.undust("learn crawl.tsv").fine();
    assert!(folder.read("rules.json").contains(r#""id": "to-session""#));
    folder.undust("check rules.json").fine();
}

#[test]
fn verdicts_stay() {
    let folder = Folder::learned(shop());
    folder.undust("validate --rules rules.json --labelled crawl.tsv").fine();
    let before = folder.read("rules.json");
    assert!(before.contains(r#""verdict": "valid""#), "{before}");
    folder.undust("learn crawl.tsv").fine();
    assert_eq!(folder.read("rules.json"), before);

    edit(&folder, r#""verdict": "valid""#, r#""verdict": "invalid""#);
    folder.undust("learn crawl.tsv").fine();
    let after = folder.read("rules.json");
    assert_eq!(after.matches(r#""review": "#).count(), 1, "{after}");
    assert!(after.contains(r#""verdict": "invalid""#), "{after}");
}

/// Without labels: what was tried out is not to be tried again.
#[test]
fn likely_rules_keep_their_verdicts() {
    let urls: Vec<String> =
        shop().lines().filter_map(|row| row.split('\t').next()).map(str::to_owned).collect();
    let folder = Folder::with("crawl.tsv", shop()).and("urls.tsv", urls.join("\n"));
    let learn = "learn urls.tsv --method dustbuster";
    folder.undust(learn).fine();
    let proposed = folder.read("rules.json");
    assert!(proposed.contains(r#""verdict": "likely""#), "{proposed}");
    folder.undust(learn).fine();
    assert_eq!(folder.read("rules.json"), proposed);
    folder.undust("validate --rules rules.json --labelled crawl.tsv");
    let tried = folder.read("rules.json");
    assert!(!tried.contains(r#""verdict": "likely""#), "{tried}");
    folder.undust(learn).fine();
    let valid = |rules: &str| rules.matches(r#""verdict": "valid""#).count();
    let invalid = |rules: &str| rules.matches(r#""verdict": "invalid""#).count();
    let again = folder.read("rules.json");
    assert_eq!((valid(&again), invalid(&again)), (valid(&tried), invalid(&tried)), "{again}");
}

#[test]
fn sites_that_were_not_crawled_stay() {
    let folder = Folder::with("crawl.tsv", shop()).and("shops.tsv", shops());
    folder.undust("learn shops.tsv").fine();
    edit(&folder, r#""site": "example.net""#, r#""site": "elsewhere.example""#);
    assert_snapshot!(talk(&folder, "learn crawl.tsv"), @"
    rules written to rules.json
    compared with the rules that were there: 1 new, 1 gone, 2 as before; 0 decisions kept
      gone: http://{...}/{...}?sid={?}&{...} -> http://{...}/{...}?{...}
    ");
    let rules = folder.read("rules.json");
    for site in ["elsewhere.example", "example.com", "example.org"] {
        assert!(rules.contains(&format!("\"site\": \"{site}\"")), "{rules}");
    }
    folder.undust("learn crawl.tsv --fresh").fine();
    assert!(!folder.read("rules.json").contains("example.org"));
}

#[test]
fn a_site_of_which_next_to_nothing_was_seen_stays() {
    let folder = Folder::learned(shop());
    let before = folder.read("rules.json");
    folder.write("crawl.tsv", "url\tcluster\nhttp://www.example.com/item.php?id=1\tc1\n");
    folder.undust("learn crawl.tsv").fine();
    let rules = |file: &str| file.split_once("\"sites\"").map(|(_, sites)| sites.to_owned());
    assert_eq!(rules(&folder.read("rules.json")), rules(&before));
}

#[test]
fn starting_over_leaves_backups() {
    let folder = with_rules(r#"{"id": "mine", "replace": "/index.html$", "with": "/$"}"#);
    let mine = folder.read("rules.json");
    assert_snapshot!(talk(&folder, "learn crawl.tsv --fresh"), @"
    rules written to rules.json
    the rules that were there are in rules.json.bak
    ");
    assert_eq!(folder.read("rules.json.bak"), mine);
    assert!(!folder.read("rules.json").contains("mine"));
    assert_snapshot!(talk(&folder, "learn crawl.tsv --fresh"), @"
    rules written to rules.json
    the rules that were there are in rules.json.bak2
    ");
    assert_eq!(folder.names(), ["crawl.tsv", "rules.json", "rules.json.bak", "rules.json.bak2"]);
    assert_eq!(folder.read("rules.json.bak"), mine);
}

#[test]
fn what_is_no_rule_file_is_not_replaced() {
    for other in ["{\"name\": \"a package\"}", "plain text\n", "[]"] {
        let folder = Folder::with("crawl.tsv", shop()).and("rules.json", other);
        let error = folder.undust("learn crawl.tsv").failed();
        assert!(error.starts_with("undust: rules.json: "), "{error}");
        assert!(error.contains("--fresh") && error.contains("-o"), "{error}");
        assert_eq!(folder.read("rules.json"), other);
    }
    let folder = Folder::with("crawl.tsv", shop()).and("rules.json", "");
    folder.undust("learn crawl.tsv").fine();
}

#[test]
fn sites_must_mean_the_same() {
    let folder = Folder::learned(shop());
    assert_snapshot!(folder.undust("learn crawl.tsv --site-by host"), @"
    ! undust: the rules that are there are grouped by domain, not by host: learn with --site-by domain, or start over with --fresh
    = 2
    ");
}

#[test]
fn what_changed_in_json() {
    let folder = Folder::learned(shop());
    let summary = folder.undust("learn crawl.tsv --json").fine();
    let changes = summary.split_once("\"changes\": {").expect("changes").1;
    let changes = changes.split_once('}').expect("an end").0;
    assert_eq!(
        changes.split_whitespace().collect::<String>(),
        r#""as_before":1,"decided":0,"gone":0,"new":0"#
    );
}

#[test]
fn two_files_that_are_the_same() {
    let folder = Folder::with("rules.json", RULES);
    assert_snapshot!(folder.undust("diff rules.json rules.json"), @"
    0 added, 0 lost, 0 changed; 3 rules the same in both
    = 0
    ");
}

fn two_files() -> Folder {
    let other = RULES
        .replace(r#""note": "written by hand""#, r#""review": "rejected""#)
        .replace("print/{id:digits}", "print/{id}");
    Folder::with("old.json", RULES).and("new.json", other).and(
        "urls.txt",
        "http://www.example.com/a?sid=1\nhttp://www.example.com/print/7\nhttp://www.example.com/print/seven\n",
    )
}

#[test]
fn two_files_that_differ() {
    let folder = two_files();
    assert_snapshot!(folder.undust("diff old.json new.json --urls urls.txt"), @"
    example.com
    + http://www.example.com/print/{id} -> http://www.example.com/item?id={id}
    - http://www.example.com/print/{id:digits} -> http://www.example.com/item?id={id}
    ~ http://{...}/{...}?sid=*&{...} -> http://{...}/{...}?{...}
        review: proposed -> rejected
        note: 'written by hand' -> none

    1 added, 1 lost, 1 changed; 1 rule the same in both

    of 3 URLs, 2 treated differently (2 by their key, 0 by a skip); to fetch: 3 before, 3 now
      http://www.example.com/a?sid=1
        - http://www.example.com/a
        + http://www.example.com/a?sid=1
      http://www.example.com/print/seven
        - http://www.example.com/print/seven
        + http://www.example.com/item?id=seven
    = 1
    ");
}

#[test]
fn two_files_that_differ_in_json() {
    let folder = two_files();
    assert_snapshot!(folder.undust("diff old.json new.json --urls urls.txt --json"), @r#"
    {
      "different": true,
      "models_differ": [],
      "normalize_differs": false,
      "same": 1,
      "site_by_differs": false,
      "sites": [
        {
          "added": [
            {
              "from": "http://www.example.com/print/{id}",
              "id": "print",
              "to": "http://www.example.com/item?id={id}"
            }
          ],
          "changed": [
            {
              "changes": {
                "note": [
                  "written by hand",
                  null
                ],
                "review": [
                  "proposed",
                  "rejected"
                ]
              },
              "from": "http://{...}/{...}?sid=*&{...}",
              "id": "no-session",
              "to": "http://{...}/{...}?{...}"
            }
          ],
          "lost": [
            {
              "from": "http://www.example.com/print/{id:digits}",
              "id": "print",
              "to": "http://www.example.com/item?id={id}"
            }
          ],
          "reordered": false,
          "site": "example.com"
        }
      ],
      "urls": {
        "different": 2,
        "examples": [
          {
            "new": {
              "key": "http://www.example.com/a?sid=1",
              "skipped": false
            },
            "old": {
              "key": "http://www.example.com/a",
              "skipped": false
            },
            "url": "http://www.example.com/a?sid=1"
          },
          {
            "new": {
              "key": "http://www.example.com/item?id=seven",
              "skipped": false
            },
            "old": {
              "key": "http://www.example.com/print/seven",
              "skipped": false
            },
            "url": "http://www.example.com/print/seven"
          }
        ],
        "fetches": [
          3,
          3
        ],
        "other_key": 2,
        "other_skip": 0,
        "read": 3
      }
    }
    = 1
    "#);
}

#[test]
fn skips_order_and_settings_differ() {
    let swapped = RULES.replace("\"undust\": 1,", "\"undust\": 1, \"normalize\": false,");
    let folder = Folder::with("rules.json", RULES).and("skips.json", SKIPS).and("other.json", swapped);
    let urls = b"http://www.example.com/?p=7\n";
    assert_snapshot!(folder.undust_reading("diff rules.json skips.json --urls -", urls), @"
    example.com
    + http://www.example.com/?p={p:digits} -> skip
    + http://www.example.com/?sid=*&{...} -> http://www.example.com/?{...}
    - http://{...}/{...}?sid=*&{...} -> http://{...}/{...}?{...}
    - http://www.example.com/print/{id:digits} -> http://www.example.com/item?id={id}
    - http://www.example.com/help?skin=* -> http://www.example.com/help?skin=*

    2 added, 3 lost, 0 changed; 0 rules the same in both

    of 1 URL, 1 treated differently (0 by their key, 1 by a skip); to fetch: 1 before, 0 now
      http://www.example.com/?p=7
        - http://www.example.com/?p=7
        + http://www.example.com/?p=7 (skipped)
    = 1
    ");
    assert_snapshot!(folder.undust("diff rules.json other.json"), @r#"
    only one of the files has URLs normalised ("normalize")
    0 added, 0 lost, 0 changed; 3 rules the same in both
    = 1
    "#);
    assert_snapshot!(folder.undust("diff - rules.json --urls -"), @"
    ! undust: only one of the rule files and the URLs can come from standard input
    = 2
    ");
    assert_snapshot!(folder.undust("diff rules.json nothing.json"), @"
    ! undust: nothing.json: No such file or directory (os error 2)
    = 2
    ");
}

/// What writes rules that are not learned from this crawl keeps the file that it replaces.
#[test]
fn an_import_keeps_what_was_there() {
    let folder = Folder::with("rules.json", RULES).and("filters.txt", "||example.com^$removeparam=sid\n");
    let import = "import filters.txt --from removeparam -o rules.json";
    let first = folder.undust(import).to_string();
    assert!(first.contains("what rules.json held before is in rules.json.bak"), "{first}");
    assert_eq!(folder.read("rules.json.bak"), RULES);
    let again = folder.undust(import).to_string();
    assert!(!again.contains(".bak"), "the same rules need no backup: {again}");
}
