//! Watches sites being learned: progress, seconds by stage, and what the report needs.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use undust::page::Page;
use undust_learn::progress::Stage;
use undust_learn::survey::Surveyor;
use undust_learn::{LearnedSite, Observer};

use crate::progress::SiteProgress;
use crate::report::Collector;

/// Seconds by learner, all sites and threads together.
#[derive(Default)]
pub(super) struct Clock(Mutex<BTreeMap<String, f64>>);

/// The name of all that is no learner's.
const CHOOSING: &str = "choosing";

impl Clock {
    fn add(&self, name: &str, seconds: f64) {
        *lock(&self.0).entry(name.to_owned()).or_default() += seconds;
    }

    pub(super) fn into_seconds(self) -> BTreeMap<String, f64> {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Watches one site.
pub(super) struct SiteObserver<'s> {
    progress: SiteProgress<'s>,
    clock: &'s Clock,
    collector: &'s Collector,
    /// The learner that runs now, and since when.
    running: Mutex<(&'static str, Instant)>,
    surveyor: Mutex<Option<Surveyor>>,
}

impl<'s> SiteObserver<'s> {
    pub(super) fn new(progress: SiteProgress<'s>, clock: &'s Clock, collector: &'s Collector) -> Self {
        let (running, surveyor) = (Mutex::new((CHOOSING, now())), Mutex::default());
        SiteObserver { progress, clock, collector, running, surveyor }
    }

    fn switch(&self, name: &'static str) {
        let (before, since) = std::mem::replace(&mut *lock(&self.running), (name, now()));
        self.clock.add(before, since.elapsed().as_secs_f64());
    }
}

impl Observer for SiteObserver<'_> {
    fn stage(&self, stage: Stage) {
        self.switch(if let Stage::Learner { name, .. } = stage { name } else { CHOOSING });
        self.progress.stage(stage);
    }

    fn pages(&self, site: &str, pages: &[Page]) {
        *lock(&self.surveyor) = self.collector.look(site, pages);
    }

    fn learned(&self, learned: &LearnedSite) {
        self.switch(CHOOSING);
        self.progress.stage("looking at the rules");
        let surveyor = lock(&self.surveyor).take();
        self.collector.keep(surveyor, learned);
    }
}

#[expect(clippy::disallowed_methods, reason = "what is learned does not depend on it: it is only shown")]
fn now() -> Instant {
    Instant::now()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
