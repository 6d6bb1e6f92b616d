//! Shapes of URLs that never lead to anything new: `?p=482` is the page of some slug, and nobody can tell which from the URL, but on the evidence every page behind such
//! a URL is also reached by another one. They are not rewritten; a crawler may leave them out.
//!
//! Shapes are taken from what rules make of the site's URLs, without a look at the labels. Of a shape's URLs, each page counts once: it is a *trial*, and it is *lost* if no URL
//! of another shape leads to it. A shape is skipped if the share of lost pages is at most `max_fpr`, with 95 % confidence (exact binomial).

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use undust::apply::{Canonicalizer, Form, Scratch};
use undust::rules::template::{Class, Convert, Item, Piece, QueryItem, QueryKind, Template, Text, literal};
use undust::rules::{Action, EVERY_SITE, Evidence, Rule, RuleSet, Skip};
use undust::url::{SiteBy, SplitUrl};

use crate::again::{Judged, bound};
use crate::bound::upper_bound;
use crate::select::{Given, same::SAME_SHARE};
use crate::site::Site;

/// Who proposes skips, in rule files.
const NAME: &str = "redundant";
/// A text that so many URLs have in one place is a word there.
const FREQUENT: usize = 10;
/// Shapes that skip less are not worth reading.
const LEAST_SKIPPED: usize = 10;
/// Example pairs kept per rule.
const MOST_EXAMPLES: usize = 3;
/// Of all shapes, so many are looked at, the most frequent ones.
const MOST_SHAPES: usize = 256;

/// Shapes of URLs with more components and parameters than this are nobody's design.
const MOST_TEXTS: usize = 64;

/// Which shapes are skipped.
#[derive(Debug, Default)]
pub struct Skips {
    /// The rules that skip them, without those that were given.
    pub rules: Vec<Rule>,
    /// What the site shows of each standing skip.
    pub standing: Vec<Option<Judged>>,
    /// How many shapes are what a refused rule skips.
    pub left_out: u64,
}

/// The rules that skip redundant shapes of a site whose URLs have the rules of `applied`, given earlier skips.
pub fn skips(site: &Site, applied: &RuleSet, given: Given<'_>, max_fpr: f64) -> Skips {
    let keys = keys(site, applied);
    let mut reached = Reached::by(&keys);
    let mut judge = |rule: &Rule| {
        let members = skipped(rule, &keys);
        let evidence = reached.evidence(&keys, &members);
        reached.leave_out(&keys, &members);
        let lost = evidence.false_positives;
        Some(Judged::new(evidence, lost, max_fpr))
    };
    let standing = given.standing.iter().map(&mut judge).collect();
    let refused: Vec<Vec<usize>> = given.refused.iter().map(|rule| skipped(rule, &keys)).collect();
    let mut skips = Skips { standing, ..Skips::default() };
    // Shapes that are most surely redundant go first: of two that lead to the same pages, only one can be left out.
    let mut shapes = shapes(&keys);
    shapes.sort_by_key(|(_, members)| reached.lost(&keys, members).0);
    for (shape, members) in shapes {
        let (lost, trials) = reached.lost(&keys, &members);
        let is_sure = trials >= LEAST_SKIPPED as u64 && upper_bound(lost, trials) <= max_fpr;
        let Some(action) = shape.skip().filter(|_| is_sure) else { continue };
        if refused.iter().any(|theirs| are_alike(theirs, &members)) {
            skips.left_out += 1;
            continue;
        }
        let evidence = Some(reached.evidence(&keys, &members));
        reached.leave_out(&keys, &members);
        skips.rules.push(Rule { learner: Some(NAME.to_owned()), evidence, ..Rule::new(action) });
    }
    skips
}

