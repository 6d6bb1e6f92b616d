//! The registry of learners: name, paper and settings of each. The command line, Python, the experiments and the documents are made from it.

use crate::learn::Learner;
use crate::learn::decision_tree::DecisionTree;
use crate::learn::dustbuster::Dustbuster;
use crate::learn::heuristics::Heuristics;
use crate::learn::pattern_tree::PatternTree;
use crate::learn::pool::Pool;
use crate::learn::rewrite::Rewrite;
use crate::learn::seq2seq::{NetworkSettings, Templates};
use crate::learn::statements::Statements;
use crate::settings::{OptionError, Setting, SettingInfo, SettingValues, infos, number, parsed, share};

/// A learner as the registry knows it.
#[derive(Debug)]
#[non_exhaustive]
pub struct LearnerInfo {
    /// The name on the command line, in Python and in rule files.
    pub name: &'static str,
    /// What it is, in one line.
    pub about: &'static str,
    /// The paper that describes it: title, conference and year.
    pub paper: Option<&'static str>,
    /// Whether it learns from labelled pages alone.
    pub needs_labels: bool,
    /// Whether it trains a model beside the rules.
    pub trains_model: bool,
    /// Whether it can be asked for by name; else it only is a member of `auto`.
    pub is_method: bool,
    settings: fn() -> Vec<SettingInfo>,
    build: Build,
}

/// Makes a learner of its settings and the seed of its samples.
type Build = fn(&SettingValues, u64) -> Result<Box<dyn Learner>, OptionError>;

impl LearnerInfo {
    /// Its settings, with their defaults.
    pub fn settings(&self) -> Vec<SettingInfo> {
        (self.settings)()
    }

    /// The learner with these settings; `seed` is that of its samples.
    pub(crate) fn build(&self, values: &SettingValues, seed: u64) -> Result<Box<dyn Learner>, OptionError> {
        (self.build)(values, seed)
    }

    /// The learner with its default settings.
    ///
    /// # Panics
    ///
    /// Never: defaults are valid.
    pub fn learner(&self) -> Box<dyn Learner> {
        self.build(&SettingValues::default(), 0).expect("defaults are valid")
    }
}

/// The name of the method that asks all learners.
pub const AUTO: &str = "auto";

/// Every learner. Members of `auto` propose in this order.
pub static LEARNERS: [LearnerInfo; 8] = [
    LearnerInfo {
        name: AUTO,
        about: "All learners together, and rules that no paper has",
        paper: None,
        needs_labels: false,
        trains_model: false,
        is_method: true,
        settings: Vec::new,
        build: |values, seed| {
            values.apply::<()>(AUTO, &[], &mut ())?;
            Ok(Box::new(Pool::new(auto_members(values, seed)?)))
        },
    },
    LearnerInfo {
        name: "dustbuster",
        about: "Needs no labels",
        paper: Some("Do Not Crawl in the DUST, WWW 2007"),
        needs_labels: false,
        trains_model: false,
        is_method: true,
        settings: || infos("dustbuster", DUSTBUSTER, &Dustbuster::default()),
        build: |values, _| {
            let mut learner = Dustbuster::default();
            values.apply("dustbuster", DUSTBUSTER, &mut learner)?;
            learner.settings.t_high = learner.settings.t_high.max(learner.settings.t_low);
            Ok(Box::new(learner))
        },
    },
    LearnerInfo {
        name: "rewrite",
        about: "Pairs of duplicates, generalized key by key",
        paper: Some("De-duping URLs via Rewrite Rules, KDD 2008"),
        needs_labels: true,
        trains_model: false,
        is_method: true,
        settings: || infos("rewrite", REWRITE, &Rewrite::default()),
        build: |values, seed| {
            let mut learner = Rewrite { seed, ..Rewrite::default() };
            values.apply("rewrite", REWRITE, &mut learner)?;
            Ok(Box::new(learner))
        },
    },
    LearnerInfo {
        name: "decision-tree",
        about: "Which keys of a URL decide its page",
        paper: Some("Learning URL Patterns for Webpage De-duplication, WSDM 2010"),
        needs_labels: true,
        trains_model: false,
        is_method: true,
        settings: || infos("decision-tree", DECISION_TREE, &DecisionTree::default()),
        build: |values, seed| {
            let mut learner = DecisionTree { seed, ..DecisionTree::default() };
            values.apply("decision-tree", DECISION_TREE, &mut learner)?;
            Ok(Box::new(learner))
        },
    },
    LearnerInfo {
        name: "pattern-tree",
        about: "Patterns of a site's URLs, as a tree",
        paper: Some("A Pattern Tree-based Approach to Learning URL Normalization Rules, WWW 2010"),
        needs_labels: true,
        trains_model: false,
        is_method: true,
        settings: || infos("pattern-tree", PATTERN_TREE, &PatternTree::default()),
        build: |values, _| {
            let mut learner = PatternTree { both_ways: false, ..PatternTree::default() };
            values.apply("pattern-tree", PATTERN_TREE, &mut learner)?;
            Ok(Box::new(learner))
        },
    },
    LearnerInfo {
        name: "seq2seq",
        about: "Rules, and a model next to them",
        paper: Some("De-duping URLs with Sequence-to-Sequence Neural Networks, SIGIR 2017"),
        needs_labels: true,
        trains_model: true,
        is_method: true,
        settings: || infos("seq2seq", NetworkSettings::TABLE, &NetworkSettings::default()),
        build: |values, _| {
            let NetworkSettings { paper, .. } = network_settings(values)?;
            Ok(Box::new(Templates { paper }))
        },
    },
    LearnerInfo {
        name: crate::statements::NAME,
        about: "Which fields of a URL decide its page, as widely as that can be said",
        paper: None,
        needs_labels: true,
        trains_model: false,
        is_method: true,
        settings: Vec::new,
        build: |values, _| {
            values.apply::<()>(crate::statements::NAME, &[], &mut ())?;
            Ok(Box::new(Statements))
        },
    },
    LearnerInfo {
        name: "usual",
        about: "Normalizations that a person would try first",
        paper: None,
        needs_labels: true,
        trains_model: false,
        is_method: false,
        settings: Vec::new,
        build: |values, _| {
            values.apply::<()>("usual", &[], &mut ())?;
            Ok(Box::new(Heuristics))
        },
    },
];

