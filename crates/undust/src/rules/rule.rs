//! One rule: its action, its evidence, its review.

use std::fmt;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::parse::{self, Atom, SyntaxError};
use super::template::{
    Class, Convert, Filter, Fragment, Item, List, Piece, QueryKind, Template, Text, write_bytes,
};
use super::validation::{Validation, Verdict};
use crate::url::SplitUrl;

/// One rule with its evidence.
///
/// ```
/// use undust::{Action, Review, Rule};
///
/// let mut rule = Rule::new(Action::substitute("/index.html$", "/$")?);
/// assert!(rule.is_active());
/// rule.review = Review::Rejected;
/// assert!(!rule.is_active());
/// # Ok::<(), undust::SyntaxError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// Stable name: a hash of the action, unless a person gave it one.
    pub id: String,
    /// The change, or the skip.
    pub action: Action,
    /// The learner that proposed it; none for rules written by hand.
    pub learner: Option<String>,
    /// Counts from the data that it was learned from.
    pub evidence: Option<Evidence>,
    /// The result of validation; none for rules that do not depend on it.
    pub validation: Option<Validation>,
    /// The decision of a person.
    pub review: Review,
    /// A remark for the reader.
    pub note: Option<String>,
}

impl Rule {
    /// A rule without evidence, as a person would write it.
    ///
    /// ```
    /// # use undust::{Action, Rule};
    /// let rule = Rule::new(Action::skip("http://example.com/login?{...}")?);
    /// assert_eq!(rule.id.len(), 12);
    /// # Ok::<(), undust::SyntaxError>(())
    /// ```
    pub fn new(action: Action) -> Rule {
        Rule {
            id: action.id(),
            action,
            learner: None,
            evidence: None,
            validation: None,
            review: Review::default(),
            note: None,
        }
    }

    /// Whether the rule is applied. The decision of a person counts first; else a rule that was only likely must have been found valid, and
    /// any other not invalid.
    ///
    /// ```
    /// # use undust::{Action, Rule, Validation, Verdict};
    /// let mut rule = Rule::new(Action::substitute("/index.html$", "/$")?);
    /// rule.validation = Some(Validation { verdict: Verdict::Likely, ..Validation::default() });
    /// assert!(!rule.is_active());
    /// # Ok::<(), undust::SyntaxError>(())
    /// ```
    pub fn is_active(&self) -> bool {
        match self.review {
            Review::Accepted => true,
            Review::Rejected => false,
            Review::Proposed => {
                let held = |v: &Validation| matches!(v.verdict, Verdict::Valid | Verdict::Open);
                self.validation.as_ref().is_none_or(held)
            }
        }
    }

    /// Whether URLs that look alike are the only evidence so far: the rule waits for validation.
    #[doc(hidden)]
    pub fn is_likely(&self) -> bool {
        self.review == Review::Proposed && self.verdict() == Some(Verdict::Likely)
    }

    /// Whether a person rejected the rule, or validation refuted it.
    #[doc(hidden)]
    pub fn is_refused(&self) -> bool {
        let is_refuted = || self.review == Review::Proposed && self.verdict() == Some(Verdict::Invalid);
        self.review == Review::Rejected || is_refuted()
    }

    /// The verdict of validation, if there was any.
    #[doc(hidden)]
    pub fn verdict(&self) -> Option<Verdict> {
        self.validation.as_ref().map(|validation| validation.verdict)
    }
}

/// What a rule does. Made from its notation (see [`rules`](super)), and printed in it.
///
/// ```
/// use undust::Action;
///
/// let action = Action::rewrite("http://example.com/{id}?{...}", "http://example.com/{id}")?;
/// assert_eq!(action.to_string(), "http://example.com/{id}?{...} -> http://example.com/{id}");
/// # Ok::<(), undust::SyntaxError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// URLs that match a template are printed by another one.
    Rewrite(Rewrite),
    /// A piece of the URL is replaced by another one.
    Substitute(Substitute),
    /// URLs that match a template need not be fetched.
    Skip(Skip),
}