/// The shapes that keys have, each with its keys, the most frequent ones first.
fn shapes(keys: &[KeyOf]) -> Vec<(Shape, Vec<usize>)> {
    let words = Words::count(keys);
    let mut shapes: BTreeMap<Shape, Vec<usize>> = BTreeMap::new();
    for (at, key) in keys.iter().enumerate() {
        if let Some(shape) = words.shape(&key.url).filter(Shape::may_be_redundant) {
            shapes.entry(shape).or_default().push(at);
        }
    }
    let mut shapes: Vec<(Shape, Vec<usize>)> = shapes.into_iter().collect();
    shapes.retain(|(_, members)| members.len() >= LEAST_SKIPPED && members.len() * 2 < keys.len());
    shapes.sort_by_key(|(shape, members)| (Reverse(members.len()), Reverse(shape.params.len())));
    shapes.truncate(MOST_SHAPES);
    shapes
}

/// The keys that a rule skips, in order.
fn skipped(rule: &Rule, keys: &[KeyOf]) -> Vec<usize> {
    let alone = vec![Rule::new(rule.action.clone())];
    let engine = Canonicalizer::of_rules(&RuleSet::of_site(EVERY_SITE, SiteBy::Host, alone), Form::Key);
    let mut scratch = Scratch::new();
    let mut is_skipped = |at: &usize| engine.skips(&keys[*at].url, &mut scratch).is_some();
    (0..keys.len()).filter(&mut is_skipped).collect()
}

/// Whether two rules skip the same, but for a tenth of what either skips.
fn are_alike(a: &[usize], b: &[usize]) -> bool {
    let both = a.iter().filter(|at| b.binary_search(at).is_ok()).count();
    both > 0 && both as f64 >= SAME_SHARE * (a.len() + b.len() - both) as f64
}

/// A canonical form, and the pages of its URLs.
struct KeyOf {
    url: Vec<u8>,
    pages: BTreeSet<u32>,
}

fn keys(site: &Site, applied: &RuleSet) -> Vec<KeyOf> {
    let engine = Canonicalizer::of_rules(applied, Form::Key);
    let mut scratch = Scratch::new();
    let mut keys: BTreeMap<Vec<u8>, BTreeSet<u32>> = BTreeMap::new();
    let mut url = Vec::new();
    for row in 0..site.len() as u32 {
        url.clear();
        site.write_url(row, &mut url);
        keys.entry(engine.canonicalize(&url, &mut scratch).into_owned())
            .or_default()
            .insert(site.cluster(row));
    }
    keys.into_iter().map(|(url, pages)| KeyOf { url, pages }).collect()
}

/// How many canonical forms that are not skipped lead to each page.
struct Reached {
    forms: HashMap<u32, Vec<usize>>,
}

impl Reached {
    fn by(keys: &[KeyOf]) -> Reached {
        let mut forms: HashMap<u32, Vec<usize>> = HashMap::new();
        for (at, key) in keys.iter().enumerate() {
            for &page in &key.pages {
                forms.entry(page).or_default().push(at);
            }
        }
        Reached { forms }
    }

    /// Of the pages that these forms lead to, those that no others lead to, and all.
    fn lost(&self, keys: &[KeyOf], members: &[usize]) -> (u64, u64) {
        let mut times: BTreeMap<u32, usize> = BTreeMap::new();
        for page in members.iter().flat_map(|at| &keys[*at].pages) {
            *times.entry(*page).or_default() += 1;
        }
        let is_lost = |(page, times): &(&u32, &usize)| self.forms[*page].len() <= **times;
        (times.iter().filter(is_lost).count() as u64, times.len() as u64)
    }

    /// What speaks for skipping these forms, which are still there.
    fn evidence(&self, keys: &[KeyOf], members: &[usize]) -> Evidence {
        let (lost, trials) = self.lost(keys, members);
        let is_member = |at: usize| members.binary_search(&at).is_ok();
        let text = |at: usize| String::from_utf8_lossy(&keys[at].url).into_owned();
        let another = |&at: &usize| {
            let page = keys[at].pages.first()?;
            let other = self.forms.get(page)?.iter().find(|form| !is_member(**form))?;
            Some([text(at), text(*other)])
        };
        Evidence {
            support: members.len() as u64,
            saved: members.len() as u64,
            trials,
            false_positives: lost,
            bound: bound(lost, trials),
            examples: members.iter().filter_map(another).take(MOST_EXAMPLES).collect(),
        }
    }

