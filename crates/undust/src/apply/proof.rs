//! The termination proof: no URL makes the rules of a set fire for ever. Or the rules without a proof.
//!
//! A run of firings walks a graph: from a rule to those that may change its result. A rule on no cycle fires once on each
//! path. For those on a cycle, measures of the URL are sought that none of them raises ([`effect`]): a rule that lowers one of them
//! fires a limited number of times, so that an endless run would have to do without it. Such rules are removed, until no rule or no
//! such measure is left.
//!
//! The proof is about endless runs, not about long ones: more than [`MAX_STEPS`](super::MAX_STEPS) firings are still too many.

mod effect;
mod narrow;
mod shape;
mod sites;

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::BTreeSet;

use super::fixpoint::{Trust, may_follow};
use super::form::{Form, in_form};
use crate::rules::{Action, EVERY_SITE, RuleSet};
use effect::{Effect, Measure, World};
use sites::{Sites, spoils};

/// Rules without a proof that they terminate together.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Open {
    /// The site of the first of them.
    pub(super) site: String,
    pub(super) rules: Vec<String>,
}

/// More rules on cycles are not compared in pairs.
const MAX_RULES_COMPARED: usize = 3000;

/// The rules of `set` without a proof, in either form.
pub(super) fn open_questions(set: &RuleSet) -> Vec<Open> {
    let mut open: Vec<Open> = Vec::new();
    for form in [Form::Key, Form::Url] {
        let rules = rules_of(set, form);
        for group in groups(set, &rules) {
            let found = stuck(&group, set.normalize).into_iter().map(|part| open_of(&part));
            open.extend(found.collect::<Vec<Open>>());
        }
    }
    open.sort();
    open.dedup();
    open
}

/// A rule in the form it is run in.
struct Entry<'r> {
    site: &'r str,
    id: &'r str,
    action: Cow<'r, Action>,
}

fn rules_of(set: &RuleSet, form: Form) -> Vec<Entry<'_>> {
    let active = set.rules().filter(|(_, rule)| rule.is_active());
    let entries = active
        .filter_map(|(site, rule)| Some(Entry { site, id: &rule.id, action: in_form(&rule.action, form)? }));
    entries.collect()
}

/// The rules that can meet on one URL time and again: those of a site with those of every site. An endless run through several sites
/// leaves each of them again and again, so that sites which a URL may leave belong together.
fn groups<'e, 'r>(set: &RuleSet, rules: &'e [Entry<'r>]) -> Vec<Vec<&'e Entry<'r>>> {
    let sites = Sites::of(set);
    let leaves = |e: &&Entry| sites.may_leave(&e.action, e.site);
    let left: BTreeSet<&str> = rules.iter().filter(leaves).map(|e| e.site).collect();
    let together = |site: &str| left.contains(EVERY_SITE) || left.contains(site);
    let every: Vec<&Entry> = rules.iter().filter(|e| e.site == EVERY_SITE).collect();
    let mut groups: Vec<Vec<&Entry>> = vec![every.clone()];
    groups[0].extend(rules.iter().filter(|e| e.site != EVERY_SITE && together(e.site)));
    let alone = rules.iter().filter(|e| e.site != EVERY_SITE && !together(e.site)).collect::<Vec<_>>();
    for site in alone.chunk_by(|a, b| a.site == b.site) {
        groups.push(site.iter().chain(&every).copied().collect());
    }
    groups
}

fn open_of(part: &[&Entry]) -> Open {
    let named = part.iter().find(|e| e.site != EVERY_SITE).or(part.first());
    Open {
        site: named.map_or(EVERY_SITE, |e| e.site).to_owned(),
        rules: part.iter().map(|e| e.id.to_owned()).collect(),
    }
}

