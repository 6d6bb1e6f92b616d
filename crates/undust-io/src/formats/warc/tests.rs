//! Whole files, good and bad, through the reader.

use std::io::{self, Cursor, Read, Write};

use proptest::prelude::*;
use undust::page::Page;

use crate::{Format, Input, Problem, ReadError, ReadOptions, Summary, read_input, try_read_prepared};

/// A record of this type for this URL.
fn record(kind: &str, url: &str, more: &str, block: &[u8]) -> Vec<u8> {
    let header = format!(
        "WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2012-01-01T12:20:52Z\r\n{more}\
         Content-Length: {}\r\n\r\n",
        block.len()
    );
    [header.as_bytes(), block, b"\r\n\r\n"].concat()
}

fn response(url: &str, http: &str) -> Vec<u8> {
    record("response", url, "Content-Type: application/http; msgtype=response\r\n", http.as_bytes())
}

fn page(n: usize) -> Vec<u8> {
    response(
        &format!("http://a.org/{n}"),
        &format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>{n}"),
    )
}

fn gzip(data: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}

fn read_with(options: &ReadOptions, data: Vec<u8>) -> Result<(Summary, Vec<Page>), ReadError> {
    let mut pages = Vec::new();
    let input = Input::new("a.warc", Cursor::new(data))?;
    let summary = read_input(input, options, &mut |page| pages.push(page))?;
    assert_eq!(summary.pages + summary.left_out + summary.problems.count, summary.lines);
    Ok((summary, pages))
}

fn as_warc() -> ReadOptions {
    ReadOptions { format: Some(Format::Warc), ..ReadOptions::default() }
}

fn read(data: Vec<u8>) -> (Summary, Vec<Page>) {
    read_with(&as_warc(), data).unwrap()
}

/// The URLs that are read, without their host, and what is said of the rest.
fn told(data: Vec<u8>) -> (Vec<String>, Vec<String>) {
    let (summary, pages) = read(data);
    let path = |page: &Page| String::from_utf8_lossy(&page.url).replacen("http://a.org", "", 1);
    (pages.iter().map(path).collect(), summary.problems.samples.iter().map(ToString::to_string).collect())
}

fn only_page(data: Vec<u8>) -> Page {
    let (summary, mut pages) = read(data);
    assert_eq!(pages.len(), 1, "{:?}", summary.problems);
    pages.remove(0)
}

fn text(page: &Page) -> Option<&str> {
    page.body.as_ref().map(|body| str::from_utf8(&body.bytes).unwrap())
}

#[test]
fn everything_an_answer_tells() {
    let http = "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\
                Link: </style.css>; rel=preload\r\nLink: <http://a.org/>; rel=\"canonical\"\r\n\
                No-Vary-Search: params=(\"sid\")\r\nLocation: /nowhere\r\n\r\n<p>hello";
    let data =
        record("response", "<http://a.org/?sid=1>", "WARC-Payload-Digest: sha1:ABC\r\n", http.as_bytes());
    let page = only_page(data);
    assert_eq!(page.url, b"http://a.org/?sid=1");
    assert_eq!((page.status, page.size, text(&page)), (Some(200), Some(8), Some("<p>hello")));
    assert_eq!(page.body.unwrap().content_type.as_deref(), Some("text/html; charset=utf-8"));
    assert_eq!(page.digest.as_deref(), Some("sha1:ABC"));
    assert_eq!(page.time.as_deref(), Some("2012-01-01T12:20:52Z"));
    assert_eq!(page.canonical.as_deref(), Some("http://a.org/"));
    assert_eq!(page.no_vary_search.as_deref(), Some("params=(\"sid\")"));
    assert_eq!(page.redirect, None, "a success does not redirect");
}

#[test]
fn redirects_and_odd_status_lines() {
    let moved = only_page(response("http://a.org/", "HTTP/1.0 301 Moved\r\nlocation: ../b c\r\n\r\n"));
    assert_eq!((moved.status, moved.redirect.as_deref()), (Some(301), Some("../b c")));
    for line in ["HTTP/2 404", "HTTP/1.1  404 Not Found", "HTTP/1.1 404", "HTTP/2.0 404Not"] {
        let page = only_page(response("http://a.org/", &format!("{line}\nServer: x\n\nbody")));
        assert_eq!((page.status, text(&page)), (Some(404), Some("body")), "{line}");
    }
    let (pages, problems) = told([response("http://a.org/", "<p>no header"), page(2)].concat());
    assert_eq!(
        (pages, problems),
        (vec!["/2".into()], vec!["a.warc:1: not an HTTP answer: '<p>no header'".into()])
    );
}

