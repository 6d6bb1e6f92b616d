//! One pure function per site, from pages to rules. Whoever calls it may run sites side by side.

use std::collections::BTreeMap;

use undust::apply;
use undust::page::Page;
use undust::rules::{Action, Evidence, Rule, RuleSet, SiteRules, Validation};
use undust::url::SiteBy;

use crate::bound::least_trials;
use crate::evaluate::pairs;
use crate::learn::{Candidate, Learner, LikelyRule};
use crate::listing::Listing;
use crate::progress::{Stage, Watch, unwatched};
use crate::redundant::skips;
use crate::select::{Chosen, Limits, Proposal, select};
use crate::site::{FOLDS, Site};

/// How rules are learned.
#[derive(Clone, Copy, Debug)]
pub struct Config {
    /// `--max-fpr`: upper confidence bound on the share of false positives of a site's rules together, on held-out URLs.
    pub max_fpr: f64,
    /// Rules with fewer held-out trials are not kept.
    pub min_trials: u64,
    /// Seed of folds and samples.
    pub seed: u64,
    /// How hosts are grouped into sites.
    pub site_by: SiteBy,
    /// Also learn which shapes of URLs never lead to anything new.
    pub skips: bool,
    /// Do not judge rules by labels, only say which are likely.
    pub likely: bool,
    /// Of rules that are only likely, so many are kept for each site.
    pub most_likely: usize,
    /// Learn likely rules from images, styles and scripts without a query too.
    pub with_assets: bool,
}

/// The default of [`Config::most_likely`].
pub const MOST_LIKELY: usize = 1000;
/// The default of [`Config::max_fpr`].
pub const MAX_FPR: f64 = 0.01;
/// The default of [`Config::min_trials`].
pub const MIN_TRIALS: u64 = 5;

impl Default for Config {
    fn default() -> Config {
        Config {
            max_fpr: MAX_FPR,
            min_trials: MIN_TRIALS,
            seed: 0,
            site_by: SiteBy::default(),
            skips: false,
            likely: false,
            most_likely: MOST_LIKELY,
            with_assets: false,
        }
    }
}

/// What was learned of one site.
#[derive(Debug, Default)]
pub struct Learned {
    /// The rules, in order.
    pub rules: SiteRules,
    /// Distinct labelled URLs.
    pub urls: u64,
    /// Duplicate clusters.
    pub clusters: u64,
    /// Distinct rules proposed.
    pub candidates: u64,
    /// URLs that stood under two different labels.
    pub contradictions: u64,
    /// The share of labels that were taken to be wrong, for which rules are not blamed.
    pub noise: f64,
    /// Pages without a label, where labels were needed.
    pub unlabelled: u64,
    /// Rows of failed requests that were left out, where labels were not needed.
    pub failed: u64,
    /// Rows of images, styles and scripts that were left out, likewise.
    pub assets: u64,
    /// What each learner had a part in.
    pub learners: Vec<Contribution>,
}

/// What one learner had a part in.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
pub struct Contribution {
    /// The learner.
    pub learner: String,
    /// Distinct rules that it proposed.
    pub candidates: u64,
    /// Of the rules kept, those that it proposed first or alone.
    pub rules: u64,
    /// URLs that these save.
    pub saved: u64,
}

impl Contribution {
    /// Add what the same learner had a part in elsewhere.
    pub fn add(&mut self, other: &Contribution) {
        self.candidates += other.candidates;
        self.rules += other.rules;
        self.saved += other.saved;
    }
}

/// Whether rules of the site could be believed at all. Most sites of the web are small, and have nothing to learn: they should not cost more than a look.
///
/// Rules together make so many pairs of URLs equal that the bound on wrong ones holds if there is none. Wrong labels may excuse some of these pairs, but not
/// half of them: the site has as many pairs that are equal indeed. (A skip needs a duplicate for each of as many trials.)
fn may_have_rules(site: &Site, config: &Config) -> bool {
    let duplicates = site.sample(0).duplicates();
    let equal: u64 = duplicates.clusters().map(|rows| pairs(rows.len() as u64)).sum();
    equal >= least_trials(config.max_fpr) / 2
}

/// Sites of more URLs than this are held out in two halves instead of four quarters: they have the evidence to spare, and it is a
/// third of the work.
const LARGE_SITE: usize = 5_000;

/// Whether the rules of a site are judged by its labels.
pub fn is_judged(pages: &[Page], config: &Config) -> bool {
    !config.likely && pages.iter().any(|page| page.label().is_some())
}

/// Learn the rules of one site: judged by its labels where it has some, else only likely, where the learner can do that.
pub fn learn_site(name: &str, pages: Vec<Page>, learner: &dyn Learner, config: &Config) -> Learned {
    learn_site_watched(name, pages, learner, config, &unwatched)
}

/// The same, telling `watch` of every stage.
pub fn learn_site_watched(
    name: &str,
    pages: Vec<Page>,
    learner: &dyn Learner,
    config: &Config,
    watch: &Watch,
) -> Learned {
    if !is_judged(&pages, config) {
        watch(Stage::Learner { name: learner.name(), part: 1, parts: 1 });
        if let Some(likely) = learn_likely(name, &pages, learner, config) {
            return likely;
        }
    }
    let site = Site::new(name, &pages, config.seed);
    // What learning needs of them is in the site.
    drop(pages);
    learn_labelled(&site, learner, config, watch)
}

