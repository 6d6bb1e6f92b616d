//! The options of learning, as a builder.

use std::sync::Arc;

use undust::rules::RuleSet;
use undust::url::SiteBy;
use undust_content::cluster;

use crate::learn::seq2seq::NetworkSettings;
use crate::pipeline::{Config, ModelTrainer, Pipeline};
use crate::registry::{self, AUTO, LearnerInfo};
use crate::settings::{
    OptionError, Setting, SettingInfo, SettingValues, ValueError, boolean, infos, number, parsed, share,
};

/// Makes the trainer of a method that trains a model: from the settings of its network, and the seed.
pub type TrainerFactory = fn(NetworkSettings, u64) -> Box<dyn ModelTrainer>;

/// Options of learning; [`build`](LearnOptions::build) makes a [`Pipeline`] of them.
///
/// ```
/// use undust_learn::LearnOptions;
///
/// let pipeline = LearnOptions::new().method("dustbuster").set("dustbuster.t-low", "5").max_fpr(0.02).build()?;
/// assert_eq!(pipeline.method(), "dustbuster");
///
/// let foreign = LearnOptions::new().method("rewrite").set("dustbuster.t-low", "5").build();
/// assert!(foreign.is_err());
/// # Ok::<(), undust_learn::OptionError>(())
/// ```
#[derive(Clone, Debug)]
pub struct LearnOptions {
    method: String,
    settings: Vec<(String, String)>,
    config: Config,
    max_urls: usize,
    trainer: Option<TrainerFactory>,
}

/// The default of [`LearnOptions::max_urls`]. More URLs of one site tell little that is new; this number takes a minute or two, and up to a gigabyte.
pub const MAX_URLS: usize = 200_000;

/// The group of settings that say when two pages with content are the same.
const CLUSTER: &str = "cluster";

/// The group of settings of the pipeline itself.
const LEARN: &str = "learn";

impl Default for LearnOptions {
    fn default() -> LearnOptions {
        LearnOptions {
            method: AUTO.to_owned(),
            settings: Vec::new(),
            config: Config { skips: true, ..Config::default() },
            max_urls: MAX_URLS,
            trainer: None,
        }
    }
}

impl LearnOptions {
    /// The defaults: method `auto`.
    pub fn new() -> LearnOptions {
        LearnOptions::default()
    }

    /// The learner, by its name in the [`registry`].
    #[must_use]
    pub fn method(mut self, name: &str) -> LearnOptions {
        name.clone_into(&mut self.method);
        self
    }

    /// A setting of a learner or of clustering: `set("rewrite.filter", "entropy:80%")`. Names and values are checked by [`build`](LearnOptions::build).
    #[must_use]
    pub fn set(mut self, name: &str, value: &str) -> LearnOptions {
        self.settings.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Upper confidence bound (95 %, on held-out URLs) of the share of false positives of a site's rules together; default 0.01.
    #[must_use]
    pub fn max_fpr(mut self, share: f64) -> LearnOptions {
        self.config.max_fpr = share;
        self
    }

    /// The most URLs of a site that are learned from; of more, a sample is.
    #[must_use]
    pub fn max_urls(mut self, urls: usize) -> LearnOptions {
        self.max_urls = urls;
        self
    }

    /// Seed of folds and samples; default 0.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> LearnOptions {
        self.config.seed = seed;
        self
    }

    /// How hosts are grouped into sites; by registrable domain unless said otherwise.
    #[must_use]
    pub fn site_by(mut self, site_by: SiteBy) -> LearnOptions {
        self.config.site_by = site_by;
        self
    }

    /// Whether `auto` also learns skips: shapes of URLs that never lead to anything new. It does by default.
    #[must_use]
    pub fn skips(mut self, skips: bool) -> LearnOptions {
        self.config.skips = skips;
        self
    }

    /// Whether rules are not judged by labels, only listed as likely.
    #[must_use]
    pub fn likely(mut self, likely: bool) -> LearnOptions {
        self.config.likely = likely;
        self
    }

    /// Rules that were learned, written or reviewed before: decisions on them stay.
    #[must_use]
    pub fn earlier(mut self, rules: Option<RuleSet>) -> LearnOptions {
        self.config.earlier = rules.map(Arc::new);
        self
    }

