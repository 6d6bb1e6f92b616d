//! The experiment of KDD 2008 (section 5) on one site, for any learners. Half of the pages that have duplicates are to learn from, the
//! other half shows which rules hold; what rules spare is counted on both.
//!
//! Rules are learned from small clusters and from large ones, each by themselves: R1, R2 and their union R3 (Tables 1 and 3). The rules of
//! R3 are also applied class by class (Tables 4 and 5), and if they have at most so many false positives (Tables 6 and 7). A rule
//! that makes no URLs equal where it is judged has none. As in WSDM 2010, nobody says what becomes of rules that contradict
//! each other: here those with the fewest false positives come first, and rules may run in circles. How many of the URLs that are
//! gone were of another page than the one kept is not in the paper either.

#[cfg(test)]
mod tests;

use std::collections::HashSet;

use serde::Serialize;
use undust::page::Page;
use undust::rules::{Action, RuleClass, classify};

use super::MIN_URLS;
use super::halves::{Half, sizes, split};
use super::walk::{Removed, Walk, reduce};
use undust_learn::evaluate::share;
use undust_learn::learn::rewrite::{FilterKind, Rewrite};
use undust_learn::learn::{Candidate, Learner};
use undust_learn::proof::{Proof, proofs};
use undust_learn::site::{Sample, Site};

/// The false-positive rates that rules may have; the last takes every rule. The paper has no 0, but WSDM 2010 has it for this paper.
pub const MAX_FPRS: [f64; 5] = [0.0, 0.05, 0.1, 0.2, 1.0];
/// URLs from which on a cluster is large.
pub const LARGE_CLUSTER_URLS: u32 = 10;

/// How the experiment is done.
#[derive(Clone, Copy, Debug)]
pub struct Experiment {
    /// Deals clusters into the two halves.
    pub seed: u64,
    /// Where the false positives of a rule are counted.
    pub judged_on: Half,
    /// Keep pages with a single URL in the half that is not learned from. The paper has none.
    pub singletons: bool,
}

impl Default for Experiment {
    fn default() -> Experiment {
        Experiment { seed: 0, judged_on: Half::Test, singletons: false }
    }
}

/// A learner under the name that it has in the report.
pub struct Method {
    /// What it is called.
    pub name: String,
    /// Proposes rules.
    pub learner: Box<dyn Learner>,
}

impl Method {
    /// A learner under its own name.
    pub fn new(learner: Box<dyn Learner>) -> Method {
        Method { name: learner.name().to_owned(), learner }
    }
}

/// What the paper compares: `rewrite` of two fan-outs.
pub fn methods_of_the_paper() -> Vec<Method> {
    let fan_out = |n| Method {
        name: format!("fan-out {n}"),
        learner: Box::new(Rewrite { filter: FilterKind::FanOut(n), ..Rewrite::default() }),
    };
    vec![fan_out(10), fan_out(30)]
}

/// What came of it on one site.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SiteReport {
    /// The site.
    pub site: String,
    /// Distinct labelled URLs, before those of a page by themselves are left out.
    pub urls: u64,
    /// What rules are learned from (Table 2).
    pub train: Part,
    /// What they have not seen.
    pub test: Part,
    /// By learner.
    pub methods: Vec<MethodReport>,
}

/// A half in numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Part {
    /// URLs.
    pub urls: u64,
    /// Duplicate clusters.
    pub clusters: u64,
}

/// What the rules of one learner do.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MethodReport {
    /// The learner.
    pub method: String,
    /// Sets of its rules, in the order of [`Which::all`].
    pub sets: Vec<SetReport>,
}

/// A set of rules, and what it does.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SetReport {
    /// Which rules are in it.
    #[serde(flatten)]
    pub which: Which,
    /// How many they are.
    pub rules: u64,
    /// How many of each class.
    pub classes: Classes,
    /// What they spare, for each [`On`] and each of [`Sizes`].
    pub reductions: Vec<Reduction>,
}

