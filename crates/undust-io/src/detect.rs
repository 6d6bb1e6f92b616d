//! Recognising a format by the head of an input.

use crate::Format;
use crate::blocks::lines;
use crate::formats::{by_first_line, by_most_lines, is_blank, is_http};

/// Lines that are looked at: enough to outvote a stray one at the top.
const SAMPLE_LINES: usize = 100;

/// How well-known formats that are not read here begin.
const FOREIGN: [(&[u8], &str); 6] = [
    (b"PK\x03\x04", "a ZIP archive"),
    (b"\xfd7zXZ", "an XZ-compressed file"),
    (b"%PDF", "a PDF file"),
    (b"<", "HTML or XML"),
    (b"#Software:", "a W3C extended log"),
    (b"#Version:", "a W3C extended log"),
];

/// The format of an input that begins with `head`, or what it looks like instead. Text of no other format is URLs.
pub(crate) fn detect(head: &[u8]) -> Result<Format, &'static str> {
    if is_warc(head) {
        return Ok(Format::Warc);
    }
    if head.starts_with(b"PAR1") {
        return Ok(Format::Parquet);
    }
    let text = head.trim_ascii_start();
    if let Some((_, seems)) = FOREIGN.iter().find(|(magic, _)| text.starts_with(magic)) {
        return Err(seems);
    }
    if is_binary(head) {
        return Err("binary data");
    }
    let lines: Vec<&[u8]> = lines(head).filter(|line| !is_blank(line)).take(SAMPLE_LINES).collect();
    let first = lines.first().copied().unwrap_or_default();
    match by_first_line(first).or_else(|| by_most_lines(&lines)) {
        Some(format) => Ok(format),
        None if is_row(first) => {
            Err("a table whose first line does not name the columns (one must be 'url')")
        }
        None => headless_table(&lines).map_or(Ok(Format::Urls), Err),
    }
}

/// What an input looks like whose lines all are a URL with as many labels behind it, separated by `;` or `|`. Since URLs hold both,
/// it takes a header to read it as a table; but it is hardly a list of URLs.
fn headless_table(lines: &[&[u8]]) -> Option<&'static str> {
    const TABLES: [(u8, &str); 2] = [
        (
            b';',
            "a table separated by ';' whose first line does not name the columns (one must be 'url'); \
             if these are URLs, say --format urls",
        ),
        (
            b'|',
            "a table separated by '|' whose first line does not name the columns (one must be 'url'); \
             if these are URLs, say --format urls",
        ),
    ];
    let cells = |line: &[u8], delimiter: u8| line.split(|b| *b == delimiter).count();
    let is_table = |delimiter: u8| {
        let columns = lines.first().map_or(0, |line| cells(line, delimiter));
        // The first line may be a header that is not understood.
        let rows = lines.iter().skip(usize::from(!is_http(lines.first().unwrap_or(&&b""[..]))));
        let is_row = |line: &&[u8]| cells(line, delimiter) == columns && is_labelled(line, delimiter);
        columns > 1 && lines.len() > 1 && rows.clone().all(is_row)
    };
    TABLES.iter().find(|(delimiter, _)| is_table(*delimiter)).map(|(_, seems)| *seems)
}

/// Whether a line is a URL, and all that stands behind a delimiter is a label: neither empty nor a piece of a URL.
fn is_labelled(line: &[u8], delimiter: u8) -> bool {
    let is_label =
        |cell: &[u8]| !is_blank(cell) && !cell.iter().any(|b| b"/?=&%#".contains(b) || *b == delimiter);
    is_http(line) && line.split(|b| *b == delimiter).skip(1).all(is_label)
}

/// Whether an input that begins with `head` is made of WARC records.
pub(crate) fn is_warc(head: &[u8]) -> bool {
    head.trim_ascii_start().starts_with(b"WARC/")
}

/// Whether a line is a URL with something in the next column: no URL has a tab in it.
fn is_row(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    line.contains(&b'\t') && line.windows(3).any(|w| w == b"://")
}

