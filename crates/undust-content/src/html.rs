//! From HTML to what a reader sees, and to what the page says about itself.
//!
//! The tokenizer of html5ever, without its tree: entities, comments, quotes and raw text are read as a browser reads
//! them, and a page of 100,000 nested elements costs no stack. What the tree would add (text moved out of tables) does
//! not matter where two versions of one page are compared.
//!
//! Of all white space only one kind is told from others: a row of a table, of a list or of a preformatted text is a line.
//!
//! The *main* text leaves out what stands around it on every page ([`boilerplate`](crate::boilerplate)).

use std::cell::{Cell, RefCell};

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::{Rawtext, Rcdata, ScriptData};
use html5ever::tokenizer::{
    BufferQueue, EndTag, StartTag, Tag, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};
use html5ever::{LocalName, local_name};
use memchr::{memchr_iter, memrchr_iter};
use xxhash_rust::xxh3::xxh3_64;

use crate::boilerplate::Boilerplate;
use crate::charset::charset_of;

/// Elements within a word or a sentence. All others end a word.
const INLINE: [LocalName; 34] = [
    local_name!("a"),
    local_name!("abbr"),
    local_name!("acronym"),
    local_name!("b"),
    local_name!("bdi"),
    local_name!("bdo"),
    local_name!("big"),
    local_name!("blink"),
    local_name!("cite"),
    local_name!("code"),
    local_name!("data"),
    local_name!("del"),
    local_name!("dfn"),
    local_name!("em"),
    local_name!("font"),
    local_name!("i"),
    local_name!("ins"),
    local_name!("kbd"),
    local_name!("label"),
    local_name!("mark"),
    local_name!("nobr"),
    local_name!("q"),
    local_name!("s"),
    local_name!("samp"),
    local_name!("small"),
    local_name!("span"),
    local_name!("strike"),
    local_name!("strong"),
    local_name!("sub"),
    local_name!("sup"),
    local_name!("tt"),
    local_name!("u"),
    local_name!("var"),
    local_name!("wbr"),
];

/// Where these begin or end, a row does.
const ROWS: [LocalName; 10] = [
    local_name!("tr"),
    local_name!("li"),
    local_name!("dt"),
    local_name!("table"),
    local_name!("caption"),
    local_name!("ul"),
    local_name!("ol"),
    local_name!("dl"),
    local_name!("pre"),
    // Between head and rows of what is preformatted.
    local_name!("hr"),
];

/// The tokenizer compares each attribute of a tag with all others before it. A tag with more places where an attribute
/// could begin is an attack, and the page ends there.
const MAX_ATTRIBUTES: usize = 1 << 15;

/// All text is at most this many times as long as the main text; where it is longer, what was left out was no boilerplate.
const MAX_TEXT_PER_MAIN: usize = 10;

/// Longest delay of a `<meta http-equiv=refresh>` that counts as a redirect: with a longer one, the page is meant to be read.
const MAX_REFRESH_SECONDS: u32 = 2;

/// The visible text of a page, and its metadata.
#[derive(Debug, Default)]
pub(crate) struct Visible {
    pub(crate) title: Option<String>,
    pub(crate) text: String,
    /// The text without menus, headers and footers.
    pub(crate) main: String,
    /// `<link rel=canonical>`, as it is written.
    pub(crate) canonical: Option<String>,
    /// `<base href>`: what relative URLs are relative to.
    pub(crate) base: Option<String>,
    /// Where `<meta http-equiv=refresh>` leads within seconds.
    pub(crate) refresh: Option<String>,
}

/// Title and text of a page. In XHTML, `<script/>` is closed; in HTML it is not.
pub(crate) fn visible(html: &str, xhtml: bool) -> Visible {
    let State { mut visible, boilerplate, .. } = tokenize(html, State { xhtml, ..State::default() });
    visible.main = boilerplate.main_text(&visible.text);
    // Where next to nothing is left, what was left out was no boilerplate.
    if visible.main.len() * MAX_TEXT_PER_MAIN < visible.text.len() {
        visible.main.clone_from(&visible.text);
    }
    visible
}

/// What the first `<meta>` with a charset says.
pub(crate) fn meta_charset(head: &str) -> Option<String> {
    tokenize(head, State::default()).charset
}

