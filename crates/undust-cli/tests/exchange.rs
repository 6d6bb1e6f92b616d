//! `export` and `import`.

use insta::assert_snapshot;

use crate::data::RULES;
use crate::folder::Folder;

/// A session id on a site, a campaign on all of them, and what only some formats can say.
const MIXED: &str = r#"{ "undust": 1, "sites": [
  { "site": "*", "rules": [
    { "id": "utm", "match": "{s}://{...}/{...}?utm_source={?}&{...}", "rewrite": "{s}://{...}/{...}?{...}" }
  ] },
  { "site": "example.com", "rules": [
    { "id": "sid", "match": "{s}://{...}/{...}?{...}&sid={?}", "rewrite": "{s}://{...}/{...}?{...}" },
    { "id": "sort", "match": "{s}://www.example.com/list?sort=*&{...}", "rewrite": "{s}://www.example.com/list?{...}" },
    { "id": "below", "match": "{s}://www.example.com/a/{...}?ref=*&{...}", "rewrite": "{s}://www.example.com/a/{...}?{...}" },
    { "id": "print", "match": "http://www.example.com/print/{id:digits}", "rewrite": "http://www.example.com/item?id={id}" },
    { "id": "index", "replace": "/index.html$", "with": "/$" },
    { "id": "lower", "match": "http://www.example.com/{x}", "rewrite": "http://www.example.com/{lower(x)}" },
    { "id": "no", "match": "http://www.example.com/x", "rewrite": "http://www.example.com/y", "review": "rejected" },
    { "id": "skip", "match": "http://www.example.com/?p={p:digits}", "skip": true }
  ] }
] }"#;

fn exported(format: &str) -> String {
    let folder = Folder::with("rules.json", MIXED);
    folder.undust(&format!("export --rules rules.json --to {format}")).to_string()
}

#[test]
fn for_duplicate_url_discarder() {
    assert_snapshot!(exported("duplicate-url-discarder"), @"");
}

#[test]
fn for_nutch() {
    assert_snapshot!(exported("nutch"), @"");
}

#[test]
fn for_clearurls() {
    assert_snapshot!(exported("clearurls"), @"");
}

#[test]
fn for_ad_blockers() {
    assert_snapshot!(exported("removeparam"), @"");
}

#[test]
fn for_nginx() {
    assert_snapshot!(exported("nginx"), @"");
}

#[test]
fn for_apache() {
    assert_snapshot!(exported("apache"), @"");
}

#[test]
fn for_robots() {
    assert_snapshot!(exported("clean-param"), @"");
}

#[test]
fn for_caches() {
    assert_snapshot!(exported("no-vary-search"), @"");
}

#[test]
fn as_expressions() {
    assert_snapshot!(exported("regex"), @"");
}

#[test]
fn an_export_is_a_file() {
    let folder = Folder::with("rules.json", RULES);
    assert_snapshot!(folder.undust("export -r rules.json --to removeparam -o list.txt"), @"");
    assert_snapshot!(folder.read("list.txt"), @"");
    assert_snapshot!(folder.undust("export -r rules.json --to removeparam -o rules.json"), @"");
    assert_snapshot!(folder.undust("export -r rules.json --to somewhere"), @"");
}

#[test]
fn an_import_is_fit_to_be_used() {
    let filters =
        "! trackers\n||example.com^$removeparam=ref\n$removeparam=utm_source\n@@||b.com^$removeparam\n";
    let folder = Folder::with("list.txt", filters);
    assert_snapshot!(folder.undust("import list.txt --from removeparam -o rules.json"), @"");
    assert_snapshot!(folder.undust("check rules.json"), @"");
    let url = b"https://www.example.com/?ref=1&utm_source=2&q=3";
    assert_eq!(folder.undust_reading("apply -r rules.json", url).fine(), "https://www.example.com/?q=3\n");
}

#[test]
fn bad_files_are_named() {
    let folder = Folder::with("list.json", "[{]").and("list.xml", "<regex-normalize>\n<regex>\n");
    assert_snapshot!(folder.undust("import list.json --from duplicate-url-discarder"), @"");
    assert_snapshot!(folder.undust("import list.xml --from nutch"), @"");
    assert_snapshot!(folder.undust("import missing --from clearurls"), @"");
    assert_snapshot!(folder.undust("import list.xml --from nginx"), @"");
}