/// Learn the rules of a site, judged by its labels.
pub fn learn_labelled(site: &Site, learner: &dyn Learner, config: &Config, watch: &Watch) -> Learned {
    if !may_have_rules(site, config) {
        return Learned::nothing(site);
    }
    let proposals = propose(site, learner, watch);
    let limits = Limits {
        max_fpr: config.max_fpr,
        min_trials: config.min_trials,
        // A paper's learner says what the paper says.
        widen: !learner.members().is_empty(),
    };
    watch(Stage::Choosing);
    let Chosen { rules, noise } = select(site, &proposals, limits, config.site_by);
    let learners = contributions(learner, &proposals, &rules);
    let skips = if config.skips {
        watch(Stage::Skips);
        skips(site, &rules, config.max_fpr, config.site_by)
    } else {
        Vec::new()
    };
    let rules = [rules, skips].concat();
    let rules = SiteRules { site: site.name.clone(), rules };
    Learned { rules, candidates: proposals.len() as u64, noise, learners, ..Learned::nothing(site) }
}

/// The learners that are asked.
fn members(learner: &dyn Learner) -> Vec<&dyn Learner> {
    match learner.members() {
        [] => vec![learner],
        members => members.iter().map(Box::as_ref).collect(),
    }
}

/// What each learner had a part in.
fn contributions(learner: &dyn Learner, proposals: &[Proposal], rules: &[Rule]) -> Vec<Contribution> {
    let of = |member: &dyn Learner| {
        let name = member.name();
        let its = rules.iter().filter(|rule| rule.learner.as_deref() == Some(name));
        Contribution {
            learner: name.to_owned(),
            candidates: proposals.iter().filter(|p| p.learners.contains(&name)).count() as u64,
            rules: its.clone().count() as u64,
            saved: its.filter_map(|rule| rule.evidence.as_ref()).map(|evidence| evidence.saved).sum(),
        }
    };
    members(learner).into_iter().map(of).collect()
}

impl Learned {
    /// Nothing was learned of this site.
    pub fn nothing(site: &Site) -> Learned {
        Learned {
            rules: SiteRules { site: site.name.clone(), rules: Vec::new() },
            urls: site.len() as u64,
            clusters: site.clusters() as u64,
            contradictions: site.contradictions,
            unlabelled: site.unlabelled,
            ..Learned::default()
        }
    }
}

/// The likely rules of a site, to be tried out.
fn learn_likely(name: &str, pages: &[Page], learner: &dyn Learner, config: &Config) -> Option<Learned> {
    let list = Listing::new(pages, config.with_assets);
    let likely = learner.learn_unlabelled(&list)?;
    let text = |row: u32| String::from_utf8_lossy(list.url(row)).into_owned();
    let rule = |LikelyRule { action, support, example }: &LikelyRule| Rule {
        learner: Some(learner.name().to_owned()),
        evidence: Some(Evidence {
            support: *support,
            // Nothing was tried, so that anything is possible.
            bound: 1.0,
            examples: vec![[text(example.0), text(example.1)]],
            ..Evidence::default()
        }),
        validation: Some(Validation::default()),
        ..Rule::new(action.clone())
    };
    let is_fit = |rule: &Rule| {
        let active = vec![Rule::new(rule.action.clone())];
        apply::is_fit(&RuleSet::of_site(name, config.site_by, active))
    };
    let rules = likely.iter().map(rule).filter(is_fit).take(config.most_likely).collect();
    Some(Learned {
        rules: SiteRules { site: name.to_owned(), rules },
        urls: list.len() as u64,
        candidates: likely.len() as u64,
        failed: list.failed,
        assets: list.assets,
        ..Learned::default()
    })
}

/// Let the learners propose rules several times, each time with another part of the site held out.
fn propose(site: &Site, learner: &dyn Learner, watch: &Watch) -> Vec<Proposal> {
    let held_out: Vec<u32> = if site.len() > LARGE_SITE {
        vec![0b0011, 0b1100]
    } else {
        (0..FOLDS).map(|fold| 1 << fold).collect()
    };
    let mut proposals: BTreeMap<(String, String), Proposal> = BTreeMap::new();
    let parts = held_out.len();
    for (part, unseen) in (1..).zip(held_out) {
        let sample = site.sample(unseen);
        for member in members(learner) {
            watch(Stage::Learner { name: member.name(), part, parts });
            for candidate in member.learn(&sample) {
                add(&mut proposals, candidate, unseen, member.name());
            }
        }
    }
    let mut proposals: Vec<Proposal> = proposals.into_values().collect();
    proposals.sort_by_key(|p| std::cmp::Reverse(p.candidate.support));
    proposals
}

fn add(
    proposals: &mut BTreeMap<(String, String), Proposal>,
    candidate: Candidate,
    unseen: u32,
    learner: &'static str,
) {
    let Candidate { action, support } = candidate;
    let sides = Action::sides(&action);
    let known = proposals.entry(sides).or_insert_with(|| Proposal {
        candidate: Candidate { action, support },
        unseen,
        learners: Vec::new(),
    });
    known.candidate.support = known.candidate.support.max(support);
    known.unseen |= unseen;
    if !known.learners.contains(&learner) {
        known.learners.push(learner);
    }
}
