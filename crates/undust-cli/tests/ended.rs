//! Runs that are ended from outside: by a signal, or by a disk that is full.

use std::io::Write;
use std::process::{Command, Stdio};

use insta::assert_snapshot;

use crate::data::{RULES, lines, shop};
use crate::folder::{Folder, Run, UNDUST};

fn folder() -> Folder {
    Folder::with("rules.json", RULES).and("crawl.tsv", shop()).and("out.txt", "old")
}

/// Send `signal` to a run in the middle of its input; by which signal it ended.
#[cfg(unix)]
fn interrupt(folder: &Folder, arguments: &str, signal: &str) -> Option<i32> {
    use std::os::unix::process::ExitStatusExt;
    let mut child = Command::new(UNDUST)
        .args(arguments.split_whitespace())
        .current_dir(folder.path(""))
        .stdin(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the command starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    // More than pipes hold: when all of it is written, the most of it was read.
    let some = lines((0..100_000).map(|i| format!("http://www.example.com/print/{i}")));
    stdin.write_all(some.as_bytes()).expect("it is read");
    let killed = Command::new("kill").args([signal, &child.id().to_string()]).status().expect("kill");
    assert!(killed.success());
    let status = child.wait().expect("the command ends");
    drop(stdin);
    status.signal()
}

/// Shells say 130 of a run that SIGINT ended, and stop their loops.
#[cfg(unix)]
#[test]
fn interrupted_runs_leave_nothing_behind() {
    let folder = folder();
    let before = folder.names();
    for command in [
        "apply -r rules.json -o out.txt",
        "apply -r rules.json -o new.txt",
        "apply -r rules.json -o new.parquet",
        "dedup -r rules.json -o out.txt",
    ] {
        for (signal, number) in [("-INT", 2), ("-TERM", 15), ("-KILL", 9)] {
            assert_eq!(interrupt(&folder, command, signal), Some(number), "{command}");
            assert_eq!(folder.names(), before, "{command}, {signal}");
            assert_eq!(folder.read("out.txt"), "old", "{command}, {signal}");
        }
    }
}

/// Run `undust` with a full disk for its standard output.
#[cfg(target_os = "linux")]
fn onto_a_full_disk(folder: &Folder, arguments: &str) -> Run {
    let mut command = Command::new("sh");
    command.args(["-c", "exec \"$@\" > /dev/full", "sh", UNDUST]).args(arguments.split_whitespace());
    folder.run(command, b"")
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_named() {
    let folder = folder();
    assert_snapshot!(onto_a_full_disk(&folder, "apply -r rules.json crawl.tsv"), @"
    ! undust: cannot write to standard output: No space left on device (os error 28)
    = 2
    ");
    for command in [
        "dedup -r rules.json crawl.tsv",
        "learn crawl.tsv -o -",
        "eval -r rules.json crawl.tsv",
        "eval -r rules.json crawl.tsv --json",
        "explain -r rules.json http://www.example.com/print/1",
        "export --rules rules.json --to nutch",
        "check rules.json",
        "tree crawl.tsv",
        "schema",
        "--help",
    ] {
        let said = onto_a_full_disk(&folder, command).failed();
        let last = said.lines().last().unwrap_or_default();
        let message = "undust: cannot write to standard output: No space left on device (os error 28)";
        assert_eq!(last, message, "{command}: {said}");
    }
    assert_snapshot!(folder.undust("dedup -r rules.json crawl.tsv -o /dev/full"), @"
    ! undust: cannot write /dev/full: No space left on device (os error 28)
    = 2
    ");
}
