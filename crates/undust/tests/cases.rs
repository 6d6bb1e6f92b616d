//! Runs `testdata/cases/*.toml` (its README says what a case is) on both engines.

use std::collections::BTreeMap;

use serde::Deserialize;
use undust::apply::{Canonicalizer, Finding, Form, Naive, Scratch, check};
use undust::rules::{Action, EVERY_SITE, Rule, RuleSet, SiteRules};
use undust::url::SiteBy;

use crate::{compile, in_repository, read, reread, show};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CaseFile {
    case: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    #[serde(default)]
    form: CaseForm,
    #[serde(default = "yes")]
    normalize: bool,
    #[serde(default)]
    site_by: SiteBy,
    #[serde(default)]
    rules: Vec<CaseRule>,
    #[serde(default)]
    same: Vec<Vec<String>>,
    #[serde(default)]
    apart: Vec<String>,
    #[serde(default)]
    maps: Vec<[String; 2]>,
    #[serde(default)]
    skips: Vec<String>,
    #[serde(default)]
    keeps: Vec<String>,
    explain: Option<Vec<usize>>,
    #[serde(default)]
    check: Vec<String>,
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum CaseForm {
    #[default]
    Key,
    Url,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CaseRule {
    site: Option<String>,
    #[serde(rename = "match")]
    matches: Option<String>,
    rewrite: Option<String>,
    replace: Option<String>,
    with: Option<String>,
    #[serde(default)]
    skip: bool,
}

fn yes() -> bool {
    true
}

#[test]
fn dustbuster() {
    run_file("dustbuster");
}

#[test]
fn rewrite() {
    run_file("rewrite");
}

#[test]
fn decision_tree() {
    run_file("decision-tree");
}

#[test]
fn pattern_tree() {
    run_file("pattern-tree");
}

#[test]
fn seq2seq() {
    run_file("seq2seq");
}

#[test]
fn language() {
    run_file("language");
}

#[test]
fn skip() {
    run_file("skip");
}

#[test]
fn normalization() {
    run_file("normalize");
}

#[test]
fn peers() {
    run_file("peers");
}

#[test]
fn circles() {
    run_file("circles");
}

/// A file without a test of its own would be silently skipped.
#[test]
fn every_file_is_run() {
    let names = std::fs::read_dir(in_repository("testdata/cases")).expect("the case folder is there");
    let mut names: Vec<String> =
        names.map(|entry| entry.expect("readable").file_name().into_string().expect("plain name")).collect();
    names.retain(|name| name != "README.md");
    names.sort();
    let run = [
        "circles.toml",
        "decision-tree.toml",
        "dustbuster.toml",
        "language.toml",
        "normalize.toml",
        "pattern-tree.toml",
        "peers.toml",
        "rewrite.toml",
        "seq2seq.toml",
        "skip.toml",
    ];
    assert_eq!(names, run);
}

fn run_file(name: &str) {
    let text = read(&in_repository(&format!("testdata/cases/{name}.toml")));
    let file: CaseFile = toml::from_str(&text).unwrap_or_else(|error| panic!("{name}.toml: {error}"));
    let mut problems = Vec::new();
    let mut names = BTreeMap::new();
    for case in &file.case {
        *names.entry(&case.name).or_insert(0) += 1;
        let found = case.problems();
        problems.extend(found.into_iter().map(|problem| format!("{name}.toml, '{}': {problem}", case.name)));
    }
    problems.extend(names.iter().filter(|(_, n)| **n > 1).map(|(name, _)| format!("'{name}' stands twice")));
    assert!(problems.is_empty(), "\n{}\n", problems.join("\n"));
}

impl Case {
    /// Everything about the case that is not as it should be.
    fn problems(&self) -> Vec<String> {
        let set = match self.rule_set() {
            Ok(set) => set,
            Err(problem) => return vec![problem],
        };
        let mut problems = Vec::new();
        if self.urls().next().is_none() {
            problems.push("expects nothing".to_owned());
        }
        problems.extend(round_trips(&set));
        problems.extend(self.check_findings(&set));
        let form = match self.form {
            CaseForm::Key => Form::Key,
            CaseForm::Url => Form::Url,
        };
        let naive = Naive::new(&set, form);
        let crowded = crowded(&set);
        let compiled = [compile(&set, form), compile(&crowded, form)];
        let engines = [
            Engine::Naive(&naive),
            Engine::Compiled("compiled", &compiled[0]),
            Engine::Compiled("compiled, indexed", &compiled[1]),
        ];
        for engine in &engines {
            let found = self.expectations(engine);
            problems.extend(found.into_iter().map(|problem| format!("{}: {problem}", engine.name())));
        }
        problems.extend(self.explanation(&naive, &set));
        problems
    }

    fn rule_set(&self) -> Result<RuleSet, String> {
        let mut sites: BTreeMap<String, Vec<Rule>> = BTreeMap::new();
        for (number, rule) in (1..).zip(&self.rules) {
            let action = rule.action().map_err(|problem| format!("rule {number}: {problem}"))?;
            let site = rule.site.clone().unwrap_or_else(|| EVERY_SITE.to_owned());
            // The id is the rule's number, so that findings can be told in numbers.
            sites.entry(site).or_default().push(Rule { id: number.to_string(), ..Rule::new(action) });
        }
        let sites = sites.into_iter().map(|(site, rules)| SiteRules { site, rules }).collect();
        Ok(RuleSet { normalize: self.normalize, site_by: self.site_by, sites, ..RuleSet::default() })
    }

    fn expectations(&self, engine: &Engine) -> Vec<String> {
        let mut problems = Vec::new();
        for [from, to] in &self.maps {
            let got = engine.canonicalize(&bytes(from));
            if got != bytes(to) {
                problems.push(format!("{from}\n  became   {}\n  expected {to}", show(&got)));
            }
        }
        for group in &self.same {
            let forms: Vec<Vec<u8>> = group.iter().map(|url| engine.canonicalize(&bytes(url))).collect();
            for (url, form) in group.iter().zip(&forms) {
                if *form != forms[0] {
                    problems.push(format!("{url} became {}, not {}", show(form), show(&forms[0])));
                }
            }
        }
        let forms: Vec<Vec<u8>> = self.apart.iter().map(|url| engine.canonicalize(&bytes(url))).collect();
        for (i, form) in forms.iter().enumerate() {
            if let Some(j) = forms[..i].iter().position(|other| other == form) {
                problems.push(format!("{} and {} both became {}", self.apart[j], self.apart[i], show(form)));
            }
        }
        for (urls, expected) in [(&self.skips, true), (&self.keeps, false)] {
            let wrong = urls.iter().filter(|url| engine.skips(&bytes(url)) != expected);
            problems
                .extend(wrong.map(|url| format!("{url} is {}skipped", if expected { "not " } else { "" })));
        }
        for url in self.urls() {
            let once = engine.canonicalize(&bytes(url));
            let twice = engine.canonicalize(&once);
            if once != twice {
                problems.push(format!("{url} became {} and then {}", show(&once), show(&twice)));
            }
        }
        problems
    }

    fn urls(&self) -> impl Iterator<Item = &String> {
        let changed = self.maps.iter().flatten().chain(self.same.iter().flatten());
        changed.chain(&self.apart).chain(&self.skips).chain(&self.keeps)
    }

    /// `explain` names the rules that fire on the first URL of `maps`.
    fn explanation(&self, naive: &Naive, set: &RuleSet) -> Option<String> {
        let expected = self.explain.as_ref()?;
        let Some([url, _]) = self.maps.first() else { return Some("'explain' needs 'maps'".into()) };
        let trace = naive.trace(&bytes(url));
        let fired: Vec<usize> = trace.steps.iter().filter_map(|step| step.rule?.id.parse().ok()).collect();
        let last = trace.steps.last().map_or_else(|| bytes(url), |step| step.after.clone());
        if trace.settled && last != trace.result {
            return Some(format!("the last step is not the result of {url}"));
        }
        let all = set.rules().count();
        (fired != *expected)
            .then(|| format!("of {all} rules {fired:?} fired on {url}, expected {expected:?}"))
    }

    fn check_findings(&self, set: &RuleSet) -> Option<String> {
        let findings = check(set);
        let told: Vec<String> = findings.iter().map(tell).collect();
        (told != self.check).then(|| {
            let findings: Vec<String> = findings.iter().map(ToString::to_string).collect();
            format!("check found {told:?}, expected {:?}\n  {}", self.check, findings.join("\n  "))
        })
    }
}

impl CaseRule {
    fn action(&self) -> Result<Action, String> {
        let action = match (&self.matches, &self.rewrite, &self.replace, &self.with, self.skip) {
            (Some(from), Some(to), None, None, false) => Action::rewrite(from, to),
            (None, None, Some(from), Some(to), false) => Action::substitute(from, to),
            (Some(shape), None, None, None, true) => Action::skip(shape),
            _ => {
                return Err("needs 'match' and 'rewrite', 'replace' and 'with', or 'match' and 'skip'".into());
            }
        };
        action.map_err(|error| error.to_string())
    }
}

enum Engine<'r> {
    Naive(&'r Naive<'r>),
    Compiled(&'static str, &'r Canonicalizer),
}

impl Engine<'_> {
    fn name(&self) -> &'static str {
        match self {
            Engine::Naive(_) => "naive",
            Engine::Compiled(name, _) => name,
        }
    }

    fn canonicalize(&self, url: &[u8]) -> Vec<u8> {
        match self {
            Engine::Naive(naive) => naive.canonicalize(url),
            Engine::Compiled(_, engine) => engine.canonicalize(url, &mut Scratch::new()).into_owned(),
        }
    }

    /// Whether the canonical form of `url` is skipped.
    fn skips(&self, url: &[u8]) -> bool {
        let canonical = self.canonicalize(url);
        match self {
            Engine::Naive(naive) => naive.skips(&canonical).is_some(),
            Engine::Compiled(_, engine) => engine.skips(&canonical, &mut Scratch::new()).is_some(),
        }
    }
}

