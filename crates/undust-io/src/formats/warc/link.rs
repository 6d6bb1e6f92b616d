//! `Link: <https://www.example.org/a>; rel="canonical"`: what a server says of a page beside its HTML (RFC 8288).

/// The target of the first link in a `Link` header that is `rel=canonical`.
pub(super) fn canonical(header: &str) -> Option<String> {
    let mut rest = header;
    loop {
        let (target, behind) = rest.split_once('<')?.1.split_once('>')?;
        let (parameters, behind) = behind.split_at(end_of_link(behind));
        if is_canonical(parameters) {
            return Some(target.trim().to_owned()).filter(|target| !target.is_empty());
        }
        rest = behind;
    }
}

/// Where the comma before the next link is; commas in quotes are none.
fn end_of_link(text: &str) -> usize {
    let mut quoted = false;
    text.find(|c| {
        quoted ^= c == '"';
        c == ',' && !quoted
    })
    .unwrap_or(text.len())
}

/// `rel` may name several relations.
fn is_canonical(parameters: &str) -> bool {
    let relations = |parameter: &str| {
        let (name, value) = parameter.split_once('=')?;
        name.trim().eq_ignore_ascii_case("rel").then(|| value.trim().trim_matches('"').to_ascii_lowercase())
    };
    let mut all = parameters.split(';').filter_map(relations);
    all.next().is_some_and(|relations| relations.split_ascii_whitespace().any(|word| word == "canonical"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_canonical_one_among_links() {
        let cases = [
            ("<http://a/b>; rel=\"canonical\"", Some("http://a/b")),
            ("< /b?x=1,2 >;rel=Canonical", Some("/b?x=1,2")),
            (
                "<a.css>; rel=preload; title=\"x, <y>\", </c>; title=\"a; b\"; rel=\"next canonical\"",
                Some("/c"),
            ),
            ("<http://a/>; rel=shortlink, <http://b/>; rel=\"canonicalize\"", None),
            ("<http://a/>; rel=next; rel=canonical", None),
            ("<>; rel=canonical", None),
            ("http://a/; rel=canonical", None),
            ("<http://a/; rel=canonical", None),
            ("", None),
        ];
        for (header, target) in cases {
            assert_eq!(canonical(header).as_deref(), target, "{header}");
        }
    }
}
