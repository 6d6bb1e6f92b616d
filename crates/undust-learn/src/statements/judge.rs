//! Is a statement worth saying? In fetches saved, pages lost and words to read.

use super::forms::Score;
use super::statement::{Effect, Statement};

/// A lost page is worth this many fetches.
pub(super) const PRICE_OF_A_PAGE: f64 = 5.0;
/// A statement of cost 1 must save this many fetches.
pub(super) const PRICE_OF_A_STATEMENT: f64 = 2.0;
/// A form merged into one of another page costs this many fetches, even if the page is reached elsewhere.
const PRICE_OF_A_WRONG_FORM: f64 = 2.0;
/// Greatest share of the groups that a statement makes equal which may hold more than one page. Label noise strikes by page, and so do groups.
const MAX_BAD_GROUP_SHARE: f64 = 0.12;
/// Bad groups that are counted beside those seen: few groups prove little.
const UNSEEN_BAD_GROUPS: f64 = 0.3;
/// Greatest share of wrong forms of one page.
const MAX_WRONG_SHARE_OF_ONE_PAGE: f64 = 0.05;
/// Forms for each strange page, from which on one page is believed all the same.
const MIN_FORMS_PER_STRANGE_PAGE: u64 = 30;
/// Share of the price of pages that are lost in one group together beyond the first: one mistake, not many.
const FURTHER_PAGES_SHARE: f64 = 0.25;
/// Forms that a statement must save to be looked at.
pub(super) const MIN_SAVED_FORMS: u64 = 3;

/// The utility of a statement, in fetches; none if it is not to be believed. `price` is a factor of the price of pages.
pub(super) fn utility(score: &Score, statement: &Statement, price: f64) -> Option<f64> {
    let Score { saved, lost, losing_groups, wrong, groups, bad_groups, pages_hit } = *score;
    if saved < MIN_SAVED_FORMS {
        return None;
    }
    let (saved_f, wrong_f) = (saved as f64, wrong as f64);
    let is_one = matches!(statement.effect, Effect::One(_));
    let (losses, wrong_forms) = if is_one {
        let few = pages_hit <= 3 && saved >= MIN_FORMS_PER_STRANGE_PAGE * pages_hit;
        if wrong_f > MAX_WRONG_SHARE_OF_ONE_PAGE * saved_f && !few {
            return None;
        }
        (lost as f64, 0.0)
    } else {
        let bad = (bad_groups as f64 + UNSEEN_BAD_GROUPS) / (groups as f64 + 1.0);
        if bad > MAX_BAD_GROUP_SHARE || 2 * wrong > saved {
            return None;
        }
        let further = lost.saturating_sub(losing_groups) as f64;
        (losing_groups as f64 + FURTHER_PAGES_SHARE * further, wrong_f)
    };
    let utility = saved_f
        - PRICE_OF_A_WRONG_FORM * wrong_forms
        - price * PRICE_OF_A_PAGE * losses
        - PRICE_OF_A_STATEMENT * statement.cost();
    (utility > 0.0).then_some(utility)
}
