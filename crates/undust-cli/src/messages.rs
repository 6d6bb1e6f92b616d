//! Messages on stderr, which a person reads while the data goes to stdout.

use std::io::Write;
use std::path::Path;

use undust_io::Summary;

/// Prints one line. A closed stderr is no failure.
pub(crate) fn say(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// Prints the problems of an input: no page in it, the number of bad lines with the first few of them, and how much was not
/// read.
pub(crate) fn report_problems(summary: &Summary) {
    for line in problems_of(summary) {
        say(&line);
    }
}

/// The problems of an input, as lines.
pub(crate) fn problems_of(summary: &Summary) -> Vec<String> {
    let mut lines = bad_lines(summary);
    if summary.pages == 0 && summary.problems.count == 0 {
        lines.push(no_page(&summary.file, summary.lines, summary.format.unit()));
    }
    if summary.cut > 0 {
        let are = if summary.cut == 1 { "is" } else { "are" };
        let most = size(summary.max_body);
        let whose = if summary.cut == 1 { "its" } else { "their" };
        let pages = counted(summary.cut, "page");
        lines.push(format!("{pages} {are} longer than {most}: only {whose} beginning was read (--max-body)"));
    }
    lines
}

/// The message about an input without a page in it.
pub(crate) fn no_page(file: &Path, lines: u64, unit: &str) -> String {
    let name = if file == Path::new("-") { "<stdin>".into() } else { file.display().to_string() };
    match lines {
        0 => format!("{name}: the input is empty"),
        _ => format!("{name}: no page in {}", counted(lines, unit)),
    }
}

fn bad_lines(summary: &Summary) -> Vec<String> {
    let problems = &summary.problems;
    if problems.count == 0 {
        return Vec::new();
    }
    let were = if problems.count == 1 { "was" } else { "were" };
    let mut lines = vec![format!(
        "{} of {} could not be read and {were} skipped:",
        thousands(problems.count),
        counted(summary.lines, summary.format.unit())
    )];
    lines.extend(problems.samples.iter().map(|problem| format!("  {problem}")));
    let more = problems.count - problems.samples.len() as u64;
    if more > 0 {
        lines.push(format!("  … and {} more (--strict stops at the first)", thousands(more)));
    }
    lines
}

/// A number with its noun: `1 site`, `1,234 sites`.
pub(crate) fn counted(n: u64, thing: &str) -> String {
    format!("{} {thing}{}", thousands(n), if n == 1 { "" } else { "s" })
}

/// `1234567` as `1,234,567`.
pub(crate) fn thousands(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `8388608` as `8 MiB`.
fn size(bytes: u64) -> String {
    let units = [(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
    match units.into_iter().find(|(unit, _)| bytes >= *unit && bytes.is_multiple_of(*unit)) {
        Some((unit, name)) => format!("{} {name}", thousands(bytes / unit)),
        None => counted(bytes, "byte"),
    }
}

/// `0.1234` as `12.3 %`.
pub(crate) fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

/// An upper bound as a per cent that is never below it: `0.0031` as `0.4 %`. Bounds under 0.1 % have a second digit.
pub(crate) fn percent_at_most(bound: f64) -> String {
    // What is exact stays so, whatever a double makes of it.
    let up_to = |unit: f64| (100.0 * bound * unit - 1e-9).max(0.0).ceil() / unit;
    if bound < 0.001 { format!("{:.2} %", up_to(100.0)) } else { format!("{:.1} %", up_to(10.0)) }
}

/// What somebody asked for, as a per cent and as exactly: `0.0005` as `0.05 %`, `0.01` as `1 %`.
pub(crate) fn percent_asked(share: f64) -> String {
    format!("{} %", in_percent(share))
}

/// `0.0005` as `0.05`, without digits that say nothing.
pub(crate) fn in_percent(share: f64) -> String {
    let text = format!("{:.4}", 100.0 * share);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_never_shown_lower_than_they_are() {
        let said = [0.0, 0.000_31, 0.0029, 0.0031, 0.0061, 0.01, 0.0151, 1.0].map(percent_at_most);
        assert_eq!(said, ["0.00 %", "0.04 %", "0.3 %", "0.4 %", "0.7 %", "1.0 %", "1.6 %", "100.0 %"]);
        for bound in (0..=100_000).map(|n| f64::from(n) / 100_000.0) {
            let said = percent_at_most(bound);
            let shown: f64 = said.trim_end_matches(" %").parse().expect("a number");
            assert!(shown >= 100.0 * bound - 1e-8 && shown < 100.0 * bound + 0.1, "{bound} as {said}");
        }
    }

    #[test]
    fn what_was_asked_for_is_not_rounded() {
        assert_eq!(
            [0.01, 0.0005, 0.125, 0.0, 1.0].map(percent_asked),
            ["1 %", "0.05 %", "12.5 %", "0 %", "100 %"]
        );
    }
}
