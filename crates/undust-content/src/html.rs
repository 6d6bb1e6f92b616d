//! From HTML to what a reader sees.
//!
//! The tokenizer of html5ever, without its tree: entities, comments, quotes and raw text are read as a browser reads
//! them, and a page of 100,000 nested elements costs no stack. What the tree would add (text moved out of tables,
//! `hidden` subtrees) does not matter where two versions of one page are compared.

use std::cell::{Cell, RefCell};

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::{Rawtext, Rcdata, ScriptData};
use html5ever::tokenizer::{
    BufferQueue, EndTag, StartTag, Tag, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};

use crate::charset::charset_of;

/// Elements within a word or a sentence. All others end a word.
const INLINE: [&str; 34] = [
    "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "blink", "cite", "code", "data", "del", "dfn", "em",
    "font", "i", "ins", "kbd", "label", "mark", "nobr", "q", "s", "samp", "small", "span", "strike",
    "strong", "sub", "sup", "tt", "u", "var", "wbr",
];

/// The tokenizer compares each attribute of a tag with all others before it. A tag with more places where an attribute
/// could begin is an attack, and the page ends there.
const MOST_ATTRIBUTES: usize = 1 << 15;

/// What a page shows.
#[derive(Debug, Default)]
pub(crate) struct Visible {
    pub(crate) title: Option<String>,
    pub(crate) text: String,
}

/// Title and text of a page. In XHTML, `<script/>` is closed; in HTML it is not.
pub(crate) fn visible(html: &str, xhtml: bool) -> Visible {
    let state = State { xhtml, ..State::default() };
    tokenize(html, state).visible
}

/// What the first `<meta>` with a charset says.
pub(crate) fn meta_charset(head: &str) -> Option<String> {
    tokenize(head, State::default()).charset
}

fn tokenize(html: &str, state: State) -> State {
    let sink = Sink { state: RefCell::new(state), tokens: Cell::new(0) };
    let tokenizer = Tokenizer::new(sink, TokenizerOpts::default());
    let queue = BufferQueue::default();
    let (mut seen, mut attributes) = (0, 0);
    for piece in html.split_inclusive('>') {
        attributes += possible_attributes(piece);
        if attributes > MOST_ATTRIBUTES {
            break;
        }
        queue.push_back(StrTendril::from_slice(piece));
        let _ = tokenizer.feed(&queue);
        if tokenizer.sink.tokens.get() != seen {
            (seen, attributes) = (tokenizer.sink.tokens.get(), 0);
        }
    }
    tokenizer.end();
    tokenizer.sink.state.take()
}

/// How many attributes could begin behind the last `<` of a piece.
fn possible_attributes(piece: &str) -> usize {
    let tag = &piece[piece.rfind('<').unwrap_or(0)..];
    tag.bytes().filter(|byte| byte.is_ascii_whitespace() || matches!(byte, b'/' | b'"' | b'\'')).count()
}

/// html5ever hands tokens to a shared reference.
struct Sink {
    state: RefCell<State>,
    tokens: Cell<u64>,
}

impl TokenSink for Sink {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        if !matches!(token, Token::ParseError(_)) {
            self.tokens.set(self.tokens.get() + 1);
        }
        let mut state = self.state.borrow_mut();
        match token {
            Token::CharacterTokens(text) => state.take(&text),
            Token::TagToken(tag) => return state.tag(&tag),
            _ => {}
        }
        TokenSinkResult::Continue
    }
}

/// Where text goes.
#[derive(Debug, Default, PartialEq)]
enum Place {
    #[default]
    Body,
    Title,
    Nowhere,
}

#[derive(Debug, Default)]
struct State {
    visible: Visible,
    charset: Option<String>,
    place: Place,
    /// Open `<template>`s: their content is not shown.
    templates: u32,
    xhtml: bool,
}

impl State {
    fn take(&mut self, text: &str) {
        match self.place {
            Place::Body if self.templates == 0 => append_collapsed(&mut self.visible.text, text),
            Place::Title => append_collapsed(self.visible.title.get_or_insert_default(), text),
            _ => {}
        }
    }

    fn tag(&mut self, tag: &Tag) -> TokenSinkResult<()> {
        if !INLINE.contains(&&*tag.name) {
            self.take(" ");
        }
        match tag.kind {
            StartTag if self.xhtml && tag.self_closing => TokenSinkResult::Continue,
            StartTag => self.open(tag),
            EndTag => {
                self.close(&tag.name);
                TokenSinkResult::Continue
            }
        }
    }

