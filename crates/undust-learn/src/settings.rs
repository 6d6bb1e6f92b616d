//! Settings of learners and of clustering, by name: `dustbuster.t-low = 5`.
//!
//! Each stage declares a table of [`Setting`]s over its own options struct. Defaults are read from that struct, so they stand in one place.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::str::FromStr;

/// One setting of the options struct `O`.
pub(crate) struct Setting<O> {
    /// Its name, with dashes.
    pub(crate) key: &'static str,
    /// What its value is: `N`, `SHARE`, `BOOL`.
    pub(crate) value: &'static str,
    /// One line of help.
    pub(crate) help: &'static str,
    /// Reads it, as text that `set` accepts.
    pub(crate) get: fn(&O) -> String,
    /// Changes it.
    pub(crate) set: fn(&mut O, &str) -> Result<(), ValueError>,
}

/// A setting as documentation shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SettingInfo {
    /// The learner or stage that it belongs to: `dustbuster`.
    pub group: &'static str,
    /// Its name: `t-low`.
    pub key: &'static str,
    /// What its value is: `N`, `SHARE`, `BOOL`.
    pub value: &'static str,
    /// Its default.
    pub default: String,
    /// One line of help.
    pub help: &'static str,
}

/// A value that a setting does not take.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ValueError {
    /// Not a number, or not one in range.
    #[error("'{0}' is not a number in range")]
    Number(String),
    /// Not a share.
    #[error("'{0}' is not a share such as 0.01 or 1%")]
    Share(String),
    /// A share outside of 0 to 1, written as a number.
    #[error("{0} is not between 0 and 1")]
    ShareRange(String),
    /// A share outside of 0 to 1 that is one if taken as a per cent.
    #[error("{0} is not between 0 and 1; {0} per cent is {0}%")]
    PercentMeant(String),
    /// A per cent outside of 0 to 100.
    #[error("{0} is not between 0% and 100%")]
    PercentRange(String),
    /// Neither `true` nor `false`.
    #[error("'{0}' is neither true nor false")]
    Bool(String),
    /// Refused by the parser of the value's own type.
    #[error("{0}")]
    Other(String),
}

/// Options that are wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OptionError {
    /// No learner has this name.
    #[error("unknown learner '{name}'; known: {known}")]
    UnknownLearner {
        /// The name.
        name: String,
        /// All names, separated by commas.
        known: String,
    },
    /// Not of the form `GROUP.KEY`.
    #[error("'{0}' is not a setting such as rewrite.filter")]
    Malformed(String),
    /// Settings begin with the name of a learner or of a stage, and this is none.
    #[error("unknown setting '{group}.…'; settings begin with {known}")]
    UnknownGroup {
        /// The name.
        group: String,
        /// The names that there are.
        known: String,
    },
    /// Not a share between 0 and 1.
    #[error("max_fpr = {0} is not between 0 and 1")]
    MaxFpr(String),
    /// Likely rules are learned without labels, which this learner needs.
    #[error("'{0}' needs labels: only auto and dustbuster learn likely rules")]
    NeedsLabels(&'static str),
    /// The learner has no such setting.
    #[error("unknown setting '{group}.{key}'; known: {known}")]
    UnknownSetting {
        /// The learner or stage.
        group: String,
        /// The name.
        key: String,
        /// The settings that it has.
        known: String,
    },
    /// The setting belongs to a learner that is not asked.
    #[error("'{group}.{key}' is a setting of '{group}', which --method {method} does not use")]
    ForeignSetting {
        /// The learner.
        group: String,
        /// The name.
        key: String,
        /// The method that was asked for.
        method: &'static str,
    },
    /// The setting does not take this value.
    #[error("bad value for '{group}.{key}': {reason}")]
    BadValue {
        /// The learner or stage.
        group: String,
        /// The name.
        key: String,
        /// Why. Not a source: the message has it.
        reason: ValueError,
    },
    /// The method trains a model, and no trainer was given.
    #[error("'{0}' trains a model: it needs the trainer of the crate undust-neural")]
    NoTrainer(&'static str),
    /// Earlier rules mean something else by a site.
    #[error("the earlier rules are grouped by {earlier}, not by {asked}")]
    SiteBy {
        /// How the earlier rules are grouped.
        earlier: &'static str,
        /// How pages are to be grouped.
        asked: &'static str,
    },
}

/// Values of settings as they were given, by group and key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SettingValues {
    by_group: BTreeMap<String, BTreeMap<String, String>>,
}

impl SettingValues {
    /// Adds a value; `name` is `GROUP.KEY`, with dashes or underscores.
    pub(crate) fn insert(&mut self, name: &str, value: &str) -> Result<(), OptionError> {
        let (group, key) =
            name.trim().split_once('.').ok_or_else(|| OptionError::Malformed(name.to_owned()))?;
        let (group, key) = (group.trim().replace('_', "-"), key.trim().replace('_', "-"));
        self.by_group.entry(group).or_default().insert(key, value.trim().to_owned());
        Ok(())
    }

    /// The groups that have values.
    pub(crate) fn groups(&self) -> impl Iterator<Item = &str> {
        self.by_group.keys().map(String::as_str)
    }

    /// The keys that were given for a group.
    pub(crate) fn keys(&self, group: &str) -> impl Iterator<Item = &str> {
        self.by_group.get(group).into_iter().flat_map(BTreeMap::keys).map(String::as_str)
    }

