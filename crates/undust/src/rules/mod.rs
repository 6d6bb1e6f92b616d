//! The rule language: one IR for all learners and for people, its notation, and the file it is kept in.
//!
//! [`template`] is the notation, [`rule`](Rule) puts two templates together, [`set`](RuleSet) orders rules by site, `file` reads and writes
//! them. Nothing here knows how rules are learned or run.

mod classify;
mod convert;
mod file;
mod normal;
mod parse;
mod rule;
mod set;
pub mod template;
mod validation;

pub use classify::{Class3, classify};
#[cfg(feature = "schema")]
pub use file::schema;
pub use file::{FileError, VERSION};
pub use parse::SyntaxError;
pub use rule::{Action, Evidence, Review, Rewrite, Rule, Skip, Substitute};
pub(crate) use rule::{hole_names, tokens};
pub use set::{EVERY_SITE, Learned, ModelFile, RuleSet, SiteRules};
pub use template::{Convert, Template};
pub use validation::{TriedBy, TriedUrl, Validation, Verdict};
