//! `eval --protocol kdd08`.

use insta::assert_snapshot;

use crate::data::shop_rows;
use crate::eval::forum;

#[test]
fn the_experiment_of_kdd_2008() {
    let folder = forum().and("shop.tsv", format!("url\tcluster\n{}", shop_rows("www.example.org")));
    assert_snapshot!(folder.undust("eval --protocol kdd08 forum.tsv shop.tsv"), @"
    Rules learned from 1,628 URLs of 375 pages, tested on 802 others of 392 pages, on 2 sites

    Reduction, by the URLs of a page

    method      learned from  rules  applied to  2-9 URLs  ≥ 10 URLs     all
    ─────────────────────────────────────────────────────────────────────────
    fan-out 10  R1: 2-9          28  train         43.1 %      0.0 %  20.0 %
                                     test          40.8 %          -  40.8 %
                                     both          41.9 %      0.0 %  26.9 %
                R2: ≥ 10          4  train          0.0 %     98.5 %  52.8 %
                                     test           0.0 %          -   0.0 %
                                     both           0.0 %     98.5 %  35.3 %
                R3: both         32  train         43.1 %     98.5 %  72.8 %
                                     test          40.8 %          -  40.8 %
                                     both          41.9 %     98.5 %  62.2 %
    fan-out 30  R1: 2-9           2  train         16.4 %      0.0 %   7.6 %
                                     test          16.1 %          -  16.1 %
                                     both          16.2 %      0.0 %  10.4 %
                R2: ≥ 10          4  train          0.0 %     98.5 %  52.8 %
                                     test           0.0 %          -   0.0 %
                                     both           0.0 %     98.5 %  35.3 %
                R3: both          6  train         16.4 %     98.5 %  60.4 %
                                     test          16.1 %          -  16.1 %
                                     both          16.2 %     98.5 %  45.8 %

    learned from:  pages of so many URLs: R1 of 2 to 9, R2 of at least 10, R3 is both sets together
    applied to:    the half that was learned from, the other one, or both; all URLs, or those of such pages
    reduction:     URLs less than before, when those of one canonical form count as one

    Rules by class

    method      learned from  rules  DUST           IRP          REGX
    ──────────────────────────────────────────────────────────────────────────
    fan-out 10  R1: 2-9          28    26   92.9 %    1   3.6 %     1   3.6 %
                R2: ≥ 10          4     0    0.0 %    1  25.0 %     3  75.0 %
                R3: both         32    26   81.2 %    2   6.2 %     4  12.5 %
    fan-out 30  R1: 2-9           2     2  100.0 %    0   0.0 %     0   0.0 %
                R2: ≥ 10          4     0    0.0 %    1  25.0 %     3  75.0 %
                R3: both          6     2   33.3 %    1  16.7 %     3  50.0 %

    Reduction by the rules of each class, on both halves

    method      class  rules  2-9 URLs  ≥ 10 URLs     all  wrong
    ─────────────────────────────────────────────────────────────
    fan-out 10  DUST      26    41.9 %      0.0 %  26.9 %  0.0 %
                IRP        2    25.7 %     98.4 %  51.8 %  0.0 %
                REGX       4     0.0 %     98.5 %  35.3 %  0.0 %
                all       32    41.9 %     98.5 %  62.2 %  0.0 %
    fan-out 30  DUST       2    16.2 %      0.0 %  10.4 %  0.0 %
                IRP        1     0.0 %     98.4 %  35.3 %  0.0 %
                REGX       3     0.0 %     98.5 %  35.3 %  0.0 %
                all        6    16.2 %     98.5 %  45.8 %  0.0 %

    DUST:   one substring becomes another
    IRP:    path components, host labels or parameters do not matter
    REGX:   all other rules
    wrong:  of the URLs so removed, those of another page than the one kept

    Reduction by the false positives of rules, on both halves

    fpr     method      rules   of all  reduction  by site  per rule  wrong
    ────────────────────────────────────────────────────────────────────────
    = 0     fan-out 10     32  100.0 %     62.2 %   59.1 %      47.2  0.0 %
            fan-out 30      6  100.0 %     45.8 %   34.1 %     185.3  0.0 %
    ≤ 5 %   fan-out 10     32  100.0 %     62.2 %   59.1 %      47.2  0.0 %
            fan-out 30      6  100.0 %     45.8 %   34.1 %     185.3  0.0 %
    ≤ 10 %  fan-out 10     32  100.0 %     62.2 %   59.1 %      47.2  0.0 %
            fan-out 30      6  100.0 %     45.8 %   34.1 %     185.3  0.0 %
    ≤ 20 %  fan-out 10     32  100.0 %     62.2 %   59.1 %      47.2  0.0 %
            fan-out 30      6  100.0 %     45.8 %   34.1 %     185.3  0.0 %
    all     fan-out 10     32  100.0 %     62.2 %   59.1 %      47.2  0.0 %
            fan-out 30      6  100.0 %     45.8 %   34.1 %     185.3  0.0 %

    fpr:       of the pairs of URLs that a rule makes equal, those of different pages, in the half not learned from
    by site:   the mean of the sites' reductions
    per rule:  the reduction as a number of URLs for each rule

    Site by site, false positives ≤ 5 %

    site                 URLs  method      rules  per rule  reduction  wrong
    ─────────────────────────────────────────────────────────────────────────
    computer-forum.net  1,630  fan-out 10      6     185.3     68.2 %  0.0 %
                               fan-out 30      6     185.3     68.2 %  0.0 %
    example.org           800  fan-out 10     26      15.4     50.0 %  0.0 %
                               fan-out 30      0       0.0      0.0 %  0.0 %
    ! passed over, with fewer than 100 labelled URLs: 1 site
    = 0
    ");
}

#[test]
fn another_learner_on_one_site() {
    let flags = "--methods decision-tree --judged-on train --singletons";
    assert_snapshot!(forum().undust(&format!("eval --protocol kdd08 {flags} forum.tsv --markdown")), @"
    Rules learned from 1,224 URLs of 173 pages, tested on 1,585 others of 1,373 pages, on 1 site

    ### Reduction, by the URLs of a page

    | method | learned from | rules | applied to | 2-9 URLs | ≥ 10 URLs | all |
    | --- | --- | ---: | --- | ---: | ---: | ---: |
    | decision-tree | R1: 2-9 | 3 | train | 36.9 % | 0.0 % | 10.6 % |
    |  |  |  | test | 8.6 % | - | 8.6 % |
    |  |  |  | both | 13.7 % | 0.0 % | 9.5 % |
    |  | R2: ≥ 10 | 2 | train | 0.0 % | 98.5 % | 70.2 % |
    |  |  |  | test | 0.0 % | - | 0.0 % |
    |  |  |  | both | 0.0 % | 98.5 % | 30.6 % |
    |  | R3: both | 5 | train | 36.9 % | 98.5 % | 80.8 % |
    |  |  |  | test | 8.6 % | - | 8.6 % |
    |  |  |  | both | 13.7 % | 98.5 % | 40.0 % |

    - **learned from**: pages of so many URLs: R1 of 2 to 9, R2 of at least 10, R3 is both sets together
    - **applied to**: the half that was learned from, the other one, or both; all URLs, or those of such pages
    - **reduction**: URLs less than before, when those of one canonical form count as one

    ### Rules by class

    | method | learned from | rules | DUST |  | IRP |  | REGX |  |
    | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
    | decision-tree | R1: 2-9 | 3 | 3 | 100.0 % | 0 | 0.0 % | 0 | 0.0 % |
    |  | R2: ≥ 10 | 2 | 0 | 0.0 % | 0 | 0.0 % | 2 | 100.0 % |
    |  | R3: both | 5 | 3 | 60.0 % | 0 | 0.0 % | 2 | 40.0 % |

    ### Reduction by the rules of each class, on both halves

    | method | class | rules | 2-9 URLs | ≥ 10 URLs | all | wrong |
    | --- | --- | ---: | ---: | ---: | ---: | ---: |
    | decision-tree | DUST | 3 | 13.7 % | 0.0 % | 9.5 % | 0.0 % |
    |  | IRP | 0 | 0.0 % | 0.0 % | 0.0 % | 0.0 % |
    |  | REGX | 2 | 0.0 % | 98.5 % | 30.6 % | 0.0 % |
    |  | all | 5 | 13.7 % | 98.5 % | 40.0 % | 0.0 % |

    - **DUST**: one substring becomes another
    - **IRP**: path components, host labels or parameters do not matter
    - **REGX**: all other rules
    - **wrong**: of the URLs so removed, those of another page than the one kept

    ### Reduction by the false positives of rules, on both halves

    | fpr | method | rules | of all | reduction | per rule | wrong |
    | --- | --- | ---: | ---: | ---: | ---: | ---: |
    | = 0 | decision-tree | 5 | 100.0 % | 40.0 % | 225.0 | 0.0 % |
    | ≤ 5 % | decision-tree | 5 | 100.0 % | 40.0 % | 225.0 | 0.0 % |
    | ≤ 10 % | decision-tree | 5 | 100.0 % | 40.0 % | 225.0 | 0.0 % |
    | ≤ 20 % | decision-tree | 5 | 100.0 % | 40.0 % | 225.0 | 0.0 % |
    | all | decision-tree | 5 | 100.0 % | 40.0 % | 225.0 | 0.0 % |

    - **fpr**: of the pairs of URLs that a rule makes equal, those of different pages, where it was learned
    - **per rule**: the reduction as a number of URLs for each rule
    ! passed over, with fewer than 100 labelled URLs: 1 site
    = 0
    ");
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
    assert_snapshot!(serde_json::to_string_pretty(&sets[6]["reductions"][8]).expect("JSON"), @r#"
    {
      "mean_ratio": 0.7411042944785277,
      "on": "both",
      "ratio": 0.7411042944785277,
      "removed": 1208,
      "sizes": "all",
      "urls": 1630,
      "wrong": 0,
      "wrong_share": 0.0
    }
    "#);
}

#[test]
fn methods_of_the_paper_and_others() {
    assert_snapshot!(forum().undust("eval --protocol kdd08 --methods fan-out forum.tsv"), @"
    ! undust: no method is called 'fan-out'; there are fan-out 10, fan-out 30, dustbuster, rewrite, decision-tree, pattern-tree, seq2seq, statements, auto
    = 2
    ");
}