/// Which of a learner's rules are in a set.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Which {
    /// Those learned from clusters of these sizes: R1, R2, and R3, which is both together.
    LearnedFrom(Sizes),
    /// Those of a class.
    Class(RuleClass),
    /// Those of at most this false-positive rate.
    MaxFpr(f64),
}

impl Which {
    /// All that are tried.
    pub fn all() -> impl Iterator<Item = Which> {
        let learned_from = Sizes::ALL.map(Which::LearnedFrom);
        let classes = [RuleClass::Dust, RuleClass::Irp, RuleClass::Regx].map(Which::Class);
        learned_from.into_iter().chain(classes).chain(MAX_FPRS.map(Which::MaxFpr))
    }
}

/// Clusters by their number of URLs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Sizes {
    /// Fewer than [`LARGE_CLUSTER_URLS`].
    Small,
    /// At least [`LARGE_CLUSTER_URLS`].
    Large,
    /// Any.
    All,
}

impl Sizes {
    /// Each of them.
    pub const ALL: [Sizes; 3] = [Sizes::Small, Sizes::Large, Sizes::All];

    fn include(self, is_large: bool) -> bool {
        match self {
            Sizes::Small => !is_large,
            Sizes::Large => is_large,
            Sizes::All => true,
        }
    }
}

/// What rules are applied to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum On {
    /// What they were learned from.
    Train,
    /// The other half.
    Test,
    /// All of it.
    Both,
}

impl On {
    /// Each of them.
    pub const ALL: [On; 3] = [On::Train, On::Test, On::Both];

    fn includes(self, half: Half) -> bool {
        match self {
            On::Train => half == Half::Train,
            On::Test => half == Half::Test,
            On::Both => true,
        }
    }
}

/// Rules by class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Classes {
    /// One substring becomes another.
    pub dust: u64,
    /// Components or parameters do not matter.
    pub irp: u64,
    /// All others.
    pub regx: u64,
}

/// What a set of rules spares.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Reduction {
    /// Where it is applied.
    pub on: On,
    /// The clusters whose URLs are looked at.
    pub sizes: Sizes,
    /// These URLs.
    pub urls: u64,
    /// URLs less than before, when those of one canonical form count as one.
    pub removed: u64,
    /// Of these, URLs of another page than the one kept.
    pub wrong: u64,
    /// URLs removed, of all: the paper's reduction ratio.
    pub ratio: f64,
    /// The mean of the sites' ratios, each site counting the same.
    pub mean_ratio: f64,
    /// Wrong URLs, of those removed.
    pub wrong_share: f64,
}

impl Experiment {
    /// Do the experiment on the pages of one site. Nothing if there are too few.
    pub fn run(&self, name: &str, pages: &[Page], methods: &[Method]) -> Option<SiteReport> {
        let site = Site::new(name, pages, self.seed);
        if site.len() < MIN_URLS {
            return None;
        }
        let (train, test) = split(&site, self.seed, self.singletons);
        let field = Field::new(&train, &test);
        let judged_on = match self.judged_on {
            Half::Train => &train,
            Half::Test => &test,
        };
        let method = |method: &Method| {
            let rules = Rule::learn(method.learner.as_ref(), &field, judged_on);
            let sets = Which::all().map(|which| field.set(&rules, which)).collect();
            MethodReport { method: method.name.clone(), sets }
        };
        Some(SiteReport {
            site: name.to_owned(),
            urls: site.len() as u64,
            train: Part::of(&train),
            test: Part::of(&test),
            methods: methods.iter().map(method).collect(),
        })
    }
}

impl Part {
    fn of(sample: &Sample) -> Part {
        let mut clusters: Vec<u32> = sample.rows.iter().map(|&row| sample.site.cluster(row)).collect();
        clusters.sort_unstable();
        clusters.dedup();
        Part { urls: sample.rows.len() as u64, clusters: clusters.len() as u64 }
    }
}

