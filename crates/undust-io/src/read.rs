//! Reading pages: from a file of any format to a sink, in file order, with an account of every line.

use std::path::{Path, PathBuf};

use undust::page::Page;

use crate::Format;
use crate::blocks::{Block, MAX_LINE_BYTES, lines, map_blocks};
use crate::error::{LineError, ReadError, ReadErrorKind};
#[cfg(feature = "arrow")]
use crate::formats::Header;
use crate::formats::{
    Csv, Fault, Folder, LineFormat, Outcome, Parsed, Record, Records, SavedFile, is_blank, line_format,
};
#[cfg(feature = "parquet")]
use crate::in_order::flat_map_in_order;
use crate::in_order::{Batches, map_in_order};
use crate::input::{Input, open};
#[cfg(feature = "parquet")]
use crate::parquet::RowGroup;
use crate::problems::{Problem, Problems, shown};
#[cfg(feature = "arrow")]
use crate::table::{Table, outcomes};

/// Longest URL; a longer one is a bad line.
const MAX_URL_BYTES: usize = 65_536;

/// Options of a reader.
#[derive(Clone, Debug)]
pub struct ReadOptions {
    /// The format, where it is not to be recognised by content.
    pub format: Option<Format>,
    /// The host that logs and folders leave out: `www.example.org` or `https://www.example.org:8080`.
    pub host: Option<String>,
    /// Stop at the first bad line.
    pub strict: bool,
    /// Number of threads that parse.
    pub threads: usize,
    /// Most bytes that are read of the body of a page in a web archive or a folder.
    pub max_body: u64,
}

impl Default for ReadOptions {
    fn default() -> ReadOptions {
        ReadOptions { format: None, host: None, strict: false, threads: 1, max_body: 8 * 1024 * 1024 }
    }
}

/// Counts of the lines of one input: each is a page, left out, or a problem.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Summary {
    /// The input as the user named it; `-` is standard input.
    pub file: PathBuf,
    /// The format it was read as.
    pub format: Format,
    /// All lines; for CSV and WARC, records; for folders, files and what else is there. See [`Format::unit`].
    pub lines: u64,
    /// The lines that held a page.
    pub pages: u64,
    /// The lines that are fine but hold no page: headers, comments, blanks, DNS lookups, other requests than GET.
    pub left_out: u64,
    /// The lines that could not be read.
    pub problems: Problems,
    /// The pages that are longer than `max_body`, and of which only the beginning was read.
    pub cut: u64,
    /// [`ReadOptions::max_body`].
    pub max_body: u64,
}

/// Read the pages of a file, or of standard input for `-`, into `sink`, in file order whatever the number of threads.
pub fn read(path: &Path, options: &ReadOptions, sink: &mut dyn FnMut(Page)) -> Result<Summary, ReadError> {
    read_input(open(path)?, options, sink)
}

/// Read the pages of an opened input, as [`read`] does.
pub fn read_input(
    input: Input,
    options: &ReadOptions,
    sink: &mut dyn FnMut(Page),
) -> Result<Summary, ReadError> {
    try_read_input(input, options, &mut |page| {
        sink(page);
        Ok(())
    })
}

/// Read the pages of an opened input into a sink that may fail: its first error ends the run, however long the input.
pub fn try_read_input<E: From<ReadError>>(
    input: Input,
    options: &ReadOptions,
    sink: &mut dyn FnMut(Page) -> Result<(), E>,
) -> Result<Summary, E> {
    try_read_prepared(input, options, &|_| {}, sink)
}

