//! Which parameters a site itself says not to look at: `Clean-param` in its `robots.txt`, `No-Vary-Search` in its answers; and
//! which URLs its sitemap lists.

use undust::url::{Key, SplitUrl, join};

/// A `Clean-param` line: these parameters do not matter on these paths.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct CleanParam {
    names: Vec<String>,
    /// Begins with this; `*` is any text.
    path: String,
}

/// Most `Clean-param` lines of a host: more are a mistake or an attack, as each is matched with every URL.
const MAX_CLEAN_PARAM_LINES: usize = 1000;

/// The `Clean-param` lines of a `robots.txt`. They hold for every robot, wherever they stand.
pub(crate) fn clean_params(robots: &str) -> Vec<CleanParam> {
    robots.lines().filter_map(clean_param).take(MAX_CLEAN_PARAM_LINES).collect()
}

fn clean_param(line: &str) -> Option<CleanParam> {
    let line = line.split('#').next().unwrap_or_default();
    let (field, value) = line.split_once(':')?;
    field.trim().eq_ignore_ascii_case("clean-param").then_some(())?;
    let mut parts = value.split_whitespace();
    let names = parts.next()?.split('&').filter(|name| !name.is_empty()).map(str::to_owned).collect();
    Some(CleanParam { names, path: parts.next().unwrap_or("/").to_owned() })
}

impl CleanParam {
    fn covers(&self, path: &[u8]) -> bool {
        let mut pieces = self.path.as_bytes().split(|&byte| byte == b'*');
        let Some(mut rest) = path.strip_prefix(pieces.next().unwrap_or_default()) else { return false };
        pieces.all(|piece| match memchr::memmem::find(rest, piece) {
            Some(at) => {
                rest = &rest[at + piece.len()..];
                true
            }
            None => false,
        })
    }
}

/// The URL without the parameters that `lines` declare not to matter; none where they declare nothing of it.
pub(crate) fn without_clean_params(url: &[u8], lines: &[CleanParam]) -> Option<Vec<u8>> {
    let split = SplitUrl::new(url)?;
    let covering: Vec<&CleanParam> = lines.iter().filter(|line| line.covers(split.path())).collect();
    let declared =
        |name: &[u8]| covering.iter().any(|line| line.names.iter().any(|known| known.as_bytes() == name));
    (!covering.is_empty()).then(|| without(&split, declared, false))
}

/// What a `No-Vary-Search` header says.
#[derive(Debug, Default, PartialEq, Eq)]
struct NoVarySearch {
    key_order: bool,
    /// All but those named.
    all: bool,
    names: Vec<String>,
}

/// The URL without what its own `No-Vary-Search` header declares not to matter; none where it declares nothing.
pub(crate) fn without_unvarying(url: &[u8], header: &str) -> Option<Vec<u8>> {
    let says = NoVarySearch::new(header);
    let declared = |name: &[u8]| says.all != says.names.iter().any(|known| known.as_bytes() == name);
    let split = SplitUrl::new(url).filter(|_| says != NoVarySearch::default())?;
    Some(without(&split, declared, says.key_order))
}

impl NoVarySearch {
    fn new(header: &str) -> NoVarySearch {
        let said = |name: &str| {
            let pair = |member: &str| {
                let (name, value) = member.split_once('=').unwrap_or((member, "?1"));
                (name.trim().to_owned(), value.trim().to_owned())
            };
            members(header)
                .map(pair)
                .filter(|(said, _)| said == name)
                .last()
                .map(|(_, value)| value)
                .unwrap_or_default()
        };
        let all = said("params") == "?1";
        NoVarySearch {
            key_order: said("key-order") == "?1",
            all,
            names: strings(&said(if all { "except" } else { "params" })),
        }
    }
}

/// The members of a dictionary (RFC 8941), which commas separate outside of quotes.
fn members(header: &str) -> impl Iterator<Item = &str> {
    let mut quoted = false;
    header
        .split(move |c| {
            quoted ^= c == '"';
            c == ',' && !quoted
        })
        .map(str::trim)
        .filter(|member| !member.is_empty())
}

