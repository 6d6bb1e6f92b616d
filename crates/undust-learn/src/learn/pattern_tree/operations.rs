//! What makes a URL of one node into one of another (Algorithm 3 and section 5.2.2): for each key of the target *keep* its only
//! value, *replace* by the value of a key of the source, or *ignore*.
//!
//! Where we deviate: keys are mapped by what they have in common page by page, not by the sets of their values: `page=2` and
//! `id=2` share values on any site, but not on one page.

use super::duplicates::{Clusters, Pair};
use super::form::{Form, Row, Slot};
use super::tree::Tree;
use super::view::{Key, Token, View};

/// What becomes of a key of the target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operation {
    /// This value.
    Keep(u32),
    /// The value of this key of the source.
    Replace(u32),
    /// Any value will do.
    Ignore,
}

/// What becomes of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Target {
    pub(super) key: u32,
    pub(super) operation: Operation,
}

/// Operations on parts that stand behind each other.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct TargetRow {
    pub(super) targets: Vec<Target>,
    /// Whether what may follow in the source follows here.
    pub(super) rest: bool,
}

/// All operations of a rule.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Operations {
    pub(super) scheme: Option<Target>,
    pub(super) host: TargetRow,
    pub(super) port: Option<Target>,
    pub(super) path: TargetRow,
    pub(super) params: Vec<Target>,
    /// Whether other parameters of the source are kept.
    pub(super) others: bool,
}

/// A rule: what becomes of URLs of a form.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Step {
    pub(super) source: Form,
    pub(super) operations: Operations,
}

impl Step {
    /// Whether every URL of the form stays what it is.
    pub(super) fn changes_nothing(&self) -> bool {
        let Step { source, operations } = self;
        self.keeps_place()
            && source.others == operations.others
            && source.params.len() == operations.params.len()
            && source.params.iter().all(|slot| self.keeps(slot))
    }

    /// Parameters that are written and must not be there before, or they would be written again and again.
    pub(super) fn absent(&self) -> impl Iterator<Item = u32> {
        let Step { source, operations } = self;
        let is_named = |key: u32| source.params.iter().any(|slot| slot.key == key);
        let written = operations.params.iter().map(|target| target.key).filter(|_| source.others);
        written.filter(move |&key| !is_named(key))
    }

    /// The same for URLs with any other parameters: those that stay as they are go unnamed.
    pub(super) fn general(&self) -> Option<Step> {
        let Step { source, operations } = self;
        let (same, changed): (Vec<&Slot>, Vec<&Slot>) =
            source.params.iter().partition(|slot| self.keeps(slot));
        let is_same = |key: u32| same.iter().any(|slot| slot.key == key);
        let named = || operations.params.iter().filter(|target| !is_same(target.key));
        let uses_same = |target: &Target| matches!(target.operation, Operation::Replace(k) if is_same(k));
        let mut before = operations.targets().filter(|target| !operations.params.contains(target));
        // Parameters that are written anew would stand behind all others, and not where they stand in URLs that have them.
        let writes = named().any(|target| target.operation != Operation::Ignore);
        if source.others && !operations.others || writes || before.any(uses_same) {
            return None;
        }
        let params = changed.into_iter().copied().collect();
        Some(Step {
            source: Form { params, others: true, ..source.clone() },
            operations: Operations { params: named().copied().collect(), others: true, ..operations.clone() },
        })
    }

    /// The same for URLs of any host and path; nothing if it changes more than parameters.
    pub(super) fn lifted(&self) -> Option<Step> {
        let Step { source, operations } = self;
        let is_param = |key: u32| source.params.iter().any(|slot| slot.key == key);
        let is_elsewhere =
            |target: &Target| matches!(target.operation, Operation::Replace(k) if !is_param(k));
        if !self.keeps_place() || operations.params.iter().any(is_elsewhere) {
            return None;
        }
        let any = || Row { slots: Vec::new(), is_open: true };
        let all = || TargetRow { targets: Vec::new(), rest: true };
        let scheme = source.scheme.map(|slot| Slot { value: None, ..slot });
        let kept = scheme.map(|slot| Target { key: slot.key, operation: Operation::Replace(slot.key) });
        Some(Step {
            source: Form { scheme, host: any(), path: any(), ..source.clone() },
            operations: Operations { scheme: kept, host: all(), path: all(), ..operations.clone() },
        })
    }

