//! `learn --method seq2seq`, and what its models do next to the rules.

use std::fmt::Write;

use insta::assert_snapshot;

use crate::data::{lines, shop, shops, shuffled};
use crate::folder::Folder;

const LEARN: &str = "learn crawl.tsv --method seq2seq --set seq2seq.hidden=8";

/// A shop whose session ids are too many to be words, and a view that only a model can lead to its page: rules need ten held-out URLs.
fn crawl() -> String {
    let mut rows = shop();
    for page in 0..8 {
        for tail in ["", "?view=print"] {
            writeln!(rows, "http://www.example.com/news/{page}{tail}\tnews-{page}")
                .expect("a string holds it");
        }
    }
    rows
}

fn learned() -> Folder {
    let folder = Folder::with("crawl.tsv", crawl());
    folder.undust(LEARN).fine();
    folder
}

#[test]
fn a_model_stands_next_to_the_rules() {
    let folder = Folder::with("crawl.tsv", crawl());
    let run = folder.undust(LEARN);
    let said =
        "rules written to rules.json\nmodel written to rules.safetensors (keep it next to rules.json)\n";
    assert!(run.err.contains(said), "{run}");
    let shown = run.fine();
    assert!(shown.contains("\nmodel of example.com: "), "{shown}");
    assert_eq!(folder.names(), ["crawl.tsv", "rules.json", "rules.safetensors"]);
    let rules = folder.read("rules.json");
    assert!(
        rules.contains("\"model\": {\n    \"file\": \"rules.safetensors\",\n    \"xxh3\": \""),
        "{rules}"
    );
    folder.undust("check rules.json").fine();
}

#[test]
fn it_knows_what_rules_do_not_say() {
    let folder = learned();
    let urls = "http://www.example.com/item.php?id=999&sid=s3\nhttp://www.example.com/news/99?view=print\nhttp://other.example.net/news/99?view=print\n";
    assert_snapshot!(folder.undust_reading("apply --rules rules.json", urls.as_bytes()), @"
    http://www.example.com/item.php?id=999
    http://www.example.com/news/99
    http://other.example.net/news/99?view=print
    = 0
    ");
    assert_snapshot!(folder.undust("explain --rules rules.json http://www.example.com/news/99?view=print"), @"
    http://www.example.com/news/99?view=print
      rule 4a6f4823343c (IRP, seq2seq)
          http://www.example.com/news/{arg1}?view=*
       -> http://www.example.com/news/{arg1}
          saved 8 URLs; of 8 held-out URLs, 0 wrong: at most 31.3 % (95 % confidence)
          seen: http://www.example.com/news/5?view=print
              = http://www.example.com/news/5
          seen: http://www.example.com/news/0?view=print
              = http://www.example.com/news/0
          seen: http://www.example.com/news/6?view=print
              = http://www.example.com/news/6
        = http://www.example.com/news/99
    = 0
    ");
    let dedup = folder.undust_reading(
        "dedup --rules rules.json",
        urls.replace("/99?view=print", "/99").repeat(2).as_bytes(),
    );
    assert_eq!(dedup.fine().lines().count(), 3);
}

#[test]
fn the_same_bytes_whatever_the_order_and_the_threads() {
    let folder = Folder::with("crawl.tsv", shops()).and("other.tsv", shuffled(&shops()));
    folder.undust(&format!("{LEARN} --threads 1")).fine();
    folder.undust("learn other.tsv --method seq2seq --set seq2seq.hidden=8 --threads 4 -o other.json").fine();
    assert_eq!(
        folder.read("rules.json").replace("rules.safe", ""),
        folder.read("other.json").replace("other.safe", "")
    );
}

#[test]
fn a_model_that_is_missing_or_another_one() {
    let folder = learned().and("moved.json", "");
    let rules = folder.read("rules.json");
    folder.write("rules.safetensors", "no model");
    assert_snapshot!(folder.undust("apply --rules rules.json crawl.tsv"), @"
    ! undust: rules.json needs its model: rules.safetensors was not learned with these rules (copy the right one there, or learn the rules again with --fresh)
    = 2
    ");
    folder.write("moved.json", rules.replace("rules.safetensors", "gone.safetensors"));
    assert_snapshot!(folder.undust("dedup --rules moved.json crawl.tsv"), @"
    ! undust: moved.json needs its model gone.safetensors, which is not there: copy the right one there, or learn the rules again with --fresh
    = 2
    ");
}

/// A model of a site that was not crawled again stays, and a backup has one of its own.
#[test]
fn models_outlive_learning_again() {
    let elsewhere = shop().replace("example.com", "elsewhere.org");
    let folder = learned().and("elsewhere.tsv", elsewhere);
    folder.undust("learn elsewhere.tsv --method rewrite").fine();
    let rules = folder.read("rules.json");
    assert!(rules.contains("elsewhere.org") && rules.contains("\"rules.safetensors\""), "{rules}");
    folder.undust("check rules.json").fine();
    let run = folder.undust("learn crawl.tsv --method rewrite");
    assert!(run.err.contains("rules.safetensors is not needed any more\n"), "{run}");

    folder.undust("learn crawl.tsv --method seq2seq --set seq2seq.hidden=8").fine();
    folder.undust("learn crawl.tsv --method rewrite --fresh").fine();
    std::fs::remove_file(folder.path("rules.safetensors")).expect("it was there");
    folder.undust("check rules.json").fine();
    folder.undust("check rules.json.bak").fine();
    assert!(folder.names().contains(&"rules.json.bak.safetensors".to_owned()));
    std::fs::remove_file(folder.path("rules.json.bak.safetensors")).expect("it was there");
    let error = folder.undust("learn crawl.tsv -o rules.json.bak").failed();
    let missing = "undust: rules.json.bak needs its model rules.json.bak.safetensors, which is not there: ";
    assert!(error.starts_with(missing) && error.contains("--fresh"), "{error}");
}

#[test]
fn few_urls_and_standard_output() {
    let few = lines(crawl().lines().take(500).map(str::to_owned));
    let folder = Folder::with("few.tsv", few);
    assert_snapshot!(folder.undust("learn few.tsv --method seq2seq"), @"
    499 URLs of 250 pages on 1 site: 0 rules (0 proposed)
    ! nothing was learned on 1 site: a model needs at least 800 labelled URLs
    ! rules written to rules.json
    ! no rule was sure enough: more labelled URLs of the same sites help, or a larger --max-fpr
    = 0
    ");
    assert_snapshot!(folder.undust("learn few.tsv --method seq2seq -o -"), @"
    ! undust: models are written next to the rules: name a file with -o
    = 2
    ");
}
