//! Teaching a network what is known of a site's templates, and finding out on templates it was not taught whether and when it can be believed.

use std::collections::BTreeSet;
use std::fmt;

use undust_learn::bound::upper_bound;
use undust_learn::site::ALL_FOLDS;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::model::{Report, TrustedDecoder};
use crate::network::{Network, Optimizer, Pair, Shape, Token as Id, Training, Translation, loss, train};
use undust_learn::learn::seq2seq::corpus::{Corpus, Tally};
use undust_learn::learn::seq2seq::table::{Entry, MIN_KNOWN_URLS};
use undust_learn::learn::seq2seq::targets::numbers_in;
use undust_learn::learn::seq2seq::vocabulary::{Template, bytes};

/// How a network is made.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Units of the encoder, the decoder and the embedding of a token.
    pub hidden: usize,
    /// Whether it can copy what it reads; the paper's writes all from memory.
    pub copies: bool,
    /// Pairs in a step.
    pub batch: usize,
    /// Steps of training. It is these that count: a site has few templates, and many epochs are few steps.
    pub steps: usize,
    /// How steps are taken, and how far they go at first.
    pub optimizer: Optimizer,
    /// What the length of steps falls to, as a share of the first.
    pub falls_to: f32,
    /// Seed of the first parameters and the order of pairs.
    pub seed: u64,
    /// How many of the [`EXAM_PARTS`] of the templates a network is examined on, each time one that was not taught them. The last
    /// network is then taught all; with a single part, the network examined is the one that stays.
    pub exams: u64,
    /// Where it is trained.
    pub trainer: Trainer,
}

/// Parts that the templates of a site are dealt into.
pub const EXAM_PARTS: u64 = 5;

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            hidden: 64,
            copies: true,
            batch: 20,
            steps: 700,
            optimizer: Optimizer::Adam { rate: 2e-3, decay_per_epoch: 1.0 },
            falls_to: 0.05,
            seed: 0,
            exams: EXAM_PARTS,
            trainer: Trainer::default(),
        }
    }
}

impl Settings {
    /// Those of SIGIR 2017, with a rate and a number of steps that it does not tell.
    pub fn paper() -> Settings {
        let optimizer = Optimizer::Sgd { rate: 0.5, decay_per_epoch: 1.0 };
        let usual = Settings::default();
        Settings { hidden: 512, copies: false, steps: 2500, optimizer, falls_to: 1.0, exams: 1, ..usual }
    }

    /// The same with networks of another size. Large ones take long, and are examined once.
    #[must_use]
    pub fn with_hidden(self, hidden: usize) -> Settings {
        Settings { hidden, exams: if hidden > MAX_UNITS_EXAMINED_OFTEN { 1 } else { self.exams }, ..self }
    }

    fn shape(&self, vocabulary: usize) -> Shape {
        Shape { vocabulary, hidden: self.hidden, copies: self.copies }
    }

    fn training(&self, pairs: usize) -> Training {
        let per_epoch = pairs.div_ceil(self.batch).max(1);
        let epochs = self.steps.div_ceil(per_epoch).max(1);
        let decay = self.falls_to.powf(1.0 / epochs as f32);
        let optimizer = match self.optimizer {
            Optimizer::Adam { rate, .. } => Optimizer::Adam { rate, decay_per_epoch: decay },
            Optimizer::Sgd { rate, .. } => Optimizer::Sgd { rate, decay_per_epoch: decay },
        };
        Training { optimizer, batch: self.batch, epochs, clip: 1.0, seed: self.seed }
    }
}

/// Where networks are trained.
#[derive(Clone, Default)]
pub enum Trainer {
    /// Here, in one thread.
    #[default]
    Cpu,
    /// On a GPU, one network after the other.
    #[cfg(feature = "gpu")]
    Gpu(std::sync::Arc<std::sync::Mutex<crate::network::gpu::Gpu>>),
}

impl fmt::Debug for Trainer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Trainer::Cpu => "Cpu",
            #[cfg(feature = "gpu")]
            Trainer::Gpu(_) => "Gpu",
        })
    }
}

impl Trainer {
    /// Train a network; where that is not possible on the GPU, on the CPU, and say why.
    #[cfg_attr(not(feature = "gpu"), expect(clippy::unnecessary_wraps, reason = "a GPU may fail"))]
    fn train(
        &self,
        network: &mut Network,
        pairs: &[Pair],
        training: &Training,
        judge: &mut dyn FnMut(&Network, usize, f32) -> f32,
    ) -> Result<(), String> {
        match self {
            Trainer::Cpu => {
                train(network, pairs, training, judge);
                Ok(())
            }
            #[cfg(feature = "gpu")]
            Trainer::Gpu(gpu) => {
                let gpu = gpu.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                let first = network.clone();
                gpu.train(network, pairs, training, judge).inspect_err(|_| {
                    *network = first;
                    train(network, pairs, training, judge);
                })
            }
        }
    }
}

