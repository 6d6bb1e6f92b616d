//! Which tokens of a site are words of its own language (*function* tokens), and which are what the words are said about (*arguments*).
//!
//! A token in at least one of a hundred URLs is a word (SIGIR 2017, section 2.1). Names of parameters are words however rare they are: to
//! a model that knows `?print=1` only as "some parameter with some value", `?page=2` would be the same. What is left of a URL with every
//! argument replaced by its number is a *template*: the same few for all URLs of a site, and all that the network ever sees.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::intern::Interner;
use serde::{Deserialize, Serialize};

use super::tokens::{self, Delimiters, Token};
use super::{END, Id};

/// A URL with numbers for its tokens: words and delimiters have their own, arguments are counted from the left.
pub type Template = Vec<Id>;

/// A template as bytes, to be hashed.
pub fn bytes(template: &Template) -> Vec<u8> {
    template.iter().flat_map(|number| number.to_le_bytes()).collect()
}

/// URLs with more tokens than this are left alone: translating them would take long, and nothing can be learned from their like.
pub const MAX_TOKENS: usize = 64;

/// URLs with more arguments than this are left alone.
pub const MAX_ARGUMENTS: usize = 24;

/// The words of a site.
#[derive(Clone)]
pub struct Vocabulary {
    delimiters: Delimiters,
    words: Vec<Word>,
    /// The words again, in the same order.
    index: Interner,
}

/// A function token.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Word {
    /// Its text.
    pub text: String,
    /// How many URLs have it.
    pub count: u64,
    /// Whether it was seen as a scheme, as a host, and elsewhere.
    pub places: [bool; 3],
}

/// The place that a token has by its position in the URL.
fn place(position: usize) -> usize {
    position.min(2)
}

/// A URL taken apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// Its template.
    pub template: Template,
    /// Where its arguments stand, from the left.
    pub arguments: Vec<Range<usize>>,
}

