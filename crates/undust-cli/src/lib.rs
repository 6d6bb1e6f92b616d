//! The `undust` command: flags in, exit code out. Everything else lives in the libraries and in `commands`.
//!
//! A library, so that it can be had from other languages too: as a command by [`run`], its parts by [`embed`].

mod args;
mod commands;
pub mod embed;
mod markup;
mod output;
mod plot;
mod progress;
mod report;
mod rules_file;
mod sheet;
mod table;
mod talk;

use std::ffi::OsString;

use clap::Parser;

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    /// All is well.
    Fine,
    /// `check`, `validate` or `diff` found something.
    Findings,
}

/// Run the command with these arguments, the first of which is its name; returns its exit code.
pub fn run(args: impl IntoIterator<Item = OsString>) -> u8 {
    let args = match args::Args::try_parse_from(args) {
        Ok(args) => args,
        Err(help) => {
            // If nobody listens, that is no failure.
            let _ = help.print();
            return u8::try_from(help.exit_code()).unwrap_or(2);
        }
    };
    match commands::run(args) {
        Ok(Outcome::Fine) => 0,
        Ok(Outcome::Findings) => 1,
        Err(error) if is_broken_pipe(&error) => 0,
        Err(error) => {
            talk::say(&format!("undust: {error:#}"));
            2
        }
    }
}

/// Whoever reads our output has seen enough: `undust apply … | head`.
fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<std::io::Error>())
        .any(|e| e.kind() == std::io::ErrorKind::BrokenPipe)
}