#[test]
fn encoded_bodies() {
    let body = gzip(b"<p>hello");
    let http = format!(
        "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n{:x}\r\n",
        body.len()
    );
    let http = [http.as_bytes(), &body, b"\r\n0\r\n\r\n"].concat();
    let page = only_page(record("response", "http://a.org/", "", &http));
    assert_eq!((page.size, text(&page)), (Some(8), Some("<p>hello")));

    let unknown = "HTTP/1.1 200 OK\r\nContent-Encoding: dcb\r\n\r\n\u{1}\u{2}";
    let page = only_page(response("http://a.org/", unknown));
    assert_eq!((page.status, page.size, page.body), (Some(200), None, None));
}

#[test]
fn resources_and_revisits() {
    let header = "Content-Type: text/plain\r\nWARC-Block-Digest: sha1:D\r\n";
    let resource = only_page(record("resource", "https://a.org/robots.txt", header, b"User-agent: *"));
    assert_eq!(
        (resource.status, resource.size, text(&resource)),
        (Some(200), Some(13), Some("User-agent: *"))
    );
    assert_eq!(resource.digest.as_deref(), Some("sha1:D"));

    let same = "WARC-Profile: http://netpreserve.org/warc/1.1/revisit/identical-payload-digest\r\n\
                WARC-Payload-Digest: sha1:ABC\r\nWARC-Refers-To-Target-URI: http://a.org/other\r\n";
    let unchanged = same.replace("identical-payload-digest", "server-not-modified");
    let without_digest = unchanged.replace("WARC-Payload-Digest: sha1:ABC\r\n", "");
    let cases = [
        (same, "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n", Some(200), Some("sha1:ABC")),
        (same, "HTTP/1.1 404 Not Found\r\n\r\n", Some(404), Some("sha1:ABC")),
        (same, "", None, Some("sha1:ABC")),
        (unchanged.as_str(), "HTTP/1.1 304 Not Modified\r\n\r\n", Some(200), Some("sha1:ABC")),
        (without_digest.as_str(), "HTTP/1.1 304 Not Modified\r\n\r\n", Some(304), None),
    ];
    for (header, http, status, digest) in cases {
        let page = only_page(record("revisit", "http://a.org/", header, http.as_bytes()));
        assert_eq!((page.status, page.digest.as_deref()), (status, digest), "{http}");
        assert_eq!((page.body, page.redirect), (None, None));
    }
}

#[test]
fn what_holds_no_page() {
    let others = ["warcinfo", "request", "metadata", "conversion", "continuation", "something"];
    let mut data: Vec<u8> = others.iter().flat_map(|kind| record(kind, "http://a.org/", "", b"x")).collect();
    data.extend(record("response", "dns:a.org", "Content-Type: text/dns\r\n", b"20120101\na.org. 1.2.3.4"));
    data.extend(record("resource", "urn:X-wpull:log", "", b"x"));
    let (summary, _) = read(data);
    assert_eq!((summary.lines, summary.left_out), (8, 8));
    assert_eq!((summary.format, summary.format.unit()), (Format::Warc, "record"));
}

#[test]
fn writers_that_differ_in_line_ends() {
    let lf = String::from_utf8([page(1), page(2)].concat()).unwrap();
    let lf = lf.replace("\r\n", "\n").replace("Content-Length: 48", "Content-Length: 45");
    assert_eq!(told(lf.into_bytes()).0, ["/1", "/2"]);
    let without = page(1).strip_suffix(b"\r\n\r\n").unwrap().to_vec();
    let with_many = [page(3), b"\r\n\r\n\n".to_vec()].concat();
    assert_eq!(
        told([b"\r\n".to_vec(), without, with_many, page(4)].concat()),
        (vec!["/1".into(), "/3".into(), "/4".into()], vec![])
    );
    let old = String::from_utf8(page(5)).unwrap().replace("WARC/1.1", "WARC/0.18");
    assert_eq!(told(old.into_bytes()).0, ["/5"]);
}

