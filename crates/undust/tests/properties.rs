//! The laws of the crate, tried on random rules and URLs: others in every run. What failed is kept in `proptest-regressions` and
//! tried first. Quick by default; `PROPTEST_CASES` asks for more.

use std::fmt;

use proptest::collection::vec;
use proptest::prelude::*;
use undust::apply::{Form, Naive, Scratch, check};
use undust::rules::{Action, Review, Rule, RuleSet, Template, template};
use undust::url::{SiteBy, SplitUrl, is_normal, join, normalize, site_of};

use crate::generate::{self, Dice};
use crate::{compile, reread, show};

pub(crate) fn dice(len: usize) -> impl Strategy<Value = Vec<u8>> {
    vec(any::<u8>(), len)
}

/// Bytes that are often nearly a URL.
fn any_bytes() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        vec(any::<u8>(), 0..40),
        vec(any::<u8>(), 0..40).prop_map(|tail| [b"http://".as_slice(), &tail].concat()),
        vec(prop::sample::select(b":/?#@[].&;=%2eE.a\\ \t*{}".to_vec()), 0..24).prop_map(|tail| [
            b"http://".as_slice(),
            &tail
        ]
        .concat()),
        dice(40).prop_map(|rolls| generate::web_url(&mut Dice(&rolls))),
    ]
}

/// A rule set and URLs that it has something to say about.
pub(crate) struct Drawn {
    pub(crate) set: RuleSet,
    pub(crate) urls: Vec<Vec<u8>>,
}

fn drawn() -> impl Strategy<Value = Drawn> {
    (dice(1500), vec(dice(60), 24)).prop_map(|(rules, urls)| {
        let set = generate::rule_set(&mut Dice(&rules));
        let urls = urls.iter().map(|rolls| generate::url(&mut Dice(rolls), &set)).collect();
        Drawn { set, urls }
    })
}

/// Few rules, and URLs that were made from theirs and spoiled.
pub(crate) fn drawn_few() -> impl Strategy<Value = Drawn> {
    (dice(300), vec(dice(60), 32), vec(dice(4), 32)).prop_map(|(rules, urls, spoilers)| {
        let set = generate::few_rules(&mut Dice(&rules));
        let make = |(rolls, spoiler): (&Vec<u8>, &Vec<u8>)| {
            let url = generate::url(&mut Dice(rolls), &set);
            generate::spoiled(&mut Dice(spoiler), url)
        };
        let urls = urls.iter().zip(&spoilers).map(make).collect();
        Drawn { set, urls }
    })
}

impl fmt::Debug for Drawn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "normalize {}, by {}", self.set.normalize, self.set.site_by)?;
        for (site, rule) in self.set.rules() {
            writeln!(f, "  {site}: {} ({:?})", rule.action, rule.review)?;
        }
        self.urls.iter().try_for_each(|url| writeln!(f, "  {}", show(url)))
    }
}

