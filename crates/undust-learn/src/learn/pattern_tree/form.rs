//! What the URLs of a node look like: its pattern.
//!
//! A few odd URLs do not change it: a key that nearly all have is required, one that nearly none has is absent, and a value that
//! nearly all have is the only one. What is between, as in nodes high up in the tree, is left open.

use super::tree::Node;
use super::view::{Key, View};

/// A part of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Slot {
    pub(super) key: u32,
    /// The only value there is.
    pub(super) value: Option<u32>,
    pub(super) may_be_empty: bool,
}

/// Parts that stand behind each other: host labels or path components.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Row {
    pub(super) slots: Vec<Slot>,
    /// Whether any number may follow.
    pub(super) is_open: bool,
}

/// A pattern.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Form {
    pub(super) scheme: Option<Slot>,
    pub(super) host: Row,
    pub(super) port: Option<Slot>,
    pub(super) path: Row,
    pub(super) params: Vec<Slot>,
    /// Whether there may be other parameters.
    pub(super) others: bool,
    /// Whether some have a port and others have none: there is no template for that.
    pub(super) mixes_ports: bool,
}

/// Share of the values that must be of a form.
const MIN_FORM_SHARE: f64 = 0.95;

impl Form {
    pub(super) fn new(view: &View, node: &Node) -> Form {
        let total = f64::from(node.urls.end - node.urls.start);
        let mut form = Form::default();
        for of in &node.uses {
            let share = f64::from(of.urls) / total;
            let is_one = f64::from(of.of_main) >= MIN_FORM_SHARE * f64::from(of.urls);
            let slot = Slot { key: of.key, value: is_one.then_some(of.main), may_be_empty: of.may_be_empty };
            let (is_required, is_absent) = (share >= MIN_FORM_SHARE, share <= 1.0 - MIN_FORM_SHARE);
            match view.keys[of.key as usize] {
                _ if is_absent => {}
                Key::Scheme => form.scheme = Some(slot),
                Key::Label(_) => form.host.add(slot, is_required),
                Key::Port if is_required => form.port = Some(slot),
                Key::Port => form.mixes_ports = true,
                Key::Component(_) => form.path.add(slot, is_required),
                Key::Param(_) if is_required => form.params.push(slot),
                Key::Param(_) => form.others = true,
            }
        }
        form
    }

    /// The parts that are required.
    pub(super) fn slots(&self) -> impl Iterator<Item = &Slot> {
        let front = self.scheme.iter().chain(&self.host.slots).chain(&self.port);
        front.chain(&self.path.slots).chain(&self.params)
    }
}

impl Row {
    fn add(&mut self, slot: Slot, is_required: bool) {
        if is_required && !self.is_open {
            self.slots.push(slot);
        } else {
            self.is_open = true;
        }
    }
}