impl Action {
    /// Parses a match and a rewrite, both templates.
    ///
    /// A rule file that is to be applied to normalised URLs is read with its percent escapes normalised; here, they are taken as they are.
    ///
    /// ```
    /// # use undust::Action;
    /// let action = Action::rewrite("http://{...}/print/{id:digits}", "http://{...}/article/{id}")?;
    /// assert!(Action::rewrite("http://{...}/{id}", "http://{...}/{other}").is_err());
    /// # Ok::<(), undust::SyntaxError>(())
    /// ```
    pub fn rewrite(from: &str, to: &str) -> Result<Action, SyntaxError> {
        Ok(Action::Rewrite(Rewrite::new(parse::template(from)?, parse::template(to)?)?))
    }

    /// Parses a substitution; `^` and `$` anchor it.
    ///
    /// ```
    /// # use undust::Action;
    /// let action = Action::substitute("^http://www.example.com/", "^http://example.com/")?;
    /// # Ok::<(), undust::SyntaxError>(())
    /// ```
    pub fn substitute(from: &str, to: &str) -> Result<Action, SyntaxError> {
        Ok(Action::Substitute(Substitute::parse(from, to)?))
    }

    /// Parses the template of a skip.
    ///
    /// ```
    /// # use undust::Action;
    /// let action = Action::skip("http://example.com/calendar/{...}?{...}")?;
    /// # Ok::<(), undust::SyntaxError>(())
    /// ```
    pub fn skip(template: &str) -> Result<Action, SyntaxError> {
        Ok(Action::Skip(Skip::new(parse::template(template)?)?))
    }

    /// Whether the rule skips URLs, and changes none.
    #[doc(hidden)]
    pub fn is_skip(&self) -> bool {
        matches!(self, Action::Skip(_))
    }

    /// The template of the URLs that the rule matches; none for a substitution.
    #[doc(hidden)]
    pub fn matches(&self) -> Option<&Template> {
        match self {
            Action::Rewrite(r) => Some(&r.matches),
            Action::Skip(s) => Some(&s.matches),
            Action::Substitute(_) => None,
        }
    }

    /// Both sides in their notation; in place of the second, a skip has the word `skip`.
    ///
    /// ```
    /// # use undust::Action;
    /// let (from, to) = Action::substitute("/index.html$", "/$")?.sides();
    /// assert_eq!((from.as_str(), to.as_str()), ("/index.html$", "/$"));
    /// # Ok::<(), undust::SyntaxError>(())
    /// ```
    pub fn sides(&self) -> (String, String) {
        match self {
            Action::Rewrite(r) => (r.matches.to_string(), r.becomes.to_string()),
            Action::Substitute(s) => (s.side(&s.from).to_string(), s.side(&s.to).to_string()),
            Action::Skip(s) => (s.matches.to_string(), self.kind().to_owned()),
        }
    }

    /// Whether the rule makes URLs longer: more components, or as many and more text.
    #[doc(hidden)]
    pub fn grows(&self) -> bool {
        match self {
            Action::Rewrite(r) => size(&r.becomes) > size(&r.matches),
            Action::Substitute(s) => s.grows(),
            Action::Skip(_) => false,
        }
    }

    /// The substitution in the other direction, where there is one: a substitution by nothing cannot be reversed, and one that matches
    /// its own result would never end.
    #[doc(hidden)]
    pub fn reversed(&self) -> Option<Action> {
        let Action::Substitute(s) = self else { return None };
        let reversed = Substitute::new(s.to.clone(), s.from.clone(), s.at_start, s.at_end).ok()?;
        let feeds_itself = reversed.find(&reversed.to, 0).is_some();
        (!feeds_itself).then_some(Action::Substitute(reversed))
    }

    /// The id: twelve hex digits that depend on nothing but the notation.
    #[doc(hidden)]
    pub fn id(&self) -> String {
        let (from, to) = self.sides();
        let kind = self.kind();
        format!("{:012x}", xxh3_64(format!("{kind}\n{from}\n{to}").as_bytes()) >> 16)
    }

