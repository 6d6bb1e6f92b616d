//! Plain expressions, run by another engine, do what the rules do.
//!
//! Rules are compared one by one, one firing each: a list is run in order, and our rules begin again after each firing, so that
//! chains of rules may come to another end in a single run.

use std::collections::BTreeMap;

use proptest::prelude::*;
use regex::Regex;
use serde_json::Value;
use undust::apply::{Form, Naive};
use undust::rules::{Action, EVERY_SITE, Rule, RuleSet, SiteRules};
use undust::url::{SplitUrl, normalize};
use undust_exchange::{Format, export};

use crate::generate::{self, Dice};

/// The lines of an export, by site and rule, in order.
type Lines = BTreeMap<(String, String), Vec<(String, String)>>;

fn lines(set: &RuleSet) -> Lines {
    let mut lines = Lines::new();
    for line in export(set, Format::Regex).text.lines() {
        let line: Value = serde_json::from_str(line).expect("a line of JSON");
        let field = |name: &str| line[name].as_str().expect("text").to_owned();
        let key = (field("site"), field("rule"));
        lines.entry(key).or_default().push((field("pattern"), field("replacement")));
    }
    lines
}

/// What the first expression that changes `url` makes of it. Those that look around are for other engines.
fn replaced(url: &str, lines: &[(String, String)]) -> Option<String> {
    let mut results =
        lines.iter().filter(|(pattern, _)| !looks_around(pattern)).map(|(pattern, replacement)| {
            let regex = Regex::new(pattern).unwrap_or_else(|error| panic!("{pattern}: {error}"));
            regex.replace_all(url, replacement).into_owned()
        });
    results.find(|after| normal(after) != url)
}

fn looks_around(pattern: &str) -> bool {
    ["(?=", "(?!", "(?<"].iter().any(|look| pattern.contains(look))
}

fn normal(url: &str) -> String {
    String::from_utf8_lossy(&normalize(url.as_bytes())).into_owned()
}

/// What one firing of `rule` makes of `url`.
fn fired(set: &RuleSet, site: &str, rule: &Rule, url: &str) -> Option<String> {
    let sites = set.sites.iter().map(|other| {
        let rules = if other.site == site { vec![rule.clone()] } else { Vec::new() };
        SiteRules { site: other.site.clone(), rules }
    });
    let alone = RuleSet { sites: sites.collect(), normalize: true, model: None, ..set.clone() };
    let trace = Naive::new(&alone, Form::Url).trace(url.as_bytes());
    let first = trace.steps.into_iter().find(|step| step.rule.is_some())?;
    Some(normal(&String::from_utf8_lossy(&first.after)))
}

/// URLs of which the format promises something: hosts of names, parameters between `&`.
fn is_promised(url: &str) -> bool {
    let Some(split) = SplitUrl::new(url.as_bytes()) else { return false };
    let host = String::from_utf8_lossy(split.host()).into_owned();
    let labels: Vec<&str> = host.split('.').collect();
    labels.len() > 1
        && labels.iter().all(|label| !label.is_empty())
        && host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._".contains(&byte))
        && !url.contains([';', '\u{FFFD}'])
        && !url.contains(char::is_control)
        && !url[url.find("://").map_or(0, |at| at + 3)..].contains("://")
}

fn check(set: &RuleSet, lines: &Lines, url: &str) {
    let url = normal(url);
    if !is_promised(&url) {
        return;
    }
    let here = set.site_of(url.as_bytes()).map(|at| set.sites[at].site.as_str());
    for (site, rule) in set.rules().filter(|(_, rule)| rule.is_active()) {
        let Some(own) = lines.get(&(site.to_owned(), rule.id.clone())) else { continue };
        let is_here = site == EVERY_SITE || Some(site) == here;
        if !is_here
            || own.iter().any(|(pattern, _)| looks_around(pattern))
            || rule.action.to_string().contains(';')
        {
            continue;
        }
        let theirs = replaced(&url, own).map(|after| normal(&after));
        assert_eq!(theirs, fired(set, site, rule, &url), "{url}\n{}\n{own:#?}", rule.action);
    }
}