fn tokenize(html: &str, state: State) -> State {
    let sink = Sink {
        state: RefCell::new(state),
        tokens: Cell::new(0),
        ended_with_tag: Cell::new(false),
        raw: Cell::new(false),
    };
    let tokenizer = Tokenizer::new(sink, TokenizerOpts::default());
    let queue = BufferQueue::default();
    let (mut seen, mut attributes) = (0, 0);
    let mut inside = Inside::Text;
    let mut start = 0;
    for end in memchr_iter(b'>', html.as_bytes()).map(|at| at + 1).chain([html.len()]) {
        let piece = &html[start..end];
        start = end;
        inside = inside.or_in(piece, tokenizer.sink.raw.get());
        attributes += if inside == Inside::Tag { possible_attributes(piece) } else { 0 };
        if attributes > MAX_ATTRIBUTES {
            break;
        }
        queue.push_back(StrTendril::from_slice(piece));
        let _ = tokenizer.feed(&queue);
        if tokenizer.sink.tokens.get() != seen {
            (seen, attributes) = (tokenizer.sink.tokens.get(), 0);
            if tokenizer.sink.ended_with_tag.get() {
                inside = Inside::Text;
            }
        }
    }
    tokenizer.end();
    tokenizer.sink.state.take()
}

/// What a piece of a page, which ends with `>`, ends in: that sign may stand in quotes and in comments.
#[derive(Clone, Copy, PartialEq)]
enum Inside {
    Text,
    Tag,
    Comment,
}

impl Inside {
    /// Where the next piece ends, if not with what began there. In raw text nothing but an end tag can begin.
    fn or_in(self, piece: &str, raw: bool) -> Inside {
        match self {
            Inside::Text if !raw && piece.contains("<!--") && !piece.ends_with("-->") => Inside::Comment,
            Inside::Text if last_tag(piece).is_some_and(|at| !raw || piece[at..].starts_with("</")) => {
                Inside::Tag
            }
            inside => inside,
        }
    }
}

/// Where the last tag of a piece begins: a `<` before anything but a letter or a `/` is text.
fn last_tag(piece: &str) -> Option<usize> {
    let bytes = piece.as_bytes();
    let begins =
        |at: &usize| bytes.get(at + 1).is_some_and(|next| next.is_ascii_alphabetic() || *next == b'/');
    memrchr_iter(b'<', bytes).find(begins)
}

/// How many attributes could begin behind the last tag of a piece.
fn possible_attributes(piece: &str) -> usize {
    let tag = &piece[last_tag(piece).unwrap_or(0)..];
    tag.bytes().filter(|byte| byte.is_ascii_whitespace() || matches!(byte, b'/' | b'"' | b'\'')).count()
}

/// html5ever hands tokens to a shared reference.
struct Sink {
    state: RefCell<State>,
    tokens: Cell<u64>,
    /// Whether the last token was no text.
    ended_with_tag: Cell<bool>,
    /// Whether what follows is raw text: a script, a style, a title.
    raw: Cell<bool>,
}

impl TokenSink for Sink {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        if !matches!(token, Token::ParseError(_)) {
            self.tokens.set(self.tokens.get() + 1);
            self.ended_with_tag.set(!matches!(token, Token::CharacterTokens(_)));
        }
        let mut state = self.state.borrow_mut();
        match token {
            Token::CharacterTokens(text) => state.take(&text),
            Token::TagToken(tag) => {
                let result = state.tag(&tag);
                self.raw.set(matches!(result, TokenSinkResult::RawData(_)));
                return result;
            }
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
    /// Within `<pre>`, where lines are rows.
    preformatted: bool,
    boilerplate: Boilerplate,
    xhtml: bool,
}

impl State {
    fn take(&mut self, text: &str) {
        match self.place {
            Place::Body if self.templates == 0 => {
                for (line, text) in text.split(|c| c == '\n' && self.preformatted).enumerate() {
                    if line > 0 {
                        end_row(&mut self.visible.text);
                    }
                    append_collapsed(&mut self.visible.text, text);
                }
            }
            Place::Title => append_collapsed(self.visible.title.get_or_insert_default(), text),
            _ => {}
        }
    }

