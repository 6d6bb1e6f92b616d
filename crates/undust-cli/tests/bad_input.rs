//! Bad input: a clear message with file and line, or a counted skip; never a panic, a hang or a lost output file.

use std::fs;

use insta::assert_snapshot;

use crate::data::{RULES, gzip, lines, shop};
use crate::folder::{Folder, Run};

fn folder(name: &str, content: impl AsRef<[u8]>) -> Folder {
    Folder::with("rules.json", RULES).and(name, content)
}

/// Learn into `out.json`, where there is a file of an earlier run: after a failure the old one, otherwise the new one
/// must be whole.
fn learn(folder: &Folder, input: &str) -> Run {
    let old = "{\"undust\": 1, \"sites\": []}";
    folder.write("out.json", old);
    let before = folder.names();
    let run = folder.undust(&format!("learn {input} -o out.json"));
    assert_eq!(folder.names(), before, "no file is left behind");
    match run.code {
        Some(2) => assert_eq!(folder.read("out.json"), old),
        _ => drop(folder.undust("check out.json").fine()),
    }
    run
}

fn apply(folder: &Folder, input: &str) -> Run {
    folder.undust(&format!("apply -r rules.json {input}"))
}

fn dedup(folder: &Folder, input: &str) -> Run {
    folder.undust(&format!("dedup -r rules.json {input}"))
}

fn eval(folder: &Folder, input: &str) -> Run {
    folder.undust(&format!("eval -r rules.json {input}"))
}

