//! The check of a rule set: conflicts, circles, rules that can never fire.
//!
//! Termination is proven (see `proof`). Where it is not, circles are sought by running the engine on URLs made from the rules themselves: every match
//! with its holes filled by fresh values, by the fixed values of the site's other rules, and by the examples in the evidence.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::compile::Canonicalizer;
use super::form::{Form, in_form};
use super::naive::{Naive, rewrite_once};
use super::proof::{Open, open_questions};
use super::scratch::Scratch;
use crate::rules::template::{Class, Filter, Fragment, Item, List, Piece, QueryKind, Template, Text};
use crate::rules::{Action, EVERY_SITE, Rule, RuleSet, SiteRules};
use crate::url::{SiteBy, SplitUrl};

/// Something wrong with a rule set; found by [`check`]. Its text names the rules.
///
/// ```
/// use undust::{Action, Finding, Rule, RuleSet, SiteBy, check};
///
/// let there = Rule::new(Action::rewrite("http://example.com/a", "http://example.com/b")?);
/// let back = Rule::new(Action::rewrite("http://example.com/b", "http://example.com/a")?);
/// let findings = check(&RuleSet::of_site("example.com", SiteBy::Domain, vec![there, back]));
/// assert!(matches!(&findings[..], [Finding::Circle { url, .. }] if url == "http://example.com/a"));
/// # Ok::<(), undust::SyntaxError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Finding {
    /// Rules that undo each other: on this URL they reach no fixed point.
    Circle {
        /// The site.
        site: String,
        /// The rules on the way round.
        rules: Vec<String>,
        /// A URL on which it happens.
        url: String,
    },
    /// No circle was found among these rules, and no proof that there is none.
    Unproven {
        /// The site.
        site: String,
        /// The rules.
        rules: Vec<String>,
    },
    /// Two rules that match the same URLs and disagree: the second can never fire.
    Conflict {
        /// The site.
        site: String,
        /// The rule that wins.
        first: String,
        /// The rule that loses.
        second: String,
    },
    /// The rule stands twice.
    Twice {
        /// The site.
        site: String,
        /// The rule.
        rule: String,
    },
    /// The rule matches a host outside its site.
    Outside {
        /// The site.
        site: String,
        /// The rule.
        rule: String,
        /// The host it matches.
        host: String,
    },
    /// The result of the rule is no URL of its site: it has no host, or takes one from another part of the URL.
    NotUrl {
        /// The site.
        site: String,
        /// The rule.
        rule: String,
        /// A URL that it matches.
        url: String,
        /// The result.
        printed: String,
    },
}

impl Finding {
    /// The ids of the rules to change; one of them is enough.
    ///
    /// ```
    /// # use undust::{Action, Rule, RuleSet, SiteBy, check};
    /// let twice = Rule::new(Action::substitute("/index.html$", "/$")?);
    /// let findings = check(&RuleSet::of_site("example.com", SiteBy::Domain, vec![twice.clone(), twice.clone()]));
    /// assert_eq!(findings[0].blamed(), [twice.id]);
    /// # Ok::<(), undust::SyntaxError>(())
    /// ```
    pub fn blamed(&self) -> &[String] {
        match self {
            Finding::Circle { rules, .. } | Finding::Unproven { rules, .. } => rules,
            Finding::Conflict { second: rule, .. }
            | Finding::Twice { rule, .. }
            | Finding::Outside { rule, .. }
            | Finding::NotUrl { rule, .. } => std::slice::from_ref(rule),
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Finding::Circle { site, rules, url } => {
                write!(f, "{site}: rules {} run in a circle on {url}", rules.join(", "))
            }
            Finding::Unproven { site, rules } => {
                write!(f, "{site}: rules {} cannot be shown to terminate on every URL", rules.join(", "))
            }
            Finding::Conflict { site, first, second } => {
                write!(f, "{site}: rules {first} and {second} match the same URLs and disagree")
            }
            Finding::Twice { site, rule } => write!(f, "{site}: rule {rule} stands twice"),
            Finding::Outside { site, rule, host } => {
                write!(f, "{site}: rule {rule} matches {host}, which is not on this site, so it never fires")
            }
            Finding::NotUrl { site, rule, url, printed } => {
                write!(f, "{site}: rule {rule} makes {printed} of {url}, which is no URL of this site")
            }
        }
    }
}

