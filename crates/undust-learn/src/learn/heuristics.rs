//! Heuristics (`usual` in rule files), without a paper: the rules that people write by hand, on any site: parameters and values that do not matter, lists of the parameters that do, the
//! order of parameters, hosts and schemes that are the same, slashes and index files, folders behind a login wall. They are proposed as widely as templates can express them;
//! whether they hold is for selection to find out.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use undust::rules::template::{Class, Convert, Item, Piece, QueryItem, QueryKind, Template, Text, literal};
use undust::rules::{Action, Rewrite};
use xxhash_rust::xxh3::xxh3_64;

use super::template_helpers::{self, param_name};
use super::{Candidate, Learner, MAX_KEYS};
use crate::site::{Key, LARGE_CLUSTER_URLS, Sample, Site};

/// The learner called `usual`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Heuristics;

impl Learner for Heuristics {
    fn name(&self) -> &'static str {
        "usual"
    }

    fn learn(&self, sample: &Sample) -> Vec<Candidate> {
        let mut urls: Vec<Url> = sample.rows.iter().filter_map(|&row| Url::read(sample.site, row)).collect();
        urls.sort_by_key(|url| url.port);
        let mut ports: Vec<&[Url]> = urls.chunk_by(|a, b| a.port == b.port).collect();
        ports.sort_by_key(|urls| Reverse(urls.len()));
        let mut candidates = Vec::new();
        // A template without a port is one of URLs without a port: what holds for all of a site is said for each.
        for group in ports.into_iter().take(MAX_PORTS).filter(|group| group.len() > 1) {
            let mut rules = Rules { port: group[0].port, candidates };
            parameters(group, &mut rules);
            lists(group, &mut rules);
            hosts(&urls, &mut rules);
            schemes(group, &mut rules);
            ends(group, &mut rules);
            folders(group, &mut rules);
            candidates = rules.candidates;
        }
        candidates
    }
}

/// Number of URLs that are worth a rule.
const MIN_SUPPORT_URLS: u64 = 5;
/// Number of ports of a site that rules are proposed for, those with most URLs.
const MAX_PORTS: usize = 4;
/// Number of rules of each kind that are proposed, the most frequent ones.
const MAX_RULES_PER_KIND: usize = 64;
/// Number of values of a parameter that rules are proposed for.
const MAX_VALUES: usize = 4;
/// Share of the URLs that differ in a parameter alone and are of one page, from which on the parameter does not matter.
const MIN_SAME_PAGE_SHARE: f64 = 0.9;

/// One URL of the sample.
struct Url<'s> {
    scheme: &'s [u8],
    host: &'s [u8],
    port: Option<&'s [u8]>,
    path: Vec<&'s [u8]>,
    params: Vec<Param<'s>>,
    cluster: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Param<'s> {
    name: &'s [u8],
    /// None without `=`.
    value: Option<&'s [u8]>,
}

impl<'s> Url<'s> {
    /// The URL of a row; none of those that few sites have, with users or fragments.
    fn read(site: &'s Site, row: u32) -> Option<Url<'s>> {
        let keys = &site.shapes()[site.shape_of(row) as usize].keys;
        let cluster = site.cluster(row);
        let mut url = Url { scheme: b"", host: b"", port: None, path: vec![], params: vec![], cluster };
        if keys.len() > MAX_KEYS {
            return None;
        }
        for (key, &value) in keys.iter().zip(site.values_of(row)) {
            let value = site.value(value);
            match key {
                Key::Scheme => url.scheme = value,
                Key::Host => url.host = value,
                Key::Port => url.port = Some(value),
                Key::Segment(_) => url.path.push(value),
                Key::Param { name, .. } => url.params.push(Param { name, value: Some(value) }),
                Key::Flag { name, .. } => url.params.push(Param { name, value: None }),
                Key::Userinfo | Key::Fragment => return None,
            }
        }
        Some(url)
    }
}

/// What is proposed.
struct Rules<'s> {
    /// For URLs with this port.
    port: Option<&'s [u8]>,
    candidates: Vec<Candidate>,
}