impl Vocabulary {
    /// The words of a list of URLs: tokens that at least this share of them have. URLs of `constant` pages count as often as there are
    /// URLs that lead there: what these become must be said in words.
    pub fn learn<'u>(
        urls: impl Iterator<Item = &'u [u8]>,
        constant: &[(&'u [u8], u64)],
        least_share: f64,
        delimiters: Delimiters,
    ) -> Vocabulary {
        let mut seen: BTreeMap<&[u8], Seen> = BTreeMap::new();
        let (mut total, mut number) = (0, 0);
        let once = urls.inspect(|_| total += 1).map(|url| (url, 1));
        for (url, times) in once.chain(constant.iter().copied()) {
            number += 1;
            let mut names = Names::default();
            for (position, token) in delimiters.tokens(url).enumerate() {
                if let Token::Text(text) = token {
                    let seen = seen.entry(text).or_default();
                    seen.count += if seen.last == number { 0 } else { times };
                    seen.last = number;
                    seen.places[place(position)] = true;
                    seen.names += u64::from(names.is_name(token));
                }
                names.pass(token);
            }
        }
        let least = (least_share * f64::from(total)).max(MIN_WORD_URLS);
        let is_word = |seen: &Seen| seen.count as f64 >= least || seen.names as f64 >= MIN_WORD_URLS;
        let frequent = seen.into_iter().filter(|(_, seen)| is_word(seen));
        let word = |(text, Seen { count, places, .. }): (&[u8], Seen)| {
            Some(Word { text: str::from_utf8(text).ok()?.to_owned(), count, places })
        };
        let mut words: Vec<Word> = frequent.filter_map(word).collect();
        if words.len() > MAX_WORDS {
            words.sort_by(|a, b| (b.count, &a.text).cmp(&(a.count, &b.text)));
            words.truncate(MAX_WORDS);
            words.sort_by(|a, b| a.text.cmp(&b.text));
        }
        Vocabulary::new(delimiters, words)
    }

    /// A vocabulary of known words, which are distinct.
    pub fn new(delimiters: Delimiters, words: Vec<Word>) -> Vocabulary {
        let mut index = Interner::new();
        for word in &words {
            index.intern(word.text.as_bytes());
        }
        Vocabulary { delimiters, words, index }
    }

    /// What URLs are taken apart by.
    pub fn delimiters(&self) -> &Delimiters {
        &self.delimiters
    }

    /// The words, in the order of their numbers.
    pub fn words(&self) -> &[Word] {
        &self.words
    }

    /// How many numbers there are: the end, arguments, delimiters, words.
    pub fn size(&self) -> usize {
        usize::from(FIRST_DELIMITER) + self.delimiters.bytes().len() + self.words.len()
    }

    /// Take a URL apart; `false` if it is none, or too long.
    pub fn read(&self, url: &[u8], reading: &mut Reading) -> bool {
        let Reading { template, arguments } = reading;
        template.clear();
        arguments.clear();
        let first_word = FIRST_DELIMITER + self.delimiters.bytes().len() as Id;
        let mut tokens = self.delimiters.tokens(url);
        while let Some(token) = tokens.next() {
            let number = match token {
                Token::Delimiter(byte) => self.delimiter(byte),
                Token::Text(text) => self.index.find(text).map_or_else(
                    || {
                        let end = url.len() - tokens.bytes_left();
                        arguments.push(end - text.len()..end);
                        arguments.len() as Id
                    },
                    |word| first_word + word as Id,
                ),
            };
            if template.len() == MAX_TOKENS || arguments.len() > MAX_ARGUMENTS {
                return false;
            }
            template.push(number);
        }
        !template.is_empty()
    }

    fn delimiter(&self, byte: u8) -> Id {
        let known = self.delimiters.bytes();
        FIRST_DELIMITER + known.iter().position(|b| *b == byte).unwrap_or_default() as Id
    }

    /// Append the URL that a template is with the arguments of `url`.
    pub fn print(&self, template: &[Id], url: &[u8], arguments: &[Range<usize>], out: &mut Vec<u8>) {
        let token = |number: &Id| match self.meaning(*number) {
            Meaning::Argument(nth) => {
                Token::Text(arguments.get(nth).map_or(b"", |place| &url[place.clone()]))
            }
            Meaning::Delimiter(byte) => Token::Delimiter(byte),
            Meaning::Word(word) => Token::Text(word.text.as_bytes()),
        };
        tokens::print(template.iter().map(token), out);
    }

    /// A template as a person reads it: the URL with `{1}` for its first argument, and so on.
    pub fn show(&self, template: &[Id]) -> String {
        let (mut names, mut places) = (Vec::new(), Vec::new());
        for number in 1..=MAX_ARGUMENTS {
            let start = names.len();
            names.extend_from_slice(format!("{{{number}}}").as_bytes());
            places.push(start..names.len());
        }
        let mut out = Vec::new();
        self.print(template, &names, &places, &mut out);
        String::from_utf8_lossy(&out).into_owned()
    }

    /// What a number stands for.
    pub fn meaning(&self, number: Id) -> Meaning<'_> {
        if ARGUMENTS.contains(&number) {
            return Meaning::Argument(usize::from(number - ARGUMENTS.start));
        }
        let behind = usize::from(number.saturating_sub(FIRST_DELIMITER));
        let delimiters = self.delimiters.bytes();
        match delimiters.get(behind) {
            Some(byte) => Meaning::Delimiter(*byte),
            None => Meaning::Word(&self.words[behind - delimiters.len()]),
        }
    }

    /// Whether URLs of the template `source` can become `output`: it can be printed and read again, holds no argument that is not there, its scheme
    /// and host are such, and no parameter is dropped that might be any.
    pub fn fits(&self, source: &[Id], output: &[Id]) -> bool {
        let is_known = |number: &Id| {
            *number != END
                && usize::from(*number) < self.size()
                && (!ARGUMENTS.contains(number) || source.contains(number))
        };
        let in_place = |(position, number): (usize, &Id)| match self.meaning(*number) {
            Meaning::Argument(_) => source.get(position) == Some(number),
            Meaning::Word(word) => word.places[position],
            Meaning::Delimiter(_) => false,
        };
        let delimiter = |number: &Id| match self.meaning(*number) {
            Meaning::Delimiter(byte) => Some(byte),
            _ => None,
        };
        output.len() <= MAX_TOKENS
            && output.iter().all(is_known)
            && self.unknown_names(source).all(|name| output.contains(&name))
            && output.iter().enumerate().take(2).all(in_place)
            && tokens::is_well_formed(output.iter().map(delimiter))
    }
}

impl Vocabulary {
    /// The arguments of a template that are names of parameters.
    fn unknown_names(&self, template: &[Id]) -> impl Iterator<Item = Id> {
        let mut names = Names::default();
        template.iter().copied().filter(move |number| {
            let token = match self.meaning(*number) {
                Meaning::Delimiter(byte) => Token::Delimiter(byte),
                _ => Token::Text(b""),
            };
            let is_unknown = ARGUMENTS.contains(number) && names.is_name(token);
            names.pass(token);
            is_unknown
        })
    }
}

