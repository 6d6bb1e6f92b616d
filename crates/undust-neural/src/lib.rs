//! The neural learner: URLs of a site are translated into canonical ones by a small model (SIGIR 2017).
//!
//! What templates become is learned by [`undust_learn::learn::seq2seq`], and said as rules. A [`network`] is taught the same ([`teach`]), for templates that were
//! never seen. [`learner`] puts it together, [`mod@file`] keeps the [`model`], and [`apply`] uses it with the rules.
//!
//! [`RuleFile::load`] is the way to load a rule file with the model that it names, [`Engine`] applies both. But for these files, pure computation: no clocks or
//! threads.

pub mod apply;
pub mod explain;
pub mod file;
pub mod learner;
pub mod model;
pub mod network;
pub mod rule_file;
pub mod teach;

pub use apply::{Engine, Scratch};
pub use explain::Explanation;
pub use learner::trainer;
pub use rule_file::{RuleFile, RuleFileError};
