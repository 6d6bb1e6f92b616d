//! The flags of `export` and `import`.

use std::path::PathBuf;

use clap::Parser;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use undust_exchange::Format;

/// Write the rules in force in the format of another tool; what it cannot say is listed
#[derive(Parser)]
pub(crate) struct Export {
    /// The rule file
    #[arg(short, long, value_name = "FILE")]
    pub(crate) rules: PathBuf,
    /// The format
    #[arg(long, value_name = "FORMAT", value_parser = written())]
    pub(crate) to: Format,
    /// Where to write it, - for standard output
    #[arg(short, long, default_value = "-", value_name = "FILE")]
    pub(crate) output: PathBuf,
}

/// Make a rule file from the rules of another tool; what rules cannot say is listed
#[derive(Parser)]
pub(crate) struct Import {
    /// The file of the other tool, - for standard input
    #[arg(value_name = "FILE")]
    pub(crate) input: PathBuf,
    /// Its format
    #[arg(long, value_name = "FORMAT", value_parser = read())]
    pub(crate) from: Format,
    /// Where to write the rules, - for standard output
    #[arg(short, long, default_value = "rules.json", value_name = "FILE")]
    pub(crate) output: PathBuf,
}

fn written() -> impl TypedValueParser<Value = Format> {
    named(Format::NAMED.map(|(name, _)| name))
}

fn read() -> impl TypedValueParser<Value = Format> {
    named(Format::READ.map(Format::name))
}

fn named<const N: usize>(names: [&'static str; N]) -> impl TypedValueParser<Value = Format> {
    PossibleValuesParser::new(names).try_map(|name| name.parse::<Format>())
}
