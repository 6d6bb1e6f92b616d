//! Statements: which fields of a URL decide the page? A URL is a record of fields; a site is a function from some of them to pages. Statements say which fields
//! do not matter, as widely as that holds, and become rules.
//!
//! 1. *Propose* (`propose`, `pairs`): from the canonical forms as they are now, scopes from the whole site to one script with one value. A form's hash is the sum of the
//!    hashes of its fields, so that dropping a field is one subtraction, and every field is tried in every scope in one pass.
//! 2. *Judge* (`judge`): utility is fetches saved, less the price of lost pages and the price of reading one statement more. Evidence is counted by group of forms made
//!    equal, since wrong labels strike whole pages.
//! 3. *Take* the statement of most utility per cost whose rule `check` accepts, change the forms, and go on; then propose again from what is left, until nothing pays.
//! 4. *Exceptions* (`except`): a statement that fails in a corner of its scope is tried without that corner.
//!
//! All trials that decide run the rule itself in the engine, behind the rules accepted before it.

mod census;
mod except;
mod forms;
mod judge;
mod pairs;
mod propose;
mod record;
mod statement;
pub(crate) mod tokens;

use std::collections::BTreeSet;

use undust::apply::{Finding, check, is_fit};
use undust::rules::{Evidence, Rule};

use crate::bound::upper_bound;
use crate::intern::Interner;
use crate::pipeline::Config;
use crate::select::Given;
use crate::select::same::do_the_same;
use crate::site::Site;
use census::Census;
use forms::{Forms, Trial};
use judge::utility;
use propose::{Proposal, Proposer};
use statement::{Effect, Statement};

/// The learner, in rule files.
pub(crate) const NAME: &str = "statements";

/// Rounds of proposals, at most.
const MAX_ROUNDS: usize = 10;
/// Proposals of a round that are tried, the best first.
const MAX_TRIED: usize = 1_500;
/// Refused wide statements of a round that exceptions are looked for.
const MAX_EXCEPTED: usize = 30;
/// Share of the utility a statement was proposed with that must be left when its turn comes; else it waits for the next round.
const MIN_UTILITY_LEFT: f64 = 0.5;
/// Factors of the price of a page: where the limit on lost pages refuses much, pages are dearer.
const PRICE_FACTORS: [f64; 3] = [1.0, 4.0, 12.0];
/// Share of the forms that a refused statement must save for pages to become dearer.
const MIN_DENIED_SHARE: f64 = 0.01;
/// Pages that may be lost on small sites, as a number and as a share.
const SMALL_SITE_LOST_PAGES: f64 = 10.0;
const SMALL_SITE_LOST_SHARE: f64 = 0.03;

/// Rules of a site.
#[derive(Debug, Default)]
pub(crate) struct Learned {
    pub rules: Vec<Rule>,
    /// Statements proposed.
    pub candidates: u64,
    /// Statements left out because a refused rule does the same.
    pub left_out: u64,
}

/// Learns statements of a site that lose at most `max_fpr` of its pages, behind the rules that are given.
pub(crate) fn learn(site: &Site, config: &Config, given: Given<'_>) -> Learned {
    let mut best: Option<(f64, Search<'_>)> = None;
    for price in PRICE_FACTORS {
        let mut search = Search::new(site, config, given, price);
        search.run();
        let is_enough = search.denied < MIN_DENIED_SHARE * search.forms.alive.len() as f64;
        let left = search.left();
        if best.as_ref().is_none_or(|(least, _)| left < *least) {
            best = Some((left, search));
        }
        if is_enough {
            break;
        }
    }
    let learned = |(_, search): (f64, Search<'_>)| Learned {
        rules: search.forms.rules,
        candidates: search.tried,
        left_out: search.left_out.len() as u64,
    };
    best.map(learned).unwrap_or_default()
}

/// A greedy search for statements.
struct Search<'s> {
    site: &'s Site,
    forms: Forms,
    /// Rules that were refused: no statement that does the same is taken.
    refused: &'s [Rule],
    /// What `check` has to say of the given rules.
    known: Vec<Finding>,
    /// Ids of rules that were left out because a refused one does the same.
    left_out: BTreeSet<String>,
    /// Forms that a statement must save.
    min_saved: u64,
    /// Pages that may be lost.
    max_lost: f64,
    /// Factor of the price of a page.
    price: f64,
    /// Utility of the best statement refused because of the limit on lost pages.
    denied: f64,
    tried: u64,
    cost: f64,
}

/// A proposal with its utility.
struct Ranked {
    statement: Statement,
    utility: f64,
    forms: Option<Vec<u32>>,
}