/// The parts of a group without a proof.
fn stuck<'e, 'r>(group: &[&'e Entry<'r>], normalize: bool) -> Vec<Vec<&'e Entry<'r>>> {
    let calm = !normalize || !group.iter().any(|e| spoils(&e.action));
    let world = World { normalize, calm };
    // Most rules are on no cycle: their effects are never needed.
    let cells: Vec<OnceCell<Effect>> = vec![OnceCell::new(); group.len()];
    let effect = |rule: usize| cells[rule].get_or_init(|| Effect::of(&group[rule].action, world));
    let trust = |e: &&Entry| if calm { Trust::of(&e.action, normalize) } else { Trust::Nothing };
    let trusts: Vec<Trust> = group.iter().map(trust).collect();
    let follows = |a: usize, b: usize| may_follow(&group[a].action, trusts[a], &group[b].action);
    let mut stuck = Vec::new();
    let rounds = |part: &[usize]| {
        if part.len() > MAX_RULES_COMPARED { vec![part.to_vec()] } else { cycles(part, follows) }
    };
    let mut open: Vec<Vec<usize>> = rounds(&(0..group.len()).collect::<Vec<_>>());
    while let Some(mut part) = open.pop() {
        drop_lowering(&mut part, effect);
        let cycles = rounds(&part);
        match cycles.as_slice() {
            [same] if same.len() == part.len() => {
                let rules: Vec<&Action> = part.iter().map(|&rule| &*group[rule].action).collect();
                if !calm || !narrow::terminates(&rules, normalize) {
                    stuck.push(part.iter().map(|&rule| group[rule]).collect());
                }
            }
            _ => open.extend(cycles),
        }
    }
    stuck
}

/// Removes the rules that lower a measure which no rule of the part raises, as long as there are any.
fn drop_lowering<'e>(part: &mut Vec<usize>, effect: impl Fn(usize) -> &'e Effect) {
    loop {
        let raised: BTreeSet<&Measure> = part.iter().flat_map(|&rule| &effect(rule).raises).collect();
        let is_raised = |measure: &Measure| {
            let kind = match measure {
                Measure::Byte(_) => &Measure::EveryByte,
                Measure::Token(_) => &Measure::EveryToken,
                single => single,
            };
            raised.contains(measure) || raised.contains(kind)
        };
        let before = part.len();
        part.retain(|&rule| effect(rule).lowers.iter().all(is_raised));
        if part.len() == before {
            return;
        }
    }
}

/// The rules on cycles: the strongly connected components that have an edge.
fn cycles(part: &[usize], follows: impl Fn(usize, usize) -> bool) -> Vec<Vec<usize>> {
    let next: Vec<Vec<usize>> =
        part.iter().map(|&a| (0..part.len()).filter(|&b| follows(a, part[b])).collect()).collect();
    let mut back: Vec<Vec<usize>> = vec![Vec::new(); part.len()];
    for (a, nexts) in next.iter().enumerate() {
        for &b in nexts {
            back[b].push(a);
        }
    }
    let mut seen = vec![false; part.len()];
    let order: Vec<usize> = (0..part.len()).flat_map(|start| walk(start, &next, &mut seen)).collect();
    seen.fill(false);
    let mut found = Vec::new();
    for &start in order.iter().rev() {
        let mut members = walk(start, &back, &mut seen);
        members.sort_unstable();
        let is_round = members.len() > 1 || members.iter().any(|&a| next[a].contains(&a));
        if is_round {
            found.push(members.into_iter().map(|a| part[a]).collect());
        }
    }
    found
}