/// The same rules with others between them that speak of no URL of the corpus: now the index decides what is tried.
fn crowded(set: &RuleSet) -> RuleSet {
    let inert = |n: usize| {
        let from = match n % 3 {
            0 => format!("http://inert.invalid/{n}/{{...}}"),
            1 => format!("http://inert.invalid/{{...}}/{n}"),
            _ => format!("http://inert.invalid/?inert={n}&{{...}}"),
        };
        let actions = [Action::rewrite(&from, "http://inert.invalid/"), Action::skip(&from)];
        actions.map(|action| Rule::new(action.expect("inert rules are well formed")))
    };
    let mut set = set.clone();
    for site in &mut set.sites {
        let rules = std::mem::take(&mut site.rules);
        site.rules = (0..3).flat_map(inert).collect();
        for (n, rule) in (3..).zip(rules) {
            site.rules.push(rule);
            site.rules.extend(inert(n));
        }
    }
    set
}

/// A finding in the words of a case: `circle 1 2`.
fn tell(finding: &Finding) -> String {
    match finding {
        Finding::Circle { rules, .. } => format!("circle {}", rules.join(" ")),
        Finding::Unproven { rules, .. } => format!("unproven {}", rules.join(" ")),
        Finding::Conflict { first, second, .. } => format!("conflict {first} {second}"),
        Finding::Twice { rule, .. } => format!("twice {rule}"),
        Finding::Outside { rule, .. } => format!("outside {rule}"),
        Finding::NotUrl { rule, .. } => format!("not-url {rule}"),
        other => other.to_string(),
    }
}

