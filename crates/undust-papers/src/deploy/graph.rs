//! Where URLs are to go is chosen first, and then the rules that lead there (section 5.3, Figure 8).
//!
//! Every step ends: a vertex is decided once, and a rule is taken once.

use std::cmp::Reverse;
use std::collections::HashSet;

use undust::rules::Action;
use undust::url::SiteBy;

use super::energy::energies;
use super::partition::{Partition, Trial};
use super::rules::{Rules, refused_of};
use super::vertices::Vertices;
use super::{Proof, Proofed, compose};
use undust_learn::learn::Candidate;
use undust_learn::proof::proofs;

/// The way from a vertex to its destination.
#[derive(Clone, Copy)]
struct Way {
    rule: usize,
    /// The next vertex on the way, or the destination itself.
    via: usize,
}

/// What is decided of each vertex.
struct Plan {
    /// The ways of vertices, in the order in which they were found: those they go via come first.
    ways: Vec<(usize, Way)>,
    /// Rules that stay within a destination.
    within: Vec<usize>,
}

/// Choose destinations and the rules that lead to them, then keep those that do something on the sample.
pub(super) fn choose(
    proofed: &Proofed,
    rules: &Rules,
    vertices: &Vertices,
    max_fpr: f64,
    (name, site_by): (&str, SiteBy),
) -> Vec<Action> {
    let plan = Plan::new(rules, vertices);
    let mut offers = offers(&plan, proofed, rules, vertices, max_fpr);
    let mut best = Taken::default();
    // By the plan, or just by what spares most: a destination may have URLs that a rule which starts there would make equal.
    for by_plan in [true, false] {
        offers
            .sort_by_key(|offer| Reverse((by_plan && offer.is_planned, offer.proof.saved, offer.is_planned)));
        let taken = take_checked(&offers, proofed, max_fpr, (name, site_by));
        if taken.is_better(&best) {
            best = taken;
        }
    }
    best.actions
}

/// What was taken of the offers, and how many URLs of the sample it spares.
#[derive(Default)]
struct Taken {
    actions: Vec<Action>,
    saved: u64,
}

impl Taken {
    fn is_better(&self, other: &Taken) -> bool {
        (self.saved, Reverse(self.actions.len())) > (other.saved, Reverse(other.actions.len()))
    }
}

impl Plan {
    /// Vertices that rules lead to become destinations, those of the highest energy first; every vertex from which a way leads there
    /// and that is not decided yet goes there.
    fn new(rules: &Rules, vertices: &Vertices) -> Plan {
        let energy = energies(rules, vertices);
        let into = into(rules, vertices);
        let mut order: Vec<usize> = (0..vertices.len()).collect();
        let rank = |v: usize| (vertices.volume(v), vertices.pattern(v).openness());
        order.sort_by(|&a, &b| {
            energy[b].total_cmp(&energy[a]).then_with(|| rank(b).cmp(&rank(a))).then(a.cmp(&b))
        });
        let mut plan = Plan { ways: Vec::new(), within: Vec::new() };
        let mut is_decided = vec![false; vertices.len()];
        for vertex in order {
            if !is_decided[vertex] {
                plan.lead_to(vertex, &into, rules, vertices, &mut is_decided);
            }
        }
        plan
    }

    /// Lead what can come to `destination` there, if anything can.
    fn lead_to(
        &mut self,
        destination: usize,
        into: &[Vec<usize>],
        rules: &Rules,
        vertices: &Vertices,
        is_decided: &mut [bool],
    ) {
        let is_within =
            |rule: &usize| vertices.source(*rule) == destination && vertices.target(*rule) == destination;
        let within = into[destination].iter().copied().filter(is_within);
        let best = within.min_by(|&a, &b| rules.by_quality(a, b));
        self.within.extend(best);
        let mut reached = vec![destination];
        // Not open to ways of its own any more; undone below if nothing leads here.
        is_decided[destination] = true;
        let before = self.ways.len();
        while !reached.is_empty() {
            let mut found: Vec<(usize, Way)> = Vec::new();
            for &via in &reached {
                let rules = into[via].iter().filter(|&&rule| !is_decided[vertices.source(rule)]);
                found.extend(rules.map(|&rule| (vertices.source(rule), Way { rule, via })));
            }
            found.sort_by(|(s, a), (t, b)| s.cmp(t).then_with(|| rules.by_quality(a.rule, b.rule)));
            found.dedup_by_key(|(source, _)| *source);
            reached = found.iter().map(|&(source, _)| source).collect();
            for &source in &reached {
                is_decided[source] = true;
            }
            self.ways.extend(found);
        }
        is_decided[destination] = best.is_some() || self.ways.len() > before;
    }
}

/// The rules that lead to each vertex, or to one that it holds.
fn into(rules: &Rules, vertices: &Vertices) -> Vec<Vec<usize>> {
    let mut into: Vec<Vec<usize>> = vec![Vec::new(); vertices.len()];
    for rule in 0..rules.len() {
        let target = vertices.target(rule);
        for &vertex in vertices.ancestors(target).iter().chain([&target]) {
            into[vertex].push(rule);
        }
    }
    into
}

/// A rule that may be taken.
struct Offer {
    action: Action,
    proof: Proof,
    /// Whether the plan asks for it.
    is_planned: bool,
    /// Whether it holds by itself.
    is_proven: bool,
}

