//! Comparing pages of a real server: what is the URL's fault, and what is the server's.

use std::time::Duration;

use undust_content::SketchOptions;
use undust_fetch::{Comparer, Comparison, FetchErrorKind, Options, Refusal, Stop};

use crate::support::{Reply, Server};
use crate::{fetcher, quick};

fn comparer(options: Options) -> Comparer {
    Comparer::new(fetcher(options), SketchOptions::default())
}

/// Does not wait for what fails.
fn hasty() -> Options {
    Options { retries: 0, back_off: Duration::ZERO, read_timeout: Duration::from_millis(200), ..quick() }
}

fn compare(comparer: &Comparer, server: &Server, url: &str, with: &str) -> Comparison {
    comparer.compare(server.url(url).as_bytes(), server.url(with).as_bytes())
}

fn page(name: &str) -> Reply {
    let words: Vec<String> = (0..60).map(|i| format!("{name}{i}")).collect();
    Reply::ok(format!("<title>{name}</title><p>{}", words.join(" ")))
}

fn site(path: &str) -> Reply {
    match path {
        "/gone" => Reply::new(404, "", "no such page"),
        "/broken" => Reply::new(500, "", "oops"),
        "/picture" => Reply::new(200, "Content-Type: image/png\r\n", "\u{1}\0"),
        "/moved" => Reply::redirect("/a"),
        "/circle" => Reply::redirect("/circle"),
        "/slow" => Reply::raw("").after(Duration::from_secs(1), b"too late"),
        "/away" => Reply::redirect("http://127.0.0.2:1/"),
        _ => page(path.split(['/', '?']).nth(1).unwrap_or_default()),
    }
}

#[test]
fn pages_are_the_same_other_or_none() {
    let server = Server::pages(|path, _| site(path));
    let comparer = comparer(hasty());
    let compare = |url, with| compare(&comparer, &server, url, with);
    assert_eq!(compare("/a", "/a?sid=1"), Comparison::Same);
    assert_eq!(compare("/a", "/moved"), Comparison::Same);
    assert_eq!(compare("/a", "/b"), Comparison::Other);
    assert_eq!(compare("/a", "/picture"), Comparison::Other);
    assert_eq!(compare("/a", "/gone"), Comparison::Missing("404".into()));
    assert_eq!(compare("/a", "/broken"), Comparison::Missing("500".into()));
    assert_eq!(compare("/a", "/circle"), Comparison::Missing("redirects in a circle".into()));
    for nothing in ["/gone", "/broken", "/picture", "/circle"] {
        assert!(matches!(compare(nothing, "/a"), Comparison::Unknown(_)), "{nothing}");
    }
    let a = server.paths().iter().filter(|path| *path == "/a").count();
    assert_eq!(a, 3, "once itself, once by a redirect, once to see whether the server is fine");
    assert_eq!(server.paths().iter().filter(|path| *path == "/b").count(), 1);
}

#[test]
fn a_slow_page_is_not_a_server_that_is_gone() {
    let server = Server::pages(|path, _| site(path));
    let comparer = comparer(hasty());
    assert!(matches!(compare(&comparer, &server, "/slow", "/a"), Comparison::Unknown(_)), "who knows");
    assert!(matches!(compare(&comparer, &server, "/a", "/slow"), Comparison::Missing(_)));
    assert!(matches!(compare(&comparer, &server, "/slow", "/b"), Comparison::Unknown(_)));
    assert_eq!(compare(&comparer, &server, "/b", "/b?x"), Comparison::Same);
}