    fn tag(&mut self, tag: &Tag) -> TokenSinkResult<()> {
        if ROWS.contains(&tag.name) {
            self.end_row();
        } else if !INLINE.contains(&tag.name) {
            self.take(" ");
        }
        if tag.name == local_name!("pre") {
            self.preformatted = tag.kind == StartTag;
        }
        match tag.kind {
            StartTag => {
                let is_closed = self.xhtml && tag.self_closing;
                if !is_closed {
                    self.boilerplate.open(tag, self.visible.text.len());
                }
                self.take_note(tag);
                self.take_picture(tag);
                if is_closed { TokenSinkResult::Continue } else { self.open(tag) }
            }
            EndTag => {
                self.boilerplate.close(&tag.name, self.visible.text.len());
                self.close(&tag.name);
                TokenSinkResult::Continue
            }
        }
    }

    fn end_row(&mut self) {
        if self.place == Place::Body && self.templates == 0 {
            end_row(&mut self.visible.text);
        }
    }

    /// What a page says about itself; the first word counts.
    fn take_note(&mut self, tag: &Tag) {
        if self.templates > 0 {
            return;
        }
        let visible = &mut self.visible;
        let first = |note: &mut Option<String>, value: Option<&str>| {
            if note.is_none() {
                *note = value.map(|value| value.trim().to_owned()).filter(|value| !value.is_empty());
            }
        };
        match &*tag.name {
            "link" if is_canonical(tag) => first(&mut visible.canonical, attribute(tag, "href")),
            "base" => first(&mut visible.base, attribute(tag, "href")),
            "meta" => {
                first(&mut visible.refresh, refresh_in(tag));
                self.charset = self.charset.take().or_else(|| charset_in(tag));
            }
            _ => {}
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
            _ => TokenSinkResult::Continue,
        }
    }

    /// Pages may differ in what they show alone: a picture is a word of the text.
    fn take_picture(&mut self, tag: &Tag) {
        if let Some(picture) = picture(tag) {
            self.take(&format!(" {picture} "));
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

/// The value of an attribute.
pub(crate) fn attribute<'t>(tag: &'t Tag, name: &str) -> Option<&'t str> {
    tag.attrs.iter().find(|attribute| &*attribute.name.local == name).map(|attribute| &*attribute.value)
}

/// A word for what an element shows, the same for the same address.
fn picture(tag: &Tag) -> Option<String> {
    let is_shown = match &*tag.name {
        "img" | "video" | "audio" | "source" | "embed" | "iframe" | "object" => true,
        "input" => attribute(tag, "type") == Some("image"),
        _ => false,
    };
    let is_pixel = |side| attribute(tag, side).is_some_and(|pixels| matches!(pixels, "0" | "1"));
    if !is_shown || is_pixel("width") || is_pixel("height") {
        return None;
    }
    // Pages that load their pictures late have a blank one in its place.
    let source =
        ["data-src", "src", "data", "srcset"].into_iter().find_map(|name| attribute(tag, name))?.trim();
    let address = if source.starts_with("data:") { source } else { address(source) };
    // Letters alone, since numbers may be left out.
    let letters: String =
        format!("{:x}", xxh3_64(address.as_bytes())).bytes().map(|hex| char::from(hex % 26 + b'a')).collect();
    (!source.is_empty()).then(|| format!("picture{letters}"))
}

/// What tells a picture from others: not its host, which may be any of several, nor how far up its path begins. The query of a file is a
/// matter of caches; that of a script says which picture.
fn address(source: &str) -> &str {
    let whole = source.split('#').next().unwrap_or_default();
    let (path, _) = whole.split_once('?').unwrap_or((whole, ""));
    let file = path.rsplit('/').next().unwrap_or_default();
    let is_file = file
        .rsplit_once('.')
        .is_some_and(|(_, ending)| MEDIA_EXTENSIONS.iter().any(|file| file.eq_ignore_ascii_case(ending)));
    let kept = if is_file { path } else { whole };
    let from = path.rmatch_indices('/').nth(1).map_or(0, |(at, _)| at + 1);
    kept[from..].trim_start_matches(['.', '/'])
}

/// How the names of pictures, films and sounds end.
const MEDIA_EXTENSIONS: [&str; 14] =
    ["png", "jpg", "jpeg", "gif", "webp", "svg", "ico", "bmp", "avif", "mp4", "webm", "mp3", "ogg", "wav"];

/// The `content` of a `<meta>` that stands for this header.
fn meta_header<'t>(meta: &'t Tag, header: &str) -> Option<&'t str> {
    attribute(meta, "http-equiv").filter(|name| name.eq_ignore_ascii_case(header))?;
    attribute(meta, "content")
}

