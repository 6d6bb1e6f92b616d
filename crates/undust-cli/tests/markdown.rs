//! `eval --markdown`, and every learner in every experiment.

use insta::assert_snapshot;

use crate::data::{RULES, shop_rows};
use crate::eval::forum;
use crate::folder::Folder;

#[test]
fn scores_in_markdown() {
    let labelled = "\
url\tcluster
http://www.example.com/item?id=1\ta
http://www.example.com/print/1\ta
http://a_b.example.org/\tb
";
    let folder = Folder::with("rules.json", RULES).and("labelled.tsv", labelled);
    assert_snapshot!(folder.undust("eval -r rules.json labelled.tsv --markdown"), @"
    3 URLs of 2 pages: 2 URLs crawled, 2 pages covered, 3 rules

    | metric | all URLs | mean of sites |
    | --- | ---: | ---: |
    | precision | 1.0000 | 1.0000 |
    | recall | 1.0000 | 1.0000 |
    | f1 | 1.0000 | 1.0000 |
    | keep-all precision | 0.6667 | 0.7500 |
    | keep-all f1 | 0.8000 | 0.8333 |
    | compression | 0.3333 | 0.2500 |
    | dup-reduction | 1.0000 | 0.5000 |
    | coverage | 1.0000 | 0.5000 |
    | fpr | 0.0000 | 0.0000 |
    | reduction per rule | 0.3333 | 0.1667 |

    | site | URLs | pages | crawled | rules | precision | recall | F1 |
    | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
    | example.com | 2 | 1 | 1 | 3 | 1.0000 | 1.0000 | 1.0000 |
    | example.org | 1 | 1 | 1 | 0 | 1.0000 | 1.0000 | 1.0000 |
    = 0
    ");
}

#[test]
fn every_experiment_knows_every_learner() {
    let folder = Folder::with("shop.tsv", format!("url\tcluster\n{}", shop_rows("www.example.org")));
    let methods = "dustbuster,rewrite,decision-tree,pattern-tree,seq2seq";
    for protocol in ["www07", "kdd08", "wsdm10", "www10", "sigir17"] {
        let flags = format!("eval --protocol {protocol} --methods {methods} shop.tsv");
        let text = folder.undust(&format!("{flags} --markdown")).fine();
        assert!(text.contains("### ") && text.contains("| --- |"), "{text}");
        for method in methods.split(',') {
            assert!(text.contains(&format!("| {method}")), "{protocol} {method}\n{text}");
        }
        assert!(!folder.undust(&flags).fine().contains('|'));
    }
}

#[test]
fn learners_that_need_labels_in_www_2007() {
    assert_snapshot!(forum().undust("eval --protocol www07 --methods dustbuster,decision-tree --markdown forum.tsv"), @"
    ### Likely rules

    | site | URLs | method | filter | detected | remaining |  | likely | p@10 | p@100 |
    | --- | ---: | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |
    | computer-forum.net | 3,960 | dustbuster | size, simhash | 69 | 17 | 24.6 % | 18 | 0.80 | 0.72 |
    |  |  |  | none | 537 | 49 | 9.1 % | 54 | 0.20 | 0.26 |
    |  |  | decision-tree | labels | - | - | - | 7 | 1.00 | 1.00 |

    - **filter**: what tells pages apart; by labels, the learner has seen those that judge its rules
    - **remaining**: rules detected that phase 2 did not find redundant
    - **likely**: those of them that are still likely, and parameter substitutions
    - **p@10, 100**: valid rules by the labels, of the first 10 or 100 (or all, if fewer)

    ### Canonization: learned and validated on the first 75.0 % of the rows, applied to the rest

    | site | URLs | method | tried | valid | redundancy | coverage | precision | recall | F1 |
    | --- | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
    | computer-forum.net | 1,000 | dustbuster | 17 | 7 | 0.0330 | 0.1299 | 0.7715 | 1.0000 | 0.8710 |
    |  |  | decision-tree | 7 | 6 | 0.2440 | 0.9606 | 0.9868 | 1.0000 | 0.9933 |
    ! passed over, with fewer than 100 labelled URLs: 1 site
    = 0
    ");
}
