//! What stands around the text of a page: menus, headers, footers, sidebars, trails of where one is.
//!
//! Told by the elements that the standard has for them, by their roles, and by the words that authors everywhere put into
//! `class` and `id` of containers, as reader modes of browsers do. Not by where text stands or how often it occurs: that is what
//! weights are for ([`weights`](crate::weights)). These parts are left out because they vary between the URLs of one page (a trail
//! names the way, a header the revision asked for) more often than they tell pages apart.

use html5ever::LocalName;
use html5ever::tokenizer::Tag;

use crate::html::attribute;

/// Containers that are closed reliably: `</p>` and `</li>` may be left out, and tables hold text as well as layout.
const CONTAINERS: [&str; 10] =
    ["div", "section", "nav", "header", "footer", "aside", "ul", "ol", "form", "menu"];

/// Words of a `class` or an `id`.
const WORDS: [&str; 9] =
    ["header", "footer", "nav", "navbar", "navigation", "menu", "breadcrumb", "breadcrumbs", "sidebar"];

const ROLES: [&str; 5] = ["navigation", "banner", "contentinfo", "complementary", "search"];

/// Whether the reader stands inside of furniture, or beside a `<main>`.
#[derive(Debug, Default)]
pub(crate) struct Furniture {
    /// The outermost piece, and how many elements of its name are open in it, itself included.
    piece: Option<(LocalName, u32)>,
    /// Open `<article>` and `<main>`: headers and footers in them are theirs.
    articles: u32,
    /// Open `<main>`, once there was one.
    mains: Option<u32>,
}

impl Furniture {
    /// Whether a piece has begun that did not end.
    pub(crate) fn is_open(&self) -> bool {
        self.piece.is_some()
    }

    /// Whether what stands here is main text.
    pub(crate) fn is_beside(&self) -> bool {
        self.piece.is_none() && self.mains != Some(0)
    }

    /// Whether this element begins the main text, and what stood before it was none.
    pub(crate) fn begins_main(&self, tag: &Tag) -> bool {
        self.mains.is_none() && &*tag.name == "main"
    }

    pub(crate) fn open(&mut self, tag: &Tag) {
        if &*tag.name == "main" {
            self.mains = Some(self.mains.unwrap_or_default() + 1);
            // What holds the main text is no furniture, whatever it is called.
            self.piece = None;
        }
        if let Some((name, open)) = &mut self.piece {
            *open += u32::from(*name == tag.name);
        } else if is_article(&tag.name) {
            self.articles += 1;
        } else if self.is_furniture(tag) {
            self.piece = Some((tag.name.clone(), 1));
        }
    }

    pub(crate) fn close(&mut self, closed: &LocalName) {
        if &**closed == "main" {
            self.mains = self.mains.map(|open| open.saturating_sub(1));
        }
        match &mut self.piece {
            Some((name, open)) if name == closed => {
                *open -= 1;
                if *open == 0 {
                    self.piece = None;
                }
            }
            None if is_article(closed) => self.articles = self.articles.saturating_sub(1),
            _ => {}
        }
    }

    fn is_furniture(&self, tag: &Tag) -> bool {
        let name = &*tag.name;
        if !CONTAINERS.contains(&name) {
            return false;
        }
        match name {
            "nav" | "aside" | "menu" => true,
            "header" | "footer" if self.articles == 0 => true,
            _ => is_hidden(tag) || has_role(tag) || is_called_so(tag, "class") || is_called_so(tag, "id"),
        }
    }
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
    WORDS.iter().any(|ours| ours.eq_ignore_ascii_case(word))
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