/// The learner that can be asked for by this name.
///
/// ```
/// assert_eq!(undust_learn::registry::method("rewrite")?.paper, Some("De-duping URLs via Rewrite Rules, KDD 2008"));
/// assert!(undust_learn::registry::method("magic").is_err());
/// # Ok::<(), undust_learn::OptionError>(())
/// ```
///
/// # Errors
///
/// [`OptionError::UnknownLearner`].
pub fn method(name: &str) -> Result<&'static LearnerInfo, OptionError> {
    methods().find(|info| info.name == name).ok_or_else(|| {
        let known: Vec<&str> = methods().map(|info| info.name).collect();
        OptionError::UnknownLearner { name: name.to_owned(), known: known.join(", ") }
    })
}

/// The learners that can be asked for by name.
pub fn methods() -> impl Iterator<Item = &'static LearnerInfo> {
    LEARNERS.iter().filter(|info| info.is_method)
}

/// The members of `auto`.
pub fn members() -> impl Iterator<Item = &'static LearnerInfo> {
    LEARNERS.iter().filter(|info| info.name != AUTO && info.name != crate::statements::NAME)
}

fn auto_members(values: &SettingValues, seed: u64) -> Result<Vec<Box<dyn Learner>>, OptionError> {
    members().map(|info| info.build(values, seed)).collect()
}

/// The settings of the network of `seq2seq`.
pub(crate) fn network_settings(values: &SettingValues) -> Result<NetworkSettings, OptionError> {
    let mut settings = NetworkSettings::default();
    values.apply("seq2seq", NetworkSettings::TABLE, &mut settings)?;
    Ok(settings)
}

