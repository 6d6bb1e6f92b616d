//! How far the learning of a site has come, for callers that show it. Stages are told, never timed: there are no clocks here.

use std::fmt;

/// What is done next to learn a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Pages with content and without labels are clustered.
    Clustering,
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
            Stage::Clustering => f.write_str("clustering"),
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

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use undust::page::Page;

    use super::*;
    use crate::learn::rewrite::Rewrite;
    use crate::pipeline::{Config, learn_site, learn_site_watched};

    fn pages() -> Vec<Page> {
        let url = |n: u32| {
            format!("http://a.com/item?id={}{}", n / 2, if n.is_multiple_of(2) { "" } else { "&sid=x" })
        };
        (0..1000).map(|n| Page { cluster: Some((n / 2).to_string()), ..Page::new(url(n)) }).collect()
    }

    #[test]
    fn every_stage_is_told_and_changes_nothing() {
        let config = Config { skips: true, ..Config::default() };
        let told = Mutex::new(Vec::new());
        let watch = |stage: Stage| told.lock().unwrap().push(stage.to_string());
        let watched = learn_site_watched("a.com", pages(), &Rewrite::default(), &config, &watch);
        let alone = learn_site("a.com", pages(), &Rewrite::default(), &config);
        assert_eq!(format!("{watched:?}"), format!("{alone:?}"));
        assert_eq!(watched.rules.rules.len(), 1);
        let parts = (1..=4).map(|part| format!("rewrite ({part} of 4)"));
        let stages: Vec<String> =
            parts.chain(["choosing rules".into(), "looking for skips".into()]).collect();
        assert_eq!(*told.lock().unwrap(), stages);
    }
}