/// Units up to which a network is examined on every part; larger ones, which take long, on one.
const MAX_UNITS_EXAMINED_OFTEN: usize = 128;

/// Share of the templates that choose the best epoch instead of being taught: one in this number.
const CHOOSES: u64 = 10;

/// Teach a network, and tell how good it is. There is none if it cannot be believed: it may lose `most_lost` pages of the site.
pub fn teach(
    corpus: &Corpus,
    entries: &[Entry],
    settings: &Settings,
    most_lost: f64,
    report: &mut Report,
) -> Option<TrustedDecoder> {
    let lessons = lessons(corpus, entries, settings.seed);
    let (mut questions, mut answers, mut last) = (Vec::new(), Vec::new(), None);
    for part in 0..settings.exams {
        let (held_out, taught): (Vec<&Lesson>, Vec<&Lesson>) =
            lessons.iter().partition(|lesson| lesson.part == part);
        let speaker = settings.speaker(&taught, corpus.vocabulary.size(), report);
        let sources: Vec<&[Id]> = held_out.iter().map(|lesson| lesson.pair.source.as_slice()).collect();
        answers.extend(speaker.decoder().translate(&sources));
        questions.extend(held_out);
        last = Some(speaker);
    }
    let exam = Exam { corpus, questions: &questions, answers: &answers };
    let stays = |lesson: &&&Lesson| lesson.pair.source == lesson.pair.target;
    report.unchanged = questions.iter().filter(stays).count() as u64;
    (report.held_out, report.exact) = (questions.len() as u64, exam.count(0.0).1);
    (report.sure, report.sure_exact) = exam.count(SURE);
    match exam.threshold(most_lost) {
        Ok(threshold) => {
            (report.answered, report.answered_exact) = exam.count(threshold);
            let mut all =
                || settings.speaker(&lessons.iter().collect::<Vec<_>>(), corpus.vocabulary.size(), report);
            let speaker = last.filter(|_| settings.exams == 1).unwrap_or_else(&mut all);
            Some(TrustedDecoder { threshold, ..speaker })
        }
        Err(why) => {
            report.silent = Some(why);
            None
        }
    }
}

impl Settings {
    /// A network that was taught these lessons.
    fn speaker(&self, lessons: &[&Lesson], vocabulary: usize, report: &mut Report) -> TrustedDecoder {
        let pairs = |chooses: bool| -> Vec<Pair> {
            let of_kind = lessons.iter().filter(|lesson| lesson.chooses == chooses);
            of_kind.map(|lesson| lesson.pair.clone()).collect()
        };
        let (taught, chooses) = (pairs(false), pairs(true));
        let mut network = Network::new(self.shape(vocabulary), self.seed);
        let mut judge = |network: &Network, _: usize, _: f32| -loss(network, &chooses);
        let trained = self.trainer.train(&mut network, &taught, &self.training(taught.len()), &mut judge);
        report.on_cpu = trained.err();
        let printable: BTreeSet<Id> = numbers_in(taught.iter().map(|pair| &pair.target));
        TrustedDecoder { network: network.into(), threshold: 1.0, printable }
    }
}

/// Templates that were seen too rarely to tell are left to the network, unless what it would make of them is contradicted by their own URLs: these stay
/// as they are.
pub fn veto(corpus: &Corpus, entries: &mut [Entry], speaker: &TrustedDecoder) {
    let is_open = |entry: &Entry| matches!(entry, Entry::Open);
    let open: Vec<usize> = (0..entries.len()).filter(|at| is_open(&entries[*at])).collect();
    let sources: Vec<&[Id]> = open.iter().map(|at| corpus.templates[*at].as_slice()).collect();
    let answers = speaker.decoder().translate(&sources);
    for (at, answer) in open.into_iter().zip(answers) {
        let believed = speaker.believed(&corpus.vocabulary, &corpus.templates[at], answer);
        let is_wrong = |output: Template| corpus.try_out(at as u32, &output, ALL_FOLDS, ALL_FOLDS).wrong > 0;
        if believed.is_some_and(is_wrong) {
            entries[at] = Entry::Stays;
        }
    }
}