    fn open(&mut self, tag: &Tag) -> TokenSinkResult<()> {
        match &*tag.name {
            "script" => self.raw(Place::Nowhere, ScriptData),
            // `<noscript>` is left out: all pages of a site made by scripts would say the same in it.
            "style" | "noscript" | "iframe" | "noembed" | "noframes" => self.raw(Place::Nowhere, Rawtext),
            "xmp" => self.raw(Place::Body, Rawtext),
            "textarea" => self.raw(Place::Body, Rcdata),
            // A second title is that of a picture.
            "title" if self.visible.title.is_some() => self.raw(Place::Nowhere, Rcdata),
            "title" => self.raw(Place::Title, Rcdata),
            "plaintext" => TokenSinkResult::Plaintext,
            "template" => {
                self.templates += 1;
                TokenSinkResult::Continue
            }
            "meta" => {
                self.charset = self.charset.take().or_else(|| charset_in(tag));
                TokenSinkResult::Continue
            }
            _ => TokenSinkResult::Continue,
        }
    }

    fn raw(&mut self, place: Place, kind: html5ever::tokenizer::states::RawKind) -> TokenSinkResult<()> {
        self.place = place;
        TokenSinkResult::RawData(kind)
    }

    fn close(&mut self, name: &str) {
        // Raw text is ended by nothing but its own end tag, so any end tag means that we are back in the body.
        self.place = Place::Body;
        if name == "template" {
            self.templates = self.templates.saturating_sub(1);
        }
    }
}

fn charset_in(meta: &Tag) -> Option<String> {
    let value = |name: &str| meta.attrs.iter().find(|a| &*a.name.local == name).map(|a| &*a.value);
    let by_equivalent = || {
        let is_type = value("http-equiv")?.eq_ignore_ascii_case("content-type");
        if is_type { charset_of(value("content")?) } else { None }
    };
    value("charset").or_else(by_equivalent).map(str::to_owned)
}

/// Appends text with each run of white space made one space, and none at the beginning.
pub(crate) fn append_collapsed(to: &mut String, text: &str) {
    for c in text.chars() {
        if !c.is_whitespace() {
            to.push(c);
        } else if !to.is_empty() && !to.ends_with(' ') {
            to.push(' ');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(html: &str) -> String {
        visible(html, false).text.trim_end().to_owned()
    }

    #[test]
    fn what_a_reader_sees() {
        let page =
            "<!DOCTYPE html><html><head><title> Bees &amp;\n wasps </title><style>p { color: red }</style>
            <script>if (a < b) document.write('<p>no</p>');</script></head><body><!-- <p>no</p> -->
            <p>Bees&nbsp;fly.</p><noscript>Turn on scripts</noscript><template><p>no</p></template>
            <input type=hidden value=no><svg><title>no</title></svg><p>They sting&hellip;";
        let seen = visible(page, false);
        assert_eq!(seen.title.as_deref().map(str::trim), Some("Bees & wasps"));
        assert_eq!(seen.text.trim_end(), "Bees fly. They sting…");
    }

    #[test]
    fn blocks_end_words_and_inline_tags_do_not() {
        assert_eq!(text("<td>one</td><td>two</td>"), "one two");
        assert_eq!(text("one<br>two<li>three"), "one two three");
        assert_eq!(text("<b>B</b>ees <a href=x>fl</a>y"), "Bees fly");
    }

    #[test]
    fn broken_pages_are_read_as_far_as_they_go() {
        assert_eq!(text("<p>one <b>two</p> three < four </i></template>"), "one two three < four");
        assert_eq!(text("one<a href=\"never closed"), "one");
        assert_eq!(text("one<script>never closed"), "one");
        assert_eq!(text("<title>never closed"), "");
        assert_eq!(text(""), "");
    }

    #[test]
    fn scripts_close_themselves_in_xhtml_only() {
        let page = "<script src='x'/><p>text</p>";
        assert_eq!(visible(page, true).text.trim(), "text");
        assert_eq!(text(page), "");
    }

    #[test]
    fn deep_nesting_costs_no_stack() {
        let page = format!("{}deep{}", "<div>".repeat(100_000), "</div>".repeat(100_000));
        assert_eq!(text(&page), "deep");
    }

    #[test]
    fn a_tag_of_countless_attributes_ends_the_page() {
        let names: Vec<_> = (0..400_000).map(|i| format!("a{i}=\">\"")).collect();
        assert_eq!(text(&format!("one<a {}>two", names.join(" "))), "one");
        let picture = "A/b+".repeat(20_000);
        assert_eq!(text(&format!("one<img src=\"data:image/png;base64,{picture}\">two")), "one two");
    }
}
