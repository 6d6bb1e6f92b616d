//! Trials that were judged before, by this run or an earlier one.

use std::collections::HashMap;

use undust::rules::{Rule, TriedBy};

use super::{Judgement, Trial};

/// The judgements on the trials of a site. Rules of one family (one refines the other, or they say the same in other words) meet the same
/// pairs of URLs, since all are tried in one order of the URLs: a pair is judged once, and counts for every rule that it is a trial of.
#[derive(Clone, Debug, Default)]
pub struct Judged(HashMap<Vec<u8>, HashMap<Vec<u8>, Judgement>>);

impl Judged {
    /// What earlier runs noted with `rules`.
    pub fn of(rules: &[Rule], by: TriedBy) -> Judged {
        let mut judged = Judged::default();
        let tried = rules.iter().filter_map(|rule| rule.validation.as_ref()).filter(|v| v.by == Some(by));
        for sample in tried.flat_map(|validation| &validation.samples) {
            // Another page or none: only the trial that it was made for needs not know which.
            let other = || Judgement::Missing(sample.why.clone().unwrap_or_default());
            let judgement = if sample.same { Judgement::Same } else { other() };
            judged.note(sample.url.as_bytes(), sample.with.as_bytes(), judgement);
        }
        judged
    }

    /// The judgement on a trial: the known one, or else what `judge` says.
    pub fn get(&mut self, trial: &Trial, judge: impl FnOnce(&Trial) -> Judgement) -> Judgement {
        let known = self.0.get(&trial.url).and_then(|with| with.get(&trial.with));
        match known {
            Some(Judgement::Missing(_)) if !trial.made => judge(trial),
            Some(known) => known.clone(),
            None => {
                let judgement = judge(trial);
                if !matches!(judgement, Judgement::Unknown | Judgement::Stop) {
                    self.note(&trial.url, &trial.with, judgement.clone());
                }
                judgement
            }
        }
    }

    fn note(&mut self, url: &[u8], with: &[u8], judgement: Judgement) {
        self.0.entry(url.to_vec()).or_default().insert(with.to_vec(), judgement);
    }
}
