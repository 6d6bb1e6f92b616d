//! Random rules and URLs over one small alphabet, so that rules fire, overlap and undo each other.
//!
//! Everything is made from a string of random bytes, the dice: proptest makes it and shrinks it towards the first choices.

use undust::rules::{Action, EVERY_SITE, Evidence, Learned, ModelFile, Review, Rule, RuleSet, SiteRules};
use undust::url::SiteBy;

/// Random bytes, used up one after another; zeros when there are no more.
pub(crate) struct Dice<'a>(pub(crate) &'a [u8]);

impl Dice<'_> {
    pub(crate) fn roll(&mut self) -> usize {
        let (first, rest) = self.0.split_first().unwrap_or((&0, &[]));
        self.0 = rest;
        usize::from(*first)
    }

    pub(crate) fn up_to(&mut self, most: usize) -> usize {
        self.roll() % (most + 1)
    }

    pub(crate) fn pick<'c>(&mut self, choices: &[&'c str]) -> &'c str {
        choices[self.roll() % choices.len()]
    }

    /// One in `n`.
    pub(crate) fn seldom(&mut self, n: usize) -> bool {
        self.roll() % n == n - 1
    }
}

const SITES: [&str; 6] = ["a.com", EVERY_SITE, "m.a.com", "b.org", "[::1]", "com"];
const HOSTS: [&str; 12] = [
    "a.com",
    "m.a.com",
    "x.m.a.com",
    "b.org",
    "www.b.org",
    "A.com",
    "[::1]",
    "a.com.",
    "com",
    "",
    "c.net",
    "[a.b",
];
const SCHEMES: [&str; 6] = ["http", "https", "HTTP", "ftp", "x-y", "ws"];
const WORDS: [&str; 22] = [
    "a",
    "b",
    "c",
    "",
    "1",
    "22",
    "a-1",
    "b-a-b",
    "-",
    "A",
    "aB",
    "index.html",
    "*",
    "..",
    ".",
    "%2e",
    "%41",
    "%c3%a9",
    "%",
    "é",
    "a=b",
    "{x}",
];
const NAMES: [&str; 7] = ["a", "b", "c", "sid", "A", "", "!a"];
const OPEN_TEXTS: [&str; 43] = [
    "{x}",
    "{x:..5}",
    "{x:2..}",
    "{y:1..1}-{x}",
    "{x:digits2}",
    "{x:digits1}{y}",
    "{z:a?}",
    "{x:i'a|b-a'}",
    "{x?}{z:a|b}",
    "{x}{y:digits}",
    "*{y:..5}-a",
    "{x:!a}{y:digits1}",
    "{x}{z:i'b'}{y?}",
    "*",
    "{y}",
    "{x:digits}",
    "{y:lower}",
    "{x?}",
    "{z:a|b}",
    "{z:a|b|b-a|?}",
    "a-{x}",
    "{x}-{y}",
    "{x}-{x}",
    "{x}-*",
    "*-a",
    "{x:alnum}-{y?}",
    "{x:digits?}{y}",
    "{x:alpha}{y:digits}",
    "{:hex}",
    "{}-{x}",
    "{x:upper}",
    "{x?}b{y?}",
    "{x}b-{y}",
    "*.html",
    "{x:!a|b}",
    "{y:!a}",
    "{:!b|c|1|*}",
    "{x:!a?}",
    "{x:!a|b}-{y}",
    "{y}-{x:!a|1?}",
    "a-{x:!1}",
    "{x:!a|b-a?}b{y?}",
    "{:!a|index}.html",
];

/// A set of rules on a few sites, with those of every site among them.
pub(crate) fn rule_set(dice: &mut Dice) -> RuleSet {
    let mut sites: Vec<SiteRules> = Vec::new();
    for site in SITES {
        if !sites.is_empty() && dice.seldom(3) {
            continue;
        }
        // More than three rules, and the compiled engine uses its index.
        let count = if dice.seldom(2) { 4 + dice.up_to(6) } else { dice.up_to(3) };
        sites.push(site_rules(dice, site, count));
    }
    with_sites(dice, sites)
}

/// Few rules on one or two sites, of which there is often something to be proven.
pub(crate) fn few_rules(dice: &mut Dice) -> RuleSet {
    let mut sites: Vec<SiteRules> = Vec::new();
    for _ in 0..=dice.up_to(1) {
        let site = dice.pick(&SITES);
        if sites.iter().all(|s| s.site != site) {
            let count = 1 + dice.up_to(2);
            sites.push(site_rules(dice, site, count));
        }
    }
    with_sites(dice, sites)
}

