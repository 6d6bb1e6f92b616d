//! A list of URLs, one a line.

use undust::page::Page;

use super::{LineFormat, Parsed};

/// One URL a line; `#` begins a comment. What has no scheme is kept too: it is a URL that no rule speaks about.
pub(super) struct Urls;

impl LineFormat for Urls {
    fn parse(&self, line: &[u8]) -> Parsed {
        let url = line.trim_ascii();
        let is_url = !url.is_empty() && !url.starts_with(b"#");
        Ok(is_url.then(|| Page::new(url)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{assert_left_out, page};
    use super::*;

    #[test]
    fn urls_and_comments() {
        assert_eq!(
            page(&Urls, " http://www.cnn.com/!==Y.disable&& "),
            Page::new("http://www.cnn.com/!==Y.disable&&")
        );
        assert_eq!(page(&Urls, "www.cnn.com/a b"), Page::new("www.cnn.com/a b"));
        assert_eq!(Urls.parse(b"http://a/\xff").unwrap().unwrap().url, b"http://a/\xff");
        assert_left_out(&Urls, &["# seeds", "#", "\t"]);
    }
}
