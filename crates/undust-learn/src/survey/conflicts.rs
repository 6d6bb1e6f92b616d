//! Where evidence does not agree: with itself, or with the rules.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde::Serialize;
use undust::apply::{Form, Naive};
use undust::page::Page;
use undust::rules::{RuleSet, SiteRules};
use undust::url::{SiteBy, normalize};
use xxhash_rust::xxh3::xxh3_64;

use super::claims::Claims;
use super::keys::{Entry, Merged};
use super::{shortened, shown, url_of};
use crate::site::Site;

/// What does not agree.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Conflicts {
    /// URLs that rules make equal to URLs of another page, which is the one kept.
    pub wrong: u64,
    /// Pages of which no URL is fetched any more.
    pub lost: u64,
    /// Some URLs that are wrong so.
    pub wrong_pairs: Vec<WrongPair>,
    /// Some URLs with several labels.
    pub two_labels: Vec<TwoLabels>,
    /// What pages say of themselves, and labels do not.
    pub claims: Vec<Claims>,
}

/// Two URLs that rules make equal though their pages differ.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WrongPair {
    /// The URL that is taken for the other one.
    pub url: String,
    /// A URL of the page kept.
    pub kept: String,
    /// The rules that did it, in the order in which they fire.
    pub rules: Vec<String>,
}

/// A URL with several labels.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TwoLabels {
    /// The URL.
    pub url: String,
    /// Its labels, the first ones in the alphabet; that which counted is the first.
    pub labels: Vec<String>,
}

/// Number of examples kept of each kind.
pub(super) const MAX_EXAMPLES: usize = 8;
/// Number of labels kept of a URL.
const MAX_LABELS: usize = 4;

/// What the rules do that labels do not bear out.
pub(super) fn find(site: &Site, merged: &Merged, rules: &SiteRules, site_by: SiteBy) -> Conflicts {
    let mut found = Conflicts::default();
    let mut covered = vec![false; site.clusters()];
    let mut pairs = Vec::new();
    for of_key in merged.by_key() {
        let kept = merged.kept(of_key[0].key);
        covered[kept as usize] |= merged.is_fetched(of_key[0].key);
        let is_kept = |entry: &&Entry| entry.cluster == kept;
        let Some(there) = of_key.iter().find(is_kept) else { continue };
        let mut wrong = of_key.iter().filter(|entry| !is_kept(entry)).peekable();
        // One example of each key: the next one would show the same.
        pairs.extend(wrong.peek().filter(|_| pairs.len() < MAX_EXAMPLES).map(|entry| (entry.row, there.row)));
        found.wrong += wrong.count() as u64;
    }
    found.lost = covered.iter().filter(|covered| !**covered).count() as u64;
    let set = RuleSet::of_site(&rules.site, site_by, rules.rules.clone());
    found.wrong_pairs = pairs.into_iter().map(|pair| wrong_pair(site, &set, pair)).collect();
    found
}

fn wrong_pair(site: &Site, set: &RuleSet, (row, kept): (u32, u32)) -> WrongPair {
    let engine = Naive::new(set, Form::Key);
    let mut rules: Vec<String> = Vec::new();
    for row in [row, kept] {
        let mut url = Vec::new();
        site.write_url(row, &mut url);
        for rule in engine.trace(&url).steps.into_iter().filter_map(|step| step.rule) {
            if !rules.contains(&rule.id) {
                rules.push(rule.id.clone());
            }
        }
    }
    WrongPair { url: url_of(site, row), kept: url_of(site, kept), rules }
}

/// Some URLs that have several labels, whatever the order of the pages.
pub(super) fn two_labels(pages: &[Page]) -> Vec<TwoLabels> {
    let labelled = || pages.iter().filter_map(|page| Some((hash(&page.url), page.label()?, page)));
    let (mut first, mut chosen) = (HashMap::new(), BTreeMap::new());
    for (url, label, _) in labelled() {
        if *first.entry(url).or_insert(label) != label {
            chosen.insert(url, BTreeSet::new());
        }
        if chosen.len() > MAX_EXAMPLES {
            chosen.pop_last();
        }
    }
    let mut texts: BTreeMap<u64, String> = BTreeMap::new();
    for (url, label, page) in labelled() {
        if let Some(labels) = chosen.get_mut(&url) {
            labels.insert(label);
            texts.entry(url).or_insert_with(|| shown(&normalize(&page.url)));
        }
    }
    let labels = |labels: BTreeSet<&str>| {
        labels.into_iter().take(MAX_LABELS).map(|label| shortened(label).into_owned()).collect()
    };
    chosen
        .into_values()
        .zip(texts.into_values())
        .map(|(l, url)| TwoLabels { url, labels: labels(l) })
        .collect()
}

/// URLs are the same if they are the same when normalised.
pub(super) fn hash(url: &[u8]) -> u64 {
    xxh3_64(&normalize(url))
}
