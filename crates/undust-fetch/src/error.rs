//! Why something was not fetched, so that a caller can tell one bad URL from a host that is gone.

use std::net::IpAddr;
use std::time::Duration;

use thiserror::Error;

/// Why a URL was not fetched. A status of 400 or more is no error: it is an answer.
#[derive(Clone, Debug, PartialEq, Error)]
#[error("{url}{}: {kind}", hop.as_ref().map_or(String::new(), |hop| format!(" (redirected to {hop})")))]
#[non_exhaustive]
pub struct FetchError {
    /// The URL that was requested.
    pub url: String,
    /// The redirect target at which it happened; none for the URL itself.
    pub hop: Option<String>,
    /// What happened there.
    pub kind: FetchErrorKind,
}

/// What can go wrong with a fetch.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum FetchErrorKind {
    /// Not a URL; the message of the parser or of the HTTP client.
    #[error("not a URL: {0}")]
    Invalid(String),
    /// No request was made, on purpose.
    #[error("not fetched: {0}")]
    Refused(Refusal),
    /// All requests of this budget are made.
    #[error("the budget of {0} requests is spent")]
    Budget(u64),
    /// No answer, or half of one: name, connection, TLS, timeout. The host may be down. The message of the HTTP client, whose
    /// own error type is no part of this API.
    #[error("{0}")]
    Transport(String),
    /// The redirects lead nowhere.
    #[error("{0}")]
    Redirects(RedirectProblem),
}

/// Why a request was not made.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum Refusal {
    /// Neither http nor https.
    #[error("{0}: is neither http nor https")]
    Scheme(String),
    /// https, and this build has no TLS (the feature `tls`).
    #[error("this build has no TLS: build with --features tls")]
    NoTls,
    /// Not a public address.
    #[error("{} is not a public address", located(host, *address))]
    Address {
        /// As in the URL.
        host: String,
        /// The address it resolves to.
        address: IpAddr,
    },
    /// `robots.txt` forbids it.
    #[error("forbidden by robots.txt")]
    Robots,
    /// `robots.txt` was answered with this status of 500 or more, or 429, which forbids all.
    #[error("robots.txt was answered with status {0}, so all is forbidden")]
    RobotsUnavailable(u16),
    /// The `Crawl-delay` of the host is longer than the limit.
    #[error("the host asks for {asked:?} between requests, and {most:?} is the most we wait")]
    CrawlDelay {
        /// The `Crawl-delay`.
        asked: Duration,
        /// The limit, [`Options::max_crawl_delay`](crate::Options::max_crawl_delay).
        most: Duration,
    },
}

/// An address, behind the name that resolves to it.
fn located(host: &str, address: IpAddr) -> String {
    let address = address.to_string();
    if host == address { address } else { format!("{host} is at {address}, which") }
}

/// How redirects can lead nowhere.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum RedirectProblem {
    /// To a URL that they have been at.
    #[error("redirects in a circle")]
    Loop,
    /// More than this limit.
    #[error("more than {0} redirects")]
    TooMany(u32),
    /// To what is no URL.
    #[error("redirects to {0:?}, which is not a URL")]
    Target(String),
}

/// Options that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum OptionsError {
    /// A contact that cannot be sent in a header.
    #[error("the contact {0:?} must be plain ASCII without parentheses, such as keeper@example.com")]
    Contact(String),
}