fn site_rules(dice: &mut Dice, site: &str, count: usize) -> SiteRules {
    // Now and then a site of substitutions, as one learner finds them: they overlap and feed each other. Or one of rules that change
    // the query alone.
    let make = match dice.up_to(5) {
        5 => |dice: &mut Dice, _: &str| substitution(dice),
        4 => |dice: &mut Dice, _: &str| query_rule(dice),
        _ => action,
    };
    let rules = (0..count).filter_map(|_| Some(rule(make(dice, site)?, dice))).collect();
    SiteRules { site: site.to_owned(), rules }
}

fn with_sites(dice: &mut Dice, mut sites: Vec<SiteRules>) -> RuleSet {
    sites.sort_by(|a, b| a.site.cmp(&b.site));
    RuleSet {
        normalize: !dice.seldom(3),
        site_by: if dice.seldom(4) { SiteBy::Host } else { SiteBy::Domain },
        learned: dice.seldom(4).then(|| learned(dice)),
        model: dice.seldom(4).then(|| ModelFile::new(word(dice).to_owned(), b"bytes")),
        sites,
    }
}

fn rule(action: Action, dice: &mut Dice) -> Rule {
    let mut rule = Rule::new(action);
    if dice.seldom(8) {
        rule.review = Review::Rejected;
    }
    if dice.seldom(4) {
        rule.learner = Some("rewrite".to_owned());
        rule.note = Some(word(dice).to_owned());
        rule.evidence = Some(Evidence {
            support: dice.roll() as u64,
            bound: dice.roll() as f64 / 255.0,
            examples: vec![[word(dice).to_owned(), word(dice).to_owned()]],
            ..Evidence::default()
        });
    }
    rule
}

fn learned(dice: &mut Dice) -> Learned {
    Learned { method: "auto".to_owned(), max_fpr: dice.roll() as f64 / 1000.0, ..Learned::default() }
}

/// What a rule says; `None` when the dice made none that fits together.
pub(crate) fn action(dice: &mut Dice, site: &str) -> Option<Action> {
    if dice.seldom(4) {
        return substitution(dice);
    }
    let from = match_template(dice, site);
    if dice.seldom(4) {
        return Action::skip(&from).ok();
    }
    let to = rewrite_template(dice, &from);
    Action::rewrite(&from, &to).ok()
}

fn substitution(dice: &mut Dice) -> Option<Action> {
    let pieces = [
        "a",
        "/a",
        "b",
        "-",
        "/b/",
        "/1",
        "a-1",
        "b-a",
        "&a=",
        "/index.html",
        "=",
        "&",
        "?",
        "http://",
        "{'*'}",
        "//",
        "b-a-b",
        "a/a",
        "/a/",
        "1-",
        "com/a",
        "--",
    ];
    let (start, end) = (if dice.seldom(6) { "^" } else { "" }, if dice.seldom(6) { "$" } else { "" });
    let from = [dice.pick(&pieces), dice.pick(&["", "", "", "/b"])].concat();
    let to = dice.pick(&["", "a", "/b", "b", "/", "-", "c", "?a=", "&b=", "a-a", "1"]);
    Action::substitute(&format!("{start}{from}{end}"), to).ok()
}

/// The fixed text of a template: `WORDS` with what would mean something else in quotes.
fn word(dice: &mut Dice) -> &'static str {
    match dice.pick(&WORDS) {
        "*" => "{'*'}",
        "{x}" => "{'{'}x{'}'}",
        plain => plain,
    }
}

fn match_text(dice: &mut Dice) -> &'static str {
    if dice.seldom(2) {
        dice.pick(&OPEN_TEXTS)
    } else {
        dice.pick(&["a", "b", "c", "", "1", "index.html", "a-1"])
    }
}

