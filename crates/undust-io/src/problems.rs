//! Bad lines as data: counted, the first few kept with file and line, and escaped for the terminal.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::error::LineError;

/// One line that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The file as the user named it; `-` is standard input.
    pub file: PathBuf,
    /// 1-based. In a WARC file it is the number of the record, in a folder that of the entry.
    pub line: u64,
    /// What is wrong, with the offending value.
    pub error: LineError,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_place(f, &self.file, Some(self.line))?;
        self.error.fmt(f)
    }
}

/// The lines that could not be read: all counted, the first few sampled in file order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Problems {
    /// Number of bad lines.
    pub count: u64,
    /// The first [`Problems::SAMPLES`] of them.
    pub samples: Vec<Problem>,
}

impl Problems {
    /// Most samples that are kept.
    pub const SAMPLES: usize = 5;

    /// Count `problem`, and keep it when it is one of the first.
    pub fn add(&mut self, problem: Problem) {
        self.merge(Problems { count: 1, samples: vec![problem] });
    }

    /// Add the problems of later lines.
    pub fn merge(&mut self, later: Problems) {
        self.count += later.count;
        let room = Problems::SAMPLES.saturating_sub(self.samples.len());
        self.samples.extend(later.samples.into_iter().take(room));
    }
}

/// Write the place in a file in front of what is to be said about it: `crawl.tsv:12: `.
pub(crate) fn write_place(f: &mut fmt::Formatter<'_>, file: &Path, line: Option<u64>) -> fmt::Result {
    if file == Path::new("-") {
        f.write_str("<stdin>:")?;
    } else {
        write!(f, "{}:", file.display())?;
    }
    match line {
        Some(line) => write!(f, "{line}: "),
        None => f.write_str(" "),
    }
}

/// A value of the input in quotes, fit for a message: at most 80 characters, none of which moves the cursor.
pub(crate) fn shown(value: &[u8]) -> String {
    const MAX_CHARS: usize = 80;
    // No character has more than 4 bytes, so the cut never shortens what is shown.
    let text = String::from_utf8_lossy(&value[..value.len().min(4 * (MAX_CHARS + 1))]);
    let mut shown = String::from("'");
    for c in text.chars().take(MAX_CHARS) {
        match c {
            '\'' | '"' | '\\' => shown.push(c),
            _ => shown.extend(c.escape_debug()),
        }
    }
    shown.push_str(if text.chars().count() > MAX_CHARS { "…'" } else { "'" });
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(line: u64) -> Problem {
        Problem { file: "a.tsv".into(), line, error: LineError::NoUrl }
    }

    #[test]
    fn the_first_five_are_kept() {
        let mut problems = Problems::default();
        (1..=4).for_each(|line| problems.add(problem(line)));
        let mut later = Problems::default();
        (5..=9).for_each(|line| later.add(problem(line)));
        problems.merge(later);
        assert_eq!(problems.count, 9);
        assert_eq!(problems.samples, (1..=5).map(problem).collect::<Vec<_>>());
        assert_eq!(problems.samples[0].to_string(), "a.tsv:1: no URL");
        assert_eq!(Problem { file: "-".into(), ..problem(2) }.to_string(), "<stdin>:2: no URL");
    }

    #[test]
    fn shown_values_are_short_and_harmless() {
        assert_eq!(shown(b"a\x1b[2J\t\"b\""), r#"'a\u{1b}[2J\t"b"'"#);
        assert_eq!(shown("\u{202e}é\\".as_bytes()), "'\\u{202e}é\\'");
        assert_eq!(shown(&[b'x'; 80]), format!("'{}'", "x".repeat(80)));
        assert_eq!(shown(&[b'x'; 1000]), format!("'{}…'", "x".repeat(80)));
        assert_eq!(shown("é".repeat(81).as_bytes()), format!("'{}…'", "é".repeat(80)));
    }
}
