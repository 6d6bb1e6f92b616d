//! A folder of saved pages, such as wget or `HTTrack` leave behind. A file is a page; its URL is its host and its path.
//!
//! The host is, in this order: what the user says (`--host`; the folder is then the root of that host); the folder's own
//! name, if it looks like a host; the name of each folder in it that does. The scheme is `http` unless the user says
//! otherwise. Names are read as wget writes them (see `name.rs`); where `HTTrack` noted the URL in a file, that
//! counts, since its names do not tell it.
//!
//! Entries are taken in the order of their names. Hidden ones, links and what is no file are left out.

mod name;
#[cfg(test)]
mod tests;
mod walk;

use std::io;
use std::path::{Path, PathBuf};

use memchr::memmem;
use undust::page::{Body, Page};

use self::name::{host_of, mirrored_from, url_path};
use self::walk::{Entry, Walk};
use super::{Fault, Outcome, Parsed};
use crate::error::{ReadError, ReadErrorKind};
use crate::in_order::JOB_BYTES;
use crate::input::read_beginning;
use crate::problems::shown;

/// A folder and how its files are named.
pub(crate) struct Folder {
    path: PathBuf,
    scheme: String,
    /// The host that all files belong to, with its port; `None` if each folder in it is a host.
    host: Option<String>,
    /// Whether `HTTrack` made it, and put files of its own beside the hosts.
    by_httrack: bool,
    /// Whether wget wrote `@` for `?`.
    at_is_question_mark: bool,
}

/// An entry of the folder or of one in it.
pub(crate) struct SavedFile {
    number: u64,
    entry: Entry,
}

impl SavedFile {
    /// How much of a job a file is: read by the threads that parse, it takes its memory only there.
    pub(crate) const WEIGHT: usize = JOB_BYTES / 4;
}

impl Folder {
    /// `host` is what the user says, with or without a scheme.
    pub(crate) fn new(path: &Path, host: Option<&str>) -> Result<Folder, ReadError> {
        let failed = |error| ReadError { file: path.into(), line: None, kind: ReadErrorKind::Io(error) };
        let (scheme, given) = scheme_and_host(host.unwrap_or_default());
        let own_name = path.canonicalize().map_err(failed)?;
        let own_name = own_name.file_name().and_then(|name| host_of(name.as_encoded_bytes()));
        let has_queries = Walk::new(path).map_err(failed)?.any(|entry| entry.has_in_name(b'?'));
        Ok(Folder {
            path: path.into(),
            scheme: scheme.to_owned(),
            host: if given.is_empty() { own_name } else { Some(given.to_owned()) },
            by_httrack: ["hts-cache", "hts-log.txt"].iter().any(|name| path.join(name).exists()),
            at_is_question_mark: !has_queries,
        })
    }

    /// Every entry, in the order of names.
    pub(crate) fn files(
        &self,
    ) -> Result<impl Iterator<Item = Result<SavedFile, ReadError>> + Send, ReadError> {
        let failed =
            |error| ReadError { file: self.path.clone(), line: None, kind: ReadErrorKind::Io(error) };
        let walk = Walk::new(&self.path).map_err(failed)?;
        Ok((1..).zip(walk).map(|(number, entry)| Ok(SavedFile { number, entry })))
    }

    /// The page in a file, with at most `max_body` bytes of it.
    pub(crate) fn read(&self, file: SavedFile, max_body: usize) -> Outcome {
        let number = file.number;
        let (parsed, cut) = match file.entry {
            Entry::Other => (Ok(None), false),
            Entry::Unreadable(path, error) => (Err(unreadable(&path, &error)), false),
            Entry::File(path) if self.is_httracks_own(&path) => (Ok(None), false),
            Entry::File(path) => self.read_file(&path, max_body),
        };
        Outcome { number, parsed, cut }
    }

    fn read_file(&self, path: &Path, max_body: usize) -> (Parsed, bool) {
        let (bytes, size) = match read_beginning(&self.path.join(path), max_body as u64) {
            Ok(read) => read,
            Err(error) => return (Err(unreadable(path, &error)), false),
        };
        let Some(url) = self.noted_url(&bytes).or_else(|| self.url(path)) else {
            let path = shown(path.as_os_str().as_encoded_bytes());
            let what = format!("which host {path} is from is not known: give it with --host www.example.org");
            return (Err(Fault::from(what)), false);
        };
        let cut = size > bytes.len() as u64;
        let body =
            Some(Body { bytes, content_type: content_type(path).map(str::to_owned), ..Body::default() });
        (Ok(Some(Page { status: Some(200), size: Some(size), body, ..Page::new(url) })), cut)
    }

    /// The URL that `HTTrack` wrote into a file.
    fn noted_url(&self, bytes: &[u8]) -> Option<Vec<u8>> {
        const NOTED_WITHIN: usize = 4096;
        let url = mirrored_from(&bytes[..bytes.len().min(NOTED_WITHIN)])?;
        let has_scheme = memmem::find(&url, b"://").is_some_and(|at| at < "https".len() + 1);
        Some(if has_scheme { url } else { [self.scheme.as_bytes(), b"://", &url].concat() })
    }

    /// The URL that the place of a file tells; `None` if it has no host.
    fn url(&self, path: &Path) -> Option<Vec<u8>> {
        let mut names = path.iter();
        let host = match &self.host {
            Some(host) => host.clone(),
            None => host_of(names.next()?.as_encoded_bytes()).filter(|_| names.clone().next().is_some())?,
        };
        let names: Vec<&[u8]> = names.map(std::ffi::OsStr::as_encoded_bytes).collect();
        let path = url_path(&names, self.at_is_question_mark);
        Some([self.scheme.as_bytes(), b"://", host.as_bytes(), &path].concat())
    }

    /// Beside the folders of the hosts, `HTTrack` has a cache, a log and an index of its own.
    fn is_httracks_own(&self, path: &Path) -> bool {
        self.by_httrack && (path.starts_with("hts-cache") || self.host.is_none() && path.iter().count() == 1)
    }
}

/// `https://www.example.org/` in its two parts; the scheme is `http` where none is said.
fn scheme_and_host(text: &str) -> (&str, &str) {
    let (scheme, host) = text.split_once("://").unwrap_or(("http", text));
    (scheme, host.trim_end_matches('/'))
}

fn unreadable(path: &Path, error: &io::Error) -> Fault {
    Fault::from(format!("cannot read {}: {error}", shown(path.as_os_str().as_encoded_bytes())))
}

/// What a file holds, where its name leaves no doubt.
fn content_type(path: &Path) -> Option<&'static str> {
    let extension = path.extension()?.to_str()?.to_ascii_lowercase();
    Some(match extension.as_str() {
        "html" | "htm" => "text/html",
        "xhtml" => "application/xhtml+xml",
        "txt" => "text/plain",
        "css" => "text/css",
        "js" => "text/javascript",
        "json" => "application/json",
        "xml" => "application/xml",
        "pdf" => "application/pdf",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "gif" => "image/gif",
        "svg" => "image/svg+xml",
        _ => return None,
    })
}
