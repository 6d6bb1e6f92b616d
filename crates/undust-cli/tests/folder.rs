//! A temporary folder in which the built command runs, and what came of a run.

use std::fmt;
use std::fs;
use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::thread;

use tempfile::TempDir;

use crate::data::lines;

/// The command under test.
pub(crate) const UNDUST: &str = env!("CARGO_BIN_EXE_undust");

/// A folder of its own for each test.
pub(crate) struct Folder(TempDir);

#[expect(clippy::disallowed_methods, reason = "tests make the files and look at them")]
impl Folder {
    pub(crate) fn new() -> Folder {
        Folder(tempfile::tempdir().expect("a temporary folder"))
    }

    /// A folder with one file in it.
    pub(crate) fn with(name: &str, content: impl AsRef<[u8]>) -> Folder {
        Folder::new().and(name, content)
    }

    /// A folder with a crawl in `crawl.tsv` and the rules learned from it in `rules.json`.
    pub(crate) fn learned(crawl: impl AsRef<[u8]>) -> Folder {
        let folder = Folder::with("crawl.tsv", crawl);
        folder.undust("learn crawl.tsv").fine();
        folder
    }

    pub(crate) fn and(self, name: &str, content: impl AsRef<[u8]>) -> Folder {
        self.write(name, content);
        self
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::write(self.path(name), content).expect("a writable folder");
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// The text of a file, which must be there.
    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).expect(name)
    }

    /// The names of all files, sorted.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).expect("the folder");
        let name = |entry: fs::DirEntry| entry.file_name().into_string().expect("a name in UTF-8");
        let mut names: Vec<String> = entries.map(|entry| name(entry.expect("an entry"))).collect();
        names.sort();
        names
    }

    /// Run `undust` with arguments separated by spaces.
    pub(crate) fn undust(&self, arguments: &str) -> Run {
        self.undust_reading(arguments, b"")
    }

    /// Run `undust` with `input` as its standard input.
    pub(crate) fn undust_reading(&self, arguments: &str, input: &[u8]) -> Run {
        let mut command = Command::new(UNDUST);
        command.args(arguments.split_whitespace());
        self.run(command, input)
    }

    /// Run any command here.
    pub(crate) fn run(&self, mut command: Command, input: &[u8]) -> Run {
        let command = command.current_dir(self.0.path());
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the command starts");
        let (mut stdin, input) = (child.stdin.take().expect("a pipe"), input.to_vec());
        // A command that needs no input may be gone before it is written.
        let writer = thread::spawn(move || drop(stdin.write_all(&input)));
        let output = child.wait_with_output().expect("the command ends");
        writer.join().expect("the writer ends");
        Run {
            code: output.status.code(),
            out: output.stdout,
            err: without_progress(&String::from_utf8(output.stderr).expect("talk in UTF-8")),
        }
    }

    /// Run `undust`, read the first line of its output and hang up; the exit code and what it had to say about that.
    pub(crate) fn hang_up_after_a_line(&self, arguments: &str, input: impl Read + Send + 'static) -> Run {
        let mut child = Command::new(UNDUST)
            .args(arguments.split_whitespace())
            .current_dir(self.0.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the command starts");
        let (mut stdin, mut input) = (child.stdin.take().expect("a pipe"), input);
        let writer = thread::spawn(move || drop(std::io::copy(&mut input, &mut stdin)));
        let mut stdout = child.stdout.take().expect("a pipe");
        let mut out = Vec::new();
        while !out.ends_with(b"\n") {
            let mut byte = [0];
            stdout.read_exact(&mut byte).expect("a first line");
            out.extend(byte);
        }
        drop(stdout);
        let output = child.wait_with_output().expect("the command ends");
        writer.join().expect("the writer ends");
        Run { code: output.status.code(), out, err: String::from_utf8(output.stderr).expect("talk in UTF-8") }
    }
}

/// Talk without what is said every half minute: how often that is depends on the machine.
pub(crate) fn without_progress(talk: &str) -> String {
    let is_progress = |line: &&str| {
        let times = line.split(" after ").skip(1).filter_map(|rest| rest.split_once(' '));
        times.into_iter().any(|(n, unit)| n.parse::<u64>().is_ok() && unit.starts_with(['s', 'm', 'h']))
    };
    lines(talk.lines().filter(|line| !is_progress(line)).map(str::to_owned))
}

/// What came of a run.
pub(crate) struct Run {
    pub(crate) code: Option<i32>,
    pub(crate) out: Vec<u8>,
    pub(crate) err: String,
}

impl Run {
    /// The output of a run that must have gone well.
    pub(crate) fn fine(self) -> String {
        assert_eq!(self.code, Some(0), "{self}");
        String::from_utf8(self.out).expect("output in UTF-8")
    }

    /// The talk of a run that must have failed.
    pub(crate) fn failed(self) -> String {
        assert_eq!(self.code, Some(2), "{self}");
        assert!(!self.err.contains("panicked"), "{self}");
        self.err
    }
}

/// For snapshots: the output, the talk behind `!`, the exit code behind `=`.
impl fmt::Display for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for line in String::from_utf8_lossy(&self.out).lines() {
            writeln!(f, "{line}")?;
        }
        for line in self.err.lines() {
            writeln!(f, "{}", format!("! {line}").trim_end())?;
        }
        write!(f, "= {}", self.code.map_or("killed".to_owned(), |code| code.to_string()))
    }
}