/// The strings of an inner list: `("a" "b")`.
fn strings(list: &str) -> Vec<String> {
    let inner = list.strip_prefix('(').and_then(|list| list.strip_suffix(')')).unwrap_or_default();
    inner.split('"').skip(1).step_by(2).map(str::to_owned).collect()
}

/// The URL without the parameters `declared`, the others sorted where their order does not matter.
fn without(split: &SplitUrl<'_>, declared: impl Fn(&[u8]) -> bool, sorted: bool) -> Vec<u8> {
    let is_param = |key: &Key<'_>| matches!(key, Key::Param { .. } | Key::EmptyQuery | Key::Fragment);
    let mut key = join(split.keys().filter(|(key, _)| !is_param(key)));
    let mut params: Vec<_> = split.params().filter(|param| !declared(param.name)).collect();
    if sorted {
        params.sort_by_key(|param| param.name);
    }
    for (param, sign) in params.into_iter().zip([b'?'].into_iter().chain(std::iter::repeat(b'&'))) {
        key.push(sign);
        key.extend_from_slice(param.name);
        key.push(b'=');
        key.extend_from_slice(param.value.unwrap_or_default());
    }
    key
}

/// The URLs that a sitemap lists; none where `text` is no sitemap.
pub(crate) fn listed(text: &str) -> Vec<String> {
    let start = text.trim_start();
    let head = &start.as_bytes()[..start.len().min(1000)];
    let is_sitemap = start.starts_with('<') && memchr::memmem::find(head, b"<urlset").is_some();
    if !is_sitemap {
        return Vec::new();
    }
    let urls = text.split("<loc>").skip(1).filter_map(|rest| rest.split("</loc>").next());
    urls.map(|url| url.trim().replace("&amp;", "&")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cleaned(url: &str, robots: &str) -> Option<String> {
        without_clean_params(url.as_bytes(), &clean_params(robots)).map(|key| String::from_utf8(key).unwrap())
    }

    #[test]
    fn clean_params_of_robots() {
        let robots = "User-agent: *\nDisallow: /x\nclean-param: ref&sid /some_dir/get_book.pl # ours\nClean-param: utm /*/a\n";
        let book = "http://a.org/some_dir/get_book.pl?ref=site_1&book_id=123";
        assert_eq!(cleaned(book, robots).as_deref(), Some("http://a.org/some_dir/get_book.pl?book_id=123"));
        assert_eq!(cleaned("http://a.org/b/a/c?utm=1;x", robots).as_deref(), Some("http://a.org/b/a/c?x="));
        assert_eq!(cleaned("http://a.org/other?ref=1", robots), None);
        assert_eq!(cleaned("http://a.org/x?ref=1", "Clean-param: ref").as_deref(), Some("http://a.org/x"));
        assert_eq!(clean_params("Clean-param:\nClean-param"), []);
    }

    fn unvaried(url: &str, header: &str) -> Option<String> {
        without_unvarying(url.as_bytes(), header).map(|key| String::from_utf8(key).unwrap())
    }

    #[test]
    fn no_vary_search() {
        let url = "http://a.org/?b=1&a=2&c=3";
        assert_eq!(unvaried(url, "params=(\"a\" \"c\")").as_deref(), Some("http://a.org/?b=1"));
        assert_eq!(unvaried(url, "params, except=(\"c\")").as_deref(), Some("http://a.org/?c=3"));
        assert_eq!(unvaried(url, "except=(\"c\"), params").as_deref(), Some("http://a.org/?c=3"));
        assert_eq!(unvaried(url, "key-order, params").as_deref(), Some("http://a.org/"));
        assert_eq!(unvaried(url, "key-order").as_deref(), Some("http://a.org/?a=2&b=1&c=3"));
        for nothing in ["", "params=()", "except=(\"a\")", "params=\"", "key-order=?0"] {
            assert_eq!(unvaried(url, nothing), None, "{nothing}");
        }
    }

    #[test]
    fn sitemaps() {
        let map = "<?xml version='1.0'?><urlset xmlns='x'><url><loc> http://a.org/?x&amp;y </loc></url><url><loc>http://a.org/b</loc>";
        assert_eq!(listed(map), ["http://a.org/?x&y", "http://a.org/b"]);
        assert_eq!(listed("<html><loc>http://a.org/</loc>"), Vec::<String>::new());
    }
}
