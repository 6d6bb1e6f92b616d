//! The rule language: rules, their notation, and the file they are kept in. Nothing here knows how rules are learned or run.
//!
//! A [`RuleSet`] holds [`Rule`]s in order, by site. The [`Action`] of a rule is a rewrite (two templates), a substitution (two pieces of text) or a skip
//! (one template).
//!
//! # Templates
//!
//! A template looks like the URLs that it matches. In place of fixed text it may hold
//!
//! | written | in a match | in a rewrite |
//! |---|---|---|
//! | `*` | any non-empty text | "this value is irrelevant": a literal `*` in the canonical key |
//! | `{id}` | any non-empty text, captured | the captured text |
//! | `{id?}` | any text, also none, captured | |
//! | `{?}` | any text, also none, not captured | |
//! | `{id:digits}` | a run of a class: `digits lower upper alpha alnum hex`, or `{x:a\|b}` one of these words | |
//! | `{n:1..12}` `{y:digits4}` `{s:i'a\|b'}` | a number in a range (`..5`, `5..`), so many digits, one of these words in any case | |
//! | `{x:a?}` | one word or nothing | |
//! | `{id:!a\|b}` | any non-empty text but these words (`{id:!a\|b?}`: also none) | |
//! | `{:digits}` `{:!a\|b}` | the same without a name, not captured | |
//! | `{lower(id)}` | | converted: `lower upper encode decode` |
//! | `{...}` | the remainder: any further host labels, path components, parameters, or a fragment | the same, copied |
//! | `{sorted(...)}` | | the further parameters, sorted by name |
//! | `{only(a\|b)}` `{without(a\|b=1)}` | | some of the further parameters; `{sorted(only(a))}` |
//! | `{with(a={x}\|b=1)}` | | the further parameters, these with other values |
//! | `{:a\|b}={x}` | (in the query) one parameter of these names | |
//! | `!name` | (in the query) this parameter is absent | |
//! | `{if a}` `{if a={x}}` `{unless a=1}` | (in the query) such a parameter is there, or not, and stays where it is | |
//! | `{'*'}` `{0xFF}` | text that would mean something else; a byte that is not text | the same |
//!
//! What a template does not mention must be absent: a match without `?` matches only URLs without a query. Parameters match in
//! any order. Text is matched from left to right without backtracking: `*`, `{id}` and `{id:!a|b}` reach to the first place where
//! the text behind them stands (the last text of a component must stand at its end), a class takes the longest run. Excluded words are looked up
//! after that: if the text so taken is one of them, there is no match.
//!
//! # Substitutions
//!
//! A substitution replaces a piece of text wherever it stands between tokens (maximal alphanumeric runs); `^` and `$` anchor it to the start and the end
//! of the URL.

mod classify;
mod convert;
mod file;
mod normal;
mod parse;
mod rule;
mod set;
#[doc(hidden)]
pub mod template;
mod validation;

#[doc(hidden)]
pub use classify::{RuleClass, classify};
pub use file::FileError;
#[cfg(feature = "schema")]
pub use file::schema;
pub use parse::SyntaxError;
pub use rule::{Action, Evidence, Review, Rule};
#[doc(hidden)]
pub use rule::{Rewrite, Skip, Substitute};
pub(crate) use rule::{hole_names, tokens};
pub(crate) use set::is_site_name;
pub use set::{EVERY_SITE, Learned, ModelFile, RuleSet, SiteRules};
#[doc(hidden)]
pub use template::{Convert, Template};
pub use validation::{TriedBy, TriedUrl, Validation, Verdict};
