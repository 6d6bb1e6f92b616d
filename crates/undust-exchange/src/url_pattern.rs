//! Where a rule about parameters holds, as a regular expression on the URL: for formats that match URLs in this way.

use crate::param_rule::{Hosts, ParamRule, Path};
use crate::to_regex::{LABELS, escape};

/// An expression that finds the beginning of the URLs that `param_rule` matches, up to the path or, where that is fixed, the `?`.
pub(crate) fn url_pattern(param_rule: &ParamRule) -> String {
    let scheme = param_rule.scheme.as_ref().map_or("https?".to_owned(), |scheme| escape(scheme));
    let host = match &param_rule.hosts {
        Hosts::Every => "[^/?#@:]+".to_owned(),
        Hosts::Below(name) => format!("{LABELS}{}", escape(name)),
        Hosts::Only(name) => escape(name),
    };
    let port = param_rule.colon_port();
    let path = match &param_rule.path {
        Path::Any => "/".to_owned(),
        Path::Exact(path) => format!("{}\\?", escape(path)),
        Path::Under(path) => format!("{}[/?]", escape(path.trim_end_matches('/'))),
        Path::Starts(path) => escape(path),
    };
    format!("^{scheme}://{host}{port}{path}")
}

/// What a reader calls it.
pub(crate) fn place_name(param_rule: &ParamRule) -> String {
    let scheme = param_rule.scheme.as_ref().map_or(String::new(), |scheme| format!("{scheme}://"));
    let port = param_rule.colon_port();
    let host = match &param_rule.hosts {
        Hosts::Every => format!("every site{port}"),
        Hosts::Below(name) => format!("{name}{port}"),
        Hosts::Only(name) => format!("{name}{port} alone"),
    };
    let path = match &param_rule.path {
        Path::Any => String::new(),
        Path::Exact(path) => format!(", {path}"),
        Path::Under(path) | Path::Starts(path) => format!(", {path}..."),
    };
    format!("{scheme}{host}{path}")
}
