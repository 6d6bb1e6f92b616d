//! `decision-tree` on the paper's worked examples: a small site around each, and the rule that must be proposed.

use std::collections::{BTreeMap, BTreeSet};

use undust::apply::{Canonicalizer, Form, Scratch};
use undust::page::Page;
use undust::rules::{Action, EVERY_SITE, Rule, RuleSet};
use undust::url::SiteBy;
use undust_learn::learn::Learner;
use undust_learn::learn::decision_tree::DecisionTree;
use undust_learn::pipeline::Config;
use undust_learn::site::Site;

use crate::make::{Numbers, Row, learn_by, pages, row, site, texts, with_singles};

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
        rows.extend(
            (0..4).map(|_| row(format!("http://360.yahoo.com/friends-{}", id(&mut numbers)), "friends")),
        );
        rows.push(row(format!("http://360.yahoo.com/profile-{}", id(&mut numbers)), page));
    }
    proposes(&rows, "http://360.yahoo.com/friends-*", "http://360.yahoo.com/friends-*");
}

#[test]
fn values_are_converted() {
    let folders = ["Recipe", "Review", "Menu", "Cook"];
    let pair = |(i, word): (usize, &str)| {
        let url = |folder: &str| format!("http://allrecipes.com/{folder}/{word}/default.aspx");
        [row(url(folders[i % 4]), word), row(url(&folders[i % 4].to_uppercase()), word)]
    };
    let rows: Vec<Row> = WORDS.into_iter().enumerate().flat_map(pair).collect();
    proposes(
        &rows,
        "http://allrecipes.com/{path-1?}/{path-2}/default.aspx",
        "http://allrecipes.com/{upper(path-1)}/{path-2}/default.aspx",
    );
    let rows =
        pairs(|word| [word.to_uppercase(), word.to_owned()].map(|w| format!("http://a.com/{w}/{w}{w}")));
    proposes(&rows, "http://a.com/{...}", "http://a.com/{lower(...)}");
    let rows =
        pairs(|word| [format!("http://a.com/?q={word}%2C{word}"), format!("http://a.com/?q={word},{word}")]);
    proposes(&rows, "http://a.com/?q={q?}", "http://a.com/?q={decode(q)}");
}

/// Two URLs of one page for each word.
fn pairs(urls: impl Fn(&str) -> [String; 2]) -> Vec<Row> {
    WORDS.into_iter().flat_map(|word| urls(word).map(|url| row(url, word))).collect()
}

#[test]
fn a_gallery_by_two_names() {
    let pair = |n: u32| {
        let title = format!("http://www.imdb.com/title/tt{:07}", 53_198 + 757 * n);
        [row(format!("{title}/photogallery"), n), row(format!("{title}/mediaindex"), n)]
    };
    let rows: Vec<Row> = (0..30).flat_map(pair).collect();
    let title = |page: &str| format!("http://www.imdb.com/title/{{last-2}}/{page}");
    proposes(&rows, &title("photogallery"), &title("mediaindex"));
    assert_eq!(proposals(&rows).len(), 1, "{:?}", proposals(&rows));
}

#[test]
fn a_catalogue_with_delimiters_of_its_own() {
    let pair = |n: usize| {
        let upc = 43_396_062_603 + n * 7919;
        let item = format!("http://catalog.ebay.com/{}_UPC_{upc:012}_W0", WORDS[n % 16]);
        let pid = 43_973_351 + n * 31;
        [
            row(format!("{item}QQ_fclsZ1QQ_pcatidZ1QQ_pidZ{pid}QQ_tabZ2"), n),
            row(format!("{item}?_fcls=1&_pcatid=1&_pid={pid}&_tab=2"), n),
        ]
    };
    let rows: Vec<Row> = (0..40).flat_map(pair).collect();
    proposes(
        &rows,
        "http://catalog.ebay.com/{path-1-1}_UPC_{path-1-2:digits}_W0?_fcls=1&_pcatid=1&_pid={_pid-1:digits}&_tab=2&{...}",
        "http://catalog.ebay.com/{path-1-1}_UPC_{path-1-2}_W0QQ_fclsZ1QQ_pcatidZ1QQ_pidZ{_pid-1}QQ_tabZ2?{...}",
    );
}

#[test]
fn brackets_inside_a_component() {
    let url = |n: usize, site: &str| {
        format!("http://www.simtel.net/accelerate.php[id]{}[SiteID]{site}", 100_019 + n * 37)
    };
    let pair = |n: usize| [row(url(n, "softwareoasis"), n), row(url(n, WORDS[n % 16]), n)];
    let rows: Vec<Row> = (0..20).flat_map(pair).collect();
    let rule = |id: &str| format!("http://www.simtel.net/accelerate.php[id]{{path-1-1{id}}}[SiteID]*");
    proposes(&rows, &rule(":digits"), &rule(""));
}

