//! The tables of `undust learn`: rules with their evidence, totals, and the part of each learner.

use std::collections::BTreeMap;
use std::io::{IsTerminal, Write};

use anyhow::Result;
use undust::rules::{Rule, RuleClass, RuleSet, classify};
use undust_learn::LearnReport;
use undust_learn::pipeline::Contribution;

use crate::messages::{counted, percent, percent_at_most, say, thousands};
use crate::output;
use crate::table::{align_right, plain, ruled};

/// Rows that were left out or are doubtful, with the reason.
pub(crate) fn left_out(report: &LearnReport) -> [(u64, &'static str); 5] {
    [
        (report.mislabelled, "probably mislabelled (estimated; not counted against rules)"),
        (
            report.contradictions,
            "gave a URL a second label; of its labels, the first in the alphabet counted",
        ),
        (report.unlabelled, "passed over: no cluster, and no digest of a successful fetch"),
        (report.failed, "passed over: failed requests (status 400 and above)"),
        (
            report.assets,
            "passed over: images, styles and scripts without a query (--set learn.with-assets=true keeps them)",
        ),
    ]
}

fn saved(rule: &Rule) -> u64 {
    rule.evidence.as_ref().map_or(0, |evidence| evidence.saved)
}

/// Rules shown of each kind; the file has them all.
const MAX_RULES_SHOWN: usize = 25;

/// The tables a person looks at before using the rules.
pub(in crate::commands) fn show(rules: &RuleSet, total: &LearnReport) -> Result<()> {
    let mut out = output::stdout();
    let (mut skips, changes): (Vec<&Rule>, Vec<&Rule>) =
        rules.rules().map(|(_, rule)| rule).partition(|rule| rule.action.is_skip());
    let (likely, mut judged): (Vec<&Rule>, Vec<&Rule>) =
        changes.into_iter().partition(|rule| rule.is_likely());
    for judged in [&mut judged, &mut skips] {
        judged.sort_by_key(|rule| std::cmp::Reverse(saved(rule)));
    }
    for (kind, rules) in [(JUDGED, judged), (LIKELY, likely), (SKIPS, skips)] {
        kind.write(&mut out, &rules)?;
    }
    write_total(&mut out, rules.rules().count() as u64, total)
}

/// How rules of one kind are shown.
struct Kind {
    columns: &'static [&'static str],
    /// How many of the columns are text; the others are numbers.
    texts: usize,
    row: fn(&Rule) -> Vec<String>,
    legend: &'static str,
}

impl Kind {
    fn write(&self, out: &mut impl Write, rules: &[&Rule]) -> Result<()> {
        if rules.is_empty() {
            return Ok(());
        }
        let mut table = ruled(self.columns);
        for rule in rules.iter().take(MAX_RULES_SHOWN) {
            table.add_row((self.row)(rule));
        }
        align_right(&mut table, self.texts..self.columns.len());
        writeln!(out, "{}\n", table.text())?;
        if rules.len() > MAX_RULES_SHOWN {
            writeln!(out, "… and {} more rules in the file", rules.len() - MAX_RULES_SHOWN)?;
        }
        Ok(writeln!(out, "{}", self.legend)?)
    }
}

fn write_total(out: &mut impl Write, rules: u64, total: &LearnReport) -> Result<()> {
    let (urls, sites) = (counted(total.urls, "URL"), counted(total.sites, "site"));
    let pages =
        if total.clusters > 0 { format!(" of {}", counted(total.clusters, "page")) } else { String::new() };
    let (rules, proposed) = (counted(rules, "rule"), thousands(total.candidates));
    writeln!(out, "{urls}{pages} on {sites}: {rules} ({proposed} proposed)")?;
    for (what, spared) in [("saved", total.saved), ("skipped", total.skipped)] {
        if spared > 0 {
            let share = spared as f64 / total.urls as f64;
            writeln!(out, "URLs {what}: {} ({})", thousands(spared), percent(share))?;
        }
    }
    for (rows, why) in left_out(total) {
        if rows > 0 {
            writeln!(out, "{} {why}", counted(rows, "row"))?;
        }
    }
    Ok(())
}

const JUDGED: Kind = Kind {
    columns: &["rule", "class", "saved", "wrong", "at most"],
    texts: 2,
    row: |rule| [said_by(rule), evidence_of(rule)].concat(),
    legend: "\
saved:    URLs that need no fetch
wrong:    those with another page, of the held-out URLs so saved
at most:  the share of wrong ones that this leaves possible (95 % confidence);
          --max-fpr limits it for the rules of a site together, not for each
",
};

