//! Options of earlier releases, which became settings: they work for one more release, with a warning.

use clap::{Arg, ArgAction, ArgMatches, Args, Command, Error, FromArgMatches};
use undust_learn::registry::{AUTO, LEARNERS};

/// An option of 0.1, and the setting that it became; `*` stands for every learner that the method asks.
struct OldOption {
    long: &'static str,
    setting: &'static str,
    is_flag: bool,
}

const fn old(long: &'static str, setting: &'static str) -> OldOption {
    OldOption { long, setting, is_flag: false }
}

const fn old_flag(long: &'static str, setting: &'static str) -> OldOption {
    OldOption { long, setting, is_flag: true }
}

const OLD_OPTIONS: [OldOption; 30] = [
    old("min-support", "*.min-support"),
    old("min-trials", "learn.min-trials"),
    old("most-likely", "learn.max-likely-rules"),
    old_flag("with-assets", "learn.with-assets"),
    old("filter", "rewrite.filter"),
    old("targets", "decision-tree.targets"),
    old("min-coverage", "decision-tree.min-coverage"),
    old("min-precision", "decision-tree.min-precision"),
    old("min-overlap", "pattern-tree.min-overlap"),
    old("min-common", "pattern-tree.min-common"),
    old("hidden", "seq2seq.hidden"),
    old_flag("paper", "seq2seq.paper"),
    old_flag("gpu", "seq2seq.gpu"),
    old("similar-by", "dustbuster.similar-by"),
    old("size-slack", "dustbuster.size-slack"),
    old("min-similar", "dustbuster.min-similar"),
    old("max-unlike", "dustbuster.max-unlike"),
    old("max-tokens", "dustbuster.max-tokens"),
    old("t-low", "dustbuster.t-low"),
    old("t-high", "dustbuster.t-high"),
    old("max-relative-deficiency", "dustbuster.max-relative-deficiency"),
    old("max-absolute-deficiency", "dustbuster.max-absolute-deficiency"),
    old("max-window", "dustbuster.max-window"),
    old("by", "cluster.by"),
    old("distance", "cluster.distance"),
    old("resemblance", "cluster.resemblance"),
    old_flag("ignore-titles", "cluster.ignore-titles"),
    old("row-order", "cluster.row-order"),
    // `auto` writes no model any more: there is nothing to set.
    old_flag("no-model", ""),
    old_flag("network", ""),
];

/// The old options that were given, with their values.
#[derive(Clone, Debug, Default)]
pub(crate) struct OldOptions {
    given: Vec<(&'static str, String)>,
}

impl OldOptions {
    /// The settings that they stand for.
    pub(crate) fn settings<'o>(&'o self, method: &'o str) -> impl Iterator<Item = (String, String)> + 'o {
        let named = |long: &str| OLD_OPTIONS.iter().find(|option| option.long == long);
        self.given.iter().flat_map(move |(long, value)| {
            let names = named(long).map_or_else(Vec::new, |option| settings_of(option, method));
            names.into_iter().map(|name| (name, value.clone()))
        })
    }

    /// A warning for each.
    pub(crate) fn warnings(&self, method: &str) -> Vec<String> {
        let line = |(long, value): &(&'static str, String)| {
            let settings: Vec<String> = OldOptions { given: vec![(long, value.clone())] }
                .settings(method)
                .map(|(name, value)| format!("--set {name}={value}"))
                .collect();
            if settings.is_empty() {
                format!("warning: --{long} has no effect any more, and will be gone in the next release")
            } else {
                format!("warning: --{long} will be gone in the next release: use {}", settings.join(" "))
            }
        };
        self.given.iter().map(line).collect()
    }
}

/// The names of the settings that an option stands for.
fn settings_of(option: &OldOption, method: &str) -> Vec<String> {
    let Some(key) = option.setting.strip_prefix("*.") else {
        return (!option.setting.is_empty()).then(|| option.setting.to_owned()).into_iter().collect();
    };
    let asked = LEARNERS.iter().filter(|info| method == AUTO || info.name == method);
    let has_key = |info: &&undust_learn::registry::LearnerInfo| {
        info.settings().iter().any(|setting| setting.key == key)
    };
    asked.filter(has_key).map(|info| format!("{}.{key}", info.name)).collect()
}

impl Args for OldOptions {
    fn augment_args(command: Command) -> Command {
        let arg = |OldOption { long, is_flag, .. }: &OldOption| {
            let arg = Arg::new(*long).long(*long).hide(true);
            if *is_flag {
                arg.action(ArgAction::SetTrue)
            } else {
                arg.allow_negative_numbers(true).value_name("VALUE")
            }
        };
        command.args(OLD_OPTIONS.iter().map(arg))
    }

    fn augment_args_for_update(command: Command) -> Command {
        OldOptions::augment_args(command)
    }
}

impl FromArgMatches for OldOptions {
    fn from_arg_matches(matches: &ArgMatches) -> Result<OldOptions, Error> {
        let value = |OldOption { long, is_flag, .. }: &OldOption| {
            let value = if *is_flag {
                matches.get_flag(long).then(|| "true".to_owned())
            } else {
                matches.get_one::<String>(long).cloned()
            };
            Some((*long, value?))
        };
        Ok(OldOptions { given: OLD_OPTIONS.iter().filter_map(value).collect() })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = OldOptions::from_arg_matches(matches)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_old_option_is_a_setting_that_there_is() {
        let known: Vec<String> = undust_learn::settings()
            .into_iter()
            .map(|setting| format!("{}.{}", setting.group, setting.key))
            .collect();
        for option in OLD_OPTIONS.iter().filter(|option| !option.setting.is_empty()) {
            let settings = settings_of(option, AUTO);
            assert!(
                !settings.is_empty() && settings.iter().all(|name| known.contains(name)),
                "{}",
                option.long
            );
        }
    }

    #[test]
    fn old_options_are_translated() {
        let old =
            OldOptions { given: vec![("min-support", "4".to_owned()), ("no-model", "true".to_owned())] };
        let settings: Vec<_> = old.settings("rewrite").collect();
        assert_eq!(settings, [("rewrite.min-support".to_owned(), "4".to_owned())]);
        assert_eq!(old.settings(AUTO).count(), 4);
        assert_eq!(
            old.warnings("rewrite"),
            [
                "warning: --min-support will be gone in the next release: use --set rewrite.min-support=4",
                "warning: --no-model has no effect any more, and will be gone in the next release",
            ]
        );
    }
}