    /// Applies the values of `group` to `options`.
    pub(crate) fn apply<O>(
        &self,
        group: &str,
        table: &[Setting<O>],
        options: &mut O,
    ) -> Result<(), OptionError> {
        for (key, value) in self.by_group.get(group).into_iter().flatten() {
            let Some(setting) = table.iter().find(|setting| setting.key == key) else {
                let known: Vec<&str> = table.iter().map(|setting| setting.key).collect();
                return Err(OptionError::UnknownSetting {
                    group: group.to_owned(),
                    key: key.clone(),
                    known: if known.is_empty() { "none".to_owned() } else { known.join(", ") },
                });
            };
            (setting.set)(options, value).map_err(|reason| OptionError::BadValue {
                group: group.to_owned(),
                key: key.clone(),
                reason,
            })?;
        }
        Ok(())
    }
}

/// The settings of a table with the defaults of `options`, as documentation shows them.
pub(crate) fn infos<O>(group: &'static str, table: &[Setting<O>], options: &O) -> Vec<SettingInfo> {
    let info = |Setting { key, value, help, get, .. }: &Setting<O>| SettingInfo {
        group,
        key,
        value,
        default: get(options),
        help,
    };
    table.iter().map(info).collect()
}

/// Parses a number into `place`.
pub(crate) fn number<T: FromStr>(place: &mut T, text: &str) -> Result<(), ValueError> {
    *place = text.parse().map_err(|_| ValueError::Number(text.to_owned()))?;
    Ok(())
}

/// Parses `true` or `false` into `place`.
pub(crate) fn boolean(place: &mut bool, text: &str) -> Result<(), ValueError> {
    *place = text.parse().map_err(|_| ValueError::Bool(text.to_owned()))?;
    Ok(())
}

/// Parses a value by its own type into `place`.
pub(crate) fn parsed<T: FromStr<Err: Display>>(place: &mut T, text: &str) -> Result<(), ValueError> {
    *place = text.parse().map_err(|error: T::Err| ValueError::Other(error.to_string()))?;
    Ok(())
}

/// Parses a share into `place`.
pub(crate) fn share(place: &mut f64, text: &str) -> Result<(), ValueError> {
    *place = parse_share(text)?;
    Ok(())
}

/// A share between 0 and 1, as a number or as a per cent: `0.01` or `1%`.
///
/// ```
/// use undust_learn::parse_share;
///
/// assert_eq!(parse_share("1%"), parse_share("0.01"));
/// assert!(parse_share("150%").is_err());
/// ```
///
/// # Errors
///
/// Anything else.
pub fn parse_share(text: &str) -> Result<f64, ValueError> {
    let number = |number: &str| number.parse::<f64>().ok().filter(|value| value.is_finite());
    let value = match text.strip_suffix('%').map(str::trim_end) {
        // Shifted by the parser: 0.7% is 0.007 to the last digit, which 0.7 / 100 is not.
        Some(percent) => number(percent).and_then(|_| number(&format!("{percent}e-2"))),
        None => number(text),
    };
    let text = text.to_owned();
    match value {
        None => Err(ValueError::Share(text)),
        Some(share) if (0.0..=1.0).contains(&share) => Ok(share),
        Some(_) if text.ends_with('%') => Err(ValueError::PercentRange(text)),
        Some(share) if share > 1.0 && share <= 100.0 => Err(ValueError::PercentMeant(text)),
        Some(_) => Err(ValueError::ShareRange(text)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_per_cents_are_the_same_shares() {
        for (percent, number) in
            [("1%", 0.01), ("0.7%", 0.007), ("100 %", 1.0), ("0%", 0.0), (".5%", 0.005), ("2.5%", 0.025)]
        {
            assert_eq!(parse_share(percent), Ok(number), "{percent}");
            assert_eq!(parse_share(&number.to_string()), Ok(number));
        }
        assert_eq!(parse_share("1e-3"), Ok(0.001));
    }

    #[test]
    fn nonsense_is_refused_with_a_reason() {
        let reason = |text: &str| parse_share(text).map_err(|error| error.to_string());
        let expected = [
            ("1.5", "1.5 is not between 0 and 1; 1.5 per cent is 1.5%"),
            ("250", "250 is not between 0 and 1"),
            ("-1", "-1 is not between 0 and 1"),
            ("-1%", "-1% is not between 0% and 100%"),
            ("150%", "150% is not between 0% and 100%"),
            ("abc%", "'abc%' is not a share such as 0.01 or 1%"),
            ("%", "'%' is not a share such as 0.01 or 1%"),
            ("", "'' is not a share such as 0.01 or 1%"),
            ("1%%", "'1%%' is not a share such as 0.01 or 1%"),
            ("nan", "'nan' is not a share such as 0.01 or 1%"),
            ("inf", "'inf' is not a share such as 0.01 or 1%"),
            ("1e1%", "'1e1%' is not a share such as 0.01 or 1%"),
        ];
        for (text, why) in expected {
            assert_eq!(reason(text), Err(why.to_owned()));
        }
    }

    #[test]
    fn names_take_dashes_and_underscores() {
        let mut values = SettingValues::default();
        values.insert("decision_tree.min_coverage", "7").unwrap();
        assert!(values.keys("decision-tree").eq(["min-coverage"]));
        assert_eq!(values.insert("filter", "x"), Err(OptionError::Malformed("filter".to_owned())));
    }
}
