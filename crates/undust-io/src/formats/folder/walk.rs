//! Everything in a folder and in the folders in it, in the order of names, whatever the system's order and however deep.

use std::fs::{self, DirEntry};
use std::io;
use std::path::{Path, PathBuf};
use std::vec;

/// Something found in a folder; its path is relative to where the walk began.
pub(super) enum Entry {
    /// A regular file.
    File(PathBuf),
    /// Hidden, a link or something else that is no page.
    Other,
    /// What the system does not let us see.
    Unreadable(PathBuf, io::Error),
}

impl Entry {
    /// Whether this is a file with `byte` in its name.
    pub(super) fn has_in_name(&self, byte: u8) -> bool {
        let Entry::File(path) = self else { return false };
        path.file_name().is_some_and(|name| name.as_encoded_bytes().contains(&byte))
    }
}

/// A walk through a folder. It holds the entries of one folder a level, and no open handles.
pub(super) struct Walk {
    root: PathBuf,
    /// The folders that are being walked through, each within the one before.
    levels: Vec<Level>,
}

struct Level {
    path: PathBuf,
    entries: vec::IntoIter<DirEntry>,
}

impl Walk {
    pub(super) fn new(root: &Path) -> io::Result<Walk> {
        let top = Level { path: PathBuf::new(), entries: entries(root)? };
        Ok(Walk { root: root.into(), levels: vec![top] })
    }

    /// Begin with the entries of a folder in here.
    fn enter(&mut self, path: PathBuf) -> Option<Entry> {
        match entries(&self.root.join(&path)) {
            Ok(entries) => self.levels.push(Level { path, entries }),
            Err(error) => return Some(Entry::Unreadable(path, error)),
        }
        None
    }
}

impl Iterator for Walk {
    type Item = Entry;

    fn next(&mut self) -> Option<Entry> {
        loop {
            let level = self.levels.last_mut()?;
            let Some(entry) = level.entries.next() else {
                self.levels.pop();
                continue;
            };
            let name = entry.file_name();
            let path = level.path.join(&name);
            let found = match entry.file_type() {
                Err(error) => Some(Entry::Unreadable(path, error)),
                Ok(_) if name.as_encoded_bytes().starts_with(b".") => Some(Entry::Other),
                Ok(kind) if kind.is_dir() => self.enter(path),
                Ok(kind) if kind.is_file() => Some(Entry::File(path)),
                Ok(_) => Some(Entry::Other),
            };
            if found.is_some() {
                return found;
            }
        }
    }
}

fn entries(folder: &Path) -> io::Result<vec::IntoIter<DirEntry>> {
    let mut entries = fs::read_dir(folder)?.collect::<io::Result<Vec<_>>>()?;
    entries.sort_by_cached_key(DirEntry::file_name);
    Ok(entries.into_iter())
}
