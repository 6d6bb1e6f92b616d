//! The experiments of the papers, done again on labelled pages: nothing that learning or applying rules needs.
//!
//! One file per paper, one pure function per site: whoever calls it may run sites side by side. [`deploy`] chooses rules as
//! WWW 2010 does; the product's own choice is [`undust_learn::select`]. The learners themselves live in `undust-learn` and
//! `undust-neural`, which know nothing of this crate.

pub mod deploy;
#[cfg(test)]
mod fixed;
mod halves;
pub mod kdd08;
pub mod learners;
pub mod pages;
pub mod sigir17;
mod walk;
pub mod wsdm10;
pub mod www07;
pub mod www10;

use std::collections::BTreeMap;

use undust::page::Page;

use undust_learn::evaluate::{Evaluation, Score};

pub use halves::Half;

/// Sites with fewer labelled URLs than this say nothing.
pub const MIN_URLS: usize = 100;

/// The first rows of a site, this share of all, and the rest: a crawler knows what it has seen, not what comes.
fn split_in_order(pages: &[Page], share: f64) -> (&[Page], &[Page]) {
    pages.split_at(part_of(pages.len(), share))
}

/// `share` of `whole`, rounded.
fn part_of(whole: usize, share: f64) -> usize {
    let part = whole as f64 * share;
    (0..whole).take_while(|&n| n as f64 + 0.5 <= part).count()
}

/// The score of a crawl over the labelled `pages`, in their order, that fetches one URL of each key; `append_key` appends the key of a
/// URL, by so many rules, and tells whether it is skipped.
fn crawl(
    site: &str,
    pages: &[Page],
    rules: u64,
    mut append_key: impl FnMut(&[u8], &mut Vec<u8>) -> bool,
) -> Score {
    let (mut key, mut walk) = (Vec::new(), Evaluation::new());
    for page in pages {
        let Some(label) = page.label() else { continue };
        key.clear();
        let is_skipped = append_key(&page.url, &mut key);
        let add = if is_skipped { Evaluation::add_skipped } else { Evaluation::add };
        add(&mut walk, site, &page.url, &key, label);
    }
    walk.report(&BTreeMap::from([(site.to_owned(), rules)])).total
}