proptest! {
    // New seeds on every run; a failing one is printed and kept in `proptest-regressions`.
    #![proptest_config(ProptestConfig { cases: ProptestConfig::default().cases.max(2000), ..ProptestConfig::default() })]

    #[test]
    fn another_engine_comes_to_the_same(
        rules in prop::collection::vec(any::<u8>(), 120),
        urls in prop::collection::vec(prop::collection::vec(any::<u8>(), 48), 4),
    ) {
        let set = generate::rule_set(&mut Dice(&rules));
        let lines = lines(&set);
        for rolls in &urls {
            let mut dice = Dice(rolls);
            let url = generate::url(&mut dice, &set);
            check(&set, &lines, &String::from_utf8_lossy(&url));
            check(&set, &lines, &String::from_utf8_lossy(&generate::spoiled(&mut dice, url)));
        }
    }
}

/// Texts with holes whose ends are told by what stands behind them, where an expression could try several.
const TEXTS: [&str; 24] = [
    "{x}-{y:digits}",
    "{x?}-{y:digits}",
    "{x}-{y}-{z}",
    "{x}ab{y}",
    "{x}ab{y:digits}",
    "{x:digits}{y}",
    "{x:digits?}{y}",
    "{x:digits}1",
    "{x:digits}-{y}",
    "{x:alnum}-{y?}",
    "{x:alnum}{y:digits}",
    "{x:alpha}{y:digits}",
    "{x:alpha}{y:digits?}b",
    "{x:a|ab}",
    "{x:a|ab}b{y}",
    "{x:a|b}1{y?}",
    "{x:a|b?}a",
    "{x:!a|ab}",
    "{x:!a|ab?}",
    "{x:!a|ab}-",
    "{x:!a|b}-{y}",
    "a{x}1",
    "*b{x:lower}",
    "{x:hex}-*",
];

/// Every component of up to five of four characters.
#[test]
fn the_ends_of_holes() {
    let mut components = vec![String::new()];
    for length in 0..5 {
        let longer: Vec<String> = components.iter().filter(|text| text.len() == length).cloned().collect();
        components.extend(longer.iter().flat_map(|text| ["a", "b", "-", "1"].map(|c| format!("{text}{c}"))));
    }
    let mut said = 0;
    for text in TEXTS {
        let holes = ["x", "y", "z"].iter().filter(|name| text.contains(&format!("{{{name}")));
        let copied: String = holes.flat_map(|name| ["/{", name, "}"]).collect();
        let action = Action::rewrite(&format!("http://a.com/{text}"), &format!("http://a.com/to{copied}"));
        let rule = Rule::new(action.expect("well formed"));
        let set = RuleSet::of_site("a.com", undust::url::SiteBy::Domain, vec![rule.clone()]);
        let Some(own) = lines(&set).into_values().next() else { continue };
        said += 1;
        let regex = Regex::new(&own[0].0).expect("an expression");
        for component in &components {
            let url = format!("http://a.com/{component}");
            let theirs = regex.is_match(&url).then(|| regex.replace(&url, &own[0].1).into_owned());
            assert_eq!(theirs, fired(&set, "a.com", &rule, &url), "{text} on {component}: {own:?}");
        }
    }
    assert_eq!(said, 15, "the others cannot be said");
}

#[track_caller]
fn becomes(from: &str, to: &str, url: &str, expected: &str) {
    let action = if from.contains("://") { Action::rewrite(from, to) } else { Action::substitute(from, to) };
    let rule = Rule::new(action.expect("well formed"));
    let set = RuleSet::of_site("a.com", undust::url::SiteBy::Domain, vec![rule]);
    let lines = lines(&set);
    let own = lines.values().next().expect("the rule can be said");
    let after = replaced(url, own).unwrap_or_else(|| url.to_owned());
    assert_eq!(after, expected, "{own:#?}");
    check(&set, &lines, url);
}

