//! The reference interpreter: walks the templates as they are written, copies freely, knows no index.
//!
//! The compiled engine is tested against it, and [`explain`] shows its steps.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::error::CompileError;
use super::form::{Form, in_form};
use super::{MAX_STEPS, keeps_host, too_long};
use crate::rules::template::{
    Class, Filter, Fragment, Item, List, Piece, QueryItem, QueryKind, Template, Text,
};
use crate::rules::{Action, EVERY_SITE, Rewrite, Rule, RuleSet, Substitute};
use crate::url::{Param, SplitUrl, find_by_host_suffix, normalize};

/// The reference interpreter of the rules of a set. A model is not applied: see [`explain`].
#[derive(Clone, Copy, Debug)]
#[doc(hidden)]
pub struct Naive<'r> {
    set: &'r RuleSet,
    form: Form,
}

/// One change on the way to the canonical form; see [`explain`].
///
/// ```
/// use undust::{Form, RuleSet, explain};
///
/// let set = RuleSet::default();
/// let trace = explain(&set, Form::Key, b"HTTP://example.com/")?;
/// assert!(trace.steps[0].rule.is_none(), "safe normalisation, no rule");
/// assert_eq!(trace.steps[0].after, b"http://example.com/");
/// # Ok::<(), undust::CompileError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Step<'r> {
    /// The rule that fired; none for the safe normalisation.
    pub rule: Option<&'r Rule>,
    /// The URL after the change.
    pub after: Vec<u8>,
}

/// The changes of one URL on the way to its canonical form; made by [`explain`].
///
/// ```
/// use undust::{Form, RuleSet, explain};
///
/// let set = RuleSet::default();
/// let trace = explain(&set, Form::Key, b"http://example.com/")?;
/// assert!(trace.settled && trace.steps.is_empty());
/// assert_eq!(trace.result, b"http://example.com/");
/// # Ok::<(), undust::CompileError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Trace<'r> {
    /// Every change, in order.
    pub steps: Vec<Step<'r>>,
    /// Whether the rules reached a fixed point. If not, they run in a circle and the URL stays as it was (normalised).
    pub settled: bool,
    /// The canonical form.
    pub result: Vec<u8>,
}

/// The canonical form of `url` with the rules that lead to it, in order: what [`Canonicalizer`](super::Canonicalizer) does, shown step by step.
///
/// Refuses the same rule sets as [`Canonicalizer::new`](super::Canonicalizer::new). Slow: it looks at every rule of the site.
///
/// ```
/// use undust::{Form, RuleSet, explain};
///
/// let set = RuleSet::from_json(
///     r#"{"undust": 1, "sites": [{"site": "example.com", "rules": [
///         {"id": "no-session", "match": "http://{...}/{...}?sid={sid}&{...}", "rewrite": "http://{...}/{...}?{...}"}
///     ]}]}"#,
/// )?;
/// let trace = explain(&set, Form::Key, b"http://example.com/a?sid=1")?;
/// assert_eq!(trace.result, b"http://example.com/a");
/// assert_eq!(trace.steps[0].rule.map(|rule| rule.id.as_str()), Some("no-session"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn explain<'r>(set: &'r RuleSet, form: Form, url: &[u8]) -> Result<Trace<'r>, CompileError> {
    match CompileError::of(set) {
        None => Ok(Naive::new(set, form).trace(url)),
        Some(error) => Err(error),
    }
}

impl<'r> Naive<'r> {
    /// An interpreter of `set`.
    pub fn new(set: &'r RuleSet, form: Form) -> Naive<'r> {
        Naive { set, form }
    }

    /// The canonical form of `url`.
    pub fn canonicalize(&self, url: &[u8]) -> Vec<u8> {
        self.trace(url).result
    }

    /// The canonical form of `url`, with the way to it.
    pub fn trace(&self, url: &[u8]) -> Trace<'r> {
        let mut steps = Vec::new();
        let start = self.normal(url, &mut steps);
        let mut current = start.clone();
        for _ in 0..=MAX_STEPS {
            let Some((rule, after)) = self.fire(&current) else {
                return Trace { steps, settled: true, result: current };
            };
            steps.push(Step { rule: Some(rule), after: after.clone() });
            current = self.normal(&after, &mut steps);
            if too_long(current.len(), start.len()) {
                break;
            }
        }
        Trace { steps, settled: false, result: start }
    }

