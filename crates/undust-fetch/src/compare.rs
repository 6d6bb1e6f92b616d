//! Comparison of the pages that two URLs lead to, now: fetched once each, compared by their sketches.
//!
//! The hard part is what no answer means. A URL that fails by itself says something of the URL; a server that is gone or asks us to
//! stop says nothing of any URL, and must not be taken for the former. So before a silence is believed, a URL of the host that
//! answered before is asked again.
//!
//! This serves validation alone, and stands here all the same: it needs the fetcher's own view of hosts, origins and requests, and is
//! tested against the same server on loopback. The rest of validation is pure computation in `undust-learn`, which has no network.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use thiserror::Error;
use undust_content::{Document, Sketch, SketchOptions};

use crate::error::{FetchError, FetchErrorKind, Refusal};
use crate::fetcher::{self, Fetched, Fetcher};
use crate::hosts::lock;
use crate::http::request_target;

/// Most pages that are remembered, of two to three kilobytes each; with more, all are forgotten.
const MAX_REMEMBERED_PAGES: usize = 20_000;

/// Compares the pages of URLs. Threads may share one.
#[derive(Debug)]
pub struct Comparer {
    fetcher: Fetcher,
    options: SketchOptions,
    /// By request.
    known: Mutex<HashMap<String, Visit>>,
    /// By host: the last URL that was answered with a page.
    good: Mutex<HashMap<String, Vec<u8>>>,
    /// By origin: why nothing is asked there any more.
    down: Mutex<HashMap<String, String>>,
}

/// The request of a URL. All is empty but `request` for what is no URL.
#[derive(Debug)]
struct Target {
    /// What is sent, as a URL.
    request: String,
    /// As the fetcher knows it.
    host: String,
    /// Scheme, host and port: one of them may be served, and another not.
    origin: String,
}

impl Target {
    fn of(url: &[u8]) -> Target {
        match fetcher::parse(url) {
            Ok(parsed) => Target {
                request: request_target(&parsed),
                host: parsed.host_str().unwrap_or_default().to_owned(),
                origin: parsed.origin().ascii_serialization(),
            },
            Err(_) => Target {
                request: String::from_utf8_lossy(url).into_owned(),
                host: String::new(),
                origin: String::new(),
            },
        }
    }
}

/// The result of comparing two URLs.
#[derive(Clone, Debug, PartialEq)]
pub enum Comparison {
    /// Both lead to the same page.
    Same,
    /// They lead to different pages.
    Other,
    /// The first leads to a page, the second to none, for this reason.
    Missing(String),
    /// No evidence: the first leads to no page of text, one of them must not be fetched, or both are one request. Holds the reason.
    Unknown(String),
    /// No more comparisons are possible.
    Stopped(Stop),
}

/// Why no more comparisons are possible.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum Stop {
    /// All requests of this budget are made.
    #[error("{}", FetchErrorKind::Budget(*.0))]
    Budget(u64),
    /// The host of the first URL is down, or asks to stop; with the message of its last answer.
    #[error("{0}")]
    Host(String),
}

/// The result of fetching one URL.
#[derive(Clone, Debug)]
enum Visit {
    Page(Arc<Sketch>),
    /// A page without words: a picture, an archive, a frameset.
    NoText,
    /// An answer that by its status is no page.
    Status(u16),
    /// No answer, where the host answers else, or redirects that lead nowhere.
    NoPage(String),
    /// Not asked, or nothing to rely on.
    Untold(String),
    /// The host is gone.
    Gone(String),
    Spent(u64),
}

impl Visit {
    /// Whether the same result is to be expected of another request.
    fn lasts(&self) -> bool {
        matches!(self, Visit::Page(_) | Visit::NoText | Visit::Status(_) | Visit::NoPage(_))
    }
}

