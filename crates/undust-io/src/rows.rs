//! Pages to tables: what was found out about pages, in a form that [`read`](crate::read()) reads.

use std::io::{self, Write};

use undust::page::Page;

use crate::Format;
use crate::formats::Column;

/// Writes pages as a table, TSV or JSON lines, with the columns of which something is known; bodies and texts are left out.
///
/// # Errors
///
/// Those of `out`; [`io::ErrorKind::Unsupported`] for any other format.
pub fn write_pages<'p>(
    out: &mut dyn Write,
    pages: impl Iterator<Item = &'p Page> + Clone,
    format: Format,
) -> io::Result<()> {
    let used = |column: &Column| {
        matches!(column, Column::Url | Column::Cluster)
            || pages.clone().any(|page| column.value(page).is_some())
    };
    let columns: Vec<Column> = Column::WRITTEN.into_iter().filter(used).collect();
    match format {
        Format::Tsv => write_tsv(out, &columns, pages),
        Format::Jsonl => pages.into_iter().try_for_each(|page| write_object(out, &columns, page)),
        _ => Err(io::Error::new(io::ErrorKind::Unsupported, format!("pages are not written as {format}"))),
    }
}

fn write_tsv<'p>(
    out: &mut dyn Write,
    columns: &[Column],
    pages: impl Iterator<Item = &'p Page>,
) -> io::Result<()> {
    let names: Vec<_> = columns.iter().map(|column| column.name()).collect();
    writeln!(out, "{}", names.join("\t"))?;
    for page in pages {
        for (i, column) in columns.iter().enumerate() {
            if i > 0 {
                out.write_all(b"\t")?;
            }
            match column {
                Column::Url => out.write_all(&url_cell(&page.url))?,
                _ => out.write_all(cell(column.value(page)).as_bytes())?,
            }
        }
        out.write_all(b"\n")?;
    }
    Ok(())
}

/// No cell may hold what separates cells and rows.
fn cell(value: Option<String>) -> String {
    let value = value.unwrap_or_default();
    if value.contains(['\t', '\n', '\r']) { value.replace(['\t', '\n', '\r'], " ") } else { value }
}

/// A URL with such bytes is the same URL with them escaped.
fn url_cell(url: &[u8]) -> Vec<u8> {
    let mut cell = Vec::with_capacity(url.len());
    for &byte in url {
        match byte {
            b'\t' => cell.extend(b"%09"),
            b'\n' => cell.extend(b"%0A"),
            b'\r' => cell.extend(b"%0D"),
            _ => cell.push(byte),
        }
    }
    cell
}

fn write_object(out: &mut dyn Write, columns: &[Column], page: &Page) -> io::Result<()> {
    out.write_all(b"{\"url\": ")?;
    write_bytes(out, &page.url)?;
    for column in columns {
        if let Some(value) = column.value(page) {
            write!(out, ", \"{}\": ", column.name())?;
            match column {
                Column::Size | Column::Status | Column::Importance | Column::Sitemap => {
                    out.write_all(value.as_bytes())?;
                }
                _ => serde_json::to_writer(&mut *out, &value)?,
            }
        }
    }
    out.write_all(b"}\n")
}

/// A JSON string of bytes that may not be UTF-8, as the reader takes it back.
fn write_bytes(out: &mut dyn Write, bytes: &[u8]) -> io::Result<()> {
    out.write_all(b"\"")?;
    for &byte in bytes {
        match byte {
            b'"' | b'\\' => out.write_all(&[b'\\', byte])?,
            0..0x20 => write!(out, "\\u{byte:04x}")?,
            _ => out.write_all(&[byte])?,
        }
    }
    out.write_all(b"\"")
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;
    use crate::{Input, ReadOptions, read_input};

    fn written(pages: &[Page], format: Format) -> Vec<u8> {
        let mut out = Vec::new();
        write_pages(&mut out, pages.iter(), format).unwrap();
        out
    }

    fn read_back(text: Vec<u8>) -> Vec<Page> {
        let mut pages = Vec::new();
        let input = Input::new("written", Cursor::new(text)).unwrap();
        read_input(input, &ReadOptions::default(), &mut |page| pages.push(page)).unwrap();
        pages
    }

    #[test]
    fn what_is_written_is_read_back() {
        let pages = [
            Page {
                cluster: Some("c1".into()),
                simhash: Some(255),
                ..Page::new(b"http://a.org/\xff\"\\".to_vec())
            },
            Page {
                cluster: Some("c2".into()),
                status: Some(301),
                size: Some(7),
                title: Some("\"Käse\" \\".into()),
                importance: Some(0.25),
                sitemap: Some(true),
                redirect: Some("http://a.org/".into()),
                ..Page::new("http://a.org/2")
            },
        ];
        for format in [Format::Tsv, Format::Jsonl] {
            assert_eq!(read_back(written(&pages, format)), pages, "{format}");
        }
    }

    #[test]
    fn only_known_columns_are_written_and_rows_stay_rows() {
        let page = Page {
            title: Some("one\ttwo\nthree".into()),
            text: Some("x".into()),
            ..Page::new("http://a.org/\t")
        };
        let table = String::from_utf8(written(&[page], Format::Tsv)).unwrap();
        assert_eq!(table, "url\tcluster\ttitle\nhttp://a.org/%09\t\tone two three\n");
        let mut out = Vec::new();
        assert!(write_pages(&mut out, [].iter(), Format::Warc).is_err());
    }
}
