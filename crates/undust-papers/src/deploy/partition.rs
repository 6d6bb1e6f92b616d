//! The URLs of the sample by what the rules taken so far make of them, and what one more rule would change in that.
//!
//! A rule that is taken comes behind those already taken: it fires only where they have come to rest. So nothing but
//! the forms that it changes itself need be looked at.

use undust::apply::{Canonicalizer, MAX_STEPS, Scratch, too_long};
use undust::rules::Action;

use undust_learn::changes::{engine, first_change};
use undust_learn::evaluate::pairs;
use undust_learn::intern::Interner;
use undust_learn::proof::Noise;
use undust_learn::site::Sample;

/// URLs by canonical form.
pub(super) struct Partition {
    engine: Canonicalizer,
    scratch: Scratch,
    forms: Interner,
    /// The URLs at each form: their pages and how many there are of each; nobody is at forms on the way.
    groups: Vec<Group>,
    /// By rule, the forms that it changes; of rules that are taken, those that were there then.
    changed_by: Vec<Vec<u32>>,
    /// The place of each rule among those taken.
    ranks: Vec<Option<u32>>,
    taken: Vec<usize>,
    saved: u64,
    pairs: Pairs,
}

/// Pages, in order, and how many URLs are of each.
type Group = Vec<(u32, u64)>;

/// Pairs of URLs of one form.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Pairs {
    all: u64,
    /// Of these, pairs of one page.
    right: u64,
}

/// What a rule would change.
pub(super) struct Trial {
    /// Where forms move to, and which.
    moves: Vec<(u32, u32)>,
    /// How many forms there are less.
    saved: u64,
    pairs: Pairs,
}

/// URLs learned from that a rule must spare, beside those that the rules before it spare.
const MIN_SAVED: u64 = 6;

impl Trial {
    /// The false-positive rate of all rules taken and this one, together.
    pub(super) fn fpr(&self, noise: Noise) -> f64 {
        self.pairs.fpr(noise)
    }

    /// Whether it spares enough URLs to be worth a rule, and to be believed, and does not speak of one form alone.
    pub(super) fn is_worth_it(&self) -> bool {
        self.saved >= MIN_SAVED && self.moves.len() > 1
    }
}