/// What is written can be read again and says the same.
fn round_trips(set: &RuleSet) -> Vec<String> {
    let mut problems = Vec::new();
    for (_, rule) in set.rules() {
        let again = reread(&rule.action);
        if again.as_ref() != Ok(&rule.action) {
            problems.push(format!("rule {} reads back as {again:?}", rule.action));
        }
    }
    match RuleSet::from_json(&set.to_json()) {
        Ok(again) if again == *set => {}
        Ok(_) => problems.push("the rule file reads back as another set".to_owned()),
        Err(error) => problems.push(format!("the rule file does not read back: {error}")),
    }
    problems
}

/// The bytes of a URL of the corpus: `<FF>` is the byte 0xFF.
fn bytes(url: &str) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = url.as_bytes();
    while let Some(&first) = rest.first() {
        let byte = match rest {
            [b'<', high, low, b'>', ..] => {
                let digit = |b: u8| char::from(b).to_digit(16);
                digit(*high).zip(digit(*low)).and_then(|(h, l)| u8::try_from(h << 4 | l).ok())
            }
            _ => None,
        };
        out.push(byte.unwrap_or(first));
        rest = &rest[if byte.is_some() { 4 } else { 1 }..];
    }
    out
}

/// A case that can only succeed is no case: the runner must see every kind of mistake.
#[test]
fn the_runner_notices() {
    let wrong = r#"
        [[case]]
        name = "wrong in every way"
        same = [["http://a.com/x", "http://a.com/y"]]
        apart = ["http://a.com/1", "http://A.com/1"]
        maps = [["http://a.com/index.html", "http://a.com/index.htm"]]
        skips = ["http://a.com/kept"]
        keeps = ["http://a.com/skipped"]
        explain = [2]
        check = ["circle 1"]
        [[case.rules]]
        match = "http://a.com/index.html"
        rewrite = "http://a.com/"
        [[case.rules]]
        match = "http://a.com/skipped"
        skip = true
    "#;
    let file: CaseFile = toml::from_str(wrong).expect("well formed");
    let problems = file.case[0].problems().join("\n");
    let expected = ["/y became", "both became", "  became   http://a.com/\n", "[1] fired", "check found []"];
    for part in expected.into_iter().chain(["kept is not skipped", "skipped is skipped"]) {
        assert!(problems.contains(part), "'{part}' is missing in\n{problems}");
    }
    assert_eq!(bytes("a<FF>b<z<0A>"), b"a\xFFb<z\x0A");
}
