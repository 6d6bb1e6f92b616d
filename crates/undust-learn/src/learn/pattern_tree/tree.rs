//! The pattern tree (Algorithm 1): nodes are sets of URLs of one form, children are split off by the values of a key.
//!
//! Built without recursion: nodes to be split are on a list. The URLs of the view are put in order on the way: those of a node lie
//! beside each other, those of its children in parts of the same stretch, so that a node is a range and an ancestor a wider one.
//!
//! Where we deviate: a key without salient values does not end the splitting, other keys are tried; the trivial values of a key may
//! be split once more by it, since those left have a decline of their own; URLs without the key are never among the
//! trivial ones.

use std::ops::Range;

use super::split::{Counter, Split};
use super::view::View;

/// URLs of the site per URL of a group that gets a node, at most.
const MAX_SITE_PER_NODE: usize = 1000;

/// How URLs of a node use a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct KeyUse {
    pub(super) key: u32,
    /// How many have it.
    pub(super) urls: u32,
    /// Its most frequent value.
    pub(super) main: u32,
    /// How many have that.
    pub(super) of_main: u32,
    /// Whether some value is the empty one.
    pub(super) may_be_empty: bool,
}

/// A node.
pub(super) struct Node {
    pub(super) parent: Option<u32>,
    pub(super) depth: u32,
    /// Where its URLs are.
    pub(super) urls: Range<u32>,
    /// Its descendants end before this node.
    pub(super) end: u32,
    /// By what its URLs are told from those of its siblings.
    pub(super) told_by: Option<(u32, Told)>,
    /// The keys of its URLs, in the order of keys.
    pub(super) uses: Vec<KeyUse>,
    pub(super) is_leaf: bool,
}

/// What the URLs of a node have under a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Told {
    Value(u32),
    /// One of the trivial values.
    Other,
    Absent,
}

pub(super) struct Tree {
    /// A parent stands before its children, and descendants directly behind an ancestor.
    pub(super) nodes: Vec<Node>,
}

/// A node to be made.
struct Open {
    parent: Option<u32>,
    urls: Range<u32>,
    told_by: Option<(u32, Told)>,
}

impl Tree {
    /// Build the tree, and put the URLs in its order.
    pub(super) fn new(view: &mut View) -> Tree {
        let mut counter = Counter::new(view, (view.len() / MAX_SITE_PER_NODE) as u32);
        let mut dealer = Dealer::default();
        let mut tree = Tree { nodes: Vec::new() };
        let mut order: Vec<u32> = (0..view.len() as u32).collect();
        let mut open = vec![Open { parent: None, urls: 0..view.len() as u32, told_by: None }];
        while let Some(next) = open.pop() {
            let at = tree.nodes.len() as u32;
            let urls = &mut order[next.urls.start as usize..next.urls.end as usize];
            // Each child has fewer URLs than its parent: this ends.
            let (uses, split) = counter.look(view, urls);
            if let Some(split) = &split {
                let children = dealer.deal(view, urls, split);
                let start = next.urls.start;
                open.extend(children.into_iter().rev().map(|(told, range)| Open {
                    parent: Some(at),
                    urls: start + range.start..start + range.end,
                    told_by: Some((split.key, told)),
                }));
            }
            let depth = next.parent.map_or(0, |parent| tree.nodes[parent as usize].depth + 1);
            let Open { parent, urls, told_by } = next;
            tree.nodes.push(Node {
                parent,
                depth,
                urls,
                end: at + 1,
                told_by,
                uses,
                is_leaf: split.is_none(),
            });
        }
        tree.find_ends();
        view.sort(&order);
        tree
    }

    fn find_ends(&mut self) {
        for at in (0..self.nodes.len()).rev() {
            let Node { parent, end, .. } = self.nodes[at];
            if let Some(parent) = parent {
                let parent = &mut self.nodes[parent as usize];
                parent.end = parent.end.max(end);
            }
        }
    }

    /// The leaves below a node, itself if it is one.
    pub(super) fn leaves_of(&self, node: u32) -> impl Iterator<Item = &Node> {
        let end = self.nodes.get(node as usize).map_or(node, |node| node.end);
        self.nodes[node as usize..end as usize].iter().filter(|node| node.is_leaf)
    }

    /// The leaf of every URL.
    pub(super) fn leaf_of_urls(&self) -> Vec<u32> {
        let leaves = (0..).zip(&self.nodes).filter(|(_, node)| node.is_leaf);
        leaves.flat_map(|(at, node)| node.urls.clone().map(move |_| at)).collect()
    }

    /// Whether `node` is `of` or below it.
    pub(super) fn is_within(&self, node: u32, of: u32) -> bool {
        (of..self.nodes[of as usize].end).contains(&node)
    }

    /// The node and its ancestors.
    pub(super) fn upwards(&self, node: u32) -> impl Iterator<Item = u32> {
        std::iter::successors(Some(node), |&node| self.nodes[node as usize].parent)
    }
}

/// Deals the URLs of a node to its children; kept for its allocations.
#[derive(Default)]
struct Dealer {
    /// The child of each URL.
    children: Vec<u32>,
    dealt: Vec<u32>,
}

impl Dealer {
    /// Order `urls` by child, and give the children that have some: URLs without the key, salient values by frequency, others.
    fn deal(&mut self, view: &View, urls: &mut [u32], split: &Split) -> Vec<(Told, Range<u32>)> {
        let told: Vec<Told> = std::iter::once(Told::Absent)
            .chain(split.salient.iter().map(|&value| Told::Value(value)))
            .chain([Told::Other])
            .collect();
        let other = told.len() as u32 - 1;
        let child = |url: u32| match view.value(url, split.key) {
            Some(value) => split.salient.iter().position(|&s| s == value).map_or(other, |at| at as u32 + 1),
            None if split.absent => 0,
            None => other,
        };
        self.children.clear();
        self.children.extend(urls.iter().map(|&url| child(url)));
        let mut ends = vec![0u32; told.len() + 1];
        for &child in &self.children {
            ends[child as usize + 1] += 1;
        }
        for at in 1..ends.len() {
            ends[at] += ends[at - 1];
        }
        let mut next = ends.clone();
        self.dealt.resize(urls.len(), 0);
        for (&url, &child) in urls.iter().zip(&self.children) {
            let at = &mut next[child as usize];
            self.dealt[*at as usize] = url;
            *at += 1;
        }
        urls.copy_from_slice(&self.dealt);
        let ranges = ends.windows(2).map(|ends| ends[0]..ends[1]);
        told.into_iter().zip(ranges).filter(|(_, range)| !range.is_empty()).collect()
    }
}