fn with_length(record: Vec<u8>, length: &str) -> Vec<u8> {
    let text = String::from_utf8(record).unwrap();
    let (before, after) = text.split_once("Content-Length: ").unwrap();
    let (_, after) = after.split_once("\r\n").unwrap();
    format!("{before}Content-Length: {length}\r\n{after}").into_bytes()
}

#[test]
fn lengths_that_lie_cost_one_record() {
    let cases = [
        ("5", "the record does not end behind 5 bytes, as it says"),
        ("100", "the record does not end behind 100 bytes, as it says"),
        ("9000000", "the record does not end behind 9000000 bytes, as it says"),
        ("18446744073709551615", "the record does not end behind 18446744073709551615 bytes, as it says"),
        ("-5", "'-5' is no valid Content-Length"),
        ("99999999999999999999", "'99999999999999999999' is no valid Content-Length"),
        ("", "no Content-Length"),
    ];
    for (length, what) in cases {
        let data = [page(1), with_length(page(2), length), page(3), page(4)].concat();
        let (pages, problems) = told(data);
        assert_eq!(pages, ["/1", "/3", "/4"], "{length}");
        assert_eq!(problems, [format!("a.warc:2: {what}")]);
    }
}

#[test]
fn many_lies_are_read_in_linear_time() {
    let liar = with_length(page(2), "1000000");
    let (summary, _) = read(liar.repeat(20_000));
    assert!(summary.problems.count >= 2, "{}", summary.problems.count);
}

#[test]
fn garbage_between_records() {
    let garbage = [b"\0\xff".to_vec(), vec![b'x'; 300_000], b"\nWARC\n".to_vec()].concat();
    let (pages, problems) = told([page(1), garbage, page(2)].concat());
    assert_eq!(pages, ["/1", "/2"]);
    assert!(
        problems.len() == 1 && problems[0].starts_with(r"a.warc:2: no WARC record: '\0�xxx"),
        "{problems:?}"
    );

    let (pages, problems) =
        told([b"garbage\n".to_vec(), page(1), b"WARC/1.0\r\nWARC-Type: x\r\n".to_vec(), page(2)].concat());
    assert_eq!(pages, ["/1", "/2"]);
    assert_eq!(
        problems,
        ["a.warc:1: no WARC record: 'garbage'", "a.warc:3: another record begins in the header of this one"]
    );
}

#[test]
fn headers_that_miss_something_or_never_end() {
    let without = |name: &str| {
        let text = String::from_utf8(page(1)).unwrap();
        text.split_inclusive('\n').filter(|line| !line.starts_with(name)).collect::<String>().into_bytes()
    };
    let endless = [b"WARC/1.0\r\n".to_vec(), b"a: b\r\n".repeat(300_000), b"\r\n".to_vec()].concat();
    let no_newline = [b"WARC/1.0\r\na: ".to_vec(), vec![b'x'; 3_000_000], b"\r\n\r\n".to_vec()].concat();
    let data = [without("WARC-Type"), without("WARC-Target-URI"), endless, no_newline, page(2)].concat();
    let (pages, problems) = told(data);
    assert_eq!(pages, ["/2"]);
    let whats: Vec<&str> = problems.iter().map(|problem| problem.split_once(": ").unwrap().1).collect();
    assert_eq!(
        whats,
        [
            "no WARC-Type",
            "no WARC-Target-URI",
            "header longer than 1048576 bytes",
            "header longer than 1048576 bytes"
        ]
    );
}

#[test]
fn a_cut_file_keeps_what_was_before() {
    let whole = [page(1), page(2), page(3)].concat();
    let cut_at = whole.len() - 15;
    let middle = "a.warc:3: the file ends in the middle of this record";
    assert_eq!(told(whole[..cut_at].to_vec()), (vec!["/1".into(), "/2".into()], vec![middle.into()]));
    let in_header = page(1).len() + page(2).len() + 30;
    assert_eq!(told(whole[..in_header].to_vec()).1, [middle]);

    let strict = ReadOptions { strict: true, ..as_warc() };
    assert_eq!(read_with(&strict, whole[..cut_at].to_vec()).unwrap_err().to_string(), middle);
}