/// A match that is well formed but for holes that do not fit together.
fn match_template(dice: &mut Dice, site: &str) -> String {
    let scheme =
        dice.pick(&["http", "http", "{s}", "http", "*", "{s:http|https}", "https", "{s:!ftp|https}"]);
    let userinfo = if dice.seldom(12) { dice.pick(&["{u}@", "u@", "@"]) } else { "" };
    let name = if site == EVERY_SITE { "a.com" } else { site };
    let host = match dice.up_to(9) {
        0..4 => "{...}".to_owned(),
        4 => name.to_owned(),
        5 => format!("{{h}}.{name}"),
        6 => format!("{{...}}.{name}"),
        7 => format!("*.{name}"),
        _ => dice
            .pick(&[
                "{h}.{...}",
                "a.com",
                "{h}",
                "www.{...}",
                "{...}.com",
                "[::1]",
                "b.org",
                "{h:!www}.{...}",
            ])
            .to_owned(),
    };
    let port = if dice.seldom(8) { dice.pick(&[":{p}", ":8080", ":"]) } else { "" };
    let path = list(dice, match_text);
    let query = if dice.seldom(2) { query(dice, true, match_text) } else { String::new() };
    let fragment = if dice.seldom(6) { dice.pick(&["#{...}", "#{f}", "#a", "#"]) } else { "" };
    format!("{scheme}://{userinfo}{host}{port}{path}{query}{fragment}")
}

fn list(dice: &mut Dice, text: fn(&mut Dice) -> &'static str) -> String {
    let mut items: Vec<&str> = (0..=dice.up_to(2)).map(|_| text(dice)).collect();
    if dice.seldom(2) {
        let at = dice.up_to(items.len());
        items.insert(at, "{...}");
    }
    items.iter().flat_map(|item| ["/", item]).collect()
}

fn query(dice: &mut Dice, is_match: bool, text: fn(&mut Dice) -> &'static str) -> String {
    let mut items: Vec<String> = Vec::new();
    for _ in 0..dice.up_to(3) {
        let name = dice.pick(&["a", "b", "c", "sid", "a", "", "{'!'}a"]);
        items.push(match dice.up_to(4) {
            0 => name.to_owned(),
            1 if is_match && dice.seldom(2) => format!("!{name}"),
            3 if is_match && dice.seldom(2) => {
                format!("{}={}", dice.pick(&["{:a|b}", "{:sid|c}", "{:a|}"]), text(dice))
            }
            2 if is_match && dice.seldom(2) => {
                let text = text(dice);
                condition(dice, name, text)
            }
            _ => format!("{name}={}", text(dice)),
        });
    }
    if dice.seldom(2) {
        let others = if is_match { "{...}" } else { dice.pick(&OTHERS) };
        items.insert(dice.up_to(items.len()), others.to_owned());
    }
    let mut query = String::from("?");
    for (i, item) in items.iter().enumerate() {
        query.push_str(if i == 0 { "" } else { dice.pick(&["&", "&", ";"]) });
        query.push_str(item);
    }
    query
}

/// A rule about the parameters of one script.
fn query_rule(dice: &mut Dice) -> Option<Action> {
    let head = dice.pick(&["http://{...}/a", "http://a.com/a", "http://{...}/{...}"]);
    let texts = |dice: &mut Dice| {
        dice.pick(&["{x}", "1", "a", "{x}-{y}", "{?}", "{x:!a|b}", "{x:digits}", "{z:a|b}"])
    };
    let from = format!("{head}{}", query(dice, true, texts));
    let plain = without_classes(&from);
    let to = match dice.up_to(4) {
        0 => plain.replace("{...}", dice.pick(&OTHERS)),
        1 => plain.replace("a={x}", dice.pick(&["a={y}", "a=1", "b={x}"])),
        2 => format!("{head}{}", query(dice, false, rewrite_text)),
        3 => format!("{head}?{}&{}", dice.pick(&["a=1", "b={x}", "a={x}", "c"]), dice.pick(&OTHERS)),
        _ => format!("{head}?{}", dice.pick(&OTHERS)),
    };
    Action::rewrite(&from, &to).ok()
}

/// Functions of the remaining parameters.
const OTHERS: [&str; 14] = [
    "{...}",
    "{sorted(...)}",
    "{only(a)}",
    "{without(b)}",
    "{sorted(only(a|b|sid))}",
    "{without(a=1|sid|c=)}",
    "{sorted(without(c|a=b))}",
    "{only(|b|c)}",
    "{with(a=1)}",
    "{with(a={x})}",
    "{with(b={y}|c=)}",
    "{sorted(with(a={x}-{y}))}",
    "{with(sid={lower(x)})}",
    "{with(a=b-{x}|b=a)}",
];

/// A condition on a parameter that stays.
fn condition(dice: &mut Dice, name: &str, text: &str) -> String {
    match dice.up_to(5) {
        0 => format!("{{if {name}}}"),
        1 => format!("{{unless {name}}}"),
        2 => format!("{{unless {name}={}}}", dice.pick(&["a", "1", "{:a|b}", "{:digits}", "a-{?}", "*"])),
        _ => format!("{{if {name}={text}}}"),
    }
}