/// Text holds no NUL and hardly any other control character, whatever its encoding.
pub(crate) fn is_binary(head: &[u8]) -> bool {
    let controls = head.iter().filter(|b| b.is_ascii_control() && !b.is_ascii_whitespace()).count();
    head.contains(&0) || controls > head.len() / 20
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_by_content() {
        let heritrix =
            "2006-02-23T10:52:43.207Z 1 55 dns:www.kb.dk P http://www.kb.dk/ text/dns #049 2006+10 - - -\n";
        let with_record_header =
            format!("metadata://netarkivet.dk/ 130.226.228.8 2012 text/plain 412905\n{heritrix}{heritrix}");
        let cases = [
            ("", Format::Urls),
            ("\n  \n", Format::Urls),
            ("http://a/\nhttp://b/\n", Format::Urls),
            ("www.cnn.com\n", Format::Urls),
            ("# seeds\nhttp://a/?x,url\n", Format::Urls),
            ("http://a/?x,url\n", Format::Urls),
            ("http://a/\t\n", Format::Urls),
            ("http://a/caf\u{e9}\n", Format::Urls),
            ("url\tcluster\nhttp://a/\tc0\n", Format::Tsv),
            ("\n\"Size\"\t\"URL\"\n", Format::Tsv),
            ("url\nhttp://a/\n", Format::Tsv),
            ("url_surtkey,url,content_digest\r\n", Format::Csv),
            ("Url,Status code,Status name\n", Format::Csv),
            ("url;cluster\nhttp://a/;c0\n", Format::Csv),
            ("\"url\"|\"cluster\"\n", Format::Csv),
            ("http://a/;jsessionid=1\nhttp://b/;jsessionid=2\n", Format::Urls),
            ("http://a/x;\nhttp://b/x;\n", Format::Urls),
            ("http://a/?x=1|2\nhttp://b/\n", Format::Urls),
            ("http://a/?f=a|b&x\nhttp://a/?f=c|d/\n", Format::Urls),
            ("http://a/;c0\n", Format::Urls),
            ("{\"url\": \"http://a/", Format::Jsonl),
            ("[\n{\"url\": \"http://a/\"},\n", Format::Jsonl),
            (" CDX N b a m s k r M S V g\n", Format::Cdx),
            ("org,a)/ 20120101122052 http://a/ text/html 200 TT2L - - 6655 652 w.gz\n", Format::Cdx),
            ("org,a)/ 20120101122052 http://a/ text/html 200 TT2L - 652 w.gz\n", Format::Cdx),
            ("org,a)/ 20140126200624 {\"url\": \"http://a/\", \"mime\": \"text/html\"}\n", Format::Cdxj),
            ("- - - [01/Aug/1995:06:00:00 +0000] \"GET / HTTP/1.0\" 200 1713\n", Format::Log),
            (
                "a.org:80 10.0.0.1 - - [01/Aug/1995:06:00:00 +0000] \"GET / HTTP/1.0\" 200 1713 \"-\" \"x\"\n",
                Format::Log,
            ),
            ("WARC/1.0\r\nWARC-Type: warcinfo\r\n", Format::Warc),
            (heritrix, Format::Heritrix),
            (&with_record_header, Format::Heritrix),
        ];
        for (head, format) in cases {
            assert_eq!(detect(head.as_bytes()), Ok(format), "{head}");
        }
        assert_eq!(detect(b"http://a/caf\xe9\n"), Ok(Format::Urls));
    }

    #[test]
    fn what_is_not_read_here() {
        let no_header = "a table whose first line does not name the columns (one must be 'url')";
        let cases: [(&[u8], &str); 5] = [
            (b"http://a/\tc0\nhttp://b/\tc1\n", no_header),
            (b"c0\thttp://a/\n", no_header),
            (b"\n<?xml version=\"1.0\"?>", "HTML or XML"),
            (b"\x7fELF\x02\x01\x01\0", "binary data"),
            (b"\x01\x02abc\x03", "binary data"),
        ];
        for (head, seems) in cases {
            assert_eq!(detect(head), Err(seems));
        }
        for head in ["http://a/;c0\nhttps://b/x;y z\n", "link;cluster\r\nhttp://a/;c0\r\n"] {
            for delimiter in [";", "|"] {
                let seems = detect(head.replace(';', delimiter).as_bytes()).unwrap_err();
                assert!(seems.starts_with(&format!("a table separated by '{delimiter}'")), "{head}: {seems}");
            }
        }
    }
}
