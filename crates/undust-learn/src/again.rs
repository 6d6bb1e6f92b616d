//! Learning again: what the rules of an earlier file mean for a site that is learned anew.
//!
//! Decisions stay. A rule that a person wrote, reviewed or annotated is kept, and so is one that trying out decided; the others are learned again or gone.
//! Kept rules that are applied *stand*: they are judged on the new crawl, and new rules are chosen given that they are there. Kept rules that are *refused*
//! (rejected, or refuted by `validate`) stay in the file, and nothing that does the same is proposed.

use undust::rules::{EVERY_SITE, Evidence, Review, Rule, RuleSet, SiteRules, Validation, Verdict};

use crate::bound::{lower_bound, upper_bound};
use crate::select::Given;
use crate::validate::makes_redundant;

/// Whether a rule outlives learning again.
pub fn is_decided(rule: &Rule) -> bool {
    is_a_persons(rule) || matches!(rule.verdict(), Some(Verdict::Valid | Verdict::Invalid))
}

/// Whether a person had a hand in the rule: it is not dropped, whatever a crawl shows.
pub fn is_a_persons(rule: &Rule) -> bool {
    rule.learner.is_none() || rule.review != Review::Proposed || rule.note.is_some()
}

/// What a crawl shows of a rule that stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Judged {
    /// On the URLs of this crawl.
    pub evidence: Evidence,
    /// Whether it is wrong more often than the limit allows, with 95 % confidence.
    pub is_refuted: bool,
}

impl Judged {
    /// `evidence`, with its bound; of the URLs that are wrong, wrong labels explain all but `unexcused`.
    pub(crate) fn new(evidence: Evidence, unexcused: u64, max_fpr: f64) -> Judged {
        let Evidence { trials, false_positives, .. } = evidence;
        // One URL proves nothing.
        let is_refuted = unexcused > 1 && lower_bound(unexcused, trials) > max_fpr;
        Judged { evidence: Evidence { bound: bound(false_positives, trials), ..evidence }, is_refuted }
    }
}

/// The upper bound as it is written down: six digits are plenty for a reader, and the same on every machine.
pub(crate) fn bound(wrong: u64, trials: u64) -> f64 {
    (upper_bound(wrong, trials) * 1e6).ceil() / 1e6
}

/// What became of the rules that a site had.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Revision {
    /// Too little was seen of the site to judge any rule: its rules are as they were.
    pub is_untouched: bool,
    /// Rules that stood and that this crawl refutes, with what it shows of them.
    pub refuted: Vec<Rule>,
    /// How many proposals were left out, since they do what a refused rule does.
    pub left_out: u64,
}

/// What an earlier rule file says of one site.
#[derive(Debug, Default)]
pub(crate) struct Earlier {
    /// Rules that stay, in the order of the file.
    kept: Vec<Rule>,
    /// Rules that are learned again or gone.
    undecided: Vec<Rule>,
    /// Active rules for every site.
    everywhere: Vec<Rule>,
}

/// Parts of [`Earlier`], as selection takes them: owned, since rules for URLs and rules that skip are chosen apart.
#[derive(Default)]
pub(crate) struct Parts {
    standing: Vec<Rule>,
    everywhere: Vec<Rule>,
    refused: Vec<Rule>,
}

impl Parts {
    pub(crate) fn given(&self) -> Given<'_> {
        Given { standing: &self.standing, everywhere: &self.everywhere, refused: &self.refused }
    }
}

impl Earlier {
    /// What `set` says of `site`. Without labels nothing can be judged: then all rules stay that are applied.
    pub(crate) fn of(set: Option<&RuleSet>, site: &str, is_judged: bool) -> Earlier {
        let Some(set) = set else { return Earlier::default() };
        let rules_of = |name: &str| rules_of(set, name).to_vec();
        let stays = |rule: &Rule| is_decided(rule) || (!is_judged && rule.is_active());
        let (kept, undecided) = rules_of(site).into_iter().partition(stays);
        let mut everywhere = rules_of(EVERY_SITE);
        everywhere.retain(Rule::is_active);
        Earlier { kept, undecided, everywhere }
    }

    /// Whether nothing stays.
    pub(crate) fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    /// The rules to be heeded by a choice of skips, or of all other rules.
    pub(crate) fn parts(&self, skips: bool) -> Parts {
        let pick = |rules: &[Rule], of: fn(&Rule) -> bool| -> Vec<Rule> {
            let picked = rules.iter().filter(|rule| rule.action.is_skip() == skips && of(rule));
            picked.cloned().collect()
        };
        Parts {
            standing: pick(&self.kept, Rule::is_active),
            everywhere: pick(&self.everywhere, Rule::is_active),
            refused: pick(&self.kept, Rule::is_refused),
        }
    }

