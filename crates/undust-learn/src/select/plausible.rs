//! A first look at each candidate by itself, which most do not survive: choosing among the others is much less work.

use super::changes::Step;
use crate::changes::{Change, Merged};
use crate::site::Site;

/// A candidate with at least so many false positives, which are at least so large a share of the URLs that it spares, is
/// beyond what any choice of evidence or of other rules could mend.
const HOPELESS: (u64, u64) = (10, 5);

/// Which of so many candidates may be good; `steps` gives what each makes of the site's URLs, whose keys are their rows.
pub(super) fn plausible<'s>(
    site: &Site,
    candidates: usize,
    steps: impl Fn(usize) -> &'s [Step],
) -> Vec<bool> {
    let mut changes: Vec<Change> = Vec::new();
    let mut is_plausible = |candidate| {
        let change = |step: &Step| Change {
            rule: candidate as u32,
            to: u64::from(step.after),
            cluster: site.cluster(step.key),
        };
        changes.clear();
        changes.extend(steps(candidate).iter().map(change));
        changes.sort_unstable_by_key(|change| (change.to, change.cluster));
        let (mut spared, mut wrong) = (0, 0);
        for changes in changes.chunk_by(|a, b| a.to == b.to) {
            let to = changes[0].to;
            let there = ((to as usize) < site.len()).then(|| site.cluster(to as u32));
            let merged = Merged { changes, there };
            spared += merged.urls() - 1;
            wrong += merged.urls() - merged.of_one_page();
        }
        wrong < HOPELESS.0 || wrong * HOPELESS.1 < spared
    };
    (0..candidates).map(&mut is_plausible).collect()
}