#[test]
fn a_cut_gzip_or_zstd_file_keeps_what_was_before() {
    let ends = "the compressed data ends in the middle: is the file cut short?";
    for compress in [gzip, |data: &[u8]| zstd::encode_all(data, 3).unwrap()] {
        let whole = [page(1), page(2), page(3)].map(|page| compress(&page)).concat();
        let cut = whole[..whole.len() - 20].to_vec();
        assert_eq!(told(cut.clone()), (vec!["/1".into(), "/2".into()], vec![format!("a.warc:3: {ends}")]));
        let strict = ReadOptions { strict: true, ..ReadOptions::default() };
        assert_eq!(read_with(&strict, cut).unwrap_err().to_string(), format!("a.warc:3: {ends}"));
    }
}

#[test]
fn a_damaged_gzip_member_costs_one_record() {
    let mut members: Vec<Vec<u8>> = (0..2000).map(|n| gzip(&page(n))).collect();
    for damaged in [1, 700, 1999] {
        let middle = members[damaged].len() / 2;
        members[damaged][middle..middle + 8].fill(0x55);
    }
    for threads in [1, 3] {
        let (summary, pages) =
            read_with(&ReadOptions { threads, ..ReadOptions::default() }, members.concat()).unwrap();
        assert_eq!((summary.lines, pages.len(), summary.problems.count), (2000, 1997, 3));
        let says_so =
            |problem: &Problem| problem.error.to_string().starts_with("the compressed data is damaged: ");
        assert!(summary.problems.samples.iter().any(says_so));
        assert_eq!(summary.problems.samples[1].line, 701);
    }
}

#[test]
fn a_zstd_file_with_its_dictionary() {
    let samples: Vec<Vec<u8>> = (0..1000).map(page).collect();
    let dictionary = zstd::dict::from_samples(&samples, 4000).unwrap();
    let mut compressor = zstd::bulk::Compressor::with_dictionary(3, &dictionary).unwrap();
    let frames: Vec<u8> = (0..10).flat_map(|n| compressor.compress(&page(n)).unwrap()).collect();
    let length = u32::try_from(dictionary.len()).unwrap().to_le_bytes();
    let (summary, pages) = read_with(
        &ReadOptions::default(),
        [&b"\x5d\x2a\x4d\x18"[..], &length, &dictionary, &frames].concat(),
    )
    .unwrap();
    assert_eq!((summary.format, pages.len(), summary.problems.count), (Format::Warc, 10, 0));
}

/// Of long bodies the beginning is read, and the rest passed over.
#[test]
fn long_bodies_are_cut() {
    const LIMIT: usize = 1 << 20;
    let long = "x".repeat(5 * LIMIT);
    let zeros = vec![0; 64 * LIMIT];
    let bomb = [b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n".to_vec(), gzip(&zeros)].concat();
    let data = [
        response("http://a.org/1", &format!("HTTP/1.1 200 OK\r\n\r\n{long}")),
        record("resource", "http://a.org/2", "", long.as_bytes()),
        record("response", "http://a.org/3", "", &bomb),
        page(4),
        response("http://a.org/5", &format!("HTTP/1.1 200 OK\r\n\r\n{}", &long[..LIMIT])),
    ];
    let options = ReadOptions { max_body: LIMIT as u64, ..as_warc() };
    for data in [data.concat(), gzip(&data.concat())] {
        let (summary, pages) = read_with(&options, data).unwrap();
        assert_eq!((summary.pages, summary.cut, summary.problems.count), (5, 3, 0));
        let lengths: Vec<usize> = pages.iter().map(|page| page.body.as_ref().unwrap().bytes.len()).collect();
        assert_eq!(lengths, [LIMIT, LIMIT, LIMIT, 4, LIMIT]);
        let sizes: Vec<Option<u64>> = pages.iter().map(|page| page.size).collect();
        let whole = Some(5 * LIMIT as u64);
        assert_eq!(sizes, [whole, whole, None, Some(4), Some(LIMIT as u64)]);
    }
}

/// A stream that could not be held: 2 GB of body from a few bytes.
#[test]
fn a_huge_body_is_passed_over() {
    const HUGE: u64 = 2 << 30;
    let header = format!(
        "WARC/1.0\r\nWARC-Type: resource\r\nWARC-Target-URI: http://a.org/1\r\nContent-Length: {HUGE}\r\n\r\n"
    );
    let data = Cursor::new(header)
        .chain(io::repeat(b'x').take(HUGE))
        .chain(Cursor::new([b"\r\n\r\n".to_vec(), page(2)].concat()));
    let mut pages = Vec::new();
    let summary =
        read_input(Input::new("a.warc", data).unwrap(), &as_warc(), &mut |page| pages.push(page)).unwrap();
    assert_eq!((summary.pages, summary.cut), (2, 1));
    assert_eq!(pages[0].size, Some(HUGE));
    assert!(pages[0].body.as_ref().unwrap().bytes.len() == 8 << 20);
}

#[test]
fn a_disk_that_fails_ends_the_run() {
    struct Broken;
    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("no more"))
        }
    }
    let data = Cursor::new(page(1).repeat(1000)).chain(Broken);
    let error = read_input(Input::new("a.warc", data).unwrap(), &as_warc(), &mut drop).unwrap_err();
    assert_eq!(error.to_string(), "a.warc:1001: no more");
}

