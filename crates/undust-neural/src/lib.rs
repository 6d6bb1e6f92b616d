//! The neural learner: URLs of a site are translated into canonical ones by a small model (SIGIR 2017).
//!
//! A URL is read as [`tokens`]; those that many URLs have are words of a [`vocabulary`], others are arguments, and what is left without
//! them is a template. [`targets`] says what each template of a [`corpus`] should become, [`table`] which of that can be believed, [`distill`]
//! how it is said as rules. A [`network`] is taught the same ([`teach`]), for templates that were never seen. [`learner`] puts it together,
//! [`file`] keeps the [`model`], and [`apply`] uses it with the rules.
//!
//! Pure computation: no files, clocks or threads.

pub mod apply;
pub mod auto;
pub mod corpus;
pub mod distill;
pub mod file;
pub mod learner;
pub mod model;
pub mod network;
pub mod protocol;
pub mod style;
pub mod table;
pub mod targets;
pub mod teach;
pub mod tokens;
pub mod vocabulary;
