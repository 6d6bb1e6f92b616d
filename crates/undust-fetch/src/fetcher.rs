//! From a URL to its content: hops, permissions, attempts.

use std::cell::Cell;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use url::{Host, SyntaxViolation, Url};

use crate::address::Addresses;
use crate::error::{FetchError, FetchErrorKind, OptionsError, RedirectProblem, Refusal};
use crate::hosts::{Hosts, lock};
use crate::http::{Answer, Client};
use crate::options::Options;
use crate::retry;
use crate::robots::Robots;

/// Limits for a `robots.txt`: RFC 9309 asks for at least five redirects and 500 KiB.
const MAX_ROBOTS_REDIRECTS: u32 = 5;
const MAX_ROBOTS_BYTES: usize = 500 << 10;

/// An answer, whatever its status.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Fetched {
    /// The URL behind all redirects, as a browser would show it.
    pub final_url: String,
    /// Status of the last answer.
    pub status: u16,
    /// The header `Content-Type`, as it was sent.
    pub content_type: Option<String>,
    /// The body, decompressed and cut at [`Options::max_body`].
    pub body: Vec<u8>,
    /// Whether the body was cut.
    pub truncated: bool,
    /// Number of redirects followed.
    pub redirects: u32,
}

/// Failures in a row from which on a host counts as down: one failure may be the URL's.
const MIN_FAILURES_IF_DOWN: u32 = 2;

/// A polite and careful fetcher. Threads may share one: requests to one host wait for each other, to different hosts
/// they do not.
#[derive(Debug)]
pub struct Fetcher {
    options: Options,
    addresses: Addresses,
    client: Client,
    hosts: Hosts,
    robots: Mutex<HashMap<String, Arc<Mutex<Option<Policy>>>>>,
    requests: AtomicU64,
}

/// What a host says about robots.
#[derive(Clone, Debug)]
enum Policy {
    Rules(Arc<Robots>),
    /// The status that stands for "not now".
    Unavailable(u16),
}

/// Limits of one fetch.
#[derive(Clone, Copy)]
struct FetchScope {
    redirects: u32,
    bytes: usize,
    obey_robots: bool,
    /// Whether to retry where no answer came.
    retry: bool,
}

impl Fetcher {
    /// A fetcher with these options. Fails where the contact cannot be sent in a header.
    pub fn new(options: Options) -> Result<Fetcher, OptionsError> {
        let addresses = Addresses::new(&options);
        Ok(Fetcher {
            client: Client::new(&options, addresses.clone())?,
            addresses,
            hosts: Hosts::default(),
            robots: Mutex::default(),
            requests: AtomicU64::new(0),
            options,
        })
    }

    /// Fetch a URL: wait for its turn, follow redirects, retry transport errors. Bytes that are no UTF-8 are sent
    /// percent-encoded; user and password are left out.
    pub fn fetch(&self, url: &[u8]) -> Result<Fetched, FetchError> {
        self.fetch_with(url, true)
    }

    /// Fetch a URL without retries, to tell at once whether a server answers.
    pub fn probe(&self, url: &[u8]) -> Result<Fetched, FetchError> {
        self.fetch_with(url, false)
    }

    fn fetch_with(&self, url: &[u8], retry: bool) -> Result<Fetched, FetchError> {
        let shown = || String::from_utf8_lossy(url).into_owned();
        let start = parse(url).map_err(|kind| FetchError { url: shown(), hop: None, kind })?;
        let (redirects, bytes) = (self.options.max_redirects, self.options.max_body);
        let scope = FetchScope { redirects, bytes, obey_robots: true, retry };
        self.follow(start, scope).map_err(|(hop, kind)| FetchError { url: shown(), hop, kind })
    }

    /// How many fetches in a row, repetitions included, found no server behind a host's name (as in the URL, without port):
    /// 0 after any answer. One bad URL makes 1; many in a row say that the host is down.
    pub fn failures_in_a_row(&self, host: &str) -> u32 {
        self.hosts.get(host).failures()
    }