    /// Whether everything before the parameters stays as it is.
    fn keeps_place(&self) -> bool {
        let Step { source, operations } = self;
        let row = |row: &Row, target: &TargetRow| {
            row.is_open == target.rest && row.slots.len() == target.targets.len()
        };
        let place = || source.slots().filter(|slot| !source.params.contains(slot));
        source.port.is_some() == operations.port.is_some()
            && row(&source.host, &operations.host)
            && row(&source.path, &operations.path)
            && place().all(|slot| self.keeps(slot))
    }

    /// Whether a part of the source is part of the target, as it is.
    fn keeps(&self, slot: &Slot) -> bool {
        let is_same = |target: &Target| match target.operation {
            Operation::Keep(value) => slot.value == Some(value),
            Operation::Replace(key) => slot.value.is_none() && key == slot.key,
            Operation::Ignore => false,
        };
        self.operations.targets().any(|target| target.key == slot.key && is_same(target))
    }
}

impl Operations {
    /// What becomes of each key.
    pub(super) fn targets(&self) -> impl Iterator<Item = &Target> {
        let front = self.scheme.iter().chain(&self.host.targets).chain(&self.port);
        front.chain(&self.path.targets).chain(&self.params)
    }
}

/// Duplicates of two nodes, page by page.
pub(super) struct Evidence<'v, 's> {
    view: &'v View<'s>,
    /// URLs of the source and of the target, of each page.
    pages: Vec<(Vec<u32>, Vec<u32>)>,
}

/// Share of pairs whose parameters must be in one order.
const MIN_ORDERED_SHARE: f64 = 0.9;
/// Number of URLs of a page looked at.
const MAX_URLS_PER_PAGE: usize = 8;

impl<'v, 's> Evidence<'v, 's> {
    /// The duplicates of the first node of `pair` and of the second.
    pub(super) fn new(view: &'v View<'s>, tree: &Tree, clusters: &Clusters, pair: &Pair) -> Self {
        // URLs are in the order of the tree: those of a node stand beside each other.
        let of = |cluster: u32, node: u32| -> Vec<u32> {
            let (urls, of_node) = (clusters.get(cluster), &tree.nodes[node as usize].urls);
            let start = urls.partition_point(|&url| url < of_node.start);
            urls[start..]
                .iter()
                .copied()
                .take_while(|url| of_node.contains(url))
                .take(MAX_URLS_PER_PAGE)
                .collect()
        };
        let pages = pair.clusters.iter().map(|&c| (of(c, pair.nodes.0), of(c, pair.nodes.1)));
        // A URL by itself shows nothing.
        Evidence { view, pages: pages.filter(|(s, t)| s.len() + t.len() > 1 + usize::from(s == t)).collect() }
    }

    /// The same, from the second node to the first.
    pub(super) fn turned(self) -> Self {
        Evidence { pages: self.pages.into_iter().map(|(s, t)| (t, s)).collect(), ..self }
    }

    /// A URL of the target: of those with the most parameters, which tell most of their order, the first.
    pub(super) fn target(&self) -> Option<u32> {
        let targets = self.pages.iter().map(|(_, t)| t[0]);
        targets.reduce(
            |most, url| if self.view.tokens(url).len() > self.view.tokens(most).len() { url } else { most },
        )
    }

    /// Two duplicates of each page, one of the source and one of the target.
    pub(super) fn duplicates(&self) -> impl Iterator<Item = (u32, u32)> {
        self.pages.iter().filter_map(|(s, t)| Some((s[0], *t.iter().find(|url| **url != s[0])?)))
    }

    /// Whether parameters that both URLs of a duplicate have stand in the same order in both, nearly always.
    pub(super) fn keeps_order(&self) -> bool {
        self.share(|s, t| s.iter().any(|&s| t.iter().any(|&t| self.view.is_in_order_of(s, t))))
            >= MIN_ORDERED_SHARE
    }

    /// A URL of the source for each page.
    pub(super) fn sources(&self) -> impl Iterator<Item = u32> {
        self.pages.iter().map(|(s, _)| s[0])
    }

    fn share(&self, holds: impl Fn(&[u32], &[u32]) -> bool) -> f64 {
        let count = self.pages.iter().filter(|(s, t)| holds(s, t)).count();
        count as f64 / self.pages.len().max(1) as f64
    }

    /// On how many pages the keys have a value in common.
    fn common(&self, from: u32, to: u32) -> f64 {
        let value = |url: u32, key: u32| self.view.value(url, key);
        self.share(|s, t| {
            s.iter()
                .any(|&s| value(s, from).is_some_and(|known| t.iter().any(|&t| value(t, to) == Some(known))))
        })
    }