proptest! {
    #[test]
    fn hosts_are_not_lost(Drawn { set, urls } in drawn()) {
        let mut scratch = Scratch::new();
        for form in [Form::Key, Form::Url] {
            let engine = compile(&set, form);
            for url in &urls {
                let has_host = |url: &[u8]| SplitUrl::new(url).is_some_and(|split| !split.host().is_empty());
                let canonical = engine.canonicalize(url, &mut scratch);
                let is_kept = has_host(&canonical) || canonical.starts_with(b"*://");
                prop_assert!(!has_host(url) || is_kept, "{} became {}", show(url), show(&canonical));
            }
        }
    }

    #[test]
    fn both_engines_agree_and_are_idempotent(Drawn { set, urls } in drawn()) {
        let mut scratch = Scratch::new();
        for form in [Form::Key, Form::Url] {
            let naive = Naive::new(&set, form);
            let engine = compile(&set, form);
            for url in &urls {
                let trace = naive.trace(url);
                let slow = trace.result;
                let fast = engine.canonicalize(url, &mut scratch).into_owned();
                prop_assert_eq!(show(&slow), show(&fast), "{:?} of {}", form, show(url));
                prop_assert_eq!(&slow, &fast);
                prop_assert_eq!(trace.settled, engine.settles(url, &mut scratch), "{}", show(url));
                let again = engine.canonicalize(&fast, &mut scratch).into_owned();
                prop_assert_eq!(show(&again), show(&fast), "not idempotent on {}", show(url));
                let mut appended = b"x".to_vec();
                engine.canonicalize_into(url, &mut scratch, &mut appended);
                prop_assert_eq!(&appended[1..], fast.as_slice());
            }
        }
    }

    #[test]
    fn the_way_leads_to_the_result(Drawn { set, urls } in drawn()) {
        let naive = Naive::new(&set, Form::Key);
        for url in &urls {
            let trace = naive.trace(url);
            if trace.settled {
                let last = trace.steps.last().map_or(url, |step| &step.after);
                prop_assert_eq!(show(last), show(&trace.result));
            }
        }
    }

    #[test]
    fn each_change_is_that_of_the_rule_alone(Drawn { set, urls } in drawn()) {
        let engine = compile(&set, Form::Key);
        let mut scratch = Scratch::new();
        for url in urls.iter().take(6) {
            let url = if set.normalize { normalize(url).into_owned() } else { url.clone() };
            let mut found = Vec::new();
            engine.each_change(&url, &mut scratch, |rule, after| found.push((rule, show(after))));
            prop_assert_eq!(found, changes_alone(&set, &url), "{}", show(&url));
        }
    }

    #[test]
    fn both_engines_skip_the_same(Drawn { mut set, urls } in drawn()) {
        // Rules may say the same: their numbers tell them apart.
        for (number, rule) in set.sites.iter_mut().flat_map(|site| &mut site.rules).enumerate() {
            rule.id = number.to_string();
        }
        let mut scratch = Scratch::new();
        for form in [Form::Key, Form::Url] {
            let (naive, engine) = (Naive::new(&set, form), compile(&set, form));
            for url in &urls {
                let canonical = engine.canonicalize(url, &mut scratch).into_owned();
                let fast = engine.skips(&canonical, &mut scratch);
                prop_assert_eq!(naive.skips(&canonical), fast, "{}", show(&canonical));
            }
        }
    }

    #[test]
    fn skips_change_nothing(Drawn { set, urls } in drawn()) {
        let mut scratch = Scratch::new();
        let mut without = set.clone();
        without.sites.iter_mut().for_each(|site| site.rules.retain(|rule| !rule.action.is_skip()));
        for form in [Form::Key, Form::Url] {
            let engines = [compile(&set, form), compile(&without, form)];
            for url in &urls {
                let [with, without] = engines.each_ref().map(|engine| engine.canonicalize(url, &mut scratch));
                prop_assert_eq!(show(&with), show(&without), "{}", show(url));
                prop_assert_eq!(engines[1].skips(&without, &mut scratch), None);
            }
        }
    }

    #[test]
    fn anything_goes_in(Drawn { set, .. } in drawn(), urls in vec(any_bytes(), 16)) {
        let mut scratch = Scratch::new();
        let naive = Naive::new(&set, Form::Key);
        let engine = compile(&set, Form::Key);
        for url in urls {
            let canonical = engine.canonicalize(&url, &mut scratch).into_owned();
            prop_assert_eq!(show(&naive.canonicalize(&url)), show(&canonical));
            let text = String::from_utf8_lossy(&url);
            engine.canonicalize_str(&text, &mut scratch);
            site_of(&url, SiteBy::Domain);
        }
    }

    #[test]
    fn hosts_without_rules_come_back_byte_for_byte(Drawn { set, .. } in drawn(), url in any_bytes()) {
        let host = SplitUrl::new(&url).map(|split| split.host().to_ascii_lowercase()).unwrap_or_default();
        let mut set = RuleSet { normalize: false, ..set };
        set.sites.retain(|site| site.site != "*" && !host.ends_with(site.site.as_bytes()));
        for form in [Form::Key, Form::Url] {
            prop_assert_eq!(&Naive::new(&set, form).canonicalize(&url), &url);
            let engine = compile(&set, form);
            prop_assert_eq!(&engine.canonicalize(&url, &mut Scratch::new()).into_owned(), &url);
        }
    }

    #[test]
    fn rules_print_what_they_parse(rolls in dice(60)) {
        let Some(action) = generate::action(&mut Dice(&rolls), "a.com") else { return Ok(()) };
        prop_assert_eq!(reread(&action), Ok(action));
    }

    #[test]
    fn templates_of_any_text_do_not_panic(text in "[a-z:/?#&;={}'*.!@\\[\\]0x|()^$ é]{0,24}", head in 0..4usize) {
        let head = ["", "http://", "http://a/", "http://a/?"][head];
        let text = format!("{head}{text}");
        let actions = [Action::rewrite(&text, &text), Action::substitute(&text, ""), Action::skip(&text)];
        for action in actions.into_iter().flatten() {
            prop_assert_eq!(reread(&action), Ok(action), "{}", text);
        }
    }

    #[test]
    fn a_url_of_any_bytes_can_be_said_as_a_template(url in any_bytes()) {
        let Some(template) = SplitUrl::new(&url).and_then(|split| literal_template(&split)) else { return Ok(()) };
        let (from, to) = (template.to_string(), "http://here/");
        let action = Action::rewrite(&from, to).map_err(|error| TestCaseError::fail(error.to_string()))?;
        let Action::Rewrite(rewrite) = &action else { unreachable!("made as a rewrite") };
        prop_assert_eq!(rewrite.matches(), &template, "{}", show(&url));
        let set = RuleSet {
            normalize: false,
            sites: vec![undust::rules::SiteRules { site: "*".into(), rules: vec![undust::rules::Rule::new(action)] }],
            ..RuleSet::default()
        };
        prop_assert_eq!(show(&Naive::new(&set, Form::Key).canonicalize(&url)), to, "{}", from);
    }

    #[test]
    fn urls_are_the_sum_of_their_keys(url in any_bytes()) {
        if let Some(split) = SplitUrl::new(&url) {
            prop_assert_eq!(show(&join(split.keys())), show(&url));
            prop_assert_eq!(&join(split.keys()), &url);
        }
    }

    #[test]
    fn normal_is_normal(url in any_bytes()) {
        let normal = normalize(&url).into_owned();
        prop_assert_eq!(show(&normalize(&normal)), show(&normal), "{}", show(&url));
        prop_assert!(is_normal(&normal), "{} of {}", show(&normal), show(&url));
        prop_assert_eq!(is_normal(&url), normal == url);
    }

    #[test]
    fn rule_files_read_back_as_written(Drawn { set, .. } in drawn(), bound in any::<f64>()) {
        let mut set = set;
        if let Some(evidence) = set.sites.iter_mut().flat_map(|s| &mut s.rules).find_map(|r| r.evidence.as_mut()) {
            evidence.bound = if bound.is_finite() { bound } else { 0.1 };
        }
        let text = set.to_json();
        let again = RuleSet::from_json(&text).map_err(|error| TestCaseError::fail(error.to_string()))?;
        prop_assert_eq!(again.to_json(), text);
        prop_assert_eq!(again, set);
    }

    #[test]
    fn broken_rule_files_are_refused(Drawn { set, .. } in drawn(), cut in any::<prop::sample::Index>(), byte in any::<char>()) {
        let text = set.to_json();
        let chars: Vec<char> = text.trim_end().chars().collect();
        let cut = cut.index(chars.len());
        let short: String = chars[..cut].iter().collect();
        prop_assert!(RuleSet::from_json(&short).is_err());
        let mut changed = chars;
        changed[cut] = byte;
        let changed: String = changed.into_iter().collect();
        let _ = RuleSet::from_json(&changed).map(|set| set.to_json());
    }

}

