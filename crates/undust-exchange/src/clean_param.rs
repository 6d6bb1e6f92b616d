//! `Clean-param` in robots.txt, as Yandex reads it: parameters to drop, below the beginning of a path.

use std::collections::BTreeMap;

use crate::Written;
use crate::active::{ActiveRule, distinct, partition};
use crate::param_rule::{Change, Hosts, Path, param_rule};

pub(crate) const CAVEATS: &[&str] = &[
    "a parameter is also dropped without a value and twice",
    "a rule for /a and all below it leaves /a itself alone",
];

pub(crate) fn export(rules: &[ActiveRule]) -> Written {
    let (said, left_out) = partition(rules, |rule| {
        let param_rule = param_rule(rule)?;
        let port = param_rule.colon_port();
        let scheme = param_rule.scheme.as_ref().map_or(String::new(), |scheme| format!("{scheme}://"));
        let file = match &param_rule.hosts {
            Hosts::Every => return Err("a robots.txt is of one host".to_owned()),
            Hosts::Below(name) => format!("of {scheme}{name}{port} and all hosts below it"),
            Hosts::Only(name) => format!("of {scheme}{name}{port}"),
        };
        let Change::Drop(name) = &param_rule.change else {
            return Err("parameters can only be dropped one by one".to_owned());
        };
        Ok((file, line(name, &param_rule.path)?))
    });
    let mut files: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (_, (file, line)) in said {
        files.entry(file).or_default().push(line);
    }
    let section = |(file, lines): (String, Vec<String>)| {
        format!("# robots.txt {file}\nUser-agent: Yandex\n{}\n", distinct(lines).concat())
    };
    Written { text: files.into_iter().map(section).collect(), left_out }
}

fn line(name: &str, path: &Path) -> Result<String, String> {
    let is_plain =
        |text: &str, more: &[u8]| text.bytes().all(|b| b.is_ascii_alphanumeric() || more.contains(&b));
    if name.is_empty() || !is_plain(name, b"-_.[]%") {
        return Err(format!("the line cannot name the parameter '{name}'"));
    }
    match path {
        Path::Any => Ok(format!("Clean-param: {name}\n")),
        Path::Under(path) | Path::Starts(path) if is_plain(path, b".-/_") => {
            Ok(format!("Clean-param: {name} {path}\n"))
        }
        Path::Under(path) | Path::Starts(path) => Err(format!("the line cannot name the path '{path}'")),
        Path::Exact(path) => Err(format!("the line would hold for all paths that begin with {path}")),
    }
}
