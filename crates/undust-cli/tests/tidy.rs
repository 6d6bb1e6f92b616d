//! The order of the repository: every room is introduced, small, and knows only what it may.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Files longer than this hold more than one thing.
const MOST_LINES: usize = 800;

/// Test and demo data that everybody who clones has to carry.
const MOST_DATA_BYTES: u64 = 2_000_000;

/// What the source files in a folder must not mention.
const WALLS: [(&str, &[&str]); 11] = [
    ("crates/undust/src/url", &["crate::rules", "crate::apply", "crate::page", "std::fs"]),
    ("crates/undust/src/rules", &["crate::apply", "std::fs"]),
    ("crates/undust/src/apply", &["std::fs", "std::thread"]),
    (
        "crates/undust-learn/src/learn",
        &["undust::apply", "std::fs", "std::time", "std::thread", "crate::select"],
    ),
    ("crates/undust-io/src", &["undust::rules", "undust::apply", "std::io::stdout", "std::env"]),
    (
        "crates/undust-content/src",
        &["std::fs", "std::net", "std::time", "std::thread", "std::env", "std::io::stdout"],
    ),
    ("crates/undust-fetch/src", &["std::fs", "std::env", "std::io::stdout"]),
    (
        "crates/undust-exchange/src",
        &["std::fs", "std::net", "std::time", "std::thread", "std::env", "std::io::stdout"],
    ),
    (
        "crates/undust-neural/src",
        &["std::fs", "std::net", "std::time", "std::thread", "std::env", "std::io::stdout"],
    ),
    (
        "crates/undust-papers/src",
        &["std::fs", "std::net", "std::time", "std::thread", "std::env", "std::io::stdout"],
    ),
    (
        "crates/undust-neural/src/network",
        &["undust::", "undust_learn", "crate::tokens", "crate::vocabulary", "crate::corpus"],
    ),
];

/// The only files with `unsafe` code: matrix products take pointers, and a GPU is another machine.
const UNSAFE: [&str; 3] = ["network/matrix.rs", "network/gpu/device.rs", "network/gpu/launch.rs"];

#[test]
fn unsafe_code_has_its_place_and_its_reason() {
    for (path, text) in sources("crates") {
        let is_its_place = UNSAFE.iter().any(|file| path.ends_with(file));
        let blocks =
            text.lines().filter(|line| is_code(line) && line.contains(concat!("unsafe", " {"))).count();
        assert!(blocks == 0 || is_its_place, "{} has unsafe code", path.display());
        assert!(blocks <= text.matches("SAFETY:").count(), "{} does not say why it is safe", path.display());
    }
}

/// What a crate must not depend on.
const FORBIDDEN_CRATES: [(&str, &[&str]); 8] = [
    ("crates/undust", &["undust-io", "undust-learn", "undust-cli", "rayon", "clap"]),
    ("crates/undust-io", &["undust-learn", "undust-cli", "clap"]),
    ("crates/undust-learn", &["undust-io", "undust-cli", "undust-fetch", "clap"]),
    ("crates/undust-content", &["undust-io", "undust-cli", "undust-fetch", "clap", "ureq"]),
    ("crates/undust-neural", &["undust-io", "undust-cli", "undust-fetch", "undust-content", "clap", "rayon"]),
    (
        "crates/undust-exchange",
        &[
            "undust-io",
            "undust-learn",
            "undust-cli",
            "undust-fetch",
            "undust-content",
            "undust-neural",
            "clap",
            "rayon",
        ],
    ),
    // Pure computation; and since it depends on these crates, the compiler lets none of them depend on it.
    ("crates/undust-papers", &["undust-io", "undust-cli", "undust-fetch", "undust-content", "clap", "rayon"]),
    ("crates/undust-fetch", &["undust", "undust-io", "undust-learn", "undust-cli", "clap", "rayon"]),
];

fn root() -> PathBuf {
    fs::canonicalize(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).expect("the repository")
}

/// Every file below `folder`.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder of the repository") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files.extend(self::files(&path));
        } else {
            files.push(path);
        }
    }
    files
}

/// The source files below a folder of the repository, with their text.
fn sources(folder: &str) -> Vec<(PathBuf, String)> {
    let paths =
        files(&root().join(folder)).into_iter().filter(|path| path.extension().is_some_and(|e| e == "rs"));
    let text = |path: PathBuf| Some((path.clone(), String::from_utf8(fs::read(path).ok()?).ok()?));
    paths.filter_map(text).collect()
}

#[test]
fn every_source_file_is_introduced() {
    for (path, text) in sources("crates") {
        assert!(text.starts_with("//! "), "{} does not begin with //!", path.display());
    }
}

#[test]
fn no_source_file_is_long() {
    for (path, text) in sources("crates") {
        let lines = text.lines().count();
        assert!(lines <= MOST_LINES, "{} has {lines} lines", path.display());
    }
}

#[test]
fn rooms_know_only_what_they_may() {
    for (folder, forbidden) in WALLS {
        for (path, text) in sources(folder) {
            let found =
                forbidden.iter().find(|name| text.lines().any(|line| is_code(line) && line.contains(**name)));
            assert!(found.is_none(), "{} mentions {found:?}", path.display());
        }
    }
}

fn is_code(line: &str) -> bool {
    !line.trim_start().starts_with("//")
}

#[test]
fn crates_point_one_way() {
    for (folder, forbidden) in FORBIDDEN_CRATES {
        let manifest = fs::read(root().join(folder).join("Cargo.toml")).expect("a manifest");
        let manifest = String::from_utf8(manifest).expect("text");
        let dependencies = manifest.split("\n[").find_map(|section| section.strip_prefix("dependencies]"));
        for line in dependencies.expect("a section of dependencies").lines() {
            let name = line.split(['.', ' ', '=']).next().unwrap_or_default();
            assert!(!forbidden.contains(&name), "{folder} depends on {name}");
        }
    }
}

#[test]
fn bundled_data_is_small() {
    let size = |path: &PathBuf| fs::metadata(path).expect("a file").len();
    let total: u64 = files(&root().join("testdata")).iter().map(size).sum();
    assert!(total <= MOST_DATA_BYTES, "testdata/ holds {total} bytes");
}

#[test]
fn no_paths_of_somebodys_machine() {
    // Put together here, so that this file does not hold them.
    let folders = ["work", "root", "tmp"].map(|name| format!("/{name}/"));
    for name in tracked() {
        // Compressed data is no text.
        let Ok(text) = String::from_utf8(fs::read(root().join(&name)).unwrap_or_default()) else { continue };
        let found = folders.iter().find(|folder| text.contains(*folder));
        assert!(found.is_none(), "{name} mentions {found:?}");
    }
}

/// The files that belong to the repository; none where it is no repository, such as in a released archive.
fn tracked() -> Vec<String> {
    let list = ["ls-files", "--cached", "--others", "--exclude-standard"];
    let listed = Command::new("git").args(list).current_dir(root()).output();
    let names = listed.map(|output| output.stdout).unwrap_or_default();
    String::from_utf8_lossy(&names).lines().map(str::to_owned).collect()
}
