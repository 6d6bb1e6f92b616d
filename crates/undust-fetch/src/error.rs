//! Why something was not fetched, so that a caller can tell one bad URL from a host that is gone.

use std::error::Error;
use std::fmt;
use std::net::IpAddr;
use std::time::Duration;

/// Why a URL was not fetched. A status of 400 or more is no error: it is an answer.
#[derive(Clone, Debug, PartialEq)]
pub struct FetchError {
    /// The URL that was asked for.
    pub url: String,
    /// Where redirects had led when it happened, if they had.
    pub hop: Option<String>,
    /// What happened there.
    pub kind: FetchErrorKind,
}

/// What can go wrong with a fetch.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum FetchErrorKind {
    /// Not a URL; says why.
    Invalid(String),
    /// Nothing was asked, on purpose.
    Refused(Refusal),
    /// All requests of the budget, which this was, are made.
    Budget(u64),
    /// No answer, or half of one: name, connection, TLS, time. The host may be down. Says what happened.
    Transport(String),
    /// The redirects lead nowhere.
    Redirects(RedirectProblem),
}

/// Why a request was not made.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Refusal {
    /// Neither http nor https.
    Scheme(String),
    /// https, and this build has no TLS (the feature `tls`).
    NoTls,
    /// Not a public address.
    Address {
        /// As in the URL.
        host: String,
        /// What it stands for.
        address: IpAddr,
    },
    /// `robots.txt` forbids it.
    Robots,
    /// `robots.txt` was answered with this status of 500 or more, or 429, which forbids all.
    RobotsUnavailable(u16),
    /// The host asks for a longer pause than we will make.
    CrawlDelay {
        /// The pause it asks for.
        asked: Duration,
        /// [`Options::max_crawl_delay`](crate::Options::max_crawl_delay).
        most: Duration,
    },
}

/// How redirects can lead nowhere.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum RedirectProblem {
    /// Back to where they have been.
    Loop,
    /// More than this.
    TooMany(u32),
    /// To what is no URL.
    Target(String),
}

impl fmt::Display for FetchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.url)?;
        if let Some(hop) = &self.hop {
            write!(f, " (redirected to {hop})")?;
        }
        write!(f, ": {}", self.kind)
    }
}

impl fmt::Display for FetchErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FetchErrorKind::Invalid(why) => write!(f, "not a URL: {why}"),
            FetchErrorKind::Refused(refusal) => write!(f, "not fetched: {refusal}"),
            FetchErrorKind::Budget(budget) => write!(f, "the budget of {budget} requests is spent"),
            FetchErrorKind::Transport(why) => f.write_str(why),
            FetchErrorKind::Redirects(problem) => problem.fmt(f),
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Scheme(scheme) => write!(f, "{scheme}: is neither http nor https"),
            Refusal::NoTls => f.write_str("this build has no TLS: build with --features tls"),
            Refusal::Address { host, address } if *host == address.to_string() => {
                write!(f, "{address} is not a public address")
            }
            Refusal::Address { host, address } => {
                write!(f, "{host} is at {address}, which is not a public address")
            }
            Refusal::Robots => f.write_str("forbidden by robots.txt"),
            Refusal::RobotsUnavailable(status) => {
                write!(f, "robots.txt was answered with status {status}, so all is forbidden")
            }
            Refusal::CrawlDelay { asked, most } => {
                write!(f, "the host asks for {asked:?} between requests, and {most:?} is the most we wait")
            }
        }
    }
}

impl fmt::Display for RedirectProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RedirectProblem::Loop => f.write_str("redirects in a circle"),
            RedirectProblem::TooMany(most) => write!(f, "more than {most} redirects"),
            RedirectProblem::Target(target) => write!(f, "redirects to {target:?}, which is not a URL"),
        }
    }
}

impl Error for FetchError {}

/// Options that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OptionsError {
    /// A contact that cannot be sent in a header.
    Contact(String),
}

impl fmt::Display for OptionsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OptionsError::Contact(contact) => {
                write!(
                    f,
                    "the contact {contact:?} must be plain ASCII without parentheses, such as keeper@example.com"
                )
            }
        }
    }
}

impl Error for OptionsError {}
