//! How replacements are written for each engine, and what it allows.

use undust::url::is_normal;

use crate::active::ActiveRule;
use crate::to_regex::{Part, Regex, Runner, regexes};

/// The way in which an engine reads replacements.
#[derive(Clone, Copy)]
pub(crate) struct Dialect {
    pub(crate) runner: Runner,
    /// The most groups that a replacement can name.
    max_groups: usize,
    /// A group.
    group: fn(usize) -> String,
    /// Fixed text, and whether it stands behind a group; nothing where it cannot be said.
    text: fn(&str, bool) -> Option<String>,
}

/// `java.util.regex`: `$1`, and a backslash before what is meant as it stands.
pub(crate) const JAVA: Dialect = Dialect {
    runner: Runner::List,
    max_groups: usize::MAX,
    group: |number| format!("${number}"),
    text: |text, behind_group| {
        let escaped = escaped(text, "\\$");
        // A digit would make another number of the group's.
        let is_digit = behind_group && text.starts_with(|c: char| c.is_ascii_digit());
        Some(if is_digit { format!("\\{escaped}") } else { escaped })
    },
};

/// nginx: `$1` to `$9`; there is no way to say `$`.
pub(crate) const NGINX: Dialect = Dialect {
    runner: Runner::Redirect,
    max_groups: 9,
    group: |number| format!("${number}"),
    text: |text, _| (!text.contains('$')).then(|| text.to_owned()),
};

/// `mod_rewrite`: the groups of a condition are `%1` to `%9`.
pub(crate) const APACHE: Dialect = Dialect {
    runner: Runner::Redirect,
    max_groups: 9,
    group: |number| format!("%{number}"),
    text: |text, _| Some(escaped(text, "\\$%")),
};

/// What Rust, Go and .NET have in common: `${1}` and `$$`.
pub(crate) const PLAIN: Dialect = Dialect {
    runner: Runner::SiteList,
    max_groups: usize::MAX,
    group: |number| format!("${{{number}}}"),
    text: |text, _| Some(text.replace('$', "$$")),
};

impl Dialect {
    /// The patterns of `rule` with their replacements.
    pub(crate) fn write(&self, rule: &ActiveRule) -> Result<Vec<(String, String)>, String> {
        let write = |regex: Regex| {
            if self.runner == Runner::Redirect && !prints_normal(&regex.replacement) {
                return Err("it prints URLs that browsers change, which may change them back".into());
            }
            Ok((regex.pattern.clone(), self.replacement(&regex)?))
        };
        regexes(rule, self.runner)?.into_iter().map(write).collect()
    }

    fn replacement(&self, regex: &Regex) -> Result<String, String> {
        if regex.groups > self.max_groups {
            return Err(format!("it copies more than {} texts", self.max_groups));
        }
        let (mut out, mut behind_group) = (String::new(), false);
        for part in &regex.replacement {
            match part {
                Part::Group(number) => out.push_str(&(self.group)(*number)),
                Part::Text(text) if text.chars().any(|c| c.is_ascii_control()) => {
                    return Err("it prints a control character".into());
                }
                Part::Text(text) => {
                    let written = (self.text)(text, behind_group);
                    out.push_str(&written.ok_or_else(|| format!("the format cannot say '{text}'"))?);
                }
            }
            behind_group = matches!(part, Part::Group(_));
        }
        Ok(out)
    }
}

/// Whether the fixed text of a replacement is in normal form, as the requests are that it is made from.
fn prints_normal(replacement: &[Part]) -> bool {
    let mut sample = String::new();
    for (i, part) in replacement.iter().enumerate() {
        sample.push_str(match part {
            Part::Text(text) => text,
            Part::Group(_) if i > 0 => "x/x",
            Part::Group(_) if matches!(replacement.get(1), Some(Part::Text(t)) if t.starts_with("://")) => {
                "http"
            }
            Part::Group(_) => "http://x/x",
        });
    }
    is_normal(sample.as_bytes())
}

/// `text` with a backslash before each of `special`.
pub(crate) fn escaped(text: &str, special: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if special.contains(c) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// A string of a configuration file of nginx or Apache.
pub(crate) fn quoted(text: &str) -> String {
    // Both take a backslash before a quote or a backslash away, and leave it before anything else.
    let chars: Vec<char> = text.chars().collect();
    let mut out = String::from("\"");
    for (i, c) in chars.iter().enumerate() {
        let lost = *c == '\\' && matches!(chars.get(i + 1), None | Some('\\' | '"'));
        if *c == '"' || lost {
            out.push('\\');
        }
        out.push(*c);
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(dialect: Dialect, parts: &[Part]) -> Result<String, String> {
        dialect.replacement(&Regex { pattern: String::new(), replacement: parts.to_vec(), groups: 1 })
    }

    #[test]
    fn groups_and_what_only_looks_like_them() {
        let parts = [Part::Text("a$1%1\\".into()), Part::Group(1), Part::Text("2".into())];
        assert_eq!(written(JAVA, &parts).as_deref(), Ok("a\\$1%1\\\\$1\\2"));
        assert_eq!(written(APACHE, &parts).as_deref(), Ok("a\\$1\\%1\\\\%12"));
        assert_eq!(written(PLAIN, &parts).as_deref(), Ok("a$$1%1\\${1}2"));
        assert!(written(NGINX, &parts).is_err() && written(PLAIN, &[Part::Text("\n".into())]).is_err());
        assert_eq!(written(NGINX, &parts[1..]).as_deref(), Ok("$12"), "groups have one digit there");
    }

    #[test]
    fn browsers_leave_what_a_redirect_prints() {
        let text = |text: &str| Part::Text(text.into());
        let group = || Part::Group(1);
        let normal = [
            vec![group(), text("://www.a.com/b?c="), group()],
            vec![group(), text("/")],
            vec![text("http://"), group(), group(), text("?x%3F")],
            vec![text("http://a.com:8080/")],
        ];
        assert!(normal.iter().all(|parts| prints_normal(parts)));
        let odd = [
            vec![group(), text("/./")],
            vec![text("http://a.com/../"), group()],
            vec![text("http://a.com/%3f")],
            vec![text("http://a.com:80/"), group()],
        ];
        assert!(!odd.iter().any(|parts| prints_normal(parts)));
    }

    #[test]
    fn strings_of_configuration_files() {
        assert_eq!(quoted(r"a\.b"), r#""a\.b""#);
        assert_eq!(quoted(r#"a"b\\c\"#), r#""a\"b\\\c\\""#);
    }
}
