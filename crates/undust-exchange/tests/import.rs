//! What is read, applied; and what other tools get wrong.

use undust::apply::{Canonicalizer, Form, Scratch, check};
use undust_exchange::{Format, Imported, export, import};

/// What the rules make of `url`, for good: applied again, they change nothing.
fn applied(imported: &Imported, url: &str) -> String {
    assert_eq!(check(&imported.rules), []);
    let engine = Canonicalizer::of_rules(&imported.rules, Form::Url);
    let apply = |url: &str| {
        let mut out = Vec::new();
        engine.canonicalize_into(url.as_bytes(), &mut Scratch::new(), &mut out);
        String::from_utf8(out).expect("text")
    };
    let result = apply(url);
    assert_eq!(apply(&result), result);
    result
}

const DISCARDER: &str = r#"[
  { "order": 1, "processor": "queryRemoval", "args": ["smid"], "urlPattern": { "include": ["nytimes.com"] } },
  { "order": 0, "processor": "queryRemoval", "args": ["utm_source"], "urlPattern": { "include": [""] } },
  { "order": 0, "processor": "normalizer", "urlPattern": { "include": [""] } },
  { "order": 0, "processor": "queryRemoval", "args": ["x"], "urlPattern": { "include": ["a.com/dp|", "a.com/*/dp"] } },
  { "order": 0, "processor": "subpathRemoval", "args": [0], "urlPattern": { "include": ["a.com"] } },
  { "order": 0 }
]"#;

#[test]
fn a_site_with_rules_keeps_those_of_every_site() {
    let imported = import(DISCARDER, Format::DuplicateUrlDiscarder).expect("JSON");
    let url = "https://www.nytimes.com/2026/a.html?utm_source=x&smid=tw";
    assert_eq!(applied(&imported, url), "https://nytimes.com/2026/a.html");
    assert_eq!(applied(&imported, "https://www1355544.com/"), "https://www1355544.com/");
    assert_eq!(applied(&imported, "http://www2.b.com/x"), "http://b.com/x");
    assert_eq!(applied(&imported, "http://www.com/x"), "http://www.com/x");
    assert_eq!(applied(&imported, "http://www.a.com/dp?x=1"), "http://a.com/dp");
    assert_eq!(applied(&imported, "http://a.com/dp/7?x=1"), "http://a.com/dp/7?x=1");
}

#[test]
fn all_parameters_may_go() {
    let rule =
        r#"[{ "order": 0, "processor": "queryRemovalExcept", "urlPattern": { "include": ["a.com/dp|"] } }]"#;
    let imported = import(rule, Format::DuplicateUrlDiscarder).expect("JSON");
    assert_eq!(applied(&imported, "http://www.a.com/dp?x=1&y=2"), "http://www.a.com/dp");
    assert_eq!(applied(&imported, "http://m.a.com/dp?x=1&y=2"), "http://m.a.com/dp?x=1&y=2");
}

#[test]
fn what_is_not_read_is_listed() {
    let imported = import(DISCARDER, Format::DuplicateUrlDiscarder).expect("JSON");
    let reasons: Vec<&str> = imported.left_out.iter().map(|one| one.reason.as_str()).collect();
    assert_eq!(
        reasons,
        [
            "missing field `processor`",
            "a slash at the end stays: rules that drop it cannot be shown to come to rest together with those for www",
            "rules ask for no wildcards, parameters or fragments as a pattern does",
            "our rules run until nothing changes: one component after the other would go",
        ]
    );
    assert!(import("{", Format::DuplicateUrlDiscarder).is_err());
    assert!(import("[]", Format::Nginx).is_err());
}

const NUTCH: &str = r#"<?xml version="1.0"?>
<regex-normalize>
<regex><pattern>/index\.html$</pattern><substitution>/</substitution></regex>
<regex><pattern>(?&lt;!:)/{2,}</pattern><substitution>/</substitution></regex>
<regex><pattern>sid=</pattern><substitution></substitution></regex>
<regex><pattern>^https?://www\.a\.com/p/([0-9]+)$</pattern><substitution>http://www.a.com/print?id=$1</substitution></regex>
</regex-normalize>
"#;

#[test]
fn expressions_of_java() {
    let imported = import(NUTCH, Format::Nutch).expect("XML");
    assert_eq!(applied(&imported, "http://b.com/x/index.html"), "http://b.com/x/");
    assert_eq!(applied(&imported, "https://www.a.com/p/17"), "http://www.a.com/print?id=17");
    let places: Vec<&str> =
        imported.left_out.iter().map(|one| one.what.split(':').next().unwrap_or("")).collect();
    assert_eq!(places, ["line 4", "line 5"]);
    assert!(import("<a>", Format::Nutch).is_err() && import("<a/>", Format::Nutch).is_err());
}