    /// The first active rule that skips `canonical`, a canonical form.
    pub fn skips(&self, canonical: &[u8]) -> Option<&'r Rule> {
        let split = SplitUrl::new(canonical)?;
        self.rules_for(split.host())
            .find(|rule| matches!(&rule.action, Action::Skip(skip) if bind(skip.matches(), &split).is_some()))
    }

    fn normal(&self, url: &[u8], steps: &mut Vec<Step<'r>>) -> Vec<u8> {
        if !self.set.normalize {
            return url.to_vec();
        }
        let normal = normalize(url).into_owned();
        if normal != url {
            steps.push(Step { rule: None, after: normal.clone() });
        }
        normal
    }

    /// The first rule that changes `url` (normalisation does not take the change back), and what it makes of it.
    fn fire(&self, url: &[u8]) -> Option<(&'r Rule, Vec<u8>)> {
        let split = SplitUrl::new(url)?;
        self.rules_for(split.host()).find_map(|rule| {
            let action = in_form(&rule.action, self.form)?;
            let after = rewrite_once(&action, &split)?;
            let normal = if self.set.normalize { normalize(&after) } else { Cow::Borrowed(after.as_slice()) };
            let fires = *normal != *url && keeps_host(&split, &normal);
            fires.then_some((rule, after))
        })
    }

    /// The rules of the host's site (by domain: the longest suffix that the set knows), then those of every site.
    fn rules_for(&self, host: &[u8]) -> impl Iterator<Item = &'r Rule> {
        let site = find_by_host_suffix(host, self.set.site_by, |name| self.rules_of(name));
        let every = self.rules_of(EVERY_SITE.as_bytes());
        site.unwrap_or_default().iter().chain(every.unwrap_or_default()).filter(|r| r.is_active())
    }

    fn rules_of(&self, site: &[u8]) -> Option<&'r [Rule]> {
        self.set.sites.iter().find(|s| s.site.as_bytes() == site).map(|s| s.rules.as_slice())
    }
}

/// The result of `action` on a URL; `None` if it does not match.
pub(super) fn rewrite_once(action: &Action, url: &SplitUrl) -> Option<Vec<u8>> {
    match action {
        Action::Rewrite(rewrite) => rewrite_template(rewrite, url),
        Action::Substitute(substitute) => replace(substitute, url),
        Action::Skip(_) => None,
    }
}

fn replace(substitute: &Substitute, url: &SplitUrl) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    substitute.apply(url, &mut out).then_some(out)
}

/// The values that a match captures from a URL.
#[derive(Default)]
struct Bindings<'u> {
    holes: BTreeMap<String, &'u [u8]>,
    host_rest: Vec<&'u [u8]>,
    path_rest: Vec<&'u [u8]>,
    others: Vec<Param<'u>>,
    fragment: Option<&'u [u8]>,
    separator: u8,
}

fn rewrite_template(rewrite: &Rewrite, url: &SplitUrl) -> Option<Vec<u8>> {
    let bound = bind(rewrite.matches(), url)?;
    let repeats = |filter: &Filter| match filter {
        Filter::With(values) => values
            .iter()
            .any(|(name, _)| bound.others.iter().filter(|p| p.name == name.as_slice()).count() > 1),
        _ => false,
    };
    let query = rewrite.becomes().query.iter().flatten();
    let repeated =
        query.into_iter().any(|i| matches!(&i.kind, QueryKind::Others { filter, .. } if repeats(filter)));
    (!repeated).then(|| print(rewrite.becomes(), &bound))
}

