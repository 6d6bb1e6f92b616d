//! The experiment of WWW 2007 (section 6) on one site. Labels are hidden from the learner; they judge what it says.
//!
//! Likely rules are learned twice, with sizes and simhashes and from URLs alone, and the best of them are tried out against
//! the labels (Table 2, Fig. 5). Then rules are learned and validated on the first rows of the site, and applied to the others
//! (Tables 3 and 4, coverage). The paper fetched pages where we compare labels.
//!
//! Other learners need labels, and have seen those that judge their first rules; what they do to the other rows is on the same terms.

use serde::Serialize;
use undust::apply::{Canonicalizer, Form, Scratch};
use undust::page::Page;
use undust::rules::{Action, Rule, RuleSet, Validation};
use undust::url::SiteBy;

use super::{MIN_URLS, crawl, split_in_order};
use undust_learn::evaluate::Score;
use undust_learn::learn::Learner;
use undust_learn::learn::dustbuster::{Dustbuster, Settings, Similar};
use undust_learn::listing::Listing;
use undust_learn::site::{Sample, Site};
use undust_learn::validate::labels::LabelledPages;
use undust_learn::validate::{Trying, leave_out_unfit};

/// The default of [`Experiment::top`].
pub const TOP: usize = 1000;
/// The default of [`Experiment::train`].
pub const TRAIN: f64 = 0.75;

/// How the experiment is done.
#[derive(Clone, Copy, Debug)]
pub struct Experiment {
    /// Likely rules that are tried out, the likeliest first.
    pub top: usize,
    /// The share of a site's rows, its first ones, that canonization is learned from.
    pub train: f64,
    /// How hosts are grouped into sites.
    pub site_by: SiteBy,
    /// How rules are tried out.
    pub trying: Trying,
}

impl Default for Experiment {
    fn default() -> Experiment {
        Experiment { top: TOP, train: TRAIN, site_by: SiteBy::default(), trying: Trying::default() }
    }
}

/// Ranks rules by how likely they are.
pub enum Method {
    /// The paper's, which is shown no labels.
    Dustbuster,
    /// Another one, which is.
    Labelled(Box<dyn Learner>),
}

impl Method {
    /// How a learner takes part.
    pub fn new(learner: Box<dyn Learner>) -> Method {
        if learner.name() == Dustbuster::default().name() {
            Method::Dustbuster
        } else {
            Method::Labelled(learner)
        }
    }

    /// What it is called on the command line and in the report.
    pub fn name(&self) -> &'static str {
        match self {
            Method::Dustbuster => Dustbuster::default().name(),
            Method::Labelled(learner) => learner.name(),
        }
    }

    /// What it may know of pages, in turn; the first is what canonization is learned with.
    fn may_know(&self) -> &[Known] {
        match self {
            Method::Dustbuster => &[Known::Content, Known::Urls],
            Method::Labelled(_) => &[Known::Labels],
        }
    }

    fn likely(&self, site: &str, pages: &[Page], known: Known) -> Likely {
        match self {
            Method::Dustbuster => Likely::without_labels(pages, known),
            Method::Labelled(learner) => Likely::with_labels(site, pages, learner.as_ref()),
        }
    }
}

/// What a learner knows of pages beside their URLs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Known {
    /// Sizes and simhashes: what a server log or a crawl knows, without knowing which pages are equal.
    Content,
    /// Nothing.
    Urls,
    /// Which pages are equal.
    Labels,
}

/// What came of it on one site.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SiteReport {
    /// The site.
    pub site: String,
    /// Distinct URLs that rules are learned from.
    pub urls: u64,
    /// By learner.
    pub methods: Vec<MethodReport>,
}

/// What the rules of one learner are worth.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MethodReport {
    /// The learner.
    pub method: String,
    /// Its likely rules, for each thing that it may know.
    pub rankings: Vec<Ranking>,
    /// What the rules do to URLs that they were not learned from.
    pub canonization: Canonization,
}

/// A list of likely rules, and how good its best ones are.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Ranking {
    /// What was known when it was made.
    pub known: Known,
    /// Substring rules that phase 1 of `dustbuster` detected.
    pub detected: Option<u64>,
    /// Those that phase 2 left.
    pub remaining: Option<u64>,
    /// Likely rules, parameter substitutions included.
    pub likely: u64,
    /// The share of valid rules among the first 10, or among those there are. Nothing where there are none.
    pub precision_at_10: Option<f64>,
    /// The same among the first 100.
    pub precision_at_100: Option<f64>,
    /// The rules tried out, the likeliest first.
    pub rules: Vec<Judged>,
}

/// A likely rule that was tried out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Judged {
    /// What is replaced.
    pub from: String,
    /// What it becomes.
    pub to: String,
    /// Pairs of URLs that support it.
    pub support: u64,
    /// Whether it is valid in at least one direction.
    pub valid: bool,
}

