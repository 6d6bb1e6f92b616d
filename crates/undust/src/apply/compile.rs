//! The compiled engine: [`Canonicalizer`]. Rules are found by site first, then by an index of the facts that they require of a URL.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::hash::{BuildHasherDefault, Hasher};

use xxhash_rust::xxh3::xxh3_64;

use super::code::Code;
use super::error::CompileError;
use super::form::{Form, in_form};
use super::index::SiteIndex;
use super::run::Run;
use super::scratch::Scratch;
use super::{MAX_STEPS, keeps_host, too_long};
use crate::rules::{Action, EVERY_SITE, Rule, RuleSet, SiteRules};
use crate::url::{SiteBy, SplitUrl, find_by_host_suffix, has_strange_byte, normalize, split_if_normal};

/// A compiled rule set: immutable, shared between threads, its cost per URL independent of the number of rules.
///
/// ```
/// use undust::{Action, Canonicalizer, Form, Rule, RuleSet, Scratch, SiteBy};
///
/// let rule = Rule::new(Action::rewrite("http://example.com/{id}-{title}", "http://example.com/{id}-*")?);
/// let set = RuleSet::of_site("example.com", SiteBy::Domain, vec![rule]);
/// let canonicalizer = Canonicalizer::new(&set, Form::Key)?;
/// let mut scratch = Scratch::new();
/// assert_eq!(canonicalizer.canonicalize_str("http://example.com/7-news", &mut scratch), "http://example.com/7-*");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Canonicalizer {
    normalize: bool,
    site_by: SiteBy,
    /// By the hash of their names.
    sites: HashMap<u64, Site, Prehashed>,
    /// The length of the longest name: no longer suffix of a host need be looked up.
    longest_name: usize,
    every: Site,
    /// The rules that skip URLs, by site; the first holds none.
    skips: Vec<SiteIndex>,
    /// These rules; the code of each has its place here for a number.
    skip_rules: Vec<Rule>,
    code: Code,
    needs_labels: bool,
}

/// The rules of one site. Those that skip URLs are elsewhere: most sites have none, and an entry here must stay small.
#[derive(Clone, Copy, Debug, Default)]
struct Site {
    changes: SiteIndex,
    /// Its place in [`Canonicalizer::skips`].
    skips: u32,
}

/// The result of trying rules on a URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fired {
    /// No rule changes it.
    None,
    /// One did; others may follow.
    OneOfMany,
    /// One did, and no other can follow.
    Last,
}

/// The hasher of a map whose keys are hashes already.
type Prehashed = BuildHasherDefault<PrehashedHasher>;

#[derive(Default)]
struct PrehashedHasher(u64);

impl Hasher for PrehashedHasher {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        self.0 = xxh3_64(bytes);
    }
    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

impl fmt::Debug for Canonicalizer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Canonicalizer")
            .field("normalize", &self.normalize)
            .field("site_by", &self.site_by)
            .field("sites", &self.sites.len())
            .field("skips", &self.skip_rules.len())
            .finish_non_exhaustive()
    }
}

