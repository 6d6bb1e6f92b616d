//! `robots.txt`, as RFC 9309 has it, with `Crawl-delay`.

use std::time::Duration;

/// The name looked for in `User-agent` lines.
const PRODUCT: &str = "undust";

/// The rules of a `robots.txt` that are about us.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Robots {
    rules: Vec<Rule>,
    pub(crate) crawl_delay: Option<Duration>,
}

#[derive(Clone, Debug, PartialEq)]
struct Rule {
    allow: bool,
    /// With percent escapes made alike; `*` and a last `$` have their meaning.
    pattern: Vec<u8>,
}

/// Rules that begin with one or more `User-agent` lines.
#[derive(Debug, Default)]
struct Group {
    ours: bool,
    everybodys: bool,
    begun: bool,
    robots: Robots,
}

impl Robots {
    /// Reads a file. Groups for us are taken together; where there are none, those for everybody.
    pub(crate) fn parse(text: &[u8]) -> Robots {
        let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
        let mut groups = vec![Group::default()];
        for line in text.split(|byte| matches!(byte, b'\n' | b'\r')) {
            if let Some((key, value)) = record(line) {
                take(&mut groups, &key, value);
            }
        }
        let ours = groups.iter().any(|group| group.ours);
        let mut robots = Robots::default();
        for group in groups.into_iter().filter(|group| if ours { group.ours } else { group.everybodys }) {
            robots.rules.extend(group.robots.rules);
            robots.crawl_delay = robots.crawl_delay.max(group.robots.crawl_delay);
        }
        robots
    }

    /// Whether a path with its query may be asked for: the longest rule that matches decides, and of two as long the
    /// one that allows.
    pub(crate) fn allows(&self, path: &str) -> bool {
        let path = normal(path.as_bytes(), true);
        let matching = self.rules.iter().filter(|rule| matches(&rule.pattern, &path));
        matching.max_by_key(|rule| (rule.pattern.len(), rule.allow)).is_none_or(|rule| rule.allow)
    }
}

/// Key and value of a line, without comment and white space.
fn record(line: &[u8]) -> Option<(Vec<u8>, &[u8])> {
    let line = line.split(|byte| *byte == b'#').next()?;
    let colon = line.iter().position(|byte| *byte == b':')?;
    Some((line[..colon].trim_ascii().to_ascii_lowercase(), line[colon + 1..].trim_ascii()))
}

fn take(groups: &mut Vec<Group>, key: &[u8], value: &[u8]) {
    // The first group, before any `User-agent`, is nobody's.
    if key == b"user-agent" && groups.last().is_none_or(|group| group.begun) {
        groups.push(Group::default());
    }
    let Some(group) = groups.last_mut() else { return };
    match key {
        b"user-agent" => {
            group.ours |= product(value).eq_ignore_ascii_case(PRODUCT.as_bytes());
            group.everybodys |= value == b"*";
        }
        b"allow" | b"disallow" => {
            group.begun = true;
            let pattern = normal(value, false);
            // An empty rule says nothing.
            if !pattern.is_empty() {
                group.robots.rules.push(Rule { allow: key == b"allow", pattern });
            }
        }
        b"crawl-delay" => {
            group.begun = true;
            group.robots.crawl_delay = group.robots.crawl_delay.max(seconds(value));
        }
        _ => {}
    }
}

/// The name at the beginning of a `User-agent`, without version and comment.
fn product(agent: &[u8]) -> &[u8] {
    let end = agent.iter().position(|byte| !(byte.is_ascii_alphabetic() || matches!(byte, b'-' | b'_')));
    &agent[..end.unwrap_or(agent.len())]
}

fn seconds(value: &[u8]) -> Option<Duration> {
    let seconds: f64 = std::str::from_utf8(value).ok()?.parse().ok()?;
    // What is too long to be written as a duration is longer than anybody waits.
    (seconds >= 0.0).then(|| Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX))
}

/// Percent escapes made alike, so that bytes can be compared. In a URL, `*` and `$` are escaped: there they are no signs.
fn normal(text: &[u8], url: bool) -> Vec<u8> {
    let mut normal = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((&byte, behind)) = rest.split_first() {
        if let (b'%', Some(decoded)) = (byte, escaped(behind)) {
            push(&mut normal, decoded, !(decoded.is_ascii_alphanumeric() || b"-._~".contains(&decoded)));
            rest = &behind[2..];
        } else {
            push(&mut normal, byte, !byte.is_ascii() || (url && matches!(byte, b'*' | b'$')));
            rest = behind;
        }
    }
    normal
}

fn push(to: &mut Vec<u8>, byte: u8, escape: bool) {
    if escape { to.extend(format!("%{byte:02X}").bytes()) } else { to.push(byte) }
}

/// The byte that two hexadecimal digits stand for.
fn escaped(digits: &[u8]) -> Option<u8> {
    let digit = |i: usize| char::from(*digits.get(i)?).to_digit(16);
    u8::try_from(digit(0)? * 16 + digit(1)?).ok()
}