fn bind<'u>(template: &Template, url: &SplitUrl<'u>) -> Option<Bindings<'u>> {
    let mut bound = Bindings::default();
    let second = url.params().nth(1);
    bound.separator = second.map_or(b'&', |p| p.separator);
    match_text(&template.scheme, url.scheme(), &mut bound)?;
    match_option(template.userinfo.as_ref(), url.userinfo(), &mut bound)?;
    bound.host_rest = match_list(&template.host, url.labels().collect(), &mut bound)?;
    match_option(template.port.as_ref(), url.port(), &mut bound)?;
    bound.path_rest = match_list(&template.path, url.segments().collect(), &mut bound)?;
    bound.others = match_query(template.query.as_deref(), url, &mut bound)?;
    match &template.fragment {
        Some(Fragment::Any) => bound.fragment = url.fragment(),
        Some(Fragment::Text(text)) => match_text(text, url.fragment()?, &mut bound)?,
        None if url.fragment().is_some() => return None,
        None => {}
    }
    for item in template.query.iter().flatten() {
        check_condition(&item.kind, url, &mut bound)?;
    }
    Some(bound)
}

/// A condition on all parameters of the URL; what is captured comes from the first that fits.
fn check_condition<'u>(kind: &QueryKind, url: &SplitUrl<'u>, bound: &mut Bindings<'u>) -> Option<()> {
    let of_name = |name: &[u8]| url.params().filter(move |p| p.name == name).collect::<Vec<_>>();
    match kind {
        QueryKind::If(name, None) => of_name(name).first().map(|_| ()),
        QueryKind::If(name, Some(text)) => of_name(name).into_iter().find_map(|p| {
            let before = bound.holes.clone();
            let fits = match_text(text, p.value?, bound);
            if fits.is_none() {
                bound.holes = before;
            }
            fits
        }),
        QueryKind::Unless(name, text) => {
            let fits = |p: &Param| p.value.is_some_and(|value| fits(text, value));
            (!of_name(name).iter().any(fits)).then_some(())
        }
        _ => Some(()),
    }
}

fn match_option<'u>(text: Option<&Text>, value: Option<&'u [u8]>, bound: &mut Bindings<'u>) -> Option<()> {
    match (text, value) {
        (None, None) => Some(()),
        (Some(text), Some(value)) => match_text(text, value, bound),
        _ => None,
    }
}

/// Matches items from both ends; the remainder in between goes to `{...}`.
fn match_list<'u>(list: &List, values: Vec<&'u [u8]>, bound: &mut Bindings<'u>) -> Option<Vec<&'u [u8]>> {
    let mut values = std::collections::VecDeque::from(values);
    let before = list.iter().take_while(|item| matches!(item, Item::One(_))).count();
    for item in &list[..before] {
        let Item::One(text) = item else { continue };
        match_text(text, values.pop_front()?, bound)?;
    }
    let Some(after) = list.get(before + 1..) else {
        return values.is_empty().then(Vec::new);
    };
    let tail_start = values.len().checked_sub(after.len())?;
    let tail = values.split_off(tail_start);
    for (item, value) in after.iter().zip(tail) {
        let Item::One(text) = item else { continue };
        match_text(text, value, bound)?;
    }
    Some(values.into())
}

fn match_query<'u>(
    items: Option<&[QueryItem]>,
    url: &SplitUrl<'u>,
    bound: &mut Bindings<'u>,
) -> Option<Vec<Param<'u>>> {
    let Some(items) = items else { return url.query().is_none().then(Vec::new) };
    let mut left: Vec<Param> = url.params().collect();
    let mut named: Vec<&[u8]> = Vec::new();
    let mut others = false;
    for item in items {
        match &item.kind {
            QueryKind::Param(name, value) => {
                let at = left.iter().position(|p| p.name == name.as_slice())?;
                match_option(value.as_ref(), left.remove(at).value, bound)?;
                named.push(name);
            }
            QueryKind::AnyName(names, value) => {
                let at = left.iter().position(|p| names.iter().any(|name| p.name == name.as_slice()))?;
                match_option(value.as_ref(), left.remove(at).value, bound)?;
                named.extend(names.iter().map(Vec::as_slice));
            }
            QueryKind::Absent(name) => named.push(name),
            QueryKind::Others { .. } => others = true,
            // Asked when everything else is known.
            QueryKind::If(..) | QueryKind::Unless(..) => {}
        }
    }
    let absent = !left.iter().any(|p| named.contains(&p.name));
    let complete = if others { true } else { left.is_empty() && url.query().is_some() };
    (absent && complete).then_some(left)
}

