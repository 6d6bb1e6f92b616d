//! Tables that fit the terminal, and stay plain text elsewhere.

use comfy_table::{CellAlignment, ContentArrangement, Table, presets};

/// Wide enough for a template, narrow enough to read, where there is no terminal to ask.
const DEFAULT_WIDTH: u16 = 120;

/// An empty table with these columns.
pub(crate) fn table(columns: &[&str]) -> Table {
    let width = terminal_size::terminal_size().map_or(DEFAULT_WIDTH, |(width, _)| width.0);
    let mut table = Table::new();
    table
        .load_style(presets::UTF8_HORIZONTAL_ONLY)
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_width(width.max(60))
        .set_header(columns.to_vec());
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
