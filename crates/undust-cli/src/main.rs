//! The `undust` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    undust_cli::run(std::env::args_os()).into()
}
