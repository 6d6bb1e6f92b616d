//! Whose turn it is: one request at a time to a host, with pauses between.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::clock;

/// All hosts met so far, by name. Ports and schemes of one name are taken for one machine.
#[derive(Debug, Default)]
pub(crate) struct Hosts(Mutex<HashMap<String, Arc<Host>>>);

impl Hosts {
    pub(crate) fn get(&self, name: &str) -> Arc<Host> {
        Arc::clone(lock(&self.0).entry(name.to_ascii_lowercase()).or_default())
    }
}

/// What is known of a host.
#[derive(Debug, Default)]
pub(crate) struct Host {
    turn: Mutex<Turn>,
    failures: AtomicU32,
}

#[derive(Debug, Default)]
struct Turn {
    /// From when on the host may be asked again.
    free_at: Option<Instant>,
    /// The end of the last request.
    last: Option<Instant>,
    /// What its `robots.txt` asks for.
    crawl_delay: Duration,
}

impl Host {
    /// Waits for the host to be free and does `work`, which says how long the host must be left alone beyond `delay`.
    pub(crate) fn in_turn<T>(&self, delay: Duration, work: impl FnOnce() -> (T, Duration)) -> T {
        let mut turn = lock(&self.turn);
        let pause_over = turn.last.and_then(|last| last.checked_add(delay.max(turn.crawl_delay)));
        if let Some(moment) = pause_over.max(turn.free_at) {
            clock::sleep_until(moment);
        }
        let (result, pause) = work();
        let end = clock::now();
        turn.last = Some(end);
        turn.free_at = end.checked_add(pause);
        result
    }

    /// From now on, pauses are at least this long.
    pub(crate) fn slow_down(&self, crawl_delay: Duration) {
        let mut turn = lock(&self.turn);
        turn.crawl_delay = turn.crawl_delay.max(crawl_delay);
    }

    /// The pause between requests: `delay`, or longer if the host asks for it.
    pub(crate) fn pause(&self, delay: Duration) -> Duration {
        delay.max(lock(&self.turn).crawl_delay)
    }

    /// Notes that the host is there.
    pub(crate) fn answered(&self) {
        self.failures.store(0, Ordering::Relaxed);
    }

    /// Notes that nothing, or half an answer, came from the host.
    pub(crate) fn failed(&self) {
        self.failures.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn failures(&self) -> u32 {
        self.failures.load(Ordering::Relaxed)
    }
}

/// A lock whose holder panicked is as good as any: what it guards is whole after every step.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
