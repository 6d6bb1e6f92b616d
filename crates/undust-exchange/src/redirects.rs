//! Rules as redirects of the server itself: which of them are safe.
//!
//! A redirect to a URL that the site redirects back, or does not have, takes a page offline. So rules must pass `check`, and known
//! answers of the site are compared with what the server would do with all rules together: the rule that closes a circle or leads to a bad
//! end is left out, and all is judged again without it.

use std::collections::{BTreeMap, BTreeSet};

use undust::apply::{Canonicalizer, Form, MAX_STEPS, Scratch, check};
use undust::rules::{EVERY_SITE, Rule, RuleSet, SiteRules};
use undust::url::normalize;
use xxhash_rust::xxh3::xxh3_64;

use crate::active::{ActiveRule, active, partition};
use crate::answers::{Answer, KnownAnswers};
use crate::collect::objection;
use crate::dialect::Dialect;
use crate::to_regex::changes_only_slash;
use crate::{Format, LeftOut};

/// Looks ahead whether path and query are in normal form: no dot segments, no escapes that normalising changes, no backslashes, which
/// browsers take for slashes, and no empty parameters, whose `?` Apache drops. Other requests are left alone, so that redirects are exact.
pub(crate) const IN_NORMAL_FORM: &str = concat!(
    r"(?![^? ]*/(?:\.|%2[Ee]){1,2}(?:[/? ]|$))",
    r"(?![^ ]*(?:%(?:[a-f]|[0-9A-F][a-f]|2[DE]|3[0-9]|4[1-9A-F]|5[0-9AF]|6[1-9A-F]|7[0-9AE])|\x5C))",
    r"(?![^? ]*\?(?:[^ ]*[&;])?(?:[&; ]|$))",
);

/// A rule, and the expressions that redirect.
pub(crate) struct Redirecting<'i, 'r> {
    pub(crate) rule: &'i ActiveRule<'r>,
    pub(crate) regexes: Vec<(String, String)>,
}

/// The rules that are safe to redirect by, and the others.
pub(crate) fn safe<'i, 'r>(
    set: &RuleSet,
    rules: &'i [ActiveRule<'r>],
    dialect: Dialect,
    known: &KnownAnswers,
) -> (Vec<Redirecting<'i, 'r>>, Vec<LeftOut>) {
    let (mut kept, mut left_out) = fit(set, rules, dialect);
    leave_out(&mut kept, &mut left_out, |kept| Server::new(set, kept, known).harmful());
    leave_out(&mut kept, &mut left_out, |kept| {
        let server = Server::new(set, kept, known);
        let harmful = server.harmful();
        if harmful.is_empty() { server.unproven() } else { harmful }
    });
    (kept, left_out)
}

/// URLs to request next, to learn where redirects from the `wanted` URLs lead: at most `samples` of each rule at a time. Empty when
/// enough is known of every rule.
pub fn urls_to_request(
    set: &RuleSet,
    format: Format,
    known: &KnownAnswers,
    samples: usize,
    wanted: impl Fn(&[u8]) -> bool,
) -> Vec<Vec<u8>> {
    let Some(dialect) = format.dialect() else { return Vec::new() };
    let (rules, _) = active(set);
    let (mut kept, mut left_out) = fit(set, &rules, dialect);
    leave_out(&mut kept, &mut left_out, |kept| Server::new(set, kept, known).harmful());
    Server::new(set, &kept, known).urls_to_request(samples, wanted)
}

/// The rules that the dialect can express and that pass `check`.
fn fit<'i, 'r>(
    set: &RuleSet,
    rules: &'i [ActiveRule<'r>],
    dialect: Dialect,
) -> (Vec<Redirecting<'i, 'r>>, Vec<LeftOut>) {
    let (said, mut left_out) = partition(rules, |rule| dialect.write(rule));
    let mut kept = said.into_iter().map(|(rule, regexes)| Redirecting { rule, regexes }).collect();
    leave_out(&mut kept, &mut left_out, |kept| unfit(set, kept));
    (kept, left_out)
}

