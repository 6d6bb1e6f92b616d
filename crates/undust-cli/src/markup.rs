//! Text that is to be shown in XML or HTML.

/// Text with nothing in it that could be taken for markup, in an element or in an attribute. What has no place on a page, or would turn
/// round what stands beside it, is replaced.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\t' | '\n' => out.push(c),
            _ if c.is_control() || turns_round(c) || !is_of_xml(c) => out.push('\u{fffd}'),
            _ => out.push(c),
        }
    }
    out
}

/// Whether a character makes a URL read as another one: marks and overrides of the direction of writing.
fn turns_round(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn is_of_xml(c: char) -> bool {
    !matches!(c, '\u{fffe}' | '\u{ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_more_than_text() {
        assert_eq!(escaped("<script>'\"&"), "&lt;script&gt;&#39;&quot;&amp;");
        assert_eq!(escaped("é\u{0}\u{202e}x\u{85}\u{ffff}\t"), "é\u{fffd}\u{fffd}x\u{fffd}\u{fffd}\t");
    }
}
