//! Export of rules to the formats of other tools, and import from them. One file per format; what a format cannot express is listed, never
//! dropped in silence.
//!
//! Exports are in URL form (other tools may fetch the URLs they make) and hold active rules only. Two translations carry all
//! formats: `param_rule` recognises rules that only drop or sort parameters, `to_regex` turns templates into regular expressions.
//!
//! ```
//! use undust::rules::{Action, Rule, RuleSet};
//! use undust::url::SiteBy;
//! use undust_exchange::{Format, export, import};
//!
//! let drop_sid = Action::rewrite("{s}://{...}/{...}?sid={?}&{...}", "{s}://{...}/{...}?{...}")?;
//! let rules = RuleSet::of_site("example.org", SiteBy::Domain, vec![Rule::new(drop_sid)]);
//! let exported = export(&rules, Format::RemoveParam);
//! assert_eq!(exported.text, "||example.org/$removeparam=sid\n");
//! assert_eq!(import(&exported.text, Format::RemoveParam)?.rules.rules().count(), 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod active;
mod answers;
mod apache;
mod clean_param;
mod clearurls;
mod collect;
mod dialect;
mod duplicate_url_discarder;
mod error;
mod from_regex;
mod nginx;
mod no_vary_search;
mod nutch;
mod param_rule;
mod plain;
mod redirects;
mod removeparam;
mod to_regex;
mod url_pattern;

use std::fmt;
use std::str::FromStr;

use undust::rules::RuleSet;

use active::active;
pub use answers::{Answer, KnownAnswers};
use dialect::{APACHE, Dialect, NGINX};
pub use error::{ImportError, UnknownFormat};
pub use redirects::urls_to_request;

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
    /// Every format, with its name.
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

    /// The formats that [`import`] reads.
    pub const READ: [Format; 4] =
        [Format::DuplicateUrlDiscarder, Format::Nutch, Format::ClearUrls, Format::RemoveParam];

    /// Its name, as on the command line.
    pub fn name(self) -> &'static str {
        Format::NAMED.iter().find(|(_, format)| *format == self).map_or("", |(name, _)| name)
    }

    /// Whether it configures redirects of a server.
    pub fn redirects(self) -> bool {
        self.dialect().is_some()
    }

    /// The dialect of its redirects.
    fn dialect(self) -> Option<Dialect> {
        match self {
            Format::Apache => Some(APACHE),
            Format::Nginx => Some(NGINX),
            _ => None,
        }
    }

    /// Where every rule in this format does a little more or less than the rule it was made from.
    pub fn caveats(self) -> &'static [&'static str] {
        match self {
            Format::DuplicateUrlDiscarder => duplicate_url_discarder::CAVEATS,
            Format::ClearUrls => clearurls::CAVEATS,
            Format::RemoveParam => removeparam::CAVEATS,
            Format::CleanParam => clean_param::CAVEATS,
            Format::NoVarySearch => no_vary_search::CAVEATS,
            Format::Nutch | Format::Regex => to_regex::CAVEATS,
            Format::Nginx | Format::Apache => &to_regex::CAVEATS[1..],
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

/// A rule or entry that cannot be expressed in the other format.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub struct LeftOut {
    /// The rule as it is written in the format it comes from; in an import, behind its place.
    pub what: String,
    /// Why, in words for the user.
    pub reason: String,
}

impl LeftOut {
    pub(crate) fn new(what: impl Into<String>, reason: impl Into<String>) -> LeftOut {
        LeftOut { what: what.into(), reason: reason.into() }
    }
}

/// The result of an export.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Exported {
    /// The content of the file.
    pub text: String,
    /// Number of rules in it.
    pub rules: usize,
    /// The active rules that are not in it.
    pub left_out: Vec<LeftOut>,
}

/// The result of an import.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Imported {
    /// The rules, without findings of [`undust::apply::check`].
    pub rules: RuleSet,
    /// The entries that are not among them.
    pub left_out: Vec<LeftOut>,
}

/// Export the active rules of `set` to `format`.
pub fn export(set: &RuleSet, format: Format) -> Exported {
    export_with(set, format, &KnownAnswers::default())
}

/// [`export`], without redirects that would take pages offline, judged by `known` answers of the site.
pub fn export_with(set: &RuleSet, format: Format, known: &KnownAnswers) -> Exported {
    let (rules, mut left_out) = active(set);
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
    let exported = rules.len() - written.left_out.len();
    left_out.extend(written.left_out);
    Exported { text: written.text, rules: exported, left_out }
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

/// The text of an export; each rule is in it or left out, once.
pub(crate) struct Written {
    pub(crate) text: String,
    pub(crate) left_out: Vec<LeftOut>,
}
