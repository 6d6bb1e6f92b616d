//! Byte strings to small numbers and back: every distinct value of a site is stored once.

use hashbrown::HashTable;
use xxhash_rust::xxh3::xxh3_64;

/// Numbers for byte strings, given in the order in which they are first seen.
#[derive(Clone, Default)]
pub struct Interner {
    bytes: Vec<u8>,
    /// Where each string ends; it starts where the one before ends.
    ends: Vec<usize>,
    table: HashTable<Entry>,
}

/// A string in the table, with half of its hash: the table grows without reading strings again.
#[derive(Clone, Copy)]
struct Entry {
    hash: u32,
    id: u32,
}

impl Entry {
    /// What the table goes by: it looks at both ends.
    fn spread(self) -> u64 {
        u64::from(self.hash) << 32 | u64::from(self.hash)
    }
}

impl Interner {
    /// An interner that knows nothing.
    pub fn new() -> Interner {
        Interner::default()
    }

    /// The number of `value`, a new one if it was never seen.
    ///
    /// # Panics
    /// When there are more than 2^32 distinct values.
    pub fn intern(&mut self, value: &[u8]) -> u32 {
        let hash = xxh3_64(value) as u32;
        if let Some(id) = self.find_hashed(hash, value) {
            return id;
        }
        let id = u32::try_from(self.ends.len()).expect("a site has fewer than 2^32 distinct values");
        self.bytes.extend_from_slice(value);
        self.ends.push(self.bytes.len());
        let entry = Entry { hash, id };
        self.table.insert_unique(entry.spread(), entry, |entry| entry.spread());
        id
    }

    /// The number of `value`, if it was seen.
    pub fn find(&self, value: &[u8]) -> Option<u32> {
        self.find_hashed(xxh3_64(value) as u32, value)
    }

    fn find_hashed(&self, hash: u32, value: &[u8]) -> Option<u32> {
        let is_it = |entry: &Entry| entry.hash == hash && self.get(entry.id) == value;
        self.table.find(Entry { hash, id: 0 }.spread(), is_it).map(|entry| entry.id)
    }

    /// The string behind a number.
    pub fn get(&self, id: u32) -> &[u8] {
        let id = id as usize;
        let start = if id == 0 { 0 } else { self.ends[id - 1] };
        &self.bytes[start..self.ends[id]]
    }

    /// Keep these strings alone, numbered anew in this order; none may be named twice.
    pub fn keep(&mut self, ids: &[u32]) {
        let size = ids.iter().map(|&id| self.get(id).len()).sum();
        let (bytes, ends) = (Vec::with_capacity(size), Vec::with_capacity(ids.len()));
        let mut kept = Interner { bytes, ends, ..Interner::default() };
        let mut number = vec![None; self.len()];
        for (new, &id) in (0..).zip(ids) {
            kept.bytes.extend_from_slice(self.get(id));
            kept.ends.push(kept.bytes.len());
            number[id as usize] = Some(new);
        }
        // The strings stay what they are, so that their places in the table do.
        self.table.retain(|entry| number[entry.id as usize].map(|new| entry.id = new).is_some());
        kept.table = std::mem::take(&mut self.table);
        *self = kept;
    }

    /// Keep the first `len` strings alone.
    pub fn truncate(&mut self, len: usize) {
        self.ends.truncate(len);
        self.bytes.truncate(self.ends.last().copied().unwrap_or_default());
        self.table.retain(|entry| (entry.id as usize) < len);
    }

    /// How many strings there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_stable_and_resolve() {
        let mut interner = Interner::new();
        let words: [&[u8]; 5] = [b"a", b"", b"b", b"a", b""];
        let ids: Vec<u32> = words.iter().map(|word| interner.intern(word)).collect();
        assert_eq!(ids, [0, 1, 2, 0, 1]);
        assert!(words.iter().zip(ids).all(|(word, id)| interner.get(id) == *word));
        assert_eq!(interner.find(b"c"), None);
        interner.truncate(2);
        assert_eq!((interner.find(b"b"), interner.find(b""), interner.intern(b"c")), (None, Some(1), 2));
    }

    #[test]
    fn kept_strings_are_found_under_their_new_numbers() {
        let mut interner = Interner::new();
        for word in ["a", "bb", "", "ccc"] {
            interner.intern(word.as_bytes());
        }
        interner.keep(&[3, 0]);
        assert_eq!(
            [interner.find(b"ccc"), interner.find(b"a"), interner.find(b"bb")],
            [Some(0), Some(1), None]
        );
        assert_eq!((interner.get(0), interner.get(1), interner.len()), (&b"ccc"[..], &b"a"[..], 2));
        assert_eq!(interner.intern(b"bb"), 2);
    }
}
