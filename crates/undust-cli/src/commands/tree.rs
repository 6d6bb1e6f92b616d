//! `undust tree`: the patterns of a site's URLs as a tree.

use std::io::Write;

use anyhow::{Result, bail};
use rayon::prelude::*;
use serde::Serialize;
use undust::page::Page;
use undust_learn::learn::pattern_tree::outline::{Outline, OutlineNode, ToldBy, outline};
use undust_learn::site::Site;

use super::{print_json, read_by_site};
use crate::args::Tree;
use crate::messages::{counted, percent, say, thousands};
use crate::{Outcome, output};

/// What `--json` prints, for each site.
#[derive(Serialize)]
struct SiteTree {
    site: String,
    /// Whether it is known which URLs are duplicates.
    labelled: bool,
    #[serde(flatten)]
    outline: Outline,
}

pub(super) fn run(args: &Tree) -> Result<Outcome> {
    let mut sites = read_by_site(&args.inputs, &args.reading, args.site_by)?;
    // URLs without a host have no site.
    sites.retain(|(name, _)| !name.is_empty() && args.site.as_ref().is_none_or(|only| only == name));
    let tree = |(name, pages): (String, Vec<Page>)| tree_of(name, pages);
    let trees: Vec<SiteTree> =
        args.reading.thread_pool()?.install(|| sites.into_par_iter().map(tree).collect());
    if trees.is_empty() {
        bail!(match &args.site {
            Some(site) => format!("the input has no URLs of the site '{site}'"),
            None => "the input has no full URLs".to_owned(),
        });
    }
    let left_out = trees.iter().map(|tree| tree.outline.left_out).sum();
    if left_out > 0 {
        let urls = counted(left_out, "URL");
        say(&format!(
            "left out, with a user, a fragment, a bare ?, a parameter twice or very many parts: {urls}"
        ));
    }
    if args.json {
        print_json(&trees)?;
    } else {
        print(&trees, args)?;
    }
    Ok(Outcome::Fine)
}

fn tree_of(site: String, mut pages: Vec<Page>) -> SiteTree {
    let labelled = pages.iter().any(|page| page.label().is_some());
    for page in pages.iter_mut().filter(|page| page.label().is_none()) {
        // A page that nobody labelled is like no other.
        page.cluster = Some(format!("only {}", String::from_utf8_lossy(&page.url)));
    }
    let outline = outline(&Site::new(&site, &pages, 0).sample(0));
    SiteTree { site, labelled, outline }
}

fn print(trees: &[SiteTree], args: &Tree) -> Result<()> {
    let mut out = output::stdout();
    for (at, tree) in trees.iter().enumerate() {
        if at > 0 {
            writeln!(out)?;
        }
        let patterns = counted(tree.outline.nodes.len() as u64, "pattern");
        writeln!(out, "{}: {patterns}\n\n{:>10}  {:>10}  pattern", tree.site, "URLs", "duplicates")?;
        let is_shown = |node: &&OutlineNode| node.urls >= args.min_urls && node.depth <= args.depth;
        for node in tree.outline.nodes.iter().filter(is_shown) {
            let rate = if tree.labelled { percent(node.duplicate_rate) } else { "?".to_owned() };
            let (urls, indent) = (thousands(node.urls), 2 * node.depth as usize);
            let told_by = node.told_by.as_ref().map(told).unwrap_or_default();
            writeln!(out, "{urls:>10}  {rate:>10}  {:indent$}{}{told_by}", "", node.pattern)?;
        }
    }
    Ok(())
}

/// What tells a node from its siblings.
fn told(by: &ToldBy) -> String {
    match &by.value {
        Some(value) => format!("  [{} = {value}]", by.key),
        None => format!("  [no {}]", by.key),
    }
}
