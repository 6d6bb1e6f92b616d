//! `learn --report`: the page as text. `browser.rs` looks at it in a browser.

use insta::assert_snapshot;

use crate::data::{lines, shop, shops, shuffled};
use crate::folder::Folder;

/// The page as a tree: it is written as XML, too, so that nothing can be left open.
fn parsed(page: &str) -> roxmltree::Document<'_> {
    let options = roxmltree::ParsingOptions { allow_dtd: true, ..Default::default() };
    roxmltree::Document::parse_with_options(page, options).expect("well-formed")
}

/// Elements that begin a line; what is in others stands beside what is around them.
const BLOCKS: [&str; 15] = [
    "title", "p", "h1", "h2", "h3", "li", "div", "code", "tr", "nav", "summary", "section", "svg", "text",
    "header",
];

/// What can be read on the page, line by line.
fn words(page: &str) -> String {
    let tree = parsed(page);
    let is_hidden = |above: roxmltree::Node| above.has_tag_name("style") || above.has_tag_name("script");
    let mut found: Vec<(Option<roxmltree::NodeId>, String)> = Vec::new();
    for node in tree.descendants().filter(|node| node.is_text() && !node.ancestors().any(is_hidden)) {
        let text = node.text().unwrap_or_default().trim();
        let block = node.ancestors().find(|above| BLOCKS.contains(&above.tag_name().name()));
        let block = block.map(|block| block.id());
        match found.last_mut() {
            _ if text.is_empty() => {}
            Some((last, line)) if *last == block => line.extend([" ", text]),
            _ => found.push((block, text.to_owned())),
        }
    }
    lines(found.into_iter().map(|(_, line)| line))
}

