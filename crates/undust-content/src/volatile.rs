//! Volatile numbers, which change from URL to URL of one page: counters of views, users online, milliseconds.
//!
//! Where several pages of one title have the same text but for numbers, these may mean something (the sizes of files) or not (how often
//! the page was seen). What means something is the same at several URLs of a page; what is counted anew for each answer hardly ever is. So each *slot*, the words
//! before and behind a number, is watched where pages differ in nothing but numbers; if values there seldom repeat, all numbers in that slot
//! are left out. No words of any language are known here.
//!
//! Different pages may differ in one number, too, and each has a URL of its own. So only pages are watched whose URLs have a word in
//! common that hardly any other URL has: the number of a topic, the name of an article, a parameter with its value. Most pages of a group
//! must have it; there may be another way to the same page.

use std::collections::{BTreeMap, HashMap};

use rayon::prelude::*;

use crate::words::{Word, before, behind, has_digit, hash_all};

/// Placeholder for a number that is left out. It is the hash of a word no more often than any other number.
pub(crate) const NUMBER: Word = 1;

/// Groups of pages in which a slot must change to be volatile: one or two may be an accident.
const MIN_GROUPS: u64 = 3;

/// Pages on which a slot must change to be volatile.
const MIN_PAGES: u64 = 8;

/// Of the pages that differ in a volatile slot, at most one in this many has the value of another page.
const MIN_PAGES_PER_REPEAT: u64 = 5;

/// Most URLs of a site with a word that identifies a group of URLs: this many, and one in [`MIN_URLS_PER_WORD`]; or twice as many as there
/// are in the group.
const MAX_URLS_WITH_WORD: usize = 50;

/// A word that identifies a group of URLs is in at most one of this many URLs of the site.
const MIN_URLS_PER_WORD: usize = 10;

/// Share of a group's URLs that have the identifying word, at least: three in four. There may be another way to the same page.
const MIN_SHARING_SHARE: (usize, usize) = (3, 4);

/// Most pages of one group that are compared, a limit on time.
const MAX_GROUP_PAGES: usize = 64;

/// The words before and behind a number, with 0 for none.
type Slot = (Word, Word);

/// The slots of a site whose numbers are left out.
#[derive(Debug, Default)]
pub(crate) struct VolatileNumbers(Vec<Slot>);

impl VolatileNumbers {
    /// Watches the texts of a site, with the words of their URLs. `group` says which pages may be the same: their titles.
    pub(crate) fn new(
        texts: &[Vec<Word>],
        urls: &[Vec<Word>],
        group: impl Fn(usize) -> u64 + Sync,
    ) -> VolatileNumbers {
        let mut outlines: Vec<(u64, usize)> = (0..texts.len())
            .into_par_iter()
            .filter(|&page| texts[page].iter().any(|&word| has_digit(word)))
            .map(|page| (outline(&texts[page], group(page)), page))
            .collect();
        outlines.sort_unstable();
        let identity = Identity::new(urls);
        let mut seen: BTreeMap<Slot, Seen> = BTreeMap::new();
        for alike in outlines.chunk_by(|a, b| a.0 == b.0).filter(|alike| alike.len() > 1) {
            let pages: Vec<usize> = alike.iter().map(|&(_, page)| page).collect();
            let of_one: Vec<&[Word]> =
                identity.sharing(&pages).iter().take(MAX_GROUP_PAGES).map(|&page| &*texts[page]).collect();
            if of_one.len() > 1 {
                watch(&of_one, &mut seen);
            }
        }
        VolatileNumbers(
            seen.into_iter().filter(|(_, seen)| seen.is_volatile()).map(|(slot, _)| slot).collect(),
        )
    }

    /// Puts [`NUMBER`] in place of the numbers in these slots.
    pub(crate) fn leave_out(&self, words: &mut [Word]) {
        for place in (0..words.len()).filter(|_| !self.0.is_empty()) {
            if slot(words, place).is_some_and(|slot| self.0.binary_search(&slot).is_ok()) {
                words[place] = NUMBER;
            }
        }
    }
}

/// What tells the URLs of one page from others.
struct Identity<'u> {
    urls: &'u [Vec<Word>],
    /// In how many URLs each word is.
    counts: HashMap<Word, usize>,
}

