//! Helpers shared by learners for writing templates.

use undust::rules::Action;
use undust::rules::template::{Class, Item, Piece, Template, literal};

use super::Candidate;

/// A readable name for the hole of a parameter: its own where it is a word, does not look like `{0xFF}`, which is a byte, and is not
/// what the URL's scheme is called. Other names that learners make up have a dash, which these have not.
pub(super) fn param_name(name: &[u8]) -> Option<String> {
    let is_word = !name.is_empty() && name.iter().all(|b| b.is_ascii_alphanumeric() || *b == b'_');
    let is_free = name != b"scheme" && !name.starts_with(b"0x");
    (is_word && is_free).then(|| String::from_utf8_lossy(name).into_owned())
}

/// A fixed host, label by label; an IPv6 address is one.
pub fn host(host: &[u8]) -> Vec<Item> {
    if host.starts_with(b"[") {
        return vec![Item::One(literal(host))];
    }
    host.split(|b| *b == b'.').map(|label| Item::One(literal(label))).collect()
}

/// Counts of pairs of duplicates: those that differ in nothing but the order of their parameters, and others.
#[derive(Default)]
pub(super) struct Reordered {
    pub(super) pairs: u64,
    pub(super) others: u64,
}

/// Other pairs of duplicates per pair that differs in the order of parameters, at most, where order differs often.
const MAX_PAIRS_PER_REORDERED: u64 = 20;

impl Reordered {
    /// Whether rules should print parameters sorted, since another rule will sort them.
    pub(super) fn is_often(&self) -> bool {
        self.pairs * MAX_PAIRS_PER_REORDERED > self.others
    }

    /// The rule that sorts parameters, if there is anything to sort.
    pub(super) fn sorting(&self) -> Option<Candidate> {
        let action = sorting().filter(|_| self.pairs > 0);
        action.map(|action| Candidate { action, support: self.pairs })
    }
}

/// Parameters sorted by name, on the whole site.
#[doc(hidden)]
pub fn sorting() -> Option<Action> {
    Action::rewrite("{scheme}://{...}/{...}?{...}", "{scheme}://{...}/{...}?{sorted(...)}").ok()
}

/// Holes that are not printed need no name.
pub fn forget_unused(matches: &mut Template, becomes: &Template) {
    let used: Vec<&str> = becomes
        .texts()
        .flatten()
        .filter_map(|piece| match piece {
            Piece::Hole { name, .. } => Some(name.as_str()),
            _ => None,
        })
        .collect();
    for piece in matches.texts_mut().flatten() {
        if let Piece::Hole { name, class, optional, .. } = piece
            && !used.contains(&name.as_str())
        {
            match (class, *optional) {
                (Class::Any, false) => *piece = Piece::Star,
                _ => name.clear(),
            }
        }
    }
}
