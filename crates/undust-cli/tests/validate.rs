//! `validate`: against a site on loopback that has DUST of many kinds, and without a network against labels.
//!
//! The site is fetched over HTTP by the built command. The server is that of the fetcher's own tests, taken by its path: a crate for
//! one file of tests would have to be published along with the others.

use std::fmt::Write;
use std::thread;
use std::time::{Duration, Instant};

use insta::assert_snapshot;
use serde_json::Value;

use crate::data::{RULES, SKIPS, shop};
use crate::folder::{Folder, Run};
use crate::server::{Reply, Server};

/// Pages of each kind.
const PAGES: usize = 8;

const DELAY: Duration = Duration::from_millis(10);

/// Fetch from the server here, without long waits.
const QUICK: &str = "--allow-private --delay 0.01 --timeout 1 --retries 0";

/// A text of its own for each name, in which a clock and a counter change with every visit. A page's length depends on its number
/// only, as movies and sports must not be told apart by it.
fn page(name: &str, number: usize, visit: usize) -> String {
    let words: Vec<String> = (0..80 + number).map(|i| format!("{name}{i:02}")).collect();
    format!("<title>{name} {number}</title><p>{}<p>visitor {visit:05}, {visit:05} o'clock", words.join(" "))
}

/// What the site has at a path: status, headers, body.
fn site(path: &str, visit: usize) -> (u16, String, String) {
    let number = |text: &str| text.trim_end_matches("/index.html").trim_matches('/').parse::<usize>().ok();
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    let value = |name: &str| {
        query.split('&').find_map(|part| part.strip_prefix(name)?.strip_prefix('=')?.parse().ok())
    };
    let known = |found: Option<usize>| found.filter(|n| (1..=PAGES).contains(n));
    let kinds = ["/movies/", "/sports/", "/topic/", "/private/", "/new/"];
    let plain =
        kinds.iter().find_map(|kind| Some((kind.trim_matches('/'), number(path.strip_prefix(kind)?)?)));
    let found = match path {
        "/story" => known(value("id")).map(|n| ("story", n)),
        "/item" => known(value("n")).map(|n| ("goods", n)),
        _ => path.strip_prefix("/story_").and_then(number).map(|n| ("story", n)).or(plain),
    };
    if let Some(n) = path.strip_prefix("/old/") {
        return (302, format!("Location: /new/{n}\r\n"), String::new());
    }
    match found {
        Some((name, n)) if known(Some(n)).is_some() => {
            (200, "Content-Type: text/html\r\n".into(), page(name, n, visit))
        }
        _ if path == "/broken" => (500, String::new(), "oops".into()),
        _ => (404, String::new(), "no such page".into()),
    }
}

const ROBOTS: &str = "User-agent: *\nDisallow: /private/\nCrawl-delay: 0.005\n";

fn answer(path: &str, visit: usize) -> Reply {
    if path == "/robots.txt" {
        return Reply::new(200, "", ROBOTS);
    }
    let (status, headers, body) = site(path, visit);
    Reply::new(status, &headers, body)
}

/// The same with a page that comes too late for those who do not wait.
fn slow_answer(path: &str, visit: usize) -> Reply {
    if path == "/sports/3" {
        Reply::raw("").after(Duration::from_millis(1500), b"")
    } else {
        answer(path, visit)
    }
}

/// Where visitors have been: everything that the site has, and some errors.
fn visits() -> Vec<String> {
    let mut paths = vec!["/broken".to_owned(), "/movies/99".to_owned(), "/style.css".to_owned()];
    for n in 1..=PAGES {
        paths.extend(
            ["/story_", "/story?id=", "/movies/", "/sports/", "/old/"].map(|kind| format!("{kind}{n}")),
        );
        paths.extend(["", "index.html"].map(|end| format!("/topic/{n}/{end}")));
        paths.extend(["", "index.html"].map(|end| format!("/private/{n}/{end}")));
        paths.extend(["", "&print=1", "&sid=a1", "&sid=b2"].map(|end| format!("/item?n={n}{end}")));
    }
    paths
}