    fn kind(&self) -> &'static str {
        match self {
            Action::Rewrite(_) => "rewrite",
            Action::Substitute(_) => "substitute",
            Action::Skip(_) => "skip",
        }
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (from, to) = self.sides();
        write!(f, "{from} -> {to}")
    }
}

/// A match template and a rewrite template; the two fit together by construction.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Rewrite {
    matches: Template,
    becomes: Template,
}

impl Rewrite {
    /// A rewrite of these templates, or the reason why they do not fit.
    pub fn new(matches: Template, becomes: Template) -> Result<Rewrite, SyntaxError> {
        let matches = checked_match(matches)?;
        check_rewrite(&matches, &becomes).map_err(|what| SyntaxError::new(what, becomes.to_string()))?;
        Ok(Rewrite { matches, becomes })
    }

    /// The template of the URLs that the rule matches.
    pub fn matches(&self) -> &Template {
        &self.matches
    }

    /// The template that prints the result.
    pub fn becomes(&self) -> &Template {
        &self.becomes
    }
}

/// A skip: URLs of this shape lead to pages that have other URLs as well. Which ones is not known from the URL, so that its canonical form stays the
/// same; a crawler that wants every page once need not fetch it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Skip {
    matches: Template,
}

impl Skip {
    /// A skip of URLs of this shape; refuses templates that cannot be a match.
    pub fn new(matches: Template) -> Result<Skip, SyntaxError> {
        checked_match(matches).map(|matches| Skip { matches })
    }

    /// The template of the canonical forms that are skipped.
    pub fn matches(&self) -> &Template {
        &self.matches
    }
}

/// Replace one piece of a URL by another, wherever it stands on token borders (maximal alphanumeric runs are tokens).
///
/// Scheme and authority are replaced only by a substitution that names them: one that is anchored at the start, or that holds `://`. Any other
/// may have them as its context (`.com/story?id=` becomes `.com/story_`), but leaves them as they are: `//` is not the one behind the scheme.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Substitute {
    from: Vec<u8>,
    to: Vec<u8>,
    at_start: bool,
    at_end: bool,
    /// Known from the others; asked of every URL.
    names_authority: bool,
}

impl Substitute {
    /// `from` becomes `to`; anchored, `from` must stand at the start or the end of the URL.
    pub fn new(from: Vec<u8>, to: Vec<u8>, at_start: bool, at_end: bool) -> Result<Substitute, SyntaxError> {
        if from.is_empty() {
            return Err(SyntaxError::new("nothing to replace", String::from_utf8_lossy(&to)));
        }
        if from == to {
            return Err(SyntaxError::new("both sides are the same", String::from_utf8_lossy(&to)));
        }
        let names_authority = at_start || from.windows(3).any(|three| three == b"://");
        Ok(Substitute { from, to, at_start, at_end, names_authority })
    }

    fn parse(from: &str, to: &str) -> Result<Substitute, SyntaxError> {
        let (start, source, end) = anchored(from)?;
        let (_, target, _) = anchored(to)?;
        Substitute::new(source, target, start, end)
    }

    /// The text that is replaced.
    pub fn from(&self) -> &[u8] {
        &self.from
    }

    /// The replacement.
    pub fn to(&self) -> &[u8] {
        &self.to
    }

    /// Whether it must stand at the start of the URL.
    pub fn is_at_start(&self) -> bool {
        self.at_start
    }

    /// Whether it must stand at the end of the URL.
    pub fn is_at_end(&self) -> bool {
        self.at_end
    }

    /// Whether it makes URLs longer, or as long and greater.
    pub fn grows(&self) -> bool {
        (self.to.len(), &self.to) > (self.from.len(), &self.from)
    }

    /// Whether every pair of URLs that is an instance of this rule is an instance of `other`, in either direction: both sides of
    /// `other` stand here in the same surroundings (dustbuster, lemma 5.3).
    pub fn refines(&self, other: &Substitute) -> bool {
        (self.at_start || !other.at_start)
            && (self.at_end || !other.at_end)
            && (self.surrounds(other, &other.from, &other.to)
                || self.surrounds(other, &other.to, &other.from))
    }

