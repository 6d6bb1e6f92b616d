//! The fetcher against a real server: politeness, permissions, limits, failures.

mod compare;
mod support;

use std::io::Write;
use std::thread;
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;
use support::{Reply, Server};
use undust_fetch::{FetchError, FetchErrorKind, Fetched, Fetcher, Options, RedirectProblem, Refusal};

/// In no hurry to be polite to ourselves.
fn quick() -> Options {
    Options {
        contact: Some("keeper@example.com".to_owned()),
        delay: Duration::ZERO,
        back_off: Duration::from_millis(20),
        read_timeout: Duration::from_millis(500),
        total_timeout: Duration::from_secs(2),
        allow_private: true,
        ..Options::default()
    }
}

fn fetcher(options: Options) -> Fetcher {
    Fetcher::new(options).expect("a good contact")
}

fn fetch(options: Options, url: &str) -> Result<Fetched, FetchError> {
    fetcher(options).fetch(url.as_bytes())
}

fn kind(options: Options, url: &str) -> FetchErrorKind {
    fetch(options, url).expect_err("an error").kind
}

/// A server whose robots.txt is answered so, and whose pages say "ok".
fn with_robots(status: u16, robots: &'static str) -> Server {
    Server::start(move |path, _| match path {
        "/robots.txt" => Reply::new(status, "", robots),
        _ => Reply::ok("ok"),
    })
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}

#[test]
fn a_page_and_who_asked_for_it() {
    let server = Server::pages(|_, _| Reply::new(404, "Content-Type: text/html; charset=latin1\r\n", "gone"));
    let url = server.url("/a?b=`|{c}");
    let page = fetch(quick(), &url.replace("http://", "http://user:secret@")).expect("an answer");
    assert_eq!((page.status, &*page.body, page.truncated, page.redirects), (404, &b"gone"[..], false, 0));
    assert_eq!(page.content_type.as_deref(), Some("text/html; charset=latin1"));
    assert_eq!(page.final_url, url);
    let head = server.hits()[1].head.to_ascii_lowercase();
    assert!(head.contains("user-agent: undust/") && head.contains("(+keeper@example.com)"), "{head}");
    assert!(head.contains("accept-encoding: gzip") && !head.contains("authorization"), "{head}");
}

#[test]
fn robots_are_asked_once_and_obeyed() {
    let server = with_robots(200, "User-agent: undust\nDisallow: /private\nDisallow: /*?sid=\n");
    let fetcher = fetcher(quick());
    assert_eq!(fetcher.fetch(server.url("/a").as_bytes()).expect("allowed").body, b"ok");
    for path in ["/private/a", "/a?sid=1"] {
        let error = fetcher.fetch(server.url(path).as_bytes()).expect_err("forbidden");
        assert_eq!(error.kind, FetchErrorKind::Refused(Refusal::Robots));
        assert!(error.to_string().contains(path) && error.to_string().contains("robots.txt"), "{error}");
    }
    assert_eq!(server.paths(), ["/robots.txt", "/a"]);
    assert_eq!(fetcher.requests(), 2);
}

#[test]
fn robots_that_are_not_there() {
    let forbidding = "User-agent: *\nDisallow: /";
    for status in [404, 403] {
        assert_eq!(fetch(quick(), &with_robots(status, forbidding).url("/")).expect("allowed").status, 200);
    }
    for status in [500, 503, 429] {
        let server = with_robots(status, "");
        let refused = FetchErrorKind::Refused(Refusal::RobotsUnavailable(status));
        assert_eq!(kind(quick(), &server.url("/")), refused);
        assert!(server.paths().iter().all(|path| path == "/robots.txt"));
    }
}

#[test]
fn robots_behind_redirects() {
    let server = Server::start(|path, _| match path {
        "/robots.txt" => Reply::redirect("/r2"),
        "/r2" => Reply::ok("User-agent: *\nDisallow: /a"),
        _ => Reply::ok("ok"),
    });
    assert_eq!(kind(quick(), &server.url("/a")), FetchErrorKind::Refused(Refusal::Robots));
    let endless = Server::start(|path, before| match path {
        "/b" => Reply::ok("ok"),
        _ => Reply::redirect(&format!("/{before}")),
    });
    assert_eq!(fetch(quick(), &endless.url("/b")).expect("as good as none").status, 200);
    assert_eq!(endless.hits().len(), 7);
}

