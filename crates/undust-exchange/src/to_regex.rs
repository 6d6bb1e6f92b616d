//! From rules to regular expressions: the one translation behind all formats that have them.
//!
//! Parameters match in any order and between any others, which a regular expression has to spell out: a rule becomes one for each
//! order of the parameters it names, and for each place that the others may end at. Plain ones do not look ahead or behind, but for
//! the token borders of substitutions: not every engine can.

mod host;
mod query;
mod text;

use std::collections::{BTreeMap, BTreeSet};

use undust::rules::template::{Convert, Fragment, Item, List, Piece, Template, Text};
use undust::rules::{Action, Rewrite, Substitute};
use undust::url::SiteBy;

use crate::active::ActiveRule;
use crate::param_rule::{as_text, stays};

pub(crate) use text::escape;

/// What holds for every expression.
pub(crate) const CAVEATS: &[&str] = &[
    "URLs must be normalised first, and the list be run until nothing changes, as our rules are",
    "URLs that mix & and ; between parameters, and hosts that are addresses in brackets, are left alone",
];

/// One expression that matches a whole URL or, in a substitution, a piece of it, and what that becomes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Regex {
    pub(crate) pattern: String,
    pub(crate) replacement: Vec<Part>,
    /// How many groups it has.
    pub(crate) groups: usize,
}

impl Regex {
    fn new(pattern: String, replacement: Vec<Part>) -> Regex {
        let groups = replacement.iter().filter(|part| matches!(part, Part::Group(_))).count();
        Regex { pattern, replacement, groups }
    }
}

/// A part of a replacement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Text(String),
    Group(usize),
}

/// Who is to run the expressions.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Runner {
    /// Every expression on every URL; each place it is found at is replaced.
    List,
    /// Like that, on URLs of its site alone.
    SiteList,
    /// The first that matches the whole URL leads to another one.
    Redirect,
}

/// What `rule` says, as expressions to be tried in order.
pub(crate) fn regexes(rule: &ActiveRule, runner: Runner) -> Result<Vec<Regex>, String> {
    match &rule.action {
        Action::Rewrite(rewrite) => of_rewrite(rule, rewrite, runner),
        Action::Substitute(substitute) => of_substitute(rule, substitute, runner),
        Action::Skip(_) => Err("a skip changes no URL".into()),
    }
}

fn of_rewrite(rule: &ActiveRule, rewrite: &Rewrite, runner: Runner) -> Result<Vec<Regex>, String> {
    let (from, to) = (rewrite.matches(), rewrite.becomes());
    if runner == Runner::Redirect && !changes_always(from, to) {
        return Err("it may match a URL that it does not change, which would be redirected to itself".into());
    }
    let mut pattern = Pattern::new(from, to, runner)?;
    pattern.text.push('^');
    if runner != Runner::SiteList && !is_fixed(&from.host) {
        pattern.text.push_str(&not_below(&rule.but));
    }
    pattern.add_text(&from.scheme, ":/?#")?;
    pattern.text.push_str("://");
    if let Some(userinfo) = &from.userinfo {
        pattern.add_text(userinfo, "/?#")?;
        pattern.text.push('@');
    }
    host::add(&mut pattern, rule, from, to)?;
    if let Some(port) = &from.port {
        pattern.text.push(':');
        pattern.add_text(port, "/?#@")?;
    }
    pattern.add_path(&from.path)?;
    query::each_layout(&pattern, from, to)
}

fn is_fixed(list: &List) -> bool {
    list.iter().all(|item| item.fixed().is_some())
}

/// An expression as far as it is written, and what its groups hold.
#[derive(Clone)]
struct Pattern<'t> {
    text: String,
    groups: usize,
    /// The holes that the rewrite prints: no others need groups.
    used: BTreeSet<&'t str>,
    /// The holes of a redirect that stand before its query: one that held a `?` would move the query.
    before_query: BTreeSet<String>,
    /// How the path of the rewrite prints the components not named, if it does.
    path_rest_printed: Option<PathRest>,
    /// Whether nothing but the query changes.
    only_query: bool,
    separator: u8,
    looks_ahead: bool,
    holes: BTreeMap<&'t str, usize>,
    host_rest: Option<host::Rest>,
    path_rest: Option<usize>,
    others: Vec<usize>,
    fragment: Option<usize>,
}

