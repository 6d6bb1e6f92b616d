//! `undust completions` and `undust man`: what shells and `man` know of the command, generated from its arguments.

use std::path::Path;

use anyhow::{Context, Result};
use clap::CommandFactory;
use clap_complete::Shell;

use crate::args::Args;
use crate::messages::say;
use crate::{Outcome, output};

/// Prints the completions of a shell.
pub(super) fn completions(shell: Shell) -> Outcome {
    clap_complete::generate(shell, &mut Args::command(), "undust", &mut output::stdout());
    Outcome::Fine
}

/// Writes a manual page for the command and one for each of its subcommands.
pub(super) fn man(folder: &Path) -> Result<Outcome> {
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    clap_mangen::generate_to(Args::command().disable_help_subcommand(true), folder)
        .with_context(|| format!("cannot write into {}", folder.display()))?;
    say(&format!("manual pages written to {}", folder.display()));
    Ok(Outcome::Fine)
}
