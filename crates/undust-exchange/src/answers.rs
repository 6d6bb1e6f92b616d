//! Known answers of a site: from crawls and logs, from validation, or requested just now.

use std::collections::{BTreeMap, BTreeSet};

use undust::rules::{RuleSet, TriedUrl};
use undust::url::normalize;

/// The answer to a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// A page.
    Page,
    /// A redirect, with its target if known.
    Moved(Option<Vec<u8>>),
    /// No page, and why.
    Failed(String),
    /// No reliable answer: none at all, or a server in trouble.
    Unknown,
}

impl Answer {
    /// A redirect from `url` to `target`. One to itself is no reliable answer: it is what a client without cookies may get.
    pub fn redirect(url: &[u8], target: &[u8]) -> Answer {
        let target = normalize(target).into_owned();
        if target == *normalize(url) { Answer::Unknown } else { Answer::Moved(Some(target)) }
    }

    /// The answer that a status stands for, without the target of a redirect.
    pub fn of_status(status: u16) -> Answer {
        match status {
            200..300 | 304 => Answer::Page,
            300..400 => Answer::Moved(None),
            // Too slow, too early, too often: another time it may be a page.
            408 | 425 | 429 => Answer::Unknown,
            400..500 => Answer::Failed(format!("status {status}")),
            _ => Answer::Unknown,
        }
    }
}

/// Known answers of a site, by URL.
#[derive(Clone, Debug, Default)]
pub struct KnownAnswers {
    answers: BTreeMap<Vec<u8>, Answer>,
    /// The URLs that were requested just now.
    requested: BTreeSet<Vec<u8>>,
    /// Whether rules are left out that are not known to lead to a page.
    pub requires_page: bool,
}

impl KnownAnswers {
    /// Answers recorded by `validate` in the rules: URLs without a page, where there was one before. (That a URL led to the same page
    /// may be thanks to a redirect.)
    pub fn from_validation(set: &RuleSet) -> KnownAnswers {
        let mut known = KnownAnswers::default();
        let samples = set.rules().filter_map(|(_, rule)| rule.validation.as_ref()).flat_map(|v| &v.samples);
        for TriedUrl { url, with, why, .. } in samples.filter(|sample| !sample.same) {
            if let Some(why) = why.as_ref().filter(|why| tells_of_no_page(why)) {
                known.add(url.as_bytes(), Answer::Page);
                known.add(with.as_bytes(), Answer::Failed(why.clone()));
            }
        }
        known
    }

    /// Add an answer; it replaces an earlier one for the same URL.
    pub fn add(&mut self, url: &[u8], answer: Answer) {
        self.answers.insert(normalize(url).into_owned(), answer);
    }

    /// Add the answer to a request made just now.
    pub fn add_requested(&mut self, url: &[u8], answer: Answer) {
        self.requested.insert(normalize(url).into_owned());
        self.add(url, answer);
    }

    pub(crate) fn urls(&self) -> impl Iterator<Item = &[u8]> {
        self.answers.keys().map(Vec::as_slice)
    }

    pub(crate) fn answer(&self, url: &[u8]) -> Option<&Answer> {
        self.answers.get(url)
    }

    /// The answer, if the URL was requested just now.
    pub(crate) fn requested(&self, url: &[u8]) -> Option<&Answer> {
        self.requested.get(url).and_then(|url| self.answers.get(url))
    }

    /// Whether `url` was no page when a crawl saw it, so that it need not be requested.
    pub(crate) fn is_known_without_page(&self, url: &[u8]) -> bool {
        !self.requested.contains(url)
            && matches!(self.answers.get(url), Some(Answer::Moved(_) | Answer::Failed(_)))
    }

    /// Whether `url` was requested just now, and is no page.
    pub(crate) fn requested_without_page(&self, url: &[u8]) -> bool {
        self.requested(url).is_some_and(|answer| *answer != Answer::Page)
    }
}

/// `validate` notes a status, or what is wrong with redirects, where it got no page; else that it got another one.
fn tells_of_no_page(why: &str) -> bool {
    why.parse::<u16>().is_ok() || why.contains("redirects")
}
