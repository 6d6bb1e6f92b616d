//! Pages of a made-up site: head, scripts, menu, and a body of paragraphs, lists and tables in words as frequent as in a
//! language.

use std::fmt::{self, Write};

use super::Random;

/// Different words.
const VOCABULARY: usize = 1 << 14;

const SYLLABLES: [&str; 24] = [
    "a", "ka", "men", "to", "ri", "ster", "ing", "lo", "be", "un", "per", "so", "ve", "tion", "mi", "da",
    "est", "po", "er", "na", "col", "hu", "ly", "gra",
];

/// `count` pages of `least` to `most` bytes, and a little more.
pub(crate) fn pages(count: usize, least: usize, most: usize) -> Vec<String> {
    let vocabulary = vocabulary();
    let mut random = Random(count as u64);
    let mut page = |number| {
        let size = least + random.below(most - least);
        Page { html: String::with_capacity(size + 2000), vocabulary: &vocabulary, random: &mut random }
            .made(number, size)
    };
    (0..count).map(&mut page).collect()
}

/// The more frequent, the shorter.
fn vocabulary() -> Vec<String> {
    let mut random = Random(1);
    let mut word = |rank: usize| {
        let syllables = 1 + (rank + 4).ilog2() as usize / 5 + random.below(2);
        (0..syllables).map(|_| SYLLABLES[random.below(SYLLABLES.len())]).collect()
    };
    (0..VOCABULARY).map(&mut word).collect()
}

struct Page<'v> {
    html: String,
    vocabulary: &'v [String],
    random: &'v mut Random,
}

impl Page<'_> {
    fn made(mut self, number: usize, size: usize) -> String {
        self.head(number);
        self.menu();
        self.html += "<main id=\"content\" class=\"col-8\">\n";
        while self.html.len() < size {
            match self.random.below(8) {
                0 => self.list(),
                1 => self.table(),
                _ => self.paragraph(),
            }
        }
        self.html += "</main>\n<footer class=\"site-footer\"><p>&copy; 2024 Example &middot; <a href=\"/imprint\">Imprint</a></p></footer>\n";
        self.html += "<script src=\"/static/app.js?v=3\" async></script>\n</body>\n</html>\n";
        self.html
    }

    fn head(&mut self, number: usize) {
        self.html += "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>";
        self.words(5);
        self.put(format_args!(
            "</title>\n<link rel=\"canonical\" href=\"https://www.example.org/page/{number}\">\n"
        ));
        self.html += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<link rel=\"stylesheet\" href=\"/static/style.css\">\n";
        self.html += "<style>body { margin: 0 } .col-8 > p { width: 66% }</style>\n<script>\n";
        for i in 0..4 {
            self.put(format_args!(
                "  window.q{i} = window.q{i} || []; if (a{i} < 3) {{ q{i}.push(['set', \"page\", '{number}']); }}\n"
            ));
        }
        self.html += "</script>\n</head>\n<body class=\"page page-inner\">\n";
    }

    fn menu(&mut self) {
        self.html += "<nav class=\"navbar\" role=\"navigation\"><ul>\n";
        for item in 0..8 {
            self.put(format_args!(
                "  <li class=\"nav-item\"><a class=\"nav-link\" href=\"/section/{item}\">"
            ));
            self.words(2);
            self.html += "</a></li>\n";
        }
        self.html += "</ul></nav>\n";
    }

    fn paragraph(&mut self) {
        self.html += "<p>";
        for _ in 0..2 + self.random.below(4) {
            let count = 6 + self.random.below(14);
            self.words(count);
            match self.random.below(6) {
                0 => self.html += ", <b>not</b> &quot;so&quot;",
                1 => self.link(),
                2 => {
                    let year = 1900 + self.random.below(120);
                    self.put(format_args!(" in {year}"));
                }
                _ => {}
            }
            self.html += ". ";
        }
        self.html += "</p>\n";
    }

    fn list(&mut self) {
        self.html += "<ul class=\"items\">\n";
        for _ in 0..3 + self.random.below(6) {
            self.html += "  <li>";
            self.link();
            self.words(4);
            self.html += "</li>\n";
        }
        self.html += "</ul>\n";
    }

    fn table(&mut self) {
        self.html += "<table class=\"data\" cellspacing=\"0\">\n";
        for _ in 0..3 + self.random.below(8) {
            self.html += "<tr class=\"row\">";
            for _ in 0..4 {
                self.html += "<td>";
                self.words(2);
                self.html += "</td>";
            }
            let number = self.random.below(10_000);
            self.put(format_args!("<td align=\"right\">{number}</td></tr>\n"));
        }
        self.html += "</table>\n";
    }

    fn link(&mut self) {
        let page = self.random.below(100_000);
        self.put(format_args!(" <a href=\"/page/{page}\" title=\""));
        self.words(2);
        self.html += "\">";
        self.words(2);
        self.html += "</a> ";
    }

    fn put(&mut self, part: fmt::Arguments) {
        self.html.write_fmt(part).expect("a string takes everything");
    }

    fn words(&mut self, count: usize) {
        for place in 0..count {
            let separator = if place == 0 { "" } else { " " };
            self.html += separator;
            let rank = self.rank();
            self.html += &self.vocabulary[rank];
        }
    }

    /// A word, by Zipf's law: the second as often as the next two, and as the next four.
    fn rank(&mut self) -> usize {
        let first = 1 << self.random.below(VOCABULARY.ilog2() as usize);
        first + self.random.below(first) - 1
    }
}
