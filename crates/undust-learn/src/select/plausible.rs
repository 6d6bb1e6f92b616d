//! A first look at each candidate by itself, which most do not survive: choosing among the others is much less work.

use std::collections::HashMap;

use undust::apply::{Canonicalizer, Scratch};
use xxhash_rust::xxh3::xxh3_64;

use super::Proposal;
use crate::site::Site;

/// A candidate with at least so many false positives, which are at least so large a share of the URLs that it spares, is
/// beyond what any choice of evidence or of other rules could mend.
const HOPELESS: (u64, u64) = (10, 5);

/// One URL that a candidate changes.
struct Change {
    candidate: u32,
    /// Hash of what becomes of the URL.
    to: u64,
    cluster: u32,
}

/// The proposals that may be good.
pub(super) fn plausible(site: &Site, proposals: &[Proposal], engine: &Canonicalizer) -> Vec<Proposal> {
    let mut scratch = Scratch::new();
    let mut unchanged: HashMap<u64, u32> = HashMap::new();
    let mut changes: Vec<Change> = Vec::new();
    let mut url = Vec::new();
    for row in 0..site.len() as u32 {
        url.clear();
        site.write_url(row, &mut url);
        let cluster = site.cluster(row);
        unchanged.insert(xxh3_64(&url), cluster);
        engine.each_change(&url, &mut scratch, |candidate, after| {
            changes.push(Change { candidate, to: xxh3_64(after), cluster });
        });
    }
    changes.sort_unstable_by_key(|change| (change.candidate, change.to, change.cluster));
    let mut keep = vec![true; proposals.len()];
    for changes in changes.chunk_by(|a, b| a.candidate == b.candidate) {
        let (mut spared, mut wrong) = (0, 0);
        for merged in changes.chunk_by(|a, b| a.to == b.to) {
            let (urls, of_one_page) = count(merged, unchanged.get(&merged[0].to));
            spared += urls - 1;
            wrong += urls - of_one_page;
        }
        keep[changes[0].candidate as usize] = wrong < HOPELESS.0 || wrong * HOPELESS.1 < spared;
    }
    proposals.iter().zip(keep).filter(|(_, keep)| *keep).map(|(proposal, _)| proposal.clone()).collect()
}

/// How many URLs are made equal, and how many of them are of the page that most are of. `there` is the page of a URL that is
/// already what the others become.
fn count(merged: &[Change], there: Option<&u32>) -> (u64, u64) {
    let pages = merged.chunk_by(|a, b| a.cluster == b.cluster);
    let sizes = pages.map(|page| page.len() as u64 + u64::from(there == Some(&page[0].cluster)));
    (
        merged.len() as u64 + u64::from(there.is_some()),
        sizes.max().unwrap_or_default().max(u64::from(there.is_some())),
    )
}
