//! The engine: from a rule set to canonical keys and URLs.
//!
//! Rules are tried in order; the first whose result, normalised, is another URL fires, and trying starts again, until no
//! rule changes anything. What comes out is a fixed point, so that canonicalization is idempotent by construction;
//! a URL on which the rules run in a circle stays as it was ([`check`] proves that there is none, or names the rules).
//!
//! Rules that skip play no part in that: what comes out may be asked whether it need be fetched ([`Canonicalizer::skips`]).
//!
//! [`Canonicalizer`] is the compiled engine, [`Naive`] the reference it is tested against.

mod assemble;
mod check;
mod code;
mod compile;
mod form;
mod index;
mod naive;
mod proof;
mod rest;
mod run;
mod scratch;

pub use check::{Finding, check, is_fit};
pub use compile::Canonicalizer;
pub use form::{Form, in_form};
pub use naive::{Naive, Step, Trace};
pub use rest::is_last;
pub use scratch::Scratch;

/// More steps than this, and the rules are taken to run in a circle.
pub const MAX_STEPS: usize = 100;

/// A URL that outgrows its source like this would double without end.
pub fn too_long(now: usize, start: usize) -> bool {
    now > 4 * start + 4096
}
