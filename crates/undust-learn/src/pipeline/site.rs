//! One site: pages in, rules out, by pure functions.

use std::collections::BTreeMap;
use std::sync::Arc;

use undust::apply;
use undust::page::Page;
use undust::rules::{Action, Evidence, Rule, RuleSet, SiteRules, Validation};
use undust::url::SiteBy;

use crate::again::{Earlier, Revision, rules_of};
use crate::bound::least_trials;
use crate::evaluate::pairs;
use crate::learn::{Candidate, Learner, LikelyRule};
use crate::listing::Listing;
use crate::progress::{Stage, Watch, unwatched};
use crate::select::same::do_the_same;
use crate::select::{Given, Limits, Proposal, noise_of, select, stays};
use crate::site::{FOLDS, Site};
use crate::skips::{Skips, skips};
use crate::statements;

/// How rules are learned.
#[derive(Clone, Debug)]
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
    /// The most likely rules that are kept for each site.
    pub max_likely_rules: usize,
    /// Learn likely rules from images, styles and scripts without a query too.
    pub with_assets: bool,
    /// The rules that were learned, written or reviewed before: what was decided on them stays.
    pub earlier: Option<Arc<RuleSet>>,
}

/// The default of [`Config::max_likely_rules`].
pub const MAX_LIKELY_RULES: usize = 1000;
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
            max_likely_rules: MAX_LIKELY_RULES,
            with_assets: false,
            earlier: None,
        }
    }
}

/// What was learned of one site.
#[derive(Clone, Debug, Default)]
pub struct LearnedSite {
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
    /// What became of the rules that the site had.
    pub revision: Revision,
    /// Whether a sample of the site's pages was learned from.
    pub is_sample: bool,
    /// The file of its model, if one was trained.
    pub model: Option<Vec<u8>>,
    /// Why nothing was learned, if there is a reason to name.
    pub nothing: Option<String>,
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
/// The bound on wrong pairs holds only if rules together make enough pairs of URLs equal, even if none is wrong. Wrong labels may excuse some of these pairs, but not
/// half of them: the site has as many pairs that are equal indeed. (A skip needs a duplicate for each of as many trials.)
fn may_have_rules(site: &Site, config: &Config) -> bool {
    let duplicates = site.sample(0).duplicates();
    let equal: u64 = duplicates.clusters().map(|rows| pairs(rows.len() as u64)).sum();
    equal >= least_trials(config.max_fpr) / 2
}

/// Sites of more URLs than this are held out in two halves instead of four quarters: they have the evidence to spare, and it is a
/// third of the work.
const LARGE_SITE_URLS: usize = 5_000;

/// Whether the rules of a site are judged by its labels.
fn is_judged(pages: &[Page], config: &Config) -> bool {
    !config.likely && pages.iter().any(|page| page.label().is_some())
}

/// Learn the rules of one site: judged by its labels where it has some, else only likely, where the learner can do that.
pub fn learn_site(name: &str, pages: Vec<Page>, learner: &dyn Learner, config: &Config) -> LearnedSite {
    learn_site_watched(name, pages, learner, config, &unwatched)
}

/// The same, telling `watch` of every stage.
pub fn learn_site_watched(
    name: &str,
    pages: Vec<Page>,
    learner: &dyn Learner,
    config: &Config,
    watch: &Watch,
) -> LearnedSite {
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

/// Learn the rules of a site, judged by its labels. Rules of [`Config::earlier`] that were decided on stay, and are judged as well.
pub fn learn_labelled(site: &Site, learner: &dyn Learner, config: &Config, watch: &Watch) -> LearnedSite {
    if learner.says_statements() {
        return learn_statements(site, config, watch);
    }
    let mut earlier = Earlier::of(config.earlier.as_deref(), &site.name, true);
    let proposals = if may_have_rules(site, config) {
        propose(site, learner, watch)
    } else if (site.len() as u64) < least_trials(config.max_fpr) || earlier.is_empty() {
        return LearnedSite::untouched(site, config);
    } else {
        Vec::new()
    };
    let limits = Limits {
        max_fpr: config.max_fpr,
        min_trials: config.min_trials,
        // A paper's learner says what the paper says.
        widen: !learner.members().is_empty(),
    };
    watch(Stage::Choosing);
    let chosen = select(site, &proposals, limits, config.site_by, earlier.parts(false).given());
    let mut revision = Revision { left_out: chosen.left_out, ..Revision::default() };
    revision.refuted.extend(earlier.judge(false, chosen.standing));
    let skips = if config.skips {
        watch(Stage::Skips);
        skips_of(site, &earlier, &chosen.rules, config)
    } else {
        Skips::default()
    };
    revision.refuted.extend(earlier.judge(true, skips.standing));
    revision.left_out += skips.left_out;
    let rules = earlier.with([chosen.rules, skips.rules].concat());
    LearnedSite {
        learners: contributions(learner, &proposals, &rules),
        rules: SiteRules { site: site.name.clone(), rules },
        candidates: proposals.len() as u64,
        noise: chosen.noise,
        revision,
        ..LearnedSite::nothing(site)
    }
}

/// Learn statements about a site and shapes to skip, judged by its labels. What was decided on earlier rules stays.
fn learn_statements(site: &Site, config: &Config, watch: &Watch) -> LearnedSite {
    let mut earlier = Earlier::of(config.earlier.as_deref(), &site.name, true);
    let is_large = site.len() as u64 >= least_trials(config.max_fpr);
    if !may_have_rules(site, config) && (!is_large || earlier.is_empty()) {
        return LearnedSite::untouched(site, config);
    }
    watch(Stage::Choosing);
    let parts = earlier.parts(false);
    let given = parts.given();
    let limits = Limits { max_fpr: config.max_fpr, min_trials: config.min_trials, widen: false };
    let judged = select(site, &[], limits, config.site_by, given);
    let standing = stays(given.standing, &judged.standing);
    let learned = statements::learn(site, config, Given { standing: &standing, ..given });
    let mut revision = Revision { left_out: learned.left_out, ..Revision::default() };
    revision.refuted.extend(earlier.judge(false, judged.standing));
    watch(Stage::Skips);
    let skips = skips_of(site, &earlier, &learned.rules, config);
    revision.refuted.extend(earlier.judge(true, skips.standing));
    revision.left_out += skips.left_out;
    LearnedSite {
        noise: noise_of(site, &learned.rules),
        rules: SiteRules {
            site: site.name.clone(),
            rules: earlier.with([learned.rules, skips.rules].concat()),
        },
        candidates: learned.candidates,
        revision,
        ..LearnedSite::nothing(site)
    }
}

/// The shapes that a site with these rules and the earlier ones may skip.
fn skips_of(site: &Site, earlier: &Earlier, rules: &[Rule], config: &Config) -> Skips {
    let applied = earlier.parts(false).given().rule_set(&site.name, config.site_by, rules.to_vec());
    skips(site, &applied, earlier.parts(true).given(), config.max_fpr)
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
        let its = rules.iter().filter(|rule| rule.is_active() && rule.learner.as_deref() == Some(name));
        Contribution {
            learner: name.to_owned(),
            candidates: proposals.iter().filter(|p| p.learners.contains(&name)).count() as u64,
            rules: its.clone().count() as u64,
            saved: its.filter_map(|rule| rule.evidence.as_ref()).map(|evidence| evidence.saved).sum(),
        }
    };
    members(learner).into_iter().map(of).collect()
}

impl LearnedSite {
    /// Estimated number of URLs with the label of another page.
    pub fn mislabelled(&self) -> u64 {
        #[expect(clippy::cast_sign_loss, reason = "it is not negative")]
        let urls = (self.noise * self.urls as f64).round() as u64;
        urls
    }

