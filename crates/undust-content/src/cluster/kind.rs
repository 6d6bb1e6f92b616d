//! Kinds of evidence, and their names.

use std::fmt;
use std::str::FromStr;

use serde::Serialize;
use thiserror::Error;

/// A kind of evidence that two pages are the same.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Their digests are equal.
    Digest,
    /// Their simhashes differ in few bits, and their titles are equal.
    Simhash,
    /// Their sketches of words and shingles resemble each other, and their titles are equal.
    Shingles,
    /// They have the same rows of tables, lists or preformatted text in another order, and their titles are equal.
    Rows,
    /// They name the same canonical URL, or one names the other.
    Canonical,
    /// One leads to the other, or both to a third.
    Redirect,
    /// Their URLs differ only in what the site declares not to matter: `Clean-param`, `No-Vary-Search`.
    Declared,
}

impl Kind {
    /// Every kind, in the order in which reports list them.
    pub const ALL: [Kind; 7] = [
        Kind::Digest,
        Kind::Simhash,
        Kind::Shingles,
        Kind::Rows,
        Kind::Canonical,
        Kind::Redirect,
        Kind::Declared,
    ];

    /// Its name, as on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Digest => "digest",
            Kind::Simhash => "simhash",
            Kind::Shingles => "shingles",
            Kind::Rows => "rows",
            Kind::Canonical => "canonical",
            Kind::Redirect => "redirect",
            Kind::Declared => "declared",
        }
    }
}

/// Whether the order of rows counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RowOrder {
    /// Not between pages whose URLs differ in their queries alone: one list, sorted in several ways.
    #[default]
    Auto,
    /// Always.
    Keep,
    /// Never.
    Ignore,
}

impl fmt::Display for RowOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            RowOrder::Auto => "auto",
            RowOrder::Keep => "keep",
            RowOrder::Ignore => "ignore",
        })
    }
}

impl FromStr for RowOrder {
    type Err = UnknownRowOrder;

    fn from_str(name: &str) -> Result<RowOrder, UnknownRowOrder> {
        let all = [RowOrder::Auto, RowOrder::Keep, RowOrder::Ignore];
        let named = all.into_iter().find(|order| order.to_string() == name);
        named.ok_or_else(|| UnknownRowOrder { name: name.to_owned() })
    }
}

/// The kinds of evidence that are used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kinds {
    /// The kinds, sorted.
    pub kinds: Vec<Kind>,
    /// Whether evidence must be confirmed by resembling texts.
    pub confirmed: bool,
}

impl Default for Kinds {
    /// `auto`: all there is, confirmed.
    fn default() -> Kinds {
        Kinds { kinds: Kind::ALL.to_vec(), confirmed: true }
    }
}

impl Kinds {
    /// Whether this kind is used.
    pub fn has(&self, kind: Kind) -> bool {
        self.kinds.contains(&kind)
    }
}

impl fmt::Display for Kinds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.confirmed {
            return f.write_str("auto");
        }
        let names: Vec<_> = self.kinds.iter().map(|kind| kind.name()).collect();
        f.write_str(&names.join(","))
    }
}

impl FromStr for Kinds {
    type Err = UnknownKind;

    /// `auto`, or names of kinds separated by commas, which are then not confirmed by texts.
    fn from_str(text: &str) -> Result<Kinds, UnknownKind> {
        if text == "auto" {
            return Ok(Kinds::default());
        }
        let named = |name: &str| {
            let kind = Kind::ALL.into_iter().find(|kind| kind.name() == name);
            kind.ok_or_else(|| UnknownKind { name: name.to_owned() })
        };
        let mut kinds = text.split(',').map(str::trim).map(named).collect::<Result<Vec<_>, _>>()?;
        kinds.sort_unstable();
        kinds.dedup();
        Ok(Kinds { kinds, confirmed: false })
    }
}

/// A name that is not `auto` and none of [`Kind::ALL`].
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("unknown kind '{name}'; known: auto, {}", Kind::ALL.map(Kind::name).join(", "))]
#[non_exhaustive]
pub struct UnknownKind {
    /// The name.
    pub name: String,
}

/// A name of no [`RowOrder`].
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("unknown order of rows '{name}'; known: auto, keep, ignore")]
#[non_exhaustive]
pub struct UnknownRowOrder {
    /// The name.
    pub name: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip() {
        for text in
            ["auto", "digest", "digest,canonical", "digest,simhash,shingles,rows,canonical,redirect,declared"]
        {
            assert_eq!(text.parse::<Kinds>().unwrap().to_string(), text);
        }
        for order in ["auto", "keep", "ignore"] {
            assert_eq!(order.parse::<RowOrder>().unwrap().to_string(), order);
        }
        assert_eq!(
            "no".parse::<RowOrder>().unwrap_err().to_string(),
            "unknown order of rows 'no'; known: auto, keep, ignore"
        );
        assert_eq!("redirect, digest,digest".parse::<Kinds>().unwrap().to_string(), "digest,redirect");
        assert_eq!(
            "digest,".parse::<Kinds>().unwrap_err().to_string(),
            "unknown kind ''; known: auto, digest, simhash, shingles, rows, canonical, redirect, declared"
        );
    }
}