impl<'t> Pattern<'t> {
    fn new(from: &'t Template, to: &'t Template, runner: Runner) -> Result<Pattern<'t>, String> {
        let mut seen = BTreeSet::new();
        if !hole_names(from.texts()).all(|name| name.is_empty() || seen.insert(name)) {
            return Err("it asks for the same text in two places".into());
        }
        Ok(Pattern {
            text: String::new(),
            groups: 0,
            used: hole_names(to.texts()).collect(),
            before_query: if runner == Runner::Redirect { before_query(to) } else { BTreeSet::new() },
            path_rest_printed: PathRest::of(from, to, runner),
            only_query: only_query(from, to),
            separator: b'&',
            looks_ahead: runner != Runner::SiteList,
            holes: BTreeMap::new(),
            host_rest: None,
            path_rest: None,
            others: Vec::new(),
            fragment: None,
        })
    }

    /// Add a group around `inside`; its number.
    fn group(&mut self, inside: &str) -> usize {
        self.groups += 1;
        self.text.push('(');
        self.text.push_str(inside);
        self.text.push(')');
        self.groups
    }

    /// Every component brings its slash, so that none or many can be copied at once.
    fn add_path(&mut self, path: &'t List) -> Result<(), String> {
        for item in path {
            match item {
                Item::One(text) => {
                    self.text.push('/');
                    self.add_text(text, "/?#")?;
                }
                Item::Rest(_) => match self.path_rest_printed {
                    None => self.text.push_str("(?:/[^/?#]*)*"),
                    Some(PathRest::Any) => self.path_rest = Some(self.group("(?:/[^/?#]*)*")),
                    Some(PathRest::Some) => self.path_rest = Some(self.group("(?:/[^/?#]*)+")),
                },
            }
        }
        Ok(())
    }

    /// The end of the expression.
    fn add_fragment(&mut self, from: &Template, to: &Template) -> Result<(), String> {
        match (&from.fragment, &to.fragment) {
            (None, _) => {}
            (Some(Fragment::Any), Some(Fragment::Any)) => {
                // The group stands outside, so that it is always set.
                self.fragment = Some(self.group("(?:#.*)?"));
            }
            (Some(Fragment::Any), _) => self.text.push_str("(?:#.*)?"),
            (Some(Fragment::Text(_)), _) => return Err("it asks for a fragment".into()),
        }
        self.text.push('$');
        Ok(())
    }

    /// What the URL becomes.
    fn replacement(&self, to: &Template) -> Result<Vec<Part>, String> {
        let mut out = Replacement::default();
        self.print_text(&to.scheme, &mut out)?;
        out.text("://");
        if let Some(userinfo) = &to.userinfo {
            self.print_text(userinfo, &mut out)?;
            out.text("@");
        }
        host::print(self, &to.host, &mut out)?;
        if let Some(port) = &to.port {
            out.text(":");
            self.print_text(port, &mut out)?;
        }
        for item in &to.path {
            match item {
                Item::One(text) => {
                    out.text("/");
                    self.print_text(text, &mut out)?;
                }
                Item::Rest(convert) => {
                    copies(*convert)?;
                    out.group(self.path_rest);
                }
            }
        }
        query::print(self, to, &mut out)?;
        match &to.fragment {
            None => {}
            Some(Fragment::Any) => out.group(self.fragment),
            Some(Fragment::Text(text)) => {
                out.text("#");
                self.print_text(text, &mut out)?;
            }
        }
        Ok(out.parts)
    }

    fn print_text(&self, text: &Text, out: &mut Replacement) -> Result<(), String> {
        for piece in text {
            match piece {
                Piece::Literal(bytes) => out.text(&as_text(bytes)?),
                Piece::Star => return Err("its * has no value".into()),
                Piece::Hole { name, convert, .. } => {
                    copies(*convert)?;
                    out.group(self.holes.get(name.as_str()).copied());
                }
            }
        }
        Ok(())
    }
}

/// The components not named, as they are printed.
#[derive(Clone, Copy)]
enum PathRest {
    Any,
    /// At least one: without any, `/` would become nothing, which is `/` again, or a redirect would change nothing but the slash
    /// at the end of `/doc/`, and the server would change it back.
    Some,
}

impl PathRest {
    fn of(from: &Template, to: &Template, runner: Runner) -> Option<PathRest> {
        let is_bare = |item: &Item| is_rest(item) || item.fixed() == Some(b"");
        let vanishes = to.path.len() == 1 && from.path.len() > 1 && from.path.iter().all(is_bare);
        if !to.path.iter().any(is_rest) {
            None
        } else if vanishes || (runner == Runner::Redirect && may_move_slash(from, to)) {
            Some(PathRest::Some)
        } else {
            Some(PathRest::Any)
        }
    }
}

