//! The documents are true: their commands are run and print what is shown, their options and links exist.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::folder::{Folder, UNDUST, without_progress};

/// The documents whose commands are run, each in a folder of its own.
const RUN: [&str; 4] = ["README.md", "docs/guide.md", "docs/rules.md", "docs/papers.md"];

/// The documents whose options must be options of the command.
const WITH_OPTIONS: [&str; 5] =
    ["README.md", "docs/guide.md", "docs/rules.md", "docs/papers.md", "docs/exchange.md"];

/// Options of cargo that these documents name.
const FOREIGN_OPTIONS: [&str; 3] = ["--path", "--features", "--no-default-features"];

/// Length of the README: people in a hurry read one screen or two.
const MAX_README_LINES: usize = 150;

/// Size of ARCHITECTURE.md: details belong into docs/design.
const MAX_ARCHITECTURE_BYTES: usize = 10_000;

/// Size of a picture, which everybody who clones has to carry.
const MAX_PICTURE_BYTES: u64 = 200_000;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn text_of(document: &str) -> String {
    String::from_utf8(fs::read(root().join(document)).expect(document)).expect("text")
}

/// The Markdown files of a folder, as paths in the repository.
fn documents_in(folder: &str) -> Vec<String> {
    let entries = fs::read_dir(root().join(folder)).expect(folder);
    let names =
        entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("a name in UTF-8"));
    let is_document = |name: &String| Path::new(name).extension().is_some_and(|extension| extension == "md");
    let mut names: Vec<String> = names.filter(is_document).collect();
    names.sort();
    names.into_iter().map(|name| format!("{folder}/{name}")).collect()
}

/// Every document that people write: those of results.sh are made.
fn all_documents() -> Vec<String> {
    let mut all = vec!["README.md".to_owned(), "ARCHITECTURE.md".to_owned(), "CONTRIBUTING.md".to_owned()];
    all.extend(documents_in("docs"));
    all.extend(documents_in("docs/design"));
    all
}

/// A command of a document and the output shown below it.
struct Example {
    command: String,
    shown: Vec<String>,
}

