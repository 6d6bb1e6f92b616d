//! `eval`.

use insta::assert_snapshot;
use serde_json::Value;

use crate::data::{RULES, SKIPS, gunzip, lines, shop_rows};
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

/// A short link whose page has another URL, and one whose page has none.
const SHORT_LINKS: &str = "\
url\tcluster
http://www.example.com/?p=1\ta
http://www.example.com/?p=1&sid=7\ta
http://www.example.com/one\ta
http://www.example.com/?p=2\tb
http://www.example.com/three\tc
";

#[test]
fn skips_are_scored_apart() {
    let folder = Folder::with("rules.json", SKIPS).and("labelled.tsv", SHORT_LINKS);
    assert_snapshot!(folder.undust("eval -r rules.json labelled.tsv"), @"
    5 URLs of 3 pages: 4 URLs crawled, 3 pages covered, 1 rule

    metric              all URLs
    ─────────────────────────────
    precision             0.7500
    recall                1.0000
    f1                    0.8571
    keep-all precision    0.6000
    keep-all f1           0.7500
    compression           0.2000
    dup-reduction         0.3750
    coverage              0.5000
    fpr                   0.0000
    reduction per rule    1.0000

    with skips: 2 URLs crawled, 2 pages covered, precision 1.0000, recall 0.6667, F1 0.8000
    = 0
    ");
    let scores: Value = serde_json::from_str(&folder.undust("eval -r rules.json labelled.tsv --json").fine())
        .expect("the scores are JSON");
    let counts =
        |score: &Value| ["urls", "clusters", "crawled", "covered", "rules"].map(|name| score[name].as_u64());
    assert_eq!(counts(&scores["total"]), [5, 3, 4, 3, 1].map(Some));
    assert_eq!(counts(&scores["with_skips"]["total"]), [5, 3, 2, 2, 2].map(Some));
    assert_eq!(counts(&scores["with_skips"]["sites"][0]), [5, 3, 2, 2, 2].map(Some));
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

/// The first pages of the demo's forum, and a site too small to say anything.
pub(crate) fn forum() -> Folder {
    let forum = gunzip(include_bytes!("../../../testdata/demo/phpbb2-computerforum.tsv.gz"));
    let rows = lines(forum.lines().take(4001).map(str::to_owned));
    Folder::with("forum.tsv", rows + "http://www.example.com/\tx\ty\t1\n")
}

#[test]
fn the_experiment_of_www_2007() {
    assert_snapshot!(forum().undust("eval --protocol www07 forum.tsv"), @"
    Likely rules, learned without labels

    site                 URLs  filter         detected  remaining          likely  p@10  p@100
    ───────────────────────────────────────────────────────────────────────────────────────────
    computer-forum.net  3,960  size, simhash        69         17  24.6 %      18  0.80   0.72
                               none                537         49   9.1 %      54  0.20   0.26

    remaining:  rules detected that phase 2 did not find redundant
    likely:     those of them that are still likely, and parameter substitutions
    p@10, 100:  valid rules by the labels, of the first 10 or 100 (or all, if fewer)

    Canonization: learned and validated on the first 75.0 % of the rows, applied to the rest

    site                 URLs  tried  valid  redundancy  coverage  precision  recall      F1
    ─────────────────────────────────────────────────────────────────────────────────────────
    computer-forum.net  1,000     17      7      0.0330    0.1299     0.7715  1.0000  0.8710
    ! passed over, with fewer than 100 labelled URLs: 1 site
    = 0
    ");
}

#[test]
fn its_rules_in_json() {
    assert_snapshot!(forum().undust("eval --protocol www07 --top 1 --train 0.5 forum.tsv --json"), @r#"
    {
      "protocol": "www07",
      "sites": [
        {
          "site": "computer-forum.net",
          "urls": 3960,
          "methods": [
            {
              "method": "dustbuster",
              "rankings": [
                {
                  "known": "content",
                  "detected": 69,
                  "remaining": 17,
                  "likely": 18,
                  "precision_at_10": 1.0,
                  "precision_at_100": 1.0,
                  "rules": [
                    {
                      "from": "&start=0&postdays=0&postorder=asc&highlight=$",
                      "to": "$",
                      "support": 185,
                      "valid": true
                    }
                  ]
                },
                {
                  "known": "urls",
                  "detected": 537,
                  "remaining": 49,
                  "likely": 54,
                  "precision_at_10": 1.0,
                  "precision_at_100": 1.0,
                  "rules": [
                    {
                      "from": "&start=0&postdays=0&postorder=asc&highlight=$",
                      "to": "$",
                      "support": 253,
                      "valid": true
                    }
                  ]
                }
              ],
              "canonization": {
                "train": 2000,
                "test": 2000,
                "tried": 1,
                "valid": 1,
                "score": {
                  "urls": 2000,
                  "clusters": 1470,
                  "crawled": 1925,
                  "covered": 1470,
                  "merged_pairs": 75,
                  "wrong_pairs": 0,
                  "rules": 1,
                  "metrics": {
                    "precision": 0.7636363636363637,
                    "recall": 1.0,
                    "f1": 0.865979381443299,
                    "keep_all_precision": 0.735,
                    "keep_all_f1": 0.8472622478386168,
                    "compression": 0.0375,
                    "dup_reduction": 0.10806174957118375,
                    "coverage": 0.14150943396226415,
                    "fpr": 0.0,
                    "reduction_per_rule": 75.0
                  }
                }
              }
            }
          ]
        }
      ],
      "small_sites": 1
    }
    ! passed over, with fewer than 100 labelled URLs: 1 site
    = 0
    "#);
}

#[test]
fn its_plot() {
    let folder = forum();
    let run = folder.undust("eval --protocol www07 --top 20 --plot plot.svg forum.tsv").fine();
    let plot = folder.read("plot.svg");
    assert!(plot.contains(">computer-forum.net</text>") && plot.contains(">top k rules</text>"), "{plot}");
    assert_eq!(plot.matches("<polyline ").count(), 2);
    folder.undust("eval --protocol www07 --top 20 --plot again.svg --threads 1 forum.tsv").fine();
    assert_eq!(plot, folder.read("again.svg"));
    assert_eq!(run, folder.undust("eval --protocol www07 --top 20 forum.tsv").fine());
}

#[test]
fn the_experiment_of_wsdm_2010() {
    let shop = format!("url\tcluster\n{}", shop_rows("www.example.org"));
    let folder = forum().and("shop.tsv", shop);
    let run = folder.undust("eval --protocol wsdm10 --methods rewrite,dustbuster forum.tsv shop.tsv");
    assert_snapshot!(run, @"
    Rules learned from 1,628 URLs, applied to 802 others, on 2 sites

    precision  method      rules   of all  reduction  by site  per rule  wrong
    ───────────────────────────────────────────────────────────────────────────
    = 1        rewrite        43  100.0 %     46.1 %   46.2 %       8.6  0.0 %
               dustbuster     29  100.0 %     49.9 %   49.9 %      13.8  0.0 %
    ≥ 0.95     rewrite        43  100.0 %     46.1 %   46.2 %       8.6  0.0 %
               dustbuster     29  100.0 %     49.9 %   49.9 %      13.8  0.0 %
    ≥ 0.9      rewrite        43  100.0 %     46.1 %   46.2 %       8.6  0.0 %
               dustbuster     29  100.0 %     49.9 %   49.9 %      13.8  0.0 %
    ≥ 0.8      rewrite        43  100.0 %     46.1 %   46.2 %       8.6  0.0 %
               dustbuster     29  100.0 %     49.9 %   49.9 %      13.8  0.0 %
    all        rewrite        43  100.0 %     46.1 %   46.2 %       8.6  0.0 %
               dustbuster     29  100.0 %     49.9 %   49.9 %      13.8  0.0 %

    precision:  the share of the URLs a rule changes that stay on their page, of those they were learned from
    rules:      those so precise that change at least 10 URLs
    reduction:  URLs less than before, when those of one canonical form count as one
    by site:    the mean of the sites' reductions, each site counting the same
    per rule:   the same, as a number of URLs for each rule
    wrong:      of the URLs so removed, those of another page than the one kept

    By the number of URLs that a rule changes

    precision     URLs  method      rules  per rule  reduction
    ───────────────────────────────────────────────────────────
    = 1           ≥ 10  rewrite        43       8.6     46.1 %
                        dustbuster     29      13.8     49.9 %
                 ≥ 100  rewrite        23      14.2     40.8 %
                        dustbuster      5      42.0     26.2 %
               ≥ 1,000  rewrite         0       0.0      0.0 %
                        dustbuster      0       0.0      0.0 %
    ≥ 0.95        ≥ 10  rewrite        43       8.6     46.1 %
                        dustbuster     29      13.8     49.9 %
                 ≥ 100  rewrite        23      14.2     40.8 %
                        dustbuster      5      42.0     26.2 %
               ≥ 1,000  rewrite         0       0.0      0.0 %
                        dustbuster      0       0.0      0.0 %
    ≥ 0.9         ≥ 10  rewrite        43       8.6     46.1 %
                        dustbuster     29      13.8     49.9 %
                 ≥ 100  rewrite        23      14.2     40.8 %
                        dustbuster      5      42.0     26.2 %
               ≥ 1,000  rewrite         0       0.0      0.0 %
                        dustbuster      0       0.0      0.0 %
    ≥ 0.8         ≥ 10  rewrite        43       8.6     46.1 %
                        dustbuster     29      13.8     49.9 %
                 ≥ 100  rewrite        23      14.2     40.8 %
                        dustbuster      5      42.0     26.2 %
               ≥ 1,000  rewrite         0       0.0      0.0 %
                        dustbuster      0       0.0      0.0 %

    Site by site, precision ≥ 0.95

    site                URLs  method      rules  per rule  reduction  wrong
    ────────────────────────────────────────────────────────────────────────
    computer-forum.net   406  rewrite        17      10.1     42.4 %  0.0 %
                              dustbuster     16      12.6     49.8 %  0.0 %
    example.org          396  rewrite        26       7.6     50.0 %  0.0 %
                              dustbuster     13      15.2     50.0 %  0.0 %
    ! passed over, with fewer than 100 labelled URLs: 1 site
    = 0
    ");
}

#[test]
fn its_honest_version_on_one_site() {
    let flags = "--methods rewrite --judged-on test --singletons";
    assert_snapshot!(forum().undust(&format!("eval --protocol wsdm10 {flags} forum.tsv")), @"
    Rules learned from 1,224 URLs, applied to 1,585 others, on 1 site

    precision  method   rules   of all  reduction  per rule  wrong
    ───────────────────────────────────────────────────────────────
    = 1        rewrite     14  100.0 %     11.8 %      13.4  0.0 %
    ≥ 0.95     rewrite     14  100.0 %     11.8 %      13.4  0.0 %
    ≥ 0.9      rewrite     14  100.0 %     11.8 %      13.4  0.0 %
    ≥ 0.8      rewrite     14  100.0 %     11.8 %      13.4  0.0 %
    all        rewrite     14  100.0 %     11.8 %      13.4  0.0 %

    precision:  the share of the URLs a rule changes that stay on their page, of those they are applied to
    rules:      those so precise that change at least 10 URLs
    reduction:  URLs less than before, when those of one canonical form count as one
    per rule:   the same, as a number of URLs for each rule
    wrong:      of the URLs so removed, those of another page than the one kept

    By the number of URLs that a rule changes

    precision     URLs  method   rules  per rule  reduction
    ────────────────────────────────────────────────────────
    = 1           ≥ 10  rewrite     14      13.4     11.8 %
                 ≥ 100  rewrite      5      25.8      8.1 %
               ≥ 1,000  rewrite      0       0.0      0.0 %
    ≥ 0.95        ≥ 10  rewrite     14      13.4     11.8 %
                 ≥ 100  rewrite      5      25.8      8.1 %
               ≥ 1,000  rewrite      0       0.0      0.0 %
    ≥ 0.9         ≥ 10  rewrite     14      13.4     11.8 %
                 ≥ 100  rewrite      5      25.8      8.1 %
               ≥ 1,000  rewrite      0       0.0      0.0 %
    ≥ 0.8         ≥ 10  rewrite     14      13.4     11.8 %
                 ≥ 100  rewrite      5      25.8      8.1 %
               ≥ 1,000  rewrite      0       0.0      0.0 %
    ! passed over, with fewer than 100 labelled URLs: 1 site
    = 0
    ");
}

#[test]
fn learners_side_by_side_in_json() {
    let json =
        |flags: &str| forum().undust(&format!("eval --protocol wsdm10 forum.tsv --json {flags}")).fine();
    let text = json("--methods dustbuster,rewrite");
    assert_eq!(text, json("--methods dustbuster,rewrite --threads 1"));
    let report: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!((&report["protocol"], &report["small_sites"]), (&"wsdm10".into(), &1.into()));
    assert_eq!((&report["judged_on"], &report["singletons"]), (&"train".into(), &false.into()));
    let (total, site) = (&report["total"], &report["sites"][0]);
    assert_eq!((&site["train"], &site["test"]), (&1224.into(), &406.into()));
    assert_eq!(total, &site["methods"], "one site is all there is");
    let set = &total[1]["sets"][0];
    assert_eq!(
        (&total[1]["method"], total[1]["sets"].as_array().map(Vec::len)),
        (&"rewrite".into(), Some(15))
    );
    assert_eq!((&set["rules"], &set["removed"], &set["wrong"]), (&17.into(), &172.into(), &0.into()));
}

#[test]
fn the_experiment_of_www_2010() {
    let shop = format!("url\tcluster\n{}", shop_rows("www.example.org"));
    let folder = forum().and("shop.tsv", shop);
    let run = folder.undust("eval --protocol www10 --methods rewrite --noise 0.01 forum.tsv shop.tsv");
    assert_snapshot!(run, @"
    Rules learned from 960 URLs (10 under a wrong label), tested on all 4,799, on 2 sites

    Rules of at most 5.0 % false positives

    method   raw  qualified    rate
    ────────────────────────────────
    rewrite   34         26  76.5 %

    raw:        rules that a learner proposed
    qualified:  those that make URLs equal, at most 5.0 % of the pairs wrongly, where they were learned

    What is deployed of them

    method           qualified  deployed  compression    mean  dup-reduction    mean    fpr  lost
    ──────────────────────────────────────────────────────────────────────────────────────────────
    rewrite + naive         26         4       24.4 %  16.3 %         61.0 %  45.3 %  0.0 %     0
    rewrite + graph         26         4       32.1 %  39.2 %         89.1 %  93.2 %  0.0 %     0

    compression:    URLs less than before, when those of one canonical form count as one
    dup-reduction:  how much of the share of duplicates is gone, URLs beyond the first of their page
    mean:           the mean of the sites' rates, each site counting the same
    fpr:            of the pairs of URLs made equal, those of different pages
    lost:           pages all of whose URLs were taken for another page

    Site by site

    site                 URLs  method           rules  compression  dup-red.    fpr  lost
    ──────────────────────────────────────────────────────────────────────────────────────
    computer-forum.net  3,999  rewrite + naive      3       28.5 %    86.4 %  0.0 %     0
                               rewrite + graph      3       28.5 %    86.4 %  0.0 %     0
    example.org           800  rewrite + naive      1        4.1 %     4.3 %  0.0 %     0
                               rewrite + graph      1       50.0 %   100.0 %  0.0 %     0
    ! passed over, with fewer than 100 labelled URLs: 1 site
    = 0
    ");
}

#[test]
fn its_own_learners_on_one_site() {
    assert_snapshot!(forum().undust("eval --protocol www10 --sample-by url --train 0.5 forum.tsv"), @"
    Rules learned from 2,000 URLs, tested on all 3,999, on 1 site

    Rules of at most 5.0 % false positives

    method        raw  qualified     rate
    ──────────────────────────────────────
    fan-out 5      18         10   55.6 %
    fan-out 10      5          5  100.0 %
    pattern-tree   13         12   92.3 %

    raw:        rules that a learner proposed
    qualified:  those that make URLs equal, at most 5.0 % of the pairs wrongly, where they were learned

    What is deployed of them

    method                qualified  deployed  compression  dup-reduction    fpr  lost
    ───────────────────────────────────────────────────────────────────────────────────
    fan-out 5 + naive            10         4       28.4 %         86.2 %  0.0 %     0
    fan-out 10 + naive            5         2       27.8 %         83.4 %  0.0 %     0
    pattern-tree + naive         12         6       30.8 %         96.6 %  0.0 %     1
    pattern-tree + graph         12         5       30.8 %         96.6 %  0.0 %     1

    compression:    URLs less than before, when those of one canonical form count as one
    dup-reduction:  how much of the share of duplicates is gone, URLs beyond the first of their page
    fpr:            of the pairs of URLs made equal, those of different pages
    lost:           pages all of whose URLs were taken for another page
    ! passed over, with fewer than 100 labelled URLs: 1 site
    = 0
    ");
}

#[test]
fn what_is_deployed_in_json() {
    let folder = forum();
    let json = |flags: &str| folder.undust(&format!("eval --protocol www10 forum.tsv --json {flags}")).fine();
    let text = json("--methods rewrite,decision-tree");
    assert_eq!(text, json("--methods rewrite,decision-tree --threads 1"));
    let report: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!((&report["protocol"], &report["small_sites"]), (&"www10".into(), &1.into()));
    assert_eq!((&report["train"], &report["noise"]), (&0.2.into(), &0.0.into()));
    assert_eq!(report["sample_by"], "cluster");
    let (total, site) = (&report["total"], &report["sites"][0]);
    assert_eq!((&site["urls"], &site["train"], &site["mislabelled"]), (&3999.into(), &800.into(), &0.into()));
    assert_eq!(total, &site["methods"], "one site is all there is");
    let (method, set) = (&total[1], &total[1]["deployments"][1]["sets"][10]);
    assert_eq!(method["method"], "decision-tree");
    let last = &method["proofing"][18];
    assert_eq!((&last["max_fpr"], last["rules"].as_u64() <= method["raw"].as_u64()), (&0.9.into(), true));
    assert_eq!(method["deployments"][1]["strategy"], "graph");
    assert_eq!((&set["max_fpr"], &set["urls"]), (&0.1.into(), &3999.into()));
    assert_eq!(set["metrics"], set["macro_average"]);
}

#[test]
fn its_figures() {
    let folder = forum().and("shop.tsv", format!("url\tcluster\n{}", shop_rows("www.example.org")));
    let run = folder.undust("eval --protocol www10 --plot plot.svg forum.tsv").fine();
    let plot = folder.read("plot.svg");
    assert!(plot.contains(">fan-out 10 + naive</text>") && plot.contains(">compression</text>"), "{plot}");
    assert_eq!(plot.matches("<polyline ").count(), 3 + 4 + 4 + 3);
    assert_eq!(run, folder.undust("eval --protocol www10 forum.tsv").fine());
    folder.undust("eval --protocol www10 --plot plot.svg forum.tsv shop.tsv").fine();
    let plot = folder.read("plot.svg");
    assert!(plot.contains(">compression, mean of sites</text>"), "{plot}");
    assert_eq!(plot.matches("<polyline ").count(), 2 * (3 + 4 + 4));
}

#[test]
fn the_experiment_of_sigir_2017() {
    let folder = forum().and("shop.tsv", format!("url\tcluster\n{}", shop_rows("www.example.org")));
    assert_snapshot!(folder.undust("eval --protocol sigir17 forum.tsv shop.tsv --methods keep-all,dustbuster,rewrite,decision-tree,pattern-tree"), @"
    Learned from the first 75.0 % of the rows, tested on a crawl of the rest

    site                 URLs  pages  pairs  test URLs  test pages
    ───────────────────────────────────────────────────────────────
    computer-forum.net  3,000  2,120  1,092      1,000         746
    example.org           600    300    600        200         100

    pairs:  URLs of pages with at least two, among those learned from

    The crawl fetches a URL if its canonical form is new

    site                method         rules  crawled  covered  precision  recall      F1
    ──────────────────────────────────────────────────────────────────────────────────────
    computer-forum.net  keep-all           0    1,000      746     0.7460  1.0000  0.8545
                        dustbuster         0    1,000      746     0.7460  1.0000  0.8545
                        rewrite            2      766      746     0.9739  1.0000  0.9868
                        decision-tree      4      759      746     0.9829  1.0000  0.9914
                        pattern-tree       4      760      746     0.9816  1.0000  0.9907
    example.org         keep-all           0      200      100     0.5000  1.0000  0.6667
                        dustbuster         1      100      100     1.0000  1.0000  1.0000
                        rewrite            1      100      100     1.0000  1.0000  1.0000
                        decision-tree      1      100      100     1.0000  1.0000  1.0000
                        pattern-tree       1      100      100     1.0000  1.0000  1.0000

    Mean of the sites

    method         all rules  precision  recall      F1
    ────────────────────────────────────────────────────
    keep-all               0     0.6230  1.0000  0.7606
    dustbuster             1     0.8730  1.0000  0.9273
    rewrite                3     0.9869  1.0000  0.9934
    decision-tree          5     0.9914  1.0000  0.9957
    pattern-tree           5     0.9908  1.0000  0.9954

    crawled:    URLs fetched
    covered:    pages of which a URL is fetched
    precision:  pages covered, of URLs crawled
    recall:     pages covered, of all
    ! passed over, with fewer than 100 labelled URLs: 1 site
    = 0
    ");
}

#[test]
fn a_crawl_of_one_site() {
    let flags = "--methods decision-tree,keep-all --train 0.5 --max-fpr 0.05";
    assert_snapshot!(forum().undust(&format!("eval --protocol sigir17 {flags} forum.tsv")), @"
    Learned from the first 50.0 % of the rows, tested on a crawl of the rest

    site                 URLs  pages  pairs  test URLs  test pages
    ───────────────────────────────────────────────────────────────
    computer-forum.net  2,000  1,454    634      2,000       1,470

    pairs:  URLs of pages with at least two, among those learned from

    The crawl fetches a URL if its canonical form is new

    site                method         rules  crawled  covered  precision  recall      F1
    ──────────────────────────────────────────────────────────────────────────────────────
    computer-forum.net  decision-tree      2    1,513    1,470     0.9716  1.0000  0.9856
                        keep-all           0    2,000    1,470     0.7350  1.0000  0.8473

    crawled:    URLs fetched
    covered:    pages of which a URL is fetched
    precision:  pages covered, of URLs crawled
    recall:     pages covered, of all
    ! passed over, with fewer than 100 labelled URLs: 1 site
    = 0
    ");
}

#[test]
fn the_crawl_in_json() {
    let folder = forum();
    let json =
        |flags: &str| folder.undust(&format!("eval --protocol sigir17 forum.tsv --json {flags}")).fine();
    let text = json("--methods keep-all,decision-tree");
    assert_eq!(text, json("--methods keep-all,decision-tree --threads 1"));
    let report: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!((&report["protocol"], &report["small_sites"]), (&"sigir17".into(), &1.into()));
    assert_eq!((&report["train"], &report["max_fpr"]), (&0.75.into(), &0.01.into()));
    let (total, site) = (&report["total"], &report["sites"][0]);
    assert_eq!(site["train"]["urls"], 3000);
    let [keep_all, learned] = [0, 1].map(|at| &site["methods"][at]);
    assert_eq!((&keep_all["method"], &keep_all["crawled"]), (&"keep-all".into(), &site["test_urls"]));
    assert_eq!(keep_all["covered"], site["test_clusters"]);
    assert_eq!((&learned["method"], &learned["urls"]), (&"decision-tree".into(), &site["test_urls"]));
    assert_eq!(total[1]["macro_average"], learned["metrics"], "one site is all there is");
    assert!(learned["metrics"]["f1"].as_f64() > keep_all["metrics"]["f1"].as_f64());
}

#[test]
fn the_crawl_goes_by_the_rules_of_learn() {
    let folder = forum();
    let text = folder.read("forum.tsv");
    let rows: Vec<&str> = text.lines().collect();
    // The header, 3,000 rows to learn from, 1,000 to test on, and the row of another site.
    let part =
        |rows: &[&str]| lines(["url\tcluster\tdigest\tsize"].iter().chain(rows).map(ToString::to_string));
    folder.write("train.tsv", part(&rows[1..3001]));
    folder.write("test.tsv", part(&rows[3001..4001]));
    folder.undust("learn train.tsv --method decision-tree").fine();
    let json = |args: &str| -> serde_json::Value {
        serde_json::from_str(&folder.undust(&format!("eval {args} --json")).fine()).expect("JSON")
    };
    let (step_by_step, experiment) =
        (json("-r rules.json test.tsv"), json("--protocol sigir17 --methods decision-tree forum.tsv"));
    assert_eq!(step_by_step["macro_average"], experiment["total"][0]["macro_average"]);
    assert_eq!(step_by_step["total"]["rules"], experiment["total"][0]["rules"]);
}

#[test]
fn methods_that_nobody_knows() {
    assert_snapshot!(forum().undust("eval --protocol wsdm10 --methods rewrite,nonsense forum.tsv"), @"
    ! undust: no method is called 'nonsense'; there are dustbuster, rewrite, decision-tree, pattern-tree, seq2seq, statements, auto
    = 2
    ");
    assert_snapshot!(forum().undust("eval --protocol www10 --methods fan-out forum.tsv"), @"
    ! undust: no method is called 'fan-out'; there are dustbuster, rewrite, decision-tree, pattern-tree, seq2seq, statements, auto, fan-out 5, fan-out 10
    = 2
    ");
    assert_snapshot!(forum().undust("eval --protocol www10 --methods keep-all forum.tsv"), @"
    ! undust: 'keep-all' has no rules that could be judged: only sigir17 can compare it
    = 2
    ");
    assert_snapshot!(forum().undust("eval --protocol sigir17 --methods keep-some forum.tsv"), @"
    ! undust: no method is called 'keep-some'; there are keep-all, dustbuster, rewrite, decision-tree, pattern-tree, seq2seq, statements, auto
    = 2
    ");
}

#[test]
fn options_of_another_experiment() {
    let folder = folder();
    for (protocol, flag) in [
        ("www07", "--judged-on test"),
        ("www07", "--singletons"),
        ("www07", "--sample-by url"),
        ("www07", "--noise 0.1"),
        ("www07", "--max-fpr 0.1"),
        ("kdd08", "--top 3"),
        ("kdd08", "--train 0.5"),
        ("kdd08", "--sample-by url"),
        ("kdd08", "--noise 0.1"),
        ("kdd08", "--plot plot.svg"),
        ("kdd08", "--max-fpr 0.1"),
        ("wsdm10", "--top 3"),
        ("wsdm10", "--train 0.5"),
        ("wsdm10", "--plot plot.svg"),
        ("wsdm10", "--sample-by url"),
        ("wsdm10", "--noise 0.1"),
        ("wsdm10", "--max-fpr 0.1"),
        ("www10", "--top 3"),
        ("www10", "--judged-on test"),
        ("www10", "--singletons"),
        ("www10", "--max-fpr 0.1"),
        ("sigir17", "--top 3"),
        ("sigir17", "--judged-on test"),
        ("sigir17", "--singletons"),
        ("sigir17", "--sample-by url"),
        ("sigir17", "--noise 0.1"),
        ("sigir17", "--plot plot.svg"),
    ] {
        let name = flag.split(' ').next().expect("a flag");
        let talk = folder.undust(&format!("eval --protocol {protocol} {flag} labelled.tsv")).failed();
        assert_eq!(talk, format!("undust: {name} is no option of --protocol {protocol}\n"));
    }
}

#[test]
fn rules_or_an_experiment() {
    let folder = folder();
    for flags in [
        "--protocol www07 -r rules.json",
        "-r rules.json --top 3",
        "--protocol www06",
        "--protocol www07 --form url",
        "--protocol wsdm10 --judged-on all",
        "--protocol www10 --noise 2",
        "--protocol sigir17 --max-fpr 2",
        "-r rules.json --json --markdown",
        "--protocol www10 --sample-by page",
        "-r rules.json --noise 0.1",
        "-r rules.json --methods rewrite",
    ] {
        folder.undust(&format!("eval {flags} labelled.tsv")).failed();
    }
    assert_snapshot!(folder.undust("eval labelled.tsv"), @"
    ! error: the following required arguments were not provided:
    !   --rules <FILE>
    !
    ! Usage: undust eval --rules <FILE> <LABELLED>...
    !
    ! For more information, try '--help'.
    = 2
    ");
    assert_snapshot!(folder.undust("eval --protocol www07 labelled.tsv"), @"
    ! passed over, with fewer than 100 labelled URLs: 1 site
    ! undust: no site is large enough for the experiment
    = 2
    ");
    folder.write("urls.txt", "http://www.example.com/\n");
    assert_snapshot!(folder.undust("eval --protocol www07 urls.txt"), @"
    ! undust: no labelled page to score: the input needs a column 'cluster' or 'digest'
    = 2
    ");
}