/// All findings on `set`. Without any, its rules terminate on every URL, in a fixed point.
///
/// ```
/// use undust::{Action, Rule, RuleSet, SiteBy, check};
///
/// let rule = Rule::new(Action::substitute("/index.html$", "/$")?);
/// assert!(check(&RuleSet::of_site("example.com", SiteBy::Domain, vec![rule])).is_empty());
/// # Ok::<(), undust::SyntaxError>(())
/// ```
pub fn check(set: &RuleSet) -> Vec<Finding> {
    let mut findings = Vec::new();
    for site in &set.sites {
        findings.extend(disagreements(site));
        findings.extend(site.rules.iter().filter_map(|rule| outside(site, set.site_by, rule)));
    }
    findings.extend(rules_without_url(set));
    let open = open_questions(set);
    for form in [Form::Key, Form::Url] {
        for circle in circles(set, form, &open) {
            if !findings.contains(&circle) {
                findings.push(circle);
            }
        }
    }
    let unproven = unproven(open, &findings);
    findings.extend(unproven);
    findings
}

/// The rules that print no URL of their site ([`Finding::NotUrl`]), which is quicker than [`check`].
#[doc(hidden)]
pub fn rules_without_url(set: &RuleSet) -> Vec<Finding> {
    let of_site = |site| active(site).filter_map(move |rule| not_url(site, set, rule));
    set.sites.iter().flat_map(of_site).collect()
}

/// Whether [`check`] finds nothing. Quicker where it would find something: the first doubt decides.
#[doc(hidden)]
pub fn is_fit(set: &RuleSet) -> bool {
    let is_at_odds = |site: &SiteRules| {
        let is_outside = |rule| outside(site, set.site_by, rule).is_some();
        !disagreements(site).is_empty() || site.rules.iter().any(is_outside)
    };
    !set.sites.iter().any(is_at_odds)
        && rules_without_url(set).is_empty()
        && open_questions(set).is_empty()
        && [Form::Key, Form::Url].iter().all(|form| circles(set, *form, &[]).is_empty())
}

/// Rules without a proof, where nothing is known that explains it: a circle, or a rule that prints no URL.
fn unproven(mut open: Vec<Open>, findings: &[Finding]) -> Vec<Finding> {
    let explains = |finding: &Finding, open: &[String]| match finding {
        Finding::Circle { .. } | Finding::NotUrl { .. } => {
            finding.blamed().iter().any(|rule| open.contains(rule))
        }
        _ => false,
    };
    open.retain(|part| !findings.iter().any(|finding| explains(finding, &part.rules)));
    open.into_iter().map(|Open { site, rules }| Finding::Unproven { site, rules }).collect()
}

fn active(site: &SiteRules) -> impl Iterator<Item = &Rule> {
    site.rules.iter().filter(|rule| rule.is_active())
}

fn disagreements(site: &SiteRules) -> Vec<Finding> {
    let mut by_match: BTreeMap<(String, bool, bool), &Rule> = BTreeMap::new();
    let mut findings = Vec::new();
    for rule in active(site) {
        let (from, to) = rule.action.sides();
        // A rule that only puts parameters in order leaves the ordered ones to others.
        let orders = from == to;
        // A skip is tried on canonical forms, which no other rule changes.
        let known = by_match.insert((from, orders, rule.action.is_skip()), rule);
        let Some(first) = known else { continue };
        let site = site.site.clone();
        findings.push(if first.action == rule.action {
            Finding::Twice { site, rule: rule.id.clone() }
        } else {
            Finding::Conflict { site, first: first.id.clone(), second: rule.id.clone() }
        });
    }
    findings
}

fn outside(site: &SiteRules, by: SiteBy, rule: &Rule) -> Option<Finding> {
    let labels: Option<Vec<&[u8]>> = rule.action.matches()?.host.iter().map(Item::fixed).collect();
    let host = labels?.join(&b'.').to_ascii_lowercase();
    let inside = site.site == EVERY_SITE || is_below(&host, &site.site, by);
    (!inside).then(|| Finding::Outside {
        site: site.site.clone(),
        rule: rule.id.clone(),
        host: String::from_utf8_lossy(&host).into_owned(),
    })
}

