//! The only place that knows what time it is. Politeness needs clocks; nothing that is fetched depends on them.

use std::thread;
use std::time::{Duration, Instant, SystemTime};

/// A moment on a clock that never goes back.
#[expect(clippy::disallowed_methods, reason = "pauses between requests are real time")]
pub(crate) fn now() -> Instant {
    Instant::now()
}

/// How long it is until a date; nothing when it has passed.
#[expect(clippy::disallowed_methods, reason = "Retry-After may be a date")]
pub(crate) fn until(date: SystemTime) -> Duration {
    date.duration_since(SystemTime::now()).unwrap_or_default()
}

/// Returns at that moment, or at once when it has passed.
pub(crate) fn sleep_until(moment: Instant) {
    thread::sleep(moment.saturating_duration_since(now()));
}
