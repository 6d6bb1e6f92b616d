//! `undust apply`: canonical forms at the speed of reading.

use std::io::{BufWriter, Write};

use anyhow::Result;
use undust_io::blocks::{Block, lines, map_blocks};
use undust_io::{Format, open, try_read_input};
use undust_neural::apply::{Interpreter, Scratch};

use crate::Outcome;
use crate::args::Apply;
use crate::rules_file::Deployed;
use crate::talk::report_problems;

pub(super) fn run(args: &Apply) -> Result<Outcome> {
    let Deployed { rules, models } = args.applying.load(&args.input)?;
    let engine = Interpreter::new(&rules, models, args.applying.manner.form.into());
    let mut out = BufWriter::with_capacity(1 << 16, std::io::stdout().lock());
    let mut input = open(&args.input)?;
    let format = args.reading.format.map_or_else(|| input.format(), Ok)?;
    if format == Format::Urls {
        // Every line is a URL, also one that is empty or odd: one line out per line in.
        let work = |block: Block| canonical_lines(&engine, &block, args.tsv);
        map_blocks(input, args.reading.threads(), work, |text| -> Result<()> { Ok(out.write_all(&text)?) })?;
    } else {
        let mut scratch = Scratch::new();
        let mut line = Vec::new();
        let summary = try_read_input(input, &args.reading.options(), &mut |page| -> Result<()> {
            line.clear();
            write_line(&engine, &mut scratch, &page.url, args.tsv, &mut line);
            Ok(out.write_all(&line)?)
        })?;
        report_problems(&summary);
    }
    out.flush()?;
    Ok(Outcome::Fine)
}

fn canonical_lines(engine: &Interpreter, block: &Block, tsv: bool) -> Vec<u8> {
    let mut scratch = Scratch::that_puts_off();
    let mut out = Vec::with_capacity(block.data.len() + block.data.len() / 8);
    loop {
        for url in lines(&block.data) {
            write_line(engine, &mut scratch, url, tsv, &mut out);
        }
        if !engine.catch_up(&mut scratch) {
            return out;
        }
        out.clear();
    }
}

fn write_line(engine: &Interpreter, scratch: &mut Scratch, url: &[u8], tsv: bool, out: &mut Vec<u8>) {
    if tsv {
        out.extend_from_slice(url);
        out.push(b'\t');
    }
    engine.append(url, scratch, out);
    out.push(b'\n');
}
