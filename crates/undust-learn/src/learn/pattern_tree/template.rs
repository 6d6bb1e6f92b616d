//! From operations to the common rule language.

use undust::rules::template::{Class, Convert, Item, Piece, QueryItem, QueryKind, Template, Text, literal};
use undust::rules::{Action, Rewrite};

use super::form::{Form, Row, Slot};
use super::operations::{Operation, Step, Target, TargetRow};
use super::view::{Key, ParamKey, View};
use crate::learn::template_helpers;

/// How parameters are printed.
#[derive(Clone, Debug)]
pub(super) enum Order {
    /// As in this URL.
    Of(u32),
    /// By name, as they are where another rule sorts them.
    ByName,
}

/// Says one rule.
pub(super) struct Saying<'f, 's> {
    pub(super) view: &'f View<'s>,
    pub(super) step: &'f Step,
    pub(super) order: Order,
}

/// A parameter and its text.
type Named = (ParamKey, Text);

impl Saying<'_, '_> {
    /// The rule; nothing if it cannot be said.
    pub(super) fn action(&self) -> Option<Action> {
        let Step { source, operations } = self.step;
        let names_site = source.host.slots.last().is_some_and(|slot| slot.value.is_some());
        let has_star = operations.host.targets.iter().any(|target| target.operation == Operation::Ignore);
        // The key must name the site still.
        if has_star && !names_site {
            return None;
        }
        let printed =
            operations.params.iter().map(|target| (param(self.view, target.key), self.printed(target)));
        let separator = self.separator();
        let mut matches = pattern(self.view, source, separator);
        if let Some(query) = &mut matches.query {
            let absent = self.step.absent().map(|key| QueryKind::Absent(param(self.view, key).name));
            query.extend(absent.map(|kind| QueryItem { separator: b'&', kind }));
        }
        let becomes = Template {
            scheme: operations.scheme.iter().flat_map(|target| self.printed(target)).collect(),
            host: self.printed_row(&operations.host),
            port: operations.port.as_ref().map(|target| self.printed(target)),
            path: self.printed_row(&operations.path),
            query: query(self.ordered(printed.collect()), operations.others, separator),
            ..Template::default()
        };
        template_helpers::forget_unused(&mut matches, &becomes);
        Rewrite::new(matches, becomes).ok().map(Action::Rewrite)
    }

    fn printed_row(&self, row: &TargetRow) -> Vec<Item> {
        let items = row.targets.iter().map(|target| Item::One(self.printed(target)));
        items.chain(row.rest.then_some(Item::Rest(Convert::Copy))).collect()
    }

    fn printed(&self, target: &Target) -> Text {
        match target.operation {
            Operation::Keep(value) => literal(self.view.text(value)),
            Operation::Replace(key) => vec![Piece::hole(self.view.name(key))],
            Operation::Ignore => vec![Piece::Star],
        }
    }

    /// The parameters in the order in which they are printed, and how many of them stand before all others.
    fn ordered(&self, mut params: Vec<Named>) -> (Vec<Named>, usize) {
        match self.order {
            Order::Of(url) => {
                let (order, _) = self.view.order(url);
                let place = |param: &ParamKey| order.iter().position(|known| known == param);
                params.sort_by_key(|(param, _)| place(param));
                let is_other = |param: &ParamKey| !params.iter().any(|(named, _)| named == param);
                let first_other = order.iter().position(is_other);
                let is_before = |param: &ParamKey| first_other.is_some() && place(param) < first_other;
                let before = params.iter().take_while(|(param, _)| is_before(param)).count();
                (params, before)
            }
            Order::ByName => {
                params.sort_by(|(a, _), (b, _)| a.name.cmp(&b.name));
                (params, 0)
            }
        }
    }

    fn separator(&self) -> u8 {
        match self.order {
            Order::Of(url) => self.view.order(url).1,
            Order::ByName => b'&',
        }
    }
}

/// The URLs of a form as a match, every open part with its name.
pub(super) fn pattern(view: &View, form: &Form, separator: u8) -> Template {
    let heard = |slot: &Slot| heard(view, slot);
    let row = |row: &Row| -> Vec<Item> {
        let items = row.slots.iter().map(|slot| Item::One(heard(slot)));
        items.chain(row.is_open.then_some(Item::Rest(Convert::Copy))).collect()
    };
    let params: Vec<Named> = form.params.iter().map(|slot| (param(view, slot.key), heard(slot))).collect();
    Template {
        scheme: form.scheme.iter().flat_map(heard).collect(),
        host: row(&form.host),
        port: form.port.as_ref().map(heard),
        path: row(&form.path),
        query: query((params, 0), form.others, separator),
        ..Template::default()
    }
}

fn heard(view: &View, slot: &Slot) -> Text {
    match slot.value {
        Some(value) => literal(view.text(value)),
        None => vec![Piece::Hole {
            name: view.name(slot.key),
            class: Class::Any,
            optional: slot.may_be_empty,
            convert: Convert::Copy,
        }],
    }
}

fn param(view: &View, key: u32) -> ParamKey {
    match view.keys[key as usize] {
        Key::Param(n) => view.param(n).clone(),
        _ => unreachable!("only parameters are asked for"),
    }
}

/// A query of these parameters; of them, so many stand before others.
fn query((params, before): (Vec<Named>, usize), others: bool, separator: u8) -> Option<Vec<QueryItem>> {
    let mut kinds: Vec<QueryKind> = params
        .into_iter()
        .map(|(param, text)| QueryKind::Param(param.name, (!param.is_flag).then_some(text)))
        .collect();
    if others {
        kinds.insert(before, QueryKind::OTHERS);
    }
    let separator = |at: usize| if at == 0 { b'&' } else { separator };
    let items: Vec<QueryItem> =
        (0..).zip(kinds).map(|(at, kind)| QueryItem { separator: separator(at), kind }).collect();
    (!items.is_empty()).then_some(items)
}