/// A template with what it becomes.
struct Lesson {
    template: u32,
    pair: Pair,
    /// The part it is dealt to.
    part: u64,
    /// Whether it chooses the best epoch instead of being taught.
    chooses: bool,
}

/// What there is to be taught: what becomes of templates, and that others stay. Where what seemed to become of one does not hold, that is nothing.
fn lessons(corpus: &Corpus, entries: &[Entry], seed: u64) -> Vec<Lesson> {
    let templates = corpus.templates.iter().zip(&corpus.by_template).zip(entries);
    let lesson = |(template, ((source, rows), entry)): (u32, ((&Template, &Vec<u32>), &Entry))| {
        let target = match entry {
            Entry::Becomes { output, .. } => output,
            Entry::Stays | Entry::Open => source,
            Entry::Refuted => return None,
        };
        let weight = 1.0 + (rows.len() as f32).ln();
        let pair = Pair { source: source.clone(), target: target.clone(), weight };
        let hash = xxh3_64_with_seed(&bytes(source), seed);
        Some(Lesson {
            template,
            pair,
            part: hash % EXAM_PARTS,
            chooses: (hash / EXAM_PARTS).is_multiple_of(CHOOSES),
        })
    };
    (0..).zip(templates).filter_map(lesson).collect()
}

/// The questions with the answers of a network.
struct Exam<'e> {
    corpus: &'e Corpus,
    questions: &'e [&'e Lesson],
    answers: &'e [Translation],
}

/// A confidence at which networks can be compared, whether they are believed or not.
const SURE: f32 = 0.9;

/// Thresholds that are tried, the lowest first.
const THRESHOLDS: [f32; 8] = [0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99];

/// A network that changes fewer templates than this in its exams has shown nothing.
const MIN_CHANGED_TEMPLATES: u64 = 5;

/// Of what a network changes at least this share must be right, whatever it may cost.
const MIN_RIGHT_SHARE: f64 = 0.95;

impl<'e> Exam<'e> {
    /// What was asked, with the answers that are at least so sure, and that make URLs.
    fn answered(&self, threshold: f32) -> impl Iterator<Item = (&'e Lesson, &'e Translation)> {
        let (vocabulary, both) = (&self.corpus.vocabulary, self.questions.iter().copied().zip(self.answers));
        both.filter(move |(question, answer)| {
            answer.is_sure(threshold) && vocabulary.fits(&question.pair.source, &answer.tokens)
        })
    }

    /// How many are answered, and how many of these exactly.
    fn count(&self, threshold: f32) -> (u64, u64) {
        let exact = self.answered(threshold).filter(|(question, answer)| is_exact(question, answer));
        (self.answered(threshold).count() as u64, exact.count() as u64)
    }

    /// The lowest threshold at which changes are right often enough: nearly always, and so that no more of the site's pages are lost than may be, however
    /// many URLs of unknown templates there will be.
    fn threshold(&self, most_lost: f64) -> Result<f32, String> {
        let unknown = self.unknown_urls();
        for threshold in THRESHOLDS {
            let (mut right, mut wrong) = (0_u64, 0_u64);
            for (question, answer) in self.answered(threshold) {
                if answer.tokens != question.pair.source {
                    *(if self.is_right(question, answer) { &mut right } else { &mut wrong }) += 1;
                }
            }
            let changes = right + wrong;
            let is_right =
                changes >= MIN_CHANGED_TEMPLATES && right as f64 >= MIN_RIGHT_SHARE * changes as f64;
            // Templates that are not known are like those it was asked about: how many of these does it change wrongly?
            let lost = unknown * upper_bound(wrong, self.questions.len() as u64);
            if is_right && lost <= most_lost {
                return Ok(threshold);
            }
        }
        Err("of templates that it was not taught, it changes too few, or too many wrongly".to_owned())
    }

    /// Whether a change is what was expected, or makes the template's URLs equal to others of their pages and to no others.
    fn is_right(&self, question: &Lesson, answer: &Translation) -> bool {
        if is_exact(question, answer) {
            return true;
        }
        let tally = self.corpus.try_out(question.template, &answer.tokens, ALL_FOLDS, ALL_FOLDS);
        matches!(tally, Tally { right: 1.., wrong: 0 })
    }

    /// How many URLs of a crawl as large as this one are left to the network: those of templates that were seen too rarely to tell, and as many again as have one that was
    /// seen only once, for those that were never seen (Good and Turing).
    fn unknown_urls(&self) -> f64 {
        let urls = |most: usize| -> usize {
            self.corpus.by_template.iter().map(Vec::len).filter(|urls| *urls <= most).sum()
        };
        (urls(MIN_KNOWN_URLS - 1) + urls(1)) as f64
    }
}