    fn leave_out(&mut self, keys: &[KeyOf], members: &[usize]) {
        for at in members {
            for page in &keys[*at].pages {
                if let Some(forms) = self.forms.get_mut(page) {
                    forms.retain(|form| form != at);
                }
            }
        }
    }
}

/// A text in a place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Slot {
    /// This word.
    Word(Vec<u8>),
    /// Some number.
    Number,
    /// Anything.
    Any,
}

impl Slot {
    fn text(&self, name: &str) -> Text {
        let hole =
            |class| Piece::Hole { name: name.to_owned(), class, optional: false, convert: Convert::Copy };
        match self {
            Slot::Word(word) => literal(word),
            Slot::Number => vec![hole(Class::Digits)],
            Slot::Any => vec![hole(Class::Any)],
        }
    }
}

/// What URLs of one kind have in common.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Shape {
    path: Vec<Slot>,
    params: BTreeMap<Vec<u8>, Option<Slot>>,
}

impl Shape {
    /// Whether the shape names something: a word of the path or a parameter, and leaves something open.
    fn may_be_redundant(&self) -> bool {
        let is_word = |slot: &Slot| matches!(slot, Slot::Word(word) if !word.is_empty());
        let is_number = |slot: &Slot| *slot == Slot::Number;
        let open_params = self.params.values().flatten().any(|slot| !is_word(slot));
        open_params
            || self.params.is_empty() && self.path.iter().any(is_word) && self.path.iter().any(is_number)
    }

    fn skip(&self) -> Option<Action> {
        let path = (1..).zip(&self.path).map(|(i, slot)| Item::One(slot.text(&format!("path-{i}"))));
        let param = |(name, slot): (&Vec<u8>, &Option<Slot>)| {
            let text = slot.as_ref().map(|slot| slot.text(""));
            QueryItem { separator: b'&', kind: QueryKind::Param(name.clone(), text) }
        };
        let query = (!self.params.is_empty()).then(|| self.params.iter().map(param).collect());
        let template = Template {
            scheme: vec![Piece::hole("scheme")],
            host: vec![Item::Rest(Convert::Copy)],
            path: path.collect(),
            query,
            ..Template::default()
        };
        Skip::new(template).ok().map(Action::Skip)
    }
}

/// Which texts are words in their place.
struct Words {
    counts: HashMap<(Place, Vec<u8>), usize>,
}

/// Where a text stands: in a path of so many components, or as the value of a parameter.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Place {
    Component { of: usize, nth: usize },
    Value(Vec<u8>),
}

impl Words {
    fn count(keys: &[KeyOf]) -> Words {
        let mut counts: HashMap<(Place, Vec<u8>), usize> = HashMap::new();
        for key in keys {
            each_text(&key.url, |place, text| {
                *counts.entry((place, text.to_vec())).or_default() += 1;
            });
        }
        Words { counts }
    }

    fn slot(&self, place: Place, text: &[u8]) -> Slot {
        let is_number = !text.is_empty() && text.iter().all(u8::is_ascii_digit);
        let word = (place, text.to_vec());
        match self.counts.get(&word) {
            Some(&count) if count >= FREQUENT && !is_number => Slot::Word(word.1),
            _ if is_number => Slot::Number,
            _ => Slot::Any,
        }
    }