#[test]
fn long_robots_are_cut_at_a_line() {
    let server = Server::start(|path, _| {
        let lines = format!("User-agent: *\n{}", "Allow: /xxxxxxx\n".repeat(40_000));
        if path == "/robots.txt" { Reply::ok(lines + "Disallow: /") } else { Reply::ok("ok") }
    });
    assert_eq!(fetch(quick(), &server.url("/a")).expect("allowed").status, 200);
}

/// The shortest time between two requests.
fn shortest_gap(server: &Server) -> Duration {
    let hits = server.hits();
    hits.windows(2).map(|pair| pair[1].at - pair[0].at).min().expect("two requests")
}

#[test]
fn one_at_a_time_with_pauses() {
    let server =
        Server::pages(|_, _| Reply::raw("HTTP/1.1 200 OK\r\n\r\n").after(Duration::from_millis(20), b"ok"));
    let delay = Duration::from_millis(50);
    let fetcher = fetcher(Options { delay, ..quick() });
    thread::scope(|scope| {
        for name in 0..4 {
            let (fetcher, url) = (&fetcher, server.url(&format!("/{name}")));
            scope.spawn(move || fetcher.fetch(url.as_bytes()).expect("an answer"));
        }
    });
    assert_eq!(server.hits().len(), 5);
    assert_eq!(server.most_open(), 1);
    assert!(shortest_gap(&server) >= delay, "{:?}", shortest_gap(&server));
}

#[test]
fn hosts_do_not_wait_for_each_other() {
    let server =
        Server::pages(|_, _| Reply::raw("HTTP/1.1 200 OK\r\n\r\n").after(Duration::from_millis(300), b"ok"));
    let fetcher = fetcher(quick());
    let urls = [server.url("/a"), format!("http://localhost:{}/b", server.port())];
    thread::scope(|scope| {
        for url in &urls {
            scope.spawn(|| fetcher.fetch(url.as_bytes()).expect("an answer"));
        }
    });
    assert_eq!(server.most_open(), 2);
}

#[test]
fn crawl_delays_are_kept_or_refused() {
    let server = with_robots(200, "User-agent: *\nCrawl-delay: 0.1");
    let fetcher = fetcher(quick());
    for _ in 0..2 {
        fetcher.fetch(server.url("/a").as_bytes()).expect("an answer");
    }
    assert!(shortest_gap(&server) >= Duration::from_millis(100), "{:?}", shortest_gap(&server));
    let slow = with_robots(200, "User-agent: *\nCrawl-delay: 61");
    let refused = Refusal::CrawlDelay { asked: Duration::from_secs(61), most: Duration::from_secs(60) };
    assert_eq!(kind(quick(), &slow.url("/")), FetchErrorKind::Refused(refused));
}

#[test]
fn redirects_are_followed_hop_by_hop() {
    let server = Server::start(|path, _| match path {
        "/robots.txt" => Reply::ok("User-agent: *\nDisallow: /forbidden"),
        "/a" => Reply::redirect("b/c?d#e"),
        "/b/c?d" => Reply::redirect("//localhost:1/"),
        "/to-forbidden" => Reply::redirect("/forbidden"),
        "/to-file" => Reply::redirect("file:///etc/passwd"),
        "/to-nonsense" => Reply::redirect("http://["),
        "/ok" => Reply::ok("ok"),
        "/nowhere" => Reply::new(302, "", "no location"),
        // What else a redirect says is not waited for.
        _ => Reply::raw("HTTP/1.1 301 X\r\nLocation: /ok\r\nContent-Length: 9\r\n\r\n12"),
    });
    let page = fetch(quick(), &server.url("/one")).expect("an answer");
    assert_eq!((page.status, page.redirects, page.final_url), (200, 1, server.url("/ok")));
    let error = fetch(Options { retries: 0, ..quick() }, &server.url("/a")).expect_err("nobody is there");
    assert_eq!(error.hop.as_deref(), Some("http://localhost:1/"));
    assert!(matches!(error.kind, FetchErrorKind::Transport(_)), "{error}");
    assert_eq!(kind(quick(), &server.url("/to-forbidden")), FetchErrorKind::Refused(Refusal::Robots));
    assert_eq!(
        kind(quick(), &server.url("/to-file")),
        FetchErrorKind::Refused(Refusal::Scheme("file".into()))
    );
    let nonsense = FetchErrorKind::Redirects(RedirectProblem::Target("http://[".into()));
    assert_eq!(kind(quick(), &server.url("/to-nonsense")), nonsense);
    assert_eq!(fetch(quick(), &server.url("/nowhere")).expect("an answer").status, 302);
}