/// As [`try_read_input`], but each page is shown to `prepare` first, in the thread that parsed it: work on one page, such as
/// reading its HTML, is done side by side, and what is not needed any more need not be held.
pub fn try_read_prepared<E: From<ReadError>>(
    mut input: Input,
    options: &ReadOptions,
    prepare: &(dyn Fn(&mut Page) + Sync),
    sink: &mut dyn FnMut(Page) -> Result<(), E>,
) -> Result<Summary, E> {
    let format = options.format.map_or_else(|| input.format(), Ok)?;
    let max_body = usize::try_from(options.max_body).unwrap_or(usize::MAX);
    let file = File { name: input.name().into(), strict: options.strict };
    let reading = Reading { file: &file, prepare, threads: options.threads };
    let mut summary = Summary::new(input.name(), format, options);
    let take = |batch| summary.take(batch, sink);
    #[cfg(feature = "arrow")]
    if let Some(table) = input.take_table() {
        reading.table(table, take)?;
        return Ok(summary);
    }
    if format == Format::Parquet {
        reading.parquet(input, take)?;
        return Ok(summary);
    }
    if format == Format::Folder {
        let folder = Folder::new(input.name(), options.host.as_deref())?;
        let read = |file| folder.read(file, max_body);
        reading.items(folder.files()?, |_| SavedFile::WEIGHT, read, take)?;
        return Ok(summary);
    }
    let head = input.head()?;
    // No line, no header to miss: an empty input is an empty table.
    let parsed_as = if is_blank(&head) { Format::Urls } else { format };
    match line_format(parsed_as, &head, options).map_err(|kind| file.error(None, kind))? {
        Some(format) => reading.lines(input, &*format, take)?,
        None if parsed_as == Format::Warc => {
            let records = Records::new(input, max_body);
            reading.items(records, Record::weight, |record| record.read(max_body), take)?;
        }
        None => reading.csv(Csv::new(input, &head)?, take)?,
    }
    Ok(summary)
}

/// How an input is read, whatever its format.
struct Reading<'r> {
    file: &'r File,
    prepare: &'r (dyn Fn(&mut Page) + Sync),
    threads: usize,
}

impl Reading<'_> {
    fn lines<E: From<ReadError>>(
        &self,
        input: Input,
        format: &dyn LineFormat,
        mut sink: impl FnMut(Batch) -> Result<(), E>,
    ) -> Result<(), E> {
        let outcomes = |block: &Block| {
            let lines = (block.first_line..).zip(lines(&block.data));
            self.batch(lines.map(|(number, line)| Outcome {
                number,
                parsed: parse_line(format, line),
                cut: false,
            }))
        };
        map_blocks(input, self.threads, |block| outcomes(&block), |batch| sink(batch?))
    }

    fn csv<E: From<ReadError>>(
        &self,
        csv: Csv,
        mut sink: impl FnMut(Batch) -> Result<(), E>,
    ) -> Result<(), E> {
        sink(Batch { lines: 1, left_out: 1, ..Batch::default() })?;
        let weight = |outcome: &Outcome| match &outcome.parsed {
            Ok(Some(page)) => page.memory_bytes() as usize,
            _ => 64,
        };
        self.items(csv, weight, |outcome| outcome, sink)
    }

    #[cfg(feature = "arrow")]
    fn table<E: From<ReadError>>(
        &self,
        table: Table,
        mut sink: impl FnMut(Batch) -> Result<(), E>,
    ) -> Result<(), E> {
        let (header, batches) = table.into_parts();
        let work = |(first_row, batch)| self.rows(&header, first_row, &batch);
        map_in_order(batches, self.threads, work, |batch| sink(batch?))
    }

    /// Row groups side by side.
    #[cfg(feature = "parquet")]
    fn parquet<E: From<ReadError>>(
        &self,
        input: Input,
        mut sink: impl FnMut(Batch) -> Result<(), E>,
    ) -> Result<(), E> {
        let parquet = &input.into_parquet()?;
        let names = parquet.schema().fields().iter().map(|field| field.name().as_bytes());
        let (header, columns) = Header::new(names).map_err(|kind| self.file.error(None, kind))?.known();
        let batches = |group: RowGroup| {
            let mut row = group.first_row;
            let rows = parquet.rows(&group, &columns)?;
            Ok(rows.map(move |batch| {
                let batch = batch.map_err(|kind| parquet.error(Some(row), kind))?;
                let first_row = row;
                row += batch.num_rows() as u64;
                Ok((first_row, batch))
            }))
        };
        let work = |group: RowGroup, give: &mut dyn FnMut(Result<Batch, ReadError>) -> bool| {
            let one = |batch: Result<_, ReadError>| {
                let (first_row, batch) = batch?;
                self.rows(&header, first_row, &batch)
            };
            match batches(group) {
                Ok(batches) => drop(batches.map(one).all(give)),
                Err(error) => drop(give(Err(error))),
            }
        };
        flat_map_in_order(parquet.row_groups(), self.threads, work, |batch| sink(batch?))
    }

    #[cfg(not(feature = "parquet"))]
    fn parquet<E: From<ReadError>>(&self, _: Input, _: impl FnMut(Batch) -> Result<(), E>) -> Result<(), E> {
        let what = ReadErrorKind::NotRecognised(
            "a Parquet file, and this build has no Parquet: build with --features parquet",
        );
        Err(self.file.error(None, what).into())
    }

    /// What became of the rows of a table.
    #[cfg(feature = "arrow")]
    fn rows(
        &self,
        header: &Header,
        first_row: u64,
        batch: &arrow_array::RecordBatch,
    ) -> Result<Batch, ReadError> {
        let rows = outcomes(header, first_row, batch).map_err(|kind| self.file.error(None, kind))?;
        self.batch(rows.into_iter())
    }

    /// What is read one by one: in batches of about the same weight.
    fn items<I: Send, E: From<ReadError>>(
        &self,
        items: impl Iterator<Item = Result<I, ReadError>> + Send,
        weigh: impl Fn(&I) -> usize + Send,
        read: impl Fn(I) -> Outcome + Sync,
        mut sink: impl FnMut(Batch) -> Result<(), E>,
    ) -> Result<(), E> {
        let work = |items: Vec<I>| self.batch(items.into_iter().map(&read));
        map_in_order(Batches::new(items, weigh), self.threads, work, |batch| sink(batch?))
    }

    /// Take account of some lines. Fails where one of them must end the run.
    fn batch(&self, outcomes: impl Iterator<Item = Outcome>) -> Result<Batch, ReadError> {
        let mut batch = Batch::default();
        for outcome in outcomes {
            batch.add(self, outcome)?;
        }
        Ok(batch)
    }
}