/// A URL on which the result of the rule by itself is no URL of its site. A rule that prints a fixed host may lead to another site on purpose.
fn not_url(site: &SiteRules, set: &RuleSet, rule: &Rule) -> Option<Finding> {
    let is_on_site = |host: &[u8]| site.site == EVERY_SITE || is_below(host, &site.site, set.site_by);
    let action = in_form(&rule.action, Form::Url)?;
    let may_leave = match action.as_ref() {
        Action::Rewrite(rewrite) => rewrite.becomes().host.iter().any(|item| item.fixed().is_some()),
        Action::Substitute(_) | Action::Skip(_) => true,
    };
    samples(rule, site, &FixedValues::default()).into_iter().find_map(|url| {
        let split =
            SplitUrl::new(&url).filter(|split| !split.host().is_empty() && is_on_site(split.host()))?;
        let printed = rewrite_once(&action, &split)?;
        let host = SplitUrl::new(&printed).map_or(b"".as_slice(), |printed| printed.host());
        let is_url = !host.is_empty() && (may_leave || is_on_site(host));
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let (url, printed) = (text(&url), text(&printed));
        (!is_url).then(|| Finding::NotUrl { site: site.site.clone(), rule: rule.id.clone(), url, printed })
    })
}

/// Whether a host is on a site.
fn is_below(host: &[u8], site: &str, by: SiteBy) -> bool {
    let Some(before) =
        host.len().checked_sub(site.len()).filter(|at| host[*at..].eq_ignore_ascii_case(site.as_bytes()))
    else {
        return false;
    };
    before == 0 || (by == SiteBy::Domain && host[before - 1] == b'.')
}

/// Circles on URLs made from the rules. Rules that are proven to terminate may still make a URL too long at once: a few URLs
/// show that.
fn circles(set: &RuleSet, form: Form, open: &[Open]) -> Vec<Finding> {
    let (engine, naive) = (Canonicalizer::of_rules(set, form), Naive::new(set, form));
    let mut scratch = Scratch::new();
    let suspects: BTreeSet<&String> = open.iter().flat_map(|part| &part.rules).collect();
    let mut seen: BTreeSet<Vec<String>> = BTreeSet::new();
    let mut findings = Vec::new();
    for site in &set.sites {
        let (words, no_words) = (FixedValues::of(site), FixedValues::default());
        let words_for = |rule: &Rule| if suspects.contains(&rule.id) { &words } else { &no_words };
        for rule in active(site) {
            let urls = samples(rule, site, words_for(rule)).into_iter();
            for url in urls.filter(|url| !engine.settles(url, &mut scratch)).take(MAX_CIRCLES_PER_RULE) {
                let rules = circle_of(&naive, &url);
                if seen.insert(rules.clone()) {
                    let url = String::from_utf8_lossy(&url).into_owned();
                    findings.push(Finding::Circle { site: site.site.clone(), rules, url });
                }
            }
        }
    }
    findings
}

/// URLs of one rule that are followed round their circles: mostly it is the same circle.
const MAX_CIRCLES_PER_RULE: usize = 4;

/// The rules that still fire when everything that settles has settled.
fn circle_of(naive: &Naive, url: &[u8]) -> Vec<String> {
    let trace = naive.trace(url);
    let late = trace.steps.iter().rev().take(trace.steps.len() / 2 + 1);
    let ids: BTreeSet<&str> = late.filter_map(|step| Some(step.rule?.id.as_str())).collect();
    ids.into_iter().map(str::to_owned).collect()
}

/// The fixed values that the rules of a site match or print: a circle would have to pass through them.
#[derive(Default)]
struct FixedValues {
    segments: BTreeSet<Vec<u8>>,
    /// Parameters as they would stand in a URL.
    params: BTreeSet<Vec<u8>>,
    /// Values of parameters and pieces of text.
    values: BTreeSet<Vec<u8>>,
}

/// Fixed values that are tried in each hole; more would make checking a large site quadratic.
const MAX_WORDS_PER_HOLE: usize = 24;

impl FixedValues {
    fn of(site: &SiteRules) -> FixedValues {
        let mut words = FixedValues::default();
        for rule in active(site) {
            if let Action::Rewrite(rewrite) = &rule.action {
                words.add(rewrite.matches());
                words.add(rewrite.becomes());
            }
        }
        words
    }

    fn add(&mut self, template: &Template) {
        self.segments.extend(template.path.iter().filter_map(Item::fixed).map(<[u8]>::to_vec));
        for item in template.query.iter().flatten() {
            match &item.kind {
                QueryKind::If(name, None) => self.add_param(name, Some(&vec![Piece::Star])),
                QueryKind::Param(name, value) | QueryKind::If(name, value) => {
                    self.add_param(name, value.as_ref());
                }
                QueryKind::AnyName(names, value) => {
                    for name in names {
                        self.add_param(name, value.as_ref());
                    }
                }
                QueryKind::Unless(name, value) => self.add_param(name, Some(value)),
                QueryKind::Others { filter, .. } => self.add_filter(filter),
                QueryKind::Absent(_) => {}
            }
        }
    }

