//! What pages say of themselves, held against their labels.

use std::collections::HashMap;

use serde::Serialize;
use undust::page::Page;
use xxhash_rust::xxh3::xxh3_64;

use super::conflicts::{MAX_EXAMPLES, hash};
use super::shown;
use crate::site::Site;

/// Claims of one kind.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Claims {
    /// Who claims it: a canonical link, a redirect.
    pub kind: &'static str,
    /// Labelled pages that are said to be another labelled URL of the site.
    pub claims: u64,
    /// Of these, pages whose label is not that of the URL.
    pub refuted: u64,
    /// Some of those: the page's URL, and the one it is said to be.
    pub examples: Vec<[String; 2]>,
}

type Claim = fn(&Page) -> Option<&str>;

/// The claims of a site's pages, by kind; kinds without claims are left out.
pub(super) fn find(site: &Site, pages: &[Page]) -> Vec<Claims> {
    let kinds: [(&str, Claim); 2] =
        [("canonical link", |page| page.canonical.as_deref()), ("redirect", |page| page.redirect.as_deref())];
    if !pages.iter().any(|page| kinds.iter().any(|(_, claim)| claim(page).is_some())) {
        return Vec::new();
    }
    let labels = labels(site);
    let found = kinds.into_iter().map(|(kind, claim)| claims(kind, claim, pages, &labels));
    found.filter(|found| found.claims > 0).collect()
}

/// The label of each URL, both as hashes.
fn labels(site: &Site) -> HashMap<u64, u64> {
    let mut url = Vec::new();
    let label = |row: u32| {
        url.clear();
        site.write_url(row, &mut url);
        (xxh3_64(&url), site.label(site.cluster(row)))
    };
    (0..site.len() as u32).map(label).collect()
}

fn claims(kind: &'static str, claim: Claim, pages: &[Page], labels: &HashMap<u64, u64>) -> Claims {
    let mut found = Claims { kind, claims: 0, refuted: 0, examples: Vec::new() };
    let mut refuted: Vec<(u64, &Page, &str)> = Vec::new();
    for page in pages {
        let (Some(label), Some(target)) = (page.label(), claim(page)) else { continue };
        let (from, to) = (hash(&page.url), hash(target.as_bytes()));
        let Some(theirs) = labels.get(&to).filter(|_| from != to) else { continue };
        found.claims += 1;
        if *theirs != xxh3_64(label.as_bytes()) {
            found.refuted += 1;
            refuted.push((from, page, target));
        }
    }
    // By hash: the order of the input does not matter.
    refuted.sort_unstable_by_key(|(url, _, target)| (*url, *target));
    let pair = |(_, page, target): &(u64, &Page, &str)| [shown(&page.url), shown(target.as_bytes())];
    found.examples = refuted.iter().take(MAX_EXAMPLES).map(pair).collect();
    found
}
