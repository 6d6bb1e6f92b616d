//! Work that must not end the program: panics become errors, and what takes too long is given up.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// Why guarded work has no result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GuardError {
    /// It panicked, with this message.
    #[error("panicked: {0}")]
    Panicked(String),
    /// It did not end within the limit.
    #[error("took longer than {} s", .0.as_secs_f64())]
    TookTooLong(Duration),
    /// No thread could be started for it.
    #[error("cannot start a thread: {0}")]
    NoThread(String),
}

/// The result of `work`, or why there is none. With a limit, the work runs in a thread of its own; where it takes longer, the thread is left alone, and ends when it ends.
///
/// # Errors
///
/// [`GuardError`].
pub fn guarded<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
    limit: Option<Duration>,
) -> Result<T, GuardError> {
    let work = move || {
        catch_unwind(AssertUnwindSafe(work)).map_err(|panic| GuardError::Panicked(message(panic.as_ref())))
    };
    let Some(limit) = limit else { return work() };
    let (sender, receiver) = mpsc::channel();
    thread::Builder::new()
        .spawn(move || drop(sender.send(work())))
        .map_err(|error| GuardError::NoThread(error.to_string()))?;
    receiver.recv_timeout(limit).unwrap_or(Err(GuardError::TookTooLong(limit)))
}

/// The message of a panic.
fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: [Option<Duration>; 2] = [None, Some(Duration::from_secs(60))];

    #[test]
    fn work_that_ends_has_its_result() {
        for limit in LIMITS {
            assert_eq!(guarded(|| 7, limit), Ok(7));
        }
    }

    #[test]
    fn a_panic_is_an_error_with_its_message() {
        for limit in LIMITS {
            let error = guarded(|| panic!("this site is poison"), limit).map(|()| 0).unwrap_err();
            assert_eq!(error.to_string(), "panicked: this site is poison");
            let number = 3;
            let error = guarded(move || panic!("poison {number}"), limit).map(|()| 0).unwrap_err();
            assert_eq!(error, GuardError::Panicked("poison 3".to_owned()));
        }
    }

    #[test]
    fn work_without_end_is_given_up() {
        let (hold, held) = mpsc::channel::<()>();
        let error = guarded(move || held.recv().is_ok(), Some(Duration::from_millis(50))).unwrap_err();
        assert_eq!(error.to_string(), "took longer than 0.05 s");
        drop(hold);
    }
}
