//! Learn from the first three quarters of a real site, score the rest: the bundled site always, others where they are at hand.

use std::path::Path;

use crate::data::{gunzip, split};
use crate::folder::Folder;

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
        let report: serde_json::Value = serde_json::from_str(&report).expect("JSON");
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

fn try_out(site: &str, compressed: &[u8]) {
    let tried = Tried::new(&gunzip(compressed));
    tried.assert_safe_and_useful(site);
    tried.assert_idempotent(site);
}

#[test]
fn the_bundled_forum() {
    try_out("demo", include_bytes!("../../../testdata/demo/phpbb2-computerforum.tsv.gz"));
}

/// Try a set of the shared data, which lies beside the repository and not in it.
fn try_shared(name: &str) {
    let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data")).join(name);
    if path.is_file() {
        try_out(name, &std::fs::read(path).expect("a readable file"));
    }
}

#[test]
fn joomla() {
    try_shared("sites/joomla-europeangamesaward.tsv.gz");
}

#[test]
fn govuk() {
    try_shared("redirects/govuk-bis.tsv.gz");
}

#[test]
fn notes() {
    try_shared("html/notes.tsv.gz");
}

#[test]
fn gitweb() {
    try_shared("html/gitweb.tsv.gz");
}
