//! The tree (Algorithm 5): which URLs a transformation is for. Transformations are classes, keys are attributes.
//!
//! Keys are taken in the order of their information gain. At each, the rules of a node go on by the value they have there if it is
//! frequent in the node, else by its deep pattern if that is, else by `*`; nodes with the same value become one. So a key that tells
//! transformations apart is looked at while they are still apart, and one that does not is looked at for all together,
//! where its values are many and end in `*`. The way of a rule through the tree is its context.

use std::collections::BTreeMap;

use hashbrown::{HashMap, HashSet};

use super::classes::Class;
use super::view::{Key, View, WHOLE};

/// What a context asks of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Test {
    /// It has this value.
    Is(u32),
    /// Its value has this pattern of deep tokens.
    Like(u32),
    /// No parameter of this name is there, with a value or without.
    Absent,
}

/// Keys with what is asked of them, the most telling first.
pub(super) type Context = Vec<(Key, Test)>;

/// Number of rules of a class that the tree is built from: more do not change what is frequent.
const MAX_RULES: usize = 64;
/// Rules of a node per rule of a branch, at most: a value or pattern of a smaller share does not go on by itself.
const MAX_BRANCHES: usize = 8;
/// Number of keys counted from either end of the path.
const MAX_COMPONENTS: u16 = 5;
/// Number of parameters looked at, those that most rules have.
const MAX_PARAMS: usize = 24;
/// Number of contexts of a class, those with the most rules.
const MAX_CONTEXTS: usize = 6;

/// One pair-wise rule.
struct PairRule {
    class: u32,
    row: u32,
    /// The node it is in.
    node: u32,
    context: Context,
}

/// The contexts of each class, those with the most rules first.
pub(super) fn contexts(view: &View, classes: &[Class]) -> Vec<Vec<Context>> {
    let mut rules = sample(classes);
    for key in keys_by_gain(view, &rules) {
        let branches = Branches::of(view, &rules, key);
        let mut nodes: HashMap<Option<Test>, u32> = HashMap::new();
        for rule in &mut rules {
            let test = branches.test(view, rule, key);
            rule.context.extend(test.map(|test| (key, test)));
            let next = nodes.len() as u32;
            rule.node = *nodes.entry(test).or_insert(next);
        }
    }
    let mut found: Vec<BTreeMap<Context, usize>> = vec![BTreeMap::new(); classes.len()];
    for rule in rules {
        *found[rule.class as usize].entry(rule.context).or_default() += 1;
    }
    found.into_iter().map(most_frequent).collect()
}

fn most_frequent(contexts: BTreeMap<Context, usize>) -> Vec<Context> {
    let mut contexts: Vec<(Context, usize)> = contexts.into_iter().collect();
    contexts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    contexts.truncate(MAX_CONTEXTS);
    contexts.into_iter().map(|(context, _)| context).collect()
}

/// At most [`MAX_RULES`] of each class, evenly from all of it.
fn sample(classes: &[Class]) -> Vec<PairRule> {
    let mut rules = Vec::new();
    for (class, Class { rows, .. }) in (0..).zip(classes) {
        let step = rows.len().div_ceil(MAX_RULES);
        let chosen = rows.iter().step_by(step);
        rules.extend(chosen.map(|&row| PairRule { class, row, node: class, context: Context::new() }));
    }
    rules
}

/// All keys worth asking, by how much they tell of the class: least conditional entropy first.
fn keys_by_gain(view: &View, rules: &[PairRule]) -> Vec<Key> {
    let mut uses: BTreeMap<u32, usize> = BTreeMap::new();
    for rule in rules {
        for (param, _) in view.params(rule.row) {
            *uses.entry(param).or_default() += 1;
        }
    }
    let mut params: Vec<(u32, usize)> = uses.into_iter().collect();
    params.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let path = (0..MAX_COMPONENTS).flat_map(|i| [Key::Start(i), Key::End(i)]);
    let params = params.into_iter().take(MAX_PARAMS).map(|(param, _)| Key::Param(param));
    let keys = [Key::Scheme, Key::Host].into_iter().chain(path).chain(params);
    let mut ranked: Vec<(u64, Key)> =
        keys.map(|key| (conditional_entropy(view, rules, key).to_bits(), key)).collect();
    ranked.sort_unstable();
    ranked.into_iter().map(|(_, key)| key).collect()
}

/// The entropy of the class, given the value of `key`, in bits; rounded, to be the same on every machine. Never negative,
/// so that it is ordered as its bits are.
fn conditional_entropy(view: &View, rules: &[PairRule], key: Key) -> f64 {
    let mut pairs: Vec<(Option<u32>, u32)> =
        rules.iter().map(|rule| (view.value(rule.row, key), rule.class)).collect();
    pairs.sort_unstable();
    let mut sum = 0.0;
    for of_value in pairs.chunk_by(|a, b| a.0 == b.0) {
        let total = of_value.len() as f64;
        let classes = of_value.chunk_by(|a, b| a.1 == b.1);
        sum += classes.map(|class| class.len() as f64 * (total / class.len() as f64).log2()).sum::<f64>();
    }
    (sum / rules.len().max(1) as f64 * 1e6).round().max(0.0)
}

