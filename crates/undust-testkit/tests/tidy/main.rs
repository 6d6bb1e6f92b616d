//! The order of the repository: every room is introduced, small, and knows only what it may.

mod paths;
mod tokens;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use toml::Table;

use crate::paths::{Aliases, paths, reexports};
use crate::tokens::tokens;

/// Files longer than this hold more than one thing.
const MAX_LINES: usize = 800;

/// Test and demo data that everybody who clones has to carry.
const MAX_DATA_BYTES: u64 = 2_000_000;

/// Folders of source files, and paths that they must not name: walls inside of crates, and what of the standard library is not
/// theirs. Walls between crates are in [`CRATES`], and the compiler holds them.
const WALLS: [(&str, &[&str]); 11] = [
    ("crates/undust/src/url", &["crate::rules", "crate::apply", "crate::page", "std::fs"]),
    ("crates/undust/src/rules", &["crate::apply", "std::fs"]),
    ("crates/undust/src/apply", &["std::fs", "std::thread"]),
    (
        "crates/undust-learn/src/learn",
        &["undust::apply", "std::fs", "std::time", "std::thread", "crate::select"],
    ),
    ("crates/undust-io/src", &["undust::rules", "undust::apply", "std::io::stdout", "std::env"]),
    ("crates/undust-content/src", &COMPUTATION),
    ("crates/undust-fetch/src", &["std::fs", "std::env", "std::io::stdout"]),
    ("crates/undust-exchange/src", &COMPUTATION),
    ("crates/undust-neural/src", &COMPUTATION),
    ("crates/undust-papers/src", &COMPUTATION),
    (
        "crates/undust-neural/src/network",
        &[
            "undust",
            "undust_learn",
            "undust_io",
            "crate::model",
            "crate::teach",
            "crate::learner",
            "crate::file",
            "crate::apply",
        ],
    ),
];

/// What pure computation has no need of.
const COMPUTATION: [&str; 6] =
    ["std::fs", "std::net", "std::time", "std::thread", "std::env", "std::io::stdout"];

/// The only files with `unsafe` code: matrix products take pointers, and a GPU is another machine. That each block says why it is safe
/// is a lint.
const UNSAFE: [&str; 3] = ["network/matrix.rs", "network/gpu/device.rs", "network/gpu/launch.rs"];

/// Every crate, the crates of ours that it may depend on, and others that it must not.
const CRATES: [(&str, &[&str], &[&str]); 11] = [
    ("undust", &[], &["rayon", "clap"]),
    ("undust-io", &["undust"], &["clap"]),
    ("undust-content", &["undust"], &["clap", "ureq"]),
    ("undust-exchange", &["undust"], &["clap", "rayon"]),
    ("undust-learn", &["undust", "undust-content"], &["clap"]),
    ("undust-neural", &["undust", "undust-io", "undust-learn"], &["clap", "rayon"]),
    ("undust-papers", &["undust", "undust-learn", "undust-neural"], &["clap", "rayon"]),
    ("undust-fetch", &["undust-content"], &["clap", "rayon"]),
    (
        "undust-cli",
        &[
            "undust",
            "undust-content",
            "undust-exchange",
            "undust-fetch",
            "undust-io",
            "undust-learn",
            "undust-neural",
            "undust-papers",
        ],
        &[],
    ),
    ("undust-py", &["undust", "undust-content", "undust-io", "undust-learn", "undust-neural"], &["clap"]),
    ("undust-testkit", &[], &[]),
];

fn root() -> PathBuf {
    fs::canonicalize(undust_testkit::root()).expect("the repository")
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
    let sources: Vec<(PathBuf, String)> = paths.map(|path| (path.clone(), text_of(&path))).collect();
    assert!(!sources.is_empty(), "{folder} holds no source files");
    sources
}

fn text_of(path: &Path) -> String {
    let bytes = fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    String::from_utf8(bytes).expect("text")
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
        assert!(lines <= MAX_LINES, "{} has {lines} lines", path.display());
    }
}

#[test]
fn unsafe_code_has_its_place() {
    for (path, text) in sources("crates") {
        let is_its_place = UNSAFE.iter().any(|file| path.ends_with(file));
        let has_unsafe = tokens(&text).iter().any(|token| token.word() == Some("unsafe"));
        assert!(!has_unsafe || is_its_place, "{} has unsafe code", path.display());
    }
}

#[test]
fn rooms_know_only_what_they_may() {
    let undust = reexports(&text_of(&root().join("crates/undust/src/lib.rs")));
    let mut problems = Vec::new();
    for (folder, forbidden) in WALLS {
        for (path, text) in sources(folder) {
            let named = named(&path, &text, &undust);
            let bad = named.iter().filter(|path| forbidden.iter().any(|wall| is_below(path, wall)));
            problems.extend(bad.map(|name| format!("{} names {name}", path.display())));
        }
    }
    assert!(problems.is_empty(), "{problems:#?}");
}

/// The paths that a source file names; what `undust` gives from its root by the names of its modules.
fn named(file: &Path, text: &str, undust: &Aliases) -> Vec<String> {
    let is_undust = file.starts_with(root().join("crates/undust"));
    let root_name = if is_undust { "crate" } else { "undust" };
    let written_out = |path: paths::Path| match undust.get(&path[1]).filter(|_| path[0] == root_name) {
        Some(meant) => [&path[..1], meant, &path[2..]].concat(),
        None => path,
    };
    paths(text, &module_of(file)).into_iter().map(|path| written_out(path).join("::")).collect()
}

