//! `demo` and `learn`.

use insta::assert_snapshot;

use crate::data::{lines, shop, shop_rows, shops, shuffled, split};
use crate::folder::Folder;

#[test]
fn demo() {
    let folder = Folder::new();
    let shown = folder.undust("demo").fine();
    for part in ["viewtopic.php?t={t}", "at most", "URLs that were not learned from", "pages still reached"] {
        assert!(shown.contains(part), "{shown}");
    }
    assert_eq!(folder.names(), ["report.html", "rules.json"]);
    folder.undust("check rules.json").fine();
}

#[test]
fn a_table_to_look_at_and_a_file() {
    let folder = Folder::with("crawl.tsv", shop());
    assert_snapshot!(folder.undust("learn crawl.tsv"), @"
    rule                                  class  saved  wrong  at most
    ───────────────────────────────────────────────────────────────────
    {scheme}://{...}/{...}?{...}&sid={?}  IRP      400  0/400    0.8 %
    → {scheme}://{...}/{...}?{...}

    saved:    URLs that need no fetch
    wrong:    those with another page, of the held-out URLs so saved
    at most:  the share of wrong ones that this leaves possible (95 % confidence);
              --max-fpr limits it for the rules of a site together, not for each

    800 URLs of 400 pages on 1 site: 1 rule (67 proposed)
    URLs saved: 400 (50.0 %)

    learner        proposed  kept  saved
    ─────────────────────────────────────
    dustbuster           13     0      0
    rewrite              26     0      0
    decision-tree         1     0      0
    pattern-tree          1     0      0
    seq2seq              12     0      0
    usual                15     1    400

    proposed: distinct rules, many of them by several learners
    kept:     rules that are in the file, under the first learner that proposed them

    ! rules written to rules.json
    = 0
    ");
    assert_snapshot!(folder.read("rules.json"), @r#"
    {
      "undust": 1,
      "normalize": true,
      "site_by": "domain",
      "learned": {
        "method": "auto",
        "max_fpr": 0.01,
        "seed": 0,
        "urls": 800,
        "clusters": 400
      },
      "sites": [
        {
          "site": "example.com",
          "rules": [
            {
              "id": "87a9785e7a94",
              "match": "{scheme}://{...}/{...}?{...}&sid={?}",
              "rewrite": "{scheme}://{...}/{...}?{...}",
              "class": "IRP",
              "learner": "usual",
              "evidence": {
                "support": 311,
                "saved": 400,
                "trials": 400,
                "false_positives": 0,
                "bound": 0.007462,
                "examples": [
                  [
                    "http://www.example.com/item.php?id=211&sid=s7",
                    "http://www.example.com/item.php?id=211"
                  ],
                  [
                    "http://www.example.com/item.php?id=290",
                    "http://www.example.com/item.php?id=290&sid=s2"
                  ],
                  [
                    "http://www.example.com/item.php?id=210&sid=s6",
                    "http://www.example.com/item.php?id=210"
                  ]
                ]
              },
              "review": "proposed"
            }
          ]
        }
      ]
    }
    "#);
}

#[test]
fn a_summary_in_json() {
    let folder = Folder::with("crawl.tsv", shop());
    assert_snapshot!(folder.undust("learn crawl.tsv --json"), @r#"
    {
      "learners": [
        {
          "candidates": 13,
          "learner": "dustbuster",
          "rules": 0,
          "saved": 0
        },
        {
          "candidates": 26,
          "learner": "rewrite",
          "rules": 0,
          "saved": 0
        },
        {
          "candidates": 1,
          "learner": "decision-tree",
          "rules": 0,
          "saved": 0
        },
        {
          "candidates": 1,
          "learner": "pattern-tree",
          "rules": 0,
          "saved": 0
        },
        {
          "candidates": 12,
          "learner": "seq2seq",
          "rules": 0,
          "saved": 0
        },
        {
          "candidates": 15,
          "learner": "usual",
          "rules": 1,
          "saved": 400
        }
      ],
      "rules": 1,
      "totals": {
        "assets": 0,
        "candidates": 67,
        "clusters": 400,
        "contradictions": 0,
        "failed": 0,
        "mislabelled": 0,
        "saved": 400,
        "sites": 1,
        "skipped": 0,
        "unlabelled": 0,
        "urls": 800
      }
    }
    = 0
    "#);
}

#[test]
fn rules_to_standard_output() {
    let folder = Folder::with("crawl.tsv", shop());
    folder.undust("learn crawl.tsv -o rules.json").fine();
    let run = folder.undust("learn crawl.tsv -o -");
    assert_eq!(run.err, "");
    assert_eq!(run.fine(), folder.read("rules.json"));
    assert_snapshot!(folder.undust("learn crawl.tsv -o - --json"), @"
    ! undust: --json and the rules cannot both go to standard output: name a file with -o
    = 2
    ");
}

#[test]
fn no_rule_is_no_failure() {
    let folder = Folder::with("crawl.tsv", shop());
    assert_snapshot!(folder.undust("learn crawl.tsv --set learn.min-trials=500"), @"
    800 URLs of 400 pages on 1 site: 0 rules (67 proposed)

    learner        proposed  kept  saved
    ─────────────────────────────────────
    dustbuster           13     0      0
    rewrite              26     0      0
    decision-tree         1     0      0
    pattern-tree          1     0      0
    seq2seq              12     0      0
    usual                15     0      0

    proposed: distinct rules, many of them by several learners
    kept:     rules that are in the file, under the first learner that proposed them

    ! rules written to rules.json
    ! no rule was sure enough: more labelled URLs of the same sites help, or a larger --max-fpr
    = 0
    ");
    assert_snapshot!(folder.read("rules.json"), @r#"
    {
      "undust": 1,
      "normalize": true,
      "site_by": "domain",
      "learned": {
        "method": "auto",
        "max_fpr": 0.01,
        "seed": 0,
        "urls": 800,
        "clusters": 400
      },
      "sites": []
    }
    "#);
}

#[test]
fn of_a_large_site_a_sample_is_learned_from() {
    let folder = Folder::with("crawl.tsv", shop());
    let all = folder.undust("learn crawl.tsv").fine();
    assert_eq!(folder.undust("learn crawl.tsv --max-urls 800").fine(), all);
    let part =
        folder.undust("learn crawl.tsv -o part.json --max-urls 799 --max-fpr 0.05 --method rewrite --json");
    assert_snapshot!(part, @r#"
    {
      "rules": 1,
      "totals": {
        "assets": 0,
        "candidates": 22,
        "clusters": 296,
        "contradictions": 0,
        "failed": 0,
        "mislabelled": 0,
        "saved": 89,
        "sites": 1,
        "skipped": 0,
        "unlabelled": 0,
        "urls": 385
      }
    }
    ! of 1 site with more than 799 URLs, a sample was learned from (--max-urls)
    = 0
    "#);
}

#[test]
fn a_site_is_a_domain_or_a_host() {
    let folder = Folder::with("crawl.tsv", shops());
    let sites = |by: &str| {
        folder.undust(&format!("learn crawl.tsv --site-by {by} --fresh")).fine();
        let rules = folder.read("rules.json");
        let sites = rules.lines().filter_map(|line| line.trim().strip_prefix("\"site\": "));
        sites.map(str::to_owned).collect::<Vec<_>>().join(" ")
    };
    assert_snapshot!(sites("domain"), @r#""example.com", "example.net", "example.org","#);
    assert_snapshot!(sites("host"), @r#""m.example.com", "shop.example.net", "www.example.com", "www.example.org","#);
}

#[test]
fn every_filter_finds_the_session_id() {
    let folder = Folder::with("crawl.tsv", shop());
    for filter in ["fan-out:10", "entropy:0.5", "efpr:0.9", "ideal:0.01"] {
        folder.undust(&format!("learn crawl.tsv --method rewrite --set rewrite.filter={filter}")).fine();
        assert!(folder.read("rules.json").contains("item.php?id={id}&sid=*"), "{filter}");
    }
    assert_snapshot!(folder.undust("learn crawl.tsv --set rewrite.filter=luck"), @"
    ! undust: bad value for 'rewrite.filter': 'luck' is none of fan-out:N, entropy:SHARE, efpr:RATE, ideal:RATE
    = 2
    ");
}

/// The rules learned from `inputs` with these `flags`.
fn rules(folder: &Folder, inputs: &str, flags: &str) -> String {
    folder.undust(&format!("learn {inputs} {flags} -o -")).fine()
}

#[test]
fn nothing_but_the_rows_and_the_seed_matters() {
    let (first, second) = split(&shops(), 1234);
    let folder = Folder::with("all.tsv", shops())
        .and("shuffled.tsv", shuffled(&shops()))
        .and("first.tsv", first)
        .and("second.tsv", second);
    let expected = rules(&folder, "all.tsv", "--threads 1");
    assert!(expected.contains("shop.example.net"));
    let same = |inputs, flags| assert!(rules(&folder, inputs, flags) == expected, "{inputs} {flags}");
    same("all.tsv", "--threads 2");
    same("all.tsv", "--memory 1K");
    same("shuffled.tsv", "--memory 1K --threads 2");
    same("first.tsv second.tsv", "");
    same("second.tsv first.tsv all.tsv", "");
}

#[test]
fn formats_mix_and_standard_input_is_one_more_file() {
    let rows = shop_rows("www.example.com");
    let cells = rows.lines().filter_map(|row| row.split_once('\t'));
    let jsonl = lines(cells.map(|(url, cluster)| format!(r#"{{"url": "{url}", "cluster": "{cluster}"}}"#)));
    let csv = shop().replace('\t', ",");
    let folder = Folder::with("crawl.tsv", shop()).and("crawl.jsonl", jsonl).and("crawl.csv", csv);
    let expected = rules(&folder, "crawl.tsv", "");
    assert_eq!(rules(&folder, "crawl.jsonl", ""), expected);
    assert_eq!(rules(&folder, "crawl.csv crawl.jsonl", ""), expected);
    assert_eq!(folder.undust_reading("learn - -o -", shop().as_bytes()).fine(), expected);
}

#[test]
fn shares_may_be_per_cents() {
    let folder = Folder::with("crawl.tsv", shop());
    let as_number = rules(
        &folder,
        "crawl.tsv",
        "--max-fpr 0.007 --set pattern-tree.min-overlap=0.5 --set rewrite.filter=entropy:0.8",
    );
    let as_percent = rules(
        &folder,
        "crawl.tsv",
        "--max-fpr 0.7% --set pattern-tree.min-overlap=50% --set rewrite.filter=entropy:80%",
    );
    assert!(as_percent.contains("\"max_fpr\": 0.007,"), "{as_percent}");
    assert_eq!(as_percent, as_number);
}

#[test]
fn wrong_flags() {
    let folder = Folder::with("crawl.tsv", shop());
    assert_snapshot!(folder.undust("learn crawl.tsv --max-fpr 2"), @"
    ! error: invalid value '2' for '--max-fpr <SHARE>': 2 is not between 0 and 1; 2 per cent is 2%
    !
    ! For more information, try '--help'.
    = 2
    ");
    assert_snapshot!(folder.undust("learn crawl.tsv --max-fpr -1"), @"
    ! error: invalid value '-1' for '--max-fpr <SHARE>': -1 is not between 0 and 1
    !
    ! For more information, try '--help'.
    = 2
    ");
    assert_snapshot!(folder.undust("learn crawl.tsv --set cluster.resemblance=abc%"), @"
    ! undust: bad value for 'cluster.resemblance': 'abc%' is not a share such as 0.01 or 1%
    = 2
    ");
    assert_snapshot!(folder.undust("learn crawl.tsv --memory lots"), @"
    ! error: invalid value 'lots' for '--memory <BYTES>': 'lots' is not a size such as 512M or 4G
    !
    ! For more information, try '--help'.
    = 2
    ");
    assert_snapshot!(folder.undust("learn crawl.tsv --threads 100000"), @"
    ! error: invalid value '100000' for '--threads <N>': 100000 is more than 1024
    !
    ! For more information, try '--help'.
    = 2
    ");
    assert_snapshot!(folder.undust("learn crawl.tsv --format xml"), @"
    ! error: invalid value 'xml' for '--format <FORMAT>': unknown format 'xml'; known: tsv, csv, jsonl, urls, cdx, cdxj, log, heritrix, warc, parquet, folder
    !
    ! For more information, try '--help'.
    = 2
    ");
    assert_eq!(folder.names(), ["crawl.tsv"]);
}

/// Ports, addresses and names that only a network of one's own knows.
#[test]
fn hosts_that_are_not_public() {
    for host in ["wiki:8080", "doc.test:8080", "printer.local", "10.0.0.5", "[::1]:8080"] {
        let folder = Folder::with("crawl.tsv", format!("url\tcluster\n{}", shop_rows(host)));
        let shown = folder.undust("learn crawl.tsv -o rules.json").fine();
        let usual = shown.lines().find(|line| line.starts_with("usual ")).unwrap_or_default();
        let proposed = usual.split_whitespace().nth(1).unwrap_or_default();
        assert_ne!(proposed, "0", "{host}: {usual}");
        let kept = folder.undust("dedup -r rules.json crawl.tsv").fine();
        assert_eq!(kept.lines().count(), 400, "{host}");
    }
}

#[test]
fn old_options_warn_and_do_what_their_settings_do() {
    let folder = Folder::with("crawl.tsv", shop());
    let old = folder.undust("learn crawl.tsv --method rewrite --filter fan-out:3 --fresh");
    let warning = "warning: --filter will be gone in the next release: use --set rewrite.filter=fan-out:3";
    assert!(old.to_string().contains(warning), "{old}");
    let by_option = folder.read("rules.json");
    folder.undust("learn crawl.tsv --method rewrite --set rewrite.filter=fan-out:3 --fresh").fine();
    assert_eq!(by_option, folder.read("rules.json"));
}

#[test]
fn settings_of_learners_that_are_not_asked_are_refused() {
    let folder = Folder::with("crawl.tsv", shop());
    assert_snapshot!(folder.undust("learn crawl.tsv --method rewrite --set dustbuster.t-low=5"), @"
    ! undust: 'dustbuster.t-low' is a setting of 'dustbuster', which --method rewrite does not use
    = 2
    ");
    assert_snapshot!(folder.undust("learn crawl.tsv --set rewrite.filtre=x"), @"
    ! undust: unknown setting 'rewrite.filtre'; known: min-support, filter
    = 2
    ");
}

#[test]
fn settings_completions_and_manual_pages_are_generated() {
    let folder = Folder::new();
    let settings = folder.undust("learn --help-settings").fine();
    assert!(settings.contains("  rewrite.filter=FILTER"), "{settings}");
    assert!(settings.contains("[default: fan-out:5]"), "{settings}");
    let bash = folder.undust("completions bash").fine();
    assert!(bash.contains("--help-settings") && bash.contains("decision-tree"));
    folder.undust("man pages").fine();
    assert!(folder.read("pages/undust-learn.1").contains("rewrite.filter"));
}