impl Rules<'_> {
    /// Propose a rule that leaves the port as it is.
    fn propose(&mut self, matches: Template, becomes: Template, support: u64) {
        let at_port = |template| Template { port: self.port.map(literal), ..template };
        self.propose_as_it_is(at_port(matches), at_port(becomes), support);
    }

    fn propose_as_it_is(&mut self, mut matches: Template, becomes: Template, support: u64) {
        template_helpers::forget_unused(&mut matches, &becomes);
        if let Ok(rewrite) = Rewrite::new(matches, becomes) {
            self.candidates.push(Candidate { action: Action::Rewrite(rewrite), support });
        }
    }
}

fn hole(name: &str) -> Text {
    vec![Piece::hole(name)]
}

/// Any text, also none; without a name it is not remembered.
fn optional(name: &str) -> Text {
    vec![Piece::Hole { name: name.to_owned(), class: Class::Any, optional: true, convert: Convert::Copy }]
}

fn param(name: &[u8], value: Option<Text>) -> QueryItem {
    QueryItem { separator: b'&', kind: QueryKind::Param(name.to_vec(), value) }
}

const OTHERS: QueryItem = QueryItem { separator: b'&', kind: QueryKind::OTHERS };
const SORTED: QueryItem = QueryItem { separator: b'&', kind: QueryKind::SORTED };

/// Any URL of the site with this query.
fn anywhere(query: Option<Vec<QueryItem>>) -> Template {
    let rest = || vec![Item::Rest(Convert::Copy)];
    Template { scheme: hole("scheme"), host: rest(), path: rest(), query, ..Template::default() }
}

/// The most frequent of these, first.
fn most<K: Ord>(counts: BTreeMap<K, u64>, how_many: usize) -> Vec<(K, u64)> {
    let mut counts: Vec<(K, u64)> =
        counts.into_iter().filter(|(_, count)| *count >= MIN_SUPPORT_URLS).collect();
    counts.sort_by_key(|(_, count)| Reverse(*count));
    counts.truncate(how_many);
    counts
}

/// Parameters that do not matter anywhere, whatever they say or where they say something usual; and their order.
fn parameters(urls: &[Url], rules: &mut Rules) {
    let mut names: BTreeMap<(&[u8], bool), u64> = BTreeMap::new();
    let mut values: BTreeMap<Param, u64> = BTreeMap::new();
    for param in urls.iter().flat_map(|url| &url.params) {
        *names.entry((param.name, param.value.is_some())).or_default() += 1;
        *values.entry(*param).or_default() += 1;
    }
    let without = || anywhere(Some(vec![OTHERS]));
    let with = |item: QueryItem| anywhere(Some(vec![OTHERS, item]));
    for ((name, has_value), count) in most(names, MAX_RULES_PER_KIND) {
        rules.propose(with(param(name, has_value.then(|| optional("")))), without(), count);
        let of_name = values.range(Param { name, value: None }..).take_while(|(param, _)| param.name == name);
        let of_name: BTreeMap<&[u8], u64> =
            of_name.filter_map(|(param, count)| Some((param.value?, *count))).collect();
        if of_name.len() > 1 {
            for (value, count) in most(of_name, MAX_VALUES) {
                rules.propose(with(param(name, Some(literal(value)))), without(), count);
            }
        }
    }
    let several = urls.iter().filter(|url| url.params.len() > 1).count() as u64;
    if several >= MIN_SUPPORT_URLS {
        rules.propose(without(), anywhere(Some(vec![SORTED])), several);
    }
}

/// For each path with parameters, those that matter: all others are left out.
fn lists(urls: &[Url], rules: &mut Rules) {
    let mut paths: BTreeMap<&[&[u8]], Vec<&Url>> = BTreeMap::new();
    for url in urls.iter().filter(|url| !url.params.is_empty()) {
        paths.entry(&url.path).or_default().push(url);
    }
    let counts = paths.iter().map(|(path, urls)| (*path, urls.len() as u64)).collect();
    for (path, count) in most(counts, MAX_RULES_PER_KIND) {
        let urls = &paths[path];
        let names: BTreeSet<&[u8]> =
            urls.iter().flat_map(|url| &url.params).map(|param| param.name).collect();
        if names.len() > MAX_RULES_PER_KIND {
            continue;
        }
        let (matter, rest): (Vec<&[u8]>, Vec<&[u8]>) =
            names.into_iter().partition(|name| param_name(name).is_none() || does_matter(urls, name));
        if rest.is_empty() || matter.iter().any(|name| param_name(name).is_none()) {
            continue;
        }
        let at_path = |query| Template {
            path: path.iter().map(|component| Item::One(literal(component))).collect(),
            ..anywhere(query)
        };
        let named = |say: &dyn Fn(&str) -> Text| {
            let item = |name: &&[u8]| Some(param(name, Some(say(&param_name(name)?))));
            matter.iter().filter_map(item).collect::<Vec<_>>()
        };
        let mut matches = named(&optional);
        matches.push(OTHERS);
        let becomes = named(&hole);
        rules.propose(at_path(Some(matches)), at_path((!becomes.is_empty()).then_some(becomes)), count);
    }
}

