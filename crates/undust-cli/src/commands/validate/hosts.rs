//! Which hosts can be fetched from: each is met once, before any rule is tried out.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::{Result, bail};
use rayon::ThreadPoolBuilder;
use rayon::prelude::*;
use undust::url::SplitUrl;
use undust_fetch::{Comparer, FetchError, FetchErrorKind, Refusal};

use crate::messages::{counted, say, thousands};

/// Hosts contacted at a time: most of it is waiting, above all for those that do not answer.
const MET_AT_ONCE: usize = 16;

/// At most this share of the budget goes into meeting hosts, which takes two requests each. The others are met when it is their turn.
const MAX_BUDGET_SHARE: u64 = 4;

/// URLs kept of a host: `robots.txt` may forbid some of them.
const MAX_URLS_ASKED: usize = 200;

/// Unreachable hosts that are named.
const MAX_HOSTS_NAMED: usize = 5;

/// The hosts of URLs that rules change.
#[derive(Default)]
pub(super) struct Hosts(BTreeMap<String, HostUrls>);

#[derive(Default)]
struct HostUrls {
    count: u64,
    some: Vec<Vec<u8>>,
}

/// What came of meeting hosts.
pub(super) struct Met {
    /// The longest pause that one of them asks for between requests.
    pub(super) pause: Duration,
    /// By host: why nothing can be fetched from it.
    pub(super) unreachable: BTreeMap<String, String>,
}

impl Hosts {
    pub(super) fn add(&mut self, url: &[u8]) {
        let host = self.0.entry(host_of(url)).or_default();
        host.count += 1;
        if host.some.len() < MAX_URLS_ASKED {
            host.some.push(url.to_vec());
        }
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Meet the hosts with most URLs. Fails where none of them can be reached; where some can, says which cannot.
    pub(super) fn meet(&self, comparer: &Comparer, budget: u64) -> Result<Met> {
        let most = usize::try_from(budget / MAX_BUDGET_SHARE / 2).unwrap_or(usize::MAX).max(1);
        let mut hosts: Vec<(&String, &HostUrls)> = self.0.iter().collect();
        hosts.sort_by_key(|(_, urls)| std::cmp::Reverse(urls.count));
        hosts.truncate(most);
        let reach = |(host, urls): (&String, &HostUrls)| {
            (host.clone(), comparer.reach(urls.some.iter().map(Vec::as_slice)))
        };
        let pool = ThreadPoolBuilder::new().num_threads(MET_AT_ONCE).build()?;
        let met: Vec<(String, Result<Duration, FetchError>)> =
            pool.install(|| hosts.into_par_iter().map(reach).collect());
        let pause = met.iter().filter_map(|(_, met)| met.as_ref().ok()).max().copied().unwrap_or_default();
        let count = met.len();
        let why = |(host, met): (String, Result<_, FetchError>)| Some((host, reason(&met.err()?.kind)));
        let unreachable: BTreeMap<String, String> = met.into_iter().filter_map(why).collect();
        if count > 0 && unreachable.len() == count {
            bail!(self.none_reached(&unreachable));
        }
        for line in self.lines(&unreachable) {
            say(&line);
        }
        Ok(Met { pause, unreachable })
    }

    fn none_reached(&self, unreachable: &BTreeMap<String, String>) -> String {
        match unreachable.iter().next() {
            Some((host, why)) if self.len() == 1 => format!("{host} cannot be reached: {why}"),
            _ => {
                let all = if unreachable.len() == self.len() { "" } else { " with most URLs" };
                let hosts = counted(unreachable.len() as u64, "host");
                let list: Vec<String> = named(unreachable, |host, why| format!("  {host}: {why}"));
                format!("none of the {hosts}{all} can be reached:\n{}", list.join("\n"))
            }
        }
    }

    /// What to say where some of the hosts cannot be reached.
    fn lines(&self, unreachable: &BTreeMap<String, String>) -> Vec<String> {
        named(unreachable, |host, why| {
            let urls = self.0.get(host).map_or(0, |urls| urls.count);
            format!("{host} cannot be reached: {why}; left out: {}", counted(urls, "URL"))
        })
    }
}

fn named(unreachable: &BTreeMap<String, String>, line: impl Fn(&str, &str) -> String) -> Vec<String> {
    let more = unreachable.len().saturating_sub(MAX_HOSTS_NAMED) as u64;
    let more = (more > 0).then(|| format!("… and {} more", thousands(more)));
    unreachable.iter().take(MAX_HOSTS_NAMED).map(|(host, why)| line(host, why)).chain(more).collect()
}

/// Scheme, host and port of a URL.
pub(super) fn host_of(url: &[u8]) -> String {
    let Some(split) = SplitUrl::new(url) else { return String::new() };
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let port = split.port().map_or_else(String::new, |port| format!(":{}", text(port)));
    format!("{}://{}{port}", text(split.scheme()), text(split.host()))
}

/// Why a host cannot be fetched from, and the option that changes that.
fn reason(kind: &FetchErrorKind) -> String {
    match kind {
        FetchErrorKind::Refused(refusal @ Refusal::Address { .. }) => {
            format!("{refusal} (--allow-private fetches from servers of your own)")
        }
        FetchErrorKind::Refused(refusal @ Refusal::CrawlDelay { .. }) => {
            format!("{refusal} (--max-crawl-delay)")
        }
        FetchErrorKind::Refused(refusal) => refusal.to_string(),
        kind => kind.to_string(),
    }
}
