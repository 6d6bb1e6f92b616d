//! The built command on real sites and in a real browser: sites that come with the repository always, others and the browser where they
//! are at hand.
//!
//! Of a site, three quarters are learned from and the rest is scored.

use std::path::Path;
use std::process::ExitCode;

use serde_json::Value;
use undust_testkit::Tests;

use crate::data::{gunzip, split};
use crate::folder::Folder;

mod browser;
#[allow(dead_code, reason = "the other tests need more of it")]
mod data;
#[allow(dead_code, reason = "the other tests need more of it")]
mod folder;

/// Labelled sites of which most pages must be kept and some URLs saved. Those that are bundled are cuts, but for the first.
const BUNDLED: [&str; 3] = ["joomla-europeangamesaward", "smf-jacksonheightslife", "wp-certaindoubts"];
const SHARED: [&str; 4] = [
    "sites/joomla-europeangamesaward.tsv.gz",
    "redirects/govuk-bis.tsv.gz",
    "html/notes.tsv.gz",
    "html/gitweb.tsv.gz",
];

fn main() -> ExitCode {
    let mut tests = Tests::new()
        .bundled("site_phpbb2-computerforum", |data| try_out(data, "../demo/phpbb2-computerforum.tsv.gz"))
        .bundled("pages_of_a_wiki", |data| cluster(data, "../demo/wiki.jsonl.zst", "html/notes.tsv.gz"))
        .shared("pages_of_a_wiki", |data| cluster(data, "html/notes.jsonl.gz", "html/notes.tsv.gz"))
        .shared("pages_of_a_code_browser", |data| cluster(data, "html/gitweb.jsonl.gz", "html/gitweb.tsv.gz"))
        .needing("needs a browser", browser::find(), "report_in_a_browser", browser::report);
    for site in BUNDLED {
        tests = tests
            .bundled(&format!("site_{site}"), move |data| try_out(data, &format!("sites/{site}.tsv.gz")));
    }
    for file in SHARED {
        tests = tests.shared(&test_name(file), move |data| try_out(data, file));
    }
    tests.run()
}

fn test_name(file: &str) -> String {
    let name = file.rsplit('/').next().unwrap_or(file);
    format!("site_{}", name.trim_end_matches(".tsv.gz"))
}

/// A site whose last quarter of rows was not learned from.
struct Tried {
    folder: Folder,
}

impl Tried {
    fn new(table: &str) -> Tried {
        let rows = table.lines().count() - 1;
        let (learn, test) = split(table, rows * 3 / 4);
        let folder = Folder::with("learn.tsv", learn).and("test.tsv", test).and("all.tsv", table);
        folder.undust("learn learn.tsv").fine();
        Tried { folder }
    }

    /// A metric of the total, as `eval` states it.
    fn metric(&self, name: &str) -> f64 {
        let report = self.folder.undust("eval -r rules.json test.tsv --json").fine();
        let report: Value = serde_json::from_str(&report).expect("JSON");
        report["total"]["metrics"][name].as_f64().expect(name)
    }

    fn assert_safe_and_useful(&self, site: &str) {
        let (recall, f1, keep_all) = (self.metric("recall"), self.metric("f1"), self.metric("keep_all_f1"));
        assert!(recall >= 0.98, "{site}: recall {recall}");
        assert!(f1 > keep_all, "{site}: F1 {f1}, {keep_all} by crawling everything");
        self.folder.undust("check rules.json").fine();
    }

    fn assert_idempotent(&self, site: &str) {
        for form in ["key", "url"] {
            let apply = |input: &str| {
                self.folder.undust(&format!("apply -r rules.json --form {form} {input}")).fine()
            };
            let once = apply("all.tsv");
            self.folder.write("once.txt", &once);
            assert!(apply("once.txt") == once, "{site}: applying twice changes {form}s again");
        }
    }
}

fn try_out(data: &Path, file: &str) {
    let compressed = std::fs::read(data.join(file)).expect("a readable file");
    let tried = Tried::new(&gunzip(&compressed));
    tried.assert_safe_and_useful(file);
    tried.assert_idempotent(file);
}

/// Clusters pages of real software, and compares them with reference clusters.
fn cluster(data: &Path, pages: &str, reference: &str) {
    let data = std::fs::canonicalize(data).expect("the folder of data");
    let (pages, reference) = (data.join(pages), data.join(reference));
    let arguments =
        format!("cluster {} --reference {} -o pages.tsv --json", pages.display(), reference.display());
    let found: Value = serde_json::from_str(&Folder::new().undust(&arguments).fine()).expect("JSON");
    let precision = found["reference"]["precision"].as_f64().expect("a number");
    assert!(precision >= 0.97, "{found}");
}
