//! Pages to rules: the learners, the selection on held-out pages, and the evaluation.
//!
//! [`LearnOptions`] → [`Pipeline`] → [`Learned`]: the rules and a report. Pure computation: no files, no clocks, no threads but those of its caller.
//!
//! ```
//! use undust::page::Page;
//! use undust_learn::LearnOptions;
//!
//! let page = |n: u32| Page {
//!     cluster: Some((n / 2).to_string()),
//!     ..Page::new(format!("http://a.com/item?id={}&sid={n}", n / 2))
//! };
//! let learned = LearnOptions::new().method("rewrite").build()?.learn((0..1000).map(page));
//! assert_eq!(learned.rules.sites[0].site, "a.com");
//! assert_eq!(learned.report.saved, 500);
//! # Ok::<(), undust_learn::OptionError>(())
//! ```

pub mod again;
pub mod bound;
#[doc(hidden)]
pub mod changes;
pub mod diff;
pub mod evaluate;
pub mod intern;
pub mod learn;
pub mod listing;
mod options;
mod page_sample;
pub mod pipeline;
pub mod progress;
pub mod proof;
pub mod registry;
pub mod seen;
pub mod select;
mod settings;
pub mod site;
pub mod skips;
mod statements;
pub mod survey;
pub mod validate;

pub use options::{LearnOptions, MAX_URLS, TrainerFactory, settings};
pub use page_sample::PageSample;
pub use pipeline::{LearnReport, Learned, LearnedSite, ModelTrainer, Observer, Pipeline};
pub use settings::{OptionError, SettingInfo, ValueError, parse_share};
