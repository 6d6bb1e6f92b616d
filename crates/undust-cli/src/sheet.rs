//! What an evaluation has to say, put together once: as plain text, or as Markdown.

use std::io::Write;

use anyhow::Result;

use crate::output;
use crate::table::{Table, escape};

/// How it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    Text,
    Markdown,
}

/// Headings, tables and what explains them, in order.
#[derive(Default)]
pub(crate) struct Sheet {
    blocks: Vec<Block>,
}

enum Block {
    Heading(String),
    Text(String),
    Table(Table),
    Legend(Vec<(&'static str, String)>),
}

impl Sheet {
    pub(crate) fn new() -> Sheet {
        Sheet::default()
    }

    /// A table under a heading.
    #[cfg_attr(not(feature = "papers"), expect(dead_code, reason = "experiments use it"))]
    pub(crate) fn table(&mut self, heading: impl Into<String>, table: Table) {
        self.blocks.extend([Block::Heading(heading.into()), Block::Table(table)]);
    }

    /// A table that goes on about what was said before.
    pub(crate) fn more(&mut self, table: Table) {
        self.blocks.push(Block::Table(table));
    }

    pub(crate) fn text(&mut self, text: impl Into<String>) {
        self.blocks.push(Block::Text(text.into()));
    }

    /// Words of the tables, and what they mean.
    #[cfg_attr(not(feature = "papers"), expect(dead_code, reason = "experiments use it"))]
    pub(crate) fn legend<M: Into<String>>(&mut self, words: impl IntoIterator<Item = (&'static str, M)>) {
        let words = words.into_iter().map(|(word, meaning)| (word, meaning.into()));
        self.blocks.push(Block::Legend(words.collect()));
    }

    pub(crate) fn print(&self, style: Style) -> Result<()> {
        Ok(writeln!(output::stdout(), "{}", self.render(style))?)
    }

    fn render(&self, style: Style) -> String {
        let blocks: Vec<String> = self.blocks.iter().map(|block| block.render(style)).collect();
        blocks.join("\n\n")
    }
}

impl Block {
    fn render(&self, style: Style) -> String {
        match (self, style) {
            (Block::Heading(text) | Block::Text(text), Style::Text) => text.clone(),
            (Block::Heading(text), Style::Markdown) => format!("### {}", escape(text)),
            (Block::Text(text), Style::Markdown) => escape(text),
            (Block::Table(table), Style::Text) => table.text(),
            (Block::Table(table), Style::Markdown) => table.markdown(),
            (Block::Legend(words), _) => legend(words, style),
        }
    }
}

fn legend(words: &[(&str, String)], style: Style) -> String {
    // With the colon, and two spaces behind it.
    let width = words.iter().map(|(word, _)| word.chars().count() + 3).max().unwrap_or_default();
    let line = |(word, meaning): &(&str, String)| match style {
        Style::Text => format!("{:width$}{meaning}", format!("{word}:")),
        Style::Markdown => format!("- **{}**: {}", escape(word), escape(meaning)),
    };
    words.iter().map(line).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::plain;

    #[test]
    fn one_report_two_ways() {
        let mut report = Sheet::new();
        let mut table = plain(&["site"]);
        table.add_row(["a.com".to_owned()]);
        report.text("About a_b");
        report.table("Sites", table);
        report.legend([("site", "a domain"), ("p@10", "of ten")]);
        insta::assert_snapshot!(report.render(Style::Text), @"
        About a_b

        Sites

        site
        ──────
        a.com

        site:  a domain
        p@10:  of ten
        ");
        insta::assert_snapshot!(report.render(Style::Markdown), @r"
        About a\_b

        ### Sites

        | site |
        | --- |
        | a.com |

        - **site**: a domain
        - **p@10**: of ten
        ");
    }
}