#[test]
fn a_page_to_look_at() {
    let folder = Folder::with("crawl.tsv", shop());
    let run = folder.undust("learn crawl.tsv --report report.html");
    assert_eq!(run.err, "rules written to rules.json\nreport written to report.html\n");
    assert_snapshot!(words(&folder.read("report.html")), @"
    undust: 400 of 800 URLs need no fetch
    undust report on crawl.tsv
    50.0 %
    400 of 800 URLs need no fetch
    At most 0.8 % of the pages are lost (95 % confidence; the limit was 1 %). On the URLs seen, 0 of 400 are.
    400 not fetched: made equal to others by rules
    400 fetched, one for each page
    800 rows read
    800 labelled URLs
    400 pages
    1 site
    1 rule
    67 proposed
    Rules Trade-off Learners Patterns Unexplained duplicates Conflicts
    Rules
    In the order in which they are tried. What differs between both sides is marked; {…} stands for any text, * for a value that does not matter.
    URLs that become one
    {scheme}://{...}/{...}?{...} &sid={?}
    →
    {scheme}://{...}/{...}?{...}
    IRP usual 87a9785e7a94
    2 examples
    http://www.example.com/item.php?id=211 &sid=s7
    =
    http://www.example.com/item.php?id=211
    http://www.example.com/item.php?id=290
    =
    http://www.example.com/item.php?id=290 &sid=s2
    400 URLs saved 0 of 400 wrong, held out at most 0.8 %
    Trade-off
    How much is saved, by the share of pages that may be lost. The chosen rules are taken one after the other, the safest first: a smaller limit would have kept the first of them, a larger one would have let in others, not shown here.
    URLs saved, by the share of pages that may be lost
    0.5
    1
    2
    0
    20
    40
    pages lost, %
    URLs saved, %
    1 %
    1 rule: 400 URLs saved, at most 0.8 % of the pages lost
    may be lost (95 % confidence)
    lost on held-out URLs
    the limit, --max-fpr
    Learners
    Rules proposed, those of them kept, and the URLs that these save. A rule that several proposed counts for the first.
    learner proposed kept URLs saved
    usual 15 1 400
    decision-tree 1 0 0
    dustbuster 13 0 0
    pattern-tree 1 0 0
    rewrite 26 0 0
    seq2seq 12 0 0
    Patterns
    The URLs of a site by their design. A bar is as long as a pattern has URLs; what is filled are duplicates, which need not be fetched.
    800 50.0 %
    http://www.example.com/item.php?{...}&id=*
    400 0.0 % no sid
    http://www.example.com/item.php?id=*
    400 0.0 % sid = *
    http://www.example.com/item.php?id=*&sid=*
    34 0.0 % sid = s2
    http://www.example.com/item.php?id=*&sid=s2
    34 0.0 % sid = s0
    http://www.example.com/item.php?id=*&sid=s0
    34 0.0 % sid = s1
    http://www.example.com/item.php?id=*&sid=s1
    34 0.0 % sid = s3
    http://www.example.com/item.php?id=*&sid=s3
    33 0.0 % sid = s9
    http://www.example.com/item.php?id=*&sid=s9
    33 0.0 % sid = s10
    http://www.example.com/item.php?id=*&sid=s10
    33 0.0 % sid = s11
    http://www.example.com/item.php?id=*&sid=s11
    33 0.0 % sid = s4
    http://www.example.com/item.php?id=*&sid=s4
    33 0.0 % sid = s5
    http://www.example.com/item.php?id=*&sid=s5
    33 0.0 % sid = s8
    http://www.example.com/item.php?id=*&sid=s8
    33 0.0 % sid = s7
    http://www.example.com/item.php?id=*&sid=s7
    33 0.0 % sid = s6
    http://www.example.com/item.php?id=*&sid=s6
    Unexplained duplicates
    None: every page is fetched once.
    Conflicts
    Rules and labels agree on every URL.
    Learned by auto, with --max-fpr 0.01 --set learn.min-trials=5 --seed 0. The rule file holds every rule; undust explain tells what they do to a URL.
    page all URLs with one label: they lead to the same content
    saved URLs that need no fetch, since another one with the same key is fetched, or since rules skip them
    held out URLs (of skips: pages) that the learner did not see when it proposed the rule
    at most the share of wrong URLs that the evidence leaves possible, with 95 % confidence; the limit (--max-fpr) is for the rules of a site together
    ");
}

/// Pages that rules lead to, some that they do not, some with names that differ in a habit, and a site without labels.
fn mixed() -> String {
    let unexplained =
        (0..40).map(|n| format!("http://www.example.com/view/{}\twww.example.com-{n}", n * 7919));
    let habits = (0..4).flat_map(|n| {
        let urls = [format!("help/topic{n}"), format!("help/topic{n}.html"), format!("help/topic{n}/")];
        urls.map(|url| format!("http://www.example.com/{url}\thelp{n}"))
    });
    let unlabelled = (0..25).map(|n| format!("http://www.example.org/{n}\t"));
    shop() + &lines(unexplained.chain(habits).chain(unlabelled))
}

/// The first number in a text, if it has one.
fn number(text: &str) -> Option<u64> {
    text.split_whitespace().find_map(|word| word.replace(',', "").parse().ok())
}

#[test]
fn what_is_fetched_and_what_is_not_adds_up() {
    let folder = Folder::with("crawl.tsv", mixed());
    folder.undust("learn crawl.tsv --report report.html").fine();
    let page = folder.read("report.html");
    let words = words(&page);
    let parts: Vec<&str> =
        words.lines().filter(|line| line.contains("not fetched: ") || line.contains(" fetched")).collect();
    let parts: Vec<&str> = parts.into_iter().take_while(|line| number(line).is_some()).collect();
    assert_snapshot!(parts.join("\n"), @"
    400 not fetched: made equal to others by rules
    48 fetched again: duplicates that no rule explains
    404 fetched, one for each page
    25 fetched, on sites without labels
    ");
    let all = words.lines().find(|line| line.ends_with(" URLs")).and_then(number);
    assert_eq!(parts.iter().filter_map(|part| number(part)).sum::<u64>(), all.expect("the number of URLs"));
    assert!(words.contains("Of 452 URLs that are fetched, 48 lead to a page"), "{words}");
    // URLs, pages, rules, saved and its share, fetched, of them again, wrong.
    let tree = parsed(&page);
    let rows = tree.descendants().filter(|node| node.has_tag_name("tr")).map(|row| {
        let cells = row.children().filter(|cell| cell.attribute("class") == Some("number"));
        cells.filter_map(|cell| number(cell.text()?)).collect::<Vec<u64>>()
    });
    let rows: Vec<Vec<u64>> = rows.filter(|row| row.len() == 7).collect();
    assert_eq!(rows.len(), 2, "one for each site");
    for row in rows {
        let [urls, _, _, saved, fetched, again, _] = row[..] else { panic!("{row:?}") };
        assert!(urls == saved + fetched && again <= fetched, "{row:?}");
    }
}

#[test]
fn duplicates_that_no_rule_explains_have_a_reason() {
    let folder = Folder::with("crawl.tsv", mixed());
    folder.undust("learn crawl.tsv --report report.html").fine();
    let words = words(&folder.read("report.html"));
    let reasons: Vec<&str> = words
        .lines()
        .filter(|line| line.starts_with("they differ") || line.contains("tell them apart"))
        .collect();
    assert_eq!(
        reasons,
        ["they differ only in a file extension", "they differ only in a slash at the end of the path"]
    );
}

#[test]
fn nothing_has_no_bar() {
    let folder = Folder::with("crawl.tsv", shop());
    folder.undust("learn crawl.tsv --report report.html").fine();
    let page = folder.read("report.html");
    let tree = parsed(&page);
    let row = |learner: &str| {
        let is_it = |row: &roxmltree::Node| row.first_child().and_then(|cell| cell.text()) == Some(learner);
        let row = tree.descendants().find(|node| node.has_tag_name("tr") && is_it(node)).expect("a row");
        row.descendants().filter(|node| node.attribute("class") == Some("bar")).count()
    };
    assert_eq!((row("usual"), row("rewrite")), (1, 0));
}

#[test]
fn the_same_page_whatever_the_order_and_the_threads() {
    let folder = Folder::with("crawl.tsv", shops());
    folder.undust("learn crawl.tsv --report one.html").fine();
    folder.write("crawl.tsv", shuffled(&shops()));
    folder.undust("learn crawl.tsv --report two.html --threads 1 -o other.json").fine();
    assert_eq!(folder.read("one.html"), folder.read("two.html"));
    let page = folder.read("one.html");
    assert!(page.contains("example.org") && page.contains("id=\"sites\""));
}

/// Rows of a shop that means ill, with labels that mean ill, too.
fn hostile() -> String {
    const ILL: &str = "\"'><script>alert(1)</script><img src=x onerror=alert(2)>";
    let row = |url: String, label: String| format!("http://evil.example/{url}\t{label}");
    let pages = (0..400).flat_map(|n| {
        let of_page =
            [format!("i?id={n}{ILL}"), format!("i?id={n}{ILL}&sid=s{}", n % 12), format!("p/{n}{ILL}")];
        of_page.map(|url| row(url, format!("{n}{ILL}")))
    });
    let twice = row(format!("i?id=1{ILL}"), format!("{ILL}again"));
    format!("url\tcluster\n{}", lines(pages.chain([twice])))
}

#[test]
fn what_was_crawled_is_text_and_no_more() {
    let folder = Folder::with("crawl.tsv", hostile());
    folder.undust("learn crawl.tsv --report report.html").fine();
    let page = folder.read("report.html");
    assert!(words(&page).contains("<script>alert(1)</script>"), "it is shown");
    let tree = parsed(&page);
    let all = |name: &'static str| tree.descendants().filter(move |node| node.has_tag_name(name));
    assert_eq!((all("script").count(), all("img").count()), (1, 0));
    let handlers =
        tree.descendants().flat_map(|node| node.attributes()).filter(|a| a.name().starts_with("on"));
    assert_eq!(handlers.count(), 0);
}

#[test]
fn nothing_was_judged() {
    let urls = (0..60).flat_map(|n| ["story", "story_"].map(|name| format!("http://a.org/{name}?id={n}")));
    let folder = Folder::with("urls.txt", lines(urls));
    folder.undust("learn urls.txt --method dustbuster --report report.html").fine();
    let words = words(&folder.read("report.html"));
    assert!(words.contains("Nothing was judged") && words.contains("Likely, to be tried out"), "{words}");
    assert!(!words.contains("Unexplained duplicates"), "{words}");
}

#[test]
fn a_page_needs_a_place_of_its_own() {
    let folder = Folder::with("crawl.tsv", shop());
    let refused = ["crawl.tsv", "rules.json", "-", "no/such/folder.html"]
        .map(|path| folder.undust(&format!("learn crawl.tsv --report {path}")).failed());
    assert_snapshot!(refused.concat(), @"
    undust: crawl.tsv is an input: the report would replace it
    undust: rules.json cannot hold both the rules and the report
    undust: the report cannot go to standard output: name a file
    undust: cannot write no/such/folder.html: No such file or directory (os error 2)
    ");
    assert_eq!(folder.names(), ["crawl.tsv"]);
}