/// Whether a path is what a wall is about, or below it, or takes everything that it is among.
fn is_below(path: &str, wall: &str) -> bool {
    let all = wall.rsplit_once("::").map(|(before, _)| format!("{before}::*"));
    let rest = path.strip_prefix(wall);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with("::")) || Some(path) == all.as_deref()
}

/// The module of a source file: `crate::rules::file`.
fn module_of(file: &Path) -> Vec<String> {
    let file = file.with_extension("");
    let names: Vec<String> = file.iter().map(|name| name.to_string_lossy().into_owned()).collect();
    let below = names.iter().rposition(|name| name == "src").map_or(&[][..], |at| &names[at + 1..]);
    let below = below.iter().filter(|name| !["lib", "main", "mod"].contains(&name.as_str()));
    std::iter::once("crate".to_owned()).chain(below.cloned()).collect()
}

#[test]
fn walls_are_seen() {
    let known = reexports("pub use apply::Form;");
    let file = root().join("crates/undust-io/src/formats/mod.rs");
    let seen = |text: &str| named(&file, text, &known).iter().any(|path| is_below(path, "undust::apply"));
    let bad = [
        "use undust::{apply, page};",
        "use undust::apply::*;",
        "use undust::*;",
        "use undust::{page::Page, Form};",
        "use undust as u; fn f(_: u::Form) {}",
        "fn f(_: undust::apply::Form) {}",
    ];
    assert!(bad.iter().all(|text| seen(text)), "{:?}", bad.map(seen));
    let good =
        ["use undust::page;", "use undust::{apply_other, page};", "// undust::apply", "use crate::apply;"];
    assert!(!good.iter().any(|text| seen(text)), "{:?}", good.map(seen));
    assert_eq!(module_of(Path::new("crates/undust/src/rules/file.rs")), ["crate", "rules", "file"]);
    assert_eq!(module_of(Path::new("crates/undust/src/rules/mod.rs")), ["crate", "rules"]);
}

/// What a manifest depends on, on any platform; not what its tests do.
fn dependencies(manifest: &Table) -> Vec<String> {
    let table = |of: &Table, name: &str| of.get(name).and_then(|value| value.as_table()).cloned();
    let tables = |of: &Table| ["dependencies", "build-dependencies"].map(|name| table(of, name));
    let targets = table(manifest, "target").unwrap_or_default();
    let by_target = targets.values().filter_map(|target| target.as_table());
    let all = by_target.chain([manifest]).flat_map(tables).flatten().flatten();
    all.map(|(name, value)| {
        value.get("package").and_then(|of| of.as_str().map(str::to_owned)).unwrap_or(name)
    })
    .collect()
}

#[test]
fn crates_point_one_way() {
    let folders = fs::read_dir(root().join("crates")).expect("the crates");
    let mut names: Vec<String> = folders
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("a plain name"))
        .collect();
    names.sort();
    let mut known = CRATES.map(|(name, ..)| name);
    known.sort_unstable();
    assert_eq!(names, known, "every crate has its row here");
    for (name, ours, others) in CRATES {
        let manifest = text_of(&root().join("crates").join(name).join("Cargo.toml"));
        for found in dependencies(&manifest.parse().expect("a manifest")) {
            let is_ours = found == "undust" || found.starts_with("undust-");
            let may =
                if is_ours { ours.contains(&found.as_str()) } else { !others.contains(&found.as_str()) };
            assert!(may, "{name} depends on {found}");
        }
    }
}

#[test]
fn all_kinds_of_dependencies_are_seen() {
    let manifest = r#"
        dependencies = { a = "1", b.workspace = true, c = { package = "d" } }
        dev-dependencies = { e = "1" }
        build-dependencies = { f = "1" }
        target.'cfg(unix)'.dependencies = { g = { version = "1", optional = true } }
    "#;
    let mut found = dependencies(&manifest.parse().expect("a manifest"));
    found.sort();
    assert_eq!(found, ["a", "b", "d", "f", "g"]);
}

#[test]
fn bundled_data_is_small() {
    let size = |path: &PathBuf| fs::metadata(path).expect("a file").len();
    let total: u64 = files(&root().join("testdata")).iter().map(size).sum();
    assert!(total <= MAX_DATA_BYTES, "testdata/ holds {total} bytes");
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

/// The files that belong to the repository; in a released archive, which is no repository, all that are in its folders.
fn tracked() -> Vec<String> {
    let list = ["ls-files", "--cached", "--others", "--exclude-standard"];
    let listed = Command::new("git").args(list).current_dir(root()).output();
    match listed.ok().filter(|output| output.status.success()) {
        Some(output) => String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect(),
        None => released(),
    }
}

fn released() -> Vec<String> {
    let folders = ["benches", "crates", "docs", "scripts", "testdata"].map(|folder| root().join(folder));
    let found = folders.iter().filter(|folder| folder.is_dir()).flat_map(|folder| files(folder));
    found.filter_map(|path| Some(path.strip_prefix(root()).ok()?.to_str()?.to_owned())).collect()
}

#[test]
fn files_are_found_with_and_without_git() {
    for files in [tracked(), released()] {
        assert!(files.iter().any(|file| file == "crates/undust/src/lib.rs"), "{files:?}");
    }
}
