//! The `undust` command: flags in, exit code out. Everything else lives in the libraries and in `commands`.

mod args;
mod commands;
mod markup;
mod output;
mod plot;
mod progress;
mod report;
mod rules_file;
mod sheet;
mod table;
mod talk;

use std::process::ExitCode;

use clap::Parser;

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    /// All is well.
    Fine,
    /// `check` and `validate` found something.
    Findings,
}

fn main() -> ExitCode {
    let args = args::Args::parse();
    match commands::run(args) {
        Ok(Outcome::Fine) => ExitCode::SUCCESS,
        Ok(Outcome::Findings) => ExitCode::from(1),
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            talk::say(&format!("undust: {error:#}"));
            ExitCode::from(2)
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
