//! Whole folders through the reader.

use std::fs;
use std::path::Path;

use tempfile::TempDir;
use undust::page::Page;

use crate::{Format, ReadError, ReadOptions, Summary, open, read};

/// A folder with these files; each holds its own name.
fn folder(files: &[&str]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for file in files {
        put(folder.path(), file, file.as_bytes());
    }
    folder
}

fn put(folder: &Path, file: &str, content: &[u8]) {
    let path = folder.join(file);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    crate::write_atomically(&path, |out| std::io::Write::write_all(out, content)).unwrap();
}

fn read_with(path: &Path, options: &ReadOptions) -> Result<(Summary, Vec<Page>), ReadError> {
    let mut pages = Vec::new();
    let summary = read(path, options, &mut |page| pages.push(page))?;
    assert_eq!(summary.pages + summary.left_out + summary.problems.count, summary.lines);
    Ok((summary, pages))
}

fn of_host(host: &str) -> ReadOptions {
    ReadOptions { host: Some(host.to_owned()), ..ReadOptions::default() }
}

fn urls(path: &Path, options: &ReadOptions) -> Vec<String> {
    let (_, pages) = read_with(path, options).unwrap();
    pages.into_iter().map(|page| String::from_utf8(page.url).unwrap()).collect()
}

#[test]
fn a_folder_is_recognised_and_read_in_the_order_of_names() {
    let folder = folder(&["b/index.html", "a.txt", "B.html", "b/a.php?x=1", "index.html"]);
    let (summary, pages) = read_with(folder.path(), &of_host("https://www.example.org/")).unwrap();
    assert_eq!((summary.format, summary.format.unit(), summary.lines), (Format::Folder, "file", 5));
    let found: Vec<&str> = pages.iter().map(|page| str::from_utf8(&page.url).unwrap()).collect();
    assert_eq!(
        found,
        ["B.html", "a.txt", "b/a.php?x=1", "b/", ""].map(|path| format!("https://www.example.org/{path}"))
    );
    let body = pages[0].body.as_ref().unwrap();
    assert_eq!((pages[0].status, pages[0].size), (Some(200), Some(6)));
    assert_eq!((body.bytes.as_slice(), body.content_type.as_deref()), (&b"B.html"[..], Some("text/html")));
    assert_eq!(pages[2].body.as_ref().unwrap().content_type, None);
}

#[test]
fn hosts_by_the_names_of_folders() {
    let mirror = folder(&["www.a.org/index.html", "b.org+8080/x", "notes/y", "z.org"]);
    let plain = ReadOptions::default();
    assert_eq!(urls(mirror.path(), &plain), ["http://b.org:8080/x", "http://www.a.org/"]);
    let (summary, _) = read_with(mirror.path(), &plain).unwrap();
    let whats: Vec<String> =
        summary.problems.samples.iter().map(|problem| problem.error.to_string()).collect();
    assert_eq!(
        whats,
        ["notes/y", "z.org"].map(|file| format!(
            "which host '{file}' is from is not known: give it with --host www.example.org"
        ))
    );
    assert_eq!(urls(&mirror.path().join("www.a.org"), &plain), ["http://www.a.org/"]);
    assert_eq!(urls(&mirror.path().join("b.org+8080"), &of_host("c.org")), ["http://c.org/x"]);
    assert!(read_with(mirror.path(), &ReadOptions { strict: true, ..plain }).is_err());
}

#[test]
fn question_marks_as_windows_needs_them() {
    let windows = folder(&["a.php@x=1.html", "b@c"]);
    assert_eq!(urls(windows.path(), &of_host("a.org")), ["http://a.org/a.php?x=1", "http://a.org/b@c"]);
    put(windows.path(), "deep/c?d", b"");
    let names = urls(windows.path(), &of_host("a.org"));
    assert_eq!(names, ["http://a.org/a.php@x=1.html", "http://a.org/b@c", "http://a.org/deep/c?d"]);
}