#[test]
fn a_server_that_is_gone_says_nothing_of_urls() {
    let mut server = Server::pages(|path, _| site(path));
    let comparer = comparer(hasty());
    assert_eq!(compare(&comparer, &server, "/a", "/a?x"), Comparison::Same);
    server.stop();
    assert!(matches!(compare(&comparer, &server, "/a", "/b"), Comparison::Stopped(Stop::Host(_))));
    let asked = comparer.requests();
    assert!(matches!(compare(&comparer, &server, "/c", "/b"), Comparison::Stopped(Stop::Host(_))));
    assert_eq!(comparer.requests(), asked, "it is not asked again");
    assert_eq!(compare(&comparer, &server, "/a", "/a?x"), Comparison::Same, "what is known stays known");
}

#[test]
fn a_server_that_never_answered() {
    let mut server = Server::pages(|path, _| site(path));
    server.stop();
    let comparer = comparer(hasty());
    assert!(matches!(compare(&comparer, &server, "/a", "/b"), Comparison::Unknown(_)));
    assert!(matches!(compare(&comparer, &server, "/c", "/d"), Comparison::Stopped(Stop::Host(_))));
}

#[test]
fn another_host_that_is_gone_stops_nothing() {
    let server = Server::pages(|path, _| site(path));
    let mut other = Server::pages(|path, _| site(path));
    other.stop();
    let comparer = comparer(hasty());
    let elsewhere = other.url("/a").replace("127.0.0.1", "127.0.0.2");
    for path in ["/a", "/b", "/c"] {
        let comparison = comparer.compare(server.url(path).as_bytes(), elsewhere.as_bytes());
        assert!(matches!(comparison, Comparison::Unknown(_)), "{comparison:?}");
    }
    let comparison = compare(&comparer, &server, "/a", "/away");
    assert!(matches!(comparison, Comparison::Unknown(_)), "{comparison:?}");
}

#[test]
fn a_server_that_begins_to_fail() {
    let server = Server::pages(|path, before| if before < 1 { site(path) } else { Reply::new(503, "", "") });
    let comparison = compare(&comparer(hasty()), &server, "/a", "/b");
    assert!(matches!(comparison, Comparison::Stopped(Stop::Host(_))), "{comparison:?}");
}

#[test]
fn a_server_that_has_enough_of_us() {
    let server = Server::pages(|_, _| Reply::new(429, "", ""));
    let comparison = compare(&comparer(hasty()), &server, "/a", "/b");
    assert!(matches!(comparison, Comparison::Stopped(Stop::Host(_))), "{comparison:?}");
}

#[test]
fn no_more_requests_than_the_budget() {
    let server = Server::pages(|path, _| site(path));
    let comparer = comparer(Options { budget: 4, ..hasty() });
    assert_eq!(compare(&comparer, &server, "/a", "/a?x"), Comparison::Same);
    assert_eq!(compare(&comparer, &server, "/b", "/c"), Comparison::Stopped(Stop::Budget(4)));
    assert_eq!(server.hits().len(), 4);
}

#[test]
fn one_request_is_no_evidence() {
    let server = Server::pages(|path, _| site(path));
    let comparer = comparer(hasty());
    let a = server.url("/a");
    let spellings = ["/a#x", "/b/../a", "/./a"].map(|path| server.url(path));
    for with in spellings.into_iter().chain([a.replace("http://", "HTTP://me@")]) {
        let comparison = comparer.compare(a.as_bytes(), with.as_bytes());
        let Comparison::Unknown(why) = comparison else { panic!("{with}: {comparison:?}") };
        assert!(why.contains("the same request"), "{why}");
    }
    assert_eq!(server.hits().len(), 0, "nothing had to be asked");
    assert_eq!(
        compare(&comparer, &server, "/moved", "/a"),
        Comparison::Same,
        "two requests, though one page"
    );
}

#[test]
fn what_is_no_url_is_not_repaired() {
    let server = Server::pages(|path, _| site(path));
    let comparer = comparer(hasty());
    let broken = server.url("/a").replace("http://", "http:/");
    let comparison = comparer.compare(server.url("/a").as_bytes(), broken.as_bytes());
    assert_eq!(comparison, Comparison::Missing("not a URL".into()));
    assert!(matches!(comparer.compare(broken.as_bytes(), broken.as_bytes()), Comparison::Unknown(_)));
    assert_eq!(server.paths(), ["/robots.txt", "/a"]);
}

