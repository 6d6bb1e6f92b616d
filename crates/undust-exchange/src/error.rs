//! Errors of reading names of formats, and files in those formats.

use thiserror::Error;

use crate::Format;

/// A name that is not one of [`Format::NAMED`].
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("unknown format '{name}'; known: {}", names(Format::NAMED.iter().map(|(name, _)| *name)))]
#[non_exhaustive]
pub struct UnknownFormat {
    /// The name.
    pub name: String,
}

/// Why a file cannot be imported at all. Single entries that cannot be imported are [`LeftOut`](crate::LeftOut)s.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ImportError {
    /// A format that can only be exported.
    #[error("{0} can only be exported; import reads: {names}", names = names(Format::READ.iter().map(|format| format.name())))]
    ExportOnly(Format),
    /// Not JSON, or JSON of another shape; names line and column.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    /// Not XML; names line and column.
    #[error(transparent)]
    Xml(#[from] roxmltree::Error),
    /// XML with another root element.
    #[error("the root element is <{found}>, not <{expected}>")]
    RootElement {
        /// Its name.
        found: String,
        /// The name that the format asks for.
        expected: &'static str,
    },
}

fn names<'n>(names: impl Iterator<Item = &'n str>) -> String {
    names.collect::<Vec<_>>().join(", ")
}
