//! Exports for servers that redirect: exact, and without rules that take pages offline.

use undust::rules::{Action, Evidence, Rule, RuleSet, TriedBy, TriedUrl, Validation, Verdict};
use undust::url::SiteBy;
use undust_exchange::{Answer, Exported, Format, KnownAnswers, export, export_with, urls_to_request};

fn rule(from: &str, to: &str) -> Rule {
    let is_template = from.starts_with("http://");
    let action = if is_template { Action::rewrite(from, to) } else { Action::substitute(from, to) };
    Rule::new(action.expect("well formed"))
}

fn set(rules: Vec<Rule>) -> RuleSet {
    RuleSet::of_site("a.com", SiteBy::Domain, rules)
}

/// Conditions and targets, without the head.
fn apache(from: &str, to: &str) -> Vec<String> {
    let exported = export(&set(vec![rule(from, to)]), Format::Apache);
    assert_eq!(exported.left_out, []);
    let fields = |line: &str| line.split('"').nth(3).expect("a quoted text").to_owned();
    exported.text.lines().filter(|line| line.starts_with("Rewrite")).skip(4).map(fields).collect()
}

/// Why each rule is left out.
fn reasons(exported: &Exported) -> Vec<&str> {
    exported.left_out.iter().map(|left_out| left_out.reason.as_str()).collect()
}

const SORT: (&str, &str) = ("http://a.com/{...}?sort={s}", "http://a.com/{...}");
const SPELLED: (&str, &str) = ("http://a.com/{...}/README", "http://a.com/{...}/readme");

fn known(answers: &[(&str, Answer)]) -> KnownAnswers {
    let mut known = KnownAnswers::default();
    for (url, answer) in answers {
        known.add(url.as_bytes(), answer.clone());
    }
    known
}

fn moved(to: &str) -> Answer {
    Answer::Moved(Some(to.into()))
}

fn failed() -> Answer {
    Answer::of_status(404)
}

#[test]
fn components_that_are_none_do_not_cost_the_slash() {
    let lines = apache("http://a.com/doc//{...}", "http://a.com/doc/{...}");
    assert_eq!(lines, [r"^http://a\.com/doc/((?:/[^/?#]*)+)$", "http://a.com/doc%1"]);
    let lines = apache("http://a.com/doc//{...}?{...}", "http://a.com/doc/{...}?{...}");
    assert!(lines.iter().step_by(2).all(|pattern| pattern.contains("/doc/((?:/[^/?#]*)+)")), "{lines:?}");
    let lines = apache("http://a.com/old/{...}", "http://a.com/{...}");
    assert_eq!(lines, [r"^http://a\.com/old((?:/[^/?#]*)*)$", "http://a.com%1"], "/old becomes /");
}

#[test]
fn no_group_brings_a_question_mark() {
    assert_eq!(
        apache("/index.html$", "/$"),
        [
            r"^(?=[^:/?#]+://(?:[^/?#]*@)?(?:[^./?#@:]+\.)*a\.com(?:[:/?#]|$))([^:/?#]+://[^/?#]+[^?]*)/index\.html$",
            "%1/",
            r"^(?=[^:/?#]+://(?:[^/?#]*@)?(?:[^./?#@:]+\.)*a\.com(?:[:/?#]|$))([^:/?#]+://[^/?#]+[^?]*)\?(.*)/index\.html$",
            "%1?%2/",
        ]
    );
    let start = apache("^http://www.a.com", "^http://a.com");
    assert_eq!([&start[1], &start[3]], ["http://a.com%1", "http://a.com%1?%2"]);
    let end = apache("&print=1$", "$");
    assert!(
        end[2].ends_with(r"([^:/?#]+://[^/?#]+/[^?]*)\?(.+)&print=1$"),
        "no query becomes empty: {end:?}"
    );
    let value = apache("http://a.com/v?t={t}&{...}", "http://a.com/{t}");
    assert!(value[0].contains("t=([^&;#?]+)"), "{value:?}");
    let query = apache("http://a.com/v?t={t}&u=1", "http://a.com/w?t={t}");
    assert!(query[0].contains("t=([^&;#]+)"), "it stays in the query: {query:?}");
}

