//! The rule set: ordered rules per site, and how they are to be run.

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::Rule;
use crate::url::{SiteBy, SplitUrl, find_by_host_suffix};

/// Rules that hold on every site are kept under this name.
pub const EVERY_SITE: &str = "*";

/// Ordered rules, grouped by site.
#[derive(Clone, Debug, PartialEq)]
pub struct RuleSet {
    /// Whether URLs are normalised before (and between) rules.
    pub normalize: bool,
    /// How hosts are grouped into sites: by domain, a site's rules hold on its subdomains too.
    pub site_by: SiteBy,
    /// How the set came to be.
    pub learned: Option<Learned>,
    /// The file with models for what rules cannot say.
    pub model: Option<ModelFile>,
    /// The sites, sorted by name.
    pub sites: Vec<SiteRules>,
}

impl Default for RuleSet {
    fn default() -> RuleSet {
        RuleSet { normalize: true, site_by: SiteBy::Domain, learned: None, model: None, sites: Vec::new() }
    }
}

impl RuleSet {
    /// The rules of one site, and nothing else.
    pub fn of_site(site: &str, site_by: SiteBy, rules: Vec<Rule>) -> RuleSet {
        let sites = vec![SiteRules { site: site.to_owned(), rules }];
        RuleSet { site_by, sites, ..RuleSet::default() }
    }

    /// All rules, with their sites.
    pub fn rules(&self) -> impl Iterator<Item = (&str, &Rule)> {
        self.sites.iter().flat_map(|site| site.rules.iter().map(|rule| (site.site.as_str(), rule)))
    }

    /// Which of the sites has the rules that are applied to `url`, beside those for every site: by domain, the one with the
    /// longest name that the host ends in.
    pub fn site_of(&self, url: &[u8]) -> Option<usize> {
        let named = |name: &[u8]| self.sites.binary_search_by(|site| site.site.as_bytes().cmp(name)).ok();
        find_by_host_suffix(SplitUrl::new(url)?.host(), self.site_by, named)
    }
}

/// The rules of one site, in the order in which they are tried.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SiteRules {
    /// The site, or [`EVERY_SITE`].
    pub site: String,
    /// Its rules.
    pub rules: Vec<Rule>,
}

/// How a rule set was learned: enough to learn it again.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Learned {
    /// The learner.
    pub method: String,
    /// The bound on false positives.
    pub max_fpr: f64,
    /// The seed of every sample taken.
    pub seed: u64,
    /// URLs read.
    pub urls: u64,
    /// Distinct duplicate clusters among them.
    pub clusters: u64,
}

/// A file of models that belongs to a rule file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ModelFile {
    /// Its name, as seen from the folder of the rule file.
    pub file: String,
    /// What its bytes hash to (XXH3, 64 bits, hexadecimal): models of another run do not fit.
    pub xxh3: String,
}

impl ModelFile {
    /// The file called `file` with these bytes.
    pub fn new(file: String, bytes: &[u8]) -> ModelFile {
        ModelFile { file, xxh3: format!("{:016x}", xxh3_64(bytes)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_site_of_a_url_is_the_one_whose_rules_are_applied() {
        let names = ["*", "127.0.0.1", "example.com", "m.example.com"];
        let site = |name: &str| SiteRules { site: name.to_owned(), rules: Vec::new() };
        let mut rules = RuleSet { sites: names.map(site).to_vec(), ..RuleSet::default() };
        assert_eq!(rules.site_of(b"http://WWW.Example.com:80/a"), Some(2));
        assert_eq!(rules.site_of(b"http://a.m.example.com/"), Some(3));
        assert_eq!(rules.site_of(b"http://127.0.0.1:8080/"), Some(1));
        assert_eq!(rules.site_of(b"http://notexample.com/"), None);
        assert_eq!(rules.site_of(b"mailto:a@example.com"), None);
        rules.site_by = SiteBy::Host;
        assert_eq!(rules.site_of(b"http://www.example.com/"), None);
        assert_eq!(rules.site_of(b"http://example.com/"), Some(2));
    }
}