fn parse_line(format: &dyn LineFormat, line: &[u8]) -> Parsed {
    if line.len() > MAX_LINE_BYTES {
        return Err(LineError::LineTooLong { max: MAX_LINE_BYTES, line: shown(line) }.into());
    }
    if is_blank(line) { Ok(None) } else { format.parse(line) }
}

/// What the account of a line needs to know of its file.
struct File {
    name: PathBuf,
    strict: bool,
}

impl File {
    fn error(&self, line: Option<u64>, kind: ReadErrorKind) -> ReadError {
        ReadError { file: self.name.clone(), line, kind }
    }
}

/// What became of some lines.
#[derive(Default)]
struct Batch {
    lines: u64,
    left_out: u64,
    cut: u64,
    pages: Vec<Page>,
    problems: Problems,
}

impl Batch {
    /// Take account of one line. Fails where the line must end the run.
    fn add(&mut self, reading: &Reading<'_>, outcome: Outcome) -> Result<(), ReadError> {
        let (file, line) = (reading.file, outcome.number);
        self.lines += 1;
        match outcome.parsed.and_then(checked) {
            Ok(Some(mut page)) => {
                if let Some(body) = &mut page.body {
                    body.cut = outcome.cut;
                }
                (reading.prepare)(&mut page);
                self.pages.push(page);
                self.cut += u64::from(outcome.cut);
            }
            Ok(None) => self.left_out += 1,
            Err(Fault::NeedsHost(target)) => {
                return Err(file.error(Some(line), ReadErrorKind::NeedsHost(target)));
            }
            Err(Fault::Bad(error)) if file.strict => {
                return Err(file.error(Some(line), ReadErrorKind::BadLine(error)));
            }
            Err(Fault::Bad(error)) => self.problems.add(Problem { file: file.name.clone(), line, error }),
        }
        Ok(())
    }
}

/// What holds for the URL of a page of any format.
fn checked(page: Option<Page>) -> Parsed {
    if let Some(page) = &page {
        checked_url(&page.url)?;
    }
    Ok(page)
}

/// What is wrong with a URL in any case.
pub(crate) fn checked_url(url: &[u8]) -> Result<(), LineError> {
    match url {
        [] => Err(LineError::NoUrl),
        _ if url.len() > MAX_URL_BYTES => Err(LineError::UrlTooLong { max: MAX_URL_BYTES, url: shown(url) }),
        _ => Ok(()),
    }
}

impl Summary {
    pub(crate) fn new(file: &Path, format: Format, options: &ReadOptions) -> Summary {
        let problems = Problems::default();
        let max_body = options.max_body;
        Summary { file: file.into(), format, lines: 0, pages: 0, left_out: 0, problems, cut: 0, max_body }
    }

