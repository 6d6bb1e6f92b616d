//! Small inputs made for the tests.

use std::fmt::Write;

/// Rules written by hand: a session id that means nothing, a print view, a page number that only looks like one.
pub(crate) const RULES: &str = r#"{
  "undust": 1,
  "sites": [
    {
      "site": "example.com",
      "rules": [
        {
          "id": "no-session",
          "match": "http://{...}/{...}?sid=*&{...}",
          "rewrite": "http://{...}/{...}?{...}",
          "note": "written by hand"
        },
        {
          "id": "print",
          "match": "http://www.example.com/print/{id:digits}",
          "rewrite": "http://www.example.com/item?id={id}"
        },
        {
          "id": "any-skin",
          "match": "http://www.example.com/help?skin=*",
          "rewrite": "http://www.example.com/help?skin=*"
        }
      ]
    }
  ]
}
"#;

/// Short links, whose pages have addresses of their own; the session id goes first.
pub(crate) const SKIPS: &str = r#"{
  "undust": 1,
  "sites": [
    {
      "site": "example.com",
      "rules": [
        {
          "id": "short-link",
          "match": "http://www.example.com/?p={p:digits}",
          "skip": true,
          "learner": "by-magic",
          "evidence": {
            "saved": 120,
            "trials": 40,
            "false_positives": 0,
            "bound": 0.072,
            "examples": [["http://www.example.com/?p=2", "http://www.example.com/two"]]
          }
        },
        {
          "id": "no-session",
          "match": "http://www.example.com/?sid=*&{...}",
          "rewrite": "http://www.example.com/?{...}"
        }
      ]
    }
  ]
}
"#;

/// Two rules that undo each other.
pub(crate) const CIRCLE: &str = r#"{
  "undust": 1,
  "sites": [
    {
      "site": "example.com",
      "rules": [
        { "id": "there", "match": "http://example.com/a/{x}", "rewrite": "http://example.com/b/{x}" },
        { "id": "back", "match": "http://example.com/b/{x}", "rewrite": "http://example.com/a/{x}" }
      ]
    }
  ]
}
"#;

/// Rows `url<TAB>cluster` of a shop on `host`, without a header: each page with and without one of 12 session ids.
pub(crate) fn shop_rows(host: &str) -> String {
    let mut rows = String::new();
    for page in 0..400 {
        let session = page % 12;
        for tail in [String::new(), format!("&sid=s{session}")] {
            writeln!(rows, "http://{host}/item.php?id={page}{tail}\t{host}-{page}")
                .expect("a string holds it");
        }
    }
    rows
}

/// Lines, each with its newline.
pub(crate) fn lines(lines: impl Iterator<Item = String>) -> String {
    lines.map(|line| line + "\n").collect()
}

/// A labelled table of one shop.
pub(crate) fn shop() -> String {
    format!("url\tcluster\n{}", shop_rows("www.example.com"))
}

/// A labelled table of several shops, one with two hosts.
pub(crate) fn shops() -> String {
    let hosts = ["www.example.com", "m.example.com", "www.example.org", "shop.example.net"];
    format!("url\tcluster\n{}", hosts.map(shop_rows).concat())
}

/// The rows of a table in another order, its header first.
pub(crate) fn shuffled(table: &str) -> String {
    let (header, rows) = table.split_once('\n').expect("a header");
    let rows: Vec<&str> = rows.lines().collect();
    // Steps of a prime that does not divide the number of rows reach each of them once.
    let order = (0..rows.len()).map(|i| i * 7919 % rows.len());
    let lines: Vec<&str> = std::iter::once(header).chain(order.map(|i| rows[i])).collect();
    lines.join("\n") + "\n"
}

/// The table of the rows before `at`, and of those from there on.
pub(crate) fn split(table: &str, at: usize) -> (String, String) {
    let (header, rows) = table.split_once('\n').expect("a header");
    let rows: Vec<&str> = rows.lines().collect();
    let part = |rows: &[&str]| format!("{header}\n{}\n", rows.join("\n"));
    (part(&rows[..at]), part(&rows[at..]))
}

/// Compressed as `gzip` does it.
pub(crate) fn gzip(data: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    std::io::Write::write_all(&mut encoder, data).expect("memory holds it");
    encoder.finish().expect("memory holds it")
}

/// What `gzip` made of it.
pub(crate) fn gunzip(data: &[u8]) -> String {
    let mut text = String::new();
    std::io::Read::read_to_string(&mut flate2::read::MultiGzDecoder::new(data), &mut text)
        .expect("compressed text");
    text
}