const LIKELY: Kind = Kind {
    columns: &["likely rule", "class", "pairs"],
    texts: 2,
    row: likely_row,
    legend: "\
pairs:    URLs seen in both forms, alike in all that is known of them
",
};

const SKIPS: Kind = Kind {
    columns: &["skip", "skipped", "lost", "at most"],
    texts: 1,
    row: |rule| [vec![rule.action.sides().0], evidence_of(rule)].concat(),
    legend: "\
skipped:  URLs that need no fetch, since their pages have other URLs
lost:     those without another URL, of the held-out pages so skipped
at most:  the share of lost ones that this leaves possible (95 % confidence)
",
};

/// What a rule saves, what of that is wrong, and how much of it may be.
fn evidence_of(rule: &Rule) -> Vec<String> {
    let evidence = rule.evidence.clone().unwrap_or_default();
    let wrong = format!("{}/{}", thousands(evidence.false_positives), thousands(evidence.trials));
    vec![thousands(evidence.saved), wrong, percent_at_most(evidence.bound)]
}

fn likely_row(rule: &Rule) -> Vec<String> {
    let support = rule.evidence.as_ref().map_or(0, |evidence| evidence.support);
    [said_by(rule), vec![thousands(support)]].concat()
}

/// What a rule says, and its class.
fn said_by(rule: &Rule) -> Vec<String> {
    let (from, to) = rule.action.sides();
    vec![format!("{from}\n→ {to}"), classify(&rule.action).map_or("", RuleClass::name).to_owned()]
}

/// The part of each learner as a table; seconds only on a terminal or after a long run.
pub(in crate::commands) fn show_learners(
    parts: &[Contribution],
    seconds: &BTreeMap<String, f64>,
) -> Result<()> {
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
    writeln!(output::stdout(), "\n{}\n\n{LEARNERS_LEGEND}", table.text())?;
    if std::io::stderr().is_terminal() || seconds.values().sum::<f64>() >= LONG_RUN_SECONDS {
        let each: Vec<String> = seconds.iter().map(|(name, took)| format!("{name} {took:.1}")).collect();
        say(&format!("seconds, all sites and threads together: {}", each.join(", ")));
    }
    Ok(())
}

/// Seconds from which on a run tells where they went.
const LONG_RUN_SECONDS: f64 = 60.0;

const LEARNERS_LEGEND: &str = "\
proposed: distinct rules, many of them by several learners
kept:     rules that are in the file, under the first learner that proposed them
";

#[cfg(test)]
mod tests {
    use undust::rules::{self, Action, Evidence, SiteRules};
    use undust_learn::{LearnOptions, LearnedSite};

    use super::*;

    fn rule(action: Result<Action, rules::SyntaxError>, saved: u64) -> Rule {
        let evidence =
            Evidence { saved, trials: 40, false_positives: 1, bound: 0.113, ..Evidence::default() };
        Rule { evidence: Some(evidence), ..Rule::new(action.expect("well formed")) }
    }

    #[test]
    fn skips_have_figures_of_their_own() {
        let skip = rule(Action::skip("http://a.com/?p={p}"), 1200);
        let change = rule(Action::rewrite("http://a.com/?s=*", "http://a.com/"), 34);
        let mut out = Vec::new();
        SKIPS.write(&mut out, &[&skip]).expect("memory holds it");
        let site = SiteRules { site: "a.com".to_owned(), rules: vec![skip, change] };
        let learned = LearnedSite { rules: site, urls: 5000, ..LearnedSite::default() };
        let total = LearnOptions::new().build().expect("defaults").gather([learned]).report;
        write_total(&mut out, 2, &total).expect("memory holds it");
        let shown = String::from_utf8(out).expect("text");
        let expected = "\
skip                 skipped  lost  at most
────────────────────────────────────────────
http://a.com/?p={p}    1,200  1/40   11.3 %

skipped:  URLs that need no fetch, since their pages have other URLs
lost:     those without another URL, of the held-out pages so skipped
at most:  the share of lost ones that this leaves possible (95 % confidence)

5,000 URLs on 1 site: 2 rules (0 proposed)
URLs saved: 34 (0.7 %)
URLs skipped: 1,200 (24.0 %)
";
        assert_eq!(shown, expected);
    }
}
