//! `undust dedup`: the first URL of each canonical key, without those that need not be fetched at all.

use std::collections::HashSet;
use std::io::Write;

use anyhow::Result;
use undust_io::{open, try_read_input};
use undust_neural::{Engine, Scratch};
use xxhash_rust::xxh3::xxh3_128;

use crate::args::Dedup;
use crate::messages::{counted, percent, report_problems, say, thousands};
use crate::{Outcome, output};

pub(super) fn run(args: &Dedup) -> Result<Outcome> {
    let file = args.applying.load(&args.input)?;
    output::check_place(&args.output, [&args.input, &args.applying.rules], false, "URLs")?;
    let engine = Engine::new(&file, args.applying.canonicalize.form.into());
    let skipping = engine.has_skips() && !args.no_skips;
    let mut counts = Counts::default();
    output::save_made(&args.output, |out| {
        counts = write_first(args, &engine, skipping, out)?;
        Ok(())
    })?;
    let Counts { urls, kept, skipped } = counts;
    let told =
        |n: u64, what: &str| format!("{} {what} ({})", thousands(n), percent(n as f64 / urls.max(1) as f64));
    let mut dropped = told(urls - kept - skipped, "spared");
    if skipping {
        dropped = format!("{dropped}, {}", told(skipped, "skipped"));
    }
    say(&format!("{} in, {} out: {dropped}", counted(urls, "URL"), thousands(kept)));
    Ok(Outcome::Fine)
}

/// What became of the URLs of an input.
#[derive(Default)]
struct Counts {
    urls: u64,
    kept: u64,
    skipped: u64,
}

/// Write the first URL of each key, unless a rule skips it.
fn write_first(args: &Dedup, engine: &Engine, skipping: bool, out: &mut dyn Write) -> Result<Counts> {
    let mut scratch = Scratch::new();
    // 128 bits: among billions of keys, no two different ones are ever taken for the same.
    let mut seen: HashSet<u128> = HashSet::new();
    let (mut key, mut skipped) = (Vec::new(), 0);
    let summary = try_read_input(open(&args.input)?, &args.reading.options(), &mut |page| -> Result<()> {
        key.clear();
        engine.canonicalize_into(&page.url, &mut scratch, &mut key);
        if skipping && engine.skips(&key, &mut scratch).is_some() {
            skipped += 1;
        } else if seen.insert(xxh3_128(&key)) {
            out.write_all(&page.url)?;
            out.write_all(b"\n")?;
        }
        Ok(())
    })?;
    report_problems(&summary);
    Ok(Counts { urls: summary.pages, kept: seen.len() as u64, skipped })
}