    fn surrounds(&self, other: &Substitute, from: &[u8], to: &[u8]) -> bool {
        let Some(more) = self.from.len().checked_sub(from.len()) else { return false };
        let fits = |at: usize| {
            (at == 0 || !other.at_start)
                && (at == more || !other.at_end)
                && self.from[at..].starts_with(from)
                && self.to[at..].starts_with(to)
                && self.from[..at] == self.to[..at]
                && self.from[at + from.len()..] == self.to[at + to.len()..]
                && is_on_borders(&self.from, at, from.len())
                && is_on_borders(&self.to, at, to.len())
        };
        self.to.len().checked_sub(to.len()) == Some(more) && (0..=more).any(fits)
    }

    /// Whether it names the scheme and the authority, and so may replace them.
    pub fn names_authority(&self) -> bool {
        self.names_authority
    }

    /// Append `url` with every place replaced to `out`: left to right, places do not overlap, and token borders are those of
    /// `url` as it stands. `false`, and nothing appended, when there is no place, or when replacing all of them would join the path to the host.
    pub fn apply(&self, url: &SplitUrl, out: &mut Vec<u8>) -> bool {
        let (start, text) = (out.len(), url.raw());
        let mut copied = 0;
        while let Some(at) = self.next_place(url, copied) {
            out.extend_from_slice(&text[copied..at]);
            out.extend_from_slice(&self.to);
            copied = at + self.from.len();
        }
        if copied == 0 {
            return false;
        }
        out.extend_from_slice(&text[copied..]);
        let keeps_host = self.names_authority || starts_path(&out[start + url.path_start()..]);
        if !keeps_host {
            out.truncate(start);
        }
        keeps_host
    }

    /// The first place at `start` or behind it that may be replaced.
    fn next_place(&self, url: &SplitUrl, start: usize) -> Option<usize> {
        if self.names_authority {
            return self.find(url.raw(), start);
        }
        // A place that ends in front of the path would be one in the authority.
        let mut start = start.max(url.path_start().saturating_sub(self.from.len()));
        loop {
            let at = self.find(url.raw(), start)?;
            if self.keeps_authority(url, at) {
                return Some(at);
            }
            start = at + 1;
        }
    }

    /// Whether replacing the place `at` leaves scheme and authority of `url` as they are.
    pub fn keeps_authority(&self, url: &SplitUrl, at: usize) -> bool {
        let Some(inside) = url.path_start().checked_sub(at) else { return true };
        let behind = url.raw().get(at + self.from.len()..).unwrap_or_default();
        let (Some(before), Some(after)) = (self.from.get(..inside), self.to.get(..inside)) else {
            return false;
        };
        let path = if self.to.len() > inside { &self.to[inside..] } else { behind };
        before == after && starts_path(path)
    }

    /// The first place at `start` or behind it that is on token borders and that the anchors allow. A search for one byte is all that texts as short
    /// as URLs are worth: to make ready for a better one takes longer than to look.
    fn find(&self, url: &[u8], start: usize) -> Option<usize> {
        let at = |i: usize| {
            i >= start && url[i..].starts_with(&self.from) && is_on_borders(url, i, self.from.len())
        };
        if self.at_start {
            return (at(0) && (!self.at_end || self.from.len() == url.len())).then_some(0);
        }
        if self.at_end {
            return url.len().checked_sub(self.from.len()).filter(|&i| at(i));
        }
        let rest = url.get(start..)?;
        let Some(&first) = self.from.first() else { return (start..=url.len()).find(|&i| at(i)) };
        memchr::memchr_iter(first, rest).map(|found| start + found).find(|&i| at(i))
    }

    fn side<'a>(&'a self, bytes: &'a [u8]) -> Side<'a> {
        Side { of: self, bytes }
    }
}

/// Whether `text` ends an authority: a path, a query, a fragment or nothing.
fn starts_path(text: &[u8]) -> bool {
    text.first().is_none_or(|byte| b"/?#".contains(byte))
}

/// Whether no token is cut where `length` bytes of `url` from `at` on are taken out.
fn is_on_borders(url: &[u8], at: usize, length: usize) -> bool {
    let joined = |i: usize| {
        i > 0 && i < url.len() && url[i - 1].is_ascii_alphanumeric() && url[i].is_ascii_alphanumeric()
    };
    !joined(at) && !joined(at + length)
}