    fn take<E>(&mut self, batch: Batch, sink: &mut dyn FnMut(Page) -> Result<(), E>) -> Result<(), E> {
        self.lines += batch.lines;
        self.left_out += batch.left_out;
        self.cut += batch.cut;
        self.pages += batch.pages.len() as u64;
        self.problems.merge(batch.problems);
        batch.pages.into_iter().try_for_each(sink)
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Read, Write};

    use proptest::prelude::*;

    use super::*;

    fn read_bytes(data: &[u8], options: &ReadOptions) -> Result<(Summary, Vec<Page>), ReadError> {
        let mut pages = Vec::new();
        let input = Input::new("sample", Cursor::new(data.to_vec()))?;
        let summary = read_input(input, options, &mut |page| pages.push(page))?;
        Ok((summary, pages))
    }

    fn as_format(format: Format) -> ReadOptions {
        ReadOptions { format: Some(format), host: Some("a.org".into()), ..ReadOptions::default() }
    }

    fn urls(pages: &[Page]) -> Vec<&str> {
        pages.iter().map(|page| str::from_utf8(&page.url).unwrap()).collect()
    }

    #[test]
    fn every_line_is_accounted_for() {
        let text = "\u{feff}\nurl\tsize\r\nhttp://a/\t1\r\n\r\nhttp://b/\tx\n\t3\nhttp://c/";
        let (summary, pages) = read_bytes(text.as_bytes(), &ReadOptions::default()).unwrap();
        assert_eq!(urls(&pages), ["http://a/", "http://c/"]);
        assert_eq!((summary.format, summary.lines, summary.pages, summary.left_out), (Format::Tsv, 7, 2, 3));
        let problems: Vec<String> = summary.problems.samples.iter().map(Problem::to_string).collect();
        assert_eq!(problems, ["sample:5: 'x' is no valid size", "sample:6: no URL"]);
    }

    #[test]
    fn strict_reading_stops_at_the_first_bad_line() {
        let text: String =
            (0..200_000).map(|i| if i < 150_000 { "http://a/\t1\n" } else { "\t\n" }).collect();
        for threads in [1, 4] {
            let options = ReadOptions { strict: true, threads, ..ReadOptions::default() };
            let error = read_bytes(format!("url\tsize\n{text}").as_bytes(), &options).unwrap_err();
            assert_eq!(error.to_string(), "sample:150002: no URL");
        }
    }

    #[test]
    fn a_failing_sink_ends_an_endless_input() {
        let endless = (&b"http://a/\n"[..]).chain(std::io::repeat(b'\n'));
        let input = Input::new("endless", endless).unwrap();
        let options = ReadOptions::default();
        let stop = || ReadError { file: "sink".into(), line: None, kind: ReadErrorKind::Truncated };
        let error = try_read_input(input, &options, &mut |_| Err(stop())).unwrap_err();
        assert_eq!(error.file, Path::new("sink"));
    }

    #[test]
    fn csv_with_newlines_in_cells() {
        let text =
            "title,URL,size\r\n\"a, b\nc\",http://a/,1\nx\n,http://b/,big\n-,http://c/\ntitle,URL,size\n";
        let (summary, pages) = read_bytes(text.as_bytes(), &ReadOptions::default()).unwrap();
        assert_eq!(pages[0].title.as_deref(), Some("a, b\nc"));
        assert_eq!(urls(&pages), ["http://a/", "http://c/"]);
        assert_eq!((summary.format, summary.lines, summary.pages, summary.left_out), (Format::Csv, 6, 2, 2));
        let problems: Vec<String> = summary.problems.samples.iter().map(Problem::to_string).collect();
        assert_eq!(problems, ["sample:4: no URL", "sample:5: 'big' is no valid size"]);
    }

