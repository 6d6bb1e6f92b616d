//! Rules in the formats of other tools, and theirs in ours. One file per format; what a format cannot say is listed, never dropped in silence.
//!
//! Exports are in URL form (what other tools make of a URL may be fetched) and speak of rules in force alone. Two translations carry
//! all formats: [`meaning`] tells rules that only drop or order parameters, [`regex_of`] turns templates into regular expressions.

mod apache;
mod clean_param;
mod clearurls;
mod collect;
mod dialect;
mod duplicate_url_discarder;
mod error;
mod in_force;
mod known;
mod meaning;
mod nginx;
mod no_vary_search;
mod nutch;
mod place;
mod plain;
mod redirects;
mod regex_of;
mod regex_read;
mod removeparam;

use std::fmt;
use std::str::FromStr;

use undust::rules::RuleSet;

use dialect::{APACHE, Dialect, NGINX};
pub use error::{ImportError, UnknownFormat};
use in_force::in_force;
pub use known::{Answer, Known};
pub use redirects::to_ask;

/// A format of another tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// Rules of zytedata/duplicate-url-discarder, JSON.
    DuplicateUrlDiscarder,
    /// `regex-normalize.xml` of Apache Nutch and `StormCrawler`.
    Nutch,
    /// The rules of `ClearURLs`, JSON.
    ClearUrls,
    /// Filters of `AdGuard` and uBlock Origin.
    RemoveParam,
    /// A configuration of nginx.
    Nginx,
    /// A configuration of Apache's `mod_rewrite`.
    Apache,
    /// Lines of robots.txt.
    CleanParam,
    /// Headers of HTTP responses.
    NoVarySearch,
    /// Regular expressions, a line of JSON each.
    Regex,
}

impl Format {
    /// Every format, with the name it goes by.
    pub const NAMED: [(&'static str, Format); 9] = [
        ("duplicate-url-discarder", Format::DuplicateUrlDiscarder),
        ("nutch", Format::Nutch),
        ("clearurls", Format::ClearUrls),
        ("removeparam", Format::RemoveParam),
        ("nginx", Format::Nginx),
        ("apache", Format::Apache),
        ("clean-param", Format::CleanParam),
        ("no-vary-search", Format::NoVarySearch),
        ("regex", Format::Regex),
    ];

    /// The formats that can be read, too.
    pub const READ: [Format; 4] =
        [Format::DuplicateUrlDiscarder, Format::Nutch, Format::ClearUrls, Format::RemoveParam];

    /// What it is called.
    pub fn name(self) -> &'static str {
        Format::NAMED.iter().find(|(_, format)| *format == self).map_or("", |(name, _)| name)
    }

    /// Whether it makes a server redirect.
    pub fn redirects(self) -> bool {
        self.dialect().is_some()
    }

    /// How redirects are written.
    fn dialect(self) -> Option<Dialect> {
        match self {
            Format::Apache => Some(APACHE),
            Format::Nginx => Some(NGINX),
            _ => None,
        }
    }

    /// What the format cannot tell apart, whatever the rule, so that its users do a little more or less than our rules say.
    pub fn liberties(self) -> &'static [&'static str] {
        match self {
            Format::DuplicateUrlDiscarder => duplicate_url_discarder::LIBERTIES,
            Format::ClearUrls => clearurls::LIBERTIES,
            Format::RemoveParam => removeparam::LIBERTIES,
            Format::CleanParam => clean_param::LIBERTIES,
            Format::NoVarySearch => no_vary_search::LIBERTIES,
            Format::Nutch | Format::Regex => regex_of::LIBERTIES,
            Format::Nginx | Format::Apache => &regex_of::LIBERTIES[1..],
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(name: &str) -> Result<Format, UnknownFormat> {
        let known = Format::NAMED.iter().find(|(known, _)| *known == name);
        known.map(|(_, format)| *format).ok_or_else(|| UnknownFormat { name: name.to_owned() })
    }
}

/// Something that the other side cannot say.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub struct LeftOut {
    /// The rule, as it is written on this side; where it was read, its place comes first.
    pub what: String,
    /// Why it cannot be said.
    pub reason: String,
}

impl LeftOut {
    pub(crate) fn new(what: impl Into<String>, reason: impl Into<String>) -> LeftOut {
        LeftOut { what: what.into(), reason: reason.into() }
    }
}

/// Rules in another format.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Exported {
    /// What to write into the file.
    pub text: String,
    /// How many of our rules it says.
    pub rules: usize,
    /// The rules in force that it does not say.
    pub left_out: Vec<LeftOut>,
}

/// Rules from another format.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Imported {
    /// The rules, which [`undust::apply::check`] has nothing against.
    pub rules: RuleSet,
    /// What they do not say.
    pub left_out: Vec<LeftOut>,
}

/// The rules of `set` that are in force, in `format`.
pub fn export(set: &RuleSet, format: Format) -> Exported {
    export_with(set, format, &Known::default())
}

/// [`export`], without redirects that by what is `known` of the site would take pages offline.
pub fn export_with(set: &RuleSet, format: Format, known: &Known) -> Exported {
    let (rules, mut left_out) = in_force(set);
    let written = match format {
        Format::DuplicateUrlDiscarder => duplicate_url_discarder::export(&rules),
        Format::Nutch => nutch::export(&rules),
        Format::ClearUrls => clearurls::export(&rules),
        Format::RemoveParam => removeparam::export(&rules),
        Format::Nginx => {
            let (kept, left_out) = redirects::safe(set, &rules, NGINX, known);
            Written { text: nginx::write(&kept), left_out }
        }
        Format::Apache => {
            let (kept, left_out) = redirects::safe(set, &rules, APACHE, known);
            Written { text: apache::write(&kept), left_out }
        }
        Format::CleanParam => clean_param::export(&rules),
        Format::NoVarySearch => no_vary_search::export(&rules),
        Format::Regex => plain::export(&rules),
    };
    let said = rules.len() - written.left_out.len();
    left_out.extend(written.left_out);
    Exported { text: written.text, rules: said, left_out }
}

/// Read rules from `text`, a file in `format`. An error is about the file as a whole.
pub fn import(text: &str, format: Format) -> Result<Imported, ImportError> {
    let collected = match format {
        Format::DuplicateUrlDiscarder => duplicate_url_discarder::import(text)?,
        Format::Nutch => nutch::import(text)?,
        Format::ClearUrls => clearurls::import(text)?,
        Format::RemoveParam => removeparam::import(text),
        _ => return Err(ImportError::ExportOnly(format)),
    };
    Ok(collected.finish())
}

/// What a format makes of all rules; each rule is said or left out once.
pub(crate) struct Written {
    pub(crate) text: String,
    pub(crate) left_out: Vec<LeftOut>,
}
