//! What the site's own URLs say of every known template, as far as it can be believed.
//!
//! Templates are judged on URLs that did not suggest what they become: targets are found again without each fold of the site in turn, and tried on that fold. All entries together keep to the same bound as a rule set: of the site's pages at most `max_fpr` are lost, with 95 % confidence.

use crate::bound::upper_bound;
use crate::site::{ALL_FOLDS, FOLDS};

use super::corpus::{Corpus, Tally};
use super::targets::{MAX_WRONG_SHARE, Targets};
use super::vocabulary::Template;

/// What is known of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    /// It becomes another one.
    Becomes {
        /// In terms of its own arguments.
        output: Template,
        /// What came of it on URLs that did not suggest it.
        evidence: Tally,
    },
    /// There is nothing better: it stays as it is.
    Stays,
    /// What it seemed to become does not hold: it stays as it is, and nobody should learn from that.
    Refuted,
    /// It was seen too rarely to tell.
    Open,
}

/// Number of URLs from which on a template is known: if nothing was found for it, there is nothing.
pub const MIN_KNOWN_URLS: usize = 10;

/// The entries of all templates of a corpus.
pub fn entries(corpus: &Corpus, targets: &Targets) -> Vec<Entry> {
    let evidence = cross_check(corpus);
    let entry = |(template, ((from, to), tally)): (usize, ((&Template, &Template), &Tally))| {
        let is_known = corpus.by_template[template].len() >= MIN_KNOWN_URLS;
        match (from != to, is_known) {
            (true, _) if tally.right > 0 && tally.error() <= MAX_WRONG_SHARE => {
                Entry::Becomes { output: to.clone(), evidence: *tally }
            }
            (true, _) => Entry::Refuted,
            (false, true) => Entry::Stays,
            (false, false) => Entry::Open,
        }
    };
    let all = corpus.templates.iter().zip(&targets.of).zip(&evidence);
    all.enumerate().map(entry).collect()
}

/// For each template what comes of its target on URLs that did not suggest it: targets are found without each fold in turn, and tried on that fold.
fn cross_check(corpus: &Corpus) -> Vec<Tally> {
    let mut evidence = vec![Tally::default(); corpus.templates.len()];
    for fold in 0..FOLDS {
        let unseen = 1 << fold;
        let targets = Targets::find(corpus, ALL_FOLDS & !unseen);
        for (template, (from, to)) in (0..).zip(corpus.templates.iter().zip(&targets.of)) {
            if from != to {
                let tally = &mut evidence[template as usize];
                *tally = tally.plus(corpus.try_out(template, to, unseen, ALL_FOLDS));
            }
        }
    }
    evidence
}

/// What rules were seen to do, which all share one limit with the entries.
#[derive(Clone, Copy, Debug, Default)]
pub struct Spent {
    /// What came of them on held-out URLs.
    pub seen: Tally,
    /// URLs that they save.
    pub saved: u64,
}

impl Spent {
    /// How many pages may be lost by rules and entries together: what happened to held-out URLs happens to all.
    pub fn lost_with(&self, entries: Tally) -> f64 {
        let total = self.seen.plus(entries);
        upper_bound(total.wrong, total.trials()) * (self.saved + entries.trials()) as f64
    }
}

/// Give up the entries with most errors, and of those the ones with least evidence, until the others and the rules lose no more pages than they may. What is
/// `left_to_rules` was judged with them.
pub fn give_up_worst(entries: &mut [Entry], left_to_rules: &[bool], spent: Spent, most_lost: f64) {
    let evidence = |(at, entry): (usize, &Entry)| match entry {
        Entry::Becomes { evidence, .. } if !left_to_rules[at] => Some((*evidence, at)),
        _ => None,
    };
    let mut order: Vec<(Tally, usize)> = entries.iter().enumerate().filter_map(evidence).collect();
    let mut total = order.iter().fold(Tally::default(), |total, (tally, _)| total.plus(*tally));
    order.sort_by(|(a, at), (b, other)| {
        // By the share of errors, without dividing.
        (b.wrong * a.trials(), a.trials(), at).cmp(&(a.wrong * b.trials(), b.trials(), other))
    });
    for (tally, at) in order {
        if spent.lost_with(total) <= most_lost {
            break;
        }
        total = Tally { right: total.right - tally.right, wrong: total.wrong - tally.wrong };
        entries[at] = Entry::Refuted;
    }
}