/// The tokens of a text: its maximal runs of ASCII letters and digits.
pub(crate) fn tokens(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.split(|b| !b.is_ascii_alphanumeric()).filter(|token| !token.is_empty())
}

/// One side of a substitution, for printing.
struct Side<'a> {
    of: &'a Substitute,
    bytes: &'a [u8],
}

impl fmt::Display for Side<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut bytes = self.bytes;
        f.write_str(if self.of.at_start { "^" } else { "" })?;
        if let Some(rest) = bytes.strip_prefix(b"^") {
            f.write_str("{'^'}")?;
            bytes = rest;
        }
        let dollar = bytes.strip_suffix(b"$");
        write_bytes(f, dollar.unwrap_or(bytes))?;
        f.write_str(if dollar.is_some() { "{'$'}" } else { "" })?;
        f.write_str(if self.of.at_end { "$" } else { "" })
    }
}

/// The bytes of one side of a substitution and whether it is anchored at the start and at the end.
fn anchored(text: &str) -> Result<(bool, Vec<u8>, bool), SyntaxError> {
    let fail = |what: String| SyntaxError::new(what, text);
    let mut atoms = parse::atoms(text).map_err(fail)?;
    let end = atoms.last() == Some(&Atom::Byte(b'$'));
    atoms.truncate(atoms.len() - usize::from(end));
    let start = atoms.first() == Some(&Atom::Byte(b'^'));
    let bytes = atoms[usize::from(start)..].iter().map(|atom| match atom {
        Atom::Byte(b) | Atom::Quoted(b) => Ok(*b),
        _ => Err(fail("a substitution holds fixed text only (write {'*'} for the character)".into())),
    });
    Ok((start, bytes.collect::<Result<_, _>>()?, end))
}

/// Counts from the data that a rule was learned from.
///
/// ```
/// let evidence = undust::Evidence { trials: 400, false_positives: 0, bound: 0.0075, ..Default::default() };
/// assert!(evidence.bound < 0.01);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(
    feature = "schema",
    schemars(description = "What was seen of a rule in the data it was learned from.")
)]
#[serde(default, deny_unknown_fields)]
pub struct Evidence {
    /// How often the learner saw it: URL pairs that gave the rule.
    pub support: u64,
    /// URLs that the rule saved, of all it was learned from and judged on; of a skip, those it skips.
    pub saved: u64,
    /// Held-out URLs on which the rule was judged: those it would have spared.
    pub trials: u64,
    /// Of these, URLs that would have been lost: their content is not that of the page kept, or, if skipped, of any page kept.
    pub false_positives: u64,
    /// Upper confidence bound (95 %) of the share of false positives.
    pub bound: f64,
    /// URLs that the rule makes equal.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<[String; 2]>,
}

/// The decision of a person on a rule. Rejected rules are kept, so that they are not proposed again, and never applied.
///
/// ```
/// assert_eq!(undust::Review::default(), undust::Review::Proposed);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(
    feature = "schema",
    schemars(
        description = "What a person said of a rule. Rejected rules are kept, so that they are not proposed again, and never applied."
    )
)]
#[serde(rename_all = "lowercase")]
pub enum Review {
    /// Nobody has looked at it yet.
    #[default]
    Proposed,
    /// Somebody said yes.
    Accepted,
    /// Somebody said no.
    Rejected,
}

impl Review {
    /// The word used in the rule file.
    #[doc(hidden)]
    pub fn name(self) -> &'static str {
        match self {
            Review::Proposed => "proposed",
            Review::Accepted => "accepted",
            Review::Rejected => "rejected",
        }
    }
}

/// The limit of fixed text in a template: more than any URL that is worth a rule.
pub(crate) const MAX_TEMPLATE_BYTES: usize = 32_000;

