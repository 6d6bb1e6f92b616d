//! `learn --report`: the page, as text and in a browser.

use std::process::{Command, Stdio};

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::data::{lines, shop, shops, shuffled};
use crate::folder::Folder;

/// The page as a tree: it is written as XML, too, so that nothing can be left open.
fn parsed(page: &str) -> roxmltree::Document<'_> {
    let options = roxmltree::ParsingOptions { allow_dtd: true, ..Default::default() };
    roxmltree::Document::parse_with_options(page, options).expect("well-formed")
}

/// What can be read on the page, a line for each piece of text.
fn words(page: &str) -> String {
    let tree = parsed(page);
    let is_read = |node: &roxmltree::Node| {
        node.is_text()
            && !node.ancestors().any(|above| above.has_tag_name("style") || above.has_tag_name("script"))
    };
    let texts = tree.descendants().filter(is_read).filter_map(|node| node.text());
    lines(texts.map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned))
}

#[test]
fn a_page_to_look_at() {
    let folder = Folder::with("crawl.tsv", shop());
    let run = folder.undust("learn crawl.tsv --report report.html");
    assert_eq!(run.err, "rules written to rules.json\nreport written to report.html\n");
    assert_snapshot!(words(&folder.read("report.html")), @"");
}

#[test]
fn the_same_page_whatever_the_order_and_the_threads() {
    let folder = Folder::with("crawl.tsv", shops());
    folder.undust("learn crawl.tsv --report one.html").fine();
    folder.write("crawl.tsv", shuffled(&shops()));
    folder.undust("learn crawl.tsv --report two.html --threads 1 -o other.json").fine();
    assert_eq!(folder.read("one.html"), folder.read("two.html"));
    let page = folder.read("one.html");
    for part in ["example.org", "3 sites", "id=\"sites\""] {
        assert!(page.contains(part), "no {part}");
    }
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
    assert_snapshot!(refused.concat(), @"");
    assert_eq!(folder.names(), ["crawl.tsv"]);
}

/// What Debian and others call it.
const BROWSERS: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

fn browser() -> Option<&'static str> {
    let is_there = |name: &&str| {
        Command::new(name).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
    };
    BROWSERS.into_iter().find(is_there)
}

/// Looks at the report as on a phone, with and without scripts, and says what it saw.
const LOOK: &str = r#"<!DOCTYPE html>
<iframe id="with" src="report.html" width="360" height="800"></iframe>
<iframe id="without" src="report.html" width="360" height="800" sandbox="allow-same-origin"></iframe>
<pre id="seen"></pre>
<script>
addEventListener('load', () => {
  const seen = ['with', 'without'].map(id => {
    const view = document.getElementById(id).contentWindow, page = view.document;
    const all = what => Array.from(page.querySelectorAll(what));
    const shown = what => all(what).filter(one => one.checkVisibility()).length;
    all('details').forEach(details => { details.open = true; });
    const before = shown('.rule'), box = page.getElementById('filter');
    if (box.checkVisibility()) { box.value = 'ID example.ORG'; box.dispatchEvent(new view.Event('input')); }
    return {
      sections: all('section').map(section => section.id).join(' '),
      width: page.documentElement.scrollWidth,
      rules: [before, shown('.rule')],
      loaded: view.performance.getEntriesByType('resource').length,
    };
  });
  document.getElementById('seen').textContent = JSON.stringify(seen);
});
</script>
"#;

#[test]
fn in_a_browser() {
    let Some(browser) = browser() else {
        println!("skipped: there is no browser ({}); make test installs one as root", BROWSERS.join(", "));
        return;
    };
    let long = format!("http://www.example.org/{}?{}\tlong\n", "x".repeat(3000), "y".repeat(3000));
    let folder = Folder::with("crawl.tsv", shops() + &long).and("look.html", LOOK);
    folder.undust("learn crawl.tsv --report report.html").fine();
    let mut command = Command::new(browser);
    let flags = "--headless --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run --disable-background-networking \
        --disable-component-update --disable-sync --disable-quic --allow-file-access-from-files --enable-logging=stderr \
        --user-data-dir=profile --virtual-time-budget=10000 --dump-dom look.html";
    command.args(flags.split_whitespace());
    let run = folder.run(command, b"");
    assert!(!run.err.contains("CONSOLE"), "{run}");
    let dom = String::from_utf8_lossy(&run.out).into_owned();
    let seen = dom.split_once("<pre id=\"seen\">").and_then(|(_, rest)| rest.split_once("</pre>"));
    let seen: Value = serde_json::from_str(seen.expect("an answer").0).expect("JSON");
    let sections = "rules sites trade-off learners tree unexplained conflicts";
    let look = |rules: [u64; 2]| json!({ "sections": sections, "width": 360, "rules": rules, "loaded": 0 });
    assert_eq!(seen, json!([look([3, 1]), look([3, 3])]));
}
