//! From contexts to rules: contexts are pruned as far as the site's own URLs bear it out, and of many rules that do the same
//! the simplest is kept.
//!
//! The paper stops at the paths of its tree and filters by precision. We know of every URL what becomes of it, so that a test is
//! dropped where the rule stays right without it (reduced-error pruning): fewer and more general rules.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::{BitOr, RangeInclusive};

use super::classes::Class;
use super::edit::{Edit, ParamEdit, PathEdit, Piece, Place};
use super::outcome::{Applier, Outcome, Verdict};
use super::tree::{Context, ShapeTest, Test};
use super::view::{Key, View};

/// A rule, not yet in the common language.
#[derive(Clone, Debug)]
pub(super) struct Rule {
    pub(super) edit: Edit,
    pub(super) context: Context,
    pub(super) form: Form,
    pub(super) counts: Counts,
    /// URLs that it makes equal to others of the same page, with one of these.
    joins: Vec<(u32, u32)>,
    /// Some URLs that it changes, and the lengths of the paths of all.
    pub(super) examples: Vec<u32>,
    pub(super) depths: RangeInclusive<usize>,
}

/// What a rule says of the form of its URLs.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Form {
    /// The parameters that URLs must have, no others; where not all are named, nothing.
    pub(super) params: Option<Vec<u32>>,
    /// How many components their path must have, where that matters.
    pub(super) depth: Option<usize>,
}

impl Rule {
    /// A URL that it leads to, if it leads to any.
    pub(super) fn target(&self) -> u32 {
        self.joins.first().map_or(self.example(), |(_, target)| *target)
    }

    /// A URL that it changes.
    pub(super) fn example(&self) -> u32 {
        self.examples.first().copied().unwrap_or_default()
    }

    /// How many components the paths of its URLs have, if they have as many.
    pub(super) fn depth(&self) -> Option<usize> {
        (self.depths.start() == self.depths.end()).then(|| *self.depths.start())
    }
}

/// What a rule does to the URLs of the sample.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    /// URLs that it changes.
    pub(super) coverage: u64,
    pub(super) right: u64,
    pub(super) wrong: u64,
}

impl Counts {
    fn add(&mut self, verdict: Verdict) {
        self.coverage += 1;
        self.right += u64::from(verdict == Verdict::Right);
        self.wrong += u64::from(verdict == Verdict::Wrong);
    }

    fn plus(self, other: Counts) -> Counts {
        Counts {
            coverage: self.coverage + other.coverage,
            right: self.right + other.right,
            wrong: self.wrong + other.wrong,
        }
    }

    fn times(self, n: u64) -> Counts {
        Counts { coverage: self.coverage * n, right: self.right * n, wrong: self.wrong * n }
    }

    /// Of the URLs of which it is known, how many it gets right. URLs that become equal to no other say nothing.
    fn is_precise(&self, level: f64) -> bool {
        self.right > 0 && self.right as f64 >= level * (self.right + self.wrong) as f64
    }

    /// Whether URLs are right about as often as `others` are: most become equal to no other URL that is known, and a rule
    /// that nothing is known of is not right.
    fn is_confirmed_like(&self, others: Counts) -> bool {
        let share = |counts: &Counts| counts.right as f64 / counts.coverage as f64;
        share(self) >= MIN_CONFIRMED_RATIO * share(&others)
    }
}

/// Precision that contexts are pruned for: rules of each kind are proposed, the strict ones first.
const LEVELS: [f64; 3] = [0.99, 0.95, 0.8];
/// Number of URLs that pruning looks at.
const MAX_OUTCOMES: usize = 1024;
/// A test is not dropped for URLs of which less is known than this share of what is known of the others.
const MIN_CONFIRMED_RATIO: f64 = 0.5;
/// Share of the URLs that a rule changes that must be right: the others become URLs that nobody has seen.
const MIN_CONFIRMED_SHARE: f64 = 0.1;
/// [`MIN_CONFIRMED_SHARE`] of a rule that leaves out components of the path whatever they are.
const MIN_CONFIRMED_SHARE_OPEN: f64 = 0.3;
/// Number of URLs that a rule must make equal and no rule before it did.
const MIN_GAINED_URLS: u64 = 3;
/// Number of URLs kept of those that a rule changes.
const MAX_EXAMPLES: usize = 64;
/// Number of parameters of wrong URLs alone that a rule may exclude.
const MAX_EXCLUDED_PARAMS: usize = 4;
/// Number of forms of URLs that a rule is written for, where it must be written for each.
const MAX_FORMS: usize = 8;

