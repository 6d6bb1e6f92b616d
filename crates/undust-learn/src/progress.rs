//! How far the learning of a site has come, for callers that show it. Stages are told, never timed: there are no clocks here.

use std::fmt;

/// What is done next to learn a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// A learner proposes rules from one of several parts of the site.
    Learner {
        /// The learner.
        name: &'static str,
        /// The number of the part, from 1.
        part: usize,
        /// How many parts there are.
        parts: usize,
    },
    /// Candidates are judged and chosen from.
    Choosing,
    /// Shapes of URLs that lead to nothing new are looked for.
    Skips,
    /// A model is made of what rules do not say.
    Model,
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stage::Learner { name, part: 1, parts: 1 } => f.write_str(name),
            Stage::Learner { name, part, parts } => write!(f, "{name} ({part} of {parts})"),
            Stage::Choosing => f.write_str("choosing rules"),
            Stage::Skips => f.write_str("looking for skips"),
            Stage::Model => f.write_str("making a model"),
        }
    }
}

/// Is told of every stage when it begins. What is learned does not depend on it.
pub type Watch<'w> = dyn Fn(Stage) + Sync + 'w;

/// For callers that show nothing.
pub fn unwatched(_: Stage) {}
