//! `undust apply`: canonical forms at the speed of reading.

#[cfg(feature = "parquet")]
use std::cell::RefCell;
use std::io::Write;
use std::path::Path;

use anyhow::Result;
use undust_io::blocks::{Block, lines, map_blocks};
#[cfg(feature = "parquet")]
use undust_io::{AddedColumn, write_with_column};
use undust_io::{Format, open, try_read_input};
use undust_neural::{Engine, Scratch};

use crate::args::Apply;
#[cfg(feature = "parquet")]
use crate::args::FormArg;
use crate::messages::{no_page, report_problems, say};
use crate::{Outcome, output};

pub(super) fn run(args: &Apply) -> Result<Outcome> {
    let file = args.applying.load(&args.input)?;
    let engine = Engine::new(&file, args.applying.canonicalize.form.into());
    output::check_place(&args.output, [&args.input, &args.applying.rules], false, "canonical forms")?;
    if is_parquet(&args.output) {
        write_parquet(args, &engine)?;
    } else {
        output::save_made(&args.output, |out| write_lines(args, &engine, out))?;
    }
    Ok(Outcome::Fine)
}

fn is_parquet(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("parquet"))
}

#[cfg(not(feature = "parquet"))]
fn write_parquet(_: &Apply, _: &Engine) -> Result<()> {
    anyhow::bail!("this build has no Parquet: build with --features parquet")
}

/// The name of the column of canonical forms.
#[cfg(feature = "parquet")]
fn column_of(form: FormArg) -> &'static str {
    match form {
        FormArg::Key => "undust_key",
        FormArg::Url => "undust_url",
    }
}

#[cfg(feature = "parquet")]
fn write_parquet(args: &Apply, engine: &Engine) -> Result<()> {
    thread_local!(static SCRATCH: RefCell<Scratch> = RefCell::new(Scratch::new()));
    let value = |url: &[u8], out: &mut Vec<u8>| {
        SCRATCH.with_borrow_mut(|scratch| engine.canonicalize_into(url, scratch, out));
    };
    let added = AddedColumn { name: column_of(args.applying.canonicalize.form), value: &value };
    let mut summary = None;
    let input = open(&args.input)?;
    output::save_parquet(&args.output, |out| {
        summary = Some(write_with_column(out, input, &args.reading.options(), &added)?);
        Ok(())
    })?;
    summary.iter().for_each(report_problems);
    Ok(())
}

fn write_lines(args: &Apply, engine: &Engine, out: &mut dyn Write) -> Result<()> {
    let mut input = open(&args.input)?;
    let format = args.reading.format.map_or_else(|| input.format(), Ok)?;
    if format == Format::Urls {
        // Every line is a URL, also one that is empty or odd: one line out per line in.
        let work = |block: Block| canonical_lines(engine, &block, args.tsv);
        let mut is_empty = true;
        map_blocks(input, args.reading.threads(), work, |text| -> Result<()> {
            is_empty = false;
            Ok(out.write_all(&text)?)
        })?;
        if is_empty {
            say(&no_page(&args.input, 0, format.unit()));
        }
    } else {
        let mut scratch = Scratch::new();
        let mut line = Vec::new();
        let summary = try_read_input(input, &args.reading.options(), &mut |page| -> Result<()> {
            line.clear();
            write_line(engine, &mut scratch, &page.url, args.tsv, &mut line);
            Ok(out.write_all(&line)?)
        })?;
        report_problems(&summary);
    }
    Ok(())
}

fn canonical_lines(engine: &Engine, block: &Block, tsv: bool) -> Vec<u8> {
    let mut scratch = Scratch::deferring();
    let mut out = Vec::with_capacity(block.data.len() + block.data.len() / 8);
    loop {
        for url in lines(&block.data) {
            write_line(engine, &mut scratch, url, tsv, &mut out);
        }
        if !engine.flush_deferred(&mut scratch) {
            return out;
        }
        out.clear();
    }
}

fn write_line(engine: &Engine, scratch: &mut Scratch, url: &[u8], tsv: bool, out: &mut Vec<u8>) {
    if tsv {
        out.extend_from_slice(url);
        out.push(b'\t');
    }
    engine.canonicalize_into(url, scratch, out);
    out.push(b'\n');
}