fn check_size(template: &Template) -> Result<(), String> {
    let (components, bytes) = size(template);
    let words = |piece: &Piece| match piece {
        Piece::Hole { class, .. } => class.words().iter().map(Vec::len).sum(),
        _ => 0,
    };
    let words: usize = template.texts().flatten().map(words).sum();
    let words = words + template.query.iter().flatten().map(|item| named_bytes(&item.kind)).sum::<usize>();
    if components + bytes + words > MAX_TEMPLATE_BYTES {
        Err(format!("more than {MAX_TEMPLATE_BYTES} bytes"))
    } else {
        Ok(())
    }
}

/// The bytes of names and values that a condition or a function of parameters holds.
fn named_bytes(kind: &QueryKind) -> usize {
    match kind {
        QueryKind::If(name, _) | QueryKind::Unless(name, _) => name.len(),
        QueryKind::AnyName(names, _) => names.iter().map(|name| name.len() + 1).sum(),
        QueryKind::Others { filter: Filter::Only(names), .. } => {
            names.iter().map(|name| name.len() + 1).sum()
        }
        QueryKind::Others { filter: Filter::Without(params), .. } => {
            params.iter().map(|(name, value)| name.len() + value.as_ref().map_or(0, Vec::len) + 1).sum()
        }
        QueryKind::Others { filter: Filter::With(values), .. } => {
            values.iter().map(|(name, _)| name.len() + 1).sum()
        }
        QueryKind::Param(..) | QueryKind::Absent(_) | QueryKind::Others { .. } => 0,
    }
}

fn checked_match(template: Template) -> Result<Template, SyntaxError> {
    match check_match(&template) {
        Ok(()) => Ok(template),
        Err(what) => Err(SyntaxError::new(what, template.to_string())),
    }
}

fn check_match(template: &Template) -> Result<(), String> {
    check_size(template)?;
    for text in template.texts() {
        for (i, piece) in text.iter().enumerate() {
            check_match_piece(piece, text.get(i + 1))?;
        }
    }
    for list in [&template.host, &template.path] {
        match rests(list).as_slice() {
            [] | [Convert::Copy] => {}
            [_] => return Err("a match does not convert".into()),
            _ => return Err("{...} can stand once in a host and once in a path".into()),
        }
    }
    template.query.iter().flatten().try_for_each(|item| check_condition(&item.kind))?;
    match others(template).as_slice() {
        [] | [(false, Filter::All)] => Ok(()),
        [(true, _)] => Err("a match does not sort".into()),
        [_] => Err("a match does not choose parameters: that is for the rewrite".into()),
        _ => Err("{...} can stand once in a query".into()),
    }
}

/// A condition that must not hold remembers nothing, and the notation has no way to say braces in the words of one.
fn check_condition(kind: &QueryKind) -> Result<(), String> {
    let (text, negated) = match kind {
        QueryKind::If(_, Some(text)) => (text, false),
        QueryKind::Unless(_, text) => (text, true),
        _ => return Ok(()),
    };
    for piece in text {
        let Piece::Hole { name, class, .. } = piece else { continue };
        if negated && !name.is_empty() {
            return Err(format!("{{unless …}} remembers nothing: write {{{name}}} without a name"));
        }
        if class.words().iter().flatten().any(|byte| b"{}".contains(byte)) {
            return Err("a word in a condition holds no brace".into());
        }
    }
    Ok(())
}

fn check_match_piece(piece: &Piece, next: Option<&Piece>) -> Result<(), String> {
    let open_ended = match piece {
        Piece::Literal(_) => false,
        Piece::Star => true,
        Piece::Hole { convert, .. } if *convert != Convert::Copy => {
            return Err("a match does not convert".into());
        }
        Piece::Hole { class, .. } => class.is_open(),
    };
    let has_end = match next {
        None | Some(Piece::Literal(_)) => true,
        Some(Piece::Star) => false,
        Some(Piece::Hole { class, optional, .. }) => class.ends_hole() && !optional,
    };
    if open_ended && !has_end {
        return Err(
            "where the first of two neighbouring holes ends is open: put text or a class between".into()
        );
    }
    Ok(())
}