/// The examples of a document in order: in `console` blocks `$ ` begins a command and the rest is its output, `sh` blocks hold
/// commands only.
fn examples(text: &str) -> Vec<Example> {
    let mut examples: Vec<Example> = Vec::new();
    let mut block = String::new();
    // A command goes on behind a backslash at the end of a line.
    for line in text.replace("\\\n", "").lines() {
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

/// The files that the reader is asked to save ("Save this as `NAME`:"), with their text.
fn files_to_save(text: &str) -> Vec<(String, String)> {
    let mut files = Vec::new();
    for rest in text.split("Save this as `").skip(1) {
        let name = rest.split('`').next().expect("a name");
        let block = rest.split_once("```json\n").expect("a file").1.split("```").next().expect("its end");
        files.push((name.to_owned(), block.to_owned()));
    }
    files
}

/// A folder like a fresh clone, as far as the commands of a document look at it.
fn clone(text: &str) -> Folder {
    let folder = Folder::new();
    fs::create_dir_all(folder.path("testdata/demo")).expect("a new folder");
    for name in ["phpbb2-computerforum.tsv.gz", "wiki.jsonl.zst"] {
        let name = format!("testdata/demo/{name}");
        folder.write(&name, fs::read(root().join(&name)).expect("demo data"));
    }
    for (name, text) in files_to_save(text) {
        folder.write(&name, text);
    }
    folder
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

/// Whether a target of the Makefile or a crate that a command names is there; `None` for other commands.
fn is_there(command: &str) -> Option<bool> {
    if let Some(target) = command.strip_prefix("make ") {
        Some(text_of("Makefile").contains(&format!("\n{target}:")))
    } else {
        let path = command.strip_prefix("cargo install --path ")?;
        Some(root().join(path).join("Cargo.toml").is_file())
    }
}

/// Runs the commands of a document; names all that print something else.
fn check_commands(document: &str) {
    assert!(RUN.contains(&document), "{document} is in the list");
    let text = text_of(document);
    let (folder, examples) = (clone(&text), examples(&text));
    assert!(examples.len() > 3, "the commands of {document} are found");
    let mut wrong = String::new();
    for Example { command, shown } in examples {
        if let Some(is_there) = is_there(&command) {
            assert!(is_there, "{document}: {command}");
            continue;
        }
        let printed = run(&folder, &command);
        let lines: Vec<&str> = printed.lines().collect();
        let shown: Vec<&str> = shown.iter().map(String::as_str).collect();
        if !shown.is_empty() && !agree(&lines, &shown) {
            writeln!(wrong, "$ {command}\nprints\n{printed}").expect("room for it");
        }
    }
    assert!(wrong.is_empty(), "{document}:\n{wrong}");
}

#[test]
fn the_readmes_commands_print_what_it_shows() {
    check_commands("README.md");
}

#[test]
fn the_guides_commands_print_what_it_shows() {
    check_commands("docs/guide.md");
}

#[test]
fn commands_about_rules_print_what_is_shown() {
    check_commands("docs/rules.md");
}

#[test]
fn the_papers_commands_print_what_is_shown() {
    check_commands("docs/papers.md");
}

#[test]
fn every_document_with_output_is_run() {
    for document in all_documents() {
        let has_output = text_of(&document).contains("```console");
        assert!(!has_output || RUN.contains(&document.as_str()), "{document} is not in RUN");
    }
}

/// The names in the list of commands that `undust --help` prints.
fn commands() -> Vec<String> {
    let help = Folder::new().undust("--help").fine();
    let lines =
        help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let names = lines.filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    names.filter(|name| !name.is_empty() && *name != "help").map(str::to_owned).collect()
}

#[test]
fn the_guide_names_every_command_and_format() {
    let (guide, commands) = (text_of("docs/guide.md"), commands());
    assert!(commands.iter().any(|name| name == "learn"), "{commands:?}");
    for name in commands {
        assert!(guide.contains(&format!("`{name}`")) || guide.contains(&format!("undust {name}")), "{name}");
    }
    for format in undust_io::Format::ALL {
        assert!(guide.contains(&format!("| `{format}` |")), "{format}");
    }
}

/// The long options in a text: `--max-fpr`.
fn options(text: &str) -> BTreeSet<&str> {
    let is_name = |c: char| c.is_ascii_lowercase() || c == '-';
    let ends = |word: &str| word.find(|c| !is_name(c)).unwrap_or(word.len());
    let starts = text
        .match_indices("--")
        .filter(|(at, _)| !text[..*at].ends_with(|c: char| c == '-' || c.is_alphanumeric()));
    let words = starts.map(|(at, _)| text[at..].split_at(ends(&text[at..])).0);
    words.filter(|word| word.len() > 3 && !word[2..].starts_with('-')).collect()
}

#[test]
fn options_that_documents_name_exist() {
    let helps: String =
        commands().iter().map(|name| Folder::new().undust(&format!("{name} --help")).fine()).collect();
    let known = options(&helps);
    for document in WITH_OPTIONS {
        for option in options(&text_of(document)) {
            let exists = known.contains(option) || FOREIGN_OPTIONS.contains(&option);
            assert!(exists, "{document} names {option}, which no command has");
        }
    }
}

#[test]
fn settings_that_documents_name_exist() {
    let known = Folder::new().undust("learn --help-settings").fine();
    for document in WITH_OPTIONS {
        let text = text_of(document);
        for given in text.split("--set ").skip(1) {
            let name = given.split(['=', ' ', '`', '\n', ')']).next().unwrap_or_default();
            let is_placeholder = name.chars().any(|c| c.is_ascii_uppercase());
            assert!(
                is_placeholder || known.contains(&format!("  {name}=")),
                "{document} names {name}, which is no setting"
            );
        }
    }
}

/// The targets of the links of a document: `](path#anchor)`.
fn links(text: &str) -> impl Iterator<Item = &str> {
    text.split("](").skip(1).filter_map(|rest| rest.split(')').next())
}

/// The anchors of a document's headings, as GitHub makes them.
fn anchors(text: &str) -> BTreeSet<String> {
    let keeps = |c: &char| c.is_alphanumeric() || matches!(c, '-' | '_' | ' ');
    let anchor = |heading: &str| {
        heading.trim().to_lowercase().chars().filter(keeps).collect::<String>().replace(' ', "-")
    };
    text.lines()
        .filter(|line| line.starts_with('#'))
        .map(|line| anchor(line.trim_start_matches('#')))
        .collect()
}

#[test]
fn links_lead_somewhere() {
    for document in all_documents() {
        let text = text_of(&document);
        for link in links(&text).filter(|link| !link.contains("://") && !link.contains(' ')) {
            let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = match path {
                "" => root().join(&document),
                _ => root().join(&document).parent().expect("a folder").join(path),
            };
            assert!(target.exists(), "{document}: {link}");
            if !anchor.is_empty() {
                let relative =
                    target.strip_prefix(root()).expect("in the repository").to_string_lossy().into_owned();
                assert!(anchors(&text_of(&relative)).contains(anchor), "{document}: {link}");
            }
        }
    }
}

#[test]
fn documents_are_short() {
    let lines = text_of("README.md").lines().count();
    assert!(lines <= MAX_README_LINES, "the README has {lines} lines");
    let bytes = text_of("ARCHITECTURE.md").len();
    assert!(bytes <= MAX_ARCHITECTURE_BYTES, "ARCHITECTURE.md has {bytes} bytes");
    let picture = fs::metadata(root().join("docs/report.png")).expect("the picture").len();
    assert!(picture <= MAX_PICTURE_BYTES, "docs/report.png has {picture} bytes");
}