/// Rules applied to URLs that nobody learned from.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Canonization {
    /// Rows that rules were learned from and validated on.
    pub train: u64,
    /// Rows that they were applied to.
    pub test: u64,
    /// Likely rules that were tried out.
    pub tried: u64,
    /// Valid rules that are fit to be used together.
    pub valid: u64,
    /// What they do: compression is the paper's discovered redundancy.
    pub score: Score,
}

impl Experiment {
    /// Do the experiment on the pages of one site, in the order in which they were read. Nothing if there are too few.
    pub fn run(&self, site: &str, pages: &[Page], methods: &[Method]) -> Option<SiteReport> {
        let labelled = LabelledPages::new(site, self.site_by, pages);
        if labelled.len() < MIN_URLS {
            return None;
        }
        let method = |method: &Method| {
            let ranking =
                |&known: &Known| self.ranking(method, known, &method.likely(site, pages, known), &labelled);
            MethodReport {
                method: method.name().to_owned(),
                rankings: method.may_know().iter().map(ranking).collect(),
                canonization: self.canonization(site, pages, method),
            }
        };
        Some(SiteReport {
            site: site.to_owned(),
            urls: Listing::new(pages, false).len() as u64,
            methods: methods.iter().map(method).collect(),
        })
    }

    fn ranking(&self, method: &Method, known: Known, likely: &Likely, pages: &LabelledPages) -> Ranking {
        let first = &likely.rules[..likely.rules.len().min(self.top)];
        let rules: Vec<Rule> = first.iter().map(|(action, _)| open(action.clone(), method)).collect();
        let valid = pages.valid_either_way(&rules, &self.trying);
        let judged = first.iter().zip(&valid).map(|((action, support), &valid)| {
            let (from, to) = action.sides();
            Judged { from, to, support: *support, valid }
        });
        Ranking {
            known,
            detected: likely.detected,
            remaining: likely.remaining,
            likely: likely.rules.len() as u64,
            precision_at_10: precision_at(&valid, 10),
            precision_at_100: precision_at(&valid, 100),
            rules: judged.collect(),
        }
    }

    fn canonization(&self, site: &str, pages: &[Page], method: &Method) -> Canonization {
        let (train, test) = split_in_order(pages, self.train);
        let likely = method.likely(site, train, method.may_know()[0]);
        let first = likely.rules.into_iter().take(self.top);
        let mut rules: Vec<Rule> = first.map(|(action, _)| open(action, method)).collect();
        let tried = rules.len() as u64;
        LabelledPages::new(site, self.site_by, train).validate(&mut rules, &self.trying);
        rules.retain(Rule::is_active);
        leave_out_unfit(&mut rules, site, self.site_by);
        Canonization {
            train: train.len() as u64,
            test: test.len() as u64,
            tried,
            valid: rules.len() as u64,
            score: self.score(site, rules, test),
        }
    }

    fn score(&self, site: &str, rules: Vec<Rule>, pages: &[Page]) -> Score {
        let count = rules.len() as u64;
        let engine = Canonicalizer::of_rules(&RuleSet::of_site(site, self.site_by, rules), Form::Key);
        let mut scratch = Scratch::new();
        crawl(site, pages, count, |url, key| {
            engine.canonicalize_into(url, &mut scratch, key);
            false
        })
    }
}

/// What tells pages apart, but not labels, nor digests, which are labels where there are no others.
const CONTENT: Similar = Similar { cluster: false, digest: false, ..Similar::ALL };

/// Rules and their support, the likeliest first.
struct Likely {
    rules: Vec<(Action, u64)>,
    detected: Option<u64>,
    remaining: Option<u64>,
}

impl Likely {
    fn without_labels(pages: &[Page], known: Known) -> Likely {
        let similar = if known == Known::Content { CONTENT } else { Similar::NONE };
        let learner = Dustbuster { settings: Settings { similar, ..Settings::default() } };
        let likely = learner.likely(&Listing::new(pages, false));
        Likely {
            rules: likely.rules.into_iter().map(|rule| (rule.action, rule.support)).collect(),
            detected: Some(likely.detected as u64),
            remaining: Some(likely.remaining as u64),
        }
    }

    fn with_labels(site: &str, pages: &[Page], learner: &dyn Learner) -> Likely {
        let site = Site::new(site, pages, 0);
        let rows = (0..site.len() as u32).collect();
        let mut candidates = learner.learn(&Sample { site: &site, rows });
        candidates.sort_by_key(|candidate| std::cmp::Reverse(candidate.support));
        let rules = candidates.into_iter().map(|candidate| (candidate.action, candidate.support)).collect();
        Likely { rules, detected: None, remaining: None }
    }
}

/// A rule that needs trying out.
fn open(action: Action, method: &Method) -> Rule {
    Rule { learner: Some(method.name().into()), validation: Some(Validation::default()), ..Rule::new(action) }
}

