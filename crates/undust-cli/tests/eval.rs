//! `eval`.

use insta::assert_snapshot;

use crate::data::{RULES, shop_rows};
use crate::folder::Folder;

/// One right merge, one wrong one, a page by itself, a URL given twice, one without a label, and another site.
const LABELLED: &str = "\
url\tcluster
http://www.example.com/item?id=1\ta
http://www.example.com/print/1\ta
http://www.example.com/help?skin=1\tb
http://www.example.com/help?skin=2\tc
http://www.example.com/\td
http://www.example.com/\td
http://www.example.com/unknown\t
";

fn folder() -> Folder {
    let several = format!("{LABELLED}{}", shop_rows("www.example.org"));
    Folder::with("rules.json", RULES).and("labelled.tsv", LABELLED).and("several.tsv", several)
}

#[test]
fn every_metric() {
    assert_snapshot!(folder().undust("eval -r rules.json labelled.tsv"), @"
    5 URLs of 4 pages: 3 URLs crawled, 3 pages covered, 3 rules

    metric              all URLs
    ─────────────────────────────
    precision             1.0000
    recall                0.7500
    f1                    0.8571
    keep-all precision    0.8000
    keep-all f1           0.8889
    compression           0.4000
    dup-reduction         1.0000
    coverage              1.0000
    fpr                   0.5000
    reduction per rule    0.6667
    ! passed over, with neither cluster nor digest: 1 page
    = 0
    ");
}

#[test]
fn in_json() {
    assert_snapshot!(folder().undust("eval -r rules.json labelled.tsv --json"), @r#"
    {
      "total": {
        "urls": 5,
        "clusters": 4,
        "crawled": 3,
        "covered": 3,
        "merged_pairs": 2,
        "wrong_pairs": 1,
        "rules": 3,
        "metrics": {
          "precision": 1.0,
          "recall": 0.75,
          "f1": 0.8571428571428571,
          "keep_all_precision": 0.8,
          "keep_all_f1": 0.888888888888889,
          "compression": 0.4,
          "dup_reduction": 1.0,
          "coverage": 1.0,
          "fpr": 0.5,
          "reduction_per_rule": 0.6666666666666666
        }
      },
      "macro_average": {
        "precision": 1.0,
        "recall": 0.75,
        "f1": 0.8571428571428571,
        "keep_all_precision": 0.8,
        "keep_all_f1": 0.888888888888889,
        "compression": 0.4,
        "dup_reduction": 1.0,
        "coverage": 1.0,
        "fpr": 0.5,
        "reduction_per_rule": 0.6666666666666666
      },
      "sites": [
        {
          "site": "example.com",
          "urls": 5,
          "clusters": 4,
          "crawled": 3,
          "covered": 3,
          "merged_pairs": 2,
          "wrong_pairs": 1,
          "rules": 3,
          "metrics": {
            "precision": 1.0,
            "recall": 0.75,
            "f1": 0.8571428571428571,
            "keep_all_precision": 0.8,
            "keep_all_f1": 0.888888888888889,
            "compression": 0.4,
            "dup_reduction": 1.0,
            "coverage": 1.0,
            "fpr": 0.5,
            "reduction_per_rule": 0.6666666666666666
          }
        }
      ]
    }
    ! passed over, with neither cluster nor digest: 1 page
    = 0
    "#);
}

#[test]
fn several_sites() {
    assert_snapshot!(folder().undust("eval -r rules.json several.tsv"), @"
    805 URLs of 404 pages: 803 URLs crawled, 403 pages covered, 3 rules

    metric              all URLs  mean of sites
    ────────────────────────────────────────────
    precision             0.5019         0.7500
    recall                0.9975         0.8750
    f1                    0.6678         0.7619
    keep-all precision    0.5019         0.6500
    keep-all f1           0.6683         0.7778
    compression           0.0025         0.2000
    dup-reduction         0.0000         0.5000
    coverage              0.0025         0.5000
    fpr                   0.5000         0.2500
    reduction per rule    0.6667         0.3333

    site         URLs  pages  crawled  rules  precision  recall      F1
    ────────────────────────────────────────────────────────────────────
    example.org   800    400      800      0     0.5000  1.0000  0.6667
    example.com     5      4        3      3     1.0000  0.7500  0.8571
    ! passed over, with neither cluster nor digest: 1 page
    = 0
    ");
}

#[test]
fn several_files_are_one_walk() {
    let folder = folder();
    let twice = folder.undust("eval -r rules.json labelled.tsv labelled.tsv").fine();
    assert_eq!(twice, folder.undust("eval -r rules.json labelled.tsv").fine());
}

#[test]
fn nothing_to_score() {
    let folder = folder().and("urls.txt", "http://www.example.com/\n");
    assert_snapshot!(folder.undust("eval -r rules.json urls.txt"), @"
    ! passed over, with neither cluster nor digest: 1 page
    ! undust: no labelled page to score: the input needs a column 'cluster' or 'digest'
    = 2
    ");
}
