//! What each candidate by itself makes of each key.

use undust::apply::{Canonicalizer, Scratch};
use undust::url::has_strange_byte;

use super::Proposal;
use super::alike::Alike;
use crate::changes::{engine, first_change};
use crate::intern::Interner;
use crate::site::Site;

/// What a candidate makes of the key at hand.
#[derive(Clone, Copy, Debug)]
struct Change {
    candidate: u32,
    after: u32,
}

/// What the candidate at hand makes of a key.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub(super) key: u32,
    pub(super) after: u32,
}

/// Canonical keys, and what candidates make of those that were looked at.
pub(super) struct Changes {
    engine: Canonicalizer,
    scratch: Scratch,
    /// All keys met so far; the site's URLs come first, so that the key of a URL is its row.
    keys: Interner,
    /// The changes of one key after the other, and where those of each key are, if it is known.
    by_key: Vec<Change>,
    spans: Vec<Option<(u32, u32)>>,
    by_candidate: ByCandidate,
    /// Each candidate's steps from keys that are not the site's URLs.
    later: Vec<Vec<Step>>,
    /// Whether a key's steps are among these, or those of the site's URLs.
    is_looked_at: Vec<bool>,
    /// How often keys that were not looked at were asked about.
    asked: Vec<u8>,
    /// Which of the site's URLs have a strange byte.
    strange: Vec<bool>,
    /// How many keys and changes there were before anything else was asked.
    at_first: (usize, usize),
    /// The key at hand; kept for its allocation.
    url: Vec<u8>,
}

impl Changes {
    /// Run all candidates on these URLs of the site; each URL's key is its place among them.
    pub(super) fn new(site: &Site, rows: &[u32], proposals: &[Proposal]) -> Changes {
        let mut changes = Changes {
            engine: engine(proposals.iter().map(|p| &p.candidate.action)),
            scratch: Scratch::new(),
            keys: Interner::new(),
            by_key: Vec::new(),
            spans: Vec::new(),
            by_candidate: ByCandidate::default(),
            later: vec![Vec::new(); proposals.len()],
            is_looked_at: vec![true; rows.len()],
            asked: Vec::new(),
            strange: Vec::with_capacity(rows.len()),
            at_first: (0, 0),
            url: Vec::new(),
        };
        for &row in rows {
            changes.url.clear();
            site.write_url(row, &mut changes.url);
            changes.keys.intern(&changes.url);
            changes.strange.push(has_strange_byte(&changes.url));
        }
        let alike = Alike::new(proposals);
        for key in 0..rows.len() as u32 {
            changes.run(key, &alike);
        }
        changes.by_candidate = ByCandidate::new(proposals.len(), &changes.by_key, &changes.spans);
        changes.at_first = (changes.keys.len(), changes.by_key.len());
        changes
    }

    /// Begin anew: nothing but the site's URLs is looked at. What became known of other keys on the way is kept, unless it is too much.
    pub(super) fn begin(&mut self) {
        if self.has_room() {
            return;
        }
        let (keys, changes) = self.at_first;
        self.keys.truncate(keys);
        self.by_key.truncate(changes);
        for later in &mut self.later {
            *later = Vec::new();
        }
        let rows = self.strange.len();
        self.spans.truncate(rows);
        self.is_looked_at.truncate(rows);
        self.asked.clear();
    }

    /// Whether what is known on the way takes no more memory than it is worth.
    fn has_room(&self) -> bool {
        let (keys, changes) = self.at_first;
        self.keys.len() - keys < MAX_KEPT_KEYS && self.by_key.len() - changes < 4 * MAX_KEPT_KEYS
    }

    /// What a candidate makes of the site's URLs, in their order.
    pub(super) fn steps(&self, candidate: usize) -> &[Step] {
        self.by_candidate.of(candidate)
    }

    /// The bytes of a key.
    pub(super) fn key(&self, key: u32) -> &[u8] {
        self.keys.get(key)
    }

    /// Whether a key has a strange byte, so that little is known of what rules make of it.
    pub(super) fn is_strange(&self, key: u32) -> bool {
        self.strange.get(key as usize).copied().unwrap_or_else(|| has_strange_byte(self.key(key)))
    }

    /// How many keys there are now.
    pub(super) fn len(&self) -> usize {
        self.keys.len()
    }

    /// The `n`-th thing that `candidate` makes of a key looked at so far: of the site's URLs in their order, then of others.
    pub(super) fn step(&self, candidate: usize, n: usize) -> Option<Step> {
        let of_site = self.by_candidate.of(candidate);
        of_site.get(n).or_else(|| self.later[candidate].get(n - of_site.len())).copied()
    }