/// The unseen nodes that can be reached from `start`, in post-order.
fn walk(start: usize, next: &[Vec<usize>], seen: &mut [bool]) -> Vec<usize> {
    let mut left = Vec::new();
    if std::mem::replace(&mut seen[start], true) {
        return left;
    }
    let mut way = vec![(start, 0)];
    while let Some((at, done)) = way.last_mut() {
        if let Some(&to) = next[*at].get(*done) {
            *done += 1;
            if !std::mem::replace(&mut seen[to], true) {
                way.push((to, 0));
            }
        } else {
            left.push(*at);
            way.pop();
        }
    }
    left
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{Rule, SiteRules};

    fn set(rules: &[(&str, &str, &str)]) -> RuleSet {
        let mut sites: Vec<SiteRules> = Vec::new();
        for (number, (site, from, to)) in (1..).zip(rules) {
            let action =
                if from.contains('{') { Action::rewrite(from, to) } else { Action::substitute(from, to) };
            let rule = Rule { id: number.to_string(), ..Rule::new(action.expect("well formed")) };
            match sites.last_mut() {
                Some(last) if last.site == *site => last.rules.push(rule),
                _ => sites.push(SiteRules { site: (*site).to_owned(), rules: vec![rule] }),
            }
        }
        RuleSet { sites, ..RuleSet::default() }
    }

    /// The rules of `a.com` without a proof.
    #[track_caller]
    fn check(rules: &[(&str, &str)], expected: &str) {
        let rules: Vec<(&str, &str, &str)> = rules.iter().map(|(from, to)| ("a.com", *from, *to)).collect();
        let open = open_questions(&set(&rules));
        let open_of: Vec<String> = open.iter().map(|open| open.rules.join(" ")).collect();
        assert_eq!(open_of.join(", "), expected);
    }

    #[test]
    fn shrinking_substitutions() {
        check(&[("/index.html$", "/$"), ("&sid=1", ""), ("--", "-"), ("www.", ""), ("/$", "$")], "");
        check(&[("^https://", "^http://"), ("story?id=", "story_"), (".php3?", "?")], "");
    }

    #[test]
    fn substitutions_that_use_something_up() {
        check(&[("story_", "story?id=")], "");
        check(&[("cat", "dog"), ("dog", "bird")], "");
        check(&[("/~", "/people/"), ("-b", "-a"), ("index.htm", "index.html")], "");
        check(&[("b-a", "a-b"), ("c-a", "a-c"), ("c-b", "b-c")], "");
    }

    #[test]
    fn substitutions_that_may_go_on() {
        check(&[("cat", "dog"), ("dog", "cat")], "1 2");
        check(&[("a", "a-a")], "1");
        check(&[("x", "y"), ("y", "z"), ("z", "x"), ("&s=1", "")], "1 2 3");
        check(&[("a-b", "b-a"), ("b-a", "a-b")], "1 2");
        check(&[("-a", "-aa"), ("aa", "a")], "1 2");
        // Tokens that meet become one.
        check(&[("-", ""), ("xy", "x-y")], "1 2");
        // Shorter by one byte, and normalising puts a slash behind it.
        check(&[("/b", "c"), ("ac/", "a/b/")], "1 2");
    }

    /// Normalising decodes escapes that a rule makes, and what they stand for may be what a rule uses up.
    #[test]
    fn what_is_decoded_may_go_on() {
        check(&[("x-y", "z-p-q-r")], "");
        check(&[("x-y", "z-p%2Dq-r")], "1");
        check(&[("x-y", "4-p-q-r")], "");
        check(&[("x-y", "41-p-q-r")], "1");
        check(&[("-y", "4-p-q-r")], "1");
        check(&[("y.", "p-q-%")], "1");
        check(&[("+", "%20%20"), ("|", "%7C")], "");
        check(&[("+", "%20%2")], "1");
        check(&[("http://a.com/{x}+{y}", "http://a.com/{x}%20{y}")], "");
        check(&[("http://a.com/{x}-{y}", "http://a.com/e/{x}-{y}")], "");
        check(&[("http://a.com/{x}~{y}", "http://a.com/e-e/{x}4{y}")], "1");
        check(&[("http://a.com/{x}~{y}", "http://a.com/e-e/{x}z{y}")], "");
    }

    #[test]
    fn templates() {
        check(&[("http://a.com/{...}?sid=*&{...}", "http://a.com/{...}?{...}")], "");
        check(&[("http://a.com/x?u={u}&{...}", "http://a.com/x?u=*&{...}")], "");
        check(&[("http://a.com/{x}/{y}", "http://a.com/{y}/{x}")], "1");
        check(&[("http://a.com/{...}", "http://a.com/up/{...}")], "1");
        check(&[("http://a.com/{x}", "http://a.com/{lower(x)}")], "");
        check(&[("http://a.com/t/{id:digits}", "http://a.com/t/{id}.aspx")], "");
        check(&[("http://a.com/{x}", "http://a.com/view?id={x}")], "");
        check(&[("http://u@a.com:81/x?b={b}&a={a}", "http://u@a.com:81/x?a={a}&b={b}")], "");
    }

    /// Values that become `*` and parameters put in order, in a ring of rules.
    #[test]
    fn order_and_stars() {
        let sort = ("http://a.com/x?{...}", "http://a.com/x?{sorted(...)}");
        let star = ("http://a.com/x?a={a}&b=*", "http://a.com/x?a={a}&b=*");
        let drop = ("http://a.com/x?s=*&{...}", "http://a.com/x?{...}");
        check(&[sort, star, drop], "");
        let back = ("http://a.com/x?b={b}&a={a}", "http://a.com/x?b={b}&a={a}");
        check(&[sort, back], "1 2");
    }

    /// Lists of parameters that matter, as learners propose them, among rules that drop, sort and shorten.
    #[test]
    fn lists_of_parameters() {
        let list = ("{s}://{...}/view.php?t={t?}&{...}", "{s}://{...}/view.php?t={t}");
        let two = ("http://{...}/list.php?b={b?}&a={a?}&{...}", "http://{...}/list.php?b={b}&a={a}");
        let none = ("{s}://{...}/login.php?{...}", "{s}://{...}/login.php");
        let sort = ("{s}://{...}/{...}?{...}", "{s}://{...}/{...}?{sorted(...)}");
        let only = ("{s}://{...}/{...}/view.php?{...}", "{s}://{...}/{...}/view.php?{only(t|start|b)}");
        let without = ("{s}://{...}/{...}?{...}", "{s}://{...}/{...}?{without(sid|start=0)}");
        let day = ("{s}://{...}/{...}?{if t={d}T{x}}&{...}", "{s}://{...}/{...}?{with(t={d})}");
        let drop = ("{s}://{...}/{...}?q={?}&{...}", "{s}://{...}/{...}?{...}");
        let path = ("{s}://{...}/print/{x}?id={id}&{...}", "{s}://{...}/{x}?id={id}&{...}");
        for rule in [list, two, none, sort, only, without, day, drop, path] {
            check(&[rule], "");
        }
        check(&[list, none, sort, only, without, day, drop, path], "");
        check(&[list, two, none, without, drop], "");
        check(&[two, sort], "1 2");
        let dash = "{s}://{...}/{...}?{if t={d}-{x}}&{...}";
        check(&[day, (dash, "{s}://{...}/{...}?{with(t={d}T{x})}")], "");
        check(&[day, (dash, "{s}://{...}/{...}?{with(t={d}-{x}Ta)}")], "1 2");
        check(&[("http://{...}/?{...}", "http://{...}/?{with(a=1)}"), drop], "");
        let (one, other) = ("http://{...}/?{if a=x}&{...}", "http://{...}/?{unless a=x}&{...}");
        check(&[(one, "http://{...}/?{with(b=1)}"), (other, "http://{...}/?{with(b=2)}")], "");
        check(&[(one, "http://{...}/?{with(a=y)}"), (other, "http://{...}/?{with(a=x)}")], "1 2");
    }

    /// `?{...}` also matches a URL without parameters.
    #[test]
    fn queries_that_are_not_there() {
        check(
            &[("http://a.com/x?{...}", "http://a.com/y"), ("http://a.com/y?{...}", "http://a.com/x")],
            "1 2",
        );
    }

    /// By the look of them each feeds the other; two steps on, it is clear that they do not.
    #[test]
    fn a_closer_look() {
        let (down, up) = (
            ("http://a.com/{x}", "http://a.com/e/f/{x}"),
            ("http://a.com/{x}/{y}/{z}", "http://a.com/{y}/{z}"),
        );
        let third = ("http://a.com/d/{x}", "http://a.com/{x}");
        check(&[down, up, third], "");
        check(&[down, ("http://a.com/{x}/{y}/{z}", "http://a.com/{z}")], "1 2");
        // What is printed in the end is a word that the first does not match.
        let first = ("http://a.com/{x}/{y}", "http://a.com/{x}");
        check(&[("http://a.com/{x:!q}", "http://a.com/q/{x}"), first], "");
        check(&[("http://a.com/{x:!r}", "http://a.com/q/{x}"), first], "1 2");
        check(&[("http://a.com/{x:!q}/{y}", "http://a.com/{y}/{x}")], "1");
    }

    /// Substitutions and templates on one site, rules of every site, and sites that lead to each other.
    #[test]
    fn sites() {
        let open_of = |rules: &[(&str, &str, &str)]| {
            let open = open_questions(&set(rules));
            open.iter().map(|open| format!("{}: {}", open.site, open.rules.join(" "))).collect::<Vec<_>>()
        };
        let drop = ("a.com", "http://a.com/{...}?s=*&{...}", "http://a.com/{...}?{...}");
        assert!(open_of(&[("*", "^https://", "^http://"), drop, ("a.com", "/index.html$", "$")]).is_empty());
        let there = ("a.com", "http://a.com/{...}", "http://b.com/{...}");
        let back = ("b.com", "http://b.com/{...}", "http://a.com/{...}");
        assert_eq!(open_of(&[there, back]), ["a.com: 1 2"]);
        assert!(open_of(&[there, ("b.com", "cat", "dog")]).is_empty());
        let (swap, swapped) = (("a.com", "cat", "dog"), ("b.com", "dog", "cat"));
        assert!(open_of(&[swap, swapped]).is_empty());
        assert_eq!(open_of(&[("*", "dog", "cat"), swap]), ["a.com: 2 1"]);
        // Only what names the authority may lead from site to site.
        let from_a = ("*", "://a.com/", "://b.com/");
        assert_eq!(open_of(&[from_a, back]), ["b.com: 1 2"]);
    }
}
