//! zytedata/duplicate-url-discarder: parameters to drop or to keep, for patterns of zytedata/url-matcher.
//!
//! There, rules for all sites are passed over on URLs that any other rule matches. Ours are not: what holds on every site is said
//! again for each of these patterns.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use undust::rules::Action;

use crate::active::{ActiveRule, partition};
use crate::collect::ImportedRules;
use crate::from_regex::is_host;
use crate::param_rule::{Change, Hosts, ParamRule, Path, param_rule};
use crate::{ImportError, LeftOut, Written};

pub(crate) const CAVEATS: &[&str] = &[
    "a parameter is also dropped without a value, twice, and where there is a port or a user",
    "only & separates parameters; letter case of paths is not looked at",
];

#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct Pattern {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    exclude: Vec<String>,
    include: Vec<String>,
}

#[derive(Debug, Serialize, Deserialize)]
struct UrlRule {
    #[serde(default)]
    args: Vec<Value>,
    order: i64,
    processor: String,
    #[serde(rename = "urlPattern")]
    pattern: Pattern,
}

impl UrlRule {
    fn new(processor: &str, args: impl IntoIterator<Item = String>, pattern: &Pattern) -> UrlRule {
        let args = args.into_iter().map(Value::String).collect();
        UrlRule { args, order: 0, processor: processor.to_owned(), pattern: pattern.clone() }
    }
}

pub(crate) fn export(rules: &[ActiveRule]) -> Written {
    let (said, left_out) = partition(rules, |rule| {
        let param_rule = param_rule(rule)?;
        Ok((pattern(&param_rule)?, param_rule.change))
    });
    let (mut drops, mut keeps) = (BTreeMap::<Pattern, BTreeSet<String>>::new(), BTreeSet::new());
    let mut everywhere = BTreeSet::new();
    for (rule, (pattern, change)) in said {
        match change {
            Change::Drop(name) if rule.holds_everywhere() && pattern == universal() => {
                everywhere.insert(name);
            }
            Change::Drop(name) => {
                drops.entry(pattern).or_default().insert(name);
            }
            Change::KeepOnly(name) => {
                drops.entry(pattern.clone()).or_default();
                keeps.insert((pattern, vec![name]));
            }
            Change::DropAll | Change::Sort => {
                drops.entry(pattern.clone()).or_default();
                keeps.insert((pattern, Vec::new()));
            }
        }
    }
    for names in drops.values_mut() {
        names.extend(everywhere.iter().cloned());
    }
    drops.insert(universal(), everywhere);
    let drops = drops.into_iter().filter(|(_, names)| !names.is_empty());
    let drops = drops.map(|(pattern, names)| UrlRule::new("queryRemoval", names, &pattern));
    let keeps = keeps.into_iter().map(|(pattern, names)| UrlRule::new("queryRemovalExcept", names, &pattern));
    let all: Vec<UrlRule> = drops.chain(keeps).collect();
    let text = serde_json::to_string_pretty(&all).unwrap_or_default() + "\n";
    Written { text, left_out }
}

fn universal() -> Pattern {
    Pattern { exclude: Vec::new(), include: vec![String::new()] }
}

/// The pattern of url-matcher for these URLs. A name alone is for all hosts below it; with a path it is for one host, and for the same
/// with `www.` before it.
fn pattern(param_rule: &ParamRule) -> Result<Pattern, String> {
    let scheme = param_rule.scheme.as_ref().map_or(String::new(), |scheme| format!("{scheme}://"));
    let query = match &param_rule.change {
        Change::Sort => return Err("it puts parameters in order".into()),
        Change::KeepOnly(name) if is_plain(name) => format!("?{name}=*"),
        Change::KeepOnly(name) => return Err(format!("the pattern cannot ask for a parameter '{name}'")),
        Change::Drop(_) | Change::DropAll => String::new(),
    };
    let port = param_rule.colon_port();
    let plain_domain = query.is_empty() && param_rule.path == Path::Any;
    let host = match &param_rule.hosts {
        Hosts::Every
            if plain_domain
                && scheme.is_empty()
                && port.is_empty()
                && param_rule.change != Change::DropAll =>
        {
            return Ok(universal());
        }
        Hosts::Every => return Err("what holds on all sites cannot depend on more".into()),
        Hosts::Below(name) if plain_domain => {
            return Ok(Pattern { exclude: Vec::new(), include: vec![format!("{scheme}{name}{port}")] });
        }
        Hosts::Below(_) => {
            return Err("it holds on all hosts of a domain, and a pattern with a path only on one".into());
        }
        Hosts::Only(host) => host,
    };
    let paths = match &param_rule.path {
        Path::Any => vec!["/".to_owned()],
        Path::Exact(path) => vec![format!("{path}|")],
        Path::Under(path) => vec![path.clone(), format!("{}|", path.trim_end_matches('/'))],
        Path::Starts(path) => vec![path.clone()],
    };
    if paths.iter().any(|path| path.contains('*')) {
        return Err("its path holds a *, which a pattern reads as any text".into());
    }
    let include = paths.into_iter().map(|path| format!("{scheme}{host}{port}{path}{query}")).collect();
    Ok(Pattern { exclude: vec![format!("www.{host}{port}/")], include })
}

fn is_plain(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b))
}