/// Leave out rules, by number and with a reason, until no objections are left.
fn leave_out<'i, 'r>(
    kept: &mut Vec<Redirecting<'i, 'r>>,
    left_out: &mut Vec<LeftOut>,
    objections: impl Fn(&[Redirecting<'i, 'r>]) -> Objections,
) {
    loop {
        let objections = objections(kept);
        if objections.is_empty() {
            return;
        }
        let mut number = 0..;
        kept.retain(|redirecting| {
            let reason = number.next().and_then(|number| objections.get(&number));
            left_out.extend(reason.map(|reason| LeftOut::new(redirecting.rule.name(), reason)));
            reason.is_none()
        });
    }
}

/// Why rules are left out, by their number.
type Objections = BTreeMap<usize, String>;

fn unfit(set: &RuleSet, kept: &[Redirecting]) -> Objections {
    let mut objections = Objections::new();
    for finding in check(&only(set, kept)) {
        for (number, redirecting) in kept.iter().enumerate() {
            if finding.blamed().iter().any(|id| id == redirecting.rule.id()) {
                objections.entry(number).or_insert_with(|| objection(&finding).to_owned());
            }
        }
    }
    objections
}

/// The set without any other rules, those of every site last: the number of a rule is its number in `kept`. Sites without rules stay, as
/// rules of wider ones do not hold there.
fn only(set: &RuleSet, kept: &[Redirecting]) -> RuleSet {
    let (every, mut sites): (Vec<_>, Vec<_>) = set.sites.iter().partition(|site| site.site == EVERY_SITE);
    sites.extend(every);
    let of_site = |site: &&SiteRules| {
        let here = kept.iter().filter(|redirecting| redirecting.rule.site == site.site);
        let rule = |redirecting: &Redirecting| Rule {
            id: redirecting.rule.id().to_owned(),
            ..Rule::new(redirecting.rule.action.clone())
        };
        SiteRules { site: site.site.clone(), rules: here.map(rule).collect() }
    };
    RuleSet { sites: sites.iter().map(of_site).collect(), learned: None, model: None, ..set.clone() }
}

/// The server, as it would redirect.
struct Server<'k> {
    engine: Canonicalizer,
    /// By rule: whether it changes nothing but slashes at the end, on purpose.
    only_slash: Vec<bool>,
    known: &'k KnownAnswers,
    /// Every URL that something is known of.
    urls: BTreeSet<Vec<u8>>,
}

/// The path of a request through our redirects.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct RedirectPath {
    /// The rules on the way.
    rules: Vec<usize>,
    target: Vec<u8>,
}

impl RedirectPath {
    fn last(&self) -> usize {
        self.rules.last().copied().unwrap_or_default()
    }
}

/// Whether a redirect leads to a page.
enum Verdict {
    Good,
    /// The rule that is to blame, and why.
    Bad(usize, String),
    Unknown,
}