/// Whether URLs that differ in this parameter alone are of different pages; unknown ones matter.
fn does_matter(urls: &[&Url], name: &[u8]) -> bool {
    let mut pages: HashMap<u64, u32> = HashMap::new();
    let (mut same, mut all) = (0, 0_u64);
    for url in urls {
        let others = url.params.iter().filter(|param| param.name != name);
        let hash = others.fold(xxh3_64(url.host), |sum, param| {
            sum.wrapping_add(xxh3_64(&[param.name, b"=", param.value.unwrap_or_default()].concat()))
        });
        match pages.get(&hash) {
            Some(page) => {
                all += 1;
                same += u64::from(*page == url.cluster);
            }
            None => {
                pages.insert(hash, url.cluster);
            }
        }
    }
    all == 0 || (same as f64) < MIN_SAME_PAGE_SHARE * all as f64
}

/// A host and its port.
type Authority<'u> = (&'u [u8], Option<&'u [u8]>);

/// Hosts that have the same pages, on this port and any other.
fn hosts(urls: &[Url], rules: &mut Rules) {
    let mut of_page: BTreeMap<u32, BTreeSet<Authority>> = BTreeMap::new();
    let mut count: BTreeMap<Authority, u64> = BTreeMap::new();
    for url in urls {
        let host = (url.host, url.port);
        of_page.entry(url.cluster).or_default().insert(host);
        *count.entry(host).or_default() += 1;
    }
    let mut pairs: BTreeMap<(Authority, Authority), u64> = BTreeMap::new();
    for hosts in of_page.values().filter(|hosts| hosts.len() > 1 && hosts.len() < MAX_RULES_PER_KIND) {
        // All become the one that most URLs have.
        let best = hosts.iter().max_by_key(|host| (count[*host], Reverse(**host)));
        for (host, best) in hosts.iter().zip(best.into_iter().cycle()).filter(|(host, best)| host != best) {
            *pairs.entry((*host, *best)).or_default() += 1;
        }
    }
    pairs.retain(|((_, port), _), _| *port == rules.port);
    let on = |(host, port): Authority| Template {
        host: template_helpers::host(host),
        port: port.map(literal),
        ..anywhere(Some(vec![OTHERS]))
    };
    for ((from, to), count) in most(pairs, MAX_RULES_PER_KIND) {
        rules.propose_as_it_is(on(from), on(to), count);
    }
}

/// Schemes that have the same pages.
fn schemes(urls: &[Url], rules: &mut Rules) {
    let mut schemes: BTreeMap<&[u8], u64> = BTreeMap::new();
    for url in urls {
        *schemes.entry(url.scheme).or_default() += 1;
    }
    let by = |scheme: &[u8]| Template { scheme: literal(scheme), ..anywhere(Some(vec![OTHERS])) };
    if let [(to, _), (from, count)] = most(schemes, 2)[..] {
        rules.propose(by(from), by(to), count);
    }
}

/// The end of paths: a slash, or a component that stands for the folder it is in.
fn ends(urls: &[Url], rules: &mut Rules) {
    let mut parents: BTreeMap<&[u8], BTreeSet<&[&[u8]]>> = BTreeMap::new();
    for url in urls {
        if let [parent @ .., last] = &url.path[..] {
            parents.entry(last).or_default().insert(parent);
        }
    }
    let counts = parents.into_iter().map(|(last, parents)| (last, parents.len() as u64)).collect();
    let folder = |last: &[u8]| {
        let path = vec![Item::Rest(Convert::Copy), Item::One(literal(last))];
        Template { path, ..anywhere(Some(vec![OTHERS])) }
    };
    for (last, count) in most(counts, MAX_RULES_PER_KIND) {
        if last.is_empty() {
            rules.propose(folder(b""), anywhere(Some(vec![OTHERS])), count);
        } else {
            rules.propose(folder(last), folder(b""), count);
            rules.propose(folder(last), anywhere(Some(vec![OTHERS])), count);
        }
    }
}

