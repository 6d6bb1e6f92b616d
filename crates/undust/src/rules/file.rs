//! The rule file: JSON, versioned, made to be read in a diff. Text in, [`RuleSet`] out, and back.

use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};

use super::{
    Action, EVERY_SITE, Evidence, Learned, ModelFile, Review, Rule, RuleClass, RuleSet, SiteRules,
    SyntaxError, Validation, classify, is_site_name,
};
use crate::url::SiteBy;

/// The version of the format this release writes, and the only one it reads.
const VERSION: u32 = 1;

/// Why a text is not a rule file. The message holds all there is to say: there is no [`source`](std::error::Error::source).
///
/// ```
/// use undust::{FileError, RuleSet};
///
/// let error = RuleSet::from_json(r#"{"undust": 99, "sites": []}"#).unwrap_err();
/// assert!(matches!(error, FileError::Version(99)));
/// assert_eq!(error.to_string(), "the rule file has version 99; this release reads version 1");
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    /// Empty, not JSON, or JSON of something else; says which.
    #[error("not a rule file: {0}. A rule file is a JSON object with \"undust\": {VERSION} and \"sites\"")]
    NoRules(&'static str),
    /// Broken JSON, cut off, or with fields of the wrong kind; the message names line and column.
    #[error("not a rule file: {0}")]
    Json(serde_json::Error),
    /// Another version of the format.
    #[error("the rule file has version {0}; this release reads version {VERSION}")]
    Version(u32),
    /// A rule that does not parse.
    #[error("site '{site}', rule {number}: {error}")]
    Rule {
        /// Its site.
        site: String,
        /// Its number among the rules of the site, counted from 1.
        number: usize,
        /// The error in its notation.
        error: SyntaxError,
    },
    /// A rule with fields of several kinds of rules, or without those of any.
    #[error(
        "site '{site}', rule {number}: a rule has 'match' and 'rewrite', 'replace' and 'with', or 'match' and 'skip'"
    )]
    RuleFields {
        /// Its site.
        site: String,
        /// Its number among the rules of the site, counted from 1.
        number: usize,
    },
    /// Two entries for one site.
    #[error("site '{0}' stands in the file twice")]
    SiteTwice(String),
    /// A site whose rules no URL would find: its name is not a host in lower case.
    #[error(
        "site '{0}' is neither a host in lower case nor '{EVERY_SITE}': none of its rules would be applied"
    )]
    SiteName(String),
}

impl RuleSet {
    /// Reads a rule file.
    ///
    /// ```
    /// # use undust::RuleSet;
    /// let file = r#"{"undust": 1, "sites": [{"site": "example.com", "rules": [
    ///     {"match": "http://example.com/{id:digits}/{title}", "rewrite": "http://example.com/{id}"}]}]}"#;
    /// assert_eq!(RuleSet::from_json(file)?.rules().count(), 1);
    /// # Ok::<(), undust::FileError>(())
    /// ```
    pub fn from_json(text: &str) -> Result<RuleSet, FileError> {
        match version(text)? {
            VERSION => {}
            other => return Err(FileError::Version(other)),
        }
        let file: File = serde_json::from_str(text).map_err(FileError::Json)?;
        let mut sites = Vec::with_capacity(file.sites.len());
        for site in file.sites {
            sites.push(read_site(site, file.normalize)?);
        }
        sites.sort_by(|a, b| a.site.cmp(&b.site));
        if let Some(twice) = sites.windows(2).find(|w| w[0].site == w[1].site) {
            return Err(FileError::SiteTwice(twice[0].site.clone()));
        }
        if let Some(site) = sites.iter().find(|site| !is_site_name(&site.site)) {
            return Err(FileError::SiteName(site.site.clone()));
        }
        let File { normalize, site_by, learned, model, .. } = file;
        Ok(RuleSet { normalize, site_by, learned, model, sites })
    }

    /// Writes a rule file: sites sorted, rules in order, two spaces of indentation, a newline at the end.
    ///
    /// ```
    /// # use undust::RuleSet;
    /// let text = RuleSet::default().to_json();
    /// assert!(text.starts_with("{\n  \"undust\": 1,\n") && text.ends_with("}\n"));
    /// ```
    #[expect(clippy::missing_panics_doc, reason = "plain data always serializes")]
    pub fn to_json(&self) -> String {
        let mut sites: Vec<&SiteRules> = self.sites.iter().collect();
        sites.sort_by(|a, b| a.site.cmp(&b.site));
        let file = File {
            undust: VERSION,
            normalize: self.normalize,
            site_by: self.site_by,
            learned: self.learned.clone(),
            model: self.model.clone(),
            sites: sites.into_iter().map(write_site).collect(),
        };
        let mut text = serde_json::to_string_pretty(&file).expect("plain data always serializes");
        text.push('\n');
        text
    }
}

/// The JSON schema of the rule file.
#[cfg(feature = "schema")]
#[expect(clippy::missing_panics_doc, reason = "plain data always serializes")]
pub fn schema() -> String {
    let schema = schemars::schema_for!(File);
    let mut text = serde_json::to_string_pretty(&schema).expect("plain data always serializes");
    text.push('\n');
    text
}

/// What must be readable before anything else is believed.
#[derive(Deserialize)]
struct Head {
    undust: Option<u32>,
}