#[test]
fn a_number_is_enough() {
    let pair = |n: usize| {
        let article = format!("http://a.com/index.php/{n}");
        [row(format!("{article}-{}-{}", WORDS[n % 16], WORDS[n * 7 % 16]), n), row(article, n)]
    };
    let rows: Vec<Row> = (0..60).flat_map(pair).collect();
    proposes(&rows, "http://a.com/index.php/{last-1-1:digits}-*", "http://a.com/index.php/{last-1-1}");
}

#[test]
fn a_title_moves_into_the_path() {
    let wiki = "http://en.wikipedia.org";
    let rows = pairs(|word| [format!("{wiki}/?title={word}"), format!("{wiki}/wiki/{word}")]);
    proposes(
        &rows,
        "http://en.wikipedia.org/?title={title?}&{...}",
        "http://en.wikipedia.org/wiki/{title}?{...}",
    );
}

#[test]
fn the_shortest_way_to_watch_is_the_target() {
    let watch = |n: u32| {
        let video = format!("http://www.youtube.com/watch?v=S9_{}", 4096 + n * 13);
        [
            row(format!("{video}&feature=channel"), n),
            row(&video, n),
            row(format!("{video}&feature=channel&ytsession=WDxRm{}", n * 77), n),
        ]
    };
    let rows: Vec<Row> = (0..20).flat_map(watch).collect();
    let all = proposals(&rows);
    assert_eq!(keys(&rows, &all), 20, "{}", all.join("\n"));
    proposes(&rows, "http://www.youtube.com/watch?ytsession={?}&{...}", "http://www.youtube.com/watch?{...}");
}

/// How many canonical keys the rules make of the URLs.
fn keys(rows: &[Row], rules: &[String]) -> usize {
    let rule = |text: &String| {
        let (from, to) = text.split_once(" -> ").expect("two sides");
        Rule::new(Action::rewrite(from, to).expect("a rule"))
    };
    let engine = engine(rules.iter().map(rule).collect());
    let mut scratch = Scratch::new();
    let keys = rows.iter().map(|(url, _)| engine.canonicalize(url.as_bytes(), &mut scratch).into_owned());
    keys.collect::<BTreeSet<_>>().len()
}

fn engine(rules: Vec<Rule>) -> Canonicalizer {
    Canonicalizer::of_rules(&RuleSet::of_site(EVERY_SITE, SiteBy::Host, rules), Form::Key)
}

#[test]
fn a_session_beside_what_matters() {
    let faq =
        |n: u32, sid: u32| format!("http://cs.stanford.edu/degrees/mscs/faq/index.php?sid={sid}&cat={n}");
    let visits = |n: u32| (0..3).map(move |visit| row(faq(n, 67_873 + visit * 17 + n * 57), n));
    let rows: Vec<Row> = (0..20).flat_map(visits).collect();
    let rule = |sid: &str| format!("http://cs.stanford.edu/degrees/mscs/faq/index.php?sid={sid}&cat={{cat}}");
    proposes(&rows, &rule("{?}"), &rule("*"));
}

#[test]
fn a_product_without_its_words() {
    let product = |n: usize| {
        [
            row(format!("http://www.amazon.com/Lord-{}/dp/B000634D{n:02}", WORDS[n % 16]), n),
            row(format!("http://www.amazon.com/dp/B000634D{n:02}"), n),
        ]
    };
    let rows: Vec<Row> = (0..20).flat_map(product).collect();
    proposes(&rows, "http://www.amazon.com/{?}/dp/{...}", "http://www.amazon.com/dp/{...}");
}

#[test]
fn important_urls_are_targets() {
    let with = |first: f64, second: f64| -> Vec<Page> {
        let rows = pairs(|word| [format!("http://a.com/old/{word}"), format!("http://a.com/new/{word}")]);
        let pages = pages(&rows).into_iter().enumerate();
        pages
            .map(|(i, page)| Page { importance: Some(if i % 2 == 0 { first } else { second }), ..page })
            .collect()
    };
    let sides = |pages: &[Page]| {
        let candidates = DecisionTree::default().learn(&Site::new("a.com", pages, 0).sample(0));
        candidates.iter().map(|c| c.action.sides()).collect::<Vec<_>>()
    };
    let [old, new] = ["http://a.com/old/{...}", "http://a.com/new/{...}"].map(String::from);
    assert_eq!(sides(&with(9.0, 1.0)), [(new.clone(), old.clone())]);
    assert_eq!(sides(&with(1.0, 9.0)), [(old, new)]);
}

#[test]
fn a_wall_of_urls_is_sampled() {
    let mut rows: Vec<Row> =
        (0..30_000).map(|i| row(format!("http://a.com/login?to=t{}&sid={i}", i % 977), "login")).collect();
    rows.push(row("http://a.com/login", "login"));
    rows.extend((0..500).map(|i| row(format!("http://a.com/page/{i}"), i)));
    let all = proposals(&rows);
    assert!(keys(&rows, &all) <= 502, "{}", all.join("\n"));
}