/// The values and patterns of a key that are frequent in a node or in a class.
struct Branches {
    frequent: HashSet<(Group, Test)>,
}

/// The rules that a value must be frequent among.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Group {
    Node(u32),
    Class(u32),
}

impl Branches {
    fn of(view: &View, rules: &[PairRule], key: Key) -> Branches {
        let mut sizes: HashMap<Group, usize> = HashMap::new();
        let mut counts: HashMap<(Group, Test), usize> = HashMap::new();
        for rule in rules {
            let groups = [Group::Node(rule.node), Group::Class(rule.class)];
            for group in groups {
                *sizes.entry(group).or_default() += 1;
            }
            for test in tests(view, rule.row, key) {
                for group in groups {
                    *counts.entry((group, test)).or_default() += 1;
                }
            }
        }
        let is_frequent = |group: Group, count: usize| count * MAX_BRANCHES >= sizes[&group];
        let frequent = counts.into_iter().filter(|((group, _), count)| is_frequent(*group, *count));
        Branches { frequent: frequent.map(|(at, _)| at).collect() }
    }

    /// How a rule goes on; nothing is `*`.
    fn test(&self, view: &View, rule: &PairRule, key: Key) -> Option<Test> {
        let groups = [Group::Node(rule.node), Group::Class(rule.class)];
        let is_frequent = |test: &Test| groups.iter().any(|&group| self.frequent.contains(&(group, *test)));
        tests(view, rule.row, key).into_iter().find(is_frequent)
    }
}

/// What could be asked of a key that this URL would pass, the most special first. That a path has no such component is not
/// asked.
fn tests(view: &View, row: u32, key: Key) -> impl IntoIterator<Item = Test> + use<> {
    let Some(value) = view.value(row, key) else {
        let is_absent = matches!(key, Key::Param(param) if !view.has_name(view.site.shape_of(row), param));
        return [is_absent.then_some(Test::Absent), None].into_iter().flatten();
    };
    let pattern = view.cut(view.site.shape_of(row), key, value).pattern;
    let like = (pattern != WHOLE).then_some(Test::Like(pattern));
    [Some(Test::Is(value)), like].into_iter().flatten()
}

/// A test of URLs of one shape.
pub(super) struct ShapeTest<'v, 's> {
    view: &'v View<'s>,
    shape: u32,
    key: Key,
    /// Where the value is, among all values of a URL.
    place: Option<usize>,
    test: Test,
}

impl<'v, 's> ShapeTest<'v, 's> {
    pub(super) fn new(view: &'v View<'s>, shape: u32, (key, test): (Key, Test)) -> ShapeTest<'v, 's> {
        ShapeTest { view, shape, key, place: view.place(shape, key), test }
    }

    /// Whether a URL with these values passes it.
    pub(super) fn is_passed(&self, values: &[u32]) -> bool {
        match (self.place, self.test) {
            (None, Test::Absent) => {
                !matches!(self.key, Key::Param(param) if self.view.has_name(self.shape, param))
            }
            (None, _) | (Some(_), Test::Absent) => false,
            (Some(at), Test::Is(value)) => values[at] == value,
            (Some(at), Test::Like(pattern)) => {
                self.view.cut(self.shape, self.key, values[at]).pattern == pattern
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use undust::page::Page;

    use super::*;
    use crate::learn::decision_tree::edit::{Edit, ParamEdit};
    use crate::site::Site;

    /// What tells two transformations apart is in their contexts, what does not is in neither.
    #[test]
    fn contexts_hold_what_tells_classes_apart() {
        let url = |i: usize| {
            format!("http://a.com/{}/{i}?x=1&y=2", if i.is_multiple_of(2) { "even" } else { "odd" })
        };
        let pages: Vec<Page> =
            (0..80).map(|i| Page { cluster: Some("c".into()), ..Page::new(url(i)) }).collect();
        let site = Site::new("a.com", &pages, 0);
        let view = View::new(&site.sample(0));
        let even = |row: &u32| site.value(view.path(*row)[0]) == b"even";
        let (evens, odds) = (0..80).partition(even);
        let class = |param: u32, rows: Vec<u32>| Class {
            edit: Edit { params: vec![(param, ParamEdit::Delete)], ..Edit::default() },
            rows,
        };
        let contexts = contexts(&view, &[class(0, evens), class(1, odds)]);
        for (context, word) in contexts.iter().flatten().zip(["even", "odd"]) {
            let asked = |key: Key| context.iter().find(|(of, _)| *of == key).map(|(_, test)| *test);
            assert_eq!(asked(Key::Start(0)), site.find_value(word.as_bytes()).map(Test::Is));
            assert!(!matches!(asked(Key::Start(1)), Some(Test::Is(_))), "{context:?}");
        }
        assert_eq!(contexts.iter().map(Vec::len).collect::<Vec<_>>(), [1, 1]);
    }
}
