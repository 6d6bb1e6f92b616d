//! A first look at each candidate by itself, which most do not survive: choosing among the others is much less work.

use super::changes::Step;
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
    let mut moved: Vec<Moved> = Vec::new();
    let mut is_plausible = |candidate| {
        moved.clear();
        moved.extend(
            steps(candidate).iter().map(|step| Moved { to: step.after, cluster: site.cluster(step.key) }),
        );
        moved.sort_unstable();
        let (mut spared, mut wrong) = (0, 0);
        for merged in moved.chunk_by(|a, b| a.to == b.to) {
            let to = merged[0].to;
            let there = ((to as usize) < site.len()).then(|| site.cluster(to));
            let (urls, of_one_page) = count(merged, there);
            spared += urls - 1;
            wrong += urls - of_one_page;
        }
        wrong < HOPELESS.0 || wrong * HOPELESS.1 < spared
    };
    (0..candidates).map(&mut is_plausible).collect()
}

/// A URL that a candidate changes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Moved {
    /// What becomes of it.
    to: u32,
    cluster: u32,
}

/// How many URLs are made equal, and how many of them are of the page that most are of. `there` is the page of a URL that is
/// already what the others become.
fn count(merged: &[Moved], there: Option<u32>) -> (u64, u64) {
    let pages = merged.chunk_by(|a, b| a.cluster == b.cluster);
    let sizes = pages.map(|page| page.len() as u64 + u64::from(there == Some(page[0].cluster)));
    (
        merged.len() as u64 + u64::from(there.is_some()),
        sizes.max().unwrap_or_default().max(u64::from(there.is_some())),
    )
}