#[test]
fn targets_that_browsers_change() {
    let exported = export(&set(vec![rule("http://a.com/x", "http://a.com/b/../c")]), Format::Nginx);
    assert_eq!(reasons(&exported), ["it prints URLs that browsers change, which may change them back"]);
}

#[test]
fn slashes_at_the_end_need_a_proof() {
    let rules = [
        ("http://a.com/{...}/{x}/", "http://a.com/{...}/{x}"),
        ("http://a.com/{...}/{x}/?{...}", "http://a.com/{...}/{x}?{...}"),
        ("http://a.com/{x}", "http://a.com/{x}/"),
        ("/$", "$"),
    ];
    let page = known(&[("http://a.com/x", Answer::Page), ("http://a.com/x/", Answer::Page)]);
    for (from, to) in rules {
        let set = set(vec![rule(from, to)]);
        let exported = export(&set, Format::Apache);
        assert!(
            reasons(&exported)[0].starts_with("it changes nothing but the slash"),
            "{from}: {exported:?}"
        );
        assert_eq!(export_with(&set, Format::Apache, &page).rules, 1, "{from}");
    }
}

#[test]
fn what_the_site_redirects_elsewhere() {
    let (set, from) = (set(vec![rule(SPELLED.0, SPELLED.1)]), "http://a.com/d/README");
    let back = known(&[("http://a.com/d/readme", moved(from)), (from, Answer::Page)]);
    let exported = export_with(&set, Format::Apache, &back);
    assert_eq!(
        reasons(&exported),
        ["the site redirects http://a.com/d/readme to http://a.com/d/README, and it back"]
    );
    assert_eq!(exported.rules, 0);
    let elsewhere = [("http://a.com/d/readme", moved("http://a.com/e")), (from, Answer::Page)];
    let exported = export_with(&set, Format::Nginx, &known(&elsewhere));
    assert_eq!(reasons(&exported), ["the site redirects http://a.com/d/readme to http://a.com/e"]);
    let log = [("http://a.com/d/readme", Answer::of_status(301)), (from, Answer::Page)];
    let exported = export_with(&set, Format::Nginx, &known(&log));
    assert_eq!(
        reasons(&exported),
        ["the site redirects http://a.com/d/readme"],
        "a log does not say where to"
    );
    let both = [("http://a.com/d/readme", moved("http://a.com/e")), (from, moved("http://a.com/e"))];
    assert_eq!(export_with(&set, Format::Apache, &known(&both)).rules, 1, "it leads there anyway");
}

#[test]
fn what_fails() {
    let (set, from, to) =
        (set(vec![rule(SPELLED.0, SPELLED.1)]), "http://a.com/d/README", "http://a.com/d/readme");
    let exported = export_with(&set, Format::Apache, &known(&[(from, Answer::Page), (to, failed())]));
    assert_eq!(
        reasons(&exported),
        ["http://a.com/d/README is a page, and http://a.com/d/readme is not (status 404)"]
    );
    for answers in [[(from, failed()), (to, failed())], [(from, Answer::Page), (to, Answer::of_status(503))]]
    {
        assert_eq!(export_with(&set, Format::Apache, &known(&answers)).rules, 1, "{answers:?}");
    }
}

/// Requests go through all rules before the site sees them: only what the last one prints is asked for.
#[test]
fn the_last_rule_on_the_way_is_to_blame() {
    let set = set(vec![rule(SORT.0, SORT.1), rule(SPELLED.0, SPELLED.1)]);
    let site = [
        ("http://a.com/d/README?sort=up", Answer::Page),
        ("http://a.com/d/README", Answer::Page),
        ("http://a.com/d/readme", moved("http://a.com/d/README")),
    ];
    let exported = export_with(&set, Format::Apache, &known(&site));
    assert_eq!(exported.rules, 1);
    assert!(exported.left_out[0].what.contains("README"), "{:?}", exported.left_out);
}

