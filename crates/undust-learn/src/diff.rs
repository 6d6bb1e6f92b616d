//! What tells two rule sets apart: rules added, lost and changed, site by site, and the URLs that are treated differently.
//!
//! A rule is the same rule if it says the same, whatever it is called. Examples and samples are not compared: they illustrate figures that are.

use std::collections::{BTreeSet, HashSet};

use undust::rules::{Rule, RuleSet};
use xxhash_rust::xxh3::xxh3_128;

use crate::again::rules_of;

/// How two rule sets differ.
#[derive(Debug, Default)]
pub struct SetDiff<'r> {
    /// Whether one normalises URLs and the other does not.
    pub normalize: bool,
    /// Whether they mean different things by a site.
    pub site_by: bool,
    /// The sites that differ, by name.
    pub sites: Vec<SiteDiff<'r>>,
    /// Rules that are the same in both.
    pub same: u64,
}

/// How the rules of a site differ.
#[derive(Debug, Default)]
pub struct SiteDiff<'r> {
    /// The site.
    pub site: &'r str,
    /// Rules that only the new set has.
    pub added: Vec<&'r Rule>,
    /// Rules that only the old set has.
    pub lost: Vec<&'r Rule>,
    /// Rules of both about which something else is known or decided.
    pub changed: Vec<RuleDiff<'r>>,
    /// Whether rules that both apply are tried in another order.
    pub is_reordered: bool,
    same: u64,
}

/// A rule of both sets that is not the same in all respects.
#[derive(Debug)]
pub struct RuleDiff<'r> {
    /// In the old set.
    pub old: &'r Rule,
    /// In the new set.
    pub new: &'r Rule,
    /// In which respects it differs; at least one.
    pub aspects: Vec<Aspect>,
}

/// What may differ of a rule that says the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aspect {
    /// What it is called.
    Id,
    /// Who proposed it.
    Learner,
    /// What a person said of it.
    Review,
    /// What trying it out showed.
    Validation,
    /// What was seen of it.
    Evidence,
    /// What a person wrote beside it.
    Note,
}

impl Aspect {
    /// All of them, in the order in which they are shown.
    pub const ALL: [Aspect; 6] =
        [Aspect::Id, Aspect::Learner, Aspect::Review, Aspect::Validation, Aspect::Evidence, Aspect::Note];

    /// The word for it in the rule file.
    pub fn name(self) -> &'static str {
        match self {
            Aspect::Id => "id",
            Aspect::Learner => "learner",
            Aspect::Review => "review",
            Aspect::Validation => "validation",
            Aspect::Evidence => "evidence",
            Aspect::Note => "note",
        }
    }

    fn differs(self, old: &Rule, new: &Rule) -> bool {
        let tried = |rule: &Rule| rule.validation.as_ref().map(|v| (v.verdict, v.by, v.positive, v.negative));
        let seen = |rule: &Rule| {
            let seen = rule.evidence.as_ref();
            seen.map(|e| (e.support, e.saved, e.trials, e.false_positives, e.bound.to_bits()))
        };
        match self {
            Aspect::Id => old.id != new.id,
            Aspect::Learner => old.learner != new.learner,
            Aspect::Review => old.review != new.review,
            Aspect::Validation => tried(old) != tried(new),
            Aspect::Evidence => seen(old) != seen(new),
            Aspect::Note => old.note != new.note,
        }
    }
}

impl<'r> SetDiff<'r> {
    /// Compare two rule sets.
    pub fn new(old: &'r RuleSet, new: &'r RuleSet) -> SetDiff<'r> {
        let names: BTreeSet<&str> = old.sites.iter().chain(&new.sites).map(|site| &*site.site).collect();
        let site = |site| SiteDiff::new(site, rules_of(old, site), rules_of(new, site));
        let mut sites: Vec<SiteDiff> = names.into_iter().map(site).collect();
        let same = sites.iter().map(|site| site.same).sum();
        sites.retain(SiteDiff::is_different);
        let (normalize, site_by) = (old.normalize != new.normalize, old.site_by != new.site_by);
        SetDiff { normalize, site_by, sites, same }
    }

    /// Whether anything is different.
    pub fn is_different(&self) -> bool {
        self.normalize || self.site_by || !self.sites.is_empty()
    }

    /// How many rules were added, lost and changed.
    pub fn counts(&self) -> [u64; 3] {
        self.sites.iter().fold([0; 3], |[added, lost, changed], site| {
            let of = |rules: usize| rules as u64;
            [added + of(site.added.len()), lost + of(site.lost.len()), changed + of(site.changed.len())]
        })
    }
}

