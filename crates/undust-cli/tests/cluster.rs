//! `undust cluster`, and `undust learn` from pages with their content.

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::folder::Folder;

/// Some words that are the same for the same number.
fn words(seed: usize, count: usize) -> String {
    let word = |i: usize| -> String {
        let number = (seed + 1) * 7919 + i * 104_729;
        number.to_string().bytes().map(|digit| char::from(digit - b'0' + b'a')).collect()
    };
    (0..count).map(word).collect::<Vec<_>>().join(" ")
}

fn html(title: &str, text: &str) -> String {
    format!("<html><title>{title}</title><body><nav>Home News Contact</nav><p>{text}</p></body></html>")
}

/// A record of a WARC file.
fn record(url: &str, http: &str) -> String {
    format!(
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nContent-Type: application/http\r\nContent-Length: {}\r\n\r\n{http}\r\n\r\n",
        http.len()
    )
}

fn answer(url: &str, body: &str) -> String {
    record(
        url,
        &format!(
            "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        ),
    )
}

/// A small crawl: a print view, a redirect, a canonical URL that is right and one that is wrong, an error page.
fn crawl() -> String {
    let story = |n: usize| html(&format!("Story {n}"), &words(n, 80));
    let canonical = |n: usize| format!("<link rel=canonical href=http://a.org/1>{}", story(n));
    [
        answer("http://a.org/1", &story(1)),
        answer("http://a.org/1?print=yes", &story(1).replace("<nav>", "<nav>Back ")),
        record("http://a.org/one", "HTTP/1.1 301 Moved\r\nLocation: /1\r\n\r\n"),
        answer("http://a.org/1?ref=x", &canonical(1)),
        answer("http://a.org/2", &canonical(2)),
        record("http://a.org/3", "HTTP/1.1 404 Not Found\r\n\r\nno such page"),
        answer("http://b.org/1", &story(1)),
    ]
    .concat()
}

#[test]
fn a_crawl_and_what_each_evidence_tells() {
    let folder = Folder::with("crawl.warc", crawl());
    assert_snapshot!(folder.undust("cluster crawl.warc -o pages.tsv"), @"
    7 pages on 2 sites, 5 with text
    3 different, 3 duplicates (50.0 %)
    1 page in no cluster: failed requests, or nothing known of the content

    evidence   alone  only
    ───────────────────────
    digest         0     0
    simhash        2     0
    shingles       2     0
    rows           0     0
    canonical      1     0
    redirect       1     1
    declared       0     0

    alone:  pages that this kind alone shows to be the same as an earlier one
    only:   pages of which nothing else shows that

    one canonical URL, different texts: 1
      http://a.org/1
        http://a.org/2
    ! pages written to pages.tsv
    = 0
    ");
    assert_snapshot!(folder.read("pages.tsv"), @"
    url	cluster	digest	simhash	size	status	title	canonical	redirect
    http://a.org/1	a.org#1	14677e014a18a61622fd57438197507e	587516c0dd653861	711	200	Story 1		
    http://a.org/1?print=yes	a.org#1	e51376b922e091ca2de71805faba6d9c	587516c0dd653861	716	200	Story 1		
    http://a.org/one	a.org#1	99aa06d3014798d86001c324468d497f		0	301			/1
    http://a.org/1?ref=x	a.org#1	43eed87792e372ec37f083955b5365df	587516c0dd653861	751	200	Story 1	http://a.org/1	
    http://a.org/2	a.org#2	0a79ac8f3a92a9034c77631b9451d2b1	73908b0bc185c016	751	200	Story 2	http://a.org/1	
    http://a.org/3		c042462e43d672f13be7aaa40df14362		12	404			
    http://b.org/1	b.org#1	14677e014a18a61622fd57438197507e	587516c0dd653861	711	200	Story 1
    ");
}

#[test]
fn evidence_at_its_word() {
    let folder = Folder::with("crawl.warc", crawl());
    assert_snapshot!(folder.undust("cluster crawl.warc --by canonical,redirect -o pages.jsonl"), @"
    7 pages on 2 sites, 5 with text
    3 different, 3 duplicates (50.0 %)
    1 page in no cluster: failed requests, or nothing known of the content

    evidence   alone  only
    ───────────────────────
    canonical      2     2
    redirect       1     1

    alone:  pages that this kind alone shows to be the same as an earlier one
    only:   pages of which nothing else shows that

    one canonical URL, different texts: 1
      http://a.org/1
        http://a.org/2
    ! pages written to pages.jsonl
    = 0
    ");
    assert_snapshot!(folder.read("pages.jsonl"), @r#"
    {"url": "http://a.org/1", "cluster": "a.org#1", "digest": "14677e014a18a61622fd57438197507e", "simhash": "587516c0dd653861", "size": 711, "status": 200, "title": "Story 1"}
    {"url": "http://a.org/1?print=yes", "cluster": "a.org#2", "digest": "e51376b922e091ca2de71805faba6d9c", "simhash": "587516c0dd653861", "size": 716, "status": 200, "title": "Story 1"}
    {"url": "http://a.org/one", "cluster": "a.org#1", "digest": "99aa06d3014798d86001c324468d497f", "size": 0, "status": 301, "redirect": "/1"}
    {"url": "http://a.org/1?ref=x", "cluster": "a.org#1", "digest": "43eed87792e372ec37f083955b5365df", "simhash": "587516c0dd653861", "size": 751, "status": 200, "title": "Story 1", "canonical": "http://a.org/1"}
    {"url": "http://a.org/2", "cluster": "a.org#1", "digest": "0a79ac8f3a92a9034c77631b9451d2b1", "simhash": "73908b0bc185c016", "size": 751, "status": 200, "title": "Story 2", "canonical": "http://a.org/1"}
    {"url": "http://a.org/3", "digest": "c042462e43d672f13be7aaa40df14362", "size": 12, "status": 404}
    {"url": "http://b.org/1", "cluster": "b.org#1", "digest": "14677e014a18a61622fd57438197507e", "simhash": "587516c0dd653861", "size": 711, "status": 200, "title": "Story 1"}
    "#);
}

#[test]
fn pages_to_standard_output() {
    let folder = Folder::with("crawl.warc", crawl());
    let run = folder.undust("cluster crawl.warc");
    assert!(run.err.starts_with("7 pages on 2 sites"), "{run}");
    let table = run.fine();
    folder.undust("cluster crawl.warc -o pages.tsv").fine();
    assert_eq!(table, folder.read("pages.tsv"));
}

#[test]
fn a_reference_and_json() {
    let reference = "url\tcluster\nhttp://a.org/1\tx\nhttp://a.org/1?print=yes\tx\nhttp://a.org/2\tx\nhttp://elsewhere.org/\ty\n";
    let folder = Folder::with("crawl.warc", crawl()).and("reference.tsv", reference);
    let found = folder.undust("cluster crawl.warc -o pages.tsv --reference reference.tsv --json").fine();
    let found: Value = serde_json::from_str(&found).expect("JSON");
    assert_eq!(
        found["reference"],
        json!({"found": 1, "expected": 3, "right": 1, "precision": 1.0, "recall": 1.0 / 3.0})
    );
    assert_eq!((&found["pages"], &found["clusters"]), (&json!(7), &json!(3)));
}

#[test]
fn what_cannot_be_clustered() {
    let folder = Folder::with("crawl.warc", crawl()).and("urls.txt", "http://a.org/\n");
    let say = |arguments: &str| folder.undust(arguments).to_string();
    assert_snapshot!(say("cluster urls.txt"), @"
    ! undust: nothing to tell pages by: they need html, text, a digest, a simhash or the like (1 page, none like that)
    = 2
    ");
    assert_snapshot!(say("cluster crawl.warc -o crawl.warc"), @"
    ! undust: crawl.warc is an input: the pages would replace it
    = 2
    ");
    assert_snapshot!(say("cluster crawl.warc --json"), @"
    ! undust: --json and the pages cannot both go to standard output: name a file with -o
    = 2
    ");
    assert_snapshot!(say("cluster crawl.warc --by text"), @"
    ! error: invalid value 'text' for '--by <KINDS>': unknown kind 'text'; known: auto, digest, simhash, shingles, rows, canonical, redirect, declared
    !
    ! For more information, try '--help'.
    = 2
    ");
    assert_snapshot!(say("cluster crawl.warc -o pages.tsv --reference urls.txt"), @"
    ! undust: the reference has no labelled URL that is in the input
    = 2
    ");
}

#[test]
fn a_cut_crawl_is_read_as_far_as_it_goes() {
    let crawl = crawl();
    let folder = Folder::with("crawl.warc", &crawl[..crawl.len() - 100]);
    assert_snapshot!(folder.undust("cluster crawl.warc -o pages.tsv").err, @"
    1 of 7 records could not be read and was skipped:
      crawl.warc:7: the file ends in the middle of this record
    pages written to pages.tsv
    ");
}

/// A site with two URLs for each page, as JSON lines.
fn shop() -> String {
    let page = |n: usize, url: String| {
        let html = html(&format!("Item {n}"), &words(n, 60));
        json!({"url": url, "status": 200, "html": html}).to_string() + "\n"
    };
    (0..400)
        .map(|n| {
            page(n, format!("http://shop.org/item?id={n}"))
                + &page(n, format!("http://shop.org/item?id={n}&print=1"))
        })
        .collect()
}

#[test]
fn rules_from_content_in_one_go() {
    let folder = Folder::with("shop.jsonl", shop());
    folder.undust("cluster shop.jsonl -o shop.tsv").fine();
    folder.undust("learn shop.tsv -o two-steps.json").fine();
    assert_snapshot!(folder.undust("learn shop.jsonl -o rules.json"), @"
    rule                                class  saved  wrong  at most
    ─────────────────────────────────────────────────────────────────
    http://shop.org/item?print=1&{...}  DUST     400  0/400    0.8 %
    → http://shop.org/item?{...}

    saved:    URLs that need no fetch
    wrong:    those with another page, of the held-out URLs so saved
    at most:  the share of wrong ones that this leaves possible (95 % confidence);
              --max-fpr limits it for the rules of a site together, not for each

    800 URLs of 400 pages on 1 site: 1 rule (10 proposed)
    URLs saved: 400 (50.0 %)

    learner        proposed  kept  saved
    ─────────────────────────────────────
    dustbuster            2     0      0
    rewrite               2     0      0
    decision-tree         1     1    400
    pattern-tree          1     0      0
    seq2seq               1     0      0
    usual                 4     0      0

    proposed: distinct rules, many of them by several learners
    kept:     rules that are in the file, under the first learner that proposed them

    ! rules written to rules.json
    = 0
    ");
    assert_eq!(folder.read("rules.json"), folder.read("two-steps.json"));
    for options in ["--threads 1", "--threads 3 --memory 100K"] {
        folder.undust(&format!("learn shop.jsonl -o again.json {options}")).fine();
        assert_eq!(folder.read("again.json"), folder.read("rules.json"), "{options}");
    }
}

#[test]
fn labels_that_are_given_are_not_doubted() {
    let labelled = shop().replace("\"status\"", "\"cluster\": \"all the same\", \"status\"");
    let folder = Folder::with("shop.jsonl", labelled);
    let learned: Value =
        serde_json::from_str(&folder.undust("learn shop.jsonl -o rules.json --json").fine()).expect("JSON");
    assert_eq!(learned["totals"]["clusters"], 1);
}
