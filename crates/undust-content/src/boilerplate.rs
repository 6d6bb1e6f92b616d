//! Boilerplate around the text of a page: menus, headers, footers, sidebars, breadcrumbs.
//!
//! Told by the elements that the standard has for them, by their roles, and by the words that authors everywhere put into
//! `class` and `id` of containers, as reader modes of browsers do. Not by where text stands or how often it occurs: that is what
//! weights are for ([`weights`](crate::weights)). These parts are left out because they vary between the URLs of one page (a trail
//! names the way, a header the revision asked for) more often than they tell pages apart. What is only *called* so is left out if it
//! holds less than half of the page: `class="layout with-sidebar"` holds all of it.

use std::ops::Range;

use html5ever::tokenizer::Tag;
use html5ever::{LocalName, local_name};

use crate::html::attribute;

/// Containers that are closed reliably: `</p>` and `</li>` may be left out, and tables hold text as well as layout.
const CONTAINERS: [LocalName; 10] = [
    local_name!("div"),
    local_name!("section"),
    local_name!("nav"),
    local_name!("header"),
    local_name!("footer"),
    local_name!("aside"),
    local_name!("ul"),
    local_name!("ol"),
    local_name!("form"),
    local_name!("menu"),
];

/// Words of a `class` or an `id` that name boilerplate.
const BOILERPLATE_NAMES: [&str; 9] =
    ["header", "footer", "nav", "navbar", "navigation", "menu", "breadcrumb", "breadcrumbs", "sidebar"];

const ROLES: [&str; 5] = ["navigation", "banner", "contentinfo", "complementary", "search"];

/// Deepest nesting of pieces; deeper ones are part of those around them.
const MAX_NESTED: usize = 32;

/// Follows the tags of a page, to tell at its end which of its text is boilerplate. Places are offsets into the text so far.
#[derive(Debug, Default)]
pub(crate) struct Boilerplate {
    open: Vec<Open>,
    /// Pieces by kind, once they are closed.
    pieces: Vec<Piece>,
    /// Of `<h1>`: headings stay, wherever they stand.
    headings: Spans,
    /// Of `<main>`: where a page has one, its main text is there alone.
    mains: Spans,
    /// Open `<article>` and `<main>`: headers and footers in them are theirs.
    articles: u32,
}

/// A piece of boilerplate whose element is open.
#[derive(Debug)]
struct Open {
    name: LocalName,
    /// How many elements of its name are open in it, itself included.
    depth: u32,
    start: usize,
    by_name: bool,
}

/// A piece of boilerplate.
#[derive(Debug)]
struct Piece {
    span: Range<usize>,
    /// Known by what authors call it alone.
    by_name: bool,
}

/// Where elements of one name begin and end.
#[derive(Debug, Default)]
struct Spans {
    /// Where the outermost begins, and how many are open.
    start: usize,
    depth: u32,
    closed: Vec<Range<usize>>,
}

impl Spans {
    fn open(&mut self, at: usize) {
        if self.depth == 0 {
            self.start = at;
        }
        self.depth += 1;
    }

    fn close(&mut self, at: usize) {
        if self.depth == 1 {
            self.closed.push(self.start..at);
        }
        self.depth = self.depth.saturating_sub(1);
    }

    /// The page ends, and all that is open with it.
    fn end(&mut self, at: usize) {
        self.depth = self.depth.min(1);
        self.close(at);
    }
}

impl Boilerplate {
    pub(crate) fn open(&mut self, tag: &Tag, at: usize) {
        if let Some(inner) = self.open.iter_mut().rev().find(|open| open.name == tag.name) {
            inner.depth += 1;
        }
        match &*tag.name {
            "main" => {
                self.mains.open(at);
                // What holds the main text is no boilerplate, whatever it is called.
                self.open.clear();
            }
            "h1" => self.headings.open(at),
            _ => {}
        }
        if is_article(&tag.name) {
            self.articles += 1;
        } else if self.open.len() < MAX_NESTED
            && let Some(by_name) = self.boilerplate(tag)
        {
            self.open.push(Open { name: tag.name.clone(), depth: 1, start: at, by_name });
        }
    }

    pub(crate) fn close(&mut self, closed: &LocalName, at: usize) {
        match &**closed {
            "main" => self.mains.close(at),
            "h1" => self.headings.close(at),
            _ => {}
        }
        if is_article(closed) {
            self.articles = self.articles.saturating_sub(1);
        }
        let Some(place) = self.open.iter().rposition(|open| open.name == *closed) else { return };
        self.open[place].depth -= 1;
        if self.open[place].depth == 0 {
            let Open { start, by_name, .. } = self.open.swap_remove(place);
            self.pieces.push(Piece { span: start..at, by_name });
            // What began inside and did not end was none.
            self.open.truncate(place);
        }
    }

