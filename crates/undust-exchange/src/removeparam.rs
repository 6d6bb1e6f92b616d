//! `$removeparam` filters of `AdGuard` and uBlock Origin: a line for each parameter to drop.

use crate::Written;
use crate::active::{ActiveRule, distinct, partition};
use crate::collect::ImportedRules;
use crate::from_regex::is_host;
use crate::param_rule::{Change, Hosts, ParamRule, Path, param_rule};
use crate::url_pattern::url_pattern;

pub(crate) const CAVEATS: &[&str] =
    &["letter case of URLs is not looked at", "a parameter is also dropped without a value and twice"];

pub(crate) fn export(rules: &[ActiveRule]) -> Written {
    let (said, left_out) = partition(rules, |rule| filters(&param_rule(rule)?));
    let lines = distinct(said.into_iter().flat_map(|(_, lines)| lines));
    let text = lines.into_iter().map(|line| line + "\n").collect();
    Written { text, left_out }
}

fn filters(param_rule: &ParamRule) -> Result<Vec<String>, String> {
    let value = match &param_rule.change {
        Change::Drop(name) if is_plain(name) => format!("removeparam={name}"),
        Change::Drop(name) => return Err(format!("a filter cannot name the parameter '{name}'")),
        Change::DropAll => "removeparam".to_owned(),
        Change::KeepOnly(_) | Change::Sort => return Err("parameters can only be dropped".into()),
    };
    Ok(url_filters(param_rule).into_iter().map(|pattern| format!("{pattern}${value}")).collect())
}

fn is_plain(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b))
}

/// Filters for the URLs: anchored names where they can say it, expressions elsewhere.
fn url_filters(param_rule: &ParamRule) -> Vec<String> {
    let paths = match &param_rule.path {
        Path::Any => vec!["/".to_owned()],
        Path::Exact(path) => vec![format!("{path}?")],
        Path::Under(path) => vec![path.clone(), format!("{}?", path.trim_end_matches('/'))],
        Path::Starts(path) => vec![path.clone()],
    };
    let port = &param_rule.colon_port();
    let is_simple = !paths.iter().any(|path| path.contains(['*', '^', '|', '$', ',', '\\', ' ']));
    match (&param_rule.hosts, &param_rule.scheme) {
        (Hosts::Every, None) if param_rule.path == Path::Any && param_rule.port.is_none() => {
            vec![String::new()]
        }
        (Hosts::Below(name), None) if is_simple => {
            paths.iter().map(|path| format!("||{name}{port}{path}")).collect()
        }
        (Hosts::Only(name), scheme) if is_simple => {
            let schemes = scheme.as_ref().map_or(vec!["http", "https"], |scheme| vec![scheme]);
            schemes
                .iter()
                .flat_map(|scheme| paths.iter().map(move |path| format!("|{scheme}://{name}{port}{path}")))
                .collect()
        }
        _ => vec![format!(
            "/{}/",
            url_pattern(param_rule).replace('/', "\\/").replace('$', "\\x24").replace(',', "\\x2C")
        )],
    }
}

pub(crate) fn import(text: &str) -> ImportedRules {
    let mut collected = ImportedRules::default();
    for (i, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with(['!', '[']) || line.starts_with("# ") {
            continue;
        }
        let what = format!("line {}: {line}", i + 1);
        match read(line) {
            Ok(param_rules) => {
                for param_rule in &param_rules {
                    collected.add_param_rule(param_rule, &what);
                }
            }
            Err(reason) => collected.leave_out(what, reason),
        }
    }
    collected
}

