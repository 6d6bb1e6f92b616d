//! `export` for servers that redirect: what is known of the site, or what it answers when it is asked, keeps rules out.

use insta::assert_snapshot;

use crate::folder::{Folder, Run};
use crate::server::{Reply, Server};

/// A rule that is good, one that the site redirects back, one whose targets are not there, and one of which nothing is known.
const RULES: &str = r#"{ "undust": 1, "sites": [
  { "site": "SITE", "rules": [
    { "id": "sid", "match": "http://HOST/{...}?sid={s}", "rewrite": "http://HOST/{...}",
      "evidence": { "examples": [["http://HOST/a?sid=1", "http://HOST/a"], ["http://HOST/b/?sid=1", "http://HOST/b/"]] } },
    { "id": "slash", "match": "http://HOST/{...}/{x}/", "rewrite": "http://HOST/{...}/{x}",
      "evidence": { "examples": [["http://HOST/b/", "http://HOST/b"]] } },
    { "id": "page", "match": "http://HOST/html/{x}", "rewrite": "http://HOST/{x}",
      "evidence": { "examples": [["http://HOST/html/c", "http://HOST/c"]] } },
    { "id": "new", "match": "http://HOST/old/{x}", "rewrite": "http://HOST/new/{x}" }
  ] }
] }"#;

fn rules(site: &str, host: &str) -> String {
    RULES.replace("SITE", site).replace("HOST", host)
}

/// Folders have a slash, as `mod_dir` wants it.
fn answer(path: &str, _: usize) -> Reply {
    match path.split('?').next().unwrap_or_default() {
        "/a" | "/b/" | "/html/c" => Reply::ok("a page"),
        "/b" => Reply::redirect("/b/"),
        _ => Reply::new(404, "", "none"),
    }
}

/// What was said, without the export, and without the port of the day.
fn talk(run: &Run, host: &str) -> String {
    assert_eq!(run.code, Some(0), "{run}");
    run.err.replace(host, "HOST")
}

fn written(run: &Run) -> Vec<String> {
    let out = String::from_utf8_lossy(&run.out).into_owned();
    out.lines().filter_map(|line| Some(line.split_once(": rule ")?.1.to_owned())).collect()
}