/// A rule that leads into a circle is not to blame for it.
#[test]
fn the_rule_that_closes_a_circle_is_to_blame() {
    let set = set(vec![rule("http://a.com/{...}/{x}/", "http://a.com/{...}/{x}"), rule(SORT.0, SORT.1)]);
    let site = [
        ("http://a.com/d", moved("http://a.com/d/")),
        ("http://a.com/d?sort=up", moved("http://a.com/d/?sort=up")),
        ("http://a.com/d/?sort=up", Answer::Page),
        ("http://a.com/d/", Answer::Page),
    ];
    let exported = export_with(&set, Format::Apache, &known(&site));
    assert_eq!(reasons(&exported), ["the site redirects http://a.com/d to http://a.com/d/, and it back"]);
    assert!(exported.left_out[0].what.contains("{x}/"), "{:?}", exported.left_out);
}

/// An expression that leaves `/doc/` alone is not blamed for what the site makes of `/doc`.
#[test]
fn what_expressions_leave_alone() {
    let set = set(vec![rule("http://a.com/doc//{...}", "http://a.com/doc/{...}")]);
    let site = [
        ("http://a.com/doc", moved("http://a.com/doc/")),
        ("http://a.com/doc/", Answer::Page),
        ("http://a.com/doc//", Answer::Page),
    ];
    assert_eq!(export_with(&set, Format::Apache, &known(&site)).rules, 1);
}

#[test]
fn unfit_rules() {
    let circle = [("http://a.com/{x}/b", "http://a.com/{x}/c"), ("http://a.com/{x}/c", "http://a.com/{x}/b")];
    let mut rules: Vec<Rule> = circle.iter().map(|(from, to)| rule(from, to)).collect();
    rules.push(rule(SORT.0, SORT.1));
    let exported = export(&set(rules), Format::Nginx);
    assert_eq!(reasons(&exported), ["it runs in a circle with others"; 2]);
    assert_eq!(exported.rules, 1);
}

#[test]
fn what_validation_saw() {
    let sample = |url: &str, with: &str, why: &str| TriedUrl {
        url: url.into(),
        with: with.into(),
        same: false,
        why: Some(why.into()),
    };
    let tried = |why: &str| {
        let samples = vec![sample("http://a.com/x?sort=1", "http://a.com/x", why)];
        let (verdict, by) = (Verdict::Valid, Some(TriedBy::Fetching));
        let validation = Some(Validation { verdict, by, samples, ..Validation::default() });
        set(vec![Rule { validation, ..rule(SORT.0, SORT.1) }])
    };
    for (why, written) in [("404", 0), ("redirects in a circle", 0), ("another page", 1)] {
        let set = tried(why);
        assert_eq!(
            export_with(&set, Format::Apache, &KnownAnswers::from_validation(&set)).rules,
            written,
            "{why}"
        );
    }
}

/// Ask for targets first, and for sources where these are no pages; then nothing is left to ask for.
#[test]
fn a_sample_is_asked_for() {
    let examples = vec![["http://a.com/x?sort=1".to_owned(), "http://a.com/x?sort=2".to_owned()]];
    let evidence = Some(Evidence { examples, ..Evidence::default() });
    let set = set(vec![Rule { evidence, ..rule(SORT.0, SORT.1) }, rule(SPELLED.0, SPELLED.1)]);
    let ask = |known: &KnownAnswers| {
        let urls = urls_to_request(&set, Format::Apache, known, 2, |_| true);
        urls.into_iter().map(|url| String::from_utf8(url).expect("text")).collect::<Vec<_>>()
    };
    let mut known = KnownAnswers::default();
    known.requires_page = true;
    assert_eq!(ask(&known), ["http://a.com/x"]);
    known.add_requested(b"http://a.com/x", failed());
    assert_eq!(ask(&known), ["http://a.com/x?sort=1", "http://a.com/x?sort=2"]);
    known.add_requested(b"http://a.com/x?sort=1", failed());
    known.add_requested(b"http://a.com/x?sort=2", failed());
    assert_eq!(ask(&known), [""; 0]);
    let exported = export_with(&set, Format::Apache, &known);
    assert_eq!(reasons(&exported), ["no page is known that it leads to"; 2]);
    known.add_requested(b"http://a.com/x", Answer::Page);
    assert_eq!(export_with(&set, Format::Apache, &known).rules, 1);
    assert!(urls_to_request(&set, Format::Nutch, &known, 2, |_| true).is_empty());
    assert!(urls_to_request(&set, Format::Nginx, &KnownAnswers::default(), 2, |_| false).is_empty());
}