    /// URLs that its active rules make equal to others, by this crawl.
    pub fn saved(&self) -> u64 {
        self.spared(false)
    }

    /// URLs that its active rules skip, by this crawl.
    pub fn skipped(&self) -> u64 {
        self.spared(true)
    }

    fn spared(&self, by_skips: bool) -> u64 {
        // Evidence of rules left as they were is of an earlier crawl.
        if self.revision.is_untouched {
            return 0;
        }
        let counts = |rule: &&Rule| rule.is_active() && rule.action.is_skip() == by_skips;
        let evidence = self.rules.rules.iter().filter(counts).filter_map(|rule| rule.evidence.as_ref());
        evidence.map(|evidence| evidence.saved).sum()
    }

    /// Too little was seen of this site to learn anything: earlier rules stay as they are.
    pub fn untouched(site: &Site, config: &Config) -> LearnedSite {
        let mut learned = LearnedSite::nothing(site);
        if let Some(earlier) = &config.earlier {
            learned.rules.rules = rules_of(earlier, &site.name).to_vec();
            learned.revision.is_untouched = !learned.rules.rules.is_empty();
        }
        learned
    }

    /// Nothing was learned of this site.
    fn nothing(site: &Site) -> LearnedSite {
        LearnedSite {
            rules: SiteRules { site: site.name.clone(), rules: Vec::new() },
            urls: site.len() as u64,
            clusters: site.clusters() as u64,
            contradictions: site.contradictions,
            unlabelled: site.unlabelled,
            ..LearnedSite::default()
        }
    }
}

/// The likely rules of a site, to be tried out. Earlier rules that are applied stay, since nothing here can judge them.
fn learn_likely(name: &str, pages: &[Page], learner: &dyn Learner, config: &Config) -> Option<LearnedSite> {
    let list = Listing::new(pages, config.with_assets);
    let likely = learner.learn_unlabelled(&list)?;
    let earlier = Earlier::of(config.earlier.as_deref(), name, false);
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
    let mut rules: Vec<Rule> = likely.iter().map(rule).collect();
    let left_out = leave_out_known(&mut rules, name, pages, &earlier);
    let rules = rules.into_iter().filter(is_fit).take(config.max_likely_rules).collect();
    Some(LearnedSite {
        rules: SiteRules { site: name.to_owned(), rules: earlier.with(rules) },
        urls: list.len() as u64,
        candidates: likely.len() as u64,
        failed: list.failed,
        assets: list.assets,
        revision: Revision { left_out, ..Revision::default() },
        ..LearnedSite::default()
    })
}

/// Leave out likely rules that an earlier one says already, and those that do what a refused one does; how many of the latter there are.
fn leave_out_known(rules: &mut Vec<Rule>, name: &str, pages: &[Page], earlier: &Earlier) -> u64 {
    rules.retain(|rule| !earlier.says(rule));
    let parts = earlier.parts(false);
    let refused = parts.given().refused;
    if refused.is_empty() {
        return 0;
    }
    let actions: Vec<&Action> = rules.iter().map(|rule| &rule.action).collect();
    let mut is_refused = do_the_same(&Site::of_urls(name, pages), refused, &actions, 0.0).into_iter();
    let before = rules.len();
    rules.retain(|_| !is_refused.next().unwrap_or_default());
    (before - rules.len()) as u64
}

/// Let the learners propose rules several times, each time with another part of the site held out.
fn propose(site: &Site, learner: &dyn Learner, watch: &Watch) -> Vec<Proposal> {
    let held_out: Vec<u32> = if site.len() > LARGE_SITE_URLS {
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
