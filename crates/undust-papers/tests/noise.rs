//! What wrong labels cost, on the forum that comes with the project.

use undust::page::Page;
use undust_io::{ReadOptions, read};
use undust_learn::evaluate::Score;
use undust_learn::learn::pattern_tree::PatternTree;
use undust_papers::deploy::Strategy;
use undust_papers::www10::{Experiment, Method, TABLE_MAX_FPR};

/// The forum that comes with the project.
fn forum() -> Vec<Page> {
    let mut pages = Vec::new();
    read(&undust_testkit::demo_forum(), &ReadOptions::default(), &mut |page| pages.push(page))
        .expect("bundled");
    pages
}

/// What the graph strategy deploys at the paper's limit when a share of the labels learned from are wrong, on all URLs.
fn deployed(pages: &[Page], noise: f64, seed: u64) -> Score {
    let experiment = Experiment { noise, seed, ..Experiment::default() };
    let method =
        Method { strategies: vec![Strategy::Graph], ..Method::new(Box::new(PatternTree::default())) };
    let report = experiment.run("computer-forum.net", pages, &[method]).expect("large enough");
    let sets = &report.methods[0].deployments[0].sets;
    let set = sets.iter().find(|set| set.max_fpr >= TABLE_MAX_FPR).expect("one of the rates");
    set.score.clone()
}

#[test]
fn wrong_labels_cost_less_than_a_fifth() {
    let pages = forum();
    for seed in [0, 1] {
        let (right, noisy) = (deployed(&pages, 0.0, seed).metrics, deployed(&pages, 0.05, seed).metrics);
        assert!(right.compression > 0.4, "{right:?}");
        assert!(noisy.compression > 0.8 * right.compression, "{noisy:?} and without noise {right:?}");
        assert!(noisy.fpr <= TABLE_MAX_FPR, "{noisy:?}");
    }
}
