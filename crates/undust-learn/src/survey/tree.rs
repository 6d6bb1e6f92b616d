//! The patterns of a site's URLs, the largest of them.

use std::cmp::Reverse;

use serde::Serialize;

use super::shortened;
use crate::learn::pattern_tree::outline::{Outline, OutlineNode, ToldBy, outline};
use crate::site::Site;

/// Number of patterns kept.
const MAX_NODES: usize = 60;

/// The upper part of a site's pattern tree.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Tree {
    /// The patterns of most URLs; a node stands before its children, and descendants directly behind an ancestor.
    pub nodes: Vec<OutlineNode>,
    /// How many patterns the whole tree has.
    pub patterns: u64,
    /// URLs that no pattern matches.
    pub left_out: u64,
}

impl Tree {
    pub(super) fn of(site: &Site) -> Tree {
        let Outline { nodes, left_out } = outline(&site.sample(0));
        let mut largest: Vec<u32> = (0..nodes.len() as u32).collect();
        // A node has no more URLs than the one above, which stands before it: whoever is kept, so is what is above.
        largest.sort_by_key(|&node| Reverse(nodes[node as usize].urls));
        largest.truncate(MAX_NODES);
        largest.sort_unstable();
        let place = |old: u32| largest.binary_search(&old).ok().map(|new| new as u32);
        let kept = largest.iter().map(|&node| {
            let node = nodes[node as usize].clone();
            OutlineNode { parent: node.parent.and_then(place), ..fit_to_show(node) }
        });
        Tree { nodes: kept.collect(), patterns: nodes.len() as u64, left_out }
    }
}

fn fit_to_show(node: OutlineNode) -> OutlineNode {
    let short = |text: String| shortened(&text).into_owned();
    let told = |by: ToldBy| ToldBy { key: short(by.key), value: by.value.map(short) };
    OutlineNode {
        pattern: short(node.pattern),
        example: short(node.example),
        told_by: node.told_by.map(told),
        ..node
    }
}