fn read(line: &str) -> Result<Vec<ParamRule>, String> {
    let at = ["removeparam", "queryprune"].iter().find_map(|word| line.find(word));
    let options = at.and_then(|at| line[..at].rfind('$')).ok_or("it is no filter that removes parameters")?;
    if line.starts_with("@@") {
        return Err("rules have no exceptions: those it is made from hold there, too".into());
    }
    let (pattern, options) = (&line[..options], Options::read(&line[options + 1..])?);
    let place = |hosts: Hosts, path: Path, scheme: Option<&str>| ParamRule {
        scheme: scheme.map(str::to_owned),
        hosts,
        port: None,
        path,
        change: options.change.clone(),
    };
    let is_generic = matches!(pattern, "" | "*");
    match (is_generic, options.domains.is_empty()) {
        (true, true) => Ok(vec![place(Hosts::Every, Path::Any, None)]),
        (true, false) => Ok(options
            .domains
            .iter()
            .map(|name| place(Hosts::Below(name.clone()), Path::Any, None))
            .collect()),
        (false, true) => url_place(pattern).map(|(hosts, path, scheme)| vec![place(hosts, path, scheme)]),
        (false, false) => Err("it asks for a page and for another URL on it".into()),
    }
}

/// What a filter says behind its `$`.
struct Options {
    change: Change,
    domains: Vec<String>,
}

impl Options {
    fn read(text: &str) -> Result<Options, String> {
        let (mut change, mut domains, mut types) = (Change::DropAll, Vec::new(), Vec::new());
        for option in text.split(',') {
            let (name, value) = option.split_once('=').unwrap_or((option, ""));
            match name {
                "removeparam" | "queryprune" => change = read_change(value)?,
                "domain" | "from" => domains = value.split('|').map(read_domain).collect::<Result<_, _>>()?,
                "important" | "match-case" => {}
                "document" | "doc" | "all" | "xmlhttprequest" | "xhr" | "subdocument" | "script"
                | "image" | "media" | "ping" | "other" | "stylesheet" | "font" | "object" | "websocket" => {
                    types.push(name);
                }
                _ => return Err(format!("rules do not know what '{option}' asks for")),
            }
        }
        let of_pages =
            types.is_empty() || types.iter().any(|name| matches!(*name, "document" | "doc" | "all"));
        if of_pages { Ok(Options { change, domains }) } else { Err("it is not for pages".into()) }
    }
}

fn read_change(value: &str) -> Result<Change, String> {
    match value {
        "" => Ok(Change::DropAll),
        _ if value.starts_with(['/', '~', '|']) => {
            Err("it names parameters by an expression, or those to keep".into())
        }
        name if name.contains(['*', '&', '=', '#', ';']) => {
            Err(format!("'{name}' is no name of a parameter"))
        }
        name => Ok(Change::Drop(name.to_owned())),
    }
}

fn read_domain(name: &str) -> Result<String, String> {
    if is_host(name) { Ok(name.to_owned()) } else { Err(format!("'{name}' is no host, or an exception")) }
}

/// The URLs that a pattern is for: `||host^`, `||host/path`, `|https://host/path`.
fn url_place(pattern: &str) -> Result<(Hosts, Path, Option<&str>), String> {
    let (scheme, rest) =
        match (pattern.strip_prefix("||"), pattern.strip_prefix('|').and_then(|p| p.split_once("://"))) {
            (Some(rest), _) => (None, rest),
            (None, Some((scheme, rest))) => (Some(scheme), rest),
            (None, None) => return Err("its pattern is not anchored to a host".into()),
        };
    let (host, path) = rest.split_at(rest.find(['/', '^', '*', '?']).unwrap_or(rest.len()));
    let host = read_domain(&host.to_ascii_lowercase())?;
    if path.is_empty() && !host.contains('.') {
        return Err(format!("hosts that begin with '{host}' may be many"));
    }
    let path = match path {
        "" | "^" | "/" | "^*" | "/*" | "*" => Path::Any,
        _ => read_path(path.trim_end_matches('*'))?,
    };
    Ok((if scheme.is_some() { Hosts::Only(host) } else { Hosts::Below(host) }, path, scheme))
}

fn read_path(path: &str) -> Result<Path, String> {
    let (inside, end) = match path.strip_suffix(['^', '?']) {
        Some(inside) => (inside, &path[inside.len()..]),
        None => (path, ""),
    };
    if !inside.starts_with('/') || inside.contains(['*', '^', '?', '|', '&', '=', '#']) {
        return Err("its pattern asks for more than the beginning of a path".into());
    }
    Ok(match end {
        "?" => Path::Exact(inside.to_owned()),
        "^" => Path::Under(format!("{inside}/")),
        _ => Path::Starts(inside.to_owned()),
    })
}