    /// On how many pages the value makes no difference.
    fn differing(&self, from: u32, to: u32) -> f64 {
        self.share(|s, t| {
            let of_s = s.iter().filter_map(|&url| self.view.value(url, from));
            let mut all = of_s.chain(t.iter().filter_map(|&url| self.view.value(url, to)));
            all.next().is_some_and(|first| all.any(|other| other != first))
        })
    }

    /// On how many pages what is left of the URLs is the same.
    fn same<T: PartialEq>(&self, of_s: impl Fn(u32) -> T, of_t: impl Fn(u32) -> T) -> f64 {
        self.share(|s, t| s.iter().any(|&s| t.iter().any(|&t| of_s(s) == of_t(t))))
    }
}

/// Finds the operations from one form to another.
pub(super) struct Finder<'e, 'v, 's> {
    pub(super) evidence: &'e Evidence<'v, 's>,
    pub(super) source: &'e Form,
    pub(super) target: &'e Form,
    /// Whether both are of one node.
    pub(super) is_self: bool,
    /// Keys with a greater share of common values are mapped.
    pub(super) min_common: f64,
    /// A mapped key whose values differ on a greater share of pages is ignored.
    pub(super) max_differing: f64,
}

impl Finder<'_, '_, '_> {
    /// Nothing if the rule cannot be said.
    pub(super) fn operations(&self) -> Option<Operations> {
        let Finder { source, target, .. } = self;
        if source.mixes_ports || target.mixes_ports {
            return None;
        }
        Some(Operations {
            scheme: target.scheme.map(|slot| self.target(&slot)),
            host: self.row(&source.host, &target.host, |key| matches!(key, Key::Label(_)))?,
            port: target.port.map(|slot| self.target(&slot)),
            path: self.row(&source.path, &target.path, |key| matches!(key, Key::Component(_)))?,
            params: target.params.iter().map(|slot| self.target(slot)).collect(),
            others: self.others()?,
        })
    }

    fn target(&self, slot: &Slot) -> Target {
        let operation = match slot.value {
            Some(value) => Operation::Keep(value),
            None => self.mapped(slot.key).map_or(Operation::Ignore, Operation::Replace),
        };
        Target { key: slot.key, operation }
    }

    /// The key of the source that gives this key its value.
    fn mapped(&self, to: u32) -> Option<u32> {
        let open = || self.source.slots().filter(|slot| slot.value.is_none()).map(|slot| slot.key);
        let from = if self.is_self {
            to
        } else {
            let common = |from: u32| (self.evidence.common(from, to), from == to);
            let best = open().map(|from| (common(from), from)).reduce(|best, other| {
                if other.0.partial_cmp(&best.0) == Some(std::cmp::Ordering::Greater) { other } else { best }
            });
            best.filter(|((common, _), _)| *common > self.min_common)?.1
        };
        (self.evidence.differing(from, to) <= self.max_differing).then_some(from)
    }

    fn row(&self, source: &Row, target: &Row, is_part: impl Fn(Key) -> bool) -> Option<TargetRow> {
        let targets = target.slots.iter().map(|slot| self.target(slot)).collect();
        let rest_of = |url: u32, skipped: usize| -> Vec<u32> {
            let tokens = self.evidence.view.tokens(url).iter();
            let parts = tokens.filter(|token| is_part(self.evidence.view.keys[token.key as usize]));
            parts.skip(skipped).map(|token| token.value).collect()
        };
        let rest = source.is_open && target.is_open;
        let (of_s, of_t) = (source.slots.len(), target.slots.len());
        let is_same = || self.evidence.same(|s| rest_of(s, of_s), |t| rest_of(t, of_t)) > self.min_common;
        // What may follow in the target must come from somewhere.
        if target.is_open && !(rest && is_same()) {
            return None;
        }
        Some(TargetRow { targets, rest })
    }

    /// Whether parameters that are not named stay.
    fn others(&self) -> Option<bool> {
        if !self.source.others {
            return (!self.target.others).then_some(false);
        }
        let view = self.evidence.view;
        let others_of = |url: u32, form: &Form| -> Vec<Token> {
            let is_named = |token: &Token| form.params.iter().any(|slot| slot.key == token.key);
            let is_param = |token: &Token| matches!(view.keys[token.key as usize], Key::Param(_));
            let mut others: Vec<Token> =
                view.tokens(url).iter().copied().filter(|t| is_param(t) && !is_named(t)).collect();
            others.sort_unstable();
            others
        };
        let same = self.evidence.same(|s| others_of(s, self.source), |t| others_of(t, self.target));
        if same > self.min_common { Some(true) } else { (!self.target.others).then_some(false) }
    }
}
