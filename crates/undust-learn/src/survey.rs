//! What a person wants to see of a site beside its rules: its design, the duplicates that no rule explains, evidence that does not
//! agree, and what being bolder would bring.
//!
//! Linear in the site's URLs (but for sorting them), and what is kept of a site does not grow with it: counts, and some examples.

mod claims;
mod conflicts;
mod curve;
mod difference;
mod keys;
mod tree;
mod unexplained;

use std::borrow::Cow;

use serde::Serialize;
use undust::page::Page;
use undust::rules::SiteRules;
use undust::url::SiteBy;

use crate::site::Site;
pub use claims::Claims;
pub use conflicts::{Conflicts, TwoLabels, WrongPair};
pub use curve::{Point, curve};
pub use tree::Tree;
pub use unexplained::{FormPair, Unexplained};

/// What there is to see of a site.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Survey {
    /// Whether it is known which URLs are duplicates; without that there is nothing but a tree.
    pub labelled: bool,
    /// The patterns of its URLs.
    pub tree: Tree,
    /// What becomes of its URLs.
    pub fetches: Fetches,
    /// Duplicates that rules do not make equal.
    pub unexplained: Unexplained,
    /// What does not agree.
    pub conflicts: Conflicts,
}

/// What a crawl that has the rules does with the labelled URLs of a site. Each of them is counted once: the sum is their number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Fetches {
    /// Not fetched: rules make it equal to another URL.
    pub merged: u64,
    /// Not fetched: rules skip it.
    pub skipped: u64,
    /// Fetched, the only one or the simplest of its page.
    pub needed: u64,
    /// Fetched though its page is fetched under another URL: the duplicates that no rule explains.
    pub again: u64,
}

impl Fetches {
    /// URLs that are not fetched.
    pub fn spared(&self) -> u64 {
        self.merged + self.skipped
    }

    /// URLs that are fetched.
    pub fn fetched(&self) -> u64 {
        self.needed + self.again
    }
}

/// Looks at a site before its pages are dropped, and again when its rules are known.
pub struct Surveyor {
    site: Site,
    labelled: bool,
    two_labels: Vec<TwoLabels>,
    claims: Vec<Claims>,
}

impl Surveyor {
    /// Note what will be needed of the pages of the site `name`. Labels are not looked at if rules are not judged by them.
    pub fn new(name: &str, pages: &[Page], judged: bool) -> Surveyor {
        let labelled = judged && pages.iter().any(|page| page.label().is_some());
        if !labelled {
            let site = Site::of_urls(name, pages);
            return Surveyor { site, labelled, two_labels: Vec::new(), claims: Vec::new() };
        }
        let site = Site::new(name, pages, 0);
        let two_labels = if site.contradictions > 0 { conflicts::two_labels(pages) } else { Vec::new() };
        let claims = claims::find(&site, pages);
        Surveyor { site, labelled, two_labels, claims }
    }

    /// What there is to see, now that the site has these rules.
    pub fn survey(self, rules: &SiteRules, site_by: SiteBy) -> Survey {
        let tree = Tree::of(&self.site);
        if !self.labelled {
            return Survey { tree, ..Survey::default() };
        }
        let merged = keys::Merged::new(&self.site, rules, site_by);
        let mut conflicts = conflicts::find(&self.site, &merged, rules, site_by);
        conflicts.two_labels = self.two_labels;
        conflicts.claims = self.claims;
        let unexplained = unexplained::find(&self.site, &merged);
        let (merged, skipped) = merged.spared();
        let needed = self.site.clusters() as u64 - conflicts.lost;
        let fetches = Fetches { merged, skipped, needed, again: unexplained.urls };
        Survey { labelled: true, tree, fetches, unexplained, conflicts }
    }
}

/// Length of a text that is shown, in characters; longer ones are cut.
const MAX_TEXT_CHARS: usize = 400;

/// A text that is fit to be shown: URLs may be of any length.
pub fn shortened(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(MAX_TEXT_CHARS) {
        None => Cow::Borrowed(text),
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
    }
}

/// Bytes as text that is fit to be shown.
fn shown(bytes: &[u8]) -> String {
    shortened(&String::from_utf8_lossy(bytes)).into_owned()
}

fn url_of(site: &Site, row: u32) -> String {
    shown(&bytes_of(site, row))
}

fn bytes_of(site: &Site, row: u32) -> Vec<u8> {
    let mut url = Vec::new();
    site.write_url(row, &mut url);
    url
}

#[cfg(test)]
mod tests;
