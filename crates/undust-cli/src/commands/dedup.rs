//! `undust dedup`: the first URL of each canonical key.

use std::collections::HashSet;
use std::io::{BufWriter, Write};

use anyhow::Result;
use undust::apply::{Canonicalizer, Scratch};
use undust_io::read;
use xxhash_rust::xxh3::xxh3_128;

use crate::Outcome;
use crate::args::Dedup;
use crate::talk::{percent, report_problems, say, thousands};

pub(super) fn run(args: &Dedup) -> Result<Outcome> {
    let rules = args.applying.load()?;
    let engine = Canonicalizer::new(&rules, args.applying.form.into());
    let mut out = BufWriter::with_capacity(1 << 16, std::io::stdout().lock());
    let mut scratch = Scratch::new();
    // 128 bits: among billions of keys, no two different ones are ever taken for the same.
    let mut seen: HashSet<u128> = HashSet::new();
    let mut key = Vec::new();
    let mut written = Ok(());
    let summary = read(&args.input, &args.reading.options(), &mut |page| {
        key.clear();
        engine.append(&page.url, &mut scratch, &mut key);
        if seen.insert(xxh3_128(&key)) && written.is_ok() {
            written = out.write_all(&page.url).and_then(|()| out.write_all(b"\n"));
        }
    })?;
    written?;
    out.flush()?;
    report_problems(&summary);
    let (urls, kept) = (summary.pages, seen.len() as u64);
    let spared = if urls == 0 { 0.0 } else { (urls - kept) as f64 / urls as f64 };
    say(&format!("{} URLs in, {} out: {} spared", thousands(urls), thousands(kept), percent(spared)));
    Ok(Outcome::Fine)
}
