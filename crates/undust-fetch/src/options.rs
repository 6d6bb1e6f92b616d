//! Options of a fetcher: limits, delays, timeouts.

use std::net::IpAddr;
use std::time::Duration;

use crate::error::OptionsError;

/// Options of a fetcher. The defaults suit servers of strangers.
#[derive(Clone, Debug)]
pub struct Options {
    /// Where its owner is found: an address of mail or web, sent with every request. Default: none, which is fit for
    /// one's own servers only.
    pub contact: Option<String>,
    /// Pause between requests to a host; longer where its `robots.txt` has a longer `Crawl-delay`.
    /// Default: 1 s.
    pub delay: Duration,
    /// The longest `Crawl-delay` that is waited for. A host that asks for more is not fetched from. Default: 60 s.
    pub max_crawl_delay: Duration,
    /// Timeout for resolving the name, and for the connection with TLS, each. Default: 10 s.
    pub connect_timeout: Duration,
    /// Timeout for each read. Default: 15 s.
    pub read_timeout: Duration,
    /// Timeout for one request, from resolving the name to the last byte. Default: 30 s.
    pub total_timeout: Duration,
    /// Most bytes of a body, after decompression; longer ones are cut. Default: 2 MiB.
    pub max_body: usize,
    /// Most redirects that are followed. Default: 5.
    pub max_redirects: u32,
    /// Number of retries after a transport error or status 429 or 503. Default: 2.
    pub retries: u32,
    /// The pause before the first retry; it doubles with each. Default: 2 s.
    pub back_off: Duration,
    /// The longest pause before a retry. Where `Retry-After` asks for more, the answer is taken as it is.
    /// Default: 60 s.
    pub max_back_off: Duration,
    /// Budget: most requests in all, with those for `robots.txt`, redirects and retries. Default: 1,000.
    pub budget: u64,
    /// Connect to any address: loopback, private networks and all. Default: false.
    pub allow_private: bool,
    /// Addresses that are connected to though they are not public: an intranet's server, but nothing beside
    /// it. Default: none.
    pub allow_addresses: Vec<IpAddr>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            contact: None,
            delay: Duration::from_secs(1),
            max_crawl_delay: Duration::from_secs(60),
            connect_timeout: Duration::from_secs(10),
            read_timeout: Duration::from_secs(15),
            total_timeout: Duration::from_secs(30),
            max_body: 2 << 20,
            max_redirects: 5,
            retries: 2,
            back_off: Duration::from_secs(2),
            max_back_off: Duration::from_secs(60),
            budget: 1000,
            allow_private: false,
            allow_addresses: Vec::new(),
        }
    }
}

impl Options {
    /// The header `User-Agent`: `undust/VERSION (+contact)`.
    pub fn user_agent(&self) -> Result<String, OptionsError> {
        let name = concat!("undust/", env!("CARGO_PKG_VERSION"));
        let Some(contact) = &self.contact else { return Ok(name.to_owned()) };
        // What would end the comment or the header.
        let bad = |c: char| !(c.is_ascii_graphic() || c == ' ') || matches!(c, '(' | ')' | '\\');
        if contact.trim().is_empty() || contact.contains(bad) {
            return Err(OptionsError::Contact(contact.clone()));
        }
        Ok(format!("{name} (+{})", contact.trim()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_holds_the_contact() {
        let named =
            |contact: &str| Options { contact: Some(contact.to_owned()), ..Options::default() }.user_agent();
        let version = env!("CARGO_PKG_VERSION");
        assert_eq!(named("a@example.com").unwrap(), format!("undust/{version} (+a@example.com)"));
        assert_eq!(Options::default().user_agent().unwrap(), format!("undust/{version}"));
        for bad in ["", " ", "a\r\nHost: b", "a) Mozilla", "kö@example.com"] {
            assert!(named(bad).is_err(), "{bad:?}");
        }
    }
}
