//! The engine: from a rule set to canonical keys and URLs.
//!
//! Rules are tried in order; the first whose result, normalised, is another URL fires, and trying starts again, until no
//! rule changes anything. The result is a fixed point, so that canonicalization is idempotent by construction;
//! a URL on which the rules run in a circle stays as it was ([`check()`] proves that there is none, or names the rules).
//!
//! Rules that skip change nothing: [`Canonicalizer::skips`] finds those that match a canonical form.
//!
//! [`Canonicalizer`] is the compiled engine, [`explain`] shows its steps by means of the reference interpreter that it is tested against.

mod assemble;
mod check;
mod code;
mod compile;
mod error;
mod fixpoint;
mod form;
mod index;
mod naive;
mod proof;
mod run;
mod scratch;

pub use check::{Finding, check, is_fit, rules_without_url};
pub use compile::Canonicalizer;
pub use error::CompileError;
#[doc(hidden)]
pub use fixpoint::is_last;
pub use form::{Form, in_form};
pub use naive::{Naive, Step, Trace, explain};
pub use scratch::Scratch;

use crate::url::SplitUrl;

/// The limit of steps: rules that take more are taken to run in a circle.
#[doc(hidden)]
pub const MAX_STEPS: usize = 100;

/// Whether a URL of `now` bytes has outgrown the `start` bytes that it was made of: rules that double it would never end.
#[doc(hidden)]
pub fn too_long(now: usize, start: usize) -> bool {
    now > 4 * start + 4096
}

/// Whether `after`, the result of a rule on `before`, is a URL, with a host if `before` had one; a key may have `*` for a scheme. A rule does not
/// fire where it would print anything else.
fn keeps_host(before: &SplitUrl, after: &[u8]) -> bool {
    match SplitUrl::new(after) {
        Some(after) => !after.host().is_empty() || before.host().is_empty(),
        None => after.starts_with(b"*://"),
    }
}
