//! Output files that are either whole or not there.
//!
//! What is being written has no name until it is whole: a run that is interrupted, or killed, leaves nothing behind.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, BufWriter, Seek, Write};
use std::path::Path;

use tempfile::NamedTempFile;

/// Write a file without a name beside `path` and give it that name, so that an error leaves the old file as it was.
///
/// The file behind a link is replaced, not the link. What is no regular file (`/dev/null`, a pipe) is written directly.
pub fn write_atomically(
    path: &Path,
    write: impl FnOnce(&mut (dyn Write + Send)) -> io::Result<()>,
) -> io::Result<()> {
    // A path that does not resolve is a new file.
    let path = &fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let old = fs::metadata(path).ok();
    if old.as_ref().is_some_and(|old| !old.is_file()) {
        return write_buffered(&mut OpenOptions::new().write(true).open(path)?, write);
    }
    let mut draft = nameless_beside(path)?;
    write_buffered(&mut draft, write)?;
    name_it(&mut draft, path, old.map(|old| old.permissions()))
}

/// Whether [`write_atomically`] can begin: asked before long work, so that the work is not lost at its end.
pub fn check_writable(path: &Path) -> io::Result<()> {
    let path = &fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    match fs::metadata(path) {
        Ok(old) if old.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
        Ok(old) if !old.is_file() => Ok(()),
        _ => nameless_beside(path).map(drop),
    }
}

fn write_buffered(
    file: &mut File,
    write: impl FnOnce(&mut (dyn Write + Send)) -> io::Result<()>,
) -> io::Result<()> {
    let mut buffered = BufWriter::new(file);
    write(&mut buffered)?;
    buffered.flush()
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A file without a name, on the file system of `path`.
fn nameless_beside(path: &Path) -> io::Result<File> {
    let folder = folder_of(path);
    // A missing folder is named as such.
    fs::metadata(folder.join("."))?;
    // The message would name a temporary file, which nobody asked for.
    nameless(folder).or_else(|_| tempfile::tempfile_in(folder)).map_err(|error| error.kind().into())
}

/// A file that can be given a name later. Not every file system has such files.
#[cfg(target_os = "linux")]
fn nameless(folder: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    let flags = rustix::fs::OFlags::TMPFILE.bits().cast_signed();
    // As public as the user's umask says.
    OpenOptions::new().read(true).write(true).mode(0o666).custom_flags(flags).open(folder)
}

#[cfg(not(target_os = "linux"))]
fn nameless(_: &Path) -> io::Result<File> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Put a file that is whole in the place of `path`. Renaming is atomic, but needs a name to begin with: it has one for as short as
/// possible.
fn name_it(draft: &mut File, path: &Path, permissions: Option<Permissions>) -> io::Result<()> {
    draft.sync_all()?;
    match linked(draft, path, permissions.as_ref()) {
        Ok(linked) => linked.persist(path)?,
        Err(_) => drop(copied(draft, path, permissions)?.persist(path)?),
    }
    Ok(())
}

fn temporary_name() -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".undust-");
    builder
}

/// The file itself under a temporary name.
#[cfg(target_os = "linux")]
fn linked(draft: &File, path: &Path, permissions: Option<&Permissions>) -> io::Result<NamedTempFile<()>> {
    use std::os::fd::AsRawFd;

    use rustix::fs::{AtFlags, CWD, linkat};
    if let Some(permissions) = permissions {
        draft.set_permissions(permissions.clone())?;
    }
    let open_file = format!("/proc/self/fd/{}", draft.as_raw_fd());
    let link = |name: &Path| Ok(linkat(CWD, &open_file, CWD, name, AtFlags::SYMLINK_FOLLOW)?);
    temporary_name().make_in(folder_of(path), link)
}

#[cfg(not(target_os = "linux"))]
fn linked(_: &File, _: &Path, _: Option<&Permissions>) -> io::Result<NamedTempFile<()>> {
    Err(io::ErrorKind::Unsupported.into())
}

/// A copy of the file under a temporary name, where it cannot have one itself.
fn copied(draft: &mut File, path: &Path, permissions: Option<Permissions>) -> io::Result<NamedTempFile> {
    let mut builder = temporary_name();
    // Temporary files are private by default.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut copy = builder.tempfile_in(folder_of(path)).map_err(|error| io::Error::from(error.kind()))?;
    draft.rewind()?;
    io::copy(draft, copy.as_file_mut())?;
    if let Some(permissions) = permissions {
        copy.as_file().set_permissions(permissions)?;
    }
    copy.as_file().sync_all()?;
    Ok(copy)
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests look at the files")]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn an_error_keeps_the_old_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rules.json");
        write_atomically(&path, |out| out.write_all(b"old")).unwrap();
        let failed = write_atomically(&path, |out| {
            out.write_all("x".repeat(100_000).as_bytes())?;
            Err(io::Error::other("stopped"))
        });
        assert_eq!(failed.unwrap_err().to_string(), "stopped");
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        write_atomically(&path, |out| out.write_all(b"new")).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(names(folder.path()), ["rules.json"]);
    }

    /// Whenever a run is interrupted, there is nothing to leave behind.
    #[test]
    fn what_is_written_has_no_name_until_it_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rules.json");
        for old in [&[][..], &["rules.json"]] {
            write_atomically(&path, |out| {
                out.write_all("x".repeat(100_000).as_bytes())?;
                out.flush()?;
                assert_eq!(names(folder.path()), old);
                Ok(())
            })
            .unwrap();
        }
    }

    #[test]
    fn a_file_that_can_have_no_name_is_copied() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rules.json");
        let mut draft = tempfile::tempfile_in(folder.path()).unwrap();
        draft.write_all(b"new").unwrap();
        name_it(&mut draft, &path, None).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(names(folder.path()), ["rules.json"]);
    }

    #[test]
    fn a_missing_folder_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("no/rules.json");
        assert!(write_atomically(&path, |_| Ok(())).is_err());
        let error = check_writable(&path).unwrap_err();
        assert!(
            error.kind() == io::ErrorKind::NotFound && !error.to_string().contains(".undust-"),
            "{error}"
        );
    }

    #[test]
    fn what_can_be_written_is_known_before() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rules.json");
        check_writable(&path).unwrap();
        check_writable(Path::new("/dev/null")).unwrap();
        assert!(names(folder.path()).is_empty());
        assert!(check_writable(folder.path()).is_err());
        fs::write(&path, "old").unwrap();
        check_writable(&path).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        assert!(check_writable(&path.join("x")).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn links_devices_and_permissions_stay() {
        use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};

        let folder = tempfile::tempdir().unwrap();
        let (path, link) = (folder.path().join("real"), folder.path().join("link"));
        write_atomically(&path, |_| Ok(())).unwrap();
        fs::set_permissions(&path, PermissionsExt::from_mode(0o640)).unwrap();
        symlink(&path, &link).unwrap();
        write_atomically(&link, |out| out.write_all(b"new")).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());

        let null = Path::new("/dev/null");
        write_atomically(null, |out| out.write_all(b"gone")).unwrap();
        assert!(fs::metadata(null).unwrap().file_type().is_char_device());
    }
}
