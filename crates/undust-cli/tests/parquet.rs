//! Parquet in and out.

use std::fs::File;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, Int64Array, RecordBatch, StringArray};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::file::properties::WriterProperties;

use crate::data::RULES;
use crate::folder::Folder;

/// The bytes of a table, in groups of so many rows.
fn table(columns: Vec<(&str, ArrayRef)>, group: usize) -> Vec<u8> {
    let batch = RecordBatch::try_from_iter(columns).expect("columns of one length");
    let properties = WriterProperties::builder().set_max_row_group_row_count(Some(group)).build();
    let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), Some(properties)).expect("a table");
    writer.write(&batch).expect("memory holds it");
    writer.into_inner().expect("memory holds it")
}

/// The columns and the rows of a file.
fn read(folder: &Folder, name: &str) -> (Vec<String>, Vec<RecordBatch>) {
    #[expect(clippy::disallowed_methods, reason = "tests look at the files")]
    let file = File::open(folder.path(name)).expect("a file");
    let builder = ParquetRecordBatchReaderBuilder::try_new(file).expect("a Parquet file");
    let names = builder.schema().fields().iter().map(|field| field.name().clone()).collect();
    (names, builder.build().expect("its rows").map(|batch| batch.expect("a batch")).collect())
}

fn texts(batches: &[RecordBatch], column: usize) -> Vec<Option<String>> {
    let one = |batch: &RecordBatch| {
        batch.column(column).as_string::<i32>().iter().map(|text| text.map(str::to_owned)).collect::<Vec<_>>()
    };
    batches.iter().flat_map(one).collect()
}

/// A forum of which every page has two URLs, as TSV and as Parquet.
fn forum() -> (String, Vec<u8>) {
    let rows: Vec<(String, String)> = (0..1_200)
        .map(|i| (format!("http://a.org/t?id={}&sid={}", i / 2, i * 7 % 13), format!("c{}", i / 2)))
        .collect();
    let mut tsv = String::from("url\tcluster\n");
    for (url, cluster) in &rows {
        tsv.extend([url, "\t", cluster, "\n"]);
    }
    let urls: StringArray = rows.iter().map(|(url, _)| Some(url)).collect();
    let clusters: StringArray = rows.iter().map(|(_, cluster)| Some(cluster)).collect();
    let ignored = Int64Array::from_iter_values(0..1_200);
    let columns: Vec<(&str, ArrayRef)> =
        vec![("number", Arc::new(ignored)), ("cluster", Arc::new(clusters)), ("url", Arc::new(urls))];
    (tsv, table(columns, 100))
}

#[test]
fn what_is_learned_from_it_is_what_is_learned_from_tsv() {
    let (tsv, parquet) = forum();
    let folder = Folder::with("forum.tsv", tsv).and("forum.parquet", parquet);
    folder.undust("learn forum.tsv -o tsv.json").fine();
    folder.undust("learn forum.parquet -o parquet.json").fine();
    assert!(folder.read("tsv.json").contains("sid"));
    assert_eq!(folder.read("tsv.json"), folder.read("parquet.json"));
    let scores = |file| folder.undust(&format!("eval --rules tsv.json {file} --json")).fine();
    assert_eq!(scores("forum.tsv"), scores("forum.parquet"));
    let applied = |file| folder.undust(&format!("apply --rules tsv.json {file}")).fine();
    assert_eq!(applied("forum.tsv"), applied("forum.parquet"));
}

#[test]
fn canonical_forms_become_a_column() {
    let urls = StringArray::from(vec![
        Some("http://www.example.com/item?id=1&sid=77"),
        None,
        Some("http://www.example.com/help?skin=blue"),
        Some("http://elsewhere.org/"),
    ]);
    let others = Int64Array::from(vec![Some(1), Some(2), None, Some(4)]);
    let columns: Vec<(&str, ArrayRef)> = vec![("size", Arc::new(others)), ("url", Arc::new(urls))];
    let folder = Folder::with("rules.json", RULES).and("in.parquet", table(columns, 3));
    let run = folder.undust("apply -r rules.json in.parquet -o out.parquet --threads 2");
    assert_eq!((run.code, run.to_string().contains("in.parquet:2: no URL")), (Some(0), true), "{run}");
    let (names, rows) = read(&folder, "out.parquet");
    assert_eq!(names, ["size", "url", "undust_key"]);
    let expected = [
        Some("http://www.example.com/item?id=1"),
        None,
        Some("http://www.example.com/help?skin=*"),
        Some("http://elsewhere.org/"),
    ];
    assert_eq!(texts(&rows, 2), expected.map(|key| key.map(str::to_owned)));
    assert_eq!(rows.iter().map(|batch| batch.column(0).null_count()).sum::<usize>(), 1);
    // Done again, the column is replaced; in the other form it is another one.
    folder.undust("apply -r rules.json out.parquet -o again.parquet --form url").fine();
    folder.undust("apply -r rules.json again.parquet -o twice.parquet").fine();
    let (names, rows) = read(&folder, "twice.parquet");
    assert_eq!(names, ["size", "url", "undust_url", "undust_key"]);
    assert_eq!(texts(&rows, 2)[2].as_deref(), Some("http://www.example.com/help?skin=blue"));
}

#[test]
fn lines_become_a_table_and_files() {
    let folder =
        Folder::with("rules.json", RULES).and("urls.txt", "http://www.example.com/print/7\nhttp://b.org/\n");
    folder.undust("apply -r rules.json urls.txt -o keys.parquet").fine();
    let (names, rows) = read(&folder, "keys.parquet");
    assert_eq!(names, ["url", "undust_key"]);
    assert_eq!(texts(&rows, 1)[0].as_deref(), Some("http://www.example.com/item?id=7"));
    folder.undust("apply -r rules.json keys.parquet -o keys.txt").fine();
    assert_eq!(folder.read("keys.txt"), "http://www.example.com/item?id=7\nhttp://b.org/\n");
}

#[test]
fn what_is_wrong_is_said_of_the_file_that_is_wrong() {
    let links: Vec<(&str, ArrayRef)> = vec![("link", Arc::new(StringArray::from(vec!["http://a/"])))];
    let folder =
        Folder::with("rules.json", RULES).and("links.parquet", table(links, 1)).and("cut.parquet", b"PAR1xx");
    for (input, message) in [
        ("links.parquet", "undust: links.parquet: the header 'link' has no column 'url'"),
        ("cut.parquet", "undust: cut.parquet: the Parquet file is damaged"),
        ("none.parquet", "undust: none.parquet: No such file"),
    ] {
        for command in [format!("apply -r rules.json {input} -o out.parquet"), format!("learn {input}")] {
            let run = folder.undust(&command);
            assert_eq!(run.code, Some(2), "{command}\n{run}");
            assert!(run.to_string().contains(message), "{command}\n{run}");
        }
    }
    assert!(!folder.names().contains(&"out.parquet".to_owned()));
    let run = folder.undust("apply -r rules.json links.parquet -o links.parquet");
    assert!(run.to_string().contains("links.parquet is an input"), "{run}");
}