#[test]
fn redirects_end() {
    let server = Server::pages(|path, before| match path {
        "/a" => Reply::redirect("/b"),
        "/b" => Reply::redirect("/a"),
        _ => Reply::redirect(&format!("/{before}")),
    });
    assert_eq!(kind(quick(), &server.url("/a")), FetchErrorKind::Redirects(RedirectProblem::Loop));
    let before = server.hits().len();
    assert_eq!(kind(quick(), &server.url("/c")), FetchErrorKind::Redirects(RedirectProblem::TooMany(5)));
    assert_eq!(server.hits().len() - before, 7, "robots.txt, the page and five redirects");
}

#[test]
fn private_addresses_are_refused_at_every_step() {
    let server = Server::pages(|path, _| match path {
        "/a" => Reply::redirect("http://127.0.0.2/"),
        "/b" => Reply::redirect("http://2130706434/"),
        "/c" => Reply::redirect("http://[::ffff:10.0.0.1]/"),
        _ => Reply::ok("ok"),
    });
    let one =
        Options { allow_private: false, allow_addresses: vec!["127.0.0.1".parse().expect("one")], ..quick() };
    assert_eq!(fetch(one.clone(), &server.url("/d")).expect("this one is allowed").status, 200);
    for path in ["/a", "/b", "/c"] {
        let error = fetch(one.clone(), &server.url(path)).expect_err("not public");
        assert!(matches!(error.kind, FetchErrorKind::Refused(Refusal::Address { .. })), "{error}");
    }
    let none = Options { allow_private: false, ..quick() };
    let before = server.hits().len();
    for host in ["127.0.0.1", "localhost"] {
        let error =
            fetch(none.clone(), &format!("http://{host}:{}/d", server.port())).expect_err("not public");
        assert!(matches!(error.kind, FetchErrorKind::Refused(Refusal::Address { .. })), "{error}");
    }
    assert_eq!(server.hits().len(), before);
}

#[test]
fn compressed_bodies_count_as_what_they_are() {
    let server = Server::pages(|path, _| {
        let body = if path == "/bomb" { gzip(&vec![b'a'; 50 << 20]) } else { gzip(b"small") };
        Reply::new(200, "Content-Encoding: gzip\r\n", body)
    });
    assert_eq!(fetch(quick(), &server.url("/small")).expect("an answer").body, b"small");
    let patient = Options {
        max_body: 1 << 20,
        total_timeout: Duration::from_secs(30),
        read_timeout: Duration::from_secs(30),
        ..quick()
    };
    let bomb = fetch(patient, &server.url("/bomb")).expect("an answer");
    assert_eq!((bomb.body.len(), bomb.truncated), (1 << 20, true));
}

#[test]
fn long_bodies_are_cut() {
    let server = Server::pages(|path, _| Reply::ok(if path == "/long" { "123456" } else { "12345" }));
    let options = Options { max_body: 5, ..quick() };
    for (path, truncated) in [("/long", true), ("/fits", false)] {
        let page = fetch(options.clone(), &server.url(path)).expect("an answer");
        assert_eq!((&*page.body, page.truncated), (&b"12345"[..], truncated), "{path}");
    }
}

#[test]
fn broken_and_slow_answers_are_transport_errors() {
    let server = Server::pages(|path, _| match path {
        "/silent" => Reply::raw("").after(Duration::from_secs(1), b"HTTP/1.1 200 OK\r\n\r\n"),
        "/stalls" => Reply::raw("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n12")
            .after(Duration::from_secs(1), b"3456789"),
        "/trickles" => {
            let start = Reply::raw("HTTP/1.1 200 OK\r\nContent-Length: 90\r\n\r\n");
            (0..30).fold(start, |reply, _| reply.after(Duration::from_millis(50), b"abc"))
        }
        "/breaks-off" => Reply::raw("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n12"),
        "/damaged" => Reply::new(200, "Content-Encoding: gzip\r\n", "\x1f\u{8b} is not gzip"),
        "/nonsense" => Reply::raw("220 mail server ready\r\n"),
        _ => Reply::raw(""),
    });
    let options = Options {
        retries: 0,
        read_timeout: Duration::from_millis(200),
        total_timeout: Duration::from_millis(600),
        ..quick()
    };
    for path in ["/silent", "/stalls", "/trickles", "/breaks-off", "/damaged", "/nonsense", "/nothing"] {
        let error = fetch(options.clone(), &server.url(path)).expect_err(path);
        assert!(matches!(error.kind, FetchErrorKind::Transport(_)), "{error}");
        assert!(error.to_string().contains(path), "{error}");
    }
    let no_tls = kind(options, &server.url("/").replace("http://", "https://"));
    assert!(matches!(no_tls, FetchErrorKind::Transport(_)), "{no_tls}");
}

