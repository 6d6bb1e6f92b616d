//! The header `No-Vary-Search`: which parameters of the URLs of a response are irrelevant, and whether their order is.

use crate::Written;
use crate::active::{ActiveRule, distinct, partition};
use crate::param_rule::{Change, ParamRule, Path, param_rule};
use crate::url_pattern::place_name;

pub(crate) const CAVEATS: &[&str] = &["a parameter is also irrelevant without a value and twice"];

pub(crate) fn export(rules: &[ActiveRule]) -> Written {
    let (said, left_out) = partition(rules, |rule| {
        let param_rule = param_rule(rule)?;
        match &param_rule.change {
            Change::Drop(name) if !is_plain(name) => {
                Err(format!("the header cannot name the parameter '{name}'"))
            }
            Change::KeepOnly(_) => Err("the header would hold without that parameter, too".to_owned()),
            _ => Ok(param_rule),
        }
    });
    let param_rules: Vec<ParamRule> = said.into_iter().map(|(_, param_rule)| param_rule).collect();
    let places = distinct(
        param_rules.iter().map(|param_rule| (place_name(param_rule), header(param_rule, &param_rules))),
    );
    let lines = places.into_iter().map(|(place, header)| format!("# {place}\nNo-Vary-Search: {header}\n"));
    Written { text: lines.collect::<Vec<_>>().concat(), left_out }
}

fn is_plain(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.~".contains(&b))
}

/// The header of responses at the place of `param_rule`: a response has one, so that it holds what is said of wider places, too.
fn header(param_rule: &ParamRule, all: &[ParamRule]) -> String {
    let here: Vec<&Change> =
        all.iter().filter(|wide| holds(wide, param_rule)).map(|wide| &wide.change).collect();
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
fn holds(wide: &ParamRule, narrow: &ParamRule) -> bool {
    let scheme = wide.scheme.is_none() || wide.scheme == narrow.scheme;
    let path = match (&wide.path, &narrow.path) {
        (Path::Any, _) => true,
        (Path::Under(wide), Path::Exact(path) | Path::Under(path)) => format!("{path}/").starts_with(wide),
        (wide, narrow) => wide == narrow,
    };
    scheme && path && wide.port == narrow.port && wide.hosts.holds(&narrow.hosts)
}
