//! The rule set: ordered rules per site, and how they are to be run.

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::Rule;
use crate::url::{SiteBy, SplitUrl, find_by_host_suffix};

/// The name of the site whose rules hold on every site.
///
/// ```
/// use undust::{Action, Canonicalizer, EVERY_SITE, Form, Rule, RuleSet, Scratch, SiteBy};
///
/// let rule = Rule::new(Action::rewrite("http://{...}/{...}?utm_source={s}&{...}", "http://{...}/{...}?{...}")?);
/// let set = RuleSet::of_site(EVERY_SITE, SiteBy::Domain, vec![rule]);
/// let key = Canonicalizer::new(&set, Form::Key)?;
/// assert_eq!(key.canonicalize_str("http://a.org/?utm_source=x", &mut Scratch::new()), "http://a.org/");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub const EVERY_SITE: &str = "*";

/// Ordered rules, grouped by site: what a rule file holds.
///
/// ```
/// use undust::RuleSet;
///
/// let file = r#"{"undust": 1, "sites": [{"site": "example.com", "rules": [{"replace": "//", "with": "/"}]}]}"#;
/// let set = RuleSet::from_json(file)?;
/// assert_eq!(set.sites[0].site, "example.com");
/// assert_eq!(RuleSet::from_json(&set.to_json())?, set);
/// # Ok::<(), undust::FileError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct RuleSet {
    /// Whether URLs are normalised before (and between) rules.
    pub normalize: bool,
    /// How hosts are grouped into sites: by domain, a site's rules hold on its subdomains too.
    pub site_by: SiteBy,
    /// How the set came to be.
    pub learned: Option<Learned>,
    /// The model file for what rules cannot express; loaded by `undust-neural`.
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
    /// A set with the rules of one site.
    ///
    /// ```
    /// # use undust::{Action, Rule, RuleSet, SiteBy};
    /// let rule = Rule::new(Action::substitute("/index.html$", "/$")?);
    /// let set = RuleSet::of_site("example.com", SiteBy::Domain, vec![rule]);
    /// assert_eq!(set.rules().count(), 1);
    /// # Ok::<(), undust::SyntaxError>(())
    /// ```
    pub fn of_site(site: &str, site_by: SiteBy, rules: Vec<Rule>) -> RuleSet {
        let sites = vec![SiteRules { site: site.to_owned(), rules }];
        RuleSet { site_by, sites, ..RuleSet::default() }
    }

    /// All rules, with their sites.
    ///
    /// ```
    /// # use undust::{Action, Rule, RuleSet, SiteBy};
    /// # let rule = Rule::new(Action::substitute("/index.html$", "/$")?);
    /// let set = RuleSet::of_site("example.com", SiteBy::Domain, vec![rule]);
    /// for (site, rule) in set.rules() {
    ///     assert_eq!(format!("{site}: {}", rule.action), "example.com: /index.html$ -> /$");
    /// }
    /// # Ok::<(), undust::SyntaxError>(())
    /// ```
    pub fn rules(&self) -> impl Iterator<Item = (&str, &Rule)> {
        self.sites.iter().flat_map(|site| site.rules.iter().map(|rule| (site.site.as_str(), rule)))
    }

    /// The index in `sites` of the site whose rules are applied to `url`, beside those of [`EVERY_SITE`]: by domain, the one with the
    /// longest name that the host ends in.
    #[doc(hidden)]
    pub fn site_of(&self, url: &[u8]) -> Option<usize> {
        let named = |name: &[u8]| self.sites.binary_search_by(|site| site.site.as_bytes().cmp(name)).ok();
        find_by_host_suffix(SplitUrl::new(url)?.host(), self.site_by, named)
    }
}

/// Whether rules of the site `name` can be found: some URL has this host, in lower case. URLs without a host are of the site without a name.
pub(crate) fn is_site_name(name: &str) -> bool {
    let url = format!("http://{name}/");
    let is_host = || SplitUrl::new(url.as_bytes()).is_some_and(|split| split.host() == name.as_bytes());
    name == EVERY_SITE || (!name.bytes().any(|byte| byte.is_ascii_uppercase()) && is_host())
}

/// The rules of one site, in the order in which they are tried.
///
/// ```
/// use undust::{RuleSet, SiteRules};
///
/// let site = SiteRules { site: "example.com".to_owned(), rules: Vec::new() };
/// let set = RuleSet { sites: vec![site], ..RuleSet::default() };
/// assert_eq!(set.sites.len(), 1);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SiteRules {
    /// The site, or [`EVERY_SITE`].
    pub site: String,
    /// Its rules.
    pub rules: Vec<Rule>,
}

/// How a rule set was learned: enough to learn it again.
///
/// ```
/// use undust::Learned;
///
/// let learned = Learned { method: "auto".to_owned(), max_fpr: 0.01, seed: 7, ..Learned::default() };
/// assert_eq!(learned.urls, 0);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(
    feature = "schema",
    schemars(description = "How a rule set was learned: enough to learn it again.")
)]
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

/// The model file that belongs to a rule file; read and written by `undust-neural`.
///
/// ```
/// let file = r#"{"undust": 1, "model": {"file": "rules.safetensors", "xxh3": "0123456789abcdef"}, "sites": []}"#;
/// let model = undust::RuleSet::from_json(file)?.model;
/// assert_eq!(model.map(|model| model.file).as_deref(), Some("rules.safetensors"));
/// # Ok::<(), undust::FileError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(description = "A file of models that belongs to a rule file."))]
#[serde(deny_unknown_fields)]
pub struct ModelFile {
    /// Its name, as seen from the folder of the rule file.
    pub file: String,
    /// What its bytes hash to (XXH3, 64 bits, hexadecimal): models of another run do not fit.
    pub xxh3: String,
}

impl ModelFile {
    /// The file called `file` with these bytes.
    #[doc(hidden)]
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