/// Whether a text of a match fits `value`, whatever its holes hold elsewhere.
pub(super) fn fits(text: &Text, value: &[u8]) -> bool {
    match_text(text, value, &mut Bindings::default()).is_some()
}

fn match_text<'u>(text: &Text, value: &'u [u8], bound: &mut Bindings<'u>) -> Option<()> {
    let mut rest = value;
    for (i, piece) in text.iter().enumerate() {
        let next = text.get(i + 1);
        let is_last = i + 2 >= text.len();
        let (class, least) = match piece {
            Piece::Hole { class, optional, .. } => (class, usize::from(!optional)),
            Piece::Literal(_) | Piece::Star => (&Class::Any, 1),
        };
        let taken = match (piece, next) {
            (Piece::Literal(bytes), _) => rest.starts_with(bytes).then_some(bytes.len())?,
            (_, Some(Piece::Hole { class: end, .. })) if class.is_open() => {
                up_to_class(class, least, end, is_last, rest)?
            }
            _ => take(class, least, next, is_last, rest)?,
        };
        let (held, after) = rest.split_at(taken);
        rest = after;
        if let Piece::Hole { name, .. } = piece
            && !name.is_empty()
        {
            let first = *bound.holes.entry(name.clone()).or_insert(held);
            if first != held {
                return None;
            }
        }
    }
    rest.is_empty().then_some(())
}

/// How much of `rest` an open hole takes before a hole of the class `end`: up to the first place where that stands.
fn up_to_class(class: &Class, least: usize, end: &Class, end_is_last: bool, rest: &[u8]) -> Option<usize> {
    let stands = |at: usize| {
        let inside = at > least && rest[at - 1].is_ascii_digit();
        let taken = take(end, 1, None, true, &rest[at..]);
        !(inside && end.is_number()) && taken.is_some_and(|taken| !end_is_last || at + taken == rest.len())
    };
    let taken = (least..rest.len()).find(|&at| stands(at))?;
    (!class.excludes(&rest[..taken])).then_some(taken)
}

/// How much of `rest` a hole takes: see the rules at the end of the `template` module's introduction.
fn take(class: &Class, least: usize, next: Option<&Piece>, next_is_last: bool, rest: &[u8]) -> Option<usize> {
    let taken = match (class, next) {
        (Class::OneOf(words), _) => {
            let fitting = words.iter().filter(|w| rest.starts_with(w));
            fitting.map(Vec::len).max().or((least == 0).then_some(0))?
        }
        (Class::AnyCase(words), _) => {
            let starts = |w: &&Vec<u8>| rest.to_ascii_lowercase().starts_with(w);
            words.iter().filter(starts).map(Vec::len).max().or((least == 0).then_some(0))?
        }
        (Class::ExactDigits(count), _) => {
            let count = usize::from(*count);
            let is_run = rest.iter().take_while(|b| b.is_ascii_digit()).count() >= count;
            if is_run { count } else { 0 }
        }
        (class, None) if class.is_open() => rest.len(),
        (class, Some(Piece::Literal(bytes))) if class.is_open() && next_is_last => {
            rest.ends_with(bytes).then(|| rest.len() - bytes.len())?
        }
        (class, Some(Piece::Literal(bytes))) if class.is_open() => {
            (least..=rest.len().checked_sub(bytes.len())?).find(|&i| rest[i..].starts_with(bytes))?
        }
        (class, Some(_)) if class.is_open() => return None,
        (class, _) => rest.iter().take_while(|b| class.holds(**b)).count(),
    };
    (taken >= least && !class.excludes(&rest[..taken])).then_some(taken)
}

