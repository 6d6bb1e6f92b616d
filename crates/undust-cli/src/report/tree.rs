//! The design of each site: the patterns of its URLs as a tree that can be opened.

use undust_learn::learn::pattern_tree::outline::{OutlineNode, ToldBy};
use undust_learn::survey::{Survey, Tree};

use super::html::{Html, bar, fold, nothing, said, tag, tag_with, text};
use super::page::{Report, Section};
use crate::messages::{counted, percent, thousands};

pub(super) fn section(report: &Report) -> Section {
    let body = report.per_site(|_, survey| {
        let Tree { nodes, patterns, .. } = &survey.tree;
        (!nodes.is_empty()).then(|| (counted(*patterns, "pattern"), tree(survey)))
    });
    let lead = if report.is_judged() {
        "The URLs of a site by their design. A bar is as long as a pattern has URLs; what is filled are duplicates, which need not be fetched."
    } else {
        "The URLs of a site by their design. A bar is as long as a pattern has URLs."
    };
    Section { id: "tree", title: "Patterns", lead: text(lead), body }
}

fn tree(survey: &Survey) -> Html {
    let Tree { nodes, patterns, left_out } = &survey.tree;
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); nodes.len()];
    for (at, node) in nodes.iter().enumerate() {
        if let Some(parent) = node.parent {
            children[parent as usize].push(at);
        }
    }
    let view = View {
        nodes,
        children,
        all: nodes.first().map_or(1, |root| root.urls.max(1)),
        labelled: survey.labelled,
    };
    let more = patterns.saturating_sub(nodes.len() as u64);
    let notes = [
        (more, format!("… and {} of fewer URLs (undust tree shows them all)", counted(more, "more pattern"))),
        (
            *left_out,
            format!(
                "{} with a user, a fragment, a bare ?, a parameter twice or very many parts are left out.",
                counted(*left_out, "URL")
            ),
        ),
    ];
    let notes = notes.into_iter().filter(|(n, _)| *n > 0).map(|(_, note)| said("p.more", note));
    let top = if nodes.is_empty() { nothing() } else { view.node(0) };
    [tag("div.tree", [top])].into_iter().chain(notes).collect()
}

struct View<'t> {
    nodes: &'t [OutlineNode],
    children: Vec<Vec<usize>>,
    /// The URLs of the whole site.
    all: u64,
    labelled: bool,
}

impl View<'_> {
    /// A node with what is below it. No deeper than the tree, which is small.
    fn node(&self, at: usize) -> Html {
        let node = &self.nodes[at];
        let line = self.line(node);
        if self.children[at].is_empty() {
            return tag("div.leaf", [line]);
        }
        // What few URLs have is for those who ask.
        let is_open = node.urls >= self.all / 10;
        fold("details", is_open, line, self.children[at].iter().map(|&child| self.node(child)).collect())
    }

    fn line(&self, node: &OutlineNode) -> Html {
        let duplicates = if self.labelled { node.duplicate_rate } else { 0.0 };
        let rate = if self.labelled { percent(node.duplicate_rate) } else { nothing().as_str().to_owned() };
        let told = node.told_by.as_ref().map_or_else(nothing, told);
        let label =
            tag_with("span.what", &[("title", node.example.clone())], [told, said("code", &node.pattern)]);
        let parts = [
            bar("span.bar", node.urls as f64 / self.all as f64, duplicates),
            said("span.number", thousands(node.urls)),
            said("span.rate", rate),
            label,
        ];
        tag_with("span.node", &[("style", format!("--depth:{}", node.depth))], parts)
    }
}

/// What tells a node from its siblings.
fn told(by: &ToldBy) -> Html {
    match &by.value {
        Some(value) => said("b", format!("{} = {value}", by.key)),
        None => said("b", format!("no {}", by.key)),
    }
}
