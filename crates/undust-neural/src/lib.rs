//! The neural learner: URLs of a site are translated into canonical ones by a small model (SIGIR 2017).
//!
//! What templates become is learned by [`undust_learn::learn::seq2seq`], and said as rules. A [`network`] is taught the same ([`teach`]), for templates that were
//! never seen. [`learner`] puts it together, [`file`] keeps the [`model`], and [`apply`] uses it with the rules.
//!
//! Pure computation: no files, clocks or threads.

pub mod apply;
pub mod file;
pub mod learner;
pub mod model;
pub mod network;
pub mod teach;
