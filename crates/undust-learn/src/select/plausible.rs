//! A first look at each candidate by itself, which most do not survive: choosing among the others is much less work.

use undust::apply::Canonicalizer;

use super::Proposal;
use crate::changes::Changes;
use crate::site::Site;

/// A candidate with at least so many false positives, which are at least so large a share of the URLs that it spares, is
/// beyond what any choice of evidence or of other rules could mend.
const HOPELESS: (u64, u64) = (10, 5);

/// The proposals that may be good.
pub(super) fn plausible(site: &Site, proposals: &[Proposal], engine: &Canonicalizer) -> Vec<Proposal> {
    let mut keep = vec![true; proposals.len()];
    for (candidate, merged) in Changes::of_each_rule(&site.sample(0), engine).by_rule() {
        let (mut spared, mut wrong) = (0, 0);
        for merged in merged {
            spared += merged.urls() - 1;
            wrong += merged.urls() - merged.of_one_page();
        }
        keep[candidate as usize] = wrong < HOPELESS.0 || wrong * HOPELESS.1 < spared;
    }
    proposals.iter().zip(keep).filter(|(_, keep)| *keep).map(|(proposal, _)| proposal.clone()).collect()
}