/// What is counted of a token.
#[derive(Default)]
struct Seen {
    /// URLs that have it, the last of them, and where.
    count: u64,
    last: u64,
    places: [bool; 3],
    /// How often it is the name of a parameter.
    names: u64,
}

/// Tells which tokens of a URL are names of parameters: those behind `?`, `&` and `;` of the query.
#[derive(Default)]
struct Names {
    in_query: bool,
    at_start: bool,
}

impl Names {
    fn is_name(&self, token: Token) -> bool {
        self.in_query && self.at_start && matches!(token, Token::Text(_))
    }

    fn pass(&mut self, token: Token) {
        self.in_query |= token == Token::Delimiter(b'?');
        self.at_start = matches!(token, Token::Delimiter(b'?' | b'&' | b';'));
    }
}

/// What a number of a template stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning<'v> {
    /// The n-th argument, from 0.
    Argument(usize),
    /// A delimiter.
    Delimiter(u8),
    /// A word.
    Word(&'v Word),
}

/// The numbers of arguments.
pub const ARGUMENTS: Range<Id> = END + 1..FIRST_DELIMITER;
const FIRST_DELIMITER: Id = MAX_ARGUMENTS as Id + 1;

/// Number of URLs that a token needs to be a word, however few URLs there are.
const MIN_WORD_URLS: f64 = 3.0;

/// More words than this are a sign that the share is too small; the network grows with them.
pub const MAX_WORDS: usize = 4000;

#[cfg(test)]
mod tests {
    use super::*;

    /// The words of a site of 1,000 pages, some of them with a parameter that four URLs have.
    fn vocabulary() -> Vocabulary {
        let page = |page: usize| match page {
            0..4 => format!("http://a.com/page/{page}?print=1"),
            _ => format!("http://a.com/page/{page}"),
        };
        let urls: Vec<String> = (0..1000).map(page).collect();
        Vocabulary::learn(urls.iter().map(String::as_bytes), &[], 0.01, Delimiters::new(b""))
    }

    fn template(vocabulary: &Vocabulary, url: &str) -> Template {
        let mut reading = Reading::default();
        assert!(vocabulary.read(url.as_bytes(), &mut reading));
        reading.template
    }

    #[test]
    fn arguments_are_counted_and_put_back() {
        let vocabulary = vocabulary();
        let url = b"http://a.com/page/7/x?print=y";
        let mut reading = Reading::default();
        assert!(vocabulary.read(url, &mut reading));
        assert_eq!(vocabulary.show(&reading.template), "http://a.com/page/{1}/{2}?print={3}");
        let mut out = Vec::new();
        vocabulary.print(&reading.template, url, &reading.arguments, &mut out);
        assert_eq!(out, url);
    }

    #[test]
    fn no_parameter_is_dropped_that_might_be_any() {
        let vocabulary = vocabulary();
        let template = |url| template(&vocabulary, url);
        let page = template("http://a.com/page/7");
        assert!(vocabulary.fits(&template("http://a.com/page/7?print=1"), &page));
        assert!(!vocabulary.fits(&template("http://a.com/page/7?offset=1"), &page));
        assert!(!vocabulary.fits(&template("http://a.com/page/7?print=1&offset"), &page));
    }

    #[test]
    fn only_what_makes_a_url_fits() {
        let vocabulary = vocabulary();
        let page = template(&vocabulary, "http://a.com/page/7");
        let (scheme, host, argument) = (page[0], page[1], page[3]);
        assert!(vocabulary.fits(&page, &[scheme, host]));
        for output in [
            vec![],
            vec![host, scheme],
            vec![scheme, argument],
            vec![scheme, host, argument + 1],
            vec![scheme, host, END],
        ] {
            assert!(!vocabulary.fits(&page, &output), "{output:?}");
        }
    }

    #[test]
    fn long_urls_are_left_alone() {
        let (vocabulary, mut reading) = (vocabulary(), Reading::default());
        assert!(!vocabulary.read(format!("http://a.com/{}", "page/".repeat(100)).as_bytes(), &mut reading));
        assert!(!vocabulary.read(format!("http://a.com/{}", "x/".repeat(30)).as_bytes(), &mut reading));
        assert!(!vocabulary.read(b"no URL", &mut reading));
    }
}