/// Meets the host of these paths.
fn reach(comparer: &Comparer, server: &Server, paths: &[&str]) -> Result<Duration, FetchErrorKind> {
    let urls: Vec<String> = paths.iter().map(|path| server.url(path)).collect();
    comparer.reach(urls.iter().map(String::as_bytes)).map_err(|error| error.kind)
}

#[test]
fn a_host_is_met_before_anything_is_compared() {
    const ROBOTS: &str = "User-agent: *\nDisallow: /private\nCrawl-delay: 0.02";
    let server = Server::start(|path, _| if path == "/robots.txt" { Reply::ok(ROBOTS) } else { site(path) });
    let met = comparer(hasty());
    assert_eq!(reach(&met, &server, &["/private", "/a", "/b"]), Ok(Duration::from_millis(20)));
    assert_eq!(server.paths(), ["/robots.txt", "/a"]);
    assert_eq!(compare(&met, &server, "/a", "/a?x"), Comparison::Same);
    assert_eq!(server.paths(), ["/robots.txt", "/a", "/a?x"], "what was fetched is not fetched again");
    for fails in ["/gone", "/broken", "/circle", "/slow", "/away"] {
        assert!(reach(&comparer(hasty()), &server, &[fails]).is_ok(), "{fails}: the host is there");
    }
    let forbidden = reach(&met, &server, &["/private", "/private/2"]);
    assert_eq!(forbidden, Err(FetchErrorKind::Refused(Refusal::Robots)));
}

#[test]
fn hosts_that_cannot_be_reached_are_asked_once() {
    let mut server = Server::pages(|path, _| site(path));
    let careful = comparer(Options { allow_private: false, ..hasty() });
    for _ in 0..2 {
        let refused = reach(&careful, &server, &["/a", "/b"]);
        assert!(matches!(refused, Err(FetchErrorKind::Refused(Refusal::Address { .. }))), "{refused:?}");
    }
    let named = server.url("/a").replace("127.0.0.1", "localhost");
    let refused = careful.reach([named.as_bytes()]).map_err(|error| error.kind);
    assert!(matches!(refused, Err(FetchErrorKind::Refused(Refusal::Address { .. }))), "{refused:?}");
    let asked = careful.requests();
    let comparison = careful.compare(named.as_bytes(), b"http://localhost/");
    assert!(matches!(comparison, Comparison::Stopped(Stop::Host(_))), "{comparison:?}");
    assert_eq!((careful.requests(), server.hits().len()), (asked, 0));

    server.stop();
    let patient = comparer(Options { retries: 5, back_off: Duration::from_secs(20), ..hasty() });
    let silent = reach(&patient, &server, &["/a", "/b"]);
    assert!(matches!(silent, Err(FetchErrorKind::Transport(_))), "{silent:?}");
    assert_eq!(patient.requests(), 1, "no second attempt");
    let other_port = Server::pages(|path, _| site(path));
    assert!(reach(&patient, &other_port, &["/a"]).is_ok());
    assert!(reach(&patient, &server, &["/a"]).is_err(), "one port says nothing of another");
}

#[test]
fn a_private_name_met_on_the_way_is_asked_once() {
    let server = Server::pages(|path, _| site(path));
    let careful = comparer(Options { allow_private: false, ..hasty() });
    for path in ["/a", "/b", "/c"] {
        let url = server.url(path).replace("127.0.0.1", "localhost");
        let comparison = careful.compare(url.as_bytes(), format!("{url}?x").as_bytes());
        assert!(matches!(comparison, Comparison::Stopped(Stop::Host(_))), "{comparison:?}");
    }
    assert_eq!((careful.requests(), server.hits().len()), (1, 0));
}
