//! Pages to rules: the site in memory, the learners, the selection on held-out evidence, and the evaluation.
//!
//! Pure computation: no files, no clocks, no threads but those of its caller. [`pipeline::learn_site`] is the one function that hosts (the command
//! line, Spark) run side by side over sites.

pub mod again;
pub mod bound;
#[doc(hidden)]
pub mod changes;
pub mod diff;
pub mod evaluate;
pub mod intern;
pub mod learn;
pub mod listing;
pub mod pipeline;
pub mod progress;
pub mod proof;
pub mod redundant;
pub mod seen;
pub mod select;
pub mod site;
pub mod survey;
pub mod validate;