    /// Whether a host that never answered seems to be down: too many failures in a row for an accident.
    pub fn seems_down(&self, host: &str) -> bool {
        self.failures_in_a_row(host) >= MIN_FAILURES_IF_DOWN
    }

    /// Whether the `robots.txt` of an origin (`scheme://host`, with its port if that is not the usual one) was answered.
    pub(crate) fn has_answered(&self, origin: &str) -> bool {
        let slot = lock(&self.robots).get(origin).cloned();
        slot.is_some_and(|slot| lock(&slot).is_some())
    }

    /// The pause between two requests to a host: [`Options::delay`], or what its `robots.txt` asks for, once that is read.
    pub fn pause(&self, host: &str) -> Duration {
        self.hosts.get(host).pause(self.options.delay)
    }

    /// Number of requests made, out of the budget.
    pub fn requests(&self) -> u64 {
        self.requests.load(Ordering::Relaxed)
    }

    /// Goes from hop to hop. An error comes with the hop where it happened, if that is not the first.
    fn follow(&self, start: Url, scope: FetchScope) -> Result<Fetched, (Option<String>, FetchErrorKind)> {
        let mut before: Vec<Url> = Vec::new();
        let mut at = start;
        loop {
            let hop = || if before.is_empty() { None } else { Some(at.to_string()) };
            let answer = self.visit(&at, scope).map_err(|kind| (hop(), kind))?;
            let Some(location) = answer.redirect() else { return Ok(fetched(&at, before.len(), answer)) };
            let target = next_hop(&before, &at, location, scope.redirects);
            let target = target.map_err(|problem| (hop(), FetchErrorKind::Redirects(problem)))?;
            before.push(std::mem::replace(&mut at, target));
        }
    }

    fn visit(&self, url: &Url, scope: FetchScope) -> Result<Answer, FetchErrorKind> {
        self.check(url).map_err(FetchErrorKind::Refused)?;
        if scope.obey_robots {
            self.ask_robots(url, scope.retry)?;
        }
        self.persist(url, scope)
    }

    /// Scheme, and address where the URL names one. Names are checked when they are resolved, by `address::Guard`.
    fn check(&self, url: &Url) -> Result<(), Refusal> {
        if !matches!(url.scheme(), "http" | "https") {
            return Err(Refusal::Scheme(url.scheme().to_owned()));
        }
        if url.scheme() == "https" && !cfg!(feature = "tls") {
            return Err(Refusal::NoTls);
        }
        let address = match url.host() {
            Some(Host::Ipv4(address)) => IpAddr::V4(address),
            Some(Host::Ipv6(address)) => IpAddr::V6(address),
            _ => return Ok(()),
        };
        if self.addresses.permits(address) {
            return Ok(());
        }
        Err(Refusal::Address { host: host_of(url).to_owned(), address })
    }

    fn ask_robots(&self, url: &Url, retry: bool) -> Result<(), FetchErrorKind> {
        let robots = match self.policy(url, retry)? {
            Policy::Rules(robots) => robots,
            Policy::Unavailable(status) => {
                return Err(FetchErrorKind::Refused(Refusal::RobotsUnavailable(status)));
            }
        };
        if url.path() != "/robots.txt"
            && !robots.allows(&url[url::Position::BeforePath..url::Position::AfterQuery])
        {
            return Err(FetchErrorKind::Refused(Refusal::Robots));
        }
        let (asked, most) = (robots.crawl_delay.unwrap_or_default(), self.options.max_crawl_delay);
        if asked > most {
            return Err(FetchErrorKind::Refused(Refusal::CrawlDelay { asked, most }));
        }
        self.hosts.get(host_of(url)).slow_down(asked);
        Ok(())
    }

    /// The `robots.txt` of a URL's scheme, host and port, read once. Without any answer nothing is remembered: the host
    /// may be back for the next URL.
    fn policy(&self, url: &Url, retry: bool) -> Result<Policy, FetchErrorKind> {
        let slot = Arc::clone(lock(&self.robots).entry(url.origin().ascii_serialization()).or_default());
        // Held while it is read, so that other threads wait for it instead of asking, too.
        let mut slot = lock(&slot);
        if let Some(policy) = &*slot {
            return Ok(policy.clone());
        }
        let policy = self.fetch_policy(url, retry)?;
        *slot = Some(policy.clone());
        Ok(policy)
    }

