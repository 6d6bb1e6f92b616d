//! `undust export` and `undust import`: rules in the formats of other tools, and back.

mod known;

use std::collections::BTreeMap;

use anyhow::{Result, anyhow, bail};
use undust_exchange::{KnownAnswers, LeftOut, export_with, import};

use crate::Outcome;
use crate::args::{Export, Import};
use crate::messages::{counted, say};
use crate::{output, rules_file};

pub(super) fn run_export(args: &Export) -> Result<Outcome> {
    let redirects = &args.redirects;
    output::check_place(&args.output, [&args.rules].into_iter().chain(&redirects.known), false, "export")?;
    if !args.to.redirects() && (!redirects.known.is_empty() || !redirects.tries.is_empty()) {
        bail!("--known and --try are for servers that redirect: --to apache or nginx");
    }
    let rules = rules_file::load(&args.rules)?;
    rules_file::warn(&args.rules, &rules);
    let known = if args.to.redirects() { known::known(args, &rules)? } else { KnownAnswers::default() };
    let exported = export_with(&rules, args.to, &known);
    output::save(&args.output, |out| out.write_all(exported.text.as_bytes()))?;
    say(&format!("{} written for {}", counted(exported.rules as u64, "rule"), args.to));
    let idle = rules.rules().filter(|(_, rule)| !rule.is_active()).count();
    if idle > 0 {
        say(&format!(
            "{} not in force (rejected, refuted or not tried out yet)",
            counted(idle as u64, "rule")
        ));
    }
    for caveat in args.to.caveats() {
        say(&format!("mind: {caveat}"));
    }
    if args.to.redirects() && redirects.tries.is_empty() {
        say("mind: redirects that the site sends back take pages offline: --try http://HOST asks it first");
    }
    report("rule", &exported.left_out);
    Ok(Outcome::Fine)
}

pub(super) fn run_import(args: &Import) -> Result<Outcome> {
    output::check_place(&args.output, [&args.input], false, "rules")?;
    let text = undust_io::open(&args.input)?.into_text()?;
    let imported = import(&text, args.from).map_err(|error| anyhow!("{}: {error}", args.input.display()))?;
    rules_file::replace(&args.output, &imported.rules)?;
    let rules = counted(imported.rules.rules().count() as u64, "rule");
    say(&format!("{rules} on {}", counted(imported.rules.sites.len() as u64, "site")));
    report("entry", &imported.left_out);
    Ok(Outcome::Fine)
}

/// What was left out, by reason.
fn report(thing: &str, left_out: &[LeftOut]) {
    if left_out.is_empty() {
        return;
    }
    let mut by_reason: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for one in left_out {
        by_reason.entry(&one.reason).or_default().push(&one.what);
    }
    let all = match (thing, left_out.len()) {
        ("entry", n) if n != 1 => format!("{} entries", crate::messages::thousands(n as u64)),
        (thing, n) => counted(n as u64, thing),
    };
    say(&format!("left out: {all}"));
    for (reason, entries) in by_reason {
        say(&format!("  {reason}:"));
        for entry in entries {
            say(&format!("    {entry}"));
        }
    }
}
