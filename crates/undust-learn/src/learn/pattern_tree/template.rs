//! From operations to the common rule language, in up to three widths: of the node's URLs alone (*specific*), of URLs with any
//! other parameters as well (*general*), and of any host and path (*lifted*). Which of them holds is for others to say.

use undust::rules::template::{Class, Convert, Item, Piece, QueryItem, QueryKind, Template, Text, literal};
use undust::rules::{Action, Rewrite};

use super::form::{Row, Slot};
use super::operations::{Operation, Target, TargetRow};
use super::proof::Step;
use super::view::{Key, ParamKey, View};
use crate::learn::say;

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
    /// Whether every URL of the source stays what it is.
    pub(super) fn says_nothing(&self) -> bool {
        let Step { source, operations } = self.step;
        let same = |slot: &Slot| operations.params.iter().any(|target| is_same(slot, target));
        self.keeps_place()
            && source.others == operations.others
            && source.params.len() == operations.params.len()
            && source.params.iter().all(same)
    }

    /// The rule about URLs such as those of the node.
    pub(super) fn specific(&self) -> Option<Action> {
        let Step { source, operations } = self.step;
        let named = source.params.iter().map(|slot| (self.param(slot.key), self.heard(slot)));
        let printed = operations.params.iter().map(|target| (self.param(target.key), self.printed(target)));
        let matched = self.query(named.collect(), source.others);
        let becomes = self.query(self.ordered(printed.collect()), operations.others);
        self.rewrite(matched, becomes)
    }

    /// The rule for URLs with any other parameters too.
    pub(super) fn general(&self) -> Option<Action> {
        let (matched, becomes) = self.changed_params()?;
        self.rewrite(self.query(matched, true), self.query(becomes, true))
    }

    /// The rule for URLs of any host and path; nothing if it changes more than parameters.
    pub(super) fn lifted(&self) -> Option<Action> {
        let (matched, becomes) = self.changed_params()?;
        if !self.keeps_place() || becomes.iter().any(|(_, text)| self.is_of_place(text)) {
            return None;
        }
        let anywhere = |query| Template {
            scheme: vec![Piece::hole("scheme")],
            host: vec![Item::Rest(Convert::Copy)],
            path: vec![Item::Rest(Convert::Copy)],
            query,
            ..Template::default()
        };
        action(anywhere(self.query(matched, true)), anywhere(self.query(becomes, true)))
    }

    fn rewrite(&self, matched: Option<Vec<QueryItem>>, becomes: Option<Vec<QueryItem>>) -> Option<Action> {
        let Step { source, operations } = self.step;
        let names_site = source.host.slots.last().is_some_and(|slot| slot.value.is_some());
        let has_star = operations.host.targets.iter().any(|target| target.operation == Operation::Ignore);
        // The key must name the site still.
        if has_star && !names_site {
            return None;
        }
        let matches = Template {
            scheme: source.scheme.iter().flat_map(|slot| self.heard(slot)).collect(),
            host: self.heard_row(&source.host),
            port: source.port.as_ref().map(|slot| self.heard(slot)),
            path: self.heard_row(&source.path),
            query: matched,
            ..Template::default()
        };
        let becomes = Template {
            scheme: operations.scheme.iter().flat_map(|target| self.printed(target)).collect(),
            host: self.printed_row(&operations.host),
            port: operations.port.as_ref().map(|target| self.printed(target)),
            path: self.printed_row(&operations.path),
            query: becomes,
            ..Template::default()
        };
        action(matches, becomes)
    }

    /// What is heard and printed of parameters when all that stay as they are go unnamed.
    fn changed_params(&self) -> Option<(Vec<Named>, Vec<Named>)> {
        let Step { source, operations } = self.step;
        if source.others && !operations.others {
            return None;
        }
        let target = |slot: &Slot| operations.params.iter().find(|target| target.key == slot.key);
        let stays = |slot: &&Slot| target(slot).is_some_and(|target| is_same(slot, target));
        let (same, changed): (Vec<&Slot>, Vec<&Slot>) = source.params.iter().partition(stays);
        let is_same_key = |key: u32| same.iter().any(|slot| slot.key == key);
        let named = operations.params.iter().filter(|target| !is_same_key(target.key));
        let uses_same = |target: &Target| matches!(target.operation, Operation::Replace(k) if is_same_key(k));
        if named.clone().any(uses_same) {
            return None;
        }
        let matched = changed.iter().map(|slot| (self.param(slot.key), self.heard(slot))).collect();
        let printed = named.map(|target| (self.param(target.key), self.printed(target))).collect();
        Some((matched, self.ordered(printed)))
    }

    /// Whether everything before the parameters stays as it is.
    fn keeps_place(&self) -> bool {
        let Step { source, operations } = self.step;
        let one = |slot: &Option<Slot>, target: &Option<Target>| match (slot, target) {
            (Some(slot), Some(target)) => is_same(slot, target),
            (None, None) => true,
            _ => false,
        };
        let row = |row: &Row, target: &TargetRow| {
            row.is_open == target.rest
                && row.slots.len() == target.targets.len()
                && row.slots.iter().zip(&target.targets).all(|(slot, target)| is_same(slot, target))
        };
        one(&source.scheme, &operations.scheme)
            && one(&source.port, &operations.port)
            && row(&source.host, &operations.host)
            && row(&source.path, &operations.path)
    }

    /// Whether a text comes from what stands before the parameters.
    fn is_of_place(&self, text: &Text) -> bool {
        let is_param = |name: &str| self.step.source.params.iter().any(|slot| self.name(slot.key) == name);
        text.iter().any(|piece| matches!(piece, Piece::Hole { name, .. } if !is_param(name)))
    }

    fn heard_row(&self, row: &Row) -> Vec<Item> {
        let items = row.slots.iter().map(|slot| Item::One(self.heard(slot)));
        items.chain(row.is_open.then_some(Item::Rest(Convert::Copy))).collect()
    }

    fn printed_row(&self, row: &TargetRow) -> Vec<Item> {
        let items = row.targets.iter().map(|target| Item::One(self.printed(target)));
        items.chain(row.rest.then_some(Item::Rest(Convert::Copy))).collect()
    }

    fn heard(&self, slot: &Slot) -> Text {
        match slot.value {
            Some(value) => literal(self.view.text(value)),
            None => vec![Piece::Hole {
                name: self.name(slot.key),
                class: Class::Any,
                optional: slot.may_be_empty,
                convert: Convert::Copy,
            }],
        }
    }

    fn printed(&self, target: &Target) -> Text {
        match target.operation {
            Operation::Keep(value) => literal(self.view.text(value)),
            Operation::Replace(key) => vec![Piece::hole(self.name(key))],
            Operation::Ignore => vec![Piece::Star],
        }
    }

    fn name(&self, key: u32) -> String {
        match self.view.keys[key as usize] {
            Key::Scheme => "scheme".to_owned(),
            Key::Label(n) => format!("host-{}", n + 1),
            Key::Port => "port-1".to_owned(),
            Key::Component(n) => format!("path-{}", n + 1),
            Key::Param(n) => {
                say::param_name(&self.view.param(n).name).unwrap_or_else(|| format!("value-{n}"))
            }
        }
    }

    fn param(&self, key: u32) -> ParamKey {
        match self.view.keys[key as usize] {
            Key::Param(n) => self.view.param(n).clone(),
            _ => unreachable!("only parameters are asked for"),
        }
    }

    fn ordered(&self, mut params: Vec<Named>) -> Vec<Named> {
        match self.order {
            Order::Of(url) => {
                let (order, _) = self.view.order(url);
                params.sort_by_key(|(param, _)| order.iter().position(|known| known == param));
            }
            Order::ByName => params.sort_by(|(a, _), (b, _)| a.name.cmp(&b.name)),
        }
        params
    }

    fn query(&self, params: Vec<Named>, others: bool) -> Option<Vec<QueryItem>> {
        let separator = match self.order {
            Order::Of(url) => self.view.order(url).1,
            Order::ByName => b'&',
        };
        let named = params
            .into_iter()
            .map(|(param, text)| QueryKind::Param(param.name, (!param.is_flag).then_some(text)));
        // Others first: they stand where they stood when nothing else is printed.
        let kinds = others.then_some(QueryKind::Others { sorted: false }).into_iter().chain(named);
        let items: Vec<QueryItem> = (0..)
            .zip(kinds)
            .map(|(at, kind)| QueryItem { separator: if at == 0 { b'&' } else { separator }, kind })
            .collect();
        (!items.is_empty()).then_some(items)
    }
}

/// Whether the operation gives back what was there.
fn is_same(slot: &Slot, target: &Target) -> bool {
    slot.key == target.key
        && match target.operation {
            Operation::Keep(value) => slot.value == Some(value),
            Operation::Replace(key) => slot.value.is_none() && key == slot.key,
            Operation::Ignore => false,
        }
}

fn action(mut matches: Template, becomes: Template) -> Option<Action> {
    say::forget_unused(&mut matches, &becomes);
    Rewrite::new(matches, becomes).ok().map(Action::Rewrite)
}
