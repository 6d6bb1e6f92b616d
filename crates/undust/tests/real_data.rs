//! The URL model on real URLs, where they are at hand: a folder of data sets beside the repository.

use std::io::Read;
use std::path::{Path, PathBuf};

use undust::url::{SplitUrl, is_normal, join, normalize};

use crate::show;
use crate::wpt::{Verdict, judge};

/// URL lists and labelled sets, whose first column is the URL.
const FILES: [&str; 11] = [
    "docs/networkx-doc.tsv.gz",
    "html/gitweb.tsv.gz",
    "html/notes.tsv.gz",
    "redirects/govuk-bis.tsv.gz",
    "redirects/mdn.tsv.gz",
    "sites/joomla-europeangamesaward.tsv.gz",
    "sites/mediawiki-unreal.tsv.gz",
    "sites/phpbb2-computerforum.tsv.gz",
    "sites/smf-jacksonheightslife.tsv.gz",
    "sites/wp-certaindoubts.tsv.gz",
    "urls/cnn-wayback-40k.txt.gz",
];

/// Every so many URLs, the oracle is asked too.
const ORACLE_STEP: usize = 20;

fn data() -> Option<PathBuf> {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data"));
    folder.is_dir().then(|| folder.to_owned())
}

fn first_columns(path: &Path) -> Vec<Vec<u8>> {
    let packed = std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut text = Vec::new();
    flate2::read::MultiGzDecoder::new(packed.as_slice()).read_to_end(&mut text).expect("gzip");
    let columns = text.split(|&b| b == b'\n').filter_map(|line| line.split(|&b| b == b'\t').next());
    columns.filter(|url| !url.is_empty() && *url != b"url").map(<[u8]>::to_vec).collect()
}

#[test]
fn real_urls() {
    let Some(folder) = data() else { return };
    let (mut count, mut split_count, mut judged) = (0, 0, 0);
    let mut wrong = Vec::new();
    for file in FILES {
        for (i, url) in first_columns(&folder.join(file)).iter().enumerate() {
            count += 1;
            if let Some(split) = SplitUrl::new(url) {
                split_count += 1;
                assert_eq!(join(split.keys()), *url, "{file}: {}", show(url));
            }
            let normal = normalize(url);
            assert!(is_normal(&normal), "{file}: {} became {}", show(url), show(&normal));
            if i % ORACLE_STEP == 0 {
                match judge(url) {
                    Verdict::Wrong(what) => wrong.push(format!("{file}: {what}")),
                    Verdict::NotOurs => {}
                    Verdict::Same | Verdict::Changed => judged += 1,
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(
        count > 300_000 && split_count * 100 > count * 99 && judged > 10_000,
        "{count} {split_count} {judged}"
    );
}
