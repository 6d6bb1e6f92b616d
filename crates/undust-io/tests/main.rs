//! Real files: each is recognised and reads without a problem. Small ones of every format come with the repository; whole ones are read
//! where they are at hand.

use std::path::Path;
use std::process::ExitCode;

use undust::page::Page;
use undust_io::{Format, ReadOptions, Summary, read};
use undust_testkit::Tests;

/// A file, its format, its lines and its pages. What is neither a page nor a problem is left out: headers, DNS lookups, POST requests,
/// fetches that Heritrix gave up, and WARC records that are no response.
type RealFile = (&'static str, Format, u64, u64);

const BUNDLED: [RealFile; 17] = [
    ("cdx/openwayback-archiveorg-2012.cdx.gz", Format::Cdx, 300, 294),
    ("cdx/pywb-iana.cdx.gz", Format::Cdx, 172, 171),
    ("cdx/pywb-iana.cdxj.gz", Format::Cdxj, 171, 171),
    ("docs/networkx-doc.tsv.gz", Format::Tsv, 787, 786),
    ("heritrix/dk-idna-2012.crawl.log.gz", Format::Heritrix, 1548, 402),
    ("heritrix/dk-job5-2006.crawl.log.gz", Format::Heritrix, 743, 280),
    ("html/gitweb.csv.gz", Format::Csv, 401, 400),
    ("html/notes.tsv.gz", Format::Tsv, 686, 685),
    ("logs/nasa-19950801-common.log.gz", Format::Log, 1000, 1000),
    ("logs/semicomplete-apache-combined-10k.log.gz", Format::Log, 600, 600),
    ("redirects/govuk-bis.tsv.gz", Format::Tsv, 728, 727),
    ("redirects/mdn.tsv.gz", Format::Tsv, 1001, 1000),
    ("sites/joomla-europeangamesaward.tsv.gz", Format::Tsv, 1244, 1243),
    ("sites/mediawiki-unreal.tsv.gz", Format::Tsv, 1086, 1085),
    ("sites/wp-certaindoubts.tsv.gz", Format::Tsv, 1501, 1500),
    ("urls/cnn-wayback-40k.txt.gz", Format::Urls, 1016, 1016),
    ("../demo/wiki.jsonl.zst", Format::Jsonl, 685, 685),
];

const SHARED: [RealFile; 19] = [
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

fn main() -> ExitCode {
    Tests::new()
        .bundled("files_are_recognised_and_read", |data| recognised_and_read(data, &BUNDLED))
        .bundled("every_format_has_a_file", |_| every_format_has_a_file())
        .bundled("threads_change_nothing", |data| {
            threads_change_nothing(&data.join("sites/smf-jacksonheightslife.tsv.gz"), 1500);
        })
        .bundled("a_web_archive", |data| web_archive(data, 40, 12))
        .bundled("a_folder_of_pages", folder_of_pages)
        .shared("files_are_recognised_and_read", |data| recognised_and_read(data, &SHARED))
        .shared("threads_change_nothing", |data| {
            threads_change_nothing(&data.join("sites/smf-jacksonheightslife.tsv.gz"), 130_773);
        })
        .shared("a_web_archive", |data| web_archive(data, 822, 261))
        .run()
}

fn read_pages(path: &Path, threads: usize) -> (Summary, Vec<Page>) {
    let options = ReadOptions { host: Some("semicomplete.com".into()), threads, ..ReadOptions::default() };
    let mut pages = Vec::new();
    let summary = read(path, &options, &mut |page| pages.push(page)).expect("a readable file");
    (summary, pages)
}

fn recognised_and_read(data: &Path, files: &[RealFile]) {
    let read_as = |name: &str| {
        let summary = read_pages(&data.join(name), 2).0;
        assert_eq!(summary.problems.count, 0, "{name}: {:?}", summary.problems.samples);
        (summary.format, summary.lines, summary.pages)
    };
    let found: Vec<_> = files.iter().map(|(name, ..)| (*name, read_as(name))).collect();
    let expected: Vec<_> =
        files.iter().map(|&(name, format, lines, pages)| (name, (format, lines, pages))).collect();
    assert_eq!(found, expected);
}

/// Those with tests of their own aside: an archive, a folder, and Parquet, whose tests write their files.
fn every_format_has_a_file() {
    let own = [Format::Warc, Format::Folder, Format::Parquet];
    for format in Format::ALL.into_iter().filter(|format| !own.contains(format)) {
        assert!(BUNDLED.iter().any(|file| file.1 == format), "{format}");
    }
}

fn threads_change_nothing(path: &Path, pages: u64) {
    let one = read_pages(path, 1);
    assert_eq!(one.0.pages, pages);
    assert_eq!(read_pages(path, 3), one);
}

fn web_archive(data: &Path, records: u64, responses: u64) {
    let path = data.join("warc/aut-example.warc.gz");
    let one = read_pages(&path, 1);
    let (summary, pages) = &one;
    assert_eq!((summary.format, summary.cut, summary.problems.count), (Format::Warc, 0, 0));
    assert_eq!((summary.lines, summary.pages), (records, responses));
    assert!(pages.iter().all(|page| page.status.is_some() && page.digest.is_some() && page.time.is_some()));
    let home =
        pages.iter().find(|page| page.url == b"http://www.archive.org/index.php").expect("the home page");
    let body = home.body.as_ref().expect("its body");
    assert!(body.bytes.windows(7).any(|word| word == b"</html>"), "the page is whole");
    assert_eq!(read_pages(&path, 3), one);
}

/// As `wget` saved it: the folder's name is the host.
fn folder_of_pages(data: &Path) {
    let (summary, pages) = {
        let mut pages = Vec::new();
        let folder = data.join("folder/www.archive.org");
        let summary = read(&folder, &ReadOptions::default(), &mut |page| pages.push(page)).expect("a folder");
        (summary, pages)
    };
    assert_eq!((summary.format, summary.pages, summary.problems.count), (Format::Folder, 3, 0));
    let urls: Vec<String> =
        pages.iter().map(|page| String::from_utf8_lossy(&page.url).into_owned()).collect();
    let expected = ["about/credits.php", "details/DrinkingWithBob-MadonnaAdoptsAfricanBaby887", "index.php"];
    assert_eq!(urls, expected.map(|path| format!("http://www.archive.org/{path}")));
    assert!(pages.iter().all(|page| page.body.as_ref().is_some_and(|body| !body.bytes.is_empty())));
}