impl<'r> SiteDiff<'r> {
    fn new(site: &'r str, old: &'r [Rule], new: &'r [Rule]) -> SiteDiff<'r> {
        let mut diff = SiteDiff { site, ..SiteDiff::default() };
        let mut left: Vec<&Rule> = old.iter().collect();
        let mut common: Vec<(&Rule, &Rule)> = Vec::new();
        for rule in new {
            // A rule may stand twice: each is matched once.
            match left.iter().position(|known| known.action == rule.action) {
                Some(at) => common.push((left.remove(at), rule)),
                None => diff.added.push(rule),
            }
        }
        diff.lost = left;
        diff.is_reordered = is_reordered(old, &common);
        for (old, new) in common {
            let aspects: Vec<Aspect> =
                Aspect::ALL.into_iter().filter(|aspect| aspect.differs(old, new)).collect();
            if aspects.is_empty() {
                diff.same += 1;
            } else {
                diff.changed.push(RuleDiff { old, new, aspects });
            }
        }
        diff
    }

    fn is_different(&self) -> bool {
        !(self.added.is_empty() && self.lost.is_empty() && self.changed.is_empty()) || self.is_reordered
    }
}

/// Whether rules that both sets apply, given in the order of the new one, stand in another order in `old`. Of skips any one will do.
fn is_reordered(old: &[Rule], common: &[(&Rule, &Rule)]) -> bool {
    let is_tried = |(old, new): &&(&Rule, &Rule)| old.is_active() && new.is_active() && !old.action.is_skip();
    let place = |rule: &Rule| old.iter().position(|known| std::ptr::eq(known, rule));
    let places: Vec<Option<usize>> = common.iter().filter(is_tried).map(|(old, _)| place(old)).collect();
    !places.is_sorted()
}

/// What rules make of a URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Treated {
    /// The canonical form.
    pub key: Vec<u8>,
    /// Whether it need not be fetched.
    pub is_skipped: bool,
}

/// How two rule sets treat the URLs of a list.
#[derive(Debug, Default)]
pub struct UrlDiff {
    /// URLs that were looked at.
    pub urls: u64,
    /// URLs with another canonical form.
    pub other_key: u64,
    /// URLs that one of the two skips.
    pub other_skip: u64,
    /// URLs of either kind.
    pub different: u64,
    /// Some of these, with how the old and the new set treat them.
    pub examples: Vec<(Vec<u8>, [Treated; 2])>,
    keys: [HashSet<u128>; 2],
}

/// Number of examples kept.
const MAX_EXAMPLES: usize = 10;

impl UrlDiff {
    /// Note how both sets treat one more URL.
    pub fn add(&mut self, url: &[u8], treated: [Treated; 2]) {
        self.urls += 1;
        for (keys, treated) in self.keys.iter_mut().zip(&treated) {
            if !treated.is_skipped {
                // 128 bits: no two different keys are ever taken for the same.
                keys.insert(xxh3_128(&treated.key));
            }
        }
        let [old, new] = &treated;
        self.other_key += u64::from(old.key != new.key);
        self.other_skip += u64::from(old.is_skipped != new.is_skipped);
        if old != new {
            self.different += 1;
            if self.examples.len() < MAX_EXAMPLES {
                self.examples.push((url.to_vec(), treated));
            }
        }
    }

    /// How many fetches the list takes with the old and with the new set.
    pub fn fetches(&self) -> [u64; 2] {
        [0, 1].map(|set| self.keys[set].len() as u64)
    }
}

#[cfg(test)]
mod tests {
    use undust::rules::{Action, Evidence, Review, Validation, Verdict};
    use undust::url::SiteBy;

