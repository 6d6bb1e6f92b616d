//! `LikelySimilar`: from what was seen of two URLs, may they be one page? No is said only for a reason; of pages of which
//! nothing is known, anything may be true.

use std::fmt;
use std::str::FromStr;

use crate::seen::Seen;

/// Which evidence to look at, and how closely.
#[derive(Clone, Copy, Debug, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "four kinds of evidence, each looked at or not")]
pub struct Similar {
    /// Cluster labels: equal or not.
    pub cluster: bool,
    /// Digests: equal ones are one page, whatever else was seen.
    pub digest: bool,
    /// Simhashes: few bits may differ.
    pub simhash: bool,
    /// Ranges of sizes: must overlap.
    pub size: bool,
    /// How far apart ranges of sizes may be, as a share of the greater size.
    pub size_slack: f64,
}

/// The default of [`Similar::size_slack`].
const SIZE_SLACK: f64 = 0.01;

/// Number of bits of a simhash that may differ (Manku et al. 2007).
const MAX_SIMHASH_BITS: u32 = 3;

impl Similar {
    /// Look at everything that was seen.
    pub const ALL: Similar =
        Similar { cluster: true, digest: true, simhash: true, size: true, size_slack: SIZE_SLACK };
    /// Look at nothing: URLs alone.
    pub const NONE: Similar =
        Similar { cluster: false, digest: false, simhash: false, size: false, size_slack: SIZE_SLACK };

    /// Whether `a` and `b` may be one page.
    pub fn likely(&self, a: &Seen, b: &Seen) -> bool {
        let agree = |on: bool, a: Option<u64>, b: Option<u64>, same: fn(u64, u64) -> bool| {
            if on { a.zip(b).map(|(a, b)| same(a, b)) } else { None }
        };
        let digest = agree(self.digest, a.digest, b.digest, |a, b| a == b);
        if digest == Some(true) {
            return true;
        }
        let cluster = agree(self.cluster, a.cluster, b.cluster, |a, b| a == b);
        let simhash =
            agree(self.simhash, a.simhash, b.simhash, |a, b| (a ^ b).count_ones() <= MAX_SIMHASH_BITS);
        let sizes = a.sizes.zip(b.sizes).filter(|_| self.size);
        let size = sizes.map(|(a, b)| self.overlap(a, b));
        // A digest changes with every clock on a page: that two differ counts only where nothing else is known.
        let known = [cluster, simhash, size];
        if known.iter().all(Option::is_none) { digest.is_none() } else { !known.contains(&Some(false)) }
    }

    fn overlap(&self, a: (u32, u32), b: (u32, u32)) -> bool {
        let gap = a.0.max(b.0).saturating_sub(a.1.min(b.1));
        f64::from(gap) <= self.size_slack * f64::from(a.1.max(b.1))
    }

    /// Whether anything that `likely` looks at is known of both.
    pub fn is_known(&self, a: &Seen, b: &Seen) -> bool {
        (self.cluster && a.cluster.is_some() && b.cluster.is_some())
            || (self.digest && a.digest.is_some() && b.digest.is_some())
            || (self.simhash && a.simhash.is_some() && b.simhash.is_some())
            || (self.size && a.sizes.is_some() && b.sizes.is_some())
    }

    fn kinds(&self) -> [(&'static str, bool); 4] {
        [("cluster", self.cluster), ("digest", self.digest), ("simhash", self.simhash), ("size", self.size)]
    }
}

impl Default for Similar {
    fn default() -> Similar {
        Similar::ALL
    }
}

impl fmt::Display for Similar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let on: Vec<&str> = self.kinds().iter().filter(|(_, on)| *on).map(|(name, _)| *name).collect();
        match on.len() {
            0 => f.write_str("none"),
            4 => f.write_str("all"),
            _ => f.write_str(&on.join(",")),
        }
    }
}

impl FromStr for Similar {
    type Err = String;

    fn from_str(text: &str) -> Result<Similar, String> {
        let mut similar = Similar::NONE;
        match text {
            "all" => return Ok(Similar::ALL),
            "none" => return Ok(Similar::NONE),
            _ => {}
        }
        for kind in text.split(',') {
            let on = match kind {
                "cluster" => &mut similar.cluster,
                "digest" => &mut similar.digest,
                "simhash" => &mut similar.simhash,
                "size" => &mut similar.size,
                _ => return Err(format!("'{kind}' is none of all, none, cluster, digest, simhash, size")),
            };
            *on = true;
        }
        Ok(similar)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn size(least: u32, greatest: u32) -> Seen {
        Seen { sizes: Some((least, greatest)), ..Seen::default() }
    }

    #[test]
    fn no_only_for_a_reason() {
        let all = Similar::ALL;
        let nothing = Seen::default();
        assert!(all.likely(&nothing, &nothing));
        assert!(all.likely(&size(1, 1), &nothing));
        assert!(all.likely(&size(1, 5), &size(5, 9)));
        assert!(!all.likely(&size(1, 4), &size(5, 9)));
        assert!(Similar::NONE.likely(&size(1, 4), &size(5, 9)));
        let digest = |n| Seen { digest: Some(n), ..Seen::default() };
        assert!(all.likely(&digest(1), &digest(1)) && !all.likely(&digest(1), &digest(2)));
    }

    #[test]
    fn kinds_of_evidence_together() {
        let all = Similar::ALL;
        let page = |digest, simhash, size: u32| Seen {
            digest: Some(digest),
            simhash: Some(simhash),
            sizes: Some((size, size)),
            cluster: None,
        };
        assert!(all.likely(&page(1, 0b1, 7), &page(2, 0b111, 7)), "digests differ on a clock");
        assert!(!all.likely(&page(1, 0b1, 7), &page(2, 0b11_1110, 7)), "texts differ");
        assert!(!all.likely(&page(1, 0b1, 7), &page(2, 0b1, 8)), "sizes differ");
        assert!(all.likely(&page(1, 0b1, 7), &page(1, 0b1, 8)), "digests are equal");
    }

    #[test]
    fn written_as_it_is_read() {
        for text in ["all", "none", "size", "digest,size"] {
            assert_eq!(text.parse::<Similar>().unwrap().to_string(), text);
        }
        assert!("sizes".parse::<Similar>().is_err());
    }
}