#[test]
fn a_crawl_tells_what_the_site_redirects() {
    let crawl = r#"{"url":"http://a.com/b","status":301,"redirect":"/b/"}
{"url":"http://a.com/b/","status":200}
{"url":"http://a.com/c","status":404}
{"url":"http://a.com/html/c","status":200}
"#;
    let folder = Folder::with("rules.json", rules("a.com", "a.com")).and("crawl.jsonl", crawl);
    let run = folder.undust("export -r rules.json --to apache --known crawl.jsonl");
    assert_eq!(written(&run), ["sid", "new"]);
    assert_snapshot!(talk(&run, "a.com"), @"
    2 rules written for apache
    mind: URLs that mix & and ; between parameters, and hosts that are addresses in brackets, are left alone
    mind: redirects that the site sends back take pages offline: --try http://HOST asks it first
    left out: 2 rules
      http://HOST/html/c is a page, and http://HOST/c is not (status 404):
        HOST: rule page: http://HOST/html/{x} -> http://HOST/{x}
      the site redirects http://HOST/b to http://HOST/b/, and it back:
        HOST: rule slash: http://HOST/{...}/{x}/ -> http://HOST/{...}/{x}
    ");
}

/// A log says that there was a redirect, not where to.
#[test]
fn a_log_tells_it_too() {
    let line = |path: &str, status: u16| {
        format!("1.2.3.4 - - [10/Oct/2024:13:55:36 +0000] \"GET {path} HTTP/1.1\" {status} 9\n")
    };
    let log = [line("/b/", 200), line("/b", 301), line("/html/c", 200), line("/c", 404)].concat();
    let folder = Folder::with("rules.json", rules("a.com", "a.com")).and("access.log", log);
    let run = folder.undust("export -r rules.json --to nginx --known access.log --host a.com");
    assert_eq!(written(&run), ["sid", "new"]);
    assert_snapshot!(talk(&run, "a.com"), @"
    2 rules written for nginx
    mind: URLs that mix & and ; between parameters, and hosts that are addresses in brackets, are left alone
    mind: redirects that the site sends back take pages offline: --try http://HOST asks it first
    left out: 2 rules
      http://HOST/html/c is a page, and http://HOST/c is not (status 404):
        HOST: rule page: http://HOST/html/{x} -> http://HOST/{x}
      the site redirects http://HOST/b:
        HOST: rule slash: http://HOST/{...}/{x}/ -> http://HOST/{...}/{x}
    ");
}

#[test]
fn the_site_is_asked() {
    let server = Server::start(answer);
    let host = format!("127.0.0.1:{}", server.port());
    let folder = Folder::with("rules.json", rules("127.0.0.1", &host));
    let run = folder.undust(&format!(
        "export -r rules.json --to apache --try http://{host} --allow-private --delay 0.01 --samples 2"
    ));
    assert_eq!(written(&run), ["sid"]);
    assert_snapshot!(talk(&run, &host), @"
    asking for 3 URLs, and for others where these are no pages
    tried with 7 requests
    1 rule written for apache
    mind: URLs that mix & and ; between parameters, and hosts that are addresses in brackets, are left alone
    left out: 3 rules
      http://HOST/html/c is a page, and http://HOST/c is not (status 404):
        127.0.0.1: rule page: http://HOST/html/{x} -> http://HOST/{x}
      no page is known that it leads to:
        127.0.0.1: rule new: http://HOST/old/{x} -> http://HOST/new/{x}
      the site redirects http://HOST/b to http://HOST/b/, and it back:
        127.0.0.1: rule slash: http://HOST/{...}/{x}/ -> http://HOST/{...}/{x}
    ");
    let few = folder.undust(&format!(
        "export -r rules.json --to apache --try {host} --allow-private --delay 0.01 --budget 1"
    ));
    assert_snapshot!(talk(&few, &host), @"
    asking for 3 URLs, and for others where these are no pages
    all requests of the budget are made (--budget): what was not tried is left out
    tried with 1 request
    0 rules written for apache
    mind: URLs that mix & and ; between parameters, and hosts that are addresses in brackets, are left alone
    left out: 4 rules
      it changes nothing but the slash at the end, which servers change back, and no page is known that it leads to:
        127.0.0.1: rule slash: http://HOST/{...}/{x}/ -> http://HOST/{...}/{x}
      no page is known that it leads to:
        127.0.0.1: rule sid: http://HOST/{...}?sid={s} -> http://HOST/{...}
        127.0.0.1: rule page: http://HOST/html/{x} -> http://HOST/{x}
        127.0.0.1: rule new: http://HOST/old/{x} -> http://HOST/new/{x}
    ");
}

/// Whoever asks for a trial wants no export without one.
#[test]
fn a_site_that_cannot_be_asked() {
    let mut server = Server::start(answer);
    let host = format!("127.0.0.1:{}", server.port());
    let folder = Folder::with("rules.json", rules("127.0.0.1", &host));
    let run = |more: &str| folder.undust(&format!("export -r rules.json --to apache {more}")).to_string();
    let private = run(&format!("--try http://{host} --contact keeper@example.com"));
    assert_snapshot!(private.replace(&host, "HOST"), @"
    ! asking for 3 URLs, and for others where these are no pages
    ! undust: http://HOST/a: not fetched: 127.0.0.1 is not a public address (--allow-private, for servers of your own)
    = 2
    ");
    assert_snapshot!(run(&format!("--try http://{host}")), @"
    ! undust: say where those whose servers are asked find you: --contact keeper@example.com (not needed with --allow-private, for servers of your own)
    = 2
    ");
    assert_snapshot!(run("--try http://example.com/a"), @"
    ! error: invalid value 'http://example.com/a' for '--try <SERVER>': 'http://example.com/a' is no server: write http://HOST or http://HOST:PORT
    !
    ! For more information, try '--help'.
    = 2
    ");
    server.stop();
    let gone = run(&format!("--try http://{host} --allow-private --retries 0 --delay 0 -o out.conf"));
    assert_snapshot!(gone.replace(&host, "HOST"), @"
    ! asking for 3 URLs, and for others where these are no pages
    ! undust: http://HOST/b: robots.txt: io: Connection refused (os error 111)
    = 2
    ");
    assert_eq!(folder.names(), ["rules.json"]);
    assert_snapshot!(folder.undust("export -r rules.json --to nutch --known rules.json"), @"
    ! undust: --known and --try are for servers that redirect: --to apache or nginx
    = 2
    ");
}

#[test]
fn hosts_with_a_port() {
    let rules = r#"{ "undust": 1, "sites": [
  { "site": "intranet", "rules": [
    { "id": "sid", "match": "http://intranet:8080/{...}?sid={?}&{...}", "rewrite": "http://intranet:8080/{...}?{...}" },
    { "id": "any", "match": "http://intranet:{p}/{...}?sort={?}&{...}", "rewrite": "http://intranet:{p}/{...}?{...}" }
  ] },
  { "site": "example.com", "rules": [
    { "id": "ref", "match": "{s}://{...}:8080/{...}?ref={?}&{...}", "rewrite": "{s}://{...}:8080/{...}?{...}" }
  ] }
] }"#;
    let folder = Folder::with("rules.json", rules);
    let export = |format: &str| folder.undust(&format!("export -r rules.json --to {format}")).to_string();
    assert_snapshot!(export("removeparam"), @"
    |http://intranet:8080/$removeparam=sid
    ||example.com:8080/$removeparam=ref
    ! 2 rules written for removeparam
    ! mind: letter case of URLs is not looked at
    ! mind: a parameter is also dropped without a value and twice
    ! left out: 1 rule
    !   it asks for some ports:
    !     intranet: rule any: http://intranet:{p}/{...}?sort={?}&{...} -> http://intranet:{p}/{...}?{...}
    = 0
    ");
    assert_snapshot!(export("clean-param"), @"
    # robots.txt of example.com:8080 and all hosts below it
    User-agent: Yandex
    Clean-param: ref

    # robots.txt of http://intranet:8080
    User-agent: Yandex
    Clean-param: sid

    ! 2 rules written for clean-param
    ! mind: a parameter is also dropped without a value and twice
    ! mind: a rule for /a and all below it leaves /a itself alone
    ! left out: 1 rule
    !   it asks for some ports:
    !     intranet: rule any: http://intranet:{p}/{...}?sort={?}&{...} -> http://intranet:{p}/{...}?{...}
    = 0
    ");
    assert_snapshot!(export("no-vary-search"), @r#"
    # example.com:8080
    No-Vary-Search: params=("ref")
    # http://intranet:8080 alone
    No-Vary-Search: params=("sid")
    ! 2 rules written for no-vary-search
    ! mind: a parameter is also irrelevant without a value and twice
    ! left out: 1 rule
    !   it asks for some ports:
    !     intranet: rule any: http://intranet:{p}/{...}?sort={?}&{...} -> http://intranet:{p}/{...}?{...}
    = 0
    "#);
    let patterns = |format: &str, name: &str| {
        let text = export(format);
        text.lines().filter(|line| line.contains(name)).map(str::trim).collect::<Vec<_>>().join("\n")
    };
    assert_snapshot!(patterns("clearurls", "urlPattern"), @r#"
    "urlPattern": "^https?://(?:[^./?#@:]+\\.)*example\\.com:8080/",
    "urlPattern": "^http://intranet:8080/",
    "#);
    assert_snapshot!(patterns("duplicate-url-discarder", "8080"), @r#"
    "example.com:8080"
    "www.intranet:8080/"
    "http://intranet:8080/"
    "#);
}
