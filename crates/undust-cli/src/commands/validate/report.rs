//! What came of trying rules out, for people and for programs.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;

use anyhow::Result;
use serde::Serialize;
use undust::rules::{Review, Rule, Validation, Verdict};
use undust_learn::validate::{Judgement, is_open};

use super::super::print_json;
use crate::messages::{counted, thousands};
use crate::output;
use crate::table::{align_right, ruled};

/// What came of the rules of a site.
pub(super) struct Tried {
    pub(super) site: String,
    /// As they are now.
    pub(super) rules: Vec<Rule>,
    /// Rules left out because they refine a valid one, or do not go together with the others.
    pub(super) left_out: u64,
    /// Why it ended early.
    pub(super) stopped: Option<String>,
    /// Whether that was since the budget is spent.
    pub(super) spent: bool,
    /// The rules that were decided before, by their ids.
    before: BTreeSet<String>,
    /// The last reason for which nothing could be told, by the id of the rule.
    unknown: BTreeMap<String, String>,
}

impl Tried {
    pub(super) fn new(site: &str, rules: &[Rule]) -> Tried {
        let before = rules.iter().filter(|rule| !is_open(rule)).map(|rule| rule.id.clone()).collect();
        let (rules, unknown) = (Vec::new(), BTreeMap::new());
        Tried { site: site.to_owned(), rules, left_out: 0, stopped: None, spent: false, before, unknown }
    }

    /// Notes why a URL says nothing of `rule`.
    pub(super) fn unknown(&mut self, rule: &Rule, why: String) -> Judgement {
        self.unknown.insert(rule.id.clone(), why);
        Judgement::Unknown
    }

    fn rows(&self) -> impl Iterator<Item = Row> {
        let tried = self.rules.iter().filter(|rule| !self.before.contains(&rule.id));
        tried.map(|rule| self.row(rule))
    }

    fn row(&self, rule: &Rule) -> Row {
        let (from, to) = rule.action.sides();
        let Validation { verdict, positive, negative, .. } = undust_learn::validate::so_far(rule);
        let (site, id, why) = (self.site.clone(), rule.id.clone(), self.why(rule));
        Row { site, id, from, to, verdict, same: positive, other: negative, why }
    }

    /// Why a rule is not valid.
    fn why(&self, rule: &Rule) -> Option<String> {
        let samples = rule.validation.iter().flat_map(|v| &v.samples);
        let against = samples.clone().find(|sample| !sample.same);
        let against = against.map(|s| format!("{}: {}", s.why.as_deref().unwrap_or("another page"), s.url));
        match rule.validation.as_ref().map(|v| v.verdict) {
            Some(Verdict::Valid) => None,
            Some(Verdict::Invalid) => against,
            _ if self.stopped.is_some() => {
                Some(if samples.count() > 0 { "stopped" } else { "not tried: stopped before" }.to_owned())
            }
            _ if samples.count() > 0 => Some("too few URLs to tell".to_owned()),
            _ => Some(self.unknown.get(&rule.id).map_or("no URL to try it on", String::as_str).to_owned()),
        }
    }
}

/// A rule in the report.
#[derive(Serialize)]
struct Row {
    site: String,
    id: String,
    from: String,
    to: String,
    verdict: Verdict,
    same: u64,
    other: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
}

/// Everything that was tried in this run.
#[derive(Serialize)]
pub(super) struct Report {
    /// Rules with at least one trial.
    tried: u64,
    valid: u64,
    invalid: u64,
    undecided: u64,
    left_out: u64,
    /// Rules that skip URLs, which are not tried out.
    skips: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    requests: Option<u64>,
    /// Sites that were not finished, and why.
    stopped: BTreeMap<String, String>,
    rules: Vec<Row>,
}

impl Report {
    /// `requests` only where something was fetched.
    pub(super) fn new(tried: &[Tried], requests: Option<u64>, skips: u64) -> Report {
        let rules: Vec<Row> = tried.iter().flat_map(Tried::rows).collect();
        let count = |is: fn(Verdict) -> bool| rules.iter().filter(|row| is(row.verdict)).count() as u64;
        let stops = tried.iter().filter_map(|site| Some((site.site.clone(), site.stopped.clone()?)));
        Report {
            tried: rules.iter().filter(|row| row.is_tried()).count() as u64,
            valid: count(|verdict| verdict == Verdict::Valid),
            invalid: count(|verdict| verdict == Verdict::Invalid),
            undecided: count(Verdict::is_open),
            left_out: tried.iter().map(|site| site.left_out).sum(),
            skips,
            requests,
            stopped: stops.collect(),
            rules,
        }
    }

    pub(super) fn print(&self, json: bool) -> Result<()> {
        if json { print_json(self) } else { self.show() }
    }

    fn show(&self) -> Result<()> {
        let mut out = output::stdout();
        if !self.rules.is_empty() {
            let mut table = ruled(&["rule", "verdict", "same", "other", "why"]);
            // Where a run was stopped, what it came to would drown in what is left to do.
            let (tried, untried) = self.rules.iter().partition::<Vec<&Row>, _>(|row| row.is_tried());
            for row in tried.into_iter().chain(untried).take(MAX_RULES_SHOWN) {
                table.add_row(row.cells());
            }
            align_right(&mut table, 2..4);
            writeln!(out, "{}\n", table.text())?;
        }
        if self.rules.len() > MAX_RULES_SHOWN {
            writeln!(out, "… and {} more rules (--json has them all)", self.rules.len() - MAX_RULES_SHOWN)?;
        }
        for (site, why) in &self.stopped {
            writeln!(out, "{site}: stopped: {why}")?;
        }
        Ok(writeln!(out, "{}", self.total())?)
    }

    /// `28 of 370 rules tried out`, or `9 rules tried out` where those are all.
    pub(super) fn share_tried(&self) -> String {
        let rules = counted(self.rules.len() as u64, "rule");
        let some = (self.tried < self.rules.len() as u64).then(|| format!("{} of ", thousands(self.tried)));
        format!("{}{rules} tried out", some.unwrap_or_default())
    }

    fn total(&self) -> String {
        let Report { valid, invalid, undecided, .. } = self;
        let tried = self.share_tried();
        let verdicts = format!("{tried}: {valid} valid, {invalid} invalid, {undecided} undecided");
        let some = |n: u64, what: &str| (n > 0).then(|| format!("{} {what}", counted(n, "rule")));
        let left_out = some(self.left_out, "left out, since a valid one says as much or against it");
        let skips = some(self.skips, "passed over, since what is skipped has nothing to be compared with");
        let requests = self.requests.map(|n| counted(n, "request"));
        [Some(verdicts), left_out, skips, requests].into_iter().flatten().collect::<Vec<_>>().join("; ")
    }
}

/// Rules shown; the file has them all.
const MAX_RULES_SHOWN: usize = 25;

impl Row {
    fn is_tried(&self) -> bool {
        self.same + self.other > 0
    }

    fn cells(&self) -> Vec<String> {
        let Row { from, to, verdict, same, other, why, .. } = self;
        vec![
            format!("{from}\n→ {to}"),
            verdict.name().to_owned(),
            same.to_string(),
            other.to_string(),
            why.clone().unwrap_or_default(),
        ]
    }
}

/// Whether a rule needs no attention: it is valid, somebody rejected it, or it cannot be tried out.
pub(super) fn is_fine(rule: &Rule) -> bool {
    let valid = rule.validation.as_ref().is_some_and(|v| v.verdict == Verdict::Valid);
    valid || rule.review == Review::Rejected || rule.action.is_skip()
}
