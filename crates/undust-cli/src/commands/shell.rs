//! `undust completions` and `undust man`: what shells and `man` know of the command, generated from its arguments.

use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result};
use clap::CommandFactory;
use clap_complete::Shell;

use crate::args::Args;
use crate::messages::say;
use crate::{Outcome, output};

/// Prints the completions of a shell.
pub(super) fn completions(shell: Shell) -> Result<Outcome> {
    // Not straight to standard output: the generator panics where that is full or closed.
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Args::command(), "undust", &mut script);
    output::stdout().write_all(&script)?;
    Ok(Outcome::Fine)
}

/// Writes a manual page for the command and one for each of its subcommands.
pub(super) fn man(folder: &Path) -> Result<Outcome> {
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    clap_mangen::generate_to(Args::command().disable_help_subcommand(true), folder)
        .with_context(|| format!("cannot write into {}", folder.display()))?;
    say(&format!("manual pages written to {}", folder.display()));
    Ok(Outcome::Fine)
}
