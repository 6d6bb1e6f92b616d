//! A polite and careful fetcher.
//!
//! Polite: it says who it is, asks `robots.txt` first (RFC 9309), makes one request at a time to a host with a pause after
//! each, backs off when told to, and never makes more requests than its budget. Careful: addresses come from
//! strangers, so it connects to public ones only, checks every redirect anew, and takes no more time and memory than
//! it was given.
//!
//! ```no_run
//! use undust_fetch::{Fetcher, Options};
//!
//! let options = Options { contact: Some("mailto:keeper@example.com".into()), budget: 100, ..Options::default() };
//! let fetcher = Fetcher::new(options)?;
//! let page = fetcher.fetch(b"http://www.example.com/")?;
//! assert_eq!(page.status, 200);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! How a request flows: [`Fetcher::fetch`] follows redirects (`fetcher`); each hop must be permitted (`address`,
//! `robots`); it is tried until it works or there is no sense in it (`retry`), each time when it is its turn
//! (`hosts`), over one connection of its own (`http`). [`Comparer`] compares the pages of two URLs.

mod address;
mod clock;
mod compare;
mod error;
mod fetcher;
mod hosts;
mod http;
mod options;
mod retry;
mod robots;

pub use compare::{Comparer, Comparison, Stop};
pub use error::{FetchError, FetchErrorKind, OptionsError, RedirectProblem, Refusal};
pub use fetcher::{Fetched, Fetcher};
pub use options::Options;