#[test]
fn what_httrack_leaves() {
    let mirror = folder(&["hts-cache/new.lst", "hts-log.txt", "index.html", "www.a.org/b.html"]);
    let noted = b"<html>\n<!-- Mirrored from www.a.org/c.php?d=1 by HTTrack Website Copier/3.x [XR&CO'2014], Sat -->\n";
    put(mirror.path(), "www.a.org/c1f2.html", noted);
    let plain = ReadOptions::default();
    assert_eq!(urls(mirror.path(), &plain), ["http://www.a.org/b.html", "http://www.a.org/c.php?d=1"]);
    let (summary, _) = read_with(mirror.path(), &plain).unwrap();
    assert_eq!((summary.left_out, summary.problems.count), (3, 0));
    let own = mirror.path().join("www.a.org");
    assert_eq!(urls(&own, &of_host("https://a.org"))[1], "https://www.a.org/c.php?d=1");
}

#[test]
fn long_files_are_cut() {
    let folder = folder(&[]);
    put(folder.path(), "a", &[b'x'; 1000]);
    put(folder.path(), "b", &[b'x'; 100]);
    let options = ReadOptions { max_body: 100, ..of_host("a.org") };
    let (summary, pages) = read_with(folder.path(), &options).unwrap();
    assert_eq!((summary.pages, summary.cut, pages[0].size), (2, 1, Some(1000)));
    assert_eq!(pages[0].body.as_ref().unwrap().bytes.len(), 100);
}

#[test]
fn deep_folders_and_many_threads() {
    let folder = folder(&[]);
    let deep = "d/".repeat(300);
    put(folder.path(), &format!("{deep}e"), b"");
    (0..500).for_each(|n| put(folder.path(), &format!("{}/{n}", n % 7), b"x"));
    let read = |threads| read_with(folder.path(), &ReadOptions { threads, ..of_host("a.org") }).unwrap();
    let one = read(1);
    assert_eq!(one.0.pages, 501);
    assert!(one.1.iter().any(|page| page.url == format!("http://a.org/{deep}e").as_bytes()));
    assert_eq!(read(4), one);
}

#[cfg(unix)]
#[test]
fn links_and_hidden_files_are_left_out() {
    let folder = folder(&["a", ".git/config", ".hidden"]);
    std::os::unix::fs::symlink(folder.path(), folder.path().join("loop")).unwrap();
    std::os::unix::fs::symlink("/etc/hostname", folder.path().join("link")).unwrap();
    let (summary, _) = read_with(folder.path(), &of_host("a.org")).unwrap();
    assert_eq!((summary.pages, summary.left_out, summary.problems.count), (1, 4, 0));
}

#[cfg(unix)]
#[test]
fn names_that_are_not_utf8() {
    use std::os::unix::ffi::OsStrExt;
    let folder = folder(&[]);
    fs::create_dir(folder.path().join(std::ffi::OsStr::from_bytes(b"\xe9 a"))).unwrap();
    let file = folder.path().join(std::ffi::OsStr::from_bytes(b"\xe9 a/b\xff"));
    crate::write_atomically(&file, |out| std::io::Write::write_all(out, b"x")).unwrap();
    assert_eq!(urls(folder.path(), &of_host("a.org")), ["http://a.org/%E9%20a/b%FF"]);
}

#[test]
fn a_folder_is_no_file_and_a_file_no_folder() {
    let folder = folder(&["a"]);
    let text = open(folder.path()).unwrap().into_text().unwrap_err();
    assert!(text.to_string().ends_with("this is a folder, not a file"), "{text}");
    let as_format = |format| ReadOptions { format: Some(format), ..of_host("a.org") };
    assert!(read_with(folder.path(), &as_format(Format::Tsv)).is_err());
    assert!(read_with(&folder.path().join("a"), &as_format(Format::Folder)).is_err());
}