#[test]
fn a_parameter_wherever_it_stands() {
    let (from, to) = ("{s}://{...}/{...}?sid={?}&{...}", "{s}://{...}/{...}?{...}");
    becomes(from, to, "http://a.com/x?sid=1", "http://a.com/x");
    becomes(from, to, "http://a.com/x?sid=1&b=2&c", "http://a.com/x?b=2&c");
    becomes(from, to, "https://m.a.com/?b=2&sid=1", "https://m.a.com/?b=2");
    becomes(from, to, "http://a.com/?b=2&sid=&c=3&d=4", "http://a.com/?b=2&c=3&d=4");
    becomes(from, to, "http://a.com/?sidx=2&xsid=1&si=3", "http://a.com/?sidx=2&xsid=1&si=3");
    becomes(from, to, "http://a.com/?sid=2&sid=1", "http://a.com/?sid=2&sid=1");
    becomes(from, to, "http://nota.com/?sid=2", "http://nota.com/?sid=2");
}

/// courlan turns `&sect` into `§`: no rule decodes anything that it does not name.
#[test]
fn nothing_is_decoded() {
    let (from, to) = ("{s}://{...}/{...}?sid={?}&{...}", "{s}://{...}/{...}?{...}");
    let url = "http://a.com/?parid=175&section=article&sid=1";
    becomes(from, to, url, "http://a.com/?parid=175&section=article");
}

/// A user may be called anything, and a substitution leaves the authority alone.
#[test]
fn the_authority_stays() {
    becomes("=", "", "http://=a@b@a.com/a/a/a", "http://=a@b@a.com/a/a/a");
    becomes("=", "", "http://=a@b@a.com/a=/?b=c==", "http://=a@b@a.com/a/?bc");
    becomes("&a=", "", "http://&a=@a.com/?b&a=", "http://&a=@a.com/?b");
    is_left_out("=", "-");
    is_left_out("/b-", "/-");
    is_left_out(".com/-", "-");
    is_left_out(".com/-", ".com/");
    is_left_out(":80/-", ":80/");
    is_left_out(":80/-", "-");
}

#[track_caller]
fn is_left_out(from: &str, to: &str) {
    let rule = Rule::new(Action::substitute(from, to).expect("well formed"));
    let set = RuleSet::of_site("a.com", undust::url::SiteBy::Domain, vec![rule]);
    let exported = export(&set, Format::Regex);
    assert_eq!((exported.rules, exported.left_out.len()), (0, 1), "{}", exported.text);
}

#[test]
fn parameters_in_any_order() {
    let (from, to) = ("http://a.com/v?t={t}&start=0&{...}", "http://a.com/v?t={t}&{...}");
    becomes(from, to, "http://a.com/v?t=7&start=0", "http://a.com/v?t=7");
    becomes(from, to, "http://a.com/v?x=1&start=0&y=2&t=7&z=3", "http://a.com/v?t=7&x=1&y=2&z=3");
    becomes(from, to, "http://a.com/v?x=1&start=0&t=7", "http://a.com/v?t=7&x=1");
    becomes(from, to, "http://a.com/v?start=01&t=7", "http://a.com/v?start=01&t=7");
}

#[test]
fn holes_do_not_go_on_where_ours_stop() {
    becomes("http://a.com/{x}-{y:digits}", "http://a.com/{y}", "http://a.com/b-1", "http://a.com/1");
    becomes("http://a.com/{x}-{y:digits}", "http://a.com/{y}", "http://a.com/b-c-1", "http://a.com/b-c-1");
    becomes("http://a.com/{x:!b|bc}", "http://a.com/n/{x}", "http://a.com/bcd", "http://a.com/n/bcd");
    becomes("http://a.com/{x:!b|bc}", "http://a.com/n/{x}", "http://a.com/bc", "http://a.com/bc");
}

#[test]
fn slashes_at_the_end() {
    let (from, to) = ("http://{...}/{...}/", "http://{...}/{...}");
    becomes(from, to, "http://a.com/x/", "http://a.com/x");
    becomes(from, to, "http://a.com/", "http://a.com/");
    becomes("/index.html$", "/$", "http://a.com/b/index.html", "http://a.com/b/");
}
