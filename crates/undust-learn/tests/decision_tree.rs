//! `decision-tree` on the paper's worked examples: a small site around each, and the rule that must be proposed.

use undust::apply::{Canonicalizer, Form, Scratch};
use undust::page::Page;
use undust::rules::{EVERY_SITE, Rule, RuleSet};
use undust::url::SiteBy;
use undust_learn::learn::Learner;
use undust_learn::learn::decision_tree::DecisionTree;
use undust_learn::site::Site;

use crate::make::{Numbers, Row, pages, row, site};

/// What is proposed when nothing is held out.
fn proposals(rows: &[Row]) -> Vec<String> {
    let learner = DecisionTree::default();
    learner.learn(&site(rows).sample(0)).iter().map(|c| c.action.to_string()).collect()
}

#[track_caller]
fn proposes(rows: &[Row], from: &str, to: &str) {
    let (found, rule) = (proposals(rows), format!("{from} -> {to}"));
    assert!(found.contains(&rule), "{rule} is not among\n{}", found.join("\n"));
}

/// Words that have nothing in common.
const WORDS: [&str; 16] = [
    "ant", "bell", "cloud", "dust", "eagle", "fern", "goose", "hill", "iron", "jade", "kite", "lamp", "moss",
    "nest", "oak", "pearl",
];

/// An id such as sites make them up.
fn id(numbers: &mut Numbers) -> String {
    let letters = b"abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789";
    (0..12).map(|_| char::from(letters[numbers.below(letters.len() as u64) as usize])).collect()
}

#[test]
fn index_html_at_any_depth_is_one_rule() {
    let folders = ["", "srnr/about/", "cals/"];
    let pair = |(folder, word): (&str, &str)| {
        let page = format!("http://ag.arizona.edu/{folder}{word}");
        [row(format!("{page}/index.html"), &page), row(&page, &page)]
    };
    let all = folders.into_iter().flat_map(|folder| WORDS.map(|word| (folder, word)));
    let rows: Vec<Row> = all.flat_map(pair).collect();
    proposes(&rows, "http://ag.arizona.edu/{...}/index.html", "http://ag.arizona.edu/{...}");
    assert_eq!(proposals(&rows).len(), 1, "{:?}", proposals(&rows));
}

#[test]
fn friends_by_deep_tokens() {
    let mut numbers = Numbers(7);
    let mut rows = Vec::new();
    for page in 0..12 {
        rows.extend((0..4).map(|_| row(format!("http://360.yahoo.com/friends-{}", id(&mut numbers)), "friends")));
        rows.push(row(format!("http://360.yahoo.com/profile-{}", id(&mut numbers)), page));
    }
    proposes(&rows, "http://360.yahoo.com/friends-*", "http://360.yahoo.com/friends-*");
}

#[test]
fn values_are_converted() {
    let pair = |word: &str| {
        let url = |folder: &str| format!("http://allrecipes.com/{folder}/{word}/default.aspx");
        [row(url("Recipe"), word), row(url("RECIPE"), word)]
    };
    let rows: Vec<Row> = WORDS.into_iter().flat_map(pair).collect();
    let rule = |from, to| proposes(&rows, &format!("http://allrecipes.com/{from}/{{...}}"), &format!("http://allrecipes.com/{to}/{{...}}"));
    rule("RECIPE", "Recipe");
    let pair = |word: &str| {
        let title = word.to_uppercase();
        [row(format!("http://a.com/{title}/About"), word), row(format!("http://a.com/{word}/about"), word)]
    };
    let rows: Vec<Row> = WORDS.into_iter().flat_map(pair).collect();
    proposes(&rows, "http://a.com/{...}", "http://a.com/{lower(...)}");
    let pair = |word: &str| {
        [row(format!("http://a.com/?q=%7E{word}"), word), row(format!("http://a.com/?q=~{word}"), word)]
    };
    let rows: Vec<Row> = WORDS.into_iter().flat_map(pair).collect();
    eprintln!("{:?}", proposals(&rows));
}

#[test]
fn a_gallery_of_a_numbered_title() {
    let pair = |n: u32| {
        let title = format!("http://www.imdb.com/title/tt{:07}", 53_198 + 757 * n);
        [row(format!("{title}/photogallery"), n), row(format!("{title}/mediaindex"), n)]
    };
    let rows: Vec<Row> = (0..30).flat_map(pair).collect();
    proposes(&rows, "http://www.imdb.com/{...}/photogallery", "http://www.imdb.com/{...}/mediaindex");
}

#[test]
fn the_delimiters_of_a_catalogue() {
    let pair = |n: u32| {
        let item = format!("http://catalog.ebay.com/{}_UPC_{:012}_W0", WORDS[n as usize % 16], 43_396_062_603u64 + u64::from(n) * 7919);
        let pid = 43_973_351 + n * 31;
        [
            row(format!("{item}QQ_fclsZ1QQ_pcatidZ1QQ_pidZ{pid}QQ_tabZ2"), n),
            row(format!("{item}?_fcls=1&_pcatid=1&_pid={pid}&_tab=2"), n),
        ]
    };
    let rows: Vec<Row> = (0..40).flat_map(pair).collect();
    eprintln!("{}", proposals(&rows).join("\n"));
}

#[test]
fn others(){
    let pair = |word: &str| [row(format!("http://en.wikipedia.org/?title={word}"), word), row(format!("http://en.wikipedia.org/wiki/{word}"), word)];
    let rows: Vec<Row> = WORDS.into_iter().flat_map(pair).collect();
    eprintln!("{}", proposals(&rows).join("\n"));
    let watch = |v:u32| {let b=format!("http://www.youtube.com/watch?v=S9_{}", 4096+v*13); [row(format!("{b}&feature=channel"),v), row(&b,v), row(format!("{b}&feature=channel&ytsession=WD{}",v*77),v)]};
    let rows: Vec<Row> = (0..20).flat_map(watch).collect();
    eprintln!("{}", proposals(&rows).join("\n"));
    let rows: Vec<Row> = (0..20).flat_map(|c| (0..3).map(move |s| row(format!("http://cs.stanford.edu/degrees/mscs/faq/index.php?sid={}&cat={c}", 67873+s*17+c*57),c))).collect();
    eprintln!("{}", proposals(&rows).join("\n"));
    let rows: Vec<Row> = (0..20).flat_map(|i| [row(format!("http://www.amazon.com/Lord-{}/dp/B000634D{i:02}", WORDS[i%16]),i), row(format!("http://www.amazon.com/dp/B000634D{i:02}"),i)]).collect();
    eprintln!("{}", proposals(&rows).join("\n"));
    let rows: Vec<Row> = (0..20).flat_map(|i| [row(format!("http://a.com/index.php/{}-some-{}", i, WORDS[i%16]),i), row(format!("http://a.com/index.php/{i}"),i)]).collect();
    eprintln!("{}", proposals(&rows).join("\n"));
    let rows: Vec<Row> = (0..20).flat_map(|i| [row(format!("http://www.simtel.net/accelerate.php[id]{}[SiteID]softwareoasis", 100019+i*37),i), row(format!("http://www.simtel.net/accelerate.php[id]{}[SiteID]{}", 100019+i*37, WORDS[i%16]),i)]).collect();
    eprintln!("{}", proposals(&rows).join("\n"));
}