    #[test]
    fn inputs_that_cannot_be_read() {
        let fails = |data: &[u8], options: &ReadOptions| read_bytes(data, options).unwrap_err().to_string();
        let plain = ReadOptions::default();
        assert_eq!(fails(b"\x7fELF\0", &plain), "sample: format not recognised: this looks like binary data");
        for (format, header) in [(Format::Tsv, &b"link\tsize\n"[..]), (Format::Csv, b"link,size\n")] {
            let message = "sample: the header 'link, size' has no column 'url'";
            assert_eq!(fails(header, &as_format(format)), message);
        }
        assert_eq!(
            fails(b"\nh - - [t] \"GET /a HTTP/1.0\" 200 1\n", &plain),
            "sample:2: the log does not say which host '/a' belongs to: give it with --host www.example.org"
        );
    }

    #[test]
    fn nothing_is_no_error() {
        // A Parquet file without rows is no empty file.
        let others = [Format::Folder, Format::Parquet];
        for format in Format::ALL.into_iter().filter(|format| !others.contains(format)) {
            for empty in ["", "\n \n"] {
                let (summary, _) = read_bytes(empty.as_bytes(), &as_format(format)).unwrap();
                assert_eq!((summary.format, summary.pages, summary.problems.count), (format, 0, 0));
            }
        }
        assert_eq!(read_bytes(b"", &ReadOptions::default()).unwrap().0.format, Format::Urls);
    }

    #[test]
    fn long_lines_work_and_endless_urls_do_not() {
        let page = serde_json::json!({"url": "http://a/", "html": "x".repeat(10_000_000)});
        let (_, pages) = read_bytes(page.to_string().as_bytes(), &ReadOptions::default()).unwrap();
        assert_eq!(pages[0].body.as_ref().map(|body| body.bytes.len()), Some(10_000_000));

        let list = format!("http://{}\nhttp://a/\n", "x".repeat(MAX_URL_BYTES));
        let (summary, pages) = read_bytes(list.as_bytes(), &ReadOptions::default()).unwrap();
        assert_eq!(urls(&pages), ["http://a/"]);
        assert!(
            summary.problems.samples[0]
                .error
                .to_string()
                .starts_with("URL longer than 65536 bytes: 'http://xxx")
        );

        let endless = vec![b'x'; MAX_LINE_BYTES + 10];
        let (summary, _) = read_bytes(&endless, &as_format(Format::Urls)).unwrap();
        assert!(summary.problems.samples[0].error.to_string().starts_with("line longer than 67108864 bytes"));
    }

    #[test]
    fn truncated_gzip_names_the_line_reached() {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        for i in 0..100_000_u64 {
            writeln!(encoder, "http://a/{}", i.wrapping_mul(0x9e37_79b9_7f4a_7c15)).unwrap();
        }
        let mut data = encoder.finish().unwrap();
        data.truncate(data.len() / 2);
        for threads in [1, 3] {
            let error = read_bytes(&data, &ReadOptions { threads, ..ReadOptions::default() }).unwrap_err();
            assert!(matches!(error.kind, ReadErrorKind::Truncated), "{error}");
            let line = error.line.unwrap();
            assert!((45_000..55_000).contains(&line), "{line}");
        }
    }

    /// Bytes that look enough like our formats to come past their first checks.
    fn any_text() -> impl Strategy<Value = Vec<u8>> {
        let word = prop_oneof![
            "[ -~]{0,6}".prop_map(String::into_bytes),
            any::<[u8; 2]>().prop_map(Vec::from),
            prop::sample::select(vec![
                "url",
                "\t",
                "\n",
                "\r\n",
                ",",
                "{\"url\": \"",
                "\"}",
                "\\",
                " [",
                "] \"GET /",
                "\" 200 1",
                " 20140126200624 ",
                "2006-02-23T10:52:43.207Z ",
                "- ",
                "http://a/",
                " CDX a b",
                "\"",
                "\u{feff}",
                "status",
            ])
            .prop_map(|word| word.as_bytes().to_vec()),
        ];
        prop::collection::vec(word, 0..40).prop_map(|words| words.concat())
    }

    proptest! {
        #[test]
        fn no_input_panics_and_threads_change_nothing(text in any_text()) {
            for format in Format::ALL {
                let read = |threads| read_bytes(&text, &ReadOptions { threads, ..as_format(format) });
                let Ok((summary, pages)) = read(1) else { continue };
                prop_assert_eq!(summary.pages + summary.left_out + summary.problems.count, summary.lines);
                prop_assert_eq!(read(3).unwrap(), (summary, pages));
            }
            let _ = read_bytes(&text, &ReadOptions::default());
        }
    }
}
