//! URLs as strings of tokens: maximal alphanumeric runs, or single other characters, between `^` and `$`. A token string is
//! known by a hash, which can be taken of any substring of a URL at once.

use xxhash_rust::xxh3::xxh3_64;

use crate::listing::Listing;

/// Odd, so that multiplying by it loses nothing.
const BASE: u64 = 0x9E37_79B9_7F4A_7C15;
const START: u64 = 0x5354_4152_545E_5E5E;
const END: u64 = 0x454E_4424_2424_2424;

/// The tokens of `url`, without the two anchors. Bytes beyond ASCII stay together: no rule shall cut a character.
pub(super) fn tokens(url: &[u8]) -> impl Iterator<Item = &[u8]> {
    url.chunk_by(|a, b| {
        (a.is_ascii_alphanumeric() && b.is_ascii_alphanumeric()) || !(a.is_ascii() || b.is_ascii())
    })
}

/// Every URL of a list, ready to have its substrings compared. Positions count tokens, `^` being the first.
pub(super) struct Tokens {
    /// For each URL, hashes of its first 0, 1, 2 … tokens, one URL behind the other.
    prefixes: Vec<u64>,
    /// Where each URL's hashes start; one more than there are URLs.
    starts: Vec<usize>,
    /// Powers of [`BASE`].
    powers: Vec<u64>,
}

impl Tokens {
    pub(super) fn new(list: &Listing) -> Tokens {
        let mut all = Tokens { prefixes: Vec::new(), starts: vec![0], powers: vec![1] };
        let mut longest = 0;
        for url in list.urls() {
            let mut hash = 0u64;
            all.prefixes.push(hash);
            for token in std::iter::once(START).chain(tokens(url).map(xxh3_64)).chain([END]) {
                hash = hash.wrapping_mul(BASE).wrapping_add(token);
                all.prefixes.push(hash);
            }
            longest = longest.max(all.prefixes.len() - all.starts[all.starts.len() - 1]);
            all.starts.push(all.prefixes.len());
        }
        for n in 0..longest {
            all.powers.push(all.powers[n].wrapping_mul(BASE));
        }
        all
    }

    /// How many URLs there are.
    pub(super) fn urls(&self) -> u32 {
        self.starts.len() as u32 - 1
    }

    /// How many tokens a URL has, anchors included.
    pub(super) fn len(&self, url: u32) -> usize {
        self.of(url).len() - 1
    }

    fn of(&self, url: u32) -> &[u64] {
        &self.prefixes[self.starts[url as usize]..self.starts[url as usize + 1]]
    }

    /// The hash of what stands before `at`.
    pub(super) fn before(&self, url: u32, at: usize) -> u64 {
        self.of(url)[at]
    }

    /// The hash of what stands from `at` on.
    pub(super) fn from(&self, url: u32, at: usize) -> u64 {
        self.between(url, at, self.len(url))
    }

    /// The hash of what stands between two places.
    pub(super) fn between(&self, url: u32, from: usize, to: usize) -> u64 {
        let hashes = self.of(url);
        hashes[to].wrapping_sub(hashes[from].wrapping_mul(self.powers[to - from]))
    }
}

/// One hash of two.
pub(super) fn mixed(a: u64, b: u64) -> u64 {
    let product = u128::from(a ^ BASE) * u128::from(b ^ 0xD1B5_4A32_D192_ED03);
    (product as u64) ^ ((product >> 64) as u64)
}

#[cfg(test)]
mod tests {
    use undust::page::Page;

    use super::*;

    #[test]
    fn runs_and_single_bytes() {
        let found: Vec<&[u8]> = tokens(b"http://a-b.c/x1?y=\xc3\xa9").collect();
        let expected: [&[u8]; 15] = [
            b"http",
            b":",
            b"/",
            b"/",
            b"a",
            b"-",
            b"b",
            b".",
            b"c",
            b"/",
            b"x1",
            b"?",
            b"y",
            b"=",
            b"\xc3\xa9",
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn equal_substrings_have_equal_hashes() {
        let list = Listing::new(&["http://a/b/a/c", "http://x/a/c"].map(Page::new), false);
        let tokens = Tokens::new(&list);
        let (long, short) = if tokens.len(0) > tokens.len(1) { (0, 1) } else { (1, 0) };
        // ^ http : / / a / b / a / c $
        assert_eq!(tokens.len(long), 13);
        assert_eq!(tokens.between(long, 5, 7), tokens.between(long, 9, 11));
        assert_eq!(tokens.from(long, 8), tokens.from(short, 6));
        assert_eq!(tokens.before(long, 5), tokens.before(short, 5));
        assert_ne!(tokens.between(long, 5, 6), tokens.between(long, 7, 8));
    }
}
