//! The cases of the paper's Table 3, on a small site that has them: a model is made, written, read, and asked.

use undust::apply::Form;
use undust::page::Page;
use undust_learn::learn::seq2seq::NetworkSettings;
use undust_learn::{LearnOptions, Learned, ModelTrainer};
use undust_neural::file::{from_bytes, to_bytes};
use undust_neural::learner::Seq2seq;
use undust_neural::teach::Settings;
use undust_neural::{Engine, RuleFile, Scratch};

/// Questions and answers: users by number with or without a name, questions under two words, tags, a login wall.
fn question_site() -> Vec<Page> {
    let mut pages = Vec::new();
    let mut add = |path: String, cluster: String| {
        let url = format!("http://qa.example/{path}");
        pages.push(Page { cluster: Some(cluster), ..Page::new(url.as_str()) });
    };
    for id in 0..300 {
        let (user, question) = (10_000 + 7 * id, 50_000 + 11 * id);
        add(format!("users/{user}"), format!("user {user}"));
        add(format!("users/{user}/name{id}"), format!("user {user}"));
        add(format!("q/{question}"), format!("question {question}"));
        add(format!("questions/{question}/title-{id}"), format!("question {question}"));
        if id % 3 == 0 {
            add(format!("questions/{question}/title-{id}?sort=votes"), format!("question {question}"));
            add(format!("questions/tagged/tag{id}"), format!("tag {id}"));
            add(format!("private-message/set/who{id}"), "login".to_owned());
        }
        // Which one is the previous one only the database knows.
        add(format!("t/prev/{question}"), format!("question {}", question - 11));
    }
    add("login".to_owned(), "login".to_owned());
    pages
}

/// The trainer of a small network, for speed.
fn small(_: NetworkSettings, _: u64) -> Box<dyn ModelTrainer> {
    let settings = Settings { hidden: 32, steps: 150, ..Settings::default() };
    Box::new(Seq2seq { settings, ..Seq2seq::default() })
}

fn learn(pages: &[Page]) -> Learned {
    let pipeline = LearnOptions::new().method("seq2seq").trainer(small).build().expect("known");
    pipeline.learn(pages.to_vec())
}

fn file_of(learned: Learned) -> RuleFile {
    let mut file = RuleFile::of_rules(learned.rules);
    file.add_models(learned.models.into_values()).expect("a model file");
    file
}

fn canonical(engine: &Engine, path: &str) -> String {
    let mut out = Vec::new();
    engine.canonicalize_into(format!("http://qa.example/{path}").as_bytes(), &mut Scratch::new(), &mut out);
    let out = String::from_utf8(out).expect("text");
    out.strip_prefix("http://qa.example/").expect("the same site").to_owned()
}

const CASES: [(&str, &str); 6] = [
    // Case 1: superfluous parameters.
    ("users/150781/rich", "users/150781"),
    // Case 2: substitution.
    ("questions/132218/why-is-the-sky-blue", "q/132218"),
    ("questions/132218/why-is-the-sky-blue?sort=votes", "q/132218"),
    // Case 3: `tagged` is a word; wildcards made it `q/tagged`.
    ("questions/tagged/google", "questions/tagged/google"),
    // Case 4: one constant page.
    ("private-message/set/Yovav", "login"),
    // Case 5: cannot be computed, and is left alone.
    ("t/prev/10135", "t/prev/10135"),
];

#[test]
fn rules_know_the_cases_and_the_model_does_not_disagree() {
    let mut file = file_of(learn(&question_site()));
    file.models = from_bytes(&to_bytes(&file.models)).expect("a model file");
    for file in [&RuleFile::of_rules(file.rules.clone()), &file] {
        let engine = Engine::new(file, Form::Key);
        for (path, expected) in CASES {
            assert_eq!(canonical(&engine, path), expected);
            assert_eq!(canonical(&engine, expected), expected);
        }
    }
}

#[test]
fn the_rule_for_questions_says_what_it_does_not_mean() {
    let learned = learn(&question_site());
    let sides: Vec<String> = learned.rules.rules().map(|(_, rule)| rule.action.to_string()).collect();
    let expected = "http://qa.example/questions/{arg1:!tagged}/* -> http://qa.example/q/{arg1}";
    assert!(sides.iter().any(|rule| rule == expected), "{sides:#?}");
}

#[test]
fn the_same_seed_gives_the_same_bytes() {
    let pages = question_site();
    let learn = |pages: &[Page]| {
        let file = file_of(learn(pages));
        (file.rules.to_json(), to_bytes(&file.models))
    };
    let (rules, model) = learn(&pages);
    let shuffled: Vec<Page> = pages.iter().rev().cloned().collect();
    assert!((rules, model.clone()) == learn(&shuffled), "the order of pages matters");
    assert_eq!(to_bytes(&from_bytes(&model).expect("a model file")), model);
}

#[test]
fn too_few_urls_teach_nothing() {
    let learned = learn(&question_site()[..500]);
    assert!(learned.models.is_empty() && learned.rules.sites.is_empty());
    let why = learned.report.nothing.keys().next().map(String::as_str);
    assert_eq!(why, Some("a model needs at least 800 labelled URLs"));
}