fn is_exact(question: &Lesson, answer: &Translation) -> bool {
    answer.ended && answer.tokens == question.pair.target
}

#[cfg(test)]
mod tests {
    use undust::page::Page;
    use undust_learn::site::Site;

    use super::*;
    use undust_learn::learn::seq2seq::style::Style;
    use undust_learn::learn::seq2seq::table;
    use undust_learn::learn::seq2seq::targets::Targets;
    use undust_learn::learn::seq2seq::vocabulary::Reading;

    /// The site of the paper's Table 3, with parameters that do not matter. One combination of them is never seen.
    fn pages() -> Vec<Page> {
        let mut pages = Vec::new();
        let mut add = |path: String, page: String| {
            let url = format!("http://qa.example/{path}");
            pages.push(Page { cluster: Some(page), ..Page::new(url.as_str()) });
        };
        let parameters =
            ["", "?sort=new", "?sort=old", "?tab=a", "?tab=b", "?sort=new&tab=a", "?sort=old&tab=b"];
        for id in 100..260 {
            for parameters in parameters.iter().skip(id % 2) {
                add(format!("users/{id}/name{id}{parameters}"), format!("user {id}"));
                add(format!("questions/{id}/title-{id}{parameters}"), format!("question {id}"));
                add(format!("questions/tagged/tag{id}{parameters}"), format!("tag {id} {parameters}"));
                add(format!("private-message/set/who{id}{parameters}"), "login".to_owned());
            }
            add(format!("users/{id}"), format!("user {id}"));
            add(format!("q/{id}"), format!("question {id}"));
        }
        add("login".to_owned(), "login".to_owned());
        pages
    }

    /// What a small network that was taught the site's templates, and nothing else, makes of URLs that it never saw.
    #[test]
    fn a_small_network_knows_the_cases_of_table_3() {
        let site = Site::new("qa.example", &pages(), 0);
        let corpus = Style::PAPER.read(&site.sample(0));
        let targets = Targets::find(&corpus, ALL_FOLDS);
        let entries = table::entries(&corpus, &targets);
        let lessons = lessons(&corpus, &entries, 0);
        let settings = Settings { hidden: 32, ..Settings::default() };
        let lessons: Vec<&Lesson> = lessons.iter().collect();
        let speaker = settings.speaker(&lessons, corpus.vocabulary.size(), &mut Report::default());
        let cases = [
            ("users/150781/rich", "users/150781"),
            ("questions/132218/why-is-the-sky-blue", "q/132218"),
            ("questions/tagged/google", "questions/tagged/google"),
            ("private-message/set/Yovav", "login"),
            // A combination that it was not taught.
            ("users/150781/rich?sort=new&tab=b", "users/150781"),
        ];
        for (path, expected) in cases {
            let url = format!("http://qa.example/{path}");
            let mut reading = Reading::default();
            assert!(corpus.vocabulary.read(url.as_bytes(), &mut reading));
            let answer = speaker.decoder().translate(&[&reading.template]).pop().expect("an answer");
            let mut out = Vec::new();
            corpus.vocabulary.print(&answer.tokens, url.as_bytes(), &reading.arguments, &mut out);
            let expected = format!("http://qa.example/{expected}");
            assert_eq!(String::from_utf8_lossy(&out), expected, "{}", answer.confidence);
            assert!(answer.confidence > 0.5, "{path}: {}", answer.confidence);
        }
    }

    #[test]
    fn what_examines_is_not_taught() {
        let site = Site::new("qa.example", &pages(), 0);
        let corpus = Style::PAPER.read(&site.sample(0));
        let entries = vec![Entry::Stays; corpus.templates.len()];
        let lessons = lessons(&corpus, &entries, 0);
        let parts: BTreeSet<u64> = lessons.iter().map(|lesson| lesson.part).collect();
        assert_eq!((lessons.len(), parts.len()), (corpus.templates.len(), EXAM_PARTS as usize));
        let mut report = Report::default();
        let settings = Settings { hidden: 4, steps: 1, ..Settings::default() };
        assert!(teach(&corpus, &entries, &settings, 0.01, &mut report).is_none());
        assert_eq!((report.held_out, report.unchanged), (lessons.len() as u64, lessons.len() as u64));
        assert!(report.silent.is_some());
    }
}