    /// Take in what a crawl shows of the standing rules of one kind, in their order. Rules that it refutes go, unless they are a person's; all of them are returned.
    pub(crate) fn judge(&mut self, skips: bool, judged: Vec<Option<Judged>>) -> Vec<Rule> {
        let mut refuted = Vec::new();
        let mut judged = judged.into_iter();
        self.kept.retain_mut(|rule| {
            if rule.action.is_skip() != skips || !rule.is_active() {
                return true;
            }
            let Some(Judged { evidence, is_refuted }) = judged.next().flatten() else { return true };
            rule.evidence = Some(evidence);
            if is_refuted {
                refuted.push(rule.clone());
            }
            !is_refuted || is_a_persons(rule)
        });
        refuted
    }

    /// The rule as it was before: its name, note and origin, and what trying it out showed so far. One that labels speak for now no longer waits for that.
    fn recall(&self, rule: Rule) -> Rule {
        let waiting = self.kept.iter().filter(|kept| is_waiting(kept));
        let Some(known) = self.undecided.iter().chain(waiting).find(|known| known.action == rule.action)
        else {
            return rule;
        };
        let open = |validation: &Validation| Validation { verdict: Verdict::Open, ..validation.clone() };
        let was_tried = |validation: &&Validation| validation.positive + validation.negative > 0;
        let validation = match &rule.validation {
            None => known.validation.as_ref().filter(was_tried).map(open),
            Some(_) => known.validation.clone().or(rule.validation),
        };
        // A rule that a person wrote is not the learner's.
        let learner = known.learner.as_ref().and(rule.learner);
        Rule { id: known.id.clone(), learner, validation, note: known.note.clone(), ..rule }
    }

    /// Whether a kept rule says this already, or something more general that was found valid.
    pub(crate) fn says(&self, rule: &Rule) -> bool {
        self.kept.iter().any(|kept| kept.action == rule.action || makes_redundant(kept, rule))
    }

    /// The kept rules, and behind them those learned now.
    pub(crate) fn with(mut self, learned: Vec<Rule>) -> Vec<Rule> {
        let learned: Vec<Rule> = learned.into_iter().map(|rule| self.recall(rule)).collect();
        let is_learned = |kept: &Rule| learned.iter().any(|rule| rule.action == kept.action);
        self.kept.retain(|kept| !(is_waiting(kept) && is_learned(kept)));
        [self.kept, learned].concat()
    }
}

/// Whether a rule is neither applied nor refused: it was only likely, and may be learned again.
fn is_waiting(rule: &Rule) -> bool {
    !rule.is_active() && !rule.is_refused()
}

/// The rules of a site in a rule file.
pub(crate) fn rules_of<'r>(set: &'r RuleSet, site: &str) -> &'r [Rule] {
    set.sites.iter().find(|known| known.site == site).map_or(&[], |known| &known.rules)
}

/// The sites that were learned, and those of an earlier file of which nothing was seen, as they were; sorted by name, without those that have no rules.
pub fn with_unseen(learned: impl Iterator<Item = SiteRules>, earlier: Option<&RuleSet>) -> Vec<SiteRules> {
    let mut sites: Vec<SiteRules> = learned.collect();
    let unseen = earlier.map_or(&[][..], |set| &set.sites).iter();
    let unseen: Vec<SiteRules> =
        unseen.filter(|site| !sites.iter().any(|seen| seen.site == site.site)).cloned().collect();
    sites.extend(unseen);
    sites.retain(|site| !site.rules.is_empty());
    sites.sort_by(|a, b| a.site.cmp(&b.site));
    sites
}

#[cfg(test)]
mod tests {
    use undust::rules::Action;
    use undust::url::SiteBy;

    use super::*;

    fn rule(from: &str) -> Rule {
        let action = Action::rewrite(&format!("http://a.com/{from}?s=*"), "http://a.com/").unwrap();
        Rule { learner: Some("usual".to_owned()), ..Rule::new(action) }
    }

    fn tried(verdict: Verdict, positive: u64) -> Validation {
        Validation { verdict, positive, ..Validation::default() }
    }

