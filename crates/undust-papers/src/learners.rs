//! Every learner that experiments know by name, with the settings of its paper.

use undust_learn::learn::Learner;
use undust_learn::learn::pattern_tree::PatternTree;
use undust_learn::registry::{self, AUTO, LearnerInfo};

/// The learners that have a paper, then `auto`.
pub fn infos() -> impl Iterator<Item = &'static LearnerInfo> {
    let (auto, papers): (Vec<_>, Vec<_>) = registry::methods().partition(|info| info.name == AUTO);
    papers.into_iter().chain(auto)
}

/// All of them. `pattern-tree` proposes both ways between patterns here, as in its paper: `deploy` chooses among them.
pub fn all() -> Vec<Box<dyn Learner>> {
    let of_paper = PatternTree::default();
    let learner = |info: &LearnerInfo| -> Box<dyn Learner> {
        if info.name == of_paper.name() { Box::new(of_paper.clone()) } else { info.learner() }
    };
    infos().map(learner).collect()
}