    /// Look at a key that is not one of the site's URLs: all candidates' steps from it are of interest from now on.
    pub(super) fn look_at(&mut self, key: u32) {
        if std::mem::replace(at(&mut self.is_looked_at, key), true) {
            return;
        }
        if self.span(key).is_none() {
            self.run(key, &Alike::default());
        }
        for change in self.of(key).unwrap_or_default().to_vec() {
            self.later[change.candidate as usize].push(Step { key, after: change.after });
        }
    }

    /// What the first of some candidates that changes `key` makes of it; `place` gives their order. On a key that is not known, no other
    /// candidate is run: there are many such keys, and few are asked about again.
    pub(super) fn first_of(&mut self, key: u32, place: impl Fn(u32) -> Option<u32>) -> Option<u32> {
        if self.span(key).is_none() && self.is_asked_often(key) {
            self.run(key, &Alike::default());
        }
        if let Some(changes) = self.of(key) {
            let active = changes.iter().filter_map(|change| Some((place(change.candidate)?, change.after)));
            return active.min().map(|(_, after)| after);
        }
        let Changes { engine, keys, scratch, url, .. } = self;
        first_change(engine, keys.get(key), scratch, place, url).map(|_| self.keys.intern(&self.url))
    }

    /// Count a question about a key; whether it is time to know it.
    fn is_asked_often(&mut self, key: u32) -> bool {
        let asked = at(&mut self.asked, key);
        *asked = asked.saturating_add(1);
        *asked > MAX_RARE_LOOKUPS
    }

    /// The changes of a key that is known.
    fn of(&self, key: u32) -> Option<&[Change]> {
        self.span(key).map(|(start, end)| &self.by_key[start as usize..end as usize])
    }

    fn span(&self, key: u32) -> Option<(u32, u32)> {
        self.spans.get(key as usize).copied().flatten()
    }

    /// Note what the candidates make of `key`; those that follow another one are not run.
    fn run(&mut self, key: u32, alike: &Alike) {
        let Changes { engine, scratch, keys, by_key, spans, url, .. } = self;
        let start = count(by_key);
        url.clear();
        url.extend_from_slice(keys.get(key));
        let wanted = |candidate: u32| !alike.follows(candidate, key);
        let mut push = |candidate, after| {
            if after != key {
                by_key.push(Change { candidate, after });
            }
        };
        engine.each_change_of(url, scratch, wanted, |candidate, after| {
            let after = keys.intern(after);
            push(candidate, after);
            alike.note(candidate, after, &mut push);
        });
        *at(spans, key) = Some((start, count(by_key)));
    }
}

/// Number of keys that are not URLs of the site and are kept because they might be asked about again: with what is known of each, two hundred bytes. (A quarter of it
/// takes three times as long on sites of 300,000 URLs.)
const MAX_KEPT_KEYS: usize = 1 << 22;

/// Number of lookups of a key up to which it is not worth knowing all about it.
const MAX_RARE_LOOKUPS: u8 = 2;

/// What is noted of a key.
fn at<T: Clone + Default>(notes: &mut Vec<T>, key: u32) -> &mut T {
    if notes.len() <= key as usize {
        notes.resize(key as usize + 1, T::default());
    }
    &mut notes[key as usize]
}

/// How many changes there are, as a number to store.
fn count(changes: &[Change]) -> u32 {
    u32::try_from(changes.len()).expect("a site has fewer than 2^32 changes")
}

/// The steps of one candidate after the other, each candidate's in the order of keys.
#[derive(Default)]
struct ByCandidate {
    steps: Vec<Step>,
    ends: Vec<usize>,
}

impl ByCandidate {
    fn new(candidates: usize, changes: &[Change], spans: &[Option<(u32, u32)>]) -> ByCandidate {
        let mut ends = vec![0; candidates];
        for change in changes {
            ends[change.candidate as usize] += 1;
        }
        let mut sum = 0;
        for end in &mut ends {
            // Where the candidate's steps begin, until they are filled in.
            sum += std::mem::replace(end, sum);
        }
        let mut steps = vec![Step { key: 0, after: 0 }; changes.len()];
        for (key, &(start, end)) in (0..).zip(spans.iter().flatten()) {
            for &Change { candidate, after } in &changes[start as usize..end as usize] {
                let at = &mut ends[candidate as usize];
                steps[*at] = Step { key, after };
                *at += 1;
            }
        }
        ByCandidate { steps, ends }
    }

    fn of(&self, candidate: usize) -> &[Step] {
        let start = candidate.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.steps[start..self.ends[candidate]]
    }
}