/// The rules of the plan and all others, the more general first: what the plan leaves out may still do something. So may rules that
/// make nothing equal by themselves: what becomes `sid=*` meets others when these have become that, too.
fn offers(plan: &Plan, proofed: &Proofed, rules: &Rules, vertices: &Vertices, max_fpr: f64) -> Vec<Offer> {
    let planned: HashSet<usize> =
        plan.ways.iter().map(|(_, way)| way.rule).chain(plan.within.iter().copied()).collect();
    let offer = |rule: usize| Offer {
        action: rules.action(rule).clone(),
        proof: rules.proof(rule),
        is_planned: planned.contains(&rule),
        is_proven: true,
    };
    let openness = |rule: usize| vertices.pattern(vertices.source(rule)).openness();
    let mut order: Vec<usize> = (0..rules.len()).collect();
    order.sort_by_key(|&rule| Reverse(openness(rule)));
    let mut offers: Vec<Offer> = direct(plan, proofed, rules, vertices.len(), max_fpr);
    offers.extend(order.into_iter().map(offer));
    let silent = |action: &Action| Offer {
        action: action.clone(),
        proof: Proof::default(),
        is_planned: false,
        is_proven: false,
    };
    offers.extend(proofed.silent().into_iter().map(silent));
    offers
}

/// Chains said as one rule, where that can be said and holds on the sample.
fn direct(plan: &Plan, proofed: &Proofed, rules: &Rules, vertices: usize, max_fpr: f64) -> Vec<Offer> {
    let mut direct: Vec<Option<Action>> = vec![None; vertices];
    let mut chains = Vec::new();
    for &(source, Way { rule, via }) in &plan.ways {
        let step = rules.action(rule);
        direct[source] = match &direct[via] {
            Some(rest) => Some(
                then(step, rest).inspect(|whole| chains.push(whole.clone())).unwrap_or_else(|| step.clone()),
            ),
            None => Some(step.clone()),
        };
    }
    let candidates: Vec<Candidate> =
        chains.into_iter().map(|action| Candidate { action, support: 0 }).collect();
    let proofs = proofs(proofed.sample, &candidates).0;
    let holds =
        |proof: &Proof| proof.pairs > 0 && proofed.noise.fpr(proof.pairs, proof.wrong_pairs) <= max_fpr;
    let offers = candidates.into_iter().zip(proofs).filter(|(_, proof)| holds(proof));
    offers
        .map(|(candidate, proof)| Offer {
            action: candidate.action,
            proof,
            is_planned: true,
            is_proven: true,
        })
        .collect()
}

fn then(first: &Action, next: &Action) -> Option<Action> {
    match (first, next) {
        (Action::Rewrite(first), Action::Rewrite(next)) => compose::then(first, next).map(Action::Rewrite),
        _ => None,
    }
}

/// Take what `check` has nothing to say against. Every round bans one more rule at least.
fn take_checked(offers: &[Offer], proofed: &Proofed, max_fpr: f64, (name, site_by): (&str, SiteBy)) -> Taken {
    let mut banned: HashSet<usize> = HashSet::new();
    loop {
        let partition = take(offers, &banned, proofed, max_fpr);
        let actions: Vec<Action> =
            partition.taken().iter().map(|&offer| offers[offer].action.clone()).collect();
        let bad = refused_of(&actions, name, site_by);
        if bad.is_empty() {
            return Taken { actions, saved: partition.saved() };
        }
        banned.extend(bad.into_iter().map(|at| partition.taken()[at]));
    }
}

/// Take what makes URLs equal that were not, as long as all rules taken stay under `max_fpr` together; again, until nothing is
/// taken any more, since a rule may have nothing to do before another has done its work.
fn take(offers: &[Offer], banned: &HashSet<usize>, proofed: &Proofed, max_fpr: f64) -> Partition {
    let mut partition = Partition::new(proofed.sample, offers.iter().map(|offer| &offer.action));
    let is_fit = |offer: &Offer, trial: &Trial, partition: &Partition| {
        let limit = if offer.is_proven { max_fpr.max(OFTEN_WRONG) } else { max_fpr };
        trial.is_worth_it()
            && trial.fpr(proofed.noise) <= max_fpr
            && partition.added_fpr(trial, proofed.noise) <= limit
    };
    // How many rules were taken when each was tried last: before another is taken, there is nothing new to try.
    let mut tried_after: Vec<Option<usize>> = vec![None; offers.len()];
    let mut open: Vec<usize> = (0..offers.len()).filter(|offer| !banned.contains(offer)).collect();
    while open.iter().any(|&offer| tried_after[offer] != Some(partition.taken().len())) {
        open.retain(|&offer| {
            let is_new = tried_after[offer] != Some(partition.taken().len());
            let trial = if is_new { partition.trial(offer) } else { None };
            let fit = trial.filter(|trial| is_fit(&offers[offer], trial, &partition));
            if let Some(trial) = &fit {
                partition.take(offer, trial);
            }
            tried_after[offer] = Some(partition.taken().len());
            fit.is_none()
        });
    }
    partition
}

/// What a rule that holds by itself adds to what others do may be wrong this often, if not more often than any rule may: else the many pairs of a
/// login wall would excuse it.
const OFTEN_WRONG: f64 = 0.1;
