//! The real files of the project's shared data, where they are at hand: each is recognised and reads without a problem.

use std::path::{Path, PathBuf};

use undust::page::Page;
use undust_io::{Format, ReadOptions, Summary, read};

/// The folder of real data, which lies beside the repository and not in it.
fn data() -> Option<PathBuf> {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data"));
    folder.is_dir().then(|| folder.to_owned())
}

fn read_pages(path: &Path, threads: usize) -> (Summary, Vec<Page>) {
    let options = ReadOptions { host: Some("semicomplete.com".into()), threads, ..ReadOptions::default() };
    let mut pages = Vec::new();
    let summary = read(path, &options, &mut |page| pages.push(page)).expect("a readable file");
    (summary, pages)
}

/// File, format, lines, pages. What is neither a page nor a problem is left out: headers, DNS lookups, POST requests,
/// fetches that Heritrix gave up, and WARC records that are no response.
const FILES: [(&str, Format, u64, u64); 19] = [
    ("cdx/openwayback-archiveorg-2012.cdx", Format::Cdx, 2144, 2138),
    ("cdx/pywb-iana.cdx", Format::Cdx, 172, 171),
    ("cdx/pywb-iana.cdxj", Format::Cdxj, 171, 171),
    ("docs/networkx-doc.tsv.gz", Format::Tsv, 77_871, 77_870),
    ("heritrix/dk-idna-2012.crawl.log.gz", Format::Heritrix, 1548, 402),
    ("heritrix/dk-job11-2006.crawl.log.gz", Format::Heritrix, 1988, 796),
    ("heritrix/dk-job5-2006.crawl.log.gz", Format::Heritrix, 743, 280),
    ("html/notes.jsonl.gz", Format::Jsonl, 2600, 2600),
    ("html/gitweb.tsv.gz", Format::Tsv, 4408, 4407),
    ("html/notes.tsv.gz", Format::Tsv, 2601, 2600),
    ("logs/nasa-19950801-common.log.gz", Format::Log, 30_969, 30_968),
    ("logs/semicomplete-apache-combined-10k.log.gz", Format::Log, 10_000, 9994),
    ("redirects/govuk-bis.tsv.gz", Format::Tsv, 5182, 5181),
    ("redirects/mdn.tsv.gz", Format::Tsv, 24_254, 24_253),
    ("sites/joomla-europeangamesaward.tsv.gz", Format::Tsv, 1244, 1243),
    ("sites/mediawiki-unreal.tsv.gz", Format::Tsv, 40_548, 40_547),
    ("sites/phpbb2-computerforum.tsv.gz", Format::Tsv, 13_425, 13_424),
    ("sites/wp-certaindoubts.tsv.gz", Format::Tsv, 17_027, 17_026),
    ("urls/cnn-wayback-40k.txt.gz", Format::Urls, 40_609, 40_609),
];

#[test]
fn real_files_are_recognised_and_read() {
    let Some(data) = data() else { return };
    for (name, format, lines, pages) in FILES {
        let (summary, _) = read_pages(&data.join(name), 2);
        let samples = &summary.problems.samples;
        assert_eq!(summary.problems.count, 0, "{samples:?}");
        assert_eq!((summary.format, summary.lines, summary.pages), (format, lines, pages), "{name}");
    }
}

#[test]
fn threads_change_nothing() {
    let Some(data) = data() else { return };
    let path = data.join("sites/smf-jacksonheightslife.tsv.gz");
    let one = read_pages(&path, 1);
    assert_eq!(one.0.pages, 130_773);
    assert_eq!(read_pages(&path, 3), one);
}

#[test]
fn a_web_archive() {
    let Some(data) = data() else { return };
    let path = data.join("warc/aut-example.warc.gz");
    let one = read_pages(&path, 1);
    let (summary, pages) = &one;
    assert_eq!((summary.format, summary.cut, summary.problems.count), (Format::Warc, 0, 0));
    assert_eq!((summary.lines, summary.pages), (822, 261));
    assert!(pages.iter().all(|page| page.status.is_some() && page.digest.is_some() && page.time.is_some()));
    let home = pages.iter().find(|page| page.url == b"http://www.archive.org/").expect("the home page");
    let body = home.body.as_ref().expect("its body");
    assert!(body.bytes.windows(7).any(|word| word == b"</html>"), "the page is whole");
    assert_eq!(read_pages(&path, 3), one);
}
