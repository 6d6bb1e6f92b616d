//! Rules learned from every labelled set, on every URL: both engines agree, and canonical forms are fixed points. On the small sets that
//! come with the repository, and on whole ones where they are at hand.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use undust::apply::{Canonicalizer, Form, Naive, Scratch, check};
use undust::page::Page;
use undust::rules::RuleSet;
use undust::url::SiteBy;
use undust_io::group::BySite;
use undust_io::{ReadOptions, read};
use undust_learn::learn::rewrite::Rewrite;
use undust_learn::pipeline::{Config, learn_site};
use undust_testkit::Tests;

const LABELLED: [&str; 4] = ["sites", "docs", "redirects", "html"];
const OTHERS: [&str; 4] = ["urls", "logs", "heritrix", "cdx"];
/// Pages learned from per set, to stay quick.
const LEARNED: usize = 20_000;

fn main() -> ExitCode {
    Tests::new()
        .bundled("learned_rules_on_all_urls", |data| {
            let counts = learned_rules_on_all_urls(data);
            assert!(counts.rules > 15 && counts.urls > 10_000 && counts.changed > 1_000, "{counts:?}");
        })
        .shared("learned_rules_on_all_urls", |data| {
            let counts = learned_rules_on_all_urls(data);
            assert!(counts.rules > 100 && counts.urls > 300_000 && counts.changed > 10_000, "{counts:?}");
        })
        .run()
}

/// What the laws were tried on.
#[derive(Debug, Default)]
struct Counts {
    rules: usize,
    urls: usize,
    changed: usize,
}

fn files(data: &Path, folders: &[&str]) -> Vec<PathBuf> {
    let entries = folders.iter().filter_map(|folder| data.join(folder).read_dir().ok());
    let mut files: Vec<PathBuf> = entries.flatten().filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.retain(|file| {
        !file.to_string_lossy().contains("jsonl") && file.extension().is_some_and(|e| e != "md")
    });
    files.sort();
    files
}

fn pages(file: &Path) -> Vec<Page> {
    let options = ReadOptions { host: Some("www.example.org".into()), ..ReadOptions::default() };
    let mut pages = Vec::new();
    read(file, &options, &mut |page| pages.push(page)).expect("real data reads");
    pages
}

fn learn(files: &[PathBuf]) -> RuleSet {
    let mut set = RuleSet::default();
    // Sets may share a site.
    let mut by_site = BySite::new(u64::MAX, SiteBy::Domain);
    for page in files.iter().flat_map(|file| pages(file).into_iter().take(LEARNED)) {
        by_site.push(page).expect("in memory");
    }
    for (site, pages) in by_site.finish().expect("in memory").flat_map(|sites| sites.expect("in memory")) {
        let learned = learn_site(&site, pages, &Rewrite::default(), &Config::default());
        set.sites.extend(Some(learned.rules).filter(|site| !site.rules.is_empty()));
    }
    set.sites.sort_by(|a, b| a.site.cmp(&b.site));
    set
}

fn learned_rules_on_all_urls(data: &Path) -> Counts {
    let labelled = files(data, &LABELLED);
    let set = learn(&labelled);
    assert_eq!(check(&set), []);
    let (engine, naive) = (Canonicalizer::of_rules(&set, Form::Key), Naive::new(&set, Form::Key));
    let fetchable = Canonicalizer::of_rules(&set, Form::Url);
    let mut scratch = Scratch::new();
    let mut counts = Counts { rules: set.rules().count(), ..Counts::default() };
    for page in labelled.iter().chain(&files(data, &OTHERS)).flat_map(|file| pages(file)) {
        let key = engine.canonicalize(&page.url, &mut scratch).into_owned();
        assert_eq!(engine.canonicalize(&key, &mut scratch), key.as_slice(), "no fixed point");
        assert_eq!(naive.canonicalize(&page.url), key, "the engines disagree");
        let url = fetchable.canonicalize(&page.url, &mut scratch).into_owned();
        assert_eq!(fetchable.canonicalize(&url, &mut scratch), url.as_slice(), "no fixed point");
        counts.urls += 1;
        counts.changed += usize::from(key != page.url);
    }
    counts
}