fn print(template: &Template, bound: &Bindings) -> Vec<u8> {
    let mut out = Vec::new();
    print_text(&template.scheme, bound, &mut out);
    out.extend_from_slice(b"://");
    if let Some(userinfo) = &template.userinfo {
        print_text(userinfo, bound, &mut out);
        out.push(b'@');
    }
    out.extend(print_list(&template.host, &bound.host_rest, bound).join(&b'.'));
    if let Some(port) = &template.port {
        out.push(b':');
        print_text(port, bound, &mut out);
    }
    for segment in print_list(&template.path, &bound.path_rest, bound) {
        out.push(b'/');
        out.extend(segment);
    }
    print_query(template.query.as_deref(), bound, &mut out);
    match &template.fragment {
        None => {}
        Some(Fragment::Any) => {
            if let Some(fragment) = bound.fragment {
                out.push(b'#');
                out.extend_from_slice(fragment);
            }
        }
        Some(Fragment::Text(text)) => {
            out.push(b'#');
            print_text(text, bound, &mut out);
        }
    }
    out
}

fn print_list(list: &List, rest: &[&[u8]], bound: &Bindings) -> Vec<Vec<u8>> {
    let mut printed = Vec::new();
    for item in list {
        match item {
            Item::One(text) => {
                let mut one = Vec::new();
                print_text(text, bound, &mut one);
                printed.push(one);
            }
            Item::Rest(convert) => printed.extend(rest.iter().map(|value| {
                let mut one = Vec::new();
                convert.append(value, &mut one);
                one
            })),
        }
    }
    printed
}

fn print_query(items: Option<&[QueryItem]>, bound: &Bindings, out: &mut Vec<u8>) {
    let Some(items) = items else { return };
    if items.is_empty() {
        out.push(b'?');
    }
    let mut params: Vec<(u8, Vec<u8>)> = Vec::new();
    for (i, item) in items.iter().enumerate() {
        match &item.kind {
            QueryKind::Param(name, value) => {
                let mut one = name.clone();
                if let Some(value) = value {
                    one.push(b'=');
                    print_text(value, bound, &mut one);
                }
                params.push((item.separator, one));
            }
            QueryKind::AnyName(..) | QueryKind::Absent(_) | QueryKind::If(..) | QueryKind::Unless(..) => {}
            QueryKind::Others { sorted, filter } => {
                let separator = match (i, items.get(1)) {
                    (0, None) => bound.separator,
                    (0, Some(second)) => second.separator,
                    _ => item.separator,
                };
                let printed = print_others(bound, *sorted, filter);
                params.extend(printed.into_iter().map(|p| (separator, p)));
            }
        }
    }
    for (i, (separator, param)) in params.into_iter().enumerate() {
        out.push(if i == 0 { b'?' } else { separator });
        out.extend(param);
    }
}

fn print_others(bound: &Bindings, sorted: bool, filter: &Filter) -> Vec<Vec<u8>> {
    let mut others = bound.others.clone();
    others.retain(|p| filter.keeps(p.name, p.value));
    if sorted {
        // Stable: the order of repeated parameters may matter.
        others.sort_by_key(|p| p.name);
    }
    let print = |p: Param| match (filter.value(p.name), p.value) {
        (Some(text), _) => {
            let mut one = [p.name, b"="].concat();
            print_text(text, bound, &mut one);
            one
        }
        (None, Some(value)) => [p.name, b"=", value].concat(),
        (None, None) => p.name.to_vec(),
    };
    others.into_iter().map(print).collect()
}

fn print_text(text: &Text, bound: &Bindings, out: &mut Vec<u8>) {
    for piece in text {
        match piece {
            Piece::Literal(bytes) => out.extend_from_slice(bytes),
            Piece::Star => out.push(b'*'),
            Piece::Hole { name, convert, .. } => {
                convert.append(bound.holes.get(name).copied().unwrap_or_default(), out);
            }
        }
    }
}