impl Ranking {
    /// Precision@k for every k from 1 on.
    pub fn precisions(&self) -> Vec<f64> {
        let valid: Vec<bool> = self.rules.iter().map(|rule| rule.valid).collect();
        (1..=valid.len()).filter_map(|k| precision_at(&valid, k)).collect()
    }
}

/// The share of valid rules among the first `k`, or among those there are; nothing where there are none.
pub fn precision_at(valid: &[bool], k: usize) -> Option<f64> {
    let first = &valid[..k.min(valid.len())];
    let right = first.iter().filter(|valid| **valid).count();
    (!first.is_empty()).then(|| right as f64 / first.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixed::Fixed;

    fn run(experiment: Experiment, method: Method) -> SiteReport {
        experiment.run("a.com", &shop(), &[method]).expect("enough URLs")
    }

    /// A shop of 60 items, each with a print view and one of three skins. Print views are the page, as are skins; the
    /// item of the next year looks like one, and is as large, but is another page.
    fn shop() -> Vec<Page> {
        let mut pages = Vec::new();
        for item in 0..60 {
            let mut add = |url: String, label: String, size| {
                pages.push(Page { cluster: Some(label), size: Some(size), ..Page::new(url) });
            };
            let size = 1000 + 100 * item;
            add(format!("http://a.com/item/{item}"), format!("i{item}"), size);
            add(format!("http://a.com/print/{item}"), format!("i{item}"), size);
            add(format!("http://a.com/item/{item}?skin={}", item % 3), format!("i{item}"), size);
            add(format!("http://a.com/old/{item}"), format!("o{item}"), 7 * size);
        }
        pages
    }

    #[test]
    fn of_the_first_or_of_all_there_are() {
        let valid = [true, false, true, true];
        assert_eq!(precision_at(&valid, 1), Some(1.0));
        assert_eq!(precision_at(&valid, 2), Some(0.5));
        assert_eq!(precision_at(&valid, 4), Some(0.75));
        assert_eq!(precision_at(&valid, 100), Some(0.75));
        assert_eq!(precision_at(&[], 10), None);
    }

    #[test]
    fn sizes_tell_pages_apart() {
        let report = run(Experiment::default(), Method::Dustbuster);
        assert_eq!(report.urls, 240);
        let [with, without] = &report.methods[0].rankings[..] else { panic!("with and without a filter") };
        assert_eq!((with.known, without.known), (Known::Content, Known::Urls));
        assert_eq!(with.precision_at_10, Some(1.0), "{with:#?}");
        assert!(without.precision_at_10 < Some(1.0), "{without:#?}");
        assert!(with.remaining <= with.detected && with.detected < without.detected);
        assert_eq!(with.precisions().last().copied(), with.precision_at_100);
        let Canonization { train, test, valid, score, .. } = &report.methods[0].canonization;
        assert_eq!((*train, *test), (180, 60));
        assert!(*valid > 0);
        assert_eq!((score.urls, score.clusters, score.crawled, score.covered), (60, 30, 30, 30));
    }

    #[test]
    fn few_rules_are_tried() {
        let report = run(Experiment { top: 2, ..Experiment::default() }, Method::Dustbuster);
        let MethodReport { rankings, canonization, .. } = &report.methods[0];
        assert_eq!((rankings[1].rules.len(), canonization.tried), (2, 2));
        assert!(rankings[1].likely > 2);
    }

    #[test]
    fn a_learner_that_needs_labels() {
        let rules = [
            ("http://a.com/print/{x}", "http://a.com/item/{x}"),
            ("http://a.com/old/{x}", "http://a.com/item/{x}"),
        ];
        let report = run(Experiment::default(), Method::new(Box::new(Fixed(rules.to_vec()))));
        let MethodReport { method, rankings, canonization } = &report.methods[0];
        assert_eq!((method.as_str(), rankings.len()), ("fixed", 1));
        let ranking = &rankings[0];
        assert_eq!((ranking.known, ranking.detected, ranking.likely), (Known::Labels, None, 2));
        assert_eq!(ranking.rules.iter().map(|rule| rule.valid).collect::<Vec<_>>(), [true, false]);
        // Of the last 15 items, of four URLs and two pages each, the print view is spared.
        assert_eq!((canonization.tried, canonization.valid), (2, 1));
        let score = &canonization.score;
        assert_eq!((score.urls, score.clusters, score.crawled, score.covered), (60, 30, 45, 30));
    }

    #[test]
    fn the_papers_own_is_never_shown_labels() {
        assert!(matches!(Method::new(Box::new(Dustbuster::default())), Method::Dustbuster));
    }

    #[test]
    fn a_small_site_says_nothing() {
        assert_eq!(Experiment::default().run("a.com", &shop()[..99], &[]), None);
    }
}
