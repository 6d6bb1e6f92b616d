//! The validation of a rule: a verdict, and the URLs it was tried on.

use serde::{Deserialize, Serialize};

/// The validation of a rule, kept in the rule file so that no URL is tried twice.
///
/// ```
/// use undust::{Validation, Verdict};
///
/// let validation = Validation { verdict: Verdict::Valid, positive: 40, ..Validation::default() };
/// assert_eq!(validation.negative, 0);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(
    feature = "schema",
    schemars(
        description = "The state of a rule's validation, kept in the rule file so that nothing is tried twice."
    )
)]
#[serde(default, deny_unknown_fields)]
pub struct Validation {
    /// What came of it so far.
    pub verdict: Verdict,
    /// How it was tried; absent while it was not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<TriedBy>,
    /// URLs that kept their page.
    pub positive: u64,
    /// URLs whose page was gone or another one.
    pub negative: u64,
    /// While the verdict is open, everything tried; then some of each kind.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub samples: Vec<TriedUrl>,
}

/// The verdict of validation on a rule.
///
/// ```
/// assert_eq!(undust::Verdict::default(), undust::Verdict::Likely);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(description = "What is known of a rule that needed trying out."))]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Suggested by URLs alone, not decided yet: not applied.
    #[default]
    Likely,
    /// Believed before it was tried, not decided yet: applied.
    Open,
    /// It held on the URLs it was tried on.
    Valid,
    /// It did not: not applied, and not tried again.
    Invalid,
}

impl Verdict {
    /// Whether the rule is not decided yet.
    #[doc(hidden)]
    pub fn is_open(self) -> bool {
        matches!(self, Verdict::Likely | Verdict::Open)
    }

    /// The word used in the rule file and in tables.
    #[doc(hidden)]
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Likely => "likely",
            Verdict::Open => "open",
            Verdict::Valid => "valid",
            Verdict::Invalid => "invalid",
        }
    }
}

/// How a rule was validated.
///
/// ```
/// use undust::{TriedBy, Validation};
///
/// let validation = Validation { by: Some(TriedBy::Labels), ..Validation::default() };
/// assert_ne!(validation.by, Some(TriedBy::Fetching));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(description = "How a rule was tried out."))]
#[serde(rename_all = "lowercase")]
pub enum TriedBy {
    /// Pages were fetched and compared.
    Fetching,
    /// Labels of pages were compared.
    Labels,
}

/// A URL that a rule was tried on.
///
/// ```
/// let tried = undust::TriedUrl {
///     url: "http://example.com/index.html".to_owned(),
///     with: "http://example.com/".to_owned(),
///     same: true,
///     why: None,
/// };
/// assert!(tried.same);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(description = "A URL that a rule was tried on."))]
#[serde(deny_unknown_fields)]
pub struct TriedUrl {
    /// The URL.
    pub url: String,
    /// What it was compared with.
    pub with: String,
    /// Whether both are one page.
    pub same: bool,
    /// Why not, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}