const DUSTBUSTER: &[Setting<Dustbuster>] = &[
    Setting {
        key: "min-support",
        value: "N",
        help: "Supporting pairs that a rule needs [paper: MS]",
        get: |l| l.settings.min_support.to_string(),
        set: |l, text| number(&mut l.settings.min_support, text),
    },
    Setting {
        key: "similar-by",
        value: "KINDS",
        help: "Evidence that two pages are unlike: all, none, or some of cluster,digest,simhash,size",
        get: |l| l.settings.similar.to_string(),
        set: |l, text| {
            let size_slack = l.settings.similar.size_slack;
            parsed(&mut l.settings.similar, text)?;
            l.settings.similar.size_slack = size_slack;
            Ok(())
        },
    },
    Setting {
        key: "size-slack",
        value: "SHARE",
        help: "Difference of two ranges of sizes that still are alike, as a share of the greater size; the paper's is 0",
        get: |l| l.settings.similar.size_slack.to_string(),
        set: |l, text| share(&mut l.settings.similar.size_slack, text),
    },
    Setting {
        key: "min-similar",
        value: "SHARE",
        help: "Share of a rule's pairs of URLs that must be alike; the paper's is 0",
        get: |l| l.settings.min_similar.to_string(),
        set: |l, text| share(&mut l.settings.min_similar, text),
    },
    Setting {
        key: "max-unlike",
        value: "SHARE",
        help: "Share of a parameter's pairs of URLs that may be unlike",
        get: |l| l.settings.max_unlike.to_string(),
        set: |l, text| share(&mut l.settings.max_unlike, text),
    },
    Setting {
        key: "max-tokens",
        value: "N",
        help: "Longest substring, in tokens, up to 255 [paper: S]",
        get: |l| l.settings.max_tokens.to_string(),
        set: |l, text| {
            let mut tokens: u8 = 0;
            number(&mut tokens, text)?;
            l.settings.max_tokens = usize::from(tokens);
            Ok(())
        },
    },
    Setting {
        key: "t-low",
        value: "N",
        help: "Largest bucket that ranks rules [paper: T_low]",
        get: |l| l.settings.t_low.to_string(),
        set: |l, text| number(&mut l.settings.t_low, text),
    },
    Setting {
        key: "t-high",
        value: "N",
        help: "Largest bucket that shows redundant rules [paper: T_high]",
        get: |l| l.settings.t_high.to_string(),
        set: |l, text| number(&mut l.settings.t_high, text),
    },
    Setting {
        key: "max-relative-deficiency",
        value: "SHARE",
        help: "Share of its support by which a redundant rule may differ [paper: MRD]",
        get: |l| l.settings.max_relative.to_string(),
        set: |l, text| share(&mut l.settings.max_relative, text),
    },
    Setting {
        key: "max-absolute-deficiency",
        value: "N",
        help: "Number of pairs by which a redundant rule may differ [paper: MAD]",
        get: |l| l.settings.max_absolute.to_string(),
        set: |l, text| number(&mut l.settings.max_absolute, text),
    },
    Setting {
        key: "max-window",
        value: "N",
        help: "Rules further down the list that one is compared with [paper: MW]",
        get: |l| l.settings.window.to_string(),
        set: |l, text| number(&mut l.settings.window, text),
    },
];

const REWRITE: &[Setting<Rewrite>] = &[
    Setting {
        key: "min-support",
        value: "N",
        help: "A rule needs more supporting pairs than this [paper: minS]",
        get: |l| l.min_support.to_string(),
        set: |l, text| number(&mut l.min_support, text),
    },
    Setting {
        key: "filter",
        value: "FILTER",
        help: "When rules that differ in one key become one: fan-out:N, entropy:SHARE, efpr:RATE or ideal:RATE",
        get: |l| l.filter.to_string(),
        set: |l, text| parsed(&mut l.filter, text),
    },
];

const DECISION_TREE: &[Setting<DecisionTree>] = &[
    Setting {
        key: "min-support",
        value: "N",
        help: "Pairs that a transformation needs",
        get: |l| l.min_support.to_string(),
        set: |l, text| number(&mut l.min_support, text),
    },
    Setting {
        key: "targets",
        value: "N",
        help: "URLs of a page that the others are led to, the shortest and most important ones",
        get: |l| l.targets.to_string(),
        set: |l, text| number(&mut l.targets, text),
    },
    Setting {
        key: "min-coverage",
        value: "N",
        help: "URLs that a rule must change to be proposed",
        get: |l| l.min_coverage.to_string(),
        set: |l, text| number(&mut l.min_coverage, text),
    },
    Setting {
        key: "min-precision",
        value: "SHARE",
        help: "Share of the URLs that a rule makes equal to others that must be right for it to be proposed",
        get: |l| l.min_precision.to_string(),
        set: |l, text| share(&mut l.min_precision, text),
    },
];

const PATTERN_TREE: &[Setting<PatternTree>] = &[
    Setting {
        key: "min-support",
        value: "N",
        help: "Pages that two patterns must have in common",
        get: |l| l.min_support.to_string(),
        set: |l, text| number(&mut l.min_support, text),
    },
    Setting {
        key: "min-overlap",
        value: "SHARE",
        help: "Share of duplicates that two patterns must have in common, or one in itself [paper: o_min, 0.5]",
        get: |l| l.min_overlap.to_string(),
        set: |l, text| share(&mut l.min_overlap, text),
    },
    Setting {
        key: "min-common",
        value: "SHARE",
        help: "A value is copied from another place if it is the same on a greater share of pages [paper: σ_min]",
        get: |l| l.min_common.to_string(),
        set: |l, text| share(&mut l.min_common, text),
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn learners_are_called_as_the_registry_calls_them() {
        for info in &LEARNERS {
            assert_eq!(info.learner().name(), info.name);
            assert!(info.settings().iter().all(|setting| setting.group == info.name));
        }
    }

    #[test]
    fn every_setting_takes_its_own_default() {
        for info in &LEARNERS {
            for SettingInfo { group, key, default, .. } in info.settings() {
                let mut values = SettingValues::default();
                values.insert(&format!("{group}.{key}"), &default).unwrap();
                assert!(info.build(&values, 0).is_ok(), "{group}.{key} = {default}");
            }
        }
    }
}