impl Comparer {
    /// Compares what `fetcher` fetches.
    pub fn new(fetcher: Fetcher, options: SketchOptions) -> Comparer {
        let (known, good, down) = (Mutex::default(), Mutex::default(), Mutex::default());
        Comparer { fetcher, options, known, good, down }
    }

    /// Number of requests made so far.
    pub fn requests(&self) -> u64 {
        self.fetcher.requests()
    }

    /// Contact the host of `urls`: resolve its name, read its `robots.txt` and fetch the first URL that this allows, without retries.
    /// Returns the pause between requests, or why nothing can be fetched from the host, which is then not contacted again. One page that
    /// fails is no error of the host.
    pub fn reach<'u>(&self, urls: impl IntoIterator<Item = &'u [u8]>) -> Result<Duration, FetchError> {
        let mut failed = None;
        for url in urls {
            let target = Target::of(url);
            let error = match self.fetcher.probe(url) {
                Ok(page) => {
                    let visit = self.answered(url, &target, &page);
                    self.remember(&target, &visit);
                    return Ok(self.fetcher.pause(&target.host));
                }
                Err(error) => error,
            };
            let blame = self.blame(&target, &error);
            if blame == Blame::Page {
                return Ok(self.fetcher.pause(&target.host));
            }
            failed = Some((target, error));
            if blame == Blame::Host {
                break;
            }
        }
        let Some((target, error)) = failed else { return Ok(Duration::ZERO) };
        self.give_up(&target, error.kind.to_string());
        Err(error)
    }

    /// Whether an error is one of the URL, the page or the host, before anything else is known of it.
    fn blame(&self, target: &Target, error: &FetchError) -> Blame {
        match &error.kind {
            // Somebody answered, and sent us elsewhere.
            _ if error.hop.is_some() => Blame::Page,
            FetchErrorKind::Invalid(_) | FetchErrorKind::Refused(Refusal::Robots) => Blame::Url,
            FetchErrorKind::Refused(_) => Blame::Host,
            FetchErrorKind::Transport(_) if !self.fetcher.has_answered(&target.origin) => Blame::Host,
            _ => Blame::Page,
        }
    }

    /// Compares the pages that two URLs lead to. Where both are one request, its answer is no evidence.
    pub fn compare(&self, url: &[u8], with: &[u8]) -> Comparison {
        let unknown = |why: &str| Comparison::Unknown(format!("{}: {why}", String::from_utf8_lossy(url)));
        let (first, second) = (Target::of(url), Target::of(with));
        if first.request == second.request {
            return unknown(&format!("{} is the same request", String::from_utf8_lossy(with)));
        }
        let one = match self.visit(url, &first) {
            Visit::Page(sketch) => sketch,
            Visit::Gone(why) => return Comparison::Stopped(Stop::Host(why)),
            Visit::Spent(budget) => return Comparison::Stopped(Stop::Budget(budget)),
            Visit::Status(status) => return unknown(&format!("status {status}")),
            Visit::NoText => return unknown("no text"),
            Visit::NoPage(why) => return unknown(&why),
            Visit::Untold(why) => return Comparison::Unknown(why),
        };
        match self.visit(with, &second) {
            Visit::Page(other) if one.matches(&other, self.options.agree) => Comparison::Same,
            Visit::Page(_) | Visit::NoText => Comparison::Other,
            Visit::Status(status) if status >= 500 => self.overloaded(url, status),
            Visit::Status(status) => Comparison::Missing(status.to_string()),
            Visit::NoPage(why) => Comparison::Missing(why),
            Visit::Gone(why) if first.origin == second.origin => Comparison::Stopped(Stop::Host(why)),
            Visit::Gone(why) | Visit::Untold(why) => Comparison::Unknown(why),
            Visit::Spent(budget) => Comparison::Stopped(Stop::Budget(budget)),
        }
    }

    /// The other URL fails with `status`, and this one did not: if it does now, the server is at fault.
    fn overloaded(&self, url: &[u8], status: u16) -> Comparison {
        match self.fetcher.fetch(url).map_err(|error| error.kind) {
            Ok(page) if page.status < 400 => Comparison::Missing(status.to_string()),
            Err(FetchErrorKind::Budget(budget)) => Comparison::Stopped(Stop::Budget(budget)),
            _ => Comparison::Stopped(Stop::Host(format!("the server fails with status {status}"))),
        }
    }

    fn visit(&self, url: &[u8], target: &Target) -> Visit {
        if let Some(known) = lock(&self.known).get(&target.request) {
            return known.clone();
        }
        if let Some(why) = lock(&self.down).get(&target.origin) {
            return Visit::Gone(why.clone());
        }
        let visit = match self.fetcher.fetch(url) {
            Ok(page) => self.answered(url, target, &page),
            Err(error) => self.unanswered(target, error),
        };
        self.remember(target, &visit);
        visit
    }

    fn remember(&self, target: &Target, visit: &Visit) {
        if !visit.lasts() {
            return;
        }
        let mut known = lock(&self.known);
        if known.len() >= MAX_REMEMBERED_PAGES {
            known.clear();
        }
        known.insert(target.request.clone(), visit.clone());
    }

    fn answered(&self, url: &[u8], target: &Target, page: &Fetched) -> Visit {
        let host = &target.host;
        match page.status {
            // Repeated as often as is polite, and still too much.
            429 => self.give_up(target, format!("{host} asks for fewer requests (status 429)")),
            400.. => Visit::Status(page.status),
            _ => {
                let document = Document::read(&page.body, page.content_type.as_deref());
                lock(&self.good).insert(host.clone(), url.to_vec());
                if document.text.is_empty() {
                    return Visit::NoText;
                }
                Visit::Page(Arc::new(Sketch::new(&document, &self.options)))
            }
        }
    }

    fn unanswered(&self, target: &Target, error: FetchError) -> Visit {
        let told = error.to_string();
        let elsewhere = error.hop.as_ref().is_some_and(|hop| Target::of(hop.as_bytes()).host != target.host);
        match error.kind {
            FetchErrorKind::Budget(budget) => Visit::Spent(budget),
            FetchErrorKind::Transport(_) if elsewhere => Visit::Untold(told),
            FetchErrorKind::Transport(why) => self.silent(target, &told, why),
            FetchErrorKind::Redirects(problem) => Visit::NoPage(problem.to_string()),
            FetchErrorKind::Invalid(_) => Visit::NoPage("not a URL".to_owned()),
            // So it will be for every URL of the host, at the price of a request each.
            FetchErrorKind::Refused(Refusal::RobotsUnavailable(_) | Refusal::Address { .. })
                if error.hop.is_none() =>
            {
                self.give_up(target, told)
            }
            FetchErrorKind::Refused(_) => Visit::Untold(told),
        }
    }

    /// Is it this URL that gives no answer, or the host?
    fn silent(&self, target: &Target, told: &str, why: String) -> Visit {
        let good = lock(&self.good).get(&target.host).cloned();
        let Some(good) = good else {
            let down = self.fetcher.seems_down(&target.host);
            return if down { self.give_up(target, told.to_owned()) } else { Visit::Untold(told.to_owned()) };
        };
        match self.fetcher.fetch(&good).map_err(|error| error.kind) {
            Err(FetchErrorKind::Budget(budget)) => Visit::Spent(budget),
            Err(_) => self.give_up(target, told.to_owned()),
            Ok(_) => Visit::NoPage(why),
        }
    }

    fn give_up(&self, target: &Target, why: String) -> Visit {
        lock(&self.down).insert(target.origin.clone(), why.clone());
        Visit::Gone(why)
    }
}

/// What an error is about.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Blame {
    /// Nothing was asked for this URL; another one of the host may do.
    Url,
    /// The host answers, though not with a page.
    Page,
    /// Nothing can be fetched from the host.
    Host,
}
