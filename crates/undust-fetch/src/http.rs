//! One request over one connection: no redirects, no cookies, no proxy, no reuse.

use std::io::{self, Read};

use ureq::http::{HeaderMap, Response};
use ureq::unversioned::transport::DefaultConnector;
use ureq::{Agent, Body};
use url::Url;

use crate::address::{Addresses, Guard, NotPublic};
use crate::error::{FetchErrorKind, OptionsError, Refusal};
use crate::options::Options;

/// What a server answered.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) content_type: Option<String>,
    pub(crate) location: Option<String>,
    pub(crate) retry_after: Option<String>,
    pub(crate) body: Vec<u8>,
    pub(crate) truncated: bool,
}

impl Answer {
    /// Where it sends us.
    pub(crate) fn redirect(&self) -> Option<&str> {
        let location = self.location.as_deref()?;
        matches!(self.status, 301 | 302 | 303 | 307 | 308).then_some(location)
    }
}

/// Makes requests.
#[derive(Debug)]
pub(crate) struct Client(Agent);

impl Client {
    pub(crate) fn new(options: &Options, addresses: Addresses) -> Result<Client, OptionsError> {
        let config = Agent::config_builder()
            .user_agent(options.user_agent()?)
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            // The environment of whoever runs this must not send requests elsewhere, past the address check.
            .proxy(None)
            // A connection kept open may be closed by the server just when it is used again.
            .max_idle_connections(0)
            .timeout_resolve(Some(options.connect_timeout))
            .timeout_connect(Some(options.connect_timeout))
            .timeout_per_read(Some(options.read_timeout))
            .timeout_global(Some(options.total_timeout))
            .build();
        Ok(Client(Agent::with_parts(config, DefaultConnector::default(), Guard(addresses))))
    }

    /// Asks once. At most `most` bytes of the body are taken.
    pub(crate) fn get(&self, url: &Url, most: usize) -> Result<Answer, FetchErrorKind> {
        let request = self.0.get(request_target(url)).header("Connection", "close");
        let answer = request.call().map_err(|error| kind_of(error, url))?;
        read(answer, most)
            .map_err(|error| FetchErrorKind::Transport(format!("the answer breaks off: {error}")))
    }
}

/// The URL as the client reads it, which knows no backquotes. Those that come out equal are one request.
pub(crate) fn request_target(url: &Url) -> String {
    url.as_str().replace('`', "%60")
}

fn read(answer: Response<Body>, most: usize) -> io::Result<Answer> {
    let (head, body) = answer.into_parts();
    let mut answer = Answer {
        status: head.status.as_u16(),
        content_type: text(&head.headers, "content-type"),
        location: text(&head.headers, "location"),
        retry_after: text(&head.headers, "retry-after"),
        ..Answer::default()
    };
    if answer.redirect().is_some() {
        return Ok(answer);
    }
    // One more than wanted, to know whether there is more. What is counted here is decompressed.
    body.into_reader().take((most as u64).saturating_add(1)).read_to_end(&mut answer.body)?;
    answer.truncated = answer.body.len() > most;
    answer.body.truncate(most);
    Ok(answer)
}

/// A header as text. Servers write URLs with raw bytes into `Location`.
fn text(headers: &HeaderMap, name: &str) -> Option<String> {
    headers.get(name).map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
}

fn kind_of(error: ureq::Error, url: &Url) -> FetchErrorKind {
    match error {
        ureq::Error::Other(inner) => match inner.downcast_ref::<NotPublic>() {
            Some(NotPublic(address)) => {
                let host = url.host_str().unwrap_or_default().to_owned();
                FetchErrorKind::Refused(Refusal::Address { host, address: *address })
            }
            None => FetchErrorKind::Transport(inner.to_string()),
        },
        ureq::Error::BadUri(why) => FetchErrorKind::Invalid(why),
        ureq::Error::Http(why) => FetchErrorKind::Invalid(why.to_string()),
        error => FetchErrorKind::Transport(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use ureq::http::Uri;

    use super::*;

    #[test]
    fn every_url_can_be_asked_for() {
        let odd: String = (' '..='~').filter(|c| *c != '#' && *c != '?').collect();
        let url = Url::parse(&format!("http://a.example/x{odd}?q={odd}é")).expect("a URL");
        let target = request_target(&url);
        target.parse::<Uri>().expect(&target);
    }
}