    fn fetch_policy(&self, url: &Url, retry: bool) -> Result<Policy, FetchErrorKind> {
        let mut robots = url.clone();
        robots.set_path("/robots.txt");
        robots.set_query(None);
        let scope = FetchScope {
            redirects: MAX_ROBOTS_REDIRECTS,
            bytes: MAX_ROBOTS_BYTES,
            obey_robots: false,
            retry,
        };
        match self.follow(robots, scope) {
            Ok(page) => Ok(policy_of(&page)),
            // To the standard, as good as none.
            Err((_, FetchErrorKind::Redirects(_))) => Ok(Policy::Rules(Arc::default())),
            Err((_, FetchErrorKind::Transport(why))) => {
                Err(FetchErrorKind::Transport(format!("robots.txt: {why}")))
            }
            Err((_, kind)) => Err(kind),
        }
    }

    /// Asks until there is an answer to keep, or no sense in asking again.
    fn persist(&self, url: &Url, scope: FetchScope) -> Result<Answer, FetchErrorKind> {
        let host = self.hosts.get(host_of(url));
        let mut repeated = 0;
        loop {
            self.spend()?;
            let (result, again) = host.in_turn(self.options.delay, || {
                let result = self.client.get(url, scope.bytes);
                let next = retry::next(&result, repeated, &self.options);
                if result.is_ok() || scope.retry {
                    ((result, next.again), next.pause)
                } else {
                    ((result, false), Duration::ZERO)
                }
            });
            if !again {
                match &result {
                    Ok(_) => host.answered(),
                    Err(FetchErrorKind::Transport(_)) => host.failed(),
                    Err(_) => {}
                }
                return result;
            }
            repeated += 1;
        }
    }

    /// Takes a request from the budget.
    fn spend(&self) -> Result<(), FetchErrorKind> {
        let budget = self.options.budget;
        let one_more = |made: u64| if made < budget { Some(made + 1) } else { None };
        let taken = self.requests.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_more);
        taken.map(|_| ()).map_err(|_| FetchErrorKind::Budget(budget))
    }
}

/// Reads a URL, and drops what is not sent: user, password, fragment. URLs that come out equal are one request.
pub(crate) fn parse(url: &[u8]) -> Result<Url, FetchErrorKind> {
    let text = match std::str::from_utf8(url) {
        Ok(text) => text.to_owned(),
        Err(_) => url
            .iter()
            .map(|byte| if byte.is_ascii() { char::from(*byte).to_string() } else { format!("%{byte:02X}") })
            .collect(),
    };
    let repaired = Cell::new(None);
    let note = |violation| repaired.set(repaired.get().or(misread(violation)));
    let url = Url::options().syntax_violation_callback(Some(&note)).parse(&text);
    match (url, repaired.get()) {
        (Err(error), _) => Err(FetchErrorKind::Invalid(error.to_string())),
        (Ok(_), Some(why)) => Err(FetchErrorKind::Invalid(why.to_owned())),
        (Ok(url), None) => Ok(bare(url)),
    }
}

/// What the parser repairs so that another URL is read than the one written: `http:/host/` is no URL, whatever browsers make of it.
fn misread(violation: SyntaxViolation) -> Option<&'static str> {
    match violation {
        SyntaxViolation::ExpectedDoubleSlash => Some("the scheme is not followed by // and a host"),
        SyntaxViolation::TabOrNewlineIgnored => Some("it holds a tab or a line break"),
        _ => None,
    }
}

fn bare(mut url: Url) -> Url {
    url.set_fragment(None);
    // These fail for URLs that cannot have them, such as mailto.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url
}

fn host_of(url: &Url) -> &str {
    url.host_str().unwrap_or_default()
}

