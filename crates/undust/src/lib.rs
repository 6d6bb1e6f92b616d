//! Canonical keys for URLs: the URL model, the rule language and the engine that applies rules.
//!
//! Different URLs often lead to the same page (session ids, print views, mirrors). A [`RuleSet`], read from a rule file, rewrites the URLs of
//! a site so that duplicates become equal; a [`Canonicalizer`] applies it.
//!
//! ```
//! use undust::{Canonicalizer, Form, RuleSet, Scratch};
//!
//! let rules = RuleSet::from_json(
//!     r#"{"undust": 1, "sites": [{"site": "example.com", "rules": [
//!         {"match": "http://{...}/{...}?sid={sid}&{...}", "rewrite": "http://{...}/{...}?{...}"},
//!         {"replace": "/index.html$", "with": "/$"}
//!     ]}]}"#,
//! )?;
//! let canonicalizer = Canonicalizer::new(&rules, Form::Key)?;
//! let mut scratch = Scratch::new();
//! let key = canonicalizer.canonicalize_str("http://www.example.com/news/index.html?id=7&sid=4f2a", &mut scratch);
//! assert_eq!(key, "http://www.example.com/news/index.html?id=7");
//! let key = canonicalizer.canonicalize_str("http://example.com/news/index.html", &mut scratch);
//! assert_eq!(key, "http://example.com/news/");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Data flows one way: [`url`] splits, [`rules`] says what to change, [`apply`] changes it. [`page`] is what a crawl saw.
//! Nothing here reads files, starts threads or prints; rules are learned by `undust-learn`.
//!
//! # Features
//!
//! - `psl` (default): the public suffix list, for [`url::site_of`]. Applying rules does not need it.
//! - `schema`: the JSON schema of the rule file.

pub mod apply;
pub mod page;
pub mod rules;
pub mod url;

pub use apply::{Canonicalizer, CompileError, Finding, Form, Scratch, Step, Trace, check, explain};
pub use page::{Body, Page};
pub use rules::{
    Action, EVERY_SITE, Evidence, FileError, Learned, ModelFile, Review, Rule, RuleSet, SiteRules,
    SyntaxError, TriedBy, TriedUrl, Validation, Verdict,
};
#[cfg(feature = "psl")]
pub use url::site_of;
pub use url::{SiteBy, SplitUrl, UnknownSiteBy, normalize};
