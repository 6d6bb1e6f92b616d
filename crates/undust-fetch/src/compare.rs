//! Do two URLs lead to the same page, now? Fetched once each, compared by their sketches.
//!
//! The hard part is what no answer means. A URL that fails by itself says something of the URL; a server that is gone or asks us to
//! stop says nothing of any URL, and must not be taken for the former. So before a silence is believed, a URL of the host that
//! answered before is asked again.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::{Arc, Mutex};

use undust_content::{Document, Sketch, SketchOptions};
use url::Url;

use crate::error::{FetchError, FetchErrorKind, Refusal};
use crate::fetcher::{Fetched, Fetcher};
use crate::hosts::lock;

/// So many pages are remembered, of two to three kilobytes each.
const MOST_REMEMBERED: usize = 20_000;

/// So many failures in a row, where a host never answered, are no accident.
const DOWN_AFTER: u32 = 2;

/// Compares the pages of URLs. Threads may share one.
#[derive(Debug)]
pub struct Comparer {
    fetcher: Fetcher,
    options: SketchOptions,
    known: Mutex<HashMap<Vec<u8>, Visit>>,
    /// By host: the last URL that was answered with a page.
    good: Mutex<HashMap<String, Vec<u8>>>,
    /// Hosts that are asked no more.
    down: Mutex<HashSet<String>>,
}

/// What comparing two URLs gave.
#[derive(Clone, Debug, PartialEq)]
pub enum Comparison {
    /// Both lead to the same page.
    Same,
    /// They lead to different pages.
    Other,
    /// The first leads to a page, the second to none. Says why.
    Missing(String),
    /// The first leads to no page of text, or one of them must not be fetched. Says why.
    Unknown(String),
    /// Nothing can be told any more.
    Stopped(Stop),
}

/// Why nothing can be told any more.
#[derive(Clone, Debug, PartialEq)]
pub enum Stop {
    /// All requests of the budget, which this was, are made.
    Budget(u64),
    /// The host of the first URL is gone, or asks us to stop. Says how it showed.
    Host(String),
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stop::Budget(budget) => FetchErrorKind::Budget(*budget).fmt(f),
            Stop::Host(why) => f.write_str(why),
        }
    }
}

/// What one URL gave.
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
    /// Whether the same is to be expected when it is asked again.
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

    /// How many requests are made.
    pub fn requests(&self) -> u64 {
        self.fetcher.requests()
    }

    /// Compares the pages that two URLs lead to.
    pub fn compare(&self, url: &[u8], with: &[u8]) -> Comparison {
        let unknown = |why: &str| Comparison::Unknown(format!("{}: {why}", String::from_utf8_lossy(url)));
        let one = match self.visit(url) {
            Visit::Page(sketch) => sketch,
            Visit::Gone(why) => return Comparison::Stopped(Stop::Host(why)),
            Visit::Spent(budget) => return Comparison::Stopped(Stop::Budget(budget)),
            Visit::Status(status) => return unknown(&format!("status {status}")),
            Visit::NoText => return unknown("no text"),
            Visit::NoPage(why) => return unknown(&why),
            Visit::Untold(why) => return Comparison::Unknown(why),
        };
        match self.visit(with) {
            Visit::Page(other) if one.matches(&other, self.options.agree) => Comparison::Same,
            Visit::Page(_) | Visit::NoText => Comparison::Other,
            Visit::Status(status) if status >= 500 => self.overloaded(url, status),
            Visit::Status(status) => Comparison::Missing(status.to_string()),
            Visit::NoPage(why) => Comparison::Missing(why),
            Visit::Gone(why) if host_of(url) == host_of(with) => Comparison::Stopped(Stop::Host(why)),
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

    fn visit(&self, url: &[u8]) -> Visit {
        if let Some(known) = lock(&self.known).get(url) {
            return known.clone();
        }
        let host = host_of(url);
        if lock(&self.down).contains(&host) {
            return Visit::Gone(format!("{host} does not answer"));
        }
        let visit = match self.fetcher.fetch(url) {
            Ok(page) => self.answered(url, &host, &page),
            Err(error) => self.unanswered(&host, error),
        };
        if visit.lasts() {
            self.remember(url, visit.clone());
        }
        visit
    }

    fn remember(&self, url: &[u8], visit: Visit) {
        let mut known = lock(&self.known);
        if known.len() >= MOST_REMEMBERED {
            known.clear();
        }
        known.insert(url.to_vec(), visit);
    }

    fn answered(&self, url: &[u8], host: &str, page: &Fetched) -> Visit {
        match page.status {
            // Repeated as often as is polite, and still too much.
            429 => self.give_up(host, format!("{host} asks for fewer requests (status 429)")),
            400.. => Visit::Status(page.status),
            _ => {
                let document = Document::read(&page.body, page.content_type.as_deref());
                lock(&self.good).insert(host.to_owned(), url.to_vec());
                if document.text.is_empty() {
                    return Visit::NoText;
                }
                Visit::Page(Arc::new(Sketch::new(&document, &self.options)))
            }
        }
    }

    fn unanswered(&self, host: &str, error: FetchError) -> Visit {
        let told = error.to_string();
        let elsewhere = error.hop.as_ref().is_some_and(|hop| host_of(hop.as_bytes()) != host);
        match error.kind {
            FetchErrorKind::Budget(budget) => Visit::Spent(budget),
            FetchErrorKind::Transport(_) if elsewhere => Visit::Untold(told),
            FetchErrorKind::Transport(why) => self.silent(host, &told, why),
            FetchErrorKind::Redirects(problem) => Visit::NoPage(problem.to_string()),
            FetchErrorKind::Invalid(_) => Visit::NoPage("not a URL".to_owned()),
            FetchErrorKind::Refused(Refusal::RobotsUnavailable(_)) if error.hop.is_none() => {
                self.give_up(host, told)
            }
            FetchErrorKind::Refused(_) => Visit::Untold(told),
        }
    }

    /// Is it this URL that gives no answer, or the host?
    fn silent(&self, host: &str, told: &str, why: String) -> Visit {
        let good = lock(&self.good).get(host).cloned();
        let Some(good) = good else {
            let down = self.fetcher.failures_in_a_row(host) >= DOWN_AFTER;
            return if down { self.give_up(host, told.to_owned()) } else { Visit::Untold(told.to_owned()) };
        };
        match self.fetcher.fetch(&good).map_err(|error| error.kind) {
            Err(FetchErrorKind::Budget(budget)) => Visit::Spent(budget),
            Err(_) => self.give_up(host, told.to_owned()),
            Ok(_) => Visit::NoPage(why),
        }
    }

    fn give_up(&self, host: &str, why: String) -> Visit {
        lock(&self.down).insert(host.to_owned());
        Visit::Gone(why)
    }
}

/// The host as the fetcher knows it; empty where there is none.
fn host_of(url: &[u8]) -> String {
    let parsed = Url::parse(&String::from_utf8_lossy(url)).ok();
    parsed.and_then(|url| url.host_str().map(str::to_owned)).unwrap_or_default()
}