fn charset_in(meta: &Tag) -> Option<String> {
    let by_equivalent = || meta_header(meta, "content-type").and_then(charset_of);
    attribute(meta, "charset").or_else(by_equivalent).map(str::to_owned)
}

fn is_canonical(link: &Tag) -> bool {
    attribute(link, "rel")
        .is_some_and(|rel| rel.split_ascii_whitespace().any(|word| word.eq_ignore_ascii_case("canonical")))
}

/// `0; url=/there`, with or without quotes; none where it only loads the page again.
fn refresh_in(meta: &Tag) -> Option<&str> {
    let (delay, target) = meta_header(meta, "refresh")?.split_once([';', ','])?;
    let seconds: u32 = delay.split('.').next()?.trim().parse().ok()?;
    let target = target.trim_start();
    let named = target.get(..3).is_some_and(|name| name.eq_ignore_ascii_case("url"));
    let value = if named { target[3..].trim_start().strip_prefix('=')? } else { target };
    (seconds <= MAX_REFRESH_SECONDS).then(|| value.trim().trim_matches(['"', '\'']))
}

/// Appends text with each run of white space made one space, and none at the beginning.
fn append_collapsed(to: &mut String, text: &str) {
    for (place, word) in text.split(char::is_whitespace).enumerate() {
        if place > 0 && !to.is_empty() && !to.ends_with([' ', '\n']) {
            to.push(' ');
        }
        to.push_str(word);
    }
}