/// The rules of all classes that pass the filters, in the order in which they were chosen.
pub(super) fn rules(
    applier: &Applier,
    classes: &[Class],
    contexts: Vec<Vec<Context>>,
    min_coverage: u64,
    min_precision: f64,
) -> Vec<Rule> {
    let mut found = Vec::new();
    for (class, contexts) in classes.iter().zip(contexts) {
        let outcomes = applier.outcomes(&class.edit);
        let class = ClassRules {
            view: applier.view,
            edit: &class.edit,
            outcomes: &outcomes.list,
            step: outcomes.step,
        };
        found.extend(class.rules(&contexts, min_coverage, min_precision));
    }
    found.sort_by_cached_key(|rule| {
        let (parts, stars) = effort(&rule.edit);
        // Of rules that do about as much, those with stars do not depend on which URL happened to be the target.
        let right = rule.counts.right.ilog2();
        (parts, Reverse((right, stars)), rule.context.len(), Reverse(rule.counts.right), rule.edit.clone())
    });
    choose(applier.view, found)
}

/// How many parts of a URL a transformation changes, and how many texts it finds irrelevant.
fn effort(edit: &Edit) -> (usize, usize) {
    let parts = [edit.scheme.is_some(), edit.host.is_some(), edit.port.0 != edit.port.1, edit.path.is_some()];
    let parts = parts.into_iter().filter(|part| *part).count() + edit.params.len();
    (parts, edit.stars())
}

/// Take rules in order, level by level, if they make URLs equal that were not.
fn choose(view: &View, mut found: Vec<Rule>) -> Vec<Rule> {
    let mut union = Union::new(view.site.len());
    let mut chosen: Vec<Rule> = Vec::new();
    for level in LEVELS {
        let mut left = Vec::new();
        for rule in found {
            if !rule.counts.is_precise(level) {
                left.push(rule);
            } else if !is_done_by(&rule, &chosen, view) && union.gain(&rule.joins) >= MIN_GAINED_URLS {
                for &(a, b) in &rule.joins {
                    union.join(a, b);
                }
                chosen.push(rule);
            }
        }
        found = left;
    }
    chosen
}

/// Whether rules chosen before do the same step by step.
fn is_done_by(rule: &Rule, chosen: &[Rule], view: &View) -> bool {
    let applies = |part: &Rule| {
        let passed = rule.joins.iter().filter(|(row, _)| passes(view, *row, &part.context)).count();
        passed * 10 >= rule.joins.len() * 9
    };
    let is_part = |part: &&Rule| part.edit != rule.edit && rule.edit.contains(&part.edit) && applies(part);
    let mut done = Edit { port: (rule.edit.port.0, rule.edit.port.0), ..Edit::default() };
    for part in chosen.iter().filter(is_part) {
        let Edit { scheme, host, port, path, params, .. } = part.edit.clone();
        done.port.1 = if port.0 == port.1 { done.port.1 } else { port.1 };
        done.scheme = done.scheme.or(scheme);
        done.host = done.host.or(host);
        done.path = done.path.or(path);
        done.params.extend(params);
    }
    done.params.sort_unstable();
    done.params.dedup();
    done.patterns.clone_from(&rule.edit.patterns);
    done == rule.edit
}

/// The tests of all contexts, sorted, as many as there are bits for them.
fn distinct_tests(contexts: &[Context]) -> Vec<(Key, Test)> {
    let tests: BTreeSet<(Key, Test)> = contexts.iter().flatten().copied().collect();
    tests.into_iter().take(u128::BITS as usize).collect()
}

/// Whether a URL passes every test.
fn passes(view: &View, row: u32, context: &[(Key, Test)]) -> bool {
    let shape = view.site.shape_of(row);
    context.iter().all(|test| ShapeTest::new(view, shape, *test).is_passed(view.site.values_of(row)))
}

