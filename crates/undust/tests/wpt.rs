//! The safe normalisation against the WHATWG URL parser of the `url` crate: both must mean the same page.

use std::path::PathBuf;
use std::process::Command;

use proptest::prelude::*;
use serde_json::Value;
use undust::url::normalize;
use url::Url;

use crate::generate::{self, Dice};
use crate::{properties, read, show};

/// What normalising `input` did to its meaning.
#[derive(Debug, PartialEq)]
pub(crate) enum Verdict {
    /// The oracle does not take the URL, or not as one of the web.
    NotOurs,
    /// Nothing to normalise.
    Same,
    /// Normalised, and still the same URL.
    Changed,
    /// Normalised into something else.
    Wrong(String),
}

pub(crate) fn judge(input: &[u8]) -> Verdict {
    let Some(before) = std::str::from_utf8(input).ok().and_then(|text| Url::parse(text).ok()) else {
        return Verdict::NotOurs;
    };
    let normal = normalize(input);
    let after = std::str::from_utf8(&normal).ok().and_then(|text| Url::parse(text).ok());
    match after {
        Some(after) if meaning(&after) == meaning(&before) => {
            if *normal == *input {
                Verdict::Same
            } else {
                Verdict::Changed
            }
        }
        after => {
            Verdict::Wrong(format!("{} became {}: {after:?}, not {before:?}", show(input), show(&normal)))
        }
    }
}

/// A URL without its fragment; in path and query, neither the case of hex digits in escapes counts nor whether a character that
/// needs no escape has one.
fn meaning(url: &Url) -> [Option<String>; 7] {
    let text = |part: &str| Some(part.to_owned());
    [
        text(url.scheme()),
        text(url.username()),
        url.password().map(str::to_owned),
        url.host_str().map(str::to_owned),
        url.port().map(|port| port.to_string()),
        Some(fold_escapes(url.path())),
        url.query().map(fold_escapes),
    ]
}

fn fold_escapes(part: &str) -> String {
    let (mut folded, mut rest) = (String::new(), part);
    while let Some(first) = rest.chars().next() {
        let escape = rest.get(..3).filter(|_| first == '%');
        let byte = escape.and_then(|escape| u8::from_str_radix(&escape[1..], 16).ok());
        let used = match byte {
            Some(byte) if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) => {
                folded.push(char::from(byte));
                3
            }
            Some(_) => {
                folded.push_str(&rest[..3].to_ascii_uppercase());
                3
            }
            None => {
                folded.push(first);
                first.len_utf8()
            }
        };
        rest = &rest[used..];
    }
    folded
}

/// The conformance data of the standard, as the `url` crate ships it.
fn conformance_data() -> PathBuf {
    let rustc = output(Command::new("rustc").arg("-vV"));
    let host = rustc.lines().find_map(|line| line.strip_prefix("host: ")).expect("rustc names its host");
    // Without the filter, cargo asks for the dependencies of every platform, which are not all here.
    let cargo = ["metadata", "--offline", "--format-version", "1", "--filter-platform", host];
    let metadata = output(Command::new(env!("CARGO")).args(cargo).current_dir(env!("CARGO_MANIFEST_DIR")));
    let metadata: Value = serde_json::from_str(&metadata).expect("cargo writes JSON");
    let packages = metadata["packages"].as_array().expect("a list of packages");
    let url = packages.iter().find(|package| package["name"] == "url").expect("url is a dev-dependency");
    let manifest = url["manifest_path"].as_str().expect("a path");
    PathBuf::from(manifest).with_file_name("tests").join("urltestdata.json")
}

fn output(command: &mut Command) -> String {
    let output = command.output().expect("the tools that built this test are here");
    assert!(output.status.success(), "{}", show(&output.stderr));
    show(&output.stdout)
}

#[test]
fn conformance() {
    let cases: Value = serde_json::from_str(&read(&conformance_data())).expect("the data is JSON");
    let cases = cases.as_array().expect("a list of cases");
    let inputs = cases.iter().filter_map(|case| case["input"].as_str());
    let verdicts: Vec<Verdict> = inputs.map(|input| judge(input.as_bytes())).collect();
    let wrong: Vec<&Verdict> = verdicts.iter().filter(|v| matches!(v, Verdict::Wrong(_))).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    let count = |verdict: Verdict| verdicts.iter().filter(|v| **v == verdict).count();
    let (same, changed) = (count(Verdict::Same), count(Verdict::Changed));
    assert!(same + changed >= 380 && changed >= 80, "only {same} the same and {changed} changed");
}

proptest! {
    #![proptest_config(properties::config())]

    #[test]
    fn generated_urls(rolls in proptest::collection::vec(any::<u8>(), 40)) {
        let url = generate::web_url(&mut Dice(&rolls));
        let verdict = judge(&url);
        prop_assert!(!matches!(verdict, Verdict::Wrong(_)), "{:?}", verdict);
    }

    #[test]
    fn generated_mess(tail in "[aB.:/@?#%2eE&;=\\[\\] é\\\\\t~^|'-]{0,24}", web in any::<bool>()) {
        let url = format!("{}://{}", if web { "http" } else { "HTTPS" }, tail);
        let verdict = judge(url.as_bytes());
        prop_assert!(!matches!(verdict, Verdict::Wrong(_)), "{:?}", verdict);
    }
}