    fn earlier(rules: Vec<Rule>, is_judged: bool) -> Earlier {
        Earlier::of(Some(&RuleSet::of_site("a.com", SiteBy::default(), rules)), "a.com", is_judged)
    }

    #[test]
    fn what_a_person_or_a_verdict_decided_is_kept() {
        let rules = vec![
            rule("undecided"),
            Rule { learner: None, ..rule("by-hand") },
            Rule { review: Review::Accepted, ..rule("accepted") },
            Rule { review: Review::Rejected, ..rule("rejected") },
            Rule { note: Some("why".to_owned()), ..rule("annotated") },
            Rule { validation: Some(tried(Verdict::Valid, 9)), ..rule("valid") },
            Rule { validation: Some(tried(Verdict::Invalid, 0)), ..rule("invalid") },
            Rule { validation: Some(tried(Verdict::Likely, 0)), ..rule("likely") },
            Rule { validation: Some(tried(Verdict::Open, 2)), ..rule("open") },
        ];
        let names = |rules: &[Rule]| -> Vec<String> {
            let name = |rule: &Rule| rule.action.sides().0["http://a.com/".len()..].replace("?s=*", "");
            rules.iter().map(name).collect()
        };
        let kept = earlier(rules.clone(), true);
        assert_eq!(names(&kept.kept), ["by-hand", "accepted", "rejected", "annotated", "valid", "invalid"]);
        let parts = kept.parts(false);
        assert_eq!(names(&parts.standing), ["by-hand", "accepted", "annotated", "valid"]);
        assert_eq!(names(&parts.refused), ["rejected", "invalid"]);
        // Where nothing can be judged, only likely rules that nobody tried are to be proposed again.
        assert_eq!(names(&earlier(rules, false).undecided), ["likely"]);
    }

    #[test]
    fn a_rule_learned_again_keeps_its_name_and_what_was_tried() {
        let named = Rule { id: "mine".to_owned(), ..rule("a") };
        let open = Rule { validation: Some(tried(Verdict::Likely, 2)), ..rule("b") };
        let untried = Rule { validation: Some(tried(Verdict::Likely, 0)), ..rule("c") };
        let earlier = earlier(vec![named, open, untried], true);
        assert_eq!(earlier.recall(rule("a")).id, "mine");
        assert_eq!(earlier.recall(rule("b")).validation, Some(tried(Verdict::Open, 2)));
        assert_eq!(earlier.recall(rule("c")).validation, None);
        let likely = Rule { validation: Some(tried(Verdict::Likely, 0)), ..rule("b") };
        assert_eq!(earlier.recall(likely).validation, Some(tried(Verdict::Likely, 2)));
    }

    #[test]
    fn an_annotated_likely_rule_that_is_learned_stands_once() {
        let note = Some("looks right".to_owned());
        let likely = Rule { validation: Some(tried(Verdict::Likely, 0)), note: note.clone(), ..rule("a") };
        let now = earlier(vec![likely.clone()], true).with(vec![rule("a"), rule("b")]);
        assert_eq!(now, [Rule { note, ..rule("a") }, rule("b")]);
        assert_eq!(earlier(vec![likely.clone()], true).with(vec![rule("b")]), [likely, rule("b")]);
    }

    #[test]
    fn a_refuted_rule_goes_unless_a_person_had_a_hand_in_it() {
        let valid = Rule { validation: Some(tried(Verdict::Valid, 9)), ..rule("valid") };
        let accepted = Rule { review: Review::Accepted, ..rule("accepted") };
        let mut earlier = earlier(vec![valid, accepted], true);
        let wrong = Evidence { trials: 40, false_positives: 12, ..Evidence::default() };
        let judged = Judged::new(wrong, 12, 0.01);
        assert!(judged.is_refuted && judged.evidence.bound > 0.3);
        let refuted = earlier.judge(false, vec![Some(judged.clone()), Some(judged)]);
        assert_eq!((refuted.len(), earlier.kept.len()), (2, 1));
        assert_eq!(earlier.kept[0].review, Review::Accepted);
        assert_eq!(earlier.kept[0].evidence.as_ref().unwrap().false_positives, 12);
    }

    #[test]
    fn one_wrong_url_refutes_nothing() {
        let judged = |wrong, trials| {
            Judged::new(Evidence { trials, false_positives: wrong, ..Evidence::default() }, wrong, 0.01)
        };
        assert!(!judged(1, 1).is_refuted && judged(2, 10).is_refuted && !judged(2, 1000).is_refuted);
    }
}
