//! The header `No-Vary-Search`: which parameters of the URLs of a response are irrelevant, and whether their order is.

use crate::Written;
use crate::in_force::{InForce, distinct, sort_out};
use crate::meaning::{Change, Meaning, Path, meaning};
use crate::place::place_name;

pub(crate) const LIBERTIES: &[&str] = &["a parameter is also irrelevant without a value and twice"];

pub(crate) fn export(rules: &[InForce]) -> Written {
    let (said, left_out) = sort_out(rules, |rule| {
        let meaning = meaning(rule)?;
        match &meaning.change {
            Change::Drop(name) if !is_plain(name) => {
                Err(format!("the header cannot name the parameter '{name}'"))
            }
            Change::KeepOnly(_) => Err("the header would hold without that parameter, too".to_owned()),
            _ => Ok(meaning),
        }
    });
    let meanings: Vec<Meaning> = said.into_iter().map(|(_, meaning)| meaning).collect();
    let places = distinct(meanings.iter().map(|meaning| (place_name(meaning), header(meaning, &meanings))));
    let lines = places.into_iter().map(|(place, header)| format!("# {place}\nNo-Vary-Search: {header}\n"));
    Written { text: lines.collect::<Vec<_>>().concat(), left_out }
}

fn is_plain(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.~".contains(&b))
}

/// The header of responses at the place of `meaning`: a response has one, so that it holds what is said of wider places, too.
fn header(meaning: &Meaning, all: &[Meaning]) -> String {
    let here: Vec<&Change> =
        all.iter().filter(|wide| holds(wide, meaning)).map(|wide| &wide.change).collect();
    let names = distinct(here.iter().filter_map(|change| match change {
        Change::Drop(name) => Some(format!("\"{name}\"")),
        _ => None,
    }));
    let order = here.contains(&&Change::Sort).then(|| "key-order".to_owned());
    let params = if here.contains(&&Change::DropAll) {
        Some("params".to_owned())
    } else {
        (!names.is_empty()).then(|| format!("params=({})", names.join(" ")))
    };
    order.into_iter().chain(params).collect::<Vec<_>>().join(", ")
}

/// Whether all URLs of `narrow` are among those of `wide`.
fn holds(wide: &Meaning, narrow: &Meaning) -> bool {
    let scheme = wide.scheme.is_none() || wide.scheme == narrow.scheme;
    let path = match (&wide.path, &narrow.path) {
        (Path::Any, _) => true,
        (Path::Under(wide), Path::Exact(path) | Path::Under(path)) => format!("{path}/").starts_with(wide),
        (wide, narrow) => wide == narrow,
    };
    scheme && path && wide.port == narrow.port && wide.hosts.holds(&narrow.hosts)
}