#[test]
fn busy_hosts_are_asked_again_later() {
    let server = Server::pages(|path, before| match (path, before) {
        ("/busy", 0) => Reply::new(503, "Retry-After: 1\r\n", "busy"),
        ("/always", _) => Reply::new(429, "", "busy"),
        ("/tomorrow", _) => Reply::new(503, "Retry-After: 86400\r\n", "busy"),
        _ => Reply::ok("ok"),
    });
    assert_eq!(fetch(quick(), &server.url("/busy")).expect("an answer").status, 200);
    let hits = server.hits();
    assert!(hits[2].at - hits[1].at >= Duration::from_secs(1));
    assert_eq!(fetch(quick(), &server.url("/always")).expect("an answer").status, 429);
    assert_eq!(server.paths().iter().filter(|path| *path == "/always").count(), 3);
    assert_eq!(fetch(quick(), &server.url("/tomorrow")).expect("an answer").status, 503);
    assert_eq!(server.paths().iter().filter(|path| *path == "/tomorrow").count(), 1);
}

#[test]
fn a_connection_that_breaks_is_tried_again() {
    let server = Server::pages(|_, before| if before == 0 { Reply::raw("") } else { Reply::ok("ok") });
    let fetcher = fetcher(quick());
    assert_eq!(fetcher.fetch(server.url("/a").as_bytes()).expect("an answer").status, 200);
    assert_eq!((fetcher.requests(), fetcher.failures_in_a_row("127.0.0.1")), (3, 0));
}

#[test]
fn the_budget_counts_everything() {
    let server = Server::pages(|path, _| if path == "/a" { Reply::redirect("/b") } else { Reply::ok("ok") });
    let fetcher = fetcher(Options { budget: 4, ..quick() });
    let results: Vec<_> = (0..3).map(|_| fetcher.fetch(server.url("/a").as_bytes())).collect();
    assert_eq!(results[0].as_ref().expect("robots.txt and two hops").redirects, 1);
    for result in &results[1..] {
        assert_eq!(result.as_ref().expect_err("no budget").kind, FetchErrorKind::Budget(4));
    }
    assert_eq!((server.hits().len(), fetcher.requests()), (4, 4));
}

#[test]
fn a_host_that_goes_away_is_noticed() {
    let mut server = Server::pages(|path, _| if path == "/bad" { Reply::raw("") } else { Reply::ok("ok") });
    let fetcher = fetcher(quick());
    let fetch = |path: &str| fetcher.fetch(server.url(path).as_bytes()).map_err(|error| error.kind);
    assert!(matches!(fetch("/bad"), Err(FetchErrorKind::Transport(_))));
    assert_eq!(fetcher.failures_in_a_row("127.0.0.1"), 1);
    assert!(fetch("/good").is_ok());
    assert_eq!(fetcher.failures_in_a_row("127.0.0.1"), 0);
    let urls = [server.url("/a"), server.url("/b")];
    server.stop();
    for url in urls {
        assert!(matches!(
            fetcher.fetch(url.as_bytes()).map_err(|e| e.kind),
            Err(FetchErrorKind::Transport(_))
        ));
    }
    assert_eq!(fetcher.failures_in_a_row("127.0.0.1"), 2);
    assert_eq!(fetcher.failures_in_a_row("elsewhere.example"), 0);
}

#[test]
fn a_host_that_was_never_there() {
    let mut server = Server::pages(|_, _| Reply::ok("ok"));
    server.stop();
    let fetcher = fetcher(Options { retries: 1, ..quick() });
    let error = fetcher.fetch(server.url("/a").as_bytes()).expect_err("nobody is there");
    assert!(error.to_string().contains("robots.txt"), "{error}");
    assert_eq!((fetcher.requests(), fetcher.failures_in_a_row("127.0.0.1")), (2, 1));
    let unknown = fetcher.fetch(b"http://no-such-host.invalid/").expect_err("no such name");
    assert!(matches!(unknown.kind, FetchErrorKind::Transport(_)), "{unknown}");
}
