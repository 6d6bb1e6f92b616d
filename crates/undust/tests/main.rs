//! The tests of the crate that need more than one module: the case corpus, the laws, the oracle and the rule file.

mod cases;
mod file;
mod generate;
mod mutations;
mod oracle;
mod properties;
mod wpt;

use std::path::{Path, PathBuf};

use undust::rules::{Action, SyntaxError};
use undust::{Canonicalizer, CompileError, Form, RuleSet};

/// A path below the repository's root.
fn in_repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

#[expect(clippy::disallowed_methods, reason = "test data is not the crate's business: no undust-io here")]
fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// What is read where `action` was written.
fn reread(action: &Action) -> Result<Action, SyntaxError> {
    let (from, to) = action.sides();
    match action {
        Action::Rewrite(_) => Action::rewrite(&from, &to),
        Action::Substitute(_) => Action::substitute(&from, &to),
        Action::Skip(_) => Action::skip(&from),
    }
}

/// The compiled engine; of a set that is refused for its model, that of its rules.
fn compile(set: &RuleSet, form: Form) -> Canonicalizer {
    match (Canonicalizer::new(set, form), &set.model) {
        (Ok(engine), None) => engine,
        (Err(CompileError::Model { file }), Some(model)) if file == model.file => {
            Canonicalizer::of_rules(set, form)
        }
        (other, model) => panic!("{other:?} with {model:?}"),
    }
}

/// Bytes for a message.
fn show(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