/// The match itself with a few changes, or something new that uses its holes.
fn rewrite_template(dice: &mut Dice, from: &str) -> String {
    let plain = without_classes(from);
    let path = list(dice, rewrite_text);
    let query = if dice.seldom(3) { query(dice, false, rewrite_text) } else { String::new() };
    let tail_start = plain
        .find("://")
        .map_or(0, |i| plain[i + 3..].find(['/', '?', '#']).map_or(plain.len(), |j| i + 3 + j));
    let (head, tail) = plain.split_at(tail_start);
    match dice.up_to(8) {
        0 | 5 | 7 => format!("{head}{path}{query}"),
        1 => format!("http://a.com{path}{query}"),
        2 => format!("{head}{}", tail.replacen('a', "b", 1)),
        3 => format!(
            "{head}{}",
            tail.replace(
                "{x}",
                dice.pick(&["*", "{lower(x)}", "{upper(x)}", "{decode(x)}", "{encode(x)}", "{y}"])
            )
        ),
        4 => format!(
            "{head}{}",
            tail.replace(
                "{...}",
                dice.pick(&["{lower(...)}", "{sorted(...)}", "{decode(...)}", "{upper(...)}"])
            )
        ),
        // Only the query changes, as in most rules.
        6 => format!("{head}{}?{}", tail.split('?').next().unwrap_or_default(), dice.pick(&OTHERS)),
        _ => format!("{head}{path}{}", tail.find('?').map_or("", |i| &tail[i..])),
    }
}

fn rewrite_text(dice: &mut Dice) -> &'static str {
    dice.pick(&[
        "a",
        "b",
        "{x}",
        "",
        "*",
        "c",
        "1",
        "{lower(x)}",
        "c-{x}",
        "index.html",
        "{y}",
        "{decode(y)}",
        "{z}",
    ])
}

/// `{x:digits?}` is `{x}` in a rewrite, and what must be absent is left out.
fn without_classes(template: &str) -> String {
    let mut out = String::new();
    let template = without_conditions(template);
    let mut rest = template.as_str();
    while let Some(start) = rest.find('{') {
        let end = rest[start..].find('}').map_or(rest.len(), |i| start + i);
        let inside = &rest[start..end];
        out.push_str(&rest[..start]);
        out.push_str(&inside[..inside.find([':', '?']).unwrap_or(inside.len())]);
        rest = &rest[end..];
    }
    out.push_str(rest);
    for name in ["!a", "!b", "!c", "!sid", "!{'!'}a", "!"] {
        out = out.replace(&format!("&{name}"), "").replace(&format!("?{name}&"), "?");
    }
    out.replace("{}", "*")
}

/// The conditions of a match, each with its place; no word of theirs holds a quoted brace.
fn conditions(template: &str) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    for word in ["{if ", "{unless "] {
        for (start, _) in template.match_indices(word) {
            let mut depth = 0;
            let end = template[start..].char_indices().find(|(_, c)| {
                depth += i32::from(*c == '{') - i32::from(*c == '}');
                depth == 0
            });
            found.push((start, end.map_or(template.len(), |(i, _)| start + i + 1)));
        }
    }
    found.sort_unstable();
    found
}

fn without_conditions(template: &str) -> String {
    let mut out = template.to_owned();
    for (start, end) in conditions(template).into_iter().rev() {
        out.replace_range(start..end, "");
    }
    while out.contains("&&") || out.contains("?&") {
        out = out.replace("&&", "&").replace("?&", "?");
    }
    out
}

/// A URL that one of the rules may speak of, or one over the same alphabet, or anything at all.
pub(crate) fn url(dice: &mut Dice, set: &RuleSet) -> Vec<u8> {
    let rules: Vec<(&str, &Rule)> = set.rules().collect();
    let mut url = match dice.up_to(3) {
        0 | 1 if !rules.is_empty() => {
            let (site, rule) = rules[dice.roll() % rules.len()];
            let side = rule.action.sides().0;
            let host = if site == EVERY_SITE { "a.com" } else { site };
            match rule.action {
                Action::Rewrite(_) | Action::Skip(_) => instance(dice, &side, host).into_bytes(),
                Action::Substitute(_) => {
                    let place = side.trim_matches(['^', '$', '/']);
                    // Places beside each other, apart and overlapping.
                    let between = dice.pick(&["/", "", "-", "/1/", "a"]);
                    let places = vec![place; 1 + dice.up_to(3)].join(between);
                    format!("http://{host}/{places}{}", dice.pick(&["", "/", "-1", "?a=1"])).into_bytes()
                }
            }
        }
        _ => web_url(dice),
    };
    if dice.seldom(6) {
        let at = dice.up_to(url.len());
        url.insert(at, dice.roll() as u8);
    }
    url
}