/// A folder on a host.
type Folder<'u> = (&'u [u8], &'u [&'u [u8]]);

/// Folders and paths of which most URLs lead to one page, such as a login form.
fn folders(urls: &[Url], rules: &mut Rules) {
    let mut folders: BTreeMap<Folder, BTreeMap<u32, u64>> = BTreeMap::new();
    for url in urls {
        for depth in 1..=url.path.len().min(3) {
            let of_page = folders.entry((url.host, &url.path[..depth])).or_default();
            *of_page.entry(url.cluster).or_default() += 1;
        }
    }
    let most_of = |of_page: BTreeMap<u32, u64>| {
        let all: u64 = of_page.values().sum();
        let most = of_page.into_values().max().unwrap_or_default();
        (most >= LARGE_CLUSTER_URLS as u64 && most as f64 >= MIN_SAME_PAGE_SHARE * all as f64).then_some(most)
    };
    let counts =
        folders.into_iter().filter_map(|(folder, of_page)| Some((folder, most_of(of_page)?))).collect();
    for ((host, path), count) in most(counts, MAX_RULES_PER_KIND) {
        let components = || path.iter().map(|component| Item::One(literal(component)));
        let on =
            |path: Vec<Item>, query| Template { host: template_helpers::host(host), path, ..anywhere(query) };
        let query = || Some(vec![OTHERS]);
        rules.propose(on(components().collect(), query()), on(components().collect(), None), count);
        let inside = components().chain([Item::Rest(Convert::Copy)]).collect();
        let star = components().chain([Item::One(vec![Piece::Star])]).collect();
        rules.propose(on(inside, query()), on(star, None), count);
    }
}

#[cfg(test)]
mod tests {
    use undust::page::Page;

    use super::*;

    /// What is proposed for pages of which each has all of these URLs; `#` is its number.
    fn proposed(urls: &[&str]) -> Vec<String> {
        let page = |n: usize, url: &&str| Page {
            cluster: Some(n.to_string()),
            ..Page::new(url.replace('#', &n.to_string()))
        };
        let pages: Vec<Page> = (0..40).flat_map(|n| urls.iter().map(move |url| page(n, url))).collect();
        let site = Site::new("site", &pages, 1);
        let candidates = Heuristics.learn(&site.sample(0));
        candidates.iter().map(|candidate| candidate.action.to_string()).collect()
    }

    #[test]
    fn the_same_rules_on_every_port() {
        let rules = |host: &str| {
            let urls =
                ["http://H/t?id=#", "http://H/t?id=#&sid=7", "http://H/t?sid=#&id=#", "https://H/t?id=#"];
            proposed(&urls.map(|url| url.replace('H', host)).each_ref().map(String::as_str))
        };
        let without_port = rules("a.com");
        assert!(without_port.len() > 5, "{without_port:#?}");
        let sid = "{scheme}://{...}/{...}?{...}&sid={?} -> {scheme}://{...}/{...}?{...}";
        assert!(without_port.contains(&sid.to_owned()), "{without_port:#?}");
        for host in ["a.com:8080", "doc.test:8080", "wiki:8080", "10.0.0.5:8080", "[::1]:8080"] {
            let at_port = rules(host);
            let host = host.strip_suffix(":8080").unwrap_or_default();
            let said = |rule: &String| {
                rule.replace("{...}:8080", "{...}").replace(":8080", "").replace(host, "a.com")
            };
            assert_eq!(at_port.iter().map(said).collect::<Vec<_>>(), without_port, "{host}");
            assert!(at_port.iter().all(|rule| rule.matches(":8080").count() == 2), "{at_port:#?}");
        }
    }

    #[test]
    fn hosts_with_and_without_a_port() {
        let rules = proposed(&["http://wiki:8080/x/#", "http://wiki/x/#", "http://wiki:8080/y/#"]);
        let host = "{scheme}://wiki/{...}?{...} -> {scheme}://wiki:8080/{...}?{...}";
        assert!(rules.contains(&host.to_owned()), "{rules:#?}");
    }
}