/// The log that the server wrote of them, in Common format.
fn access_log() -> String {
    let mut log = String::new();
    for (visit, path) in visits().iter().enumerate() {
        let (status, _, body) = site(path, visit);
        let size = if status == 302 { "-".to_owned() } else { body.len().to_string() };
        writeln!(log, r#"10.0.0.1 - - [01/Feb/2024:00:00:00 +0000] "GET {path} HTTP/1.1" {status} {size}"#)
            .expect("a string holds it");
    }
    log
}

/// A site, its log and the rules that the log suggests.
fn learned(port: u16) -> Folder {
    let folder = Folder::with("access.log", access_log());
    let host = format!("http://127.0.0.1:{port}");
    folder.undust(&format!("learn access.log --method dustbuster --host {host} -o rules.json")).fine();
    folder
}

fn validate(folder: &Folder, port: u16, more: &str) -> Run {
    let host = format!("http://127.0.0.1:{port}");
    folder.undust(&format!("validate --rules rules.json --urls access.log --host {host} {more}"))
}

/// What the rule file says of every rule: `from -> to: verdict`, sorted.
fn verdicts(folder: &Folder) -> Vec<String> {
    let file: Value = serde_json::from_str(&folder.read("rules.json")).expect("a rule file");
    let rules = file["sites"].as_array().expect("sites").iter().filter_map(|site| site["rules"].as_array());
    let line = |rule: &Value| {
        let side = |a: &str, b: &str| rule[a].as_str().or(rule[b].as_str()).expect("a side").to_owned();
        let verdict = rule["validation"]["verdict"].as_str().unwrap_or("none");
        format!("{} -> {}: {verdict}", side("replace", "match"), side("with", "rewrite"))
    };
    let mut lines: Vec<String> = rules.flatten().map(line).collect();
    lines.sort();
    lines
}

fn gaps(server: &Server) -> Vec<Duration> {
    let times: Vec<Instant> = server.hits().iter().map(|hit| hit.at).collect();
    times.windows(2).map(|pair| pair[1] - pair[0]).collect()
}

#[test]
fn rules_of_a_log_are_tried_out_and_used() {
    let server = Server::start(slow_answer);
    let folder = learned(server.port());
    assert!(verdicts(&folder).iter().all(|line| line.ends_with(": likely")), "{:?}", verdicts(&folder));
    let run = validate(&folder, server.port(), QUICK);
    assert_eq!(run.code, Some(1), "{run}");
    let port = server.port().to_string();
    let shown: Vec<String> = verdicts(&folder).iter().map(|line| line.replace(&port, "PORT")).collect();
    assert_snapshot!(shown.join("\n"), @"
    &print=1$ -> $: valid
    &sid=a1$ -> $: valid
    &sid=b2$ -> $: valid
    /index.html$ -> /$: valid
    ^http://127.0.0.1:PORT/item?n= -> ^http://127.0.0.1:PORT/old/: invalid
    ^http://127.0.0.1:PORT/item?n= -> ^http://127.0.0.1:PORT/story?id=: invalid
    ^http://127.0.0.1:PORT/item?n= -> ^http://127.0.0.1:PORT/story_: invalid
    ^http://127.0.0.1:PORT/movies/ -> ^http://127.0.0.1:PORT/old/: invalid
    ^http://127.0.0.1:PORT/movies/ -> ^http://127.0.0.1:PORT/sports/: invalid
    ^http://127.0.0.1:PORT/old/ -> ^http://127.0.0.1:PORT/item?n=: invalid
    ^http://127.0.0.1:PORT/old/ -> ^http://127.0.0.1:PORT/movies/: invalid
    ^http://127.0.0.1:PORT/old/ -> ^http://127.0.0.1:PORT/sports/: invalid
    ^http://127.0.0.1:PORT/old/ -> ^http://127.0.0.1:PORT/story?id=: invalid
    ^http://127.0.0.1:PORT/old/ -> ^http://127.0.0.1:PORT/story_: invalid
    ^http://127.0.0.1:PORT/sports/ -> ^http://127.0.0.1:PORT/movies/: invalid
    ^http://127.0.0.1:PORT/sports/ -> ^http://127.0.0.1:PORT/old/: invalid
    ^http://127.0.0.1:PORT/story?id= -> ^http://127.0.0.1:PORT/item?n=: invalid
    ^http://127.0.0.1:PORT/story?id= -> ^http://127.0.0.1:PORT/old/: invalid
    ^http://127.0.0.1:PORT/story?id= -> ^http://127.0.0.1:PORT/story_: valid
    ^http://127.0.0.1:PORT/story_ -> ^http://127.0.0.1:PORT/item?n=: invalid
    ^http://127.0.0.1:PORT/story_ -> ^http://127.0.0.1:PORT/old/: invalid
    http://127.0.0.1:PORT/{...}?print={?}&{...} -> http://127.0.0.1:PORT/{...}?{...}: valid
    http://127.0.0.1:PORT/{...}?sid={?}&{...} -> http://127.0.0.1:PORT/{...}?{...}: valid
    ");

    let forbidden = server.paths().into_iter().find(|path| path.starts_with("/private/"));
    assert_eq!(forbidden, None, "robots.txt forbids it");
    assert!(gaps(&server).iter().all(|gap| *gap >= DELAY), "{:?}", gaps(&server));

    let urls = [
        "/story?id=5",
        "/topic/5/index.html",
        "/item?n=5&sid=zz",
        "/item?n=5&print=1",
        "/sports/5",
        "/movies/5",
    ];
    let urls: String = urls.map(|path| server.url(path) + "\n").concat();
    let keys = folder.undust_reading("apply -r rules.json", urls.as_bytes()).fine();
    assert_snapshot!(keys.replace(&port, "PORT"), @"
    http://127.0.0.1:PORT/story_5
    http://127.0.0.1:PORT/topic/5/
    http://127.0.0.1:PORT/item?n=5
    http://127.0.0.1:PORT/item?n=5
    http://127.0.0.1:PORT/sports/5
    http://127.0.0.1:PORT/movies/5
    ");

    let (asked, before) = (server.hits().len(), folder.read("rules.json"));
    let again = validate(&folder, server.port(), QUICK);
    assert_eq!((again.code, folder.read("rules.json")), (Some(1), before), "{again}");
    assert_eq!(server.hits().len(), asked, "what is decided is not fetched again");
}

#[test]
fn a_server_that_dies_refutes_nothing() {
    let mut server = Server::start(answer);
    let port = server.port();
    let folder = learned(port);
    let likely = folder.read("rules.json");
    validate(&folder, port, QUICK);
    let (undisturbed, all) = (verdicts(&folder), server.hits().len());
    server.stop();

    folder.write("rules.json", likely);
    let mut server = Server::start_at(port, answer);
    let stopped = thread::scope(|scope| {
        let run = scope.spawn(|| validate(&folder, port, QUICK));
        while server.hits().len() < 60 && !run.is_finished() {
            thread::sleep(Duration::from_millis(1));
        }
        server.stop();
        run.join().expect("no panic")
    });
    assert_eq!(stopped.code, Some(1), "{stopped}");
    assert!(String::from_utf8_lossy(&stopped.out).contains("127.0.0.1: stopped: "), "{stopped}");
    let half = verdicts(&folder);
    let refuted = half.iter().filter(|line| line.ends_with(": invalid"));
    assert!(refuted.clone().all(|line| undisturbed.contains(line)), "{half:?}");
    let open = half.iter().filter(|line| line.ends_with(": likely")).count();
    assert!(open > 0 && open < half.len(), "some are decided: {half:?}");
    let asked = server.hits().len();

    let server = Server::start_at(port, answer);
    let resumed = validate(&folder, port, QUICK);
    assert_eq!(verdicts(&folder), undisturbed, "{resumed}");
    let rest = server.hits().len();
    assert!(
        rest < all,
        "decided rules are not fetched again: {asked} requests, then {rest}, instead of {all}"
    );
}

#[test]
fn no_more_requests_than_the_budget() {
    let server = Server::start(answer);
    let folder = learned(server.port());
    let run = validate(&folder, server.port(), &format!("{QUICK} --budget 15 --json"));
    assert_eq!((run.code, server.hits().len()), (Some(1), 15), "{run}");
    let report: Value = serde_json::from_slice(&run.out).expect("JSON");
    assert_eq!(report["requests"], 15);
    assert_eq!(report["stopped"]["127.0.0.1"], "the budget of 15 requests is spent");
    assert!(verdicts(&folder).iter().all(|line| !line.ends_with(": invalid")));
}

#[test]
fn private_addresses_are_not_asked_unless_that_is_allowed() {
    let server = Server::start(answer);
    let folder = learned(server.port());
    let before = folder.read("rules.json");
    let run = validate(&folder, server.port(), "--contact keeper@example.com");
    assert_eq!(server.hits().len(), 0, "{run}");
    assert_snapshot!(run.to_string().replace(&server.port().to_string(), "PORT"), @"
    ! undust: http://127.0.0.1:PORT cannot be reached: 127.0.0.1 is not a public address (--allow-private fetches from servers of your own)
    = 2
    ");
    let host = format!("http://localhost:{}", server.port());
    folder.undust(&format!("learn access.log --method dustbuster --host {host} -o named.json")).fine();
    let command = "validate -r named.json --urls access.log --contact keeper@example.com --host";
    let named = folder.undust(&format!("{command} {host}"));
    assert!(named.err.contains("localhost is at ") && named.err.contains("--allow-private"), "{named}");
    assert_eq!((named.code, server.hits().len(), folder.read("rules.json")), (Some(2), 0, before));
}

#[test]
#[expect(clippy::disallowed_methods, reason = "it must be quick")]
fn a_dead_host_is_noticed_at_once() {
    let mut server = Server::start(answer);
    let folder = learned(server.port());
    server.stop();
    let start = Instant::now();
    let run = validate(&folder, server.port(), "--allow-private");
    let took = start.elapsed();
    assert_eq!(run.code, Some(2), "{run}");
    let host = format!("undust: http://127.0.0.1:{} cannot be reached: robots.txt: ", server.port());
    assert!(run.err.starts_with(&host) && run.err.lines().count() == 1, "{run}");
    assert!(took < Duration::from_secs(5), "{took:?}");
}

/// Pages of any text, each at a path and at the same with a session id.
fn sessions(path: &str, visit: usize) -> Reply {
    let (path, _) = path.split_once('?').unwrap_or((path, ""));
    if path == "/robots.txt" {
        Reply::new(404, "", "")
    } else {
        Reply::ok(page(&path.replace('/', "p"), 1, visit))
    }
}

/// Rules of every site, likely or believed.
fn rule_file(rules: &[&str]) -> String {
    let site = format!(r#"{{ "site": "*", "rules": [{}] }}"#, rules.join(", "));
    format!(r#"{{ "undust": 1, "sites": [{site}] }}"#)
}

const NO_SESSION: &str = r#"{ "id": "session", "replace": "?sid=1$", "with": "$" }"#;

#[test]
fn hosts_that_can_be_reached_are_enough() {
    let (server, mut gone) = (Server::start(sessions), Server::start(sessions));
    gone.stop();
    let urls =
        |server: &Server| (1..=8).map(|n| server.url(&format!("/{n}?sid=1")) + "\n").collect::<String>();
    let folder =
        Folder::with("rules.json", rule_file(&[NO_SESSION])).and("urls.txt", urls(&server) + &urls(&gone));
    let run = folder.undust(&format!("validate -r rules.json --urls urls.txt {QUICK}"));
    let shown = run.to_string();
    let shown = shown.replace(&server.port().to_string(), "PORT").replace(&gone.port().to_string(), "GONE");
    assert_snapshot!(shown, @"
    rule     verdict  same  other  why
    ───────────────────────────────────
    ?sid=1$  valid       8      0
    → $

    1 rule tried out: 1 valid, 0 invalid, 0 undecided; 18 requests
    ! http://127.0.0.1:GONE cannot be reached: robots.txt: io: Connection refused (os error 111); left out: 8 URLs
    ! 1 rule to try out on 1 host: at most 16 pages of the budget of 1,000 requests, less than a second
    ! rules written to rules.json
    = 0
    ");
}

/// URLs of 120 pages, with a session id each.
fn many_sessions(server: &Server) -> String {
    (0..120).map(|n| server.url(&format!("/{n}?sid=1")) + "\n").collect()
}

#[test]
fn a_rule_that_holds_takes_fewer_requests_than_a_fixed_sample() {
    let requests = |more: &str| {
        let server = Server::start(sessions);
        let folder =
            Folder::with("rules.json", rule_file(&[NO_SESSION])).and("urls.txt", many_sessions(&server));
        let run = folder.undust(&format!("validate -r rules.json --urls urls.txt {QUICK} {more}"));
        assert_eq!(run.code, Some(0), "{run}");
        let explained = folder.undust("explain -r rules.json http://a.example/x?sid=1").fine();
        let validated = explained.lines().find(|line| line.contains("validated")).map(str::trim);
        (server.hits().len(), validated.map(str::to_owned).unwrap_or_default())
    };
    assert_eq!(requests(""), (87, "validated by 43 fetched pairs: 43 same, 0 other".to_owned()));
    assert_eq!(requests("--test fixed"), (191, "validated by 95 fetched pairs: 95 same, 0 other".to_owned()));
}

#[test]
fn rules_of_a_family_share_their_trials() {
    let server = Server::start(sessions);
    let host = server.url("");
    let alike = format!(r#"{{ "id": "alike", "match": "{host}/{{n}}?sid=*", "rewrite": "{host}/{{n}}" }}"#);
    let folder =
        Folder::with("rules.json", rule_file(&[NO_SESSION, &alike])).and("urls.txt", many_sessions(&server));
    let run = folder.undust(&format!("validate -r rules.json --urls urls.txt {QUICK}"));
    assert_eq!((run.code, server.hits().len()), (Some(0), 87), "{run}");
    assert!(String::from_utf8_lossy(&run.out).contains("2 rules tried out: 2 valid"), "{run}");
}

#[test]
fn a_small_budget_decides_the_rules_that_save_most() {
    let rule = |name: &str, support: u64| {
        format!(
            r#"{{ "replace": "?{name}=1$", "with": "$", "learner": "test",
            "evidence": {{ "support": {support}, "saved": 0, "trials": 0, "false_positives": 0, "bound": 1.0 }},
            "validation": {{ "verdict": "likely", "positive": 0, "negative": 0 }} }}"#
        )
    };
    let rules = [rule("a", 3), rule("b", 500), rule("c", 70)];
    let server = Server::start(sessions);
    let urls =
        (0..9).flat_map(|n| ["a", "b", "c"].map(|name| server.url(&format!("/{name}{n}?{name}=1")) + "\n"));
    let folder = Folder::with("rules.json", rule_file(&rules.each_ref().map(String::as_str)))
        .and("urls.txt", urls.collect::<String>());
    let run = folder.undust(&format!("validate -r rules.json --urls urls.txt {QUICK} --budget 20"));
    assert_snapshot!(run, @"
    rule   verdict  same  other  why
    ───────────────────────────────────────────────────────
    ?b=1$  valid       9      0
    → $
    ───────────────────────────────────────────────────────
    ?a=1$  likely      0      0  not tried: stopped before
    → $
    ───────────────────────────────────────────────────────
    ?c=1$  likely      0      0  not tried: stopped before
    → $

    *: stopped: the budget of 20 requests is spent
    1 of 3 rules tried out: 1 valid, 0 invalid, 2 undecided; 20 requests
    ! 3 rules to try out on 1 host: at most 20 requests (--budget), less than a second
    ! 1 of 3 rules tried out: the budget is spent, another run goes on
    ! rules written to rules.json
    = 1
    ");
    let of_the_first = server.paths().iter().filter(|path| path.starts_with("/b")).count();
    assert_eq!(
        of_the_first,
        18,
        "the other two are robots.txt and one page to meet the host: {:?}",
        server.paths()
    );
    let again = folder.undust(&format!("validate -r rules.json --urls urls.txt {QUICK}"));
    assert!(verdicts(&folder).iter().all(|line| line.ends_with(": valid")), "{again}");
    let explained = folder.undust("explain -r rules.json http://a.example/x?b=1").fine();
    assert_snapshot!(explained, @"
    http://a.example/x?b=1
      rule a329c2e426ec (DUST, test)
          ?b=1$
       -> $
          validated by 9 fetched pairs: 9 same, 0 other
          suggested by 500 pairs of URLs; not judged on held-out ones
        = http://a.example/x
    ");
}

#[test]
fn urls_are_not_compared_with_themselves() {
    let broken =
        r#"{ "id": "slashes", "replace": "//", "with": "/", "validation": { "verdict": "likely" } }"#;
    let server = Server::start(sessions);
    let folder = Folder::with("rules.json", rule_file(&[broken])).and("urls.txt", many_sessions(&server));
    let run = folder.undust(&format!("validate -r rules.json --urls urls.txt {QUICK}"));
    assert_eq!(run.code, Some(1), "{run}");
    assert!(verdicts(&folder).iter().all(|line| !line.ends_with(": valid")), "{run}");
}

/// Likely rules of a shop: one that holds, one that does not, one that no URL speaks of.
const LIKELY: &str = r#"{
  "undust": 1,
  "sites": [
    {
      "site": "example.com",
      "rules": [
        { "id": "sid", "match": "http://{...}/{...}?sid=*&{...}", "rewrite": "http://{...}/{...}?{...}" },
        { "id": "id", "match": "http://{...}/item.php?id=*", "rewrite": "http://{...}/item.php?id=*" },
        { "id": "none", "replace": "/nowhere/", "with": "/", "validation": { "verdict": "likely" } }
      ]
    }
  ]
}
"#;

#[test]
fn labels_need_no_network() {
    let folder = Folder::with("rules.json", LIKELY).and("shop.tsv", shop());
    assert_snapshot!(folder.undust("validate -r rules.json --labelled shop.tsv -o tried.json"), @"
    rule                            verdict  same  other  why
    ─────────────────────────────────────────────────────────────────────────────────────────────
    http://{...}/{...}?sid=*&{...}  valid      95      0
    → http://{...}/{...}?{...}
    ─────────────────────────────────────────────────────────────────────────────────────────────
    http://{...}/item.php?id=*      invalid     0      5  another label:
    → http://{...}/item.php?id=*                          http://www.example.com/item.php?id=290
    ─────────────────────────────────────────────────────────────────────────────────────────────
    /nowhere/                       likely      0      0  no URL to try it on
    → /

    2 of 3 rules tried out: 1 valid, 1 invalid, 1 undecided
    ! rules written to tried.json
    = 1
    ");
    assert_eq!(folder.read("rules.json"), LIKELY, "the verdicts go elsewhere");
    let keys = folder.undust_reading("apply -r tried.json", b"http://www.example.com/item.php?id=7&sid=s1");
    assert_eq!(keys.fine(), "http://www.example.com/item.php?id=7\n");
    let explained = folder.undust("explain -r tried.json http://www.example.com/item.php?id=7&sid=s1").fine();
    assert!(explained.contains("validated by 95 labelled pairs: 95 same, 0 other"), "{explained}");
    assert_snapshot!(folder.undust("validate -r tried.json --labelled shop.tsv --json"), @r#"
    {
      "tried": 0,
      "valid": 0,
      "invalid": 0,
      "undecided": 1,
      "left_out": 0,
      "skips": 0,
      "stopped": {},
      "rules": [
        {
          "site": "example.com",
          "id": "none",
          "from": "/nowhere/",
          "to": "/",
          "verdict": "likely",
          "same": 0,
          "other": 0,
          "why": "no URL to try it on"
        }
      ]
    }
    = 1
    "#);
}

#[test]
fn skips_are_passed_over() {
    let mut labelled = "url\tcluster\nhttp://www.example.com/?p=1\tshort\n".to_owned();
    for n in 0..4 {
        for tail in ["", "&sid=1"] {
            writeln!(labelled, "http://www.example.com/?n={n}{tail}\t{n}").expect("a string holds it");
        }
    }
    let folder = Folder::with("rules.json", SKIPS).and("labelled.tsv", labelled);
    assert_snapshot!(folder.undust("validate -r rules.json --labelled labelled.tsv"), @"
    rule                                 verdict  same  other  why
    ───────────────────────────────────────────────────────────────
    http://www.example.com/?sid=*&{...}  valid       4      0
    → http://www.example.com/?{...}

    1 rule tried out: 1 valid, 0 invalid, 0 undecided; 1 rule passed over, since what is skipped has nothing to be compared with
    ! rules written to rules.json
    = 0
    ");
    let explained = folder.undust("explain -r rules.json http://www.example.com/?p=1").fine();
    assert!(explained.contains("skipped by rule short-link") && !explained.contains("tried"), "{explained}");
}

#[test]
fn rules_of_every_site_are_tried_on_all_urls() {
    let everywhere = LIKELY.replace("\"site\": \"example.com\"", "\"site\": \"*\"");
    let folder = Folder::with("rules.json", everywhere).and("shop.tsv", shop());
    let run = folder.undust("validate -r rules.json --labelled shop.tsv --json");
    let report: Value = serde_json::from_slice(&run.out).expect("JSON");
    assert_eq!((&report["valid"], &report["invalid"]), (&Value::from(1), &Value::from(1)), "{run}");
}

#[test]
fn everything_decided_is_exit_code_0() {
    let valid = LIKELY.replace("\"id\": \"", "\"validation\": { \"verdict\": \"valid\" }, \"id\": \"");
    let valid = valid.replace(", \"validation\": { \"verdict\": \"likely\" } }", "}");
    let folder = Folder::with("rules.json", valid).and("shop.tsv", shop());
    assert_snapshot!(folder.undust("validate -r rules.json --labelled shop.tsv"), @"
    0 rules tried out: 0 valid, 0 invalid, 0 undecided
    ! every rule is decided: there is nothing to try out
    ! rules written to rules.json
    = 0
    ");
}

#[test]
fn what_cannot_be_done_is_said() {
    let folder = Folder::with("rules.json", RULES).and("urls.txt", "http://www.example.com/a?sid=1\n");
    assert_snapshot!(folder.undust("validate -r rules.json --urls urls.txt"), @"
    ! undust: say where those whose servers are asked find you: --contact keeper@example.com (not needed with --allow-private, for servers of your own)
    = 2
    ");
    assert_snapshot!(folder.undust("validate -r rules.json"), @"
    ! error: the following required arguments were not provided:
    !   <--urls <LIST>...|--labelled <FILE>...>
    !
    ! Usage: undust validate --rules <FILE> <--urls <LIST>...|--labelled <FILE>...>
    !
    ! For more information, try '--help'.
    = 2
    ");
    assert_snapshot!(folder.undust("validate -r rules.json --urls urls.txt --labelled urls.txt"), @"
    ! error: the argument '--urls <LIST>...' cannot be used with '--labelled <FILE>...'
    !
    ! Usage: undust validate --rules <FILE> <--urls <LIST>...|--labelled <FILE>...>
    !
    ! For more information, try '--help'.
    = 2
    ");
    assert_snapshot!(folder.undust("validate -r rules.json --urls none.txt --contact a@example.com"), @"
    ! undust: none.txt: No such file or directory (os error 2)
    = 2
    ");
    assert_snapshot!(folder.undust("validate -r none.json --labelled urls.txt"), @"
    ! undust: none.json: No such file or directory (os error 2)
    = 2
    ");
    assert_snapshot!(folder.undust("validate -r rules.json --labelled urls.txt"), @"
    ! undust: no labelled page to try rules on: the input needs a column 'cluster' or 'digest'
    = 2
    ");
    assert_snapshot!(folder.undust("validate -r rules.json --labelled rules.json"), @"
    ! undust: rules.json is an input: the rules would replace it
    = 2
    ");
    assert_snapshot!(folder.undust("validate -r rules.json --labelled urls.txt -o -"), @"
    ! undust: the rules are saved whenever one is decided: name a file with -o
    = 2
    ");
    assert_snapshot!(folder.undust("validate -r rules.json --urls urls.txt --contact (me)"), @r#"
    ! undust: the contact "(me)" must be plain ASCII without parentheses, such as keeper@example.com
    = 2
    "#);
    assert_snapshot!(folder.undust("validate -r rules.json --labelled urls.txt --refute 0.7"), @"
    ! error: invalid value '0.7' for '--refute <SHARE>': 0.7 is not below 0.5
    !
    ! For more information, try '--help'.
    = 2
    ");
    assert_snapshot!(folder.undust("validate -r rules.json --labelled urls.txt --delay soon"), @"
    ! error: invalid value 'soon' for '--delay <SECONDS>': 'soon' is not a number
    !
    ! For more information, try '--help'.
    = 2
    ");
    assert_eq!(folder.read("rules.json"), RULES);
}
