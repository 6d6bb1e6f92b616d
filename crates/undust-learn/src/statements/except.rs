//! Exceptions: where a wide statement fails in a corner of its scope, that corner is left out.

use std::collections::{BTreeMap, BTreeSet};

use undust::rules::Rule;

use super::census::Census;
use super::forms::{Forms, Score};
use super::judge::{PRICE_OF_A_PAGE, utility};
use super::record::Record;
use super::statement::{Condition, Effect, Paths, Scope, Statement};
use crate::intern::Interner;

/// Forms that a refused statement must save for exceptions to be looked for.
const MIN_SAVED_FORMS: u64 = 15;
/// Exceptions of a statement.
const MAX_EXCEPTIONS: usize = 3;
/// Share of what a statement saves rightly that must be left with its exceptions.
const MIN_SAVED_SHARE: f64 = 0.25;
/// Forms of a group whose fields are looked at.
const MAX_FORMS_OF_GROUP: usize = 6;
/// An exception more must raise the utility by this factor.
const MIN_GAIN: f64 = 1.05;

/// Whether a refused statement is wide enough, and right often enough, to look for exceptions.
pub(super) fn is_worth(statement: &Statement, score: &Score) -> bool {
    let is_wide =
        statement.scope.condition.is_none() && !matches!(statement.scope.paths, Paths::BelowTwo(..));
    let can_except = match &statement.effect {
        Effect::Templates(from, _) => from.ends_with("?{...}"),
        effect => !matches!(effect, Effect::One(_) | Effect::Substitute(..)),
    };
    let right = score.saved.saturating_sub(score.wrong) as f64;
    is_wide
        && can_except
        && score.saved >= MIN_SAVED_FORMS
        && score.bad_groups > 0
        && right > MIN_SAVED_SHARE * score.saved as f64
}

/// The statement with the exceptions that make it pay most, and its utility.
pub(super) fn find(
    forms: &Forms,
    records: &[Option<Record>],
    census: &Census,
    texts: &Interner,
    statement: &Statement,
    price: f64,
) -> Option<(Statement, f64)> {
    let mut best: Option<(Statement, f64)> = None;
    let mut current = statement.clone();
    for _ in 0..MAX_EXCEPTIONS {
        let rule = Rule::new(current.action(census, texts)?);
        let trial = forms.try_rule(&rule, &forms.alive);
        let groups = forms.groups(&trial.moves, |hash| forms.by_text(hash));
        let condition = worst(&groups, records, census, &current)?;
        current.except.push(condition);
        current.except.sort_unstable();
        let rule = Rule::new(current.action(census, texts)?);
        let trial = forms.try_rule(&rule, &forms.alive);
        let value = utility(&trial.score, &current, price);
        if let Some(value) =
            value.filter(|value| best.as_ref().is_none_or(|(_, known)| *value > MIN_GAIN * known))
        {
            best = Some((current.clone(), value));
        }
    }
    best
}

/// The condition that leaves out most bad groups for the fewest good ones.
fn worst(
    groups: &[super::forms::Group],
    records: &[Option<Record>],
    census: &Census,
    statement: &Statement,
) -> Option<Condition> {
    let mut good: BTreeMap<Condition, f64> = BTreeMap::new();
    let mut bad: BTreeMap<Condition, f64> = BTreeMap::new();
    let (mut all_good, mut all_bad) = (0.0, 0.0);
    for group in groups {
        let mut conditions: BTreeSet<Condition> = BTreeSet::new();
        for form in group.forms.iter().take(MAX_FORMS_OF_GROUP) {
            conditions
                .extend(records[*form as usize].iter().flat_map(|record| conditions_of(record, census)));
        }
        let (count, n) =
            if group.is_good { (&mut good, group.forms.len() as f64 - 1.0) } else { (&mut bad, 1.0) };
        for condition in conditions {
            *count.entry(condition).or_default() += n;
        }
        if group.is_good {
            all_good += n;
        } else {
            all_bad += n;
        }
    }
    let value = |(condition, n): (&Condition, &f64)| {
        let kept = all_good - good.get(condition).copied().unwrap_or_default();
        (kept >= MIN_SAVED_SHARE * all_good)
            .then_some((kept - 2.0 * PRICE_OF_A_PAGE * (all_bad - n), *condition))
    };
    let fits = |condition: &Condition| {
        !statement.except.contains(condition)
            && !is_of(&statement.effect, condition)
            && statement.scope != (Scope { paths: statement.scope.paths, condition: Some(*condition) })
    };
    let best = bad.iter().filter(|(condition, _)| fits(condition)).filter_map(value);
    best.max_by(|(a, c), (b, d)| a.total_cmp(b).then(d.cmp(c))).map(|(_, condition)| condition)
}

/// Whether the condition asks for what the statement is about.
fn is_of(effect: &Effect, condition: &Condition) -> bool {
    let Condition::Has(name) = condition else { return false };
    match effect {
        Effect::Drop(own)
        | Effect::Default(own, _)
        | Effect::Cut { name: own, .. }
        | Effect::Split { name: own, .. } => own == name,
        Effect::Together(params) => params.iter().any(|(own, _)| own == name),
        _ => false,
    }
}

fn conditions_of(record: &Record, census: &Census) -> Vec<Condition> {
    let mut out = Vec::new();
    for param in &record.params {
        out.push(Condition::Has(param.name));
        out.extend(
            param.value.filter(|v| census.is_scope(param.name, *v)).map(|v| Condition::Is(param.name, v)),
        );
    }
    out
}
