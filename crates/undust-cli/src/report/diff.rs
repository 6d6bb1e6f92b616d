//! What differs between two URLs or templates, in whole parts: components, parameters and what stands between them.

/// A run of text, and whether the other side has it, too.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Run {
    pub(super) text: String,
    pub(super) is_common: bool,
}

/// Both texts in runs, by the common subsequence of their parts that weighs most: what was moved is what weighs least.
pub(super) fn diff(a: &str, b: &str) -> [Vec<Run>; 2] {
    let (parts_a, parts_b) = (parts(a), parts(b));
    if a == b {
        // A rule that says that a value does not matter has it on both sides.
        let is_common: Vec<bool> = parts_a.iter().map(|part| !part.text.contains('*')).collect();
        return [runs(&parts_a, &is_common), runs(&parts_b, &is_common)];
    }
    let heaviest = heaviest_common(&parts_a, &parts_b);
    let (mut in_a, mut in_b) = (vec![false; parts_a.len()], vec![false; parts_b.len()]);
    let (mut i, mut j) = (0, 0);
    while i < parts_a.len() && j < parts_b.len() {
        if parts_a[i].name == parts_b[j].name {
            (in_a[i], in_b[j]) = (true, true);
            (i, j) = (i + 1, j + 1);
        } else if heaviest[i + 1][j] >= heaviest[i][j + 1] {
            i += 1;
        } else {
            j += 1;
        }
    }
    [runs(&parts_a, &in_a), runs(&parts_b, &in_b)]
}

/// What `a` from its i-th part and `b` from its j-th on have in common, in order, by weight. Texts that are shown are short.
fn heaviest_common(a: &[Part], b: &[Part]) -> Vec<Vec<u32>> {
    let mut heaviest = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in (0..a.len()).rev() {
        for j in (0..b.len()).rev() {
            heaviest[i][j] = if a[i].name == b[j].name {
                heaviest[i + 1][j + 1] + a[i].weight()
            } else {
                heaviest[i + 1][j].max(heaviest[i][j + 1])
            };
        }
    }
    heaviest
}

/// A piece of a text: a delimiter, or what stands between two.
struct Part<'t> {
    text: &'t str,
    /// What it is called on both sides: `{id:digits}` becomes `{id}`.
    name: String,
}

impl Part<'_> {
    /// How much it means that a part stays where it is. `{...}` stands for all that a rule is not about; values are moved more often than words; and a
    /// delimiter says little of itself.
    fn weight(&self) -> u32 {
        let is_hole = self.name == "*" || (self.name.starts_with('{') && self.name.ends_with('}'));
        match self.text.chars().next() {
            _ if self.name.contains("{...}") => 1 << 16,
            Some(c) if is_delimiter(c) => 1,
            _ if is_hole => 16,
            _ => 16 * (1 + self.text.chars().count() as u32),
        }
    }
}

/// A text in parts.
fn parts(text: &str) -> Vec<Part<'_>> {
    let (mut parts, mut rest) = (Vec::new(), text);
    while let Some(first) = rest.chars().next() {
        let end = if is_delimiter(first) { first.len_utf8() } else { next_delimiter(rest) };
        let (part, behind) = rest.split_at(end);
        parts.push(Part { text: part, name: name_of(part) });
        rest = behind;
    }
    parts
}

/// Where the next delimiter is; those in braces are none.
fn next_delimiter(text: &str) -> usize {
    let mut hole_end = 0;
    let found = text.char_indices().find(|&(at, c)| {
        if c == '{' && at >= hole_end {
            hole_end = text[at..].find('}').map_or(0, |end| at + end);
        }
        at >= hole_end && is_delimiter(c)
    });
    found.map_or(text.len(), |(at, _)| at)
}

fn is_delimiter(c: char) -> bool {
    matches!(c, '/' | '?' | '&' | ';' | '.')
}

/// A part without what its holes ask of a text: in a rewrite they have names only.
fn name_of(part: &str) -> String {
    let mut pieces = part.split('{');
    let mut name = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let (hole, behind) = piece.split_once('}').map_or((piece, None), |(hole, rest)| (hole, Some(rest)));
        let short = hole.split([':', '?']).next().unwrap_or_default();
        name.extend(["{", if short.is_empty() { hole } else { short }]);
        name.extend(behind.into_iter().flat_map(|behind| ["}", behind]));
    }
    name
}

/// Parts that follow each other are one run where both or none are common.
fn runs(parts: &[Part], is_common: &[bool]) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for (part, &is_common) in parts.iter().zip(is_common) {
        match runs.last_mut() {
            Some(run) if run.is_common == is_common => run.text.push_str(part.text),
            _ => runs.push(Run { text: part.text.to_owned(), is_common }),
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

    fn sides(a: &str, b: &str) -> String {
        bracketed(a, b).join(" ")
    }

    #[test]
    fn what_one_side_has() {
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
    #[test]
    fn what_is_moved_is_marked_and_not_what_stays() {
        assert_eq!(sides("/v?{...}&t={t}", "/v?t={t}&{...}"), "/v?{...}[&t={t}] /v?[t={t}&]{...}");
        assert_eq!(sides("/v?t={t}&{...}", "/v?{...}&t={t}"), "/v?[t={t}&]{...} /v?{...}[&t={t}]");
        assert_eq!(
            sides("/{lang}/docs/{...}", "/docs/{lang}/{...}"),
            "/[{lang}/]docs/{...} /docs/[{lang}/]{...}"
        );
        assert_eq!(sides("/core.html.en", "/en/core.html"), "/core.html[.en] /[en/]core.html");
        assert_eq!(
            sides("/x?t=5&highlight=some", "/x?highlight=some&t=5"),
            "/x?[t=5&]highlight=some /x?highlight=some[&t=5]"
        );
        assert_eq!(sides("x?a=1&b=2", "x?b=9&a=1"), "x?a=1[&b=2] x?[b=9&]a=1");
        assert_eq!(sides("/i?C=N;O=D", "/i?O=D;C=N"), "/i?[C=N;]O=D /i?O=D[;C=N]");
    }

    #[test]
    fn holes_are_known_by_their_names() {
        assert_eq!(sides("/{a:x.y|z}/p?id={id?}", "/{a}?id={id}"), "/{a:x.y|z}[/p]?id={id?} /{a}?id={id}");
        assert_eq!(sides("/{?}/{b}", "/{b}"), "/[{?}/]{b} /{b}");
        assert_eq!(sides("/a{b", "/a}b"), "/[a{b] /[a}b]");
        assert_eq!(
            sides("/{...}/*?{...}&s=*", "/{...}/*?{...}&s=*"),
            "/{...}/[*]?{...}&[s=*] /{...}/[*]?{...}&[s=*]"
        );
    }
}