/// A rule, where it is from, and what it does by itself.
struct Rule {
    action: Action,
    from_small: bool,
    from_large: bool,
    class: RuleClass,
    proof: Proof,
}

impl Rule {
    /// What is learned from small and from large clusters; rules with the fewest false positives first, then those that make most URLs
    /// equal, then as proposed.
    fn learn(learner: &dyn Learner, field: &Field, judged_on: &Sample) -> Vec<Rule> {
        let [small, large] = [Sizes::Small, Sizes::Large].map(|sizes| learner.learn(&field.train(sizes)));
        let [from_small, from_large] = [&small, &large]
            .map(|found| found.iter().map(|candidate| candidate.action.clone()).collect::<HashSet<_>>());
        let more = large.into_iter().filter(|candidate| !from_small.contains(&candidate.action));
        let candidates: Vec<Candidate> = small.into_iter().chain(more).collect();
        let (proofs, _) = proofs(judged_on, &candidates);
        let rule = |(Candidate { action, .. }, proof)| {
            Some(Rule {
                from_small: from_small.contains(&action),
                from_large: from_large.contains(&action),
                class: classify(&action)?,
                action,
                proof,
            })
        };
        let mut rules: Vec<Rule> = candidates.into_iter().zip(proofs).filter_map(rule).collect();
        rules.sort_by(|a, b| a.fpr().total_cmp(&b.fpr()).then(b.proof.pairs.cmp(&a.proof.pairs)));
        rules
    }

    fn fpr(&self) -> f64 {
        share(self.proof.wrong_pairs, self.proof.pairs, 0.0)
    }

    fn is_in(&self, which: Which) -> bool {
        match which {
            Which::LearnedFrom(Sizes::Small) => self.from_small,
            Which::LearnedFrom(Sizes::Large) => self.from_large,
            Which::LearnedFrom(Sizes::All) => true,
            Which::Class(class) => self.class == class,
            Which::MaxFpr(max_fpr) => self.fpr() <= max_fpr,
        }
    }
}

/// The URLs of both halves, and where each of them belongs.
struct Field<'s> {
    sample: Sample<'s>,
    places: Vec<Place>,
}

struct Place {
    cluster: u32,
    half: Half,
    is_large: bool,
}

impl<'s> Field<'s> {
    fn new(train: &Sample<'s>, test: &Sample<'s>) -> Field<'s> {
        let site = train.site;
        let sizes = sizes(site);
        let place = |half| {
            let sizes = &sizes;
            move |&row: &u32| {
                let cluster = site.cluster(row);
                Place { cluster, half, is_large: sizes[cluster as usize] >= LARGE_CLUSTER_URLS }
            }
        };
        let of_train = train.rows.iter().map(place(Half::Train));
        let places = of_train.chain(test.rows.iter().map(place(Half::Test))).collect();
        let rows = train.rows.iter().chain(&test.rows).copied().collect();
        Field { sample: Sample { site, rows }, places }
    }

    /// What is learned from, as far as it is in clusters of these sizes.
    fn train(&self, sizes: Sizes) -> Sample<'s> {
        let is_wanted = |place: &Place| place.half == Half::Train && sizes.include(place.is_large);
        let rows = self.sample.rows.iter().zip(&self.places).filter(|(_, place)| is_wanted(place));
        Sample { site: self.sample.site, rows: rows.map(|(&row, _)| row).collect() }
    }

    /// Apply those of `rules` that are meant.
    fn set(&self, rules: &[Rule], which: Which) -> SetReport {
        let rules: Vec<&Rule> = rules.iter().filter(|rule| rule.is_in(which)).collect();
        let of_class = |class| rules.iter().filter(|rule| rule.class == class).count() as u64;
        let forms = Walk::new(rules.iter().map(|rule| &rule.action)).forms(u32::MAX, &self.sample);
        let reductions = On::ALL.into_iter().flat_map(|on| {
            let forms = &forms;
            Sizes::ALL.map(|sizes| self.reduction(forms, on, sizes))
        });
        SetReport {
            which,
            rules: rules.len() as u64,
            classes: Classes {
                dust: of_class(RuleClass::Dust),
                irp: of_class(RuleClass::Irp),
                regx: of_class(RuleClass::Regx),
            },
            reductions: reductions.collect(),
        }
    }

    fn reduction(&self, forms: &[u32], on: On, sizes: Sizes) -> Reduction {
        let is_meant = |place: &Place| on.includes(place.half) && sizes.include(place.is_large);
        let known = (0..).zip(forms).zip(&self.places).filter(|(_, place)| is_meant(place));
        let urls: Vec<(u32, u32, u32)> =
            known.map(|((key, &form), place)| (key, form, place.cluster)).collect();
        let count = urls.len() as u64;
        Reduction::new(on, sizes, count, reduce(urls.into_iter()))
    }
}

