//! What every template should be translated to: the sentences that the network learns from.
//!
//! The paper lets each URL of a page be translated to the page's URL of fewest tokens. In a crawl that is not complete, that URL is
//! one form here and another there, and the network is taught both. Here, the forms that any URL of the page has
//! are proposals, what each would do to all URLs of the template is counted, and the best form that holds is the target
//! of all of them, also where a page was not seen under it. Where none holds, a template is translated to itself.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::Id;
use super::corpus::Corpus;
use super::vocabulary::{ARGUMENTS, Meaning, Template};

/// The targets of a corpus.
pub struct Targets {
    /// For each template what it becomes, in terms of its own arguments; itself, where nothing is better.
    pub of: Vec<Template>,
}

/// A template's place in the order of the paper: fewest tokens, then the greater sum of document frequencies.
type Rank<'t> = (usize, Reverse<u64>, &'t [Id]);

/// Share of wrong URLs, of those of a template that an output makes equal to others, at most.
pub const MAX_WRONG_SHARE: f64 = 0.05;

/// Share of wrong URLs up to which an output is preferred to better forms with more.
const MAX_PREFERRED_WRONG_SHARE: f64 = 0.01;

/// Number of URLs that must share a form with their page; fewer are a coincidence.
const MIN_RIGHT_URLS: u64 = 3;

impl Targets {
    /// Find the targets of all templates, by the URLs in these folds.
    pub fn find(corpus: &Corpus, folds: u32) -> Targets {
        let ranks: Vec<Rank> = corpus.templates.iter().map(|template| rank(corpus, template)).collect();
        let mut direct: Vec<Option<Template>> = vec![None; corpus.templates.len()];
        for (template, outputs) in propose(corpus, folds, &ranks) {
            let outputs = most_supported(outputs);
            let judged = outputs.into_iter().filter_map(|output| {
                let is_worse = judge(corpus, folds, template, &output)?;
                let (tokens, frequency, _) = rank(corpus, &output);
                Some(((is_worse, tokens, frequency), output))
            });
            direct[template as usize] = judged.min().map(|(_, output)| output);
        }
        Targets { of: follow(corpus, folds, &direct) }
    }
}

/// Whether an output holds, and if so, whether it does with more than few errors.
fn judge(corpus: &Corpus, folds: u32, template: u32, output: &[Id]) -> Option<bool> {
    let tally = corpus.try_out(template, output, folds, folds);
    let holds = tally.right >= MIN_RIGHT_URLS && tally.error() <= MAX_WRONG_SHARE;
    holds.then(|| tally.error() > MAX_PREFERRED_WRONG_SHARE)
}

/// The outputs that most URLs proposed.
fn most_supported(outputs: BTreeMap<Template, u64>) -> Vec<Template> {
    let mut outputs: Vec<(Template, u64)> = outputs.into_iter().collect();
    outputs.sort_by_key(|(_, support)| Reverse(*support));
    outputs.truncate(MAX_OUTPUTS);
    outputs.into_iter().map(|(output, _)| output).collect()
}

/// Number of forms tried of those proposed for a template.
const MAX_OUTPUTS: usize = 12;
/// Number of forms of one page that are proposed, the best first.
const MAX_FORMS: usize = 12;
/// Number of URLs of a page in one form that propose or are proposed.
const MAX_URLS_PER_FORM: usize = 6;

fn rank<'t>(corpus: &Corpus, template: &'t [Id]) -> Rank<'t> {
    let frequency = |number: &Id| match corpus.vocabulary.meaning(*number) {
        Meaning::Word(word) => word.count,
        _ => 0,
    };
    (template.len(), Reverse(template.iter().map(frequency).sum()), template)
}

/// For each template the better forms of the pages it leads to, in terms of its own arguments, and how many URLs have them.
fn propose(corpus: &Corpus, folds: u32, ranks: &[Rank]) -> BTreeMap<u32, BTreeMap<Template, u64>> {
    let mut proposals: BTreeMap<u32, BTreeMap<Template, u64>> = BTreeMap::new();
    for rows in corpus.duplicates(folds) {
        let mut forms: BTreeMap<&Rank, Vec<u32>> = BTreeMap::new();
        for row in rows {
            forms.entry(&ranks[corpus.template_of(row) as usize]).or_default().push(row);
        }
        let forms: Vec<Vec<u32>> = forms.into_values().collect();
        for (at, alike) in forms.iter().enumerate() {
            for &row in alike.iter().take(MAX_URLS_PER_FORM) {
                for better in &forms[..at.min(MAX_FORMS)] {
                    let said =
                        better.iter().take(MAX_URLS_PER_FORM).find_map(|&other| say(corpus, row, other));
                    let source = &corpus.templates[corpus.template_of(row) as usize];
                    if let Some(output) = said.filter(|output| corpus.vocabulary.fits(source, output)) {
                        let of_template = proposals.entry(corpus.template_of(row)).or_default();
                        *of_template.entry(output).or_default() += 1;
                    }
                }
            }
        }
    }
    proposals
}

/// The URL `other` in terms of the arguments of `row`, if it has no others.
fn say(corpus: &Corpus, row: u32, other: u32) -> Option<Template> {
    let (own, wanted) = (corpus.arguments(row), corpus.arguments(other));
    let template = &corpus.templates[corpus.template_of(other) as usize];
    let in_own = |number: &Id| {
        if !ARGUMENTS.contains(number) {
            return Some(*number);
        }
        let value = wanted[usize::from(*number - ARGUMENTS.start)];
        own.iter().position(|argument| *argument == value).map(|nth| ARGUMENTS.start + nth as Id)
    };
    template.iter().map(in_own).collect()
}

/// Where each template ends: what it becomes may become something else again, as long as that is no worse. Ranks fall, so that there is an end.
fn follow(corpus: &Corpus, folds: u32, direct: &[Option<Template>]) -> Vec<Template> {
    let next = |output: &Template| {
        let at = corpus.templates.binary_search(&renumbered(output)).ok()?;
        direct[at].as_ref().map(|next| then(output, next))
    };
    let follow_one = |(number, template): (u32, &Template)| {
        let Some(mut output) = direct[number as usize].clone() else { return template.clone() };
        let is_bad = judge(corpus, folds, number, &output);
        let is_no_worse = |further: &Template| {
            judge(corpus, folds, number, further).is_some_and(|is_worse| Some(is_worse) <= is_bad)
        };
        while let Some(further) = next(&output).filter(is_no_worse) {
            output = further;
        }
        output
    };
    (0..).zip(&corpus.templates).map(follow_one).collect()
}

/// An output as the template that the URLs so printed have.
fn renumbered(output: &[Id]) -> Template {
    let mut count = 0;
    let number = |number: &Id| {
        if ARGUMENTS.contains(number) {
            count += 1;
            return ARGUMENTS.start + count - 1;
        }
        *number
    };
    output.iter().map(number).collect()
}

/// First `output`, then what the template of its URLs becomes.
fn then(output: &[Id], next: &[Id]) -> Template {
    let arguments: Vec<Id> = output.iter().copied().filter(|number| ARGUMENTS.contains(number)).collect();
    let number = |number: &Id| {
        if ARGUMENTS.contains(number) { arguments[usize::from(*number - ARGUMENTS.start)] } else { *number }
    };
    next.iter().map(number).collect()
}

/// The numbers that targets hold: nothing else is ever printed.
pub fn numbers_in<'t>(targets: impl Iterator<Item = &'t Template>) -> BTreeSet<Id> {
    targets.flatten().copied().collect()
}
