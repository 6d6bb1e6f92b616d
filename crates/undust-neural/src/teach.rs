//! Teaching a network what is known of a site's templates, and finding out on templates it was not taught whether and when it can be believed.

use std::collections::BTreeSet;

use undust_learn::bound::upper_bound;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::corpus::Corpus;
use crate::model::{Report, Speaker};
use crate::network::{Network, Optimizer, Pair, Shape, Token as Id, Training, Translation, loss, train};
use crate::table::Entry;
use crate::targets::numbers_in;
use crate::vocabulary::Template;

/// How a network is made.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Units of the encoder, the decoder and the embedding of a token.
    pub hidden: usize,
    /// Pairs in a step.
    pub batch: usize,
    /// Steps of training.
    pub steps: usize,
    /// How steps are taken.
    pub optimizer: Optimizer,
    /// Seed of the first parameters and the order of pairs.
    pub seed: u64,
}

impl Default for Settings {
    fn default() -> Settings {
        let optimizer = Optimizer::Adam { rate: 1e-3, decay_per_epoch: 1.0 };
        Settings { hidden: 256, batch: 20, steps: 2000, optimizer, seed: 0 }
    }
}

impl Settings {
    /// Those of SIGIR 2017, with a rate that it does not tell.
    pub fn paper() -> Settings {
        let optimizer = Optimizer::Sgd { rate: 0.5, decay_per_epoch: 1.0 };
        Settings { hidden: 512, optimizer, ..Settings::default() }
    }
}

/// One of so many templates is held out.
const HELD_OUT: u64 = 5;

/// Teach a network, and tell how good it is. There is none if it cannot be believed.
pub fn teach(
    corpus: &Corpus,
    entries: &[Entry],
    settings: &Settings,
    max_fpr: f64,
    report: &mut Report,
) -> Option<Speaker> {
    let (taught, held_out) = deal(corpus, entries, settings.seed);
    let shape = Shape { vocabulary: corpus.vocabulary.size(), hidden: settings.hidden };
    let mut network = Network::new(shape, settings.seed);
    train(&mut network, &taught, &settings.training(taught.len()), &mut |network, _, _| {
        -loss(network, &held_out)
    });
    let printable: BTreeSet<Id> = numbers_in(taught.iter().map(|pair| &pair.target));
    let mut speaker = Speaker { network, threshold: 1.0, printable };
    let sources: Vec<&[Id]> = held_out.iter().map(|pair| pair.source.as_slice()).collect();
    let answers = speaker.decoder().translate(&sources);
    let exam = Exam { corpus, questions: &held_out, answers: &answers };
    exam.write(report);
    match exam.threshold(max_fpr) {
        Ok(threshold) => {
            speaker.threshold = threshold;
            exam.write_answered(threshold, report);
            Some(speaker)
        }
        Err(why) => {
            report.silent = Some(why);
            None
        }
    }
}

impl Settings {
    fn training(&self, pairs: usize) -> Training {
        let per_epoch = pairs.div_ceil(self.batch).max(1);
        let epochs = self.steps.div_ceil(per_epoch).max(1);
        Training { optimizer: self.optimizer, batch: self.batch, epochs, clip: 1.0, seed: self.seed }
    }
}

/// Templates to be taught with what they become, and those held out. Where it is not known what a template becomes, nothing is taught.
fn deal(corpus: &Corpus, entries: &[Entry], seed: u64) -> (Vec<Pair>, Vec<Pair>) {
    let (mut taught, mut held_out) = (Vec::new(), Vec::new());
    let templates = corpus.templates.iter().zip(&corpus.by_template).zip(entries);
    for ((source, rows), entry) in templates {
        let target = match entry {
            Entry::Becomes { output, .. } => output,
            Entry::Stays | Entry::Open => source,
            Entry::Refuted => continue,
        };
        let weight = 1.0 + (rows.len() as f32).ln();
        let pair = Pair { source: source.clone(), target: target.clone(), weight };
        if hash(source, seed) % HELD_OUT == 0 {
            held_out.push(pair);
        } else {
            taught.push(pair);
        }
    }
    (taught, held_out)
}

fn hash(template: &Template, seed: u64) -> u64 {
    let bytes: Vec<u8> = template.iter().flat_map(|number| number.to_le_bytes()).collect();
    xxh3_64_with_seed(&bytes, seed)
}

/// The questions with the answers of a network.
struct Exam<'e> {
    corpus: &'e Corpus,
    questions: &'e [Pair],
    answers: &'e [Translation],
}

/// Thresholds that are tried, the lowest first.
const THRESHOLDS: [f32; 8] = [0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99];

/// Of what a network changes at least this share must be right, whatever it may cost.
const LEAST_RIGHT: f64 = 0.95;

impl<'e> Exam<'e> {
    /// What was asked, with the answers that are at least so sure.
    fn answered(&self, threshold: f32) -> impl Iterator<Item = (&'e Pair, &'e Translation)> {
        let both = self.questions.iter().zip(self.answers);
        both.filter(move |(_, answer)| answer.ended && answer.confidence >= threshold)
    }

    fn write(&self, report: &mut Report) {
        report.held_out = self.questions.len() as u64;
        report.exact = self.answered(0.0).filter(is_exact).count() as u64;
    }

    fn write_answered(&self, threshold: f32, report: &mut Report) {
        report.answered = self.answered(threshold).count() as u64;
        report.answered_exact = self.answered(threshold).filter(is_exact).count() as u64;
    }

    /// The lowest threshold at which changes are right often enough: nearly always, and so that no more of the site's pages are lost than may be, however
    /// many URLs of unknown templates there will be.
    fn threshold(&self, max_fpr: f64) -> Result<f32, String> {
        let unknown = self.share_of_unknown();
        for threshold in THRESHOLDS {
            let changes =
                self.answered(threshold).filter(|(question, answer)| answer.tokens != question.source);
            let (right, wrong) =
                changes.fold(
                    (0, 0),
                    |(right, wrong), both| {
                        if is_exact(&both) { (right + 1, wrong) } else { (right, wrong + 1) }
                    },
                );
            let total: u64 = right + wrong;
            let is_right = right as f64 >= LEAST_RIGHT * total as f64;
            if right > 0 && is_right && unknown * upper_bound(wrong, total) <= max_fpr {
                return Ok(threshold);
            }
        }
        Err("on templates that it was not taught, the network changes too few, or too many wrongly"
            .to_owned())
    }

    /// How many URLs of a site have templates that are not known: as many as have one that was seen only once (Good and Turing).
    fn share_of_unknown(&self) -> f64 {
        let once = self.corpus.by_template.iter().filter(|rows| rows.len() == 1).count();
        once as f64 / self.corpus.len().max(1) as f64
    }
}

fn is_exact((question, answer): &(&Pair, &Translation)) -> bool {
    answer.ended && answer.tokens == question.target
}
