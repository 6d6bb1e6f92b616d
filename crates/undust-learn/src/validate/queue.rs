//! Figure 4: whose turn it is, and what follows from a verdict for the other rules of the site.

use undust::rules::{Action, Rule, Validation, Verdict};

use super::is_open;

/// What became of the rules of a site.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Validated {
    /// Rules left out because they refine a valid one.
    pub redundant: u64,
    /// Whether the judge said stop.
    pub stopped: bool,
}

/// The rules of a site, of which the open ones wait to be tried out. They keep their order, in which they are applied, whatever the order
/// in which they are tried.
#[derive(Clone, Debug)]
pub struct RuleQueue {
    /// As they are now.
    pub rules: Vec<Rule>,
    /// What became of them.
    pub validated: Validated,
    /// By position: the priority of a rule that waits.
    waiting: Vec<Option<u64>>,
}

impl RuleQueue {
    /// In the order of the rules.
    pub fn in_order(rules: Vec<Rule>) -> RuleQueue {
        let priorities = vec![0; rules.len()];
        RuleQueue::new(rules, &priorities)
    }

    /// Most savings first, so that a small budget decides the rules that matter. `changed` says of each rule how many URLs it changes, which
    /// is what a rule without evidence may save. General rules come before those that refine them, which they may spare.
    pub fn by_savings(rules: Vec<Rule>, changed: &[u64]) -> RuleQueue {
        let savings: Vec<u64> = rules.iter().zip(changed).map(|(rule, &urls)| savings(rule, urls)).collect();
        let of_family = |(general, &own): (&Rule, &u64)| {
            // The other way round as well: the same rule in other words, or itself.
            let is_special = |rule: &Rule| is_open(rule) && refines(rule, general) && !refines(general, rule);
            let special = rules.iter().zip(&savings).filter(|(rule, _)| is_special(rule));
            special.map(|(_, special)| special + 1).fold(own, u64::max)
        };
        let priorities: Vec<u64> = rules.iter().zip(&savings).map(of_family).collect();
        RuleQueue::new(rules, &priorities)
    }

    fn new(rules: Vec<Rule>, priorities: &[u64]) -> RuleQueue {
        let waiting = rules.iter().zip(priorities).map(|(rule, &priority)| is_open(rule).then_some(priority));
        RuleQueue { waiting: waiting.collect(), validated: Validated::default(), rules }
    }

    /// How many rules wait.
    pub fn len(&self) -> usize {
        self.waiting.iter().flatten().count()
    }

    /// Whether none waits.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The priority of the next rule; none where nothing is left to do.
    pub fn priority(&self) -> Option<u64> {
        if self.validated.stopped { None } else { self.waiting.iter().flatten().max().copied() }
    }

    /// Try the next rule; whether there was one. A refuted substitution that was merely likely is to be tried the other way round; one that
    /// refines a valid rule is left out.
    pub fn step(&mut self, try_out: impl FnOnce(&Rule) -> (Validation, bool)) -> bool {
        while let Some((at, priority)) = self.next() {
            self.waiting[at] = None;
            let likely = self.rules[at].is_likely();
            if likely && self.rules.iter().any(|valid| makes_redundant(valid, &self.rules[at])) {
                self.rules.remove(at);
                self.waiting.remove(at);
                self.validated.redundant += 1;
                continue;
            }
            let (validation, stopped) = try_out(&self.rules[at]);
            self.validated.stopped = stopped;
            let back = conclude(&mut self.rules, at, validation).filter(|_| likely);
            if let Some(back) = back {
                self.rules.insert(at + 1, back);
                self.waiting.insert(at + 1, Some(priority));
            }
            return true;
        }
        false
    }

    /// The first of those with the highest priority.
    fn next(&self) -> Option<(usize, u64)> {
        let highest = self.priority()?;
        self.waiting.iter().position(|priority| *priority == Some(highest)).map(|at| (at, highest))
    }
}

/// Figure 4 in the order of the rules, `try_out` one by one. `after_each` sees the rules whenever one was tried.
pub fn validate_rules(
    rules: &mut Vec<Rule>,
    mut try_out: impl FnMut(&Rule) -> (Validation, bool),
    mut after_each: impl FnMut(&[Rule]),
) -> Validated {
    let mut queue = RuleQueue::in_order(std::mem::take(rules));
    while queue.step(&mut try_out) {
        after_each(&queue.rules);
    }
    *rules = queue.rules;
    queue.validated
}

/// URLs that a rule, which changes `urls`, is expected to save. A likely one has no more to show than the pairs that suggested it.
fn savings(rule: &Rule, urls: u64) -> u64 {
    rule.evidence.as_ref().map_or(urls, |seen| if seen.saved > 0 { seen.saved } else { seen.support })
}

/// Note what came of a rule; the way back of one that was refuted, if that is a new rule.
fn conclude(rules: &mut [Rule], at: usize, validation: Validation) -> Option<Rule> {
    if validation.positive + validation.negative == 0 {
        // It must not be marked as tried where there was nothing to try it on.
        return None;
    }
    let refuted = validation.verdict == Verdict::Invalid;
    rules[at].validation = Some(validation);
    let back = way_back(&rules[at]).filter(|_| refuted)?;
    (!rules.iter().any(|rule| rule.action == back.action)).then_some(back)
}

/// Whether `rule` refines a substitution that was found valid.
pub(crate) fn makes_redundant(valid: &Rule, rule: &Rule) -> bool {
    let is_valid = valid.verdict() == Some(Verdict::Valid);
    is_valid && valid.is_active() && refines(rule, valid)
}

fn refines(special: &Rule, general: &Rule) -> bool {
    match (&special.action, &general.action) {
        (Action::Substitute(special), Action::Substitute(general)) => special.refines(general),
        _ => false,
    }
}

/// Every rule that may be tried out: the open ones, and the other way round those that would be turned.
pub(super) fn all_that_may_be_tried(rules: &[Rule]) -> impl Iterator<Item = Rule> {
    let open = rules.iter().filter(|rule| is_open(rule));
    let back = open.clone().filter(|rule| rule.is_likely()).filter_map(way_back);
    open.cloned().chain(back)
}

/// The same rule the other way round, to be tried; one that had been proposed that way would have been refuted before.
fn way_back(rule: &Rule) -> Option<Rule> {
    let action = rule.action.reversed().filter(Action::grows)?;
    let validation = Some(Validation::default());
    Some(Rule { id: action.id(), action, validation, ..rule.clone() })
}