/// Every page under two URLs: all of the first kind must be spared.
#[track_caller]
fn spares_all(what: &str, urls: impl Fn(usize) -> [String; 2], others: &[Row]) {
    let pairs = (0..600).flat_map(|n| urls(n).map(|url| row(url, format!("page {n}"))));
    let rows = with_singles(pairs.chain(others.iter().cloned()).collect());
    let learned = learn_by(&rows, &Config::default(), &DecisionTree::default());
    crate::odd::holds_for(&learned, &rows);
    let saved: u64 = learned.rules.rules.iter().filter_map(|rule| Some(rule.evidence.as_ref()?.saved)).sum();
    assert!(saved >= 600, "{what}: {saved} saved by {:?}", texts(&learned));
}

#[test]
fn everyday_duplicates() {
    let word = |n: usize| format!("{}-{}", WORDS[n % 16], n / 16);
    let folder = |n: usize| ["", "x/", "x/y/"][n % 3];
    let pair = |from: String, to: String| [from, to].map(|rest| format!("http://a.com{rest}"));
    spares_all(
        "a slash at the end",
        |n| pair(format!("/{}{}/", folder(n), word(n)), format!("/{}{}", folder(n), word(n))),
        &[],
    );
    spares_all("two slashes", |n| pair(format!("//{}", word(n)), format!("/{}", word(n))), &[]);
    spares_all("a port", |n| pair(format!(":8080/{}", word(n)), format!("/{}", word(n))), &[]);
    spares_all(
        "a parameter called scheme",
        |n| pair(format!("/{}?scheme=dark{n}", word(n)), format!("/{}", word(n))),
        &[],
    );
    let empty = |n: usize| if n.is_multiple_of(2) { String::new() } else { word(n) };
    spares_all(
        "values that may be empty",
        |n| pair(format!("/old.php?tid={n}&hl={}", empty(n)), format!("/v.php?z={n}&hl={}", empty(n))),
        &[],
    );
    spares_all(
        "another separator",
        |n| pair(format!("/old.php?tid={n};b=1"), format!("/v.php?z={n}&b=1")),
        &[],
    );
    spares_all(
        "a scheme",
        |n| [format!("http://a.com/{}", word(n)), format!("https://a.com/{}", word(n))],
        &[],
    );
    spares_all(
        "a host",
        |n| [format!("http://www.a.com/{}", word(n)), format!("http://a.com/{}", word(n))],
        &[],
    );
}

#[test]
fn beside_other_urls() {
    let shop = |n: usize| [format!("http://a.com/{n}?p={n}"), format!("http://a.com/{n}")];
    let edit: Vec<Row> =
        (0..600).map(|n| row(format!("http://a.com/{n}?edit=1&p={n}"), format!("edit {n}"))).collect();
    spares_all("not with another parameter", shop, &edit);
    let moved =
        |n: usize| [format!("http://a.com/old.php?tid={n}&b=2"), format!("http://a.com/v.php?z={n}&b=2")];
    let orders = |k: usize| {
        [
            row(format!("http://a.com/q?x={k}&y=2"), format!("q {k}")),
            row(format!("http://a.com/q?y=2&x={k}"), format!("q {k}")),
        ]
    };
    spares_all("some in another order", moved, &(0..8).flat_map(orders).collect::<Vec<_>>());
}

/// Learners tell what a rule does without the engine; the engine must do it.
#[test]
fn the_engine_does_what_the_learner_believes() {
    let rows = crate::honesty::forum_rows();
    let site = site(&rows);
    let candidates = DecisionTree::default().learn(&site.sample(0));
    assert!(candidates.len() > 5);
    // Parameters in another order are the same URL to the learner.
    let sorted = |url: &[u8]| {
        let mut params: Vec<Vec<u8>> = url.split(|b| b"?&".contains(b)).map(<[u8]>::to_vec).collect();
        params[1..].sort_unstable();
        params
    };
    let pages: BTreeMap<Vec<Vec<u8>>, &str> =
        rows.iter().map(|(url, label)| (sorted(url.as_bytes()), label.as_str())).collect();
    for candidate in candidates {
        let engine = engine(vec![Rule::new(candidate.action.clone())]);
        let mut scratch = Scratch::new();
        let mut seen: BTreeSet<(Vec<u8>, &str)> = BTreeSet::new();
        let right = rows.iter().filter(|(url, label)| {
            let key = engine.canonicalize(url.as_bytes(), &mut scratch).into_owned();
            let there = pages.get(&sorted(&key)) == Some(&label.as_str());
            key != url.as_bytes() && (there | !seen.insert((key, label.as_str())))
        });
        let right = right.count() as u64;
        assert!(
            right * 10 >= candidate.support * 9,
            "{}: {right} of {}",
            candidate.action,
            candidate.support
        );
    }
}

#[test]
fn shuffled_rows_give_the_same_rules() {
    let rows = crate::honesty::forum_rows();
    let mut shuffled = rows.clone();
    Numbers(5).shuffle(&mut shuffled);
    assert_eq!(proposals(&rows), proposals(&shuffled));
}