/// Whether a pattern matches the beginning of a path. `*` stands for anything, `$` at the end for the end. Each piece
/// between two `*` is taken where it first fits, so no pattern takes long.
fn matches(pattern: &[u8], path: &[u8]) -> bool {
    let (pattern, to_the_end) =
        pattern.strip_suffix(b"$").map_or((pattern, false), |pattern| (pattern, true));
    let mut pieces = pattern.split(|byte| *byte == b'*');
    let Some(mut rest) = path.strip_prefix(pieces.next().unwrap_or_default()) else { return false };
    let mut pieces = pieces.peekable();
    if to_the_end && pieces.peek().is_none() {
        return rest.is_empty();
    }
    while let Some(piece) = pieces.next() {
        if to_the_end && pieces.peek().is_none() {
            return rest.ends_with(piece);
        }
        let Some(at) = find(rest, piece) else { return false };
        rest = &rest[at + piece.len()..];
    }
    true
}

fn find(text: &[u8], piece: &[u8]) -> Option<usize> {
    if piece.is_empty() { Some(0) } else { text.windows(piece.len()).position(|window| window == piece) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allows(robots: &str, path: &str) -> bool {
        Robots::parse(robots.as_bytes()).allows(path)
    }

    #[test]
    fn the_longest_rule_decides() {
        let robots = "User-agent: *\nAllow: /example/page/\nDisallow: /example/page/disallowed.gif\nDisallow: /same\nAllow: /same";
        assert!(allows(robots, "/example/page/index.html"));
        assert!(!allows(robots, "/example/page/disallowed.gif"));
        assert!(allows(robots, "/same/thing"));
        assert!(allows(robots, "/elsewhere"));
    }

    #[test]
    fn our_groups_are_taken_together_and_before_everybodys() {
        let robots = "User-Agent: *\nDisallow: /\n\nuser-agent: other\nuser-agent: UnDust/1.0 (x)\nDisallow: /a # why\n\n\
            Sitemap: /s\nUser-agent: undust\r\nDisallow: /b\r\nCrawl-delay: 2.5\n";
        assert!(allows(robots, "/c"));
        assert!(!allows(robots, "/a"));
        assert!(!allows(robots, "/b"));
        assert_eq!(Robots::parse(robots.as_bytes()).crawl_delay, Some(Duration::from_millis(2500)));
        assert!(!allows("User-agent: *\nDisallow: /\nUser-agent: undustry\nAllow: /", "/a"));
        assert!(allows("Disallow: /\nUser-agent: *\nDisallow:", "/a"), "rules before any agent are nobody's");
    }

    #[test]
    fn signs() {
        let cases = [
            ("/*.gif$", "/a/b.gif", true),
            ("/*.gif$", "/a/b.gif?x", false),
            ("/*.gif", "/a/b.gif?x", true),
            ("/a*b*c", "/axxbxxcxx", true),
            ("/a*b*c", "/axxcxxb", false),
            ("/a*a$", "/a", false),
            ("/a*a$", "/aa", true),
            ("/fish*", "/fish.html", true),
            ("*", "/", true),
            ("/$", "/", true),
            ("/$", "/a", false),
            ("/p?sid=", "/p?sid=1", true),
            ("/a$b", "/a$b", false),
            ("/**a", "/xa", true),
        ];
        for (pattern, path, expected) in cases {
            let found = !allows(&format!("User-agent: *\nDisallow: {pattern}"), path);
            assert_eq!(found, expected, "{pattern} {path}");
        }
    }

    #[test]
    fn escapes_of_the_standard() {
        let cases = [
            ("/foo/bar?baz=quz", "/foo/bar?baz=quz"),
            ("/foo/bar?baz=http://foo.bar", "/foo/bar?baz=http://foo.bar"),
            ("/foo/bar/\u{30c4}", "/foo/bar/%E3%83%84"),
            ("/foo/bar/%E3%83%84", "/foo/bar/%e3%83%84"),
            ("/foo/bar/%62%61%7A", "/foo/bar/baz"),
            ("/path/file-with-a-%2A.html", "/path/file-with-a-*.html"),
            ("/path/foo-%24", "/path/foo-$"),
        ];
        for (pattern, path) in cases {
            assert!(!allows(&format!("User-agent: *\nDisallow: {pattern}"), path), "{pattern} {path}");
        }
        assert!(allows("User-agent: *\nDisallow: /a%2Fb", "/a/b"));
    }

    #[test]
    fn anything_is_read() {
        for text in [
            "",
            "<html>",
            "::::",
            "user-agent",
            "User-agent: *\nDisallow: %",
            "\u{feff}User-agent: *\nAllow: %4",
        ] {
            assert!(allows(text, "/"), "{text}");
        }
        let delay = |value: &str| {
            Robots::parse(format!("User-agent: *\nCrawl-delay: {value}").as_bytes()).crawl_delay
        };
        assert_eq!(delay("-1"), None);
        assert_eq!(delay("NaN"), None);
        assert_eq!(delay("soon"), None);
        assert_eq!(delay("1e300"), Some(Duration::MAX));
    }

    #[test]
    fn patterns_cannot_take_long() {
        let robots = format!("User-agent: *\nDisallow: /{}$", "*a".repeat(5_000));
        assert!(allows(&robots, &format!("/{}b", "a".repeat(20_000))));
    }
}
