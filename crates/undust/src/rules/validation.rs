//! What trying a rule out showed: a verdict, and the URLs it was tried on.

use serde::{Deserialize, Serialize};

/// The state of a rule's validation, kept in the rule file so that nothing is tried twice.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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

/// What is known of a rule that needed trying out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
    /// Whether the rule is still to be tried out.
    pub fn is_open(self) -> bool {
        matches!(self, Verdict::Likely | Verdict::Open)
    }

    /// The word used in the rule file and in tables.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Likely => "likely",
            Verdict::Open => "open",
            Verdict::Valid => "valid",
            Verdict::Invalid => "invalid",
        }
    }
}

/// How a rule was tried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum TriedBy {
    /// Pages were fetched and compared.
    Fetching,
    /// Labels of pages were compared.
    Labels,
}

/// A URL that a rule was tried on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
