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
    assert_snapshot!(folder.undust("eval -r rules.json labelled.tsv --markdown"), @"");
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
    assert_snapshot!(forum().undust("eval --protocol www07 --methods dustbuster,decision-tree --markdown forum.tsv"), @"");
}
