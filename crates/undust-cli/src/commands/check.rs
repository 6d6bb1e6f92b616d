//! `undust check`: is a rule file fit to be used?

use std::io::Write;

use anyhow::Result;
use serde_json::json;
use undust::apply::{Finding, check};
use undust::rules::Review;

use super::print_json;
use crate::args::Check;
use crate::messages::counted;
use crate::{Outcome, output};
use undust_neural::RuleFile;

pub(super) fn run(args: &Check) -> Result<Outcome> {
    // Models come to rest by construction; here they must only be there.
    let rules = RuleFile::load(&args.rules)?.rules;
    let findings = check(&rules);
    let rejected = rules.rules().filter(|(_, rule)| rule.review == Review::Rejected).count();
    let count = rules.rules().count();
    if args.json {
        let rests = !findings.iter().any(|f| matches!(f, Finding::Circle { .. } | Finding::Unproven { .. }));
        let findings: Vec<String> = findings.iter().map(ToString::to_string).collect();
        print_json(&json!({
            "rules": count,
            "rejected": rejected,
            "sites": rules.sites.len(),
            "comes_to_rest": rests,
            "findings": findings,
        }))?;
    } else {
        let mut out = output::stdout();
        for finding in &findings {
            writeln!(out, "{finding}")?;
        }
        let verdict =
            if findings.is_empty() { "valid; terminates on every URL" } else { "not fit to be used" };
        let rejected = if rejected > 0 { format!(" ({rejected} rejected)") } else { String::new() };
        let (count, sites) = (counted(count as u64, "rule"), counted(rules.sites.len() as u64, "site"));
        writeln!(out, "{}: {count}{rejected} on {sites}: {verdict}", args.rules.display())?;
    }
    Ok(if findings.is_empty() { Outcome::Fine } else { Outcome::Findings })
}
