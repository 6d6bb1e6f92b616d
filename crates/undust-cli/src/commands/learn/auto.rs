//! What `undust learn --method auto` adds: all learners at once, and what each had a part in.

use std::collections::BTreeMap;
use std::io::{IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use anyhow::Result;
use undust::page::Page;
use undust_learn::learn::{Candidate, Learner, LikelyRule};
use undust_learn::listing::Listing;
use undust_learn::pipeline::{Config, Contribution, Learned};
use undust_learn::progress::Watch;
use undust_learn::site::Sample;
use undust_neural::auto::{Auto, members_with};
use undust_neural::learner::{Lesson, Seq2seq};

use super::{learner, writes_model};
use crate::args::{Learn, Method};
use crate::output;
use crate::table::{align_right, plain};
use crate::talk::{say, thousands};

/// All learners, and how long each of them takes.
pub(in crate::commands) struct Timed {
    auto: Auto,
    clocks: Vec<(&'static str, Arc<AtomicU64>)>,
    all: AtomicU64,
    with_model: bool,
}

/// What is left of the time when learners are done.
const CHOOSING: &str = "choosing";

impl Timed {
    /// The learners with the settings that the arguments give.
    pub(super) fn of(args: &Learn, seq2seq: &Seq2seq) -> Timed {
        let methods = [Method::Dustbuster, Method::Rewrite, Method::DecisionTree, Method::PatternTree];
        let learners = methods.iter().filter_map(|method| learner(args, *method)).collect();
        let members = members_with(learners, seq2seq.clone());
        let model = Seq2seq { known_only: !args.auto.network, ..seq2seq.clone() };
        Timed::new(members, model, writes_model(args))
    }

    /// These learners; a model is made if it is wanted and pays.
    pub(in crate::commands) fn new(
        members: Vec<Box<dyn Learner>>,
        model: Seq2seq,
        with_model: bool,
    ) -> Timed {
        let clocks: Vec<_> = members.iter().map(|member| (member.name(), Arc::default())).collect();
        let clocked = |(member, (_, clock)): (Box<dyn Learner>, &(_, Arc<AtomicU64>))| {
            Box::new(Clocked { member, clock: Arc::clone(clock) }) as Box<dyn Learner>
        };
        let members = members.into_iter().zip(&clocks).map(clocked).collect();
        Timed { auto: Auto::new(members, model), clocks, all: AtomicU64::new(0), with_model }
    }

    pub(in crate::commands) fn name(&self) -> &'static str {
        self.auto.pool().name()
    }

    /// Learn one site.
    pub(in crate::commands) fn learn_site(
        &self,
        site: &str,
        pages: Vec<Page>,
        config: &Config,
        watch: &Watch,
    ) -> Lesson {
        timed(&self.all, || self.auto.learn_site_watched(site, pages, config, self.with_model, watch))
    }

    /// How many seconds each learner took, and what came after them, all sites and threads together.
    pub(in crate::commands) fn seconds(&self) -> BTreeMap<String, f64> {
        let seconds = |clock: &AtomicU64| clock.load(Ordering::Relaxed) as f64 / 1e9;
        let mut by_name: BTreeMap<String, f64> =
            self.clocks.iter().map(|(name, clock)| ((*name).to_owned(), seconds(clock))).collect();
        let choosing = seconds(&self.all) - by_name.values().sum::<f64>();
        by_name.insert(CHOOSING.to_owned(), choosing.max(0.0));
        by_name
    }
}

/// A learner with a clock.
struct Clocked {
    member: Box<dyn Learner>,
    clock: Arc<AtomicU64>,
}

impl Learner for Clocked {
    fn name(&self) -> &'static str {
        self.member.name()
    }

    fn learn(&self, sample: &Sample) -> Vec<Candidate> {
        timed(&self.clock, || self.member.learn(sample))
    }

    fn learn_unlabelled(&self, list: &Listing) -> Option<Vec<LikelyRule>> {
        timed(&self.clock, || self.member.learn_unlabelled(list))
    }
}

/// Do something, and add to `clock` how many nanoseconds it took.
#[expect(clippy::disallowed_methods, reason = "what is learned does not depend on it: it is only told")]
fn timed<R>(clock: &AtomicU64, what: impl FnOnce() -> R) -> R {
    let start = Instant::now();
    let result = what();
    clock.fetch_add(u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX), Ordering::Relaxed);
    result
}

/// What each learner had a part in, all sites together.
pub(in crate::commands) fn contributions(learned: &[Learned]) -> Vec<Contribution> {
    let mut total: Vec<Contribution> = Vec::new();
    for part in learned.iter().flat_map(|site| &site.learners) {
        match total.iter_mut().find(|known| known.learner == part.learner) {
            Some(known) => known.add(part),
            None => total.push(part.clone()),
        }
    }
    total
}

/// A table of it; how long it took is told to whoever watches, or waited for it.
pub(in crate::commands) fn show(parts: &[Contribution], seconds: &BTreeMap<String, f64>) -> Result<()> {
    if parts.iter().all(|part| part.candidates == 0) {
        return Ok(());
    }
    let columns = ["learner", "proposed", "kept", "saved"];
    let mut table = plain(&columns);
    for Contribution { learner, candidates, rules, saved } in parts {
        let counts = [*candidates, *rules, *saved].map(thousands);
        table.add_row([learner.clone()].into_iter().chain(counts).collect::<Vec<_>>());
    }
    align_right(&mut table, 1..columns.len());
    writeln!(output::stdout(), "\n{}\n\n{LEGEND}", table.text())?;
    if std::io::stderr().is_terminal() || seconds.values().sum::<f64>() >= LONG {
        let each: Vec<String> = seconds.iter().map(|(name, took)| format!("{name} {took:.1}")).collect();
        say(&format!("seconds, all sites and threads together: {}", each.join(", ")));
    }
    Ok(())
}

/// After so many seconds people want to know where they went.
const LONG: f64 = 60.0;

const LEGEND: &str = "\
proposed: distinct rules, many of them by several learners
kept:     rules that are in the file, under the first learner that proposed them
";
