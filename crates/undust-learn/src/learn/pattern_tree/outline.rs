//! The tree of a site, for people to look at.

use std::ops::Range;

use serde::Serialize;
use undust::rules::template::Template;

use super::form::Form;
use super::template::pattern;
use super::tree::{Node, Told, Tree};
use super::view::View;
use crate::evaluate::share;
use crate::learn::template_helpers;
use crate::site::Sample;

/// A node of the tree.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OutlineNode {
    /// The node above, by its place.
    pub parent: Option<u32>,
    /// How many are above.
    pub depth: u32,
    /// What its URLs look like, but for a few odd ones.
    pub pattern: String,
    /// What tells its URLs from those of its siblings.
    pub told_by: Option<ToldBy>,
    /// Its URLs.
    pub urls: u64,
    /// Their pages.
    pub pages: u64,
    /// The share of URLs that could be spared.
    pub duplicate_rate: f64,
    /// One of them.
    pub example: String,
}

/// What the URLs of a node have under a key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ToldBy {
    /// The key.
    pub key: String,
    /// `*` is any value that no sibling has; nothing is that they do not have the key.
    pub value: Option<String>,
}

/// The tree of a site.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Outline {
    /// A node stands before its children, and descendants directly behind an ancestor.
    pub nodes: Vec<OutlineNode>,
    /// URLs that no pattern matches: with a user, a fragment, a bare `?`, a parameter twice, or far too many parts.
    pub left_out: u64,
}

/// The tree of a sample.
pub fn outline(sample: &Sample) -> Outline {
    let mut view = View::new(sample);
    let tree = Tree::new(&mut view);
    let mut pages = Pages { last_seen: vec![u32::MAX; sample.site.clusters()] };
    let node = |(at, node): (u32, &Node)| {
        let (count, pages) = (node.urls.len() as u64, pages.count(&view, node.urls.clone(), at));
        let mut example = Vec::new();
        if let Some(url) = node.urls.clone().next() {
            view.site.write_url(view.row(url), &mut example);
        }
        OutlineNode {
            parent: node.parent,
            depth: node.depth,
            pattern: pattern_of(&view, node),
            told_by: node.told_by.map(|(key, told)| told_by(&view, key, told)),
            urls: count,
            pages,
            duplicate_rate: share(count - pages, count, 0.0),
            example: String::from_utf8_lossy(&example).into_owned(),
        }
    };
    let nodes = (0..).zip(&tree.nodes).map(node).collect();
    Outline { nodes, left_out: (sample.rows.len() - view.len()) as u64 }
}

fn pattern_of(view: &View, node: &Node) -> String {
    let mut template = pattern(view, &Form::new(view, node), b'&');
    template_helpers::forget_unused(&mut template, &Template::default());
    template.to_string()
}

fn told_by(view: &View, key: u32, told: Told) -> ToldBy {
    let text = |value: u32| String::from_utf8_lossy(view.text(value)).into_owned();
    let value = match told {
        Told::Value(value) => Some(text(value)),
        Told::Other => Some("*".to_owned()),
        Told::Absent => None,
    };
    ToldBy { key: view.name(key), value }
}

/// Counts pages.
struct Pages {
    /// The node that each page was last seen in.
    last_seen: Vec<u32>,
}

impl Pages {
    fn count(&mut self, view: &View, urls: Range<u32>, node: u32) -> u64 {
        let is_new = |url: &u32| {
            let seen = &mut self.last_seen[view.cluster(*url) as usize];
            std::mem::replace(seen, node) != node
        };
        urls.filter(is_new).count() as u64
    }
}
