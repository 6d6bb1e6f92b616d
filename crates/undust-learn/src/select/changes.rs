//! What each candidate by itself makes of each key.

use undust::apply::{Canonicalizer, Scratch};
use undust::url::has_strange_byte;

use super::Proposal;
use super::alike::Alike;
use super::plausible::plausible;
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

/// Canonical keys, and what the plausible candidates make of those that were looked at.
pub(super) struct Changes {
    engine: Canonicalizer,
    scratch: Scratch,
    /// All keys met so far; the site's URLs come first, so that the key of a URL is its row.
    keys: Interner,
    /// The changes of one key after the other, and where those of each key are, if it was looked at.
    by_key: Vec<Change>,
    spans: Vec<Option<(u32, u32)>>,
    by_candidate: ByCandidate,
    /// Each candidate's steps from keys that are not the site's URLs.
    later: Vec<Vec<Step>>,
    /// Which candidates are worth running.
    plausible: Vec<bool>,
    /// Which of the site's URLs have a strange byte.
    strange: Vec<bool>,
    /// The key at hand; kept for its allocation.
    url: Vec<u8>,
}

impl Changes {
    /// Run all candidates on all URLs of the site, then forget those that are not plausible.
    pub(super) fn new(site: &Site, proposals: &[Proposal]) -> Changes {
        let mut changes = Changes {
            engine: engine(proposals.iter().map(|p| &p.candidate.action)),
            scratch: Scratch::new(),
            keys: Interner::new(),
            by_key: Vec::new(),
            spans: Vec::new(),
            by_candidate: ByCandidate::default(),
            later: vec![Vec::new(); proposals.len()],
            plausible: vec![true; proposals.len()],
            strange: Vec::with_capacity(site.len()),
            url: Vec::new(),
        };
        let rows = 0..site.len() as u32;
        for row in rows.clone() {
            changes.url.clear();
            site.write_url(row, &mut changes.url);
            changes.keys.intern(&changes.url);
            changes.strange.push(has_strange_byte(&changes.url));
        }
        let alike = Alike::new(proposals);
        for row in rows {
            changes.run(row, &alike);
        }
        changes.by_candidate = ByCandidate::new(proposals.len(), &changes.by_key, &changes.spans);
        changes.plausible = plausible(site, proposals.len(), |candidate| changes.by_candidate.of(candidate));
        if changes.plausible.contains(&false) {
            // Not held while the next one is made: both are large.
            changes.by_candidate = ByCandidate::default();
            changes.forget_implausible(site.len());
            changes.by_candidate = ByCandidate::new(proposals.len(), &changes.by_key, &changes.spans);
        }
        changes
    }

    /// The bytes of a key.
    pub(super) fn key(&self, key: u32) -> &[u8] {
        self.keys.get(key)
    }

    /// Whether a key has a strange byte, so that little is known of what rules make of it.
    pub(super) fn is_strange(&self, key: u32) -> bool {
        self.strange.get(key as usize).copied().unwrap_or_else(|| has_strange_byte(self.key(key)))
    }

    /// Whether a candidate is worth trying.
    pub(super) fn is_plausible(&self, candidate: usize) -> bool {
        self.plausible[candidate]
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
        if self.span(key).is_some() {
            return;
        }
        self.run(key, &Alike::default());
        for change in self.of(key).unwrap_or_default().to_vec() {
            self.later[change.candidate as usize].push(Step { key, after: change.after });
        }
    }

    /// What the first of some candidates that changes `key` makes of it; `place` gives their order. On a key that was not looked
    /// at, no other candidate is run: there are many such keys, and nobody asks again.
    pub(super) fn first_of(&mut self, key: u32, place: impl Fn(u32) -> Option<u32>) -> Option<u32> {
        if let Some(changes) = self.of(key) {
            let active = changes.iter().filter_map(|change| Some((place(change.candidate)?, change.after)));
            return active.min().map(|(_, after)| after);
        }
        let Changes { engine, keys, scratch, url, .. } = self;
        first_change(engine, keys.get(key), scratch, place, url).map(|_| self.keys.intern(&self.url))
    }

    /// The changes of a key that was looked at.
    fn of(&self, key: u32) -> Option<&[Change]> {
        self.span(key).map(|(start, end)| &self.by_key[start as usize..end as usize])
    }

    fn span(&self, key: u32) -> Option<(u32, u32)> {
        self.spans.get(key as usize).copied().flatten()
    }

    /// Note what the plausible candidates make of `key`; those that follow another one are not run.
    fn run(&mut self, key: u32, alike: &Alike) {
        let Changes { engine, scratch, keys, by_key, spans, plausible, url, .. } = self;
        let start = count(by_key);
        url.clear();
        url.extend_from_slice(keys.get(key));
        let wanted = |candidate: u32| plausible[candidate as usize] && !alike.follows(candidate, key);
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
        if spans.len() <= key as usize {
            spans.resize(key as usize + 1, None);
        }
        spans[key as usize] = Some((start, count(by_key)));
    }

    /// Leave out all that was found of candidates that are not plausible. Keys are numbered as if those had never been run.
    fn forget_implausible(&mut self, site_len: usize) {
        let mut kept: Vec<u32> = (0..site_len as u32).collect();
        let mut number = vec![None; self.keys.len()];
        number[..site_len].copy_from_slice(&kept.iter().copied().map(Some).collect::<Vec<_>>());
        let (mut from, mut to) = (0, 0);
        for span in self.spans.iter_mut().flatten() {
            let start = to;
            for at in from..span.1 {
                let Change { candidate, after } = self.by_key[at as usize];
                if self.plausible[candidate as usize] {
                    let after = *number[after as usize].get_or_insert_with(|| {
                        kept.push(after);
                        kept.len() as u32 - 1
                    });
                    self.by_key[to as usize] = Change { candidate, after };
                    to += 1;
                }
            }
            from = span.1;
            *span = (start, to);
        }
        self.by_key.truncate(to as usize);
        self.by_key.shrink_to_fit();
        self.keys.keep(&kept);
    }
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