#[test]
fn pages_are_prepared_side_by_side_and_come_in_order() {
    let data: Vec<u8> = (0..3000).flat_map(page).collect();
    for threads in [1, 4] {
        let prepare = |page: &mut Page| {
            page.text = page.body.take().map(|body| String::from_utf8(body.bytes).unwrap());
        };
        let mut texts = Vec::new();
        let input = Input::new("a.warc", Cursor::new(data.clone())).unwrap();
        let options = ReadOptions { threads, ..ReadOptions::default() };
        try_read_prepared(input, &options, &prepare, &mut |page| -> Result<(), ReadError> {
            texts.extend(page.text);
            Ok(())
        })
        .unwrap();
        assert_eq!(texts, (0..3000).map(|n| format!("<p>{n}")).collect::<Vec<_>>());
    }
}

/// A small file with a record of each kind.
fn mixed() -> Vec<u8> {
    let encoded = [b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n".to_vec(), gzip(b"<p>hello")].concat();
    let chunks = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n";
    [
        record("warcinfo", "urn:x", "", b"software: x"),
        page(1),
        record("response", "http://a.org/2", "", &encoded),
        response("http://a.org/3", chunks),
        record("revisit", "http://a.org/4", "WARC-Payload-Digest: sha1:A\r\n", b"HTTP/1.1 200 OK\r\n\r\n"),
        record("resource", "http://a.org/5", "", b"hello"),
    ]
    .concat()
}

fn assert_reads_somehow(data: &[u8]) {
    let read = |threads| read_with(&ReadOptions { threads, max_body: 20, ..as_warc() }, data.to_vec());
    match (read(1), read(3)) {
        (Ok(one), Ok(three)) => assert_eq!(one, three),
        (Err(one), Err(three)) => assert_eq!(one.to_string(), three.to_string()),
        other => panic!("threads differ: {other:?}"),
    }
}

proptest! {
    #[test]
    fn no_bytes_panic(rest in prop::collection::vec(any::<u8>(), 0..400)) {
        assert_reads_somehow(&[b"WARC/1.0\r\n", rest.as_slice()].concat());
    }

    #[test]
    fn no_text_panics(words in prop::collection::vec(prop::sample::select(vec![
        "WARC/1.0", "WARC-Type: response", "WARC-Target-URI: http://a.org/", "Content-Length: 30", "Content-Length: 5",
        "\r\n", "\r\n", "\n", "HTTP/1.1 200 OK", "Transfer-Encoding: chunked", "5", "hello", " ", "\t",
    ]), 0..60)) {
        assert_reads_somehow(&words.join("\r\n").into_bytes());
        assert_reads_somehow(&words.concat().into_bytes());
    }

    #[test]
    fn no_damage_panics(
        at in any::<prop::sample::Index>(),
        with in prop::collection::vec(any::<u8>(), 0..20),
        removed in 0_usize..50,
        end in any::<prop::sample::Index>(),
        compressed in any::<bool>(),
    ) {
        let mut data = if compressed { gzip(&mixed()) } else { mixed() };
        let at = at.index(data.len());
        data.splice(at..(at + removed).min(data.len()), with);
        assert_reads_somehow(&data);
        data.truncate(end.index(data.len() + 1));
        assert_reads_somehow(&data);
    }
}
