//! What trying out rules will take, known before anything is asked.

use std::collections::HashSet;

use undust::apply::Form;
use undust::rules::Rule;
use undust::url::SiteBy;
use xxhash_rust::xxh3::xxh3_64;

use super::is_open;
use super::queue::all_that_may_be_tried;
use super::trials::each_change;
use crate::listing::Listing;

/// What trying out the open rules of a site may take.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// How many rules are to be tried.
    pub rules: u64,
    /// By the position of a rule: how many URLs of the list it changes; 0 where it is decided.
    pub changed: Vec<u64>,
    /// The rows of the list that some rule changes, in order.
    pub rows: Vec<u32>,
    /// At most so many pages are compared, or this is the limit given.
    pub pages: u64,
}

impl Plan {
    /// The plan for `rules` on the URLs of a site; pages are counted up to `most_pages`.
    pub fn new(rules: &[Rule], site: &str, site_by: SiteBy, urls: &Listing, most_pages: u64) -> Plan {
        let positions: Vec<usize> = (0..rules.len()).filter(|&at| is_open(&rules[at])).collect();
        let tried: Vec<Rule> = all_that_may_be_tried(rules).collect();
        let mut plan =
            Plan { rules: positions.len() as u64, changed: vec![0; rules.len()], ..Plan::default() };
        let mut pages = HashSet::new();
        let mut note = |url: &[u8]| {
            if (pages.len() as u64) < most_pages {
                pages.insert(xxh3_64(url));
            }
        };
        let by = |form| (site, site_by, form);
        each_change(&tried, by(Form::Key), urls.urls(), |rule, row, _| {
            note(urls.url(row));
            // Open rules come first, then those the other way round.
            if let Some(&at) = positions.get(rule) {
                plan.changed[at] += 1;
            }
            if plan.rows.last() != Some(&row) {
                plan.rows.push(row);
            }
        });
        // A URL is compared with what it becomes, or with another one that is changed, too.
        each_change(&tried, by(Form::Url), urls.urls(), |_, _, after| note(after));
        plan.pages = pages.len() as u64;
        plan
    }
}
