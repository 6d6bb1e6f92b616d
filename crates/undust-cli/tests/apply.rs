//! `apply` and `dedup`.

use std::io::Read;

use insta::assert_snapshot;

use crate::data::{RULES, SKIPS, gzip, lines};
use crate::folder::Folder;

const URLS: &str = "\
http://www.example.com/item?id=1&sid=77
HTTP://WWW.Example.com:80/print/1
http://www.example.com/help?skin=blue
http://elsewhere.org/item?sid=1&id=1
http://www.example.com/item?id=1
";

fn folder() -> Folder {
    Folder::with("rules.json", RULES).and("urls.txt", URLS)
}

#[test]
fn a_key_a_line() {
    assert_snapshot!(folder().undust("apply -r rules.json urls.txt"), @"
    http://www.example.com/item?id=1
    http://www.example.com/item?id=1
    http://www.example.com/help?skin=*
    http://elsewhere.org/item?sid=1&id=1
    http://www.example.com/item?id=1
    = 0
    ");
}

#[test]
fn with_the_url_beside_it() {
    assert_snapshot!(folder().undust("apply -r rules.json --tsv urls.txt").to_string().replace('\t', "<TAB>"), @"
    http://www.example.com/item?id=1&sid=77<TAB>http://www.example.com/item?id=1
    HTTP://WWW.Example.com:80/print/1<TAB>http://www.example.com/item?id=1
    http://www.example.com/help?skin=blue<TAB>http://www.example.com/help?skin=*
    http://elsewhere.org/item?sid=1&id=1<TAB>http://elsewhere.org/item?sid=1&id=1
    http://www.example.com/item?id=1<TAB>http://www.example.com/item?id=1
    = 0
    ");
}

#[test]
fn as_urls_to_fetch() {
    assert_snapshot!(folder().undust("apply -r rules.json --form url urls.txt"), @"
    http://www.example.com/item?id=1
    http://www.example.com/item?id=1
    http://www.example.com/help?skin=blue
    http://elsewhere.org/item?sid=1&id=1
    http://www.example.com/item?id=1
    = 0
    ");
}

#[test]
fn without_normalisation() {
    assert_snapshot!(folder().undust("apply -r rules.json --no-normalize urls.txt"), @"
    http://www.example.com/item?id=1
    HTTP://WWW.Example.com:80/print/1
    http://www.example.com/help?skin=*
    http://elsewhere.org/item?sid=1&id=1
    http://www.example.com/item?id=1
    = 0
    ");
}

#[test]
fn from_a_table() {
    let table = "cluster\turl\nc1\thttp://www.example.com/item?id=1&sid=77\n\nc2\thttp://elsewhere.org/\n";
    let folder = folder().and("crawl.tsv.gz", gzip(table.as_bytes()));
    assert_snapshot!(folder.undust("apply -r rules.json crawl.tsv.gz"), @"
    http://www.example.com/item?id=1
    http://elsewhere.org/
    = 0
    ");
}

#[test]
fn from_standard_input() {
    let folder = folder();
    let expected = folder.undust("apply -r rules.json urls.txt").fine();
    assert_eq!(folder.undust_reading("apply -r rules.json", URLS.as_bytes()).fine(), expected);
    assert_eq!(folder.undust_reading("apply -r rules.json -", URLS.as_bytes()).fine(), expected);
    assert_eq!(folder.undust_reading("apply -r - urls.txt", RULES.as_bytes()).fine(), expected);
    assert_snapshot!(folder.undust("apply -r - -"), @"
    ! undust: rules and URLs cannot both come from standard input
    = 2
    ");
}

#[test]
fn one_line_out_per_line_in() {
    let input = b"\nhttp://www.example.com/print/2\r\n\r\n# no comment\n \nno url\nhttp://a/\xff\xfe?\xe9\nhttp://last/";
    let output = folder().undust_reading("apply -r rules.json", input).out;
    let expected =
        b"\nhttp://www.example.com/item?id=2\n\n# no comment\n \nno url\nhttp://a/\xff\xfe?\xe9\nhttp://last/\n";
    assert_eq!(output.escape_ascii().to_string(), expected.escape_ascii().to_string());
}

#[test]
fn threads_keep_the_order() {
    let folder = folder();
    let many = lines((0..100_000).map(|i| format!("http://www.example.com/print/{i}")));
    let run = |threads: &str| {
        folder.undust_reading(&format!("apply -r rules.json --threads {threads}"), many.as_bytes()).fine()
    };
    let one = run("1");
    assert!(one.ends_with("http://www.example.com/item?id=99999\n"));
    assert!(run("3") == one);
}

#[test]
fn the_first_url_of_each_key() {
    assert_snapshot!(folder().undust("dedup -r rules.json urls.txt"), @"
    http://www.example.com/item?id=1&sid=77
    http://www.example.com/help?skin=blue
    http://elsewhere.org/item?sid=1&id=1
    ! 5 URLs in, 3 out: 2 spared (40.0 %)
    = 0
    ");
}

#[test]
fn dedup_into_a_file() {
    let folder = folder();
    assert_snapshot!(folder.undust("dedup -r rules.json urls.txt -o first.txt"), @"
    ! 5 URLs in, 3 out: 2 spared (40.0 %)
    = 0
    ");
    assert_eq!(folder.read("first.txt"), folder.undust("dedup -r rules.json urls.txt").fine());
    assert_snapshot!(folder.undust("dedup -r rules.json urls.txt -o ./urls.txt"), @"
    ! undust: ./urls.txt is an input: the URLs would replace it
    = 2
    ");
    assert_snapshot!(folder.undust("dedup -r rules.json urls.txt -o rules.json"), @"
    ! undust: rules.json is an input: the URLs would replace it
    = 2
    ");
    assert_snapshot!(folder.undust("dedup -r rules.json urls.txt -o no/first.txt"), @"
    ! undust: cannot write no/first.txt: No such file or directory (os error 2)
    = 2
    ");
    assert_snapshot!(folder.undust("dedup -r rules.json no.txt -o first.txt"), @"
    ! undust: no.txt: No such file or directory (os error 2)
    = 2
    ");
    assert_eq!(folder.names(), ["first.txt", "rules.json", "urls.txt"]);
    assert_eq!(folder.read("urls.txt"), URLS);
}

/// Two short links, one of them with a session id, twice; and what no rule skips.
const WITH_SHORT_LINKS: &str = "\
http://www.example.com/?p=1
http://www.example.com/?p=2&sid=7
http://www.example.com/?p=1&sid=7
http://www.example.com/?q=1&sid=7
http://www.example.com/?q=1
http://www.example.com/one
";

#[test]
fn what_is_skipped_is_left_out() {
    let folder = Folder::with("rules.json", SKIPS).and("urls.txt", WITH_SHORT_LINKS);
    assert_snapshot!(folder.undust("dedup -r rules.json urls.txt"), @"
    http://www.example.com/?q=1&sid=7
    http://www.example.com/one
    ! 6 URLs in, 2 out: 1 spared (16.7 %), 3 skipped (50.0 %)
    = 0
    ");
    let all = folder.undust("dedup -r rules.json --no-skips urls.txt");
    assert_snapshot!(all, @"
    http://www.example.com/?p=1
    http://www.example.com/?p=2&sid=7
    http://www.example.com/?q=1&sid=7
    http://www.example.com/one
    ! 6 URLs in, 4 out: 2 spared (33.3 %)
    = 0
    ");
    folder.write("rejected.json", SKIPS.replace(r#""skip": true"#, r#""skip": true, "review": "rejected""#));
    assert_eq!(folder.undust("dedup -r rejected.json urls.txt").to_string(), all.to_string());
}

#[test]
fn what_is_skipped_has_a_key() {
    let folder = Folder::with("rules.json", SKIPS).and("urls.txt", WITH_SHORT_LINKS);
    assert_snapshot!(folder.undust("apply -r rules.json urls.txt"), @"
    http://www.example.com/?p=1
    http://www.example.com/?p=2
    http://www.example.com/?p=1
    http://www.example.com/?q=1
    http://www.example.com/?q=1
    http://www.example.com/one
    = 0
    ");
}

/// `http://a.com/0`, `http://a.com/1`, and so on, without end.
fn endless_urls() -> impl Read + Send {
    struct Urls(u64, Vec<u8>);
    impl Read for Urls {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            if self.1.is_empty() {
                self.1 = (self.0..self.0 + 1000)
                    .flat_map(|i| format!("http://a.com/{i}\n").into_bytes())
                    .collect();
                self.0 += 1000;
            }
            let n = buffer.len().min(self.1.len());
            buffer[..n].copy_from_slice(&self.1[..n]);
            self.1.drain(..n);
            Ok(n)
        }
    }
    Urls(0, Vec::new())
}

#[test]
fn who_hangs_up_has_seen_enough() {
    let folder = folder();
    for command in ["apply -r rules.json", "dedup -r rules.json", "apply -r rules.json --threads 3 --tsv"] {
        folder.hang_up_after_a_line(command, endless_urls()).fine();
    }
    let table = (&b"url\n"[..]).chain(endless_urls());
    assert_snapshot!(folder.hang_up_after_a_line("apply -r rules.json", table), @"
    http://a.com/0
    = 0
    ");
}