fn is_rest(item: &Item) -> bool {
    matches!(item, Item::Rest(_))
}

/// Whether a rule, where its `{...}` in the path stands for nothing, changes nothing but the slash at the end.
fn may_move_slash(from: &Template, to: &Template) -> bool {
    let without_rest = |template: &Template| {
        let path = template.path.iter().filter(|item| !is_rest(item)).cloned().collect();
        Template { path, ..template.clone() }
    };
    from.path.iter().any(is_rest) && moves_slash(&without_rest(from), &without_rest(to))
}

/// Whether `action` changes nothing but the slash at the end of the path, of whatever URL.
pub(crate) fn changes_only_slash(action: &Action) -> bool {
    match action {
        Action::Rewrite(rewrite) => moves_slash(rewrite.matches(), rewrite.becomes()),
        Action::Substitute(substitute) => {
            let sides = [substitute.from(), substitute.to()];
            let longer = |a: &[u8], b: &[u8]| a.strip_suffix(b"/") == Some(b);
            substitute.is_at_end() && (longer(sides[0], sides[1]) || longer(sides[1], sides[0]))
        }
        Action::Skip(_) => false,
    }
}

/// Whether one of the templates is the other with a slash at the end of its path.
fn moves_slash(from: &Template, to: &Template) -> bool {
    let is_longer = |long: &Template, short: &Template| match long.path.as_slice() {
        [path @ .., last] => last.fixed() == Some(b"") && path.len() == short.path.len(),
        [] => false,
    };
    let cut = |template: &Template, length: usize| {
        let path = template.path.iter().take(length).cloned().collect();
        Template { path, ..template.clone() }
    };
    let shorter = from.path.len().min(to.path.len());
    (is_longer(from, to) || is_longer(to, from)) && stays(&cut(from, shorter), &cut(to, shorter))
}

/// Whether the rule leaves everything before the query as it is.
fn only_query(from: &Template, to: &Template) -> bool {
    let apart = |template: &Template| Template { query: None, ..template.clone() };
    stays(&apart(from), &apart(to))
}

fn hole_names<'t>(texts: impl Iterator<Item = &'t Text>) -> impl Iterator<Item = &'t str> {
    texts.flatten().filter_map(|piece| match piece {
        Piece::Hole { name, .. } => Some(name.as_str()),
        _ => None,
    })
}

fn before_query(to: &Template) -> BTreeSet<String> {
    let start = Template { query: None, fragment: None, ..to.clone() };
    hole_names(start.texts()).map(str::to_owned).collect()
}

fn copies(convert: Convert) -> Result<(), String> {
    if convert == Convert::Copy { Ok(()) } else { Err("it converts text, which replacements cannot".into()) }
}

/// A replacement as far as it is written.
#[derive(Default)]
struct Replacement {
    parts: Vec<Part>,
}

impl Replacement {
    fn text(&mut self, text: &str) {
        match self.parts.last_mut() {
            Some(Part::Text(last)) => last.push_str(text),
            _ => self.parts.push(Part::Text(text.to_owned())),
        }
    }

    fn group(&mut self, number: Option<usize>) {
        self.parts.extend(number.map(Part::Group));
    }
}

/// Whether the rule changes whatever it matches, as far as that is easily seen: a parameter or component is gone or new, or a fixed
/// text is another.
fn changes_always(from: &Template, to: &Template) -> bool {
    let fixed_differ =
        |one: Option<&[u8]>, other: Option<&[u8]>| matches!((one, other), (Some(a), Some(b)) if a != b);
    let text = |text: &Text| undust::rules::template::as_literal(text).map(<[u8]>::to_vec);
    let lists_differ = |one: &List, other: &List| {
        let rests = |list: &List| list.iter().filter(|item| is_rest(item)).count();
        let (open, same_length) = (rests(one), one.len() == other.len());
        let aligned = one.iter().zip(other).any(|(a, b)| fixed_differ(a.fixed(), b.fixed()));
        (open == rests(other) && !same_length) || (open == 0 && aligned) || ends_differ(one, other)
    };
    fixed_differ(text(&from.scheme).as_deref(), text(&to.scheme).as_deref())
        || lists_differ(&from.host, &to.host)
        || (lists_differ(&from.path, &to.path) && !may_vanish(from, to))
        || from.port.is_some() != to.port.is_some()
        || query::changes_always(from, to)
}