    /// The shape of a URL; none of those with a port, a user, a fragment, or a parameter twice.
    fn shape(&self, url: &[u8]) -> Option<Shape> {
        let split = SplitUrl::new(url)?;
        if split.userinfo().is_some() || split.port().is_some() || split.fragment().is_some() {
            return None;
        }
        let segments: Vec<&[u8]> = split.segments().collect();
        let of = segments.len();
        if of + split.params().count() > MOST_TEXTS {
            return None;
        }
        let component = |(nth, text): (usize, &&[u8])| self.slot(Place::Component { of, nth }, text);
        let path = segments.iter().enumerate().map(component).collect();
        let mut params = BTreeMap::new();
        for param in split.params() {
            let slot = param.value.map(|value| self.slot(Place::Value(param.name.to_vec()), value));
            if params.insert(param.name.to_vec(), slot).is_some() {
                return None;
            }
        }
        Some(Shape { path, params })
    }
}

fn each_text(url: &[u8], mut see: impl FnMut(Place, &[u8])) {
    let Some(split) = SplitUrl::new(url) else { return };
    let of = split.segments().count();
    for (nth, text) in split.segments().enumerate() {
        see(Place::Component { of, nth }, text);
    }
    for param in split.params() {
        if let Some(value) = param.value {
            see(Place::Value(param.name.to_vec()), value);
        }
    }
}

#[cfg(test)]
mod tests {
    use undust::page::Page;

    use super::*;

    fn page(url: String, label: u32) -> Page {
        Page { cluster: Some(label.to_string()), ..Page::new(url) }
    }

    fn found(pages: &[Page]) -> Vec<String> {
        let site = Site::new("a.com", pages, 0);
        let none = RuleSet::of_site("a.com", SiteBy::Domain, Vec::new());
        let found = skips(&site, &none, Given::default(), 0.01).rules;
        found.iter().map(|rule| rule.action.to_string()).collect()
    }

    fn blog(slugs: u32) -> Vec<Page> {
        let slug = |i: u32| page(format!("http://a.com/words-of-{i}-wisdom/"), i);
        let number = |i: u32| page(format!("http://a.com/?p={}", 7 * i + 3), i);
        (0..slugs).map(slug).chain((0..400).map(number)).collect()
    }

    #[test]
    fn numbers_of_pages_that_have_a_name() {
        assert_eq!(found(&blog(800)), ["{scheme}://{...}/?p={:digits} -> skip"]);
    }

    #[test]
    fn what_was_decided_before_stays() {
        let site = Site::new("a.com", &blog(800), 0);
        let none = RuleSet::of_site("a.com", SiteBy::Domain, Vec::new());
        // Other words for it.
        let skip = [Rule::new(Action::skip("http://a.com/?p={number}").unwrap())];
        let refused = skips(&site, &none, Given { refused: &skip, ..Given::default() }, 0.01);
        assert_eq!((refused.rules.len(), refused.left_out), (0, 1));
        let standing = skips(&site, &none, Given { standing: &skip, ..Given::default() }, 0.01);
        let judged = standing.standing[0].as_ref().unwrap();
        assert!(standing.rules.is_empty() && !judged.is_refuted);
        assert_eq!((judged.evidence.saved, judged.evidence.false_positives), (400, 0));
        let few = Site::new("a.com", &blog(200), 0);
        let wrong = skips(&few, &none, Given { standing: &skip, ..Given::default() }, 0.01);
        assert!(wrong.standing[0].as_ref().unwrap().is_refuted);
    }

    #[test]
    fn some_are_all_there_is() {
        assert_eq!(found(&blog(390)), [] as [&str; 0]);
    }

    /// Each shape covers for the other, until one is gone.
    #[test]
    fn two_shapes_of_the_same_pages() {
        let forms =
            |i: u32| [page(format!("http://a.com/?p={i}"), i), page(format!("http://a.com/?q={i}"), i)];
        let single = |i: u32| page(format!("http://a.com/about-{i}-us"), 1000 + i);
        let pages: Vec<Page> = (0..400).flat_map(forms).chain((0..100).map(single)).collect();
        assert_eq!(found(&pages).len(), 1);
    }
}