/// The URL with something put into it, or a part of it taken out or doubled.
pub(crate) fn spoiled(dice: &mut Dice, url: Vec<u8>) -> Vec<u8> {
    let (at, len) = (dice.up_to(url.len()), dice.up_to(8));
    let end = (at + len).min(url.len());
    let (before, part, after) = (&url[..at], &url[at..end], &url[end..]);
    match dice.up_to(3) {
        0 => [before, part, part, part, after].concat(),
        1 => [before, after].concat(),
        2 => [
            before,
            dice.pick(&[
                "/", "a", "-", "&a=1", "//b", "?", "\\", "A", "%2e", "@", "b.org/", "%", "%-4", "%4%2D",
            ])
            .as_bytes(),
            part,
            after,
        ]
        .concat(),
        _ => url,
    }
}

/// A URL over the alphabet of the rules.
pub(crate) fn web_url(dice: &mut Dice) -> Vec<u8> {
    let scheme = if dice.seldom(4) { dice.pick(&SCHEMES) } else { "http" };
    let userinfo = if dice.seldom(10) { dice.pick(&["u@", "u:p@", "@", "a@b@"]) } else { "" };
    let host = if dice.seldom(2) { dice.pick(&HOSTS) } else { "a.com" };
    let port = if dice.seldom(6) { dice.pick(&[":80", ":8080", ":", ":443", ":0"]) } else { "" };
    let mut url = format!("{scheme}://{userinfo}{host}{port}");
    for _ in 0..dice.up_to(4) {
        url.push('/');
        url.push_str(if dice.seldom(2) { dice.pick(&WORDS) } else { dice.pick(&["a", "b", "1", "c"]) });
    }
    if dice.seldom(2) {
        let count = dice.up_to(4);
        url.push('?');
        for i in 0..count {
            url.push_str(if i == 0 { "" } else { dice.pick(&["&", "&", ";"]) });
            url.push_str(dice.pick(&NAMES));
            url.push_str(dice.pick(&["=", "", "=1"]));
            url.push_str(dice.pick(&WORDS));
        }
    }
    if dice.seldom(6) {
        url.push_str(dice.pick(&["#", "#a", "#a#b"]));
    }
    url.into_bytes()
}

/// A match with words in its holes; most of the time it matches.
pub(crate) fn instance(dice: &mut Dice, template: &str, host: &str) -> String {
    let mut out = String::new();
    // Most of the time a condition holds: its parameter stands in its place.
    let mut template = template.to_owned();
    for (start, end) in conditions(&template).into_iter().rev() {
        let holds = template[start..end].strip_prefix("{if ").and_then(|inside| inside.strip_suffix('}'));
        let param = holds.unwrap_or_default().to_owned();
        template.replace_range(start..end, &param);
    }
    let mut rest = template.as_str();
    let mut same: Option<&str> = None;
    while let Some(start) = rest.find(['{', '*']) {
        out.push_str(&rest[..start]);
        let end = if rest[start..].starts_with('*') {
            start + 1
        } else {
            rest[start..].find('}').map_or(rest.len(), |i| start + i + 1)
        };
        let hole = &rest[start..end];
        let filling = match hole {
            "{...}" if out.ends_with(['?', '&', ';']) => {
                dice.pick(&["a=1", "b", "c=2&sid=7", "c=1;b=2", "sid="])
            }
            "{...}" if out.ends_with("://") => host,
            "{...}" => dice.pick(&["a", "b/c", "a/b/1", "", "B/%41"]),
            "{'*'}" => "*",
            "{:a|}" => "a",
            "{:c|sid}" => "sid",
            "{p}" => "81",
            "{s}" | "{s:http|https}" | "{s:!ftp|https}" => "http",
            _ if hole.contains("digits") => dice.pick(&["1", "22"]),
            _ if hole.contains(":!") => dice.pick(&["a", "b", "c", "1", "ab", "b-a", "A", "*"]),
            _ if hole.contains("a|b") => dice.pick(&["a", "b", "b-a"]),
            _ if dice.seldom(3) => dice.pick(&WORDS),
            _ => *same.get_or_insert(dice.pick(&["a", "b", "1", "A", "ab"])),
        };
        out.push_str(filling);
        rest = &rest[end..];
    }
    out.push_str(rest);
    out.replace('!', "")
}
