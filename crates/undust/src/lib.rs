//! Different URLs, similar text: the URL model, the rule language and the engine that applies it.
//!
//! Data flows one way: [`url`] splits, [`rules`] says what to change, [`apply`] changes it. [`page`] is what a crawl saw.
//! Nothing here reads files, starts threads or prints; what learns rules lives in `undust-learn`.

pub mod apply;
pub mod page;
pub mod rules;
pub mod url;

pub use apply::{Canonicalizer, CompileError, Form, Scratch};
pub use rules::{FileError, RuleSet};