/// Whether a path `/` may be matched and become nothing, which is `/` again.
fn may_vanish(from: &Template, to: &Template) -> bool {
    let may_be_empty = |item: &Item| match item {
        Item::Rest(_) => true,
        Item::One(text) => text.iter().all(|piece| matches!(piece, Piece::Hole { optional: true, .. })),
    };
    let is_bare = matches!(PathRest::of(from, to, Runner::Redirect), Some(PathRest::Some));
    !is_bare && to.path.iter().all(is_rest) && from.path.iter().all(may_be_empty)
}

/// Whether both lists begin, or end, with fixed items that differ.
fn ends_differ(one: &List, other: &List) -> bool {
    fn first_differs<'l>(pairs: impl Iterator<Item = (&'l Item, &'l Item)>) -> bool {
        let fixed =
            pairs.map(|(a, b)| (a.fixed(), b.fixed())).take_while(|(a, b)| a.is_some() && b.is_some());
        fixed.into_iter().any(|(a, b)| a != b)
    }
    first_differs(one.iter().zip(other)) || first_differs(one.iter().rev().zip(other.iter().rev()))
}

/// A substitution, on token borders. Where the expression is run on all URLs, it first looks whether this one is on the site.
fn of_substitute(rule: &ActiveRule, substitute: &Substitute, runner: Runner) -> Result<Vec<Regex>, String> {
    let to = as_text(substitute.to())?;
    let place = place_of(substitute)?;
    let here = if runner == Runner::SiteList { String::new() } else { on_site(rule) };
    let ahead = kept_authority(rule, substitute)?;
    let (group, text) = (Part::Group(1), Part::Text(to.clone()));
    let one = match (substitute.is_at_start(), substitute.is_at_end(), runner) {
        (true, true, _) => (format!("^{here}{place}$"), vec![text]),
        (true, false, Runner::Redirect) => return Ok(redirects_at_start(&here, &place, &to)),
        (false, true, Runner::Redirect) => return Ok(redirects_at_end(&here, &place, substitute, &to)),
        (true, false, _) => (format!("^{here}{place}(.*)$"), vec![text, group]),
        (false, true, _) => (format!("^{here}({ahead}.*){place}$"), vec![group, text]),
        // The authority is taken first and put back, so that no place is found in it: possible where a place becomes nothing.
        (false, false, Runner::SiteList) if may_touch_authority(rule, substitute) && to.is_empty() => {
            (format!("(^[^:/?#]+://[^/?#]*)|{place}"), vec![group])
        }
        (false, false, Runner::SiteList) if may_touch_authority(rule, substitute) => {
            return Err("its text may stand in the scheme or the host, too".into());
        }
        (false, false, Runner::SiteList) => (place, vec![text]),
        // \G goes on where the last place ended, so that what was seen of the site still holds.
        (false, false, Runner::List) => {
            (format!("(^{here}{ahead}|(?!^)\\G)(.*?){place}"), vec![group, Part::Group(2), text])
        }
        (false, false, Runner::Redirect) => {
            return Err("it replaces every place at once, and a redirect changes one".into());
        }
    };
    Ok(vec![Regex::new(one.0, one.1)])
}

/// What is replaced, with its token borders.
fn place_of(substitute: &Substitute) -> Result<String, String> {
    let is_token = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
    let (first, last) = (substitute.from().first(), substitute.from().last());
    let before = if is_token(first) && !substitute.is_at_start() { "(?<![0-9A-Za-z])" } else { "" };
    let behind = if is_token(last) && !substitute.is_at_end() { "(?![0-9A-Za-z])" } else { "" };
    Ok(format!("{before}{}{behind}", escape(&as_text(substitute.from())?)))
}

/// A redirect that replaces the beginning of the URL. Apache refuses to redirect to a `?` that a group brings (AH10508): the query
/// has a group of its own, and the `?` stands between them as text.
fn redirects_at_start(here: &str, place: &str, to: &str) -> Vec<Regex> {
    let text = |text: &str| Part::Text(text.to_owned());
    vec![
        Regex::new(format!("^{here}{place}([^?]*)$"), vec![text(to), Part::Group(1)]),
        Regex::new(
            format!("^{here}{place}([^?]*)\\?(.*)$"),
            vec![text(to), Part::Group(1), text("?"), Part::Group(2)],
        ),
    ]
}