fn check_rewrite(matches: &Template, becomes: &Template) -> Result<(), String> {
    check_size(becomes)?;
    let bound = hole_names(matches);
    for piece in becomes.texts().flatten() {
        if let Piece::Hole { name, class, optional, .. } = piece {
            if *class != Class::Any || *optional {
                return Err(format!("a rewrite copies: write {{{name}}}"));
            }
            if name.is_empty() || !bound.contains(&name.as_str()) {
                return Err(format!("the match has no {{{name}}}"));
            }
        }
    }
    let copies = |what: &str, there: usize, here: usize| match (there, here) {
        (_, 0) | (1, 1) => Ok(()),
        (0, _) => Err(format!("the match has no {{...}} in its {what}")),
        _ => Err(format!("{{...}} can stand once in a {what}")),
    };
    copies("host", rests(&matches.host).len(), rests(&becomes.host).len())?;
    copies("path", rests(&matches.path).len(), rests(&becomes.path).len())?;
    copies("query", others(matches).len(), others(becomes).len())?;
    let any = |t: &Template| usize::from(t.fragment == Some(Fragment::Any));
    copies("fragment", any(matches), any(becomes))?;
    becomes.query.iter().flatten().try_for_each(|item| check_printed(&item.kind))
}

fn check_printed(kind: &QueryKind) -> Result<(), String> {
    let wrong = match kind {
        QueryKind::Absent(_) => Some("a rewrite leaves out what is to be absent"),
        QueryKind::AnyName(..) => Some("a parameter is printed under one name"),
        kind if kind.is_condition() => Some("a condition belongs into the match"),
        QueryKind::Others { filter, .. } => filter_fault(filter),
        _ => None,
    };
    wrong.map_or(Ok(()), |wrong| Err(wrong.into()))
}

fn filter_fault(filter: &Filter) -> Option<&'static str> {
    let empty = match filter {
        Filter::All => false,
        Filter::Only(names) => names.is_empty(),
        Filter::Without(params) => params.is_empty(),
        Filter::With(values) => values.is_empty(),
    };
    let Filter::With(values) = filter else { return empty.then_some("a list of parameters is empty") };
    if values.iter().flat_map(|(_, text)| text).any(|piece| *piece == Piece::Star) {
        return Some("with() does not print *: leave the parameter out");
    }
    let twice = values.windows(2).any(|pair| pair[0].0 == pair[1].0);
    let wrong = [(empty, "a list of parameters is empty"), (twice, "with() gives a parameter one value")];
    wrong.into_iter().find(|(is_wrong, _)| *is_wrong).map(|(_, what)| what)
}

/// How many components a template has, and how much fixed text.
fn size(template: &Template) -> (usize, usize) {
    let entries = template.query.as_ref().map_or(0, Vec::len);
    let parts = [template.userinfo.is_some(), template.port.is_some(), template.fragment.is_some()];
    let components =
        template.host.len() + template.path.len() + entries + parts.iter().filter(|p| **p).count();
    let fixed = |piece: &Piece| if let Piece::Literal(bytes) = piece { bytes.len() } else { 0 };
    let names = template.query.iter().flatten().map(|item| match &item.kind {
        QueryKind::Param(name, _) => name.len(),
        _ => 0,
    });
    (components, template.texts().flatten().map(fixed).sum::<usize>() + names.sum::<usize>())
}

/// The names of the holes of a template.
pub(crate) fn hole_names(template: &Template) -> Vec<&str> {
    fn names(text: &Text) -> impl Iterator<Item = &str> {
        text.iter().filter_map(|piece| match piece {
            Piece::Hole { name, .. } => Some(name.as_str()),
            _ => None,
        })
    }
    template.texts().flat_map(names).collect()
}

fn rests(list: &List) -> Vec<Convert> {
    list.iter()
        .filter_map(|item| if let Item::Rest(convert) = item { Some(*convert) } else { None })
        .collect()
}

fn others(template: &Template) -> Vec<(bool, &Filter)> {
    let items = template.query.iter().flatten();
    items
        .filter_map(|i| match &i.kind {
            QueryKind::Others { sorted, filter } => Some((*sorted, filter)),
            _ => None,
        })
        .collect()
}

#[cfg(test)]
mod tests;