/// The version that a rule file names.
fn version(text: &str) -> Result<u32, FileError> {
    let is_json = || serde_json::from_str::<IgnoredAny>(text).is_ok();
    let what = match text.trim_start().chars().next() {
        None => "it is empty",
        Some('{') => {
            let head: Head = serde_json::from_str(text).map_err(FileError::Json)?;
            return head.undust.ok_or(FileError::NoRules("it is a JSON object of another kind"));
        }
        Some('[') if is_json() => "it is a JSON list",
        Some(_) if is_json() => "it is a single JSON value",
        Some(_) => "it is no JSON",
    };
    Err(FileError::NoRules(what))
}

fn yes() -> bool {
    true
}

/// The rules of undust.
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(title = "undust rule file"))]
#[serde(deny_unknown_fields)]
struct File {
    /// Version of the format: 1.
    undust: u32,
    /// Whether URLs are normalised before and between rules (default true).
    #[serde(default = "yes")]
    normalize: bool,
    /// How hosts are grouped into sites (default "domain").
    #[serde(default)]
    site_by: SiteBy,
    /// How the set was learned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    learned: Option<Learned>,
    /// The file with models for what rules cannot say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    model: Option<ModelFile>,
    /// The sites and their rules.
    sites: Vec<FileSite>,
}

/// The rules of one site, tried in order.
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct FileSite {
    /// A host or registrable domain; "*" for every site.
    site: String,
    /// Its rules, tried in order.
    rules: Vec<FileRule>,
}

/// One rule: `match` and `rewrite` (templates), `replace` and `with` (a substitution), or `match` and `skip`.
#[derive(Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
struct FileRule {
    /// Stable name; made from the rule when left out.
    #[serde(skip_serializing_if = "String::is_empty")]
    id: String,
    /// Which URLs: a template.
    #[serde(rename = "match", skip_serializing_if = "Option::is_none")]
    matches: Option<String>,
    /// What they become: a template.
    #[serde(skip_serializing_if = "Option::is_none")]
    rewrite: Option<String>,
    /// They need not be fetched: they lead to pages that other URLs lead to as well. Asked of the canonical form, which stays as it is.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    skip: bool,
    /// Which piece of a URL is replaced; `^` and `$` anchor it.
    #[serde(skip_serializing_if = "Option::is_none")]
    replace: Option<String>,
    /// What replaces it.
    #[serde(skip_serializing_if = "Option::is_none")]
    with: Option<String>,
    /// DUST, IRP or REGX (rewrite, section 5.2); told from the rule, ignored when read.
    #[serde(skip_serializing_if = "Option::is_none")]
    class: Option<RuleClass>,
    /// The learner that proposed it.
    #[serde(skip_serializing_if = "Option::is_none")]
    learner: Option<String>,
    /// What was seen of it in the data.
    #[serde(skip_serializing_if = "Option::is_none")]
    evidence: Option<Evidence>,
    /// What came of trying it out. A rule that is not valid is not applied, unless a person accepted it.
    #[serde(skip_serializing_if = "Option::is_none")]
    validation: Option<Validation>,
    /// What a person said of it.
    review: Review,
    /// A remark for the reader.
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

fn read_site(site: FileSite, normalize: bool) -> Result<SiteRules, FileError> {
    let mut rules = Vec::with_capacity(site.rules.len());
    for (i, rule) in site.rules.into_iter().enumerate() {
        let (site, number) = (|| site.site.clone(), i + 1);
        match read_rule(rule, normalize) {
            Some(Ok(rule)) => rules.push(rule),
            Some(Err(error)) => return Err(FileError::Rule { site: site(), number, error }),
            None => return Err(FileError::RuleFields { site: site(), number }),
        }
    }
    Ok(SiteRules { site: site.site, rules })
}

/// The rule, or the error in its notation; `None` where its fields are of no kind of rule.
fn read_rule(rule: FileRule, normalize: bool) -> Option<Result<Rule, SyntaxError>> {
    let action = match (&rule.matches, &rule.rewrite, &rule.replace, &rule.with, rule.skip) {
        (Some(from), Some(to), None, None, false) => Action::rewrite(from, to),
        (None, None, Some(from), Some(to), false) => Action::substitute(from, to),
        (Some(shape), None, None, None, true) => Action::skip(shape),
        _ => return None,
    };
    let action = action.map(|action| if normalize { action.with_normal_escapes() } else { action });
    Some(action.map(|action| Rule {
        id: if rule.id.is_empty() { action.id() } else { rule.id },
        action,
        learner: rule.learner,
        evidence: rule.evidence,
        validation: rule.validation,
        review: rule.review,
        note: rule.note,
    }))
}

fn write_site(site: &SiteRules) -> FileSite {
    FileSite { site: site.site.clone(), rules: site.rules.iter().map(write_rule).collect() }
}

fn write_rule(rule: &Rule) -> FileRule {
    let (from, to) = rule.action.sides();
    let written = FileRule {
        id: rule.id.clone(),
        class: classify(&rule.action),
        learner: rule.learner.clone(),
        evidence: rule.evidence.clone(),
        validation: rule.validation.clone(),
        review: rule.review,
        note: rule.note.clone(),
        ..FileRule::default()
    };
    match rule.action {
        Action::Rewrite(_) => FileRule { matches: Some(from), rewrite: Some(to), ..written },
        Action::Substitute(_) => FileRule { replace: Some(from), with: Some(to), ..written },
        Action::Skip(_) => FileRule { matches: Some(from), skip: true, ..written },
    }
}