proptest! {
    // Checking runs the engine on hundreds of URLs for every rule.
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases / 8))]

    #[test]
    fn check_does_not_panic_and_knows_no_other_circles(Drawn { set, .. } in drawn()) {
        for finding in check(&set) {
            if let undust::apply::Finding::Circle { rules, url, .. } = &finding {
                prop_assert!(!rules.is_empty(), "{}", finding);
                let settled = [Form::Key, Form::Url].map(|form| Naive::new(&set, form).trace(url.as_bytes()).settled);
                prop_assert!(settled.contains(&false), "{}", finding);
            }
        }
    }
}

proptest! {
    #[test]
    fn what_is_proven_comes_to_rest(Drawn { set, urls } in drawn_few()) {
        let mut scratch = Scratch::new();
        if is_proven(&set) {
            for form in [Form::Key, Form::Url] {
                let engine = compile(&set, form);
                for url in &urls {
                    prop_assert!(engine.settles(url, &mut scratch), "{:?} of {}", form, show(url));
                }
            }
        }
    }
}

fn is_proven(set: &RuleSet) -> bool {
    use undust::apply::Finding::{Circle, NotUrl, Unproven};
    // A rule that prints no URL stands for those that are unproven because of it.
    !check(set).iter().any(|finding| matches!(finding, Circle { .. } | Unproven { .. } | NotUrl { .. }))
}

