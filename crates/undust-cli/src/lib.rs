//! The `undust` command: flags in, exit code out. Everything else lives in the libraries and in `commands`.
//!
//! A library beside the program of a few lines, so that its documentation is built with that of the others.

mod args;
mod commands;
mod markup;
mod messages;
mod output;
mod progress;
mod report;
mod rules_file;
mod scale;
mod sheet;
mod table;

use std::ffi::OsString;
use std::io::{ErrorKind, Write};

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
            return match help.print() {
                Err(error) if error.kind() != ErrorKind::BrokenPipe => {
                    messages::say(&format!("undust: cannot write to standard output: {error}"));
                    2
                }
                _ => u8::try_from(help.exit_code()).unwrap_or(2),
            };
        }
    };
    progress::show();
    match commands::run(args).and_then(written) {
        Ok(Outcome::Fine) => 0,
        Ok(Outcome::Findings) => 1,
        Err(error) if is_broken_pipe(&error) => 0,
        Err(error) => {
            messages::say(&format!("undust: {error:#}"));
            2
        }
    }
}

/// The same, if all that was printed has also been written.
fn written(outcome: Outcome) -> anyhow::Result<Outcome> {
    output::stdout().flush()?;
    Ok(outcome)
}

/// Whoever reads our output has seen enough: `undust apply … | head`.
fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<std::io::Error>())
        .any(|e| e.kind() == ErrorKind::BrokenPipe)
}
