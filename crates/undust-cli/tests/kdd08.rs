//! `eval --protocol kdd08`.

use insta::assert_snapshot;

use crate::data::shop_rows;
use crate::eval::forum;

#[test]
fn the_experiment_of_kdd_2008() {
    let folder = forum().and("shop.tsv", format!("url\tcluster\n{}", shop_rows("www.example.org")));
    assert_snapshot!(folder.undust("eval --protocol kdd08 forum.tsv shop.tsv"), @"");
}

#[test]
fn another_learner_on_one_site() {
    let flags = "--methods decision-tree --judged-on train --singletons";
    assert_snapshot!(forum().undust(&format!("eval --protocol kdd08 {flags} forum.tsv --markdown")), @"");
}

#[test]
fn in_json() {
    let folder = forum();
    let json = |flags: &str| folder.undust(&format!("eval --protocol kdd08 forum.tsv --json {flags}")).fine();
    let text = json("--methods rewrite,seq2seq");
    assert_eq!(text, json("--methods rewrite,seq2seq --threads 1"));
    let report: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!((&report["protocol"], &report["small_sites"]), (&"kdd08".into(), &1.into()));
    assert_eq!((&report["judged_on"], &report["singletons"]), (&"test".into(), &false.into()));
    let (total, site) = (&report["total"], &report["sites"][0]);
    assert_eq!(total, &site["methods"], "one site is all there is");
    assert_eq!((&site["train"]["urls"], &site["test"]["urls"]), (&1224.into(), &406.into()));
    assert_eq!(total[1]["method"], "seq2seq");
    let sets = &total[0]["sets"];
    assert_eq!((&sets[0]["learned_from"], &sets[3]["class"]), (&"small".into(), &"DUST".into()));
    let all = &sets[10];
    assert_eq!((&all["max_fpr"], &all["rules"]), (&1.0.into(), &sets[2]["rules"]));
    assert_eq!(all["reductions"], sets[2]["reductions"], "rules of any false positives are all rules");
    assert_snapshot!(serde_json::to_string_pretty(&sets[6]["reductions"][8]).expect("JSON"), @"");
}

#[test]
fn methods_of_the_paper_and_others() {
    assert_snapshot!(forum().undust("eval --protocol kdd08 --methods fan-out forum.tsv"), @"
    ! undust: no method is called 'fan-out'; there are fan-out 10, fan-out 30, dustbuster, rewrite, decision-tree, pattern-tree, seq2seq
    = 2
    ");
}