/// The first step that each rule takes when all others are rejected, numbered without those rejected anyway.
fn changes_alone(set: &RuleSet, url: &[u8]) -> Vec<(u32, String)> {
    let active =
        set.sites.iter().enumerate().flat_map(|(s, site)| (0..site.rules.len()).map(move |r| (s, r)));
    let active = active.filter(|&(s, r)| set.sites[s].rules[r].review != Review::Rejected);
    let mut changes = Vec::new();
    for (number, (s, r)) in (0..).zip(active) {
        let mut alone = set.clone();
        alone
            .sites
            .iter_mut()
            .flat_map(|site| &mut site.rules)
            .for_each(|rule| rule.review = Review::Rejected);
        alone.sites[s].rules[r].review = Review::Accepted;
        let trace = Naive::new(&alone, Form::Key).trace(url);
        if let Some(step) = trace.steps.first() {
            let after = if set.normalize { normalize(&step.after).into_owned() } else { step.after.clone() };
            changes.push((number, show(&after)));
        }
    }
    // The rules of the URL's site come before those of every site, whatever their numbers.
    let every = |number: u32| active_site(set, number) == Some("*");
    changes.sort_by_key(|(number, _)| (every(*number), *number));
    changes
}

fn active(set: &RuleSet) -> impl Iterator<Item = (&str, &Rule)> {
    set.rules().filter(|(_, rule)| rule.review != Review::Rejected)
}

fn active_site(set: &RuleSet, number: u32) -> Option<&str> {
    active(set).nth(number as usize).map(|(site, _)| site)
}

/// The template that says exactly this URL; `None` where the notation cannot (a host must be there).
fn literal_template(split: &SplitUrl) -> Option<Template> {
    use template::{Fragment, Item, QueryItem, QueryKind, literal};
    if split.host().is_empty() {
        return None;
    }
    let query = split.query().map(|_| {
        let params = split.params().enumerate();
        let item = |(i, p): (usize, undust::url::Param)| QueryItem {
            separator: if i == 0 { b'&' } else { p.separator },
            kind: QueryKind::Param(p.name.to_vec(), p.value.map(literal)),
        };
        params.map(item).collect()
    });
    Some(Template {
        scheme: literal(split.scheme()),
        userinfo: split.userinfo().map(literal),
        host: split.labels().map(|label| Item::One(literal(label))).collect(),
        port: split.port().map(literal),
        path: split.segments().map(|segment| Item::One(literal(segment))).collect(),
        query,
        fragment: split.fragment().map(|f| Fragment::Text(literal(f))),
    })
}

/// Laws about rules that never fire would be worth nothing.
#[test]
fn the_dice_are_worth_rolling() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;
    // The same dice in every run: this is a measurement, and no law.
    let mut runner = TestRunner::deterministic();
    let few: Vec<RuleSet> = (0..100)
        .map(|_| drawn_few().new_tree(&mut runner).expect("nothing is rejected").current().set)
        .collect();
    let proven = few.iter().filter(|set| is_proven(set) && set.rules().count() > 1).count();
    assert!((20..80).contains(&proven), "{proven} of 100 sets are proven");
    let (mut urls_seen, mut fired, mut twice, mut circles, mut skipped) = (0, 0, 0, 0, 0);
    let (mut rules, mut large) = (0, 0);
    for _ in 0..100 {
        let Drawn { set, urls } = drawn().new_tree(&mut runner).expect("nothing is rejected").current();
        rules += set.rules().count();
        large += set.sites.iter().filter(|site| site.rules.len() > 3).count();
        for url in &urls {
            let naive = Naive::new(&set, Form::Key);
            let trace = naive.trace(url);
            skipped += usize::from(naive.skips(&trace.result).is_some());
            let steps = trace.steps.iter().filter(|step| step.rule.is_some()).count();
            urls_seen += 1;
            fired += usize::from(trace.settled && steps > 0);
            twice += usize::from(trace.settled && steps > 1);
            circles += usize::from(!trace.settled);
        }
    }
    let told = format!(
        "{urls_seen} URLs, {fired} fired, {twice} twice, {circles} circles, {skipped} skipped, {rules} rules, {large} large sites"
    );
    assert!(fired * 5 > urls_seen && twice > 50 && circles > 10 && skipped > 40, "{told}");
    assert!(rules > 500 && large > 50, "{told}");
}
