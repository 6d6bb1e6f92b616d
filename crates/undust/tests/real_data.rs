//! The URL model on real URLs: those that come with the repository, and whole data sets where they are at hand.

use std::io::Read;
use std::path::Path;
use std::process::ExitCode;

use undust::url::{SplitUrl, is_normal, join, normalize};
use undust_testkit::Tests;

use crate::oracle::{Verdict, judge};

mod oracle;

/// URL lists and labelled sets, whose first column is the URL.
const BUNDLED: [&str; 9] = [
    "docs/networkx-doc.tsv.gz",
    "html/notes.tsv.gz",
    "redirects/govuk-bis.tsv.gz",
    "redirects/mdn.tsv.gz",
    "sites/joomla-europeangamesaward.tsv.gz",
    "sites/mediawiki-unreal.tsv.gz",
    "sites/smf-jacksonheightslife.tsv.gz",
    "sites/wp-certaindoubts.tsv.gz",
    "urls/cnn-wayback-40k.txt.gz",
];

/// Sets of which nothing is bundled here.
const ONLY_SHARED: [&str; 2] = ["html/gitweb.tsv.gz", "sites/phpbb2-computerforum.tsv.gz"];

/// Of every so many URLs of the whole sets, the oracle judges one.
const ORACLE_STEP: usize = 20;

fn main() -> ExitCode {
    Tests::new()
        .bundled("real_urls", |folder| {
            let counts = Counts::of(folder, &BUNDLED, 1);
            assert!(counts.urls > 8_000 && counts.judged > 8_000, "{counts:?}");
        })
        .shared("real_urls", |folder| {
            let counts = Counts::of(folder, &[BUNDLED.as_slice(), &ONLY_SHARED].concat(), ORACLE_STEP);
            assert!(counts.urls > 300_000 && counts.judged > 10_000, "{counts:?}");
        })
        .run()
}

/// Counts of URLs on which the laws hold.
#[derive(Debug, Default)]
struct Counts {
    urls: usize,
    split: usize,
    judged: usize,
}

impl Counts {
    fn of(folder: &Path, files: &[&str], oracle_step: usize) -> Counts {
        let mut counts = Counts::default();
        let mut wrong = Vec::new();
        for file in files {
            for (i, url) in first_columns(&folder.join(file)).iter().enumerate() {
                counts.add(url);
                if i % oracle_step == 0 {
                    match judge(url) {
                        Verdict::Wrong(what) => wrong.push(format!("{file}: {what}")),
                        Verdict::NotOurs => {}
                        Verdict::Same | Verdict::Changed => counts.judged += 1,
                    }
                }
            }
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
        assert!(counts.split * 100 > counts.urls * 99, "{counts:?}");
        counts
    }

    fn add(&mut self, url: &[u8]) {
        self.urls += 1;
        if let Some(split) = SplitUrl::new(url) {
            self.split += 1;
            assert_eq!(join(split.keys()), url, "{}", url.escape_ascii());
        }
        let normal = normalize(url);
        assert!(is_normal(&normal), "{} became {}", url.escape_ascii(), normal.escape_ascii());
    }
}

fn first_columns(path: &Path) -> Vec<Vec<u8>> {
    let packed = std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut text = Vec::new();
    flate2::read::MultiGzDecoder::new(packed.as_slice()).read_to_end(&mut text).expect("gzip");
    let columns = text.split(|&b| b == b'\n').filter_map(|line| line.split(|&b| b == b'\t').next());
    columns.filter(|url| !url.is_empty() && *url != b"url").map(<[u8]>::to_vec).collect()
}
