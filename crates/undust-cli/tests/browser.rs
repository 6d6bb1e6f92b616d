//! The report in a browser.

use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::data::shops;
use crate::folder::Folder;

/// What Debian and others call it.
const BROWSERS: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

/// The browser of this machine, if there is one; `make test` installs one as root.
pub(crate) fn find() -> Option<&'static str> {
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
      overflows: page.documentElement.scrollWidth > page.documentElement.clientWidth,
      // What is cut off where the page ends; tables scroll by themselves.
      cut: all('body *').filter(one => !one.closest('.scroll, svg')
        && one.getBoundingClientRect().right > page.documentElement.clientWidth + 0.5).length,
      rules: [before, shown('.rule')],
      loaded: view.performance.getEntriesByType('resource').length,
    };
  });
  document.getElementById('seen').textContent = JSON.stringify(seen);
});
</script>
"#;

/// The report fits a narrow window, loads nothing, and can be searched where scripts are allowed.
pub(crate) fn report(browser: &str) {
    let long = format!("http://www.example.org/{}?{}\tlong\n", "x".repeat(3000), "y".repeat(3000));
    let folder = Folder::with("crawl.tsv", shops() + &long).and("look.html", LOOK);
    folder.undust("learn crawl.tsv --report report.html").fine();
    let mut command = Command::new(browser);
    let flags = "--headless --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run --disable-background-networking \
        --disable-component-update --disable-sync --disable-quic --allow-file-access-from-files --enable-logging=stderr \
        --user-data-dir=profile --virtual-time-budget=10000 --dump-dom look.html";
    command.args(flags.split_whitespace());
    let run = folder.run(command, b"");
    // Where scripts are forbidden, the browser says so.
    let is_complaint = |line: &&str| line.contains("CONSOLE") && !line.contains("frame is sandboxed");
    assert_eq!(run.err.lines().filter(is_complaint).count(), 0, "{run}");
    let dom = String::from_utf8_lossy(&run.out).into_owned();
    let seen = dom.split_once("<pre id=\"seen\">").and_then(|(_, rest)| rest.split_once("</pre>"));
    let seen: Value = serde_json::from_str(seen.expect("an answer").0).expect("JSON");
    let sections = "sites rules trade-off learners tree unexplained conflicts";
    let look = |rules: [u64; 2]| json!({ "sections": sections, "overflows": false, "cut": 0, "rules": rules, "loaded": 0 });
    assert_eq!(seen, json!([look([3, 1]), look([3, 3])]));
}
