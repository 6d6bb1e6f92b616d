//! Where a rule about parameters holds, as a regular expression on the URL: for formats that match URLs in this way.

use crate::meaning::{Hosts, Meaning, Path};
use crate::regex_of::{LABELS, escape};

/// An expression that finds the beginning of the URLs that `meaning` speaks of, up to the path or, where that is fixed, the `?`.
pub(crate) fn url_pattern(meaning: &Meaning) -> String {
    let scheme = meaning.scheme.as_ref().map_or("https?".to_owned(), |scheme| escape(scheme));
    let host = match &meaning.hosts {
        Hosts::Every => "[^/?#@:]+".to_owned(),
        Hosts::Below(name) => format!("{LABELS}{}", escape(name)),
        Hosts::Only(name) => escape(name),
    };
    let port = meaning.colon_port();
    let path = match &meaning.path {
        Path::Any => "/".to_owned(),
        Path::Exact(path) => format!("{}\\?", escape(path)),
        Path::Under(path) => format!("{}[/?]", escape(path.trim_end_matches('/'))),
        Path::Starts(path) => escape(path),
    };
    format!("^{scheme}://{host}{port}{path}")
}

/// What a reader calls it.
pub(crate) fn place_name(meaning: &Meaning) -> String {
    let scheme = meaning.scheme.as_ref().map_or(String::new(), |scheme| format!("{scheme}://"));
    let port = meaning.colon_port();
    let host = match &meaning.hosts {
        Hosts::Every => format!("every site{port}"),
        Hosts::Below(name) => format!("{name}{port}"),
        Hosts::Only(name) => format!("{name}{port} alone"),
    };
    let path = match &meaning.path {
        Path::Any => String::new(),
        Path::Exact(path) => format!(", {path}"),
        Path::Under(path) | Path::Starts(path) => format!(", {path}..."),
    };
    format!("{scheme}{host}{path}")
}
