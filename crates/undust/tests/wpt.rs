//! The safe normalisation against the WHATWG URL parser of the `url` crate: both must mean the same page.

use std::path::PathBuf;
use std::process::Command;

use proptest::prelude::*;
use serde_json::Value;

use crate::generate::{self, Dice};
use crate::oracle::{Verdict, judge};
use crate::{read, show};

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