/// A redirect that replaces the end of the URL. Scheme and host stay, and so does the slash behind them; a query does not become
/// empty, as Apache would drop its `?`.
fn redirects_at_end(here: &str, place: &str, substitute: &Substitute, to: &str) -> Vec<Regex> {
    let text = |text: &str| Part::Text(text.to_owned());
    let slash = if to.starts_with('/') && starts_path(substitute.from()) { "" } else { "/" };
    let start = format!("^{here}([^:/?#]+://[^/?#]+{slash}[^?]*)");
    let query = if to.is_empty() { "(.+)" } else { "(.*)" };
    vec![
        Regex::new(format!("{start}{place}$"), vec![Part::Group(1), text(to)]),
        Regex::new(
            format!("{start}\\?{query}{place}$"),
            vec![Part::Group(1), text("?"), Part::Group(2), text(to)],
        ),
    ]
}

/// What stands before all places of a substitution that leaves scheme and authority alone: these.
fn kept_authority(rule: &ActiveRule, substitute: &Substitute) -> Result<&'static str, String> {
    let (from, to) = (substitute.from(), substitute.to());
    if substitute.names_authority() {
        Ok("")
    } else if may_hold_end_of_host(rule, substitute) {
        Err("its text may hold the end of a host".into())
    } else if !starts_path(from) {
        Ok("[^:/?#]+://[^/?#]*[/?#]")
    } else if starts_path(to) || (substitute.is_at_end() && to.is_empty()) {
        Ok("[^:/?#]+://[^/?#]*")
    } else {
        Err("it may join a path to its host".into())
    }
}

fn starts_path(text: &[u8]) -> bool {
    text.first().is_some_and(|byte| b"/?#".contains(byte))
}

/// `from`, if it begins in `scheme://authority`: the part that would be the end of the authority, and what is behind it.
fn in_authority(from: &[u8]) -> (&[u8], &[u8]) {
    let skip = |text: &[u8], is_skipped: fn(&u8) -> bool| text.iter().take_while(|b| is_skipped(b)).count();
    let scheme = skip(from, |byte| byte.is_ascii_alphanumeric() || b"+-.".contains(byte));
    let slashes = if from[scheme..].starts_with(b":") { scheme + 1 } else { 0 };
    let host = slashes + skip(&from[slashes..], |byte| *byte == b'/');
    // A user may be called anything: `http://a=b@c@host/`.
    from[host..].split_at(skip(&from[host..], |byte| !b"/?#".contains(byte)))
}

/// Whether `end` may be how an authority of the rule's site ends. On a site whose name is known, that is the name and a port.
fn may_end_authority(rule: &ActiveRule, end: &[u8]) -> bool {
    let (end, name) = (end.to_ascii_lowercase(), rule.site.as_bytes());
    let digits = end.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let before_port = &end[..end.len() - digits];
    let host = before_port.strip_suffix(b":").unwrap_or(&end);
    let is_end =
        rule.holds_everywhere() || name.ends_with(host) || host.ends_with(name) || before_port.is_empty();
    !end.is_empty() && is_end
}

/// Whether a place may begin in the authority and end behind it, and be replaced there, as it leaves the authority as it is.
fn may_hold_end_of_host(rule: &ActiveRule, substitute: &Substitute) -> bool {
    let (end, behind) = in_authority(substitute.from());
    let kept = &substitute.from()[..substitute.from().len() - behind.len()];
    may_end_authority(rule, end) && substitute.to().starts_with(kept)
}

/// Whether the text of a substitution that leaves scheme and authority alone may stand there, or begin there.
fn may_touch_authority(rule: &ActiveRule, substitute: &Substitute) -> bool {
    let (end, behind) = in_authority(substitute.from());
    !substitute.names_authority() && (behind.is_empty() || may_end_authority(rule, end))
}

const AUTHORITY: &str = "[^:/?#]+://(?:[^/?#]*@)?";
pub(crate) const LABELS: &str = "(?:[^./?#@:]+\\.)*";

/// Looks ahead whether the URL is on the rule's site.
fn on_site(rule: &ActiveRule) -> String {
    if rule.holds_everywhere() {
        return String::new();
    }
    let labels = if rule.site_by == SiteBy::Domain { LABELS } else { "" };
    format!("{}(?={AUTHORITY}{labels}{}(?:[:/?#]|$))", not_below(&rule.but), escape(rule.site))
}

/// Looks ahead whether the URL is on none of these sites.
fn not_below(sites: &[&str]) -> String {
    if sites.is_empty() {
        return String::new();
    }
    let names: Vec<String> = sites.iter().map(|site| escape(site)).collect();
    format!("(?!{AUTHORITY}{LABELS}(?:{})(?:[:/?#]|$))", names.join("|"))
}
