//! Why a rule set is not compiled.

use crate::rules::{EVERY_SITE, RuleSet, is_site_name};

/// A rule set that [`Canonicalizer::new`](super::Canonicalizer::new) does not compile, because something in it would have no effect.
///
/// ```
/// use undust::{Canonicalizer, CompileError, Form, RuleSet};
///
/// let file = r#"{"undust": 1, "model": {"file": "rules.safetensors", "xxh3": "0123456789abcdef"}, "sites": []}"#;
/// let error = Canonicalizer::new(&RuleSet::from_json(file)?, Form::Key).unwrap_err();
/// assert_eq!(error, CompileError::Model { file: "rules.safetensors".to_owned() });
/// # Ok::<(), undust::FileError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CompileError {
    /// The rule set has a model file ([`RuleSet::model`]), which this crate cannot read. Rules alone would give other canonical forms.
    #[error(
        "the rule set needs its model '{file}', which rules alone do not replace: undust_neural::RuleFile::load loads both"
    )]
    Model {
        /// The name of the model file.
        file: String,
    },
    /// Two entries of the same site: only one of them could be found.
    #[error("site '{site}' stands in the rule set twice")]
    SiteTwice {
        /// The site.
        site: String,
    },
    /// A site whose rules no URL would find: its name is not a host in lower case.
    #[error(
        "site '{site}' is neither a host in lower case nor '{EVERY_SITE}': none of its rules would be applied"
    )]
    SiteName {
        /// The site.
        site: String,
    },
}

impl CompileError {
    /// The first reason not to compile `set`.
    pub(super) fn of(set: &RuleSet) -> Option<CompileError> {
        if let Some(model) = &set.model {
            return Some(CompileError::Model { file: model.file.clone() });
        }
        let mut names: Vec<&str> = set.sites.iter().map(|site| site.site.as_str()).collect();
        if let Some(name) = names.iter().find(|name| !is_site_name(name)) {
            return Some(CompileError::SiteName { site: (*name).to_owned() });
        }
        names.sort_unstable();
        let twice = names.windows(2).find(|pair| pair[0] == pair[1])?;
        Some(CompileError::SiteTwice { site: twice[0].to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{ModelFile, SiteRules};

    #[track_caller]
    fn check(sites: &[&str], expected: Option<&str>) {
        let site = |name: &&str| SiteRules { site: (*name).to_owned(), rules: Vec::new() };
        let set = RuleSet { sites: sites.iter().map(site).collect(), ..RuleSet::default() };
        assert_eq!(CompileError::of(&set).map(|error| error.to_string()).as_deref(), expected);
    }

    #[test]
    fn names_that_no_host_has_are_refused() {
        check(&["", "*", "127.0.0.1", "[::1]", "example.com", "münchen.de"], None);
        for name in ["Example.com", "http://a.com", "a.com/", "a.com:80", "u@a.com", "a.com?", "a.com#"] {
            let expected = format!(
                "site '{name}' is neither a host in lower case nor '*': none of its rules would be applied"
            );
            check(&["a.com", name], Some(&expected));
        }
        check(&["b.com", "a.com", "b.com"], Some("site 'b.com' stands in the rule set twice"));
    }

    #[test]
    fn a_model_is_named() {
        let set = RuleSet {
            model: Some(ModelFile::new("rules.safetensors".to_owned(), b"model")),
            ..RuleSet::default()
        };
        let message = CompileError::of(&set).map(|error| error.to_string());
        let expected = "the rule set needs its model 'rules.safetensors', which rules alone do not replace: undust_neural::RuleFile::load loads both";
        assert_eq!(message.as_deref(), Some(expected));
    }
}
