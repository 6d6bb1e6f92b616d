//! Why two URLs of one page are not equal, where that is a habit of servers and authors and not another value: a slash, letter case, an extension.

use undust::rules::Convert;
use undust::url::SplitUrl;

/// Something that URLs of one page often differ in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Habit {
    Scheme,
    Www,
    Port,
    Separators,
    Escapes,
    LetterCase,
    ParameterOrder,
    IndexFile,
    Extension,
    DoubledSlashes,
    LastSlash,
    BareQuery,
}

impl Habit {
    /// In the order in which they are levelled: an index file goes before the slash that it leaves.
    const ALL: [Habit; 12] = [
        Habit::Scheme,
        Habit::Www,
        Habit::Port,
        Habit::Separators,
        Habit::Escapes,
        Habit::LetterCase,
        Habit::ParameterOrder,
        Habit::IndexFile,
        Habit::Extension,
        Habit::DoubledSlashes,
        Habit::LastSlash,
        Habit::BareQuery,
    ];

    /// What URLs differ in.
    pub(super) fn name(self) -> &'static str {
        match self {
            Habit::Scheme => "the scheme",
            Habit::Www => "www. before the host",
            Habit::Port => "the port",
            Habit::Separators => "what separates parameters",
            Habit::Escapes => "percent escapes",
            Habit::LetterCase => "upper and lower case",
            Habit::ParameterOrder => "the order of parameters",
            Habit::IndexFile => "the name of an index file",
            Habit::Extension => "a file extension",
            Habit::DoubledSlashes => "doubled slashes",
            Habit::LastSlash => "a slash at the end of the path",
            Habit::BareQuery => "a bare ?",
        }
    }

    /// Make equal what differs in this habit alone.
    fn level(self, url: &mut Parts) {
        match self {
            Habit::Scheme => url.scheme.clear(),
            Habit::Www => drop_prefix(&mut url.host, b"www."),
            Habit::Port => url.port = None,
            Habit::Separators => url.separators.fill(b'&'),
            Habit::Escapes => url.each_text(unescaped),
            Habit::LetterCase => url.each_text(|text| converted(Convert::Lower, text)),
            Habit::ParameterOrder => url.params.sort_unstable(),
            Habit::IndexFile => drop_index_file(&mut url.path),
            Habit::Extension => drop_extensions(&mut url.path),
            Habit::DoubledSlashes => url.path.dedup_by(|a, b| (*a, *b) == (b'/', b'/')),
            Habit::LastSlash => url.path.truncate(url.path.len() - usize::from(url.path.ends_with(b"/"))),
            Habit::BareQuery => url.has_query = !url.params.is_empty(),
        }
    }
}

/// The habits in which these URLs differ, if they differ in nothing else; none of them could be left out.
pub(super) fn habits(a: &[u8], b: &[u8]) -> Vec<Habit> {
    let (Some(a), Some(b)) = (Parts::of(a), Parts::of(b)) else { return Vec::new() };
    let are_equal = |habits: &[Habit]| a.levelled(habits) == b.levelled(habits);
    let mut needed = Habit::ALL.to_vec();
    if !are_equal(&needed) {
        return Vec::new();
    }
    for habit in Habit::ALL {
        let others: Vec<Habit> = needed.iter().copied().filter(|other| *other != habit).collect();
        if are_equal(&others) {
            needed = others;
        }
    }
    needed
}

/// A URL in the parts that habits are about.
#[derive(Clone, PartialEq, Eq)]
struct Parts {
    scheme: Vec<u8>,
    userinfo: Option<Vec<u8>>,
    host: Vec<u8>,
    port: Option<Vec<u8>>,
    path: Vec<u8>,
    has_query: bool,
    /// What stands before each parameter.
    separators: Vec<u8>,
    params: Vec<Vec<u8>>,
    fragment: Option<Vec<u8>>,
}

impl Parts {
    fn of(url: &[u8]) -> Option<Parts> {
        let split = SplitUrl::new(url)?;
        let param = |name: &[u8], value: Option<&[u8]>| match value {
            Some(value) => [name, value].join(&b'='),
            None => name.to_vec(),
        };
        Some(Parts {
            scheme: split.scheme().to_vec(),
            userinfo: split.userinfo().map(<[u8]>::to_vec),
            host: split.host().to_vec(),
            port: split.port().map(<[u8]>::to_vec),
            path: split.path().to_vec(),
            has_query: split.query().is_some(),
            separators: split.params().map(|param| param.separator).collect(),
            params: split.params().map(|p| param(p.name, p.value)).collect(),
            fragment: split.fragment().map(<[u8]>::to_vec),
        })
    }

