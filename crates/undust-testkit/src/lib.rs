//! Real data for tests, and a runner that reports which tests were skipped.
//!
//! Rust's own runner decides when it is built which tests are ignored. What a test needs (data sets beside the repository,
//! a browser) may come and go afterwards, so the binaries of such tests have `harness = false`: [`Tests`] asks when it runs, and a test
//! that cannot run is reported as ignored by `cargo test` and as skipped by `cargo nextest`, never as passed.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};

/// Names another folder of the data sets than the one beside the repository.
pub const DATA_VARIABLE: &str = "UNDUST_DATA";

/// What skipped tests lack, as their names show it.
const NEEDS_DATA: &str = "needs ../shared/data";

/// The root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The folder of small real files that come with the repository. Same layout and names as [`shared_data`].
pub fn bundled_data() -> PathBuf {
    root().join("testdata/real")
}

/// The labelled forum of the demo.
pub fn demo_forum() -> PathBuf {
    root().join("testdata/demo/phpbb2-computerforum.tsv.gz")
}

/// The folder of whole data sets, which lies beside the repository and not in it.
pub fn shared_data() -> Option<PathBuf> {
    #[expect(clippy::disallowed_methods, reason = "the one place where tests read it")]
    let named = std::env::var(DATA_VARIABLE).ok().map(PathBuf::from);
    let folder = named.unwrap_or_else(|| root().join("../shared/data"));
    folder.is_dir().then_some(folder)
}

/// The tests of one binary with `harness = false`.
#[derive(Default)]
pub struct Tests(Vec<Trial>);

impl Tests {
    /// No tests.
    pub fn new() -> Tests {
        Tests::default()
    }

    /// Adds a test that always runs.
    #[must_use]
    pub fn always(mut self, name: &str, test: impl FnOnce() + Send + 'static) -> Tests {
        self.0.push(trial(name, test));
        self
    }

    /// Adds a test on the folder of bundled data, which always runs.
    #[must_use]
    pub fn bundled(self, name: &str, test: impl FnOnce(&Path) + Send + 'static) -> Tests {
        self.always(&format!("bundled::{name}"), move || test(&bundled_data()))
    }

    /// Adds a test on the folder of whole data sets, which is skipped where that is missing.
    #[must_use]
    pub fn shared(self, name: &str, test: impl FnOnce(&Path) + Send + 'static) -> Tests {
        let run = |folder: PathBuf| test(&folder);
        self.needing(NEEDS_DATA, shared_data(), &format!("shared::{name}"), run)
    }

    /// Adds a test that is skipped where what it needs was not found. Its name then begins with `needs` in brackets.
    #[must_use]
    pub fn needing<T: Send + 'static>(
        mut self,
        needs: &str,
        found: Option<T>,
        name: &str,
        test: impl FnOnce(T) + Send + 'static,
    ) -> Tests {
        let missing = format!("this test {needs}");
        self.0.push(match found {
            Some(found) => trial(name, move || test(found)),
            // Whoever asks for ignored tests, too, is not told that it passed.
            None => Trial::test(name, move || Err(missing.into())).with_kind(needs).with_ignored_flag(true),
        });
        self
    }

    /// Runs the tests that the command line asks for, as `cargo test` and `cargo nextest` do.
    pub fn run(self) -> ExitCode {
        libtest_mimic::run(&Arguments::from_args(), self.0).exit_code()
    }
}

fn trial(name: &str, test: impl FnOnce() + Send + 'static) -> Trial {
    // Panics are the runner's to catch.
    Trial::test(name, move || {
        test();
        Ok::<(), Failed>(())
    })
}