    fn add_param(&mut self, name: &[u8], value: Option<&Text>) {
        let seven =
            |class: &Class| if let Some(word) = class.words().first() { word.clone() } else { b"7".to_vec() };
        let value = value.map(|text| fill(text, &mut |_, class| seven(class)));
        self.params.insert(param(name, value.as_deref()));
        self.values.extend(value);
    }

    fn add_filter(&mut self, filter: &Filter) {
        match filter {
            Filter::All => {}
            Filter::Only(names) => {
                self.params.extend(names.iter().map(|name| param(name, Some(b"7"))));
            }
            Filter::Without(params) => {
                let value = |value: &'_ Option<Vec<u8>>| value.clone().unwrap_or_else(|| b"7".to_vec());
                self.params.extend(params.iter().map(|(name, v)| param(name, Some(&value(v)))));
            }
            Filter::With(values) => {
                for (name, value) in values {
                    self.add_param(name, Some(value));
                }
            }
        }
    }
}

fn param(name: &[u8], value: Option<&[u8]>) -> Vec<u8> {
    match value {
        Some(value) => [name, b"=", value].concat(),
        None => name.to_vec(),
    }
}

/// URLs that `rule` matches.
fn samples(rule: &Rule, site: &SiteRules, words: &FixedValues) -> Vec<Vec<u8>> {
    let examples = rule.evidence.iter().flat_map(|e| e.examples.iter().flatten());
    let mut urls: Vec<Vec<u8>> = examples.map(|url| url.clone().into_bytes()).collect();
    match &rule.action {
        Action::Rewrite(rewrite) => urls.extend(instances(rewrite.matches(), site, words)),
        Action::Substitute(s) => {
            let host = if site.site == EVERY_SITE { "example.com" } else { &site.site };
            for url in [b"".as_slice(), b"/"] {
                let around = [b"http://", host.as_bytes(), url].concat();
                urls.push([s.from(), b"/x"].concat());
                urls.push([s.from(), host.as_bytes(), b"/x"].concat());
                urls.push([around.as_slice(), b"/x/", s.from(), b"/y"].concat());
                urls.push([around.as_slice(), s.from()].concat());
            }
        }
        Action::Skip(_) => {}
    }
    urls
}

/// One URL with fresh values, and one for every way to put one known word into one hole.
fn instances(template: &Template, site: &SiteRules, words: &FixedValues) -> Vec<Vec<u8>> {
    let host = if site.site == EVERY_SITE { "example.com" } else { &site.site };
    let make = |special: Option<(usize, &[u8])>, rest: Option<&[u8]>, other: Option<&[u8]>| {
        instance(template, host, special, rest, other)
    };
    let holes = template.texts().flatten().filter(|p| !matches!(p, Piece::Literal(_))).count();
    let mut urls = vec![make(None, None, None), make(None, Some(b"fresh"), Some(b"fresh=1"))];
    for word in words.segments.iter().take(MAX_WORDS_PER_HOLE) {
        urls.push(make(None, Some(word), None));
        urls.extend((0..holes.min(8)).map(|hole| make(Some((hole, word)), None, None)));
    }
    for word in words.values.iter().take(MAX_WORDS_PER_HOLE) {
        urls.extend((0..holes.min(8)).map(|hole| make(Some((hole, word)), None, None)));
    }
    urls.extend(words.params.iter().take(MAX_WORDS_PER_HOLE).map(|other| make(None, None, Some(other))));
    urls
}

