//! A page put together from elements. Text is escaped where it is put in, so that nothing that was crawled can be more than text.

use undust_learn::survey::shortened;

use super::diff::{Run, diff};
use crate::markup::escaped;

/// A piece of the page.
#[derive(Clone, Debug, Default)]
pub(super) struct Html(String);

impl Html {
    /// Markup of our own.
    pub(super) fn fixed(markup: &'static str) -> Html {
        Html(markup.to_owned())
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromIterator<Html> for Html {
    fn from_iter<I: IntoIterator<Item = Html>>(pieces: I) -> Html {
        Html(pieces.into_iter().map(|piece| piece.0).collect())
    }
}

/// Nothing.
pub(super) fn nothing() -> Html {
    Html::default()
}

/// A text, not more of it than can be shown.
pub(super) fn text(text: impl AsRef<str>) -> Html {
    Html(escaped(&shortened(text.as_ref())))
}

/// An element with some content; `div.card` is a `div` of the class `card`.
pub(super) fn tag(name: &'static str, content: impl IntoIterator<Item = Html>) -> Html {
    tag_with(name, &[], content)
}

/// An element with attributes; `div.card` is a `div` of the class `card`.
pub(super) fn tag_with(
    name: &'static str,
    attributes: &[(&'static str, String)],
    content: impl IntoIterator<Item = Html>,
) -> Html {
    let (name, classes) = name.split_once('.').unwrap_or((name, ""));
    let mut out = format!("<{name}");
    let class = (!classes.is_empty()).then(|| ("class", classes.replace('.', " ")));
    for (attribute, value) in class.iter().chain(attributes) {
        out.extend([" ", attribute, "=\"", &escaped(value), "\""]);
    }
    out.push('>');
    content.into_iter().for_each(|piece| out.push_str(&piece.0));
    Html(format!("{out}</{name}>"))
}

/// An element that holds nothing but a text.
pub(super) fn said(name: &'static str, words: impl AsRef<str>) -> Html {
    tag(name, [text(words)])
}

/// Something that is opened by a click on its summary.
pub(super) fn fold(name: &'static str, is_open: bool, summary: Html, content: Html) -> Html {
    let open: &[_] = if is_open { &[("open", String::new())] } else { &[] };
    tag_with(name, open, [tag("summary", [summary]), content])
}

/// A bar as wide as this share of its place, of which another share is of the second colour; nothing where there is nothing to show.
pub(super) fn bar(name: &'static str, width: f64, second: f64) -> Html {
    if width <= 0.0 {
        return nothing();
    }
    let style = format!("--width:{:.2}%;--second:{:.2}%", 100.0 * width, 100.0 * second);
    tag_with(name, &[("style", style)], [tag("i", [])])
}

/// A URL or a template.
pub(super) fn code(words: impl AsRef<str>) -> Html {
    said("code", words)
}

/// Two URLs, or templates, with what is different marked in both.
pub(super) fn compared(a: &str, b: &str) -> [Html; 2] {
    let piece = |run: Run| if run.is_common { text(run.text) } else { said("mark", run.text) };
    diff(&shortened(a), &shortened(b)).map(|runs| tag("code", runs.into_iter().map(piece)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements() {
        let attributes = [("title", "\"><b>".to_owned())];
        let html = tag_with("p.a.b", &attributes, [text("<i>"), said("b", "&")]);
        assert_eq!(html.as_str(), "<p class=\"a b\" title=\"&quot;&gt;&lt;b&gt;\">&lt;i&gt;<b>&amp;</b></p>");
        assert!(text("x".repeat(10_000)).as_str().len() < 500);
    }

    #[test]
    fn nothing_has_no_bar() {
        assert_eq!(bar("div.bar", 0.0, 1.0).as_str(), "");
        assert!(bar("div.bar", 0.001, 1.0).as_str().contains("--width:0.10%"));
    }
}