    /// The trainer for methods that train a model, which is `undust_neural::trainer`.
    #[must_use]
    pub fn trainer(mut self, trainer: TrainerFactory) -> LearnOptions {
        self.trainer = Some(trainer);
        self
    }

    /// The pipeline with these options.
    ///
    /// # Errors
    ///
    /// [`OptionError`]: an unknown method, an unknown setting or one of a learner that is not asked, a bad value, a missing trainer.
    pub fn build(self) -> Result<Pipeline, OptionError> {
        let method = registry::method(&self.method)?;
        let mut values = SettingValues::default();
        for (name, value) in &self.settings {
            values.insert(name, value)?;
        }
        check_groups(method, &values)?;
        if !(0.0..=1.0).contains(&self.config.max_fpr) {
            return Err(OptionError::MaxFpr(self.config.max_fpr.to_string()));
        }
        if self.config.likely && method.needs_labels {
            return Err(OptionError::NeedsLabels(method.name));
        }
        check_sites(&self.config)?;
        let mut clustering = cluster::Options::default();
        values.apply(CLUSTER, CLUSTERING, &mut clustering)?;
        let mut config = self.config;
        values.apply(LEARN, LEARNING, &mut config)?;
        let seed = config.seed;
        let learner = method.build(&values, seed)?;
        let trainer = if method.trains_model {
            let factory = self.trainer.ok_or(OptionError::NoTrainer(method.name))?;
            Some(factory(registry::network_settings(&values)?, seed))
        } else {
            None
        };
        // Skips are what `auto` adds: a paper's learner says what the paper says.
        config.skips &= method.name == AUTO;
        Ok(Pipeline { method, learner, trainer, config, clustering, max_urls: self.max_urls })
    }
}

/// Fails on settings of learners that are unknown or not asked.
fn check_groups(method: &'static LearnerInfo, values: &SettingValues) -> Result<(), OptionError> {
    for group in values.groups().filter(|group| ![CLUSTER, LEARN, method.name].contains(group)) {
        if registry::LEARNERS.iter().all(|info| info.name != group) {
            let learners = registry::members().map(|info| info.name);
            let known: Vec<&str> = [LEARN, CLUSTER].into_iter().chain(learners).collect();
            return Err(OptionError::UnknownGroup { group: group.to_owned(), known: known.join(", ") });
        }
        // `auto` reads templates as `seq2seq` does, and trains no network.
        let is_foreign = |key: &&str| method.name != AUTO || (group == "seq2seq" && *key != "paper");
        if let Some(key) = values.keys(group).find(is_foreign) {
            let (group, key) = (group.to_owned(), key.to_owned());
            return Err(OptionError::ForeignSetting { group, key, method: method.name });
        }
    }
    Ok(())
}

/// Fails where earlier rules mean something else by a site.
fn check_sites(config: &Config) -> Result<(), OptionError> {
    let (asked, earlier) = (config.site_by, config.earlier.as_ref().map(|rules| rules.site_by));
    match earlier.filter(|earlier| *earlier != asked) {
        Some(earlier) => Err(OptionError::SiteBy { earlier: earlier.name(), asked: asked.name() }),
        None => Ok(()),
    }
}

/// Every setting that [`LearnOptions::set`] takes, with its default: those of the pipeline, of clustering, then of each learner.
///
/// ```
/// let filter = undust_learn::settings().into_iter().find(|setting| setting.key == "filter").unwrap();
/// assert_eq!((filter.group, filter.default.as_str()), ("rewrite", "fan-out:5"));
/// ```
pub fn settings() -> Vec<SettingInfo> {
    let mut all = infos(LEARN, LEARNING, &Config::default());
    all.extend(infos(CLUSTER, CLUSTERING, &cluster::Options::default()));
    all.extend(registry::LEARNERS.iter().flat_map(LearnerInfo::settings));
    all
}

const LEARNING: &[Setting<Config>] = &[
    Setting {
        key: "min-trials",
        value: "N",
        help: "Held-out URLs that a rule must save to be kept",
        get: |c| c.min_trials.to_string(),
        set: |c, text| number(&mut c.min_trials, text),
    },
    Setting {
        key: "max-likely-rules",
        value: "N",
        help: "Likely rules that are listed for a site, the most",
        get: |c| c.max_likely_rules.to_string(),
        set: |c, text| number(&mut c.max_likely_rules, text),
    },
    Setting {
        key: "with-assets",
        value: "BOOL",
        help: "Whether likely rules are learned from images, styles and scripts without a query, too",
        get: |c| c.with_assets.to_string(),
        set: |c, text| boolean(&mut c.with_assets, text),
    },
];

