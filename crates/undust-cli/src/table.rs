//! Tables that fit the terminal, stay plain text elsewhere, or are Markdown.

use std::fmt::Write;

use comfy_table::{CellAlignment, ContentArrangement, LineStyle, TableStyle};

/// Wide enough for a template, narrow enough to read, where there is no terminal to ask.
const DEFAULT_WIDTH: u16 = 100;

const LINE: LineStyle = LineStyle::none().fill('─').junction('─');

/// Rows of one line need no line between them.
const PLAIN: TableStyle = TableStyle::new().header_separator(LINE);

/// Cells that wrap would run into each other without one.
const RULED: TableStyle = PLAIN.row_separator(LINE);

/// Rows and columns, to be rendered in any way.
pub(crate) struct Table {
    style: TableStyle,
    columns: Vec<String>,
    /// Numbers line up on the right.
    right: Vec<bool>,
    rows: Vec<Vec<String>>,
}

/// An empty table with these columns, whose rows are short.
pub(crate) fn plain(columns: &[&str]) -> Table {
    Table::new(columns, PLAIN)
}

/// An empty table with these columns, whose cells may wrap.
pub(crate) fn ruled(columns: &[&str]) -> Table {
    Table::new(columns, RULED)
}

/// Numbers line up on the right.
pub(crate) fn align_right(table: &mut Table, columns: std::ops::Range<usize>) {
    for is_right in table.right.iter_mut().take(columns.end).skip(columns.start) {
        *is_right = true;
    }
}

impl Table {
    fn new(columns: &[&str], style: TableStyle) -> Table {
        let columns: Vec<String> = columns.iter().map(ToString::to_string).collect();
        Table { style, right: vec![false; columns.len()], columns, rows: Vec::new() }
    }

    pub(crate) fn add_row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }

    #[cfg_attr(not(feature = "papers"), expect(dead_code, reason = "experiments use it"))]
    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// As wide as the terminal at most.
    pub(crate) fn text(&self) -> String {
        let width = terminal_size::terminal_size().map_or(DEFAULT_WIDTH, |(width, _)| width.0);
        let mut table = comfy_table::Table::new();
        table
            .load_style(self.style)
            .set_content_arrangement(ContentArrangement::Dynamic)
            .set_width(width.max(60))
            .set_header(&self.columns)
            .add_rows(&self.rows);
        for (column, is_right) in table.column_iter_mut().zip(&self.right) {
            column.set_padding((0, 1));
            if *is_right {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        table.trim_fmt()
    }

    /// As GitHub reads it.
    pub(crate) fn markdown(&self) -> String {
        let mut out = String::new();
        write_row(&mut out, self.columns.iter().map(|name| escape(name)));
        write_row(&mut out, self.right.iter().map(|right| if *right { "---:" } else { "---" }.to_owned()));
        for row in &self.rows {
            write_row(&mut out, row.iter().map(|cell| escape(cell)));
        }
        out.pop();
        out
    }
}

fn write_row(out: &mut String, cells: impl Iterator<Item = String>) {
    out.push('|');
    for cell in cells {
        // Writing to a string cannot fail.
        let _ = write!(out, " {cell} |");
    }
    out.push('\n');
}

/// `text` in Markdown, where it means itself, also within a table.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => out.push_str("<br>"),
            '\\' | '|' | '*' | '_' | '`' | '<' | '[' | ']' | '~' => out.extend(['\\', c]),
            _ => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_table_two_ways() {
        let mut table = plain(&["rule", "URLs"]);
        table.add_row(["a|b\\*\nc_d".to_owned(), "7".to_owned()]);
        table.add_row([String::new(), "12".to_owned()]);
        align_right(&mut table, 1..2);
        insta::assert_snapshot!(table.text(), @r"
        rule   URLs
        ────────────
        a|b\*     7
        c_d
                 12
        ");
        insta::assert_snapshot!(table.markdown(), @r"
        | rule | URLs |
        | --- | ---: |
        | a\|b\\\*<br>c\_d | 7 |
        |  | 12 |
        ");
    }
}
