//! Which site a host belongs to: the scope that clusters, learners and rules are grouped by.

#[cfg(feature = "psl")]
use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

#[cfg(feature = "psl")]
use super::SplitUrl;

/// How hosts are grouped into sites.
///
/// ```
/// use undust::SiteBy;
///
/// assert_eq!("host".parse(), Ok(SiteBy::Host));
/// assert_eq!(SiteBy::default().to_string(), "domain");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(description = "How hosts are grouped into sites."))]
#[serde(rename_all = "lowercase")]
pub enum SiteBy {
    /// By registrable domain (public suffix list), so that `www.`, `m.` and mirrors are one site.
    #[default]
    Domain,
    /// By host, as most of the papers do.
    Host,
}

impl SiteBy {
    /// Both variants.
    #[doc(hidden)]
    pub const ALL: [SiteBy; 2] = [SiteBy::Domain, SiteBy::Host];

    /// The word used on the command line and in the rule file.
    #[doc(hidden)]
    pub fn name(self) -> &'static str {
        match self {
            SiteBy::Domain => "domain",
            SiteBy::Host => "host",
        }
    }
}

impl fmt::Display for SiteBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for SiteBy {
    type Err = UnknownSiteBy;
    fn from_str(word: &str) -> Result<SiteBy, UnknownSiteBy> {
        SiteBy::ALL
            .into_iter()
            .find(|by| by.name() == word)
            .ok_or_else(|| UnknownSiteBy { word: word.to_owned() })
    }
}

/// A word that is no [`SiteBy`].
///
/// ```
/// let error = "page".parse::<undust::SiteBy>().unwrap_err();
/// assert_eq!(error.to_string(), "'page' is neither 'domain' nor 'host'");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{word}' is neither 'domain' nor 'host'")]
pub struct UnknownSiteBy {
    word: String,
}

/// The site of a URL; URLs without an authority are of the site without a name, `""`.
///
/// ```
/// use undust::{SiteBy, site_of};
///
/// assert_eq!(site_of(b"http://news.Example.co.uk/a", SiteBy::Domain), "example.co.uk");
/// assert_eq!(site_of(b"http://news.Example.co.uk/a", SiteBy::Host), "news.example.co.uk");
/// ```
#[cfg(feature = "psl")]
pub fn site_of(url: &[u8], by: SiteBy) -> String {
    let Some(split) = SplitUrl::new(url) else { return String::new() };
    let host = split.host();
    let lower: Cow<[u8]> = if host.iter().any(u8::is_ascii_uppercase) {
        Cow::Owned(host.to_ascii_lowercase())
    } else {
        Cow::Borrowed(host)
    };
    String::from_utf8_lossy(site_of_host(&lower, by)).into_owned()
}

/// The site of a lower-case host: its registrable domain where it has one, else the host itself.
#[cfg(feature = "psl")]
fn site_of_host(host: &[u8], by: SiteBy) -> &[u8] {
    match by {
        SiteBy::Host => host,
        SiteBy::Domain if is_address(host) => host,
        SiteBy::Domain => psl::domain(host).map_or(host, |domain| domain.as_bytes()),
    }
}

/// Looks up the site of `host` by name: the first `Some` that `lookup` returns.
///
/// By host, `lookup` is called with the host alone; by domain, with the host and then with each of its suffixes that starts a label,
/// longest first. Names are given in lower case.
#[doc(hidden)]
#[inline]
pub fn find_by_host_suffix<T>(host: &[u8], by: SiteBy, lookup: impl FnMut(&[u8]) -> Option<T>) -> Option<T> {
    if host.iter().any(u8::is_ascii_uppercase) {
        return find_by_lower_suffix(&host.to_ascii_lowercase(), by, lookup);
    }
    find_by_lower_suffix(host, by, lookup)
}

#[inline]
fn find_by_lower_suffix<T>(host: &[u8], by: SiteBy, mut lookup: impl FnMut(&[u8]) -> Option<T>) -> Option<T> {
    match by {
        SiteBy::Host => lookup(host),
        SiteBy::Domain => {
            let dots = host.iter().enumerate().filter(|(_, b)| **b == b'.').map(|(dot, _)| &host[dot + 1..]);
            std::iter::once(host).chain(dots).find_map(lookup)
        }
    }
}

/// Whether a lower-case host lies in a registrable domain under a suffix of the public suffix list, or is one.
#[cfg(feature = "psl")]
pub fn is_public_host(host: &[u8]) -> bool {
    let is_name = |b: &u8| b.is_ascii_alphanumeric() || b"-_.".contains(b) || !b.is_ascii();
    host.iter().all(is_name) && psl::domain(host).is_some_and(|domain| domain.suffix().is_known())
}

/// An IPv4 or IPv6 address has no labels to strip.
#[cfg(feature = "psl")]
fn is_address(host: &[u8]) -> bool {
    host.first() == Some(&b'[') || host.iter().all(|&b| b.is_ascii_digit() || b == b'.')
}

#[cfg(all(test, feature = "psl"))]
mod tests {
    use super::*;

    #[test]
    fn registrable_domains_and_their_exceptions() {
        let cases = [
            ("http://www.computer-forum.net/x", "computer-forum.net"),
            ("http://a.b.example.co.uk/", "example.co.uk"),
            ("http://WWW.Example.COM/", "example.com"),
            ("http://www.gov.uk/", "www.gov.uk"),
            ("http://me.github.io/", "me.github.io"),
            ("http://localhost:8080/", "localhost"),
            ("http://app.localhost:8080/", "app.localhost"),
            ("http://wiki:8080/x", "wiki"),
            ("http://doc.test:8080/", "doc.test"),
            ("http://www.doc.test:8080/", "doc.test"),
            ("http://Printer.local/", "printer.local"),
            ("http://ci.build.internal/", "build.internal"),
            ("http://127.0.0.1/", "127.0.0.1"),
            ("http://10.0.0.5:8080/", "10.0.0.5"),
            ("http://[::1]:80/", "[::1]"),
            ("mailto:a@b.c", ""),
        ];
        for (url, site) in cases {
            assert_eq!(site_of(url.as_bytes(), SiteBy::Domain), site, "{url}");
        }
        assert_eq!(site_of(b"http://www.example.com:80/", SiteBy::Host), "www.example.com");
    }

    #[test]
    fn hosts_and_what_is_none() {
        for host in ["www.example.com", "example.co.uk", "a_b.example.org"] {
            assert!(is_public_host(host.as_bytes()), "{host}");
        }
        for other in ["com", "co.uk", "example.backup", "a b.org", "localhost", ""] {
            assert!(!is_public_host(other.as_bytes()), "{other}");
        }
    }
}
