//! Tables that fit the terminal, and stay plain text elsewhere.

use comfy_table::{CellAlignment, ContentArrangement, LineStyle, Table, TableStyle};

/// Wide enough for a template, narrow enough to read, where there is no terminal to ask.
const DEFAULT_WIDTH: u16 = 100;

const LINE: LineStyle = LineStyle::none().fill('─').junction('─');

/// Rows of one line need no line between them.
const PLAIN: TableStyle = TableStyle::new().header_separator(LINE);

/// Cells that wrap would run into each other without one.
const RULED: TableStyle = PLAIN.row_separator(LINE);

/// An empty table with these columns, whose rows are short.
pub(crate) fn plain(columns: &[&str]) -> Table {
    table(columns, PLAIN)
}

/// An empty table with these columns, whose cells may wrap.
pub(crate) fn ruled(columns: &[&str]) -> Table {
    table(columns, RULED)
}

fn table(columns: &[&str], style: TableStyle) -> Table {
    let width = terminal_size::terminal_size().map_or(DEFAULT_WIDTH, |(width, _)| width.0);
    let mut table = Table::new();
    table
        .load_style(style)
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_width(width.max(60))
        .set_header(columns.to_vec());
    for column in table.column_iter_mut() {
        column.set_padding((0, 1));
    }
    table
}

/// Numbers line up on the right.
pub(crate) fn align_right(table: &mut Table, columns: std::ops::Range<usize>) {
    for column in columns {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
}