impl<'u> Identity<'u> {
    fn new(urls: &'u [Vec<Word>]) -> Identity<'u> {
        let mut counts = HashMap::new();
        for word in urls.iter().flatten() {
            *counts.entry(*word).or_default() += 1;
        }
        Identity { urls, counts }
    }

    /// Those of these pages whose URLs have a word in common that few others have; none if they are too few.
    fn sharing(&self, pages: &[usize]) -> Vec<usize> {
        let most = MAX_URLS_WITH_WORD.min(self.urls.len() / MIN_URLS_PER_WORD).max(2 * pages.len());
        let least = (pages.len() * MIN_SHARING_SHARE.0).div_ceil(MIN_SHARING_SHARE.1).max(2);
        let is_identifying =
            |word: &&Word| self.counts.get(word).is_some_and(|count| (least..=most).contains(count));
        let mut words: Vec<Word> =
            pages.iter().flat_map(|&page| self.urls[page].iter().filter(is_identifying).copied()).collect();
        words.sort_unstable();
        let shared = words.chunk_by(|a, b| a == b).filter(|run| run.len() >= least);
        let Some(word) = shared.max_by_key(|run| run.len()).map(|run| run[0]) else { return Vec::new() };
        pages.iter().copied().filter(|&page| self.urls[page].binary_search(&word).is_ok()).collect()
    }
}

/// What was seen of a slot, where pages differ in it.
#[derive(Debug, Default)]
struct Seen {
    groups: u64,
    pages: u64,
    /// Pages with the value of another.
    repeated: u64,
}

impl Seen {
    fn is_volatile(&self) -> bool {
        self.groups >= MIN_GROUPS
            && self.pages >= MIN_PAGES
            && self.repeated * MIN_PAGES_PER_REPEAT <= self.pages
    }
}

/// The same for texts that differ in numbers only.
fn outline(words: &[Word], group: u64) -> u64 {
    group ^ hash_all(words.iter().map(|&word| if has_digit(word) { NUMBER } else { word }))
}

/// The slot of a number. Numbers in a row have none: tables are made of them.
fn slot(words: &[Word], place: usize) -> Option<Slot> {
    if !has_digit(words[place]) {
        return None;
    }
    let slot = (before(words, place, 1), behind(words, place + 1, 1));
    (!has_digit(slot.0) && !has_digit(slot.1)).then_some(slot)
}

/// Takes note of the numbers in which texts of one outline differ. A slot counts once, however often it stands there: by the
/// place where values repeat most.
fn watch(texts: &[&[Word]], seen: &mut BTreeMap<Slot, Seen>) {
    let mut repeated: BTreeMap<Slot, usize> = BTreeMap::new();
    let mut values = vec![0; texts.len()];
    for place in 0..texts[0].len() {
        let Some(slot) = slot(texts[0], place) else { continue };
        // Equal outlines, but for a chance of one in 2^64 equal hashes.
        values
            .iter_mut()
            .zip(texts)
            .for_each(|(value, text)| *value = text.get(place).copied().unwrap_or_default());
        values.sort_unstable();
        if values[0] != values[values.len() - 1] {
            let runs = values.chunk_by(|a, b| a == b).map(<[Word]>::len);
            let found = runs.filter(|&run| run > 1).sum::<usize>();
            repeated.entry(slot).and_modify(|most| *most = found.max(*most)).or_insert(found);
        }
    }
    for (slot, repeated) in repeated {
        let seen = seen.entry(slot).or_default();
        seen.groups += 1;
        seen.pages += texts.len() as u64;
        seen.repeated += repeated as u64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::hashed;

    /// The slots of texts whose URLs are told apart by their first words.
    fn volatile(texts: &[String]) -> (VolatileNumbers, Vec<Vec<Word>>) {
        let texts: Vec<Vec<Word>> = texts.iter().map(|text| hashed(text)).collect();
        let urls: Vec<Vec<Word>> = texts.iter().map(|text| text[..1].to_vec()).collect();
        (VolatileNumbers::new(&texts, &urls, |_| 0), texts)
    }

    #[test]
    fn counters_pass_and_sizes_do_not() {
        let names = ["alpha", "beta", "gamma", "delta"];
        let topic = |n: usize, url: usize| {
            format!("{} seen {} times, {} bytes", names[n], 100 * n + 7 * url, 40 + n + url / 2)
        };
        let texts: Vec<String> = (0..16).map(|i| topic(i / 4, i % 4)).collect();
        let (volatile, mut texts) = volatile(&texts);
        volatile.leave_out(&mut texts[0]);
        let expected = hashed("alpha seen 0 times 40 bytes");
        assert_eq!(texts[0], [&expected[..2], &[NUMBER], &expected[3..]].concat());
    }

    #[test]
    fn one_group_is_little_evidence() {
        let texts: Vec<String> =
            (0..9).map(|i| format!("table row {} end row {} end row {} end", i, i + 10, i + 20)).collect();
        let (volatile, mut texts) = volatile(&texts);
        let before = texts[3].clone();
        volatile.leave_out(&mut texts[3]);
        assert_eq!(texts[3], before);
    }

    #[test]
    fn little_evidence_is_none() {
        let two = ["seen 1 times".to_owned(), "seen 2 times".to_owned()];
        let (volatile, mut texts) = volatile(&two);
        volatile.leave_out(&mut texts[0]);
        assert_eq!(texts[0], hashed("seen 1 times"));
    }

    #[test]
    fn pages_with_urls_of_their_own_are_not_watched() {
        let texts: Vec<Vec<Word>> =
            (0..60).map(|i| hashed(&format!("{} article {i} in stock", ["a", "b", "c"][i % 3]))).collect();
        let urls: Vec<Vec<Word>> = (0..60).map(|i| hashed(&format!("item id{i}"))).collect();
        let volatile = VolatileNumbers::new(&texts, &urls, |_| 0);
        let mut first = texts[0].clone();
        volatile.leave_out(&mut first);
        assert_eq!(first, texts[0]);
    }

    #[test]
    fn tables_of_numbers_stay() {
        let row =
            |n: u32, url: u32| format!("table {n} of {} {} {}", n * 100 + url, n * 200 + url, n * 300 + url);
        let names = ["a", "b", "c", "d"];
        let texts: Vec<String> =
            (0..16).map(|i| format!("{} {}", names[i as usize / 4], row(i / 4, i % 4))).collect();
        let (volatile, mut texts) = volatile(&texts);
        let before = texts[5].clone();
        volatile.leave_out(&mut texts[5]);
        assert_eq!(texts[5], before);
    }
}
