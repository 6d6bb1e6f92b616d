//! What a site is known to answer: from crawls and logs, from validation, or asked for just now.

use std::collections::{BTreeMap, BTreeSet};

use undust::rules::{RuleSet, TriedUrl};
use undust::url::normalize;

/// What came of asking for a URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// A page.
    Page,
    /// A redirect; where to, if that is known.
    Moved(Option<Vec<u8>>),
    /// No page, and why.
    Failed(String),
    /// Nothing to rely on: no answer, or a server in trouble.
    Unknown,
}

impl Answer {
    /// A redirect from `url` to `target`. One to itself is no answer: whoever asks without cookies may be asked to come again.
    pub fn redirect(url: &[u8], target: &[u8]) -> Answer {
        let target = normalize(target).into_owned();
        if target == *normalize(url) { Answer::Unknown } else { Answer::Moved(Some(target)) }
    }

    /// What a status says of a URL, redirects apart.
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

/// What is known of a site's answers.
#[derive(Clone, Debug, Default)]
pub struct Known {
    answers: BTreeMap<Vec<u8>, Answer>,
    /// The URLs that were asked for just now.
    asked: BTreeSet<Vec<u8>>,
    /// Whether a rule is only written if it is known to lead to some page.
    pub must_be_tried: bool,
}

impl Known {
    /// What `validate` left in the rules: URLs without a page, where there was one before. (That a URL led to the same page may be
    /// thanks to a redirect.)
    pub fn of_rules(set: &RuleSet) -> Known {
        let mut known = Known::default();
        let samples = set.rules().filter_map(|(_, rule)| rule.validation.as_ref()).flat_map(|v| &v.samples);
        for TriedUrl { url, with, why, .. } in samples.filter(|sample| !sample.same) {
            if let Some(why) = why.as_ref().filter(|why| tells_of_no_page(why)) {
                known.add(url.as_bytes(), Answer::Page);
                known.add(with.as_bytes(), Answer::Failed(why.clone()));
            }
        }
        known
    }

    /// Add what came of a URL; what is added later counts.
    pub fn add(&mut self, url: &[u8], answer: Answer) {
        self.answers.insert(normalize(url).into_owned(), answer);
    }

    /// Add what came of asking for a URL just now.
    pub fn add_asked(&mut self, url: &[u8], answer: Answer) {
        self.asked.insert(normalize(url).into_owned());
        self.add(url, answer);
    }

    pub(crate) fn urls(&self) -> impl Iterator<Item = &[u8]> {
        self.answers.keys().map(Vec::as_slice)
    }

    pub(crate) fn answer(&self, url: &[u8]) -> Option<&Answer> {
        self.answers.get(url)
    }

    /// The answer, if it was asked for just now.
    pub(crate) fn asked(&self, url: &[u8]) -> Option<&Answer> {
        self.asked.get(url).and_then(|url| self.answers.get(url))
    }

    /// Whether it makes no sense to ask for `url`: it was no page when it was seen.
    pub(crate) fn is_useless(&self, url: &[u8]) -> bool {
        !self.asked.contains(url)
            && matches!(self.answers.get(url), Some(Answer::Moved(_) | Answer::Failed(_)))
    }

    /// Whether `url` was asked for, and is no page.
    pub(crate) fn was_in_vain(&self, url: &[u8]) -> bool {
        self.asked(url).is_some_and(|answer| *answer != Answer::Page)
    }
}

/// `validate` notes a status, or what is wrong with redirects, where it got no page; else that it got another one.
fn tells_of_no_page(why: &str) -> bool {
    why.parse::<u16>().is_ok() || why.contains("redirects")
}
