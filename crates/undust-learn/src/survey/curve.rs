//! How much is saved, by how much may be wrong.

use serde::Serialize;
use undust::rules::{Evidence, Rule};

use crate::bound::upper_bound;

/// What some rules save, and what they may cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Point {
    /// How many rules.
    pub rules: u64,
    /// URLs that they save.
    pub saved: u64,
    /// The share of pages that must be allowed to be lost for these rules to be used (95 % confidence).
    pub max_fpr: f64,
    /// The share of pages lost, if all is as it was on held-out URLs.
    pub lost: f64,
}

/// The chosen rules of sites with so many `pages`, the safest first: each point is one rule more. Rules that nobody judged are
/// left out.
///
/// It is about the rules at hand: with another limit, others would have been chosen.
pub fn curve<'r>(rules: impl Iterator<Item = &'r Rule>, pages: u64) -> Vec<Point> {
    let mut judged: Vec<&Evidence> =
        rules.filter_map(|rule| rule.evidence.as_ref()).filter(|evidence| evidence.trials > 0).collect();
    judged.sort_by(|a, b| {
        let shares = (a.false_positives * b.trials).cmp(&(b.false_positives * a.trials));
        shares.then(a.bound.total_cmp(&b.bound)).then(b.saved.cmp(&a.saved))
    });
    let (mut point, mut trials, mut wrong) = (Point::default(), 0, 0);
    let next = |evidence: &Evidence| {
        trials += evidence.trials;
        wrong += evidence.false_positives;
        point.rules += 1;
        point.saved += evidence.saved;
        let share_of_pages = |rate: f64| (rate * point.saved as f64 / pages.max(1) as f64).min(1.0);
        point.max_fpr = share_of_pages(upper_bound(wrong, trials));
        point.lost = share_of_pages(wrong as f64 / trials as f64);
        point
    };
    judged.into_iter().map(next).collect()
}
