//! What differs between two URLs or templates, in whole parts: components, parameters and what stands between them.

/// A run of text, and whether the other side has it, too.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Run {
    pub(super) text: String,
    pub(super) is_common: bool,
}

/// Both texts in runs, by a longest common subsequence of their parts.
pub(super) fn diff(a: &str, b: &str) -> [Vec<Run>; 2] {
    let (a, b): (Vec<&str>, Vec<&str>) = (parts(a).collect(), parts(b).collect());
    let longest = longest_common(&a, &b);
    let (mut in_a, mut in_b) = (vec![false; a.len()], vec![false; b.len()]);
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        if a[i] == b[j] {
            (in_a[i], in_b[j]) = (true, true);
            (i, j) = (i + 1, j + 1);
        } else if longest[i + 1][j] >= longest[i][j + 1] {
            i += 1;
        } else {
            j += 1;
        }
    }
    [runs(&a, &in_a), runs(&b, &in_b)]
}

/// How many parts `a` from its i-th and `b` from its j-th on have in common, in order. Texts that are shown are short.
fn longest_common(a: &[&str], b: &[&str]) -> Vec<Vec<u16>> {
    let mut longest = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in (0..a.len()).rev() {
        for j in (0..b.len()).rev() {
            longest[i][j] = if a[i] == b[j] {
                longest[i + 1][j + 1] + 1
            } else {
                longest[i + 1][j].max(longest[i][j + 1])
            };
        }
    }
    longest
}

/// A text in parts; a delimiter is one by itself.
fn parts(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive(is_delimiter).flat_map(|part| {
        let end =
            part.len() - part.chars().next_back().filter(|c| is_delimiter(*c)).map_or(0, char::len_utf8);
        [&part[..end], &part[end..]].into_iter().filter(|part| !part.is_empty())
    })
}

fn is_delimiter(c: char) -> bool {
    matches!(c, '/' | '?' | '&' | ';')
}

/// Parts that follow each other are one run where both or none are common.
fn runs(parts: &[&str], is_common: &[bool]) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for (&part, &is_common) in parts.iter().zip(is_common) {
        match runs.last_mut() {
            Some(run) if run.is_common == is_common => run.text.push_str(part),
            _ => runs.push(Run { text: part.to_owned(), is_common }),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Both sides, with brackets around what only one of them has.
    fn bracketed(a: &str, b: &str) -> [String; 2] {
        let said = |run: Run| if run.is_common { run.text } else { format!("[{}]", run.text) };
        diff(a, b).map(|runs| runs.into_iter().map(said).collect())
    }

    #[test]
    fn what_one_side_has() {
        let sides = |a, b| bracketed(a, b).join(" ");
        assert_eq!(
            sides("http://a/x?sid={?}&{...}", "http://a/x?{...}"),
            "http://a/x?[sid={?}&]{...} http://a/x?{...}"
        );
        assert_eq!(sides("/item12", "/item13"), "/[item12] /[item13]");
        assert_eq!(sides("x?a=1&b=2&c=3", "x?b=2&c=4"), "x?[a=1&]b=2&[c=3] x?b=2&[c=4]");
        assert_eq!(sides("é/;", "è/;"), "[é]/; [è]/;");
        assert_eq!(sides("", "/a/"), " [/a/]");
        assert_eq!(sides("same", "same"), "same same");
    }
}