pub(crate) fn import(text: &str) -> Result<ImportedRules, ImportError> {
    let entries: Vec<Value> = serde_json::from_str(text)?;
    let (mut rules, mut collected) = (Vec::new(), ImportedRules::default());
    for (i, entry) in entries.into_iter().enumerate() {
        let what = format!("rule {}: {entry}", i + 1);
        match serde_json::from_value::<UrlRule>(entry) {
            Ok(rule) => rules.push((rule, what)),
            Err(error) => collected.leave_out(what, error.to_string()),
        }
    }
    rules.sort_by_key(|(rule, _)| rule.order);
    for (rule, what) in &rules {
        if let Err(LeftOut { what, reason }) = import_rule(rule, what, &mut collected) {
            collected.leave_out(what, reason);
        }
    }
    Ok(collected)
}

fn import_rule(rule: &UrlRule, what: &str, collected: &mut ImportedRules) -> Result<(), LeftOut> {
    let fail = |reason: String| LeftOut::new(what, reason);
    if rule.processor == "normalizer" {
        return normalizer(rule, what, collected).map_err(fail);
    }
    let changes = changes(rule).map_err(fail)?;
    for include in &rule.pattern.include {
        match places(include, &rule.pattern.exclude) {
            Ok(places) => {
                for (place, change) in
                    places.iter().flat_map(|place| changes.iter().map(move |change| (place, change)))
                {
                    let param_rule = ParamRule { change: change.clone(), ..place.clone() };
                    collected.add_param_rule(&param_rule, what);
                }
            }
            Err(reason) => collected.leave_out(format!("pattern '{include}' of {what}"), reason),
        }
    }
    Ok(())
}

fn changes(rule: &UrlRule) -> Result<Vec<Change>, String> {
    let name = |arg: &Value| arg.as_str().map(str::to_owned).ok_or_else(|| format!("{arg} is no name"));
    let names: Result<Vec<String>, String> = rule.args.iter().map(name).collect();
    match rule.processor.as_str() {
        "queryRemoval" => Ok(names?.into_iter().map(Change::Drop).collect()),
        "queryRemovalExcept" if rule.args.is_empty() => Ok(vec![Change::DropAll]),
        "queryRemovalExcept" => {
            Err("it keeps some parameters in the order they have, also where others are missing".into())
        }
        "subpathRemoval" => {
            Err("our rules run until nothing changes: one component after the other would go".into())
        }
        other => Err(format!("there is no processor '{other}'")),
    }
}

/// Which URLs a pattern is for.
fn places(include: &str, exclude: &[String]) -> Result<Vec<ParamRule>, String> {
    let (scheme, rest) = match include.split_once("://") {
        Some((scheme, rest)) => (Some(scheme.to_ascii_lowercase()), rest),
        None => (None, include),
    };
    let place = |hosts: Hosts, path: Path| ParamRule {
        scheme: scheme.clone(),
        hosts,
        port: None,
        path,
        change: Change::DropAll,
    };
    let (host, path) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    let host = host.to_ascii_lowercase();
    let has_own = exclude.len() == 1 && exclude[0] == format!("www.{host}/");
    if !exclude.is_empty() && !has_own {
        return Err("rules have no exceptions".into());
    }
    if include.is_empty() {
        return Ok(vec![place(Hosts::Every, Path::Any)]);
    }
    if !is_host(&host) {
        return Err(format!("'{host}' is no host"));
    }
    if path.contains(['*', '?', '#']) {
        return Err("rules ask for no wildcards, parameters or fragments as a pattern does".into());
    }
    let path = match path.strip_suffix('|') {
        _ if path.is_empty() => return Ok(vec![place(Hosts::Below(host), Path::Any)]),
        Some(path) => Path::Exact(path.to_owned()),
        None if path == "/" => Path::Any,
        None => Path::Starts(path.to_owned()),
    };
    let with_www = format!("www.{host}");
    let hosts = if has_own { vec![host] } else { vec![host, with_www] };
    Ok(hosts.into_iter().map(|host| place(Hosts::Only(host), path.clone())).collect())
}

/// Drops `www`, with or without digits. Theirs takes `www1355544.com` for `com`: ours leave a domain of two labels at least.
const NORMALIZER: [(&str, &str); 2] = [
    ("{scheme}://www.{a}.{b}.{...}/{...}?{...}", "{scheme}://{a}.{b}.{...}/{...}?{...}"),
    ("{scheme}://www{n:digits}.{a}.{b}.{...}/{...}?{...}", "{scheme}://{a}.{b}.{...}/{...}?{...}"),
];

/// It also drops slashes at the end.
const SLASH: &str = "a slash at the end stays: rules that drop it cannot be shown to come to rest together with those for www";

fn normalizer(rule: &UrlRule, what: &str, collected: &mut ImportedRules) -> Result<(), String> {
    for include in &rule.pattern.include {
        for place in places(include, &rule.pattern.exclude)? {
            if place.path != Path::Any || place.scheme.is_some() {
                return Err("it is for some paths or schemes alone".into());
            }
            for (from, to) in NORMALIZER {
                let action = Action::rewrite(from, to).map_err(|error| error.to_string())?;
                collected.add(place.hosts.clone(), action, what);
            }
        }
    }
    collected.leave_out(what, SLASH);
    Ok(())
}
