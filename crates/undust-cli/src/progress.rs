//! Progress of a command: a bar on a terminal, elsewhere a line every half minute, so that a log shows what is being done.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::io::IsTerminal;
use std::ops::Deref;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::messages::{say, thousands};

/// How often a line is said where there is no terminal.
const LINE_INTERVAL: Duration = Duration::from_secs(30);

/// How often a bar is drawn that nobody moves: its clock goes on.
const DRAW_INTERVAL: Duration = Duration::from_secs(1);

/// Whether anything is shown. Programs that have the commands inside as functions print nothing.
static IS_SHOWN: AtomicBool = AtomicBool::new(false);

/// Show progress from now on: this is a command.
pub(crate) fn show() {
    IS_SHOWN.store(true, Ordering::Relaxed);
}

/// Counts things whose number is not known.
pub(crate) fn spinner(what: &'static str) -> Progress {
    Progress::new(what, None, "{spinner} {prefix}: {human_pos} ({per_sec})")
}

/// Counts to `total`; its message tells what that takes.
pub(crate) fn counted(what: &'static str, total: u64) -> Progress {
    Progress::new(what, Some(total), "{prefix} {wide_bar} {human_pos}/{human_len} {msg}")
}

/// A bar, or lines in place of it. Its prefix says what is counted, its message what is being done.
pub(crate) struct Progress {
    bar: ProgressBar,
    _lines: Option<Lines>,
}

impl Progress {
    fn new(what: &'static str, total: Option<u64>, template: &str) -> Progress {
        let is_shown = IS_SHOWN.load(Ordering::Relaxed);
        let is_terminal = std::io::stderr().is_terminal();
        let target =
            if is_shown && is_terminal { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
        let bar = ProgressBar::with_draw_target(total, target).with_style(style).with_prefix(what);
        if !bar.is_hidden() {
            bar.enable_steady_tick(DRAW_INTERVAL);
        }
        let progress = Progress { bar, _lines: None };
        if is_shown && !is_terminal {
            progress.with_lines(LINE_INTERVAL, |line| say(&line))
        } else {
            progress
        }
    }

    /// The same, with a line every `interval`.
    fn with_lines(self, interval: Duration, say: impl Fn(String) + Send + 'static) -> Progress {
        let bar = self.bar.clone();
        Progress { _lines: Some(Lines::start(interval, move || say(line(&bar)))), ..self }
    }
}

impl Deref for Progress {
    type Target = ProgressBar;

    fn deref(&self) -> &ProgressBar {
        &self.bar
    }
}

/// What a bar shows, in words.
fn line(bar: &ProgressBar) -> String {
    let (what, done, elapsed) = (bar.prefix(), thousands(bar.position()), HumanDuration(bar.elapsed()));
    let of = bar.length().map(|total| format!(" of {}", thousands(total))).unwrap_or_default();
    let doing = Some(bar.message()).filter(|doing| !doing.is_empty());
    let doing = doing.map(|doing| format!("; {doing}")).unwrap_or_default();
    format!("{what}: {done}{of} after {elapsed}{doing}")
}

/// A thread that does something again and again, until this is dropped.
struct Lines {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Lines {
    fn start(interval: Duration, say: impl Fn() + Send + 'static) -> Lines {
        let (stop, stopped) = mpsc::channel();
        let run = move || {
            while stopped.recv_timeout(interval) == Err(RecvTimeoutError::Timeout) {
                say();
            }
        };
        // Without a thread to spare there are no lines.
        Lines { stop: Some(stop), thread: thread::Builder::new().spawn(run).ok() }
    }
}

impl Drop for Lines {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // It has nothing to hand over.
            let _ = thread.join();
        }
    }
}

/// Sites that are worked on side by side: how many are done, and what is being done about the one that was begun first.
pub(crate) struct Sites {
    bar: Progress,
    running: Mutex<Running>,
}

#[derive(Default)]
struct Running {
    begun: u64,
    /// What is being done about each site, by when it was begun.
    doing: BTreeMap<u64, String>,
}

impl Sites {
    pub(crate) fn new(what: &'static str, total: u64) -> Sites {
        let template = "{prefix} {bar:20} {human_pos}/{human_len} {elapsed} {wide_msg}";
        Sites { bar: Progress::new(what, Some(total), template), running: Mutex::default() }
    }

    /// Begin with a site. It is done when what is returned is dropped.
    pub(crate) fn begin(&self, name: &str) -> SiteProgress<'_> {
        let mut running = self.running();
        running.begun += 1;
        let number = running.begun;
        self.tell(&mut running, number, name.to_owned());
        SiteProgress { sites: self, number, name: name.to_owned() }
    }

    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }

    fn running(&self) -> MutexGuard<'_, Running> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tell(&self, running: &mut Running, number: u64, doing: String) {
        running.doing.insert(number, doing);
        self.show(running);
    }

    fn show(&self, running: &Running) {
        let first = running.doing.values().next();
        self.bar.set_message(first.cloned().unwrap_or_default());
    }
}

/// One of several sites.
pub(crate) struct SiteProgress<'s> {
    sites: &'s Sites,
    number: u64,
    name: String,
}

impl SiteProgress<'_> {
    /// What is being done about the site from now on.
    pub(crate) fn stage(&self, stage: impl Display) {
        let doing = format!("{}: {stage}", self.name);
        self.sites.tell(&mut self.sites.running(), self.number, doing);
    }
}

impl Drop for SiteProgress<'_> {
    fn drop(&mut self) {
        let mut running = self.sites.running();
        running.doing.remove(&self.number);
        self.sites.bar.inc(1);
        self.sites.show(&running);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_done_on_the_site_that_was_begun_first() {
        let sites = Sites::new("learning", 3);
        // The time that has passed is none of a test's business.
        let line = || line(&sites.bar).replace(" after 0 seconds", "");
        assert_eq!(line(), "learning: 0 of 3");
        let large = sites.begin("large.org");
        let small = sites.begin("small.org");
        small.stage("rewrite");
        assert_eq!(line(), "learning: 0 of 3; large.org");
        large.stage("choosing rules");
        assert_eq!(line(), "learning: 0 of 3; large.org: choosing rules");
        drop(large);
        assert_eq!(line(), "learning: 1 of 3; small.org: rewrite");
        drop(small);
        assert_eq!(line(), "learning: 2 of 3");
    }

    #[test]
    fn a_line_every_interval_where_there_is_no_terminal() {
        let (tell, told) = mpsc::channel();
        let progress = spinner("pages read").with_lines(Duration::from_millis(1), move |line| {
            let _ = tell.send(line);
        });
        progress.inc(1_234);
        let line = told.iter().find(|line| !line.contains(": 0 ")).expect("another line");
        assert!(line.starts_with("pages read: 1,234 after "), "{line}");
    }

    #[test]
    fn lines_come_until_nobody_wants_them() {
        let (tell, told) = mpsc::channel();
        let lines = Lines::start(Duration::from_millis(1), move || {
            let _ = tell.send(());
        });
        for _ in 0..3 {
            told.recv_timeout(Duration::from_secs(60)).expect("another line");
        }
        drop(lines);
        // Some may be left in the channel; it ends, since the thread has.
        told.iter().for_each(drop);
    }
}