impl<'s> Search<'s> {
    fn new(site: &'s Site, config: &Config, given: Given<'s>, price: f64) -> Search<'s> {
        let forms = Forms::new(site, config.site_by, given);
        let pages = forms.total_pages as f64;
        let max_lost = (config.max_fpr * pages).max(SMALL_SITE_LOST_PAGES.min(SMALL_SITE_LOST_SHARE * pages));
        Search {
            site,
            refused: given.refused,
            known: check(&forms.rule_set(Vec::new())),
            left_out: BTreeSet::new(),
            min_saved: config.min_trials,
            forms,
            max_lost,
            price,
            denied: 0.0,
            tried: 0,
            cost: 0.0,
        }
    }

    /// Fetches and words that are left.
    fn left(&self) -> f64 {
        self.forms.alive.len() as f64 + judge::PRICE_OF_A_STATEMENT * self.cost
    }

    fn run(&mut self) {
        let mut paths = false;
        for _ in 0..MAX_ROUNDS {
            let taken = self.round(paths);
            if taken == 0 && std::mem::replace(&mut paths, true) {
                break;
            }
        }
    }

    /// One round: statements taken.
    fn round(&mut self, paths: bool) -> usize {
        let mut texts = Interner::new();
        let records = self.forms.records(&mut texts);
        let mut census = Census::new(&records, &texts, self.forms.any_host());
        let proposals = Proposer::new(&self.forms, &records, &mut census, &mut texts).propose(paths);
        self.tried += proposals.len() as u64;
        let mut ranked: Vec<Ranked> = Vec::new();
        let mut refused: Vec<(u64, Proposal)> = Vec::new();
        for mut proposal in proposals {
            let score = match proposal.score {
                Some(score) => score,
                None => match proposal.statement.action(&census, &texts) {
                    Some(action) => self.forms.try_rule(&Rule::new(action), &self.forms.alive).score,
                    None => continue,
                },
            };
            proposal.score = Some(score);
            let value = utility(&score, &proposal.statement, self.price);
            if (value.is_none() || score.lost > 0) && except::is_worth(&proposal.statement, &score) {
                let good = score.saved - score.wrong;
                refused.push((
                    good,
                    Proposal {
                        statement: proposal.statement.clone(),
                        score: Some(score),
                        forms: proposal.forms.clone(),
                    },
                ));
            }
            if let Some(utility) = value {
                ranked.push(Ranked { statement: proposal.statement, utility, forms: proposal.forms });
            }
        }
        refused.sort_by(|(a, p), (b, q)| b.cmp(a).then(p.statement.cmp(&q.statement)));
        for (_, proposal) in refused.into_iter().take(MAX_EXCEPTED) {
            let found = except::find(&self.forms, &records, &census, &texts, &proposal.statement, self.price);
            ranked.extend(found.map(|(statement, utility)| Ranked { statement, utility, forms: None }));
        }
        let per_cost = |r: &Ranked| r.utility / r.statement.cost();
        ranked.sort_by(|a, b| per_cost(b).total_cmp(&per_cost(a)).then(a.statement.cmp(&b.statement)));
        ranked.truncate(MAX_TRIED);
        ranked.into_iter().filter(|r| self.take(r, &census, &texts)).count()
    }

    /// Takes a statement if it still pays.
    fn take(&mut self, ranked: &Ranked, census: &Census, texts: &Interner) -> bool {
        let Some(action) = ranked.statement.action(census, texts) else { return false };
        let mut rule = Rule::new(action);
        if self.forms.rules.iter().any(|known| known.id == rule.id) {
            return false;
        }
        let pays = |trial: &Trial| {
            utility(&trial.score, &ranked.statement, self.price)
                .filter(|left| *left >= MIN_UTILITY_LEFT * ranked.utility)
        };
        if let Some(forms) = &ranked.forms {
            let alive: Vec<u32> = forms.iter().copied().filter(|at| self.forms.is_alive(*at)).collect();
            if pays(&self.forms.try_rule(&rule, &alive)).is_none() {
                return false;
            }
        }
        let trial = self.forms.try_rule(&rule, &self.forms.alive);
        let Some(left) = pays(&trial).filter(|_| trial.score.saved >= self.min_saved) else { return false };
        if trial.score.lost > 0 && (self.forms.lost + trial.score.lost) as f64 > self.max_lost {
            self.denied = self.denied.max(left);
            return false;
        }
        if !self.is_fit(&rule) || self.is_refused(&rule) {
            return false;
        }
        rule.learner = Some(NAME.to_owned());
        rule.evidence = Some(evidence(&self.forms, &trial));
        if let Effect::One(target) = &ranked.statement.effect {
            self.forms.note_wall(&trial, target);
        }
        self.cost += ranked.statement.cost();
        self.forms.accept(rule, trial);
        true
    }
}

impl Search<'_> {
    /// Whether `check` has nothing more to say with this rule than of the given ones.
    fn is_fit(&self, rule: &Rule) -> bool {
        let set = self.forms.with_rule(rule);
        if self.known.is_empty() { is_fit(&set) } else { check(&set).iter().all(|f| self.known.contains(f)) }
    }

    /// Whether a refused rule does the same.
    fn is_refused(&mut self, rule: &Rule) -> bool {
        let is_refused = do_the_same(self.site, self.refused, &[&rule.action], 0.0)[0];
        if is_refused {
            self.left_out.insert(rule.id.clone());
        }
        is_refused
    }
}

/// What was seen of a rule, counted by groups of forms made equal.
fn evidence(forms: &Forms, trial: &Trial) -> Evidence {
    let score = &trial.score;
    Evidence {
        support: score.groups,
        saved: score.saved,
        trials: score.saved,
        false_positives: score.lost,
        bound: upper_bound(score.lost, score.saved),
        examples: forms.examples(trial),
    }
}
