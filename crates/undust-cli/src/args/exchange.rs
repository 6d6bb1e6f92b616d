//! The flags of `export` and `import`.

use std::path::PathBuf;

use clap::Parser;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use undust::url::{SplitUrl, normalize};
use undust_exchange::Format;

use super::{Fetching, Reading};

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
    #[command(flatten)]
    pub(crate) redirects: Redirects,
    #[command(flatten)]
    pub(crate) fetching: Fetching,
}

/// What redirects must not do.
#[derive(Parser)]
#[command(next_help_heading = "Redirects (apache, nginx)")]
pub(crate) struct Redirects {
    /// Leave out rules that lead to what these crawls or logs saw redirected or failing
    #[arg(long, num_args = 1.., value_name = "FILE")]
    pub(crate) known: Vec<PathBuf>,
    /// Ask this server, `http://HOST` or `http://HOST:PORT`, for some URLs of each rule first: what leads to no page is left out
    #[arg(long = "try", value_name = "SERVER", value_parser = server)]
    pub(crate) tries: Vec<String>,
    /// Targets of each rule to ask for
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..), value_name = "N")]
    pub(crate) samples: u16,
    #[command(flatten)]
    pub(crate) reading: Reading,
}

/// The authority of a server as it stands in normal URLs.
fn server(text: &str) -> Result<String, String> {
    let url = if text.contains("://") { text.to_owned() } else { format!("http://{text}") };
    let normal = normalize(url.as_bytes());
    let split = SplitUrl::new(&normal).filter(|split| {
        matches!(split.scheme(), b"http" | b"https") && !split.host().is_empty() && split.path() == b"/"
    });
    let split =
        split.ok_or_else(|| format!("'{text}' is no server: write http://HOST or http://HOST:PORT"))?;
    Ok(String::from_utf8_lossy(&authority(&split)).into_owned())
}

/// Host and port.
pub(crate) fn authority(url: &SplitUrl) -> Vec<u8> {
    let port = url.port().map(|port| [b":", port].concat());
    [url.host(), &port.unwrap_or_default()].concat()
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