impl Canonicalizer {
    /// Compiles all of `set`, or says why some of it would have no effect.
    ///
    /// These parts of a rule set are not applied, on purpose:
    ///
    /// - rules that are not active ([`Rule::is_active`]): rejected by a person, refuted by validation or not yet validated;
    /// - in [`Form::Url`], rules whose `*` stands for no value of the URL: there is nothing to print in its place;
    /// - what explains rules (learner, evidence, validation, note, [`RuleSet::learned`]).
    ///
    /// Rules that can never fire (those of another host, or shadowed by an earlier one) are compiled like the others; [`check`](super::check()) finds
    /// them. A set that names a model file, two entries of one site, and a site name that is no host are a [`CompileError`].
    ///
    /// ```
    /// use undust::{Canonicalizer, Form, RuleSet, Scratch};
    ///
    /// let set = RuleSet::from_json(
    ///     r#"{"undust": 1, "sites": [{"site": "example.com", "rules": [
    ///         {"match": "http://example.com/show?sid={sid}&{...}", "rewrite": "http://example.com/show?{...}"}
    ///     ]}]}"#,
    /// )?;
    /// let canonicalizer = Canonicalizer::new(&set, Form::Key)?;
    /// let key = canonicalizer.canonicalize(b"HTTP://Example.com:80/show?id=7&sid=x1", &mut Scratch::new());
    /// assert_eq!(key, b"http://example.com/show?id=7".as_slice());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(set: &RuleSet, form: Form) -> Result<Canonicalizer, CompileError> {
        match CompileError::of(set) {
            None => Ok(Canonicalizer::of_rules(set, form)),
            Some(error) => Err(error),
        }
    }

    /// Compiles the rules of `set` alone, without the checks of [`Canonicalizer::new`]: for callers that run the model of the set themselves, or
    /// that made the set and know that it has none.
    #[doc(hidden)]
    pub fn of_rules(set: &RuleSet, form: Form) -> Canonicalizer {
        let mut compiled = Canonicalizer {
            normalize: set.normalize,
            site_by: set.site_by,
            sites: HashMap::default(),
            longest_name: 0,
            every: Site::default(),
            skips: vec![SiteIndex::default()],
            skip_rules: Vec::new(),
            code: Code::default(),
            needs_labels: false,
        };
        let mut number = 0..;
        for SiteRules { site, rules } in &set.sites {
            let active = rules.iter().filter(|rule| rule.is_active());
            let rules = compiled.add_rules(&active.zip(number.by_ref()).collect::<Vec<_>>(), form);
            if site == EVERY_SITE {
                compiled.every = rules;
            } else {
                compiled.sites.insert(xxh3_64(site.as_bytes()), rules);
                compiled.longest_name = compiled.longest_name.max(site.len());
            }
        }
        compiled
    }

    /// Compile the rules of one site, given with their numbers.
    fn add_rules(&mut self, rules: &[(&Rule, u32)], form: Form) -> Site {
        let in_form = rules.iter().filter_map(|(rule, number)| Some((in_form(&rule.action, form)?, *number)));
        let (actions, numbers): (Vec<Cow<Action>>, Vec<u32>) = in_form.unzip();
        self.needs_labels |= actions.iter().any(|action| needs_labels(action));
        let changes = SiteIndex::new(&actions, &numbers, &mut self.code);
        let skips: Vec<&Rule> =
            rules.iter().map(|(rule, _)| *rule).filter(|rule| rule.action.is_skip()).collect();
        if skips.is_empty() {
            return Site { changes, skips: 0 };
        }
        let actions: Vec<Cow<Action>> = skips.iter().map(|rule| Cow::Borrowed(&rule.action)).collect();
        let numbers: Vec<u32> = (self.skip_rules.len() as u32..).take(skips.len()).collect();
        self.skip_rules.extend(skips.into_iter().cloned());
        self.skips.push(SiteIndex::new(&actions, &numbers, &mut self.code));
        Site { changes, skips: self.skips.len() as u32 - 1 }
    }

    /// The canonical form of `url`, borrowed when it is `url` itself.
    ///
    /// URLs are bytes: those of real crawls are not always UTF-8. What is no URL comes back as it is. The result is a fixed point: its canonical form is
    /// itself.
    ///
    /// ```
    /// # use undust::{Canonicalizer, Form, RuleSet, Scratch};
    /// # let set = RuleSet::from_json(r#"{"undust": 1, "sites": [{"site": "example.com", "rules": [
    /// #     {"match": "http://example.com/{...}?sid={sid}", "rewrite": "http://example.com/{...}"},
    /// #     {"id": "feeds", "match": "http://example.com/feed/{...}", "skip": true}]}]}"#).unwrap();
    /// let canonicalizer = Canonicalizer::new(&set, Form::Key).unwrap();
    /// let mut scratch = Scratch::new();
    /// let url = b"http://example.com/a?sid=1";
    /// assert_eq!(*canonicalizer.canonicalize(url, &mut scratch), *b"http://example.com/a");
    /// ```
    pub fn canonicalize<'u>(&self, url: &'u [u8], scratch: &mut Scratch) -> Cow<'u, [u8]> {
        if let Some(split) = self.split_if_normal(url) {
            return self
                .settle(&split, scratch)
                .map_or(Cow::Borrowed(url), |settled| Cow::Owned(settled.to_vec()));
        }
        let start = self.normal(url);
        match SplitUrl::new(&start).and_then(|split| self.settle(&split, scratch)) {
            None => start,
            Some(settled) => Cow::Owned(settled.to_vec()),
        }
    }

    /// Appends the canonical form of `url` to `out`: nothing is allocated once the buffers have grown.
    ///
    /// ```
    /// # use undust::{Canonicalizer, Form, RuleSet, Scratch};
    /// # let set = RuleSet::from_json(r#"{"undust": 1, "sites": [{"site": "example.com", "rules": [
    /// #     {"match": "http://example.com/{...}?sid={sid}", "rewrite": "http://example.com/{...}"},
    /// #     {"id": "feeds", "match": "http://example.com/feed/{...}", "skip": true}]}]}"#).unwrap();
    /// let canonicalizer = Canonicalizer::new(&set, Form::Key).unwrap();
    /// let (mut scratch, mut key) = (Scratch::new(), Vec::new());
    /// for url in ["http://example.com/a?sid=1", "http://example.com/b?sid=2"] {
    ///     key.clear();
    ///     canonicalizer.canonicalize_into(url.as_bytes(), &mut scratch, &mut key);
    ///     assert!(!key.contains(&b'?'));
    /// }
    /// ```
    pub fn canonicalize_into(&self, url: &[u8], scratch: &mut Scratch, out: &mut Vec<u8>) {
        if let Some(split) = self.split_if_normal(url) {
            out.extend_from_slice(self.settle(&split, scratch).unwrap_or(url));
            return;
        }
        let start = self.normal(url);
        let settled = SplitUrl::new(&start).and_then(|split| self.settle(&split, scratch));
        out.extend_from_slice(settled.unwrap_or(&start));
    }

    /// The parts of a URL that needs no normalising: the usual case, which is split once.
    fn split_if_normal<'u>(&self, url: &'u [u8]) -> Option<SplitUrl<'u>> {
        if self.normalize { split_if_normal(url) } else { SplitUrl::new(url) }
    }

    /// [`Canonicalizer::canonicalize`] for text. Where a rule prints bytes that are not UTF-8, they become U+FFFD.
    ///
    /// ```
    /// # use undust::{Canonicalizer, Form, RuleSet, Scratch};
    /// # let set = RuleSet::from_json(r#"{"undust": 1, "sites": [{"site": "example.com", "rules": [
    /// #     {"match": "http://example.com/{...}?sid={sid}", "rewrite": "http://example.com/{...}"},
    /// #     {"id": "feeds", "match": "http://example.com/feed/{...}", "skip": true}]}]}"#).unwrap();
    /// let canonicalizer = Canonicalizer::new(&set, Form::Key).unwrap();
    /// let key = canonicalizer.canonicalize_str("http://example.com/a?sid=1", &mut Scratch::new());
    /// assert_eq!(key, "http://example.com/a");
    /// ```
    pub fn canonicalize_str<'u>(&self, url: &'u str, scratch: &mut Scratch) -> Cow<'u, str> {
        match self.canonicalize(url.as_bytes(), scratch) {
            Cow::Borrowed(same) => match std::str::from_utf8(same) {
                Ok(text) => Cow::Borrowed(text),
                Err(_) => Cow::Owned(String::from_utf8_lossy(same).into_owned()),
            },
            Cow::Owned(bytes) => match String::from_utf8(bytes) {
                Ok(text) => Cow::Owned(text),
                Err(error) => Cow::Owned(String::from_utf8_lossy(error.as_bytes()).into_owned()),
            },
        }
    }

    /// Whether the rules reach a fixed point on `url`, rather than run in a circle.
    #[doc(hidden)]
    pub fn settles(&self, url: &[u8], scratch: &mut Scratch) -> bool {
        let start = self.normal(url);
        let Some(split) = SplitUrl::new(&start) else { return true };
        self.settle(&split, scratch).is_some()
            || self.fire(&split, self.site_of(split.host()), scratch) == Fired::None
    }

    /// Whether the set has an active rule that skips URLs.
    ///
    /// ```
    /// # use undust::{Canonicalizer, Form, RuleSet, Scratch};
    /// # let set = RuleSet::from_json(r#"{"undust": 1, "sites": [{"site": "example.com", "rules": [
    /// #     {"match": "http://example.com/{...}?sid={sid}", "rewrite": "http://example.com/{...}"},
    /// #     {"id": "feeds", "match": "http://example.com/feed/{...}", "skip": true}]}]}"#).unwrap();
    /// let canonicalizer = Canonicalizer::new(&set, Form::Key).unwrap();
    /// assert!(canonicalizer.has_skips());
    /// ```
    pub fn has_skips(&self) -> bool {
        self.skips.len() > 1
    }

    /// The first rule by which `canonical`, a canonical form, need not be fetched: its page has other URLs.
    ///
    /// ```
    /// # use undust::{Canonicalizer, Form, RuleSet, Scratch};
    /// # let set = RuleSet::from_json(r#"{"undust": 1, "sites": [{"site": "example.com", "rules": [
    /// #     {"match": "http://example.com/{...}?sid={sid}", "rewrite": "http://example.com/{...}"},
    /// #     {"id": "feeds", "match": "http://example.com/feed/{...}", "skip": true}]}]}"#).unwrap();
    /// let canonicalizer = Canonicalizer::new(&set, Form::Key).unwrap();
    /// let mut scratch = Scratch::new();
    /// let rule = canonicalizer.skips(b"http://example.com/feed/7", &mut scratch);
    /// assert_eq!(rule.map(|rule| rule.id.as_str()), Some("feeds"));
    /// assert!(canonicalizer.skips(b"http://example.com/a", &mut scratch).is_none());
    /// ```
    pub fn skips(&self, canonical: &[u8], scratch: &mut Scratch) -> Option<&Rule> {
        if !self.has_skips() {
            return None;
        }
        let split = SplitUrl::new(canonical)?;
        let site = self.site_of(split.host()).map_or(0, |site| site.skips);
        if site == 0 && self.every.skips == 0 {
            return None;
        }
        scratch.lay_out(&split, true);
        let numbered =
            |rule: &Run, scratch: &mut Scratch| rule.matches_url(&split, scratch).then(|| rule.number());
        [site, self.every.skips]
            .iter()
            .find_map(|&at| self.first_of(&self.skips[at as usize], &split, scratch, numbered))
            .map(|number| &self.skip_rules[number as usize])
    }

    /// Reports the result of each rule by itself on `url`, for the rules that change it: the number of the rule among the active
    /// ones, in the order of the set, and the changed URL.
    #[doc(hidden)]
    pub fn each_change(&self, url: &[u8], scratch: &mut Scratch, report: impl FnMut(u32, &[u8])) {
        self.each_change_of(url, scratch, |_| true, report);
    }

    /// [`Canonicalizer::each_change`] of the rules that are `wanted`: the others are not run.
    #[doc(hidden)]
    pub fn each_change_of(
        &self,
        url: &[u8],
        scratch: &mut Scratch,
        wanted: impl Fn(u32) -> bool,
        mut report: impl FnMut(u32, &[u8]),
    ) {
        let Some(split) = SplitUrl::new(url) else { return };
        scratch.lay_out(&split, self.needs_labels);
        for site in self.site_of(split.host()).into_iter().chain([&self.every]) {
            self.first_of(&site.changes, &split, scratch, |rule, scratch| {
                if wanted(rule.number()) && self.run(rule, &split, scratch) != Fired::None {
                    report(rule.number(), &scratch.out);
                }
                None::<()>
            });
        }
    }

    fn normal<'u>(&self, url: &'u [u8]) -> Cow<'u, [u8]> {
        if self.normalize { normalize(url) } else { Cow::Borrowed(url) }
    }

    /// Apply rules until none changes anything. `None` when nothing fires, or when the rules run in a circle: then the
    /// URL stays what it was, which keeps canonicalization idempotent whatever the rules are.
    fn settle<'s>(&self, start: &SplitUrl, scratch: &'s mut Scratch) -> Option<&'s [u8]> {
        let site = self.site_of(start.host());
        let mut fired = self.fire(start, site, scratch);
        if fired == Fired::None {
            return None;
        }
        let mut current = std::mem::take(&mut scratch.current);
        for _ in 1..=MAX_STEPS {
            if fired != Fired::OneOfMany || too_long(scratch.out.len(), start.raw().len()) {
                break;
            }
            std::mem::swap(&mut current, &mut scratch.out);
            fired = SplitUrl::new(&current).map_or(Fired::None, |split| {
                let stays = split.host() == start.host();
                self.fire(&split, if stays { site } else { self.site_of(split.host()) }, scratch)
            });
        }
        scratch.current = current;
        match fired {
            Fired::None => Some(&scratch.current),
            Fired::Last if !too_long(scratch.out.len(), start.raw().len()) => Some(&scratch.out),
            _ => None,
        }
    }

    /// Run the first rule that changes the URL, into `scratch.out` (normalised).
    fn fire(&self, split: &SplitUrl, site: Option<&Site>, scratch: &mut Scratch) -> Fired {
        let every = &self.every.changes;
        let site = site.map(|site| &site.changes).filter(|changes| !changes.is_empty());
        if site.is_none() && every.is_empty() {
            return Fired::None;
        }
        scratch.lay_out(split, self.needs_labels);
        match site.map_or(Fired::None, |changes| self.fire_one_of(changes, split, scratch)) {
            Fired::None if every.is_empty() => Fired::None,
            // What is last among the rules of every site may not be so among those of the site.
            Fired::None => match self.fire_one_of(every, split, scratch) {
                Fired::Last if site.is_some() => Fired::OneOfMany,
                fired => fired,
            },
            Fired::Last if !every.is_empty() => Fired::OneOfMany,
            fired => fired,
        }
    }

    fn fire_one_of(&self, index: &SiteIndex, split: &SplitUrl, scratch: &mut Scratch) -> Fired {
        let fires = |rule: &Run, scratch: &mut Scratch| {
            Some(self.run(rule, split, scratch)).filter(|fired| *fired != Fired::None)
        };
        self.first_of(index, split, scratch, fires).unwrap_or(Fired::None)
    }

    /// The first `Some` of `ask` over the rules that may match the URL that `scratch` is laid out for.
    fn first_of<T>(
        &self,
        index: &SiteIndex,
        split: &SplitUrl,
        scratch: &mut Scratch,
        mut ask: impl FnMut(&Run, &mut Scratch) -> Option<T>,
    ) -> Option<T> {
        let mut candidates = std::mem::take(&mut scratch.candidates);
        index.find(&self.code, split.raw(), scratch, &mut candidates);
        let answer = candidates.iter().find_map(|&rule| ask(&Run::new(&self.code, rule), scratch));
        scratch.candidates = candidates;
        answer
    }

    /// Runs one rule and normalises its result, in `scratch.out`.
    fn run(&self, rule: &Run, split: &SplitUrl, scratch: &mut Scratch) -> Fired {
        if !rule.rewrite(split, scratch) {
            return Fired::None;
        }
        // What is normal once the rule has fired is known of normal URLs only, and a strange byte may have kept this one
        // from being normalised.
        if rule.stays_normal() && !has_strange_byte(split.raw()) {
            return if rule.is_last() { Fired::Last } else { Fired::OneOfMany };
        }
        if self.split_if_normal(&scratch.out).is_some_and(|split| !split.host().is_empty()) {
            return Fired::OneOfMany;
        }
        let normal = match self.normal(&scratch.out) {
            Cow::Borrowed(same) if same.len() == scratch.out.len() => None,
            normal => Some(normal.into_owned()),
        };
        scratch.out = normal.unwrap_or_else(|| std::mem::take(&mut scratch.out));
        let fires = scratch.out != split.raw() && keeps_host(split, &scratch.out);
        if fires { Fired::OneOfMany } else { Fired::None }
    }

    /// The site a host belongs to: by domain, the longest suffix of the host that is a site.
    fn site_of(&self, host: &[u8]) -> Option<&Site> {
        if self.sites.is_empty() {
            return None;
        }
        // Sites are known by 64-bit hashes alone: comparing names would cost a fetch from memory for every URL.
        let named =
            |name: &[u8]| if name.len() > self.longest_name { None } else { self.sites.get(&xxh3_64(name)) };
        find_by_host_suffix(host, self.site_by, named)
    }
}

/// Whether a rule needs the host cut into labels: one that matches a single host does not.
fn needs_labels(action: &Action) -> bool {
    let Some(template) = action.matches() else { return false };
    template.host.iter().any(|item| item.fixed().is_none())
}