    use super::*;

    fn rule(from: &str) -> Rule {
        Rule::new(Action::rewrite(&format!("http://a.com/{from}?s=*"), "http://a.com/").unwrap())
    }

    fn set(rules: Vec<Rule>) -> RuleSet {
        RuleSet::of_site("a.com", SiteBy::Domain, rules)
    }

    #[test]
    fn added_lost_and_the_same() {
        let (old, new) = (set(vec![rule("a"), rule("b")]), set(vec![rule("b"), rule("c"), rule("d")]));
        let diff = SetDiff::new(&old, &new);
        assert_eq!((diff.counts(), diff.same, diff.is_different()), ([2, 1, 0], 1, true));
        assert_eq!(diff.sites[0].lost[0].action, rule("a").action);
        assert!(!SetDiff::new(&old, &old).is_different());
    }

    #[test]
    fn each_aspect() {
        let old = rule("a");
        let validation = Some(Validation { verdict: Verdict::Valid, ..Validation::default() });
        let variants = [
            (Aspect::Id, Rule { id: "mine".to_owned(), ..old.clone() }),
            (Aspect::Learner, Rule { learner: Some("usual".to_owned()), ..old.clone() }),
            (Aspect::Review, Rule { review: Review::Rejected, ..old.clone() }),
            (Aspect::Validation, Rule { validation, ..old.clone() }),
            (Aspect::Evidence, Rule { evidence: Some(Evidence::default()), ..old.clone() }),
            (Aspect::Note, Rule { note: Some("why".to_owned()), ..old.clone() }),
        ];
        for (aspect, new) in variants {
            let (old, new) = (set(vec![old.clone()]), set(vec![new]));
            let diff = SetDiff::new(&old, &new);
            assert_eq!(diff.sites[0].changed[0].aspects, [aspect]);
        }
    }

    #[test]
    fn examples_are_no_difference() {
        let with = |example: &str| {
            let examples = vec![[example.to_owned(), example.to_owned()]];
            let evidence = Some(Evidence { examples, ..Evidence::default() });
            set(vec![Rule { evidence, ..rule("a") }])
        };
        assert!(!SetDiff::new(&with("http://a.com/1"), &with("http://a.com/2")).is_different());
    }

    #[test]
    fn order_matters_among_rules_that_are_applied() {
        let rejected = Rule { review: Review::Rejected, ..rule("c") };
        let skip = Rule::new(Action::skip("http://a.com/{x}").unwrap());
        let old = set(vec![rule("a"), rule("b"), rejected.clone(), skip.clone()]);
        let same = set(vec![skip.clone(), rejected.clone(), rule("a"), rule("b")]);
        assert!(!SetDiff::new(&old, &same).is_different());
        let other = set(vec![rule("b"), rule("a"), rejected, skip]);
        assert!(SetDiff::new(&old, &other).sites[0].is_reordered);
    }

    #[test]
    fn a_rule_that_stands_twice_is_matched_twice() {
        let (once, twice) = (set(vec![rule("a")]), set(vec![rule("a"), rule("a")]));
        assert_eq!(SetDiff::new(&once, &twice).counts(), [1, 0, 0]);
        assert!(!SetDiff::new(&twice, &twice).is_different());
    }

    #[test]
    fn urls_are_counted_and_some_are_shown() {
        let mut diff = UrlDiff::default();
        let treated = |key: &str, is_skipped| Treated { key: key.into(), is_skipped };
        diff.add(b"a", [treated("a", false), treated("a", false)]);
        diff.add(b"b", [treated("b", false), treated("a", false)]);
        diff.add(b"c", [treated("c", false), treated("c", true)]);
        assert_eq!((diff.urls, diff.different, diff.other_key, diff.other_skip), (3, 2, 1, 1));
        assert_eq!(diff.fetches(), [3, 1]);
        for _ in 0..50 {
            diff.add(b"b", [treated("b", false), treated("a", false)]);
        }
        assert_eq!((diff.different, diff.examples.len()), (52, MAX_EXAMPLES));
    }
}
