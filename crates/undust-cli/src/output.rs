//! Where results go: a file that is whole or not there, or standard output for `-`.

use std::fmt;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use undust_io::ReadError;

/// Whether a file name means the standard output.
pub(crate) fn is_stdout(path: &Path) -> bool {
    path == Path::new("-")
}

/// Fail now if [`save`] is bound to fail, before hours are spent on what it is to save.
pub(crate) fn check_writable(path: &Path) -> Result<()> {
    if is_stdout(path) {
        return Ok(());
    }
    undust_io::check_writable(path).with_context(|| format!("cannot write {}", path.display()))
}

/// Fail where `what` would take the place of an input, or would go to standard output together with what `--json` prints.
pub(crate) fn check_place<'i>(
    path: &Path,
    inputs: impl IntoIterator<Item = &'i PathBuf>,
    json: bool,
    what: &str,
) -> Result<()> {
    if is_stdout(path) && json {
        bail!("--json and the {what} cannot both go to standard output: name a file with -o");
    }
    // However it is spelled; what is not there yet is no input.
    let real = |path: &Path| std::fs::canonicalize(path).ok();
    let is_input =
        |input: &PathBuf| input == path || real(path).is_some_and(|path| real(input) == Some(path));
    if !is_stdout(path) && inputs.into_iter().any(is_input) {
        bail!("{} is an input: the {what} would replace it", path.display());
    }
    check_writable(path)
}

/// Write a Parquet file.
#[cfg(feature = "parquet")]
pub(crate) fn save_parquet(
    path: &Path,
    write: impl FnOnce(&mut (dyn Write + Send)) -> io::Result<()>,
) -> Result<()> {
    undust_io::write_atomically(path, write).map_err(|error| cannot_write(path, error))
}

/// What went wrong, and with which file. What is wrong with an input is not the output's fault.
fn cannot_write(path: &Path, error: io::Error) -> anyhow::Error {
    match error.downcast::<ReadError>() {
        Ok(error) => error.into(),
        Err(error) => anyhow::Error::new(error).context(format!("cannot write {}", path.display())),
    }
}

/// Write a file, or to standard output.
pub(crate) fn save(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
    save_made(path, |out| Ok(write(out)?))
}

/// Write what is made of an input on the way, which may be what fails.
pub(crate) fn save_made(path: &Path, write: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<()> {
    if is_stdout(path) {
        let mut out = BufWriter::with_capacity(1 << 16, stdout());
        write(&mut out)?;
        return Ok(out.flush()?);
    }
    let wrapped = |error: anyhow::Error| match error.downcast::<ReadError>() {
        Ok(error) => io::Error::other(error),
        Err(error) => error.downcast::<io::Error>().unwrap_or_else(io::Error::other),
    };
    undust_io::write_atomically(path, |out| write(out).map_err(wrapped))
        .map_err(|error| cannot_write(path, error))
}

/// Standard output, whose errors say that it is the one that cannot be written.
pub(crate) fn stdout() -> Stdout {
    Stdout(io::stdout().lock())
}

/// See [`stdout`].
pub(crate) struct Stdout(io::StdoutLock<'static>);

impl Write for Stdout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes).map_err(unwritable)
    }
    fn flush(&mut self) -> io::Result<()> {
        self.0.flush().map_err(unwritable)
    }
}

/// Why standard output cannot be written.
#[derive(Debug)]
struct Unwritable(io::Error);

impl fmt::Display for Unwritable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot write to standard output: {}", self.0)
    }
}

impl std::error::Error for Unwritable {}

/// Of the same kind: whether the pipe was closed is asked elsewhere.
fn unwritable(error: io::Error) -> io::Error {
    match error.kind() {
        io::ErrorKind::Interrupted => error,
        kind => io::Error::new(kind, Unwritable(error)),
    }
}