/// Ends a line; there are no empty ones. The text never becomes shorter: others hold places in it.
fn end_row(to: &mut String) {
    if to.ends_with(' ') {
        to.pop();
    }
    if !to.is_empty() && !to.ends_with('\n') {
        to.push('\n');
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
    fn what_a_page_says_about_itself() {
        let page = "<base href=/a/><LINK REL='nofollow Canonical' href=' /b?x=1&amp;y=2 '><link rel=canonical href=/second>
            <template><link rel=canonical href=/no></template><meta http-equiv=Refresh content=\"0; URL='/there'\">";
        let seen = visible(page, false);
        assert_eq!(seen.canonical.as_deref(), Some("/b?x=1&y=2"));
        assert_eq!((seen.base.as_deref(), seen.refresh.as_deref()), (Some("/a/"), Some("/there")));
        let refresh =
            |content: &str| visible(&format!("<meta http-equiv=refresh content='{content}'>"), false).refresh;
        assert_eq!(refresh("1;/there"), Some("/there".to_owned()));
        for none in ["5", "600; url=/there", "x; url=/there", "0; url=", "0; url /there"] {
            assert_eq!(refresh(none), None, "{none}");
        }
        assert_eq!(visible("<link rel=canonical href=/x />", true).canonical.as_deref(), Some("/x"));
    }

    fn main_text(html: &str) -> String {
        visible(html, false).main.trim_end().to_owned()
    }

    #[test]
    fn the_main_text_is_without_boilerplate() {
        let page = "<header>Site name</header><div id=topNav>Home <div>Search</div></div>
            <ul class='breadcrumbs x'><li>You are here</ul><main><header>Heading</header><p>The text.</p><div hidden>no</div></main>
            <div role=navigation>Next</div><div class='page_footer'>Imprint</div>";
        assert_eq!(main_text(page), "Heading The text.");
        assert_eq!(text(page), "Site name Home Search\nYou are here\nHeading The text. no Next Imprint");
    }

    #[test]
    fn the_main_element_holds_the_main_text() {
        let page = "<p>Latest news</p><div class=with-sidebar><main><p>The text.</p></main></div><p>More of us</p><main>And more.";
        assert_eq!(main_text(page), "The text. And more.");
        assert_eq!(main_text("<main></main><p>All stands elsewhere."), "All stands elsewhere.");
        assert_eq!(
            main_text("<main>One </main><main>two <main>three</main> four</main>five"),
            "One two three four"
        );
    }

    #[test]
    fn pictures_are_words_of_the_main_text() {
        let shows = |html: &str| main_text(&format!("<p>See {html} here"));
        assert_eq!(shows("<img src=/a.png?v=1>"), shows("<img src='/a.png?v=2' alt=x>"));
        assert_ne!(shows("<img src=/a.png>"), shows("<img src=/b.png>"));
        assert_ne!(
            shows("<img src=/blank.gif data-src=/a.png>"),
            shows("<img src=/blank.gif data-src=/b.png>")
        );
        for nothing in
            ["<img>", "<img src=''>", "<img src=/count.gif width=1>", "<template><img src=/a.png></template>"]
        {
            assert_eq!(shows(nothing), "See here", "{nothing}");
        }
        assert!(shows("<img src=/a.png>").chars().all(|c| !c.is_ascii_digit()));
    }

    #[test]
    fn boilerplate_that_holds_everything_is_none() {
        let wrapped = "<p>Ours</p><div class='content with-sidebar'><p>The text of it.</p><ul class=menu><li>Home</ul></div>";
        assert_eq!(main_text(wrapped), "Ours The text of it.");
        let unclosed = "<p>Before.</p><div class=menu>Home<p>The text.</p>";
        assert_eq!(main_text(unclosed), "Before. Home The text.");
    }

    #[test]
    fn blocks_end_words_and_inline_tags_do_not() {
        assert_eq!(text("<td>one</td><td>two</td>"), "one two");
        assert_eq!(text("one<br>two<li>three"), "one two\nthree");
        assert_eq!(text("<b>B</b>ees <a href=x>fl</a>y"), "Bees fly");
    }

    #[test]
    fn rows_are_lines() {
        let table = "<p>List\nof</p><table><tr><th>Name<th>Size<tr><td>a\n b</td><td>1</td></tr></table> end";
        assert_eq!(text(table), "List of\nName Size\na b 1\nend");
        assert_eq!(text("<ul><li>a<ul><li> b</li></ul></li> <li>c</ul>d"), "a\nb\nc\nd");
        assert_eq!(text("<dl><dt>a<dd>b<dt>c<dd>d</dl>"), "a b\nc d");
        assert_eq!(text("<pre>\n<b>a</b>  1\n\nb 2</pre>c\nd"), "a 1\nb 2\nc d");
        assert_eq!(text("<pre>Name Size<hr>a 1\nb 2\n<hr></pre>"), "Name Size\na 1\nb 2");
        assert_eq!(text("<pre>a<script>x\ny</script>\n<template>\n</template>b"), "a\nb");
        assert_eq!(text("<ul><li></ul>a"), "a");
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
    fn long_texts_without_tags_are_read_whole() {
        let long = "one two ".repeat(40_000);
        assert_eq!(text(&format!("<p>{long}")).len(), long.trim_end().len());
        assert_eq!(text(&format!("<pre title='>'>{long}")).len(), long.trim_end().len());
        assert!(text(&format!("<!-- {long} > {long} --><p>end")).ends_with("end"));
        assert_eq!(text(&format!("<script>for(i=0;i<n;i++){{}} '{long}';d.map(x=>x)</script><p>end")), "end");
        assert!(text(&format!("<pre>if a < b then {long} c > d</pre> end")).ends_with("c > d\nend"));
    }

    #[test]
    fn headings_stay() {
        assert_eq!(main_text("<header>Site <h1>Bees</h1> Search</header><p>The text."), "Bees The text.");
        assert_eq!(main_text("<h1>Bees</h1>Skip<main>The text.</main>"), "Bees The text.");
        assert_eq!(main_text("<h1></h1><nav>Home</nav><p>The text.<nav>Next</nav>"), "The text.");
        assert_eq!(
            main_text("<p>Text of it.<div class=menu><ul class=nav>x</div><p>More of it."),
            "Text of it.\nMore of it."
        );
    }

    #[test]
    fn a_tag_of_countless_attributes_ends_the_page() {
        let names: Vec<_> = (0..400_000).map(|i| format!("a{i}=\">\"")).collect();
        assert_eq!(text(&format!("one<a {}>two", names.join(" "))), "one");
        let picture = "A/b+".repeat(20_000);
        let seen = text(&format!("one<img src=\"data:image/png;base64,{picture}\">two"));
        assert!(seen.starts_with("one picture") && seen.ends_with(" two"), "{seen}");
    }
}