fn instance(
    template: &Template,
    site: &str,
    special: Option<(usize, &[u8])>,
    rest: Option<&[u8]>,
    other: Option<&[u8]>,
) -> Vec<u8> {
    let mut count = 0;
    let mut values: BTreeMap<String, Vec<u8>> = BTreeMap::new();
    let mut value = |name: &str, class: &Class| {
        let number = count;
        count += 1;
        let fresh = || match special {
            Some((hole, word)) if hole == number => word.to_vec(),
            _ => fresh_value(class, number),
        };
        if name.is_empty() { fresh() } else { values.entry(name.to_owned()).or_insert_with(fresh).clone() }
    };
    let mut url = fill(&template.scheme, &mut |_, _| b"http".to_vec());
    url.extend_from_slice(b"://");
    if let Some(userinfo) = &template.userinfo {
        url.extend(fill(userinfo, &mut value));
        url.push(b'@');
    }
    // An open host can be any of the site: the site's own name is one.
    let open = template.host.iter().all(|item| item.fixed().is_none());
    let host = fill_list(&template.host, None, &mut value);
    url.extend(if open { site.as_bytes().to_vec() } else { host.join(&b'.') });
    if let Some(port) = &template.port {
        url.push(b':');
        url.extend(fill(port, &mut |_, _| b"8080".to_vec()));
    }
    for segment in fill_list(&template.path, rest, &mut value) {
        url.push(b'/');
        url.extend(segment);
    }
    url.extend(fill_query(template, other, &mut value));
    if let Some(Fragment::Text(text)) = &template.fragment {
        url.push(b'#');
        url.extend(fill(text, &mut value));
    }
    url
}

fn fill_query(
    template: &Template,
    other: Option<&[u8]>,
    value: &mut dyn FnMut(&str, &Class) -> Vec<u8>,
) -> Vec<u8> {
    let Some(items) = &template.query else { return Vec::new() };
    let mut params: Vec<Vec<u8>> = Vec::new();
    let is_named = |name: &Vec<u8>| items.iter().any(|item| item.kind.taken_names().contains(name));
    for item in items {
        match &item.kind {
            QueryKind::If(name, text) if !is_named(name) => {
                let text = text.as_ref().map(|text| fill(text, value));
                params.push(param(name, text.as_deref()));
            }
            QueryKind::Param(name, text) => {
                let text = text.as_ref().map(|text| fill(text, value));
                params.push(param(name, text.as_deref()));
            }
            QueryKind::AnyName(names, text) => {
                let text = text.as_ref().map(|text| fill(text, value));
                params.extend(names.first().map(|name| param(name, text.as_deref())));
            }
            QueryKind::Others { .. } => params.extend(other.map(<[u8]>::to_vec)),
            QueryKind::Absent(_) | QueryKind::If(..) | QueryKind::Unless(..) => {}
        }
    }
    [b"?", params.join(&b'&').as_slice()].concat()
}

fn fill_list(
    list: &List,
    rest: Option<&[u8]>,
    value: &mut dyn FnMut(&str, &Class) -> Vec<u8>,
) -> Vec<Vec<u8>> {
    let mut items = Vec::new();
    for item in list {
        match item {
            Item::One(text) => items.push(fill(text, value)),
            Item::Rest(_) => items.extend(rest.map(<[u8]>::to_vec)),
        }
    }
    items
}

/// Text with its holes filled.
fn fill(text: &Text, value: &mut dyn FnMut(&str, &Class) -> Vec<u8>) -> Vec<u8> {
    let mut out = Vec::new();
    for piece in text {
        match piece {
            Piece::Literal(bytes) => out.extend_from_slice(bytes),
            Piece::Star => out.extend(value("", &Class::Any)),
            Piece::Hole { name, class, .. } => out.extend(value(name, class)),
        }
    }
    out
}

