//! A learner for the tests.

use undust::rules::Action;

use undust_learn::learn::{Candidate, Learner};
use undust_learn::site::Sample;

/// Proposes always the same: what rules match and what that becomes.
pub(super) struct Fixed(pub(super) Vec<(&'static str, &'static str)>);

impl Learner for Fixed {
    fn name(&self) -> &'static str {
        "fixed"
    }

    fn learn(&self, _sample: &Sample) -> Vec<Candidate> {
        let candidate = |(from, to): &(&str, &str)| Candidate {
            action: Action::rewrite(from, to).expect("well formed"),
            support: 1,
        };
        self.0.iter().map(candidate).collect()
    }
}
