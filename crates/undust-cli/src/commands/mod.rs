//! One file per command.

mod apply;
mod check;
pub(crate) mod cluster;
mod dedup;
mod demo;
mod diff;
pub(crate) mod eval;
mod exchange;
pub(crate) mod explain;
pub(crate) mod learn;
#[cfg(feature = "papers")]
mod protocol;
mod shell;
mod tree;
mod validate;

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use undust::page::Page;
use undust::url::SiteBy;
use undust_io::group::{BySite, Sites};
use undust_io::{Input, ReadError, ReadOptions, Summary, open, try_read_prepared};
use undust_neural::RuleFile;

use crate::args::{Applying, Args, CanonicalizeArgs, Command, Reading};
use crate::messages::report_problems;
use crate::rules_file;
use crate::{Outcome, output, progress};
pub(crate) use learn::left_out;

pub(crate) fn run(args: Args) -> Result<Outcome> {
    match args.command {
        Command::Demo(args) => demo::run(&args),
        Command::Cluster(args) => cluster::run(&args),
        Command::Learn(args) => learn::run(&args),
        Command::Validate(args) => validate::run(&args),
        Command::Apply(args) => apply::run(&args),
        Command::Dedup(args) => dedup::run(&args),
        Command::Explain(args) => explain::run(&args),
        Command::Eval(args) => eval::run(&args),
        Command::Check(args) => check::run(&args),
        Command::Diff(args) => diff::run(&args),
        Command::Tree(args) => tree::run(&args),
        Command::Export(args) => exchange::run_export(&args),
        Command::Import(args) => exchange::run_import(&args),
        Command::Completions { shell } => shell::completions(shell),
        Command::Man { folder } => shell::man(&folder),
        Command::Schema => {
            output::stdout().write_all(undust::rules::schema().as_bytes())?;
            Ok(Outcome::Fine)
        }
    }
}

impl Reading {
    /// How many threads to use.
    fn threads(&self) -> usize {
        match self.threads {
            0 => std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
            n => n,
        }
    }

    fn options(&self) -> ReadOptions {
        ReadOptions {
            format: self.format,
            host: self.host.clone(),
            strict: self.strict,
            threads: self.threads(),
            max_body: self.max_body,
        }
    }

    fn thread_pool(&self) -> Result<rayon::ThreadPool> {
        rayon::ThreadPoolBuilder::new().num_threads(self.threads()).build().context("cannot start threads")
    }
}

impl Applying {
    /// The rules and their models, as they are to be applied to `input`.
    fn load(&self, input: &Path) -> Result<RuleFile> {
        if self.rules == Path::new("-") && input == self.rules {
            bail!("rules and URLs cannot both come from standard input");
        }
        self.canonicalize.load(&self.rules)
    }
}

impl CanonicalizeArgs {
    fn load(&self, path: &Path) -> Result<RuleFile> {
        let mut file = RuleFile::load(path)?;
        rules_file::warn(path, &file.rules);
        file.rules.normalize &= !self.no_normalize;
        Ok(file)
    }
}

/// All pages of the inputs, by site, without their content.
fn read_by_site(inputs: &[PathBuf], reading: &Reading, site_by: SiteBy) -> Result<Sites> {
    let mut pages = BySite::new(u64::MAX, site_by);
    read_into(&mut pages, opened(inputs), reading, &drop_content, &report_problems)?;
    let mut sites = Sites::new();
    for partition in pages.finish()? {
        sites.extend(partition?);
    }
    Ok(sites)
}

/// For those who ask for labels alone: content is most of what a page takes.
fn drop_content(page: &mut Page) {
    (page.body, page.text, page.words) = (None, None, None);
}

/// How much was read.
#[derive(Clone, Copy, Default)]
pub(crate) struct Read {
    pub(crate) pages: u64,
    /// Rows that could not be read.
    pub(crate) bad: u64,
    /// Pages of which only the beginning was read.
    pub(crate) cut: u64,
}

/// Files to read, each opened in its turn.
pub(crate) fn opened(files: &[PathBuf]) -> impl Iterator<Item = Result<Input, ReadError>> {
    files.iter().map(|file| open(file))
}

/// Read all pages of the inputs into `pages`, each shown to `prepare` on the way, side by side; problems of an input go to `tell`.
fn read_into(
    pages: &mut BySite,
    inputs: impl IntoIterator<Item = Result<Input, ReadError>>,
    reading: &Reading,
    prepare: &(dyn Fn(&mut Page) + Sync),
    tell: &dyn Fn(&Summary),
) -> Result<Read> {
    let bar = progress::spinner("pages read");
    let mut read = Read::default();
    for input in inputs {
        let summary = try_read_prepared(input?, &reading.options(), prepare, &mut |page| {
            read.pages += 1;
            if read.pages % 1024 == 0 {
                bar.set_position(read.pages);
            }
            pages.push(page).context("cannot write temporary files")
        })?;
        bar.suspend(|| tell(&summary));
        read.bad += summary.problems.count;
        read.cut += summary.cut;
    }
    bar.finish_and_clear();
    Ok(read)
}

/// Print `value` as pretty JSON.
fn print_json(value: &impl serde::Serialize) -> Result<()> {
    let mut text = serde_json::to_string_pretty(value)?;
    text.push('\n');
    Ok(output::stdout().write_all(text.as_bytes())?)
}
