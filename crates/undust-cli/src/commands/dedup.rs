//! `undust dedup`: the first URL of each canonical key.

use std::collections::HashSet;
use std::io::{BufWriter, Write};

use anyhow::Result;
use undust_io::{open, try_read_input};
use undust_neural::apply::{Interpreter, Scratch};
use xxhash_rust::xxh3::xxh3_128;

use crate::Outcome;
use crate::args::Dedup;
use crate::rules_file::Deployed;
use crate::talk::{counted, percent, report_problems, say, thousands};

pub(super) fn run(args: &Dedup) -> Result<Outcome> {
    let Deployed { rules, models } = args.applying.load(&args.input)?;
    let engine = Interpreter::new(&rules, models, args.applying.manner.form.into());
    let mut out = BufWriter::with_capacity(1 << 16, std::io::stdout().lock());
    let mut scratch = Scratch::new();
    // 128 bits: among billions of keys, no two different ones are ever taken for the same.
    let mut seen: HashSet<u128> = HashSet::new();
    let mut key = Vec::new();
    let summary = try_read_input(open(&args.input)?, &args.reading.options(), &mut |page| -> Result<()> {
        key.clear();
        engine.append(&page.url, &mut scratch, &mut key);
        if seen.insert(xxh3_128(&key)) {
            out.write_all(&page.url)?;
            out.write_all(b"\n")?;
        }
        Ok(())
    })?;
    out.flush()?;
    report_problems(&summary);
    let (urls, kept) = (summary.pages, seen.len() as u64);
    let spared = urls - kept;
    let share = spared as f64 / urls.max(1) as f64;
    let (urls, kept, spared) = (counted(urls, "URL"), thousands(kept), thousands(spared));
    say(&format!("{urls} in, {kept} out: {spared} spared ({})", percent(share)));
    Ok(Outcome::Fine)
}