#[test]
fn empty_files() {
    let folder = folder("empty", "").and("blank", "\n \r\n\n");
    assert_snapshot!(learn(&folder, "empty"), @"
    ! empty: the input is empty
    ! undust: nothing to learn from: the input has no pages
    = 2
    ");
    assert_snapshot!(learn(&folder, "blank"), @"
    ! blank: no page in 3 lines
    ! undust: nothing to learn from: the input has no pages
    = 2
    ");
    assert_snapshot!(apply(&folder, "empty"), @"
    ! empty: the input is empty
    = 0
    ");
    assert_snapshot!(folder.undust("apply -r rules.json"), @"
    ! <stdin>: the input is empty
    = 0
    ");
    assert_snapshot!(dedup(&folder, "empty"), @"
    ! empty: the input is empty
    ! 0 URLs in, 0 out: 0 spared (0.0 %)
    = 0
    ");
    assert_snapshot!(eval(&folder, "empty"), @"
    ! empty: the input is empty
    ! undust: no labelled page to score: the input needs a column 'cluster' or 'digest'
    = 2
    ");
    assert_snapshot!(folder.undust("check empty"), @r#"
    ! undust: empty: not a rule file: it is empty. A rule file is a JSON object with "undust": 1 and "sites"
    = 2
    "#);
}

#[test]
fn other_files_for_rule_files() {
    let folder =
        folder("list.json", "[]").and("urls.txt", "http://a/\n").and("clear.json", r#"{"providers": {}}"#);
    assert_snapshot!(folder.undust("apply -r list.json urls.txt"), @r#"
    ! undust: list.json: not a rule file: it is a JSON list. A rule file is a JSON object with "undust": 1 and "sites"
    = 2
    "#);
    assert_snapshot!(folder.undust("check urls.txt"), @r#"
    ! undust: urls.txt: not a rule file: it is no JSON. A rule file is a JSON object with "undust": 1 and "sites"
    = 2
    "#);
    assert_snapshot!(folder.undust("explain -r clear.json http://a/"), @r#"
    ! undust: clear.json: not a rule file: it is a JSON object of another kind. A rule file is a JSON object with "undust": 1 and "sites"
    = 2
    "#);
}

/// What `Out-File` and `>` of Windows PowerShell write, and the same without its mark or the other way round.
#[test]
fn text_in_utf_16() {
    let encoded = |text: &str, big: bool| -> Vec<u8> {
        text.encode_utf16()
            .flat_map(|unit| if big { unit.to_be_bytes() } else { unit.to_le_bytes() })
            .collect()
    };
    let folder = folder("plain.tsv", shop());
    let learned = learn(&folder, "plain.tsv").fine();
    let rules = folder.read("out.json");
    for big in [false, true] {
        for mark in ["", "\u{feff}"] {
            folder.write("utf16.tsv", encoded(&format!("{mark}{}", shop().replace('\n', "\r\n")), big));
            folder.write("utf16.json", encoded(&format!("{mark}{RULES}"), big));
            assert_eq!(learn(&folder, "utf16.tsv").fine(), learned);
            assert_eq!(folder.read("out.json"), rules);
            let applied = folder.undust("apply -r utf16.json utf16.tsv").fine();
            assert_eq!(applied, apply(&folder, "plain.tsv").fine());
        }
    }
    folder.write("marked.json", format!("\u{feff}{RULES}"));
    folder.undust("check marked.json").fine();
}

#[test]
fn tables_with_other_delimiters() {
    let folder = folder("comma.csv", shop().replace('\t', ","));
    let learned = learn(&folder, "comma.csv").fine();
    let rules = folder.read("out.json");
    for delimiter in [";", "|"] {
        folder.write("other.csv", shop().replace('\t', delimiter));
        assert_eq!(learn(&folder, "other.csv").fine(), learned);
        assert_eq!(folder.read("out.json"), rules);
    }
    folder.write("headless.txt", "http://a/;c0\nhttp://b/;c1\n");
    assert_snapshot!(apply(&folder, "headless.txt"), @"
    ! undust: headless.txt: format not recognised: this looks like a table separated by ';' whose first line does not name the columns (one must be 'url'); if these are URLs, say --format urls
    = 2
    ");
    assert_snapshot!(apply(&folder, "--format urls headless.txt"), @"
    http://a/;c0
    http://b/;c1
    = 0
    ");
}

/// Lines of Debian's Apache, whose log names the virtual host.
#[test]
fn a_log_that_names_its_hosts() {
    let folder = folder(
        "other_vhosts_access.log",
        "www.example.com:80 127.0.0.1 - - [18/Nov/2026:07:00:00 +0000] \"GET /print/1 HTTP/1.1\" 200 453 \"-\" \"curl/7.88.1\"\n\
         doc.test:8080 ::1 - - [18/Nov/2026:07:00:01 +0000] \"GET /a?b HTTP/1.1\" 200 453 \"-\" \"curl/7.88.1\"\n\
         www.example.com:443 127.0.0.1 - - [18/Nov/2026:07:00:02 +0000] \"GET /x HTTP/1.1\" 404 437 \"-\" \"curl/7.88.1\"\n",
    );
    assert_snapshot!(apply(&folder, "other_vhosts_access.log"), @"
    http://www.example.com/item?id=1
    http://doc.test:8080/a?b
    https://www.example.com/x
    = 0
    ");
    assert_snapshot!(apply(&folder, "--host wiki:8080 other_vhosts_access.log"), @"
    http://wiki:8080/print/1
    http://wiki:8080/a?b
    http://wiki:8080/x
    = 0
    ");
}

#[test]
fn binary_files() {
    let folder = folder("binary", b"\x7fELF\x02\x01\x01\0\0\0\xff\xfe".repeat(1000));
    assert_snapshot!(learn(&folder, "binary"), @"
    ! undust: binary: format not recognised: this looks like binary data
    = 2
    ");
    assert_snapshot!(apply(&folder, "binary"), @"
    ! undust: binary: format not recognised: this looks like binary data
    = 2
    ");
    assert_snapshot!(dedup(&folder, "binary"), @"
    ! undust: binary: format not recognised: this looks like binary data
    = 2
    ");
    assert_snapshot!(eval(&folder, "binary"), @"
    ! undust: binary: format not recognised: this looks like binary data
    = 2
    ");
    assert_snapshot!(folder.undust("check binary"), @"
    ! undust: binary:1: not a text in UTF-8
    = 2
    ");
    assert_snapshot!(learn(&folder, "--format tsv binary"), @r"
    ! undust: binary: the header '\u{7f}ELF\u{2}\u{1}\u{1}\0\0\0��\u{7f}ELF\u{2}\u{1}\u{1}\0\0\0��\u{7f}ELF\u{2}\u{1}\u{1}\0\0\0��\u{7f}ELF\u{2}\u{1}\u{1}\0\0\0��\u{7f}ELF\u{2}\u{1}\u{1}\0\0\0��\u{7f}ELF\u{2}\u{1}\u{1}\0\0\0��\u{7f}ELF\u{2}\u{1}\u{1}\0…' has no column 'url'
    = 2
    ");
}

#[test]
fn lines_of_10_megabytes() {
    let long = format!("http://www.example.com/{}", "x".repeat(10_000_000));
    let folder = folder("urls.txt", format!("http://a/\n{long}\nhttp://www.example.com/print/1\n"));
    let applied = apply(&folder, "urls.txt").fine();
    assert!(applied == format!("http://a/\n{long}\nhttp://www.example.com/item?id=1\n"));
    assert_snapshot!(dedup(&folder, "urls.txt"), @"
    http://a/
    http://www.example.com/print/1
    ! 1 of 3 lines could not be read and was skipped:
    !   urls.txt:2: URL longer than 65536 bytes: 'http://www.example.com/xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…'
    ! 2 URLs in, 2 out: 0 spared (0.0 %)
    = 0
    ");

    folder.write("crawl.tsv", format!("{}{long}\tx\n", shop()));
    assert_snapshot!(learn(&folder, "crawl.tsv").err, @"
    1 of 802 lines could not be read and was skipped:
      crawl.tsv:802: URL longer than 65536 bytes: 'http://www.example.com/xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…'
    rules written to out.json
    ");
    assert_snapshot!(learn(&folder, "--strict crawl.tsv").failed(), @"undust: crawl.tsv:802: URL longer than 65536 bytes: 'http://www.example.com/xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…'");
}

#[test]
fn urls_with_100_000_parameters() {
    let parameters: Vec<String> = (0..100_000).map(|i| format!("p{i}=1")).collect();
    let url = |parameters: &[String]| format!("http://www.example.com/a?{}", parameters.join("&"));
    let folder = folder("urls.txt", format!("{}&sid=1\n", url(&parameters)));
    assert!(apply(&folder, "urls.txt").fine() == url(&parameters) + "\n");

    // So many do not fit into what is believed to be a URL; 8,000 do, in any order.
    let rows = lines((0..20).map(|turn| {
        let mut some = parameters[..8000].to_vec();
        some.rotate_left(turn * 37);
        format!("{}\tb\n{}&sid={turn}\tb", url(&some), url(&some))
    }));
    folder.write("crawl.tsv", format!("{}{}\ta\n{rows}", shop(), url(&parameters)));
    assert_snapshot!(learn(&folder, "crawl.tsv").err, @"
    1 of 842 lines could not be read and was skipped:
      crawl.tsv:802: URL longer than 65536 bytes: 'http://www.example.com/a?p0=1&p1=1&p2=1&p3=1&p4=1&p5=1&p6=1&p7=1&p8=1&p9=1&p10=1…'
    rules written to out.json
    ");
}

#[test]
fn bytes_that_are_not_text() {
    let mut table = shop().into_bytes();
    table.extend_from_slice(b"http://www.example.com/\xff\xfe?sid=\xe9\tc\xe9\nhttp://\xff.com/\t\xff\n");
    let folder = folder("crawl.tsv", &table).and("clean.tsv", shop());
    learn(&folder, "crawl.tsv").fine();
    let learned = folder.read("out.json");
    learn(&folder, "clean.tsv").fine();
    assert_eq!(learned, folder.read("out.json"), "they teach nothing");

    let dirty = apply(&folder, "crawl.tsv").out;
    assert!(dirty.ends_with(b"\nhttp://www.example.com/\xff\xfe\nhttp://\xff.com/\n"));
    folder.write("not-text.json", b"{\"undust\": 1, \"sites\": [\xff]}");
    assert_snapshot!(folder.undust("check not-text.json"), @"
    ! undust: not-text.json:1: not a text in UTF-8
    = 2
    ");
}

#[test]
fn truncated_gzip() {
    let noise = lines((0..50_000_u64).map(|i| format!("http://a/{}", i.wrapping_mul(0x9e37_79b9_7f4a_7c15))));
    let mut cut = gzip(noise.as_bytes());
    cut.truncate(cut.len() / 2);
    let rules = gzip(RULES.as_bytes());
    let folder = folder("urls.gz", cut).and("rules.json.gz", &rules[..rules.len() / 2]);
    let message = "the compressed data ends in the middle: is the file cut short?\n";
    for run in [
        learn(&folder, "urls.gz"),
        apply(&folder, "urls.gz"),
        dedup(&folder, "urls.gz"),
        eval(&folder, "urls.gz"),
    ] {
        let line = run.failed();
        assert!(line.starts_with("undust: urls.gz:2") && line.ends_with(message), "{line}");
    }
    assert!(apply(&folder, "urls.gz").out.len() > 100_000, "what came before the cut is not lost");
    let error = folder.undust("check rules.json.gz").failed();
    assert!(error.starts_with("undust: rules.json.gz:") && error.ends_with(message), "{error}");
}

#[test]
fn a_rule_file_cut_in_half() {
    let folder = folder("half.json", &RULES[..RULES.len() / 2]).and("crawl.tsv", shop());
    assert_snapshot!(folder.undust("apply -r half.json crawl.tsv"), @"
    ! undust: half.json: not a rule file: EOF while parsing an object at line 15 column 5
    = 2
    ");
    let message = folder.undust("apply -r half.json crawl.tsv").failed();
    for command in
        ["dedup -r half.json crawl.tsv", "eval -r half.json crawl.tsv", "explain -r half.json http://a/"]
    {
        assert_eq!(folder.undust(command).failed(), message);
    }
}

#[test]
fn duplicate_labels() {
    let rows = shop();
    let again = lines(rows.lines().skip(1).take(3).map(|row| format!("{row}\n{row}-other")));
    let folder = folder("crawl.tsv", rows + &again);
    assert_snapshot!(learn(&folder, "crawl.tsv"), @"
    rule                                  class  saved  wrong  at most
    ───────────────────────────────────────────────────────────────────
    {scheme}://{...}/{...}?{...}&sid={?}  IRP      400  0/400    0.8 %
    → {scheme}://{...}/{...}?{...}

    saved:    URLs that need no fetch
    wrong:    those with another page, of the held-out URLs so saved
    at most:  the share of wrong ones that this leaves possible (95 % confidence);
              --max-fpr limits it for the rules of a site together, not for each

    800 URLs of 400 pages on 1 site: 1 rule (67 proposed)
    URLs saved: 400 (50.0 %)
    3 rows gave a URL a second label; of its labels, the first in the alphabet counted

    learner        proposed  kept  saved
    ─────────────────────────────────────
    dustbuster           13     0      0
    rewrite              26     0      0
    decision-tree         1     0      0
    pattern-tree          1     0      0
    seq2seq              12     0      0
    usual                15     1    400

    proposed: distinct rules, many of them by several learners
    kept:     rules that are in the file, under the first learner that proposed them

    ! rules written to out.json
    = 0
    ");
}

#[test]
fn sites_of_one_url() {
    let rows = lines((0..2000).map(|i| format!("http://site{i}.com/?sid={i}\tc{}", i / 2)));
    let folder = folder("crawl.tsv", format!("url\tcluster\n{rows}"));
    assert_snapshot!(learn(&folder, "crawl.tsv"), @"
    2,000 URLs of 2,000 pages on 2,000 sites: 0 rules (0 proposed)
    ! rules written to out.json
    ! no rule was sure enough: more labelled URLs of the same sites help, or a larger --max-fpr
    = 0
    ");
    assert_snapshot!(learn(&folder, "crawl.tsv --memory 1K"), @"
    2,000 URLs of 2,000 pages on 2,000 sites: 0 rules (0 proposed)
    ! rules written to out.json
    ! no rule was sure enough: more labelled URLs of the same sites help, or a larger --max-fpr
    = 0
    ");
    let scored = eval(&folder, "crawl.tsv").fine();
    assert!(scored.ends_with("… and 1980 more sites (--json has them all)\n"), "{scored}");
}

#[test]
fn missing_files_and_folders() {
    let folder = folder("crawl.tsv", shop());
    fs::create_dir(folder.path("folder")).expect("a new folder");
    assert_snapshot!(learn(&folder, "crawl.tsv missing.tsv"), @"
    ! undust: missing.tsv: No such file or directory (os error 2)
    = 2
    ");
    assert_snapshot!(learn(&folder, "folder"), @"
    ! folder: the input is empty
    ! undust: nothing to learn from: the input has no pages
    = 2
    ");
    assert_snapshot!(apply(&folder, "missing.txt"), @"
    ! undust: missing.txt: No such file or directory (os error 2)
    = 2
    ");
    assert_snapshot!(apply(&folder, "folder"), @"
    ! folder: the input is empty
    = 0
    ");
    assert_snapshot!(dedup(&folder, "folder"), @"
    ! folder: the input is empty
    ! 0 URLs in, 0 out: 0 spared (0.0 %)
    = 0
    ");
    assert_snapshot!(eval(&folder, "folder"), @"
    ! folder: the input is empty
    ! undust: no labelled page to score: the input needs a column 'cluster' or 'digest'
    = 2
    ");
    assert_snapshot!(folder.undust("apply -r missing.json crawl.tsv"), @"
    ! undust: missing.json: No such file or directory (os error 2)
    = 2
    ");
    assert_snapshot!(folder.undust("apply -r folder crawl.tsv"), @"
    ! undust: folder: this is a folder, not a file
    = 2
    ");
}

#[test]
fn output_that_cannot_be_written() {
    let folder = folder("crawl.tsv", shop());
    fs::create_dir(folder.path("folder")).expect("a new folder");
    assert_snapshot!(folder.undust("learn crawl.tsv -o no/such/rules.json"), @"
    ! undust: cannot write no/such/rules.json: No such file or directory (os error 2)
    = 2
    ");
    assert_snapshot!(folder.undust("learn crawl.tsv -o crawl.tsv/rules.json"), @"
    ! undust: cannot write crawl.tsv/rules.json: Not a directory (os error 20)
    = 2
    ");
    assert_snapshot!(folder.undust("learn crawl.tsv -o folder"), @"
    ! undust: cannot write folder: is a directory
    = 2
    ");
    assert_snapshot!(folder.undust("demo -o folder"), @"
    ! undust: cannot write folder: is a directory
    = 2
    ");
    assert_snapshot!(folder.undust("learn crawl.tsv -o crawl.tsv"), @"
    ! undust: crawl.tsv is an input: the rules would replace it
    = 2
    ");
    // It is known before anything is read.
    assert_snapshot!(folder.undust("learn missing.tsv -o folder"), @"
    ! undust: cannot write folder: is a directory
    = 2
    ");
}

#[test]
fn nothing_to_learn_from() {
    let folder = folder("urls.txt", "http://a.com/\nhttp://b.com/\n")
        .and("headerless.tsv", shop().split_once('\n').expect("a header").1)
        .and("other.tsv", "link\tcluster\nhttp://a.com/\t1\n")
        .and("failed.tsv", "url\tdigest\tstatus\nhttp://a.com/\tx\t404\nhttp://a.com/b\tx\t301\n")
        .and("access.log", "h - - [01/Aug/1995:00:00:01 -0400] \"GET /a HTTP/1.0\" 200 1839\n");
    assert_snapshot!(learn(&folder, "urls.txt"), @"
    2 URLs on 2 sites: 0 rules (0 proposed)
    ! rules written to out.json
    ! no rule is likely: more URLs of the same sites help, or a smaller --set dustbuster.min-support
    = 0
    ");
    assert_snapshot!(learn(&folder, "headerless.tsv"), @"
    ! undust: headerless.tsv: format not recognised: this looks like a table whose first line does not name the columns (one must be 'url')
    = 2
    ");
    assert_snapshot!(apply(&folder, "headerless.tsv"), @"
    ! undust: headerless.tsv: format not recognised: this looks like a table whose first line does not name the columns (one must be 'url')
    = 2
    ");
    assert_snapshot!(learn(&folder, "--format tsv other.tsv"), @"
    ! undust: other.tsv: the header 'link, cluster' has no column 'url'
    = 2
    ");
    assert_snapshot!(learn(&folder, "failed.tsv"), @"
    1 URL on 1 site: 0 rules (0 proposed)
    1 row passed over: failed requests (status 400 and above)
    ! rules written to out.json
    ! no rule is likely: more URLs of the same sites help, or a smaller --set dustbuster.min-support
    = 0
    ");
    assert_snapshot!(learn(&folder, "access.log"), @"
    ! undust: access.log:1: the log does not say which host '/a' belongs to: give it with --host www.example.org
    = 2
    ");
    assert_snapshot!(learn(&folder, "access.log --host a.com"), @"
    1 URL on 1 site: 0 rules (0 proposed)
    ! rules written to out.json
    ! no rule is likely: more URLs of the same sites help, or a smaller --set dustbuster.min-support
    = 0
    ");
}

#[test]
fn bad_lines_are_counted_and_shown() {
    let bad = lines((0..7).map(|i| format!("http://a.com/{i}\tc\tbig")));
    let good = shop().replace("url\tcluster", "url\tcluster\tsize");
    let folder = folder("crawl.tsv", good + &bad);
    assert_snapshot!(learn(&folder, "crawl.tsv").err, @"
    7 of 808 lines could not be read and were skipped:
      crawl.tsv:802: 'big' is no valid size
      crawl.tsv:803: 'big' is no valid size
      crawl.tsv:804: 'big' is no valid size
      crawl.tsv:805: 'big' is no valid size
      crawl.tsv:806: 'big' is no valid size
      … and 2 more (--strict stops at the first)
    rules written to out.json
    ");
    assert_snapshot!(learn(&folder, "crawl.tsv --strict").err, @"undust: crawl.tsv:802: 'big' is no valid size");
}

fn resource(url: &str, body: &str) -> String {
    let header = format!("WARC/1.0\r\nWARC-Type: resource\r\nWARC-Target-URI: {url}\r\n");
    format!("{header}Content-Length: {}\r\n\r\n{body}\r\n\r\n", body.len())
}

#[test]
fn archives_are_counted_in_records_and_folders_in_files() {
    let long = "x".repeat(3000);
    let cut = &resource("http://www.shop.com/item?id=3&sid=z", "cut")[..100];
    let archive =
        [resource("http://www.shop.com/item?id=1&sid=x", "a"), resource("http://b.com/", &long), cut.into()];
    let folder = folder("a.warc", archive.concat());
    assert_snapshot!(apply(&folder, "a.warc --max-body 2K"), @"
    http://www.shop.com/item?id=1&sid=x
    http://b.com/
    ! 1 of 3 records could not be read and was skipped:
    !   a.warc:3: the file ends in the middle of this record
    ! 1 page is longer than 2 KiB: only its beginning was read (--max-body)
    = 0
    ");
    fs::create_dir_all(folder.path("mirror/b.com")).expect("a new folder");
    folder.write("mirror/b.com/index.html", &long);
    folder.write("mirror/b.com/a b?x=1.html", &long);
    folder.write("mirror/c", "c");
    assert_snapshot!(apply(&folder, "mirror --max-body 1000"), @"
    http://b.com/a%20b?x=1
    http://b.com/
    ! 1 of 3 files could not be read and was skipped:
    !   mirror:3: which host 'c' is from is not known: give it with --host www.example.org
    ! 2 pages are longer than 1,000 bytes: only their beginning was read (--max-body)
    = 0
    ");
    assert_snapshot!(apply(&folder, "mirror --host https://d.com"), @"
    https://d.com/b.com/a%20b?x=1
    https://d.com/b.com/
    https://d.com/c
    = 0
    ");
}