impl Reduction {
    fn new(on: On, sizes: Sizes, urls: u64, removed: Removed) -> Reduction {
        let Removed { urls: removed, wrong } = removed;
        let ratio = share(removed, urls, 0.0);
        let wrong_share = share(wrong, removed, 0.0);
        Reduction { on, sizes, urls, removed, wrong, ratio, mean_ratio: ratio, wrong_share }
    }

    /// The same on several sites.
    fn sum(sites: &[&Reduction]) -> Option<Reduction> {
        let first = sites.first()?;
        let sum = |of: fn(&Reduction) -> u64| sites.iter().map(|site| of(site)).sum();
        let removed = Removed { urls: sum(|site| site.removed), wrong: sum(|site| site.wrong) };
        // A site without such clusters has nothing to be reduced.
        let there = || sites.iter().filter(|site| site.urls > 0);
        let ratios = there().map(|site| site.ratio).sum::<f64>();
        let mean_ratio = ratios / there().count().max(1) as f64;
        Some(Reduction {
            mean_ratio,
            ..Reduction::new(first.on, first.sizes, sum(|site| site.urls), removed)
        })
    }
}

impl SetReport {
    /// What these rules spare there.
    pub fn reduction(&self, on: On, sizes: Sizes) -> Option<&Reduction> {
        self.reductions.iter().find(|reduction| reduction.on == on && reduction.sizes == sizes)
    }

    /// The same set on several sites.
    fn sum(sites: &[&SetReport]) -> Option<SetReport> {
        let first = sites.first()?;
        let sum = |of: fn(&SetReport) -> u64| sites.iter().map(|site| of(site)).sum();
        let reductions = (0..first.reductions.len()).filter_map(|at| {
            Reduction::sum(&sites.iter().filter_map(|site| site.reductions.get(at)).collect::<Vec<_>>())
        });
        Some(SetReport {
            which: first.which,
            rules: sum(|site| site.rules),
            classes: Classes {
                dust: sum(|site| site.classes.dust),
                irp: sum(|site| site.classes.irp),
                regx: sum(|site| site.classes.regx),
            },
            reductions: reductions.collect(),
        })
    }
}

/// All sites together, by learner. Every site must have been done in the same way.
pub fn total(sites: &[SiteReport]) -> Vec<MethodReport> {
    let of_method = |(at, first): (usize, &MethodReport)| {
        let reports: Vec<&MethodReport> = sites.iter().filter_map(|site| site.methods.get(at)).collect();
        let set = |i: usize| {
            SetReport::sum(&reports.iter().filter_map(|report| report.sets.get(i)).collect::<Vec<_>>())
        };
        MethodReport { method: first.method.clone(), sets: (0..first.sets.len()).filter_map(set).collect() }
    };
    let methods = sites.first().map_or(&[][..], |site| &site.methods);
    methods.iter().enumerate().map(of_method).collect()
}