fn next_hop(before: &[Url], at: &Url, location: &str, most: u32) -> Result<Url, RedirectProblem> {
    let target = at.join(location).map(bare).map_err(|_| RedirectProblem::Target(location.to_owned()))?;
    if target == *at || before.contains(&target) {
        return Err(RedirectProblem::Loop);
    }
    if before.len() >= most as usize { Err(RedirectProblem::TooMany(most)) } else { Ok(target) }
}

fn fetched(at: &Url, redirects: usize, answer: Answer) -> Fetched {
    Fetched {
        final_url: at.to_string(),
        status: answer.status,
        content_type: answer.content_type,
        body: answer.body,
        truncated: answer.truncated,
        redirects: redirects as u32,
    }
}

/// 4xx: there is none, all is allowed. 5xx: all is forbidden; and "too many requests" is no permission either.
fn policy_of(page: &Fetched) -> Policy {
    match page.status {
        429 | 500.. => Policy::Unavailable(page.status),
        200..300 => {
            // A rule cut in the middle would say something else.
            let end = page.body.iter().rposition(|byte| *byte == b'\n').unwrap_or(0);
            let text = if page.truncated { &page.body[..end] } else { &page.body[..] };
            Policy::Rules(Arc::new(Robots::parse(text)))
        }
        _ => Policy::Rules(Arc::default()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Nothing is sent here: there is no budget.
    fn kind(url: &[u8]) -> FetchErrorKind {
        let fetcher = Fetcher::new(Options { budget: 0, ..Options::default() }).expect("no contact");
        fetcher.fetch(url).expect_err("no budget").kind
    }

    #[test]
    fn addresses_in_all_spellings_are_refused() {
        let spellings = [
            "127.0.0.1",
            "127.1",
            "2130706433",
            "0x7f.1",
            "0x7f000001",
            "0177.0.0.1",
            "127.0.0.1.",
            "[::1]",
            "[::ffff:127.0.0.1]",
            "[::ffff:7f00:1]",
            "10.1.2.3:8080",
            "169.254.169.254",
            "user@127.0.0.1",
            "%31%32%37.0.0.1",
            "\u{ff11}\u{ff12}\u{ff17}.0.0.1",
            "0",
            "[64:ff9b::7f00:1]",
        ];
        for host in spellings {
            let kind = kind(format!("http://{host}/").as_bytes());
            assert!(matches!(kind, FetchErrorKind::Refused(Refusal::Address { .. })), "{host}: {kind}");
        }
        assert_eq!(kind(b"http://8.8.8.8/"), FetchErrorKind::Budget(0));
        assert_eq!(kind(b"http://example.com/"), FetchErrorKind::Budget(0));
    }

    #[test]
    fn other_schemes_and_nonsense() {
        for url in ["ftp://example.com/", "file:///etc/passwd", "mailto:a@example.com", "gopher://127.0.0.1/"]
        {
            assert!(matches!(kind(url.as_bytes()), FetchErrorKind::Refused(Refusal::Scheme(_))), "{url}");
        }
        for url in ["", "/path", "http://", "http://a b/", "http://[::1/", "http://999.1.1.1/"] {
            assert!(matches!(kind(url.as_bytes()), FetchErrorKind::Invalid(_)), "{url}");
        }
    }

    #[test]
    fn urls_are_not_repaired() {
        for url in [
            "http:/a.example/",
            "http:a.example/",
            "http:///a.example/",
            "HTTPS:\\\\a.example/",
            "http://a.exa\tmple/",
        ] {
            assert!(matches!(parse(url.as_bytes()), Err(FetchErrorKind::Invalid(_))), "{url}");
        }
        for url in ["http://a.example//b", "http://a.example", "http://a.example/b\\c d?{e}"] {
            assert!(parse(url.as_bytes()).is_ok(), "{url}");
        }
    }

    #[test]
    fn only_what_is_sent_is_kept() {
        assert_eq!(
            parse(b"http://u:p@a.example/\xe9?b#c").expect("a URL").as_str(),
            "http://a.example/%E9?b"
        );
    }
}