/// The most bits in which simhashes may be asked to differ: tables for more would be larger than the pages.
const MAX_DISTANCE_BITS: u32 = 16;

const CLUSTERING: &[Setting<cluster::Options>] = &[
    Setting {
        key: "by",
        value: "KINDS",
        help: "Evidence that pages are the same: auto, or some of digest,simhash,shingles,rows,canonical,redirect,declared",
        get: |o| o.by.to_string(),
        set: |o, text| parsed(&mut o.by, text),
    },
    Setting {
        key: "distance",
        value: "BITS",
        help: "Bits of 64 in which simhashes may differ, 0 to 16",
        get: |o| o.distance.to_string(),
        set: |o, text| {
            number(&mut o.distance, text)?;
            if o.distance > MAX_DISTANCE_BITS {
                return Err(ValueError::Number(text.to_owned()));
            }
            Ok(())
        },
    },
    Setting {
        key: "resemblance",
        value: "SHARE",
        help: "Share of two texts that must be common, rare words counting more",
        get: |o| o.resemblance.to_string(),
        set: |o, text| share(&mut o.resemblance, text),
    },
    Setting {
        key: "ignore-titles",
        value: "BOOL",
        help: "Whether pages with different titles may be the same",
        get: |o| (!o.titles).to_string(),
        set: |o, text| {
            let mut ignored = false;
            boolean(&mut ignored, text)?;
            o.titles = !ignored;
            Ok(())
        },
    },
    Setting {
        key: "row-order",
        value: "WHEN",
        help: "When the order of rows of tables and lists counts: auto, keep (always) or ignore (never)",
        get: |o| o.row_order.to_string(),
        set: |o, text| parsed(&mut o.row_order, text),
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(options: LearnOptions) -> String {
        options.build().err().map(|error| error.to_string()).unwrap_or_default()
    }

    #[test]
    fn wrong_options_are_named() {
        let new = LearnOptions::new;
        assert_eq!(
            refused(new().method("magic")),
            "unknown learner 'magic'; known: auto, dustbuster, rewrite, decision-tree, pattern-tree, seq2seq, statements"
        );
        assert_eq!(
            refused(new().method("rewrite").set("dustbuster.t-low", "5")),
            "'dustbuster.t-low' is a setting of 'dustbuster', which --method rewrite does not use"
        );
        assert_eq!(
            refused(new().set("rewrite.t-low", "5")),
            "unknown setting 'rewrite.t-low'; known: min-support, filter"
        );
        assert_eq!(
            refused(new().set("dustbuster.t-low", "x")),
            "bad value for 'dustbuster.t-low': 'x' is not a number in range"
        );
        assert_eq!(refused(new().set("filter", "x")), "'filter' is not a setting such as rewrite.filter");
        assert_eq!(
            refused(new().set("magic.key", "x")),
            "unknown setting 'magic.…'; settings begin with learn, cluster, dustbuster, rewrite, decision-tree, pattern-tree, seq2seq, usual"
        );
        assert_eq!(
            refused(new().set("seq2seq.hidden", "8")),
            "'seq2seq.hidden' is a setting of 'seq2seq', which --method auto does not use"
        );
        assert_eq!(refused(new().set("usual.key", "x")), "unknown setting 'usual.key'; known: none");
        assert_eq!(
            refused(new().method("rewrite").likely(true)),
            "'rewrite' needs labels: only auto and dustbuster learn likely rules"
        );
        assert_eq!(
            refused(new().method("seq2seq")),
            "'seq2seq' trains a model: it needs the trainer of the crate undust-neural"
        );
    }

    #[test]
    fn members_of_auto_and_clustering_have_settings() {
        let options = LearnOptions::new().set("rewrite.filter", "entropy:80%").set("cluster.distance", "5");
        assert!(options.build().is_ok());
        assert!(refused(LearnOptions::new().set("cluster.distance", "17")).contains("'17'"));
        for SettingInfo { group, key, default, .. } in settings() {
            let method = if group == "seq2seq" { continue } else { AUTO };
            assert!(
                LearnOptions::new().method(method).set(&format!("{group}.{key}"), &default).build().is_ok()
            );
        }
    }
}