impl Partition {
    /// Every URL by itself; no rule is taken.
    pub(super) fn new<'a>(sample: &Sample, rules: impl Iterator<Item = &'a Action>) -> Partition {
        let rules: Vec<&Action> = rules.collect();
        let mut partition = Partition {
            engine: engine(rules.iter().copied()),
            scratch: Scratch::new(),
            forms: Interner::new(),
            groups: Vec::new(),
            changed_by: vec![Vec::new(); rules.len()],
            ranks: vec![None; rules.len()],
            taken: Vec::new(),
            saved: 0,
            pairs: Pairs::default(),
        };
        let mut url = Vec::new();
        for &row in &sample.rows {
            url.clear();
            sample.site.write_url(row, &mut url);
            let form = partition.form(&url);
            partition.groups[form as usize] = vec![(sample.site.cluster(row), 1)];
            partition.note_changes(form);
        }
        partition
    }

    /// The rules taken, in their order.
    pub(super) fn taken(&self) -> &[usize] {
        &self.taken
    }

    /// How many forms there are less than URLs.
    pub(super) fn saved(&self) -> u64 {
        self.saved
    }

    /// The false-positive rate of what the rule tried adds to those taken.
    pub(super) fn added_fpr(&self, trial: &Trial, noise: Noise) -> f64 {
        let (all, right) = (trial.pairs.all - self.pairs.all, trial.pairs.right - self.pairs.right);
        Pairs { all, right }.fpr(noise)
    }

    fn form(&mut self, url: &[u8]) -> u32 {
        let form = self.forms.intern(url);
        if form as usize == self.groups.len() {
            self.groups.push(Vec::new());
        }
        form
    }

    /// Note which rules change a form.
    fn note_changes(&mut self, form: u32) {
        let Partition { engine, scratch, forms, changed_by, .. } = self;
        engine.each_change(forms.get(form), scratch, |rule, _| changed_by[rule as usize].push(form));
    }

    /// What `rule` would change; nothing if it would run in a circle.
    pub(super) fn trial(&mut self, rule: usize) -> Option<Trial> {
        let changed = std::mem::take(&mut self.changed_by[rule]);
        self.ranks[rule] = Some(self.taken.len() as u32);
        let is_there = |form: &&u32| !self.groups[**form as usize].is_empty();
        let there: Vec<u32> = changed.iter().filter(is_there).copied().collect();
        let moves: Option<Vec<(u32, u32)>> =
            there.into_iter().map(|form| Some((self.rest_of(form)?, form))).collect();
        self.ranks[rule] = None;
        self.changed_by[rule] = changed;
        let mut moves = moves?;
        moves.sort_unstable();
        Some(self.count(moves))
    }

    /// The fixed point of a form; none in a circle.
    fn rest_of(&mut self, start: u32) -> Option<u32> {
        let mut path = vec![start];
        let mut form = start;
        while let Some(next) = self.step(form) {
            if path.len() > MAX_STEPS
                || path.contains(&next)
                || too_long(self.forms.get(next).len(), self.forms.get(start).len())
            {
                return None;
            }
            path.push(next);
            form = next;
        }
        Some(form)
    }

    /// What the first of the taken rules makes of a form.
    fn step(&mut self, form: u32) -> Option<u32> {
        let Partition { engine, scratch, forms, ranks, .. } = self;
        let mut result = Vec::new();
        first_change(engine, forms.get(form), scratch, |rule| ranks[rule as usize], &mut result)?;
        Some(self.form(&result))
    }

    fn count(&self, moves: Vec<(u32, u32)>) -> Trial {
        let (mut saved, mut pairs) = (0, self.pairs);
        for to_one in moves.chunk_by(|a, b| a.0 == b.0) {
            let moved = to_one.iter().map(|&(_, from)| &self.groups[from as usize]);
            let there = Some(&self.groups[to_one[0].0 as usize]).filter(|group| !group.is_empty());
            let parts: Vec<&Group> = moved.chain(there).collect();
            saved += parts.len() as u64 - 1;
            let whole = Pairs::of(&union(&parts));
            let before = parts.iter().map(|part| Pairs::of(part));
            let (all, right) = before.fold((0, 0), |sum, p| (sum.0 + p.all, sum.1 + p.right));
            pairs.all += whole.all - all;
            pairs.right += whole.right - right;
        }
        Trial { moves, saved, pairs }
    }

    /// Take a rule that was tried just now.
    pub(super) fn take(&mut self, rule: usize, trial: &Trial) {
        self.ranks[rule] = Some(self.taken.len() as u32);
        self.taken.push(rule);
        self.saved += trial.saved;
        self.pairs = trial.pairs;
        for to_one in trial.moves.chunk_by(|a, b| a.0 == b.0) {
            let to = to_one[0].0;
            let parts: Vec<Group> = to_one.iter().map(|&(_, from)| self.leave(from)).collect();
            let there = self.leave(to);
            let is_new = there.is_empty();
            let parts: Vec<&Group> = parts.iter().chain([&there]).collect();
            self.groups[to as usize] = union(&parts);
            if is_new {
                self.note_changes(to);
            }
        }
    }

    fn leave(&mut self, form: u32) -> Group {
        std::mem::take(&mut self.groups[form as usize])
    }
}

impl Pairs {
    fn fpr(self, noise: Noise) -> f64 {
        noise.fpr(self.all, self.all - self.right)
    }

    fn of(group: &Group) -> Pairs {
        let all = pairs(group.iter().map(|(_, urls)| urls).sum());
        Pairs { all, right: group.iter().map(|&(_, urls)| pairs(urls)).sum() }
    }
}

/// All URLs of these groups.
fn union(parts: &[&Group]) -> Group {
    let mut pages: Group = parts.iter().flat_map(|part| part.iter().copied()).collect();
    pages.sort_unstable();
    pages.dedup_by(|page, kept| {
        let is_same = page.0 == kept.0;
        if is_same {
            kept.1 += page.1;
        }
        is_same
    });
    pages
}