impl<'k> Server<'k> {
    fn new(set: &RuleSet, kept: &[Redirecting], known: &'k KnownAnswers) -> Server<'k> {
        let examples = kept.iter().flat_map(|redirecting| redirecting.rule.examples());
        let urls = examples.map(|url| normalize(url.as_bytes()).into_owned());
        Server {
            engine: Canonicalizer::of_rules(&only(set, kept), Form::Url),
            only_slash: kept.iter().map(|redirecting| changes_only_slash(&redirecting.rule.action)).collect(),
            urls: urls.chain(known.urls().map(<[u8]>::to_vec)).collect(),
            known,
        }
    }

    /// Follow our redirects from `url`, if there are any. Expressions leave a URL alone of which they would change the slash by accident.
    fn walk(&self, url: &[u8], scratch: &mut Scratch) -> Option<RedirectPath> {
        self.walk_without(None, url, scratch)
    }

    /// Follow our redirects, but for those of one rule.
    fn walk_without(
        &self,
        without: Option<usize>,
        url: &[u8],
        scratch: &mut Scratch,
    ) -> Option<RedirectPath> {
        let mut walk = RedirectPath { rules: Vec::new(), target: url.to_vec() };
        for _ in 0..MAX_STEPS {
            let mut first: Option<(usize, Vec<u8>)> = None;
            self.engine.each_change(&walk.target, scratch, |number, after| {
                let number = number as usize;
                let is_first = first.as_ref().is_none_or(|(known, _)| number < *known);
                if is_first
                    && without != Some(number)
                    && (self.only_slash[number] || !differ_in_slash(&walk.target, after))
                {
                    first = Some((number, after.to_vec()));
                }
            });
            let Some((number, after)) = first else { break };
            walk.rules.push(number);
            walk.target = normalize(&after).into_owned();
        }
        (!walk.rules.is_empty()).then_some(walk)
    }

    fn walks(&self) -> impl Iterator<Item = (&[u8], RedirectPath)> {
        let mut scratch = Scratch::new();
        self.urls.iter().filter_map(move |url| Some((url.as_slice(), self.walk(url, &mut scratch)?)))
    }

    /// The rules that led to a bad end.
    fn harmful(&self) -> Objections {
        let mut objections = Objections::new();
        for (url, walk) in self.walks() {
            if let Verdict::Bad(blamed, why) = self.judge(url, &walk) {
                objections.entry(blamed).or_insert(why);
            }
        }
        objections
    }

    /// The rules that need to be seen leading to a page, and are not.
    fn unproven(&self) -> Objections {
        let mut good = vec![false; self.only_slash.len()];
        for (url, walk) in self.walks() {
            if matches!(self.judge(url, &walk), Verdict::Good) {
                walk.rules.iter().for_each(|&number| good[number] = true);
            }
        }
        let reason = |number: usize| match (good[number], self.only_slash[number]) {
            (false, true) => Some(SLASH),
            (false, false) if self.known.requires_page => Some(UNTRIED),
            _ => None,
        };
        (0..good.len()).filter_map(|number| Some((number, reason(number)?.to_owned()))).collect()
    }

    fn judge(&self, url: &[u8], walk: &RedirectPath) -> Verdict {
        let text = |url: &[u8]| String::from_utf8_lossy(url).into_owned();
        let target = &walk.target;
        let was_page = match self.known.answer(url) {
            Some(answer) => *answer == Answer::Page,
            // An example of the rule was a page once; where the site is requested, it will tell.
            None => !self.known.requires_page,
        };
        let moved = |to: &Option<Vec<u8>>| {
            let to = to.as_ref().map_or(String::new(), |to| format!(" to {}", text(to)));
            format!("the site redirects {}{to}", text(target))
        };
        match self.known.answer(target) {
            Some(Answer::Page) => Verdict::Good,
            Some(Answer::Moved(to)) => match to.as_ref().and_then(|to| self.way_back(to, target)) {
                Some(rule) => Verdict::Bad(rule, format!("{}, and it back", moved(to))),
                None if was_page => self.blame(url, walk, moved(to)),
                None => Verdict::Unknown,
            },
            Some(Answer::Failed(why)) if was_page => {
                self.blame(url, walk, format!("{} is a page, and {} is not ({why})", text(url), text(target)))
            }
            _ => Verdict::Unknown,
        }
    }

    /// It led to no page: the rule without which it would, else the last one. As long as the site may be requested for that, nobody.
    fn blame(&self, url: &[u8], walk: &RedirectPath, why: String) -> Verdict {
        let detours = self.detours(url, walk);
        let is_page = |(_, end): &&(usize, Vec<u8>)| self.known.answer(end) == Some(&Answer::Page);
        let is_open =
            |(_, end): &(usize, Vec<u8>)| self.known.requires_page && self.known.requested(end).is_none();
        match detours.iter().find(is_page) {
            Some((rule, _)) => Verdict::Bad(*rule, why),
            None if detours.iter().any(is_open) => Verdict::Unknown,
            None => Verdict::Bad(walk.last(), why),
        }
    }

    /// Where the way would end without each of its rules, if it went anywhere.
    fn detours(&self, url: &[u8], walk: &RedirectPath) -> Vec<(usize, Vec<u8>)> {
        let mut scratch = Scratch::new();
        let rules: BTreeSet<usize> = walk.rules.iter().copied().collect();
        let detour = |rule: usize| Some((rule, self.walk_without(Some(rule), url, &mut scratch)?.target));
        rules.into_iter().filter_map(detour).collect()
    }

    /// From `url` on, by what is known of the site's redirects and by ours, is there a way to `target`? The last rule on it.
    fn way_back(&self, url: &[u8], target: &[u8]) -> Option<usize> {
        let (mut at, mut scratch) = (url.to_vec(), Scratch::new());
        for _ in 0..MAX_STEPS {
            if let Some(walk) = self.walk(&at, &mut scratch) {
                if walk.target == target {
                    return Some(walk.last());
                }
                at = walk.target;
            }
            let Some(Answer::Moved(Some(to))) = self.known.answer(&at) else { return None };
            at.clone_from(to);
        }
        None
    }

    fn urls_to_request(&self, samples: usize, wanted: impl Fn(&[u8]) -> bool) -> Vec<Vec<u8>> {
        let mut by_rule: Vec<BTreeSet<(u64, &[u8], RedirectPath)>> =
            vec![BTreeSet::new(); self.only_slash.len()];
        for (url, walk) in
            self.walks().filter(|(url, _)| wanted(url) && !self.known.is_known_without_page(url))
        {
            for &number in &walk.rules {
                let candidates = &mut by_rule[number];
                candidates.insert((xxh3_64(url), url, walk.clone()));
                if candidates.len() > CANDIDATES_PER_SAMPLE * samples {
                    candidates.pop_last();
                }
            }
        }
        let missing = by_rule.iter().flat_map(|candidates| {
            let open = candidates.iter().filter(|(_, url, _)| !self.known.requested_without_page(url));
            open.take(samples).flat_map(|(_, url, walk)| self.missing(url, walk))
        });
        missing.collect::<BTreeSet<Vec<u8>>>().into_iter().collect()
    }

    /// What must be requested for next: the target; unless that is a page, the source; if that is one, where the way could have ended.
    fn missing(&self, url: &[u8], walk: &RedirectPath) -> Vec<Vec<u8>> {
        match (self.known.requested(&walk.target), self.known.requested(url)) {
            (None, _) => vec![walk.target.clone()],
            (Some(Answer::Page | Answer::Unknown), _) => Vec::new(),
            (Some(_), None) => vec![url.to_vec()],
            (Some(_), Some(Answer::Page)) => {
                let ends = self.detours(url, walk).into_iter().map(|(_, end)| end);
                ends.filter(|end| self.known.requested(end).is_none()).collect()
            }
            (Some(_), Some(_)) => Vec::new(),
        }
    }
}

/// URLs considered for each sample, as some may be gone.
const CANDIDATES_PER_SAMPLE: usize = 4;

const SLASH: &str = "it changes nothing but the slash at the end, which servers change back, and no page is known that it leads to";
const UNTRIED: &str = "no page is known that it leads to";

/// Whether nothing but a slash at the end of the path makes the difference.
fn differ_in_slash(one: &[u8], other: &[u8]) -> bool {
    let split = |url: &[u8]| {
        let end = url.iter().position(|byte| *byte == b'?').unwrap_or(url.len());
        (url[..end].to_vec(), url[end..].to_vec())
    };
    let ((path, query), (other_path, other_query)) = (split(one), split(other));
    let is_longer = |long: &[u8], short: &[u8]| long.strip_suffix(b"/") == Some(short);
    query == other_query && (is_longer(&path, &other_path) || is_longer(&other_path, &path))
}