/// Rules that may each be fit and are not shown to come to rest together: the one that was read last is left out.
#[test]
fn unfit_rules_are_left_out_one_by_one() {
    let there =
        "<regex><pattern>^http://a\\.com/a$</pattern><substitution>http://a.com/b</substitution></regex>";
    let back =
        "<regex><pattern>^http://a\\.com/b$</pattern><substitution>http://a.com/a</substitution></regex>";
    let imported =
        import(&format!("<regex-normalize>{there}\n{back}</regex-normalize>"), Format::Nutch).expect("XML");
    assert_eq!(applied(&imported, "http://a.com/a"), "http://a.com/b");
    let [unfit] = imported.left_out.as_slice() else { panic!("{:?}", imported.left_out) };
    assert!(unfit.what.starts_with("line 2:") && unfit.reason.contains("come to rest"), "{unfit:?}");
}

const CLEARURLS: &str = r#"{ "providers": {
  "shop": { "urlPattern": "^https?:\\/\\/(?:[a-z0-9-]+\\.)*?shop\\.com", "rules": ["(?:ref|src)_?", "utm_[a-z]+"],
    "exceptions": ["^https?:\\/\\/shop\\.com\\/login"] },
  "globalRules": { "urlPattern": ".*", "rules": ["utm_source"] },
  "many": { "urlPattern": "^https?:\\/\\/(?:[a-z0-9-]+\\.)*?many(?:\\.[a-z]{2,}){1,}", "rules": ["a", "b"] },
  "odd": { "urlPattern": 7 }
} }"#;

#[test]
fn providers_of_clearurls() {
    let imported = import(CLEARURLS, Format::ClearUrls).expect("JSON");
    assert_eq!(
        applied(&imported, "http://www.shop.com/?src=1&q=2&ref_=3&utm_source=4"),
        "http://www.shop.com/?q=2"
    );
    assert_eq!(applied(&imported, "http://b.com/?src=1&utm_source=4"), "http://b.com/?src=1");
    assert_eq!(imported.left_out.len(), 4, "{:#?}", imported.left_out);
}

const FILTERS: &str = "\
! a remark
$removeparam=utm_source
||example.com^$removeparam=ref
||m.example.com/list?$removeparam=page,document
$removeparam=fbclid,domain=a.com|b.com
@@||example.com^$removeparam=utm_source
||example.com^$removeparam=/^x_/
||google.*^$removeparam=ved
||example.com^$third-party
";

#[test]
fn filters_of_ad_blockers() {
    let imported = import(FILTERS, Format::RemoveParam).expect("lines");
    assert_eq!(
        applied(&imported, "http://m.example.com/list?page=1&ref=2&utm_source=3"),
        "http://m.example.com/list"
    );
    assert_eq!(applied(&imported, "http://m.example.com/lists?page=1"), "http://m.example.com/lists?page=1");
    assert_eq!(applied(&imported, "http://www.a.com/?fbclid=1&ref=2"), "http://www.a.com/?ref=2");
    assert_eq!(imported.left_out.len(), 4, "{:#?}", imported.left_out);
}

/// What we write and can read says the same when it comes back.
#[test]
fn there_and_back() {
    let imported = import(FILTERS, Format::RemoveParam).expect("lines");
    for format in Format::READ {
        let exported = export(&imported.rules, format);
        let back = import(&exported.text, format).expect("our own");
        let url = "http://www.example.com/?q=1&ref=2";
        if format != Format::Nutch {
            assert_eq!(applied(&back, url), "http://www.example.com/?q=1", "{format}");
        }
    }
}

/// Hosts of networks of one's own have names of one label, or under no public suffix.
#[test]
fn hosts_that_are_not_public() {
    let filters = "||wiki^$removeparam=sid\n||doc.test/$removeparam=ref\n$removeparam=x,domain=localhost|ci.internal\n||cdn$removeparam=y\n";
    let imported = import(filters, Format::RemoveParam).expect("filters");
    assert_eq!(applied(&imported, "http://wiki/a?id=1&sid=2"), "http://wiki/a?id=1");
    assert_eq!(applied(&imported, "http://www.doc.test/a?ref=2"), "http://www.doc.test/a");
    assert_eq!(applied(&imported, "http://localhost/a?x=2&sid=1"), "http://localhost/a?sid=1");
    assert_eq!(applied(&imported, "http://ci.internal/a?x=2"), "http://ci.internal/a");
    let reasons: Vec<&str> = imported.left_out.iter().map(|one| one.reason.as_str()).collect();
    assert_eq!(reasons, ["hosts that begin with 'cdn' may be many"]);

    let provider = |pattern: &str| {
        let rules = format!(r#"{{"providers": {{"own": {{"urlPattern": "{pattern}", "rules": ["sid"]}}}}}}"#);
        import(&rules, Format::ClearUrls).expect("JSON")
    };
    let own = provider(r"^https?:\\/\\/(?:[a-z0-9-]+\\.)*?wiki\\/");
    assert_eq!(applied(&own, "http://wiki/a?id=1&sid=2"), "http://wiki/a?id=1");
    assert_eq!(provider(r"^https?:\\/\\/(?:[a-z0-9-]+\\.)*?wiki").left_out.len(), 1);
}