/// The rules of one transformation.
struct ClassRules<'c, 'v, 's> {
    view: &'v View<'s>,
    edit: &'c Edit,
    outcomes: &'c [Outcome],
    /// How many URLs each outcome stands for.
    step: u64,
}

impl ClassRules<'_, '_, '_> {
    fn rules(&self, contexts: &[Context], min_coverage: u64, min_precision: f64) -> Vec<Rule> {
        let right = self.outcomes.iter().filter(|o| o.verdict == Verdict::Right).count() as u64;
        if right < MIN_GAINED_URLS {
            return Vec::new();
        }
        let strict = self.without_strangers(contexts);
        let tests = distinct_tests(&strict);
        let seen = self.seen(&tests);
        let places = |context: &Context| -> Vec<usize> {
            context.iter().filter_map(|test| tests.binary_search(test).ok()).collect()
        };
        let mut pruned: BTreeSet<Context> = BTreeSet::new();
        for (context, strict) in contexts.iter().zip(&strict) {
            let (context, strict) = (places(context), places(strict));
            let prune = |level: &f64| {
                let prune = |places: &[usize]| self.prune(&tests, places, &seen, *level);
                prune(&context).or_else(|| prune(&strict))
            };
            pruned.extend(LEVELS.iter().filter_map(prune));
        }
        pruned.retain(|context| self.makes_sense(context));
        let rules = pruned.iter().flat_map(|context| self.say(context));
        let passing = |rule: &Rule| {
            let Counts { coverage, right, .. } = rule.counts;
            let least = if self.drops_anything(&rule.context) {
                MIN_CONFIRMED_SHARE_OPEN
            } else {
                MIN_CONFIRMED_SHARE
            };
            let is_confirmed = right as f64 >= least * coverage as f64;
            coverage >= min_coverage && is_confirmed && rule.counts.is_precise(min_precision)
        };
        rules.filter(passing).collect()
    }

    /// The outcomes that contexts are pruned by, evenly from all.
    fn sample(&self) -> impl Iterator<Item = &Outcome> {
        self.outcomes.iter().step_by(self.outcomes.len().div_ceil(MAX_OUTCOMES).max(1))
    }

    /// The contexts for URLs without the parameters that wrong ones have and right ones have not: the tree knows no URLs but
    /// those of duplicates. They are for where the tree's own contexts are not enough.
    fn without_strangers(&self, contexts: &[Context]) -> Vec<Context> {
        let mut seen: BTreeMap<u32, Counts> = BTreeMap::new();
        for outcome in self.sample() {
            for (param, _) in self.view.params(outcome.row) {
                seen.entry(param).or_default().add(outcome.verdict);
            }
        }
        let mut strange: Vec<(u32, Counts)> = seen
            .into_iter()
            .filter(|(param, counts)| counts.right == 0 && counts.wrong > 0 && !self.touches(*param))
            .collect();
        strange.sort_by_key(|(_, counts)| Reverse(counts.wrong));
        strange.truncate(MAX_EXCLUDED_PARAMS);
        let with = |context: &Context| {
            let is_new = |key: &Key| context.iter().all(|(asked, _)| asked != key);
            let absent = strange.iter().map(|(param, _)| Key::Param(*param)).filter(is_new);
            context.iter().copied().chain(absent.map(|key| (key, Test::Absent))).collect()
        };
        contexts.iter().map(with).collect()
    }

    /// Whether a context makes sense: where the path is irrelevant, something else must be asked, or all URLs were one page;
    /// what is irrelevant is not asked for.
    fn makes_sense(&self, context: &Context) -> bool {
        let any_path = matches!(self.edit.path, Some(PathEdit::Components { place: Place::All, .. }));
        let is_starred = |key: &Key| match key {
            Key::Param(param) => {
                let change =
                    self.edit.params.iter().find(|(of, _)| of == param).and_then(|(_, edit)| edit.expr());
                change.is_some_and(|expr| expr.contains(&Piece::Star))
            }
            _ => false,
        };
        (!any_path || context.iter().any(|(key, _)| !matches!(key, Key::Scheme | Key::Host)))
            && !context.iter().any(|(key, test)| matches!(test, Test::Is(_)) && is_starred(key))
    }

    /// Whether the path gets shorter by components that nothing is asked of.
    fn drops_anything(&self, context: &Context) -> bool {
        let Some(PathEdit::Components { place, removed, added }) = &self.edit.path else { return false };
        let key = |i: u16| match place {
            Place::Start(skip) => Key::Start(skip + i),
            Place::End(skip) => Key::End(skip + i),
            Place::Whole | Place::All => Key::Start(i),
        };
        let is_open = |i: u16| context.iter().all(|(asked, _)| *asked != key(i));
        usize::from(*removed) > added.len() && (0..*removed).any(is_open)
    }

    /// Which tests some of the URLs pass, as bits, and what becomes of URLs that pass these.
    fn seen(&self, tests: &[(Key, Test)]) -> Vec<(u128, Counts)> {
        let sample: Vec<Outcome> = self.sample().copied().collect();
        let mut seen: BTreeMap<u128, Counts> = BTreeMap::new();
        for outcomes in sample.chunk_by(|a, b| a.shape == b.shape) {
            let tests = self.of_shape(outcomes[0].shape, tests);
            for outcome in outcomes {
                let values = self.view.site.values_of(outcome.row);
                let bits = tests.iter().enumerate().map(|(i, test)| u128::from(test.is_passed(values)) << i);
                seen.entry(bits.fold(0, BitOr::bitor)).or_default().add(outcome.verdict);
            }
        }
        seen.into_iter().collect()
    }

    fn of_shape(&self, shape: u32, tests: &[(Key, Test)]) -> Vec<ShapeTest<'_, '_>> {
        tests.iter().map(|test| ShapeTest::new(self.view, shape, *test)).collect()
    }

    /// The URLs that pass every test.
    fn covered(&self, context: &[(Key, Test)]) -> Vec<&Outcome> {
        let mut covered = Vec::new();
        for outcomes in self.outcomes.chunk_by(|a, b| a.shape == b.shape) {
            let tests = self.of_shape(outcomes[0].shape, context);
            let passes = |o: &&Outcome| {
                let values = self.view.site.values_of(o.row);
                tests.iter().all(|test| test.is_passed(values))
            };
            covered.extend(outcomes.iter().filter(passes));
        }
        covered
    }

    /// The context of the tests at `places` without those that it is right without; nothing if it is not right even with all of
    /// them.
    fn prune(
        &self,
        tests: &[(Key, Test)],
        places: &[usize],
        seen: &[(u128, Counts)],
        level: f64,
    ) -> Option<Context> {
        let count = |wanted: u128, without: u128| {
            let passing = seen.iter().filter(|(mask, _)| mask & wanted == wanted && mask & without == 0);
            passing.fold(Counts::default(), |sum, (_, counts)| sum.plus(*counts))
        };
        let mut active = places.iter().fold(0, |all, i| all | 1 << i);
        let all = count(active, 0);
        if !all.is_precise(level) {
            return None;
        }
        for i in self.by_weakness(tests, places) {
            let others = active & !(1 << i);
            let more = count(others, 1 << i);
            let free = more.coverage == 0 && self.is_dispensable(tests[i]);
            if free || (more.is_precise(level) && more.is_confirmed_like(all)) {
                active = others;
            }
        }
        Some(places.iter().filter(|&&i| active & (1 << i) != 0).map(|&i| tests[i]).collect())
    }

    /// The order in which tests are tried to be dropped: parameters that have nothing to do with the change, components counted
    /// from the other end, the rest; of each kind the least telling first.
    fn by_weakness(&self, tests: &[(Key, Test)], places: &[usize]) -> Vec<usize> {
        let mut order: Vec<usize> = places.iter().rev().copied().collect();
        order.sort_by_key(|&i| !self.is_dispensable(tests[i]));
        order
    }

    /// Whether a test may go that nothing speaks for or against.
    fn is_dispensable(&self, (key, test): (Key, Test)) -> bool {
        let from_end = matches!(self.edit.path, Some(PathEdit::Components { place: Place::End(_), .. }));
        match key {
            _ if matches!(test, Test::Like(_)) => true,
            Key::Param(param) => !self.touches(param),
            Key::Start(_) => from_end,
            Key::End(_) => !from_end,
            Key::Scheme | Key::Host => false,
        }
    }

    fn touches(&self, param: u32) -> bool {
        self.edit.params.iter().any(|(touched, _)| *touched == param)
    }

    /// Whether a test is about a parameter that must then be named, and with it all others.
    fn names_param(&self, (key, test): (Key, Test)) -> bool {
        matches!(key, Key::Param(param) if test != Test::Absent && !self.touches(param))
    }

    /// Whether the transformation could be made again on what it made, and so on up to the root: it shortens the path, and nothing
    /// is asked on the side that it shortens.
    fn repeats(&self, context: &Context) -> bool {
        let Some(PathEdit::Components { place, removed, added }) = &self.edit.path else { return false };
        let is_asked = |of_side: fn(&Key) -> bool| {
            context.iter().any(|(key, test)| of_side(key) && *test != Test::Absent)
        };
        usize::from(*removed) > added.len()
            && match place {
                Place::Start(_) => !is_asked(|key| matches!(key, Key::Start(_))),
                Place::End(_) => !is_asked(|key| matches!(key, Key::End(_))),
                Place::Whole | Place::All => false,
            }
    }

    /// The rules that say this context: one, or one for each set of parameters where all must be named, and for each length of
    /// the path where a rule would not stop.
    fn say(&self, context: &Context) -> Vec<Rule> {
        let names_all = self.edit.params.iter().any(|(_, edit)| !matches!(edit, ParamEdit::Delete))
            || context.iter().any(|test| self.names_param(*test));
        let repeats = self.repeats(context);
        let form = |row: u32| Form {
            params: names_all.then(|| self.view.params(row).map(|(key, _)| key).collect()),
            depth: repeats.then(|| self.view.path(row).len()),
        };
        let mut by_form: BTreeMap<Form, Vec<&Outcome>> = BTreeMap::new();
        for outcome in self.covered(context) {
            by_form.entry(form(outcome.row)).or_default().push(outcome);
        }
        let mut forms: Vec<(Form, Vec<&Outcome>)> = by_form.into_iter().collect();
        forms.sort_by_key(|(_, covered)| Reverse(covered.len()));
        forms.truncate(MAX_FORMS);
        forms.into_iter().filter_map(|(form, covered)| self.rule(context, form, &covered)).collect()
    }

    fn rule(&self, context: &Context, form: Form, covered: &[&Outcome]) -> Option<Rule> {
        let mut counts = Counts::default();
        for outcome in covered {
            counts.add(outcome.verdict);
        }
        let counts = counts.times(self.step);
        let right = covered.iter().filter(|outcome| outcome.verdict == Verdict::Right);
        let depth = |outcome: &&Outcome| self.view.path(outcome.row).len();
        let (least, most) = (covered.iter().map(depth).min()?, covered.iter().map(depth).max()?);
        let step = covered.len().div_ceil(MAX_EXAMPLES);
        Some(Rule {
            edit: self.edit.clone(),
            context: context.clone(),
            form,
            counts,
            joins: right.map(|outcome| (outcome.row, outcome.joins)).collect(),
            examples: covered.iter().step_by(step).map(|outcome| outcome.row).collect(),
            depths: least..=most,
        })
    }
}

/// Which URLs are known to be one.
struct Union {
    parent: Vec<u32>,
}

impl Union {
    fn new(len: usize) -> Union {
        Union { parent: (0..len as u32).collect() }
    }

    fn find(&mut self, mut row: u32) -> u32 {
        while self.parent[row as usize] != row {
            let above = self.parent[self.parent[row as usize] as usize];
            self.parent[row as usize] = above;
            row = above;
        }
        row
    }

    fn join(&mut self, a: u32, b: u32) -> bool {
        let (a, b) = (self.find(a), self.find(b));
        self.parent[a.max(b) as usize] = a.min(b);
        a != b
    }

    /// How many pairs are not one yet, as far as it matters.
    fn gain(&mut self, pairs: &[(u32, u32)]) -> u64 {
        let open = pairs.iter().filter(|&&(a, b)| self.find(a) != self.find(b));
        open.take(MIN_GAINED_URLS as usize).count() as u64
    }
}
