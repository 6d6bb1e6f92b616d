//! The README is true: its commands are run, and they print what it shows.

use std::path::Path;
use std::process::Command;

use crate::folder::{Folder, UNDUST, without_progress};

const README: &str = include_str!("../../../README.md");
const MAKEFILE: &str = include_str!("../../../Makefile");
const FORUM: &[u8] = include_bytes!("../../../testdata/demo/phpbb2-computerforum.tsv.gz");
const WIKI: &[u8] = include_bytes!("../../../testdata/demo/wiki.jsonl.zst");

/// A command of the README and the output shown below it.
struct Example {
    command: String,
    shown: Vec<String>,
}

/// The examples of the README in order: in `console` blocks `$ ` begins a command and the rest is its output, `sh` blocks hold
/// commands only.
fn examples() -> Vec<Example> {
    let mut examples: Vec<Example> = Vec::new();
    let mut block = String::new();
    // A command goes on behind a backslash at the end of a line.
    for line in README.replace("\\\n", "").lines() {
        if let Some(language) = line.strip_prefix("```") {
            language.clone_into(&mut block);
            continue;
        }
        let command = match block.as_str() {
            "sh" => line.split(" #").next(),
            "console" => line.strip_prefix("$ "),
            _ => continue,
        };
        match (command, examples.last_mut()) {
            (Some(command), _) => {
                examples.push(Example { command: command.trim().to_owned(), shown: Vec::new() });
            }
            (None, Some(example)) => example.shown.push(line.to_owned()),
            (None, None) => panic!("output without a command: {line}"),
        }
    }
    examples
}

/// The rule file that the reader is asked to save.
fn rules_by_hand() -> &'static str {
    let begin = README.split_once("```json\n").expect("a rule file").1;
    begin.split_once("```").expect("its end").0
}

/// A folder like a fresh clone, as far as the README's commands look at it.
fn clone() -> Folder {
    let folder = Folder::new();
    std::fs::create_dir_all(folder.path("testdata/demo")).expect("a new folder");
    folder
        .and("testdata/demo/phpbb2-computerforum.tsv.gz", FORUM)
        .and("testdata/demo/wiki.jsonl.zst", WIKI)
        .and("by-hand.json", rules_by_hand())
}

/// Run a command line as a reader would, with `undust` installed.
fn run(folder: &Folder, command: &str) -> String {
    let bin = Path::new(UNDUST).parent().expect("a folder");
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(format!("PATH=\"{}:$PATH\"; exec 2>&1; {command}", bin.display()));
    let run = folder.run(shell, b"");
    assert_ne!(run.code, Some(2), "{command}\n{run}");
    without_progress(&String::from_utf8(run.out).expect("output in UTF-8"))
}

/// Whether `printed` is what is `shown`, where `…` stands for any number of lines.
fn agree(printed: &[&str], shown: &[&str]) -> bool {
    match (printed, shown) {
        (_, ["…", rest @ ..]) => (0..=printed.len()).any(|skip| agree(&printed[skip..], rest)),
        ([p, printed @ ..], [s, shown @ ..]) => p == s && agree(printed, shown),
        ([], []) => true,
        _ => false,
    }
}

#[test]
fn its_commands_print_what_it_shows() {
    let folder = clone();
    let examples = examples();
    assert!(examples.len() > 10, "the README's commands are found");
    for Example { command, shown } in examples {
        if let Some(target) = command.strip_prefix("make ") {
            assert!(MAKEFILE.contains(&format!("\n{target}:")), "the Makefile has no target {target}");
        } else if let Some(path) = command.strip_prefix("cargo install --path ") {
            let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
            assert!(root.join(path).join("Cargo.toml").is_file(), "{path} is no crate");
        } else {
            let printed = run(&folder, &command);
            let lines: Vec<&str> = printed.lines().collect();
            let shown: Vec<&str> = shown.iter().map(String::as_str).collect();
            assert!(shown.is_empty() || agree(&lines, &shown), "$ {command}\nprints\n{printed}");
        }
    }
}

#[test]
fn it_names_every_command_and_format() {
    let help = Folder::new().undust("--help").fine();
    let commands =
        help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let names: Vec<&str> = commands.filter_map(|line| line.strip_prefix("  ")?.split(' ').next()).collect();
    assert!(names.contains(&"learn"), "{names:?}");
    for name in names.into_iter().filter(|name| !name.is_empty() && *name != "help") {
        assert!(
            README.contains(&format!("`{name}`")) || README.contains(&format!("undust {name}")),
            "{name}"
        );
    }
    for format in undust_io::Format::ALL {
        assert!(README.contains(&format!("| `{format}` |")), "{format}");
    }
}