    fn levelled(&self, habits: &[Habit]) -> Parts {
        let mut url = self.clone();
        habits.iter().for_each(|habit| habit.level(&mut url));
        url
    }

    /// Change the path and the parameters.
    fn each_text(&mut self, change: impl Fn(&[u8]) -> Vec<u8>) {
        for text in self.params.iter_mut().chain([&mut self.path]) {
            *text = change(text);
        }
    }
}

fn drop_prefix(text: &mut Vec<u8>, prefix: &[u8]) {
    if text.starts_with(prefix) {
        text.drain(..prefix.len());
    }
}

fn converted(convert: Convert, text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    convert.append(text, &mut out);
    out
}

/// Everything escaped that can be, but for plain characters, whatever was escaped before.
fn unescaped(text: &[u8]) -> Vec<u8> {
    let spaces: Vec<u8> = text.iter().map(|&byte| if byte == b'+' { b' ' } else { byte }).collect();
    converted(Convert::Encode, &converted(Convert::Decode, &spaces))
}

/// Where the last component of a path begins.
fn last_component(path: &[u8]) -> usize {
    path.iter().rposition(|byte| *byte == b'/').map_or(0, |slash| slash + 1)
}

/// What servers show for a folder, with any extensions.
const INDEX_NAMES: [&str; 3] = ["index", "default", "home"];

fn drop_index_file(path: &mut Vec<u8>) {
    let start = last_component(path);
    let stem = path[start..].split(|byte| *byte == b'.').next().unwrap_or_default();
    if INDEX_NAMES.iter().any(|name| stem.eq_ignore_ascii_case(name.as_bytes())) {
        path.truncate(start);
    }
}

/// `page.html.en` is `page`. Extensions are short words: the end of `v1.2` is none.
fn drop_extensions(path: &mut Vec<u8>) {
    let start = last_component(path);
    while let Some(point) = path[start..].iter().rposition(|byte| *byte == b'.') {
        let extension = &path[start + point + 1..];
        if point == 0 || !(2..=5).contains(&extension.len()) || !extension.iter().all(u8::is_ascii_alphabetic)
        {
            break;
        }
        path.truncate(start + point);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(a: &str, b: &str, expected: &[Habit]) {
        let [a, b] =
            [a, b].map(|tail| if tail.contains("://") { tail.into() } else { format!("http://a.com{tail}") });
        assert_eq!(habits(a.as_bytes(), b.as_bytes()), expected, "{a} {b}");
        assert_eq!(habits(b.as_bytes(), a.as_bytes()), expected, "{b} {a}");
    }

    #[test]
    fn one_habit() {
        check("https://a.com/x", "http://a.com/x", &[Habit::Scheme]);
        check("http://www.a.com/x", "http://a.com/x", &[Habit::Www]);
        check("http://a.com:8080/x", "http://a.com/x", &[Habit::Port]);
        check("/x?a=1;b=2", "/x?a=1&b=2", &[Habit::Separators]);
        check("/caf%C3%A9?q=a+b", "/café?q=a%20b", &[Habit::Escapes]);
        check("/a%28b%29", "/a(b)", &[Habit::Escapes]);
        check("/Main_Page?A=x", "/main_page?a=X", &[Habit::LetterCase]);
        check("/x?b=2&a=1", "/x?a=1&b=2", &[Habit::ParameterOrder]);
        check("/dir/index.php?a", "/dir/?a", &[Habit::IndexFile]);
        check("/dir/Index.html.en", "/dir/", &[Habit::IndexFile]);
        check("/page.html.en", "/page", &[Habit::Extension]);
        check("/dir/index.html", "/dir/index", &[Habit::Extension]);
        check("/a//b", "/a/b", &[Habit::DoubledSlashes]);
        check("/a/", "/a", &[Habit::LastSlash]);
        check("/a?", "/a", &[Habit::BareQuery]);
    }

    #[test]
    fn several_habits_and_no_more_than_it_takes() {
        check("https://www.a.com/x/", "http://a.com/x", &[Habit::Scheme, Habit::Www, Habit::LastSlash]);
        check("/dir/index.html", "/dir", &[Habit::IndexFile, Habit::LastSlash]);
        check("/X?b=1&a=2", "/x?a=2&b=1", &[Habit::LetterCase, Habit::ParameterOrder]);
    }

    #[test]
    fn other_values_are_no_habit() {
        check("/x?a=1", "/x?a=2", &[]);
        check("/v1.2", "/v1.3", &[]);
        check("/x?a=1&b=2", "/x?a=2&b=1", &[]);
        check("http://u@a.com/", "http://a.com/", &[]);
        check("/x#a", "/x", &[]);
        check("/x", "/x", &[]);
        assert!(habits(b"mailto:a", b"mailto:A").is_empty());
    }
}