fn fresh_value(class: &Class, number: usize) -> Vec<u8> {
    match class {
        Class::Digits | Class::Hex => format!("{}", 1000 + number).into_bytes(),
        Class::Any | Class::Alnum => format!("Fresh{number}").into_bytes(),
        Class::Lower | Class::Alpha => b"fresh".to_vec(),
        Class::Upper => b"FRESH".to_vec(),
        Class::OneOf(words) | Class::AnyCase(words) => words.first().cloned().unwrap_or_default(),
        Class::ExactDigits(count) => vec![b'1'; usize::from(*count)],
        Class::Range { least, .. } => least.to_string().into_bytes(),
        // Of one value more than there are words, one is none of them.
        Class::NoneOf(words) => (number..=number + words.len())
            .map(|number| fresh_value(&Class::Any, number))
            .find(|fresh| !class.excludes(fresh))
            .unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{Evidence, Review, Validation};

    fn rule(id: &str, from: &str, to: &str) -> Rule {
        let is_template = from.contains("://") && !from.starts_with('^');
        let action = if is_template { Action::rewrite(from, to) } else { Action::substitute(from, to) };
        Rule { id: id.to_owned(), ..Rule::new(action.expect("well formed")) }
    }

    fn findings(site: &str, rules: Vec<Rule>) -> Vec<String> {
        let set = RuleSet::of_site(site, SiteBy::default(), rules);
        let findings: Vec<String> = check(&set).iter().map(ToString::to_string).collect();
        assert_eq!(is_fit(&set), findings.is_empty());
        findings
    }

    #[test]
    fn findings_are_told() {
        let there = || rule("there", "http://a.com/x", "http://a.com/y");
        let back = rule("back", "http://a.com/y", "http://a.com/x");
        let circle = "a.com: rules back, there run in a circle on http://a.com/x";
        assert_eq!(findings("a.com", vec![there(), back]), [circle]);
        assert_eq!(findings("a.com", vec![there(), there()]), ["a.com: rule there stands twice"]);
        let other = rule("other", "http://a.com/x", "http://a.com/z");
        let conflict = "a.com: rules there and other match the same URLs and disagree";
        assert_eq!(findings("a.com", vec![there(), other]), [conflict]);
        let outside = "b.com: rule there matches a.com, which is not on this site, so it never fires";
        assert_eq!(findings("b.com", vec![there()]), [outside]);
    }

    #[test]
    fn rejected_rules_do_not_count() {
        let there = rule("there", "http://a.com/x", "http://a.com/y");
        let back = rule("back", "http://a.com/y", "http://a.com/x");
        let rejected = Rule { review: Review::Rejected, ..back };
        assert!(findings("a.com", vec![there.clone(), rejected.clone()]).is_empty());
        let likely =
            Rule { validation: Some(Validation::default()), review: Review::Proposed, ..rejected.clone() };
        assert!(findings("a.com", vec![there.clone(), likely]).is_empty());
        let again = Rule { review: Review::Rejected, ..there.clone() };
        assert!(findings("a.com", vec![there, again]).is_empty());
    }

    /// What a rule prints must be a URL with a host, of the site unless it names another.
    #[test]
    fn printed_is_a_url() {
        let broken = "a.com: rule r makes http:/a.com/x of http://a.com/x, which is no URL of this site";
        assert_eq!(findings("a.com", vec![rule("r", "^http://", "^http:/")]), [broken]);
        let host =
            "a.com: rule r makes http://Fresh0/ of http://a.com/go/Fresh0, which is no URL of this site";
        assert_eq!(findings("a.com", vec![rule("r", "http://{...}/go/{h}", "http://{h}/")]), [host]);
        assert!(findings("a.com", vec![rule("r", "//", "/")]).is_empty());
        assert!(findings("a.com", vec![rule("r", "^http://a.com:81//", "^http://a.com:81/")]).is_empty());
        assert!(findings("a.com", vec![rule("r", "http://a.com/{...}", "http://b.org/{...}")]).is_empty());
        assert!(findings("a.com", vec![rule("r", "^http://www.a.com/", "^http://b.org/")]).is_empty());
        assert!(findings("a.com", vec![rule("r", "http://{h}.a.com/", "http://*.a.com/")]).is_empty());
    }

    /// A circle that needs a value no rule names is found when an example has it.
    #[test]
    fn examples_are_tried() {
        let rules = |examples: &[&str]| {
            let mut forth = rule("forth", "http://a.com/{x}/in", "http://a.com/{x}");
            let examples = examples.iter().map(|url| [(*url).to_owned(), (*url).to_owned()]).collect();
            forth.evidence = Some(Evidence { examples, ..Evidence::default() });
            vec![forth, rule("back", "/rare$", "/rare/in$")]
        };
        let circle = ["a.com: rules back, forth run in a circle on http://a.com/rare/in"];
        assert_eq!(findings("a.com", rules(&["http://a.com/rare/in"])), circle);
    }

    /// A hole is tried with a value that it does not exclude.
    #[test]
    fn fresh_values_are_not_excluded() {
        let forth = rule("forth", "http://a.com/{x:!Fresh0|Fresh1}", "http://a.com/q/{x}");
        let back = rule("back", "http://a.com/q/{x}", "http://a.com/{x}");
        let circle = ["a.com: rules back, forth run in a circle on http://a.com/Fresh2"];
        assert_eq!(findings("a.com", vec![forth, back]), circle);
    }

    /// A rule that makes a URL too long at once is named too.
    #[test]
    fn growth_names_its_rule() {
        let long = format!("http://a.com/{}/{{x}}", "l".repeat(5000));
        let found = findings("a.com", vec![rule("grow", "http://a.com/{x}", &long)]);
        assert!(found[0].starts_with("a.com: rules grow run in a circle"), "{found:?}");
    }
}