    /// The main text, given all of it.
    pub(crate) fn main_text(mut self, text: &str) -> String {
        self.mains.end(text.len());
        let mut borders: Vec<(usize, Border)> = Vec::new();
        let mut add = |span: &Range<usize>, begins, ends| {
            // What holds no text has no inside: its end would come before its beginning.
            if !span.is_empty() {
                borders.extend([(span.start, begins), (span.end, ends)]);
            }
        };
        // A piece that is called so and holds half of the page holds its text, too.
        let is_boilerplate = |piece: &&Piece| !piece.by_name || 2 * piece.span.len() < text.len();
        self.pieces
            .iter()
            .filter(is_boilerplate)
            .for_each(|piece| add(&piece.span, Border::Boilerplate, Border::BoilerplateEnd));
        self.headings.closed.iter().for_each(|span| add(span, Border::Heading, Border::HeadingEnd));
        self.mains.closed.iter().for_each(|span| add(span, Border::Main, Border::MainEnd));
        borders.sort_unstable();
        let (mut main, mut from) = (String::new(), 0);
        let (mut boilerplate, mut heading, mut inside) = (0, false, self.mains.closed.is_empty());
        for (at, border) in borders.into_iter().chain([(text.len(), Border::MainEnd)]) {
            if heading || (inside && boilerplate == 0) {
                main.push_str(&text[from..at]);
            }
            from = at;
            match border {
                Border::Boilerplate => boilerplate += 1,
                Border::BoilerplateEnd => boilerplate -= 1,
                Border::Heading => heading = true,
                Border::HeadingEnd => heading = false,
                Border::Main => inside = true,
                Border::MainEnd => inside = false,
            }
        }
        main
    }

    /// Whether an element is a piece of boilerplate, and if so, whether it is only called so.
    fn boilerplate(&self, tag: &Tag) -> Option<bool> {
        let name = &*tag.name;
        if !CONTAINERS.contains(&tag.name) {
            return None;
        }
        let surely = match name {
            "nav" | "aside" | "menu" => true,
            "header" | "footer" if self.articles == 0 => true,
            _ => is_hidden(tag) || has_role(tag),
        };
        let called = || is_called_so(tag, "class") || is_called_so(tag, "id");
        if surely { Some(false) } else { called().then_some(true) }
    }
}

/// Where text becomes main text, or no longer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Border {
    // What ends somewhere ends before what begins there.
    BoilerplateEnd,
    HeadingEnd,
    MainEnd,
    Boilerplate,
    Heading,
    Main,
}

fn is_article(name: &LocalName) -> bool {
    matches!(&**name, "article" | "main")
}

fn is_hidden(tag: &Tag) -> bool {
    let by_style = || {
        let style = attribute(tag, "style")?;
        let (_, value) = style.split_once("display")?;
        Some(value.trim_start_matches([' ', ':']).starts_with("none"))
    };
    attribute(tag, "hidden").is_some() || by_style() == Some(true)
}

fn has_role(tag: &Tag) -> bool {
    attribute(tag, "role").is_some_and(|role| ROLES.contains(&role.trim()))
}

/// Whether one of the words in this attribute is one of ours: `page_header`, `topNav`, `site-menu`.
fn is_called_so(tag: &Tag, name: &str) -> bool {
    attribute(tag, name).is_some_and(|value| words(value).any(is_ours))
}

fn is_ours(word: &str) -> bool {
    BOILERPLATE_NAMES.iter().any(|ours| ours.eq_ignore_ascii_case(word))
}

/// Runs of letters; a capital behind a small letter begins a new one.
fn words(value: &str) -> impl Iterator<Item = &str> {
    let mut rest = value;
    std::iter::from_fn(move || {
        rest = rest.trim_start_matches(|c: char| !c.is_ascii_alphabetic());
        let bytes = rest.as_bytes();
        let ends = |at: &usize| {
            !bytes[*at].is_ascii_alphabetic()
                || (bytes[*at].is_ascii_uppercase() && bytes[*at - 1].is_ascii_lowercase())
        };
        let end = (1..bytes.len()).find(ends).unwrap_or(bytes.len());
        let (word, behind) = rest.split_at(end);
        rest = behind;
        (!word.is_empty()).then_some(word)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_names() {
        let all = |value| words(value).collect::<Vec<_>>();
        assert_eq!(
            all("page_header topNav2 mainNAV é-x"),
            ["page", "header", "top", "Nav", "main", "NAV", "x"]
        );
        assert_eq!(all(" 12 "), Vec::<&str>::new());
    }
}
